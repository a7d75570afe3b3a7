//! Labels: the truth about a person, and the judgement of claims against it.
//!
//! A **routine** matches by its identity key and its time: a claim about a period in which the
//! habit had not started or was over is false, even if the rest is right; a tolerance of four
//! occurrences either way applies, because nobody can know the exact day. A **place** matches by
//! its label's slug or by its position; a **relationship** by its kind and one of the person's
//! names; a **preference** by its object and polarity. Claims that the labels do not cover (another
//! family, a preference from routines) are not judged.

use std::path::Path;

use jiff::civil::Date;
use kernel::body::LastSeen;
use kernel::when::When;
use serde::Deserialize;
use serde_json::Value;

use super::Claim;
use crate::EvalError;

/// Tolerance of a claim's start and end, in weeks, for a weekly habit.
const SLACK_WEEKS: i32 = 4;
/// Fewest traces of an unstated truth that count as detectable.
pub(crate) const TRACES_MIN: u64 = 3;
/// The relationship that is visible in appointments and chats.
const CONTACT: &str = "contact";
/// Metres per degree of latitude.
const DEGREE_M: f64 = 111_320.0;

/// The families of claims that are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Routine,
    Place,
    Relationship,
    Preference,
}

impl Family {
    pub const ALL: [Self; 4] = [Self::Routine, Self::Place, Self::Relationship, Self::Preference];

    /// Its plural name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Routine => "routines",
            Self::Place => "places",
            Self::Relationship => "relationships",
            Self::Preference => "preferences",
        }
    }

    fn of(claim_type: &str) -> Option<Self> {
        match claim_type.split_once('.')?.0 {
            "routine" => Some(Self::Routine),
            "place" => Some(Self::Place),
            "relationship" => Some(Self::Relationship),
            "preference" => Some(Self::Preference),
            _ => None,
        }
    }
}

/// The file `labels.json`.
#[derive(Deserialize)]
pub(crate) struct Labels {
    /// The last day of the records.
    pub(super) today: When,
    routines: Vec<Routine>,
    places: Vec<Place>,
    #[serde(default)]
    relationships: Vec<Relationship>,
    #[serde(default)]
    preferences: Vec<Preference>,
}

#[derive(Deserialize)]
struct Routine {
    identity_key: String,
    from: When,
    to: Option<When>,
    #[serde(default = "one")]
    every_weeks: i32,
    shape: String,
    traces: u64,
}

fn one() -> i32 {
    1
}

#[derive(Deserialize)]
struct Place {
    labels: Vec<String>,
    lat: f64,
    lon: f64,
    radius_m: f64,
    traces: u64,
}

#[derive(Deserialize)]
struct Relationship {
    kind: String,
    names: Vec<String>,
    traces: u64,
}

#[derive(Deserialize)]
struct Preference {
    object: String,
    polarity: String,
    traces: u64,
}

/// A true statement about a person.
pub(crate) struct Truth {
    pub family: Family,
    /// Its kind, for the table of missed truths.
    pub sort: String,
    /// The number of its traces in the records.
    pub traces: u64,
    /// Its description for people.
    pub name: String,
}

impl Truth {
    /// Whether the records have enough evidence of it. Two occurrences may be a coincidence; one
    /// statement by the person is enough.
    pub(crate) fn is_detectable(&self) -> bool {
        let stated = matches!(self.family, Family::Preference)
            || self.family == Family::Relationship && self.sort != CONTACT;
        self.traces >= if stated { 1 } else { TRACES_MIN }
    }
}

/// The judgement of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judgement {
    /// It is true; the index of the truth in [`Labels::truths`].
    True(usize),
    /// It is false, with the cause.
    False(&'static str),
}

impl Labels {
    /// Reads the file of one person.
    pub(super) fn read(path: &Path) -> Result<Self, EvalError> {
        let bytes = std::fs::read(path)
            .map_err(|source| EvalError::File { path: path.to_owned(), source })?;
        serde_json::from_slice(&bytes).map_err(|error| EvalError::form(path, error.to_string()))
    }

