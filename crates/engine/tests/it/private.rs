//! What is private, and what a reader without it gets; and beliefs whose time is over.

use engine::EngineError;
use engine::belief::claims::{ClaimFilter, is_over};
use engine::graph::{PathLimits, SubgraphLimits};
use engine::private::{Disclosure, Viewpoint};
use engine::recall::context::{Request, Turn};
use engine::recall::episodes::Query;
use engine::recall::facts::FactQuery;
use engine::recall::past::Over;
use engine::why::{Relation, WhyLimits};
use engine::write::graph::{GraphChange, NamedChange, RecordType, Reference, Statement};
use engine::write::import::Intent;
use engine::write::share::ExportSelection;
use kernel::body::{Annotation, Body, Claim, EdgeType, NodeType};
use kernel::evidence::{Evidence, Visibility};
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use retrieval::rank::relevance::RELEVANCE_MIN;
use serde_json::{Value, json};
use store::sqlite::Filter;

use crate::support::{Home, at, id_of, key, note};

fn open() -> Vec<Visibility> {
    Disclosure::WithoutPrivate.visibilities()
}

/// A claim without a deriver on these records, with the default visibility.
pub(crate) fn state(home: &mut Home, key: &str, inputs: &[OpId], more: &Value) -> OpId {
    let mut claim = json!({ "claim_type": "test.said", "identity_key": key, "payload": { "key": key },
        "confidence": 0.75, "confidence_basis": { "source": "person" } });
    for (name, value) in more.as_object().unwrap() {
        claim[name] = value.clone();
    }
    let claim: Claim = serde_json::from_value(claim).unwrap();
    let role = Role::parse("supporting").unwrap();
    let refs = inputs.iter().map(|id| Ref { id: *id, role: role.clone() }).collect();
    home.space.append(Draft { body: Body::Claim(claim), refs }, at(5)).unwrap()
}

fn private_note(home: &mut Home, uid: &str, text: &str) -> OpId {
    let private = Evidence { visibility: Visibility::Private, ..note(uid, text) };
    id_of(home.space.remember(private, at(1)).unwrap())
}

#[test]
fn a_claim_that_states_less_than_its_inputs_demand_is_private_all_the_same() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let said = state(
        &mut home,
        "surprise",
        &[secret, known],
        &json!({ "text": "The boat trip is on Friday" }),
    );
    let above = state(&mut home, "plan", &[said], &json!({ "text": "The boat needs fuel" }));
    let colour = state(&mut home, "colour", &[known], &json!({ "text": "The boat is red" }));
    for (id, is_private) in
        [(secret, true), (said, true), (above, true), (known, false), (colour, false)]
    {
        assert_eq!(home.space.is_private(&id).unwrap(), is_private);
    }
    let query = FactQuery { visibilities: open(), ..FactQuery::new("boat", at(100)) };
    let found = home.space.recall_facts(&query).unwrap().facts;
    let keys: Vec<&str> = found.iter().map(|fact| fact.belief.key.as_str()).collect();
    assert_eq!(keys, ["colour"]);
    for name in ["surprise", "plan", &said.to_string(), &secret.to_string()[..15]] {
        let refused = home.space.explain_disclosed(name, Disclosure::WithoutPrivate);
        let is_unknown = match &refused {
            Err(EngineError::UnknownBelief { near, .. }) => near.is_empty(),
            Err(EngineError::UnknownId { .. }) => name.starts_with("b3:"),
            _ => false,
        };
        assert!(is_unknown, "{name}: {refused:?}");
        assert!(home.space.name_disclosed(name, Disclosure::Full).is_ok());
    }
    // A part of a private key suggests nothing.
    let near = |part: &str| match home.space.name_disclosed(part, Disclosure::WithoutPrivate) {
        Err(EngineError::UnknownBelief { near, .. }) => near,
        other => panic!("{other:?}"),
    };
    assert!(near("surp").is_empty());
    assert_eq!(near("colou"), ["colour"]);
    let request = Request {
        turns: vec![Turn { speaker: "Mara".to_owned(), text: "What of the boat?".to_owned() }],
        ..Request::new("test", at(100))
    };
    let context = home.space.context(&request).unwrap();
    assert!(!context.text.contains("Friday") && !context.text.contains("fuel"), "{}", context.text);
    let mut lines = Vec::new();
    let recipient = Some(key(9).author());
    home.space
        .share(&ExportSelection { recipient, ..ExportSelection::default() }, &mut lines, |_| {})
        .unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert!(!lines.contains("Friday") && !lines.contains("fuel") && lines.contains("is red"));
}

