//! The confidence of every claim about the people in `fixtures/people`, and whether it is honest.
//!
//! A change of a prior, a curve or a rule changes `fixtures/goldens/confidence.json`, and so does
//! nothing else: whoever changes it runs `cargo xtask goldens` and shows the difference for review.
//! Six people prove no calibration (that is measured on many, `docs/calibration.md`), but they
//! catch a gross mistake.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::machine::Machine;

/// By how much a band's share of true claims may lie outside of the band.
const TOLERANCE: f64 = 0.10;
/// Bands with fewer claims are not checked.
const CLAIMS_MIN: u64 = 20;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn measured() -> Value {
    let arguments = ["--json", "eval", "calibration", "--each"];
    Machine::new().because(arguments).arguments([fixture("people")]).run().succeeds().json()
}

#[test]
fn confidences_match_the_golden_file() {
    let golden = std::fs::read(fixture("goldens/confidence.json")).unwrap();
    let golden: BTreeMap<String, BTreeMap<String, f64>> = serde_json::from_slice(&golden).unwrap();
    let mut found: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for one in measured()["each"].as_array().unwrap() {
        if let Some(key) = one["identity_key"].as_str() {
            let person = one["person"].as_str().unwrap().to_owned();
            found
                .entry(person)
                .or_default()
                .insert(key.to_owned(), one["confidence"].as_f64().unwrap());
        }
    }
    assert!(
        golden == found,
        "confidences changed; if they are to, run `cargo xtask goldens` and look at the difference"
    );
}

#[test]
fn the_share_of_true_claims_matches_each_band() {
    let measured = measured();
    for (band, from, to) in [
        ("speculative", 0.0, 0.4),
        ("probable", 0.4, 0.7),
        ("likely", 0.7, 0.9),
        ("strong", 0.9, 1.0),
    ] {
        let of_band = &measured["bands"][band];
        let share = of_band["share_true"].as_f64().unwrap();
        let honest = (from - TOLERANCE..=to + TOLERANCE).contains(&share);
        assert!(honest || of_band["claims"].as_u64() < Some(CLAIMS_MIN), "{band}: {of_band}");
    }
}

#[test]
fn the_diagram_is_written_and_the_tables_name_every_family() {
    let machine = Machine::new();
    let mut ran = machine
        .because(["eval", "calibration", "--svg", "r.svg"])
        .arguments([fixture("people")])
        .run()
        .succeeds();
    for family in ["routines", "places", "relationships", "preferences", "ECE"] {
        ran = ran.prints(family);
    }
    assert!(std::fs::read_to_string(machine.work().join("r.svg")).unwrap().starts_with("<svg "));
}

#[test]
fn a_folder_without_people_is_refused_with_advice() {
    let machine = Machine::new();
    machine.write("notes/a.md", "# A");
    machine.because(["eval", "calibration", "notes"]).run().ends(1).says("cargo xtask samples");
}
