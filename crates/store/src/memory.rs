//! A ledger in memory: the plainest implementation, for tests and for checking others against.

use std::collections::HashMap;

use kernel::access::Access;
use kernel::body::Body;
use kernel::cascade::{Consequences, Journal, consequences};
use kernel::id::{Author, BodyHash, IdPrefix, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::{Citing, Entry, Graph, Head, LedgerIndex};
use kernel::operation::{HlcTimestamp, Operation, Unverified, Verified};
use kernel::redaction::{concerned, redacted_with};
use kernel::rules::{self, Verdict};
use kernel::soundness::{ClaimStatus, StatusUpdate};

use crate::{Ledger, Position, RecordError, Recorded, StoreError, Writing};

/// Operations in order of arrival, and the graph over them.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    operations: Vec<Operation<Verified>>,
    positions: HashMap<OpId, usize>,
    graph: Graph,
}

impl MemoryLedger {
    fn recorded(&self, index: usize) -> Option<Recorded> {
        let operation = self.operations.get(index)?;
        let operation = Operation::<Unverified>::from_parts(
            operation.id(),
            operation.header().clone(),
            operation.content().clone(),
            *operation.sig(),
        );
        Some(Recorded { position: Position(index as u64 + 1), operation: operation.ok()? })
    }

    fn insert(&mut self, operation: &Operation<Verified>, body: Option<&Body>) -> StatusUpdate {
        self.positions.insert(operation.id(), self.operations.len());
        self.operations.push(operation.clone());
        self.graph.insert(operation, body)
    }

    /// Removes redacted bodies, and makes the graph again if there were any.
    fn erase_redacted(&mut self) {
        let redactions =
            self.operations.iter().filter(|operation| operation.header().kind == Kind::Redaction);
        let targets: Vec<OpId> =
            redactions.flat_map(|redaction| concerned(&redaction.header().refs)).collect();
        let Ok(redacted) = redacted_with(&self.graph, targets);
        let is_whole = |operation: &Operation| {
            redacted.contains(&operation.id()) && operation.body().is_some()
        };
        if self.operations.iter().any(is_whole) {
            let operations: Vec<_> = std::mem::take(&mut self.operations)
                .into_iter()
                .map(|operation| match redacted.contains(&operation.id()) {
                    true => operation.without_body(),
                    false => operation,
                })
                .collect();
            self.fill(operations);
        }
    }

    /// Replaces everything.
    fn fill(&mut self, operations: Vec<Operation<Verified>>) {
        *self = Self::default();
        for operation in operations {
            let body = operation
                .body()
                .and_then(|bytes| Body::parse(&operation.header().kind, bytes).ok());
            self.insert(&operation, body.as_ref());
        }
    }
}

impl Ledger for MemoryLedger {
    fn begin(&mut self) -> Result<Box<dyn Writing + '_>, StoreError> {
        let committed = self.operations.len();
        Ok(Box::new(MemoryWriting { ledger: self, committed, journal: Journal::default() }))
    }

    fn space(&self) -> Result<Option<SpaceId>, StoreError> {
        Ok(self.operations.first().map(Operation::space))
    }

    fn head(&self) -> Result<Position, StoreError> {
        Ok(Position(self.operations.len() as u64))
    }

    fn read(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        let start = usize::try_from(after.0).unwrap_or(usize::MAX);
        let end = start.saturating_add(limit).min(self.operations.len());
        Ok((start..end).filter_map(|index| self.recorded(index)).collect())
    }

    fn get(&self, id: &OpId) -> Result<Option<Recorded>, StoreError> {
        Ok(self.positions.get(id).and_then(|index| self.recorded(*index)))
    }

    fn find(&self, prefix: &IdPrefix, limit: usize) -> Result<Vec<OpId>, StoreError> {
        let span = prefix.first()..=prefix.last();
        let mut ids: Vec<OpId> =
            self.positions.keys().filter(|id| span.contains(id)).copied().collect();
        ids.sort_unstable();
        ids.truncate(limit);
        Ok(ids)
    }

    fn complete(&mut self, whole: &[Operation<Verified>]) -> Result<u64, StoreError> {
        let mut completed = 0;
        for operation in whole.iter().filter(|operation| operation.body().is_some()) {
            let place = self.positions.get(&operation.id());
            if let Some(recorded) = place.and_then(|place| self.operations.get_mut(*place))
                && recorded.content() != operation.content()
            {
                recorded.clone_from(operation);
                completed += 1;
            }
        }
        if completed > 0 {
            let operations = std::mem::take(&mut self.operations);
            self.fill(operations);
        }
        Ok(completed)
    }
}

