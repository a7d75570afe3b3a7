//! How regular a habit is, at its best.
//!
//! A *pattern* is a hypothesis about the habit: around which hour, every week or every second one,
//! and from which week to which (a *window*). Each pattern has a score in log-odds: the number of
//! its occurrences, the number of weeks in which they are, the share of the expected days that they
//! cover, and how unlikely it is that as many of the title's occurrences fall there by chance. The
//! best one wins. All patterns are tried, which is quadratic in the number of weeks; the number of
//! cited records bounds it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use kernel::confidence::{round6, saturating};

use super::days::centres;
use super::occurrence::Slot;
use super::{
    COINCIDENCE_LOG_ODDS_MIN, COINCIDENCE_LOG_ODDS_RANGE, COINCIDENCE_RATE, COUNT_LOG_ODDS_MAX,
    COUNT_RATE, EVERY_SECOND_WEEK, HORIZON_DAYS, HORIZON_PERIODS, INPUTS_MAX, MISSED_WEEKS,
    OCCURRENCES_MIN, PAUSE_DAYS_MAX, PAUSE_PERIODS_MAX, PLANS_CITED_MAX, REGULARITY_LOG_ODDS_MIN,
    REGULARITY_LOG_ODDS_RANGE, SERIES_LOG_ODDS_MAX, SERIES_OCCURRENCES_MIN, SERIES_RATE,
    SOURCES_LOG_ODDS_MAX, SOURCES_RATE, WEEKS_LOG_ODDS_MIN, WEEKS_LOG_ODDS_RANGE, WEEKS_RATE,
    WEIGHT_ONE,
};
use crate::local_time::{Day, Daypart, WEEK_DAYS, Weekday};

/// How often a habit recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rhythm {
    /// Every day.
    Daily,
    /// Every given number of weeks.
    Weekly(i64),
}

impl Rhythm {
    /// The longest pause within a season, days.
    fn pause_days_max(self) -> i64 {
        match self {
            Self::Daily => PAUSE_DAYS_MAX,
            Self::Weekly(interval) => PAUSE_PERIODS_MAX * interval * WEEK_DAYS,
        }
    }

    /// Days after its last occurrence when it counts as stopped.
    pub(super) fn horizon_days(self) -> i64 {
        match self {
            Self::Daily => HORIZON_DAYS,
            // An occurrence on the day when the last of these periods ends is still in time.
            Self::Weekly(interval) => HORIZON_PERIODS * interval * WEEK_DAYS + 1,
        }
    }

    fn interval_weeks(self) -> i64 {
        match self {
            Self::Daily => 1,
            Self::Weekly(interval) => interval,
        }
    }
}

/// The part of a habit's history in which it was most regular.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Window {
    /// Occurrences on expected days.
    pub(super) hits: usize,
    /// Their weight, in twentieths.
    pub(super) weight: u32,
    /// Distinct weeks in which they are.
    pub(super) weeks: usize,
    /// Expected days.
    pub(super) expected: i64,
    /// Occurrences of the title on other days or at other times of day in the same weeks.
    pub(super) elsewhere: usize,
}

/// The observations of a pattern and the log-odds that each adds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    /// The number of occurrences, weighted.
    pub(super) count: (f64, f64),
    /// The number of weeks.
    pub(super) weeks: (f64, f64),
    /// The share of expected days.
    pub(super) regularity: (f64, f64),
    /// The log-likelihood ratio against chance.
    pub(super) coincidence: (f64, f64),
}

impl Window {
    pub(super) fn score(&self, weekdays: usize) -> Score {
        let contrast = contrast(self.hits, self.elsewhere, weekdays);
        Score {
            count: (f64::from(self.weight) / f64::from(WEIGHT_ONE), count_log_odds(self.weight)),
            weeks: (self.weeks as f64, weeks_log_odds(self.weeks)),
            regularity: (
                coverage(self.hits, self.expected, weekdays),
                regularity_log_odds(self.hits, self.expected, weekdays),
            ),
            coincidence: (contrast, coincidence_log_odds(contrast)),
        }
    }
}

/// The smoothed share of expected days: as if [`MISSED_WEEKS`] more had been missed.
fn coverage(hits: usize, expected: i64, weekdays: usize) -> f64 {
    hits as f64 / (expected as f64 + MISSED_WEEKS * weekdays as f64)
}

fn regularity_log_odds(hits: usize, expected: i64, weekdays: usize) -> f64 {
    round6(REGULARITY_LOG_ODDS_MIN + REGULARITY_LOG_ODDS_RANGE * coverage(hits, expected, weekdays))
}

fn count_log_odds(weight: u32) -> f64 {
    round6(saturating(COUNT_LOG_ODDS_MAX, COUNT_RATE, f64::from(weight) / f64::from(WEIGHT_ONE)))
}

