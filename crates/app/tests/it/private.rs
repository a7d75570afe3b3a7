//! What is private is shown to nobody else: neither to agents, nor beside other spaces, nor in
//! exports for others.
//!
//! One space has private records, and beliefs that stand on them, with a word that is nowhere else.
//! Each way to read is walked, and the word must occur in no answer. The same ways show it to whom
//! it may be shown, so that the walk is not empty.

use serde_json::{Value, json};

use crate::graph::{add, json as json_of};
use crate::machine::{Machine, Ran};
use crate::mcp::host::Host;

/// The word, in any letter case.
pub(crate) const WORD: &str = "zirconquokka";

/// A private weekly series, a public one of the same kind with one private occurrence, and a note.
fn calendar() -> String {
    let mut events = String::new();
    let mut add = |lines: &str| {
        events.push_str(&format!(
            "BEGIN:VEVENT\r\nDTSTAMP:20250101T000000Z\r\n{lines}\r\nEND:VEVENT\r\n"
        ));
    };
    add(
        "UID:p1\r\nCLASS:PRIVATE\r\nSUMMARY:Zirconquokka appointment\r\nLOCATION:Zirconquokka House\r\nDTSTART:20250107T180000\r\nDTEND:20250107T190000\r\nRRULE:FREQ=WEEKLY;COUNT=12\r\nDESCRIPTION:with Doctor Halvorsen about zirconquokka",
    );
    add(
        "UID:p2\r\nSUMMARY:Choir practice\r\nLOCATION:Church\r\nDTSTART:20250108T190000\r\nDTEND:20250108T200000\r\nRRULE:FREQ=WEEKLY;COUNT=12",
    );
    add(
        "UID:p2\r\nCLASS:PRIVATE\r\nRECURRENCE-ID:20250212T190000\r\nSUMMARY:Choir practice\r\nLOCATION:Church\r\nDTSTART:20250212T190000\r\nDTEND:20250212T200000\r\nDESCRIPTION:Left early for the zirconquokka",
    );
    add(
        "UID:p3\r\nSUMMARY:Chess club\r\nLOCATION:Library\r\nDTSTART:20250109T190000\r\nDTEND:20250109T200000\r\nRRULE:FREQ=WEEKLY;COUNT=12",
    );
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:t\r\n{events}END:VCALENDAR\r\n")
}

/// A machine with a space in its working folder and another one, `clinic.db`, that has the private
/// records.
pub(crate) fn private_machine() -> Machine {
    let machine = Machine::with_space();
    machine.write("calendar.ics", calendar());
    machine.because(["remember", "The spare key hangs behind the kiln."]).run().succeeds();
    machine.because(["--space", "clinic.db", "init", "--name", "clinic"]).run().succeeds();
    machine.because(["--space", "clinic.db", "import", "calendar.ics"]).run().succeeds();
    machine
}

fn holds_word(text: &str) -> bool {
    text.to_lowercase().contains(WORD)
}

#[track_caller]
fn is_silent(what: &str, ran: &Ran) {
    assert!(!holds_word(&ran.out()) && !holds_word(&ran.err()), "{what}: {ran}");
}

/// Ids and keys of what is private: records, claims on them, and the operations about those.
pub(crate) fn private_names_of(machine: &Machine) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let clinic = |arguments: &[&str]| {
        let ran = machine.because(["--space", "clinic.db", "--json"]).arguments(arguments);
        ran.run().succeeds().json_lines()
    };
    let mut names: Vec<String> = clinic(&["log", "-n", "0"])
        .iter()
        .filter(|line| holds_word(&line.to_string()))
        .map(|line| text(&line["id"]))
        .collect();
    let claims = clinic(&["claims", "--all", "-n", "0"]);
    let private: Vec<&Value> =
        claims.iter().filter(|claim| claim["visibility"] == "private").collect();
    assert!(private.len() > 2, "{claims:?}");
    assert!(private.iter().any(|claim| holds_word(&claim["text"].to_string())));
    names.extend(private.iter().map(|claim| text(&claim["op_id"])));
    // Beginnings of ids are names too.
    names.extend(names.clone().iter().map(|name| name[..15].to_owned()));
    // The private series, its private occurrence, the claims on them and their operations.
    assert!(names.len() >= 20, "{names:?}");
    names
}

