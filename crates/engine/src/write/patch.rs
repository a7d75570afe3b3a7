//! Patches: changes of the graph that are proposed together, applied together and taken back
//! together.
//!
//! A patch is a proposal whose operations are claims, nodes, edges and retractions, which may cite
//! each other by local names. Applying it appends the operations and a decision that names them, in
//! one append or not at all. Reverting it retracts what it appended and is still in force, and
//! takes back its retractions.

use std::collections::{BTreeMap, BTreeSet};

use kernel::body::{Body, EdgeType, TextClaimType};
use kernel::canonical;
use kernel::id::{Author, OpId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::proposal::{Decision, Proposal, Proposed, ProposedRef, ProposedTarget};
use kernel::records::{RecordStatus, Records, is_record};
use kernel::seal::next_timestamp;
use kernel::snapshot::Snapshot;
use kernel::validity::Validity;
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::sqlite::SqliteWriting;
use store::{StoreError, Writing};

use crate::belief::review::{Status, check_undecided, decided};
use crate::belief::{Bodies, body_of};
use crate::outcome::{Changes, Intent};
use crate::private::private_by_grounds;
use crate::seal::Sealer;
use crate::write::graph::{
    GraphChange, GraphError, GraphRefusal, GraphWriter, NamedChange, RecordType, Reference,
    RefusedChange, ReplacementFields, SOURCE_ROLE, Statement,
};
use crate::{EngineError, Reader, Writer, now_us};

/// The field of a proposal that says that it is a patch.
pub(crate) const PATCH: &str = "patch";

/// The field of a decision that names what was appended.
pub(super) const APPLIED: &str = "applied";

/// Records whose status is compared before and after a change.
const COMPARED_MAX: usize = 10_000;

/// A patch that was proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// The proposal.
    pub id: OpId,
    /// When it was proposed.
    pub at: HlcTimestamp,
    /// The key that signed it.
    pub by: Author,
    /// Who or what proposes it.
    pub origin: String,
    /// What it is for, in words.
    pub text: String,
    /// Its changes.
    pub changes: Vec<NamedChange>,
    /// Whether it was decided.
    pub status: Status,
    /// What applying it appended.
    pub applied: Vec<OpId>,
    /// What else the proposal says: the model and the version of the prompt that made it.
    pub details: Map<String, Value>,
}

/// A patch that is proposed.
#[derive(Clone, Debug, Default)]
pub struct NewPatch {
    /// Who or what proposes it.
    pub origin: String,
    /// What it is for, in words.
    pub text: String,
    /// Its changes.
    pub changes: Vec<NamedChange>,
    /// How sure it is, 0 … 1.
    pub confidence: Option<f64>,
    /// The model and the version of the prompt that made it, and the like. The claims and nodes of
    /// a patch that names a model name it, too.
    pub details: Map<String, Value>,
    /// What it was made from, beside what its changes cite. The proposal is private with it, and is
    /// forgotten with it.
    pub shown: Vec<OpId>,
}

/// A record whose status a change alters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusChange {
    /// The record.
    pub id: OpId,
    /// `claim` or `node`.
    pub kind: String,
    /// It in words.
    pub text: String,
    /// Its status before; none if it was not there.
    pub before: Option<&'static str>,
    /// Its status after; none if it has no effect.
    pub after: Option<&'static str>,
}

impl StatusChange {
    /// Whether it is listed beside the beliefs that change: an edge displaces the record now, or
    /// did, or it is a node that falls with what it was made from, or stands again.
    pub(crate) fn is_beside_beliefs(&self) -> bool {
        let by_edge = [RecordStatus::Superseded, RecordStatus::Alias].map(RecordStatus::as_str);
        let has = |wanted: &str| self.before == Some(wanted) || self.after == Some(wanted);
        let was_invalidated = has(RecordStatus::Invalidated.as_str());
        by_edge.into_iter().any(has) || self.kind == Kind::Node.as_str() && was_invalidated
    }

    /// The same with every node, new ones and those that were taken back too: no belief says how
    /// they change.
    pub fn is_told_beside_beliefs(&self) -> bool {
        self.kind == Kind::Node.as_str() || self.is_beside_beliefs()
    }
}

