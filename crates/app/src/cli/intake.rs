//! What an import of an export says about forks, restored chains and operations from the future.

use engine::write::exchange::Intake;
use engine::write::fork::Fork;
use engine::write::record_again::RecordedAgain;

use crate::failure::Failure;
use crate::output::{self, BAD, DIM, count, printable, short};

/// Operations named that could not be recorded again.
const LEFT_OUT_SHOWN_MAX: usize = 10;

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
        short(&fork.recorded),
        short(&fork.refused),
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
            short(&left.id),
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
