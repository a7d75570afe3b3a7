//! Whether anything that was found answers at all: recall that cannot say "I don't know" is
//! believed once too often.
//!
//! Two things make the best record of a ranking the wrong one. Memory may hold nothing of the kind:
//! then some words of the question are unknown to it, and what is left fits weakly. Or it holds
//! just that of somebody else: "What did Ada sing?" where Ben sang. Then the best by content is far
//! better than the best by the person who is asked about. Each has its logistic model on a few
//! [`Signs`], and the chance that the best record answers is their product.
//!
//! The models were learnt from the four development conversations of LoCoMo, with and without
//! speakers and dates, against questions without an answer and questions on other conversations, by
//! `because eval locomo FILE --abstention`, which prints these constants and how well models do
//! that were learnt without the conversation they judge (`docs/benchmarks.md`). They belong to the
//! weights that recall has by default.

use super::Score;
use crate::question::Question;

/// As many of the best records are looked at.
pub const JUDGED: usize = 30;
/// Below this chance recall abstains: of LoCoMo's questions that memory does answer, 1 to 2 in 100
/// fall below. Small memories of notes know fewer of a question's words, and more of theirs do; so
/// it is no higher.
pub const RELEVANCE_MIN: f64 = 0.12;

/// Coefficients of [`Signs::topic`].
const TOPIC: [f64; 5] = [-2.65, 1.14, 1.05, 2.03, -1.15];
/// Coefficients of [`Signs::theirs`].
const THEIRS: [f64; 4] = [0.81, -3.21, 0.26, -0.62];

/// What a ranking looks like as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signs {
    /// Share of the question's words that memory knows, 0 … 1.
    known: f64,
    /// How many it does not know.
    unknown: f64,
    /// Greatest share of the question's words that a record holds, 0 … 1.
    words: f64,
    /// Greatest cosine of the question and a record's window; 0 without vectors.
    meaning: f64,
    /// The best score, whoever said it.
    content: f64,
    /// How much better the best by others is than the best by the person who is asked about; none
    /// if nobody known is, or all or none of it is theirs.
    rival: Option<f64>,
    /// The question names somebody known.
    names_somebody: bool,
    /// Logarithm of one more than the number of words.
    length: f64,
}

impl Signs {
    /// Of the best scores for a question, of whose terms memory knows `known`; none if nothing was
    /// found.
    pub fn of<'a>(
        question: &Question,
        known: usize,
        best: impl IntoIterator<Item = &'a Score>,
    ) -> Option<Self> {
        let (mut theirs, mut others): (Option<f64>, Option<f64>) = (None, None);
        let (mut words, mut meaning) = (0.0_f64, 0.0_f64);
        for score in best.into_iter().take(JUDGED) {
            let (mut who, mut is_theirs) = (0.0, false);
            for part in &score.parts {
                match part.name {
                    "speaker" | "subject" => {
                        who += part.contribution;
                        is_theirs |= part.value > 0.0;
                    }
                    "words" => words = words.max(part.value),
                    "window_meaning" => meaning = meaning.max(part.value),
                    _ => {}
                }
            }
            let side = if is_theirs { &mut theirs } else { &mut others };
            let content = score.total - who;
            *side = Some(side.map_or(content, |best| best.max(content)));
        }
        let content = [theirs, others].into_iter().flatten().reduce(f64::max)?;
        let all = question.terms.len();
        let known = known.min(all);
        Some(Self {
            known: if all == 0 { 0.0 } else { known as f64 / all as f64 },
            unknown: (all - known) as f64,
            words,
            meaning,
            names_somebody: !question.mentions.is_empty(),
            content,
            rival: theirs.zip(others).map(|(theirs, others)| others - theirs),
            length: libm::log(1.0 + all as f64),
        })
    }

    /// What tells whether memory holds anything of the kind; the first is 1.
    pub fn topic(&self) -> [f64; 5] {
        [1.0, self.content, self.meaning, self.words * self.known, self.unknown]
    }

    /// What tells whether it is of the person who is asked about; the first is 1. None if there is
    /// nothing to compare.
    pub fn theirs(&self) -> Option<[f64; 4]> {
        Some([1.0, self.rival?, self.content, self.length])
    }
}

/// The chance that the best record answers, 0 … 1. Without signs nothing was found, and of a
/// question of which memory knows neither a word nor a person, nothing is to be expected: 0.
pub fn relevance(signs: Option<&Signs>) -> f64 {
    let Some(signs) = signs.filter(|signs| signs.known > 0.0 || signs.names_somebody) else {
        return 0.0;
    };
    let theirs = signs.theirs().map_or(1.0, |values| chance(&THEIRS, &values));
    chance(&TOPIC, &signs.topic()) * theirs
}

/// The logistic function of the sum of products.
pub fn chance(coefficients: &[f64], values: &[f64]) -> f64 {
    let sum: f64 =
        coefficients.iter().zip(values).map(|(coefficient, value)| coefficient * value).sum();
    if sum.is_nan() { 0.0 } else { 1.0 / (1.0 + libm::exp(-sum)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::names::Names;
    use crate::rank::{Signals, Weights, fuse};
    use crate::text::{Analyzer, Language};

    fn question(text: &str) -> Question {
        Question::parse(text, &mut Analyzer::new(Language::English), &Names::default(), None)
    }

    fn score(lex: f64, win: f64, speaker: bool) -> Score {
        fuse(
            &Weights::WITH_VECTORS,
            &Signals {
                words: lex,
                session: lex,
                word_meaning: win,
                window_meaning: win,
                speaker,
                ..Signals::default()
            },
        )
    }

    fn judge(known: usize, scores: &[Score]) -> f64 {
        relevance(Signs::of(&question("Which boat was rented yesterday?"), known, scores).as_ref())
    }

    #[test]
    fn what_fits_in_all_its_words_is_believed_and_what_fits_weakly_is_not() {
        let (strong, weak) = (score(0.95, 0.7, false), score(0.2, 0.1, false));
        assert!(judge(3, &[strong, weak]) > 0.8, "{}", judge(3, &[strong, weak]));
        assert!(judge(1, &[weak, weak]) < RELEVANCE_MIN, "{}", judge(1, &[weak, weak]));
        assert!(
            judge(3, &[strong]) > judge(2, &[strong]) && judge(3, &[strong]) > judge(3, &[weak])
        );
    }

    #[test]
    fn what_only_others_said_speaks_against_it() {
        let (said, not_said) = (score(0.95, 0.7, false), score(0.3, 0.1, true));
        let hers = score(0.95, 0.7, true);
        assert!(judge(3, &[hers, said]) > 2.0 * judge(3, &[said, not_said]));
    }

    #[test]
    fn nothing_found_or_nothing_known_is_no_answer_at_all() {
        assert_eq!(judge(3, &[]), 0.0);
        assert_eq!(judge(0, &[score(0.0, 1.0, false)]), 0.0);
        let emoji = Signs::of(&question("🎉🎉"), 0, &[score(0.0, 0.5, false)]);
        assert_eq!(relevance(emoji.as_ref()), 0.0);
    }

    #[test]
    fn chances_are_between_none_and_one_whatever_comes() {
        for sum in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            assert!((0.0..=1.0).contains(&chance(&[1.0], &[sum])));
        }
    }
}
