//! Measures embedding speed on one core: `cargo run --release -p because-models --example
//! embed_speed [FOLDER]`.
//!
//! It measures the built-in table, and the sentence model in FOLDER if given, on synthetic turns of
//! twenty words and questions of twelve. Times are those of the best of several rounds, because
//! other programs can only slow it down.

#![allow(clippy::print_stdout, reason = "prints its measurements to the terminal")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use models::bert::Bert;
use models::table::Table;
use models::{EmbedError, Embedder, Purpose};

const WORDS: [&str; 24] = [
    "yesterday",
    "we",
    "finally",
    "went",
    "to",
    "the",
    "pottery",
    "workshop",
    "and",
    "my",
    "daughter",
    "painted",
    "a",
    "bowl",
    "with",
    "sunflowers,",
    "which",
    "she",
    "wants",
    "for",
    "her",
    "birthday",
    "in",
    "August!",
];
const TURN_WORDS: usize = 20;
const QUESTION_WORDS: usize = 12;
const TURNS: usize = 20_000;
const TURNS_OF_MODEL: usize = 200;
const ROUNDS: usize = 7;

fn main() -> Result<(), EmbedError> {
    let text = |start: usize, words: usize| {
        WORDS
            .iter()
            .cycle()
            .skip(start % WORDS.len())
            .take(words)
            .copied()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let turns: Vec<String> = (0..TURNS).map(|start| text(start, TURN_WORDS)).collect();
    let load = best(|| {
        Table::load();
    });
    println!("table: loaded in {:.2} ms", load.as_secs_f64() * 1e3);
    let table = Table::built_in();
    let mut check = 0.0;
    let embedding = best(|| check += turns.iter().map(|turn| table.embed(turn)[0]).sum::<f32>());
    assert!(check.is_finite());
    println!(
        "table: {:.0} turns of {TURN_WORDS} words a second",
        TURNS as f64 / embedding.as_secs_f64()
    );

    let Some(folder) = std::env::args().nth(1) else { return Ok(()) };
    let start = Instant::now();
    let mut bert = Bert::open(Path::new(&folder), NonZeroUsize::MIN)?;
    println!("{}: loaded in {:.0} ms", bert.model(), start.elapsed().as_secs_f64() * 1e3);
    let question = text(0, QUESTION_WORDS);
    let one = best(|| drop(bert.embed(&[&question], Purpose::Question)));
    println!(
        "{}: a question of {QUESTION_WORDS} words in {:.2} ms",
        bert.model(),
        one.as_secs_f64() * 1e3
    );
    let texts: Vec<&str> = turns.iter().take(TURNS_OF_MODEL).map(String::as_str).collect();
    let many = best(|| drop(bert.embed(&texts, Purpose::Memory)));
    println!(
        "{}: {:.0} turns of {TURN_WORDS} words a second",
        bert.model(),
        texts.len() as f64 / many.as_secs_f64()
    );
    Ok(())
}

fn best(mut work: impl FnMut()) -> Duration {
    let round = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}
