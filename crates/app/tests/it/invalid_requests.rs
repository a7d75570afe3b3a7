//! Invalid requests are refused with a code of their own, before anything is written.

use serde_json::Value;

use crate::graph::{id_of, json};
use crate::machine::Machine;

#[test]
fn every_invalid_request_has_its_own_code() {
    let machine = Machine::with_chat();
    machine.write("turns.jsonl", "{\"speaker\":\"Mara\"}\n");
    let large = std::fs::File::create(machine.work().join("large.jsonl")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let document = r#"{"type":"document","id":"d","text":"A red boat."}"#;
    let query = r#"{"type":"query","id":"q","text":"Which boat?","gold":["d"]}"#;
    machine.write("mine.jsonl", format!("{document}\n{query}\n"));
    let many_tags: Vec<&str> =
        ["remember", "x"].into_iter().chain(["--tag", "t"].repeat(65)).collect();
    let long_name = "A".repeat(257);
    let cases: &[(&str, &[&str])] = &[
        ("usage", &["recall"]),
        ("usage", &["recal", "x"]),
        ("usage", &["recall", "x", "--no-such-option"]),
        ("usage", &["claims", "--band", "sure"]),
        ("usage", &["recall", "x", "-k", "0"]),
        ("several_spaces", &["--space", "a", "--space", "b", "status"]),
        ("several_spaces", &["--space", "a", "--space", "b", "init"]),
        ("time_malformed", &["recall", "x", "--since", "someday"]),
        ("time_malformed", &["remember", "x", "--at", "someday"]),
        ("time_malformed", &["remember", "x", "--at", "2025-01-01T10:00:00+25:00"]),
        ("time_malformed", &["recall", "x", "--since", "2025-01-01T10:00:00-19:00"]),
        ("time_malformed", &["claim", "add", "x", "--valid-to", "2025-01-01T10:00:00+19:00"]),
        ("time_too_far", &["recall", "x", "--since", "9999-12-31"]),
        ("empty_window", &["recall", "x", "--since", "2025-02-01", "--until", "2025-01-31"]),
        ("empty_question", &["recall", " "]),
        ("empty_text", &["remember", " "]),
        ("empty_text", &["claim", "add", " "]),
        ("not_a_probability", &["claim", "add", "x", "--confidence", "1.5"]),
        ("setting_key_malformed", &["settings", "set", "Auto Learn", "on"]),
        ("setting_value", &["settings", "set", "auto_learn", "maybe"]),
        ("setting_value", &["settings", "set", "tone", " "]),
        ("no_such_setting", &["settings", "show", "tone"]),
        ("empty_turns", &["context", "--question", " "]),
        ("name_too_long", &["remember", "x", "--actor", &long_name]),
        ("too_many_tags", &many_tags),
        ("key_malformed", &["log", "--author", "nobody"]),
        ("key_malformed", &["grant", "nobody", "--can", "append"]),
        ("assignment_malformed", &["what-if", "--correct", "x"]),
        ("no_such_records", &["what-if", "--without-source", "papyrus"]),
        ("no_such_format", &["import", "--format", "papyrus", "mine.jsonl"]),
        ("no_such_model", &["embed", "--forget", "ollama:m"]),
        ("too_few_collections", &["eval", "retrieval", "mine.jsonl", "--leave-one-out"]),
    ];
    for (code, arguments) in cases {
        // What is named and not there may be there tomorrow: the arguments are not wrong.
        let is_missing = ["no_such_setting", "no_such_records", "no_such_model"].contains(code);
        let ran = machine.because(arguments.iter().copied()).arguments(["--json"]).run();
        let ran = ran.ends(if is_missing { 1 } else { 2 });
        assert_eq!(ran.error_code(), *code, "{arguments:?}");
    }
    // The arguments are right, and what they lead to is not.
    let cases: &[(&str, &[&str])] = &[
        ("patch_malformed", &["patch", "check", "turns.jsonl"]),
        ("input_too_large", &["context", "--turns", "large.jsonl"]),
        ("input_too_large", &["conformance", "large.jsonl"]),
        ("turn_malformed", &["context", "--turns", "turns.jsonl"]),
        ("evaluation_format", &["eval", "retrieval", "turns.jsonl"]),
        ("scenario", &["conformance", "turns.jsonl"]),
        ("unknown_format", &["import", "space.bin"]),
        ("source_format", &["import", "--format", "claude-export", "turns.jsonl"]),
    ];
    machine.write("space.bin", [0, 1, 2]);
    for (code, arguments) in cases {
        let ran = machine.because(arguments.iter().copied()).arguments(["--json"]).run().ends(1);
        assert_eq!(ran.error_code(), *code, "{arguments:?}");
    }
    let of_input = |input: Vec<u8>| {
        machine.because(["remember", "-", "--json"]).input(input).run().ends(1).error_code()
    };
    assert_eq!(of_input(b"caf\xe9".to_vec()), "input_not_utf8");
    assert_eq!(of_input(vec![b'x'; 3 << 20]), "text_too_large");
    let hub =
        machine.because(["model", "pull", "owner/name", "--json"]).variable("HF_TOKEN", "a b");
    assert_eq!(hub.run().ends(2).error_code(), "variable");
    machine.is_sound();
}

#[test]
fn a_fault_has_one_exit_code_whatever_the_command() {
    let machine = Machine::with_space();
    let note = id_of(&json(&machine, &["remember", "A note"]));
    let missing = "ffffffff";
    let cases: &[(&str, &[&str])] = &[
        ("not_found", &["show", missing]),
        ("not_found", &["explain", missing]),
        ("not_found", &["why", missing]),
        ("not_found", &["kg", "show", "nosuch"]),
        ("not_found", &["kg", "neighbours", missing]),
        ("not_found", &["claim", "show", missing]),
        ("not_found", &["node", "retract", missing]),
        ("not_found", &["edge", "add", "--type", "supports", "--from", &note, "--to", missing]),
        ("not_found", &["correct", "no|such|key", "--text", "x"]),
        ("not_found", &["retract", missing]),
        ("not_found", &["forget", missing, "--yes"]),
        ("not_found", &["what-if", "--retract", missing]),
        ("not_found", &["review", "accept", missing]),
        ("not_found", &["patch", "apply", "no-such-file"]),
        ("not_found", &["settings", "show", "tone"]),
        ("not_found", &["receipts", missing]),
        ("not_found", &["retract", "--source", "papyrus"]),
        ("not_found", &["thought", "show", missing]),
        ("not_found", &["token", "revoke", "nosuch"]),
        ("not_found", &["--space", "nowhere.db", "status"]),
        ("caller", &["claim", "show", &note]),
        ("caller", &["refute", &note]),
        ("caller", &["recall", " "]),
        ("caller", &["retract"]),
        ("caller", &["patch", "revert", &note]),
        ("caller", &["kg", "search", " "]),
        ("caller", &["thought", "combine", missing, "x"]),
        ("conflict", &["init"]),
    ];
    for (fault, arguments) in cases {
        let ran = machine.because(arguments.iter().copied()).arguments(["--json"]).run();
        let line = ran.err().lines().last().unwrap_or_default().to_owned();
        let error = serde_json::from_str::<Value>(&line).unwrap_or_default()["error"].clone();
        assert_eq!(error["fault"], *fault, "{arguments:?}: {ran}");
        ran.ends(if *fault == "caller" { 2 } else { 1 });
    }
}

#[test]
fn importing_a_ledger_without_a_space_needs_a_file_name() {
    let machine = Machine::with_chat();
    machine.because(["export", "--out", "memory.jsonl"]).run().succeeds();
    std::fs::remove_dir_all(machine.work().join(".because")).unwrap();
    let ran = machine.because(["import", "memory.jsonl", "--json"]).run().ends(2);
    assert_eq!(ran.error_code(), "ledger_without_space");
}

#[test]
fn an_error_says_who_can_fix_it_and_what_to_type() {
    let machine = Machine::with_space();
    let error = |arguments: &[&str]| {
        let ran = machine.because(arguments.iter().copied()).arguments(["--json"]).run();
        let line = ran.err().lines().last().unwrap().to_owned();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()["error"].clone()
    };
    let unknown = error(&["show", "ffffffff"]);
    assert_eq!((&unknown["code"], &unknown["fault"]), (&"unknown_id".into(), &"not_found".into()));
    assert_eq!(
        unknown["hint"],
        "`because log` lists what was recorded, `because claims` the beliefs"
    );
    assert_eq!(error(&["init"])["fault"], "conflict");
    assert_eq!(error(&["recall", " "])["fault"], "caller");
}

#[cfg(unix)]
#[test]
fn paths_that_settings_cannot_hold_and_missing_homes_are_reported() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let machine = Machine::new();
    let strange = OsStr::from_bytes(b"home\xff");
    let install = machine.because(["install", "codex", "--dry-run", "--json"]);
    let ran = install.variable("BECAUSE_HOME", strange).run().ends(2);
    assert_eq!(ran.error_code(), "path_not_unicode");
    let spaces = machine.because(["status", "--json"]).variable("BECAUSE_SPACE", strange);
    assert_eq!(spaces.run().ends(2).error_code(), "variable");
}