    /// All truths, by family.
    pub(super) fn truths(&self) -> Vec<Truth> {
        let truth = |family, sort: &str, traces, name: &str| Truth {
            family,
            sort: sort.to_owned(),
            traces,
            name: name.to_owned(),
        };
        let routines = self
            .routines
            .iter()
            .map(|one| truth(Family::Routine, &one.shape, one.traces, &one.identity_key));
        let first = |names: &[String]| names.first().cloned().unwrap_or_default();
        let places = self
            .places
            .iter()
            .map(|one| truth(Family::Place, "place", one.traces, &first(&one.labels)));
        let relationships = self.relationships.iter().map(|one| {
            truth(
                Family::Relationship,
                &one.kind,
                one.traces,
                &format!("{}|{}", one.kind, first(&one.names)),
            )
        });
        let preferences = self
            .preferences
            .iter()
            .map(|one| truth(Family::Preference, &one.polarity, one.traces, &one.object));
        routines.chain(places).chain(relationships).chain(preferences).collect()
    }

    /// The family of a claim and its judgement; `None` if it cannot be judged.
    pub(super) fn judge(&self, claim: &Claim) -> Option<(Family, Judgement)> {
        let family = Family::of(&claim.claim_type)?;
        let key = claim.identity_key.split_once('|')?.1;
        let judgement = match family {
            Family::Routine => self.judge_routine(claim),
            Family::Place => self.judge_place(claim, key),
            Family::Relationship => self.judge_relationship(claim, key),
            Family::Preference => self.judge_preference(claim, key)?,
        };
        Some((family, judgement))
    }

    fn judge_routine(&self, claim: &Claim) -> Judgement {
        let same = |one: &&Routine| one.identity_key == claim.identity_key;
        if !self.routines.iter().any(|one| same(&one)) {
            let title = |key: &str| key.split('|').nth(1).map(str::to_owned);
            let known = self
                .routines
                .iter()
                .any(|one| title(&one.identity_key) == title(&claim.identity_key));
            return Judgement::False(if known {
                "other days or part of the day"
            } else {
                "no habit"
            });
        }
        match self.routines.iter().position(|one| same(&one) && self.is_within(claim, one)) {
            Some(number) => Judgement::True(number),
            None => Judgement::False("other time of the person's life"),
        }
    }

    fn is_within(&self, claim: &Claim, routine: &Routine) -> bool {
        let slack_days = SLACK_WEEKS * 7 * routine.every_weeks;
        let started = claim
            .valid_from
            .as_ref()
            .is_none_or(|from| days(from.date(), routine.from.date()) <= slack_days);
        // A claim without an end is valid until the last day of the records.
        let presumed = || claim.last_seen.as_ref().map(LastSeen::presumed_until);
        let end =
            claim.valid_to.clone().or_else(presumed).map_or(self.today.date(), |to| to.date());
        started && routine.to.as_ref().is_none_or(|to| days(to.date(), end) <= slack_days)
    }

    fn judge_place(&self, claim: &Claim, slug: &str) -> Judgement {
        let position = position(&claim.payload);
        let is_it = |place: &Place| {
            let near = |(lat, lon)| metres((lat, lon), (place.lat, place.lon)) <= place.radius_m;
            place.labels.iter().any(|label| label == slug) || position.is_some_and(near)
        };
        match self.places.iter().position(is_it) {
            Some(number) => Judgement::True(self.routines.len() + number),
            None => Judgement::False("not frequent"),
        }
    }

    fn judge_relationship(&self, claim: &Claim, slug: &str) -> Judgement {
        let kind = claim.claim_type.split_once('.').map_or("", |(_, kind)| kind);
        let named = |one: &Relationship| one.names.iter().any(|name| name == slug);
        let before = self.routines.len() + self.places.len();
        match self.relationships.iter().position(|one| one.kind == kind && named(one)) {
            Some(number) => Judgement::True(before + number),
            None if self.relationships.iter().any(named) => {
                Judgement::False("another relationship")
            }
            None => Judgement::False("a stranger"),
        }
    }

    fn judge_preference(&self, claim: &Claim, slug: &str) -> Option<Judgement> {
        // A preference from routines is not a statement, and has no label.
        if claim.claim_type == "preference.daypart" {
            return None;
        }
        let before = self.routines.len() + self.places.len() + self.relationships.len();
        let same = |one: &Preference| derivers::slug::slug(&one.object) == slug;
        let agrees = |one: &Preference| {
            polarity(&claim.payload).is_none_or(|polarity| polarity == one.polarity)
        };
        Some(match self.preferences.iter().position(|one| same(one) && agrees(one)) {
            Some(number) => Judgement::True(before + number),
            None if self.preferences.iter().any(same) => Judgement::False("the contrary"),
            None => Judgement::False("no preference"),
        })
    }
}

