//! The tools for agents over HTTP: the transport, and what a token may do by it.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::{Reply, Server, served, token};
use crate::machine::Machine;
use crate::private::{WORD, private_machine};

/// What a client of the protocol sends with every message.
const USUAL: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n";

/// A client with a session.
struct Client<'a> {
    server: &'a Server,
    token: &'a str,
    path: &'a str,
    session: String,
}

impl<'a> Client<'a> {
    fn begin(server: &'a Server, token: &'a str, path: &'a str) -> Self {
        let reply = initialize(server, token, path);
        let session = reply.header("mcp-session-id").unwrap().to_owned();
        Self { server, token, path, session }
    }

    fn send(&self, message: &Value) -> Reply {
        let headers = format!("{USUAL}Mcp-Session-Id: {}\r\n", self.session);
        self.server.request_with("POST", self.path, self.token, &headers, message.to_string())
    }

    /// Calls a tool. The result.
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let reply = self.send(&call(tool, arguments));
        let answer = reply.succeeds();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool that answers.
    #[track_caller]
    fn answers(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that refuses with this code.
    #[track_caller]
    fn refuses(&self, code: &str, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let words = result["content"][0]["text"].as_str().unwrap();
        assert!(words.starts_with(&format!("Error {code}: ")), "{tool}: {words}");
        result
    }
}

fn call(tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
}

fn initialize(server: &Server, token: &str, path: &str) -> Reply {
    let params = json!({
        "protocolVersion": "2025-11-25", "clientInfo": { "name": "user", "version": "1" },
        // It could ask, and must not be believed that it did.
        "capabilities": { "elicitation": {} },
    });
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    server.request_with("POST", path, token, USUAL, begin.to_string())
}

/// What the first column of a table of a document names in backticks.
fn in_table(document: &str, head: &str) -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once(head).unwrap_or_else(|| panic!("{document} has no {head}"));
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let named = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    named.map(str::to_owned).collect()
}

#[test]
fn the_tools_are_those_of_standard_input_and_a_session_lasts_until_it_is_ended() {
    let (machine, server, secret) = served();
    let begun = initialize(&server, &secret, "/mcp");
    let answer = begun.succeeds();
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answer["result"]["serverInfo"]["name"], "because");
    assert_eq!(begun.header("content-type"), Some("application/json"));
    assert!(begun.header("x-request-id").is_some());
    let client = Client::begin(&server, &secret, "/mcp");
    let told = client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!((told.status, told.body.as_str()), (202, ""));
    let list = client.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    let tools = list.succeeds()["result"]["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 18, "{names:?}");
    let names: BTreeSet<String> = names.into_iter().map(str::to_owned).collect();
    assert_eq!(in_table("docs/http.md", "| tools | right |"), names);
    assert_eq!(in_table("docs/mcp.md", "| tool | what it does | hints |"), names);

    for text in ["The insurance of the boat ends in October.", "The van is behind the bakery."] {
        client.answers("remember", json!({ "text": text }));
    }
    let glaze = json!({ "text": "Idris recommends tenmoku glaze for the tall bowls." });
    let told = client.answers("remember", glaze);
    let id = told["id"].as_str().unwrap();
    let found = client.answers("recall", json!({ "query": "glaze" }));
    assert_eq!(found["episodes"][0]["who"], "laptop", "a client cannot name itself");
    let turn = json!({ "text": "I want to glaze the tall bowls this weekend" });
    let surfaced = client.answers("observe", turn.clone());
    assert_eq!(surfaced["items"], json!([]), "it was shown in this session before");
    let other = Client::begin(&server, &secret, "/mcp");
    let surfaced = other.answers("observe", turn.clone());
    assert_eq!(surfaced["items"][0]["id"], id, "{surfaced}");
    assert_eq!(other.answers("observe", turn)["items"], json!([]));
    let taken = client.answers("retract", json!({ "name": id, "note": "I misread it" }));
    assert_eq!(taken["status"], "done");

    // What came by the token is signed by its key.
    let log = machine.because(["--json", "log", "-n", "0"]).run().succeeds().json_lines();
    let record = log.iter().find(|line| line["id"] == id).unwrap();
    let tokens = machine.because(["--json", "token", "list"]).run().succeeds().json();
    assert_eq!(record["author"], tokens["tokens"][0]["key"], "{record}");

    // Without a session a client is served too.
    let bare = server.request_with(
        "POST",
        "/mcp",
        &secret,
        USUAL,
        call("recall", json!({ "query": "kiln" })).to_string(),
    );
    bare.succeeds();
    let session = format!("Mcp-Session-Id: {}\r\n", client.session);
    let end = |secret: &str| server.request_with("DELETE", "/mcp", secret, &session, "");
    let stranger = token(&machine, "stranger", &[".:read"]);
    end(&stranger).fails(404, "SESSION_NOT_FOUND");
    assert_eq!(end(&secret).status, 204);
    end(&secret).fails(404, "SESSION_NOT_FOUND");
    client.send(&call("recall", json!({ "query": "kiln" }))).fails(404, "SESSION_NOT_FOUND");
    server.request_with("DELETE", "/mcp", &secret, "", "").fails(400, "VALIDATION_ERROR");
    other.answers("recall", json!({ "query": "kiln" }));
}

