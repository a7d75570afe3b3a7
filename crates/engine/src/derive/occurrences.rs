//! What derivers see of a series: its occurrences, as if each were a record.
//!
//! Every deriver reads what happened and when, so the expansion is here and not in each of them. An
//! occurrence has the id of the series: a claim cites the series once, however many of its
//! occurrences support it. As of other records, the latest that had happened when the last record
//! of the group was recorded are shown, and the nearest plans.

use std::borrow::Cow;
use std::collections::BTreeMap;

use calendar::series::{Occurrence, Series};
use derivers::{GROUP_PAST_MAX, GROUP_PLANS_MAX, Record, RecordBody};
use jiff::civil::Date;
use jiff::tz::Offset;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use serde_json::Value;

use super::records::at_us;

/// How far after the last record of a group its series are followed, days.
const HORIZON_DAYS: i64 = 366;
/// The field of an occurrence with the name of its original start.
const RECURRENCE_ID: &str = "recurrence_id";

/// The records of a group with the occurrences of its series in place of these. The first that is
/// shown of a series keeps its rule.
pub(crate) fn with_occurrences(records: &[Record]) -> Cow<'_, [Record]> {
    let is_series = |record: &Record| record.evidence().is_some_and(Series::is_in);
    if !records.iter().any(is_series) {
        return Cow::Borrowed(records);
    }
    let now_us = records.iter().map(|record| record.recorded_at.0).max().unwrap_or_default();
    let now_us = i64::try_from(now_us).unwrap_or(i64::MAX);
    let mut rules: BTreeMap<OpId, Value> = BTreeMap::new();
    let mut shown: Vec<Record> = Vec::new();
    for record in records {
        match record.evidence().and_then(|evidence| Some((evidence, Series::of(evidence)?))) {
            Some((evidence, series)) => {
                let rule = evidence.payload.more.get(Series::FIELD);
                rules.extend(rule.map(|rule| (record.id, rule.clone())));
                let occurrences = occurrences(&series, now_us).into_iter();
                shown.extend(occurrences.map(|occurrence| at(record, evidence, occurrence)));
            }
            None => shown.push(record.clone()),
        }
    }
    let (mut past, mut plans): (Vec<Record>, Vec<Record>) =
        shown.into_iter().partition(|record| at_us(record) <= now_us);
    past.sort_by_key(|record| std::cmp::Reverse(at_us(record)));
    past.truncate(GROUP_PAST_MAX);
    plans.sort_by_key(at_us);
    plans.truncate(GROUP_PLANS_MAX);
    for record in past.iter_mut().rev().chain(&mut plans) {
        if let RecordBody::Evidence(evidence) = &mut record.body
            && let Some(rule) = rules.remove(&record.id)
        {
            evidence.payload.more.insert(Series::FIELD.to_owned(), rule);
        }
    }
    past.extend(plans);
    past.sort_by_key(Record::order);
    Cow::Owned(past)
}

/// The last occurrence that had happened when a series was recorded, or its first.
pub(super) fn last_told(evidence: &Evidence, recorded_us: i64) -> Option<i64> {
    let series = Series::of(evidence)?;
    let told = series.last_until(day(recorded_us)).or_else(|| series.first())?;
    Some(told.at.instant_us())
}

fn occurrences(series: &Series, now_us: i64) -> Vec<Occurrence> {
    let today = day(now_us);
    let tomorrow = today.tomorrow().unwrap_or(Date::MAX);
    let horizon = jiff::Span::new().days(HORIZON_DAYS);
    let horizon = today.checked_add(horizon).unwrap_or(Date::MAX);
    let mut found = series.latest(today, GROUP_PAST_MAX);
    found.extend(series.between(tomorrow, horizon, GROUP_PLANS_MAX));
    found
}

fn day(us: i64) -> Date {
    let instant = jiff::Timestamp::from_microsecond(us).unwrap_or(jiff::Timestamp::MAX);
    Offset::UTC.to_datetime(instant).date()
}

fn at(record: &Record, of: &Evidence, occurrence: Occurrence) -> Record {
    let Occurrence { id, at, end } = occurrence;
    let mut evidence = of.clone();
    evidence.at = Some(at);
    evidence.payload.end = end;
    evidence.payload.more.insert(RECURRENCE_ID.to_owned(), id.into());
    evidence.payload.more.remove(Series::FIELD);
    Record { body: RecordBody::Evidence(Box::new(evidence)), ..record.clone() }
}
