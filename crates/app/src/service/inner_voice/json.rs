//! An answer as data, the same on every surface.

use serde_json::{Value, json};

use super::{Answer, Saving, Wording};

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
        "behind": answer.behind,
    })
}
