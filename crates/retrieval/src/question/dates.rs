//! Times that a question names, and how well a record's date fits them.
//!
//! A time is a window of days with the precision of its wording. Without a year ("in May", "on 29
//! February") it is the same window in every year, and the one nearest to the record counts. People
//! talk about things when they happen and for some time after, so records soon after a window still
//! get part of the score. The numbers are those of the design of recall ("Who, when, what kind"):
//! same month 1, the next 0.4, × 0.5 beyond ten days. An exact day counts 1.5, so that a question
//! for a day finds that day first; the day after counts 1.4, because people tell the next day what
//! they did, and the day before 1.2.

use jiff::civil::Date;
use serde::{Serialize, Serializer};

/// The precision of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// A day, or a few specific days.
    Day,
    /// A week, a weekend, or a part of a month.
    Week,
    /// A month, or a few of them.
    Month,
    /// Three months.
    Season,
    /// A year or longer, or an open range.
    Year,
}

/// A day of every year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MonthDay {
    /// 1 … 12.
    pub month: i8,
    /// 1 … 31; the last day of the month if the month is shorter.
    pub day: i8,
}

impl MonthDay {
    pub(super) fn in_year(self, year: i16) -> Option<Date> {
        let first = Date::new(year, self.month, 1).ok()?;
        Date::new(year, self.month, self.day.min(first.days_in_month())).ok()
    }
}

/// A time that a question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DateMention {
    /// From `first` to `last`, both included.
    Window {
        /// The first day.
        #[serde(serialize_with = "as_text")]
        first: Date,
        /// The last day.
        #[serde(serialize_with = "as_text")]
        last: Date,
        /// Its precision.
        precision: Precision,
    },
    /// The same days in every year. If `last` is before `first`, it is in the following year.
    EveryYear {
        /// The first day.
        first: MonthDay,
        /// The last day.
        last: MonthDay,
        /// Its precision.
        precision: Precision,
    },
}

pub(super) fn as_text<S: Serializer>(date: &Date, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(date)
}

/// The most that a time can fit.
pub const FIT_MAX: f64 = 1.5;
/// Fit of a record on an exact day, or in an exact week.
const EXACT_DAY: f64 = FIT_MAX;
/// Fit of a record in a month, season or year.
pub(super) const INSIDE: f64 = 1.0;
/// Fit of a record on the day after.
const DAY_AFTER: f64 = 1.4;
/// Fit of a record on the day before.
const DAY_BEFORE: f64 = 1.2;
/// Factor for a record in the month of an exact day, but more than [`NEAR_DAYS`] from it.
const FAR_DAY_FACTOR: f64 = 0.5;
/// Fit of a record in the month after.
const NEXT_MONTH: f64 = 0.4;
const NEAR_DAYS: i32 = 10;
const MONTH_DAYS: i32 = 31;

impl DateMention {
    /// How well a record with `date` fits, 0 … 1.5.
    pub fn fit(&self, date: Date) -> f64 {
        match *self {
            Self::Window { first, last, precision } => fit_window(first, last, precision, date),
            Self::EveryYear { first, last, precision } => {
                // A window may start in the year before the record's, or in the year after.
                let years =
                    [date.year().checked_sub(1), Some(date.year()), date.year().checked_add(1)];
                let fits = years.into_iter().flatten().filter_map(|year| {
                    let start = first.in_year(year)?;
                    let end = last.in_year(year).filter(|end| *end >= start);
                    let end = end.or_else(|| last.in_year(year.checked_add(1)?))?;
                    Some(fit_window(start, end, precision, date))
                });
                fits.fold(0.0, f64::max)
            }
        }
    }

    /// How well a record inside the time fits.
    pub fn fit_inside(&self) -> f64 {
        let (Self::Window { precision, .. } | Self::EveryYear { precision, .. }) = self;
        if *precision <= Precision::Week { EXACT_DAY } else { INSIDE }
    }

    /// The window in its year, or in `near`'s year if it has none; for filters and display.
    pub fn window(&self, near: Date) -> Option<(Date, Date)> {
        match *self {
            Self::Window { first, last, .. } => Some((first, last)),
            Self::EveryYear { first, last, .. } => {
                let start = first.in_year(near.year())?;
                let end = last.in_year(near.year()).filter(|end| *end >= start);
                Some((start, end.or_else(|| last.in_year(near.year().checked_add(1)?))?))
            }
        }
    }
}

/// The best fit of `date` to any of the mentions; 0 without mentions.
pub fn date_fit(mentions: &[DateMention], date: Date) -> f64 {
    mentions.iter().map(|mention| mention.fit(date)).fold(0.0, f64::max)
}

