//! Parts of months and years: "early May", "the end of last year", "the first quarter of 2026",
//! "Q2 2026", "the second half of 2025".

use jiff::civil::Date;

use super::super::calendar::{Unit, date_of};
use super::super::dates::{DateMention, MonthDay, Precision};
use super::{AbsoluteTime, Parser, introduces_time};

/// A part, of a year as its months and of a month as its days.
#[derive(Clone, Copy)]
struct Part {
    months: Option<(i8, i8)>,
    days: Option<(i8, i8)>,
    /// It is a time without a year too: "Q2".
    stands_alone: bool,
}

impl Part {
    const fn of_both(months: (i8, i8), days: (i8, i8)) -> Self {
        Self { months: Some(months), days: Some(days), stands_alone: false }
    }

    const fn of_month(first: i8, last: i8) -> Self {
        Self { months: None, days: Some((first, last)), stands_alone: false }
    }

    const fn quarter(number: i8, stands_alone: bool) -> Self {
        Self { months: Some((3 * number - 2, 3 * number)), days: None, stands_alone }
    }
}

impl Parser<'_> {
    /// The part of a month or year that begins at `position`.
    pub(super) fn part(&self, position: usize) -> Option<AbsoluteTime> {
        let (part, named) = self.part_name(position)?;
        let mut at = named;
        // "Did the lease end in May?", "Who was late in May?"
        let is_verb =
            matches!(self.word(position), "end" | "late" | "early") && !self.is_foreign(position);
        while self.word(at) == "of" || !is_verb && matches!(self.word(at), "in" | "for") {
            at += 1;
        }
        at = self.past_articles(at);
        if let Some((months, (year, is_fixed, end))) = part.months.zip(self.year_of_part(at)) {
            let mention = months_of(year, months)?;
            // "At the end of the year" was that of last year.
            let is_to_come = !is_fixed && self.steps_to_weekday() < 0 && self.is_later(mention);
            let mention =
                if is_to_come { months_of(year.checked_sub(1)?, months)? } else { mention };
            return Some(AbsoluteTime { mention, end });
        }
        if let Some((days, (first, end))) = part.days.zip(self.month_of_part(at)) {
            return Some(AbsoluteTime { mention: days_of(first, days)?, end });
        }
        if let Some((days, month)) = part.days.zip(self.absolute_time(at)) {
            let mention = match month.mention {
                DateMention::Window { first, precision: Precision::Month, .. } => {
                    days_of(first, days)?
                }
                DateMention::EveryYear {
                    first: MonthDay { month, .. },
                    precision: Precision::Month,
                    ..
                } => {
                    let day = |day| MonthDay { month, day };
                    let (first, last) = (day(days.0), day(days.1));
                    DateMention::EveryYear { first, last, precision: Precision::Week }
                }
                _ => return None,
            };
            return Some(AbsoluteTime { mention, end: month.end });
        }
        // "Q1 of the survey" is a question.
        let is_introduced = introduces_time(self.before(position))
            || matches!(self.before(position), "for" | "last" | "this" | "next");
        let (first, last) = part.months.filter(|_| part.stands_alone && is_introduced)?;
        let mention = DateMention::EveryYear {
            first: MonthDay { month: first, day: 1 },
            last: MonthDay { month: last, day: 31 },
            precision: Precision::Season,
        };
        Some(AbsoluteTime { mention, end: named })
    }

    /// The name of a part, and where it ends.
    fn part_name(&self, position: usize) -> Option<(Part, usize)> {
        let next = self.word(position + 1);
        let number = self.part_number(position);
        let of_one_word = match self.word(position) {
            // "When did you start in May?"
            "start" if next == "in" && !self.is_foreign(position) => return None,
            "beginning" | "start" => Part::of_both((1, 2), (1, 10)),
            "early" => Part::of_both((1, 3), (1, 10)),
            "middle" | "mid" => Part::of_both((5, 8), (10, 20)),
            "end" => Part::of_both((11, 12), (20, 31)),
            "late" => Part::of_both((10, 12), (20, 31)),
            "q1" => Part::quarter(1, true),
            "q2" => Part::quarter(2, true),
            "q3" => Part::quarter(3, true),
            "q4" => Part::quarter(4, true),
            "last" if next == "week" && self.word(position + 2) == "of" => {
                return Some((Part::of_month(24, 31), position + 2));
            }
            _ => {
                let part = match (next, number?) {
                    ("half", 1) => Part::of_both((1, 6), (1, 15)),
                    ("half", 2) => Part::of_both((7, 12), (15, 31)),
                    ("quarter", number @ 1..=4) => Part::quarter(number, false),
                    ("week", number @ 1..=3) => Part::of_month(7 * number - 6, 7 * number),
                    _ => return None,
                };
                return Some((part, position + 2));
            }
        };
        Some((of_one_word, position + 1))
    }

    /// "first", "2nd" of "the 2nd half"; "last" of "the last quarter of 2025".
    fn part_number(&self, position: usize) -> Option<i8> {
        Some(match self.word(position) {
            "first" => 1,
            "second" => 2,
            "third" => 3,
            "fourth" => 4,
            "last" if self.word(position + 1) == "quarter" => 4,
            _ => self.day_number(position)?,
        })
    }

    /// The year of a part, whether the words fix it, and where it ends: "2026", "last year", "the
    /// year".
    fn year_of_part(&self, at: usize) -> Option<(i16, bool, usize)> {
        if let Some(year) = self.year(at) {
            return Some((year, true, self.past_year_word(at + 1)));
        }
        let today = self.today?;
        if let Some(scope) = self.scope(at, today) {
            return (scope.unit == Unit::Year).then_some((scope.first.year(), true, scope.end));
        }
        (self.is_the(at, "year")).then_some((today.year(), false, at + 1))
    }

    /// The first day of the month of a part: "last month", "the month".
    fn month_of_part(&self, at: usize) -> Option<(Date, usize)> {
        let today = self.today?;
        if let Some(scope) = self.scope(at, today) {
            return (scope.unit == Unit::Month).then_some((scope.first, scope.end));
        }
        (self.is_the(at, "month")).then_some((today.first_of_month(), at + 1))
    }

    /// Whether `unit` at `at` stands for the present one: "of the year".
    fn is_the(&self, at: usize, unit: &str) -> bool {
        self.word(at) == unit && (self.before(at) == "the" || self.is_foreign(at))
    }

    fn is_later(&self, mention: DateMention) -> bool {
        match mention {
            DateMention::Window { first, .. } => self.today.is_some_and(|today| first > today),
            DateMention::EveryYear { .. } => false,
        }
    }

    /// "2025-11", "11/2025", "11.2025".
    pub(super) fn month_in_numbers(&self, position: usize) -> Option<AbsoluteTime> {
        let word = self.word(position);
        let (month, year, end) = if let Some((month, year)) = word.split_once('.') {
            (month, year, position + 1)
        } else {
            let next = self.word(position + 1);
            match (self.gap(position), word.len(), next.len()) {
                ("-" | "/", 4, 2) => (next, word, position + 2),
                ("/", 1 | 2, 4) => (word, next, position + 2),
                _ => return None,
            }
        };
        // A third number makes it something else.
        let joins = |gap: &str| matches!(gap, "-" | "/" | ".");
        let is_longer = joins(self.gap(end - 1))
            || position.checked_sub(1).is_some_and(|before| joins(self.gap(before)));
        // "Invoice 2025-03", "the rate 1.1950" and "build 7.2024" are other numbers.
        let is_introduced = position == 0 || introduces_time(self.before(position));
        let is_decimal = end == position + 1 && month.len() != 2;
        if is_longer || !is_introduced || is_decimal || month.len() > 2 || year.len() != 4 {
            return None;
        }
        let year = year.parse().ok().filter(|year| (1900..=2199).contains(year))?;
        let first = date_of(year, month.parse().ok()?, 1)?;
        let (last, precision) = (first.last_of_month(), Precision::Month);
        Some(AbsoluteTime { mention: DateMention::Window { first, last, precision }, end })
    }
}

/// Months of a year.
fn months_of(year: i16, (from, to): (i8, i8)) -> Option<DateMention> {
    let first = Date::new(year, from, 1).ok()?;
    let last = Date::new(year, to, 1).ok()?.last_of_month();
    Some(DateMention::Window { first, last, precision: Precision::Season })
}

/// Days of the month of `first`.
fn days_of(first: Date, (from, to): (i8, i8)) -> Option<DateMention> {
    let day = |day: i8| Date::new(first.year(), first.month(), day.min(first.days_in_month())).ok();
    let (first, last) = (day(from)?, day(to)?);
    Some(DateMention::Window { first, last, precision: Precision::Week })
}
