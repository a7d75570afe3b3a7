//! Valid and invalid responses of embedding services.

use std::time::{Duration, Instant};

use models::remote::{Remote, Service, ServiceConfig};
use models::secret::Secret;
use models::{EmbedError, Embedder, Purpose};
use serde_json::{Value, json};

use crate::server::{Reply, Request, Server};

const KEY: &str = "sk-very-secret-key";
/// What [`mask`] replaces.
const SECRET: &str = "tulip77bridge";

/// Stands for the masking of secrets, which is not below this crate.
pub(crate) fn mask(text: &str) -> std::borrow::Cow<'_, str> {
    text.replace(SECRET, "[masked]").into()
}

fn config(server: &Server) -> ServiceConfig {
    ServiceConfig {
        base_url: Some(server.base().to_owned()),
        key: Secret::parse(KEY),
        timeout: Some(Duration::from_secs(10)),
        ..ServiceConfig::default()
    }
}

fn open(service: Service, server: &Server) -> Remote {
    Remote::open(service, "a-model", mask, &config(server)).unwrap()
}

/// A vector that depends on the text: its length and a constant.
fn vector_of(text: &str) -> Value {
    json!([text.len() as f64, 0.5, -0.25])
}

/// The response of each service; OpenAI's in the wrong order.
fn answer(request: &Request) -> Reply {
    let body = if request.body.is_empty() { Value::Null } else { request.json() };
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    match request.path.as_str() {
        "/embeddings" => {
            let texts = texts(&body["input"]);
            let data: Vec<Value> = texts
                .iter()
                .enumerate()
                .rev()
                .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector_of(text)}))
                .collect();
            Reply::json(200, &json!({"object": "list", "data": data, "usage": {"total_tokens": 1}}))
        }
        "/api/embed" => {
            let vectors: Vec<Value> =
                texts(&body["input"]).iter().map(|text| vector_of(text)).collect();
            Reply::json(
                200,
                &json!({"model": "a-model", "embeddings": vectors, "total_duration": 1}),
            )
        }
        "/api/tags" => Reply::json(
            200,
            &json!({"models": [{"name": "b"}, {"name": "a-model:latest", "digest": "sha256:0a109f422b47e3a30ba2b10eca18548e"}]}),
        ),
        "/v1beta/models/a-model:batchEmbedContents" => {
            let vectors: Vec<Value> = body["requests"]
                .as_array()
                .unwrap()
                .iter()
                .map(|request| json!({"values": vector_of(request["content"]["parts"][0]["text"].as_str().unwrap())}))
                .collect();
            Reply::json(200, &json!({"embeddings": vectors}))
        }
        path => panic!("{path}"),
    }
}

#[test]
fn every_service_returns_vectors_in_the_order_of_the_texts() {
    for (service, name) in [
        (Service::OpenAi, "a-model"),
        (Service::Ollama, "a-model@0a109f422b47"),
        (Service::Gemini, "a-model"),
    ] {
        let server = Server::start(answer);
        let mut remote = open(service, &server);
        assert_eq!(remote.model().to_string(), format!("{service}/{name} (3)"));
        let texts = ["a", "", "bbb", "  \n", "cc"];
        let vectors = remote.embed(&texts, Purpose::Memory).unwrap();
        let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
        assert_eq!(lengths, [1.0, 0.0, 3.0, 0.0, 2.0]);
        assert!(vectors.iter().all(|vector| vector.len() == 3));
        assert_eq!(remote.embed(&[], Purpose::Question).unwrap(), [[0.0; 0]; 0]);
        let requests = server.requests();
        let requests = requests.last().unwrap();
        assert_eq!(requests.method, "POST");
        let key = match service {
            Service::Gemini => requests.header("x-goog-api-key").unwrap().to_owned(),
            _ => requests.header("authorization").unwrap().replace("Bearer ", ""),
        };
        assert_eq!(key, KEY);
        assert!(
            !requests.path.contains(KEY) && !String::from_utf8_lossy(&requests.body).contains(KEY)
        );
    }
}

#[test]
fn every_text_is_masked_before_it_is_sent() {
    for service in [Service::OpenAi, Service::Ollama, Service::Gemini] {
        let server = Server::start(answer);
        let mut remote = open(service, &server);
        let long = format!("{}{SECRET} and more", "a".repeat(7_990));
        for purpose in [Purpose::Question, Purpose::Memory] {
            remote.embed(&[SECRET, &format!("see {SECRET} there"), &long], purpose).unwrap();
        }
        let bodies: Vec<String> = server
            .requests()
            .iter()
            .map(|request| String::from_utf8_lossy(&request.body).into_owned())
            .collect();
        assert!(bodies.iter().any(|body| body.contains("see [masked] there")), "{bodies:?}");
        assert!(bodies.iter().all(|body| !body.contains("tulip")), "{bodies:?}");
    }
}

