//! Submitting claims: the policy for a claim that a machine proposes.
//!
//! Derivers, mining, patches and consolidation all conclude something and want it believed.
//! [`submit`] decides about one claim, the same way for each of them:
//!
//! 1. The user's word comes first. A refuted identity is not claimed again. A corrected one keeps
//!    the user's payload: a claim that differs becomes a proposal, once for each payload. What a
//!    person stated is not replaced by a machine.
//! 2. A claim that says what is believed already is dropped.
//! 3. Otherwise the claim is sealed, as the next version of its identity, and recorded by the
//!    ordinary rules. A rule may refuse it.
//!
//! A recorded claim can invalidate others. Whoever submits calls [`record_consequences`] in the
//! same [`Writing`], once, after the last claim of a batch and before the commit: then a claim that
//! a later one of the batch replaces is not recorded as invalidated in between.

use importers::secrets::mask_body;
use kernel::access::Place;
use kernel::body::{self, Body, Claim, LastSeen, payload_digest};
use kernel::cascade::Review;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::Entry;
use kernel::operation::{HlcTimestamp, Malformation, MalformedError, Ref, Role};
use kernel::rules::RuleViolation;
use kernel::seal::{Draft, next_timestamp};
use kernel::validity::{State, Validity};
use kernel::when::When;
use serde_json::{Map, Value, json};
use store::{RecordError, Writing};

use super::claim_form::{ClaimFormError, check_claim};
use super::follow::record_invalidations;
use crate::EngineError;
use crate::belief::body_of;
use crate::belief::review::{Disagreement, propose_disagreement, propose_ground_changed};
use crate::seal::{Sealable, Sealer};

/// Corrections of corrections that are followed down to what was first corrected.
const CORRECTIONS_FOLLOWED_MAX: usize = 100;

/// The logic that concludes a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Producer {
    /// A pure function of the claim's inputs: anybody can run it again and get the same claim.
    Deriver {
        /// Its name.
        name: String,
        /// Its semantic version.
        version: String,
    },
    /// A language model. The same question may get another answer, so the claim is marked as not
    /// deterministic, and model and prompt are kept in its `confidence_basis`.
    Model {
        /// The name of the program that asks the model.
        name: String,
        /// The semantic version of that program.
        version: String,
        /// The model, as its service calls it.
        model: String,
        /// The version of the prompt.
        prompt_version: String,
    },
}

/// A claim that is proposed, before the policy has decided about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimDraft {
    /// What concluded it.
    pub producer: Producer,
    /// What it is concluded from, by role; never `supersedes`, which is added here.
    pub inputs: Vec<Ref>,
    /// Dotted type, such as `routine.weekly`.
    pub claim_type: String,
    /// The identity that it is a version of.
    pub identity_key: String,
    /// Whom it is about; `self` is the user.
    pub subject: String,
    /// The belief in words.
    pub text: String,
    /// The belief as data.
    pub payload: Value,
    /// Probability that it is true, 0 to 1.
    pub confidence: f64,
    /// Everything that is needed to compute the confidence again.
    pub confidence_basis: Value,
    /// Why, in words.
    pub rationale: String,
    /// High-water mark of what the producer had seen.
    pub valid_at: Option<When>,
    /// From when it is true in the world.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true in the world.
    pub valid_to: Option<When>,
    /// The last record of it, where no record says that it ended.
    pub last_seen: Option<LastSeen>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Labels.
    pub tags: Vec<String>,
}

/// What became of a submitted claim.
#[derive(Debug, PartialEq)]
pub enum Submitted {
    /// Recorded; nothing was believed of its identity before.
    Added(OpId),
    /// Recorded; it replaces what was believed of its identity.
    Updated(OpId),
    /// Not recorded: this claim says the same and is believed already.
    Unchanged(OpId),
    /// Not recorded: the user's word stands against it, or says it already.
    Withheld(UserWord),
    /// Not recorded: it breaks a rule, or does not fit the format.
    Refused(Refusal),
}

/// The user's word about an identity, which comes before any machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserWord {
    /// The user refuted the identity.
    Refuted,
    /// The user corrected the identity to the payload of the claim.
    CorrectedAlike,
    /// The user corrected the identity to another payload.
    CorrectedOtherwise {
        /// The proposal that asks the user about it; none where the user knows of this payload
        /// already.
        proposal: Option<OpId>,
    },
    /// A person stated what is believed.
    Stated,
}

/// Why a claim could not be recorded.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// It breaks a rule of the ledger.
    #[error("was refused: {0}")]
    Rule(RuleViolation),
    /// It lacks something that every claim needs.
    #[error("was refused: {0}")]
    Form(ClaimFormError),
    /// It does not fit the format.
    #[error("cannot be written: {0}")]
    Malformed(MalformedError),
}

