//! `because trust`

use std::path::PathBuf;

use engine::Space;
use serde_json::json;

use super::CliSession;
use crate::failure::Failure;
use crate::output::{self, Form, ID};
use crate::place::{enclosing_space, named_space};

/// Arguments of `trust`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because trust            use the space of this folder, though somebody else made it\n  because trust --remove   no longer"
)]
pub(crate) struct Args {
    /// The space, or a folder with one [default: the space of this folder]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Trust it no longer
    #[arg(long)]
    remove: bool,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    let path = match &args.path {
        Some(path) => named_space(path),
        None => {
            let working = std::env::current_dir()
                .map_err(|source| Failure::File { path: ".".into(), source })?;
            enclosing_space(&working).ok_or(Failure::NoSpace)?
        }
    };
    if !path.exists() {
        let named = path.to_string_lossy().into_owned();
        return Err(Failure::NoSpaceThere { path, named });
    }
    let space = Space::open(&path, session.home.signer()?)?;
    let (id, owner) = (space.id()?, space.key_ring()?.owner());
    session.home.set_trusted(&id, !args.remove)?;
    match session.form {
        Form::Json => output::json(&json!({
            "space": id, "path": path.to_string_lossy(), "owner": owner, "trusted": !args.remove,
        }))?,
        Form::Text => {
            let verb = if args.remove { "No longer trusted" } else { "Trusted" };
            let owner = owner.map(|owner| format!(", of {owner}")).unwrap_or_default();
            output::line(format_args!("{verb}: {ID}{id}{ID:#}{owner}"))?;
        }
    }
    Ok(0)
}
