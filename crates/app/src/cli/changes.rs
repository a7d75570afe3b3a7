//! How beliefs changed: "you corrected X, therefore Y and Z changed".
//!
//! Every command that records a user action prints this. `--dry-run` and `what-if` print the same
//! without recording it.

use engine::write::import::Intent;
use serde_json::Value;

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, Form};
use crate::service::change_wording::lines;
use crate::service::changes::Outcome;

/// The option of a command that changes something.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct DryRun {
    /// Show what would follow, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl DryRun {
    /// Whether nothing is to be written.
    pub(super) fn is_dry(self) -> bool {
        self.dry_run
    }

    /// The same, for the service.
    pub(super) fn intent(self) -> Intent {
        if self.dry_run { Intent::DryRun } else { Intent::Write }
    }
}

/// Prints the action and its consequences.
pub(super) fn print(session: &CliSession, outcome: &Outcome) -> Result<(), Failure> {
    match session.form {
        Form::Json => output::json(&to_json(outcome)?),
        Form::Text => lines(outcome).iter().try_for_each(output::emphasised),
    }
}

/// The same as JSON.
pub(super) fn to_json(outcome: &Outcome) -> Result<Value, Failure> {
    Ok(serde_json::to_value(outcome.report()).map_err(std::io::Error::from)?)
}
