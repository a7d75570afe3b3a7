//! Who sees and does what: every endpoint, for every token, in every space, with what is private.

use serde_json::{Value, json};

use super::{Reply, Server, token};
use crate::graph::{add, json as json_of};
use crate::machine::Machine;
use crate::private::{WORD, private_machine, private_names_of};

/// Whether a text holds words of private records that no request here has.
fn leaks(text: &str) -> bool {
    let text = text.to_lowercase();
    ["halvorsen", "left early", "zirconquokka appointment", "zirconquokka house"]
        .iter()
        .any(|words| text.contains(words))
}

/// A request of each endpoint about a record, and the right that it needs.
fn requests(id: &str) -> Vec<(&'static str, String, Value, &'static str)> {
    let id = id.to_owned();
    let patch = json!({ "text": "t", "operations": [
        { "op": "create_claim", "type": "fact", "text": "It follows", "sources": [id] },
    ]});
    let post = |path: &str, body: Value, right| ("POST", path.to_owned(), body, right);
    let get = |path: &str| ("GET", path.to_owned(), Value::Null, "read");
    vec![
        post("/api/v1/recall", json!({ "question": WORD, "graph": true }), "read"),
        post("/api/v1/recall", json!({ "question": WORD, "search": "nodes" }), "read"),
        post(
            "/api/v1/inner-voice",
            json!({ "content": WORD, "sim_thresh": 0, "save": false }),
            "read",
        ),
        post("/api/v1/inner-voice", json!({ "content": WORD, "sim_thresh": 0 }), "read"),
        post(
            "/api/v1/inner-voice",
            json!({ "content": WORD, "sim_thresh": 0, "save": true }),
            "append",
        ),
        post(
            "/api/v1/inner-voice",
            json!({ "content": WORD, "sim_thresh": 0, "save": false, "stage_kg": true }),
            "derive",
        ),
        post("/api/v1/context", json!({ "question": WORD }), "read"),
        post("/api/v1/explain", json!({ "name": id }), "read"),
        post("/api/v1/why", json!({ "name": id }), "read"),
        post("/api/v1/why", json!({ "name": id, "store": true }), "append"),
        post("/api/v1/what-if", json!({ "retract": [id] }), "read"),
        post("/api/v1/what-if", json!({ "without": { "source": "ical" } }), "read"),
        post("/api/v1/what-if", json!({ "forget": [id] }), "read"),
        get("/api/v1/claims?all=true&limit=1000"),
        get("/api/v1/claims?all=true&contains=zirconquokka"),
        get(&format!("/api/v1/graph/search?query={WORD}")),
        get(&format!("/api/v1/graph/show?name={id}")),
        get(&format!("/api/v1/graph/neighbours?name={id}&depth=2")),
        get(&format!("/api/v1/graph/path?from={id}&to={id}")),
        get("/api/v1/graph/export?format=json-ld&private=true"),
        get("/api/v1/graph/candidates?status=any"),
        post(
            "/api/v1/graph/moderate",
            json!({ "items": [{ "id": id, "decision": "accept" }], "dry_run": true }),
            "read",
        ),
        post(
            "/api/v1/graph/moderate",
            json!({ "items": [{ "id": id, "decision": "accept" }] }),
            "correct",
        ),
        get("/api/v1/reviews?all=true"),
        get("/api/v1/patches?all=true"),
        get("/api/v1/status"),
        post("/api/v1/patches/context", json!({ "query": WORD }), "read"),
        post("/api/v1/patches/check", json!({ "patch": patch }), "read"),
        post("/api/v1/patches", json!({ "patch": patch }), "derive"),
        post("/api/v1/patches/apply", json!({ "patch": patch }), "correct"),
        post("/api/v1/patches/revert", json!({ "id": id }), "correct"),
        post("/api/v1/correct", json!({ "name": id, "text": "Nothing", "note": "n" }), "correct"),
        post("/api/v1/correct", json!({ "name": id, "text": "Nothing", "dry_run": true }), "read"),
        post("/api/v1/refute", json!({ "name": id, "dry_run": true }), "read"),
        post("/api/v1/withdraw", json!({ "name": id, "dry_run": true }), "read"),
        post("/api/v1/refute", json!({ "name": id }), "correct"),
        post("/api/v1/withdraw", json!({ "name": id }), "correct"),
        post("/api/v1/retract", json!({ "ids": [id], "dry_run": true }), "read"),
        post("/api/v1/retract", json!({ "ids": [id] }), "correct"),
        post("/api/v1/restore", json!({ "ids": [id] }), "correct"),
        post("/api/v1/maintenance", json!({ "operation": "list_removals" }), "read"),
        post("/api/v1/maintenance", json!({ "operation": "health" }), "read"),
        post(
            "/api/v1/maintenance",
            json!({ "operation": "export_removals", "dry_run": true }),
            "read",
        ),
        post("/api/v1/maintenance", json!({ "operation": "mark", "ids": [id] }), "correct"),
        post("/api/v1/maintenance", json!({ "operation": "export_removals" }), "correct"),
        post("/api/v1/maintenance", json!({ "operation": "finalize_removal" }), "correct"),
        post("/api/v1/maintenance", json!({ "operation": "dedupe" }), "correct"),
        post("/api/v1/forget", json!({ "ids": [id], "dry_run": true }), "read"),
        post("/api/v1/forget", json!({ "ids": [id] }), "correct"),
        post(
            &format!("/api/v1/reviews/{id}"),
            json!({ "decision": "accept", "dry_run": true }),
            "read",
        ),
        post(&format!("/api/v1/reviews/{id}"), json!({ "decision": "accept" }), "correct"),
        post("/api/v1/verify", json!({}), "read"),
        post("/api/v1/remember", json!({ "text": "Written by a token" }), "append"),
    ]
}

