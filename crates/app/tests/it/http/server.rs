//! The process: load, kills, shutdown, limits, TLS.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::{Reply, Server, read_all, remember, served, token};
use crate::machine::Machine;

/// Clients that write until told to stop. What was acknowledged.
fn load(server: &Arc<Server>, token: &str, clients: usize, act: impl FnOnce()) -> Vec<String> {
    let (stop, acknowledged) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for client in 0..clients {
            let (stop, acknowledged) = (&stop, &acknowledged);
            scope.spawn(move || {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    let text = format!("note {number} of client {client}");
                    // Every other write is a thought, which is long enough to be kept.
                    let (path, body) = match number % 2 {
                        0 => ("remember", json!({ "text": text })),
                        _ => ("memory", json!({
                            "prompt": format!("{text} says that the kiln reaches cone six in nine hours."),
                            "agent_id": format!("agent {client}"), "agent_name": "Agent",
                        })),
                    };
                    let body = body.to_string();
                    let head = format!(
                        "POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    let Ok(mut stream) = std::net::TcpStream::connect(server.address) else { break };
                    let _ = std::io::Write::write_all(&mut stream, head.as_bytes());
                    let said = read_all(&mut stream);
                    if said.starts_with("HTTP/1.1 200") {
                        let answer = Reply::parse(&said).json();
                        let thought = &answer["trace"]["contributed_thought_id"];
                        let id = answer["id"].as_str().or(thought.as_str()).map(str::to_owned);
                        acknowledged.lock().unwrap().push(id.unwrap());
                    }
                    number += 1;
                }
            });
        }
        act();
        stop.store(true, Ordering::Relaxed);
    });
    acknowledged.into_inner().unwrap()
}

#[track_caller]
fn holds_all(machine: &Machine, acknowledged: &[String]) {
    assert!(acknowledged.len() > 3, "too little was written to tell: {}", acknowledged.len());
    let log = machine.because(["--json", "log", "-n", "0"]).run().succeeds().json_lines();
    let ids: std::collections::BTreeSet<&str> =
        log.iter().filter_map(|line| line["id"].as_str()).collect();
    // The UUID of a thought begins with the twelve digits with which its id does.
    let digits = |id: &str| id.trim_start_matches("b3:").replace('-', "")[..12].to_owned();
    let begun: std::collections::BTreeSet<String> = ids.iter().map(|id| digits(id)).collect();
    for id in acknowledged {
        let is_there = ids.contains(id.as_str()) || id.contains('-') && begun.contains(&digits(id));
        assert!(is_there, "{id} was acknowledged and is lost");
    }
    machine.is_sound();
}

#[cfg(unix)]
#[test]
fn a_server_killed_under_load_keeps_every_write_that_it_acknowledged() {
    let (machine, server, token) = served();
    let server = Arc::new(server);
    let id = server.child.id().to_string();
    let acknowledged = load(&server, &token, 6, || {
        std::thread::sleep(Duration::from_millis(1_500));
        std::process::Command::new("kill").args(["-KILL", &id]).status().unwrap();
    });
    holds_all(&machine, &acknowledged);
}

#[cfg(unix)]
#[test]
fn a_server_that_is_asked_to_end_answers_what_it_began_and_loses_nothing() {
    let (machine, server, token) = served();
    let server = Arc::new(server);
    let acknowledged = load(&server, &token, 4, || {
        std::thread::sleep(Duration::from_millis(1_000));
        server.ask_to_end();
        std::thread::sleep(Duration::from_millis(200));
    });
    let mut server = Arc::into_inner(server).unwrap();
    assert!(server.ended().success());
    holds_all(&machine, &acknowledged);
    // What was shown before the end is on record.
    assert!(std::net::TcpStream::connect(server.address).is_err());
}

#[test]
fn a_thought_is_found_by_all_once_it_is_acknowledged_while_others_contribute() {
    let (_machine, server, token) = served();
    let (server, token) = (&server, &token);
    std::thread::scope(|scope| {
        for client in 0..6 {
            scope.spawn(move || {
                for number in 0..8 {
                    let ask = |prompt: String, is_read_only: bool| {
                        let body = json!({ "prompt": prompt, "agent_id": format!("agent {client}"),
                            "agent_name": "Agent", "read_only": is_read_only });
                        server.post("/api/v1/memory", token, &body).succeeds()
                    };
                    let word = format!("word{client}and{number}");
                    let told =
                        format!("The kiln that we call {word} reaches cone six in nine hours.");
                    let answer = ask(told, false);
                    let kept = &answer["trace"]["contributed_thought_id"];
                    let found = ask(word, true);
                    let first = &found["result"]["sources"][0]["thought_id"];
                    assert!(kept.is_string() && kept == first, "{answer} {found}");
                }
            });
        }
    });
}