#[test]
fn an_earlier_version_that_is_private_is_not_in_the_explanation_of_a_later_one() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let first = state(&mut home, "boat", &[secret], &json!({ "text": "A surprise" }));
    let later = json!({ "text": "A red boat", "payload": { "colour": "red" } });
    let second = state(&mut home, "boat", &[known], &later);
    let explained = home.space.explain_disclosed("boat", Disclosure::WithoutPrivate).unwrap();
    assert_eq!(explained.explanation.claim.op_id, second);
    let history: Vec<OpId> =
        explained.explanation.history.iter().map(|event| event.op_id).collect();
    assert_eq!((history, explained.withheld), (vec![second], 1));
    let whole = home.space.explain_disclosed("boat", Disclosure::Full).unwrap();
    assert_eq!(whole.explanation.history.len(), 2);
    assert!(whole.explanation.history.iter().any(|event| event.op_id == first));
}

#[test]
fn the_id_of_a_private_record_is_as_unknown_as_one_that_nothing_has() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise").to_string();
    let known = id_of(home.remember("k", "The boat is red"));
    let (taken, free) = (&secret[3..11], "00000000");
    let without = Disclosure::WithoutPrivate;
    let told = |home: &Home, digits: &str| {
        let name = |text: &str| {
            let named = home.space.name_disclosed(text, without);
            let told = named.map_err(|error| (error.code(), error.to_string()));
            format!("{told:?}").replace(digits, "DIGITS")
        };
        let resolved = home.space.resolve_disclosed(digits, without).unwrap_err();
        let resolved = format!("{resolved:?}").replace(digits, "DIGITS");
        [name(digits), name(&format!("b3:{digits}")), resolved]
    };
    let same = |home: &Home| {
        assert_eq!(told(home, taken), told(home, free));
        told(home, free)
    };
    assert!(same(&home)[0].contains("unknown_id"));
    // The digits are a part of a key.
    for digits in [taken, free] {
        state(&mut home, &format!("place|{digits}"), &[known], &json!({}));
    }
    assert!(same(&home)[0].contains("did you mean place|DIGITS"));
    // They are one.
    for digits in [taken, free] {
        state(&mut home, digits, &[known], &json!({}));
    }
    assert!(same(&home)[0].starts_with("Ok(Belief"));
    let named = home.space.name_disclosed(taken, without).unwrap();
    let full = home.space.full_name(&named).unwrap();
    assert_eq!(home.space.belief_named(&full).unwrap(), taken);
    // A private key suggests no less than one that nothing has.
    let private = json!({ "visibility": "private" });
    for number in 0..6 {
        state(&mut home, &format!("a|boats|{number}"), &[known], &private);
    }
    state(&mut home, "b|boats", &[known], &json!({}));
    state(&mut home, "boats", &[known], &private);
    let refused = home.space.name_disclosed("boats", without).unwrap_err();
    assert_eq!(refused.to_string(), "no belief is called boats; did you mean b|boats");
}

#[test]
fn a_version_that_is_private_is_not_explained_as_of_a_time_before_a_later_one() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let said = id_of(home.remember("b", "A surprise"));
    // One stands on a private record, one on a record that becomes private later.
    let hidden = [("boat", secret), ("ring", said)].map(|(key, input)| {
        let first = state(&mut home, key, &[input], &json!({ "text": "A surprise" }));
        let until_us = home.space.show(&first).unwrap().operation.header().ts.0;
        state(&mut home, key, &[known], &json!({ "text": "A red one" }));
        (key, first, until_us)
    });
    let annotation = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    let refs = vec![Ref { id: said, role: Role::parse("target").unwrap() }];
    home.space.append(Draft { body: Body::Annotation(annotation), refs }, at(6)).unwrap();
    let without = Disclosure::WithoutPrivate;
    for (key, first, until_us) in hidden {
        let explain = |name: &str, disclosure, until_us| {
            let then = Viewpoint { disclosure, as_of_us: Some(until_us), valid_at_us: None };
            home.space.explain_from(name, &then)
        };
        let whole = explain(key, Disclosure::Full, until_us).unwrap();
        assert_eq!((whole.explanation.claim.op_id, whole.text.as_str()), (first, "A surprise"));
        for (until_us, name) in
            [(until_us, key), (until_us - 1, key), (until_us, &first.to_string())]
        {
            let refused = explain(name, without, until_us).unwrap_err();
            // That it came with the later version is nothing private.
            let code = if name == key { "not_recorded_then" } else { "unknown_id" };
            assert_eq!(refused.code(), code, "{name}: {refused}");
            assert!(!refused.to_string().contains("surprise"), "{refused}");
        }
        let told = |until_us| explain(key, without, until_us).unwrap_err().to_string();
        assert_eq!(told(until_us), told(until_us - 1));
        assert_eq!(home.space.explain_disclosed(key, without).unwrap().text, "A red one");
    }
}

