//! `because token`

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, BAD, BOLD, DIM, Form, ID, printable};
use crate::service::Session;
use crate::service::tokens::{
    self, Grant, GrantRequest, NAME_CHARS_MAX, NewToken, Right, Token, is_usable_name,
};

/// Arguments of `token`.
#[derive(clap::Args)]
#[command(
    after_help = "A token lets a program use spaces over HTTP (`because serve`). It has a key of its own, with which everything that comes by it is signed, and rights in each space: read, append (add records), derive (add conclusions and proposals), correct (speak for you), private (see private records). Every token may read its spaces, and `correct` includes append and derive.\n\nExamples:\n  because token create --name laptop --grant global:read,append,derive\n  because token create --name ci --grant ~/studio:read --expires 30d\n  because token list\n  because token revoke ci"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a token; it is printed once
    Create(CreateArgs),
    /// List tokens
    List(ListArgs),
    /// Revoke a token
    Revoke(RevokeArgs),
}

/// Arguments of `token create`.
#[derive(clap::Args)]
struct CreateArgs {
    /// Its name, for people
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: String,
    /// A space (a file, a folder or `global`) and rights in it; may be repeated, and the first
    /// space is the token's own
    #[arg(long = "grant", value_name = "SPACE:RIGHT,…", required = true)]
    grants: Vec<GrantRequest>,
    /// When it ends: a time (2027-01-31, with a time of day), or 12h, 30d, 8w from now
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
}

/// Arguments of `token list`.
#[derive(clap::Args)]
struct ListArgs {
    /// Include those that were revoked or have ended
    #[arg(long)]
    all: bool,
}

/// Arguments of `token revoke`.
#[derive(clap::Args)]
struct RevokeArgs {
    /// Its id or name
    #[arg(value_name = "ID|NAME")]
    token: String,
}

impl Args {
    /// Whether it appends to a ledger.
    pub(super) fn writes(&self) -> bool {
        !matches!(self.action, Action::List(_))
    }
}

fn name(text: &str) -> Result<String, String> {
    match is_usable_name(text) {
        true => Ok(text.to_owned()),
        false => Err(format!("a name has 1 to {NAME_CHARS_MAX} characters, and is not the user's")),
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Create(args) => create(session, args),
        Action::List(args) => list(session, args),
        Action::Revoke(args) => revoke(session, args),
    }
}

/// A time, or a number of hours, days or weeks from now.
fn end(session: &Session, text: &str) -> Result<Timestamp, Failure> {
    let units = [('h', 1), ('d', 24), ('w', 24 * 7)];
    let span = units.into_iter().find_map(|(unit, hours)| {
        let count: i64 = text.strip_suffix(unit)?.parse().ok().filter(|count| *count > 0)?;
        session.now.checked_add(count.checked_mul(hours)?.hours()).ok()
    });
    if let Some(end) = span {
        return Ok(end);
    }
    let at_us = session.times().start_us(text)?;
    Ok(Timestamp::from_microsecond(at_us).unwrap_or(Timestamp::MAX))
}

fn create(session: &CliSession, args: &CreateArgs) -> Result<u8, Failure> {
    let expires = args.expires.as_deref().map(|text| end(session, text)).transpose()?;
    let new = NewToken { name: &args.name, grants: &args.grants, expires };
    let (secret, token) = tokens::create(session, &new)?;
    match session.form {
        Form::Json => {
            let mut value = to_json(session, &token);
            value["token"] = json!(secret);
            output::json(&value)?;
        }
        Form::Text => {
            output::line(format_args!("{BOLD}{secret}{BOLD:#}"))?;
            print(session, &token)?;
            output::note(format_args!(
                "{DIM}The token is not kept anywhere: write it down now{DIM:#}"
            ));
        }
    }
    Ok(0)
}

fn list(session: &CliSession, args: &ListArgs) -> Result<u8, Failure> {
    let mut tokens = tokens::list(&session.home)?;
    tokens.retain(|token| args.all || token.is_valid(session.now));
    match session.form {
        Form::Json => tokens.iter().try_for_each(|token| output::json(&to_json(session, token)))?,
        Form::Text if tokens.is_empty() => {
            output::line("No tokens: `because token create` makes one.")?;
        }
        Form::Text => tokens.iter().try_for_each(|token| print(session, token))?,
    }
    Ok(0)
}

fn revoke(session: &CliSession, args: &RevokeArgs) -> Result<u8, Failure> {
    let (token, spaces) = tokens::revoke(session, &args.token)?;
    if session.form == Form::Json {
        let mut value = to_json(session, &token);
        let failed = spaces.iter().filter_map(|revoked| {
            let error = revoked.error.as_ref()?;
            Some(json!({ "space": revoked.space, "code": error.code() }))
        });
        value["not_taken_back"] = failed.collect();
        output::json(&value)?;
        return Ok(0);
    }
    output::line(format_args!("Revoked {}  {ID}{}{ID:#}", printable(&token.name), token.id))?;
    for revoked in &spaces {
        if let Some(error) = &revoked.error {
            output::note(format_args!(
                "{BAD}The capabilities of its key were not taken back{BAD:#} in {}: {}",
                revoked.space,
                printable(&error.to_string())
            ));
        }
    }
    Ok(0)
}

fn rights(grant: &Grant) -> Vec<&'static str> {
    grant.rights.iter().copied().map(Right::as_str).collect()
}

fn to_json(session: &Session, token: &Token) -> Value {
    json!({
        "id": token.id,
        "name": token.name,
        "status": token.status(session.now),
        "key": token.key,
        "grants": token.grants,
        "created": token.created.to_string(),
        "expires": token.expires.map(|end| end.to_string()),
        "revoked": token.revoked.map(|at| at.to_string()),
    })
}

fn print(session: &CliSession, token: &Token) -> Result<(), Failure> {
    let until = match (token.status(session.now), token.expires) {
        ("active", Some(end)) => format!("  until {}", session.clock(end)),
        ("active", None) => String::new(),
        (status, _) => format!("  {status}"),
    };
    output::line(format_args!(
        "{ID}{}{ID:#}  {BOLD}{}{BOLD:#}{until}",
        token.id,
        printable(&token.name)
    ))?;
    for grant in &token.grants {
        output::line(format_args!(
            "  {}  {}  {DIM}{}{DIM:#}",
            printable(&grant.name),
            rights(grant).join(", "),
            printable(&grant.path)
        ))?;
    }
    Ok(())
}
