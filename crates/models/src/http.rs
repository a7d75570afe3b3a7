//! The way out of the machine: HTTP with limits.
//!
//! Nothing is waited for without an end and nothing is read without a limit. A redirect is either
//! refused or followed without the key, so that a server cannot send the key on to another. What is
//! on this machine is asked directly; for the rest the proxies count that the environment names, as
//! `ureq` reads them.

use std::io::Read;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use ureq::config::{ConfigBuilder, RedirectAuthHeaders};
use ureq::http::{HeaderMap, Uri};
use ureq::typestate::AgentScope;

use crate::roots::Roots;

/// Longest wait for a connection.
const CONNECT_S_MAX: u64 = 10;
/// Longest silence in the middle of a download.
const SILENCE_S_MAX: u64 = 60;
/// Most redirects that are followed where they are followed at all.
const REDIRECTS_MAX: u32 = 5;
/// Shortest time that an answer gets, however late it is: none at all would be an error of its own.
const ANSWER_TIME_MIN: Duration = Duration::from_millis(1);
/// Longest address.
const ADDRESS_CHARS_MAX: usize = 2048;

/// Where a server is: `http://` or `https://`, a host, perhaps a path; no `/` at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    text: String,
    is_https: bool,
    is_here: bool,
}

impl Base {
    /// Parses an address. What is wrong with it is said without repeating it, since it may hold a
    /// password.
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
        let host = uri.host().filter(|host| !host.is_empty()).ok_or("the address names no host")?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(
                "the address holds a user or a password; give the key by a variable or a file",
            );
        }
        if uri.query().is_some() || text.contains('#') {
            return Err("the address may not have a query or a fragment");
        }
        Ok(Self { text: text.to_owned(), is_https, is_here: is_this_machine(host) })
    }

    /// The address of something below it.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.text)
    }

    /// The address.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// True if what is sent there can be read on the way.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_https && !self.is_here
    }
}

fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum HttpError {
    /// No connection, or it broke.
    Unreachable(String),
    /// Not in time.
    TimedOut(Duration),
    /// What came is no HTTP.
    NotHttp(String),
    /// More came than is read.
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

/// An answer that was read to its end.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// An answer of which the body is still to come.
pub(crate) struct Stream {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ureq::BodyReader<'static>,
}

/// A header of an answer, as text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Asks one server.
pub(crate) struct Client {
    agent: ureq::Agent,
    waited: Duration,
    /// When the last answer must be there, however much is asked.
    until: Option<Instant>,
}

impl Client {
    /// For questions with short answers, each complete within `whole` and all by `until`. Redirects
    /// come back as they are.
    pub(crate) fn for_questions(
        base: &Base,
        roots: Option<&Roots>,
        whole: Duration,
        until: Option<Instant>,
    ) -> Self {
        let config = config(base, roots)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(whole.min(Duration::from_secs(CONNECT_S_MAX))))
            .timeout_global(Some(whole));
        Self { agent: config.build().new_agent(), waited: whole, until }
    }

    /// The same for one list, but redirects are followed as for downloads.
    pub(crate) fn for_lists(base: &Base, roots: Option<&Roots>, whole: Duration) -> Self {
        let config = config(base, roots)
            .timeout_connect(Some(whole.min(Duration::from_secs(CONNECT_S_MAX))))
            .timeout_global(Some(whole));
        Self { agent: config.build().new_agent(), waited: whole, until: None }
    }

    /// For downloads, which may last as long as something comes. Redirects are followed, without
    /// the key, and from https to https only.
    pub(crate) fn for_downloads(base: &Base, roots: Option<&Roots>) -> Self {
        let silence = Duration::from_secs(SILENCE_S_MAX);
        let config = config(base, roots)
            .timeout_connect(Some(Duration::from_secs(CONNECT_S_MAX)))
            .timeout_recv_response(Some(silence))
            .timeout_per_read(Some(silence));
        Self { agent: config.build().new_agent(), waited: silence, until: None }
    }

    /// Sends JSON and reads the answer, whatever its status.
    pub(crate) fn post(
        &self,
        address: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        bytes_max: u64,
    ) -> Result<Answer, HttpError> {
        let mut request = self.agent.post(address).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.read(self.in_time(request).send(body), bytes_max)
    }

    /// Asks for something and reads it, whatever its status.
    pub(crate) fn get(
        &self,
        address: &str,
        headers: &[(&str, &str)],
        bytes_max: u64,
    ) -> Result<Answer, HttpError> {
        self.read(self.send(address, headers), bytes_max)
    }

    /// Asks for something and lets the caller read it.
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

    /// What an error while reading a [`Stream`] means.
    pub(crate) fn reading_trouble(&self, error: std::io::Error) -> HttpError {
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
        self.in_time(request).call()
    }

    fn in_time<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        let Some(until) = self.until else { return request };
        let left =
            until.saturating_duration_since(Instant::now()).min(self.waited).max(ANSWER_TIME_MIN);
        request.config().timeout_global(Some(left)).build()
    }

    fn read(
        &self,
        response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
        bytes_max: u64,
    ) -> Result<Answer, HttpError> {
        let (parts, body) = response.map_err(|error| self.error(error))?.into_parts();
        let mut bytes = Vec::new();
        let mut reader = body.into_reader().take(bytes_max.saturating_add(1));
        reader.read_to_end(&mut bytes).map_err(|error| self.reading_trouble(error))?;
        if bytes.len() as u64 > bytes_max {
            return Err(HttpError::TooLong(bytes_max));
        }
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body: bytes })
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
                HttpError::NotHttp(format!("no HTTP: {error}"))
            }
            error => HttpError::Unreachable(error.to_string()),
        }
    }
}

/// What holds for every question.
fn config(base: &Base, roots: Option<&Roots>) -> ConfigBuilder<AgentScope> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .user_agent(concat!("because/", env!("CARGO_PKG_VERSION")))
        .https_only(base.is_https)
        .max_redirects(REDIRECTS_MAX)
        .redirect_auth_headers(RedirectAuthHeaders::Never);
    let config = if base.is_here { config.proxy(None) } else { config };
    match roots {
        Some(roots) => config.tls_config(roots.tls()),
        None => config,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_and_perhaps_a_path() {
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
    fn only_plain_http_to_another_machine_can_be_read_on_the_way() {
        for here in [
            "http://127.0.0.1:11434",
            "http://localhost",
            "http://[::1]:80/x",
            "http://a.localhost",
            "http://127.9.9.9",
        ] {
            assert!(!Base::parse(here).unwrap().is_open(), "{here}");
        }
        assert!(!Base::parse("https://example.com").unwrap().is_open());
        for open in
            ["http://192.168.1.2", "http://localhost.example.com", "http://127.0.0.1.example.com"]
        {
            assert!(Base::parse(open).unwrap().is_open(), "{open}");
        }
    }
}
