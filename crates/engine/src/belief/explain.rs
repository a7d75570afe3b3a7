//! Explains a belief: its sources, its derivation, its confidence and its history.
//!
//! Source: the derivation model, §8. An [`Explanation`] is computed from the ledger on each request
//! and never stored, so it is always up to date. Its JSON has exactly the keys of the model.
//! `built_from` is the provenance walk, depth first down to the evidence. `because` has the
//! rationale of the claim first, then that of every claim on the way. If a correction is served,
//! the correction is explained first, then the claim that it replaced.
//!
//! A body that was forgotten or withheld keeps its place, marked as redacted and empty.

use std::collections::{BTreeMap, HashSet};

use kernel::body::{Body, Deriver, EdgeType};
use kernel::confidence::Band;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::missing_body::Leave;
use kernel::operation::{HlcTimestamp, Role};
use kernel::provenance::{Hop, made_from};
use kernel::records::{RecordStatus, Records};
use kernel::snapshot::Snapshot;
use kernel::validity::State;
use serde::Serialize;
use serde_json::{Value, json};
use store::StoreError;
use store::sqlite::first_after;

use crate::belief::claims::{is_in_words, state_of};
use crate::belief::name::{Named, acting, has_effect, withdrawal_of};
use crate::belief::proposed::{ProposedBy, proposed_by};
use crate::belief::{Belief, Beliefs, Bodies, body_of};
use crate::derive::{Agreement, agreements};
use crate::inspect::summary_of;
use crate::keys::KeyRing;
use crate::private::{Disclosure, Privacy, Viewpoint};
use crate::verify::bodies::leave_of;
use crate::{EngineError, Reader};

/// The answer to "why is this believed?".
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The belief.
    pub claim: Explained,
    /// The rationale of the claim and of the claims that it was built from.
    pub because: Vec<Because>,
    /// The sources.
    pub built_from: Vec<Source>,
    /// The history of the identity, in the space's order.
    pub history: Vec<Event>,
    /// The user's corrections, refutations, withdrawals and retractions.
    pub user_actions: Vec<UserAction>,
    /// Where a correction is served: the derivers that now conclude the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agreements: Vec<Agreement>,
}

/// The claim or correction that is explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The claim or correction.
    pub op_id: OpId,
    /// The type of the claim.
    pub claim_type: String,
    /// Its payload.
    pub payload: Value,
    /// The identity's state; `superseded` for one that an edge replaces, `alias` for one that an
    /// edge redirects. Of a version that is not the last, what became of it: mostly `superseded`.
    pub state: String,
    /// What edges replace it by, or redirect it to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced_by: Vec<OpId>,
    /// The stated confidence; 1 for a correction.
    pub confidence: f64,
    /// The same in words.
    pub band: Band,
}

/// One step of reasoning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Because {
    /// The deriver; `None` for a statement by a person.
    pub deriver: Option<Deriver>,
    /// The rationale.
    pub rationale: String,
    /// The basis of the confidence.
    pub confidence_basis: Value,
    /// The claim or correction whose reason it is.
    #[serde(skip)]
    pub op_id: OpId,
}

/// One operation that it was built from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The operation.
    pub op_id: OpId,
    /// Its role.
    pub role: String,
    /// The kind of the operation.
    pub kind: String,
    /// Its origin: the name of an importer or a deriver, or `user`.
    pub source: Option<String>,
    /// Its content in one line.
    pub summary: Option<String>,
    /// Who quotes the user in it: the name of the key that signed it, if it gives the user's words
    /// and the key does not speak for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted_by: Option<String>,
    /// Whether its content is missing.
    pub redacted: bool,
    /// By whose leave its content is missing, if it is; none if nobody gave leave.
    #[serde(skip)]
    pub leave: Option<Leave>,
    /// The number of citations in between; the inputs of the claim itself are at 1.
    #[serde(skip)]
    pub depth: usize,
}

/// An event in the history of the identity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The operation.
    pub op_id: OpId,
    /// `derived`, `re-derived`, `stated`, `re-stated`, `invalidated`, `corrected`, `refuted`,
    /// `withdrawn`, `retracted`, `restored`.
    pub event: &'static str,
    /// When it was recorded.
    pub at: String,
    /// The confidence at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The cause; for a withdrawal, the withdrawn operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// The cause of an event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// The operation.
    pub op_id: OpId,
    /// The kind of the operation.
    pub kind: String,
}

