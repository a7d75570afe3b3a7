//! Ids and their prefixes: whole, shortened, unknown, ambiguous.

use crate::machine::Machine;

#[test]
fn a_prefix_of_an_id_is_enough_and_a_bad_one_is_explained() {
    let machine = Machine::with_chat();
    let log = machine.because(["log", "-n", "1", "--json"]).run().succeeds().json();
    let id = log["id"].as_str().unwrap();
    let digits = id.strip_prefix("b3:").unwrap();
    let capitals = digits[..12].to_uppercase();
    for name in [id, digits, &digits[..8], &id[..11], &capitals, &format!(" {id}\n")] {
        assert_eq!(
            machine.because(["show", name, "--json"]).run().succeeds().json()["id"],
            id,
            "{name}"
        );
    }
    let unknown = "f".repeat(64);
    let long = "f".repeat(10_000);
    for name in
        ["", "b3:", "fff", "xyz!", "ééééé", "\u{1b}[31mred", "--", &unknown, &long, "b3:b3:ffff"]
    {
        let shown = machine.because(["show", "--json", "--", name]).run().ends(1);
        assert_eq!(shown.error_code(), "unknown_id", "{name}");
        assert!(!shown.err().contains('\u{1b}') && shown.err().len() < 400, "{shown}");
    }
    for command in ["show", "explain", "why", "refute", "retract", "withdraw"] {
        let refused = machine.because([command, "ffffffff"]).run().ends(1);
        let refused = refused.says("no record or belief has an id that begins with ffffffff");
        refused.says("because log");
    }
}

#[test]
fn an_ambiguous_prefix_lists_the_matching_records() {
    let machine = Machine::with_space();
    machine.write("chat.jsonl", crate::samples::long_chat(1_000));
    machine.because(["import", "chat.jsonl"]).run().succeeds();
    let log = machine.because(["log", "-n", "0", "--json"]).run().succeeds().json_lines();
    let mut ids: Vec<&str> = log.iter().map(|line| line["id"].as_str().unwrap()).collect();
    ids.sort();
    // Of a thousand random ids, some share their first four digits; the chance that none do is 1 in
    // 2000.
    let Some(pair) = ids.windows(2).find(|pair| pair[0][..7] == pair[1][..7]) else { return };
    let shown = machine.because(["show", &pair[0][..7], "--json"]).run().ends(2);
    assert_eq!(shown.error_code(), "ambiguous_id");
    assert!(pair.iter().all(|id| shown.err().contains(&id[..15])), "{shown}");
    machine.because(["show", pair[0]]).run().succeeds();
}
