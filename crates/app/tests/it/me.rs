//! Who the person is: names and addresses in the home space, and the beliefs that depend on them.

use serde_json::{Value, json};

use crate::machine::Machine;

const HOME: [&str; 2] = ["--space", "global"];

fn me(machine: &Machine, arguments: &[&str]) -> Value {
    machine.because(["--json", "me"]).arguments(arguments).run().succeeds().json()
}

fn values(shown: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = shown["me"].as_array().unwrap().iter();
    all.map(|handle| (text(&handle["kind"]), text(&handle["value"]))).collect()
}

fn of(values: &[(&str, &str)]) -> Vec<(String, String)> {
    values.iter().map(|(kind, value)| ((*kind).to_owned(), (*value).to_owned())).collect()
}

/// Mails between two people, of whom one may be the owner; the last answers the others.
fn mailbox(from: &str, to: &str) -> String {
    (1..=6)
        .map(|day| {
            let (from, to) = if day == 6 { (to, from) } else { (from, to) };
            format!(
                "From x Mon Jun  {day} 08:00:00 2025\nMessage-ID: <{day}@x.example>\nFrom: {from}\nTo: {to}\n\
                 Date: Mon, 0{day} Jun 2025 08:00:00 +0000\nSubject: {day}\n\nSee you on day {day}.\n\n"
            )
        })
        .collect()
}

fn contacts(machine: &Machine, space: &[&str]) -> Vec<(String, f64)> {
    let call = machine.because(["--json", "claims", "--all", "--type", "relationship.contact"]);
    let lines = call.arguments(space).run().succeeds().json_lines();
    let claims = lines.iter().filter(|line| line.get("key").is_some());
    claims
        .map(|claim| {
            (claim["key"].as_str().unwrap().to_owned(), claim["confidence"].as_f64().unwrap())
        })
        .collect()
}

#[test]
fn names_and_addresses_are_kept_shown_and_taken_out_again() {
    let machine = Machine::with_space();
    assert_eq!(me(&machine, &[]), json!({ "me": [] }));
    let given = ["--name", "Mara  Lindqvist", "--email", "mara@x.example", "--alias", "mlq"];
    let dry = me(&machine, &[&given[..], &["--dry-run"]].concat());
    let all = of(&[("name", "Mara Lindqvist"), ("email", "mara@x.example"), ("alias", "mlq")]);
    assert_eq!((values(&dry), &dry["dry_run"]), (all.clone(), &json!(true)));
    assert_eq!(me(&machine, &[]), json!({ "me": [] }));
    let twice = [&given[..], &["--name", "mara lindqvist"]].concat();
    assert_eq!(values(&me(&machine, &twice)), all);
    // The same again writes nothing.
    let again = me(&machine, &["--email", "MARA@x.example"]);
    assert_eq!((&again["added"], values(&again)), (&json!([]), all.clone()));
    assert_eq!(values(&me(&machine, &[])), all);
    let changed = me(&machine, &["--remove", "MLQ", "--remove", "nobody"]);
    assert_eq!(changed["removed"], json!([{ "kind": "alias", "value": "mlq" }]));
    assert_eq!(changed["unknown"], json!(["nobody"]));
    assert_eq!(values(&changed).len(), 2);
    // What was taken out can be said again.
    assert_eq!(values(&me(&machine, &["--alias", "mlq"])), all);
    machine.because(["me"]).run().succeeds().prints("mara@x.example");
    machine.because(["verify"]).arguments(HOME).run().succeeds();
    for refused in [["--email", "mara"], ["--name", " "]] {
        machine.because(["me"]).arguments(&refused).run().ends(2);
    }
}

#[test]
fn contacts_follow_from_who_the_person_is_in_every_space_that_they_made() {
    let machine = Machine::with_space();
    machine.because(["init", "--global"]).run().succeeds();
    let file = machine
        .write("box.mbox", mailbox("Mara Lindqvist <mara@x.example>", "Bo Ek <bo@x.example>"));
    let imported = machine.because(["import", file.to_str().unwrap()]).run().succeeds();
    assert!(imported.err().contains("because me --name"), "{}", imported.err());
    // Either of the two may be the owner.
    let unknown = contacts(&machine, &[]);
    assert_eq!(unknown.len(), 2);
    assert!(unknown.iter().all(|(_, confidence)| *confidence < 0.7), "{unknown:?}");
    me(&machine, &["--email", "Mara@x.example"]);
    machine.because(["derive"]).run().succeeds();
    let known = contacts(&machine, &[]);
    assert_eq!(known.len(), 1, "{known:?}");
    assert!(known[0].0.ends_with("|bo-ek") && known[0].1 >= 0.9, "{known:?}");
    machine.because(["verify"]).run().succeeds();
    machine.because(["derive", "--full"]).run().succeeds().prints("Nothing new");
    // Mail of others says nothing about the person, and the hint is not repeated.
    let others = machine.write(
        "others.mbox",
        mailbox("Cy Alm <cy@x.example>", "Di Berg <di@x.example>")
            .replace("@x.example>\nFrom", "@y.example>\nFrom"),
    );
    let imported = machine.because(["import", others.to_str().unwrap()]).run().succeeds();
    assert!(!imported.err().contains("because me"), "{}", imported.err());
    assert_eq!(contacts(&machine, &[]), known);
    // Taken back, nothing tells who the owner is.
    me(&machine, &["--remove", "mara@x.example"]);
    machine.because(["derive"]).run().succeeds();
    assert!(contacts(&machine, &[]).iter().all(|(_, confidence)| *confidence < 0.7));
    machine.because(["verify"]).run().succeeds();
}

#[test]
fn a_kept_answer_leaves_the_beliefs_that_depend_on_who_you_are() {
    let machine = Machine::with_space();
    me(&machine, &["--name", "Ada"]);
    let turn = json!({
        "text": "My sister Ana visits next week.", "speaker": "Ada", "session": "s1", "id": "2",
        "time": "2025-10-01T09:01:00+02:00",
    });
    machine.write("chat.jsonl", turn.to_string());
    machine.because(["import", "chat.jsonl"]).run().succeeds();
    let beliefs = || {
        let ran = machine.because(["--json", "claims", "--all"]).run().succeeds();
        let lines = ran.json_lines();
        let keys = lines.iter().filter_map(|line| line["key"].as_str().map(str::to_owned));
        keys.collect::<Vec<_>>()
    };
    let before = beliefs();
    assert!(before.iter().any(|key| key.contains("sister")), "{before:?}");
    machine.because(["ask", "--rules", "When does Ana visit?"]).run().succeeds().prints("kept");
    assert_eq!(beliefs(), before);
    let node = machine.because(["--json", "node", "add", "--type", "decision", "Invite Ana"]).run();
    let node = node.succeeds().json()["id"].as_str().unwrap().to_owned();
    machine.because(["why", &node]).run().succeeds();
    assert_eq!(beliefs(), before);
}
