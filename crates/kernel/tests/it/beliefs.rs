//! Small histories and the states that follow from them, then deep and wide ones.

use std::time::Instant;

use kernel::cascade::{Journal, consequences};
use kernel::id::OpId;
use kernel::ledger_index::LedgerIndex;
use kernel::seal::Signer;
use kernel::soundness::ClaimStatus;
use kernel::validity::{State, Validity};
use serde_json::json;

use crate::rules::{Book, claim, evidence};

impl Book {
    fn states(&self, keys: &[&str]) -> Vec<State> {
        let mut validity = Validity::new(&self.graph);
        keys.iter().map(|key| validity.state(key).unwrap()).collect()
    }

    fn is_valid_input(&self, id: OpId) -> bool {
        Validity::new(&self.graph).is_valid_input(&id).unwrap()
    }

    fn correct(&mut self, key: &str, payload: u32, target: OpId) -> OpId {
        let body = json!({"identity_key": key, "corrected_payload": payload});
        self.by_owner("claim_correction", body, &[("target", target)]).unwrap()
    }

    fn refute(&mut self, key: &str, target: OpId) -> OpId {
        self.by_owner("claim_refutation", json!({"identity_key": key}), &[("target", target)])
            .unwrap()
    }

    fn withdraw(&mut self, what: &str, target: OpId) {
        self.by_owner(&format!("{what}_withdrawal"), json!({}), &[("target", target)]).unwrap();
    }

    fn retract_evidence(&mut self, target: OpId) -> OpId {
        self.by_agent("evidence_retraction", json!({}), &[("target", target)]).unwrap()
    }
}

use State::{Active, Corrected, Invalidated, None as Unsaid, Refuted, Retracted};

#[test]
fn a_chain_is_invalidated_with_the_evidence_below_it() {
    let mut book = Book::new();
    let seen = book.evidence();
    let a = book.claim("a", 1, &[seen]).unwrap();
    let b = book.claim("b", 1, &[a]).unwrap();
    book.claim("c", 1, &[b]).unwrap();
    assert_eq!(book.states(&["a", "b", "c", "d"]), [Active, Active, Active, Unsaid]);
    book.retract_evidence(seen);
    assert_eq!(book.states(&["a", "b", "c"]), [Invalidated; 3]);
}

#[test]
fn a_diamond_is_invalidated_when_one_of_its_sides_is() {
    let mut book = Book::new();
    let (left, right) = (book.evidence(), book.evidence());
    let root = book.claim("root", 1, &[left]).unwrap();
    let a = book.claim("a", 1, &[root]).unwrap();
    let b = book.claim("b", 1, &[root, right]).unwrap();
    book.claim("top", 1, &[a, b]).unwrap();
    book.retract_evidence(right);
    assert_eq!(book.states(&["root", "a", "b", "top"]), [Active, Active, Invalidated, Invalidated]);
}

#[test]
fn newer_evidence_invalidates_what_was_built_on_the_older() {
    let mut book = Book::new();
    let old = book.evidence();
    book.claim("a", 1, &[old]).unwrap();
    let new = book.by_agent("evidence", evidence("mended"), &[("supersedes", old)]).unwrap();
    assert_eq!(book.states(&["a"]), [Invalidated]);
    book.claim("a", 1, &[new]).unwrap();
    assert_eq!(book.states(&["a"]), [Active]);
}

#[test]
fn a_refutation_invalidates_what_is_above_and_its_withdrawal_restores_it() {
    let mut book = Book::new();
    let seen = book.evidence();
    let a = book.claim("a", 1, &[seen]).unwrap();
    let b = book.claim("b", 1, &[a]).unwrap();
    book.claim("c", 1, &[b]).unwrap();
    let refuted = book.refute("a", a);
    assert_eq!(book.states(&["a", "b", "c"]), [Refuted, Invalidated, Invalidated]);
    let twice = book.refute("a", a);
    book.withdraw("refutation", refuted);
    assert_eq!(
        book.states(&["a", "b"]),
        [Refuted, Invalidated],
        "the other refutation still holds"
    );
    book.withdraw("refutation", twice);
    assert_eq!(book.states(&["a", "b", "c"]), [Active; 3]);
}

