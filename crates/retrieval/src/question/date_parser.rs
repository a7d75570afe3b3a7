//! Parses the times that a question names: English expressions, which [`super::time_words`] makes
//! of those in some other languages, and numeric dates in any language.
//!
//! It reads absolute times ("7 May 2023", "July", "summer 2021", "2023-05-07") and the words around
//! them: a part ("the end of May"), a distance ("two weeks before …"), a range ("between … and …"),
//! an open range ("since …"). A time given by its distance from another yields both: people who
//! talk about last weekend do so around the reference time. Times relative to the asker ("last
//! week", "three days ago") need today's civil date.
//!
//! The modules below read what consists of times: scopes, ranges, parts, and days by name.

mod named;
mod parts;
mod ranges;
mod scopes;
mod words;

use std::ops::Range;

use jiff::civil::Date;

use super::calendar::{
    Unit, calendar_unit, date_of, month_year, precision_of, season_start, season_window, shift,
    unit_of, window_after, window_before, without_possessive,
};
use super::dates::{DateMention, MonthDay, Precision};
use crate::text::Language;
use crate::text::time_expressions::{month_number, small_number};
use crate::text::words::Word;

/// Most times that are read from one question.
pub(super) const DATES_MAX: usize = 16;

/// An expression in a question, and the times that it names.
#[derive(Debug)]
pub(super) struct TimeExpression {
    /// One, or two for a time given by its distance from another.
    pub(super) mentions: Vec<DateMention>,
    /// Its words, by number.
    pub(super) words: Range<usize>,
    /// True if it is relative to the asker's day ("last week").
    pub(super) is_relative: bool,
    /// True if it has only one end ("since 3 May").
    pub(super) is_open: bool,
    /// True for "recently": a time only in a question for whatever is of it, because people who ask
    /// about something that happened recently do not know how long ago it was.
    pub(super) is_vague: bool,
}

/// The times named in `text`, whose words are `words`, and `lower` in lower case.
pub(super) fn parse(
    text: &str,
    words: &[Word<'_>],
    lower: &[String],
    language: Language,
    today: Option<Date>,
) -> Vec<TimeExpression> {
    let is_day_first = language != Language::English;
    let parser = Parser { text, words, lower, today, is_day_first };
    let mut found = Vec::new();
    let mut count = 0;
    let mut position = 0;
    while position < words.len() && count < DATES_MAX {
        let Some(mut expression) = parser.expression(position) else {
            position += 1;
            continue;
        };
        expression.mentions.truncate(DATES_MAX - count);
        count += expression.mentions.len();
        position = expression.words.end;
        found.push(expression);
    }
    found
}

/// An absolute time and where it ends, before the words around it are applied.
#[derive(Clone, Copy)]
struct AbsoluteTime {
    mention: DateMention,
    end: usize,
}

/// A time as it is read, before the part of the day after it.
struct Reading {
    mentions: Vec<DateMention>,
    end: usize,
    is_relative: bool,
    is_open: bool,
}

impl Reading {
    fn of(mentions: Vec<DateMention>, end: usize) -> Self {
        Self { mentions, end, is_relative: false, is_open: false }
    }

    fn relative(mention: DateMention, end: usize) -> Self {
        Self { is_relative: true, ..Self::of(vec![mention], end) }
    }
}

struct Parser<'text> {
    text: &'text str,
    words: &'text [Word<'text>],
    /// In English.
    lower: &'text [String],
    today: Option<Date>,
    /// In numbers joined by slashes the day is before the month.
    is_day_first: bool,
}

