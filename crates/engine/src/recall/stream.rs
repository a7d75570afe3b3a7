//! The passive stream: after each turn, memory is searched in the background, so that the results
//! are ready for the next turn.
//!
//! Source: the specification of facts, "Recall, two modes". [`Stream::follow`] takes the turns of a
//! conversation and returns at once. A thread with its own connection to the space searches with
//! the last two of them. [`Stream::prepared`] returns the latest results without waiting. When
//! turns come faster than they can be searched, earlier ones are skipped and no queue builds up.
//! Several conversations may share a stream: [`Gathered::query`] tells what was searched for.
//!
//! Prepared results are kept in this process only. A program that runs once for each turn, such as
//! `because context`, searches anew. That takes some milliseconds, less than a cache in the file
//! would cost in writes and stale results.
//!
//! The stream uses the built-in table only: another model would be called after every turn, whether
//! or not its result is used.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use store::Position;

use crate::private::Viewpoint;
use crate::recall::context::gather::{Wanted, end};
use crate::recall::context::{Gathered, Turn};
use crate::{EngineError, Space};

/// Turns that make up a search.
const TURNS: usize = 2;

/// A background search that follows a conversation.
pub struct Stream {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

/// The results for the next turn.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The number of turns at the time of the search, from 1.
    pub after_turns: u64,
    /// How far the ledger went before the search. What arrived since may retract, redact or hide a
    /// candidate.
    pub head: Position,
    /// The candidates.
    pub gathered: Arc<Gathered>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The last turns, the newest last.
    turns: Vec<Turn>,
    /// The reader's time at the newest.
    time: Option<(Timestamp, Option<Date>)>,
    added: u64,
    searched: u64,
    prepared: Option<Prepared>,
    failed: Option<String>,
    is_closed: bool,
}

impl Shared {
    /// The state is consistent after every change, so a poisoned lock can be used.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    /// Starts the background thread, which owns `space`. Open the space a second time for other
    /// work.
    pub fn start(space: Space) -> Result<Self, EngineError> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let for_worker = Arc::clone(&shared);
        let work = move || {
            while let Some((number, wanted)) = next(&for_worker) {
                let found = search(&space, &wanted);
                let mut state = for_worker.lock();
                state.searched = number;
                match found {
                    Ok((head, gathered)) => {
                        let gathered = Arc::new(gathered);
                        state.prepared = Some(Prepared { after_turns: number, head, gathered });
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

    /// Has the background thread search with the last of these turns, the newest last, and returns
    /// at once. This counts as one turn. `now` and `today` are the reader's.
    pub fn follow(&self, turns: &[Turn], now: Timestamp, today: Option<Date>) {
        let last = turns.get(turns.len().saturating_sub(TURNS)..).unwrap_or_default();
        // The end of each turn, without the speaker.
        let searched =
            |turn: &Turn| Turn { speaker: String::new(), text: end(&turn.text).to_owned() };
        let mut state = self.shared.lock();
        state.turns = last.iter().map(searched).collect();
        state.time = Some((now, today));
        state.added += 1;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// The latest results, without waiting: for the last turn, or for an earlier one while the
    /// search is running.
    pub fn prepared(&self) -> Option<Prepared> {
        self.shared.lock().prepared.clone()
    }

    /// Waits until all turns have been searched: for tests, and for callers that can wait.
    pub fn settled(&self) -> Option<Prepared> {
        let mut state = self.shared.lock();
        while state.searched < state.added && !state.is_closed {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.prepared.clone()
    }

    /// The latest results, after waiting until all turns have been searched, but not longer than
    /// this.
    pub fn settled_within(&self, wait: Duration) -> Option<Prepared> {
        let state = self.shared.lock();
        let is_searching = |state: &mut State| state.searched < state.added && !state.is_closed;
        let waited = self.shared.changed.wait_timeout_while(state, wait, is_searching);
        waited.unwrap_or_else(PoisonError::into_inner).0.prepared.clone()
    }

    /// Whether the background thread is there: it ends early only by a fault of the program.
    pub fn is_running(&self) -> bool {
        self.worker.as_ref().is_some_and(|worker| !worker.is_finished())
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

/// Searches in one snapshot. Answers with how far the ledger goes in it, too.
fn search(space: &Space, wanted: &Wanted) -> Result<(Position, Gathered), EngineError> {
    let reader = space.reader_up_to_date()?;
    Ok((reader.head()?, reader.gather(wanted)?))
}

/// Waits for the next search; `None` once the stream is closed.
fn next(shared: &Shared) -> Option<(u64, Wanted)> {
    let mut state = shared.lock();
    loop {
        if state.is_closed {
            return None;
        }
        if state.searched < state.added
            && let Some((now, today)) = state.time
        {
            let turns = state.turns.clone();
            let by_model = BTreeMap::new();
            return Some((
                state.added,
                Wanted {
                    text: Wanted::last_turns(&turns),
                    by_model,
                    now,
                    today,
                    viewpoint: Viewpoint::default(),
                },
            ));
        }
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}
