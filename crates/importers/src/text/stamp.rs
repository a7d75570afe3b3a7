//! The time at the head of a line of a log or chat export, and the speaker after it.
//!
//! A single line cannot show which number of `2/6/2025` is the month, so the whole file decides the
//! [`DateOrder`]: some line has a day above twelve, or only one reading keeps the lines in order.

use jiff::civil::{Date, DateTime};

use super::irc;
use crate::DayOrder;
use crate::dates::{civil, date_at_start, date_of, leading_number};

/// Longest name of a speaker, in characters, and most words in it.
const NAME_MAX: (usize, usize) = (40, 5);
/// The same after the stamp of a messenger, where names are what address books have.
const CONTACT_MAX: (usize, usize) = (80, 12);

/// The time before a line's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) day: Day,
    /// Hour, minute, second.
    pub(super) time: Option<(u32, u32, u32)>,
    pub(super) form: Form,
}

/// How sure it is that a name comes before the first colon of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The line begins as WhatsApp writes it: `27/09/2025, 18:05 - ` or `[27/09/2025, 18:05:00] `.
    /// Any name may come next.
    Messenger,
    /// Any other line: only what looks like a name is one.
    Plain,
}

/// The date of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Day {
    /// None: the line has only a time of day.
    None,
    /// The date.
    Date(Date),
    /// Two numbers, one of them the month, and a year.
    Numbers(u32, u32, u32),
}

/// Which number of a date is the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateOrder {
    DayFirst,
    MonthFirst,
    /// Nothing in the file decides.
    Unknown,
    /// Some lines can only be read one way, others only the other way.
    Contradictory,
}

/// The stamp at the head of a line and the text after it.
pub(super) fn stamp(line: &str) -> Option<(Stamp, &str)> {
    // Exports put invisible direction marks around times and names.
    let line = line.trim_start_matches(['\u{200e}', '\u{200f}', '\u{202a}', '\u{feff}', ' ', '\t']);
    let (inner, bracketed) = match line.strip_prefix('[') {
        Some(inner) => (inner, true),
        None => (line, false),
    };
    let (day, rest) = day(inner).unwrap_or((Day::None, inner));
    let is_apart = rest.starts_with(',') || matches!(day, Day::Numbers(..));
    let (time, rest) = match time(rest.trim_start_matches([',', ' ', 'T'])) {
        Some((time, rest)) => (Some(time), rest),
        None => (None, rest),
    };
    if day == Day::None && (time.is_none() || !bracketed && !irc::follows_time(rest)) {
        return None;
    }
    let is_closed = bracketed || rest.starts_with(" - ");
    let form = match is_apart && time.is_some() && is_closed {
        true => Form::Messenger,
        false => Form::Plain,
    };
    let rest = if bracketed {
        rest.trim_start().strip_prefix(']')?
    } else {
        let after = rest.trim_start_matches([' ', '\u{202f}']);
        let mark = after.strip_prefix(['-', '–', '|', ':']).filter(|_| !irc::is_notice(after));
        let after = mark.unwrap_or(after);
        let apart = rest.is_empty() || after.len() < rest.len();
        if !apart {
            return None;
        }
        after
    };
    Some((Stamp { day, time, form }, rest.trim_start_matches([' ', '\t', '\u{200e}', '\u{202f}'])))
}

fn day(text: &str) -> Option<(Day, &str)> {
    // A date written in words begins a sentence more often than a log line, so only digits count.
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if let Some((date, rest)) = date_at_start(text) {
        return Some((Day::Date(date), rest));
    }
    let (first, rest) = leading_number(text, 2)?;
    let separator = rest.chars().next().filter(|separator| "/.-".contains(*separator))?;
    let (second, rest) = leading_number(rest.strip_prefix(separator)?, 2)?;
    let in_year = rest.strip_prefix(separator)?;
    let (year, rest) = leading_number(in_year, 4)?;
    let year = match in_year.len() - rest.len() {
        2 => year + 2000,
        4 => year,
        _ => return None,
    };
    if !(1970..=2200).contains(&year) || first == 0 || second == 0 || first > 31 || second > 31 {
        return None;
    }
    // Dots between the numbers are written only where the day comes first.
    if separator == '.' {
        return Some((Day::Date(date_of(year, second, first)?), rest));
    }
    Some((Day::Numbers(first, second, year), rest))
}

