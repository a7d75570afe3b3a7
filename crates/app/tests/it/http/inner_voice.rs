//! The inner voice over HTTP.

use serde_json::{Value, json};

use super::{Server, remember, served, token};

const QUESTION: &str = "Which glaze did Idris recommend for the tall bowls?";

#[test]
fn a_question_is_answered_with_sources_and_kept_by_whoever_may_append() {
    let (machine, server, all) = served();
    let id = remember(&server, &all, "Idris recommended the ash glaze for the tall bowls.");
    let ask = |server: &Server, token: &str, body: Value| {
        server.post("/api/v1/inner-voice", token, &body)
    };
    let answer = ask(&server, &all, json!({ "content": QUESTION })).succeeds();
    assert_eq!(answer["sources"][0]["thought_id"], json!(id));
    assert!(answer["synthesized_answer"].as_str().unwrap().ends_with("[1]"), "{answer}");
    let kept = answer["saved_thought_id"].as_str().unwrap();
    let shown = machine.because(["--json", "node", "show", kept]).run().succeeds().json();
    assert_eq!(shown["payload"]["summary_of"], json!([id]));
    let nothing = json!({ "content": "Who won the chess tournament in Reykjavik?" });
    let nothing = ask(&server, &all, nothing).succeeds();
    assert_eq!((&nothing["abstains"], &nothing["not_saved"]), (&json!(true), &json!("no_source")));
    let reader = token(&machine, "reader", &[".:read"]);
    let save = json!({ "content": QUESTION, "save": true });
    ask(&server, &reader, save).fails(403, "FORBIDDEN");
    let read = ask(&server, &reader, json!({ "content": QUESTION })).succeeds();
    assert_eq!(read["sources"][0]["thought_id"], json!(id));
    assert_eq!(read["not_saved"], json!("not_permitted"));
    let read = ask(&server, &reader, json!({ "content": QUESTION, "save": false })).succeeds();
    assert_eq!(read["saved_thought_id"], Value::Null);
    ask(&server, &all, json!({ "content": " " })).fails(400, "VALIDATION_ERROR");
    // What is wrong with the fields comes before the right to keep the answer.
    let wrong = [json!({ "sim_thresh": 2 }), json!({ "as_of": "" }), json!({ "valid_at": "x" })];
    for mut body in wrong {
        body["content"] = json!(QUESTION);
        body["save"] = json!(true);
        ask(&server, &reader, body).fails(400, "VALIDATION_ERROR");
    }
    ask(&server, &all, json!({ "content": "x", "top": 1 })).fails(400, "VALIDATION_ERROR");
}
