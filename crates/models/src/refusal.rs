//! Why a service gives no answer: what responses that are not successful mean.

use std::time::Duration;

use serde_json::Value;
use ureq::http::HeaderMap;

use crate::embedder::EmbedError;
use crate::http::{HttpError, Response, header};
use crate::secret::Secret;

/// Longest message of a server in an error, in characters.
const MESSAGE_CHARS_MAX: usize = 300;
/// Longest delay that a server can ask for.
const RETRY_S_MAX: u64 = 24 * 60 * 60;

/// Why a service gives no answer. Callers add the provider's name.
#[derive(Debug)]
pub(crate) enum ServiceError {
    /// No server answers at the address.
    Unreachable { detail: String },
    /// The response did not arrive in time.
    TimedOut { waited: Duration },
    /// The rate limit is exceeded; a later retry may succeed.
    RateLimited { after: Option<Duration> },
    /// The service failed; a later retry may succeed.
    Failed { detail: String, after: Option<Duration> },
    /// The service rejects the request; a retry does not help.
    Refused { detail: String },
    /// The response violates the protocol.
    Unreadable { detail: String },
}

impl ServiceError {
    /// The error of an embedding service.
    pub(crate) fn of_embedder(self, provider: String) -> EmbedError {
        match self {
            Self::Unreachable { detail } => EmbedError::Unreachable { provider, detail },
            Self::TimedOut { waited } => EmbedError::TimedOut { provider, waited },
            Self::RateLimited { after } => EmbedError::RateLimited { provider, after },
            Self::Failed { detail, after } => EmbedError::Failed { provider, detail, after },
            Self::Refused { detail } => EmbedError::Refused { provider, detail },
            Self::Unreadable { detail } => EmbedError::Unreadable { provider, detail },
        }
    }
}

impl From<HttpError> for ServiceError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Unreachable(detail) => Self::Unreachable { detail },
            HttpError::TimedOut(waited) => Self::TimedOut { waited },
            error @ (HttpError::NotHttp(_) | HttpError::TooLong(_)) => {
                Self::Unreadable { detail: error.to_string() }
            }
        }
    }
}

/// The error for a response whose status is not 200.
pub(crate) fn refusal(answer: &Response, key: Option<&Secret>) -> ServiceError {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let said = message(&body)
        .map_or_else(|| String::from_utf8_lossy(&answer.body).into_owned(), str::to_owned);
    let said = key.map_or_else(|| said.clone(), |key| key.hide_in(&said));
    let detail = match sanitize(&said) {
        said if said.is_empty() => format!("HTTP {}", answer.status),
        said => format!("{said} (HTTP {})", answer.status),
    };
    match answer.status {
        // The account is out of credit: waiting does not help.
        429 if is_out_of_quota(&body) => ServiceError::Refused { detail },
        429 => {
            let after = retry_after(&answer.headers).or_else(|| retry_delay(&body));
            ServiceError::RateLimited { after }
        }
        408 | 425 | 500..=599 => {
            ServiceError::Failed { detail, after: retry_after(&answer.headers) }
        }
        300..=399 => {
            let target = header(&answer.headers, "location").map(sanitize).unwrap_or_default();
            let detail =
                format!("it redirects to {target}, which is not followed (HTTP {})", answer.status);
            ServiceError::Refused { detail }
        }
        400..=499 => ServiceError::Refused { detail },
        _ => ServiceError::Unreadable { detail },
    }
}

/// The text on one line, truncated, and without terminal control characters.
pub(crate) fn sanitize(text: &str) -> String {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join(" ");
    if text.chars().count() <= MESSAGE_CHARS_MAX {
        return text;
    }
    text.chars().take(MESSAGE_CHARS_MAX).collect::<String>() + " …"
}

/// The message in a response: `{"error": {"message"}}`, `{"error"}`, `{"message"}`, `{"detail"}`.
pub(crate) fn message(body: &Value) -> Option<&str> {
    let error = &body["error"];
    [&error["message"], error, &body["message"], &body["detail"]]
        .into_iter()
        .find_map(Value::as_str)
}

