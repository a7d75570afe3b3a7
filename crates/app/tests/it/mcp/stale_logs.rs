//! A space is never made beside the log of another, which SQLite would take for its own; nor is a
//! backup used beside the log of a newer state.

use serde_json::json;

use super::host::Host;
use crate::machine::Machine;

/// A working folder in which a server was killed and the space then deleted without its logs.
fn with_leftover_log() -> Machine {
    let machine = Machine::with_space();
    machine.because(["export", "--out", "all.jsonl"]).run().succeeds();
    let mut host = Host::of(&machine);
    host.gets("remember", json!({ "text": "The kiln is haunted" }));
    host.child.kill().unwrap();
    host.ends();
    std::fs::remove_file(machine.space()).unwrap();
    assert!(log(&machine).metadata().unwrap().len() > 0);
    machine
}

fn log(machine: &Machine) -> std::path::PathBuf {
    machine.work().join(".because/space.db-wal")
}

#[test]
fn the_log_of_a_deleted_space_never_gets_into_a_new_one() {
    let machine = with_leftover_log();
    let refused = machine.because(["init", "--json"]).run().ends(1);
    assert_eq!(refused.error_code(), "stale_log");
    machine.because(["init"]).run().ends(1).says("space.db-wal");
    assert!(!machine.space().exists());
    let path = machine.space();
    let restored = machine
        .because(["import", "all.jsonl", "--json"])
        .variable("BECAUSE_SPACE", &path)
        .run()
        .ends(1);
    assert_eq!(restored.error_code(), "stale_log");
    std::fs::remove_file(log(&machine)).unwrap();
    machine.because(["init"]).run().succeeds();
    let found = machine.because(["recall", "haunted"]).run().succeeds().out();
    assert!(!found.contains("kiln"), "{found}");
    machine.is_sound();
}

#[test]
fn a_backup_put_back_beside_a_newer_log_is_refused_until_the_log_is_moved_away() {
    let machine = Machine::with_space();
    let backup = std::fs::read(machine.space()).unwrap();
    let turns: String = (0..200)
        .map(|number| format!("{{\"id\":\"{number}\",\"author\":\"Ada\",\"at\":\"2025-03-01\",\"text\":\"turn {number} about the kiln\"}}\n"))
        .collect();
    std::fs::write(machine.work().join("turns.jsonl"), turns).unwrap();
    machine.because(["import", "turns.jsonl"]).run().succeeds();
    let mut host = Host::of(&machine);
    host.gets("remember", json!({ "text": "The kiln is haunted" }));
    host.child.kill().unwrap();
    host.ends();
    // The killed process left a log that belongs to the file as it is.
    let newer = [machine.space(), log(&machine)].map(|path| std::fs::read(path).unwrap());
    std::thread::sleep(std::time::Duration::from_millis(30));
    std::fs::write(machine.space(), &backup).unwrap();
    for command in [&["status"] as &[_], &["recall", "kiln"], &["remember", "x"], &["verify"]] {
        let refused = machine.because(command.iter().chain(&["--json"])).run().ends(1);
        assert_eq!(refused.error_code(), "stale_log", "{command:?}");
    }
    assert_eq!(std::fs::read(log(&machine)).unwrap(), newer[1]);
    std::fs::remove_file(log(&machine)).unwrap();
    machine.is_sound();
    std::fs::write(log(&machine), &newer[1]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(30));
    std::fs::write(machine.space(), &newer[0]).unwrap();
    let found = machine.because(["recall", "haunted"]).run().succeeds().out();
    assert!(found.contains("kiln"), "{found}");
    machine.is_sound();
}

#[test]
fn a_space_that_others_write_to_is_never_taken_for_a_backup() {
    let machine = Machine::with_space();
    let turns: String = (0..4_000)
        .map(|number| format!("{{\"id\":\"{number}\",\"author\":\"Ada\",\"at\":\"2025-03-01\",\"text\":\"turn {number} about the kiln and {}\"}}\n", number * 7))
        .collect();
    std::fs::write(machine.work().join("turns.jsonl"), turns).unwrap();
    let mut writer = machine.because(["import", "turns.jsonl"]).start();
    while writer.try_wait().unwrap().is_none() {
        machine.because(["status"]).run().succeeds();
        // As a backup tool does, which changes nothing but the file's times.
        let now = std::fs::FileTimes::new().set_modified(std::time::SystemTime::now());
        std::fs::File::options().write(true).open(machine.space()).unwrap().set_times(now).unwrap();
        machine.because(["status"]).run().succeeds();
    }
    machine.is_sound();
}
