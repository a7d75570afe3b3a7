//! Beliefs: the state of an identity, and the claim or correction that is served for it.

pub mod claims;
pub mod explain;
pub mod learned;
pub mod lineage;
pub mod name;
pub mod proposed;
pub mod review;
pub mod support;
pub mod user;

use kernel::body::{Body, Claim, Deriver, LastSeen};
use kernel::evidence::Visibility;
use kernel::id::{BodyHash, OpId};
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::records::{RecordStatus, Records};
use kernel::snapshot::Snapshot;
use kernel::validity::{Standing, State, Validity};
use kernel::when::When;
use serde_json::{Value, json};
use store::sqlite::{Content, Outline, SqliteLedgerIndex};
use store::{StoreError, Writing};

use crate::{EngineError, Reader};

/// An identity with its state and the claim or correction that is served for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    /// The identity.
    pub key: String,
    /// Its state; where its record was asked about, as [`Records::shown`] has it.
    pub state: State,
    /// How edges displace it, where that was asked.
    pub displaced: Option<RecordStatus>,
    /// The record to which it redirects, if it does and that was asked.
    pub canonical: Option<OpId>,
    /// The claim or correction that is served; `None` if nothing is believed.
    pub served: Option<OpId>,
    /// The latest claim, believed or not.
    pub current: Option<OpId>,
    /// The type of the latest claim; empty if its body was removed.
    pub claim_type: String,
    /// The served statement in words; if nothing is served, that of the latest claim.
    pub text: String,
    /// The statement as data.
    pub payload: Value,
    /// 1 for a correction, otherwise that of the claim; 0 if nothing is served.
    pub confidence: f64,
    /// The basis of the confidence.
    pub basis: Value,
    /// The deriver of the latest claim; `None` if a person stated it.
    pub deriver: Option<Deriver>,
    /// The deriver's rationale.
    pub rationale: String,
    /// High-water mark of the records that the deriver had read.
    pub valid_at: Option<When>,
    /// From when it is true.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true.
    pub valid_to: Option<When>,
    /// The last record of it, where no record says that it ended.
    pub last_seen: Option<LastSeen>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Who may see it by what it states, where a list says that it is private by what it stands on.
    pub stated_visibility: Option<Visibility>,
    /// Labels.
    pub tags: Vec<String>,
}

impl Belief {
    /// An identity of which no claim is known.
    pub(crate) fn unsaid(key: &str, state: State) -> Self {
        Self {
            key: key.to_owned(),
            state,
            displaced: None,
            canonical: None,
            served: None,
            current: None,
            claim_type: String::new(),
            text: String::new(),
            payload: Value::Null,
            confidence: 0.0,
            basis: Value::Null,
            deriver: None,
            rationale: String::new(),
            valid_at: None,
            valid_from: None,
            valid_to: None,
            last_seen: None,
            visibility: Visibility::default(),
            stated_visibility: None,
            tags: Vec::new(),
        }
    }

    /// Copies the content of a claim, except its confidence, which counts only if the claim is
    /// served.
    pub(crate) fn say(&mut self, claim: Claim) {
        self.claim_type = claim.claim_type;
        self.text = claim.text;
        self.payload = claim.payload;
        self.basis = claim.confidence_basis;
        self.deriver = claim.deriver;
        self.rationale = claim.rationale;
        self.valid_at = claim.valid_at;
        self.valid_from = claim.valid_from;
        self.valid_to = claim.valid_to;
        self.last_seen = claim.last_seen;
        self.visibility = claim.visibility;
        self.tags = claim.tags;
    }

    /// The parts whose change is visible to dependents and readers: state, statement and
    /// confidence.
    pub fn says(&self) -> (State, &Value, &str, f64) {
        (self.state, &self.payload, &self.text, self.confidence)
    }
}

