//! `because show`

use engine::keys::KeyRing;
use engine::private::Viewpoint;
use kernel::id::OpId;
use kernel::kind::Kind;
use serde_json::json;

use super::{CliSession, print_owner};
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, DIM, Form, GOOD, ID, printable};
use crate::service::effective::ScopedSpace;
use crate::service::graph;

/// Arguments of `show`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because show 9f2c41d0            the beginning of an id is enough\n  because show 9f2c41d0 --as-of 2025-02-01"
)]
pub(crate) struct Args {
    /// The record's id, or 4 digits or more of its beginning, with or without `b3:`
    id: String,
    /// As of this time: what cited it until then
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// Whether a claim, a node or both ends of an edge are true at this time
    #[arg(long, value_name = "TIME")]
    valid_at: Option<String>,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let viewpoint = session.times().viewpoint(args.as_of.as_deref(), args.valid_at.as_deref())?;
    let ScopedSpace { opened: space, disclosure, .. } = session.open_with(&args.id)?;
    let id = space.resolve_disclosed(&args.id, disclosure)?;
    let viewpoint = Viewpoint { disclosure, ..viewpoint };
    let mut shown = space.show_at(&id, viewpoint.as_of_us)?;
    let view = match viewpoint.valid_at_us {
        Some(_) => graph::view_from(&space, &id, &viewpoint)?,
        None => None,
    };
    let in_window = view.map(|view| graph::is_valid(&space, &view, &viewpoint)).transpose()?;
    let citing: Vec<OpId> = shown.cited_by.iter().map(|citing| citing.id).collect();
    let withheld = space.withheld_among(&citing, disclosure)?;
    shown.cited_by.retain(|citing| !withheld.contains(&citing.id));
    let keys = space.key_ring()?;
    let is_sound = shown.fault.is_none();
    match session.form {
        Form::Json => {
            let quoted_by = keys.quoted_by(&shown.operation);
            let recorded = store::Recorded { position: shown.position, operation: shown.operation };
            let mut value = engine::inspect::to_json(&recorded);
            let cited_by = shown.cited_by.iter();
            value["cited_by"] = cited_by
                .map(|citing| json!({ "id": citing.id, "role": citing.role, "kind": citing.kind.as_str() }))
                .collect();
            value["verified"] = json!(shown.fault.is_none());
            value["fault"] = json!(shown.fault);
            if let Some(program) = quoted_by {
                value["quoted_by"] = json!(program);
            }
            value["forgotten"] = json!(shown.forgotten.map(|forgotten| json!({
                "redaction": forgotten.redaction, "at": time_of(forgotten.at).to_string(), "reason": forgotten.reason,
            })));
            if let Some(in_window) = in_window {
                value["in_window"] = json!(in_window);
            }
            value["owner"] = json!(space.owner);
            output::json(&value)?;
        }
        Form::Text => {
            print_owner(space.owner.as_ref())?;
            print(&shown, &keys)?;
            if in_window == Some(false) {
                output::line("  not true at that time")?;
            }
        }
    }
    Ok(if is_sound { 0 } else { crate::failure::exit::UNSOUND })
}

fn time_of(ts: kernel::operation::HlcTimestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_microsecond(ts.0.cast_signed()).unwrap_or_default()
}

/// Prints one operation for people.
pub(crate) fn print(shown: &engine::inspect::Shown, keys: &KeyRing) -> Result<(), Failure> {
    let header = shown.operation.header();
    let time = time_of(header.ts);
    output::line(format_args!("{BOLD}{}{BOLD:#} {ID}{}{ID:#}", header.kind, shown.operation.id()))?;
    output::line(format_args!("  recorded   {time} (position {})", shown.position.0))?;
    output::line(format_args!("  signed by  {}, its number {}", header.author, header.seq))?;
    if let Some(program) = keys.quoted_by(&shown.operation) {
        output::line(format_args!("  quoted by  {}", printable(&program)))?;
    }
    match &shown.fault {
        None => output::line(format_args!(
            "  verified   {GOOD}yes{GOOD:#}: id, body and signature match"
        ))?,
        Some(fault) => {
            output::line(format_args!("  verified   {BAD}NO{BAD:#}: {}", printable(fault)))?
        }
    }
    for reference in &header.refs {
        output::line(format_args!(
            "  {:<10} {ID}{}{ID:#}",
            reference.role.as_str(),
            reference.id.short()
        ))?;
    }
    for citing in &shown.cited_by {
        output::line(format_args!(
            "  cited by   {ID}{}{ID:#} ({}, as {})",
            citing.id.short(),
            citing.kind,
            citing.role
        ))?;
    }
    if let Some(forgotten) = &shown.forgotten {
        let because = match forgotten.reason.as_str() {
            "" => String::new(),
            reason => format!(", because {}", printable(reason)),
        };
        let (redaction, at) = (forgotten.redaction.short(), time_of(forgotten.at));
        return output::line(format_args!(
            "  forgotten on {}{because} ({ID}{redaction}{ID:#})",
            at.strftime("%Y-%m-%d")
        ));
    }
    let Some(body) = shown.operation.body_value() else {
        return output::line(format_args!(
            "  {DIM}the content was withheld; its hash is {}{DIM:#}",
            header.body
        ));
    };
    if header.kind == Kind::Evidence {
        for field in ["source", "source_uid", "kind", "actor", "at"] {
            if let Some(text) = body.get(field).and_then(serde_json::Value::as_str) {
                output::line(format_args!("  {field:<10} {}", printable(text)))?;
            }
        }
    }
    let content =
        if header.kind == Kind::Evidence { body.get("payload").unwrap_or(&body) } else { &body };
    let pretty = serde_json::to_string_pretty(content).map_err(std::io::Error::from)?;
    for line in pretty.lines() {
        output::line(format_args!("  {}", printable(line)))?;
    }
    Ok(())
}
