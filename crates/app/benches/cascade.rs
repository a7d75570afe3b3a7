//! The cascade: what it costs to invalidate the dependents of a claim, in ledgers of different
//! sizes.
//!
//! `cargo bench -p because --bench cascade -- [CLAIMS…]` (default 10000 100000 1000000). Every
//! claim has three inputs. A ledger holds *cones* of 10, 1 000 and 100 000 claims, as many as fit,
//! each derived from one claim of its own; all other claims are unrelated. A cone has the same
//! shape in every ledger. A cone's first claim is refuted, which invalidates the cone; the
//! refutation is withdrawn, which restores it. Three steps are measured, in a file and in the
//! kernel's own graph: the walk (refute, settle, list the consequences), the same with a durable
//! record of each invalidation, and the restoration. Times are medians of several runs. The ratios
//! show the cost of the unrelated claims.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod shared;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kernel::body::Body;
use kernel::canonical;
use kernel::cascade::{Journal, consequences};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Graph, Head};
use kernel::operation::{HlcTimestamp, Operation, Ref, Role};
use kernel::seal::{ChainPosition, Draft, Signer};
use serde_json::{Value, json};
use store::sqlite::SqliteSpace;
use store::{Ledger, Writing};

/// Claims of the cones, and how often each cascade is run.
const CONES: [(usize, usize); 3] = [(10, 31), (1_000, 9), (100_000, 3)];
/// Operations of one transaction while a ledger is built.
const BATCH: usize = 50_000;
/// A cone's claims stand on one of so many before them: a cone is deep where this is small.
const REACH: usize = 8;

fn main() {
    let Some(sizes) = shared::sizes(&[10_000, 100_000, 1_000_000]) else { return };
    let mut times = BTreeMap::new();
    for claims in &sizes {
        in_graph(*claims, &mut times);
        in_file(*claims, &mut times);
    }
    println!("\nratios to the smallest ledger that holds the cone");
    for (what, times) in &times {
        let ratios: Vec<String> = times
            .iter()
            .map(|(claims, time)| format!("{claims}: {:.2}", time / times[0].1))
            .collect();
        println!("{what:<52} {}", ratios.join("   "));
    }
}

/// Times by measurement: size of the ledger and milliseconds.
type Times = BTreeMap<String, Vec<(usize, f64)>>;

fn note(times: &mut Times, claims: usize, what: &str, touched: usize, mut runs: Vec<Duration>) {
    runs.sort_unstable();
    let median = runs[runs.len() / 2].as_secs_f64() * 1e3;
    let (least, most) = (runs[0].as_secs_f64() * 1e3, runs[runs.len() - 1].as_secs_f64() * 1e3);
    println!(
        "{claims:>8} claims, {touched:>6} touched, {what:<34} {median:>10.3} ms   ({least:.3} to {most:.3})"
    );
    times.entry(format!("{touched:>6} touched, {what}")).or_default().push((claims, median));
}

/// A chain of operations of one author.
struct Author {
    signer: Signer,
    space: Option<kernel::id::SpaceId>,
    head: Option<Head>,
    ts: u64,
}

impl Author {
    fn new() -> Self {
        Self { signer: Signer::from_seed([1; 32]), space: None, head: None, ts: 0 }
    }

    fn say(&mut self, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> (Operation, Body) {
        self.ts += 1;
        let body =
            Body::parse(&Kind::parse(kind).unwrap(), &canonical::to_bytes(body).unwrap()).unwrap();
        let refs = refs
            .iter()
            .map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() })
            .collect();
        let place = ChainPosition { space: self.space, head: self.head, ts: HlcTimestamp(self.ts) };
        let operation = self.signer.seal(Draft { body: body.clone(), refs }, place).unwrap();
        self.space = Some(operation.space());
        self.head = Some(Head {
            seq: operation.header().seq,
            id: operation.id(),
            ts: HlcTimestamp(self.ts),
        });
        (operation, body)
    }

    fn genesis(&mut self) -> (Operation, Body) {
        let owner = self.signer.author();
        self.say(
            "space",
            &json!({"name": "bench", "owner": owner, "created": "2026-01-01T00:00:00Z"}),
            &[],
        )
    }

    fn claim(&mut self, key: &str, inputs: [OpId; 3]) -> (Operation, Body) {
        let deriver = json!({"name": "bench", "version": "1.0.0"});
        let body =
            json!({"claim_type": "bench", "identity_key": key, "payload": 1, "deriver": deriver});
        self.say("claim", &body, &inputs.map(|input| ("input", input)))
    }

    /// A ledger's operations after its genesis; the first claim of each cone.
    fn ledger(
        &mut self,
        claims: usize,
        mut take: impl FnMut(&Operation, &Body),
    ) -> Vec<(usize, usize, OpId)> {
        let mut ground = Vec::new();
        for number in 0..3 {
            let body = json!({
                "source": "bench", "source_uid": number.to_string(), "kind": "note", "summary": "",
                "visibility": "project", "payload": {}
            });
            let (operation, body) = self.say("evidence", &body, &[]);
            take(&operation, &body);
            ground.push(operation.id());
        }
        let mut cones = Vec::new();
        let mut made = 0;
        for (touched, runs) in CONES {
            if made + touched + 1 > claims {
                break;
            }
            let mut cone: Vec<OpId> = Vec::with_capacity(touched + 1);
            for number in 0..=touched {
                let below = |back: usize| cone.get(number.saturating_sub(back)).copied();
                // The first is derived from the ground alone, the others from two of the cone and
                // from the ground.
                let inputs = match (below(1 + number % REACH), below(1 + number / 2 % REACH)) {
                    (Some(one), Some(other)) if number > REACH => [one, other, ground[number % 3]],
                    _ if number > 0 => [cone[0], ground[1], ground[2]],
                    _ => [ground[0], ground[1], ground[2]],
                };
                let (operation, body) = self.claim(&format!("cone.{touched}.{number}"), inputs);
                take(&operation, &body);
                cone.push(operation.id());
            }
            cones.push((touched, runs, cone[0]));
            made += touched + 1;
        }
        let mut last = [ground[0], ground[1], ground[2]];
        for number in made..claims {
            let (operation, body) = self.claim(&format!("rest.{number}"), last);
            take(&operation, &body);
            last[number % 3] = operation.id();
            if number % 100 == 0 {
                last = [ground[0], ground[1], ground[2]];
            }
        }
        cones
    }

    fn refute(&mut self, touched: usize, target: OpId) -> (Operation, Body) {
        self.say(
            "claim_refutation",
            &json!({"identity_key": format!("cone.{touched}.0")}),
            &[("target", target)],
        )
    }

    fn withdraw(&mut self, refutation: OpId) -> (Operation, Body) {
        self.say("refutation_withdrawal", &json!({}), &[("target", refutation)])
    }

    fn record(&mut self, fallen: &kernel::cascade::Invalidated) -> (Operation, Body) {
        self.say(
            "claim_invalidation",
            &json!({}),
            &[("target", fallen.target), ("cause", fallen.cause)],
        )
    }
}