#[test]
fn a_usage_error_says_in_one_line_of_json_what_is_wrong_and_how_the_command_is_used() {
    let machine = Machine::new();
    let ran = machine.because(["--json", "claims", "--band", "sure"]).run().ends(2);
    let error: serde_json::Value = serde_json::from_str(ran.err().trim()).unwrap();
    let error = &error["error"];
    assert_eq!(error["fault"], "caller");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("invalid value 'sure' for '--band"), "{message}");
    assert!(message.contains("[possible values: speculative, probable"), "{message}");
    let ran = machine.because(["recall", "--json"]).run().ends(2);
    let error: serde_json::Value = serde_json::from_str(ran.err().trim()).unwrap();
    let hint = error["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("Usage: because recall"), "{hint}");
    // A question may look like the option, and without it an error is for people.
    let ran = machine.because(["recall", "--bad", "--", "--json"]).run().ends(2);
    assert!(ran.err().starts_with("error: unexpected argument '--bad'"), "{}", ran.err());
}

#[test]
fn help_is_also_a_command() {
    let machine = Machine::new();
    let out =
        |arguments: &[&str]| machine.because(arguments.iter().copied()).run().succeeds().out();
    assert_eq!(out(&["help"]), out(&["--help"]));
    assert_eq!(out(&["help", "recall"]), out(&["recall", "--help"]));
    assert_eq!(out(&["help", "kg", "search"]), out(&["kg", "search", "--help"]));
    let ran = machine.because(["help", "recal"]).run().ends(2);
    assert!(ran.err().contains("unrecognized subcommand 'recal'"), "{}", ran.err());
}

#[test]
fn a_statement_that_was_refuted_says_how_to_take_that_back() {
    let machine = Machine::with_space();
    machine.because(["claim", "add", "The kiln is gas."]).run().succeeds();
    let claims = machine.because(["--json", "claims"]).run().succeeds().json();
    machine.because(["refute", claims["key"].as_str().unwrap()]).run().succeeds();
    let again = machine.because(["claim", "add", "The kiln is gas."]).run().ends(1);
    again.says("because withdraw KEY");
}
