//! Random histories: both stores judge each operation as the rules do over the in-memory graph, and
//! answer every look-up alike.

use std::collections::BTreeSet;

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Graph, LedgerIndex};
use kernel::operation::{HlcTimestamp, Operation};
use kernel::rules::{JudgeError, Verdict, judge, judge_place};
use kernel::seal::{ChainPosition, Draft};
use kernel::soundness::recompute_statuses;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use store::{Ledger, Writing};

use crate::book::{Book, IndexOf, body_of, genesis, key, note, refs_of, word};

/// Kinds that steps are made of.
const KINDS: &[&str] = &[
    "evidence",
    "evidence",
    "evidence_retraction",
    "claim",
    "claim",
    "claim_correction",
    "claim_refutation",
    "correction_withdrawal",
    "refutation_withdrawal",
    "claim_invalidation",
    "retraction",
    "grant",
    "revoke",
    "thought",
    "weather",
];
const ROLES: &[&str] = &["target", "supersedes", "cause", "source", "refines", "consolidates"];

/// One operation that is tried.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) who: u8,
    pub(crate) kind: usize,
    name: u8,
    text: u8,
    pub(crate) refs: Vec<(prop::sample::Index, usize)>,
    pub(crate) jitter: u64,
    from_elsewhere: bool,
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    step_of(KINDS)
}

/// A step of one of these kinds.
pub(crate) fn step_of(kinds: &'static [&'static str]) -> impl Strategy<Value = Step> {
    let refs = vec((any::<prop::sample::Index>(), 0..ROLES.len()), 0..3);
    (1..4_u8, 0..kinds.len(), 0..3_u8, 0..2_u8, refs, 1..5_u64, any::<bool>()).prop_map(
        |(who, kind, name, text, refs, jitter, from_elsewhere)| Step {
            who,
            kind,
            name,
            text,
            refs,
            jitter,
            from_elsewhere,
        },
    )
}

fn body(step: &Step, kinds: &'static [&'static str]) -> (&'static str, Body) {
    let kind = kinds[step.kind];
    let key_name = format!("k{}", step.name);
    let body: Value = match kind {
        "evidence" => json!(note(&format!("u{}", step.name), &format!("text {}", step.text))),
        "claim" => json!({"claim_type": "t", "identity_key": key_name, "payload": step.text}),
        "claim_correction" => json!({"identity_key": key_name, "corrected_payload": step.text}),
        "claim_refutation" => json!({"identity_key": key_name}),
        "grant" | "revoke" => {
            let capabilities = ["append", "derive", "correct", "admin"];
            let some = &capabilities
                [usize::from(step.text)..=usize::from(step.name).max(usize::from(step.text))];
            json!({"key": key(step.jitter as u8 % 3 + 1).author(), "capabilities": some})
        }
        _ => json!({}),
    };
    (kind, body_of(kind, &body))
}

/// The operation of a step, chained to what the index contains.
pub(crate) fn operation<W: LedgerIndex>(
    index: &W,
    step: &Step,
    ids: &[(OpId, HlcTimestamp)],
) -> (Operation, Body)
where
    W::Error: std::fmt::Debug,
{
    operation_of(index, step, KINDS, ids)
}

/// The same of a step of one of these kinds.
pub(crate) fn operation_of<W: LedgerIndex>(
    index: &W,
    step: &Step,
    kinds: &'static [&'static str],
    ids: &[(OpId, HlcTimestamp)],
) -> (Operation, Body)
where
    W::Error: std::fmt::Debug,
{
    let (_, body) = body(step, kinds);
    let cited: Vec<(&str, (OpId, HlcTimestamp))> =
        step.refs.iter().map(|(which, role)| (ROLES[*role], *which.get(ids))).collect();
    let head = index.head(&key(step.who).author()).unwrap();
    let after =
        cited.iter().map(|(_, (_, ts))| ts.0).chain(head.map(|head| head.ts.0)).max().unwrap_or(1);
    let refs: Vec<(&str, OpId)> = cited.iter().map(|(role, (id, _))| (*role, *id)).collect();
    let place = ChainPosition {
        space: index.space().unwrap(),
        head,
        ts: HlcTimestamp(after + step.jitter),
    };
    (key(step.who).seal(Draft { body: body.clone(), refs: refs_of(&refs) }, place).unwrap(), body)
}

fn expected(
    graph: &Graph,
    operation: &Operation,
    body: &Body,
    from_elsewhere: bool,
) -> &'static str {
    let verdict = if from_elsewhere {
        judge_place(operation, Some(body), graph).map(|verdict| verdict.unwrap_or(Verdict::Append))
    } else {
        judge(operation, Some(body), graph)
    };
    match verdict {
        Ok(Verdict::Append) => "append",
        Ok(Verdict::Present) => "present",
        Err(JudgeError::RuleViolation(violation)) => violation.code(),
        Err(JudgeError::LedgerIndex(never)) => match never {},
    }
}

fn take(
    writing: &mut dyn Writing,
    operation: &Operation,
    body: &Body,
    from_elsewhere: bool,
) -> &'static str {
    word(&if from_elsewhere {
        writing.admit(operation, Some(body))
    } else {
        writing.record(operation, Some(body))
    })
}

