//! Counts for Prometheus, in its text format.
//!
//! They name addresses of this interface and nothing from memory: neither spaces nor tokens.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Upper bounds of the classes of durations, seconds.
const BOUNDS_S: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// The counts of a server.
pub(super) struct Metrics {
    begun: Instant,
    /// By address as the interface declares it, method and status.
    requests: Mutex<BTreeMap<(&'static str, String, u16), u64>>,
    durations: Mutex<BTreeMap<&'static str, Durations>>,
    pub(super) connections: AtomicI64,
    pub(super) streams: AtomicI64,
    pub(super) writes: AtomicU64,
}

#[derive(Default)]
struct Durations {
    classes: [u64; BOUNDS_S.len()],
    count: u64,
    sum_s: f64,
}

impl Metrics {
    pub(super) fn new() -> Self {
        Self {
            begun: Instant::now(),
            requests: Mutex::default(),
            durations: Mutex::default(),
            connections: AtomicI64::new(0),
            streams: AtomicI64::new(0),
            writes: AtomicU64::new(0),
        }
    }

    /// Counts a request that was answered.
    pub(super) fn note(&self, path: &'static str, method: &str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((path, method.to_owned(), status)).or_default() += 1;
        drop(requests);
        let mut durations = self.durations.lock().unwrap_or_else(PoisonError::into_inner);
        let durations = durations.entry(path).or_default();
        let took_s = took.as_secs_f64();
        if let Some(place) = BOUNDS_S.iter().position(|bound| took_s <= *bound)
            && let Some(class) = durations.classes.get_mut(place)
        {
            *class += 1;
        }
        durations.count += 1;
        durations.sum_s += took_s;
    }

    /// All counts as text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let number = |gauge: &AtomicI64| gauge.load(Ordering::Relaxed);
        for (name, kind, help, value) in [
            (
                "because_up_seconds",
                "gauge",
                "Seconds since the start.",
                self.begun.elapsed().as_secs_f64(),
            ),
            ("because_connections", "gauge", "Open connections.", number(&self.connections) as f64),
            (
                "because_event_streams",
                "gauge",
                "Open streams of events.",
                number(&self.streams) as f64,
            ),
            (
                "because_writes_total",
                "counter",
                "Requests that wrote to a space.",
                self.writes.load(Ordering::Relaxed) as f64,
            ),
        ] {
            writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}")?;
        }
        let name = "because_requests_total";
        writeln!(text, "# HELP {name} Requests that were answered.\n# TYPE {name} counter")?;
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((path, method, status), count) in requests.iter() {
            let labels = format!("path=\"{path}\",method=\"{method}\",status=\"{status}\"");
            writeln!(text, "{name}{{{labels}}} {count}")?;
        }
        drop(requests);
        let name = "because_request_seconds";
        writeln!(text, "# HELP {name} Time to the answer.\n# TYPE {name} histogram")?;
        let durations = self.durations.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, Durations { classes, count, sum_s }) in durations.iter() {
            let mut below = 0;
            for (bound, class) in BOUNDS_S.iter().zip(classes) {
                below += class;
                writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"{bound}\"}} {below}")?;
            }
            writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"+Inf\"}} {count}")?;
            writeln!(text, "{name}_sum{{path=\"{path}\"}} {sum_s}")?;
            writeln!(text, "{name}_count{{path=\"{path}\"}} {count}")?;
        }
        Ok(())
    }
}
