//! An HTTP client with limits.
//!
//! Every wait has a timeout and every body a size limit. A redirect is either refused or followed
//! without the key, so that a server cannot forward the key to another one. Servers on this machine
//! are contacted directly; for all others, `ureq` uses the proxies in the environment.

use std::io::Read;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use ureq::config::{ConfigBuilder, RedirectAuthHeaders};
use ureq::http::{HeaderMap, Uri};
use ureq::typestate::AgentScope;

use crate::roots::Roots;
use crate::secret::Secret;

/// Longest wait for a connection.
const CONNECT_S_MAX: u64 = 10;
/// Longest silence in the middle of a download.
const SILENCE_S_MAX: u64 = 60;
/// Most redirects that are followed, if any are.
const REDIRECTS_MAX: u32 = 5;
/// Shortest timeout of a request after the deadline: zero would be a different error.
const TIMEOUT_MIN: Duration = Duration::from_millis(1);
/// Longest address.
const ADDRESS_CHARS_MAX: usize = 2048;

/// The base address of a server: `http://` or `https://`, a host, optionally a path; without a
/// trailing `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    text: String,
    is_https: bool,
    is_local: bool,
}

impl Base {
    /// Parses an address. The error does not repeat the address, because it may hold a password.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim().trim_end_matches('/');
        if text.len() > ADDRESS_CHARS_MAX {
            return Err("the address is too long");
        }
        let uri: Uri = text.parse().map_err(|_| "the address is not a URL")?;
        let is_https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("the address must begin with https:// or http://"),
        };
        let host = uri.host().filter(|host| !host.is_empty()).ok_or("the address has no host")?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(
                "the address contains a user or a password; provide the key in a variable or a file",
            );
        }
        if uri.query().is_some() || text.contains('#') {
            return Err("the address may not have a query or a fragment");
        }
        Ok(Self { text: text.to_owned(), is_https, is_local: is_this_machine(host) })
    }

    /// The address of a path below it.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.text)
    }

    /// The address.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// True if what is sent there can be read on the way.
    pub(crate) fn is_unencrypted(&self) -> bool {
        !self.is_https && !self.is_local
    }
}

fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The address of a service, as it is configured and as it is by default.
pub(crate) struct ServiceAddress<'a> {
    /// The configured address.
    pub(crate) base_url: Option<&'a str>,
    /// The service's own address; none if it must be configured.
    pub(crate) default_base_url: Option<&'a str>,
    /// The usual variable of the key that the own address requires; none if it requires none.
    pub(crate) key_variable: Option<&'a str>,
}

impl ServiceAddress<'_> {
    /// The address at which the key may be sent, or why it may not.
    pub(crate) fn base(&self, key: Option<&Secret>) -> Result<Base, String> {
        let text = self.base_url.or(self.default_base_url).ok_or("set base_url, its address")?;
        let base = Base::parse(text)?;
        if key.is_some() && base.is_unencrypted() {
            return Err("a key is only sent over https, or to this machine, because http is not \
                        encrypted"
                .to_owned());
        }
        match (key, self.key_variable) {
            (None, Some(variable)) if self.default_base_url == Some(base.as_str()) => {
                Err(format!("it requires a key: set {variable}"))
            }
            _ => Ok(base),
        }
    }
}

/// Why there is no response.
#[derive(Debug)]
pub(crate) enum HttpError {
    /// No connection, or it was closed.
    Unreachable(String),
    /// The timeout expired.
    TimedOut(Duration),
    /// The response is not HTTP.
    NotHttp(String),
    /// The body exceeds the limit in bytes.
    TooLong(u64),
}

impl std::fmt::Display for HttpError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreachable(detail) | Self::NotHttp(detail) => formatter.write_str(detail),
            Self::TimedOut(waited) => write!(formatter, "no answer within {} s", waited.as_secs()),
            Self::TooLong(bytes_max) => {
                write!(formatter, "the answer is longer than {bytes_max} bytes")
            }
        }
    }
}

/// A response with its whole body.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// A response whose body is not read yet.
pub(crate) struct Stream {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ureq::BodyReader<'static>,
}

/// A header of a response, as text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A client for one server.
pub(crate) struct Client {
    agent: ureq::Agent,
    waited: Duration,
    /// The deadline for all requests together.
    deadline: Option<Instant>,
}

impl Client {
    /// For requests with short responses, each complete within `timeout` and all by `deadline`.
    /// Redirects are returned, not followed.
    pub(crate) fn for_requests(
        base: &Base,
        roots: Option<&Roots>,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Self {
        let config = config(base, roots)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(timeout.min(Duration::from_secs(CONNECT_S_MAX))))
            .timeout_global(Some(timeout));
        Self { agent: config.build().new_agent(), waited: timeout, deadline }
    }

    /// The same for one list, but redirects are followed as in downloads.
    pub(crate) fn for_lists(base: &Base, roots: Option<&Roots>, timeout: Duration) -> Self {
        let config = config(base, roots)
            .timeout_connect(Some(timeout.min(Duration::from_secs(CONNECT_S_MAX))))
            .timeout_global(Some(timeout));
        Self { agent: config.build().new_agent(), waited: timeout, deadline: None }
    }

    /// For downloads, which may last as long as data keeps arriving. Redirects are followed without
    /// the key, and from https to https only.
    pub(crate) fn for_downloads(base: &Base, roots: Option<&Roots>) -> Self {
        let silence = Duration::from_secs(SILENCE_S_MAX);
        let config = config(base, roots)
            .timeout_connect(Some(Duration::from_secs(CONNECT_S_MAX)))
            .timeout_recv_response(Some(silence))
            .timeout_per_read(Some(silence));
        Self { agent: config.build().new_agent(), waited: silence, deadline: None }
    }

