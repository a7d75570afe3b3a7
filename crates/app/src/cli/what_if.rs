//! `because what-if`

use engine::belief::evidence_filter::EvidenceFilter;
use engine::belief::user::Replacement;
use engine::write::import::Intent;
use engine::{EngineError, Space};

use super::Session;
use super::changes::{self, Said};
use crate::failure::Failure;

/// Arguments of `what-if`.
#[derive(clap::Args)]
#[command(
    after_help = "Does it all, derives again, says what came of it, and takes everything back: what it says is what would happen, and nothing is written. The options may be repeated and used together.\n\nExamples:\n  because what-if --retract 9f2c41d0 --retract 03ab77e1\n  because what-if --refute 'routine.weekly|gym|tue,thu|morning'\n  because what-if --correct 'place.frequent|office=label=Karl Johansgatan 41'\n  because what-if --without-source ical\n  because what-if --without-author Ana --without-month 2025-03"
)]
#[group(required = true, multiple = true)]
pub(crate) struct Args {
    /// Without this record
    #[arg(long, value_name = "ID", num_args = 1..)]
    retract: Vec<String>,
    /// If this belief were false
    #[arg(long, value_name = "ID|KEY")]
    refute: Vec<String>,
    /// If this were true instead: JSON for the whole, or FIELD=VALUE, after the key
    #[arg(long, value_name = "KEY=JSON")]
    correct: Vec<String>,
    /// Without all records of this source, e.g. `ical`
    #[arg(long, value_name = "SOURCE")]
    without_source: Option<String>,
    /// Without all that this person said or wrote; with --without-source or --without-month,
    /// of that alone
    #[arg(long, value_name = "NAME")]
    without_author: Option<String>,
    /// Without all that happened in this month
    #[arg(long, value_name = "YYYY-MM")]
    without_month: Option<String>,
    /// Without what you said of this belief
    #[arg(long, value_name = "ID|KEY")]
    withdraw: Vec<String>,
}

pub(crate) fn run(session: &Session, args: &Args) -> Result<u8, Failure> {
    let mut space = session.finder()?.open()?;
    let mut drafts = Vec::new();
    let mut said = Vec::new();
    for name in &args.retract {
        let retractions = space.to_retract(name, "")?;
        said.extend(Said::of_targets("retracted", &space, &retractions)?);
        drafts.extend(retractions);
    }
    let without = EvidenceFilter {
        source: args.without_source.clone(),
        actor: args.without_author.clone(),
        month: args.without_month.clone(),
    };
    if without != EvidenceFilter::default() {
        let retractions = space.drafts_to_retract(&without)?;
        let parts =
            [("of source", &without.source), ("by", &without.actor), ("from", &without.month)];
        let which: Vec<String> = parts
            .iter()
            .filter_map(|(word, part)| part.as_ref().map(|part| format!("{word} {part}")))
            .collect();
        let which = which.join(" ");
        if retractions.is_empty() {
            return Err(Failure::Usage(format!(
                "there is no record {which}; `because status` counts what there is"
            )));
        }
        said.push(Said::of_records("retracted", retractions.len(), which));
        drafts.extend(retractions);
    }
    for name in &args.withdraw {
        drafts.extend(space.to_withdraw(name, "")?);
        said.push(Said::of_belief("withdrew what you said of", &space.belief_named(name)?));
    }
    for text in &args.correct {
        let (name, set) = split(&space, text)?;
        let by = Replacement { set: vec![set.to_owned()], ..Replacement::default() };
        drafts.extend(space.to_correct(name, &by)?);
        said.push(Said::of_belief("corrected", &space.belief_named(name)?));
    }
    for name in &args.refute {
        drafts.extend(space.to_refute(name, "")?);
        said.push(Said::of_belief("refuted", &space.belief_named(name)?));
    }
    let changes = space.act(drafts, Intent::DryRun, session.now)?;
    changes::print(session, &said, &changes, Intent::DryRun)?;
    Ok(0)
}

/// `KEY=JSON`, where a key may have `=` in it: the shortest that names a belief.
fn split<'a>(space: &Space, text: &'a str) -> Result<(&'a str, &'a str), Failure> {
    /// Places that are tried.
    const TRIED_MAX: usize = 16;
    let mut failure =
        Failure::Usage("after --correct stands KEY=JSON, and there is no `=`".to_owned());
    for (place, (at, _)) in text.match_indices('=').take(TRIED_MAX).enumerate() {
        let (name, set) =
            (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
        match space.believed(name) {
            Ok(_) => return Ok((name, set)),
            Err(error @ (EngineError::UnknownBelief { .. } | EngineError::NotABelief { .. })) => {
                if place == 0 {
                    failure = error.into();
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(failure)
}
