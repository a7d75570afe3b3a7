//! Dates, date-times and durations of RFC 5545, sections 3.3.4 to 3.3.6, and what makes two of them
//! the same.

use std::collections::BTreeSet;
use std::fmt;

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Span};
use kernel::when::When;

use crate::zone::Clock;
use jiff::tz::TimeZone;

/// A start, an end, an exception: a civil time and the clock to read it by.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The local time.
    pub civil: DateTime,
    /// True for VALUE=DATE.
    pub date_only: bool,
    /// How it becomes an instant.
    pub clock: Clock,
}

/// A date or date-time as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The local time; midnight of a date.
    pub civil: DateTime,
    /// True of a date.
    pub date_only: bool,
    /// True with a `Z` at the end.
    pub utc: bool,
}

/// A length as its writer meant it: days follow the calendar, the rest follows the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    days: i64,
    exact: SignedDuration,
}

/// Why a property cannot be read as a moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MomentError {
    /// It is neither.
    #[error("{0:?} is not a date or time of iCalendar")]
    Text(String),
}

/// Starts that identify single occurrences (EXDATE, RECURRENCE-ID). The same occurrence may be
/// named in UTC, in its zone, without a zone, or by its day alone.
#[derive(Clone, Debug, Default)]
pub struct Starts(BTreeSet<String>);

impl Moment {
    /// Reads a value with the TZID that stands beside it. The name of an unknown zone goes to
    /// `unknown`, and the time counts as floating.
    ///
    /// # Errors
    /// If `text` is not a date or a time of iCalendar (RFC 5545, 3.3.4 and 3.3.5).
    pub fn read(
        text: &str,
        tzid: Option<&str>,
        resolve: impl FnOnce(&str) -> Option<Clock>,
        unknown: &mut Option<String>,
    ) -> Result<Self, MomentError> {
        let error = || MomentError::Text(text.chars().take(40).collect());
        let Civil { civil, date_only, utc } = parse_civil(text.trim()).ok_or_else(error)?;
        let clock = match tzid {
            _ if utc => Clock::Zone(TimeZone::UTC),
            _ if date_only => Clock::Floating,
            Some(name) => resolve(name).unwrap_or_else(|| {
                *unknown = Some(name.chars().take(64).collect());
                Clock::Floating
            }),
            None => Clock::Floating,
        };
        Ok(Self { civil, date_only, clock })
    }

    /// The same clock at another civil time.
    pub fn at(&self, civil: DateTime) -> Self {
        Self { civil, ..self.clone() }
    }

    /// The form that is stored; `None` beyond the years that can be.
    pub fn when(&self) -> Option<When> {
        if self.date_only {
            return Some(When::from_date(self.civil.date()));
        }
        match self.clock {
            Clock::Floating => Some(When::from_civil(self.civil)),
            _ => self.clock.instant(self.civil).map(|zoned| When::from_zoned(&zoned)),
        }
    }

    /// The name under which the occurrence that starts here is known, the same however it was
    /// written.
    pub fn id(&self) -> String {
        if self.date_only {
            return self.civil.strftime("%Y%m%d").to_string();
        }
        match self.clock.instant(self.civil) {
            Some(zoned) => zoned.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string(),
            None => self.civil.strftime("%Y%m%dT%H%M%S").to_string(),
        }
    }

    /// This moment in the civil time of another moment's clock, as UNTIL needs it.
    pub fn civil_by(&self, other: &Clock) -> DateTime {
        match (self.clock.instant(self.civil), other) {
            (Some(zoned), Clock::Zone(zone)) => zone.to_datetime(zoned.timestamp()),
            (Some(zoned), Clock::Defined(_)) => {
                // A definition maps only from civil times; its offset near the instant is found by
                // going there twice.
                let near = other.instant(zoned.timestamp().to_zoned(TimeZone::UTC).datetime());
                let near = near.map(|near| near.offset().to_datetime(zoned.timestamp()));
                let exact = near.and_then(|near| other.instant(near)).map(|near| near.offset());
                exact.map_or(self.civil, |offset| offset.to_datetime(zoned.timestamp()))
            }
            _ => self.civil,
        }
    }

