//! What verification judges operations by.
//!
//! Operations are judged in the space's order, each by those before it. Most are plain records,
//! which cite nothing and which nothing cites. Of these the rules ask nothing but where the chain
//! of an author ends, so only that is kept of them, and memory does not grow with their number. All
//! others go into a [`Graph`], together with the records that they cite, which are read again when
//! they are first cited.

use std::collections::HashMap;

use kernel::access::Access;
use kernel::body::Body;
use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::{Citing, Entry, Graph, Head, LedgerIndex};
use kernel::operation::{HlcTimestamp, Operation};
use kernel::soundness::ClaimStatus;
use store::sqlite::SqliteSpace;
use store::{Ledger, StoreError};

/// The operations before the one that is judged.
pub(super) struct CheckedLedger<'a> {
    store: &'a SqliteSpace,
    graph: Graph,
    heads: HashMap<Author, Head>,
    /// The place of the operation that is judged.
    judged: (HlcTimestamp, OpId),
    /// The operation that was taken in last.
    last: Option<OpId>,
}

impl<'a> CheckedLedger<'a> {
    /// Before the first operation of a ledger.
    pub(super) fn new(store: &'a SqliteSpace) -> Self {
        Self {
            store,
            graph: Graph::default(),
            heads: HashMap::new(),
            judged: (HlcTimestamp(0), OpId([0; 32])),
            last: None,
        }
    }

    /// Prepares for judging an operation: takes the plain records that it cites into the graph.
    pub(super) fn prepare<State>(&mut self, operation: &Operation<State>) {
        self.judged = operation.order();
        for reference in &operation.header().refs {
            if matches!(self.graph.entry(&reference.id), Ok(Some(_))) {
                continue;
            }
            // What does not read is named where it stands, and unknown to what cites it.
            if let Ok(Some(recorded)) = self.store.get(&reference.id)
                && is_plain(&recorded.operation)
                && recorded.operation.order() < self.judged
            {
                self.graph.insert(&recorded.operation, None);
            }
        }
    }

    /// Takes in the operation that was judged.
    pub(super) fn insert<State>(&mut self, operation: &Operation<State>, body: Option<&Body>) {
        self.last = Some(operation.id());
        let header = operation.header();
        let head = Head { seq: header.seq, id: operation.id(), ts: header.ts };
        let known = self.heads.entry(header.author).or_insert(head);
        if known.seq <= head.seq {
            *known = head;
        }
        if !is_plain(operation) {
            self.graph.insert(operation, body);
        }
    }
}

/// Whether it is a record that cites nothing.
fn is_plain<State>(operation: &Operation<State>) -> bool {
    let header = operation.header();
    header.kind == Kind::Evidence && header.refs.is_empty()
}

/// What the graph answers cannot fail.
fn certain<T>(answer: Result<T, std::convert::Infallible>) -> Result<T, StoreError> {
    answer.map_err(|never| match never {})
}

impl LedgerIndex for CheckedLedger<'_> {
    type Error = StoreError;

    fn space(&self) -> Result<Option<SpaceId>, StoreError> {
        certain(self.graph.space())
    }

    fn entry(&self, id: &OpId) -> Result<Option<Entry>, StoreError> {
        certain(self.graph.entry(id))
    }

    fn citing(&self, id: &OpId) -> Result<Vec<Citing>, StoreError> {
        certain(self.graph.citing(id))
    }

    fn acting(&self, id: &OpId, kind: &Kind, role: &str) -> Result<Vec<OpId>, StoreError> {
        certain(self.graph.acting(id, kind, role))
    }

    fn dependents(&self, id: &OpId) -> Result<Vec<(HlcTimestamp, OpId)>, StoreError> {
        certain(self.graph.dependents(id))
    }

    fn status(&self, id: &OpId) -> Result<Option<ClaimStatus>, StoreError> {
        certain(self.graph.status(id))
    }

    fn identity(&self, key: &str) -> Result<Vec<Entry>, StoreError> {
        certain(self.graph.identity(key))
    }

    fn latest_of(
        &self,
        key: &str,
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, StoreError> {
        certain(self.graph.latest_of(key, kind, before))
    }

    fn head(&self, author: &Author) -> Result<Option<Head>, StoreError> {
        Ok(self.heads.get(author).copied())
    }

    /// Asked only where a chain is broken, so the file is read. An operation that is there twice
    /// comes right after itself.
    fn at_seq(&self, author: &Author, seq: u64) -> Result<Option<OpId>, StoreError> {
        let index = self.store.ledger_index()?;
        let Some(id) = index.at_seq(author, seq)? else { return Ok(None) };
        if id == self.judged.1 {
            return Ok(self.last.filter(|last| *last == id));
        }
        let entry = index.entry(&id)?;
        Ok(entry.filter(|entry| entry.order() < self.judged).map(|entry| entry.id))
    }

    fn access(&self) -> Result<&Access, StoreError> {
        certain(self.graph.access())
    }

    /// Nothing: no rule asks for it.
    fn evidence(
        &self,
        _source: &str,
        _source_uid: &str,
    ) -> Result<Option<(OpId, BodyHash)>, StoreError> {
        Ok(None)
    }
}
