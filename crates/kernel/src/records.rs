//! The status of records: what retractions, later versions, edges and redirects make of them.
//!
//! Source: the Thought DB specification, "State of graph records". A *record* is a claim or a node.
//! Everything here follows from the set of operations, so it is the same on every device, and
//! nothing of it is stored as truth. [`Records`] answers about one state of an index and caches
//! what it found for as long as it lives: asking about every record of a component of edges costs
//! the component once.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::body::EdgeType;
use crate::id::OpId;
use crate::identity::TEXT_KEY;
use crate::kind::Kind;
use crate::kind_spec::GraphRole;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::Role;
use crate::validity::{Standing, State, Validity};

/// The status of a record; the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordStatus {
    /// It was retracted or forgotten.
    Retracted,
    /// The user refuted its identity.
    Refuted,
    /// A later version of its text, or another record over `supersedes` edges, replaces it.
    Superseded,
    /// An input is not valid.
    Invalidated,
    /// It redirects to another record, the canonical one.
    Alias,
    /// None of these.
    Active,
}

impl RecordStatus {
    /// All of them, in the order in which they apply.
    pub const ALL: [Self; 6] = [
        Self::Retracted,
        Self::Refuted,
        Self::Superseded,
        Self::Invalidated,
        Self::Alias,
        Self::Active,
    ];

    /// Whether this is what another record makes of a sound one, over edges or by its version.
    pub fn is_displaced(self) -> bool {
        matches!(self, Self::Superseded | Self::Alias)
    }

    /// The name used in scenarios and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retracted => "retracted",
            Self::Refuted => "refuted",
            Self::Superseded => "superseded",
            Self::Invalidated => "invalidated",
            Self::Alias => "alias",
            Self::Active => "active",
        }
    }
}

impl std::str::FromStr for RecordStatus {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|status| status.as_str() == word).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|status| status.as_str()).collect();
            format!("{word:?} is not a status: write one of {}", known.join(", "))
        })
    }
}

/// Answers about the records of one state of an index.
pub struct Records<'w, W: LedgerIndex + ?Sized> {
    index: &'w W,
    validity: Validity<'w, W>,
    standing: HashMap<OpId, bool>,
    /// The records whose `supersedes` edges replace one: they stand, or are replaced themselves.
    replacing: HashMap<OpId, Vec<OpId>>,
    canonical: HashMap<OpId, OpId>,
}

/// An edge in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The edge itself.
    pub entry: Entry,
    /// What it says of its ends.
    pub edge_type: EdgeType,
    /// Where it begins.
    pub from: OpId,
    /// Where it ends.
    pub to: OpId,
}

impl Edge {
    /// Reads the type and the ends of an edge.
    pub fn of(entry: Entry) -> Option<Self> {
        let edge_type = entry.edge_type()?;
        let (from, to) = (entry.sole_ref(Role::FROM)?, entry.sole_ref(Role::TO)?);
        Some(Self { entry, edge_type, from, to })
    }
}

impl<'w, W: LedgerIndex + ?Sized> Records<'w, W> {
    /// Over `index` as it is now.
    pub fn new(index: &'w W) -> Self {
        Self {
            index,
            validity: Validity::new(index),
            standing: HashMap::new(),
            replacing: HashMap::new(),
            canonical: HashMap::new(),
        }
    }