fn send(
    server: &Server,
    (method, path, body, _): &(&str, String, Value, &str),
    token: &str,
    space: &str,
) -> Reply {
    if *method == "GET" {
        let mark = if path.contains('?') { '&' } else { '?' };
        let space = space.replace(' ', "%20");
        return server.get(&format!("{path}{mark}space={space}"), token);
    }
    let mut body = body.clone();
    body["space"] = json!(space);
    server.post(path, token, &body)
}

fn spaces_served(machine: &Machine) -> Server {
    let pottery = machine.space();
    let pottery = pottery.to_str().unwrap();
    Server::start_with(machine, &["--rate-limit", "off", pottery, "clinic.db"])
}

#[test]
fn every_endpoint_for_every_token_in_every_space() {
    let machine = private_machine();
    let note = machine.because(["--json", "--space", "clinic.db", "remember", "Open at nine"]);
    let note = note.run().succeeds().json()["id"].as_str().unwrap().to_owned();
    let tokens = [
        ("none", token(&machine, "t-pottery", &[".:read,append,derive,correct,private"])),
        ("read", token(&machine, "t-read", &["clinic.db:read"])),
        ("append", token(&machine, "t-append", &["clinic.db:append"])),
        ("derive", token(&machine, "t-derive", &["clinic.db:append,derive"])),
        ("correct", token(&machine, "t-correct", &["clinic.db:append,derive,correct"])),
    ];
    let server = spaces_served(&machine);
    let order = ["none", "read", "append", "derive", "correct"];
    let rank = |right: &str| order.iter().position(|known| *known == right).unwrap();
    // What changes the record comes last, and from the strongest token alone.
    for request in requests(&note) {
        for (has, secret) in &tokens {
            for space in ["clinic", "nowhere"] {
                let reply = send(&server, &request, secret, space);
                let what = format!("{has} {space} {} {}: {}", request.0, request.1, reply.body);
                assert!(reply.status < 500, "{what}");
                assert!(!leaks(&reply.body), "{what}");
                if space == "nowhere" || rank(has) < rank(request.3) {
                    // A space that does not exist and one without right are the same.
                    reply.fails(403, "FORBIDDEN");
                } else {
                    assert_ne!(reply.status, 403, "{what}");
                }
            }
            let reply = send(&server, &request, "", "clinic");
            reply.fails(401, "UNAUTHORIZED");
        }
    }
    drop(server);
    for space in ["clinic.db", ".because/space.db"] {
        let verified = machine.because(["--json", "--space", space, "verify"]).run().succeeds();
        assert_eq!(verified.json()["sound"], true);
    }
}

