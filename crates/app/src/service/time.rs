//! Times that a user names on the command line or an agent in a request.
//!
//! A time is a point (`2025-02-01T09:30`), a day (`2025-02-01`, `yesterday`, `3 days ago`, `3d`,
//! `Friday`) or a period (`2025-02`, `2025`, `May`, `last week`). A day stands for its midnight. A
//! period stands for its beginning, and at the end of a window for its end: `--since 2025 --until
//! 2025` is all of 2025. A weekday or month by itself is the latest that has begun. Without an
//! offset, all are in the user's zone. Weeks start on Monday.

use engine::belief::claims::current_at_us;
use engine::private::Viewpoint;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use kernel::when::When;

use crate::failure::RequestError;
use crate::service::session::Session;

/// Every form of a time.
const FORMS: &str = "2025, 2025-02, 2025-02-01, 2025-02-01T09:30, 2025-02-01T09:30:00+02:00, today, yesterday, \
                     Friday, May 2025, last week, 3 days ago or 2w";
/// Every form of the time of a record, which is not longer than a day.
const FORMS_TO_A_DAY: &str = "2025-02-01, 2025-02-01T09:30, 2025-02-01T09:30:00+02:00, today, yesterday, Friday, \
                              3 days ago or 3d";
/// Most units that lie between a time and now ("3 days ago").
const UNITS_MAX: i64 = 10_000;

/// What relative times and times without an offset depend on.
#[derive(Clone, Copy)]
pub(crate) struct TimeParser<'a> {
    zone: &'a TimeZone,
    now: Timestamp,
}

/// A time as it was named.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NamedTime {
    /// Microseconds since the Unix epoch.
    Point(i64),
    Day(Date),
    /// From the first day up to, and without, the day after the last. The latter is none if it is
    /// out of range.
    Period(Date, Option<Date>),
}

/// The time that a view of a record states, as it is compared: in words `…:00Z` comes after
/// `…:00.5Z`. The Unix epoch if it cannot be parsed.
pub(crate) fn instant(recorded_at: &str) -> Timestamp {
    recorded_at.parse().unwrap_or_default()
}

impl Session {
    /// Reads the times of this request.
    pub(crate) fn times(&self) -> TimeParser<'_> {
        TimeParser { zone: &self.zone, now: self.now }
    }
}

