//! Bad input: JSON, headers, sizes, names, and clients that do not end.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Reply, read_all, remember, served};

#[test]
fn json_that_is_broken_or_ambiguous_is_refused_and_fields_are_named() {
    let (_machine, server, token) = served();
    let recall = |body: &str| server.request("POST", "/api/v1/recall", &token, body);
    let deep = format!("{{\"question\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
    for body in [
        "",
        "{",
        "[]",
        "null",
        "\"a\"",
        "{\"question\":\"a\"} x",
        "{\"question\":\"a\",\"question\":\"b\"}",
        "{\"question\":\"\\ud83d\"}",
        "{\"question\":5}",
        "{\"question\":null}",
        "{\"question\":[\"a\"]}",
        "{\"question\":\"a\",\"limit\":-1}",
        "{\"question\":\"a\",\"limit\":1.5}",
        "{\"question\":\"a\",\"limit\":1000}",
        "{\"question\":\"a\",\"limit\":1e99}",
        "{\"question\":\"a\",\"since\":\"the day before\"}",
        "{\"question\":\"a\",\"search\":\"everything\"}",
        &deep,
    ] {
        recall(body).fails(400, "VALIDATION_ERROR");
    }
    let headers = "Content-Type: application/json\r\n";
    let bytes = b"{\"question\":\"\xff\"}";
    let reply = server.request_with("POST", "/api/v1/recall", &token, headers, bytes);
    reply.fails(400, "VALIDATION_ERROR");
    let message = |reply: Reply| reply.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message(recall("{\"question\":\"a\",\"qestion\":1}")).contains("qestion"));
    assert!(message(recall("{\"question\":\"a\",\"limit\":\"x\"}")).contains("limit"));
    assert!(message(recall("{}")).contains("question"));
    recall("{\"question\":\"\\u0000\"}");
    server.get("/api/v1/claims?nix=1", &token).fails(400, "VALIDATION_ERROR");
    server.get("/api/v1/claims?limit=1&limit=2", &token).fails(400, "VALIDATION_ERROR");
    server.get("/api/v1/claims?contains=%ff", &token).fails(400, "VALIDATION_ERROR");
    server
        .request("POST", "/api/v1/recall?space=pottery", &token, "{\"question\":\"a\"}")
        .fails(400, "VALIDATION_ERROR");
}

