//! Random histories with redactions: both stores erase what the kernel says, whatever the order of
//! arrival, and their views are what they fold from what is left.

use kernel::body::Body;
use kernel::id::OpId;
use kernel::ledger_index::{Graph, LedgerIndex};
use kernel::operation::{HlcTimestamp, Operation};
use kernel::redaction::redaction_behind;
use kernel::validity::Validity;
use proptest::collection::vec;
use proptest::prelude::*;
use store::{Ledger, Writing};

use crate::book::{Book, genesis, word};
use crate::histories::{Step, operation_of, step_of};

/// Kinds that steps are made of.
const KINDS: &[&str] = &[
    "evidence",
    "evidence",
    "claim",
    "claim",
    "claim_correction",
    "claim_refutation",
    "evidence_retraction",
    "annotation",
    "proposal",
    "thought",
    "grant",
    "revoke",
    "redaction",
    "redaction",
];

/// A step that is the owner's more often than not; a redaction mostly has one target.
fn mostly_permitted() -> impl Strategy<Value = Step> {
    step_of(KINDS).prop_map(|mut step| {
        if step.jitter > 1 {
            step.who = 1;
            if KINDS[step.kind] == "redaction" {
                step.refs.truncate(1);
                step.refs.iter_mut().for_each(|(_, role)| *role = 0);
            }
        }
        step
    })
}

type Taken = Vec<(Operation, Body)>;

fn without_body<L: Ledger>(book: &Book<L>, taken: &Taken) -> Vec<OpId> {
    let is_bare = |id: &OpId| book.ledger.get(id).unwrap().unwrap().operation.body().is_none();
    taken.iter().map(|(operation, _)| operation.id()).filter(is_bare).collect()
}

/// What the kernel says of a ledger from which the redacted bodies are removed.
fn redacted(taken: &Taken, bare: &[OpId]) -> (Graph, Vec<OpId>) {
    let mut graph = Graph::default();
    for (operation, body) in taken {
        let id = operation.id();
        graph.insert(operation, Some(body).filter(|_| !bare.contains(&id)));
    }
    let is_redacted = |id: &OpId| {
        let Ok(redaction) = redaction_behind(&graph, id);
        redaction.is_some()
    };
    let redacted = taken.iter().map(|(operation, _)| operation.id()).filter(is_redacted).collect();
    (graph, redacted)
}

fn states<W: LedgerIndex>(index: &W) -> Vec<&'static str>
where
    W::Error: std::fmt::Debug,
{
    let state = |number| Validity::new(index).state(&format!("k{number}")).unwrap().as_str();
    (0..4).map(state).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_redacted_is_erased_in_whatever_order_it_arrives(
        batches in vec((any::<bool>(), any::<bool>(), vec(mostly_permitted(), 1..12)), 1..7),
    ) {
        let mut memory = Book::in_memory();
        let mut file = Book::in_file();
        let (first, first_body) = genesis();
        let mut ids: Vec<(OpId, HlcTimestamp)> = vec![(first.id(), first.header().ts)];
        let mut taken: Taken = vec![(first, first_body)];
        for (is_folded, is_deferred, steps) in &batches {
            if *is_folded {
                file.advance();
            }
            let mut in_memory = memory.ledger.begin().unwrap();
            let mut in_file = file.ledger.write().unwrap();
            if *is_deferred {
                in_file.defer_erasure();
            }
            for step in steps {
                let step: &Step = step;
                let (operation, body) = operation_of(&in_file, step, KINDS, &ids);
                if word(&in_file.admit(&operation, Some(&body))) == "append" {
                    prop_assert_eq!(word(&in_memory.admit(&operation, Some(&body))), "append");
                    ids.push((operation.id(), operation.header().ts));
                    taken.push((operation, body));
                }
            }
            in_memory.commit().unwrap();
            Box::new(in_file).commit().unwrap();
        }
        Box::new(file.ledger.write().unwrap()).commit().unwrap();
        let bare = without_body(&file, &taken);
        prop_assert_eq!(&without_body(&memory, &taken), &bare);
        let (graph, redacted) = redacted(&taken, &bare);
        prop_assert_eq!(&redacted, &bare);
        prop_assert_eq!(file.ledger.unerased().unwrap(), []);
        prop_assert_eq!(states(&file.ledger.ledger_index().unwrap()), states(&graph));
        for (id, _) in &ids {
            let status = file.ledger.ledger_index().unwrap().status(id).unwrap();
            prop_assert_eq!(status, graph.status(id).unwrap());
        }
        file.advance();
        prop_assert!(!file.ledger.is_erasure_due().unwrap());
        for (stored, folded) in file.ledger.refold().unwrap() {
            prop_assert_eq!(stored, folded);
        }
        // Another device gets everything whole, in the space's order.
        taken.sort_by_key(|(operation, _)| operation.order());
        let mut other = Book::in_file();
        for (operation, body) in taken.iter().skip(1) {
            let mut writing = other.ledger.begin().unwrap();
            prop_assert_eq!(word(&writing.admit(operation, Some(body))), "append");
            writing.commit().unwrap();
        }
        let mut there = without_body(&other, &taken);
        let mut here = bare;
        there.sort_unstable();
        here.sort_unstable();
        prop_assert_eq!(there, here);
        prop_assert_eq!(states(&other.ledger.ledger_index().unwrap()), states(&graph));
    }
}
