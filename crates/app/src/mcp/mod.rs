//! `because mcp`: the memory as tools for an agent, by the Model Context Protocol on standard input
//! and output.
//!
//! A host starts one such process a session, often several on one space, and closes its input to
//! end it. A message passes through five parts: [`lines`] reads messages, [`gate`] limits the
//! requests in flight, `rmcp` speaks the protocol, [`server`] turns a call into typed arguments,
//! and [`memory`], which owns the space on a thread of its own, answers. Only this folder has async
//! code: the engine is synchronous.
//!
//! The same tools over HTTP are in `crate::http::mcp`, which takes [`server`] and [`memory`] from
//! here.
//!
//! Standard output belongs to the protocol. Everything else is printed to the error output.

mod answers;
mod arguments;
mod consent;
mod failures;
mod gate;
mod graph_answers;
mod graph_arguments;
mod inner_voice;
mod lines;
mod maintenance;
mod memory;
mod quote;
mod server;
mod tool_name;
mod tools;
mod whose;
mod worker;

use std::time::Duration;

use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;

use crate::failure::Failure;
use crate::service::Session;
use gate::{Gate, UNDER_WAY_MAX};
use lines::Lines;
use memory::Memory;
use worker::{Calls, Worker};

pub(crate) use arguments::{Action, Call};
pub(crate) use consent::Channel;
pub(crate) use failures::{Failed, in_words, worded};
pub(crate) use lines::refusal;
pub(crate) use memory::{Memory as ToolMemory, Response, TokenCaller};
pub(crate) use server::{Backend, Server};
pub(crate) use tool_name::ToolName;

/// How long a running call may take after the host has gone. Its writes are one transaction, so
/// nothing is half done if it takes longer.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);
/// Files that the server and a space have open at most: the runtime's, the space, its log and their
/// index, all of them again for the search that follows conversations, the journal, a temporary
/// file, and some for models.
const DESCRIPTORS_MIN: usize = 28;

/// Serves until the input closes or the process is asked to end. `installed` names the host, if it
/// was named when the server was installed.
pub(crate) fn serve(session: Session, installed: Option<String>) -> Result<(), Failure> {
    check_descriptors()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Protocol(error.to_string()))?;
    let worker = Worker::start(Memory::new(session, installed))?;
    let served = runtime.block_on(converse(Server::new(worker.calls())));
    // A pending read of standard input cannot be cancelled, so it is not waited for.
    runtime.shutdown_background();
    worker.finish(SHUTDOWN_GRACE);
    served
}

/// Makes sure that the process may open what the server and a space need. The runtime's handlers of
/// signals would panic without.
fn check_descriptors() -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let input = std::io::stdin();
        let spare: Result<Vec<_>, _> =
            (0..DESCRIPTORS_MIN).map(|_| input.as_fd().try_clone_to_owned()).collect();
        spare.map_err(|source| {
            let advice = "raise the limit on open files (ulimit -n)";
            std::io::Error::new(source.kind(), format!("{source}: {advice}"))
        })?;
    }
    Ok(())
}

async fn converse(server: Server<Calls>) -> Result<(), Failure> {
    let (input, output) = stdio_pipes();
    let gate = Gate::new(Lines::new(input, output), UNDER_WAY_MAX);
    let serving = tokio::select! {
        serving = rmcp::serve_server(server, gate) => serving,
        () = told_to_end() => return Ok(()),
    };
    let serving = match serving {
        Ok(serving) => serving,
        // The host only checked that the program starts, and closed the connection.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Failure::Protocol(error.to_string())),
    };
    let ending = serving.cancellation_token();
    let waiting = serving.waiting();
    tokio::pin!(waiting);
    let ended = tokio::select! {
        ended = &mut waiting => ended,
        () = told_to_end() => {
            ending.cancel();
            waiting.await
        }
    };
    ended.map(|_| ()).map_err(|error| Failure::Protocol(error.to_string()))
}

/// Ends when the system asks the process to end.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut terminate), Ok(mut interrupt)) =
            (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
    }
    // Without a signal handler, the system ends the process by itself.
    std::future::pending::<()>().await;
}
