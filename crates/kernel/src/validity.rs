//! What is believed: validity as a recursion over what each operation was built from.
//!
//! Source: the derivation specification, "Versions, identities, state". An input is valid while its
//! payload is still what is believed and its own inputs are valid. [`Validity`] asks a
//! [`LedgerIndex`] and caches answers for as long as it lives. Where soundness is stored
//! ([`LedgerIndex::status`]) it is taken from there, so that a question costs its own inputs. Where
//! it is not, as in any [`Snapshot`](crate::snapshot::Snapshot), it is computed from everything
//! below. The walk keeps its own stack, so the depth of a derivation is bounded by memory, not by
//! the thread's stack.

use std::collections::HashMap;

use crate::id::{BodyHash, OpId};
use crate::kind::{Capability, Kind};
use crate::kind_spec::InputValidity;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{Ref, Role};

/// The state of an identity; the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The user refuted it.
    Refuted,
    /// The user corrected it.
    Corrected,
    /// The current version was retracted.
    Retracted,
    /// Believed.
    Active,
    /// An input of the current version is not valid.
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

/// What a version of an identity is compared with: a summary of [`Standing`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Believed {
    refuted: bool,
    correction: Option<Option<BodyHash>>,
    pub(crate) current: Option<OpId>,
    payload: Option<BodyHash>,
}

impl Believed {
    /// The same whichever version states it.
    pub(crate) fn belief(self) -> Self {
        Self { current: None, ..self }
    }
}

/// A step of the walk that computes soundness.
enum Step {
    Visit(OpId),
    /// The soundness of its inputs is known by now.
    Decide(Entry),
}

/// What counts of an identity's statements, apart from the soundness of its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The latest refutation that is not withdrawn.
    pub refutation: Option<Entry>,
    /// The latest correction that is not withdrawn: what the identity is pinned to.
    pub correction: Option<Entry>,
    /// The latest claim.
    pub current: Option<Entry>,
}

/// Answers about one state of an index.
pub struct Validity<'w, W: LedgerIndex + ?Sized> {
    index: &'w W,
    sound: HashMap<OpId, bool>,
    valid: HashMap<OpId, bool>,
    believed: HashMap<String, Believed>,
}

impl<'w, W: LedgerIndex + ?Sized> Validity<'w, W> {
    /// Over `index` as it is now.
    pub fn new(index: &'w W) -> Self {
        Self { index, sound: HashMap::new(), valid: HashMap::new(), believed: HashMap::new() }
    }

    /// The state of an identity.
    pub fn state(&mut self, key: &str) -> Result<State, W::Error> {
        let standing = self.standing(key)?;
        self.state_of(&standing)
    }

    /// The state of an identity with that standing.
    pub fn state_of(&mut self, standing: &Standing) -> Result<State, W::Error> {
        if standing.refutation.is_some() {
            return Ok(State::Refuted);
        }
        if standing.correction.is_some() {
            return Ok(State::Corrected);
        }
        let Some(current) = &standing.current else { return Ok(State::None) };
        // What is sound is not retracted.
        Ok(if self.is_sound(current)? {
            State::Active
        } else if self.is_retracted(current)? {
            State::Retracted
        } else {
            State::Invalidated
        })
    }

    /// Whether an operation is a valid input.
    pub fn is_valid_input(&mut self, id: &OpId) -> Result<bool, W::Error> {
        if let Some(valid) = self.valid.get(id) {
            return Ok(*valid);
        }
        let Some(entry) = self.index.entry(id)? else { return Ok(false) };
        self.compute_soundness(&entry)?;
        let sound = self.sound.get(id).copied().unwrap_or(false);
        let valid = self.is_valid_given(&entry, sound)?;
        self.valid.insert(*id, valid);
        Ok(valid)
    }

    /// Whether an operation is not retracted and every input of it is valid.
    pub fn is_sound(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        self.compute_soundness(entry)?;
        Ok(self.sound.get(&entry.id).copied().unwrap_or(false))
    }

