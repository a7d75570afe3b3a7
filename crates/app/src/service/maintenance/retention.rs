//! Marking records by a rule: of a kind or a source, and older than some days.

use engine::Space;
use engine::maintain::aged::AgeFilter;
use engine::now_us;
use engine::outcome::Intent;
use engine::private::Disclosure;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::defaults::Defaults;
use super::marks::{days_us, visible};
use crate::failure::{Failure, RequestError};

/// A rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct RetentionRule {
    /// Of these kinds.
    pub(crate) kinds: Vec<String>,
    /// Of this source.
    pub(crate) source: Option<String>,
    /// Older than so many days.
    pub(crate) older_than_days: u64,
    /// How many at most, if not the usual.
    pub(crate) limit: Option<usize>,
    /// Whether to say only what would be marked.
    pub(crate) dry_run: bool,
}

/// What a rule marked.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RetentionReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// How many records were marked.
    pub(crate) count: u64,
    /// These records.
    pub(crate) changed: Vec<String>,
    /// Whether the rule concerns more than the limit let in.
    pub(crate) has_more: bool,
}

/// Marks what a rule concerns and this reader may see.
pub(crate) fn apply(
    space: &mut Space,
    now: Timestamp,
    defaults: &Defaults,
    rule: &RetentionRule,
    disclosure: Disclosure,
) -> Result<RetentionReport, Failure> {
    if rule.kinds.is_empty() && rule.source.is_none() {
        return Err(RequestError::NothingSelected.into());
    }
    let filter = AgeFilter {
        kinds: rule.kinds.clone(),
        source: rule.source.clone(),
        until_us: now_us(now).saturating_sub(days_us(rule.older_than_days)),
    };
    let limit = rule.limit.unwrap_or(defaults.limit);
    let aged = |limit| space.aged(&filter, limit);
    let (ids, has_more) = visible(space, disclosure, limit, aged, |id| *id)?;
    let intent = if rule.dry_run { Intent::DryRun } else { Intent::Write };
    let marking = space.mark_for_removal(&ids, intent, now)?;
    Ok(RetentionReport {
        dry_run: rule.dry_run,
        count: marking.changed.len() as u64,
        changed: marking.changed.iter().map(ToString::to_string).collect(),
        has_more,
    })
}
