//! Excerpts: the part of a text that matches, where the whole is too long.
//!
//! The sentence that shares the rarest words with the query is the focus, or the passage that was
//! found. An excerpt is the focus and as many sentences around it as fit.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use retrieval::text::sentences::sentences;
use retrieval::text::{Analyzer, Term, cut};
use store::sqlite::TermShare;

/// A sentence that does not fit is cut to no less than this, bytes.
const CUT_BYTES_MIN: usize = 40;
/// Most sentences of an excerpt.
const SENTENCES_MAX: usize = 64;
/// Longest text that is searched for its focus, bytes.
const FOCUS_BYTES_MAX: usize = 16 * 1024;

/// The sentence of `text` that shares most with the query, by the weight of the shared words; the
/// first of several, and the first of all if no word is shared.
pub(super) fn focus(text: &str, shared: &[TermShare], analyzer: &mut Analyzer) -> Range<usize> {
    let weights: BTreeMap<&Term, f64> =
        shared.iter().map(|share| (&share.term, share.idf)).collect();
    let mut best = (0.0, 0..0);
    for sentence in sentences(cut(text, FOCUS_BYTES_MAX)) {
        let terms = analyzer.terms(text.get(sentence.clone()).unwrap_or_default());
        let terms: BTreeSet<&Term> = terms.iter().collect();
        let weight: f64 = terms.into_iter().filter_map(|term| weights.get(term)).sum();
        if weight > best.0 {
            best = (weight, sentence);
        }
    }
    best.1
}

/// The longest excerpt around `focus` that fits; none if not even the beginning of the focus does.
pub(super) fn around<'t>(
    text: &'t str,
    focus: &Range<usize>,
    fits: &dyn Fn(&str) -> bool,
) -> Option<&'t str> {
    let sentences = sentences(text);
    let part = |range: Range<usize>| text.get(range).map(str::trim).unwrap_or_default();
    let place = sentences.iter().position(|sentence| sentence.end > focus.start)?;
    let first = sentences.get(place)?.clone();
    let is_of_focus = |sentence: &&Range<usize>| sentence.start < focus.end;
    let number = sentences.iter().skip(place).take_while(is_of_focus).count().max(1);
    let last = sentences.get(place + number - 1)?;
    let chosen = match number {
        _ if fits(part(first.start..last.end)) => place..place + number,
        2.. if fits(part(first.clone())) => place..place + 1,
        _ => return beginning(part(first), fits),
    };
    let (mut before, mut after) = (chosen.start, chosen.end);
    let (mut start, mut end) = (first.start, sentences.get(after - 1)?.end);
    let (mut can_start, mut can_end) = (true, true);
    while (can_start || can_end) && after - before < SENTENCES_MAX {
        let next = sentences.get(after).filter(|next| can_end && fits(part(start..next.end)));
        can_end = next.is_some();
        if let Some(next) = next {
            (end, after) = (next.end, after + 1);
        }
        let previous = before.checked_sub(1).and_then(|previous| sentences.get(previous));
        let previous = previous.filter(|previous| can_start && fits(part(previous.start..end)));
        can_start = previous.is_some();
        if let Some(previous) = previous {
            (start, before) = (previous.start, before - 1);
        }
    }
    Some(part(start..end)).filter(|part| !part.is_empty())
}

/// The longest beginning of a sentence that fits, cut between words where it has some.
fn beginning<'t>(sentence: &'t str, fits: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let (mut fitting, mut exceeding) = (0, sentence.len());
    while exceeding - fitting > 1 {
        let middle = fitting + (exceeding - fitting) / 2;
        if fits(cut(sentence, middle)) { fitting = middle } else { exceeding = middle }
    }
    let part = cut(sentence, fitting);
    let whole_words = part.rfind(char::is_whitespace).and_then(|end| part.get(..end));
    let part = whole_words.filter(|words| words.len() >= CUT_BYTES_MIN).unwrap_or(part).trim_end();
    (part.len() >= CUT_BYTES_MIN).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrieval::text::Language;

    const TEXT: &str = "It rained. The boat leaves at noon. Nobody came to the harbour. We slept.";

    fn words_max(max: usize) -> impl Fn(&str) -> bool {
        move |text: &str| text.split_whitespace().count() <= max
    }

    #[test]
    fn the_focus_is_the_sentence_with_the_rarest_words_of_the_query() {
        let mut analyzer = Analyzer::new(Language::English);
        let mut share = |word: &str, idf: f64| TermShare {
            term: analyzer.terms(word).remove(0),
            stands_for: None,
            idf,
            own: 1,
            previous: 0,
            before_previous: 0,
        };
        let shared = [share("boats", 1.0), share("harbour", 3.0), share("came", 0.5)];
        let found = focus(TEXT, &shared, &mut analyzer);
        assert_eq!(TEXT[found].trim(), "Nobody came to the harbour.");
        assert_eq!(focus(TEXT, &[], &mut analyzer), 0..0);
    }

    #[test]
    fn an_excerpt_has_the_sentences_around_its_focus_that_fit() {
        let focus = 11..36;
        let check = |max: usize, expected: Option<&str>| {
            assert_eq!(around(TEXT, &focus, &words_max(max)), expected, "{max}");
        };
        check(5, Some("The boat leaves at noon."));
        check(7, Some("It rained. The boat leaves at noon."));
        check(10, Some("The boat leaves at noon. Nobody came to the harbour."));
        check(100, Some(TEXT));
        check(3, None);
    }

    #[test]
    fn an_excerpt_has_a_limited_number_of_sentences() {
        let text = "It rained. ".repeat(2_000);
        let part = around(&text, &(5_500..5_511), &|_| true).unwrap();
        assert!((SENTENCES_MAX..=SENTENCES_MAX + 1).contains(&part.matches('.').count()));
    }

    #[test]
    fn a_sentence_that_does_not_fit_is_cut_between_words_and_never_to_a_few() {
        let text = "kiln ".repeat(100);
        let part = around(&text, &(0..0), &words_max(12)).unwrap();
        assert_eq!(part, "kiln ".repeat(12).trim_end());
        assert_eq!(around(&text, &(0..0), &words_max(2)), None);
        assert_eq!(around("", &(0..0), &words_max(2)), None);
        assert!(around(&"猫".repeat(100), &(0..0), &|text| text.len() <= 60).is_some());
    }
}
