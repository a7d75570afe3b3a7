//! Forgetting on the command line, and what is left of the words in any file.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::embeddings::server;
use crate::machine::Machine;
use crate::samples::{Dice, long_chat};

/// The shortest run of bytes that nobody writes by chance.
const RUN_BYTES: usize = 8;
/// A note, and the title and place of a weekly event.
const NOTE: &str =
    "Zephyrine Quokkasson keeps her vermilion kayak beneath the Jabberwock lighthouse all winter";
const TITLE: &str = "Xylophone rehearsal before moonlit carnivals";
const PLACE: &str = "Obadiah Wintergreen Conservatory";
const CORRECTED: &str = "Bassoon practice below Mulberry cellars";

/// Runs of the forgotten words, as written and in lower case.
fn runs() -> HashSet<Vec<u8>> {
    let words = [NOTE, TITLE, PLACE, CORRECTED];
    let forms = words.iter().flat_map(|text| [(*text).to_owned(), text.to_lowercase()]);
    forms
        .flat_map(|text| text.as_bytes().windows(RUN_BYTES).map(<[u8]>::to_vec).collect::<Vec<_>>())
        .collect()
}

/// Where such runs are in the files of a folder, at any depth.
fn traces(folder: &Path) -> Vec<String> {
    let runs = runs();
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            for run in bytes.windows(RUN_BYTES).filter(|run| runs.contains(*run)) {
                found.push(format!("{}: {}", path.display(), String::from_utf8_lossy(run)));
            }
        }
    }
    found
}

/// The folders in which the program keeps anything.
fn all_traces(machine: &Machine) -> Vec<String> {
    let mut found = traces(&machine.work().join(".because"));
    found.extend(traces(&machine.home()));
    found
}

/// A weekly event from January to March.
fn calendar() -> String {
    let mut text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//x//EN\r\n".to_owned();
    for week in 0..10 {
        let (month, day) = (1 + week / 4, 6 + 7 * (week % 4));
        text.push_str(&format!(
            "BEGIN:VEVENT\r\nUID:r{week}@x\r\nDTSTAMP:20250101T000000Z\r\nDTSTART:2025{month:02}{day:02}T180000Z\r\nDTEND:2025{month:02}{day:02}T200000Z\r\nSUMMARY:{TITLE}\r\nLOCATION:{PLACE}\r\nEND:VEVENT\r\n"
        ));
    }
    text + "END:VCALENDAR\r\n"
}

/// A space in which everything that stores text has stored the words. Sources lie elsewhere.
fn used(machine: &Machine) -> String {
    machine.write("sources/notes/kayak.md", NOTE);
    machine.write("sources/Xylophone rehearsal.ics", calendar());
    machine.write("sources/chat.jsonl", crate::samples::CHAT);
    let server = server();
    let run = |arguments: &[&str]| machine.with(&server, arguments).run().succeeds();
    run(&["import", "sources/notes", "sources/Xylophone rehearsal.ics", "sources/chat.jsonl"]);
    run(&["embed"]);
    let claims: Vec<Value> = run(&["claims", "--all", "--json"]).json_lines();
    let of_title: Vec<&str> = claims
        .iter()
        .filter(|claim| claim["text"].as_str().unwrap().to_lowercase().contains("xylophone"))
        .map(|claim| claim["key"].as_str().unwrap())
        .collect();
    let key = of_title.first().unwrap_or_else(|| panic!("{claims:?}"));
    run(&["correct", key, "--text", CORRECTED, "--set", &format!("title={CORRECTED}")]);
    run(&["recall", "Where is the vermilion kayak of Zephyrine Quokkasson?"]);
    let turn = "Sam: Where does Zephyrine Quokkasson keep her vermilion kayak?";
    run(&["context", "--agent", "claude", "--session", "s9", "--turn", turn]);
    let echo = format!(
        r#"{{"session":"s9","speaker":"claude","role":"assistant","time":"2025-04-01T10:00:00Z","text":"{NOTE}"}}"#
    );
    machine.write("sources/echo.jsonl", echo + "\n");
    run(&["import", "sources/echo.jsonl"]);
    (*key).to_owned()
}

