//! Scoring of a record for a question: a sum of calibrated parts, which also explain the score.
//!
//! The index gathers [`Signals`] of a candidate; [`fuse`] adds them up. The sum that ranks and the
//! parts that `--explain` shows come from the same loop, so they cannot differ. The parts are
//! absolute (0 … about 1.5), not ranks: a record that no part supports scores near zero, which lets
//! recall say "I don't know". Formula, weights and measurements: the design of recall ("Fusion").

pub mod answering;
pub mod lexical;
pub mod meaning;
pub mod nearness;
pub mod relevance;
pub mod sketch;

use serde::{Deserialize, Serialize};

/// The signals of a candidate, before weighting. A signal that does not apply is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// Weighted share of the question's words in the record and the two before it, 0 … 1:
    /// [`lexical::lex`].
    pub words: f64,
    /// BM25 of the passage alone, 0 … 1, or 0 … 2 if it is not a turn: [`lexical::own`],
    /// [`lexical::OWN_WITHOUT_CONTEXT`].
    pub own_words: f64,
    /// BM25 of the passage alone where `asker` applies: such records are short and say a fact once.
    /// Otherwise 0.
    pub asker_words: f64,
    /// The session as a document, 0 … 1: [`lexical::session`].
    pub session: f64,
    /// Cosine of the question and the record's window ([`meaning`]), −1 … 1; 0 without vectors.
    pub window_meaning: f64,
    /// Cosine of the question and the record alone by a model other than the built-in table, on the
    /// scale of [`meaning::Scale`], −1 … 1; 0 without such a model.
    pub own_meaning: f64,
    /// Similarity of the record and the two before it to each of the question's words, 0 … 1:
    /// [`meaning::near`].
    pub word_meaning: f64,
    /// Cosine of the question and the next record in the session, −1 … 1; 0 without one.
    pub next_meaning: f64,
    /// The record is by the one known person that the question names, or involves them if it has no
    /// author.
    pub speaker: bool,
    /// The question names several known people, and the record is by the subject.
    pub subject: bool,
    /// The record is a turn of a conversation in which the one person that the question names, or
    /// the subject, does not speak, and it does not name them.
    pub elsewhere: bool,
    /// The question is in the first person, and the record is what the person said to a program or,
    /// beside such records, their note, event or task; or the question asks what the program said,
    /// and the record is that.
    pub asker: bool,
    /// The passage says how later questions are to be answered: 1 for an instruction, less for a
    /// preference, and half more if it has a word of the question.
    pub standing: f64,
    /// Fit of the record's date to the times that the question names, 0 … 1.5:
    /// [`crate::question::dates::date_fit`].
    pub date: f64,
    /// The record ends as a question.
    pub is_question: bool,
    /// The record is what a tool of an agent printed.
    pub is_output: bool,
    /// The record holds a time expression.
    pub time_expression: bool,
    /// The question asks when. Counts together with `time_expression`.
    pub asks_when: bool,
    /// Weighted share of the classes whose members a question for a list looks for that have a
    /// member in the passage, 0 … 1.
    pub classes: f64,
    /// How far the record tells what a question asks to know of a person, 0 … 1
    /// ([`crate::profile`]).
    pub profile: f64,
}

/// The weight of each part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // Each is the weight of the signal with the same name.
pub struct Weights {
    pub words: f64,
    pub own_words: f64,
    pub asker_words: f64,
    pub session: f64,
    pub window_meaning: f64,
    pub own_meaning: f64,
    pub word_meaning: f64,
    pub next_meaning: f64,
    pub speaker: f64,
    pub subject: f64,
    pub elsewhere: f64,
    pub asker: f64,
    pub standing: f64,
    pub date: f64,
    pub is_question: f64,
    pub is_output: f64,
    pub time_expression: f64,
    pub when: f64,
    pub classes: f64,
    /// How far the record tells what a question asks to know of a person.
    pub profile: f64,
}

impl Weights {
    /// With the built-in table. Fitted like [`Self::LEXICAL`]: see there.
    pub const WITH_VECTORS: Self = Self {
        words: 0.80,
        own_words: 0.36,
        asker_words: 0.70,
        session: 1.25,
        window_meaning: 1.80,
        own_meaning: 0.0,
        word_meaning: 2.00,
        next_meaning: 0.45,
        speaker: 1.10,
        subject: 0.65,
        elsewhere: -1.10,
        asker: 1.50,
        standing: 0.88,
        date: 1.65,
        is_question: -0.30,
        is_output: -0.80,
        time_expression: 0.16,
        when: 0.72,
        classes: 0.85,
        profile: 2.0,
    };

