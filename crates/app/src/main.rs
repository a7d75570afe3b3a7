//! The `because` binary: the only reader of the clock, the environment and the terminal.

use std::process::ExitCode;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

mod cli;
mod failure;
mod install;
mod mcp;
mod output;
mod place;
mod service;
mod settings;
mod text;

/// Folding and importing make many small values on two threads; this allocator does that in two
/// thirds of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    outlive_file_limits();
    cli::run()
}

/// A file that may not grow any more (`ulimit -f`) ends a process by a signal, unless it handles
/// it; then the write fails like any other and is reported. That it came is of no further interest.
fn outlive_file_limits() {
    #[cfg(unix)]
    let _ =
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
