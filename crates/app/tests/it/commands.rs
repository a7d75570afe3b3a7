//! Every command does what its help says, in words and in JSON.

use serde_json::Value;

use crate::machine::Machine;

/// Fails unless `value` has all of `fields`.
fn has(value: &Value, fields: &[&str]) {
    for field in fields {
        assert!(value.get(field).is_some(), "no {field:?} in {value}");
    }
}

#[test]
fn init_creates_one_space_that_git_ignores() {
    let machine = Machine::new();
    let made = machine.because(["init", "--name", "pottery", "--json"]).run().succeeds().json();
    has(&made, &["space", "author", "path"]);
    assert_eq!(made["name"], "pottery");
    assert_eq!(std::fs::read_to_string(machine.work().join(".because/.gitignore")).unwrap(), "*\n");
    std::fs::write(machine.work().join(".because/.gitignore"), "mine\n").unwrap();
    let again = machine.because(["init", "--json"]).run().ends(1);
    assert_eq!(again.error_code(), "space_exists");
    assert_eq!(
        std::fs::read_to_string(machine.work().join(".because/.gitignore")).unwrap(),
        "mine\n"
    );
    machine.because(["status"]).run().succeeds().prints("pottery");
}

#[test]
fn import_counts_new_records_and_is_idempotent() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", crate::samples::CHAT);
    machine.write("class.ics", crate::samples::CALENDAR);
    let dry =
        machine.because(["import", "--dry-run", "--json", "chat.jsonl"]).run().succeeds().json();
    assert_eq!((&dry["dry_run"], &dry["sources"][0]["added"]), (&true.into(), &4.into()));
    assert_eq!(dry["sources"][0]["preview"].as_array().unwrap().len(), 4);
    let import =
        || machine.because(["import", "--json", "chat.jsonl", "class.ics"]).run().succeeds().json();
    let first = import();
    let sources = first["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 2);
    for source in sources {
        has(
            source,
            &[
                "path",
                "format",
                "added",
                "replaced",
                "present",
                "masked",
                "problem_count",
                "problems",
            ],
        );
    }
    assert_eq!(sources[0]["added"], 4);
    assert_eq!(sources[1]["format"], "ical");
    let second = import();
    assert_eq!(
        (&second["sources"][0]["added"], &second["sources"][0]["present"]),
        (&0.into(), &4.into())
    );
    machine.write("chat.jsonl", crate::samples::CHAT.replace("Thursday", "Friday"));
    machine.because(["import", "chat.jsonl"]).run().succeeds().prints("3 already there");
    machine.because(["recall", "When does the class move?"]).run().succeeds().prints("Friday");
    machine.is_sound();
}

#[test]
fn import_names_an_unreadable_item_and_records_the_others() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", crate::samples::CHAT.replacen("\n", "\n{broken\n", 1));
    let report = machine.because(["import", "--json", "chat.jsonl"]).run().ends(4).json();
    assert_eq!(
        (&report["sources"][0]["added"], &report["sources"][0]["problem_count"]),
        (&4.into(), &1.into())
    );
    assert_eq!(report["sources"][0]["problems"][0]["line"], 2);
    machine.because(["import", "chat.jsonl"]).run().ends(4).prints("chat.jsonl:2");
}