/// A source of beliefs: a write transaction, or a space that is read.
pub(crate) trait Bodies: LedgerIndex<Error = StoreError> {
    /// The canonical body of a recorded operation, unless removed.
    fn canonical_body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError>;
    /// What is known of an operation without what it cites.
    fn outline_of(&self, id: &OpId) -> Result<Option<Outline>, StoreError> {
        let Some(entry) = self.entry(id)? else { return Ok(None) };
        let has_body = self.canonical_body(id)?.is_some();
        Ok(Some(Outline { kind: entry.kind, ts: entry.ts, has_body }))
    }
    /// What an operation says by itself.
    fn content_of(&self, id: &OpId) -> Result<Option<Content>, StoreError> {
        let Some((_, kind)) = self.time_and_kind(id)? else { return Ok(None) };
        Ok(Some(Content { kind, body: self.canonical_body(id)?, may_be_annotated: true }))
    }
    /// The first operation whose header commits to `body` and whose body was removed.
    fn with_removed_body(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError>;
    /// False where it is known that no edge replaces or redirects any record.
    fn may_displace(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
    /// False where it is known that nothing is served for an identity, or that edges displace it.
    fn may_be_served(&self, _key: &str) -> Result<bool, StoreError> {
        Ok(true)
    }
    /// The whole index, of a ledger as it was.
    fn whole(&self) -> Option<&dyn Bodies> {
        None
    }
}

impl Bodies for dyn Writing + '_ {
    fn canonical_body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError> {
        self.body(id)
    }

    fn with_removed_body(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError> {
        self.removed(body)
    }
}

impl Bodies for SqliteLedgerIndex<'_> {
    fn canonical_body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError> {
        self.body(id)
    }

    fn outline_of(&self, id: &OpId) -> Result<Option<Outline>, StoreError> {
        self.outline(id)
    }

    fn content_of(&self, id: &OpId) -> Result<Option<Content>, StoreError> {
        self.content(id)
    }

    fn with_removed_body(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError> {
        self.removed(body)
    }

    fn may_displace(&self) -> Result<bool, StoreError> {
        self.has_displacing_edges()
    }

    fn may_be_served(&self, key: &str) -> Result<bool, StoreError> {
        SqliteLedgerIndex::may_be_served(self, key)
    }
}

impl<B: Bodies> Bodies for Snapshot<'_, B> {
    fn canonical_body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError> {
        self.present().canonical_body(id)
    }

    fn with_removed_body(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError> {
        self.present().with_removed_body(body)
    }

    fn whole(&self) -> Option<&dyn Bodies> {
        Some(self.present())
    }
}

impl Reader<'_> {
    /// What is believed of an identity, with what edges make of it, now or as of a time.
    pub fn belief_at(&self, key: &str, as_of_us: Option<u64>) -> Result<Belief, EngineError> {
        let belief = self.at(as_of_us, |index| Beliefs::of(index).get(key))?;
        self.check_as_signed(belief.served)?;
        Ok(belief)
    }
}

/// The parsed body of an operation; `None` if it was removed or cannot be parsed.
pub(crate) fn body_of<B: Bodies + ?Sized>(
    index: &B,
    id: &OpId,
    kind: &Kind,
) -> Result<Option<Body>, StoreError> {
    let bytes = index.canonical_body(id)?;
    Ok(bytes.and_then(|bytes| Body::parse(kind, &bytes).ok()))
}

/// Beliefs as readers see them: with what edges make of them. It remembers what it found of the
/// records that edges lead to, so that the beliefs along a chain of edges cost the chain once.
pub(crate) struct Beliefs<'w, B: Bodies + ?Sized> {
    index: &'w B,
    records: Records<'w, B>,
}

impl<'w, B: Bodies + ?Sized> Beliefs<'w, B> {
    /// Of one state of a ledger.
    pub(crate) fn of(index: &'w B) -> Self {
        Self { index, records: Records::new(index) }
    }

    /// The belief of an identity.
    pub(crate) fn get(&mut self, key: &str) -> Result<Belief, StoreError> {
        let with_edges = self.index.may_displace()?;
        let standing = self.records.validity().standing(key)?;
        let (state, displaced) = self.records.shown(key, &standing, with_edges)?;
        let mut belief = belief_of(self.index, key, state, &standing)?;
        belief.displaced = displaced;
        if let Some(current) = belief.current.filter(|_| state == State::Active && with_edges) {
            let canonical = self.records.canonical(&current)?;
            belief.canonical = Some(canonical).filter(|canonical| *canonical != current);
        }
        Ok(belief)
    }
}

/// The present belief of an identity.
pub(crate) fn belief<B: Bodies + ?Sized>(index: &B, key: &str) -> Result<Belief, StoreError> {
    let mut validity = Validity::new(index);
    let standing = validity.standing(key)?;
    let state = validity.state_of(&standing)?;
    belief_of(index, key, state, &standing)
}

/// The belief of an identity in a state.
fn belief_of<B: Bodies + ?Sized>(
    index: &B,
    key: &str,
    state: State,
    standing: &Standing,
) -> Result<Belief, StoreError> {
    let claim = match &standing.current {
        Some(current) => body_of(index, &current.id, &Kind::Claim)?,
        None => None,
    };
    let mut belief = Belief::unsaid(key, state);
    belief.current = standing.current.as_ref().map(|current| current.id);
    if let Some(Body::Claim(claim)) = claim {
        let confidence = claim.confidence;
        belief.say(claim);
        if state == State::Active {
            belief.served = belief.current;
            belief.confidence = confidence;
        }
    }
    if let (State::Corrected, Some(correction)) = (state, &standing.correction) {
        belief.served = Some(correction.id);
        belief.confidence = 1.0;
        // When it ended was for the deriver to say. What the user says holds until the user says
        // otherwise.
        belief.valid_to = None;
        belief.last_seen = None;
        belief.basis = json!({ "source": "user_correction" });
        belief.payload = Value::Null;
        if belief.claim_type.is_empty() {
            // The claim was forgotten. Its key begins with its type.
            belief.claim_type = type_of(key).to_owned();
        }
        if let Some(Body::ClaimCorrection(correction)) =
            body_of(index, &correction.id, &Kind::ClaimCorrection)?
        {
            belief.text =
                correction.text.unwrap_or_else(|| correction.corrected_payload.to_string());
            belief.payload = correction.corrected_payload;
        }
    }
    Ok(belief)
}

/// The type that the key of an identity begins with.
pub(crate) fn type_of(key: &str) -> &str {
    key.split('|').next().unwrap_or_default()
}

impl Reader<'_> {
    /// The belief of every known identity, by key.
    pub fn beliefs(&self) -> Result<Vec<Belief>, EngineError> {
        self.store.on_snapshot(|index| {
            let mut keys = Vec::new();
            index.identity_keys(|key| {
                keys.push(key);
                true
            })?;
            keys.iter().map(|key| Ok(belief(index, key)?)).collect()
        })
    }
}
