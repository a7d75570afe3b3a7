//! Slow clients, broken connections, a full disk, a killed server, and many processes at once.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Reply, Server, read_all, remember, token};
use crate::machine::Machine;

/// Longer than the one second that these servers give their clients, on a busy machine.
const WAIT_MAX: Duration = Duration::from_secs(20);

fn impatient() -> (Machine, Server, String) {
    let machine = Machine::with_space();
    let token = token(&machine, "laptop", &[".:read,append"]);
    let server = Server::start_with(&machine, &["--rate-limit", "off", "--client-timeout", "1"]);
    (machine, server, token)
}

/// The head of a request with so long a body.
fn head(path: &str, token: &str, kind: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nAccept: application/json, text/event-stream\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// Sends the bytes with a pause before each, for as long as the server takes them, and reads what
/// it answers meanwhile.
fn trickle(server: &Server, at_once: &str, slowly: &str) -> String {
    let mut stream = server.connect();
    stream.write_all(at_once.as_bytes()).unwrap();
    let mut writing = stream.try_clone().unwrap();
    let done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for byte in slowly.bytes() {
                std::thread::sleep(Duration::from_millis(100));
                if done.load(Ordering::Relaxed) || writing.write_all(&[byte]).is_err() {
                    break;
                }
            }
        });
        let said = read_all(&mut stream);
        done.store(true, Ordering::Relaxed);
        said
    })
}