#[test]
fn what_is_private_is_unknown_to_a_token_without_that_right() {
    let machine = private_machine();
    let rights = "clinic.db:read,append,derive,correct";
    let (plain, full) = (
        token(&machine, "plain", &[rights]),
        token(&machine, "full", &[&format!("{rights},private")]),
    );
    let server = spaces_served(&machine);
    let seen = server.post("/api/v1/recall", &full, &json!({ "question": WORD, "limit": 50 }));
    assert!(leaks(&seen.succeeds().to_string()));
    let names = private_names_of(&machine);
    for name in &names {
        let mut not_there = name.clone();
        let last = not_there.pop().unwrap();
        not_there.push(if last == '0' { '1' } else { '0' });
        let unknown = format!("b3:{}", "0".repeat(64));
        for path in ["explain", "why", "correct", "refute", "withdraw"] {
            let body = |name: &str| match path {
                "correct" => json!({ "name": name, "text": "x", "note": "n" }),
                _ => json!({ "name": name }),
            };
            let path = format!("/api/v1/{path}");
            let guessed = server.post(&path, &plain, &body(name));
            let nothing = server.post(&path, &plain, &body(&unknown));
            // A guessed id is answered as one that nothing has.
            let code = |reply: &Reply| reply.json()["error"]["code"].clone();
            assert_eq!(
                (guessed.status, code(&guessed)),
                (nothing.status, code(&nothing)),
                "{path} {name}: {}",
                guessed.body
            );
        }
        for path in ["retract", "restore", "forget"] {
            let body = json!({ "ids": [name], "dry_run": true });
            let reply = server.post(&format!("/api/v1/{path}"), &plain, &body);
            assert_eq!(reply.status, 404, "{path} {name}: {}", reply.body);
        }
    }
    let described = json!({ "which": { "source": "ical" }, "dry_run": true });
    for path in ["retract", "forget"] {
        let plan = server.post(&format!("/api/v1/{path}"), &plain, &described).succeeds();
        assert!(!leaks(&plan.to_string()), "{path}: {plan}");
    }
    let status = server.get("/api/v1/status", &plain).succeeds();
    assert!(status["operations"].is_null() && status["evidence"].is_null());
    let context = server.post("/api/v1/context", &full, &json!({ "question": WORD })).succeeds();
    assert!(!leaks(&context.to_string()), "{context}");
}