#[test]
fn an_earlier_version_tells_nothing_of_a_later_one_that_is_private() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let first = state(&mut home, "boat", &[known], &json!({ "text": "A red boat" }));
    let refutation = home.space.to_refute("boat", "").unwrap();
    home.space.act(refutation, Intent::Write, at(6)).unwrap();
    let explained = home.space.explain("boat").unwrap().explanation;
    let refuted = explained.user_actions[0].op_id.to_string();
    let withdrawal = home.space.to_withdraw("boat", "").unwrap();
    home.space.act(withdrawal, Intent::Write, at(7)).unwrap();
    let more = json!({ "text": "A surprise", "valid_to": "2025-03-04" });
    state(&mut home, "boat", &[secret], &more);
    let without = Disclosure::WithoutPrivate;
    assert_eq!(
        home.space.explain_disclosed(&refuted, Disclosure::Full).unwrap().text,
        "A surprise"
    );
    for name in ["boat", &refuted] {
        let refused = home.space.explain_disclosed(name, without).unwrap_err();
        assert_eq!(refused.code(), "unknown_belief", "{refused}");
    }
    let explained = home.space.explain_disclosed(&first.to_string(), without).unwrap();
    assert_eq!((explained.text.as_str(), explained.belief.text.as_str()), ("A red boat", ""));
    assert_eq!((explained.belief.served, explained.belief.valid_to), (None, None));
}

#[test]
fn neighbours_and_what_an_annotation_makes_private_are_not_recalled() {
    let mut home = Home::new();
    let mut said = |uid: &str, text: &str, visibility| {
        let mut evidence = Evidence { visibility, ..note(uid, text) };
        evidence.payload.session = Some("s".to_owned());
        id_of(home.space.remember(evidence, at(1)).unwrap())
    };
    said("1", "The boat leaves at noon", Visibility::Project);
    said("2", "Nobody may know of the ring", Visibility::Private);
    let later = said("3", "The captain likes tea", Visibility::Project);
    let recalled = |home: &Home, text: &str, visibilities: Vec<Visibility>| {
        let filter = Filter { visibilities, ..Filter::default() };
        let query = Query { filter, neighbours: 5, ..Query::new(text, 10) };
        serde_json::to_string(&home.space.recall(&query).unwrap().results).unwrap()
    };
    assert!(recalled(&home, "When does the boat leave?", Vec::new()).contains("ring"));
    let shown = recalled(&home, "When does the boat leave?", open());
    assert!(!shown.contains("ring") && shown.contains("tea"), "{shown}");
    let private = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    let target = Ref { id: later, role: Role::parse(Role::TARGET).unwrap() };
    let annotation = Draft { body: Body::Annotation(private), refs: vec![target] };
    home.space.append(annotation, at(6)).unwrap();
    for question in ["captain tea", "When does the boat leave?"] {
        assert!(!recalled(&home, question, open()).contains("likes tea"), "{question}");
    }
}

#[test]
fn what_an_annotation_makes_private_is_withheld_as_of_a_time_before_it_too() {
    let mut home = Home::new();
    let known = id_of(home.remember("k", "The ring is in the drawer"));
    state(&mut home, "ring", &[known], &json!({ "text": "The ring is in the drawer" }));
    let claim = home.space.reader().unwrap().belief_at("ring", None).unwrap().current.unwrap();
    let viewpoint = Viewpoint {
        disclosure: Disclosure::WithoutPrivate,
        as_of_us: Some(at(5).as_microsecond().cast_unsigned()),
        ..Viewpoint::default()
    };
    let is_found = |home: &Home| {
        let reader = home.space.reader().unwrap();
        reader.record_from(&claim, &viewpoint).unwrap().is_some()
    };
    assert!(is_found(&home));
    let private = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    let target = Ref { id: known, role: Role::parse(Role::TARGET).unwrap() };
    home.space
        .append(Draft { body: Body::Annotation(private), refs: vec![target] }, at(6))
        .unwrap();
    assert!(!is_found(&home));
}

