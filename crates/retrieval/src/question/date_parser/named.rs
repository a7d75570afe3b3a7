//! Days by a name or by their number alone: "on the 3rd", "Friday the 13th", "at Christmas",
//! "5/1/2026"; units before the last one; and "recently".

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::super::calendar::{Unit, calendar_unit, easter, shift, unit_of};
use super::super::dates::{DateMention, MonthDay, Precision};
use super::{AbsoluteTime, Parser, Reading, day_window};

/// Months in which a weekday of a number is looked for: each of them comes within 14 months,
/// but for the last days of months.
const MONTHS_OF_WEEKDAY: i32 = 48;
/// Months in which a day of a number is looked for.
const MONTHS_OF_DAY: i32 = 3;
/// Days that are meant by "recently".
const RECENT_DAYS: i32 = 28;

/// Articles before a day in other languages.
const DATE_ARTICLES: [&str; 6] = ["dem", "den", "el", "il", "le", "o"];

/// A holiday, by its first and last day, or the days around Easter.
#[derive(Clone, Copy)]
enum Holiday {
    Fixed((i8, i8), (i8, i8)),
    Easter,
}

impl Parser<'_> {
    /// A day by its name or number, or another time that has no month.
    pub(super) fn named(&self, position: usize) -> Option<Reading> {
        self.weekday_and_day(position)
            .or_else(|| self.day_of_month(position))
            .or_else(|| self.either_day(position))
            .or_else(|| self.unit_before_last(position))
            .or_else(|| self.recent(position))
    }

    /// "Friday the 13th" is a day that is both; of "Friday, 13 November" the date is enough.
    fn weekday_and_day(&self, position: usize) -> Option<Reading> {
        let at = position + usize::from(self.word(position) == "on");
        let Some(Unit::Weekday(weekday)) = unit_of(self.word(at)) else { return None };
        let number = self.past_articles(at + 1);
        if let Some(time) = self.numeric(number).or_else(|| self.day_and_month(number)) {
            return Some(Reading::of(vec![time.mention], time.end));
        }
        let day = self.day_number(number)?;
        let end = self.past_ordinal_ending(number + 1);
        let is_day = self.is_ordinal(number) || number > at + 1 || self.is_foreign_number(number);
        if !is_day || !self.is_followed_by_nothing(end) {
            return None;
        }
        let date = self.date_with(MONTHS_OF_WEEKDAY, |first| {
            on_day(first, day).filter(|date| date.weekday() == weekday)
        })?;
        Some(Reading::relative(day_window(date), end))
    }

    /// "on the 3rd", "am 3.", "el día 3", "3-го числа".
    fn day_of_month(&self, position: usize) -> Option<Reading> {
        let is_introduced = self.word(position) == "on"
            || self.is_foreign(position)
                && (self.word(position) == "day" || self.is_article(position));
        let mut at = self.past_articles(position + usize::from(is_introduced));
        if self.word(at) == "day" && self.is_foreign(at) {
            at += 1;
        }
        let end = self.past_ordinal_ending(at + 1);
        if self.word(end) == "date" && self.is_foreign(end) {
            let (date, _) = self.bare_day(at)?;
            return Some(Reading::relative(day_window(date), end + 1));
        }
        let (date, end) = self.bare_day(at).filter(|_| is_introduced && at > position)?;
        Some(Reading::relative(day_window(date), end))
    }

    /// "3rd" of "on the 3rd": the last such day, or the coming one.
    pub(super) fn bare_day(&self, at: usize) -> Option<(Date, usize)> {
        let is_part_of_number =
            matches!(self.gap(at), "/" | ":" | "-") && self.past_ordinal_ending(at + 1) == at + 1;
        let is_alone = !is_part_of_number && self.day_and_month(at).is_none();
        let day = self.day_number(at).filter(|_| is_alone)?;
        let end = self.past_ordinal_ending(at + 1);
        let is_marked = self.is_ordinal(at) && self.before(at) == "the";
        let is_day = match is_marked {
            // "On the 3rd of each month" means many days.
            true => {
                let next = self.word(end);
                self.is_followed_by_nothing(end) && unit_of(next).is_none() && next != "of"
            }
            false => self.is_foreign_number(at) && self.is_day_before(at, end),
        };
        let date =
            is_day.then(|| self.date_with(MONTHS_OF_DAY, |first| on_day(first, day))).flatten()?;
        Some((date, end))
    }

    /// Whether the words around the number at `at`, whose end is `end`, make it a day in another
    /// language: "am 3.", "am 3. gegessen", "el día 3", "le 3" at the end, but not "am 3. Tor",
    /// "an 3 Tagen", "los 3", "le 3 pièces".
    fn is_day_before(&self, at: usize, end: usize) -> bool {
        let next = self.word(end);
        if unit_of(next).is_some() || next == "date" {
            return next == "date";
        }
        let is_in_text = end < self.lower.len();
        // A full stop before a word makes a German ordinal.
        let is_stop = is_in_text && self.gap(end - 1).trim() == ".";
        let is_last = self.is_at_end(end) && !is_stop;
        let before = at.checked_sub(1);
        let has_article =
            before.is_some_and(|before| DATE_ARTICLES.iter().any(|own| self.is_own(before, own)));
        if has_article {
            return is_last;
        }
        let opener = (0..at).rev().find(|before| !self.is_article(*before));
        let is_introduced = opener.is_some_and(|at| matches!(self.word(at), "on" | "day"));
        let is_before_verb = is_stop && !self.is_capital(end);
        is_introduced && (is_last || is_before_verb || !is_stop && !next.is_empty())
    }

    /// The day that `of_month` finds in the nearest month before the asker's day, or after it in a
    /// question for what is to come.
    fn date_with(&self, months: i32, of_month: impl Fn(Date) -> Option<Date>) -> Option<Date> {
        let today = self.today?;
        let step = self.steps_to_weekday();
        let is_there = |date: &Date| if step < 0 { *date <= today } else { *date >= today };
        (0..months).find_map(|count| {
            let first = today.first_of_month().checked_add((count * step).months()).ok()?;
            of_month(first).filter(is_there)
        })
    }

    /// "5/1/2026" is 5 January or 1 May.
    fn either_day(&self, position: usize) -> Option<Reading> {
        let (first, second, year) = self.slashed(position)?;
        let day = |month: i16, day: i16| super::date_of(year, month, day).map(day_window);
        Some(Reading::of(vec![day(first, second)?, day(second, first)?], position + 3))
    }

    /// "am 1.5.", "on 01.05.": a full stop ends the month too, and a word before introduces a day.
    pub(super) fn dotted_day(&self, position: usize) -> Option<AbsoluteTime> {
        let (day, month) = self.word(position).split_once('.')?;
        let number = |text: &str| text.parse::<i8>().ok().filter(|_| text.len() <= 2);
        let (day, month) = (number(day)?, number(month)?);
        let is_introduced = matches!(
            self.before(position),
            "on" | "since" | "until" | "from" | "to" | "before" | "after" | "between" | "and"
        );
        let ends_in_stop = self.text_after(position).starts_with('.');
        // A leap year has every possible day.
        let is_day = super::date_of(2024, month.into(), day.into()).is_some();
        let day = MonthDay { month, day };
        (is_introduced && ends_in_stop && is_day).then_some(AbsoluteTime {
            mention: DateMention::EveryYear { first: day, last: day, precision: Precision::Day },
            end: position + 1,
        })
    }

    /// "the weekend before last".
    fn unit_before_last(&self, position: usize) -> Option<Reading> {
        let at = self.past_articles(position);
        let (unit, steps, end) = self.before_last(at)?;
        let (first, last, precision) = match unit {
            Unit::Day => return None,
            Unit::Weekday(_) => {
                let (last, ..) = calendar_unit(self.today?, unit, -1)?;
                let day = shift(last, Unit::Week, -1)?;
                (day, day, Precision::Day)
            }
            _ => calendar_unit(self.today?, unit, steps)?,
        };
        Some(Reading::relative(DateMention::Window { first, last, precision }, end))
    }

    /// "recently", "in recent weeks", "in the last days".
    fn recent(&self, position: usize) -> Option<Reading> {
        let today = self.today?;
        let unit = || unit_of(self.word(position + 1)).filter(|_| self.is_plural(position + 1));
        let end = position + 2;
        let (days, precision, end) = match self.word(position) {
            // "Most recently" asks for the last time.
            "recently" | "lately" if self.before(position) != "most" => {
                (RECENT_DAYS, Precision::Month, position + 1)
            }
            // "The last days of the war" are others.
            "recent" | "last" | "past" if self.word(position + 2) != "of" => match unit()? {
                Unit::Day => (7, Precision::Week, end),
                Unit::Week => (RECENT_DAYS, Precision::Month, end),
                Unit::Month => (92, Precision::Month, end),
                Unit::Weekend | Unit::Year | Unit::Weekday(_) => return None,
            },
            _ => return None,
        };
        let first = shift(today, Unit::Day, -days)?;
        let mention = DateMention::Window { first, last: today, precision };
        Some(Reading { mentions: vec![mention], end, is_relative: true, is_open: true })
    }

    /// Whether the time at `position` is "recently" or "recent weeks".
    pub(super) fn is_vague(&self, position: usize) -> bool {
        matches!(self.word(position), "recently" | "lately" | "recent")
    }

    pub(super) fn is_plural(&self, at: usize) -> bool {
        matches!(self.word(at), "days" | "weeks" | "months")
    }

    /// "Christmas 2025", "at Easter", "on New Year's Eve".
    pub(super) fn holiday(&self, position: usize) -> Option<AbsoluteTime> {
        let (holiday, named) = self.holiday_name(position)?;
        let year_at = named + usize::from(self.word(named) == "of");
        let before = self.before(position);
        if let Some(year) = self.year(year_at) {
            return holiday.in_year(year).map(|mention| AbsoluteTime { mention, end: year_at + 1 });
        }
        const INTRODUCTIONS: [&str; 18] = [
            "after", "and", "around", "at", "before", "between", "by", "during", "from", "in",
            "last", "next", "on", "over", "since", "this", "to", "until",
        ];
        // "A cidade natal" is that of one's birth, and people are called Noël.
        let is_ambiguous = ["natal", "natale", "noël"].iter().any(|own| self.is_own(position, own));
        let has_article = position.checked_sub(1).is_some_and(|before| self.is_article(before));
        let is_introduced = INTRODUCTIONS.contains(&before)
            || self.is_foreign(position) && (has_article || !is_ambiguous);
        if !is_introduced || !self.is_followed_by_nothing(named) {
            return None;
        }
        let every_year = match holiday {
            Holiday::Fixed(first, last) => Some(DateMention::EveryYear {
                first: MonthDay { month: first.0, day: first.1 },
                last: MonthDay { month: last.0, day: last.1 },
                precision: Precision::Day,
            }),
            Holiday::Easter => None,
        };
        let is_picked = matches!(before, "last" | "this" | "next");
        let mention = match every_year.filter(|_| !is_picked || self.today.is_none()) {
            Some(mention) => mention,
            None => self.holiday_near(holiday, before)?,
        };
        Some(AbsoluteTime { mention, end: named })
    }

    /// The last holiday, the next one, or that of this year.
    fn holiday_near(&self, holiday: Holiday, picked: &str) -> Option<DateMention> {
        let today = self.today?;
        let is_to_come = picked == "next" || picked != "last" && self.steps_to_weekday() > 0;
        let mut years: Vec<i16> =
            (-1..=1).filter_map(|more| today.year().checked_add(more)).collect();
        if picked == "this" {
            return holiday.in_year(today.year());
        }
        if !is_to_come {
            years.reverse();
        }
        years.into_iter().filter_map(|year| holiday.in_year(year)).find(|mention| match mention {
            DateMention::Window { last, .. } if is_to_come => *last >= today,
            DateMention::Window { first, .. } => *first <= today,
            DateMention::EveryYear { .. } => false,
        })
    }

    fn holiday_name(&self, position: usize) -> Option<(Holiday, usize)> {
        let next = self.word(position + 1);
        let last_day = Holiday::Fixed((12, 31), (12, 31));
        let first_day = Holiday::Fixed((1, 1), (1, 1));
        Some(match self.word(position) {
            "christmas" => {
                let is_longer = matches!(next, "eve" | "day");
                (Holiday::Fixed((12, 24), (12, 26)), position + 1 + usize::from(is_longer))
            }
            "easter" => (Holiday::Easter, position + 1),
            "hogmanay" => (last_day, position + 1),
            "newyear" => (first_day, position + 1),
            // "Новый год" is the night before it too.
            "new" if next == "year" && self.is_foreign(position) => {
                (Holiday::Fixed((12, 31), (1, 1)), position + 2)
            }
            "new" if matches!(next, "year's" | "year’s" | "years") => {
                match self.word(position + 2) {
                    "eve" => (last_day, position + 3),
                    "day" => (first_day, position + 3),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

impl Holiday {
    fn in_year(self, year: i16) -> Option<DateMention> {
        let (first, last) = match self {
            Self::Fixed(first, last) => {
                let last_year = if last.0 < first.0 { year.checked_add(1)? } else { year };
                let last = Date::new(last_year, last.0, last.1).ok()?;
                (Date::new(year, first.0, first.1).ok()?, last)
            }
            Self::Easter => {
                let sunday = easter(year)?;
                (shift(sunday, Unit::Day, -2)?, shift(sunday, Unit::Day, 1)?)
            }
        };
        Some(DateMention::Window { first, last, precision: Precision::Day })
    }
}

fn on_day(first: Date, day: i8) -> Option<Date> {
    Date::new(first.year(), first.month(), day).ok()
}

/// The weekday `count` times before `today`.
pub(super) fn weekdays_ago(today: Date, weekday: Weekday, count: i32) -> Option<Date> {
    today.nth_weekday(count.checked_neg()?, weekday).ok()
}
