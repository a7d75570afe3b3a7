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
use engine::thought::uuid::ThoughtUuid;
use kernel::id::{OpId, SpaceId};
use kernel::seal::Signer;
use models::choice::Selection;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::App;
use super::error::ApiError;
use super::spaces::{Lease, ServedSpace};
use crate::failure::Failure;
use crate::service::Session;
use crate::service::disclosure::{belief_named, record_named};
use crate::service::handles;
use crate::service::opening::OpenedSpace;
use crate::service::query_embedding::EmbedderPool;
use crate::service::thoughts::ThoughtError;
use crate::service::thoughts::manage::unknown as unknown_thought;
use crate::service::tokens::{Grant, Right, Token};

/// Threads for requests, at least and at most.
const WORKERS: (usize, usize) = (4, 16);
/// Threads for each core: some of them wait for the disk, or for the journal.
const WORKERS_OF_A_CORE: usize = 2;
/// Writes at a time, to different spaces, and as many that read first.
pub(super) const WRITES_MAX: usize = 4;
/// Verifications and imports at a time.
pub(super) const LONG_WORK_MAX: usize = 2;
/// How many uploads are received or wait to be imported at a time.
const UPLOADS_MAX: usize = 4;
/// How long a request waits for a thread or its turn to write.
const QUEUE_WAIT: Duration = Duration::from_secs(15);
/// Contributions after which the log of a space is copied into its file. SQLite would do that in a
/// commit, for which the next writers wait.
const LOG_WRITES: u64 = 128;
/// How long emptying the log waits for those who read from it.
const LOG_READERS_WAIT: Duration = Duration::from_millis(50);
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
    /// To write to it if the token may, else to read it.
    WriteIfPermitted,
}

impl Need {
    /// The right that the token must have.
    pub(super) fn right(self) -> Right {
        match self {
            Self::Read | Self::Try | Self::WriteIfPermitted => Right::Read,
            Self::Write(right) => right,
        }
    }

    /// What it comes to with this grant.
    fn with(self, grant: &Grant) -> Self {
        let writing = [Right::Append, Right::Correct].into_iter().find(|right| grant.has(*right));
        match self {
            Self::WriteIfPermitted => writing.map_or(Self::Read, Self::Write),
            need => need,
        }
    }
}

/// Where a request works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// In the space of this name; in the token's own without a name.
    Space(Option<String>),
    /// In the space that has this thought, of those that the token may read.
    Thought(String),
    /// There, and in the space of this name, to which it adds.
    ThoughtAndSpace(String, String),
}

/// A space in which a request works, and what its token may do there.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) space: Arc<ServedSpace>,
    pub(super) grant: Grant,
}

/// What an endpoint does.
pub(super) type Run = dyn FnOnce(&mut Call<'_>) -> Result<Value, ApiError> + Send;

/// The work of a request, which was read and checked.
pub(super) struct Work {
    pub(super) target: Target,
    pub(super) need: Need,
    /// Whether it waits itself for its turn to write, when it has read.
    pub(super) reads_first: bool,
    pub(super) run: Box<Run>,
}

/// What the work of a request has at hand.
pub(super) struct Call<'a> {
    /// The session, at the time of the request.
    pub(super) session: Session,
    pub(super) token: &'a Token,
    pub(super) grant: &'a Grant,
    pub(super) opened: &'a mut OpenedSpace,
    /// The second space of [`Target::ThoughtAndSpace`], unless it is the first one.
    pub(super) second: Option<(&'a Grant, &'a mut OpenedSpace)>,
    app: &'a App,
    /// The space in which it works.
    site: SpaceId,
    /// Where it waits for its turn to write, if it does that itself.
    waits_at: Option<Arc<ServedSpace>>,
    /// Its turn.
    turn: Option<OwnedMutexGuard<()>>,
}

/// What a grant shows.
pub(super) fn disclosure_of(grant: &Grant) -> Disclosure {
    grant.disclosure()
}

