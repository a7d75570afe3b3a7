//! Reviews: corrections that the user should look at again.
//!
//! The program never undoes a correction by itself. When the inputs of the corrected claim change,
//! or a deriver reaches another result, it records a `proposal` operation. The proposal is durable,
//! reaches every device, and is decided once. It contains the operation that accepting it appends:
//! the withdrawal of the correction, or another correction. A proposal cites the correction that it
//! is about, so the ledger itself tells whether it was made already. At most one is made for each
//! trigger, and for each payload that differs.
//!
//! Any key that may derive may propose, and the user decides with another key. Therefore the
//! operations in a proposal are not trusted: unless they are exactly those that its question
//! implies, the proposal is not a review ([`Review::read`]).

use std::collections::HashSet;

use kernel::body::{Body, Correction, Withdrawal, payload_digest};
use kernel::cascade;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::Entry;
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::proposal::{
    Decision, Proposal, Proposed, ProposedRef, ProposedTarget, Question, Reason,
};
use kernel::seal::Draft;
use kernel::validity::Validity;
use serde_json::{Map, Value};
use store::{StoreError, Writing};

use crate::belief::user::UserError;
use crate::belief::{Bodies, body_of};
use crate::inspect::ALTERED;
use crate::{EngineError, Reader};

/// Most inputs that a disagreement cites; the others are left out.
const SOURCES_MAX: usize = 1_000;

/// A deriver's result for a corrected identity that differs from the correction.
#[derive(Clone, Copy, Debug)]
pub struct Disagreement<'a> {
    /// The identity.
    pub key: &'a str,
    /// The belief that the deriver proposes, in words.
    pub text: &'a str,
    /// The same as data.
    pub payload: &'a Value,
    /// How sure the deriver is.
    pub confidence: f64,
    /// The records and beliefs that it follows from.
    pub inputs: &'a [OpId],
}

/// The status of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It awaits a decision.
    Pending,
    /// The user accepted the proposal.
    Accepted,
    /// The user rejected the proposal.
    Dismissed,
    /// The user accepted a patch, and took back what it changed.
    Reverted,
    /// Its correction was withdrawn or replaced, so there is nothing left to decide.
    Moot,
}

impl Status {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Dismissed => "dismissed",
            Self::Reverted => "reverted",
            Self::Moot => "moot",
        }
    }
}

/// A proposal to look again at a correction.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The proposal.
    pub id: OpId,
    /// When it was made.
    pub at: HlcTimestamp,
    /// The proposal in words.
    pub text: String,
    /// How sure the deriver is, where one disagrees.
    pub confidence: Option<f64>,
    /// The question for the user.
    pub question: Question,
    /// The correction that it is about.
    pub correction: OpId,
    /// The payload of that correction.
    pub corrected_payload: Value,
    /// Its status.
    pub status: Status,
}

/// Proposes to look again at a correction whose ground changed. Returns `None` if that was proposed
/// already or if the identity is not corrected.
pub fn propose_ground_changed(
    writing: &dyn Writing,
    review: &cascade::Review,
) -> Result<Option<Draft>, EngineError> {
    let Some(correction) = Validity::new(writing).standing(&review.key)?.correction else {
        return Ok(None);
    };
    let question = Question {
        identity_key: review.key.clone(),
        reason: Reason::GroundChanged,
        trigger: Some(review.trigger),
        payload: None,
    };
    if is_proposed(writing, &question)? {
        return Ok(None);
    }
    let proposal = Proposal {
        origin: Proposal::DERIVATION.to_owned(),
        text: format!(
            "What your correction of {} was made of has changed; is it still so?",
            review.key
        ),
        operations: vec![proposed(&withdrawal(correction.id, "")?)?],
        review: Some(question),
        ..Proposal::default()
    };
    Ok(Some(citing(proposal, [review.trigger, correction.id])?))
}

/// Proposes a deriver's result for a corrected identity. Returns `None` if that payload was
/// proposed already, if the correction has the same payload, or if the identity is not corrected.
pub fn propose_disagreement(
    writing: &dyn Writing,
    disagreement: &Disagreement<'_>,
) -> Result<Option<Draft>, EngineError> {
    let Some(correction) = Validity::new(writing).standing(disagreement.key)?.correction else {
        return Ok(None);
    };
    let question = Question {
        identity_key: disagreement.key.to_owned(),
        reason: Reason::Disagreement,
        trigger: None,
        payload: Some(disagreement.payload.clone()),
    };
    if correction.payload == Some(payload_digest(disagreement.payload))
        || is_proposed(writing, &question)?
    {
        return Ok(None);
    }
    let proposal = Proposal {
        origin: Proposal::DERIVATION.to_owned(),
        confidence: Some(disagreement.confidence),
        text: disagreement.text.to_owned(),
        operations: vec![proposed(&recorrection(
            correction.id,
            disagreement.key,
            disagreement.text,
            disagreement.payload,
            "",
        )?)?],
        review: Some(question),
        ..Proposal::default()
    };
    let inputs = disagreement.inputs.iter().copied().take(SOURCES_MAX);
    Ok(Some(citing(proposal, std::iter::once(correction.id).chain(inputs))?))
}

