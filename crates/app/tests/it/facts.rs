//! Facts on the command line: recall prints beliefs above records, and they follow the user's
//! corrections.

use serde_json::Value;

use crate::beliefs::{Believing, HABIT, believing};

fn texts(answer: &Value, of: &str) -> Vec<String> {
    let text = |found: &Value| match of {
        "facts" => found["text"].as_str().unwrap().to_owned(),
        _ => found["evidence"]["payload"]["text"].as_str().unwrap().to_owned(),
    };
    answer[of].as_array().unwrap().iter().map(text).collect()
}

fn facts(here: &Believing, question: &[&str]) -> Vec<String> {
    let mut arguments = vec!["recall", "--search", "facts"];
    arguments.extend(question);
    texts(&here.json(&arguments), "facts")
}

#[test]
fn recall_prints_facts_above_records() {
    let here = believing();
    let shown =
        here.run(&["recall", "-k", "1", "Who goes to the gym on Tuesday?"]).succeeds().out();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "Facts", "{shown}");
    assert!(
        lines[1].starts_with("likely 0.87      Goes to the gym on Tuesday and Thursday"),
        "{shown}"
    );
    assert!(lines[2].contains(HABIT) && lines[2].contains("3 sources"), "{shown}");
    let told = lines.iter().position(|line| *line == "Records").unwrap();
    assert!(lines[told + 1].starts_with(" 1."), "{shown}");
    let explained = here.run(&["recall", "--explain", "gym on Tuesday"]).succeeds().out();
    for part in ["relevance", "similarity", "confidence      0.870 × 0.30", "recency", "words"] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
    let answer = here.json(&["recall", "gym"]);
    for field in [
        "key",
        "state",
        "confidence",
        "band",
        "relevance",
        "score",
        "sources",
        "evidence_at",
        "space",
    ] {
        assert!(answer["facts"][0].get(field).is_some(), "{field}: {answer}");
    }
    here.run(&["recall", "xylophone"]).succeeds().prints("Nothing in memory");
    here.run(&["recall", "--search", "facts", "number"]).succeeds().prints("No belief shares");
}

#[test]
fn recall_searches_only_what_was_asked_for() {
    let here = believing();
    let counts = |arguments: &[&str]| {
        let answer = here.json(arguments);
        (texts(&answer, "facts").len(), texts(&answer, "results").len())
    };
    assert_eq!(counts(&["recall", "gym"]), (2, 3));
    assert_eq!(counts(&["recall", "gym", "--search", "both"]), (2, 3));
    assert_eq!(counts(&["recall", "gym", "--search", "facts"]), (2, 0));
    assert_eq!(counts(&["recall", "gym", "--search", "episodes"]), (0, 3));
    assert_eq!(
        counts(&["recall", "gym", "--kind", "note"]),
        (0, 3),
        "who picks records wants records"
    );
    assert_eq!(counts(&["recall", "gym", "--search", "facts", "-k", "1"]), (1, 0));
    here.run(&["recall", "gym", "--search", "everything"]).ends(2);
}

#[test]
fn a_correction_changes_the_facts_found_and_withdrawing_it_restores_them() {
    let here = believing();
    let all = ["Goes to the gym on Tuesday and Thursday", "Likes the gym"];
    assert_eq!(facts(&here, &["gym"]), all);
    here.run(&[
        "correct",
        HABIT,
        "--set",
        r#"{"name":"climbing hall"}"#,
        "--text",
        "Goes climbing on Fridays",
    ])
    .succeeds();
    assert_eq!(facts(&here, &["climbing"]), ["Goes climbing on Fridays"]);
    assert!(facts(&here, &["Tuesday Thursday"]).is_empty());
    here.run(&["withdraw", HABIT]).succeeds();
    assert!(facts(&here, &["climbing"]).is_empty());
    assert_eq!(facts(&here, &["Tuesday Thursday"]), [all[0]]);
    here.run(&["refute", HABIT]).succeeds();
    assert!(facts(&here, &["gym"]).is_empty());
    here.run(&["withdraw", HABIT]).succeeds();
    assert_eq!(facts(&here, &["gym"]), all);
    here.run(&["retract", &here.notes[0]]).succeeds();
    assert!(facts(&here, &["gym"]).is_empty(), "its ground is gone");
    here.run(&["verify"]).succeeds();
}

#[test]
fn recall_filters_by_recording_time_and_by_validity() {
    let here = believing();
    here.run(&["refute", HABIT]).succeeds();
    here.run(&["retract", &here.notes[0]]).succeeds();
    assert!(facts(&here, &["gym", "--as-of", "2020-01-01"]).is_empty());
    assert!(facts(&here, &["gym", "--as-of", "9999-12-31T23:59:59Z"]).is_empty());
    let log = here.machine.because(["log", "--json"]).run().succeeds().json_lines();
    let stamp = |kind: &str| {
        let found = log.iter().rev().find(|operation| operation["header"]["kind"] == kind).unwrap();
        jiff::Timestamp::from_microsecond(found["header"]["ts"].as_i64().unwrap())
            .unwrap()
            .to_string()
    };
    let then = stamp("claim");
    assert_eq!(facts(&here, &["gym", "--as-of", &then]).len(), 2);
    let told = |arguments: &[&str]| {
        let mut all = vec!["recall", "gym", "--search", "episodes"];
        all.extend(arguments);
        texts(&here.json(&all), "results").len()
    };
    assert_eq!(told(&[]), 2);
    assert_eq!(told(&["--as-of", &then]), 3, "the retracted note counted then");
    assert_eq!(told(&["--as-of", &stamp("evidence_retraction")]), 2);
    assert_eq!(told(&["--as-of", "1900-01-01"]), 0);
    here.run(&["withdraw", HABIT]).succeeds();
    here.run(&["recall", "gym", "--valid-at", "sometime"]).ends(2);
    let valid = |day: &str| facts(&believing(), &["gym", "--valid-at", day]).len();
    assert_eq!((valid("2025-02-27"), valid("2025-06-29"), valid("2025-06-30")), (0, 2, 0));
}
