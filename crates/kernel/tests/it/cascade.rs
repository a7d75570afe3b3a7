//! The cascade against the naive model of beliefs, on random histories of two devices.
//!
//! After every operation that is taken in, what is stored of every claim is compared with the
//! model, which tells the whole history again for each question; after every step, what follows.
//! The histories are made from small numbers, which are the seeds.

use std::convert::Infallible;

use kernel::body::Body;
use kernel::cascade::{Consequences, Journal, consequences};
use kernel::id::OpId;
use kernel::ledger_index::{Graph, LedgerIndex};
use kernel::operation::Operation;
use kernel::rules::{JudgeError, RuleViolation, Verdict, judge, judge_place};
use kernel::seal::Signer;
use kernel::soundness::{ClaimStatus, recompute_statuses};
use serde_json::json;
use testkit::histories::{Device, Dice, Keeper, Origin, draft, next_draft, two_devices};
use testkit::naive_beliefs::NaiveBeliefs;

use crate::rules::Book;

/// Long histories, and their steps.
const LONG: (u64, usize) = (1, 300);
/// Short histories, and their steps.
const SHORT: (u64, usize) = (6, 120);

/// The kernel's own graph, and what settling noted.
#[derive(Default)]
struct InMemory {
    graph: Graph,
    journal: Journal,
}

impl InMemory {
    fn begun(genesis: &Operation, body: &Body) -> Self {
        let mut begun = Self::default();
        begun.graph.insert(genesis, Some(body));
        begun
    }
}

impl Keeper for InMemory {
    type Error = Infallible;

    fn ask(&self, question: &mut dyn FnMut(&dyn LedgerIndex<Error = Infallible>)) {
        question(&self.graph);
    }

    fn take(
        &mut self,
        operation: &Operation,
        body: &Body,
        origin: Origin,
    ) -> Result<(), RuleViolation> {
        let verdict = match origin {
            Origin::Own => judge(operation, Some(body), &self.graph),
            Origin::Elsewhere => judge_place(operation, Some(body), &self.graph)
                .map(|verdict| verdict.unwrap_or(Verdict::Append)),
        };
        match verdict {
            Ok(_) => {
                self.journal.note(self.graph.insert(operation, Some(body)));
                Ok(())
            }
            Err(JudgeError::RuleViolation(violation)) => Err(violation),
            Err(JudgeError::LedgerIndex(never)) => match never {},
        }
    }

    fn follow(&mut self) -> Consequences {
        let Ok(follows) =
            consequences(&self.graph, &std::mem::take(&mut self.journal), self.graph.due());
        follows
    }
}

#[test]
fn a_cascade_is_what_the_naive_model_finds_on_any_history_of_two_devices() {
    for (seeds, steps) in [LONG, SHORT] {
        let mut recorded = 0;
        for seed in 1..=seeds {
            println!("seed {seed} of {steps} steps");
            recorded += two_devices(seed, steps, InMemory::begun);
        }
        assert!(recorded > 10 * seeds as usize, "the histories do not try much: {recorded}");
    }
}

/// A history of two keys, of which one is given its rights and loses them again.
fn with_changing_access(dice: &mut Dice) -> Device<InMemory> {
    let agent = Signer::from_seed([2; 32]);
    let author = agent.author();
    let mut device = Device::new(Signer::from_seed([1; 32]), InMemory::default());
    let body =
        json!({"name": "t", "owner": device.signer.author(), "created": "2026-01-01T00:00:00Z"});
    let genesis = device.make(dice, draft("space", &body, &[])).unwrap();
    let mut other = agent;
    for step in 0..SHORT.1 / 2 {
        if dice.below(2) == 0 {
            std::mem::swap(&mut device.signer, &mut other);
        }
        if step % 8 == 0 {
            let change = ["grant", "revoke"][step / 8 % 2];
            let body = json!({"key": author, "capabilities": ["append", "derive", "correct"]});
            device.make(dice, draft(change, &body, &[]));
        }
        if let Some(draft) = next_draft(dice, &device.model) {
            device.make(dice, draft);
        }
        let due = device.model.due();
        if let Some(target) = dice.pick(&due).filter(|_| dice.below(2) == 0) {
            device.make(
                dice,
                draft("claim_invalidation", &json!({}), &[("target", target), ("cause", genesis)]),
            );
        }
    }
    device
}