#[test]
fn a_correction_pins_and_shields_and_the_latest_one_is_served() {
    let mut book = Book::new();
    let seen = book.evidence();
    let a = book.claim("a", 1, &[seen]).unwrap();
    book.claim("b", 1, &[a]).unwrap();
    let confirming = book.correct("a", 1, a);
    assert_eq!(
        book.states(&["a", "b"]),
        [Corrected, Active],
        "a confirming correction invalidates nothing"
    );
    book.retract_evidence(seen);
    assert_eq!(book.states(&["a", "b"]), [Corrected, Active], "it shields what is built on it");
    let other = book.correct("a", 2, confirming);
    assert_eq!(book.states(&["a", "b"]), [Corrected, Invalidated]);
    assert!(book.is_valid_input(other) && !book.is_valid_input(confirming));
    book.withdraw("correction", other);
    assert_eq!(book.states(&["a", "b"]), [Corrected, Active]);
    book.withdraw("correction", confirming);
    assert_eq!(book.states(&["a", "b"]), [Invalidated; 2], "the ground was gone all along");
    assert!(!book.is_valid_input(confirming), "a withdrawn correction is not an input");
}

#[test]
fn a_withdrawn_correction_is_not_an_input_though_another_states_the_same() {
    let mut book = Book::new();
    let seen = book.evidence();
    let a = book.claim("a", 1, &[seen]).unwrap();
    let first = book.correct("a", 2, a);
    let second = book.correct("a", 2, a);
    book.withdraw("correction", first);
    assert_eq!(book.states(&["a"]), [Corrected]);
    assert!(book.is_valid_input(second) && !book.is_valid_input(first) && !book.is_valid_input(a));
}

#[test]
fn a_new_version_invalidates_dependents_only_when_its_payload_differs() {
    let mut book = Book::new();
    let seen = book.evidence();
    let a = book.claim("a", 1, &[seen]).unwrap();
    book.claim("b", 1, &[a]).unwrap();
    book.claim("a", 1, &[seen]).unwrap();
    assert_eq!(book.states(&["a", "b"]), [Active, Active]);
    book.claim("a", 2, &[seen]).unwrap();
    assert_eq!(book.states(&["a", "b"]), [Active, Invalidated]);
}

#[test]
fn a_retracted_claim_is_retracted_and_its_dependents_are_invalidated() {
    let mut book = Book::new();
    let seen = book.evidence();
    let said = json!({"claim_type": "t", "identity_key": "a", "payload": 1});
    let a = book.by_owner("claim", said, &[("input", seen)]).unwrap();
    book.claim("b", 1, &[a]).unwrap();
    book.by_owner("retraction", json!({}), &[("target", a)]).unwrap();
    assert_eq!(book.states(&["a", "b"]), [Retracted, Invalidated]);
}

#[test]
fn a_retracted_thought_is_no_longer_a_valid_input() {
    let mut book = Book::new();
    let thought = book.by_agent("thought", json!({}), &[]).unwrap();
    book.claim("a", 1, &[thought]).unwrap();
    book.by_agent("retraction", json!({}), &[("target", thought)]).unwrap();
    assert_eq!(book.states(&["a"]), [Invalidated]);
}

#[test]
fn identities_that_cite_each_other_are_invalidated_together() {
    let mut book = Book::new();
    let seen = book.evidence();
    let a = book.claim("a", 1, &[seen]).unwrap();
    let b = book.claim("b", 1, &[a]).unwrap();
    let a_on_b = book.claim("a", 1, &[b]).unwrap();
    book.claim("b", 1, &[a_on_b]).unwrap();
    assert_eq!(book.states(&["a", "b"]), [Active, Active]);
    book.retract_evidence(seen);
    assert_eq!(book.states(&["a", "b"]), [Invalidated; 2], "no belief holds itself up");
}

#[test]
fn a_correction_outlives_the_body_of_its_claim() {
    let mut book = Book::new();
    let seen = book.evidence();
    let agent = Signer::from_seed([2; 32]);
    let (forgotten, _) = book.seal(&agent, "claim", claim("a", 1), &[("input", seen)]);
    book.graph.insert(&forgotten, None);
    assert_eq!(book.states(&["a"]), [Unsaid]);
    book.correct("a", 2, forgotten.id());
    assert_eq!(book.states(&["a"]), [Corrected]);
}