#[test]
fn texts_are_split_into_batches() {
    let server = Server::start(answer);
    let config = ServiceConfig { batch_max: Some(2), dimensions_known: Some(3), ..config(&server) };
    let mut remote = Remote::open(Service::OpenAi, "a-model", mask, &config).unwrap();
    assert_eq!(server.requests().len(), 0, "a known length is not requested");
    let vectors = remote.embed(&["a", "bb", "ccc", "dddd", "eeeee"], Purpose::Memory).unwrap();
    assert_eq!(
        vectors.iter().map(|vector| vector[0]).collect::<Vec<_>>(),
        [1.0, 2.0, 3.0, 4.0, 5.0]
    );
    assert_eq!(server.requests().len(), 3);
    assert!(server.requests()[0].json().get("dimensions").is_none());
}

#[test]
fn a_text_that_is_too_long_is_truncated_at_a_character_boundary() {
    let server = Server::start(answer);
    let mut remote = open(Service::OpenAi, &server);
    let vectors = remote
        .embed(&[&"é".repeat(100_000), &format!("a{}", "é".repeat(100_000))], Purpose::Memory)
        .unwrap();
    assert_eq!((vectors[0][0], vectors[1][0]), (8000.0, 7999.0));
}

/// The error of a request to a server that sends this reply.
fn fails(reply: Reply) -> EmbedError {
    let server = Server::script([reply]);
    let config = ServiceConfig { dimensions_known: Some(3), ..config(&server) };
    let mut remote = Remote::open(Service::OpenAi, "a-model", mask, &config).unwrap();
    let error = remote.embed(&["a"], Purpose::Question).unwrap_err();
    assert!(!format!("{error} {error:?} {config:?}").contains(KEY), "{error:?}");
    error
}

#[test]
fn refusals_repeat_the_servers_message_without_the_key() {
    for status in [400, 401, 403, 404, 422] {
        let body = json!({"error": {"message": format!("no, not with {KEY}")}});
        let error = fails(Reply::json(status, &body));
        let EmbedError::Refused { detail, .. } = &error else { panic!("{error:?}") };
        assert_eq!(*detail, format!("no, not with [key] (HTTP {status})"));
        assert!(!error.is_transient());
    }
}

#[test]
fn after_a_rate_limit_the_same_embedder_succeeds() {
    let limit = Reply::json(429, &json!({"error": {"message": "slowly"}})).with("Retry-After", "3");
    let good = Reply::json(200, &json!({"data": [{"index": 0, "embedding": [1, 2, 3]}]}));
    let server = Server::script([limit, good]);
    let config = ServiceConfig { dimensions_known: Some(3), ..config(&server) };
    let mut remote = Remote::open(Service::OpenAi, "a-model", mask, &config).unwrap();
    let error = remote.embed(&["a"], Purpose::Question).unwrap_err();
    assert_eq!(
        error,
        EmbedError::RateLimited {
            provider: "openai".to_owned(),
            after: Some(Duration::from_secs(3))
        }
    );
    assert_eq!(remote.embed(&["a"], Purpose::Question).unwrap(), [[1.0, 2.0, 3.0]]);
}

#[test]
fn server_failures_are_transient() {
    for status in [500, 502, 503, 529] {
        let error = fails(Reply::json(status, &json!({"error": "out of memory"})));
        assert!(matches!(error, EmbedError::Failed { .. }) && error.is_transient(), "{error:?}");
    }
}

