//! Dates as people write them: in file names, headings and front matter.
//!
//! Only forms that can mean one day are read here. `2/6/2025` cannot (June or February?), so it is
//! left to the chat reader, which has a whole file to decide by.

use jiff::civil::{Date, DateTime};
use kernel::when::When;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Years that a bare run of digits may mean, so that phone numbers and counters are not read as
/// dates.
const BARE_YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;

/// Longest text that is searched for a date.
const TEXT_BYTES_MAX: usize = 512;

/// A date at the beginning of `text`, and what follows it: `2025-06-02`, `2025/6/2`, `2025.06.02`,
/// `20250602`, `2 June 2025`, `2nd of June, 2025`, `June 2, 2025`, each also after a weekday.
pub(crate) fn date_at_start(text: &str) -> Option<(Date, &str)> {
    let text = text.trim_start();
    let text = strip_weekday(text).unwrap_or(text);
    numeric(text).or_else(|| day_first(text)).or_else(|| month_first(text))
}

/// The date that a heading or title names: at its beginning in any form, or written out or in ISO
/// form anywhere in it, or as `9/24/2014`, where only one number can be the month.
pub(crate) fn date_in(text: &str) -> Option<Date> {
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    if let Some((date, _)) = date_at_start(text) {
        return Some(date);
    }
    let is_between = |character: char| !character.is_alphanumeric();
    let starts = text.char_indices().filter(|(at, letter)| {
        letter.is_ascii_alphanumeric()
            && text
                .get(..*at)
                .is_some_and(|before| before.chars().next_back().is_none_or(is_between))
    });
    starts.filter_map(|(at, _)| text.get(at..)).find_map(|rest| {
        let whole = |(date, after): (Date, &str)| {
            after.chars().next().is_none_or(is_between).then_some(date)
        };
        let iso = numeric(rest).filter(|(_, after)| rest.len() - after.len() == 10);
        iso.or_else(|| day_first(rest))
            .or_else(|| month_first(rest))
            .or_else(|| one_month(rest))
            .and_then(whole)
    })
}

/// `9/24/2014` or `24/9/2014`: one of the numbers is too large for a month.
fn one_month(text: &str) -> Option<(Date, &str)> {
    let (first, rest) = leading_number(text, 2)?;
    let (second, rest) = leading_number(rest.strip_prefix('/')?, 2)?;
    let (year, rest) = leading_number(rest.strip_prefix('/')?, 4)?;
    let (month, day) = match (first, second) {
        (1..=12, 13..) => (first, second),
        (13.., 1..=12) => (second, first),
        _ => return None,
    };
    BARE_YEARS
        .contains(&i16::try_from(year).ok()?)
        .then(|| date_of(year, month, day))?
        .map(|date| (date, rest))
}

/// The date in a file's relative name: `2025-06-02.md`, `2025-06-02 Title.md`, `20250602.md`,
/// `2025/06/02.md`, `2025-06/june-2.md`, `2025-06-02/notes.md`, `IMG_20250602_140312.jpg`.
pub(crate) fn date_in_name(relative: &str) -> Option<Date> {
    let stem = crate::files::stem(relative);
    if let Some((date, _)) = numeric(stem) {
        return Some(date);
    }
    let mut parts = relative.rsplit('/').skip(1);
    if let (Some(month), Some(year)) = (parts.next(), parts.next())
        && let (Some(day), Some(month), Some(year)) =
            (day_number(stem), whole_number(month, 2), whole_number(year, 4))
        && let Ok(date) = Date::new(year, month as i8, day)
    {
        return Some(date);
    }
    let in_stem = stem
        .split(['_', '-', ' '])
        .filter(|part| part.len() == 8)
        .find_map(|part| numeric(part).map(|(date, _)| date));
    in_stem.or_else(|| date_in(stem)).or_else(|| date_in_folders(relative, stem))
}

/// The date that the folders give alone, or together with a day (and month) in the file's name.
fn date_in_folders(relative: &str, stem: &str) -> Option<Date> {
    let in_month = month_name(stem).and_then(|(month, rest)| {
        let (day, rest) = leading_number(rest.trim_start_matches(['-', '_', ' ']), 2)?;
        rest.chars().next().is_none_or(|next| !next.is_alphanumeric()).then_some((month, day))
    });
    relative.rsplit('/').skip(1).find_map(|folder| {
        if let Some((date, _)) = numeric(folder) {
            return Some(date);
        }
        let (year, rest) = leading_number(folder, 4).filter(|(year, _)| *year >= 1000)?;
        let month = rest.strip_prefix(['-', '_', '.']).and_then(|rest| whole_number(rest, 2));
        let is_month = month.is_some() || rest.is_empty();
        // A meeting of days around a month's end lies in one folder.
        match (in_month, month.zip(day_number(stem))) {
            (Some((month, day)), _) if is_month => date_of(year, month, day),
            (None, Some((month, day))) => date_of(year, month as u32, day as u32),
            _ => None,
        }
    })
}

