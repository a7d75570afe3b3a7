//! Changes that a program proposes and the user decides about.
//!
//! An agent has a key of its own, which may add records and conclusions and may not speak for the
//! user. What it would do for the user (correct, refute, retract, forget) becomes a `proposal`
//! operation that holds the operations and names the program. The user's key decides: accepting
//! appends the operations, each citing the proposal, and a `decision` that says how the user was
//! asked. So an accepted change always shows which program asked for it, and nothing is appended on
//! trust: a proposal that would append anything else than these kinds, or a learned preference
//! ([`crate::belief::learned`]), is not read as one.

use std::collections::BTreeSet;

use kernel::body::Body;
use kernel::canonical;
use kernel::id::{Author, OpId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::proposal::{Decision, Proposal, Proposed, ProposedTarget};
use kernel::seal::Draft;
use kernel::validity::Validity;
use serde_json::{Map, Value, json};
use store::StoreError;

use crate::belief::learned;
use crate::belief::name::acting;
use crate::belief::review::{Status, acting_on, decided, proposed};
use crate::belief::user::UserError;
use crate::belief::{Bodies, body_of};
use crate::inspect::ALTERED;
use crate::write::patch::PATCH;
use crate::{EngineError, Reader};

/// Most operations of one proposal.
pub const OPERATIONS_MAX: usize = 16;

/// The role in which an accepted operation cites the proposal that it came from.
pub const PROPOSAL_ROLE: &str = "proposal";

/// The field of a decision that says how the user was asked.
const ASKED: &str = "asked";

/// The kinds of operations that can be proposed: what users say of beliefs and records.
const PROPOSABLE: [Kind; 7] = [
    Kind::ClaimCorrection,
    Kind::ClaimRefutation,
    Kind::CorrectionWithdrawal,
    Kind::RefutationWithdrawal,
    Kind::EvidenceRetraction,
    Kind::Retraction,
    Kind::Redaction,
];

/// A proposed change.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedChange {
    /// The proposal.
    pub id: OpId,
    /// When it was made.
    pub at: HlcTimestamp,
    /// The key that signed it.
    pub by: Author,
    /// The program that proposes, as it was recorded.
    pub origin: String,
    /// The proposal in words, for the user.
    pub text: String,
    /// What accepting appends.
    pub operations: Vec<Draft>,
    /// Its status.
    pub status: Status,
}

/// How the user agreed to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// The user decided about it later, among the reviews.
    Review,
    /// The program asked the user in place, by its host.
    Elicitation,
    /// The user's configuration allows the program to do so.
    Setting,
}

impl Consent {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Elicitation => "elicitation",
            Self::Setting => "setting",
        }
    }
}

/// Where an operation came from a proposal: which program proposed it, and how the user agreed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProposedBy {
    /// The program.
    pub program: String,
    /// The key that signed the proposal.
    pub key: Author,
    /// The proposal.
    pub proposal: OpId,
    /// What the user was asked.
    pub question: String,
    /// How the user agreed: `review`, `elicitation`, `setting`; none if it is not recorded.
    pub consent: Option<String>,
}

/// The proposal of `drafts` by a program, in words for the user.
pub fn propose(drafts: &[Draft], origin: &str, text: &str) -> Result<Draft, EngineError> {
    let operations = drafts.iter().map(proposed).collect::<Result<_, _>>()?;
    let role = Role::parse(Proposal::SOURCE)?;
    let cited: BTreeSet<OpId> = drafts.iter().flat_map(|draft| &draft.refs).map(|r| r.id).collect();
    let proposal = Proposal {
        origin: origin.to_owned(),
        text: text.to_owned(),
        operations,
        ..Proposal::default()
    };
    let refs = cited.into_iter().map(|id| Ref { id, role: role.clone() }).collect();
    Ok(Draft { body: Body::Proposal(proposal), refs })
}

