//! A naive model of beliefs without stored state: every query replays the whole history from the
//! first operation.
//!
//! It is written only from the specification ("Versions, identities, state", "Cascade", and the
//! ledger's permission rules): it uses the kernel's types (ids, kinds, bodies), but none of its
//! logic. The real implementation, which keeps three bits per claim and visits only the affected
//! claims, must hold the same beliefs after every step.
//!
//! [`NaiveBeliefs`] is the list of all operations. [`Replay`] is the state after replaying a prefix
//! of it, in the space's order. The recursion is as deep as the chain of derived claims, so this is
//! for histories of some hundreds of steps.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use kernel::body::Body;
use kernel::canonical;
use kernel::id::{Author, OpId};
use kernel::kind::{Capability, Kind};
use kernel::operation::{HlcTimestamp, Operation};
use kernel::validity::State;
use serde_json::Value;

/// All operations in the space's order, regardless of the order of their arrival.
#[derive(Clone, Debug, Default)]
pub struct NaiveBeliefs {
    operations: Vec<OperationWithBody>,
}

/// One operation with its body; `None` if the body was removed.
#[derive(Clone, Debug)]
pub struct OperationWithBody {
    /// The operation.
    pub operation: Operation,
    /// Its body.
    pub body: Option<Body>,
}

impl OperationWithBody {
    pub(crate) fn id(&self) -> OpId {
        self.operation.id()
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.operation.header().kind
    }

    fn author(&self) -> Author {
        self.operation.header().author
    }

    pub(crate) fn cited(&self, role: &str) -> Vec<OpId> {
        let refs = self.operation.header().refs.iter();
        refs.filter(|cited| cited.role.as_str() == role).map(|cited| cited.id).collect()
    }

    /// The inputs of a claim or a node: all operations that it cites except the version that it
    /// replaces. The ends of an edge are not inputs of the edge.
    fn inputs(&self) -> Vec<OpId> {
        let is_edge = *self.kind() == Kind::Edge;
        let refs = self.operation.header().refs.iter();
        refs.filter(|cited| match cited.role.as_str() {
            "supersedes" => false,
            "from" | "to" => !is_edge,
            _ => true,
        })
        .map(|cited| cited.id)
        .collect()
    }

    /// The identity that it is about.
    fn key(&self) -> Option<&str> {
        match &self.body {
            Some(Body::Claim(claim)) => Some(&claim.identity_key),
            Some(Body::ClaimCorrection(correction)) => Some(&correction.identity_key),
            Some(Body::ClaimRefutation(refutation)) => Some(&refutation.identity_key),
            _ => None,
        }
    }

    /// The payload that it states.
    fn payload(&self) -> Option<&Value> {
        match &self.body {
            Some(Body::Claim(claim)) => Some(&claim.payload),
            Some(Body::ClaimCorrection(correction)) => Some(&correction.corrected_payload),
            _ => None,
        }
    }
}

impl NaiveBeliefs {
    /// Adds an operation; a duplicate changes nothing.
    pub fn insert(&mut self, operation: Operation, body: Option<Body>) {
        let at = operation.order();
        if let Err(place) =
            self.operations.binary_search_by_key(&at, |entry| entry.operation.order())
        {
            self.operations.insert(place, OperationWithBody { operation, body });
        }
    }

    /// All operations in the space's order.
    pub fn operations(&self) -> &[OperationWithBody] {
        &self.operations
    }

