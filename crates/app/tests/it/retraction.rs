//! Taking many records back at once, by what they have in common.

use crate::beliefs::{Believing, HABIT, believing};
use crate::machine::Machine;

fn records(here: &Believing) -> u64 {
    here.json(&["status"])["evidence"]["note"].as_u64().unwrap_or(0)
}

#[test]
fn records_are_retracted_by_what_they_have_in_common_in_one_act() {
    let here = believing();
    let would = here.json(&["retract", "--source", "remember", "--dry-run"]);
    assert_eq!((&would["dry_run"], &would["actions"][0]["records"]), (&true.into(), &3.into()));
    assert!(would["recorded"].as_array().unwrap().is_empty(), "{would}");
    assert!(would["id"].is_null() && would["target"].is_null(), "{would}");
    assert_eq!(records(&here), 3);
    let what_if = here.json(&["what-if", "--without-source", "remember"]);
    let keys = |report: &serde_json::Value| -> Vec<String> {
        let changes = report["changes"].as_array().unwrap().iter();
        changes.map(|change| change["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(&what_if), keys(&would));
    let done = here.json(&["retract", "--source", "remember", "--yes"]);
    assert_eq!(done["recorded"].as_array().unwrap().len(), 3);
    assert!(keys(&done).iter().any(|key| key == HABIT), "{done}");
    assert_eq!(records(&here), 0);
    here.refuses(&["retract", "--source", "remember", "--yes"], "no_such_records");
}

#[test]
fn without_a_terminal_nothing_is_retracted_unless_it_is_confirmed() {
    let here = believing();
    here.refuses(&["retract", "--author", "me", "--source", "remember"], "no_such_records");
    here.refuses(&["retract", "--source", "remember"], "unconfirmed");
    here.refuses(&["retract"], "nothing_selected");
    here.run(&["retract", "--source", "remember"])
        .ends(2)
        .prints("If you retracted 3 records of source remember")
        .says("--yes");
    assert_eq!(records(&here), 3);
}

#[test]
fn an_author_without_records_is_answered_with_the_names_that_are_near() {
    let machine = Machine::with_chat();
    for command in ["retract", "restore", "forget"] {
        let refused = machine.because([command, "--author", "mar", "--dry-run"]).run();
        refused.ends(1).says("did you mean \"Mara\"");
    }
}

#[test]
fn several_records_are_retracted_by_id_at_once() {
    let here = believing();
    let named = ["retract", &here.notes[0], &here.notes[1], &here.notes[0]];
    let done = here.json(&named);
    assert_eq!(done["recorded"].as_array().unwrap().len(), 2);
    assert_eq!(records(&here), 1);
}

#[test]
fn a_note_of_a_folder_is_retracted_by_its_path() {
    let machine = Machine::with_space();
    machine.write("notes/a.md", "# A\n\none thing\n\n## B\n\nanother thing\n");
    machine.write("notes/b.md", "# B\n\na third thing\n");
    machine.because(["import", "notes"]).run().succeeds();
    let done = machine.because(["retract", "--file", "a.md", "--yes", "--json"]).run();
    assert_eq!(done.succeeds().json()["actions"][0]["records"], 2);
    let left = machine.because(["status", "--json"]).run().succeeds().json();
    assert_eq!(left["evidence"]["note"], 1);
}

#[test]
fn a_retraction_is_taken_back_and_what_stood_on_it_is_believed_again() {
    let here = believing();
    let before = here.run(&["claims", "--all", "--json"]).out();
    let retracted = here.json(&["retract", &here.notes[0], "--note", "not me"]);
    assert_ne!(here.run(&["claims", "--all", "--json"]).out(), before);
    here.refuses(&["withdraw", retracted["id"].as_str().unwrap()], "nothing_to_withdraw");
    let restored = here.json(&["restore", &here.notes[0], "--note", "it was me after all"]);
    assert_eq!(restored["actions"][0]["action"], "restored");
    assert_eq!(restored["actions"][0]["target"], here.notes[0].as_str());
    assert_eq!(here.run(&["claims", "--all", "--json"]).out(), before);
    here.refuses(&["restore", &here.notes[0]], "not_retracted");
    here.run(&["verify"]).succeeds();
}

#[test]
fn many_retractions_are_taken_back_at_once() {
    let here = believing();
    here.json(&["retract", "--source", "remember", "--yes"]);
    here.refuses(&["restore", "--source", "remember"], "unconfirmed");
    let would = here.json(&["restore", "--source", "remember", "--dry-run"]);
    assert_eq!((&would["dry_run"], &would["actions"][0]["records"]), (&true.into(), &3.into()));
    assert_eq!(records(&here), 0);
    here.json(&["restore", "--source", "remember", "--yes"]);
    assert_eq!(records(&here), 3);
    here.refuses(&["restore", "--source", "remember", "--yes"], "no_such_records");
}

#[test]
fn an_import_is_listed_and_undone_by_its_id() {
    let machine = Machine::with_space();
    machine.because(["imports"]).run().succeeds().says("Nothing was imported");
    machine.write("notes/a.md", "# A\n\none thing\n");
    machine.write("notes/b.md", "# B\n\nanother thing\n");
    machine.because(["import", "notes"]).run().succeeds();
    machine.write("notes/c.md", "# C\n\na third thing\n");
    let second = machine.because(["import", "notes", "--json"]).run().succeeds().json();
    let listed = machine.because(["imports", "--json"]).run().succeeds().json_lines();
    assert_eq!((listed.len(), &listed[0]["id"]), (2, &second["sources"][0]["import"]));
    assert_eq!((&listed[0]["added"], &listed[0]["present"]), (&1.into(), &2.into()));
    machine
        .because(["imports"])
        .run()
        .succeeds()
        .prints("notes (markdown): 1 new, 2 already there");
    machine.because(["log"]).run().succeeds().prints("import");
    let id = listed[0]["id"].as_str().unwrap();
    machine.because(["show", id]).run().succeeds().prints("\"path\": \"notes\"");
    machine.because(["retract", "--import", id, "--yes"]).run().succeeds();
    let left = machine.because(["status", "--json"]).run().succeeds().json();
    assert_eq!(left["evidence"]["note"], 2);
    machine.is_sound();
}

#[test]
fn a_mirror_retracts_what_is_gone_and_asks_before_it_retracts_most() {
    let machine = Machine::with_space();
    for name in ["a", "b", "c", "d"] {
        machine.write(&format!("notes/{name}.md"), format!("a thing called {name}\n"));
    }
    machine.because(["import", "notes"]).run().succeeds();
    std::fs::remove_file(machine.work().join("notes/a.md")).unwrap();
    let dry = machine.because(["import", "--mirror", "--dry-run", "notes"]).run().succeeds();
    assert!(dry.out().contains("would be retracted: 1 record"), "{dry}");
    assert!(dry.out().contains("already there"), "{dry}");
    machine.because(["import", "--mirror", "notes"]).run().succeeds().prints("1 retracted");
    std::fs::remove_file(machine.work().join("notes/b.md")).unwrap();
    std::fs::remove_file(machine.work().join("notes/c.md")).unwrap();
    let refused = machine.because(["import", "--mirror", "notes", "--json"]).run().ends(2);
    assert_eq!(refused.error_code(), "unconfirmed");
    let done = machine.because(["import", "--mirror", "--yes", "notes", "--json"]).run();
    assert_eq!(done.succeeds().json()["sources"][0]["retracted"], 2);
    let left = machine.because(["status", "--json"]).run().succeeds().json();
    assert_eq!(left["evidence"]["note"], 1);
    machine.write("chat.txt", "Just a text.\n");
    let refused = machine.because(["import", "--mirror", "chat.txt", "--json"]).run().ends(2);
    assert_eq!(refused.error_code(), "not_mirrorable");
    machine.is_sound();
}

#[test]
fn a_record_is_corrected_on_the_command_line() {
    let here = believing();
    let corrected = here.json(&[
        "correct",
        &here.notes[0],
        "--text",
        "gym number one thousand",
        "--at",
        "2025-03-01",
    ]);
    assert_eq!(corrected["actions"][0]["action"], "corrected");
    let found = here.run(&["recall", "gym number one thousand"]).succeeds().out();
    assert!(
        found.contains("gym number one thousand") && !found.contains("gym number 0"),
        "{found}"
    );
    here.refuses(&["correct", &here.notes[0], "--text", "again"], "superseded");
    here.refuses(&["correct", HABIT, "--text", "Never goes to the gym"], "text_alone");
    here.refuses(&["correct", &here.notes[1], "--text", "x", "--at", "someday"], "time_malformed");
}

#[test]
fn of_two_versions_under_one_id_the_last_counts_and_importing_again_changes_nothing() {
    let machine = Machine::with_space();
    let event = |name: &str, day: u32, summary: &str| {
        let lines = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "BEGIN:VEVENT",
            "UID:dentist@example.org",
            "DTSTAMP:20250101T000000Z",
            &format!("DTSTART:202503{day}T100000Z"),
            &format!("SUMMARY:{summary}"),
            "END:VEVENT",
            "END:VCALENDAR",
        ];
        machine.write(&format!("downloads/{name}"), lines.join("\r\n"))
    };
    event("basic (1).ics", 12, "Dentist in the morning");
    let last = event("basic.ics", 10, "Dentist at noon");
    let import = |more: &[&str]| {
        let import = machine.because(["import", "downloads", "--json"]).arguments(more);
        let report = import.run().succeeds().json();
        let of = |name: &str| report["sources"][0][name].as_u64().unwrap();
        (of("added"), of("replaced"), of("present"))
    };
    assert_eq!(import(&["--dry-run"]), (1, 1, 0));
    assert_eq!(import(&[]), (1, 1, 0));
    assert_eq!(import(&["--dry-run"]), (0, 0, 2));
    assert_eq!(import(&[]), (0, 0, 2));
    let found = machine.because(["recall", "dentist", "--json"]).run().succeeds().out();
    assert!(found.contains("at noon") && !found.contains("morning"), "{found}");
    // The source went back to the first version.
    std::fs::remove_file(last).unwrap();
    assert_eq!(import(&["--dry-run"]), (0, 1, 0));
    assert_eq!(import(&[]), (0, 1, 0));
    assert_eq!(import(&[]), (0, 0, 1));
    machine.is_sound();
}

#[test]
fn a_correction_in_the_same_words_confirms_and_nothing_falls() {
    let machine = Machine::with_space();
    let claim = crate::graph::add(&machine, &["The kiln is gas."]);
    let built = crate::graph::add(&machine, &["Buy gas.", "--source", &claim]);
    crate::graph::json(&machine, &["correct", &claim, "--text", "The kiln is gas."]);
    assert_eq!(crate::graph::statuses(&machine, &[&built]), ["active"]);
    crate::graph::json(&machine, &["withdraw", &claim]);
    crate::graph::json(&machine, &["correct", &claim, "--text", "The kiln is electric."]);
    assert_eq!(crate::graph::statuses(&machine, &[&built]), ["invalidated"]);
}

#[test]
fn what_was_mined_is_retracted_and_restored() {
    let machine = Machine::with_space();
    machine.because(["remember", "We decided to fire the kiln on Friday."]).run().succeeds();
    machine.because(["claim", "mine"]).run().succeeds();
    let mined = machine.because(["claim", "list", "--json"]).run().succeeds().json_lines();
    let id = mined[0]["op_id"].as_str().unwrap().to_owned();
    machine.because(["claim", "retract", &id]).run().succeeds();
    assert_eq!(crate::graph::statuses(&machine, &[&id]), ["retracted"]);
    machine.because(["restore", &id]).run().succeeds();
    assert_eq!(crate::graph::statuses(&machine, &[&id]), ["active"]);
}