#[test]
fn remember_reads_arguments_and_pipes_and_refuses_empty_text() {
    let machine = Machine::with_space();
    let arguments = [
        "remember",
        "--actor",
        "Idris",
        "--tag",
        "glaze",
        "--at",
        "2025-01-08",
        "Nine percent",
        "--json",
    ];
    let first = machine.because(arguments).run().succeeds().json();
    has(&first, &["id", "masked"]);
    assert_eq!(machine.because(arguments).run().succeeds().json()["id"], first["id"]);
    machine
        .because(["remember", "-"])
        .input("from a pipe")
        .run()
        .succeeds()
        .prints("Remembered as b3:");
    machine.because(["remember", "-"]).run().ends(2).says("empty");
    machine.because(["remember", "  "]).run().ends(2).says("empty");
    machine.because(["remember", "x", "--at", "someday"]).run().ends(2);
    machine.because(["remember", "x", "--actor", &"A".repeat(257)]).run().ends(2).says("256 bytes");
    machine
        .because(["recall", "x", "--since", "9999-12-31"])
        .run()
        .ends(2)
        .says("out of the range of times");
    machine.because(["recall", "pipe"]).run().succeeds().prints("from a pipe");
    machine
        .because(["recall", "pipe", "--visibility", "project"])
        .run()
        .succeeds()
        .prints("from a pipe");
    machine
        .because(["recall", "pipe", "--visibility", "private"])
        .run()
        .succeeds()
        .prints("Nothing that these filters leave");
    machine
        .because(["recall", "pipe", "--visibility", "nobody"])
        .run()
        .ends(2)
        .says("not private, project or global");
    let secret = format!("the key is ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let masked = machine.because(["remember", &secret, "--json"]).run().succeeds().json();
    assert_eq!(masked["masked"][0], "github-token", "{masked}");
    let log = machine.because(["log", "-n", "0", "--json"]).run().succeeds();
    assert!(!log.out().contains("a1B2c3D4"));
}

#[test]
fn a_retracted_record_stays_in_the_ledger_and_is_no_longer_recalled() {
    let machine = Machine::with_space();
    let arguments = ["remember", "--at", "2025-01-08", "The kiln stands in the cellar", "--json"];
    let first = machine.because(arguments).run().succeeds().json();
    let id = first["id"].as_str().unwrap();
    machine.because(["recall", "kiln"]).run().succeeds().prints("cellar");
    let retracted = machine
        .because(["retract", id, "--reason", "it was moved", "--json"])
        .run()
        .succeeds()
        .json();
    assert_eq!(retracted["target"], first["id"]);
    machine.because(["recall", "kiln"]).run().succeeds().prints("Nothing in memory");
    machine.because(["show", id]).run().succeeds().prints("cellar");
    let log = machine.because(["log"]).run().succeeds();
    log.prints(&format!("{}: it was moved", &id[..15]));
    // Remembering the same text again gives the retracted record.
    assert_eq!(machine.because(arguments).run().succeeds().json()["id"], first["id"]);
    machine.because(["recall", "kiln"]).run().succeeds().prints("Nothing in memory");
    let space = machine.because(["status", "--json"]).run().succeeds().json()["space"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(machine.because(["retract", &space]).run().ends(1).says("target").out(), "");
    machine.because(["verify"]).run().succeeds();
}

#[test]
fn import_reads_a_folder_of_all_sorts_and_says_what_a_named_format_leaves_out() {
    let machine = Machine::with_space();
    let folder = machine.work().join("mixed");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.md"), "# Kiln\nIt is hot.").unwrap();
    std::fs::write(folder.join("b.md"), "# Clay\nIt is wet.").unwrap();
    let calendar = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nSUMMARY:Class\nDTSTART:20250108T180000Z\nEND:VEVENT\nEND:VCALENDAR\n";
    std::fs::write(folder.join("c.ics"), calendar).unwrap();
    machine
        .because(["import", "--format", "markdown", "mixed"])
        .run()
        .succeeds()
        .prints("2 new")
        .says("1 file of other formats in it skipped (1 ical)");
    machine.because(["import", "mixed"]).run().succeeds().prints("1 new, 2 already there");
    // What nothing understands is named, and the rest is read.
    std::fs::write(folder.join("d.csv"), "a,b\n1,2\n").unwrap();
    machine.because(["import", "mixed"]).run().ends(4).prints("3 already there").prints("d.csv");
}

#[test]
fn a_recalled_commit_shows_its_hash_and_what_it_changed() {
    let machine = Machine::with_space();
    let made = machine.shell(
        "git init -q kiln && cd kiln && git config user.name Mara && git config user.email m@example.org && \
         mkdir -p src && echo 1 > src/zone.rs && git add -A && git commit -qm 'fire the first zone' && \
         git rev-parse HEAD",
    );
    let hash = made.run().succeeds().out().trim().to_owned();
    machine.because(["import", "kiln"]).run().succeeds().prints("1 new");
    let found = machine.because(["recall", "first zone"]).run().succeeds();
    found.prints("fire the first zone").prints(&format!("commit {}: src/zone.rs", &hash[..10]));
}

#[test]
fn one_bad_source_among_several_ends_nothing() {
    let machine = Machine::with_space();
    let work = machine.work();
    std::fs::write(work.join("bad.ics"), "BEGIN:NOTHING\n").unwrap();
    std::fs::write(work.join("page.html"), "<html>hi</html>").unwrap();
    std::fs::write(work.join("a.md"), "# Kiln\nIt is hot.").unwrap();
    let read = machine.because(["import", "bad.ics", "page.html", "a.md"]).run().ends(4);
    read.prints("1 new").prints("bad.ics").prints("of no format that is understood");
    // Alone, it is the failure of the command.
    let alone = machine.because(["import", "page.html"]).run().ends(1);
    alone.says("was not recognised").says("`--format text` reads it");
}

#[test]
fn a_source_of_no_known_format_is_explained_where_that_can_be_seen() {
    let machine = Machine::with_space();
    std::fs::create_dir(machine.work().join("folder")).unwrap();
    std::fs::write(machine.work().join("cut.json"), "[{\"title\":").unwrap();
    std::fs::write(machine.work().join("other.json"), "{\"title\": 1}").unwrap();
    let fails = |name: &str| machine.because(["import", name]).run().ends(1);
    fails("folder").says("the folder is empty");
    fails("cut.json").says("not valid JSON (EOF while parsing");
    assert!(!fails("other.json").err().contains("not valid"));
    // Each says how it can be read all the same.
    for name in ["list.csv", "list.tsv", "page.html", "data.json", "cut.json"] {
        if name != "cut.json" {
            std::fs::write(machine.work().join(name), "[1,\n2]").unwrap();
        }
        fails(name).says("`--format text` reads it");
    }
}

#[test]
fn words_that_name_no_belief_lead_to_the_search_for_beliefs_by_words() {
    let machine = Machine::with_space();
    let unknown = machine.because(["explain", "the kiln's \"cone\""]).run().ends(1);
    unknown.says("because claims --contains").says("finds beliefs by their words");
    machine.because(["explain", "kiln"]).run().ends(1).says("`because claims` lists the beliefs");
}

#[test]
fn hints_say_what_helps_here() {
    let machine = Machine::with_chat();
    machine.because(["init"]).run().ends(1).says("ready to use: `because status`");
    let nothing = machine.because(["trust", "nowhere"]).run().ends(1);
    assert!(!nothing.err().contains("because init"), "{nothing}");
    let filtered = machine.because(["recall", "--since", "2100", "glaze"]).run().succeeds();
    filtered.prints("Nothing that these filters leave shares a word");
    machine.because(["export", "--out", "nowhere/x"]).run().ends(1).says("cannot write nowhere/x");
}

#[test]
fn import_takes_the_order_of_dates_from_the_user_where_a_chat_does_not_show_it() {
    let machine = Machine::with_space();
    let chat =
        "02/06/25, 10:00 - Ana: tea\n02/06/25, 10:01 - Ben: yes\n02/06/25, 10:02 - Ana: four\n";
    std::fs::write(machine.work().join("chat.txt"), chat).unwrap();
    machine.because(["import", "chat.txt"]).run().ends(4).prints("--day-first or --month-first");
    machine.because(["import", "--month-first", "chat.txt"]).run().succeeds().prints("3 changed");
    machine.because(["import", "--day-first", "--month-first", "chat.txt"]).run().ends(2);
    machine.because(["recall", "tea"]).run().succeeds().prints("2025-02-06");
}

#[test]
fn remember_reports_invalid_input() {
    let machine = Machine::with_space();
    machine.because(["remember", "-"]).input(b"caf\xe9".as_slice()).run().ends(1).says("UTF-8");
    machine.because(["remember", "-"]).input(vec![b'x'; 3 << 20]).run().ends(1).says("larger");
    // A text below the limit can still exceed it after escaping.
    let escaped = [b"x".as_slice(), &[1; 1_000_000]].concat();
    let written = machine.because(["remember", "-", "--json"]).input(escaped).run().ends(2);
    assert_eq!(written.error_code(), "malformed");
    let hidden = machine.because(["remember", "-", "--json"]).input("\u{200b}\u{1}").run().ends(2);
    assert_eq!(hidden.error_code(), "empty_text");
    machine.shell("$BECAUSE remember - < /dev/zero").run().ends(1).says("larger");
}

#[test]
fn recall_marks_the_nearest_records_when_none_is_likely_to_answer() {
    let machine = Machine::with_chat();
    let foreign = "Quand passe le facteur ?";
    machine.because(["recall", foreign]).run().succeeds().prints("seems to answer");
    let answer = machine.because(["recall", foreign, "--json"]).run().succeeds().json();
    assert_eq!(
        (&answer["abstains"], answer["relevance"].as_f64()),
        (&serde_json::json!(true), Some(0.0)),
        "{answer}"
    );
    let question = "Who is allergic to walnuts?";
    assert!(
        !machine.because(["recall", question]).run().succeeds().out().contains("seems to answer")
    );
    machine
        .because(["recall", "--min-relevance", "1", question])
        .run()
        .succeeds()
        .prints("seems to answer");
    machine
        .because(["recall", "--min-relevance", "2", question])
        .run()
        .ends(2)
        .says("between 0 and 1");
}

#[test]
fn eval_measures_a_custom_collection_and_names_its_errors() {
    let machine = Machine::with_space();
    let line = r#"{"type":"document","id":"d","text":"A red boat."}"#;
    let query = r#"{"type":"query","id":"q","text":"Which boat?","gold":["d"]}"#;
    std::fs::write(machine.work().join("mine.jsonl"), format!("{line}\n{query}\n")).unwrap();
    let report =
        machine.because(["--json", "eval", "retrieval", "mine.jsonl"]).run().succeeds().json();
    assert_eq!(report["systems"][0]["categories"][1]["recall"]["5"], 1.0, "{report}");
    assert_eq!(report["systems"][0]["categories"][1]["hit_1"], 1.0, "{report}");
    let names: Vec<_> = report["systems"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["because", "plain BM25", "bm25-stemmed", "SQLite FTS5", "grep"]);
    machine.because(["eval", "retrieval", "mine.jsonl"]).run().succeeds().prints("hit@1");
    let files = ["a/1.jsonl", "a/2.jsonl", "b/1.jsonl", "b/2.jsonl"];
    for file in files {
        machine.write(file, format!("{line}\n{query}\n"));
    }
    let study = [&["--json", "eval", "retrieval", "--leave-one-out"][..], &files].concat();
    let study = machine.because(study).run().succeeds().json();
    let left_out: Vec<_> = study["leave_one_out"]["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["collection"], &row["held_out"]["questions"]))
        .collect();
    assert_eq!(serde_json::json!(left_out), serde_json::json!([["a", 2], ["b", 2]]), "{study}");
    machine
        .because(["eval", "retrieval", "mine.jsonl", "--ablation"])
        .run()
        .succeeds()
        .prints("nDCG@10");
    machine
        .because(["eval", "retrieval", "mine.jsonl", "--leave-one-out"])
        .run()
        .ends(2)
        .says("two collections");
    std::fs::write(machine.work().join("bad.jsonl"), format!("{line}\n{line}\n")).unwrap();
    machine.because(["eval", "retrieval", "bad.jsonl"]).run().ends(1).says("line 2");
}

#[test]
fn recall_answers_with_records_sources_and_reasons() {
    let machine = Machine::with_chat();
    let question = "Which glaze did Idris recommend?";
    let answer = machine.because(["recall", question, "--json"]).run().succeeds().json();
    has(&answer, &["question", "facts", "results", "relevance", "abstains", "behind"]);
    assert_eq!(answer["abstains"], false, "{answer}");
    let first = &answer["results"][0];
    has(first, &["id", "evidence", "score", "terms", "neighbours", "space"]);
    assert!(first["evidence"]["payload"]["text"].as_str().unwrap().contains("Tenmoku"), "{first}");
    machine.because(["recall", "--explain", question]).run().succeeds().prints("words");
    machine.because(["recall", "--around", "1", "tenmoku"]).run().succeeds().prints("tall bowls");
    machine
        .because(["recall", "--kind", "event", question])
        .run()
        .succeeds()
        .prints("Nothing that these filters leave");
    let february = [
        "recall",
        "--since",
        "2025-02-01",
        "--until",
        "2025-02-28",
        "--json",
        "Mara walnuts glaze",
    ];
    let answer = machine.because(february).run().succeeds().json();
    assert!(
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|result| { result["evidence"]["at"].as_str().unwrap().starts_with("2025-02") })
    );
    machine.because(["recall", "--since", "yesterdayish", question]).run().ends(2);
    for until in ["2025-02-01", "2025-01-31"] {
        let nothing = ["recall", "--since", "2025-02-01", "--until", until, question];
        machine.because(nothing).run().ends(2).says("nothing lies between them");
    }
}

#[test]
fn times_are_read_as_people_name_them() {
    let machine = Machine::with_chat();
    let found = |window: &[&str]| {
        let answer = machine
            .because(["recall", "--json", "walnuts glaze class"])
            .arguments(window.iter().copied())
            .run()
            .succeeds()
            .json();
        let results = answer["results"].as_array().unwrap().iter();
        let mut days: Vec<String> = results
            .map(|result| result["evidence"]["at"].as_str().unwrap()[..10].to_owned())
            .collect();
        days.dedup();
        days.sort();
        days.dedup();
        days
    };
    let (january, february) = ("2025-01-08", "2025-02-03");
    assert_eq!(found(&["--since", "2025", "--until", "2025"]), [january, february]);
    assert_eq!(found(&["--since", "2025-02", "--until", "2025-02"]), [february]);
    assert_eq!(found(&["--until", "2025-01"]), [january]);
    assert!(found(&["--since", "yesterday"]).is_empty());
    assert!(found(&["--since", "last week", "--until", "today"]).is_empty());
    assert_eq!(found(&["--until", "3 days ago"]), [january, february]);
    assert_eq!(found(&["--until", "3d"]), [january, february]);
    for command in [&["log", "--since", "2025-01"][..], &["claims", "--valid-at", "last month"]] {
        machine.because(command.iter().copied()).run().succeeds();
    }
    let lamp = ["remember", "--at", "yesterday", "I bought a lamp"];
    machine.because(lamp).run().succeeds();
    machine.because(["recall", "What did I do yesterday?"]).run().succeeds().prints("a lamp");
    let wrong = machine.because(["recall", "x", "--since", "someday"]).run().ends(2);
    wrong.says("2025-02").says("last week, 3 days ago or 2w");
    machine.because(["remember", "x", "--at", "2025"]).run().ends(2).says("yesterday");
}

#[test]
fn a_question_for_a_day_is_answered_by_that_day_in_its_order() {
    let machine = Machine::with_chat();
    let texts = |question: &str| {
        let answer = machine.because(["recall", "--json", question]).run().succeeds().json();
        let results = answer["results"].as_array().unwrap().iter();
        let text = |result: &serde_json::Value| {
            result["evidence"]["payload"]["text"].as_str().unwrap().to_owned()
        };
        (answer["abstains"] == true, results.map(text).collect::<Vec<_>>())
    };
    let (abstains, found) = texts("What did they talk about on 8 January 2025?");
    assert!(!abstains);
    assert!(found[0].starts_with("Which glaze") && found[1].starts_with("Tenmoku"), "{found:?}");
    let (abstains, _) = texts("What did they talk about on 9 January 2025?");
    assert!(abstains, "nobody talked on that day");
}

#[test]
fn show_and_log_print_records_and_their_signers() {
    let machine = Machine::with_chat();
    let log = machine.because(["log", "-n", "0", "--json"]).run().succeeds().json_lines();
    assert_eq!(log.len(), 6, "the beginning, four turns and the import");
    for line in &log {
        has(line, &["id", "header", "body", "salt", "sig", "position"]);
    }
    assert_eq!(log[0]["header"]["kind"], "space");
    let id = log[1]["id"].as_str().unwrap();
    let shown = machine.because(["show", id, "--json"]).run().succeeds().json();
    has(&shown, &["id", "header", "position", "cited_by", "verified", "fault"]);
    assert_eq!(shown["verified"], true);
    machine.because(["show", id]).run().succeeds().prints("Which glaze");
    assert_eq!(machine.because(["log", "-n", "2"]).run().succeeds().out().lines().count(), 2);
    assert_eq!(
        machine.because(["log", "--kind", "turn"]).run().succeeds().out().lines().count(),
        4
    );
    assert_eq!(machine.because(["log", "--since", "2100-01-01"]).run().succeeds().out(), "");
    machine.because(["log", "--author", "nobody"]).run().ends(2);
    let key = machine.because(["key", "--json"]).run().succeeds().json();
    has(&key, &["key", "path"]);
    let by_key = ["log", "-n", "0", "--author", key["key"].as_str().unwrap()];
    assert_eq!(machine.because(by_key).run().succeeds().out().lines().count(), 6);
}

#[test]
fn log_follow_prints_records_of_another_process() {
    use std::io::{BufRead, BufReader};
    let machine = Machine::with_chat();
    let mut follower = machine.because(["log", "-n", "1", "--follow", "--json"]).start();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["position"], 6);
    let id = machine.because(["remember", "followed", "--json"]).run().succeeds().json();
    let next: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&next["id"], &next["position"]), (&id["id"], &7.into()));
    follower.kill().unwrap();
    follower.wait().unwrap();
}

