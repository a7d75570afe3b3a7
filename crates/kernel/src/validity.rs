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

/// What an identity stands at, apart from the soundness of its versions.
struct Standing {
    refuted: bool,
    correction: Option<(OpId, Option<BodyHash>)>,
    current: Option<Entry>,
}

/// Answers about one moment of a world.
pub struct Validity<'w, W: World> {
    world: &'w W,
    sound: HashMap<OpId, bool>,
}

impl<'w, W: World> Validity<'w, W> {
    /// Over `world` as it is now.
    pub fn new(world: &'w W) -> Self {
        Self { world, sound: HashMap::new() }
    }

    /// The state of an identity.
    pub fn state(&mut self, key: &str) -> Result<State, W::Error> {
        let standing = self.standing(key)?;
        let Some(current) = standing.current.as_ref() else {
            return Ok(if standing.refuted { State::Refuted } else { State::None });
        };
        Ok(if standing.refuted {
            State::Refuted
        } else if standing.correction.is_some() {
            State::Corrected
        } else if self.is_retracted(current)? {
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
        self.input_given_soundness(&entry)
    }

    /// Whether a claim version stands: not taken back, and every input valid.
    pub fn is_sound(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        self.settle(entry)?;
        Ok(self.sound.get(&entry.id).copied().unwrap_or(false))
    }

    /// Computes soundness of every claim below `entry`, inputs first.
    fn settle(&mut self, entry: &Entry) -> Result<(), W::Error> {
        let mut stack = vec![(entry.clone(), false)];
        while let Some((entry, inputs_done)) = stack.pop() {
            if entry.kind != Kind::Claim || self.sound.contains_key(&entry.id) {
                continue;
            }
            if inputs_done {
                let sound = self.sound_given_inputs(&entry)?;
                self.sound.insert(entry.id, sound);
                continue;
            }
            let inputs: Vec<OpId> = inputs(&entry).collect();
            stack.push((entry, true));
            for input in inputs {
                if !self.sound.contains_key(&input)
                    && let Some(input) = self.world.entry(&input)?
                {
                    stack.push((input, false));
                }
            }
        }
        Ok(())
    }

    fn sound_given_inputs(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        if self.is_retracted(entry)? {
            return Ok(false);
        }
        for input in inputs(entry) {
            match self.world.entry(&input)? {
                Some(input) if self.input_given_soundness(&input)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn input_given_soundness(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        match entry.kind {
            Kind::Evidence => Ok(!self.is_retracted(entry)? && !self.is_superseded(entry)?),
            Kind::Claim | Kind::ClaimCorrection => {
                let Some(key) = &entry.identity else { return Ok(false) };
                let standing = self.standing(key)?;
                if standing.refuted {
                    return Ok(false);
                }
                if let Some((_, corrected)) = standing.correction {
                    return Ok(entry.payload == corrected && (entry.kind == Kind::Claim || self.is_active(&entry.id)?));
                }
                let current = standing.current.and_then(|current| current.payload);
                let sound = self.sound.get(&entry.id).copied().unwrap_or(false);
                Ok(entry.kind == Kind::Claim && sound && entry.payload == current)
            }
            _ => Ok(!self.is_retracted(entry)?),
        }
    }

    fn standing(&self, key: &str) -> Result<Standing, W::Error> {
        let mut standing = Standing { refuted: false, correction: None, current: None };
        for entry in self.world.identity(key)? {
            match entry.kind {
                Kind::Claim => standing.current = Some(entry),
                Kind::ClaimCorrection if self.holds_correct(&entry)? && self.is_active(&entry.id)? => {
                    standing.correction = Some((entry.id, entry.payload));
                }
                Kind::ClaimRefutation if self.holds_correct(&entry)? && self.is_active(&entry.id)? => {
                    standing.refuted = true;
                }
                _ => {}
            }
        }
        Ok(standing)
    }

    /// The payload digest that an identity's active correction pins, if there is one.
    pub fn pinned(&self, key: &str) -> Result<Option<Option<BodyHash>>, W::Error> {
        Ok(self.standing(key)?.correction.map(|(_, payload)| payload))
    }

    /// Whether an active refutation exists.
    pub fn is_refuted(&self, key: &str) -> Result<bool, W::Error> {
        Ok(self.standing(key)?.refuted)
    }

    /// The latest claim of an identity.
    pub fn current(&self, key: &str) -> Result<Option<Entry>, W::Error> {
        Ok(self.standing(key)?.current)
    }

    /// Whether a correction or refutation has not been withdrawn.
    fn is_active(&self, id: &OpId) -> Result<bool, W::Error> {
        self.is_untouched_by(id, &[Kind::CorrectionWithdrawal, Kind::RefutationWithdrawal], Role::TARGET)
    }

    fn is_retracted(&self, entry: &Entry) -> Result<bool, W::Error> {
        let kind = if entry.kind == Kind::Evidence { Kind::EvidenceRetraction } else { Kind::Retraction };
        Ok(!self.is_untouched_by(&entry.id, &[kind], Role::TARGET)?)
    }

    fn is_superseded(&self, entry: &Entry) -> Result<bool, W::Error> {
        Ok(!self.is_untouched_by(&entry.id, &[Kind::Evidence], Role::SUPERSEDES)?)
    }

    /// False if a permitted operation of one of `kinds` cites `id` in `role`.
    fn is_untouched_by(&self, id: &OpId, kinds: &[Kind], role: &str) -> Result<bool, W::Error> {
        for citing in self.world.citing(id)? {
            if citing.role == role
                && kinds.contains(&citing.kind)
                && let Some(entry) = self.world.entry(&citing.id)?
                && self.is_permitted(&entry, id)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds_correct(&self, entry: &Entry) -> Result<bool, W::Error> {
        Ok(self.world.access()?.holds(&entry.author, Capability::Correct, entry.order()))
    }

    /// What sync kept although its author was not allowed to say it has no effect.
    fn is_permitted(&self, entry: &Entry, target: &OpId) -> Result<bool, W::Error> {
        let target_author = || Ok(self.world.entry(target)?.map(|target| target.author));
        crate::rules::is_permitted(self.world.access()?, entry, target_author)
    }
}

/// The operations a claim was built from: every citation but the version it replaces.
pub fn inputs(entry: &Entry) -> impl Iterator<Item = OpId> {
    entry.refs.iter().filter(|reference| reference.role.as_str() != Role::SUPERSEDES).map(|reference| reference.id)
}
