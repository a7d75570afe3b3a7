//! `because doctor`: checks this installation and suggests fixes.

use std::sync::Arc;

use engine::Space;
use engine::inspect::Status;
use kernel::rules::FUTURE_US_MAX;
use serde::Serialize;

use super::CliSession;
use crate::configuration::Configuration;
use crate::failure::{Failure, exit};
use crate::output::{self, BAD, Form, GOOD, printable};
use crate::service::clock::ClockWarning;
use crate::service::language_model;
use crate::service::model_test::{EmbedderTest, test_embedder};
use crate::service::opening::SpaceUse;
use crate::service::standing::made_elsewhere;

/// Seconds by which the ledger may be ahead of the clock before that is reported: the clocks of
/// several machines differ.
const CLOCK_AHEAD_S_MAX: u64 = 600;

/// Arguments of `doctor`.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// The result of one check.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    found: String,
    /// What to do if the check failed.
    advice: Option<String>,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, ok: true, found: found.into(), advice: None }
    }

    fn wrong(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, ok: false, found: found.into(), advice: Some(advice.into()) }
    }
}

pub(crate) fn run(session: &CliSession, _: &Args) -> Result<u8, Failure> {
    let mut checks = vec![Check::ok("program", format!("because {}", env!("CARGO_PKG_VERSION")))];
    checks.push(check_key(session));
    checks.extend(check_home(session));
    checks.extend(check_space(session));
    checks.extend(check_embedder(session));
    let ok = checks.iter().all(|check| check.ok);
    match session.form {
        Form::Json => output::json(&serde_json::json!({ "ok": ok, "checks": checks }))?,
        Form::Text => {
            for check in &checks {
                let (style, mark) = if check.ok { (GOOD, "ok") } else { (BAD, "!!") };
                output::line(format_args!(
                    "{style}{mark}{style:#}  {:<12} {}",
                    check.name,
                    printable(&check.found)
                ))?;
                if let Some(advice) = &check.advice {
                    output::line(format_args!("                  {}", printable(advice)))?;
                }
            }
        }
    }
    Ok(if ok { 0 } else { exit::UNSOUND })
}

fn check_key(session: &CliSession) -> Check {
    let path = session.home.key_path();
    let shown = path.display().to_string();
    if !path.exists() {
        return Check::ok(
            "device key",
            format!("{shown}: none yet; it is created when first needed"),
        );
    }
    if let Err(error) = session.home.signer() {
        return Check::wrong("device key", shown, error.to_string());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = path.metadata().map_or(0, |metadata| metadata.permissions().mode() & 0o777);
        if mode & 0o077 != 0 {
            return Check::wrong(
                "device key",
                format!("{shown}: others can read it (mode {mode:o})"),
                format!("chmod 600 {shown}"),
            );
        }
    }
    Check::ok("device key", shown)
}

/// Whether others may put files, such as a key, into the home.
fn check_home(session: &CliSession) -> Option<Check> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = session.home.folder();
        let mode = folder.metadata().map_or(0, |metadata| metadata.permissions().mode() & 0o777);
        if mode & 0o022 != 0 {
            let shown = folder.display();
            return Some(Check::wrong(
                "home",
                format!("{shown}: others can write to it (mode {mode:o})"),
                format!("chmod 700 {shown}"),
            ));
        }
    }
    let _ = session;
    None
}

fn configuration_of_space(session: &CliSession) -> Result<Arc<Configuration>, Failure> {
    session.configuration(Some(&session.locator()?.locate()?.path))
}

/// Tries the chosen model with one text.
fn check_embedder(session: &CliSession) -> Vec<Check> {
    const NAME: &str = "embedder";
    let configuration = configuration_of_space(session);
    let configuration = match configuration {
        Ok(configuration) => configuration,
        Err(error) => {
            return vec![Check::wrong(
                NAME,
                error.to_string(),
                "docs/configuration.md lists every key",
            )];
        }
    };
    let mut checks = Vec::new();
    let chosen = configuration.chosen();
    let shown = format!("{} ({})", chosen.selection, chosen.source);
    let EmbedderTest { outcome, took } = test_embedder(&configuration);
    checks.push(match outcome {
        Ok(None) => Check::ok(NAME, shown),
        Ok(Some(model)) => {
            Check::ok(NAME, format!("{shown}: {model} answered in {} ms", took.as_millis()))
        }
        Err(failure) => {
            let advice =
                failure.hint().unwrap_or_else(|| "fix the problem that it names".to_owned());
            Check::wrong(NAME, format!("{shown}: {failure}"), advice)
        }
    });
    if let Some(advice) = configuration.advice() {
        checks.push(Check::ok(NAME, advice));
    }
    checks.extend(check_language_model(&configuration));
    checks
}

/// Whether the language model can be asked, if one is chosen. Asking costs money, so it is left to
/// `because model test`.
fn check_language_model(configuration: &Configuration) -> Option<Check> {
    const NAME: &str = "language model";
    let chosen = configuration.language_model()?;
    let shown = format!("{} ({})", chosen.name, chosen.source);
    Some(match language_model::open(configuration) {
        Ok(None) => return None,
        Ok(Some(opened)) => Check::ok(
            NAME,
            format!("{shown}, at {}; `because model test` tries it", opened.address),
        ),
        Err(failure) => {
            let advice =
                failure.hint().unwrap_or_else(|| "fix the problem that it names".to_owned());
            Check::wrong(NAME, format!("{shown}: {failure}"), advice)
        }
    })
}