/// An action of the user on the identity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UserAction {
    /// The operation.
    pub op_id: OpId,
    /// The kind of the operation.
    pub kind: String,
    /// When it was recorded.
    pub at: String,
    /// The user's note.
    pub note: String,
    /// Whether it is in force: false once it is withdrawn.
    pub active: bool,
    /// The payload of a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_payload: Option<Value>,
    /// The program that proposed it, if the user agreed to a proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<ProposedBy>,
}

/// An explanation and its subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Explaining {
    /// The record.
    pub explanation: Explanation,
    /// The identity as it stands.
    pub belief: Belief,
    /// The explained operation in words.
    pub text: String,
    /// Sources, events, actions and agreements that the reader may not see.
    pub withheld: usize,
}

impl Reader<'_> {
    /// The same as [`Reader::explain`] for a reader to whom not everything is disclosed. A private
    /// belief is unknown to them, and so is one of which a private version would be explained. Of
    /// any other, they do not see private versions, actions or agreements;
    /// [`Explaining::withheld`] counts these.
    pub fn explain_disclosed(
        &self,
        name: &str,
        disclosure: Disclosure,
    ) -> Result<Explaining, EngineError> {
        self.explain_from(name, &disclosure.into())
    }

    /// The same as of a time: the belief as it was held then, for the reasons that it had then.
    ///
    /// # Errors
    /// Those of [`Reader::explain`]; if it was recorded after that time,
    /// [`EngineError::NotRecordedThen`].
    pub fn explain_from(
        &self,
        name: &str,
        viewpoint: &Viewpoint,
    ) -> Result<Explaining, EngineError> {
        let Viewpoint { disclosure, as_of_us, .. } = *viewpoint;
        let named = self.name_disclosed(name, disclosure)?;
        let explained = self.explain_named(&named, as_of_us);
        if disclosure == Disclosure::Full {
            return explained;
        }
        let mut explaining = match (explained, &named) {
            // It came with a version that they may see.
            (Err(EngineError::NotRecordedThen { .. }), Named::Belief { key }) => {
                return Err(self.unknown_belief_then(key, viewpoint)?);
            }
            (explained, _) => explained?,
        };
        // The name of an identity is known by what is served now. Another version may be the one
        // that is explained: that of a time before, or the one after a refutation.
        if self.is_withheld(&explaining.explanation.claim.op_id, disclosure)? {
            return Err(self.unknown_belief_then(&explaining.belief.key, viewpoint)?);
        }
        self.store.on_snapshot(|index| {
            withhold(&mut Privacy::of(index), disclosure, &mut explaining)
                .map_err(EngineError::from)
        })?;
        Ok(explaining)
    }

    /// Explains what `name` (an identity key, or an id or the beginning of one) names: an identity
    /// by what is served of it, else by its latest version; an earlier version by itself.
    ///
    /// # Errors
    /// If `name` names nothing, several operations, or one that states no belief.
    pub fn explain(&self, name: &str) -> Result<Explaining, EngineError> {
        self.explain_named(&self.name_of(name)?, None)
    }

    fn explain_named(
        &self,
        named: &Named,
        as_of_us: Option<u64>,
    ) -> Result<Explaining, EngineError> {
        let keys = self.key_ring()?;
        let explaining = self.store.on_snapshot(|index| {
            let (key, version) = match named {
                Named::Belief { key } | Named::Version { key, kind: Kind::ClaimRefutation, .. } => {
                    (key, None)
                }
                Named::Version { key, id, .. } => (key, Some(*id)),
                Named::Operation { id, kind } => {
                    return Err(EngineError::NotABelief { id: *id, kind: kind.clone() });
                }
            };
            let explained = match as_of_us {
                None => explain_version(index, &keys, key, version)?,
                Some(until) => {
                    let then = Snapshot::before(index, first_after(until));
                    explain_version(&then, &keys, key, version)?
                }
            };
            let Some(mut explaining) = explained else {
                let first = match version {
                    Some(id) => index.entry(&id)?.map(|entry| entry.ts),
                    None => index.identity(key)?.iter().map(|entry| entry.ts).min(),
                };
                return Err(
                    match first.filter(|first| {
                        as_of_us.is_some_and(|until| *first >= first_after(until).0)
                    }) {
                        Some(first) => {
                            EngineError::NotRecordedThen { name: named.text(), at: time(first) }
                        }
                        None => EngineError::UnknownBelief { name: key.clone(), near: Vec::new() },
                    },
                );
            };
            let Explaining { explanation, belief, .. } = &mut explaining;
            let is_served = belief.served == Some(explanation.claim.op_id);
            // What derivers conclude is known of the present alone.
            if belief.state == State::Corrected && is_served && as_of_us.is_none() {
                let payload = &explanation.claim.payload;
                explanation.agreements = agreements(index, self.derivers, key, payload)?;
            }
            for source in explanation.built_from.iter_mut() {
                if source.redacted {
                    source.leave = leave_of(index, &source.op_id)?;
                }
            }
            Ok::<_, EngineError>(explaining)
        })?;
        let Explanation { claim, built_from, user_actions, .. } = &explaining.explanation;
        let sources = built_from.iter().map(|source| source.op_id);
        self.check_as_signed(std::iter::once(claim.op_id).chain(sources))?;
        self.check_as_signed(user_actions.iter().map(|action| action.op_id))?;
        Ok(explaining)
    }
}

