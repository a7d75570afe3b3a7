//! What became of a change, and whether it is to be made at all.

use std::collections::BTreeMap;

use importers::secrets::SecretKind;
use kernel::id::OpId;

use crate::belief::Belief;
use crate::derive::Derived;

/// Whether a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// It is.
    Write,
    /// It is not: the answer only says what would become of it.
    DryRun,
}

/// What became different.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The operations that were asked for, in their order.
    pub recorded: Vec<OpId>,
    /// The kinds of the secrets that were masked in them.
    pub masked: Vec<SecretKind>,
    /// Identities of which something else is believed now, by key.
    pub beliefs: BTreeMap<String, Change>,
    /// What derivation did on the way.
    pub derived: Derived,
}

/// One identity, before and after.
#[derive(Clone, Debug)]
pub struct Change {
    /// What was served; none if nothing was believed.
    pub before: Option<Belief>,
    /// What is believed now.
    pub after: Belief,
    /// The operation that brought it down, if it fell.
    pub cause: Option<OpId>,
}
