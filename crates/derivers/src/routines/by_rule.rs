//! Routines by the rule of a series: every third day, every month on the first Saturday.
//!
//! A calendar says outright how often a series happens. Where that is every week, every second one
//! or every day, its occurrences are counted with those of other records of the title, and the rule
//! says since when and until when ([`super::claim`]). Other rhythms are not looked for among
//! records: they are taken from the rule as it stands. Yearly ones are not routines.

use std::collections::BTreeMap;

use calendar::rule::{Frequency, Rule};
use calendar::series::Series;
use jiff::civil::Date;
use kernel::body::LastSeen;
use kernel::confidence::Basis;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::when::When;
use serde_json::{Map, Value, json};

use super::occurrence::Entry;
use super::rhythm::Window;
use super::{
    DAILY, DAILY_PRIOR, ENDLESS_GRACE_DAYS, INPUTS_MAX, MONTHLY, MONTHLY_PRIOR,
    SERIES_LOG_ODDS_MAX, SERIES_OCCURRENCES_MIN, SERIES_RATE, WEEKLY, WEEKLY_PRIOR,
};
use crate::local_time::{Weekday, clock};
use crate::slug::slug;
use crate::{Candidate, Input, Record};

/// Most days from which an occurrence of a rule may be missing.
const EXPECTED_MAX: usize = 4 * INPUTS_MAX;

/// The series among the records of a group.
pub(super) fn series_of(records: &[Record]) -> BTreeMap<OpId, Series> {
    let series = |evidence: &Evidence| Series::of(evidence);
    records
        .iter()
        .filter_map(|record| Some((record.id, record.evidence().and_then(series)?)))
        .collect()
}

/// The only rule of a series whose rhythm is not looked for among records.
pub(super) fn own_rule(series: &Series) -> Option<&Rule> {
    match series.rules.as_slice() {
        [only] if !is_counted(&only.rule) => Some(&only.rule),
        _ => None,
    }
}

/// Whether it happens every week, every second one or every day.
fn is_counted(rule: &Rule) -> bool {
    let on_any_date =
        rule.months.is_empty() && rule.month_days.is_empty() && rule.positions.is_empty();
    match rule.frequency {
        Frequency::Weekly => rule.interval <= 2,
        Frequency::Daily => on_any_date && matches!(rule.interval, 1 | 7 | 14),
        Frequency::Monthly => {
            let on_every_one = rule.weekdays.iter().all(|&(ordinal, _)| ordinal == 0);
            on_any_date && rule.interval == 1 && !rule.weekdays.is_empty() && on_every_one
        }
        Frequency::Yearly => false,
        Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => true,
    }
}

/// Since when and until when a series is, as its rule says.
pub(super) struct Stated {
    pub(super) from: When,
    /// The end of its last occurrence; none of an endless series.
    pub(super) to: Option<When>,
}

impl Stated {
    pub(super) fn of(series: &Series) -> Option<Self> {
        let from = When::from_date(series.began()?.at.date());
        let to = series.last().map(|last| last.end.unwrap_or(last.at));
        Some(Self { from, to })
    }
}

