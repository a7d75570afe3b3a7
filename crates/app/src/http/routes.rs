//! Addresses: which handler answers, and what every answer has in common.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{MethodFilter, get, on, post};
use serde_json::{Value, json};

use super::endpoint::Endpoint;
use super::endpoints;
use super::error::{ApiError, Logged};
use super::{App, body, events, import, json as strict, mcp, openapi, verify};

/// The header that names a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id of a request that is taken over from the client.
const REQUEST_ID_CHARS_MAX: usize = 64;
/// What the pages of this server may load: themselves.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// An endpoint with what its requests are read by.
struct Ready {
    endpoint: Endpoint,
    schema: Value,
}

/// The address of an endpoint, for logs and counts.
#[derive(Clone, Copy)]
struct Address(&'static str);

/// The token that made a request, for the log.
#[derive(Clone)]
struct Caller(String);

/// The id of a request.
#[derive(Clone)]
struct RequestId(String);

/// The id of a request.
pub(super) fn id_of(request: &Request) -> String {
    request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default()
}

/// All addresses.
pub(super) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for endpoint in endpoints::all() {
        let filter = MethodFilter::try_from(endpoint.method.clone()).unwrap_or(MethodFilter::POST);
        let path = endpoint.path;
        let ready = Arc::new(Ready { schema: endpoint.request_schema(), endpoint });
        let handler = move |State(app): State<Arc<App>>, request: Request| {
            let ready = Arc::clone(&ready);
            async move { answer(app, &ready, request).await }
        };
        router = router.route(path, on(filter, handler));
    }
    let protocol = mcp::protocol(app);
    let to_agents = move |State(app): State<Arc<App>>, request: Request| {
        mcp::answer(app, protocol.clone(), request)
    };
    #[cfg(any(test, feature = "test-clock"))]
    let router = router.route("/test/clock", post(super::clock::advance));
    router
        .route(mcp::PATH, post(named(mcp::PATH, to_agents)).delete(named(mcp::PATH, mcp::end)))
        .route("/api/v1/health", get(health))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/api/v1/spaces", get(spaces))
        .route("/api/v1/verify", post(named("/api/v1/verify", verify::answer)))
        .route("/api/v1/import", post(named("/api/v1/import", import::answer)))
        .route("/api/v1/events", get(named("/api/v1/events", events::answer)))
        .route("/api/openapi.json", get(document))
        .route("/api/docs", get(page))
        .route("/api/docs.js", get(script))
        .route("/api/docs.css", get(style))
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        // Each endpoint has its own limit.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(app), around))
        .with_state(Arc::clone(app))
}

/// Names the address of a handler for logs and counts.
fn named<F, A>(
    path: &'static str,
    handler: F,
) -> impl Fn(State<Arc<App>>, Request) -> std::pin::Pin<Box<dyn Future<Output = Response> + Send>>
+ Clone
+ Send
+ Sync
+ 'static
where
    F: Fn(State<Arc<App>>, Request) -> A + Clone + Send + Sync + 'static,
    A: Future<Output = Result<Response, ApiError>> + Send + 'static,
{
    move |app, request| {
        let answered = handler(app, request);
        Box::pin(async move {
            let mut response = answered.await.into_response();
            response.extensions_mut().insert(Address(path));
            response
        })
    }
}

async fn answer(app: Arc<App>, ready: &Ready, request: Request) -> Response {
    let mut caller = None;
    let answered = answered(app, ready, request, &mut caller).await;
    let answered = answered.map(|value| (ready.endpoint.status, strict::response(&value)));
    let mut response = answered.into_response();
    response.extensions_mut().insert(Address(ready.endpoint.path));
    if let Some(caller) = caller {
        response.extensions_mut().insert(caller);
    }
    response
}

