//! How well a record answers a question: one sum of calibrated parts, each kept as its own explanation.
//!
//! The index gathers [`Signals`] of a candidate; [`fuse`] adds them up. The sum that ranks and the parts that
//! `--explain` shows come from the same loop, so they cannot differ. The parts are absolute (0 … about 1.5), not
//! ranks: what no part speaks for scores near nothing, which is how recall can say "I don't know". Formula, weights
//! and what was measured: the design of recall ("Fusion").

pub mod lexical;
pub mod meaning;
pub mod relevance;

use serde::{Deserialize, Serialize};

/// What is known of a candidate, before weighting. A part that does not apply is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// Share of the question's words that the record and the two before it hold, by weight of the words, 0 … 1:
    /// [`lexical::lex`].
    pub lex: f64,
    /// The same of the record alone, without those before it, 0 … 1: [`lexical::own`].
    pub own: f64,
    /// The session as a document, 0 … 1: [`lexical::session`].
    pub sess: f64,
    /// Cosine of the question and the record's window ([`meaning`]), −1 … 1; 0 without vectors.
    pub win: f64,
    /// Cosine of the question and the record alone by a model other than the built-in table, on the scale of
    /// [`meaning::Scale`], −1 … 1; 0 without such a model.
    pub text: f64,
    /// How near the record and the two before it come to each of the question's words, 0 … 1: [`meaning::near`].
    pub near: f64,
    /// Cosine of the question and the record that follows in the session, −1 … 1: 0 without one.
    pub after: f64,
    /// The record is by the one known person that the question names; for a record without author: it involves them.
    pub speaker: bool,
    /// The question names several known people, and the record is by the one who acts.
    pub subject: bool,
    /// Fit of the record's date to the times that the question names, 0 … 1.5:
    /// [`crate::question::dates::date_fit`].
    pub date: f64,
    /// The record ends as a question.
    pub is_question: bool,
    /// The record holds a time expression.
    pub timex: bool,
    /// The question asks when. Counts together with `timex`.
    pub asks_when: bool,
}

/// How much each part counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // Each is the weight of the signal of its name.
pub struct Weights {
    pub lex: f64,
    pub own: f64,
    pub sess: f64,
    pub win: f64,
    pub text: f64,
    pub near: f64,
    pub after: f64,
    pub speaker: f64,
    pub subject: f64,
    pub date: f64,
    pub is_question: f64,
    pub timex: f64,
    pub when: f64,
}

impl Weights {
    /// With the built-in table. Fitted like [`Self::LEXICAL`]: see there.
    pub const WITH_VECTORS: Self = Self {
        lex: 1.0,
        own: 0.0,
        sess: 1.25,
        win: 1.80,
        text: 0.0,
        near: 2.00,
        after: 0.45,
        speaker: 1.00,
        subject: 0.65,
        date: 1.65,
        is_question: -0.30,
        timex: 0.18,
        when: 0.65,
    };

    /// With the vectors of another model, whose cosines are on the scale of [`meaning::Scale`]: see
    /// `docs/design/0020-windows-that-look-ahead.md`. Fitted like [`Self::LEXICAL`], then multiplied by 1.2, which changes no ranking:
    /// so scores are about as high as [`relevance`] takes them to be.
    pub const WITH_MODEL: Self = Self {
        lex: 1.2,
        own: 0.0,
        sess: 0.95,
        win: 1.60,
        text: 0.60,
        near: 1.25,
        after: 0.20,
        speaker: 1.00,
        subject: 0.55,
        date: 1.20,
        is_question: -0.30,
        timex: 0.20,
        when: 0.60,
    };

    /// Without vectors. Fitted on the same four conversations by the softmax of the gold turns among all, then rounded;
    /// weights fitted on three of them and measured on the fourth lose no recall at 10 and 0.4 of nDCG at 10.
    pub const LEXICAL: Self = Self {
        lex: 1.0,
        own: 0.30,
        sess: 0.85,
        win: 0.0,
        text: 0.0,
        near: 0.0,
        after: 0.0,
        speaker: 0.65,
        subject: 0.35,
        date: 0.85,
        is_question: -0.10,
        timex: 0.05,
        when: 0.40,
    };

