//! Marks, archives, and what is erased once it is archived, on the command line.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::Space;
use engine::maintain::archive::ArchiveNote;
use kernel::seal::Signer;
use serde_json::Value;

use crate::machine::{BECAUSE, Machine};
use crate::samples::{Dice, long_chat};

/// Words that nobody writes by chance.
const NOTE: &str = "Zephyrine Quokkasson keeps her vermilion kayak beneath the Jabberwock";
/// How often a removal is killed.
const KILLS: usize = 12;
/// The seed of the moments.
const SEED: u64 = 0x6d61_696e_7461_696e;

fn run(machine: &Machine, arguments: &[&str]) -> Value {
    let with_json = arguments.iter().chain(&["--json"]);
    machine.because(with_json).run().succeeds().json()
}

fn remember(machine: &Machine, text: &str) -> String {
    run(machine, &["remember", text])["id"].as_str().unwrap().to_owned()
}

/// What of `texts` is in the files that the program keeps, other than archives.
fn traces(machine: &Machine, texts: &[&str]) -> Vec<PathBuf> {
    fn look(folder: &Path, texts: &[&str], found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path.file_name().unwrap() != "archive" {
                    look(&path, texts, found);
                }
                continue;
            }
            let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
            let has = |text: &&str| {
                let text = text.to_ascii_lowercase();
                bytes.windows(text.len()).any(|run| run == text.as_bytes())
            };
            if texts.iter().any(has) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    look(&machine.work().join(".because"), texts, &mut found);
    look(&machine.home(), texts, &mut found);
    found
}

/// Exports what is marked, whenever it was, and returns the report.
fn export(machine: &Machine, format: &str) -> Value {
    run(machine, &["maintain", "export", "--older-than", "0", "--format", format])
}

fn finalize(machine: &Machine) -> Value {
    run(machine, &["maintain", "finalize", "--older-than", "0", "--yes"])
}

fn path_of(report: &Value) -> PathBuf {
    PathBuf::from(report["file"].as_str().unwrap())
}

#[test]
fn marks_are_listed_and_names_that_fit_nothing_leave_the_others() {
    let machine = Machine::with_space();
    let id = remember(&machine, NOTE);
    let marked = machine.because(["maintain", "mark", &id, "b3:0000", "--json"]).run().ends(4);
    let marked = marked.json();
    assert_eq!((&marked["count"], &marked["skipped"][0]["why"]), (&1.into(), &"unknown".into()));
    let list = run(&machine, &["maintain", "list"]);
    assert_eq!((&list["removals"][0]["id"], &list["eligible"]), (&id.clone().into(), &0.into()));
    let none = run(&machine, &["maintain", "list", "--eligible"]);
    assert!(none["removals"].as_array().unwrap().is_empty());
    let now = machine.because(["maintain", "list", "--json"]).variable("SURR_RETENTION_DAYS", "0");
    assert_eq!(now.run().succeeds().json()["eligible"], 1);
    machine.because(["maintain", "list"]).run().succeeds().prints("vermilion kayak");
    run(&machine, &["maintain", "unmark", &id]);
    machine.because(["maintain", "list"]).run().succeeds().prints("Nothing is marked");
    let wrong =
        machine.because(["maintain", "list", "--json"]).variable("BECAUSE_RETENTION_DAYS", "x");
    assert_eq!(wrong.run().ends(2).error_code(), "variable");
    let nothing = machine.because(["maintain", "mark", "--json"]).run().ends(2);
    assert_eq!(nothing.error_code(), "nothing_selected");
}

// Case 20 of the cases for consolidation.
#[test]
fn what_may_be_removed_and_is_not_exported_is_refused() {
    let machine = Machine::with_space();
    let id = remember(&machine, NOTE);
    run(&machine, &["maintain", "mark", &id]);
    let arguments = ["maintain", "finalize", "--older-than", "0", "--yes", "--json"];
    let refused = machine.because(arguments).run().ends(1);
    assert_eq!(refused.error_code(), "not_archived");
    assert!(!traces(&machine, &[NOTE]).is_empty());
    // Without eligible records nothing is refused and nothing is done.
    let early = run(&machine, &["maintain", "finalize", "--yes"]);
    assert_eq!((&early["eligible"], &early["records"]), (&0.into(), &0.into()));
}

