//! What a person decides about candidates: accepted, rejected, or another name of an entity.
//!
//! Many candidates are decided in one append. Each is judged by itself, after those before it; one
//! that cannot be decided is answered with the reason, and the others are decided. What accepting
//! appends depends on the graph: an entity of the same name and type is used again, and the ends of
//! a relation are found, or made, by their names.

use std::cell::RefCell;
use std::collections::BTreeMap;

use kernel::body::{Body, EdgeType, NodeType};
use kernel::id::OpId;
use kernel::identity::normalized_text;
use kernel::kind::Kind;
use kernel::proposal::Decision;
use kernel::records::{RecordStatus, Records};
use kernel::rules::RuleViolation;
use kernel::seal::next_timestamp;
use kernel::validity::Validity;
use serde_json::{Map, Value, json};
use store::Writing;
use store::sqlite::SqliteWriting;

use super::{CandidateContent, GraphCandidate, StagedCandidate};
use crate::belief::body_of;
use crate::belief::review::Status;
use crate::graph::{entity_key, follow_to_latest};
use crate::outcome::{Changes, Intent};
use crate::seal::Sealer;
use crate::write::commit::Appended;
use crate::write::graph::{
    GraphChange, GraphError, GraphRefusal, GraphWriter, RecordType, Relation, Statement,
    cite_as_inputs,
};
use crate::{EngineError, Writer, now_us};

/// The field of an entity's payload that says what it is.
pub const ENTITY_TYPE: &str = "entity_type";

/// Most candidates that are decided at a time.
pub const MODERATED_MAX: usize = 10_000;

/// What is decided about a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is added to the graph.
    Accept,
    /// It is not.
    Reject,
    /// Its name is another name of this entity.
    Alias(OpId),
}

/// A decision about one candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moderation {
    /// The candidate.
    pub candidate: OpId,
    /// What is decided.
    pub verdict: Verdict,
    /// Why, in words.
    pub feedback: String,
}

/// What a decision made, or would make.
#[derive(Clone, Debug, PartialEq)]
pub struct Moderated {
    /// The candidate.
    pub candidate: GraphCandidate,
    /// The entity or the edge that it stands for now; the entity whose name it is. None of what is
    /// rejected.
    pub promoted: Option<OpId>,
    /// Whether that is new.
    pub is_new: bool,
    /// Entities that were made, each with its name.
    pub entities: Vec<(OpId, String)>,
}

/// Why a candidate is not decided.
#[derive(Debug, thiserror::Error)]
pub enum ModerationRefusal {
    /// It is something else, or nothing.
    #[error("{id} is not a candidate")]
    NotACandidate {
        /// The operation.
        id: OpId,
    },
    /// It was decided, or all of its sources were taken back.
    #[error("{id} is {} already", status.as_str())]
    Settled {
        /// The candidate.
        id: OpId,
        /// Its status.
        status: Status,
    },
    /// Control characters have no place in a name.
    #[error("the name {name:?} has control characters")]
    UnfitName {
        /// The name.
        name: String,
    },
    /// Both ends of a relation are the same entity.
    #[error("{name:?} would be joined to itself")]
    OfItself {
        /// The entity.
        name: String,
    },
    /// An end of a relation was rejected as an entity.
    #[error("{name:?} was rejected as an entity, so nothing is joined to it")]
    RejectedEnd {
        /// The entity.
        name: String,
    },
    /// Only an entity has other names.
    #[error("{id} is a relation: only an entity is another name of one")]
    AliasOfRelation {
        /// The candidate.
        id: OpId,
    },
    /// The canonical one must be an active entity.
    #[error("{id} is not an active entity")]
    NotAnEntity {
        /// What was given.
        id: OpId,
    },
    /// The graph does not allow it.
    #[error(transparent)]
    Graph(#[from] GraphRefusal),
}

impl ModerationRefusal {
    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotACandidate { .. } => "not_a_candidate",
            Self::Settled { .. } => "review_settled",
            Self::UnfitName { .. } => "unfit_name",
            Self::OfItself { .. } => "self_edge",
            Self::RejectedEnd { .. } => "rejected_end",
            Self::AliasOfRelation { .. } => "alias_of_relation",
            Self::NotAnEntity { .. } => "not_an_entity",
            Self::Graph(refusal) => refusal.code(),
        }
    }
}

