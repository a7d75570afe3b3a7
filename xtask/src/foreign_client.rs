//! Tests the program with independent clients, because clients of our own would share our mistakes:
//! `because mcp` with the official Python SDK, `because serve` with schemathesis, which makes
//! requests from the description that the server gives of itself; archives with pyarrow.
//!
//! Each lives in a virtual environment under the build folder, made once for each
//! `requirements.txt`. That needs Python and the package index. A machine without them still runs
//! all other tests and prints a prominent notice; if `CI` is set, it is a failure, because nobody
//! reads the notice there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// A client that others made.
pub(crate) struct ForeignClient {
    /// What it is.
    title: &'static str,
    /// What it tests.
    tested: &'static str,
    /// The folder in the repository with `client.py` and `requirements.txt`.
    folder: &'static str,
    /// Where its environments are, in the build folder.
    environments: &'static str,
}

/// The client of the tools for agents.
pub(crate) const MCP: ForeignClient = ForeignClient {
    title: "the official Python SDK as a client of because mcp",
    tested: "because mcp",
    folder: "crates/app/tests/mcp_client",
    environments: "mcp-client",
};
/// The client of the server.
pub(crate) const HTTP: ForeignClient = ForeignClient {
    title: "schemathesis as a client of because serve",
    tested: "because serve",
    folder: "crates/app/tests/http_client",
    environments: "http-client",
};

/// The reader of archives.
pub(crate) const PARQUET: ForeignClient = ForeignClient {
    title: "pyarrow as a reader of archives",
    tested: "because maintain export",
    folder: "crates/app/tests/parquet_client",
    environments: "parquet-client",
};

/// Names of the Python executable, the likelier first.
const PYTHONS: [&str; 2] = ["python3", "python"];
/// Written when an environment is complete.
const COMPLETE: &str = "complete";

/// Builds the program and runs a client against it.
pub(crate) fn build_and_run(root: &Path, client: &ForeignClient) -> Result<()> {
    let built = crate::cargo().args(["build", "-p", "because"]).current_dir(root).status();
    ensure!(built.context("cargo could not be started")?.success(), "the program does not build");
    client.run(root, "debug")
}

/// Runs the clients against the program that the tests have built, in this profile.
pub(crate) fn run(root: &Path, profile: &str) -> Result<()> {
    [MCP, HTTP, PARQUET].iter().try_for_each(|client| client.run(root, profile))
}

/// Makes the environments of all clients that have none yet, as far as that is possible.
pub(crate) fn prepare(root: &Path) {
    let target = target_of(root);
    for client in [MCP, HTTP, PARQUET] {
        let _ = client.environment(root, &target);
    }
}

fn target_of(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root.join("target"), |path| root.join(path))
}

impl ForeignClient {
    fn run(&self, root: &Path, profile: &str) -> Result<()> {
        println!("=== {}", self.title);
        let target = target_of(root);
        let environment = match self.environment(root, &target) {
            Ok(environment) => environment,
            Err(error) if is_ci() => return Err(error),
            Err(error) => {
                println!("!!! NOT TESTED: {error:#}");
                println!(
                    "!!! `{}` was not tried with a client of another make. Where CI is set this is a failure.",
                    self.tested
                );
                return Ok(());
            }
        };
        let suffix = std::env::consts::EXE_SUFFIX;
        let program = target.join(profile).join(format!("because{suffix}"));
        let script = root.join(self.folder).join("client.py");
        let client = Command::new(python_of(&environment)).arg(script).arg(program).status();
        let ended = client.context("the client could not be started")?;
        ensure!(ended.success(), "{} failed", self.title);
        Ok(())
    }

    /// The virtual environment, created if it is missing.
    fn environment(&self, root: &Path, target: &Path) -> Result<PathBuf> {
        let requirements = root.join(self.folder).join("requirements.txt");
        let pinned = std::fs::read(&requirements)
            .with_context(|| format!("{} cannot be read", requirements.display()))?;
        let (python, version) = python()?;
        let mut hasher = DefaultHasher::new();
        (&pinned, &version).hash(&mut hasher);
        let folder = target.join(self.environments);
        let environment = folder.join(format!("{:016x}", hasher.finish()));
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
}

fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|ci| !ci.is_empty() && ci != "false")
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
