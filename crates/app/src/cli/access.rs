//! `because key`, `because grant`, `because revoke`

use importers::secrets::{SecretKind, mask_string};
use kernel::body::Body;
use kernel::id::{Author, OpId};
use kernel::kind::Capability;
use serde_json::json;

use super::CliSession;
use super::selecting::confirm;
use crate::failure::{Failure, RequestError};
use crate::output::{self, Form, ID};
use crate::service::opening::SpaceUse;

/// Arguments of `key`.
#[derive(clap::Args)]
#[command(
    after_help = "This is the public half, which a space's owner passes to `because grant`. --json also names the file of the secret half."
)]
pub(crate) struct KeyArgs {}

/// Arguments of `revoke`.
#[derive(clap::Args)]
#[command(
    after_help = "What this copy has of the key keeps its effect; what turns up beyond it has none, however it is dated. Import the device's last export first, or use --keep-unseen for a device that is still trusted.\n\nExamples:\n  because revoke ed25519:… --can derive\n  because revoke ed25519:… --can append --keep-unseen"
)]
pub(crate) struct RevokeArgs {
    #[command(flatten)]
    change: ChangeArgs,
    /// Also accept operations of the key that this copy has not seen and that are dated earlier
    #[arg(long)]
    keep_unseen: bool,
    /// Do not ask before this device loses `admin`: nobody else may be able to give it back
    #[arg(long)]
    yes: bool,
}

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

pub(crate) fn grant(session: &CliSession, args: &ChangeArgs) -> Result<u8, Failure> {
    let key: Author = args.key.parse().map_err(RequestError::Key)?;
    let mut space = session.open(SpaceUse::Manage(Capability::Admin))?;
    let name = mask_string(&args.name);
    let capabilities = args.capabilities.clone();
    let id = space.change_access(key, name.get(), capabilities, true, session.now)?;
    print(session, args, key, &id, None)
}

pub(crate) fn revoke(session: &CliSession, args: &RevokeArgs) -> Result<u8, Failure> {
    let RevokeArgs { change, keep_unseen, yes } = args;
    let key: Author = change.key.parse().map_err(RequestError::Key)?;
    let is_own = key == session.home.signer()?.author();
    if is_own && !yes && change.capabilities.contains(&Capability::Admin) {
        let question = "This device could then grant and revoke nothing in this space. Go on?";
        if !confirm(session, question)? {
            return Ok(0);
        }
    }
    let mut space = session.open(SpaceUse::Manage(Capability::Admin))?;
    let name = mask_string(&change.name);
    let capabilities = change.capabilities.clone();
    let id = if *keep_unseen {
        space.revoke_from_now_on(key, name.get(), capabilities, session.now)?
    } else {
        space.change_access(key, name.get(), capabilities, false, session.now)?
    };
    let shown = space.show(&id)?.operation;
    let body = shown.body().map(|bytes| Body::parse(&shown.header().kind, bytes));
    let last_seq = match body {
        Some(Ok(Body::Revoke(revoked))) => revoked.last_seq,
        _ => None,
    };
    print(session, change, key, &id, Some(last_seq))
}

/// Prints a grant or, with the last number that it accepts, a revocation.
fn print(
    session: &CliSession,
    args: &ChangeArgs,
    key: Author,
    id: &OpId,
    revoked: Option<Option<u64>>,
) -> Result<u8, Failure> {
    let masked: Vec<SecretKind> = mask_string(&args.name).kinds().collect();
    if session.form == Form::Json {
        let mut answer = json!({
            "id": id, "key": key, "capabilities": args.capabilities, "masked": masked
        });
        if let Some(last_seq) = revoked {
            answer["last_seq"] = last_seq.into();
        }
        output::json(&answer)?;
        return Ok(0);
    }
    let names: Vec<&str> = args.capabilities.iter().map(|capability| capability.as_str()).collect();
    let verb = if revoked.is_none() { "may now" } else { "may no longer" };
    output::line(format_args!("{key} {verb} {}  {ID}{}{ID:#}", names.join(", "), id.short()))?;
    if let Some(Some(last_seq)) = revoked {
        output::line(format_args!(
            "  Its operations up to number {last_seq} keep their effect; later ones that turn up have none."
        ))?;
    }
    output::masked(&masked)?;
    Ok(0)
}