impl ProposedChange {
    /// Reads a proposal as a change; none if it is a review, if its author may not propose, or if
    /// it would append anything that cannot be proposed.
    fn read<B: Bodies + ?Sized>(index: &B, entry: &Entry) -> Result<Option<Self>, StoreError> {
        let Some(Body::Proposal(proposal)) = body_of(index, &entry.id, &Kind::Proposal)? else {
            return Ok(None);
        };
        let is_change = proposal.review.is_none()
            && !proposal.others.contains_key("review")
            && !proposal.others.contains_key(PATCH)
            && (1..=OPERATIONS_MAX).contains(&proposal.operations.len());
        if !is_change || !index.access()?.holds(&entry.author, Capability::Derive, entry.place()) {
            return Ok(None);
        }
        let drafts: Option<Vec<Draft>> = proposal.operations.iter().map(draft_of).collect();
        let Some(operations) = drafts else { return Ok(None) };
        let status = match decided(index, &entry.id)? {
            Some(status) => status,
            None if is_moot(index, &operations)? => Status::Moot,
            None => Status::Pending,
        };
        Ok(Some(Self {
            id: entry.id,
            at: entry.ts,
            by: entry.author,
            origin: proposal.origin,
            text: proposal.text,
            operations,
            status,
        }))
    }

    /// The drafts that accepting appends: the operations, and the decision.
    pub fn accept(&self, consent: Consent, note: &str) -> Result<Vec<Draft>, EngineError> {
        let mut drafts = self.operations.clone();
        for draft in &mut drafts {
            if let Body::Claim(claim) = &mut draft.body {
                learned::accepted(claim, &self.id);
                continue;
            }
            draft.refs.push(Ref { id: self.id, role: Role::parse(PROPOSAL_ROLE)? });
        }
        drafts.push(self.decision(Decision::ACCEPT, consent, note)?);
        Ok(drafts)
    }

    /// The drafts that rejecting appends.
    pub fn dismiss(&self, note: &str) -> Result<Vec<Draft>, EngineError> {
        Ok(vec![self.decision(Decision::REJECT, Consent::Review, note)?])
    }

    fn decision(&self, verdict: &str, how: Consent, note: &str) -> Result<Draft, EngineError> {
        let asked = json!({ "how": how.as_str(), "by": self.origin, "key": self.by });
        let decision = Decision {
            verdict: verdict.to_owned(),
            feedback: note.to_owned(),
            others: Map::from_iter([(ASKED.to_owned(), asked)]),
        };
        acting_on(self.id, Body::Decision(decision))
    }

    /// Whether it would do the same, whatever reasons are given.
    fn does(&self, drafts: &[Draft]) -> bool {
        self.operations.len() == drafts.len()
            && self.operations.iter().zip(drafts).all(|(one, other)| effect(one) == effect(other))
    }
}

/// A proposed operation as a draft, if it can be proposed.
fn draft_of(operation: &Proposed) -> Option<Draft> {
    if operation.kind() == Some(Kind::Claim) {
        return learned::read(operation);
    }
    let kind = operation.kind().filter(|kind| PROPOSABLE.contains(kind))?;
    let [target] = operation.refs.as_slice() else { return None };
    let ProposedTarget::Id(id) = target.target else { return None };
    if target.role != Role::TARGET {
        return None;
    }
    let bytes = canonical::to_bytes(&operation.body).ok()?;
    acting_on(id, Body::parse(&kind, &bytes).ok()?).ok()
}

/// What an operation does: its kind, its target and its body without the reason.
fn effect(draft: &Draft) -> (Kind, Vec<OpId>, Value) {
    let bytes = draft.body.canonical().unwrap_or_default();
    let mut body: Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    for reason in ["note", "reason"] {
        body.remove(reason);
    }
    let targets = draft.refs.iter().map(|cited| cited.id).collect();
    (draft.body.kind(), targets, Value::Object(body))
}

