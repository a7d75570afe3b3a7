//! `because doctor`: is this installation well, and what to do if not.

use models::{EmbedError, Purpose};
use serde::Serialize;

use super::Session;
use crate::failure::{Failure, exit};
use crate::output::{self, BAD, Form, GOOD, printable};

/// How far the ledger may be ahead of the clock before that is worth a word, seconds: clocks of
/// several machines differ.
const CLOCK_AHEAD_S_MAX: u64 = 600;

/// Arguments of `doctor`.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    well: bool,
    found: String,
    /// What to do, if not well.
    advice: Option<String>,
}

impl Check {
    fn well(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, well: true, found: found.into(), advice: None }
    }

    fn unwell(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, well: false, found: found.into(), advice: Some(advice.into()) }
    }
}

pub(crate) fn run(session: &Session, _: &Args) -> Result<u8, Failure> {
    let mut checks = vec![Check::well("program", format!("because {}", env!("CARGO_PKG_VERSION")))];
    checks.push(check_key(session));
    checks.extend(check_space(session));
    checks.extend(check_embedder(session));
    let well = checks.iter().all(|check| check.well);
    match session.form {
        Form::Json => output::json(&serde_json::json!({ "well": well, "checks": checks }))?,
        Form::Text => {
            for check in &checks {
                let (style, mark) = if check.well { (GOOD, "ok") } else { (BAD, "!!") };
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
    Ok(if well { 0 } else { exit::UNSOUND })
}

fn check_key(session: &Session) -> Check {
    let path = session.home.key_path();
    let shown = path.display().to_string();
    if !path.exists() {
        return Check::well(
            "device key",
            format!("{shown}: none yet; it is made when first needed"),
        );
    }
    if let Err(error) = session.home.signer() {
        return Check::unwell("device key", shown, error.to_string());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = path.metadata().map_or(0, |metadata| metadata.permissions().mode() & 0o777);
        if mode & 0o077 != 0 {
            return Check::unwell(
                "device key",
                format!("{shown}: others can read it (mode {mode:o})"),
                format!("chmod 600 {shown}"),
            );
        }
    }
    Check::well("device key", shown)
}

/// Tries the chosen model with one text.
fn check_embedder(session: &Session) -> Vec<Check> {
    const NAME: &str = "embedder";
    let settings = session.finder().and_then(|finder| session.settings(Some(&finder.path()?)));
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => {
            return vec![Check::unwell(
                NAME,
                error.to_string(),
                "docs/settings.md lists every setting",
            )];
        }
    };
    let mut checks = Vec::new();
    let chosen = settings.chosen();
    let shown = format!("{} ({})", chosen.selection, chosen.source);
    let begun = std::time::Instant::now();
    let tried = settings
        .choice()
        .map_err(|error| (error.to_string(), "mend what it names"))
        .and_then(|choice| {
            let failed = |error: EmbedError| (error.to_string(), advice(error.code()));
            let Some(mut embedder) = models::choice::open(&choice).map_err(failed)? else {
                return Ok(None);
            };
            embedder.embed(&["Is anybody there?"], Purpose::Question).map_err(failed)?;
            Ok(Some(embedder.model().clone()))
        });
    checks.push(match tried {
        Ok(None) => Check::well(NAME, shown),
        Ok(Some(model)) => Check::well(
            NAME,
            format!("{shown}: {model} answered in {} ms", begun.elapsed().as_millis()),
        ),
        Err((error, advice)) => Check::unwell(NAME, format!("{shown}: {error}"), advice),
    });
    if let Some(advice) = settings.advice() {
        checks.push(Check::well(NAME, advice));
    }
    checks
}

/// What to do about a model that does not answer, by the code of [`EmbedError`].
pub(crate) fn advice(code: &str) -> &'static str {
    match code {
        "embedder_unreachable" | "embedder_timed_out" => {
            "is it running, is the address right, is there a network? Until then recall goes on with the built-in model"
        }
        "embedder_rate_limited" | "embedder_failed" => "try again later; recall goes on without it",
        "embedder_refused" => {
            "check the key, the model's name and, if you set one, base_url (for most servers it ends in /v1)"
        }
        "embedder_wrong_dimensions" => {
            "take the setting `dimensions` out, or ask for what the model can make"
        }
        "embedder_unreadable" => "is that the right server? Check base_url",
        "model_unusable" => {
            "mend what it names; `because model list` lists the models that are here, --embedder built-in needs none"
        }
        _ => "`because doctor` tries it",
    }
}

fn check_space(session: &Session) -> Vec<Check> {
    const NAME: &str = "space";
    let opened = session.finder().and_then(|finder| finder.open());
    let space = match opened {
        Ok(space) => space,
        Err(Failure::NoSpace) => {
            return vec![Check::well(NAME, "none here yet; `because init` makes one")];
        }
        Err(error) => {
            return vec![Check::unwell(
                NAME,
                error.to_string(),
                "see the message; `because verify` looks closer",
            )];
        }
    };
    let mut checks = Vec::new();
    let path = space.path().display().to_string();
    if space.is_read_only() {
        checks.push(Check::unwell(
            NAME,
            format!("{path}: read-only"),
            "check the permissions of the file and its folder",
        ));
    } else {
        checks.push(Check::well(NAME, path));
    }
    match space.may_append(session.now) {
        Ok(true) => checks.push(Check::well("permission", "this device's key may append")),
        Ok(false) => checks.push(Check::unwell(
            "permission",
            "this device's key may not append to the space",
            format!("the owner can allow it: because grant {} --can append", space.author()),
        )),
        Err(error) => checks.push(Check::unwell(
            "permission",
            error.to_string(),
            "`because verify` looks closer",
        )),
    }
    match space.ahead_s(session.now) {
        Ok(ahead_s) if ahead_s > CLOCK_AHEAD_S_MAX => checks.push(Check::unwell(
            "clock",
            format!("the ledger's latest time is {} minutes ahead of this machine's clock", ahead_s / 60),
            "set the clock right, here or where that was written: other copies refuse what is more than a day ahead",
        )),
        Ok(_) => checks.push(Check::well("clock", "not behind the ledger")),
        Err(error) => checks.push(Check::unwell("clock", error.to_string(), "`because verify` looks closer")),
    }
    match space.status() {
        Ok(status) => {
            let behind = status.ledger_position.0.saturating_sub(status.text_position.0);
            checks.push(Check::well(
                "text index",
                format!("at {} of {}", status.text_position.0, status.ledger_position.0),
            ));
            if behind > 0 {
                checks.push(Check::well(
                    "text index",
                    format!("{behind} behind; the next recall reads them"),
                ));
            }
        }
        Err(error) => {
            checks.push(Check::unwell("text index", error.to_string(), "because rebuild"))
        }
    }
    match space.check_file() {
        Ok(damages) if damages.is_empty() => {
            checks.push(Check::well("file", "its structure is sound"))
        }
        Ok(damages) => checks.push(Check::unwell(
            "file",
            damages.join("; "),
            "`because verify` names what is affected; restore a copy",
        )),
        Err(error) => checks.push(Check::unwell("file", error.to_string(), "restore a copy")),
    }
    checks
}