#[test]
fn status_verify_rebuild_and_doctor_describe_the_same_space() {
    let machine = Machine::with_chat();
    let status = machine.because(["status", "--json"]).run().succeeds().json();
    let fields = [
        "space",
        "name",
        "path",
        "author",
        "read_only",
        "operations",
        "evidence",
        "ledger_position",
    ];
    has(&status, &fields);
    has(&status, &["text_position", "size"]);
    assert_eq!((&status["ledger_position"], &status["evidence"]["turn"]), (&6.into(), &4.into()));
    let verified = machine.because(["verify", "--json"]).run().succeeds().json();
    has(&verified, &["operations", "findings", "finding_count", "views", "seconds"]);
    assert_eq!((&verified["sound"], &verified["operations"]), (&true.into(), &6.into()));
    let rebuilt = machine.because(["rebuild", "--json"]).run().succeeds().json();
    for (rebuilt, verified) in
        rebuilt["views"].as_array().unwrap().iter().zip(verified["views"].as_array().unwrap())
    {
        assert_eq!(rebuilt["digest"], verified["stored"]);
    }
    let doctor = machine.because(["doctor", "--json"]).run().succeeds().json();
    has(&doctor, &["ok", "checks"]);
    for check in doctor["checks"].as_array().unwrap() {
        has(check, &["name", "ok", "found", "advice"]);
    }
    for command in ["status", "verify", "rebuild", "doctor"] {
        assert!(!machine.because([command]).run().succeeds().out().is_empty());
    }
}

