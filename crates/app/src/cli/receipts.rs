//! `because receipts`

use engine::Space;
use engine::recall::receipts::{RECEIPTS_MAX, Receipt};
use kernel::kind::Capability;
use serde_json::json;
use store::sqlite::ReceiptFilter;

use super::CliSession;
use super::context::SHORT_CHARS;
use crate::failure::{Failure, RequestError};
use crate::output::{self, BOLD, DIM, Form, ID, count, printable};
use crate::service::context::reason_in_words;
use crate::service::opening::SpaceUse;

/// Arguments of `receipts`.
#[derive(clap::Args)]
#[command(
    after_help = "`because context`, `because recall --agent NAME` and the tools for agents write receipts.\n\nExamples:\n  because receipts\n  because receipts --agent claude --since 2025-02-01\n  because receipts --of b3:12ab34cd56ef\n  because receipts receipt:12ab34cd56ef\n  because receipts --prune 2025-01-01"
)]
pub(crate) struct Args {
    /// Show this receipt with the texts of its records
    receipt: Option<String>,
    /// Only receipts of this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only receipts of this conversation
    #[arg(long)]
    session: Option<String>,
    /// Only receipts that contain this record
    #[arg(long, value_name = "ID")]
    of: Option<String>,
    /// Only from this time on
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// At most this many, the latest; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    count: usize,
    /// Delete receipts from before this time; text that was shown then is no longer recognised when
    /// an agent repeats it
    #[arg(long, value_name = "TIME", conflicts_with_all = ["receipt", "agent", "session", "of", "since"])]
    prune: Option<String>,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let purpose =
        if args.prune.is_some() { SpaceUse::Manage(Capability::Append) } else { SpaceUse::Read };
    let mut space = session.open(purpose)?;
    if let Some(before) = &args.prune {
        return prune(session, &mut space, before);
    }
    if let Some(named) = &args.receipt {
        return show(session, &space, &space.receipt(named)?);
    }
    let filter = ReceiptFilter {
        agent: args.agent.clone(),
        session: args.session.clone(),
        of: args.of.as_deref().map(|of| space.resolve(of)).transpose()?,
        since_us: session.times().start_if_given_us(args.since.as_deref())?,
    };
    let limit = if args.count == 0 { RECEIPTS_MAX } else { args.count };
    let receipts = space.receipts(&filter, limit)?;
    match session.form {
        Form::Json => output::json(&json!({ "receipts": receipts }))?,
        Form::Text if receipts.is_empty() => output::line("No receipts.")?,
        Form::Text => {
            for receipt in &receipts {
                output::line(heading(session, receipt))?;
            }
        }
    }
    Ok(0)
}

fn prune(session: &CliSession, space: &mut Space, before: &str) -> Result<u8, Failure> {
    let too_far = |_| RequestError::TimeTooFar { text: before.to_owned() };
    let before =
        jiff::Timestamp::from_microsecond(session.times().start_us(before)?).map_err(too_far)?;
    let pruned = space.prune_receipts(before)?;
    match session.form {
        Form::Json => output::json(&json!({ "pruned": pruned }))?,
        Form::Text => output::line(format_args!("Deleted {}", count(pruned, "receipt")))?,
    }
    Ok(0)
}

/// Prints who was shown how much, and when.
fn heading(session: &CliSession, receipt: &Receipt) -> String {
    let id = receipt
        .id
        .map(|id| id.to_string().chars().take(SHORT_CHARS).collect::<String>())
        .unwrap_or_default();
    let time = session
        .clock(jiff::Timestamp::from_microsecond(receipt.time.instant_us()).unwrap_or_default());
    let conversation =
        receipt.session.as_ref().map(|name| format!(" · {}", printable(name))).unwrap_or_default();
    let turn = receipt.turn.map(|turn| format!(" · turn {turn}")).unwrap_or_default();
    let records = receipt.items.iter().filter(|item| item.id.is_some()).count() as u64;
    format!(
        "{ID}{id}{ID:#}  {time}  {BOLD}{}{BOLD:#}{conversation}{turn}  {DIM}{}, {}{DIM:#}",
        printable(&receipt.agent),
        count(records, "record"),
        count(receipt.tokens, "token")
    )
}

fn show(session: &CliSession, space: &Space, receipt: &Receipt) -> Result<u8, Failure> {
    let texts = space.texts_of(receipt)?;
    if session.form == Form::Json {
        let mut value = serde_json::to_value(receipt).unwrap_or_default();
        let texts: serde_json::Map<String, serde_json::Value> =
            texts.into_iter().map(|(id, text)| (id.to_string(), text.into())).collect();
        value["texts"] = texts.into();
        output::json(&value)?;
        return Ok(0);
    }
    output::line(heading(session, receipt))?;
    for item in &receipt.items {
        let id = item.id.map(|id| format!("{ID}{}{ID:#}  ", id.short())).unwrap_or_default();
        let score = item.score.map(|score| format!(", {score:.3}")).unwrap_or_default();
        let tokens = if item.tokens > 0 {
            format!(", {}", count(item.tokens, "token"))
        } else {
            String::new()
        };
        output::line(format_args!(
            "  {id}{} {DIM}{}{score}{tokens}{DIM:#}",
            item.tier.as_str(),
            reason_in_words(&item.reason)
        ))?;
        let text = item.id.and_then(|id| texts.get(&id));
        match text {
            Some(text) => {
                for line in text.lines() {
                    output::line(format_args!("    {}", printable(line)))?;
                }
            }
            None if item.id.is_some() => {
                output::line(format_args!("    {DIM}(its text is gone){DIM:#}"))?
            }
            None => {}
        }
    }
    Ok(0)
}
