//! `because verify` and `because rebuild`

use engine::verify::beliefs::BeliefCheck;
use engine::verify::ledger::Verification;
use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use crate::failure::hint::of_finding;
use crate::failure::{Failure, exit};
use crate::output::{self, BAD, DIM, Form, GOOD, count, printable};
use crate::service::handles;
use crate::service::opening::SpaceUse;

/// Findings printed for people; `--json` has more.
const FINDINGS_SHOWN_MAX: usize = 20;

/// Arguments of `verify`.
#[derive(clap::Args)]
#[command(
    after_help = "Derives everything again from the records and compares the result with the stored beliefs.\nNothing is written. Exit code 3 means that something is wrong; each finding names the operation."
)]
pub(crate) struct Args {}

/// Arguments of `rebuild`.
#[derive(clap::Args)]
#[command(
    after_help = "The ledger is not touched. Needed only when `because verify` reports that a view differs."
)]
pub(crate) struct RebuildArgs {}

pub(crate) fn run(session: &CliSession, _: &Args) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Read)?;
    if space.owner.is_none() {
        handles::set_owner_names(&session.home, &mut space)?;
    }
    let begun = std::time::Instant::now();
    let bar = output::progress(Some(space.head()?.0), "verifying {bar:30} {pos}/{len} operations");
    let mut verification = space.verify(|checked| bar.set_position(checked))?;
    bar.finish_and_clear();
    let bar = output::progress(None, "{spinner} deriving again {msg}");
    let checked = space.verify_beliefs(&mut verification, session.now, |derived| {
        bar.set_message(count(derived.read, "record"));
    });
    bar.finish_and_clear();
    checked?;
    let sound = verification.is_sound();
    match session.form {
        Form::Json => {
            let mut value = serde_json::to_value(&verification).map_err(std::io::Error::from)?;
            for (shown, finding) in
                value["findings"].as_array_mut().into_iter().flatten().zip(&verification.findings)
            {
                shown["hint"] = json!(of_finding(&finding.code));
            }
            value["sound"] = json!(sound);
            value["seconds"] = json!(begun.elapsed().as_secs_f64());
            output::json(&value)?;
        }
        Form::Text => print(&verification, begun.elapsed())?,
    }
    Ok(if sound { 0 } else { exit::UNSOUND })
}

/// Prints the findings, for people.
pub(crate) fn print(verification: &Verification, took: std::time::Duration) -> Result<(), Failure> {
    for finding in verification.findings.iter().take(FINDINGS_SHOWN_MAX) {
        let style = if finding.kept { DIM } else { BAD };
        let effect = match (finding.kept, finding.without_effect) {
            (false, _) => "",
            (true, true) => " (kept without effect)",
            (true, false) => " (kept, and in effect)",
        };
        output::line(format_args!(
            "{style}{}{style:#}: {}{effect}",
            finding.code,
            printable(&finding.message)
        ))?;
        if let Some(hint) = of_finding(&finding.code) {
            output::line(format_args!("  {hint}"))?;
        }
    }
    let more = verification.finding_count.saturating_sub(FINDINGS_SHOWN_MAX as u64);
    if more > 0 {
        output::line(format_args!("… and {more} more; --json lists up to 1000"))?;
    }
    let operations = count(verification.operations, "operation");
    let seconds = took.as_secs_f64();
    if verification.is_sound() {
        let views: Vec<&str> = verification.views.iter().map(|view| view.name).collect();
        output::line(format_args!(
            "{GOOD}Sound{GOOD:#}: {operations}, every hash, signature, chain and rule; views folded again and equal: {} ({seconds:.1} s)",
            views.join(", ")
        ))?;
    } else {
        output::line(format_args!(
            "{BAD}Not sound{BAD:#}: {operations} checked in {seconds:.1} s; see above"
        ))?;
    }
    let bodies = &verification.bodies;
    if bodies.withheld + bodies.forgotten > 0 {
        output::line(format_args!(
            "Bodies: {} withheld from this copy and {} forgotten, as declared; their hashes and signatures are checked",
            bodies.withheld, bodies.forgotten
        ))?;
    }
    if verification.not_members > 0 {
        output::line(format_args!(
            "Keys: {} of keys that were never granted a capability, kept without effect by an earlier version",
            count(verification.not_members, "operation")
        ))?;
    }
    match &verification.beliefs {
        Some(check) => print_beliefs(check),
        None => Ok(()),
    }
}

fn print_beliefs(check: &BeliefCheck) -> Result<(), Failure> {
    match check {
        BeliefCheck::Compared { beliefs, differing: 0 } => {
            let follow = if *beliefs == 1 { "follows" } else { "follow" };
            output::line(format_args!("Beliefs: {beliefs} {follow} from the records"))
        }
        BeliefCheck::Compared { beliefs, differing } => output::line(format_args!(
            "{BAD}Beliefs{BAD:#}: {beliefs}, of which {differing} differ from what the records give; see above"
        )),
        BeliefCheck::NotDerived { records: 0 } => output::line(
            "Beliefs: not compared, since a derivation must be finished first; run `because derive`",
        ),
        BeliefCheck::NotDerived { records } => {
            let are = if *records == 1 { "is" } else { "are" };
            let records = count(*records, "record");
            output::line(format_args!(
                "Beliefs: not compared, since {records} {are} not derived from yet; run `because derive`"
            ))
        }
        BeliefCheck::Skipped { reason } => {
            output::line(format_args!("Beliefs: not compared: {}", printable(reason)))
        }
    }
}

pub(crate) fn rebuild(session: &CliSession, _: &RebuildArgs) -> Result<u8, Failure> {
    let mut space = session.open(SpaceUse::Manage(Capability::Append))?;
    let bar = output::progress(Some(space.head()?.0), "folding {bar:30} {pos}/{len} operations");
    space.rebuild(|position| bar.set_position(position))?;
    bar.finish_and_clear();
    let digests = space.digests()?;
    match session.form {
        Form::Json => output::json(&json!({ "views": digests }))?,
        Form::Text => {
            let columns = digests.iter().map(|view| view.name.len()).max().unwrap_or_default();
            for view in digests {
                output::line(format_args!(
                    "{:<columns$} at {:<8} {DIM}{}{DIM:#}",
                    view.name, view.position.0, view.digest
                ))?;
            }
        }
    }
    Ok(0)
}
