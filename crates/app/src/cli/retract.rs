//! `because retract`

use kernel::body::{Body, Reason};
use kernel::kind::Kind;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use serde_json::json;

use super::Session;
use crate::failure::Failure;
use crate::output::{self, Form, ID, short};

/// Arguments of `retract`.
#[derive(clap::Args)]
#[command(
    after_help = "A retracted record stays in the ledger with its signature, and recall does not find it any more.\n\nExample:\n  because retract 9f2c41d0 --reason \"that was another Petra\""
)]
pub(crate) struct Args {
    /// The record's id, or its beginning
    id: String,
    /// Why
    #[arg(long, default_value = "")]
    reason: String,
}

pub(crate) fn run(session: &Session, args: &Args) -> Result<u8, Failure> {
    let mut space = session.finder()?.open()?;
    let target = space.resolve(&args.id)?;
    let reason = Reason { reason: args.reason.clone() };
    let body = match space.show(&target)?.operation.header().kind {
        Kind::Evidence => Body::EvidenceRetraction(reason),
        _ => Body::Retraction(reason),
    };
    let role = Role::parse(Role::TARGET).map_err(engine::EngineError::from)?;
    let id = space.append(Draft { body, refs: vec![Ref { id: target, role }] }, session.now)?;
    match session.form {
        Form::Json => output::json(&json!({ "id": id, "target": target }))?,
        Form::Text => output::line(format_args!("Retracted {ID}{}{ID:#} by {ID}{}{ID:#}", short(&target), short(&id)))?,
    }
    Ok(0)
}
