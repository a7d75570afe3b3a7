//! Doing the work of a request on a thread of its own, with a handle on its space.
//!
//! The conversation is async, everything below is not. So work runs on a bounded number of blocking
//! threads; what finds none waits here. A write that has begun is carried out even if the client
//! goes away; one that still waits is dropped with its request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::belief::name::Named;
use engine::private::Disclosure;
use jiff::Timestamp;
use kernel::id::OpId;
use models::choice::Selection;
use serde_json::Value;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::App;
use super::error::ApiError;
use super::spaces::ServedSpace;
use crate::failure::Failure;
use crate::service::Session;
use crate::service::disclosure::{belief_named, record_named};
use crate::service::opening::OpenedSpace;
use crate::service::query_embedding::EmbedderPool;
use crate::service::tokens::{Grant, Right, Token};

/// Threads for requests, at least and at most.
const WORKERS: (usize, usize) = (2, 16);
/// Writes at a time, to different spaces.
pub(super) const WRITES_MAX: usize = 4;
/// Verifications and imports at a time.
pub(super) const LONG_WORK_MAX: usize = 2;
/// How long a request waits for a thread or its turn to write.
const QUEUE_WAIT: Duration = Duration::from_secs(15);
/// How long a question may take.
const ANSWER_WAIT: Duration = Duration::from_secs(60);

/// What a request needs of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// To read it.
    Read,
    /// To try something that is rolled back.
    Try,
    /// To write to it with this right.
    Write(Right),
}

impl Need {
    /// The right that the token must have.
    pub(super) fn right(self) -> Right {
        match self {
            Self::Read | Self::Try => Right::Read,
            Self::Write(right) => right,
        }
    }
}

/// What an endpoint does.
pub(super) type Run = dyn FnOnce(&mut Call<'_>) -> Result<Value, ApiError> + Send;

/// The work of a request, which was read and checked.
pub(super) struct Work {
    /// The space that it names.
    pub(super) space: Option<String>,
    pub(super) need: Need,
    pub(super) run: Box<Run>,
}

/// What the work of a request has at hand.
pub(super) struct Call<'a> {
    /// The session, at the time of the request.
    pub(super) session: Session,
    pub(super) token: &'a Token,
    pub(super) grant: &'a Grant,
    pub(super) opened: &'a mut OpenedSpace,
    embedders: &'a Mutex<EmbedderPool>,
}

impl Call<'_> {
    /// What the token is shown.
    pub(super) fn disclosure(&self) -> Disclosure {
        match self.grant.has(Right::Private) {
            true => Disclosure::Full,
            false => Disclosure::WithoutPrivate,
        }
    }

    /// The full name of a belief or record; what is not shown is unknown.
    pub(super) fn belief(&self, name: &str) -> Result<String, ApiError> {
        Ok(belief_named(self.opened, name, self.disclosure())?)
    }

    /// The operation that a name stands for; what is not shown is unknown.
    pub(super) fn record(&self, name: &str) -> Result<OpId, ApiError> {
        let named = record_named(self.opened, name, self.disclosure())?;
        match self.opened.name_of(&named)? {
            Named::Operation { id, .. } | Named::Version { id, .. } => Ok(id),
            Named::Belief { .. } => {
                Err(ApiError::validation(format!("{name:?} is the key of a belief, not an id")))
            }
        }
    }

    /// Runs `work` with the models that embed questions. The built-in one needs no model that is
    /// kept, so that requests do not wait for each other.
    pub(super) fn with_embedders<T>(
        &mut self,
        work: impl FnOnce(&Session, &mut OpenedSpace, &mut EmbedderPool) -> Result<T, Failure>,
    ) -> Result<T, ApiError> {
        let settings = self.session.settings(Some(self.opened.path()))?;
        if settings.chosen().selection == Selection::BuiltIn {
            return Ok(work(&self.session, self.opened, &mut EmbedderPool::default())?);
        }
        let mut pool = self.embedders.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(work(&self.session, self.opened, &mut pool)?)
    }
}

/// The threads for work.
pub(super) struct Workers {
    /// For questions.
    pub(super) short: Arc<Semaphore>,
    /// For writes, which wait for each other: they do not wait for questions, too.
    writing: Arc<Semaphore>,
    /// For verifications and imports.
    pub(super) long: Arc<Semaphore>,
    /// The models that embed questions, if another than the built-in one is chosen.
    embedders: Arc<Mutex<EmbedderPool>>,
}

impl Workers {
    pub(super) fn new() -> Self {
        Self {
            short: Arc::new(Semaphore::new(Self::count())),
            writing: Arc::new(Semaphore::new(WRITES_MAX)),
            long: Arc::new(Semaphore::new(LONG_WORK_MAX)),
            embedders: Arc::default(),
        }
    }

    /// How many requests are worked on at a time.
    pub(super) fn count() -> usize {
        let cores = std::thread::available_parallelism().map_or(WORKERS.0, usize::from);
        cores.clamp(WORKERS.0, WORKERS.1)
    }
}

