//! Derivation over records and beliefs that somebody altered in the file: they found no belief and
//! change none.

use std::collections::BTreeMap;

use engine::Space;
use engine::derive::{Derived, Extent};
use engine::write::commit::Changes;
use engine::write::import::Intent;
use kernel::operation::{Content, Operation, Unverified};

use crate::support::{Home, at, exported, id_of};
use crate::toys::{HABIT, Habits, TASTE, Tastes, gym};

/// The text and confidence of what is believed, by identity.
fn believed(space: &mut Space) -> BTreeMap<String, (String, f64)> {
    let beliefs = space.beliefs().unwrap().into_iter();
    let served = beliefs.filter(|belief| belief.served.is_some());
    served.map(|belief| (belief.key, (belief.text, belief.confidence))).collect()
}

fn derive(home: &mut Home, extent: Extent) -> (Derived, Changes) {
    home.space.derive(extent, Intent::Write, at(9), |_| {}).unwrap()
}

fn replace_in_file(home: &Home, kind: &str, from: &str, to: &str) {
    home.tamper(&format!(
        "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), '{from}', '{to}') AS BLOB)
         WHERE kind = '{kind}'"
    ));
}

/// The same, and the header says so too.
fn replace_with_hash(home: &Home, from: &str, to: &str) {
    let lines = exported(&home.space);
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let operation = Operation::<Unverified>::from_line(line).unwrap();
        let Content::Present { salt, body } = operation.content() else { continue };
        let text = String::from_utf8_lossy(body);
        if !text.contains(from) {
            continue;
        }
        let body = text.replace(from, to);
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        home.tamper(&format!(
            "UPDATE op SET body = x'{}', body_hash = x'{}' WHERE id = x'{}'",
            hex(body.as_bytes()),
            hex(&Content::hash(salt, body.as_bytes()).0),
            hex(&operation.id().0),
        ));
    }
}

#[test]
fn an_altered_record_founds_no_belief() {
    for (is_hash_altered, extent) in
        [(false, Extent::Changed), (false, Extent::Full), (true, Extent::Full)]
    {
        let mut home = Home::new();
        home.space.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
        home.remember("1", "gym today");
        let altered = id_of(home.remember("2", "pool today"));
        if is_hash_altered {
            replace_with_hash(&home, "pool today", "gym again!");
        } else {
            replace_in_file(&home, "evidence", "pool today", "gym again!");
        }
        let (derived, changes) = derive(&mut home, extent);
        assert_eq!((derived.added, changes.altered), (0, vec![altered]), "{is_hash_altered}");
        assert!(believed(&mut home.space).is_empty());
        // The rest is derived from.
        home.remember("3", "gym again");
        derive(&mut home, Extent::Changed);
        assert_eq!(believed(&mut home.space).len(), 2);
        let (derived, _) = derive(&mut home, Extent::Full);
        assert!(derived.changed_nothing(), "{derived:?}");
    }
}

#[test]
fn a_belief_stays_as_it_was_signed_when_a_record_below_it_is_altered() {
    let mut home = gym();
    let before = believed(&mut home.space);
    replace_in_file(&home, "evidence", "gym number 3", "pool number 3");
    for extent in [Extent::Changed, Extent::Full] {
        let (derived, _) = derive(&mut home, extent);
        assert!(derived.changed_nothing(), "{derived:?}");
        // A further record makes the group run again.
        home.remember(&format!("{extent:?}"), "gym once more");
        let (derived, changes) = derive(&mut home, extent);
        assert!(derived.changed_nothing(), "{derived:?}");
        assert_eq!((derived.not_judged, changes.altered.len()), (1, 1), "{derived:?}");
        assert_eq!(believed(&mut home.space), before);
    }
    // Once it is as it was signed, everything counts.
    replace_in_file(&home, "evidence", "pool number 3", "gym number 3");
    let (derived, changes) = derive(&mut home, Extent::Full);
    assert_eq!((derived.updated > 0, changes.altered.len()), (true, 0), "{derived:?}");
    assert!(believed(&mut home.space)[HABIT].1 > before[HABIT].1);
}

#[test]
fn an_altered_belief_founds_no_other() {
    let mut home = gym();
    let before = believed(&mut home.space)[TASTE].clone();
    replace_in_file(&home, "claim", "\"name\":\"gym\"", "\"name\":\"casino\"");
    // The deriver that would say the first belief again is not there.
    home.space.set_derivers(vec![Box::new(Tastes)]);
    let (derived, changes) = derive(&mut home, Extent::Full);
    assert_eq!((derived.added, derived.updated, derived.retracted), (0, 0, 0), "{derived:?}");
    assert!(!changes.altered.is_empty());
    assert_eq!(believed(&mut home.space)[TASTE], before);
}
