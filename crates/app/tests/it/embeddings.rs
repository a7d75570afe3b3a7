//! `because embed` and recall by another model, against a server of this machine that speaks like
//! OpenAI.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::machine::{Call, Machine};
use crate::server::{Reply, Request, Server};

/// The test server's embedding model: words on one line have the same meaning. The built-in table
/// does not know the last two.
const WORDS: [&[&str]; 4] = [
    &["dog", "hound"],
    &["boat", "vessel"],
    &["soup", "broth"],
    &["kiln", "oven", "zorbelin", "quanthar"],
];

fn vector(text: &str) -> Vec<f32> {
    let text = text.to_lowercase();
    let about = |words: &&[&str]| words.iter().map(|word| text.matches(word).count() as f32).sum();
    WORDS.iter().map(about).chain([0.1]).collect()
}

fn answer(request: &Request) -> Reply {
    let texts = request.json()["input"].as_array().unwrap().clone();
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({ "index": index, "embedding": vector(text.as_str().unwrap()) }))
        .collect();
    Reply::json(200, &json!({ "data": data }))
}

pub(crate) fn server() -> Server {
    Server::start(answer)
}

impl Machine {
    /// A call with a model of a server.
    pub(crate) fn with(&self, server: &Server, arguments: &[&str]) -> Call {
        self.with_model(server, "openai:small", arguments)
    }

    fn with_model(&self, server: &Server, model: &str, arguments: &[&str]) -> Call {
        let call = self.because(arguments.iter().copied());
        call.variable("BECAUSE_EMBEDDER", model).variable("BECAUSE_OPENAI_BASE_URL", server.base())
    }

    fn first(&self, server: &Server, question: &str) -> (String, Value) {
        let recalled = self.with(server, &["recall", "--json", question]).run().succeeds().json();
        let text = recalled["results"][0]["evidence"]["payload"]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        (text, recalled["embedder"].clone())
    }
}

/// The words that the model knows, and `count` more records.
pub(crate) fn with_records(count: usize) -> Machine {
    let machine = Machine::with_space();
    for text in ["The dog sleeps", "The boat leaves", "Some soup is left", "The kiln is hot"] {
        machine.because(["remember", text]).run().succeeds();
    }
    if count > 0 {
        machine.write("chat.jsonl", crate::samples::long_chat(count));
        machine.because(["import", "--no-derive", "chat.jsonl"]).run().succeeds();
    }
    machine
}

/// How many beliefs there are, stated and derived.
fn belief_count(machine: &Machine) -> usize {
    machine.because(["claims", "--json"]).run().succeeds().out().lines().count()
}

