//! Changes of the graph: claims and nodes that are stated in words, edges between them, and
//! replacements.
//!
//! Commands, tools, patches and scenarios make the same four changes ([`GraphChange`]). Each is
//! judged against the graph as the changes before it leave it, in one [`Writing`]: a patch is a
//! list of them of which all are appended or none. A change that says what is there already writes
//! nothing and answers with that.

use std::collections::{BTreeMap, BTreeSet};

use importers::secrets::{SecretKind, mask_string};
use kernel::body::{Body, Claim, Deriver, Edge, EdgeType, Node, NodeType, Reason, Withdrawal};
use kernel::evidence::{Evidence, Visibility};
use kernel::id::OpId;
use kernel::identity::{normalized_text, text_key};
use kernel::kind::Kind;
use kernel::ledger_index::record_key;
use kernel::operation::{HlcTimestamp, Operation, Ref, Role, Verified};
use kernel::records::{RecordStatus, Records};
use kernel::redaction::forgotten_behind;
use kernel::rules::{RuleViolation, judge_ends};
use kernel::seal::{Draft, next_timestamp};
use kernel::validity::Validity;
use kernel::when::When;
use serde_json::{Map, Value};
use store::sqlite::SqliteWriting;
use store::{RecordError, Writing};

use crate::belief::body_of;
use crate::outcome::{Changes, Intent};
pub use crate::private::stricter;
use crate::private::{Privacy, private_by_grounds, visibility_of};
use crate::seal::{Sealable, Sealer};
use crate::write::claim_form;
use crate::write::commit::Appended;
use crate::write::patch::{StatusChange, compare};
use crate::write::patch_model::PatchModel;
use crate::write::transcript;
use crate::{EngineError, Writer, now_us};

mod replacement;

pub use super::graph_refusal::GraphRefusal;
pub(crate) use super::graph_refusal::{GraphError, is_derived};
pub use replacement::ReplacementFields;

/// The role in which a statement cites what it was made from.
pub const INPUT_ROLE: &str = "input";

/// Citations of operations as what a change was made from.
pub fn cite_as_inputs(sources: &[OpId]) -> Result<Vec<(Reference, Role)>, EngineError> {
    let role = Role::parse(INPUT_ROLE)?;
    Ok(sources.iter().map(|id| (Reference::Id(*id), role.clone())).collect())
}

/// The role in which a retraction cites what says so.
pub const SOURCE_ROLE: &str = "source";

/// The kind and the source of the evidence for what a person states without naming a source.
pub const STATEMENT: &str = "statement";

/// Whether evidence was recorded for what a person stated without naming a source.
pub fn is_statement(evidence: &Evidence) -> bool {
    evidence.source == STATEMENT && evidence.kind.0 == STATEMENT
}

/// What a statement is recorded as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordType {
    /// A claim of this type.
    Claim(String),
    /// A node of this type.
    Node(NodeType),
}

impl RecordType {
    /// The name of the type.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Claim(claim_type) => claim_type,
            Self::Node(node_type) => node_type.as_str(),
        }
    }
}

/// An operation that a change cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// It is recorded.
    Id(OpId),
    /// An earlier change of the same list has this name.
    Local(String),
}

/// A text that is stated, as a claim or as a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is recorded as.
    pub record_type: RecordType,
    /// It in words.
    pub text: String,
    /// What it was made from, each with its role.
    pub inputs: Vec<(Reference, Role)>,
    /// Labels.
    pub tags: Vec<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// From when it is true in the world.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true in the world.
    pub valid_to: Option<When>,
    /// Which logic made it; none when a person stated it.
    pub deriver: Option<Deriver>,
    /// Probability that it is true, of a claim.
    pub confidence: f64,
    /// What the confidence was computed from.
    pub confidence_basis: Value,
    /// Why, in words.
    pub rationale: String,
    /// A node as data.
    pub payload: Value,
    /// Whether it is a new version even of a text that is stated already, as with other labels.
    pub is_new_version: bool,
}

impl Statement {
    /// A person's statement: certain, for everybody who may read the space, true at any time.
    pub fn new(record_type: RecordType, text: impl Into<String>) -> Self {
        Self {
            record_type,
            text: text.into(),
            inputs: Vec::new(),
            tags: Vec::new(),
            visibility: Visibility::Project,
            valid_from: None,
            valid_to: None,
            deriver: None,
            confidence: 1.0,
            confidence_basis: serde_json::json!({ "source": "statement" }),
            rationale: String::new(),
            payload: Value::Null,
            is_new_version: false,
        }
    }

