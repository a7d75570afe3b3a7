//! Marks for removal.
//!
//! A mark is an annotation with the field `mark`. If an operation has more than one, the last by
//! order counts, so a mark is taken back by an annotation with the mark `none`. A mark changes
//! nothing of what is recalled or believed: it says that the record may be archived and erased
//! later.
//!
//! Marks are listed from an index on annotations that mark something, the oldest first. No list
//! reads the rest of the ledger.

use std::collections::HashSet;

use kernel::body::{Annotation, Body, Mark};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{HlcTimestamp, Role};
use store::sqlite::SqliteLedgerIndex;
use store::{StoreError, Writing};

use crate::belief::name::acting;
use crate::belief::review::acting_on;
use crate::belief::{Bodies, body_of};
use crate::inspect::{ALTERED, summary_of};
use crate::outcome::Intent;
use crate::writer::seal_into;
use crate::{EngineError, Reader, Writer};

/// Most marks of one append.
pub const MARKS_MAX: usize = 100_000;

/// Which marks are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkFilter {
    /// Made at this time at the latest, microseconds since the Unix epoch; at any time if none.
    pub until_us: Option<u64>,
    /// How many at most.
    pub limit: usize,
}

/// A record that is marked for removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The record.
    pub id: OpId,
    /// Its kind.
    pub kind: Kind,
    /// The annotation that marks it.
    pub mark: OpId,
    /// When it was marked.
    pub at: HlcTimestamp,
    /// The record in one line.
    pub summary: String,
}

/// Records that are marked, those that were marked first before the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkedList {
    /// The records.
    pub marked: Vec<Marked>,
    /// Whether the limit left some out.
    pub has_more: bool,
}

/// What marking did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// Records whose mark changed, or would change.
    pub changed: Vec<OpId>,
    /// Records that had this mark already, or none to take back.
    pub unchanged: u64,
    /// Operations that cannot be marked, each with the reason.
    pub skipped: Vec<(OpId, NotMarked)>,
}

/// Why an operation is not marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotMarked {
    /// It is not here.
    Unknown,
    /// Its content is gone already.
    Removed,
    /// It is not a record: neither evidence nor a thought, a node or an edge, nor a claim that
    /// somebody stated.
    NotARecord,
}

impl NotMarked {
    /// A stable word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Removed => "removed",
            Self::NotARecord => "not_a_record",
        }
    }
}

/// The mark of an operation, and the annotation that makes it; none if nothing marks it.
pub(crate) fn mark_of<B: Bodies + ?Sized>(
    index: &B,
    id: &OpId,
) -> Result<Option<(Mark, Entry)>, StoreError> {
    let mut last = None;
    for entry in acting(index, id, &Kind::Annotation)? {
        if let Some(Body::Annotation(Annotation { mark: Some(mark), .. })) =
            body_of(index, &entry.id, &entry.kind)?
        {
            last = Some((mark, entry));
        }
    }
    Ok(last)
}

/// Whether an operation can be marked.
pub(crate) fn markable<B: Bodies + ?Sized>(
    index: &B,
    id: &OpId,
) -> Result<Result<(), NotMarked>, StoreError> {
    let Some(found) = index.outline_of(id)? else { return Ok(Err(NotMarked::Unknown)) };
    if !found.kind.spec().may_be_marked {
        return Ok(Err(NotMarked::NotARecord));
    }
    if !found.has_body {
        return Ok(Err(NotMarked::Removed));
    }
    // It would be derived again.
    let is_derived = found.kind == Kind::Claim
        && matches!(
            body_of(index, id, &found.kind)?,
            Some(Body::Claim(claim)) if claim.deriver.is_some()
        );
    Ok(if is_derived { Err(NotMarked::NotARecord) } else { Ok(()) })
}

