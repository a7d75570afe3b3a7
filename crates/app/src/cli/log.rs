//! `because log`

use std::time::Duration;

use engine::inspect::{LogFilter, summary, to_json_in_list};
use engine::keys::KeyRing;
use store::{Position, Recorded};

use super::{CliSession, print_owner};
use crate::failure::{Failure, RequestError};
use crate::output::{self, DIM, Form, ID, printable, short};
use crate::service::opening::{OpenedSpace, SpaceUse};

/// How often `--follow` polls.
const FOLLOW_EVERY: Duration = Duration::from_millis(250);

/// Arguments of `log`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because log -n 50\n  because log --kind event --since 2025-02-01\n  because log --follow --json"
)]
pub(crate) struct Args {
    /// How many of the latest; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    count: usize,
    /// Only this kind of operation (evidence, claim, grant …) or of evidence (turn, note …); may be
    /// repeated
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only by this key (ed25519:…)
    #[arg(long, value_name = "KEY")]
    author: Option<String>,
    /// Only recorded at this time or later
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Wait for new operations and print them, until interrupted
    #[arg(long, short)]
    follow: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let since = session.times().start_if_given_us(args.since.as_deref())?;
    let author = args.author.as_deref().map(str::parse).transpose();
    let filter = LogFilter {
        kinds: args.kind.clone(),
        author: author.map_err(RequestError::Key)?,
        since_us: since.map(|since| since.max(0).unsigned_abs()),
    };
    let space = session.open(SpaceUse::Read)?;
    let keys = space.key_ring()?;
    if session.form == Form::Text {
        print_owner(space.owner.as_ref())?;
    }
    let mut position = space.head()?;
    if args.count == 0 {
        position = print_after(&space, session, &keys, Position(0), &filter)?;
    } else {
        for recorded in space.log_tail(args.count, &filter)? {
            print(session, &space, &keys, &recorded)?;
        }
    }
    if !args.follow {
        return Ok(0);
    }
    loop {
        std::thread::sleep(FOLLOW_EVERY);
        position = print_after(&space, session, &space.key_ring()?, position, &filter)?;
    }
}

fn print_after(
    space: &OpenedSpace,
    session: &CliSession,
    keys: &KeyRing,
    after: Position,
    filter: &LogFilter,
) -> Result<Position, Failure> {
    let mut failure = None;
    let position =
        space.log(after, filter, |recorded| match print(session, space, keys, &recorded) {
            Ok(()) => true,
            Err(error) => {
                failure = Some(error);
                false
            }
        })?;
    failure.map_or(Ok(position), Err)
}

fn print(
    session: &CliSession,
    space: &OpenedSpace,
    keys: &KeyRing,
    recorded: &Recorded,
) -> Result<(), Failure> {
    let quoted_by = keys.quoted_by(&recorded.operation);
    if session.form == Form::Json {
        let mut value = to_json_in_list(recorded);
        value["owner"] = serde_json::json!(space.owner);
        if let Some(program) = quoted_by {
            value["quoted_by"] = program.into();
        }
        return output::json(&value);
    }
    let mut said_by =
        space.owner.as_ref().map(|owner| format!("{}: ", owner.name())).unwrap_or_default();
    said_by.extend(quoted_by.map(|program| format!("quoted by {program}: ")));
    let operation = &recorded.operation;
    let header = operation.header();
    let time = jiff::Timestamp::from_microsecond(header.ts.0.cast_signed()).unwrap_or_default();
    let local = time.to_zoned(session.zone.clone()).strftime("%Y-%m-%d %H:%M:%S");
    output::line(format_args!(
        "{ID}{}{ID:#}  {DIM}{local}{DIM:#}  {:<10}  {}{}",
        short(&operation.id()),
        header.kind,
        printable(&said_by),
        printable(&summary(operation)),
    ))
}