/// Whether a review of the same identity, with the same trigger or payload, was proposed already.
/// Decided reviews count.
pub fn is_proposed(writing: &dyn Writing, question: &Question) -> Result<bool, EngineError> {
    Ok(proposed_as(writing, question)?.is_some())
}

/// The review of the same identity, with the same trigger or payload, decided or not.
pub(crate) fn proposed_as<B: Bodies + ?Sized>(
    index: &B,
    question: &Question,
) -> Result<Option<OpId>, StoreError> {
    for version in index.identity(&question.identity_key)? {
        if version.kind != Kind::ClaimCorrection {
            continue;
        }
        for id in index.acting(&version.id, &Kind::Proposal, Proposal::SOURCE)? {
            if let Some(entry) = index.entry(&id)?
                && let Some(Body::Proposal(Proposal { review: Some(made), .. })) =
                    body_of(index, &id, &Kind::Proposal)?
                && index.access()?.holds(&entry.author, Capability::Derive, entry.place())
                && is_same(&made, question)
            {
                return Ok(Some(id));
            }
        }
    }
    Ok(None)
}

fn is_same(one: &Question, other: &Question) -> bool {
    let payload = |question: &Question| question.payload.as_ref().map(payload_digest);
    one.identity_key == other.identity_key
        && one.reason == other.reason
        && one.trigger == other.trigger
        && payload(one) == payload(other)
}

impl Review {
    /// Reads a proposal as a review. Returns `None` if it is something else, if its author may not
    /// propose, or if it would append anything other than what its question implies.
    pub(crate) fn read<B: Bodies + ?Sized>(
        index: &B,
        entry: &Entry,
    ) -> Result<Option<Self>, StoreError> {
        let Some(Body::Proposal(proposal)) = body_of(index, &entry.id, &Kind::Proposal)? else {
            return Ok(None);
        };
        let (Some(question), [operation]) = (proposal.review, proposal.operations.as_slice())
        else {
            return Ok(None);
        };
        let Some(correction) = operation.sole_ref(Role::TARGET) else { return Ok(None) };
        let cites = |id: &OpId| {
            entry
                .refs
                .iter()
                .any(|cited| cited.id == *id && cited.role.as_str() == Proposal::SOURCE)
        };
        let is_grounded = match question.reason {
            Reason::GroundChanged => question.trigger.is_some_and(|trigger| cites(&trigger)),
            Reason::Disagreement => question.payload.is_some(),
        };
        let Some(corrected) = index.entry(&correction)?.filter(|_| cites(&correction)) else {
            return Ok(None);
        };
        let permitted = index.access()?.holds(&entry.author, Capability::Derive, entry.place());
        if !permitted
            || !is_grounded
            || corrected.identity.as_ref() != Some(&question.identity_key)
            || !is_implied(operation, &question)
        {
            return Ok(None);
        }
        let corrected_payload = match body_of(index, &correction, &Kind::ClaimCorrection)? {
            Some(Body::ClaimCorrection(correction)) => correction.corrected_payload,
            _ => Value::Null,
        };
        let status = match decided(index, &entry.id)? {
            Some(status) => status,
            None => {
                let now = Validity::new(index).standing(&question.identity_key)?;
                let stands = now.refutation.is_none()
                    && now.correction.is_some_and(|now| now.id == correction);
                if stands { Status::Pending } else { Status::Moot }
            }
        };
        Ok(Some(Self {
            id: entry.id,
            at: entry.ts,
            text: proposal.text,
            confidence: proposal.confidence,
            question,
            correction,
            corrected_payload,
            status,
        }))
    }

    /// The drafts that accepting appends: the proposed operation and the decision.
    pub fn accept(&self, note: &str) -> Result<Vec<Draft>, EngineError> {
        let Question { identity_key, payload, reason, .. } = &self.question;
        let done = match reason {
            Reason::GroundChanged => withdrawal(self.correction, note)?,
            Reason::Disagreement => recorrection(
                self.correction,
                identity_key,
                &self.text,
                payload.as_ref().unwrap_or(&Value::Null),
                note,
            )?,
        };
        Ok(vec![done, self.decision(Decision::ACCEPT, note)?])
    }

    /// The drafts that dismissing appends.
    pub fn dismiss(&self, note: &str) -> Result<Vec<Draft>, EngineError> {
        Ok(vec![self.decision(Decision::REJECT, note)?])
    }

