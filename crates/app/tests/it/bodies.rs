//! Exports with bodies missing: taken out on the way, and withheld on purpose.

use serde_json::{Value, json};

use crate::machine::{Call, Machine};
use crate::mcp::host::Host;

const OLIVES: &str = "preference.food|olives";

/// A space in which the owner likes olives and walnuts.
fn liking() -> Machine {
    let machine = Machine::with_space();
    machine.because(["remember", "I love olives."]).run().succeeds();
    machine.because(["remember", "I love walnuts."]).run().succeeds();
    machine
}

/// The owner's export, in which operations of a kind have lost their bodies.
fn stripped(machine: &Machine, kind: &str) -> (String, String) {
    let whole = machine.because(["export"]).run().succeeds().out();
    let strip = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if value["header"]["kind"] == kind {
            value["body"] = Value::Null;
            value["salt"] = Value::Null;
        }
        format!("{value}\n")
    };
    let stripped: String = whole.lines().map(strip).collect();
    assert_ne!(stripped, whole);
    machine.write("whole.jsonl", &whole);
    machine.write("stripped.jsonl", &stripped);
    (whole, stripped)
}

/// The program in a copy of the space that another person keeps.
fn other(machine: &Machine, arguments: &[&str]) -> Call {
    let home = machine.work().join("other-home");
    machine.because(["--space", "copy.db"]).arguments(arguments).at_home(&home)
}