#[test]
fn a_client_that_sends_slowly_is_answered_in_time_or_loses_its_connection() {
    let (machine, server, token) = impatient();
    let begun = Instant::now();
    let long = "x".repeat(400);
    // Heads: nothing, half of one, and one that never ends.
    for at_once in ["", "POST /api/v1/remember HTTP/1.1\r\nHost: local"] {
        let mut stream = server.connect();
        stream.write_all(at_once.as_bytes()).unwrap();
        let said = read_all(&mut stream);
        assert!(said.is_empty() || said.contains(" 408 "), "{said}");
    }
    let said = trickle(&server, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ", &long);
    assert!(said.is_empty() || said.contains(" 408 "), "{said}");
    // A connection that was used and is idle.
    let mut idle = server.connect();
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    assert!(read_all(&mut idle).starts_with("HTTP/1.1 200"));
    // Bodies: half of one, and one that arrives byte by byte.
    let json = "application/json";
    let too_slow = [
        ("/api/v1/remember", json, "{\"text\":\"too slow"),
        ("/api/v1/memory", json, "{\"prompt\":\"too slow"),
        ("/api/v1/verify", json, "{"),
        ("/mcp", json, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"too slow"),
        ("/api/v1/import", "text/plain", "too slow"),
    ];
    std::thread::scope(|scope| {
        for (path, kind, begins) in too_slow {
            let (server, token, long) = (&server, &token, &long);
            scope.spawn(move || {
                let sent = head(path, token, kind, 500) + begins;
                let mut stream = server.connect();
                stream.write_all(sent.as_bytes()).unwrap();
                let reply = Reply::parse(&read_all(&mut stream));
                reply.fails(408, "TIMEOUT");
                assert_eq!(reply.header("connection"), Some("close"), "{path}");
                if kind == json {
                    Reply::parse(&trickle(server, &sent, long)).fails(408, "TIMEOUT");
                }
            });
        }
    });
    assert!(begun.elapsed() < WAIT_MAX, "{:?}", begun.elapsed());
    let log = machine.because(["--json", "log", "-n", "0"]).run().succeeds().out();
    assert!(!log.contains("too slow"), "{log}");
    remember(&server, &token, "The server still answers");
}

#[test]
fn a_client_that_does_not_read_loses_its_connection() {
    let (_machine, server, token) = impatient();
    let connections = || {
        let metrics = server.get("/metrics", "").body;
        let line = metrics.lines().find(|line| line.starts_with("because_connections "));
        line.unwrap().rsplit_once(' ').unwrap().1.parse::<f64>().unwrap() as usize
    };
    let mut deaf: Vec<TcpStream> = (0..4).map(|_| server.connect()).collect();
    let asked = b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200);
    for stream in &mut deaf {
        stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
        // More than the buffers of both sides hold.
        let _ = (0..20).try_for_each(|_| stream.write_all(&asked));
    }
    remember(&server, &token, "Nobody waits for those who do not read");
    let begun = Instant::now();
    while connections() > 1 {
        assert!(begun.elapsed() < WAIT_MAX, "{} connections are left", connections());
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(deaf);
}

#[test]
fn connections_that_break_leave_all_of_a_write_or_nothing() {
    let (machine, server, token) = impatient();
    let json = "application/json";
    let chat = format!("{{\"text\":\"{}\"}}\n", "broken off ".repeat(50)).repeat(200);
    let whole: BTreeSet<String> =
        (0..40).map(|number| format!("sent in full, number {number}")).collect();
    std::thread::scope(|scope| {
        for (number, text) in whole.iter().enumerate() {
            let (server, token, chat) = (&server, &token, &chat);
            scope.spawn(move || {
                let body = json!({ "text": text }).to_string();
                let broken = json!({ "text": format!("broken off, {text}") }).to_string();
                let mut stream = server.connect();
                // Nobody reads the answer.
                stream
                    .write_all(
                        (head("/api/v1/remember", token, json, body.len()) + &body).as_bytes(),
                    )
                    .unwrap();
                drop(stream);
                for (path, kind, all) in [
                    ("/api/v1/remember", json, broken.as_str()),
                    ("/api/v1/memory", json, broken.as_str()),
                    ("/mcp", json, broken.as_str()),
                    ("/api/v1/import", "application/x-ndjson", chat.as_str()),
                ] {
                    let mut stream = server.connect();
                    let part = &all[..all.len() * (number + 1) / 50];
                    let sent = head(path, token, kind, all.len()) + part;
                    stream.write_all(sent.as_bytes()).unwrap();
                    let how = if number % 2 == 0 { Shutdown::Both } else { Shutdown::Write };
                    let _ = stream.shutdown(how);
                }
            });
        }
    });
    let id = remember(&server, &token, "sent last");
    let texts = || -> BTreeSet<String> {
        let log = machine.because(["--json", "log", "-n", "0"]).run().succeeds().json_lines();
        log.iter().filter_map(|line| line["summary"].as_str().map(str::to_owned)).collect()
    };
    let texts = texts();
    assert!(!texts.iter().any(|text| text.contains("broken off")), "{texts:?}");
    // What was not acknowledged is there in full or not at all, and may be sent again.
    let kept = texts.iter().filter(|text| text.contains("sent in full")).count();
    assert!(texts.iter().all(|text| !text.contains("sent in full") || whole.contains(text)));
    for text in &whole {
        remember(&server, &token, text);
    }
    assert!(kept <= whole.len());
    server.post("/api/v1/explain", &token, &json!({ "name": id })).succeeds();
    machine.is_sound();
}

/// Contributes thoughts and notes by turns until the server is gone or `stop` is set. What was
/// acknowledged, and the errors.
struct Writers<'a> {
    server: &'a Server,
    token: &'a str,
    stop: AtomicBool,
    thoughts: Mutex<Vec<String>>,
    notes: Mutex<Vec<String>>,
    refused: Mutex<Vec<String>>,
}

impl<'a> Writers<'a> {
    fn new(server: &'a Server, token: &'a str) -> Self {
        let (thoughts, notes, refused) = Default::default();
        Self { server, token, stop: AtomicBool::new(false), thoughts, notes, refused }
    }

    fn run(&self, clients: usize, padding: &str, act: impl FnOnce()) {
        std::thread::scope(|scope| {
            for client in 0..clients {
                scope.spawn(move || {
                    for number in 0.. {
                        if self.stop.load(Ordering::Relaxed) || !self.write(client, number, padding)
                        {
                            break;
                        }
                    }
                });
            }
            act();
            self.stop.store(true, Ordering::Relaxed);
        });
    }

