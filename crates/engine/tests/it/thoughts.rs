//! What agents thought: kept, private, and out of every answer unless its kind is asked for.

use std::path::PathBuf;

use engine::derive::Extent;
use engine::private::Disclosure;
use engine::recall::episodes::{Query, Recall};
use engine::write::import::{Intent, Report};
use engine::write::record::Outcome;
use importers::Context;
use kernel::body::{Body, Reason};
use kernel::evidence::EvidenceKind;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use serde_json::json;

use crate::support::{Home, at, note, query};

/// A session in which an agent thinks at every turn, or keeps its thinking to itself.
fn transcript(home: &Home, thinks: bool) -> PathBuf {
    let mut lines = String::new();
    for number in 0..40 {
        let text = format!("The glaze of batch {number} is celadon, fired to cone ten.");
        let mut content = vec![json!({ "type": "text", "text": text })];
        if thinks {
            let thinking = format!("Maybe tenmoku suits batch {number}, my manager Olga likes it.");
            content.insert(
                0,
                json!({ "type": "thinking", "thinking": thinking, "signature": "c2ln" }),
            );
        }
        let line = json!({ "type": "assistant", "uuid": format!("u{number}"), "sessionId": "s1", "parentUuid": "p",
            "timestamp": format!("2025-03-01T09:{number:02}:00Z"), "message": { "role": "assistant", "content": content } });
        lines.push_str(&format!("{line}\n"));
    }
    let path = home.path("s1.jsonl");
    std::fs::write(&path, lines).unwrap();
    path
}

fn import(home: &mut Home, thinks: bool) -> Report {
    let path = transcript(home, thinks);
    let importer = importers::by_name("claude-code").unwrap();
    let context = Context::new(at(10), jiff::tz::TimeZone::UTC);
    home.space.import(importer, &path, &context, Intent::Write, |_| {}).unwrap()
}

/// An answer without what depends on the ids of operations.
fn answer(recall: &Recall) -> Vec<(String, String)> {
    let words = |result: &engine::recall::episodes::Recollection| {
        (result.evidence.payload.text.clone(), format!("{:?} {:?}", result.score, result.terms))
    };
    recall.results.iter().map(words).collect()
}

fn of_kind(text: &str, kinds: &[&str]) -> Query {
    let mut query = query(text);
    query.filter.kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    query
}

#[test]
fn thinking_changes_no_answer_and_is_found_where_its_kind_is_asked_for() {
    let (mut plain, mut thinking) = (Home::new(), Home::new());
    import(&mut plain, false);
    let report = import(&mut thinking, true);
    assert_eq!(report.tally.added, 80);
    for question in ["tenmoku", "which glaze is it", "batch 7", "who is my manager"] {
        let (one, other) =
            (plain.space.recall(&query(question)), thinking.space.recall(&query(question)));
        assert_eq!(answer(&one.unwrap()), answer(&other.unwrap()), "{question}");
    }
    for home in [&mut plain, &mut thinking] {
        assert!(home.space.verify(|_| {}).unwrap().is_sound());
    }
    let derived = |home: &mut Home| {
        home.space.derive(Extent::Changed, Intent::Write, at(20), |_| {}).unwrap();
        let claims = home.space.claims(&Default::default(), 100).unwrap().beliefs;
        claims.into_iter().map(|belief| belief.text).collect::<Vec<_>>()
    };
    assert_eq!(derived(&mut plain), derived(&mut thinking));

    let space = &thinking.space;
    let thoughts = space.recall(&of_kind("tenmoku batch 7", &["thought_action"])).unwrap();
    let first = &thoughts.results[0];
    assert_eq!(
        first.evidence.payload.text,
        "Maybe tenmoku suits batch 7, my manager Olga likes it."
    );
    assert_eq!(space.show(&first.id).unwrap().fault, None);
    let both = space.recall(&of_kind("tenmoku celadon", &["thought_action", "turn"])).unwrap();
    let thought =
        |result: &&engine::recall::episodes::Recollection| result.evidence.kind.is_thinking();
    let count = both.results.iter().filter(thought).count();
    assert!(count > 0 && count < both.results.len());
    let mut for_others = of_kind("tenmoku", &["thought_action"]);
    for_others.filter.visibilities = Disclosure::WithoutPrivate.visibilities();
    assert!(space.recall(&for_others).unwrap().results.is_empty(), "thinking is private");
    assert!(
        plain.space.recall(&of_kind("tenmoku", &["thought_action"])).unwrap().results.is_empty()
    );
}

#[test]
fn a_transcript_that_is_imported_again_gains_its_thinking_and_keeps_the_rest() {
    let mut home = Home::new();
    import(&mut home, false);
    let again = import(&mut home, true);
    assert_eq!((again.tally.added, again.tally.replaced, again.tally.present), (40, 0, 40));
}

#[test]
fn thinking_that_was_retracted_is_not_found() {
    let mut home = Home::new();
    let mut thought = note("1", "Perhaps the kiln leaks.");
    thought.kind = EvidenceKind::from(EvidenceKind::THOUGHT_ACTION);
    let Outcome::Added(id) = home.space.remember(thought, at(1)).unwrap() else { panic!("new") };
    let asked = of_kind("kiln", &["thought_action"]);
    assert_eq!(home.space.recall(&asked).unwrap().results.len(), 1);
    let body = Body::EvidenceRetraction(Reason { reason: String::new() });
    let refs = vec![Ref { id, role: Role::parse(Role::TARGET).unwrap() }];
    home.space.act(vec![Draft { body, refs }], Intent::Write, at(2)).unwrap();
    assert!(home.space.recall(&asked).unwrap().results.is_empty());
}
