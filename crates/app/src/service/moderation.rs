//! Moderation of the knowledge graph: which candidates wait, and what a person decides about them.
//!
//! One function for the command line, the tool and HTTP. Each item has an answer of its own: what
//! is named wrongly, decided already or cannot be added is an error of that item, and the others
//! are decided.

use std::collections::BTreeSet;

use engine::graph::{NodeFilter, RecordView};
use engine::outcome::Changes;
use engine::private::{Disclosure, Viewpoint};
use engine::staging::{
    CandidateContent, CandidateKind, ENTITY_TYPE, MODERATED_MAX, Moderated, Moderation,
    StagedCandidate, Verdict,
};
use engine::write::import::Intent;
use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::body::NodeType;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::identity::normalized_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::likeness::likeness;
use crate::failure::{Failure, RequestError};

pub(crate) use engine::belief::review::Status;

/// Entities among which similar names are looked for.
const ENTITIES_MAX: usize = 5_000;
/// Suggestions for one candidate.
const SUGGESTIONS_MAX: usize = 3;
/// Longest id that an answer repeats, characters.
const ID_CHARS_MAX: usize = 80;

/// A kind of candidate.
#[derive(Clone, Copy, Debug, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum KindName {
    /// A person, a place or a thing
    Entity,
    /// What joins two entities
    Relation,
}

impl From<KindName> for CandidateKind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Entity => Self::Entity,
            KindName::Relation => Self::Relation,
        }
    }
}

/// The status of a candidate.
#[derive(Clone, Copy, Debug, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum StatusName {
    /// It waits for a decision
    Pending,
    /// It was accepted, or is another name
    Accepted,
    /// It was rejected
    Dismissed,
    /// All of its sources were taken back
    Moot,
    /// Whatever its status
    Any,
}

impl StatusName {
    /// The status that candidates must have; none if any will do.
    pub(crate) fn status(self) -> Option<Status> {
        match self {
            Self::Pending => Some(Status::Pending),
            Self::Accepted => Some(Status::Accepted),
            Self::Dismissed => Some(Status::Dismissed),
            Self::Moot => Some(Status::Moot),
            Self::Any => None,
        }
    }
}

/// What is decided about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Decision {
    Accept,
    Reject,
    Alias,
}

impl Decision {
    /// The name in JSON.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Alias => "alias",
        }
    }
}

/// A decision about one candidate.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Item {
    /// The id of the candidate, or the beginning of it.
    pub(crate) id: String,
    /// "accept": add it to the graph; "reject": leave it out for good; "alias": its name is another
    /// name of `canonical_id`.
    pub(crate) decision: Decision,
    /// With "alias": the entity, by its id or its name.
    pub(crate) canonical_id: Option<String>,
    /// The reason for the decision, which is kept with it.
    pub(crate) feedback: Option<String>,
}

/// What became of decisions.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct ModerationReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// How many candidates were decided, or would be.
    pub(crate) decided: usize,
    /// How many were not.
    pub(crate) failed: usize,
    /// Records that were marked for removal, or would be.
    pub(crate) marked_for_removal: usize,
    /// What became of each, in their order.
    pub(crate) items: Vec<ItemReport>,
}

/// What became of one decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ItemReport {
    /// The candidate: its whole id, or what was given if it is not known.
    pub(crate) id: String,
    /// What was decided.
    pub(crate) decision: Decision,
    /// It in words; null if it is not known.
    pub(crate) text: Option<String>,
    /// The entity or edge that it stands for now; with "alias" the entity whose name it is. Null of
    /// what is rejected or failed, and of what a dry run would make.
    pub(crate) promoted_id: Option<String>,
    /// Whether that entity or edge is new, and not one that was there.
    pub(crate) new: bool,
    /// The names of entities that were made, or would be.
    pub(crate) entities: Vec<String>,
    /// Why it was not decided; null if it was.
    pub(crate) error: Option<ItemError>,
}

/// Why an item was not decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ItemError {
    /// A stable code.
    pub(crate) code: &'static str,
    /// What is wrong.
    pub(crate) message: String,
}

/// Decisions about candidates.
pub(crate) struct ModerationRequest<'a> {
    pub(crate) items: &'a [Item],
    /// Who may see what is made.
    pub(crate) visibility: Visibility,
    /// Whether the sources of what is accepted are marked for removal.
    pub(crate) mark_removal: bool,
    pub(crate) intent: Intent,
    /// What whoever decides may see.
    pub(crate) disclosure: Disclosure,
}

