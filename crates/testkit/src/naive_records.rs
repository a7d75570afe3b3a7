//! A naive model of the status of records: every query looks at all edges of the history.
//!
//! Written only from the specification ("State of graph records"), over [`Replay`]. It tries every
//! path, so it is for histories of some hundreds of steps.

use std::collections::BTreeSet;

use kernel::body::{Body, EdgeType};
use kernel::id::OpId;
use kernel::identity::normalized_text;
use kernel::kind::Kind;
use kernel::records::RecordStatus;

use crate::naive_beliefs::{OperationWithBody, Replay};

/// An edge in force.
struct Link<'s> {
    edge: &'s OperationWithBody,
    from: OpId,
    to: OpId,
}

/// Statuses after a replay.
pub struct NaiveRecords<'r, 's> {
    replay: &'r Replay<'s>,
    /// Records that have effect.
    records: Vec<&'s OperationWithBody>,
    standing: BTreeSet<OpId>,
    replacements: Vec<Link<'s>>,
    redirects: Vec<Link<'s>>,
}

impl<'r, 's> NaiveRecords<'r, 's> {
    /// Looks at the whole history.
    pub fn of(replay: &'r Replay<'s>) -> Self {
        let all = replay.in_order();
        let records: Vec<&OperationWithBody> = all
            .iter()
            .copied()
            .filter(|entry| matches!(entry.kind(), Kind::Claim | Kind::Node))
            .filter(|entry| replay.has_effect(&entry.id()))
            .collect();
        let mut naive = Self {
            replay,
            records,
            standing: BTreeSet::new(),
            replacements: Vec::new(),
            redirects: Vec::new(),
        };
        naive.replacements = naive.links(&all, EdgeType::Supersedes);
        naive.redirects = naive.links(&all, EdgeType::SameAs);
        let standing: BTreeSet<OpId> =
            naive.records.iter().filter(|record| naive.stands(record)).map(|it| it.id()).collect();
        naive.standing = standing;
        naive
    }

