//! What is believed: validity as a recursion over what each operation was built from.
//!
//! Source: the derivation specification, "Versions, identities, state". An input is valid while what it said is still
//! what is believed, and still stands on valid ground. Nothing is stored; [`Validity`] asks a [`World`] and
//! remembers answers for as long as it lives. The walk keeps its own stack, so the depth of
//! a derivation is bounded by memory, not by the thread's stack.

use std::collections::HashMap;

use crate::id::{BodyHash, OpId};
use crate::kind::{Capability, Kind};
use crate::operation::Role;
use crate::world::{Entry, World};

/// The state of an identity; the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The user said it is false.
    Refuted,
    /// The user said what is true instead.
    Corrected,
    /// The current version was taken back by its author.
    Retracted,
    /// Believed.
    Active,
    /// It no longer stands on valid ground.
    Invalidated,
    /// Never stated.
    None,
}

impl State {
    /// The name used in scenarios and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refuted => "refuted",
            Self::Corrected => "corrected",
            Self::Retracted => "retracted",
            Self::Active => "active",
            Self::Invalidated => "invalidated",
            Self::None => "none",
        }
    }
}

/// The payloads that a version of an identity is compared with; what [`Standing`] says of every one of them.
#[derive(Clone, Copy)]
struct Believed {
    refuted: bool,
    correction: Option<Option<BodyHash>>,
    current: Option<BodyHash>,
}

/// A step of the walk that settles soundness.
enum Step {
    Visit(OpId),
    /// Its inputs are settled by now.
    Settle(Entry),
}

/// What an identity stands at, apart from the soundness of its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The latest refutation that is not withdrawn.
    pub refutation: Option<Entry>,
    /// The latest correction that is not withdrawn: what the identity is pinned to.
    pub correction: Option<Entry>,
    /// The latest claim.
    pub current: Option<Entry>,
}

/// Answers about one moment of a world.
pub struct Validity<'w, W: World + ?Sized> {
    world: &'w W,
    sound: HashMap<OpId, bool>,
    valid: HashMap<OpId, bool>,
    believed: HashMap<String, Believed>,
}

impl<'w, W: World + ?Sized> Validity<'w, W> {
    /// Over `world` as it is now.
    pub fn new(world: &'w W) -> Self {
        Self { world, sound: HashMap::new(), valid: HashMap::new(), believed: HashMap::new() }
    }

    /// The state of an identity.
    pub fn state(&mut self, key: &str) -> Result<State, W::Error> {
        let standing = self.standing(key)?;
        if standing.refutation.is_some() {
            return Ok(State::Refuted);
        }
        if standing.correction.is_some() {
            return Ok(State::Corrected);
        }
        let Some(current) = &standing.current else { return Ok(State::None) };
        Ok(if self.is_retracted(current)? {
            State::Retracted
        } else if self.is_sound(current)? {
            State::Active
        } else {
            State::Invalidated
        })
    }

    /// Whether an operation may be built upon.
    pub fn is_valid_input(&mut self, id: &OpId) -> Result<bool, W::Error> {
        let Some(entry) = self.world.entry(id)? else { return Ok(false) };
        self.settle(&entry)?;
        self.is_valid_given_soundness(id)
    }

    /// Whether a claim version stands: not taken back, and every input valid.
    pub fn is_sound(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        self.settle(entry)?;
        Ok(self.sound.get(&entry.id).copied().unwrap_or(false))
    }

    /// Computes soundness of every claim below `entry`, inputs first. Each claim is entered once: the walk settles all
    /// that is below one before it takes the next from the stack.
    fn settle(&mut self, entry: &Entry) -> Result<(), W::Error> {
        let mut stack = Vec::new();
        self.enter(entry.clone(), &mut stack);
        while let Some(step) = stack.pop() {
            match step {
                Step::Visit(id) => {
                    if !self.sound.contains_key(&id)
                        && !self.valid.contains_key(&id)
                        && let Some(entry) = self.world.entry(&id)?
                    {
                        self.enter(entry, &mut stack);
                    }
                }
                Step::Settle(entry) => {
                    let sound = self.sound_given_inputs(&entry)?;
                    self.sound.insert(entry.id, sound);
                }
            }
        }
        Ok(())
    }

    fn enter(&self, entry: Entry, stack: &mut Vec<Step>) {
        if entry.kind == Kind::Claim && !self.sound.contains_key(&entry.id) {
            let visits: Vec<Step> = inputs(&entry).map(Step::Visit).collect();
            stack.push(Step::Settle(entry));
            stack.extend(visits);
        }
    }

