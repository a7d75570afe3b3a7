//! The result of a change, and whether the change is made at all.

use std::collections::{BTreeMap, BTreeSet};

use importers::secrets::SecretKind;
use kernel::id::OpId;

use crate::belief::Belief;
use crate::derive::Derived;
use crate::write::patch::StatusChange;

/// Whether a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// The change is written.
    Write,
    /// It is not: only its result is returned.
    DryRun,
}

/// The changes that an action made.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The requested operations, in their order.
    pub recorded: Vec<OpId>,
    /// The kinds of the secrets that were masked in them.
    pub masked: Vec<SecretKind>,
    /// Identities whose belief changed, by key.
    pub beliefs: BTreeMap<String, Change>,
    /// The records that an edge displaces now and did not before, or no more, and the nodes that
    /// fall with what they were made from, or stand again.
    pub displaced: Vec<StatusChange>,
    /// The report of the derivation.
    pub derived: Derived,
    /// Operations that were altered in the file since they were signed, and on which the changed
    /// beliefs depend or that were not derived from.
    pub altered: Vec<OpId>,
    /// The identities whose change is left out, because it may quote what was altered.
    pub unquoted: BTreeSet<String>,
}

/// One identity, before and after.
#[derive(Clone, Debug)]
pub struct Change {
    /// The belief before; `None` if nothing was believed.
    pub before: Option<Belief>,
    /// The belief after.
    pub after: Belief,
    /// The operation that caused its invalidation, if it was invalidated.
    pub cause: Option<OpId>,
}

impl Change {
    /// What was believed before.
    pub fn served_before(&self) -> Option<&Belief> {
        self.before.as_ref().filter(|before| before.served.is_some())
    }
}
