//! What an endpoint is: an address, the type of its request, and the function that answers it.
//!
//! The table in [`super::endpoints`] lists all of them; routes, the checks of requests and the
//! OpenAPI document are made from it. To add one: a request type with [`needs!`], a function, and a
//! line in the table.

use axum::http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ApiError;
use super::json;
use super::work::{Call, Need, Work};

/// Largest body of a request, bytes.
pub(super) const BODY_BYTES_MAX: u64 = 2 << 20;

/// A request of an endpoint.
pub(super) trait Input: DeserializeOwned + JsonSchema + Send + 'static {
    /// The space that it names.
    fn space(&self) -> Option<&str>;
    /// What it needs of the space.
    fn need(&self) -> Need;
    /// The rules of its fields that need no space. They come before the right on the space.
    fn check(&self) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Says what a request needs of its space, and which rules its fields have besides their types.
macro_rules! needs {
    ($request:ty, $need:expr) => {
        $crate::http::endpoint::needs!($request, $need, |_| Ok(()));
    };
    ($request:ty, $need:expr, $check:expr) => {
        impl $crate::http::endpoint::Input for $request {
            fn space(&self) -> Option<&str> {
                self.space.as_deref()
            }

            fn need(&self) -> $crate::http::work::Need {
                let need: fn(&Self) -> $crate::http::work::Need = $need;
                need(self)
            }

            fn check(&self) -> Result<(), $crate::http::error::ApiError> {
                let check: fn(&Self) -> Result<(), $crate::http::error::ApiError> = $check;
                check(self)
            }
        }
    };
}
pub(super) use needs;

type Read = dyn Fn(Value) -> Result<Work, ApiError> + Send + Sync;
type Describe = fn(&mut SchemaGenerator) -> Schema;

/// An endpoint that answers JSON with JSON.
pub(super) struct Endpoint {
    pub(super) method: Method,
    /// Its address; a name in braces is a field of the request.
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) body_bytes_max: u64,
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
        let read = move |value: Value| {
            let request: R = json::typed(value)?;
            request.check()?;
            let (space, need) = (request.space().map(str::to_owned), request.need());
            let run = move |call: &mut Call<'_>| Ok(serde_json::to_value(run(call, request)?)?);
            Ok(Work { space, need, run: Box::new(run) })
        };
        Self {
            method,
            path,
            summary,
            body_bytes_max: BODY_BYTES_MAX,
            read: Box::new(read),
            request: R::json_schema,
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
}

fn described<A: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<A>()
}
