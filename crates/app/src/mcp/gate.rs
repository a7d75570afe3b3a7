//! Backpressure before the protocol: a limit on the requests in flight.
//!
//! The SDK starts a task for every request that it reads and keeps every answer until it is
//! written, so a host that sends without reading would exhaust the memory. Here a request is read
//! only while fewer than a limit are in flight; until then the host's writes wait in the pipe. A
//! request is in flight from when it is read until its answer is written, or until the host cancels
//! it.
//!
//! Two faults of a host are handled here too, since the SDK would end the process for one and
//! miscount for the other: a message before the first request that is not a request is ignored, and
//! a request whose id is already in flight is refused.

use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;

/// Requests in flight at once. Hosts have one or a few.
pub(super) const UNDER_WAY_MAX: usize = 64;

/// A transport that limits the number of requests in flight.
pub(super) struct Gate<T> {
    inner: T,
    under_way: Arc<UnderWay>,
    has_begun: bool,
    /// A refusal being written. Nothing more is read until it is written, so refusals cannot pile
    /// up either.
    refusing: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

/// The requests in flight.
struct UnderWay {
    max: usize,
    ids: Mutex<HashSet<RequestId>>,
    changed: Notify,
}

impl UnderWay {
    fn ids(&self) -> std::sync::MutexGuard<'_, HashSet<RequestId>> {
        // A set of ids is consistent after every step, even if a thread panicked between two.
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another request may start. The wait can be cancelled safely.
    async fn has_room(&self) {
        loop {
            let changed = self.changed.notified();
            if self.ids().len() < self.max {
                return;
            }
            changed.await;
        }
    }

    fn ends(&self, id: &RequestId) {
        if self.ids().remove(id) {
            self.changed.notify_one();
        }
    }
}

impl<T> Gate<T> {
    pub(super) fn new(inner: T, max: usize) -> Self {
        let under_way = UnderWay { max, ids: Mutex::default(), changed: Notify::new() };
        Self { inner, under_way: Arc::new(under_way), has_begun: false, refusing: None }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Gate<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let under_way = Arc::clone(&self.under_way);
        let sent = self.inner.send(message);
        async move {
            let sent = sent.await;
            if let Some(id) = answered {
                under_way.ends(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                refusing.await;
                self.refusing = None;
            }
            self.under_way.has_room().await;
            let message = self.inner.receive().await?;
            match &message {
                JsonRpcMessage::Request(request) => {
                    self.has_begun = true;
                    let id = request.id.clone();
                    if self.under_way.ids().insert(id) {
                        return Some(message);
                    }
                    let error =
                        ErrorData::invalid_request("a request with this id is in flight", None);
                    let refused = self
                        .inner
                        .send(ServerJsonRpcMessage::error(error, Some(request.id.clone())));
                    // If it cannot be written, the host is gone, which the next read detects.
                    self.refusing = Some(Box::pin(async move { drop(refused.await) }));
                }
                JsonRpcMessage::Notification(told) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.under_way.ends(id);
                    }
                    if self.has_begun {
                        return Some(message);
                    }
                }
                _ if self.has_begun => return Some(message),
                _ => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// A host that repeats one request and never reads.
    struct Deaf {
        asked: Arc<AtomicUsize>,
    }

    /// The number of requests after which it closes.
    const REQUESTS: usize = 100;

    impl Transport<RoleServer> for Deaf {
        type Error = std::io::Error;

        fn send(
            &mut self,
            _: TxJsonRpcMessage<RoleServer>,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            std::future::pending()
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
            let asked = self.asked.fetch_add(1, Ordering::Relaxed);
            let request = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
            (asked < REQUESTS).then(|| serde_json::from_value(request).unwrap())
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    #[test]
    fn refusals_that_nobody_reads_do_not_pile_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let asked = Arc::new(AtomicUsize::new(0));
            let mut gate = Gate::new(Deaf { asked: Arc::clone(&asked) }, UNDER_WAY_MAX);
            assert!(gate.receive().await.is_some());
            // A cancelled read loses nothing.
            for _ in 0..3 {
                assert!(
                    tokio::time::timeout(Duration::from_millis(10), gate.receive()).await.is_err()
                );
            }
            assert_eq!(asked.load(Ordering::Relaxed), 2);
        });
    }
}