    /// Writes once. False if the server is gone.
    fn write(&self, client: usize, number: usize, padding: &str) -> bool {
        let text = format!(
            "The kiln number {client} has fired batch number {number}, which was opened on the next morning. {padding}"
        );
        let (path, body) = match number % 2 {
            0 => ("/api/v1/remember", json!({ "text": text })),
            _ => {
                let agent = json!({ "prompt": text, "agent_id": "a", "agent_name": "A" });
                ("/api/v1/memory", agent)
            }
        };
        let body = body.to_string();
        let Ok(mut stream) = TcpStream::connect(self.server.address) else { return false };
        let sent = head(path, self.token, "application/json", body.len()) + &body;
        let _ = stream.write_all(sent.as_bytes());
        let said = read_all(&mut stream);
        if !said.contains("\r\n\r\n{") {
            return true;
        }
        let reply = Reply::parse(&said);
        if reply.status != 200 {
            self.refused.lock().unwrap().push(said);
            return true;
        }
        let answer = reply.json();
        let note = answer["id"].as_str();
        let thought = answer["trace"]["contributed_thought_id"].as_str();
        self.notes.lock().unwrap().extend(note.map(str::to_owned));
        self.thoughts.lock().unwrap().extend(thought.map(str::to_owned));
        true
    }

    /// How much was acknowledged.
    fn acknowledged(&self) -> (usize, usize) {
        (self.notes.lock().unwrap().len(), self.thoughts.lock().unwrap().len())
    }

