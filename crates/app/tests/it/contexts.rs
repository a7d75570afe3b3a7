//! What is put before an agent, and the receipts of it.

use crate::machine::Machine;

fn kiln() -> Machine {
    let machine = Machine::with_space();
    machine
        .because(["remember", "Idris recommends tenmoku glaze for the tall bowls", "--actor", "Mara"])
        .run()
        .succeeds();
    machine
}

#[test]
fn a_context_has_the_turns_and_what_memory_knows_of_them_and_leaves_a_receipt() {
    let machine = kiln();
    let arguments =
        ["context", "--turn", "Mara: Which glaze for the tall bowls?", "--agent", "claude", "--session", "s1"];
    machine
        .because(arguments)
        .run()
        .succeeds()
        .prints("| Idris recommends tenmoku")
        .prints("Mara: Which glaze")
        .says("receipt:");
    let context = machine.because(arguments).arguments(["--json"]).run().succeeds().json();
    let episode = context["items"].as_array().unwrap().iter().find(|item| item["tier"] == "episodes").unwrap();
    let (record, receipt) = (episode["id"].as_str().unwrap(), context["receipt"].as_str().unwrap());
    assert!(context["tokens"]["total"].as_u64().unwrap() <= 1_500);
    machine.because(["receipts", "--agent", "claude", "--of", record]).run().succeeds().prints("s1");
    machine.because(["receipts", receipt]).run().succeeds().prints("Idris recommends tenmoku").prints("relevant");
    let shown = machine.because(["receipts", &receipt[..24], "--json"]).run().succeeds().json();
    assert_eq!(shown["texts"][record], "Idris recommends tenmoku glaze for the tall bowls");
    machine.because(["receipts", "--agent", "nobody"]).run().succeeds().prints("No receipts.");
    assert_eq!(machine.because(["receipts", "receipt:0000", "--json"]).run().ends(1).error_code(), "unknown_receipt");
    machine.is_sound();
    machine.because(["rebuild"]).run().succeeds();
    let listed = machine.because(["receipts", "--json"]).run().succeeds().json();
    assert_eq!(listed["receipts"].as_array().unwrap().len(), 2);
    machine.because(["receipts", "--prune", "2200-01-01"]).run().succeeds().prints("2 receipts");
}

#[test]
fn turns_come_from_a_pipe_or_a_file_too() {
    let machine = kiln();
    let lines = "{\"role\":\"user\",\"content\":\"hello\"}\nMara: Which glaze for the tall bowls?\n";
    machine.because(["context", "--no-receipt"]).input(lines).run().succeeds().prints("| Idris").prints("user: hello");
    machine.write("turns.jsonl", lines);
    machine.because(["context", "--turns", "turns.jsonl", "--no-receipt"]).run().succeeds().prints("| Idris");
    machine.because(["context", "--question", "glaze", "--budget", "0"]).run().succeeds();
    machine.because(["context", "--question", "glaze", "--budget", "1000000"]).run().succeeds().prints("Idris");
    machine.because(["context", "--question", "glaze", "--budget", "many"]).run().ends(2);
    machine.because(["context"]).run().ends(2).says("nothing to go by");
    assert_eq!(
        machine.because(["receipts", "--json"]).run().succeeds().json()["receipts"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn what_an_agent_recalls_by_name_is_receipted() {
    let machine = kiln();
    let recalled = machine.because(["recall", "glaze", "--agent", "claude", "--json"]).run().succeeds().json();
    let receipt = recalled["receipts"][0].as_str().unwrap();
    machine.because(["receipts", receipt]).run().succeeds().prints("asked for, number 1");
    assert!(machine.because(["recall", "glaze", "--json"]).run().succeeds().json()["receipts"].is_null());
}
