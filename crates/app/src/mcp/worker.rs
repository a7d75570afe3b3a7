//! The thread that owns the memory.
//!
//! The engine is synchronous and a space is written by one hand at a time, so the calls of a
//! process are answered one after the other, in the order in which they came, by one thread. The
//! thread that speaks the protocol stays free to hear that a call is called off; one that has not
//! begun by then is not begun.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::arguments::Call;
use super::memory::{Answered, Memory};
use crate::failure::Failure;

/// Calls that wait for the thread; further ones wait before it.
const WAITING_MAX: usize = 16;
/// How often it is looked whether the thread has ended.
const LOOK: Duration = Duration::from_millis(5);

/// What became of a call.
pub(super) type Reply = Result<Answered, Failure>;

/// A call and who waits for its answer.
struct Job {
    call: Call,
    reply: oneshot::Sender<Reply>,
}

/// The way to the thread.
#[derive(Clone)]
pub(super) struct Calls(mpsc::Sender<Job>);

impl Calls {
    /// Has a call answered; none if the thread could not finish it.
    pub(super) async fn answer(&self, call: Call) -> Option<Reply> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Job { call, reply }).await.ok()?;
        answer.await.ok()
    }
}

/// The running thread.
pub(super) struct Worker {
    calls: Calls,
    thread: JoinHandle<()>,
}

impl Worker {
    pub(super) fn start(mut memory: Memory) -> Result<Self, Failure> {
        let (calls, mut jobs) = mpsc::channel::<Job>(WAITING_MAX);
        let thread = std::thread::Builder::new().name("memory".to_owned()).spawn(move || {
            while let Some(Job { call, reply }) = jobs.blocking_recv() {
                if reply.is_closed() {
                    continue;
                }
                let answered = catch_unwind(AssertUnwindSafe(|| {
                    drop(reply.send(memory.answer(call)));
                    memory.follow_up();
                }));
                if answered.is_err() {
                    // The fault has been printed. What the space holds in memory may be half
                    // changed, so it is opened anew; its file is as the last transaction left it.
                    memory.forget_everything();
                }
            }
        });
        let thread = thread.map_err(|error| Failure::Protocol(error.to_string()))?;
        Ok(Self { calls: Calls(calls), thread })
    }

    pub(super) fn calls(&self) -> Calls {
        self.calls.clone()
    }

    /// Lets the thread finish what it is doing, for at most so long.
    pub(super) fn finish(self, wait: Duration) {
        let Self { calls, thread } = self;
        drop(calls);
        let begun = Instant::now();
        while !thread.is_finished() && begun.elapsed() < wait {
            std::thread::sleep(LOOK);
        }
    }
}
