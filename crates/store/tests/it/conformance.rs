//! The common behaviour of all ledgers, tested on each of them.

use kernel::access::Place;
use kernel::id::{Author, IdPrefix, OpId};
use kernel::kind::{Capability, Kind};
use kernel::operation::{HlcTimestamp, Operation, Unverified};
use kernel::seal::{ChainPosition, Draft};
use serde_json::json;
use store::memory::MemoryLedger;
use store::{Ledger, Position};

use crate::book::{Book, append_right, body_at, body_of, genesis, key, note, refs_of, seal, word};

/// Each test once for every ledger.
macro_rules! for_every_ledger {
    ($($name:ident)+) => {
        mod in_memory { $(#[test] fn $name() { super::$name(super::Book::in_memory()); })+ }
        mod in_file { $(#[test] fn $name() { super::$name(super::Book::in_file()); })+ }
    };
}

for_every_ledger! {
    a_space_begins_with_its_genesis
    operations_are_read_in_order_of_arrival_from_any_position
    an_operation_is_got_by_id_and_found_by_prefix
    a_writing_that_is_dropped_leaves_nothing
    a_refused_operation_leaves_nothing_and_the_rest_of_the_batch_stays
    a_batch_sees_what_it_has_written
    what_breaks_rules_four_to_nine_is_refused_here_and_kept_from_elsewhere
    forks_gaps_and_unknown_citations_are_refused_from_anywhere
    what_is_there_is_present_however_it_comes
    evidence_is_looked_up_by_its_identity_at_the_source
    evidence_of_a_key_that_may_not_append_is_not_there
    capabilities_are_those_of_the_place_in_the_order
    a_removed_body_is_known_by_its_hash
    an_operation_that_acts_is_found_by_kind_and_role
    a_redacted_body_is_erased_with_everything_that_quotes_it
    what_quotes_a_redacted_body_arrives_without_its_own
    a_redaction_that_is_not_permitted_erases_nothing_until_a_grant_says_it_was
}

#[test]
fn a_ledger_without_genesis_is_empty_and_accepts_only_a_genesis_operation() {
    let mut ledger = MemoryLedger::default();
    assert_eq!((ledger.space().unwrap(), ledger.head().unwrap()), (None, Position(0)));
    assert!(ledger.read(Position(0), 10).unwrap().is_empty());
    let body = body_of("evidence", &json!(note("a", "early")));
    let mut writing = ledger.begin().unwrap();
    let place = ChainPosition { space: Some(genesis().0.space()), head: None, ts: HlcTimestamp(1) };
    let early = key(1).seal(Draft::new(body.clone()), place).unwrap();
    assert_eq!(word(&writing.record(&early, Some(&body))), "genesis");
    assert_eq!(word(&writing.admit(&early, Some(&body))), "genesis");
    assert_eq!(writing.latest().unwrap(), None);
    assert_eq!(writing.commit().unwrap(), Position(0));
}

fn a_space_begins_with_its_genesis<L: Ledger>(mut book: Book<L>) {
    let (operation, body) = genesis();
    assert_eq!(book.ledger.space().unwrap(), Some(operation.space()));
    assert_eq!(book.ledger.head().unwrap(), Position(1));
    let mut writing = book.ledger.begin().unwrap();
    assert_eq!(writing.space().unwrap(), Some(operation.space()));
    assert_eq!(writing.access().unwrap().owner(), Some(key(1).author()));
    assert_eq!(word(&writing.record(&operation, Some(&body))), "present");
    assert_eq!(writing.commit().unwrap(), Position(1));
}

fn operations_are_read_in_order_of_arrival_from_any_position<L: Ledger>(mut book: Book<L>) {
    let mut ids = vec![genesis().0.id()];
    ids.extend((0..6).map(|number| book.note(&number.to_string(), "soup")));
    for after in 0..9 {
        for limit in [0, 1, 3, 100] {
            let read = book.ledger.read(Position(after), limit).unwrap();
            let found: Vec<(u64, OpId)> =
                read.iter().map(|read| (read.position.0, read.operation.id())).collect();
            let all = (1..).zip(ids.iter().copied());
            let expected: Vec<(u64, OpId)> = all.skip(after as usize).take(limit).collect();
            assert_eq!(found, expected, "after {after}, at most {limit}");
        }
    }
    assert!(book.ledger.read(Position(u64::MAX), usize::MAX).unwrap().is_empty());
    let all = book.ledger.read(Position(0), usize::MAX).unwrap();
    assert!(all.into_iter().all(|read| read.operation.verify().is_ok()));
}

fn an_operation_is_got_by_id_and_found_by_prefix<L: Ledger>(mut book: Book<L>) {
    let ids: Vec<OpId> = (0..40).map(|number| book.note(&number.to_string(), "soup")).collect();
    for (number, id) in ids.iter().enumerate() {
        let recorded = book.ledger.get(id).unwrap().unwrap();
        assert_eq!(
            (recorded.position, recorded.operation.id()),
            (Position(number as u64 + 2), *id)
        );
        let digits = id.to_string();
        for length in [4, 5, 64] {
            let prefix: IdPrefix = digits["b3:".len()..][..length].parse().unwrap();
            let mut expected: Vec<OpId> = ids
                .iter()
                .copied()
                .filter(|id| (prefix.first()..=prefix.last()).contains(id))
                .collect();
            expected.sort_unstable();
            assert_eq!(book.ledger.find(&prefix, 100).unwrap(), expected);
            assert_eq!(book.ledger.find(&prefix, 1).unwrap(), expected[..1]);
            assert_eq!(book.ledger.find(&prefix, 0).unwrap(), []);
        }
    }
    assert_eq!(book.ledger.get(&OpId([7; 32])).unwrap(), None);
}

fn a_writing_that_is_dropped_leaves_nothing<L: Ledger>(mut book: Book<L>) {
    let kept = book.note("kept", "soup");
    let body = body_of("evidence", &json!(note("dropped", "soup")));
    let grant = body_of("grant", &append_right(2));
    let mut dropped = Vec::new();
    let mut writing = book.ledger.begin().unwrap();
    for (body, ts) in [(&grant, 10), (&body, 11)] {
        let operation = seal(&*writing, &key(1), body.clone(), refs_of(&[("source", kept)]), ts);
        assert_eq!(word(&writing.record(&operation, Some(body))), "append");
        dropped.push(operation.id());
    }
    drop(writing);
    assert_eq!(book.ledger.head().unwrap(), Position(2));
    let writing = book.ledger.begin().unwrap();
    for id in dropped {
        assert_eq!(writing.entry(&id).unwrap(), None);
    }
    assert_eq!(writing.citing(&kept).unwrap(), []);
    assert_eq!(writing.evidence("test", "dropped").unwrap(), None);
    assert!(!writing.access().unwrap().holds(
        &key(2).author(),
        Capability::Append,
        Place { order: (HlcTimestamp(99), kept), seq: 1 }
    ));
    assert_eq!(writing.head(&key(1).author()).unwrap().unwrap().id, kept);
    assert_eq!(writing.latest().unwrap(), Some(HlcTimestamp(2)));
}

fn a_refused_operation_leaves_nothing_and_the_rest_of_the_batch_stays<L: Ledger>(
    mut book: Book<L>,
) {
    let body = body_of("evidence", &json!(note("a", "soup")));
    let mut writing = book.ledger.begin().unwrap();
    let first = seal(&*writing, &key(1), body.clone(), Vec::new(), 10);
    assert_eq!(word(&writing.record(&first, Some(&body))), "append");
    let stranger = seal(&*writing, &key(9), body.clone(), Vec::new(), 11);
    assert_eq!(word(&writing.record(&stranger, Some(&body))), "not_permitted");
    assert_eq!(writing.entry(&stranger.id()).unwrap(), None);
    assert_eq!(writing.head(&key(9).author()).unwrap(), None);
    let second = seal(&*writing, &key(1), body.clone(), refs_of(&[("supersedes", first.id())]), 12);
    assert_eq!(word(&writing.record(&second, Some(&body))), "append");
    assert_eq!(writing.commit().unwrap(), Position(3));
    assert_eq!(book.ledger.get(&stranger.id()).unwrap(), None);
    assert_eq!(book.ledger.get(&second.id()).unwrap().unwrap().position, Position(3));
}

fn a_batch_sees_what_it_has_written<L: Ledger>(mut book: Book<L>) {
    let mut writing = book.ledger.begin().unwrap();
    let grant = body_of("grant", &append_right(2));
    let granted = seal(&*writing, &key(1), grant.clone(), Vec::new(), 10);
    assert_eq!(word(&writing.record(&granted, Some(&grant))), "append");
    let body = body_of("evidence", &json!(note("a", "soup")));
    let evidence = seal(&*writing, &key(2), body.clone(), refs_of(&[("source", granted.id())]), 11);
    assert_eq!(word(&writing.record(&evidence, Some(&body))), "append");
    let found = writing.evidence("test", "a").unwrap();
    assert_eq!(found, Some((evidence.id(), evidence.header().body)));
    assert_eq!(writing.citing(&granted.id()).unwrap()[0].id, evidence.id());
    assert_eq!(writing.body(&evidence.id()).unwrap().as_deref(), evidence.body());
    assert_eq!(writing.at_seq(&key(2).author(), 1).unwrap(), Some(evidence.id()));
    assert_eq!(writing.latest().unwrap(), Some(HlcTimestamp(11)));
}

fn what_breaks_rules_four_to_nine_is_refused_here_and_kept_from_elsewhere<L: Ledger>(
    mut book: Book<L>,
) {
    let body = body_of("evidence", &json!(note("a", "soup")));
    let mut writing = book.ledger.begin().unwrap();
    let stranger = seal(&*writing, &key(9), body.clone(), Vec::new(), 10);
    assert_eq!(word(&writing.record(&stranger, Some(&body))), "not_permitted");
    assert_eq!(word(&writing.admit(&stranger, Some(&body))), "append");
    assert_eq!(writing.commit().unwrap(), Position(2));
    assert_eq!(book.ledger.get(&stranger.id()).unwrap().unwrap().position, Position(2));
}

fn forks_gaps_and_unknown_citations_are_refused_from_anywhere<L: Ledger>(mut book: Book<L>) {
    let body = body_of("evidence", &json!(note("a", "soup")));
    let other = body_of("evidence", &json!(note("b", "bread")));
    let mut writing = book.ledger.begin().unwrap();
    let first = seal(&*writing, &key(1), body.clone(), Vec::new(), 10);
    let fork = seal(&*writing, &key(1), other.clone(), Vec::new(), 10);
    let lost = seal(&*writing, &key(1), other.clone(), refs_of(&[("source", OpId([7; 32]))]), 10);
    let late = seal(&*writing, &key(1), other.clone(), Vec::new(), 1);
    for refused in [&lost, &late] {
        let code = if refused.id() == lost.id() { "unknown_ref" } else { "not_after_refs" };
        assert_eq!(word(&writing.record(refused, Some(&other))), code);
        assert_eq!(word(&writing.admit(refused, Some(&other))), code);
    }
    assert_eq!(word(&writing.admit(&first, Some(&body))), "append");
    for verdict in [writing.record(&fork, Some(&other)), writing.admit(&fork, Some(&other))] {
        assert_eq!(word(&verdict), "fork");
    }
    let second = seal(&*writing, &key(1), other.clone(), Vec::new(), 11);
    assert_eq!(word(&writing.admit(&second, Some(&other))), "append");
    let third = seal(&*writing, &key(1), body.clone(), Vec::new(), 12);
    drop(writing);
    let mut writing = book.ledger.begin().unwrap();
    assert_eq!(word(&writing.admit(&third, Some(&body))), "chain_broken");
    assert_eq!(writing.commit().unwrap(), Position(1));
}

fn what_is_there_is_present_however_it_comes<L: Ledger>(mut book: Book<L>) {
    let id = book.note("a", "soup");
    book.note("b", "bread");
    let operation = book.ledger.get(&id).unwrap().unwrap().operation.verify().unwrap();
    let body = body_at(&operation);
    let mut writing = book.ledger.begin().unwrap();
    assert_eq!(word(&writing.record(&operation, body.as_ref())), "present");
    assert_eq!(word(&writing.admit(&operation, body.as_ref())), "present");
    assert_eq!(writing.commit().unwrap(), Position(3));
}

fn evidence_is_looked_up_by_its_identity_at_the_source<L: Ledger>(mut book: Book<L>) {
    // A separator inside a name makes two identities whose keys in an index are hashes of the same
    // bytes.
    let mut one = note("b\0c", "soup");
    one.source = "a".to_owned();
    let mut other = note("c", "bread");
    other.source = "a\0b".to_owned();
    let first = book.evidence(&one, &[]);
    let second = book.evidence(&other, &[]);
    let third = book.evidence(&one, &[("supersedes", first)]);
    let writing = book.ledger.begin().unwrap();
    let found = |source, uid| writing.evidence(source, uid).unwrap().map(|(id, _)| id);
    assert_eq!(found("a", "b\0c"), Some(third));
    assert_eq!(found("a\0b", "c"), Some(second));
    assert_eq!((found("a", "c"), found("a\0b\0c", ""), found("", "")), (None, None, None));
    drop(writing);
    // The latest in the space's order, not in the order of arrival.
    book.record(&key(1), "grant", &append_right(2), &[]);
    let late = book.admit(&key(2), "evidence", &json!(note("n", "new")), &[], 100);
    book.admit(&key(1), "evidence", &json!(note("n", "old")), &[], 50);
    assert_eq!(book.ledger.begin().unwrap().evidence("test", "n").unwrap().unwrap().0, late);
}

fn evidence_of_a_key_that_may_not_append_is_not_there<L: Ledger>(mut book: Book<L>) {
    let mine = book.note("a", "soup");
    book.admit(&key(9), "evidence", &json!(note("a", "poison")), &[], 50);
    assert_eq!(book.ledger.begin().unwrap().evidence("test", "a").unwrap().unwrap().0, mine);
}

fn capabilities_are_those_of_the_place_in_the_order<L: Ledger>(mut book: Book<L>) {
    let soup = json!(note("a", "soup"));
    let agent = key(2);
    assert_eq!(word(&book.try_record(&agent, "evidence", &soup, &[]).1), "not_permitted");
    book.record(&key(1), "grant", &append_right(2), &[]);
    book.record(&agent, "evidence", &soup, &[]);
    assert_eq!(word(&book.try_record(&agent, "grant", &append_right(3), &[]).1), "not_permitted");
    book.record(&key(1), "revoke", &append_right(2), &[]);
    assert_eq!(word(&book.try_record(&agent, "evidence", &soup, &[]).1), "not_permitted");
    let writing = book.ledger.begin().unwrap();
    let at = |ts| Place { order: (HlcTimestamp(ts), OpId([0; 32])), seq: 1 };
    let held: Vec<bool> = (1..9)
        .map(|ts| writing.access().unwrap().holds(&agent.author(), Capability::Append, at(ts)))
        .collect();
    // Granted at 3 and revoked at 6.
    assert_eq!(held, [false, false, false, true, true, true, false, false]);
}

fn a_removed_body_is_known_by_its_hash<L: Ledger>(mut book: Book<L>) {
    let body = body_of("evidence", &json!(note("a", "secret")));
    let mut writing = book.ledger.begin().unwrap();
    let operation = seal(&*writing, &key(1), body.clone(), Vec::new(), 10);
    assert_eq!(writing.removed(&operation.header().body).unwrap(), None);
    let mut line: serde_json::Value = serde_json::from_str(&operation.to_line()).unwrap();
    line["body"] = serde_json::Value::Null;
    line["salt"] = serde_json::Value::Null;
    let bare =
        Operation::<Unverified>::from_line(line.to_string().as_bytes()).unwrap().verify().unwrap();
    assert_eq!(word(&writing.admit(&bare, None)), "append");
    assert_eq!(writing.removed(&operation.header().body).unwrap(), Some(operation.id()));
    assert_eq!(writing.body(&operation.id()).unwrap(), None);
    assert_eq!(writing.evidence("test", "a").unwrap(), None);
    assert_eq!(
        word(&writing.admit(&operation, Some(&body))),
        "present",
        "what was forgotten does not come back"
    );
    writing.commit().unwrap();
    assert_eq!(book.ledger.get(&operation.id()).unwrap().unwrap().operation.body(), None);
}

fn has_body<L: Ledger>(book: &Book<L>, id: &OpId) -> bool {
    book.ledger.get(id).unwrap().unwrap().operation.body().is_some()
}

fn a_redacted_body_is_erased_with_everything_that_quotes_it<L: Ledger>(mut book: Book<L>) {
    let claim = |key: &str| json!({"claim_type": "t", "identity_key": key, "payload": key});
    let (gone, kept) = (book.note("a", "secret"), book.note("b", "soup"));
    let both = book.record(&key(1), "claim", &claim("k"), &[("of", gone), ("of", kept)]);
    let top = book.record(&key(1), "claim", &claim("top"), &[("of", both)]);
    let other = book.record(&key(1), "claim", &claim("other"), &[("of", kept)]);
    book.record(&key(1), "redaction", &json!({"reason": "asked"}), &[("target", gone)]);
    for (id, expected) in [(gone, false), (both, false), (top, false), (kept, true), (other, true)]
    {
        assert_eq!(has_body(&book, &id), expected, "{id}");
    }
    let writing = book.ledger.begin().unwrap();
    assert_eq!(writing.identity("k").unwrap(), []);
    assert_eq!(writing.identity("other").unwrap().len(), 1);
    assert_eq!(writing.evidence("test", "a").unwrap(), None);
    assert_eq!(writing.entry(&both).unwrap().unwrap().identity, None);
}

fn what_quotes_a_redacted_body_arrives_without_its_own<L: Ledger>(mut book: Book<L>) {
    let gone = book.note("a", "secret");
    book.record(&key(1), "redaction", &json!({}), &[("target", gone)]);
    let claim = json!({"claim_type": "t", "identity_key": "k", "payload": "secret"});
    let ts = book.clock + 1;
    let late = book.admit(&key(1), "claim", &claim, &[("of", gone)], ts);
    let next = book.admit(&key(1), "claim", &claim, &[("of", late)], ts + 1);
    let free = book.admit(&key(1), "thought", &json!({"content": "x"}), &[], ts + 2);
    assert_eq!([late, next, free].map(|id| has_body(&book, &id)), [false, false, true]);
    assert_eq!(book.ledger.begin().unwrap().identity("k").unwrap(), []);
}

fn a_redaction_that_is_not_permitted_erases_nothing_until_a_grant_says_it_was<L: Ledger>(
    mut book: Book<L>,
) {
    let note = book.note("a", "secret");
    let ts = book.clock + 10;
    book.admit(&key(2), "redaction", &json!({}), &[("target", note)], ts);
    assert!(has_body(&book, &note));
    let right = json!({"key": key(2).author(), "capabilities": ["correct"]});
    book.admit(&key(1), "grant", &right, &[], ts - 5);
    assert!(!has_body(&book, &note));
}

fn an_operation_that_acts_is_found_by_kind_and_role<L: Ledger>(mut book: Book<L>) {
    let first = book.note("a", "soup");
    let second = book.evidence(&note("a", "stew"), &[("supersedes", first), ("source", first)]);
    let third = book.record(&key(1), "evidence_retraction", &json!({}), &[("target", first)]);
    let writing = book.ledger.begin().unwrap();
    let acting = |kind, role| writing.acting(&first, &kind, role).unwrap();
    assert_eq!(acting(Kind::Evidence, "supersedes"), [second]);
    assert_eq!(acting(Kind::Evidence, "source"), [second]);
    assert_eq!(acting(Kind::EvidenceRetraction, "target"), [third]);
    assert_eq!(acting(Kind::Evidence, "target"), []);
    assert_eq!(writing.citing(&first).unwrap().len(), 3);
    assert_eq!(writing.head(&Author([7; 32])).unwrap(), None);
    assert_eq!(writing.at_seq(&key(1).author(), 99).unwrap(), None);
    assert_eq!(writing.at_seq(&key(1).author(), u64::MAX).unwrap(), None);
}
