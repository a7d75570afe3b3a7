//! The fields of requests about thoughts, as the description shows them.
//!
//! The service reads most of these requests itself, in the order of the contract. A test compares
//! the names here with those that it reads.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::super::schema::{any_of, exclusive};

/// The fields that say what a thought builds on.
const GROUNDS: [&str; 3] = ["refines", "consolidates", "corrects"];

/// A prompt: a question or a statement.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("allOf" = exclusive(&GROUNDS)))]
#[expect(dead_code, reason = "the service reads these fields")]
pub(super) struct Prompt {
    /// The question or statement. A statement of more than 50 characters is kept as a thought.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    prompt: String,
    /// Who asks.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"\S"))]
    agent_id: String,
    /// The name of who asks, for people.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"\S"))]
    agent_name: String,
    /// What the agent is doing. It is part of what is searched for, and is stored beside the
    /// thought.
    #[schemars(length(max = 2_000))]
    context: Option<String>,
    /// The conversation; a new one if none is given.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The thought that this one improves. Excludes `consolidates` and `corrects`.
    refines: Option<String>,
    /// At least two thoughts that this one merges.
    #[schemars(length(min = 2, max = 100), extend("uniqueItems" = true))]
    consolidates: Option<Vec<String>>,
    /// The thought that this one says is wrong.
    corrects: Option<String>,
    /// Keep nothing, and count nothing as used.
    read_only: Option<bool>,
    /// Answer with whole thoughts, not only with how they begin.
    full_content: Option<bool>,
    /// Labels of the thought.
    #[schemars(length(max = 32), inner(length(min = 1, max = 100), regex(pattern = r"\S")))]
    tags: Option<Vec<String>>,
    /// A coarse label.
    #[schemars(length(max = 200))]
    category: Option<String>,
    /// A finer label.
    #[schemars(length(max = 200))]
    topic: Option<String>,
    /// The space; the token's own by default.
    #[schemars(length(max = 200))]
    space: Option<String>,
}

/// A query, of which nothing is kept.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the service reads these fields")]
pub(super) struct Query {
    /// What to look for.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    query: String,
    /// Who asks.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"\S"))]
    agent_id: String,
    /// The name of who asks, for people.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"\S"))]
    agent_name: String,
    /// What the agent is doing. It is part of what is searched for.
    #[schemars(length(max = 2_000))]
    context: Option<String>,
    /// The conversation; a new one if none is given.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// Count nothing as used.
    read_only: Option<bool>,
    /// Answer with whole thoughts, not only with how they begin.
    full_content: Option<bool>,
    /// Only thoughts with all of these tags.
    #[schemars(length(max = 32), inner(length(min = 1, max = 100), regex(pattern = r"\S")))]
    tags: Option<Vec<String>>,
    /// The space; the token's own by default.
    #[schemars(length(max = 200))]
    space: Option<String>,
}

/// A thought to keep.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("allOf" = exclusive(&GROUNDS)))]
#[expect(dead_code, reason = "the service reads these fields")]
pub(super) struct Contribution {
    /// The thought.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    content: String,
    /// Who thinks so.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"\S"))]
    agent_id: String,
    /// The name of who thinks so, for people.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"\S"))]
    agent_name: String,
    /// What the agent was doing; it is stored beside the thought.
    #[schemars(length(max = 2_000))]
    context: Option<String>,
    /// The conversation.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The thought that this one improves. Excludes `consolidates` and `corrects`.
    refines: Option<String>,
    /// At least two thoughts that this one merges.
    #[schemars(length(min = 2, max = 100), extend("uniqueItems" = true))]
    consolidates: Option<Vec<String>>,
    /// The thought that this one says is wrong.
    corrects: Option<String>,
    /// Labels of the thought.
    #[schemars(length(max = 32), inner(length(min = 1, max = 100), regex(pattern = r"\S")))]
    tags: Option<Vec<String>>,
    /// A coarse label.
    #[schemars(length(max = 200))]
    category: Option<String>,
    /// A finer label.
    #[schemars(length(max = 200))]
    topic: Option<String>,
    /// The space; the token's own by default.
    #[schemars(length(max = 200))]
    space: Option<String>,
}

/// What an agent says about a thought.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the service reads these fields")]
pub(super) struct Feedback {
    /// The conversation in which the thought was shown.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"\S"))]
    session_id: String,
    /// The thought: its UUID, its id, or the beginning of its id.
    thought_id: String,
    /// Whether it helped.
    signal: Signal,
}

/// Whether a thought helped.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "the service reads it")]
enum Signal {
    Useful,
    Wrong,
}

/// A thought.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Shown {
    /// The thought: its UUID, its id, or the beginning of its id.
    pub(super) id: String,
}

/// Labels that take the place of those that a thought has. At least one is needed.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("anyOf" = any_of(&["category", "topic", "tags", "mark"])))]
#[expect(dead_code, reason = "the service reads these fields")]
pub(super) struct Labels {
    /// The thought: its UUID, its id, or the beginning of its id.
    id: String,
    /// A coarse label.
    #[schemars(length(max = 200))]
    category: Option<String>,
    /// A finer label.
    #[schemars(length(max = 200))]
    topic: Option<String>,
    /// Labels.
    #[schemars(length(max = 32), inner(length(min = 1, max = 100), regex(pattern = r"\S")))]
    tags: Option<Vec<String>>,
    /// Whether the thought is to be removed.
    mark: Option<Mark>,
}

/// Whether a thought is to be removed.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "the service reads it")]
enum Mark {
    None,
    Removal,
}

/// A thought, and how far to go from it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lineage {
    /// The thought: its UUID, its id, or the beginning of its id.
    pub(super) id: String,
    /// How many steps each way [default: 10].
    #[schemars(range(max = 100))]
    pub(super) max_depth: Option<u32>,
}

/// The space to copy a thought into.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the service reads these fields")]
pub(super) struct Share {
    /// The thought: its UUID, its id, or the beginning of its id.
    id: String,
    /// The space to copy it into.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"\S"))]
    space: String,
}

/// Which space.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Domains {
    /// The space; the token's own by default.
    pub(super) space: Option<String>,
}