    /// Sends JSON and reads the response, whatever its status.
    pub(crate) fn post(
        &self,
        address: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        bytes_max: u64,
    ) -> Result<Response, HttpError> {
        let request = self.post_request(address, headers);
        self.read(self.with_deadline(request, self.deadline).send(body), bytes_max)
    }

    /// The same, complete by a deadline of its own.
    pub(crate) fn post_by(
        &self,
        deadline: Instant,
        address: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        bytes_max: u64,
    ) -> Result<Response, HttpError> {
        let request = self.post_request(address, headers);
        self.read(self.with_deadline(request, Some(deadline)).send(body), bytes_max)
    }

    fn post_request(
        &self,
        address: &str,
        headers: &[(&str, &str)],
    ) -> ureq::RequestBuilder<ureq::typestate::WithBody> {
        let request = self.agent.post(address).header("content-type", "application/json");
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    }

    /// Sends a GET request and reads the response, whatever its status.
    pub(crate) fn get(
        &self,
        address: &str,
        headers: &[(&str, &str)],
        bytes_max: u64,
    ) -> Result<Response, HttpError> {
        self.read(self.send(address, headers), bytes_max)
    }

    /// Sends a GET request and lets the caller read the body.
    pub(crate) fn stream(
        &self,
        address: &str,
        headers: &[(&str, &str)],
    ) -> Result<Stream, HttpError> {
        let (parts, body) =
            self.send(address, headers).map_err(|error| self.error(error))?.into_parts();
        Ok(Stream {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.into_reader(),
        })
    }

    /// Converts an error while reading a [`Stream`].
    pub(crate) fn read_error(&self, error: std::io::Error) -> HttpError {
        self.error(ureq::Error::from(error))
    }

    fn send(
        &self,
        address: &str,
        headers: &[(&str, &str)],
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        let mut request = self.agent.get(address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.with_deadline(request, self.deadline).call()
    }

    fn with_deadline<B>(
        &self,
        request: ureq::RequestBuilder<B>,
        deadline: Option<Instant>,
    ) -> ureq::RequestBuilder<B> {
        let Some(deadline) = deadline else { return request };
        let left =
            deadline.saturating_duration_since(Instant::now()).min(self.waited).max(TIMEOUT_MIN);
        request.config().timeout_global(Some(left)).build()
    }

    fn read(
        &self,
        response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
        bytes_max: u64,
    ) -> Result<Response, HttpError> {
        let (parts, body) = response.map_err(|error| self.error(error))?.into_parts();
        let mut bytes = Vec::new();
        let mut reader = body.into_reader().take(bytes_max.saturating_add(1));
        reader.read_to_end(&mut bytes).map_err(|error| self.read_error(error))?;
        if bytes.len() as u64 > bytes_max {
            return Err(HttpError::TooLong(bytes_max));
        }
        Ok(Response { status: parts.status.as_u16(), headers: parts.headers, body: bytes })
    }

    fn error(&self, error: ureq::Error) -> HttpError {
        use std::io::ErrorKind;
        match error {
            ureq::Error::Timeout(_) => HttpError::TimedOut(self.waited),
            ureq::Error::Io(error)
                if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) =>
            {
                HttpError::TimedOut(self.waited)
            }
            ureq::Error::Io(error) => HttpError::Unreachable(error.to_string()),
            ureq::Error::HostNotFound => {
                HttpError::Unreachable("no such host, or no network".to_owned())
            }
            ureq::Error::Protocol(_)
            | ureq::Error::Http(_)
            | ureq::Error::LargeResponseHeader(..) => {
                HttpError::NotHttp(format!("not HTTP: {error}"))
            }
            error => HttpError::Unreachable(error.to_string()),
        }
    }
}

/// The configuration that all clients share.
fn config(base: &Base, roots: Option<&Roots>) -> ConfigBuilder<AgentScope> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .user_agent(concat!("because/", env!("CARGO_PKG_VERSION")))
        .https_only(base.is_https)
        .max_redirects(REDIRECTS_MAX)
        .redirect_auth_headers(RedirectAuthHeaders::Never);
    let config = if base.is_local { config.proxy(None) } else { config };
    match roots {
        Some(roots) => config.tls_config(roots.tls()),
        None => config,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_and_an_optional_path() {
        assert_eq!(
            Base::parse("https://api.example.com/v1/").unwrap().at("embeddings"),
            "https://api.example.com/v1/embeddings"
        );
        for bad in [
            "",
            "api.example.com",
            "ftp://example.com",
            "https://",
            "https://user:pass@example.com",
            "https://example.com/?key=1",
            "https://example.com/#a",
            "https://exa mple.com",
            &format!("https://{}.com", "a".repeat(ADDRESS_CHARS_MAX)),
        ] {
            assert!(Base::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_plain_http_to_another_machine_is_unencrypted() {
        for here in [
            "http://127.0.0.1:11434",
            "http://localhost",
            "http://[::1]:80/x",
            "http://a.localhost",
            "http://127.9.9.9",
        ] {
            assert!(!Base::parse(here).unwrap().is_unencrypted(), "{here}");
        }
        assert!(!Base::parse("https://example.com").unwrap().is_unencrypted());
        for open in
            ["http://192.168.1.2", "http://localhost.example.com", "http://127.0.0.1.example.com"]
        {
            assert!(Base::parse(open).unwrap().is_unencrypted(), "{open}");
        }
    }
}
