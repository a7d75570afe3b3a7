//! The cost of listing beliefs in a cold process, among many identities.
//!
//! `cargo bench -p because --bench listing -- [IDENTITIES…]` (default 10000 100000). Every identity
//! is concluded from one of some notes. Two in a hundred are refuted or corrected, and one in a
//! hundred gets another version later than all the others, so a list as of the time in between has
//! to evaluate these. Each list is a process of its own, start and end included, median of several.
//! The baseline of the same run evaluates every identity, which is what a list did before beliefs
//! had a view.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod cold;
mod shared;

use std::path::Path;
use std::time::Instant;

use engine::Space;
use kernel::body::Body;
use kernel::canonical;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Head;
use kernel::operation::{HlcTimestamp, Operation, Ref, Role};
use kernel::seal::{ChainPosition, Draft, Signer};
use serde_json::{Value, json};
use store::sqlite::SqliteSpace;
use store::{Ledger, Writing};

use cold::{because, milliseconds, times};

/// Operations of one transaction while the space is built.
const BATCH: usize = 10_000;
/// Notes that the beliefs are concluded from.
const NOTES: usize = 100;
/// 2025-01-01 and 2025-07-01: when the identities were concluded, and when some were again.
const BEGIN_US: u64 = 1_735_689_600_000_000;
const AGAIN_US: u64 = 1_751_328_000_000_000;

fn main() {
    let Some(sizes) = shared::sizes(&[10_000, 100_000]) else { return };
    for identities in sizes {
        measure(identities);
    }
}

fn measure(identities: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (home, path) = (folder.path().join("home"), folder.path().join("bench.db"));
    let begun = Instant::now();
    build(&path, identities);
    let built = begun.elapsed().as_secs_f64();
    println!("\n{identities} identities, made in {built:.1} s");
    because(&home, &folder.path().join("empty.db"), &["init"]);
    let begun = Instant::now();
    let mut beliefs = Space::open(&path, Signer::from_seed([1; 32])).unwrap().beliefs().unwrap();
    beliefs.retain(|belief| belief.served.is_some());
    beliefs.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let evaluated = begun.elapsed();
    println!(
        "{:<58} {:>9.1} ms",
        "every identity evaluated, in this process",
        milliseconds(evaluated)
    );
    for (what, arguments) in [
        ("claims -n 5 of an empty space", None),
        ("claims -n 5", Some(&[][..])),
        ("claims -n 5 --type place", Some(&["--type", "place"][..])),
        ("claims -n 5 --state refuted", Some(&["--state", "refuted"][..])),
        ("claims -n 5 --band probable", Some(&["--band", "probable"][..])),
        ("claims -n 5 --valid-at 2025-03-01", Some(&["--valid-at", "2025-03-01"][..])),
        ("claims -n 5 --contains \"belief 77\"", Some(&["--contains", "belief 77"][..])),
        ("claims -n 5 --contains never", Some(&["--contains", "never"][..])),
        (
            "claims -n 5 --as-of 2025-06-01 (one in 100 changed since)",
            Some(&["--as-of", "2025-06-01"][..]),
        ),
    ] {
        let empty = folder.path().join("empty.db");
        let space = if arguments.is_some() { &path } else { &empty };
        let arguments: Vec<&str> = ["claims", "-n", "5"]
            .into_iter()
            .chain(arguments.unwrap_or_default().iter().copied())
            .collect();
        let times = times(&home, space, &arguments);
        let median = times[times.len() / 2];
        println!(
            "{what:<58} {:>9.1} ms   ({:.1} to {:.1}), {:.3} × of evaluating all",
            milliseconds(median),
            milliseconds(times[0]),
            milliseconds(times[times.len() - 1]),
            median.as_secs_f64() / evaluated.as_secs_f64()
        );
    }
}

/// A chain of operations of one author.
struct Author {
    signer: Signer,
    space: Option<kernel::id::SpaceId>,
    head: Option<Head>,
    ts_us: u64,
}

impl Author {
    fn say(&mut self, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> (Operation, Body) {
        self.ts_us += 1;
        let kind = Kind::parse(kind).unwrap();
        let body = Body::parse(&kind, &canonical::to_bytes(body).unwrap()).unwrap();
        let refs = refs.iter().map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() });
        let ts = HlcTimestamp(self.ts_us);
        let place = ChainPosition { space: self.space, head: self.head, ts };
        let draft = Draft { body: body.clone(), refs: refs.collect() };
        let operation = self.signer.seal(draft, place).unwrap();
        self.space = Some(operation.space());
        self.head = Some(Head { seq: operation.header().seq, id: operation.id(), ts });
        (operation, body)
    }
}

/// The body of a version of an identity.
fn claim(number: usize, version: usize) -> Value {
    let kind = ["routine.weekly", "routine.monthly", "place", "relationship", "preference"];
    json!({
        "claim_type": kind[number % kind.len()], "identity_key": format!("bench:{number:07}"),
        "text": format!("belief {number} in version {version}"), "payload": {"number": number, "version": version},
        "confidence": 0.3 + 0.68 * ((number * 7_919 % 10_007) as f64 / 10_007.0),
        "valid_from": format!("202{}-01-01", number % 6), "deriver": {"name": "bench", "version": "1.0.0"},
    })
}

fn build(path: &Path, identities: usize) {
    let signer = Signer::from_seed([1; 32]);
    let owner = signer.author();
    let mut author = Author { signer, space: None, head: None, ts_us: BEGIN_US };
    let genesis = json!({"name": "bench", "owner": owner, "created": "2025-01-01T00:00:00Z"});
    let (genesis, body) = author.say("space", &genesis, &[]);
    let mut space = SqliteSpace::create(path, &genesis, &body).unwrap();
    let mut batch = Vec::new();
    let mut notes = Vec::new();
    for number in 0..NOTES {
        let note = json!({
            "source": "bench", "source_uid": number.to_string(), "kind": "note", "summary": "",
            "visibility": "project", "payload": {"text": format!("note {number}")}
        });
        let (operation, body) = author.say("evidence", &note, &[]);
        notes.push(operation.id());
        batch.push((operation, body));
    }
    for version in 0..2 {
        author.ts_us = author.ts_us.max(if version == 0 { BEGIN_US } else { AGAIN_US });
        for number in (0..identities).filter(|number| version == 0 || number % 100 == 0) {
            let input = notes[(number + version) % NOTES];
            let (operation, body) =
                author.say("claim", &claim(number, version), &[("input", input)]);
            let id = operation.id();
            batch.push((operation, body));
            let key = format!("bench:{number:07}");
            if version == 0 && number % 100 == 1 {
                let refuted = json!({"identity_key": key});
                batch.push(author.say("claim_refutation", &refuted, &[("target", id)]));
            } else if version == 0 && number % 100 == 2 {
                let corrected = json!({"identity_key": key, "corrected_payload": 7});
                batch.push(author.say("claim_correction", &corrected, &[("target", id)]));
            }
            if batch.len() >= BATCH {
                admit(&mut space, &mut batch);
            }
        }
    }
    admit(&mut space, &mut batch);
    space.advance(|_| {}).unwrap();
}

fn admit(space: &mut SqliteSpace, batch: &mut Vec<(Operation, Body)>) {
    let mut writing: Box<dyn Writing + '_> = space.begin().unwrap();
    for (operation, body) in batch.drain(..) {
        writing.admit(&operation, Some(&body)).unwrap();
    }
    writing.commit().unwrap();
}