    fn sound_given_inputs(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        if self.is_retracted(entry)? {
            return Ok(false);
        }
        for input in inputs(entry) {
            if !self.is_valid_given_soundness(&input)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_valid_given_soundness(&mut self, id: &OpId) -> Result<bool, W::Error> {
        if let Some(valid) = self.valid.get(id) {
            return Ok(*valid);
        }
        let valid = match self.world.entry(id)? {
            Some(entry) => self.input_given_soundness(&entry)?,
            None => false,
        };
        self.valid.insert(*id, valid);
        Ok(valid)
    }

    fn input_given_soundness(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        if !self.has_effect(entry)? {
            return Ok(false);
        }
        match entry.kind {
            Kind::Evidence => Ok(!self.is_retracted(entry)? && !self.is_superseded(entry)?),
            Kind::Claim | Kind::ClaimCorrection => {
                let Some(key) = &entry.identity else { return Ok(false) };
                let believed = self.believed(key)?;
                if believed.refuted {
                    return Ok(false);
                }
                if let Some(corrected) = believed.correction {
                    return Ok(entry.payload == corrected && (entry.kind == Kind::Claim || self.is_active(&entry.id)?));
                }
                let sound = self.sound.get(&entry.id).copied().unwrap_or(false);
                Ok(entry.kind == Kind::Claim && sound && entry.payload == believed.current)
            }
            Kind::Edge | Kind::Proposal => Ok(false),
            _ => Ok(!self.is_retracted(entry)?),
        }
    }

    /// What is said of an identity, remembered: thousands of claims may cite versions of the same one.
    fn believed(&mut self, key: &str) -> Result<Believed, W::Error> {
        if let Some(believed) = self.believed.get(key) {
            return Ok(*believed);
        }
        let Standing { refutation, correction, current } = self.standing(key)?;
        let believed = Believed {
            refuted: refutation.is_some(),
            correction: correction.map(|correction| correction.payload),
            current: current.and_then(|current| current.payload),
        };
        self.believed.insert(key.to_owned(), believed);
        Ok(believed)
    }

    /// What an identity stands at.
    pub fn standing(&self, key: &str) -> Result<Standing, W::Error> {
        let mut standing = Standing::default();
        for entry in self.world.identity(key)? {
            match entry.kind {
                Kind::Claim if self.has_effect(&entry)? => standing.current = Some(entry),
                Kind::ClaimCorrection if self.has_effect(&entry)? && self.is_active(&entry.id)? => {
                    standing.correction = Some(entry);
                }
                Kind::ClaimRefutation if self.has_effect(&entry)? && self.is_active(&entry.id)? => {
                    standing.refutation = Some(entry);
                }
                _ => {}
            }
        }
        Ok(standing)
    }

    /// The payload digest that an identity's active correction pins, if there is one.
    pub fn pinned(&self, key: &str) -> Result<Option<Option<BodyHash>>, W::Error> {
        Ok(self.standing(key)?.correction.map(|correction| correction.payload))
    }

    /// Whether an active refutation exists.
    pub fn is_refuted(&self, key: &str) -> Result<bool, W::Error> {
        Ok(self.standing(key)?.refutation.is_some())
    }

    /// The latest claim of an identity.
    pub fn current(&self, key: &str) -> Result<Option<Entry>, W::Error> {
        Ok(self.standing(key)?.current)
    }

    /// Whether a correction or refutation has not been withdrawn.
    fn is_active(&self, id: &OpId) -> Result<bool, W::Error> {
        Ok(!self.is_acted_on(id, &Kind::CorrectionWithdrawal, Role::TARGET)?
            && !self.is_acted_on(id, &Kind::RefutationWithdrawal, Role::TARGET)?)
    }

    /// Whether its author, or the user, took it back.
    pub fn is_retracted(&self, entry: &Entry) -> Result<bool, W::Error> {
        let kind = if entry.kind == Kind::Evidence { Kind::EvidenceRetraction } else { Kind::Retraction };
        self.is_acted_on(&entry.id, &kind, Role::TARGET)
    }

    fn is_superseded(&self, entry: &Entry) -> Result<bool, W::Error> {
        self.is_acted_on(&entry.id, &Kind::Evidence, Role::SUPERSEDES)
    }

    /// True if an operation of `kind` that has effect cites `id` in `role`.
    fn is_acted_on(&self, id: &OpId, kind: &Kind, role: &str) -> Result<bool, W::Error> {
        for acting in self.world.acting(id, kind, role)? {
            if let Some(entry) = self.world.entry(&acting)?
                && self.has_effect(&entry)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The latest operation of `kind` that has effect and cites `id` in `role`.
    pub(crate) fn last_acting(&self, id: &OpId, kind: &Kind, role: &str) -> Result<Option<Entry>, W::Error> {
        let mut last: Option<Entry> = None;
        for acting in self.world.acting(id, kind, role)? {
            if let Some(entry) = self.world.entry(&acting)?
                && last.as_ref().is_none_or(|last| last.order() < entry.order())
                && self.has_effect(&entry)?
            {
                last = Some(entry);
            }
        }
        Ok(last)
    }

    /// What sync kept although its author was not allowed to say it, or a claim of nothing, has no effect. The capability that a claim needs
    /// depends on its body; a key that may append may state any belief as its own, so either one will do here.
    fn has_effect(&self, entry: &Entry) -> Result<bool, W::Error> {
        let access = self.world.access()?;
        if entry.kind == Kind::Claim && inputs(entry).next().is_none() {
            return Ok(false);
        }
        if entry.kind == Kind::Claim && access.holds(&entry.author, Capability::Append, entry.order()) {
            return Ok(true);
        }
        crate::rules::is_permitted(access, entry, || match entry.sole_ref(Role::TARGET) {
            Some(target) => Ok(self.world.entry(&target)?.map(|target| target.author)),
            None => Ok(None),
        })
    }
}

/// The operations a claim was built from: every citation but the version it replaces.
pub fn inputs(entry: &Entry) -> impl Iterator<Item = OpId> {
    entry.refs.iter().filter(|reference| reference.role.as_str() != Role::SUPERSEDES).map(|reference| reference.id)
}
