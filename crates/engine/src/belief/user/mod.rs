//! Corrections, refutations, withdrawals and retractions by the user, as drafts.
//!
//! Nothing here writes. Each function reads the present state of an identity and returns the drafts
//! that [`crate::Writer::act`] records, or an error: an unknown belief cannot be corrected, a
//! refuted one cannot be refuted again, and only a correction or refutation in force can be
//! withdrawn. An error leaves everything as it was.
//!
//! A name is an identity key, or the id of an operation on that identity. Withdrawing by key
//! withdraws the refutation or, if there is none, all corrections; withdrawing by id withdraws that
//! one operation.

use kernel::body::{Body, Correction, Reason, Refutation, Withdrawal};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::kind_spec::Effect;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use kernel::validity::{State, Validity};
use kernel::when::When;
use serde_json::Value;
use store::StoreError;

use crate::belief::name::{Named, acting, has_effect, withdrawal_of};
use crate::belief::review::{Review, Status, acting_on, check_undecided};
use crate::belief::{Belief, Bodies, belief, body_of};
use crate::write::graph::is_derived;
use crate::{EngineError, Reader};

mod payload;
mod record;
mod said;

/// Why a correction, refutation, withdrawal or retraction is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// The identity is refuted already.
    #[error("{key} is refuted already, by {by}; nothing was written")]
    AlreadyRefuted {
        /// The identity.
        key: String,
        /// The refutation.
        by: OpId,
    },
    /// A refuted identity cannot be corrected.
    #[error("{key} is refuted: you said that it is false; withdraw that first")]
    CorrectsRefuted {
        /// The identity.
        key: String,
    },
    /// The record is retracted already.
    #[error("{id} was taken back already, by {by}; nothing was written")]
    AlreadyRetracted {
        /// The record.
        id: OpId,
        /// The retraction.
        by: OpId,
    },
    /// The record was forgotten: no act of a person brings it back.
    #[error("{id} was forgotten, by {by}: its content is erased, and it cannot be restored")]
    Forgotten {
        /// The record.
        id: OpId,
        /// The redaction.
        by: OpId,
    },
    /// The record is not retracted.
    #[error("{id} is not retracted; nothing was written")]
    NotRetracted {
        /// The record, or a retraction that is not in force.
        id: OpId,
    },
    /// A derived claim is retracted by derivation, which states it again where records support it.
    #[error(
        "{key} was derived, and is derived again as soon as records support it: restore a record that it was built from"
    )]
    Rederived {
        /// The identity.
        key: String,
    },
    /// The belief would be derived again.
    #[error(
        "{key} was derived, so it would be derived again: refute or correct it, or retract a record that it was built from"
    )]
    Derived {
        /// The identity.
        key: String,
    },
    /// The operation is a correction or refutation.
    #[error("{id} is your own word: withdraw it instead")]
    UsersWord {
        /// The correction or refutation.
        id: OpId,
    },
    /// The user's correction would stand beside what takes the place of a claim.
    #[error("{id} was corrected by the user, and the correction would stay beside this")]
    StandsCorrected {
        /// The claim.
        id: OpId,
    },
    /// Words alone would leave the data of a belief as they are.
    #[error(
        "the text alone would leave the data of {key} as they are ({fields}); give the fields that change as well"
    )]
    TextAlone {
        /// The identity.
        key: String,
        /// Its fields with their values.
        fields: String,
    },
    /// Words say something else than the data that are given with them.
    #[error("the text says {read}, and the data of {key} would be {fields}; nothing was written")]
    TextContradicts {
        /// The identity.
        key: String,
        /// What derivers read in the text.
        read: String,
        /// The data.
        fields: String,
    },
    /// The record has a newer version.
    #[error("{id} was replaced by {by}; nothing was written")]
    Superseded {
        /// The record.
        id: OpId,
        /// The newer version.
        by: OpId,
    },
    /// No correction or refutation is in force.
    #[error("{name} has no correction or refutation in force; nothing was written")]
    NothingToWithdraw {
        /// The name.
        name: String,
    },
    /// The operation is withdrawn already.
    #[error("{id} was withdrawn already, by {by}; nothing was written")]
    AlreadyWithdrawn {
        /// The correction or refutation.
        id: OpId,
        /// The withdrawal.
        by: OpId,
    },
    /// The new payload cannot be parsed.
    #[error("{text:?} is neither JSON ({reason}) nor FIELD=VALUE")]
    PayloadMalformed {
        /// Its beginning.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The new payload has another shape than the belief.
    #[error("this does not fit {key}: {reason}")]
    PayloadShape {
        /// The identity.
        key: String,
        /// The difference.
        reason: String,
    },
    /// The belief is in words, and has no fields.
    #[error("this does not fit {key}: it is stated in words, so it takes new words and no fields")]
    StatedInWords {
        /// The identity.
        key: String,
    },
    /// No review has this id.
    #[error("{id} is not a review")]
    NoReview {
        /// The operation.
        id: OpId,
    },
    /// The review is settled.
    #[error("the review {id} is settled already: {}", status.as_str())]
    ReviewSettled {
        /// The proposal.
        id: OpId,
        /// Its status.
        status: Status,
    },
}

