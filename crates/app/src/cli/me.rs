//! `because me`: who you are.

use engine::write::import::Intent;
use kernel::id::OpId;
use serde_json::{Value, json};

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM, Form, ID, printable};
use crate::service::handles::{self, ChangedHandles, Handle, HandleChanges, VALUE_CHARS_MAX};

/// Columns of what a name is.
const COLUMNS: usize = 8;

/// Arguments of `me`.
#[derive(clap::Args)]
#[command(
    after_help = "What you go by is kept in your home space and holds in every space that you made. Mail and conversations count as yours where one of these names or addresses takes part in them; what you said there in the first person is then about you. You never count as a contact of your own.\n\nExamples:\n  because me\n  because me --name \"Mara Lindqvist\" --email mara@studio.example --email mara@home.example\n  because me --alias mlq --alias \"Mara L.\"\n  because me --remove mara@old.example"
)]
pub(crate) struct Args {
    /// Your name, as mail and calendars have it; may be given several times
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Vec<String>,
    /// An e-mail address of yours; may be given several times
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    email: Vec<String>,
    /// Another name that you go by, such as that of an account; may be given several times
    #[arg(long, value_name = "NAME", value_parser = name)]
    alias: Vec<String>,
    /// A name or address that is no longer yours; may be given several times
    #[arg(long, value_name = "VALUE", value_parser = name)]
    remove: Vec<String>,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

fn name(text: &str) -> Result<String, String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.chars().any(char::is_alphanumeric) {
        return Err("a name has letters".to_owned());
    }
    if text.chars().count() > VALUE_CHARS_MAX {
        return Err(format!("at most {VALUE_CHARS_MAX} characters"));
    }
    Ok(text)
}

fn address(text: &str) -> Result<String, String> {
    let text = name(text)?;
    match text.split_once('@') {
        Some((local, host))
            if !local.is_empty() && !host.is_empty() && !text.contains([' ', '<', '>']) =>
        {
            Ok(text)
        }
        _ => Err("an address is of the form mara@studio.example".to_owned()),
    }
}

impl Args {
    /// Whether it appends to the ledger.
    pub(super) fn writes(&self) -> bool {
        let given = [&self.name, &self.email, &self.alias, &self.remove];
        !self.dry_run && given.iter().any(|values| !values.is_empty())
    }

    fn changes(&self) -> HandleChanges {
        let of = |kind: Handle, values: &[String]| -> Vec<(Handle, String)> {
            values.iter().map(|value| (kind, value.clone())).collect()
        };
        let mut add = of(Handle::Name, &self.name);
        add.extend(of(Handle::Email, &self.email));
        add.extend(of(Handle::Alias, &self.alias));
        HandleChanges { add, remove: self.remove.clone() }
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let changes = args.changes();
    if changes.add.is_empty() && changes.remove.is_empty() {
        let stated = handles::stated_at_home(session)?;
        let stated: Vec<_> =
            stated.into_iter().map(|handle| (handle.kind, handle.value, Some(handle.id))).collect();
        match session.form {
            Form::Json => output::json(&json!({ "me": to_json(&stated) }))?,
            Form::Text if stated.is_empty() => {
                output::line("You have not said who you are: because me --name \"…\" --email …")?
            }
            Form::Text => stated.iter().try_for_each(print)?,
        }
        return Ok(0);
    }
    let intent = if args.dry_run { Intent::DryRun } else { Intent::Write };
    let changed = handles::change(session, &changes, intent)?;
    match session.form {
        Form::Json => output::json(&changed_to_json(&changed, intent))?,
        Form::Text => print_changed(&changed, intent)?,
    }
    Ok(0)
}

type Known = (Handle, String, Option<OpId>);

fn to_json(known: &[Known]) -> Value {
    known
        .iter()
        .map(|(kind, value, id)| json!({ "kind": kind, "value": value, "id": id }))
        .collect()
}

fn changed_to_json(changed: &ChangedHandles, intent: Intent) -> Value {
    let brief = |values: &[(Handle, String)]| -> Value {
        values.iter().map(|(kind, value)| json!({ "kind": kind, "value": value })).collect()
    };
    json!({
        "me": to_json(&changed.stated),
        "added": brief(&changed.added),
        "removed": brief(&changed.removed),
        "unknown": changed.unknown,
        "derived": changed.derived.as_ref().map(|(derived, _)| derived),
        "dry_run": intent == Intent::DryRun,
    })
}

fn print((kind, value, id): &Known) -> Result<(), Failure> {
    let kind = match kind {
        Handle::Name => "name",
        Handle::Email => "email",
        Handle::Alias => "alias",
    };
    let id = id.map(|id| id.short()).unwrap_or_default();
    output::line(format_args!(
        "{DIM}{kind:<COLUMNS$}{DIM:#}{BOLD}{}{BOLD:#}  {ID}{id}{ID:#}",
        printable(value)
    ))
}

fn print_changed(changed: &ChangedHandles, intent: Intent) -> Result<(), Failure> {
    changed.stated.iter().try_for_each(print)?;
    for value in &changed.unknown {
        output::note(format_args!("  {} was not among them", printable(value)));
    }
    let (added, removed) = (changed.added.len(), changed.removed.len());
    let verb = if intent == Intent::DryRun { "would be " } else { "" };
    if added + removed == 0 {
        return output::line("Nothing changed");
    }
    output::line(format_args!("{added} {verb}added, {removed} {verb}removed"))?;
    match &changed.derived {
        Some((derived, changes)) => super::derive::print_after(derived, changes),
        None => Ok(()),
    }
}
