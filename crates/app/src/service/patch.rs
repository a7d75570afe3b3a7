//! Patches of the graph as people and models write them: JSON, checked as a whole.

use std::collections::BTreeSet;

use engine::belief::review::{Status, acting_on};
use engine::private::Disclosure;
use engine::write::graph::{
    GraphChange, NamedChange, RecordType, Reference, ReplacementFields, Statement,
};
use engine::write::import::Intent;
use engine::write::patch::{NewPatch, Patch, Patched, StatusChange, follows_from, refusals};
use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::body::{Body, EdgeType, NodeType, TextClaimType};
use kernel::evidence::Visibility;
use kernel::operation::{Role, is_identifier};
use kernel::proposal::Decision;
use kernel::when::When;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Session;
use super::changes::{Action, Outcome, Subject, Verb};
use super::corrections::ReviewDecision;
use super::model_request::Prompt;
use super::time::TimeParser;
use crate::failure::{Failure, RequestError};

/// Most operations of a patch.
const OPERATIONS_MAX: usize = 20_000;
/// What a local name is ([`is_identifier`]).
const LOCAL_NAME_RULE: &str =
    "a lower-case letter (a to z), then up to 63 of those, digits, `_`, `.` and `-`";

/// A patch as it is written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchFile {
    /// What it is for, in words.
    #[serde(default)]
    pub(crate) text: String,
    /// Its operations, applied in order.
    pub(crate) operations: Vec<serde_json::Value>,
}

/// An operation of a patch. `local` is the name by which later operations cite it; `sources`, ends
/// and targets are ids, beginnings of ids, or such names.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum PatchOperation {
    CreateClaim {
        local: Option<String>,
        #[serde(rename = "type")]
        claim_type: String,
        text: String,
        #[serde(default)]
        sources: Vec<String>,
        #[serde(default)]
        tags: Vec<String>,
        visibility: Option<Visibility>,
        #[serde(default, deserialize_with = "given")]
        valid_from: Option<When>,
        #[serde(default, deserialize_with = "given")]
        valid_to: Option<When>,
        confidence: Option<f64>,
    },
    CreateNode {
        local: Option<String>,
        #[serde(rename = "type")]
        node_type: String,
        text: String,
        #[serde(default)]
        sources: Vec<String>,
        #[serde(default)]
        tags: Vec<String>,
        visibility: Option<Visibility>,
    },
    CreateSummary {
        local: Option<String>,
        text: String,
        #[serde(default)]
        sources: Vec<String>,
        /// What is summarised; each gets an edge `derived_from`.
        #[serde(default)]
        of: Vec<String>,
        #[serde(default)]
        tags: Vec<String>,
        visibility: Option<Visibility>,
    },
    CreateEdge {
        local: Option<String>,
        #[serde(rename = "type")]
        edge_type: String,
        from: String,
        to: String,
        #[serde(default)]
        sources: Vec<String>,
        #[serde(default)]
        notes: String,
    },
    Supersede {
        local: Option<String>,
        target: String,
        text: String,
        #[serde(default)]
        sources: Vec<String>,
    },
    SameAs {
        local: Option<String>,
        duplicate: String,
        canonical: String,
        #[serde(default)]
        sources: Vec<String>,
    },
    Retract {
        local: Option<String>,
        target: String,
        #[serde(default)]
        sources: Vec<String>,
        #[serde(default)]
        reason: String,
    },
}

/// A time as it may be written.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<When>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| When::parse_given(&text).map_err(serde::de::Error::custom)).transpose()
}

/// Why a patch is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Reason {
    /// The number of the operation, from 1.
    pub(crate) operation: usize,
    /// Its local name.
    pub(crate) local: Option<String>,
    /// The stable code of the rule that it breaks.
    pub(crate) code: &'static str,
    /// The same in words.
    pub(crate) message: String,
}

/// A patch that was read, and every reason to refuse it that reading found.
pub(crate) struct ReadPatch {
    /// What can be applied.
    pub(crate) patch: NewPatch,
    /// The operation, from 1, of each change.
    places: Vec<usize>,
    reasons: Vec<Reason>,
    failed: BTreeSet<String>,
}

/// Reads a patch. What it cites by id must be in the space.
pub(crate) fn read(
    session: &Session,
    space: &Space,
    text: &str,
    origin: &str,
) -> Result<ReadPatch, Failure> {
    read_disclosed(session, space, text, origin, Disclosure::Full)
}