impl Call<'_> {
    /// What the token is shown.
    pub(super) fn disclosure(&self) -> Disclosure {
        disclosure_of(self.grant)
    }

    /// The full name of a belief or record; what is not shown is unknown.
    pub(super) fn belief(&self, name: &str) -> Result<String, ApiError> {
        Ok(belief_named(self.opened, name, self.disclosure())?)
    }

    /// The operation that a name stands for; what is not shown is unknown.
    pub(super) fn record(&self, name: &str) -> Result<OpId, ApiError> {
        let named = record_named(self.opened, name, self.disclosure())?;
        match self.opened.name_disclosed(&named, self.disclosure())? {
            Named::Operation { id, .. } | Named::Version { id, .. } => Ok(id),
            Named::Belief { .. } => {
                Err(ApiError::validation(format!("{name:?} is the key of a belief, not an id")))
            }
        }
    }

    /// Another space of the token that has a thought, by a name that requests may use.
    pub(super) fn other_space_of(&self, thought: &str) -> Result<Option<String>, ApiError> {
        let mut sites = self.app.readable_sites(self.token);
        sites.retain(|site| site.space.id != self.site);
        let Some(site) = self.app.site_with(sites, self.token, thought)? else { return Ok(None) };
        let (id, name) = (site.space.id, site.space.name.clone());
        let named = self.app.spaces.of_token(self.token, Some(&name));
        let is_it = named.is_some_and(|(space, _)| space.id == id);
        Ok(Some(if is_it { name } else { id.to_string() }))
    }

    /// Waits for its turn to write, if it has none yet. Meanwhile others write.
    pub(super) fn wait_for_turn(&mut self) -> Result<(), ApiError> {
        if let Some(space) = self.waits_at.as_ref().filter(|_| self.turn.is_none()) {
            self.turn = Some(Handle::current().block_on(turn(space))?);
        }
        Ok(())
    }

    /// Gives up its turn to write and waits for the next one, after those who wait already. If that
    /// takes too long, it goes on without: what is left to do waits for SQLite's lock.
    pub(super) fn let_others_write(&mut self) {
        self.turn = None;
        let _ = self.wait_for_turn();
    }

    /// Runs `work` with the models that embed questions. The built-in one needs no model that is
    /// kept, so that requests do not wait for each other.
    pub(super) fn with_embedders<T>(
        &mut self,
        work: impl FnOnce(&Session, &mut OpenedSpace, &mut EmbedderPool) -> Result<T, Failure>,
    ) -> Result<T, ApiError> {
        let configuration = self.session.configuration(Some(self.opened.path()))?;
        if configuration.chosen().selection == Selection::BuiltIn {
            return Ok(work(&self.session, self.opened, &mut EmbedderPool::default())?);
        }
        let embedders = &self.app.workers.embedders;
        let mut pool = embedders.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(work(&self.session, self.opened, &mut pool)?)
    }
}

/// The threads for work.
pub(super) struct Workers {
    /// For questions.
    pub(super) short: Arc<Semaphore>,
    /// For writes, which wait for each other: they do not wait for questions, too.
    writing: Arc<Semaphore>,
    /// For what reads first and then waits for its turn: those who have their turn wait for the
    /// places above, which these must not hold.
    reading_first: Arc<Semaphore>,
    /// For verifications and imports.
    pub(super) long: Arc<Semaphore>,
    /// For uploads, which lie on the disk until they are imported.
    pub(super) uploads: Arc<Semaphore>,
    /// The models that embed questions, if another than the built-in one is chosen.
    pub(super) embedders: Arc<Mutex<EmbedderPool>>,
}

impl Workers {
    pub(super) fn new() -> Self {
        Self {
            short: Arc::new(Semaphore::new(Self::count())),
            writing: Arc::new(Semaphore::new(WRITES_MAX)),
            reading_first: Arc::new(Semaphore::new(WRITES_MAX)),
            long: Arc::new(Semaphore::new(LONG_WORK_MAX)),
            uploads: Arc::new(Semaphore::new(UPLOADS_MAX)),
            embedders: Arc::default(),
        }
    }

    /// How many requests are worked on at a time.
    pub(super) fn count() -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        cores.saturating_mul(WORKERS_OF_A_CORE).clamp(WORKERS.0, WORKERS.1)
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

/// The turns to write to the spaces of a request, always taken in the same order.
async fn turns(site: &Site, second: Option<&Site>) -> Result<Vec<OwnedMutexGuard<()>>, ApiError> {
    let mut spaces: Vec<&ServedSpace> = vec![&site.space];
    spaces.extend(second.map(|second| &*second.space));
    spaces.sort_by_key(|space| space.id);
    let mut turns = Vec::with_capacity(spaces.len());
    for space in spaces {
        turns.push(turn(space).await?);
    }
    Ok(turns)
}

/// Has a space signed for by the token, or by the person for what is rolled back.
pub(super) fn sign_for(
    opened: &mut OpenedSpace,
    session: &Session,
    token: &Token,
    need: Need,
) -> Result<(), ApiError> {
    let home = &session.home;
    match need {
        Need::Read | Need::WriteIfPermitted => {}
        // What is rolled back is judged as the person's own.
        Need::Try => opened.write_as(home.signer().map_err(Failure::from)?),
        Need::Write(_) => opened.write_as(signer_of(session, token)?),
    }
    // What the person goes by may have changed since the space was opened.
    if matches!(need, Need::Try | Need::Write(_)) {
        handles::refresh_owner_names(home, opened)?;
    }
    Ok(())
}

/// The key of a token. Revoking the token removes it.
pub(super) fn signer_of(session: &Session, token: &Token) -> Result<Signer, ApiError> {
    let home = &session.home;
    match home.token_key_path(&token.id).exists() {
        true => Ok(home.token_signer(&token.id).map_err(Failure::from)?),
        false => Err(ApiError::unauthorized()),
    }
}

impl App {
    /// The session at this time.
    pub(super) fn session_now(&self) -> Session {
        self.session.at(self.clock.now())
    }

