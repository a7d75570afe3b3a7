//! The passive stream: after a turn memory is searched in the background, and what was found is
//! ready for the next.
//!
//! Source: the specification of facts, "Recall, two modes". [`Stream::said`] hands a turn over and
//! returns; a thread with its own connection to the space searches with the last two turns.
//! [`Stream::prepared`] gives what is ready, without waiting for what is not. Turns that come
//! faster than they can be searched are skipped, only the last two count: nothing piles up.
//!
//! What is prepared lives in this process alone. A program that runs once a turn, as `because
//! context` does, searches anew: that costs some milliseconds, less than a cache in the file would
//! cost in writes and in answers that are out of date.
//!
//! The stream asks the built-in table alone: another model would be asked after every turn, whether
//! or not anything comes of it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::recall::context::gather::{Wanted, end};
use crate::recall::context::{Gathered, Turn};
use crate::{EngineError, Space};

/// Turns that a search is made of.
const TURNS: usize = 2;

/// A conversation that memory listens to.
pub struct Stream {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

/// What was found for the next turn.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// How many turns had been said when it was searched for, from 1.
    pub after_turns: u64,
    /// What was found.
    pub gathered: Arc<Gathered>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The last turns, the newest last.
    turns: VecDeque<Turn>,
    /// The reader's time at the newest.
    time: Option<(Timestamp, Option<Date>)>,
    added: u64,
    searched: u64,
    prepared: Option<Prepared>,
    failed: Option<String>,
    is_closed: bool,
}

impl Shared {
    /// The state is whole after every change, so that of a thread that panicked, too.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    /// Begins to listen. The space is for the background alone: open it a second time for other
    /// work.
    pub fn start(space: Space) -> Result<Self, EngineError> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let for_worker = Arc::clone(&shared);
        let work = move || {
            while let Some((number, wanted)) = next(&for_worker) {
                let found = space.gather(&wanted);
                let mut state = for_worker.lock();
                state.searched = number;
                match found {
                    Ok(gathered) => {
                        state.prepared =
                            Some(Prepared { after_turns: number, gathered: Arc::new(gathered) });
                        state.failed = None;
                    }
                    Err(error) => state.failed = Some(error.to_string()),
                }
                drop(state);
                for_worker.changed.notify_all();
            }
        };
        let worker = std::thread::Builder::new().name("because-stream".to_owned()).spawn(work)?;
        Ok(Self { shared, worker: Some(worker) })
    }

    /// Takes note of a turn. Returns at once; `now` and `today` are the reader's.
    pub fn add_turn(&self, turn: &Turn, now: Timestamp, today: Option<Date>) {
        let turn = Turn { speaker: String::new(), text: end(&turn.text).to_owned() };
        let mut state = self.shared.lock();
        if state.turns.len() >= TURNS {
            state.turns.pop_front();
        }
        state.turns.push_back(turn);
        state.time = Some((now, today));
        state.added += 1;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// What is ready, without waiting: of the last turn, or of an earlier one while that is being
    /// searched for.
    pub fn prepared(&self) -> Option<Prepared> {
        self.shared.lock().prepared.clone()
    }

    /// Waits until what was said has been searched for: for tests, and for whoever has the time.
    pub fn settled(&self) -> Option<Prepared> {
        let mut state = self.shared.lock();
        while state.searched < state.added && !state.is_closed {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.prepared.clone()
    }

    /// Why the last search failed, if it did.
    pub fn failure(&self) -> Option<String> {
        self.shared.lock().failed.clone()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// Waits for something to search for; none when nobody listens any more.
fn next(shared: &Shared) -> Option<(u64, Wanted)> {
    let mut state = shared.lock();
    loop {
        if state.is_closed {
            return None;
        }
        if state.searched < state.added
            && let Some((now, today)) = state.time
        {
            let turns: Vec<Turn> = state.turns.iter().cloned().collect();
            let by_model = BTreeMap::new();
            return Some((
                state.added,
                Wanted { text: Wanted::last_turns(&turns), by_model, now, today },
            ));
        }
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}
