//! Whether any of the results answers the question: recall that cannot say "I don't know" will
//! mislead.
//!
//! The best record of a ranking can be wrong in two ways. The memory may have nothing on the topic:
//! then some words of the question are unknown, and the others match weakly. Or it has the answer
//! for somebody else: "What did Ada sing?" when Ben sang. Then the best record by content scores
//! far higher than the best by the person in question. Each case has its probability model on a few
//! [`RankingFeatures`], and the probability that the best record answers is their product.
//!
//! The models were trained on the four development conversations of LoCoMo, with and without
//! speakers and dates, against questions without an answer and questions about other conversations,
//! by `because eval locomo FILE --abstention`. It prints these constants and the cross-validated
//! performance of models trained without the conversation that they judge (`docs/benchmarks.md`).
//! They are valid for recall's default weights.

use super::Score;
use crate::question::Question;

/// How many of the best records are considered.
pub const JUDGED: usize = 30;
/// Recall abstains below this probability: 1 to 2 in 100 of the LoCoMo questions that the memory
/// can answer are below it. Small memories of notes know fewer of a question's words, so more of
/// their questions would be; hence the limit is not higher.
pub const RELEVANCE_MIN: f64 = 0.12;

/// Coefficients of [`RankingFeatures::topic`].
const TOPIC: [f64; 5] = [-2.65, 1.14, 1.05, 2.03, -1.15];
/// Coefficients of [`RankingFeatures::person`].
const PERSON: [f64; 4] = [0.81, -3.21, 0.26, -0.62];

/// Features of a whole ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankingFeatures {
    /// Share of the question's words that the memory knows, 0 … 1.
    known: f64,
    /// Number of words that it does not know.
    unknown: f64,
    /// Largest share of the question's words in a record, 0 … 1.
    words: f64,
    /// Largest cosine of the question and a record's window; 0 without vectors.
    meaning: f64,
    /// The best score without the parts for people.
    content: f64,
    /// Difference between the best score by others and the best by the person in question; `None`
    /// if the question names no known person, or if all or none of the records are theirs.
    rival: Option<f64>,
    /// The question names somebody known.
    names_somebody: bool,
    /// The question asks for days, and there is a record of one of them.
    has_its_days: bool,
    /// ln(1 + number of words).
    length: f64,
}

impl RankingFeatures {
    /// From the best scores for a question with `known` terms in the index; `None` if there are no
    /// scores.
    pub fn of<'a>(
        question: &Question,
        known: usize,
        best: impl IntoIterator<Item = &'a Score>,
    ) -> Option<Self> {
        let (mut theirs, mut others): (Option<f64>, Option<f64>) = (None, None);
        let (mut words, mut meaning, mut date) = (0.0_f64, 0.0_f64, 0.0_f64);
        for score in best.into_iter().take(JUDGED) {
            let (mut not_content, mut is_theirs) = (0.0, false);
            for part in &score.parts {
                match part.name {
                    "speaker" | "subject" => {
                        not_content += part.contribution;
                        is_theirs |= part.value > 0.0;
                    }
                    // The models were trained without these parts.
                    "own_words" | "asker" | "standing" => not_content += part.contribution,
                    "words" => words = words.max(part.value),
                    "window_meaning" => meaning = meaning.max(part.value),
                    "date" => date = date.max(part.value),
                    _ => {}
                }
            }
            let side = if is_theirs { &mut theirs } else { &mut others };
            let content = score.total - not_content;
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
            has_its_days: question.asks_for_days && date >= question.fit_of_its_days(),
            content,
            rival: theirs.zip(others).map(|(theirs, others)| others - theirs),
            length: libm::log(1.0 + all as f64),
        })
    }

    /// The features of the topic model; the first is the constant 1.
    pub fn topic(&self) -> [f64; 5] {
        [1.0, self.content, self.meaning, self.words * self.known, self.unknown]
    }

    /// The features of the person model; the first is the constant 1. `None` if there is nothing to
    /// compare.
    pub fn person(&self) -> Option<[f64; 4]> {
        Some([1.0, self.rival?, self.content, self.length])
    }
}