fn refused(machine: &Machine) -> Vec<String> {
    let report = other(machine, &["import", "stripped.jsonl", "--json"]).run().ends(4).json();
    let refusals = report["sources"][0]["intake"]["refusals"].as_array().unwrap().clone();
    refusals.iter().map(|refusal| refusal["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_correction_that_was_stripped_is_refused_until_the_whole_form_comes() {
    let machine = liking();
    let text = ["correct", OLIVES, "--text", "You hate olives."];
    machine.because(text).run().succeeds();
    machine.because(["remember", "Olives are green."]).run().succeeds();
    let (whole, _) = stripped(&machine, "claim_correction");
    let codes = refused(&machine);
    assert_eq!(codes[0], "body_missing");
    assert!(codes[1..].iter().all(|code| code == "chain_broken"), "{codes:?}");
    other(&machine, &["import", "stripped.jsonl"]).run().ends(4).prints("import a whole export");
    other(&machine, &["verify"]).run().succeeds();
    other(&machine, &["import", "whole.jsonl"]).run().succeeds();
    assert_eq!(other(&machine, &["export"]).run().succeeds().out(), whole);
    other(&machine, &["claims"]).run().succeeds().prints("You hate olives.");
}

#[test]
fn a_revocation_that_was_stripped_is_refused() {
    let machine = liking();
    let phone = machine.work().join("phone");
    let key = machine.because(["key"]).at_home(&phone).run().succeeds().out().trim().to_owned();
    for verb in ["grant", "revoke"] {
        machine.because([verb, &key, "--can", "append"]).run().succeeds();
    }
    stripped(&machine, "revoke");
    assert_eq!(refused(&machine)[0], "body_missing");
    other(&machine, &["import", "whole.jsonl"]).run().succeeds();
    assert_eq!(other(&machine, &["verify", "--json"]).run().succeeds().json()["sound"], true);
}

#[test]
fn records_that_were_stripped_are_listed_until_the_whole_form_heals_the_copy() {
    let machine = liking();
    let (whole, _) = stripped(&machine, "evidence");
    other(&machine, &["import", "stripped.jsonl"]).run().succeeds().prints("without their bodies");
    let found = other(&machine, &["verify", "--json"]).run().ends(3).json();
    assert_eq!((&found["bodies"]["missing"], &found["damage_count"]), (&2.into(), &2.into()));
    let finding = &found["findings"][0];
    assert_eq!(finding["code"], "body_missing");
    assert!(finding["hint"].as_str().unwrap().contains("whole export"), "{finding}");
    other(&machine, &["status"]).run().succeeds().prints("2 missing");
    let healed = other(&machine, &["import", "whole.jsonl", "--json"]).run().succeeds().json();
    let intake = &healed["sources"][0]["intake"];
    assert_eq!((&intake["added"], &intake["completed"]), (&0.into(), &2.into()));
    assert_eq!(other(&machine, &["export"]).run().succeeds().out(), whole);
    assert_eq!(
        other(&machine, &["status", "--json"]).run().succeeds().json()["bodies"]["missing"],
        0
    );
    other(&machine, &["recall", "walnuts"]).run().succeeds().prints("I love walnuts.");
    other(&machine, &["verify"]).run().succeeds();
}

#[test]
fn a_redacted_export_is_used_by_its_recipient_and_comes_back_without_a_trace() {
    let machine = liking();
    let friend = machine.work().join("other-home");
    let key = machine.because(["key"]).at_home(&friend).run().succeeds().out().trim().to_owned();
    for capability in ["derive", "append", "correct"] {
        machine.because(["grant", &key, "--can", capability]).run().succeeds();
    }
    let whole = machine.because(["export"]).run().succeeds().out();
    machine.write("whole.jsonl", &whole);
    let share = ["export", "--for", &key, "--claims-only", "--out", "shared.jsonl"];
    machine.because(share).run().succeeds().prints("2 bodies withheld (2 evidence)");
    let report = machine.because(share).arguments(["--json"]).run().succeeds().json();
    assert_eq!(report["withheld"]["evidence"], 2);
    let lines = std::fs::read_to_string(machine.work().join("shared.jsonl")).unwrap();
    assert!(!lines.contains("I love olives.") && lines.contains(OLIVES));

    other(&machine, &["import", "shared.jsonl"]).run().succeeds();
    other(&machine, &["recall", "do I like olives"]).run().succeeds().prints("olives");
    other(&machine, &["explain", OLIVES]).run().succeeds().prints("(withheld)");
    let verified = other(&machine, &["verify", "--json"]).run().succeeds().json();
    assert_eq!((&verified["sound"], &verified["finding_count"]), (&true.into(), &0.into()));
    assert_eq!(verified["bodies"]["withheld"], 2);
    let derived = other(&machine, &["derive", "--full", "--json"]).run().succeeds().json();
    let counts = ["retracted", "updated", "not_judged"].map(|name| &derived["derived"][name]);
    assert_eq!(counts, [0, 0, 2], "{derived}");
    other(&machine, &["claims"]).run().succeeds().prints("olives");

    other(&machine, &["export", "--out", "back.jsonl"]).run().succeeds();
    machine.because(["import", "back.jsonl"]).run().succeeds().prints("0 operations new");
    assert_eq!(machine.because(["export"]).run().succeeds().out(), whole);
    other(&machine, &["import", "whole.jsonl"]).run().succeeds().prints("2 of them had no body");
    assert_eq!(other(&machine, &["export"]).run().succeeds().out(), whole);
}

#[test]
fn an_export_that_cannot_be_made_that_way_says_why() {
    let machine = liking();
    machine.because(["export", "--without", "secret=x"]).run().ends(2).says("source=NAME");
    machine.because(["export", "--for", "bob"]).run().ends(2).says("because key");
    let refused = machine.because(["export", "--without", "kind=grant", "--json"]).run().ends(2);
    assert_eq!(refused.error_code(), "always_whole");
    let stranger = machine.work().join("stranger");
    machine.because(["trust"]).at_home(&stranger).run().succeeds();
    let refused =
        machine.because(["export", "--claims-only", "--json"]).at_home(&stranger).run().ends(1);
    assert_eq!(refused.error_code(), "not_permitted");
}

#[test]
fn altered_text_is_shown_nowhere_and_an_export_without_it_is_incomplete() {
    let machine = liking();
    let whole = machine.because(["export"]).run().succeeds().out();
    machine.write("whole.jsonl", &whole);
    let id = machine.because(["log", "--kind", "note", "-n", "1", "--json"]).run().succeeds();
    let id = id.json()["id"].as_str().unwrap().to_owned();
    let alter =
        "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'walnuts', 'poisons') AS BLOB)
        WHERE kind = 'evidence'";
    let connection = rusqlite::Connection::open(machine.space()).unwrap();
    connection.execute_batch(alter).unwrap();
    connection.close().unwrap();
    let listed = machine.because(["log", "--json"]).run().succeeds();
    let last = listed.out();
    let altered: Vec<Value> = last
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["altered"] == true)
        .collect();
    assert_eq!(altered.len(), 1, "{listed}");
    assert_eq!((&altered[0]["id"], &altered[0]["body"]), (&Value::from(id.as_str()), &Value::Null));
    for command in [
        &["log"][..],
        &["retract", &id, "--dry-run"],
        &["forget", &id, "--dry-run"],
        &["what-if", "--retract", &id],
    ] {
        let ran = machine.because(command).run().succeeds().prints("(altered in the file");
        assert!(!ran.out().contains("poisons"), "{ran}");
    }
    let mut host = Host::of(&machine);
    let explained = host.gets("explain", json!({ "name": id }));
    assert_eq!(explained["text"], "(altered in the file since it was signed)", "{explained}");
    host.leaves();
    let corrected = machine.because(["correct", &id, "--text", "I love figs.", "--json"]).run();
    assert_eq!(corrected.ends(1).error_code(), "altered");
    machine.because(["export", "--out", "a.jsonl"]).run().ends(4).says("without text");
    let noted = machine.because(["export", "--json"]).run().ends(4);
    assert!(noted.err().contains(&id) && !noted.out().contains("poisons"), "{noted}");
    let healed = machine.because(["import", "whole.jsonl", "--json"]).run().succeeds().json();
    assert_eq!(healed["sources"][0]["intake"]["completed"], 1, "{healed}");
    machine.because(["verify"]).run().succeeds();
    assert_eq!(machine.because(["export"]).run().succeeds().out(), whole);
}

#[test]
fn an_altered_import_or_proposal_is_marked_and_cannot_be_used() {
    let machine = liking();
    machine.write("chat.jsonl", crate::samples::CHAT);
    machine.because(["import", "chat.jsonl"]).run().succeeds();
    let mut host = Host::of(&machine);
    let proposed = host.gets(
        "correct",
        json!({ "name": OLIVES, "text": "You hate olives.", "note": "not any more" }),
    );
    host.leaves();
    let connection = rusqlite::Connection::open(machine.space()).unwrap();
    connection
        .execute_batch(
            "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'chat.jsonl', 'poison.txt') AS BLOB)
                WHERE kind = 'import';
             UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'hate', 'poison') AS BLOB)
                WHERE kind = 'proposal';",
        )
        .unwrap();
    connection.close().unwrap();
    for command in [&["imports"][..], &["review", "list"]] {
        let listed = machine.because(command).run().succeeds().prints("(altered in the file");
        assert!(!listed.out().contains("poison"), "{listed}");
    }
    let import = machine.because(["imports", "--json"]).run().succeeds().json()["id"].take();
    let undone = ["retract", "--import", import.as_str().unwrap(), "--yes", "--json"];
    assert_eq!(machine.because(undone).run().ends(1).error_code(), "altered");
    let accepted = ["review", "accept", proposed["proposal"].as_str().unwrap(), "--json"];
    assert_eq!(machine.because(accepted).run().ends(1).error_code(), "altered");
}

