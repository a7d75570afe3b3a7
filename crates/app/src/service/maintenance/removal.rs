//! Moving marked records to archives, erasing what archives have, and bringing records back.
//!
//! Nothing is erased that is not in an archive whose digest is in the ledger and which was read and
//! verified in the same call.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use engine::EngineError;
use engine::Space;
use engine::maintain::archive::{ArchiveNote, RecordedArchive};
use engine::maintain::marks::MarkFilter;
use engine::maintain::removal::Archived;
use engine::outcome::Intent;
use engine::private::Disclosure;
use engine::write::record_again::{LeftOut, RecordedAgain};
use jiff::Timestamp;
use kernel::id::OpId;
use schemars::JsonSchema;
use serde::Serialize;

use super::archive::{ArchiveFile, digest_of, each_operation};
use super::defaults::{ArchiveFormat, Defaults};
use super::marks::{eligible_until_us, visible};
use crate::failure::{ArchiveError, Failure};

/// Characters of a space's id in the names of its archives.
const SPACE_CHARS: usize = 12;
/// Records that a server archives and erases at once.
const SCHEDULED_AT_ONCE: usize = 10_000;
/// Archives that are read for one removal, the newest first.
const ARCHIVES_READ_MAX: usize = 100;
/// Names that are tried for a new archive.
const NAMES_MAX: u32 = 1_000;

/// What an export or a removal is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct RemovalRequest {
    /// Days between a mark and the removal, if not the usual.
    pub(crate) older_than_days: Option<u64>,
    /// How many records at most, if not the usual.
    pub(crate) limit: Option<usize>,
    /// The format, if not the usual.
    pub(crate) format: Option<ArchiveFormat>,
    /// The folder of archives, if not the usual.
    pub(crate) folder: Option<PathBuf>,
    /// Whether to say only what would be done.
    pub(crate) dry_run: bool,
    /// Who asks. What they may not see is neither archived nor erased.
    pub(crate) disclosure: Disclosure,
}

/// What an export wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExportReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// Marked records in the archive.
    pub(crate) records: u64,
    /// All operations in it: these, what goes with them, and records of imports.
    pub(crate) operations: u64,
    /// The format.
    pub(crate) format: &'static str,
    /// The file; none if nothing was written.
    pub(crate) file: Option<String>,
    /// Its BLAKE3 digest, as it is recorded.
    pub(crate) digest: Option<String>,
    /// Its length.
    pub(crate) bytes: Option<u64>,
    /// The operation that records it.
    pub(crate) recorded: Option<String>,
    /// Whether more may be removed than the limit let in.
    pub(crate) has_more: bool,
}

/// What was erased.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FinalizeReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// Records that may be removed by their marks, as far as the limit goes.
    pub(crate) eligible: u64,
    /// Of these, the ones that were erased.
    pub(crate) records: u64,
    /// Of these, the ones that no intact archive has.
    pub(crate) not_archived: u64,
    /// Of these, the ones to which something was added since they were archived.
    pub(crate) changed: u64,
    /// Redactions that were appended.
    pub(crate) redactions: u64,
    /// The archives that were read.
    pub(crate) archives: Vec<ArchiveLine>,
    /// Whether free pages and the write-ahead log are clean, too; null in a dry run.
    pub(crate) is_erased: Option<bool>,
    /// Whether more may be removed than the limit let in.
    pub(crate) has_more: bool,
}

/// An archive that was read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ArchiveLine {
    /// The name of the file.
    pub(crate) file: String,
    /// Its digest, as it is recorded.
    pub(crate) digest: String,
    /// intact, missing, changed or unreadable.
    pub(crate) state: &'static str,
}

/// What was brought back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoreReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// The file.
    pub(crate) file: String,
    /// Its digest.
    pub(crate) digest: String,
    /// Operations in it.
    pub(crate) operations: u64,
    /// Operations that were recorded again.
    pub(crate) restored: u64,
    /// Operations whose content is here.
    pub(crate) present: u64,
    /// Operations of derivers, which derive them again.
    pub(crate) left_to_derivation: u64,
    /// Operations that could not be recorded again.
    pub(crate) left_out: u64,
    /// The first of them.
    pub(crate) left_out_first: Vec<LeftOutLine>,
}

/// An operation that could not be recorded again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LeftOutLine {
    /// Its id in the archive.
    pub(crate) id: String,
    /// Its kind.
    pub(crate) kind: String,
    /// Why it could not be recorded again.
    pub(crate) reason: String,
}

/// The records that may be removed now, as far as the limit goes, and whether there are more.
fn eligible(
    space: &Space,
    now: Timestamp,
    defaults: &Defaults,
    request: &RemovalRequest,
) -> Result<(Vec<OpId>, bool), Failure> {
    let days = request.older_than_days.unwrap_or(defaults.retention_days);
    let limit = request.limit.unwrap_or(defaults.limit);
    let until_us = Some(eligible_until_us(now, days));
    let marked = |limit| space.marked_ids(&MarkFilter { until_us, limit });
    Ok(visible(space, request.disclosure, limit, marked, |id| *id)?)
}

