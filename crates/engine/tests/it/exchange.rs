//! A ledger as lines: out of one copy and into another.

use engine::Space;
use engine::write::exchange::{Intake, read_genesis};
use kernel::body::Body;
use kernel::kind::Capability;
use kernel::operation::Operation;
use store::Ledger;
use store::memory::MemoryLedger;

use crate::support::{Home, at, exported, key, note, recalled};

/// A space of several keys with everything that a ledger of today holds.
fn home() -> Home {
    let mut home = Home::new();
    home.record_many(30);
    home.space
        .change_access(key(2).author(), "phone", vec![Capability::Append], true, at(2))
        .unwrap();
    let mut phone = home.again(2);
    for number in 0..20 {
        phone
            .remember(note(&number.to_string(), &format!("changed soup {number}")), at(3))
            .unwrap();
    }
    home.space
        .change_access(key(2).author(), "phone", vec![Capability::Append], false, at(4))
        .unwrap();
    home
}

fn copy(home: &Home, name: &str, lines: &[u8]) -> Space {
    let (genesis, body) = read_genesis(&mut &lines[..]).unwrap();
    Space::copy_of(&home.path(name), &genesis, &body, key(3)).unwrap()
}

fn take_in(space: &mut Space, lines: &[u8]) -> Intake {
    space.take_in(&mut &lines[..], at(10), |_| {}).unwrap()
}

fn digest(space: &Space) -> Vec<String> {
    space.digests().unwrap().into_iter().map(|view| view.digest).collect()
}

#[test]
fn an_exported_ledger_is_imported_once_and_exported_unchanged() {
    let mut home = home();
    let lines = exported(&home.space);
    let mut other = copy(&home, "copy.space", &lines);
    let first = take_in(&mut other, &lines);
    assert_eq!((first.added, first.present, first.refused), (52, 1, 0));
    let second = take_in(&mut other, &lines);
    assert_eq!((second.added, second.present, second.refused), (0, 53, 0));
    assert_eq!(exported(&other), lines);
    assert_eq!(recalled(&other, "changed soup"), recalled(&home.space, "changed soup"));
    home.space.advance(|_| {}).unwrap();
    assert_eq!(
        digest(&other),
        digest(&home.space),
        "it arrived in the order in which it was written"
    );
    assert!(other.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn any_prefix_is_a_ledger_and_the_rest_completes_it() {
    let home = home();
    let lines = exported(&home.space);
    let ends: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(end, _)| end + 1)
        .collect();
    for count in [1, 2, 31, 32, 33, 52] {
        let mut other = copy(&home, &format!("{count}.space"), &lines);
        let part = take_in(&mut other, &lines[..ends[count - 1]]);
        assert_eq!((part.added as usize, part.refused), (count - 1, 0));
        assert!(other.verify(|_| {}).unwrap().is_sound());
        take_in(&mut other, &lines);
        assert_eq!(exported(&other), lines);
    }
}

#[test]
fn lines_in_disorder_are_refused_by_line_and_another_pass_completes() {
    let home = home();
    let lines = exported(&home.space);
    let mut shuffled: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    shuffled.reverse();
    shuffled.rotate_left(13);
    let shuffled = shuffled.concat();
    let mut other = copy(&home, "copy.space", &lines);
    let first = take_in(&mut other, &shuffled);
    assert!(first.refused > 0 && first.added > 0, "{first:?}");
    let refusal = &first.refusals[0];
    assert!(
        refusal.line > 0
            && ["chain_broken", "not_a_member", "unknown_ref"].contains(&refusal.code.as_str()),
        "{refusal:?}"
    );
    let second = take_in(&mut other, &lines);
    assert_eq!(second.refused, 0);
    assert_eq!(exported(&other), lines);
    assert!(other.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn invalid_and_foreign_operations_are_refused_and_the_others_are_imported() {
    let home = home();
    let unrelated = Home::new();
    let own = String::from_utf8(exported(&home.space)).unwrap();
    let own: Vec<&str> = own.lines().collect();
    let mut forged = own[1].to_owned();
    forged = forged.replace("soup", "sour");
    let foreign = {
        let mut other = unrelated;
        other.space = Space::create(&other.path("other.space"), key(4), "other", at(0)).unwrap();
        String::from_utf8(exported(&other.space)).unwrap()
    };
    let text = format!("{}\n\nhello\n{forged}\n{{}}\n{}\n{}\n", own[0], foreign.trim_end(), own[1]);
    let mut other = copy(&home, "copy.space", exported(&home.space).as_slice());
    let intake = take_in(&mut other, text.as_bytes());
    let codes: Vec<(u64, &str)> =
        intake.refusals.iter().map(|refusal| (refusal.line, refusal.code.as_str())).collect();
    assert_eq!((intake.added, intake.present, intake.refused), (1, 1, 4));
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [(3, "malformed"), (4, "body_mismatch"), (5, "malformed"), (6, "wrong_space")]
    );
}

#[test]
fn times_far_ahead_are_refused() {
    let home = home();
    let lines = exported(&home.space);
    let mut other = copy(&home, "copy.space", &lines);
    let early = at(-200_000);
    let intake = other.take_in(&mut &lines[..], early, |_| {}).unwrap();
    assert!(intake.refusals.iter().all(|refusal| refusal.code == "from_future"));
    assert_eq!((intake.added, intake.refused), (0, 53));
}

#[test]
fn an_exported_ledger_is_verified_by_the_plainest_store() {
    let home = home();
    let mut ledger = MemoryLedger::default();
    let mut writing = ledger.begin().unwrap();
    for line in exported(&home.space).split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let operation = Operation::from_line(line).unwrap().verify().unwrap();
        let body =
            operation.body().map(|bytes| Body::parse(&operation.header().kind, bytes).unwrap());
        writing.record(&operation, body.as_ref()).unwrap();
    }
    writing.commit().unwrap();
    assert_eq!(ledger.head().unwrap(), home.space.head().unwrap());
}

#[test]
fn a_file_that_is_not_a_ledger_is_refused() {
    for text in ["", "\n", "{}", "hello", "{\"id\":1}"] {
        assert_eq!(read_genesis(&mut text.as_bytes()).unwrap_err().code(), "exchange", "{text:?}");
    }
    let home = home();
    let lines = exported(&home.space);
    let second = lines.splitn(2, |byte| *byte == b'\n').nth(1).unwrap();
    assert_eq!(read_genesis(&mut &second[..]).unwrap_err().code(), "exchange");
}