#[test]
fn an_operation_kept_without_permission_has_no_effect() {
    let mut book = Book::new();
    let stranger = Signer::from_seed([3; 32]);
    let agent = Signer::from_seed([2; 32]);
    let seen = book.evidence();
    let a = book.claim("a", 1, &[seen]).unwrap();
    book.claim("b", 1, &[a]).unwrap();
    let planted = book.keep(&stranger, "evidence", evidence("planted"), &[("supersedes", seen)]);
    book.keep(&stranger, "evidence_retraction", json!({}), &[("target", seen)]);
    book.keep(&stranger, "claim", claim("a", 2), &[("input", seen)]);
    book.keep(&stranger, "claim", claim("mine", 1), &[("input", seen)]);
    book.keep(&stranger, "retraction", json!({}), &[("target", a)]);
    book.keep(&agent, "claim_refutation", json!({"identity_key": "a"}), &[("target", a)]);
    let refuted = json!({"identity_key": "a", "corrected_payload": 2});
    let forged = book.keep(&agent, "claim_correction", refuted, &[("target", a)]);
    assert_eq!(book.states(&["a", "b", "mine"]), [Active, Active, Unsaid]);
    assert!(!book.is_valid_input(planted) && !book.is_valid_input(forged));
    let real = book.refute("a", a);
    book.keep(&agent, "refutation_withdrawal", json!({}), &[("target", real)]);
    assert_eq!(book.states(&["a", "b"]), [Refuted, Invalidated]);
}

#[test]
fn a_claim_kept_without_inputs_is_not_a_version() {
    let mut book = Book::new();
    let agent = Signer::from_seed([2; 32]);
    let seen = book.evidence();
    book.claim("a", 1, &[seen]).unwrap();
    let groundless = book.keep(&agent, "claim", claim("a", 2), &[]);
    let edge = book.keep(&agent, "edge", json!({}), &[]);
    book.keep(&agent, "claim", claim("on an edge", 1), &[("input", edge)]);
    book.keep(&agent, "claim", claim("on nothing", 1), &[("input", groundless)]);
    assert_eq!(book.states(&["a", "on an edge", "on nothing"]), [Active, Invalidated, Invalidated]);
}

/// Claims, each on the one before.
fn chain(book: &mut Book, length: usize) -> OpId {
    let agent = Signer::from_seed([2; 32]);
    let mut last = book.evidence();
    for number in 0..length {
        last = book.keep(&agent, "claim", claim(&format!("k{number}"), 1), &[("input", last)]);
    }
    last
}

#[test]
fn a_chain_of_twenty_thousand_claims_is_invalidated_in_linear_time_without_recursion() {
    let time = |length: usize| {
        let mut book = Book::new();
        let last = chain(&mut book, length);
        let top = format!("k{}", length - 1);
        let started = Instant::now();
        assert!(book.is_valid_input(last));
        assert_eq!(book.states(&[&top]), [Active]);
        let took = started.elapsed();
        let Ok(first) = book.graph.identity("k0");
        book.refute("k0", first[0].id);
        assert_eq!(book.states(&["k0", &top]), [Refuted, Invalidated]);
        took
    };
    let (short, long) = (time(2_000), time(20_000));
    assert!(
        long < 60 * short.max(std::time::Duration::from_millis(2)),
        "2 000: {short:?}, 20 000: {long:?}"
    );
}

#[test]
fn the_causes_of_a_long_chain_that_was_due_before_are_found_in_linear_time() {
    let time = |length: usize| {
        let mut book = Book::new();
        let ground = book.evidence();
        let agent = Signer::from_seed([2; 32]);
        let mut last = ground;
        for number in 0..length {
            last = book.keep(&agent, "claim", claim(&format!("k{number}"), 1), &[("input", last)]);
        }
        let gone = book.retract_evidence(ground);
        let started = Instant::now();
        let Ok(follows) = consequences(&book.graph, &Journal::default(), book.graph.due());
        let took = started.elapsed();
        assert_eq!(follows.invalidated.len(), length);
        assert!(follows.invalidated.iter().all(|claim| claim.cause == gone));
        took
    };
    let (short, long) = (time(1_000), time(10_000));
    assert!(
        long < 60 * short.max(std::time::Duration::from_millis(2)),
        "1 000: {short:?}, 10 000: {long:?}"
    );
}

