//! What the rules need to know of a ledger, and a plain in-memory answer.
//!
//! [`LedgerIndex`] is the port: a few look-ups, each of which an index answers without reading the
//! log. [`Graph`] is the in-memory implementation; the verifier of an exported ledger and the
//! memory store use it, and every other implementation is compared with it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;

use crate::access::{Access, Change, Place};
use crate::body::{Body, EdgeType};
use crate::id::{Author, BodyHash, OpId, SpaceId};
use crate::identity;
use crate::kind::{Capability, Kind};
use crate::operation::{Header, HlcTimestamp, Operation, Ref, Role};
use crate::refs::{cited, only};
use crate::soundness::{
    Arrival, ClaimStatus, StatusUpdate, may_change_status, needs_full_recompute,
    recompute_statuses, update_status,
};

/// What is known of a recorded operation without reading its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The operation.
    pub id: OpId,
    /// Its place in the order.
    pub ts: HlcTimestamp,
    /// What it does.
    pub kind: Kind,
    /// Who signed.
    pub author: Author,
    /// Its number in its author's chain.
    pub seq: u64,
    /// What it cites.
    pub refs: Vec<Ref>,
    /// The identity that a claim, correction or refutation is about.
    pub identity: Option<String>,
    /// The digest of the payload that a claim or correction states.
    pub payload: Option<BodyHash>,
    /// What a node is a version of, or an edge: its type and text, or its type and ends.
    pub record_key: Option<String>,
}

impl Entry {
    /// The place in the space's total order.
    pub fn order(&self) -> (HlcTimestamp, OpId) {
        (self.ts, self.id)
    }

    /// Its place in the order and in its author's chain, which decides what its author may do.
    pub fn place(&self) -> Place {
        Place { order: self.order(), seq: self.seq }
    }

    /// The cited operation of a role, if there is exactly one.
    pub fn sole_ref(&self, role: &str) -> Option<OpId> {
        only(self.cited(role))
    }

    /// Every operation that it cites in a role.
    pub fn cited<'e>(&'e self, role: &'e str) -> impl Iterator<Item = OpId> + use<'e> {
        cited(&self.refs, role)
    }

    /// What it is a version of: the identity of a claim, correction or refutation, the text of a
    /// node, the type and ends of an edge.
    pub fn version_key(&self) -> Option<&str> {
        self.identity.as_deref().or(self.record_key.as_deref())
    }

    /// The type of an edge whose body was read.
    pub fn edge_type(&self) -> Option<EdgeType> {
        identity::edge_type_of(self.record_key.as_deref()?)
    }

    /// What is known of `operation`, whose body reads as `body`.
    pub fn of<State>(operation: &Operation<State>, body: Option<&Body>) -> Self {
        let identity = body.and_then(Body::identity);
        let header = operation.header();
        Self {
            id: operation.id(),
            ts: header.ts,
            kind: header.kind.clone(),
            author: header.author,
            seq: header.seq,
            refs: header.refs.clone(),
            identity: identity.map(|(key, _)| key.to_owned()),
            payload: identity.and_then(|(_, payload)| payload),
            record_key: body.and_then(|body| record_key(body, &header.refs)),
        }
    }
}

/// What a node is a version of, or an edge; see [`Entry::record_key`]. None without a type, a text
/// or exactly one operation at each end.
pub fn record_key(body: &Body, refs: &[Ref]) -> Option<String> {
    match body {
        Body::Node(node) => {
            Some(identity::text_key(node.node_type?.as_str(), node.text.as_deref()?))
        }
        Body::Edge(edge) => {
            let (from, to) = (only(cited(refs, Role::FROM))?, only(cited(refs, Role::TO))?);
            Some(identity::edge_key(edge.edge_type?, &from, &to))
        }
        _ => None,
    }
}

/// An operation that cites another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Citing {
    /// The citing operation.
    pub id: OpId,
    /// As what it cites.
    pub role: String,
    /// What it does.
    pub kind: Kind,
}

/// The end of an author's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of the author's last operation.
    pub seq: u64,
    /// That operation.
    pub id: OpId,
    /// Its time.
    pub ts: HlcTimestamp,
}

/// Look-ups that the rules and states are computed from.
pub trait LedgerIndex {
    /// Why a look-up failed.
    type Error;