// Cases 21 and 22 of the cases for consolidation.
#[test]
fn what_is_exported_is_erased_and_comes_back_whole() {
    for (format, magic) in [("parquet", "PAR1"), ("jsonl", "{\"au")] {
        let machine = Machine::with_space();
        let id = remember(&machine, NOTE);
        let kept = remember(&machine, "Bluebells bloom in April");
        run(
            &machine,
            &["node", "add", "--type", "summary", "Quokkasson has a kayak", "--source", &id],
        );
        run(&machine, &["recall", "vermilion kayak"]);
        run(&machine, &["maintain", "mark", &id]);
        let dry = ["maintain", "export", "--older-than", "0", "--dry-run"];
        assert_eq!(run(&machine, &dry)["file"], Value::Null);
        let report = export(&machine, format);
        assert_eq!(report["records"], 1, "{report}");
        let archive = path_of(&report);
        assert!(archive.starts_with(machine.home().join("archive")), "{report}");
        assert!(std::fs::read(&archive).unwrap().starts_with(magic.as_bytes()));
        let plan = ["maintain", "finalize", "--older-than", "0", "--dry-run"];
        assert_eq!(run(&machine, &plan)["records"], 1);
        let header = run(&machine, &["show", &id])["header"].clone();
        let done = finalize(&machine);
        assert_eq!((&done["records"], &done["is_erased"]), (&1.into(), &true.into()), "{done}");
        assert_eq!(traces(&machine, &[NOTE]), Vec::<PathBuf>::new());
        machine.because(["node", "list"]).run().succeeds().prints("Quokkasson has a kayak");
        let shown = run(&machine, &["show", &id]);
        assert_eq!((&shown["header"], &shown["body"]), (&header, &Value::Null));
        machine.because(["recall", "bluebells"]).run().succeeds().prints("April");
        machine.is_sound();
        assert_eq!(finalize(&machine)["records"], 0);
        // Bringing it back.
        let archive = archive.to_str().unwrap();
        let stray = machine.because(["maintain", "restore", archive, &kept, "--json"]);
        assert_eq!(stray.run().ends(1).error_code(), "not_in_archive");
        assert_eq!(run(&machine, &["maintain", "restore", archive, "--dry-run"])["restored"], 0);
        let restored = run(&machine, &["maintain", "restore", archive]);
        assert_eq!(
            (&restored["restored"], &restored["left_out"]),
            (&1.into(), &0.into()),
            "{restored}"
        );
        machine.because(["recall", "vermilion kayak"]).run().succeeds().prints("Jabberwock");
        let again = run(&machine, &["maintain", "restore", archive]);
        assert_eq!((&again["restored"], &again["present"]), (&0.into(), &1.into()), "{again}");
        machine.is_sound();
    }
}

#[test]
fn an_empty_space_has_nothing_to_maintain() {
    let machine = Machine::with_space();
    let report = export(&machine, "parquet");
    assert_eq!((&report["records"], &report["file"]), (&0.into(), &Value::Null));
    assert!(!machine.home().join("archive").exists());
    assert_eq!(finalize(&machine)["eligible"], 0);
    for what in ["export", "finalize"] {
        machine.because(["maintain", what]).run().succeeds().prints("Nothing may be removed");
    }
}

#[test]
fn archives_that_are_not_as_recorded_erase_nothing_and_restore_nothing() {
    let machine = Machine::with_space();
    let id = remember(&machine, NOTE);
    run(&machine, &["maintain", "mark", &id]);
    let archive = path_of(&export(&machine, "parquet"));
    let whole = std::fs::read(&archive).unwrap();
    let half = whole[..whole.len() / 2].to_vec();
    let mut changed = whole.clone();
    let place = changed.len() / 2;
    changed[place] ^= 1;
    let finalize = ["maintain", "finalize", "--older-than", "0", "--yes", "--json"];
    let restore = ["maintain", "restore", archive.to_str().unwrap(), "--json"];
    for bad in [half, changed, Vec::new()] {
        std::fs::write(&archive, bad).unwrap();
        assert_eq!(machine.because(finalize).run().ends(1).error_code(), "archive_changed");
        assert_eq!(machine.because(restore).run().ends(1).error_code(), "archive_changed");
    }
    std::fs::remove_file(&archive).unwrap();
    assert_eq!(machine.because(finalize).run().ends(1).error_code(), "not_archived");
    assert_eq!(machine.because(restore).run().ends(1).error_code(), "archive_missing");
    assert!(!traces(&machine, &[NOTE]).is_empty());
    // An archive of another space.
    let other = Machine::with_space();
    let foreign = remember(&other, "Mulberry cellars are cold");
    run(&other, &["maintain", "mark", &foreign]);
    let foreign = path_of(&export(&other, "parquet"));
    let restore = ["maintain", "restore", foreign.to_str().unwrap(), "--json"];
    assert_eq!(machine.because(restore).run().ends(1).error_code(), "archive_unrecorded");
    // The whole file again.
    std::fs::write(&archive, whole).unwrap();
    assert_eq!(machine.because(finalize).run().succeeds().json()["records"], 1);
}

