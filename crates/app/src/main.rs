//! The `because` binary: the only reader of the clock, the environment and the terminal.

use std::process::ExitCode;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

mod cli;
mod configuration;
mod failure;
mod http;
mod install;
mod mcp;
mod output;
mod place;
mod service;
mod text;
mod zone;

/// Folding and importing allocate many small values on two threads. With this allocator both take
/// two thirds of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    outlive_file_limits();
    cli::run()
}

/// A write beyond the file size limit (`ulimit -f`) raises a signal that ends the process, unless
/// the process handles it; then the write fails like any other and is reported. Nothing needs to be
/// done when the signal arrives.
fn outlive_file_limits() {
    #[cfg(unix)]
    let _ =
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
