//! Importing claims, nodes, edges and retractions, which some formats hold beside evidence.
//!
//! An importer sends them in order, after the evidence that they cite, and names everything by the
//! ids of its source ([`importers::graph`]). Each batch is one transaction. An item that cannot be
//! made is reported, and the rest goes on.
//!
//! A statement carries the ids of the records that it was made from, in its basis of confidence or,
//! as a node, in its payload. By them it is found again among the versions of its text, so that
//! importing twice writes nothing, whatever became of it since. A text that is stated already by
//! somebody else is not stated again. Then its id stands for what is there, which the source cannot
//! take back.

use std::collections::{HashMap, HashSet};

use importers::Problem;
use importers::graph::{
    EdgeDraft, GraphDraft, GraphItem, RetractionDraft, StatementDraft, StatementType,
};
use importers::secrets::{SecretKind, mask_body, mask_string};
use kernel::body::{Body, Claim, Deriver, Edge, Node, Reason, SeqRange};
use kernel::evidence::Visibility;
use kernel::id::{OpId, SpaceId};
use kernel::identity::{edge_key, text_key};
use kernel::kind::Kind;
use kernel::ledger_index::{Head, LedgerIndex};
use kernel::operation::{HlcTimestamp, MalformedError, Ref, Role};
use kernel::records::Records;
use kernel::rules::RuleViolation;
use kernel::seal::{ChainPosition, next_timestamp};
use kernel::when::When;
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::sqlite::{SqliteWriting, TagRange};
use store::{RecordError, Writing};

use crate::belief::body_of;
use crate::derive::Derivation;
use crate::seal::{PreparedBody, Sealer};
use crate::source_id::{ID_TAG, tagged_ids};
use crate::write::graph::{INPUT_ROLE, SOURCE_ROLE, key_of, stricter};
use crate::write::record::{ForgottenPolicy, Outcome};
use crate::write::sources::appended_since;
use crate::write::submission::record_consequences;
use crate::{EngineError, Writer, now_us};

/// Most items of one transaction.
pub(crate) const GRAPH_BATCH_MAX: usize = 10_000;
/// Most versions of a text among which an imported one is looked for.
const VERSIONS_MAX: usize = 1_000;
/// The field of a basis or payload with the ids at the source.
const IDS: &str = "ids";

/// What became of the items of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphCount {
    /// New ones.
    pub added: u64,
    /// Those that were there.
    pub present: u64,
    /// Those that were there and are forgotten, so that they were not written again.
    pub forgotten: u64,
}

/// What became of the claims, nodes, edges and retractions of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphTally {
    /// Claims.
    pub claims: GraphCount,
    /// Nodes.
    pub nodes: GraphCount,
    /// Edges.
    pub edges: GraphCount,
    /// Retractions of claims, nodes and edges.
    pub retractions: GraphCount,
}

impl GraphTally {
    /// How many are new.
    pub fn added(&self) -> u64 {
        [self.claims, self.nodes, self.edges, self.retractions].iter().map(|of| of.added).sum()
    }

    /// How many were there.
    pub fn present(&self) -> u64 {
        [self.claims, self.nodes, self.edges, self.retractions].iter().map(|of| of.present).sum()
    }

    fn of(&mut self, body: &Body) -> &mut GraphCount {
        match body {
            Body::Claim(_) => &mut self.claims,
            Body::Node(_) => &mut self.nodes,
            Body::Edge(_) => &mut self.edges,
            _ => &mut self.retractions,
        }
    }
}

/// An item whose body was masked and made, on the reader's thread.
pub(crate) struct PreparedItem {
    item: GraphItem,
    body: Result<PreparedBody, MalformedError>,
}