fn days(from: Date, to: Date) -> i32 {
    from.until(to).map_or(i32::MAX, |span| span.get_days())
}

fn polarity(payload: &Value) -> Option<&str> {
    payload.get("polarity")?.as_str()
}

fn position(payload: &Value) -> Option<(f64, f64)> {
    let holder = payload.get("location").unwrap_or(payload);
    Some((holder.get("lat")?.as_f64()?, holder.get("lon")?.as_f64()?))
}

/// The distance on a plane, which is accurate to 0.1 % over these distances.
fn metres(one: (f64, f64), other: (f64, f64)) -> f64 {
    let north = (one.0 - other.0) * DEGREE_M;
    let east = (one.1 - other.1) * DEGREE_M * one.0.to_radians().cos();
    north.hypot(east)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    use crate::calibration::testing::claim;

    fn labels() -> Labels {
        serde_json::from_value(json!({
            "today": "2025-06-30",
            "routines": [
                { "identity_key": "routine.weekly|gym|tue|morning", "from": "2024-01-02", "to": "2025-02-01", "shape": "stopped", "traces": 40 },
                { "identity_key": "routine.weekly|choir|wed|evening", "from": "2025-01-01", "to": null, "shape": "steady", "traces": 9 },
            ],
            "places": [{ "labels": ["pool-nord"], "lat": 52.5, "lon": 13.4, "radius_m": 150.0, "traces": 9 }],
            "relationships": [{ "kind": "sister", "names": ["ana", "ana-kovac"], "traces": 1 }],
            "preferences": [{ "object": "Cow's milk", "polarity": "dislike", "traces": 1 }],
        }))
        .unwrap()
    }

    fn check(key: &str, payload: Value, span: [Option<&str>; 2], expect: Judgement) {
        let mut claim = claim(key, 0.9);
        claim.payload = payload;
        [claim.valid_from, claim.valid_to] =
            span.map(|day| day.map(|day| When::parse(day).unwrap()));
        assert_eq!(
            labels().judge(&claim).map(|(_, judgement)| judgement),
            Some(expect),
            "{key} {span:?}"
        );
    }

    #[test]
    fn a_routine_matches_by_its_key_and_time() {
        let gym = "routine.weekly|gym|tue|morning";
        for (key, span, expect) in [
            (gym, [Some("2024-02-01"), Some("2025-02-20")], Judgement::True(0)),
            (gym, [Some("2024-02-01"), None], Judgement::False("other time of the person's life")),
            (
                gym,
                [Some("2023-06-01"), Some("2025-02-01")],
                Judgement::False("other time of the person's life"),
            ),
            ("routine.weekly|choir|wed|evening", [Some("2025-02-01"), None], Judgement::True(1)),
            (
                "routine.weekly|gym|thu|morning",
                [None, None],
                Judgement::False("other days or part of the day"),
            ),
            ("routine.weekly|lunch|thu|afternoon", [None, None], Judgement::False("no habit")),
        ] {
            check(key, json!({}), span, expect);
        }
    }

    #[test]
    fn a_place_matches_by_its_name_or_position() {
        let none = [None, None];
        check("place.frequent|pool-nord", json!({}), none, Judgement::True(2));
        check(
            "place.frequent|home",
            json!({ "lat": 52.5009, "lon": 13.401 }),
            none,
            Judgement::True(2),
        );
        check(
            "place.frequent|home",
            json!({ "lat": 52.502, "lon": 13.4 }),
            none,
            Judgement::False("not frequent"),
        );
    }

    #[test]
    fn relationships_match_by_kind_and_preferences_by_object_and_polarity() {
        let none = [None, None];
        check("relationship.sister|ana", json!({}), none, Judgement::True(3));
        check(
            "relationship.friend|ana-kovac",
            json!({}),
            none,
            Judgement::False("another relationship"),
        );
        check("relationship.friend|ben", json!({}), none, Judgement::False("a stranger"));
        check(
            "preference.drink|cow-s-milk",
            json!({ "polarity": "dislike" }),
            none,
            Judgement::True(4),
        );
        check(
            "preference.drink|cow-s-milk",
            json!({ "polarity": "like" }),
            none,
            Judgement::False("the contrary"),
        );
    }

    #[test]
    fn claims_without_a_label_are_not_judged() {
        for key in ["preference.daypart|morning", "com.example.streak|gym", "odd"] {
            assert!(labels().judge(&claim(key, 0.9)).is_none(), "{key}");
        }
    }
}