#[test]
fn what_the_interface_does_not_have_is_refused_in_its_form() {
    let (_machine, server, token) = served();
    for path in ["/", "/api", "/api/v1/nix", "/api/v1/recall/", "/api/v1/../v1/status", "/%2e%2e"] {
        server.get(path, &token).fails(404, "NOT_FOUND");
    }
    for (method, path, allowed) in [
        ("GET", "/api/v1/recall", "post"),
        ("DELETE", "/api/v1/claims", "get,head"),
        ("PUT", "/api/v1/patches", "get,head,post"),
        ("TRACE", "/health", "get,head"),
        ("BREW", "/api/v1/verify", "post"),
    ] {
        let reply = server.request(method, path, &token, "{}");
        reply.fails(405, "METHOD_NOT_ALLOWED");
        let mut given: Vec<&str> =
            reply.header("allow").unwrap().split(',').map(str::trim).collect();
        given.sort_unstable();
        assert_eq!(given.join(","), allowed, "{method} {path}");
    }
    let body = "{\"question\":\"a\"}";
    for kind in
        ["", "Content-Type: text/plain\r\n", "Content-Type: application/json; charset=latin1\r\n"]
    {
        let reply = server.request_with("POST", "/api/v1/recall", &token, kind, body);
        reply.fails(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    let kind = "Content-Type: Application/JSON; charset=\"UTF-8\"\r\n";
    server.request_with("POST", "/api/v1/recall", &token, kind, body).succeeds();
    // What comes first in the order of checks answers.
    let elsewhere = "{\"question\":\"\",\"space\":\"nowhere\"}";
    server.request("POST", "/api/v1/recall", &token, elsewhere).fails(400, "VALIDATION_ERROR");
    let elsewhere = "{\"name\":\"0000\",\"space\":\"nowhere\"}";
    server.request("POST", "/api/v1/explain", &token, elsewhere).fails(403, "FORBIDDEN");
    server.request("POST", "/api/v1/recall", "", "{").fails(401, "UNAUTHORIZED");
    server.request("POST", "/api/v1/nix", "", "{").fails(404, "NOT_FOUND");
}

#[test]
fn too_large_a_body_is_refused_before_it_is_read() {
    let (_machine, server, token) = served();
    let head = format!(
        "POST /api/v1/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    );
    let said = server.raw(format!("{head}Content-Length: 9000000000\r\n\r\n"));
    Reply::parse(&said).fails(413, "TOO_LARGE");
    let piece = format!("80000\r\n{}\r\n", " ".repeat(0x80000));
    let sent = server.raw(format!("{head}Transfer-Encoding: chunked\r\n\r\n{}", piece.repeat(6)));
    Reply::parse(&sent).fails(413, "TOO_LARGE");
    let long = json!({ "text": "a ".repeat(600_000) }).to_string();
    let reply = server.request("POST", "/api/v1/remember", &token, &long);
    assert!((400..500).contains(&reply.status), "{}", reply.body);
    server.get("/health", "").succeeds();
}

#[test]
fn a_client_that_sends_its_whole_body_before_it_reads_gets_the_answer() {
    let (_machine, server, token) = served();
    let body = " ".repeat(3 << 20);
    for (path, token, status) in [
        ("/api/v1/memory", token.as_str(), 413),
        ("/api/v1/memory", "nobody", 401),
        ("/api/v1/nix", token.as_str(), 404),
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // Slower than the server answers.
        for piece in body.as_bytes().chunks(256 << 10) {
            stream.write_all(piece).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let answer = read_all(&mut stream);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
}

#[test]
fn a_forged_host_or_origin_is_refused_wherever_it_goes() {
    let (_machine, server, token) = served();
    let port = server.address.port();
    let ask = |headers: &str, path: &str| {
        let bytes = format!(
            "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        Reply::parse(&server.raw(bytes))
    };
    for path in ["/health", "/metrics", "/api/v1/status", "/api/openapi.json", "/nix"] {
        ask("Host: evil.example\r\n", path).fails(403, "FORBIDDEN");
        ask(&format!("Host: evil.example:{port}\r\n"), path).fails(403, "FORBIDDEN");
        ask("Host: localhost\r\nOrigin: http://evil.example\r\n", path).fails(403, "FORBIDDEN");
        ask("Host: localhost\r\nOrigin: null\r\n", path).fails(403, "FORBIDDEN");
        ask("", path).fails(400, "VALIDATION_ERROR");
        ask("Host: localhost\r\nHost: evil.example\r\n", path).fails(400, "VALIDATION_ERROR");
    }
    ask("Host: localhost\r\n", "http://evil.example/api/v1/status").fails(403, "FORBIDDEN");
    let own = format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n");
    ask(&own, "/api/v1/status").succeeds();
}

#[test]
fn smuggled_requests_are_not_answered_as_others() {
    let (_machine, server, token) = served();
    let head = format!(
        "POST /api/v1/remember HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    );
    let hidden = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for framing in [
        "Content-Length: 4\r\nContent-Length: 40\r\n",
        "Content-Length: +4\r\n",
        "Content-Length: 4, 40\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n",
    ] {
        let said = server.raw(format!("{head}{framing}\r\n0\r\n\r\n{hidden}"));
        assert!(!said.contains("\"status\":\"ok\""), "{framing}: {said}");
    }
    // Both: the body is chunked, and nothing after it is a request.
    let both = "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let said = server.raw(format!("{head}{both}{hidden}"));
    assert!(!said.contains("\"status\":\"ok\""), "{said}");
    for broken in [&b"\0\xff\r\n\r\n"[..], b"GET / HTTP/9.9\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n"] {
        let said = server.raw(broken);
        assert!(said.is_empty() || said.contains(" 400 "), "{said}");
    }
    let many: String = (0..500).map(|number| format!("X-{number}: a\r\n")).collect();
    let said = server.raw(format!("GET /health HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"));
    assert!(said.starts_with("HTTP/1.1 431"), "{said}");
    let id = server.request_with("GET", "/health", "", "X-Request-Id: a b<script>\r\n", "");
    assert!(!id.header("x-request-id").unwrap().contains("script"));
    let id = server.request_with("GET", "/health", "", "X-Request-Id: trace-1\r\n", "");
    assert_eq!(id.header("x-request-id"), Some("trace-1"));
}

#[test]
fn slow_and_vanishing_clients_hold_nobody_up() {
    let (machine, server, token) = served();
    let mut slow = Vec::new();
    for number in 0..100 {
        let mut stream = server.connect();
        let head = match number % 3 {
            0 => "GET /health HT".to_owned(),
            1 => format!(
                "POST /api/v1/remember HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"te"
            ),
            _ => String::new(),
        };
        stream.write_all(head.as_bytes()).unwrap();
        slow.push(stream);
    }
    let begun = Instant::now();
    remember(&server, &token, "Nobody waits for the slow");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    drop(slow);
    // A body that breaks off writes nothing.
    let head = format!(
        "POST /api/v1/remember HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"text\":\"broken off\""
    );
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let said = read_all(&mut stream);
    assert!(said.is_empty() || said.contains(" 400 "), "{said}");
    let log = machine.because(["--json", "log", "-n", "0"]).run().succeeds().out();
    assert!(log.contains("Nobody waits") && !log.contains("broken off"));
}
