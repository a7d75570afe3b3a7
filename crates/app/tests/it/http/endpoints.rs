//! Every endpoint, end to end.

use serde_json::{Value, json};

use super::{Server, remember, served, token};
use crate::graph::add;
use crate::machine::Machine;

#[test]
fn what_is_remembered_over_http_is_recalled_everywhere_and_signed_by_the_tokens_key() {
    let (machine, server, token) = served();
    let body = json!({ "text": "The kiln reads twenty degrees low", "tags": ["kiln"] });
    let said = server.post("/api/v1/remember", &token, &body).succeeds();
    assert_eq!((&said["new"], &said["masked"]), (&json!(true), &json!([])));
    let found = server.post("/api/v1/recall", &token, &json!({ "question": "kiln degrees" }));
    assert_eq!(found.succeeds()["results"][0]["id"], said["id"]);
    let at_home = machine.because(["--json", "recall", "kiln degrees"]).run().succeeds().json();
    assert_eq!(at_home["results"][0]["id"], said["id"]);
    let shown = machine.because(["--json", "show", said["id"].as_str().unwrap()]).run().succeeds();
    let tokens = machine.because(["--json", "token", "list"]).run().succeeds().json();
    assert_eq!(shown.json()["header"]["author"], tokens["key"]);
    let device = machine.because(["--json", "key"]).run().succeeds().json();
    assert_ne!(tokens["key"], device["key"]);
    let secret = json!({ "text": "the token is ghp_16C7e42F292c6912E7710c838347Ae178B4a" });
    let said = server.post("/api/v1/remember", &token, &secret).succeeds();
    assert_eq!(said["masked"].as_array().unwrap().len(), 1, "{said}");
    machine.is_sound();
}

#[test]
fn beliefs_are_listed_explained_corrected_refuted_and_given_back() {
    let machine = Machine::with_chat();
    machine.because(["derive"]).run().succeeds();
    let token = token(&machine, "laptop", &[".:read,append,derive,correct"]);
    let server = Server::start(&machine);
    let post = |path: &str, body: Value| server.post(path, &token, &body).succeeds();
    let listed = server.get("/api/v1/claims?all=true&limit=1000", &token).succeeds();
    let claims = listed["claims"].as_array().unwrap();
    let key = claims[0]["key"].as_str().expect("the chat has beliefs").to_owned();
    let explained = post("/api/v1/explain", json!({ "name": key }));
    assert_eq!(explained["found"], "belief");
    assert!(!explained["built_from"].as_array().unwrap().is_empty());
    let tried = post("/api/v1/what-if", json!({ "refute": [key] }));
    assert_eq!((&tried["dry_run"], &tried["recorded"]), (&json!(true), &json!([])));
    let dry = post("/api/v1/refute", json!({ "name": key, "dry_run": true }));
    assert_eq!(dry, tried, "the same in one request");
    let refuted = post("/api/v1/refute", json!({ "name": key, "note": "not so" }));
    assert_eq!(refuted["recorded"].as_array().unwrap().len(), 1, "{refuted}");
    let state = server.get("/api/v1/claims?state=refuted", &token).succeeds();
    assert_eq!(state["claims"][0]["key"], key);
    let again = server.post("/api/v1/refute", &token, &json!({ "name": key }));
    again.fails(409, "ALREADY_REFUTED");
    let dry = post("/api/v1/withdraw", json!({ "name": key, "dry_run": true }));
    assert_eq!(dry["changes"][0]["change"], "now_believed", "{dry}");
    post("/api/v1/withdraw", json!({ "name": key }));
    assert_eq!(server.get("/api/v1/claims?state=refuted", &token).succeeds()["total"], 0);
    let why = post("/api/v1/why", json!({ "name": key, "store": true }));
    assert!(why["stored"].is_object() || why["not_stored"].is_string(), "{why}");
    let then = "2000-01-01";
    let past = json!({ "name": key, "as_of": then });
    assert_ne!(server.post("/api/v1/explain", &token, &past).status, 200, "not known then");
    let in_time = post("/api/v1/explain", json!({ "name": key, "valid_at": "2150-01-01" }));
    assert!(in_time["in_window"].is_boolean(), "{in_time}");
    let past = json!({ "name": key, "valid_at": then, "store": true });
    assert!(post("/api/v1/why", past)["not_stored"].is_string());
    for path in ["reviews", "patches"] {
        let path = format!("/api/v1/{path}?all=true&as_of={then}");
        assert!(server.get(&path, &token).succeeds().to_string().ends_with("[]}"), "{path}");
    }
    let context = json!({ "question": "kiln", "as_of": then, "no_receipt": true });
    assert_eq!(post("/api/v1/context", context)["items"], json!([]));
    for path in ["explain", "why", "context", "patches/context"] {
        let mut asked = json!({ "valid_at": "soon" });
        let field = if path.ends_with("context") { "question" } else { "name" };
        let field = if path.starts_with("patches") { "query" } else { field };
        asked[field] = json!(key);
        server.post(&format!("/api/v1/{path}"), &token, &asked).fails(400, "VALIDATION_ERROR");
    }
    let reviews = server.get("/api/v1/reviews?all=true", &token).succeeds();
    assert!(reviews["reviews"].is_array());
    machine.is_sound();
}