fn weeks_log_odds(weeks: usize) -> f64 {
    round6(
        WEEKS_LOG_ODDS_MIN
            + saturating(WEEKS_LOG_ODDS_RANGE, WEEKS_RATE, weeks.saturating_sub(1) as f64),
    )
}

/// The log-likelihood ratio of this many occurrences on these days, against occurrences at any
/// time.
fn contrast(hits: usize, elsewhere: usize, weekdays: usize) -> f64 {
    let cells = Daypart::ALL.len() * Weekday::ALL.len();
    let by_chance = (hits + elsewhere) as f64 * weekdays as f64 / cells as f64;
    (hits as f64 * libm::log(hits as f64 / by_chance)).max(0.0)
}

fn coincidence_log_odds(contrast: f64) -> f64 {
    round6(
        COINCIDENCE_LOG_ODDS_MIN
            + saturating(COINCIDENCE_LOG_ODDS_RANGE, COINCIDENCE_RATE, contrast),
    )
}

/// [`count_log_odds`] by weight, precomputed because each window needs it.
static COUNT_LOG_ODDS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    (0..).take(INPUTS_MAX * WEIGHT_ONE as usize + 1).map(count_log_odds).collect()
});

/// [`weeks_log_odds`] by number of weeks.
static WEEKS_LOG_ODDS: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..=INPUTS_MAX).map(weeks_log_odds).collect());

/// Upper bounds of the score for a number of occurrences: as if none was missed and none was
/// elsewhere.
#[derive(Clone, Copy)]
struct Bound {
    coincidence: f64,
    regularity_and_coincidence: f64,
}

/// The bounds by number of weekdays, and then by number of occurrences.
static BOUNDS: LazyLock<Vec<Vec<Bound>>> = LazyLock::new(|| {
    let bound = |weekdays: usize, hits: usize| {
        let coincidence = coincidence_log_odds(contrast(hits, 0, weekdays));
        Bound {
            coincidence,
            regularity_and_coincidence: regularity_log_odds(hits, hits as i64, weekdays)
                + coincidence,
        }
    };
    let of_weekdays = |weekdays| (0..=INPUTS_MAX).map(|hits| bound(weekdays, hits)).collect();
    (0..=Weekday::ALL.len()).map(of_weekdays).collect()
});

impl Score {
    fn sum(&self) -> f64 {
        self.count.1 + self.weeks.1 + self.regularity.1 + self.coincidence.1
    }
}

/// The best pattern of a set of weekdays in a part of the day.
pub(super) struct Pattern<'s> {
    pub(super) daypart: Daypart,
    pub(super) weekdays: Vec<Weekday>,
    pub(super) rhythm: Rhythm,
    pub(super) centre: i64,
    /// Its occurrences, season after season; of many, the latest.
    pub(super) hits: Vec<&'s Slot<'s>>,
    /// The first occurrence of the first season, if it is before these.
    pub(super) first: Option<&'s Slot<'s>>,
    pub(super) window: Window,
    pub(super) score: Score,
    /// How many of the occurrences belong to a recurring series.
    pub(super) in_series: usize,
    /// The number of their sources.
    pub(super) sources: usize,
}

impl Pattern<'_> {
    fn log_odds(&self) -> f64 {
        let alternating = if self.rhythm == Rhythm::Weekly(2) { EVERY_SECOND_WEEK } else { 0.0 };
        self.score.sum() + self.series_log_odds() + self.sources_log_odds() + alternating
    }

    /// Log-odds that a recurring series adds.
    pub(super) fn series_log_odds(&self) -> f64 {
        round6(saturating(SERIES_LOG_ODDS_MAX, SERIES_RATE, self.in_series as f64))
    }

    /// Log-odds that further sources add.
    pub(super) fn sources_log_odds(&self) -> f64 {
        round6(saturating(
            SOURCES_LOG_ODDS_MAX,
            SOURCES_RATE,
            self.sources.saturating_sub(1) as f64,
        ))
    }

    /// The seasons: occurrences without a long pause between them.
    pub(super) fn seasons(&self) -> impl DoubleEndedIterator<Item = &[&Slot<'_>]> {
        seasons(&self.hits, self.rhythm)
    }

    /// The number of expected days from one day to another.
    pub(super) fn days_between(&self, from: Day, to: Day) -> i64 {
        let rank = |day: Day| {
            self.weekdays.iter().position(|&weekday| weekday == day.weekday()).unwrap_or_default()
        };
        let weeks = (to.week() - from.week()) / self.rhythm.interval_weeks();
        weeks * self.weekdays.len() as i64 + rank(to) as i64 - rank(from) as i64
    }
}

