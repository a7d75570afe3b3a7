//! The reverse walk: from a target to what accounts for it.
//!
//! Breadth first over inputs, `depends_on`, `supports` and `derived_from`, within budgets, so that
//! its cost follows the budgets and not the size of the graph. What it cannot follow is counted
//! ([`Cut`]) and taken to hold: the support set is then that of the graph that was walked.
//!
//! Redirects are followed to the canonical record, and an earlier version of a text to its latest:
//! both say the same. Dead records are named ([`Excluded`]) and hold up nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use kernel::body::{Body, EdgeType, NodeType};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::kind_spec::InputValidity;
use kernel::ledger_index::Entry;
use kernel::operation::Role;
use kernel::provenance::cited_without_inputs;
use kernel::records::{Edge, RecordStatus, Records, is_record};
use kernel::validity::{input_refs, inputs};
use serde::Serialize;
use store::StoreError;

use super::WhyLimits;
use super::answer::{METHOD, SUPPORT_ROLE, is_in_window};
use super::hints::hints;
use crate::belief::{Bodies, body_of};
use crate::graph::{RecordView, follow_to_latest, record_view};
use crate::inspect::summary_of;
use crate::private::Privacy;

/// Most inputs, and most edges, that are looked at for one record.
pub const PREMISES_MAX: usize = 512;

/// Most operations that are named as evidence, and most as dead.
const NAMED_MAX: usize = 200;

/// How one operation bears on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It was made from it.
    Input,
    /// It needs it.
    DependsOn,
    /// It is supported by it.
    Supports,
    /// It was made out of it.
    DerivedFrom,
    /// It is an edge, and ends there.
    End,
    /// It cites it otherwise, as thoughts cite each other.
    Cites,
    /// It is a record of a decision, which names it as a hint.
    Hint,
}

impl Relation {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::DependsOn => "depends_on",
            Self::Supports => "supports",
            Self::DerivedFrom => "derived_from",
            Self::End => "end",
            Self::Cites => "cites",
            Self::Hint => "hint",
        }
    }

    /// Whether it is part of what holds a record up.
    fn holds_up(self) -> bool {
        matches!(self, Self::Input | Self::DependsOn | Self::Supports)
    }
}

/// A step of the walk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Link {
    /// What is accounted for.
    pub from: OpId,
    /// What accounts for it.
    pub to: OpId,
    /// How `to` accounts for `from`.
    pub relation: Relation,
}

/// An operation that is not a record, and on which records rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ground {
    /// The operation.
    pub id: OpId,
    /// Its kind.
    pub kind: String,
    /// It in one line; empty where its body is missing.
    pub text: String,
}

/// Something dead that the walk came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// The operation.
    pub id: OpId,
    /// Its status; `corrected` where the user said otherwise, `unknown` where it is not there.
    pub status: &'static str,
    /// It in words.
    pub text: String,
}

/// What the walk did not follow, by the budget that kept it from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Records further away than the depth.
    pub depth: usize,
    /// Records beyond the number of nodes.
    pub nodes: usize,
    /// Records from before the time window.
    pub since: usize,
    /// Inputs and edges of single records beyond [`PREMISES_MAX`].
    pub premises: usize,
    /// Candidates beyond the number that was asked for.
    pub candidates: usize,
    /// What is private and not shown to this reader.
    pub withheld: usize,
}

impl Cut {
    /// Whether the walk left out something that may hold up a record.
    pub fn is_walk_cut(&self) -> bool {
        self.is_by_budget() || self.withheld > 0
    }

    /// Whether a budget left it out.
    pub(super) fn is_by_budget(&self) -> bool {
        self.depth + self.nodes + self.since + self.premises > 0
    }
}

/// A record that the walk reached.
#[derive(Clone, Debug)]
pub(super) struct Walked {
    /// It as it is shown.
    pub(super) view: RecordView,
    /// How many steps away.
    pub(super) depth: usize,
    /// How it was first reached.
    pub(super) via: Relation,
    /// Whether it is true in the world at the time of the question.
    pub(super) is_in_window: bool,
    /// As what a record cites it.
    pub(super) cited_as: OpId,
}

