//! An answer as data, the same on every surface.

use engine::staging::CandidateKind;
use serde_json::{Value, json};

use super::{Answer, AnswerStaging, FoundBy, Saving, Wording};

/// An answer as JSON, without what only some surfaces say.
pub(crate) fn to_json(answer: &Answer) -> Value {
    let sentences = answer.sentences.iter().map(|sentence| {
        let cited = sentence.sources.iter().filter_map(|place| answer.sources.get(*place));
        let cited: Vec<_> = cited.map(|source| source.id).collect();
        json!({ "text": sentence.text, "sources": cited })
    });
    let (saved, not_saved) = match answer.saving {
        Saving::Saved { id, .. } => (Some(id), None),
        Saving::NotSaved(reason) => (None, Some(reason)),
    };
    let (model, dropped, not_worded) = match &answer.wording {
        Wording::Extractive | Wording::Failed(_) => (None, None, None),
        Wording::Model { origin, dropped } => (Some(origin), Some(dropped), None),
        Wording::NotAsked(reason) => (None, None, Some(reason)),
    };
    json!({
        "synthesized_answer": answer.text(),
        "sentences": sentences.collect::<Vec<_>>(),
        "abstains": answer.abstains(),
        "relevance": answer.relevance,
        "sources": answer.sources,
        "saved_thought_id": saved,
        "not_saved": not_saved,
        "model": model,
        "sentences_dropped": dropped,
        "model_not_used": not_worded,
        "staged": staged_to_json(&answer.staged),
        "marked_for_removal": answer.staged.marked,
        "behind": answer.behind,
    })
}

/// What was staged, as JSON.
fn staged_to_json(staged: &AnswerStaging) -> Value {
    let candidates = staged.staging.staged.iter().map(|(id, candidate)| {
        json!({
            "id": id, "kind": candidate.content.kind().as_str(),
            "text": candidate.content.in_words(), "confidence": candidate.confidence,
            "sources": candidate.sources,
        })
    });
    let (model, dropped) = match &staged.found_by {
        FoundBy::Model { origin, dropped } => (Some(origin), Some(dropped)),
        FoundBy::Rules | FoundBy::RulesAfter(_) => (None, None),
    };
    json!({
        "pending_entities": staged.staging.count(CandidateKind::Entity),
        "pending_relationships": staged.staging.count(CandidateKind::Relation),
        "candidates": candidates.collect::<Vec<_>>(),
        "left_out": staged.left_out(),
        "not_staged": staged.reason_not_to,
        "model": model,
        "candidates_dropped": dropped,
    })
}
