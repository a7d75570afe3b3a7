//! Newer statements before older ones, for agents and on the command line.

use serde_json::{Value, json};

use super::host::Host;
use crate::machine::Machine;

#[test]
fn what_an_agent_notes_later_replaces_what_it_noted_before() {
    let machine = Machine::with_space();
    let mut host = Host::of(&machine);
    let mut id_of = |text: &str, actor: Option<&str>, at: &str| -> String {
        let note = json!({ "text": text, "actor": actor, "at": at });
        host.gets("remember", note)["id"].as_str().unwrap().to_owned()
    };
    let old = id_of("lives in Porto", None, "2025-01-01");
    id_of("I live in Bergen", Some("Ana"), "2025-01-02");
    id_of("I moved the meeting to Oslo", None, "2025-01-03");
    let new = id_of("lives in Lisbon now", None, "2025-02-01");
    let recalled = host.gets("recall", json!({ "query": "Who lives in Porto?", "limit": 4 }));
    let episodes = recalled["episodes"].as_array().unwrap();
    let place = |id: &str| episodes.iter().position(|episode| episode["id"] == id).unwrap();
    assert_eq!(place(&new) + 1, place(&old), "{recalled}");
    assert_eq!(episodes[place(&new)]["replaces"], json!([old]));
    let replacing = episodes.iter().filter(|episode| episode["replaces"] != Value::Null);
    assert_eq!(replacing.count(), 1, "{recalled}");
    let turns = [json!({ "speaker": "Mara", "text": "Who lives in Porto?" })];
    let context = host.gets("get_context", json!({ "turns": turns }));
    let text = context["context"].as_str().unwrap_or_default().to_owned();
    // There are so many of the same words in the older that it is left out as a repetition.
    assert!(text.contains("| lives in Lisbon now") && text.contains("replaces [b3:"), "{text}");
    assert!(!text.contains("| lives in Porto"), "{text}");
    host.leaves();
    for text in ["My phone number is 4711 22 33", "my new number is 4711 22 44"] {
        machine.because(["remember", text]).run().succeeds();
    }
    machine
        .because(["recall", "-k", "1", "What is my phone number?"])
        .run()
        .succeeds()
        .prints("my new number is 4711 22 44")
        .prints("replaces what was said before");
    let question = "What is my phone number?";
    let answer = machine.because(["ask", "--no-save", question]).run().succeeds();
    let out = answer.out();
    let first: Vec<&str> = out.lines().take(2).collect();
    let both = ["my new number is 4711 22 44 [1]", "Earlier: My phone number is 4711 22 33 [2]"];
    assert_eq!(first, both, "{out}");
    answer.prints("replaced by 1");
    let mut host = Host::of(&machine);
    let asked = host.gets("inner_voice", json!({ "content": question, "save": false }));
    let sources = asked["sources"].as_array().unwrap();
    assert_eq!(sources[1]["replaced_by"], sources[0]["thought_id"], "{asked}");
    host.leaves();
}