/// The same of somebody to whom not everything is disclosed: what they may not see is unknown.
pub(crate) fn read_disclosed(
    session: &Session,
    space: &Space,
    text: &str,
    origin: &str,
    disclosure: Disclosure,
) -> Result<ReadPatch, Failure> {
    let malformed =
        |error: serde_json::Error| RequestError::PatchMalformed { detail: error.to_string() };
    // A list would be read as the fields in their order.
    if !text.trim_start().starts_with('{') && serde_json::from_str::<Value>(text).is_ok() {
        let detail = r#"it is not an object: {"text":"why","operations":[…]}"#.to_owned();
        return Err(RequestError::PatchMalformed { detail }.into());
    }
    let file: PatchFile = serde_json::from_str(text).map_err(malformed)?;
    if file.operations.is_empty() {
        let detail = "it has no operations".to_owned();
        return Err(RequestError::PatchMalformed { detail }.into());
    }
    if file.operations.len() > OPERATIONS_MAX {
        let (found, limit) = (file.operations.len(), OPERATIONS_MAX);
        return Err(RequestError::PatchTooLong { found, limit }.into());
    }
    read_file(session, space, file, origin, Citable::Disclosed(disclosure))
}

/// What a patch may cite.
#[derive(Clone, Copy)]
pub(crate) enum Citable<'a> {
    /// What is disclosed.
    Disclosed(Disclosure),
    /// What the prompt showed the model that made the patch.
    Shown(&'a Prompt),
}

/// The same of a patch that is parsed.
pub(crate) fn read_file(
    session: &Session,
    space: &Space,
    file: PatchFile,
    origin: &str,
    citable: Citable<'_>,
) -> Result<ReadPatch, Failure> {
    let mut read = ReadPatch {
        patch: NewPatch { origin: origin.to_owned(), text: file.text, ..NewPatch::default() },
        places: Vec::new(),
        reasons: Vec::new(),
        failed: BTreeSet::new(),
    };
    let (times, usual) = (session.times(), session.scope_of(space).visibility());
    let local_of = |operation: &serde_json::Value| {
        operation.get("local").and_then(|local| local.as_str()).map(str::to_owned)
    };
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut taken: BTreeSet<String> = file.operations.iter().filter_map(local_of).collect();
    for (place, value) in file.operations.into_iter().enumerate() {
        let local = local_of(&value);
        let mut reader = OperationReader {
            space,
            times,
            usual,
            citable,
            names: &names,
            taken: &mut taken,
            reasons: Vec::new(),
        };
        if let Some(name) = &local
            && names.contains(name)
        {
            reader.refuse("duplicate_local_id", format!("the name {name:?} is taken already"));
        }
        if let Some(name) = &local
            && !is_identifier(name)
        {
            reader
                .refuse("local_name", format!("the local name {name:?} is not {LOCAL_NAME_RULE}"));
        }
        let has_op = value.get("op").is_some_and(serde_json::Value::is_string);
        let changes = match PatchOperation::deserialize(&value) {
            _ if !has_op => {
                reader.refuse(
                    "malformed",
                    "an operation is an object with `op`, the name of what it does",
                );
                Vec::new()
            }
            Ok(operation) => reader.changes(operation)?,
            Err(error) => {
                let mut faults = faults_of_fields(&value);
                if faults.is_empty() {
                    faults.push(error.to_string());
                }
                faults.into_iter().for_each(|fault| reader.refuse("malformed", fault));
                Vec::new()
            }
        };
        let reasons = reader.reasons;
        if reasons.is_empty() {
            read.places.extend(changes.iter().map(|_| place + 1));
            read.patch.changes.extend(changes);
        } else {
            read.failed.extend(local.clone());
            read.reasons.extend(reasons.into_iter().map(|(code, message)| Reason {
                operation: place + 1,
                local: local.clone(),
                code,
                message,
            }));
        }
        names.extend(local);
    }
    Ok(read)
}

/// The fields that each operation must have.
const REQUIRED_FIELDS: [(&str, &[&str]); 7] = [
    ("create_claim", &["type", "text"]),
    ("create_node", &["type", "text"]),
    ("create_summary", &["text"]),
    ("create_edge", &["type", "from", "to"]),
    ("supersede", &["target", "text"]),
    ("same_as", &["duplicate", "canonical"]),
    ("retract", &["target"]),
];

