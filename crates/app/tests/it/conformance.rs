//! `because conformance`: files, folders, differences and unreadable files.

use std::path::Path;

use crate::machine::Machine;

const HOLDS: &str =
    r#"{"name":"holds","steps":[{"do":"evidence","as":"e"},{"expect":{"invalidated":[]}}]}"#;
const DIFFERS: &str = r#"{"name":"differs","steps":[{"expect":{"states":{"k":"active"}}}]}"#;

#[test]
fn stored_scenarios_pass_without_a_space() {
    let machine = Machine::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance");
    machine.because(["conformance"]).arguments([folder]).run().succeeds().prints("As written: ");
    assert!(!machine.home().exists(), "it makes no key and no space");
}

#[test]
fn a_file_without_scenarios_is_refused() {
    let machine = Machine::new();
    machine.write("none.json", "[]");
    let refused = machine.because(["conformance", "none.json", "--json"]).run().ends(1);
    assert_eq!(refused.error_code(), "scenario");
}

#[test]
fn a_difference_is_printed_with_name_and_step_and_ends_with_3() {
    let machine = Machine::new();
    machine.write("b.json", format!("{HOLDS}\n{DIFFERS}\n"));
    let ran = machine.because(["conformance", "."]).run().ends(3);
    let ran = ran.prints("differs, step 1, states.k: expected \"active\", got \"none\"");
    ran.prints("1 of 2 scenarios differ");
    let json = machine.because(["conformance", "--json", "b.json"]).run().ends(3).json();
    assert_eq!((&json["scenarios"], &json["differing"]), (&2.into(), &1.into()));
    let difference = &json["differences"][0];
    assert_eq!((&difference["name"], &difference["step"]), (&"differs".into(), &"1".into()));
    assert_eq!((&difference["expected"], &difference["got"]), (&"active".into(), &"none".into()));
}

#[test]
fn an_unreadable_scenario_is_an_error_that_names_the_file() {
    let machine = Machine::new();
    machine.write("bad.json", "{\"name\":");
    machine.write("odd.json", r#"{"name":"s","steps":[{"do":"dream"}]}"#);
    for file in ["bad.json", "odd.json"] {
        let ran = machine.because(["conformance", "--json", file]).run().ends(1);
        assert_eq!(ran.error_code(), "scenario");
        assert!(ran.err().contains(file), "{}", ran.err());
    }
    machine.because(["conformance", "none.json"]).run().ends(1).says("none.json");
    machine.because(["conformance"]).run().ends(2);
}