/// The lines of an answer before its sources, from a home with files, and with what the user wrote.
fn answer(machine: &Machine, question: &str) -> Vec<String> {
    let out = machine.because(["ask", "--rules", "--no-save", question]).run().succeeds().out();
    let lines = out.lines().take_while(|line| !line.starts_with("  "));
    lines.map(|line| line.split(" [").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn answers_say_when_an_event_is_and_which_tasks_are_open() {
    let machine = Machine::with_space();
    let lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "BEGIN:VEVENT",
        "UID:1",
        "DTSTART:20251208T143000",
        "DTEND:20251208T150000",
        "SUMMARY:Dentist check-up",
        "LOCATION:Harbour Dental",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:2",
        "DTSTART:20250818T193000",
        "RRULE:FREQ=WEEKLY;COUNT=300",
        "SUMMARY:Orchestra",
        "END:VEVENT",
        "BEGIN:VTODO",
        "UID:3",
        "SUMMARY:Book the venue",
        "DUE;VALUE=DATE:20251210",
        "STATUS:NEEDS-ACTION",
        "END:VTODO",
        "BEGIN:VTODO",
        "UID:4",
        "SUMMARY:Pay the rent",
        "STATUS:COMPLETED",
        "END:VTODO",
        "END:VCALENDAR",
    ];
    machine.write("calendar.ics", lines.join("\r\n") + "\r\n");
    machine.write("todo.md", "# Garden\n\n- [ ] water the tulips\n- [x] buy pots\n- [ ] weed\n");
    for file in ["calendar.ics", "todo.md"] {
        machine.because(["import", file]).run().succeeds();
    }
    assert_eq!(
        answer(&machine, "When is the dentist?")[0],
        "Dentist check-up, Mon 2025-12-08 14:30–15:00, Harbour Dental"
    );
    let orchestra = answer(&machine, "When is the orchestra?");
    assert!(orchestra[0].starts_with("Orchestra: Every Monday, 19:30"), "{orchestra:?}");
    for question in ["What do I still have to do?", "Which tasks are open?"] {
        let mut open = answer(&machine, question);
        open.sort();
        assert_eq!(
            open,
            ["Book the venue: Due Wed 2025-12-10", "water the tulips; weed"],
            "{question}"
        );
    }
}

#[test]
fn what_the_user_likes_does_not_answer_for_somebody_else() {
    let machine = Machine::with_space();
    machine.because(["remember", "I love mushrooms."]).run().succeeds();
    machine.because(["remember", "--actor", "Callum", "The kiln is warm."]).run().succeeds();
    let of_user = answer(&machine, "Do I like mushrooms?");
    assert!(of_user.contains(&"You like mushrooms".to_owned()), "{of_user:?}");
    let of_callum = answer(&machine, "Does Callum like mushrooms?");
    assert!(!of_callum.contains(&"You like mushrooms".to_owned()), "{of_callum:?}");
    machine.because(["me", "--name", "Callum Reid"]).run().succeeds();
    let of_callum = answer(&machine, "Does Callum like mushrooms?");
    assert!(of_callum.contains(&"You like mushrooms".to_owned()), "{of_callum:?}");
}

#[test]
fn a_record_says_what_the_user_overruled_of_it_and_a_correction_answers_first() {
    let machine = Machine::with_space();
    for text in ["I live in Rome and my sister is called Clara.", "I love jazz."] {
        machine.because(["remember", text]).run().succeeds();
    }
    let sister = "relationship.sister|clara";
    let (maria, jazz) = ("Maria is your sister", "preference.music|jazz");
    machine.because(["correct", sister, "--set", "name=Maria"]).run().succeeds().prints(maria);
    for wrong in ["polarity=meh", r#"{"zork":1}"#] {
        machine.because(["correct", jazz, "--set", wrong]).run().ends(2).says("polarity");
    }
    machine.because(["refute", jazz]).run().succeeds();
    let corrected = format!("corrected: {maria}");
    machine.because(["recall", "jazz"]).run().succeeds().prints("refuted: You like jazz");
    machine.because(["recall", "my sister Clara"]).run().succeeds().prints(&corrected);
    let question = "What is my sister called?";
    let answer = machine.because(["ask", "--no-save", question]).run().succeeds();
    assert!(answer.out().starts_with(&format!("{maria} [1]")), "{}", answer.out());
    answer.prints(&corrected);
    let answer = machine.because(["ask", "--no-save", "--json", question]).run().succeeds().json();
    let overruled = &answer["sources"][1]["overruled"][0];
    assert_eq!(overruled["key"], sister, "{answer}");
    assert_eq!((&overruled["state"], &overruled["text"]), (&json!("corrected"), &json!(maria)));
    let mut host = Host::of(&machine);
    let query = json!({ "query": "jazz", "search_type": "episodes" });
    let refuted = &host.gets("recall", query.clone())["episodes"][0]["overruled"][0].clone();
    assert_eq!((&refuted["key"], &refuted["state"]), (&json!(jazz), &json!("refuted")));
    let words = host.calls("recall", query)["content"][0]["text"].to_string();
    assert!(words.contains("The user refuted this: You like jazz"), "{words}");
    host.leaves();
}
