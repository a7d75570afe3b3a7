//! The list that reads the view is the list of all identities, evaluated one by one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use kernel::body::Body;
use kernel::id::OpId;
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::seal::{ChainPosition, Draft, Signer};
use kernel::{canonical, kind::Kind};
use serde_json::{Value, json};
use store::Ledger;
use store::sqlite::SqliteSpace;
use testkit::histories::two_devices;
use testkit::in_sqlite::CheckedEvery;

use super::*;

/// Histories, and their steps.
const HISTORIES: (u64, usize) = (2, 120);
/// After every so many steps the lists are compared.
const COMPARED_EVERY: usize = 20;

/// Tags to ask for, all of them, and the beginning of another.
const TAGS: [(&[&str], Option<&str>); 4] =
    [(&["a", "b c\""], None), (&["d"], None), (&[], Some("a")), (&["a"], Some("b c"))];

/// All identities as they were at the times that were asked for, evaluated one by one.
#[derive(Default)]
struct Evaluated(HashMap<Option<u64>, Vec<Belief>>);

impl Evaluated {
    fn list(
        &mut self,
        index: &SqliteLedgerIndex<'_>,
        filter: &ClaimFilter,
        limit: usize,
    ) -> Result<Claims, StoreError> {
        let beliefs = match self.0.entry(filter.as_of_us) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => {
                let mut beliefs = Vec::new();
                each_belief(index, filter.as_of_us, |belief| beliefs.push(belief))?;
                place.insert(beliefs)
            }
        };
        let mut claims = Gathered::new(filter, limit);
        beliefs.iter().for_each(|belief| claims.add(belief.clone()));
        Ok(claims.finish())
    }
}

/// Compares both lists for a filter and some limits. Nothing is written while `evaluated` is used.
fn compare(space: &SqliteSpace, evaluated: &mut Evaluated, filter: &ClaimFilter) -> usize {
    let mut total = 0;
    for limit in [0, 3, 1_000] {
        let answer: Result<(), StoreError> = space.on_snapshot(|index| {
            let page = page(index, filter, limit)?.unwrap();
            let listed = list(index, filter, page, limit)?;
            assert_eq!(listed, evaluated.list(index, filter, limit)?, "{filter:?}, {limit}");
            total = listed.total;
            Ok(())
        });
        answer.unwrap();
    }
    total
}

/// Compares lists of now and of earlier times.
fn compare_times(space: &SqliteSpace) {
    let mut evaluated = Evaluated::default();
    let evaluated = &mut evaluated;
    let latest = space.latest().unwrap().unwrap().0;
    let times = (1..=5).map(|part| Some(latest * part / 5));
    for as_of_us in times.chain([None, Some(0), Some(u64::MAX)]) {
        for states in [States::Believed, States::Any, States::These(vec![State::None])] {
            compare(space, evaluated, &ClaimFilter { states, as_of_us, ..ClaimFilter::default() });
        }
        let displaced = vec![RecordStatus::Superseded, RecordStatus::Alias];
        let states = States::These(Vec::new());
        compare(
            space,
            evaluated,
            &ClaimFilter { states, displaced, as_of_us, ..ClaimFilter::default() },
        );
    }
}

#[test]
fn lists_equal_those_without_the_view_on_any_history_of_two_devices_now_and_then() {
    for seed in 1..=HISTORIES.0 {
        println!("seed {seed}");
        two_devices(seed, HISTORIES.1, |genesis, body| {
            let space = SqliteSpace::create_in_memory(genesis, body).unwrap();
            CheckedEvery::begun(space, COMPARED_EVERY, compare_times)
        });
    }
}

/// A space of the key 1.
fn begun() -> SqliteSpace {
    let signer = Signer::from_seed([1; 32]);
    let body = json!({"name": "t", "owner": signer.author(), "created": "2026-01-01T00:00:00Z"});
    let body = Body::parse(&Kind::Space, &canonical::to_bytes(&body).unwrap()).unwrap();
    let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
    let genesis = signer.seal(Draft::new(body.clone()), place).unwrap();
    SqliteSpace::create_in_memory(&genesis, &body).unwrap()
}