    /// Replays all operations.
    pub fn replay(&self) -> Replay<'_> {
        let mut replay = Replay::default();
        self.operations.iter().for_each(|entry| replay.apply(entry));
        replay
    }

    /// The versions with a recorded invalidation that did not become sound again.
    pub fn recorded(&self) -> BTreeSet<OpId> {
        let mut replay = Replay::default();
        let mut recorded = BTreeSet::new();
        for entry in &self.operations {
            replay.apply(entry);
            if *entry.kind() == Kind::ClaimInvalidation && replay.has_effect(&entry.id()) {
                recorded.extend(entry.cited("target"));
            }
            recorded.retain(|version| !replay.is_sound(version));
        }
        recorded
    }

    /// The invalidations to be recorded, in the space's order: the current version of each identity
    /// that is neither refuted nor corrected and is unsound, unless that is recorded already.
    /// Retracted claims are not invalidated.
    pub fn due(&self) -> Vec<OpId> {
        self.due_except(&self.recorded())
    }

    /// [`Self::due`], given the recorded invalidations.
    pub fn due_except(&self, recorded: &BTreeSet<OpId>) -> Vec<OpId> {
        let replay = self.replay();
        let current =
            replay.keys().into_iter().filter(|key| replay.state(key) == State::Invalidated);
        let invalidated = current
            .filter_map(|key| replay.current(key))
            .filter(|entry| !recorded.contains(&entry.id()));
        let invalidated: BTreeSet<(HlcTimestamp, OpId)> =
            invalidated.map(|entry| entry.operation.order()).collect();
        invalidated.into_iter().map(|(_, id)| id).collect()
    }
}

/// The state after replaying some operations.
#[derive(Default)]
pub struct Replay<'s> {
    operations: HashMap<OpId, &'s OperationWithBody>,
    /// In the order of the replay.
    by_key: BTreeMap<&'s str, Vec<&'s OperationWithBody>>,
    /// The current capabilities of each key.
    rights: BTreeMap<Author, BTreeSet<Capability>>,
    /// Operations that their author was permitted to make. Others are kept and ignored.
    effective: HashSet<OpId>,
    /// Superseded or withdrawn.
    undone: HashSet<OpId>,
    /// What each retraction retracts, unless it is withdrawn.
    retractions: BTreeMap<OpId, Vec<OpId>>,
    /// A cache of soundness, cleared by each operation.
    sound: RefCell<HashMap<OpId, bool>>,
}

impl<'s> Replay<'s> {
    /// Applies one more operation, which must be later than all others.
    pub fn apply(&mut self, entry: &'s OperationWithBody) {
        self.sound.get_mut().clear();
        let id = entry.id();
        self.operations.insert(id, entry);
        if !self.is_permitted(entry) {
            return;
        }
        self.effective.insert(id);
        if let Some(key) = entry.key() {
            self.by_key.entry(key).or_default().push(entry);
        }
        self.undo(entry);
        match &entry.body {
            Some(Body::Space(space)) => {
                self.rights.insert(space.owner, Capability::ALL.into());
            }
            Some(Body::Grant(grant)) => {
                self.rights
                    .entry(grant.key)
                    .or_default()
                    .extend(grant.capabilities.iter().copied());
            }
            Some(Body::Revoke(revoked)) => {
                let held = self.rights.entry(revoked.key).or_default();
                held.retain(|capability| !revoked.capabilities.contains(capability));
            }
            _ => {}
        }
    }

    fn may(&self, author: Author, capability: Capability) -> bool {
        self.rights.get(&author).is_some_and(|held| held.contains(&capability))
    }

    /// Rule 4, and from rule 5 that a claim has inputs. The other rules are only checked on append;
    /// here, validity covers what they forbid.
    fn is_permitted(&self, entry: &OperationWithBody) -> bool {
        let may = |capability| self.may(entry.author(), capability);
        match entry.kind() {
            Kind::Space => true,
            Kind::Grant | Kind::Revoke => may(Capability::Admin),
            // Nor has a node or an edge any effect without inputs.
            Kind::Node | Kind::Edge => may(Capability::Append) && !entry.inputs().is_empty(),
            // A person's claim needs `Append`, a deriver's claim `Derive`.
            Kind::Claim => {
                (may(Capability::Append) || may(Capability::Derive)) && !entry.inputs().is_empty()
            }
            Kind::ClaimInvalidation | Kind::Proposal => may(Capability::Derive),
            Kind::Retraction | Kind::RetractionWithdrawal | Kind::Annotation => {
                let target =
                    entry.cited("target").first().and_then(|target| self.operations.get(target));
                let is_own = target.is_some_and(|target| target.author() == entry.author());
                may(Capability::Correct) || may(Capability::Append) && is_own
            }
            Kind::ClaimCorrection
            | Kind::ClaimRefutation
            | Kind::CorrectionWithdrawal
            | Kind::RefutationWithdrawal
            | Kind::Decision
            | Kind::Redaction => may(Capability::Correct),
            _ => may(Capability::Append),
        }
    }

