//! `because show`

use engine::belief::name::Named;
use engine::keys::KeyRing;
use kernel::id::OpId;
use kernel::kind::Kind;
use serde_json::json;

use super::{CliSession, print_owner};
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, DIM, Form, GOOD, ID, printable, short};
use crate::service::effective::ScopedSpace;

/// Arguments of `show`.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  because show 9f2c41d0            the beginning of an id is enough"
)]
pub(crate) struct Args {
    /// The record's id, or 4 digits or more of its beginning, with or without `b3:`
    id: String,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let ScopedSpace { opened: space, disclosure, .. } = session.open_with(&args.id)?;
    let id = match space.name_disclosed(&args.id, disclosure) {
        Ok(Named::Version { id, .. } | Named::Operation { id, .. }) => id,
        _ => space.resolve(&args.id)?,
    };
    let mut shown = space.show(&id)?;
    let citing: Vec<OpId> = shown.cited_by.iter().map(|citing| citing.id).collect();
    let withheld = space.withheld_among(&citing, disclosure)?;
    shown.cited_by.retain(|citing| !withheld.contains(&citing.id));
    let keys = space.key_ring()?;
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
            value["owner"] = json!(space.owner);
            output::json(&value)?;
        }
        Form::Text => {
            print_owner(space.owner.as_ref())?;
            print(&shown, &keys)?;
        }
    }
    Ok(if shown_is_sound(&space, &id)? { 0 } else { crate::failure::exit::UNSOUND })
}

fn shown_is_sound(space: &engine::Space, id: &kernel::id::OpId) -> Result<bool, Failure> {
    Ok(space.show(id)?.fault.is_none())
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
            short(&reference.id)
        ))?;
    }
    for citing in &shown.cited_by {
        output::line(format_args!(
            "  cited by   {ID}{}{ID:#} ({}, as {})",
            short(&citing.id),
            citing.kind,
            citing.role
        ))?;
    }
    if let Some(forgotten) = &shown.forgotten {
        let because = match forgotten.reason.as_str() {
            "" => String::new(),
            reason => format!(", because {}", printable(reason)),
        };
        let (redaction, at) = (short(&forgotten.redaction), time_of(forgotten.at));
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
