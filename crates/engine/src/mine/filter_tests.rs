use super::*;
use crate::mine::{KnownRecord, MiningSource};

fn id(number: u8) -> OpId {
    OpId([number; 32])
}

/// Evidence `e1` to `e3`, the last of which is private, and the known records `k1` and `g1`.
fn allowed() -> Allowed {
    let source =
        |number, visibility| (format!("e{number}"), MiningSource { id: id(number), visibility });
    Allowed {
        sources: BTreeMap::from([
            source(1, Visibility::Project),
            source(2, Visibility::Global),
            source(3, Visibility::Private),
        ]),
        records: BTreeMap::from([
            ("k1".to_owned(), KnownRecord { id: id(101), scope: Scope::Project }),
            ("g1".to_owned(), KnownRecord { id: id(102), scope: Scope::Global }),
        ]),
        only_scope: None,
    }
}

fn claim(local_id: &str, text: &str, confidence: f64, sources: &[&str]) -> MinedRecord {
    MinedRecord {
        local_id: local_id.to_owned(),
        record_type: "fact".to_owned(),
        text: text.to_owned(),
        confidence,
        source_event_ids: sources.iter().map(|name| (*name).to_owned()).collect(),
        ..MinedRecord::default()
    }
}

fn edge(from: &str, to: &str) -> MinedEdge {
    MinedEdge {
        edge_type: "depends_on".to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        confidence: 0.95,
        source_event_ids: vec!["e1".to_owned()],
        notes: String::new(),
    }
}

fn claims(claims: Vec<MinedRecord>) -> Filtered {
    filtered(Mined { claims, ..Mined::default() })
}

fn filtered(mined: Mined) -> Filtered {
    filter(mined, &allowed(), &MiningLimits::default(), &mut |_| false)
}

fn reasons(filtered: &Filtered) -> Vec<(&str, &str)> {
    filtered.refused.iter().map(|refused| (refused.local_id.as_str(), refused.reason)).collect()
}

fn names(filtered: &Filtered) -> Vec<&str> {
    filtered.records.iter().map(|record| record.local_id.as_str()).collect()
}

#[test]
fn the_first_reason_to_refuse_a_record_is_given() {
    let good = || claim("c", "The kiln is hot.", 0.95, &["e1"]);
    let with = |alter: &dyn Fn(&mut MinedRecord)| {
        let mut candidate = good();
        alter(&mut candidate);
        let filtered = claims(vec![candidate]);
        filtered.refused.first().map_or("kept", |refused| refused.reason)
    };
    for (alter, expected) in [
        (&(|_: &mut MinedRecord| {}) as &dyn Fn(&mut MinedRecord), "kept"),
        (&|it| it.record_type = "wish".into(), "unknown_type"),
        (&|it| it.record_type = "decision".into(), "unknown_type"),
        (&|it| it.text = " \n".into(), "empty"),
        (&|it| it.text = "x".repeat(TEXT_BYTES_MAX + 1), "too_long"),
        (&|it| it.scope = "world".into(), "unknown_scope"),
        (&|it| it.visibility = "public".into(), "unknown_visibility"),
        (&|it| it.valid_from = Some("soon".into()), "bad_time"),
        (
            &|it| {
                it.valid_from = Some("2026-02-01".into());
                it.valid_to = Some("2026-02-01".into());
            },
            "empty_window",
        ),
        (&|it| it.confidence = 1.01, "bad_confidence"),
        (&|it| it.confidence = -0.1, "bad_confidence"),
        (&|it| it.confidence = f64::NAN, "bad_confidence"),
        (&|it| it.confidence = 0.899, "below_threshold"),
        (&|it| it.source_event_ids = vec![], "no_valid_source_event_ids"),
        (&|it| it.source_event_ids = vec!["e9".into(), "k1".into()], "no_valid_source_event_ids"),
        (&|it| it.local_id = "k1".into(), "duplicate_local_id"),
    ] {
        assert_eq!(with(alter), expected);
    }
}

#[test]
fn a_record_is_as_strict_as_its_sources_and_its_scope() {
    let visibility = |scope: &str, visibility: &str, sources: &[&str]| {
        let candidate = MinedRecord {
            scope: scope.to_owned(),
            visibility: visibility.to_owned(),
            ..claim("c", "The kiln is hot.", 0.95, sources)
        };
        claims(vec![candidate]).records[0].visibility
    };
    assert_eq!(visibility("project", "", &["e2"]), Visibility::Project);
    assert_eq!(visibility("project", "global", &["e2"]), Visibility::Project);
    assert_eq!(visibility("global", "global", &["e2"]), Visibility::Global);
    assert_eq!(visibility("global", "", &["e1", "e2"]), Visibility::Project);
    assert_eq!(visibility("global", "global", &["e2", "e3"]), Visibility::Private);
    assert_eq!(visibility("project", "private", &["e1"]), Visibility::Private);
}

