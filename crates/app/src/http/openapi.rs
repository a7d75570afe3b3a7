//! The OpenAPI document, made from the table of endpoints and the types of their requests.
//!
//! `schemars`, which describes the tools for agents already, makes the schemas: OpenAPI 3.1 takes
//! JSON Schema as it is.

use axum::http::{Method, StatusCode};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::endpoint::{Endpoint, MEMORY};
use super::endpoints::THOUGHTS;
use super::{endpoints, events, import, verify};

/// Errors that any endpoint with a token may answer: the status, its codes, what it means. The
/// codes of the command line are not listed here.
const ERRORS: [(&str, &[&str], &str); 12] = [
    (
        "400",
        &["VALIDATION_ERROR", "MUTUAL_EXCLUSION", "MIN_CONSOLIDATION"],
        "The request breaks a rule",
    ),
    ("401", &["UNAUTHORIZED"], "No valid access token"),
    ("403", &["FORBIDDEN"], "No right to do this, or a forged Host or Origin"),
    ("404", &["THOUGHT_NOT_FOUND", "UNKNOWN_ID", "NOT_FOUND"], "What is named is not there"),
    ("405", &["METHOD_NOT_ALLOWED"], "The address does not take this method"),
    ("408", &["TIMEOUT"], "The request did not arrive in time"),
    ("409", &["ALREADY_SHARED"], "The request conflicts with the ledger"),
    ("413", &["TOO_LARGE"], "The body is too large"),
    ("415", &["UNSUPPORTED_MEDIA_TYPE"], "The body is of another type, or encoded"),
    ("429", &["RATE_LIMITED"], "The token made too many requests"),
    ("500", &["STORE_ERROR", "EMBEDDING_FAILED", "INTERNAL_ERROR"], "The server failed"),
    ("503", &["BUSY", "TIMEOUT"], "The server is busy"),
];

/// The groups of endpoints.
const TAGS: [(&str, &str); 3] = [
    (MEMORY, "What is remembered, believed and changed"),
    (THOUGHTS, "The space in which many agents think"),
    (SERVER, "The server, its spaces and what happens in them"),
];
/// The group of what concerns the server.
const SERVER: &str = "server";

/// Makes schemas as OpenAPI wants them.
pub(super) fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12();
    let settings = settings.with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// The same for answers, in which some fields may be absent.
fn generator_of_answers() -> SchemaGenerator {
    let settings = generator().settings().clone().for_serialize();
    settings.into_generator()
}

/// The document.
pub(super) fn document() -> Value {
    let (mut generator, mut answers) = (generator(), generator_of_answers());
    let mut paths = Map::new();
    for endpoint in endpoints::all() {
        let operation = operation_of(&endpoint, &mut generator, &mut answers);
        add(&mut paths, endpoint.path, &endpoint.method, operation);
    }
    long_work(&mut paths, &mut generator);
    open(&mut paths);
    let mut schemas = generator.take_definitions(true);
    schemas.extend(answers.take_definitions(true));
    schemas.insert("Error".to_owned(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "because",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Memory that can say why. docs/http.md describes it in words.",
        },
        "tags": TAGS.map(|(name, description)| json!({ "name": name, "description": description })),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
        "security": [{ "token": [] }],
    })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "additionalProperties": false,
        "properties": { "error": {
            "type": "object",
            "required": ["code", "message"],
            "additionalProperties": false,
            "properties": {
                "code": { "type": "string", "pattern": "^[A-Z0-9_]+$" },
                "message": { "type": "string", "minLength": 1 },
            },
        }},
    })
}

fn add(paths: &mut Map<String, Value>, path: &str, method: &Method, operation: Value) {
    let methods = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
    methods[method.as_str().to_ascii_lowercase()] = operation;
}

/// `post /api/v1/what-if` becomes `what_if`.
fn operation_id(path: &str, method: &Method) -> String {
    let words = path.trim_start_matches("/api/v1/").replace(['/', '-'], "_");
    let words = words.replace(['{', '}'], "");
    let verb = if *method == Method::GET { "get_" } else { "" };
    format!("{verb}{words}")
}

/// The answer with this status, and the errors.
fn responses(status: StatusCode, answer: &Value) -> Value {
    let mut responses = Map::new();
    responses.insert(
        status.as_str().to_owned(),
        json!({ "description": "The answer", "content": answer }),
    );
    for (status, codes, description) in ERRORS {
        let description = format!("{description}: {}", codes.join(", "));
        let example = json!({ "error": { "code": codes.first(), "message": "…" } });
        let schema = json!({ "$ref": "#/components/schemas/Error" });
        let content = json!({ "application/json": { "schema": schema, "example": example } });
        let response = json!({ "description": description, "content": content });
        responses.insert(status.to_owned(), response);
    }
    Value::Object(responses)
}

fn operation_of(
    endpoint: &Endpoint,
    generator: &mut SchemaGenerator,
    answers: &mut SchemaGenerator,
) -> Value {
    let mut answer = json!({ "schema": (endpoint.answer)(answers).to_value() });
    let mut request = (endpoint.request)(generator).to_value();
    let mut example = None;
    if let Some(given) = &endpoint.example {
        answer["example"] = given.answer.clone();
        example = given.request.as_object().cloned();
    }
    let mut operation = json!({
        "operationId": operation_id(endpoint.path, &endpoint.method),
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "responses": responses(endpoint.status, &json!({ "application/json": answer })),
    });
    let mut parameters = Vec::new();
    if let Some(field) = endpoint.field_in_path() {
        parameters.push(in_path(&mut request, field));
    }
    if endpoint.method == Method::GET {
        parameters.extend(in_query(&request));
    }
    for parameter in &mut parameters {
        let name = parameter["name"].as_str().unwrap_or_default();
        if let Some(value) = example.as_mut().and_then(|fields| fields.remove(name)) {
            parameter["example"] = value;
        }
    }
    if endpoint.method != Method::GET {
        let mut content = json!({ "schema": request });
        if let Some(example) = example {
            content["example"] = Value::Object(example);
        }
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/json": content } });
    }
    operation["parameters"] = Value::Array(parameters);
    operation
}

