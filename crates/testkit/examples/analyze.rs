//! Measures the text analysis of turns on one core: `cargo run --release -p because-testkit
//! --example analyze`.
//!
//! It analyses 200 000 distinct turns of 25 words, drawn from 20 000 words with the frequencies of
//! natural text (Zipf), and measures the start of a process with its first question, the cost of a
//! cold command.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use retrieval::question::Question;
use retrieval::question::names::{NameId, Names};
use retrieval::text::{Analyzer, Language, Languages};

const TURNS: usize = 200_000;
const WORDS: usize = 25;
const VOCABULARY: f64 = 20_000.0;

fn main() {
    let start = Instant::now();
    let names: Names = [(NameId(1), "Ada"), (NameId(2), "Ben")].into_iter().collect();
    let mut analyzer = Analyzer::new(Language::English);
    let question = Question::parse(
        "When did Ada go to the mountains with her children?",
        &mut analyzer,
        &names,
        Languages::NONE,
        None,
    );
    println!(
        "first question, {} terms: {:.3} ms",
        question.terms.len(),
        start.elapsed().as_secs_f64() * 1e3
    );

    let turns = turns();
    let bytes: usize = turns.iter().map(String::len).sum();
    let start = Instant::now();
    let terms: usize = turns.iter().map(|turn| analyzer.analyze(turn, &[]).terms.len()).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:.0} turns a second, {:.1} MB a second, {terms} terms",
        TURNS as f64 / seconds,
        bytes as f64 / seconds / 1e6
    );
}

fn turns() -> Vec<String> {
    let mut state = 1u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let endings = ["", "s", "ing", "ed", "ly", "ation", "'s"];
    let mut turn = || {
        let words = (0..WORDS).map(|_| {
            // The inverse of Zipf's distribution function.
            let rank = VOCABULARY.powf(random()) as usize;
            let letters = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"];
            let mut word = String::new();
            let mut rest = rank;
            while rest > 0 {
                word.push_str(letters[rest % letters.len()]);
                rest /= letters.len();
            }
            word.push_str(endings[rank % endings.len()]);
            word
        });
        words.collect::<Vec<_>>().join(" ") + "."
    };
    (0..TURNS).map(|_| turn()).collect()
}