#[test]
fn a_record_is_corrected_retracted_restored_and_forgotten() {
    let (machine, server, token) = served();
    let post = |path: &str, body: Value| server.post(path, &token, &body).succeeds();
    let id = remember(&server, &token, "The glaze matures at nine hundred degrees");
    let by = json!({ "name": id, "text": "The glaze matures at 1240 degrees", "note": "misread" });
    let id = post("/api/v1/correct", by)["recorded"][0].as_str().unwrap().to_owned();
    let found = || {
        let asked = json!({ "question": "glaze matures degrees" });
        post("/api/v1/recall", asked)["results"].as_array().unwrap().len()
    };
    assert_eq!(found(), 1);
    post("/api/v1/retract", json!({ "ids": [id], "dry_run": true }));
    assert_eq!(found(), 1);
    post("/api/v1/retract", json!({ "ids": [id] }));
    assert_eq!(found(), 0);
    post("/api/v1/restore", json!({ "which": { "source": "remember" } }));
    assert_eq!(found(), 1);
    let plan = post("/api/v1/forget", json!({ "ids": [id], "dry_run": true }));
    assert_eq!((&plan["dry_run"], found()), (&json!(true), 1));
    let gone = post("/api/v1/forget", json!({ "ids": [id], "reason": "asked to" }));
    assert_eq!((&gone["dry_run"], found()), (&json!(false), 0));
    server.post("/api/v1/forget", &token, &json!({})).fails(400, "VALIDATION_ERROR");
    machine.is_sound();
}