/// The probability that the best record answers, 0 … 1. It is 0 without features, and for a
/// question without a known word or person, unless it asks for days of which there are records.
pub fn relevance(features: Option<&RankingFeatures>) -> f64 {
    let Some(features) =
        features.filter(|with| with.known > 0.0 || with.names_somebody || with.has_its_days)
    else {
        return 0.0;
    };
    let theirs = features.person().map_or(1.0, |values| probability(&PERSON, &values));
    probability(&TOPIC, &features.topic()) * theirs
}

/// The logistic function of the dot product.
pub fn probability(coefficients: &[f64], values: &[f64]) -> f64 {
    let sum: f64 =
        coefficients.iter().zip(values).map(|(coefficient, value)| coefficient * value).sum();
    if sum.is_nan() { 0.0 } else { 1.0 / (1.0 + libm::exp(-sum)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::names::Names;
    use crate::rank::{Signals, Weights, fuse};
    use crate::text::{Analyzer, Language, Languages};

    #[test]
    fn a_question_for_days_is_answered_by_a_record_of_one_of_them_and_by_no_other() {
        let today = Some(jiff::civil::date(2024, 3, 13));
        let question = |text: &str| {
            Question::parse(
                text,
                &mut Analyzer::new(Language::English),
                &Names::default(),
                Languages::NONE,
                today,
            )
        };
        let chance = |text: &str, date: f64| {
            let signals = Signals { date, ..Signals::default() };
            let best = [fuse(&Weights::WITH_VECTORS, &signals)];
            relevance(RankingFeatures::of(&question(text), 0, &best).as_ref())
        };
        assert!(chance("What did we talk about on 11 December?", 1.5) > RELEVANCE_MIN);
        assert_eq!(chance("What did we talk about on 11 December?", 1.4), 0.0);
        assert!(chance("What did we talk about last month?", 1.0) > RELEVANCE_MIN);
        assert_eq!(chance("What did we talk about last month?", 0.4), 0.0);
        assert_eq!(chance("What did we say about kilns on 11 December?", 1.5), 0.0);
    }

    fn question(text: &str) -> Question {
        Question::parse(
            text,
            &mut Analyzer::new(Language::English),
            &Names::default(),
            Languages::NONE,
            None,
        )
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

    fn judged_relevance(known: usize, scores: &[Score]) -> f64 {
        relevance(
            RankingFeatures::of(&question("Which boat was rented yesterday?"), known, scores)
                .as_ref(),
        )
    }

    #[test]
    fn strong_matches_are_relevant_and_weak_ones_are_not() {
        let (strong, weak) = (score(0.95, 0.7, false), score(0.2, 0.1, false));
        assert!(
            judged_relevance(3, &[strong, weak]) > 0.8,
            "{}",
            judged_relevance(3, &[strong, weak])
        );
        assert!(
            judged_relevance(1, &[weak, weak]) < RELEVANCE_MIN,
            "{}",
            judged_relevance(1, &[weak, weak])
        );
        assert!(
            judged_relevance(3, &[strong]) > judged_relevance(2, &[strong])
                && judged_relevance(3, &[strong]) > judged_relevance(3, &[weak])
        );
    }

    #[test]
    fn matches_by_other_people_lower_the_relevance() {
        let (by_other, by_person) = (score(0.95, 0.7, false), score(0.3, 0.1, true));
        let hers = score(0.95, 0.7, true);
        assert!(
            judged_relevance(3, &[hers, by_other])
                > 2.0 * judged_relevance(3, &[by_other, by_person])
        );
    }

    #[test]
    fn the_relevance_is_zero_without_results_or_known_words() {
        assert_eq!(judged_relevance(3, &[]), 0.0);
        assert_eq!(judged_relevance(0, &[score(0.0, 1.0, false)]), 0.0);
        let emoji = RankingFeatures::of(&question("🎉🎉"), 0, &[score(0.0, 0.5, false)]);
        assert_eq!(relevance(emoji.as_ref()), 0.0);
    }

    #[test]
    fn probabilities_are_between_zero_and_one_for_any_input() {
        for sum in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            assert!((0.0..=1.0).contains(&probability(&[1.0], &[sum])));
        }
    }
}
