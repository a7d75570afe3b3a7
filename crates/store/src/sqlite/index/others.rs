//! What a record scores by other than its words and vectors: who says it, when, and how.

use retrieval::question::dates::FIT_MAX;
use retrieval::rank::{Signals, fuse};

use super::attributes::{Attribute, IS_QUESTION, NO_DAY, NO_TIME, NONE, TIMEX};
use super::pass::{Named, Pass};
use crate::Position;

/// The sum of the signals other than those of words and vectors; each is computed once.
pub(super) struct Others {
    /// By [`Self::place`].
    flags: [f32; 128],
    date: f32,
    standing: f32,
}

impl Others {
    pub(super) fn new(pass: &Pass<'_>) -> Self {
        let mut others = Self { flags: [0.0; 128], date: 0.0, standing: 0.0 };
        let asks_when = pass.question.asks_when;
        let total =
            |signals: Signals| fuse(&pass.weights, &Signals { asks_when, ..signals }).total as f32;
        for (place, sum) in others.flags.iter_mut().enumerate() {
            *sum = total(Self::signals(place));
        }
        others.date = total(Signals { date: 1.0, ..Signals::default() });
        others.standing = total(Signals { standing: 1.0, ..Signals::default() });
        others
    }

    fn signals(place: usize) -> Signals {
        let [elsewhere, is_output, asker, speaker, subject, is_question, time_expression] =
            [64, 32, 16, 8, 4, 2, 1].map(|bit| place & bit != 0);
        Signals {
            elsewhere,
            is_output,
            asker,
            speaker,
            subject,
            is_question,
            time_expression,
            ..Signals::default()
        }
    }

    /// The reverse of [`Self::signals`].
    fn place(signals: &Signals) -> usize {
        let Signals {
            elsewhere,
            is_output,
            asker,
            speaker,
            subject,
            is_question,
            time_expression,
            ..
        } = *signals;
        [elsewhere, is_output, asker, speaker, subject, is_question, time_expression]
            .into_iter()
            .fold(0, |place, flag| 2 * place + usize::from(flag))
    }

    pub(super) fn of(&self, signals: &Signals) -> f32 {
        self.flags[Self::place(signals)]
            + self.date * signals.date as f32
            + self.standing * signals.standing as f32
    }
}

/// The flags that are signals. The other flags say which records count.
const SIGNAL_FLAGS: u8 = TIMEX | IS_QUESTION;
const _: () = assert!(SIGNAL_FLAGS == 0b11, "an index of `HighestSums` has these as its low bits");

/// The highest sum of these signals that a document can have, by its marks and flags. Most
/// documents score too low to be looked at further, and this is cheap to look up.
pub(super) struct HighestSums {
    /// By [`Self::place`].
    sums: Vec<f32>,
    /// Of all parts, whether or not one document can have them at once. A record that reaches 0
    /// with it is a candidate while there are few.
    pub(super) of_all: f32,
}

impl HighestSums {
    pub(super) fn new(pass: &Pass<'_>, others: &Others) -> Self {
        let mut sums = Vec::with_capacity(1 << 10);
        for marks in 0..=u8::MAX {
            for flags in 0..=SIGNAL_FLAGS {
                // Without an author and at the best time.
                let unknown = Attribute {
                    position: Position(0),
                    previous: NONE,
                    author: NONE,
                    day: NO_DAY,
                    at_us: NO_TIME,
                    kind: 0,
                    marks,
                    flags,
                };
                let asks_of_a_time = pass.question.asks_of_a_time();
                let date = if asks_of_a_time && others.date > 0.0 { FIT_MAX } else { 0.0 };
                let known = pass.signals(&unknown, 0, &Named::NOBODY, date, true);
                sums.push(Self::highest_of(pass, others, &known));
            }
        }
        Self { sums, of_all: pass.highest_parts() as f32 }
    }

    /// The highest sum with what marks and flags do not tell.
    fn highest_of(pass: &Pass<'_>, others: &Others, known: &Signals) -> f32 {
        let either = |possible: bool| if possible { &[false, true][..] } else { &[false] };
        let mut highest = f32::NEG_INFINITY;
        for &speaker in either(pass.speaker.is_some()) {
            for &subject in either(pass.subject.is_some()) {
                for &elsewhere in either(pass.conversations.is_some()) {
                    for &asker in either(known.asker) {
                        let signals = Signals { speaker, subject, elsewhere, asker, ..*known };
                        highest = highest.max(others.of(&signals));
                    }
                }
            }
        }
        highest
    }

    fn place(marks: u8, flags: u8) -> usize {
        usize::from(marks) << 2 | usize::from(flags & SIGNAL_FLAGS)
    }

    pub(super) fn of(&self, attribute: &Attribute) -> f32 {
        self.sums.get(Self::place(attribute.marks, attribute.flags)).copied().unwrap_or(self.of_all)
    }
}
