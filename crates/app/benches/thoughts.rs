//! Retrieval over many thoughts, in process and warm, as a server answers.
//!
//! `cargo bench -p because --bench thoughts -- [THOUGHTS…] [FILE…]` (default 100000): that many
//! thoughts of a few sentences over a vocabulary with the frequencies of a language; of files of
//! JSON lines as `because eval retrieval` reads them, the documents as thoughts and the queries as
//! prompts. A retrieval finds 50, weighs them by lineage and reads the five that are shown; the
//! trace is what it leaves in the journal. The baseline of the same run is one look-up of a thought
//! by its id. Afterwards every thought is made used, and the same is measured again. Recall is the
//! share of the ten nearest of a full scan that a search by candidates finds; one that is as near
//! as the tenth counts as found.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod random;
mod shared;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use engine::Space;
use engine::private::Disclosure;
use engine::thought::contribute::{Contribution, Grounds};
use engine::thought::retrieve::{ThoughtHit, ThoughtHits, ThoughtQuery};
use engine::thought::usage::{Dated, ThoughtAccess};
use kernel::body::Thought;
use kernel::id::OpId;
use kernel::seal::{SEED_BYTES, Signer};

use random::Random;

/// Retrievals that are measured.
const QUERIES: usize = 2_000;
/// Queries whose recall is measured.
const RECALLED: usize = 100;
/// Retrievals before the measurement: the first ones of a process load the index.
const WARMING: usize = 3;
/// Characters of a document that become a thought.
const CHARS_MAX: usize = 2_000;
/// Words of a thought.
const WORDS: usize = 24;

fn main() {
    let files: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|argument| argument.ends_with(".jsonl"))
        .map(PathBuf::from)
        .collect();
    if !files.is_empty() {
        let (texts, prompts) = texts_of(&files);
        return measure(texts, prompts);
    }
    let Some(sizes) = shared::sizes(&[100_000]) else { return };
    for thoughts in sizes {
        let mut random = Random(7);
        let texts = (0..thoughts).map(|_| text(&mut random, WORDS)).collect();
        let prompts = (0..QUERIES).map(|number| text(&mut random, 4 + number % 8)).collect();
        measure(texts, prompts);
    }
}

/// The documents and the queries of collections.
fn texts_of(files: &[PathBuf]) -> (Vec<String>, Vec<String>) {
    let (mut texts, mut prompts) = (Vec::new(), Vec::new());
    for file in files {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = line["text"].as_str().unwrap_or_default();
            let text: String = text.chars().take(CHARS_MAX).collect();
            match line["type"].as_str() {
                _ if text.trim().is_empty() => {}
                Some("document") => texts.push(text),
                Some("query") => prompts.push(text),
                _ => {}
            }
        }
    }
    // Neighbours in a file are on one topic.
    let mut random = Random(11);
    for place in (1..prompts.len()).rev() {
        prompts.swap(place, random.below(place + 1));
    }
    (texts, prompts)
}

/// A word of a vocabulary in which the n-th is used about n times less than the first.
fn word(random: &mut Random) -> String {
    /// Plain words, which the table knows, so that meaning counts.
    const PLAIN: [&str; 32] = [
        "kiln", "glaze", "harbour", "boat", "bridge", "window", "garden", "letter", "engine",
        "river", "paper", "market", "doctor", "music", "winter", "mountain", "bread", "school",
        "family", "office", "train", "island", "forest", "summer", "coffee", "teacher", "camera",
        "planet", "ticket", "museum", "weather", "village",
    ];
    let place = random.below(1 << 20) as f64 / f64::from(1 << 20);
    let rank = (20_000f64.powf(place)) as usize;
    match PLAIN.get(rank) {
        Some(plain) => (*plain).to_owned(),
        None => format!("word{rank}"),
    }
}

