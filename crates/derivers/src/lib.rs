//! Derivers: pure functions from records to claims.
//!
//! A [`Deriver`] sees the valid records of one *group* at a time (all events with one title,
//! everything known about one person) and returns the claims that follow from them. It has no
//! clock, no randomness and no input but the records: the same records give the same candidates,
//! whether they arrived one by one or all at once. "Now" is the latest of the records' own times;
//! the reader of a belief decides from `valid_from` and `valid_to` whether it still holds at a
//! later time.
//!
//! The engine decides which groups to run again, reconciles the candidates with the user's own
//! statements, which take precedence, and seals them. A third-party deriver implements the same
//! trait; its claim types start with a reverse domain name. `docs/derivers.md` describes what the
//! built-in derivers conclude, and why.

use std::collections::BTreeSet;

use kernel::body::{self, LastSeen};
use kernel::confidence::Basis;
use kernel::evidence::{Evidence, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use kernel::when::When;
use serde_json::Value;

use crate::owner::Owner;

pub mod attributes;
mod cancelled;
pub mod entities;
mod introductions;
mod letters;
mod local_time;
pub mod lookalikes;
pub mod mining;
pub mod names;
pub mod owner;
pub mod pasted;
pub mod places;
pub mod preferences;
pub mod prose;
mod quoted;
pub mod relationships;
pub mod routines;
pub mod slug;
pub mod statements;
mod titles;
pub mod vocabulary;

/// Most past records of a group that a deriver is given: the latest by their own time, among those
/// that had happened when the last record of the group was recorded. Older records have no effect.
pub const GROUP_PAST_MAX: usize = 200;
/// Most plans that it is given: the nearest of those that were still in the future then. A year of
/// appointments must not crowd out what happened.
pub const GROUP_PLANS_MAX: usize = 56;
/// Most records of a group that a deriver is given.
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
    /// The operation to cite: the evidence, the claim version, or the correction that replaced the
    /// claim's content.
    pub id: OpId,
    /// When it was recorded, as opposed to when it happened.
    pub recorded_at: HlcTimestamp,
    /// Whose key signed it.
    pub signed_by: SignedBy,
    /// Its content.
    pub body: RecordBody,
}

/// Whose key signed a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedBy {
    /// A key that may correct beliefs, as the owner's keys may: its "I" is the owner.
    Owner,
    /// A key that may derive and not correct, such as an agent's. What it quotes as the owner's
    /// words counts as such, because the key could append the conclusion itself; its own words do
    /// not.
    Agent,
    /// Another key. Its records count as evidence, but never as the owner's own words.
    Other,
}

/// The content of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordBody {
    /// Something that was recorded.
    Evidence(Box<Evidence>),
    /// A belief: the claim version that is currently served for an identity.
    Belief(Box<Belief>),
}

/// A belief that another claim may cite.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    /// The claim type.
    pub claim_type: String,
    /// The identity that it is a version of.
    pub identity_key: String,
    /// The belief in words.
    pub text: String,
    /// The belief as data; the user's where they corrected it.
    pub payload: Value,
    /// Probability that it is true; 1 where the user stated or confirmed it.
    pub confidence: f64,
    /// The deriver that made it; `None` where a person stated it.
    pub deriver: Option<body::Deriver>,
    /// From when it is true.
    pub valid_from: Option<When>,
    /// Until when (exclusive).
    pub valid_to: Option<When>,
    /// The last record of it, where no record says that it ended.
    pub last_seen: Option<LastSeen>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Labels.
    pub tags: Vec<String>,
}

impl Record {
    /// The evidence, if the record is evidence.
    pub fn evidence(&self) -> Option<&Evidence> {
        match &self.body {
            RecordBody::Evidence(evidence) => Some(evidence),
            RecordBody::Belief(_) => None,
        }
    }

    /// The belief, if the record is a belief.
    pub fn belief(&self) -> Option<&Belief> {
        match &self.body {
            RecordBody::Evidence(_) => None,
            RecordBody::Belief(belief) => Some(belief),
        }
    }

    /// Its sort key in the space's order.
    pub fn order(&self) -> (HlcTimestamp, OpId) {
        (self.recorded_at, self.id)
    }
}

/// The account whose export a record is from, by the name that its other fields use: the owner's.
pub(crate) fn account(evidence: &Evidence) -> Option<&str> {
    evidence.payload.more.get(Evidence::ACCOUNT)?.as_str().filter(|name| !name.is_empty())
}

/// A type of claim that a deriver makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimType {
    /// Its dotted name; a last part `*` stands for any one part.
    pub name: &'static str,
    /// The base rate: how often such a candidate is true before anything is known about it.
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

/// One record that supports a candidate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// The record's id.
    pub id: OpId,
    /// Its role in the claim, e.g. `supporting_event`.
    pub role: &'static str,
}

/// A claim that a deriver proposes. The engine adds what only it knows: the version it replaces,
/// the visibility (that of the most private input), the high-water mark, the deriver.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// One of the deriver's claim types.
    pub claim_type: String,
    /// Starts with the claim type and `|`.
    pub identity_key: String,
    /// The belief in words.
    pub text: String,
    /// The belief as data.
    pub payload: Value,
    /// The records that contributed, and only those: retracting one invalidates the claim.
    pub inputs: Vec<Input>,
    /// The observations from which the confidence is computed.
    pub basis: Basis,
    /// Why, in words.
    pub rationale: String,
    /// From when it is true.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true: a date that a record holds.
    pub valid_to: Option<When>,
    /// The last record of it and the days for which it is then presumed to go on, where no record
    /// holds its end.
    pub last_seen: Option<LastSeen>,
    /// Labels.
    pub tags: Vec<String>,
}

/// A pure function from the records of a group to claims.
pub trait Deriver: Send + Sync {
    /// Its name, e.g. `routines`; a reverse domain name for third parties.
    fn name(&self) -> &'static str;
    /// Its semantic version, which is recorded with every claim.
    fn version(&self) -> &'static str;
    /// What it was told beside the records, such as who the owner is, as one text; empty if
    /// nothing. Where it changes, everything is derived again.
    fn parameters(&self) -> String {
        String::new()
    }
    /// The types of claim that it makes, with their priors.
    fn claim_types(&self) -> &[ClaimType];
    /// The groups that a record belongs to; empty if the record is irrelevant to this deriver.
    /// Depends on the record alone.
    fn groups(&self, record: &Record) -> BTreeSet<String>;
    /// The claims that follow from a group of at most [`GROUP_RECORDS_MAX`] valid records in the
    /// space's order.
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate>;
}

/// The derivers that come with the program, in order of name, where the owner has not said who
/// they are.
pub fn builtin() -> Vec<Box<dyn Deriver>> {
    builtin_for(&Owner::default())
}

/// The same for an owner who said so.
pub fn builtin_for(owner: &Owner) -> Vec<Box<dyn Deriver>> {
    vec![
        Box::new(places::Places),
        Box::new(preferences::Preferences::of(owner.clone())),
        Box::new(relationships::Relationships::of(owner.clone())),
        Box::new(routines::Routines::of(owner.clone())),
    ]
}