#[test]
fn what_is_stored_does_not_depend_on_the_order_of_arrival() {
    let (mut recorded, mut unsound) = (0, 0);
    for seed in 1..=SHORT.0 {
        println!("seed {seed}");
        let mut dice = Dice::of(seed);
        let device = with_changing_access(&mut dice);
        let mut left: Vec<&(Operation, Body)> = device.log.iter().collect();
        let mut graph = Graph::default();
        let mut model = NaiveBeliefs::default();
        let mut claims = Vec::new();
        while !left.is_empty() {
            let header = |place: usize| left[place].0.header();
            let here = |id: &OpId| graph.entry(id).unwrap().is_some();
            let ready = |place: &usize| {
                header(*place).refs.iter().all(|cited| here(&cited.id))
                    && header(*place).prev.iter().all(here)
            };
            let ready: Vec<usize> = (0..left.len()).filter(|place| ready(place)).collect();
            let (operation, body) = left.remove(dice.pick(&ready).unwrap());
            graph.insert(operation, Some(body));
            model.insert(operation.clone(), Some(body.clone()));
            if operation.header().kind.spec().has_soundness {
                claims.push(operation.id());
            }
            let (told, fallen, due) = (model.replay(), model.recorded(), model.due());
            for id in &claims {
                let (sound, recorded, due) =
                    (told.is_sound(id), fallen.contains(id), due.contains(id));
                assert_eq!(graph.status(id).unwrap(), Some(ClaimStatus { sound, recorded, due }));
            }
            assert_eq!(
                recompute_statuses(&graph, claims.iter().copied()).unwrap().changes,
                [],
                "made anew it is the same"
            );
        }
        for id in claims {
            let settled = device.keeper.graph.status(&id).unwrap().unwrap();
            assert_eq!(graph.status(&id).unwrap(), Some(settled));
            recorded += usize::from(settled.recorded);
            unsound += usize::from(!settled.sound);
        }
        assert_eq!(graph.due(), device.keeper.graph.due());
    }
    assert!(
        recorded > SHORT.0 as usize && unsound > recorded,
        "the histories do not try much: {recorded}, {unsound}"
    );
}

#[test]
fn an_invalidation_is_recorded_again_only_after_a_restoration_whatever_the_cause() {
    let mut book = Book::new();
    let (left, right) = (book.evidence(), book.evidence());
    let base = book.claim("base", 1, &[left]).unwrap();
    let top = book.claim("top", 1, &[base, right]).unwrap();
    let refute = |book: &mut Book| {
        book.by_owner("claim_refutation", json!({"identity_key": "base"}), &[("target", base)])
            .unwrap()
    };
    let record = |book: &mut Book, cause| {
        book.by_agent("claim_invalidation", json!({}), &[("target", top), ("cause", cause)])
            .map(|_| ())
    };
    let first = refute(&mut book);
    assert_eq!(record(&mut book, first), Ok(()));
    let gone = book.by_agent("evidence_retraction", json!({}), &[("target", left)]).unwrap();
    assert_eq!(record(&mut book, gone), Err(RuleViolation::DuplicateInvalidation { target: top }));
    let mut book = Book::new();
    let seen = book.evidence();
    let base = book.claim("base", 1, &[seen]).unwrap();
    let top = book.claim("top", 1, &[base]).unwrap();
    for _ in 0..2 {
        let refuted = book
            .by_owner("claim_refutation", json!({"identity_key": "base"}), &[("target", base)])
            .unwrap();
        for expected in [Ok(()), Err(RuleViolation::DuplicateInvalidation { target: top })] {
            let refs = [("target", top), ("cause", refuted)];
            assert_eq!(book.by_agent("claim_invalidation", json!({}), &refs).map(|_| ()), expected);
        }
        book.by_owner("refutation_withdrawal", json!({}), &[("target", refuted)]).unwrap();
    }
}
