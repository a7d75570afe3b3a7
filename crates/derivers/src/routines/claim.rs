//! The claim from a pattern: text, payload and confidence.
//!
//! The payload holds only data that changes with the habit; the number of occurrences is in the
//! basis and the rationale. A changed payload invalidates all claims built on it, and one more
//! Tuesday must not do that.

use std::collections::{BTreeMap, BTreeSet};

use calendar::series::Series;
use kernel::body::LastSeen;
use kernel::confidence::Basis;
use kernel::id::OpId;
use kernel::when::When;
use serde_json::{Map, Value, json};

use super::by_rule::Stated;
use super::occurrence::{Entry, Slot};
use super::rhythm::{Pattern, Rhythm};
use super::{
    DAILY, DAILY_PRIOR, ENDLESS_GRACE_DAYS, EVERY_SECOND_WEEK, INPUTS_MAX, OCCURRENCES_MIN,
    OFF_HOUR_MINUTES_MAX, WEEKLY, WEEKLY_PRIOR,
};
use crate::local_time::{Day, WEEK_DAYS, Weekday, clock, median};
use crate::{Candidate, Input};

/// Step to which a varying start is rounded, minutes.
const ROUND_MINUTES: i64 = 15;
/// Share of the starts that must be equal for the start to be given to the minute.
const SAME_SHARE: f64 = 0.5;

/// One candidate per pattern, in order of their keys.
pub(super) fn candidates(
    group: &str,
    patterns: &[Pattern<'_>],
    series: &BTreeMap<OpId, Series>,
) -> Vec<Candidate> {
    let claims: Vec<Claim<'_>> =
        patterns.iter().filter_map(|pattern| Claim::of(group, pattern, series)).collect();
    let mut candidates: Vec<Candidate> =
        claims.iter().map(|claim| claim.candidate(&claims)).collect();
    candidates.sort_by(|one, other| one.identity_key.cmp(&other.identity_key));
    candidates
}

struct Claim<'r> {
    group: &'r str,
    pattern: &'r Pattern<'r>,
    /// The occurrences of the latest season.
    season: &'r [&'r Slot<'r>],
    /// The first occurrence of the season, if it is before those that were considered.
    first_before: Option<&'r Slot<'r>>,
    first: Day,
    last: Day,
    /// What the series of its last occurrence states.
    stated: Option<Stated>,
    /// Whether that series is all that the season has from its first occurrence on.
    is_all_of_series: bool,
}

impl<'r> Claim<'r> {
    fn of(
        group: &'r str,
        pattern: &'r Pattern<'r>,
        series: &BTreeMap<OpId, Series>,
    ) -> Option<Self> {
        // One or two stragglers after a long pause do not make a new season.
        let whole = || pattern.seasons().rev().filter(|season| season.len() >= OCCURRENCES_MIN);
        // After a pause, plans alone do not start a season: they continue the one before it.
        let started = whole().find(|season| season.iter().any(|slot| !slot.is_plan()));
        let season =
            started.or_else(|| whole().next()).or_else(|| pattern.seasons().next_back())?;
        let planned = pattern.hits.last().filter(|slot| slot.is_plan());
        let is_first_season = season.first()?.day == pattern.hits.first()?.day;
        let first_before = pattern.first.filter(|_| is_first_season);
        let first = first_before.map_or(season.first()?.day, |slot| slot.day);
        let last = planned.copied().or(season.last().copied())?.day;
        let newest = planned.copied().or(season.last().copied());
        let id = newest.and_then(|slot| {
            slot.entries.iter().map(|entry| entry.id).find(|id| series.contains_key(id))
        });
        let is_of = |slot: &&&Slot<'_>| slot.entries.iter().any(|entry| Some(entry.id) == id);
        let is_all_of_series = season.first().as_ref().is_some_and(is_of);
        let stated = id.and_then(|id| Stated::of(series.get(&id)?));
        Some(Self { group, pattern, season, first_before, first, last, stated, is_all_of_series })
    }

