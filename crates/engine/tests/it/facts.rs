//! Facts: what is found of what is believed, and when.

use engine::Space;
use engine::belief::claims::ClaimFilter;
use engine::belief::user::Replacement;
use engine::recall::facts::{FactQuery, Mode};
use engine::write::import::Intent;
use kernel::body::{Body, Claim};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use serde_json::{Value, json};

use crate::support::{Home, at, id_of};
use crate::toys::{HABIT, derive, gym};

fn ask(text: &str) -> FactQuery {
    FactQuery { limit: 100, ..FactQuery::new(text, at(100)) }
}

fn texts(space: &mut Space, query: &FactQuery) -> Vec<String> {
    space.recall_facts(query).unwrap().facts.into_iter().map(|fact| fact.belief.text).collect()
}

fn found(space: &mut Space, text: &str) -> Vec<String> {
    texts(space, &ask(text))
}

fn act(space: &mut Space, drafts: Result<Vec<Draft>, engine::EngineError>) {
    space.act(drafts.unwrap(), Intent::Write, at(10)).unwrap();
}

/// A claim that a person states, on a note of theirs.
fn state(home: &mut Home, key: &str, more: Value) -> OpId {
    let note = id_of(home.remember(&format!("note of {key}"), &format!("note of {key}")));
    let mut claim = json!({ "claim_type": "test.said", "identity_key": key, "payload": { "key": key }, "confidence": 0.75, "confidence_basis": { "source": "person" } });
    for (name, value) in more.as_object().unwrap() {
        claim[name] = value.clone();
    }
    let claim: Claim = serde_json::from_value(claim).unwrap();
    let refs = vec![Ref { id: note, role: Role::parse("supporting").unwrap() }];
    home.space.append(Draft { body: Body::Claim(claim), refs }, at(5)).unwrap()
}

#[test]
fn a_belief_is_found_by_its_words_its_data_and_its_key() {
    let mut home = gym();
    assert_eq!(found(&mut home.space, "likes"), ["Likes the gym"]);
    assert_eq!(found(&mut home.space, "gym"), ["Goes to the gym every week", "Likes the gym"]);
    assert_eq!(found(&mut home.space, "habit"), ["Goes to the gym every week"], "by its key");
    assert!(found(&mut home.space, "pottery").is_empty());
    state(
        &mut home,
        "place|home",
        json!({ "text": "Lives by the sea", "payload": { "city": "Gothenburg", "floor": [3] } }),
    );
    assert_eq!(found(&mut home.space, "Gothenburg"), ["Lives by the sea"], "by its data");
}

