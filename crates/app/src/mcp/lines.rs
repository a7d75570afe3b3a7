//! Reading what a host writes: a message a line, and an answer to what cannot be read.
//!
//! The SDK would pass over a message that is nested too deep for it, and answer others that it
//! cannot read without saying which was meant, so that a host would wait for ever. Here the id is
//! looked for by itself, at whatever place and however deep the rest is; reading it takes no more
//! memory than the line. What is no JSON at all is passed over, as in the other SDKs, and so is
//! what nobody waits for: a notification.

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

/// Longest message, bytes; longer ones are passed over.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A refusal on its way.
type Refusing = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

/// Messages line by line.
pub(super) struct Lines<R, W: AsyncWrite> {
    read: BufReader<R>,
    /// The SDK's half that writes.
    write: AsyncRwTransport<RoleServer, Empty, W>,
    /// What was read of a line. It is kept here, since a read may be given up half-way and taken up
    /// again.
    line: Vec<u8>,
    /// The line was too long already; the rest of it is passed over.
    is_overlong: bool,
    /// Nothing more is read until it is written, so that a host that does not read cannot pile them
    /// up.
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
    /// Reads to the end of a line; false at the end of all, where an unfinished line is lost.
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

/// Some hosts begin with it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What of a message is needed to answer it.
#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<String>,
}

/// Parameters as they must be.
#[derive(Deserialize)]
struct WithObject {
    #[serde(rename = "params")]
    _params: Option<BTreeMap<String, IgnoredAny>>,
}

/// What to answer to a line that is no message; nothing to what is no JSON or a notification.
fn refusal(line: &[u8], error: &serde_json::Error) -> Option<ServerJsonRpcMessage> {
    serde_json::from_slice::<IgnoredAny>(line).ok()?;
    let head = serde_json::from_slice::<Head>(line).unwrap_or(Head { id: None, method: None });
    let (has_object, is_call) =
        (serde_json::from_slice::<WithObject>(line).is_ok(), head.method.is_some());
    let error = match (&head.id, is_call) {
        (None, true) => return None,
        (Some(_), true) if !has_object => ErrorData::invalid_params("params are an object", None),
        _ => ErrorData::invalid_request(format!("this is no message: {error}"), None),
    };
    Some(ServerJsonRpcMessage::error(error, head.id))
}
