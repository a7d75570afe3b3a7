//! `GET /api/v1/events`: what changes in a space, as it changes.
//!
//! Each operation is an event whose id is its position in the ledger. A client that was away
//! resumes by `Last-Event-ID` or `?after=`; nothing is lost, because the ledger is the queue. What
//! other processes write is noticed by looking at the ledger's end now and then, while anybody
//! listens.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::{Request as HttpRequest, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use engine::belief::explain::time;
use engine::inspect::{LogFilter, summary};
use kernel::id::OpId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::Position;
use tokio::sync::watch;
use tokio::time::sleep;

use super::App;
use super::endpoint::needs;
use super::error::ApiError;
use super::json as strict;
use super::spaces::ServedSpace;
use super::sse::{self, Events, Gone};
use super::work::{Call, Need, Site, place};
use crate::service::tokens::{Right, Token};

/// Streams at a time.
pub(super) const STREAMS_MAX: usize = 256;
/// Operations read at a time.
const BATCH_OPERATIONS: usize = 256;
/// How often other processes' writes are looked for.
pub(super) const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// How long nothing is sent before a sign of life.
const ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Which changes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The space; the token's own by default.
    space: Option<String>,
    /// Only what comes after this position; 0 begins at the beginning [default: what changes from
    /// now on].
    after: Option<u64>,
}

needs!(Request, |_| Need::Read);

/// A stream: who listens to what.
struct Listener {
    app: Arc<App>,
    token: Arc<Token>,
    site: Site,
    events: Events,
}

pub(super) async fn answer(
    State(app): State<Arc<App>>,
    request: HttpRequest,
) -> Result<Response, ApiError> {
    let token = app.admit(request.headers())?;
    let schema = Request::json_schema(&mut super::openapi::generator()).to_value();
    let query = request.uri().query().unwrap_or_default();
    let asked: Request = strict::typed(strict::from_query(query, &schema)?)?;
    let last = last_event(request.headers())?;
    let site = app.site_for(&token, asked.space.as_deref(), Right::Read)?;
    let Ok(held) = Arc::clone(&app.streams).try_acquire_owned() else {
        let message = "too many streams of events are open";
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "BUSY", message));
    };
    let after = match last.or(asked.after) {
        Some(after) => after,
        None => head_now(&app, &site.space).await?,
    };
    let (events, response) = sse::stream();
    let listener = Listener { app, token, site, events };
    tokio::spawn(async move {
        listener.app.metrics.streams.fetch_add(1, Ordering::Relaxed);
        // The stream ends with the client, the token or the server.
        let _ = listener.listen(after).await;
        listener.app.metrics.streams.fetch_sub(1, Ordering::Relaxed);
        drop(held);
    });
    Ok(response)
}

fn last_event(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(given) = headers.get("last-event-id") else { return Ok(None) };
    let position = given.to_str().ok().and_then(|text| text.parse().ok());
    position.map(Some).ok_or_else(|| ApiError::validation("Last-Event-ID is not a position"))
}

impl Listener {
    async fn listen(&self, mut after: u64) -> Result<(), Gone> {
        let mut head = self.site.space.head.subscribe();
        let mut stopping = self.app.stopping.clone();
        self.events.keep_alive().await?;
        loop {
            if !self.app.callers.still_accepts(&self.token) {
                return Err(Gone);
            }
            head.mark_unchanged();
            let Ok((read, reached)) = self.next(after).await else { return Err(Gone) };
            for (position, data) in read {
                self.events.send("operation", Some(position), &data).await?;
            }
            if reached > after {
                after = reached;
                continue;
            }
            tokio::select! {
                changed = head.changed() => changed.map_err(|_| Gone)?,
                () = sleep(ALIVE_INTERVAL) => self.events.keep_alive().await?,
                () = stopped(&mut stopping) => return Err(Gone),
                () = self.events.gone() => return Err(Gone),
            }
        }
    }

    /// The next operations that the token is shown, and how far the ledger was read.
    async fn next(&self, after: u64) -> Result<(Vec<(u64, Value)>, u64), ApiError> {
        let place = place(&self.app.workers.short).await?;
        let (app, site) = (Arc::clone(&self.app), self.site.clone());
        let token = Arc::clone(&self.token);
        let reading = tokio::task::spawn_blocking(move || {
            let _held = place;
            app.work_now(&site, None, &token, Need::Read, |call| operations(call, after))
        });
        reading.await.map_err(|error| ApiError::internal(error.to_string()))?
    }
}

fn operations(call: &Call<'_>, after: u64) -> Result<(Vec<(u64, Value)>, u64), ApiError> {
    let mut recorded = Vec::new();
    let reached = call.opened.log(Position(after), &LogFilter::default(), |one| {
        recorded.push(one);
        recorded.len() < BATCH_OPERATIONS
    })?;
    let ids: Vec<OpId> = recorded.iter().map(|one| one.operation.id()).collect();
    let withheld = call.opened.withheld_among(&ids, call.disclosure())?;
    let shown = recorded.iter().filter(|one| !withheld.contains(&one.operation.id()));
    let events = shown.map(|one| {
        let header = one.operation.header();
        let data = json!({
            "position": one.position.0,
            "id": one.operation.id(),
            "kind": header.kind.as_str(),
            "at": time(header.ts),
            "author": header.author,
            "summary": summary(&one.operation),
        });
        (one.position.0, data)
    });
    Ok((events.collect(), reached.0))
}

/// How far the ledger of a space goes.
async fn head_now(app: &Arc<App>, space: &Arc<ServedSpace>) -> Result<u64, ApiError> {
    let place = place(&app.workers.short).await?;
    let (session, space) = (app.session_now(), Arc::clone(space));
    let looking = tokio::task::spawn_blocking(move || -> Result<u64, ApiError> {
        let _held = place;
        let mut lease = space.lease(&session)?;
        let head = lease.opened().map_or(Ok(Position(0)), |opened| opened.head())?.0;
        space.note_head(head);
        Ok(head)
    });
    looking.await.map_err(|error| ApiError::internal(error.to_string()))?
}

/// Ends when the server does.
pub(super) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // The sender goes only with the server.
    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
}

/// Looks for what other processes wrote, while anybody listens.
pub(super) async fn look_for_changes(app: Arc<App>) {
    loop {
        sleep(LOOK_INTERVAL).await;
        for space in app.spaces.iter() {
            if space.head.receiver_count() > 0 {
                // Looked for again the next time.
                let _ = head_now(&app, space).await;
            }
        }
    }
}
