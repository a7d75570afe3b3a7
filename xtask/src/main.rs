//! The repository's own tools, run as `cargo xtask COMMAND`.
//!
//! These commands replace scripts, so that they work on every system that builds the workspace, are
//! checked by the compiler and have tests. `.ci/run` calls the same commands as people do, so there
//! is only one set of rules. Dependencies are few, because every change waits for this crate to
//! build: `cargo xtask` builds it without the feature `table`, which needs the models.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what these commands find is for a terminal"
)]

mod cli_docs;
mod foreign_client;
mod goldens;
mod licenses;
mod run_tests;
mod samples;
#[cfg(feature = "table")]
mod table;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  samples DIR [--people N] [--seed N] [--mix ordinary|sparse|noisy]
                     generates labelled people, with which `because eval calibration` evaluates the derivers
  table --model DIR --wordnet DIR --cache DIR [--out FILE] [--seed N] [--threads N]
                     trains the built-in table of vectors; recipe in crates/models/data/README.md
  table-zh --dictionary FILE --frequencies FILE
                     gives Chinese words a place in it, by their English translations
                     (both need the models: start them with `cargo run --release -p xtask --`)
  test [ARGS]        runs every test; ARGS are passed to the test runner, and skip the examples in the documentation
  mcp-client         tests `because mcp` with the official Python SDK, as `test` does at its end
  http-client        tests `because serve` with schemathesis, as `test` does at its end
  parquet-client     tests archives of `because maintain` with pyarrow, as `test` does at its end
  tidy [--verbose]   checks the rules of style and structure that the compiler does not check
  goldens            regenerates the reference confidences of the tests, after an intended change
  cli-docs           writes the tables of commands and options in docs/cli.md from the program's own help
  licenses           checks the licences of all dependencies against the list in deny.toml";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = repository_root()?;
    match arguments.as_slice() {
        ["samples", folder, options @ ..] => samples::run(Path::new(folder), options),
        #[cfg(feature = "table")]
        ["table", options @ ..] => table::run(&root, options),
        #[cfg(feature = "table")]
        ["table-zh", options @ ..] => table::run_chinese(&root, options),
        #[cfg(not(feature = "table"))]
        ["table" | "table-zh", ..] => {
            anyhow::bail!("start this with `cargo run --release -p xtask -- table`, or `table-zh`")
        }
        ["test", rest @ ..] => run_tests::run(&root, rest),
        ["mcp-client"] => {
            foreign_client::build_and_run(&root, &foreign_client::MCP).map(|()| ExitCode::SUCCESS)
        }
        ["http-client"] => {
            foreign_client::build_and_run(&root, &foreign_client::HTTP).map(|()| ExitCode::SUCCESS)
        }
        ["parquet-client"] => foreign_client::build_and_run(&root, &foreign_client::PARQUET)
            .map(|()| ExitCode::SUCCESS),
        ["tidy"] => tidy::run(&root, tidy::Detail::Failures),
        ["tidy", "--verbose"] => tidy::run(&root, tidy::Detail::FailuresAndNotes),
        ["goldens"] => goldens::run(&root),
        ["cli-docs"] => cli_docs::run(&root),
        ["licenses"] => licenses::run(&root),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

/// The folder of the workspace's manifest, regardless of the current directory.
fn repository_root() -> Result<PathBuf> {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    Ok(parent.context("xtask is not in a workspace")?.to_path_buf())
}

/// The cargo that started this process, so that the selected toolchain is kept.
///
/// Build scripts of dependencies (that of `ring`) note variables that cargo sets for the programs
/// it runs. With those of this process, each change between `cargo xtask test` and another command
/// would build all that stands on them again.
fn cargo() -> std::process::Command {
    let mut cargo =
        std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let is_of_package =
            |name: &str| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_");
        if name.to_str().is_some_and(is_of_package) {
            cargo.env_remove(name);
        }
    }
    cargo
}
