//! The arguments of the tools on the graph of claims and nodes. Models read the comments on the
//! fields as descriptions.

use kernel::body::{EdgeType, NodeType, TextClaimType};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use engine::write::graph::RecordType;

use crate::service::moderation::Item;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// The claim or node in one sentence that can be understood without this conversation. Example:
    /// "Releases are cut on the first Monday of a month."
    pub(super) text: String,
    /// A claim: "fact" (if omitted), "preference", "assumption" or "goal". Or a node: "decision",
    /// "action", "summary" or "entity".
    #[serde(rename = "type")]
    pub(super) record_type: Option<StatedType>,
    /// Ids of what it was made from, as recall or graph gave them. If omitted, your own statement
    /// is recorded and cited.
    pub(super) sources: Option<Vec<String>>,
    /// The id of the claim or node that it replaces. Replacing what somebody else stated waits for
    /// the user's decision.
    pub(super) supersedes: Option<String>,
    /// From when it is true in the world: "2025-02-01", or with a time. Omit if it always was.
    pub(super) valid_from: Option<String>,
    /// Until when it is true; that time is not included. Omit if no end is known.
    pub(super) valid_to: Option<String>,
    /// A few labels by which to find it. Example: ["release"]
    pub(super) tags: Option<Vec<String>>,
    /// How sure you are that a claim is true, 0 to 1; 0.9 if omitted.
    pub(super) confidence: Option<f64>,
}

/// What may be stated.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum StatedType {
    Fact,
    Preference,
    Assumption,
    Goal,
    Decision,
    Action,
    Summary,
    Entity,
}

