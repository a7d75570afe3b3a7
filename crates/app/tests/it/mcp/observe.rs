//! What memory brings up unasked while a host passes on the turns of a conversation.

use serde_json::{Value, json};

use super::host::Host;
use crate::machine::Machine;

/// Most calls until the search for a turn has finished, on a busy machine.
const CALLS_MAX: usize = 200;

const GLAZE: &str = "Idris recommends tenmoku glaze for the tall bowls.";
const ELECTRICIAN: &str = "The electrician comes on Tuesday evening to look at the kiln.";

const PRIVATE: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:t\r\nBEGIN:VEVENT\r\nDTSTAMP:20250101T000000Z\r\nUID:p1\r\nCLASS:PRIVATE\r\nSUMMARY:The kiln room code is 4711\r\nDTSTART:20250107T180000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// A space with some notes.
fn machine() -> Machine {
    let machine = Machine::with_space();
    for note in [
        GLAZE,
        ELECTRICIAN,
        "The pottery class meets at seven in the old harbour hall.",
        "Mara parked the van behind the bakery.",
        "The insurance of the boat ends in October.",
        "Jonas is allergic to walnuts.",
    ] {
        machine.because(["remember", note]).run().succeeds();
    }
    machine
}

/// Passes on a turn, again while the search for it goes on: a repeated turn counts once. The texts
/// of all answers, and the ids of everything that surfaced.
fn observes(host: &mut Host, turn: Value) -> (String, Vec<String>) {
    let (mut context, mut ids) = (String::new(), Vec::new());
    for _ in 0..CALLS_MAX {
        let answer = host.gets("observe", turn.clone());
        context.push_str(answer["context"].as_str().unwrap());
        let items = answer["items"].as_array().unwrap();
        ids.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        if answer["searching"] == false || turn["speaker"] == "assistant" {
            return (context, ids);
        }
    }
    panic!("the search does not end");
}

#[test]
fn what_fits_a_turn_surfaces_unasked_and_once_in_a_conversation() {
    let machine = machine();
    let mut host = Host::of(&machine);
    let turn = |text: &str| json!({ "text": text });
    let glazing = "I want to glaze the tall bowls this weekend";
    let (context, ids) = observes(&mut host, turn(glazing));
    assert!(context.contains(&format!("| {GLAZE}")), "{context}");
    assert!(!context.contains("insurance") && !context.contains("van"), "{context}");
    // Not again, in other words or the same; what is new surfaces.
    let (context, again) = observes(&mut host, turn("which glaze for the tall bowls, tenmoku?"));
    assert!(!again.iter().any(|id| ids.contains(id)), "{context}");
    let (context, _) = observes(&mut host, turn("And the kiln: when does the electrician come?"));
    assert!(context.contains(ELECTRICIAN) && !context.contains(GLAZE), "{context}");
    // Another conversation in the same process has seen nothing yet.
    let other = json!({ "text": glazing, "session": "another" });
    assert!(observes(&mut host, other).0.contains(GLAZE));
    assert_eq!(observes(&mut host, turn(glazing)).1, Vec::<String>::new());
    host.leaves();
    let listed = machine.because(["receipts", "--json"]).run().succeeds().json();
    let of_other = |receipt: &Value| receipt["session"] == "another";
    assert!(listed["receipts"].as_array().unwrap().iter().any(of_other), "{listed}");
}

#[test]
fn what_has_changed_surfaces_with_what_it_replaces() {
    let machine = machine();
    for (at, text) in [("2026-10-01", "I live in Lyon."), ("2026-11-01", "I moved to Toulouse.")] {
        machine.because(["remember", "--at", at, text]).run().succeeds();
    }
    let mut host = Host::of(&machine);
    let turn = json!({ "text": "Find me a plumber near where I live." });
    let (context, _) = observes(&mut host, turn);
    let place = |text: &str| context.find(text);
    assert!(place("Toulouse").is_some() && place("Toulouse") < place("Lyon"), "{context}");
    host.leaves();
}

#[test]
fn what_other_tools_showed_or_wrote_does_not_surface() {
    let machine = machine();
    let mut host = Host::of(&machine);
    assert!(host.texts("Which glaze for the tall bowls?").contains(&GLAZE.to_owned()));
    let turns = json!([{ "speaker": "user", "text": "When does the electrician come?" }]);
    let context = host.gets("get_context", json!({ "turns": turns }));
    assert!(context["context"].as_str().unwrap().contains(ELECTRICIAN), "{context}");
    let own = json!({ "text": "The blue bowls crack if the kiln cools fast.", "actor": "user" });
    host.gets("remember", own);
    for text in [
        "which glaze for the tall bowls",
        "when does the electrician come to the kiln",
        "the blue bowls crack in the kiln when it cools fast",
    ] {
        let (context, _) = observes(&mut host, json!({ "text": text }));
        for shown in [GLAZE, ELECTRICIAN, "The blue bowls crack"] {
            assert!(!context.contains(shown), "{text}: {context}");
        }
    }
    host.leaves();
}

