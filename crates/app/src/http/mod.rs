//! `because serve`: the memory over HTTP, for many agents and people at once.
//!
//! A request passes through these parts: [`connection`] reads it, with limits of size and time;
//! [`routes`] finds its endpoint; [`origin`], [`callers`] and [`rate`] decide whether it is
//! answered at all; [`body`] and [`json`] make a typed request of it; [`work`] runs the endpoint on
//! a thread, with a handle of [`spaces`]. The endpoints ([`endpoints`], [`verify`], [`import`],
//! [`events`]) call the same service as the command line and the tools for agents.
//!
//! Checks come in this order: `Host` and `Origin` (403), the address (404) and the method (405),
//! the access token (401), its rate (429), the content type (415), the size (413), JSON and its
//! fields (400), the right on the space (403), what the request names (404).
//!
//! Reading takes no lock and shares one index in memory. Everything here that waits is async,
//! everything that works is not.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use tokio::sync::{Semaphore, watch};

mod body;
mod callers;
mod clock;
mod connection;
mod endpoint;
mod endpoints;
mod error;
mod events;
mod import;
mod json;
mod log;
mod long;
mod mcp;
mod metrics;
mod openapi;
mod origin;
mod rate;
mod routes;
mod schema;
mod server;
mod spaces;
mod sse;
#[cfg(test)]
mod tests;
mod verify;
mod work;

use body::BodyLimits;
use callers::Callers;
use clock::Clock;
use error::ApiError;
use log::Log;
use metrics::Metrics;
use origin::Names;
use rate::RateLimit;
use spaces::Spaces;
use work::Workers;

use crate::failure::Failure;
use crate::service::Session;
use crate::service::tokens::Token;

pub(crate) use rate::A_MINUTE_DEFAULT;

/// How a server is to be run.
pub(crate) struct Options {
    /// Where it listens; port 0 is any free one.
    pub(crate) listen: SocketAddr,
    /// Names by which requests may call it, besides its address and loopback.
    pub(crate) allowed_hosts: Vec<String>,
    /// Requests a minute for each token; none for no limit.
    pub(crate) a_minute: Option<u32>,
    /// How long a client may take to send a request, and may not read the answer.
    pub(crate) client_wait: Duration,
    /// The certificate and the key, for https.
    pub(crate) tls: Option<TlsFiles>,
}

/// Files in PEM.
pub(crate) struct TlsFiles {
    /// The certificates, the server's own first.
    pub(crate) certificates: PathBuf,
    /// The private key.
    pub(crate) key: PathBuf,
}

/// Where a server listens.
pub(crate) struct Listening {
    /// The address.
    pub(crate) address: SocketAddr,
    /// `http` or `https`.
    pub(crate) scheme: &'static str,
}

/// Serves until the process is asked to end. `announce` is called once requests are accepted.
pub(crate) fn serve(
    session: Session,
    options: &Options,
    announce: impl FnOnce(&Listening) -> Result<(), Failure>,
) -> Result<(), Failure> {
    server::serve(session, options, announce)
}

/// What all requests share.
struct App {
    /// The session; each request has its own time.
    session: Session,
    clock: Clock,
    spaces: Spaces,
    callers: Callers,
    names: Names,
    rate: RateLimit,
    /// How long a client may take to send a request, and may not read the answer.
    client_wait: Duration,
    /// The sessions of agents at `/mcp`.
    sessions: mcp::Sessions,
    workers: Workers,
    /// Places for streams of events.
    streams: Arc<Semaphore>,
    metrics: Metrics,
    log: Log,
    /// True when the server ends.
    stopping: watch::Receiver<bool>,
    /// The OpenAPI document, made when it is first asked for.
    document: OnceLock<String>,
}

impl App {
    /// The limits of a body of at most so many bytes.
    fn body_limits(&self, bytes_max: u64) -> BodyLimits {
        BodyLimits { bytes_max, wait: self.client_wait }
    }

    /// The token of a request, if it may make one now.
    fn admit(&self, headers: &HeaderMap) -> Result<Arc<Token>, ApiError> {
        let token = self.callers.of(headers)?;
        match self.rate.take(&token.id, Instant::now()) {
            Ok(()) => Ok(token),
            Err(wait) => {
                let status = axum::http::StatusCode::TOO_MANY_REQUESTS;
                let message = "the token made too many requests; wait a moment";
                Err(ApiError::new(status, "RATE_LIMITED", message).retrying_after(wait).closing())
            }
        }
    }
}
