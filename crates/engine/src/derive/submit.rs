//! From candidates to claims: what a deriver proposes is examined, then meets what the user said
//! and what is believed already.
//!
//! A deriver is not trusted: it may cite only what it was shown, claim only what it declared, and
//! its confidence is computed here from the basis it gives. The user is: a refuted identity is not
//! claimed again, a corrected one keeps the user's payload, and what a person claimed is not
//! replaced by a machine.

use std::collections::BTreeSet;

use derivers::{CANDIDATES_MAX, Candidate, Deriver, KEY_BYTES_MAX};
use kernel::body::{self, Body, Claim, payload_digest};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::{REFS_MAX, Ref, Role};
use kernel::rules::RuleViolation;
use kernel::seal::{Draft, next_timestamp};
use kernel::validity::{State, Validity};
use kernel::when::When;
use store::sqlite::{Marked, SqliteWriting};
use store::{RecordError, Writing};

use super::records::Shown;
use super::{Derivation, MAX_DERIVATION_DEPTH};
use crate::EngineError;
use crate::belief::body_of;
use crate::write::follow::seal;

/// A candidate that passed the examination.
pub(super) struct Accepted {
    group: Marked,
    layer: u32,
    refs: Vec<Ref>,
    claim: Claim,
}

impl Accepted {
    pub(super) fn key(&self) -> &str {
        &self.claim.identity_key
    }

    /// The order in which claims are appended: by deriver, then by key.
    pub(super) fn place(&self) -> (&str, &str) {
        (&self.group.deriver, self.key())
    }
}

/// Takes what a deriver may claim, and says what is wrong with the rest.
pub(super) fn examine(
    deriver: &dyn Deriver,
    group: &Marked,
    shown: &Shown,
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
    shown: &Shown,
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
        inputs.push((super::records::at_us(record), input, record, below));
    }
    // As things happened, whatever order the deriver names them in.
    inputs.sort_by_key(|(at_us, input, ..)| (*at_us, input.id));
    for (at_us, input, record, below) in inputs {
        if !cited.insert(input.id) {
            continue;
        }
        let role = Role::parse(input.role)
            .map_err(|_| format!("cites as {:?}, which is no role", input.role))?;
        if input.role == Role::SUPERSEDES {
            return Err("cites an input as superseded".to_owned());
        }
        refs.push(Ref { id: input.id, role });
        layer = layer.max(below);
        visibility = visibility.min(super::records::visibility(record));
        let told_us = i64::try_from(record.recorded_at.0).unwrap_or(i64::MAX);
        valid_at_us = valid_at_us.max(at_us.min(told_us));
    }
    if refs.is_empty() {
        return Err("claims something of nothing".to_owned());
    }
    // One place is kept for the version that is replaced.
    if refs.len() >= REFS_MAX {
        return Err(format!("cites {} records; at most {} can be cited", refs.len(), REFS_MAX - 1));
    }
    let layer = layer.saturating_add(1);
    if layer > MAX_DERIVATION_DEPTH {
        return Err(format!("builds on more than {MAX_DERIVATION_DEPTH} layers of claims"));
    }
    let claim = Claim {
        claim_type: candidate.claim_type,
        identity_key: candidate.identity_key,
        subject: "self".to_owned(),
        text: candidate.text,
        payload: candidate.payload,
        deriver: Some(body::Deriver {
            name: deriver.name().to_owned(),
            version: deriver.version().to_owned(),
            deterministic: true,
        }),
        confidence: candidate.basis.confidence(),
        confidence_basis: serde_json::to_value(&candidate.basis).unwrap_or_default(),
        rationale: candidate.rationale,
        valid_at: jiff::Timestamp::from_microsecond(valid_at_us).ok().map(When::from_timestamp),
        valid_from: candidate.valid_from,
        valid_to: candidate.valid_to,
        visibility,
        tags: candidate.tags,
    };
    Ok(Accepted { group: group.clone(), layer, refs, claim })
}

impl Derivation<'_> {
    /// Appends a claim unless the user said otherwise or it is believed already.
    pub(super) fn submit(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        accepted: Accepted,
    ) -> Result<(), EngineError> {
        let Accepted { group, layer, mut refs, claim } = accepted;
        let (state, standing) = {
            let mut validity = Validity::new(writing as &dyn Writing);
            (validity.state(&claim.identity_key)?, validity.standing(&claim.identity_key)?)
        };
        match (state, &standing.correction, &standing.current) {
            (State::Refuted, ..) => {
                self.derived.withheld += 1;
                return Ok(());
            }
            (State::Corrected, Some(correction), _) => {
                if correction.payload == Some(payload_digest(&claim.payload)) {
                    self.derived.agreed += 1;
                } else {
                    self.derived.withheld += 1;
                    self.review_disagreement(writing, correction, &claim, &refs)?;
                }
                return Ok(());
            }
            (State::Active, _, Some(current)) => {
                if let Some(Body::Claim(said)) =
                    body_of(writing as &dyn Writing, &current.id, &Kind::Claim)?
                {
                    if said.deriver.is_none() {
                        self.derived.withheld += 1;
                        return Ok(());
                    }
                    if says_the_same(&said, &claim) {
                        self.derived.unchanged += 1;
                        return Ok(());
                    }
                }
            }
            _ => {}
        }
        if let Some(current) = &standing.current {
            refs.push(Ref { id: current.id, role: Role::parse(Role::SUPERSEDES)? });
        }
        let key = claim.identity_key.clone();
        let draft = Draft { body: Body::Claim(claim), refs };
        match self.append(writing, draft) {
            Ok(Some(id)) => {
                self.ours.insert(id, layer);
                if state == State::Active {
                    self.derived.updated += 1;
                } else {
                    self.derived.added += 1;
                }
                Ok(())
            }
            // An input was replaced in this very pass; the next one shows the new version.
            Ok(None) => {
                self.again.push(group.number);
                Ok(())
            }
            Err(EngineError::Record(RecordError::Refused { violation, .. })) => {
                self.problem(&group, format!("the claim {key:?} was refused: {violation}"));
                Ok(())
            }
            Err(EngineError::Malformed(error)) => {
                self.problem(&group, format!("the claim {key:?} cannot be written: {error}"));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Seals and records; none where an input is not valid any more.
    pub(super) fn append(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        draft: Draft,
    ) -> Result<Option<OpId>, EngineError> {
        let ts = next_timestamp(self.now_us, writing.latest()?);
        let (operation, body) = seal(self.signer, writing, draft, ts)?;
        match writing.record(&operation, Some(&body)) {
            Ok(_) => Ok(Some(operation.id())),
            Err(RecordError::Refused { violation: RuleViolation::StaleInput { .. }, .. }) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether a candidate adds nothing to what is believed. As the ledger writes it, 48.0 is 48:
/// canonical bytes are compared.
fn says_the_same(said: &Claim, claim: &Claim) -> bool {
    said.claim_type == claim.claim_type
        && said.text == claim.text
        && payload_digest(&said.payload) == payload_digest(&claim.payload)
        && said.confidence == claim.confidence
        && said.valid_from == claim.valid_from
        && said.valid_to == claim.valid_to
        && said.visibility == claim.visibility
        && said.deriver.as_ref().map(|deriver| &deriver.name)
            == claim.deriver.as_ref().map(|deriver| &deriver.name)
}