#[test]
fn patches_are_checked_proposed_applied_and_reverted() {
    let (machine, server, token) = served();
    let post = |path: &str, body: Value| server.post(path, &token, &body);
    let source = remember(&server, &token, "We fire at cone six from now on");
    let operation = json!({
        "op": "create_claim", "local": "a", "type": "decision_rationale",
        "text": "Cone six saves gas", "sources": [source],
    });
    let mut patch = json!({ "text": "what follows", "operations": [operation] });
    patch["operations"][0]["type"] = json!("fact");
    let checked = post("/api/v1/patches/check", json!({ "patch": patch })).succeeds();
    assert_eq!(checked["ok"], true, "{checked}");
    let proposed = post("/api/v1/patches", json!({ "patch": patch })).succeeds();
    let listed = server.get("/api/v1/patches", &token).succeeds();
    assert_eq!(listed["patches"][0]["id"], proposed["id"]);
    let applied = post("/api/v1/patches/apply", json!({ "id": proposed["id"] })).succeeds();
    assert_eq!(applied["appended"].as_array().unwrap().len(), 1);
    let around = post("/api/v1/patches/context", json!({ "query": "cone six" })).succeeds();
    assert!(around["records"].is_array());
    post("/api/v1/patches/apply", json!({ "id": proposed["id"] })).fails(409, "PATCH_SETTLED");
    post("/api/v1/patches/revert", json!({ "id": proposed["id"] })).succeeds();
    post("/api/v1/patches/apply", json!({ "id": proposed["id"] })).fails(409, "PATCH_SETTLED");
    let mut unfit = patch.clone();
    unfit["operations"][0]["text"] = json!("");
    let checked = post("/api/v1/patches/check", json!({ "patch": unfit })).succeeds();
    assert_eq!((&checked["ok"], checked["reasons"].is_array()), (&json!(false), true));
    post("/api/v1/patches", json!({ "patch": unfit })).fails(409, "PATCH_REFUSED");
    unfit["operations"][0]["sources"] = json!(["ffffffff"]);
    let checked = post("/api/v1/patches/check", json!({ "patch": unfit })).succeeds();
    let codes = ["unknown_ref", "empty_text"].map(|code| checked.to_string().contains(code));
    assert_eq!(codes, [true, true], "every reason: {checked}");
    post("/api/v1/patches/apply", json!({})).fails(400, "VALIDATION_ERROR");
    let second = post(
        "/api/v1/patches",
        json!({ "patch": {
        "text": "b", "operations": [{
            "op": "create_node", "type": "decision", "text": "Fire at cone six",
            "sources": [source],
        }],
    } }),
    );
    let id = second.succeeds()["id"].as_str().unwrap().to_owned();
    post("/api/v1/patches/revert", json!({ "id": id })).fails(409, "PATCH_SETTLED");
    post(&format!("/api/v1/reviews/{id}"), json!({ "decision": "dismiss" })).succeeds();
    post(&format!("/api/v1/reviews/{id}"), json!({ "decision": "accept" }))
        .fails(409, "PATCH_SETTLED");
    post(&format!("/api/v1/reviews/{id}"), json!({ "id": id, "decision": "dismiss" }))
        .fails(400, "VALIDATION_ERROR");
    machine.is_sound();
}

#[test]
fn a_patch_is_proposed_once_and_without_the_tags_that_only_the_person_sets() {
    let (machine, server, token) = served();
    let propose =
        |patch: &Value| server.post("/api/v1/patches", &token, &json!({ "patch": patch }));
    let source = remember(&server, &token, "We fire at cone six from now on");
    let operation = json!({
        "op": "create_claim", "type": "fact", "text": "Cone six saves gas", "sources": [source],
    });
    let mut patch = json!({ "text": "what follows", "operations": [operation] });
    let first = propose(&patch).succeeds();
    let again = propose(&patch).succeeds();
    assert_eq!(again, json!({ "id": first["id"], "status": "pending" }));
    let listed = || server.get("/api/v1/patches?all=true", &token).succeeds()["patches"].clone();
    assert_eq!(listed().as_array().unwrap().len(), 1);
    let review = format!("/api/v1/reviews/{}", first["id"].as_str().unwrap());
    server.post(&review, &token, &json!({ "decision": "dismiss" })).succeeds();
    let declined = propose(&patch).succeeds();
    assert_eq!(declined, json!({ "id": first["id"], "status": "dismissed" }));
    for tag in ["mi:setting:auto_learn", "Values:base"] {
        patch["operations"][0]["tags"] = json!(["kiln", tag]);
        let refused = propose(&patch).fails(400, "VALIDATION_ERROR");
        assert!(refused["error"]["message"].as_str().unwrap().contains(tag), "{refused}");
    }
    assert_eq!(listed().as_array().unwrap().len(), 1);
    machine.is_sound();
}

