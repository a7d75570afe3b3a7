//! Text from records cannot control the terminal; broken pipes and closed streams.

use crate::machine::Machine;

/// Clears the screen, sets the title, turns text red, writes to the clipboard, by seven-bit and by
/// eight-bit sequences.
const LADEN: &str = "kiln \u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[31m\u{1b}]52;c;ZXZpbA==\u{1b}\\ \u{9b}2J \u{9d}0;x\u{9c} \u{90}q \u{7f}\u{8}\u{8}\r\u{202e}liar\u{2066} \u{200b}end";

/// Fails if a terminal would interpret anything in it other than text and the program's own
/// colours.
fn is_harmless(shown: &str) {
    let mut rest = shown;
    while let Some(at) =
        rest.find(|c: char| c.is_control() && c != '\n' || "\u{202e}\u{2066}".contains(c))
    {
        let own = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];
        let colour = own.iter().find(|own| rest[at..].starts_with(**own));
        let colour = colour.unwrap_or_else(|| panic!("{:?} in {shown:?}", &rest[at..]));
        rest = &rest[at + colour.len()..];
    }
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// An environment whose space, sources and grants contain escape sequences wherever others can
/// choose a text.
fn laden() -> Machine {
    let machine = Machine::new();
    machine.because(["init", "--name", LADEN]).run().succeeds();
    machine.because(["remember", "--actor", LADEN, "--tag", LADEN, LADEN]).run().succeeds();
    let line = format!(
        "{{\"session\":{0},\"speaker\":{0},\"time\":\"2025-01-08T19:42:00Z\",\"text\":{0}}}\n{{\"broken{1}\":",
        json(LADEN),
        "\u{1b}[31m"
    );
    machine.write("\u{1b}[31mchat.jsonl", line);
    machine.because(["import", "--format", "chat-jsonl", "\u{1b}[31mchat.jsonl"]).run().ends(4);
    let calendar = crate::samples::CALENDAR.replace("Pottery class", &LADEN.replace('\r', " "));
    machine.write("class.ics", calendar.replace("class@x", "\u{1b}[2J@x"));
    machine.because(["import", "class.ics"]).run();
    let key =
        machine.because(["key"]).at_home(&machine.work().join("other")).run().succeeds().out();
    machine.because(["grant", key.trim(), "--name", LADEN, "--can", "append"]).run().succeeds();
    machine
}

#[test]
fn records_names_and_paths_cannot_control_the_terminal() {
    let machine = laden();
    let ids: Vec<String> = machine
        .because(["log", "-n", "0", "--json"])
        .run()
        .succeeds()
        .json_lines()
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let mut calls: Vec<Vec<&str>> = vec![
        vec!["recall", "--explain", "--around", "2", "kiln"],
        vec!["recall", "kiln", "--space", ".", "--space", "."],
        vec!["recall", LADEN],
        vec!["log"],
        vec!["status"],
        vec!["verify"],
        vec!["doctor"],
        vec!["import", "--format", "chat-jsonl", "\u{1b}[31mchat.jsonl"],
        vec!["import", "--dry-run", "class.ics"],
        vec!["import", "\u{1b}[31mmissing"],
        vec!["import", "--format", LADEN, "x"],
        vec!["show", LADEN],
        vec!["remember", "--at", LADEN, "x"],
        vec!["log", "--author", LADEN],
        vec!["--space", "\u{1b}[31mmissing", "status"],
        vec!["--space", "\u{1b}[31mmade.db", "init", "--name", LADEN],
    ];
    calls.extend(ids.iter().map(|id| vec!["show", id.as_str()]));
    for call in calls {
        for form in [None, Some("--json")] {
            let mut arguments = call.clone();
            arguments.splice(0..0, form);
            // As on a terminal. Otherwise colours and whatever looks like them are stripped from a
            // pipe.
            let ran = machine.because(arguments).variable("CLICOLOR_FORCE", "1").run();
            is_harmless(&ran.out());
            is_harmless(&ran.err());
        }
    }
}

#[test]
fn what_nobody_sees_is_shown_to_nobody() {
    let machine = Machine::with_space();
    // Tag characters, which spell a word for a model alone, marks of direction and joiners.
    let hidden = "\u{e0073}\u{e0065}\u{e006e}\u{e0064}\u{200b}\u{200e}\u{200f}\u{61c}\u{2060}";
    let note = format!("The kiln{hidden} is{hidden} warm.");
    machine.because(["remember", &note]).run().succeeds();
    let id = machine.because(["log", "-n", "1", "--json"]).run().succeeds().json()["id"].clone();
    for command in [
        &["recall", "kiln"][..],
        &["context", "--question", "kiln"],
        &["log"],
        &["show", id.as_str().unwrap()],
    ] {
        let shown = machine.because(command).run().succeeds().out();
        assert!(shown.contains("The kiln is warm."), "{command:?}: {shown}");
        assert!(!shown.contains(|c| hidden.contains(c)), "{command:?}: {shown:?}");
    }
}

#[test]
fn json_on_a_pipe_loses_no_character() {
    let machine = Machine::with_space();
    let id = machine.because(["remember", LADEN, "--json"]).run().succeeds().json();
    let shown = machine.because(["show", id["id"].as_str().unwrap(), "--json"]).run().succeeds();
    assert_eq!(shown.json()["body"]["payload"]["text"], LADEN.trim());
    is_harmless(&shown.out());
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", crate::samples::long_chat(3_000));
    machine.because(["import", "chat.jsonl"]).run().succeeds();
    let commands = [
        "log -n 0",
        "log -n 0 --json",
        "export",
        "recall -k 1000 bowl",
        "completions bash",
        "demo",
        "--help",
        "status",
    ];
    for command in commands {
        for reader in ["head -c 1", "true"] {
            let script =
                format!("{{ $BECAUSE {command}; echo $? >&2; }} | {reader} >/dev/null; wait");
            let ran = machine.shell(&script).run().succeeds();
            assert_eq!(ran.err(), "0\n", "{command}: {ran}");
        }
    }
}

#[test]
fn closed_and_full_streams_are_reported_or_ignored() {
    let machine = Machine::with_chat();
    machine.shell("$BECAUSE remember - <&-").run().ends(2).says("empty");
    machine.shell("$BECAUSE recall glaze <&-").run().succeeds().prints("Tenmoku");
    machine.shell("$BECAUSE recall glaze 2>&-").run().succeeds().prints("Tenmoku");
    machine.shell("$BECAUSE recall glaze >&-").run().succeeds();
    for command in ["recall glaze", "log", "log --json", "export", "status", "completions bash"] {
        machine.shell(&format!("$BECAUSE {command} >/dev/full")).run().ends(1).says("cannot");
    }
    machine.shell("$BECAUSE show nothing 2>/dev/full; exit 0").run().succeeds();
}
