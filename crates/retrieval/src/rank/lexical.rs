//! Lexical similarity: of a passage with the two before it, and of its session as a whole.
//!
//! A turn of a conversation depends on the turns before it: "Yes, last June!" answers the question
//! before it. So a term counts in full in its own passage, 0.8 in the next one of the conversation
//! and 0.2 in the one after that. A short piece of a longer text depends a little on the piece
//! before it, whose terms count 0.2. Context only looks back, so appending never changes what is
//! indexed. That sum is not normalised by length, and one occurrence of a term counts nearly as
//! much as many; long texts are cut into passages first. BM25 of the passage alone is a part of its
//! own. Numbers: the design of recall ("Text").

/// Weight of a term in the previous record.
pub const PREVIOUS_WEIGHT: f64 = 0.8;
/// Weight of a term in the record before that.
pub const BEFORE_PREVIOUS_WEIGHT: f64 = 0.2;
/// Terms of a piece of a text that inherits words of the piece before it: a longer one says itself
/// what it is about.
pub const PIECE_LENGTH_MAX: u32 = 60;
/// The term frequency at which a term's weight reaches half of its maximum.
pub const SATURATION: f64 = 0.1;
/// BM25's k1 for passages.
pub const OWN_K1: f64 = 0.9;
/// BM25's b for passages.
pub const OWN_B: f64 = 0.5;
/// How much more BM25 counts of a passage that is not a turn: no turn before it says what it is
/// about, so its own words must.
pub const OWN_WITHOUT_CONTEXT: f64 = 2.0;
/// BM25's k1 for sessions.
pub const SESSION_K1: f64 = 1.2;
/// BM25's b for sessions.
pub const SESSION_B: f64 = 0.5;

/// How often a term occurs in a record and in the two before it in its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// In the record itself.
    pub own: u32,
    /// In the record before it.
    pub previous: u32,
    /// In the one before that.
    pub before_previous: u32,
}

/// The weight of a term in `with_term` of `all` documents: Robertson's idf in the form that is
/// never negative, ln(1 + (N − n + ½) / (n + ½)).
pub fn idf(all: u64, with_term: u64) -> f64 {
    let with_term = with_term.min(all) as f64;
    libm::log(1.0 + (all as f64 - with_term + 0.5) / (with_term + 0.5))
}

/// How much a term counts in a record, 0 … 1 (exclusive): tf′ / (tf′ + [`SATURATION`]).
pub fn term_strength(counts: TermCounts) -> f64 {
    let frequency = f64::from(counts.own)
        + PREVIOUS_WEIGHT * f64::from(counts.previous)
        + BEFORE_PREVIOUS_WEIGHT * f64::from(counts.before_previous);
    frequency / (frequency + SATURATION)
}

/// Share of the question's weight in a record, 0 … 1: Σ idf · strength ÷ `idf_sum`, over the
/// question's terms as (idf, counts in the record). 0 if no term is in the index.
pub fn lex(terms: impl IntoIterator<Item = (f64, TermCounts)>, idf_sum: f64) -> f64 {
    share(terms.into_iter().map(|(idf, counts)| idf * term_strength(counts)).sum(), idf_sum)
}

/// BM25 of a term in a passage without its idf, 0 … 1: `count` in the passage, whose `length` is
/// relative to the `average_length` of all.
pub fn own_strength(count: u32, length: u64, average_length: f64) -> f64 {
    let relative = if average_length > 0.0 { length as f64 / average_length } else { 1.0 };
    let count = f64::from(count);
    count / (count + OWN_K1 * (1.0 - OWN_B + OWN_B * relative)).max(f64::MIN_POSITIVE)
}

/// Share of the question's weight in the passage alone, 0 … 1, over the question's terms as (idf,
/// [`own_strength`]).
pub fn own(terms: impl IntoIterator<Item = (f64, f64)>, idf_sum: f64) -> f64 {
    share(terms.into_iter().map(|(idf, strength)| idf * strength).sum(), idf_sum)
}