#[test]
fn what_an_annotation_makes_private_takes_nobodys_place() {
    let mut home = Home::new();
    let private = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    for number in 0..6 {
        let id = id_of(home.remember(&format!("p{number}"), &format!("boat boat {number}")));
        let target = Ref { id, role: Role::parse(Role::TARGET).unwrap() };
        let annotation = Draft { body: Body::Annotation(private.clone()), refs: vec![target] };
        home.space.append(annotation, at(6)).unwrap();
    }
    home.remember("open", "The boat is red, and the sea is blue, and the harbour is far away");
    let filter = Filter { visibilities: open(), ..Filter::default() };
    let found = home.space.recall(&Query { filter, ..Query::new("boat", 2) }).unwrap().results;
    let texts: Vec<&str> = found.iter().map(|found| &*found.evidence.payload.text).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("The boat is red"), "{texts:?}");
}

#[test]
fn what_an_annotation_makes_private_changes_no_chance_however_few_are_wanted() {
    let chance = |is_there: bool, limit: usize| {
        let mut home = Home::new();
        home.remember("a", "Ben visited the zoo in Bern and the museum");
        for number in 0..8 {
            let text = format!("The harbour number {number} is far away and blue");
            home.remember(&number.to_string(), &text);
        }
        if is_there {
            let id = id_of(home.remember("p", "Zebulon likes Marburg"));
            let target = Ref { id, role: Role::parse(Role::TARGET).unwrap() };
            let private =
                Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
            let annotation = Draft { body: Body::Annotation(private), refs: vec![target] };
            home.space.append(annotation, at(6)).unwrap();
        }
        let filter = Filter { visibilities: open(), ..Filter::default() };
        let question = "Did Ben visit the zoo in Marburg with Zebulon?";
        home.space.recall(&Query { filter, ..Query::new(question, limit) }).unwrap().relevance
    };
    assert_eq!(chance(true, 1), chance(true, 10));
    // It still counts in how rare words are.
    assert!((chance(true, 1) - chance(false, 1)).abs() < 0.01);
}

#[test]
fn what_an_annotation_makes_private_does_not_make_recall_say_that_memory_answers() {
    let mut home = Home::new();
    home.remember("1", "The boat leaves at noon");
    let id = id_of(home.remember("2", "Ben bought the ring"));
    let asked = |home: &Home, visibilities: Vec<Visibility>| {
        let filter = Filter { visibilities, ..Filter::default() };
        home.space.recall(&Query { filter, ..Query::new("Who bought the ring?", 5) }).unwrap()
    };
    assert!(!asked(&home, open()).abstains);
    let private = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    let target = Ref { id, role: Role::parse(Role::TARGET).unwrap() };
    home.space
        .append(Draft { body: Body::Annotation(private), refs: vec![target] }, at(6))
        .unwrap();
    assert!(!asked(&home, Vec::new()).abstains);
    let recall = asked(&home, open());
    assert!(recall.abstains, "{}", recall.relevance);
}

#[test]
fn what_an_annotation_makes_private_tells_nothing_of_a_person_however_few_are_asked_for() {
    let mut home = Home::new();
    for number in 0..12 {
        home.remember(&format!("n{number}"), &format!("Old Ben brought crate {number} of fish"));
    }
    let told = "Ben turned 44 on the day when the caterers and the band came late to the party";
    let id = id_of(home.remember("told", told));
    let relevances = |home: &Home| {
        [1, 10, 50].map(|limit| {
            let filter = Filter { visibilities: open(), ..Filter::default() };
            let query = Query { filter, ..Query::new("How old is Ben?", limit) };
            home.space.recall(&query).unwrap().relevance
        })
    };
    let before = relevances(&home);
    assert!(before.iter().all(|relevance| *relevance >= 0.9), "{before:?}");
    let private = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    let target = Ref { id, role: Role::parse(Role::TARGET).unwrap() };
    home.space
        .append(Draft { body: Body::Annotation(private), refs: vec![target] }, at(6))
        .unwrap();
    let after = relevances(&home);
    assert!(after.iter().all(|relevance| *relevance <= 0.3), "{after:?}");
}

