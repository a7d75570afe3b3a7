//! `because key`, `because grant`, `because revoke`

use importers::secrets::{SecretKind, mask_string};
use kernel::id::Author;
use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use crate::failure::{Failure, RequestError};
use crate::output::{self, Form, ID, short};

/// Arguments of `key`.
#[derive(clap::Args)]
#[command(
    after_help = "This is the public half, which a space's owner passes to `because grant`. --json also names the file of the secret half."
)]
pub(crate) struct KeyArgs {}

/// Arguments of `grant` and `revoke`.
#[derive(clap::Args)]
#[command(
    after_help = "Capabilities: append (add records), derive (add conclusions), correct (speak for the person), admin (grant and revoke).\n\nExamples:\n  because grant ed25519:… --name laptop --can append --can derive\n  because revoke ed25519:… --can derive"
)]
pub(crate) struct ChangeArgs {
    /// The other device's key, as `because key` prints it on that device
    key: String,
    /// The device's name, for people
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// A capability; may be repeated
    #[arg(long = "can", value_name = "CAPABILITY", required = true)]
    capabilities: Vec<Capability>,
}

pub(crate) fn key(session: &CliSession, _: &KeyArgs) -> Result<u8, Failure> {
    let author = session.home.signer()?.author();
    match session.form {
        Form::Json => output::json(
            &json!({ "key": author, "path": session.home.key_path().to_string_lossy() }),
        )?,
        Form::Text => output::line(author)?,
    }
    Ok(0)
}

pub(crate) fn change(session: &CliSession, args: &ChangeArgs, gives: bool) -> Result<u8, Failure> {
    let key: Author = args.key.parse().map_err(RequestError::Key)?;
    let mut space = session.open()?;
    let name = mask_string(&args.name);
    let masked: Vec<SecretKind> = name.kinds().collect();
    let id = space.change_access(key, name.get(), args.capabilities.clone(), gives, session.now)?;
    match session.form {
        Form::Json => output::json(
            &json!({ "id": id, "key": key, "capabilities": args.capabilities, "masked": masked }),
        )?,
        Form::Text => {
            let names: Vec<&str> =
                args.capabilities.iter().map(|capability| capability.as_str()).collect();
            let verb = if gives { "may now" } else { "may no longer" };
            output::line(format_args!(
                "{key} {verb} {}  {ID}{}{ID:#}",
                names.join(", "),
                short(&id)
            ))?;
            output::masked(&masked)?;
        }
    }
    Ok(0)
}