#[cfg(unix)]
#[test]
fn receipts_of_what_was_shown_are_written_before_the_end() {
    let (machine, mut server, token) = served();
    remember(&server, &token, "The kiln reads low");
    server.post("/api/v1/recall", &token, &json!({ "question": "kiln" })).succeeds();
    server.ask_to_end();
    assert!(server.ended().success());
    let receipts = machine.because(["--json", "receipts"]).run().succeeds().out();
    assert!(receipts.contains("laptop"), "{receipts}");
}

#[test]
fn clients_and_command_lines_write_at_once_and_nothing_is_lost() {
    let (machine, server, token) = served();
    let server = Arc::new(server);
    let acknowledged = load(&server, &token, 4, || {
        for number in 0..5 {
            machine.because(["remember", &format!("from a process, {number}")]).run().succeeds();
        }
    });
    holds_all(&machine, &acknowledged);
    let log = machine.because(["--json", "log", "-n", "0"]).run().succeeds().out();
    assert_eq!(
        log.matches("from a process, ").count() / 5 * 5,
        log.matches("from a process, ").count()
    );
}

#[test]
fn a_token_beyond_its_rate_waits_and_others_do_not() {
    let machine = Machine::with_space();
    let (one, other) = (token(&machine, "one", &[".:read"]), token(&machine, "two", &[".:read"]));
    let server = Server::start_with(&machine, &["--rate-limit", "3"]);
    for _ in 0..3 {
        server.get("/api/v1/status", &one).succeeds();
    }
    let refused = server.get("/api/v1/status", &one);
    refused.fails(429, "RATE_LIMITED");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    // The rate is checked before the body is looked at.
    server.request("POST", "/api/v1/recall", &one, "{").fails(429, "RATE_LIMITED");
    server.get("/api/v1/status", &other).succeeds();
    server.get("/health", "").succeeds();
}

#[test]
fn a_space_that_is_replaced_or_gone_is_not_written_to() {
    let (machine, server, token) = served();
    remember(&server, &token, "Before");
    let path = machine.space();
    std::fs::rename(&path, path.with_extension("old")).unwrap();
    let said = json!({ "text": "After" });
    let reply = server.post("/api/v1/remember", &token, &said);
    assert!(reply.status >= 404, "{}", reply.body);
    assert!(!reply.body.contains(path.to_str().unwrap()), "{}", reply.body);
    std::fs::rename(path.with_extension("old"), &path).unwrap();
    remember(&server, &token, "Again");
}

#[test]
fn https_is_served_by_flags_and_bad_certificates_are_refused_at_the_start() {
    let machine = Machine::with_space();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("../models/tests/it/certificates");
    let (pem, key) = (folder.join("server.pem"), folder.join("server.key"));
    let (pem, key) = (pem.to_str().unwrap(), key.to_str().unwrap());
    let server = Server::start_with(&machine, &["--tls-cert", pem, "--tls-key", key]);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(folder.join("ca.pem")).unwrap()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    Reply::parse(&read_all(&mut stream)).succeeds();
    let plain = server.raw(request);
    assert!(!plain.contains("200"), "{plain}");
    let wrong = machine.write("wrong.pem", "no certificate");
    let wrong = wrong.to_str().unwrap();
    let serve = |arguments: &[&str]| {
        machine.because(["serve", "--listen", "127.0.0.1:0"]).arguments(arguments).run().code()
    };
    assert_eq!(serve(&["--tls-cert", wrong, "--tls-key", wrong]), 1);
    assert_eq!(serve(&["--tls-cert", pem]), 2);
    assert_eq!(serve(&["nowhere.db"]), 1);
    assert_eq!(serve(&["--rate-limit", "many"]), 2);
    let taken = server.address.to_string();
    assert_eq!(machine.because(["serve", "--listen", &taken]).run().code(), 1);
}