fn in_graph(claims: usize, times: &mut Times) {
    let mut author = Author::new();
    let mut graph = Graph::default();
    let (genesis, body) = author.genesis();
    graph.insert(&genesis, Some(&body));
    let begun = Instant::now();
    let cones = author.ledger(claims, |operation, body| {
        graph.insert(operation, Some(body));
    });
    println!("\n{claims} claims in the graph, made in {:.1} s", begun.elapsed().as_secs_f64());
    for (touched, runs, first) in cones {
        let (mut falls, mut rises) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let (refutation, body) = author.refute(touched, first);
            let begun = Instant::now();
            let mut journal = Journal::default();
            journal.note(graph.insert(&refutation, Some(&body)));
            let follows = consequences(&graph, &journal, graph.due()).unwrap();
            falls.push(begun.elapsed());
            assert_eq!(follows.invalidated.len(), touched);
            let (withdrawal, body) = author.withdraw(refutation.id());
            let begun = Instant::now();
            let mut journal = Journal::default();
            journal.note(graph.insert(&withdrawal, Some(&body)));
            let follows = consequences(&graph, &journal, graph.due()).unwrap();
            rises.push(begun.elapsed());
            assert_eq!((follows.invalidated.len(), follows.changed.len()), (0, touched + 1));
        }
        note(times, claims, "graph: fall", touched, falls);
        note(times, claims, "graph: rise", touched, rises);
    }
}

fn in_file(claims: usize, times: &mut Times) {
    let folder = tempfile::tempdir().unwrap();
    let mut author = Author::new();
    let (genesis, body) = author.genesis();
    let mut space = SqliteSpace::create(&folder.path().join("space.db"), &genesis, &body).unwrap();
    let begun = Instant::now();
    let mut batch = Vec::new();
    let cones = author.ledger(claims, |operation, body| {
        batch.push((operation.clone(), body.clone()));
        if batch.len() == BATCH {
            admit(&mut space, &mut batch);
        }
    });
    admit(&mut space, &mut batch);
    println!("\n{claims} claims in a file, made in {:.1} s", begun.elapsed().as_secs_f64());
    for (touched, runs, first) in cones {
        let (mut walks, mut falls, mut rises) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs {
            let place = (author.head, author.ts);
            let (refutation, body) = author.refute(touched, first);
            // The walk alone, which is rolled back.
            let begun = Instant::now();
            let mut writing = space.begin().unwrap();
            writing.record(&refutation, Some(&body)).unwrap();
            let follows = writing.follow().unwrap();
            walks.push(begun.elapsed());
            assert_eq!(follows.invalidated.len(), touched);
            drop(writing);
            (author.head, author.ts) = place;
            let begun = Instant::now();
            let (refutation, body) = author.refute(touched, first);
            let mut writing = space.begin().unwrap();
            writing.record(&refutation, Some(&body)).unwrap();
            for fallen in &writing.follow().unwrap().invalidated {
                let (record, body) = author.record(fallen);
                writing.record(&record, Some(&body)).unwrap();
            }
            writing.commit().unwrap();
            falls.push(begun.elapsed());
            let (withdrawal, body) = author.withdraw(refutation.id());
            let begun = Instant::now();
            let mut writing = space.begin().unwrap();
            writing.record(&withdrawal, Some(&body)).unwrap();
            let follows = writing.follow().unwrap();
            writing.commit().unwrap();
            rises.push(begun.elapsed());
            assert_eq!((follows.invalidated.len(), follows.changed.len()), (0, touched + 1));
        }
        note(times, claims, "file: walk", touched, walks);
        note(times, claims, "file: fall, recorded and durable", touched, falls);
        note(times, claims, "file: rise, durable", touched, rises);
    }
}

fn admit(space: &mut SqliteSpace, batch: &mut Vec<(Operation, Body)>) {
    let mut writing: Box<dyn Writing + '_> = space.begin().unwrap();
    for (operation, body) in batch.drain(..) {
        writing.admit(&operation, Some(&body)).unwrap();
    }
    writing.commit().unwrap();
}