/// Every call of a tool that only reads, or that asks for a change of something private.
fn calls(names: &[String]) -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    let questions = [
        "When was the appointment on Tuesdays?",
        "Who is Doctor Halvorsen?",
        "Which house was I often at?",
        "Choir practice in February 2025",
        "left early",
        "What did I do in the evening on 2025-01-14?",
        "events in February 2025",
    ];
    for question in questions {
        for search_type in ["facts", "episodes", "both"] {
            calls.push((
                "recall",
                json!({ "query": question, "search_type": search_type, "limit": 50, "around": 5 }),
            ));
        }
        calls.push((
            "recall",
            json!({ "query": question, "since": "2025-01-01", "until": "2026-01-01", "limit": 50 }),
        ));
        calls.push(("graph", json!({ "query": question, "depth": 3, "limit": 100 })));
        calls.push((
            "inner_voice",
            json!({ "content": question, "sim_thresh": 0, "top_k": 50, "save": false }),
        ));
        let turns = json!([{ "speaker": "user", "text": question }]);
        calls.push(("get_context", json!({ "turns": turns, "budget_tokens": 20_000 })));
        // What the search for one turn finds late comes with the next.
        for number in 0..3 {
            let turn =
                json!({ "text": question, "session": number.to_string(), "budget_tokens": 20_000 });
            calls.push(("observe", turn.clone()));
            calls.push(("observe", turn));
        }
    }
    // Keys that are like an unknown name are suggested.
    for name in ["appointment", "routine", "house", "place.frequent", "tue|evening"] {
        calls.push(("explain", json!({ "name": name })));
        calls.push(("refute", json!({ "name": name, "note": "no" })));
    }
    for name in names {
        calls.push(("explain", json!({ "name": name })));
    }
    for list in ["claims", "nodes", "edges"] {
        calls.push(("graph", json!({ "list": list, "status": "any", "limit": 100 })));
        calls.push(("graph", json!({ "list": list, "valid_at": "2025-02-01", "limit": 100 })));
    }
    calls.push(("why", json!({ "name": "last", "limit": 40 })));
    calls.push(("review", json!({ "all": true })));
    for operation in ["list_removals", "health", "dedupe", "export_removals", "finalize_removal"] {
        let arguments = json!({ "operation": operation, "older_than_days": 0, "dry_run": true });
        calls.push(("maintenance_ops", arguments));
    }
    let rule = json!({ "operation": "retention", "kinds": ["event"], "older_than_days": 0 });
    calls.push(("maintenance_ops", rule));
    let text = "I keep my appointments.";
    for name in names.iter().step_by(3) {
        calls.push(("why", json!({ "name": name, "limit": 40 })));
        calls.push(("graph", json!({ "around": [name], "depth": 3 })));
        calls.push(("maintenance_ops", json!({ "operation": "mark", "ids": [name] })));
        calls.push(("state", json!({ "text": text, "sources": [name] })));
        calls.push(("state", json!({ "text": text, "supersedes": name })));
        calls.push(("connect", json!({ "type": "mentions", "from": name, "to": name })));
        let operations = json!([{ "op": "retract", "target": name, "sources": [name] }]);
        calls.push(("propose_patch", json!({ "text": "Tidy up", "operations": operations })));
        calls.push(("graph", json!({ "around": [name], "path_to": name })));
        let items = json!([{ "id": name, "decision": "alias", "canonical_id": name }]);
        calls.push(("knowledgegraph_moderate", json!({ "items": items })));
    }
    // One of each sort is enough for the slow ones.
    for name in names.iter().step_by(9) {
        calls.push(("correct", json!({ "name": name, "text": "No.", "note": "no" })));
        calls.push(("refute", json!({ "name": name, "note": "no" })));
        calls.push(("retract", json!({ "name": name, "note": "no" })));
        calls.push(("forget", json!({ "name": name, "note": "no" })));
    }
    calls.push((
        "remember",
        json!({ "text": "I see Doctor Halvorsen in the evening on Tuesdays.", "actor": "user" }),
    ));
    calls
}

