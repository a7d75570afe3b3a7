//! Reading the host's messages, one a line, and answering those that cannot be read.
//!
//! The SDK would ignore a message that is nested too deeply for it, and answer other unreadable
//! messages without their id, so that a host would wait forever. Here the id is extracted
//! separately, wherever it is in the message and however deep the rest is; that takes no more
//! memory than the line. A line that is not JSON is ignored, as in the other SDKs. So is an
//! unreadable notification, since nobody waits for an answer to it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, BufReader, Empty};

/// Longest message, bytes; longer ones are ignored.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A refusal being written.
type Refusing = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

/// Messages line by line.
pub(super) struct Lines<R, W: AsyncWrite> {
    read: BufReader<R>,
    /// The SDK's write half.
    write: AsyncRwTransport<RoleServer, Empty, W>,
    /// The part of a line read so far. It is kept here, since a read may be cancelled half-way and
    /// resumed.
    line: Vec<u8>,
    /// The line is too long; the rest of it is skipped.
    is_overlong: bool,
    /// Nothing more is read until it is written, so that refusals for a host that does not read
    /// cannot pile up.
    refusing: Option<Refusing>,
}

impl<R: AsyncRead, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        let write = AsyncRwTransport::new_server(tokio::io::empty(), write);
        Self {
            read: BufReader::new(read),
            write,
            line: Vec::new(),
            is_overlong: false,
            refusing: None,
        }
    }
}

impl<R: AsyncRead + Send + Unpin, W> Lines<R, W>
where
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Reads to the end of a line; false at the end of the input, where an unfinished line is
    /// dropped.
    async fn read_line(&mut self) -> bool {
        loop {
            let room = (LINE_BYTES_MAX + 1).saturating_sub(self.line.len()) as u64;
            match (&mut self.read).take(room).read_until(b'\n', &mut self.line).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return false,
            }
            let is_whole = self.line.ends_with(b"\n");
            if is_whole && !self.is_overlong {
                return true;
            }
            if is_whole || self.line.len() > LINE_BYTES_MAX {
                self.is_overlong = !is_whole;
                self.line.clear();
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.write.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let refused = refusing.await;
                self.refusing = None;
                refused.ok()?;
            }
            if !self.read_line().await {
                return None;
            }
            let line = self.line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.line);
            let read = serde_json::from_slice(line).map_err(|error| refusal(line, &error));
            self.line.clear();
            match read {
                Ok(message) => return Some(message),
                Err(Some(refusal)) => self.refusing = Some(Box::pin(self.write.send(refusal))),
                Err(None) => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.write.close().await
    }
}

/// The byte order mark, which some hosts write first.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The parts of a message that are needed to answer it.
#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<String>,
}

/// The parameters in their required form.
#[derive(Deserialize)]
struct WithObject {
    #[serde(rename = "params")]
    _params: Option<BTreeMap<String, IgnoredAny>>,
}

/// The answer to a line that is not a valid message; none if it is not JSON or is a notification.
pub(crate) fn refusal(line: &[u8], error: &serde_json::Error) -> Option<ServerJsonRpcMessage> {
    serde_json::from_slice::<IgnoredAny>(line).ok()?;
    let head = serde_json::from_slice::<Head>(line).unwrap_or(Head { id: None, method: None });
    let (has_object, is_call) =
        (serde_json::from_slice::<WithObject>(line).is_ok(), head.method.is_some());
    let error = match (&head.id, is_call) {
        (None, true) => return None,
        (Some(_), true) if !has_object => {
            ErrorData::invalid_params("params must be an object", None)
        }
        _ => ErrorData::invalid_request(format!("this is not a valid message: {error}"), None),
    };
    Some(ServerJsonRpcMessage::error(error, head.id))
}
