//! Ranges of time: "between March and May", "from the 3rd to the 10th of June", "since Monday",
//! "before 3 May 2026".
//!
//! An open range from an exact day names that day too: it fits best, because people mostly tell
//! close to a day what happened before or after it.

use jiff::civil::{Date, Weekday};

use super::super::calendar::{Unit, calendar_unit, shift, unit_of};
use super::super::dates::{DateMention, MonthDay, Precision, days_between};
use super::{Parser, Reading, opens_a_range};

/// Days since a time up to which everything of these days is meant: "since Monday".
const SINCE_DAYS_MAX: i32 = 31;

impl Parser<'_> {
    /// "between A and B", "from A to B", "3 to 7 May", "3 or 4 November".
    pub(super) fn range(&self, position: usize) -> Option<Reading> {
        let opener = self.word(position);
        let is_foreign_opener = self.is_foreign(position) && matches!(opener, "since" | "of");
        let opens = matches!(opener, "between" | "from") || is_foreign_opener;
        let start = if opens { self.past_articles(position + 1) } else { position };
        if let Some(days) = self.days_of_a_month(start, opens) {
            return Some(days);
        }
        if let Some(days) = self.month_and_days(start) {
            return Some(days);
        }
        if !opens {
            return None;
        }
        if let Some((from, to, end)) = self.two_weekdays(start) {
            return self.between_weekdays(start, (from, to), end);
        }
        let (from, from_end, is_from_relative) = self.any_time(start)?;
        if !self.is_joint(from_end) {
            return None;
        }
        let (to, end, is_to_relative) = self.any_time(self.past_joint(from_end))?;
        let mentions = vec![range_between(from, to)?];
        let is_relative = is_from_relative || is_to_relative;
        Some(Reading { mentions, end, is_relative, is_open: false })
    }

    /// A word between the ends of a range. Of other languages also those for "in" and "at": "du
    /// 3 au 10".
    fn is_joint(&self, at: usize) -> bool {
        match self.word(at) {
            "to" | "until" | "till" | "through" | "and" => true,
            "in" | "at" => self.is_foreign(at),
            _ => false,
        }
    }

    /// The word after a joint: "bis zum 10. Juni".
    fn past_joint(&self, at: usize) -> usize {
        let is_second = matches!(self.word(at + 1), "to" | "at") && self.is_foreign(at + 1);
        self.past_articles(at + 1 + usize::from(is_second))
    }

    /// "from 3 to 7 May", "3-7 May", "3 or 4 May": a bare day takes the month of the other end.
    fn days_of_a_month(&self, start: usize, opens: bool) -> Option<Reading> {
        let day = self.day_number(start)?;
        let after = self.past_ordinal_ending(start + 1);
        let joint = self.word(after);
        let is_dash = matches!(self.gap(after - 1).trim(), "-" | "–");
        let is_list = !opens && matches!(joint, "and" | "or");
        if !self.is_joint(after) && !is_dash && !is_list {
            return None;
        }
        let other = if is_dash { after } else { self.past_joint(after) };
        let time = self.day_and_month(other)?;
        let mentions = match is_list {
            true => vec![on_day(time.mention, day)?, time.mention],
            false => vec![with_first_day(time.mention, day)?],
        };
        Some(Reading::of(mentions, time.end))
    }

    /// "June 3 to 10".
    fn month_and_days(&self, start: usize) -> Option<Reading> {
        let from = self.day_and_month(start)?;
        let is_dash = matches!(self.gap(from.end - 1).trim(), "-" | "–");
        let at = match self.word(from.end) {
            "to" | "until" | "till" | "through" => self.past_joint(from.end),
            _ if is_dash => from.end,
            _ => return None,
        };
        let day = self.day_number(at)?;
        let end = at + 1;
        if self.day_and_month(at).is_some() || !self.is_followed_by_nothing(end) {
            return None;
        }
        let last = on_day(from.mention, day)?;
        Some(Reading::of(vec![as_week(range_between(from.mention, last)?)], end))
    }

    /// "Monday and Wednesday", and where they end.
    fn two_weekdays(&self, start: usize) -> Option<(Weekday, Weekday, usize)> {
        let weekday = |at: usize| match unit_of(self.word(at)) {
            Some(Unit::Weekday(weekday)) => Some(weekday),
            _ => None,
        };
        let from = weekday(start).filter(|_| self.is_joint(start + 1))?;
        let end = self.past_joint(start + 1);
        Some((from, weekday(end)?, self.end_of_clock(end + 1)))
    }

    /// "between Monday and Wednesday": the last ones, or the coming ones.
    fn between_weekdays(
        &self,
        start: usize,
        (from, to): (Weekday, Weekday),
        end: usize,
    ) -> Option<Reading> {
        let today = self.today?;
        // "Who works from Monday to Friday?"
        let is_of_one_week = self.before(start) == "between"
            || self.is_foreign(start)
            || self.is_about_the_past()
            || self.has_word("will");
        if !is_of_one_week {
            return None;
        }
        let (first, last) = match self.steps_to_weekday() {
            1 => {
                let first = nth(today, 1, from)?;
                (first, nth(first, 1, to)?)
            }
            _ => {
                let last = nth(today.tomorrow().ok()?, -1, to)?;
                (nth(last, -1, from)?, last)
            }
        };
        let mention = DateMention::Window { first, last, precision: Precision::Week };
        Some(Reading::relative(mention, end))
    }

    /// "since A", "before A", "by A", "until A", "after A".
    pub(super) fn open_range(&self, position: usize) -> Option<Reading> {
        let opener = self.word(position);
        if !opens_a_range(opener) {
            return None;
        }
        // "antes del 3 de mayo"
        let is_of = self.word(position + 1) == "of" && self.is_foreign(position + 1);
        let next = position + 1 + usize::from(is_of);
        let start = self.past_articles(next);
        // "The day before yesterday", "by Monday" are not ranges.
        let follows_unit = unit_of(self.before(position)).is_some();
        let plain = || {
            let time = self.part(next).or_else(|| self.absolute_time(next))?;
            Some((time.mention, time.end, false))
        };
        let any =
            || self.any_time(start).filter(|(.., is_relative)| !is_relative || opener != "by");
        let (mention, end, is_relative) = match follows_unit || opener == "by" {
            true => plain()?,
            false => plain().or_else(any)?,
        };
        let reading = |mentions, is_open| Some(Reading { mentions, end, is_relative, is_open });
        match mention {
            DateMention::Window {
                first,
                last,
                precision: Precision::Month | Precision::Season | Precision::Year,
            } => reading(vec![open_window(opener, first, last)?], true),
            DateMention::Window { first, last, .. } => {
                let is_recent = self.today.is_some_and(|today| {
                    first <= today && days_between(first, today) <= SINCE_DAYS_MAX
                });
                if let Some(today) = self.today.filter(|_| opener == "since" && is_recent) {
                    let precision = Precision::Week;
                    let window = DateMention::Window { first, last: today, precision };
                    return reading(vec![window], false);
                }
                // "After the 3 May release" is about the release.
                let is_range = opener != "by"
                    && (opener == "since" || self.is_followed_by_nothing(end))
                    && !self.ends_in_possessive(end);
                let open = open_window(opener, first, last).filter(|_| is_range);
                reading(std::iter::once(mention).chain(open).collect(), true)
            }
            DateMention::EveryYear { first, last, .. } => {
                let latest = || self.latest(first, last);
                let open = match opener {
                    "since" => latest(),
                    "after" if self.is_followed_by_nothing(end) => latest(),
                    _ => None,
                };
                let open = open.and_then(|(first, last)| open_window(opener, first, last));
                reading(std::iter::once(mention).chain(open).collect(), true)
            }
        }
    }

    /// The last of the days of every year that are not to come.
    fn latest(&self, first: MonthDay, last: MonthDay) -> Option<(Date, Date)> {
        let today = self.today?;
        let of = |year: i16| Some((first.in_year(year)?, last.in_year(year)?));
        let this = of(today.year()).filter(|(first, _)| *first <= today);
        this.or_else(|| of(today.year().checked_sub(1)?)).filter(|(first, last)| first <= last)
    }

    /// A time as the end of a range, where it ends, and whether it is relative to the asker's day.
    pub(super) fn any_time(&self, position: usize) -> Option<(DateMention, usize, bool)> {
        let at = self.past_articles(position);
        if let Some((mention, end)) = self.scoped(at) {
            return Some((mention, end, true));
        }
        if let Some(time) = self.part(at).or_else(|| self.absolute_time(at)) {
            return Some((time.mention, time.end, false));
        }
        let today = self.today?;
        if self.picks_a_time(at) {
            let time = self.absolute_time(at + 1)?;
            return Some((time.mention, time.end, true));
        }
        if let Some(time) = self.relative(at) {
            return Some((time.mention, self.end_of_clock(time.end), true));
        }
        let unit = unit_of(self.word(at))?;
        let steps = match unit {
            Unit::Weekday(_) if self.steps_to_weekday() < 0 => -1,
            Unit::Weekend if self.before(at) == "the" || self.is_foreign(at) => -1,
            _ => return None,
        };
        let (first, last, precision) = calendar_unit(today, unit, steps)?;
        let end = self.end_of_clock(at + 1);
        Some((DateMention::Window { first, last, precision }, end, true))
    }
}