impl TimeParser<'_> {
    /// A point, a day's midnight or the beginning of a period, in microseconds.
    pub(crate) fn start_us(&self, text: &str) -> Result<i64, RequestError> {
        match self.parse(text)? {
            NamedTime::Point(at_us) => Ok(at_us),
            NamedTime::Day(first) | NamedTime::Period(first, _) => {
                self.midnight_us(Some(first), text)
            }
        }
    }

    /// The same for an optional time.
    pub(crate) fn start_if_given_us(
        &self,
        text: Option<&str>,
    ) -> Result<Option<i64>, RequestError> {
        text.map(|text| self.start_us(text)).transpose()
    }

    /// A time of recording, which is never before the epoch.
    pub(crate) fn recorded_us(&self, text: Option<&str>) -> Result<Option<u64>, RequestError> {
        Ok(self.start_if_given_us(text)?.map(|at| at.max(0).unsigned_abs()))
    }

    /// The times of a request: as of a time of recording, and of a time in the world.
    pub(crate) fn viewpoint(
        &self,
        as_of: Option<&str>,
        valid_at: Option<&str>,
    ) -> Result<Viewpoint, RequestError> {
        Ok(Viewpoint {
            as_of_us: self.recorded_us(as_of)?,
            valid_at_us: self.start_if_given_us(valid_at)?,
            ..Viewpoint::default()
        })
    }

    /// The times of a request about what is around something: unless another time in the world is
    /// named, that is now, or the time as of which memory is asked.
    pub(crate) fn viewpoint_around(
        &self,
        as_of: Option<&str>,
        valid_at: Option<&str>,
    ) -> Result<Viewpoint, RequestError> {
        let named = self.viewpoint(as_of, valid_at)?;
        let current_us = current_at_us(self.now.as_microsecond(), named.as_of_us);
        Ok(Viewpoint { valid_at_us: named.valid_at_us.or(Some(current_us)), ..named })
    }

    /// The window in which something happened, from `since` and before `until`. An empty one is
    /// refused.
    pub(crate) fn window_us(
        &self,
        since: Option<&str>,
        until: Option<&str>,
    ) -> Result<(Option<i64>, Option<i64>), RequestError> {
        let end_us = |text: &str| match self.parse(text)? {
            NamedTime::Period(_, after) => self.midnight_us(after, text),
            _ => self.start_us(text),
        };
        let window = (self.start_if_given_us(since)?, until.map(end_us).transpose()?);
        if let ((Some(since_us), Some(until_us)), Some(since), Some(until)) = (window, since, until)
            && since_us >= until_us
        {
            let (since, until) = (since.to_owned(), until.to_owned());
            return Err(RequestError::EmptyWindow { since, until });
        }
        Ok(window)
    }

    /// The time of a record: as it is written, or the day that it names.
    pub(crate) fn when(&self, text: &str) -> Result<When, RequestError> {
        if let Ok(when) = When::parse_given(text) {
            return Ok(when);
        }
        match self.named(text) {
            Some(NamedTime::Point(at_us)) => {
                let at = Timestamp::from_microsecond(at_us).map_err(|_| too_far(text))?;
                Ok(When::from_zoned(&at.to_zoned(self.zone.clone())))
            }
            Some(NamedTime::Day(day)) => Ok(When::from_date(day)),
            Some(NamedTime::Period(..)) | None => Err(malformed(text, FORMS_TO_A_DAY)),
        }
    }

    /// Where an interval of validity begins or ends. A period stands for its beginning, and at the
    /// end for its end. A day or a time of the user's zone is written with its offset, because a
    /// validity is compared as instants, on every device alike.
    pub(crate) fn bound(&self, text: &str, is_end: bool) -> Result<When, RequestError> {
        let when = match self.named(text) {
            Some(NamedTime::Period(first, after)) => {
                let day = if is_end { after } else { Some(first) };
                When::from_date(day.ok_or_else(|| too_far(text))?)
            }
            Some(_) => self.when(text)?,
            None => When::parse_given(text).map_err(|_| malformed(text, FORMS))?,
        };
        Ok(self.with_offset(when))
    }

    /// The same time with the offset of the user's zone, if it has none and that is not zero.
    pub(crate) fn with_offset(&self, when: When) -> When {
        if when.offset().is_some() {
            return when;
        }
        match when.civil().to_zoned(self.zone.clone()) {
            Ok(zoned) if !zoned.offset().is_zero() => {
                let offset = zoned.offset().to_time_zone();
                When::from_zoned(&zoned.with_time_zone(offset))
            }
            _ => when,
        }
    }

    fn parse(&self, text: &str) -> Result<NamedTime, RequestError> {
        match When::parse_given(text) {
            Ok(when) => self.instant_us(&when, text).map(NamedTime::Point),
            Err(_) => self.named(text).ok_or_else(|| malformed(text, FORMS)),
        }
    }

    /// A civil time is one of the user's zone.
    fn instant_us(&self, when: &When, text: &str) -> Result<i64, RequestError> {
        if when.offset().is_some() {
            return Ok(when.instant_us());
        }
        let zoned = when.civil().to_zoned(self.zone.clone()).map_err(|_| too_far(text))?;
        Ok(zoned.timestamp().as_microsecond())
    }

    fn midnight_us(&self, day: Option<Date>, text: &str) -> Result<i64, RequestError> {
        let zoned = day.and_then(|day| day.to_zoned(self.zone.clone()).ok());
        Ok(zoned.ok_or_else(|| too_far(text))?.timestamp().as_microsecond())
    }

    /// A time that is not written as a date: a year, a month, or relative to now.
    fn named(&self, text: &str) -> Option<NamedTime> {
        /// No name of a time is longer.
        const BYTES_MAX: usize = 64;
        let text = Some(text.trim()).filter(|text| text.len() <= BYTES_MAX)?.to_lowercase();
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.len() > 1 && matches!(words.first(), Some(&("in" | "on"))) {
            words.remove(0);
        }
        let today = self.now.to_zoned(self.zone.clone()).date();
        match words[..] {
            ["now"] => Some(NamedTime::Point(self.now.as_microsecond())),
            ["today"] => Some(NamedTime::Day(today)),
            ["yesterday"] => today.yesterday().ok().map(NamedTime::Day),
            ["tomorrow"] => today.tomorrow().ok().map(NamedTime::Day),
            [written] => year_or_month(written)
                .or_else(|| self.short_ago(written))
                .or_else(|| latest(today, written)),
            [which @ ("last" | "this" | "next"), unit] => unit_beside(today, which, unit),
            [name, year] => year_or_month(&format!("{year}-{:02}", month(name)?)),
            [count, unit, "ago"] => self.ago(count_of(count)?, unit),
            _ => None,
        }
    }

    /// `12h`, `3d`, `2w` or `1y` ago. An `m` could be minutes or months.
    fn short_ago(&self, written: &str) -> Option<NamedTime> {
        let count = written.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = match written.get(count.len()..)? {
            "h" => "hour",
            "d" => "day",
            "w" => "week",
            "y" => "year",
            _ => return None,
        };
        let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        self.ago(count_of(count).filter(|_| is_number)?, unit)
    }

    fn ago(&self, count: i64, unit: &str) -> Option<NamedTime> {
        let span = match unit.strip_suffix('s').unwrap_or(unit) {
            "minute" => count.minutes(),
            "hour" => count.hours(),
            "day" => count.days(),
            "week" => count.weeks(),
            "month" => count.months(),
            "year" => count.years(),
            _ => return None,
        };
        let then = self.now.to_zoned(self.zone.clone()).checked_sub(span).ok()?;
        let is_exact = span.get_minutes() > 0 || span.get_hours() > 0;
        Some(if is_exact {
            NamedTime::Point(then.timestamp().as_microsecond())
        } else {
            NamedTime::Day(then.date())
        })
    }
}