/// Why a decision was not made: it cannot be, or the engine failed.
enum Failed {
    Refused(ModerationRefusal),
    Engine(EngineError),
}

impl<E: Into<EngineError>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self::Engine(error.into())
    }
}

fn refused(error: GraphError) -> Failed {
    match error {
        GraphError::Refused(refusal) => Failed::Refused(refusal.into()),
        GraphError::Engine(error) => Failed::Engine(error),
    }
}

/// What became of decisions.
#[derive(Debug, Default)]
pub struct ModerationOutcome {
    /// Of each decision, in their order.
    pub items: Vec<Result<Moderated, ModerationRefusal>>,
    /// What followed for beliefs.
    pub changes: Changes,
}

impl Writer<'_> {
    /// Decides about candidates in one append, each after those before it. `visibility` is that of
    /// what is made. A dry run does the same and rolls back.
    ///
    /// # Errors
    /// If the append fails. The result has the decisions that are refused; the others are made.
    pub fn moderate(
        &mut self,
        decisions: &[Moderation],
        visibility: kernel::evidence::Visibility,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<ModerationOutcome, EngineError> {
        // What was refused after it had appended something, by its place. Such a decision is left
        // out of another attempt, which holds nothing of it.
        let failed: RefCell<BTreeMap<usize, ModerationRefusal>> = RefCell::default();
        loop {
            let attempted = failed.borrow().len();
            let items = RefCell::new(Vec::with_capacity(decisions.len()));
            let append = |sealer: &Sealer, writing: &mut SqliteWriting<'_>| {
                let ends = Ends::read(writing)?;
                let at = next_timestamp(now_us(now), writing.latest()?);
                let graph = GraphWriter::new(sealer, writing, at);
                let mut moderator = Moderator { graph, ends, visibility };
                for (place, decision) in decisions.iter().enumerate() {
                    if failed.borrow().contains_key(&place) {
                        items.borrow_mut().push(None);
                        continue;
                    }
                    let before = moderator.graph.count();
                    match moderator.decide(decision) {
                        Ok(moderated) => items.borrow_mut().push(Some(Ok(moderated))),
                        Err(Failed::Engine(error)) => return Err(error),
                        Err(Failed::Refused(refusal)) if moderator.graph.count() == before => {
                            items.borrow_mut().push(Some(Err(refusal)));
                        }
                        Err(Failed::Refused(refusal)) => {
                            failed.borrow_mut().insert(place, refusal);
                            let id = decision.candidate;
                            return Err(EngineError::UnknownId { prefix: id.to_string() });
                        }
                    }
                }
                Ok::<Appended, EngineError>(moderator.graph.into_appended())
            };
            let changes = match self.act_by(append, intent, now, |_, _| Ok(())) {
                Ok((changes, ())) => changes,
                Err(_) if failed.borrow().len() > attempted => continue,
                Err(error) => return Err(error),
            };
            let mut failed = failed.into_inner();
            let items = items.into_inner().into_iter().enumerate();
            let items = items.filter_map(|(place, item)| match item {
                Some(item) => Some(item),
                None => failed.remove(&place).map(Err),
            });
            return Ok(ModerationOutcome { items: items.collect(), changes });
        }
    }
}

/// The candidates for entities, by their names as texts are compared.
#[derive(Default)]
struct Ends(BTreeMap<String, Vec<End>>);

struct End {
    id: OpId,
    status: Status,
    entity_type: String,
    sources: Vec<OpId>,
}

impl Ends {
    fn read(writing: &SqliteWriting<'_>) -> Result<Self, EngineError> {
        let index: &dyn Writing = writing;
        let mut ends = Self::default();
        for id in writing.proposals()? {
            let Some(entry) = index.entry(&id)? else { continue };
            let Some(staged) = StagedCandidate::read(index, &entry)? else { continue };
            let GraphCandidate { content, sources, .. } = staged.candidate;
            if let CandidateContent::Entity { name, entity_type } = content {
                let end = End { id, status: staged.status, entity_type, sources };
                ends.0.entry(normalized_text(&name)).or_default().push(end);
            }
        }
        Ok(ends)
    }

