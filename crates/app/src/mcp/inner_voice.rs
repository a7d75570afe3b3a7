//! The arguments and the answer of `inner_voice`. Models read the comments on the fields.

use engine::staging::CandidateKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::OverruledBelief;
use super::whose::Whose;
use crate::service::inner_voice::{self as service, SourceKind};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InnerVoice {
    /// The question, in plain words. Example: "Which glaze did Idris recommend for the tall bowls?"
    pub(super) content: String,
    /// How many sources at most, clamped to 1 to 50; 5 if omitted.
    pub(super) top_k: Option<i64>,
    /// Least chance, 0 to 1, that a source answers; 0.5 if omitted.
    pub(super) sim_thresh: Option<f64>,
    /// What is searched: "records", "facts", "nodes", "thoughts"; everything if omitted.
    pub(super) sources: Option<Vec<SourceKind>>,
    /// Whether answers that were kept before are sources, too; false if omitted.
    pub(super) include_summaries: Option<bool>,
    /// Whether the answer is kept as a summary that cites its sources; true if omitted.
    pub(super) save: Option<bool>,
    /// Whether entities and relations that the sources name are staged for the user's review; false
    /// if omitted.
    pub(super) stage_kg: Option<bool>,
    /// Least confidence, 0 to 1, of what is staged; 0.6 if omitted.
    pub(super) confidence_min: Option<f64>,
    /// Most entities that are staged, clamped to 0 to 500; 30 if omitted.
    pub(super) max_nodes: Option<i64>,
    /// Most relations that are staged, clamped to 0 to 500; 60 if omitted.
    pub(super) max_edges: Option<i64>,
    /// Whether the sources are marked for removal once something was staged from them; as the
    /// user's configuration says if omitted.
    pub(super) auto_mark_removal: Option<bool>,
    /// What memory held at this time: "2025-02-01", "last week", or with a time. Now if omitted.
    /// Such an answer is not kept.
    pub(super) as_of: Option<String>,
    /// Only facts that are true at this time in the world. Such an answer is not kept.
    pub(super) valid_at: Option<String>,
}

impl InnerVoice {
    /// Whether the answer is to be kept, if that was said.
    pub(crate) fn save(&self) -> Option<bool> {
        self.save
    }

    /// Whether something is to be staged.
    pub(crate) fn stages(&self) -> bool {
        self.stage_kg.unwrap_or_default()
    }

    /// What is to be staged.
    pub(super) fn staging(&self) -> service::StagingOptions {
        service::StagingOptions {
            confidence_min: self.confidence_min,
            max_nodes: self.max_nodes,
            max_edges: self.max_edges,
            auto_mark_removal: self.auto_mark_removal,
        }
    }
}

/// An answer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Answered {
    pub(super) reading: &'static str,
    /// The answer, at most 600 characters, with the numbers of its sources in brackets.
    pub(super) synthesized_answer: String,
    /// Its sentences.
    pub(super) sentences: Vec<AnswerSentence>,
    /// True if no source is likely enough to answer: say that you do not know.
    pub(super) abstains: bool,
    /// The sources, the likeliest to answer first.
    pub(super) sources: Vec<AnswerSource>,
    /// The id of the summary that keeps the answer; null if it was not kept.
    pub(super) saved_thought_id: Option<String>,
    /// Why it was not kept; null if it was.
    pub(super) not_saved: Option<String>,
    /// What was staged for the user's review.
    pub(super) staged: Staged,
    /// How many sources were marked for removal.
    pub(super) marked_for_removal: u64,
    /// Operations that are not indexed yet.
    pub(super) behind: u64,
    #[serde(flatten)]
    pub(super) whose: Whose,
}

/// What was staged for the user's review.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Staged {
    /// How many entities.
    pub(super) pending_entities: u64,
    /// How many relations.
    pub(super) pending_relationships: u64,
    /// They, in words: "KilnTimer depends on SQLite".
    pub(super) candidates: Vec<String>,
    /// How many were left out, by the reason: "unsure", "limit", "pending", "accepted",
    /// "dismissed", "malformed", "sources".
    pub(super) left_out: std::collections::BTreeMap<String, u64>,
    /// Why staging was not tried; null if it was, or was not asked for.
    pub(super) not_staged: Option<String>,
}

impl Staged {
    pub(super) fn of(staged: &service::AnswerStaging) -> Self {
        let count = |kind| staged.staging.count(kind) as u64;
        let left_out = staged.left_out().into_iter();
        Self {
            pending_entities: count(CandidateKind::Entity),
            pending_relationships: count(CandidateKind::Relation),
            candidates: staged
                .staging
                .staged
                .iter()
                .map(|(_, candidate)| candidate.content.in_words())
                .collect(),
            left_out: left_out
                .map(|(reason, count)| (reason, count.as_u64().unwrap_or_default()))
                .collect(),
            not_staged: staged.reason_not_to.map(|reason| reason.of_staging().to_owned()),
        }
    }
}

/// A sentence of an answer.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct AnswerSentence {
    /// It in words.
    pub(super) text: String,
    /// The ids of its sources.
    pub(super) sources: Vec<String>,
}

/// A source of an answer.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct AnswerSource {
    /// The id of the record, fact, node or thought.
    pub(super) thought_id: String,
    /// "record", "fact", "node" or "thought".
    pub(super) kind: &'static str,
    /// The chance that it answers, 0 to 1.
    pub(super) similarity: f64,
    /// Its best sentence.
    pub(super) excerpt: String,
    /// Who said it; null if that is not known.
    pub(super) actor: Option<String>,
    /// When; null if that is not known.
    pub(super) at: Option<String>,
    /// The key of a fact, for explain; null for anything else.
    pub(super) key: Option<String>,
    /// What was concluded from it, and the user refuted or corrected. Do not state that again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) overruled: Vec<OverruledBelief>,
    /// The id of the source that says that what this one says has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replaced_by: Option<String>,
    /// Where it is: "project" or "global".
    pub(super) scope: &'static str,
}

impl AnswerSource {
    pub(super) fn of(source: &service::AnswerSource) -> Self {
        Self {
            thought_id: source.id.to_string(),
            kind: source.kind.as_str(),
            similarity: source.chance,
            excerpt: source.excerpt.clone(),
            actor: source.actor.clone(),
            at: source.at.as_ref().map(ToString::to_string),
            key: source.key.clone(),
            replaced_by: source.replaced_by.map(|id| id.to_string()),
            overruled: source.overruled.iter().map(OverruledBelief::of).collect(),
            scope: source.scope.as_str(),
        }
    }
}
