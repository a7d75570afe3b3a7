//! The import of a Mind-Incarnation home by a cold process.
//!
//! `cargo bench -p because --bench mi -- [CLAIMS…]` (default 10000 100000): that many claims, as
//! many edges of all types between them, and as many events, which they cite. Then the same home
//! again, which writes nothing. The baseline of the same run is a bare copy of the home's files.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

#[allow(dead_code, reason = "this bench times single runs")]
mod cold;
mod shared;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use kernel::body::EdgeType;
use serde_json::json;

use cold::because;

/// Events of one run of the program that wrote the home.
const EVENTS_OF_A_RUN: usize = 50;
const WORDS: [&str; 16] = [
    "kiln",
    "glaze",
    "celadon",
    "tenmoku",
    "reduction",
    "oxidation",
    "wheel",
    "trimming",
    "stoneware",
    "porcelain",
    "cone",
    "bisque",
    "engobe",
    "ash",
    "cobalt",
    "feldspar",
];

fn main() {
    let Some(sizes) = shared::sizes(&[10_000, 100_000]) else { return };
    for claims in sizes {
        measure(claims);
    }
}

fn measure(claims: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (home, space) = (folder.path().join("home"), folder.path().join("bench.db"));
    let source = folder.path().join("mi");
    write_home(&source, claims);
    let begun = Instant::now();
    for name in ["evidence.jsonl", "thoughtdb/claims.jsonl", "thoughtdb/edges.jsonl"] {
        let copy = folder.path().join("copy");
        std::fs::copy(source.join("projects/p1").join(name), &copy).unwrap();
        File::open(&copy).unwrap().sync_all().unwrap();
    }
    let copied = begun.elapsed();
    because(&home, &space, &["init"]);
    let path = source.to_str().unwrap();
    let first = because(&home, &space, &["import", "--format", "mi", path]);
    let second = because(&home, &space, &["import", "--format", "mi", path]);
    println!(
        "{claims} claims, edges and events: {:.1} s (again: {:.1} s; a bare copy: {:.2} s)",
        first.as_secs_f64(),
        second.as_secs_f64(),
        copied.as_secs_f64()
    );
}

fn write_home(home: &Path, claims: usize) {
    let project = home.join("projects/p1");
    std::fs::create_dir_all(project.join("thoughtdb")).unwrap();
    let file = |name: &str| BufWriter::new(File::create(project.join(name)).unwrap());
    let event_id = |number: usize| {
        format!("ev_run_{}_{:06}", number / EVENTS_OF_A_RUN, number % EVENTS_OF_A_RUN)
    };
    let words = |number: usize| -> String {
        let word = |place: usize| WORDS[(number >> place) % WORDS.len()];
        (0..8).map(word).collect::<Vec<_>>().join(" ")
    };
    let time = |number: usize| {
        let second = i64::try_from(number).unwrap();
        jiff::Timestamp::from_second(1_739_786_400 + second).unwrap().to_string()
    };
    let mut events = file("evidence.jsonl");
    let mut statements = file("thoughtdb/claims.jsonl");
    for number in 0..claims {
        let event = json!({
            "kind": "evidence", "event_id": event_id(number), "run_id": format!("run_{}", number / EVENTS_OF_A_RUN),
            "ts": time(number), "facts": [format!("{} {number}", words(number * 31))],
            "actions": [{ "kind": "command", "detail": "make fire" }],
        });
        writeln!(events, "{event}").unwrap();
        let types = ["fact", "preference", "assumption", "goal"];
        let claim = json!({
            "kind": "claim", "version": "v1", "claim_id": format!("cl_{number}"), "claim_type": types[number % 4],
            "text": format!("The {} was fired {number} times.", words(number)), "visibility": "project",
            "scope": "project", "project_id": "p1", "asserted_ts": time(number), "valid_from": null, "valid_to": null,
            "status": "active", "tags": [format!("t{}", number % 1_000)], "confidence": 0.95, "notes": "",
            "source_refs": [{ "kind": "evidence_event", "event_id": event_id(number) }],
        });
        writeln!(statements, "{claim}").unwrap();
    }
    let mut edges = file("thoughtdb/edges.jsonl");
    for number in 0..claims {
        let edge_type = EdgeType::ALL[number % EdgeType::ALL.len()];
        let displaces = matches!(edge_type, EdgeType::Supersedes | EdgeType::SameAs);
        // Replacements and redirects join neighbours, so that they form no rings.
        let (edge_type, to) = match (displaces, number % 50 == 0) {
            (true, true) => (edge_type, number + 1),
            (true, false) => (EdgeType::Supports, number * 7 + 1),
            (false, _) => (edge_type, number * 7 + 1),
        };
        let to = if to % claims == number { number + 3 } else { to } % claims;
        let edge = json!({
            "kind": "edge", "version": "v1", "edge_id": format!("ed_{number}"), "edge_type": edge_type.as_str(),
            "from_id": format!("cl_{number}"), "to_id": format!("cl_{to}"), "visibility": "project", "scope": "project",
            "project_id": "p1", "asserted_ts": time(claims + number), "notes": "",
            "source_refs": [{ "kind": "evidence_event", "event_id": event_id(number) }],
        });
        writeln!(edges, "{edge}").unwrap();
    }
}
