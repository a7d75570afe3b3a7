//! Whether the clock and the space agree on the time.
//!
//! An operation's time is at least that of the latest one in the space, so a single write under a
//! clock that is ahead moves all later writes there, and no copy accepts an operation that is more
//! than a day ahead. So each write says it at once, while little is lost.

use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::rules::FUTURE_US_MAX;

/// Seconds in a day.
const DAY_S: u64 = 24 * 3_600;
/// Days without a write after which a clock that is wrong is likelier than a space that rested, so
/// that it is mentioned.
const QUIET_DAYS_MAX: u64 = 365;

/// A clock and a space that disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockWarning {
    /// The space's latest time is so far ahead that copies refuse what is written.
    SpaceAhead {
        /// By how much.
        ahead_s: u64,
    },
    /// The clock is very far ahead of the space's latest time.
    ClockAhead {
        /// By how much.
        days: u64,
    },
}

impl ClockWarning {
    /// The warning for a write to `space`, if there is one.
    pub(crate) fn of(space: &Space, now: Timestamp) -> Result<Option<Self>, EngineError> {
        let ahead_s = space.ahead_s(now)?;
        if ahead_s > FUTURE_US_MAX / 1_000_000 {
            return Ok(Some(Self::SpaceAhead { ahead_s }));
        }
        let days = space.quiet_s(now)? / DAY_S;
        Ok((days > QUIET_DAYS_MAX).then_some(Self::ClockAhead { days }))
    }

    /// A stable code.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::SpaceAhead { .. } => "space_ahead",
            Self::ClockAhead { .. } => "clock_ahead",
        }
    }

    /// What to type at a command line.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::SpaceAhead { .. } => {
                "set the clock right if it is wrong; otherwise make a copy with today's time: because export --out ahead.jsonl, then because --space NEW.db import --record-again ahead.jsonl"
            }
            Self::ClockAhead { .. } => {
                "if the clock is wrong, set it right before you write more: copies refuse what is dated more than a day ahead"
            }
        }
    }
}

impl std::fmt::Display for ClockWarning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SpaceAhead { ahead_s } => write!(
                formatter,
                "the space's latest time is {} days ahead of this machine's clock; other copies refuse what is written here until then",
                ahead_s.div_ceil(DAY_S)
            ),
            Self::ClockAhead { days } => write!(
                formatter,
                "this machine's clock is {days} days ahead of the latest time in the space"
            ),
        }
    }
}