/// Takes out of an explanation what the reader may not see.
fn withhold<B: Bodies>(
    privacy: &mut Privacy<'_, B>,
    disclosure: Disclosure,
    explaining: &mut Explaining,
) -> Result<(), StoreError> {
    let Explaining { explanation, belief, withheld, .. } = explaining;
    if privacy.is_belief_withheld(belief, disclosure)? {
        // A version that is not the last, whose identity tells nothing beyond it.
        *belief = Belief::unsaid(&belief.key, State::None);
    }
    let Explanation { claim, because, built_from, history, user_actions, agreements } = explanation;
    let before = built_from.len() + history.len() + user_actions.len() + agreements.len();
    let mut withheld_ids = HashSet::new();
    let ids = built_from.iter().map(|source| source.op_id);
    let ids = ids.chain(history.iter().map(|event| event.op_id));
    let ids = ids.chain(history.iter().filter_map(|event| Some(event.cause.as_ref()?.op_id)));
    let ids = ids.chain(user_actions.iter().map(|action| action.op_id));
    let ids = ids.chain(because.iter().map(|because| because.op_id));
    for id in ids {
        if privacy.is_withheld(&id, disclosure)? {
            withheld_ids.insert(id);
        }
    }
    for id in std::mem::take(&mut claim.replaced_by) {
        if !privacy.is_withheld(&id, disclosure)? {
            claim.replaced_by.push(id);
        }
    }
    because.retain(|because| !withheld_ids.contains(&because.op_id));
    built_from.retain(|source| !withheld_ids.contains(&source.op_id));
    history.retain(|event| !withheld_ids.contains(&event.op_id));
    for event in history.iter_mut() {
        event.cause = event.cause.take().filter(|cause| !withheld_ids.contains(&cause.op_id));
    }
    user_actions.retain(|action| !withheld_ids.contains(&action.op_id));
    agreements.retain(|agreement| disclosure.admits(agreement.visibility));
    let after = built_from.len() + history.len() + user_actions.len() + agreements.len();
    // What another space withholds is not even counted.
    let is_counted = disclosure != Disclosure::GlobalOnly;
    *withheld = if is_counted { before.saturating_sub(after) } else { 0 };
    Ok(())
}

/// Explains an identity by a version of it, else by what is served of it; none if there is none.
fn explain_version<B: Bodies>(
    index: &B,
    keys: &KeyRing,
    key: &str,
    version: Option<OpId>,
) -> Result<Option<Explaining>, StoreError> {
    let belief = Beliefs::of(index).get(key)?;
    let id = version.or(belief.served).or(belief.current);
    let Some(entry) = id.map(|id| index.entry(&id)).transpose()?.flatten() else { return Ok(None) };
    explain(index, keys, belief, &entry).map(Some)
}

/// The records that `supersedes` edges in force put in the place of one.
fn replacing<B: Bodies>(index: &B, id: &OpId) -> Result<Vec<OpId>, StoreError> {
    let edges = Records::new(index).edges(EdgeType::Supersedes, Role::TO, id)?;
    Ok(edges.into_iter().map(|edge| edge.from).collect())
}

/// The state of a version that is not the last, or of a correction that is not served: what became
/// of a claim in words itself, and the state of the identity for a correction in force. A later
/// version of what a deriver concludes supersedes it.
fn state_of_version<B: Bodies>(
    index: &B,
    belief: &Belief,
    version: &Entry,
) -> Result<&'static str, StoreError> {
    let mut records = Records::new(index);
    if version.kind == Kind::Claim && is_in_words(belief) {
        let status = records.status_of(version)?.unwrap_or(RecordStatus::Superseded);
        return Ok(status.as_str());
    }
    let in_force = records.validity().standing(&belief.key)?.correction;
    Ok(match in_force.is_some_and(|correction| correction.id == version.id) {
        true => state_of(belief),
        false => RecordStatus::Superseded.as_str(),
    })
}