    /// The moment that is `length` after this one.
    pub fn after(&self, length: Length) -> Option<Self> {
        let civil = self.civil.checked_add(Span::new().try_days(length.days).ok()?).ok()?;
        if self.date_only && length.exact.is_zero() {
            return Some(self.at(civil));
        }
        let moved = self.at(civil);
        match moved.clock.instant(civil) {
            Some(zoned) => {
                let end = zoned.checked_add(length.exact).ok()?;
                Some(Self {
                    civil: end.datetime(),
                    date_only: false,
                    clock: Clock::Zone(end.time_zone().clone()),
                })
            }
            None => {
                Some(Self { date_only: false, ..moved.at(civil.checked_add(length.exact).ok()?) })
            }
        }
    }
}

impl Length {
    /// From one moment to another: whole days between dates, else exact time where both are
    /// instants.
    pub fn between(start: &Moment, end: &Moment) -> Self {
        if start.date_only {
            let days = end.civil.date().duration_since(start.civil.date()).as_hours() / 24;
            return Self { days, exact: SignedDuration::ZERO };
        }
        let exact = match (start.clock.instant(start.civil), end.clock.instant(end.civil)) {
            (Some(start), Some(end)) => end.timestamp().duration_since(start.timestamp()),
            _ => end.civil.duration_since(start.civil),
        };
        Self { days: 0, exact }
    }

    /// `P1D`, `PT1H30M`, `P2W`, `-PT5M`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mut days, mut seconds, mut digits) = (0_i64, 0_i64, String::new());
        for c in rest.strip_prefix(['P', 'p'])?.chars() {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            if c.eq_ignore_ascii_case(&'T') && digits.is_empty() {
                continue;
            }
            // Nine digits cannot overflow with any of the units.
            let number: i64 = digits.parse().ok().filter(|_| digits.len() <= 9)?;
            digits.clear();
            match c.to_ascii_uppercase() {
                'W' => days += number * 7,
                'D' => days += number,
                'H' => seconds += number * 3600,
                'M' => seconds += number * 60,
                'S' => seconds += number,
                _ => return None,
            }
        }
        let sign = if negative { -1 } else { 1 };
        digits
            .is_empty()
            .then(|| Self { days: days * sign, exact: SignedDuration::from_secs(seconds * sign) })
    }

    /// Whole days.
    pub fn of_days(days: i64) -> Self {
        Self { days, exact: SignedDuration::ZERO }
    }

    /// Whether it is more than nothing.
    pub fn is_positive(self) -> bool {
        !self.is_negative() && (self.days > 0 || self.exact.is_positive())
    }

    /// Whether it ends before it starts.
    pub fn is_negative(self) -> bool {
        self.days < 0 || self.exact.is_negative()
    }
}

impl fmt::Display for Length {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.exact.as_secs();
        if self.is_negative() {
            formatter.write_str("-")?;
        }
        formatter.write_str("P")?;
        let days = self.days.unsigned_abs();
        if days > 0 || seconds == 0 {
            write!(formatter, "{days}D")?;
        }
        if seconds != 0 {
            formatter.write_str("T")?;
            let seconds = seconds.unsigned_abs();
            for (number, unit) in
                [(seconds / 3600, 'H'), (seconds / 60 % 60, 'M'), (seconds % 60, 'S')]
            {
                if number > 0 {
                    write!(formatter, "{number}{unit}")?;
                }
            }
        }
        Ok(())
    }
}

impl FromIterator<String> for Starts {
    fn from_iter<T: IntoIterator<Item = String>>(names: T) -> Self {
        Self(names.into_iter().collect())
    }
}

impl Starts {
    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a start.
    pub fn insert(&mut self, moment: &Moment) {
        self.0.insert(moment.id());
    }

