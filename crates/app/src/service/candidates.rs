//! Candidates for the graph, as every surface lists and decides them.

use engine::Space;
use engine::belief::explain::time;
use engine::private::Disclosure;
use engine::staging::StagedCandidate;
use kernel::proposal::Decision;
use serde_json::{Map, Value, json};

use super::Session;
use super::changes::{Action, Outcome, Subject, Verb};
use super::corrections::{ReviewDecision, act};
use super::moderation::{Decision as Verdict, Item, ModerationRequest, moderate};
use crate::failure::{Failure, RequestError};

/// What a queue calls a candidate.
pub(crate) const REASON: &str = "candidate";

/// A candidate as JSON.
pub(crate) fn to_json(staged: &StagedCandidate) -> Value {
    let candidate = &staged.candidate;
    let mut value = json!({
        "id": staged.id, "at": time(staged.at), "by": staged.by, "status": staged.status.as_str(),
        "reason": REASON, "origin": candidate.origin, "text": candidate.content.in_words(),
        "confidence": candidate.confidence, "data": candidate.data, "sources": candidate.sources,
        "model": candidate.details.get("model"),
        "prompt_version": candidate.details.get("prompt_version"),
    });
    if let (Some(fields), Value::Object(content)) =
        (value.as_object_mut(), json!(candidate.content))
    {
        fields.extend(content);
    }
    value
}

/// Decides about the candidate that `name` names; none if it names something else.
pub(crate) fn decide(
    session: &Session,
    space: &mut Space,
    name: &str,
    asked: ReviewDecision<'_>,
) -> Result<Option<Outcome>, Failure> {
    let Some(staged) = space.candidate_to_decide(name)? else { return Ok(None) };
    match asked.is_accepted() {
        true => accept(session, space, &staged, asked),
        false => dismiss(session, space, &staged, asked),
    }
    .map(Some)
}

/// Adds what a candidate stands for to the graph.
fn accept(
    session: &Session,
    space: &mut Space,
    staged: &StagedCandidate,
    ReviewDecision { note, intent, .. }: ReviewDecision<'_>,
) -> Result<Outcome, Failure> {
    let item = Item {
        id: staged.id.to_string(),
        decision: Verdict::Accept,
        canonical_id: None,
        feedback: Some(note.to_owned()),
    };
    let request = ModerationRequest {
        items: &[item],
        visibility: session.scope_of(space).visibility(),
        mark_removal: false,
        intent,
        disclosure: Disclosure::Full,
    };
    let (report, changes) = moderate(space, session.now, &request)?;
    if let Some(error) = report.items.into_iter().find_map(|item| item.error) {
        let detail = error.message;
        return Err(RequestError::CandidateUnresolved { id: staged.id, detail }.into());
    }
    let summary = staged.candidate.content.in_words();
    let subject = Subject::Record { id: staged.id, summary };
    let actions = vec![Action { verb: Verb::AcceptedProposal, subject }];
    Ok(Outcome { actions, changes, intent, withheld: 0, is_counted: true })
}

fn dismiss(
    session: &Session,
    space: &mut Space,
    staged: &StagedCandidate,
    ReviewDecision { note, intent, .. }: ReviewDecision<'_>,
) -> Result<Outcome, Failure> {
    let decision = staged.decision(Decision::REJECT, note, Map::new())?;
    let summary = staged.candidate.content.in_words();
    let subject = Subject::Record { id: staged.id, summary };
    let actions = vec![Action { verb: Verb::DismissedProposal, subject }];
    act(space, session.now, vec![decision], actions, intent)
}
