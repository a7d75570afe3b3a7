//! `because model test`, the settings of the language model, and the count of what it uses.

use serde_json::{Value, json};

use crate::machine::{Call, Machine};
use crate::server::{Reply, Request, Server};

const KEY: &str = "sk-very-secret-key";

/// A server with OpenAI's protocol and Anthropic's, for vectors and for answers.
fn answer(request: &Request) -> Reply {
    let value = json!({"ingredients": ["flour", "salt", "water"]});
    match request.path.as_str() {
        "/embeddings" => {
            Reply::json(200, &json!({"data": [{"index": 0, "embedding": [0.5, 0.25]}]}))
        }
        "/messages" => Reply::json(
            200,
            &json!({"content": [{"type": "tool_use", "name": "ingredients", "input": value}],
                "usage": {"input_tokens": 1000, "output_tokens": 100}}),
        ),
        _ => Reply::json(
            200,
            &json!({"model": "small-2026", "choices": [{"message": {"content": value.to_string()}}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}),
        ),
    }
}

impl Machine {
    /// The user's settings of a language model at a server, and more lines.
    fn use_language_model(&self, server: &Server, model: &str, more: &str) {
        self.write_own_configuration(&format!(
            "[language_model]\nmodel = \"{model}\"\nbase_url = \"{}\"\n{more}",
            server.base()
        ));
    }

    fn model_test(&self, more: &[&str]) -> Call {
        self.because(["--json"]).arguments(more).arguments(["model", "test"])
    }
}

fn authorization(server: &Server) -> Vec<Option<String>> {
    let header = |request: &Request| request.header("authorization").map(str::to_owned);
    server.requests().iter().map(header).collect()
}

#[test]
fn without_a_language_model_the_built_in_embedder_alone_is_reported() {
    let machine = Machine::new();
    let tested = machine.model_test(&[]).run().succeeds().json();
    assert_eq!((&tested["ok"], &tested["language_model"]), (&json!(true), &Value::Null));
    assert_eq!(tested["embedder"]["model"], "built-in");
    let text = machine.because(["model", "test"]).run().succeeds();
    text.prints("built-in (by default): inside the program").prints("none is chosen");
    assert!(!machine.space().exists());
}

#[test]
fn both_models_are_tried_and_the_use_is_counted_in_the_space() {
    let (machine, server) = (Machine::with_space(), Server::start(answer));
    let prices = "input_price = 0.15\noutput_price = \"0.60\"\n";
    machine.use_language_model(&server, "openai-compatible:small", prices);
    let call = |arguments: &[&str]| {
        let call = machine.because(arguments.iter().copied());
        call.variable("BECAUSE_EMBEDDER", "openai:vectors")
            .variable("BECAUSE_OPENAI_BASE_URL", server.base())
    };
    let status = call(&["--json", "status"]).run().succeeds().json();
    assert_eq!(
        (&status["language_model"]["model"], &status["model_use"]),
        (&json!("openai-compatible:small"), &json!([]))
    );
    let tested = call(&["--json", "model", "test"]).run().succeeds().json();
    assert_eq!((&tested["ok"], &tested["embedder"]["dimensions"]), (&json!(true), &json!(2)));
    let language = &tested["language_model"];
    assert_eq!(
        (&language["version"], &language["requests"], &language["input_tokens"], &language["cost"]),
        (&json!("small-2026"), &json!(1), &json!(1000), &json!(0.00021))
    );
    let text = call(&["model", "test"]).run().succeeds();
    text.prints("vectors of 2 numbers").prints("1000 tokens in, 100 out, cost 0.00021");
    let status = call(&["--json", "status"]).run().succeeds().json();
    let used = &status["model_use"][0];
    assert_eq!(
        (&used["model"], &used["requests"], &used["output_tokens"], &used["priced"], &used["cost"]),
        (&json!("openai-compatible:small"), &json!(2), &json!(200), &json!(2), &json!(0.00042))
    );
    let status = call(&["status"]).run().succeeds();
    status.prints("language model  openai-compatible:small (").prints(
        "openai-compatible:small: 2 requests, 2000 tokens in, 200 out, cost 0.00042, since",
    );
    machine.is_sound();
}

#[test]
fn anthropic_is_asked_by_its_own_protocol() {
    let (machine, server) = (Machine::new(), Server::start(answer));
    machine.use_language_model(&server, "anthropic:a-model", "api_key_env = \"MY_KEY\"\n");
    let tested = machine.model_test(&[]).variable("MY_KEY", KEY).run().succeeds().json();
    assert_eq!(tested["language_model"]["output_tokens"], 100);
    assert_eq!(tested["language_model"]["cost"], Value::Null);
    let [request] = server.requests().try_into().unwrap();
    assert_eq!((request.path.as_str(), request.header("x-api-key")), ("/messages", Some(KEY)));
}

#[test]
fn a_model_that_fails_is_reported_with_its_reason_and_the_exit_code() {
    let machine = Machine::with_space();
    let server =
        Server::script([Reply::json(401, &json!({"error": {"message": format!("no, {KEY}")}}))]);
    machine.use_language_model(&server, "openai:small", "api_key_env = \"MY_KEY\"\n");
    let call =
        |arguments: &[&str]| machine.because(arguments.iter().copied()).variable("MY_KEY", KEY);
    let ran = call(&["--json", "model", "test"]).run().ends(3);
    let tested = ran.json();
    assert_eq!((&tested["ok"], &tested["embedder"]["ok"]), (&json!(false), &json!(true)));
    let error = &tested["language_model"]["error"];
    assert_eq!(error["code"], "language_model_refused");
    assert_eq!(error["message"], "openai:small refuses: no, [key] (HTTP 401)");
    assert!(error["hint"].as_str().unwrap().contains("check the key"));
    call(&["model", "test"]).run().ends(3).prints("!!  language model");
    let status = call(&["--json", "status"]).run().succeeds().json();
    assert_eq!(status["model_use"], json!([]), "what failed used nothing");
    let nonsense = json!({"choices": [{"message": {"content": "I like bread."}}]});
    let server = Server::script([Reply::json(200, &nonsense)]);
    machine.use_language_model(&server, "openai:small", "");
    let tested = machine.model_test(&[]).run().ends(3).json();
    assert_eq!(tested["language_model"]["error"]["code"], "language_model_invalid_answer");
    assert_eq!(server.requests().len(), 3);
    let status = machine.because(["--json", "status"]).run().succeeds().json();
    assert_eq!(
        (&status["model_use"][0]["requests"], &status["model_use"][0]["unreported"]),
        (&json!(3), &json!(3))
    );
    machine.because(["status"]).run().prints("not reported for 3");
}

#[test]
fn options_override_variables_which_override_the_users_file() {
    let machine = Machine::with_space();
    let chosen = |call: Call| call.run().succeeds().json()["language_model"].clone();
    let status = || machine.because(["--json", "status"]);
    assert_eq!(chosen(status()), Value::Null);
    machine.write_own_configuration("[language_model]\nmodel = \"ollama:mine\"\n");
    let by_file = chosen(status());
    assert_eq!(by_file["model"], "ollama:mine");
    assert!(by_file["set_by"].as_str().unwrap().ends_with("config.toml:2"), "{by_file}");
    let variable = || status().variable("BECAUSE_LANGUAGE_MODEL", "gemini:x");
    assert_eq!(
        chosen(variable()),
        json!({"model": "gemini:x", "set_by": "BECAUSE_LANGUAGE_MODEL"})
    );
    let option = variable().arguments(["--language-model", "anthropic:y"]);
    assert_eq!(chosen(option), json!({"model": "anthropic:y", "set_by": "--language-model"}));
    let wrong = status().arguments(["--language-model", "gpt"]).run().ends(2);
    assert_eq!(wrong.error_code(), "settings");
}

#[test]
fn a_spaces_file_sets_nothing_of_the_language_model() {
    let machine = Machine::with_space();
    let server = Server::start(answer);
    for line in [
        "model = \"ollama:theirs\"".to_owned(),
        format!("base_url = \"{}\"", server.base()),
        "api_key_env = \"HOME\"".to_owned(),
        "api_key_file = \"/etc/passwd\"".to_owned(),
        "timeout_s = 1".to_owned(),
        "max_output_tokens = 1".to_owned(),
        "input_price = 1".to_owned(),
        "output_price = 1".to_owned(),
    ] {
        machine.write(".because/config.toml", format!("[language_model]\n{line}\n"));
        let ran = machine.model_test(&["--language-model", "openai:mine"]).run().ends(2);
        assert_eq!(ran.error_code(), "settings");
        ran.says("config.toml:2").says("only in your own config.toml");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn an_address_and_a_key_are_used_with_their_own_provider_alone() {
    let (machine, server) = (Machine::new(), Server::start(answer));
    let key = machine.write("key", KEY);
    let more = format!("api_key_file = {key:?}\ninput_price = 1\noutput_price = 1\n");
    machine.use_language_model(&server, "openai:small", &more);
    machine.model_test(&[]).run().succeeds();
    // Another model of the same provider has the same address and key, but another price.
    let other = machine.model_test(&["--language-model", "openai:large"]).run().succeeds().json();
    assert_eq!(other["language_model"]["cost"], Value::Null);
    assert_eq!(authorization(&server), vec![Some(format!("Bearer {KEY}")); 2]);
    // A model of another provider has neither.
    let other = machine.model_test(&["--language-model", "anthropic:x"]).run().ends(3).json();
    let message = other["language_model"]["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("set ANTHROPIC_API_KEY"), "{message}");
    assert_eq!(server.requests().len(), 2);
    // An address in a variable does not get the key in the file, nor the provider's usual one.
    let elsewhere = Server::start(answer);
    let call = machine.model_test(&[]).variable("OPENAI_API_KEY", KEY);
    call.variable("BECAUSE_LANGUAGE_MODEL_BASE_URL", elsewhere.base()).run().succeeds();
    assert_eq!(authorization(&elsewhere), [None]);
}

#[test]
fn prices_are_numbers_and_come_in_pairs() {
    let machine = Machine::new();
    let server = Server::start(answer);
    machine.use_language_model(&server, "openai:small", "input_price = 0.1\n");
    let tested = machine.model_test(&[]).run().ends(3).json();
    let error = &tested["language_model"]["error"];
    assert_eq!(error["code"], "settings");
    assert!(error["message"].as_str().unwrap().contains("output_price"), "{error}");
    for price in ["-1", "\"cheap\"", "0.0000001", "1e9", "true", "nan"] {
        machine.use_language_model(&server, "openai:small", &format!("input_price = {price}\n"));
        let ran = machine.model_test(&[]).run().ends(2);
        ran.says("config.toml:4").says("the price of a million tokens");
    }
    machine.use_language_model(&server, "openai:small", "");
    let call = machine.model_test(&[]).variable("BECAUSE_LANGUAGE_MODEL_INPUT_PRICE", "3");
    let tested = call.variable("BECAUSE_LANGUAGE_MODEL_OUTPUT_PRICE", "15").run().succeeds().json();
    assert_eq!(tested["language_model"]["cost"], 0.0045);
}

#[test]
fn doctor_names_the_language_model_and_does_not_ask_it() {
    let (machine, server) = (Machine::with_space(), Server::start(answer));
    let none = machine.because(["doctor"]).run().succeeds();
    assert!(!none.out().contains("language model"));
    machine.use_language_model(&server, "openai:small", "");
    let doctor = machine.because(["doctor"]).run().succeeds();
    doctor
        .prints("openai:small (")
        .prints(&format!("at {}", server.base()))
        .prints("because model test");
    assert!(server.requests().is_empty());
    let doctor = machine.because(["--language-model", "openrouter:x", "doctor"]).run().ends(3);
    doctor.prints("set OPENROUTER_API_KEY");
}

#[test]
fn a_journal_that_cannot_be_read_does_not_keep_status_from_answering() {
    let (machine, server) = (Machine::with_space(), Server::start(answer));
    machine.use_language_model(&server, "openai:small", "");
    machine.model_test(&[]).run().succeeds();
    let journal = machine.work().join(".because/space.journal.db");
    std::fs::write(&journal, "not a journal").unwrap();
    let status = machine.because(["--json", "status"]).run().succeeds().json();
    assert_eq!(status["model_use"], Value::Null);
    machine
        .because(["status"])
        .run()
        .succeeds()
        .prints("cannot be used as the journal of this space");
    machine.model_test(&[]).run().succeeds();
    assert_eq!(std::fs::read(&journal).unwrap(), b"not a journal");
}

#[test]
fn the_use_is_not_counted_in_somebody_elses_space() {
    let (theirs, server) = (Machine::with_space(), Server::start(answer));
    let mine = Machine::new();
    let test = |machine: &Machine| {
        let call = mine.because(["--json", "--language-model", "openai-compatible:small"]);
        let call = call.arguments(["model", "test", "--space"]).arguments([machine.space()]);
        call.variable("BECAUSE_LANGUAGE_MODEL_BASE_URL", server.base()).run().succeeds()
    };
    test(&theirs);
    assert_eq!(server.requests().len(), 1);
    assert!(!theirs.work().join(".because/space.journal.db").exists());
}
