//! Device keys: this device's, another's, damaged, created twice.

use std::path::PathBuf;

use crate::machine::Machine;

fn key_at(machine: &Machine, home: &std::path::Path) -> String {
    machine.because(["key"]).at_home(home).run().succeeds().out().trim().to_owned()
}

#[test]
fn another_key_can_always_read_and_writes_only_while_granted() {
    let machine = Machine::with_chat();
    let foreign: PathBuf = machine.work().join("foreign-home");
    let as_foreign = |arguments: &[&str]| machine.because(arguments).at_home(&foreign);
    as_foreign(&["trust"]).run().succeeds();
    let refused = as_foreign(&["remember", "from abroad", "--json"]).run().ends(1);
    assert_eq!(refused.error_code(), "not_your_space");
    as_foreign(&["remember", "from abroad"]).run().ends(1).says("because grant");
    let refused = as_foreign(&["import", "chat.jsonl", "--json"]).run().ends(1);
    assert_eq!(refused.error_code(), "not_your_space");
    as_foreign(&["recall", "glaze"]).run().succeeds().prints("Tenmoku");
    as_foreign(&["verify"]).run().succeeds();
    as_foreign(&["doctor"]).run().ends(3).prints("because grant");
    let key = key_at(&machine, &foreign);
    assert_eq!(
        as_foreign(&["grant", &key, "--can", "append", "--json"]).run().ends(1).error_code(),
        "not_your_space"
    );

    let given = machine
        .because(["grant", &key, "--name", "laptop", "--can", "append", "--json"])
        .run()
        .succeeds();
    assert_eq!(
        (&given.json()["key"], &given.json()["capabilities"]),
        (&key.as_str().into(), &serde_json::json!(["append"]))
    );
    as_foreign(&["import", "chat.jsonl"]).run().succeeds().prints("4 already there");
    as_foreign(&["remember", "from abroad"]).run().succeeds();
    as_foreign(&["doctor"]).run().succeeds();
    assert_eq!(
        as_foreign(&["grant", &key, "--can", "admin", "--json"]).run().ends(1).error_code(),
        "not_permitted"
    );

    let taken =
        machine.because(["revoke", &key, "--can", "append", "--json"]).run().succeeds().json();
    assert!(taken["id"].is_string());
    assert_eq!(
        as_foreign(&["remember", "once more", "--json"]).run().ends(1).error_code(),
        "not_permitted"
    );
    machine.because(["recall", "abroad"]).run().succeeds().prints("from abroad");
    machine.is_sound();
}

#[test]
fn the_hint_for_a_missing_capability_names_it_and_the_key() {
    let machine = Machine::with_space();
    let foreign = machine.work().join("foreign-home");
    let key = key_at(&machine, &foreign);
    machine.because(["trust"]).at_home(&foreign).run().succeeds();
    let refused = machine.because(["remember", "x"]).at_home(&foreign).run().ends(1);
    refused.says(&format!("because grant {key} --can append"));
    let refused =
        machine.because(["grant", &key, "--can", "derive"]).at_home(&foreign).run().ends(1);
    refused.says(&format!("because grant {key} --can admin"));
}

#[test]
fn a_damaged_key_file_is_reported_and_kept() {
    let machine = Machine::with_chat();
    let path = machine.home().join("key");
    let good = std::fs::read(&path).unwrap();
    let cases: &[&[u8]] =
        &[b"", b"junk", b"\xff\xfe\0", &[b'0'; 63], &[b'0'; 65], &[b'a'; 100_000]];
    for junk in cases {
        std::fs::write(&path, junk).unwrap();
        let ran = machine.because(["remember", "x", "--json"]).run().ends(1);
        assert_eq!(ran.error_code(), "device_key");
        machine.because(["key"]).run().ends(1).says("put back a copy");
        machine.because(["doctor"]).run().ends(3).prints("put back a copy");
        assert_eq!(std::fs::read(&path).unwrap(), *junk);
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    machine.because(["key"]).run().ends(1).says("key");
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, good).unwrap();
    machine.because(["remember", "x"]).run().succeeds();
}

#[test]
fn processes_that_create_the_key_or_the_space_concurrently_agree() {
    let machine = Machine::new();
    let keys: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> =
            (0..8).map(|_| scope.spawn(|| key_at(&machine, &machine.home()))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(keys.windows(2).all(|pair| pair[0] == pair[1]), "{keys:?}");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &machine.home().join("key").metadata().unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let machine = &machine;
            scope.spawn(move || {
                machine.because(["remember", &format!("thing {number}")]).run().succeeds()
            });
        }
    });
    assert_eq!(machine.records().len(), 8);
    let mut files: Vec<_> =
        std::fs::read_dir(machine.home()).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["key", "space.db"]);
    machine.is_sound();
}

#[test]
fn a_key_that_is_a_pipe_a_device_or_a_link_to_nothing_is_an_error_at_once() {
    for (script, code) in [
        ("mkfifo home/key", "device_key"),
        ("ln -s /dev/zero home/key", "device_key"),
        ("ln -s nowhere home/key", "file"),
    ] {
        let machine = Machine::new();
        let script = format!("mkdir home; {script}; BECAUSE_HOME=home exec $BECAUSE key --json");
        let ran = machine.shell(&script).run().ends(1);
        assert_eq!(ran.error_code(), code, "{script}");
    }
}

#[test]
fn spaces_and_exports_are_for_their_owner_alone_and_doctor_names_an_open_home() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    let script =
        r#"umask 000; ln -s elsewhere "space.new-$$"; exec $BECAUSE --space space.db init"#;
    machine.shell(script).run().succeeds();
    assert!(!machine.work().join("elsewhere").exists());
    machine.because(["--space", "space.db", "remember", "a note"]).run().succeeds();
    machine
        .shell("umask 000; exec $BECAUSE --space space.db export --out export.jsonl")
        .run()
        .succeeds();
    for file in ["space.db", "space.db-wal", "export.jsonl"] {
        let Ok(metadata) = machine.work().join(file).metadata() else { continue };
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{file}");
    }
    let home = machine.home();
    std::fs::set_permissions(&home, PermissionsExt::from_mode(0o777)).unwrap();
    machine.because(["doctor"]).run().ends(3).prints("others can write to it");
}

#[test]
fn a_device_loses_admin_of_its_own_space_only_if_that_is_confirmed() {
    let machine = Machine::with_space();
    let key = machine.because(["key", "--json"]).run().succeeds().json()["key"].clone();
    let revoke = ["revoke", key.as_str().unwrap(), "--can", "admin", "--json"];
    machine.because(revoke).run().ends(2).says("unconfirmed");
    machine.because(["remember", "It rained"]).run().succeeds();
    machine.because(revoke.into_iter().chain(["--yes"])).run().succeeds();
}