fn is_out_of_quota(body: &Value) -> bool {
    let error = &body["error"];
    [&error["code"], &error["type"]].into_iter().any(|code| code == "insufficient_quota")
}

/// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date, relative to the server's own `Date`.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = header(headers, "retry-after")?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => {
            let now = http_date(header(headers, "date")?)?;
            let then = http_date(text)?;
            u64::try_from(then.as_second().saturating_sub(now.as_second())).unwrap_or(0)
        }
    };
    Some(Duration::from_secs(seconds.min(RETRY_S_MAX)))
}

fn http_date(text: &str) -> Option<jiff::Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

/// Gemini sends the delay in the body: `"retryDelay": "34s"`.
fn retry_delay(body: &Value) -> Option<Duration> {
    let details = body["error"]["details"].as_array()?;
    let text = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    let seconds = seconds.ceil().clamp(0.0, RETRY_S_MAX as f64);
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, headers: &[(&str, &str)], body: &str, expect: &str) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: ureq::http::HeaderName = name.parse().unwrap();
            map.insert(name, value.parse().unwrap());
        }
        let answer = Response { status, headers: map, body: body.into() };
        let key = Secret::parse("sk-secret").unwrap();
        let error = refusal(&answer, Some(&key)).of_embedder("openai".to_owned());
        let after = match &error {
            EmbedError::RateLimited { after, .. } => format!(" after {after:?}"),
            EmbedError::Failed { after: Some(after), .. } => format!(" after {after:?}"),
            _ => String::new(),
        };
        assert_eq!(format!("{error}{after}"), expect);
    }

    #[test]
    fn errors_repeat_the_servers_message_without_the_key() {
        check(
            401,
            &[],
            r#"{"error":{"message":"Wrong key sk-secret\u001b[2J!"}}"#,
            "openai refuses: Wrong key [key] [2J! (HTTP 401)",
        );
        check(
            404,
            &[],
            r#"{"error":"model \"x\" not found"}"#,
            "openai refuses: model \"x\" not found (HTTP 404)",
        );
        check(400, &[], "", "openai refuses: HTTP 400");
        check(503, &[], "<h1>busy</h1>", "openai failed: <h1>busy</h1> (HTTP 503)");
        check(204, &[], "", "openai sent an invalid response: HTTP 204");
        let long = "é".repeat(1000);
        check(
            400,
            &[],
            &long,
            &format!("openai refuses: {} … (HTTP 400)", "é".repeat(MESSAGE_CHARS_MAX)),
        );
        check(
            307,
            &[("location", "https://evil.example/")],
            "",
            "openai refuses: it redirects to https://evil.example/, which is not followed (HTTP 307)",
        );
    }

    #[test]
    fn the_retry_delay_is_read_in_seconds_as_a_date_or_from_the_body() {
        let limited = |after: &str| format!("openai asks for fewer requests after {after}");
        check(429, &[("retry-after", "7")], "", &limited("Some(7s)"));
        check(429, &[("retry-after", "99999999999")], "", &limited("Some(86400s)"));
        check(429, &[("retry-after", "-7")], "", &limited("None"));
        check(429, &[], "", &limited("None"));
        check(503, &[("retry-after", "7")], "", "openai failed: HTTP 503 after 7s");
        check(500, &[("retry-after", "99999999999")], "", "openai failed: HTTP 500 after 86400s");
        check(502, &[("retry-after", "soon")], "", "openai failed: HTTP 502");
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        check(
            429,
            &[date, ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")],
            "",
            &limited("Some(30s)"),
        );
        check(
            429,
            &[date, ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")],
            "",
            &limited("Some(0ns)"),
        );
        check(429, &[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], "", &limited("None"));
        check(
            429,
            &[],
            r#"{"error":{"details":[{},{"retryDelay":"33.2s"}]}}"#,
            &limited("Some(34s)"),
        );
        check(429, &[], r#"{"error":{"details":[{"retryDelay":"NaNs"}]}}"#, &limited("None"));
        check(
            429,
            &[],
            r#"{"error":{"message":"no credit","code":"insufficient_quota"}}"#,
            "openai refuses: no credit (HTTP 429)",
        );
    }
}
