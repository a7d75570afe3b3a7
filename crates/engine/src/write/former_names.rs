//! What earlier versions of the program called the records of a calendar.
//!
//! They named events by their UID alone and kept each occurrence of a series as a record, named
//! `UID/original start`. See `docs/design/0052-series-are-records.md`. When such a calendar is
//! imported again, a record that says the same is the same record. A series supersedes its
//! occurrences, so that none is found twice. What was forgotten under a former name stays
//! forgotten. Events of another calendar with the same UID are left alone.

use calendar::series::Series;
use importers::ical;
use jiff::Timestamp;
use jiff::tz::Offset;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::Role;

use super::record::{ForgottenPolicy, Known, Prepared, look_up};
use crate::EngineError;
use crate::belief::Bodies;
use crate::seal::Sealer;

/// Most occurrences of one series that are looked for, as many as were recorded.
const OCCURRENCES_MAX: usize = 10_000;
/// How far after an import earlier versions followed series, days.
const HORIZON_DAYS: i64 = 366;
/// The field of an occurrence with the name of its original start.
const RECURRENCE_ID: &str = "recurrence_id";

/// What is known of a record under its former names.
pub(super) enum Former {
    /// Nothing.
    Unknown,
    /// It is there, or was forgotten.
    Same(Known),
    /// Records that it replaces.
    Replaced(Vec<OpId>),
}

/// Looks for a record that is new by its name under the names that it had.
pub(super) fn look_for<B: Bodies + ?Sized>(
    index: &B,
    sealer: &Sealer,
    policy: ForgottenPolicy,
    prepared: &Prepared,
    now: Timestamp,
) -> Result<Former, EngineError> {
    let Some(evidence) = prepared.evidence().filter(|evidence| evidence.source == ical::SOURCE)
    else {
        return Ok(Former::Unknown);
    };
    let Some(uid) = evidence.payload.session.as_deref() else { return Ok(Former::Unknown) };
    if let Some(series) = Series::of(evidence) {
        return of_series(index, policy, evidence, uid, &series, now);
    }
    let Some(name) = name_of_single(evidence, uid) else { return Ok(Former::Unknown) };
    let former = prepared.named(name)?;
    Ok(match look_up(index, sealer, policy, &former)? {
        Known::No => Former::Unknown,
        Known::Earlier(id) => match is_of_calendar(index, &id, evidence)? {
            Some(true) => Former::Replaced(vec![id]),
            _ => Former::Unknown,
        },
        same => Former::Same(same),
    })
}

/// The same as what is known of the record.
pub(super) fn known<B: Bodies + ?Sized>(
    index: &B,
    sealer: &Sealer,
    policy: ForgottenPolicy,
    prepared: &Prepared,
    now: Timestamp,
) -> Result<Known, EngineError> {
    Ok(match look_for(index, sealer, policy, prepared, now)? {
        Former::Unknown => Known::No,
        Former::Same(known) => known,
        Former::Replaced(ids) => ids.first().map_or(Known::No, |id| Known::Earlier(*id)),
    })
}

fn of_series<B: Bodies + ?Sized>(
    index: &B,
    policy: ForgottenPolicy,
    evidence: &Evidence,
    uid: &str,
    series: &Series,
    now: Timestamp,
) -> Result<Former, EngineError> {
    let mut replaced = Vec::new();
    for name in names_of_series(series, uid, now) {
        let Some((id, _)) = index.evidence(&evidence.source, &name)? else { continue };
        match is_of_calendar(index, &id, evidence)? {
            Some(true) if index.acting(&id, &Kind::Evidence, Role::SUPERSEDES)?.is_empty() => {
                replaced.push(id);
            }
            Some(_) => {}
            None if policy == ForgottenPolicy::StaysForgotten => {
                return Ok(Former::Same(Known::Forgotten(id)));
            }
            None => {}
        }
    }
    Ok(if replaced.is_empty() { Former::Unknown } else { Former::Replaced(replaced) })
}

/// All names that earlier versions gave to what a record says.
pub(super) fn names(evidence: &Evidence, now: Timestamp) -> Vec<String> {
    let uid = evidence.payload.session.as_deref().filter(|_| evidence.source == ical::SOURCE);
    match (uid, Series::of(evidence)) {
        (None, _) => Vec::new(),
        (Some(uid), Some(series)) => names_of_series(&series, uid, now),
        (Some(uid), None) => name_of_single(evidence, uid).into_iter().collect(),
    }
}

/// None if it is the present name.
fn name_of_single(evidence: &Evidence, uid: &str) -> Option<String> {
    let recurrence_id = evidence.payload.more.get(RECURRENCE_ID).and_then(|id| id.as_str());
    let name = recurrence_id.map_or_else(|| uid.to_owned(), |id| format!("{uid}/{id}"));
    (name != evidence.source_uid).then_some(name)
}

fn names_of_series(series: &Series, uid: &str, now: Timestamp) -> Vec<String> {
    let horizon = jiff::Span::new().days(HORIZON_DAYS);
    let last = Offset::UTC.to_datetime(now).date().saturating_add(horizon);
    let shown = series
        .first()
        .map_or_else(Vec::new, |first| series.between(first.at.date(), last, OCCURRENCES_MAX));
    let names = shown.iter().map(|one| one.id.as_str()).chain(series.cancelled.names());
    names.map(|name| format!("{uid}/{name}")).collect()
}

/// Whether a recorded event is of the same calendar; none if its body was removed.
fn is_of_calendar<B: Bodies + ?Sized>(
    index: &B,
    id: &OpId,
    evidence: &Evidence,
) -> Result<Option<bool>, EngineError> {
    let Some(body) = index.canonical_body(id)? else { return Ok(None) };
    let calendar = |evidence: &Evidence| evidence.payload.more.get("calendar").cloned();
    let earlier = serde_json::from_slice::<Evidence>(&body).ok();
    Ok(Some(earlier.is_some_and(|earlier| calendar(&earlier) == calendar(evidence))))
}