#[test]
fn demo_and_completions_need_no_setup_and_leave_no_files() {
    let machine = Machine::new();
    let demo = machine.because(["demo", "--json"]).run().succeeds().json();
    has(&demo, &["imports", "answers", "verification"]);
    assert_eq!(demo["sound"], true);
    machine.because(["demo"]).run().succeeds().prints("Sound");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        machine.because(["completions", shell]).run().succeeds().prints("because");
    }
    assert!(!machine.home().exists());
    assert_eq!(std::fs::read_dir(machine.work()).unwrap().count(), 0);
    let nowhere = machine.because(["demo"]).variable("TMPDIR", machine.work().join("missing"));
    nowhere.run().ends(1).says("missing");
}

#[test]
fn arguments_that_do_not_fit_are_refused_with_code_2() {
    let machine = Machine::with_space();
    let calls: &[&[&str]] = &[
        &[],
        &["remembr", "x"],
        &["recall"],
        &["recall", "-k", "0", "x"],
        &["recall", "-k", "1001", "x"],
        &["recall", "-k", "-1", "x"],
        &["recall", "--around", "11", "x"],
        &["import"],
        &["import", "--format", "papyrus", "x"],
        &["log", "-n", "many"],
        &["grant", "ed25519:short", "--can", "append"],
        &["grant", "ed25519:short"],
        &["completions", "sh"],
        &["--space", "a", "--space", "b", "status"],
    ];
    for call in calls {
        machine.because(*call).run().ends(2);
    }
    machine.because(["recall", "-k", "1000", "x"]).run().succeeds();
    machine.because(["--help"]).run().succeeds().prints("Exit codes");
    machine.because(["--version"]).run().succeeds();
}

