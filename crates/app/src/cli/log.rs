//! `because log`

use std::collections::BTreeSet;
use std::time::Duration;

use engine::inspect::{ALTERED, LogFilter, evidence_of, summary, to_json_in_list};
use engine::keys::KeyRing;
use kernel::body::{Body, EdgeType};
use kernel::kind::Kind;
use kernel::operation::{Operation, Unverified};
use kernel::refs::{Role, cited};
use serde_json::json;
use store::{Position, Recorded};

use super::{CliSession, print_owner};
use crate::failure::{Failure, RequestError};
use crate::output::{self, DIM, Form, ID, printable};
use crate::service::opening::{OpenedSpace, SpaceUse};
use crate::service::wording::time_of;

/// How often `--follow` polls.
const FOLLOW_EVERY: Duration = Duration::from_millis(250);

/// What stands for the time of a record that has none.
const UNDATED: &str = "undated";

/// Arguments of `log`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because log -n 50\n  because log --kind event --since yesterday\n  because log --follow --json\n  because log --recorded            also when each was recorded"
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
    /// As of this time: only what was recorded until then
    #[arg(long, value_name = "TIME", conflicts_with = "follow")]
    as_of: Option<String>,
    /// Also print when each was recorded
    #[arg(long)]
    recorded: bool,
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
        as_of_us: session.times().recorded_us(args.as_of.as_deref())?,
    };
    let space = session.open(SpaceUse::Read)?;
    let keys = space.key_ring()?;
    if session.form == Form::Text {
        print_owner(space.owner.as_ref())?;
    }
    let mut position = space.head()?;
    // Whether anything fits is known before all of it is printed.
    let latest = space.log_tail(args.count.max(1), &filter)?;
    if latest.is_empty() && !args.follow {
        note_nothing(&space, &args.kind)?;
    }
    if args.count == 0 {
        position = print_after(session, args, &space, &keys, Position(0), &filter)?;
    } else {
        for recorded in latest {
            print(session, args, &space, &keys, &recorded)?;
        }
    }
    if !args.follow {
        return Ok(0);
    }
    loop {
        std::thread::sleep(FOLLOW_EVERY);
        position = print_after(session, args, &space, &space.key_ring()?, position, &filter)?;
    }
}

/// Says on the error output that nothing fits, and which kinds there are if one of them has none.
pub(super) fn note_nothing(space: &OpenedSpace, kinds: &[String]) -> Result<(), Failure> {
    let status = space.status()?;
    let known: BTreeSet<&String> = status.operations.keys().chain(status.evidence.keys()).collect();
    let unknown = kinds.iter().filter(|kind| !known.contains(kind)).map(String::as_str);
    let unknown = unknown.collect::<Vec<_>>().join(", ");
    if unknown.is_empty() {
        output::note("Nothing that was recorded fits.");
        return Ok(());
    }
    let known = known.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    output::note(format_args!(
        "No record has the kind {}; the kinds are: {}",
        printable(&unknown),
        printable(&known)
    ));
    Ok(())
}

fn print_after(
    session: &CliSession,
    args: &Args,
    space: &OpenedSpace,
    keys: &KeyRing,
    after: Position,
    filter: &LogFilter,
) -> Result<Position, Failure> {
    let mut failure = None;
    let position = space.log(after, filter, |recorded| {
        match print(session, args, space, keys, &recorded) {
            Ok(()) => true,
            Err(error) => {
                failure = Some(error);
                false
            }
        }
    })?;
    failure.map_or(Ok(position), Err)
}

fn print(
    session: &CliSession,
    args: &Args,
    space: &OpenedSpace,
    keys: &KeyRing,
    recorded: &Recorded,
) -> Result<(), Failure> {
    let operation = &recorded.operation;
    let header = operation.header();
    let evidence = evidence_of(operation);
    let quoted_by = keys.quoted_by(operation);
    if session.form == Form::Json {
        let mut value = to_json_in_list(recorded);
        value["at"] = json!(evidence.as_ref().and_then(|evidence| evidence.at.as_ref()));
        value["recorded_at"] = json!(engine::belief::explain::time(header.ts));
        value["owner"] = json!(space.owner);
        if let Some(program) = quoted_by {
            value["quoted_by"] = program.into();
        }
        return output::json(&value);
    }
    let mut said_by =
        space.owner.as_ref().map(|owner| format!("{}: ", owner.name())).unwrap_or_default();
    said_by.extend(quoted_by.map(|program| format!("quoted by {program}: ")));
    let recorded_at = session.time(header.ts);
    // A record has a time of its own; whatever else is recorded happens when it is.
    let at = match &evidence {
        Some(evidence) => time_of(evidence, &session.zone).unwrap_or_else(|| UNDATED.to_owned()),
        None => recorded_at.clone(),
    };
    let recorded_at = if args.recorded { format!("{recorded_at}  ") } else { String::new() };
    output::line(format_args!(
        "{ID}{}{ID:#}  {DIM}{recorded_at}{at:<16}{DIM:#}  {:<10}  {}{}",
        operation.id().short(),
        header.kind,
        printable(&said_by),
        printable(&in_words(operation)),
    ))
}

/// One line about an operation. Before the notes of an edge stands what it joins, before the reason
/// of a retraction what is retracted.
fn in_words(operation: &Operation<Unverified>) -> String {
    let words = summary(operation);
    let header = operation.header();
    let ids = |role: &'static str| {
        cited(&header.refs, role).map(|id| id.short()).collect::<Vec<_>>().join(" ")
    };
    let subject = match &header.kind {
        _ if words == ALTERED => String::new(),
        Kind::Edge => {
            let body = operation.body().map(|body| Body::parse(&header.kind, body));
            let edge_type = match body {
                Some(Ok(Body::Edge(edge))) => edge.edge_type.map_or("", EdgeType::as_str),
                _ => "",
            };
            format!("{} {edge_type} {}", ids(Role::FROM), ids(Role::TO))
        }
        Kind::EvidenceRetraction | Kind::Retraction => ids(Role::TARGET),
        _ => String::new(),
    };
    let parts = [subject, words].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(": ")
}
