//! `because explain` of what is not a belief: what it was made from, what edges say of it, and what
//! cites it.

use engine::belief::lineage::{CitedBy, Lineage};
use engine::private::Viewpoint;
use kernel::id::OpId;
use serde_json::json;

use super::explain::{SOURCES_PRINTED_MAX, print_source, section};
use super::{CliSession, graph, print_owner};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, printable};
use crate::service::effective::Scope;
use crate::service::graph as service;
use crate::service::opening::OpenedSpace;
use crate::service::wording::shortened;

/// Prints the lineage of an operation.
pub(super) fn run(
    session: &CliSession,
    (space, scope): (&OpenedSpace, Scope),
    id: &OpId,
    viewpoint: &Viewpoint,
    all: bool,
) -> Result<u8, Failure> {
    let lineage = space.lineage_from(id, viewpoint)?;
    let view = match viewpoint.valid_at_us {
        Some(_) => service::view_from(space, id, viewpoint)?,
        None => None,
    };
    let in_window = view.map(|view| service::is_valid(space, &view, viewpoint)).transpose()?;
    if session.form == Form::Json {
        let mut value = json!(lineage);
        value["scope"] = json!(scope);
        if let Some(in_window) = in_window {
            value["in_window"] = json!(in_window);
        }
        value["owner"] = json!(space.owner);
        output::json(&value)?;
        return Ok(0);
    }
    print_owner(space.owner.as_ref())?;
    print(session, &lineage, if all { usize::MAX } else { SOURCES_PRINTED_MAX })?;
    if in_window == Some(false) {
        output::line("  not true at that time")?;
    }
    Ok(0)
}

fn print(session: &CliSession, lineage: &Lineage, shown: usize) -> Result<(), Failure> {
    let record = &lineage.record;
    output::line(format_args!("{BOLD}{}{BOLD:#}", shortened(&record.text)))?;
    let record_type = match record.record_type.as_str() {
        "" => String::new(),
        named => format!(" ({})", printable(named)),
    };
    let at = record.recorded_at.parse();
    let at = at.map_or_else(|_| record.recorded_at.clone(), |at| session.clock(at));
    let id = record.op_id.short();
    output::line(format_args!("  {}{record_type}, {at}  {ID}{id}{ID:#}", printable(&record.kind)))?;
    output::line(format_args!("  {}", record.status.unwrap_or("without effect")))?;
    if let Some(canonical) = record.canonical {
        output::line(format_args!("  redirects to {ID}{}{ID:#}", canonical.short()))?;
    }
    if !lineage.built_from.is_empty() {
        section("made from")?;
    }
    lineage.built_from.iter().take(shown).try_for_each(print_source)?;
    print_left(lineage.built_from.len(), shown)?;
    if !lineage.edges.is_empty() {
        section("edges")?;
    }
    for edge in lineage.edges.iter().take(shown) {
        graph::print_edge(edge, "")?;
    }
    print_left(lineage.edges.len(), shown)?;
    if !lineage.cited_by.is_empty() {
        section("cited by")?;
    }
    lineage.cited_by.iter().take(shown).try_for_each(print_cited)?;
    print_left(lineage.cited_by.len(), shown)?;
    if !lineage.transcripts.is_empty() {
        section("asked of a language model")?;
    }
    lineage.transcripts.iter().take(shown).try_for_each(print_cited)?;
    print_left(lineage.transcripts.len(), shown)?;
    if lineage.cut {
        output::line("    … there are more edges or citations than are listed")?;
    }
    Ok(())
}

fn print_cited(cited: &CitedBy) -> Result<(), Failure> {
    let CitedBy { op_id, kind, role, summary } = cited;
    output::line(format_args!(
        "    {}  {DIM}{} · {}{DIM:#}  {ID}{}{ID:#}",
        shortened(summary),
        printable(kind),
        printable(role),
        op_id.short()
    ))
}

fn print_left(length: usize, shown: usize) -> Result<(), Failure> {
    match length.checked_sub(shown).filter(|left| *left > 0) {
        Some(left) => output::line(format_args!("    … and {left} more; --all prints them")),
        None => Ok(()),
    }
}