#[test]
fn a_hub_below_thousands_of_claims_and_versions_is_looked_up_once() {
    let mut book = Book::new();
    let agent = Signer::from_seed([2; 32]);
    let hub = book.evidence();
    let mut versions = Vec::new();
    for number in 0..3_000 {
        versions.push(book.keep(&agent, "claim", claim("hub", 1), &[("input", hub)]));
        book.keep(
            &agent,
            "claim",
            claim(&format!("k{number}"), 1),
            &[("input", hub), ("input", versions[number])],
        );
    }
    let refs: Vec<_> = versions.iter().map(|version| ("input", *version)).collect();
    book.keep(&agent, "claim", claim("top", 1), &refs);
    let started = Instant::now();
    assert_eq!(book.states(&["top"]), [Active]);
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    book.retract_evidence(hub);
    assert_eq!(book.states(&["top", "hub"]), [Invalidated; 2]);
}

#[test]
fn stacked_diamonds_are_walked_once_and_not_once_for_each_path() {
    let mut book = Book::new();
    let agent = Signer::from_seed([2; 32]);
    let seen = book.evidence();
    let mut level = [seen, seen];
    for number in 0..200 {
        let refs = [("input", level[0]), ("input", level[1])];
        level = [0, 1]
            .map(|side| book.keep(&agent, "claim", claim(&format!("k{number}.{side}"), 1), &refs));
    }
    assert_eq!(book.states(&["k199.0", "k199.1"]), [Active, Active]);
    book.retract_evidence(seen);
    assert_eq!(book.states(&["k199.0", "k199.1"]), [Invalidated; 2]);
}

#[test]
fn a_claim_built_on_a_node_is_invalidated_with_the_inputs_of_the_node() {
    let mut book = Book::new();
    let seen = book.by_owner("evidence", evidence("one"), &[]).unwrap();
    let node = book
        .by_owner("node", json!({"node_type": "decision", "text": "a"}), &[("input", seen)])
        .unwrap();
    let above = book.by_owner("node", json!({"node_type": "summary"}), &[("input", node)]).unwrap();
    book.claim("k", 1, &[above]).unwrap();
    assert_eq!(book.states(&["k"]), [State::Active]);
    assert!(book.is_valid_input(node) && book.is_valid_input(above));
    book.by_owner("evidence_retraction", json!({}), &[("target", seen)]).unwrap();
    assert_eq!(book.states(&["k"]), [State::Invalidated]);
    assert!(!book.is_valid_input(node) && !book.is_valid_input(above));
    let status = |id| book.graph.status(&id).unwrap().unwrap();
    assert_eq!(status(node), ClaimStatus::default(), "nodes have no records of invalidation");
    assert_eq!(book.graph.due().len(), 1);
}

#[test]
fn a_node_without_inputs_which_another_program_appended_has_no_effect() {
    let mut book = Book::new();
    let seen = book.evidence();
    let grounded = book.node("Do it.", &[seen]).unwrap();
    book.claim("k", 1, &[grounded]).unwrap();
    let owner = Signer::from_seed([1; 32]);
    let node = book.keep(&owner, "node", json!({"node_type": "entity"}), &[]);
    assert!(book.is_valid_input(grounded) && !book.is_valid_input(node));
    book.by_owner("retraction", json!({}), &[("target", grounded)]).unwrap();
    assert_eq!(book.states(&["k"]), [State::Invalidated]);
}

#[test]
fn an_edge_depends_on_its_evidence_and_not_on_its_ends() {
    let mut book = Book::new();
    let (one, other) = (evidence("one"), evidence("other"));
    let (one, other) = (
        book.by_owner("evidence", one, &[]).unwrap(),
        book.by_owner("evidence", other, &[]).unwrap(),
    );
    let ends = ["a", "b"]
        .map(|text| book.by_owner("node", json!({"text": text}), &[("input", one)]).unwrap());
    let refs = [("from", ends[0]), ("to", ends[1]), ("input", other)];
    let edge = book.by_owner("edge", json!({"edge_type": "supersedes"}), &refs).unwrap();
    let sound = |book: &Book| book.graph.status(&edge).unwrap().unwrap().sound;
    book.by_owner("retraction", json!({}), &[("target", ends[0])]).unwrap();
    book.by_owner("evidence_retraction", json!({}), &[("target", one)]).unwrap();
    assert!(sound(&book));
    book.by_owner("evidence_retraction", json!({}), &[("target", other)]).unwrap();
    assert!(!sound(&book));
}