/// The tools whose answers hold the word.
fn tools_that_tell(host: &mut Host, calls: &[(&'static str, Value)]) -> Vec<&'static str> {
    let mut telling = Vec::new();
    for (tool, arguments) in calls {
        let answer = host.calls(tool, arguments.clone()).to_string();
        if holds_word(&answer) {
            println!("{tool} {arguments}: {answer}");
            telling.push(*tool);
        }
    }
    telling.sort_unstable();
    telling.dedup();
    telling
}

#[test]
fn no_tool_shows_an_agent_what_is_private_unless_the_user_allows_it() {
    let machine = private_machine();
    let names = private_names_of(&machine);
    let calls = calls(&names);
    let start = || {
        let mut host = Host::calling(machine.because(["--space", "clinic.db", "mcp"]));
        host.greet_as("a test", &json!({}));
        host
    };
    let mut host = start();
    let tools = host.asks("tools/list", &json!({}))["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        let walked = calls.iter().any(|(name, _)| tool["name"] == *name);
        assert!(walked, "the walk has no call of {}", tool["name"]);
    }
    assert_eq!(tools_that_tell(&mut host, &calls), Vec::<&str>::new());
    // What is private does not exist: the same error as for an id that nothing has.
    for (tool, code) in [
        ("explain", "unknown_id"),
        ("refute", "unknown_id"),
        ("retract", "unknown_id"),
        ("forget", "unknown_id"),
    ] {
        for name in [names[0].as_str(), "b3:0123456789abcdef0123456789abcdef"] {
            let arguments = match tool {
                "explain" => json!({ "name": name }),
                _ => json!({ "name": name, "note": "no" }),
            };
            host.fails(code, tool, arguments);
        }
    }
    // What is not private is shown.
    let chess = host.calls("recall", json!({ "query": "Which club was I at on Thursdays?" }));
    assert!(chess.to_string().contains("Chess club"), "{chess}");
    host.leaves();

    let config = machine.home().join("config.toml");
    std::fs::write(config, "[agents]\nread_private = [\"a-test\"]\n").unwrap();
    let mut host = start();
    let telling = tools_that_tell(&mut host, &calls);
    for tool in ["recall", "inner_voice", "explain"] {
        assert!(telling.contains(&tool), "{telling:?}");
    }
    assert!(!telling.contains(&"get_context"), "a context never holds anything private");
    assert!(!telling.contains(&"observe"), "nothing private surfaces");
    host.leaves();
}

#[test]
fn a_space_shows_nothing_private_beside_others_to_agents_or_in_exports_for_others() {
    let machine = private_machine();
    let friend = machine.work().join("friend");
    let key = machine.because(["key"]).at_home(&friend).run().succeeds().out().trim().to_owned();
    let questions = [
        "Zirconquokka",
        "When was the appointment?",
        "Choir practice",
        "Doctor Halvorsen",
        "house on 2025-01-14",
    ];
    let options: [&[&str]; 9] = [
        &[],
        &["--json"],
        &["--search", "facts"],
        &["--search", "episodes", "--around", "10"],
        &["--explain", "-k", "100"],
        &["--as-of", "9999-12-31"],
        &["--valid-at", "2025-02-01", "--search", "facts"],
        &["--kind", "event", "--since", "2025-01-01", "--until", "2025-12-31"],
        &["--visibility", "project", "--visibility", "global"],
    ];
    let several = ["--space", ".", "--space", "clinic.db"];
    let one = ["--space", "clinic.db"];
    let recall = |spaces: &[&str], question: &str, options: &[&str]| {
        machine.because(spaces).arguments(["recall", question]).arguments(options).run()
    };
    for question in questions {
        for options in options {
            let what = format!("{question} {options:?}");
            // The question is repeated in JSON, as it was understood.
            let ran = recall(&several, question, options);
            if question != "Zirconquokka" || !options.contains(&"--json") {
                is_silent(&what, &ran);
                is_silent(&what, &recall(&one, question, &[options, &["--agent", "x"]].concat()));
            }
        }
    }
    for arguments in [
        vec!["context", "--question", "When was the appointment?"],
        vec!["context", "--turn", "Mara: Who is Doctor Halvorsen?", "--json"],
        vec!["export", "--for", &key],
        vec!["export", "--for", &key, "--claims-only"],
        vec!["export", "--for", &key, "--without", "type=preference"],
    ] {
        is_silent(&arguments.join(" "), &machine.because(one).arguments(&arguments).run());
    }
    // No other command reads several spaces.
    for command in ["claims", "log", "status", "export", "verify"] {
        is_silent(command, &machine.because(several).arguments([command]).run().ends(2));
    }

    // The person sees everything in a space that they are in, or ask by name.
    let shows = |ran: Ran| assert!(holds_word(&ran.succeeds().out()));
    shows(recall(&one, "appointment", &[]));
    shows(recall(&several, "appointment", &["--visibility", "private"]));
    shows(recall(&one, "appointment", &["--visibility", "private", "--agent", "x"]));
    shows(machine.because(one).arguments(["claims", "--all"]).run());
    shows(machine.because(one).arguments(["export"]).run());
    let home = machine.work().join("there");
    std::fs::create_dir_all(home.join(".because")).unwrap();
    std::fs::copy(machine.work().join("clinic.db"), home.join(".because/space.db")).unwrap();
    let work = machine.space();
    let both = ["--space", ".", "--space", work.to_str().unwrap()];
    let there = machine.because(both).arguments(["recall", "appointment"]).within(&home);
    shows(there.run());
}

#[test]
fn whoever_states_something_on_private_ground_is_told_that_it_is_private_too() {
    let machine = Machine::with_space();
    let secret = add(&machine, &["Petra is ill.", "--visibility", "private"]);
    let state = ["claim", "add", "Petra needs a bed.", "--source", &secret];
    let told = machine.because(state).run().succeeds();
    assert!(told.err().contains("private"), "{told}");
    let stated = json_of(&machine, &state);
    assert_eq!(stated["new"], false);
    assert!(stated["warning"].as_str().unwrap().contains("is there is private"), "{stated}");
    let open = add(&machine, &["The bed is blue."]);
    let joined = ["edge", "add", "--type", "mentions", "--from", &open, "--to", &secret];
    let warning = |answer: &Value| answer["warning"].as_str().map(str::to_owned);
    let dry = json_of(&machine, &[&joined[..], &["--dry-run"]].concat());
    assert!(warning(&dry).unwrap().contains("joins something private"), "{dry}");
    assert!(machine.because(joined).run().succeeds().err().contains("joins something private"));
    // Who says so, or states what is not private, is not told.
    let meant = ["claim", "add", "Petra sleeps.", "--source", &secret, "--visibility", "private"];
    assert_eq!(warning(&json_of(&machine, &meant)), None);
    assert_eq!(warning(&json_of(&machine, &["claim", "add", "The bed is long."])), None);
    let operation = |text: &str| {
        json!({ "op": "create_claim", "type": "fact", "text": text,
        "sources": [secret] })
    };
    let patch = |text: &str| json!({ "text": "t", "operations": [operation(text)] });
    machine.write("patch.json", patch("Petra stays.").to_string());
    let applied = json_of(&machine, &["patch", "apply", "patch.json"]);
    assert!(warning(&applied).is_some(), "{applied}");
    let full = crate::http::token(&machine, "full", &[".:read,append,derive,correct,private"]);
    let server = crate::http::Server::start(&machine);
    let asked = json!({ "patch": patch("Petra rests.") });
    let checked = server.post("/api/v1/patches/check", &full, &asked).succeeds();
    assert!(warning(&checked).is_some(), "{checked}");
    let config = "[agents]\nread_private = [\"claude-code\"]\n";
    std::fs::write(machine.home().join("config.toml"), config).unwrap();
    let mut host = Host::named(&machine, "claude-code", &json!({}));
    let asked = json!({ "text": "Petra reads.", "sources": [secret] });
    let stated = host.gets("state", asked);
    assert!(warning(&stated).is_some(), "{stated}");
    let asked = json!({ "text": "Petra sings.", "sources": [open] });
    assert_eq!(warning(&host.gets("state", asked)), None);
    host.leaves();
    machine.is_sound();
}

#[test]
fn what_stands_on_something_private_is_shown_as_private_with_what_it_states() {
    let machine = Machine::with_space();
    let run = |args: &[&str]| machine.because(args).run().succeeds().json();
    let id = |args: &[&str]| run(args)["id"].as_str().unwrap().to_owned();
    let hint = id(&["--json", "claim", "add", "A tip.", "--visibility", "private"]);
    let stated = ["--source", &hint, "--visibility", "global"];
    let claim = id(&[&["--json", "claim", "add", "On a hint."][..], &stated].concat());
    let node = id(&[&["--json", "node", "add", "--type", "decision", "So."][..], &stated].concat());
    let open = id(&["--json", "claim", "add", "Known.", "--visibility", "global"]);
    let visibility = |shown: &serde_json::Value| {
        (shown["visibility"].clone(), shown["stated_visibility"].clone())
    };
    let private = ("private".into(), "global".into());
    assert_eq!(visibility(&run(&["--json", "claim", "show", &claim])), private);
    assert_eq!(visibility(&run(&["--json", "node", "show", &node])), private);
    assert_eq!(visibility(&run(&["--json", "node", "list"])), private);
    let listed = |text: &str| visibility(&run(&["--json", "claim", "list", "--contains", text]));
    assert_eq!(listed("On a hint"), private);
    assert_eq!(listed("Known"), ("global".into(), serde_json::Value::Null));
    assert_eq!(listed("A tip"), ("private".into(), serde_json::Value::Null));
    let ends = ["--type", "supports", "--from", &claim, "--to", &open];
    let edge = id(&[&["--json", "edge", "add"][..], &ends].concat());
    assert_eq!(run(&["--json", "edge", "show", &edge])["visibility"], "private");
    let shown = machine.because(["claim", "show", &claim]).run().succeeds();
    shown.prints("private, because of what it stands on; it states global");
}