    /// What is recorded. The identity is that of the text with its secrets masked, so that it
    /// quotes none either.
    pub(crate) fn body(&self) -> Body {
        let text = mask_string(&self.text).into_inner();
        let statement = self.clone();
        match statement.record_type {
            RecordType::Claim(claim_type) => Body::Claim(Claim {
                identity_key: text_key(&claim_type, &text),
                claim_type,
                subject: "self".to_owned(),
                text,
                payload: Value::Null,
                deriver: statement.deriver,
                confidence: statement.confidence,
                confidence_basis: statement.confidence_basis,
                rationale: statement.rationale,
                valid_at: None,
                valid_from: statement.valid_from,
                valid_to: statement.valid_to,
                last_seen: None,
                visibility: statement.visibility,
                tags: distinct(statement.tags),
            }),
            RecordType::Node(node_type) => Body::Node(Node {
                node_type: Some(node_type),
                text: Some(text),
                payload: Some(statement.payload).filter(|payload| !payload.is_null()),
                visibility: Some(statement.visibility),
                tags: Some(distinct(statement.tags)).filter(|tags| !tags.is_empty()),
                ..Node::default()
            }),
        }
    }
}

/// One change of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphChange {
    /// States a text.
    State(Box<Statement>),
    /// Joins two operations.
    Connect {
        /// What the edge says of its ends.
        edge_type: EdgeType,
        /// Where it begins.
        from: Reference,
        /// Where it ends.
        to: Reference,
        /// What it was made from.
        inputs: Vec<(Reference, Role)>,
        /// Why, in words.
        notes: String,
    },
    /// Replaces a record by a new text.
    Supersede {
        /// What is replaced.
        target: Reference,
        /// The new text.
        text: String,
        /// What it was made from.
        inputs: Vec<(Reference, Role)>,
        /// What it does not keep of the record that it replaces.
        otherwise: ReplacementFields,
    },
    /// Takes a record or an edge back.
    Retract {
        /// The record or edge that is taken back.
        target: Reference,
        /// Why it is taken back.
        reason: String,
        /// What says so.
        sources: Vec<Reference>,
    },
}

/// What an edge says of its ends.
pub(crate) struct Relation<'a> {
    pub(crate) edge_type: EdgeType,
    /// The name of a relation; empty for other types.
    pub(crate) label: &'a str,
    /// Probability that it holds, if that is known.
    pub(crate) confidence: Option<f64>,
}

/// Which record that says a text already stands for stating it again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Active,
    ActiveOrAlias,
}

/// An operation with its body.
pub(crate) type Written = (Operation<Verified>, Body);

/// Makes changes in one [`Writing`], which is committed by whoever began it. After a refusal it may
/// hold a part of a change, so it must be dropped then.
pub(crate) struct GraphWriter<'a> {
    sealer: &'a Sealer,
    writing: &'a mut dyn Writing,
    /// The time of the next operation.
    at: HlcTimestamp,
    /// What the names of earlier changes stand for.
    names: BTreeMap<String, OpId>,
    /// Everything that was appended, in order.
    written: Vec<Written>,
    /// The kinds of the secrets that were masked in it.
    masked: Vec<SecretKind>,
    /// What is cited by what would cite nothing, until it is recorded.
    statement: Option<Evidence>,
    /// The same once it is recorded.
    stated: Option<OpId>,
    /// The model that makes the changes; none if a person does.
    model: Option<PatchModel>,
    /// What was found to be something that may be cited as an input.
    citable: BTreeSet<OpId>,
    /// Whether edges may form a ring of both types, as the rules of the ledger allow.
    may_ring: bool,
}

/// A change with the name by which later ones cite it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedChange {
    /// Its name.
    pub name: Option<String>,
    /// The change.
    pub change: GraphChange,
}

impl From<GraphChange> for NamedChange {
    fn from(change: GraphChange) -> Self {
        Self { name: None, change }
    }
}

/// A change that was refused, of a list.
#[derive(Debug, thiserror::Error)]
#[error("change {}{}: {refusal}", place + 1, name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default())]
pub struct RefusedChange {
    /// Its place in the list, from 0.
    pub place: usize,
    /// Its name.
    pub name: Option<String>,
    /// Why it was refused.
    #[source]
    pub refusal: GraphRefusal,
}

