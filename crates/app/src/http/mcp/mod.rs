//! `/mcp`: the tools for agents, by the streamable HTTP transport of the Model Context Protocol.
//!
//! The SDK speaks the protocol, one request at a time and without state. What lies before it is
//! ours: the token, its rate and its space, limits of size and time, strict JSON, and sessions.
//! [`calls`] answers the calls with the memory that `because mcp` has, over the server's own
//! handles and threads.
//!
//! A session ([`sessions`]) is what a client gets at `initialize` in versions of the protocol that
//! have sessions. The server keeps no more for it than what its conversations were shown, so a
//! request without a session is served too.
//!
//! Every answer is one JSON object. The server sends no requests and notifications of its own, so
//! it offers no stream: GET is answered by 405, as the protocol provides.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::model::{ClientJsonRpcMessage, ProtocolVersion};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::{Value, json};

use super::App;
use super::error::ApiError;
use super::{body, json as strict};
use crate::mcp::{Server, refusal};
use crate::service::tokens::{Right, Token};
use calls::{Origin, TokenCalls};
pub(super) use sessions::Sessions;

mod calls;
mod sessions;

/// The address.
pub(super) const PATH: &str = "/mcp";
/// Largest message, bytes: that of the transport by standard input.
const BODY_BYTES_MAX: u64 = 16 << 20;
/// Names the session of a request.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// Names the version of the protocol.
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The types of answers that a client has to accept.
const ACCEPTED: [&str; 2] = ["application/json", "text/event-stream"];

/// The SDK's side of the address.
pub(super) type Protocol = StreamableHttpService<Server<TokenCalls>, NeverSessionManager>;

/// The SDK's side, for the router.
pub(super) fn protocol(app: &Arc<App>) -> Protocol {
    let app = Arc::clone(app);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(usize::try_from(BODY_BYTES_MAX).unwrap_or(usize::MAX))
        // Checked before, with the names of this server.
        .disable_allowed_hosts();
    let make = move || Ok(Server::new(TokenCalls::new(Arc::clone(&app))));
    StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config)
}

/// What the address may say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    /// The space; the token's own by default.
    space: Option<String>,
}

impl Query {
    fn of(request: &Request) -> Result<Self, ApiError> {
        let schema = json!({ "properties": { "space": { "type": "string" } } });
        strict::typed(strict::from_query(request.uri().query().unwrap_or_default(), &schema)?)
    }
}

/// Ends a session.
pub(super) async fn end(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, ApiError> {
    let token = app.admit(request.headers())?;
    let id = session_of(request.headers())?;
    let id = id.ok_or_else(|| ApiError::validation("the header Mcp-Session-Id is missing"))?;
    match app.sessions.end(id, &token.id) {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(no_session()),
    }
}

/// Answers a message.
pub(super) async fn answer(
    app: Arc<App>,
    protocol: Protocol,
    request: Request,
) -> Result<Response, ApiError> {
    let token = app.admit(request.headers())?;
    let Query { space } = Query::of(&request)?;
    let site = app.site_for(&token, space.as_deref(), Right::Read)?;
    check_accept(request.headers())?;
    check_version(request.headers())?;
    let session = session_of(request.headers())?.map(str::to_owned);
    let request_id = super::routes::id_of(&request);
    let (mut parts, body) = request.into_parts();
    let message = body::json_of(&parts.headers, body, app.body_limits(BODY_BYTES_MAX)).await?;
    if message.is_array() {
        return Err(ApiError::validation("a body holds one message; batches are not offered"));
    }
    if let Some(id) = &session
        && !app.sessions.touch(id, &token.id, Instant::now())
    {
        return Err(no_session());
    }
    if let Some(refused) = refused(&message) {
        return Ok(refused);
    }
    let begins = message.get("method").is_some_and(|method| method == "initialize");
    let origin = Origin { token: Arc::clone(&token), site, session, request_id };
    parts.extensions.insert(origin);
    let bytes = message.to_string();
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    let answered = protocol.handle(Request::from_parts(parts, Body::from(bytes))).await;
    let answered = answered.map(Body::new);
    if answered.status().is_success() {
        return match begins {
            true => begun(&app, &token, answered).await,
            false => Ok(answered),
        };
    }
    in_form(answered, app.client_wait).await
}

/// Refuses a client that would not understand the answer. The protocol asks for both types.
fn check_accept(headers: &HeaderMap) -> Result<(), ApiError> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let accepted: Vec<String> = values
        .flat_map(|value| value.split(','))
        .filter_map(|range| {
            let (media_type, parameters) = range.split_once(';').unwrap_or((range, ""));
            let weight = parameters.split(';').find_map(|one| one.trim().strip_prefix("q="));
            let is_excluded =
                weight.and_then(|weight| weight.trim().parse::<f32>().ok()) == Some(0.0);
            (!is_excluded).then(|| media_type.trim().to_ascii_lowercase())
        })
        .collect();
    match ACCEPTED.iter().all(|wanted| accepted.iter().any(|accepted| accepted == wanted)) {
        true => Ok(()),
        false => {
            let message = "Accept must name application/json and text/event-stream";
            Err(ApiError::new(StatusCode::NOT_ACCEPTABLE, "NOT_ACCEPTABLE", message).closing())
        }
    }
}

