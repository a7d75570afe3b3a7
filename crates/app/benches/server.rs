//! The server under load, with its clients on the same machine.
//!
//! `cargo bench -p because --bench server -- [THOUGHTS…]` (default 100000): that many thoughts of
//! 24 words, as in the benchmark `thoughts`. Clients keep their connections. First eight of them
//! ask as fast as they are answered, without and with a trace of use. Then 200 clients ask at the
//! pace of busy agents for a minute, one in ten requests contributes a thought, and every
//! contribution that was acknowledged is looked for afterwards. Then a thousand tokens ask. The
//! baseline of the same run is `/health`, which does nothing: it is what HTTP costs. `SECONDS` in
//! the environment shortens the minute.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first failure and prints its results"
)]

mod random;
mod shared;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engine::Space;
use engine::thought::contribute::{Contribution, Grounds};
use jiff::Timestamp;
use kernel::body::Thought;
use kernel::seal::Signer;
use serde_json::{Value, json};

use random::Random;

/// Words of a thought.
const WORDS: usize = 24;
/// Clients that ask as fast as they are answered.
const EAGER: usize = 8;
/// Clients at the pace of agents.
const AGENTS: usize = 200;
/// How often each of those asks.
const PACE: Duration = Duration::from_millis(200);
/// One in so many of their requests contributes.
const CONTRIBUTES: usize = 10;
/// Tokens at the end.
const TOKENS: usize = 1_000;
/// Clock ticks of a second, in which Linux counts processor time.
const TICKS_A_SECOND: f64 = 100.0;

fn main() {
    let Some(sizes) = shared::sizes(&[100_000]) else { return };
    let seconds = std::env::var("SECONDS").ok().and_then(|text| text.parse().ok());
    let minute = Duration::from_secs(seconds.unwrap_or(60));
    for thoughts in sizes {
        let folder = tempfile::tempdir().unwrap();
        make_space(folder.path(), thoughts);
        let token = token(folder.path(), 0);
        println!("\n{thoughts} thoughts");
        first_answers(folder.path(), &token);
        let server = Server::start(folder.path());
        server.connect().post(&token, "/api/v1/memory", &prompt(&mut Random(3), true));
        eager(&server, &token, minute / 4);
        agents(&server, &token, minute);
        tokens(&server, folder.path(), &token);
    }
}

fn because(home: &Path) -> Command {
    let mut because = Command::new(env!("CARGO_BIN_EXE_because"));
    because.env("BECAUSE_HOME", home).current_dir(home);
    because
}

/// A word of a vocabulary in which the n-th is used about n times less than the first.
fn word(random: &mut Random) -> String {
    let place = random.below(1 << 20) as f64 / f64::from(1 << 20);
    format!("word{}", 20_000f64.powf(place) as usize)
}