impl PreparedItem {
    pub(crate) fn new(source: &'static str, mut item: GraphItem) -> Self {
        let body = match &mut item.draft {
            GraphDraft::Statement(statement) => body(source, statement),
            GraphDraft::Edge(edge) => edge_body(source, edge),
            GraphDraft::Retraction(taken) => {
                Body::Retraction(Reason { reason: std::mem::take(&mut taken.reason) })
            }
        };
        Self { item, body: PreparedBody::new(mask_body(body)) }
    }

    /// The body of a statement.
    fn statement(&self) -> Option<&PreparedBody> {
        match self.item.draft {
            GraphDraft::Statement(_) => self.body.as_ref().ok(),
            _ => None,
        }
    }

    /// The kinds of the secrets that were masked in a statement. What was masked in others counts
    /// once they are made.
    pub(crate) fn masked(&self) -> impl Iterator<Item = SecretKind> + '_ {
        self.statement().into_iter().flat_map(PreparedBody::masked).copied()
    }

    /// A statement in one line, for a preview.
    pub(crate) fn summary(&self) -> Option<String> {
        Some(crate::inspect::summary_of(self.statement()?.get()))
    }
}

/// What the ids of a source stand for.
#[derive(Default)]
pub(crate) struct SourceIds {
    of_this_import: HashMap<String, Target>,
    /// Those of earlier imports, once they were asked for.
    earlier: Option<HashMap<String, Target>>,
    /// Those of records that are forgotten and stay so.
    forgotten: HashSet<String>,
    /// The events of this import.
    events: HashMap<String, OpId>,
}

impl SourceIds {
    /// Notes what became of events. Most are cited soon after, and this is faster than the ledger.
    pub(crate) fn note_events(&mut self, uids: Vec<String>, outcomes: &[Outcome]) {
        for (uid, outcome) in uids.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Added(id) | Outcome::Present(id) | Outcome::Replaced { new: id, .. } => {
                    self.events.insert(uid, *id);
                }
                Outcome::Forgotten(_) => {}
            }
        }
    }
}

/// What an id stands for.
#[derive(Clone, Copy)]
struct Target {
    id: OpId,
    visibility: Visibility,
    /// Whether it was made from this source, which may take it back.
    is_imported: bool,
}

/// What recording a batch did.
#[derive(Default)]
pub(crate) struct GraphRecorded {
    pub(crate) problems: Vec<Problem>,
    pub(crate) masked: Vec<SecretKind>,
    pub(crate) seqs: Option<SeqRange>,
}

/// Why an item is left out.
enum Refused {
    Because(String),
    /// It is about something that is forgotten.
    Forgotten,
    Engine(EngineError),
}

impl<E: Into<EngineError>> From<E> for Refused {
    fn from(error: E) -> Self {
        match error.into() {
            EngineError::Record(RecordError::Refused { violation, .. }) => {
                Self::Because(format!("{violation} ({})", violation.code()))
            }
            error @ EngineError::Malformed(_) => Self::Because(error.to_string()),
            error => Self::Engine(error),
        }
    }
}

