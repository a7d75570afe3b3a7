//! Beliefs without anything stored: every question tells the whole history again, from the first
//! operation on.
//!
//! Written from the specification ("Versions, identities, state", "Cascade", and the ledger's rules
//! of who may say what) and from nothing else: it uses the kernel's words (ids, kinds, bodies),
//! none of its answers. The real machinery, which keeps three bits of each claim and goes only
//! where an operation touches something, must believe the same after every step.
//!
//! [`NaiveBeliefs`] is the list of all that was said. [`Told`] is what somebody knows to whom a
//! part of it was told, in the space's order. Recursion goes as deep as claims are built upon each
//! other, so this is for histories of some hundreds of steps.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use kernel::body::Body;
use kernel::canonical;
use kernel::id::{Author, OpId};
use kernel::kind::{Capability, Kind};
use kernel::operation::{HlcTimestamp, Operation};
use kernel::validity::State;
use serde_json::Value;

/// All that was said, in the space's order, in whatever order it arrived.
#[derive(Clone, Debug, Default)]
pub struct NaiveBeliefs {
    said: Vec<Said>,
}

/// One operation and what its body says; no body where it was removed.
#[derive(Clone, Debug)]
pub struct Said {
    /// The operation.
    pub operation: Operation,
    /// Its body.
    pub body: Option<Body>,
}

impl Said {
    fn id(&self) -> OpId {
        self.operation.id()
    }

    fn kind(&self) -> &Kind {
        &self.operation.header().kind
    }

    fn author(&self) -> Author {
        self.operation.header().author
    }

    fn cited(&self, role: &str) -> Vec<OpId> {
        let refs = self.operation.header().refs.iter();
        refs.filter(|cited| cited.role.as_str() == role).map(|cited| cited.id).collect()
    }

    /// What a claim or a node was built from: all that it cites but what it replaces. The ends of
    /// an edge are none of its inputs.
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

    /// The identity that it speaks of.
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
    /// Takes in an operation; one that is here already changes nothing.
    pub fn insert(&mut self, operation: Operation, body: Option<Body>) {
        let at = operation.order();
        if let Err(place) = self.said.binary_search_by_key(&at, |said| said.operation.order()) {
            self.said.insert(place, Said { operation, body });
        }
    }

    /// All that was said, in the space's order.
    pub fn said(&self) -> &[Said] {
        &self.said
    }

    /// What is known now.
    pub fn told(&self) -> Told<'_> {
        let mut told = Told::default();
        self.said.iter().for_each(|said| told.tell(said));
        told
    }

    /// The versions whose fall is recorded and which did not rise since.
    pub fn recorded(&self) -> BTreeSet<OpId> {
        let mut told = Told::default();
        let mut recorded = BTreeSet::new();
        for said in &self.said {
            told.tell(said);
            if *said.kind() == Kind::ClaimInvalidation && told.has_effect(&said.id()) {
                recorded.extend(said.cited("target"));
            }
            recorded.retain(|version| !told.is_sound(version));
        }
        recorded
    }

    /// The falls that are to be recorded, in the space's order: the current version of each
    /// identity that is neither refuted nor corrected and does not stand, unless a record says so
    /// already. What was taken back did not fall.
    pub fn due(&self) -> Vec<OpId> {
        self.due_but(&self.recorded())
    }

    /// The same, where it is known which falls are recorded.
    pub fn due_but(&self, recorded: &BTreeSet<OpId>) -> Vec<OpId> {
        let told = self.told();
        let current = told.keys().into_iter().filter(|key| told.state(key) == State::Invalidated);
        let fallen = current
            .filter_map(|key| told.current(key))
            .filter(|said| !recorded.contains(&said.id()));
        let fallen: BTreeSet<(HlcTimestamp, OpId)> =
            fallen.map(|said| said.operation.order()).collect();
        fallen.into_iter().map(|(_, id)| id).collect()
    }
}

/// What was told so far.
#[derive(Default)]
pub struct Told<'s> {
    said: HashMap<OpId, &'s Said>,
    /// In the order in which they were told.
    by_key: BTreeMap<&'s str, Vec<&'s Said>>,
    /// What each key may do by now.
    rights: BTreeMap<Author, BTreeSet<Capability>>,
    /// What its author might say when it was said. The rest is kept and ignored.
    effective: HashSet<OpId>,
    /// Retracted, superseded or withdrawn.
    undone: HashSet<OpId>,
    /// Answers about soundness since the last operation was told.
    sound: RefCell<HashMap<OpId, bool>>,
}

