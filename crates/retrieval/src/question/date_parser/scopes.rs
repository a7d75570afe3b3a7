//! A time within a longer one: "August last year", "last week on Tuesday", "the 3rd of last
//! month", "a year ago today".
//!
//! The shorter time alone would be that of any year or of the last days, and the longer one would
//! find everything in it, so both together are one time.

use jiff::civil::{Date, Weekday};

use super::super::calendar::{Unit, calendar_unit, season_start, season_window, shift, unit_of};
use super::super::dates::{DateMention, MonthDay, Precision};
use super::{Parser, day_window};
use crate::text::time_expressions::month_number;

/// Days around "this time last year".
const AROUND_DAYS: i32 = 3;

/// A year, a month or a week relative to the asker's day.
pub(super) struct Scope {
    pub(super) first: Date,
    pub(super) unit: Unit,
    /// How many units it is away.
    steps: i32,
    pub(super) end: usize,
}

/// What is looked for in a scope.
enum Target {
    /// Days of a year.
    OfYear(MonthDay, MonthDay, Precision),
    /// A season, by its first month.
    Season(i8),
    Weekday(Weekday),
    DayOfMonth(i8),
    /// The asker's day, so many units away.
    Today,
    /// The days around that.
    ThisTime,
}

impl Parser<'_> {
    /// A time in a scope, and where it ends.
    pub(super) fn scoped(&self, position: usize) -> Option<(DateMention, usize)> {
        let today = self.today?;
        self.scope_before(position, today).or_else(|| self.scope_after(position, today))
    }

    /// "last year in August", "last week on Tuesday", "a year ago today".
    fn scope_before(&self, position: usize, today: Date) -> Option<(DateMention, usize)> {
        let scope = self.scope(position, today)?;
        // "Last year's summer house" is a house.
        let at = self.past_link(scope.end).filter(|_| !self.ends_in_possessive(scope.end))?;
        let (target, end) = self.target(at)?;
        // "Last year May came": only a word that introduces a time makes a month of these.
        let is_name = matches!(self.word(at), "may" | "march") && !self.is_foreign(at);
        if is_name && !matches!(self.before(at), "in" | "of" | "during") {
            return None;
        }
        Some((place(target, &scope, today)?, end))
    }

    /// "in August last year", "Tuesday evening last week", "the 3rd of last month".
    fn scope_after(&self, position: usize, today: Date) -> Option<(DateMention, usize)> {
        let at = match self.word(position) {
            "in" | "on" | "during" | "the" => self.past_articles(position + 1),
            _ => position,
        };
        let (target, end) = self.target(at)?;
        let at = self.past_link(end)?;
        let scope = self.scope(at, today)?;
        Some((place(target, &scope, today)?, scope.end))
    }

    /// The word after those that join a time and its scope; `None` where a sentence ends.
    fn past_link(&self, end: usize) -> Option<usize> {
        let mut at = end;
        while matches!(self.word(at), "in" | "on" | "of" | "at") {
            at += 1;
        }
        let at = self.past_articles(at);
        let is_joined = (end..at + 1).all(|word| {
            let gap = word.checked_sub(1).map_or("", |before| self.gap(before));
            !gap.contains(['.', '?', '!', ';', ':'])
        });
        is_joined.then_some(at)
    }

    /// "last year", "this month", "two weeks ago", "the year before last".
    pub(super) fn scope(&self, position: usize, today: Date) -> Option<Scope> {
        let at = self.past_articles(position);
        let (unit, steps, end) =
            self.picked_unit(at).or_else(|| self.before_last(at)).or_else(|| {
                let (count, unit, end) = self.count_ago(at)?;
                Some((unit, count.checked_neg()?, end))
            })?;
        if !matches!(unit, Unit::Week | Unit::Month | Unit::Year) {
            return None;
        }
        let (first, ..) = calendar_unit(today, unit, steps)?;
        Some(Scope { first, unit, steps, end })
    }

    fn picked_unit(&self, at: usize) -> Option<(Unit, i32, usize)> {
        let steps = match self.word(at) {
            "last" | "past" | "previous" => -1,
            "this" => 0,
            "next" => 1,
            _ => return None,
        };
        Some((unit_of(self.word(at + 1))?, steps, at + 2))
    }

    /// "week before last", "penultimate week".
    pub(super) fn before_last(&self, at: usize) -> Option<(Unit, i32, usize)> {
        if self.word(at) == "penultimate" {
            return Some((unit_of(self.word(at + 1))?, -2, at + 2));
        }
        let unit = unit_of(self.word(at))?;
        let is_before_last = self.word(at + 1) == "before" && self.word(at + 2) == "last";
        // "The week before last Christmas", "the day before last Friday".
        let next = self.word(at + 3);
        let is_another = unit_of(next).is_some()
            || month_number(next).is_some()
            || season_start(next).is_some()
            || !self.is_followed_by_nothing(at + 3);
        (is_before_last && !is_another).then_some((unit, -2, at + 3))
    }

    /// What a scope may hold, and where it ends.
    fn target(&self, at: usize) -> Option<(Target, usize)> {
        let word = self.word(at);
        if word == "today" {
            return Some((Target::Today, at + 1));
        }
        if word == "this" && self.word(at + 1) == "time" {
            return Some((Target::ThisTime, at + 2));
        }
        if let Some(Unit::Weekday(weekday)) = unit_of(word) {
            return Some((Target::Weekday(weekday), self.end_of_clock(at + 1)));
        }
        if let Some(start_month) = season_start(word) {
            let is_verb = matches!(word, "fall" | "spring") && !self.is_foreign(at);
            let is_introduced = matches!(self.before(at), "in" | "the" | "of" | "during" | "over");
            return (!is_verb || is_introduced).then_some((Target::Season(start_month), at + 1));
        }
        let of_year = self.part(at).or_else(|| self.day_and_month(at)).or_else(|| self.month(at));
        if let Some(time) = of_year {
            return match time.mention {
                DateMention::EveryYear { first, last, precision } => {
                    Some((Target::OfYear(first, last, precision), time.end))
                }
                DateMention::Window { .. } => None,
            };
        }
        // "May last year", without a word that introduces a time.
        let is_month = self.is_capital(at) || self.is_foreign(at);
        if let Some(month) = month_number(word).filter(|_| is_month) {
            let (first, last) = (MonthDay { month, day: 1 }, MonthDay { month, day: 31 });
            return Some((Target::OfYear(first, last, Precision::Month), at + 1));
        }
        let is_ordinal = self.is_ordinal(at) || self.is_foreign_number(at);
        let day = self.day_number(at).filter(|_| is_ordinal)?;
        Some((Target::DayOfMonth(day), at + 1))
    }
}

