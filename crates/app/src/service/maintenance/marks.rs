//! Marking records for removal, and listing what is marked.

use engine::Space;
use engine::maintain::marks::{MarkFilter, Marked, Marking, NotMarked};
use engine::outcome::Intent;
use engine::private::Disclosure;
use engine::selection::{RecordState, Selection};
use engine::{EngineError, now_us};
use jiff::Timestamp;
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::defaults::Defaults;
use crate::failure::{Failure, RequestError};

/// What is done to marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkChange {
    /// Mark for removal.
    Mark,
    /// Take the mark back.
    Unmark,
}

/// What marking did, or would do.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MarkReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// How many records have another mark now.
    pub(crate) count: u64,
    /// These records.
    pub(crate) changed: Vec<String>,
    /// How many had this mark already.
    pub(crate) unchanged: u64,
    /// What was not marked, and why.
    pub(crate) skipped: Vec<SkippedLine>,
}

/// Something that was not marked.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedLine {
    /// What was named.
    pub(crate) id: String,
    /// Why: unknown, ambiguous, removed, not_a_record.
    pub(crate) why: &'static str,
}

/// What is marked for removal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovalList {
    /// Days between a mark and the removal.
    pub(crate) retention_days: u64,
    /// Records, those that were marked first before the others.
    pub(crate) removals: Vec<RemovalLine>,
    /// How many of these may be removed now.
    pub(crate) eligible: u64,
    /// Whether the limit left some out.
    pub(crate) has_more: bool,
}

/// A record that is marked for removal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovalLine {
    /// The record.
    pub(crate) id: String,
    /// Its kind.
    pub(crate) kind: String,
    /// When it was marked.
    pub(crate) marked_at: String,
    /// From when it may be removed.
    pub(crate) eligible_at: String,
    /// Whether that is so now.
    pub(crate) eligible: bool,
    /// The record in one line.
    pub(crate) summary: String,
}

/// Which removals are listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListRequest {
    /// Those that may be removed now alone.
    pub(crate) eligible_only: bool,
    /// Days between a mark and the removal, if not the usual.
    pub(crate) older_than_days: Option<u64>,
    /// How many at most, if not the usual.
    pub(crate) limit: Option<usize>,
}

/// Marks records, or takes marks back. What one of `names` does not name is reported, and the
/// others are marked. What this reader may not see is unknown.
pub(crate) fn change(
    space: &mut Space,
    now: Timestamp,
    names: &[String],
    described: &Selection,
    change: MarkChange,
    intent: Intent,
    disclosure: Disclosure,
) -> Result<MarkReport, Failure> {
    if names.is_empty() && described.is_empty() {
        return Err(RequestError::NothingSelected.into());
    }
    let mut skipped = Vec::new();
    let mut ids = Vec::new();
    for name in names {
        let why = match space.resolve_disclosed(name, disclosure) {
            Ok(id) => {
                ids.push(id);
                continue;
            }
            Err(EngineError::AmbiguousId { .. }) => "ambiguous",
            Err(EngineError::UnknownId { .. }) => NotMarked::Unknown.as_str(),
            Err(error) => return Err(error.into()),
        };
        skipped.push(SkippedLine { id: name.chars().take(80).collect(), why });
    }
    if !described.is_empty() {
        let found = space.select(described, RecordState::Any)?;
        let withheld = space.withheld_among(&found, disclosure)?;
        ids.extend(found.into_iter().filter(|id| !withheld.contains(id)));
    }
    let Marking { changed, unchanged, skipped: refused } = match change {
        MarkChange::Mark => space.mark_for_removal(&ids, intent, now)?,
        MarkChange::Unmark => space.unmark(&ids, intent, now)?,
    };
    skipped.extend(
        refused.into_iter().map(|(id, why)| SkippedLine { id: id.to_string(), why: why.as_str() }),
    );
    Ok(MarkReport {
        dry_run: intent == Intent::DryRun,
        count: changed.len() as u64,
        changed: changed.iter().map(ToString::to_string).collect(),
        unchanged,
        skipped,
    })
}

/// What is marked for removal.
pub(crate) fn list(
    space: &Space,
    now: Timestamp,
    defaults: &Defaults,
    request: &ListRequest,
    disclosure: Disclosure,
) -> Result<RemovalList, Failure> {
    let retention_days = request.older_than_days.unwrap_or(defaults.retention_days);
    let until_us = eligible_until_us(now, retention_days);
    let limit = request.limit.unwrap_or(defaults.limit);
    let until_us_of_list = request.eligible_only.then_some(until_us);
    let marked = |limit| {
        let listed = space.marked(&MarkFilter { until_us: until_us_of_list, limit })?;
        Ok((listed.marked, listed.has_more))
    };
    let (marked, has_more) = visible(space, disclosure, limit, marked, |marked| marked.id)?;
    let removals: Vec<RemovalLine> =
        marked.iter().map(|marked| RemovalLine::of(marked, retention_days, until_us)).collect();
    let eligible = removals.iter().filter(|line| line.eligible).count() as u64;
    Ok(RemovalList { retention_days, removals, eligible, has_more })
}

/// The first `limit` that a reader may see of those that `first` answers, and whether there are
/// more. What is private takes nothing's place.
pub(super) fn visible<T>(
    space: &Space,
    disclosure: Disclosure,
    limit: usize,
    first: impl Fn(usize) -> Result<(Vec<T>, bool), EngineError>,
    id_of: impl Fn(&T) -> OpId,
) -> Result<(Vec<T>, bool), EngineError> {
    let mut wanted = limit;
    loop {
        let (mut found, has_more) = first(wanted)?;
        let ids: Vec<OpId> = found.iter().map(&id_of).collect();
        let withheld = space.withheld_among(&ids, disclosure)?;
        found.retain(|one| !withheld.contains(&id_of(one)));
        if found.len() >= limit || !has_more {
            let is_cut = found.len() > limit;
            found.truncate(limit);
            return Ok((found, has_more || is_cut));
        }
        wanted = wanted.saturating_mul(2);
    }
}

/// The latest mark whose record may be removed, microseconds since the Unix epoch.
pub(crate) fn eligible_until_us(now: Timestamp, retention_days: u64) -> u64 {
    now_us(now).saturating_sub(days_us(retention_days))
}

pub(super) fn days_us(days: u64) -> u64 {
    days.saturating_mul(86_400_000_000)
}

impl RemovalLine {
    fn of(marked: &Marked, retention_days: u64, until_us: u64) -> Self {
        let eligible_at = HlcTimestamp(marked.at.0.saturating_add(days_us(retention_days)));
        Self {
            id: marked.id.to_string(),
            kind: marked.kind.as_str().to_owned(),
            marked_at: engine::belief::explain::time(marked.at),
            eligible_at: engine::belief::explain::time(eligible_at),
            eligible: marked.at.0 <= until_us,
            summary: marked.summary.clone(),
        }
    }
}
