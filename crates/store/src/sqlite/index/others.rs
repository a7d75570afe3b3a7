//! What a record scores by other than its words and vectors: who says it, when, and how.

use retrieval::rank::{Signals, fuse};

use super::pass::Pass;

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
