//! `because what-if`

use engine::belief::evidence_filter::EvidenceFilter;

use super::{CliSession, changes};
use crate::failure::Failure;
use crate::service::corrections::{self, Hypothesis};

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

pub(super) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let hypothesis = Hypothesis {
        retract: args.retract.clone(),
        without: EvidenceFilter {
            source: args.without_source.clone(),
            actor: args.without_author.clone(),
            month: args.without_month.clone(),
        },
        withdraw: args.withdraw.clone(),
        correct: args.correct.clone(),
        refute: args.refute.clone(),
    };
    let outcome = corrections::what_if(&mut session.open()?, session.now, &hypothesis)?;
    changes::print(session, &outcome)?;
    Ok(0)
}