    /// What is believed, which has no session and no author: words, people and dates as without vectors, and the meaning.
    pub const FACTS: Self = Self { win: 1.0, near: 1.0, ..Self::LEXICAL };
}

impl Default for Weights {
    fn default() -> Self {
        Self::WITH_VECTORS
    }
}

/// Number of parts of a score.
pub const PARTS: usize = 13;

/// One addend of a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Which signal, as the weights name it.
    pub name: &'static str,
    /// The signal.
    pub value: f64,
    /// What it is multiplied with.
    pub weight: f64,
    /// Value × weight.
    pub contribution: f64,
}

/// A score and what it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The sum of the contributions. Never NaN.
    pub total: f64,
    /// Every part, also those that contribute nothing, in the order of [`Weights`].
    pub parts: [Part; PARTS],
}

/// The score of a candidate. Signals or weights that are not finite count as 0.
///
/// ```
/// use retrieval::rank::{Signals, Weights, fuse};
///
/// let score = fuse(&Weights::LEXICAL, &Signals { lex: 0.5, speaker: true, ..Signals::default() });
/// assert_eq!(score.total, 0.5 + 0.65);
/// assert_eq!(score.parts[7].name, "speaker");
/// ```
pub fn fuse(weights: &Weights, signals: &Signals) -> Score {
    let flag = |flag: bool| f64::from(u8::from(flag));
    let parts = [
        part("lex", signals.lex, weights.lex),
        part("own", signals.own, weights.own),
        part("sess", signals.sess, weights.sess),
        part("win", signals.win, weights.win),
        part("text", signals.text, weights.text),
        part("near", signals.near, weights.near),
        part("after", signals.after, weights.after),
        part("speaker", flag(signals.speaker), weights.speaker),
        part("subject", flag(signals.subject), weights.subject),
        part("date", signals.date, weights.date),
        part("is_question", flag(signals.is_question), weights.is_question),
        part("timex", flag(signals.timex), weights.timex),
        part("when", flag(signals.timex && signals.asks_when), weights.when),
    ];
    Score { total: parts.iter().map(|part| part.contribution).sum(), parts }
}

fn part(name: &'static str, value: f64, weight: f64) -> Part {
    let finite = |number: f64| if number.is_finite() { number } else { 0.0 };
    let (value, weight) = (finite(value), finite(weight));
    Part { name, value, weight, contribution: value * weight }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_sum_that_its_parts_show() {
        let signals = Signals {
            lex: 0.5,
            own: 0.2,
            sess: 0.4,
            win: 0.3,
            text: 0.0,
            near: 0.1,
            after: -0.1,
            speaker: true,
            subject: false,
            date: 1.5,
            is_question: true,
            timex: true,
            asks_when: true,
        };
        let score = fuse(&Weights::WITH_VECTORS, &signals);
        let by_hand = 0.5 + 1.25 * 0.4 + 1.8 * 0.3 + 2.0 * 0.1 - 0.45 * 0.1 + 1.0 + 1.65 * 1.5 - 0.3 + 0.18 + 0.65;
        assert!((score.total - by_hand).abs() < 1e-12, "{}", score.total);
        let shown: f64 = score.parts.iter().map(|part| part.contribution).sum();
        assert_eq!(score.total, shown);
    }

    #[test]
    fn asking_when_counts_only_for_records_that_say_when() {
        let signals = Signals { asks_when: true, ..Signals::default() };
        assert_eq!(fuse(&Weights::LEXICAL, &signals).total, 0.0);
    }

    #[test]
    fn what_is_not_finite_counts_as_nothing() {
        let signals = Signals { lex: f64::NAN, sess: f64::INFINITY, date: 1.0, ..Signals::default() };
        let score = fuse(&Weights { win: f64::NAN, ..Weights::LEXICAL }, &signals);
        assert_eq!(score.total, Weights::LEXICAL.date);
    }
}