/// Explains one version of an identity.
fn explain<B: Bodies>(
    index: &B,
    keys: &KeyRing,
    belief: Belief,
    version: &Entry,
) -> Result<Explaining, StoreError> {
    let is_last = belief.served == Some(version.id) || belief.current == Some(version.id);
    let displaced = belief.displaced.filter(|_| is_last);
    let state = match displaced {
        Some(displaced) => displaced.as_str(),
        None if is_last => belief.state.as_str(),
        None => state_of_version(index, &belief, version)?,
    };
    let replaced_by = match (displaced, belief.canonical) {
        (Some(RecordStatus::Superseded), _) => replacing(index, &version.id)?,
        (Some(_), canonical) => canonical.into_iter().collect(),
        (None, _) => Vec::new(),
    };
    let mut claim_type = belief.claim_type.clone();
    let (mut payload, mut confidence, mut text) = (Value::Null, 0.0, String::new());
    match body_of(index, &version.id, &version.kind)? {
        Some(Body::Claim(claim)) => {
            (payload, confidence, text, claim_type) =
                (claim.payload, claim.confidence, claim.text, claim.claim_type);
        }
        Some(Body::ClaimCorrection(correction)) => {
            text = correction.text.unwrap_or_else(|| correction.corrected_payload.to_string());
            (payload, confidence) = (correction.corrected_payload, 1.0);
        }
        _ => {}
    }
    let hops = made_from(index, version)?;
    let mut because: Vec<Because> = reason(index, version)?.into_iter().collect();
    let mut built_from = Vec::with_capacity(hops.len());
    for hop in hops {
        let Some(entry) = index.entry(&hop.id)? else { continue };
        because.extend(reason(index, &entry)?);
        built_from.push(source(index, keys, &entry, hop)?);
    }
    let (history, user_actions) = life(index, &belief.key)?;
    let band = Band::of(confidence);
    let claim = Explained {
        op_id: version.id,
        claim_type,
        payload,
        state: state.to_owned(),
        replaced_by,
        confidence,
        band,
    };
    let agreements = Vec::new();
    let explanation = Explanation { claim, because, built_from, history, user_actions, agreements };
    Ok(Explaining { explanation, belief, text, withheld: 0 })
}

/// The rationale of a claim or of a user action.
fn reason<B: Bodies>(index: &B, entry: &Entry) -> Result<Option<Because>, StoreError> {
    Ok(match body_of(index, &entry.id, &entry.kind)? {
        Some(Body::Claim(claim)) => Some(Because {
            deriver: claim.deriver,
            rationale: claim.rationale,
            confidence_basis: claim.confidence_basis,
            op_id: entry.id,
        }),
        Some(Body::ClaimCorrection(correction)) => Some(Because {
            deriver: None,
            rationale: correction.note,
            confidence_basis: json!({ "source": "user_correction" }),
            op_id: entry.id,
        }),
        _ => None,
    })
}

pub(crate) fn source<B: Bodies>(
    index: &B,
    keys: &KeyRing,
    entry: &Entry,
    hop: Hop,
) -> Result<Source, StoreError> {
    let body = body_of(index, &entry.id, &entry.kind)?;
    let source = match &body {
        Some(Body::Evidence(evidence)) => Some(evidence.source.clone()),
        Some(Body::Claim(claim)) => Some(
            claim
                .deriver
                .as_ref()
                .map_or_else(|| "user".to_owned(), |deriver| deriver.name.clone()),
        ),
        Some(Body::ClaimCorrection(_)) => Some("user".to_owned()),
        _ => None,
    };
    let quoted_by = match &body {
        Some(Body::Evidence(evidence)) => keys.quotes(evidence, &entry.author, entry.place()),
        _ => None,
    };
    Ok(Source {
        op_id: entry.id,
        quoted_by,
        role: hop.role,
        kind: entry.kind.as_str().to_owned(),
        source,
        redacted: body.is_none(),
        summary: body.as_ref().map(summary_of),
        leave: None,
        depth: hop.depth,
    })
}

type Life = BTreeMap<(HlcTimestamp, OpId), Event>;