#[test]
fn a_private_record_does_not_make_a_context_say_that_memory_answers() {
    let mut home = Home::new();
    home.remember("1", "The boat leaves at noon");
    private_note(&mut home, "2", "Ben bought the ring");
    let question = "Who bought the ring?";
    assert!(!home.space.recall(&Query::new(question, 5)).unwrap().abstains);
    let turns = vec![Turn { speaker: "Mara".to_owned(), text: question.to_owned() }];
    let request = Request { turns, ..Request::new("test", at(100)) };
    let context = home.space.context(&request).unwrap();
    assert!(context.relevance < RELEVANCE_MIN, "{}", context.relevance);
}

#[test]
fn what_is_over_is_current_for_nobody_and_a_plan_is() {
    // The questions are asked in October 2025.
    let mut home = Home::new();
    let known = id_of(home.remember("k", "a note"));
    let seen = |date: &str, grace_days: u32| json!({ "at": date, "grace_days": grace_days });
    for (key, more) in [
        ("ended", json!({ "text": "Rows on the harbour", "valid_to": "2025-06-01" })),
        ("faded", json!({ "text": "Sails in the harbour", "last_seen": seen("2025-08-01", 14) })),
        ("fresh", json!({ "text": "Swims by the harbour", "last_seen": seen("2025-10-01", 14) })),
        (
            "plan",
            json!({ "text": "Stays at the harbour", "valid_from": "2026-05-12", "valid_to": "2026-05-14" }),
        ),
        ("weak", json!({ "text": "Fishes off the harbour", "confidence": 0.2 })),
    ] {
        state(&mut home, key, &[known], &more);
    }
    let found = |home: &Home, text: &str, over| {
        let today = Some(jiff::civil::date(2025, 10, 9));
        let query = FactQuery { over, today, limit: 9, ..FactQuery::new(text, at(100)) };
        let facts = home.space.recall_facts(&query).unwrap().facts;
        let mut keys: Vec<String> = facts.into_iter().map(|fact| fact.belief.key).collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(found(&home, "harbour", Over::OnlyIfPast), "fresh plan");
    assert_eq!(found(&home, "harbour", Over::Include), "ended faded fresh plan");
    assert_eq!(
        found(&home, "What was at the harbour?", Over::OnlyIfPast),
        "ended faded fresh plan"
    );
    let listed = |home: &Home, filter: ClaimFilter| {
        let claims = home.space.claims(&filter, 9).unwrap();
        let mut keys: Vec<String> = claims.beliefs.into_iter().map(|one| one.key).collect();
        keys.sort();
        (keys.join(" "), claims.over, claims.below_minimum)
    };
    let now_us = at(100).as_microsecond();
    let current = ClaimFilter {
        current_at_us: Some(now_us),
        confidence_min: Some(0.3),
        ..ClaimFilter::default()
    };
    assert_eq!(listed(&home, current.clone()), ("fresh plan".to_owned(), 2, 1));
    let of_words = ClaimFilter { contains: Some("harbour".to_owned()), ..current };
    assert_eq!(listed(&home, of_words), ("fresh plan".to_owned(), 2, 1));
    let all = home.space.claims(&ClaimFilter::default(), 9).unwrap().beliefs;
    assert_eq!(all.iter().filter(|belief| is_over(belief, now_us)).count(), 2);
}

#[test]
fn a_context_says_of_what_is_over_that_it_is_past() {
    let mut home = Home::new();
    let known = id_of(home.remember("k", "a note"));
    let ended = json!({ "text": "Sails in the harbour", "valid_to": "2025-06-01" });
    state(&mut home, "ended", &[known], &ended);
    let text = |home: &mut Home, said: &str| {
        let turns = vec![Turn { speaker: "Mara".to_owned(), text: said.to_owned() }];
        home.space.context(&Request { turns, ..Request::new("test", at(100)) }).unwrap().text
    };
    assert!(!text(&mut home, "Who sails in the harbour?").contains("| "));
    let past = text(&mut home, "Who was it that sails in the harbour?");
    assert!(past.contains("| In the past, until 2025-06-01: Sails in the harbour"), "{past}");
}

/// An edge that supports, with notes.
fn support(from: OpId, to: OpId, inputs: &[OpId]) -> NamedChange {
    let role = Role::parse("input").unwrap();
    GraphChange::Connect {
        edge_type: EdgeType::Supports,
        from: Reference::Id(from),
        to: Reference::Id(to),
        inputs: inputs.iter().map(|id| (Reference::Id(*id), role.clone())).collect(),
        notes: "Because of the surprise".to_owned(),
    }
    .into()
}

#[test]
fn a_subgraph_without_what_is_private_has_no_edge_that_was_made_from_it() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let one = state(&mut home, "one", &[known], &json!({ "text": "The boat is red" }));
    let other = state(&mut home, "other", &[known], &json!({ "text": "The boat is big" }));
    let changes = [support(one, other, &[secret]), support(other, one, &[known])];
    let edges = home.space.change_graph(&changes, None, Intent::Write, at(6)).unwrap().stand_for;
    let shown = |disclosure| -> Vec<OpId> {
        let limits = SubgraphLimits { disclosure, ..SubgraphLimits::default() };
        let graph = home.space.subgraph(&[one], &limits).unwrap();
        graph.edges.iter().map(|edge| edge.id).collect()
    };
    assert_eq!(shown(Disclosure::WithoutPrivate), [edges[1]]);
    assert_eq!(shown(Disclosure::Full).len(), 2);
}