fn fit_window(first: Date, last: Date, precision: Precision, date: Date) -> f64 {
    let before = days_between(date, first).max(0);
    let after = days_between(last, date).max(0);
    let distance = before.max(after);
    match precision {
        Precision::Day | Precision::Week => {
            let month = if is_month_of(first, last, date) {
                1.0
            } else if is_month_after(last, date) {
                NEXT_MONTH
            } else {
                0.0
            };
            match distance {
                ..=0 => EXACT_DAY,
                1 if after > 0 => DAY_AFTER,
                1 => DAY_BEFORE,
                2..=NEAR_DAYS => month,
                _ => month * FAR_DAY_FACTOR,
            }
        }
        Precision::Month if distance == 0 => INSIDE,
        Precision::Month if is_month_after(last, date) => NEXT_MONTH,
        Precision::Season | Precision::Year if distance == 0 => INSIDE,
        Precision::Season | Precision::Year if after > 0 && after <= MONTH_DAYS => NEXT_MONTH,
        Precision::Month | Precision::Season | Precision::Year => 0.0,
    }
}

fn is_month_of(first: Date, last: Date, date: Date) -> bool {
    let month = (date.year(), date.month());
    (first.year(), first.month()) <= month && month <= (last.year(), last.month())
}

fn is_month_after(last: Date, date: Date) -> bool {
    let months = |date: Date| i32::from(date.year()) * 12 + i32::from(date.month());
    months(date) == months(last) + 1
}

/// Days from `from` to `to`, negative if `to` is earlier.
pub(super) fn days_between(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn day(year: i16, month: i8, day: i8) -> DateMention {
        let date = date(year, month, day);
        DateMention::Window { first: date, last: date, precision: Precision::Day }
    }

    #[test]
    fn an_exact_day_fits_best_then_the_days_beside_it_then_its_month_then_the_next() {
        let mention = day(2023, 5, 7);
        for (record, expected) in [
            (date(2023, 5, 7), 1.5),
            (date(2023, 5, 6), 1.2),
            (date(2023, 5, 8), 1.4),
            (date(2023, 5, 9), 1.0),
            (date(2023, 5, 17), 1.0),
            (date(2023, 5, 18), 0.5),
            (date(2023, 6, 5), 0.2),
            (date(2023, 7, 1), 0.0),
            (date(2023, 4, 30), 0.0),
            (date(2022, 5, 7), 0.0),
        ] {
            assert_eq!(mention.fit(record), expected, "{record}");
        }
        assert_eq!(day(2023, 5, 31).fit(date(2023, 6, 1)), 1.4);
        assert_eq!(day(2023, 5, 31).fit(date(2023, 6, 8)), 0.4);
    }

    #[test]
    fn the_days_of_a_week_fit_better_than_the_days_beside_it() {
        let (first, last) = (date(2023, 5, 8), date(2023, 5, 14));
        let week = DateMention::Window { first, last, precision: Precision::Week };
        assert_eq!(
            [7, 8, 14, 15, 16].map(|day| week.fit(date(2023, 5, day))),
            [1.2, 1.5, 1.5, 1.4, 1.0]
        );
    }

    #[test]
    fn a_time_without_a_year_fits_every_year() {
        let day_29 = MonthDay { month: 2, day: 29 };
        let leap =
            DateMention::EveryYear { first: day_29, last: day_29, precision: Precision::Day };
        assert_eq!(leap.fit(date(2024, 2, 29)), 1.5);
        assert_eq!(leap.fit(date(2023, 2, 28)), 1.5);
        let winter = DateMention::EveryYear {
            first: MonthDay { month: 12, day: 1 },
            last: MonthDay { month: 2, day: 29 },
            precision: Precision::Season,
        };
        assert_eq!(winter.fit(date(2023, 1, 15)), 1.0);
        assert_eq!(winter.fit(date(2023, 12, 15)), 1.0);
        assert_eq!(winter.fit(date(2023, 3, 15)), 0.4);
        assert_eq!(winter.fit(date(2023, 7, 15)), 0.0);
        assert_eq!(winter.window(date(2023, 7, 1)), Some((date(2023, 12, 1), date(2024, 2, 29))));
    }

    #[test]
    fn extreme_dates_neither_panic_nor_fit() {
        for end in [Date::MIN, Date::MAX] {
            assert_eq!(day(2023, 5, 7).fit(end), 0.0);
            let all = DateMention::Window {
                first: Date::MIN,
                last: Date::MAX,
                precision: Precision::Year,
            };
            assert_eq!(all.fit(end), 1.0);
            let first = MonthDay { month: 12, day: 31 };
            let _ = DateMention::EveryYear {
                first,
                last: MonthDay { month: 1, day: 1 },
                precision: Precision::Day,
            }
            .fit(end);
        }
    }

    #[test]
    fn the_best_of_several_times_counts() {
        assert_eq!(date_fit(&[day(2023, 5, 7), day(2023, 9, 1)], date(2023, 9, 1)), 1.5);
        assert_eq!(date_fit(&[], date(2023, 9, 1)), 0.0);
    }
}
