//! The thread that owns the memory.
//!
//! The engine is synchronous and a space has one writer at a time, so one thread answers the calls
//! of a process one after the other, in the order of arrival. The thread that speaks the protocol
//! stays free to receive cancellations; a call that is cancelled before it starts is not run.
//!
//! Receipts of what was shown are gathered and written when no call has come for a moment, and when
//! the thread ends. A process that is killed loses those that wait, and nothing that it
//! acknowledged.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use super::arguments::Call;
use super::failures::Failed;
use super::memory::{Memory, Response};
use crate::failure::Failure;

/// Calls queued for the thread; further ones wait outside the queue.
const WAITING_MAX: usize = 16;
/// How often to check whether the thread has ended.
const LOOK: Duration = Duration::from_millis(5);
/// How long no call comes before receipts are written.
const IDLE: Duration = Duration::from_millis(20);
/// How long to wait before receipts that could not be written are tried again.
const RETRY: Duration = Duration::from_secs(1);

/// The result of a call.
pub(super) type Reply = Result<Response, Failed>;

/// A call and the receiver of its answer.
struct Job {
    call: Call,
    reply: oneshot::Sender<Reply>,
}

/// A handle to send calls to the thread.
#[derive(Clone)]
pub(super) struct Calls {
    jobs: mpsc::Sender<Job>,
    /// The thread, which may be waiting for the time to write receipts.
    thread: Thread,
}

impl Calls {
    /// Runs a call; none if the thread could not finish it.
    pub(super) async fn answer(&self, call: Call) -> Option<Reply> {
        let (reply, answer) = oneshot::channel();
        self.jobs.send(Job { call, reply }).await.ok()?;
        self.thread.unpark();
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
        let (sender, mut jobs) = mpsc::channel::<Job>(WAITING_MAX);
        let thread = std::thread::Builder::new().name("memory".to_owned()).spawn(move || {
            while let Some(Job { call, reply }) = next(&mut jobs, &memory) {
                if reply.is_closed() {
                    continue;
                }
                let answered = catch_unwind(AssertUnwindSafe(|| {
                    drop(reply.send(memory.answer(call)));
                    memory.follow_up();
                }));
                if answered.is_err() {
                    // The panic has been printed. The space's state in memory may be inconsistent,
                    // so the space is reopened; its file is as the last transaction left it.
                    memory.forget_everything();
                }
            }
        });
        let thread = thread.map_err(|error| Failure::Protocol(error.to_string()))?;
        let calls = Calls { jobs: sender, thread: thread.thread().clone() };
        Ok(Self { calls, thread })
    }

    pub(super) fn calls(&self) -> Calls {
        self.calls.clone()
    }

    /// Waits for the thread to finish its current call, up to a limit.
    pub(super) fn finish(self, wait: Duration) {
        let Self { calls, thread } = self;
        drop(calls);
        let begun = Instant::now();
        while !thread.is_finished() && begun.elapsed() < wait {
            std::thread::sleep(LOOK);
        }
    }
}

/// Waits for the next call, and writes receipts if none comes; none when there will be no more.
fn next(jobs: &mut mpsc::Receiver<Job>, memory: &Memory) -> Option<Job> {
    let mut due = Instant::now() + IDLE;
    loop {
        match jobs.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        if !memory.has_unwritten() {
            return jobs.blocking_recv();
        }
        let now = Instant::now();
        if now < due {
            // A call that arrives ends the pause.
            std::thread::park_timeout(due - now);
        } else if !memory.write_journal() {
            due = Instant::now() + RETRY;
        }
    }
}
