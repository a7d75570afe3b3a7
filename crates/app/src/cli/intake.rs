//! What an import of an export says about what it refuses, forks, restored chains and operations
//! from the future.

use std::path::Path;

use engine::write::exchange::{Intake, Refusal};
use engine::write::fork::Fork;
use engine::write::record_again::RecordedAgain;

use crate::failure::Failure;
use crate::output::{self, BAD, DIM, count, printable, quoted};

/// Reasons named for which operations are refused.
const REASONS_SHOWN_MAX: usize = 10;
/// The code of an operation of another space.
const WRONG_SPACE: &str = "wrong_space";
/// The code of an operation of a key without any capability.
const NOT_A_MEMBER: &str = "not_a_member";
/// Operations named that could not be recorded again.
const LEFT_OUT_SHOWN_MAX: usize = 10;

/// Refusals for one reason, in whichever lines.
struct Reason<'r> {
    first: &'r Refusal,
    last_line: u64,
    number: u64,
}

impl Reason<'_> {
    fn print(&self) -> Result<(), Failure> {
        let Self { first: Refusal { line, code, message }, last_line, number } = self;
        match number {
            1 => output::line(format_args!("  line {line}: {} ({code})", printable(message))),
            _ => output::line(format_args!(
                "  lines {line} to {last_line}, {}: {} ({code})",
                count(*number, "operation"),
                printable(without_id(message))
            )),
        }
    }
}

/// A message without the operation that it begins with.
fn without_id(message: &str) -> &str {
    let rest = message.strip_prefix("operation ").and_then(|rest| rest.split_once(": "));
    rest.map_or(message, |(_, reason)| reason)
}

/// The reasons of refusals, in the order in which they come first.
fn reasons(refusals: &[Refusal]) -> Vec<Reason<'_>> {
    let mut reasons: Vec<Reason<'_>> = Vec::new();
    for refusal in refusals {
        let is_same = |of: &&mut Reason<'_>| {
            of.first.code == refusal.code
                && without_id(&of.first.message) == without_id(&refusal.message)
        };
        match reasons.iter_mut().find(is_same) {
            Some(reason) => {
                reason.last_line = refusal.line;
                reason.number += 1;
            }
            None => reasons.push(Reason { first: refusal, last_line: refusal.line, number: 1 }),
        }
    }
    reasons
}

/// Prints why operations were refused, each reason once, and what to do about it.
pub(super) fn print_refusals(path: &Path, intake: &Intake) -> Result<(), Failure> {
    let mut reasons = reasons(&intake.refusals);
    let is = |reason: &Reason<'_>, code: &str| reason.first.code == code;
    let is_another = reasons.iter().any(|it| it.first.line == 1 && is(it, WRONG_SPACE));
    if is_another {
        // Who has no capability here is beside the point.
        reasons.retain(|reason| !is(reason, NOT_A_MEMBER));
    }
    reasons.iter().take(REASONS_SHOWN_MAX).try_for_each(Reason::print)?;
    let shown = reasons.iter().take(REASONS_SHOWN_MAX).map(|reason| reason.number).sum();
    let more = intake.refused.saturating_sub(shown);
    if more > 0 && !is_another {
        output::line(format_args!("  {DIM}… and {more} more; --json lists up to 100{DIM:#}"))?;
    }
    if is_another {
        return output::line(format_args!(
            "  The file is a copy of another space, so none of it belongs here. To make a space of it: because --space copy.db import {}",
            quoted(&output::path(path))
        ));
    }
    if reasons.iter().any(|reason| is(reason, NOT_A_MEMBER)) {
        output::line(
            "  The owner of the space can let a key in: because grant KEY --can append; then import the file again.",
        )?;
    }
    Ok(())
}

/// Prints what the user should know and do beyond the counts of an import.
pub(super) fn print_advice(intake: &Intake, again: Option<&RecordedAgain>) -> Result<(), Failure> {
    for fork in &intake.forks {
        print_fork(fork)?;
    }
    let own_fork = intake.forks.iter().any(|fork| fork.is_own);
    match again {
        Some(again) => print_again(again)?,
        None if own_fork => output::line(
            "  To keep both branches: import the export that your other copies have into a new file (because --space NEW.db import NEWEST.jsonl), then the other one on top (because --space NEW.db import --record-again OTHER.jsonl).",
        )?,
        None => {}
    }
    let is_ahead = intake.refusals.iter().any(|refusal| refusal.code == "from_future");
    if is_ahead && again.is_none() {
        output::line(
            "  Operations from the future were written under a clock that was ahead. What this device's key wrote, --record-again records again with today's time.",
        )?;
    }
    if intake.restores {
        output::line(format_args!(
            "  {BAD}This restores operations of this device's own key.{BAD:#} If the key wrote more after this export was made, import the newest export before you write here: a chain that continues in two places is a fork, and other copies refuse one of them."
        ))?;
    }
    Ok(())
}

fn print_fork(fork: &Fork) -> Result<(), Failure> {
    let whose = if fork.is_own { "This device's key" } else { "The key" };
    output::line(format_args!(
        "  {BAD}Fork:{BAD:#} {whose} {} signed two operations number {}: {} is recorded here, {} was refused, with {} in all. The key was used on two machines at once, or continued from an older export.",
        fork.author,
        fork.seq,
        fork.recorded.short(),
        fork.refused.short(),
        count(fork.refused_count, "operation")
    ))?;
    if !fork.is_own {
        output::line(
            "  Its holder can record one branch again on the device that has the key; until then this copy keeps the branch that it had first.",
        )?;
    }
    Ok(())
}

fn print_again(again: &RecordedAgain) -> Result<(), Failure> {
    let RecordedAgain { added, present, left_to_derivation, left_out, left_out_first } = again;
    output::line(format_args!(
        "  recorded again with today's time: {} new, {present} already there, {left_to_derivation} left to derivation",
        count(*added, "operation")
    ))?;
    if *left_out > 0 {
        output::line(format_args!(
            "  {BAD}{} could not be recorded again:{BAD:#}",
            count(*left_out, "operation")
        ))?;
    }
    for left in left_out_first.iter().take(LEFT_OUT_SHOWN_MAX) {
        output::line(format_args!(
            "  {} ({}): {}",
            left.id.short(),
            printable(&left.kind),
            printable(&left.reason)
        ))?;
    }
    let more = left_out_first.len().saturating_sub(LEFT_OUT_SHOWN_MAX);
    if more > 0 {
        output::line(format_args!("  {DIM}… and {more} more; --json lists up to 100{DIM:#}"))?;
    }
    Ok(())
}
