//! Exporting a ledger as lines and importing it again: intact, damaged, of another space, with
//! times in the future.

use engine::Space;
use kernel::seal::Signer;

use crate::machine::Machine;

#[test]
fn an_imported_export_is_the_same_space() {
    let machine = Machine::with_chat();
    let written =
        machine.because(["export", "--out", "all.jsonl", "--json"]).run().succeeds().json();
    assert_eq!(written["operations"], 6);
    let printed = machine.because(["export"]).run().succeeds().out;
    assert_eq!(printed, std::fs::read(machine.work().join("all.jsonl")).unwrap());
    let copy =
        |arguments: &[&str]| machine.because(arguments).variable("BECAUSE_SPACE", "copy/space.db");
    let taken = copy(&["import", "all.jsonl", "--json"]).run().succeeds().json();
    // The genesis went in when the copy was made.
    assert_eq!(taken["sources"][0]["format"], "ledger");
    assert_eq!(
        (&taken["sources"][0]["intake"]["added"], &taken["sources"][0]["intake"]["refused"]),
        (&5.into(), &0.into())
    );
    assert_eq!(copy(&["export"]).run().succeeds().out, printed);
    let again = copy(&["import", "all.jsonl", "--json"]).run().succeeds().json();
    assert_eq!(again["sources"][0]["intake"]["present"], 6);
    // A dry run looks at what is there, and writes nothing.
    let dry = |file| {
        let report = copy(&["import", "--dry-run", file, "--json"]).run().succeeds().json();
        let intake = &report["sources"][0]["intake"];
        (intake["added"].as_u64().unwrap(), intake["present"].as_u64().unwrap())
    };
    assert_eq!(dry("all.jsonl"), (0, 6));
    machine.because(["remember", "The crane is red", "--space", "."]).run().succeeds();
    machine.because(["export", "--out", "more.jsonl"]).run().succeeds();
    let (added, present) = dry("more.jsonl");
    assert!(added > 0 && present == 6, "{added} new, {present} there");
    assert_eq!(dry("more.jsonl"), (added, present));
    assert_eq!(copy(&["export"]).run().succeeds().out, printed);
    copy(&["recall", "glaze"]).run().succeeds().prints("Tenmoku");
    assert_eq!(copy(&["verify", "--json"]).run().succeeds().json()["sound"], true);
    let dry = machine
        .because(["--space", "none.db", "import", "--dry-run", "all.jsonl"])
        .run()
        .succeeds();
    assert!(dry.out().contains("new") && !machine.work().join("none.db").exists());
    machine.because(["export", "--out", "missing/all.jsonl"]).run().ends(1).says("missing");
    machine.because(["export", "--out", "."]).run().ends(1);
}