    fn record(&self, id: &OpId) -> Option<&'s OperationWithBody> {
        self.records.iter().find(|record| record.id() == *id).copied()
    }

    /// The edges in force of a type between two records of one kind.
    fn links(&self, all: &[&'s OperationWithBody], edge_type: EdgeType) -> Vec<Link<'s>> {
        let mut links = Vec::new();
        for edge in all {
            let Some(Body::Edge(body)) = &edge.body else { continue };
            let (from, to) = (edge.cited("from"), edge.cited("to"));
            let ([from], [to]) = (from.as_slice(), to.as_slice()) else { continue };
            let kinds = [from, to].map(|end| self.replay.kind_of(end));
            let is_record = matches!(kinds[0], Some(Kind::Claim | Kind::Node));
            if body.edge_type == Some(edge_type)
                && self.replay.has_effect(&edge.id())
                && self.replay.is_sound(&edge.id())
                && kinds[0] == kinds[1]
                && is_record
                && from != to
            {
                links.push(Link { edge, from: *from, to: *to });
            }
        }
        links
    }

    /// Whether a later record says the same.
    fn has_later_version(&self, record: &OperationWithBody) -> bool {
        let text = |record: &OperationWithBody| match &record.body {
            Some(Body::Claim(claim)) => Some(("claim", claim.identity_key.clone())),
            Some(Body::Node(node)) => {
                let node_type = node.node_type?.as_str();
                Some((node_type, normalized_text(node.text.as_ref()?)))
            }
            _ => None,
        };
        let Some(said) = text(record) else { return false };
        self.records.iter().any(|other| {
            other.operation.order() > record.operation.order() && text(other) == Some(said.clone())
        })
    }

    fn is_refuted(&self, record: &OperationWithBody) -> bool {
        let Some(Body::Claim(claim)) = &record.body else { return false };
        self.replay.state(&claim.identity_key) == kernel::validity::State::Refuted
    }

    fn stands(&self, record: &OperationWithBody) -> bool {
        self.replay.is_sound(&record.id())
            && !self.is_refuted(record)
            && !self.has_later_version(record)
    }

    fn reaches(links: &[&Link<'_>], from: &OpId, to: &OpId) -> bool {
        let mut reached = BTreeSet::from([*from]);
        loop {
            let next: Vec<OpId> = links
                .iter()
                .filter(|link| reached.contains(&link.from) && !reached.contains(&link.to))
                .map(|link| link.to)
                .collect();
            if next.is_empty() {
                return reached.contains(to);
            }
            reached.extend(next);
        }
    }

    fn is_older(&self, one: &OpId, other: &OpId) -> bool {
        match (self.replay.order_of(one), self.replay.order_of(other)) {
            (Some(one), Some(other)) => one < other,
            _ => false,
        }
    }

    /// The replacements without those that go back in a ring.
    fn effective(&self) -> Vec<&Link<'s>> {
        let all: Vec<&Link<'_>> = self.replacements.iter().collect();
        self.replacements
            .iter()
            .filter(|link| {
                !(self.is_older(&link.from, &link.to) && Self::reaches(&all, &link.to, &link.from))
            })
            .collect()
    }

    fn is_replaced(&self, id: &OpId) -> bool {
        let effective = self.effective();
        self.standing.iter().any(|other| other != id && Self::reaches(&effective, other, id))
    }

    /// The ends of all replacements and redirects.
    pub fn joined(&self) -> BTreeSet<OpId> {
        let links = self.replacements.iter().chain(&self.redirects);
        links.flat_map(|link| [link.from, link.to]).collect()
    }

    /// Everything to which a record gives way, itself among it: a replacement counts while it
    /// replaces something, a redirect while both its ends stand.
    pub fn gives_way_to(&self, id: &OpId) -> BTreeSet<OpId> {
        let replaces = self
            .effective()
            .into_iter()
            .filter(|link| self.standing.contains(&link.from) || self.is_replaced(&link.from));
        let mut steps: Vec<(OpId, OpId)> = replaces.map(|link| (link.to, link.from)).collect();
        let redirects = self.standing.iter().filter_map(|from| Some((*from, self.redirect(from)?)));
        steps.extend(redirects);
        let mut reached = BTreeSet::from([*id]);
        while let Some((_, next)) =
            steps.iter().find(|(at, next)| reached.contains(at) && !reached.contains(next))
        {
            reached.insert(*next);
        }
        reached
    }

    fn redirect(&self, id: &OpId) -> Option<OpId> {
        self.redirects
            .iter()
            .filter(|link| link.from == *id && self.standing.contains(&link.to))
            .max_by_key(|link| link.edge.operation.order())
            .map(|link| link.to)
    }

    /// Where the redirects of a record lead.
    pub fn canonical(&self, id: &OpId) -> OpId {
        let mut path = vec![*id];
        loop {
            let Some(last) = path.last() else { return *id };
            let Some(next) = self.redirect(last) else { return *last };
            if let Some(place) = path.iter().position(|seen| *seen == next) {
                let ring = &path[place..];
                return *ring.iter().min_by_key(|id| self.replay.order_of(id)).unwrap_or(id);
            }
            path.push(next);
        }
    }

    /// The status of a record; none of what is not one.
    pub fn status(&self, id: &OpId) -> Option<RecordStatus> {
        let record = self.record(id)?;
        Some(if self.replay.is_undone(id) {
            RecordStatus::Retracted
        } else if self.is_refuted(record) {
            RecordStatus::Refuted
        } else if self.has_later_version(record) {
            RecordStatus::Superseded
        } else if !self.replay.is_sound(id) {
            RecordStatus::Invalidated
        } else if self.is_replaced(id) {
            RecordStatus::Superseded
        } else if self.canonical(id) != *id {
            RecordStatus::Alias
        } else {
            RecordStatus::Active
        })
    }
}