#[test]
fn a_type_that_does_not_exist_is_refused_with_those_that_do() {
    let (_machine, server, token) = served();
    for (path, known) in [
        ("/api/v1/claims?type=zork", "routine"),
        ("/api/v1/graph/export?format=dot&type=entity&type=zork", "decision"),
    ] {
        let refused = server.get(path, &token).fails(400, "VALIDATION_ERROR");
        assert!(refused["error"]["message"].as_str().unwrap().contains(known), "{refused}");
    }
    for path in [
        "/api/v1/claims?type=routine.weekly",
        "/api/v1/claims?type=fact",
        "/api/v1/graph/export?format=dot&type=entity&type=routine",
    ] {
        server.get(path, &token).succeeds();
    }
}

#[test]
fn a_context_a_status_and_the_descriptions_are_answered() {
    let (machine, server, token) = served();
    remember(&server, &token, "The tall bowls take the celadon glaze");
    let turns = json!({ "turns": [{ "speaker": "Mara", "text": "Which glaze for tall bowls?" }] });
    let context = server.post("/api/v1/context", &token, &turns).succeeds();
    assert!(context["text"].as_str().unwrap().contains("celadon"), "{context}");
    server.post("/api/v1/context", &token, &json!({})).fails(400, "VALIDATION_ERROR");
    add(&machine, &["Tall bowls take celadon."]);
    let task = json!({ "task": "Choose a glaze for the tall bowls" });
    let context = server.post("/api/v1/context", &token, &task).succeeds();
    assert!(context["text"].as_str().unwrap().contains("Tall bowls take celadon."), "{context}");
    assert_eq!(context["receipts"].as_array().unwrap().len(), 1, "{context}");
    let blank = json!({ "task": " " });
    server.post("/api/v1/context", &token, &blank).fails(400, "VALIDATION_ERROR");
    let status = server.get("/api/v1/status", &token).succeeds();
    assert_eq!((&status["name"], &status["token"]["name"]), (&json!("pottery"), &json!("laptop")));
    assert!(status["operations"]["evidence"].as_u64().unwrap() > 0);
    let spaces = server.get("/api/v1/spaces", &token).succeeds();
    assert_eq!(spaces["spaces"][0]["name"], "pottery");
    for open in ["/health", "/api/v1/health"] {
        assert_eq!(server.get(open, "").succeeds()["status"], "ok");
    }
    let document = server.get("/api/openapi.json", "").succeeds();
    assert_eq!(document["openapi"], "3.1.0");
    for path in document["paths"].as_object().unwrap().keys() {
        assert!(server.get(path, "").status != 404, "{path}");
    }
    for page in ["/api/docs", "/api/docs.js", "/api/docs.css"] {
        assert_eq!(server.get(page, "").status, 200, "{page}");
    }
    let metrics = server.get("/metrics", "").body;
    let counted =
        "because_requests_total{path=\"/api/v1/remember\",method=\"POST\",status=\"200\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
    assert!(!metrics.contains("pottery") && !metrics.contains("laptop"));
}

#[test]
fn what_is_thought_over_http_is_a_thought_everywhere_and_the_clock_is_the_machine_s() {
    let (machine, server, token) = served();
    let post = |body: Value| server.post("/api/v1/memory", &token, &body).succeeds();
    let prompt = "The kiln reaches cone six in nine hours when the lid stays closed.";
    let kept = post(json!({ "prompt": prompt, "agent_id": "a", "agent_name": "Ann" }));
    let id = kept["trace"]["contributed_thought_id"].as_str().unwrap();
    let shown = machine.because(["--json", "thought", "show", id]).run().succeeds().json();
    assert_eq!((&shown["content"], &shown["contributor_name"]), (&json!(prompt), &json!("Ann")));
    let found =
        server.post("/api/v1/recall", &token, &json!({ "question": "cone", "search": "nodes" }));
    assert_eq!(found.succeeds()["thoughts"][0]["thought_id"], id);
    let moved = server.post("/test/clock", "", &json!({ "advance_hours": 24 }));
    moved.fails(404, "NOT_FOUND");
    machine.is_sound();
}

