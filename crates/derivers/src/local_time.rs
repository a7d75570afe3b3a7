//! Days, weeks and parts of the day in local time: by the clock at the place of the event.
//!
//! An event keeps its own zone, so nothing here converts between zones; a flight to another zone
//! does not move Tuesday's gym to Monday. Days are numbered, so gaps and weeks are plain
//! arithmetic.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use kernel::when::When;

use crate::Record;

/// Minutes in an hour.
pub(crate) const HOUR_MINUTES: i64 = 60;
/// Minutes in a day.
pub(crate) const DAY_MINUTES: i64 = 24 * HOUR_MINUTES;
/// Days in a week.
pub(crate) const WEEK_DAYS: i64 = 7;

/// More days than the calendar has, before and after the epoch.
const DAYS_MAX: i64 = 10_000_000;
const EPOCH: Date = Date::constant(1970, 1, 1);
/// The epoch was a Thursday; weeks begin on Monday.
const EPOCH_WEEKDAY: i64 = 3;

/// A local day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day(pub(crate) i64);

impl Day {
    /// The day of a date.
    pub(crate) fn of(date: Date) -> Self {
        Self(date.duration_since(EPOCH).as_hours() / 24)
    }

    /// Its date; days beyond the calendar give the last date.
    pub(crate) fn date(self) -> Date {
        let days = self.0.clamp(-DAYS_MAX, DAYS_MAX);
        EPOCH.checked_add(SignedDuration::from_hours(days * 24)).unwrap_or(Date::MAX)
    }

    /// The day as a time with day precision.
    pub(crate) fn when(self) -> When {
        When::from_date(self.date())
    }

    /// The day `days` days later.
    pub(crate) fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// The number of its week, Monday to Sunday.
    pub(crate) fn week(self) -> i64 {
        self.0.saturating_add(EPOCH_WEEKDAY).div_euclid(WEEK_DAYS)
    }

    /// The day of the week.
    pub(crate) fn weekday(self) -> Weekday {
        let index = self.0.saturating_add(EPOCH_WEEKDAY).rem_euclid(WEEK_DAYS);
        Weekday::ALL
            .into_iter()
            .nth(usize::try_from(index).unwrap_or_default())
            .unwrap_or(Weekday::Monday)
    }
}

/// A day of the week, in week order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl Weekday {
    /// All of them, in week order.
    pub(crate) const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// Its name in identity keys.
    pub(crate) fn short(self) -> &'static str {
        match self {
            Self::Monday => "mon",
            Self::Tuesday => "tue",
            Self::Wednesday => "wed",
            Self::Thursday => "thu",
            Self::Friday => "fri",
            Self::Saturday => "sat",
            Self::Sunday => "sun",
        }
    }

    /// Its name for people.
    pub(crate) fn long(self) -> &'static str {
        match self {
            Self::Monday => "Monday",
            Self::Tuesday => "Tuesday",
            Self::Wednesday => "Wednesday",
            Self::Thursday => "Thursday",
            Self::Friday => "Friday",
            Self::Saturday => "Saturday",
            Self::Sunday => "Sunday",
        }
    }
}

/// A part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Daypart {
    /// 05–12.
    Morning,
    /// 12–17.
    Afternoon,
    /// 17–22.
    Evening,
    /// 22–05.
    Night,
}

impl Daypart {
    /// All of them, from the morning on.
    pub(crate) const ALL: [Self; 4] = [Self::Morning, Self::Afternoon, Self::Evening, Self::Night];

    /// The part of the day that a minute of the day is in.
    pub(crate) fn of(minute: i64) -> Self {
        match minute / HOUR_MINUTES {
            5..12 => Self::Morning,
            12..17 => Self::Afternoon,
            17..22 => Self::Evening,
            _ => Self::Night,
        }
    }

    /// Its first minute.
    pub(crate) fn start(self) -> i64 {
        HOUR_MINUTES
            * match self {
                Self::Morning => 5,
                Self::Afternoon => 12,
                Self::Evening => 17,
                Self::Night => 22,
            }
    }

    /// The first minute after it; a night ends after midnight, so its end is more than a day.
    pub(crate) fn end(self) -> i64 {
        match self {
            Self::Morning => Self::Afternoon.start(),
            Self::Afternoon => Self::Evening.start(),
            Self::Evening => Self::Night.start(),
            Self::Night => DAY_MINUTES + Self::Morning.start(),
        }
    }

    /// Its name in identity keys.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Morning => "morning",
            Self::Afternoon => "afternoon",
            Self::Evening => "evening",
            Self::Night => "night",
        }
    }

    /// The phrase for it in a sentence.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Morning => "in the morning",
            Self::Afternoon => "in the afternoon",
            Self::Evening => "in the evening",
            Self::Night => "at night",
        }
    }
}

/// The minute of the day.
pub(crate) fn minute_of(civil: DateTime) -> i64 {
    i64::from(civil.hour()) * HOUR_MINUTES + i64::from(civil.minute())
}

/// A minute of the day as `07:05`.
pub(crate) fn clock(minute: i64) -> String {
    let minute = minute.rem_euclid(DAY_MINUTES);
    format!("{:02}:{:02}", minute / HOUR_MINUTES, minute % HOUR_MINUTES)
}

/// The latest time at which any of the records was recorded. Anything later than it is a plan.
pub(crate) fn latest_recorded_us(records: &[Record]) -> i64 {
    let latest = records.iter().map(|record| record.recorded_at.0).max().unwrap_or_default();
    i64::try_from(latest).unwrap_or(i64::MAX)
}

/// The median, the lower of two middle values; `None` for an empty slice.
pub(crate) fn median<T: Copy>(
    values: &mut [T],
    compare: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> Option<T> {
    values.sort_by(compare);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_its_week_weekday_and_date() {
        let day = Day::of(Date::constant(2025, 6, 3));
        assert_eq!(day.weekday(), Weekday::Tuesday);
        assert_eq!(day.date(), Date::constant(2025, 6, 3));
        assert_eq!(day.plus(5).week(), day.week(), "Sunday ends the week");
        assert_eq!(day.plus(6).week(), day.week() + 1);
        assert_eq!(Day::of(Date::constant(1969, 12, 31)).weekday(), Weekday::Wednesday);
        assert_eq!(Day::of(Date::MIN).date(), Date::MIN);
        assert_eq!(Day(i64::MAX).date(), Date::MAX);
    }

    #[test]
    fn parts_of_the_day_start_at_the_specified_hours() {
        let names = [4, 5, 11, 12, 16, 17, 21, 22, 0]
            .map(|hour| Daypart::of(hour * HOUR_MINUTES + 59).name());
        let expect = [
            "night",
            "morning",
            "morning",
            "afternoon",
            "afternoon",
            "evening",
            "evening",
            "night",
            "night",
        ];
        assert_eq!(names, expect);
    }
}