fn place(target: Target, scope: &Scope, today: Date) -> Option<DateMention> {
    let year = scope.first.year();
    Some(match (target, scope.unit) {
        (Target::OfYear(first, last, precision), Unit::Year) => {
            let (first, end) = (first.in_year(year)?, last.in_year(year)?);
            let last = if end < first { last.in_year(year.checked_add(1)?)? } else { end };
            DateMention::Window { first, last, precision }
        }
        (Target::Season(start_month), Unit::Year) => {
            let (first, last) = season_window(year, start_month)?;
            DateMention::Window { first, last, precision: Precision::Season }
        }
        (Target::Weekday(weekday), Unit::Week) => {
            let days = i32::from(weekday.to_monday_zero_offset());
            day_window(shift(scope.first, Unit::Day, days)?)
        }
        (Target::DayOfMonth(day), Unit::Month) => {
            day_window(Date::new(year, scope.first.month(), day).ok()?)
        }
        (Target::Today, unit) if scope.steps < 0 => day_window(shift(today, unit, scope.steps)?),
        (Target::ThisTime, unit) if scope.steps != 0 => {
            let day = shift(today, unit, scope.steps)?;
            let (first, last) =
                (shift(day, Unit::Day, -AROUND_DAYS)?, shift(day, Unit::Day, AROUND_DAYS)?);
            DateMention::Window { first, last, precision: Precision::Week }
        }
        _ => return None,
    })
}
