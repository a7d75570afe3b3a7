//! Records that repeat memory or earlier records do not change any belief.

use engine::Space;
use engine::derive::Extent;
use engine::recall::context::{Request, Turn};
use engine::write::import::Intent;
use engine::write::record::Outcome;
use importers::Context;
use kernel::evidence::{Echo, EchoKind, Evidence, Payload};
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::when::When;
use serde_json::json;

use crate::support::{Home, at, exported, id_of, note, recalled};
use crate::toys::{HABIT, Habits, Tastes, derive};

/// A later second: memory was searched in between.
const LATER: i64 = 5_000;

fn message(role: &str, text: &str, second: i64) -> Evidence {
    let payload = Payload {
        text: text.to_owned(),
        role: Some(role.to_owned()),
        session: Some("s1".to_owned()),
        ..Payload::default()
    };
    let uid = format!("{role}-{second}");
    Evidence {
        actor: Some(role.to_owned()),
        at: Some(When::from_timestamp(at(second))),
        payload,
        ..note(&uid, "")
    }
}

fn record(space: &mut Space, evidence: Evidence) -> OpId {
    id_of(space.remember(evidence, at(LATER + 100)).unwrap())
}

fn mark(space: &Space, id: &OpId) -> Option<Echo> {
    let recorded = store::Ledger::get(&beside(space), id).unwrap().unwrap();
    serde_json::from_slice::<Evidence>(recorded.operation.body().unwrap()).unwrap().echo()
}

/// The ledger of a space, read beside it.
fn beside(space: &Space) -> store::sqlite::SqliteSpace {
    store::sqlite::SqliteSpace::open(space.path()).unwrap()
}

/// A space in which six notes make a habit.
fn gym() -> Home {
    let mut home = Home::new();
    home.space.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    let days = ["the first", "the second", "the third", "the fourth", "the fifth", "the sixth"];
    let things = [
        "a long swim",
        "weights",
        "the rowing machine",
        "yoga",
        "a class with Anna",
        "the treadmill",
    ];
    for (day, thing) in days.iter().zip(things) {
        home.remember(
            day,
            &format!("gym on {day} Monday of the year, {thing} and a coffee with Petra afterwards"),
        );
    }
    derive(&mut home.space);
    home
}

/// The confidence of the habit, and its records.
fn believed(space: &Space) -> (f64, Vec<OpId>) {
    let sources = space.explain(HABIT).unwrap().explanation.built_from;
    (space.believed(HABIT).unwrap().confidence, sources.iter().map(|source| source.op_id).collect())
}

/// Shows an agent what memory has about the gym.
fn shown(home: &mut Home) -> engine::recall::context::Context {
    let turns = vec![Turn {
        speaker: "user".to_owned(),
        text: "When was I at the gym with Petra on a Monday?".to_owned(),
    }];
    let session = Some("s1".to_owned());
    let context = home
        .space
        .context(&Request { turns, session, ..Request::new("claude", at(LATER)) })
        .unwrap();
    assert!(context.items.iter().filter(|item| item.id.is_some()).count() >= 3, "{}", context.text);
    context
}

