//! Forks: a key that signed two operations of the same number.
//!
//! A ledger keeps the one that it had first, and refuses the other with everything that continues
//! it. Which of them other copies have, it cannot know; so an import names the fork, and the holder
//! of the key decides which branch to record again ([`super::record_again`]).

use kernel::id::{Author, OpId};
use kernel::operation::Header;
use kernel::rules::RuleViolation;

/// Keys named that forked their chains.
const FORKS_KEPT_MAX: usize = 100;

/// A key that was used on two machines at once, or continued from an older export.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fork {
    /// The key.
    pub author: Author,
    /// Whether it is this device's own.
    pub is_own: bool,
    /// The first number that it used twice.
    pub seq: u64,
    /// The operation with this number here.
    pub recorded: OpId,
    /// The operation that was refused.
    pub refused: OpId,
    /// How many of the key's operations were refused because of it.
    pub refused_count: u64,
}

/// Notes a fork, and what cannot be appended because of one.
pub(super) fn note_fork(
    forks: &mut Vec<Fork>,
    header: &Header,
    violation: &RuleViolation,
    refused: OpId,
    ours: Author,
) {
    let (author, seq) = (header.author, header.seq);
    let has_room = forks.len() < FORKS_KEPT_MAX;
    match (forks.iter_mut().find(|fork| fork.author == author), violation) {
        (Some(fork), RuleViolation::Fork { .. } | RuleViolation::ChainBroken { .. }) => {
            fork.refused_count += 1;
        }
        (None, RuleViolation::Fork { other }) if has_room => {
            let (is_own, recorded) = (author == ours, *other);
            forks.push(Fork { author, is_own, seq, recorded, refused, refused_count: 1 });
        }
        _ => {}
    }
}