/// A time as front matter and logs write it: any form of [`When`], also with a space for the `T`,
/// without seconds, and with a space before the offset.
pub(crate) fn when_in(text: &str) -> Option<When> {
    let text = text.trim();
    if text.len() > 64 {
        return None;
    }
    if let Some((date, rest)) = numeric(text).or_else(|| date_at_start(text)) {
        let rest = rest.trim_start_matches(['T', 't', ' ', ',']).trim_start();
        if rest.is_empty() {
            return Some(When::from_date(date));
        }
        let joined: String = format!("{date}T{}", rest.replace(' ', ""));
        let when = When::parse_given(&joined).ok()?;
        if joined.contains(['Z', 'z', '+', '[']) || rest.contains('-') {
            return Some(when);
        }
        return Some(When::from_civil(when.civil()));
    }
    None
}

/// A civil time from numbers that may be out of range.
pub(crate) fn civil(date: Date, hour: u32, minute: u32, second: u32) -> Option<DateTime> {
    let part = |number: u32| i8::try_from(number).ok();
    let time = jiff::civil::Time::new(part(hour)?, part(minute)?, part(second)?, 0).ok()?;
    Some(date.to_datetime(time))
}

/// A number of one to `digits_max` digits at the beginning, and the rest.
pub(crate) fn leading_number(text: &str, digits_max: usize) -> Option<(u32, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    if end == 0 || end > digits_max.min(9) {
        return None;
    }
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

fn numeric(text: &str) -> Option<(Date, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 8 {
        let (number, rest) = text.split_at(8);
        let number: u32 = number.parse().ok()?;
        let date = date_of(number / 10_000, number / 100 % 100, number % 100)?;
        return BARE_YEARS.contains(&date.year()).then_some((date, rest));
    }
    if digits != 4 {
        return None;
    }
    let (year, rest) = leading_number(text, 4)?;
    let separator = rest.chars().next().filter(|separator| "-/._".contains(*separator))?;
    let (month, rest) = leading_number(rest.strip_prefix(separator)?, 2)?;
    let (day, rest) = leading_number(rest.strip_prefix(separator)?, 2)?;
    Some((date_of(year, month, day)?, rest))
}

fn day_first(text: &str) -> Option<(Date, &str)> {
    let (day, rest) = leading_number(text, 2)?;
    let rest = ["st", "nd", "rd", "th", "."]
        .iter()
        .find_map(|suffix| rest.strip_prefix(suffix))
        .unwrap_or(rest);
    let (month, rest) = month_after(rest).or_else(|| month_after(after_range(rest)))?;
    let (year, rest) = year_after(rest)?;
    Some((date_of(year, month, day)?, rest))
}

/// The month after a day.
fn month_after(text: &str) -> Option<(u32, &str)> {
    let rest = text.strip_prefix([' ', '-'])?;
    month_name(rest.strip_prefix("of ").unwrap_or(rest))
}

/// What follows the last day of several (`8-10`, `30 July to 1 August`); the first is the date.
fn after_range(text: &str) -> &str {
    let rest = text.trim_start();
    let marks = ["-", "–", "—", "/", "&", "to ", "and "];
    let Some(rest) = marks.iter().find_map(|mark| rest.strip_prefix(mark)) else { return text };
    let rest = rest.trim_start();
    let rest = month_name(rest).map_or(rest, |(_, rest)| rest.trim_start());
    leading_number(rest, 2).map_or(text, |(_, rest)| without_ordinal(rest))
}

fn without_ordinal(text: &str) -> &str {
    ["st", "nd", "rd", "th"].iter().find_map(|suffix| text.strip_prefix(suffix)).unwrap_or(text)
}

fn month_first(text: &str) -> Option<(Date, &str)> {
    let (month, rest) = month_name(text)?;
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let (day, rest) = leading_number(rest.strip_prefix(' ')?, 2)?;
    let rest = without_ordinal(rest);
    let (year, rest) = year_after(rest).or_else(|| year_after(after_range(rest)))?;
    Some((date_of(year, month, day)?, rest))
}

fn year_after(text: &str) -> Option<(u32, &str)> {
    let text = text.trim_start_matches([' ', ',', '-', '.']);
    leading_number(text, 4).filter(|(year, _)| *year >= 1000)
}

fn month_name(text: &str) -> Option<(u32, &str)> {
    let (word, rest) = leading_word(text);
    let number =
        (1..).zip(MONTHS).find(|(_, name)| is_name(word, name)).map(|(number, _)| number)?;
    Some((number, rest))
}

fn strip_weekday(text: &str) -> Option<&str> {
    let (word, rest) = leading_word(text);
    WEEKDAYS
        .iter()
        .any(|name| is_name(word, name))
        .then(|| rest.trim_start_matches(['.', ',', ' ']))
}

fn leading_word(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_alphabetic).count())
}