impl Writer<'_> {
    /// Marks records for removal, all in one append. What is marked already stays as it is, and
    /// keeps the time of its mark.
    pub fn mark_for_removal(
        &mut self,
        ids: &[OpId],
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Marking, EngineError> {
        self.set_marks(ids, Mark::Removal, intent, now)
    }

    /// Takes marks back, all in one append.
    pub fn unmark(
        &mut self,
        ids: &[OpId],
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Marking, EngineError> {
        self.set_marks(ids, Mark::None, intent, now)
    }

    fn set_marks(
        &mut self,
        ids: &[OpId],
        mark: Mark,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Marking, EngineError> {
        if ids.len() > MARKS_MAX {
            return Err(EngineError::SelectionTooLarge { records_max: MARKS_MAX });
        }
        let mut marking = Marking::default();
        let mut writing = self.store.write()?;
        let mut seen = HashSet::new();
        for id in ids.iter().filter(|id| seen.insert(**id)) {
            let index: &dyn Writing = &writing;
            if let Err(why) = markable(index, id)? {
                marking.skipped.push((*id, why));
                continue;
            }
            let before = mark_of(index, id)?.map_or(Mark::None, |(mark, _)| mark);
            if before == mark {
                marking.unchanged += 1;
                continue;
            }
            let body = Annotation { mark: Some(mark), ..Annotation::default() };
            let draft = acting_on(*id, Body::Annotation(body))?;
            seal_into(&mut writing, self.sealer, draft, now)?;
            marking.changed.push(*id);
        }
        if intent == Intent::Write && !marking.changed.is_empty() {
            Box::new(writing).commit()?;
        }
        Ok(marking)
    }
}

/// A marked record, and the annotation that marks it.
struct Found<'e> {
    id: OpId,
    kind: Kind,
    mark: &'e Entry,
}

impl Reader<'_> {
    /// Records that are marked for removal, those that were marked first before the others.
    pub fn marked(&self, filter: &MarkFilter) -> Result<MarkedList, EngineError> {
        let mut marked = Vec::new();
        let has_more = self.each_marked(filter, |index, Found { id, kind, mark }| {
            let summary = match body_of(index, &id, &kind)? {
                Some(body) if self.store.is_as_signed(&id)? => summary_of(&body),
                _ => ALTERED.to_owned(),
            };
            marked.push(Marked { id, kind, mark: mark.id, at: mark.ts, summary });
            Ok(())
        })?;
        Ok(MarkedList { marked, has_more })
    }

    /// The ids of the same records, and whether the limit left some out.
    pub fn marked_ids(&self, filter: &MarkFilter) -> Result<(Vec<OpId>, bool), EngineError> {
        let mut ids = Vec::new();
        self.store.expect_reads(filter.limit)?;
        let has_more = self.each_marked(filter, |_, found| {
            ids.push(found.id);
            Ok(())
        })?;
        Ok((ids, has_more))
    }

    /// Passes marked records to `take`. Returns whether the limit left some out.
    fn each_marked(
        &self,
        filter: &MarkFilter,
        mut take: impl FnMut(&SqliteLedgerIndex<'_>, Found<'_>) -> Result<(), EngineError>,
    ) -> Result<bool, EngineError> {
        let (mut taken, mut has_more) = (0, false);
        self.store.on_snapshot(|index| {
            index.each_mark(|mark| {
                let Some(mark) = index.entry(&mark)? else { return Ok(true) };
                if filter.until_us.is_some_and(|until| mark.ts.0 > until) {
                    return Ok(false);
                }
                let Some(target) = mark.sole_ref(Role::TARGET) else { return Ok(true) };
                // Each record counts once, by the annotation that decides.
                let is_it = matches!(
                    mark_of(index, &target)?,
                    Some((Mark::Removal, decisive)) if decisive.id == mark.id
                );
                let record = if is_it { index.outline(&target)? } else { None };
                let Some(record) = record.filter(|record| record.has_body) else {
                    return Ok(true);
                };
                if taken == filter.limit {
                    has_more = true;
                    return Ok(false);
                }
                taken += 1;
                take(index, Found { id: target, kind: record.kind, mark: &mark })?;
                Ok::<_, EngineError>(true)
            })
        })?;
        Ok(has_more)
    }
}