#[test]
fn a_transcript_that_quotes_what_memory_had_shown_moves_no_belief_whoever_quotes_it() {
    let mut home = gym();
    let before = believed(&home.space);
    let context = shown(&mut home);
    let item = context.items.iter().find(|item| item.text.starts_with("gym on")).unwrap();
    let quotes = [
        ("system", context.text.clone()),
        ("user", item.text.clone()),
        ("user", context.text.split("<conversation").next().unwrap().to_owned()),
        ("assistant", item.text.to_uppercase()),
        ("tool", json!({ "context": context.text, "items": context.items }).to_string()),
    ];
    for (number, (role, text)) in quotes.into_iter().enumerate() {
        let id = record(&mut home.space, message(role, &text, LATER + 1 + number as i64));
        let echo = mark(&home.space, &id).unwrap_or_else(|| panic!("{role} quotes: {text}"));
        assert_eq!(echo.kind, EchoKind::Injected, "{role}");
        assert!(!echo.of.is_empty() && echo.share >= 0.8);
    }
    derive(&mut home.space);
    assert_eq!(believed(&home.space), before);
    let (derived, _) =
        home.space.derive(Extent::Full, Intent::Write, at(LATER + 200), |_| {}).unwrap();
    assert!(derived.changed_nothing(), "{derived:?}");
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn in_imported_transcripts_of_both_formats_only_quotations_of_memory_are_echoes() {
    let mut home = gym();
    let before = believed(&home.space);
    let context = shown(&mut home);
    let item = &context.items.iter().find(|item| item.text.starts_with("gym on")).unwrap().text;
    let memory = context.text.split("<conversation").next().unwrap();
    let new = "That is right, and from March on I shall go on Wednesdays instead, since the pool is closed for repairs";
    let time = |second: i64| at(LATER + second).to_string();
    let claude = [
        json!({"type":"user","uuid":"u1","sessionId":"s9","timestamp":time(1),"message":{"role":"user","content":memory}}),
        json!({"type":"assistant","uuid":"u2","sessionId":"s9","timestamp":time(2),"message":{"role":"assistant","content":[{"type":"text","text":item}]}}),
        json!({"type":"user","uuid":"u3","sessionId":"s9","timestamp":time(3),"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":memory}]}}),
        json!({"type":"user","uuid":"u4","sessionId":"s9","timestamp":time(4),"message":{"role":"user","content":new}}),
    ];
    let chat = [
        json!({"session":"s8","role":"system","text":memory,"timestamp":time(1)}),
        json!({"session":"s8","role":"assistant","text":item,"timestamp":time(2)}),
        json!({"session":"s8","role":"user","text":item,"timestamp":time(3)}),
        json!({"session":"s8","role":"user","text":format!("{new} says my coach"),"timestamp":time(4)}),
    ];
    for (name, lines) in [("claude.jsonl", claude), ("chat.jsonl", chat)] {
        let path = home.path(name);
        std::fs::write(&path, lines.map(|line| line.to_string()).join("\n")).unwrap();
        let importer = importers::detect(&path).unwrap().unwrap();
        let context = Context::new(at(LATER + 50), jiff::tz::TimeZone::UTC);
        let report = home.space.import(importer, &path, &context, Intent::Write, |_| {}).unwrap();
        assert_eq!((report.tally.added, report.problem_count), (4, 0), "{name}");
        let again = home.space.import(importer, &path, &context, Intent::Write, |_| {}).unwrap();
        assert_eq!(
            (again.tally.added, again.tally.replaced, again.tally.present),
            (0, 0, 4),
            "{name}"
        );
    }
    let recall = home
        .space
        .recall(&crate::support::query("gym Monday Petra coffee pool Wednesdays"))
        .unwrap();
    let marked = recall.results.iter().filter(|result| result.evidence.echo().is_some()).count();
    assert_eq!(marked, 0, "echoes are not listed beside what they repeat");
    assert!(recalled(&home.space, "Wednesdays").iter().any(|text| text == new));
    derive(&mut home.space);
    assert_eq!(believed(&home.space), before);
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn a_turn_of_which_only_a_part_quotes_memory_is_evidence() {
    let mut home = gym();
    let context = shown(&mut home);
    let item = &context.items.iter().find(|item| item.text.starts_with("gym on")).unwrap().text;
    let text = format!(
        "{item}. But last week I hurt my shoulder, so the doctor wants me to stay away from weights until June"
    );
    let id = record(&mut home.space, message("user", &text, LATER + 1));
    assert_eq!(mark(&home.space, &id), None);
}

#[test]
fn a_quotation_that_corrects_memory_is_new_evidence() {
    let mut home = gym();
    let context = shown(&mut home);
    let texts: Vec<&str> = context
        .items
        .iter()
        .map(|item| item.text.as_str())
        .filter(|text| text.starts_with("gym on"))
        .collect();
    let denied = texts[0].replace("and a coffee", "but not a coffee");
    assert_ne!(denied, texts[0]);
    let id = record(&mut home.space, message("user", &denied, LATER + 1));
    assert_eq!(mark(&home.space, &id), None);
    let listed: Vec<String> =
        texts.iter().enumerate().map(|(number, text)| format!("{}. {text}", number + 1)).collect();
    let id = record(&mut home.space, message("assistant", &listed.join("\n"), LATER + 2));
    assert_eq!(
        mark(&home.space, &id).unwrap().kind,
        EchoKind::Injected,
        "a list of what was shown"
    );
}