#[test]
fn no_count_includes_what_is_private_for_a_token_without_that_right() {
    let machine = Machine::with_space();
    let said = add(&machine, &["The kiln is gas."]);
    for more in [&["The kiln is old."][..], &["A nurse calls.", "--visibility", "private"]] {
        let to = add(&machine, more);
        let edge = ["edge", "add", "--type", "supports", "--from", &said, "--to", &to];
        machine.because(edge).run().succeeds();
    }
    let source = json_of(&machine, &["claim", "show", &said])["inputs"][0]["id"].clone();
    let source = source.as_str().unwrap();
    for visibility in ["project", "private"] {
        let text = format!("Order gas, {visibility}.");
        let node = ["node", "add", "--type", "decision", &text, "--visibility", visibility];
        machine.because(node).arguments(["--source", source]).run().succeeds();
    }
    let plain = token(&machine, "plain", &[".:read,append,derive,correct"]);
    let full = token(&machine, "full", &[".:read,append,derive,correct,private"]);
    let server = Server::start(&machine);
    let health = |token: &str| {
        let asked = json!({ "operation": "health" });
        let health = server.post("/api/v1/maintenance", token, &asked).succeeds();
        let checks = health["checks"].as_array().unwrap();
        let of_edges = checks.iter().find(|check| check["name"] == "orphans").unwrap();
        of_edges["found"].as_str().unwrap().to_owned()
    };
    assert_eq!(health(&full), "no edge lacks an end, of 2");
    assert_eq!(health(&plain), "no edge lacks an end, of 1");
    let forgotten = |token: &str| {
        let asked = json!({ "forget": [source] });
        let what = server.post("/api/v1/what-if", token, &asked).succeeds();
        let derived = what["derived"].as_object().unwrap().len();
        let plan = what["forget"].clone();
        (derived > 0, plan["made_from_it"].clone(), plan["erased"]["node"].clone())
    };
    assert_eq!(forgotten(&full), (true, json!(2), json!(2)));
    assert_eq!(forgotten(&plain), (false, json!(1), json!(1)));
}

#[test]
fn streams_and_imports_ask_for_the_same_rights() {
    let machine = private_machine();
    let (reader, other) = (
        token(&machine, "reader", &["clinic.db:read"]),
        token(&machine, "other", &[".:read,append,derive,correct,private"]),
    );
    let server = spaces_served(&machine);
    let text = "Content-Type: text/plain\r\n";
    let json = "Content-Type: application/json\r\n";
    for (method, path, headers, body) in [
        ("POST", "/api/v1/import?space=clinic", text, "Said in a file"),
        ("POST", "/api/v1/import?space=clinic&dry_run=true", text, "Said in a file"),
        ("POST", "/api/v1/verify", json, "{\"space\":\"clinic\"}"),
        ("GET", "/api/v1/events?space=clinic", "", ""),
    ] {
        let ask = |token: &str| server.request_with(method, path, token, headers, body);
        ask("").fails(401, "UNAUTHORIZED");
        ask(&other).fails(403, "FORBIDDEN");
        if path.contains("import") {
            ask(&reader).fails(403, "FORBIDDEN");
        }
    }
    server.get("/api/v1/spaces", "").fails(401, "UNAUTHORIZED");
    let spaces = server.get("/api/v1/spaces", &reader).succeeds();
    assert_eq!(spaces["spaces"].as_array().unwrap().len(), 1);
    let verified = server.post("/api/v1/verify", &reader, &json!({})).succeeds();
    assert_eq!(verified["sound"], true);
}

#[test]
fn a_token_reads_its_own_space_by_default_and_others_by_name_or_id() {
    let machine = private_machine();
    let both = token(&machine, "both", &["clinic.db:read", ".:read,append"]);
    let server = spaces_served(&machine);
    let name = |path: &str| server.get(path, &both).succeeds()["name"].clone();
    assert_eq!(name("/api/v1/status"), "clinic");
    assert_eq!(name("/api/v1/status?space=pottery"), "pottery");
    let spaces = server.get("/api/v1/spaces", &both).succeeds();
    let id = spaces["spaces"][1]["id"].as_str().unwrap();
    assert_eq!(name(&format!("/api/v1/status?space={id}")), "pottery");
    assert_eq!(name("/api/v1/status?space=clinic.db"), "clinic");
    let said = json!({ "text": "Here", "space": "pottery" });
    server.post("/api/v1/remember", &both, &said).succeeds();
    server.post("/api/v1/remember", &both, &json!({ "text": "Here" })).fails(403, "FORBIDDEN");
    let elsewhere = json!({ "text": "Here", "space": "../clinic.db" });
    server.post("/api/v1/remember", &both, &elsewhere).fails(403, "FORBIDDEN");
}
