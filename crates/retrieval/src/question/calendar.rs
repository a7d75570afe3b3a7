//! Windows of days relative to a day: the week before, last weekend, the Friday after, the season
//! that starts in a year.
//!
//! Weeks start on Monday; seasons are the northern meteorological ones. Windows outside the range
//! of dates are `None`.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::dates::{DateMention, Precision};

/// A calendar unit.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Day,
    Weekend,
    Week,
    Month,
    Year,
    Weekday(Weekday),
}

pub(super) fn date_of(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// "yesterday's" without its ending.
pub(super) fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// The unit that `word` names, also in the possessive ("next week's").
pub(super) fn unit_of(word: &str) -> Option<Unit> {
    Some(match without_possessive(word) {
        "day" | "days" => Unit::Day,
        "weekend" | "weekends" => Unit::Weekend,
        "week" | "weeks" => Unit::Week,
        "month" | "months" => Unit::Month,
        "year" | "years" => Unit::Year,
        "monday" => Unit::Weekday(Weekday::Monday),
        "tuesday" => Unit::Weekday(Weekday::Tuesday),
        "wednesday" => Unit::Weekday(Weekday::Wednesday),
        "thursday" => Unit::Weekday(Weekday::Thursday),
        "friday" => Unit::Weekday(Weekday::Friday),
        "saturday" => Unit::Weekday(Weekday::Saturday),
        "sunday" => Unit::Weekday(Weekday::Sunday),
        _ => return None,
    })
}

pub(super) fn precision_of(unit: Unit) -> Precision {
    match unit {
        Unit::Day | Unit::Weekday(_) => Precision::Day,
        Unit::Week | Unit::Weekend => Precision::Week,
        Unit::Month => Precision::Month,
        Unit::Year => Precision::Year,
    }
}

/// `date` shifted by whole units; a weekend or weekday counts as a week.
pub(super) fn shift(date: Date, unit: Unit, count: i32) -> Option<Date> {
    let span = match unit {
        Unit::Day => count.days(),
        Unit::Week | Unit::Weekend | Unit::Weekday(_) => count.weeks(),
        Unit::Month => count.months(),
        Unit::Year => count.years(),
    };
    date.checked_add(span).ok()
}

/// The calendar unit `steps` units away from the one that contains `today`. Weeks start on Monday.
pub(super) fn calendar_unit(
    today: Date,
    unit: Unit,
    steps: i32,
) -> Option<(Date, Date, Precision)> {
    let precision = precision_of(unit);
    let monday = shift(today, Unit::Day, -i32::from(today.weekday().to_monday_zero_offset()))?;
    Some(match unit {
        Unit::Day => {
            let day = shift(today, Unit::Day, steps)?;
            (day, day, precision)
        }
        Unit::Week => {
            let first = shift(monday, Unit::Week, steps)?;
            (first, shift(first, Unit::Day, 6)?, precision)
        }
        Unit::Weekend => {
            // On a Sunday, "last weekend" is the weekend of the week before; on a Wednesday, "this
            // weekend" is in the future.
            let saturday = shift(shift(monday, Unit::Week, steps)?, Unit::Day, 5)?;
            (saturday, shift(saturday, Unit::Day, 1)?, precision)
        }
        Unit::Month => {
            let day = shift(today.first_of_month(), Unit::Month, steps)?;
            (day, day.last_of_month(), precision)
        }
        Unit::Year => {
            let day = shift(today.first_of_year(), Unit::Year, steps)?;
            (day, day.last_of_year(), precision)
        }
        Unit::Weekday(weekday) => {
            let back = today.nth_weekday(-1, weekday).ok()?;
            let ahead = today.nth_weekday(1, weekday).ok()?;
            let day = if steps < 0 { back } else { ahead };
            (day, day, precision)
        }
    })
}

/// The window `count` units before `anchor`: the whole unit if `named` ("the week before"),
/// otherwise a day ("one week before").
pub(super) fn window_before(
    anchor: Date,
    unit: Unit,
    count: i32,
    named: bool,
) -> Option<DateMention> {
    let day_before = shift(anchor, Unit::Day, -1)?;
    let (first, last) = match unit {
        Unit::Weekday(weekday) => {
            let day = anchor.nth_weekday(-1, weekday).ok()?;
            (day, day)
        }
        Unit::Weekend => {
            let sunday = anchor.nth_weekday(-1, Weekday::Sunday).ok()?;
            (shift(sunday, Unit::Day, -1)?, sunday)
        }
        _ if named => (shift(anchor, unit, -count)?, day_before),
        Unit::Day | Unit::Week | Unit::Month | Unit::Year => {
            let day = shift(anchor, unit, -count)?;
            (day, day)
        }
    };
    Some(DateMention::Window {
        first,
        last,
        precision: if named { Precision::Week } else { precision_of(unit) },
    })
}

pub(super) fn window_after(
    anchor: Date,
    unit: Unit,
    count: i32,
    named: bool,
) -> Option<DateMention> {
    let day_after = shift(anchor, Unit::Day, 1)?;
    let (first, last) = match unit {
        Unit::Weekday(weekday) => {
            let day = anchor.nth_weekday(1, weekday).ok()?;
            (day, day)
        }
        Unit::Weekend => {
            let saturday = anchor.nth_weekday(1, Weekday::Saturday).ok()?;
            (saturday, shift(saturday, Unit::Day, 1)?)
        }
        _ if named => (day_after, shift(anchor, unit, count)?),
        Unit::Day | Unit::Week | Unit::Month | Unit::Year => {
            let day = shift(anchor, unit, count)?;
            (day, day)
        }
    };
    Some(DateMention::Window {
        first,
        last,
        precision: if named { Precision::Week } else { precision_of(unit) },
    })
}

/// The year of "last May", "this May", "next May".
pub(super) fn month_year(today: Date, month: i8, word: &str) -> Option<i16> {
    let this = today.year();
    match word {
        "last" if month < today.month() => Some(this),
        "last" => this.checked_sub(1),
        "next" if month > today.month() => Some(this),
        "next" => this.checked_add(1),
        _ => Some(this),
    }
}

/// The first month of a season (northern, meteorological).
pub(super) fn season_start(word: &str) -> Option<i8> {
    Some(match word {
        "spring" => 3,
        "summer" => 6,
        "fall" | "autumn" => 9,
        "winter" => 12,
        _ => return None,
    })
}

/// The season that starts in `year`.
pub(super) fn season_window(year: i16, start_month: i8) -> Option<(Date, Date)> {
    let first = Date::new(year, start_month, 1).ok()?;
    Some((first, first.checked_add(2.months()).ok()?.last_of_month()))
}

/// Easter Sunday, by the Gregorian computus (Meeus, Jones, Butcher).
pub(super) fn easter(year: i16) -> Option<Date> {
    let year_number = i32::from(year);
    if year_number < 1583 {
        return None;
    }
    let (a, b, c) = (year_number % 19, year_number / 100, year_number % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (b - (b + 8) / 25 + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let l = (32 + 2 * e + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let of_march = h + l - 7 * m + 22;
    Date::new(year, 3, 1).ok()?.checked_add((of_march - 1).days()).ok()
}