#[test]
fn short_words_are_echoes_only_in_the_conversation_in_which_they_were_shown() {
    let mut home = Home::new();
    home.remember("a", "Idris recommends tenmoku glaze");
    let turns =
        vec![Turn { speaker: "user".to_owned(), text: "Which glaze does he like?".to_owned() }];
    let session = Some("s1".to_owned());
    home.space.context(&Request { turns, session, ..Request::new("claude", at(LATER)) }).unwrap();
    let echo =
        record(&mut home.space, message("assistant", "Idris recommends tenmoku glaze!", LATER + 1));
    assert_eq!(mark(&home.space, &echo).unwrap().kind, EchoKind::Injected);
    let mut elsewhere = message("assistant", "Idris recommends tenmoku glaze.", LATER + 2);
    elsewhere.payload.session = Some("s2".to_owned());
    let id = record(&mut home.space, elsewhere);
    assert_eq!(mark(&home.space, &id), None);
    let earlier = record(&mut home.space, message("user", "Idris recommends tenmoku glaze", 5));
    assert_eq!(mark(&home.space, &earlier), None, "said before memory showed it");
}

#[test]
fn a_statement_in_two_exports_counts_once_and_a_new_version_of_it_counts() {
    let mut home = Home::new();
    let text = "Petra waters the tomatoes on Mondays and Thursdays while we are away in the summer";
    let dated = |source: &str, uid: &str, text: &str| Evidence {
        source: source.to_owned(),
        at: Some(When::parse("2025-06-01T09:00:00Z").unwrap()),
        ..note(uid, text)
    };
    let first = record(&mut home.space, dated("chat-jsonl", "1", text));
    let second = record(&mut home.space, dated("text", "x", &text.to_uppercase()));
    assert_eq!(
        mark(&home.space, &second),
        Some(Echo { of: vec![first], kind: EchoKind::Exact, share: 1.0 })
    );
    let near =
        record(&mut home.space, dated("mbox", "y", &text.replace(" in the summer", ", in summer")));
    assert_eq!(mark(&home.space, &near).unwrap().kind, EchoKind::Near);
    assert_eq!(recalled(&home.space, "tomatoes"), [text], "what was told first");
    let again = home.space.remember(dated("text", "x", &text.to_uppercase()), at(9)).unwrap();
    assert_eq!(again, Outcome::Present(second));
    let changed = home
        .space
        .remember(dated("chat-jsonl", "1", &format!("{text} of this year")), at(9))
        .unwrap();
    let Outcome::Replaced { new, old } = changed else { panic!("{changed:?}") };
    assert_eq!((old, mark(&home.space, &new)), (first, None));
}

#[test]
fn a_retracted_statement_can_be_recorded_again() {
    let mut home = Home::new();
    let text = "Petra waters the tomatoes on Mondays and Thursdays while we are away in the summer";
    let first = record(&mut home.space, note("a", text));
    let target = vec![Ref { id: first, role: Role::parse(Role::TARGET).unwrap() }];
    let body = kernel::body::Body::parse(&kernel::kind::Kind::EvidenceRetraction, b"{}").unwrap();
    home.space.append(kernel::seal::Draft { body, refs: target }, at(3)).unwrap();
    let again = record(&mut home.space, note("b", text));
    assert_eq!(mark(&home.space, &again), None);
    let copy = record(&mut home.space, note("c", text));
    assert_eq!(mark(&home.space, &copy).unwrap().of, [again]);
}

#[test]
fn a_repeated_event_counts_each_time() {
    let mut home = Home::new();
    home.space.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    let text = "gym with Petra: a long swim, weights, the rowing machine, and a coffee afterwards as always";
    let confidences: Vec<f64> = (1..=6)
        .map(|day| {
            let at = Some(When::parse(&format!("2025-06-0{day}")).unwrap());
            record(&mut home.space, Evidence { at, ..note(&day.to_string(), text) });
            derive(&mut home.space);
            home.space.believed(HABIT).map_or(0.0, |belief| belief.confidence)
        })
        .collect();
    assert!(confidences.windows(2).all(|pair| pair[1] > pair[0]), "{confidences:?}");
}