/// What became of changes.
#[derive(Clone, Debug, Default)]
pub struct GraphChanged {
    /// What each change stands for, new or there already, in their order.
    pub stand_for: Vec<OpId>,
    /// The operations that were appended, in order.
    pub appended: Vec<OpId>,
    /// The records whose status is another one now; of a list of at most [`COMPARED_MAX`] changes.
    pub statuses: Vec<StatusChange>,
    /// Those that are private because of what they stand on or join.
    pub private_by_grounds: Vec<OpId>,
    /// What followed for beliefs.
    pub changes: Changes,
}

/// Longest list of changes after which statuses are compared.
pub const COMPARED_MAX: usize = 64;

impl Writer<'_> {
    /// Makes changes of the graph with all that follows, in one append, or none of them. What cites
    /// nothing cites `statement`, which is recorded if it is needed. A dry run does the same and
    /// rolls back.
    ///
    /// # Errors
    /// [`EngineError::Graph`] with every change that is refused, and why. Nothing is written then.
    pub fn change_graph(
        &mut self,
        changes: &[NamedChange],
        statement: Option<&Evidence>,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<GraphChanged, EngineError> {
        let mut stand_for = Vec::new();
        let append = |sealer: &Sealer, writing: &mut SqliteWriting<'_>| {
            let at = next_timestamp(now_us(now), writing.latest()?);
            let mut graph = GraphWriter::new(sealer, writing, at);
            graph.statement = statement.cloned();
            stand_for = graph.apply_all(changes)?;
            Ok(graph.into_appended())
        };
        let examine = |writing: &SqliteWriting<'_>, appended: &[OpId]| {
            let statuses = match changes.len() {
                1..=COMPARED_MAX => compare(writing, appended)?,
                _ => Vec::new(),
            };
            Ok((statuses, private_by_grounds(writing as &dyn Writing, appended)?))
        };
        let (changes, (statuses, private_by_grounds)) =
            self.act_by(append, intent, now, examine)?;
        let appended = changes.recorded.clone();
        Ok(GraphChanged { stand_for, appended, statuses, private_by_grounds, changes })
    }
}

impl<'a> GraphWriter<'a> {
    /// Appends to `writing` from the time `at` on.
    pub(crate) fn new(sealer: &'a Sealer, writing: &'a mut dyn Writing, at: HlcTimestamp) -> Self {
        Self {
            sealer,
            writing,
            at,
            names: BTreeMap::new(),
            written: Vec::new(),
            masked: Vec::new(),
            statement: None,
            stated: None,
            model: None,
            citable: BTreeSet::new(),
            may_ring: false,
        }
    }

    /// Says that a model makes the changes, if `details` name one.
    pub(crate) fn set_model(&mut self, details: &Map<String, Value>) {
        self.model = PatchModel::of(details);
    }

    /// Leaves edges to the rules of the ledger alone.
    pub(crate) fn allow_rings(&mut self) {
        self.may_ring = true;
    }

    /// What was appended.
    pub(crate) fn into_written(self) -> Vec<Written> {
        self.written
    }

    /// The ids of what was appended so far.
    pub(crate) fn appended(&self) -> Vec<OpId> {
        self.written.iter().map(|(operation, _)| operation.id()).collect()
    }

    /// How many operations were appended so far.
    pub(crate) fn count(&self) -> usize {
        self.written.len()
    }

    /// The ids of what was appended after the first `before`.
    pub(crate) fn appended_since(&self, before: usize) -> Vec<OpId> {
        self.written.iter().skip(before).map(|(operation, _)| operation.id()).collect()
    }

    /// The ledger as the changes so far leave it.
    pub(crate) fn index(&self) -> &dyn Writing {
        &*self.writing
    }

    /// The same, without bodies.
    pub(crate) fn into_appended(self) -> Appended {
        Appended { recorded: self.appended(), masked: self.masked }
    }

    /// Makes all changes. If some are refused, the error has each of them; what only fails because
    /// it cites a refused one is not told of again.
    pub(crate) fn apply_all(&mut self, changes: &[NamedChange]) -> Result<Vec<OpId>, EngineError> {
        let mut stand_for = Vec::with_capacity(changes.len());
        let mut refused: Vec<RefusedChange> = Vec::new();
        let mut missing: BTreeSet<&str> = BTreeSet::new();
        for (place, NamedChange { name, change }) in changes.iter().enumerate() {
            match self.apply(name.as_deref(), change) {
                Ok(id) => stand_for.push(id),
                Err(GraphError::Engine(error)) => return Err(error),
                Err(GraphError::Refused(GraphRefusal::UnknownName { name: cited }))
                    if missing.contains(cited.as_str()) =>
                {
                    missing.extend(name.as_deref());
                }
                Err(GraphError::Refused(refusal)) => {
                    missing.extend(name.as_deref());
                    refused.push(RefusedChange { place, name: name.clone(), refusal });
                }
            }
        }
        if refused.is_empty() { Ok(stand_for) } else { Err(EngineError::Graph(refused)) }
    }

