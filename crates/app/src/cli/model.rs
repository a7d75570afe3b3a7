//! `because model`: test, pull, list, remove.

use clap::Subcommand;
use models::hub::{ENDPOINT, Hub, HubError, HubName, Progress, PullRequest, REVISION, StoredModel};
use models::secret::Secret;
use serde_json::{Value, json};

use super::{CliSession, model_test};
use crate::configuration;
use crate::failure::{Failure, RequestError};
use crate::output::{self, BOLD, DIM, Form, bytes, printable};

/// The variable with the address of the hub, for mirrors.
const ENDPOINT_VARIABLE: &str = "HF_ENDPOINT";
/// The variable with a token of the hub, for restricted models.
const TOKEN_VARIABLE: &str = "HF_TOKEN";
/// Digits of a commit to print.
const COMMIT_CHARS: usize = 12;

/// Arguments of `model`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  because model test\n  because model pull sentence-transformers/all-MiniLM-L6-v2\n  because --embedder sentence-transformers/all-MiniLM-L6-v2 doctor\n  because model list\n\nHF_ENDPOINT names a mirror of the hub, HF_TOKEN a token for restricted models."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Subcommand)]
enum ModelCommand {
    /// Try the embedding model and the language model, and say what works
    Test(model_test::Args),
    /// Fetch a model from the Hugging Face hub; an interrupted download resumes where it stopped
    Pull(PullArgs),
    /// List the installed models
    List,
    /// Remove a model from this machine
    Remove(NameArgs),
}

#[derive(clap::Args)]
struct PullArgs {
    /// The model, as OWNER/NAME
    name: String,
    /// A branch, a tag or a commit
    #[arg(long, value_name = "REVISION", default_value = REVISION)]
    revision: String,
    /// Refuse a model with more bytes than this (500M, 2G)
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    max_size: u64,
}

#[derive(clap::Args)]
struct NameArgs {
    /// The model, as OWNER/NAME
    name: String,
}

pub(crate) fn run(session: &CliSession, args: &Args) -> Result<u8, Failure> {
    match &args.command {
        ModelCommand::Test(args) => model_test::run(session, args),
        ModelCommand::Pull(args) => pull(session, args),
        ModelCommand::List => list(session),
        ModelCommand::Remove(args) => remove(session, args),
    }
}

fn pull(session: &CliSession, args: &PullArgs) -> Result<u8, Failure> {
    let request = PullRequest {
        name: name(&args.name)?,
        revision: args.revision.clone(),
        bytes_max: args.max_size,
    };
    let model_dir = configuration::model_dir(session.home.folder());
    let bar =
        output::progress(Some(0), "{spinner} {bytes} of {total_bytes}, {bytes_per_sec}, {msg}");
    let pulled =
        hub(session)?.pull(&request, &model_dir, |Progress { file, bytes, bytes_total }| {
            bar.set_length(bytes_total);
            bar.set_position(bytes);
            bar.set_message(file);
        });
    bar.finish_and_clear();
    let pulled = pulled?;
    match session.form {
        Form::Json => {
            let mut value = shown(&pulled.model);
            value["new"] = pulled.is_new.into();
            output::json(&value)?;
        }
        Form::Text => {
            let StoredModel { name, revision, bytes: size, folder } = &pulled.model;
            let commit: String =
                revision.iter().flat_map(|revision| revision.chars().take(COMMIT_CHARS)).collect();
            let done = if pulled.is_new { "Fetched" } else { "Already here:" };
            output::line(format_args!(
                "{done} {BOLD}{name}{BOLD:#} at {commit}, {}, in {}",
                bytes(*size),
                output::path(folder)
            ))?;
            output::line(format_args!(
                "Use it with --embedder {name}, or permanently with these lines in {}:",
                output::path(&session.home.folder().join(configuration::FILE))
            ))?;
            output::line(format_args!("  [embedder]\n  model = \"{name}\""))?;
        }
    }
    Ok(0)
}

fn list(session: &CliSession) -> Result<u8, Failure> {
    let shelved = configuration::model_dir(session.home.folder()).list()?;
    match session.form {
        Form::Json => output::json(&shelved.iter().map(shown).collect::<Vec<_>>())?,
        Form::Text if shelved.is_empty() => {
            output::line(
                "No model is installed; the built-in model needs no download. `because model pull OWNER/NAME` fetches another.",
            )?;
        }
        Form::Text => {
            for StoredModel { name, revision, bytes: size, folder } in &shelved {
                let commit: String = match revision {
                    Some(revision) => revision.chars().take(COMMIT_CHARS).collect(),
                    None => "not fetched by because".to_owned(),
                };
                output::line(format_args!(
                    "{BOLD}{name}{BOLD:#}  {}  {}",
                    bytes(*size),
                    printable(&commit)
                ))?;
                output::line(format_args!("  {DIM}{}{DIM:#}", output::path(folder)))?;
            }
        }
    }
    Ok(0)
}

fn remove(session: &CliSession, args: &NameArgs) -> Result<u8, Failure> {
    let removed = configuration::model_dir(session.home.folder()).remove(&name(&args.name)?)?;
    match session.form {
        Form::Json => output::json(&shown(&removed))?,
        Form::Text => {
            output::line(format_args!("Removed {}, {}", removed.name, bytes(removed.bytes)))?
        }
    }
    Ok(0)
}

fn name(text: &str) -> Result<HubName, HubError> {
    HubName::parse(text).ok_or_else(|| HubError::Name { text: text.chars().take(200).collect() })
}

fn hub(session: &CliSession) -> Result<Hub, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|text| !text.is_empty());
    let unfit = |name, detail| RequestError::Variable { name, detail };
    let endpoint = match variable(ENDPOINT_VARIABLE) {
        Some(text) => text.into_string().map_err(|_| unfit(ENDPOINT_VARIABLE, "is not UTF-8"))?,
        None => ENDPOINT.to_owned(),
    };
    let token = match variable(TOKEN_VARIABLE) {
        Some(text) => {
            let token = text.to_str().and_then(Secret::parse);
            Some(token.ok_or_else(|| unfit(TOKEN_VARIABLE, "holds no token"))?)
        }
        None => None,
    };
    Ok(Hub::at(&endpoint, token.as_ref(), session.configuration(None)?.roots()?)?)
}

fn shown(shelved: &StoredModel) -> Value {
    json!({
        "name": shelved.name.to_string(),
        "revision": shelved.revision,
        "bytes": shelved.bytes,
        "folder": shelved.folder.to_string_lossy(),
    })
}

/// Parses a size with an optional suffix K, M or G, in powers of ten. The default limit is `1G`.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..).unwrap_or_default().to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        _ => {
            return Err(
                "a size is a number with an optional K, M or G, such as 500M or 2G".to_owned()
            );
        }
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "a size is a whole number with an optional K, M or G".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "the size is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use models::hub::MODEL_BYTES_MAX;

    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(parse_size("1G").unwrap(), MODEL_BYTES_MAX);
        assert_eq!(parse_size("500mb").unwrap(), 500_000_000);
        assert_eq!(parse_size("7").unwrap(), 7);
        for text in ["", "G", "-1", "1.5G", "1T", "99999999999G", "1 G"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
