//! `GET /api/v1/events`: what changes, as it changes, and from where one was.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Server, remember, served, token};
use crate::private::{WORD, private_machine};

/// The events of a stream, one after the other.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn open(server: &Server, token: &str, path: &str, headers: &str) -> Self {
        let mut stream = server.connect();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        Self(BufReader::new(stream))
    }

    /// The next event: its id and its data.
    fn next(&mut self) -> (u64, Value) {
        let mut id = None;
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(text) = line.trim_end().strip_prefix("id: ") {
                id = text.parse().ok();
            }
            if let (Some(id), Some(data)) = (id, line.trim_end().strip_prefix("data: ")) {
                return (id, serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Waits until the answer begins.
    fn begun(mut self) -> Self {
        let mut line = String::new();
        while !line.contains(": alive") {
            line.clear();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
        }
        self
    }
}

#[test]
fn changes_arrive_as_they_are_made_here_or_by_another_process_and_a_client_resumes() {
    let (machine, server, token) = served();
    let mut live = Stream::open(&server, &token, "/api/v1/events", "").begun();
    let id = remember(&server, &token, "The first thing");
    let (first, data) = live.next();
    assert_eq!((&data["id"], &data["kind"]), (&json!(id), &json!("evidence")));
    machine.because(["remember", "Said at the command line"]).run().succeeds();
    let (second, data) = live.next();
    assert!(second > first && data["summary"].as_str().unwrap().contains("command line"));
    let mut resumed = Stream::open(&server, &token, &format!("/api/v1/events?after={first}"), "");
    assert_eq!(resumed.next().0, second);
    let last = format!("Last-Event-ID: {first}\r\n");
    let mut resumed = Stream::open(&server, &token, "/api/v1/events?after=0", &last);
    assert_eq!(resumed.next().0, second);
    let mut all = Stream::open(&server, &token, "/api/v1/events?after=0", "");
    assert_eq!((all.next().0, all.next().0), (1, 2));
    server.get("/api/v1/events?after=x", &token).fails(400, "VALIDATION_ERROR");
    server.get("/api/v1/events?space=nowhere", &token).fails(403, "FORBIDDEN");
}

#[test]
fn a_stream_shows_nothing_private_and_ends_with_its_token() {
    let machine = private_machine();
    let (plain, full) = (
        token(&machine, "plain", &["clinic.db:read"]),
        token(&machine, "full", &["clinic.db:read,private"]),
    );
    let server = Server::start_with(&machine, &["clinic.db"]);
    let summaries = |token: &str| {
        let mut stream = Stream::open(&server, token, "/api/v1/events?after=0", "");
        let mut all = Vec::new();
        loop {
            let (_, data) = stream.next();
            let summary = data["summary"].as_str().unwrap().to_lowercase();
            let is_last = summary.contains("the last one");
            all.push(summary);
            if is_last {
                return all;
            }
        }
    };
    machine.because(["--space", "clinic.db", "remember", "The last one"]).run().succeeds();
    assert!(summaries(&full).iter().any(|summary| summary.contains(WORD)));
    assert!(!summaries(&plain).iter().any(|summary| summary.contains(WORD)));
    let mut stream = Stream::open(&server, &plain, "/api/v1/events", "").begun();
    machine.because(["token", "revoke", "plain"]).run().succeeds();
    machine.because(["--space", "clinic.db", "remember", "Nobody listens"]).run().succeeds();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stream.0, &mut rest).unwrap();
    assert!(!rest.contains("Nobody listens"), "{rest}");
}
