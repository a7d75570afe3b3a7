//! A project over the home space, at the command line: what of the home space is shown there, and
//! that nothing else is.

use serde_json::Value;

use crate::machine::{Machine, Ran};

const HOME: [&str; 2] = ["--space", "global"];
/// The word of everything that no other project may see.
const WORD: &str = "zirconquokka";

fn json(machine: &Machine, arguments: &[&str]) -> Value {
    machine.because(["--json"]).arguments(arguments).run().succeeds().json()
}

fn id_of(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

/// Records of one visibility in a space: a claim, a node and an edge between them, a note.
fn fill(machine: &Machine, space: &[&str], visibility: &str) -> Vec<String> {
    let run = |arguments: &[&str]| id_of(&json(machine, &[space, arguments].concat()));
    let to_see = ["--visibility", visibility];
    let text = |what: &str| format!("{what} {WORD} {visibility}");
    let claim = text("The glaze of");
    let claim = run(&[&["claim", "add", &claim, "--type", "preference"], &to_see[..]].concat());
    let node = text("We fire the");
    let node = run(&[&["node", "add", "--type", "decision", &node], &to_see[..]].concat());
    let notes = text("because of");
    let edge = ["edge", "add", "--type", "depends_on", "--from", &node, "--to", &claim];
    let edge = run(&[&edge[..], &["--notes", &notes]].concat());
    vec![claim, node, edge]
}

#[track_caller]
fn is_silent(ran: &Ran) {
    let all = format!("{}{}", ran.out(), ran.err()).to_lowercase();
    assert!(!all.contains(WORD), "{ran}");
}

#[test]
fn case_40_given_what_is_not_global_then_another_project_cannot_find_it() {
    let machine = Machine::with_space();
    machine.because(["--space", "other.db", "init", "--name", "other"]).run().succeeds();
    machine.because(["init", "--global"]).run().succeeds();
    let mut withheld = Vec::new();
    for visibility in ["private", "project"] {
        withheld.extend(fill(&machine, &HOME, visibility));
        withheld.extend(fill(&machine, &["--space", "other.db"], visibility));
    }
    // Another project's records are its own, whoever may see them.
    withheld.extend(fill(&machine, &["--space", "other.db"], "global"));
    // One that every project may see, with a source that only the home space may.
    let note = format!("A note about {WORD}");
    let note = json(&machine, &[&HOME[..], &["remember", &note]].concat());
    let source = note["recorded"]["id"].as_str().or(note["id"].as_str()).unwrap().to_owned();
    let shared = [&HOME[..], &["claim", "add", "Kilns are slow", "--source", &source]].concat();
    let shared = id_of(&json(&machine, &shared));
    withheld.push(source);

    let run = |arguments: &[&str]| machine.because(arguments.iter().copied()).run();
    for form in [&[][..], &["--json"]] {
        for list in [
            &["claims", "--all", "--state", "any"][..],
            &["claims", "--contains", "quokka"],
            &["claims", "--scope", "project", "--all"],
            &["node", "list", "--all"],
            &["edge", "list", "--all"],
            &["recall", "What about the zirconquokka?", "--search", "facts", "--graph"],
            &["recall", "What about the zirconquokka?", "--search", "nodes", "--graph"],
            &["recall", "What about the zirconquokka?", "--search", "episodes"],
            &["recall", "kiln", "--agent", "probe"],
            &["recall", "kiln", "--visibility", "private"],
            &["context", "--question", "What about the quokka?"],
            &["why", "last"],
            &["explain", &shared, "--all"],
            &["claim", "show", &shared, "--graph"],
            &["show", &shared],
            &["why", &shared, "--dry-run"],
        ] {
            let ran = run(&[form, list].concat());
            // A question repeats its word; answers do not.
            if list[0] == "recall" || list[0] == "context" {
                let out = ran.out().to_lowercase();
                assert!(!out.contains("the glaze of") && !out.contains("we fire"), "{ran}");
            } else {
                is_silent(&ran);
            }
            // An operation is shown as it was signed, with what it cites.
            let ids = withheld.iter().filter(|id| ran.out().contains(&id[3..11]));
            assert!(list[0] == "show" || ids.count() == 0, "{ran}");
        }
    }
    for id in &withheld {
        let name = &id[..11];
        for command in [
            &["show", id][..],
            &["claim", "show", name, "--graph"],
            &["explain", name],
            &["why", name],
            &["edge", "list", "--from", name],
            &["claim", "retract", name],
        ] {
            let ran = run(command);
            assert_ne!(ran.code(), 0, "{ran}");
            is_silent(&ran);
            assert!(!ran.err().contains("--space global"), "not even a hint: {ran}");
        }
    }
    let counted = json(&machine, &["explain", &shared]);
    assert_eq!(
        (&counted["scope"], counted["built_from"].as_array().unwrap().len()),
        (&"global".into(), 0)
    );
    // Whoever stands in the home space sees all of it.
    let all = machine.because(HOME).arguments(["claims", "--all", "--state", "any"]).run();
    assert!(all.succeeds().out().contains(WORD));
}

#[test]
fn what_the_home_space_has_is_changed_there_alone() {
    let machine = Machine::with_space();
    let add = ["claim", "add", "Tests run first", "--type", "preference", "--scope", "global"];
    let global = id_of(&json(&machine, &add));
    let own = id_of(&json(&machine, &["claim", "add", "The kiln is old"]));
    let listed = machine.because(["claims"]).run().succeeds();
    assert!(listed.out().contains("Tests run first  (global)"), "{listed}");
    let shown = json(&machine, &["claim", "show", &global, "--valid-at", "2025-01-01"]);
    assert_eq!((&shown["scope"], &shown["visibility"]), (&"global".into(), &"global".into()));
    assert_eq!(shown["in_window"], true);
    let key = shown["key"].as_str().unwrap();
    assert_eq!(json(&machine, &["explain", key])["scope"], "global");
    let why = json(&machine, &["why", &global]);
    assert_eq!((&why["scope"], &why["not_stored"]), (&"global".into(), &"nothing_to_store".into()));
    let before = machine.because(HOME).arguments(["log", "-n", "0"]).run().succeeds().out();
    for command in [
        &["claim", "retract", &global][..],
        &["claim", "supersede", &global, "Tests run last"],
        &["claim", "same-as", &own, &global],
        &["edge", "add", "--type", "supports", "--from", &own, "--to", &global],
        &["claim", "add", "More", "--source", &global],
        &["correct", key, "--set", "a=1"],
        &["refute", key],
        &["withdraw", key],
        &["retract", &global, "--yes"],
        &["restore", &global],
        &["forget", &global, "--yes"],
        &["what-if", "--refute", key],
    ] {
        let ran = machine.because(command.iter().copied()).run();
        assert_ne!(ran.code(), 0, "{ran}");
        assert!(ran.err().contains("--space global"), "{ran}");
    }
    let after = machine.because(HOME).arguments(["log", "-n", "0"]).run().succeeds().out();
    assert_eq!(before, after, "nothing is written across spaces");
    machine.because(HOME).arguments(["claim", "retract", &global]).run().succeeds();
    assert!(!machine.because(["claims"]).run().succeeds().out().contains("Tests run first"));
}

#[test]
fn the_past_of_a_belief_and_of_a_decision_is_explained_from_what_was_recorded_then() {
    let machine = Machine::with_space();
    let add = ["claim", "add", "The studio is open", "--valid-to", "2025-06-01"];
    let claim = id_of(&json(&machine, &add));
    let node = id_of(&json(&machine, &["node", "add", "--type", "decision", "We rent it"]));
    let edge = ["edge", "add", "--type", "depends_on", "--from", &node, "--to", &claim];
    json(&machine, &edge);
    let at = json(&machine, &["claim", "show", &claim])["recorded_at"].as_str().unwrap().to_owned();
    json(&machine, &["claim", "retract", &claim]);
    let state = |arguments: &[&str]| json(&machine, &[&["explain", &claim], arguments].concat());
    assert_eq!(state(&[])["claim"]["state"], "retracted");
    let then = state(&["--as-of", &at, "--valid-at", "2025-05-31"]);
    assert_eq!((&then["claim"]["state"], &then["in_window"]), (&"active".into(), &true.into()));
    assert_eq!(then["history"].as_array().unwrap().len(), 1, "{then}");
    assert_eq!(state(&["--valid-at", "2025-06-01"])["in_window"], false);
    let before = machine.because(["explain", &claim, "--as-of", "2020-01-01", "--json"]).run();
    assert_eq!(before.ends(1).error_code(), "not_recorded_then");
    let edges = |arguments: &[&str]| {
        let lineage = json(&machine, &[&["explain", &node], arguments].concat());
        lineage["edges"].as_array().unwrap().len()
    };
    let now = ["--as-of", "2100-01-01"];
    assert_eq!((edges(&now), edges(&["--valid-at", "2025-07-01"])), (1, 0));
    let lineage = machine.because(["explain", &node, "--as-of", &at, "--json"]).run();
    assert_eq!(lineage.ends(1).error_code(), "not_recorded_then", "it was not there yet");
    let why = json(&machine, &["why", &node, "--valid-at", "2025-07-01"]);
    assert_eq!(why["stored"], Value::Null);
}

#[test]
fn what_a_patch_states_in_the_home_space_is_for_every_project_as_what_a_person_states_there() {
    let machine = Machine::with_space();
    machine.because(["init", "--global"]).run().succeeds();
    let at_home = |arguments: &[&str]| json(&machine, &[&HOME[..], arguments].concat());
    let note = id_of(&at_home(&["remember", "A talk about glazes"]));
    let operations = serde_json::json!([
        {"op": "create_claim", "type": "fact", "text": "Tenmoku is a glaze", "sources": [note]},
        {"op": "create_node", "type": "decision", "text": "We glaze twice", "sources": [note]},
        {"op": "create_summary", "text": "Glazes", "sources": [note], "visibility": "project"},
    ]);
    machine.write("patch.json", serde_json::json!({ "operations": operations }).to_string());
    let seen = |space: &[&str]| {
        let applied = json(&machine, &[space, &["patch", "apply", "patch.json"]].concat());
        let made = applied["stand_for"].as_array().unwrap().iter();
        let seen = made.map(|id| {
            let shown = ["claim", "show", id.as_str().unwrap()];
            json(&machine, &[space, &shown].concat())["visibility"].clone()
        });
        seen.collect::<Vec<_>>()
    };
    assert_eq!(seen(&HOME), ["global", "global", "project"]);
    let listed = json(&machine, &["claim", "list"]);
    assert_eq!(
        (&listed["text"], &listed["scope"]),
        (&"Tenmoku is a glaze".into(), &"global".into())
    );
    let note = id_of(&json(&machine, &["remember", "A talk about glazes"]));
    let text = std::fs::read_to_string(machine.work().join("patch.json")).unwrap();
    let text = text.replace(operations[0]["sources"][0].as_str().unwrap(), &note);
    machine.write("patch.json", text);
    assert_eq!(seen(&[]), ["project", "project", "project"]);
}

#[test]
fn only_the_kinds_that_the_configuration_names_are_recalled_from_the_home_space() {
    let machine = Machine::with_space();
    let add = ["claim", "add", "Tenmoku is a glaze", "--scope", "global"];
    json(&machine, &add);
    json(
        &machine,
        &["node", "add", "--type", "decision", "We glaze with tenmoku", "--scope", "global"],
    );
    let found = |search: &str| {
        let ask = ["--json", "recall", "Which glaze is tenmoku?", "--search", search];
        machine.because(ask).run().succeeds().json_lines()
    };
    let is_told = |it: &&Value| {
        let it = it.to_string();
        it.contains("Tenmoku is a glaze") || it.contains("We glaze with tenmoku")
    };
    let texts = |search: &str| found(search).iter().filter(is_told).count();
    assert_eq!((texts("facts"), texts("nodes"), texts("episodes")), (1, 1, 0));
    let configure = |kinds: &str| {
        let text = format!("[cross_project_recall]\ninclude_kinds = {kinds}\n");
        std::fs::write(machine.home().join("config.toml"), text).unwrap();
    };
    configure(r#"["node", "statement"]"#);
    assert_eq!((texts("facts"), texts("nodes")), (0, 1));
    assert!(texts("episodes") > 0, "statements are records of the home space");
    configure(r#"["node", "bogus"]"#);
    let turn = ["--json", "context", "--no-receipt", "--turn", "Me: Which glaze?"];
    let ask = ["--json", "recall", "Which glaze is tenmoku?"];
    for call in [&ask[..], &turn, &["--json", "context", "--task", "Glaze a pot"]] {
        let refused = machine.because(call).run().ends(2).says("claim, node, turn, note");
        assert_eq!(refused.error_code(), "settings", "{call:?}");
    }
    configure("[]");
    assert_eq!((texts("facts"), texts("nodes"), texts("episodes")), (0, 0, 0));
}

#[test]
fn another_name_of_what_a_project_does_not_see_is_accounted_for_as_it_is_shown() {
    let machine = Machine::with_space();
    let global = id_of(&json(&machine, &["claim", "add", "Wren is away", "--scope", "global"]));
    let add = ["claim", "add", "Wren is in hospital", "--visibility", "private"];
    let private = id_of(&json(&machine, &[&HOME[..], &add].concat()));
    machine.because(HOME).arguments(["claim", "same-as", &global, &private]).run().succeeds();
    assert_eq!(json(&machine, &["show", &global])["id"], global);
    let why = json(&machine, &["why", &global]);
    assert_eq!((&why["target"]["id"], &why["target"]["status"]), (&global.into(), &"alias".into()));
    assert!(!why.to_string().contains("hospital"), "{why}");
    for command in ["show", "why"] {
        let unknown = machine.because(["--json", command, &private]).run().ends(1);
        assert_eq!(unknown.error_code(), "unknown_id", "{command}");
    }
    let at_home =
        json(&machine, &[&HOME[..], &["why", why["target"]["id"].as_str().unwrap()]].concat());
    assert_eq!(at_home["target"]["id"], private);
}