/// What holds an operation up: the records among it.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldUp {
    /// All that it needs together; none if something that it needs is dead.
    pub(super) needs: Option<Vec<OpId>>,
    /// Any one of these is enough.
    pub(super) supporters: Vec<OpId>,
}

/// What the walk found.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// The records, without the target.
    pub(super) records: BTreeMap<OpId, Walked>,
    /// What holds up the target and each of them.
    pub(super) held_up: BTreeMap<OpId, HeldUp>,
    /// The steps, evidence included.
    pub(super) links: BTreeSet<Link>,
    /// Operations that are not records, on which they rest.
    pub(super) evidence: BTreeMap<OpId, Ground>,
    pub(super) excluded: BTreeMap<OpId, Excluded>,
    pub(super) cut: Cut,
}

/// What a cited operation counts as.
enum Premise {
    /// It holds by itself.
    Ground,
    /// A record that is alive, by its canonical id.
    Record(OpId),
    /// It holds up nothing.
    Dead,
    /// It is left out and taken to hold.
    LeftOut,
}

/// The correction by which a claim is believed, if the user corrected it.
fn correction_of(
    records: &mut Records<'_, dyn Bodies + '_>,
    entry: &Entry,
) -> Result<Option<OpId>, StoreError> {
    let Some(key) = &entry.identity else { return Ok(None) };
    let standing = records.validity().standing(key)?;
    let correction = standing.correction.as_ref().filter(|_| standing.refutation.is_none());
    Ok(correction.map(|correction| correction.id))
}

/// As what a record cites another: by the correction, where the user says otherwise of what it
/// states.
pub(super) fn cited_as(
    records: &mut Records<'_, dyn Bodies + '_>,
    entry: &Entry,
) -> Result<OpId, StoreError> {
    if records.validity().is_valid_input(&entry.id)? {
        return Ok(entry.id);
    }
    Ok(correction_of(records, entry)?.unwrap_or(entry.id))
}

pub(super) struct Walk<'a, 'w> {
    index: &'a dyn Bodies,
    records: &'a mut Records<'w, dyn Bodies + 'w>,
    privacy: Privacy<'a, dyn Bodies + 'a>,
    limits: &'a WhyLimits,
    target: OpId,
    reached: Reached,
    queue: VecDeque<(OpId, usize)>,
}

impl<'a, 'w> Walk<'a, 'w> {
    pub(super) fn new(
        index: &'a dyn Bodies,
        records: &'a mut Records<'w, dyn Bodies + 'w>,
        limits: &'a WhyLimits,
        target: OpId,
    ) -> Self {
        let privacy = Privacy::of(index);
        let queue = VecDeque::from([(target, 0)]);
        Self { index, records, privacy, limits, target, reached: Reached::default(), queue }
    }

    /// Everything that is reached from the target.
    pub(super) fn run(mut self) -> Result<Reached, StoreError> {
        while let Some((id, depth)) = self.queue.pop_front() {
            let Some(entry) = self.index.entry(&id)? else { continue };
            let mut held_up = HeldUp { needs: Some(Vec::new()), supporters: Vec::new() };
            let mut is_supported_by_ground = false;
            for (relation, cited) in self.cited_by(&entry)? {
                let premise = self.premise(&entry, relation, cited, depth)?;
                let (needs, supporters) = (&mut held_up.needs, &mut held_up.supporters);
                match (premise, relation) {
                    (_, relation) if !relation.holds_up() => {}
                    (Premise::Record(id), Relation::Supports) => supporters.push(id),
                    (Premise::Record(id), _) => needs.iter_mut().for_each(|needs| needs.push(id)),
                    (Premise::Ground, Relation::Supports) => is_supported_by_ground = true,
                    (Premise::Dead, Relation::Input | Relation::DependsOn) => *needs = None,
                    _ => {}
                }
            }
            // What the user says instead of it shields what is built on it.
            let is_shielded = id != self.target && self.is_corrected(&entry)?;
            if is_supported_by_ground || is_shielded {
                held_up.needs = Some(Vec::new());
            }
            self.reached.held_up.insert(id, held_up);
        }
        Ok(self.reached)
    }