/// Which candidates to list.
#[derive(Clone, Debug)]
pub(crate) struct CandidateFilter {
    /// Only of this kind.
    pub(crate) kind: Option<CandidateKind>,
    /// Only with this status; whatever their status if none.
    pub(crate) status: Option<Status>,
    /// Only those that are as sure.
    pub(crate) confidence_min: f64,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub(crate) as_of_us: Option<u64>,
    /// How many at most.
    pub(crate) limit: usize,
}

/// A candidate with entities whose names are like its own.
pub(crate) struct ListedCandidate {
    pub(crate) staged: StagedCandidate,
    /// The most similar first.
    pub(crate) suggestions: Vec<Suggestion>,
}

/// An entity that a candidate may be another name of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Suggestion {
    pub(crate) id: OpId,
    pub(crate) name: String,
    pub(crate) entity_type: Option<String>,
    /// How similar the names are, 0 to 1; 1 for the same name.
    pub(crate) similarity: f64,
}

/// The candidates that pass a filter, the surest first, and whether there are more.
pub(crate) fn list(
    space: &Space,
    filter: &CandidateFilter,
    disclosure: Disclosure,
) -> Result<(Vec<ListedCandidate>, bool), Failure> {
    let mut found = space.candidates(filter.as_of_us)?;
    found.retain(|staged| {
        filter.kind.is_none_or(|kind| kind == staged.candidate.content.kind())
            && filter.status.is_none_or(|status| status == staged.status)
            && staged.candidate.confidence >= filter.confidence_min
    });
    let ids: Vec<OpId> = found.iter().map(|staged| staged.id).collect();
    let withheld = space.withheld_among(&ids, disclosure)?;
    found.retain(|staged| !withheld.contains(&staged.id));
    found.sort_by(|one, other| {
        other.candidate.confidence.total_cmp(&one.candidate.confidence).then(one.at.cmp(&other.at))
    });
    let more = found.len() > filter.limit;
    found.truncate(filter.limit);
    let needs_names =
        found.iter().any(|staged| staged.candidate.content.kind() == CandidateKind::Entity);
    let entities = match needs_names {
        true => {
            let types = vec![NodeType::Entity];
            let nodes = NodeFilter {
                types,
                disclosure,
                as_of_us: filter.as_of_us,
                ..NodeFilter::default()
            };
            space.nodes(&nodes, ENTITIES_MAX)?.items
        }
        false => Vec::new(),
    };
    let names: Vec<(String, &RecordView)> =
        entities.iter().map(|entity| (normalized_text(&entity.text), entity)).collect();
    let listed = found.into_iter().map(|staged| {
        let suggestions = match &staged.candidate.content {
            CandidateContent::Entity { name, .. } => suggestions(&names, name),
            CandidateContent::Relation { .. } => Vec::new(),
        };
        ListedCandidate { staged, suggestions }
    });
    Ok((listed.collect(), more))
}

fn suggestions(entities: &[(String, &RecordView)], name: &str) -> Vec<Suggestion> {
    let name = normalized_text(name);
    let mut found: Vec<Suggestion> = entities
        .iter()
        .filter_map(|(known, entity)| {
            let similarity = likeness(known, &name)?;
            let entity_type = entity.payload.get(ENTITY_TYPE).and_then(Value::as_str);
            Some(Suggestion {
                id: entity.id,
                name: entity.text.clone(),
                entity_type: entity_type.map(str::to_owned),
                similarity,
            })
        })
        .collect();
    found.sort_by(|one, other| {
        other.similarity.total_cmp(&one.similarity).then(one.id.cmp(&other.id))
    });
    found.truncate(SUGGESTIONS_MAX);
    found
}