/// BM25 of a term in a session without its idf, 0 … 2.2: `count` in the session, the session's
/// `length` relative to the `average_length` of all.
pub fn session_strength(count: u32, length: u64, average_length: f64) -> f64 {
    let relative = if average_length > 0.0 { length as f64 / average_length } else { 1.0 };
    let count = f64::from(count);
    if count == 0.0 {
        return 0.0;
    }
    count * (SESSION_K1 + 1.0) / (count + SESSION_K1 * (1.0 - SESSION_B + SESSION_B * relative))
}

/// The session as a document, 0 … 1: BM25 ÷ ((k1 + 1) · `idf_sum`), over the question's terms as
/// (idf among sessions, [`session_strength`]).
pub fn session(terms: impl IntoIterator<Item = (f64, f64)>, idf_sum: f64) -> f64 {
    share(
        terms.into_iter().map(|(idf, strength)| idf * strength).sum(),
        idf_sum * (SESSION_K1 + 1.0),
    )
}

fn share(sum: f64, whole: f64) -> f64 {
    let share = sum / whole;
    if share.is_finite() { share } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn rare_words_weigh_more_and_no_weight_is_negative() {
        assert!(close(idf(9, 1), 6.666_666_666_666_667f64.ln()));
        assert!(idf(10, 1) > idf(10, 2));
        assert!(idf(10, 10) > 0.0 && idf(10, 99) == idf(10, 10) && idf(0, 0) > 0.0);
    }

    #[test]
    fn context_counts_less_than_the_record_itself() {
        let counts = |own, previous, before_previous| TermCounts { own, previous, before_previous };
        assert!(close(term_strength(counts(1, 0, 0)), 1.0 / 1.1));
        assert!(close(term_strength(counts(0, 1, 0)), 0.8 / 0.9));
        assert!(close(term_strength(counts(0, 0, 1)), 0.2 / 0.3));
        assert!(close(term_strength(counts(2, 1, 1)), 3.0 / 3.1));
        assert_eq!(term_strength(counts(0, 0, 0)), 0.0);
        assert!(term_strength(counts(u32::MAX, u32::MAX, u32::MAX)) <= 1.0);
    }

    #[test]
    fn a_record_with_half_of_the_weight_scores_half() {
        let once = TermCounts { own: 1, ..TermCounts::default() };
        assert!(close(lex([(2.0, once), (2.0, TermCounts::default())], 4.0), 0.5 / 1.1));
        assert_eq!(own([(3.0, 0.5), (1.0, 0.0)], 4.0), 0.375);
        assert_eq!(lex([], 0.0), 0.0);
        assert_eq!(lex([(0.0, once)], 0.0), 0.0);
    }

    #[test]
    fn a_word_counts_less_in_a_long_passage() {
        assert!(close(own_strength(1, 20, 20.0), 1.0 / 1.9));
        assert!(own_strength(1, 10, 20.0) > own_strength(1, 20, 20.0));
        assert!(own_strength(2, 20, 20.0) > own_strength(1, 20, 20.0));
        assert_eq!(own_strength(0, 0, 0.0), 0.0);
        assert!(own_strength(u32::MAX, u64::MAX, 1.0) <= 1.0);
    }

    #[test]
    fn a_session_of_average_length_scores_like_bm25() {
        assert!(close(session_strength(1, 100, 100.0), 1.0));
        assert!(close(session_strength(3, 200, 100.0), 3.0 * 2.2 / (3.0 + 1.2 * 1.5)));
        assert!(close(session([(2.0, 1.0)], 2.0), 1.0 / 2.2));
        assert_eq!(session_strength(0, 0, 0.0), 0.0);
        assert_eq!(session([], 0.0), 0.0);
        assert!(session_strength(u32::MAX, 0, 0.0) <= 2.2);
    }
}