#[test]
fn doctor_names_triggers_and_views_in_the_file() {
    let machine = Machine::with_space();
    machine.because(["doctor"]).run().succeeds();
    let connection = rusqlite::Connection::open(machine.space()).unwrap();
    connection
        .execute_batch(
            "CREATE TRIGGER swallow BEFORE INSERT ON op BEGIN SELECT RAISE(IGNORE); END;
             CREATE VIEW also AS SELECT 1;",
        )
        .unwrap();
    connection.close().unwrap();
    let doctor = machine.because(["doctor"]).run().ends(3).prints("trigger \"swallow\"");
    doctor.prints("view \"also\"").prints("because export");
}

#[test]
fn the_log_shows_the_time_of_a_record_and_on_request_when_it_was_recorded() {
    let machine = Machine::with_space();
    machine.because(["remember", "Ana moved", "--at", "2019-05-04T10:30"]).run().succeeds();
    machine.write("note.md", "# Bread\n\nRye, 400 g\n");
    machine.because(["import", "note.md", "--no-derive"]).run().succeeds();
    let year = jiff::Zoned::now().year().to_string();
    let printed = machine.because(["log", "--kind", "note"]).run().succeeds().out();
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].contains("  2019-05-04 10:30  evidence"), "{printed}");
    assert!(lines[1].contains("  undated           evidence"), "{printed}");
    let printed = machine.because(["log", "--recorded", "--kind", "note"]).run().succeeds().out();
    for line in printed.lines() {
        assert!(line.contains(&format!("  {year}-")), "{printed}");
    }
    let logged = machine.because(["log", "--kind", "note", "--json"]).run().succeeds().json_lines();
    assert_eq!(logged[0]["at"], "2019-05-04T10:30");
    assert_eq!(logged[1]["at"], serde_json::Value::Null);
    assert!(logged[0]["recorded_at"].as_str().unwrap().starts_with(&year), "{}", logged[0]);
}

