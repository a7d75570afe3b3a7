//! Correcting records, and correcting beliefs in words alone.

use engine::Space;
use engine::belief::user::Replacement;
use engine::derive::Extent;
use engine::recall::episodes::Query;
use engine::write::import::Intent;
use engine::write::record::Outcome;
use jiff::Timestamp;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::seal::Signer;
use serde_json::json;

const NOW: Timestamp = Timestamp::constant(1_700_000_000, 0);

fn space() -> Space {
    Space::create_in_memory(Signer::from_seed([1; 32]), "t", NOW).unwrap()
}

fn note(text: &str) -> Evidence {
    serde_json::from_value(json!({
        "source": "markdown", "source_uid": "van.md#", "kind": "note", "at": "2025-03-02",
        "summary": text, "visibility": "project",
        "payload": { "text": text, "title": "Van", "session": "van.md", "correction": "forged" },
    }))
    .unwrap()
}

fn words(text: &str) -> Replacement {
    Replacement { text: Some(text.to_owned()), note: "I said so".to_owned(), ..Default::default() }
}

fn correct(space: &mut Space, id: &OpId, by: &Replacement) -> OpId {
    let drafts = space.to_correct(&id.to_string(), by).unwrap();
    space.act(drafts, Intent::Write, NOW).unwrap().recorded[0]
}

fn recalled(space: &Space) -> Vec<String> {
    let found = space.recall(&Query::new("van booked", 5)).unwrap().results;
    found.into_iter().map(|hit| hit.evidence.payload.text).collect()
}

fn code<T>(result: Result<T, engine::EngineError>) -> &'static str {
    result.err().map_or("", |error| error.code())
}

#[test]
fn a_corrected_record_replaces_the_earlier_one_and_keeps_its_source() {
    let mut space = space();
    let Outcome::Added(first) = space.remember(note("The van is booked for Friday"), NOW).unwrap()
    else {
        panic!()
    };
    let second = correct(&mut space, &first, &words("The van is booked for Saturday"));
    assert_eq!(recalled(&space), ["The van is booked for Saturday"]);
    let hit = &space.recall(&Query::new("van", 5)).unwrap().results[0].evidence;
    assert_eq!((hit.source.as_str(), hit.source_uid.as_str()), ("markdown", "van.md#"));
    assert_eq!(hit.at.as_ref().unwrap().as_str(), "2025-03-02");
    assert_eq!(
        (hit.correction(), hit.summary.as_str()),
        (Some("I said so"), "The van is booked for Saturday")
    );
    assert_eq!(code(space.to_correct(&first.to_string(), &words("x"))), "superseded");
    let fields = Replacement { set: vec!["text=x".to_owned()], ..Default::default() };
    assert_eq!(code(space.to_correct(&second.to_string(), &fields)), "not_a_belief");
    let moved = Replacement {
        at: Some("2025-03-08".parse_when()),
        ..words("On Saturday the van is booked")
    };
    let third = correct(&mut space, &second, &moved);
    assert_eq!(recalled(&space), ["On Saturday the van is booked"]);
    let drafts = space.to_retract(&third.to_string(), "").unwrap();
    space.act(drafts, Intent::Write, NOW).unwrap();
    assert_eq!(code(space.to_correct(&third.to_string(), &words("x"))), "already_retracted");
    assert!(recalled(&space).is_empty());
}

trait ParseWhen {
    fn parse_when(&self) -> kernel::when::When;
}

impl ParseWhen for str {
    fn parse_when(&self) -> kernel::when::When {
        kernel::when::When::parse(self).unwrap()
    }
}

#[test]
fn importing_the_source_again_keeps_a_correction_until_the_source_says_something_else() {
    let mut space = space();
    let Outcome::Added(first) = space.remember(note("The van is booked for Friday"), NOW).unwrap()
    else {
        panic!()
    };
    let second = correct(&mut space, &first, &words("The van is booked for Saturday"));
    let third = correct(&mut space, &second, &words("The van is booked for Sunday"));
    let same = space.remember(note("The van is booked for Friday"), NOW).unwrap();
    assert_eq!(same, Outcome::Present(third));
    assert_eq!(recalled(&space), ["The van is booked for Sunday"]);
    let changed = space.remember(note("The van is booked for Monday"), NOW).unwrap();
    assert!(matches!(changed, Outcome::Replaced { old, .. } if old == third), "{changed:?}");
    assert_eq!(recalled(&space), ["The van is booked for Monday"]);
    let hit = &space.recall(&Query::new("van", 5)).unwrap().results[0].evidence;
    assert_eq!(hit.correction(), None, "a source does not mark its records as corrections");
}

