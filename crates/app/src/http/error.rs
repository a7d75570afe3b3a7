//! Errors as they are answered: a status, a stable code and a message.
//!
//! A failure that the caller can do nothing about is answered without its details, which may name
//! files of this machine; they go to the log, beside the id of the request.

use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine::EngineError;
use engine::belief::user::UserError;
use serde_json::json;
use store::{RecordError, StoreError};

use crate::failure::{Failure, Fault, RequestError, ThoughtRefusal};
use crate::service::thoughts::ThoughtError;

/// An error that is answered to a request.
#[derive(Debug)]
pub(super) struct ApiError {
    pub(super) status: StatusCode,
    pub(super) code: String,
    pub(super) message: String,
    /// When to try again.
    retry_after: Option<Duration>,
    /// What the log says, and the answer does not.
    detail: Option<String>,
    /// The connection is of no more use: part of the request was not read.
    closes: bool,
}

/// What the log keeps of an error, beside the answer.
#[derive(Clone)]
pub(super) struct Logged {
    pub(super) code: String,
    pub(super) detail: Option<String>,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let (code, message) = (code.to_owned(), message.into());
        Self { status, code, message, retry_after: None, detail: None, closes: false }
    }

    /// A field breaks its rule.
    pub(super) fn validation(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message)
    }

    /// No token, or one that is not accepted. Which of them it is, nobody learns.
    pub(super) fn unauthorized() -> Self {
        let message = "a valid access token is needed: `Authorization: Bearer …`";
        Self::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message)
    }

    pub(super) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "FORBIDDEN", message)
    }

    /// The same for a space that does not exist and one that the token has no right on.
    pub(super) fn no_right() -> Self {
        Self::forbidden("the token has no right to do this in this space")
    }

    pub(super) fn too_large(bytes_max: u64) -> Self {
        let message = format!("the body is larger than {bytes_max} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE", message).closing()
    }

    pub(super) fn busy() -> Self {
        let message = "the server is busy; try again in a moment";
        let busy = Self::new(StatusCode::SERVICE_UNAVAILABLE, "BUSY", message);
        busy.retrying_after(Duration::from_secs(1))
    }

    pub(super) fn internal(detail: impl Into<String>) -> Self {
        Self::withheld("INTERNAL_ERROR", detail.into())
    }

    fn withheld(code: &str, detail: String) -> Self {
        let message = "the server failed; its log says more, by the id of the request";
        let error = Self::new(StatusCode::INTERNAL_SERVER_ERROR, code, message);
        Self { detail: Some(detail), ..error }
    }

    /// What the log says, and the answer does not.
    pub(super) fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// Whether a failure is answered without its details.
    pub(super) fn is_withheld(failure: &Failure) -> bool {
        matches!(failure.fault(), Fault::Internal | Fault::Busy)
            || matches!(
                failure,
                Failure::NoSpace | Failure::NoSpaceThere { .. } | Failure::NotYourSpace { .. }
            )
            || matches!(failure, Failure::Engine(error) if is_of_store(error))
    }

    pub(super) fn retrying_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// The same with a path shortened to a name in its message.
    pub(super) fn naming(self, path: &Path, name: &str) -> Self {
        Self { message: self.message.replace(&*path.to_string_lossy(), name), ..self }
    }

    pub(super) fn closing(self) -> Self {
        Self { closes: true, ..self }
    }

    /// The body.
    pub(super) fn to_json(&self) -> serde_json::Value {
        json!({ "error": { "code": self.code, "message": self.message } })
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.to_json().to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = self.retry_after {
            headers.insert(
                header::RETRY_AFTER,
                HeaderValue::from(wait.as_secs_f64().ceil().max(1.0) as u64),
            );
        }
        if self.closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response.extensions_mut().insert(Logged { code: self.code, detail: self.detail });
        response
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        if let Failure::Thought(refusal) = failure {
            return refusal.into();
        }
        let message = failure.to_string();
        match (&failure, failure.fault()) {
            (_, Fault::Busy) => Self::busy(),
            // The file of a space is the server's concern.
            (Failure::NoSpace | Failure::NoSpaceThere { .. } | Failure::NotYourSpace { .. }, _) => {
                Self::withheld("STORE_ERROR", message)
            }
            (Failure::Engine(error), _) if is_of_store(error) => {
                Self::withheld("STORE_ERROR", message)
            }
            (Failure::Request(_), Fault::Caller) => Self::validation(message),
            (_, Fault::Caller) => Self::new(StatusCode::BAD_REQUEST, &code(&failure), message),
            (_, Fault::NotFound) => Self::new(StatusCode::NOT_FOUND, &code(&failure), message),
            (_, Fault::Forbidden) => Self::forbidden(message),
            (_, Fault::Conflict) => Self::new(StatusCode::CONFLICT, &code(&failure), message),
            (Failure::Embedding { .. }, Fault::Internal) => {
                Self::withheld("EMBEDDING_FAILED", message)
            }
            (_, Fault::Internal) => Self::internal(message),
        }
    }
}

/// The stable code of a failure, in the letters of this interface.
fn code(failure: &Failure) -> String {
    failure.code().to_ascii_uppercase()
}

fn is_of_store(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Store(_)
            | EngineError::Record(RecordError::Store(_))
            | EngineError::Altered { .. }
            | EngineError::Io(_)
    )
}

impl From<ThoughtRefusal> for ApiError {
    fn from(refusal: ThoughtRefusal) -> Self {
        let status = match refusal.fault() {
            Fault::NotFound => StatusCode::NOT_FOUND,
            Fault::Forbidden => StatusCode::FORBIDDEN,
            Fault::Conflict => StatusCode::CONFLICT,
            _ => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal.contract_code(), refusal.to_string())
    }
}

impl From<ThoughtError> for ApiError {
    fn from(error: ThoughtError) -> Self {
        Failure::from(error).into()
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        Failure::from(error).into()
    }
}

impl From<UserError> for ApiError {
    fn from(error: UserError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        Failure::from(error).into()
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Failure::from(error).into()
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_inside_says_what_failed_and_withholds_the_rest() {
        let embedding = Failure::Embedding {
            message: "no answer from 10.0.0.7".to_owned(),
            code: "embedder_answer",
            model: models::choice::Selection::BuiltIn,
        };
        let protocol = Failure::Protocol("a secret path".to_owned());
        for (failure, code) in [(embedding, "EMBEDDING_FAILED"), (protocol, "INTERNAL_ERROR")] {
            let said = failure.to_string();
            let error = ApiError::from(failure);
            assert_eq!((error.status.as_u16(), error.code.as_str()), (500, code));
            assert!(!error.message.contains(&said), "{}", error.message);
        }
    }
}
