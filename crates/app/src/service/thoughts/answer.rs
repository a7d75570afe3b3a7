//! Answers to requests about thoughts, with the fields of the contract.

use engine::thought::lineage::{ThoughtLineage, ThoughtNode};
use engine::thought::recall::FoundThought;
use engine::thought::retrieve::ThoughtHit;
use engine::thought::usage::Highway;
use engine::thought::uuid::ThoughtUuid;
use engine::thought::view::{ThoughtView, preview};
use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};

/// How the id of a thought is described.
struct UuidText;

impl JsonSchema for UuidText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ThoughtId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uuid" })
    }
}

/// The answer to a prompt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryAnswer {
    pub(crate) result: MemoryResult,
    pub(crate) trace: MemoryTrace,
}

/// What was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryResult {
    /// The answer in words.
    pub(crate) response: String,
    /// The best thoughts, at most five.
    pub(crate) sources: Vec<ThoughtSource>,
    /// What many agents come to near the prompt.
    pub(crate) highways_nearby: Vec<String>,
    /// The tags to choose from, if there is too much.
    pub(crate) disambiguation: Option<Disambiguation>,
    /// What the agent should know.
    pub(crate) guidance: Option<String>,
}

/// What was done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryTrace {
    pub(crate) session_id: String,
    pub(crate) operations: Vec<MemoryOperation>,
    pub(crate) thoughts_retrieved: usize,
    pub(crate) thoughts_contributed: usize,
    #[schemars(with = "Option<UuidText>")]
    pub(crate) contributed_thought_id: Option<ThoughtUuid>,
    pub(crate) contribution_threshold_met: bool,
    pub(crate) context_used: bool,
    pub(crate) retrieval_method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lineage_summary: Option<LineageSummary>,
}

/// A step of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemoryOperation {
    Retrieve,
    Reinforce,
    Contribute,
    Disambiguate,
    Onboard,
    FeedbackImplicit,
}

/// A thought that answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ThoughtSource {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) contributor: String,
    /// 0 to 1, two decimals.
    pub(crate) score: f64,
    pub(crate) content_preview: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    #[schemars(with = "Option<UuidText>")]
    pub(crate) refined_by: Option<ThoughtUuid>,
    pub(crate) superseded: bool,
    #[schemars(with = "Option<UuidText>")]
    pub(crate) corrected_by: Option<ThoughtUuid>,
    pub(crate) tags: Vec<String>,
    pub(crate) category: Option<String>,
    pub(crate) topic: Option<String>,
}

/// The tags to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Disambiguation {
    /// What to answer, in words.
    pub(crate) question: String,
    /// The largest first.
    pub(crate) clusters: Vec<TagCluster>,
}

/// The hits with a tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TagCluster {
    pub(crate) tag: String,
    pub(crate) count: usize,
}

/// A lineage in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct LineageSummary {
    pub(crate) has_lineage: bool,
    pub(crate) chain_length: usize,
    #[schemars(with = "UuidText")]
    pub(crate) deepest_ancestor: ThoughtUuid,
    #[schemars(with = "Option<UuidText>")]
    pub(crate) latest_refinement: Option<ThoughtUuid>,
}

/// A lineage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LineageAnswer {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) chain: Vec<LineageNode>,
    pub(crate) truncated: bool,
}

/// A thought of a lineage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LineageNode {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) thought_type: &'static str,
    pub(crate) content_preview: String,
    pub(crate) contributor: String,
    pub(crate) created_at: String,
    #[schemars(with = "Vec<UuidText>")]
    pub(crate) source_ids: Vec<ThoughtUuid>,
    pub(crate) depth: i64,
}

/// A thought with all that is known of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ThoughtAnswer {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) id: String,
    pub(crate) thought_type: &'static str,
    pub(crate) content: String,
    pub(crate) context: Option<String>,
    pub(crate) contributor_id: String,
    pub(crate) contributor_name: String,
    pub(crate) created_at: String,
    pub(crate) tags: Vec<String>,
    pub(crate) category: Option<String>,
    pub(crate) topic: Option<String>,
    pub(crate) mark: &'static str,
    #[schemars(with = "Vec<UuidText>")]
    pub(crate) source_ids: Vec<ThoughtUuid>,
    #[schemars(with = "Option<UuidText>")]
    pub(crate) refined_by: Option<ThoughtUuid>,
    #[schemars(with = "Option<UuidText>")]
    pub(crate) corrected_by: Option<ThoughtUuid>,
    pub(crate) superseded: bool,
    pub(crate) pheromone_weight: f64,
    pub(crate) access_count: u64,
    pub(crate) accessed_by: usize,
    pub(crate) co_retrieved: Vec<Partner>,
}

/// A thought that was shown together with another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Partner {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) count: u32,
}

/// A thought that was kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct IngestAnswer {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) pheromone_weight: f64,
    /// What whoever kept it should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) guidance: Option<String>,
}

/// A thought's copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ShareAnswer {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
}