fn text(random: &mut Random, words: usize) -> String {
    (0..words).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

fn make_space(home: &Path, thoughts: usize) {
    assert!(because(home).args(["init", "--global"]).output().unwrap().status.success());
    let key = std::fs::read_to_string(home.join("key")).unwrap();
    let signer = Signer::from_hex(&key).unwrap();
    let mut space = Space::open(&home.join("space.db"), signer).unwrap();
    let mut random = Random(7);
    let contribution = |number: usize| Contribution {
        thought: Thought {
            content: Some(text(&mut random, WORDS)),
            contributor_id: Some(format!("agent-{}", number % 50)),
            contributor_name: Some(format!("Agent {}", number % 50)),
            tags: Some(vec![format!("tag{}", number % 40)]),
            ..Thought::default()
        },
        grounds: Grounds::None,
    };
    let contributions: Vec<Contribution> = (0..thoughts).map(contribution).collect();
    let mut writer = space.writer();
    writer.contribute_all(contributions, Timestamp::now()).unwrap();
    writer.finish().unwrap();
}

fn token(home: &Path, number: usize) -> String {
    let name = format!("agent-{number}");
    let grant = ["--json", "token", "create", "--name", &name, "--grant", "global:append"];
    let made = because(home).args(grant).output().unwrap();
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    made["token"].as_str().unwrap().to_owned()
}

/// A prompt that finds, and is too short to be kept.
fn prompt(random: &mut Random, is_read_only: bool) -> Value {
    let length = 4 + random.below(3);
    json!({ "prompt": text(random, length), "agent_id": "bench", "agent_name": "Bench",
        "read_only": is_read_only })
}

/// A running server, which is killed when dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(home: &Path) -> Self {
        let arguments = [
            "--json",
            "--space",
            "global",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--rate-limit",
            "off",
        ];
        let mut command = because(home);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let value: Value = serde_json::from_str(&line).unwrap();
        Self { child, address: value["listening"].as_str().unwrap().to_owned() }
    }

    fn connect(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { reader: BufReader::new(stream) }
    }

    /// A line of the kernel's account of the process, in KiB.
    fn memory_kib(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let line = status.unwrap().lines().find(|line| line.starts_with(name)).map(str::to_owned);
        line.unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn memory(&self) -> String {
        let mib = |name| self.memory_kib(name) as f64 / 1024.0;
        format!("{:.0} MiB resident, {:.0} of it its own", mib("VmRSS:"), mib("RssAnon:"))
    }

    /// Processor time so far.
    fn processor_s(&self) -> f64 {
        processor_s(&self.child.id().to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn processor_s(process: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    let ticks =
        |place: usize| -> f64 { fields.split_whitespace().nth(place).unwrap().parse().unwrap() };
    (ticks(11) + ticks(12)) / TICKS_A_SECOND
}

/// A connection that is kept.
struct Client {
    reader: BufReader<TcpStream>,
}

impl Client {
    fn post(&mut self, token: &str, path: &str, body: &Value) -> (u16, Vec<u8>) {
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.ask(&head)
    }

    fn get(&mut self, token: &str, path: &str) -> (u16, Vec<u8>) {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
        ))
    }

    fn ask(&mut self, request: &str) -> (u16, Vec<u8>) {
        self.reader.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            assert!(self.reader.read_line(&mut line).unwrap() > 0, "the server hung up");
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.split(' ').next().unwrap().parse().unwrap();
            }
            if let Some(rest) = line.strip_prefix("content-length: ") {
                length = rest.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).unwrap();
        (status, body)
    }
}

/// From the start of the process to the first answer.
fn first_answers(home: &Path, token: &str) {
    let mut times = Vec::new();
    for number in 0..12 {
        let begun = Instant::now();
        let server = Server::start(home);
        let listening = begun.elapsed();
        let (status, body) =
            server.connect().post(token, "/api/v1/memory", &prompt(&mut Random(number), true));
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        times.push((begun.elapsed(), listening, server.processor_s()));
    }
    times.sort_unstable_by_key(|(whole, ..)| *whole);
    let (whole, listening, processor_s) = times[times.len() / 2];
    println!(
        "start to first answer: {:.0} ms, of which {:.0} ms to listen; {:.0} ms of processor time",
        1e3 * whole.as_secs_f64(),
        1e3 * listening.as_secs_f64(),
        1e3 * processor_s,
    );
}

/// What was measured of a load.
struct Measured {
    times: Vec<Duration>,
    taken: Duration,
    server_s: f64,
    clients_s: f64,
}

impl Measured {
    fn print(mut self, what: &str) {
        self.times.sort_unstable();
        let at = |share: f64| {
            let place = ((self.times.len() as f64 * share) as usize).min(self.times.len() - 1);
            1e3 * self.times[place].as_secs_f64()
        };
        let count = self.times.len() as f64;
        println!(
            "{what:<32} {:>7.0}/s  median {:.2} ms, p99 {:.2} ms, longest {:.1} ms; processor time a request: server {:.0} µs, client {:.0} µs",
            count / self.taken.as_secs_f64(),
            at(0.5),
            at(0.99),
            at(1.0),
            1e6 * self.server_s / count,
            1e6 * self.clients_s / count,
        );
    }
}

