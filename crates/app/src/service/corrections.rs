//! User actions: correcting, refuting, withdrawing, retracting, deciding reviews, and asking what
//! would follow from any of them.

use std::collections::BTreeSet;

use engine::belief::name::Named;
use engine::belief::user::Replacement;
use engine::inspect::summary;
use engine::selection::{RecordState, Selection};
use engine::write::import::Intent;
use engine::{EngineError, Space};
use importers::secrets::summarize;
use jiff::Timestamp;
use kernel::body::Body;
use kernel::id::OpId;
use kernel::operation::Role;
use kernel::seal::Draft;

use super::changes::{Action, Outcome, Subject, Verb};
use super::likeness::no_such_records;
use super::{Session, candidates, forgetting, graph, patch, proposals};
use crate::failure::{Failure, RequestError};

/// The hypothetical changes of `what-if`.
#[derive(Default)]
pub(crate) struct Hypothesis {
    /// Records to retract.
    pub(crate) retract: Vec<String>,
    /// Records to retract, by what they have in common.
    pub(crate) without: Selection,
    /// Records to forget.
    pub(crate) forget: Selection,
    /// Beliefs whose corrections and refutations are withdrawn.
    pub(crate) withdraw: Vec<String>,
    /// Corrections, as `KEY=JSON`.
    pub(crate) correct: Vec<String>,
    /// Beliefs to refute.
    pub(crate) refute: Vec<String>,
}

/// A retraction and its effects.
pub(crate) struct Retraction {
    /// The retracted records.
    pub(crate) targets: Vec<OpId>,
    /// The effects.
    pub(crate) outcome: Outcome,
}

/// The user's decision about a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Apply the proposal.
    Accept,
    /// Keep what the user said.
    Dismiss,
}

/// A decision, and whether it is only tried.
#[derive(Clone, Copy)]
pub(crate) struct ReviewDecision<'a> {
    /// What is decided.
    pub(crate) decision: Decision,
    /// The reason for the decision.
    pub(crate) note: &'a str,
    /// Whether it is written.
    pub(crate) intent: Intent,
}

impl ReviewDecision<'_> {
    /// Whether the proposal is applied.
    pub(super) fn is_accepted(&self) -> bool {
        self.decision == Decision::Accept
    }
}

/// Corrects the belief or the record that `name` identifies.
pub(crate) fn correct(
    space: &mut Space,
    now: Timestamp,
    name: &str,
    by: &Replacement,
    intent: Intent,
) -> Result<Outcome, Failure> {
    let drafts = space.to_correct(name, by)?;
    let action = match space.name_of(name)? {
        Named::Operation { id, .. } => {
            let summary = match &by.text {
                Some(text) => summarize(text),
                None => summary(&space.show(&id)?.operation),
            };
            Action { verb: Verb::Corrected, subject: Subject::Record { id, summary } }
        }
        Named::Belief { key } | Named::Version { key, .. } => {
            Action::on_belief(Verb::Corrected, &key)
        }
    };
    act(space, now, drafts, vec![action], intent)
}

/// Refutes the belief that `name` identifies.
pub(crate) fn refute(
    space: &mut Space,
    now: Timestamp,
    name: &str,
    note: &str,
    intent: Intent,
) -> Result<Outcome, Failure> {
    let drafts = space.to_refute(name, note)?;
    let action = Action::on_belief(Verb::Refuted, &space.belief_named(name)?);
    act(space, now, drafts, vec![action], intent)
}

/// Withdraws the user's corrections or refutation of a belief.
pub(crate) fn withdraw(
    space: &mut Space,
    now: Timestamp,
    name: &str,
    note: &str,
    intent: Intent,
) -> Result<Outcome, Failure> {
    let drafts = space.to_withdraw(name, note)?;
    let action = withdrawn(space, name, &drafts)?;
    act(space, now, drafts, vec![action], intent)
}

/// What the drafts that withdraw something of `name` do.
fn withdrawn(space: &Space, name: &str, drafts: &[Draft]) -> Result<Action, Failure> {
    let key = match space.name_of(name)? {
        Named::Operation { id, .. } => {
            let summary = drafts.iter().find_map(|draft| match &draft.body {
                Body::Evidence(evidence) => Some(evidence.summary.clone()),
                _ => None,
            });
            let subject = Subject::Record { id, summary: summary.unwrap_or_default() };
            return Ok(Action { verb: Verb::Withdrew, subject });
        }
        Named::Belief { key } | Named::Version { key, .. } => key,
    };
    Ok(Action::on_belief(Verb::Withdrew, &key))
}