impl UserError {
    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyRefuted { .. } => "already_refuted",
            Self::CorrectsRefuted { .. } => "corrects_refuted",
            Self::AlreadyRetracted { .. } => "already_retracted",
            Self::Forgotten { .. } => "forgotten",
            Self::TextAlone { .. } => "text_alone",
            Self::TextContradicts { .. } => "text_contradicts",
            Self::Superseded { .. } => "superseded",
            Self::NotRetracted { .. } => "not_retracted",
            Self::Rederived { .. } => "rederived",
            Self::Derived { .. } => "derived",
            Self::UsersWord { .. } | Self::StandsCorrected { .. } => "users_word",
            Self::NothingToWithdraw { .. } => "nothing_to_withdraw",
            Self::AlreadyWithdrawn { .. } => "already_withdrawn",
            Self::PayloadMalformed { .. } => "payload_malformed",
            Self::PayloadShape { .. } | Self::StatedInWords { .. } => "payload_shape",
            Self::NoReview { .. } => "no_review",
            Self::ReviewSettled { .. } => "review_settled",
        }
    }
}

/// The replacement in a correction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// JSON that replaces the payload, or `FIELD=VALUE` for fields of it; empty to leave it as it
    /// is.
    pub set: Vec<String>,
    /// The same in words.
    pub text: Option<String>,
    /// Why it is corrected, in the words that are kept with the correction.
    pub note: String,
    /// For a record: when it happened; none to leave it as it is.
    pub at: Option<When>,
}

