//! Mentions of known people in a text.
//!
//! The known people are the authors and participants of a space's records. A name matches by all
//! its words in sequence ("Ana María Ruiz"), or by its first or last word alone ("Ana", "Ruiz's").
//! Names that are also English words ("Will", "May", "Mark") count only if they are written as
//! names. One word may match several people; the mention keeps all of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text::time_expressions::{TimeRole, month_number, time_role};
use crate::text::words::{Word, visit_words};
use crate::text::{is_english_stop_word, normalize, words};

/// The index's number of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NameId(pub i64);

/// Most words of a name that are compared; the rest is ignored.
pub const NAME_WORDS_MAX: usize = 6;

/// Most people found by one word.
pub const PEOPLE_PER_WORD_MAX: usize = 32;

/// Words that name speakers of a transcript by what they are, and others: "the customer demo".
#[rustfmt::skip]
const ROLES: [&str; 26] = [
    "admin", "agent", "assistant", "caller", "candidate", "client", "coach", "customer", "doctor", "driver", "guest", "host",
    "interviewer", "manager", "moderator", "operator", "owner", "participant", "patient", "sales", "speaker", "student",
    "support", "system", "teacher", "user",
];

/// Known names by their words. The index implements it over a table of [`name_words`].
pub trait NameLookup {
    /// The people whose name contains `word` (in the form of [`name_words`]), with all words of the
    /// name; at most [`PEOPLE_PER_WORD_MAX`].
    fn people_with_word(&self, word: &str) -> Vec<KnownName>;
}

/// One name of a person, who may have several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownName {
    /// The person.
    pub id: NameId,
    /// The words of the name, in the form of [`name_words`].
    pub words: Vec<String>,
}

/// The words of a name in lower case, at most [`NAME_WORDS_MAX`]: ann, marie, brien for `"Ann-Marie
/// O'Brien"`; for an address, the words of the part before the `@`.
pub fn name_words(name: &str) -> Vec<String> {
    let normal = normalize(name);
    let local = normal.split_once('@').map_or(&*normal, |(local, _)| local);
    let spaced = local.replace(['.', '_', '+'], " ");
    let mut found = Vec::new();
    visit_words(&spaced, |word| {
        let folded = fold(word.text);
        if !folded.is_empty() && folded.len() <= crate::text::TERM_BYTES_MAX {
            found.push(folded);
        }
        found.len() < NAME_WORDS_MAX
    });
    found
}

fn fold(word: &str) -> String {
    crate::text::without_marks(&words::cut_at_apostrophe(word).to_lowercase()).into_owned()
}

/// Known names in memory.
#[derive(Clone, Debug, Default)]
pub struct Names {
    by_word: BTreeMap<String, Vec<KnownName>>,
}

impl Names {
    /// Adds a name of `id`.
    pub fn insert(&mut self, id: NameId, name: &str) {
        let words = name_words(name);
        for word in &words {
            let people = self.by_word.entry(word.clone()).or_default();
            let known = KnownName { id, words: words.clone() };
            if people.len() < PEOPLE_PER_WORD_MAX && !people.contains(&known) {
                people.push(known);
            }
        }
    }
}

impl<'name> FromIterator<(NameId, &'name str)> for Names {
    fn from_iter<I: IntoIterator<Item = (NameId, &'name str)>>(named: I) -> Self {
        let mut names = Self::default();
        for (id, name) in named {
            names.insert(id, name);
        }
        names
    }
}

impl NameLookup for Names {
    fn people_with_word(&self, word: &str) -> Vec<KnownName> {
        self.by_word.get(word).cloned().unwrap_or_default()
    }
}

/// A mention of a known person in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// The matching words of the text, as written.
    pub text: String,
    /// The people it may refer to, sorted; more than one if the words match several people.
    pub people: Vec<NameId>,
}

/// A mention and its words in the text: `words[first..end]`.
pub(super) struct MentionAt {
    pub(super) mention: Mention,
    pub(super) first: usize,
    pub(super) end: usize,
    /// True if the words can only be the name. "taylor" or "design", one word of a longer name in
    /// lower case, may be an ordinary word of the question.
    pub(super) is_certain: bool,
}

