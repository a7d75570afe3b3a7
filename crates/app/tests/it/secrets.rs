//! Secrets are masked: no command that records text writes a secret to any file.

use std::path::Path;

use crate::beliefs::{HABIT, believing};
use crate::machine::Machine;

/// The secret, joined from parts so that scanners do not report this file as a leak.
pub(crate) fn secret() -> String {
    ["gh", "p_", "a8F3kd92LmQ0xY7bN4vR1sT6uW5zC3eJ9hG2"].concat()
}

/// Fails if the secret is in a file that the program keeps.
pub(crate) fn assert_nothing_leaked(machine: &Machine) {
    assert!(
        count(&machine.home()) + count(&machine.work().join(".because")) == 0,
        "the secret is in a file"
    );
}

fn count(path: &Path) -> usize {
    if path.is_dir() {
        return std::fs::read_dir(path).unwrap().map(|entry| count(&entry.unwrap().path())).sum();
    }
    let (secret, bytes) = (secret(), std::fs::read(path).unwrap_or_default());
    bytes.windows(secret.len()).filter(|window| *window == secret.as_bytes()).count()
}

#[test]
fn no_secret_is_sent_to_a_service_that_embeds() {
    let (machine, server) = (crate::embeddings::with_records(0), crate::embeddings::server());
    let sentence = format!("the hound, see {} there", secret());
    // The longest part of a question that is sent ends within the secret.
    let long = format!("{} {} hound", "kiln ".repeat(1_598), secret());
    machine.with(&server, &["embed"]).run().succeeds();
    machine.write("note.txt", &sentence);
    for arguments in [
        vec!["remember", &sentence],
        vec!["import", "note.txt"],
        vec!["recall", &sentence],
        vec!["recall", &long],
        vec!["context", "--question", &sentence],
        vec!["context", "--turn", &sentence, "--turn", &long],
        vec!["doctor"],
    ] {
        let asked = server.requests().len();
        machine.with(&server, &arguments).run();
        let requests = server.requests();
        assert!(requests.len() > asked, "{arguments:?} sends something");
        for request in requests {
            let body = String::from_utf8_lossy(&request.body);
            let begins = &secret()[..12];
            assert!(!body.contains(begins), "{arguments:?} sent {body}");
        }
    }
    let requests = server.requests();
    let sent = |text: &str| {
        requests.iter().any(|request| String::from_utf8_lossy(&request.body).contains(text))
    };
    assert!(sent("see [masked:github-token] there"));
}

#[test]
fn every_command_masks_secrets_and_says_so() {
    let here = believing();
    let machine = &here.machine;
    let sentence = format!("see {} there", secret());
    machine.write("note.txt", &sentence);
    let set = format!("name={}", secret());
    let key = machine
        .because(["--json", "key"])
        .at_home(&machine.work().join("other"))
        .run()
        .succeeds()
        .json();
    let key = key["key"].as_str().unwrap().to_owned();
    for arguments in [
        vec!["remember", &sentence, "--actor", &sentence, "--tag", &sentence],
        vec!["correct", HABIT, "--set", &set, "--text", &sentence, "--note", &sentence],
        vec!["withdraw", HABIT, "--note", &sentence],
        vec!["refute", HABIT, "--note", &sentence],
        vec!["retract", &here.notes[0], "--note", &sentence],
        vec!["grant", &key, "--can", "append", "--name", &sentence],
        vec!["revoke", &key, "--can", "append", "--name", &sentence],
    ] {
        let ran = here.run(&arguments).succeeds();
        assert!(ran.out().contains("a secret was masked: github-token"), "{arguments:?}: {ran}");
        assert_nothing_leaked(machine);
    }
    let imported = here.json(&["import", "note.txt"]);
    assert!(imported.to_string().contains("\"github-token\":1"), "{imported}");
    assert_nothing_leaked(machine);
}

#[test]
fn a_secret_in_a_spaces_name_is_masked() {
    let machine = Machine::new();
    let made = machine.because(["init", "--json", "--name", &secret()]).run().succeeds().json();
    assert_eq!(made["name"], "[masked:github-token]");
    assert_eq!(made["masked"][0], "github-token");
    assert_nothing_leaked(&machine);
}

#[test]
fn secrets_in_agent_and_conversation_names_are_masked_in_receipts() {
    let machine = Machine::with_chat();
    let secret = secret();
    let turn = [
        "context",
        "--agent",
        &secret,
        "--session",
        &secret,
        "--turn",
        "Mara: Which glaze for the tall bowls?",
    ];
    machine.because(turn).run().succeeds();
    machine.because(["recall", "--agent", &secret, "Which glaze?"]).run().succeeds();
    assert_nothing_leaked(&machine);
    let kept = machine.because(["receipts", "--agent", &secret, "--json"]).run().succeeds().json();
    let kept = kept["receipts"].as_array().unwrap();
    assert!(
        !kept.is_empty() && kept.iter().all(|receipt| receipt["agent"] == "[masked:github-token]"),
        "{kept:?}"
    );
}

#[test]
fn a_quoted_private_key_is_masked_in_every_part_of_its_record() {
    let machine = Machine::with_space();
    let body = "MHcCAQEEIAs8Fk39dLmQ0xY7bN4vR1sT6uW5zC3eJ9hG2pXoAoGCCqGSM49AwEHo";
    let key = format!(
        "> -----BEG{}\n> {body}\n> {}\n> -----E{}\n",
        "IN EC PRIVATE KEY-----",
        &body[9..],
        "ND EC PRIVATE KEY-----"
    );
    let told = machine.because(["remember", "-", "--json"]).input(key).run().succeeds().json();
    assert_eq!(told["masked"], serde_json::json!(["private-key"]));
    let shown =
        machine.because(["show", told["id"].as_str().unwrap(), "--json"]).run().succeeds().out();
    assert!(!shown.contains(&body[..16]) && shown.contains("[masked:private-key]"), "{shown}");
}