    /// What an operation rests on by its own citations and by edges in force, in this order.
    fn cited_by(&mut self, entry: &Entry) -> Result<Vec<(Relation, OpId)>, StoreError> {
        let mut cited: Vec<(Relation, OpId)> = Vec::new();
        self.reached.cut.premises += input_refs(entry).count().saturating_sub(PREMISES_MAX);
        cited.extend(inputs(entry).take(PREMISES_MAX).map(|id| (Relation::Input, id)));
        let others = cited_without_inputs(entry).take(PREMISES_MAX);
        cited.extend(others.map(|cited| (Relation::Cites, cited.id)));
        let hints = hints(self.index, entry)?;
        cited.extend(hints.into_iter().map(|id| (Relation::Hint, id)));
        if let Some(edge) = Edge::of(entry.clone()) {
            cited.extend([(Relation::End, edge.from), (Relation::End, edge.to)]);
        }
        for role in [Role::FROM, Role::TO] {
            let edges = self.index.acting(&entry.id, &Kind::Edge, role)?;
            self.reached.cut.premises += edges.len().saturating_sub(PREMISES_MAX);
            let mut found = Vec::new();
            for id in edges.into_iter().take(PREMISES_MAX) {
                let Some(edge) = self.index.entry(&id)?.and_then(Edge::of) else { continue };
                let relation = match (edge.edge_type, role) {
                    (EdgeType::DependsOn, Role::FROM) => Relation::DependsOn,
                    (EdgeType::DerivedFrom, Role::FROM) => Relation::DerivedFrom,
                    (EdgeType::Supports, Role::TO) => Relation::Supports,
                    _ => continue,
                };
                if self.records.is_in_force(&edge.entry)? && !self.is_of_answer(&edge)? {
                    // What only a private source joins is not joined for others.
                    if self.privacy.is_withheld(&edge.entry.id, self.limits.disclosure)? {
                        self.reached.cut.withheld += 1;
                        continue;
                    }
                    let other = if role == Role::FROM { edge.to } else { edge.from };
                    found.push((edge.entry.order(), (relation, other)));
                }
            }
            found.sort_unstable();
            cited.extend(found.into_iter().map(|(_, cited)| cited));
        }
        Ok(cited)
    }

