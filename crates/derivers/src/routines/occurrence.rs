//! Which records say that something happened, and when.
//!
//! Two records of one title at one time are one occurrence told twice: two calendars that hold the
//! same appointment are no two appointments. An occurrence is known by its day and its part of the
//! day (a [`Slot`]); how it was told is kept beside.

use std::collections::BTreeMap;

use kernel::evidence::{Evidence, EvidenceKind};
use kernel::id::OpId;

use super::clock_words::{self, Hour};
use super::{BEFORE_BORDER_TIMES, BORDER_MINUTES, WEIGHT_ONE, WEIGHT_PLAN, WEIGHT_SERIES};
use crate::Record;
use crate::local_time::{DAY_MINUTES, Day, Daypart, HOUR_MINUTES, minute_of, told_latest_us};
use crate::slug::slug;

/// Most words of a note's first words that are a title.
const NOTE_TITLE_WORDS_MAX: usize = 5;
/// Longest title, characters; what is longer is no name of a habit.
const TITLE_CHARS_MAX: usize = 200;
/// Most records that tell of one part of one day; what else is told of it adds nothing.
const TELLINGS_MAX: usize = 16;
/// Longest length of an occurrence that says how long it takes, minutes.
const LENGTH_MINUTES_MAX: i64 = DAY_MINUTES;

/// One record that tells of an occurrence.
#[derive(Clone, Debug)]
pub(super) struct Telling<'a> {
    pub(super) id: OpId,
    pub(super) day: Day,
    pub(super) hour: Hour,
    pub(super) title: String,
    pub(super) source: &'a str,
    pub(super) is_note: bool,
    pub(super) in_series: bool,
    pub(super) is_plan: bool,
    pub(super) length_minutes: Option<i64>,
}

/// All that was told of one part of one day.
#[derive(Clone, Debug)]
pub(super) struct Slot<'a> {
    pub(super) daypart: Daypart,
    pub(super) day: Day,
    pub(super) tellings: Vec<Telling<'a>>,
}

impl<'a> Slot<'a> {
    fn add(&mut self, telling: Telling<'a>) {
        if self.tellings.len() < TELLINGS_MAX {
            self.tellings.push(telling);
        }
    }
}

impl Slot<'_> {
    /// Whether it lies ahead.
    pub(super) fn is_plan(&self) -> bool {
        self.tellings.iter().all(|telling| telling.is_plan)
    }
}

impl Telling<'_> {
    /// The minute of its start, counted on after midnight where it belongs to the night before
    /// dawn.
    pub(super) fn minute(&self, daypart: Daypart) -> Option<i64> {
        let minute = self.hour.minute?;
        let after_midnight = daypart == Daypart::Night && minute < 12 * HOUR_MINUTES;
        Some(if after_midnight { minute + DAY_MINUTES } else { minute })
    }

    /// What it weighs, in twentieths.
    pub(super) fn weight(&self) -> u32 {
        match (self.is_plan, self.in_series) {
            (true, _) => WEIGHT_PLAN,
            (false, true) => WEIGHT_SERIES,
            (false, false) => WEIGHT_ONE,
        }
    }
}

/// The group of a record: the slug of its title, if it tells of something that happened at a time
/// of day.
pub(super) fn group(record: &Record) -> Option<String> {
    let evidence = record.evidence()?;
    let slug = slug(&title(evidence)?);
    let timed = evidence.at.as_ref().is_some_and(|at| !at.is_date_only()) || is_note(evidence);
    (timed && evidence.at.is_some() && !slug.is_empty()).then_some(slug)
}

fn is_note(evidence: &Evidence) -> bool {
    evidence.kind.0 == EvidenceKind::NOTE
}

/// The title of an event or note.
fn title(evidence: &Evidence) -> Option<String> {
    let title = evidence.payload.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let title = match evidence.kind.0.as_str() {
        EvidenceKind::EVENT => title.filter(|title| !is_called_off(title)).map(str::to_owned),
        EvidenceKind::NOTE => match title {
            Some(title) => Some(clock_words::without_dates(title)),
            None => first_words(&evidence.payload.text),
        },
        _ => None,
    }?;
    (title.chars().count() <= TITLE_CHARS_MAX).then_some(title)
}

/// Exchange writes into the title itself that an event will not take place.
fn is_called_off(title: &str) -> bool {
    let lower: String = title.chars().take(10).flat_map(char::to_lowercase).collect();
    lower.starts_with("canceled:") || lower.starts_with("cancelled:")
}

/// A note without a title is known by what stands before its first stop, if that is short: `Gym:
/// bench and rows`.
fn first_words(text: &str) -> Option<String> {
    let line = text.trim_start().lines().next()?;
    let stops = ['.', ',', ';', ':', '(', '!', '?', '–', '—'];
    let phrase = clock_words::without_dates(line);
    let phrase = phrase.split(stops).find(|part| !part.trim().is_empty())?.trim();
    (phrase.split_whitespace().count() <= NOTE_TITLE_WORDS_MAX).then(|| phrase.to_owned())
}