fn seasons<'h, 's>(
    hits: &'h [&'s Slot<'s>],
    rhythm: Rhythm,
) -> impl DoubleEndedIterator<Item = &'h [&'s Slot<'s>]> {
    hits.chunk_by(move |one, next| next.day.0 - one.day.0 <= rhythm.pause_days_max())
}

/// The best pattern of these weekdays in this part of the day; `all` are the title's occurrences at
/// any time. `None` if there are too few.
pub(super) fn best_pattern<'s>(
    all: &'s [Slot<'s>],
    part: &'s [Slot<'s>],
    weekdays: Vec<Weekday>,
) -> Option<Pattern<'s>> {
    let daypart = part.first()?.daypart;
    let in_cell =
        |slot: &Slot<'_>| slot.daypart == daypart && weekdays.contains(&slot.day.weekday());
    let mut elsewhere: Vec<i64> =
        all.iter().filter(|slot| !in_cell(slot)).map(|slot| slot.day.week()).collect();
    elsewhere.sort_unstable();
    let whole: Vec<&Slot<'_>> = part.iter().filter(|slot| in_cell(slot)).collect();
    let cell = latest(whole.clone());
    let rhythms: &[Rhythm] = match weekdays.len() == Weekday::ALL.len() {
        true => &[Rhythm::Daily],
        false => &[Rhythm::Weekly(1), Rhythm::Weekly(2)],
    };
    let mut best: Option<Pattern<'_>> = None;
    let mut tried: Vec<&Slot<'_>> = Vec::new();
    for centre in centres(daypart) {
        let near: Vec<&Slot<'_>> =
            cell.iter().copied().filter(|slot| slot.is_near(centre)).collect();
        if near.len() == tried.len()
            && near.iter().zip(&tried).all(|(one, other)| one.day == other.day)
        {
            continue;
        }
        tried.clone_from(&near);
        for &rhythm in rhythms {
            for phase in 0..rhythm.interval_weeks() {
                let in_phase =
                    |slot: &&Slot<'_>| slot.day.week().rem_euclid(rhythm.interval_weeks()) == phase;
                let hits: Vec<&Slot<'_>> = near.iter().copied().filter(in_phase).collect();
                let pattern = fit_pattern(daypart, &weekdays, rhythm, centre, hits, &elsewhere);
                let better = |pattern: &Pattern<'_>| {
                    best.as_ref().is_none_or(|best| pattern.log_odds() > best.log_odds())
                };
                best = pattern.filter(better).or(best);
            }
        }
    }
    let mut best = best.filter(|best| {
        let stated =
            best.in_series >= SERIES_OCCURRENCES_MIN && best.window.hits >= SERIES_OCCURRENCES_MIN;
        stated || best.window.hits >= OCCURRENCES_MIN
    })?;
    best.first = first_before(&best, &whole);
    Some(best)
}

/// The first occurrence of a pattern's first season, if it is before those that were considered.
fn first_before<'s>(pattern: &Pattern<'s>, whole: &[&'s Slot<'s>]) -> Option<&'s Slot<'s>> {
    let interval = pattern.rhythm.interval_weeks();
    let begins = pattern.hits.first()?.day;
    let phase = begins.week().rem_euclid(interval);
    let is_earlier = |slot: &&&Slot<'_>| {
        slot.day < begins
            && slot.is_near(pattern.centre)
            && slot.day.week().rem_euclid(interval) == phase
    };
    let mut next = begins;
    let in_season = |slot: &&&Slot<'_>| {
        let is_near = next.0 - slot.day.0 <= pattern.rhythm.pause_days_max();
        next = slot.day;
        is_near
    };
    whole.iter().rev().filter(is_earlier).take_while(in_season).last().copied()
}

/// The latest slots that together hold no more records than a claim may cite. A calendar holds an
/// endless series for a year ahead; its plans, nearest first, get only part of that limit, so that
/// they do not crowd out past occurrences.
fn latest<'s>(slots: Vec<&'s Slot<'s>>) -> Vec<&'s Slot<'s>> {
    let (plans, past): (Vec<&Slot<'_>>, Vec<&Slot<'_>>) =
        slots.into_iter().partition(|slot| slot.is_plan());
    let plans = take_within(
        plans.into_iter(),
        INPUTS_MAX.saturating_sub(record_count(&past)).max(PLANS_CITED_MAX),
    );
    let mut kept =
        take_within(past.into_iter().rev(), INPUTS_MAX.saturating_sub(record_count(&plans)));
    kept.extend(plans);
    kept.sort_by_key(|slot| slot.day);
    kept
}