    /// The space of a request with the token's grant there, if the grant has the right.
    pub(super) fn site_for(
        &self,
        token: &Token,
        name: Option<&str>,
        right: Right,
    ) -> Result<Site, ApiError> {
        let (space, grant) = self.spaces.of_token(token, name).ok_or_else(ApiError::no_right)?;
        match grant.has(Right::Read) && grant.has(right) {
            true => Ok(Site { space: Arc::clone(space), grant: grant.clone() }),
            false => Err(ApiError::no_right()),
        }
    }

    /// The spaces of a request: that in which it works, then the second one.
    async fn sites(
        self: &Arc<Self>,
        token: &Arc<Token>,
        target: Target,
        right: Right,
    ) -> Result<(Site, Option<Site>), ApiError> {
        match target {
            Target::Space(name) => Ok((self.site_for(token, name.as_deref(), right)?, None)),
            Target::Thought(thought) => Ok((self.site_of_thought(token, thought).await?, None)),
            Target::ThoughtAndSpace(thought, name) => {
                let second = self.site_for(token, Some(&name), Right::Append)?;
                let first = self.site_of_thought(token, thought).await?;
                if !first.grant.has(right) {
                    return Err(ApiError::no_right());
                }
                let is_same = first.space.id == second.space.id;
                Ok((first, Some(second).filter(|_| !is_same)))
            }
        }
    }

    /// The spaces that a token may read, its own first.
    fn readable_sites(&self, token: &Token) -> Vec<Site> {
        let mut sites = Vec::new();
        for grant in &token.grants {
            let name = grant.space.to_string();
            sites.extend(self.site_for(token, Some(&name), Right::Read));
        }
        sites
    }

    /// The first of these spaces that has a thought.
    fn site_with(
        &self,
        sites: Vec<Site>,
        token: &Token,
        thought: &str,
    ) -> Result<Option<Site>, ApiError> {
        if !ThoughtUuid::is_whole_name(thought) {
            return Ok(None);
        }
        for site in sites {
            let found = self.work_now(&site, None, token, Need::Read, |call| {
                let reader = call.opened.reader_up_to_date()?;
                Ok(reader.thought_named(thought, call.disclosure())?.is_some())
            })?;
            if found {
                return Ok(Some(site));
            }
        }
        Ok(None)
    }

    /// The space that has a thought, of those that the token may read.
    async fn site_of_thought(
        self: &Arc<Self>,
        token: &Arc<Token>,
        thought: String,
    ) -> Result<Site, ApiError> {
        let mut sites = self.readable_sites(token);
        if sites.len() == 1 {
            // The endpoint looks for the thought itself.
            return sites.pop().ok_or_else(ApiError::no_right);
        }
        let place = place(&self.workers.short).await?;
        let (app, token) = (Arc::clone(self), Arc::clone(token));
        let searching = tokio::task::spawn_blocking(move || {
            let _held = place;
            let found = app.site_with(sites, &token, &thought)?;
            found.ok_or_else(|| ThoughtError::from(unknown_thought(&thought)).into())
        });
        searching.await.map_err(|error| ApiError::internal(error.to_string()))?
    }