impl From<StatedType> for RecordType {
    fn from(stated: StatedType) -> Self {
        let claim = |claim_type: TextClaimType| Self::Claim(claim_type.as_str().to_owned());
        match stated {
            StatedType::Fact => claim(TextClaimType::Fact),
            StatedType::Preference => claim(TextClaimType::Preference),
            StatedType::Assumption => claim(TextClaimType::Assumption),
            StatedType::Goal => claim(TextClaimType::Goal),
            StatedType::Decision => Self::Node(NodeType::Decision),
            StatedType::Action => Self::Node(NodeType::Action),
            StatedType::Summary => Self::Node(NodeType::Summary),
            StatedType::Entity => Self::Node(NodeType::Entity),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connect {
    /// What `from` is to `to`: "depends_on" (needs it), "supports", "contradicts", "derived_from",
    /// "mentions", "supersedes" (replaces it), "same_as" (is a duplicate of it).
    #[serde(rename = "type")]
    pub(super) edge_type: JoinType,
    /// The id where it begins. Example: "b3:9f2c41d0"
    pub(super) from: String,
    /// The id where it ends. Example: "b3:03ab77e1"
    pub(super) to: String,
    /// Ids of what says so. If omitted, your own statement is recorded and cited.
    pub(super) sources: Option<Vec<String>>,
    /// Why they are joined, in a sentence.
    pub(super) notes: Option<String>,
}

/// How two records may be joined.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum JoinType {
    DependsOn,
    Supports,
    Contradicts,
    DerivedFrom,
    Mentions,
    Supersedes,
    SameAs,
}

impl From<JoinType> for EdgeType {
    fn from(named: JoinType) -> Self {
        match named {
            JoinType::DependsOn => Self::DependsOn,
            JoinType::Supports => Self::Supports,
            JoinType::Contradicts => Self::Contradicts,
            JoinType::DerivedFrom => Self::DerivedFrom,
            JoinType::Mentions => Self::Mentions,
            JoinType::Supersedes => Self::Supersedes,
            JoinType::SameAs => Self::SameAs,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    /// The id of a decision, action, claim, record or edge (the beginning is enough), the `key` of
    /// a belief, or "last" for the newest decision or action.
    pub(super) name: String,
    /// Answer from what was recorded until this time: "2025-02-01", "last week", or with a time.
    /// Now if omitted.
    pub(super) as_of: Option<String>,
    /// Judge what is true at this time in the world instead of now: "2025-02-01", "yesterday".
    pub(super) valid_at: Option<String>,
    /// How many candidates to look at, 1 to 40; 12 if omitted.
    pub(super) limit: Option<u32>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Graph {
    /// A question or words to look for: returns the claims and nodes that fit, and what edges join
    /// to them.
    pub(super) query: Option<String>,
    /// Ids of claims or nodes, or names of entities: returns them, and what edges join to them. May
    /// be given with `query`. Example: ["Orin Studio"]
    pub(super) around: Option<Vec<String>>,
    /// With one id or name in `around`: returns the shortest path from it to this id or name, in
    /// order, whichever way its edges point.
    pub(super) path_to: Option<String>,
    /// With `around`: only over edges of these types. Example: ["depends_on"]
    pub(super) edge_types: Option<Vec<String>>,
    /// Without `query` and `around`, a list is returned: of "claims" (if omitted), "nodes" or
    /// "edges". The filters below are for lists.
    pub(super) list: Option<Listing>,
    /// Only of this type: "fact", "preference", "decision", "depends_on" and so on; of claims also
    /// a family such as "routine".
    #[serde(rename = "type")]
    pub(super) record_type: Option<String>,
    /// Only with all of these labels; edges have none.
    pub(super) tags: Option<Vec<String>>,
    /// Only with this status; "active" if omitted.
    pub(super) status: Option<ListedStatus>,
    /// Only with this text, in any letter case.
    pub(super) contains: Option<String>,
    /// What memory held at this time, from what was recorded until then: "2025-02-01", "last week",
    /// or with a time. Now if omitted.
    pub(super) as_of: Option<String>,
    /// Only what is true at this time in the world: "2025-02-01", "yesterday". With `query` or
    /// `around` now, or the time of `as_of`, if omitted.
    pub(super) valid_at: Option<String>,
    /// With `query` or `around`: how many edges away, 1 to 3; 1 if omitted.
    pub(super) depth: Option<u32>,
    /// How many items at most, 1 to 100; 20 if omitted.
    pub(super) limit: Option<u32>,
}

/// What is listed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Listing {
    #[default]
    Claims,
    Nodes,
    Edges,
}

/// The status of what is listed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum ListedStatus {
    #[default]
    Active,
    Superseded,
    Alias,
    Retracted,
    Invalidated,
    Refuted,
    Any,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposePatch {
    /// What the patch is for, in a sentence that the user will read. Example: "Merge duplicates
    /// about releases"
    pub(super) text: String,
    /// The changes, in order, 1 to 200. Each has `op` and `sources` (ids of what it was made
    /// from), and may have `local`, a name by which later ones cite it: create_claim (type, text;
    /// tags, valid_from, valid_to, confidence), create_node (type, text; tags), create_summary
    /// (text, of), create_edge (type, from, to; notes), supersede (target, text), same_as
    /// (duplicate, canonical), retract (target; reason). Example: [{"op": "same_as", "duplicate":
    /// "b3:9f2c41d0", "canonical": "b3:03ab77e1", "sources": ["b3:5d1e0c77"]}]
    #[schemars(length(min = 1))]
    pub(super) operations: Vec<JsonObject>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Review {
    /// True to include what was decided already, and how; only what waits if omitted.
    pub(super) all: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Moderate {
    /// The decisions, at most 200. Each has `id` (a candidate, as review gave it) and `decision`:
    /// "accept", "reject", or "alias" with `canonical_id`, the id or name of the entity whose other
    /// name it is; `feedback` says why. Example: [{"id": "b3:9f2c41d0", "decision": "accept"}]
    pub(super) items: Vec<Item>,
    /// Show what would follow, and write nothing; false if omitted.
    pub(super) dry_run: Option<bool>,
    /// Mark the sources of what is accepted for removal; false if omitted.
    pub(super) mark_removal: Option<bool>,
}

impl Moderate {
    /// Whether nothing is to be written.
    pub(crate) fn only_tries(&self) -> bool {
        self.dry_run.unwrap_or(false)
    }
}
