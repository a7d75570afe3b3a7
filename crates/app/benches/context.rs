//! How long a turn waits for memory, beside a plain search.
//!
//! `cargo bench -p because --bench context -- [RECORDS…]` (default 100000). Records are of 10 to 40
//! words by a seeded generator. A host that streams turns waits for the hand-over alone; `because
//! context`, a process each time, waits for everything.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod random;
mod shared;

use std::time::{Duration, Instant};

use engine::Space;
use engine::recall::context::{Budget, Receipts, Request, Turn};
use engine::recall::episodes::Query;
use engine::recall::stream::Stream;
use engine::tokens::{O200k, Tokens};
use engine::write::record::Prepared;
use jiff::Timestamp;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::seal::Signer;

use random::Random;

/// Turns of which each is measured.
const TURNS: usize = 300;
/// Words that records are made of.
const VOCABULARY: usize = 60_000;

fn main() {
    let Some(sizes) = shared::sizes(&[100_000]) else { return };
    let begun = Instant::now();
    O200k.count("the first count makes the expressions");
    println!("tokens: the first count took {:?}", begun.elapsed());
    for records in sizes {
        measure(records);
    }
}

fn measure(records: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let now = Timestamp::from_second(1_760_000_000).unwrap();
    let mut random = Random(1);
    let mut space = Space::create(&path, Signer::from_seed([7; 32]), "bench", now).unwrap();
    let mut written = 0;
    let begun = Instant::now();
    while written < records {
        let batch = (0..1_000.min(records - written)).map(|place| {
            let text = words(&mut random);
            let evidence = Evidence {
                source: "bench".to_owned(),
                source_uid: (written + place).to_string(),
                kind: EvidenceKind::from(EvidenceKind::TURN),
                actor: Some(["Ana", "Ben", "Cleo"][place % 3].to_owned()),
                at: None,
                summary: kernel::evidence::summarize(&text),
                visibility: Visibility::Project,
                payload: Payload {
                    text,
                    session: Some((place / 20).to_string()),
                    ..Payload::default()
                },
            };
            Prepared::new(evidence.into()).unwrap()
        });
        let batch: Vec<Prepared> = batch.collect();
        written += batch.len();
        space.record(batch, now).unwrap();
    }
    let rate = written as f64 / begun.elapsed().as_secs_f64();
    space.advance(|_| {}).unwrap();
    println!(
        "\n{records} records, {rate:.0} recorded a second on one core, each looked for among those before it"
    );

    let turns: Vec<Turn> =
        (0..TURNS).map(|_| Turn { speaker: "Ana".to_owned(), text: words(&mut random) }).collect();
    let search = times(&turns, |pair| {
        space.recall(&Query::new(format!("{}\n{}", pair[0].text, pair[1].text), 20)).unwrap();
    });
    print("one search with two turns (baseline)", &search, &search);
    let request = |pair: &[Turn]| Request { turns: pair.to_vec(), ..Request::new("bench", now) };
    let whole = times(&turns, |pair| {
        space.context(&Request { receipt: Receipts::Omit, ..request(pair) }).unwrap();
    });
    print("a context that is gathered now", &whole, &search);
    let whole = times(&turns, |pair| {
        space.context(&Request { budget: Budget::of(4_000), ..request(pair) }).unwrap();
    });
    print("  with a receipt, 4000 tokens", &whole, &search);

    let stream = Stream::start(Space::open(&path, Signer::from_seed([7; 32])).unwrap()).unwrap();
    let waited = times(&turns, |pair| {
        stream.follow(pair, now, None);
        std::hint::black_box(stream.prepared());
    });
    print("what a turn waits for the stream, searching all the while", &waited, &search);
    let mut ready = Vec::new();
    for pair in turns.windows(2) {
        let begun = Instant::now();
        stream.follow(pair, now, None);
        std::hint::black_box(stream.prepared());
        ready.push(begun.elapsed());
        stream.settled();
    }
    ready.sort();
    print("  with nothing to search for yet", &ready, &search);
    let prepared = stream.settled().unwrap().gathered;
    let used = times(&turns, |pair| {
        space.context(&Request { prepared: Some(prepared.clone()), ..request(pair) }).unwrap();
    });
    print("a context of what the stream prepared, with a receipt", &used, &search);
}

/// How long `work` takes for each two turns, sorted.
fn times(turns: &[Turn], mut work: impl FnMut(&[Turn])) -> Vec<Duration> {
    let mut times: Vec<Duration> = turns
        .windows(2)
        .map(|pair| {
            let begun = Instant::now();
            work(pair);
            begun.elapsed()
        })
        .collect();
    times.sort();
    times
}

fn print(what: &str, times: &[Duration], baseline: &[Duration]) {
    let at = |times: &[Duration], percent: usize| {
        times[(times.len() * percent / 100).min(times.len() - 1)]
    };
    let (median, p99) = (at(times, 50), at(times, 99));
    let ratio = median.as_secs_f64() / at(baseline, 50).as_secs_f64();
    println!("{what:<60} p50 {median:>10.1?}  p99 {p99:>10.1?}  {ratio:.4} × the search");
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