#[test]
fn damaged_lines_and_operations_that_cite_them_are_refused() {
    let machine = Machine::with_chat();
    let export = machine.because(["export"]).run().succeeds().out();
    let mut lines: Vec<String> = export.lines().map(str::to_owned).collect();
    lines[4] = lines[4].replace("Thursday", "Saturday");
    lines.insert(2, "{\"not\":\"an operation\"}".to_owned());
    lines.insert(3, "[".repeat(100_000));
    machine.write("damaged.jsonl", lines.join("\n"));
    let copy = machine
        .because(["--space", "copy.db", "import", "damaged.jsonl", "--json"])
        .run()
        .ends(4)
        .json();
    let intake = &copy["sources"][0]["intake"];
    assert_eq!((&intake["added"], &intake["refused"]), (&3.into(), &4.into()), "{intake}");
    let refused: Vec<_> = intake["refusals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|refusal| refusal["line"].clone())
        .collect();
    // The import that follows the damaged turn lacks its predecessor.
    assert_eq!(refused, [3, 4, 7, 8]);
    machine.write("good.jsonl", export);
    machine
        .because(["--space", "copy.db", "import", "good.jsonl"])
        .run()
        .succeeds()
        .prints("2 operations new");
    assert_eq!(
        machine.because(["--space", "copy.db", "verify", "--json"]).run().succeeds().json()["sound"],
        true
    );
}

#[test]
fn the_ledger_of_another_space_is_refused() {
    let machine = Machine::with_chat();
    let other = Machine::with_chat();
    let export = other.because(["export"]).run().succeeds().out();
    machine.write("other.jsonl", export);
    let before = machine.because(["export"]).run().succeeds().out;
    let refused = machine.because(["import", "other.jsonl"]).run().ends(4).prints("wrong_space");
    let said = refused.prints("6 operations refused").prints("copy.db import 'other.jsonl'").out();
    assert!(!said.contains("never granted") && said.lines().count() == 4, "{said}");
    assert_eq!(machine.because(["export"]).run().succeeds().out, before);
    // The file of a space is named as what it is.
    let file = machine.because(["import", ".because/space.db"]).run().ends(1);
    file.says("because --space '.because/space.db' status");
}

#[test]
fn what_a_key_without_any_capability_signed_is_refused_in_one_line() {
    let machine = Machine::with_space();
    let laptop = machine.home().with_file_name("laptop");
    let key = machine.because(["key"]).at_home(&laptop).run().succeeds().out();
    machine.because(["grant", key.trim(), "--can", "append"]).run().succeeds();
    machine.because(["export", "--out", "granted.jsonl"]).run().succeeds();
    let there = |arguments: &[&str]| {
        let call = machine.because(["--space", "there.db"]).at_home(&laptop);
        call.arguments(arguments).run().succeeds()
    };
    there(&["import", "granted.jsonl"]);
    for number in 0..20 {
        there(&["remember", &format!("It fires at cone {number}")]);
    }
    let export = there(&["export"]).out();
    let is_grant = |line: &&str| line.contains("\"kind\":\"grant\"");
    let cut: Vec<&str> = export.lines().filter(|line| !is_grant(line)).collect();
    machine.write("cut.jsonl", cut.join("\n"));
    machine.because(["export", "--out", "before.jsonl"]).run().succeeds();
    let begun = std::fs::read_to_string(machine.work().join("granted.jsonl")).unwrap();
    machine.write("begun.jsonl", begun.lines().next().unwrap());
    machine.because(["--space", "here.db", "import", "begun.jsonl"]).run().succeeds();
    let refused = machine.because(["--space", "here.db", "import", "cut.jsonl"]).run().ends(4);
    let said = refused.prints("lines 2 to 21, 20 operations: ed25519:").out();
    assert_eq!(said.matches("never granted").count(), 1, "{said}");
    assert!(said.contains("because grant KEY --can append"), "{said}");
}

#[test]
fn an_export_becomes_the_home_space_of_another_computer() {
    let machine = Machine::new();
    let other = machine.home().with_file_name("other");
    machine.because(["--space", "global", "remember", "The kiln reads low"]).run().succeeds();
    machine.because(["--space", "global", "export", "--out", "home.jsonl"]).run().succeeds();
    let there = |arguments: &[&str]| machine.because(arguments).at_home(&other).run();
    there(&["import", "home.jsonl"]).ends(2).says("--space global");
    there(&["--space", "global", "import", "home.jsonl"]).succeeds();
    there(&["recall", "kiln"]).succeeds().prints("The kiln reads low").prints("not yours");
    let key = there(&["key"]).succeeds().out();
    let grant = ["--space", "global", "grant", key.trim(), "--can", "append"];
    machine.because(grant).run().succeeds();
    machine.because(["--space", "global", "export", "--out", "home.jsonl"]).run().succeeds();
    there(&["--space", "global", "import", "home.jsonl"]).succeeds();
    there(&["remember", "The clay is here"]).succeeds();
    assert!(!there(&["recall", "kiln"]).succeeds().out().contains("not yours"));
}

/// A ledger whose second operation, or whole, was made by a clock that is `hours` ahead.
fn made_ahead(machine: &Machine, genesis_hours: i64, hours: i64) -> Vec<u8> {
    let now = jiff::Timestamp::now();
    let ahead = |hours: i64| now + jiff::SignedDuration::from_hours(hours);
    let path = machine.work().join(format!("ahead-{genesis_hours}-{hours}.db"));
    let mut space =
        Space::create(&path, Signer::from_seed([7; 32]), "ahead", ahead(genesis_hours)).unwrap();
    let key = Signer::from_seed([8; 32]).author();
    let append = vec![kernel::kind::Capability::Append];
    space.change_access(key, "early", append.clone(), true, ahead(genesis_hours)).unwrap();
    space.change_access(key, "late", append, true, ahead(hours)).unwrap();
    let mut lines = Vec::new();
    space.export(&mut lines, |_| {}).unwrap();
    lines
}

#[test]
fn operations_more_than_a_day_ahead_are_refused() {
    let machine = Machine::new();
    let take_in = |name: &str, lines: Vec<u8>| {
        machine.write("ahead.jsonl", lines);
        machine.because(["--space", name, "import", "ahead.jsonl", "--json"]).run()
    };
    take_in("well.db", made_ahead(&machine, 0, 23)).succeeds();
    let intake =
        take_in("late.db", made_ahead(&machine, 0, 25)).ends(4).json()["sources"][0]["intake"]
            .clone();
    assert_eq!((&intake["added"], &intake["refused"]), (&1.into(), &1.into()), "{intake}");
    assert_eq!(intake["refusals"][0]["code"], "from_future");
    let whole = take_in("future.db", made_ahead(&machine, 48, 49)).ends(1);
    assert_eq!(whole.error_code(), "from_future");
    assert!(!machine.work().join("future.db").exists(), "no space may begin in the future");
}

#[test]
fn a_clock_set_back_does_not_change_the_order() {
    let machine = Machine::new();
    let noon: jiff::Timestamp = "2025-06-01T12:00:00Z".parse().unwrap();
    let path = machine.work().join("clock.db");
    let mut space = Space::create(&path, Signer::from_seed([7; 32]), "clock", noon).unwrap();
    let key = Signer::from_seed([8; 32]).author();
    let earlier = [
        "2025-06-01T11:00:00Z",
        "1970-01-01T00:00:00Z",
        "1931-01-01T00:00:00Z",
        "2025-06-01T12:30:00Z",
    ];
    let mut ids = Vec::new();
    for now in earlier {
        let now = now.parse().unwrap();
        ids.push(
            space
                .change_access(
                    key,
                    now_name(now),
                    vec![kernel::kind::Capability::Append],
                    true,
                    now,
                )
                .unwrap(),
        );
    }
    let mut exported = Vec::new();
    space.export(&mut exported, |_| {}).unwrap();
    let order: Vec<String> =
        String::from_utf8(exported).unwrap().lines().skip(1).map(id_in).collect();
    assert_eq!(order, ids.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(space.verify(|_| {}).unwrap().is_sound());
}

fn now_name(now: jiff::Timestamp) -> &'static str {
    if now.as_second() < 0 { "before the epoch" } else { "after it" }
}

fn id_in(line: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    value["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_selector_that_selects_nothing_is_named() {
    let machine = Machine::with_space();
    machine.because(["remember", "note one"]).run().succeeds();
    let export = |selector: &str| {
        let arguments = ["export", "--without", selector, "--out", "x.jsonl"];
        let _ = std::fs::remove_file(machine.work().join("x.jsonl"));
        machine.because(arguments).run().succeeds().err()
    };
    for selector in ["type=relationshp", "kind=turns", "source=chatjsonl"] {
        assert!(export(selector).contains(&format!("nothing in the space is {selector}")));
    }
    assert!(!export("kind=note").contains("nothing in the space"));
}