#[test]
fn what_was_recorded_as_an_archive_and_cannot_be_read_is_named() {
    let machine = Machine::with_space();
    let signer = Signer::from_seed([9; 32]);
    let key = signer.author().to_string();
    machine.because(["grant", &key, "--can", "append", "--can", "correct"]).run().succeeds();
    let mut space = Space::open(&machine.space(), signer).unwrap();
    for (format, code) in [
        ("parquet", "archive_malformed"),
        ("jsonl", "archive_malformed"),
        ("csv", "archive_unsupported"),
    ] {
        let file = machine.write(&format!("bad.{format}"), format!("{{}} {format}"));
        let bytes = std::fs::read(&file).unwrap();
        let note = ArchiveNote {
            digest: format!("b3:{}", blake3::hash(&bytes).to_hex()),
            file: format!("bad.{format}"),
            format: format.to_owned(),
            records: 1,
            operations: 1,
        };
        let mut writer = space.writer();
        writer.record_archive(&note, jiff::Timestamp::now()).unwrap();
        writer.finish().unwrap();
        let restore = ["maintain", "restore", file.to_str().unwrap(), "--json"];
        assert_eq!(machine.because(restore).run().ends(1).error_code(), code, "{format}");
    }
}

#[test]
fn a_limit_bounds_what_one_call_takes() {
    let machine = Machine::with_space();
    for number in 0..5 {
        let id = remember(&machine, &format!("Kiln {number} is at {number} degrees today"));
        run(&machine, &["maintain", "mark", &id]);
    }
    let call = |arguments: &[&str]| {
        let arguments = arguments.iter().chain(&["--older-than", "0", "--json"]);
        machine.because(arguments).variable("SURR_DB_LIMIT", "2").run().succeeds().json()
    };
    let exported = call(&["maintain", "export"]);
    assert_eq!((&exported["records"], &exported["has_more"]), (&2.into(), &true.into()));
    assert_eq!(call(&["maintain", "finalize", "--yes"])["records"], 2);
    let exported = call(&["maintain", "export", "--limit", "9"]);
    assert_eq!((&exported["records"], &exported["has_more"]), (&3.into(), &false.into()));
}