fn record_count(slots: &[&Slot<'_>]) -> usize {
    slots.iter().map(|slot| slot.entries.len()).sum()
}

/// The first slots that together hold at most `records_max` records.
fn take_within<'s>(
    slots: impl Iterator<Item = &'s Slot<'s>>,
    records_max: usize,
) -> Vec<&'s Slot<'s>> {
    let mut records = 0;
    let fits = |slot: &&Slot<'_>| {
        records += slot.entries.len();
        records <= records_max
    };
    slots.take_while(fits).collect()
}

fn fit_pattern<'s>(
    daypart: Daypart,
    weekdays: &[Weekday],
    rhythm: Rhythm,
    centre: i64,
    hits: Vec<&'s Slot<'s>>,
    elsewhere: &[i64],
) -> Option<Pattern<'s>> {
    // A slot alone between two long pauses does not belong to a season.
    let hits: Vec<&Slot<'_>> =
        seasons(&hits, rhythm).filter(|season| season.len() > 1).flatten().copied().collect();
    let (window, score) = best_window(&hits, weekdays, rhythm, elsewhere)?;
    let entries = || hits.iter().flat_map(|slot| &slot.entries);
    let in_series =
        hits.iter().filter(|slot| slot.entries.iter().any(|entry| entry.in_series)).count();
    let sources = entries().map(|entry| entry.source).collect::<BTreeSet<_>>().len();
    let weekdays = weekdays.to_vec();
    let first = None;
    Some(Pattern {
        daypart,
        weekdays,
        rhythm,
        centre,
        hits,
        first,
        window,
        score,
        in_series,
        sources,
    })
}

/// The occurrences in one week, with running totals before and after it.
struct Week {
    week: i64,
    first_rank: i64,
    last_rank: i64,
    hits_before: usize,
    hits_after: usize,
    weight_before: u32,
    weight_after: u32,
    elsewhere_before: usize,
    elsewhere_after: usize,
}

fn weeks(hits: &[&Slot<'_>], weekdays: &[Weekday], elsewhere: &[i64]) -> Vec<Week> {
    let rank = |slot: &Slot<'_>| {
        weekdays.iter().position(|&day| day == slot.day.weekday()).unwrap_or_default() as i64
    };
    let (mut hits_after, mut weight_after) = (0, 0);
    let of_one_week = hits.chunk_by(|one, next| one.day.week() == next.day.week());
    let week = of_one_week.filter_map(|of_week| {
        let (first, last) = (of_week.first()?, of_week.last()?);
        let (hits_before, weight_before) = (hits_after, weight_after);
        hits_after += of_week.len();
        let weight = |slot: &&Slot<'_>| {
            slot.entries.iter().map(|entry| entry.weight()).max().unwrap_or_default()
        };
        weight_after += of_week.iter().map(weight).sum::<u32>();
        let week = first.day.week();
        Some(Week {
            week,
            first_rank: rank(first),
            last_rank: rank(last),
            hits_before,
            hits_after,
            weight_before,
            weight_after,
            elsewhere_before: elsewhere.partition_point(|&other| other < week),
            elsewhere_after: elsewhere.partition_point(|&other| other <= week),
        })
    });
    week.collect()
}

/// The window with the best score; the longest one that starts first wins a tie.
fn best_window(
    hits: &[&Slot<'_>],
    weekdays: &[Weekday],
    rhythm: Rhythm,
    elsewhere: &[i64],
) -> Option<(Window, Score)> {
    let weeks = weeks(hits, weekdays, elsewhere);
    let bounds = BOUNDS.get(weekdays.len())?;
    let mut best: Option<(Window, Score)> = None;
    let mut best_sum = f64::NEG_INFINITY;
    for (index, first) in weeks.iter().enumerate() {
        // Occurrences in a single week have no rhythm.
        for (further, last) in weeks.iter().skip(index).enumerate().skip(1).rev() {
            let number = further + 1;
            let hits = last.hits_after - first.hits_before;
            let weight = last.weight_after - first.weight_before;
            let bound = bounds.get(hits)?;
            let count = *COUNT_LOG_ODDS.get(weight as usize)? + *WEEKS_LOG_ODDS.get(number)?;
            // Shorter windows from here on hold less, and no regularity can compensate.
            if count + bound.regularity_and_coincidence <= best_sum {
                break;
            }
            let periods = (last.week - first.week) / rhythm.interval_weeks();
            let expected = periods * weekdays.len() as i64 + last.last_rank - first.first_rank + 1;
            if count + regularity_log_odds(hits, expected, weekdays.len()) + bound.coincidence
                <= best_sum
            {
                continue;
            }
            let elsewhere = last.elsewhere_after - first.elsewhere_before;
            let window = Window { hits, weight, weeks: number, expected, elsewhere };
            let score = window.score(weekdays.len());
            if score.sum() > best_sum {
                best_sum = score.sum();
                best = Some((window, score));
            }
        }
    }
    best
}