fn text(random: &mut Random, words: usize) -> String {
    (0..words).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

fn measure(texts: Vec<String>, queries: Vec<String>) {
    let count = texts.len();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.db");
    let now = jiff::Timestamp::now();
    let signer = || Signer::from_seed([1; SEED_BYTES]);
    let begun = Instant::now();
    let mut space = Space::create(&path, signer(), "bench", now).unwrap();
    let mut random = Random(13);
    let mut ids: Vec<OpId> = Vec::with_capacity(count);
    let contributions: Vec<Contribution> = (0..count)
        .zip(texts)
        .map(|(number, text)| Contribution {
            thought: Thought {
                content: Some(text),
                contributor_id: Some(format!("agent-{}", number % 50)),
                contributor_name: Some(format!("Agent {}", number % 50)),
                tags: Some(vec![format!("tag{}", number % 40)]),
                ..Thought::default()
            },
            grounds: Grounds::None,
        })
        .collect();
    let mut writer = space.writer();
    ids.extend(writer.contribute_all(contributions, now).unwrap());
    writer.finish().unwrap();
    println!("\n{count} thoughts, made in {:.1} s", begun.elapsed().as_secs_f64());
    let mut writer = space.writer();
    let begun = Instant::now();
    for number in 0..100 {
        let grounds = Grounds::Refines(ids[number * 31 % count]);
        let thought = Thought { content: Some(text(&mut random, WORDS)), ..Thought::default() };
        writer.contribute(Contribution { thought, grounds }, now).unwrap();
        writer.advance(|_| {}).unwrap();
    }
    println!("one more thought, durable and found: {}", each(begun.elapsed(), 100));
    let cold: Vec<Vec<ThoughtHit>> =
        queries.iter().take(RECALLED).map(|query| full_scan(&path, query)).collect();
    for query in queries.iter().take(WARMING) {
        retrieve(&space, query);
    }
    let (mut shared, mut all) = (0usize, 0usize);
    for (query, scanned) in queries.iter().zip(&cold) {
        let found = retrieve(&space, query);
        let expected = scanned.len().min(10);
        let Some(least) = expected.checked_sub(1).and_then(|last| scanned.get(last)) else {
            continue;
        };
        let is_as_near = |hit: &&ThoughtHit| hit.score >= least.score - 1e-9;
        all += expected;
        shared += found.iter().take(expected).filter(is_as_near).count();
    }
    println!("recall at 10 of a full scan: {:.1} %", 100.0 * shared as f64 / all.max(1) as f64);
    for round in ["first", "second"] {
        time_retrievals(&space, &queries, &format!("retrieval, {round} time"));
    }
    let mut times: Vec<Duration> = Vec::with_capacity(QUERIES);
    for number in 0..QUERIES {
        let shown: Vec<Dated> = (0..5)
            .map(|place| Dated {
                id: ids[(number * 977 + place * 31) % count],
                created_us: now.as_microsecond(),
            })
            .collect();
        let begun = Instant::now();
        space
            .reader()
            .unwrap()
            .note_thought_access(
                &ThoughtAccess {
                    agent: "agent",
                    session: &format!("session {}", number % 100),
                    at_us: now.as_microsecond(),
                    shown: &shown,
                    helped: &[],
                    contributed: None,
                    offered: &[],
                    is_read_only: false,
                },
                Duration::from_secs(1),
            )
            .unwrap();
        times.push(begun.elapsed());
    }
    print_times("trace of a retrieval", &mut times);
    let mut times: Vec<Duration> = Vec::with_capacity(QUERIES);
    for number in 0..QUERIES {
        let begun = Instant::now();
        space.reader().unwrap().thought(&ids[number * 31 % count]).unwrap();
        times.push(begun.elapsed());
    }
    print_times("baseline: a thought by its id", &mut times);
    fill_journal(&space, &ids, now.as_microsecond());
    time_retrievals(&space, &queries, "retrieval, every thought used");
    let mut times: Vec<Duration> = Vec::with_capacity(QUERIES);
    for query in &queries {
        let reader = space.reader().unwrap();
        let near = retrieve_in(&reader, query);
        let begun = Instant::now();
        reader.highways_among(&near, 5).unwrap();
        times.push(begun.elapsed());
    }
    print_times("highways near a prompt", &mut times);
    let begun = Instant::now();
    space.reader().unwrap().highways(Disclosure::WithoutPrivate, 5).unwrap();
    println!("highways of the space: {}", each(begun.elapsed(), 1));
}

/// Retrieves, and reads what is shown.
fn time_retrievals(space: &Space, queries: &[String], what: &str) {
    let busy_before = busy();
    let mut times: Vec<Duration> = Vec::with_capacity(queries.len());
    for query in queries {
        let begun = Instant::now();
        let reader = space.reader().unwrap();
        let found = retrieve_in(&reader, query);
        let shown: Vec<OpId> = found.hits.iter().take(5).map(|hit| hit.id).collect();
        reader.thoughts(&shown).unwrap();
        times.push(begun.elapsed());
    }
    let busy = busy().saturating_sub(busy_before);
    print_times(what, &mut times);
    println!("{:<32} mean {}", "  of a processor", each(busy, times.len().max(1) as u32));
}

/// Has every thought shown to several agents beside different others.
fn fill_journal(space: &Space, ids: &[OpId], at_us: i64) {
    /// Thoughts that are shown at once: each is a partner of the others.
    const SHOWN: usize = 25;
    let reader = space.reader().unwrap();
    for (round, step) in [1, 7, 11].into_iter().enumerate() {
        for first in (0..ids.len()).step_by(SHOWN) {
            let shown: Vec<Dated> = (0..SHOWN)
                .map(|place| Dated {
                    id: ids[(first + place) * step % ids.len()],
                    created_us: at_us,
                })
                .collect();
            let access = ThoughtAccess {
                agent: &format!("agent {round}"),
                session: &format!("session {}", first % 1_000),
                at_us,
                shown: &shown,
                helped: &[],
                contributed: None,
                offered: &[],
                is_read_only: false,
            };
            reader.note_thought_access(&access, Duration::from_secs(1)).unwrap();
        }
    }
}

/// The same by a process that asks for the first time, which scans all directions.
fn full_scan(path: &std::path::Path, query: &str) -> Vec<ThoughtHit> {
    let space = Space::open_unshared(path, Signer::from_seed([1; SEED_BYTES])).unwrap();
    retrieve(&space, query)
}

fn retrieve(space: &Space, query: &str) -> Vec<ThoughtHit> {
    retrieve_in(&space.reader().unwrap(), query).hits
}

fn retrieve_in(reader: &engine::Reader<'_>, query: &str) -> ThoughtHits {
    let query = ThoughtQuery {
        text: query,
        vector: None,
        tags: &[],
        disclosure: Disclosure::WithoutPrivate,
        now_us: 0,
        as_of_us: None,
    };
    reader.retrieve_thoughts(&query).unwrap()
}

/// How long this thread has been on a processor, where the system says so.
fn busy() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let busy_ns = stat.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(busy_ns.unwrap_or(0))
}

fn each(taken: Duration, count: u32) -> String {
    format!("{:.3} ms", 1e3 * (taken / count).as_secs_f64())
}

fn print_times(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let total: Duration = times.iter().sum();
    println!(
        "{what:<32} mean {}, median {:.3} ms, p99 {:.3} ms",
        each(total, times.len() as u32),
        1e3 * times[times.len() / 2].as_secs_f64(),
        1e3 * times[times.len() * 99 / 100].as_secs_f64()
    );
}