#[test]
fn what_is_forgotten_is_in_no_file_and_stays_forgotten() {
    let machine = Machine::with_space();
    used(&machine);
    assert!(!all_traces(&machine).is_empty());
    let notes = machine
        .because(["forget", "--source", "markdown", "--reason", "she asked", "--yes", "--json"])
        .run()
        .succeeds()
        .json();
    assert_eq!((&notes["selected"], &notes["echoes"]), (&1.into(), &1.into()), "{notes}");
    let plan = machine.because(["forget", "--source", "ical", "--dry-run", "--json"]).run();
    let plan = plan.succeeds().json();
    assert!(!plan["falls"].as_array().unwrap().is_empty(), "{plan}");
    assert_eq!(plan["words_forgotten"].as_array().unwrap().len(), 1, "{plan}");
    assert!(plan["recorded"].as_array().unwrap().is_empty(), "{plan}");
    let hypothesis = ["what-if", "--forget", "--without-source", "ical", "--json"];
    let what_if = machine.because(hypothesis).run().succeeds().json();
    assert_eq!(what_if["dry_run"], true);
    assert_eq!(what_if["actions"][0]["action"], "forgot", "{what_if}");
    let keys = |list: &Value| -> std::collections::BTreeSet<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|change| change["key"].as_str().unwrap().to_owned()).collect()
    };
    let mut listed = keys(&plan["falls"]);
    listed.extend(keys(&plan["derived_anew"]));
    assert_eq!(keys(&what_if["changes"]), listed);
    assert_eq!(what_if["forget"], plan);
    let in_words = machine.because(["what-if", "--forget", "--without-source", "ical"]).run();
    in_words.succeeds().prints("Your own words that would go:").prints("If you forgot");
    machine.because(["what-if", "--forget"]).run().ends(2).says("no record is named");
    let one = machine.because(["what-if", "--forget", plan["records"][0]["id"].as_str().unwrap()]);
    one.run().succeeds().prints("If you forgot").prints("Nothing was written");
    let events =
        machine.because(["forget", "--source", "ical", "--yes", "--json"]).run().succeeds().json();
    assert_eq!(events["falls"], plan["falls"]);
    assert_eq!(events["is_erased"], true);
    assert_eq!(all_traces(&machine), Vec::<String>::new());
    machine.is_sound();
    machine.because(["recall", "walnuts"]).run().succeeds().prints("Jonas");
    machine.because(["rebuild"]).run().succeeds();
    assert_eq!(all_traces(&machine), Vec::<String>::new());

    let record = notes["recorded"][0].as_str().unwrap().to_owned();
    let redaction = machine.because(["show", &record, "--json"]).run().succeeds().json();
    let target = redaction["header"]["refs"][0]["id"].as_str().unwrap().to_owned();
    machine
        .because(["show", &target])
        .run()
        .succeeds()
        .prints("forgotten on ")
        .prints("because she asked");
    let again = ["import", "sources/notes", "--json"];
    let report = machine.because(again).run().succeeds().json();
    assert_eq!(report["sources"][0]["forgotten"], 1, "{report}");
    machine.because(["import", "sources/notes"]).run().succeeds().prints("--again");
    assert_eq!(all_traces(&machine), Vec::<String>::new());
    let report = machine.because(again).arguments(["--again"]).run().succeeds().json();
    assert_eq!(report["sources"][0]["added"], 1, "{report}");
    machine.because(["recall", "kayak"]).run().succeeds().prints("Zephyrine");
}

