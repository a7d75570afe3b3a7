//! A full disk, a file that may not grow, a file and a folder that may not be written.
//!
//! What needs another file system or another user is done in a mount namespace of its own or by
//! `setpriv`; where the machine allows neither, the test says so and rests.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::machine::{BECAUSE, Machine};
use crate::samples::long_chat;

/// The unprivileged user.
const NOBODY: &str = "65534";

/// Runs a script in which a small file system is mounted at `small` in the working folder; false if
/// that is not permitted.
fn on_a_small_disk(machine: &Machine, script: &str) -> bool {
    std::fs::create_dir(machine.work().join("small")).unwrap();
    let mount = "mount -t tmpfs -o size=1500k none small";
    let mut trial = std::process::Command::new("unshare");
    let tried = trial.args(["--mount", "sh", "-c", mount]).current_dir(machine.work()).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        println!("skipped: this user cannot mount a small file system");
        return false;
    }
    let script = format!("set -eu\n{mount}\n{script}");
    let call =
        machine.call("unshare", ["--mount", "sh", "-c", &script]).variable("BECAUSE", BECAUSE);
    call.run().succeeds();
    true
}

fn read(machine: &Machine, name: &str) -> String {
    std::fs::read_to_string(machine.work().join(name)).unwrap()
}

#[test]
fn a_full_disk_is_reported_and_acknowledged_records_survive() {
    let machine = Machine::new();
    machine.write("chat.jsonl", long_chat(3_000));
    let script = r#"
        $BECAUSE --space small/space.db init
        $BECAUSE --space small/space.db remember "before the flood"
        $BECAUSE --space small/space.db recall flood
        $BECAUSE --space small/space.db import --json chat.jsonl >out 2>err && code=0 || code=$?
        echo $code >code
        dd if=/dev/zero of=small/rest bs=1k 2>/dev/null || true
        $BECAUSE --space small/space.db log -n 0 --json >log
        $BECAUSE --space small/space.db recall flood >recalled
        $BECAUSE --space small/space.db verify --json >verified
        head -c 200000 /dev/zero | tr '\0' a >long
        for more in $(seq 40); do $BECAUSE --space small/space.db remember --json - <long 2>refused || break; done
        test -s refused || exit 9
        $BECAUSE --space small/space.db export --out small/export.jsonl 2>export-refused && exit 8
        ls small >left
        rm small/rest
        mount -o remount,size=64m small
        $BECAUSE --space small/space.db import --json chat.jsonl >again
        $BECAUSE --space small/space.db verify --json >sound
    "#;
    if !on_a_small_disk(&machine, script) {
        return;
    }
    assert_eq!(read(&machine, "code"), "1\n");
    assert!(read(&machine, "err").contains("\"disk_full\""), "{}", read(&machine, "err"));
    assert!(read(&machine, "log").contains("before the flood"));
    assert!(read(&machine, "recalled").contains("before the flood"));
    for name in ["verified", "sound"] {
        let verified: serde_json::Value = serde_json::from_str(&read(&machine, name)).unwrap();
        assert_eq!(verified["sound"], true, "{verified}");
    }
    assert!(read(&machine, "refused").contains("\"disk_full\""), "{}", read(&machine, "refused"));
    assert!(
        read(&machine, "export-refused").contains("No space left"),
        "{}",
        read(&machine, "export-refused")
    );
    assert!(!read(&machine, "left").contains("export") && !read(&machine, "left").contains("tmp"));
    let kept =
        read(&machine, "log").lines().filter(|line| line.contains("\"kind\":\"turn\"")).count();
    let again: serde_json::Value = serde_json::from_str(&read(&machine, "again")).unwrap();
    assert_eq!(again["sources"][0]["present"], kept);
    assert_eq!(again["sources"][0]["added"], 3_000 - kept);
}

#[test]
fn init_on_a_full_disk_leaves_no_partial_space() {
    let machine = Machine::new();
    let script = r#"
        dd if=/dev/zero of=small/rest bs=1k 2>/dev/null || true
        $BECAUSE --space small/space.db init --json 2>err && exit 9
        BECAUSE_HOME=small/home $BECAUSE key --json 2>key-err && exit 8
        ls small >left
        rm small/rest
        $BECAUSE --space small/space.db init
        BECAUSE_HOME=small/home $BECAUSE key
    "#;
    if !on_a_small_disk(&machine, script) {
        return;
    }
    assert!(read(&machine, "err").contains("\"disk_full\""), "{}", read(&machine, "err"));
    assert!(read(&machine, "key-err").contains("\"error\""));
    assert_eq!(read(&machine, "left").replace("home\n", ""), "rest\n");
}

#[test]
fn a_file_size_limit_is_an_error_not_a_signal() {
    let machine = Machine::with_space();
    machine.because(["remember", "before the limit"]).run().succeeds();
    machine.write("chat.jsonl", long_chat(3_000));
    for kib in [1, 64, 256, 700] {
        let ran = machine
            .shell(&format!("ulimit -f {}; exec $BECAUSE import --json chat.jsonl", kib * 2))
            .run()
            .ends(1);
        let code = ran.error_code();
        assert!(code == "disk_full" || code == "write_failed", "{kib} KiB: {ran}");
        machine.because(["recall", "limit"]).run().succeeds().prints("before the limit");
        machine.is_sound();
    }
    machine.because(["import", "chat.jsonl"]).run().succeeds();
    machine
        .shell("ulimit -f 200; exec $BECAUSE export --out all.jsonl")
        .run()
        .ends(1)
        .says("all.jsonl");
    assert!(!machine.work().join("all.jsonl").exists());
    assert_eq!(machine.records().len(), 3_001);
    machine.is_sound();
}