impl Writer<'_> {
    /// Records a batch of at most [`GRAPH_BATCH_MAX`] items in one transaction.
    pub(crate) fn record_graph(
        &mut self,
        source: &str,
        batch: Vec<PreparedItem>,
        ids: &mut SourceIds,
        tally: &mut GraphTally,
        now: jiff::Timestamp,
    ) -> Result<GraphRecorded, EngineError> {
        let sealer = self.sealer;
        let policy = self.policy;
        let mut recorded = GraphRecorded::default();
        let mut writing = self.store.write()?;
        let items = batch.len();
        sealer.sign_in(&mut writing, items);
        let head = writing.head(&sealer.author())?;
        let before = head.map_or(0, |head| head.seq);
        let at = next_timestamp(now_us(now), writing.latest()?);
        let space = writing.space()?;
        let mut batch_writer = BatchWriter {
            sealer,
            policy,
            source,
            writing: &mut writing,
            space,
            head,
            at,
            ids,
            tally,
        };
        for PreparedItem { item, body } in batch {
            let GraphItem { file, line, draft } = item;
            let mut problem = |message| {
                let file = file.as_ref().clone();
                recorded.problems.push(Problem { file, line: Some(line), message });
            };
            let is_edge = matches!(draft, GraphDraft::Edge(_));
            let masked = &mut recorded.masked;
            let made = body.map_err(Refused::from).and_then(|body| match draft {
                GraphDraft::Statement(statement) => {
                    batch_writer.state(*statement, body, &mut problem)
                }
                GraphDraft::Edge(edge) => batch_writer.connect(*edge, body, masked),
                GraphDraft::Retraction(taken) => {
                    batch_writer.retract(taken, body, &mut problem, masked)
                }
            });
            match made {
                Ok(()) => {}
                Err(Refused::Because(message)) => problem(message),
                Err(Refused::Forgotten) if is_edge => batch_writer.tally.edges.forgotten += 1,
                Err(Refused::Forgotten) => batch_writer.tally.retractions.forgotten += 1,
                Err(Refused::Engine(error)) => return Err(error),
            }
        }
        recorded.seqs = appended_since(&writing, &sealer.author(), before)?;
        if recorded.seqs.is_some() {
            record_consequences(sealer, &mut writing, now_us(now))?;
            recorded.seqs = appended_since(&writing, &sealer.author(), before)?;
            Derivation::new(self.derivers, sealer, now).propagate_batch(&mut writing, items)?;
            Box::new(writing).commit()?;
        }
        Ok(recorded)
    }
}

/// Appends the items of one batch.
struct BatchWriter<'b, 'w> {
    sealer: &'b Sealer,
    policy: ForgottenPolicy,
    source: &'b str,
    writing: &'b mut SqliteWriting<'w>,
    space: Option<SpaceId>,
    head: Option<Head>,
    /// The time of the next operation.
    at: HlcTimestamp,
    ids: &'b mut SourceIds,
    tally: &'b mut GraphTally,
}

impl BatchWriter<'_, '_> {
    fn state(
        &mut self,
        statement: StatementDraft,
        body: PreparedBody,
        problem: &mut impl FnMut(String),
    ) -> Result<(), Refused> {
        let visibility = statement.visibility;
        let target = match self.stated(body.get(), problem)? {
            Some(target) => {
                self.tally.of(body.get()).present += 1;
                Some(target)
            }
            None => {
                let refs = self.inputs_of_any(&statement)?;
                let id = self.append(body, refs)?;
                id.map(|id| Target { id, visibility, is_imported: true })
            }
        };
        let also = statement.also.into_iter().map(|(uid, _)| uid);
        for uid in std::iter::once(statement.uid).chain(also) {
            match target {
                Some(target) => drop(self.ids.of_this_import.insert(uid, target)),
                None => drop(self.ids.forgotten.insert(uid)),
            }
        }
        Ok(())
    }

    /// What a statement stands for if it was imported before, or if somebody states the same. What
    /// the source itself says of other times is a new version.
    fn stated(
        &self,
        body: &Body,
        problem: &mut impl FnMut(String),
    ) -> Result<Option<Target>, EngineError> {
        let kind = body.kind();
        let Some(key) = key_of(body) else { return Ok(None) };
        let ids = ids_in(body);
        let mut before = None;
        for _ in 0..VERSIONS_MAX {
            let Some(version) = self.writing.latest_of(&key, &kind, before)? else { break };
            before = Some(version.order());
            let Some(there) = body_of(&*self.writing as &dyn Writing, &version.id, &kind)? else {
                continue;
            };
            if ids_in(&there).iter().any(|id| ids.contains(id)) {
                return Ok(Some(target(version.id, &there, true)));
            }
        }
        if before.is_none() {
            return Ok(None);
        }
        let Some(stated) = Records::new(&*self.writing).stated(&kind, &key)? else {
            return Ok(None);
        };
        let there = body_of(&*self.writing as &dyn Writing, &stated.id, &kind)?;
        let Some(there) = there else { return Ok(None) };
        if window_in(&there) != window_in(body) {
            if !ids_in(&there).is_empty() {
                return Ok(None);
            }
            problem(format!(
                "its text was stated here with another validity, which stays: {}",
                stated.id
            ));
        }
        Ok(Some(target(stated.id, &there, false)))
    }

