//! A rule and a series in words: "every month on the first Saturday, 14:00–18:00, since
//! 2019-02-02".

use jiff::civil::{DateTime, Weekday};
use kernel::when::When;

use crate::rule::{Frequency, Rule};
use crate::series::{EndingRule, Occurrence, Series};

/// Most days that are named of those on which it does not happen, or of those that were moved.
const DAYS_NAMED_MAX: usize = 12;
/// Most times of a day that are named one by one.
const TIMES_NAMED_MAX: usize = 6;
/// Most additions whose days are named where there is no rule.
const ADDITIONS_NAMED_MAX: usize = 24;

/// How often a rule happens: `every second Thursday`, `every month on the last Friday`.
pub fn rhythm(rule: &Rule, start: DateTime) -> String {
    let often = match rule.frequency {
        Frequency::Daily if is_plain(rule) => every(rule.interval, "day"),
        Frequency::Daily => daily(rule),
        Frequency::Weekly => weekly(rule, start),
        Frequency::Monthly => {
            format!("{} on {}", every(rule.interval, "month"), of_month(rule, start))
        }
        Frequency::Yearly => yearly(rule, start),
        Frequency::Hourly => every(rule.interval, "hour"),
        Frequency::Minutely => every(rule.interval, "minute"),
        Frequency::Secondly => every(rule.interval, "second"),
    };
    let months = match rule.frequency {
        Frequency::Yearly => String::new(),
        _ if rule.months.is_empty() => String::new(),
        _ => format!(" in {}", listed(&rule.months.iter().map(month).collect::<Vec<_>>())),
    };
    format!("{often}{months}{}", remainder(rule, start))
}

/// What no words are made of.
fn remainder(rule: &Rule, start: DateTime) -> String {
    let mut parts = Vec::new();
    if !rule.week_numbers.is_empty() {
        parts.push(format!("in week {}", numbers(&rule.week_numbers)));
    }
    if !rule.year_days.is_empty() {
        parts.push(format!("on day {} of the year", numbers(&rule.year_days)));
    }
    if rule.frequency >= Frequency::Hourly && !rule.weekdays.is_empty() {
        let days: Vec<String> =
            rule.weekdays.iter().map(|&(_, day)| long(day).to_owned()).collect();
        parts.push(format!("on {}", listed(&days)));
    }
    parts.extend(times_of_day(rule, start));
    let is_said = rule.frequency == Frequency::Monthly && position_of_weekday(rule).is_some();
    if !rule.positions.is_empty() && !is_said {
        parts.push(format!("only number {} of these", numbers(&rule.positions)));
    }
    parts.iter().map(|part| format!(" {part}")).collect()
}

/// The times of a rule that names several; a single one is that of its first occurrence.
fn times_of_day(rule: &Rule, start: DateTime) -> Option<String> {
    if rule.frequency > Frequency::Hourly {
        return (!rule.hours.is_empty())
            .then(|| format!("in the hours from {} o'clock", numbers(&rule.hours)));
    }
    let or_start = |values: &[i16], value: i8| match values {
        [] => vec![value.into()],
        _ => values.to_vec(),
    };
    let minutes = or_start(&rule.minutes, start.minute());
    let clocks =
        || listed(&minutes.iter().map(|minute| format!("{minute:02}")).collect::<Vec<_>>());
    if rule.frequency == Frequency::Hourly && rule.hours.is_empty() {
        return (minutes.len() > 1).then(|| format!("at {} past", clocks()));
    }
    let hours = or_start(&rule.hours, start.hour());
    let is_one = rule.frequency < Frequency::Hourly && hours.len() * minutes.len() == 1;
    match minutes.as_slice() {
        _ if is_one => None,
        [0] => Some(format!("at {} o'clock", numbers(&hours))),
        _ if hours.len() * minutes.len() <= TIMES_NAMED_MAX => {
            let times = hours
                .iter()
                .flat_map(|hour| minutes.iter().map(move |minute| format!("{hour}:{minute:02}")));
            Some(format!("at {}", listed(&times.collect::<Vec<_>>())))
        }
        _ => Some(format!("at {} past {} o'clock", clocks(), numbers(&hours))),
    }
}

/// Whether a rule has no part but its frequency, interval and end.
fn is_plain(rule: &Rule) -> bool {
    rule.weekdays.is_empty() && rule.month_days.is_empty()
}

fn daily(rule: &Rule) -> String {
    let days = match rule.weekdays.is_empty() {
        true => format!("the {}", listed(&ordinals(&rule.month_days))),
        false => listed(&weekdays(rule)),
    };
    format!("{} on {days}", every(rule.interval, "day"))
}

