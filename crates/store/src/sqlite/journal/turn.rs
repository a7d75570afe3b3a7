//! Turns to write to a journal, among the threads of a process.
//!
//! SQLite lets one connection write. Another one that finds it busy sleeps for a millisecond at
//! least, which is longer than a write takes. Threads of one process wait for each other here, and
//! go on at once.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernel::id::SpaceId;

/// Turns at a time. Spaces that share one wait for each other in vain, which costs only time.
const TURNS: usize = 32;

static WRITING: [Turns; TURNS] = [const { Turns::new() }; TURNS];

struct Turns {
    is_taken: Mutex<bool>,
    free: Condvar,
}

/// The turn to write, until it is dropped.
pub(super) struct Turn(&'static Turns);

impl Turns {
    const fn new() -> Self {
        Self { is_taken: Mutex::new(false), free: Condvar::new() }
    }
}

/// Waits for the turn to write to the journal of a space, at most `wait`; none if it did not come.
pub(super) fn of(space: SpaceId, wait: Duration) -> Option<Turn> {
    let place = space.0.0.iter().fold(0, |sum: usize, byte| sum.wrapping_add(usize::from(*byte)));
    let turns = WRITING.get(place % TURNS)?;
    let began = Instant::now();
    let mut is_taken = turns.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
    while *is_taken {
        let left = wait.checked_sub(began.elapsed()).filter(|left| !left.is_zero())?;
        let waited = turns.free.wait_timeout(is_taken, left);
        is_taken = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    *is_taken = true;
    Some(Turn(turns))
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_has_the_turn_and_others_wait_for_it_or_give_up() {
        let space = SpaceId(kernel::id::OpId([7; 32]));
        let mut written = 0;
        let counted = std::sync::Mutex::new(&mut written);
        let held = of(space, Duration::ZERO).unwrap();
        assert!(of(space, Duration::from_millis(5)).is_none(), "it is taken");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _turn = of(space, Duration::from_secs(60)).unwrap();
                        **counted.try_lock().unwrap() += 1;
                    }
                });
            }
            drop(held);
        });
        assert_eq!(written, 200);
    }
}
