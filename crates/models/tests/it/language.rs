//! Language models that answer well, badly, late or not at all, in both protocols.

use std::time::{Duration, Instant};

use models::OutgoingText;
use models::language::{
    AnswerSchema, Generation, GenerationRequest, INVALID_RETRIES_MAX, LanguageError, LanguageModel,
    LanguageModelConfig, Message, ModelName, REQUEST_BYTES_MAX, RemoteLanguageModel,
};
use models::secret::Secret;
use serde_json::{Value, json};

use crate::remote::mask;
use crate::server::{Reply, Request, Server};

const KEY: &str = "sk-very-secret-key";
/// One model of each protocol.
const MODELS: [&str; 2] = ["openai:a-model", "anthropic:a-model"];

fn schema() -> AnswerSchema {
    let document = json!({
        "type": "object",
        "properties": { "type": { "enum": ["fact", "goal"] }, "ids": { "type": "array", "items": { "type": "integer" } } },
        "required": ["type", "ids"],
        "additionalProperties": false,
    });
    AnswerSchema::new("claim", document).unwrap()
}

fn outgoing(text: &str) -> OutgoingText {
    OutgoingText::new(mask, "", text, 10_000)
}

fn request() -> GenerationRequest {
    GenerationRequest {
        system: outgoing("Name the type."),
        messages: vec![Message::user(outgoing("We fire at cone 6; the code is tulip77bridge."))],
        schema: schema(),
        output_tokens_max: Some(100),
        timeout: None,
    }
}

fn config(server: &Server) -> LanguageModelConfig {
    LanguageModelConfig {
        base_url: Some(server.base().to_owned()),
        key: Secret::parse(KEY),
        timeout: Some(Duration::from_secs(10)),
        retry_delay: Some(Duration::from_millis(1)),
        ..LanguageModelConfig::default()
    }
}

fn open(model: &str, config: &LanguageModelConfig) -> RemoteLanguageModel {
    let name: ModelName = model.parse().unwrap();
    RemoteLanguageModel::open(&name, mask, config).unwrap()
}

/// What a server of the model's protocol sends, with the words of the model.
fn says(model: &str, text: &str) -> Reply {
    ends(model, text, None)
}

/// The same, with the reason why the model stopped.
fn ends(model: &str, text: &str, stop: Option<&str>) -> Reply {
    let body = if model.starts_with("anthropic") {
        let content = match serde_json::from_str::<Value>(text) {
            Ok(input) => json!([{"type": "tool_use", "id": "t1", "name": "claim", "input": input}]),
            Err(_) => json!([{"type": "text", "text": text}]),
        };
        json!({"model": "a-model-2026", "content": content, "stop_reason": stop.unwrap_or("tool_use"),
            "usage": {"input_tokens": 20, "output_tokens": 5}})
    } else {
        let message = json!({"role": "assistant", "content": text});
        json!({"model": "a-model-2026", "choices": [{"message": message, "finish_reason": stop.unwrap_or("stop")}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 5}})
    };
    Reply::json(200, &body)
}

const GOOD: &str = r#"{"type":"fact","ids":[1]}"#;

/// Asks a model whose server sends these replies.
fn ask(model: &str, replies: impl IntoIterator<Item = Reply>) -> (Generation, Vec<Request>) {
    let server = Server::script(replies);
    let generation = open(model, &config(&server)).generate(&request());
    if let Err(error) = &generation.outcome {
        assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
        assert!(error.to_string().chars().count() < 500);
    }
    (generation, server.requests())
}

fn fails(model: &str, replies: impl IntoIterator<Item = Reply>) -> LanguageError {
    ask(model, replies).0.outcome.unwrap_err()
}

#[test]
fn a_good_answer_comes_with_its_use_and_what_was_said() {
    for model in MODELS {
        let (generation, requests) = ask(model, [says(model, GOOD)]);
        let answer = generation.outcome.unwrap();
        assert_eq!(answer.value, json!({"type": "fact", "ids": [1]}));
        assert_eq!(
            (answer.model.as_str(), answer.version.as_deref()),
            (model, Some("a-model-2026"))
        );
        let usage = generation.usage;
        assert_eq!(
            (usage.requests, usage.unreported, usage.input_tokens, usage.output_tokens),
            (1, 0, 20, 5)
        );
        let [request] = requests.as_slice() else { panic!("{requests:?}") };
        let [exchange] = generation.exchanges.as_slice() else { panic!() };
        assert_eq!(exchange.prompt.as_bytes(), request.body);
        assert_eq!(serde_json::from_str::<Value>(&exchange.answer).unwrap(), answer.value);
        let (path, header, key) = match model.starts_with("anthropic") {
            true => ("/messages", "x-api-key", KEY.to_owned()),
            false => ("/chat/completions", "authorization", format!("Bearer {KEY}")),
        };
        assert_eq!((request.path.as_str(), request.header(header)), (path, Some(key.as_str())));
        assert!(
            !exchange.prompt.contains(KEY) && !exchange.prompt.contains("tulip"),
            "{exchange:?}"
        );
        assert!(exchange.prompt.contains("the code is [masked]"), "{exchange:?}");
    }
}

