//! Commands timed as processes of their own, start and end included.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Processes of which the median is taken.
const PROCESSES: usize = 11;

/// Runs the program; how long it took.
pub(crate) fn because(home: &Path, space: &Path, arguments: &[&str]) -> Duration {
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_because"))
        .env("BECAUSE_HOME", home)
        .arg("--space")
        .arg(space)
        .args(arguments)
        .output()
        .unwrap();
    let taken = begun.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    taken
}

/// The times of a command, in order.
pub(crate) fn times(home: &Path, space: &Path, arguments: &[&str]) -> Vec<Duration> {
    let mut times: Vec<Duration> =
        (0..PROCESSES).map(|_| because(home, space, arguments)).collect();
    times.sort_unstable();
    times
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
