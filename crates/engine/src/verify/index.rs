//! What verification judges operations by.
//!
//! Operations are judged in the space's order, each by those before it. Most are plain records,
//! which cite nothing and which nothing cites. Of these the rules ask nothing but where the chain
//! of an author ends, so only that is kept of them, and memory does not grow with their number. All
//! others go into a graph, together with the records that they cite, which are read again when
//! they are first cited. The graph is in memory if it is small, which is faster, and otherwise in a
//! temporary file.

use std::collections::HashMap;

use kernel::access::Access;
use kernel::body::Body;
use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::{Citing, Entry, Graph, Head, LedgerIndex};
use kernel::operation::{HlcTimestamp, Operation};
use kernel::soundness::ClaimStatus;
use store::sqlite::{ScratchGraph, ScratchIndex, SqliteSpace};
use store::{Ledger, StoreError};

/// Citations and versions of identities up to which the graph is in memory. A hundred thousand
/// claims with one input each are more.
pub(super) const ROWS_IN_MEMORY_MAX: u64 = 1 << 17;

/// Where the graph of a verification is.
pub(super) enum GraphPlace {
    /// In memory.
    Memory,
    /// In a temporary file.
    File(ScratchGraph),
}

impl GraphPlace {
    /// The place for the graph of a ledger. If a temporary file cannot be made, it is in memory.
    pub(super) fn of(store: &SqliteSpace, rows_in_memory_max: u64) -> Self {
        match store.graph_rows() {
            Ok(rows) if rows > rows_in_memory_max => {
                ScratchGraph::new().map_or(Self::Memory, Self::File)
            }
            _ => Self::Memory,
        }
    }
}

/// The operations that the rules look up.
enum KnownOperations<'a> {
    Memory(Graph),
    File(ScratchIndex<'a>),
}

impl KnownOperations<'_> {
    fn insert<State>(
        &mut self,
        operation: &Operation<State>,
        body: Option<&Body>,
    ) -> Result<(), StoreError> {
        match self {
            Self::Memory(graph) => {
                graph.insert(operation, body);
                Ok(())
            }
            Self::File(scratch) => scratch.insert(operation, body),
        }
    }
}

/// The operations before the one that is judged.
pub(super) struct CheckedLedger<'a> {
    store: &'a SqliteSpace,
    known: KnownOperations<'a>,
    heads: HashMap<Author, Head>,
    /// The place of the operation that is judged.
    judged: (HlcTimestamp, OpId),
    /// The operation that was taken in last.
    last: Option<OpId>,
}

impl<'a> CheckedLedger<'a> {
    /// Before the first operation of a ledger.
    pub(super) fn new(store: &'a SqliteSpace, place: &'a GraphPlace) -> Result<Self, StoreError> {
        Ok(Self {
            store,
            known: match place {
                GraphPlace::Memory => KnownOperations::Memory(Graph::default()),
                GraphPlace::File(scratch) => KnownOperations::File(scratch.index()?),
            },
            heads: HashMap::new(),
            judged: (HlcTimestamp(0), OpId([0; 32])),
            last: None,
        })
    }

    /// Prepares for judging an operation: takes the plain records that it cites into the graph.
    pub(super) fn prepare<State>(
        &mut self,
        operation: &Operation<State>,
    ) -> Result<(), StoreError> {
        self.judged = operation.order();
        for reference in &operation.header().refs {
            if self.entry(&reference.id)?.is_some() {
                continue;
            }
            // What does not read is named where it stands, and unknown to what cites it.
            if let Ok(Some(recorded)) = self.store.get(&reference.id)
                && is_plain(&recorded.operation)
                && recorded.operation.order() < self.judged
            {
                self.known.insert(&recorded.operation, None)?;
            }
        }
        Ok(())
    }

    /// Takes in the operation that was judged.
    pub(super) fn insert<State>(
        &mut self,
        operation: &Operation<State>,
        body: Option<&Body>,
    ) -> Result<(), StoreError> {
        self.last = Some(operation.id());
        let header = operation.header();
        let head = Head { seq: header.seq, id: operation.id(), ts: header.ts };
        let known = self.heads.entry(header.author).or_insert(head);
        if known.seq <= head.seq {
            *known = head;
        }
        if is_plain(operation) { Ok(()) } else { self.known.insert(operation, body) }
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

/// What the graph answers, wherever it is.
macro_rules! ask {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {
        $(fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
            match &self.known {
                KnownOperations::Memory(graph) => certain(graph.$name($($argument),*)),
                KnownOperations::File(scratch) => scratch.get().$name($($argument),*),
            }
        })+
    };
}

impl LedgerIndex for CheckedLedger<'_> {
    type Error = StoreError;

    ask! {
        space() -> Option<SpaceId>;
        entry(id: &OpId) -> Option<Entry>;
        citing(id: &OpId) -> Vec<Citing>;
        acting(id: &OpId, kind: &Kind, role: &str) -> Vec<OpId>;
        dependents(id: &OpId) -> Vec<(HlcTimestamp, OpId)>;
        status(id: &OpId) -> Option<ClaimStatus>;
        identity(key: &str) -> Vec<Entry>;
        latest_of(
            key: &str, kind: &Kind, before: Option<(HlcTimestamp, OpId)>
        ) -> Option<Entry>;
        access() -> &Access;
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

    /// Nothing: no rule asks for it.
    fn evidence(
        &self,
        _source: &str,
        _source_uid: &str,
    ) -> Result<Option<(OpId, BodyHash)>, StoreError> {
        Ok(None)
    }
}
