//! Candidates for the graph: entities and relations that rules or a language model found, and that
//! wait for a person.
//!
//! A candidate is a `proposal` whose field `candidate` says what would be added. It cites exactly
//! the operations that it was found in, so it is private with them, is forgotten with them and is
//! withheld from exports with them. It holds no operations: what accepting it appends depends on
//! the entities that exist by then.
//!
//! Two candidates that say the same have one [`CandidateKey`]. What is pending, was accepted or was
//! dismissed is not staged again. Whether it was is read from all proposals, which the store lists
//! by an index, and kept nowhere else.
//!
//! | module | answers |
//! |---|---|
//! | `stage` | which candidates are staged, and why are the others not? |
//! | `queue` | which candidates are there, and what was decided about them? |
//! | `moderate` | what does a decision add to the graph? |

use kernel::body::Body;
use kernel::id::OpId;
use kernel::identity::normalized_text;
use kernel::operation::{Ref, Role};
use kernel::proposal::Proposal;
use kernel::seal::Draft;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::EngineError;

mod moderate;
mod queue;
mod stage;
#[cfg(test)]
mod tests;

pub use moderate::{
    ENTITY_TYPE, MODERATED_MAX, Moderated, Moderation, ModerationOutcome, ModerationRefusal,
    Verdict,
};
pub use queue::StagedCandidate;
pub use stage::{NotStaged, Staging, StagingLimits, WhyNotStaged};

/// The field of a proposal that holds a candidate.
pub const CANDIDATE: &str = "candidate";

/// The field of a candidate's data that holds the sentence that it was found in.
pub const SENTENCE: &str = "sentence";

/// Longest name of an entity, characters.
pub const NAME_CHARS_MAX: usize = 200;
/// Longest type of an entity or of a relation, characters.
pub const TYPE_CHARS_MAX: usize = 64;
/// Most sources of one candidate.
pub const SOURCES_MAX: usize = 64;

/// What a candidate would add to the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CandidateContent {
    /// A person, a place or a thing.
    Entity {
        /// Its name.
        name: String,
        /// What it is, such as `person`.
        entity_type: String,
    },
    /// A relation between two entities, from the source to the target.
    Relation {
        /// The name of the entity where it begins.
        source_name: String,
        /// The name of the entity where it ends.
        target_name: String,
        /// What it says, such as `depends_on`.
        rel_type: String,
    },
}

/// The kinds of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateKind {
    /// An entity.
    Entity,
    /// A relation.
    Relation,
}

/// Something that may be added to the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphCandidate {
    /// What would be added.
    pub content: CandidateContent,
    /// What else is known of it, such as the sentence that it was found in.
    pub data: Map<String, Value>,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// Who found it: rules with their version, or the name of a language model.
    pub origin: String,
    /// Of what a language model found: the model, the version of the prompt and the transcripts.
    pub details: Map<String, Value>,
    /// The operations that it was found in.
    pub sources: Vec<OpId>,
}

/// What two candidates share that say the same: the kind, and the names and types as texts are
/// compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CandidateKey {
    kind: CandidateKind,
    parts: [String; 3],
}

impl CandidateKind {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Relation => "relation",
        }
    }
}

impl CandidateContent {
    /// An entity.
    pub fn entity(name: impl Into<String>, entity_type: impl Into<String>) -> Self {
        Self::Entity { name: name.into(), entity_type: entity_type.into() }
    }

    /// What it is.
    pub fn kind(&self) -> CandidateKind {
        match self {
            Self::Entity { .. } => CandidateKind::Entity,
            Self::Relation { .. } => CandidateKind::Relation,
        }
    }

    /// What it shares with candidates that say the same.
    pub fn key(&self) -> CandidateKey {
        let parts = match self {
            Self::Entity { name, entity_type } => [name.as_str(), entity_type, ""],
            Self::Relation { source_name, target_name, rel_type } => {
                [source_name.as_str(), target_name, rel_type]
            }
        };
        CandidateKey { kind: self.kind(), parts: parts.map(normalized_text) }
    }

    /// It in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Entity { name, entity_type } => format!("{name} ({entity_type})"),
            Self::Relation { source_name, target_name, rel_type } => {
                format!("{source_name} {} {target_name}", rel_type.replace('_', " "))
            }
        }
    }

    /// It with its names and types on one line; none if one of them is empty or too long.
    fn tidied(self) -> Option<Self> {
        let tidy = |text: String, chars_max: usize| {
            let text = importers::secrets::mask_string(&text).into_inner();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let fits = !text.is_empty() && text.chars().count() <= chars_max;
            fits.then_some(text)
        };
        Some(match self {
            Self::Entity { name, entity_type } => Self::Entity {
                name: tidy(name, NAME_CHARS_MAX)?,
                entity_type: tidy(entity_type, TYPE_CHARS_MAX)?,
            },
            Self::Relation { source_name, target_name, rel_type } => Self::Relation {
                source_name: tidy(source_name, NAME_CHARS_MAX)?,
                target_name: tidy(target_name, NAME_CHARS_MAX)?,
                rel_type: tidy(rel_type, TYPE_CHARS_MAX)?,
            },
        })
    }
}

impl GraphCandidate {
    /// It as a proposal that cites its sources.
    fn draft(&self) -> Result<Draft, EngineError> {
        let mut candidate = match json!(self.content) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        candidate.insert("data".to_owned(), json!(self.data));
        let mut others = self.details.clone();
        others.insert(CANDIDATE.to_owned(), Value::Object(candidate));
        let proposal = Proposal {
            origin: self.origin.clone(),
            confidence: Some(self.confidence),
            text: self.content.in_words(),
            others,
            ..Proposal::default()
        };
        let role = Role::parse(Proposal::SOURCE)?;
        let refs = self.sources.iter().map(|id| Ref { id: *id, role: role.clone() });
        Ok(Draft { body: Body::Proposal(proposal), refs: refs.collect() })
    }

    /// Reads a proposal with these sources as a candidate; none if it is something else.
    fn read(proposal: Proposal, sources: Vec<OpId>) -> Option<Self> {
        let Proposal { origin, confidence, review, operations, others: mut details, .. } = proposal;
        if review.is_some() || !operations.is_empty() || sources.is_empty() {
            return None;
        }
        let candidate = details.remove(CANDIDATE)?;
        let data = match candidate.get("data") {
            Some(Value::Object(data)) => data.clone(),
            _ => Map::new(),
        };
        let content: CandidateContent = serde_json::from_value(candidate).ok()?;
        let confidence = confidence.filter(|sure| (0.0..=1.0).contains(sure))?;
        let content = content.tidied()?;
        Some(Self { content, data, confidence, origin, details, sources })
    }
}