    fn connect(
        &mut self,
        edge: EdgeDraft,
        body: PreparedBody,
        masked: &mut Vec<SecretKind>,
    ) -> Result<(), Refused> {
        let (from, to) = (self.end(&edge.from)?, self.end(&edge.to)?);
        let inputs = self.inputs(&edge.sources)?;
        let key = edge_key(edge.edge_type, &from.id, &to.id);
        let there = self.writing.latest_of(&key, &Kind::Edge, None)?;
        let id = match there {
            Some(edge) => {
                self.tally.of(body.get()).present += 1;
                Some(edge.id)
            }
            None => {
                let visibility =
                    stricter(edge.visibility, stricter(from.visibility, to.visibility));
                let body = body.with_edge_visibility(visibility)?;
                masked.extend_from_slice(body.masked());
                let mut refs = vec![
                    Ref { id: from.id, role: Role::parse(Role::FROM)? },
                    Ref { id: to.id, role: Role::parse(Role::TO)? },
                ];
                refs.extend(inputs);
                self.append(body, refs)?
            }
        };
        if let Some(id) = id {
            let target = Target { id, visibility: edge.visibility, is_imported: true };
            self.ids.of_this_import.insert(edge.uid, target);
        }
        Ok(())
    }

    fn retract(
        &mut self,
        taken: RetractionDraft,
        body: PreparedBody,
        problem: &mut impl FnMut(String),
        masked: &mut Vec<SecretKind>,
    ) -> Result<(), Refused> {
        let target = self.end(&taken.target)?;
        if !self.writing.acting(&target.id, &Kind::Retraction, Role::TARGET)?.is_empty() {
            self.tally.retractions.present += 1;
            return Ok(());
        }
        if !target.is_imported {
            return Err(Refused::Because(format!(
                "{:?} stands for {}, which was stated here and stays",
                shown(&taken.target),
                target.id
            )));
        }
        let mut refs = vec![Ref { id: target.id, role: Role::parse(Role::TARGET)? }];
        for source in &taken.sources {
            match self.event(source)? {
                Some(id) => refs.push(Ref { id, role: Role::parse(SOURCE_ROLE)? }),
                None => problem(format!(
                    "it cites the event {:?}, which is not there; it was retracted without that (unknown_ref)",
                    shown(source)
                )),
            }
        }
        masked.extend_from_slice(body.masked());
        self.append(body, refs)?;
        Ok(())
    }

    /// The citations of the first record for which a statement stands that cites nothing missing.
    fn inputs_of_any(&self, statement: &StatementDraft) -> Result<Vec<Ref>, Refused> {
        let first = self.inputs(&statement.sources);
        if !matches!(first, Err(Refused::Because(_))) {
            return first;
        }
        for (_, sources) in &statement.also {
            match self.inputs(sources) {
                Err(Refused::Because(_)) => {}
                found => return found,
            }
        }
        first
    }

    /// The citations of events.
    fn inputs(&self, sources: &[String]) -> Result<Vec<Ref>, Refused> {
        let role = Role::parse(INPUT_ROLE)?;
        if sources.is_empty() {
            return Err(EngineError::from(RecordError::Refused {
                id: OpId([0; 32]),
                violation: RuleViolation::EmptyInputs,
            })
            .into());
        }
        let mut refs = Vec::with_capacity(sources.len());
        for source in sources {
            let id = self.event(source)?.ok_or_else(|| {
                Refused::Because(format!(
                    "it cites the event {:?}, which is not there (unknown_ref)",
                    shown(source)
                ))
            })?;
            refs.push(Ref { id, role: role.clone() });
        }
        Ok(refs)
    }