/// What is wrong with each field of an operation, since reading all of it stops at the first fault.
/// Empty if the operation is unknown.
fn faults_of_fields(written: &serde_json::Value) -> Vec<String> {
    let Some(fields) = written.as_object() else { return Vec::new() };
    let op = fields.get("op").and_then(|op| op.as_str()).unwrap_or_default();
    let Some((_, required)) = REQUIRED_FIELDS.iter().find(|(known, _)| *known == op) else {
        return Vec::new();
    };
    // Each field is read beside valid ones.
    let mut valid = serde_json::Map::from_iter([("op".to_owned(), op.into())]);
    valid.extend(required.iter().map(|name| ((*name).to_owned(), "x".into())));
    let mut faults = Vec::new();
    for (name, given) in fields {
        let mut one = valid.clone();
        one.insert(name.clone(), given.clone());
        if let Err(error) = serde_json::from_value::<PatchOperation>(one.into()) {
            let error = error.to_string();
            let is_named = error.contains(&format!("`{name}`"));
            faults.push(if is_named { error } else { format!("`{name}`: {error}") });
        }
    }
    let missing = required.iter().filter(|name| !fields.contains_key(**name));
    faults.extend(missing.map(|name| format!("missing field `{name}`")));
    faults
}

/// Why a patch that is kept is refused; none of an error that says something else.
pub(crate) fn reasons_of(error: &EngineError) -> Option<Vec<Reason>> {
    let reasons = refusals(error)?.iter().map(|refused| Reason {
        operation: refused.place + 1,
        local: refused.name.clone(),
        code: refused.refusal.code(),
        message: refused.refusal.to_string(),
    });
    Some(reasons.collect())
}

impl ReadPatch {
    /// What applying it would do, or every reason to refuse it. Nothing is written.
    pub(crate) fn check(
        &self,
        space: &mut Space,
        now: Timestamp,
    ) -> Result<Result<Patched, Vec<Reason>>, Failure> {
        let mut reasons = self.reasons.clone();
        let size = self.patch.check_size();
        let is_too_large = matches!(size, Err(EngineError::Malformed(_)));
        if let Err(EngineError::Malformed(error)) = size {
            let message = format!("{error}: split the patch");
            reasons.push(Reason { operation: 1, local: None, code: "too_large", message });
        }
        match space.apply_new_patch(&self.patch, Intent::DryRun, now) {
            Ok(patched) if reasons.is_empty() => return Ok(Ok(patched)),
            Ok(_) => {}
            // One operation alone is too large, so that the rest cannot be tried.
            Err(EngineError::Malformed(_)) if is_too_large => {}
            Err(error) => {
                let Some(refused) = refusals(&error) else { return Err(error.into()) };
                let refused = refused.iter().filter(|it| !follows_from(&it.refusal, &self.failed));
                reasons.extend(refused.map(|refused| Reason {
                    operation: self.places.get(refused.place).copied().unwrap_or(0),
                    local: refused.name.clone(),
                    code: refused.refusal.code(),
                    message: refused.refusal.to_string(),
                }));
            }
        }
        reasons.sort_by_key(|reason| reason.operation);
        Ok(Err(reasons))
    }
}

struct OperationReader<'a> {
    space: &'a Space,
    times: TimeParser<'a>,
    /// Who may see what is stated, if the patch does not say.
    usual: Visibility,
    citable: Citable<'a>,
    /// The names of earlier operations.
    names: &'a BTreeSet<String>,
    /// The names of all operations, and those that were made up for some.
    taken: &'a mut BTreeSet<String>,
    reasons: Vec<(&'static str, String)>,
}