async fn answered(
    app: Arc<App>,
    ready: &Ready,
    request: Request,
    caller: &mut Option<Caller>,
) -> Result<Value, ApiError> {
    let Ready { endpoint, schema } = ready;
    let token = app.admit(request.headers())?;
    *caller = Some(Caller(token.id.clone()));
    let in_path = match endpoint.field_in_path() {
        None => None,
        Some(field) => {
            let text = endpoint.text_in_path(request.uri().path()).unwrap_or_default();
            // A plus is a plus in a path.
            Some((field, strict::decoded(&text.replace('+', "%2B"))?))
        }
    };
    let query = request.uri().query().unwrap_or_default();
    let mut value = if endpoint.method == Method::GET {
        strict::from_query(query, schema)?
    } else if query.is_empty() {
        body::json(request, app.body_limits(endpoint.body_bytes_max)).await?
    } else {
        return Err(ApiError::validation("the address has a query, which this endpoint ignores"));
    };
    if let (Some((field, text)), Some(fields)) = (in_path, value.as_object_mut())
        && fields.insert(field.to_owned(), Value::String(text)).is_some()
    {
        return Err(ApiError::validation(format!("{field} belongs in the address alone")));
    }
    let work = (endpoint.read)(value, &app.session_now())?;
    app.work(token, work).await
}

/// What every request and answer has: an id, checks of its origin, headers, a line in the log.
async fn around(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = request_id(request.headers());
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = match app.names.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.closing().into_response(),
    };
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let status = response.status().as_u16();
    let extensions = response.extensions();
    let address = extensions.get::<Address>().map_or("other", |address| address.0);
    let took = begun.elapsed();
    app.metrics.note(address, counted(&method), status, took);
    let error = extensions.get::<Logged>();
    let level = if status >= 500 { "error" } else { "info" };
    // The query may hold words of a question, and is left out.
    let line = json!({
        "request_id": id,
        "method": counted(&method),
        "path": path.chars().take(200).collect::<String>(),
        "status": status,
        "ms": took.as_secs_f64() * 1_000.0,
        "token": extensions.get::<Caller>().map(|caller| &caller.0),
        "code": error.map(|error| &error.code),
        "detail": error.and_then(|error| error.detail.as_ref()),
    });
    app.log.event(level, "request", line);
    response
}

/// The method, if it is a usual one: others would make any number of counts.
fn counted(method: &str) -> &str {
    let usual = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    usual.into_iter().find(|usual| *usual == method).unwrap_or("OTHER")
}

/// The client's id of a request if it has a harmless one, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|given| given.to_str().ok());
    let is_harmless = |id: &&str| {
        (1..=REQUEST_ID_CHARS_MAX).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if let Some(given) = given.filter(is_harmless) {
        return given.to_owned();
    }
    let mut random = [0; 8];
    // An id that is not random still names the request among its neighbours in the log.
    let _ = getrandom::fill(&mut random);
    data_encoding::HEXLOWER.encode(&random)
}

async fn unknown() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "NOT_FOUND", "this address does not exist").closing()
}

async fn wrong_method() -> ApiError {
    let message = "this address does not take this method; Allow names those that it takes";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", message).closing()
}

async fn health(State(app): State<Arc<App>>) -> Response {
    let (status, word) = match *app.stopping.borrow() {
        true => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        false => (StatusCode::OK, "ok"),
    };
    let answer = json!({ "status": word, "version": env!("CARGO_PKG_VERSION") });
    (status, strict::response(&answer)).into_response()
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, app.metrics.text()).into_response()
}

/// The spaces of a token, its own first.
async fn spaces(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, ApiError> {
    let token = app.admit(&headers)?;
    let spaces = token.grants.iter().enumerate().filter_map(|(place, grant)| {
        let name = grant.space.to_string();
        let (space, _) = app.spaces.of_token(&token, Some(&name))?;
        Some(json!({
            "id": name, "name": space.name, "own": place == 0, "rights": grant.rights,
        }))
    });
    Ok(strict::response(&json!({ "spaces": spaces.collect::<Vec<_>>() })))
}

async fn document(State(app): State<Arc<App>>) -> Response {
    let document = app.document.get_or_init(|| openapi::document().to_string());
    ([(header::CONTENT_TYPE, "application/json")], document.clone()).into_response()
}

async fn page() -> Response {
    let policy = [(header::CONTENT_SECURITY_POLICY, PAGE_POLICY)];
    (policy, Html(include_str!("docs/index.html"))).into_response()
}

async fn script() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (kind, include_str!("docs/docs.js")).into_response()
}

async fn style() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/css; charset=utf-8")];
    (kind, include_str!("docs/docs.css")).into_response()
}
