//! `because verify` checks beliefs by deriving everything again.

use engine::Space;
use kernel::body::{Body, Claim};
use kernel::operation::{Ref, Role};
use kernel::seal::{Draft, Signer};
use serde_json::{Value, json};

use crate::machine::Machine;

/// Yoga on eight Tuesdays and Thursdays.
fn calendar() -> String {
    let mut text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//t//EN\r\n".to_owned();
    for day in [4, 6, 11, 13, 18, 20, 25, 27] {
        text.push_str(&format!(
            "BEGIN:VEVENT\r\nUID:yoga-{day}\r\nDTSTAMP:20250301T000000Z\r\nDTSTART:202503{day:02}T080000Z\r\nDTEND:202503{day:02}T090000Z\r\nSUMMARY:Yoga\r\nEND:VEVENT\r\n"
        ));
    }
    text + "END:VCALENDAR\r\n"
}

/// An environment with the yoga events; the first routine derived from them.
fn practising() -> (Machine, Value) {
    let machine = Machine::with_space();
    machine.write("calendar.ics", calendar());
    machine.because(["import", "calendar.ics"]).run().succeeds();
    let claims = machine
        .because(["claims", "--all", "--type", "routine", "--json"])
        .run()
        .succeeds()
        .json_lines();
    let routine = claims.first().expect("a routine").clone();
    (machine, routine)
}

/// Appends claims that no deriver concluded, with the key of the space's owner.
fn forge(machine: &Machine, routine: &Value) -> String {
    let key = std::fs::read_to_string(machine.home().join("key")).unwrap();
    let mut space = Space::open(&machine.space(), Signer::from_hex(&key).unwrap()).unwrap();
    let derived = routine["op_id"].as_str().unwrap().parse().unwrap();
    let claim: Claim = serde_json::from_value(json!({
        "claim_type": routine["claim_type"], "identity_key": routine["key"], "deriver": routine["deriver"],
        "text": "Never does yoga \u{1b}[31m", "payload": { "title": "Nothing" }, "confidence": 0.98,
        "confidence_basis": { "prior": 0.98 },
    }))
    .unwrap();
    let mut refs = space.show(&derived).unwrap().operation.header().refs.clone();
    refs.retain(|cited| cited.role.as_str() != Role::SUPERSEDES);
    refs.push(Ref { id: derived, role: Role::parse(Role::SUPERSEDES).unwrap() });
    let draft = Draft { body: Body::Claim(claim), refs };
    space.append(draft, jiff::Timestamp::now()).unwrap().to_string()
}

#[test]
fn verify_counts_the_beliefs_that_follow_from_the_records() {
    let (machine, _) = practising();
    machine.because(["verify"]).run().succeeds().prints(" from the records");
    let verified = machine.because(["verify", "--json"]).run().succeeds().json();
    assert_eq!(verified["beliefs"]["outcome"], "compared", "{verified}");
    assert!(
        verified["beliefs"]["beliefs"].as_u64().unwrap() > 0
            && verified["beliefs"]["differing"] == 0,
        "{verified}"
    );
}

#[test]
fn verify_names_a_forged_belief_and_derive_corrects_it() {
    let (machine, routine) = practising();
    let forged = forge(&machine, &routine);
    let ran = machine.because(["verify"]).run().ends(3);
    let printed = ran.out();
    for part in [
        "belief_differs",
        routine["key"].as_str().unwrap(),
        "Never does yoga",
        "Not sound",
        "differ from what the records give",
    ] {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    let verified = machine.because(["verify", "--json"]).run().ends(3).json();
    assert_eq!(verified["sound"], false, "{verified}");
    let findings = verified["findings"].as_array().unwrap();
    assert!(
        findings.iter().any(|found| found["code"] == "belief_differs" && found["id"] == forged),
        "{verified}"
    );
    machine.because(["derive"]).run().succeeds();
    machine.is_sound();
}

#[test]
fn records_not_derived_yet_are_a_note_and_not_a_finding() {
    let (machine, _) = practising();
    machine.write("chat.jsonl", crate::samples::CHAT);
    machine.because(["import", "--no-derive", "chat.jsonl"]).run().succeeds();
    machine
        .because(["verify"])
        .run()
        .succeeds()
        .prints("not derived from yet; run `because derive`");
    let verified = machine.because(["verify", "--json"]).run().succeeds().json();
    assert_eq!(verified["beliefs"]["outcome"], "not_derived", "{verified}");
    assert!(verified["beliefs"]["records"].as_u64().unwrap() > 0, "{verified}");
    machine.because(["derive"]).run().succeeds();
    machine.because(["verify"]).run().succeeds().prints(" from the records");
}
