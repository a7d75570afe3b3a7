//! `because init`

use std::path::PathBuf;

use engine::Space;
use engine::write::import::Intent;
use importers::secrets::{SecretKind, mask_string};
use serde_json::json;

use super::{CliSession, values};
use crate::failure::{Failure, RequestError};
use crate::output::{self, BOLD, Form, printable};
use crate::place::{self, GLOBAL};

/// Arguments of `init`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because init --name pottery      a memory for this project, in .because/\n  because init --global            your home space, for everything outside a project\n  because init --values values.md  also set your values, in your home space"
)]
pub(crate) struct Args {
    /// The space's name [default: the folder's name]
    #[arg(long)]
    name: Option<String>,
    /// Create your home space instead of one for this folder
    #[arg(long)]
    global: bool,
    /// Also set your values from this file, in your home space
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,
    /// Read your values by rules, even if a language model is chosen
    #[arg(long, requires = "values")]
    rules: bool,
}

impl Args {
    /// Whether it appends to a ledger that may be there already.
    pub(super) fn writes(&self) -> bool {
        self.values.is_some()
    }
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    // What cannot be read is refused before anything is made.
    let given = args.values.as_deref().map(values::read).transpose()?;
    let working =
        std::env::current_dir().map_err(|source| Failure::File { path: ".".into(), source })?;
    let (path, default_name) = match session.spaces.as_slice() {
        _ if args.global => (session.home.global_space(), GLOBAL.to_owned()),
        [] => {
            let name = working.file_name().map(|name| name.to_string_lossy().into_owned());
            (place::project_space(&working), name.unwrap_or_else(|| "memory".to_owned()))
        }
        [named] if named == GLOBAL => (session.home.global_space(), GLOBAL.to_owned()),
        [named] => {
            let path = PathBuf::from(named);
            // A named folder is only where the space is stored, so its name is not used.
            (if path.is_dir() { place::project_space(&path) } else { path }, "memory".to_owned())
        }
        _ => return Err(RequestError::SeveralSpaces.into()),
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        place::make_folder(folder)?;
        if folder.ends_with(place::FOLDER) {
            keep_out_of_git(folder);
        }
    }
    let name = args.name.clone().unwrap_or(default_name);
    let name = mask_string(&name);
    let masked: Vec<SecretKind> = name.kinds().collect();
    let name = name.into_inner();
    let space = Space::create(&path, session.home.signer()?, &name, session.now)?;
    let (id, author) = (space.id()?, space.author());
    drop(space);
    let change =
        given.map(|text| values::set(session, &text, args.rules, Intent::Write)).transpose()?;
    match session.form {
        Form::Json => {
            let mut value = json!({ "space": id, "name": name, "path": path.to_string_lossy(), "author": author, "masked": masked });
            if let Some(change) = &change {
                value["values"] = values::to_json(change, Intent::Write);
            }
            output::json(&value)?;
        }
        Form::Text => {
            output::line(format_args!(
                "Created the space {BOLD}{}{BOLD:#} in {}",
                printable(&name),
                output::path(&path)
            ))?;
            output::line(format_args!("  id {id}"))?;
            output::masked(&masked)?;
            if let Some(change) = &change {
                values::print(change, Intent::Write)?;
            }
            output::line("Next: because import PATH…, then because recall \"a question\"")?;
        }
    }
    Ok(0)
}

/// Keeps the memory out of the project's repository with a `.gitignore` of its own, as other tools'
/// folders do. If that cannot be written, git shows the folder, which does no harm.
fn keep_out_of_git(folder: &std::path::Path) {
    let path = folder.join(".gitignore");
    if !path.exists() {
        let _ = std::fs::write(path, "*\n");
    }
}
