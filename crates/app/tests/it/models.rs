//! Installing models, from a hub on this machine.

use serde_json::json;

use crate::hub_server::{COMMIT, MODEL, start};
use crate::machine::{Call, Machine};
use crate::server::{Reply, Server};

fn model(machine: &Machine, hub: &Server, arguments: &[&str]) -> Call {
    machine.because(["model"]).arguments(arguments).variable("HF_ENDPOINT", hub.base())
}

#[test]
fn a_model_is_fetched_listed_and_removed() {
    let (machine, hub) = (Machine::new(), start());
    model(&machine, &hub, &["list"])
        .run()
        .succeeds()
        .prints("the built-in model needs no download");
    let pulled = model(&machine, &hub, &["pull", MODEL]).run().succeeds();
    let pulled = pulled
        .prints("Fetched owner/tiny-model at 0123456789ab")
        .prints("--embedder owner/tiny-model");
    assert!(pulled.out().contains("model = \"owner/tiny-model\""));
    model(&machine, &hub, &["pull", MODEL]).run().succeeds().prints("Already here");
    let again = model(&machine, &hub, &["--json", "pull", MODEL]).run().succeeds().json();
    assert_eq!(
        (&again["name"], &again["revision"], &again["new"]),
        (&json!(MODEL), &json!(COMMIT), &json!(false))
    );
    assert!(machine.home().join("models/owner--tiny-model/model.safetensors").is_file());
    // The files of this hub are not a real model, which opening it detects.
    let doctor = machine.because(["--embedder", MODEL, "doctor"]).run().ends(3);
    doctor.prints("models/owner--tiny-model cannot be used").prints("because model list");
    let list = model(&machine, &hub, &["--json", "list"]).run().succeeds().json();
    assert_eq!(list[0]["name"], MODEL);
    model(&machine, &hub, &["list"]).run().succeeds().prints(MODEL);
    model(&machine, &hub, &["remove", MODEL]).run().succeeds().prints("Removed owner/tiny-model");
    assert!(!machine.home().join("models/owner--tiny-model").exists());
    let gone = model(&machine, &hub, &["--json", "remove", MODEL]).run().ends(1);
    assert_eq!(gone.error_code(), "model_not_here");
}

#[test]
fn model_names_that_escape_the_folder_are_refused() {
    let (machine, hub) = (Machine::with_space(), start());
    for name in
        ["../..", "..", "a/../../b", "/etc/passwd", "", "a/b/c", "a\\..\\b", "C:/x", "a/b%2f.."]
    {
        for command in ["pull", "remove"] {
            let ran = model(&machine, &hub, &["--json", command, name]).run().ends(2);
            assert_eq!(ran.error_code(), "model_name", "{name}");
        }
    }
    assert!(hub.requests().is_empty());
    assert!(machine.space().is_file());
}

#[test]
fn a_failed_fetch_is_reported_and_leaves_no_partial_model() {
    let machine = Machine::new();
    let hub = start();
    let check = |hub: &Server, arguments: &[&str], code: &str| {
        let ran = model(&machine, hub, arguments).arguments(["--json"]).run().ends(1);
        assert_eq!(ran.error_code(), code);
        assert_eq!(model(&machine, hub, &["--json", "list"]).run().succeeds().json(), json!([]));
    };
    check(&hub, &["pull", "owner/unknown"], "hub_refused");
    check(&hub, &["pull", MODEL, "--revision", "v9"], "hub_refused");
    check(&hub, &["pull", MODEL, "--max-size", "100K"], "model_too_large");
    check(&Server::script([Reply::json(503, &json!({}))]), &["pull", MODEL], "hub_failed");
    check(
        &Server::script([Reply::Garbage(b"x\r\n\r\n".to_vec())]),
        &["pull", MODEL],
        "hub_unreadable",
    );
    model(&machine, &hub, &["pull", MODEL, "--max-size", "much"]).run().ends(2).says("500M");
}

#[test]
fn without_a_network_the_error_names_alternatives() {
    let (machine, hub) = (Machine::new(), start());
    let call = model(&machine, &hub, &["pull", MODEL]);
    drop(hub);
    call.run().ends(1).says("built-in").says("local:FOLDER");
    let strange =
        machine.because(["model", "pull", MODEL]).variable("HF_ENDPOINT", "ftp://example.com");
    strange.run().ends(2).says("the hub's address");
}

#[test]
fn the_token_is_sent_to_the_hub_alone() {
    let (machine, hub) = (Machine::new(), start());
    let pulled =
        model(&machine, &hub, &["pull", MODEL]).variable("HF_TOKEN", "hf_secret").run().succeeds();
    assert!(!pulled.out().contains("hf_secret"));
    assert!(
        hub.requests()
            .iter()
            .all(|request| request.header("authorization") == Some("Bearer hf_secret"))
    );
}
