//! What is believed of a reading: in words, as data, and how surely.
//!
//! The payload holds what changes only when the habit does; how often it was seen is in the basis
//! and the rationale. A changed payload takes down everything that is built on it, and one more
//! Tuesday is no reason for that.

use std::collections::{BTreeMap, BTreeSet};

use kernel::confidence::Basis;
use kernel::id::OpId;
use serde_json::{Map, Value, json};

use super::occurrence::{Slot, Telling};
use super::rhythm::{Reading, Rhythm};
use super::{
    DAILY, DAILY_PRIOR, EVERY_SECOND_WEEK, OCCURRENCES_MIN, OFF_HOUR_MINUTES_MAX, WEEKLY,
    WEEKLY_PRIOR,
};
use crate::local_time::{Day, WEEK_DAYS, Weekday, clock, median};
use crate::{Candidate, Input};

/// To how many minutes a usual start is rounded that is not always the same.
const ROUND_MINUTES: i64 = 15;
/// Which share of the starts must be the same minute to be given to the minute.
const SAME_SHARE: f64 = 0.5;

/// One candidate a reading, in order of their keys.
pub(super) fn candidates(group: &str, readings: &[Reading<'_>]) -> Vec<Candidate> {
    let claims: Vec<Claim<'_>> =
        readings.iter().filter_map(|reading| Claim::of(group, reading)).collect();
    let mut candidates: Vec<Candidate> =
        claims.iter().map(|claim| claim.candidate(&claims)).collect();
    candidates.sort_by(|one, other| one.identity_key.cmp(&other.identity_key));
    candidates
}

struct Claim<'r> {
    group: &'r str,
    reading: &'r Reading<'r>,
    /// The occurrences of the latest season.
    season: &'r [&'r Slot<'r>],
    first: Day,
    last: Day,
}

impl<'r> Claim<'r> {
    fn of(group: &'r str, reading: &'r Reading<'r>) -> Option<Self> {
        // One or two stragglers after a long pause are no new season yet.
        let whole = || reading.seasons().rev().filter(|season| season.len() >= OCCURRENCES_MIN);
        // After a pause, plans alone go on with what was before it: they begin nothing.
        let begun = whole().find(|season| season.iter().any(|slot| !slot.is_plan()));
        let season = begun.or_else(|| whole().next()).or_else(|| reading.seasons().next_back())?;
        let planned = reading.hits.last().filter(|slot| slot.is_plan());
        let (first, last) = (season.first()?.day, planned.copied().or(season.last().copied())?.day);
        Some(Self { group, reading, season, first, last })
    }

