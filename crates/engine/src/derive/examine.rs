//! From candidates to claim drafts: what a deriver may propose.
//!
//! A deriver is not trusted: it may cite only what it was shown, claim only what it declared, and
//! its confidence is computed here from the basis it gives. Whether the draft becomes a claim is
//! decided by [`crate::write::submission`].

use std::collections::BTreeSet;

use derivers::{CANDIDATES_MAX, Candidate, Deriver, KEY_BYTES_MAX};
use kernel::evidence::Visibility;
use kernel::operation::{REFS_MAX, Ref, Role};
use kernel::when::When;
use store::sqlite::Marked;

use super::MAX_DERIVATION_DEPTH;
use super::records::GroupRecords;
use crate::write::submission::{ClaimDraft, Producer};

/// A candidate that passed the examination.
pub(super) struct Accepted {
    pub(super) group: Marked,
    /// How many derivations lie between the claim and evidence.
    pub(super) layer: u32,
    pub(super) draft: ClaimDraft,
}

impl Accepted {
    pub(super) fn key(&self) -> &str {
        &self.draft.identity_key
    }

    /// The order in which claims are appended: by deriver, then by key.
    pub(super) fn place(&self) -> (&str, &str) {
        (&self.group.deriver, self.key())
    }
}

/// Splits candidates into those that the deriver may claim, and problems with the others.
pub(super) fn examine(
    deriver: &dyn Deriver,
    group: &Marked,
    shown: &GroupRecords,
    candidates: Vec<Candidate>,
) -> (Vec<Accepted>, Vec<String>) {
    let mut accepted: Vec<Accepted> = Vec::new();
    let mut problems = Vec::new();
    if candidates.len() > CANDIDATES_MAX {
        problems.push(format!(
            "made {} candidates; the first {CANDIDATES_MAX} count",
            candidates.len()
        ));
    }
    for candidate in candidates.into_iter().take(CANDIDATES_MAX) {
        let key: String = candidate.identity_key.chars().take(100).collect();
        match examine_one(deriver, group, shown, candidate) {
            Ok(one) if accepted.iter().any(|other| other.key() == one.key()) => {
                problems.push(format!("claims {key} twice"));
            }
            Ok(one) => accepted.push(one),
            Err(problem) => problems.push(format!("{problem} (in {key:?})")),
        }
    }
    (accepted, problems)
}

fn examine_one(
    deriver: &dyn Deriver,
    group: &Marked,
    shown: &GroupRecords,
    candidate: Candidate,
) -> Result<Accepted, String> {
    let Candidate { claim_type, identity_key, .. } = &candidate;
    let declared = deriver.claim_types().iter().any(|declared| declared.admits(claim_type));
    if !declared {
        return Err(format!("claims the type {claim_type:?}, which it did not declare"));
    }
    let is_of_type =
        identity_key.strip_prefix(claim_type.as_str()).is_some_and(|rest| rest.starts_with('|'));
    if !is_of_type || identity_key.len() > KEY_BYTES_MAX {
        return Err(format!(
            "names an identity that does not begin with {claim_type:?} and | or is too long"
        ));
    }
    let mut refs = Vec::new();
    let mut cited = BTreeSet::new();
    let mut layer = 0;
    let mut visibility = Visibility::Global;
    let mut valid_at_us = i64::MIN;
    let mut inputs = Vec::with_capacity(candidate.inputs.len());
    for input in &candidate.inputs {
        let Some((record, below)) = shown.find(&input.id) else {
            return Err(format!("cites {}, which it was not shown", input.id));
        };
        inputs.push((super::records::told_us(record), input, record, below));
    }
    // As things happened, whatever order the deriver names them in.
    inputs.sort_by_key(|(at_us, input, ..)| (*at_us, input.id));
    for (at_us, input, record, below) in inputs {
        if !cited.insert(input.id) {
            continue;
        }
        let role = Role::parse(input.role)
            .map_err(|_| format!("cites as {:?}, which is not a role", input.role))?;
        if input.role == Role::SUPERSEDES {
            return Err("cites an input as superseded".to_owned());
        }
        refs.push(Ref { id: input.id, role });
        layer = layer.max(below);
        visibility = visibility.min(super::records::visibility(record));
        let recorded_us = i64::try_from(record.recorded_at.0).unwrap_or(i64::MAX);
        valid_at_us = valid_at_us.max(at_us.min(recorded_us));
    }
    if refs.is_empty() {
        return Err("cites no record".to_owned());
    }
    // One place is kept for the version that is replaced.
    if refs.len() >= REFS_MAX {
        return Err(format!("cites {} records; at most {} can be cited", refs.len(), REFS_MAX - 1));
    }
    let layer = layer.saturating_add(1);
    if layer > MAX_DERIVATION_DEPTH {
        return Err(format!("builds on more than {MAX_DERIVATION_DEPTH} layers of claims"));
    }
    let draft = ClaimDraft {
        producer: Producer::Deriver {
            name: deriver.name().to_owned(),
            version: deriver.version().to_owned(),
        },
        inputs: refs,
        claim_type: candidate.claim_type,
        identity_key: candidate.identity_key,
        subject: "self".to_owned(),
        text: candidate.text,
        payload: candidate.payload,
        confidence: candidate.basis.confidence(),
        confidence_basis: serde_json::to_value(&candidate.basis).unwrap_or_default(),
        rationale: candidate.rationale,
        valid_at: jiff::Timestamp::from_microsecond(valid_at_us).ok().map(When::from_timestamp),
        valid_from: candidate.valid_from,
        valid_to: candidate.valid_to,
        last_seen: candidate.last_seen,
        visibility,
        tags: candidate.tags,
    };
    Ok(Accepted { group: group.clone(), layer, draft })
}
