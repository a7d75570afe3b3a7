//! The `because` binary: the only reader of the clock, the environment and the terminal.

use std::process::ExitCode;

mod cli;
mod eval;
mod failure;
mod output;
mod place;

/// Folding and importing make many small values on two threads; this allocator does that in two thirds of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