    fn settle(&mut self, id: &OpId, status: Status) {
        for end in self.0.values_mut().flatten().filter(|end| end.id == *id) {
            end.status = status;
        }
    }
}

/// An entity by its name.
struct Named {
    /// The active entity of the name and type, if there is one.
    found: Option<OpId>,
    /// Whether the name is another name of it.
    is_alias: bool,
    /// What a new one is called: the name, or the name with its type where the name alone is that
    /// of something else.
    text: String,
}

impl Named {
    fn none(text: String) -> Self {
        Self { found: None, is_alias: false, text }
    }
}

struct Moderator<'a> {
    graph: GraphWriter<'a>,
    ends: Ends,
    visibility: kernel::evidence::Visibility,
}

impl Moderator<'_> {
    fn decide(&mut self, decision: &Moderation) -> Result<Moderated, Failed> {
        let id = decision.candidate;
        let index = self.graph.index();
        let staged = match index.entry(&id)? {
            Some(entry) if entry.kind == Kind::Proposal => StagedCandidate::read(index, &entry)?,
            _ => None,
        };
        let Some(staged) = staged else {
            return Err(Failed::Refused(ModerationRefusal::NotACandidate { id }));
        };
        // A decision earlier in the list counts, too.
        if staged.status != Status::Pending {
            let status = staged.status;
            return Err(Failed::Refused(ModerationRefusal::Settled { id, status }));
        }
        let before = self.graph.count();
        let mut moderated = Moderated {
            candidate: staged.candidate.clone(),
            promoted: None,
            is_new: false,
            entities: Vec::new(),
        };
        let verdict = match (&decision.verdict, &staged.candidate.content) {
            (Verdict::Reject, _) => Decision::REJECT,
            (Verdict::Accept, CandidateContent::Entity { name, entity_type }) => {
                self.accept_entity(&staged, name, entity_type, &mut moderated)?;
                Decision::ACCEPT
            }
            (Verdict::Accept, CandidateContent::Relation { .. }) => {
                self.accept_relation(&staged, &mut moderated)?;
                Decision::ACCEPT
            }
            (Verdict::Alias(canonical), CandidateContent::Entity { name, entity_type }) => {
                self.alias(&staged, (name, entity_type), *canonical, &mut moderated)?;
                Decision::ALIAS
            }
            (Verdict::Alias(_), CandidateContent::Relation { .. }) => {
                return Err(Failed::Refused(ModerationRefusal::AliasOfRelation { id }));
            }
        };
        let mut others = Map::new();
        if let Some(promoted) = moderated.promoted {
            let field = if verdict == Decision::ALIAS { "canonical" } else { "promoted" };
            others.insert(field.to_owned(), json!(promoted));
            others.insert("applied".to_owned(), json!(self.graph.appended_since(before)));
        }
        let draft = staged.decision(verdict, &decision.feedback, others)?;
        self.graph.append(draft.body, draft.refs).map_err(refused)?;
        let is_accepted = verdict != Decision::REJECT;
        let status = if is_accepted { Status::Accepted } else { Status::Dismissed };
        self.ends.settle(&id, status);
        Ok(moderated)
    }

    fn accept_entity(
        &mut self,
        staged: &StagedCandidate,
        name: &str,
        entity_type: &str,
        moderated: &mut Moderated,
    ) -> Result<(), Failed> {
        let sources = self.sources(&staged.candidate.sources)?;
        let named = self.named(name, Some(entity_type))?;
        moderated.is_new = named.found.is_none();
        let entity = match named.found {
            Some(entity) => entity,
            None => {
                let payload = payload(entity_type, &staged.candidate, &staged.id);
                self.make(named.text, payload, &sources, moderated)?
            }
        };
        moderated.promoted = Some(entity);
        Ok(())
    }

    fn accept_relation(
        &mut self,
        staged: &StagedCandidate,
        moderated: &mut Moderated,
    ) -> Result<(), Failed> {
        let CandidateContent::Relation { source_name, target_name, rel_type } =
            &staged.candidate.content
        else {
            return Ok(());
        };
        let sources = self.sources(&staged.candidate.sources)?;
        let typed = |field: &str| staged.candidate.data.get(field).and_then(Value::as_str);
        // Both are looked up before either is made, so that what is refused leaves nothing.
        let from = self.end(source_name, typed("source_type"))?;
        let to = self.end(target_name, typed("target_type"))?;
        let is_same = match (from.found, to.found) {
            (Some(from), Some(to)) => from == to,
            _ => normalized_text(&from.text) == normalized_text(&to.text),
        };
        if is_same {
            let name = source_name.clone();
            return Err(Failed::Refused(ModerationRefusal::OfItself { name }));
        }
        let from = self.end_made(from, staged, &sources, moderated)?;
        let to = self.end_made(to, staged, &sources, moderated)?;
        let word = rel_type.trim().to_lowercase().replace([' ', '-'], "_");
        let (edge_type, label) = match word.parse::<EdgeType>() {
            Ok(EdgeType::Relation) | Err(_) => (EdgeType::Relation, rel_type.as_str()),
            Ok(edge_type) => (edge_type, ""),
        };
        let before = self.graph.count();
        let notes = staged.candidate.data.get(super::SENTENCE).and_then(Value::as_str);
        let relation = Relation { edge_type, label, confidence: Some(staged.candidate.confidence) };
        let inputs = cite_as_inputs(&sources)?;
        let notes = notes.unwrap_or_default();
        let edge = self.graph.relate(&relation, (from, to), &inputs, notes).map_err(refused)?;
        moderated.is_new = self.graph.count() > before;
        moderated.promoted = Some(edge);
        Ok(())
    }

    fn alias(
        &mut self,
        staged: &StagedCandidate,
        (name, entity_type): (&str, &str),
        canonical: OpId,
        moderated: &mut Moderated,
    ) -> Result<(), Failed> {
        let not_an_entity = || Failed::Refused(ModerationRefusal::NotAnEntity { id: canonical });
        let sources = self.sources(&staged.candidate.sources)?;
        let Some(mut entry) = self.graph.index().entry(&canonical)? else {
            return Err(not_an_entity());
        };
        let index = self.graph.index();
        let status = follow_to_latest(&mut Records::new(index), index, &mut entry)?;
        if status != Some(RecordStatus::Active) || !is_entity(index, &entry.id)? {
            return Err(not_an_entity());
        }
        let target = entry.id;
        let named = self.named(name, Some(entity_type))?;
        moderated.promoted = Some(target);
        if named.found == Some(target) && named.is_alias {
            return Ok(());
        }
        if named.found == Some(target) {
            // The name is its own, or the canonical one redirects to what is named so.
            let violation = match canonical == target {
                true => RuleViolation::SelfEdge { end: target },
                false => RuleViolation::Cycle { from: canonical, to: target },
            };
            return Err(Failed::Refused(GraphRefusal::from(violation).into()));
        }
        let alias = match named.found {
            Some(entity) => entity,
            None => {
                let payload = payload(entity_type, &staged.candidate, &staged.id);
                self.make(named.text, payload, &sources, moderated)?
            }
        };
        let relation = Relation {
            edge_type: EdgeType::SameAs,
            label: "",
            confidence: Some(staged.candidate.confidence),
        };
        let inputs = cite_as_inputs(&sources)?;
        self.graph.relate(&relation, (alias, target), &inputs, "").map_err(refused)?;
        Ok(())
    }

    /// The sources of a candidate that still hold. If none does, nothing is made from it.
    fn sources(&self, sources: &[OpId]) -> Result<Vec<OpId>, Failed> {
        let mut valid = Vec::with_capacity(sources.len());
        for id in sources {
            if Validity::new(self.graph.index()).is_valid_input(id)? {
                valid.push(*id);
            }
        }
        match (valid.is_empty(), sources.first()) {
            (true, Some(input)) => {
                let violation = RuleViolation::StaleInput { input: *input };
                Err(Failed::Refused(GraphRefusal::from(violation).into()))
            }
            _ => Ok(valid),
        }
    }

    /// The entity of a name, of a type if one is given. An entity without a type is of any.
    fn named(&self, name: &str, entity_type: Option<&str>) -> Result<Named, Failed> {
        if name.chars().any(char::is_control) {
            let name = name.to_owned();
            return Err(Failed::Refused(ModerationRefusal::UnfitName { name }));
        }
        let index = self.graph.index();
        let wanted = entity_type.map(normalized_text).filter(|of| !of.is_empty());
        let qualified = entity_type.map(|of| format!("{name} ({of})"));
        for text in std::iter::once(name.to_owned()).chain(qualified.clone()) {
            let mut records = Records::new(index);
            let Some(mut entry) = records.latest_version(&Kind::Node, &entity_key(&text))? else {
                return Ok(Named::none(text));
            };
            let named = entry.id;
            let status = follow_to_latest(&mut records, index, &mut entry)?;
            if status != Some(RecordStatus::Active) {
                return Ok(Named::none(text));
            }
            let is = type_of(index, &entry.id)?.map(|of| normalized_text(&of));
            // What a person called another name of something is that, whatever it was taken for.
            let is_redirected = named != entry.id;
            if is_redirected || wanted.is_none() || is.is_none() || is == wanted {
                return Ok(Named { found: Some(entry.id), is_alias: is_redirected, text });
            }
        }
        Ok(Named::none(qualified.unwrap_or_else(|| name.to_owned())))
    }

    /// The entity at an end of a relation. A rejected name names no entity.
    fn end(&self, name: &str, entity_type: Option<&str>) -> Result<Named, Failed> {
        let named = self.named(name, entity_type)?;
        let candidates = self.ends.0.get(&normalized_text(name));
        let of = |status| candidates.into_iter().flatten().any(|end| end.status == status);
        if named.found.is_none() && of(Status::Dismissed) && !of(Status::Pending) {
            let name = name.to_owned();
            return Err(Failed::Refused(ModerationRefusal::RejectedEnd { name }));
        }
        Ok(named)
    }

    /// The same, made if it is not there: as the one candidate that waits under its name says.
    fn end_made(
        &mut self,
        end: Named,
        staged: &StagedCandidate,
        sources: &[OpId],
        moderated: &mut Moderated,
    ) -> Result<OpId, Failed> {
        if let Some(found) = end.found {
            return Ok(found);
        }
        let waiting = self.ends.0.get(&normalized_text(&end.text));
        let waiting = waiting.into_iter().flatten();
        let mut waiting = waiting.filter(|waits| waits.status == Status::Pending);
        let (entity_type, mut cited) = match (waiting.next(), waiting.next()) {
            (Some(one), None) => (one.entity_type.clone(), one.sources.clone()),
            _ => (String::new(), Vec::new()),
        };
        cited = self.sources(&cited).unwrap_or_default();
        cited.extend(sources.iter().filter(|id| !cited.contains(id)).copied().collect::<Vec<_>>());
        let mut payload = json!({ "origin": staged.candidate.origin, "proposal": staged.id });
        if !entity_type.is_empty() {
            payload[ENTITY_TYPE] = json!(entity_type);
        }
        self.make(end.text, payload, &cited, moderated)
    }

    fn make(
        &mut self,
        text: String,
        payload: Value,
        sources: &[OpId],
        moderated: &mut Moderated,
    ) -> Result<OpId, Failed> {
        let statement = Statement {
            inputs: cite_as_inputs(sources)?,
            visibility: self.visibility,
            payload,
            ..Statement::new(RecordType::Node(NodeType::Entity), text.clone())
        };
        let change = GraphChange::State(Box::new(statement));
        let id = self.graph.apply(None, &change).map_err(refused)?;
        moderated.entities.push((id, text));
        Ok(id)
    }
}

fn payload(entity_type: &str, candidate: &GraphCandidate, proposal: &OpId) -> Value {
    json!({
        ENTITY_TYPE: entity_type, "data": candidate.data, "confidence": candidate.confidence,
        "origin": candidate.origin, "proposal": proposal,
    })
}

fn is_entity(index: &dyn Writing, id: &OpId) -> Result<bool, EngineError> {
    Ok(match body_of(index, id, &Kind::Node)? {
        Some(Body::Node(node)) => node.node_type == Some(NodeType::Entity),
        _ => false,
    })
}

fn type_of(index: &dyn Writing, id: &OpId) -> Result<Option<String>, EngineError> {
    let Some(Body::Node(node)) = body_of(index, id, &Kind::Node)? else { return Ok(None) };
    let payload = node.payload.unwrap_or_default();
    Ok(payload.get(ENTITY_TYPE).and_then(Value::as_str).map(str::to_owned))
}
