//! Reading a recurrence rule: RFC 5545, section 3.3.10.
//!
//! All parts of a [`Rule`] and their combination are within the RFC's limits, so that its expansion
//! need not check. A rule that the RFC forbids is refused.

use jiff::civil::Weekday;

/// Most values of one BYxxx part; no part has more distinct values than a year has days, counted
/// from both ends.
const VALUES_MAX: usize = 732;

/// A recurrence rule whose every part is within the RFC's limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// FREQ.
    pub frequency: Frequency,
    /// INTERVAL.
    pub interval: i64,
    /// COUNT.
    pub count: Option<u64>,
    /// The text of UNTIL; whose meaning depends on the zone of DTSTART.
    pub until: Option<String>,
    /// BYMONTH.
    pub months: Vec<i16>,
    /// BYWEEKNO.
    pub week_numbers: Vec<i16>,
    /// BYYEARDAY.
    pub year_days: Vec<i16>,
    /// BYMONTHDAY.
    pub month_days: Vec<i16>,
    /// BYDAY, with ordinals, 0 for none.
    pub weekdays: Vec<(i16, Weekday)>,
    /// BYHOUR.
    pub hours: Vec<i16>,
    /// BYMINUTE.
    pub minutes: Vec<i16>,
    /// BYSECOND.
    pub seconds: Vec<i16>,
    /// BYSETPOS.
    pub positions: Vec<i16>,
    /// WKST.
    pub week_start: Weekday,
}

/// FREQ, the longest period first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Frequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
    Secondly,
}

/// Why a rule cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RuleError {
    #[error("{part} in the recurrence rule is not valid")]
    Part { part: String },
    #[error("the recurrence rule has no FREQ")]
    NoFrequency,
    #[error("{part} cannot be combined with this FREQ in the recurrence rule")]
    Combination { part: &'static str },
    #[error("the recurrence rule never happens: no month it names has such a day")]
    Never,
}

impl Rule {
    /// Reads the value of an RRULE property. Unknown parts are skipped.
    ///
    /// ```
    /// use calendar::recurrence::Bounds;
    /// use calendar::rule::{Rule, RuleError};
    /// use jiff::civil::date;
    ///
    /// let rule = Rule::parse("FREQ=WEEKLY;BYDAY=TU,TH;COUNT=3")?;
    /// let start = date(2025, 1, 14).at(18, 0, 0, 0);
    /// let expansion = rule.expand(start, None, Bounds::until(date(2025, 12, 31).into(), 10));
    /// let days: Vec<i8> = expansion.starts.iter().map(|start| start.day()).collect();
    /// assert_eq!((days, expansion.complete), (vec![14, 16, 21], true));
    /// assert_eq!(Rule::parse("BYDAY=TU"), Err(RuleError::NoFrequency));
    /// # Ok::<(), RuleError>(())
    /// ```
    ///
    /// # Errors
    /// If a known part is not valid, FREQ is missing or cannot be combined with another part, or no
    /// day can fit: [`RuleError`] says which.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut frequency = None;
        let mut rule = Self {
            frequency: Frequency::Daily,
            interval: 1,
            count: None,
            until: None,
            months: Vec::new(),
            week_numbers: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            weekdays: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Monday,
        };
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let error = || RuleError::Part { part: part.chars().take(64).collect() };
            let (name, value) = part.split_once('=').ok_or_else(error)?;
            let (name, value) =
                (name.trim().to_ascii_uppercase(), value.trim().to_ascii_uppercase());
            let numbers = |low: i16, high: i16| parse_numbers(&value, low, high).ok_or_else(error);
            match name.as_str() {
                "FREQ" => frequency = Some(parse_frequency(&value).ok_or_else(error)?),
                "INTERVAL" => {
                    rule.interval =
                        value.parse().ok().filter(|&n: &u32| n > 0).ok_or_else(error)?.into();
                }
                // Some programs write "no limit" so.
                "COUNT" if value == "-1" => {}
                "COUNT" => {
                    rule.count = Some(value.parse().ok().filter(|&n| n > 0).ok_or_else(error)?)
                }
                "UNTIL" => rule.until = Some(value),
                "BYMONTH" => rule.months = numbers(1, 12)?,
                "BYWEEKNO" => rule.week_numbers = numbers(-53, 53)?,
                "BYYEARDAY" => rule.year_days = numbers(-366, 366)?,
                "BYMONTHDAY" => rule.month_days = numbers(-31, 31)?,
                "BYHOUR" => rule.hours = numbers(0, 23)?,
                "BYMINUTE" => rule.minutes = numbers(0, 59)?,
                "BYSECOND" => rule.seconds = numbers(0, 60)?,
                "BYSETPOS" => rule.positions = numbers(-366, 366)?,
                "BYDAY" => rule.weekdays = parse_weekdays(&value).ok_or_else(error)?,
                "WKST" => rule.week_start = parse_weekday(&value).ok_or_else(error)?,
                _ => {}
            }
        }
        rule.frequency = frequency.ok_or(RuleError::NoFrequency)?;
        // Civil time has no leap seconds.
        rule.seconds.iter_mut().for_each(|second| *second = (*second).min(59));
        for times in [&mut rule.hours, &mut rule.minutes, &mut rule.seconds] {
            times.sort_unstable();
            times.dedup();
        }
        rule.check()?;
        Ok(rule)
    }

    /// Refuses rules that the RFC forbids, and rules that can never happen.
    fn check(&self) -> Result<(), RuleError> {
        let any_part = [
            !self.months.is_empty(),
            !self.week_numbers.is_empty(),
            !self.year_days.is_empty(),
            !self.month_days.is_empty(),
            !self.weekdays.is_empty(),
            !self.hours.is_empty(),
            !self.minutes.is_empty(),
            !self.seconds.is_empty(),
        ];
        let ordinal_weekday = self.weekdays.iter().any(|&(ordinal, _)| ordinal != 0);
        let within_year =
            matches!(self.frequency, Frequency::Monthly | Frequency::Weekly | Frequency::Daily);
        let refused = [
            ("BYWEEKNO", !self.week_numbers.is_empty() && self.frequency != Frequency::Yearly),
            ("BYYEARDAY", !self.year_days.is_empty() && within_year),
            ("BYMONTHDAY", !self.month_days.is_empty() && self.frequency == Frequency::Weekly),
            ("a numbered BYDAY", ordinal_weekday && self.frequency > Frequency::Monthly),
            ("a numbered BYDAY with BYWEEKNO", ordinal_weekday && !self.week_numbers.is_empty()),
            ("BYSETPOS alone", !self.positions.is_empty() && any_part == [false; 8]),
        ];
        if let Some(&(part, _)) = refused.iter().find(|(_, refused)| *refused) {
            return Err(RuleError::Combination { part });
        }
        let month_has =
            |month: i16, day: i16| day.abs() <= if month == 2 { 29 } else { 30 + days_31(month) };
        let possible = |&month: &i16| self.month_days.iter().any(|&day| month_has(month, day));
        if !self.months.is_empty()
            && !self.month_days.is_empty()
            && !self.months.iter().any(possible)
        {
            return Err(RuleError::Never);
        }
        Ok(())
    }
}