    /// Does the work of a request.
    pub(super) async fn work(
        self: &Arc<Self>,
        token: Arc<Token>,
        work: Work,
    ) -> Result<Value, ApiError> {
        let Work { target, need, reads_first, run } = work;
        let (site, second) = self.sites(&token, target, need.right()).await?;
        let need = need.with(&site.grant);
        let space = Arc::clone(&site.space);
        let waits_later = reads_first && matches!(need, Need::Write(_));
        let held = match waits_later {
            true => (Vec::new(), place(&self.workers.reading_first).await?),
            false => self.turns_and_place(&site, second.as_ref(), need).await?,
        };
        let app = Arc::clone(self);
        let working = tokio::task::spawn_blocking(move || {
            let _held = held;
            app.work_now(&site, second.as_ref(), &token, need, |call| {
                call.waits_at = waits_later.then(|| Arc::clone(&site.space));
                run(call)
            })
        });
        let answer = self.finished(need, working).await??;
        if matches!(need, Need::Write(_)) {
            self.start_follow_up(&space);
        }
        Ok(answer)
    }

    /// The turns to write, for what writes, and a place among the threads.
    pub(super) async fn turns_and_place(
        &self,
        site: &Site,
        second: Option<&Site>,
        need: Need,
    ) -> Result<(Vec<OwnedMutexGuard<()>>, OwnedSemaphorePermit), ApiError> {
        Ok(match need {
            Need::Read => (Vec::new(), place(&self.workers.short).await?),
            _ => {
                let turns = turns(site, second).await?;
                (turns, place(&self.workers.writing).await?)
            }
        })
    }

    /// Waits for work on a thread: for a question for some time, for a write in any case, because
    /// it is carried out in any case.
    pub(super) async fn finished<T>(
        &self,
        need: Need,
        working: JoinHandle<T>,
    ) -> Result<T, ApiError> {
        let finished = match need {
            Need::Write(_) => working.await,
            _ => timeout(ANSWER_WAIT, working).await.map_err(|_| {
                let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
                ApiError::new(status, "TIMEOUT", "the answer took too long")
            })?,
        };
        finished.map_err(|error| ApiError::internal(error.to_string()))
    }

    /// Starts what follows a write, unless enough of that goes on already.
    pub(super) fn start_follow_up(self: &Arc<Self>, space: &Arc<ServedSpace>) {
        if let Ok(place) = Arc::clone(&self.workers.long).try_acquire_owned() {
            let (app, space) = (Arc::clone(self), Arc::clone(space));
            tokio::task::spawn_blocking(move || {
                let _held = place;
                app.copy_log(&space);
                app.follow_up(&space);
            });
        }
    }

    /// The same on this thread.
    pub(super) fn work_now<T>(
        &self,
        site: &Site,
        second: Option<&Site>,
        token: &Token,
        need: Need,
        run: impl FnOnce(&mut Call<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let session = self.session_now();
        let worked = catch_unwind(AssertUnwindSafe(|| {
            let mut lease = site.space.lease(&session)?;
            let Some(opened) = lease.opened() else { return Err(ApiError::busy()) };
            sign_for(opened, &session, token, need)?;
            let mut lease = second.map(|second| second.space.lease(&session)).transpose()?;
            let mut other = lease.as_mut().and_then(Lease::opened);
            if let Some(opened) = &mut other {
                sign_for(opened, &session, token, need)?;
            }
            let mut call = Call {
                session,
                token,
                grant: &site.grant,
                opened,
                second: second.map(|second| &second.grant).zip(other),
                app: self,
                site: site.space.id,
                waits_at: None,
                turn: None,
            };
            let answer = run(&mut call)?;
            if matches!(need, Need::Write(_)) {
                self.metrics.writes.fetch_add(1, Ordering::Relaxed);
                site.space.note_head(call.opened.head()?.0);
                if let (Some(second), Some((_, opened))) = (second, &call.second) {
                    second.space.note_head(opened.head()?.0);
                }
            }
            Ok(answer)
        }));
        worked.unwrap_or_else(|_| Err(ApiError::internal("a thread panicked; see above")))
    }

    /// Copies the log into the file, once in a while.
    fn copy_log(&self, space: &Arc<ServedSpace>) {
        let before = space.writes.fetch_add(1, Ordering::Relaxed);
        if before % LOG_WRITES == LOG_WRITES - 1
            && let Ok(mut lease) = space.lease(&self.session_now())
            && let Some(opened) = lease.opened()
            // What is not copied now is copied the next time, or by SQLite.
            && opened.copy_log().is_ok()
            && let Ok(_turn) = Handle::current().block_on(turn(space))
        {
            let _ = opened.empty_log(LOG_READERS_WAIT);
        }
    }

    /// Embeds new records with the chosen model, while nobody waits.
    pub(super) fn follow_up(&self, space: &Arc<ServedSpace>) {
        let session = self.session_now();
        let chosen = session
            .configuration(None)
            .map(|configuration| configuration.chosen().selection.clone());
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