impl Reader<'_> {
    /// The belief that `name` names. An identity without any operation in effect is unknown.
    ///
    /// # Errors
    /// If `name` names nothing, several operations, or one that states no belief.
    pub fn believed(&self, name: &str) -> Result<Belief, EngineError> {
        let key = self.belief_named(name)?;
        let belief = self.store.on_snapshot(|index| belief(index, &key))?;
        match belief.state {
            State::None => Err(EngineError::UnknownBelief { name: key, near: Vec::new() }),
            _ => Ok(belief),
        }
    }

    /// Drafts that correct a belief, or a record.
    ///
    /// # Errors
    /// If `name` names neither a belief nor a record, or the belief is refuted. If the replacement
    /// does not fit: it is neither JSON nor fields, or its words contradict the data or leave them
    /// as they are. If what it is made from was altered in the file.
    pub fn to_correct(&self, name: &str, by: &Replacement) -> Result<Vec<Draft>, EngineError> {
        if let Named::Operation { id, kind: Kind::Evidence } = self.name_of(name)? {
            self.check_as_signed([id])?;
            return self.store.on_snapshot(|index| Ok(vec![record::corrected(index, id, by)?]));
        }
        let belief = self.believed(name)?;
        if belief.state == State::Refuted {
            return Err(UserError::CorrectsRefuted { key: belief.key }.into());
        }
        let target = self.target(&belief)?;
        // What the correction leaves as it is, it takes from them.
        self.check_as_signed([belief.current, belief.served].into_iter().flatten())?;
        let claimed = match belief.current {
            Some(id) => self.store.on_snapshot(|index| body_of(index, &id, &Kind::Claim))?,
            None => None,
        };
        let claimed = claimed.as_ref().and_then(|body| match body {
            Body::Claim(claim) => Some(&claim.payload),
            _ => None,
        });
        let payload = match &by.text {
            Some(text) if by.set.is_empty() => self.payload_in_words(&belief, text)?,
            text => {
                let payload = payload::replacing(&belief, claimed, &by.set)?;
                if let Some(text) = text {
                    self.check_text(&belief, &payload, text)?;
                }
                payload
            }
        };
        let correction = Correction {
            text: by.text.clone().or_else(|| payload::in_words(&belief, &payload)),
            corrected_payload: payload,
            identity_key: belief.key,
            note: by.note.clone(),
        };
        Ok(vec![acting_on(target, Body::ClaimCorrection(correction))?])
    }

    /// The payload of a belief that is corrected in words alone: what its deriver reads in them. If
    /// nothing does, words are enough only where there are no data that they could contradict.
    fn payload_in_words(&self, belief: &Belief, text: &str) -> Result<Value, EngineError> {
        if let Some(payload) = said::payload_of(self.derivers, &belief.key, text) {
            return Ok(payload);
        }
        match &belief.payload {
            Value::Object(fields) if !fields.is_empty() && text.trim() != belief.text.trim() => {
                let fields = payload::listed(fields);
                Err(UserError::TextAlone { key: belief.key.clone(), fields }.into())
            }
            // A claim in words says its words, and what was built on the old ones must not stand.
            // The same words confirm it.
            Value::Null | Value::String(_) if text.trim() != belief.text.trim() => {
                Ok(Value::from(text.trim()))
            }
            payload => Ok(payload.clone()),
        }
    }

    /// Fails if derivers read something else in the text of a correction than its data say.
    fn check_text(&self, belief: &Belief, payload: &Value, text: &str) -> Result<(), UserError> {
        let Some(read) = said::contradicting(self.derivers, belief, payload, text) else {
            return Ok(());
        };
        let listed = |value: &Value| value.as_object().map(payload::listed).unwrap_or_default();
        Err(UserError::TextContradicts {
            key: belief.key.clone(),
            read: listed(&read),
            fields: listed(payload),
        })
    }

    /// Drafts that refute a belief.
    ///
    /// # Errors
    /// If `name` names no belief, or one that is refuted already.
    pub fn to_refute(&self, name: &str, note: &str) -> Result<Vec<Draft>, EngineError> {
        let belief = self.believed(name)?;
        if belief.state == State::Refuted {
            let said = self.in_force(&belief.key, &Kind::ClaimRefutation)?;
            if let Some(by) = said.last() {
                return Err(UserError::AlreadyRefuted { key: belief.key, by: by.id }.into());
            }
        }
        let target = self.target(&belief)?;
        let refutation = Refutation { identity_key: belief.key, note: note.to_owned() };
        Ok(vec![acting_on(target, Body::ClaimRefutation(refutation))?])
    }

    /// Drafts that withdraw corrections or a refutation, of a record its corrections.
    ///
    /// # Errors
    /// If `name` names nothing, or nothing that is in force and can be withdrawn.
    pub fn to_withdraw(&self, name: &str, note: &str) -> Result<Vec<Draft>, EngineError> {
        let said = match self.name_of(name)? {
            Named::Version { id, kind, .. } if withdrawal_of(&kind).is_some() => {
                vec![self.withdrawable(id)?]
            }
            Named::Belief { key } | Named::Version { key, .. } => {
                let refutations = self.in_force(&key, &Kind::ClaimRefutation)?;
                let corrections = || self.in_force(&key, &Kind::ClaimCorrection);
                let said = if refutations.is_empty() { corrections()? } else { refutations };
                if said.is_empty() {
                    return Err(UserError::NothingToWithdraw { name: key }.into());
                }
                said
            }
            Named::Operation { id, kind: Kind::Evidence } => {
                self.check_as_signed([id])?;
                return self
                    .store
                    .on_snapshot(|index| Ok(vec![record::uncorrected(index, id, note)?]));
            }
            Named::Operation { id, .. } => {
                return Err(UserError::NothingToWithdraw { name: id.to_string() }.into());
            }
        };
        let withdrawal = || Withdrawal { note: note.to_owned() };
        said.into_iter()
            .map(|entry| match entry.kind {
                Kind::ClaimRefutation => {
                    acting_on(entry.id, Body::RefutationWithdrawal(withdrawal()))
                }
                _ => acting_on(entry.id, Body::CorrectionWithdrawal(withdrawal())),
            })
            .collect()
    }

    /// Drafts that retract a record, or a belief that a person stated.
    ///
    /// # Errors
    /// If `name` names nothing or what is retracted already. If it is the user's word, which is
    /// withdrawn instead, or a derived belief, which is refuted instead.
    pub fn to_retract(&self, name: &str, note: &str) -> Result<Vec<Draft>, EngineError> {
        let (target, kind) = match self.name_of(name)? {
            Named::Version { id, kind, .. } | Named::Operation { id, kind } => (id, kind),
            Named::Belief { key } => match self.believed(&key)?.current {
                Some(current) => (current, Kind::Claim),
                None => return Err(EngineError::UnknownBelief { name: key, near: Vec::new() }),
            },
        };
        if withdrawal_of(&kind).is_some() {
            return Err(UserError::UsersWord { id: target }.into());
        }
        let reason = Reason { reason: note.to_owned() };
        let body = match kind {
            Kind::Evidence => Body::EvidenceRetraction(reason),
            _ => Body::Retraction(reason),
        };
        self.store.on_snapshot(|index| {
            check_not_retracted(index, target)?;
            match body_of(index, &target, &kind)? {
                // What a model or an agent stated is not derived again.
                Some(Body::Claim(claim)) if is_derived(&claim) => {
                    Err(EngineError::from(UserError::Derived { key: claim.identity_key }))
                }
                _ => Ok(()),
            }
        })?;
        Ok(vec![acting_on(target, body)?])
    }

    /// Drafts that retract these records of evidence.
    pub fn to_retract_all(&self, ids: &[OpId], note: &str) -> Result<Vec<Draft>, EngineError> {
        let retraction = || Body::EvidenceRetraction(Reason { reason: note.to_owned() });
        ids.iter().map(|id| acting_on(*id, retraction())).collect()
    }

    /// Drafts that take retractions back: the one that `name` names, or all of the record that it
    /// names.
    ///
    /// # Errors
    /// If `name` names nothing, or what is not retracted or is forgotten. If it is a derived
    /// belief, which returns with the records that it was built from.
    pub fn to_restore(&self, name: &str, note: &str) -> Result<Vec<Draft>, EngineError> {
        let id = match self.name_of(name)? {
            Named::Version { id, .. } | Named::Operation { id, .. } => id,
            Named::Belief { key } => match self.believed(&key)?.current {
                Some(current) => current,
                None => return Err(EngineError::UnknownBelief { name: key, near: Vec::new() }),
            },
        };
        self.store.on_snapshot(|index| {
            let entry = index.entry(&id)?.ok_or(UserError::NotRetracted { id })?;
            let retracted = match entry.kind.spec().effect {
                Effect::Retract => entry.sole_ref(Role::TARGET).unwrap_or(id),
                Effect::None
                | Effect::Access
                | Effect::Restore
                | Effect::Supersede
                | Effect::State
                | Effect::Withdraw
                | Effect::RecordInvalidation => id,
            };
            let mut retractions = retractions_of(index, &retracted)?;
            check_not_forgotten(&retractions, retracted)?;
            if retracted != id {
                retractions.retain(|retraction| retraction.id == id);
            }
            if retractions.is_empty() {
                return Err(EngineError::from(UserError::NotRetracted { id }));
            }
            let kind = index.entry(&retracted)?.map_or(Kind::Evidence, |entry| entry.kind);
            if let Some(Body::Claim(claim)) = body_of(index, &retracted, &kind)?
                && is_derived(&claim)
            {
                return Err(UserError::Rederived { key: claim.identity_key }.into());
            }
            retractions.iter().map(|retraction| restoring(retraction.id, note)).collect()
        })
    }

    /// Drafts that take back every retraction of these records.
    pub fn to_restore_all(&self, ids: &[OpId], note: &str) -> Result<Vec<Draft>, EngineError> {
        self.store.on_snapshot(|index| {
            let mut drafts = Vec::with_capacity(ids.len());
            for id in ids {
                for retraction in retractions_of(index, id)? {
                    drafts.push(restoring(retraction.id, note)?);
                }
            }
            Ok(drafts)
        })
    }

    /// The review that `name` (an id or the beginning of one) names, to be decided.
    ///
    /// # Errors
    /// If `name` names no review, one that is decided, or one that was altered in the file.
    pub fn review_named(&self, name: &str) -> Result<Review, EngineError> {
        let id = self.resolve(name)?;
        self.check_as_signed([id])?;
        let review = self.store.on_snapshot(|index| match index.entry(&id)? {
            Some(entry) if entry.kind == Kind::Proposal => Review::read(index, &entry),
            _ => Ok(None),
        })?;
        match review {
            Some(review) if review.status == Status::Pending => Ok(review),
            Some(review) => Err(UserError::ReviewSettled { id, status: review.status }.into()),
            None => Err(UserError::NoReview { id }.into()),
        }
    }

    /// The target of a user action: the served operation, or else the latest version.
    fn target(&self, belief: &Belief) -> Result<OpId, EngineError> {
        let unknown = || EngineError::UnknownBelief { name: belief.key.clone(), near: Vec::new() };
        belief.served.or(belief.current).ok_or_else(unknown)
    }

    /// The corrections or refutations of an identity that are not withdrawn, in the space's order.
    fn in_force(&self, key: &str, kind: &Kind) -> Result<Vec<Entry>, EngineError> {
        Ok(self.store.on_snapshot(|index| in_force(index, key, kind))?)
    }

    /// A correction or refutation that is in force.
    fn withdrawable(&self, id: OpId) -> Result<Entry, EngineError> {
        self.store.on_snapshot(|index| {
            let nothing = || UserError::NothingToWithdraw { name: id.to_string() };
            let entry = index.entry(&id)?.ok_or_else(nothing)?;
            match withdrawn_by(index, &entry)? {
                Some(by) => Err(UserError::AlreadyWithdrawn { id, by }.into()),
                None if has_effect(index, &entry)? => Ok(entry),
                None => Err(EngineError::from(nothing())),
            }
        })
    }
}