    fn claim_type(&self) -> &'static str {
        if self.pattern.rhythm == Rhythm::Daily { DAILY } else { WEEKLY }
    }

    fn days(&self) -> Vec<&'static str> {
        self.pattern.weekdays.iter().map(|weekday| weekday.short()).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'r Entry<'r>> {
        self.pattern.hits.iter().flat_map(|slot| &slot.entries)
    }

    fn candidate(&self, all: &[Claim<'_>]) -> Candidate {
        let pattern = self.pattern;
        let title = self.title();
        let start = self.start();
        let days = self.days();
        let mut payload = Map::new();
        payload.insert("title".to_owned(), json!(title));
        payload.insert("days".to_owned(), json!(days));
        payload.insert("daypart".to_owned(), json!(pattern.daypart.name()));
        payload.extend(start.map(|start| ("start".to_owned(), json!(clock(start)))));
        payload
            .extend(self.length().map(|minutes| ("duration_minutes".to_owned(), json!(minutes))));
        if let Rhythm::Weekly(interval) = pattern.rhythm {
            payload.insert("interval_weeks".to_owned(), json!(interval));
        }
        Candidate {
            claim_type: self.claim_type().to_owned(),
            identity_key: format!(
                "{}|{}|{}|{}",
                self.claim_type(),
                self.group,
                days.join(","),
                pattern.daypart.name()
            ),
            text: self.text(&title, start),
            payload: Value::Object(payload),
            inputs: self.inputs(),
            basis: self.basis(),
            rationale: self.rationale(),
            valid_from: Some(self.since()),
            valid_to: self.stated_end().or_else(|| self.replaced(all).map(Day::when)),
            last_seen: self.last_seen(),
            tags: Vec::new(),
        }
    }

    /// Since when: a series says so, also where only its latest occurrences were looked at.
    fn since(&self) -> When {
        let first = self.first.when();
        match &self.stated {
            Some(stated)
                if self.is_all_of_series && stated.from.instant_us() < first.instant_us() =>
            {
                stated.from.clone()
            }
            _ => first,
        }
    }

    /// The end that the rule of its last occurrence states.
    fn stated_end(&self) -> Option<When> {
        self.stated.as_ref()?.to.clone()
    }

    /// The last occurrence that had happened, where no record says when it ends. An endless series
    /// is presumed to go on as long as calendars are looked into the future.
    fn last_seen(&self) -> Option<LastSeen> {
        match &self.stated {
            Some(Stated { to: Some(_), .. }) => None,
            Some(Stated { to: None, .. }) => {
                let past = self.season.iter().rev().find(|slot| !slot.is_plan());
                let last = past.map_or(self.last, |slot| slot.day);
                Some(LastSeen::new(last.when(), ENDLESS_GRACE_DAYS))
            }
            None => Some(LastSeen::new(self.last.when(), self.pattern.rhythm.horizon_days())),
        }
    }

    /// The most frequent spelling of the title.
    fn title(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in self.entries() {
            *counts.entry(entry.title.as_str()).or_default() += 1;
        }
        let most = counts
            .into_iter()
            .max_by(|(one, count), (other, more)| count.cmp(more).then(other.cmp(one)));
        most.map(|(title, _)| title.split_whitespace().collect::<Vec<_>>().join(" "))
            .unwrap_or_default()
    }

    /// The usual start of the latest season, minute of the day.
    fn start(&self) -> Option<i64> {
        let pattern = self.pattern;
        let near = |minute: &i64| (minute - pattern.centre).abs() <= OFF_HOUR_MINUTES_MAX;
        let starts = self
            .season
            .iter()
            .flat_map(|slot| slot.entries.iter().filter_map(|t| t.minute(slot.daypart)));
        usual(starts.filter(near).collect())
    }

    /// How long it usually takes, minutes.
    fn length(&self) -> Option<i64> {
        usual(
            self.season
                .iter()
                .flat_map(|slot| slot.entries.iter().filter_map(|t| t.length_minutes))
                .collect(),
        )
    }

    /// Its occurrences, with the first of the season in place of the oldest.
    fn inputs(&self) -> Vec<Input> {
        let role = |entry: &Entry<'_>| {
            if entry.is_note { "supporting_note" } else { "supporting_event" }
        };
        let first = self.first_before.and_then(|slot| slot.entries.first());
        let excess = usize::from(first.is_some() && self.entries().count() >= INPUTS_MAX);
        let cited = first.into_iter().chain(self.entries().skip(excess));
        let inputs: BTreeMap<OpId, &'static str> =
            cited.map(|entry| (entry.id, role(entry))).collect();
        inputs.into_iter().map(|(id, role)| Input { id, role }).collect()
    }

    fn basis(&self) -> Basis {
        let pattern = self.pattern;
        let score = pattern.score;
        let prior = if pattern.rhythm == Rhythm::Daily { DAILY_PRIOR } else { WEEKLY_PRIOR };
        let mut basis = Basis::new(prior)
            .with("occurrence_count", score.count.0, score.count.1)
            .with("weeks", score.weeks.0, score.weeks.1)
            .with("regularity", score.regularity.0, score.regularity.1)
            .with("coincidence", score.coincidence.0, score.coincidence.1);
        if pattern.in_series > 0 {
            basis =
                basis.with("recurring_series", pattern.in_series as f64, pattern.series_log_odds());
        }
        if pattern.sources > 1 {
            basis = basis.with("sources", pattern.sources as f64, pattern.sources_log_odds());
        }
        if pattern.rhythm == Rhythm::Weekly(2) {
            basis = basis.with("every_second_week", 2.0, EVERY_SECOND_WEEK);
        }
        basis
    }

    /// When the title's next habit started, if that was soon after the last occurrence of this
    /// one. No record holds another end.
    fn replaced(&self, all: &[Claim<'_>]) -> Option<Day> {
        let horizon = self.last.plus(self.pattern.rhythm.horizon_days());
        let started = all
            .iter()
            .filter(|other| other.season.len() >= OCCURRENCES_MIN)
            .map(|other| other.first);
        started.filter(|&first| first > self.last && first < horizon).min()
    }

    /// `Gym on Tuesdays and Thursdays in the morning, about 07:00`
    fn text(&self, title: &str, start: Option<i64>) -> String {
        let pattern = self.pattern;
        let when = match pattern.rhythm {
            Rhythm::Daily => "every day".to_owned(),
            Rhythm::Weekly(1) if pattern.weekdays == Weekday::ALL[..5] => "on weekdays".to_owned(),
            Rhythm::Weekly(1) => {
                let days: Vec<String> =
                    pattern.weekdays.iter().map(|day| format!("{}s", day.long())).collect();
                format!("on {}", listed(&days))
            }
            Rhythm::Weekly(_) => {
                let days: Vec<String> =
                    pattern.weekdays.iter().map(|day| day.long().to_owned()).collect();
                format!("every second {}", listed(&days))
            }
        };
        let about = start.map(|start| format!(", about {}", clock(start))).unwrap_or_default();
        format!("{title} {when} {}{about}", pattern.daypart.phrase())
    }

    /// `9 matching calendar events over 5 weeks; inter-event spacing CV 0.07; most recent
    /// occurrence 2025-06-02`
    fn rationale(&self) -> String {
        let ids = |is_note: bool, is_plan: bool| {
            let matching =
                self.entries().filter(|entry| entry.is_note == is_note && entry.is_plan == is_plan);
            matching.map(|entry| (entry.id, entry.day)).collect::<BTreeSet<_>>().len()
        };
        let past = [
            counted(ids(false, false), "matching calendar event"),
            counted(ids(true, false), "matching note"),
        ];
        let past: Vec<String> = past.into_iter().flatten().collect();
        let planned = ids(false, true) + ids(true, true);
        let first = self.season.first().map_or(self.first, |slot| slot.day);
        let weeks = (self.last.0 - first.0) / WEEK_DAYS + 1;
        let over = counted(usize::try_from(weeks).unwrap_or_default(), "week").unwrap_or_default();
        let seasons = self.pattern.seasons().count();
        let latest = if self.first_before.is_some() { "the latest " } else { "" };
        let mut parts = match seasons {
            1 if past.is_empty() => vec![format!("only plans, over {over}")],
            1 => vec![format!("{latest}{} over {over}", listed(&past))],
            _ if past.is_empty() => {
                vec![format!("only plans, in {seasons} seasons, the latest over {over}")]
            }
            _ => vec![format!("{} in {seasons} seasons, the latest over {over}", listed(&past))],
        };
        parts.extend(
            counted(planned, "more occurrence")
                .filter(|_| !past.is_empty())
                .map(|more| format!("{more} planned")),
        );
        parts.extend(
            self.spacing().map(|variation| format!("inter-event spacing CV {variation:.2}")),
        );
        parts.extend(
            counted(self.pattern.window.elsewhere, "occurrence")
                .map(|more| format!("{more} at other times")),
        );
        parts.push(format!("most recent occurrence {}", self.last.date()));
        parts.join("; ")
    }

    /// The coefficient of variation of the pauses in the latest season, in expected days: 0 if none
    /// was missed.
    fn spacing(&self) -> Option<f64> {
        let days =
            self.season.windows(2).filter_map(|pair| Some((pair.first()?.day, pair.last()?.day)));
        let pauses: Vec<f64> =
            days.map(|(from, to)| self.pattern.days_between(from, to) as f64).collect();
        let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
        let variance = pauses.iter().map(|pause| (pause - mean) * (pause - mean)).sum::<f64>()
            / pauses.len() as f64;
        (pauses.len() > 1 && mean > 0.0).then(|| libm::sqrt(variance) / mean)
    }
}

/// The most frequent value; if no value is frequent enough, the median, rounded.
fn usual(mut values: Vec<i64>) -> Option<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for &value in &values {
        *counts.entry(value).or_default() += 1;
    }
    let (common, count) =
        counts.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)))?;
    if count as f64 >= SAME_SHARE * values.len() as f64 {
        return Some(common);
    }
    let middle = median(&mut values, Ord::cmp)?;
    Some((middle + ROUND_MINUTES / 2).div_euclid(ROUND_MINUTES) * ROUND_MINUTES)
}

/// `9 events`, `1 event`, `None` for zero.
fn counted(count: usize, noun: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{count} {noun}s")),
    }
}

/// `Mondays, Tuesdays and Fridays`
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
