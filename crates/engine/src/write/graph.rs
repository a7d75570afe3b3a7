//! Changes of the graph: claims and nodes that are stated in words, edges between them, and
//! replacements.
//!
//! Commands, tools, patches and scenarios make the same four changes ([`GraphChange`]). Each is
//! judged against the graph as the changes before it leave it, in one [`Writing`]: a patch is a list
//! of them of which all are appended or none. A change that says what is there already writes
//! nothing and answers with that.

use std::collections::BTreeMap;

use importers::secrets::mask_string;
use kernel::body::{Body, Claim, Deriver, Edge, EdgeType, Node, NodeType, Reason, Withdrawal};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::identity::{normalized_text, text_key};
use kernel::kind::Kind;
use kernel::operation::{HlcTimestamp, Operation, Ref, Role, Verified};
use kernel::records::{RecordStatus, Records};
use kernel::rules::{JudgeError, RuleViolation, judge_ends};
use kernel::seal::Draft;
use kernel::validity::Validity;
use kernel::when::When;
use serde_json::Value;
use store::{RecordError, Writing};

use crate::EngineError;
use crate::belief::body_of;
use crate::seal::{Sealable, Sealer};

/// The role in which a statement cites what it was made from.
pub const INPUT_ROLE: &str = "input";

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

    fn kind(&self) -> Kind {
        match self {
            Self::Claim(_) => Kind::Claim,
            Self::Node(_) => Kind::Node,
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
        /// Its labels, if they are not those of the record that it replaces.
        tags: Option<Vec<String>>,
        /// Who may see it, if not the same.
        visibility: Option<Visibility>,
    },
    /// Takes a record or an edge back.
    Retract {
        /// What.
        target: Reference,
        /// Why.
        reason: String,
    },
}

/// Why a change is refused.
#[derive(Debug, thiserror::Error)]
pub enum GraphRefusal {
    /// It breaks a rule of the ledger.
    #[error(transparent)]
    Rule(#[from] RuleViolation),
    /// What it cites has no such name.
    #[error("no earlier change of the list has the name {name:?}")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// Only an active record is replaced.
    #[error(
        "{id} is {}: only an active claim or node is replaced",
        status.map_or("neither a claim nor a node", RecordStatus::as_str)
    )]
    NotActive {
        /// The record.
        id: OpId,
        /// Its status.
        status: Option<RecordStatus>,
    },
    /// A replacement says something else.
    #[error("{id} says this already")]
    SameText {
        /// The record.
        id: OpId,
    },
    /// Derivation would say it again.
    #[error("{id} was derived, so it would be derived again: refute or correct it")]
    Derived {
        /// The claim.
        id: OpId,
    },
}

