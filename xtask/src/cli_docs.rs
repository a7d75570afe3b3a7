//! `cargo xtask cli-docs`: writes the tables of commands and options in `docs/cli.md`.
//!
//! The test that compares them makes them, too (`crates/app/tests/it/cli_docs.rs`); it writes
//! instead of comparing where a variable says so. Run this after a change of help texts, and look
//! at the difference.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, ensure};

/// As the test calls it.
const WRITE: &str = "BECAUSE_WRITE_CLI_DOCS";
const TEST: &str = "cli_docs::the_reference_lists_exactly_the_commands_and_options";

/// Has the test write.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let arguments = ["test", "--quiet", "-p", "because", "--test", "it", "--", "--exact", TEST];
    let status = crate::cargo().current_dir(root).args(arguments).env(WRITE, "1").status()?;
    ensure!(status.success(), "docs/cli.md was not written");
    println!("cli-docs: docs/cli.md is as the program's help; now look at the difference");
    Ok(ExitCode::SUCCESS)
}