/// The candidates of the series with rhythms of their own. `entries` are their occurrences.
pub(super) fn candidates(
    group: &str,
    series: &BTreeMap<OpId, Series>,
    entries: &[Entry<'_>],
) -> Vec<Candidate> {
    let mut by_key: BTreeMap<String, Candidate> = BTreeMap::new();
    for (id, series) in series {
        let own: Vec<&Entry<'_>> = entries.iter().filter(|entry| entry.id == *id).collect();
        let Some(candidate) = candidate(group, series, &own) else { continue };
        match by_key.get_mut(&candidate.identity_key) {
            // The same series in two calendars.
            Some(known) => known.inputs.extend(candidate.inputs),
            None => {
                by_key.insert(candidate.identity_key.clone(), candidate);
            }
        }
    }
    by_key.into_values().collect()
}

fn candidate(group: &str, series: &Series, entries: &[&Entry<'_>]) -> Option<Candidate> {
    let rule = own_rule(series)?;
    let (claim_type, prior) = match rule.frequency {
        Frequency::Daily => (DAILY, DAILY_PRIOR),
        Frequency::Weekly => (WEEKLY, WEEKLY_PRIOR),
        Frequency::Monthly => (MONTHLY, MONTHLY_PRIOR),
        _ => return None,
    };
    let (first, last) = (entries.first()?, entries.last()?);
    let daypart = first.hour.daypart?;
    let stated = Stated::of(series)?;
    let start = series.shift.as_ref().map_or(series.start.civil, |shift| shift.to.civil);
    let often = series.rhythm();
    let title = first.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = first.hour.minute.map(|minute| format!(", about {}", clock(minute)));
    let mut payload = Map::new();
    payload.insert("title".to_owned(), json!(title));
    payload.insert("rhythm".to_owned(), json!(often));
    payload.insert("daypart".to_owned(), json!(daypart.name()));
    payload.extend(first.hour.minute.map(|minute| ("start".to_owned(), json!(clock(minute)))));
    payload.extend(
        first.length_minutes.map(|minutes| ("duration_minutes".to_owned(), json!(minutes))),
    );
    let days = match rule.frequency {
        Frequency::Weekly => {
            let days = weekdays(rule, start).join(",");
            payload.insert("days".to_owned(), json!(weekdays(rule, start)));
            payload.insert("interval_weeks".to_owned(), json!(rule.interval));
            days
        }
        _ => slug(&often),
    };
    let basis = basis(series, entries, prior)?;
    let told = entries.iter().rev().find(|entry| !entry.is_plan).unwrap_or(last);
    let last_seen = match stated.to {
        Some(_) => None,
        None => Some(LastSeen::new(told.day.when(), ENDLESS_GRACE_DAYS)),
    };
    Some(Candidate {
        claim_type: claim_type.to_owned(),
        identity_key: format!("{claim_type}|{group}|{days}|{}", daypart.name()),
        text: format!("{title} {often} {}{}", daypart.phrase(), about.unwrap_or_default()),
        payload: Value::Object(payload),
        inputs: vec![Input { id: first.id, role: "supporting_event" }],
        basis,
        rationale: rationale(&often, entries),
        valid_from: Some(stated.from),
        valid_to: stated.to,
        last_seen,
        tags: Vec::new(),
    })
}

fn weekdays(rule: &Rule, start: jiff::civil::DateTime) -> Vec<&'static str> {
    let offset = |day: jiff::civil::Weekday| usize::try_from(day.to_monday_zero_offset()).ok();
    let mut days: Vec<usize> = rule.weekdays.iter().filter_map(|&(_, day)| offset(day)).collect();
    if days.is_empty() {
        days.extend(offset(start.weekday()));
    }
    days.sort_unstable();
    days.dedup();
    days.into_iter().filter_map(|day| Weekday::ALL.get(day)).map(|day| day.short()).collect()
}

/// As of other routines: the rule's days are the expected ones, and no occurrence is elsewhere.
fn basis(series: &Series, entries: &[&Entry<'_>], prior: f64) -> Option<Basis> {
    let (first, last) = (entries.first()?, entries.last()?);
    let mut weeks: Vec<i64> = entries.iter().map(|entry| entry.day.week()).collect();
    weeks.dedup();
    if entries.len() < SERIES_OCCURRENCES_MIN || weeks.len() < 2 {
        return None;
    }
    let without_exceptions = Series {
        excluded: Default::default(),
        cancelled: Default::default(),
        moved: Vec::new(),
        ..series.clone()
    };
    let date = |entry: &Entry<'_>| -> Date { entry.day.date() };
    let expected = without_exceptions.between(date(first), date(last), EXPECTED_MAX).len();
    let window = Window {
        hits: entries.len(),
        weight: entries.iter().map(|entry| entry.weight()).sum(),
        weeks: weeks.len(),
        expected: i64::try_from(expected.max(entries.len())).unwrap_or(i64::MAX),
        elsewhere: 0,
    };
    let score = window.score(1);
    let series_log_odds = kernel::confidence::round6(kernel::confidence::saturating(
        SERIES_LOG_ODDS_MAX,
        SERIES_RATE,
        entries.len() as f64,
    ));
    Some(
        Basis::new(prior)
            .with("occurrence_count", score.count.0, score.count.1)
            .with("weeks", score.weeks.0, score.weeks.1)
            .with("regularity", score.regularity.0, score.regularity.1)
            .with("coincidence", score.coincidence.0, score.coincidence.1)
            .with("recurring_series", entries.len() as f64, series_log_odds),
    )
}

fn rationale(often: &str, entries: &[&Entry<'_>]) -> String {
    let past = entries.iter().filter(|entry| !entry.is_plan);
    let last = past.clone().next_back().map(|entry| entry.day.date());
    let planned = entries.len() - past.clone().count();
    let mut parts = vec![format!("the calendar says {often}; {} until now", past.count())];
    if planned > 0 {
        parts.push(format!("{planned} more planned"));
    }
    parts.extend(last.map(|last| format!("the last {last}")));
    parts.join("; ")
}