#[test]
fn a_commit_is_found_by_its_hash_and_by_what_it_changed() {
    let machine = Machine::with_space();
    machine
        .shell(
            "mkdir repo && cd repo && git init -q && git config user.name Ana && \
             git config user.email a@example.org && mkdir -p src/kiln docs && \
             echo 1 > src/kiln/zone.rs && git add -A && git commit -qm 'fire the first zone' && \
             echo 2 > docs/zone.md && git add -A && git commit -qm 'say which zone is first' && \
             echo 3 > src/kiln.rs && git add -A && git commit -qm 'the first zone is hot, see src' && \
             echo 4 > Glaze.toml && git add -A && git commit -qm 'settings of the glaze'",
        )
        .run()
        .succeeds();
    machine.because(["import", "repo", "--no-derive"]).run().succeeds();
    let hash = machine.shell("git -C repo rev-parse HEAD~3").run().succeeds().out();
    let hash = hash.trim();
    let first = |question: &str| {
        let found = machine.because(["--json", "recall", question]).run().succeeds().json();
        let first = &found["results"][0];
        (first["named"] == true).then(|| {
            // Among other words, a path is not all that is asked.
            let is_answer = !question.contains("who changed");
            assert_eq!(found["relevance"] == 1.0, is_answer, "{question}: {}", found["relevance"]);
            first["evidence"]["payload"]["text"].as_str().unwrap().to_owned()
        })
    };
    let zone = Some("fire the first zone".to_owned());
    assert_eq!(first(hash), zone);
    assert_eq!(first(&hash[..7].to_uppercase()), zone);
    assert_eq!(first(&format!("What was `{}`, say which zone is first?", &hash[..9])), zone);
    assert_eq!(first("who changed src/kiln/zone.rs?"), zone);
    assert_eq!(first("./src/kiln/"), zone);
    assert_eq!(first("Glaze.toml").as_deref(), Some("settings of the glaze"));
    // Six digits are too few, and a folder or a bare name among words is a word.
    for words in [&hash[..6], "what is in src/kiln now", "what is in Glaze.toml", "src/kil/zone.rs"]
    {
        assert_eq!(first(words), None, "{words}");
    }
    let explained = ["recall", "--explain", "-k", "1", "src/kiln.rs"];
    machine.because(explained).run().succeeds().prints("the question names it");

    let changed = |paths: &[&str]| {
        let paths = paths.iter().flat_map(|path| ["--path", path]);
        let call = machine.because(["--json", "recall", "first zone", "--search", "episodes"]);
        let found = call.arguments(paths).run().succeeds().json();
        let results = found["results"].as_array().unwrap().iter();
        let mut texts: Vec<String> = results
            .map(|found| found["evidence"]["payload"]["title"].as_str().unwrap().to_owned())
            .collect();
        texts.sort();
        texts
    };
    assert_eq!(changed(&["src"]), ["fire the first zone", "the first zone is hot, see src"]);
    assert_eq!(changed(&["src/kiln/"]), ["fire the first zone"]);
    assert_eq!(changed(&["docs/zone.md", "src/kiln.rs"]).len(), 2);
    assert_eq!(changed(&["docs/zon"]), [""; 0]);
    assert_eq!(changed(&["nowhere"]), [""; 0]);

    // A repository is the same under another name, and a forgotten commit is found by nothing.
    machine.shell("mv repo moved").run().succeeds();
    machine.because(["import", "moved", "--no-derive"]).run().succeeds().prints("0 new, 4 already");
    let found = machine.because(["--json", "recall", hash]).run().succeeds().json();
    let id = found["results"][0]["id"].as_str().unwrap().to_owned();
    machine.because(["forget", &id, "--yes"]).run().succeeds();
    assert_eq!(first(hash), None);
    assert_eq!(changed(&["src/kiln"]), [""; 0]);
    machine.is_sound();
}

