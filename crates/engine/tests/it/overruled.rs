//! A record says which of its conclusions the user refuted or corrected.

use engine::belief::user::Replacement;
use engine::private::{Disclosure, Viewpoint};
use engine::recall::context::{Request, Turn};
use engine::recall::episodes::Query;
use engine::recall::overruled::Overruled;
use kernel::id::OpId;
use kernel::validity::State;
use serde_json::json;

use crate::private::state;
use crate::support::{Home, at, id_of};

const QUESTION: &str = "Where is the boat?";

fn overruled(home: &Home, record: OpId, viewpoint: Viewpoint) -> Vec<Overruled> {
    let mut found = home.space.recall(&Query::new(QUESTION, 10)).unwrap().results;
    home.space.mark_overruled(&mut found, viewpoint).unwrap();
    found.into_iter().find(|found| found.id == record).unwrap().overruled
}

/// Each as its key, state and text.
fn in_words(overruled: &[Overruled]) -> Vec<(&str, &str, &str)> {
    overruled.iter().map(|one| (one.key.as_str(), one.state.as_str(), one.text.as_str())).collect()
}

#[test]
fn a_record_says_what_was_overruled_of_its_conclusions_as_of_then_and_without_what_is_private() {
    let mut home = Home::new();
    let first = id_of(home.remember("a", "The boat is red and in Oslo"));
    let second = id_of(home.remember("b", "The boat is in Bergen"));
    let secret = json!({ "text": "The boat is stolen", "visibility": "private" });
    let said = |place: &str| json!({ "text": format!("In {place}"), "payload": { "in": place } });
    let claims = [
        state(&mut home, "colour", &[first], &json!({ "text": "It is red" })),
        state(&mut home, "stolen", &[first], &secret),
        state(&mut home, "place", &[first], &said("Oslo")),
    ];
    state(&mut home, "place", &[second], &said("Bergen"));
    assert_eq!(overruled(&home, first, Viewpoint::default()), []);
    let set = vec![r#"{"in":"Bergen"}"#.to_owned()];
    let to = Replacement { set, text: Some("In Bergen".to_owned()), ..Replacement::default() };
    let mut drafts = home.space.to_correct("place", &to).unwrap();
    drafts.extend(home.space.to_refute("colour", "").unwrap());
    drafts.extend(home.space.to_refute("stolen", "").unwrap());
    for draft in drafts {
        home.space.append(draft, at(60)).unwrap();
    }
    let all = overruled(&home, first, Viewpoint::default());
    let mut words = in_words(&all);
    words.sort_unstable();
    let expected = [
        ("colour", "refuted", "It is red"),
        ("place", "corrected", "In Bergen"),
        ("stolen", "refuted", "The boat is stolen"),
    ];
    assert_eq!(words, expected);
    let colour = all.iter().find(|one| one.state == State::Refuted && one.key == "colour");
    assert_eq!(colour.map(|one| one.id), Some(claims[0]));
    // Who says what the user says is not overruled.
    assert_eq!(overruled(&home, second, Viewpoint::default()), []);
    let shown = overruled(&home, first, Disclosure::WithoutPrivate.into());
    assert!(in_words(&shown).iter().all(|(key, ..)| *key != "stolen") && shown.len() == 2);
    let as_of_us = Some(at(30).as_microsecond().unsigned_abs());
    assert_eq!(overruled(&home, first, Viewpoint { as_of_us, ..Viewpoint::default() }), []);
    let turns = vec![Turn { speaker: "Mara".to_owned(), text: QUESTION.to_owned() }];
    let context = home.space.context(&Request { turns, ..Request::new("test", at(100)) }).unwrap();
    assert!(context.text.contains("was refuted by the user"), "{}", context.text);
    assert!(context.text.contains("corrected by the user in [b3:"), "{}", context.text);
    assert!(!context.text.contains("stolen"), "{}", context.text);
}
