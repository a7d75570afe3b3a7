//! The cost of the graph of records in a cold process, among many claims and edges.
//!
//! `cargo bench -p because --bench graph -- [CLAIMS…]` (default 10000 100000): that many claims in
//! words and that many edges of all types between them. Each command is a process of its own, start
//! and end included, median of several; the baseline of the same run is the same command in an
//! empty space. One more claim is appended in this process, beside a bare durable note.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod cold;
mod shared;

use std::time::{Duration, Instant};

use engine::Space;
use engine::write::graph::{GraphChange, NamedChange, RecordType, Reference, Statement};
use engine::write::import::Intent;
use engine::write::record::Outcome;
use importers::secrets::mask;
use kernel::body::EdgeType;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::Role;
use kernel::seal::Signer;

use cold::{because, milliseconds, times};

/// Changes of one append while the space is built.
const BATCH: usize = 5_000;
/// Single appends that are measured.
const APPENDS: usize = 50;

fn main() {
    let Some(sizes) = shared::sizes(&[10_000, 100_000]) else { return };
    for claims in sizes {
        measure(claims);
    }
}

fn measure(claims: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (home, path) = (folder.path().join("home"), folder.path().join("bench.db"));
    let empty = folder.path().join("empty.db");
    because(&home, &empty, &["init"]);
    let begun = Instant::now();
    because(&home, &path, &["init"]);
    let key = std::fs::read_to_string(home.join("key")).unwrap();
    let mut space = Space::open(&path, Signer::from_hex(&key).unwrap()).unwrap();
    let ids = build(&mut space, claims);
    println!("\n{claims} claims and as many edges, made in {:.1} s", begun.elapsed().as_secs_f64());
    appends(&mut space);
    drop(space);
    let middle = ids[claims / 2].to_string();
    for (what, arguments) in [
        ("claim list", vec!["claim", "list"]),
        ("claim list --status superseded", vec!["claim", "list", "--status", "superseded"]),
        ("claim list --tag t7", vec!["claim", "list", "--tag", "t7"]),
        ("claim show --graph", vec!["claim", "show", &middle, "--graph"]),
        ("why", vec!["why", &middle, "--dry-run"]),
        ("explain", vec!["explain", &middle]),
        ("edge list", vec!["edge", "list"]),
        ("edge list --from", vec!["edge", "list", "--from", &middle]),
        ("node list", vec!["node", "list"]),
        ("patch context", vec!["patch", "context", "kiln 77"]),
        ("context --task", vec!["context", "--task", "How often was kiln 77 fired?"]),
        (
            "context --task, no receipt",
            vec!["context", "--no-receipt", "--task", "How often was kiln 77 fired?"],
        ),
    ] {
        let baseline = if arguments.contains(&middle.as_str()) {
            Duration::ZERO
        } else {
            median(&times(&home, &empty, &arguments))
        };
        let taken = median(&times(&home, &path, &arguments));
        println!(
            "{what:<34} {:>8.1} ms   (empty space: {:.1} ms)",
            milliseconds(taken),
            milliseconds(baseline)
        );
    }
}

/// Claims in words on a hundred notes, and edges of every type between them.
fn build(space: &mut Space, claims: usize) -> Vec<OpId> {
    let now = jiff::Timestamp::now();
    let notes: Vec<OpId> = (0..100).map(|number| note(space, number, now)).collect();
    let input = |number: usize| {
        let id = notes[number % notes.len()];
        vec![(Reference::Id(id), Role::parse("input").unwrap())]
    };
    let mut ids = Vec::with_capacity(claims);
    let numbers: Vec<usize> = (0..claims).collect();
    for batch in numbers.chunks(BATCH) {
        let changes: Vec<NamedChange> = batch
            .iter()
            .map(|number| {
                let text = format!("The kiln {number} was fired {} times.", number % 97);
                NamedChange::from(GraphChange::State(Box::new(Statement {
                    inputs: input(*number),
                    tags: vec![format!("t{}", number % 1_000)],
                    ..Statement::new(RecordType::Claim("fact".to_owned()), text)
                })))
            })
            .collect();
        ids.extend(space.change_graph(&changes, None, Intent::Write, now).unwrap().stand_for);
    }
    let types = EdgeType::ALL;
    for batch in numbers.chunks(BATCH) {
        let changes: Vec<NamedChange> = batch
            .iter()
            .map(|number| {
                // Replacements and redirects join claims of which neither is displaced yet.
                let from = ids[*number];
                let to = ids[(number * 7 + 1) % claims];
                let displaces =
                    matches!(types[number % types.len()], EdgeType::Supersedes | EdgeType::SameAs);
                let (edge_type, to) = match (displaces, number % 50 == 0) {
                    (true, true) => (types[number % types.len()], ids[(number + 1) % claims]),
                    (true, false) => (EdgeType::Supports, to),
                    (false, _) => (types[number % types.len()], to),
                };
                NamedChange::from(GraphChange::Connect {
                    edge_type,
                    from: Reference::Id(from),
                    to: Reference::Id(if from == to { ids[(number + 3) % claims] } else { to }),
                    inputs: input(*number),
                    notes: String::new(),
                })
            })
            .collect();
        space.change_graph(&changes, None, Intent::Write, now).unwrap();
    }
    ids
}

/// One more claim, beside one more note.
fn appends(space: &mut Space) {
    let now = jiff::Timestamp::now();
    let cited = note(space, 1_000_000, now);
    let (mut claims, mut notes) = (Vec::new(), Vec::new());
    for number in 0..APPENDS {
        let begun = Instant::now();
        note(space, 2_000_000 + number, now);
        notes.push(begun.elapsed());
        let change = NamedChange::from(GraphChange::State(Box::new(Statement {
            inputs: vec![(Reference::Id(cited), Role::parse("input").unwrap())],
            ..Statement::new(RecordType::Claim("fact".to_owned()), format!("One more: {number}."))
        })));
        let begun = Instant::now();
        space.change_graph(&[change], None, Intent::Write, now).unwrap();
        claims.push(begun.elapsed());
    }
    claims.sort_unstable();
    notes.sort_unstable();
    println!(
        "one more claim {:.2} ms, one more note {:.2} ms (median of {APPENDS}, both durable and folded)",
        milliseconds(median(&claims)),
        milliseconds(median(&notes))
    );
}

fn note(space: &mut Space, number: usize, now: jiff::Timestamp) -> OpId {
    let text = format!("note {number} about the studio");
    let evidence = Evidence {
        source: "bench".to_owned(),
        source_uid: number.to_string(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: text.clone(),
        visibility: Visibility::Project,
        payload: Payload { text, ..Payload::default() },
    };
    match space.remember(mask(evidence), now).unwrap() {
        Outcome::Added(id) | Outcome::Present(id) | Outcome::Forgotten(id) => id,
        Outcome::Replaced { new, .. } => new,
    }
}

fn median(times: &[Duration]) -> Duration {
    times[times.len() / 2]
}