/// Every look-up, for every possible argument.
pub(crate) fn same(writing: &dyn Writing, graph: &Graph, ids: &[(OpId, HlcTimestamp)]) {
    assert_eq!(writing.space().unwrap(), graph.space().unwrap());
    assert_eq!(writing.access().unwrap(), graph.access().unwrap());
    let unknown = OpId([9; 32]);
    for id in ids.iter().map(|(id, _)| id).chain([&unknown]) {
        assert_eq!(writing.entry(id).unwrap(), graph.entry(id).unwrap());
        let citing: BTreeSet<_> = graph.citing(id).unwrap().into_iter().collect();
        assert_eq!(writing.status(id).unwrap(), graph.status(id).unwrap());
        assert_eq!(writing.dependents(id).unwrap(), graph.dependents(id).unwrap());
        assert_eq!(writing.citing(id).unwrap(), citing.into_iter().collect::<Vec<_>>());
        for (kind, role) in KINDS.iter().flat_map(|kind| ROLES.iter().map(move |role| (kind, role)))
        {
            let kind = Kind::parse(kind).unwrap();
            let acting: BTreeSet<_> = graph.acting(id, &kind, role).unwrap().into_iter().collect();
            let found: BTreeSet<_> = writing.acting(id, &kind, role).unwrap().into_iter().collect();
            assert_eq!(found, acting, "{kind} {role}");
        }
    }
    for number in 0..4 {
        let name = format!("k{number}");
        assert_eq!(writing.identity(&name).unwrap(), graph.identity(&name).unwrap());
        for kind in [Kind::Claim, Kind::ClaimCorrection, Kind::ClaimRefutation] {
            for before in ids.iter().map(|(id, ts)| Some((*ts, *id))).chain([None]) {
                let latest = graph.latest_of(&name, &kind, before).unwrap();
                assert_eq!(writing.latest_of(&name, &kind, before).unwrap(), latest);
                assert_eq!(
                    IndexOf(writing).identity(&name).unwrap().into_iter().rev().find(|entry| {
                        entry.kind == kind && before.is_none_or(|before| entry.order() < before)
                    }),
                    latest
                );
            }
        }
        let uid = format!("u{number}");
        assert_eq!(writing.evidence("test", &uid).unwrap(), graph.evidence("test", &uid).unwrap());
        let author = key(number).author();
        assert_eq!(writing.head(&author).unwrap(), graph.head(&author).unwrap());
        for seq in 0..ids.len() as u64 + 2 {
            assert_eq!(writing.at_seq(&author, seq).unwrap(), graph.at_seq(&author, seq).unwrap());
        }
    }
    assert_eq!(writing.latest().unwrap(), ids.iter().map(|(_, ts)| *ts).max());
}

fn is_claim(graph: &Graph, id: &OpId) -> bool {
    graph.entry(id).unwrap().is_some_and(|entry| entry.kind == Kind::Claim)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn both_stores_judge_and_answer_as_the_plain_graph(
        batches in vec((prop::bool::weighted(0.8), any::<bool>(), vec(step(), 1..10)), 1..8),
    ) {
        let mut memory = Book::in_memory();
        let mut file = Book::in_file();
        let mut graph = Graph::default();
        let (first, first_body) = genesis();
        graph.insert(&first, Some(&first_body));
        let mut ids = vec![(first.id(), first.header().ts)];
        for (kept, is_folded, steps) in &batches {
            if *is_folded {
                file.advance();
            }
            let mut in_memory = memory.ledger.begin().unwrap();
            let mut in_file = file.ledger.begin().unwrap();
            if *kept {
                for step in steps {
                    let (operation, body) = operation(&graph, step, &ids);
                    let verdict = expected(&graph, &operation, &body, step.from_elsewhere);
                    prop_assert_eq!(take(&mut *in_memory, &operation, &body, step.from_elsewhere), verdict);
                    prop_assert_eq!(take(&mut *in_file, &operation, &body, step.from_elsewhere), verdict);
                    if verdict == "append" {
                        graph.insert(&operation, Some(&body));
                        ids.push((operation.id(), operation.header().ts));
                        let anew = recompute_statuses(&graph, ids.iter().map(|(id, _)| *id).filter(|id| is_claim(&graph, id)));
                        prop_assert_eq!(anew.unwrap().changes, [], "the stored status equals the recomputed one");
                    }
                }
                in_memory.commit().unwrap();
                in_file.commit().unwrap();
            } else {
                let mut own = ids.clone();
                for step in steps {
                    let (operation, body) = operation(&IndexOf(&*in_file), step, &own);
                    let verdict = take(&mut *in_file, &operation, &body, step.from_elsewhere);
                    prop_assert_eq!(take(&mut *in_memory, &operation, &body, step.from_elsewhere), verdict);
                    if verdict == "append" {
                        own.push((operation.id(), operation.header().ts));
                    }
                }
            }
        }
        same(&*memory.ledger.begin().unwrap(), &graph, &ids);
        same(&*file.ledger.begin().unwrap(), &graph, &ids);
        file.advance();
        for (stored, folded) in file.ledger.refold().unwrap() {
            prop_assert_eq!(stored, folded);
        }
        let before = file.ledger.digests().unwrap();
        file.ledger.rebuild(|_| {}).unwrap();
        prop_assert_eq!(file.ledger.digests().unwrap(), before);
        same(&*file.again().ledger.begin().unwrap(), &graph, &ids);
    }
}