/// True for the name in full or its first three (or more) letters.
fn is_name(word: &str, name: &str) -> bool {
    word.len() >= 3 && name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn whole_number(text: &str, digits: usize) -> Option<i16> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

fn day_number(stem: &str) -> Option<i8> {
    whole_number(stem.get(..2)?, 2)
        .filter(|_| !stem.as_bytes().get(2).is_some_and(u8::is_ascii_alphanumeric))
        .map(|day| day as i8)
}

/// A date from numbers that may be out of range.
pub(crate) fn date_of(year: u32, month: u32, day: u32) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: Option<Date>, expect: Option<&str>, text: &str) {
        assert_eq!(found.map(|date| date.to_string()).as_deref(), expect, "{text:?}");
    }

    #[test]
    fn headings_name_their_day() {
        for text in [
            "2025-06-02",
            "2025-06-02 Standup",
            "Standup (2025-06-02)",
            "2 June 2025",
            "2nd of June, 2025",
            "June 2, 2025",
            "Mon, 2 Jun 2025",
            "Monday 2025/6/2",
            "2025.06.02",
            "104th Guild Meeting | 2nd June 2025",
            "Minutes of June 2nd, 2025 (Gothenburg)",
            "Update: 2nd of June 2025",
            "Guild, Jun. 2, 2025",
            "June 2-4, 2025 Meeting",
            "June 2 - July 1, 2025",
            "Meeting 2–4 June 2025",
        ] {
            check(date_in(text), Some("2025-06-02"), text);
        }
        for text in [
            "",
            "Notes",
            "2/6/2025",
            "2025-13-02",
            "31 June 2025",
            "Version 1.2.3",
            "May be",
            "12345678",
            "The minutes of 2/6/2025",
            "In June 2025 and later",
            "Order 12 2 June 20255",
        ] {
            check(date_in(text), None, text);
        }
    }

    #[test]
    fn one_number_too_large_for_a_month_decides() {
        check(date_in("Minutes of 9/24/2014"), Some("2014-09-24"), "9/24/2014");
        check(date_in("Minutes of 24/9/2014"), Some("2014-09-24"), "24/9/2014");
    }

    #[test]
    fn file_names_give_their_date() {
        for name in [
            "2025-06-02.md",
            "2025-06-02 Title.md",
            "20250602.md",
            "2025/06/02.md",
            "daily/2025/06/02.md",
            "2025/06/2025-06-02.md",
            "IMG_20250602_140312.jpg",
            "2025_06_02.md",
            "2025-06/june-2.md",
            "2025-06/june-02.md",
            "2025-05/jun-2.md",
            "2025/jun_02 minutes.md",
            "2025-06/02.md",
            "2025-06-02/notes.md",
            "guild/2025-06-02 Gothenburg/more/summary.md",
            "Minutes 2 June 2025.md",
        ] {
            check(date_in_name(name), Some("2025-06-02"), name);
        }
        for name in [
            "02.md",
            "a/06/02.md",
            "IMG_1234.jpg",
            "20259999.md",
            "2025/06/99.md",
            "é2.md",
            "2025-06/summary.md",
            "2025-06/june.md",
            "1234 things/june-2x.md",
        ] {
            check(date_in_name(name), None, name);
        }
    }

    #[test]
    fn front_matter_times_keep_their_precision_and_offset() {
        for (text, expect) in [
            ("2025-06-02", "2025-06-02"),
            ("2025-06-02 14:00", "2025-06-02T14:00:00"),
            ("2025-06-02T14:00:05", "2025-06-02T14:00:05"),
            ("2025-06-02T14:00:05Z", "2025-06-02T14:00:05Z"),
            ("2025-06-02 14:00:05 +02:00", "2025-06-02T14:00:05+02:00"),
            ("2025-06-02 14:00:05 -05:00", "2025-06-02T14:00:05-05:00"),
            ("2 June 2025", "2025-06-02"),
        ] {
            assert_eq!(
                when_in(text).map(|when| when.to_string()).as_deref(),
                Some(expect),
                "{text}"
            );
        }
        assert_eq!(when_in("soon"), None);
        assert_eq!(when_in("2025-06-02 tea"), None);
    }
}