#[test]
fn a_renamed_or_edited_file_brings_forgotten_text_back_as_the_help_says() {
    let machine = Machine::with_space();
    machine.write("notes/a.md", "# Trip\n\nThe surprise is a boat.\n");
    let import = |path: &str| {
        let report = machine.because(["import", path, "--json"]).run().succeeds().json();
        let tally = &report["sources"][0];
        (tally["added"].as_u64().unwrap(), tally["forgotten"].as_u64().unwrap())
    };
    let forget = || {
        let arguments = ["forget", "--source", "markdown", "--yes"];
        machine.because(arguments).run().succeeds();
    };
    assert_eq!(import("notes"), (1, 0));
    forget();
    assert_eq!(import("notes"), (0, 1), "the same");
    machine.write("elsewhere/a.md", "# Trip\n\nThe surprise is a boat.\n");
    assert_eq!(import("elsewhere"), (0, 1), "the same in another folder");
    machine.write("renamed/b.md", "# Trip\n\nThe surprise is a boat.\n");
    assert_eq!(import("renamed"), (1, 0), "renamed");
    forget();
    machine.write("notes/a.md", "# Trip\n\nThe surprise is a boat!\n");
    assert_eq!(import("notes"), (1, 0), "edited");
    for command in ["import", "forget"] {
        machine.because([command, "--help"]).run().succeeds().prints("brings");
    }
}