fn nth(day: Date, count: i32, weekday: Weekday) -> Option<Date> {
    day.nth_weekday(count, weekday).ok()
}

/// What is before, since or after the days from `first` to `last`.
fn open_window(opener: &str, first: Date, last: Date) -> Option<DateMention> {
    let (first, last) = match opener {
        "since" => (first, Date::MAX),
        "after" => (shift(last, Unit::Day, 1)?, Date::MAX),
        "before" => (Date::MIN, shift(first, Unit::Day, -1)?),
        _ => (Date::MIN, last),
    };
    Some(DateMention::Window { first, last, precision: Precision::Year })
}

/// Another day of the month of `mention`.
fn on_day(mention: DateMention, day: i8) -> Option<DateMention> {
    match mention {
        DateMention::Window { first, precision: precision @ Precision::Day, .. } => {
            let first = Date::new(first.year(), first.month(), day).ok()?;
            Some(DateMention::Window { first, last: first, precision })
        }
        DateMention::EveryYear { first, precision: precision @ Precision::Day, .. } => {
            let first = MonthDay { day, ..first };
            Some(DateMention::EveryYear { first, last: first, precision })
        }
        _ => None,
    }
}

/// The window from `day` to the day of `mention` in the same month.
fn with_first_day(mention: DateMention, day: i8) -> Option<DateMention> {
    let is_before = match mention {
        DateMention::Window { last, .. } => day < last.day(),
        DateMention::EveryYear { last, .. } => day < last.day,
    };
    let first = on_day(mention, day).filter(|_| is_before)?;
    range_between(first, mention).map(as_week)
}

/// A few days of a month.
fn as_week(mention: DateMention) -> DateMention {
    let precision = Precision::Week;
    match mention {
        DateMention::Window { first, last, .. } => DateMention::Window { first, last, precision },
        DateMention::EveryYear { first, last, .. } => {
            DateMention::EveryYear { first, last, precision }
        }
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
