//! Which records show that the owner was somewhere, and when.
//!
//! Visits are counted by day: several photos of an afternoon are one, together with the appointment
//! at the same place. Events, notes and photos count; cancellations are another kind of evidence,
//! and tasks are not tied to a place. An event belongs to the day on which it starts.

use std::collections::BTreeMap;

use calendar::series::Series;
use kernel::evidence::{Evidence, EvidenceKind};
use kernel::id::OpId;

use super::cell::{Cell, Position};
use super::label::{self, LabelTarget, target};
use crate::Record;
use crate::cancelled::is_cancelled;
use crate::local_time::{DAY_MINUTES, Day, latest_recorded_us, minute_of};

/// Prefix of a named place's group.
pub(super) const NAMED_GROUP: &str = "label:";
/// Words in the names of calendars and labels of public holidays, in lower case.
const HOLIDAYS: [&str; 9] = [
    "holiday",
    "feiertag",
    "jours fériés",
    "festivos",
    "feriados",
    "festività",
    "feestdagen",
    "helgdagar",
    "helligdager",
];
/// Prefix of a cell's group.
pub(super) const CELL_GROUP: &str = "cell:";

/// The location that a record names.
pub(super) enum Spot {
    /// A named place, by its slug.
    Named(String),
    /// A position without a name.
    At(Position),
}

/// One record of a visit.
#[derive(Clone, Debug)]
pub(super) struct Visit<'a> {
    pub(super) id: OpId,
    pub(super) day: Day,
    /// The name of the place as written, if it has one.
    pub(super) label: Option<&'a str>,
    pub(super) position: Option<Position>,
    pub(super) source: &'a str,
    pub(super) role: &'static str,
    pub(super) is_plan: bool,
    /// Whether it is of a series without end, whose plans go as far as one looks.
    pub(super) is_endless: bool,
    /// The day on which the series that it is of began.
    pub(super) series_began: Option<Day>,
    /// Start and end as minutes of the day, if the source recorded local time.
    pub(super) hours: Option<(i64, i64)>,
}

/// The location that a record names, if any.
pub(super) fn spot(record: &Record) -> Option<Spot> {
    let evidence = record.evidence()?;
    role(evidence)?;
    evidence.at.as_ref()?;
    if is_holiday(evidence) {
        return None;
    }
    let location = evidence.payload.location.as_ref()?;
    let position = position(evidence);
    match location.label.as_deref().map(target) {
        Some(LabelTarget::Place(slug)) => Some(Spot::Named(slug)),
        Some(LabelTarget::Position(position)) => Some(Spot::At(position)),
        Some(LabelTarget::Neither) if evidence.kind.0 == EvidenceKind::EVENT => None,
        Some(LabelTarget::Neither) | None => position.map(Spot::At),
    }
}

/// Whether an event is a day of a calendar of holidays, which names the country that has it: one
/// day, the whole of it, and nobody takes part.
fn is_holiday(evidence: &Evidence) -> bool {
    let payload = &evidence.payload;
    let field = |name: &str| payload.more.get(name);
    let is_of_holidays = |name: &str| HOLIDAYS.iter().any(|word| name.contains(word));
    let label = payload.location.as_ref().and_then(|location| location.label.as_deref());
    let label = label.unwrap_or_default().to_lowercase();
    let calendar = field("calendar").and_then(|name| name.as_str()).unwrap_or_default();
    let calendar = calendar.to_lowercase();
    let is_transparent = field("transparent").is_some_and(|transparent| transparent == true);
    evidence.kind.0 == EvidenceKind::EVENT
        && field("all_day").is_some_and(|all_day| all_day == true)
        && payload.end.is_none()
        && payload.participants.is_empty()
        && (is_of_holidays(&calendar) && (is_transparent || calendar.contains(&label))
            || is_transparent && payload.tags.iter().any(|tag| is_of_holidays(&tag.to_lowercase())))
}

fn position(evidence: &Evidence) -> Option<Position> {
    let location = evidence.payload.location.as_ref()?;
    Position::new(location.lat?, location.lon?)
}

fn role(evidence: &Evidence) -> Option<&'static str> {
    match evidence.kind.0.as_str() {
        EvidenceKind::EVENT => {
            let title = evidence.payload.title.as_deref().unwrap_or_default();
            (!is_cancelled(title)).then_some("visit")
        }
        EvidenceKind::NOTE => Some("supporting_note"),
        EvidenceKind::PHOTO => Some("photo"),
        _ => None,
    }
}