/// The occurrences of a group, by part of the day and then by day.
pub(super) fn slots<'a>(group: &str, records: &'a [Record]) -> Vec<Slot<'a>> {
    let now_us = told_latest_us(records);
    let mut tellings: Vec<Telling<'a>> =
        records.iter().filter_map(|record| telling(record, now_us)).collect();
    keep_those_of(group, &mut tellings);
    tellings.sort_by_key(|telling| (telling.day, telling.hour.minute, telling.id));
    settle_borders(&mut tellings);
    let (mut placed, unplaced): (Vec<_>, Vec<_>) =
        tellings.into_iter().partition(|telling| telling.hour.daypart.is_some());
    placed.sort_by_key(|telling| {
        (telling.hour.daypart, telling.day, telling.hour.minute, telling.id)
    });
    let mut slots: Vec<Slot<'a>> = Vec::new();
    for telling in placed {
        let Some(daypart) = telling.hour.daypart else { continue };
        match slots.last_mut() {
            Some(slot) if slot.daypart == daypart && slot.day == telling.day => slot.add(telling),
            _ => slots.push(Slot { daypart, day: telling.day, tellings: vec![telling] }),
        }
    }
    confirm(&mut slots, unplaced);
    slots
}

/// Most titles of a group are written alike, so that each is looked at once.
fn keep_those_of(group: &str, tellings: &mut Vec<Telling<'_>>) {
    let mut looked_at: BTreeMap<String, bool> = BTreeMap::new();
    tellings.retain(|telling| match looked_at.get(&telling.title) {
        Some(&belongs) => belongs,
        None => {
            let belongs = slug(&telling.title) == group;
            looked_at.insert(telling.title.clone(), belongs);
            belongs
        }
    });
}

fn telling(record: &Record, now_us: i64) -> Option<Telling<'_>> {
    let evidence = record.evidence()?;
    let at = evidence.at.as_ref()?;
    let title = title(evidence)?;
    let is_note = is_note(evidence);
    let hour = match (at.is_date_only(), is_note) {
        (false, _) => Hour::at(minute_of(at.civil())),
        (true, true) => clock_words::hour_in(evidence),
        (true, false) => return None,
    };
    let more = &evidence.payload.more;
    Some(Telling {
        id: record.id,
        day: Day::of(at.date()),
        hour,
        title,
        source: &evidence.source,
        is_note,
        in_series: more.contains_key("rrule") || more.contains_key("recurrence_id"),
        is_plan: at.instant_us() > now_us,
        length_minutes: length_minutes(evidence),
    })
}

fn length_minutes(evidence: &Evidence) -> Option<i64> {
    let (at, end) = (evidence.at.as_ref()?, evidence.payload.end.as_ref()?);
    if at.is_date_only() || end.is_date_only() {
        return None;
    }
    let minutes = end.instant_us().checked_sub(at.instant_us())? / 60_000_000;
    (1..=LENGTH_MINUTES_MAX).contains(&minutes).then_some(minutes)
}

/// Who meets at five comes at ten to five as well. Starts near a border between two parts of the
/// day are all counted on one side of it: before it only where most of them are.
fn settle_borders(tellings: &mut [Telling<'_>]) {
    for after in Daypart::ALL {
        let border = after.begin();
        let offset = |telling: &Telling<'_>| {
            telling
                .hour
                .minute
                .map(|minute| minute - border)
                .filter(|offset| (-BORDER_MINUTES..BORDER_MINUTES).contains(offset))
        };
        let early = tellings.iter().filter_map(offset).filter(|&offset| offset < 0).count();
        let late = tellings.iter().filter_map(offset).count() - early;
        if early == 0 || late == 0 {
            continue;
        }
        let side = if early > BEFORE_BORDER_TIMES * late {
            Daypart::of((border - 1).rem_euclid(DAY_MINUTES))
        } else {
            after
        };
        for telling in tellings.iter_mut() {
            if offset(telling).is_some() {
                telling.hour.daypart = Some(side);
            }
        }
    }
}

/// A note that knows only its day confirms what else is known of that day, if that is one thing.
fn confirm<'a>(slots: &mut [Slot<'a>], notes: Vec<Telling<'a>>) {
    for note in notes {
        let mut same_day = slots.iter_mut().filter(|slot| slot.day == note.day);
        if let (Some(slot), None) = (same_day.next(), same_day.next()) {
            slot.add(note);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_known_by_its_first_words() {
        for (text, expect) in [
            ("Gym: bench and rows", Some("Gym")),
            ("Ran 5 km, felt good", Some("Ran 5 km")),
            ("Today I went to see my old aunt", None),
            ("", None),
            ("…", Some("…")),
        ] {
            assert_eq!(first_words(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn what_was_called_off_did_not_happen() {
        assert!(is_called_off("Canceled: Gym"));
        assert!(is_called_off("CANCELLED: Gym"));
        assert!(!is_called_off("Cancel the gym contract"));
        assert!(!is_called_off("早上跑步早上跑步早上跑步"));
    }
}