impl GraphRefusal {
    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Rule(violation) => violation.code(),
            Self::UnknownName { .. } => "unknown_ref",
            Self::NotActive { .. } => "not_active",
            Self::SameText { .. } => "same_text",
            Self::Derived { .. } => "not_permitted",
        }
    }
}

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GraphError {
    /// It cannot be made.
    #[error(transparent)]
    Refused(#[from] GraphRefusal),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<store::StoreError> for GraphError {
    fn from(error: store::StoreError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<RuleViolation> for GraphError {
    fn from(violation: RuleViolation) -> Self {
        Self::Refused(violation.into())
    }
}

impl From<kernel::operation::MalformedError> for GraphError {
    fn from(error: kernel::operation::MalformedError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<JudgeError<store::StoreError>> for GraphError {
    fn from(error: JudgeError<store::StoreError>) -> Self {
        match error {
            JudgeError::RuleViolation(violation) => violation.into(),
            JudgeError::LedgerIndex(error) => error.into(),
        }
    }
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
}

impl<'a> GraphWriter<'a> {
    /// Appends to `writing` from the time `at` on.
    pub(crate) fn new(sealer: &'a Sealer, writing: &'a mut dyn Writing, at: HlcTimestamp) -> Self {
        Self { sealer, writing, at, names: BTreeMap::new(), written: Vec::new() }
    }

    /// What was appended.
    pub(crate) fn into_written(self) -> Vec<Written> {
        self.written
    }

    /// Makes a change; answers with the operation that the change stands for, new or not. Later
    /// changes may cite it by `name`.
    pub(crate) fn apply(
        &mut self,
        name: Option<&str>,
        change: &GraphChange,
    ) -> Result<OpId, GraphError> {
        let id = match change {
            GraphChange::State(statement) => self.state(statement)?,
            GraphChange::Connect { edge_type, from, to, inputs, notes } => {
                let (from, to) = (self.resolve(from)?, self.resolve(to)?);
                self.connect(*edge_type, from, to, inputs, notes)?
            }
            GraphChange::Supersede { target, text, inputs, tags, visibility } => {
                let target = self.resolve(target)?;
                self.supersede(target, text, inputs, tags.clone(), *visibility)?
            }
            GraphChange::Retract { target, reason } => {
                let target = self.resolve(target)?;
                self.retract(target, reason)?
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
            match entry.kind {
                Kind::Claim | Kind::Node | Kind::Edge => {
                    if !Validity::new(&*self.writing).is_retracted(&entry)? {
                        let body = Body::Retraction(Reason { reason: String::new() });
                        self.act_on(*id, body)?;
                    }
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

    fn refs(&self, inputs: &[(Reference, Role)]) -> Result<Vec<Ref>, GraphRefusal> {
        inputs
            .iter()
            .map(|(input, role)| Ok(Ref { id: self.resolve(input)?, role: role.clone() }))
            .collect()
    }

    fn state(&mut self, statement: &Statement) -> Result<OpId, GraphError> {
        // The key is that of the text as it is recorded, so that it quotes no secret either.
        let text = mask_string(&statement.text).into_inner();
        let key = text_key(statement.record_type.as_str(), &text);
        let kind = statement.record_type.kind();
        if let Some(stated) = Records::new(&*self.writing).stated(&kind, &key)? {
            return Ok(stated.id);
        }
        let refs = self.refs(&statement.inputs)?;
        if kind == Kind::Claim && Validity::new(&*self.writing).is_refuted(&key)? {
            return Err(self.refusal_of_refuted(key, &refs)?.into());
        }
        let statement = statement.clone();
        let body = match statement.record_type {
            RecordType::Claim(claim_type) => Body::Claim(Claim {
                claim_type,
                identity_key: key,
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
                tags: statement.tags,
            }),
            RecordType::Node(node_type) => Body::Node(Node {
                node_type: Some(node_type),
                text: Some(text),
                payload: Some(statement.payload).filter(|payload| !payload.is_null()),
                visibility: Some(statement.visibility),
                tags: Some(statement.tags).filter(|tags| !tags.is_empty()),
                ..Node::default()
            }),
        };
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
        let same = Records::new(&*self.writing).edge_between(edge_type, &from, &to)?;
        if let Some(edge) = same {
            return Ok(edge.id);
        }
        judge_ends(edge_type, &from, &to, &*self.writing)?;
        let visibility = stricter(self.visibility_of(&from)?, self.visibility_of(&to)?);
        let body = Body::Edge(Edge {
            edge_type: Some(edge_type),
            notes: Some(notes.to_owned()).filter(|notes| !notes.is_empty()),
            visibility: Some(visibility),
            ..Edge::default()
        });
        let mut refs = vec![
            Ref { id: from, role: Role::parse(Role::FROM)? },
            Ref { id: to, role: Role::parse(Role::TO)? },
        ];
        refs.extend(self.refs(inputs)?);
        self.append(body, refs)
    }

    fn supersede(
        &mut self,
        target: OpId,
        text: &str,
        inputs: &[(Reference, Role)],
        tags: Option<Vec<String>>,
        visibility: Option<Visibility>,
    ) -> Result<OpId, GraphError> {
        let Some(entry) = self.writing.entry(&target)? else {
            return Err(RuleViolation::UnknownRef { missing: target }.into());
        };
        let status = Records::new(&*self.writing).status_of(&entry)?;
        if status != Some(RecordStatus::Active) {
            return Err(GraphRefusal::NotActive { id: target, status }.into());
        }
        let replaced = match body_of(&*self.writing, &target, &entry.kind)? {
            Some(Body::Claim(claim)) => Statement {
                tags: claim.tags,
                visibility: claim.visibility,
                ..Statement::new(RecordType::Claim(claim.claim_type), claim.text)
            },
            Some(Body::Node(Node {
                node_type: Some(node_type), text, tags, visibility, ..
            })) => Statement {
                tags: tags.unwrap_or_default(),
                visibility: visibility.unwrap_or_default(),
                ..Statement::new(RecordType::Node(node_type), text.unwrap_or_default())
            },
            _ => return Err(GraphRefusal::NotActive { id: target, status: None }.into()),
        };
        if normalized_text(&replaced.text) == normalized_text(text) {
            return Err(GraphRefusal::SameText { id: target }.into());
        }
        let new = self.state(&Statement {
            text: text.to_owned(),
            inputs: inputs.to_vec(),
            tags: tags.unwrap_or(replaced.tags),
            visibility: visibility.unwrap_or(replaced.visibility),
            ..Statement::new(replaced.record_type, "")
        })?;
        self.connect(EdgeType::Supersedes, new, target, inputs, "")?;
        Ok(new)
    }

    fn retract(&mut self, target: OpId, reason: &str) -> Result<OpId, GraphError> {
        let Some(entry) = self.writing.entry(&target)? else {
            return Err(RuleViolation::UnknownRef { missing: target }.into());
        };
        if let Some(Body::Claim(claim)) = body_of(&*self.writing, &target, &entry.kind)?
            && claim.deriver.is_some_and(|deriver| deriver.deterministic)
        {
            return Err(GraphRefusal::Derived { id: target }.into());
        }
        self.act_on(target, Body::Retraction(Reason { reason: reason.to_owned() }))
    }

    fn act_on(&mut self, target: OpId, body: Body) -> Result<OpId, GraphError> {
        self.append(body, vec![Ref { id: target, role: Role::parse(Role::TARGET)? }])
    }

    fn append(&mut self, body: Body, refs: Vec<Ref>) -> Result<OpId, GraphError> {
        let sealable = Sealable::masked(Draft { body, refs }, &*self.writing)?;
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

    /// Who may see an operation. What has no visibility of its own shows nothing.
    fn visibility_of(&self, id: &OpId) -> Result<Visibility, GraphError> {
        let Some(entry) = self.writing.entry(id)? else { return Ok(Visibility::Global) };
        Ok(match body_of(&*self.writing, id, &entry.kind)? {
            Some(body) => crate::private::visibility_of(&body).unwrap_or(Visibility::Global),
            None => Visibility::Global,
        })
    }
}

/// The visibility that shows a text to fewer.
fn stricter(one: Visibility, other: Visibility) -> Visibility {
    match (one, other) {
        (Visibility::Private, _) | (_, Visibility::Private) => Visibility::Private,
        (Visibility::Project, _) | (_, Visibility::Project) => Visibility::Project,
        (Visibility::Global, Visibility::Global) => Visibility::Global,
    }
}
