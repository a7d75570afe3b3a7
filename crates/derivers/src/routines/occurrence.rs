//! Which records show that something happened, and when.
//!
//! Two records with one title at one time are one occurrence: the same appointment in two calendars
//! counts once. An occurrence is identified by its day and its part of the day (a [`Slot`]), which
//! holds the records of it.

use std::collections::BTreeMap;

use calendar::series::Series;
use kernel::evidence::{Evidence, EvidenceKind};
use kernel::id::OpId;

use super::clock_words::{self, TimeOfDay};
use super::{BEFORE_BORDER_TIMES, BORDER_MINUTES, WEIGHT_ONE, WEIGHT_PLAN, WEIGHT_SERIES};
use crate::Record;
use crate::cancelled::is_cancelled;
use crate::local_time::{DAY_MINUTES, Day, Daypart, HOUR_MINUTES, latest_recorded_us, minute_of};
use crate::slug::slug;

/// Most words before the first punctuation of a note that serve as its title.
const NOTE_TITLE_WORDS_MAX: usize = 5;
/// Longest title, characters; a longer one does not name a habit.
const TITLE_CHARS_MAX: usize = 200;
/// Most records per slot; more of them add nothing.
const ENTRIES_MAX: usize = 16;
/// Longest duration that counts, minutes.
const LENGTH_MINUTES_MAX: i64 = DAY_MINUTES;

/// One record of an occurrence: an event or a note.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) id: OpId,
    pub(super) day: Day,
    pub(super) hour: TimeOfDay,
    pub(super) title: String,
    pub(super) source: &'a str,
    pub(super) is_note: bool,
    pub(super) in_series: bool,
    pub(super) is_plan: bool,
    pub(super) length_minutes: Option<i64>,
}

/// One part of one day, with all records of it.
#[derive(Clone, Debug)]
pub(super) struct Slot<'a> {
    pub(super) daypart: Daypart,
    pub(super) day: Day,
    pub(super) entries: Vec<Entry<'a>>,
}

impl<'a> Slot<'a> {
    fn add(&mut self, entry: Entry<'a>) {
        if self.entries.len() < ENTRIES_MAX {
            self.entries.push(entry);
        }
    }
}

impl Slot<'_> {
    /// Whether it is in the future.
    pub(super) fn is_plan(&self) -> bool {
        self.entries.iter().all(|entry| entry.is_plan)
    }
}

impl Entry<'_> {
    /// The minute of its start; for a night slot, minutes after midnight count from the evening
    /// before.
    pub(super) fn minute(&self, daypart: Daypart) -> Option<i64> {
        let minute = self.hour.minute?;
        let after_midnight = daypart == Daypart::Night && minute < 12 * HOUR_MINUTES;
        Some(if after_midnight { minute + DAY_MINUTES } else { minute })
    }

    /// Its weight, in twentieths.
    pub(super) fn weight(&self) -> u32 {
        match (self.is_plan, self.in_series) {
            (true, _) => WEIGHT_PLAN,
            (false, true) => WEIGHT_SERIES,
            (false, false) => WEIGHT_ONE,
        }
    }
}

/// The group of a record: the slug of its title, if it is about something at a time of day.
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
        EvidenceKind::EVENT => title.filter(|title| !is_cancelled(title)).map(str::to_owned),
        EvidenceKind::NOTE => match title {
            Some(title) => Some(clock_words::without_dates(title)),
            None => first_words(&evidence.payload.text),
        },
        _ => None,
    }?;
    (title.chars().count() <= TITLE_CHARS_MAX).then_some(title)
}

/// The title of a note without one: the words before its first punctuation, if they are few: `Gym:
/// bench and rows`.
fn first_words(text: &str) -> Option<String> {
    let line = text.trim_start().lines().next()?;
    let stops = ['.', ',', ';', ':', '(', '!', '?', '–', '—'];
    let phrase = clock_words::without_dates(line);
    let phrase = phrase.split(stops).find(|part| !part.trim().is_empty())?.trim();
    (phrase.split_whitespace().count() <= NOTE_TITLE_WORDS_MAX).then(|| phrase.to_owned())
}