/// A place among the threads.
pub(super) async fn place(queue: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, ApiError> {
    let place = timeout(QUEUE_WAIT, Arc::clone(queue).acquire_owned()).await;
    place.map_err(|_| ApiError::busy())?.map_err(|_| ApiError::busy())
}

async fn turn(space: &ServedSpace) -> Result<OwnedMutexGuard<()>, ApiError> {
    let turn = timeout(QUEUE_WAIT, Arc::clone(&space.writing).lock_owned()).await;
    turn.map_err(|_| ApiError::busy())
}

impl App {
    /// The space of a request and the token's grant there, if the grant has the right.
    pub(super) fn space_for<'t>(
        &self,
        token: &'t Token,
        name: Option<&str>,
        right: Right,
    ) -> Result<(Arc<ServedSpace>, &'t Grant), ApiError> {
        let (space, grant) = self.spaces.of_token(token, name).ok_or_else(ApiError::no_right)?;
        match grant.has(Right::Read) && grant.has(right) {
            true => Ok((Arc::clone(space), grant)),
            false => Err(ApiError::no_right()),
        }
    }

    /// Does the work of a request.
    pub(super) async fn work(
        self: &Arc<Self>,
        token: Arc<Token>,
        work: Work,
    ) -> Result<Value, ApiError> {
        let Work { space, need, run } = work;
        let (space, grant) = self.space_for(&token, space.as_deref(), need.right())?;
        let grant = grant.clone();
        let (turn, place) = match need {
            Need::Read => (None, place(&self.workers.short).await?),
            Need::Try | Need::Write(_) => {
                let turn = turn(&space).await?;
                (Some(turn), place(&self.workers.writing).await?)
            }
        };
        let (app, worked_on) = (Arc::clone(self), Arc::clone(&space));
        let working = tokio::task::spawn_blocking(move || {
            let _held = (turn, place);
            app.work_now(&worked_on, &token, &grant, need, run)
        });
        let answered = match need {
            // A write is carried out in any case, so its answer is waited for.
            Need::Write(_) => working.await,
            Need::Read | Need::Try => timeout(ANSWER_WAIT, working).await.map_err(|_| {
                let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
                ApiError::new(status, "TIMEOUT", "the answer took too long")
            })?,
        };
        let answer = answered.map_err(|error| ApiError::internal(error.to_string()))??;
        if need == Need::Write(Right::Append)
            && let Ok(place) = Arc::clone(&self.workers.long).try_acquire_owned()
        {
            let app = Arc::clone(self);
            tokio::task::spawn_blocking(move || {
                let _held = place;
                app.follow_up(&space);
            });
        }
        Ok(answer)
    }

    /// The same on this thread.
    pub(super) fn work_now(
        &self,
        space: &Arc<ServedSpace>,
        token: &Token,
        grant: &Grant,
        need: Need,
        run: impl FnOnce(&mut Call<'_>) -> Result<Value, ApiError>,
    ) -> Result<Value, ApiError> {
        let session = self.session.at(Timestamp::now());
        let worked = catch_unwind(AssertUnwindSafe(|| {
            let mut lease = space.lease(&session)?;
            let Some(opened) = lease.opened() else { return Err(ApiError::busy()) };
            let home = &session.home;
            match need {
                Need::Read => {}
                // What is rolled back is judged as the person's own.
                Need::Try => opened.write_as(home.signer().map_err(Failure::from)?),
                // Revoking a token removes its key.
                Need::Write(_) if !home.token_key_path(&token.id).exists() => {
                    return Err(ApiError::unauthorized());
                }
                Need::Write(_) => {
                    opened.write_as(home.token_signer(&token.id).map_err(Failure::from)?);
                }
            }
            let embedders = &self.workers.embedders;
            let answer =
                run(&mut Call { session: session.clone(), token, grant, opened, embedders })?;
            if matches!(need, Need::Write(_)) {
                self.metrics.writes.fetch_add(1, Ordering::Relaxed);
                space.note_head(opened.head()?.0);
            }
            Ok(answer)
        }));
        worked.unwrap_or_else(|_| Err(ApiError::internal("a thread panicked; see above")))
    }

    /// Embeds new records with the chosen model, while nobody waits.
    pub(super) fn follow_up(&self, space: &Arc<ServedSpace>) {
        let session = self.session.at(Timestamp::now());
        let chosen = session.settings(None).map(|settings| settings.chosen().selection.clone());
        if !matches!(chosen, Ok(Selection::BuiltIn))
            && let Ok(mut lease) = space.lease(&session)
            && let Some(opened) = lease.opened()
        {
            let mut pool = self.workers.embedders.lock().unwrap_or_else(PoisonError::into_inner);
            // A failure is retried after the next write, and `because status` shows it.
            let _ = pool.embed_new_records(&session, opened);
        }
    }
}
