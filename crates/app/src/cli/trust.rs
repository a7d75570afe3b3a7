//! `because trust`

use std::path::{Path, PathBuf};

use engine::Space;
use engine::owner::SpaceOwner;
use serde_json::json;

use super::CliSession;
use crate::failure::{Failure, RequestError};
use crate::output::{self, DIM, Form, ID, printable};
use crate::place::{TrustedSpace, enclosing_spaces, named_space};
use crate::service::standing::SpaceOwnership;

/// Arguments of `trust`.
#[derive(clap::Args)]
#[command(
    after_help = "A trusted space is used in its folder and below. It stays somebody else's until you or your agent write into it, which needs a capability: until then answers name its owner.\n\nExamples:\n  because trust            use the space of this folder, though somebody else made it\n  because trust --list     the spaces that you trust\n  because trust --remove   stop using it"
)]
pub(crate) struct Args {
    /// The space, or a folder that has one; with --remove, also an id of a space [default: the
    /// space of this folder]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Stop trusting it
    #[arg(long)]
    remove: bool,
    /// List the spaces that you trust
    #[arg(long, conflicts_with_all = ["path", "remove"])]
    list: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    if args.list {
        return list(session);
    }
    let named = args.path.as_ref().and_then(|path| path.to_str()?.parse().ok());
    if let (true, Some(id)) = (args.remove, named) {
        // Its folder may be gone.
        let known = session.home.trusted()?.into_iter().find(|trusted| trusted.space == id);
        let trusted =
            known.unwrap_or(TrustedSpace { space: id, owner: String::new(), path: String::new() });
        return decide(session, args, &trusted);
    }
    let path = match &args.path {
        Some(path) => named_space(path),
        None => {
            let working = std::env::current_dir()
                .map_err(|source| Failure::File { path: ".".into(), source })?;
            enclosing_spaces(&working).next().ok_or(Failure::NoSpace)?
        }
    };
    if !path.exists() {
        return Err(Failure::NoSpaceThere { path, named: None });
    }
    if !args.remove && matches!(SpaceOwnership::of(&session.home, &path)?, SpaceOwnership::Own) {
        return say_own(session, &path);
    }
    let space = Space::open_without_trace(&path, session.home.signer()?)?;
    let whole = std::path::absolute(&path).unwrap_or(path);
    let trusted = TrustedSpace {
        space: space.id()?,
        owner: SpaceOwner::of(&space.key_ring()?).key().to_owned(),
        path: output::path(&whole),
    };
    decide(session, args, &trusted)
}

fn decide(session: &CliSession, args: &Args, trusted: &TrustedSpace) -> Result<u8, Failure> {
    let was_trusted = session.home.set_trusted(trusted, !args.remove)?;
    if args.remove && !was_trusted {
        let space = trusted.space.to_string();
        return Err(RequestError::NotTrusted { space }.into());
    }
    match session.form {
        Form::Json => {
            let mut value = to_json(trusted);
            value["trusted"] = (!args.remove).into();
            value["own"] = false.into();
            output::json(&value)?;
        }
        Form::Text => {
            let verb = if args.remove { "No longer trusted" } else { "Trusted" };
            let owner = match trusted.owner.as_str() {
                "" => String::new(),
                owner => format!(", of {}", printable(owner)),
            };
            output::line(format_args!("{verb}: {ID}{}{ID:#}{owner}", trusted.space))?;
        }
    }
    Ok(0)
}

/// One's own space needs no trust.
fn say_own(session: &CliSession, path: &Path) -> Result<u8, Failure> {
    let space = Space::open_without_trace(path, session.home.signer()?)?;
    let id = space.id()?;
    match session.form {
        Form::Json => {
            let owner = SpaceOwner::of(&space.key_ring()?);
            output::json(&json!({
                "space": id, "path": output::path(path), "owner": owner.key(), "trusted": false, "own": true,
            }))?;
        }
        Form::Text => output::line(format_args!(
            "This space is your own: {ID}{id}{ID:#}. It is used without being trusted; nothing \
            was changed."
        ))?,
    }
    Ok(0)
}

fn to_json(trusted: &TrustedSpace) -> serde_json::Value {
    json!({ "space": trusted.space, "path": trusted.path, "owner": trusted.owner })
}

fn list(session: &CliSession) -> Result<u8, Failure> {
    let trusted = session.home.trusted()?;
    match session.form {
        Form::Json => {
            let list: Vec<_> = trusted.iter().map(to_json).collect();
            output::json(&json!({ "trusted": list }))?;
        }
        Form::Text if trusted.is_empty() => output::line("You trust nobody else's space.")?,
        Form::Text => {
            for TrustedSpace { space, owner, path } in &trusted {
                output::line(format_args!("{ID}{space}{ID:#}  {}", printable(path)))?;
                output::line(format_args!("  {DIM}of {}{DIM:#}", printable(owner)))?;
            }
        }
    }
    Ok(0)
}
