//! `review`: what waits for the user's decision.

use engine::inspect::summary;
use engine::staging::SENTENCE;
use engine::write::graph::{GraphChange, Reference};
use kernel::body::Body;
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use serde_json::Value;

use super::{Answered, Memory};
use crate::failure::Failure;
use crate::mcp::graph_answers::{Queue, Waiting};
use crate::mcp::graph_arguments::Review;
use crate::mcp::quote::{READING, READING_STRUCTURED, quote};
use crate::service::Session;
use crate::service::reviews::ReviewQueue;
use crate::service::wording::shortened;

/// Entries in an answer, and changes named for each.
const QUEUE_MAX: usize = 40;
const CHANGES_MAX: usize = 20;

impl Memory {
    pub(super) fn review(
        &mut self,
        session: &Session,
        arguments: &Review,
        program: Option<&str>,
    ) -> Result<Answered, Failure> {
        let all = arguments.all.unwrap_or(false);
        let reader = self.reader(program);
        let open = self.opened.readable(session)?;
        let whose = open.whose();
        let space = &open.spaces.own;
        let disclosure = reader.disclosure(session, space);
        let listed = ReviewQueue::of(space, None, all, disclosure)?;
        let mut queue: Vec<(HlcTimestamp, OpId, Waiting)> = Vec::new();
        for patch in listed.patches {
            let changes = patch.changes.iter().map(|change| words_of(&change.change));
            let waiting = Waiting {
                id: patch.id.to_string(),
                kind: "patch",
                text: patch.text,
                by: Some(patch.origin),
                at: session.time(patch.at),
                status: patch.status.as_str(),
                changes: changes.take(CHANGES_MAX).collect(),
            };
            queue.push((patch.at, patch.id, waiting));
        }
        for change in listed.changes {
            let mut changes = Vec::new();
            for draft in change.operations.iter().take(CHANGES_MAX) {
                changes.push(match &draft.body {
                    Body::Claim(claim) => format!("states: {}", shortened(&claim.text)),
                    body => {
                        let target = draft.refs.first().map(|cited| space.show(&cited.id));
                        let target = target.transpose()?;
                        let said = target.map(|shown| shortened(&summary(&shown.operation)));
                        format!("{} of: {}", body.kind(), said.unwrap_or_default())
                    }
                });
            }
            let waiting = Waiting {
                id: change.id.to_string(),
                kind: "proposal",
                text: change.text,
                by: Some(change.origin),
                at: session.time(change.at),
                status: change.status.as_str(),
                changes,
            };
            queue.push((change.at, change.id, waiting));
        }
        for review in listed.reviews {
            let waiting = Waiting {
                id: review.id.to_string(),
                kind: "correction",
                text: review.question.identity_key.clone(),
                by: None,
                at: session.time(review.at),
                status: review.status.as_str(),
                changes: Some(review.text).filter(|text| !text.is_empty()).into_iter().collect(),
            };
            queue.push((review.at, review.id, waiting));
        }
        for staged in listed.candidates {
            let candidate = staged.candidate;
            let found = candidate.data.get(SENTENCE).and_then(Value::as_str).map(shortened);
            let waiting = Waiting {
                id: staged.id.to_string(),
                kind: candidate.content.kind().as_str(),
                text: candidate.content.in_words(),
                by: Some(candidate.origin),
                at: session.time(staged.at),
                status: staged.status.as_str(),
                changes: found.map(|found| format!("found in: {found}")).into_iter().collect(),
            };
            queue.push((staged.at, staged.id, waiting));
        }
        queue.sort_by_key(|(at, id, _)| std::cmp::Reverse((*at, *id)));
        let more = queue.len().saturating_sub(QUEUE_MAX) as u64;
        let waiting = queue.into_iter().take(QUEUE_MAX).map(|(_, _, waiting)| waiting).collect();
        let answer = Queue { reading: READING_STRUCTURED, waiting, more, whose };
        Answered::new(queue_in_words(&answer), &answer)
    }
}

/// A change of a patch in words.
fn words_of(change: &GraphChange) -> String {
    let name = |reference: &Reference| match reference {
        Reference::Id(id) => id.to_string(),
        Reference::Local(name) => name.clone(),
    };
    match change {
        GraphChange::State(stated) => {
            format!("states the {}: {}", stated.record_type.as_str(), shortened(&stated.text))
        }
        GraphChange::Connect { edge_type, from, to, .. } => {
            format!("joins {} {} {}", name(from), edge_type.as_str(), name(to))
        }
        GraphChange::Supersede { target, text, .. } => {
            format!("replaces {}: {}", name(target), shortened(text))
        }
        GraphChange::Retract { target, .. } => format!("takes back {}", name(target)),
    }
}

fn queue_in_words(answer: &Queue) -> String {
    let mut words = answer.whose.in_words().to_owned();
    if answer.waiting.is_empty() {
        words.push_str("Nothing waits for the user's decision.\n");
        return words;
    }
    words.push_str(&format!(
        "The user decides about these, with `because review accept ID` or `because review dismiss ID`. {READING}\n"
    ));
    for Waiting { id, text, by, at, status, changes, .. } in &answer.waiting {
        words.push_str(&format!("{id}, {at}, {status}\n"));
        let by = by.as_ref().map(|by| format!("{by}: ")).unwrap_or_default();
        quote(&mut words, &format!("{by}{text}"));
        changes.iter().for_each(|change| quote(&mut words, &format!("- {change}")));
    }
    if answer.more > 0 {
        words.push_str(&format!("… and {} more.\n", answer.more));
    }
    words
}