#[test]
fn files_are_imported_from_a_form_and_from_a_body() {
    let (machine, server, token) = served();
    let part = |name: &str, text: &str| {
        format!(
            "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n"
        )
    };
    let notes = part("../../Kiln notes.md", "# Kiln\n\nIt reads low.\n");
    let chat = part("chat.jsonl", crate::samples::CHAT);
    let form = "Content-Type: multipart/form-data; boundary=X\r\n";
    let sent = server.request_with(
        "POST",
        "/api/v1/import",
        &token,
        form,
        format!("{notes}{chat}--X--\r\n"),
    );
    let answer = sent.succeeds();
    assert_eq!(answer["sources"][0]["path"], "Kiln notes.md");
    assert!(answer["sources"][1]["added"].as_u64().unwrap() >= 4, "{answer}");
    assert!(answer["derived"].is_object());
    let lines = "Content-Type: application/x-ndjson\r\nAccept: text/event-stream\r\n";
    let path = "/api/v1/import?name=chat.jsonl&dry_run=true";
    let sent = server.request_with("POST", path, &token, lines, crate::samples::CHAT);
    assert_eq!(sent.header("content-type"), Some("text/event-stream"));
    assert!(sent.body.contains("event: result"), "{}", sent.body);
    let bad = |path: &str, headers: &str, body: &str| {
        server.request_with("POST", path, &token, headers, body)
    };
    bad("/api/v1/import", "", "x").fails(415, "UNSUPPORTED_MEDIA_TYPE");
    let packed = "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n";
    bad("/api/v1/import", packed, "x").fails(415, "UNSUPPORTED_MEDIA_TYPE");
    bad("/api/v1/import", form, "--X--\r\n").fails(400, "VALIDATION_ERROR");
    bad("/api/v1/import", form, "no form").fails(400, "VALIDATION_ERROR");
    let text = "Content-Type: text/plain\r\n";
    bad("/api/v1/import?format=nix", text, "x").fails(400, "VALIDATION_ERROR");
    bad("/api/v1/import?format=folder", text, "x").fails(400, "SOURCE_FORMAT");
    bad("/api/v1/import?nix=1", text, "x").fails(400, "VALIDATION_ERROR");
    bad("/api/v1/import?first_number=year", text, "x").fails(400, "VALIDATION_ERROR");
    for (number, time) in [("day", "2025-06-02T"), ("month", "2025-02-06T")] {
        let dated = format!("02/06/2025, 09:00 - Ana: The {number} wheel is here\n");
        let path = format!("/api/v1/import?name={number}.txt&first_number={number}");
        assert_eq!(bad(&path, text, &dated).succeeds()["sources"][0]["added"], 1);
        let found = server.post("/api/v1/recall", &token, &json!({ "question": "wheel" }));
        let found = found.succeeds();
        assert!(found["results"].to_string().contains(time), "{number}: {found}");
    }
    machine.is_sound();
}

#[test]
fn a_verification_reports_its_progress_and_finds_the_space_sound() {
    let (_machine, server, token) = served();
    remember(&server, &token, "Something");
    let plain = server.post("/api/v1/verify", &token, &json!({})).succeeds();
    assert_eq!(plain["sound"], true, "{plain}");
    let headers = "Content-Type: application/json\r\nAccept: text/event-stream\r\n";
    let streamed = server.request_with("POST", "/api/v1/verify", &token, headers, "{}");
    assert!(streamed.body.contains("event: progress"), "{}", streamed.body);
    let result = streamed.body.split("event: result\ndata: ").nth(1).unwrap();
    let result: Value = serde_json::from_str(result.lines().next().unwrap()).unwrap();
    assert_eq!(result["sound"], true);
}
