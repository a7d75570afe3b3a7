//! A wording of a time that a record may contain: "last week", "26 November", "2026-11-26".

use serde::Serialize;

use crate::text::words::visit_words;
use crate::text::{QueryTerm, normalize};

/// A wording of a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quote {
    /// Its terms. A record that contains the wording contains all of them.
    pub terms: Vec<QueryTerm>,
    /// Its words in lower case, if they count only beside each other: a record of 20 November that
    /// says "26 euros" has all terms of "26 November".
    #[serde(skip)]
    pub(super) together: Vec<String>,
}

impl Quote {
    /// Whether a text with all its terms may still lack it, so that [`Self::is_in`] must be asked.
    pub fn must_be_together(&self) -> bool {
        self.together.len() > 1
    }

    /// Whether `text` has its words beside each other, in any order: "November 26" is "26
    /// November". True if they need not be together.
    pub fn is_in(&self, text: &str) -> bool {
        if !self.must_be_together() {
            return true;
        }
        let text = normalize(text);
        let mut wanted = self.together.clone();
        wanted.sort_unstable();
        let mut last: Vec<String> = Vec::with_capacity(wanted.len());
        let (mut found, mut end) = (false, 0);
        visit_words(&text, |word| {
            // Pairs of characters overlap, so there is nothing between them.
            let gap = text.get(end..word.start).unwrap_or_default();
            end = word.end();
            let word = word.text.to_lowercase();
            if last.last().is_some_and(|before| !joins(before, gap)) {
                last.clear();
            }
            if wanted.binary_search(&word).is_err() {
                last.clear();
                return true;
            }
            if last.len() == wanted.len() {
                last.remove(0);
            }
            last.push(word);
            if last.len() == wanted.len() {
                let mut sorted = last.clone();
                sorted.sort_unstable();
                found = sorted == wanted;
            }
            !found
        });
        found
    }
}

/// Whether what stands between two words of a day joins them. A full stop does after a number
/// alone: "26. November", but not "In November. 26 people came".
fn joins(before: &str, gap: &str) -> bool {
    let is_number = before.ends_with(|last: char| last.is_ascii_digit());
    gap.chars().all(|character| match character {
        ' ' | '\u{A0}' | '-' | '/' | '\u{2013}' => true,
        '.' => is_number,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(words: &[&str]) -> Quote {
        let together = words.iter().map(|word| (*word).to_owned()).collect();
        Quote { terms: Vec::new(), together }
    }

    #[test]
    fn a_day_is_quoted_by_its_words_beside_each_other() {
        for (words, text, expected) in [
            (&["2026", "11", "26"][..], "Deadline: 2026-11-26, noon", true),
            (&["2026", "11", "26"], "2026-11-20\nTrain ticket, 26 euros", false),
            (&["2026", "11", "26"], "On 2026-11-20 26 people came", false),
            (&["2026", "11", "26"], "2026 11 2026-11-26", true),
            (&["26", "november"], "We meet on November 26.", true),
            (&["26", "november"], "20 November: 26 euros", false),
            (&["26", "november"], "20 November, 26 euros", false),
            (&["26", "november"], "In November. 26 people came", false),
            (&["26", "november"], "Am 26. November", true),
            (&["26", "november"], "", false),
            (&["26.11.2026"], "anything", true),
            (&[], "anything", true),
        ] {
            assert_eq!(quote(words).is_in(text), expected, "{words:?} in {text}");
        }
    }
}