    /// Makes a change; answers with the operation that the change stands for, new or not. Later
    /// changes may cite it by `name`.
    pub(crate) fn apply(
        &mut self,
        name: Option<&str>,
        change: &GraphChange,
    ) -> Result<OpId, GraphError> {
        let id = match change {
            GraphChange::State(statement) => self.state(statement, Kept::ActiveOrAlias)?,
            GraphChange::Connect { edge_type, from, to, inputs, notes } => {
                let (from, to) = (self.resolve(from)?, self.resolve(to)?);
                self.connect(*edge_type, from, to, inputs, notes)?
            }
            GraphChange::Supersede { target, text, inputs, otherwise } => {
                let target = self.resolve(target)?;
                self.supersede(target, text, inputs, otherwise)?
            }
            GraphChange::Retract { target, reason, sources } => {
                let target = self.resolve(target)?;
                self.retract(target, reason, sources)?
            }
        };
        if let Some(name) = name {
            self.names.insert(name.to_owned(), id);
        }
        Ok(id)
    }

    /// Takes back what an earlier list of changes appended and what is still in force, the latest
    /// first.
    pub(crate) fn revert(&mut self, appended: &[OpId]) -> Result<(), GraphError> {
        for id in appended.iter().rev() {
            let Some(entry) = self.writing.entry(id)? else { continue };
            let is_retracted = Validity::new(&*self.writing).is_retracted(&entry)?;
            match &entry.kind {
                kind if kind.spec().graph.is_in_graph() && !is_retracted => {
                    let body = Body::Retraction(Reason { reason: String::new() });
                    self.act_on(*id, body)?;
                }
                Kind::Retraction => {
                    let withdrawn =
                        self.writing.acting(id, &Kind::RetractionWithdrawal, Role::TARGET)?;
                    if withdrawn.is_empty() {
                        let body = Body::RetractionWithdrawal(Withdrawal { note: String::new() });
                        self.act_on(*id, body)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn resolve(&self, reference: &Reference) -> Result<OpId, GraphRefusal> {
        match reference {
            Reference::Id(id) => Ok(*id),
            Reference::Local(name) => self
                .names
                .get(name)
                .copied()
                .ok_or_else(|| GraphRefusal::UnknownName { name: name.clone() }),
        }
    }

    /// Refuses inputs that nothing has the id of, also where nothing is written that would cite
    /// them.
    fn check_known(&self, inputs: &[(Reference, Role)]) -> Result<(), GraphError> {
        for (input, _) in inputs {
            let missing = self.resolve(input)?;
            if self.writing.entry(&missing)?.is_none() {
                return Err(RuleViolation::UnknownRef { missing }.into());
            }
        }
        Ok(())
    }

    /// The citations of inputs; of the statement where there are none. Whoever may not see what is
    /// made from the statement, with this `visibility`, may not see the statement.
    fn refs(
        &mut self,
        inputs: &[(Reference, Role)],
        visibility: Visibility,
    ) -> Result<Vec<Ref>, GraphError> {
        if inputs.is_empty()
            && let Some(id) = self.stated(visibility)?
        {
            return Ok(vec![Ref { id, role: Role::parse(INPUT_ROLE)? }]);
        }
        let refs = inputs
            .iter()
            .map(|(input, role)| Ok(Ref { id: self.resolve(input)?, role: role.clone() }));
        let refs = refs.collect::<Result<Vec<Ref>, GraphRefusal>>()?;
        for input in &refs {
            self.check_citable(input.id)?;
        }
        Ok(refs)
    }

    /// Refuses transcripts as inputs: what a model said does not support what it said.
    fn check_citable(&mut self, id: OpId) -> Result<(), GraphError> {
        if self.citable.contains(&id) {
            return Ok(());
        }
        let body = self.writing.body(&id)?.unwrap_or_default();
        if transcript::is_transcript(&body) {
            return Err(GraphRefusal::Transcript { id }.into());
        }
        self.citable.insert(id);
        Ok(())
    }

    /// The statement's record, which is appended if it is not there.
    fn stated(&mut self, visibility: Visibility) -> Result<Option<OpId>, GraphError> {
        if let Some(mut statement) = self.statement.take() {
            statement.visibility = stricter(statement.visibility, visibility);
            let known = self.writing.evidence(&statement.source, &statement.source_uid)?;
            let id = match known {
                Some((id, _)) if Validity::new(&*self.writing).is_valid_input(&id)? => id,
                _ => self.append(Body::Evidence(statement), Vec::new())?,
            };
            self.stated = Some(id);
        }
        Ok(self.stated)
    }

    fn state(&mut self, statement: &Statement, kept: Kept) -> Result<OpId, GraphError> {
        let body = match &self.model {
            Some(model) => model.make(statement.clone()).body(),
            None => statement.body(),
        };
        let kind = body.kind();
        let key = key_of(&body);
        if let Some(key) = key.as_ref().filter(|_| !statement.is_new_version) {
            let mut records = Records::new(&*self.writing);
            if let Some(stated) = records.stated(&kind, key)?
                && (kept == Kept::ActiveOrAlias
                    || records.status_of(&stated)? == Some(RecordStatus::Active))
            {
                self.check_known(&statement.inputs)?;
                return Ok(stated.id);
            }
        }
        let refs = self.refs(&statement.inputs, statement.visibility)?;
        if kind == Kind::Claim
            && let Some(key) = key
            && Validity::new(&*self.writing).is_refuted(&key)?
        {
            return Err(self.refusal_of_refuted(key, &refs)?.into());
        }
        self.append(body, refs)
    }

    /// Why a text of a refuted identity is refused: its inputs exist first, as for every claim.
    fn refusal_of_refuted(&self, key: String, refs: &[Ref]) -> Result<RuleViolation, GraphError> {
        for input in refs {
            if self.writing.entry(&input.id)?.is_none() {
                return Ok(RuleViolation::UnknownRef { missing: input.id });
            }
        }
        Ok(match refs {
            [] => RuleViolation::EmptyInputs,
            _ => RuleViolation::IdentityRefuted { key },
        })
    }

    fn connect(
        &mut self,
        edge_type: EdgeType,
        from: OpId,
        to: OpId,
        inputs: &[(Reference, Role)],
        notes: &str,
    ) -> Result<OpId, GraphError> {
        let relation = Relation { edge_type, label: "", confidence: None };
        self.relate(&relation, (from, to), inputs, notes)
    }

    /// Joins two operations, unless an edge in force does already. Two relations between the same
    /// ends are the same edge if they have the same label.
    pub(crate) fn relate(
        &mut self,
        relation: &Relation<'_>,
        (from, to): (OpId, OpId),
        inputs: &[(Reference, Role)],
        notes: &str,
    ) -> Result<OpId, GraphError> {
        let Relation { edge_type, label, confidence } = *relation;
        if let Some(edge) = self.edge_labelled(edge_type, label, (&from, &to))? {
            self.check_known(inputs)?;
            return Ok(edge);
        }
        judge_ends(edge_type, &from, &to, &*self.writing)?;
        let displacing = match edge_type {
            EdgeType::Supersedes => Some((from, to)),
            EdgeType::SameAs => Some((to, from)),
            _ => None,
        };
        if let Some((stays, goes)) = displacing
            && !self.may_ring
            && Records::new(&*self.writing).gives_way(&stays, &goes)?
        {
            return Err(GraphRefusal::MixedRing { stays, goes }.into());
        }
        if let Some((_, id)) = displacing
            && let Some(Body::Claim(claim)) = body_of(&*self.writing, &id, &Kind::Claim)?
            && is_derived(&claim)
        {
            return Err(GraphRefusal::Derived { id }.into());
        }
        for id in [from, to] {
            if forgotten_behind(&*self.writing, &id)?.is_some() {
                return Err(GraphRefusal::Forgotten { id }.into());
            }
        }
        // An end that stands on something private is private, whatever it says.
        let visibility = match self.is_private(&from)? || self.is_private(&to)? {
            true => Visibility::Private,
            false => stricter(self.visibility_of(&from)?, self.visibility_of(&to)?),
        };
        let body = Body::Edge(Edge {
            edge_type: Some(edge_type),
            label: Some(label.to_owned()).filter(|label| !label.is_empty()),
            confidence,
            notes: Some(notes.to_owned()).filter(|notes| !notes.is_empty()),
            visibility: Some(visibility),
            ..Edge::default()
        });
        let mut refs = vec![
            Ref { id: from, role: Role::parse(Role::FROM)? },
            Ref { id: to, role: Role::parse(Role::TO)? },
        ];
        refs.extend(self.refs(inputs, visibility)?);
        self.append(body, refs)
    }

    /// The edge in force with this type, label and these ends.
    fn edge_labelled(
        &self,
        edge_type: EdgeType,
        label: &str,
        (from, to): (&OpId, &OpId),
    ) -> Result<Option<OpId>, GraphError> {
        let mut records = Records::new(&*self.writing);
        if edge_type != EdgeType::Relation || label.is_empty() {
            return Ok(records.edge_between(edge_type, from, to)?.map(|edge| edge.id));
        }
        for edge in records.edges(edge_type, Role::FROM, from)? {
            let body = body_of(&*self.writing, &edge.entry.id, &Kind::Edge)?;
            if let Some(Body::Edge(body)) = body
                && edge.to == *to
                && normalized_text(body.label.as_deref().unwrap_or_default())
                    == normalized_text(label)
            {
                return Ok(Some(edge.entry.id));
            }
        }
        Ok(None)
    }

    fn retract(
        &mut self,
        target: OpId,
        reason: &str,
        sources: &[Reference],
    ) -> Result<OpId, GraphError> {
        let Some(entry) = self.writing.entry(&target)? else {
            return Err(RuleViolation::UnknownRef { missing: target }.into());
        };
        if !entry.kind.spec().graph.is_in_graph() {
            return Err(GraphRefusal::NotInGraph { id: target, kind: entry.kind }.into());
        }
        if let Some(Body::Claim(claim)) = body_of(&*self.writing, &target, &entry.kind)?
            && is_derived(&claim)
        {
            return Err(GraphRefusal::Derived { id: target }.into());
        }
        // What is taken back already stays so.
        if let Some(retraction) = Validity::new(&*self.writing).retractions(&entry)?.pop() {
            return Ok(retraction.id);
        }
        let mut refs = vec![Ref { id: target, role: Role::parse(Role::TARGET)? }];
        for source in sources {
            refs.push(Ref { id: self.resolve(source)?, role: Role::parse(SOURCE_ROLE)? });
        }
        self.append(Body::Retraction(Reason { reason: reason.to_owned() }), refs)
    }

    fn act_on(&mut self, target: OpId, body: Body) -> Result<OpId, GraphError> {
        self.append(body, vec![Ref { id: target, role: Role::parse(Role::TARGET)? }])
    }

    pub(crate) fn append(&mut self, body: Body, refs: Vec<Ref>) -> Result<OpId, GraphError> {
        let draft = Draft { body, refs };
        claim_form::check(&draft).map_err(EngineError::from)?;
        let sealable = Sealable::masked(draft, &*self.writing)?;
        self.masked.extend(sealable.secrets().iter().map(|secret| secret.kind));
        let (operation, body) = self.sealer.seal_next(sealable, &*self.writing, self.at)?;
        match self.writing.record(&operation, Some(&body)) {
            Ok(_) => {}
            Err(RecordError::Refused { violation, .. }) => return Err(violation.into()),
            Err(error @ RecordError::Store(_)) => {
                return Err(GraphError::Engine(EngineError::from(error)));
            }
        }
        self.at = HlcTimestamp(self.at.0.saturating_add(1));
        let id = operation.id();
        self.written.push((operation, body));
        Ok(id)
    }

    /// Whether an operation, or what it stands on, is private.
    fn is_private(&self, id: &OpId) -> Result<bool, GraphError> {
        Ok(Privacy::of(&*self.writing).is_private(id)?)
    }

    /// Who may see an operation. What has no visibility of its own shows nothing.
    fn visibility_of(&self, id: &OpId) -> Result<Visibility, GraphError> {
        let Some(entry) = self.writing.entry(id)? else { return Ok(Visibility::Global) };
        Ok(match body_of(&*self.writing, id, &entry.kind)? {
            Some(body) => visibility_of(&body).unwrap_or(Visibility::Global),
            None => Visibility::Global,
        })
    }
}

/// What a record is a version of, by its body: its identity, or the text of a node.
pub(crate) fn key_of(body: &Body) -> Option<String> {
    record_key(body, &[]).or(body.identity().map(|(key, _)| key.to_owned()))
}

/// Tags, each once and in the order in which they were given; blank ones say nothing.
fn distinct(tags: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let is_new = |tag: &String| !tag.trim().is_empty() && seen.insert(tag.clone());
    tags.into_iter().filter(is_new).collect()
}