/// What was recorded because of submitted claims, or of anything else that was appended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    /// Invalidations of claims.
    pub invalidated: u64,
    /// Proposals to look at a correction again.
    pub reviews: u64,
}

impl ClaimDraft {
    /// The claim as the ledger holds it.
    fn into_claim(self) -> (Claim, Vec<Ref>) {
        let mut confidence_basis = self.confidence_basis;
        let deriver = match self.producer {
            Producer::Deriver { name, version } => {
                body::Deriver { name, version, deterministic: true }
            }
            Producer::Model { name, version, model, prompt_version } => {
                confidence_basis = with_model(confidence_basis, &model, &prompt_version);
                body::Deriver { name, version, deterministic: false }
            }
        };
        let claim = Claim {
            claim_type: self.claim_type,
            identity_key: self.identity_key,
            subject: self.subject,
            text: self.text,
            payload: self.payload,
            deriver: Some(deriver),
            confidence: self.confidence,
            confidence_basis,
            rationale: self.rationale,
            valid_at: self.valid_at,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            last_seen: self.last_seen,
            visibility: self.visibility,
            tags: self.tags,
        };
        (claim, self.inputs)
    }
}

/// A basis that also names the model and the prompt that the claim came from.
fn with_model(basis: Value, model: &str, prompt_version: &str) -> Value {
    let mut fields = match basis {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        other => Map::from_iter([("basis".to_owned(), other)]),
    };
    fields.insert("source".to_owned(), json!("model"));
    fields.insert("model".to_owned(), json!(model));
    fields.insert("prompt_version".to_owned(), json!(prompt_version));
    Value::Object(fields)
}

/// Records one claim, unless the user's word stands against it or it is believed already. What
/// follows from it is left to [`record_consequences`].
///
/// # Errors
/// If the store fails.
pub fn submit(
    sealer: &Sealer,
    writing: &mut dyn Writing,
    draft: ClaimDraft,
    now_us: u64,
) -> Result<Submitted, EngineError> {
    // A deriver's claim follows from masked records; a model may have been told secrets.
    let is_derived = matches!(draft.producer, Producer::Deriver { .. });
    let (claim, mut refs) = draft.into_claim();
    let claim = if is_derived { claim } else { masked(claim) };
    if let Err(error) = check_claim(&claim) {
        return Ok(Submitted::Refused(Refusal::Form(error)));
    }
    let (state, standing) = {
        let mut validity = Validity::new(&*writing);
        (validity.state(&claim.identity_key)?, validity.standing(&claim.identity_key)?)
    };
    match (state, &standing.correction, &standing.current) {
        (State::Refuted, ..) => return Ok(Submitted::Withheld(UserWord::Refuted)),
        (State::Corrected, Some(correction), _) => {
            if correction.payload == Some(payload_digest(&claim.payload)) {
                return Ok(Submitted::Withheld(UserWord::CorrectedAlike));
            }
            return propose_instead(sealer, writing, correction, &claim, &refs, now_us);
        }
        (State::Active, _, Some(current)) => {
            if let Some(Body::Claim(believed)) = body_of(&*writing, &current.id, &Kind::Claim)? {
                if believed.deriver.is_none() {
                    return Ok(Submitted::Withheld(UserWord::Stated));
                }
                if says_the_same(&believed, &claim) {
                    return Ok(Submitted::Unchanged(current.id));
                }
            }
        }
        _ => {}
    }
    if refs.iter().any(|input| input.role.as_str() == Role::SUPERSEDES) {
        let reason = Malformation::Body("an input cannot be cited as superseded".to_owned());
        let error = MalformedError { field: "inputs", reason };
        return Ok(Submitted::Refused(Refusal::Malformed(error)));
    }
    if let Some(current) = &standing.current {
        refs.push(Ref { id: current.id, role: Role::parse(Role::SUPERSEDES)? });
    }
    let recorded = append(sealer, writing, Draft { body: Body::Claim(claim), refs }, now_us)?;
    Ok(match recorded {
        Ok(id) if state == State::Active => Submitted::Updated(id),
        Ok(id) => Submitted::Added(id),
        Err(refusal) => Submitted::Refused(refusal),
    })
}

/// The claim without the secrets that are recognised in it.
fn masked(claim: Claim) -> Claim {
    match mask_body(Body::Claim(claim.clone())).into_inner() {
        Body::Claim(masked) => masked,
        _ => claim,
    }
}