/// Takes a field out of the body, as a part of the address.
fn in_path(request: &mut Value, field: &str) -> Value {
    let properties = request["properties"].as_object_mut();
    let mut schema = properties.and_then(|all| all.remove(field)).unwrap_or_else(|| json!({}));
    schema["minLength"] = json!(1);
    if let Some(required) = request["required"].as_array_mut() {
        required.retain(|name| name != field);
    }
    json!({ "name": field, "in": "path", "required": true, "schema": schema })
}

/// The fields of a request as parameters of a query.
fn in_query(request: &Value) -> Vec<Value> {
    let required = request["required"].as_array().cloned().unwrap_or_default();
    let properties = request["properties"].as_object().into_iter().flatten();
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        // A query has no null.
        if let Some(types) = schema["type"].as_array() {
            schema["type"] = types.iter().find(|one| **one != "null").cloned().unwrap_or_default();
        }
        json!({
            "name": name,
            "in": "query",
            "required": required.iter().any(|one| one == name),
            "description": schema["description"],
            "schema": schema,
        })
    };
    properties.map(parameter).collect()
}

/// The endpoints that stream.
fn long_work(paths: &mut Map<String, Value>, generator: &mut SchemaGenerator) {
    let streamed = json!({
        "application/json": { "schema": { "type": "object" } },
        "text/event-stream": { "schema": { "type": "string" } },
    });
    let verify = verify::Request::json_schema(generator).to_value();
    let operation = json!({
        "operationId": "verify",
        "tags": [MEMORY],
        "summary": "Check the whole ledger and everything that follows from it",
        "requestBody": {
            "required": true, "content": { "application/json": { "schema": verify } },
        },
        "responses": responses(StatusCode::OK, &streamed),
    });
    add(paths, "/api/v1/verify", &Method::POST, operation);
    let file = json!({ "type": "string", "format": "binary" });
    let form = json!({
        "type": "object", "properties": { "file": file }, "required": ["file"],
        "additionalProperties": false,
    });
    let mut content = json!({ "multipart/form-data": { "schema": form } });
    content["application/x-ndjson"] = json!({ "schema": { "type": "string" } });
    let operation = json!({
        "operationId": "import",
        "tags": [MEMORY],
        "summary": "Read files into the space",
        "parameters": in_query(&import::Request::json_schema(generator).to_value()),
        "requestBody": { "required": true, "content": content },
        "responses": responses(StatusCode::OK, &streamed),
    });
    add(paths, "/api/v1/import", &Method::POST, operation);
    let mut parameters = in_query(&events::Request::json_schema(generator).to_value());
    parameters.push(json!({
        "name": "Last-Event-ID", "in": "header", "required": false,
        "description": "The position to go on from, as an EventSource sends it.",
        "schema": { "type": "integer", "minimum": 0 },
    }));
    let operation = json!({
        "operationId": "get_events",
        "tags": [SERVER],
        "summary": "Stream what changes in a space",
        "parameters": parameters,
        "responses": responses(StatusCode::OK, &json!({ "text/event-stream": { "schema": { "type": "string" } } })),
    });
    add(paths, "/api/v1/events", &Method::GET, operation);
}

/// The addresses without a body of their own.
fn open(paths: &mut Map<String, Value>) {
    let object = json!({ "application/json": { "schema": { "type": "object" } } });
    let operation = json!({
        "operationId": "get_spaces",
        "tags": [SERVER],
        "summary": "List the spaces of the token",
        "responses": responses(StatusCode::OK, &object),
    });
    add(paths, "/api/v1/spaces", &Method::GET, operation);
    let operation = json!({
        "operationId": "get_health",
        "tags": [SERVER],
        "summary": "Say whether the server answers",
        "security": [],
        "responses": responses(StatusCode::OK, &object),
    });
    add(paths, "/api/v1/health", &Method::GET, operation);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_is_in_the_document_once_with_its_errors_and_known_schemas() {
        let document = document();
        let text = document.to_string();
        let mut ids = std::collections::BTreeSet::new();
        for endpoint in endpoints::all() {
            let method = endpoint.method.as_str().to_ascii_lowercase();
            let operation = &document["paths"][endpoint.path][&method];
            let id = operation["operationId"].as_str().unwrap().to_owned();
            assert!(ids.insert(id), "{}", endpoint.path);
            assert!(operation["responses"]["401"].is_object(), "{}", endpoint.path);
        }
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for part in text.split("\"$ref\":\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(schemas.contains_key(name), "{name}");
        }
    }

    #[test]
    fn a_field_of_the_address_is_not_one_of_the_body() {
        let document = document();
        let operation = &document["paths"]["/api/v1/reviews/{id}"]["post"];
        assert_eq!(operation["parameters"][0]["in"], "path");
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert!(body["properties"]["id"].is_null());
        assert_eq!(body["required"], json!(["decision"]));
    }
}
