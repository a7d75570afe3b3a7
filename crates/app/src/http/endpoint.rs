//! What an endpoint is: an address, the type of its request, and the function that answers it.
//!
//! The table in [`super::endpoints`] lists all of them; routes, the checks of requests and the
//! OpenAPI document are made from it. To add one: a request type with [`needs!`], a function, and a
//! line in the table.

use axum::http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::error::ApiError;
use super::work::{Call, Need, Target, Work};
use crate::service::Session;

/// The group of endpoints that is named where no other is.
pub(super) const MEMORY: &str = "memory";
/// Largest body of a request, bytes.
pub(super) const BODY_BYTES_MAX: u64 = 2 << 20;

/// A request of an endpoint.
pub(super) trait Input: Sized + Send + 'static {
    /// Reads it from JSON.
    fn read(value: Value) -> Result<Self, ApiError>;
    /// Describes it.
    fn describe(generator: &mut SchemaGenerator) -> Schema;
    /// Where it works.
    fn target(&self) -> Target;
    /// What it needs of the space.
    fn need(&self) -> Need;
    /// Whether it reads first, and waits for its turn to write by [`Call::wait_for_turn`].
    fn reads_first(&self) -> bool {
        false
    }
    /// The rules of its fields that need no space. They come before the right on the space.
    fn check(&self, _session: &Session) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Says what a request needs of the space that it names, and which rules its fields have besides
/// their types.
macro_rules! needs {
    ($request:ty, $need:expr) => {
        $crate::http::endpoint::needs!($request, $need, |_, _| Ok(()));
    };
    ($request:ty, $need:expr, $check:expr) => {
        impl $crate::http::endpoint::Input for $request {
            fn read(value: serde_json::Value) -> Result<Self, $crate::http::error::ApiError> {
                $crate::http::json::typed(value)
            }

            fn describe(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <Self as schemars::JsonSchema>::json_schema(generator)
            }

            fn target(&self) -> $crate::http::work::Target {
                $crate::http::work::Target::Space(self.space.clone())
            }

            fn need(&self) -> $crate::http::work::Need {
                let need: fn(&Self) -> $crate::http::work::Need = $need;
                need(self)
            }

            fn check(
                &self,
                session: &$crate::service::Session,
            ) -> Result<(), $crate::http::error::ApiError> {
                type Check<R> =
                    fn(&R, &$crate::service::Session) -> Result<(), $crate::http::error::ApiError>;
                let check: Check<Self> = $check;
                check(self, session)
            }
        }
    };
}
pub(super) use needs;

type Read = dyn Fn(Value, &Session) -> Result<Work, ApiError> + Send + Sync;
type Describe = fn(&mut SchemaGenerator) -> Schema;

/// A request of an endpoint, and what it answers.
pub(super) struct Example {
    /// The fields of the request, with those of the address.
    pub(super) request: Value,
    pub(super) answer: Value,
}

/// An endpoint that answers JSON with JSON.
pub(super) struct Endpoint {
    pub(super) method: Method,
    /// Its address; a name in braces is a field of the request.
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// The group in which the description lists it.
    pub(super) tag: &'static str,
    /// The status of its answer.
    pub(super) status: StatusCode,
    pub(super) body_bytes_max: u64,
    /// A request and its answer, for the description.
    pub(super) example: Option<Example>,
    /// Reads a request.
    pub(super) read: Box<Read>,
    pub(super) request: Describe,
    pub(super) answer: Describe,
}

impl Endpoint {
    fn new<R: Input, A: Serialize + JsonSchema + 'static>(
        method: Method,
        path: &'static str,
        summary: &'static str,
        run: fn(&mut Call<'_>, R) -> Result<A, ApiError>,
    ) -> Self {
        let read = move |value: Value, session: &Session| {
            let request = R::read(value)?;
            request.check(session)?;
            let (target, need) = (request.target(), request.need());
            let reads_first = request.reads_first();
            let run = move |call: &mut Call<'_>| Ok(serde_json::to_value(run(call, request)?)?);
            Ok(Work { target, need, reads_first, run: Box::new(run) })
        };
        Self {
            method,
            path,
            summary,
            tag: MEMORY,
            status: StatusCode::OK,
            body_bytes_max: BODY_BYTES_MAX,
            example: None,
            read: Box::new(read),
            request: R::describe,
            answer: described::<A>,
        }
    }

    /// An endpoint whose request is the query string.
    pub(super) fn get<R: Input, A: Serialize + JsonSchema + 'static>(
        path: &'static str,
        summary: &'static str,
        run: fn(&mut Call<'_>, R) -> Result<A, ApiError>,
    ) -> Self {
        Self::new(Method::GET, path, summary, run)
    }

    /// An endpoint whose request is the body.
    pub(super) fn post<R: Input, A: Serialize + JsonSchema + 'static>(
        path: &'static str,
        summary: &'static str,
        run: fn(&mut Call<'_>, R) -> Result<A, ApiError>,
    ) -> Self {
        Self::new(Method::POST, path, summary, run)
    }

    /// An endpoint whose request is the body, and changes a part of what is at its address.
    pub(super) fn patch<R: Input, A: Serialize + JsonSchema + 'static>(
        path: &'static str,
        summary: &'static str,
        run: fn(&mut Call<'_>, R) -> Result<A, ApiError>,
    ) -> Self {
        Self::new(Method::PATCH, path, summary, run)
    }

    /// The same in another group.
    pub(super) fn tagged(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    /// The same with another status of its answer.
    pub(super) fn answering(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same with an example.
    pub(super) fn example(self, request: Value, answer: Value) -> Self {
        Self { example: Some(Example { request, answer }), ..self }
    }

    /// The same with a larger body.
    pub(super) fn up_to(self, body_bytes_max: u64) -> Self {
        Self { body_bytes_max, ..self }
    }

    /// The schema of its request, as JSON.
    pub(super) fn request_schema(&self) -> Value {
        let mut generator = super::openapi::generator();
        (self.request)(&mut generator).to_value()
    }

    /// The field of the request that its address holds.
    pub(super) fn field_in_path(&self) -> Option<&'static str> {
        let (_, rest) = self.path.split_once('{')?;
        rest.split_once('}').map(|(name, _)| name)
    }

    /// What an address has in the place of that field, as it is encoded.
    pub(super) fn text_in_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (before, rest) = self.path.split_once('{')?;
        let (_, after) = rest.split_once('}')?;
        path.strip_prefix(before)?.strip_suffix(after)
    }
}

fn described<A: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<A>()
}