/// Records the invalidations that are due, and proposes to look at corrections again whose ground
/// changed, for all that was taken into `writing` since this was last done. A key that may not
/// derive records nothing; what is due stays due.
///
/// # Errors
/// If the store fails.
pub fn record_consequences(
    sealer: &Sealer,
    writing: &mut dyn Writing,
    now_us: u64,
) -> Result<Consequences, EngineError> {
    let (follows, records) = record_invalidations(sealer, writing, now_us)?;
    let mut consequences =
        Consequences { invalidated: records.len() as u64, ..Consequences::default() };
    if !follows.reviews.is_empty() {
        consequences.reviews = propose_reviews(sealer, writing, &follows.reviews, now_us)?;
    }
    Ok(consequences)
}

/// Proposes to look again at corrections whose ground changed; answers how many proposals are new.
pub(crate) fn propose_reviews(
    sealer: &Sealer,
    writing: &mut dyn Writing,
    reviews: &[Review],
    now_us: u64,
) -> Result<u64, EngineError> {
    let at = Place::next(next_timestamp(now_us, writing.latest()?));
    if !writing.access()?.holds(&sealer.author(), Capability::Derive, at) {
        return Ok(0);
    }
    let mut proposed = 0;
    for review in reviews {
        if let Some(draft) = propose_ground_changed(writing, review)?
            && append(sealer, writing, draft, now_us)?.is_ok()
        {
            proposed += 1;
        }
    }
    Ok(proposed)
}

/// Asks the user about a claim that differs from a correction. The payload that the user saw when
/// correcting is not asked about.
fn propose_instead(
    sealer: &Sealer,
    writing: &mut dyn Writing,
    correction: &Entry,
    claim: &Claim,
    refs: &[Ref],
    now_us: u64,
) -> Result<Submitted, EngineError> {
    let withheld = |proposal| Submitted::Withheld(UserWord::CorrectedOtherwise { proposal });
    if let Some(corrected) = first_corrected(writing, correction)?
        && let Some(Body::Claim(seen)) = body_of(&*writing, &corrected, &Kind::Claim)?
        && payload_digest(&seen.payload) == payload_digest(&claim.payload)
    {
        return Ok(withheld(None));
    }
    let inputs: Vec<OpId> = refs.iter().map(|cited| cited.id).collect();
    let disagreement = Disagreement {
        key: &claim.identity_key,
        text: &claim.text,
        payload: &claim.payload,
        confidence: claim.confidence,
        inputs: &inputs,
    };
    let Some(draft) = propose_disagreement(writing, &disagreement)? else {
        return Ok(withheld(None));
    };
    Ok(match append(sealer, writing, draft, now_us)? {
        Ok(proposal) => withheld(Some(proposal)),
        Err(refusal) => Submitted::Refused(refusal),
    })
}

/// The claim that the user saw, where a correction was corrected again and again.
fn first_corrected(writing: &dyn Writing, correction: &Entry) -> Result<Option<OpId>, EngineError> {
    let mut target = correction.sole_ref(Role::TARGET);
    for _ in 0..CORRECTIONS_FOLLOWED_MAX {
        let Some(id) = target else { return Ok(None) };
        let Some(entry) = writing.entry(&id)? else { return Ok(None) };
        match entry.kind {
            Kind::Claim => return Ok(Some(id)),
            Kind::ClaimCorrection => target = entry.sole_ref(Role::TARGET),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Seals a draft and records it; a refusal is an answer, not an error.
pub(crate) fn append(
    sealer: &Sealer,
    writing: &mut dyn Writing,
    draft: Draft,
    now_us: u64,
) -> Result<Result<OpId, Refusal>, EngineError> {
    let ts: HlcTimestamp = next_timestamp(now_us, writing.latest()?);
    let (operation, body) = match sealer.seal_next(Sealable::concluded(draft), &*writing, ts) {
        Ok(sealed) => sealed,
        Err(EngineError::Malformed(error)) => return Ok(Err(Refusal::Malformed(error))),
        Err(error) => return Err(error),
    };
    match writing.record(&operation, Some(&body)) {
        Ok(_) => Ok(Ok(operation.id())),
        Err(RecordError::Refused { violation, .. }) => Ok(Err(Refusal::Rule(violation))),
        Err(RecordError::Store(error)) => Err(error.into()),
    }
}

/// Whether a claim adds nothing to what is believed. As the ledger writes it, 48.0 is 48: canonical
/// bytes are compared.
fn says_the_same(believed: &Claim, claim: &Claim) -> bool {
    let name = |claim: &Claim| claim.deriver.as_ref().map(|deriver| deriver.name.clone());
    believed.claim_type == claim.claim_type
        && believed.text == claim.text
        && payload_digest(&believed.payload) == payload_digest(&claim.payload)
        && believed.confidence == claim.confidence
        && believed.valid_from == claim.valid_from
        && believed.valid_to == claim.valid_to
        && believed.last_seen == claim.last_seen
        && believed.visibility == claim.visibility
        && name(believed) == name(claim)
}