/// What applying or reverting a patch did, or would do.
#[derive(Clone, Debug, Default)]
pub struct Patched {
    /// The proposal; none in a dry run of a patch that is not recorded.
    pub patch: Option<OpId>,
    /// What each change stands for, new or there already.
    pub stand_for: Vec<OpId>,
    /// The operations of the patch that were appended.
    pub appended: Vec<OpId>,
    /// The records whose status is another one now.
    pub statuses: Vec<StatusChange>,
    /// Those of what was appended that are private because of what they stand on or join.
    pub private_by_grounds: Vec<OpId>,
    /// What followed for beliefs.
    pub changes: Changes,
}

impl NewPatch {
    /// Checks that one operation can hold it.
    ///
    /// # Errors
    /// If it is larger than an operation may be.
    pub fn check_size(&self) -> Result<(), EngineError> {
        let (body, _) = self.draft()?;
        body.canonical()?;
        Ok(())
    }

    /// The proposal of it.
    fn draft(&self) -> Result<(Body, Vec<Ref>), EngineError> {
        let mut operations = Vec::new();
        let mut cited: BTreeSet<OpId> = self.shown.iter().copied().collect();
        for change in &self.changes {
            for operation in proposed(change)? {
                cited.extend(operation.refs.iter().filter_map(|cited| match cited.target {
                    ProposedTarget::Id(id) => Some(id),
                    ProposedTarget::Local(_) => None,
                }));
                operations.push(operation);
            }
        }
        let mut others = self.details.clone();
        others.insert(PATCH.to_owned(), json!(true));
        let proposal = Proposal {
            origin: self.origin.clone(),
            confidence: self.confidence,
            text: self.text.clone(),
            review: None,
            operations,
            others,
        };
        let role = Role::parse(Proposal::SOURCE)?;
        let refs = cited.into_iter().map(|id| Ref { id, role: role.clone() });
        Ok((Body::Proposal(proposal), refs.collect()))
    }
}

impl Patch {
    /// Reads a proposal as a patch. `None` if it is something else, or its author may not propose.
    fn read<B: Bodies + ?Sized>(index: &B, entry: &Entry) -> Result<Option<Self>, StoreError> {
        let Some(Body::Proposal(proposal)) = body_of(index, &entry.id, &Kind::Proposal)? else {
            return Ok(None);
        };
        if proposal.others.get(PATCH) != Some(&json!(true))
            || !index.access()?.holds(&entry.author, Capability::Derive, entry.place())
        {
            return Ok(None);
        }
        let Some(changes) = proposal.operations.iter().map(change_of).collect() else {
            return Ok(None);
        };
        Ok(Some(Self {
            id: entry.id,
            at: entry.ts,
            by: entry.author,
            origin: proposal.origin,
            text: proposal.text,
            changes,
            status: decided(index, &entry.id)?.unwrap_or(Status::Pending),
            applied: applied(index, &entry.id)?,
            details: proposal.others,
        }))
    }
}

impl Reader<'_> {
    /// Every patch, in the order of their proposals, now or as of a time of recording
    /// (microseconds since the Unix epoch).
    pub fn patches(&self, as_of_us: Option<u64>) -> Result<Vec<Patch>, EngineError> {
        let mut patches = self.proposals_at(as_of_us, |index, entry| Patch::read(index, entry))?;
        self.take_altered(&mut patches, |patch| Some(patch.id))?;
        Ok(patches)
    }

    /// The patch that an id or the beginning of one names; none if it names something else.
    pub fn patch(&self, name: &str) -> Result<Option<Patch>, EngineError> {
        let id = self.resolve(name)?;
        let patch = self.store.on_snapshot(|index| match index.entry(&id)? {
            Some(entry) if entry.kind == Kind::Proposal => Patch::read(index, &entry),
            _ => Ok::<_, StoreError>(None),
        })?;
        self.check_as_signed(patch.iter().map(|patch| patch.id))?;
        Ok(patch)
    }

    /// What was built on the operations of a patch since, by others than the patch.
    pub fn built_on(&self, patch: &Patch) -> Result<Vec<OpId>, EngineError> {
        Ok(self.store.on_snapshot(|index| {
            let own: BTreeSet<OpId> = patch.applied.iter().copied().collect();
            let mut later: BTreeMap<(HlcTimestamp, OpId), OpId> = BTreeMap::new();
            for id in &own {
                for citing in index.citing(id)? {
                    let is_work = citing.kind.spec().graph.is_in_graph();
                    if is_work
                        && !own.contains(&citing.id)
                        && let Some(entry) = index.entry(&citing.id)?
                    {
                        later.insert(entry.order(), entry.id);
                    }
                }
            }
            Ok::<_, StoreError>(later.into_values().collect())
        })?)
    }
}

