//! Maintenance as programs ask for it: one request with an operation, one answer as data.
//!
//! The tool `maintenance_ops` and `POST /api/v1/maintenance` take the same request.

use std::path::{Path, PathBuf};

use engine::Space;
use engine::outcome::Intent;
use engine::private::Disclosure;
use engine::selection::Selection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::defaults::{ArchiveFormat, Defaults, LIMIT_MAX, RETENTION_DAYS_MAX};
use super::marks::{self, ListRequest, MarkChange};
use super::removal::{self, RemovalRequest};
use super::retention::RetentionRule;
use super::{dedupe, health, reembed, retention};
use crate::failure::{ArchiveError, Failure, RequestError};
use crate::service::Session;

/// Most ids of one request.
const IDS_MAX: u64 = 1_000;

/// What is to be done.
// Comments on the variants would make more of the schema than a list of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum MaintenanceOp {
    #[serde(alias = "list-removals", alias = "list_removal_candidates")]
    ListRemovals,
    Mark,
    Unmark,
    #[serde(alias = "export-removals")]
    ExportRemovals,
    #[serde(alias = "finalize-removal")]
    FinalizeRemoval,
    Restore,
    Health,
    Reembed,
    Dedupe,
    Retention,
}

impl MaintenanceOp {
    /// Whether it changes nothing.
    pub(crate) fn only_reads(self) -> bool {
        matches!(self, Self::ListRemovals | Self::Health)
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct MaintenanceRequest {
    /// What is to be done.
    pub(crate) op: MaintenanceOp,
    /// Records to mark, or to restore from an archive.
    pub(crate) ids: Vec<String>,
    /// Of `retention`: kinds of records.
    pub(crate) kinds: Vec<String>,
    /// Of `retention`: their source.
    pub(crate) source: Option<String>,
    /// Of `restore`: the name of the archive, without its folder.
    pub(crate) archive: Option<String>,
    /// Days between a mark and the removal; of `retention`, the age of a record.
    pub(crate) older_than_days: Option<u64>,
    /// How many at most.
    pub(crate) limit: Option<usize>,
    /// The format of an archive.
    pub(crate) format: Option<ArchiveFormat>,
    /// Whether to say only what would be done.
    pub(crate) dry_run: bool,
}

impl MaintenanceRequest {
    /// Its own rules.
    pub(crate) fn check(&self) -> Result<(), RequestError> {
        let has_ids = !self.ids.is_empty();
        if self.op == MaintenanceOp::Restore && self.archive.is_none() {
            return Err(RequestError::NoArchive);
        }
        let is_complete = match self.op {
            MaintenanceOp::Mark | MaintenanceOp::Unmark => has_ids,
            MaintenanceOp::Retention => !self.kinds.is_empty() || self.source.is_some(),
            _ => true,
        };
        if !is_complete {
            return Err(RequestError::NothingSelected);
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let days = self.older_than_days.map(|days| u32::try_from(days).unwrap_or(u32::MAX));
        let numbers = [
            ("ids", Some(count(self.ids.len())), 0, IDS_MAX),
            ("older_than_days", days, 0, RETENTION_DAYS_MAX),
            ("limit", self.limit.map(count), 1, LIMIT_MAX),
        ];
        for (name, number, min, max) in numbers {
            let max = u32::try_from(max).unwrap_or(u32::MAX);
            if let Some(number) = number.filter(|number| !(min..=max).contains(number)) {
                return Err(RequestError::OutOfRange { name, number, min, max });
            }
        }
        Ok(())
    }

    /// Whether nothing is written.
    pub(crate) fn only_reads(&self) -> bool {
        self.op.only_reads()
    }
}

/// Does what a request asks for.
pub(crate) fn run(
    session: &Session,
    space: &mut Space,
    request: &MaintenanceRequest,
    disclosure: Disclosure,
) -> Result<Value, Failure> {
    request.check()?;
    let defaults = Defaults::read(session)?;
    let now = session.now;
    let removal = RemovalRequest {
        older_than_days: request.older_than_days,
        limit: request.limit,
        format: request.format,
        folder: None,
        dry_run: request.dry_run,
        disclosure,
    };
    let intent = if request.dry_run { Intent::DryRun } else { Intent::Write };
    let mark = |space: &mut Space, change| {
        let described = Selection::default();
        marks::change(space, now, &request.ids, &described, change, intent, disclosure)
    };
    match request.op {
        MaintenanceOp::ListRemovals => {
            let asked = ListRequest {
                eligible_only: false,
                older_than_days: request.older_than_days,
                limit: request.limit,
            };
            to_json(&marks::list(space, now, &defaults, &asked, disclosure)?)
        }
        MaintenanceOp::Mark => to_json(&mark(space, MarkChange::Mark)?),
        MaintenanceOp::Unmark => to_json(&mark(space, MarkChange::Unmark)?),
        MaintenanceOp::ExportRemovals => {
            let mut report = removal::export(space, now, &defaults, &removal, &mut |_| {})?;
            report.file = report.file.map(|file| name_of(&file));
            to_json(&report)
        }
        MaintenanceOp::FinalizeRemoval => {
            to_json(&removal::finalize(space, now, &defaults, &removal, &mut |_| {})?)
        }
        MaintenanceOp::Restore => {
            let path = archive_path(&defaults, request.archive.as_deref().unwrap_or_default())?;
            let wanted = removal::Wanted { names: &request.ids, disclosure };
            let mut report =
                removal::restore(space, now, &path, &wanted, request.dry_run, &mut |_| {})?;
            report.file = name_of(&report.file);
            to_json(&report)
        }
        MaintenanceOp::Health => {
            to_json(&health::health(session, space, now, &defaults, request.limit, disclosure)?)
        }
        MaintenanceOp::Reembed => to_json(&reembed::reembed(
            session,
            space,
            &defaults,
            request.limit,
            request.dry_run,
            &mut |_| {},
        )?),
        MaintenanceOp::Dedupe => {
            let limit = request.limit;
            to_json(&dedupe::dedupe(space, now, &defaults, limit, request.dry_run, disclosure)?)
        }
        MaintenanceOp::Retention => {
            let rule = RetentionRule {
                kinds: request.kinds.clone(),
                source: request.source.clone(),
                older_than_days: request.older_than_days.unwrap_or(defaults.retention_days),
                limit: request.limit,
                dry_run: request.dry_run,
            };
            to_json(&retention::apply(space, now, &defaults, &rule, disclosure)?)
        }
    }
}

fn to_json(report: &impl Serialize) -> Result<Value, Failure> {
    Ok(serde_json::to_value(report).map_err(std::io::Error::from)?)
}

/// A file without its folder, which is this machine's business.
fn name_of(file: &str) -> String {
    let name = Path::new(file).file_name();
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// An archive in the folder of archives, by its name alone.
fn archive_path(defaults: &Defaults, name: &str) -> Result<PathBuf, Failure> {
    match Path::new(name).file_name().is_some_and(|file| file == name) {
        true => Ok(defaults.archive_dir.join(name)),
        false => Err(ArchiveError::Missing { path: PathBuf::from(name) }.into()),
    }
}
