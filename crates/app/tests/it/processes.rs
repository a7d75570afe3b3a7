//! Several processes on one space.

use crate::machine::Machine;
use crate::samples::long_chat;

#[test]
fn concurrent_imports_both_finish_and_readers_see_whole_records() {
    let machine = Machine::with_space();
    let chat = long_chat(3_000);
    let lines: Vec<&str> = chat.lines().collect();
    // A third of the turns is in both files.
    machine.write("first.jsonl", lines[..2_000].join("\n"));
    machine.write("second.jsonl", lines[1_000..].join("\n"));
    std::thread::scope(|scope| {
        let import = |name: &'static str| {
            let machine = &machine;
            scope.spawn(move || {
                machine.because(["import", "--format", "chat-jsonl", name]).run().succeeds()
            })
        };
        let importers = [import("first.jsonl"), import("second.jsonl")];
        while !importers.iter().all(|importer| importer.is_finished()) {
            for line in machine.because(["log", "-n", "5", "--json"]).run().succeeds().json_lines()
            {
                assert!(
                    line["position"].is_u64() && line["id"].is_string() && line["sig"].is_string(),
                    "{line}"
                );
            }
            machine.because(["recall", "Which bowl was fired?", "--json"]).run().succeeds().json();
            machine.because(["status", "--json"]).run().succeeds().json();
        }
    });
    let both: std::collections::BTreeSet<_> = machine.records();
    let alone = Machine::with_space();
    alone.write("first.jsonl", lines[..2_000].join("\n"));
    alone.write("second.jsonl", lines[1_000..].join("\n"));
    alone
        .because(["import", "--format", "chat-jsonl", "first.jsonl", "second.jsonl"])
        .run()
        .succeeds();
    let names = |records: std::collections::BTreeSet<(String, String, String)>| -> std::collections::BTreeSet<_> {
        records.into_iter().map(|(source, uid, _)| (source, uid)).collect()
    };
    assert_eq!(names(both), names(alone.records()));
    machine.is_sound();
}

#[test]
fn concurrent_writers_lose_no_record() {
    let machine = Machine::with_space();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let machine = &machine;
            scope.spawn(move || {
                for thing in 0..6 {
                    let text = format!("writer {writer} thing {thing}");
                    machine.because(["remember", &text]).run().succeeds();
                }
            });
        }
    });
    assert_eq!(machine.records().len(), 24);
    machine.is_sound();
}

#[test]
fn verify_and_export_see_a_consistent_snapshot_during_an_import() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", long_chat(3_000));
    std::thread::scope(|scope| {
        let importer = scope.spawn(|| machine.because(["import", "chat.jsonl"]).run().succeeds());
        while !importer.is_finished() {
            machine.is_sound();
            let export = machine.because(["export"]).run().succeeds();
            let lines = export.json_lines();
            assert_eq!(lines[0]["header"]["kind"], "space");
        }
    });
    machine.because(["rebuild"]).run().succeeds();
    machine.is_sound();
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_says_how_far_it_came_and_goes_on() {
    const TURNS: usize = 12_000;
    let machine = Machine::with_space();
    machine.write("chat.jsonl", long_chat(TURNS));
    let import = ["import", "chat.jsonl", "--no-derive", "--json"];
    let scratch = machine.work().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let running = machine.because(import).variable("TMPDIR", &scratch).talk();
    let pid = running.id().to_string();
    // Until it has recorded several batches.
    let is_begun =
        || machine.because(["status", "--json"]).run().json()["ledger_position"].as_u64();
    while is_begun().is_none_or(|position| position < 2_500) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    machine.call("kill", ["-INT", &pid]).run().succeeds();
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let said = String::from_utf8(ended.stderr).unwrap();
    let said: serde_json::Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!(said["error"]["code"], "interrupted");
    let message = said["error"]["message"].as_str().unwrap();
    assert!(message.contains("importing chat.jsonl, of which the space has"), "{message}");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "nothing stays unpacked");
    machine.is_sound();
    let report = machine.because(import).run().succeeds().json();
    let (added, present) = (&report["sources"][0]["added"], &report["sources"][0]["present"]);
    assert_eq!(added.as_u64().unwrap() + present.as_u64().unwrap(), TURNS as u64);
    assert!(present.as_u64().unwrap() > 0, "{report}");
}
