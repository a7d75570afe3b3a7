//! `because mcp`

use crate::failure::Failure;
use crate::mcp::ToolName;
use crate::service::Session;

/// Arguments of `mcp`.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    /// The host whose agents it serves, as `because install` writes it; their key has this name
    /// [default: the name that the calling program gives]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// What the program is for, with the names of all tools.
fn after_help() -> String {
    let names: Vec<&str> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    let tools = match names.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    format!(
        "For programs: an agent's host starts it, writes JSON-RPC messages to its input, one a \
         line, and closes the input to end it. `because install` tells a host to do so. The tools \
         are {tools}; docs/mcp.md describes them. Any number of such processes may serve one \
         space at once.\n\n\
         Examples:\n  because mcp                                 the project's space, or your home space\n  because --space global mcp                  your home space, wherever it is started\n  because install claude-code                 have Claude Code start it"
    )
}

pub(crate) fn run(session: Session, args: &Args) -> Result<u8, Failure> {
    // Refused now, where a person may see the error, rather than at the first call: with several
    // spaces named, none of them could be opened.
    session.locator()?;
    crate::mcp::serve(session, args.agent.clone())?;
    Ok(0)
}
