//! The arguments and the answer of `inner_voice`. Models read the comments on the fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Operations that are not indexed yet.
    pub(super) behind: u64,
    #[serde(flatten)]
    pub(super) whose: Whose,
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
            scope: source.scope.as_str(),
        }
    }
}