#[test]
fn case_01_given_two_claims_that_differ_in_case_and_spacing_then_the_second_links_to_the_first() {
    let mined = Mined {
        claims: vec![
            claim("a", "The kiln is hot.", 0.95, &["e1"]),
            claim("b", " the  KILN is hot. ", 0.97, &["e2"]),
        ],
        edges: vec![edge("b", "k1")],
        ..Mined::default()
    };
    let filtered = filtered(mined);
    assert_eq!(names(&filtered), ["a"]);
    assert_eq!(filtered.records[0].sources, [id(1), id(2)]);
    assert_eq!(filtered.edges[0].from, End::Kept("a".to_owned()));
    assert_eq!(reasons(&filtered), [("b", "duplicate")]);
}

#[test]
fn case_02_given_texts_that_differ_in_a_full_stop_then_both_are_kept() {
    let two = vec![
        claim("a", "The kiln is hot.", 0.95, &["e1"]),
        claim("b", "The kiln is hot", 0.95, &["e1"]),
    ];
    assert_eq!(names(&claims(two)), ["a", "b"]);
}

#[test]
fn case_04_given_ten_good_claims_and_six_at_most_then_the_six_surest_are_kept() {
    let ten = (0..10).map(|number| {
        let confidence = 0.90 + f64::from((number * 7) % 10) / 100.0;
        claim(&format!("c{number}"), &format!("Fact {number}"), confidence, &["e1"])
    });
    let filtered = claims(ten.collect());
    assert_eq!(names(&filtered), ["c7", "c4", "c1", "c8", "c5", "c2"]);
    let refused: Vec<(&str, &str)> = reasons(&filtered);
    assert_eq!(refused.len(), 4);
    assert!(refused.iter().all(|(_, reason)| *reason == "over_limit"));
}

#[test]
fn case_05_and_06_only_allowed_citations_count() {
    let filtered = claims(vec![
        claim("a", "One.", 0.95, &["e7", "e8"]),
        claim("b", "Two.", 0.95, &["e7", "e2", "e1", "e2"]),
    ]);
    assert_eq!(reasons(&filtered), [("a", "no_valid_source_event_ids")]);
    assert_eq!(filtered.records[0].sources, [id(2), id(1)]);
}

#[test]
fn case_07_given_a_repeated_local_id_then_the_second_is_refused() {
    let filtered =
        claims(vec![claim("a", "One.", 0.95, &["e1"]), claim("a", "Two.", 0.99, &["e1"])]);
    assert_eq!(reasons(&filtered), [("a", "duplicate_local_id")]);
    assert_eq!(filtered.records[0].text, "One.");
}

#[test]
fn cases_09_and_10_edges_stay_in_one_scope_and_are_kept_once() {
    let global = MinedRecord {
        scope: "global".to_owned(),
        ..claim("g", "Answers are short.", 0.95, &["e2"])
    };
    let mined = Mined {
        claims: vec![claim("a", "One.", 0.95, &["e1"]), claim("low", "Two.", 0.5, &["e1"]), global],
        nodes: vec![MinedRecord {
            record_type: "decision".to_owned(),
            ..claim("d", "Fire the kiln.", 0.95, &["e1"])
        }],
        edges: vec![
            edge("d", "a"),
            edge("d", "a"),
            edge("d", "g"),
            edge("d", "g1"),
            edge("g", "g1"),
            edge("d", "k1"),
            edge("d", "low"),
            edge("d", "nobody"),
            edge("d", "d"),
            MinedEdge { confidence: 0.2, ..edge("a", "k1") },
            MinedEdge { edge_type: "supersedes".to_owned(), ..edge("a", "k1") },
            MinedEdge { source_event_ids: vec!["e9".to_owned()], ..edge("a", "k1") },
        ],
    };
    let filtered = filtered(mined);
    let ends: Vec<(&End, &End)> =
        filtered.edges.iter().map(|edge| (&edge.from, &edge.to)).collect();
    let kept = |name: &str| End::Kept(name.to_owned());
    assert_eq!(
        ends,
        [
            (&kept("d"), &kept("a")),
            (&kept("g"), &End::Known(id(102))),
            (&kept("d"), &End::Known(id(101))),
        ]
    );
    let of_edges: Vec<&str> = filtered.refused.iter().skip(1).map(|edge| edge.reason).collect();
    assert_eq!(
        of_edges,
        [
            "duplicate",
            "cross_scope",
            "cross_scope",
            "unknown_end",
            "unknown_end",
            "self_edge",
            "below_threshold",
            "unknown_type",
            "no_valid_source_event_ids",
        ]
    );
}

#[test]
fn in_the_home_space_everything_has_one_scope() {
    let allowed = Allowed { only_scope: Some(Scope::Global), ..allowed() };
    let mined = Mined {
        claims: vec![MinedRecord {
            scope: "project".to_owned(),
            ..claim("a", "One.", 0.95, &["e2"])
        }],
        edges: vec![edge("a", "g1")],
        ..Mined::default()
    };
    let filtered = filter(mined, &allowed, &MiningLimits::default(), &mut |_| false);
    assert_eq!((filtered.records[0].scope, filtered.edges.len()), (Scope::Global, 1));
}

#[test]
fn labels_that_mean_something_to_the_program_are_dropped() {
    let tags = ["kiln", "mi:setting:auto_learn", "values:raw", " kiln ", "", "MI:learned"];
    let candidate = MinedRecord {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..claim("a", "One.", 0.95, &["e1"])
    };
    assert_eq!(claims(vec![candidate]).records[0].tags, ["kiln"]);
}