fn time(text: &str) -> Option<((u32, u32, u32), &str)> {
    let (mut hour, rest) = leading_number(text, 2)?;
    let (minute, rest) = leading_number(rest.strip_prefix([':', '.'])?, 2)?;
    let (second, rest) =
        match rest.strip_prefix([':', '.']).and_then(|rest| leading_number(rest, 2)) {
            Some((second, rest)) => (second, rest),
            None => (0, rest),
        };
    // Fractions and a trailing `Z` are dropped: a civil time is what the line shows.
    let rest = match rest.strip_prefix(['.', ',']).and_then(|fraction| leading_number(fraction, 9))
    {
        Some((_, rest)) => rest,
        None => rest,
    };
    let rest = rest.strip_prefix('Z').unwrap_or(rest);
    let word = rest.trim_start_matches([' ', '\u{202f}', '\u{a0}']);
    let half = |names: [&str; 3]| {
        names.iter().find_map(|name| {
            word.get(..name.len()).filter(|found| found.eq_ignore_ascii_case(name))
        })
    };
    let mut rest = rest;
    if let Some(found) = half(["a.m.", "am", "a. m."]) {
        hour = if hour == 12 { 0 } else { hour };
        rest = word.get(found.len()..).unwrap_or_default();
    } else if let Some(found) = half(["p.m.", "pm", "p. m."]) {
        hour = if hour < 12 { hour + 12 } else { hour };
        rest = word.get(found.len()..).unwrap_or_default();
    }
    (hour < 24 && minute < 60 && second <= 60).then_some(((hour, minute, second.min(59)), rest))
}

/// `Name: text`: a short name before the first colon.
pub(super) fn speaker(text: &str, form: Form) -> Option<(&str, &str)> {
    let (name, said) = text.split_once(':')?;
    let name =
        name.trim_matches(['\u{200e}', '\u{202a}', '\u{202c}', ' ', '~', '\u{202f}', '\u{a0}']);
    let (chars_max, words_max) = match form {
        Form::Messenger => CONTACT_MAX,
        Form::Plain => NAME_MAX,
    };
    let fits = !name.is_empty()
        && name.len() <= chars_max * 4
        && name.chars().count() <= chars_max
        && name.split_whitespace().count() <= words_max
        && (form == Form::Messenger || is_plain_name(name))
        && (said.is_empty() || said.starts_with([' ', '\t', '\u{200e}', '\u{202f}']));
    fits.then(|| (name, said.trim_start_matches([' ', '\t', '\u{200e}'])))
}

/// Whether a name has only what names in logs have; prose has more before its colons.
fn is_plain_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphanumeric() || first == '+')
        && !name.contains(['"', '(', '[', '{', '<', '/', '=', '.', ',', ';', '?', '!', '#'])
}

/// Whether the program wrote what follows a stamp. On Android such lines name no speaker; on iOS
/// they follow a name and begin with a mark without width, as placeholders do, but not files and
/// polls, which have a colon. An action (`* ana waves`) is somebody's.
pub(super) fn is_of_system(rest: &str) -> bool {
    let Some((name, said)) = rest.split_once(": ") else {
        return !rest.trim_end().ends_with(':') && !rest.starts_with("* ");
    };
    // A colon within a quotation is in the name of a group: `Ana changed it to "Kiln: new"`.
    let quotes = name.chars().filter(|c| "\"“”„«»".contains(*c)).count();
    quotes % 2 == 1 || said.starts_with('\u{200e}') && !said.contains(':')
}