    /// Waits until so many notes and thoughts are acknowledged, though not forever.
    fn until(&self, enough: impl Fn((usize, usize)) -> bool) {
        let begun = Instant::now();
        while !enough(self.acknowledged()) && begun.elapsed() < WAIT_MAX {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Fails unless a server has everything that was acknowledged.
    #[track_caller]
    fn are_kept(&self, server: &Server, token: &str) {
        let (notes, thoughts) = self.acknowledged();
        assert!(notes > 1 && thoughts > 1, "too little was written: {notes}, {thoughts}");
        for id in self.notes.lock().unwrap().iter() {
            server.post("/api/v1/explain", token, &json!({ "name": id })).succeeds();
        }
        for id in self.thoughts.lock().unwrap().iter() {
            server.get(&format!("/api/v1/thoughts/{id}"), token).succeeds();
        }
        let verified = server.post("/api/v1/verify", token, &json!({})).succeeds();
        assert_eq!(verified["sound"], true, "{verified}");
    }
}

#[cfg(unix)]
#[test]
fn a_server_killed_under_load_keeps_every_thought_that_it_acknowledged() {
    let machine = Machine::with_space();
    let token = token(&machine, "laptop", &[".:read,append"]);
    let server = Server::start(&machine);
    let writers = Writers::new(&server, &token);
    let id = server.child.id().to_string();
    writers.run(6, "", || {
        writers.until(|(_, thoughts)| thoughts >= 20);
        std::process::Command::new("kill").args(["-KILL", &id]).status().unwrap();
    });
    let again = Server::start(&machine);
    writers.are_kept(&again, &token);
    machine.is_sound();
}

#[test]
fn ten_processes_and_the_server_write_at_once_and_nothing_is_lost() {
    let machine = Machine::with_space();
    let token = token(&machine, "laptop", &[".:read,append"]);
    let server = Server::start(&machine);
    let writers = Writers::new(&server, &token);
    let by_processes = Mutex::new(Vec::new());
    writers.run(2, "", || {
        std::thread::scope(|scope| {
            for process in 0..10 {
                let (machine, by_processes) = (&machine, &by_processes);
                scope.spawn(move || {
                    for number in 0..3 {
                        let text = format!("Note {number} of process {process}");
                        let call = machine.because(["--json", "remember", &text]).run();
                        let id = call.succeeds().json()["id"].as_str().unwrap().to_owned();
                        by_processes.lock().unwrap().push(id);
                    }
                });
            }
        });
        writers.until(|(notes, thoughts)| notes > 1 && thoughts > 1);
    });
    assert!(writers.refused.lock().unwrap().is_empty(), "{:?}", writers.refused);
    writers.are_kept(&server, &token);
    let by_processes = by_processes.into_inner().unwrap();
    assert_eq!(by_processes.len(), 30);
    for id in by_processes {
        server.post("/api/v1/explain", &token, &json!({ "name": id })).succeeds();
    }
    machine.is_sound();
}

/// A server whose space is on a small disk of its own, and the folder of that disk as seen from
/// here; none if this user may not mount one.
#[cfg(target_os = "linux")]
fn on_a_small_disk(machine: &Machine) -> Option<(Server, String, std::path::PathBuf)> {
    use std::io::{BufRead, BufReader};
    std::fs::create_dir(machine.work().join("small")).unwrap();
    let mount = "mount -t tmpfs -o size=5m none small";
    let mut trial = std::process::Command::new("unshare");
    let tried = trial.args(["--mount", "sh", "-c", mount]).current_dir(machine.work()).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        println!("skipped: this user cannot mount a small file system");
        return None;
    }
    let script = format!(
        "set -eu\n{mount}\n$BECAUSE --space small/space.db init >/dev/null\n$BECAUSE --json token create --name laptop --grant small/space.db:read,append >token\nexec $BECAUSE --json --space small/space.db serve --listen 127.0.0.1:0 --rate-limit off"
    );
    let call = machine.call("unshare", ["--mount", "sh", "-c", &script]);
    let mut child = call.variable("BECAUSE", crate::machine::BECAUSE).start();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let value: Value = serde_json::from_str(&line).unwrap();
    let address = value["listening"].as_str().unwrap().parse().unwrap();
    let made = std::fs::read_to_string(machine.work().join("token")).unwrap();
    let made: Value = serde_json::from_str(&made).unwrap();
    let work = machine.work().canonicalize().unwrap();
    let seen = format!("/proc/{}/root{}/small", child.id(), work.display());
    Some((Server { child, address }, made["token"].as_str().unwrap().to_owned(), seen.into()))
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_load_is_an_error_and_nothing_acknowledged_is_lost() {
    let machine = Machine::new();
    let Some((mut server, token, disk)) = on_a_small_disk(&machine) else { return };
    remember(&server, &token, "before the flood");
    let filler = disk.join("rest");
    let writers = Writers::new(&server, &token);
    let padding = "It cools slowly. ".repeat(200);
    writers.run(4, &padding, || {
        writers.until(|(_, thoughts)| thoughts >= 6);
        let begun = Instant::now();
        // Writes as much as there is room for, and fails.
        std::fs::write(&filler, vec![0; 8 << 20]).unwrap_err();
        while writers.refused.lock().unwrap().len() < 20 && begun.elapsed() < WAIT_MAX {
            let _ = std::fs::OpenOptions::new()
                .append(true)
                .open(&filler)
                .and_then(|mut file| file.write_all(&vec![0; 1 << 20]));
            // It answers questions meanwhile.
            let question = json!({ "question": "flood" });
            let found = server.post("/api/v1/recall", &token, &question).succeeds();
            assert!(found["results"].to_string().contains("before the flood"), "{found}");
            let asked = json!({ "prompt": "kiln batch", "agent_id": "a", "agent_name": "A" });
            server.post("/api/v1/memory", &token, &asked).succeeds();
        }
    });
    let refused = writers.refused.lock().unwrap().clone();
    assert!(refused.len() >= 20, "the disk was not full: {}", refused.len());
    for said in &refused {
        let error = Reply::parse(said).fails(500, "STORE_ERROR");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(!message.contains("small") && !message.contains("disk"), "{message}");
    }
    std::fs::remove_file(&filler).unwrap();
    let after = Writers::new(&server, &token);
    assert!(after.write(9, 0, "") && after.write(9, 1, ""));
    assert_eq!(after.acknowledged(), (1, 1), "{:?}", after.refused);
    writers.are_kept(&server, &token);
    server.ask_to_end();
    assert!(server.ended().success());
}