/// The records of a group that show when it happened, in the order of their days.
pub(super) fn entries<'a>(group: &str, records: &'a [Record]) -> Vec<Entry<'a>> {
    let now_us = latest_recorded_us(records);
    let mut entries: Vec<Entry<'a>> =
        records.iter().filter_map(|record| entry(record, now_us)).collect();
    retain_group(group, &mut entries);
    entries.sort_by_key(|entry| (entry.day, entry.hour.minute, entry.id));
    entries
}

/// The occurrences of a group, by part of the day and then by day.
pub(super) fn slots(mut entries: Vec<Entry<'_>>) -> Vec<Slot<'_>> {
    assign_border_starts(&mut entries);
    let (mut placed, unplaced): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.hour.daypart.is_some());
    placed.sort_by_key(|entry| (entry.hour.daypart, entry.day, entry.hour.minute, entry.id));
    let mut slots: Vec<Slot<'_>> = Vec::new();
    for entry in placed {
        let Some(daypart) = entry.hour.daypart else { continue };
        match slots.last_mut() {
            Some(slot) if slot.daypart == daypart && slot.day == entry.day => slot.add(entry),
            _ => slots.push(Slot { daypart, day: entry.day, entries: vec![entry] }),
        }
    }
    attach_untimed_notes(&mut slots, unplaced);
    slots
}

/// Removes entries of other groups. Most titles of a group are spelt alike, so each spelling is
/// checked once.
fn retain_group(group: &str, entries: &mut Vec<Entry<'_>>) {
    let mut belongs_by_title: BTreeMap<String, bool> = BTreeMap::new();
    entries.retain(|entry| match belongs_by_title.get(&entry.title) {
        Some(&belongs) => belongs,
        None => {
            let belongs = slug(&entry.title) == group;
            belongs_by_title.insert(entry.title.clone(), belongs);
            belongs
        }
    });
}

fn entry(record: &Record, now_us: i64) -> Option<Entry<'_>> {
    let evidence = record.evidence()?;
    let at = evidence.at.as_ref()?;
    let title = title(evidence)?;
    let is_note = is_note(evidence);
    let hour = match (at.is_date_only(), is_note) {
        (false, _) => TimeOfDay::at(minute_of(at.civil())),
        (true, true) => clock_words::time_of_day_in(evidence),
        (true, false) => return None,
    };
    let more = &evidence.payload.more;
    Some(Entry {
        id: record.id,
        day: Day::of(at.date()),
        hour,
        title,
        source: &evidence.source,
        is_note,
        in_series: ["rrule", "recurrence_id", Series::FIELD]
            .iter()
            .any(|key| more.contains_key(*key)),
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

/// Assigns all starts near the border of two parts of the day to one of them, because an
/// appointment at five also starts at ten to five: to the earlier part only if most of them are in
/// it.
fn assign_border_starts(entries: &mut [Entry<'_>]) {
    for after in Daypart::ALL {
        let border = after.start();
        let offset = |entry: &Entry<'_>| {
            entry
                .hour
                .minute
                .map(|minute| minute - border)
                .filter(|offset| (-BORDER_MINUTES..BORDER_MINUTES).contains(offset))
        };
        let early = entries.iter().filter_map(offset).filter(|&offset| offset < 0).count();
        let late = entries.iter().filter_map(offset).count() - early;
        if early == 0 || late == 0 {
            continue;
        }
        let side = if early > BEFORE_BORDER_TIMES * late {
            Daypart::of((border - 1).rem_euclid(DAY_MINUTES))
        } else {
            after
        };
        for entry in entries.iter_mut() {
            if offset(entry).is_some() {
                entry.hour.daypart = Some(side);
            }
        }
    }
}

/// Adds a note without a time to the only slot of its day, if there is exactly one.
fn attach_untimed_notes<'a>(slots: &mut [Slot<'a>], notes: Vec<Entry<'a>>) {
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
    fn a_note_without_a_title_is_named_by_its_first_words() {
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
}
