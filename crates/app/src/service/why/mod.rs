//! Why: what accounts for a decision or anything else, and the stored answer.

use std::collections::BTreeSet;

use engine::belief::name::Named;
use engine::graph::RecordKey;
use engine::owner::SpaceOwner;
use engine::private::{Disclosure, Viewpoint};
use engine::why::{Why, WhyLimits};
use engine::write::import::Intent;
use engine::{EngineError, now_us};
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use serde::Serialize;
use store::sqlite::ModelNumber;

use super::effective::EffectiveView;
use super::opening::OpenedSpace;
use super::query_embedding::serving;
use super::{Session, handles};
use crate::failure::Failure;

mod choice;
#[cfg(test)]
mod tests;

pub(crate) use choice::{Choosing, ModelChoice, NotAsked, choose};

/// The name of the newest decision or action.
pub(crate) const LAST: &str = "last";

/// The stored answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct StoredTrace {
    /// The `why_trace` node.
    pub(crate) id: OpId,
    /// Whether it was not there before.
    pub(crate) new: bool,
    /// The edges from the target to the claims, new or there already.
    pub(crate) edges: Vec<OpId>,
}

/// What became of storing an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Storing {
    /// It is in the space.
    Stored(StoredTrace),
    /// It is not.
    NotStored(NotStored),
}

/// Why an answer was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NotStored {
    /// It was not to be.
    DryRun,
    /// No claim accounts for the target.
    NothingToStore,
    /// The target is dead.
    TargetDead,
    /// It is about the past.
    AsOf,
    /// It is about another time in the world.
    ValidAt,
    /// Another space than the one of the request has the target.
    HomeSpace,
    /// The space is somebody else's.
    NotYourSpace,
    /// The file can only be read.
    ReadOnly,
    /// This device's key may not append.
    NotPermitted,
}

impl NotStored {
    /// It in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::DryRun => "nothing was stored: this is a dry run",
            Self::NothingToStore => "nothing was stored: no claim accounts for it",
            Self::TargetDead => "nothing was stored: the target does not stand",
            Self::AsOf => "nothing was stored: this is an answer about the past",
            Self::ValidAt => "nothing was stored: this is an answer about another time",
            Self::HomeSpace => {
                "nothing was stored: the home space has it; `--space global` stores the answer there"
            }
            Self::NotYourSpace => "nothing was stored: the space is somebody else's",
            Self::ReadOnly => "nothing was stored: the space can only be read",
            Self::NotPermitted => "nothing was stored: this device's key may not write here",
        }
    }
}

/// The operation that a name stands for: `last`, an id or the beginning of one, or the key of a
/// belief. None if there is nothing that `last` could stand for.
pub(crate) fn target(
    space: &OpenedSpace,
    name: &str,
    limits: &WhyLimits,
) -> Result<Option<OpId>, Failure> {
    if name == LAST {
        return Ok(space.newest_to_explain(limits)?);
    }
    match space.name_disclosed(name, limits.disclosure)? {
        Named::Belief { key } => {
            let belief = space.belief_at(&key, limits.as_of_us)?;
            match belief.served.or(belief.current) {
                // Of a time before, it may be a private version of what is open now.
                Some(id) if !space.is_withheld(&id, limits.disclosure)? => Ok(Some(id)),
                _ => {
                    let viewpoint = Viewpoint {
                        as_of_us: limits.as_of_us,
                        disclosure: limits.disclosure,
                        ..Viewpoint::default()
                    };
                    Err(space.unknown_belief_then(&key, &viewpoint)?.into())
                }
            }
        }
        Named::Version { id, .. } | Named::Operation { id, .. } => Ok(Some(id)),
    }
}