fn append(space: &mut SqliteSpace, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> OpId {
    let signer = Signer::from_seed([1; 32]);
    let kind = Kind::parse(kind).unwrap();
    let body = Body::parse(&kind, &canonical::to_bytes(body).unwrap()).unwrap();
    let refs = refs.iter().map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() });
    let mut writing = space.begin().unwrap();
    let place = ChainPosition {
        space: writing.space().unwrap(),
        head: writing.head(&signer.author()).unwrap(),
        ts: HlcTimestamp(writing.latest().unwrap().unwrap().0 + 1),
    };
    let draft = Draft { body: body.clone(), refs: refs.collect() };
    let operation = signer.seal(draft, place).unwrap();
    writing.record(&operation, Some(&body)).unwrap();
    writing.commit().unwrap();
    operation.id()
}

#[test]
fn every_filter_of_the_view_admits_what_the_filter_admits() {
    let mut space = begun();
    let note = json!({"source": "t", "source_uid": "1", "kind": "note", "summary": "", "visibility": "project", "payload": {}});
    let seen = append(&mut space, "evidence", &note, &[]);
    let types =
        ["routine", "routine.weekly", "routine.weekly.late", "routines", "place", "routine/x"];
    let mut claims = Vec::new();
    for (number, claim_type) in types.iter().cycle().take(36).enumerate() {
        let confidence = [0.1, 0.4, 0.65, 0.7, 0.9, 0.98, 1.0][number % 7];
        let mut body = json!({"claim_type": claim_type, "identity_key": format!("k{number}"),
            "text": format!("text {number}"), "payload": number, "confidence": confidence});
        if number % 2 == 0 {
            body["valid_from"] = json!(format!("20{:02}-01-01", 10 + number % 9));
        }
        if number % 4 == 0 {
            body["tags"] = json!(["a", "b c\""]);
        }
        if number % 3 == 0 {
            body["valid_to"] = json!(format!("20{:02}-06-01", 14 + number % 7));
        }
        claims.push(append(&mut space, "claim", &body, &[("input", seen)]));
    }
    for number in [3, 4, 5] {
        let body = json!({"identity_key": format!("k{number}"), "corrected_payload": 7});
        append(&mut space, "claim_correction", &body, &[("target", claims[number])]);
    }
    for number in [6, 7] {
        let body = json!({"identity_key": format!("k{number}")});
        append(&mut space, "claim_refutation", &body, &[("target", claims[number])]);
    }
    append(&mut space, "retraction", &json!({}), &[("target", claims[8])]);
    // A later version has other tags than the one before.
    for (number, tags) in [(0, json!(["b c\""])), (9, json!(["a", "d"])), (10, json!(["ab"]))] {
        let body = json!({"claim_type": "routine", "identity_key": format!("k{number}"),
            "text": "again", "payload": number, "tags": tags});
        append(&mut space, "claim", &body, &[("input", seen)]);
    }
    let year = 31_557_600_000_000_i64;
    let mut evaluated = Evaluated::default();
    let (mut seen_any, mut seen_tagged) = (0, 0);
    for states in [
        States::Believed,
        States::Any,
        States::These(vec![State::Retracted, State::Refuted, State::Retracted]),
    ] {
        for claim_type in [None, Some("routine"), Some("routine.weekly"), Some("none"), Some("")] {
            for band in [None, Some(Band::Speculative), Some(Band::Likely), Some(Band::Strong)] {
                for valid_at_us in [None, Some(0), Some(45 * year), Some(46 * year)] {
                    for contains in [None, Some("1"), Some("Text")] {
                        for (as_of_us, current_at_us, confidence_min) in [
                            (None, None, None),
                            (Some(20), None, None),
                            (Some(40), None, Some(0.65)),
                            (None, Some(46 * year), Some(0.3)),
                            (Some(30), Some(46 * year), Some(0.3)),
                        ] {
                            let filter = ClaimFilter {
                                states: states.clone(),
                                claim_type: claim_type.map(str::to_owned),
                                band,
                                valid_at_us,
                                contains: contains.map(str::to_owned),
                                as_of_us,
                                current_at_us,
                                confidence_min,
                                ..ClaimFilter::default()
                            };
                            seen_any += usize::from(compare(&space, &mut evaluated, &filter) > 0);
                            if valid_at_us.is_none() && contains.is_none() && band.is_none() {
                                for (tags, prefix) in TAGS {
                                    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
                                    let tag_prefix = prefix.map(str::to_owned);
                                    let filter = ClaimFilter { tags, tag_prefix, ..filter.clone() };
                                    seen_tagged +=
                                        usize::from(compare(&space, &mut evaluated, &filter) > 0);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(seen_any > 100 && seen_tagged > 50, "{seen_any}, {seen_tagged}");
}
