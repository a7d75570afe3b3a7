//! What a derivation reports: what it read and wrote, what went wrong, and which beliefs changed.

use std::collections::BTreeMap;

use crate::belief::Belief;
use crate::write::commit::Change;
use crate::write::submission::{Consequences, Submitted, UserWord};

/// Problems kept in full; more are only counted.
const PROBLEMS_KEPT_MAX: usize = 100;
/// Changed beliefs kept in full; more are left out.
const CHANGES_KEPT_MAX: usize = 10_000;

/// What a derivation did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Derived {
    /// Operations read.
    pub read: u64,
    /// Groups that were shown to a deriver, each time counted.
    pub groups: u64,
    /// Claims of identities that were not believed before.
    pub added: u64,
    /// Claims that replace one that was believed.
    pub updated: u64,
    /// Candidates that said what is believed already.
    pub unchanged: u64,
    /// Claims that were retracted because no group concludes them any more.
    pub retracted: u64,
    /// Claims of other keys that no group concludes any more and that this key may not retract.
    /// They stay believed until a key that may correct derives.
    pub left_to_others: u64,
    /// Claims that were left as they are because bodies that they were built from are missing here.
    pub not_judged: u64,
    /// Claims that were recorded as invalidated.
    pub invalidated: u64,
    /// Candidates left out because the user said otherwise.
    pub withheld: u64,
    /// Candidates that say what the user corrected to.
    pub agreed: u64,
    /// New items for review.
    pub reviews: u64,
    /// What a deriver did wrong.
    pub problem_count: u64,
    /// The first of these.
    pub problems: Vec<DeriverProblem>,
}

/// One thing that a deriver did wrong; the rest of its work goes on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct DeriverProblem {
    /// Which deriver.
    pub deriver: String,
    /// In which group.
    pub group: String,
    /// What it did.
    pub message: String,
}

impl Derived {
    /// Whether nothing was written, or would be in a dry run.
    pub fn changed_nothing(&self) -> bool {
        self.added + self.updated + self.retracted + self.invalidated + self.reviews == 0
    }

    pub(super) fn note_problem(&mut self, problem: DeriverProblem) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_KEPT_MAX {
            self.problems.push(problem);
        }
    }

    /// Counts the outcome of a candidate. The caller counts a refused one, since it knows the
    /// group.
    pub(super) fn count(&mut self, submitted: &Submitted) {
        match submitted {
            Submitted::Added(_) => self.added += 1,
            Submitted::Updated(_) => self.updated += 1,
            Submitted::Unchanged(_) => self.unchanged += 1,
            Submitted::Withheld(UserWord::CorrectedAlike) => self.agreed += 1,
            Submitted::Withheld(word) => {
                self.withheld += 1;
                if let UserWord::CorrectedOtherwise { proposal: Some(_) } = word {
                    self.reviews += 1;
                }
            }
            Submitted::Refused(_) => {}
        }
    }

    pub(super) fn count_consequences(&mut self, consequences: Consequences) {
        self.invalidated += consequences.invalidated;
        self.reviews += consequences.reviews;
    }
}

/// Beliefs that changed during a derivation, by identity.
#[derive(Default)]
pub(crate) struct BeliefChanges(BTreeMap<String, Change>);

impl BeliefChanges {
    /// Notes that something else is believed now. Of several changes of one identity, the first
    /// "before" and the last "after" count.
    pub(super) fn note(&mut self, before: Option<Belief>, after: &Belief) {
        if let Some(change) = self.0.get_mut(&after.key) {
            change.after = after.clone();
        } else if self.0.len() < CHANGES_KEPT_MAX {
            self.0.insert(after.key.clone(), Change { before, after: after.clone(), cause: None });
        }
    }

    /// The identities whose belief differs in the end from what it was before.
    pub(crate) fn differing(self) -> BTreeMap<String, Change> {
        let differs = |change: &Change| match &change.before {
            None => change.after.served.is_some(),
            Some(before) => {
                change.after.served.is_none()
                    || before.payload != change.after.payload
                    || before.text != change.after.text
                    || before.confidence != change.after.confidence
                    || before.valid_to != change.after.valid_to
                    || before.last_seen != change.after.last_seen
            }
        };
        self.0.into_iter().filter(|(_, change)| differs(change)).collect()
    }
}