/// The records of the home space that the project hides, of those that account for a target there.
/// In what the project sees they hold nothing up.
pub(crate) fn hidden(
    spaces: &EffectiveView,
    name: &str,
    limits: &WhyLimits,
) -> Result<BTreeSet<OpId>, Failure> {
    let mut limits = limits.clone();
    let scope = spaces.scope_of(name)?;
    if scope == spaces.scope {
        return Ok(limits.hidden);
    }
    let space = spaces.space(scope);
    limits.disclosure = spaces.disclosure(scope);
    let Some(target) = target(space, name, &limits)? else { return Ok(limits.hidden) };
    loop {
        let why = space.why(&target, &limits)?;
        let mut records = Vec::new();
        for found in why.walked.iter().chain(&why.candidates) {
            records.extend(space.record_view(&found.id, limits.as_of_us)?);
        }
        let keys: Vec<RecordKey> = records.iter().map(RecordKey::of_record).collect();
        let hides = spaces.own.hides_records(&keys, limits.as_of_us)?;
        let before = limits.hidden.len();
        let hidden = records.iter().zip(hides).filter(|(_, is_hidden)| *is_hidden);
        limits.hidden.extend(hidden.map(|(record, _)| record.id));
        if limits.hidden.len() == before {
            return Ok(limits.hidden);
        }
    }
}

/// A time of recording that lies in the past; none for the present.
pub(crate) fn past(session: &Session, as_of_us: Option<u64>) -> Option<u64> {
    as_of_us.filter(|at| *at < now_us(session.now))
}

/// The model whose vectors find what is similar to a target: the first that serves and has
/// vectors. No model is called.
pub(crate) fn similar_by(
    session: &Session,
    space: &mut OpenedSpace,
) -> Result<Option<ModelNumber>, Failure> {
    let configuration = session.configuration(Some(space.path()))?;
    Ok(serving(&configuration, space)?.first().map(|ready| ready.number))
}

/// Stores an answer, unless there is a reason not to.
pub(crate) fn store(
    space: &mut OpenedSpace,
    session: &Session,
    why: &Why,
    limits: &WhyLimits,
    intent: Intent,
) -> Result<Storing, Failure> {
    let changes = why.trace().map_err(EngineError::from)?;
    let reason = if changes.is_empty() {
        Some(NotStored::NothingToStore)
    } else if intent == Intent::DryRun {
        Some(NotStored::DryRun)
    } else if !why.target.is_active() {
        Some(NotStored::TargetDead)
    } else if limits.as_of_us.is_some() {
        Some(NotStored::AsOf)
    } else if limits.valid_at_us.is_some() {
        Some(NotStored::ValidAt)
    } else if limits.disclosure == Disclosure::GlobalOnly {
        Some(NotStored::HomeSpace)
    } else if space.owner.is_some() {
        Some(NotStored::NotYourSpace)
    } else {
        let reader = space.reader()?;
        if reader.is_read_only() {
            Some(NotStored::ReadOnly)
        } else if !reader.may(&space.author(), Capability::Append, session.now)? {
            Some(NotStored::NotPermitted)
        } else {
            None
        }
    };
    if let Some(reason) = reason {
        return Ok(Storing::NotStored(reason));
    }
    // It was opened to be read; what is appended makes beliefs be derived again.
    handles::set_owner_names(&session.home, space)?;
    let changed = space.change_graph(&changes, None, intent, session.now)?;
    let mut ids = changed.stand_for.iter().copied();
    let Some(id) = ids.next() else { return Ok(Storing::NotStored(NotStored::NothingToStore)) };
    let new = changed.appended.contains(&id);
    Ok(Storing::Stored(StoredTrace { id, new, edges: ids.collect() }))
}

/// Marks what an answer repeats of somebody else's space as what its owner says.
pub(crate) fn attribute(why: &mut Why, owner: &SpaceOwner) {
    let says = |kind: &str| [Kind::Claim, Kind::Node].iter().any(|known| known.as_str() == kind);
    if says(&why.target.kind) {
        why.target.text = owner.attribute(&why.target.text);
        why.target.content = owner.attribute(&why.target.content);
    }
    for found in why.candidates.iter_mut().chain(&mut why.walked) {
        found.text = owner.attribute(&found.text);
    }
}
