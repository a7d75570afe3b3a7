//! The log: one JSON object a line on the error output.
//!
//! A thread of its own prints it. If nobody reads the output, lines are dropped and counted; no
//! request waits for the log.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use jiff::Timestamp;
use retrieval::text::visible::escape_json;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Lines that wait to be printed.
const WAITING_MAX: usize = 1_024;

/// Where lines go.
#[derive(Clone)]
pub(super) struct Log {
    lines: SyncSender<Value>,
    dropped: Arc<AtomicU64>,
}

impl Log {
    pub(super) fn start() -> Result<Self, Failure> {
        let (lines, waiting) = sync_channel(WAITING_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&dropped);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || print(&waiting, &seen))?;
        Ok(Self { lines, dropped })
    }

    /// Prints an event with its fields.
    pub(super) fn event(&self, level: &str, event: &str, mut fields: Value) {
        fields["time"] = json!(Timestamp::now().to_string());
        fields["level"] = json!(level);
        fields["event"] = json!(event);
        if self.lines.try_send(fields).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn print(waiting: &Receiver<Value>, dropped: &AtomicU64) {
    while let Ok(mut line) = waiting.recv() {
        match dropped.swap(0, Ordering::Relaxed) {
            0 => {}
            count => line["dropped_before"] = json!(count),
        }
        let _ = writeln!(std::io::stderr().lock(), "{}", escape_json(&line.to_string()));
    }
}