    /// The space, once it has begun.
    fn space(&self) -> Result<Option<SpaceId>, Self::Error>;
    /// One operation.
    fn entry(&self, id: &OpId) -> Result<Option<Entry>, Self::Error>;
    /// The time and the kind of one, where nothing else of it matters.
    fn time_and_kind(&self, id: &OpId) -> Result<Option<(HlcTimestamp, Kind)>, Self::Error> {
        Ok(self.entry(id)?.map(|entry| (entry.ts, entry.kind)))
    }
    /// The operations that cite an operation.
    fn citing(&self, id: &OpId) -> Result<Vec<Citing>, Self::Error>;
    /// The operations of one kind that cite an operation in one role. Thousands may be built on an
    /// operation that nobody ever acts on: an index by role answers without reading them all.
    fn acting(&self, id: &OpId, kind: &Kind, role: &str) -> Result<Vec<OpId>, Self::Error> {
        let citing = self.citing(id)?.into_iter();
        Ok(citing
            .filter(|citing| citing.kind == *kind && citing.role == role)
            .map(|citing| citing.id)
            .collect())
    }
    /// The operations that were built from one, by their places in the order, each once.
    fn dependents(&self, id: &OpId) -> Result<Vec<(HlcTimestamp, OpId)>, Self::Error> {
        let mut dependents = BTreeSet::new();
        for citing in self.citing(id)? {
            if citing.kind.spec().is_input(&citing.role)
                && let Some(entry) = self.entry(&citing.id)?
            {
                dependents.insert(entry.order());
            }
        }
        Ok(dependents.into_iter().collect())
    }
    /// The stored status of an operation; none where nothing is stored.
    fn status(&self, id: &OpId) -> Result<Option<ClaimStatus>, Self::Error>;
    /// Claims, corrections and refutations of an identity, in log order.
    fn identity(&self, key: &str) -> Result<Vec<Entry>, Self::Error>;
    /// The latest operation of `kind` with a [`version_key`](Entry::version_key), before a place in
    /// the order if one is given. There may be thousands: an index by kind answers without reading
    /// them all.
    fn latest_of(
        &self,
        key: &str,
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, Self::Error>;
    /// The end of an author's chain.
    fn head(&self, author: &Author) -> Result<Option<Head>, Self::Error>;
    /// An author's operation with that `seq`.
    fn at_seq(&self, author: &Author, seq: u64) -> Result<Option<OpId>, Self::Error>;
    /// Who may do what.
    fn access(&self) -> Result<&Access, Self::Error>;
    /// The latest evidence with that identity at its source, and its body hash. Evidence whose
    /// author lacked the capability, as far as was known when it arrived, does not count.
    fn evidence(
        &self,
        source: &str,
        source_uid: &str,
    ) -> Result<Option<(OpId, BodyHash)>, Self::Error>;
}

/// An operation with what walk looks up together.
#[derive(Debug)]
struct Node {
    entry: Entry,
    dependents: BTreeSet<(HlcTimestamp, OpId)>,
    status: Option<ClaimStatus>,
}

/// All look-ups in memory.
#[derive(Debug, Default)]
pub struct Graph {
    space: Option<SpaceId>,
    /// In order of arrival: operations that are built on each other are near each other.
    nodes: Vec<Node>,
    places: HashMap<OpId, usize>,
    citing: HashMap<OpId, BTreeSet<Citing>>,
    acting: HashMap<(OpId, Kind, String), BTreeSet<OpId>>,
    identities: HashMap<String, BTreeMap<Kind, BTreeSet<(HlcTimestamp, OpId)>>>,
    /// Nodes and edges by what they are versions of.
    records: HashMap<String, BTreeMap<Kind, BTreeSet<(HlcTimestamp, OpId)>>>,
    /// By author: number and operation, in order of number.
    chains: HashMap<Author, Vec<(u64, OpId)>>,
    access: Access,
    evidence: HashMap<(String, String), (HlcTimestamp, OpId, BodyHash)>,
    due: BTreeSet<(HlcTimestamp, OpId)>,
    latest: Option<HlcTimestamp>,
    /// True once an operation arrived that is not later than all it cites. Only a damaged ledger
    /// holds one, and no status is stored for it.
    is_disordered: bool,
}

impl Graph {
    /// Adds an operation that the rules have passed; one that is here already changes nothing. The
    /// statuses that it changes are stored when this returns.
    pub fn insert<State>(
        &mut self,
        operation: &Operation<State>,
        body: Option<&Body>,
    ) -> StatusUpdate {
        let entry = Entry::of(operation, body);
        if self.places.contains_key(&entry.id) {
            return StatusUpdate::default();
        }
        let at = entry.order();
        let arrival = Arrival::at(at.0, self.latest);
        self.latest = self.latest.max(Some(at.0));
        self.is_disordered |= self.citing.contains_key(&entry.id)
            || entry
                .refs
                .iter()
                .any(|cited| self.entry_of(&cited.id).is_none_or(|cited| cited.ts >= at.0));
        for reference in &entry.refs {
            if matches!(reference.role.as_str(), Role::TARGET | Role::SUPERSEDES) {
                let key = (reference.id, entry.kind.clone(), reference.role.as_str().to_owned());
                self.acting.entry(key).or_default().insert(entry.id);
            }
            if entry.kind.spec().is_input(reference.role.as_str())
                && let Some(cited) = self.node_mut(&reference.id)
            {
                cited.dependents.insert(at);
            }
            self.citing.entry(reference.id).or_default().insert(Citing {
                id: entry.id,
                role: reference.role.as_str().to_owned(),
                kind: entry.kind.clone(),
            });
        }
        if let Some(key) = &entry.identity {
            let statements = self.identities.entry(key.clone()).or_default();
            statements.entry(entry.kind.clone()).or_default().insert(at);
        }
        if let Some(key) = &entry.record_key {
            let versions = self.records.entry(key.clone()).or_default();
            versions.entry(entry.kind.clone()).or_default().insert(at);
        }
        let chain = self.chains.entry(entry.author).or_default();
        let seq = operation.header().seq;
        // At the end, unless a damaged ledger is read in order to judge the rest of it.
        chain.insert(chain.partition_point(|(earlier, _)| *earlier <= seq), (seq, entry.id));
        match body {
            Some(Body::Space(space)) => {
                self.space = Some(SpaceId(entry.id));
                self.access.set_owner(space.owner);
            }
            Some(Body::Grant(grant) | Body::Revoke(grant)) => self.access.insert(
                at,
                Change {
                    author: entry.author,
                    seq,
                    key: grant.key,
                    capabilities: grant.capabilities.clone(),
                    gives: entry.kind == Kind::Grant,
                    last_seq: grant.last_seq,
                },
            ),
            Some(Body::Evidence(evidence))
                if self.access.holds(&entry.author, Capability::Append, entry.place()) =>
            {
                let key = (evidence.source.clone(), evidence.source_uid.clone());
                let found = (at.0, at.1, operation.header().body);
                let latest = self.evidence.entry(key).or_insert(found);
                *latest = (*latest).max(found);
            }
            _ => {}
        }
        let node = Node { entry: entry.clone(), dependents: BTreeSet::new(), status: None };
        self.places.insert(entry.id, self.nodes.len());
        self.nodes.push(node);
        self.update(operation.header(), &entry, arrival)
    }