/// A ledger that is ahead of the clock, by less than copies accept or by more.
fn check_ahead(ahead_s: u64) -> Check {
    let ahead = ClockWarning::SpaceAhead { ahead_s };
    if ahead_s > FUTURE_US_MAX / 1_000_000 {
        return Check::wrong("clock", ahead.to_string(), ahead.hint());
    }
    Check::wrong(
        "clock",
        format!(
            "the ledger's latest time is {} minutes ahead of this machine's clock",
            ahead_s / 60
        ),
        "set the clock right, here or where that was written; copies accept up to a day",
    )
}

/// A chain that was restored from an export, which is only a danger if there is a newer one.
fn check_restored(status: &Status) -> Option<Check> {
    let seq = status.restored_up_to?;
    let found = format!(
        "this key's operations up to number {seq} came from an export; what it wrote elsewhere after that would be a fork"
    );
    Some(Check::ok(
        "restored",
        match status.own_seq > seq {
            true => found,
            false => format!("{found}: import the newest export before you write here"),
        },
    ))
}

fn check_space(session: &CliSession) -> Vec<Check> {
    const NAME: &str = "space";
    let opened = session.open(SpaceUse::Read);
    let space = match opened {
        Ok(space) => space,
        Err(Failure::NoSpace) => {
            return vec![Check::ok(NAME, "none here yet; `because init` creates one")];
        }
        Err(error) => {
            let closer = || "see the message; `because verify` checks more".to_owned();
            let advice = error.hint().unwrap_or_else(closer);
            return vec![Check::wrong(NAME, error.to_string(), advice)];
        }
    };
    let mut checks = Vec::new();
    let path = space.path().display().to_string();
    if let Some(owner) = &space.owner {
        let found = format!("{path}: somebody else's ({}), so it is only read", owner.label());
        checks.push(Check::ok(NAME, found));
    } else if space.is_read_only() {
        checks.push(Check::wrong(
            NAME,
            format!("{path}: read-only"),
            "check the permissions of the file and its folder",
        ));
    } else {
        checks.push(Check::ok(NAME, path));
    }
    if space.owner.is_none() {
        checks.extend(check_owner(session, &space));
    }
    match space.may_append(session.now) {
        Ok(true) => checks.push(Check::ok("permission", "this device's key may append")),
        Ok(false) => checks.push(Check::wrong(
            "permission",
            "this device's key may not append to the space",
            format!("the owner can allow it: because grant {} --can append", space.author()),
        )),
        Err(error) => checks.push(Check::wrong(
            "permission",
            error.to_string(),
            "`because verify` looks closer",
        )),
    }
    match space.ahead_s(session.now) {
        Ok(ahead_s) if ahead_s > CLOCK_AHEAD_S_MAX => checks.push(check_ahead(ahead_s)),
        Ok(_) => checks.push(match ClockWarning::of(&space, session.now) {
            Ok(Some(warning)) => Check::wrong("clock", warning.to_string(), warning.hint()),
            _ => Check::ok("clock", "not behind the ledger"),
        }),
        Err(error) => {
            checks.push(Check::wrong("clock", error.to_string(), "`because verify` looks closer"))
        }
    }
    match space.status() {
        Ok(status) => {
            checks.extend(check_restored(&status));
            let behind = status.ledger_position.0.saturating_sub(status.text_position.0);
            checks.push(Check::ok(
                "text index",
                format!("at {} of {}", status.text_position.0, status.ledger_position.0),
            ));
            if behind > 0 {
                checks.push(Check::ok(
                    "text index",
                    format!("{behind} behind; the next recall indexes them"),
                ));
            }
        }
        Err(error) => checks.push(Check::wrong("text index", error.to_string(), "because rebuild")),
    }
    match space.check_file() {
        Ok(damages) if damages.is_empty() => {
            checks.push(Check::ok("file", "its structure is sound"))
        }
        Ok(damages) => checks.push(Check::wrong(
            "file",
            damages.join("; "),
            "`because verify` names what is affected; restore a copy",
        )),
        Err(error) => checks.push(Check::wrong("file", error.to_string(), "restore a copy")),
    }
    checks.extend(check_schema(&space));
    checks
}

/// A space that somebody else's key made and in which a key of this home has signed. That is usual
/// for a second device.
fn check_owner(session: &CliSession, space: &Space) -> Option<Check> {
    const NAME: &str = "owner";
    match made_elsewhere(&session.home, space) {
        Ok(None) => None,
        Ok(Some(owner)) => Some(Check::ok(
            NAME,
            format!(
                "{} made the space, and a key of this device has signed in it, so it counts as \
                yours; if that is another person's key, what it says of \"you\" may be about them",
                owner.label()
            ),
        )),
        Err(error) => Some(Check::wrong(NAME, error.to_string(), "`because verify` looks closer")),
    }
}

/// Triggers and views, which this program does not make.
fn check_schema(space: &Space) -> Option<Check> {
    const NAME: &str = "schema";
    match space.foreign_schema() {
        Ok(found) if found.is_empty() => None,
        Ok(found) => Some(Check::wrong(
            NAME,
            format!("the file contains what because did not make: {}", found.join(", ")),
            "they do nothing here, but other programs that open the file run them; `because \
            export`, imported into a new file, leaves them behind",
        )),
        Err(error) => Some(Check::wrong(NAME, error.to_string(), "`because verify` looks closer")),
    }
}
