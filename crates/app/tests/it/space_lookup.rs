//! Which space a command works on.

use std::os::unix::ffi::OsStringExt;

use crate::machine::Machine;

fn name_of(ran: crate::machine::Ran) -> String {
    ran.succeeds().json()["name"].as_str().unwrap().to_owned()
}

#[test]
fn a_projects_space_is_found_from_the_folders_below_it() {
    let machine = Machine::with_space();
    let below = machine.work().join("src/deep");
    std::fs::create_dir_all(&below).unwrap();
    assert_eq!(name_of(machine.because(["status", "--json"]).within(&below).run()), "pottery");
    machine.because(["init", "--name", "inner"]).within(&below).run().succeeds();
    assert_eq!(name_of(machine.because(["status", "--json"]).within(&below).run()), "inner");
    assert_eq!(name_of(machine.because(["status", "--json"]).run()), "pottery");
}

#[test]
fn the_option_overrides_the_variable_and_the_variable_the_folder() {
    let machine = Machine::with_space();
    machine.because(["init", "--global"]).run().succeeds();
    let other = machine.work().join("other.db");
    let named = ["--space", other.to_str().unwrap(), "init", "--name", "other"];
    machine.because(named).run().succeeds();
    let status = ["status", "--json"];
    assert_eq!(name_of(machine.because(status).run()), "pottery");
    assert_eq!(name_of(machine.because(status).variable("BECAUSE_SPACE", &other).run()), "other");
    assert_eq!(name_of(machine.because(status).variable("BECAUSE_SPACE", "").run()), "pottery");
    let by_option = machine
        .because(["--space", "global", "status", "--json"])
        .variable("BECAUSE_SPACE", &other);
    assert_eq!(name_of(by_option.run()), "global");
    assert_eq!(name_of(machine.because(["status", "--json", "--space", "."]).run()), "pottery");
    assert_eq!(
        name_of(machine.because(["status", "--json", "--space", ".because"]).run()),
        "pottery"
    );
    machine.because(["--space", "global", "remember", "the kiln is hot"]).run().succeeds();
    machine.because(["remember", "the kiln is cold"]).run().succeeds();
    let both = ["recall", "kiln", "--space", "global", "--space", ".", "--json"];
    let answer = machine.because(both).run().succeeds().json();
    let mut spaces: Vec<_> =
        answer["results"].as_array().unwrap().iter().map(|hit| hit["space"].clone()).collect();
    spaces.sort_by_key(|space| space.to_string());
    assert_eq!(spaces, ["global", "pottery"]);
    let not_text = std::ffi::OsString::from_vec(b"\xff".to_vec());
    machine.because(status).variable("BECAUSE_SPACE", not_text).run().ends(2).says("UTF-8");
}

#[test]
fn a_record_that_two_named_copies_hold_is_recalled_once() {
    let machine = Machine::with_chat();
    machine.because(["export", "--out", "memory.jsonl"]).run().succeeds();
    machine.because(["--space", "copy.db", "import", "memory.jsonl"]).run().succeeds();
    let alone = machine.because(["--json", "recall", "glaze"]).run().succeeds().json();
    let both = ["--json", "recall", "glaze", "--space", ".", "--space", "copy.db"];
    let both = machine.because(both).run().succeeds().json();
    let ids = |answer: &serde_json::Value| {
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["id"].clone())
            .collect::<Vec<_>>()
    };
    assert!(!ids(&alone).is_empty());
    assert_eq!(ids(&both), ids(&alone));
}

#[test]
fn without_a_space_the_error_says_how_to_create_one() {
    let machine = Machine::new();
    for command in
        [["recall", "x"].as_slice(), &["status"], &["log"], &["verify"], &["rebuild"], &["export"]]
    {
        machine.because(command).run().ends(1).says("because init");
    }
    let missing = machine.because(["--space", "nowhere.db", "status", "--json"]).run().ends(1);
    assert_eq!(missing.error_code(), "space_missing");
    machine.because(["doctor"]).run().succeeds().prints("because init");
    assert!(!machine.work().join("nowhere.db").exists());
    let makes = |named: &str, command: &str| {
        let ran = machine.because(["--space", named, "recall", "x"]).run().ends(1);
        assert_eq!(ran.err().matches("because init").count(), 1, "{}", ran.err());
        ran.says(&format!("`{command}` makes it"));
        let script = command.replacen("because", "$BECAUSE", 1);
        machine.shell(&script).run().succeeds();
        machine.because(["--space", named, "recall", "x"]).run().succeeds();
    };
    makes("global", "because init --global");
    makes("nowhere.db", "because init --space 'nowhere.db'");
    makes("it's here.db", r"because init --space 'it'\''s here.db'");
    makes(".", "because init --space '.'");
}