impl Parser<'_> {
    /// The expression that starts at `position`.
    fn expression(&self, position: usize) -> Option<TimeExpression> {
        let Reading { mentions, end, is_relative, is_open } =
            self.time(position).or_else(|| {
                let AbsoluteTime { mention, end } = self.relative(position)?;
                let mentions = self.both_ways(position..end, mention);
                Some(Reading { mentions, end, is_relative: true, is_open: false })
            })?;
        let end = self.end_of_clock(end);
        // "last" of "last summer" is before the season's word.
        let picking = position.checked_sub(1).filter(|before| self.picks_a_time(*before));
        Some(TimeExpression {
            mentions,
            words: picking.unwrap_or(position)..end.max(position + 1),
            is_relative: is_relative || picking.is_some(),
            is_open,
            is_vague: self.is_vague(position),
        })
    }

    /// A day of the week in a question of another language, whose verbs say nothing here, is the
    /// last one or the coming one.
    fn both_ways(&self, words: Range<usize>, mention: DateMention) -> Vec<DateMention> {
        let is_weekday = |position: usize| {
            matches!(unit_of(self.word(position)), Some(Unit::Weekday(_)))
                && self
                    .words
                    .get(position)
                    .is_some_and(|word| word.text.to_lowercase() != self.word(position))
        };
        let says_which = words.clone().any(|position| {
            matches!(self.word(position), "last" | "past" | "previous" | "this" | "next")
        }) || self.is_about_the_past();
        let mut mentions = vec![mention];
        if let DateMention::Window { first, last, precision } = mention
            && !says_which
            && words.clone().any(is_weekday)
        {
            let week = if self.today.is_some_and(|today| first > today) { -1 } else { 1 };
            let other = shift(first, Unit::Week, week).zip(shift(last, Unit::Week, week));
            mentions.extend(other.map(|(first, last)| DateMention::Window {
                first,
                last,
                precision,
            }));
        }
        mentions
    }

    /// The time that starts at `position`, without those that are relative by a single word.
    fn time(&self, position: usize) -> Option<Reading> {
        let of = |time: AbsoluteTime| Reading::of(vec![time.mention], time.end);
        self.range(position)
            .or_else(|| self.scoped(position).map(|(mention, end)| Reading::relative(mention, end)))
            .or_else(|| self.distance(position))
            .or_else(|| self.open_range(position))
            .or_else(|| self.part(position).map(of))
            .or_else(|| self.named(position))
            .or_else(|| self.absolute_time(position).map(of))
    }

    /// "last", "this" or "next" before a month, a season or a holiday.
    fn picks_a_time(&self, position: usize) -> bool {
        matches!(self.word(position), "last" | "this" | "next" | "past")
            && self.today.is_some()
            && (self.month(position + 1).is_some()
                || self.season(position + 1).is_some()
                || self.holiday(position + 1).is_some())
    }

    /// "two weeks before A", "the week after A", "last weekend before A", "the Sunday before A",
    /// "the day before".
    fn distance(&self, position: usize) -> Option<Reading> {
        let (count, at) = match self.word(position) {
            "the" | "last" | "next" => (1, position + 1),
            "couple" => (2, position + 2),
            word => (small_number(word).or_else(|| self.bare_number(position))?, position + 1),
        };
        let unit = unit_of(self.word(at))?;
        let is_before = match self.word(at + 1) {
            "before" | "prior" | "preceding" => true,
            "after" | "following" => false,
            _ => return None,
        };
        let anchor_at = if self.word(at + 2) == "to" { at + 3 } else { at + 2 };
        let anchor_at = if self.word(anchor_at) == "the" { anchor_at + 1 } else { anchor_at };
        let anchor = self.absolute_time(anchor_at)?;
        // Arithmetic needs a year; without one, only the reference time is known.
        let mut mentions = vec![anchor.mention];
        if let DateMention::Window { first, last, .. } = anchor.mention {
            let named = matches!(self.word(position), "the" | "last" | "next");
            mentions.extend(if is_before {
                window_before(first, unit, count, named)
            } else {
                window_after(last, unit, count, named)
            });
        }
        Some(Reading::of(mentions, anchor.end))
    }

    /// An absolute time: a date, a month, a season, a year.
    fn absolute_time(&self, position: usize) -> Option<AbsoluteTime> {
        self.numeric(position)
            .or_else(|| self.dotted_day(position))
            .or_else(|| self.month_in_numbers(position))
            .or_else(|| self.day_and_month(position))
            .or_else(|| self.month(position))
            .or_else(|| self.season(position))
            .or_else(|| self.holiday(position))
            .or_else(|| self.year_alone(position))
    }

    /// 2023-05-07, 2023/5/7, 7.5.2023, 25/12/2023.
    fn numeric(&self, position: usize) -> Option<AbsoluteTime> {
        let joined = [self.word(position), self.word(position + 1), self.word(position + 2)];
        let separator = self.gap(position);
        let (numbers, end) =
            if matches!(separator, "-" | "/" | ".") && self.gap(position + 1) == separator {
                (joined.to_vec(), position + 3)
            } else {
                // Unicode word segmentation keeps "7.5.2023" together.
                (self.word(position).split('.').collect(), position + 1)
            };
        let [first, second, third] = numbers[..] else { return None };
        let number = |text: &str| text.parse::<i16>().ok().filter(|_| text.len() <= 4);
        let (first_number, second_number, third_number) =
            (number(first)?, number(second)?, number(third)?);
        let date = if first.len() == 4 {
            date_of(first_number, second_number, third_number)?
        } else if third.len() == 4 {
            // With slashes the order depends on the country; only a number above twelve reveals the
            // day, or the language.
            let is_day_first = separator != "/" || first_number > 12 || self.is_day_first;
            if !is_day_first && second_number <= 12 && first_number != second_number {
                return None;
            }
            let (day, month) = if is_day_first {
                (first_number, second_number)
            } else {
                (second_number, first_number)
            };
            date_of(third_number, month, day)?
        } else {
            return None;
        };
        Some(AbsoluteTime { mention: day_window(date), end })
    }

    /// "7 May 2023", "the 7th of May", "May 7th, 2023", "the first of May".
    fn day_and_month(&self, position: usize) -> Option<AbsoluteTime> {
        let (day, month, mut end) = if let Some(day) = self.day_of_a_month(position) {
            let at = self.past_ordinal_ending(position + 1);
            let at = if self.word(at) == "of" { at + 1 } else { at };
            (day, month_number(self.word(at))?, at + 1)
        } else {
            (self.day_number(position + 1)?, month_number(self.word(position))?, position + 2)
        };
        let year_at = if self.word(end) == "of" { end + 1 } else { end };
        let year = self.year(year_at);
        if year.is_some() {
            end = self.past_year_word(year_at + 1);
        }
        let mention = match year {
            Some(year) => day_window(date_of(year, month.into(), day.into())?),
            None => {
                // A leap year has every possible day.
                date_of(2024, month.into(), day.into())?;
                let day = MonthDay { month, day };
                DateMention::EveryYear { first: day, last: day, precision: Precision::Day }
            }
        };
        Some(AbsoluteTime { mention, end })
    }

    /// "May 2023", "in May", "July of 2023".
    fn month(&self, position: usize) -> Option<AbsoluteTime> {
        let word = self.word(position);
        let month = month_number(without_possessive(word))?;
        let at = if self.word(position + 1) == "of" { position + 2 } else { position + 1 };
        if let Some(year) = self.year(at) {
            let first = date_of(year, month.into(), 1)?;
            let last = first.last_of_month();
            return Some(AbsoluteTime {
                mention: DateMention::Window { first, last, precision: Precision::Month },
                end: self.past_year_word(at + 1),
            });
        }
        // "may", "march" and short forms are months only after a word that introduces a time.
        let before = self.before(position);
        let is_introduced = introduces_time(before) || matches!(before, "last" | "this" | "next");
        let is_ambiguous = word.len() <= 4 && !matches!(word, "june" | "july") || word == "march";
        // The verbs are English; "mars" is a planet too.
        let is_month_word = self.is_capital(position)
            || self.is_foreign(position)
            || matches!(before, "in" | "of" | "during" | "since" | "until");
        if is_ambiguous && !(is_introduced && is_month_word) {
            return None;
        }
        if let (Some(today), "last" | "this" | "next") = (self.today, before) {
            let first = date_of(month_year(today, month, before)?, month.into(), 1)?;
            let last = first.last_of_month();
            return Some(AbsoluteTime {
                mention: DateMention::Window { first, last, precision: Precision::Month },
                end: position + 1,
            });
        }
        let mention = DateMention::EveryYear {
            first: MonthDay { month, day: 1 },
            last: MonthDay { month, day: 31 },
            precision: Precision::Month,
        };
        Some(AbsoluteTime { mention, end: position + 1 })
    }

    /// "summer 2021", "the winter of 2022"; "last summer" with today's date; "in summer" any
    /// year's.
    fn season(&self, position: usize) -> Option<AbsoluteTime> {
        let start_month = season_start(self.word(position))?;
        let at = if self.word(position + 1) == "of" { position + 2 } else { position + 1 };
        let precision = Precision::Season;
        if let Some(year) = self.year(at) {
            let (first, last) = season_window(year, start_month)?;
            return Some(AbsoluteTime {
                mention: DateMention::Window { first, last, precision },
                end: self.past_year_word(at + 1),
            });
        }
        let before = self.before(position);
        if let (Some(today), "last" | "this" | "next" | "past") = (self.today, before) {
            let mut windows = (-2..=2)
                .filter_map(|years| season_window(today.year().checked_add(years)?, start_month));
            let chosen = match before {
                "last" | "past" => windows.rfind(|(_, last)| *last < today),
                // "What did we do this summer?" may be asked after it.
                "this" if self.is_about_the_past() => windows.rfind(|(first, _)| *first <= today),
                "this" => windows.filter(|(_, last)| *last >= today).min(),
                _ => windows.filter(|(first, _)| *first > today).min(),
            };
            let (first, last) = chosen?;
            return Some(AbsoluteTime {
                mention: DateMention::Window { first, last, precision },
                end: position + 1,
            });
        }
        if !matches!(before, "in" | "during" | "last" | "this" | "that" | "the" | "over" | "since")
            || self.word(position) == "fall" && before == "the"
        {
            return None;
        }
        let last_month = if start_month == 12 { 2 } else { start_month + 2 };
        let mention = DateMention::EveryYear {
            first: MonthDay { month: start_month, day: 1 },
            last: MonthDay { month: last_month, day: 31 },
            precision,
        };
        Some(AbsoluteTime { mention, end: position + 1 })
    }

    /// "in 2023", "since 2021": a year by itself needs a word that introduces it.
    fn year_alone(&self, position: usize) -> Option<AbsoluteTime> {
        let year = self.year(position)?;
        let before = self.before(position);
        let end = self.past_year_word(position + 1);
        let is_introduced = introduces_time(before) || before == "year" || end > position + 1;
        let (first, last) = (date_of(year, 1, 1)?, date_of(year, 12, 31)?);
        let mention = DateMention::Window { first, last, precision: Precision::Year };
        is_introduced.then_some(AbsoluteTime { mention, end })
    }

    /// Times relative to today: yesterday, last week, three days ago, in the last two months, on
    /// Friday.
    fn relative(&self, position: usize) -> Option<AbsoluteTime> {
        let today = self.today?;
        let word = without_possessive(self.word(position));
        let window = |(first, last, precision), end| {
            Some(AbsoluteTime { mention: DateMention::Window { first, last, precision }, end })
        };
        let day = |days: i32| {
            let date = shift(today, Unit::Day, days)?;
            Some((date, date, Precision::Day))
        };
        match word {
            "today" | "tonight" => return window(day(0)?, position + 1),
            "yesterday" => return window(day(-1)?, position + 1),
            "ereyesterday" => return window(day(-2)?, position + 1),
            "tomorrow" => return window(day(1)?, position + 1),
            "overmorrow" => return window(day(2)?, position + 1),
            "day" => {
                let days = match (self.word(position + 1), self.word(position + 2)) {
                    ("before", "yesterday") => -2,
                    ("after", "tomorrow") => 2,
                    _ => return None,
                };
                return window(day(days)?, position + 3);
            }
            "in" => return self.after_today(position + 1, today),
            "half" if self.half_a_year_ago(position).is_some() => {
                let date = shift(today, Unit::Month, -6)?;
                let month = (date.first_of_month(), date.last_of_month(), Precision::Month);
                return window(month, self.half_a_year_ago(position)?);
            }
            "on" | "last" | "this" | "next" => {}
            "past" | "previous" => {}
            _ => {
                return self.ago(position, today).or_else(|| self.bare_weekday(position, today));
            }
        }
        let next = self.word(position + 1);
        // "the last three weeks", "past few days"
        if matches!(word, "last" | "past" | "previous")
            && let Some(count) = small_number(next).or_else(|| self.bare_number(position + 1))
            && let Some(unit) = unit_of(self.word(position + 2))
        {
            let first = shift(today, unit, -count)?;
            return window((first, today, precision_of(unit)), position + 3);
        }
        if matches!(word, "last" | "this")
            && matches!(next, "night" | "morning" | "evening" | "afternoon")
        {
            return window(day(if word == "last" { -1 } else { 0 })?, position + 2);
        }
        let unit = unit_of(next).filter(|_| !self.is_plural(position + 1))?;
        let steps = match word {
            "last" | "past" | "previous" => -1,
            "next" => 1,
            "this" => 0,
            _ if matches!(unit, Unit::Weekday(_)) => self.steps_to_weekday(),
            _ => return None,
        };
        window(calendar_unit(today, unit, steps)?, position + 2)
    }

    fn is_about_the_past(&self) -> bool {
        self.lower.iter().any(|word| PAST.contains(&word.as_str()))
    }

    /// "On Friday" is the last Friday, because questions to a memory are about the past, unless the
    /// question is in the present or the future: "What do I have on Friday?"
    fn steps_to_weekday(&self) -> i32 {
        const OTHERS: [&str; 16] = [
            "am", "are", "can", "could", "do", "does", "has", "have", "is", "shall", "should",
            "what's", "when's", "where's", "who's", "will",
        ];
        let is_past = self.is_about_the_past();
        let verb = self.lower.iter().find(|word| OTHERS.contains(&word.as_str()));
        match verb.map(String::as_str) {
            None | Some("could" | "has" | "have") => -1,
            Some(_) if is_past => -1,
            Some(_) => 1,
        }
    }

    /// "What did we do Monday?", "… Friday evening?": a day of the week at the end, which is that
    /// of [`Self::steps_to_weekday`]. "Every Monday", "for Monday" and "Black Friday" are other
    /// things.
    fn bare_weekday(&self, position: usize, today: Date) -> Option<AbsoluteTime> {
        const OTHERS: [&str; 21] = [
            "a", "after", "all", "any", "before", "black", "by", "each", "every", "for", "good",
            "most", "my", "of", "or", "our", "some", "the", "till", "to", "until",
        ];
        let unit = unit_of(self.lower.get(position)?)?;
        let before = position.checked_sub(1).map_or("the", |before| self.word(before));
        let is_part = |word: &str| matches!(word, "morning" | "afternoon" | "evening" | "night");
        let end = position + 1 + usize::from(is_part(self.word(position + 1)));
        let is_alone = matches!(unit, Unit::Weekday(_))
            && end == self.lower.len()
            && !OTHERS.contains(&before);
        let (first, last, precision) =
            is_alone.then(|| calendar_unit(today, unit, self.steps_to_weekday())).flatten()?;
        Some(AbsoluteTime { mention: DateMention::Window { first, last, precision }, end })
    }

    /// The end of "half a year ago" and of its translations: "ein halbes Jahr", "полгода".
    fn half_a_year_ago(&self, position: usize) -> Option<usize> {
        let at = position + 1 + usize::from(matches!(self.word(position + 1), "a" | "one"));
        let unit = usize::from(self.word(at) == "year");
        let is_whole = unit == 1 || self.is_foreign(position);
        (is_whole && self.word(at + unit) == "ago").then_some(at + unit + 1)
    }

    /// "three weeks" of "three weeks ago", "a couple of days ago", "two Fridays ago"; "год назад"
    /// has no number.
    fn count_ago(&self, position: usize) -> Option<(i32, Unit, usize)> {
        if unit_of(self.word(position)).is_some()
            && self.is_foreign(position)
            && self.word(position + 1) == "ago"
        {
            return Some((1, unit_of(self.word(position))?, position + 2));
        }
        let count = small_number(self.word(position)).or_else(|| self.bare_number(position))?;
        let mut at = position + 1;
        while matches!(self.word(at), "couple" | "few" | "of") {
            at += 1;
        }
        let count = if at > position + 1 {
            small_number(self.word(position + 1)).unwrap_or(count)
        } else {
            count
        };
        if self.word(at) == "fortnight" && self.word(at + 1) == "ago" {
            return Some((2, Unit::Week, at + 2));
        }
        let singular = self.word(at).strip_suffix('s').unwrap_or_default();
        let weekday = || unit_of(singular).filter(|unit| matches!(unit, Unit::Weekday(_)));
        let unit = unit_of(self.word(at)).or_else(weekday)?;
        (self.word(at + 1) == "ago").then_some((count, unit, at + 2))
    }

    /// "three weeks ago", "a month ago", "a couple of days ago".
    fn ago(&self, position: usize, today: Date) -> Option<AbsoluteTime> {
        let (count, unit, end) = self.count_ago(position)?;
        let date = shift(today, unit, -count)?;
        let (first, last) = match unit {
            Unit::Day => (date, date),
            Unit::Weekday(weekday) => {
                let day = named::weekdays_ago(today, weekday, count)?;
                (day, day)
            }
            Unit::Week | Unit::Weekend => (shift(date, Unit::Day, -3)?, shift(date, Unit::Day, 3)?),
            Unit::Month => (date.first_of_month(), date.last_of_month()),
            Unit::Year => (date.first_of_year(), date.last_of_year()),
        };
        let mention = DateMention::Window { first, last, precision: precision_of(unit) };
        Some(AbsoluteTime { mention, end })
    }

    /// "two days", "a week", after "in".
    fn after_today(&self, position: usize, today: Date) -> Option<AbsoluteTime> {
        let count = small_number(self.word(position)).or_else(|| self.bare_number(position))?;
        let unit = unit_of(self.word(position + 1))?;
        let date = shift(today, unit, count)?;
        let (first, last) = match unit {
            Unit::Day => (date, date),
            Unit::Week => (shift(date, Unit::Day, -3)?, shift(date, Unit::Day, 3)?),
            Unit::Month => (date.first_of_month(), date.last_of_month()),
            Unit::Weekend | Unit::Weekday(_) | Unit::Year => return None,
        };
        let mention = DateMention::Window { first, last, precision: precision_of(unit) };
        // "In two days' time".
        Some(AbsoluteTime { mention, end: position + 2 })
    }
}

/// Verbs of questions about the past.
const PAST: [&str; 6] = ["did", "had", "happened", "was", "were", "went"];

/// Whether a word introduces a time, so that a following number or verb can be a year or a month.
fn introduces_time(word: &str) -> bool {
    const INTRODUCTIONS: [&str; 19] = [
        "after",
        "and",
        "before",
        "beginning",
        "between",
        "by",
        "during",
        "early",
        "end",
        "from",
        "in",
        "late",
        "mid",
        "of",
        "since",
        "through",
        "till",
        "to",
        "until",
    ];
    INTRODUCTIONS.contains(&word)
}

fn opens_a_range(word: &str) -> bool {
    matches!(word, "since" | "after" | "before" | "until" | "till" | "by")
}

fn day_window(date: Date) -> DateMention {
    DateMention::Window { first: date, last: date, precision: Precision::Day }
}
