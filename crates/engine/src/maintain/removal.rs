//! What goes into an archive with the records that are marked, and the erasure of what archives
//! have.
//!
//! Erasing a record takes more with it: other versions and echoes. So an archive has all of that,
//! and a record is erased only if an archive that was verified just now has everything that goes.
//! What was added to a record since it was archived keeps it in the space until it is archived
//! again.
//!
//! What was said or seen, and a thought, goes alone, other than with `because forget`: beliefs that
//! were derived or stated from it, entities that were found in it, refinements of it and labels on
//! it are somebody's conclusions and words, which nobody marked. They stay, with the id of what
//! they stand on. A claim, a node or an edge that is marked goes with whatever quotes it, as
//! nothing stands on a belief that is gone; a person's corrections and refutations stay even then.

use std::collections::{BTreeSet, HashMap};

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::redaction::quoting;
use store::Writing;
use store::sqlite::{SqliteLedgerIndex, SqliteWriting};

use super::marks::markable;
use crate::belief::Bodies;
use crate::outcome::Intent;
use crate::write::forget::{ERASURE_WAIT, Redacting, archival, copies, take_sources};
use crate::{EngineError, Reader, Writer};

/// Records that are erased in one transaction, which folds the views again.
const REMOVED_AT_ONCE: usize = 10_000;
/// Why they are erased, as it is recorded.
const REASON: &str = "moved to an archive";
/// Records that are named because they are not wholly archived; more are only counted.
const LEFT_KEPT_MAX: usize = 100;

/// What an archive is to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToArchive {
    /// The records that are to be removed.
    pub records: BTreeSet<OpId>,
    /// These, everything whose content goes with them, and the records of the imports that brought
    /// them, in the space's order.
    pub operations: Vec<OpId>,
}

/// Operations that verified archives have.
#[derive(Clone, Debug, Default)]
pub struct Archived {
    digests: Vec<String>,
    archive_of: HashMap<OpId, usize>,
}

impl Archived {
    /// Adds those of an archive, as far as no archive that was added before has them.
    pub fn add(&mut self, digest: &str, ids: impl IntoIterator<Item = OpId>) {
        let number = self.digests.len();
        self.digests.push(digest.to_owned());
        for id in ids {
            self.archive_of.entry(id).or_insert(number);
        }
    }

    /// Whether an archive has an operation.
    pub fn has(&self, id: &OpId) -> bool {
        self.archive_of.contains_key(id)
    }

    fn digest_of(&self, id: &OpId) -> Option<String> {
        self.digests.get(*self.archive_of.get(id)?).cloned()
    }
}

/// What was erased, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Marked records that are erased.
    pub records: u64,
    /// Redactions that were appended.
    pub redactions: u64,
    /// Records to which something was added since they were archived, and that stay.
    pub left: u64,
    /// The first of them.
    pub left_first: Vec<OpId>,
    /// Whether free pages and the write-ahead log are clean, too; none in a dry run.
    pub is_erased: Option<bool>,
}

/// Operations that go with some and have their content, of those that no archive has.
fn unarchived<B: Bodies + ?Sized>(
    index: &B,
    targets: &BTreeSet<OpId>,
    archived: &Archived,
    has_body: impl Fn(&OpId) -> Result<bool, store::StoreError>,
) -> Result<Vec<OpId>, store::StoreError> {
    let mut found = Vec::new();
    let mut others = Vec::from_iter(targets.iter().copied());
    let mut gone = take_sources(index, &mut others)?;
    gone.extend(quoting(index, others)?);
    for id in gone {
        if !archived.has(&id) && has_body(&id)? {
            found.push(id);
        }
    }
    Ok(found)
}

impl Reader<'_> {
    /// What an archive of some records has to hold. What cannot be marked is left out.
    pub fn to_archive(&self, ids: &[OpId]) -> Result<ToArchive, EngineError> {
        self.store.expect_reads(ids.len())?;
        let records = self.markable_among(ids)?;
        let mut plan = archival(self.store, &Vec::from_iter(records.iter().copied()))?;
        let mut imports = BTreeSet::new();
        copies::add_imports_of(self, &plan.targets, &mut imports)?;
        self.store.on_snapshot(|index| {
            let mut gone = plan.follow(index)?.clone();
            gone.extend(imports);
            let mut ordered = Vec::with_capacity(gone.len());
            for id in gone {
                if let Some(found) = index.outline(&id)?.filter(|found| found.has_body) {
                    ordered.push((found.ts, id));
                }
            }
            ordered.sort_unstable();
            let operations = ordered.into_iter().map(|(_, id)| id).collect();
            Ok(ToArchive { records, operations })
        })
    }

    fn markable_among(&self, ids: &[OpId]) -> Result<BTreeSet<OpId>, EngineError> {
        self.store.on_snapshot(|index| {
            let mut found = BTreeSet::new();
            for id in ids {
                if markable(index, id)?.is_ok() {
                    found.insert(*id);
                }
            }
            Ok(found)
        })
    }
}