#[test]
fn remember_without_a_space_creates_the_users_own() {
    let machine = Machine::new();
    machine.because(["remember", "the first thing"]).run().succeeds();
    machine.because(["recall", "first"]).run().succeeds().prints("the first thing");
    assert_eq!(name_of(machine.because(["status", "--json"]).run()), "global");
}

#[test]
fn init_accepts_a_folder() {
    let machine = Machine::new();
    std::fs::create_dir(machine.work().join("project")).unwrap();
    machine.because(["--space", "project", "init"]).run().succeeds();
    assert!(machine.work().join("project/.because/space.db").is_file());
    machine.because(["--space", "project", "remember", "here"]).run().succeeds();
}

#[test]
fn files_that_are_not_spaces_are_left_unchanged() {
    let machine = Machine::new();
    let cases: &[(&str, &[u8])] = &[
        ("empty.db", b""),
        ("text.db", b"hello, this is not a database at all"),
        ("zeros.db", &[0; 8192]),
    ];
    for (name, bytes) in cases {
        let path = machine.write(name, bytes);
        for command in
            [["status"].as_slice(), &["remember", "x"], &["recall", "x"], &["verify"], &["init"]]
        {
            let ran = machine.because(command).variable("BECAUSE_SPACE", name).run().ends(1);
            assert!(ran.err().contains("not a because space") || command == ["init"], "{ran}");
        }
        machine.because(["doctor"]).variable("BECAUSE_SPACE", name).run().ends(3);
        assert_eq!(std::fs::read(path).unwrap(), *bytes);
    }
    let folder = machine.because(["--space", "/dev/null", "status"]).run().ends(1);
    assert!(folder.err().contains("not a because space"), "{folder}");
}

#[test]
fn paths_need_not_be_utf8() {
    let machine = Machine::new();
    for name in
        [b"50% off?#1 'quoted' \"x\"".to_vec(), b"caf\xe9 \x1b[31m".to_vec(), "Ærø ☕".into()]
    {
        let folder = machine.work().join(std::ffi::OsString::from_vec(name));
        std::fs::create_dir(&folder).unwrap();
        let call = |arguments: &[&str]| {
            machine.because(arguments).within(&folder).at_home(&folder.join("home"))
        };
        call(&["init", "--json"]).run().succeeds().json();
        std::fs::write(folder.join("chat.jsonl"), crate::samples::CHAT).unwrap();
        let source = folder.join("chat.jsonl");
        for form in [None, Some("--json")] {
            call(&[])
                .arguments(["import".as_ref(), source.as_os_str()])
                .arguments(form)
                .run()
                .succeeds();
            for command in
                [["status"].as_slice(), &["verify"], &["recall", "glaze"], &["doctor"], &["key"]]
            {
                let ran = call(command).arguments(form).run().succeeds();
                assert!(!ran.out().contains('\u{1b}'), "{ran}");
            }
            let out = folder.join("out.jsonl");
            call(&["export", "--out"])
                .arguments([out.as_os_str()])
                .arguments(form)
                .run()
                .succeeds();
            let again = call(&["--space", "copy.db", "import"])
                .arguments([out.as_os_str()])
                .arguments(form);
            again.run().succeeds();
        }
        let mut files: Vec<_> = std::fs::read_dir(folder.join(".because"))
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect();
        files.sort();
        assert_eq!(files, [".gitignore", "space.db"]);
        assert_eq!(
            std::fs::read_dir(&folder).unwrap().count(),
            5,
            "home, .because, chat, export, copy"
        );
    }
    assert_eq!(
        std::fs::read_dir(machine.work()).unwrap().count(),
        3,
        "nothing beside the three folders"
    );
}
