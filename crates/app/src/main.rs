//! The `because` binary: the only reader of the clock, the environment and the terminal.

use std::process::ExitCode;

mod cli;
mod eval;
mod failure;
mod output;
mod place;

fn main() -> ExitCode {
    cli::run()
}