    /// With the vectors of another model, whose cosines are on the scale of [`meaning::Scale`]: see
    /// `docs/design/0020-windows-that-look-ahead.md`. Fitted like [`Self::LEXICAL`], then
    /// multiplied by 1.2, which changes no ranking, so that scores are about as high as
    /// [`relevance`] expects.
    pub const WITH_MODEL: Self = Self {
        words: 1.2,
        own_words: 0.35,
        asker_words: 0.85,
        session: 0.95,
        window_meaning: 1.60,
        own_meaning: 0.60,
        word_meaning: 1.25,
        next_meaning: 0.20,
        speaker: 1.00,
        subject: 0.55,
        elsewhere: -0.70,
        asker: 1.80,
        standing: 1.00,
        date: 1.20,
        is_question: -0.30,
        is_output: -0.80,
        time_expression: 0.20,
        when: 0.60,
        classes: 0.60,
        profile: 2.0,
    };

    /// Without vectors: by request, or for a question of which the table knows no words. Fitted on
    /// the same four conversations by the softmax of the gold turns among all, then rounded;
    /// weights fitted on three of them and measured on the fourth lose no recall at 10 and 0.4 of
    /// nDCG at 10. The session counts less than that fit says, because notes in other languages
    /// want less of it.
    pub const LEXICAL: Self = Self {
        words: 1.0,
        own_words: 0.50,
        asker_words: 0.0,
        session: 0.70,
        window_meaning: 0.0,
        own_meaning: 0.0,
        word_meaning: 0.0,
        next_meaning: 0.0,
        speaker: 0.65,
        subject: 0.35,
        elsewhere: -0.45,
        asker: 0.80,
        standing: 0.50,
        date: 0.85,
        is_question: -0.10,
        is_output: -0.30,
        time_expression: 0.05,
        when: 0.40,
        classes: 0.30,
        profile: 2.0,
    };

    /// For beliefs, which have no session and no author: words, people and dates as without
    /// vectors, plus meaning.
    pub const FACTS: Self = Self {
        words: 1.33,
        own_words: 0.0,
        asker_words: 0.0,
        window_meaning: 1.0,
        word_meaning: 1.0,
        elsewhere: 0.0,
        asker: 0.0,
        standing: 0.0,
        classes: 0.0,
        profile: 0.0,
        ..Self::LEXICAL
    };

    /// For beliefs with vectors of another model: the weights of meaning are those of records with
    /// such a model, [`Self::WITH_MODEL`].
    pub const FACTS_WITH_MODEL: Self = Self {
        window_meaning: Self::WITH_MODEL.window_meaning,
        own_meaning: Self::WITH_MODEL.own_meaning,
        word_meaning: Self::WITH_MODEL.word_meaning,
        ..Self::FACTS
    };

    /// The same for a question without a vector: the other parts would weigh too much beside its
    /// words. Each part changes as [`Self::WITH_VECTORS`] does to
    /// [`Self::LEXICAL`], so that one that was changed or left out stays so.
    #[must_use]
    pub fn without_meaning(&self) -> Self {
        let (of, to) = (Self::WITH_VECTORS, Self::LEXICAL);
        let meaning = [self.window_meaning, self.own_meaning, self.word_meaning, self.next_meaning];
        if meaning == [0.0; 4] {
            return *self;
        }
        let in_proportion = |own: f64, of: f64, to: f64| if own == of { to } else { own * to / of };
        Self {
            words: in_proportion(self.words, of.words, to.words),
            own_words: in_proportion(self.own_words, of.own_words, to.own_words),
            asker_words: in_proportion(self.asker_words, of.asker_words, to.asker_words),
            session: in_proportion(self.session, of.session, to.session),
            window_meaning: 0.0,
            own_meaning: 0.0,
            word_meaning: 0.0,
            next_meaning: 0.0,
            speaker: in_proportion(self.speaker, of.speaker, to.speaker),
            subject: in_proportion(self.subject, of.subject, to.subject),
            elsewhere: in_proportion(self.elsewhere, of.elsewhere, to.elsewhere),
            asker: in_proportion(self.asker, of.asker, to.asker),
            standing: in_proportion(self.standing, of.standing, to.standing),
            date: in_proportion(self.date, of.date, to.date),
            is_question: in_proportion(self.is_question, of.is_question, to.is_question),
            is_output: in_proportion(self.is_output, of.is_output, to.is_output),
            time_expression: in_proportion(
                self.time_expression,
                of.time_expression,
                to.time_expression,
            ),
            when: in_proportion(self.when, of.when, to.when),
            classes: in_proportion(self.classes, of.classes, to.classes),
            profile: in_proportion(self.profile, of.profile, to.profile),
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::WITH_VECTORS
    }
}

/// Number of parts of a score.
pub const PARTS: usize = 20;

/// One addend of a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The signal's name, as in [`Weights`].
    pub name: &'static str,
    /// The signal.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// Value × weight.
    pub contribution: f64,
}

/// A score and its parts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The sum of the contributions. Never NaN.
    pub total: f64,
    /// All parts, including those that contribute nothing, in the order of [`Weights`].
    pub parts: [Part; PARTS],
}

impl Score {
    /// Whether meaning counts in it. Without, scores have another scale.
    pub fn counts_meaning(&self) -> bool {
        self.parts.iter().any(|part| part.name.ends_with("_meaning") && part.weight != 0.0)
    }