#[test]
fn what_somebody_typed_can_be_taken_back_while_the_belief_stays() {
    let machine = Machine::with_space();
    let key = used(&machine);
    machine.because(["forget", "--source", "markdown", "--yes"]).run().succeeds();
    let note = "not in the Mulberry cellars";
    let typed = |said: &str| -> Vec<String> {
        let left = all_traces(&machine);
        assert!(!left.is_empty());
        let run = |line: &String| said.contains(line.split(": ").nth(1).unwrap());
        left.into_iter().filter(run).collect()
    };
    let corrections = ["log", "--kind", "claim_correction", "-n", "1", "--json"];
    let correction = machine.because(corrections).run().succeeds().json_lines()[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let plan = machine.because(["forget", &correction, "--dry-run"]).run().succeeds();
    plan.prints("Your own words that would go:").prints("instead of").prints(CORRECTED);
    machine.because(["forget", &correction, "--yes"]).run().succeeds();
    assert_eq!(typed(CORRECTED), Vec::<String>::new());
    machine.because(["explain", &key]).run().succeeds().prints(TITLE);

    machine.because(["refute", &key, "--note", note]).run().succeeds();
    let refutations = ["log", "--kind", "claim_refutation", "-n", "1", "--json"];
    let refutation = machine.because(refutations).run().succeeds().json_lines()[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let done = machine.because(["forget", &refutation, "--yes", "--json"]).run().succeeds().json();
    assert_eq!(done["words_again"][0]["key"], key, "{done}");
    machine.because(["claims", "--state", "refuted", "--json"]).run().succeeds().prints(&key);
    assert_eq!(typed(note), Vec::<String>::new());
    machine.is_sound();
}

#[test]
fn the_reason_of_a_retraction_is_forgotten_alone_or_with_its_record() {
    let machine = Machine::with_space();
    machine.because(["remember", "The kiln is cold."]).run().succeeds();
    let last = |kind: &str| {
        let log = machine.because(["log", "--kind", kind, "-n", "1", "--json"]).run().succeeds();
        log.json()["id"].as_str().unwrap().to_owned()
    };
    let note = last("note");
    let retract = ["retract", &note, "--note", "Quokkasson told me so"];
    machine.because(retract).run().succeeds();
    let retraction = last("evidence_retraction");
    let planned = machine.because(["forget", &retraction, "--dry-run"]).run().succeeds();
    planned.prints("Quokkasson told me so");
    machine.because(["forget", &retraction, "--yes"]).run().succeeds();
    let shown = machine.because(["show", &retraction]).run().succeeds();
    assert!(!shown.out().contains("Quokkasson"), "{shown}");
    machine.because(["show", &note]).run().succeeds().prints("The kiln is cold.");
    machine.because(["recall", "kiln"]).run().succeeds().prints("Nothing");
    machine.is_sound();
    machine.because(["restore", &note]).run().succeeds();
    machine.because(["recall", "kiln"]).run().succeeds().prints("The kiln is cold.");
    machine.because(retract).run().succeeds();
    let second = last("evidence_retraction");
    machine.because(["forget", &note, "--yes"]).run().succeeds();
    let shown = machine.because(["show", &second]).run().succeeds();
    assert!(!shown.out().contains("Quokkasson"), "{shown}");
    machine.is_sound();
}

#[test]
fn other_devices_forget_after_an_exchange() {
    let machine = Machine::with_space();
    used(&machine);
    machine.because(["export", "--out", "sources/before.jsonl"]).run().succeeds();
    let copy = |arguments: &[&str]| {
        let phone = machine.because(arguments).at_home(&machine.work().join("phone-home"));
        phone.variable("BECAUSE_SPACE", "phone/space.db").run().succeeds()
    };
    copy(&["import", "sources/before.jsonl"]);
    assert!(!traces(&machine.work().join("phone")).is_empty());
    machine.because(["forget", "--source", "markdown", "--yes"]).run().succeeds();
    machine.because(["forget", "--source", "ical", "--yes"]).run().succeeds();
    machine.because(["export", "--out", "sources/after.jsonl"]).run().succeeds();
    let export = std::fs::read(machine.work().join("sources/after.jsonl")).unwrap();
    let runs = runs();
    assert!(!export.windows(RUN_BYTES).any(|run| runs.contains(run)));
    copy(&["import", "sources/after.jsonl"]);
    for folder in ["phone", "phone-home"] {
        assert_eq!(traces(&machine.work().join(folder)), Vec::<String>::new());
    }
    assert_eq!(copy(&["verify", "--json"]).json()["sound"], true);
    // An old export does not bring it back.
    machine.because(["import", "sources/before.jsonl"]).run().succeeds();
    assert_eq!(all_traces(&machine), Vec::<String>::new());
    machine.is_sound();
}

/// What a person said about a record, or about a belief, since the last exchange and before
/// forgetting it reaches the other copy without a body, before the redaction that says why.
#[test]
fn words_that_a_copy_never_had_whole_do_not_block_an_exchange() {
    for said in [
        &["retract ID"][..],
        &["retract ID", "restore ID"],
        &["correct preference.food|olives --text"],
        &["refute preference.food|olives", "withdraw preference.food|olives"],
        &["refute preference.food|olives"],
    ] {
        let machine = Machine::with_space();
        let run = |arguments: &[&str]| machine.because(arguments).run().succeeds();
        let phone = |arguments: &[&str]| {
            let call = machine.because(arguments).at_home(&machine.work().join("phone-home"));
            call.variable("BECAUSE_SPACE", "phone.db").run()
        };
        let id = run(&["remember", "I love olives.", "--json"]).json()["id"]
            .as_str()
            .unwrap()
            .to_owned();
        run(&["export", "--out", "e.jsonl"]);
        phone(&["import", "e.jsonl"]).succeeds();
        for step in said {
            match *step {
                "correct preference.food|olives --text" => {
                    run(&["correct", "preference.food|olives", "--text", "You adore olives"]);
                }
                step => {
                    let named = step.replace("ID", &id);
                    run(&named.split(' ').collect::<Vec<_>>());
                }
            }
        }
        run(&["forget", &id, "--yes"]);
        run(&["remember", "The kiln is new."]);
        run(&["export", "--out", "e.jsonl"]);
        phone(&["import", "e.jsonl"]).succeeds();
        let found = phone(&["recall", "olives kiln"]).succeeds().out();
        assert!(!found.contains("olives") && found.contains("kiln"), "{said:?}: {found}");
        assert_eq!(phone(&["verify", "--json"]).succeeds().json()["sound"], true, "{said:?}");
        machine.is_sound();
    }
}

#[test]
fn nothing_is_forgotten_without_a_question_or_yes() {
    let machine = Machine::with_chat();
    let refuses = |arguments: &[&str], code: &str| {
        let ran = machine.because(arguments.iter().chain(&["--json"])).run();
        assert_eq!(ran.ends(2).error_code(), code);
    };
    refuses(&["forget", "--source", "chat-jsonl"], "unconfirmed");
    refuses(&["forget"], "nothing_selected");
    let ran = machine.because(["forget", "--source", "chat-jsonl"]).run();
    ran.ends(2).prints("4 records of source chat-jsonl would go").says("--yes");
    machine
        .because(["forget", "--author", "Mara", "--dry-run"])
        .run()
        .succeeds()
        .prints("Nothing was written");
    machine.because(["recall", "walnuts"]).run().succeeds().prints("Jonas is allergic");
    let note = ["remember", "The safe has a code", "--actor", " ", "--tag", "", "--json"];
    let noted = machine.because(note).run().succeeds().json();
    let id = noted["id"].as_str().unwrap().to_owned();
    // Blank names are not kept.
    let kept = machine.because(["show", &id, "--json"]).run().succeeds().json();
    let kept = kept.to_string();
    assert!(!kept.contains("\"actor\":\" \"") && !kept.contains("\"tags\":[\"\"]"), "{kept}");
    machine.because(["forget", &id, "--yes"]).run().succeeds();
    let again = machine.because(["forget", &id, "--yes"]).run();
    again.ends(1).says("that was not forgotten already");
    for asked in [&["restore", &id], &["retract", &id], &["what-if", "--retract", &id][..]] {
        let refused = machine.because(asked).run().ends(1).says("cannot be restored");
        assert!(!refused.err().contains("because restore"), "{refused}");
        let refused = machine.because(asked.iter().chain(&["--json"])).run().ends(1);
        assert_eq!(refused.error_code(), "forgotten");
    }
    machine.because(["forget", "--finish"]).run().succeeds().prints("Nothing that was forgotten");
}

#[test]
fn a_killed_forget_has_forgotten_everything_or_nothing() {
    const KILLS: usize = 12;
    let machine = Machine::with_space();
    machine.write("sources/chat.jsonl", long_chat(400));
    machine.write("sources/notes/kayak.md", NOTE);
    machine
        .because(["import", "--no-derive", "sources/chat.jsonl", "sources/notes"])
        .run()
        .succeeds();
    let whole = std::fs::read(machine.space()).unwrap();
    let remove_log = || {
        for suffix in ["-wal", "-shm"] {
            let log = machine.work().join(format!(".because/space.db{suffix}"));
            let _ = std::fs::remove_file(log);
        }
    };
    let forget = || machine.because(["forget", "--source", "markdown", "--yes"]);
    let begun = Instant::now();
    forget().run().succeeds();
    let forget_us = begun.elapsed().as_micros() as u64;
    let mut dice = Dice(0x0066_6f72_6765_7421);
    let (mut before, mut after) = (0, 0);
    for round in 0..KILLS {
        remove_log();
        std::fs::write(machine.space(), &whole).unwrap();
        let mut running = forget().start();
        std::thread::sleep(Duration::from_micros(dice.below(forget_us)));
        running.kill().unwrap();
        running.wait().unwrap();
        let found =
            machine.because(["recall", "vermilion kayak", "--json"]).run().succeeds().json();
        let found = found["results"].to_string().contains("Zephyrine");
        machine.because(["remember", "the next writer"]).run().succeeds();
        let left = all_traces(&machine);
        if found {
            before += 1;
            assert!(!left.is_empty());
        } else {
            after += 1;
            assert_eq!(left, Vec::<String>::new(), "round {round}");
        }
        if round % 4 == 3 {
            machine.is_sound();
        }
    }
    println!("{before} kills before, {after} after");
}

#[test]
fn nodes_that_were_made_from_what_goes_are_shown_first() {
    let machine = Machine::with_space();
    let note = machine.because(["--json", "remember", "note one"]).run().succeeds().json();
    let note = note["id"].as_str().unwrap().to_owned();
    let node = ["node", "add", "--type", "decision", "Close the shop", "--source", &note];
    machine.because(node).run().succeeds();
    let plan = machine.because(["--json", "forget", &note, "--dry-run"]).run().succeeds().json();
    assert_eq!(plan["made_from_it"], 1, "{plan}");
    assert_eq!(plan["made"][0]["summary"], "Close the shop");
    machine.because(["forget", &note, "--dry-run"]).run().succeeds().prints("Close the shop");
}

#[test]
fn nothing_is_joined_to_what_was_forgotten() {
    let machine = Machine::with_space();
    let id = |arguments: &[&str]| {
        let answer = machine.because(arguments).run().succeeds().json();
        answer["id"].as_str().unwrap().to_owned()
    };
    let note = id(&["--json", "remember", "The kiln reads twenty degrees low"]);
    let node = id(&["--json", "node", "add", "--type", "decision", "Fire at cone six"]);
    machine.because(["forget", "--yes", &note]).run().succeeds();
    for (from, to) in [(&node, &note), (&note, &node)] {
        let edge = ["--json", "edge", "add", "--type", "depends_on", "--from", from, "--to", to];
        let refused = machine.because(edge).run();
        assert_eq!(refused.ends(1).error_code(), "unknown_ref");
    }
    machine.is_sound();
}

#[test]
fn the_words_of_a_correction_go_and_the_stated_claim_and_what_was_made_from_it_stay() {
    use crate::graph::{add, id_of, json, texts};

    for has_source in [true, false] {
        let machine = Machine::with_space();
        let record = id_of(&json(&machine, &["remember", "Mara said the clay is red"]));
        let source: &[&str] = if has_source { &["--source", &record] } else { &[] };
        let claim = add(&machine, &[&["Red clay."], source].concat());
        let node =
            ["node", "add", "The red clay of the bowls", "--type", "decision", "--source", &claim];
        json(&machine, &node);
        let first = json(&machine, &["correct", &claim, "--text", "Secret first words"]);
        json(&machine, &["correct", &claim, "--text", "Brown clay."]);
        let first = first["recorded"][0].as_str().unwrap().to_owned();
        json(&machine, &["forget", &first, "--yes"]);
        assert_eq!(texts(&machine, &["claims"]), ["Brown clay."], "{has_source}");
        let second = json(&machine, &["claims"]);
        let second = second["op_id"].as_str().unwrap().to_owned();
        json(&machine, &["forget", &second, "--yes"]);
        assert_eq!(texts(&machine, &["claims"]), ["Red clay."], "{has_source}");
        let nodes = texts(&machine, &["node", "list"]);
        assert!(nodes.contains(&"The red clay of the bowls".to_owned()), "{nodes:?}");
        machine.is_sound();
    }
}

#[test]
fn what_was_refuted_stays_refuted_when_its_note_is_forgotten() {
    use crate::graph::{add, json};

    let machine = Machine::with_space();
    let claim = add(&machine, &["Red clay."]);
    let refuted = json(&machine, &["refute", &claim, "--note", "a secret"]);
    let refutation = refuted["recorded"][0].as_str().unwrap();
    json(&machine, &["forget", refutation, "--yes"]);
    machine.because(["claim", "add", "Red clay."]).run().says("refuted");
    machine.is_sound();
}

#[test]
fn a_second_correction_in_words_replaces_the_data_of_the_first() {
    use crate::graph::{add, id_of, json, texts};

    let machine = Machine::with_space();
    let claim = add(&machine, &["Red clay."]);
    let first = json(&machine, &["correct", &claim, "--text", "Brown clay."]);
    let first = first["recorded"][0].as_str().unwrap();
    let built = json(&machine, &["claim", "add", "Built on brown", "--source", first]);
    json(&machine, &["correct", &claim, "--text", "Grey clay."]);
    assert_eq!(texts(&machine, &["claims"]), ["Grey clay."]);
    let shown = json(&machine, &["claim", "show", &claim]);
    assert_eq!((&shown["text"], &shown["payload"]), (&"Grey clay.".into(), &"Grey clay.".into()));
    assert_eq!(json(&machine, &["claim", "show", &id_of(&built)])["status"], "invalidated");
}