/// One more for the months of 31 days.
fn days_31(month: i16) -> i16 {
    i16::from(matches!(month, 1 | 3 | 5 | 7 | 8 | 10 | 12))
}

fn parse_frequency(text: &str) -> Option<Frequency> {
    Some(match text {
        "YEARLY" => Frequency::Yearly,
        "MONTHLY" => Frequency::Monthly,
        "WEEKLY" => Frequency::Weekly,
        "DAILY" => Frequency::Daily,
        "HOURLY" => Frequency::Hourly,
        "MINUTELY" => Frequency::Minutely,
        "SECONDLY" => Frequency::Secondly,
        _ => return None,
    })
}

/// A list of numbers within `low..=high`, without 0 where the range counts from both ends.
fn parse_numbers(text: &str, low: i16, high: i16) -> Option<Vec<i16>> {
    let mut numbers = Vec::new();
    for number in text.split(',') {
        let number: i16 = number.trim().parse().ok()?;
        if !(low..=high).contains(&number) || number == 0 && low < 0 || numbers.len() == VALUES_MAX
        {
            return None;
        }
        numbers.push(number);
    }
    Some(numbers)
}

/// A list of weekdays with their ordinals, 0 for none: `MO,-1FR`.
fn parse_weekdays(text: &str) -> Option<Vec<(i16, Weekday)>> {
    let mut weekdays = Vec::new();
    for item in text.split(',').map(str::trim) {
        let at = item.find(|c: char| c.is_ascii_alphabetic())?;
        let (ordinal, weekday) = item.split_at_checked(at)?;
        let ordinal =
            if ordinal.is_empty() { 0 } else { ordinal.parse().ok().filter(|&n: &i16| n != 0)? };
        if ordinal.unsigned_abs() > 53 || weekdays.len() == VALUES_MAX {
            return None;
        }
        weekdays.push((ordinal, parse_weekday(weekday)?));
    }
    Some(weekdays)
}

fn parse_weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_the_rfc_forbids_are_refused() {
        for rule in [
            "",
            "FREQ=SOMETIMES",
            "INTERVAL=2",
            "FREQ=DAILY;INTERVAL=0",
            "FREQ=DAILY;INTERVAL=-1",
            "FREQ=DAILY;INTERVAL=99999999999",
            "FREQ=DAILY;COUNT=0",
            "FREQ=DAILY;BYMONTH=13",
            "FREQ=DAILY;BYMONTHDAY=0",
            "FREQ=DAILY;BYWEEKNO=3",
            "FREQ=MONTHLY;BYYEARDAY=3",
            "FREQ=WEEKLY;BYMONTHDAY=3",
            "FREQ=WEEKLY;BYDAY=1MO",
            "FREQ=MONTHLY;BYDAY=XX",
            "FREQ=MONTHLY;BYDAY=é",
            "FREQ=MONTHLY;BYSETPOS=1",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31",
            "FREQ",
        ] {
            assert!(Rule::parse(rule).is_err(), "{rule}");
        }
    }
}
