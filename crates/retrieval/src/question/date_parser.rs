//! Parses the times that a question names: English expressions, which [`super::time_words`] makes
//! of those in some other languages, and numeric dates in any language.
//!
//! It reads absolute times ("7 May 2023", "July", "summer 2021", "2023-05-07") and the words around
//! them: a part ("the end of May"), a distance ("two weeks before …"), a range ("between … and …"),
//! an open range ("since …"). A time given by its distance from another yields both: people who
//! talk about last weekend do so around the reference time. Times relative to the asker ("last
//! week", "three days ago") need today's civil date.

use std::ops::Range;

use jiff::civil::Date;

use super::calendar::{
    Unit, calendar_unit, date_of, month_year, precision_of, season_start, season_window, shift,
    unit_of, window_after, window_before, without_possessive,
};
use super::dates::{DateMention, MonthDay, Precision};
use crate::text::time_expressions::{cardinal_or_ordinal, month_number, small_number};
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
}

/// The times named in `text`, whose words are `words`, and `lower` in lower case.
pub(super) fn parse(
    text: &str,
    words: &[Word<'_>],
    lower: &[String],
    today: Option<Date>,
) -> Vec<TimeExpression> {
    let parser = Parser { text, words, lower, today };
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

struct Parser<'text> {
    text: &'text str,
    words: &'text [Word<'text>],
    lower: &'text [String],
    today: Option<Date>,
}