    fn claim_type(&self) -> &'static str {
        if self.reading.rhythm == Rhythm::Daily { DAILY } else { WEEKLY }
    }

    fn days(&self) -> Vec<&'static str> {
        self.reading.weekdays.iter().map(|weekday| weekday.short()).collect()
    }

    fn tellings(&self) -> impl Iterator<Item = &'r Telling<'r>> {
        self.reading.hits.iter().flat_map(|slot| &slot.tellings)
    }

    fn candidate(&self, all: &[Claim<'_>]) -> Candidate {
        let reading = self.reading;
        let title = self.title();
        let start = self.start();
        let days = self.days();
        let mut payload = Map::new();
        payload.insert("title".to_owned(), json!(title));
        payload.insert("days".to_owned(), json!(days));
        payload.insert("daypart".to_owned(), json!(reading.daypart.name()));
        payload.extend(start.map(|start| ("start".to_owned(), json!(clock(start)))));
        payload
            .extend(self.length().map(|minutes| ("duration_minutes".to_owned(), json!(minutes))));
        if let Rhythm::Weekly(interval) = reading.rhythm {
            payload.insert("interval_weeks".to_owned(), json!(interval));
        }
        Candidate {
            claim_type: self.claim_type().to_owned(),
            identity_key: format!(
                "{}|{}|{}|{}",
                self.claim_type(),
                self.group,
                days.join(","),
                reading.daypart.name()
            ),
            text: self.text(&title, start),
            payload: Value::Object(payload),
            inputs: self.inputs(),
            basis: self.basis(),
            rationale: self.rationale(),
            valid_from: Some(self.first.when()),
            valid_to: Some(self.valid_to(all).when()),
            tags: Vec::new(),
        }
    }

    /// The title as it is written most often.
    fn title(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for telling in self.tellings() {
            *counts.entry(telling.title.as_str()).or_default() += 1;
        }
        let most = counts
            .into_iter()
            .max_by(|(one, count), (other, more)| count.cmp(more).then(other.cmp(one)));
        most.map(|(title, _)| title.split_whitespace().collect::<Vec<_>>().join(" "))
            .unwrap_or_default()
    }

    /// The usual start of the latest season, minute of the day.
    fn start(&self) -> Option<i64> {
        let reading = self.reading;
        let near = |minute: &i64| (minute - reading.centre).abs() <= OFF_HOUR_MINUTES_MAX;
        let starts = self
            .season
            .iter()
            .flat_map(|slot| slot.tellings.iter().filter_map(|t| t.minute(slot.daypart)));
        usual(starts.filter(near).collect())
    }

    /// How long it usually takes, minutes.
    fn length(&self) -> Option<i64> {
        usual(
            self.season
                .iter()
                .flat_map(|slot| slot.tellings.iter().filter_map(|t| t.length_minutes))
                .collect(),
        )
    }

    fn inputs(&self) -> Vec<Input> {
        let role = |telling: &Telling<'_>| {
            if telling.is_note { "supporting_note" } else { "supporting_event" }
        };
        let inputs: BTreeMap<OpId, &'static str> =
            self.tellings().map(|telling| (telling.id, role(telling))).collect();
        inputs.into_iter().map(|(id, role)| Input { id, role }).collect()
    }

    fn basis(&self) -> Basis {
        let reading = self.reading;
        let score = reading.score;
        let prior = if reading.rhythm == Rhythm::Daily { DAILY_PRIOR } else { WEEKLY_PRIOR };
        let mut basis = Basis::new(prior)
            .with("occurrence_count", score.count.0, score.count.1)
            .with("weeks", score.weeks.0, score.weeks.1)
            .with("regularity", score.regularity.0, score.regularity.1)
            .with("coincidence", score.coincidence.0, score.coincidence.1);
        if reading.in_series > 0 {
            basis =
                basis.with("recurring_series", reading.in_series as f64, reading.series_log_odds());
        }
        if reading.sources > 1 {
            basis = basis.with("sources", reading.sources as f64, reading.sources_log_odds());
        }
        if reading.rhythm == Rhythm::Weekly(2) {
            basis = basis.with("every_second_week", 2.0, EVERY_SECOND_WEEK);
        }
        basis
    }

    /// When it counts as stopped: a while after its last occurrence, or when the title's next habit
    /// began.
    fn valid_to(&self, all: &[Claim<'_>]) -> Day {
        let horizon = self.last.plus(self.reading.rhythm.horizon_days());
        let begun = all
            .iter()
            .filter(|other| other.season.len() >= OCCURRENCES_MIN)
            .map(|other| other.first);
        begun.filter(|&first| first > self.last && first < horizon).min().unwrap_or(horizon)
    }

    /// `Gym on Tuesdays and Thursdays in the morning, about 07:00`
    fn text(&self, title: &str, start: Option<i64>) -> String {
        let reading = self.reading;
        let when = match reading.rhythm {
            Rhythm::Daily => "every day".to_owned(),
            Rhythm::Weekly(1) if reading.weekdays == Weekday::ALL[..5] => "on weekdays".to_owned(),
            Rhythm::Weekly(1) => {
                let days: Vec<String> =
                    reading.weekdays.iter().map(|day| format!("{}s", day.long())).collect();
                format!("on {}", listed(&days))
            }
            Rhythm::Weekly(_) => {
                let days: Vec<String> =
                    reading.weekdays.iter().map(|day| day.long().to_owned()).collect();
                format!("every second {}", listed(&days))
            }
        };
        let about = start.map(|start| format!(", about {}", clock(start))).unwrap_or_default();
        format!("{title} {when} {}{about}", reading.daypart.phrase())
    }

    /// `9 matching calendar events over 5 weeks; inter-event spacing CV 0.07; most recent
    /// occurrence 2025-06-02`
    fn rationale(&self) -> String {
        let ids = |is_note: bool, is_plan: bool| {
            let matching = self
                .tellings()
                .filter(|telling| telling.is_note == is_note && telling.is_plan == is_plan);
            matching.map(|telling| telling.id).collect::<BTreeSet<_>>().len()
        };
        let told = [
            counted(ids(false, false), "matching calendar event"),
            counted(ids(true, false), "matching note"),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        let planned = ids(false, true) + ids(true, true);
        let weeks = (self.last.0 - self.first.0) / WEEK_DAYS + 1;
        let over = counted(usize::try_from(weeks).unwrap_or_default(), "week").unwrap_or_default();
        let seasons = self.reading.seasons().count();
        let mut parts = match seasons {
            1 if told.is_empty() => vec![format!("only plans, over {over}")],
            1 => vec![format!("{} over {over}", listed(&told))],
            _ if told.is_empty() => {
                vec![format!("only plans, in {seasons} seasons, the latest over {over}")]
            }
            _ => vec![format!("{} in {seasons} seasons, the latest over {over}", listed(&told))],
        };
        parts.extend(
            counted(planned, "more occurrence")
                .filter(|_| !told.is_empty())
                .map(|more| format!("{more} planned")),
        );
        parts.extend(
            self.spacing().map(|variation| format!("inter-event spacing CV {variation:.2}")),
        );
        parts.extend(
            counted(self.reading.window.elsewhere, "occurrence")
                .map(|more| format!("{more} at other times")),
        );
        parts.push(format!("most recent occurrence {}", self.last.date()));
        parts.join("; ")
    }

    /// The coefficient of variation of the pauses in the latest season, counted in expected days: 0
    /// where none was missed.
    fn spacing(&self) -> Option<f64> {
        let days =
            self.season.windows(2).filter_map(|pair| Some((pair.first()?.day, pair.last()?.day)));
        let pauses: Vec<f64> =
            days.map(|(from, to)| self.reading.days_between(from, to) as f64).collect();
        let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
        let variance = pauses.iter().map(|pause| (pause - mean) * (pause - mean)).sum::<f64>()
            / pauses.len() as f64;
        (pauses.len() > 1 && mean > 0.0).then(|| libm::sqrt(variance) / mean)
    }
}

/// The value that most have; if none is that common, the middle one, rounded.
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

/// `9 events`, `1 event`, nothing for none.
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
