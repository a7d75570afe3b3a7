//! `because demo`: import, recall, explain and verify on a small sample, in a temporary space.

use std::path::Path;

use engine::Space;
use engine::belief::claims::ClaimFilter;
use engine::derive::Extent;
use engine::recall::episodes::Query;
use engine::write::import::Intent;
use eval::sample;
use importers::Context;

use super::episodes::{Detail, SpaceShown};
use super::{CliSession, changes, claims, episodes, show, verify};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, count};
use crate::place::{self, Home};
use crate::service::corrections;

/// Arguments of `demo`.
#[derive(clap::Args)]
#[command(after_help = "Needs no network, key or configuration, and does not touch your data.")]
pub(crate) struct Args {}

/// The questions.
const QUESTIONS: [&str; 3] = [
    "Which glaze did Idris recommend for the tall bowls?",
    "Who is allergic to walnuts?",
    "When does the class of the last week of February take place?",
];
/// Beliefs shown, the most confident first.
const BELIEFS: usize = 4;
/// The belief that the demo refutes to show what follows: a routine that a preference is derived
/// from.
const REFUTED: &str = "routine.weekly|pottery-class-for-beginners|tue|evening";
/// The end of the sample, for which its beliefs are shown: some of them are over today.
const SAMPLE_END: jiff::civil::Date = jiff::civil::date(2025, 3, 16);
/// Records shown for each question.
const SHOWN: usize = 2;

pub(crate) fn run(session: &CliSession, _: &Args) -> Result<u8, Failure> {
    let folder = place::scratch_folder()?;
    let home = Home::at(folder.path().join("home"));
    sample::unpack(folder.path())?;
    let mut space =
        Space::create(&folder.path().join("space.db"), home.signer()?, "demo", session.now)?;
    if session.form == Form::Json {
        return run_json(session, &mut space, folder.path());
    }
    output::line(format_args!(
        "{BOLD}Ten weeks of Mara's life{BOLD:#} {DIM}(she is invented): a calendar, notes, a chat{DIM:#}\n"
    ))?;
    for source in sample::SOURCES {
        let report = import(session, &mut space, &folder.path().join(source))?;
        output::line(format_args!(
            "  {source:<14} {} signed and recorded",
            count(report.tally.added, "record")
        ))?;
    }
    conclude(session, &mut space)?;
    let mut best = None;
    for question in QUESTIONS {
        let begun = std::time::Instant::now();
        let answer = space.recall(&query(session, question))?;
        let took = begun.elapsed();
        output::line(format_args!(
            "\n{BOLD}{question}{BOLD:#} {DIM}({:.1} ms){DIM:#}",
            took.as_secs_f64() * 1e3
        ))?;
        for (number, recollection) in answer.results.iter().enumerate() {
            best.get_or_insert(recollection.id);
            episodes::print(
                session,
                number + 1,
                SpaceShown::default(),
                recollection,
                Detail::Brief,
            )?;
        }
    }
    if let Some(id) = best {
        output::line(format_args!("\n{BOLD}Where the first answer comes from{BOLD:#}"))?;
        show::print(&space.show(&id)?, &space.key_ring()?)?;
    }
    output::line(format_args!("\n{BOLD}Is everything as it was signed?{BOLD:#}"))?;
    let begun = std::time::Instant::now();
    let verification = space.verify(|_| {})?;
    verify::print(&verification, begun.elapsed())?;
    output::line(format_args!(
        "\n{BOLD}Now with your own{BOLD:#}\n  because init                               a memory for this folder\n  because import ~/notes calendar.ics        also chats, mail, photos, git: because import --help\n  because recall \"what did I decide about …\"  add --explain to see why\n  because claims                             what follows; because explain says why, because refute marks it false\n"
    ))?;
    Ok(if verification.is_sound() { 0 } else { crate::failure::exit::UNSOUND })
}

/// Shows what follows from the records, and what would change if Mara refuted one of her routines.
fn conclude(session: &CliSession, space: &mut Space) -> Result<(), Failure> {
    space.derive(Extent::Changed, Intent::Write, session.now, |_| {})?;
    let at_us = sample_end_us();
    let believed = space.claims(&believed_then(at_us), BELIEFS)?.beliefs;
    output::line(format_args!(
        "\n{BOLD}What follows from them{BOLD:#} {DIM}as of {}{DIM:#}",
        SAMPLE_END
    ))?;
    for belief in &believed {
        claims::print_at(session, belief, (None, ""), at_us)?;
    }
    output::line(format_args!(
        "\n{BOLD}What if one of them were wrong?{BOLD:#} {DIM}Nothing is written.{DIM:#}"
    ))?;
    let refuted = corrections::refute(space, session.now, REFUTED, "", Intent::DryRun)?;
    changes::print(session, &refuted)
}

fn run_json(session: &CliSession, space: &mut Space, folder: &Path) -> Result<u8, Failure> {
    let mut imports = Vec::new();
    for source in sample::SOURCES {
        imports.push(import(session, space, &folder.join(source))?);
    }
    let (derived, _) = space.derive(Extent::Changed, Intent::Write, session.now, |_| {})?;
    let believed = space.claims(&believed_then(sample_end_us()), BELIEFS)?.beliefs;
    let believed: Vec<_> = believed.iter().map(engine::belief::claims::to_json).collect();
    let mut answers = Vec::new();
    for question in QUESTIONS {
        let answer = space.recall(&query(session, question))?;
        answers.push(serde_json::json!({ "question": question, "results": answer.results }));
    }
    let verification = space.verify(|_| {})?;
    let sound = verification.is_sound();
    output::json(&serde_json::json!({
        "imports": imports, "derived": derived, "beliefs": believed, "answers": answers, "verification": verification, "sound": sound
    }))?;
    Ok(if sound { 0 } else { crate::failure::exit::UNSOUND })
}

/// When the sample ends, microseconds since the Unix epoch.
fn sample_end_us() -> i64 {
    let end = SAMPLE_END.to_zoned(jiff::tz::TimeZone::UTC);
    end.map_or(i64::MAX, |end| end.timestamp().as_microsecond())
}

/// What was believed and true at a time.
fn believed_then(at_us: i64) -> ClaimFilter {
    ClaimFilter::default().in_force(at_us)
}

fn query(session: &CliSession, question: &str) -> Query {
    Query { today: Some(session.today()), ..Query::new(question, SHOWN) }
}

fn import(
    session: &CliSession,
    space: &mut Space,
    path: &Path,
) -> Result<engine::write::import::Report, Failure> {
    let unknown = || Failure::UnknownFormat { path: path.to_owned(), formats: Vec::new() };
    let importer =
        importers::detect(path).map_err(engine::EngineError::from)?.ok_or_else(unknown)?;
    let context = Context::new(session.now, session.zone.clone());
    Ok(space.import(importer, path, &context, Intent::Write, |_| {})?)
}