/// Writes the records that may be removed, with all that goes with them, to an archive, and records
/// its digest. `progress` receives how many operations are written.
pub(crate) fn export(
    space: &mut Space,
    now: Timestamp,
    defaults: &Defaults,
    request: &RemovalRequest,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportReport, Failure> {
    let format = request.format.unwrap_or(defaults.format);
    let folder = request.folder.as_deref().unwrap_or(&defaults.archive_dir);
    let (ids, has_more) = eligible(space, now, defaults, request)?;
    let reader = space.reader()?;
    let wanted = reader.to_archive(&ids)?;
    let mut report = ExportReport {
        dry_run: request.dry_run,
        records: wanted.records.len() as u64,
        operations: wanted.operations.len() as u64,
        format: format.as_str(),
        file: None,
        digest: None,
        bytes: None,
        recorded: None,
        has_more,
    };
    if request.dry_run || wanted.records.is_empty() {
        return Ok(report);
    }
    let mut file = ArchiveFile::begin(folder, format)?;
    let mut written = 0;
    let rows = reader.archive_rows(&wanted, |row| {
        file.push(row)?;
        written += 1;
        progress(written);
        Ok(())
    });
    rows.map_err(|error| match error {
        EngineError::Io(source) => Failure::OutputFile { path: folder.to_owned(), source },
        error => error.into(),
    })?;
    drop(reader);
    let id = space.id()?;
    let path = new_path(folder, &id.to_string(), now, format);
    let written = file.finish(path, id, (report.records, report.operations))?;
    let name = written.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let note = ArchiveNote {
        digest: written.digest.clone(),
        file: name.unwrap_or_default(),
        format: format.as_str().to_owned(),
        records: report.records,
        operations: report.operations,
    };
    let mut writer = space.writer();
    let recorded = writer.record_archive(&note, now)?;
    writer.finish()?;
    report.file = Some(written.path.to_string_lossy().into_owned());
    report.digest = Some(written.digest);
    report.bytes = Some(written.bytes);
    report.recorded = Some(recorded.to_string());
    Ok(report)
}

/// What a server does by itself: archives what may be removed and erases it. Returns how many
/// records were erased.
pub(crate) fn scheduled(
    space: &mut Space,
    now: Timestamp,
    defaults: &Defaults,
) -> Result<u64, Failure> {
    let request = RemovalRequest {
        limit: Some(defaults.limit.max(SCHEDULED_AT_ONCE)),
        ..RemovalRequest::default()
    };
    let exported = export(space, now, defaults, &request, &mut |_| {})?;
    if exported.records == 0 {
        return Ok(0);
    }
    Ok(finalize(space, now, defaults, &request, &mut |_| {})?.records)
}

/// A name in a folder that no file has.
fn new_path(folder: &Path, space: &str, now: Timestamp, format: ArchiveFormat) -> PathBuf {
    let space: String = space.trim_start_matches("b3:").chars().take(SPACE_CHARS).collect();
    let time = now.strftime("%Y%m%dT%H%M%SZ");
    let name = |number: u32| match number {
        1 => folder.join(format!("{space}-{time}.{}", format.as_str())),
        number => folder.join(format!("{space}-{time}-{number}.{}", format.as_str())),
    };
    // If all are taken, the last is refused when it is written.
    (1..NAMES_MAX).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(NAMES_MAX))
}

/// Erases the records that may be removed and that intact archives have.
pub(crate) fn finalize(
    space: &mut Space,
    now: Timestamp,
    defaults: &Defaults,
    request: &RemovalRequest,
    progress: &mut dyn FnMut(u64),
) -> Result<FinalizeReport, Failure> {
    let folder = request.folder.as_deref().unwrap_or(&defaults.archive_dir);
    let (ids, has_more) = eligible(space, now, defaults, request)?;
    let (archived, archives) = verified(space, folder, &ids)?;
    let (here, missing): (Vec<OpId>, Vec<OpId>) = ids.iter().partition(|id| archived.has(id));
    if let (true, Some(first)) = (here.is_empty(), missing.first()) {
        let changed = archives.iter().find(|archive| archive.state == "changed");
        if let Some(changed) = changed {
            return Err(ArchiveError::Changed { path: folder.join(&changed.file) }.into());
        }
        return Err(EngineError::NotArchived { count: missing.len() as u64, first: *first }.into());
    }
    let intent = if request.dry_run { Intent::DryRun } else { Intent::Write };
    let mut writer = space.writer();
    let removed = writer.remove_archived(&here, &archived, intent, now, progress)?;
    writer.finish()?;
    Ok(FinalizeReport {
        dry_run: request.dry_run,
        eligible: ids.len() as u64,
        records: removed.records,
        not_archived: missing.len() as u64,
        changed: removed.left,
        redactions: removed.redactions,
        archives,
        is_erased: removed.is_erased,
        has_more,
    })
}