#[test]
fn a_server_that_never_answers_times_out() {
    for reply in [Reply::Silence, Reply::Drip] {
        let server = Server::script([reply]);
        let config = ServiceConfig { timeout: Some(Duration::from_millis(200)), ..config(&server) };
        let begun = Instant::now();
        let error = Remote::open(Service::OpenAi, "a-model", mask, &config).err().unwrap();
        assert!(matches!(error, EmbedError::TimedOut { .. }), "{error:?}");
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_missing_server_is_unreachable() {
    let server = Server::script([Reply::Silence]);
    let config = config(&server);
    drop(server);
    let error = Remote::open(Service::Ollama, "a-model", mask, &config).err().unwrap();
    assert!(matches!(error, EmbedError::Unreachable { .. }), "{error:?}");
    let config = ServiceConfig { base_url: Some("https://nobody.invalid/v1".to_owned()), ..config };
    let error = Remote::open(Service::OpenAi, "a-model", mask, &config).err().unwrap();
    assert!(error.is_transient(), "{error:?}");
}

#[test]
fn a_connection_closed_in_the_middle_is_transient() {
    let body = json!({"data": [{"index": 0, "embedding": [1, 2, 3]}]}).to_string().into_bytes();
    let error = fails(Reply::Cut(200, Vec::new(), body, 20));
    assert!(matches!(error, EmbedError::Unreachable { .. }), "{error:?}");
    let error = fails(Reply::Garbage(Vec::new()));
    assert!(error.is_transient(), "{error:?}");
}

#[test]
fn a_response_that_violates_the_protocol_is_unreadable() {
    let vectors = |vectors: Value| Reply::json(200, &json!({ "data": vectors }));
    for reply in [
        Reply::Garbage(b"SSH-2.0-OpenSSH_9.6\r\n\r\n".to_vec()),
        Reply::Garbage(b"\0\xff\xfe garbage that never was a header \r\n\r\n\r\n".to_vec()),
        Reply::Whole(200, Vec::new(), b"<html>hello</html>".to_vec()),
        Reply::Whole(200, Vec::new(), b"{\"data\": [".to_vec()),
        Reply::Whole(200, Vec::new(), "[".repeat(100_000).into_bytes()),
        Reply::json(200, &json!([])),
        vectors(json!([])),
        vectors(
            json!([{"index": 0, "embedding": [1, 2, 3]}, {"index": 1, "embedding": [1, 2, 3]}]),
        ),
        vectors(json!([{"index": 0, "embedding": [1, null, 3]}])),
        Reply::Whole(200, Vec::new(), br#"{"data":[{"index":0,"embedding":[1,NaN,3]}]}"#.to_vec()),
        Reply::Whole(
            200,
            Vec::new(),
            br#"{"data":[{"index":0,"embedding":[1,1e400,3]}]}"#.to_vec(),
        ),
        Reply::Endless,
    ] {
        let error = fails(reply);
        assert!(matches!(error, EmbedError::Unreadable { .. }), "{error:?}");
        assert!(error.to_string().chars().count() < 500);
    }
}

#[test]
fn vectors_of_a_wrong_length_are_reported() {
    let error = fails(Reply::json(200, &json!({"data": [{"embedding": [1, 2]}]})));
    assert_eq!(
        error,
        EmbedError::WrongDimensions { provider: "openai".to_owned(), expected: 3, found: 2 }
    );
    let server = Server::start(answer);
    let config = ServiceConfig { dimensions: Some(8), ..config(&server) };
    let mut remote = Remote::open(Service::OpenAi, "a-model", mask, &config).unwrap();
    let error = remote.embed(&["a"], Purpose::Question).unwrap_err();
    assert!(matches!(error, EmbedError::WrongDimensions { expected: 8, found: 3, .. }));
    assert_eq!(server.requests()[0].json()["dimensions"], 8);
    let server = Server::script([Reply::json(200, &json!({"data": [{"embedding": []}]}))]);
    let error = Remote::open(
        Service::OpenAi,
        "a-model",
        mask,
        &ServiceConfig { dimensions: None, ..config.clone() },
    )
    .err();
    assert!(error.is_none());
    let error =
        Remote::open(Service::OpenAi, "a-model", mask, &self::config(&server)).err().unwrap();
    assert!(matches!(error, EmbedError::Unreadable { .. }), "{error:?}");
}

#[test]
fn a_redirect_is_not_followed_and_the_key_is_not_sent() {
    let other = Server::start(answer);
    for status in [301, 302, 303, 307, 308] {
        let target = format!("{}/embeddings", other.base());
        let error = fails(Reply::json(status, &json!({})).with("Location", &target));
        let EmbedError::Refused { detail, .. } = &error else { panic!("{error:?}") };
        assert!(detail.contains(other.base()), "{detail}");
    }
    assert!(other.requests().is_empty());
}

#[test]
fn servers_compatible_with_ollama_need_no_list_of_models() {
    let server = Server::start(|request| match request.path.as_str() {
        "/api/tags" => Reply::json(404, &json!({})),
        _ => answer(request),
    });
    let remote = open(Service::Ollama, &server);
    assert_eq!(remote.model().name, "a-model");
}

#[test]
fn questions_and_texts_get_the_models_prefixes() {
    let server = Server::start(answer);
    let mut remote =
        Remote::open(Service::Ollama, "nomic-embed-text", mask, &config(&server)).unwrap();
    remote.embed(&["kiln"], Purpose::Question).unwrap();
    remote.embed(&["kiln"], Purpose::Memory).unwrap();
    let requests: Vec<Value> = server
        .requests()
        .iter()
        .rev()
        .take(2)
        .map(|request| request.json()["input"].clone())
        .collect();
    assert_eq!(requests, [json!(["search_document: kiln"]), json!(["search_query: kiln"])]);
}

#[test]
fn the_deadline_limits_all_requests_together() {
    let server = Server::start(|request| {
        std::thread::sleep(Duration::from_millis(100));
        answer(request)
    });
    let begun = Instant::now();
    let deadline = Some(begun + Duration::from_millis(350));
    let config = ServiceConfig {
        deadline,
        batch_max: Some(1),
        dimensions_known: Some(3),
        ..config(&server)
    };
    let mut remote = Remote::open(Service::OpenAi, "a-model", mask, &config).unwrap();
    assert_eq!(remote.embed(&["a"], Purpose::Memory).unwrap(), [[1.0, 0.5, -0.25]]);
    for _ in 0..2 {
        let error = remote.embed(&["a"; 20], Purpose::Memory).unwrap_err();
        assert!(matches!(error, EmbedError::TimedOut { .. }), "{error:?}");
    }
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}