/// All events of an identity, and the user actions among them.
fn life<B: Bodies>(index: &B, key: &str) -> Result<(Vec<Event>, Vec<UserAction>), StoreError> {
    let mut life = Life::new();
    let mut actions = BTreeMap::new();
    let mut versions = 0;
    for entry in index.identity(key)? {
        if !has_effect(index, &entry)? {
            continue;
        }
        if entry.kind == Kind::Claim {
            let claim = match body_of(index, &entry.id, &entry.kind)? {
                Some(Body::Claim(claim)) => Some(claim),
                _ => None,
            };
            let is_derived = claim.as_ref().is_none_or(|claim| claim.deriver.is_some());
            let event = match (is_derived, versions) {
                (true, 0) => "derived",
                (true, _) => "re-derived",
                (false, 0) => "stated",
                (false, _) => "re-stated",
            };
            versions += 1;
            let confidence = claim.map(|claim| claim.confidence);
            life.insert(entry.order(), Event { confidence, ..happened(&entry, event) });
            for fall in acting(index, &entry.id, &Kind::ClaimInvalidation)? {
                let cause = fall.sole_ref(Role::CAUSE);
                life.insert(fall.order(), happened(&fall, "invalidated").by(index, cause)?);
            }
            for retraction in acting(index, &entry.id, &Kind::Retraction)? {
                life.insert(
                    retraction.order(),
                    happened(&retraction, "retracted").by(index, Some(entry.id))?,
                );
                let withdrawals = acting(index, &retraction.id, &Kind::RetractionWithdrawal)?;
                // What a deriver concluded, derivation itself takes back.
                if !is_derived {
                    let active = withdrawals.is_empty();
                    actions.insert(retraction.order(), user_action(index, &retraction, active)?);
                }
                for withdrawal in withdrawals {
                    life.insert(
                        withdrawal.order(),
                        happened(&withdrawal, "restored").by(index, Some(retraction.id))?,
                    );
                    actions.insert(withdrawal.order(), user_action(index, &withdrawal, true)?);
                }
            }
        } else if let Some(withdrawal) = withdrawal_of(&entry.kind) {
            let (event, confidence) = if entry.kind == Kind::ClaimCorrection {
                ("corrected", Some(1.0))
            } else {
                ("refuted", None)
            };
            life.insert(entry.order(), Event { confidence, ..happened(&entry, event) });
            let withdrawals = acting(index, &entry.id, &withdrawal)?;
            actions.insert(entry.order(), user_action(index, &entry, withdrawals.is_empty())?);
            for withdrawal in withdrawals {
                life.insert(
                    withdrawal.order(),
                    happened(&withdrawal, "withdrawn").by(index, Some(entry.id))?,
                );
                actions.insert(withdrawal.order(), user_action(index, &withdrawal, true)?);
            }
        }
    }
    Ok((life.into_values().collect(), actions.into_values().collect()))
}

fn happened(entry: &Entry, event: &'static str) -> Event {
    Event { op_id: entry.id, event, at: time(entry.ts), confidence: None, cause: None }
}

impl Event {
    fn by<B: Bodies>(self, index: &B, cause: Option<OpId>) -> Result<Self, StoreError> {
        let entry = cause.map(|cause| index.entry(&cause)).transpose()?.flatten();
        let cause =
            entry.map(|entry| Cause { op_id: entry.id, kind: entry.kind.as_str().to_owned() });
        Ok(Self { cause, ..self })
    }
}

fn user_action<B: Bodies>(
    index: &B,
    entry: &Entry,
    active: bool,
) -> Result<UserAction, StoreError> {
    let (note, corrected_payload) = match body_of(index, &entry.id, &entry.kind)? {
        Some(Body::ClaimCorrection(correction)) => {
            (correction.note, Some(correction.corrected_payload))
        }
        Some(Body::ClaimRefutation(refutation)) => (refutation.note, None),
        Some(
            Body::CorrectionWithdrawal(withdrawal)
            | Body::RefutationWithdrawal(withdrawal)
            | Body::RetractionWithdrawal(withdrawal),
        ) => (withdrawal.note, None),
        Some(Body::Retraction(retraction)) => (retraction.reason, None),
        _ => (String::new(), None),
    };
    Ok(UserAction {
        op_id: entry.id,
        kind: entry.kind.as_str().to_owned(),
        at: time(entry.ts),
        note,
        active,
        corrected_payload,
        proposed_by: proposed_by(index, entry)?,
    })
}

/// When something was recorded, RFC 3339.
pub fn time(ts: HlcTimestamp) -> String {
    jiff::Timestamp::from_microsecond(ts.0.cast_signed()).unwrap_or_default().to_string()
}
