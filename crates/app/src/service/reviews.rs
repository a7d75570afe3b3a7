//! Reviews and proposals as every interface lists them.

use engine::belief::explain::time;
use engine::belief::proposed::ProposedChange;
use engine::belief::review::Review;
use serde_json::{Value, json};

/// A review of a correction.
pub(crate) fn review_to_json(review: &Review) -> Value {
    json!({
        "id": review.id,
        "status": review.status.as_str(),
        "at": time(review.at),
        "key": review.question.identity_key,
        "reason": review.question.reason.as_str(),
        "text": review.text,
        "trigger": review.question.trigger,
        "payload": review.question.payload,
        "confidence": review.confidence,
        "correction": review.correction,
        "corrected_payload": review.corrected_payload,
    })
}

/// What an agent proposes, with the kinds and targets of its operations.
pub(crate) fn change_to_json(change: &ProposedChange) -> Value {
    let operations = change.operations.iter().map(|draft| {
        let target = draft.refs.first().map(|cited| cited.id);
        json!({ "kind": draft.body.kind().as_str(), "target": target })
    });
    json!({
        "id": change.id,
        "status": change.status.as_str(),
        "at": time(change.at),
        "reason": "proposed",
        "text": change.text,
        "origin": change.origin,
        "by": change.by,
        "operations": operations.collect::<Vec<_>>(),
    })
}
