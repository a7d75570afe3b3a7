//! How long an agent waits for a recall, beside the same recall in process, and what it leaves.
//!
//! `cargo bench -p because --bench mcp -- [RECORDS…]` (default 10000). The same questions are asked
//! by turns of a handle in this process, which looks for facts and records as the tool does and
//! writes no receipt, and of `because mcp` through its pipes, which gathers receipts. Records are
//! of 10 to 40 words by a seeded generator. Pauses, in which a server writes receipts, are as an
//! agent makes them; a second run has none.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod random;
mod shared;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engine::Space;
use engine::recall::episodes::Query;
use engine::recall::facts::FactQuery;
use engine::write::record::Prepared;
use jiff::Timestamp;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::seal::Signer;
use serde_json::{Value, json};

use random::Random;

/// Questions, each of which is measured both ways.
const QUESTIONS: usize = 600;
/// Questions before those.
const WARM_UP: usize = 50;
/// Results of each kind: the tool's default.
const RESULTS: usize = 5;
/// Words that records are made of.
const VOCABULARY: usize = 60_000;
/// Longer than a server waits before it writes receipts.
const PAUSE: Duration = Duration::from_millis(30);

fn main() {
    let Some(sizes) = shared::sizes(&[10_000]) else { return };
    for records in sizes {
        let folder = tempfile::tempdir().unwrap();
        let (space, texts) = make_space(folder.path(), records);
        println!("\n{records} records");
        for (what, pause) in [("with pauses", PAUSE), ("without pauses", Duration::ZERO)] {
            measure(folder.path(), &space, &texts, what, pause);
        }
    }
}

fn because(home: &Path) -> Command {
    let mut because = Command::new(env!("CARGO_BIN_EXE_because"));
    because.env("BECAUSE_HOME", home).current_dir(home);
    because
}

/// A space of the device key of a new home, and the texts in it.
fn make_space(home: &Path, records: usize) -> (Space, Vec<String>) {
    assert!(because(home).args(["init", "--global"]).output().unwrap().status.success());
    let key = std::fs::read_to_string(home.join("key")).unwrap();
    let signer = Signer::from_hex(&key).unwrap();
    let mut space = Space::open(&home.join("space.db"), signer).unwrap();
    let now = Timestamp::now();
    let mut random = Random(1);
    let texts: Vec<String> = (0..records).map(|_| words(&mut random)).collect();
    for (start, part) in texts.chunks(1_000).enumerate() {
        let batch = part.iter().enumerate().map(|(place, text)| {
            let evidence = Evidence {
                source: "bench".to_owned(),
                source_uid: format!("{start}-{place}"),
                kind: EvidenceKind::from(EvidenceKind::TURN),
                actor: Some(["Ana", "Ben", "Cleo"][place % 3].to_owned()),
                at: None,
                summary: kernel::evidence::summarize(text),
                visibility: Visibility::Project,
                payload: Payload {
                    text: text.clone(),
                    session: Some((place / 20).to_string()),
                    ..Payload::default()
                },
            };
            Prepared::new(evidence.into()).unwrap()
        });
        space.record(batch.collect(), now).unwrap();
    }
    space.advance(|_| {}).unwrap();
    (space, texts)
}

fn measure(home: &Path, space: &Space, texts: &[String], what: &str, pause: Duration) {
    let mut server = Server::start(home);
    let before = bytes(home, "space.db");
    let journal_before = bytes(home, "space.journal.db");
    let mut random = Random(2);
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for number in 0..WARM_UP + QUESTIONS {
        let told: Vec<&str> = texts[random.below(texts.len())].split(' ').collect();
        let from = random.below(told.len() - 4);
        let question = told[from..from + 4].join(" ");
        std::thread::sleep(pause);
        let begun = Instant::now();
        let facts = FactQuery { limit: RESULTS, ..FactQuery::new(&question, Timestamp::now()) };
        let facts = space.recall_facts(&facts).unwrap();
        let found = space.recall(&Query::new(&question, RESULTS)).unwrap();
        let in_process = begun.elapsed();
        std::hint::black_box((facts, found));
        let begun = Instant::now();
        let answer = server
            .asks("tools/call", &json!({ "name": "recall", "arguments": { "query": question } }));
        let by_mcp = begun.elapsed();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        if number >= WARM_UP {
            here.push(in_process);
            there.push(by_mcp);
        }
    }
    server.stop();
    here.sort();
    there.sort();
    println!("{what}:");
    print("  in process (baseline)", &here, &here);
    print("  by MCP", &there, &here);
    let recalls = (WARM_UP + QUESTIONS) as u64;
    let journal = bytes(home, "space.journal.db") - journal_before;
    println!(
        "  the space grew by {} bytes, its journal by {} bytes a recall",
        bytes(home, "space.db") - before,
        journal / recalls
    );
}

fn bytes(home: &Path, file: &str) -> u64 {
    std::fs::metadata(home.join(file)).map_or(0, |metadata| metadata.len())
}

/// A server and the pipes to it.
struct Server {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    last_id: u64,
}

impl Server {
    fn start(home: &Path) -> Self {
        let mut because = because(home);
        because.args(["--space", "global", "mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = because.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, output, last_id: 0 };
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" } });
        server.asks("initialize", &params);
        server.says(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn says(&mut self, message: &Value) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn asks(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.says(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn stop(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

fn print(what: &str, times: &[Duration], baseline: &[Duration]) {
    let at = |times: &[Duration], percent: usize| {
        times[(times.len() * percent / 100).min(times.len() - 1)]
    };
    let (median, p95) = (at(times, 50), at(times, 95));
    let more = median.saturating_sub(at(baseline, 50));
    println!(
        "{what:<30} p50 {median:>10.1?}  p95 {p95:>10.1?}  {more:>10.1?} more than in process"
    );
}

/// 10 to 40 words, of which those with small numbers are frequent.
fn words(random: &mut Random) -> String {
    let count = 10 + random.below(31);
    let word = |random: &mut Random| {
        let bound = 1 + random.below(VOCABULARY);
        format!("w{:x}", random.below(bound))
    };
    (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}