#[test]
fn json_between_fences_is_accepted() {
    let text = format!("Here it is:\n```json\n{GOOD}\n```\n");
    for model in MODELS {
        let (generation, requests) = ask(model, [says(model, &text)]);
        assert_eq!(generation.outcome.unwrap().value["type"], "fact");
        assert_eq!(requests.len(), 1);
    }
}

#[test]
fn a_model_is_told_what_is_wrong_with_its_answer() {
    for (text, wrong) in [
        ("I think it is a fact.", "the answer is not JSON"),
        (r#"{"type":"fact","ids":[1"#, "the answer is not JSON"),
        (r#"{"type":"Fact","ids":[]}"#, r#"/type: "Fact" is not one of "fact", "goal""#),
        (r#"{"type":"fact","ids":["1"]}"#, r#"/ids/0: "1" is not of the type integer"#),
        (r#"{"type":"fact","ids":[],"why":"x"}"#, r#"the property "why" is not expected"#),
        (r#"{"type":"fact"}"#, r#"the property "ids" is missing"#),
        (r#"["fact"]"#, "the list is not of the type object"),
    ] {
        for model in MODELS {
            let (generation, requests) = ask(model, [says(model, text), says(model, GOOD)]);
            assert_eq!(generation.outcome.unwrap().value["type"], "fact");
            assert_eq!((generation.usage.requests, generation.usage.output_tokens), (2, 10));
            assert_eq!(generation.exchanges.len(), 2);
            let messages = requests[1].json()["messages"].as_array().unwrap().clone();
            let [.., again, correction] = messages.as_slice() else { panic!("{messages:?}") };
            assert_eq!(again["role"], "assistant");
            assert_eq!(correction["role"], "user");
            let words = correction["content"].as_str().unwrap();
            assert!(words.contains(wrong) && words.contains("additionalProperties"), "{words}");
        }
    }
}

#[test]
fn invalid_answers_are_retried_twice_and_then_an_error() {
    for model in MODELS {
        for text in ["no", r#"{"type":"fact","ids":"many"}"#, "", "null"] {
            let (generation, requests) = ask(model, [says(model, text)]);
            let error = generation.outcome.unwrap_err();
            assert_eq!(error.code(), "language_model_invalid_answer", "{error:?}");
            assert!(!error.is_transient());
            assert_eq!(requests.len() as u32, INVALID_RETRIES_MAX + 1);
            assert_eq!((generation.usage.requests, generation.usage.input_tokens), (3, 60));
            for message in requests[2].json()["messages"].as_array().unwrap() {
                assert_ne!(message["content"], "", "services refuse empty messages");
            }
        }
    }
}

#[test]
fn an_answer_never_returns_secrets_to_the_service() {
    for model in MODELS {
        let (_, requests) = ask(model, [says(model, "tulip77bridge is the code")]);
        assert!(
            requests
                .iter()
                .all(|request| !String::from_utf8_lossy(&request.body).contains("tulip"))
        );
    }
}

#[test]
fn a_truncated_answer_is_not_retried() {
    for (model, stop) in [(MODELS[0], "length"), (MODELS[1], "max_tokens")] {
        let (generation, requests) = ask(model, [ends(model, r#"{"type":"fa"#, Some(stop))]);
        let expected = LanguageError::Truncated { model: model.to_owned(), output_tokens_max: 100 };
        assert_eq!(generation.outcome.unwrap_err(), expected);
        assert_eq!((requests.len(), generation.usage.output_tokens), (1, 5));
    }
}

#[test]
fn a_model_that_declines_is_not_asked_again() {
    for (model, stop) in [(MODELS[0], "content_filter"), (MODELS[1], "refusal")] {
        let (generation, requests) = ask(model, [ends(model, "I would rather not.", Some(stop))]);
        assert_eq!(generation.outcome.unwrap_err().code(), "language_model_declined");
        assert_eq!(requests.len(), 1);
    }
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I cannot"}}]});
    let error = fails(MODELS[0], [Reply::json(200, &refusal)]);
    assert_eq!(error.to_string(), "openai:a-model declines to answer: I cannot");
}

#[test]
fn refusals_repeat_the_servers_message_without_the_key() {
    for model in MODELS {
        for status in [400, 401, 403, 404, 413] {
            let body = json!({"error": {"message": format!("not with {KEY}")}});
            let (generation, requests) = ask(model, [Reply::json(status, &body)]);
            let error = generation.outcome.unwrap_err();
            let LanguageError::Refused { detail, .. } = &error else { panic!("{error:?}") };
            assert_eq!(*detail, format!("not with [key] (HTTP {status})"));
            assert_eq!((requests.len(), generation.usage.requests), (1, 0));
        }
    }
}

#[test]
fn rate_limits_and_failures_are_retried_after_the_time_that_is_named() {
    for model in MODELS {
        let limit = Reply::json(429, &json!({"error": {"message": "slowly"}}));
        let begun = Instant::now();
        let replies =
            [limit.with("Retry-After", "1"), Reply::json(529, &json!({})), says(model, GOOD)];
        let (generation, requests) = ask(model, replies);
        assert!(generation.outcome.is_ok());
        assert_eq!((requests.len(), generation.usage.requests), (3, 1));
        assert!(begun.elapsed() >= Duration::from_secs(1));
    }
}

#[test]
fn retries_are_bounded() {
    for model in MODELS {
        let (generation, requests) = ask(model, [Reply::json(500, &json!({"error": "broken"}))]);
        let error = generation.outcome.unwrap_err();
        assert_eq!(error.to_string(), format!("{model} failed: broken (HTTP 500)"));
        assert_eq!(requests.len(), 4);
        let (generation, requests) = ask(model, [Reply::json(429, &json!({}))]);
        assert_eq!(generation.outcome.unwrap_err().code(), "language_model_rate_limited");
        assert_eq!(requests.len(), 4);
    }
}

#[test]
fn a_delay_beyond_the_deadline_is_not_waited_for() {
    for model in MODELS {
        let limit = Reply::json(429, &json!({})).with("Retry-After", "60");
        let begun = Instant::now();
        let (generation, requests) = ask(model, [limit]);
        let after = Some(Duration::from_secs(60));
        let expected = LanguageError::RateLimited { model: model.to_owned(), after };
        assert_eq!(generation.outcome.unwrap_err(), expected);
        assert_eq!(requests.len(), 1);
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_failure_in_a_response_with_status_200_is_retried() {
    let failure = Reply::json(200, &json!({"error": {"message": "the model broke", "code": 502}}));
    let (generation, requests) = ask(MODELS[0], [failure, says(MODELS[0], GOOD)]);
    assert!(generation.outcome.is_ok());
    assert_eq!(requests.len(), 2);
}

#[test]
fn one_deadline_covers_slow_servers_and_all_retries() {
    for model in MODELS {
        let server = Server::script([says(model, GOOD)]);
        let config = LanguageModelConfig { timeout: Some(Duration::MAX), ..config(&server) };
        assert!(open(model, &config).generate(&request()).outcome.is_ok());
    }
    for model in MODELS {
        for reply in [Reply::Silence, Reply::Drip] {
            let server = Server::script([reply]);
            let timeout = Duration::from_millis(200);
            let config = LanguageModelConfig { timeout: Some(timeout), ..config(&server) };
            let begun = Instant::now();
            let error = open(model, &config).generate(&request()).outcome.unwrap_err();
            assert_eq!(error, LanguageError::TimedOut { model: model.to_owned(), waited: timeout });
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
        let name = model.to_owned();
        let server = Server::start(move |_| {
            std::thread::sleep(Duration::from_millis(150));
            says(&name, "not JSON")
        });
        let request = GenerationRequest { timeout: Some(Duration::from_millis(250)), ..request() };
        let generation = open(model, &config(&server)).generate(&request);
        assert_eq!(generation.outcome.unwrap_err().code(), "language_model_timed_out");
        assert_eq!(generation.usage.requests, 1, "the first answer is counted");
    }
}

#[test]
fn a_response_that_violates_the_protocol_is_unreadable() {
    for model in MODELS {
        for reply in [
            Reply::Garbage(b"SSH-2.0-OpenSSH_9.6\r\n\r\n".to_vec()),
            Reply::Whole(200, Vec::new(), b"<html>hello</html>".to_vec()),
            Reply::Whole(200, Vec::new(), b"{\"choices\": [".to_vec()),
            Reply::Whole(200, Vec::new(), "[".repeat(100_000).into_bytes()),
            Reply::Whole(200, Vec::new(), vec![b' '; 9 << 20]),
            Reply::json(200, &json!([])),
            Reply::json(200, &json!({"choices": 7, "content": "x"})),
            Reply::json(204, &json!({})),
            Reply::Endless,
        ] {
            let error = fails(model, [reply]);
            assert!(matches!(error, LanguageError::Unreadable { .. }), "{error:?}");
        }
    }
}

#[test]
fn a_missing_server_and_a_closed_connection_are_unreachable() {
    for model in MODELS {
        let server = Server::script([Reply::Silence]);
        let config = config(&server);
        drop(server);
        let error = open(model, &config).generate(&request()).outcome.unwrap_err();
        assert!(matches!(error, LanguageError::Unreachable { .. }), "{error:?}");
        let error = fails(model, [Reply::Cut(200, Vec::new(), vec![b' '; 100], 20)]);
        assert!(matches!(error, LanguageError::Unreachable { .. }), "{error:?}");
    }
}

#[test]
fn a_redirect_is_not_followed_and_the_key_is_not_sent() {
    let other = Server::script([says(MODELS[0], GOOD)]);
    for model in MODELS {
        for status in [301, 302, 303, 307, 308] {
            let target = format!("{}/chat/completions", other.base());
            let error = fails(model, [Reply::json(status, &json!({})).with("Location", &target)]);
            let LanguageError::Refused { detail, .. } = &error else { panic!("{error:?}") };
            assert!(detail.contains(other.base()), "{detail}");
        }
    }
    assert!(other.requests().is_empty());
}

#[test]
fn a_server_that_refuses_a_form_gets_a_simpler_one_from_then_on() {
    let server = Server::start(|request| {
        let body = request.json();
        match body["response_format"]["type"].as_str() {
            Some(form) => {
                let message = format!("response_format.type {form} is not supported");
                Reply::json(400, &json!({"error": {"message": message}}))
            }
            None => {
                let system = body["messages"][0]["content"].as_str().unwrap();
                assert!(system.contains("additionalProperties"), "{system}");
                says("openai-compatible", GOOD)
            }
        }
    });
    let mut model = open("openai-compatible:a-model", &config(&server));
    for requests in [3, 4] {
        let generation = model.generate(&request());
        assert!(generation.outcome.is_ok());
        assert_eq!((server.requests().len(), generation.usage.requests), (requests, 1));
    }
}

#[test]
fn limits_of_tokens_are_the_lower_of_both_and_named_as_the_server_knows_them() {
    let server = Server::start(|request| match request.json().get("max_tokens") {
        Some(_) => {
            Reply::json(400, &json!({"error": {"message": "'max_tokens' is not supported"}}))
        }
        None => says("openai", GOOD),
    });
    let config = LanguageModelConfig { output_tokens_max: Some(50), ..config(&server) };
    let mut model = open("openai:a-model", &config);
    assert!(model.generate(&request()).outcome.is_ok());
    let lower = GenerationRequest { output_tokens_max: Some(7), ..request() };
    assert!(model.generate(&lower).outcome.is_ok());
    let limits: Vec<Value> = server
        .requests()
        .iter()
        .map(|request| request.json()["max_completion_tokens"].clone())
        .collect();
    assert_eq!(limits, [json!(null), json!(50), json!(7)]);
}

#[test]
fn a_server_that_reports_no_or_impossible_use_is_counted_as_such() {
    let good = json!([{"message": {"content": GOOD}}]);
    for usage in [json!(null), json!({"prompt_tokens": -5, "completion_tokens": u64::MAX})] {
        let body = json!({"choices": good, "usage": usage, "model": "\u{1b}[2Jevil"});
        let (generation, _) = ask(MODELS[0], [Reply::json(200, &body)]);
        assert_eq!((generation.usage.requests, generation.usage.unreported), (1, 1));
        assert_eq!(generation.outcome.unwrap().version, None);
    }
}

#[test]
fn a_request_that_is_too_large_is_not_sent() {
    let server = Server::script([says(MODELS[0], GOOD)]);
    let text = OutgoingText::new(mask, "", &"a".repeat(REQUEST_BYTES_MAX), usize::MAX);
    let request = GenerationRequest { messages: vec![Message::user(text)], ..request() };
    let error = open(MODELS[0], &config(&server)).generate(&request).outcome.unwrap_err();
    assert_eq!(error.code(), "language_model_request_too_large");
    assert!(server.requests().is_empty());
}

#[test]
fn a_key_is_sent_only_where_it_is_safe_and_required_where_it_is_usual() {
    let refused = |model: &str, base_url: Option<&str>, key: Option<&str>| {
        let config = LanguageModelConfig {
            base_url: base_url.map(str::to_owned),
            key: key.and_then(Secret::parse),
            ..LanguageModelConfig::default()
        };
        let opened = RemoteLanguageModel::open(&model.parse().unwrap(), mask, &config);
        opened.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(refused("openai:m", Some("http://192.0.2.1/v1"), Some(KEY)).contains("https"));
    assert!(refused("openai:m", None, None).contains("OPENAI_API_KEY"));
    assert!(refused("anthropic:m", None, None).contains("ANTHROPIC_API_KEY"));
    assert!(refused("openai-compatible:m", None, None).contains("base_url"));
    assert_eq!(refused("openai:m", Some("http://127.0.0.1:1/v1"), Some(KEY)), "");
    assert_eq!(refused("ollama:m", None, None), "");
}