struct MemoryWriting<'a> {
    ledger: &'a mut MemoryLedger,
    committed: usize,
    journal: Journal,
}

impl Drop for MemoryWriting<'_> {
    fn drop(&mut self) {
        if self.ledger.operations.len() > self.committed {
            let kept: Vec<_> = self.ledger.operations.drain(..).take(self.committed).collect();
            self.ledger.fill(kept);
        }
    }
}

impl Writing for MemoryWriting<'_> {
    fn body(&self, id: &OpId) -> Result<Option<Vec<u8>>, StoreError> {
        let index = self.ledger.positions.get(id);
        let operation = index.and_then(|index| self.ledger.operations.get(*index));
        Ok(operation.and_then(|operation| operation.body().map(<[u8]>::to_vec)))
    }

    fn removed(&self, body: &BodyHash) -> Result<Option<OpId>, StoreError> {
        let mut operations = self.ledger.operations.iter();
        let found = operations
            .find(|operation| operation.body().is_none() && operation.header().body == *body);
        Ok(found.map(Operation::id))
    }

    fn latest(&self) -> Result<Option<HlcTimestamp>, StoreError> {
        Ok(self.ledger.operations.iter().map(|operation| operation.header().ts).max())
    }

    fn record(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
    ) -> Result<Verdict, RecordError> {
        let verdict = rules::judge(operation, body, &*self)
            .map_err(|error| RecordError::of(operation.id(), error))?;
        if verdict == Verdict::Append {
            self.journal.note(self.ledger.insert(operation, body));
        }
        Ok(verdict)
    }

    fn admit(
        &mut self,
        operation: &Operation<Verified>,
        body: Option<&Body>,
    ) -> Result<Verdict, RecordError> {
        let placed = rules::judge_place(operation, body, &*self);
        let verdict = placed
            .map_err(|error| RecordError::of(operation.id(), error))?
            .unwrap_or(Verdict::Append);
        if verdict == Verdict::Append {
            self.journal.note(self.ledger.insert(operation, body));
        }
        Ok(verdict)
    }

    fn follow(&mut self) -> Result<Consequences, StoreError> {
        self.ledger.erase_redacted();
        let journal = std::mem::take(&mut self.journal);
        consequences(&*self, &journal, self.ledger.graph.due())
    }

    fn commit(mut self: Box<Self>) -> Result<Position, StoreError> {
        self.ledger.erase_redacted();
        self.committed = self.ledger.operations.len();
        self.ledger.head()
    }
}

/// The graph cannot fail, so its answers are the writing's.
macro_rules! ask {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty),+ $(,)?) => {
        impl LedgerIndex for MemoryWriting<'_> {
            type Error = StoreError;
            $(fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
                match self.ledger.graph.$name($($argument),*) {
                    Ok(answer) => Ok(answer),
                    Err(never) => match never {},
                }
            })+
        }
    };
}

ask! {
    space() -> Option<SpaceId>,
    entry(id: &OpId) -> Option<Entry>,
    citing(id: &OpId) -> Vec<Citing>,
    acting(id: &OpId, kind: &Kind, role: &str) -> Vec<OpId>,
    dependents(id: &OpId) -> Vec<(HlcTimestamp, OpId)>,
    status(id: &OpId) -> Option<ClaimStatus>,
    identity(key: &str) -> Vec<Entry>,
    latest_of(key: &str, kind: &Kind, before: Option<(HlcTimestamp, OpId)>) -> Option<Entry>,
    head(author: &Author) -> Option<Head>,
    at_seq(author: &Author, seq: u64) -> Option<OpId>,
    access() -> &Access,
    evidence(source: &str, source_uid: &str) -> Option<(OpId, BodyHash)>,
}
