//! `cargo xtask test`: runs every test of the workspace with the fastest installed runner.
//!
//! nextest runs the tests of all crates in parallel and shows which are running, but it does not
//! run the examples in the documentation: those run first, from the same build. Without nextest,
//! plain `cargo test` runs both. At the end, clients of another make test the program; what they
//! need is fetched while the tests are built. With arguments, the examples and these clients are
//! skipped.

use std::path::Path;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result};

/// Arguments that affect the build but not the selection of tests.
const BUILD_ARGUMENTS: [&str; 4] = ["--locked", "--offline", "--release", "--all-features"];

/// Runs the tests; fails at the first command that fails.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<ExitCode> {
    // Their packages come from the network while the compiler works.
    let environments = is_everything(arguments).then(|| {
        let root = root.to_owned();
        std::thread::spawn(move || crate::foreign_client::prepare(&root))
    });
    for command in plan(arguments, nextest_is_installed(root)) {
        println!("=== cargo {}", command.join(" "));
        let status = crate::cargo()
            .args(&command)
            .current_dir(root)
            .status()
            .context("cargo could not be started")?;
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    if is_everything(arguments) {
        // Whatever failed is tried again, and reported, where it is needed.
        if let Some(environments) = environments {
            let _ = environments.join();
        }
        let profile = if arguments.contains(&"--release") { "release" } else { "debug" };
        crate::foreign_client::run(root, profile)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the arguments select all tests.
fn is_everything(arguments: &[&str]) -> bool {
    arguments.iter().all(|argument| BUILD_ARGUMENTS.contains(argument))
}

fn nextest_is_installed(root: &Path) -> bool {
    let probe = crate::cargo()
        .args(["nextest", "--version"])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    probe.is_ok_and(|status| status.success())
}

/// The cargo commands to run, in order.
fn plan<'a>(arguments: &[&'a str], with_nextest: bool) -> Vec<Vec<&'a str>> {
    let chooses_packages = arguments.iter().any(|argument| {
        matches!(*argument, "-p" | "--package" | "--workspace")
            || argument.starts_with("--package=")
    });
    let command = |head: &[&'a str]| -> Vec<&'a str> {
        let scope: &[&str] = if chooses_packages { &[] } else { &["--workspace"] };
        [head, scope, arguments].concat()
    };
    if !with_nextest {
        return vec![command(&["test"])];
    }
    let mut commands = Vec::new();
    if is_everything(arguments) {
        commands.push(command(&["test", "--doc"]));
    }
    // Last, so that its summary is at the end of the output.
    commands.push(command(&["nextest", "run"]));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_runs_without_arguments() {
        assert_eq!(
            plan(&["--locked"], true),
            [
                vec!["test", "--doc", "--workspace", "--locked"],
                vec!["nextest", "run", "--workspace", "--locked"]
            ]
        );
    }

    #[test]
    fn plain_cargo_is_used_without_nextest() {
        assert_eq!(plan(&["summary"], false), [vec!["test", "--workspace", "summary"]]);
    }

    #[test]
    fn a_chosen_package_replaces_the_workspace() {
        assert_eq!(
            plan(&["-p", "because-kernel"], true),
            [vec!["nextest", "run", "-p", "because-kernel"]]
        );
    }
}
