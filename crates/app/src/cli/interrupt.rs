//! Ctrl-C during long work.
//!
//! Every batch is durable when it is counted, so nothing is lost when a command ends between two of
//! them. Whoever presses Ctrl-C is told how far it came, and that the same command goes on.

use std::path::{Path, PathBuf};
use std::process;
#[cfg(unix)]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::report;
use crate::failure::Failure;
use crate::output::{self, Form, count};

/// How often it is looked at whether Ctrl-C was pressed.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// What a command is doing, which is said if it is interrupted.
pub(super) struct Work {
    doing: Mutex<String>,
    records: AtomicU64,
    scratch: Mutex<Option<PathBuf>>,
}

/// Begins to say on Ctrl-C what was done until then. Before, and on systems without signals, Ctrl-C
/// ends the program without a word.
pub(super) fn watched(form: Form, doing: &str) -> Arc<Work> {
    let work = Arc::new(Work {
        doing: Mutex::new(doing.to_owned()),
        records: AtomicU64::new(0),
        scratch: Mutex::default(),
    });
    #[cfg(unix)]
    watch(form, Arc::clone(&work));
    work
}

#[cfg(unix)]
fn watch(form: Form, work: Arc<Work>) {
    let pressed = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&pressed);
    if signal_hook::flag::register(signal_hook::consts::SIGINT, flag).is_ok() {
        thread::spawn(move || {
            while !pressed.load(Ordering::Relaxed) {
                thread::sleep(POLL_EVERY);
            }
            work.end(form)
        });
    }
}

impl Work {
    /// The next part of the work.
    pub(super) fn goes_on(&self, doing: impl Into<String>) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing.into();
        self.records.store(0, Ordering::Relaxed);
    }

    /// How many records of this part are durable.
    pub(super) fn has(&self, records: u64) {
        self.records.store(records, Ordering::Relaxed);
    }

    /// The folder that goes with the command, however it ends.
    pub(super) fn unpacks_to(&self, scratch: &Path) {
        *self.scratch.lock().unwrap_or_else(PoisonError::into_inner) = Some(scratch.to_owned());
    }

    fn end(&self, form: Form) -> ! {
        let doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner);
        let done = match self.records.load(Ordering::Relaxed) {
            0 => String::new(),
            records => format!(", of which the space has {} now", count(records, "record")),
        };
        let failure = Failure::Interrupted { work: format!("{doing}{done}") };
        output::clear_line();
        report(&failure, failure.hint(), form);
        if let Some(scratch) = &*self.scratch.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = std::fs::remove_dir_all(scratch);
        }
        process::exit(failure.exit_code().into())
    }
}
