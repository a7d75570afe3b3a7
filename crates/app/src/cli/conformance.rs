//! `because conformance`: runs scenarios of beliefs in memory. No space is opened.

use std::io::Read;
use std::path::{Path, PathBuf};

use engine::conformance::{self, ConformanceError, Difference};
use serde_json::json;

use super::CliSession;
use crate::failure::{Failure, RequestError, exit};
use crate::output::{self, BAD, GOOD, count, printable};

/// The largest scenario file.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Arguments of `conformance`.
#[derive(clap::Args)]
#[command(
    after_help = "A file holds scenarios as JSON: one object, an array of objects, or one object a line. Exit code 3 means that a result differs.\n\nExample:\n  because conformance fixtures/conformance"
)]
pub(crate) struct Args {
    /// Scenario files, or folders of *.json
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The differences of one scenario.
#[derive(serde::Serialize)]
struct Differing {
    file: String,
    name: String,
    #[serde(flatten)]
    difference: Difference,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut scenarios: u64 = 0;
    let mut differences: Vec<Differing> = Vec::new();
    for path in files(&args.files)? {
        let failed = |source| Failure::Scenario { path: path.clone(), source };
        for scenario in conformance::read(&text(&path)?).map_err(failed)? {
            scenarios += 1;
            let found = conformance::run(&scenario).map_err(failed)?;
            differences.extend(found.into_iter().map(|difference| Differing {
                file: output::path(&path),
                name: scenario.name.clone(),
                difference,
            }));
        }
    }
    if scenarios == 0 {
        let path = args.files.first().cloned().unwrap_or_default();
        return Err(Failure::Scenario { path, source: ConformanceError::Empty });
    }
    let mut differing: Vec<(&str, &str)> =
        differences.iter().map(|of| (of.file.as_str(), of.name.as_str())).collect();
    differing.dedup();
    let differing = differing.len() as u64;
    match session.form {
        output::Form::Json => output::json(&json!({
            "scenarios": scenarios,
            "differing": differing,
            "differences": differences,
        }))?,
        output::Form::Text => {
            for Differing { file, name, difference } in &differences {
                let Difference { step, what, expected, got } = difference;
                output::line(format_args!(
                    "{BAD}{}{BAD:#}, step {step}, {}: expected {}, got {}  ({file})",
                    printable(name),
                    printable(what),
                    printable(&expected.to_string()),
                    printable(&got.to_string())
                ))?;
            }
            let ran = count(scenarios, "scenario");
            if differing == 0 {
                output::line(format_args!("{GOOD}As written{GOOD:#}: {ran}"))?;
            } else {
                output::line(format_args!("{BAD}{differing} of {ran} differ{BAD:#}"))?;
            }
        }
    }
    Ok(if differing == 0 { 0 } else { exit::UNSOUND })
}

/// The named files, and the scenario files in the named folders, in order of name.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |source| Failure::File { path: path.clone(), source };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?.path();
            if entry.extension().is_some_and(|extension| extension == "json") && entry.is_file() {
                inside.push(entry);
            }
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn text(path: &Path) -> Result<String, Failure> {
    let unreadable = |source| Failure::File { path: path.to_owned(), source };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let read = file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if read as u64 > FILE_BYTES_MAX {
        let (input, mib) = (output::path(path), FILE_BYTES_MAX >> 20);
        return Err(RequestError::InputTooLarge { input, mib }.into());
    }
    Ok(text)
}