    /// What else is believed, of the same state.
    pub fn validity(&mut self) -> &mut Validity<'w, W> {
        &mut self.validity
    }

    /// The status of a record; none of what is not a record, and of a record without effect.
    pub fn status(&mut self, id: &OpId) -> Result<Option<RecordStatus>, W::Error> {
        let Some(entry) = self.index.entry(id)? else { return Ok(None) };
        self.status_of(&entry)
    }

    /// The same of an operation that was looked up before.
    pub fn status_of(&mut self, entry: &Entry) -> Result<Option<RecordStatus>, W::Error> {
        if !is_record(entry) || !self.validity.has_effect(entry)? {
            return Ok(None);
        }
        Ok(Some(if self.validity.is_retracted(entry)? {
            RecordStatus::Retracted
        } else if self.is_refuted(entry)? {
            RecordStatus::Refuted
        } else if !self.is_latest(entry)? {
            RecordStatus::Superseded
        } else if !self.validity.is_sound(entry)? {
            RecordStatus::Invalidated
        } else {
            self.displacement(&entry.id)?.unwrap_or(RecordStatus::Active)
        }))
    }

    /// How an identity is shown: its state, and how edges displace its latest claim. What is stated
    /// in words is a record, so a correction does not bring back what was retracted, replaced or
    /// redirected, and a retraction comes before a refutation. What derivers conclude has the state
    /// of its identity. Without `with_edges`, it is known that no edge displaces anything.
    pub fn shown(
        &mut self,
        key: &str,
        standing: &Standing,
        with_edges: bool,
    ) -> Result<(State, Option<RecordStatus>), W::Error> {
        let state = self.validity.state_of(standing)?;
        let Some(current) = &standing.current else { return Ok((state, None)) };
        let is_text = key.starts_with(TEXT_KEY);
        Ok(match state {
            State::Refuted | State::Corrected
                if is_text && self.validity.is_retracted(current)? =>
            {
                (State::Retracted, None)
            }
            State::Corrected if is_text && with_edges => match self.displacement(&current.id)? {
                None => (state, None),
                displaced if self.validity.is_sound(current)? => (State::Active, displaced),
                Some(_) => (State::Invalidated, None),
            },
            State::Active if with_edges => (state, self.displacement(&current.id)?),
            _ => (state, None),
        })
    }

    /// What edges make of a record, whatever else becomes of it.
    fn displacement(&mut self, id: &OpId) -> Result<Option<RecordStatus>, W::Error> {
        Ok(if self.is_replaced(id)? {
            Some(RecordStatus::Superseded)
        } else if self.canonical(id)? != *id {
            Some(RecordStatus::Alias)
        } else {
            None
        })
    }

    /// Where the redirects of a record lead; the record itself if it has none. Of a ring of
    /// redirects, which only a merge makes, the oldest member.
    pub fn canonical(&mut self, id: &OpId) -> Result<OpId, W::Error> {
        let mut path: Vec<OpId> = Vec::new();
        let mut on_path: HashMap<OpId, usize> = HashMap::new();
        let mut at = *id;
        let canonical = loop {
            if let Some(canonical) = self.canonical.get(&at) {
                break *canonical;
            }
            if let Some(place) = on_path.get(&at) {
                break self.oldest(path.get(*place..).unwrap_or_default())?.unwrap_or(at);
            }
            on_path.insert(at, path.len());
            path.push(at);
            match self.redirect(&at)? {
                Some(target) => at = target,
                None => break at,
            }
        };
        self.canonical.extend(path.into_iter().map(|id| (id, canonical)));
        Ok(canonical)
    }

    /// Whether a record is neither retracted nor refuted, is sound, and is the latest version of
    /// its text.
    pub fn is_standing(&mut self, id: &OpId) -> Result<bool, W::Error> {
        if let Some(standing) = self.standing.get(id) {
            return Ok(*standing);
        }
        let standing = match self.index.entry(id)? {
            Some(entry) => {
                is_record(&entry)
                    && self.validity.has_effect(&entry)?
                    && self.validity.is_sound(&entry)?
                    && !self.is_refuted(&entry)?
                    && self.is_latest(&entry)?
            }
            None => false,
        };
        self.standing.insert(*id, standing);
        Ok(standing)
    }

    /// Whether an edge is neither retracted nor without a valid input, and has effect.
    pub fn is_in_force(&mut self, edge: &Entry) -> Result<bool, W::Error> {
        Ok(edge.kind == Kind::Edge
            && self.validity.has_effect(edge)?
            && self.validity.is_sound(edge)?)
    }

    /// Whether anything is otherwise because of an edge: it is in force, and a replacement or a
    /// redirect decides what becomes of a record.
    pub fn has_effect(&mut self, edge: &Edge) -> Result<bool, W::Error> {
        Ok(self.is_in_force(&edge.entry)?
            && match edge.edge_type {
                EdgeType::Supersedes => {
                    self.joins_records(edge)? && self.replacing(&edge.to)?.contains(&edge.from)
                }
                EdgeType::SameAs => {
                    self.joins_records(edge)? && self.redirect(&edge.from)? == Some(edge.to)
                }
                _ => true,
            })
    }

    /// The edges in force of a type that begin at an operation (role `from`) or end there (`to`),
    /// in the space's order.
    pub fn edges(
        &mut self,
        edge_type: EdgeType,
        role: &str,
        id: &OpId,
    ) -> Result<Vec<Edge>, W::Error> {
        let mut edges = Vec::new();
        for citing in self.index.acting(id, &Kind::Edge, role)? {
            let Some(edge) = self.index.entry(&citing)?.and_then(Edge::of) else { continue };
            if edge.edge_type == edge_type && self.is_in_force(&edge.entry)? {
                edges.push(edge);
            }
        }
        edges.sort_unstable_by_key(|edge| edge.entry.order());
        Ok(edges)
    }

    /// The edge in force with this type and these ends, if there is one.
    pub fn edge_between(
        &mut self,
        edge_type: EdgeType,
        from: &OpId,
        to: &OpId,
    ) -> Result<Option<Entry>, W::Error> {
        let key = crate::identity::edge_key(edge_type, from, to);
        let mut before = None;
        while let Some(edge) = self.index.latest_of(&key, &Kind::Edge, before)? {
            if self.is_in_force(&edge)? {
                return Ok(Some(edge));
            }
            before = Some(edge.order());
        }
        Ok(None)
    }

    /// The latest version of a text that has effect.
    pub fn latest_version(&mut self, kind: &Kind, key: &str) -> Result<Option<Entry>, W::Error> {
        let mut before = None;
        while let Some(entry) = self.index.latest_of(key, kind, before)? {
            if self.validity.has_effect(&entry)? {
                return Ok(Some(entry));
            }
            before = Some(entry.order());
        }
        Ok(None)
    }

    /// The record that already says a text, if its latest version is active or an alias: stating it
    /// again would add nothing.
    pub fn stated(&mut self, kind: &Kind, key: &str) -> Result<Option<Entry>, W::Error> {
        let Some(latest) = self.latest_version(kind, key)? else { return Ok(None) };
        let status = self.status_of(&latest)?;
        Ok(Some(latest)
            .filter(|_| matches!(status, Some(RecordStatus::Active | RecordStatus::Alias))))
    }

    /// Whether edges in force of a type lead from one operation to another.
    pub fn leads(&mut self, edge_type: EdgeType, from: &OpId, to: &OpId) -> Result<bool, W::Error> {
        crate::edge_walk::leads(edge_type, from, to, self, self.index)
    }

    /// Whether one record gives way to another: step by step it redirects to it or is replaced by
    /// it, whichever of these each step is. Rule 11 refuses rings of one type of edge alone; of the
    /// records of a mixed one none would be active. A step that has no effect orders nothing: a
    /// replacement by what neither stands nor is replaced, a redirect of what does not stand.
    pub fn gives_way(&mut self, from: &OpId, to: &OpId) -> Result<bool, W::Error> {
        let mut seen = HashSet::new();
        let mut stack = vec![*from];
        while let Some(at) = stack.pop() {
            if at == *to {
                return Ok(true);
            }
            if !seen.insert(at) {
                continue;
            }
            if self.is_standing(&at)? {
                stack.extend(self.redirect(&at)?);
            }
            stack.extend(self.replacing(&at)?);
        }
        Ok(false)
    }

    fn is_refuted(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        match &entry.identity {
            Some(key) => self.validity.is_refuted(key),
            None => Ok(false),
        }
    }

    /// Whether no later version of the same text has effect. A record without a text has no
    /// versions.
    fn is_latest(&mut self, entry: &Entry) -> Result<bool, W::Error> {
        let Some(key) = entry.version_key() else { return Ok(true) };
        let latest = self.latest_version(&entry.kind, key)?;
        Ok(latest.is_none_or(|latest| latest.id == entry.id))
    }

    /// The target of the newest redirect in force from a record to one that stands.
    fn redirect(&mut self, id: &OpId) -> Result<Option<OpId>, W::Error> {
        for edge in self.edges(EdgeType::SameAs, Role::FROM, id)?.into_iter().rev() {
            if self.joins_records(&edge)? && self.is_standing(&edge.to)? {
                return Ok(Some(edge.to));
            }
        }
        Ok(None)
    }

    /// The ends of a replacement or a redirect are two records of one kind. Another edge, which
    /// only a merge brings, has no effect on them.
    fn joins_records(&self, edge: &Edge) -> Result<bool, W::Error> {
        let (from, to) = (self.index.entry(&edge.from)?, self.index.entry(&edge.to)?);
        Ok(match (from, to) {
            (Some(from), Some(to)) => from.id != to.id && from.kind == to.kind && is_record(&from),
            _ => false,
        })
    }

    fn oldest(&self, ids: &[OpId]) -> Result<Option<OpId>, W::Error> {
        let mut oldest: Option<Entry> = None;
        for id in ids {
            if let Some(entry) = self.index.entry(id)?
                && oldest.as_ref().is_none_or(|oldest| entry.order() < oldest.order())
            {
                oldest = Some(entry);
            }
        }
        Ok(oldest.map(|entry| entry.id))
    }

    /// Whether a record is reachable from another one that stands, over `supersedes` edges in
    /// force.
    fn is_replaced(&mut self, id: &OpId) -> Result<bool, W::Error> {
        Ok(!self.replacing(id)?.is_empty())
    }

    /// The records whose `supersedes` edges replace one. Of the edges of a ring, one whose `from`
    /// is older than its `to` has no effect.
    fn replacing(&mut self, id: &OpId) -> Result<&[OpId], W::Error> {
        if !self.replacing.contains_key(id) {
            self.decide_replacing(id)?;
        }
        Ok(self.replacing.get(id).map_or(&[], Vec::as_slice))
    }

    fn decide_replacing(&mut self, id: &OpId) -> Result<(), W::Error> {
        let above = self.above(id)?;
        let rings = rings(&above);
        // What replaces a record comes before it here, because the edges that have effect form no
        // ring: between rings they follow the order of the rings, and within one they lead from
        // newer to older records.
        let mut records: Vec<(usize, &Replaceable)> = above
            .values()
            .map(|record| (rings.get(&record.order.1).copied().unwrap_or(0), record))
            .collect();
        records.sort_unstable_by(|(ring, record), (other_ring, other)| {
            ring.cmp(other_ring).then_with(|| other.order.cmp(&record.order))
        });
        for (ring, record) in records {
            let mut replacing = Vec::new();
            for newer in &record.newer {
                if above.get(newer).is_some_and(|by| by.order < record.order)
                    && rings.get(newer) == Some(&ring)
                {
                    continue;
                }
                let is_replaced = self.replacing.get(newer).is_some_and(|by| !by.is_empty());
                if is_replaced || self.is_standing(newer)? {
                    replacing.push(*newer);
                }
            }
            self.replacing.insert(record.order.1, replacing);
        }
        Ok(())
    }

    /// A record and everything from which `supersedes` edges in force lead to it, as far as the
    /// answer is not known. What is known is in another ring: a ring is decided as a whole.
    fn above(&mut self, id: &OpId) -> Result<BTreeMap<OpId, Replaceable>, W::Error> {
        let mut above = BTreeMap::new();
        let mut stack = vec![*id];
        while let Some(at) = stack.pop() {
            if above.contains_key(&at) {
                continue;
            }
            let Some(entry) = self.index.entry(&at)? else { continue };
            let mut newer = Vec::new();
            for edge in self.edges(EdgeType::Supersedes, Role::TO, &at)? {
                if self.joins_records(&edge)? {
                    newer.push(edge.from);
                    if !self.replacing.contains_key(&edge.from) {
                        stack.push(edge.from);
                    }
                }
            }
            above.insert(at, Replaceable { order: entry.order(), newer });
        }
        Ok(above)
    }
}