/// Retracts records, in one act: those that are named, or all valid ones that are described.
pub(crate) fn retract(
    space: &mut Space,
    now: Timestamp,
    selection: &Selection,
    note: &str,
    intent: Intent,
) -> Result<Retraction, Failure> {
    if selection.is_empty() {
        return Err(RequestError::NothingSelected.into());
    }
    let (mut drafts, mut actions) = (Vec::new(), Vec::new());
    if selection.is_by_id() {
        let mut seen = BTreeSet::new();
        for name in &selection.ids {
            let retractions = space.to_retract(name, note)?;
            for target in targets(&retractions) {
                graph::check_not_corrected(space, &target)?;
            }
            // Two names of one record retract it once.
            if targets(&retractions).all(|target| seen.insert(target)) {
                actions.extend(retracted(space, &retractions)?);
                drafts.extend(retractions);
            }
        }
    } else {
        drafts = described(space, selection, note)?;
        actions.push(retracted_all(drafts.len(), selection));
    }
    let targets = targets(&drafts).collect();
    Ok(Retraction { targets, outcome: act(space, now, drafts, actions, intent)? })
}

/// Takes retractions back, in one act: of the records that are named, or of all retracted ones that
/// are described.
pub(crate) fn restore(
    space: &mut Space,
    now: Timestamp,
    selection: &Selection,
    note: &str,
    intent: Intent,
) -> Result<Outcome, Failure> {
    if selection.is_empty() {
        return Err(RequestError::NothingSelected.into());
    }
    let (mut drafts, mut actions) = (Vec::new(), Vec::new());
    if selection.is_by_id() {
        let mut seen = BTreeSet::new();
        for name in &selection.ids {
            let mut restorations = space.to_restore(name, note)?;
            restorations.retain(|draft| {
                targets(std::slice::from_ref(draft)).all(|retraction| seen.insert(retraction))
            });
            let mut restored = BTreeSet::new();
            for retraction in targets(&restorations) {
                let shown = space.show(&retraction)?;
                let cited = shown.operation.header().refs.iter();
                restored.extend(
                    cited.filter(|cited| cited.role.as_str() == Role::TARGET).map(|cited| cited.id),
                );
            }
            for id in restored {
                let subject = Subject::Record { id, summary: summary(&space.show(&id)?.operation) };
                actions.push(Action { verb: Verb::Restored, subject });
            }
            drafts.extend(restorations);
        }
    } else {
        let ids = space.select(selection, RecordState::Retracted)?;
        if ids.is_empty() {
            let which = format!("{}, retracted", selection.in_words());
            return Err(no_such_records(space, selection, which)?.into());
        }
        drafts = space.to_restore_all(&ids, note)?;
        let subject = Subject::Records { count: ids.len(), which: selection.in_words() };
        actions.push(Action { verb: Verb::Restored, subject });
    }
    act(space, now, drafts, actions, intent)
}

/// Drafts that retract the valid records of a description; an error if there are none.
fn described(space: &Space, selection: &Selection, note: &str) -> Result<Vec<Draft>, Failure> {
    let ids = space.select(selection, RecordState::Valid)?;
    if ids.is_empty() {
        return Err(no_such_records(space, selection, selection.in_words())?.into());
    }
    Ok(space.to_retract_all(&ids, note)?)
}

fn retracted_all(count: usize, selection: &Selection) -> Action {
    let subject = Subject::Records { count, which: selection.in_words() };
    Action { verb: Verb::Retracted, subject }
}

/// Decides the review, the proposed change, the patch or the candidate that `name` identifies.
pub(crate) fn decide_review(
    session: &Session,
    space: &mut Space,
    name: &str,
    asked: ReviewDecision<'_>,
) -> Result<Outcome, Failure> {
    let (now, note) = (session.now, asked.note);
    if let Some(outcome) = proposals::decide(space, now, name, asked)? {
        return Ok(outcome);
    }
    if let Some(outcome) = patch::decide(space, now, name, asked)? {
        return Ok(outcome);
    }
    if let Some(outcome) = candidates::decide(session, space, name, asked)? {
        return Ok(outcome);
    }
    let review = space.review_named(name)?;
    let (drafts, verb) = match asked.decision {
        Decision::Accept => (review.accept(note)?, Verb::AcceptedReview),
        Decision::Dismiss => (review.dismiss(note)?, Verb::DismissedReview),
    };
    let action = Action::on_belief(verb, &review.question.identity_key);
    act(space, now, drafts, vec![action], asked.intent)
}

