//! Importing a source as a mirror: what it no longer has is retracted.

use std::path::Path;

use engine::write::import::{Progress, Report};
use engine::write::mirror::MirrorPlan;
use engine::{EngineError, Space};
use importers::{Context, Importer};

use super::CliSession;
use super::selecting::confirm;
use crate::failure::{Failure, RequestError};
use crate::output::{self, DIM, Form, count, printable};

/// Refuses formats whose sources do not hold everything that they stand for.
pub(super) fn check(importer: &dyn Importer) -> Result<(), Failure> {
    if importer.is_mirrorable() {
        return Ok(());
    }
    Err(RequestError::NotMirrorable { format: importer.name() }.into())
}

/// What mirroring would do, without doing it.
pub(super) fn plan(
    space: &mut Space,
    importer: &'static dyn Importer,
    path: &Path,
    context: &Context,
    progress: impl FnMut(Progress),
) -> Result<(Report, MirrorPlan), EngineError> {
    space.plan_mirror(importer, path, context, progress)
}

/// Asks before more than half of a source is retracted. True if it may go on.
pub(super) fn may_go_on(
    session: &CliSession,
    report: &Report,
    plan: &MirrorPlan,
    yes: bool,
) -> Result<bool, Failure> {
    if yes || !plan.is_drastic() {
        return Ok(true);
    }
    let gone = count(plan.gone.len() as u64, "record");
    if session.form == Form::Text {
        print_gone(report)?;
    }
    let question = format!(
        "The source no longer has {gone} of the {} that were imported from it. Retract them?",
        plan.known
    );
    confirm(session, &question)
}

/// What a mirror would retract, or retracted.
pub(super) fn print_gone(report: &Report) -> Result<(), Failure> {
    for line in &report.gone {
        output::line(format_args!("  - {}", printable(line)))?;
    }
    let more = report.retracted.saturating_sub(report.gone.len() as u64);
    if more > 0 && !report.gone.is_empty() {
        output::line(format_args!("  {DIM}… and {more} more{DIM:#}"))?;
    }
    Ok(())
}