fn too_far(text: &str) -> RequestError {
    RequestError::TimeTooFar { text: text.to_owned() }
}

fn malformed(text: &str, forms: &'static str) -> RequestError {
    /// Characters of the time that are shown.
    const SHOWN_CHARS: usize = 64;
    RequestError::TimeMalformed { text: text.chars().take(SHOWN_CHARS).collect(), forms }
}

/// "3" or "three", up to ten.
fn count_of(word: &str) -> Option<i64> {
    const WORDS: [&str; 10] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let named = (1..).zip(WORDS).find(|(_, name)| *name == word).map(|(count, _)| count);
    let count = match word {
        "a" | "an" => Some(1),
        _ => named.or_else(|| word.parse().ok()),
    };
    count.filter(|count| (0..=UNITS_MAX).contains(count))
}

/// `2025` or `2025-02`.
fn year_or_month(text: &str) -> Option<NamedTime> {
    let digits = |text: &str, count: usize| {
        let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i16>().ok()).flatten()
    };
    let (first, span) = match text.split_once('-') {
        None => (Date::new(digits(text, 4)?, 1, 1), 1.year()),
        Some((year, month)) => {
            let month = i8::try_from(digits(month, 2)?).ok()?;
            (Date::new(digits(year, 4)?, month, 1), 1.month())
        }
    };
    period(first.ok()?, span)
}

fn period(first: Date, span: Span) -> Option<NamedTime> {
    Some(NamedTime::Period(first, first.checked_add(span).ok()))
}

/// The latest day or month of a name that has begun.
fn latest(today: Date, name: &str) -> Option<NamedTime> {
    if let Some(day) = weekday(name) {
        return today.tomorrow().ok()?.nth_weekday(-1, day).ok().map(NamedTime::Day);
    }
    let first = Date::new(today.year(), month(name)?, 1).ok()?;
    let years = i64::from(first > today);
    period(first.checked_sub(years.years()).ok()?, 1.month())
}

/// The month of a name before or after that of today, or this year's.
fn month_beside(today: Date, which: &str, month: i8) -> Option<NamedTime> {
    let first = Date::new(today.year(), month, 1).ok()?;
    let years = match which {
        "last" if first >= today.first_of_month() => -1,
        "next" if first <= today => 1,
        _ => 0,
    };
    period(first.checked_add(years.years()).ok()?, 1.month())
}