    /// Computes the soundness of everything below `entry`, inputs first. Each operation is entered
    /// once: the walk decides everything below one before it takes the next from the stack.
    fn compute_soundness(&mut self, entry: &Entry) -> Result<(), W::Error> {
        let mut stack = Vec::new();
        self.enter(entry.clone(), &mut stack)?;
        while let Some(step) = stack.pop() {
            match step {
                Step::Visit(id) => {
                    if !self.sound.contains_key(&id)
                        && !self.valid.contains_key(&id)
                        && let Some(entry) = self.index.entry(&id)?
                    {
                        self.enter(entry, &mut stack)?;
                    }
                }
                Step::Decide(entry) => {
                    let sound = self.sound_given_inputs(&entry)?;
                    self.sound.insert(entry.id, sound);
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, entry: Entry, stack: &mut Vec<Step>) -> Result<(), W::Error> {
        if !entry.kind.spec().has_soundness || self.sound.contains_key(&entry.id) {
            return Ok(());
        }
        if let Some(status) = self.index.status(&entry.id)? {
            self.sound.insert(entry.id, status.sound);
        } else {
            let visits: Vec<Step> = inputs(&entry).map(Step::Visit).collect();
            stack.push(Step::Decide(entry));
            stack.extend(visits);
        }
        Ok(())
    }

    /// Computes again whether an operation is sound, whatever is cached of it.
    pub(crate) fn recheck(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        if self.is_retracted(entry)? {
            return Ok(false);
        }
        for input in inputs(entry) {
            if !self.is_valid_input(&input)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes an operation's soundness as given, as if the index had answered it.
    pub(crate) fn suppose(&mut self, id: OpId, sound: bool) {
        self.sound.insert(id, sound);
        self.valid.remove(&id);
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
        let valid = match self.index.entry(id)? {
            Some(entry) => {
                let sound = self.sound.get(id).copied().unwrap_or(false);
                self.is_valid_given(&entry, sound)?
            }
            None => false,
        };
        self.valid.insert(*id, valid);
        Ok(valid)
    }

    /// Whether an operation is a valid input, given its soundness.
    pub(crate) fn is_valid_given(&mut self, entry: &Entry, sound: bool) -> Result<bool, W::Error> {
        if !self.has_effect(entry)? {
            return Ok(false);
        }
        match entry.kind.spec().validity {
            InputValidity::Evidence => {
                Ok(!self.is_retracted(entry)? && !self.is_superseded(entry)?)
            }
            InputValidity::Claim => {
                let Some(believed) = self.believed_of(entry)? else { return Ok(false) };
                Ok(match believed.correction {
                    Some(corrected) => entry.payload == corrected,
                    None => sound && entry.payload == believed.payload,
                })
            }
            InputValidity::Correction => {
                let Some(believed) = self.believed_of(entry)? else { return Ok(false) };
                Ok(believed.correction == Some(entry.payload) && self.is_active(&entry.id)?)
            }
            InputValidity::WhileSound => Ok(sound),
            InputValidity::UnlessRetracted => Ok(!self.is_retracted(entry)?),
            InputValidity::Never => Ok(false),
        }
    }

    /// What is believed of a version's identity; nothing where it is refuted.
    fn believed_of(&mut self, version: &Entry) -> Result<Option<Believed>, W::Error> {
        let Some(key) = &version.identity else { return Ok(None) };
        Ok(Some(self.believed(key)?).filter(|believed| !believed.refuted))
    }

    /// What is believed of an identity, cached: thousands of claims may cite versions of one.
    pub(crate) fn believed(&mut self, key: &str) -> Result<Believed, W::Error> {
        if let Some(believed) = self.believed.get(key) {
            return Ok(*believed);
        }
        let Standing { refutation, correction, current } = self.standing(key)?;
        let believed = Believed {
            refuted: refutation.is_some(),
            correction: correction.map(|correction| correction.payload),
            current: current.as_ref().map(|current| current.id),
            payload: current.and_then(|current| current.payload),
        };
        self.believed.insert(key.to_owned(), believed);
        Ok(believed)
    }

    /// Whether a machine may record that a version is invalidated: it is the current one of an
    /// identity that the user neither refuted nor corrected.
    pub(crate) fn is_exposed(&mut self, version: &Entry) -> Result<bool, W::Error> {
        let Some(key) = &version.identity else { return Ok(false) };
        let believed = self.believed(key)?;
        Ok(!believed.refuted
            && believed.correction.is_none()
            && believed.current == Some(version.id))
    }

    /// Whether a correction pins an identity.
    pub(crate) fn is_corrected(&mut self, key: &str) -> Result<bool, W::Error> {
        Ok(self.believed(key)?.correction.is_some())
    }

    /// What counts of an identity's statements.
    pub fn standing(&self, key: &str) -> Result<Standing, W::Error> {
        Ok(Standing {
            refutation: self.latest_that_counts(key, &Kind::ClaimRefutation)?,
            correction: self.latest_that_counts(key, &Kind::ClaimCorrection)?,
            current: self.latest_that_counts(key, &Kind::Claim)?,
        })
    }

    /// The latest claim of an identity, or its latest correction or refutation that is not
    /// withdrawn. Only statements that have effect count.
    fn latest_that_counts(&self, key: &str, kind: &Kind) -> Result<Option<Entry>, W::Error> {
        let mut before = None;
        while let Some(entry) = self.index.latest_of(key, kind, before)? {
            if self.has_effect(&entry)?
                && (entry.kind == Kind::Claim || self.is_active(&entry.id)?)
            {
                return Ok(Some(entry));
            }
            before = Some(entry.order());
        }
        Ok(None)
    }

    /// The payload digest that an identity's active correction pins, if there is one.
    pub fn pinned(&self, key: &str) -> Result<Option<Option<BodyHash>>, W::Error> {
        Ok(self
            .latest_that_counts(key, &Kind::ClaimCorrection)?
            .map(|correction| correction.payload))
    }

    /// Whether an active refutation exists.
    pub fn is_refuted(&self, key: &str) -> Result<bool, W::Error> {
        Ok(self.latest_that_counts(key, &Kind::ClaimRefutation)?.is_some())
    }

    /// The latest claim of an identity.
    pub fn current(&self, key: &str) -> Result<Option<Entry>, W::Error> {
        self.latest_that_counts(key, &Kind::Claim)
    }

    /// Whether a correction or refutation has not been withdrawn.
    pub fn is_active(&self, id: &OpId) -> Result<bool, W::Error> {
        Ok(!self.is_acted_on(id, &Kind::CorrectionWithdrawal, Role::TARGET)?
            && !self.is_acted_on(id, &Kind::RefutationWithdrawal, Role::TARGET)?)
    }

    /// Whether it was forgotten, or retracted by a retraction that is not withdrawn.
    pub fn is_retracted(&self, entry: &Entry) -> Result<bool, W::Error> {
        for kind in [entry.kind.spec().retracted_by, &Kind::Redaction] {
            for acting in self.index.acting(&entry.id, kind, Role::TARGET)? {
                if let Some(retraction) = self.index.entry(&acting)?
                    && self.retracts(&retraction)?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The retractions and redactions of an operation that have effect and are not withdrawn, in
    /// the space's order.
    pub fn retractions(&self, entry: &Entry) -> Result<Vec<Entry>, W::Error> {
        let mut found = Vec::new();
        for kind in [entry.kind.spec().retracted_by, &Kind::Redaction] {
            for acting in self.index.acting(&entry.id, kind, Role::TARGET)? {
                if let Some(retraction) = self.index.entry(&acting)?
                    && self.retracts(&retraction)?
                {
                    found.push(retraction);
                }
            }
        }
        found.sort_unstable_by_key(Entry::order);
        Ok(found)
    }

    /// Whether a retraction or redaction has effect and is not withdrawn.
    fn retracts(&self, retraction: &Entry) -> Result<bool, W::Error> {
        Ok(self.has_effect(retraction)?
            && (retraction.kind == Kind::Redaction
                || !self.is_acted_on(&retraction.id, &Kind::RetractionWithdrawal, Role::TARGET)?))
    }

    fn is_superseded(&self, entry: &Entry) -> Result<bool, W::Error> {
        self.is_acted_on(&entry.id, &Kind::Evidence, Role::SUPERSEDES)
    }

    /// True if an operation of `kind` that has effect cites `id` in `role`.
    fn is_acted_on(&self, id: &OpId, kind: &Kind, role: &str) -> Result<bool, W::Error> {
        for acting in self.index.acting(id, kind, role)? {
            if let Some(entry) = self.index.entry(&acting)?
                && self.has_effect(&entry)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The latest operation of `kind` that has effect and cites `id` in `role`.
    pub(crate) fn last_acting(
        &self,
        id: &OpId,
        kind: &Kind,
        role: &str,
    ) -> Result<Option<Entry>, W::Error> {
        let mut last: Option<Entry> = None;
        for acting in self.index.acting(id, kind, role)? {
            if let Some(entry) = self.index.entry(&acting)?
                && last.as_ref().is_none_or(|last| last.order() < entry.order())
                && self.has_effect(&entry)?
            {
                last = Some(entry);
            }
        }
        Ok(last)
    }

    /// Whether an operation has effect. One from elsewhere whose author was not permitted was kept
    /// and has none; nor has a claim, node or edge without inputs. The capability that a claim
    /// needs depends on its body. A key that may append may state any belief as its own, so either
    /// capability is enough here.
    pub fn has_effect(&self, entry: &Entry) -> Result<bool, W::Error> {
        let access = self.index.access()?;
        if entry.kind.spec().has_soundness && inputs(entry).next().is_none() {
            return Ok(false);
        }
        if entry.kind == Kind::Claim
            && access.holds(&entry.author, Capability::Append, entry.place())
        {
            return Ok(true);
        }
        crate::rules::is_permitted(access, entry, || match entry.sole_ref(Role::TARGET) {
            Some(target) => Ok(self.index.entry(&target)?.map(|target| target.author)),
            None => Ok(None),
        })
    }
}

/// The operations that one was built from, in the author's order.
pub fn inputs(entry: &Entry) -> impl DoubleEndedIterator<Item = OpId> {
    input_refs(entry).map(|reference| reference.id)
}

/// The same with the roles in which they are cited.
pub fn input_refs(entry: &Entry) -> impl DoubleEndedIterator<Item = &Ref> {
    inputs_among(&entry.kind, &entry.refs)
}

/// The citations of inputs among all that an operation of a kind makes.
pub fn inputs_among<'r>(
    kind: &Kind,
    refs: &'r [Ref],
) -> impl DoubleEndedIterator<Item = &'r Ref> + use<'r> {
    let spec = kind.spec();
    refs.iter().filter(move |reference| spec.is_input(reference.role.as_str()))
}