/// What would follow from a hypothesis.
pub(crate) struct Consequences {
    /// The actions and the changes of beliefs.
    pub(crate) outcome: Outcome,
    /// What would be erased, if anything.
    pub(crate) forget: Option<forgetting::Plan>,
}

/// Applies all hypothetical changes and rolls them back; nothing is written.
pub(crate) fn what_if(
    space: &mut Space,
    now: Timestamp,
    hypothesis: &Hypothesis,
) -> Result<Consequences, Failure> {
    let (mut drafts, mut actions) = (Vec::new(), Vec::new());
    let mut forget = None;
    for name in &hypothesis.retract {
        let retractions = space.to_retract(name, "")?;
        for target in targets(&retractions) {
            graph::check_not_corrected(space, &target)?;
        }
        actions.extend(retracted(space, &retractions)?);
        drafts.extend(retractions);
    }
    if !hypothesis.without.is_empty() {
        let retractions = described(space, &hypothesis.without, "")?;
        actions.push(retracted_all(retractions.len(), &hypothesis.without));
        drafts.extend(retractions);
    }
    if !hypothesis.forget.is_empty() {
        let plan = forgetting::plan(space, now, &hypothesis.forget)?;
        drafts.extend(plan.drafts(space)?);
        actions.push(plan.action());
        forget = Some(plan);
    }
    for name in &hypothesis.withdraw {
        let withdrawals = space.to_withdraw(name, "")?;
        actions.push(withdrawn(space, name, &withdrawals)?);
        drafts.extend(withdrawals);
    }
    for text in &hypothesis.correct {
        let (name, set) = split_assignment(space, text)?;
        let by = Replacement { set: vec![set.to_owned()], ..Replacement::default() };
        drafts.extend(space.to_correct(name, &by)?);
        actions.push(Action::on_belief(Verb::Corrected, &space.belief_named(name)?));
    }
    for name in &hypothesis.refute {
        drafts.extend(space.to_refute(name, "")?);
        actions.push(Action::on_belief(Verb::Refuted, &space.belief_named(name)?));
    }
    Ok(Consequences { outcome: act(space, now, drafts, actions, Intent::DryRun)?, forget })
}

pub(super) fn act(
    space: &mut Space,
    now: Timestamp,
    drafts: Vec<Draft>,
    actions: Vec<Action>,
    intent: Intent,
) -> Result<Outcome, Failure> {
    let changes = space.act(drafts, intent, now)?;
    Ok(Outcome { actions, changes, intent, withheld: 0, is_counted: true })
}

/// The operations that drafts target.
fn targets(drafts: &[Draft]) -> impl Iterator<Item = OpId> {
    let cited = drafts.iter().flat_map(|draft| &draft.refs);
    cited.filter(|cited| cited.role.as_str() == Role::TARGET).map(|cited| cited.id)
}

/// The records that `drafts` retract.
pub(super) fn retracted(space: &Space, drafts: &[Draft]) -> Result<Vec<Action>, Failure> {
    let action = |id: OpId| {
        let subject = Subject::Record { id, summary: summary(&space.show(&id)?.operation) };
        Ok(Action { verb: Verb::Retracted, subject })
    };
    targets(drafts).map(action).collect()
}

/// Splits `KEY=JSON`. A key may contain `=`, so the shortest prefix that names a belief is the key.
fn split_assignment<'a>(space: &Space, text: &'a str) -> Result<(&'a str, &'a str), Failure> {
    /// Most places of `=` that are tried.
    const TRIED_MAX: usize = 16;
    let mut failure: Failure = RequestError::AssignmentMalformed { text: text.to_owned() }.into();
    for (place, (at, _)) in text.match_indices('=').take(TRIED_MAX).enumerate() {
        let (name, set) =
            (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
        match space.believed(name) {
            Ok(_) => return Ok((name, set)),
            Err(
                error @ (EngineError::UnknownBelief { .. }
                | EngineError::UnknownId { .. }
                | EngineError::NotABelief { .. }),
            ) => {
                if place == 0 {
                    failure = error.into();
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(failure)
}