#[test]
fn an_answer_of_the_assistant_is_followed_and_brings_something_up_with_the_next_turn() {
    let machine = machine();
    let mut host = Host::of(&machine);
    observes(&mut host, json!({ "text": "What shall we do on the weekend?" }));
    let reply =
        json!({ "text": "We could look at the insurance of the boat.", "speaker": "assistant" });
    let (context, ids) = observes(&mut host, reply);
    assert_eq!((context.as_str(), ids.len()), ("", 0));
    let (context, _) = observes(&mut host, json!({ "text": "Good idea, do that" }));
    assert!(context.contains("| The insurance of the boat ends in October."), "{context}");
    host.leaves();
}

#[test]
fn small_talk_brings_up_nothing_and_neither_does_what_the_turn_itself_says() {
    let machine = machine();
    let mut host = Host::of(&machine);
    for text in ["ok, thanks!", "yes", "🥜", "Perfect, go on", "?", GLAZE] {
        let answer = host.calls("observe", json!({ "text": text, "session": text }));
        assert_eq!(answer["structuredContent"]["items"], json!([]), "{text}: {answer}");
        let (context, _) = observes(&mut host, json!({ "text": text, "session": text }));
        assert_eq!(context, "", "{text}");
        let words = answer["content"][0]["text"].as_str().unwrap();
        assert!(words.len() < 80, "nothing costs few tokens: {words}");
    }
    host.leaves();
}

#[test]
fn nothing_surfaces_that_is_private_or_was_forgotten_since_it_was_searched() {
    let machine = Machine::with_space();
    machine.write("code.ics", PRIVATE);
    machine.because(["import", "code.ics"]).run().succeeds();
    let noted = machine.because(["--json", "remember", ELECTRICIAN]).run().succeeds().json();
    let mut host = Host::of(&machine);
    observes(
        &mut host,
        json!({ "text": "Hello, it is about the kiln and the electrician", "speaker": "assistant" }),
    );
    machine.because(["forget", "--yes", noted["id"].as_str().unwrap()]).run().succeeds();
    let (context, ids) = observes(
        &mut host,
        json!({ "text": "When does the electrician come, and what is the kiln room code?" }),
    );
    assert_eq!((context.as_str(), ids.len()), ("", 0));
    host.leaves();
}

#[test]
fn somebody_elses_memory_is_named_as_theirs() {
    let machine = machine();
    let guest = machine.work().join("guest-home");
    let call = machine.because(["mcp"]).at_home(&guest);
    let mut host = Host::calling(call.variable("BECAUSE_SPACE", machine.space().as_os_str()));
    host.greet();
    let turn = json!({ "text": "which glaze for the tall bowls" });
    let (context, _) = observes(&mut host, turn);
    assert!(context.contains("somebody else's") && context.contains(GLAZE), "{context}");
    let answer = host.gets("observe", json!({ "text": "and the kiln" }));
    assert!(answer["owner"]["key"].is_string() && answer["receipt"].is_null(), "{answer}");
    // What the owner writes meanwhile surfaces, and what was shown does not come again.
    let note = "The celadon glaze for the tall bowls arrives on Monday.";
    machine.because(["remember", note]).run().succeeds();
    let (context, _) =
        observes(&mut host, json!({ "text": "any glaze for the tall bowls, perhaps celadon?" }));
    assert!(context.contains(note) && !context.contains(GLAZE), "{context}");
    host.leaves();
}

#[test]
fn the_hooks_that_are_installed_pass_turns_that_the_tool_takes() {
    let machine = machine();
    let folder = machine.work().join("claude");
    let install = machine.because(["install", "claude-code", "--hook"]);
    install.variable("CLAUDE_CONFIG_DIR", &folder).run().succeeds();
    let settings = std::fs::read_to_string(folder.join("settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let input = |event: &str| settings["hooks"][event][0]["hooks"][0]["input"].clone();
    let mut host = Host::of(&machine);
    observes(&mut host, input("Stop"));
    let mut turn = input("UserPromptSubmit");
    turn["text"] = json!("which glaze for the tall bowls");
    let (context, _) = observes(&mut host, turn);
    assert!(context.contains(GLAZE), "{context}");
    host.leaves();
}

#[test]
fn arguments_are_checked_and_a_budget_is_kept() {
    let machine = machine();
    let mut host = Host::of(&machine);
    let answer = host.gets("observe", json!({ "text": " \n", "speaker": null }));
    assert_eq!((&answer["items"], &answer["searching"]), (&json!([]), &json!(false)), "{answer}");
    host.fails("arguments", "observe", json!({ "turns": [] }));
    let too_much = json!({ "text": "the kiln", "budget_tokens": 1_000_001 });
    host.fails("out_of_range", "observe", too_much);
    let nothing =
        json!({ "text": "which glaze for the tall bowls", "budget_tokens": 0, "session": "a" });
    assert_eq!(observes(&mut host, nothing).0, "");
    let long = format!("{} which glaze for the tall bowls", "lorem ipsum ".repeat(50_000));
    let turn = json!({ "text": long, "session": "b".repeat(10_000), "speaker": "u".repeat(10_000), "budget_tokens": 90 });
    let answer = host.gets("observe", turn);
    assert!(answer["tokens"].as_u64().unwrap() <= 90, "{answer}");
    host.leaves();
    let machine = Machine::new();
    let mut host = Host::of(&machine);
    let answer = host.gets("observe", json!({ "text": "which glaze for the tall bowls" }));
    assert_eq!((&answer["items"], &answer["searching"]), (&json!([]), &json!(false)), "{answer}");
    host.leaves();
}