    /// Whether an edge repeats an earlier answer. It says nothing new, and would bring nearer what
    /// the budgets of the same question left out. What a model chose is new.
    fn is_of_answer(&self, edge: &Edge) -> Result<bool, StoreError> {
        for trace in edge.entry.cited(SUPPORT_ROLE) {
            let Some(entry) = self.index.entry(&trace)? else { continue };
            if let Some(Body::Node(node)) = body_of(self.index, &entry.id, &entry.kind)?
                && node.node_type == Some(NodeType::WhyTrace)
                && node.payload.is_some_and(|payload| payload["method"] == METHOD)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks at a cited operation and queues it if it is a record that was not reached before.
    fn premise(
        &mut self,
        from: &Entry,
        relation: Relation,
        cited: OpId,
        depth: usize,
    ) -> Result<Premise, StoreError> {
        let Some(mut entry) = self.index.entry(&cited)? else {
            self.exclude(cited, "unknown", String::new());
            return Ok(Premise::Dead);
        };
        if self.privacy.is_withheld(&cited, self.limits.disclosure)? {
            self.reached.cut.withheld += 1;
            return Ok(Premise::LeftOut);
        }
        let mut correction = None;
        if !is_record(&entry) {
            // A claim that the user corrected is built upon by its correction.
            match self.corrected_by(&entry)? {
                Some(claim) => correction = Some(std::mem::replace(&mut entry, claim)),
                None => return self.ground(from, relation, &entry),
            }
        }
        let status = follow_to_latest(self.records, self.index, &mut entry)?;
        let id = entry.id;
        // What stands for something that is shown need not be shown itself.
        if id != cited && self.privacy.is_withheld(&id, self.limits.disclosure)? {
            self.reached.cut.withheld += 1;
            return Ok(Premise::LeftOut);
        }
        let is_active = status == Some(RecordStatus::Active);
        // What the user corrected holds up in their words, but what was made from its own.
        let holds = is_active
            && (self.records.validity().is_valid_input(&id)?
                || (correction.is_some() || relation != Relation::Input)
                    && self.is_corrected(&entry)?);
        if !holds {
            let status = match status {
                Some(RecordStatus::Active) => "corrected",
                Some(status) => status.as_str(),
                None => "no_effect",
            };
            let view = record_view(self.records, self.index, &entry)?;
            self.exclude(id, status, view.map(|view| view.text).unwrap_or_default());
            return Ok(Premise::Dead);
        }
        if self.limits.hidden.contains(&id) {
            let view = record_view(self.records, self.index, &entry)?;
            self.exclude(id, "hidden", view.map(|view| view.text).unwrap_or_default());
            return Ok(Premise::Dead);
        }
        if let Some(correction) = &correction {
            self.ground(&entry, Relation::Cites, correction)?;
        }
        if id == self.target || self.reached.records.contains_key(&id) {
            self.link(from.id, id, relation);
            return Ok(Premise::Record(id));
        }
        let cut = &mut self.reached.cut;
        let budget = if self.limits.since_us.is_some_and(|since| entry.ts.0 < since) {
            Some(&mut cut.since)
        } else if depth >= self.limits.depth {
            Some(&mut cut.depth)
        } else if self.reached.records.len() >= self.limits.nodes {
            Some(&mut cut.nodes)
        } else {
            None
        };
        if let Some(left_out) = budget {
            *left_out += 1;
            return Ok(Premise::LeftOut);
        }
        let Some(view) = record_view(self.records, self.index, &entry)? else {
            return Ok(Premise::Dead);
        };
        let depth = depth.saturating_add(1);
        let is_in_window = is_in_window(&view, self.limits.at_us());
        let cited_as = cited_as(self.records, &entry)?;
        let walked = Walked { view, depth, via: relation, is_in_window, cited_as };
        self.reached.records.insert(id, walked);
        self.queue.push_back((id, depth));
        self.link(from.id, id, relation);
        Ok(Premise::Record(id))
    }

    /// What is not a record is ground while it may be built upon.
    fn ground(
        &mut self,
        from: &Entry,
        relation: Relation,
        entry: &Entry,
    ) -> Result<Premise, StoreError> {
        let is_never_input = entry.kind.spec().validity == InputValidity::Never;
        // All inputs of a record that is alive are valid.
        let is_known_valid = relation == Relation::Input && from.id != self.target;
        if !is_never_input
            && !is_known_valid
            && !self.records.validity().is_valid_input(&entry.id)?
        {
            self.exclude(entry.id, "invalid", String::new());
            return Ok(Premise::Dead);
        }
        if !self.reached.evidence.contains_key(&entry.id) {
            if self.reached.evidence.len() >= NAMED_MAX {
                return Ok(Premise::Ground);
            }
            let body = body_of(self.index, &entry.id, &entry.kind)?;
            let text = body.as_ref().map(summary_of).unwrap_or_default();
            let kind = entry.kind.as_str().to_owned();
            self.reached.evidence.insert(entry.id, Ground { id: entry.id, kind, text });
        }
        self.link(from.id, entry.id, relation);
        Ok(Premise::Ground)
    }

    fn link(&mut self, from: OpId, to: OpId, relation: Relation) {
        self.reached.links.insert(Link { from, to, relation });
    }

    /// Whether the user says otherwise of what a claim states, and believes it so.
    fn is_corrected(&mut self, entry: &Entry) -> Result<bool, StoreError> {
        Ok(correction_of(self.records, entry)?.is_some())
    }

    /// The claim that a correction in force corrects, if it is active and shown.
    fn corrected_by(&mut self, correction: &Entry) -> Result<Option<Entry>, StoreError> {
        if correction.kind != Kind::ClaimCorrection
            || !self.records.validity().is_valid_input(&correction.id)?
        {
            return Ok(None);
        }
        let Some(target) = correction.cited(Role::TARGET).next() else { return Ok(None) };
        let Some(mut claim) = self.index.entry(&target)? else { return Ok(None) };
        let status = follow_to_latest(self.records, self.index, &mut claim)?;
        let is_shown = !self.privacy.is_withheld(&claim.id, self.limits.disclosure)?;
        Ok(Some(claim).filter(|_| is_shown && status == Some(RecordStatus::Active)))
    }

    fn exclude(&mut self, id: OpId, status: &'static str, text: String) {
        if self.reached.excluded.len() < NAMED_MAX {
            self.reached.excluded.insert(id, Excluded { id, status, text });
        }
    }
}