#[test]
fn a_killed_removal_loses_nothing_that_is_not_in_the_archive() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", long_chat(400));
    machine.because(["import", "--no-derive", "chat.jsonl"]).run().succeeds();
    let all = machine.records().len();
    run(&machine, &["maintain", "mark", "--source", "chat-jsonl"]);
    let report = run(&machine, &["maintain", "export", "--older-than", "0", "--limit", "1000"]);
    assert_eq!(report["records"], all);
    let mut dice = Dice(SEED);
    let arguments = ["maintain", "finalize", "--older-than", "0", "--limit", "1000", "--yes"];
    let mut erased = 0;
    for _ in 0..KILLS {
        let mut removal = machine.because(arguments).start();
        std::thread::sleep(Duration::from_millis(dice.below(900)));
        removal.kill().unwrap();
        removal.wait().unwrap();
        let log = machine.because(["log", "-n", "0", "--kind", "evidence", "--json"]).run();
        let bodies = log.succeeds().json_lines();
        let here = bodies.iter().filter(|line| !line["body"].is_null()).count();
        // One transaction erases all of them.
        assert!(here == 0 || here == all, "{here} of {all}");
        erased += usize::from(here == 0);
        machine.is_sound();
    }
    println!("killed {KILLS} times, erased by then in {erased}");
    let begun = Instant::now();
    machine.because(arguments).run().succeeds();
    println!("finished in {:?}", begun.elapsed());
    machine.because(["forget", "--finish"]).run().succeeds();
    machine.is_sound();
    let restored = run(&machine, &["maintain", "restore", report["file"].as_str().unwrap()]);
    assert_eq!(restored["restored"], all, "{restored}");
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_during_an_export_leaves_nothing_behind() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", long_chat(3_000));
    machine.because(["import", "--no-derive", "chat.jsonl"]).run().succeeds();
    run(&machine, &["maintain", "mark", "--source", "chat-jsonl"]);
    std::fs::create_dir(machine.work().join("small")).unwrap();
    let mount = "mount -t tmpfs -o size=300k none small";
    let mut trial = std::process::Command::new("unshare");
    let tried = trial.args(["--mount", "sh", "-c", mount]).current_dir(machine.work()).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        println!("skipped: this user cannot mount a small file system");
        return;
    }
    for format in ["parquet", "jsonl"] {
        let script = format!(
            "set -eu\n{mount}\n$BECAUSE maintain export --older-than 0 --limit 5000 --format {format} --archive-dir small --json 2>err && exit 9\nls -A small >left"
        );
        let call = machine.call("unshare", ["--mount", "sh", "-c", &script]);
        call.variable("BECAUSE", BECAUSE).run().succeeds();
        let read = |name: &str| std::fs::read_to_string(machine.work().join(name)).unwrap();
        assert_eq!(read("left"), "", "{format}");
        assert!(read("err").contains("\"code\":\"file\""), "{}", read("err"));
    }
    let refused = machine.because(["maintain", "finalize", "--older-than", "0", "--yes", "--json"]);
    assert_eq!(refused.run().ends(1).error_code(), "not_archived");
    machine.is_sound();
}

#[test]
fn a_retention_rule_marks_what_is_old_and_of_its_kind() {
    let machine = Machine::with_chat();
    let note = remember(&machine, NOTE);
    let rule = ["maintain", "retention", "--kind", "turn", "--older-than", "30d"];
    let dry = run(&machine, &[&rule[..], &["--dry-run"]].concat());
    let count = dry["count"].as_u64().unwrap();
    assert!(count > 2, "{dry}");
    let first = run(&machine, &[&rule[..], &["--limit", "2"]].concat());
    assert_eq!((&first["count"], &first["has_more"]), (&2.into(), &true.into()));
    assert_eq!(run(&machine, &rule)["count"], count - 2);
    assert_eq!(run(&machine, &rule)["count"], 0, "what is marked is not marked again");
    let young = ["maintain", "retention", "--source", "because", "--older-than", "30d"];
    assert_eq!(run(&machine, &young)["count"], 0);
    let list = run(&machine, &["maintain", "list", "--limit", "1000"]);
    let removals = list["removals"].as_array().unwrap();
    assert_eq!(removals.len() as u64, count);
    assert!(removals.iter().all(|removal| removal["id"] != note.as_str()));
    let nothing = machine.because(["maintain", "retention", "--older-than", "1", "--json"]);
    let nothing = nothing.run().ends(2);
    assert_eq!(nothing.error_code(), "usage");
    nothing.says("--kind <KIND>|--source <SOURCE>");
}

#[test]
fn nodes_that_say_the_same_are_proposed_once_and_joined_after_review() {
    let machine = Machine::with_space();
    let add = |text: &str| {
        let added = run(&machine, &["node", "add", "--type", "decision", text]);
        added["id"].as_str().unwrap().to_owned()
    };
    let first = add("The kiln is fired every Wednesday in the big studio");
    let second = add("The kiln is fired every Wednesday in the big old studio");
    add("The kiln is not fired every Wednesday in the big studio");
    let plan = run(&machine, &["maintain", "dedupe", "--dry-run"]);
    assert_eq!((&plan["considered"], &plan["proposals"]), (&3.into(), &Value::Array(Vec::new())));
    let pair = &plan["pairs"][0];
    assert_eq!(
        (&pair["duplicate"], &pair["canonical"]),
        (&second.clone().into(), &first.clone().into())
    );
    let found = run(&machine, &["maintain", "dedupe"]);
    let patch = found["proposals"][0].as_str().unwrap().to_owned();
    machine.because(["review", "list"]).run().succeeds().prints("Join nodes");
    let again = run(&machine, &["maintain", "dedupe"]);
    assert!(again["pairs"].as_array().unwrap().is_empty(), "{again}");
    machine.because(["patch", "apply", &patch]).run().succeeds();
    let shown = run(&machine, &["node", "show", &second]);
    assert_eq!(
        (&shown["status"], &shown["canonical"]),
        (&"alias".into(), &first.into()),
        "{shown}"
    );
    machine.is_sound();
}