#[test]
fn words_alone_correct_a_belief_only_if_the_data_follow_from_them() {
    let mut space = space();
    let stated = serde_json::from_value::<Evidence>(json!({
        "source": "remember", "source_uid": "1", "kind": "note", "summary": "x",
        "visibility": "project", "payload": { "text": "I love walnuts." },
    }));
    space.remember(stated.unwrap(), NOW).unwrap();
    space.derive(Extent::Changed, Intent::Write, NOW, |_| {}).unwrap();
    let beliefs = space.beliefs().unwrap();
    let belief = beliefs.iter().find(|belief| belief.key.starts_with("preference.")).unwrap();
    assert_eq!(belief.payload["polarity"], "like");
    assert_eq!(
        code(space.to_correct(&belief.key, &words("Walnuts are out of the question"))),
        "text_alone"
    );
    for text in ["You hate walnuts.", "I hate walnuts"] {
        let drafts = space.to_correct(&belief.key, &words(text)).unwrap();
        let kernel::body::Body::ClaimCorrection(correction) = &drafts[0].body else { panic!() };
        assert_eq!(correction.corrected_payload["polarity"], "dislike", "{text}");
        assert_eq!(correction.text.as_deref(), Some(text));
    }
    let same = space.to_correct(&belief.key, &words(&belief.text)).unwrap();
    let kernel::body::Body::ClaimCorrection(correction) = &same[0].body else { panic!() };
    assert_eq!(correction.corrected_payload["polarity"], "like");
    let both =
        Replacement { set: vec!["polarity=dislike".to_owned()], ..words("No walnuts, please") };
    assert!(space.to_correct(&belief.key, &both).is_ok());
    for (set, text, is_refused) in [
        ("polarity=like", "You hate walnuts", true),
        ("polarity=dislike", "You like walnuts.", true),
        ("polarity=dislike", "I hate Walnuts!", false),
        (r#"{"object":"walnuts","polarity":"like"}"#, "You hate walnuts", true),
        ("object=pecans", "You like walnuts", true),
        ("object=olives", "You hate olives", true),
        ("object=olives", "You like olives", false),
        ("object=olives", "You love olives. You hate figs.", false),
        ("object=olives", "Olives, always", false),
    ] {
        let both = Replacement { set: vec![set.to_owned()], ..words(text) };
        let refused = space.to_correct(&belief.key, &both).err().map(|error| error.code());
        assert_eq!(refused, is_refused.then_some("text_contradicts"), "{set} {text}");
    }
}

#[test]
fn a_corrected_record_says_again_what_it_said_once_that_is_withdrawn() {
    let mut space = space();
    let Outcome::Added(first) = space.remember(note("The van is booked for Friday"), NOW).unwrap()
    else {
        panic!()
    };
    assert_eq!(code(space.to_withdraw(&first.to_string(), "")), "nothing_to_withdraw");
    let second = correct(&mut space, &first, &words("The van is booked for Saturday"));
    let third = correct(&mut space, &second, &words("The van is booked for Sunday"));
    assert_eq!(recalled(&space), ["The van is booked for Sunday"]);
    for id in [first, second, third] {
        let drafts = space.to_withdraw(&id.to_string(), "").unwrap();
        let changes = space.act(drafts, Intent::DryRun, NOW).unwrap();
        assert_eq!(changes.recorded.len(), 1);
    }
    let drafts = space.to_withdraw(&first.to_string(), "").unwrap();
    space.act(drafts, Intent::Write, NOW).unwrap();
    assert_eq!(recalled(&space), ["The van is booked for Friday"]);
    assert_eq!(code(space.to_withdraw(&third.to_string(), "")), "nothing_to_withdraw");
    // What the source says later counts.
    space.remember(note("The van is booked for Monday"), NOW).unwrap();
    assert_eq!(recalled(&space), ["The van is booked for Monday"]);
}

#[test]
fn why_the_correction_of_a_record_was_taken_back_is_kept_and_its_source_still_says_the_same() {
    let mut space = space();
    let Outcome::Added(first) = space.remember(note("The van is booked for Friday"), NOW).unwrap()
    else {
        panic!()
    };
    let withdraw = |space: &mut Space, note: &str| {
        let drafts = space.to_withdraw(&first.to_string(), note).unwrap();
        space.act(drafts, Intent::Write, NOW).unwrap().recorded[0]
    };
    let kept = |space: &Space| {
        let found = space.recall(&Query::new("van booked", 5)).unwrap().results;
        let more = &found[0].evidence.payload.more;
        more.get(Evidence::WITHDRAWAL).and_then(|note| note.as_str().map(str::to_owned))
    };
    correct(&mut space, &first, &words("The van is booked for Saturday"));
    let third = withdraw(&mut space, "It was Friday after all");
    assert_eq!(kept(&space).as_deref(), Some("It was Friday after all"));
    let same = space.remember(note("The van is booked for Friday"), NOW).unwrap();
    assert_eq!(same, Outcome::Present(third));
    let fourth = correct(&mut space, &third, &words("The van is booked for Sunday"));
    assert_eq!(kept(&space), None);
    let fifth = withdraw(&mut space, "");
    assert_eq!((kept(&space), recalled(&space).len()), (None, 1), "{fourth} {fifth}");
    assert_eq!(recalled(&space), ["The van is booked for Friday"]);
}
