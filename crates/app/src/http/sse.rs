//! Answers that go on: server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use hyper::body::Frame;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Events that wait for the client.
const WAITING_MAX: usize = 64;
/// How long an event waits for a client that does not read.
const CLIENT_WAIT: Duration = Duration::from_secs(30);
/// The type of such an answer.
const EVENT_STREAM: &str = "text/event-stream";

/// Whether a client wants events.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted.filter_map(|accepted| accepted.to_str().ok()).any(|one| one.contains(EVENT_STREAM))
}

/// Where the events of an answer go.
#[derive(Clone)]
pub(super) struct Events(mpsc::Sender<Bytes>);

/// The client has gone, or does not read.
pub(super) struct Gone;

/// A stream of events, and the answer that carries it.
pub(super) fn stream() -> (Events, Response) {
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    let mut response = Response::new(Body::new(Stream(receiver)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    (Events(sender), response)
}

fn event(name: &str, id: Option<u64>, data: &Value) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    // JSON has no line breaks.
    Bytes::from(format!("event: {name}\n{id}data: {data}\n\n"))
}

impl Events {
    /// Sends an event.
    pub(super) async fn send(&self, name: &str, id: Option<u64>, data: &Value) -> Result<(), Gone> {
        let sent = timeout(CLIENT_WAIT, self.0.send(event(name, id, data))).await;
        sent.map_err(|_| Gone)?.map_err(|_| Gone)
    }

    /// Sends a comment, which shows that the connection lives.
    pub(super) async fn keep_alive(&self) -> Result<(), Gone> {
        let comment = Bytes::from_static(b": alive\n\n");
        timeout(CLIENT_WAIT, self.0.send(comment)).await.map_err(|_| Gone)?.map_err(|_| Gone)
    }

    /// Sends an event that may be lost if the client does not keep up, from any thread.
    pub(super) fn try_send(&self, name: &str, data: &Value) {
        let _ = self.0.try_send(event(name, None, data));
    }

    /// Ends when the client has gone.
    pub(super) async fn gone(&self) {
        self.0.closed().await;
    }
}

struct Stream(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