    fn decision(&self, verdict: &str, note: &str) -> Result<Draft, EngineError> {
        let decision = Decision {
            verdict: verdict.to_owned(),
            feedback: note.to_owned(),
            ..Decision::default()
        };
        acting_on(self.id, Body::Decision(decision))
    }
}

/// Whether an operation is the one that a question is about, and nothing else.
fn is_implied(operation: &Proposed, question: &Question) -> bool {
    match (question.reason, operation.kind()) {
        (Reason::GroundChanged, Some(Kind::CorrectionWithdrawal)) => true,
        (Reason::Disagreement, Some(Kind::ClaimCorrection)) => {
            operation.body.get("identity_key").and_then(Value::as_str)
                == Some(question.identity_key.as_str())
                && operation.body.get("corrected_payload")
                    == Some(question.payload.as_ref().unwrap_or(&Value::Null))
        }
        _ => false,
    }
}

/// The user's latest decision on a proposal.
pub(crate) fn decided<B: Bodies + ?Sized>(
    index: &B,
    proposal: &OpId,
) -> Result<Option<Status>, StoreError> {
    let mut last: Option<(Entry, Status)> = None;
    for id in index.acting(proposal, &Kind::Decision, Role::TARGET)? {
        let Some(entry) = index.entry(&id)? else { continue };
        if !index.access()?.holds(&entry.author, Capability::Correct, entry.place()) {
            continue;
        }
        let status = match body_of(index, &id, &Kind::Decision)? {
            Some(Body::Decision(decision))
                if [Decision::ACCEPT, Decision::ALIAS].contains(&decision.verdict.as_str()) =>
            {
                Status::Accepted
            }
            Some(Body::Decision(decision)) if decision.verdict == Decision::REVERT => {
                Status::Reverted
            }
            _ => Status::Dismissed,
        };
        if last.as_ref().is_none_or(|(last, _)| last.order() < entry.order()) {
            last = Some((entry, status));
        }
    }
    Ok(last.map(|(_, status)| status))
}

/// Refuses what is decided already: another process may have decided since the caller looked.
pub(crate) fn check_undecided<B: Bodies + ?Sized>(
    index: &B,
    proposal: &OpId,
) -> Result<(), EngineError> {
    match decided(index, proposal)? {
        Some(status) => Err(UserError::ReviewSettled { id: *proposal, status }.into()),
        None => Ok(()),
    }
}

/// A draft that acts on one operation.
pub fn acting_on(target: OpId, body: Body) -> Result<Draft, EngineError> {
    Ok(Draft { body, refs: vec![Ref { id: target, role: Role::parse(Role::TARGET)? }] })
}

fn withdrawal(correction: OpId, note: &str) -> Result<Draft, EngineError> {
    acting_on(correction, Body::CorrectionWithdrawal(Withdrawal { note: note.to_owned() }))
}

fn recorrection(
    correction: OpId,
    key: &str,
    text: &str,
    payload: &Value,
    note: &str,
) -> Result<Draft, EngineError> {
    let correction_body = Correction {
        identity_key: key.to_owned(),
        corrected_payload: payload.clone(),
        text: (!text.is_empty()).then(|| text.to_owned()),
        note: note.to_owned(),
    };
    acting_on(correction, Body::ClaimCorrection(correction_body))
}

fn citing(
    proposal: Proposal,
    sources: impl IntoIterator<Item = OpId>,
) -> Result<Draft, EngineError> {
    let role = Role::parse(Proposal::SOURCE)?;
    let mut seen = HashSet::new();
    let refs = sources
        .into_iter()
        .filter(|id| seen.insert(*id))
        .map(|id| Ref { id, role: role.clone() })
        .collect();
    Ok(Draft { body: Body::Proposal(proposal), refs })
}

/// A draft as a proposal holds it.
pub(crate) fn proposed(draft: &Draft) -> Result<Proposed, EngineError> {
    let bytes = draft.body.canonical()?;
    let body: Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    let refs = draft.refs.iter();
    Ok(Proposed {
        local: None,
        kind: draft.body.kind().as_str().to_owned(),
        body,
        refs: refs
            .map(|cited| ProposedRef {
                target: ProposedTarget::Id(cited.id),
                role: cited.role.as_str().to_owned(),
            })
            .collect(),
    })
}

impl Reader<'_> {
    /// Every review, in the order of their proposals, now or as of a time of recording
    /// (microseconds since the Unix epoch).
    pub fn reviews(&self, as_of_us: Option<u64>) -> Result<Vec<Review>, EngineError> {
        let mut reviews = self.proposals_at(as_of_us, |index, entry| Review::read(index, entry))?;
        for review in &mut reviews {
            if !self.store.is_as_signed(&review.id)? {
                review.text = ALTERED.to_owned();
                review.question.payload = None;
            }
        }
        Ok(reviews)
    }
}

#[cfg(test)]
mod tests;