#[test]
fn what_is_not_of_the_transport_is_refused() {
    let (machine, server, secret) = served();
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string();
    let send =
        |headers: &str, body: &str| server.request_with("POST", "/mcp", &secret, headers, body);
    send(USUAL, &list).succeeds();
    for method in ["GET", "PUT"] {
        let reply = server.request_with(method, "/mcp", &secret, USUAL, "");
        reply.fails(405, "METHOD_NOT_ALLOWED");
        let allowed = reply.header("allow").unwrap();
        assert!(allowed.contains("post") && allowed.contains("delete"), "{allowed}");
    }
    server.request_with("POST", "/mcp", "", USUAL, &list).fails(401, "UNAUTHORIZED");
    server.request_with("POST", "/mcp", "because_x", USUAL, &list).fails(401, "UNAUTHORIZED");
    server.request_with("DELETE", "/mcp", "", USUAL, "").fails(401, "UNAUTHORIZED");
    let json = "Content-Type: application/json\r\n";
    let both = "Accept: application/json, text/event-stream\r\n";
    send(json, &list).fails(406, "NOT_ACCEPTABLE");
    send(&format!("{json}Accept: application/json\r\n"), &list).fails(406, "NOT_ACCEPTABLE");
    send(both, &list).fails(415, "UNSUPPORTED_MEDIA_TYPE");
    for version in ["1999-01-01", "", "2025-06-18, 2025-06-18"] {
        let headers = format!("{json}{both}MCP-Protocol-Version: {version}\r\n");
        send(&headers, &list).fails(400, "VALIDATION_ERROR");
    }
    for session in ["x", "0", "../../etc/passwd", "\u{fc}"] {
        let headers = format!("{USUAL}Mcp-Session-Id: {session}\r\n");
        send(&headers, &list).fails(404, "SESSION_NOT_FOUND");
    }
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for body in [
        "",
        "{",
        "nonsense",
        &format!("[{list}]"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
        &format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{{\"a\":{deep}}}}}"
        ),
    ] {
        send(USUAL, body).fails(400, "VALIDATION_ERROR");
    }
    // Not messages: refused in the protocol's own form, by their id where they have one.
    for (body, id) in [
        ("{}", Value::Null),
        ("7", Value::Null),
        ("{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}", json!(5)),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}", Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":[]}", json!(6)),
    ] {
        let reply = send(USUAL, body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
        let answer = reply.json();
        assert_eq!((&answer["id"], &answer["jsonrpc"]), (&id, &json!("2.0")), "{body}: {answer}");
        assert!(answer["error"]["code"].as_i64().unwrap() < -32_000, "{answer}");
    }
    // Calls that fit the protocol and no tool.
    let result = send(USUAL, &call("forget_everything", json!({})).to_string()).succeeds();
    assert_eq!(result["error"]["code"], -32_602, "{result}");
    let client = Client::begin(&server, &secret, "/mcp");
    client.refuses("arguments", "recall", json!({ "qeury": "x" }));
    client.refuses("empty_question", "recall", json!({ "query": "" }));
    // A file is not opened by a name, of whatever kind.
    for path in ["/mcp?space=/etc/passwd", "/mcp?space=../x.db", "/mcp?space=global"] {
        initialize(&server, &secret, path).fails(403, "FORBIDDEN");
    }
    initialize(&server, &secret, "/mcp?spaces=x").fails(400, "VALIDATION_ERROR");
    // What is too large is refused before it is read.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n{USUAL}Content-Length: 99999999\r\n\r\n"
    );
    Reply::parse(&server.raw(head)).fails(413, "TOO_LARGE");
    for headers in ["Host: evil.example", "Host: localhost\r\nOrigin: http://evil.example"] {
        let head = format!("POST /mcp HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n");
        Reply::parse(&server.raw(head)).fails(403, "FORBIDDEN");
    }
    let metrics = server.get("/metrics", "").body;
    assert!(metrics.contains("path=\"/mcp\",method=\"POST\",status=\"406\""), "{metrics}");
    machine.is_sound();
}

