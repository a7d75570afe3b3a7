//! What lists and records say as of a time, and of a time.

use serde_json::Value;

use crate::graph::{add, id_of, json};
use crate::machine::Machine;
use crate::patches::patch;

#[test]
fn lists_of_every_kind_are_as_of_a_time() {
    let machine = Machine::with_space();
    let lines = |arguments: &[&str]| -> Vec<Value> {
        let ran = machine.because(arguments.iter().copied()).arguments(["--json"]).run();
        let out = ran.succeeds().out();
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let now = || {
        std::thread::sleep(std::time::Duration::from_millis(2));
        jiff::Timestamp::now().to_string()
    };
    let (text, [note, claim, _]) = patch(&machine);
    json(&machine, &["values", "set", "I prefer short answers."]);
    json(&machine, &["settings", "set", "auto_learn", "off"]);
    let before = now();
    let propose = machine.because(["patch", "propose", "-", "--json"]).input(text.as_str()).run();
    let proposed = id_of(&propose.succeeds().json());
    let waiting = now();
    json(&machine, &["patch", "apply", &proposed]);
    json(&machine, &["values", "set", "I prefer long answers."]);
    json(&machine, &["settings", "set", "auto_learn", "on"]);
    let later = id_of(&json(&machine, &["remember", "Later"]));

    for list in [&["patch", "list"][..], &["review", "list"]] {
        let number = |as_of: &str| lines(&[list, &["--as-of", as_of]].concat()).len();
        assert_eq!((number(&before), number(&waiting), lines(list).len()), (0, 1, 0), "{list:?}");
    }
    for list in [&["patch", "list"][..], &["review", "list"]] {
        let number = |more: &[&str]| lines(&[list, &["--all"], more].concat()).len();
        let all = number(&["-n", "0"]);
        assert!(all >= 1, "{list:?}");
        assert_eq!((number(&["--contains", "nosuch"]), number(&["-n", "1"])), (0, 1), "{list:?}");
        assert_eq!(number(&["--contains", "TALK"]), 1, "{list:?}");
        let none = machine.because(list.iter().copied()).arguments(["--contains", "nosuch"]);
        none.run().succeeds().prints("has this text");
    }
    let value = |more: &[&str]| {
        let shown = json(&machine, &[&["settings", "show", "auto_learn"], more].concat());
        shown["value"].as_str().unwrap().to_owned()
    };
    assert_eq!((value(&["--as-of", &before]), value(&[])), ("off".to_owned(), "on".to_owned()));
    assert_eq!(value(&["--as-of", &before, "--valid-at", "2020"]), "off");
    let values = |more: &[&str]| {
        let shown = json(&machine, &[&["values", "show"], more].concat());
        shown["claims"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(values(&[]), "I prefer long answers.");
    assert_eq!(values(&["--as-of", &before]), "I prefer short answers.");
    assert_eq!(values(&["--as-of", "2020-01-01"]), "");

    let log = lines(&["log", "-n", "1", "--as-of", &before]);
    assert!(log[0]["recorded_at"].as_str().unwrap() <= before.as_str());
    assert_eq!(lines(&["log", "-n", "0", "--as-of", "2020"]).len(), 0);
    let cited = |more: &[&str]| {
        json(&machine, &[&["show", &note], more].concat())["cited_by"].as_array().unwrap().len()
    };
    assert_eq!((cited(&["--as-of", &before]), cited(&[]) > 3), (0, true));
    for command in [&["show"][..], &["explain"], &["why"], &["kg", "show"], &["node", "show"]] {
        let ran = machine.because(command.iter().copied());
        let ran = ran.arguments([&later, "--as-of", &before, "--json"]).run().ends(1);
        assert_eq!(ran.error_code(), "not_recorded_then", "{ran}");
        assert!(ran.err().contains("was not known then: it was recorded at 2"), "{ran}");
    }
    let window = ["--valid-from", "2025-01-01", "--valid-to", "2025-02-01"];
    let bounded = add(&machine, &[&["The kiln is borrowed."], &window[..]].concat());
    for (at, is_true) in [("2025-01-15", true), ("2025-03-01", false)] {
        assert_eq!(json(&machine, &["show", &bounded, "--valid-at", at])["in_window"], is_true);
    }
    let around = |more: &[&str]| {
        let found = json(&machine, &[&["patch", "context", "glaze"], more].concat());
        let of = found["records"].as_array().unwrap().iter();
        of.map(|it| it["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(around(&["--as-of", &before]), ["The glaze is celadon."]);
    let view = json(&machine, &["claim", "show", &claim, "--as-of", &before]);
    assert_eq!(view["status"], "active");
    assert!(around(&[]).contains(&"The glaze is oribe.".to_owned()));
    machine.because(["kg", "review", "--as-of", &before]).run().succeeds();
    machine.because(["log", "--follow", "--as-of", &before]).run().ends(2);
}

#[test]
fn what_is_around_a_record_is_true_now_or_at_the_time_asked() {
    let machine = Machine::with_space();
    let kiln = add(&machine, &["The kiln stands in the shed."]);
    let window = ["--valid-from", "2019-01-01", "--valid-to", "2020-01-01"];
    let rent = add(&machine, &[&["We rent our studio."], &window[..]].concat());
    json(&machine, &["edge", "add", "--type", "mentions", "--from", &rent, "--to", &kiln]);
    let around = |arguments: &[&str]| json(&machine, arguments).to_string();
    for command in [
        &["recall", "kiln", "--graph", "--search", "facts"][..],
        &["patch", "context", "kiln"],
        &["claim", "show", &kiln, "--graph"],
        &["kg", "show", &kiln],
        &["kg", "neighbours", &kiln],
    ] {
        let now = around(command);
        assert!(now.contains("shed") && !now.contains("rent"), "{now}");
        let then = around(&[command, &["--valid-at", "2019-06-01"]].concat());
        assert!(then.contains("shed") && then.contains("rent"), "{then}");
    }
    // A record itself is shown whenever it is true.
    assert!(around(&["claim", "show", &rent]).contains("rent"));
}

#[test]
fn every_wrong_field_of_an_operation_is_named_at_once() {
    let machine = Machine::with_space();
    let operations = serde_json::json!([
        {"op": "create_claim", "text": 7, "tags": "a", "confidence": "high", "color": "red",
            "valid_from": "soon", "sources": [1]},
        {"op": "create_edge", "type": "supports", "from": ["a"]},
    ]);
    machine.write("bad.json", serde_json::json!({ "operations": operations }).to_string());
    let refused = machine.because(["patch", "check", "bad.json", "--json"]).run().ends(3).json();
    let reasons = refused["reasons"].as_array().unwrap();
    let messages: Vec<&str> =
        reasons.iter().map(|reason| reason["message"].as_str().unwrap()).collect();
    for (place, field) in
        ["color", "confidence", "sources", "tags", "text", "valid_from", "type"].iter().enumerate()
    {
        assert!(messages[place].contains(&format!("`{field}`")), "{messages:?}");
    }
    assert_eq!(messages.len(), 9, "{messages:?}");
    assert!(messages[7].contains("`from`") && messages[8].contains("`to`"), "{messages:?}");
}

#[test]
fn what_is_derived_of_a_day_is_true_from_the_beginning_of_that_day_wherever_it_is() {
    let machine = Machine::with_space();
    let because = |zone: &str, arguments: &[&str]| {
        machine.because(arguments.iter().copied()).variable("TZ", zone).run().succeeds()
    };
    let tastes = |zone: &str, at: &str| {
        let out = because(zone, &["claims", "--type", "preference", "--valid-at", at]).out();
        out.contains("olives")
    };
    because("Pacific/Auckland", &["remember", "--at", "2025-06-10T08:00", "I can't stand olives."]);
    assert!(tastes("Pacific/Auckland", "2025-06-10T08:30"));
    assert!(!tastes("Pacific/Auckland", "2025-06-09"));
}

#[test]
fn an_event_of_several_days_is_found_on_each_of_them() {
    let machine = Machine::with_space();
    let trip = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:a\n\
        DTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20270110\nDTEND;VALUE=DATE:20270115\n\
        SUMMARY:Trip to Vienna\nEND:VEVENT\nEND:VCALENDAR\n";
    let path = machine.write("a.ics", trip);
    machine.because(["import", path.to_str().unwrap()]).run().succeeds();
    machine.because(["remember", "--at", "2026-11-02", "The kiln is hot."]).run().succeeds();
    let finds = |question: &str| {
        let found = machine.because(["recall", "--json", question]).run().succeeds().json();
        found["abstains"] == false && found.to_string().contains("Trip to Vienna")
    };
    for day in [10, 12, 14] {
        assert!(finds(&format!("What do I have on {day} January 2027?")), "{day}");
    }
    for day in [9, 15] {
        assert!(!finds(&format!("What do I have on {day} January 2027?")), "{day}");
    }
}