/// Longest step between days that follow one another.
const NEAR_DAYS_MAX: i32 = 3;
/// Fewest such steps from which the order is inferred.
const NEAR_STEPS_MIN: u64 = 2;

/// Evidence for the date order of a file, collected line by line.
#[derive(Debug, Default)]
pub(super) struct OrderEvidence {
    numbers: u64,
    day_first: bool,
    month_first: bool,
    last: Option<(u32, u32, u32)>,
    day_first_falls: u64,
    month_first_falls: u64,
    /// Steps from a day to another that follows soon.
    day_first_near: u64,
    month_first_near: u64,
}

impl OrderEvidence {
    pub(super) fn add(&mut self, day: Day) {
        let Day::Numbers(first, second, year) = day else { return };
        self.numbers += 1;
        self.day_first |= first > 12;
        self.month_first |= second > 12;
        if let Some((first_before, second_before, year_before)) = self.last {
            self.day_first_falls +=
                u64::from((year, second, first) < (year_before, second_before, first_before));
            self.month_first_falls +=
                u64::from((year, first, second) < (year_before, first_before, second_before));
            let is_near = |before: Option<Date>, after: Option<Date>| {
                let days = before.zip(after).and_then(|(before, after)| before.until(after).ok());
                days.is_some_and(|span| (1..=NEAR_DAYS_MAX).contains(&span.get_days()))
            };
            self.day_first_near += u64::from(is_near(
                date_of(year_before, second_before, first_before),
                date_of(year, second, first),
            ));
            self.month_first_near += u64::from(is_near(
                date_of(year_before, first_before, second_before),
                date_of(year, first, second),
            ));
        }
        self.last = Some((first, second, year));
    }

    /// True if any date depends on the order.
    pub(super) fn matters(&self) -> bool {
        self.numbers > 0
    }

    /// The order of the file: what its numbers allow, else what the user says, else the reading
    /// that keeps its lines in order, else the one in which its days follow one another.
    pub(super) fn decide(&self, said: Option<DayOrder>) -> DateOrder {
        let said = said.map(|order| match order {
            DayOrder::DayFirst => DateOrder::DayFirst,
            DayOrder::MonthFirst => DateOrder::MonthFirst,
        });
        match (self.day_first, self.month_first) {
            (true, true) => said.unwrap_or(DateOrder::Contradictory),
            (true, false) => DateOrder::DayFirst,
            (false, true) => DateOrder::MonthFirst,
            (false, false) => said.unwrap_or_else(|| self.infer()),
        }
    }

    fn infer(&self) -> DateOrder {
        match (self.day_first_falls, self.month_first_falls) {
            (0, falls) if falls > 0 => return DateOrder::DayFirst,
            (falls, 0) if falls > 0 => return DateOrder::MonthFirst,
            _ => {}
        }
        match (self.day_first_near, self.month_first_near) {
            (near, 0) if near >= NEAR_STEPS_MIN => DateOrder::DayFirst,
            (0, near) if near >= NEAR_STEPS_MIN => DateOrder::MonthFirst,
            _ => DateOrder::Unknown,
        }
    }
}

impl Stamp {
    /// The date, once the order is known; `of_file` is the date that the file's name gives.
    pub(super) fn date(self, order: DateOrder, of_file: Option<Date>) -> Option<Date> {
        match (self.day, order) {
            (Day::None, _) => of_file,
            (Day::Date(date), _) => Some(date),
            (Day::Numbers(day, month, year), DateOrder::DayFirst)
            | (Day::Numbers(month, day, year), DateOrder::MonthFirst) => date_of(year, month, day),
            (Day::Numbers(same, other, year), _) if same == other => date_of(year, same, other),
            (Day::Numbers(..), DateOrder::Unknown | DateOrder::Contradictory) => None,
        }
    }