#[test]
fn a_server_with_too_few_descriptors_says_so() {
    let machine = Machine::with_space();
    for limit in [6, 8, 16] {
        let script = format!("exec </dev/null; ulimit -n {limit}; exec $BECAUSE mcp");
        let ran = machine.shell(&script).run();
        ran.ends(1).says("ulimit -n");
    }
    machine.shell("ulimit -n 64; exec $BECAUSE mcp </dev/null").run().succeeds();
}

/// The program as the unprivileged user, if this user can switch to it.
fn as_nobody(machine: &Machine) -> bool {
    let open =
        |path: &Path| std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    open(machine.work().parent().unwrap());
    open(&machine.work());
    let arguments = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", BECAUSE, "--version"];
    let tried =
        std::process::Command::new("setpriv").args(arguments).current_dir(machine.work()).output();
    let can = tried.is_ok_and(|output| output.status.success());
    if !can {
        println!("skipped: this user cannot become another, or that one cannot run the program");
    }
    can
}

/// Reading works in full, writing is refused by name, and nothing is changed.
fn only_reads(machine: &Machine, place: &str) {
    let home = machine.work().parent().unwrap().join("nobody");
    let _ = std::fs::create_dir(&home);
    std::fs::set_permissions(&home, PermissionsExt::from_mode(0o777)).unwrap();
    let call = |arguments: &[&str]| {
        let become_nobody = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", BECAUSE];
        machine.call("setpriv", become_nobody).arguments(arguments).at_home(&home)
    };
    // With the key that made the space, which then is one's own.
    std::fs::copy(machine.home().join("key"), home.join("key")).unwrap();
    std::fs::set_permissions(home.join("key"), PermissionsExt::from_mode(0o644)).unwrap();
    call(&["recall", "glaze"]).run().succeeds().prints("Tenmoku");
    assert_eq!(call(&["log", "-n", "0"]).run().succeeds().out().lines().count(), 6, "{place}");
    assert_eq!(call(&["status", "--json"]).run().succeeds().json()["read_only"], true, "{place}");
    assert_eq!(call(&["verify", "--json"]).run().succeeds().json()["sound"], true, "{place}");
    assert_eq!(call(&["export"]).run().succeeds().out().lines().count(), 6, "{place}");
    call(&["doctor"]).run().ends(3).prints("read-only");
    for command in [["remember", "x"].as_slice(), &["import", "chat.jsonl"], &["rebuild"]] {
        let ran = call(command).arguments(["--json"]).run().ends(1);
        assert_eq!(ran.error_code(), "read_only", "{place}: {ran}");
    }
}

#[test]
fn a_read_only_space_can_be_read() {
    let machine = Machine::with_chat();
    if !as_nobody(&machine) {
        return;
    }
    let before = std::fs::read(machine.space()).unwrap();
    let folder = machine.space().parent().unwrap().to_owned();
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap()
    };
    for (file_mode, folder_mode, place) in
        [(0o444, 0o555, "file and folder"), (0o666, 0o555, "folder"), (0o444, 0o777, "file")]
    {
        set(&machine.space(), file_mode);
        set(&folder, folder_mode);
        only_reads(&machine, place);
    }
    assert_eq!(std::fs::read(machine.space()).unwrap(), before);
    set(&machine.space(), 0o600);
    let refused = machine.call(
        "setpriv",
        ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", BECAUSE, "status"],
    );
    refused
        .at_home(&machine.work().parent().unwrap().join("nobody"))
        .run()
        .ends(1)
        .says("space.db");
    // Nor may the key be one that cannot be read.
    let home = machine.work().parent().unwrap().join("nobody");
    std::fs::remove_file(home.join("key")).unwrap();
    std::fs::copy(machine.home().join("key"), home.join("key")).unwrap();
    let arguments =
        ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", BECAUSE, "key", "--json"];
    let unreadable = machine.call("setpriv", arguments).at_home(&home).run().ends(1);
    assert_eq!(unreadable.error_code(), "file");
    assert!(unreadable.err().contains("key"), "{unreadable}");
    machine.because(["remember", "the owner still writes"]).run().succeeds();
    machine.is_sound();
}

#[test]
fn an_unclosed_space_is_not_read_without_its_log() {
    let machine = Machine::with_chat();
    if !as_nobody(&machine) {
        return;
    }
    let folder = machine.space().parent().unwrap().to_owned();
    // A process that is killed leaves what it wrote in the log beside the file.
    let reader =
        engine::Space::open(&machine.space(), kernel::seal::Signer::from_seed([9; 32])).unwrap();
    machine.because(["remember", "only in the log"]).run().succeeds();
    let copy = machine.work().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for name in ["space.db", "space.db-wal"] {
        std::fs::copy(folder.join(name), copy.join(name)).unwrap();
        std::fs::set_permissions(copy.join(name), PermissionsExt::from_mode(0o444)).unwrap();
    }
    drop(reader);
    std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o555)).unwrap();
    let home = machine.work().parent().unwrap().join("nobody");
    std::fs::create_dir(&home).unwrap();
    std::fs::set_permissions(&home, PermissionsExt::from_mode(0o777)).unwrap();
    let become_nobody = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", BECAUSE];
    let ran = machine
        .call("setpriv", become_nobody)
        .arguments(["log", "--space", "copy/space.db"])
        .at_home(&home)
        .run();
    match ran.code() {
        0 => assert!(ran.out().contains("only in the log"), "it is silently not there: {ran}"),
        _ => assert!(ran.err().contains("log"), "{ran}"),
    }
    machine.is_sound();
}