    fn update(&mut self, header: &Header, entry: &Entry, arrival: Arrival) -> StatusUpdate {
        if self.is_disordered {
            return StatusUpdate::default();
        }
        let updated = if needs_full_recompute(header, arrival) {
            let entries = self.nodes.iter().map(|node| &node.entry);
            let claims = entries.filter(|entry| entry.kind.spec().has_soundness).map(Entry::order);
            recompute_statuses(
                &*self,
                claims.collect::<BTreeSet<_>>().into_iter().map(|(_, id)| id),
            )
        } else if may_change_status(header) {
            update_status(&*self, entry, arrival)
        } else {
            return StatusUpdate::default();
        };
        let Ok(update) = updated;
        for change in &update.changes {
            let Some(place) = self.places.get(&change.id) else { continue };
            let Some(node) = self.nodes.get_mut(*place) else { continue };
            let was_due = node.status.is_some_and(|status| status.due);
            node.status = Some(change.after);
            if change.after.due {
                self.due.insert(node.entry.order());
            } else if was_due {
                self.due.remove(&node.entry.order());
            }
        }
        update
    }

    fn entry_of(&self, id: &OpId) -> Option<&Entry> {
        self.node(id).map(|node| &node.entry)
    }

    fn node(&self, id: &OpId) -> Option<&Node> {
        self.nodes.get(*self.places.get(id)?)
    }

