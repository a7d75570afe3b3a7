//! Tests `because mcp` with an independent client, the official Python SDK, because a client of our
//! own would share our mistakes.
//!
//! The SDK lives in a virtual environment under the build folder, made once for each
//! `requirements.txt`. That needs Python and the package index. A machine without them still runs
//! all other tests and prints a prominent notice; if `CI` is set, it is a failure, because nobody
//! reads the notice there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The client and its requirements, in the repository.
const CLIENT: &str = "crates/app/tests/mcp_client/client.py";
const REQUIREMENTS: &str = "crates/app/tests/mcp_client/requirements.txt";
/// Names of the Python executable, the likelier first.
const PYTHONS: [&str; 2] = ["python3", "python"];
/// Written when an environment is complete.
const COMPLETE: &str = "complete";

/// Builds the program and runs the client against it.
pub(crate) fn build_and_run(root: &Path) -> Result<()> {
    let built = crate::cargo().args(["build", "-p", "because"]).current_dir(root).status();
    ensure!(built.context("cargo could not be started")?.success(), "the program does not build");
    run(root, "debug")
}

/// Runs the client against the program that the tests have built, in this profile.
pub(crate) fn run(root: &Path, profile: &str) -> Result<()> {
    println!("=== the official Python SDK as a client of because mcp");
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |path| root.join(path));
    let environment = match environment(root, &target) {
        Ok(environment) => environment,
        Err(error) if is_ci() => return Err(error),
        Err(error) => {
            println!("!!! NOT TESTED: {error:#}");
            println!(
                "!!! `because mcp` was not tried with a client of another make. Where CI is set this is a failure."
            );
            return Ok(());
        }
    };
    let program = target.join(profile).join(format!("because{}", std::env::consts::EXE_SUFFIX));
    let client = Command::new(python_of(&environment)).arg(root.join(CLIENT)).arg(program).status();
    ensure!(
        client.context("the client could not be started")?.success(),
        "the Python SDK and because mcp disagree"
    );
    Ok(())
}

fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|ci| !ci.is_empty() && ci != "false")
}

/// The virtual environment, created if it is missing.
fn environment(root: &Path, target: &Path) -> Result<PathBuf> {
    let requirements = root.join(REQUIREMENTS);
    let pinned =
        std::fs::read(&requirements).with_context(|| format!("{REQUIREMENTS} cannot be read"))?;
    let (python, version) = python()?;
    let mut hasher = DefaultHasher::new();
    (&pinned, &version).hash(&mut hasher);
    let environment = target.join("mcp-client").join(format!("{:016x}", hasher.finish()));
    let complete = environment.join(COMPLETE);
    if complete.exists() {
        return Ok(environment);
    }
    println!("making an environment for it, once: {version}");
    succeeds(Command::new(python).args(["-m", "venv", "--clear"]).arg(&environment))
        .context("Python's venv is missing")?;
    let mut install = Command::new(python_of(&environment));
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
        "--requirement",
    ]);
    succeeds(install.arg(&requirements))
        .context("the package index cannot be reached, or lacks a pinned version")?;
    std::fs::write(&complete, &version).context("the environment cannot be written")?;
    Ok(environment)
}

/// A Python that runs, and its version.
fn python() -> Result<(&'static str, String)> {
    for name in PYTHONS {
        let asked = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        if let Ok(answer) = asked
            && answer.status.success()
        {
            return Ok((name, String::from_utf8_lossy(&answer.stdout).trim().to_owned()));
        }
    }
    bail!("Python is not installed")
}

fn python_of(environment: &Path) -> PathBuf {
    if cfg!(windows) {
        environment.join("Scripts/python.exe")
    } else {
        environment.join("bin/python")
    }
}

fn succeeds(command: &mut Command) -> Result<()> {
    let ended = command.stdin(Stdio::null()).status()?;
    ensure!(ended.success(), "{} failed", command.get_program().to_string_lossy());
    Ok(())
}
