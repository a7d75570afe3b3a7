//! Derivers: pure functions from records to claims.
//!
//! A [`Deriver`] sees the valid records of one *group* at a time (all events of one title, all that
//! is known of one person) and says what follows from them. It has no clock, no randomness and no
//! input but the records: the same records give the same candidates, whether they arrived one by
//! one or all at once. "Now" is the latest of the records' own times; whether a belief still holds
//! at some later time is decided by whoever reads it, from `valid_from` and `valid_to`.
//!
//! The engine decides which groups are to be run again, what becomes of the candidates (the user's
//! word comes first), and seals them. A deriver of another party implements the same trait; its
//! claim types begin with a reverse domain name. What the built-in ones conclude, and why:
//! `docs/derivers.md`.

use std::collections::BTreeSet;

use kernel::body;
use kernel::confidence::Basis;
use kernel::evidence::{Evidence, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::when::When;
use serde_json::Value;

mod local_time;
pub mod names;
pub mod places;
pub mod preferences;
pub mod relationships;
pub mod routines;
pub mod slug;
pub mod statements;

/// Most records of a group that a deriver is shown of what had come to pass when the last of the
/// group was told: the latest by their own time. What is older has no say.
pub const GROUP_PAST_MAX: usize = 200;
/// Most plans that it is shown: of what lay ahead then, the nearest. A year of appointments must
/// not hide what happened.
pub const GROUP_PLANS_MAX: usize = 56;
/// Most records of a group that a deriver is shown.
pub const GROUP_RECORDS_MAX: usize = GROUP_PAST_MAX + GROUP_PLANS_MAX;
/// Most groups that one record may belong to, for one deriver.
pub const GROUPS_MAX: usize = 64;
/// Most candidates of one group.
pub const CANDIDATES_MAX: usize = 64;
/// Longest identity key and longest name of a group, bytes.
pub const KEY_BYTES_MAX: usize = 512;

/// A valid record, as a deriver sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What to cite: the evidence, the claim version, or the correction that replaced what the
    /// claim said.
    pub id: OpId,
    /// When it was recorded, which is not when it happened.
    pub told: HlcTimestamp,
    /// By whose key it was recorded.
    pub by: SignedBy,
    /// What it says.
    pub said: RecordBody,
}

/// Whose key signed a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedBy {
    /// One that may correct what is believed, as the owner's keys may: its "I" is the owner.
    Owner,
    /// Another, as an agent's. What it records is known; but nothing in it is the owner's own word.
    Other,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordBody {
    /// Something was told.
    Evidence(Box<Evidence>),
    /// Something is believed: what is served of an identity now.
    Belief(Box<Belief>),
}

/// A belief that another claim may be built on.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    /// What sort of claim.
    pub claim_type: String,
    /// What it is a version of.
    pub identity_key: String,
    /// In words.
    pub text: String,
    /// As data; the user's where it was corrected.
    pub payload: Value,
    /// Probability that it is true; 1 where the user said so.
    pub confidence: f64,
    /// Which logic made it; none where a person said it.
    pub deriver: Option<body::Deriver>,
    /// From when it is true.
    pub valid_from: Option<When>,
    /// Until when (exclusive).
    pub valid_to: Option<When>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Labels.
    pub tags: Vec<String>,
}

impl Record {
    /// The evidence, if it is that.
    pub fn evidence(&self) -> Option<&Evidence> {
        match &self.said {
            RecordBody::Evidence(evidence) => Some(evidence),
            RecordBody::Belief(_) => None,
        }
    }

    /// The belief, if it is that.
    pub fn belief(&self) -> Option<&Belief> {
        match &self.said {
            RecordBody::Evidence(_) => None,
            RecordBody::Belief(belief) => Some(belief),
        }
    }

    /// The space's order.
    pub fn order(&self) -> (HlcTimestamp, OpId) {
        (self.told, self.id)
    }
}

/// A sort of claim that a deriver makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimType {
    /// Its dotted name; a last part `*` stands for any one part.
    pub name: &'static str,
    /// The base rate: how often such a candidate is true before anything is known of it.
    pub prior: f64,
}

impl ClaimType {
    /// Whether `name` is of this type.
    pub fn admits(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(family) => name
                .strip_prefix(family)
                .is_some_and(|part| !part.is_empty() && !part.contains('.')),
            None => name == self.name,
        }
    }
}

/// One record that a candidate stands on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// The record's id.
    pub id: OpId,
    /// As what it counts, e.g. `supporting_event`.
    pub role: &'static str,
}

/// A claim that a deriver proposes. The engine adds what it alone knows: the version it replaces,
/// the visibility (that of the most private input), the high-water mark, the deriver.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// One of the deriver's claim types.
    pub claim_type: String,
    /// Begins with the claim type and `|`.
    pub identity_key: String,
    /// The belief in words.
    pub text: String,
    /// The belief as data.
    pub payload: Value,
    /// The records that contributed, and only those: retracting one takes the claim down.
    pub inputs: Vec<Input>,
    /// What the confidence follows from.
    pub basis: Basis,
    /// Why, in words.
    pub rationale: String,
    /// From when it is true.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true, as far as these records tell.
    pub valid_to: Option<When>,
    /// Labels.
    pub tags: Vec<String>,
}

/// A pure function from the records of a group to claims.
pub trait Deriver: Send + Sync {
    /// Its name, e.g. `routines`; a reverse domain name for third parties.
    fn name(&self) -> &'static str;
    /// Its semantic version, which goes with every claim.
    fn version(&self) -> &'static str;
    /// What it claims, and the priors.
    fn claim_types(&self) -> &[ClaimType];
    /// The groups that a record belongs to; none if it says nothing to this deriver. Depends on the
    /// record alone.
    fn groups(&self, record: &Record) -> BTreeSet<String>;
    /// What follows from a group: at most [`GROUP_RECORDS_MAX`] valid records in the space's order.
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate>;
}

/// The derivers that come with the program, in order of name.
pub fn builtin() -> Vec<Box<dyn Deriver>> {
    vec![
        Box::new(places::Places),
        Box::new(preferences::Preferences),
        Box::new(relationships::Relationships),
        Box::new(routines::Routines),
    ]
}
