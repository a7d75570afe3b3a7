//! `cargo xtask goldens`: regenerates the reference confidences of the tests.
//!
//! The file holds the program's claims about the people in `fixtures/people`, sorted, one per line,
//! so that a changed curve shows as a difference of lines. Run it after an intended change, and
//! review the difference.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

const PEOPLE: &str = "fixtures/people";
const CONFIDENCES: &str = "fixtures/goldens/confidence.json";

/// Derives and writes.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let arguments = [
        "run",
        "--quiet",
        "-p",
        "because",
        "--",
        "--json",
        "eval",
        "calibration",
        "--each",
        PEOPLE,
    ];
    let output = crate::cargo()
        .current_dir(root)
        .args(arguments)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the measurement failed");
    let measured: Value =
        serde_json::from_slice(&output.stdout).context("the evaluation did not print JSON")?;
    let mut people: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for one in measured["each"].as_array().context("the evaluation has no list of claims")? {
        if let (Some(person), Some(key), Some(confidence)) =
            (one["person"].as_str(), one["identity_key"].as_str(), one["confidence"].as_f64())
        {
            people.entry(person).or_default().insert(key, confidence);
        }
    }
    let file = root.join(CONFIDENCES);
    file.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(&file, format!("{}\n", serde_json::to_string_pretty(&people)?))?;
    let claims: usize = people.values().map(BTreeMap::len).sum();
    println!(
        "goldens: {claims} confidences of {} people in {CONFIDENCES}; now look at the difference",
        people.len()
    );
    Ok(ExitCode::SUCCESS)
}