#[test]
fn a_revoked_token_loses_its_sessions_and_a_rate_holds_here_too() {
    let machine = Machine::with_space();
    let secret = token(&machine, "laptop", &[".:read"]);
    let server = Server::start_with(&machine, &["--rate-limit", "30"]);
    let client = Client::begin(&server, &secret, "/mcp");
    let recall = || client.send(&call("recall", json!({ "query": "kiln" })));
    let replies: Vec<Reply> = (0..60).map(|_| recall()).collect();
    replies[59].fails(429, "RATE_LIMITED");
    machine.because(["token", "revoke", "laptop"]).run().succeeds();
    recall().fails(401, "UNAUTHORIZED");
}

/// A call of each tool about a record, and the rights that it needs.
fn calls(id: &str) -> Vec<(&'static str, Value, &'static [&'static str])> {
    const WRITES: &[&str] = &["derive", "correct"];
    const NOTES: &[&str] = &["append", "derive", "correct"];
    const READS: &[&str] = &["read", "append", "derive", "correct"];
    let text = "It follows from what was seen";
    let operation = json!({ "op": "create_claim", "type": "fact", "text": text, "sources": [id] });
    vec![
        ("recall", json!({ "query": WORD, "limit": 50, "around": 5 }), READS),
        ("get_context", json!({ "turns": [{ "speaker": "user", "text": WORD }] }), READS),
        ("get_context", json!({ "task": WORD }), READS),
        ("observe", json!({ "text": format!("What of {WORD}?") }), READS),
        ("explain", json!({ "name": id }), READS),
        ("graph", json!({ "query": WORD }), READS),
        ("graph", json!({ "status": "any", "limit": 100 }), READS),
        ("why", json!({ "name": id }), READS),
        ("review", json!({ "all": true }), READS),
        ("maintenance_ops", json!({ "operation": "health" }), READS),
        ("inner_voice", json!({ "content": WORD, "save": false }), READS),
        ("inner_voice", json!({ "content": WORD }), READS),
        ("inner_voice", json!({ "content": WORD, "save": true }), NOTES),
        ("inner_voice", json!({ "content": WORD, "save": false, "stage_kg": true }), WRITES),
        ("remember", json!({ "text": "Written by a token" }), NOTES),
        ("state", json!({ "text": text, "sources": [id] }), WRITES),
        ("propose_patch", json!({ "text": "One more", "operations": [operation] }), WRITES),
        ("refute", json!({ "name": "no.such|belief", "note": "n" }), WRITES),
        ("forget", json!({ "name": id, "note": "It asks for it" }), WRITES),
        (
            "knowledgegraph_moderate",
            json!({ "items": [{ "id": id, "decision": "accept" }] }),
            &["correct"],
        ),
        (
            "knowledgegraph_moderate",
            json!({ "items": [{ "id": id, "decision": "accept" }], "dry_run": true }),
            READS,
        ),
    ]
}

#[test]
fn every_tool_for_every_token_and_nobody_sees_another_space_or_what_is_private() {
    let machine = private_machine();
    let note = machine.because(["--json", "--space", "clinic.db", "remember", "Open at nine"]);
    let note = note.run().succeeds().json()["id"].as_str().unwrap().to_owned();
    let other = token(&machine, "t-pottery", &[".:read,append,derive,correct,private"]);
    let tokens = [
        ("read", token(&machine, "t-read", &["clinic.db:read"])),
        ("append", token(&machine, "t-append", &["clinic.db:append"])),
        ("derive", token(&machine, "t-derive", &["clinic.db:append,derive"])),
        ("correct", token(&machine, "t-correct", &["clinic.db:append,derive,correct"])),
    ];
    let pottery = machine.space();
    let pottery = pottery.to_str().unwrap();
    let server = Server::start_with(&machine, &["--rate-limit", "off", pottery, "clinic.db"]);
    initialize(&server, &other, "/mcp?space=clinic").fails(403, "FORBIDDEN");
    for (_, secret) in &tokens {
        initialize(&server, secret, "/mcp?space=pottery").fails(403, "FORBIDDEN");
    }
    let leaks = |text: &str| {
        let text = text.to_lowercase();
        ["halvorsen", "left early", "zirconquokka appointment", "zirconquokka house"]
            .iter()
            .any(|words| text.contains(words))
    };
    for (tool, arguments, may) in calls(&note) {
        for (has, secret) in &tokens {
            let client = Client::begin(&server, secret, "/mcp");
            let result = client.call(tool, arguments.clone()).to_string();
            assert!(!leaks(&result), "{tool} {has}: {result}");
            assert_eq!(
                result.contains("Error forbidden"),
                !may.contains(has),
                "{tool} {has}: {result}"
            );
        }
    }
    // By name, a token reads whichever of its spaces it names.
    let both = token(&machine, "t-both", &[".:read", "clinic.db:read,private"]);
    let client = Client::begin(&server, &both, "/mcp?space=clinic");
    let seen = client.answers("recall", json!({ "query": WORD, "limit": 50 })).to_string();
    assert!(leaks(&seen), "the right to see what is private: {seen}");
    drop(server);
    for space in ["clinic.db", ".because/space.db"] {
        let verified = machine.because(["--json", "--space", space, "verify"]).run().succeeds();
        assert_eq!(verified.json()["sound"], true);
    }
}

#[test]
fn only_a_token_that_speaks_for_the_person_changes_what_the_person_said() {
    let machine = Machine::with_space();
    let plain = token(&machine, "plain", &[".:append,derive"]);
    let trusted = token(&machine, "trusted", &[".:append,derive,correct"]);
    let server = Server::start(&machine);
    let (plain, trusted) =
        (Client::begin(&server, &plain, "/mcp"), Client::begin(&server, &trusted, "/mcp"));
    let told = trusted.answers("remember", json!({ "text": "I love green tea.", "actor": "user" }));
    let key = told["changed"][0]["key"].clone();
    let asked = json!({ "name": key, "fields": { "object": "coffee" }, "note": "only coffee" });
    let proposed = plain.answers("correct", asked.clone());
    assert_eq!(proposed["status"], "proposed", "{proposed}");
    // A client that repeats the call with an answer of its own is not believed.
    let params = json!({
        "name": "correct", "arguments": asked,
        "requestState": "x", "inputResponses": { "consent": { "action": "accept", "content": {} } },
    });
    let repeated = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let result = plain.send(&repeated).succeeds()["result"]["structuredContent"].clone();
    assert_eq!(result["status"], "proposed", "{result}");
    let waiting = || plain.answers("review", json!({}))["waiting"].as_array().map(Vec::len);
    assert_eq!(waiting(), Some(1));
    assert_eq!(trusted.answers("correct", asked)["status"], "done");
    assert_eq!(waiting(), Some(0), "it was proposed, and is done");
    machine.is_sound();
}

#[test]
fn the_home_space_is_not_read_with_a_project_that_a_token_has() {
    let machine = Machine::with_space();
    machine.because(["--space", "global", "remember", "I am allergic to walnuts"]).run();
    let value = ["--space", "global", "values", "set", "I prefer walnuts to hazelnuts."];
    machine.because(value).run().succeeds();
    let secret = token(&machine, "laptop", &[".:read,append,derive,correct,private"]);
    let server = Server::start(&machine);
    let client = Client::begin(&server, &secret, "/mcp");
    client.answers("remember", json!({ "text": "The kiln reads low." }));
    for (tool, arguments) in [
        ("recall", json!({ "query": "allergic to walnuts" })),
        ("get_context", json!({ "turns": [{ "speaker": "user", "text": "walnuts?" }] })),
        ("get_context", json!({ "task": "Choose nuts for the cake" })),
        ("graph", json!({ "query": "allergic to walnuts" })),
    ] {
        let answer = client.answers(tool, arguments).to_string();
        let question = answer.replace("walnuts?", "");
        assert!(!question.contains("walnuts"), "{tool}: {answer}");
    }
    let asked = json!({ "task": "Choose nuts for the cake" });
    let context = server.post("/api/v1/context", &secret, &asked).succeeds().to_string();
    assert!(!context.contains("walnuts"), "{context}");
    let home = machine.because(["--space", "global", "--json", "claims", "--all"]).run();
    for belief in home.succeeds().json_lines() {
        client.refuses("unknown_belief", "explain", json!({ "name": belief["key"] }));
    }
}