impl Writer<'_> {
    /// Erases records that verified archives have wholly, as [`Writer::forget`] does, in bounded
    /// transactions. A process that is killed has erased a number of them, and the rest at the next
    /// call. `progress` receives how many are erased.
    ///
    /// # Errors
    /// If the key may not correct, or something that is in no archive would go.
    pub fn remove_archived(
        &mut self,
        ids: &[OpId],
        archived: &Archived,
        intent: Intent,
        now: jiff::Timestamp,
        mut progress: impl FnMut(u64),
    ) -> Result<Removed, EngineError> {
        let may_derive = self.may_derive(now)?;
        let mut removed = Removed::default();
        let redacting =
            Redacting { sealer: self.sealer, derivers: self.derivers, reason: REASON, now };
        for batch in ids.chunks(REMOVED_AT_ONCE) {
            let reader = Reader::new(self.store, self.derivers)?;
            let (whole, left) = reader.wholly_archived(batch, archived)?;
            removed.left += left.len() as u64;
            let room = LEFT_KEPT_MAX.saturating_sub(removed.left_first.len());
            removed.left_first.extend(left.into_iter().take(room));
            if whole.is_empty() {
                continue;
            }
            let mut plan = archival(self.store, &whole)?;
            let mut with_imports = plan.targets.clone();
            copies::add_imports(&reader, &mut with_imports)?;
            drop(reader);
            plan.targets.extend(with_imports.into_iter().filter(|id| archived.has(id)));
            let targets = &plan.targets;
            if intent == Intent::DryRun {
                self.store.on_snapshot(|index: &SqliteLedgerIndex<'_>| {
                    refuse(unarchived(index, targets, archived, |id| {
                        Ok(index.canonical_body(id)?.is_some())
                    })?)
                })?;
            } else {
                let check = |writing: &SqliteWriting<'_>| {
                    let index: &dyn Writing = writing;
                    refuse(unarchived(index, targets, archived, |id| {
                        Ok(writing.body(id)?.is_some())
                    })?)
                };
                let appended = redacting
                    .redact_checked(self.store, &plan, check, |id| archived.digest_of(id))?;
                removed.redactions += appended.len() as u64;
            }
            removed.records += whole.len() as u64;
            progress(removed.records);
        }
        if intent == Intent::DryRun {
            return Ok(removed);
        }
        if removed.redactions > 0 {
            // Keys of erased texts may wait in it.
            *self.echoes = Default::default();
            redacting.derive(self.store, may_derive)?;
            self.advance(|_| {})?;
        }
        removed.is_erased = Some(self.store.finish_erasure(ERASURE_WAIT)?);
        Ok(removed)
    }
}

fn refuse(unarchived: Vec<OpId>) -> Result<(), EngineError> {
    match unarchived.first() {
        None => Ok(()),
        Some(first) => {
            Err(EngineError::NotArchived { count: unarchived.len() as u64, first: *first })
        }
    }
}

impl Reader<'_> {
    /// Of some records, those of which archives have everything that goes with them, and those to
    /// which something was added since.
    fn wholly_archived(
        &self,
        ids: &[OpId],
        archived: &Archived,
    ) -> Result<(Vec<OpId>, Vec<OpId>), EngineError> {
        self.store.on_snapshot(|index| {
            let (mut whole, mut left) = (Vec::new(), Vec::new());
            for id in ids {
                let Some(entry) = index.entry(id)? else { continue };
                if index.lacks_body(id)? {
                    continue;
                }
                let mut versions = BTreeSet::from([*id]);
                if entry.kind == Kind::Evidence {
                    copies::add_versions(index, &mut versions, true)?;
                }
                let is_whole =
                    unarchived(index, &versions, archived, |id| Ok(!index.lacks_body(id)?))?
                        .is_empty();
                if is_whole { whole.push(*id) } else { left.push(*id) }
            }
            Ok((whole, left))
        })
    }
}