impl<'s> Told<'s> {
    /// Tells one more, which is later than all that was told.
    pub fn tell(&mut self, said: &'s Said) {
        self.sound.get_mut().clear();
        let id = said.id();
        self.said.insert(id, said);
        if !self.is_permitted(said) {
            return;
        }
        self.effective.insert(id);
        if let Some(key) = said.key() {
            self.by_key.entry(key).or_default().push(said);
        }
        self.undo(said);
        match &said.body {
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

    /// Rule 4, and of rule 5 that a claim stands on something. The other rules are judged only
    /// where something is appended: what they forbid is settled by what is valid, whenever that is
    /// asked.
    fn is_permitted(&self, said: &Said) -> bool {
        let may = |capability| self.may(said.author(), capability);
        match said.kind() {
            Kind::Space => true,
            Kind::Grant | Kind::Revoke => may(Capability::Admin),
            // A person's claim needs the one, a deriver's the other.
            Kind::Claim => {
                (may(Capability::Append) || may(Capability::Derive)) && !said.inputs().is_empty()
            }
            Kind::ClaimInvalidation | Kind::Proposal => may(Capability::Derive),
            Kind::Retraction | Kind::Annotation => {
                let target = said.cited("target").first().and_then(|target| self.said.get(target));
                let is_own = target.is_some_and(|target| target.author() == said.author());
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

    fn undo(&mut self, said: &Said) {
        let (role, undoes): (&str, fn(&Kind) -> bool) = match said.kind() {
            Kind::Evidence => ("supersedes", |kind| *kind == Kind::Evidence),
            Kind::EvidenceRetraction => ("target", |kind| *kind == Kind::Evidence),
            Kind::CorrectionWithdrawal => ("target", |kind| *kind == Kind::ClaimCorrection),
            Kind::RefutationWithdrawal => ("target", |kind| *kind == Kind::ClaimRefutation),
            Kind::Retraction => ("target", |kind| {
                matches!(kind, Kind::Node | Kind::Edge | Kind::Thought | Kind::Claim)
            }),
            _ => return,
        };
        for target in said.cited(role) {
            if self.said.get(&target).is_some_and(|target| undoes(target.kind())) {
                self.undone.insert(target);
            }
        }
    }

    /// Whether its author might say it.
    pub fn has_effect(&self, id: &OpId) -> bool {
        self.effective.contains(id)
    }

    /// Every identity that was spoken of.
    pub fn keys(&self) -> Vec<&'s str> {
        self.by_key.keys().copied().collect()
    }

    /// The latest of a kind of an identity that is not withdrawn.
    fn latest(&self, key: &str, kind: &Kind) -> Option<&'s Said> {
        let said = self.by_key.get(key)?.iter().rev();
        { said }.find(|said| said.kind() == kind && !self.undone.contains(&said.id())).copied()
    }

    /// The current version: the latest claim, retracted or not.
    pub fn current(&self, key: &str) -> Option<&'s Said> {
        self.by_key.get(key)?.iter().rev().find(|said| *said.kind() == Kind::Claim).copied()
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
            Some(current) if self.undone.contains(&current.id()) => State::Retracted,
            Some(current) if self.is_sound(&current.id()) => State::Active,
            Some(_) => State::Invalidated,
        }
    }

    /// The operation whose payload is served; none where nothing is.
    pub fn served(&self, key: &str) -> Option<&'s Said> {
        match self.state(key) {
            State::Corrected => self.latest(key, &Kind::ClaimCorrection),
            State::Active => self.current(key),
            _ => None,
        }
    }

    /// The payload that is served.
    pub fn payload(&self, key: &str) -> Option<&'s Value> {
        self.served(key).and_then(Said::payload)
    }

    /// Whether a claim, node or edge stands: not retracted, and no input is invalid.
    pub fn is_sound(&self, id: &OpId) -> bool {
        if let Some(sound) = self.sound.borrow().get(id) {
            return *sound;
        }
        let Some(claim) = self.said.get(id) else { return false };
        let sound = matches!(claim.kind(), Kind::Claim | Kind::Node | Kind::Edge)
            && !self.undone.contains(id)
            && claim.inputs().iter().all(|input| self.is_valid_input(input));
        self.sound.borrow_mut().insert(*id, sound);
        sound
    }

    /// Whether something may be built upon.
    pub fn is_valid_input(&self, id: &OpId) -> bool {
        let Some(said) = self.said.get(id).filter(|_| self.has_effect(id)) else { return false };
        match said.kind() {
            Kind::Claim | Kind::ClaimCorrection => {
                said.key().is_some_and(|key| self.is_still_said(said, key))
            }
            Kind::Edge | Kind::Proposal => false,
            Kind::Node => self.is_sound(id),
            _ => !self.undone.contains(id),
        }
    }

    /// Whether what a version said is still what is believed of its identity, and stands on valid
    /// ground.
    fn is_still_said(&self, version: &Said, key: &str) -> bool {
        if self.latest(key, &Kind::ClaimRefutation).is_some() {
            return false;
        }
        let says = |other: &Said| same(version.payload(), other.payload());
        if let Some(correction) = self.latest(key, &Kind::ClaimCorrection) {
            let withdrawn =
                *version.kind() == Kind::ClaimCorrection && self.undone.contains(&version.id());
            return says(correction) && !withdrawn;
        }
        *version.kind() == Kind::Claim
            && self.current(key).is_some_and(says)
            && self.is_sound(&version.id())
    }

    /// All that was told.
    pub fn ids(&self) -> BTreeSet<OpId> {
        self.said.keys().copied().collect()
    }

    /// Everything that may be built upon.
    pub fn valid_inputs(&self) -> BTreeSet<OpId> {
        self.ids().into_iter().filter(|id| self.is_valid_input(id)).collect()
    }

    /// The corrected identities of whose current version an input is no longer valid, where `valid`
    /// were the valid ones before.
    pub fn shaken(&self, valid: &BTreeSet<OpId>) -> BTreeSet<&'s str> {
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
