//! Which inputs support a belief, and which would change it if they were missing.
//!
//! The *smallest sufficient support* of a claim is the smallest subset of its inputs from which its
//! deriver still makes the claim, in the same band or a higher one. Derivers are pure, so the
//! search runs the deriver on subsets: all subsets of one input, then all of two, and so on. The
//! first that suffices is provably the smallest. Where that would take more than
//! [`WORK_RECORDS_MAX`], the search is greedy: it starts from stretches of time that support the
//! claim and removes inputs for as long as the claim holds. The result then says that a smaller
//! support may exist.
//!
//! *What would change it* is found in the same way, by leaving inputs out: the single inputs
//! without which the claim falls below its band, and the smallest set that brings it there
//! together.
//!
//! A claim that cannot be computed again, from a model or a person, rests on all of its inputs
//! together.

use std::collections::BTreeSet;

use derivers::{Belief as Believed, Deriver, Record, RecordBody, SignedBy};
use kernel::body::Body;
use kernel::confidence::{Band, CONFIDENCE_MAX};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::validity::inputs;
use store::StoreError;

use crate::belief::explain::Explaining;
use crate::belief::{Bodies, belief, body_of};
use crate::derive::records::signed_by;
use crate::{EngineError, Reader};

mod search;

pub use search::{FewestToRemove, Search, examine};

/// Most records that derivers read in one search, over all runs: about one second of work.
pub const WORK_RECORDS_MAX: u64 = 200_000;

/// The inputs that support a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// A subset, found by running its deriver.
    Examined(Search),
    /// All of its inputs together.
    All(NoSmallerSupport),
    /// The user's correction; it has no other support.
    UserWord,
    /// Nothing is believed.
    Nothing,
}

/// Why no smaller support than all of the inputs is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSmallerSupport {
    /// A person made the claim.
    Person,
    /// A model made the claim and may answer differently next time.
    Model,
    /// Its deriver is not available in the version that made it.
    OtherDeriver,
    /// The content of an input is not available.
    Redacted,
    /// Its deriver does not repeat the claim from its inputs in their present state.
    NotRepeated,
}

impl NoSmallerSupport {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Model => "model",
            Self::OtherDeriver => "other_deriver",
            Self::Redacted => "redacted",
            Self::NotRepeated => "not_repeated",
        }
    }
}

/// A support search: the claim to repeat, and the inputs to choose from.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The deriver to run.
    pub deriver: &'a dyn Deriver,
    /// The claim's identity.
    pub key: &'a str,
    /// The band that the claim is in.
    pub band: Band,
    /// Its inputs, in the space's order.
    pub inputs: &'a [Record],
}

/// Ids of the inputs at `places`.
fn ids(inputs: &[Record], places: &[usize]) -> Vec<OpId> {
    places.iter().filter_map(|place| inputs.get(*place)).map(|record| record.id).collect()
}

impl Reader<'_> {
    /// The support of a belief, if it is served.
    pub fn support(&self, explaining: &Explaining) -> Result<Support, EngineError> {
        let claim = &explaining.explanation.claim;
        if explaining.belief.served != Some(claim.op_id) {
            return Ok(Support::Nothing);
        }
        let subject = self.store.on_snapshot(|index| subject(index, &claim.op_id))?;
        let (body, records) = match subject {
            Subject::Correction => return Ok(Support::UserWord),
            Subject::Redacted => return Ok(Support::All(NoSmallerSupport::Redacted)),
            Subject::Claim(body, records) => (body, records),
        };
        let Some(by) = &body.deriver else { return Ok(Support::All(NoSmallerSupport::Person)) };
        if !by.deterministic {
            return Ok(Support::All(NoSmallerSupport::Model));
        }
        let mut derivers = self.derivers.iter().map(AsRef::as_ref);
        let Some(deriver) =
            derivers.find(|here| here.name() == by.name && here.version() == by.version)
        else {
            return Ok(Support::All(NoSmallerSupport::OtherDeriver));
        };
        let Some(records) = records else { return Ok(Support::All(NoSmallerSupport::Redacted)) };
        let question =
            Question { deriver, key: &body.identity_key, band: claim.band, inputs: &records };
        Ok(examine(&question)
            .map_or(Support::All(NoSmallerSupport::NotRepeated), Support::Examined))
    }
}

/// The operation whose support is sought.
enum Subject {
    Correction,
    Redacted,
    /// A claim, with its inputs if all of them can be read.
    Claim(Box<kernel::body::Claim>, Option<Vec<Record>>),
}

fn subject<B: Bodies>(index: &B, id: &OpId) -> Result<Subject, StoreError> {
    let Some(entry) = index.entry(id)? else { return Ok(Subject::Redacted) };
    let claim = match body_of(index, id, &entry.kind)? {
        Some(Body::Claim(claim)) => claim,
        Some(_) => return Ok(Subject::Correction),
        None => return Ok(Subject::Redacted),
    };
    let mut entries = Vec::new();
    for input in inputs(&entry).collect::<BTreeSet<_>>() {
        entries.extend(index.entry(&input)?);
    }
    entries.sort_by_key(Entry::order);
    let mut records = Vec::with_capacity(entries.len());
    for entry in &entries {
        match to_record(index, entry)? {
            Some(record) => records.push(record),
            None => return Ok(Subject::Claim(Box::new(claim), None)),
        }
    }
    Ok(Subject::Claim(Box::new(claim), Some(records)))
}

/// An input in the form that its deriver read; `None` if it cannot be read.
fn to_record<B: Bodies>(index: &B, entry: &Entry) -> Result<Option<Record>, StoreError> {
    let by = match entry.kind {
        Kind::Evidence => signed_by(index.access()?, &entry.author, entry.place()),
        _ => SignedBy::Owner,
    };
    let believed = match body_of(index, &entry.id, &entry.kind)? {
        Some(Body::Evidence(evidence)) => {
            return Ok(Some(Record {
                id: entry.id,
                recorded_at: entry.ts,
                signed_by: by,
                body: RecordBody::Evidence(Box::new(evidence)),
            }));
        }
        Some(Body::Claim(claim)) => Believed {
            claim_type: claim.claim_type,
            identity_key: claim.identity_key,
            text: claim.text,
            payload: claim.payload,
            confidence: claim.confidence.min(CONFIDENCE_MAX),
            deriver: claim.deriver,
            valid_from: claim.valid_from,
            valid_to: claim.valid_to,
            last_seen: claim.last_seen,
            visibility: claim.visibility,
            tags: claim.tags,
        },
        Some(Body::ClaimCorrection(correction)) => {
            let now = belief(index, &correction.identity_key)?;
            Believed {
                claim_type: now.claim_type,
                text: correction.text.unwrap_or_else(|| correction.corrected_payload.to_string()),
                identity_key: correction.identity_key,
                payload: correction.corrected_payload,
                confidence: 1.0,
                deriver: now.deriver,
                valid_from: now.valid_from,
                valid_to: now.valid_to,
                last_seen: now.last_seen,
                visibility: now.visibility,
                tags: now.tags,
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(Record {
        id: entry.id,
        recorded_at: entry.ts,
        signed_by: by,
        body: RecordBody::Belief(Box::new(believed)),
    }))
}

#[cfg(test)]
mod tests;
