//! One connection: TLS, HTTP/1.1, and the patience of the server.
//!
//! A client that sends its request slowly, or does not read its answer, loses its connection and
//! never holds a thread.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::events::stopped;

/// How long a handshake may take.
const HANDSHAKE_WAIT: Duration = Duration::from_secs(10);
/// How long a client that was answered may still be silent before its connection is cut, and may
/// still send. One that sends its whole body before it reads would lose the answer otherwise.
const LINGER_WAITS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));
/// Largest head of a request, bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Most headers of a request.
const HEADERS_MAX: usize = 64;

/// How a connection is served.
#[derive(Clone)]
pub(super) struct Serving {
    pub(super) tls: Option<Arc<TlsAcceptor>>,
    pub(super) router: Router,
    pub(super) stopping: watch::Receiver<bool>,
    /// How long the head of a request may take, a connection may be idle, and a client may not
    /// read.
    pub(super) wait: Duration,
}

/// Serves a connection until it ends, or the server does and its last answer is sent.
pub(super) async fn serve(stream: TcpStream, serving: Serving) {
    // Answers are small: they need not wait for more.
    let _ = stream.set_nodelay(true);
    match serving.tls.clone() {
        None => converse(stream, serving).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(HANDSHAKE_WAIT, tls.accept(stream)).await {
                converse(stream, serving).await;
            }
        }
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S, serving: Serving) {
    let Serving { router, mut stopping, wait, .. } = serving;
    let stream = TokioIo::new(Patient { stream, wait, waiting: None, lingering: None });
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(wait)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX);
    let serving = protocol.serve_connection(stream, TowerToHyperService::new(router));
    tokio::pin!(serving);
    // A connection that breaks concerns nobody but its client.
    tokio::select! {
        _ = serving.as_mut() => return,
        () = stopped(&mut stopping) => {}
    }
    serving.as_mut().graceful_shutdown();
    let _ = serving.await;
}

/// A stream that fails when nothing can be written to it for long.
struct Patient<S> {
    stream: S,
    wait: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    lingering: Option<Lingering>,
}

/// What a client still sends is thrown away for a while.
struct Lingering {
    silence: Pin<Box<Sleep>>,
    end: Instant,
}

impl<S: AsyncRead + Unpin> Patient<S> {
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (silence, all) = LINGER_WAITS;
        let lingering = self.lingering.get_or_insert_with(|| Lingering {
            silence: Box::pin(sleep(silence)),
            end: Instant::now() + all,
        });
        let mut room = [0; 16 * 1024];
        loop {
            let mut piece = ReadBuf::new(&mut room);
            match Pin::new(&mut self.stream).poll_read(context, &mut piece) {
                Poll::Ready(Ok(())) if !piece.filled().is_empty() => {}
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return lingering.silence.as_mut().poll(context),
            }
            let now = Instant::now();
            if now >= lingering.end {
                return Poll::Ready(());
            }
            lingering.silence.as_mut().reset(now + silence);
        }
    }
}

impl<S: AsyncWrite + Unpin> Patient<S> {
    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let wait = self.wait;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(wait)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            let shut = Pin::new(&mut self.stream).poll_shutdown(context);
            match self.judge(context, shut) {
                Poll::Ready(Ok(())) => {}
                other => return other,
            }
        }
        self.poll_linger(context).map(Ok)
    }
}
