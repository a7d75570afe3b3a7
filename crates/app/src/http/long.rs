//! Work that takes long: it reports its progress as events, to clients that want them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use super::App;
use super::error::ApiError;
use super::json::response;
use super::sse;
use super::work::{Call, Need, Site, place};
use crate::service::tokens::Token;

/// How often progress is reported.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// Who asks for long work, and where.
pub(super) struct Task {
    pub(super) token: Arc<Token>,
    pub(super) site: Site,
    pub(super) need: Need,
}

/// Reports progress, now and then.
pub(super) struct Progress {
    events: Option<sse::Events>,
    last: Option<Instant>,
}

impl Progress {
    /// Reports how far the work is, unless it did so just now.
    pub(super) fn report(&mut self, progress: impl FnOnce() -> Value) {
        let is_due = self.last.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL);
        if let Some(events) = self.events.as_ref().filter(|_| is_due) {
            self.last = Some(Instant::now());
            events.try_send("progress", &progress());
        }
    }
}

/// Does long work. Clients that accept events get `progress`, then `result` or `error`; others get
/// the result alone.
pub(super) async fn run(
    app: Arc<App>,
    task: Task,
    headers: &HeaderMap,
    work: impl FnOnce(&mut Call<'_>, &mut Progress) -> Result<Value, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let place = place(&app.workers.long).await?;
    let (events, stream) = match sse::is_wanted(headers) {
        true => {
            let (events, stream) = sse::stream();
            (Some(events), Some(stream))
        }
        false => (None, None),
    };
    let mut progress = Progress { events: events.clone(), last: None };
    let working = tokio::task::spawn_blocking(move || {
        let _held = place;
        let Task { token, site, need } = &task;
        app.work_now(site, None, token, *need, |call| work(call, &mut progress))
    });
    let finished = async move {
        working.await.unwrap_or_else(|error| Err(ApiError::internal(error.to_string())))
    };
    let (Some(events), Some(stream)) = (events, stream) else {
        return Ok(response(&finished.await?));
    };
    tokio::spawn(async move {
        let _ = match finished.await {
            Ok(result) => events.send("result", None, &result).await,
            Err(error) => events.send("error", None, &json!(error.to_json())).await,
        };
    });
    Ok(stream)
}