#[test]
fn a_note_is_embedded_at_once_and_found_by_meaning() {
    let (machine, server) = (with_records(0), server());
    let done = machine.with(&server, &["embed", "--json"]).run().succeeds().json();
    assert_eq!(
        (&done["embedded"], &done["pending"], &done["failed"]),
        (&json!(4), &json!(0), &json!(0)),
        "{done}"
    );
    let (text, meaning) = machine.first(&server, "hound");
    assert_eq!((text.as_str(), &meaning["model"]), ("The dog sleeps", &json!("openai/small (5)")));
    machine.with(&server, &["remember", "A second vessel"]).run().succeeds();
    let status = machine.with(&server, &["status", "--json"]).run().succeeds().json();
    let vectors = &status["vectors"][0];
    assert_eq!(
        (&vectors["embedded"], &vectors["pending"], &vectors["serves"]),
        (&json!(5), &json!(0), &json!(true))
    );
    machine
        .with(&server, &["status"])
        .run()
        .succeeds()
        .prints("openai:small: 5 embedded, 0 to go; embeds questions");
    // A user who sets no model gets the built-in one, and no server is called.
    let asked = server.requests().len();
    let recalled = machine.because(["recall", "--json", "dog"]).run().succeeds().json();
    assert_eq!(recalled["embedder"], json!({ "model": "built-in", "error": null }));
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_claim_and_a_node_are_embedded_by_the_next_embed_and_found_by_meaning_alone() {
    let (machine, server) = (with_records(0), server());
    machine.because(["claim", "add", "Our zorbelin stays outside"]).run().succeeds();
    machine
        .because(["node", "add", "--type", "decision", "We sell every zorbelin"])
        .run()
        .succeeds();
    let status = || machine.with(&server, &["status", "--json"]).run().succeeds().json();
    let done = machine.with(&server, &["embed", "--json"]).run().succeeds().json();
    // What a person states is also a record.
    assert_eq!((&done["embedded"], &done["pending"]), (&json!(8), &json!(0)), "{done}");
    assert_eq!(status()["vectors"][0]["embedded"], json!(8));
    let facts = ["recall", "--json", "--search", "facts", "quanthar"];
    let nodes = ["recall", "--json", "--search", "nodes", "quanthar"];
    let by_table = machine.because(facts).run().succeeds().json();
    assert_eq!(by_table["facts"], json!([]));
    assert_eq!(by_table["embedder"], json!({ "model": "built-in", "error": null }));
    let by_model = json!({ "model": "openai/small (5)", "error": null });
    let found = machine.with(&server, &facts).run().succeeds().json();
    assert_eq!(found["facts"][0]["text"], "Our zorbelin stays outside");
    assert_eq!(found["embedder"], by_model);
    let found = machine.with(&server, &nodes).run().succeeds().json();
    assert_eq!(found["nodes"][0]["text"], "We sell every zorbelin");
    assert_eq!(found["embedder"], by_model);
    let asked =
        machine.with(&server, &["context", "--json", "--no-receipt", "--question", "quanthar"]);
    let context = asked.run().succeeds().json();
    assert!(context["text"].as_str().unwrap().contains("Our zorbelin stays outside"), "{context}");
    let around = machine.with(&server, &["patch", "context", "--json", "quanthar"]);
    let around = around.run().succeeds().json();
    assert_eq!(around["records"].as_array().unwrap().len(), 2, "{around}");
    assert_eq!(around["embedder"], by_model);
    // A text that was replaced before it was embedded never is.
    let claim = ["claim", "add", "--json", "The hound is three"];
    let claim = machine.because(claim).run().succeeds().json()["id"].as_str().unwrap().to_owned();
    machine.because(["claim", "supersede", &claim, "The hound is four"]).run().succeeds();
    assert_eq!(status()["vectors"][0]["pending"], json!(3));
    machine.with(&server, &["embed"]).run().succeeds();
    let found = machine.with(&server, &["recall", "--json", "--search", "facts", "dog"]);
    let found = found.run().succeeds().json();
    let texts: Vec<&Value> =
        found["facts"].as_array().unwrap().iter().map(|fact| &fact["text"]).collect();
    assert_eq!(texts, ["The hound is four"], "{found}");
    // The built-in table answers while the server is away.
    let base = server.base().to_owned();
    drop(server);
    let gone = machine.because(["recall", "--json", "--search", "facts", "who stays outside"]);
    let gone = gone.variable("BECAUSE_EMBEDDER", "openai:small");
    let gone = gone.variable("BECAUSE_OPENAI_BASE_URL", &base).run().succeeds().json();
    assert_eq!(gone["facts"][0]["text"], "Our zorbelin stays outside");
    assert_eq!(gone["embedder"]["model"], "built-in");
    assert_eq!(gone["embedder"]["error"]["code"], "embedder_unreachable");
}

#[test]
fn a_question_that_names_a_person_is_embedded_once_for_records_and_once_for_facts() {
    let (machine, server) = (with_records(3), server());
    machine.with(&server, &["embed"]).run().succeeds();
    let last = || server.requests().last().unwrap().json()["input"].clone();
    machine.with(&server, &["recall", "Which bowl did Mara fire?"]).run().succeeds();
    assert_eq!(last(), json!(["Which bowl did I fire?", "Which bowl did Mara fire?"]));
    machine.with(&server, &["recall", "Which bowl was fired?"]).run().succeeds();
    assert_eq!(last(), json!(["Which bowl was fired?"]));
}

#[test]
fn recall_reports_an_unreachable_server_and_still_answers() {
    let machine = with_records(0);
    let server = server();
    machine.with(&server, &["embed"]).run().succeeds();
    let base = server.base().to_owned();
    drop(server);
    let gone = |arguments: &[&str]| {
        let call = machine.because(arguments.iter().copied());
        call.variable("BECAUSE_EMBEDDER", "openai:small").variable("BECAUSE_OPENAI_BASE_URL", &base)
    };
    let recalled = gone(&["recall", "--json", "dog"]).run().succeeds().json();
    assert_eq!(recalled["embedder"]["error"]["code"], "embedder_unreachable");
    assert_eq!(recalled["embedder"]["model"], "built-in");
    assert_eq!(recalled["results"][0]["evidence"]["payload"]["text"], "The dog sleeps");
    gone(&["recall", "dog"]).run().succeeds().says("used the built-in model instead");
    gone(&["remember", "The cat sleeps"]).run().succeeds().says("because embed` continues");
    let status = gone(&["status", "--json"]).run().succeeds().json();
    let vectors = &status["vectors"][0];
    assert_eq!(
        (&vectors["pending"], &vectors["attempts"], &vectors["serves"]),
        (&json!(1), &json!(1), &json!(true))
    );
    assert!(vectors["next_try"].is_string() && vectors["last_error"].is_string(), "{vectors}");
    let once = gone(&["embed", "--once", "--json"]).run().ends(4).json();
    assert_eq!(once["pending"], 1, "{once}");
    let forgotten = gone(&["embed", "--forget", "openai:small", "--json"]).run().succeeds().json();
    assert_eq!(forgotten["vectors"], 4);
    assert_eq!(gone(&["status", "--json"]).run().json()["vectors"], json!([]));
    assert_eq!(
        gone(&["embed", "--forget", "openai:small", "--json"]).run().ends(1).error_code(),
        "no_such_model"
    );
}

#[test]
fn recall_reports_that_the_chosen_model_has_embedded_nothing() {
    let machine = with_records(3);
    let said = machine
        .because(["--embedder", "local:nowhere", "recall", "--json", "number 1"])
        .run()
        .succeeds()
        .json();
    assert_eq!(said["embedder"]["model"], "built-in", "{said}");
    assert_eq!(said["embedder"]["error"]["code"], "model_unusable", "{said}");
    machine
        .because(["--embedder", "local:nowhere", "recall", "number 1"])
        .run()
        .succeeds()
        .says("because embed");
}

#[test]
fn context_uses_the_chosen_model_and_falls_back_to_the_built_in_one() {
    let machine = with_records(0);
    let server = server();
    machine.with(&server, &["embed"]).run().succeeds();
    let arguments = [
        "context",
        "--json",
        "--no-receipt",
        "--turn",
        "Mara: Good morning. Where has the hound gone?",
    ];
    let asked = server.requests().len();
    let context = machine.with(&server, &arguments).run().succeeds().json();
    assert!(context["text"].as_str().unwrap().contains("| The dog sleeps"), "{context}");
    assert_eq!(context["embedder"], json!({ "model": "openai/small (5)", "error": null }));
    // The turn and its sentences are embedded in one request.
    assert_eq!(server.requests().len(), asked + 1);
    machine
        .with(&server, &["context", "--json", "--budget", "0", "--question", "hound"])
        .run()
        .succeeds();
    assert_eq!(server.requests().len(), asked + 1, "asked though nothing is wanted");
    let base = server.base().to_owned();
    drop(server);
    let gone = |arguments: &[&str]| {
        let call =
            machine.because(arguments.iter().copied()).variable("BECAUSE_EMBEDDER", "openai:small");
        call.variable("BECAUSE_OPENAI_BASE_URL", &base).run().succeeds()
    };
    let context = gone(&["context", "--json", "--question", "Where does the dog sleep?"]).json();
    assert!(context["text"].as_str().unwrap().contains("| The dog sleeps"), "{context}");
    assert_eq!(context["embedder"]["model"], "built-in");
    assert_eq!(context["embedder"]["error"]["code"], "embedder_unreachable");
    gone(&["context", "--question", "Where does the dog sleep?"])
        .says("used the built-in model instead");
}

#[test]
fn a_rate_limit_is_waited_for_in_the_foreground() {
    let machine = with_records(0);
    let calls = AtomicUsize::new(0);
    // The first call asks for the dimensions.
    let server = Server::start(move |request| match calls.fetch_add(1, Ordering::SeqCst) {
        1 => Reply::json(429, &json!({})).with("retry-after", "1"),
        2 => Reply::json(503, &json!({})),
        _ => answer(request),
    });
    let begun = Instant::now();
    let done = machine.with(&server, &["embed", "--json"]).run().succeeds().json();
    assert_eq!(done["embedded"], 4);
    assert!(begun.elapsed() >= Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[test]
fn a_wrong_key_fails_embed_but_not_import() {
    let machine = with_records(0);
    let server =
        Server::start(|_| Reply::json(401, &json!({ "error": { "message": "no such key" } })));
    let refused = machine.with(&server, &["embed", "--json"]).run().ends(1);
    assert_eq!(refused.error_code(), "embedder_refused");
    machine.write("chat.jsonl", crate::samples::CHAT);
    let imported =
        machine.with(&server, &["import", "--json", "chat.jsonl"]).run().succeeds().json();
    assert_eq!(imported["embedded"]["code"], "embedder_refused", "{imported}");
    machine.because(["embed"]).run().succeeds().prints("Nothing to do");
}

#[test]
fn remember_waits_a_few_seconds_for_a_slow_service_and_leaves_the_rest_to_embed() {
    /// Texts in the space.
    const TURNS: usize = 12;
    let machine = with_records(TURNS);
    let server = Server::start(|request| {
        std::thread::sleep(Duration::from_millis(500));
        answer(request)
    });
    let begun = Instant::now();
    let remember = machine
        .with(&server, &["remember", "The cat sleeps"])
        .variable("BECAUSE_OPENAI_BATCH_MAX", "1");
    remember.run().succeeds().says("texts left to embed").says("`because embed` continues");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // A slow service has not failed, so it is not backed off from.
    let vectors =
        machine.with(&server, &["status", "--json"]).run().succeeds().json()["vectors"][0].clone();
    assert_eq!(
        (&vectors["attempts"], &vectors["last_error"]),
        (&json!(0), &Value::Null),
        "{vectors}"
    );
    assert!(vectors["embedded"].as_u64().unwrap() > 0, "{vectors}");
    assert_eq!(
        vectors["embedded"].as_u64().unwrap() + vectors["pending"].as_u64().unwrap(),
        (TURNS + 5 + belief_count(&machine)) as u64
    );
    machine.with(&server, &["recall", "cat"]).run().succeeds().prints("The cat sleeps");
}

#[test]
fn import_waits_once_for_a_service_that_hangs_and_counts_the_pending_records() {
    let machine = with_records(0);
    // The first call asks for the dimensions.
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |request| match calls.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => answer(request),
        _ => Reply::Silence,
    });
    for (name, line) in [("one.txt", "The cat sleeps"), ("two.txt", "The cup is full")] {
        machine.write(name, line);
    }
    let import =
        machine.with(&server, &["import", "--no-derive", "--format", "text", "one.txt", "two.txt"]);
    let import =
        import.variable("BECAUSE_OPENAI_TIMEOUT_S", "1").variable("BECAUSE_OPENAI_BATCH_MAX", "2");
    import
        .run()
        .succeeds()
        .says("did not answer within 1 s; 4 texts left to embed")
        .says("`because embed` continues");
    assert_eq!(server.requests().len(), 3);
    // A caller during the backoff gets the same error.
    machine.write("three.txt", "The bell rings");
    let import = machine
        .with(&server, &["import", "--no-derive", "--json", "--format", "text", "three.txt"]);
    assert_eq!(import.run().succeeds().json()["embedded"]["pending"], 5);
}

#[test]
fn status_explains_why_a_model_could_not_be_opened() {
    let machine = with_records(0);
    let check = |model: &str,
                 variable: (&'static str, &str),
                 code: &str,
                 reason: &str,
                 advice: &str| {
        let call = |arguments: &[&str]| {
            let call =
                machine.because(arguments.iter().copied()).variable("BECAUSE_EMBEDDER", model);
            call.variable(variable.0, variable.1)
        };
        call(&["remember", &format!("for {model}")]).run().succeeds().says("texts left to embed");
        call(&["status"]).run().succeeds().prints(reason).prints(advice);
        let embedder = call(&["status", "--json"]).run().succeeds().json()["embedder"].clone();
        assert_eq!(embedder["error"]["code"], code, "{embedder}");
        // A user who chose another model is not affected.
        assert_eq!(
            machine.because(["status", "--json"]).run().json()["embedder"]["error"],
            Value::Null
        );
    };
    let none = ("OPENAI_API_KEY", "");
    check("local:nowhere", none, "model_unusable", "nowhere cannot be used", "because model list");
    check(
        "owner/name",
        none,
        "model_unusable",
        "because model pull owner/name",
        "because model list",
    );
    check("openai:small", none, "embedder_refused", "set OPENAI_API_KEY", "check the key");
    let unset = ("BECAUSE_OPENAI_API_KEY_ENV", "NOT_SET");
    check(
        "openai:small",
        unset,
        "model_unusable",
        "the variable NOT_SET holds no key",
        "fix the problem that it names",
    );
    // Once it opens, the error is cleared.
    let server = server();
    machine.with(&server, &["embed"]).run().succeeds();
    let status = machine.with(&server, &["status", "--json"]).run().succeeds().json();
    assert_eq!(
        (&status["embedder"]["error"], &status["vectors"][0]["pending"]),
        (&Value::Null, &json!(0))
    );
}

#[test]
fn retries_of_a_server_with_a_bad_certificate_back_off() {
    let machine = with_records(0);
    // The server does not speak TLS at all.
    let server = server();
    let base = server.base().replace("http://", "https://");
    let call = |arguments: &[&str]| {
        let call =
            machine.because(arguments.iter().copied()).variable("BECAUSE_EMBEDDER", "openai:small");
        call.variable("BECAUSE_OPENAI_BASE_URL", &base)
    };
    let error = || call(&["status", "--json"]).run().succeeds().json()["embedder"]["error"].clone();
    for attempts in 1..=4 {
        call(&["remember", &format!("Note {attempts}")]).run().succeeds();
        let until: jiff::Timestamp = error()["next_try"].as_str().unwrap().parse().unwrap();
        assert_eq!(
            (&error()["attempts"], &error()["code"]),
            (&json!(attempts), &json!("embedder_unreachable"))
        );
        let left = until.duration_since(jiff::Timestamp::now());
        assert!(left.as_secs() < 1 << (attempts - 1), "{left:?}");
        if attempts < 4 {
            std::thread::sleep(
                Duration::try_from(left).unwrap_or_default() + Duration::from_millis(10),
            );
        }
    }
    // The model is not called before the backoff ends.
    call(&["remember", "Too early"]).run().succeeds().says("texts left to embed");
    assert_eq!(error()["attempts"], 4);
    call(&["status"]).run().succeeds().prints("openai does not answer").prints("again at");
    call(&["embed", "--once"]).run().ends(1);
    assert_eq!(error()["attempts"], 5, "an explicit request is not backed off");
}

#[test]
fn a_new_model_takes_over_when_it_has_embedded_everything() {
    let (machine, server) = (with_records(300), server());
    machine.with(&server, &["embed"]).run().succeeds();
    let is_refused = Arc::new(AtomicBool::new(true));
    let refuses = Arc::clone(&is_refused);
    let second = Server::start(move |request| {
        let is_probe = request.json()["input"].as_array().unwrap().len() == 1;
        let asks_for_it = request.json()["model"] == "large" && !is_probe;
        if asks_for_it && refuses.load(Ordering::SeqCst) {
            Reply::json(503, &json!({}))
        } else {
            answer(request)
        }
    });
    machine.with_model(&second, "openai:large", &["embed", "--once"]).run().ends(4);
    let recalled = machine
        .with_model(&second, "openai:large", &["recall", "--json", "hound"])
        .run()
        .succeeds()
        .json();
    assert_eq!(recalled["embedder"]["model"], "openai/small (5)");
    is_refused.store(false, Ordering::SeqCst);
    let done =
        machine.with_model(&second, "openai:large", &["embed", "--json"]).run().succeeds().json();
    assert_eq!(
        (&done["embedded"], &done["dropped"]),
        (&json!(304), &json!(["openai:small"])),
        "{done}"
    );
    let recalled = machine
        .with_model(&second, "openai:large", &["recall", "--json", "hound"])
        .run()
        .succeeds()
        .json();
    assert_eq!(recalled["embedder"]["model"], "openai/large (5)");
    assert_eq!(recalled["results"][0]["evidence"]["payload"]["text"], "The dog sleeps");
}

#[test]
fn a_space_embedded_by_a_service_does_not_cause_calls_to_it() {
    let (machine, server) = (with_records(0), server());
    machine.with(&server, &["embed"]).run().succeeds();
    let asked = server.requests().len();
    for model in ["ollama:other", "built-in", "local:/nowhere"] {
        let call =
            machine.because(["recall", "--json", "hound"]).variable("BECAUSE_EMBEDDER", model);
        let call = call.variable("BECAUSE_OPENAI_BASE_URL", server.base());
        assert_eq!(call.run().succeeds().json()["embedder"]["model"], "built-in", "{model}");
    }
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_killed_embed_resumes_where_it_stopped() {
    /// Texts in the space.
    const TURNS: usize = 400;
    let machine = with_records(TURNS);
    machine.because(["claim", "add", "Our zorbelin stays outside"]).run().succeeds();
    // What was stated is also a record.
    let texts = TURNS + 4 + 1 + belief_count(&machine);
    let server = Server::start(|request| {
        std::thread::sleep(Duration::from_millis(10));
        answer(request)
    });
    let embed =
        || machine.with(&server, &["embed", "--json"]).variable("BECAUSE_OPENAI_BATCH_MAX", "8");
    let mut last = 0;
    for round in 1..=8 {
        let mut running = embed().start();
        std::thread::sleep(Duration::from_millis(40 * round));
        running.kill().unwrap();
        running.wait().unwrap();
        let status = machine.with(&server, &["status", "--json"]).run().succeeds().json();
        let embedded = status["vectors"][0]["embedded"].as_u64().unwrap_or(0);
        assert!(embedded >= last, "round {round}: {embedded} after {last}");
        last = embedded;
    }
    let done = embed().run().succeeds().json();
    assert_eq!(done["embedded"].as_u64().unwrap() + last, texts as u64);
    let read: usize = server
        .requests()
        .iter()
        .map(|request| request.json()["input"].as_array().unwrap().len())
        .sum();
    // A batch that was requested and not written is requested again, and each start may ask for the
    // dimensions.
    assert!(read <= texts + 9 * (8 + 1), "{read}");
    machine.is_sound();
}

#[test]
fn an_ablation_study_embeds_each_text_once() {
    let (machine, server) = (Machine::with_space(), server());
    let document = r#"{"type":"document","id":"d","text":"The boat leaves."}"#;
    let query = r#"{"type":"query","id":"q","text":"Which vessel?","gold":["d"]}"#;
    std::fs::write(machine.work().join("mine.jsonl"), format!("{document}\n{query}\n")).unwrap();
    let study =
        ["--json", "--embedder", "openai:small", "eval", "retrieval", "mine.jsonl", "--ablation"];
    let report = machine.with(&server, &study).run().succeeds().json();
    assert_eq!(report["about"]["embedder"], json!("openai:small"), "{report}");
    // A score component that exists only with this model's vectors can be ablated as well.
    assert!(report["ablation"].to_string().contains("record alone"), "{report}");
    let texts = server
        .requests()
        .into_iter()
        .flat_map(|request| request.json()["input"].as_array().unwrap().clone());
    let texts: Vec<Value> = texts.collect();
    for asked in ["The boat leaves.", "Which vessel?"] {
        assert_eq!(texts.iter().filter(|text| **text == json!(asked)).count(), 1, "{texts:?}");
    }
}

#[test]
fn eval_measures_the_model_alone_and_its_fusion_with_words() {
    let (machine, server) = (Machine::with_space(), server());
    let lines = [
        r#"{"type":"document","id":"d1","text":"The boat leaves."}"#,
        r#"{"type":"document","id":"d2","text":"The kiln is hot."}"#,
        r#"{"type":"query","id":"q","text":"Which vessel?","gold":["d1"]}"#,
    ];
    machine.write("mine.jsonl", lines.join("\n"));
    let eval = ["--json", "--embedder", "openai:small", "eval", "retrieval", "mine.jsonl"];
    let report = machine.with(&server, &eval).run().succeeds().json();
    let hit_1 = |name: &str| {
        let systems = report["systems"].as_array().unwrap();
        let system = systems.iter().find(|system| system["name"] == name).unwrap();
        system["categories"][1]["hit_1"].as_f64()
    };
    let found = ["bm25-stemmed", "embedding", "hybrid-rrf"].map(hit_1);
    assert_eq!(found, [Some(0.0), Some(1.0), Some(1.0)], "no word is shared: {report}");
}

#[test]
fn a_thought_is_embedded_when_it_is_kept_and_an_outage_loses_none() {
    let is_down = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_down);
    let server = Server::start(move |request| match seen.load(Ordering::Relaxed) {
        true => Reply::json(503, &json!({ "error": { "message": "down" } })),
        false => answer(request),
    });
    let machine = Machine::with_space();
    let keep = |text: &str| {
        let arguments = ["think", "--keep", "--context", "On the vessel", text];
        machine.with(&server, &arguments).run().succeeds();
    };
    let found = |prompt: &str| -> Vec<String> {
        let arguments = ["--json", "think", "--ask", "--full", prompt];
        let answer = machine.with(&server, &arguments).run().succeeds().json();
        let sources = answer["result"]["sources"].as_array().unwrap().iter();
        sources.map(|source| source["content"].as_str().unwrap().to_owned()).collect()
    };
    keep("Our zorbelin stays outside");
    let asked: Vec<Value> =
        server.requests().iter().map(|request| request.json()["input"].clone()).collect();
    assert_eq!(asked.last(), Some(&json!(["Our zorbelin stays outside"])), "{asked:?}");
    assert_eq!(found("quanthar"), ["Our zorbelin stays outside"]);
    is_down.store(true, Ordering::Relaxed);
    keep("The hound sleeps in the hall");
    assert_eq!(found("sleeps in the hall"), ["The hound sleeps in the hall"]);
    is_down.store(false, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(1_100));
    machine.with(&server, &["embed"]).run().succeeds();
    assert_eq!(found("dog"), ["The hound sleeps in the hall"]);
}