    /// True when an occurrence that starts at `moment` was named, in whichever way.
    pub fn contain(&self, moment: &Moment) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let day = moment.civil.strftime("%Y%m%d").to_string();
        self.0.contains(&moment.id())
            || self.0.contains(&moment.civil.strftime("%Y%m%dT%H%M%S").to_string())
            || self.0.contains(&day)
    }
}

/// Reads `20250602`, `20250602T080000`, `20250602T080000Z`; also with the dashes and colons of ISO
/// 8601, which some programs write.
pub fn parse_civil(text: &str) -> Option<Civil> {
    let plain: String = text.chars().filter(|c| !matches!(c, '-' | ':')).take(32).collect();
    let plain = plain.to_ascii_uppercase();
    let (body, utc) = match plain.strip_suffix('Z') {
        Some(body) => (body, true),
        None => (plain.as_str(), false),
    };
    let (date, time) = match body.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (body, None),
    };
    let digits = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !digits(date, 8) || time.is_some_and(|time| !digits(time, 6) && !digits(time, 4)) {
        return None;
    }
    let number = |text: &str, from: usize, to: usize| {
        text.get(from..to).and_then(|text| text.parse::<i16>().ok())
    };
    let small = |text: &str, from: usize| {
        number(text, from, from + 2).and_then(|number| i8::try_from(number).ok())
    };
    let day = Date::new(number(date, 0, 4)?, small(date, 4)?, small(date, 6)?).ok()?;
    let Some(time) = time else {
        return Some(Civil {
            civil: day.to_datetime(Default::default()),
            date_only: true,
            utc: false,
        });
    };
    // Civil time here has no leap second; it is the last second of its minute.
    let second = small(time, 4).unwrap_or(0).min(59);
    let time = jiff::civil::Time::new(small(time, 0)?, small(time, 2)?, second, 0).ok()?;
    Some(Civil { civil: day.to_datetime(time), date_only: false, utc })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_read_and_nothing_else_is() {
        let civil =
            |text| parse_civil(text).map(|read| (read.civil.to_string(), read.date_only, read.utc));
        assert_eq!(civil("20250602"), Some(("2025-06-02T00:00:00".into(), true, false)));
        assert_eq!(civil("20250602T080000Z"), Some(("2025-06-02T08:00:00".into(), false, true)));
        assert_eq!(
            civil("2025-06-02T08:00:00"),
            Some(("2025-06-02T08:00:00".into(), false, false))
        );
        for text in [
            "",
            "2025",
            "20251301",
            "20250230",
            "20250602T25",
            "99999999",
            "123456789",
            "20250602T",
            "ééééé",
        ] {
            assert_eq!(civil(text), None, "{text}");
        }
    }

    #[test]
    fn a_duration_is_read_with_its_sign_and_absurd_ones_are_refused() {
        assert_eq!(
            Length::parse("P1DT2H"),
            Some(Length { days: 1, exact: SignedDuration::from_hours(2) })
        );
        assert_eq!(Length::parse("P2W"), Some(Length::of_days(14)));
        assert_eq!(
            Length::parse("-PT5M"),
            Some(Length { days: 0, exact: SignedDuration::from_secs(-300) })
        );
        for text in ["", "P1", "1D", "P99999999999D", "PX", "P1Y"] {
            assert_eq!(Length::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_long_duration_keeps_local_time_over_a_change_of_the_clocks() {
        let berlin = Clock::Zone(TimeZone::get("Europe/Berlin").unwrap());
        let start =
            Moment { civil: "2025-03-29T12:00".parse().unwrap(), date_only: false, clock: berlin };
        let end = |length| {
            start.after(Length::parse(length).unwrap()).unwrap().when().unwrap().to_string()
        };
        assert_eq!(end("P1D"), "2025-03-30T12:00:00+02:00[Europe/Berlin]");
        assert_eq!(end("PT24H"), "2025-03-30T13:00:00+02:00[Europe/Berlin]");
    }
}
