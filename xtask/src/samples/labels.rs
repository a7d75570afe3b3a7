//! The truth about a person, as labels for the evaluation of claims.

use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};
use serde_json::{Value, json};

use super::life::{Habit, Life};
use super::random::days_between;
use super::traces::Traces;
use super::writing::Writing;

/// Periods of one habit that are closer than this are one habit with a pause.
const PAUSE_DAYS_MAX: i64 = 60;
/// Radius of a place.
const RADIUS_M: u32 = 150;

pub(super) fn labels(life: &Life, traces: &Traces, writing: &Writing) -> Value {
    json!({
        "name": life.name,
        "first": life.first.to_string(),
        "today": life.today.to_string(),
        "routines": routines(life, traces),
        "places": places(life, traces),
        "relationships": relationships(life, traces, writing),
        "preferences": life.tastes.iter().zip(&writing.taste_traces).map(|(taste, traces)| json!({
            "object": taste.object,
            "polarity": if taste.likes { "like" } else { "dislike" },
            "traces": traces,
        })).collect::<Vec<_>>(),
    })
}

/// The identity key that the deriver must build, byte for byte.
fn identity_key(habit: &Habit) -> String {
    let days: Vec<&str> = habit.days.iter().map(|day| code(*day)).collect();
    let part = match habit.hour {
        5..12 => "morning",
        12..17 => "afternoon",
        17..22 => "evening",
        _ => "night",
    };
    let kind = if days.len() == 7 { "routine.daily" } else { "routine.weekly" };
    format!("{kind}|{}|{}|{part}", slug(&habit.title), days.join(","))
}

/// An implementation of slugs that is independent of the derivers'; no title has letters that NFKC
/// changes.
fn slug(title: &str) -> String {
    let lower = title.to_lowercase();
    lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

fn code(day: Weekday) -> &'static str {
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][day.to_monday_zero_offset() as usize]
}

fn routines(life: &Life, traces: &Traces) -> Vec<Value> {
    struct Span<'a> {
        habit: &'a Habit,
        from: Date,
        to: Option<Date>,
        traces: usize,
    }
    let mut spans: BTreeMap<String, Vec<Span<'_>>> = BTreeMap::new();
    for (habit, traces) in life.habits.iter().zip(&traces.habit_traces) {
        let of_key = spans.entry(identity_key(habit)).or_default();
        match of_key.last_mut() {
            Some(last)
                if last.to.is_some_and(|to| days_between(to, habit.from) < PAUSE_DAYS_MAX) =>
            {
                last.to = habit.to;
                last.traces += traces;
            }
            _ => of_key.push(Span { habit, from: habit.from, to: habit.to, traces: *traces }),
        }
    }
    let label = |key: &str, span: &Span<'_>| {
        json!({
            "identity_key": key, "from": span.from.to_string(), "to": span.to.map(|to| to.to_string()), "every_weeks": span.habit.every_weeks, "shape": span.habit.shape,
            "traces": span.traces,
        })
    };
    spans
        .iter()
        .flat_map(|(key, spans)| spans.iter().map(|span| label(key, span)).collect::<Vec<_>>())
        .collect()
}

fn places(life: &Life, traces: &Traces) -> Vec<Value> {
    let frequent = life.places.iter().zip(&traces.place_days).filter(|(place, _)| place.frequent);
    frequent
        .map(|(place, days)| {
            json!({
                "labels": [slug(&place.label)], "lat": round(place.lat), "lon": round(place.lon), "radius_m": RADIUS_M,
                "from": place.from.to_string(), "to": place.to.map(|to| to.to_string()), "traces": days.len(),
            })
        })
        .collect()
}

fn round(degrees: f64) -> f64 {
    (degrees * 1e6).round() / 1e6
}

/// Everybody known is a contact, by full or first name, because notes call a sister by her first
/// name.
fn relationships(life: &Life, traces: &Traces, writing: &Writing) -> Vec<Value> {
    let mut labels = Vec::new();
    for (number, person) in life.people.iter().enumerate() {
        let Some(tie) = person.tie else { continue };
        let mut days = traces.met[number].clone();
        days.extend(writing.chat_days.get(&number).into_iter().flatten());
        let named = writing.tie_traces.get(&number).copied().unwrap_or(0);
        let names = [slug(&person.first), slug(&person.name)];
        labels.push(json!({ "kind": "contact", "names": names, "traces": days.len() }));
        labels.push(json!({ "kind": tie, "names": names, "traces": named }));
    }
    labels
}