/// The week, month or year before, of or after today; the nearest weekday or month of a name before
/// or after it.
fn unit_beside(today: Date, which: &str, unit: &str) -> Option<NamedTime> {
    if let Some(month) = month(unit) {
        return month_beside(today, which, month);
    }
    let steps = match which {
        "last" => -1,
        "next" => 1,
        _ => 0,
    };
    let (first, span) = match unit {
        "week" => {
            let days_since_monday = i32::from(today.weekday().to_monday_zero_offset());
            (today.checked_sub(days_since_monday.days()).ok()?, 1.week())
        }
        "month" => (today.first_of_month(), 1.month()),
        "year" => (today.first_of_year(), 1.year()),
        _ if steps == 0 => return None,
        _ => return today.nth_weekday(steps, weekday(unit)?).ok().map(NamedTime::Day),
    };
    period(first.checked_add(span.checked_mul(steps.into()).ok()?).ok()?, span)
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// The number of a month: its name, or the first three letters of it.
fn month(word: &str) -> Option<i8> {
    const SHORT: usize = 3;
    #[rustfmt::skip]
    const MONTHS: [&str; 12] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ];
    let is_named = |name: &str| word == name || Some(word) == name.get(..SHORT);
    (1..).zip(MONTHS).find(|(_, name)| is_named(name)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Saturday in Stockholm, shortly after midnight, and a Friday in UTC.
    const NOW: &str = "2025-02-28T23:30:00Z";

    fn with<T>(check: impl FnOnce(TimeParser<'_>) -> T) -> T {
        let zone = TimeZone::get("Europe/Stockholm").unwrap();
        check(TimeParser { zone: &zone, now: NOW.parse().unwrap() })
    }

    fn start(text: &str) -> Result<String, &'static str> {
        let start = with(|times| times.start_us(text)).map_err(|error| error.code())?;
        Ok(Timestamp::from_microsecond(start).unwrap().to_string())
    }

    #[test]
    fn a_time_without_an_offset_is_one_of_the_users_zone() {
        for (text, instant) in [
            ("2025-02-01", "2025-01-31T23:00:00Z"),
            ("2025-02-01T09:30", "2025-02-01T08:30:00Z"),
            ("2025-02-01T09:30:00Z", "2025-02-01T09:30:00Z"),
            ("2025-02-01T09:30:00-07:00", "2025-02-01T16:30:00Z"),
            ("2025", "2024-12-31T23:00:00Z"),
            ("2025-07", "2025-06-30T22:00:00Z"),
        ] {
            assert_eq!(start(text).as_deref(), Ok(instant), "{text}");
        }
    }

    #[test]
    fn validity_begins_and_ends_where_the_user_is() {
        for (text, begins, ends) in [
            ("2025-02-01", "2025-02-01T00:00:00+01:00", "2025-02-01T00:00:00+01:00"),
            ("2025-07-01T18:00", "2025-07-01T18:00:00+02:00", "2025-07-01T18:00:00+02:00"),
            ("2025-02-01T18:00:00Z", "2025-02-01T18:00:00Z", "2025-02-01T18:00:00Z"),
            ("2025-02", "2025-02-01T00:00:00+01:00", "2025-03-01T00:00:00+01:00"),
            ("this year", "2025-01-01T00:00:00+01:00", "2026-01-01T00:00:00+01:00"),
            ("today", "2025-03-01T00:00:00+01:00", "2025-03-01T00:00:00+01:00"),
        ] {
            let bound = |is_end| with(|times| times.bound(text, is_end)).unwrap();
            assert_eq!(bound(false).as_str(), begins, "{text}");
            assert_eq!(bound(true).as_str(), ends, "{text}");
            assert_eq!(bound(false).instant_us(), with(|times| times.start_us(text)).unwrap());
        }
        let zone = TimeZone::UTC;
        let in_utc = TimeParser { zone: &zone, now: NOW.parse().unwrap() };
        assert_eq!(in_utc.bound("2025-02-01", false).unwrap().as_str(), "2025-02-01");
        assert_eq!(with(|times| times.bound("soon", false)).unwrap_err().code(), "time_malformed");
    }

    #[test]
    fn relative_times_are_relative_to_now_in_the_users_zone() {
        for (text, instant) in [
            ("now", NOW),
            ("today", "2025-02-28T23:00:00Z"),
            ("Yesterday", "2025-02-27T23:00:00Z"),
            ("tomorrow", "2025-03-01T23:00:00Z"),
            (" last  week ", "2025-02-16T23:00:00Z"),
            ("this week", "2025-02-23T23:00:00Z"),
            ("next week", "2025-03-02T23:00:00Z"),
            ("last month", "2025-01-31T23:00:00Z"),
            ("last year", "2023-12-31T23:00:00Z"),
            ("last Saturday", "2025-02-21T23:00:00Z"),
            ("Saturday", "2025-02-28T23:00:00Z"),
            ("on friday", "2025-02-27T23:00:00Z"),
            ("March", "2025-02-28T23:00:00Z"),
            ("in feb", "2025-01-31T23:00:00Z"),
            ("april", "2024-03-31T22:00:00Z"),
            ("May 2023", "2023-04-30T22:00:00Z"),
            ("in december 2024", "2024-11-30T23:00:00Z"),
            ("last march", "2024-02-29T23:00:00Z"),
            ("last April", "2024-03-31T22:00:00Z"),
            ("next march", "2026-02-28T23:00:00Z"),
            ("next april", "2025-03-31T22:00:00Z"),
            ("this may", "2025-04-30T22:00:00Z"),
            ("next saturday", "2025-03-07T23:00:00Z"),
            ("3 days ago", "2025-02-25T23:00:00Z"),
            ("a week ago", "2025-02-21T23:00:00Z"),
            ("two months ago", "2024-12-31T23:00:00Z"),
            ("1 year ago", "2024-02-29T23:00:00Z"),
            ("2 hours ago", "2025-02-28T21:30:00Z"),
            ("90 minutes ago", "2025-02-28T22:00:00Z"),
            ("2w", "2025-02-14T23:00:00Z"),
            ("3D", "2025-02-25T23:00:00Z"),
            ("12h", "2025-02-28T11:30:00Z"),
            ("1y", "2024-02-29T23:00:00Z"),
        ] {
            assert_eq!(start(text).as_deref(), Ok(instant), "{text}");
        }
    }

    #[test]
    fn a_window_ends_with_the_period_or_before_the_day_that_it_names() {
        let until = |text: &str| {
            let (_, until) = with(|times| times.window_us(None, Some(text))).unwrap();
            Timestamp::from_microsecond(until.unwrap()).unwrap().to_string()
        };
        for (text, instant) in [
            ("2025", "2025-12-31T23:00:00Z"),
            ("2025-02", "2025-02-28T23:00:00Z"),
            ("last week", "2025-02-23T23:00:00Z"),
            ("this year", "2025-12-31T23:00:00Z"),
            ("2025-02-01", "2025-01-31T23:00:00Z"),
            ("yesterday", "2025-02-27T23:00:00Z"),
            ("2025-02-01T09:30", "2025-02-01T08:30:00Z"),
        ] {
            assert_eq!(until(text), instant, "{text}");
        }
    }

    #[test]
    fn an_empty_window_is_refused() {
        let window = |since, until| {
            with(|times| times.window_us(Some(since), Some(until)))
                .map(|_| ())
                .map_err(|error| error.code())
        };
        assert_eq!(window("2025-02-01", "2025-02-01"), Err("empty_window"));
        assert_eq!(window("2025", "2024"), Err("empty_window"));
        assert_eq!(window("2025-02-01", "2025-02-02"), Ok(()));
        assert_eq!(window("2025", "2025"), Ok(()));
        assert_eq!(window("last week", "last week"), Ok(()));
    }

    #[test]
    fn what_names_no_time_is_refused_by_its_reason_with_examples() {
        for text in [
            "someday",
            "",
            " ",
            "yesterdayish",
            "25",
            "20250",
            "2025-13",
            "2025-2",
            "last",
            "last eon",
            "in",
            "on on friday",
            "may may",
            "may 2025-02",
            "2025 may",
            "marc",
            "friday 2025",
            "this friday",
            "ago",
            "days ago",
            "-3 days ago",
            "99999999999999999999 days ago",
            "10001 days ago",
            "3 eons ago",
            "3 days",
            "2m",
            "w",
            "-2w",
            "2ww",
            "an",
            "10001d",
            "2025-02-30",
            "北京",
            "٢٠٢٥",
        ] {
            assert_eq!(start(text), Err("time_malformed"), "{text}");
        }
        let error = with(|times| times.start_us("someday")).unwrap_err().to_string();
        assert!(
            error.contains("2025-02,") && error.contains("last week, 3 days ago or 2w"),
            "{error}"
        );
        assert_eq!(start("9999-12-31"), Err("time_too_far"));
        let after_all = with(|times| times.window_us(None, Some("9999"))).unwrap_err();
        assert_eq!(after_all.code(), "time_too_far");
    }

    #[test]
    fn a_record_may_be_of_a_named_day_but_not_of_a_period() {
        let when = |text: &str| {
            with(|times| times.when(text))
                .map(|when| when.as_str().to_owned())
                .map_err(|error| error.to_string())
        };
        assert_eq!(when("2025-02-01T09:30").as_deref(), Ok("2025-02-01T09:30"));
        assert_eq!(when("yesterday").as_deref(), Ok("2025-02-28"));
        assert_eq!(when("now").as_deref(), Ok("2025-03-01T00:30:00+01:00[Europe/Stockholm]"));
        for period in ["2025", "2025-02", "last week", "someday"] {
            assert!(when(period).unwrap_err().contains("write 2025-02-01,"), "{period}");
        }
    }
}