/// The visits of a group by day.
pub(super) fn visits<'a>(group: &str, records: &'a [Record]) -> Vec<Visit<'a>> {
    let now_us = latest_recorded_us(records);
    let mut visits: Vec<Visit<'_>> = match group.strip_prefix(NAMED_GROUP) {
        Some(slug) => {
            let mut is_here_by_label: BTreeMap<&str, bool> = BTreeMap::new();
            let visits = records.iter().filter_map(|record| visit(record, now_us));
            // Most labels of a group are spelt alike, so each spelling is checked once.
            let is_here = |visit: &Visit<'a>| {
                let is_here = |label: &str| matches!(target(label), LabelTarget::Place(other) if other == slug);
                visit.label.is_some_and(|label| {
                    *is_here_by_label.entry(label).or_insert_with(|| is_here(label))
                })
            };
            visits.filter(is_here).collect()
        }
        None => records_if_densest(group, records)
            .into_iter()
            .filter_map(|record| visit(record, now_us))
            .collect(),
    };
    // The first occurrence of a series has its rule.
    let series = |record: &Record| {
        let series = Series::of(record.evidence()?)?;
        let began = series.began().map(|first| Day::of(first.at.date()));
        Some((record.id, (!series.is_finite(), began)))
    };
    let series: BTreeMap<OpId, (bool, Option<Day>)> = records.iter().filter_map(series).collect();
    for visit in &mut visits {
        if let Some((is_endless, began)) = series.get(&visit.id) {
            (visit.is_endless, visit.series_began) = (*is_endless, *began);
        }
    }
    visits.sort_by_key(|visit| (visit.day, visit.id));
    visits
}

/// The records in and around a cell, if no adjacent cell has more days; the smaller name wins a
/// tie.
fn records_if_densest<'a>(group: &str, records: &'a [Record]) -> Vec<&'a Record> {
    let Some(cell) = group.strip_prefix(CELL_GROUP).and_then(Cell::parse) else {
        return Vec::new();
    };
    let around = cell.around();
    let mut days: BTreeMap<Cell, Vec<Day>> = BTreeMap::new();
    let mut there = Vec::new();
    for record in records {
        let Some(Spot::At(position)) = spot(record) else { continue };
        let other = Cell::of(position);
        let at = record.evidence().and_then(|evidence| evidence.at.as_ref());
        if let Some(at) = at.filter(|_| around.contains(&other)) {
            days.entry(other).or_default().push(Day::of(at.date()));
            there.push(record);
        }
    }
    let mut densest: Option<(usize, Cell)> = None;
    for (cell, mut days) in days {
        days.sort_unstable();
        days.dedup();
        if densest.is_none_or(|(most, _)| days.len() > most) {
            densest = Some((days.len(), cell));
        }
    }
    if densest.is_some_and(|(_, cell_of_most)| cell_of_most == cell) { there } else { Vec::new() }
}

fn visit(record: &Record, now_us: i64) -> Option<Visit<'_>> {
    let evidence = record.evidence()?;
    let at = evidence.at.as_ref()?;
    let location = evidence.payload.location.as_ref()?;
    Some(Visit {
        id: record.id,
        day: Day::of(at.date()),
        label: location.label.as_deref(),
        position: match location.label.as_deref().and_then(label::position) {
            Some(position) => Some(position),
            None => position(evidence),
        },
        source: &evidence.source,
        role: role(evidence)?,
        is_plan: at.instant_us() > now_us,
        is_endless: false,
        series_began: None,
        hours: hours(evidence),
    })
}

/// Start and end; `None` for a photo whose time is in UTC, because its local time is unknown.
fn hours(evidence: &Evidence) -> Option<(i64, i64)> {
    let at = evidence.at.as_ref()?;
    let elsewhere = evidence.kind.0 == EvidenceKind::PHOTO && at.as_str().ends_with('Z');
    if at.is_date_only() || elsewhere {
        return None;
    }
    let start = minute_of(at.civil());
    let end = evidence.payload.end.as_ref().filter(|end| !end.is_date_only());
    let minutes =
        end.and_then(|end| end.instant_us().checked_sub(at.instant_us())).unwrap_or_default()
            / 60_000_000;
    Some((start, start + minutes.clamp(0, DAY_MINUTES)))
}
