//! Which weekdays belong together.
//!
//! Gym on Tuesdays and Thursdays is one habit, and a single Friday that replaced one of them is not
//! part of it. Within one part of the day, the weekday with the most occurrences around one hour is
//! the anchor; other weekdays join it if they keep that hour, over much the same time, about as
//! often, and in the same rhythm. The remaining weekdays are examined in turn: they may be habits
//! of their own.

use super::occurrence::Slot;
use super::{OFF_HOUR_MINUTES_MAX, OVERLAP_MIN, RARER_MIN};
use crate::local_time::{Daypart, HOUR_MINUTES, Weekday};

/// Step between the hours that are tried as the usual one, minutes.
const HOUR_STEP_MINUTES: i64 = HOUR_MINUTES / 2;
/// Fewest occurrences of an anchor.
const ANCHOR_MIN: usize = 2;
/// A weekday with a single occurrence may join if the anchor has at most this many, and all
/// weekdays together have at least [`ALL_WITH_SINGLES_MIN`]: in the second week of a daily habit
/// most weekdays have occurred once.
const ANCHOR_OF_SINGLES_MAX: usize = 3;
/// See [`ANCHOR_OF_SINGLES_MAX`].
const ALL_WITH_SINGLES_MIN: usize = 5;
/// Fewest occurrences that can establish a rhythm of every second week.
const ALTERNATING_MIN: usize = 6;
/// The longest pause of one weekday that does not end its season, weeks: habits that are rarely
/// recorded have long pauses by chance, and that the other days continued is better evidence.
const PAUSE_WEEKS_MAX: i64 = 8;
/// Share of the pauses that must be an even number of weeks.
const ALTERNATING_SHARE: f64 = 0.8;

/// The candidates for the usual hour, as minutes of the day.
pub(super) fn centres(daypart: Daypart) -> impl Iterator<Item = i64> {
    let steps = (daypart.end() - daypart.start()) / HOUR_STEP_MINUTES;
    (0..=steps).map(move |step| daypart.start() + step * HOUR_STEP_MINUTES)
}

impl Slot<'_> {
    /// Whether it started near that minute of the day; a slot without a known time matches any.
    pub(super) fn is_near(&self, centre: i64) -> bool {
        let mut minutes =
            self.entries.iter().filter_map(|entry| entry.minute(self.daypart)).peekable();
        minutes.peek().is_none()
            || minutes.any(|minute| (minute - centre).abs() <= OFF_HOUR_MINUTES_MAX)
    }
}

/// The disjoint sets of weekdays in one part of the day, each in week order.
pub(super) fn weekday_sets(slots: &[Slot<'_>]) -> Vec<Vec<Weekday>> {
    let Some(daypart) = slots.first().map(|slot| slot.daypart) else { return Vec::new() };
    let counts: Vec<(i64, [usize; 7])> =
        centres(daypart).map(|centre| (centre, count(slots, centre))).collect();
    let mut remaining = Weekday::ALL.to_vec();
    let mut sets = Vec::new();
    while let Some((anchor, centre)) = anchor(&counts, &remaining) {
        let mut set = join_weekdays(slots, anchor, centre, &remaining);
        remaining.retain(|weekday| !set.contains(weekday));
        set.sort();
        sets.push(set);
    }
    sets
}

fn count(slots: &[Slot<'_>], centre: i64) -> [usize; 7] {
    let mut counts = [0; 7];
    for slot in slots.iter().filter(|slot| slot.is_near(centre)) {
        if let Some(count) = counts.get_mut(slot.day.weekday() as usize) {
            *count += 1;
        }
    }
    counts
}

/// The weekday with the most occurrences around one hour, and that hour; the first wins a tie.
fn anchor(counts: &[(i64, [usize; 7])], remaining: &[Weekday]) -> Option<(Weekday, i64)> {
    let mut best: Option<(usize, Weekday, i64)> = None;
    for (centre, counts) in counts {
        for &weekday in remaining {
            let count = counts.get(weekday as usize).copied().unwrap_or_default();
            if count >= ANCHOR_MIN && best.is_none_or(|(most, ..)| count > most) {
                best = Some((count, weekday, *centre));
            }
        }
    }
    best.map(|(_, weekday, centre)| (weekday, centre))
}

/// The weeks of a weekday's occurrences, and the seasons that they form.
struct Weeks {
    weeks: Vec<i64>,
    seasons: Vec<(i64, i64)>,
    alternates: bool,
}

impl Weeks {
    fn of(slots: &[Slot<'_>], weekday: Weekday, centre: i64) -> Self {
        let of_weekday =
            slots.iter().filter(|slot| slot.day.weekday() == weekday && slot.is_near(centre));
        let weeks: Vec<i64> = of_weekday.map(|slot| slot.day.week()).collect();
        let pauses: Vec<i64> =
            weeks.windows(2).filter_map(|pair| Some(pair.last()? - pair.first()?)).collect();
        let even = pauses.iter().filter(|&&pause| pause % 2 == 0).count();
        let alternates = weeks.len() >= ALTERNATING_MIN
            && even as f64 >= ALTERNATING_SHARE * pauses.len() as f64;
        let mut seasons: Vec<(i64, i64)> = Vec::new();
        for &week in &weeks {
            match seasons.last_mut() {
                Some((_, last)) if week - *last <= PAUSE_WEEKS_MAX => *last = week,
                _ => seasons.push((week, week)),
            }
        }
        Self { weeks, seasons, alternates }
    }

    fn length(&self) -> i64 {
        self.seasons.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// The number of weeks in which both were active.
    fn overlap(&self, other: &Self) -> i64 {
        let (mut own, mut others) =
            (self.seasons.iter().peekable(), other.seasons.iter().peekable());
        let mut weeks = 0;
        while let (Some((first, last)), Some((other_first, other_last))) =
            (own.peek(), others.peek())
        {
            weeks += (last.min(other_last) - first.max(other_first) + 1).max(0);
            if last < other_last {
                own.next()
            } else {
                others.next()
            };
        }
        weeks
    }
}

fn join_weekdays(
    slots: &[Slot<'_>],
    anchor: Weekday,
    centre: i64,
    remaining: &[Weekday],
) -> Vec<Weekday> {
    let anchors = Weeks::of(slots, anchor, centre);
    let mut others: Vec<(Weekday, Weeks)> = remaining
        .iter()
        .filter(|&&weekday| weekday != anchor)
        .map(|&weekday| (weekday, Weeks::of(slots, weekday, centre)))
        .collect();
    others.sort_by_key(|(weekday, weeks)| (std::cmp::Reverse(weeks.weeks.len()), *weekday));
    let all =
        anchors.weeks.len() + others.iter().map(|(_, weeks)| weeks.weeks.len()).sum::<usize>();
    let singles_join = anchors.weeks.len() <= ANCHOR_OF_SINGLES_MAX && all >= ALL_WITH_SINGLES_MIN;
    let mut set = vec![anchor];
    let mut occurrences = anchors.weeks.len();
    for (weekday, weeks) in others {
        let count = weeks.weeks.len();
        let often = count as f64 >= RARER_MIN * occurrences as f64 / set.len() as f64;
        let longer = anchors.length().max(weeks.length());
        let together = anchors.overlap(&weeks) as f64 >= OVERLAP_MIN * longer as f64;
        let enough = count > 1 || count == 1 && singles_join;
        if often && together && enough && weeks.alternates == anchors.alternates {
            set.push(weekday);
            occurrences += count;
        }
    }
    set
}
