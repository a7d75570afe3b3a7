//! The effects of a user action: "you corrected X, therefore Y and Z changed".
//!
//! [`Outcome`] holds the action and the changes. [`Outcome::report`] is the same as data, for
//! programs and agents alike. `change_wording.rs` puts it in words.

use std::collections::{BTreeMap, BTreeSet};

use engine::belief::Belief;
use engine::belief::claims::band_of;
use engine::derive::Derived;
use engine::write::commit::{Change, Changes};
use engine::write::import::Intent;
use engine::write::patch::StatusChange;
use engine::{EngineError, Space};
use kernel::id::OpId;
use kernel::when::When;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::disclosure::is_private_change;
use super::graph::NOTHING;

/// A user action, recorded or hypothetical, and the changes of beliefs.
pub(crate) struct Outcome {
    /// The user's actions.
    pub(crate) actions: Vec<Action>,
    /// The recorded operations and the changed beliefs.
    pub(crate) changes: Changes,
    /// Whether it was written.
    pub(crate) intent: Intent,
    /// Private beliefs and records that it concerns too, and that the reader may not see.
    pub(crate) withheld: usize,
    /// Whether the reader learns how much was derived.
    pub(crate) is_counted: bool,
}

/// One user action.
#[derive(Clone)]
pub(crate) struct Action {
    /// The action.
    pub(crate) verb: Verb,
    /// Its target.
    pub(crate) subject: Subject,
}

/// The kinds of user actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Verb {
    Corrected,
    Refuted,
    Withdrew,
    Retracted,
    Restored,
    AcceptedReview,
    DismissedReview,
    AcceptedProposal,
    DismissedProposal,
    Forgot,
    Stated,
    Connected,
}

/// The target of a user action.
#[derive(Clone)]
pub(crate) enum Subject {
    /// A belief, by its key.
    Belief(String),
    /// A record.
    Record { id: OpId, summary: String },
    /// All records that match a description.
    Records { count: usize, which: String },
}

impl Action {
    pub(crate) fn on_belief(verb: Verb, key: &str) -> Self {
        Self { verb, subject: Subject::Belief(key.to_owned()) }
    }

    /// The belief's key, if it is one.
    pub(crate) fn key(&self) -> Option<&str> {
        match &self.subject {
            Subject::Belief(key) => Some(key),
            Subject::Record { .. } | Subject::Records { .. } => None,
        }
    }
}

/// An outcome as data.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ChangeReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// The actions and their targets.
    pub(crate) actions: Vec<ActionReport>,
    /// Kinds of the secrets that were masked before anything was written.
    pub(crate) masked: Vec<String>,
    /// Ids of the operations that were written.
    pub(crate) recorded: Vec<String>,
    /// Every belief that changed.
    pub(crate) changes: Vec<BeliefChange>,
    /// Claims and nodes that an edge displaces now and did not before, or no more.
    pub(crate) statuses: Vec<StatusReport>,
    /// The number of private beliefs and records that it concerns too.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) withheld: usize,
    /// Ids of operations on which the changes depend, and that were altered in the file since they
    /// were signed. What may quote them is left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) altered: Vec<String>,
    /// Statistics of the derivation; empty for a reader who is not shown what is private.
    pub(crate) derived: BTreeMap<String, Value>,
}

/// A claim or a node whose status is another one now.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct StatusReport {
    /// Its id.
    id: String,
    /// `claim` or `node`.
    kind: String,
    /// It in words.
    text: String,
    /// Its status before; null if it was not there.
    before: Option<&'static str>,
    /// Its status now; null if it has no effect.
    after: Option<&'static str>,
}

/// An action and its target: a belief by its key, a record by its id, or all records that match a
/// description.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ActionReport {
    /// The action.
    action: Verb,
    /// The belief's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The record's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// How many records.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<usize>,
    /// The description of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    which: Option<String>,
}

/// A belief that changed.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct BeliefChange {
    /// Its key.
    key: String,
    /// The kind of the change.
    change: ChangeKind,
    /// Whether the user acted on this belief, rather than the change being a consequence.
    direct: bool,
    /// The belief before; null if there was none.
    before: Option<BeliefSummary>,
    /// The belief now; its `op_id` is null if there is none.
    after: BeliefSummary,
    /// The operation that made the belief invalid, if there is one.
    cause: Option<String>,
}

/// The kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum ChangeKind {
    NoLongerBelieved,
    NowBelieved,
    Changed,
    Surer,
    LessSure,
    Validity,
}

/// A summary of a belief.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BeliefSummary {
    /// active, corrected, refuted, retracted or invalidated.
    state: String,
    /// The operation that states it; null if nothing is believed.
    op_id: Option<String>,
    /// The belief in words.
    text: String,
    /// The belief as data.
    payload: Value,
    /// Confidence, 0 to 1; 1 for a statement of the user.
    confidence: f64,
    /// The confidence band; null for a statement of the user and for what is not believed.
    band: Option<String>,
    /// The beginning of the interval in which it is true.
    valid_from: Option<String>,
    /// The end (exclusive) of that interval.
    valid_to: Option<String>,
    /// The last record of it, where no record says that it ended.
    last_seen: Option<LastSeenReport>,
}

/// The last record of something that repeats.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LastSeenReport {
    /// When the last record shows it.
    at: String,
    /// Days after that date within which it is presumed to go on.
    grace_days: u32,
}

impl Outcome {
    /// Keys of the beliefs that the user acted on.
    pub(crate) fn direct_keys(&self) -> BTreeSet<&str> {
        self.actions.iter().filter_map(Action::key).collect()
    }