    fn undo(&mut self, entry: &OperationWithBody) {
        if *entry.kind() == Kind::RetractionWithdrawal {
            entry.cited("target").iter().for_each(|retraction| {
                self.retractions.remove(retraction);
            });
            return;
        }
        let (role, undoes): (&str, fn(&Kind) -> bool) = match entry.kind() {
            Kind::Evidence => ("supersedes", |kind| *kind == Kind::Evidence),
            Kind::EvidenceRetraction => ("target", |kind| *kind == Kind::Evidence),
            Kind::CorrectionWithdrawal => ("target", |kind| *kind == Kind::ClaimCorrection),
            Kind::RefutationWithdrawal => ("target", |kind| *kind == Kind::ClaimRefutation),
            Kind::Retraction => ("target", |kind| {
                matches!(kind, Kind::Node | Kind::Edge | Kind::Thought | Kind::Claim)
            }),
            // Of what is forgotten without an identity; the bodies of others are removed.
            Kind::Redaction => ("target", |kind| {
                matches!(
                    kind,
                    Kind::Evidence | Kind::Node | Kind::Edge | Kind::Thought | Kind::Claim
                )
            }),
            _ => return,
        };
        let is_retraction = matches!(entry.kind(), Kind::EvidenceRetraction | Kind::Retraction);
        for target in entry.cited(role) {
            if self.operations.get(&target).is_some_and(|target| undoes(target.kind())) {
                if is_retraction {
                    self.retractions.entry(entry.id()).or_default().push(target);
                } else {
                    self.undone.insert(target);
                }
            }
        }
    }