#[test]
fn records_of_another_copy_are_recognised_when_they_come_back() {
    let mut home = Home::new();
    let text = "Petra waters the tomatoes on Mondays and Thursdays while we are away in the summer";
    let first = record(&mut home.space, note("a", text));
    let lines = exported(&home.space);
    let mut other = Home::new();
    let path = other.path("copy.space");
    let genesis = beside(&home.space);
    let recorded = store::Ledger::read(&genesis, store::Position(0), 1).unwrap().pop().unwrap();
    let operation = recorded.operation;
    let body =
        kernel::body::Body::parse(&operation.header().kind, operation.body().unwrap()).unwrap();
    let operation = operation.verify().unwrap();
    other.space = Space::copy_of(&path, &operation, &body, crate::support::key(1)).unwrap();
    other.space.take_in(&mut lines.as_slice(), at(5), |_| {}).unwrap();
    let copy = record(&mut other.space, note("b", text));
    assert_eq!(mark(&other.space, &copy).unwrap().of, [first]);
}

#[test]
fn a_source_cannot_mark_its_own_records_as_echoes() {
    let mut home = Home::new();
    let mut evidence =
        note("a", "Idris recommends tenmoku glaze for the tall bowls in the studio on Ringön");
    let claimed = Echo { of: vec![OpId([7; 32])], kind: EchoKind::Exact, share: 1.0 };
    evidence.mark_echo(&claimed);
    let id = record(&mut home.space, evidence.clone());
    assert_eq!(mark(&home.space, &id), None);
    evidence.payload.more.insert("echo".to_owned(), json!("odd"));
    let id = record(&mut home.space, Evidence { source_uid: "b".to_owned(), ..evidence });
    assert_eq!(mark(&home.space, &id).unwrap().kind, EchoKind::Exact, "ours, not the source's");
}

#[test]
fn hostile_texts_are_recorded_in_bounded_time() {
    let mut home = Home::new();
    let begun = std::time::Instant::now();
    let texts = [
        "word ".repeat(200_000),
        "🏺".repeat(100_000),
        "a b c d e f g h i j k l m n o ".repeat(30_000),
        "{\"".repeat(300_000),
    ];
    for (number, text) in texts.iter().enumerate() {
        for copy in 0..5 {
            record(&mut home.space, message("tool", text, (number * 10 + copy) as i64));
        }
    }
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn copies_are_recognised_within_a_bulk_import_and_after_it_by_every_process() {
    let mut home = Home::new();
    let text = |number: usize| {
        format!(
            "On day {number} Petra watered the {number} tomatoes, the {number} beans and the {number} old roses of the garden"
        )
    };
    let batch = |from: usize, copy: &str| -> Vec<engine::write::record::Prepared> {
        let notes =
            (from..from + 1_000).map(|number| note(&format!("{copy}{number}"), &text(number)));
        notes.map(|note| engine::write::record::Prepared::new(note.into()).unwrap()).collect()
    };
    home.space.record(batch(0, "a"), at(1)).unwrap();
    let copies = home.space.record(batch(0, "b"), at(2)).unwrap();
    assert!(
        copies.iter().all(|outcome| mark(&home.space, &id_of(*outcome)).is_some()),
        "within the bulk"
    );
    home.space.record(batch(0, "b"), at(2)).unwrap();
    home.space.record(batch(1_000, "a"), at(2)).unwrap();
    // No keys are written yet; another process reads the records again, some at a time.
    let mut other = home.again(1);
    for turn in 0..3 {
        other.remember(note(&format!("other{turn}"), "nothing of the kind"), at(3)).unwrap();
    }
    let copy = record(&mut other, note("c", &text(1_999)));
    assert!(mark(&home.space, &copy).is_some(), "in another process");
    let copy = record(&mut home.space, note("d", &text(500)));
    assert!(mark(&home.space, &copy).is_some(), "in the first one again");
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn copies_are_recognised_by_every_process_when_several_record_one_by_one() {
    let mut home = Home::new();
    let text = |number: usize| {
        format!(
            "On day {number} Petra watered the {number} tomatoes, the {number} beans and the {number} old roses of the garden"
        )
    };
    let mut other = home.again(1);
    // Keys are written for many records at once, so each process usually has some in its buffer.
    for number in 0..80 {
        let uid = number.to_string();
        let first = if number % 2 == 0 { &mut home.space } else { &mut other };
        first.remember(note(&uid, &text(number)), at(1)).unwrap();
        let next = &mut home.again(1);
        for (place, space) in [&mut other, &mut home.space, next].into_iter().enumerate() {
            let copy = record(space, note(&format!("{uid} {place}"), &text(number)));
            assert!(mark(space, &copy).is_some(), "{number}, {place}");
        }
    }
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}
