//! Which records are worth a full score when there are too many to score all.
//!
//! Two lists: the best records by what their own row tells (words, who, when), and all records of the best sessions
//! by words and date, for what has no word in common with its question. Measured without vectors, four conversations
//! of 2 080 turns in one index: the best 100 and 4 sessions lose 0.1 of recall at 10 and 0.3 at 25, the 200 and 8
//! below lose nothing at either and 0.8 at 50; the best 200 by `lex` alone lose 1.5 and 3.2.

use super::{Signals, Weights, fuse};

/// How many of the best records by [`record_order`] are scored in full.
pub const RECORDS: usize = 200;

/// Of how many of the best sessions by [`session_order`] the records are scored in full.
pub const SESSIONS: usize = 8;

/// Most records that one session may add; of a longer one those with the best [`record_order`].
pub const RECORDS_PER_SESSION_MAX: usize = 512;

/// What orders the records: the score without the session. `None` for a record that shares no word with the question,
/// not even through the records before it.
pub fn record_order(weights: &Weights, signals: &Signals) -> Option<f64> {
    let signals = Signals { sess: 0.0, win: 0.0, sent: 0.0, ..*signals };
    (signals.lex > 0.0).then(|| fuse(weights, &signals).total)
}

/// What orders the sessions: words and date. `None` for a session that neither speaks for.
pub fn session_order(weights: &Weights, sess: f64, date: f64) -> Option<f64> {
    let total = fuse(weights, &Signals { sess, date, ..Signals::default() }).total;
    (total > 0.0).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_without_a_word_in_common_come_only_through_their_session() {
        let weights = Weights::LEXICAL;
        let dated = Signals { date: 1.5, speaker: true, ..Signals::default() };
        assert_eq!(record_order(&weights, &dated), None);
        assert!(session_order(&weights, 0.0, 1.5).is_some() && session_order(&weights, 0.0, 0.0).is_none());
        let worded = Signals { lex: 0.5, sess: 1.0, ..dated };
        assert_eq!(record_order(&weights, &worded), Some(fuse(&weights, &Signals { sess: 0.0, ..worded }).total));
    }
}
