//! Reading the bodies of requests, within limits of size and time.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::Value;
use tokio::time::timeout;

use super::error::ApiError;
use super::json;

/// How large a body may be, and how long it may take to arrive.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyLimits {
    pub(super) bytes_max: u64,
    pub(super) wait: Duration,
}

/// The JSON of a request.
pub(super) async fn json(request: Request, limits: BodyLimits) -> Result<Value, ApiError> {
    let (parts, body) = request.into_parts();
    json_of(&parts.headers, body, limits).await
}

/// The JSON of a body with these headers.
pub(super) async fn json_of(
    headers: &HeaderMap,
    body: Body,
    limits: BodyLimits,
) -> Result<Value, ApiError> {
    check_encoding(headers)?;
    if media_type(headers).as_deref() != Some("application/json") {
        return Err(unsupported("application/json"));
    }
    let bytes = timeout(limits.wait, whole(headers, body, limits)).await;
    json::parse(&bytes.map_err(|_| too_slow())??)
}

pub(super) fn unsupported(wanted: &str) -> ApiError {
    refused(format!("the content type must be {wanted}"))
}

fn refused(message: String) -> ApiError {
    ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE", message).closing()
}

/// Refuses a body that is encoded: it would be read as something else than it is.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    let is_plain = |encoding: &HeaderValue| {
        let mut names = encoding.to_str().unwrap_or("?").split(',').map(str::trim);
        names.all(|name| name.is_empty() || name.eq_ignore_ascii_case("identity"))
    };
    match encodings.all(is_plain) {
        true => Ok(()),
        false => Err(refused("send the body as it is, without a content encoding".to_owned())),
    }
}

fn too_slow() -> ApiError {
    let message = "the body did not arrive in time";
    ApiError::new(StatusCode::REQUEST_TIMEOUT, "TIMEOUT", message).closing()
}

/// The type of a body, without parameters; a charset other than UTF-8 is another type.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (one, None) = (types.next()?, types.next()) else { return None };
    let text = one.to_str().ok()?.to_ascii_lowercase();
    let (media_type, parameters) = text.split_once(';').unwrap_or((&text, ""));
    let charset = parameters.split(';').find_map(|one| one.trim().strip_prefix("charset="));
    match charset.map(|charset| charset.trim_matches('"')) {
        None | Some("utf-8" | "utf8") => Some(media_type.trim().to_owned()),
        Some(_) => None,
    }
}

/// Refuses a body that says that it is too large, before any of it is read.
pub(super) fn check_length(headers: &HeaderMap, bytes_max: u64) -> Result<(), ApiError> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    match length.and_then(|length| length.parse::<u64>().ok()) {
        Some(length) if length > bytes_max => Err(ApiError::too_large(bytes_max)),
        _ => Ok(()),
    }
}

async fn whole(
    headers: &HeaderMap,
    mut body: Body,
    BodyLimits { bytes_max, wait }: BodyLimits,
) -> Result<Vec<u8>, ApiError> {
    check_length(headers, bytes_max)?;
    let mut bytes = Vec::new();
    while let Some(piece) = next_piece(&mut body, wait).await? {
        if (bytes.len() + piece.len()) as u64 > bytes_max {
            return Err(ApiError::too_large(bytes_max));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Waits for the next piece of something that arrives, but not for long.
pub(super) async fn in_time<T>(
    wait: Duration,
    piece: impl Future<Output = T>,
) -> Result<T, ApiError> {
    timeout(wait, piece).await.map_err(|_| too_slow())
}

/// The next piece of a body; none at its end.
pub(super) async fn next_piece(body: &mut Body, wait: Duration) -> Result<Option<Bytes>, ApiError> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        match in_time(wait, frame).await? {
            None => return Ok(None),
            Some(Ok(frame)) => {
                // Trailers say nothing to us.
                if let Ok(piece) = frame.into_data() {
                    return Ok(Some(piece));
                }
            }
            Some(Err(error)) => {
                return Err(ApiError::validation(format!("the body broke off: {error}")).closing());
            }
        }
    }
}
