//! The sample's questions can be answered from the sample.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The texts of all records, taken from their files without the importers.
fn records(samples: &Path) -> Vec<String> {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let chat = read(&samples.join("chat.jsonl"));
    let turns = chat.lines().map(|line| {
        serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
    });
    let calendar = read(&samples.join("calendar.ics")).replace("\r\n ", "").replace("\\,", ",");
    let events = calendar.split("BEGIN:VEVENT").skip(1).map(str::to_owned);
    let notes = ["Daily", "People", "Studio"].map(|folder| samples.join("notes").join(folder));
    let notes = notes.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    turns.chain(events).chain(notes.map(|entry| read(&entry.unwrap().path()))).collect()
}

#[test]
fn every_quote_of_the_questions_is_in_exactly_one_record() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/samples");
    let records = records(&samples);
    let questions = std::fs::read_to_string(samples.join("questions.jsonl")).unwrap();
    assert!(questions.lines().count() >= 20);
    for line in questions.lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let quotes = question["gold"].as_array().unwrap();
        assert!(!quotes.is_empty(), "{line}");
        for quote in quotes.iter().map(|quote| quote.as_str().unwrap()) {
            let holders = records.iter().filter(|record| record.contains(quote)).count();
            assert_eq!(holders, 1, "{quote:?} of {}", question["question"]);
        }
    }
}

#[test]
fn the_turns_of_a_session_follow_one_another() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/samples");
    let chat = std::fs::read_to_string(samples.join("chat.jsonl")).unwrap();
    let times: Vec<String> = chat
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["time"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(
        times.is_sorted(),
        "the offset is the same everywhere, so the texts sort as the times do"
    );
    assert_eq!(times.len(), 120);
}