/// Whether there is nothing left to decide: an operation was done already, or cannot be done.
fn is_moot<B: Bodies + ?Sized>(index: &B, drafts: &[Draft]) -> Result<bool, StoreError> {
    for draft in drafts {
        let Some(target) = draft.refs.first().map(|cited| cited.id) else { return Ok(true) };
        let is_done = match &draft.body {
            Body::Claim(claim) => learned::is_moot(index, claim, &draft.refs)?,
            Body::ClaimCorrection(body) => {
                Validity::new(index).standing(&body.identity_key)?.refutation.is_some()
            }
            Body::ClaimRefutation(body) => {
                Validity::new(index).standing(&body.identity_key)?.refutation.is_some()
            }
            // One that was withdrawn since can be done again.
            Body::EvidenceRetraction(_) | Body::Retraction(_) => match index.entry(&target)? {
                Some(entry) => !Validity::new(index).retractions(&entry)?.is_empty(),
                None => false,
            },
            body => !acting(index, &target, &body.kind())?.is_empty(),
        };
        if is_done {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Which program proposed an operation, and how the user agreed; none if nobody proposed it.
pub(crate) fn proposed_by<B: Bodies>(
    index: &B,
    entry: &Entry,
) -> Result<Option<ProposedBy>, StoreError> {
    let Some(id) = entry.cited(PROPOSAL_ROLE).next() else { return Ok(None) };
    let Some(proposal) = index.entry(&id)?.filter(|cited| cited.kind == Kind::Proposal) else {
        return Ok(None);
    };
    let (program, question) = match body_of(index, &id, &Kind::Proposal)? {
        Some(Body::Proposal(body)) => (body.origin, body.text),
        _ => (String::new(), String::new()),
    };
    let mut consent = None;
    for decision in acting(index, &id, &Kind::Decision)? {
        if let Some(Body::Decision(body)) = body_of(index, &decision.id, &Kind::Decision)? {
            let how = body.others.get(ASKED).and_then(|asked| asked.get("how"));
            consent = how.and_then(Value::as_str).map(str::to_owned).or(consent);
        }
    }
    Ok(Some(ProposedBy { program, key: proposal.author, proposal: id, question, consent }))
}

impl Reader<'_> {
    /// Every proposed change, in the order of the proposals, now or as of a time of recording
    /// (microseconds since the Unix epoch).
    pub fn proposed_changes(
        &self,
        as_of_us: Option<u64>,
    ) -> Result<Vec<ProposedChange>, EngineError> {
        let read = |index: &dyn Bodies, entry: &Entry| ProposedChange::read(index, entry);
        let mut changes = self.proposals_at(as_of_us, read)?;
        for change in &mut changes {
            if !self.store.is_as_signed(&change.id)? {
                change.text = ALTERED.to_owned();
                change.operations.clear();
            }
        }
        Ok(changes)
    }

    /// The proposed change that `name` (an id or the beginning of one) names, whatever its status;
    /// none if it names something else.
    pub fn proposed_change(&self, name: &str) -> Result<Option<ProposedChange>, EngineError> {
        let id = self.resolve(name)?;
        Ok(self.store.on_snapshot(|index| match index.entry(&id)? {
            Some(entry) if entry.kind == Kind::Proposal => ProposedChange::read(index, &entry),
            _ => Ok::<_, StoreError>(None),
        })?)
    }

    /// The proposed change that `name` names, to be decided; none if it names something else.
    ///
    /// # Errors
    /// If `name` names nothing, or a change that is decided or was altered in the file.
    pub fn change_to_decide(&self, name: &str) -> Result<Option<ProposedChange>, EngineError> {
        match self.proposed_change(name)? {
            Some(ProposedChange { id, status, .. }) if status != Status::Pending => {
                Err(UserError::ReviewSettled { id, status }.into())
            }
            Some(change) => {
                self.check_as_signed([change.id])?;
                Ok(Some(change))
            }
            None => Ok(None),
        }
    }

    /// A proposal that does the same as `drafts` and awaits a decision or was rejected.
    pub fn proposed_before(&self, drafts: &[Draft]) -> Result<Option<ProposedChange>, EngineError> {
        let Some(target) = drafts.first().and_then(|draft| draft.refs.first()) else {
            return Ok(None);
        };
        Ok(self.store.on_snapshot(|index| {
            let mut latest: Option<ProposedChange> = None;
            for id in index.acting(&target.id, &Kind::Proposal, Proposal::SOURCE)? {
                let Some(entry) = index.entry(&id)? else { continue };
                if let Some(change) = ProposedChange::read(index, &entry)?
                    && matches!(change.status, Status::Pending | Status::Dismissed)
                    && change.does(drafts)
                    && latest.as_ref().is_none_or(|latest| latest.at < change.at)
                {
                    latest = Some(change);
                }
            }
            Ok::<_, StoreError>(latest)
        })?)
    }
}