impl Parser<'_> {
    fn word(&self, position: usize) -> &str {
        self.lower.get(position).map_or("", String::as_str)
    }

    fn is_capital(&self, position: usize) -> bool {
        self.words.get(position).is_some_and(|word| word.text.starts_with(char::is_uppercase))
    }

    /// The text between the word at `position` and the next.
    fn gap(&self, position: usize) -> &str {
        let (Some(word), Some(next)) = (self.words.get(position), self.words.get(position + 1))
        else {
            return "";
        };
        self.text.get(word.end()..next.start).unwrap_or("")
    }

    /// The expression that starts at `position`.
    fn expression(&self, position: usize) -> Option<TimeExpression> {
        let (mentions, end, is_relative) = match self.time(position) {
            Some((mentions, end)) => (mentions, end, false),
            None => {
                let AbsoluteTime { mention, end } = self.relative(position)?;
                (self.both_ways(position..end, mention), end, true)
            }
        };
        let end = self.end_of_clock(end);
        // "last" of "last summer" is before the season's word.
        let picking = position.checked_sub(1).filter(|before| self.picks_a_time(*before));
        Some(TimeExpression {
            mentions,
            words: picking.unwrap_or(position)..end.max(position + 1),
            is_relative: is_relative || picking.is_some(),
            is_open: opens_a_range(self.word(position)),
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
        }) || self.lower.iter().any(|word| PAST.contains(&word.as_str()));
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

    /// The end of a part of the day, or of a time of the clock, that follows a time: "Monday
    /// afternoon at 2 pm".
    fn end_of_clock(&self, mut end: usize) -> usize {
        if matches!(self.word(end), "morning" | "afternoon" | "evening" | "night") {
            end += 1;
        }
        if self.word(end) == "at" && (self.day_number(end + 1).is_some() || self.is_noon(end + 1)) {
            end += 2;
            end += usize::from(matches!(self.word(end), "am" | "pm" | "o'clock"));
        }
        end
    }

    fn is_noon(&self, position: usize) -> bool {
        matches!(self.word(position), "noon" | "midnight")
            || self.word(position).ends_with(['m', 'M'])
                && self.word(position).starts_with(|digit: char| digit.is_ascii_digit())
    }

    /// The times in an absolute expression that starts at `position`, and where it ends.
    fn time(&self, position: usize) -> Option<(Vec<DateMention>, usize)> {
        self.range(position)
            .or_else(|| self.distance(position))
            .or_else(|| self.open_range(position))
            .or_else(|| self.part(position))
            .or_else(|| self.absolute_time(position).map(|time| (vec![time.mention], time.end)))
    }

    /// "last", "this" or "next" before a month or a season.
    fn picks_a_time(&self, position: usize) -> bool {
        matches!(self.word(position), "last" | "this" | "next" | "past")
            && self.today.is_some()
            && (self.month(position + 1).is_some() || self.season(position + 1).is_some())
    }

    /// "between A and B", "from A to B", "3 to 7 May".
    fn range(&self, position: usize) -> Option<(Vec<DateMention>, usize)> {
        let opener = self.word(position);
        let start = if matches!(opener, "between" | "from") { position + 1 } else { position };
        let is_joint = |word: &str| matches!(word, "to" | "until" | "till" | "through" | "and");
        // "from 3 to 7 May": a bare day takes the month of the other end.
        if let Some(day) = self.day_number(start)
            && (is_joint(self.word(start + 1))
                && (start > position || self.word(start + 1) != "and")
                || matches!(self.gap(start).trim(), "-" | "–"))
        {
            let other = if is_joint(self.word(start + 1)) { start + 2 } else { start + 1 };
            if let Some(time) = self.absolute_time(other)
                && let Some(mention) = with_first_day(time.mention, day)
            {
                return Some((vec![mention], time.end));
            }
        }
        if start == position {
            return None;
        }
        let from = self.absolute_time(start)?;
        if !is_joint(self.word(from.end)) {
            return None;
        }
        let to = self.absolute_time(from.end + 1)?;
        Some((vec![range_between(from.mention, to.mention)?], to.end))
    }

    /// "two weeks before A", "the week after A", "last weekend before A", "the Sunday before A",
    /// "the day before".
    fn distance(&self, position: usize) -> Option<(Vec<DateMention>, usize)> {
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
        Some((mentions, anchor.end))
    }

    /// "since A", "before A", "by A", "until A", "after A": an open range if the year is known.
    fn open_range(&self, position: usize) -> Option<(Vec<DateMention>, usize)> {
        if !opens_a_range(self.word(position)) {
            return None;
        }
        let time =
            self.part(position + 1).and_then(|(mentions, end)| Some((*mentions.first()?, end)));
        let (mention, end) =
            time.or_else(|| self.absolute_time(position + 1).map(|time| (time.mention, time.end)))?;
        let DateMention::Window {
            first,
            last,
            precision: Precision::Month | Precision::Season | Precision::Year,
        } = mention
        else {
            // For an exact day, the day itself is the best evidence.
            return Some((vec![mention], end));
        };
        let (first, last) = match self.word(position) {
            "since" => (first, Date::MAX),
            "after" => (shift(last, Unit::Day, 1)?, Date::MAX),
            "before" => (Date::MIN, shift(first, Unit::Day, -1)?),
            _ => (Date::MIN, last),
        };
        Some((vec![DateMention::Window { first, last, precision: Precision::Year }], end))
    }

    /// "the beginning of May", "early May", "the first half of May 2023", "mid-July", "the first
    /// week of June".
    fn part(&self, position: usize) -> Option<(Vec<DateMention>, usize)> {
        let mut at = position;
        let (from, to) = match self.word(at) {
            "beginning" | "start" | "early" => (1, 10),
            "middle" | "mid" => (10, 20),
            "end" | "late" => (20, 31),
            "first" if self.word(at + 1) == "half" => (1, 15),
            "second" if self.word(at + 1) == "half" => (15, 31),
            "first" if self.word(at + 1) == "week" => (1, 7),
            "second" if self.word(at + 1) == "week" => (8, 14),
            "third" if self.word(at + 1) == "week" => (15, 21),
            "last" if self.word(at + 1) == "week" && self.word(at + 2) == "of" => (24, 31),
            _ => return None,
        };
        at += 1;
        while matches!(self.word(at), "half" | "week" | "of" | "in") {
            at += 1;
        }
        let month = self.absolute_time(at)?;
        let precision = Precision::Week;
        let mention = match month.mention {
            DateMention::Window { first, precision: Precision::Month, .. } => {
                let day = |day: i8| {
                    Date::new(first.year(), first.month(), day.min(first.days_in_month())).ok()
                };
                DateMention::Window { first: day(from)?, last: day(to)?, precision }
            }
            DateMention::EveryYear {
                first: MonthDay { month, .. },
                precision: Precision::Month,
                ..
            } => {
                let day = |day| MonthDay { month, day };
                DateMention::EveryYear { first: day(from), last: day(to), precision }
            }
            _ => return None,
        };
        Some((vec![mention], month.end))
    }

    /// An absolute time: a date, a month, a season, a year.
    fn absolute_time(&self, position: usize) -> Option<AbsoluteTime> {
        self.numeric(position)
            .or_else(|| self.day_and_month(position))
            .or_else(|| self.month(position))
            .or_else(|| self.season(position))
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
            // day.
            let is_day_first = separator != "/" || first_number > 12;
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

    /// "7 May 2023", "the 7th of May", "May 7th, 2023".
    fn day_and_month(&self, position: usize) -> Option<AbsoluteTime> {
        let (day, month, mut end) = if let Some(day) = self.day_number(position) {
            let at = if self.word(position + 1) == "of" { position + 2 } else { position + 1 };
            (day, month_number(self.word(at))?, at + 1)
        } else {
            (self.day_number(position + 1)?, month_number(self.word(position))?, position + 2)
        };
        let year_at = if self.word(end) == "of" { end + 1 } else { end };
        let year = self.year(year_at);
        if year.is_some() {
            end = year_at + 1;
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
                end: at + 1,
            });
        }
        // "may", "march" and short forms are months only after a word that introduces a time.
        let before = position.checked_sub(1).map_or("", |before| self.word(before));
        let is_introduced = introduces_time(before) || matches!(before, "last" | "this" | "next");
        let is_ambiguous = word.len() <= 4 && !matches!(word, "june" | "july") || word == "march";
        if is_ambiguous
            && !(is_introduced
                && (self.is_capital(position)
                    || matches!(before, "in" | "of" | "during" | "since" | "until")))
        {
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
                end: at + 1,
            });
        }
        let before = position.checked_sub(1).map_or("", |before| self.word(before));
        if let (Some(today), "last" | "this" | "next" | "past") = (self.today, before) {
            let mut windows = (-2..=2)
                .filter_map(|years| season_window(today.year().checked_add(years)?, start_month));
            let chosen = match before {
                "last" | "past" => windows.rfind(|(_, last)| *last < today),
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
        let before = position.checked_sub(1).map_or("", |before| self.word(before));
        let is_introduced = introduces_time(before) || before == "year";
        let (first, last) = (date_of(year, 1, 1)?, date_of(year, 12, 31)?);
        let mention = DateMention::Window { first, last, precision: Precision::Year };
        is_introduced.then_some(AbsoluteTime { mention, end: position + 1 })
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
            "tomorrow" => return window(day(1)?, position + 1),
            "day" => {
                let days = match (self.word(position + 1), self.word(position + 2)) {
                    ("before", "yesterday") => -2,
                    ("after", "tomorrow") => 2,
                    _ => return None,
                };
                return window(day(days)?, position + 3);
            }
            "in" => return self.after_today(position + 1, today),
            "half" if self.word(position + 2) == "year" && self.word(position + 3) == "ago" => {
                let date = shift(today, Unit::Month, -6)?;
                let month = (date.first_of_month(), date.last_of_month(), Precision::Month);
                return window(month, position + 4);
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
        let unit = unit_of(next)?;
        let steps = match word {
            "last" | "past" | "previous" => -1,
            "next" => 1,
            "this" => 0,
            _ if matches!(unit, Unit::Weekday(_)) => self.steps_to_weekday(),
            _ => return None,
        };
        window(calendar_unit(today, unit, steps)?, position + 2)
    }

    /// "On Friday" is the last Friday, because questions to a memory are about the past, unless the
    /// question is in the present or the future: "What do I have on Friday?"
    fn steps_to_weekday(&self) -> i32 {
        const OTHERS: [&str; 16] = [
            "am", "are", "can", "could", "do", "does", "has", "have", "is", "shall", "should",
            "what's", "when's", "where's", "who's", "will",
        ];
        let is_past = self.lower.iter().any(|word| PAST.contains(&word.as_str()));
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

    /// "three weeks ago", "a month ago", "a couple of days ago".
    fn ago(&self, position: usize, today: Date) -> Option<AbsoluteTime> {
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
        let unit = unit_of(self.word(at))?;
        if self.word(at + 1) != "ago" {
            return None;
        }
        let date = shift(today, unit, -count)?;
        let (first, last) = match unit {
            Unit::Day | Unit::Weekday(_) => (date, date),
            Unit::Week | Unit::Weekend => (shift(date, Unit::Day, -3)?, shift(date, Unit::Day, 3)?),
            Unit::Month => (date.first_of_month(), date.last_of_month()),
            Unit::Year => (date.first_of_year(), date.last_of_year()),
        };
        Some(AbsoluteTime {
            mention: DateMention::Window { first, last, precision: precision_of(unit) },
            end: at + 2,
        })
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

    fn day_number(&self, position: usize) -> Option<i8> {
        let day = cardinal_or_ordinal(self.word(position)).filter(|day| (1..=31).contains(day))?;
        i8::try_from(day).ok()
    }

    fn bare_number(&self, position: usize) -> Option<i32> {
        self.word(position).parse().ok().filter(|number| (1..=1000).contains(number))
    }

    fn year(&self, position: usize) -> Option<i16> {
        let word = self.word(position);
        word.parse().ok().filter(|year| word.len() == 4 && (1000..=2999).contains(year))
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

/// The window from `day` to the day of `mention` in the same month.
fn with_first_day(mention: DateMention, day: i8) -> Option<DateMention> {
    match mention {
        DateMention::Window { last, precision: Precision::Day, .. } => {
            let first = Date::new(last.year(), last.month(), day).ok()?;
            (first < last).then_some(DateMention::Window {
                first,
                last,
                precision: Precision::Week,
            })
        }
        DateMention::EveryYear { last, precision: Precision::Day, .. } => {
            let first = MonthDay { day, ..last };
            (day < last.day).then_some(DateMention::EveryYear {
                first,
                last,
                precision: Precision::Week,
            })
        }
        _ => None,
    }
}

/// From the first day of one time to the last of another. A year given once applies to both.
fn range_between(from: DateMention, to: DateMention) -> Option<DateMention> {
    match (from, to) {
        (
            DateMention::Window { first, precision, .. },
            DateMention::Window { last, precision: other, .. },
        ) => (first <= last).then_some(DateMention::Window {
            first,
            last,
            precision: precision.max(other),
        }),
        (
            DateMention::EveryYear { first, precision, .. },
            DateMention::EveryYear { last, precision: other, .. },
        ) => Some(DateMention::EveryYear { first, last, precision: precision.max(other) }),
        (
            DateMention::EveryYear { first, precision, .. },
            DateMention::Window { last, precision: other, .. },
        ) => {
            let begin = Date::new(last.year(), first.month, 1).ok()?;
            let begin =
                Date::new(last.year(), first.month, first.day.min(begin.days_in_month())).ok()?;
            (begin <= last).then_some(DateMention::Window {
                first: begin,
                last,
                precision: precision.max(other),
            })
        }
        (DateMention::Window { .. }, DateMention::EveryYear { .. }) => None,
    }
}