impl Writer<'_> {
    /// Keeps a patch as a proposal, for a decision.
    ///
    /// # Errors
    /// If the patch is larger than an operation may be, or the key may not derive.
    pub fn propose_patch(
        &mut self,
        patch: &NewPatch,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        let (body, refs) = patch.draft()?;
        self.append(kernel::seal::Draft { body, refs }, now)
    }

    /// Applies a patch that was not proposed before: proposal, operations and decision in one
    /// append.
    ///
    /// # Errors
    /// [`EngineError::PatchRefused`] with every change that is refused, and why. Nothing is written
    /// then. If the patch is larger than an operation may be.
    pub fn apply_new_patch(
        &mut self,
        patch: &NewPatch,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Patched, EngineError> {
        // A dry run keeps nothing, so that a patch too long for one proposal can be checked.
        let draft = if intent == Intent::Write { Some(patch.draft()?) } else { None };
        self.patched(intent, now, |graph| {
            let proposal = match draft {
                Some((body, refs)) => Some(graph.append(body, refs)?),
                None => None,
            };
            apply(graph, proposal, &patch.changes, &patch.details)
        })
    }

    /// Applies a patch that awaits a decision.
    ///
    /// # Errors
    /// Those of [`Self::apply_new_patch`]; if the patch is decided.
    pub fn apply_patch(
        &mut self,
        patch: &Patch,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Patched, EngineError> {
        self.patched(intent, now, |graph| {
            check_undecided(graph.index(), &patch.id)?;
            apply(graph, Some(patch.id), &patch.changes, &patch.details)
        })
    }

    /// Takes back what applying a patch appended.
    pub fn revert_patch(
        &mut self,
        patch: &Patch,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Patched, EngineError> {
        self.patched(intent, now, |graph| {
            // What was brought back since is taken back again, and one decision says so.
            graph.revert(&patch.applied)?;
            if decided(graph.index(), &patch.id)? != Some(Status::Reverted) {
                decide(graph, patch.id, Decision::REVERT, Map::new())?;
            }
            Ok((Some(patch.id), Vec::new()))
        })
    }

    /// Changes the graph, and compares the statuses of what is concerned.
    fn patched(
        &mut self,
        intent: Intent,
        now: jiff::Timestamp,
        change: impl FnOnce(&mut GraphWriter<'_>) -> Result<(Option<OpId>, Vec<OpId>), GraphError>,
    ) -> Result<Patched, EngineError> {
        let mut patched = Patched::default();
        let append = |sealer: &Sealer, writing: &mut SqliteWriting<'_>| {
            let at = next_timestamp(now_us(now), writing.latest()?);
            let mut graph = GraphWriter::new(sealer, writing, at);
            let (id, stand_for) = change(&mut graph).map_err(engine_error)?;
            (patched.patch, patched.stand_for) = (id, stand_for);
            Ok(graph.into_appended())
        };
        let examine = |writing: &SqliteWriting<'_>, appended: &[OpId]| {
            let mut ids = appended.to_vec();
            let mut kinds = BTreeMap::new();
            for id in &ids {
                kinds.insert(*id, writing.entry(id)?.map(|entry| entry.kind));
            }
            ids.retain(|id| !matches!(kinds.get(id), Some(Some(Kind::Proposal | Kind::Decision))));
            Ok((compare(writing, &ids)?, private_by_grounds(writing as &dyn Writing, &ids)?, ids))
        };
        let (changes, (statuses, private_by_grounds, appended)) =
            self.act_by(append, intent, now, examine)?;
        (patched.statuses, patched.appended, patched.changes) = (statuses, appended, changes);
        patched.private_by_grounds = private_by_grounds;
        Ok(patched)
    }
}

/// All changes of a patch and, if it is recorded, the decision to apply it.
fn apply(
    graph: &mut GraphWriter<'_>,
    proposal: Option<OpId>,
    changes: &[NamedChange],
    details: &Map<String, Value>,
) -> Result<(Option<OpId>, Vec<OpId>), GraphError> {
    graph.set_model(details);
    check_users_word(graph.index(), changes)?;
    let before = graph.appended().len();
    let stand_for = graph.apply_all(changes).map_err(|error| match error {
        EngineError::Graph(refused) => EngineError::PatchRefused(refused),
        other => other,
    })?;
    if let Some(proposal) = proposal {
        let applied: Vec<OpId> = graph.appended().split_off(before);
        let others = Map::from_iter([(APPLIED.to_owned(), json!(applied))]);
        decide(graph, proposal, Decision::ACCEPT, others)?;
    }
    Ok((proposal, stand_for))
}

impl GraphChange {
    /// The record that it displaces or takes back.
    pub fn displaces(&self) -> Option<OpId> {
        let reference = match self {
            Self::Supersede { target, .. } | Self::Retract { target, .. } => target,
            Self::Connect { edge_type: EdgeType::Supersedes, to, .. } => to,
            Self::Connect { edge_type: EdgeType::SameAs, from, .. } => from,
            _ => return None,
        };
        match reference {
            Reference::Id(id) => Some(*id),
            Reference::Local(_) => None,
        }
    }
}

/// Refuses to replace or take back a claim that the user corrected: the correction would stand
/// beside whatever takes its place.
fn check_users_word<B: Bodies + ?Sized>(
    index: &B,
    changes: &[NamedChange],
) -> Result<(), GraphError> {
    let mut refused = Vec::new();
    for (place, NamedChange { name, change }) in changes.iter().enumerate() {
        let Some(id) = change.displaces() else { continue };
        let Some(key) = index.entry(&id)?.and_then(|entry| entry.identity) else { continue };
        if Validity::new(index).standing(&key)?.correction.is_some() {
            let refusal = GraphRefusal::Corrected { id };
            refused.push(RefusedChange { place, name: name.clone(), refusal });
        }
    }
    match refused.is_empty() {
        true => Ok(()),
        false => Err(EngineError::PatchRefused(refused).into()),
    }
}

/// Appends a decision about a proposal.
fn decide(
    graph: &mut GraphWriter<'_>,
    proposal: OpId,
    verdict: &str,
    others: Map<String, Value>,
) -> Result<(), GraphError> {
    let decision = Decision { verdict: verdict.to_owned(), feedback: String::new(), others };
    let refs = vec![Ref { id: proposal, role: Role::parse(Role::TARGET)? }];
    graph.append(Body::Decision(decision), refs)?;
    Ok(())
}

fn engine_error(error: GraphError) -> EngineError {
    match error {
        GraphError::Engine(error) => error,
        GraphError::Refused(refusal) => {
            EngineError::PatchRefused(vec![RefusedChange { place: 0, name: None, refusal }])
        }
    }
}

/// What the decision about a patch says was appended.
fn applied<B: Bodies + ?Sized>(index: &B, proposal: &OpId) -> Result<Vec<OpId>, StoreError> {
    let mut found = Vec::new();
    for id in index.acting(proposal, &Kind::Decision, Role::TARGET)? {
        let Some(entry) = index.entry(&id)? else { continue };
        if !index.access()?.holds(&entry.author, Capability::Correct, entry.place()) {
            continue;
        }
        if let Some(Body::Decision(decision)) = body_of(index, &id, &Kind::Decision)? {
            found.extend(applied_by(&decision));
        }
    }
    Ok(found)
}

/// What a decision says was appended.
pub(super) fn applied_by(decision: &Decision) -> Vec<OpId> {
    let ids = decision.others.get(APPLIED).cloned().unwrap_or_default();
    serde_json::from_value(ids).unwrap_or_default()
}

/// The records whose status differs with and without some operations.
pub(crate) fn compare(
    writing: &SqliteWriting<'_>,
    own: &[OpId],
) -> Result<Vec<StatusChange>, EngineError> {
    let index: &dyn Writing = writing;
    let before = Snapshot::without(index, own.iter().copied().collect());
    let (mut was, mut is) = (Records::new(&before), Records::new(index));
    let (mut was_valid, mut is_valid) = (Validity::new(&before), Validity::new(index));
    let mut stack: Vec<OpId> = Vec::new();
    for id in own {
        if let Some(entry) = index.entry(id)? {
            stack.push(*id);
            stack.extend(entry.refs.iter().map(|cited| cited.id));
        }
    }
    let mut seen: BTreeSet<OpId> = BTreeSet::new();
    let mut found: BTreeMap<(HlcTimestamp, OpId), StatusChange> = BTreeMap::new();
    while let Some(id) = stack.pop() {
        if seen.len() >= COMPARED_MAX || !seen.insert(id) {
            continue;
        }
        let Some(entry) = index.entry(&id)? else { continue };
        if matches!(
            entry.kind,
            Kind::Retraction
                | Kind::RetractionWithdrawal
                | Kind::EvidenceRetraction
                | Kind::ClaimRefutation
                | Kind::ClaimCorrection
                | Kind::Edge
        ) {
            stack.extend(entry.refs.iter().map(|cited| cited.id));
        }
        // What was made from it stands or falls with it.
        if was_valid.is_valid_input(&id)? != is_valid.is_valid_input(&id)? {
            stack.extend(index.dependents(&id)?.into_iter().map(|(_, dependent)| dependent));
        }
        if !is_record(&entry) {
            continue;
        }
        // What it replaces, what redirects to it, and what was said in the same words before.
        for (own, other, edge_type) in
            [(Role::FROM, Role::TO, EdgeType::Supersedes), (Role::TO, Role::FROM, EdgeType::SameAs)]
        {
            for edge in index.acting(&id, &Kind::Edge, own)? {
                if let Some(edge) = index.entry(&edge)?
                    && edge.edge_type() == Some(edge_type)
                {
                    stack.extend(edge.cited(other));
                }
            }
        }
        if let Some(key) = entry.version_key() {
            let earlier = index.latest_of(key, &entry.kind, Some(entry.order()))?;
            stack.extend(earlier.map(|earlier| earlier.id));
        }
        let (before, after) = (was.status(&id)?, is.status_of(&entry)?);
        if before != after {
            let text = match body_of(index, &id, &entry.kind)? {
                Some(Body::Claim(claim)) => claim.text,
                Some(Body::Node(node)) => node.text.unwrap_or_default(),
                _ => String::new(),
            };
            found.insert(
                entry.order(),
                StatusChange {
                    id,
                    kind: entry.kind.as_str().to_owned(),
                    text,
                    before: before.map(RecordStatus::as_str),
                    after: after.map(RecordStatus::as_str),
                },
            );
        }
    }
    Ok(found.into_values().collect())
}

/// A change as the operations of a proposal.
fn proposed(change: &NamedChange) -> Result<Vec<Proposed>, EngineError> {
    let NamedChange { name, change } = change;
    let target = |reference: &Reference| match reference {
        Reference::Id(id) => ProposedTarget::Id(*id),
        Reference::Local(name) => ProposedTarget::Local(name.clone()),
    };
    let cite = |reference: &Reference, role: &str| ProposedRef {
        target: target(reference),
        role: role.to_owned(),
    };
    let inputs = |inputs: &[(Reference, Role)]| -> Vec<ProposedRef> {
        inputs.iter().map(|(input, role)| cite(input, role.as_str())).collect()
    };
    Ok(match change {
        GraphChange::State(statement) => {
            let body = statement.body();
            let bytes = body.canonical()?;
            vec![Proposed {
                local: name.clone(),
                kind: body.kind().as_str().to_owned(),
                body: serde_json::from_slice(&bytes).unwrap_or_default(),
                refs: inputs(&statement.inputs),
            }]
        }
        GraphChange::Connect { edge_type, from, to, inputs: sources, notes } => {
            let mut refs = vec![cite(from, Role::FROM), cite(to, Role::TO)];
            refs.extend(inputs(sources));
            vec![edge(name.clone(), *edge_type, notes, refs)]
        }
        GraphChange::Supersede { target: old, text, inputs: sources, otherwise } => {
            // What it keeps of the old record is resolved when it is applied.
            let ReplacementFields { claim_type, tags, visibility, valid_from, valid_to } =
                otherwise;
            let mut body = json!({ "text": text, "tags": tags, "visibility": visibility });
            let type_word = claim_type.map(TextClaimType::as_str);
            for (field, value) in [
                ("claim_type", json!(type_word)),
                ("valid_from", json!(valid_from)),
                ("valid_to", json!(valid_to)),
            ] {
                if !value.is_null() {
                    body[field] = value;
                }
            }
            let mut refs = vec![cite(old, Role::SUPERSEDES)];
            refs.extend(inputs(sources));
            let Value::Object(body) = body else { return Ok(Vec::new()) };
            vec![Proposed { local: name.clone(), kind: REPLACEMENT.to_owned(), body, refs }]
        }
        GraphChange::Retract { target: old, reason, sources } => {
            let mut refs = vec![cite(old, Role::TARGET)];
            refs.extend(sources.iter().map(|source| cite(source, SOURCE_ROLE)));
            let body = Map::from_iter([("reason".to_owned(), json!(reason))]);
            vec![Proposed { local: name.clone(), kind: Kind::Retraction.to_string(), body, refs }]
        }
    })
}

/// The word for a replacement among the operations of a patch. No operation has this kind: applying
/// it appends a record and an edge.
const REPLACEMENT: &str = "replacement";

fn edge(
    local: Option<String>,
    edge_type: EdgeType,
    notes: &str,
    refs: Vec<ProposedRef>,
) -> Proposed {
    let mut body = Map::from_iter([("edge_type".to_owned(), json!(edge_type))]);
    if !notes.is_empty() {
        body.insert("notes".to_owned(), json!(notes));
    }
    Proposed { local, kind: Kind::Edge.to_string(), body, refs }
}

/// An operation of a proposal as a change; none if a patch cannot hold it.
fn change_of(proposed: &Proposed) -> Option<NamedChange> {
    let reference = |cited: &ProposedRef| match &cited.target {
        ProposedTarget::Id(id) => Reference::Id(*id),
        ProposedTarget::Local(name) => Reference::Local(name.clone()),
    };
    let sole = |role: &str| {
        let mut cited = proposed.refs.iter().filter(|cited| cited.role == role);
        cited.next().filter(|_| cited.next().is_none()).map(reference)
    };
    let but = |roles: &[&str]| -> Option<Vec<(Reference, Role)>> {
        let cited = proposed.refs.iter().filter(|cited| !roles.contains(&cited.role.as_str()));
        cited.map(|cited| Some((reference(cited), Role::parse(&cited.role).ok()?))).collect()
    };
    let change = if proposed.kind == REPLACEMENT {
        let field = |name: &str| proposed.body.get(name).cloned().unwrap_or_default();
        let claim_type = match field("claim_type") {
            Value::Null => None,
            word => Some(word.as_str()?.parse().ok()?),
        };
        GraphChange::Supersede {
            target: sole(Role::SUPERSEDES)?,
            text: serde_json::from_value(field("text")).ok()?,
            inputs: but(&[Role::SUPERSEDES])?,
            otherwise: ReplacementFields {
                claim_type,
                tags: serde_json::from_value(field("tags")).ok()?,
                visibility: serde_json::from_value(field("visibility")).ok()?,
                valid_from: serde_json::from_value(field("valid_from")).ok()?,
                valid_to: serde_json::from_value(field("valid_to")).ok()?,
            },
        }
    } else {
        let bytes = canonical::to_bytes(&proposed.body).ok()?;
        match Body::parse(&proposed.kind()?, &bytes).ok()? {
            Body::Claim(claim) => GraphChange::State(Box::new(Statement {
                inputs: but(&[])?,
                tags: claim.tags,
                visibility: claim.visibility,
                valid_from: claim.valid_from,
                valid_to: claim.valid_to,
                deriver: claim.deriver,
                confidence: claim.confidence,
                confidence_basis: claim.confidence_basis,
                rationale: claim.rationale,
                ..Statement::new(RecordType::Claim(claim.claim_type), claim.text)
            })),
            Body::Node(node) => GraphChange::State(Box::new(Statement {
                inputs: but(&[])?,
                tags: node.tags.unwrap_or_default(),
                visibility: node.visibility.unwrap_or_default(),
                payload: node.payload.unwrap_or_default(),
                ..Statement::new(RecordType::Node(node.node_type?), node.text?)
            })),
            Body::Edge(edge) => GraphChange::Connect {
                edge_type: edge.edge_type?,
                from: sole(Role::FROM)?,
                to: sole(Role::TO)?,
                inputs: but(&[Role::FROM, Role::TO])?,
                notes: edge.notes.unwrap_or_default(),
            },
            Body::Retraction(reason) => GraphChange::Retract {
                target: sole(Role::TARGET)?,
                reason: reason.reason,
                sources: but(&[Role::TARGET])?.into_iter().map(|(source, _)| source).collect(),
            },
            _ => return None,
        }
    };
    Some(NamedChange { name: proposed.local.clone(), change })
}

/// The refusals of an error that refuses a patch; none of another error.
pub fn refusals(error: &EngineError) -> Option<&[RefusedChange]> {
    match error {
        EngineError::PatchRefused(refused) | EngineError::Graph(refused) => Some(refused),
        _ => None,
    }
}

/// Whether a refusal only says that an earlier change, which was refused, is not there.
pub fn follows_from(refusal: &GraphRefusal, failed: &BTreeSet<String>) -> bool {
    matches!(refusal, GraphRefusal::UnknownName { name } if failed.contains(name))
}