#[test]
fn a_dry_run_shows_what_is_new_or_changed() {
    let machine = Machine::with_space();
    for name in ["bread", "salt", "tea"] {
        machine.write(&format!("notes/{name}.md"), format!("# {name}\n\nSome {name}.\n"));
    }
    machine.because(["import", "notes", "--no-derive"]).run().succeeds();
    machine.write("notes/tea.md", "# tea\n\nNo tea.\n");
    machine.write("notes/zest.md", "# zest\n\nOf a lemon.\n");
    let dry = || machine.because(["import", "notes", "--dry-run"]).run().succeeds();
    let printed = dry().prints("would read 4 records, 1 new, 1 changed, 2 already there").out();
    assert!(printed.contains("tea: No tea.") && printed.contains("zest: Of a lemon."), "{printed}");
    assert!(!printed.contains("bread") && !printed.contains("more"), "{printed}");
    assert_eq!(dry().out(), printed, "nothing was written");
    machine.because(["import", "notes", "--no-derive"]).run().succeeds();
    let printed = dry().prints("would read 4 records, 0 new, 4 already there").out();
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

#[test]
fn a_filter_that_leaves_nothing_says_so_beside_the_result() {
    let machine = Machine::with_space();
    machine.because(["remember", "The kiln reads low."]).run().succeeds();
    for (arguments, said) in [
        (&["log", "--kind", "nosuch"][..], "No record has the kind nosuch; the kinds are: "),
        (&["log", "--since", "2090-01-01", "-n", "0"], "fits"),
        (&["log"], ""),
        (&["maintain", "retention", "--kind", "nosuch", "--older-than", "1"], "the kind nosuch"),
        (&["claim", "mine", "--session", "nosuch"], "nosuch"),
    ] {
        for form in [&[][..], &["--json"]] {
            let ran = machine.because(arguments.iter().copied()).arguments(form).run().succeeds();
            assert!(ran.err().contains(said), "{arguments:?} {ran}");
            assert_eq!(ran.err().is_empty(), said.is_empty(), "{arguments:?} {ran}");
        }
    }
}