/// Refuses a version of the protocol that nobody knows.
fn check_version(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut given = headers.get_all(PROTOCOL_VERSION).iter();
    let (Some(version), second) = (given.next(), given.next()) else { return Ok(()) };
    let is_known = |version: &HeaderValue| {
        ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| version == known.as_str())
    };
    match is_known(version) && second.is_none() {
        true => Ok(()),
        false => {
            let known: Vec<&str> =
                ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
            let message = format!("MCP-Protocol-Version must be one of {}", known.join(", "));
            Err(ApiError::validation(message).closing())
        }
    }
}

/// The session that a request names.
fn session_of(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut given = headers.get_all(SESSION_ID).iter();
    let (first, second) = (given.next(), given.next());
    match (first.map(HeaderValue::to_str).transpose(), second) {
        (Ok(id), None) => Ok(id),
        // What is not text names no session.
        _ => Err(no_session()),
    }
}

/// The same for a session that never was, one that ended, and one of another token.
fn no_session() -> ApiError {
    let message = "this session does not exist (any more); begin one with `initialize`";
    ApiError::new(StatusCode::NOT_FOUND, "SESSION_NOT_FOUND", message)
}

/// The answer to JSON that is not a message of the protocol; none if it is one.
fn refused(message: &Value) -> Option<Response> {
    let error = ClientJsonRpcMessage::deserialize(message).err()?;
    let refused = refusal(message.to_string().as_bytes(), &error);
    let body = match refused.map(serde_json::to_value) {
        Some(Ok(body)) => body,
        // Also a notification is answered here: its sender waits for the status.
        _ => json!({ "jsonrpc": "2.0", "id": null, "error": {
            "code": -32600, "message": format!("this is not a valid message: {error}"),
        }}),
    };
    Some((StatusCode::BAD_REQUEST, strict::response(&body)).into_response())
}

/// The answer to `initialize`, with a session if the client is let in.
async fn begun(app: &App, token: &Token, answered: Response) -> Result<Response, ApiError> {
    let (mut parts, body) = answered.into_parts();
    let bytes = whole(body, app.client_wait).await?;
    let answer: Value = serde_json::from_slice(&bytes)?;
    if answer.get("result").is_some() {
        let id = app.sessions.begin(&token.id, Instant::now())?;
        let id = HeaderValue::from_str(&id).map_err(|error| ApiError::internal(error.to_string()));
        parts.headers.insert(SESSION_ID, id?);
    }
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

/// A refusal of the SDK, in the form of this interface unless it is a message of the protocol.
async fn in_form(answered: Response, wait: Duration) -> Result<Response, ApiError> {
    let (parts, body) = answered.into_parts();
    let bytes = whole(body, wait).await?;
    let kind = parts.headers.get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind == "application/json") {
        return Ok(Response::from_parts(parts, Body::from(bytes)));
    }
    let text = String::from_utf8_lossy(&bytes);
    match parts.status.is_server_error() {
        true => Err(ApiError::internal(text)),
        false => Err(ApiError::new(parts.status, "VALIDATION_ERROR", text)),
    }
}

/// An answer of the SDK, which is in memory already.
async fn whole(mut body: Body, wait: Duration) -> Result<Bytes, ApiError> {
    let mut bytes = Vec::with_capacity(body.size_hint().lower().min(BODY_BYTES_MAX) as usize);
    while let Some(piece) = body::next_piece(&mut body, wait).await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_to_accept_both_types_of_answers() {
        let status = |accepted: &[&str]| {
            let mut headers = HeaderMap::new();
            for accepted in accepted {
                headers.append(header::ACCEPT, accepted.parse().unwrap());
            }
            check_accept(&headers).map_or_else(|error| error.status.as_u16(), |()| 200)
        };
        for accepted in [
            &["application/json, text/event-stream"][..],
            &["text/event-stream;q=0.5, Application/JSON"],
            &["application/json", "text/event-stream"],
        ] {
            assert_eq!(status(accepted), 200, "{accepted:?}");
        }
        for accepted in [
            &[][..],
            &["*/*"],
            &["application/json"],
            &["text/event-stream"],
            &["application/json, text/event-stream;q=0"],
            &["application/jsonp, text/event-streams"],
        ] {
            assert_eq!(status(accepted), 406, "{accepted:?}");
        }
    }

    #[test]
    fn a_version_is_known_and_stands_once() {
        let status = |versions: &[&str]| {
            let mut headers = HeaderMap::new();
            for version in versions {
                headers.append(PROTOCOL_VERSION, version.parse().unwrap());
            }
            check_version(&headers).map_or_else(|error| error.status.as_u16(), |()| 200)
        };
        assert_eq!(status(&[]), 200);
        assert_eq!(status(&["2025-06-18"]), 200);
        for versions in [&["1"][..], &[""], &["2025-06-18 "], &["2025-06-18", "2025-06-18"]] {
            assert_ne!(status(versions), 200, "{versions:?}");
        }
    }
}