#[test]
fn a_corrected_belief_is_found_by_the_corrected_words_until_the_correction_is_withdrawn() {
    let mut home = gym();
    let replacement = Replacement {
        set: vec![r#"{"name":"climbing"}"#.to_owned()],
        text: Some("Goes climbing twice a month".to_owned()),
        ..Replacement::default()
    };
    let drafts = home.space.to_correct(HABIT, &replacement);
    act(&mut home.space, drafts);
    assert_eq!(found(&mut home.space, "twice a month"), ["Goes climbing twice a month"]);
    assert!(
        !found(&mut home.space, "goes gym every week")
            .contains(&"Goes to the gym every week".to_owned())
    );
    let drafts = home.space.to_withdraw(HABIT, "not so");
    act(&mut home.space, drafts);
    derive(&mut home.space);
    assert!(found(&mut home.space, "climbing").is_empty());
    assert_eq!(found(&mut home.space, "goes every week"), ["Goes to the gym every week"]);
}

#[test]
fn a_refuted_belief_is_not_found_until_the_refutation_is_withdrawn() {
    let mut home = gym();
    let drafts = home.space.to_refute(HABIT, "never");
    act(&mut home.space, drafts);
    assert!(found(&mut home.space, "gym").is_empty(), "nor is what stood on it");
    let drafts = home.space.to_withdraw(HABIT, "still");
    act(&mut home.space, drafts);
    derive(&mut home.space);
    assert_eq!(found(&mut home.space, "gym"), ["Goes to the gym every week", "Likes the gym"]);
}

#[test]
fn an_invalidated_or_retracted_belief_is_not_found() {
    let mut home = gym();
    let claim = state(&mut home, "said", json!({ "text": "Plays the cello" }));
    assert_eq!(found(&mut home.space, "cello"), ["Plays the cello"]);
    let newer = state(&mut home, "said", json!({ "text": "Plays the viola", "payload": 2 }));
    assert!(found(&mut home.space, "cello").is_empty(), "a newer version says otherwise");
    assert_eq!(found(&mut home.space, "viola"), ["Plays the viola"]);
    let drafts = home.space.to_retract(&newer.to_string(), "no");
    act(&mut home.space, drafts);
    assert!(found(&mut home.space, "viola cello").is_empty());
    let _ = claim;
    for number in 0..5 {
        let note =
            home.space.log_tail(1_000, &Default::default()).unwrap().into_iter().find(|recorded| {
                recorded
                    .operation
                    .body_value()
                    .is_some_and(|body| body["source_uid"] == format!("gym-{number}"))
            });
        let drafts = home.space.to_retract(&note.unwrap().operation.id().to_string(), "no");
        act(&mut home.space, drafts);
    }
    assert!(found(&mut home.space, "gym").is_empty());
}

#[test]
fn a_search_as_of_a_time_finds_the_beliefs_of_that_time() {
    let mut home = gym();
    let drafts = home.space.to_refute(HABIT, "never");
    act(&mut home.space, drafts);
    let then = |second: i64| FactQuery {
        as_of_us: Some(at(second).as_microsecond() as u64),
        ..ask("gym")
    };
    assert!(texts(&mut home.space, &then(0)).is_empty(), "nothing was derived yet");
    assert_eq!(texts(&mut home.space, &then(9)), ["Goes to the gym every week", "Likes the gym"]);
    assert!(texts(&mut home.space, &then(60)).is_empty());
    assert!(
        texts(&mut home.space, &FactQuery { as_of_us: Some(u64::MAX), ..ask("gym") }).is_empty()
    );
}

#[test]
fn passive_recall_finds_only_sure_facts_that_are_not_private() {
    let mut home = Home::new();
    for (key, confidence, visibility) in [
        ("a", 0.9, "project"),
        ("b", 0.9, "private"),
        ("c", 0.4, "project"),
        ("d", 0.2, "project"),
        ("e", 0.9, "global"),
    ] {
        let more = json!({ "text": format!("The boat is {key}{key}{key}"), "confidence": confidence, "visibility": visibility });
        state(&mut home, key, more);
    }
    let keys = |space: &mut Space, query: &FactQuery| {
        let mut keys: Vec<String> =
            space.recall_facts(query).unwrap().facts.into_iter().map(|f| f.belief.key).collect();
        keys.sort();
        keys.concat()
    };
    assert_eq!(keys(&mut home.space, &ask("boat")), "abce");
    assert_eq!(keys(&mut home.space, &FactQuery { mode: Mode::Passive, ..ask("boat") }), "ae");
    let global = FactQuery { visibilities: vec![Visibility::Global], ..ask("boat") };
    assert_eq!(keys(&mut home.space, &global), "e");
    assert_eq!(
        keys(&mut home.space, &FactQuery { claim_type: Some("test".to_owned()), ..ask("boat") }),
        "abce"
    );
    assert_eq!(
        keys(&mut home.space, &FactQuery { claim_type: Some("tes".to_owned()), ..ask("boat") }),
        ""
    );
    assert_eq!(keys(&mut home.space, &FactQuery { limit: 0, ..ask("boat") }), "");
}

#[test]
fn a_fact_is_found_by_a_time_at_which_it_is_true() {
    let mut home = Home::new();
    let more = json!({ "text": "Works at the harbour", "valid_from": "2024-01-01", "valid_to": "2025-01-01" });
    state(&mut home, "work", more);
    let in_year = |year: i16| {
        let day = kernel::when::When::from_date(jiff::civil::date(year, 6, 1));
        FactQuery { valid_at_us: Some(day.instant_us()), ..ask("harbour") }
    };
    assert!(texts(&mut home.space, &in_year(2023)).is_empty());
    assert_eq!(texts(&mut home.space, &in_year(2024)), ["Works at the harbour"]);
    assert!(texts(&mut home.space, &in_year(2025)).is_empty());
}

#[test]
fn relevance_is_the_sum_of_its_parts_and_corrections_do_not_lose_recency() {
    let mut home = gym();
    let mut query = ask("Likes the gym");
    query.now = at(86_400 * 100);
    let facts = home.space.recall_facts(&query).unwrap().facts;
    let best = &facts[0];
    assert_eq!(best.belief.text, "Likes the gym");
    let relevance = best.relevance;
    let sum = 0.6 * relevance.similarity + 0.3 * relevance.confidence + 0.1 * relevance.recency;
    assert!((relevance.total - sum).abs() < 1e-12);
    assert!(relevance.similarity > 0.95, "{relevance:?}");
    assert!((relevance.recency - (-1.0f64).exp()).abs() < 0.02, "{relevance:?}");
    assert_eq!((best.sources, facts[1].sources), (1, 6));
    state(&mut home, "said", json!({ "text": "Said of the gym" }));
    let said =
        home.space.recall_facts(&FactQuery { text: "said".to_owned(), ..query }).unwrap().facts;
    assert_eq!(said[0].relevance.recency, 1.0);
}

#[test]
fn of_near_duplicates_the_best_is_found_and_opposites_are_kept_apart() {
    let mut home = Home::new();
    for (key, text, confidence) in [
        ("one", "Petra is allergic to walnuts and feeds the cat", 0.6),
        ("two", "petra is allergic to walnuts, and feeds the cat", 0.8),
        ("not", "Petra is not allergic to walnuts and feeds the cat", 0.7),
    ] {
        state(&mut home, key, json!({ "text": text, "confidence": confidence }));
    }
    let facts = home.space.recall_facts(&ask("Petra walnuts")).unwrap().facts;
    let mut keys: Vec<&str> = facts.iter().map(|fact| fact.belief.key.as_str()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["not", "two"]);
}

#[test]
fn a_fact_is_found_by_the_name_of_its_subject() {
    let mut home = Home::new();
    state(&mut home, "ida", json!({ "text": "Collects stamps", "subject": "Ida" }));
    state(&mut home, "ben", json!({ "text": "Collects coins", "subject": "Ben" }));
    assert_eq!(found(&mut home.space, "What does Ben collect?")[0], "Collects coins");
    assert_eq!(found(&mut home.space, "What does Ida collect?")[0], "Collects stamps");
}

#[test]
fn a_belief_with_many_versions_does_not_make_its_words_common() {
    let mut home = Home::new();
    for number in 0..60 {
        state(&mut home, "many", json!({ "text": "Goes sailing", "payload": number }));
    }
    for number in 0..9 {
        state(
            &mut home,
            &format!("other {number}"),
            json!({ "text": format!("Goes to place{number}") }),
        );
    }
    let facts = home.space.recall_facts(&ask("goes sailing")).unwrap().facts;
    let weight = |term: &str| {
        facts[0].terms.iter().find(|share| share.term.as_str().starts_with(term)).unwrap().idf
    };
    assert_eq!(facts[0].belief.text, "Goes sailing");
    assert!(weight("sail") > 5.0 * weight("go"), "{:?}", facts[0].terms);
}

#[test]
fn questions_of_any_form_are_answered_without_a_panic() {
    let home = gym();
    for text in [
        "",
        " ",
        "\u{0}",
        "???",
        "🏋️🏋️🏋️",
        "מועדון כושר",
        &"gym ".repeat(50_000),
        "' OR 1=1; --",
        "the of and",
    ] {
        home.space.recall_facts(&ask(text)).unwrap();
    }
    let facts = home.space.recall_facts(&FactQuery { limit: usize::MAX, ..ask("gym") }).unwrap();
    assert_eq!((facts.facts.len(), facts.behind), (2, 0));
    let _ = home.space.claims(&ClaimFilter::default(), 1).unwrap();
}