    /// All replayed operations in the space's order.
    pub(crate) fn in_order(&self) -> Vec<&'s OperationWithBody> {
        let mut all: Vec<&OperationWithBody> = self.operations.values().copied().collect();
        all.sort_unstable_by_key(|entry| entry.operation.order());
        all
    }

    pub(crate) fn order_of(&self, id: &OpId) -> Option<(HlcTimestamp, OpId)> {
        self.operations.get(id).map(|entry| entry.operation.order())
    }

    pub(crate) fn kind_of(&self, id: &OpId) -> Option<&'s Kind> {
        self.operations.get(id).map(|entry| entry.kind())
    }

    /// Whether an operation is superseded or withdrawn, or retracted by a retraction that is not
    /// withdrawn.
    pub(crate) fn is_undone(&self, id: &OpId) -> bool {
        self.undone.contains(id) || self.retractions.values().flatten().any(|target| target == id)
    }

    /// Whether its author was permitted to make it.
    pub fn has_effect(&self, id: &OpId) -> bool {
        self.effective.contains(id)
    }

    /// Every identity that occurs.
    pub fn keys(&self) -> Vec<&'s str> {
        self.by_key.keys().copied().collect()
    }

    /// The latest operation of a kind about an identity that is not withdrawn.
    fn latest(&self, key: &str, kind: &Kind) -> Option<&'s OperationWithBody> {
        let entry = self.by_key.get(key)?.iter().rev();
        { entry }.find(|entry| entry.kind() == kind && !self.is_undone(&entry.id())).copied()
    }

    /// The current version: the latest claim, retracted or not.
    pub fn current(&self, key: &str) -> Option<&'s OperationWithBody> {
        self.by_key.get(key)?.iter().rev().find(|entry| *entry.kind() == Kind::Claim).copied()
    }

    /// The state of an identity.
    pub fn state(&self, key: &str) -> State {
        if self.latest(key, &Kind::ClaimRefutation).is_some() {
            return State::Refuted;
        }
        if self.latest(key, &Kind::ClaimCorrection).is_some() {
            return State::Corrected;
        }
        match self.current(key) {
            None => State::None,
            Some(current) if self.is_undone(&current.id()) => State::Retracted,
            Some(current) if self.is_sound(&current.id()) => State::Active,
            Some(_) => State::Invalidated,
        }
    }

    /// The operation whose payload is served, if any.
    pub fn served(&self, key: &str) -> Option<&'s OperationWithBody> {
        match self.state(key) {
            State::Corrected => self.latest(key, &Kind::ClaimCorrection),
            State::Active => self.current(key),
            _ => None,
        }
    }

    /// The payload that is served.
    pub fn payload(&self, key: &str) -> Option<&'s Value> {
        self.served(key).and_then(OperationWithBody::payload)
    }

    /// Whether a claim, node or edge is sound: not retracted, and with valid inputs only.
    pub fn is_sound(&self, id: &OpId) -> bool {
        if let Some(sound) = self.sound.borrow().get(id) {
            return *sound;
        }
        let Some(claim) = self.operations.get(id) else { return false };
        let sound = matches!(claim.kind(), Kind::Claim | Kind::Node | Kind::Edge)
            && !self.is_undone(id)
            && claim.inputs().iter().all(|input| self.is_valid_input(input));
        self.sound.borrow_mut().insert(*id, sound);
        sound
    }

    /// Whether an operation is a valid input.
    pub fn is_valid_input(&self, id: &OpId) -> bool {
        let Some(entry) = self.operations.get(id).filter(|_| self.has_effect(id)) else {
            return false;
        };
        match entry.kind() {
            Kind::Claim | Kind::ClaimCorrection => {
                entry.key().is_some_and(|key| self.is_current_belief(entry, key))
            }
            Kind::Edge | Kind::Proposal => false,
            Kind::Node => self.is_sound(id),
            _ => !self.is_undone(id),
        }
    }

    /// Whether a version's payload is still the belief about its identity, and sound.
    fn is_current_belief(&self, version: &OperationWithBody, key: &str) -> bool {
        if self.latest(key, &Kind::ClaimRefutation).is_some() {
            return false;
        }
        let says = |other: &OperationWithBody| same(version.payload(), other.payload());
        if let Some(correction) = self.latest(key, &Kind::ClaimCorrection) {
            let withdrawn =
                *version.kind() == Kind::ClaimCorrection && self.is_undone(&version.id());
            return says(correction) && !withdrawn;
        }
        *version.kind() == Kind::Claim
            && self.current(key).is_some_and(says)
            && self.is_sound(&version.id())
    }

    /// All replayed operations.
    pub fn ids(&self) -> BTreeSet<OpId> {
        self.operations.keys().copied().collect()
    }

    /// All valid inputs.
    pub fn valid_inputs(&self) -> BTreeSet<OpId> {
        self.ids().into_iter().filter(|id| self.is_valid_input(id)).collect()
    }

    /// The corrected identities whose current version lost a valid input, given the inputs that
    /// were valid before.
    pub fn weakened(&self, valid: &BTreeSet<OpId>) -> BTreeSet<&'s str> {
        let lost = |input: &OpId| valid.contains(input) && !self.is_valid_input(input);
        let corrected = self.keys().into_iter().filter(|key| self.state(key) == State::Corrected);
        corrected
            .filter(|key| {
                self.current(key).is_some_and(|current| current.inputs().iter().any(lost))
            })
            .collect()
    }
}

/// Payloads are equal when their canonical bytes are.
fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    let bytes = |payload: &Value| canonical::to_bytes(payload).ok();
    one.and_then(bytes) == other.and_then(bytes)
}