/// Decides about candidates, and says what became of each.
pub(crate) fn moderate(
    space: &mut Space,
    now: Timestamp,
    request: &ModerationRequest<'_>,
) -> Result<(ModerationReport, Changes), Failure> {
    let number = u32::try_from(request.items.len()).unwrap_or(u32::MAX);
    let max = MODERATED_MAX as u32;
    if number > max {
        return Err(RequestError::OutOfRange { name: "items", number, min: 0, max }.into());
    }
    let mut report =
        ModerationReport { dry_run: request.intent == Intent::DryRun, ..Default::default() };
    let mut decisions = Vec::with_capacity(request.items.len());
    for item in request.items {
        report.items.push(ItemReport {
            id: item.id.chars().take(ID_CHARS_MAX).collect(),
            decision: item.decision,
            text: None,
            promoted_id: None,
            new: false,
            entities: Vec::new(),
            error: None,
        });
        decisions.push(decision(space, item, request.disclosure)?);
    }
    let good: Vec<Moderation> = decisions.iter().flatten().cloned().collect();
    let outcome = match good.is_empty() {
        true => Default::default(),
        false => space.moderate(&good, request.visibility, request.intent, now)?,
    };
    let mut sources: BTreeSet<OpId> = BTreeSet::new();
    let mut decided = outcome.items.into_iter();
    for (reported, decision) in report.items.iter_mut().zip(decisions) {
        let decision = match decision {
            Ok(decision) => decision,
            Err(error) => {
                reported.error = Some(error);
                continue;
            }
        };
        reported.id = decision.candidate.to_string();
        match decided.next() {
            Some(Ok(moderated)) => {
                if decision.verdict != Verdict::Reject {
                    sources.extend(&moderated.candidate.sources);
                }
                reported.fill(&moderated, request.intent);
            }
            Some(Err(refusal)) => {
                reported.error =
                    Some(ItemError { code: refusal.code(), message: refusal.to_string() });
            }
            None => {}
        }
    }
    report.failed = report.items.iter().filter(|item| item.error.is_some()).count();
    report.decided = report.items.len().saturating_sub(report.failed);
    if request.mark_removal && !sources.is_empty() {
        let sources: Vec<OpId> = sources.into_iter().collect();
        let marking = space.mark_for_removal(&sources, request.intent, now)?;
        report.marked_for_removal = marking.changed.len();
    }
    Ok((report, outcome.changes))
}

impl ItemReport {
    fn fill(&mut self, moderated: &Moderated, intent: Intent) {
        self.text = Some(moderated.candidate.content.in_words());
        // What a dry run would make has no id yet.
        let is_made = |id: &OpId| {
            moderated.is_new || moderated.entities.iter().any(|(entity, _)| entity == id)
        };
        let is_lasting = |id: &OpId| intent == Intent::Write || !is_made(id);
        self.promoted_id = moderated.promoted.filter(is_lasting).map(|id| id.to_string());
        self.new = moderated.is_new;
        self.entities = moderated.entities.iter().map(|(_, name)| name.clone()).collect();
    }
}

/// The decision that an item stands for, or what is wrong with it.
fn decision(
    space: &Space,
    item: &Item,
    disclosure: Disclosure,
) -> Result<Result<Moderation, ItemError>, Failure> {
    let candidate = match space.resolve_disclosed(&item.id, disclosure) {
        Ok(id) => id,
        Err(error) => return misnamed(error).map(Err),
    };
    let verdict = match (item.decision, &item.canonical_id) {
        (Decision::Accept, _) => Verdict::Accept,
        (Decision::Reject, _) => Verdict::Reject,
        (Decision::Alias, None) => {
            let message = "an alias needs the entity whose name it is".to_owned();
            return Ok(Err(ItemError { code: "missing_canonical", message }));
        }
        (Decision::Alias, Some(name)) => match entity(space, name, disclosure) {
            Ok(id) => Verdict::Alias(id),
            Err(error) => return misnamed(error).map(Err),
        },
    };
    let feedback = item.feedback.clone().unwrap_or_default();
    Ok(Ok(Moderation { candidate, verdict, feedback }))
}

/// The entity of a name, else the operation of an id.
fn entity(space: &Space, name: &str, disclosure: Disclosure) -> Result<OpId, EngineError> {
    match space.entity_named(name, &Viewpoint::from(disclosure))? {
        Some(id) => Ok(id),
        None => space.resolve_disclosed(name, disclosure),
    }
}

/// What is wrong with a name; a failure if it is the space that fails.
fn misnamed(error: EngineError) -> Result<ItemError, Failure> {
    match error {
        EngineError::UnknownId { .. } | EngineError::AmbiguousId { .. } => {
            let message = error.to_string();
            Ok(ItemError { code: Failure::from(error).code(), message })
        }
        error => Err(error.into()),
    }
}