/// What feedback made of a weight.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FeedbackAnswer {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) pheromone_weight: f64,
}

/// What a space knows about, in summaries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct DomainsAnswer {
    pub(crate) domains: Vec<Domain>,
}

/// A topic that a thought sums up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Domain {
    pub(crate) topic: String,
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) content_preview: String,
}

/// Thoughts that many agents come to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct HighwayAnswer {
    #[schemars(with = "UuidText")]
    pub(crate) thought_id: ThoughtUuid,
    pub(crate) content_preview: String,
    pub(crate) accesses: u64,
    pub(crate) agents: usize,
    pub(crate) traffic: u64,
}

/// A number with so many decimals.
pub(crate) fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (number * scale).round() / scale
}

/// A time, RFC 3339.
pub(crate) fn time(at_us: i64) -> String {
    Timestamp::from_microsecond(at_us).unwrap_or_default().to_string()
}

/// A thought as lists show it.
pub(crate) fn view_to_json(view: &ThoughtView) -> Value {
    json!({
        "thought_id": view.uuid(),
        "id": view.id,
        "thought_type": view.thought_type.as_str(),
        "content": view.content,
        "contributor_id": view.contributor_id,
        "contributor_name": view.contributor,
        "created_at": time(view.created_us),
        "tags": view.tags,
        "category": view.category,
        "topic": view.topic,
        "mark": view.mark.as_str(),
    })
}

/// A thought that a recall found.
pub(crate) fn found_to_json(found: &FoundThought) -> Value {
    let mut value = view_to_json(&found.thought);
    value["score"] = json!(found.score);
    value["nearness"] = json!(found.nearness);
    value["superseded"] = json!(found.is_superseded);
    value["corrected"] = json!(found.is_corrected);
    value
}

fn uuids(ids: &[kernel::id::OpId]) -> Vec<ThoughtUuid> {
    ids.iter().map(ThoughtUuid::of).collect()
}

impl ThoughtSource {
    pub(super) fn of(hit: &ThoughtHit, view: &ThoughtView, is_full: bool) -> Self {
        Self {
            thought_id: view.uuid(),
            contributor: view.contributor.clone(),
            score: rounded(hit.score, 2),
            content_preview: preview(&view.content),
            content: is_full.then(|| view.content.clone()),
            refined_by: hit.refined_by.as_ref().map(ThoughtUuid::of),
            superseded: hit.refined_by.is_some(),
            corrected_by: hit.corrected_by.as_ref().map(ThoughtUuid::of),
            tags: view.tags.clone(),
            category: view.category.clone(),
            topic: view.topic.clone(),
        }
    }
}

impl LineageSummary {
    /// Of a lineage with more than the thought itself.
    pub(super) fn of(lineage: &ThoughtLineage) -> Option<Self> {
        lineage.has_any().then(|| Self {
            has_lineage: true,
            chain_length: lineage.chain.len(),
            deepest_ancestor: ThoughtUuid::of(&lineage.deepest_ancestor()),
            latest_refinement: lineage.latest_refinement().as_ref().map(ThoughtUuid::of),
        })
    }
}

impl From<&ThoughtNode> for LineageNode {
    fn from(node: &ThoughtNode) -> Self {
        let ThoughtNode { thought, depth } = node;
        Self {
            thought_id: thought.uuid(),
            thought_type: thought.thought_type.as_str(),
            content_preview: preview(&thought.content),
            contributor: thought.contributor.clone(),
            created_at: time(thought.created_us),
            source_ids: uuids(&thought.sources),
            depth: *depth,
        }
    }
}

impl From<&ThoughtLineage> for LineageAnswer {
    fn from(lineage: &ThoughtLineage) -> Self {
        Self {
            thought_id: ThoughtUuid::of(&lineage.id),
            chain: lineage.chain.iter().map(LineageNode::from).collect(),
            truncated: lineage.is_truncated,
        }
    }
}

impl From<&Highway> for HighwayAnswer {
    fn from(highway: &Highway) -> Self {
        Self {
            thought_id: highway.thought.uuid(),
            content_preview: preview(&highway.thought.content),
            accesses: highway.accesses,
            agents: highway.agents,
            traffic: highway.traffic(),
        }
    }
}

impl ThoughtAnswer {
    /// Of a thought that nothing refines and nobody used.
    pub(super) fn of(view: ThoughtView) -> Self {
        Self {
            thought_id: view.uuid(),
            id: view.id.to_string(),
            thought_type: view.thought_type.as_str(),
            source_ids: uuids(&view.sources),
            created_at: time(view.created_us),
            mark: view.mark.as_str(),
            content: view.content,
            context: view.context,
            contributor_id: view.contributor_id,
            contributor_name: view.contributor,
            tags: view.tags,
            category: view.category,
            topic: view.topic,
            refined_by: None,
            corrected_by: None,
            superseded: false,
            pheromone_weight: engine::thought::pheromone::FIRST,
            access_count: 0,
            accessed_by: 0,
            co_retrieved: Vec::new(),
        }
    }
}