    /// The evidence of an event. Its id was masked with it, should it look like a secret.
    fn event(&self, uid: &str) -> Result<Option<OpId>, EngineError> {
        if let Some(id) = self.ids.events.get(uid) {
            return Ok(Some(*id));
        }
        if let Some((id, _)) = self.writing.evidence(self.source, uid)? {
            return Ok(Some(id));
        }
        let masked = mask_string(uid).into_inner();
        let found = match masked == uid {
            true => None,
            false => self.writing.evidence(self.source, &masked)?,
        };
        Ok(found.map(|(id, _)| id))
    }

    /// What the id of a record, an edge or an event stands for.
    fn end(&mut self, uid: &str) -> Result<Target, Refused> {
        if let Some(target) = self.ids.of_this_import.get(uid) {
            return Ok(*target);
        }
        if self.ids.forgotten.contains(uid) {
            return Err(Refused::Forgotten);
        }
        if let Some(id) = self.event(uid)? {
            let body = body_of(&*self.writing as &dyn Writing, &id, &Kind::Evidence)?;
            let visibility = body.as_ref().and_then(crate::private::visibility_of);
            let visibility = visibility.unwrap_or(Visibility::Global);
            return Ok(Target { id, visibility, is_imported: false });
        }
        if self.ids.earlier.is_none() {
            self.ids.earlier = Some(self.imported_earlier()?);
        }
        let earlier = self.ids.earlier.as_ref().and_then(|earlier| earlier.get(uid));
        earlier.copied().ok_or_else(|| {
            Refused::Because(format!(
                "{:?} is neither a record nor an event that is there (unknown_ref)",
                shown(uid)
            ))
        })
    }

    /// The records of earlier imports by their ids, of several versions the latest.
    fn imported_earlier(&self) -> Result<HashMap<String, Target>, EngineError> {
        let mut found = HashMap::new();
        let Some(tags) = TagRange::beginning_with(ID_TAG) else { return Ok(found) };
        for id in self.writing.tagged(&tags)? {
            let Some(entry) = self.writing.entry(&id)? else { continue };
            let body = body_of(&*self.writing as &dyn Writing, &id, &entry.kind)?;
            for (uid, body) in
                body.iter().flat_map(|body| tagged_ids(body).map(move |uid| (uid, body)))
            {
                found.insert(uid.to_owned(), target(id, body, true));
            }
        }
        Ok(found)
    }

    /// Appends an operation. None if what it says is forgotten and stays so.
    fn append(&mut self, body: PreparedBody, refs: Vec<Ref>) -> Result<Option<OpId>, Refused> {
        let place = ChainPosition { space: self.space, head: self.head, ts: self.at };
        let (unsigned, body) = self.sealer.prepare(body, refs, place)?;
        let operation = unsigned.operation();
        if self.policy == ForgottenPolicy::StaysForgotten
            && self.writing.removed(&operation.header().body)?.is_some()
        {
            self.tally.of(&body).forgotten += 1;
            return Ok(None);
        }
        self.writing.record_unsigned(&unsigned, Some(&body)).map_err(EngineError::from)?;
        let header = operation.header();
        self.head = Some(Head { seq: header.seq, id: operation.id(), ts: header.ts });
        self.at = HlcTimestamp(self.at.0.saturating_add(1));
        self.tally.of(&body).added += 1;
        Ok(Some(operation.id()))
    }
}

fn target(id: OpId, body: &Body, is_imported: bool) -> Target {
    let visibility = crate::private::visibility_of(body).unwrap_or_default();
    Target { id, visibility, is_imported }
}

/// An id of a source, as it is shown in a message.
fn shown(uid: &str) -> String {
    mask_string(uid).into_inner().chars().take(80).collect()
}