    /// The same, of a record that tells so far what the question asks to know of a person.
    #[must_use]
    pub fn with_profile(mut self, fit: f64) -> Self {
        for own in self.parts.iter_mut().filter(|part| part.name == "profile") {
            *own = part(own.name, fit, own.weight);
        }
        self.total = self.parts.iter().map(|part| part.contribution).sum();
        self
    }

    /// How far the record tells what the question asks to know of a person, 0 … 1.
    pub fn profile(&self) -> f64 {
        let own = self.parts.iter().find(|part| part.name == "profile");
        own.map_or(0.0, |part| part.value)
    }
}

/// The score of a candidate. Signals or weights that are not finite count as 0.
///
/// ```
/// use retrieval::rank::{Signals, Weights, fuse};
///
/// let score = fuse(&Weights::LEXICAL, &Signals { words: 0.5, speaker: true, ..Signals::default() });
/// assert_eq!(score.total, 0.5 + 0.65);
/// assert_eq!(score.parts[8].name, "speaker");
/// ```
pub fn fuse(weights: &Weights, signals: &Signals) -> Score {
    let flag = |flag: bool| f64::from(u8::from(flag));
    let parts = [
        part("words", signals.words, weights.words),
        part("own_words", signals.own_words, weights.own_words),
        part("asker_words", signals.asker_words, weights.asker_words),
        part("session", signals.session, weights.session),
        part("window_meaning", signals.window_meaning, weights.window_meaning),
        part("own_meaning", signals.own_meaning, weights.own_meaning),
        part("word_meaning", signals.word_meaning, weights.word_meaning),
        part("next_meaning", signals.next_meaning, weights.next_meaning),
        part("speaker", flag(signals.speaker), weights.speaker),
        part("subject", flag(signals.subject), weights.subject),
        part("elsewhere", flag(signals.elsewhere), weights.elsewhere),
        part("asker", flag(signals.asker), weights.asker),
        part("standing", signals.standing, weights.standing),
        part("date", signals.date, weights.date),
        part("is_question", flag(signals.is_question), weights.is_question),
        part("is_output", flag(signals.is_output), weights.is_output),
        part("time_expression", flag(signals.time_expression), weights.time_expression),
        part("when", flag(signals.time_expression && signals.asks_when), weights.when),
        part("classes", signals.classes, weights.classes),
        part("profile", signals.profile, weights.profile),
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
    fn a_score_is_the_sum_of_its_parts() {
        let signals = Signals {
            words: 0.5,
            own_words: 0.2,
            asker_words: 0.0,
            session: 0.4,
            window_meaning: 0.3,
            own_meaning: 0.0,
            word_meaning: 0.1,
            next_meaning: -0.1,
            speaker: true,
            subject: false,
            elsewhere: true,
            asker: false,
            standing: 0.0,
            date: 1.5,
            is_question: true,
            is_output: true,
            time_expression: true,
            asks_when: true,
            classes: 0.5,
            profile: 0.0,
        };
        let score = fuse(&Weights::WITH_VECTORS, &signals);
        let by_hand = 0.8 * 0.5 + 0.36 * 0.2 + 1.25 * 0.4 + 1.8 * 0.3 + 2.0 * 0.1 - 0.45 * 0.1
            + 1.1
            + 1.65 * 1.5
            - 1.1
            - 0.3
            - 0.8
            + 0.16
            + 0.72
            + 0.85 * 0.5;
        assert!((score.total - by_hand).abs() < 1e-12, "{}", score.total);
        let shown: f64 = score.parts.iter().map(|part| part.contribution).sum();
        assert_eq!(score.total, shown);
    }

    #[test]
    fn without_meaning_the_parts_weigh_as_without_vectors() {
        assert_eq!(Weights::WITH_VECTORS.without_meaning(), Weights::LEXICAL);
        assert_eq!(Weights::LEXICAL.without_meaning(), Weights::LEXICAL);
        let without_date = Weights { date: 0.0, ..Weights::WITH_VECTORS }.without_meaning();
        assert_eq!(without_date, Weights { date: 0.0, ..Weights::LEXICAL });
        let counts = |weights| fuse(weights, &Signals::default()).counts_meaning();
        assert!(counts(&Weights::WITH_VECTORS) && !counts(&Weights::LEXICAL));
    }

    #[test]
    fn asking_when_counts_only_for_records_with_a_time_expression() {
        let signals = Signals { asks_when: true, ..Signals::default() };
        assert_eq!(fuse(&Weights::LEXICAL, &signals).total, 0.0);
    }

    #[test]
    fn values_that_are_not_finite_count_as_zero() {
        let signals =
            Signals { words: f64::NAN, session: f64::INFINITY, date: 1.0, ..Signals::default() };
        let score = fuse(&Weights { window_meaning: f64::NAN, ..Weights::LEXICAL }, &signals);
        assert_eq!(score.total, Weights::LEXICAL.date);
    }
}