/// Finds the mentions of known people among `words` of `text`.
pub(super) fn find_mentions(
    text: &str,
    words: &[Word<'_>],
    names: &dyn NameLookup,
) -> Vec<MentionAt> {
    let folded: Vec<String> = words.iter().map(|word| fold(word.text)).collect();
    let is_cased = words.iter().skip(1).any(|word| starts_upper(word.text) && word.text != "I");
    let mut found = Vec::new();
    let mut first = 0;
    while let Some(word) = words.get(first) {
        let people = folded
            .get(first)
            .filter(|folded| !folded.is_empty())
            .map(|folded| names.people_with_word(folded));
        let best =
            people.and_then(|people| longest(&people, folded.get(first..).unwrap_or_default()));
        let Some((length, people, is_whole)) = best else {
            first += 1;
            continue;
        };
        let end = first + length;
        let before =
            first.checked_sub(1).and_then(|before| folded.get(before)).map_or("", String::as_str);
        if length == 1
            && (!is_written_as_name(word, first, is_cased) || is_month_after(word, before))
        {
            first += 1;
            continue;
        }
        let last_end = words.get(end - 1).map_or(word.end(), Word::end);
        let written = text.get(word.start..last_end).unwrap_or(word.text).to_owned();
        let is_role = length == 1 && folded.get(first).is_some_and(|it| ROLES.contains(&&**it));
        let is_certain = is_whole && !is_role || starts_upper(word.text);
        found.push(MentionAt {
            mention: Mention { text: written, people },
            first,
            end,
            is_certain,
        });
        first = end;
    }
    found
}

/// The longest match of a name at the start of `words`: whole names first, then a first or last
/// word. Returns the number of words, the people, and whether the whole name matched.
fn longest(known: &[KnownName], words: &[String]) -> Option<(usize, Vec<NameId>, bool)> {
    let first = words.first()?;
    let whole =
        known.iter().filter(|name| words.starts_with(&name.words)).map(|name| name.words.len());
    // A damaged index may hold a name without words, which would match everywhere with length zero.
    let whole = whole.filter(|length| *length > 0).max();
    let (length, mut people): (usize, Vec<NameId>) = match whole {
        Some(length) => {
            let same = known
                .iter()
                .filter(|name| name.words.len() == length && words.starts_with(&name.words));
            (length, same.map(|name| name.id).collect())
        }
        None => {
            let ends = known.iter().filter(|name| {
                name.words.first() == Some(first) || name.words.last() == Some(first)
            });
            (1, ends.map(|name| name.id).collect())
        }
    };
    people.sort_unstable();
    people.dedup();
    (!people.is_empty()).then_some((length, people, whole.is_some()))
}

/// English words that are also names (or names of mailboxes and roles); they need a capital that is
/// not due to their position in the sentence.
static COMMON_WORDS: &[&str] = &[
    "admin", "angel", "art", "bill", "chance", "chase", "cliff", "dean", "drew", "faith", "frank",
    "grace", "grant", "guy", "hope", "human", "hunter", "info", "joy", "june", "mark", "mason",
    "max", "may", "miles", "model", "news", "office", "olive", "pat", "pearl", "rich", "rob",
    "rose", "ruby", "sky", "stone", "sue", "summer", "support", "system", "team", "tool", "violet",
    "will",
];

fn is_written_as_name(word: &Word<'_>, position: usize, is_cased: bool) -> bool {
    let folded = fold(word.text);
    let is_common =
        is_english_stop_word(&folded) || COMMON_WORDS.binary_search(&folded.as_str()).is_ok();
    if !is_common {
        return true;
    }
    let is_possessive = word.text.len() > folded.len();
    let is_upper = starts_upper(word.text);
    // "Will Anna come?": the capital starts the sentence. "will" among capitalised words is the
    // verb.
    (is_possessive && (is_upper || !is_cased)) || (is_upper && position > 0)
}

/// "in May", "last April": the month, even if a known person has that name.
fn is_month_after(word: &Word<'_>, before: &str) -> bool {
    let leads_to_time =
        matches!(time_role(before), TimeRole::Leading | TimeRole::Picking) && before != "by";
    leads_to_time && month_number(&word.text.to_lowercase()).is_some()
}

fn starts_upper(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Names {
        [
            (NameId(1), "Caroline"),
            (NameId(2), "Ana María Ruiz"),
            (NameId(3), "Will"),
            (NameId(4), "John Smith"),
            (NameId(5), "John Doe"),
            (NameId(6), "bob.taylor@example.com"),
            (NameId(7), "May"),
            (NameId(8), "王伟"),
            (NameId(9), "Customer"),
        ]
        .into_iter()
        .collect()
    }

    #[test]
    fn a_role_in_small_letters_may_be_anybody() {
        let is_certain = |text: &str| {
            let mut words = Vec::new();
            visit_words(text, |word| {
                words.push(word);
                true
            });
            find_mentions(text, &words, &known()).iter().any(|found| found.is_certain)
        };
        assert!(!is_certain("When is the customer demo?"));
        assert!(is_certain("What did Customer say?") && is_certain("what did caroline say"));
    }

    fn mentions(text: &str) -> Vec<(String, Vec<i64>)> {
        let mut words = Vec::new();
        visit_words(text, |word| {
            words.push(word);
            true
        });
        find_mentions(text, &words, &known())
            .into_iter()
            .map(|found| {
                (found.mention.text, found.mention.people.into_iter().map(|id| id.0).collect())
            })
            .collect()
    }

    #[test]
    fn names_match_by_all_words_or_by_the_first_or_last() {
        for (text, expected) in [
            ("What did Caroline research?", vec![("Caroline", vec![1])]),
            ("what is caroline's identity", vec![("caroline's", vec![1])]),
            ("Did Ana María Ruiz call Ruiz?", vec![("Ana María Ruiz", vec![2]), ("Ruiz", vec![2])]),
            ("What does María think?", vec![]),
            ("Where is John?", vec![("John", vec![4, 5])]),
            ("Where is JOHN DOE’s bike?", vec![("JOHN DOE’s", vec![5])]),
            ("Which Taylor wrote?", vec![("Taylor", vec![6])]),
            ("Carolines", vec![]),
            ("", vec![]),
        ] {
            let expected: Vec<(String, Vec<i64>)> =
                expected.into_iter().map(|(text, people)| (text.to_owned(), people)).collect();
            assert_eq!(mentions(text), expected, "{text}");
        }
    }

    #[test]
    fn english_words_are_names_only_if_written_as_names() {
        for (text, expected) in [
            ("Will Caroline come?", vec!["Caroline"]),
            ("When will Will come?", vec!["Will"]),
            ("Will's bike", vec!["Will's"]),
            ("will it rain in may", vec![]),
            ("What did May say?", vec!["May"]),
            ("What happened in May?", vec![]),
            ("What was said by May last May?", vec!["May"]),
        ] {
            let found: Vec<String> = mentions(text).into_iter().map(|(text, _)| text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_name_in_a_script_without_spaces_matches_by_pairs() {
        assert_eq!(mentions("王伟在哪里"), vec![("王伟".to_owned(), vec![8])]);
    }

    #[test]
    fn a_name_without_words_never_matches() {
        struct Damaged;
        impl NameLookup for Damaged {
            fn people_with_word(&self, _: &str) -> Vec<KnownName> {
                vec![KnownName { id: NameId(1), words: Vec::new() }]
            }
        }
        let mut words = Vec::new();
        let text = "What did Caroline say?";
        visit_words(text, |word| {
            words.push(word);
            true
        });
        assert!(find_mentions(text, &words, &Damaged).is_empty());
    }

    #[test]
    fn common_words_are_sorted_for_binary_search() {
        assert!(COMMON_WORDS.is_sorted());
    }
}