fn weekly(rule: &Rule, start: DateTime) -> String {
    let mut days: Vec<Weekday> = rule.weekdays.iter().map(|&(_, day)| day).collect();
    if days.is_empty() {
        days.push(start.weekday());
    }
    days.sort_by_key(|day| day.to_monday_zero_offset());
    days.dedup();
    let offsets: Vec<i8> = days.iter().map(|day| day.to_monday_zero_offset()).collect();
    let names: Vec<String> = days.iter().map(|day| long(*day).to_owned()).collect();
    match (rule.interval, offsets.as_slice()) {
        (1, [0, 1, 2, 3, 4]) => "every weekday".to_owned(),
        (1, [_, _, _, _, _, _, _]) => "every day".to_owned(),
        (1, _) => format!("every {}", listed(&names)),
        (interval, [_]) => every(interval, &listed(&names)),
        (interval, _) => format!("{} on {}", every(interval, "week"), listed(&names)),
    }
}

fn yearly(rule: &Rule, start: DateTime) -> String {
    let every_year = every(rule.interval, "year");
    let months: Vec<String> = rule.months.iter().map(month).collect();
    let within = if months.is_empty() { String::new() } else { format!(" in {}", listed(&months)) };
    if !rule.weekdays.is_empty() {
        return format!("{every_year} on {}{within}", listed(&weekdays(rule)));
    }
    if !rule.year_days.is_empty() || !rule.week_numbers.is_empty() {
        return format!("{every_year}{within}");
    }
    let months = if months.is_empty() { vec![month(&start.month().into())] } else { months };
    let days = match rule.month_days.as_slice() {
        [] => vec![start.day().to_string()],
        days => days.iter().map(day_of_month).collect(),
    };
    format!("{every_year} on {} {}", listed(&days), listed(&months))
}

fn of_month(rule: &Rule, start: DateTime) -> String {
    if let Some(position) = position_of_weekday(rule) {
        return position;
    }
    match (rule.weekdays.is_empty(), rule.month_days.is_empty()) {
        (true, true) => format!("the {}", ordinal(&start.day().into())),
        (true, false) => format!("the {}", listed(&ordinals(&rule.month_days))),
        (false, true) => listed(&weekdays(rule)),
        (false, false) => {
            format!("{} that is the {}", listed(&weekdays(rule)), or(&ordinals(&rule.month_days)))
        }
    }
}

/// `the first Saturday` of BYDAY=SA;BYSETPOS=1, `the last weekday` of BYDAY=MO,…,FR;BYSETPOS=-1.
fn position_of_weekday(rule: &Rule) -> Option<String> {
    let [position] = rule.positions.as_slice() else { return None };
    if rule.weekdays.iter().any(|&(ordinal, _)| ordinal != 0) || !rule.month_days.is_empty() {
        return None;
    }
    let mut days: Vec<i8> =
        rule.weekdays.iter().map(|(_, day)| day.to_monday_zero_offset()).collect();
    days.sort_unstable();
    let noun = match (days.as_slice(), rule.weekdays.first()) {
        ([_], Some((_, day))) => long(*day),
        ([0, 1, 2, 3, 4], _) => "weekday",
        ([5, 6], _) => "day of a weekend",
        ([_, _, _, _, _, _, _], _) => "day",
        _ => return None,
    };
    Some(format!("the {} {noun}", ordinal(position)))
}

fn weekdays(rule: &Rule) -> Vec<String> {
    let word = |&(number, day): &(i16, Weekday)| match number {
        0 => format!("every {}", long(day)),
        _ => format!("the {} {}", ordinal(&number), long(day)),
    };
    rule.weekdays.iter().map(word).collect()
}

/// `every day`, `every second day`, `every 5th day`.
pub fn every(interval: i64, unit: &str) -> String {
    match i16::try_from(interval) {
        Ok(1) => format!("every {unit}"),
        Ok(number) => format!("every {} {unit}", ordinal(&number)),
        Err(_) => format!("every {interval} {unit}s"),
    }
}

fn ordinals(numbers: &[i16]) -> Vec<String> {
    numbers.iter().map(ordinal_of_day).collect()
}

/// A day of the month; the last ones are counted from its end.
fn ordinal_of_day(number: &i16) -> String {
    if *number < 0 { format!("{} day", ordinal(number)) } else { ordinal_number(*number) }
}

fn day_of_month(number: &i16) -> String {
    if *number < 0 { format!("the {} day of", ordinal(number)) } else { number.to_string() }
}

/// `first`, `last`, `second to last`, `12th`.
pub fn ordinal(number: &i16) -> String {
    let word = |number: i16| match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        4 => "fourth".to_owned(),
        5 => "fifth".to_owned(),
        _ => ordinal_number(number),
    };
    match *number {
        -1 => "last".to_owned(),
        number if number < 0 => format!("{} to last", word(number.saturating_neg())),
        number => word(number),
    }
}