#[test]
fn what_only_a_private_source_joins_is_not_joined_for_others() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let one = state(&mut home, "one", &[known], &json!({ "text": "The boat is red" }));
    let other = state(&mut home, "other", &[known], &json!({ "text": "The boat is big" }));
    let changes = [support(other, one, &[secret])];
    home.space.change_graph(&changes, None, Intent::Write, at(6)).unwrap();
    let seen = |disclosure| {
        let limits = SubgraphLimits { disclosure, ..SubgraphLimits::default() };
        let near = home.space.subgraph(&[one], &limits).unwrap().records.len();
        let limits = WhyLimits { disclosure, ..WhyLimits::new(at(100)) };
        let why = home.space.why(&one, &limits).unwrap();
        (near, why.links.iter().any(|link| link.relation == Relation::Supports))
    };
    assert_eq!(seen(Disclosure::Full), (2, true));
    assert_eq!(seen(Disclosure::WithoutPrivate), (1, false));
}

#[test]
fn no_path_leads_over_another_name_to_what_is_private() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let hidden = state(&mut home, "hidden", &[secret], &json!({ "text": "The trip is on Friday" }));
    let alias = state(&mut home, "alias", &[known], &json!({ "text": "The boat is away" }));
    let same = GraphChange::Connect {
        edge_type: EdgeType::SameAs,
        from: Reference::Id(alias),
        to: Reference::Id(hidden),
        inputs: vec![(Reference::Id(known), Role::parse("input").unwrap())],
        notes: String::new(),
    };
    home.space.change_graph(&[same.into()], None, Intent::Write, at(6)).unwrap();
    let found = |disclosure| {
        let viewpoint = Viewpoint { disclosure, ..Viewpoint::default() };
        let limits = PathLimits { viewpoint, ..PathLimits::default() };
        home.space.path_between(&alias, &alias, &limits).unwrap().records.len()
    };
    assert_eq!((found(Disclosure::Full), found(Disclosure::WithoutPrivate)), (1, 0));
}

#[test]
fn a_statement_about_something_private_is_private() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let hidden = state(&mut home, "hidden", &[secret], &json!({ "text": "The trip is on Friday" }));
    let shown = state(&mut home, "shown", &[known], &json!({ "text": "The boat is red" }));
    let supersede = |target, text: &str| {
        NamedChange::from(GraphChange::Supersede {
            target: Reference::Id(target),
            text: text.to_owned(),
            inputs: Vec::new(),
            otherwise: Default::default(),
        })
    };
    let cases = [
        (support(hidden, shown, &[]), true),
        (supersede(hidden, "The trip is on Sunday"), true),
        (supersede(shown, "The boat is blue"), false),
    ];
    for (number, (change, is_private)) in cases.into_iter().enumerate() {
        let statement = note(&format!("stated {number}"), "what was said");
        let changed =
            home.space.change_graph(&[change], Some(&statement), Intent::Write, at(7)).unwrap();
        for id in &changed.appended {
            assert_eq!(home.space.is_private(id).unwrap(), is_private, "{number}: {id}");
        }
        assert!(changed.appended.len() > 1, "the statement is recorded");
    }
}

