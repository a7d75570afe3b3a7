//! What carries a belief, and what would change it.
//!
//! The *smallest sufficient support* of a claim is the fewest of its inputs from which alone its
//! deriver would still say it, in its band or a surer one. It is found by asking: the deriver is
//! pure, so it is run on parts of the inputs. All parts of one input, then all of two, and so on:
//! what is found so is provably the smallest. Where that would take more than [`WORK_RECORDS_MAX`],
//! good parts are looked for instead: stretches of time that hold the claim, thinned out as long as
//! it holds; then nothing says that there is none smaller, and the answer says so.
//!
//! *What would change it* is asked the same way, by leaving inputs out: those without any one of
//! which the claim would fall below its band, and the fewest that together would bring it there.
//!
//! What cannot be computed again, a model's or a person's word, stands on all of its inputs
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

pub use search::{Fewest, Search, examine};

/// Records that derivers are shown in one question, over all runs: about a second's work.
pub const WORK_RECORDS_MAX: u64 = 200_000;

/// On which of its inputs a claim stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// Found by running its deriver.
    Examined(Search),
    /// On all of them together.
    All(Whole),
    /// The user said so; it stands on nothing else.
    UserWord,
    /// Nothing is believed.
    Nothing,
}

/// Why a claim stands on all of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// A person said it.
    Person,
    /// A model said it, which may say something else next time.
    Model,
    /// Its deriver, in the version that made it, is not here.
    OtherDeriver,
    /// The content of an input is not here.
    Redacted,
    /// Its deriver does not say it from its inputs alone, as they are now.
    NotRepeated,
}

impl Whole {
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

/// What is asked of a deriver.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Which deriver.
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
    /// On which of its inputs a belief stands, as far as it is served.
    pub fn support(&self, explaining: &Explaining) -> Result<Support, EngineError> {
        let claim = &explaining.explanation.claim;
        if explaining.belief.served != Some(claim.op_id) {
            return Ok(Support::Nothing);
        }
        let asked = self.store.at_one_moment(|world| to_records(world, &claim.op_id))?;
        let (body, records) = match asked {
            Asked::Correction => return Ok(Support::UserWord),
            Asked::Redacted => return Ok(Support::All(Whole::Redacted)),
            Asked::Claim(body, records) => (body, records),
        };
        let Some(by) = &body.deriver else { return Ok(Support::All(Whole::Person)) };
        if !by.deterministic {
            return Ok(Support::All(Whole::Model));
        }
        let mut derivers = self.derivers.iter().map(AsRef::as_ref);
        let Some(deriver) =
            derivers.find(|here| here.name() == by.name && here.version() == by.version)
        else {
            return Ok(Support::All(Whole::OtherDeriver));
        };
        let Some(records) = records else { return Ok(Support::All(Whole::Redacted)) };
        let question =
            Question { deriver, key: &body.identity_key, band: claim.band, inputs: &records };
        Ok(examine(&question).map_or(Support::All(Whole::NotRepeated), Support::Examined))
    }
}

/// What is asked about.
enum Asked {
    Correction,
    Redacted,
    /// A claim, with its inputs if all of them can be read.
    Claim(Box<kernel::body::Claim>, Option<Vec<Record>>),
}

fn to_records<B: Bodies>(world: &B, id: &OpId) -> Result<Asked, StoreError> {
    let Some(entry) = world.entry(id)? else { return Ok(Asked::Redacted) };
    let claim = match body_of(world, id, &entry.kind)? {
        Some(Body::Claim(claim)) => claim,
        Some(_) => return Ok(Asked::Correction),
        None => return Ok(Asked::Redacted),
    };
    let mut entries = Vec::new();
    for input in inputs(&entry).collect::<BTreeSet<_>>() {
        entries.extend(world.entry(&input)?);
    }
    entries.sort_by_key(Entry::order);
    let mut records = Vec::with_capacity(entries.len());
    for entry in &entries {
        match to_record(world, entry)? {
            Some(record) => records.push(record),
            None => return Ok(Asked::Claim(Box::new(claim), None)),
        }
    }
    Ok(Asked::Claim(Box::new(claim), Some(records)))
}

/// An input as its deriver was shown it; none if it cannot be read.
fn to_record<B: Bodies>(world: &B, entry: &Entry) -> Result<Option<Record>, StoreError> {
    let by = match entry.kind {
        Kind::Evidence => signed_by(world.access()?, &entry.author, entry.order()),
        _ => SignedBy::Owner,
    };
    let believed = match body_of(world, &entry.id, &entry.kind)? {
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
            visibility: claim.visibility,
            tags: claim.tags,
        },
        Some(Body::ClaimCorrection(said)) => {
            let now = belief(world, &said.identity_key)?;
            Believed {
                claim_type: now.claim_type,
                text: said.text.unwrap_or_else(|| said.corrected_payload.to_string()),
                identity_key: said.identity_key,
                payload: said.corrected_payload,
                confidence: 1.0,
                deriver: now.deriver,
                valid_from: now.valid_from,
                valid_to: now.valid_to,
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