/// A record with those whose edges replace it.
struct Replaceable {
    order: (crate::operation::HlcTimestamp, OpId),
    newer: Vec<OpId>,
}

/// Whether an operation is a record: a claim or a node.
pub fn is_record(entry: &Entry) -> bool {
    entry.kind.spec().graph == GraphRole::Record
}

/// The number of the ring (strongly connected component) of each record: records that are reached
/// from each other share one, and a record comes after those that replace it. Tarjan's algorithm
/// with a stack of its own, so that a chain of any length is within bounds.
fn rings(above: &BTreeMap<OpId, Replaceable>) -> HashMap<OpId, usize> {
    struct Frame<'a> {
        id: OpId,
        next: std::slice::Iter<'a, OpId>,
    }
    let mut found: HashMap<OpId, usize> = HashMap::new();
    let mut low: HashMap<OpId, usize> = HashMap::new();
    let mut numbers: HashMap<OpId, usize> = HashMap::new();
    let mut open: Vec<OpId> = Vec::new();
    let mut count = 0;
    for (start, record) in above {
        if numbers.contains_key(start) {
            continue;
        }
        let mut frames = vec![Frame { id: *start, next: record.newer.iter() }];
        numbers.insert(*start, numbers.len());
        low.insert(*start, numbers.len() - 1);
        open.push(*start);
        while let Some(frame) = frames.last_mut() {
            let id = frame.id;
            match frame.next.next() {
                Some(newer) if !above.contains_key(newer) => {}
                Some(newer) if !numbers.contains_key(newer) => {
                    let number = numbers.len();
                    numbers.insert(*newer, number);
                    low.insert(*newer, number);
                    open.push(*newer);
                    if let Some(record) = above.get(newer) {
                        frames.push(Frame { id: *newer, next: record.newer.iter() });
                    }
                }
                Some(newer) => {
                    // One that is in a finished ring is above this one, and not in its ring.
                    if !found.contains_key(newer)
                        && let Some(number) = numbers.get(newer)
                    {
                        let number = *number;
                        low.entry(id).and_modify(|low| *low = (*low).min(number));
                    }
                }
                None => {
                    frames.pop();
                    let lowest = low.get(&id).copied().unwrap_or_default();
                    if let Some(frame) = frames.last() {
                        low.entry(frame.id).and_modify(|low| *low = (*low).min(lowest));
                    }
                    if numbers.get(&id) == Some(&lowest) {
                        while let Some(member) = open.pop() {
                            found.insert(member, count);
                            if member == id {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    found
}
