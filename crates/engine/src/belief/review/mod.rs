//! Reviews: what the user should look at again, because it touches the user's own word.
//!
//! No machine undoes a correction. When its ground changes, or a deriver comes to another result,
//! that is written down as a `proposal` operation, so that it is durable, reaches every device, and
//! is decided once. It says what accepting it would append: the withdrawal of the correction, or
//! another correction. Whether it was proposed already is asked of the ledger itself: a proposal
//! cites the correction that it is about, and at most one is made for each trigger, and for each
//! payload that differs.
//!
//! Whoever may derive may propose, and the user decides with another key. So what a proposal would
//! append is not taken from it on trust: one whose operations are not exactly those that its
//! question implies is none ([`Asked::read`]).

use std::collections::HashSet;

use kernel::body::{Body, Correction, Withdrawal, payload_digest};
use kernel::cascade;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::proposal::{
    Decision, Proposal, Proposed, ProposedRef, ProposedTarget, Question, Reason,
};
use kernel::seal::Draft;
use kernel::validity::Validity;
use serde_json::{Map, Value};
use store::{StoreError, Writing};

use crate::belief::{Bodies, body_of};
use crate::{EngineError, Reader};

/// Inputs that a disagreement cites at most; what it rests on beyond them is left out.
const SOURCES_MAX: usize = 1_000;

/// What a deriver says of a corrected identity, other than the user.
#[derive(Clone, Copy, Debug)]
pub struct Disagreement<'a> {
    /// The identity.
    pub key: &'a str,
    /// What would be believed, in words.
    pub text: &'a str,
    /// The same as data.
    pub payload: &'a Value,
    /// How sure the deriver is.
    pub confidence: f64,
    /// What it follows from.
    pub inputs: &'a [OpId],
}

/// What became of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It awaits the user.
    Pending,
    /// The user did as was proposed.
    Accepted,
    /// The user said no.
    Dismissed,
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
            Self::Moot => "moot",
        }
    }
}

/// A review.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The proposal.
    pub id: OpId,
    /// When it was made.
    pub at: HlcTimestamp,
    /// In words.
    pub text: String,
    /// How sure the deriver is, where one disagrees.
    pub confidence: Option<f64>,
    /// What it asks.
    pub question: Question,
    /// The correction that it is about.
    pub correction: OpId,
    /// What that correction says.
    pub corrected_payload: Value,
    /// What became of it.
    pub status: Status,
}

/// Proposes to look again at a correction whose ground changed; none if that was proposed already
/// or the identity is not corrected.
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

/// Proposes what a deriver says of a corrected identity; none if that payload was proposed already,
/// is what the correction says, or the identity is not corrected.
pub fn propose_disagreement(
    writing: &dyn Writing,
    said: &Disagreement<'_>,
) -> Result<Option<Draft>, EngineError> {
    let Some(correction) = Validity::new(writing).standing(said.key)?.correction else {
        return Ok(None);
    };
    let question = Question {
        identity_key: said.key.to_owned(),
        reason: Reason::Disagreement,
        trigger: None,
        payload: Some(said.payload.clone()),
    };
    if correction.payload == Some(payload_digest(said.payload)) || is_proposed(writing, &question)?
    {
        return Ok(None);
    }
    let proposal = Proposal {
        origin: Proposal::DERIVATION.to_owned(),
        confidence: Some(said.confidence),
        text: said.text.to_owned(),
        operations: vec![proposed(&recorrection(
            correction.id,
            said.key,
            said.text,
            said.payload,
            "",
        )?)?],
        review: Some(question),
        ..Proposal::default()
    };
    let inputs = said.inputs.iter().copied().take(SOURCES_MAX);
    Ok(Some(citing(proposal, std::iter::once(correction.id).chain(inputs))?))
}

/// Whether a review was proposed already, decided or not: of the same identity, with the same
/// trigger or payload.
pub fn is_proposed(writing: &dyn Writing, question: &Question) -> Result<bool, EngineError> {
    for said in writing.identity(&question.identity_key)? {
        if said.kind != Kind::ClaimCorrection {
            continue;
        }
        for id in writing.acting(&said.id, &Kind::Proposal, Proposal::SOURCE)? {
            if let Some(entry) = writing.entry(&id)?
                && let Some(Body::Proposal(Proposal { review: Some(made), .. })) =
                    body_of(writing, &id, &Kind::Proposal)?
                && writing.access()?.holds(&entry.author, Capability::Derive, entry.order())
                && is_same(&made, question)
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn is_same(one: &Question, other: &Question) -> bool {
    let payload = |question: &Question| question.payload.as_ref().map(payload_digest);
    one.identity_key == other.identity_key
        && one.reason == other.reason
        && one.trigger == other.trigger
        && payload(one) == payload(other)
}

impl Asked {
    /// Reads a proposal as a review; none if it is something else, its author may not propose, or
    /// it would append anything but what it asks about.
    pub(crate) fn read<B: Bodies>(world: &B, entry: &Entry) -> Result<Option<Self>, StoreError> {
        let Some(Body::Proposal(proposal)) = body_of(world, &entry.id, &Kind::Proposal)? else {
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
        let Some(corrected) = world.entry(&correction)?.filter(|_| cites(&correction)) else {
            return Ok(None);
        };
        let permitted = world.access()?.holds(&entry.author, Capability::Derive, entry.order());
        if !permitted
            || !is_grounded
            || corrected.identity.as_ref() != Some(&question.identity_key)
            || !is_implied(operation, &question)
        {
            return Ok(None);
        }
        let corrected_payload = match body_of(world, &correction, &Kind::ClaimCorrection)? {
            Some(Body::ClaimCorrection(said)) => said.corrected_payload,
            _ => Value::Null,
        };
        let status = match decided(world, &entry.id)? {
            Some(status) => status,
            None => {
                let now = Validity::new(world).standing(&question.identity_key)?;
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

    /// What accepting appends: what was proposed, and the decision.
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

    /// What dismissing appends.
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

/// What the user decided of a proposal last.
fn decided<B: Bodies>(world: &B, proposal: &OpId) -> Result<Option<Status>, StoreError> {
    let mut last: Option<(Entry, Status)> = None;
    for id in world.acting(proposal, &Kind::Decision, Role::TARGET)? {
        let Some(entry) = world.entry(&id)? else { continue };
        if !world.access()?.holds(&entry.author, Capability::Correct, entry.order()) {
            continue;
        }
        let status = match body_of(world, &id, &Kind::Decision)? {
            Some(Body::Decision(decision)) if decision.verdict == Decision::ACCEPT => {
                Status::Accepted
            }
            _ => Status::Dismissed,
        };
        if last.as_ref().is_none_or(|(last, _)| last.order() < entry.order()) {
            last = Some((entry, status));
        }
    }
    Ok(last.map(|(_, status)| status))
}

/// A draft that acts on one operation.
pub(crate) fn acting_on(target: OpId, body: Body) -> Result<Draft, EngineError> {
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
fn proposed(draft: &Draft) -> Result<Proposed, EngineError> {
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
    /// Every review, in the order in which they were asked.
    pub fn reviews(&self) -> Result<Vec<Asked>, EngineError> {
        self.store.at_one_moment(|world| {
            let mut reviews = Vec::new();
            for id in world.proposals()? {
                if let Some(entry) = world.entry(&id)? {
                    reviews.extend(Asked::read(world, &entry)?);
                }
            }
            Ok(reviews)
        })
    }
}

#[cfg(test)]
mod tests;