    /// Takes out what is private, and counts it. What a derivation did it counts over all records,
    /// so that goes, too.
    pub(crate) fn withhold_private(&mut self, space: &Space) -> Result<(), EngineError> {
        self.withheld += withhold_private_changes(space, &mut self.changes)?;
        self.withheld += withhold_private_actions(space, &mut self.actions)?;
        let private = space.private_among(&self.changes.recorded)?;
        self.changes.recorded.retain(|id| !private.contains(id));
        self.is_counted = false;
        Ok(())
    }

    /// The outcome as data.
    pub(crate) fn report(&self) -> ChangeReport {
        let direct = self.direct_keys();
        let changes = self.changes.beliefs.iter();
        let recorded = match self.intent {
            Intent::Write => self.changes.recorded.as_slice(),
            Intent::DryRun => &[],
        };
        ChangeReport {
            dry_run: self.intent == Intent::DryRun,
            actions: self.actions.iter().map(ActionReport::of).collect(),
            masked: self.changes.masked.iter().map(ToString::to_string).collect(),
            recorded: recorded.iter().map(ToString::to_string).collect(),
            changes: changes
                .map(|(key, change)| BeliefChange::of(key, change, direct.contains(key.as_str())))
                .collect(),
            statuses: self.changes.displaced.iter().map(StatusReport::of).collect(),
            withheld: self.withheld,
            altered: self.changes.altered.iter().map(ToString::to_string).collect(),
            derived: match self.is_counted {
                true => numbers_of(&self.changes.derived),
                false => BTreeMap::new(),
            },
        }
    }
}

/// Takes out the changes of private beliefs. Returns their number.
pub(crate) fn withhold_private_changes(
    space: &Space,
    changes: &mut Changes,
) -> Result<usize, EngineError> {
    let before = changes.beliefs.len();
    let mut private = BTreeSet::new();
    for (key, change) in &changes.beliefs {
        if is_private_change(space, change)? {
            private.insert(key.clone());
        }
    }
    changes.beliefs.retain(|key, _| !private.contains(key));
    let ids: Vec<OpId> = changes.displaced.iter().map(|status| status.id).collect();
    let withheld = space.private_among(&ids)?;
    changes.displaced.retain(|status| !withheld.contains(&status.id));
    Ok(before - changes.beliefs.len() + ids.len() - changes.displaced.len())
}

/// Takes out the actions on private records. Returns their number.
pub(crate) fn withhold_private_actions(
    space: &Space,
    actions: &mut Vec<Action>,
) -> Result<usize, EngineError> {
    let before = actions.len();
    let records = actions.iter().filter_map(|action| match &action.subject {
        Subject::Record { id, .. } => Some(*id),
        Subject::Belief(_) | Subject::Records { .. } => None,
    });
    let private = space.private_among(&records.collect::<Vec<_>>())?;
    actions.retain(|action| match &action.subject {
        Subject::Record { id, .. } => !private.contains(id),
        Subject::Belief(_) | Subject::Records { .. } => true,
    });
    Ok(before - actions.len())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl ActionReport {
    fn of(action: &Action) -> Self {
        let mut report =
            Self { action: action.verb, key: None, target: None, records: None, which: None };
        match &action.subject {
            Subject::Belief(key) => report.key = Some(key.clone()),
            Subject::Record { id, .. } => {
                report.target = Some(id).filter(|id| **id != NOTHING).map(ToString::to_string);
            }
            Subject::Records { count, which } => {
                report.records = Some(*count);
                report.which = Some(which.clone());
            }
        }
        report
    }
}

impl StatusReport {
    fn of(change: &StatusChange) -> Self {
        let StatusChange { id, kind, text, before, after } = change;
        let (id, kind, text) = (id.to_string(), kind.clone(), text.clone());
        Self { id, kind, text, before: *before, after: *after }
    }
}

impl BeliefChange {
    fn of(key: &str, change: &Change, direct: bool) -> Self {
        Self {
            key: key.to_owned(),
            change: ChangeKind::of(change),
            direct,
            before: change.before.as_ref().map(BeliefSummary::of),
            after: BeliefSummary::of(&change.after),
            cause: change.cause.map(|cause| cause.to_string()),
        }
    }
}

impl ChangeKind {
    pub(crate) fn of(change: &Change) -> Self {
        let Some(before) = &change.before else { return Self::NowBelieved };
        let after = &change.after;
        if after.served.is_none() {
            Self::NoLongerBelieved
        } else if before.payload != after.payload
            || before.text != after.text && before.confidence == after.confidence
        {
            Self::Changed
        } else if before.confidence < after.confidence {
            Self::Surer
        } else if before.confidence > after.confidence {
            Self::LessSure
        } else {
            Self::Validity
        }
    }
}

impl BeliefSummary {
    fn of(belief: &Belief) -> Self {
        Self {
            state: belief.state.as_str().to_owned(),
            op_id: belief.served.map(|id| id.to_string()),
            text: belief.text.clone(),
            payload: belief.payload.clone(),
            confidence: belief.confidence,
            band: band_of(belief).map(|band| band.as_str().to_owned()),
            valid_from: belief.valid_from.as_ref().map(When::to_string),
            valid_to: belief.valid_to.as_ref().map(When::to_string),
            last_seen: belief.last_seen.as_ref().map(|last| LastSeenReport {
                at: last.at.to_string(),
                grace_days: last.grace_days,
            }),
        }
    }
}

fn numbers_of(derived: &Derived) -> BTreeMap<String, Value> {
    match serde_json::to_value(derived) {
        Ok(Value::Object(fields)) => fields.into_iter().collect(),
        _ => BTreeMap::new(),
    }
}
