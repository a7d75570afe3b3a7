//! `because why` and `because patch propose --model` with a server that plays models: one that
//! answers well, and others that lie, refuse, talk nonsense and are slow.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::machine::{Machine, Ran};
use crate::server::{Reply, Request, Server};

/// A space with a decision that depends on a claim, and a model.
struct ModelSpace {
    machine: Machine,
    server: Server,
    decision: String,
    claim: String,
    note: String,
    /// What the model does next.
    answer: Arc<Mutex<Script>>,
}

#[derive(Clone)]
enum Script {
    With(Value),
    Words(&'static str),
    Refusing,
    Slow,
}

/// The records of a prompt: its one message is JSON.
fn sent(request: &Request) -> Value {
    let messages = request.json()["messages"].clone();
    let of_user = messages.as_array().unwrap().iter().find(|it| it["role"] == "user").unwrap();
    serde_json::from_str(of_user["content"].as_str().unwrap()).unwrap()
}

fn short(id: &str) -> String {
    id.trim_start_matches("b3:")[..16].to_owned()
}

impl ModelSpace {
    fn new(more: &str) -> Self {
        let machine = Machine::with_space();
        let answer = Arc::new(Mutex::new(Script::Refusing));
        let play = Arc::clone(&answer);
        let server = Server::start(move |_| {
            let content = match play.lock().unwrap().clone() {
                Script::With(value) => value.to_string(),
                Script::Words(words) => words.to_owned(),
                Script::Refusing => {
                    return Reply::json(401, &json!({ "error": { "message": "no" } }));
                }
                Script::Slow => return Reply::Drip,
            };
            Reply::json(
                200,
                &json!({ "model": "small-2026", "choices": [{ "message": { "content": content } }],
                    "usage": { "prompt_tokens": 100, "completion_tokens": 10 } }),
            )
        });
        machine.write_own_configuration(&format!(
            "[language_model]\nmodel = \"openai-compatible:small\"\nbase_url = \"{}\"\n\
             timeout_s = 1\n{more}",
            server.base()
        ));
        let add = |words: &[&str]| {
            let added = machine.because(words).arguments(["--json"]).run().succeeds().json();
            added["id"].as_str().unwrap().to_owned()
        };
        let claim = add(&["claim", "add", "The kiln must be dry"]);
        let note = add(&["remember", "Talk about the kiln"]);
        let decision = add(&["node", "add", "--type", "decision", "We fire the kiln on Friday"]);
        add(&["edge", "add", "--type", "depends_on", "--from", &decision, "--to", &claim]);
        Self { machine, server, decision, claim, note, answer }
    }

    fn play(&self, script: Script) -> &Self {
        *self.answer.lock().unwrap() = script;
        self
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.machine.because(arguments).run()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.machine.because(["--json"]).arguments(arguments).run().succeeds().json()
    }

