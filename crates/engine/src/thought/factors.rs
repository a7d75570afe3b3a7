//! What lineage makes of a score.
//!
//! A thought that another one refines or consolidates counts less, one that is corrected still
//! less, and the head of a chain whose ancestor was found with it counts more. Each factor applies
//! once, however many thoughts cause it.

/// Of a thought that another one refines or consolidates.
pub const SUPERSEDED: f64 = 0.7;
/// Of a thought that another one corrects.
pub const CORRECTED: f64 = 0.5;
/// Of the head of a chain whose ancestor was found too.
pub const HEAD: f64 = 1.2;
/// No score is higher.
pub const SCORE_MAX: f64 = 1.0;

/// Where a thought stands among others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineagePosition {
    /// Another thought refines or consolidates it.
    pub is_superseded: bool,
    /// Another thought corrects it.
    pub is_corrected: bool,
    /// It is the head of a chain of which an ancestor was found.
    pub is_head_of_found: bool,
}

/// A similarity, weighed by lineage. Thoughts are ordered by it; the score that is shown is
/// [`score`].
///
/// ```
/// use engine::thought::factors::{LineagePosition, score, weighed};
///
/// let superseded = LineagePosition { is_superseded: true, ..LineagePosition::default() };
/// assert_eq!(weighed(1.0, superseded), 0.7);
/// let head = LineagePosition { is_head_of_found: true, ..LineagePosition::default() };
/// assert_eq!(weighed(0.5, head), 0.6);
/// assert_eq!(score(weighed(0.9, head)), 1.0);
/// ```
pub fn weighed(similarity: f64, standing: LineagePosition) -> f64 {
    let mut score = similarity;
    if standing.is_superseded {
        score *= SUPERSEDED;
    }
    if standing.is_corrected {
        score *= CORRECTED;
    }
    if standing.is_head_of_found {
        score *= HEAD;
    }
    score
}

/// A weighed similarity as it is shown: at most [`SCORE_MAX`].
pub fn score(weighed: f64) -> f64 {
    weighed.min(SCORE_MAX)
}