    fn node_mut(&mut self, id: &OpId) -> Option<&mut Node> {
        self.nodes.get_mut(*self.places.get(id)?)
    }

    /// Claims whose invalidation is still to be recorded, in the space's order.
    pub fn due(&self) -> Vec<OpId> {
        self.due.iter().map(|(_, id)| *id).collect()
    }

    /// How many operations it holds.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True before the genesis operation.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

impl LedgerIndex for Graph {
    type Error = Infallible;

    fn space(&self) -> Result<Option<SpaceId>, Infallible> {
        Ok(self.space)
    }

    fn entry(&self, id: &OpId) -> Result<Option<Entry>, Infallible> {
        Ok(self.entry_of(id).cloned())
    }

    fn citing(&self, id: &OpId) -> Result<Vec<Citing>, Infallible> {
        Ok(self.citing.get(id).map(|citing| citing.iter().cloned().collect()).unwrap_or_default())
    }

    fn acting(&self, id: &OpId, kind: &Kind, role: &str) -> Result<Vec<OpId>, Infallible> {
        if matches!(role, Role::TARGET | Role::SUPERSEDES) {
            let acting = self.acting.get(&(*id, kind.clone(), role.to_owned()));
            return Ok(acting.map(|acting| acting.iter().copied().collect()).unwrap_or_default());
        }
        let citing = self.citing.get(id).into_iter().flatten();
        Ok(citing
            .filter(|citing| citing.kind == *kind && citing.role == role)
            .map(|citing| citing.id)
            .collect())
    }

    fn dependents(&self, id: &OpId) -> Result<Vec<(HlcTimestamp, OpId)>, Infallible> {
        Ok(self.node(id).map(|node| node.dependents.iter().copied().collect()).unwrap_or_default())
    }

    fn status(&self, id: &OpId) -> Result<Option<ClaimStatus>, Infallible> {
        let status = self.node(id).and_then(|node| node.status);
        Ok(status.filter(|_| !self.is_disordered))
    }

    fn identity(&self, key: &str) -> Result<Vec<Entry>, Infallible> {
        let statements = self.identities.get(key).into_iter().flat_map(BTreeMap::values).flatten();
        let in_order: BTreeSet<_> = statements.collect();
        Ok(in_order.into_iter().filter_map(|(_, id)| self.entry_of(id).cloned()).collect())
    }

    fn latest_of(
        &self,
        key: &str,
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, Infallible> {
        let versions = if kind.spec().has_record_key { &self.records } else { &self.identities };
        let Some(places) = versions.get(key).and_then(|places| places.get(kind)) else {
            return Ok(None);
        };
        let latest = match before {
            Some(before) => places.range(..before).next_back(),
            None => places.last(),
        };
        Ok(latest.and_then(|(_, id)| self.entry_of(id).cloned()))
    }

    fn head(&self, author: &Author) -> Result<Option<Head>, Infallible> {
        let Some(chain) = self.chains.get(author) else { return Ok(None) };
        let last = chain.last().and_then(|(seq, id)| Some((*seq, self.entry_of(id)?)));
        Ok(last.map(|(seq, entry)| Head { seq, id: entry.id, ts: entry.ts }))
    }

    fn at_seq(&self, author: &Author, seq: u64) -> Result<Option<OpId>, Infallible> {
        let found = self.chains.get(author).and_then(|chain| {
            let position = chain.binary_search_by_key(&seq, |(seq, _)| *seq).ok()?;
            chain.get(position)
        });
        Ok(found.map(|(_, id)| *id))
    }

    fn access(&self) -> Result<&Access, Infallible> {
        Ok(&self.access)
    }

    fn evidence(
        &self,
        source: &str,
        source_uid: &str,
    ) -> Result<Option<(OpId, BodyHash)>, Infallible> {
        let key = (source.to_owned(), source_uid.to_owned());
        Ok(self.evidence.get(&key).map(|(_, id, body)| (*id, *body)))
    }
}