    fn choosing(&self, chosen: &[&str], confidence: f64) -> Script {
        let chosen: Vec<String> = chosen.iter().map(|id| short(id)).collect();
        Script::With(json!({
            "status": "supported", "chosen": chosen, "explanation": "Wet clay bursts.",
            "confidence": confidence,
        }))
    }
}

#[test]
fn a_model_chooses_why_and_where_it_fails_the_rules_answer() {
    let here = ModelSpace::new("keep_transcripts = true\n");
    let why = ["why", "last"];
    let ghost = "b3:".to_owned() + &"07".repeat(32);
    let lie = here.choosing(&[&here.claim, &ghost, &here.decision], 0.8);
    let chosen = here.play(lie).json(&why);
    assert_eq!(chosen["support"]["claims"], json!([here.claim]));
    assert_eq!(chosen["support"]["method"], "openai-compatible:small (small-2026)");
    let model = &chosen["model"];
    assert_eq!(model["dropped"], json!([short(&ghost), short(&here.decision)]));
    assert_eq!((&model["prompt_version"], &model["confidence"]), (&json!("why-1"), &json!(0.8)));
    let trace = chosen["stored"]["id"].as_str().unwrap();
    let explained = here.json(&["explain", trace]);
    assert_eq!(explained["transcripts"][0]["op_id"], model["transcripts"][0]);
    here.run(&["explain", trace]).prints("asked of a language model");
    let found = here.json(&["recall", "Wet clay bursts"]);
    assert!(!found.to_string().contains("model_transcript"), "{found}");
    let asked = sent(&here.server.requests()[0]);
    assert_eq!(asked["target"][0]["text"], "We fire the kiln on Friday");
    let before = here.server.requests().len();
    for (script, code) in [
        (Script::Refusing, "language_model_refused"),
        (Script::Slow, "language_model_timed_out"),
        (Script::Words("Because it is so."), "language_model_invalid_answer"),
    ] {
        let answer = here.play(script).json(&why);
        assert_eq!(answer["model_error"]["code"], code);
        assert_eq!(answer["support"]["method"], "minimal_support");
    }
    here.run(&why).says("this is the answer by rules").prints("no fewer would do");
    let asked = here.server.requests().len();
    assert!(asked > before + 3);
    let dry = here.json(&["why", "last", "--dry-run"]);
    assert_eq!(dry["model_not_asked"], "dry_run");
    let rules = here.json(&["why", "last", "--rules"]);
    assert_eq!((&rules["model_not_asked"], &rules["model_error"]), (&Value::Null, &Value::Null));
    assert_eq!(here.server.requests().len(), asked, "neither asks");
    let status = here.json(&["status"]);
    assert_eq!(
        (&status["model_use"][0]["priced"], &status["private_use"]),
        (&json!(0), &json!([]))
    );
    here.machine.is_sound();
}

#[test]
fn a_model_proposes_a_patch_that_waits_for_a_decision_or_is_refused_with_every_reason() {
    let here = ModelSpace::new("");
    let propose = ["patch", "propose", "--model", "the kiln"];
    let sources = json!([short(&here.claim)]);
    let add = |sources: &Value| {
        json!({ "op": "create_claim", "local": null, "type": "fact", "text": "Kilns burst wet clay",
            "sources": sources, "valid_from": null, "valid_to": null, "confidence": null })
    };
    let patch = |operations: Value| {
        Script::With(json!({ "text": "What the kiln does", "operations": operations }))
    };
    let proposed = here.play(patch(json!([add(&sources)]))).json(&propose);
    assert_eq!(
        (&proposed["status"], &proposed["model"], &proposed["prompt_version"]),
        (&json!("pending"), &json!("openai-compatible:small (small-2026)"), &json!("patch-1"))
    );
    let id = proposed["id"].as_str().unwrap();
    here.run(&["review", "list"]).prints("by openai-compatible:small");
    let listed = here.json(&["review", "list"]);
    assert_eq!((&listed["id"], &listed["model"]), (&json!(id), &proposed["model"]));
    here.run(&["review", "accept", id]).succeeds();
    let claims = here.run(&["claim", "list"]).succeeds();
    claims.prints("Kilns burst wet clay");
    // The note is in the space, but the model was not shown it.
    let invented = json!([add(&json!([])), { "op": "retract", "local": null,
        "target": short(&here.note), "reason": "", "sources": sources }]);
    let refused = here.play(patch(invented)).run(&[&propose[..], &["--json"]].concat()).ends(3);
    let reasons = refused.json()["reasons"].clone();
    let codes = reasons.as_array().unwrap().iter().map(|reason| reason["code"].as_str().unwrap());
    assert_eq!(codes.collect::<Vec<_>>(), ["empty_inputs", "outside_context"]);
    here.run(&propose).ends(3).prints("Refused");
    let failed = here.play(Script::Refusing).run(&[&propose[..], &["--json"]].concat()).ends(1);
    assert_eq!(failed.error_code(), "language_model_refused");
    let none = here.json(&["patch", "propose", "--model", "zzz"]);
    assert_eq!((&none["id"], &none["status"]), (&Value::Null, &json!("nothing_known")));
    here.machine.write_own_configuration("");
    let without = here.run(&[&propose[..], &["--json"]].concat()).ends(2);
    assert_eq!(without.error_code(), "no_language_model");
    here.machine.is_sound();
}

#[test]
fn private_records_reach_a_model_only_by_the_users_own_file() {
    let here = ModelSpace::new("");
    let add = |words: &[&str]| here.json(words)["id"].as_str().unwrap().to_owned();
    let diary = add(&["claim", "add", "The diary lies below the kiln", "--visibility", "private"]);
    add(&["edge", "add", "--type", "derived_from", "--from", &here.decision, "--to", &diary]);
    here.play(here.choosing(&[&here.claim], 0.6));
    let answer = here.json(&["why", &here.decision]);
    assert_eq!(answer["model"]["cut"]["withheld"], 1);
    let own = format!(
        "[language_model]\nmodel = \"openai-compatible:small\"\nbase_url = \"{}\"\n\
         [mind]\nallow_private = true\n",
        here.server.base()
    );
    here.machine.write(".because/config.toml", "[mind]\nallow_private = true\n");
    let refused = here.run(&["why", &here.decision, "--json"]).ends(2);
    refused.says("who sees what is private");
    here.machine.write(".because/config.toml", "");
    here.machine.write_own_configuration(&own);
    here.json(&["why", &here.decision]);
    let shown: Vec<bool> =
        here.server.requests().iter().map(|it| sent(it).to_string().contains("diary")).collect();
    assert_eq!(shown, [false, true]);
    let used = &here.json(&["status"])["private_use"][0];
    assert_eq!(
        (&used["model"], &used["prompt_version"], &used["requests"], &used["records"]),
        (&json!("openai-compatible:small"), &json!("why-1"), &json!(1), &json!([diary]))
    );
    here.run(&["status"]).prints("was shown 1 private record in 1 request (why-1)");
}
