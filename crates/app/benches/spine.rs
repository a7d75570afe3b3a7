//! The headline numbers, each beside a baseline measured in the same run.
//!
//! `cargo bench -p because --bench spine -- [TURNS…]` (default 100000). Turns are made by a seeded
//! generator: 10 to 40 words from a vocabulary of 60 000 by Zipf's law, in sessions of 15 to 35
//! turns between two of eight people. Absolute times depend on the machine; compare the ratios.
//! Baselines: a bare SQLite table written with the same durability, and SQLite's FTS5 with the same
//! questions.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod random;
mod shared;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use engine::Space;
use engine::recall::episodes::Query;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::seal::Signer;
use models::table::Table;
use rusqlite::{Connection, params};

use random::Random;

/// Questions asked, and how often FTS5 is asked the first of them.
const QUESTIONS: usize = 200;
const FTS5_QUESTIONS: usize = 20;
/// Single appends measured.
const APPENDS: usize = 300;
/// Cold processes started.
const COLD_PROCESSES: usize = 20;
/// Texts embedded.
const EMBEDDED: usize = 100_000;
const EMBEDDED_ENGLISH: [&str; 4] = [
    "The kiln was too hot yesterday and the glaze ran off.",
    "Can you remind me when the pottery class moves to the new studio?",
    "My sister is visiting us from Lisbon in the first week of May.",
    "We decided to keep the old parser until the release is out.",
];
/// Rows of a durable batch.
const BATCH: usize = 1_000;

fn main() {
    let Some(sizes) = shared::sizes(&[100_000]) else { return };
    embedder();
    for turns in sizes {
        measure(turns);
    }
}

/// The built-in embedder on one core.
fn embedder() {
    let begun = Instant::now();
    let table = std::hint::black_box(Table::load());
    row("the built-in table loads, the first time", milliseconds(begun.elapsed()), None, "");
    let mut text = Text::new(3);
    let invented: Vec<String> = (0..EMBEDDED).map(|_| text.question()).collect();
    let english =
        EMBEDDED_ENGLISH.iter().cycle().take(EMBEDDED).map(|text| (*text).to_owned()).collect();
    for (what, texts) in
        [("five to eight invented words", invented), ("eleven to thirteen English words", english)]
    {
        let begun = Instant::now();
        for text in &texts {
            std::hint::black_box(table.embed(text));
        }
        row(&format!("texts embedded, {what}"), rate(texts.len(), begun.elapsed()), None, "");
    }
}

fn measure(turns: usize) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("turns.jsonl");
    let mut text = Text::new(1);
    text.write_turns(&source, turns);
    println!("\n{turns} turns, {} MiB of JSON lines", source.metadata().unwrap().len() >> 20);

    let baseline = bare_insert(folder.path(), &source);
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("key"), "07".repeat(32)).unwrap();
    let path = folder.path().join("space.db");
    let begun = Instant::now();
    let imported = run(&home, &path, &["init"])
        .and_then(|_| run(&home, &path, &["import", "--no-derive", source.to_str().unwrap()]));
    let took = begun.elapsed();
    row(
        "import (a process: read, mask, sign, index, durable a batch)",
        rate(turns, took),
        Some(baseline / took.as_secs_f64()),
        "bare SQLite insert",
    );
    if let Some(peak) = imported {
        row("  its peak memory", format!("{} MiB", peak >> 10), None, "");
    }

    let mut space = Space::open(&path, Signer::from_seed([7; 32])).unwrap();
    appends(&mut space, folder.path());
    recalls(&space, &mut text, &source, folder.path());
    cold(&home, &path, &mut text);
    memory(&home, &path, &mut text, turns);
    handles(&path, &mut text, turns);

    let begun = Instant::now();
    let verification = space.verify(|_| {}).unwrap();
    assert!(verification.is_sound());
    let took = begun.elapsed();
    row("verify (hashes, signatures, chains, rules, refold, compare)", rate(turns, took), None, "");
    let begun = Instant::now();
    space.rebuild(|_| {}).unwrap();
    row("rebuild of all views", rate(turns, begun.elapsed()), None, "");
    println!("file: {} bytes a turn", path.metadata().unwrap().len() / turns as u64);
}

