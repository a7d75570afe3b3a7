//! Recording evidence: what is new, what is there, what replaces, what stays forgotten.

use engine::EngineError;
use engine::write::record::{Outcome, Prepared, Tally};
use kernel::kind::Capability;
use store::Position;
use store::sqlite::SqliteSpace;

use crate::support::{Home, at, exported, id_of, key, note, recalled};

#[test]
fn a_record_is_added_then_present_then_replaced() {
    let mut home = Home::new();
    let first = home.remember("a", "tomato soup");
    assert!(matches!(first, Outcome::Added(_)));
    let head = home.space.head().unwrap();
    assert_eq!(home.remember("a", "tomato soup"), Outcome::Present(id_of(first)));
    assert_eq!(home.space.head().unwrap(), head, "nothing was written");
    let second = home.remember("a", "lentil soup");
    assert_eq!(second, Outcome::Replaced { new: id_of(second), old: id_of(first) });
    assert_eq!(recalled(&home.space, "soup"), ["lentil soup"]);
}

#[test]
fn a_record_that_was_changed_back_counts_as_it_now_stands() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    home.remember("a", "lentil soup");
    assert!(matches!(home.remember("a", "tomato soup"), Outcome::Replaced { .. }));
    assert_eq!(recalled(&home.space, "soup"), ["tomato soup"]);
    assert!(matches!(home.remember("a", "tomato soup"), Outcome::Present(_)));
}

#[test]
fn a_batch_recognises_its_own_duplicates() {
    let mut home = Home::new();
    let batch = ["tomato soup", "tomato soup", "lentil soup"]
        .map(|text| Prepared::new(note("a", text).into()).unwrap());
    let outcomes = home.space.record(batch.into(), at(1)).unwrap();
    let mut tally = Tally::default();
    tally.count(&outcomes);
    assert_eq!(tally, Tally { added: 1, replaced: 1, present: 1, forgotten: 0 });
    assert_eq!(recalled(&home.space, "soup"), ["lentil soup"]);
}

#[test]
fn the_same_content_from_another_device_is_present() {
    let mut home = Home::new();
    let first = home.remember("a", "tomato soup");
    home.space
        .change_access(key(2).author(), "phone", vec![Capability::Append], true, at(2))
        .unwrap();
    let mut phone = home.again(2);
    assert_eq!(
        phone.remember(note("a", "tomato soup"), at(3)).unwrap(),
        Outcome::Present(id_of(first))
    );
    assert!(matches!(
        phone.remember(note("a", "lentil soup"), at(3)).unwrap(),
        Outcome::Replaced { .. }
    ));
    assert_eq!(recalled(&home.space, "soup"), ["lentil soup"]);
}

#[test]
fn a_key_without_permission_writes_nothing() {
    let mut home = Home::new();
    let head = home.space.head().unwrap();
    let mut unknown_device = home.again(9);
    assert!(!unknown_device.may_append(at(1)).unwrap());
    let refused = unknown_device.remember(note("a", "tomato soup"), at(1)).unwrap_err();
    assert_eq!(refused.code(), "not_permitted");
    assert!(matches!(refused, EngineError::Record(_)));
    assert_eq!(home.space.head().unwrap(), head);
    assert!(matches!(home.remember("a", "tomato soup"), Outcome::Added(_)));
}

/// The exported lines with the body of the operation that says `text` taken out.
fn without_body(lines: &[u8], text: &str) -> Vec<u8> {
    let forget = |line: &str| {
        let mut operation: serde_json::Value = serde_json::from_str(line).unwrap();
        if operation["body"]["payload"]["text"] == text {
            operation["body"] = serde_json::Value::Null;
            operation["salt"] = serde_json::Value::Null;
        }
        format!("{operation}\n")
    };
    std::str::from_utf8(lines).unwrap().lines().map(forget).collect::<String>().into_bytes()
}

#[test]
fn a_forgotten_record_is_not_written_again() {
    let mut home = Home::new();
    let secret = id_of(home.remember("a", "secret soup"));
    home.remember("a", "public soup");
    let redaction = kernel::seal::Draft {
        body: kernel::body::Body::Redaction(Default::default()),
        refs: vec![kernel::operation::Ref {
            id: secret,
            role: kernel::operation::Role::parse("target").unwrap(),
        }],
    };
    home.space.append(redaction, at(2)).unwrap();
    let lines = without_body(&exported(&home.space), "secret soup");
    let (genesis, body) = engine::write::exchange::read_genesis(&mut &lines[..]).unwrap();
    let path = home.path("copy.space");
    let mut copy = engine::Space::copy_of(&path, &genesis, &body, key(1)).unwrap();
    copy.take_in(&mut &lines[..], at(5), |_| {}).unwrap();
    let head = copy.head().unwrap();
    assert_eq!(copy.remember(note("a", "secret soup"), at(6)).unwrap(), Outcome::Forgotten(secret));
    assert_eq!(copy.head().unwrap(), head);
    assert_eq!(recalled(&copy, "soup"), ["public soup"]);
    // The full operation does not bring it back either.
    let intake = copy.take_in(&mut &exported(&home.space)[..], at(7), |_| {}).unwrap();
    assert_eq!((intake.added, intake.refused), (0, 0));
    assert!(!String::from_utf8(exported(&copy)).unwrap().contains("secret"));
    assert!(copy.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn timestamps_rise_when_the_clock_goes_back() {
    let mut home = Home::new();
    for (number, second) in [50, 40, -1_000_000, 60, 60].into_iter().enumerate() {
        home.space.remember(note(&number.to_string(), "soup"), at(second)).unwrap();
    }
    let mut times = Vec::new();
    let store = SqliteSpace::open(home.space.path()).unwrap();
    for recorded in store::Ledger::read(&store, Position(0), 100).unwrap() {
        times.push(recorded.operation.header().ts);
    }
    assert!(times.is_sorted_by(|earlier, later| earlier < later), "{times:?}");
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn two_devices_that_write_in_turn_with_one_key_keep_one_chain() {
    let mut home = Home::new();
    let mut other = home.again(1);
    for round in 0..8 {
        home.remember(&format!("one {round}"), "tomato soup");
        other.remember(note(&format!("other {round}"), "lentil soup"), at(1)).unwrap();
        assert_eq!(recalled(&home.space, "soup").len(), recalled(&other, "soup").len());
    }
    let verification = home.space.verify(|_| {}).unwrap();
    assert!(verification.is_sound(), "{verification:?}");
    assert_eq!(verification.operations, 17);
}