/// Clients that each ask by `ask` until the time is over, which gets its number and the request's.
fn load(
    server: &Server,
    clients: usize,
    time: Duration,
    pace: Duration,
    ask: impl Fn(&mut Client, &mut Random, usize, usize) + Sync,
) -> Measured {
    let times = Mutex::new(Vec::new());
    let (server_before, clients_before) = (server.processor_s(), processor_s("self"));
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..clients {
            let (times, ask) = (&times, &ask);
            scope.spawn(move || {
                let (mut client, mut random) = (server.connect(), Random(number as u64 + 100));
                let mut own = Vec::new();
                let mut due = begun + pace.mul_f64(number as f64 / clients as f64);
                for request in 0.. {
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    if begun.elapsed() >= time {
                        break;
                    }
                    let asked = Instant::now();
                    ask(&mut client, &mut random, number, request);
                    own.push(asked.elapsed());
                    due = (due + pace).max(asked);
                }
                times.lock().unwrap().append(&mut own);
            });
        }
    });
    Measured {
        times: times.into_inner().unwrap(),
        taken: begun.elapsed(),
        server_s: server.processor_s() - server_before,
        clients_s: processor_s("self") - clients_before,
    }
}

fn eager(server: &Server, token: &str, time: Duration) {
    let health = load(server, EAGER, time / 4, Duration::ZERO, |client, _, _, _| {
        assert_eq!(client.get("", "/health").0, 200);
    });
    health.print("baseline: /health");
    let rounds = [("read only, first", true), ("read only, second", true), ("noting use", false)];
    for (round, is_read_only) in rounds {
        let retrieved = load(server, EAGER, time, Duration::ZERO, |client, random, _, _| {
            let prompt = prompt(random, is_read_only);
            let (status, body) = client.post(token, "/api/v1/memory", &prompt);
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        });
        retrieved.print(&format!("retrieval, {EAGER} clients, {round}"));
    }
}

fn agents(server: &Server, token: &str, time: Duration) {
    let (kept, failed) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let measured = load(server, AGENTS, time, PACE, |client, random, number, request| {
        let contributes = (number + request) % CONTRIBUTES == 0;
        let asked = match contributes {
            true => json!({ "prompt": text(random, WORDS), "agent_id": format!("agent {number}"),
                "agent_name": "Bench", "session_id": format!("session {number}") }),
            false => json!({ "prompt": text(random, 5), "agent_id": format!("agent {number}"),
                "agent_name": "Bench", "session_id": format!("session {number}"),
                "read_only": request % 2 == 0 }),
        };
        let (status, body) = client.post(token, "/api/v1/memory", &asked);
        let answer: Value = serde_json::from_slice(&body).unwrap();
        if status != 200 {
            failed.fetch_add(1, Ordering::Relaxed);
            println!("{status} {answer}");
        }
        if let Some(id) = answer["trace"]["contributed_thought_id"].as_str() {
            kept.lock().unwrap().push(id.to_owned());
        }
    });
    let kept = kept.into_inner().unwrap();
    measured.print(&format!("{AGENTS} clients, 1 in {CONTRIBUTES} contributes"));
    let mut client = server.connect();
    let lost =
        kept.iter().filter(|id| client.get(token, &format!("/api/v1/thoughts/{id}")).0 != 200);
    let (count, lost) = (kept.len(), lost.count());
    println!("{count} contributions acknowledged, {lost} lost; {} errors", failed.into_inner());
}

fn tokens(server: &Server, home: &Path, token: &str) {
    println!("one token: {}", server.memory());
    let tokens: Vec<String> = (1..=TOKENS).map(|number| self::token(home, number)).collect();
    for each in [&[token.to_owned()][..], &tokens] {
        let measured = load(
            server,
            EAGER,
            Duration::from_secs(5),
            Duration::ZERO,
            |client, random, number, request| {
                let token = &each[(number + EAGER * request) % each.len()];
                let prompt = prompt(random, false);
                assert_eq!(client.post(token, "/api/v1/memory", &prompt).0, 200);
            },
        );
        measured.print(&format!("retrieval, {} tokens", each.len()));
    }
    println!("{TOKENS} tokens: {}", server.memory());
}