#[test]
fn what_goes_with_an_open_record_and_was_private_by_itself_stays_private() {
    let mut home = Home::new();
    let known = id_of(home.remember("k", "The boat is red"));
    let private = json!({ "text": "The boat is for Ana", "visibility": "private" });
    let said = state(&mut home, "said", &[known], &private);
    let open = state(&mut home, "open", &[known], &json!({ "text": "The boat floats" }));
    let plan = home.space.plan_to_forget(&[known], at(10)).unwrap();
    home.space.forget(&plan, "", at(10)).unwrap();
    for (id, is_private) in [(said, true), (open, false), (known, false)] {
        assert_eq!(home.space.is_private(&id).unwrap(), is_private);
    }
}

#[test]
fn what_was_private_stays_so_after_it_is_forgotten() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let known = id_of(home.remember("k", "The boat is red"));
    let said = state(&mut home, "surprise", &[secret, known], &json!({ "text": "On Friday" }));
    let plan = home.space.plan_to_forget(&[secret], at(10)).unwrap();
    let forgotten = home.space.forget(&plan, "because of the divorce", at(10)).unwrap();
    let open = id_of(home.remember("o", "The shed is green"));
    let plan = home.space.plan_to_forget(&[open], at(11)).unwrap();
    let redaction = home.space.forget(&plan, "", at(11)).unwrap().redactions[0];
    for (id, is_private) in [
        (secret, true),
        (said, true),
        (forgotten.redactions[0], true),
        (known, false),
        (open, false),
        (redaction, false),
    ] {
        assert_eq!(home.space.is_private(&id).unwrap(), is_private);
    }
    let named = home.space.name_disclosed(&secret.to_string(), Disclosure::WithoutPrivate);
    assert!(named.is_err());
}

/// Says of a record that it is private.
fn make_private(home: &mut Home, id: OpId) {
    let private = Annotation { visibility: Some(Visibility::Private), ..Annotation::default() };
    let target = Ref { id, role: Role::parse(Role::TARGET).unwrap() };
    let annotation = Draft { body: Body::Annotation(private), refs: vec![target] };
    home.space.append(annotation, at(6)).unwrap();
}

#[test]
fn a_conclusion_from_what_an_annotation_makes_private_is_listed_as_private() {
    let mut home = Home::new();
    let known = id_of(home.remember("k", "The boat is red"));
    state(&mut home, "colour", &[known], &json!({ "text": "The boat is red" }));
    let listed = |home: &Home| {
        let listed = home.space.claims(&ClaimFilter::default(), 10).unwrap().beliefs;
        (listed[0].visibility, listed[0].stated_visibility)
    };
    assert_eq!(listed(&home), (Visibility::Project, None));
    make_private(&mut home, known);
    assert_eq!(listed(&home), (Visibility::Private, Some(Visibility::Project)));
}

#[test]
fn a_fact_that_stands_on_something_private_is_recalled_as_private() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    state(&mut home, "trip", &[secret], &json!({ "text": "The boat trip is on Friday" }));
    let found = home.space.recall_facts(&FactQuery::new("boat trip", at(100))).unwrap().facts;
    let belief = &found[0].belief;
    assert_eq!(belief.visibility, Visibility::Private);
    assert_eq!(belief.stated_visibility, Some(Visibility::Project));
}

#[test]
fn a_node_that_stands_on_something_private_is_recalled_as_private() {
    let mut home = Home::new();
    let secret = private_note(&mut home, "s", "The boat trip is a surprise");
    let input = (Reference::Id(secret), Role::parse("supporting").unwrap());
    let node = RecordType::Node(NodeType::Decision);
    let stated = Statement {
        inputs: vec![input],
        ..Statement::new(node, "Rent the boat for the trip".to_owned())
    };
    let change = GraphChange::State(Box::new(stated)).into();
    home.space.change_graph(&[change], None, Intent::Write, at(10)).unwrap();
    let found = home.space.recall_nodes(&FactQuery::new("boat trip", at(100))).unwrap();
    let record = &found[0].record;
    assert_eq!(record.visibility, Visibility::Private);
    assert_eq!(record.stated_visibility, Some(Visibility::Project));
}
