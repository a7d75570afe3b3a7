//! What another thread reads of the next operations while this one adds those before them.

use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, ScopedJoinHandle};

use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::kind::Kind;
use retrieval::text::Language;

use super::super::meaning::DocumentVector;
use super::passage::Passages;
use crate::Recorded;

/// Most operations that are prepared at once.
pub(super) const AHEAD_MAX: usize = 512;
/// Bytes of bodies after which no more are. It bounds memory, as a parsed body may take a hundred
/// times its bytes, and what is done in vain where long records fill a block.
pub(super) const AHEAD_BYTES: usize = 256 << 10;

/// Prepares what comes next on another thread, if anything does, while this one does `own`. Where
/// no thread can be had, this one does both. A panic of the other thread becomes one of this.
pub(super) fn meanwhile<S: Send, P: Send, R>(
    next: Vec<S>,
    prepare: impl Fn(Vec<S>) -> Vec<P> + Sync,
    own: impl FnOnce() -> R,
) -> (R, Vec<P>) {
    if next.is_empty() {
        return (own(), Vec::new());
    }
    let next = Mutex::new(next);
    // Whoever prepares takes all of it.
    let prepare =
        || prepare(std::mem::take(&mut *next.lock().unwrap_or_else(PoisonError::into_inner)));
    std::thread::scope(|scope| {
        let preparing = Builder::new().name("index".to_owned()).spawn_scoped(scope, prepare);
        let done = own();
        match preparing.map(ScopedJoinHandle::join) {
            Ok(Ok(prepared)) => (done, prepared),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => (done, prepare()),
        }
    })
}

/// What is read of operations without the index.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// Bodies of all kinds, and not only of those on which the index depends.
    pub(super) all_bodies: bool,
    /// The vectors of records, which only those in English have: whether to expect some.
    pub(super) expects_english: bool,
    /// Which records the index holds.
    pub(super) of_thinking: bool,
}

/// An operation with what was read of it.
pub(super) struct Prepared {
    pub(super) recorded: Recorded,
    /// None if nobody reads it, or it cannot be read.
    pub(super) body: Option<Body>,
    /// The vectors of its passages if they are in English; none if they were not expected to be.
    pub(super) meant_in_english: Vec<DocumentVector>,
}

impl Ahead {
    pub(super) fn prepare(self, recorded: Vec<Recorded>) -> Vec<Prepared> {
        recorded.into_iter().map(|recorded| self.prepare_one(recorded)).collect()
    }

    fn prepare_one(self, recorded: Recorded) -> Prepared {
        // Most operations of a graph are not searched here, and parsing them takes longest.
        let kind = &recorded.operation.header().kind;
        let is_read =
            self.all_bodies || matches!(kind, Kind::Evidence | Kind::Grant | Kind::Revoke);
        let body = recorded.operation.body().filter(|_| is_read);
        let body = body.and_then(|bytes| Body::parse(kind, bytes).ok());
        let meant_in_english = match &body {
            Some(Body::Evidence(evidence)) if self.expects_vectors_of(evidence) => {
                let passages = Passages::of(evidence);
                passages.iter().map(|passage| passage.vector(Language::English)).collect()
            }
            _ => Vec::new(),
        };
        Prepared { recorded, body, meant_in_english }
    }

    fn expects_vectors_of(self, evidence: &Evidence) -> bool {
        self.expects_english && evidence.kind.is_thinking() == self.of_thinking
    }
}