/// Reads recorded archives, the newest first, until they have all of some records.
fn verified(
    space: &Space,
    folder: &Path,
    ids: &[OpId],
) -> Result<(Archived, Vec<ArchiveLine>), Failure> {
    let mut archived = Archived::default();
    let mut lines = Vec::new();
    let mut open: HashSet<OpId> = ids.iter().copied().collect();
    let id = space.id()?;
    for RecordedArchive { note, .. } in space.archives()?.into_iter().take(ARCHIVES_READ_MAX) {
        if open.is_empty() {
            break;
        }
        // The name is the ledger's, which another device may have written.
        if Path::new(&note.file).file_name().is_none_or(|name| *name != *note.file) {
            continue;
        }
        let state = match read_verified(&folder.join(&note.file), &note, id) {
            Ok(found) => {
                for id in &found {
                    open.remove(id);
                }
                archived.add(&note.digest, found);
                "intact"
            }
            Err(Failure::Archive(ArchiveError::Missing { .. })) => "missing",
            Err(Failure::Archive(ArchiveError::Changed { .. })) => "changed",
            Err(Failure::Archive(_)) => "unreadable",
            Err(error) => return Err(error),
        };
        lines.push(ArchiveLine { file: note.file, digest: note.digest, state });
    }
    Ok((archived, lines))
}

/// The digest of an archive, which has to be a file.
fn digest_of_archive(path: &Path) -> Result<String, Failure> {
    if !path.is_file() {
        return Err(ArchiveError::Missing { path: path.to_owned() }.into());
    }
    let (digest, _) =
        digest_of(path).map_err(|source| Failure::File { path: path.to_owned(), source })?;
    Ok(digest)
}

/// The operations of an archive that is as it was recorded, each of them verified.
fn read_verified(
    path: &Path,
    note: &ArchiveNote,
    space: kernel::id::SpaceId,
) -> Result<Vec<OpId>, Failure> {
    check_digest(path, note)?;
    let mut ids = Vec::new();
    each_operation(path, &note.format, space, |operations| {
        let whole = operations.iter().filter(|operation| operation.body().is_some());
        ids.extend(whole.map(|operation| operation.id()));
        Ok(())
    })?;
    Ok(ids)
}

fn check_digest(path: &Path, note: &ArchiveNote) -> Result<(), Failure> {
    match digest_of_archive(path)? == note.digest {
        true => Ok(()),
        false => Err(ArchiveError::Changed { path: path.to_owned() }.into()),
    }
}

/// What is to be brought back.
pub(crate) struct Wanted<'a> {
    /// These records; everything if it is empty.
    pub(crate) names: &'a [String],
    /// Of what is disclosed to whoever asks.
    pub(crate) disclosure: Disclosure,
}

/// Brings back what an archive has, or those of its records that are named. What is not disclosed
/// stays in it.
pub(crate) fn restore(
    space: &mut Space,
    now: Timestamp,
    path: &Path,
    asked: &Wanted<'_>,
    dry_run: bool,
    progress: &mut dyn FnMut(u64),
) -> Result<RestoreReport, Failure> {
    let digest = digest_of_archive(path)?;
    let archives = space.archives()?;
    let Some(RecordedArchive { note, .. }) =
        archives.iter().find(|archive| archive.note.digest == digest)
    else {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_known = archives.iter().any(|archive| Some(&archive.note.file) == name.as_ref());
        return Err(match is_known {
            true => ArchiveError::Changed { path: path.to_owned() },
            false => ArchiveError::Unrecorded { path: path.to_owned() },
        }
        .into());
    };
    let mut wanted = BTreeSet::new();
    for name in asked.names {
        wanted.insert(space.resolve_disclosed(name, asked.disclosure)?);
    }
    let mut operations = Vec::new();
    each_operation(path, &note.format, space.id()?, |batch| {
        operations.extend(batch);
        progress(operations.len() as u64);
        Ok(())
    })?;
    let withheld = space.withheld_of_archive(&operations, asked.disclosure)?;
    operations.retain(|operation| !withheld.contains(&operation.id()));
    let here: BTreeSet<OpId> = operations.iter().map(|operation| operation.id()).collect();
    if let Some(other) = wanted.iter().find(|id| !here.contains(id)) {
        return Err(ArchiveError::NotInside { path: path.to_owned(), id: *other }.into());
    }
    let total = operations.len() as u64;
    let report = match dry_run {
        true => RecordedAgain::default(),
        false => space.restore_archived(operations, &wanted, &digest, now)?,
    };
    Ok(RestoreReport {
        dry_run,
        file: path.to_string_lossy().into_owned(),
        digest,
        operations: total,
        restored: report.added,
        present: report.present,
        left_to_derivation: report.left_to_derivation,
        left_out: report.left_out,
        left_out_first: report.left_out_first.into_iter().map(LeftOutLine::of).collect(),
    })
}

impl LeftOutLine {
    fn of(left: LeftOut) -> Self {
        Self { id: left.id.to_string(), kind: left.kind, reason: left.reason }
    }
}