fn row(what: &str, value: String, ratio: Option<f64>, baseline: &str) {
    let ratio = ratio.map_or(String::new(), |ratio| format!("  {ratio:.2} × {baseline}"));
    println!("{what:<64} {value:>16}{ratio}");
}

fn rate(count: usize, took: Duration) -> String {
    format!("{:.0} /s", count as f64 / took.as_secs_f64())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() - 1) * percent / 100]
}

/// Runs the program; returns its peak resident memory in KiB if the system reports it.
fn run(home: &Path, space: &Path, arguments: &[&str]) -> Option<u64> {
    let program = env!("CARGO_BIN_EXE_because");
    let time = Path::new("/usr/bin/time");
    let mut command = if time.exists() {
        let mut command = Command::new(time);
        command.args(["-f", "%M", program]);
        command
    } else {
        Command::new(program)
    };
    command.env("BECAUSE_HOME", home).arg("--space").arg(space).args(arguments);
    let output = command.stdout(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(
        String::from_utf8_lossy(&output.stderr)
            .lines()
            .last()
            .and_then(|line| line.parse().ok())
            .unwrap_or(0),
    )
    .filter(|peak| *peak > 0)
}

/// Seconds that a table of (id, line) takes, durable a batch.
fn bare_insert(folder: &Path, source: &Path) -> f64 {
    let begun = Instant::now();
    let connection = bare_table(&folder.join("bare.db"));
    let lines = std::fs::read_to_string(source).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    for batch in lines.chunks(BATCH) {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        for line in batch {
            insert_bare(&connection, line);
        }
        connection.execute_batch("COMMIT").unwrap();
    }
    begun.elapsed().as_secs_f64()
}

fn bare_table(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.query_row("PRAGMA journal_mode=WAL", [], |_| Ok(())).unwrap();
    connection
        .execute_batch("PRAGMA synchronous=FULL; CREATE TABLE t (n INTEGER PRIMARY KEY, id BLOB UNIQUE, line TEXT)")
        .unwrap();
    connection
}

fn insert_bare(connection: &Connection, line: &str) {
    let id = blake3::hash(line.as_bytes());
    connection
        .prepare_cached("INSERT OR IGNORE INTO t (id, line) VALUES (?1, ?2)")
        .unwrap()
        .execute(params![id.as_bytes(), line])
        .unwrap();
}

/// Single durable appends, ours and bare in turn, and with the fold that makes each found at once.
fn appends(space: &mut Space, folder: &Path) {
    let connection = bare_table(&folder.join("single.db"));
    let (mut ours, mut folded, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    let mut text = Text::new(2);
    let note = |uid: String, line: &str| Evidence {
        source: "bench".to_owned(),
        source_uid: uid,
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: kernel::evidence::summarize(line),
        visibility: Visibility::default(),
        payload: Payload { text: line.to_owned(), ..Payload::default() },
    };
    for number in 0..APPENDS {
        let evidence = note(format!("folded {number}"), &text.turn());
        let begun = Instant::now();
        space.remember(evidence, jiff::Timestamp::now()).unwrap();
        folded.push(begun.elapsed());
    }
    for number in 0..APPENDS {
        let line = text.turn();
        let evidence = note(number.to_string(), &line);
        let begun = Instant::now();
        space.writer().remember(evidence, jiff::Timestamp::now()).unwrap();
        ours.push(begun.elapsed());
        let begun = Instant::now();
        insert_bare(&connection, &format!("{number} {line}"));
        bare.push(begun.elapsed());
    }
    let bare = percentile(&mut bare, 50);
    for (what, mut times) in
        [("one durable append, p50", ours), ("  the same, folded into the index, p50", folded)]
    {
        let took = percentile(&mut times, 50);
        let ratio = took.as_secs_f64() / bare.as_secs_f64();
        row(what, milliseconds(took), Some(ratio), "bare SQLite insert");
    }
}

/// The resident memory of each further handle of this process on one file.
fn handles(path: &Path, text: &mut Text, turns: usize) {
    const HANDLES: u64 = 8;
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    };
    let questions: Vec<String> = (0..3).map(|_| text.question()).collect();
    let open = || {
        let space = Space::open(path, Signer::from_seed([7; 32])).unwrap();
        for question in &questions {
            space.recall(&Query::new(question.clone(), 10)).unwrap();
        }
        space
    };
    let _first = open();
    let before = resident();
    let _others: Vec<Space> = (0..HANDLES).map(|_| open()).collect();
    let each = resident().zip(before).map(|(now, before)| now.saturating_sub(before) / HANDLES);
    let value = each.map_or("not told here".to_owned(), |each| {
        format!("{} bytes", (each << 10) / turns as u64)
    });
    row("resident a record, each further handle of a process", value, None, "");
}

/// Recall in a warm process, beside FTS5.
fn recalls(space: &Space, text: &mut Text, source: &Path, folder: &Path) {
    let questions: Vec<String> = (0..QUESTIONS).map(|_| text.question()).collect();
    space.recall(&Query::new(questions[0].clone(), 10)).unwrap();
    let mut times = Vec::new();
    for question in &questions {
        let begun = Instant::now();
        let answer = space.recall(&Query::new(question.clone(), 10)).unwrap();
        times.push(begun.elapsed());
        assert!(!answer.results.is_empty());
    }
    let fts5 = fts5_p50(folder, source, &questions[..FTS5_QUESTIONS]);
    let p50 = percentile(&mut times, 50);
    let ratio = fts5.as_secs_f64() / p50.as_secs_f64();
    row(
        "recall, warm, p50",
        milliseconds(p50),
        Some(ratio),
        &format!("faster than FTS5 ({})", milliseconds(fts5)),
    );
    row("recall, warm, p99", milliseconds(percentile(&mut times, 99)), None, "");
}

fn fts5_p50(folder: &Path, source: &Path, questions: &[String]) -> Duration {
    let connection = Connection::open(folder.join("fts5.db")).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode=OFF; CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter'); BEGIN")
        .unwrap();
    for line in std::fs::read_to_string(source).unwrap().lines() {
        let turn: serde_json::Value = serde_json::from_str(line).unwrap();
        connection
            .prepare_cached("INSERT INTO t VALUES (?1)")
            .unwrap()
            .execute([turn["text"].as_str()])
            .unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    let mut select =
        connection.prepare("SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 10").unwrap();
    let mut times = Vec::new();
    for question in questions {
        let words: Vec<String> =
            question.split_whitespace().map(|word| format!("\"{word}\"")).collect();
        let begun = Instant::now();
        let found: Vec<i64> = select
            .query_map([words.join(" OR ")], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        times.push(begun.elapsed());
        assert!(!found.is_empty());
    }
    percentile(&mut times, 50)
}

/// Recall in a process of its own, start and end included.
fn cold(home: &Path, space: &Path, text: &mut Text) {
    let mut times = Vec::new();
    for _ in 0..COLD_PROCESSES {
        let begun = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_because"))
            .env("BECAUSE_HOME", home)
            .arg("--space")
            .arg(space)
            .args(["recall", &text.question()])
            .output()
            .unwrap();
        times.push(begun.elapsed());
        assert!(output.status.success());
    }
    row("recall, a cold process, p50", milliseconds(percentile(&mut times, 50)), None, "");
}

/// What a record takes of a process's resident memory: the peak of one that asks, above that of one
/// that asks of an empty space.
fn memory(home: &Path, space: &Path, text: &mut Text, turns: usize) {
    let empty = space.with_file_name("empty.db");
    run(home, &empty, &["init"]);
    let questions: Vec<String> = (0..QUESTIONS).map(|_| text.question()).collect();
    let a_record = |more: Option<u64>, none: Option<u64>| match more.zip(none) {
        Some((more, none)) => format!("{} bytes", (more.saturating_sub(none) << 10) / turns as u64),
        None => "not told here".to_owned(),
    };
    let server = |space: &Path| server_peak(home, space, &questions);
    row(
        "resident a record, a server after 200 questions",
        a_record(server(space), server(&empty)),
        None,
        "",
    );
    let process = |space: &Path| run(home, space, &["recall", &questions[0]]);
    row(
        "resident a record, a process that asks once",
        a_record(process(space), process(&empty)),
        None,
        "",
    );
}

/// The peak resident memory in KiB of an MCP server that answers questions, if the system reports
/// it.
fn server_peak(home: &Path, space: &Path, questions: &[String]) -> Option<u64> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_because"))
        .env("BECAUSE_HOME", home)
        .arg("--space")
        .arg(space)
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) =
        (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let mut call = |method: &str, parameters: serde_json::Value| {
        let message =
            serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        writeln!(input, "{message}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"result\""), "{answer}");
    };
    let client = serde_json::json!({"name": "bench", "version": "1"});
    call(
        "initialize",
        serde_json::json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
    );
    for question in questions {
        call("tools/call", serde_json::json!({"name": "recall", "arguments": {"query": question}}));
    }
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    drop(input);
    server.wait().unwrap();
    peak
}

/// A seeded source of turns and questions.
struct Text {
    random: Random,
    words: Vec<String>,
    cumulative: Vec<f64>,
}

impl Text {
    fn new(seed: u64) -> Self {
        const SYLLABLES: [&str; 20] = [
            "ka", "ro", "mi", "te", "lu", "san", "ber", "dor", "pel", "vin", "gar", "hos", "nim",
            "tru", "wex", "zol", "fay", "qui", "jup", "cle",
        ];
        const WORDS: usize = 60_000;
        let mut text = Self { random: Random(7), words: Vec::new(), cumulative: Vec::new() };
        let mut sum = 0.0;
        for rank in 0..WORDS {
            let syllables = 2 + text.random.below(3);
            let word =
                (0..syllables).map(|_| SYLLABLES[text.random.below(SYLLABLES.len())]).collect();
            text.words.push(word);
            sum += 1.0 / (rank as f64 + 10.0);
            text.cumulative.push(sum);
        }
        text.random = Random(seed);
        text
    }

    fn word(&mut self) -> String {
        let all = *self.cumulative.last().unwrap();
        let at = (self.random.next() >> 11) as f64 / (1u64 << 53) as f64 * all;
        let rank = self.cumulative.partition_point(|sum| *sum < at);
        self.words[rank.min(self.words.len() - 1)].clone()
    }

    fn turn(&mut self) -> String {
        let count = 10 + self.random.below(31);
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// Five to eight words.
    fn question(&mut self) -> String {
        let count = 5 + self.random.below(4);
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn write_turns(&mut self, path: &PathBuf, turns: usize) {
        const PEOPLE: [&str; 8] = ["Ana", "Bo", "Cem", "Dana", "Eli", "Finn", "Gus", "Hana"];
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        let (mut written, mut session, mut minute) = (0, 0, 0u64);
        while written < turns {
            session += 1;
            minute += 60 + self.random.next() % 480;
            let (first, step) =
                (self.random.below(PEOPLE.len()), 1 + self.random.below(PEOPLE.len() - 1));
            for turn in 0..15 + self.random.below(21) {
                if written == turns {
                    break;
                }
                written += 1;
                let speaker = PEOPLE[(first + turn % 2 * step) % PEOPLE.len()];
                let time =
                    jiff::Timestamp::from_second(((26_297_280 + minute + turn as u64) * 60) as i64)
                        .unwrap();
                let line = serde_json::json!({
                    "session": format!("s{session}"), "speaker": speaker, "time": time.to_string(), "text": self.turn()
                });
                writeln!(file, "{line}").unwrap();
            }
        }
        file.flush().unwrap();
    }
}