/// Whether an act is still possible where it is about to be recorded: between its draft and the
/// write lock, another writer may have done the same. What the act itself recorded does not count.
pub(crate) fn check_possible<B: Bodies + ?Sized>(
    index: &B,
    draft: &Draft,
    own: &[OpId],
) -> Result<(), EngineError> {
    let another = |by: &Entry| !own.contains(&by.id);
    if let Body::ClaimRefutation(Refutation { identity_key: key, .. }) = &draft.body {
        let refutations = in_force(index, key, &Kind::ClaimRefutation)?;
        return match refutations.iter().find(|by| another(by)) {
            Some(by) => Err(UserError::AlreadyRefuted { key: key.clone(), by: by.id }.into()),
            None => Ok(()),
        };
    }
    if let Body::Evidence(_) = &draft.body {
        let replaced = draft.refs.iter().filter(|cited| cited.role.as_str() == Role::SUPERSEDES);
        for Ref { id, .. } in replaced {
            if let Some(by) = record::newer(index, id)?.filter(|by| !own.contains(by)) {
                return Err(UserError::Superseded { id: *id, by }.into());
            }
        }
    }
    for Ref { id, .. } in draft.refs.iter().filter(|cited| cited.role.as_str() == Role::TARGET) {
        let id = *id;
        match &draft.body {
            Body::Decision(_) => check_undecided(index, &id)?,
            Body::EvidenceRetraction(_) | Body::Retraction(_) => {
                let retractions = retractions_of(index, &id)?;
                if let Some(by) = retractions.iter().find(|by| another(by)) {
                    return Err(UserError::AlreadyRetracted { id, by: by.id }.into());
                }
            }
            body @ (Body::CorrectionWithdrawal(_)
            | Body::RefutationWithdrawal(_)
            | Body::RetractionWithdrawal(_)) => {
                let withdrawn = acting(index, &id, &body.kind())?;
                if let Some(by) = withdrawn.iter().find(|by| another(by)) {
                    return Err(UserError::AlreadyWithdrawn { id, by: by.id }.into());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The corrections or refutations of an identity that are not withdrawn, in the space's order.
fn in_force<B: Bodies + ?Sized>(
    index: &B,
    key: &str,
    kind: &Kind,
) -> Result<Vec<Entry>, StoreError> {
    let mut said = Vec::new();
    for entry in index.identity(key)? {
        if entry.kind == *kind
            && has_effect(index, &entry)?
            && withdrawn_by(index, &entry)?.is_none()
        {
            said.push(entry);
        }
    }
    Ok(said)
}

/// The retractions of an operation that are in force.
fn retractions_of<B: Bodies + ?Sized>(index: &B, id: &OpId) -> Result<Vec<Entry>, StoreError> {
    match index.entry(id)? {
        Some(entry) => Validity::new(index).retractions(&entry),
        None => Ok(Vec::new()),
    }
}

/// Refuses to retract what is retracted or forgotten already.
fn check_not_retracted<B: Bodies>(index: &B, id: OpId) -> Result<(), EngineError> {
    let retractions = retractions_of(index, &id)?;
    check_not_forgotten(&retractions, id)?;
    match retractions.first() {
        Some(by) => Err(UserError::AlreadyRetracted { id, by: by.id }.into()),
        None => Ok(()),
    }
}

fn check_not_forgotten(retractions: &[Entry], id: OpId) -> Result<(), UserError> {
    match retractions.iter().find(|retraction| retraction.kind == Kind::Redaction) {
        Some(by) => Err(UserError::Forgotten { id, by: by.id }),
        None => Ok(()),
    }
}

fn restoring(retraction: OpId, note: &str) -> Result<Draft, EngineError> {
    acting_on(retraction, Body::RetractionWithdrawal(Withdrawal { note: note.to_owned() }))
}

fn withdrawn_by<B: Bodies + ?Sized>(index: &B, entry: &Entry) -> Result<Option<OpId>, StoreError> {
    let Some(withdrawal) = withdrawal_of(&entry.kind) else { return Ok(None) };
    Ok(acting(index, &entry.id, &withdrawal)?.first().map(|entry| entry.id))
}