fn ordinal_number(number: i16) -> String {
    let suffix = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

fn numbers(numbers: &[i16]) -> String {
    listed(&numbers.iter().map(i16::to_string).collect::<Vec<_>>())
}

/// The English name of a weekday.
pub fn long(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

fn month(number: &i16) -> String {
    let name = match number {
        1 => "January",
        2 => "February",
        3 => "March",
        4 => "April",
        5 => "May",
        6 => "June",
        7 => "July",
        8 => "August",
        9 => "September",
        10 => "October",
        11 => "November",
        _ => "December",
    };
    name.to_owned()
}

/// `Mondays, Tuesdays and Fridays`
pub fn listed(parts: &[String]) -> String {
    joined(parts, "and")
}

fn or(parts: &[String]) -> String {
    joined(parts, "or")
}

fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

impl Series {
    /// How often it happens, without its times and ends: that of all its rules, and when not.
    pub fn rhythm(&self) -> String {
        let start = self.shift.as_ref().map_or(self.start.civil, |shift| shift.to.civil);
        let rules: Vec<String> =
            self.rules.iter().map(|ending| rhythm(&ending.rule, start)).collect();
        let except = |ending: &EndingRule| {
            let until = ending.last.map(|last| format!(" until {}", last.date()));
            format!("{}{}", rhythm(&ending.rule, start), until.unwrap_or_default())
        };
        let except: Vec<String> = self.except_rules.iter().map(except).collect();
        match except.is_empty() {
            true => listed(&rules),
            false => format!("{} except {}", listed(&rules), listed(&except)),
        }
    }

    /// When it happens, in a line: `every Tuesday, 18:00–20:30, since 2025-01-14, until
    /// 2025-03-18`.
    pub fn in_short(&self) -> String {
        let Some(first) = self.began() else { return "never".to_owned() };
        let mut parts = vec![self.rhythm()];
        if self.rules.is_empty() {
            parts = vec![self.days_of_additions()];
        }
        parts.push(hours(&first));
        if !self.rules.is_empty() {
            parts.push(format!("since {}", first.at.date()));
            parts.extend(self.last().map(|last| format!("until {}", last.at.date())));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// The same as a sentence, with what is different on single days.
    pub fn in_words(&self) -> String {
        let mut words = capitalised(&self.in_short());
        let cancelled: Vec<String> = self.cancelled.names().map(day_of).collect();
        let excluded: Vec<String> = self.excluded.names().map(day_of).collect();
        let moved: Vec<String> = self
            .moved
            .iter()
            .map(|moved| {
                let (from, to) = (day_of(&moved.id), moved.at.date().to_string());
                match from == to {
                    true if moved.at.is_date_only() => to,
                    true => format!("{to} at {}", moved.at.civil().strftime("%H:%M")),
                    false => format!("{from} moved to {to}"),
                }
            })
            .collect();
        for (word, days) in [("cancelled on", cancelled), ("not on", excluded), ("instead:", moved)]
        {
            if !days.is_empty() {
                words.push_str(&format!("; {word} {}", named(days)));
            }
        }
        words.push('.');
        words
    }

    fn days_of_additions(&self) -> String {
        let mut days: Vec<String> = vec![self.start.civil.date().to_string()];
        let others = self.additions.iter().map(|addition| addition.start.civil.date().to_string());
        days.extend(others);
        days.sort();
        days.dedup();
        let number = days.len();
        if number > ADDITIONS_NAMED_MAX {
            return format!("on {number} days since {}", days.first().cloned().unwrap_or_default());
        }
        format!("on {}", listed(&days))
    }
}

/// The first days of a list, and how many more there are.
fn named(mut days: Vec<String>) -> String {
    let more = days.len().saturating_sub(DAYS_NAMED_MAX);
    days.truncate(DAYS_NAMED_MAX);
    if more > 0 {
        days.push(format!("{more} more"));
    }
    listed(&days)
}

/// The day in the name of a start: `2025-02-11` of `20250211T170000Z`.
fn day_of(id: &str) -> String {
    match (id.get(..4), id.get(4..6), id.get(6..8)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => id.to_owned(),
    }
}

/// A time and its end: `Tue 2025-05-27 07:00–08:00`.
pub fn span(at: &When, end: Option<&When>) -> String {
    let day = |civil: DateTime| civil.strftime("%a %Y-%m-%d").to_string();
    let clock = |civil: DateTime| civil.strftime("%H:%M").to_string();
    let moment = |when: &When| match when.is_date_only() {
        true => day(when.civil()),
        false => format!("{} {}", day(when.civil()), clock(when.civil())),
    };
    match end {
        None => moment(at),
        Some(end) if end.date() == at.date() && !end.is_date_only() => {
            format!("{}–{}", moment(at), clock(end.civil()))
        }
        Some(end) => format!("{} – {}", moment(at), moment(end)),
    }
}

/// `18:00–20:30`; empty of an all-day event.
fn hours(occurrence: &Occurrence) -> String {
    let clock = |civil: DateTime| civil.strftime("%H:%M").to_string();
    if occurrence.at.is_date_only() {
        return String::new();
    }
    let start = clock(occurrence.at.civil());
    match &occurrence.end {
        Some(end) if end.date() == occurrence.at.date() => {
            format!("{start}–{}", clock(end.civil()))
        }
        _ => start,
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_said_as_people_say_them() {
        for (rule, words) in [
            ("FREQ=DAILY", "every day"),
            ("FREQ=DAILY;INTERVAL=3", "every third day"),
            ("FREQ=WEEKLY", "every Saturday"),
            ("FREQ=WEEKLY;INTERVAL=2", "every second Saturday"),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH", "every second week on Tuesday and Thursday"),
            ("FREQ=WEEKLY;BYDAY=TH,TU", "every Tuesday and Thursday"),
            ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
            ("FREQ=MONTHLY;BYDAY=1SA", "every month on the first Saturday"),
            ("FREQ=MONTHLY;BYDAY=SA;BYSETPOS=1", "every month on the first Saturday"),
            ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
            (
                "FREQ=MONTHLY;BYDAY=2TU,4TU",
                "every month on the second Tuesday and the fourth Tuesday",
            ),
            ("FREQ=MONTHLY", "every month on the second"),
            ("FREQ=MONTHLY;BYMONTHDAY=15,-1", "every month on the 15th and last day"),
            ("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1", "every third month on the 1st"),
            ("FREQ=YEARLY", "every year on 2 February"),
            ("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "every year on the fourth Thursday in November"),
            ("FREQ=HOURLY;INTERVAL=6", "every 6th hour"),
            ("FREQ=WEEKLY;BYMONTH=6,7", "every Saturday in June and July"),
            ("FREQ=DAILY;BYHOUR=8", "every day"),
            ("FREQ=DAILY;BYHOUR=8,9", "every day at 8 and 9 o'clock"),
            ("FREQ=DAILY;BYHOUR=8,9;BYMINUTE=30", "every day at 8:30 and 9:30"),
            ("FREQ=DAILY;BYMINUTE=0,5", "every day at 14:00 and 14:05"),
            (
                "FREQ=DAILY;BYHOUR=6,7,8;BYMINUTE=0,20,40",
                "every day at 00, 20 and 40 past 6, 7 and 8 o'clock",
            ),
            ("FREQ=HOURLY;BYMINUTE=15,45", "every hour at 15 and 45 past"),
            ("FREQ=HOURLY;BYHOUR=8,9;BYMINUTE=30", "every hour at 8:30 and 9:30"),
            (
                "FREQ=MINUTELY;BYDAY=MO;BYHOUR=8",
                "every minute on Monday in the hours from 8 o'clock",
            ),
        ] {
            let rule = Rule::parse(rule).unwrap();
            let start = "2019-02-02T14:00".parse().unwrap();
            assert_eq!(rhythm(&rule, start), words);
        }
    }
    fn series(json: serde_json::Value) -> Series {
        Series::from_json(&json).unwrap()
    }

    #[test]
    fn a_series_says_when_it_does_not_happen() {
        let weekends = |rule: &str| {
            series(serde_json::json!({
                "dtstart": "20260105T083000", "rrule": [{"rule": "FREQ=DAILY"}],
                "exrule": [{"rule": rule}],
            }))
        };
        assert_eq!(
            weekends("FREQ=WEEKLY;BYDAY=SA,SU").in_short(),
            "every day except every Saturday and Sunday, 08:30, since 2026-01-05"
        );
        assert_eq!(
            weekends("FREQ=WEEKLY;BYDAY=SA;UNTIL=20260301").rhythm(),
            "every day except every Saturday until 2026-03-01"
        );
    }

    #[test]
    fn what_was_added_before_the_rule_began_does_not_count_as_its_beginning() {
        let class = series(serde_json::json!({
            "dtstart": "20260105T190000Z",
            "rrule": [{"rule": "FREQ=WEEKLY;COUNT=10", "last": "20260309T190000"}],
            "rdate": ["20250901T190000Z"],
        }));
        assert_eq!(class.first().unwrap().at.date().to_string(), "2025-09-01");
        assert_eq!(class.began().unwrap().at.date().to_string(), "2026-01-05");
        assert_eq!(class.in_short(), "every Monday, 19:00, since 2026-01-05, until 2026-03-09");
    }
}