    /// Date and time, if both are known.
    pub(super) fn civil(self, order: DateOrder, of_file: Option<Date>) -> Option<DateTime> {
        let (hour, minute, second) = self.time?;
        civil(self.date(order, of_file)?, hour, minute, second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<(&str, &str)>) {
        let found = stamp(line).map(|(stamp, rest)| {
            let day = stamp
                .date(DateOrder::DayFirst, None)
                .map(|date| date.to_string())
                .unwrap_or_default();
            let time =
                stamp.time.map(|(h, m, s)| format!(" {h:02}:{m:02}:{s:02}")).unwrap_or_default();
            (format!("{day}{time}"), rest)
        });
        let found = found.as_ref().map(|(when, rest)| (when.as_str(), *rest));
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn stamps_of_logs_and_chats_are_read() {
        check("2025-06-02 14:00 text", Some(("2025-06-02 14:00:00", "text")));
        check("[2025-06-02] text", Some(("2025-06-02", "text")));
        check("2025-06-02T14:00:05.123Z text", Some(("2025-06-02 14:00:05", "text")));
        check("[14:03] Ana: hi", Some((" 14:03:00", "Ana: hi")));
        check("2/6/2025, 14:03 - Ana: hi", Some(("2025-06-02 14:03:00", "Ana: hi")));
        check("[02/06/25, 2:03:22\u{202f}PM] Ana: hi", Some(("2025-06-02 14:03:22", "Ana: hi")));
        check("\u{200e}[02.06.25, 14:03:22] Ana: hi", Some(("2025-06-02 14:03:22", "Ana: hi")));
        check("2/6/25, 12:03 am - Ana: hi", Some(("2025-06-02 00:03:00", "Ana: hi")));
        check("2025-06-02 Tea", Some(("2025-06-02", "Tea")));
        check("2025-06-02: text", Some(("2025-06-02", "text")));
    }

    #[test]
    fn stamps_of_irc_are_read() {
        check("14:03 <ana> hi", Some((" 14:03:00", "<ana> hi")));
        check("14:03 -!- ben has joined #tea", Some((" 14:03:00", "-!- ben has joined #tea")));
        check("14:03  * ana waves", Some((" 14:03:00", "* ana waves")));
        check("2025-06-02 14:03:05 <ana> hi", Some(("2025-06-02 14:03:05", "<ana> hi")));
        check("14:03 <b>late</b> again", None);
    }

    #[test]
    fn a_line_that_only_begins_with_numbers_has_no_stamp() {
        for line in [
            "",
            "14:03 is late",
            "3 eggs",
            "[1] a source",
            "1.2.3 released",
            "2025-06-02x",
            "[14:03 Ana",
            "12/13",
            "[x] done",
        ] {
            check(line, None);
        }
    }

    #[test]
    fn speakers_have_short_names_before_a_colon() {
        let speaker = |text| speaker(text, Form::Plain);
        assert_eq!(speaker("Ana: hi: there"), Some(("Ana", "hi: there")));
        assert_eq!(speaker("~ Ana Maria: hi"), Some(("Ana Maria", "hi")));
        assert_eq!(speaker("+45 12 34 56 78: hi"), Some(("+45 12 34 56 78", "hi")));
        for text in [
            "no colon",
            "https://x.test",
            ": hi",
            "He said, and then: hi",
            "one two three four five six: hi",
            "Dr. Weiss: hi",
        ] {
            assert_eq!(speaker(text), None, "{text}");
        }
    }

    #[test]
    fn any_name_comes_after_the_stamp_of_a_messenger() {
        let check = |line: &str, expect: Option<&str>| {
            let (stamp, rest) = stamp(line).unwrap();
            assert_eq!(speaker(rest, stamp.form).map(|(name, _)| name), expect, "{line}");
        };
        check("27/09/2025, 18:05 - Dr. Weiss: yes", Some("Dr. Weiss"));
        check("27/09/2025 18:05 - Dad (work): yes", Some("Dad (work)"));
        check("27.09.25, 18:05 - Ali, plumber: yes", Some("Ali, plumber"));
        check("2025-09-27, 6:05 p.m. - Bob/Work: yes", Some("Bob/Work"));
        check("27/09/2025, 18:05 - ❤️ Mum: yes", Some("❤️ Mum"));
        check("[27/09/2025, 18:05:00] Dr. Weiss (Praxis): yes", Some("Dr. Weiss (Praxis)"));
        check(
            "27/09/2025, 18:05 - Elternabend Klasse 4b Frau (Musik) Hof: ja",
            Some("Elternabend Klasse 4b Frau (Musik) Hof"),
        );
        check("27/09/2025, 18:05 - https://x.test", None);
        check("2025-09-27 18:05 - deploy (prod): done", None);
        check("[2025-09-27 18:05:00] main.rs: done", None);
        check("2025-09-27, 18:05 main.rs: done", None);
    }

    #[test]
    fn what_the_user_says_counts_where_the_numbers_leave_it_open() {
        let decide = |days: &[(u32, u32)], said: DayOrder| {
            let mut evidence = OrderEvidence::default();
            days.iter()
                .for_each(|(first, second)| evidence.add(Day::Numbers(*first, *second, 2025)));
            evidence.decide(Some(said))
        };
        assert_eq!(decide(&[(2, 6)], DayOrder::MonthFirst), DateOrder::MonthFirst);
        assert_eq!(decide(&[(13, 6)], DayOrder::MonthFirst), DateOrder::DayFirst);
        assert_eq!(decide(&[(13, 6), (6, 13)], DayOrder::DayFirst), DateOrder::DayFirst);
    }

    #[test]
    fn lines_of_the_program_are_told_from_messages() {
        for line in [
            "Dad joined using this group's invite link",
            "Ana changed the subject from \"Kiln: old\" to \"Kiln\"",
            "Ana changed the subject from “Kiln” to “Kiln: new”",
            "Dad: \u{200e}Dad joined using this group's invite link",
            "Ana: \u{200e}image omitted",
        ] {
            assert!(is_of_system(line), "{line}");
        }
        for line in [
            "Ana: hi",
            "Dr. Smith 🌸: hi",
            "Robert \"Bob\" Weiss: hi",
            "Ana: \u{200e}<attached: 1.jpg>",
            "* ana waves",
            "Ana:",
        ] {
            assert!(!is_of_system(line), "{line}");
        }
    }

    #[test]
    fn the_whole_file_decides_which_number_is_the_day() {
        let decide = |days: &[(u32, u32)]| {
            let mut evidence = OrderEvidence::default();
            days.iter()
                .for_each(|(first, second)| evidence.add(Day::Numbers(*first, *second, 2025)));
            evidence.decide(None)
        };
        assert_eq!(decide(&[(2, 6), (13, 6)]), DateOrder::DayFirst);
        assert_eq!(decide(&[(6, 2), (6, 13)]), DateOrder::MonthFirst);
        assert_eq!(decide(&[(2, 6), (3, 6), (1, 7)]), DateOrder::DayFirst);
        assert_eq!(decide(&[(6, 2), (6, 3), (7, 1)]), DateOrder::MonthFirst);
        assert_eq!(decide(&[(2, 6), (3, 7)]), DateOrder::Unknown);
        // Four days in a row are likelier than one day in each of four months.
        assert_eq!(decide(&[(1, 12), (2, 12), (3, 12), (4, 12)]), DateOrder::DayFirst);
        assert_eq!(decide(&[(12, 1), (12, 2), (12, 4)]), DateOrder::MonthFirst);
        assert_eq!(decide(&[(1, 12), (2, 12)]), DateOrder::Unknown);
        assert_eq!(decide(&[(13, 6), (6, 13)]), DateOrder::Contradictory);
    }
}