/// The ids of the source in a body that was made from it.
fn ids_in(body: &Body) -> Vec<&str> {
    let basis = match body {
        Body::Claim(claim) => Some(&claim.confidence_basis),
        Body::Node(node) => node.payload.as_ref(),
        _ => None,
    };
    let ids = basis.and_then(|basis| basis.get(IDS)).and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// When a body that was made from a source is true in the world, microseconds since the Unix epoch.
fn window_in(body: &Body) -> (Option<i64>, Option<i64>) {
    let instant = |when: Option<When>| when.map(|when| when.instant_us());
    match body {
        Body::Claim(claim) => (instant(claim.valid_from.clone()), instant(claim.valid_to.clone())),
        Body::Node(node) => {
            let field = |name: &str| {
                let at = node.payload.as_ref()?.get(name)?.clone();
                instant(serde_json::from_value(at).ok())
            };
            (field("valid_from"), field("valid_to"))
        }
        _ => (None, None),
    }
}

/// What is recorded of an edge, apart from who may see its ends.
fn edge_body(source: &'static str, edge: &mut EdgeDraft) -> Body {
    let mut others = Map::new();
    others.insert("source".to_owned(), json!(source));
    others.insert("source_uid".to_owned(), json!(edge.uid));
    let more = [
        ("asserted_at", edge.asserted_at.as_ref().map(|at| at.as_str().to_owned())),
        ("project", edge.project.take()),
    ];
    for (name, value) in more {
        others.extend(value.map(|value| (name.to_owned(), json!(value))));
    }
    Body::Edge(Edge {
        edge_type: Some(edge.edge_type),
        notes: Some(std::mem::take(&mut edge.notes)).filter(|notes| !notes.is_empty()),
        visibility: Some(edge.visibility),
        others,
        ..Edge::default()
    })
}

/// What is recorded of a statement. The identity is that of the text with its secrets masked.
fn body(source: &'static str, statement: &mut StatementDraft) -> Body {
    let text = mask_string(&statement.text).into_inner();
    let ids: Vec<&str> = std::iter::once(&*statement.uid)
        .chain(statement.also.iter().map(|(uid, _)| &**uid))
        .collect();
    let mut basis = std::mem::take(&mut statement.more);
    basis.insert("source".to_owned(), json!(source));
    basis.insert(IDS.to_owned(), json!(ids));
    basis.extend(statement.asserted_at.as_ref().map(|at| ("asserted_at".to_owned(), json!(at))));
    let tags = std::mem::take(&mut statement.tags);
    match statement.statement_type {
        StatementType::Claim(claim_type) => Body::Claim(Claim {
            identity_key: text_key(claim_type.as_str(), &text),
            claim_type: claim_type.as_str().to_owned(),
            subject: "self".to_owned(),
            text,
            payload: Value::Null,
            deriver: Some(Deriver {
                name: source.to_owned(),
                version: "1.0.0".to_owned(),
                deterministic: false,
            }),
            confidence: statement.confidence,
            confidence_basis: Value::Object(basis),
            rationale: std::mem::take(&mut statement.rationale),
            valid_at: statement.asserted_at.clone(),
            valid_from: statement.valid_from.clone(),
            valid_to: statement.valid_to.clone(),
            last_seen: None,
            visibility: statement.visibility,
            tags,
        }),
        StatementType::Node(node_type) => {
            basis.insert("confidence".to_owned(), json!(statement.confidence));
            let window = [("valid_from", &statement.valid_from), ("valid_to", &statement.valid_to)];
            for (name, at) in window {
                basis.extend(at.as_ref().map(|at| (name.to_owned(), json!(at))));
            }
            if !statement.rationale.is_empty() {
                basis.insert("notes".to_owned(), json!(statement.rationale));
            }
            Body::Node(Node {
                node_type: Some(node_type),
                text: Some(text),
                payload: Some(Value::Object(basis)),
                visibility: Some(statement.visibility),
                tags: Some(tags),
                ..Node::default()
            })
        }
    }
}
