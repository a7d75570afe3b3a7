//! The contract of the thought space over HTTP, against a server in this process.
//!
//! The server runs on a thread and is spoken to over a socket, so that a test sees what any client
//! sees. Its clock is moved by `POST /test/clock`, which builds for tests have.

mod cases;
mod contract;
mod rights;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::time::Duration;

use engine::Space;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{Options, serve};
use crate::place::Home;
use crate::service::Session;
use crate::service::tokens::{GrantRequest, NewToken, create};

/// Longer than any answer should take on a busy machine.
const ANSWER_WAIT: Duration = Duration::from_secs(60);
/// A statement that is long enough to be kept.
const STATEMENT: &str = "The kiln reaches cone six in nine hours when the lid stays closed.";
/// The id of no thought.
const UNKNOWN: &str = "00000000-0000-8000-8000-000000000000";

/// A server that serves spaces of these names. It ends with the process.
struct TestServer {
    folder: tempfile::TempDir,
    session: Session,
    address: SocketAddr,
}

impl TestServer {
    fn of(names: &[&str]) -> Self {
        Self::limited(names, None)
    }

    fn limited(names: &[&str], a_minute: Option<u32>) -> Self {
        Self::with(names, |_, options| options.a_minute = a_minute)
    }

    /// The same with another session and other options.
    fn with(names: &[&str], change: impl FnOnce(&mut Session, &mut Options)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        let path = |name: &str| folder.path().join(format!("{name}.db"));
        let now = Timestamp::now();
        for name in names {
            Space::create(&path(name), home.signer().unwrap(), name, now).unwrap();
        }
        let mut session = Session {
            home,
            spaces: names.iter().map(|name| path(name).to_str().unwrap().to_owned()).collect(),
            embedder: None,
            language_model: None,
            now,
            zone: TimeZone::UTC,
            kept: crate::service::kept_configuration::KeptConfiguration::default(),
        };
        let mut options = Options {
            listen: "127.0.0.1:0".parse().unwrap(),
            allowed_hosts: Vec::new(),
            a_minute: None,
            client_wait: std::time::Duration::from_secs(30),
            tls: None,
        };
        change(&mut session, &mut options);
        let (listening, address) = channel();
        let served = session.clone();
        std::thread::spawn(move || {
            serve(served, &options, |at| {
                listening.send(at.address).unwrap();
                Ok(())
            })
        });
        Self { folder, session, address: address.recv_timeout(ANSWER_WAIT).unwrap() }
    }

    /// A token with rights as `own:read,append`.
    fn token(&self, grants: &[&str]) -> String {
        let grants: Vec<GrantRequest> = grants
            .iter()
            .map(|grant| {
                let (name, rights) = grant.split_once(':').unwrap();
                let path = self.folder.path().join(format!("{name}.db"));
                format!("{}:{rights}", path.display()).parse().unwrap()
            })
            .collect();
        let new = NewToken { name: "agent", grants: &grants, expires: None };
        create(&self.session, &new).unwrap().0
    }

    /// Sends a request as it is and reads the answer.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(ANSWER_WAIT)).unwrap();
        // The server may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        let mut read = Vec::new();
        let mut piece = [0; 16 * 1024];
        while let Ok(length @ 1..) = stream.read(&mut piece) {
            read.extend_from_slice(&piece[..length]);
        }
        String::from_utf8_lossy(&read).into_owned()
    }

    fn send(&self, method: &str, path: &str, token: &str, body: &[u8]) -> Reply {
        let kind = match method {
            "GET" => "",
            _ => "Content-Type: application/json\r\n",
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{kind}Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let text = self.raw(&[head.as_bytes(), body].concat());
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
        let head = head.to_ascii_lowercase();
        assert!(head.contains("\r\ncontent-type: application/json"), "{head}");
        Reply {
            what: format!("{method} {path}"),
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            json: serde_json::from_str(body).unwrap_or_else(|_| panic!("{body:?}")),
            head,
        }
    }

    fn get(&self, path: &str, token: &str) -> Reply {
        self.send("GET", path, token, b"")
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Reply {
        self.send("POST", path, token, body.to_string().as_bytes())
    }

    fn patch(&self, path: &str, token: &str, body: &Value) -> Reply {
        self.send("PATCH", path, token, body.to_string().as_bytes())
    }

    /// Moves the clock.
    fn hours(&self, hours: u32) {
        self.post("/test/clock", "", &json!({ "advance_hours": hours })).ok();
    }

    /// Keeps a thought of any length, in the token's own space. Its id.
    fn keep(&self, token: &str, content: &str, more: Value) -> String {
        let body =
            with(json!({ "content": content, "agent_id": "k", "agent_name": "Keeper" }), more);
        let answer = self.post("/api/v1/ingest", token, &body).ok();
        answer["thought_id"].as_str().unwrap().to_owned()
    }

    /// Asks as an agent of that name.
    fn ask(&self, token: &str, agent: &str, prompt: &str) -> Value {
        self.memory(token, agent, prompt, json!({})).ok()
    }

    fn memory(&self, token: &str, agent: &str, prompt: &str, more: Value) -> Reply {
        self.post("/api/v1/memory", token, &request(agent, prompt, more))
    }

    fn show(&self, token: &str, id: &str) -> Value {
        self.get(&format!("/api/v1/thoughts/{id}"), token).ok()
    }

    fn weight(&self, token: &str, id: &str) -> f64 {
        self.show(token, id)["pheromone_weight"].as_f64().unwrap()
    }

    /// Raises a weight by feedback.
    fn raise(&self, token: &str, id: &str, to: f64) {
        let body = json!({ "session_id": "s", "thought_id": id, "signal": "useful" });
        let mut weight = self.weight(token, id);
        while weight + 1e-9 < to {
            let answer = self.post("/api/v1/memory/feedback", token, &body).ok();
            weight = answer["pheromone_weight"].as_f64().unwrap();
        }
        assert!((weight - to).abs() < 1e-6, "{weight}");
    }

    /// How many thoughts the first space has, as its file says.
    fn thoughts(&self) -> u64 {
        let space =
            Space::open(self.session.spaces[0].as_ref(), self.session.home.signer().unwrap());
        let status = space.unwrap().status().unwrap();
        json!(status.operations)["thought"].as_u64().unwrap_or(0)
    }
}

/// The fields of a request to think.
fn request(agent: &str, prompt: &str, more: Value) -> Value {
    with(json!({ "prompt": prompt, "agent_id": agent, "agent_name": agent.to_uppercase() }), more)
}

fn with(mut body: Value, more: Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    body
}

/// The ids of an answer's sources.
fn source_ids(answer: &Value) -> Vec<&str> {
    let sources = answer["result"]["sources"].as_array().unwrap();
    sources.iter().map(|source| source["thought_id"].as_str().unwrap()).collect()
}

/// An answer.
struct Reply {
    /// The request.
    what: String,
    status: u16,
    head: String,
    json: Value,
}

impl Reply {
    /// The answer, with status 200.
    #[track_caller]
    fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{} {}", self.what, self.json);
        self.json
    }

    /// Fails unless it was refused with this status and code, in the one form of errors.
    #[track_caller]
    fn refused(self, status: u16, code: &str) -> String {
        let error = &self.json["error"];
        assert_eq!(
            (self.status, error["code"].as_str()),
            (status, Some(code)),
            "{} {}",
            self.what,
            self.json
        );
        let keys = |value: &Value| value.as_object().unwrap().len();
        assert_eq!((keys(&self.json), keys(error)), (1, 2), "{}", self.json);
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty());
        message.to_owned()
    }
}