#[test]
fn health_names_what_needs_looking_after() {
    let machine = Machine::with_space();
    let id = remember(&machine, NOTE);
    let node = run(&machine, &["node", "add", "--type", "action", "Painted the kayak"]);
    let node = node["id"].as_str().unwrap();
    let join = ["edge", "add", "--type", "depends_on", "--from", node, "--to", &id];
    machine.because(join).run().succeeds();
    let well = run(&machine, &["maintain", "health"]);
    assert_eq!(well["sound"], true, "{well}");
    run(&machine, &["maintain", "mark", &id]);
    let archive = path_of(&export(&machine, "parquet"));
    let named = |report: &Value| -> Vec<String> {
        let checks = report["checks"].as_array().unwrap().iter();
        let wrong = checks.filter(|check| check["ok"] == false);
        wrong.map(|check| check["name"].as_str().unwrap().to_owned()).collect()
    };
    std::fs::remove_file(archive).unwrap();
    machine.because(["retract", &id]).run().succeeds();
    let ill = machine.because(["maintain", "health", "--json"]).run().ends(3).json();
    assert_eq!(named(&ill), ["orphans", "archives"], "{ill}");
    machine.because(["maintain", "health"]).run().ends(3).prints("because edge retract");
    let built_in = run(&machine, &["maintain", "reembed"]);
    assert_eq!((&built_in["embedded"], &built_in["pending"]), (&0.into(), &0.into()));
}

#[test]
fn a_server_archives_and_erases_by_schedule() {
    let machine = Machine::with_space();
    let id = remember(&machine, NOTE);
    run(&machine, &["maintain", "mark", &id]);
    let serve = machine.because(["--json", "serve", "--listen", "127.0.0.1:0"]);
    let serve = serve.variable("BECAUSE_MAINTENANCE_SCHEDULE", "daily");
    let mut server = serve.variable("BECAUSE_RETENTION_DAYS", "0").start();
    let begun = Instant::now();
    while !run(&machine, &["maintain", "list"])["removals"].as_array().unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is erased");
        std::thread::sleep(Duration::from_millis(200));
    }
    server.kill().unwrap();
    server.wait().unwrap();
    machine.because(["forget", "--finish"]).run().succeeds();
    assert_eq!(traces(&machine, &[NOTE]), Vec::<PathBuf>::new());
    assert_eq!(std::fs::read_dir(machine.home().join("archive")).unwrap().count(), 1);
    machine.is_sound();
    let wrong = machine.because(["--json", "serve", "--listen", "127.0.0.1:0"]);
    let wrong = wrong.variable("BECAUSE_MAINTENANCE_SCHEDULE", "often").run().ends(2);
    assert_eq!(wrong.error_code(), "variable");
    assert_eq!(wrong.out(), "", "it does not listen before its settings are read");
}

#[test]
fn what_was_found_in_a_record_stays_when_the_record_is_archived() {
    let machine = Machine::with_space();
    let text = "Billing depends on Ledger. Redis depends on Docker.";
    let id = remember(&machine, text);
    let asked = ["ask", "--stage-kg", "--no-save", "What does Redis depend on?"];
    run(&machine, &asked);
    machine.because(["kg", "accept", "--all"]).run().succeeds();
    let shown = machine.because(["kg", "show", "Redis"]).run().succeeds();
    shown.prints("depends_on → Docker");
    run(&machine, &["maintain", "mark", &id]);
    export(&machine, "parquet");
    assert_eq!(finalize(&machine)["records"], 1);
    assert_eq!(run(&machine, &["show", &id])["body"], Value::Null);
    machine.because(["kg", "show", "Redis"]).run().succeeds().prints("depends_on → Docker");
    machine.because(["kg", "search", "Ledger"]).run().succeeds().prints("Ledger");
    machine.is_sound();
}
