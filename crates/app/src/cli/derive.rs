//! `because derive`, and the derivation after `import` and `remember`.

use engine::Space;
use engine::derive::{Derived, Extent};
use engine::write::commit::{Change, Changes};
use engine::write::import::Intent;
use kernel::confidence::Band;
use kernel::kind::Capability;
use serde_json::json;

use super::{CliSession, incomplete_if, interrupt};
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, DIM, Form, count, printable};
use crate::service::change_wording::{altered_line, is_news};
use crate::service::derivation::derive_new;
use crate::service::opening::SpaceUse;

/// Changed beliefs printed; `because claims` lists all.
const BELIEFS_SHOWN_MAX: usize = 10;

/// Arguments of `derive`.
#[derive(clap::Args)]
#[command(
    after_help = "Derivers conclude beliefs from records: `because claims` lists them, `because explain` says why. `because import` and `because remember` derive from new records automatically. A refuted belief is not concluded again.\n\nExamples:\n  because derive\n  because derive --full --dry-run     check that everything still follows from the records"
)]
pub(crate) struct Args {
    /// From all records, not only the new ones
    #[arg(long)]
    full: bool,
    /// Only print what would change
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Derive))?;
    let extent = if args.full { Extent::Full } else { Extent::Changed };
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    interrupt::watched(session.form, "deriving");
    let bar = output::progress(None, "{spinner} deriving {msg}");
    let derived = space.derive(extent, intent, session.now, |derived| {
        bar.set_message(
            count(derived.read, "record")
                + ", "
                + &count(derived.added + derived.updated, "belief"),
        );
    });
    bar.finish_and_clear();
    let (derived, changes) = derived?;
    let changed: Vec<&Change> = changes.beliefs.values().collect();
    match session.form {
        Form::Json => output::json(&json!({
            "dry_run": args.dry_run,
            "derived": derived,
            "changed": changed.iter().map(|change| json!({
                "key": change.after.key,
                "before": change.before.as_ref().map(brief),
                "after": change.after.served.map(|_| brief(&change.after)),
            })).collect::<Vec<_>>(),
            "altered": changes.altered,
        }))?,
        Form::Text => {
            print(&derived, &changed, intent)?;
            altered_line(&changes).map_or(Ok(()), output::line)?;
        }
    }
    Ok(incomplete_if(derived.problem_count > 0))
}

fn brief(belief: &engine::belief::Belief) -> serde_json::Value {
    json!({
        "text": belief.text, "payload": belief.payload, "confidence": belief.confidence,
        "valid_from": belief.valid_from, "valid_to": belief.valid_to, "last_seen": belief.last_seen,
    })
}

fn print(derived: &Derived, changed: &[&Change], intent: Intent) -> Result<(), Failure> {
    if derived.changed_nothing()
        && derived.problem_count + derived.left_to_others + derived.not_judged == 0
    {
        output::line("Nothing new: the beliefs follow from the records")?;
        return Ok(());
    }
    output::line(summary(derived, intent))?;
    let changed: Vec<&Change> = changed.iter().copied().filter(|change| is_news(change)).collect();
    for change in changed.iter().take(BELIEFS_SHOWN_MAX) {
        print_change(change)?;
    }
    if changed.len() > BELIEFS_SHOWN_MAX {
        let more = changed.len() - BELIEFS_SHOWN_MAX;
        output::line(format_args!("  {DIM}… and {more} more: because claims --all{DIM:#}"))?;
    }
    print_problems(derived)
}

fn print_change(change: &Change) -> Result<(), Failure> {
    match (&change.before, change.after.served) {
        (_, None) => output::line(format_args!("  no longer: {}", printable(&change.after.text))),
        (before, Some(_)) => {
            let word = if before.is_some() { "now" } else { "new" };
            let band = Band::of(change.after.confidence).as_str();
            output::line(format_args!(
                "  {word}: {} {DIM}({band}){DIM:#}",
                printable(&change.after.text)
            ))
        }
    }
}

fn summary(derived: &Derived, intent: Intent) -> String {
    let mut parts = Vec::new();
    for (number, word) in [
        (derived.added, "new"),
        (derived.updated, "changed"),
        (derived.retracted, "taken back"),
        (derived.left_to_others, "no longer supported, left to a key that may correct"),
        (
            derived.not_judged,
            "left as it is, since records that it was built from are not in this copy",
        ),
        (derived.reviews, "to review"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    let would = if intent == Intent::DryRun { "Would derive" } else { "Derived" };
    let what = if parts.is_empty() { "nothing new".to_owned() } else { parts.join(", ") };
    format!("{BOLD}{would}{BOLD:#}: {what}")
}

fn print_problems(derived: &Derived) -> Result<(), Failure> {
    for problem in derived.problems.iter().take(BELIEFS_SHOWN_MAX) {
        let group = printable(&problem.group);
        output::line(format_args!(
            "  {BAD}deriver {}{BAD:#}, group {group:?}: {}",
            printable(&problem.deriver),
            printable(&problem.message)
        ))?;
    }
    Ok(())
}

/// Derives from new records after something was recorded; none if this key may not.
pub(crate) fn after_a_write(session: &CliSession) -> Result<Option<Derived>, Failure> {
    match session.open_if_permitted()? {
        Some(mut space) => after_writing_to(&mut space, session),
        None => Ok(None),
    }
}

/// The same in a space that is open.
pub(super) fn after_writing_to(
    space: &mut Space,
    session: &CliSession,
) -> Result<Option<Derived>, Failure> {
    let bar = output::progress(None, "{spinner} deriving {msg}");
    let derived =
        derive_new(space, session.now, |derived| bar.set_message(count(derived.read, "record")));
    bar.finish_and_clear();
    let Some((derived, changes)) = derived? else { return Ok(None) };
    if session.form == Form::Text {
        print_after(&derived, &changes)?;
    }
    Ok(Some(derived))
}

/// Prints what followed from a write, if anything did.
pub(super) fn print_after(derived: &Derived, changes: &Changes) -> Result<(), Failure> {
    if derived.changed_nothing() {
        return Ok(());
    }
    let changed: Vec<&Change> = changes.beliefs.values().collect();
    print(derived, &changed, Intent::Write)
}