impl OperationReader<'_> {
    fn refuse(&mut self, code: &'static str, message: impl Into<String>) {
        self.reasons.push((code, message.into()));
    }

    /// An earlier operation of the patch, or one of the space. If neither has the name, none, and
    /// the reason is noted.
    fn reference(&mut self, name: &str) -> Result<Option<Reference>, Failure> {
        if self.names.contains(name) {
            return Ok(Some(Reference::Local(name.to_owned())));
        }
        let disclosure = match self.citable {
            Citable::Disclosed(disclosure) => disclosure,
            Citable::Shown(prompt) => {
                let shown = prompt.id_of(name).map(Reference::Id);
                if shown.is_none() {
                    let code = match self.space.resolve(name) {
                        Ok(_) => "outside_context",
                        Err(_) => "unknown_ref",
                    };
                    self.refuse(code, format!("no record that was shown has the id {name:?}"));
                }
                return Ok(shown);
            }
        };
        match self.space.resolve_disclosed(name, disclosure) {
            Ok(id) => Ok(Some(Reference::Id(id))),
            Err(error @ (EngineError::UnknownId { .. } | EngineError::AmbiguousId { .. })) => {
                self.refuse("unknown_ref", error.to_string());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn sources(&mut self, names: &[String]) -> Result<Vec<(Reference, Role)>, Failure> {
        if names.is_empty() {
            self.refuse("empty_inputs", "it cites no source");
        }
        let role = Role::parse(engine::write::graph::INPUT_ROLE).map_err(EngineError::from)?;
        let mut sources = Vec::with_capacity(names.len());
        for name in names {
            sources.extend(self.reference(name)?.map(|source| (source, role.clone())));
        }
        Ok(sources)
    }

    fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(&mut self, word: &str) -> Option<T> {
        match word.parse() {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.refuse("unknown_type", error.to_string());
                None
            }
        }
    }

    /// A name that no other operation has.
    fn free_name(&mut self, word: &str) -> String {
        let mut number = self.taken.len().saturating_add(1);
        loop {
            let name = format!("{word}-{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
            number = number.saturating_add(1);
        }
    }

    fn tags(&mut self, tags: &[String]) {
        if tags.iter().any(|tag| tag.trim().is_empty()) {
            self.refuse("empty_tag", "a tag is empty");
        }
    }

    fn words(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.refuse("empty_text", "it says nothing");
        }
    }

    fn probability(&mut self, confidence: f64) -> f64 {
        if !(0.0..=1.0).contains(&confidence) {
            self.refuse("not_a_probability", format!("{confidence} is not between 0 and 1"));
        }
        confidence
    }

    /// The times from and until when something is true, with the user's offset where they have
    /// none.
    fn window(&mut self, from: Option<When>, to: Option<When>) -> (Option<When>, Option<When>) {
        let in_zone = |at: Option<When>| at.map(|at| self.times.with_offset(at));
        let (from, to) = (in_zone(from), in_zone(to));
        if let (Some(from), Some(to)) = (&from, &to)
            && to.instant_us() <= from.instant_us()
        {
            self.refuse("empty_window", "its validity ends before it begins");
        }
        (from, to)
    }

    /// A summary, with an edge to each operation that it summarises.
    fn summary(
        &mut self,
        local: Option<String>,
        summary: GraphChange,
        of: &[String],
        inputs: &[(Reference, Role)],
    ) -> Result<Vec<NamedChange>, Failure> {
        let mut ends = Vec::new();
        for name in of {
            ends.extend(self.reference(name)?);
        }
        let name = local.unwrap_or_else(|| self.free_name("summary"));
        let mut changes = vec![NamedChange { name: Some(name.clone()), change: summary }];
        changes.extend(ends.into_iter().map(|end| {
            NamedChange::from(GraphChange::Connect {
                edge_type: EdgeType::DerivedFrom,
                from: Reference::Local(name.clone()),
                to: end,
                inputs: inputs.to_vec(),
                notes: String::new(),
            })
        }));
        Ok(changes)
    }

    fn changes(&mut self, operation: PatchOperation) -> Result<Vec<NamedChange>, Failure> {
        let one = |name: Option<String>, change| Ok(vec![NamedChange { name, change }]);
        match operation {
            PatchOperation::CreateClaim {
                local,
                claim_type,
                text,
                sources,
                tags,
                visibility,
                valid_from,
                valid_to,
                confidence,
            } => {
                self.words(&text);
                self.tags(&tags);
                let claim_type = self.parsed::<TextClaimType>(&claim_type);
                let confidence = self.probability(confidence.unwrap_or(1.0));
                let (valid_from, valid_to) = self.window(valid_from, valid_to);
                let inputs = self.sources(&sources)?;
                let Some(claim_type) = claim_type else { return Ok(Vec::new()) };
                let statement = Statement {
                    inputs,
                    tags,
                    visibility: visibility.unwrap_or(self.usual),
                    valid_from,
                    valid_to,
                    confidence,
                    ..Statement::new(RecordType::Claim(claim_type.as_str().to_owned()), text)
                };
                one(local, GraphChange::State(Box::new(statement)))
            }
            PatchOperation::CreateNode { local, node_type, text, sources, tags, visibility } => {
                self.words(&text);
                self.tags(&tags);
                let node_type = self.parsed::<NodeType>(&node_type);
                let inputs = self.sources(&sources)?;
                let Some(node_type) = node_type else { return Ok(Vec::new()) };
                let visibility = visibility.unwrap_or(self.usual);
                one(local, node(node_type, text, inputs, tags, visibility))
            }
            PatchOperation::CreateSummary { local, text, sources, of, tags, visibility } => {
                let visibility = visibility.unwrap_or(self.usual);
                self.words(&text);
                self.tags(&tags);
                let inputs = self.sources(&sources)?;
                let summary = node(NodeType::Summary, text, inputs.clone(), tags, visibility);
                self.summary(local, summary, &of, &inputs)
            }
            PatchOperation::CreateEdge { local, edge_type, from, to, sources, notes } => {
                let edge_type = self.parsed::<EdgeType>(&edge_type);
                let (from, to) = (self.reference(&from)?, self.reference(&to)?);
                let inputs = self.sources(&sources)?;
                let (Some(edge_type), Some(from), Some(to)) = (edge_type, from, to) else {
                    return Ok(Vec::new());
                };
                one(local, GraphChange::Connect { edge_type, from, to, inputs, notes })
            }
            PatchOperation::SameAs { local, duplicate, canonical, sources } => {
                let (from, to) = (self.reference(&duplicate)?, self.reference(&canonical)?);
                let (inputs, edge_type) = (self.sources(&sources)?, EdgeType::SameAs);
                let (Some(from), Some(to)) = (from, to) else { return Ok(Vec::new()) };
                let notes = String::new();
                one(local, GraphChange::Connect { edge_type, from, to, inputs, notes })
            }
            PatchOperation::Supersede { local, target, text, sources } => {
                self.words(&text);
                let target = self.reference(&target)?;
                let inputs = self.sources(&sources)?;
                let Some(target) = target else { return Ok(Vec::new()) };
                let otherwise = ReplacementFields::default();
                one(local, GraphChange::Supersede { target, text, inputs, otherwise })
            }
            PatchOperation::Retract { local, target, sources, reason } => {
                let target = self.reference(&target)?;
                let sources = self.sources(&sources)?.into_iter().map(|(source, _)| source);
                let Some(target) = target else { return Ok(Vec::new()) };
                one(local, GraphChange::Retract { target, reason, sources: sources.collect() })
            }
        }
    }
}

/// Takes back what applying a patch changed. One that changed nothing is left as it is; one that
/// was never applied is refused.
pub(crate) fn revert(
    space: &mut Space,
    patch: &Patch,
    intent: Intent,
    now: Timestamp,
) -> Result<Patched, Failure> {
    match (patch.status, patch.applied.is_empty()) {
        (_, false) => Ok(space.revert_patch(patch, intent, now)?),
        (Status::Accepted, true) => Ok(Patched { patch: Some(patch.id), ..Patched::default() }),
        (status, true) => {
            Err(RequestError::PatchSettled { id: patch.id, status: status.as_str() }.into())
        }
    }
}

/// Decides a patch that awaits it, in the queue of reviews; none if `name` names something else.
pub(crate) fn decide(
    space: &mut Space,
    now: Timestamp,
    name: &str,
    asked: ReviewDecision<'_>,
) -> Result<Option<Outcome>, Failure> {
    let Some(patch) = space.patch(name)? else { return Ok(None) };
    if patch.status != Status::Pending {
        let (id, status) = (patch.id, patch.status.as_str());
        return Err(RequestError::PatchSettled { id, status }.into());
    }
    let intent = asked.intent;
    let (changes, verb) = match asked.is_accepted() {
        true => {
            let Patched { statuses, mut changes, .. } = space.apply_patch(&patch, intent, now)?;
            // Beliefs say themselves how they change.
            changes.displaced = statuses;
            changes.displaced.retain(StatusChange::is_told_beside_beliefs);
            (changes, Verb::AcceptedProposal)
        }
        false => {
            let decision = Decision {
                verdict: Decision::REJECT.to_owned(),
                feedback: asked.note.to_owned(),
                ..Decision::default()
            };
            let draft = acting_on(patch.id, Body::Decision(decision))?;
            (space.act(vec![draft], intent, now)?, Verb::DismissedProposal)
        }
    };
    let subject = Subject::Record { id: patch.id, summary: patch.text };
    let actions = vec![Action { verb, subject }];
    Ok(Some(Outcome { actions, changes, intent, withheld: 0, is_counted: true }))
}

fn node(
    node_type: NodeType,
    text: String,
    inputs: Vec<(Reference, Role)>,
    tags: Vec<String>,
    visibility: Visibility,
) -> GraphChange {
    GraphChange::State(Box::new(Statement {
        inputs,
        tags,
        visibility,
        ..Statement::new(RecordType::Node(node_type), text)
    }))
}

/// Changes of statuses as JSON. What would be new has no id yet.
pub(crate) fn statuses_json<'a>(
    statuses: impl IntoIterator<Item = &'a StatusChange>,
    intent: Intent,
) -> Vec<Value> {
    let value = |status: &StatusChange| {
        let mut value = json!(status);
        if intent == Intent::DryRun && status.before.is_none() {
            value["id"] = Value::Null;
        }
        value
    };
    statuses.into_iter().map(value).collect()
}
