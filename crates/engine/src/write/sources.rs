//! Imports as records of their own: what was read, and which operations were appended then.

use kernel::body::{Body, Import, SeqRange};
use kernel::id::{Author, OpId};
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::HlcTimestamp;
use store::{Position, Writing};

use crate::belief::body_of;
use crate::inspect::ALTERED;
use crate::{EngineError, Reader};

/// Most ranges of one import. More are not noted, and the import does not count as complete.
pub(crate) const RANGES_MAX: usize = 40_000;

/// An import that is on record.
#[derive(Clone, Debug)]
pub struct ImportRecord {
    /// The operation.
    pub id: OpId,
    /// Who imported.
    pub author: Author,
    /// When it was recorded.
    pub ts: HlcTimestamp,
    /// What was read and appended.
    pub body: Import,
}

/// What an import appends, as ranges of the author's chain.
#[derive(Debug, Default)]
pub(crate) struct AppendedRanges {
    ranges: Vec<SeqRange>,
    overflowed: bool,
}

impl AppendedRanges {
    /// Adds what a batch appended. It continues the last range, unless another process appended
    /// with the same key in between.
    pub(crate) fn push(&mut self, range: Option<SeqRange>) {
        let Some(range) = range else { return };
        let is_full = self.ranges.len() >= RANGES_MAX;
        match self.ranges.last_mut() {
            Some(last) if last.last.saturating_add(1) == range.first => last.last = range.last,
            _ if is_full => self.overflowed = true,
            _ => self.ranges.push(range),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges, and whether they are all.
    pub(crate) fn into_parts(self) -> (Vec<SeqRange>, bool) {
        (self.ranges, !self.overflowed)
    }
}

/// Numbers that an author's chain has more of than when it had `before`.
pub(crate) fn appended_since(
    writing: &dyn Writing,
    author: &Author,
    before: u64,
) -> Result<Option<SeqRange>, EngineError> {
    let last = writing.head(author)?.map_or(0, |head| head.seq);
    Ok((last > before).then(|| SeqRange { first: before.saturating_add(1), last }))
}

impl Reader<'_> {
    /// The imports on record, the latest first, at most `limit`.
    pub fn imports(&self, limit: usize) -> Result<Vec<ImportRecord>, EngineError> {
        self.store.on_snapshot(|index| {
            let mut found = Vec::new();
            for id in index.imports(limit)? {
                let Some(entry) = index.entry(&id)? else { continue };
                if let Some(Body::Import(mut body)) = body_of(index, &id, &Kind::Import)? {
                    if !self.store.is_as_signed(&id)? {
                        body = Import { path: Some(ALTERED.to_owned()), ..Import::default() };
                    }
                    found.push(ImportRecord { id, author: entry.author, ts: entry.ts, body });
                }
            }
            Ok(found)
        })
    }

    /// The evidence that the import with this id, or the beginning of one, appended, in order of
    /// arrival.
    pub(crate) fn imported_by(&self, name: &str) -> Result<Vec<(Position, OpId)>, EngineError> {
        let id = self.resolve(name)?;
        self.check_as_signed([id])?;
        let shown = self.show(&id)?;
        let header = shown.operation.header();
        let body = shown.operation.body().map(|bytes| Body::parse(&header.kind, bytes));
        match body {
            Some(Ok(Body::Import(import))) => {
                let mut appended = self.evidence_in(&header.author, &import)?;
                appended.sort_unstable();
                Ok(appended)
            }
            _ => Err(EngineError::NotAnImport { id, kind: header.kind.clone() }),
        }
    }

    /// The evidence in the ranges of an import.
    pub(crate) fn evidence_in(
        &self,
        author: &Author,
        import: &Import,
    ) -> Result<Vec<(Position, OpId)>, EngineError> {
        let mut appended = Vec::new();
        for range in import.operations.iter().flatten() {
            let links = self.store.chain(author, range.first..=range.last)?;
            let evidence = links.into_iter().filter(|link| link.kind == Kind::Evidence);
            appended.extend(evidence.map(|link| (link.position, link.id)));
        }
        Ok(appended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_batches_are_one_range_and_gaps_are_kept() {
        let mut ranges = AppendedRanges::default();
        for (first, last) in [(2, 4), (5, 5), (9, 12)] {
            ranges.push(Some(SeqRange { first, last }));
        }
        ranges.push(None);
        let pairs: Vec<(u64, u64)> = ranges.into_parts().0.into_iter().map(Into::into).collect();
        assert_eq!(pairs, [(2, 5), (9, 12)]);
    }
}