#[test]
fn a_preview_says_so_when_it_depends_on_altered_text() {
    let machine = liking();
    machine.because(["remember", "I really love walnuts."]).run().succeeds();
    let logged = machine.because(["log", "--kind", "note", "--json"]).run().succeeds().out();
    let of = |text: &str| {
        let lines = logged.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut of_text = lines.filter(|line| line["body"]["payload"]["text"] == text);
        of_text.next().unwrap()["id"].as_str().unwrap().to_owned()
    };
    let (whole, altered) = (of("I love walnuts."), of("I really love walnuts."));
    let connection = rusqlite::Connection::open(machine.space()).unwrap();
    let alter = "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'really love walnuts',
        'love poisons') AS BLOB) WHERE kind = 'evidence'";
    connection.execute_batch(alter).unwrap();
    connection.close().unwrap();
    let json = machine.because(["what-if", "--retract", &whole, "--json"]).run().succeeds().json();
    assert_eq!(json["altered"], json!([altered]), "{json}");
    assert!(!json.to_string().contains("poisons"), "{json}");
    for command in [
        &["what-if", "--retract", &whole][..],
        &["retract", &whole, "--dry-run"],
        &["forget", &whole, "--dry-run"],
        &["derive", "--full", "--dry-run"],
    ] {
        let ran = machine.because(command).run().succeeds();
        assert!(!ran.out().contains("poisons"), "{ran}");
        ran.prints("was altered in the file since it was signed");
    }
    let untouched = of("I love olives.");
    let json = machine.because(["what-if", "--retract", &untouched, "--json"]).run().json();
    assert_eq!(json["altered"], Value::Null, "{json}");
    // Nothing is concluded from it either.
    let derived = machine.because(["derive", "--full"]).run().succeeds();
    derived.prints("was altered in the file since it was signed");
    let claims = machine.because(["claims", "--json"]).run().succeeds().out();
    assert!(claims.contains("walnuts") && !claims.contains("poisons"), "{claims}");
}

#[test]
fn a_copy_of_claims_alone_does_not_believe_again_what_was_replaced() {
    let machine = Machine::with_space();
    let old = crate::graph::add(&machine, &["The shelf is oak."]);
    machine.because(["claim", "supersede", &old, "The shelf is pine."]).run().succeeds();
    machine.because(["export", "--claims-only", "--out", "s.jsonl"]).run().succeeds();
    machine.because(["--space", "s.db", "import", "s.jsonl"]).run().succeeds();
    let believed = crate::graph::texts(&machine, &["--space", "s.db", "claims"]);
    assert_eq!(believed, ["The shelf is pine."]);
}
