//! The HTTP server, by a client of our own that sends exactly what a test says.

mod access;
mod endpoints;
mod faults;
mod hostile;
mod inner_voice;
mod maintenance;
mod mcp;
mod server;
mod streams;
mod tokens;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::machine::Machine;

/// Longer than any answer should take on a busy machine.
const ANSWER_WAIT: Duration = Duration::from_secs(60);

/// A running server, which is killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// A server of the machine's own space, without a limit of rates.
    pub(crate) fn start(machine: &Machine) -> Self {
        Self::start_with(machine, &["--rate-limit", "off"])
    }

    /// The same with these arguments.
    pub(crate) fn start_with(machine: &Machine, arguments: &[&str]) -> Self {
        let begun = machine.because(["--json", "serve", "--listen", "127.0.0.1:0"]);
        let mut child = begun.arguments(arguments).start();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        let address: SocketAddr = value["listening"].as_str().unwrap().parse().unwrap();
        assert_eq!(value["port"], address.port());
        Self { child, address }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(ANSWER_WAIT)).unwrap();
        stream
    }

    /// Sends bytes and reads everything that is answered.
    pub(crate) fn raw(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut stream = self.connect();
        // The server may refuse before it has read everything.
        let _ = stream.write_all(bytes.as_ref());
        read_all(&mut stream)
    }

    /// A request as a client of some token makes it.
    pub(crate) fn request(&self, method: &str, path: &str, token: &str, body: &str) -> Reply {
        self.request_with(method, path, token, "Content-Type: application/json\r\n", body)
    }

    /// The same with other headers.
    pub(crate) fn request_with(
        &self,
        method: &str,
        path: &str,
        token: &str,
        headers: &str,
        body: impl AsRef<[u8]>,
    ) -> Reply {
        let body = body.as_ref();
        let token = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        let mut bytes = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{token}{headers}Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        Reply::parse(&self.raw(bytes))
    }

    pub(crate) fn post(&self, path: &str, token: &str, body: &Value) -> Reply {
        self.request("POST", path, token, &body.to_string())
    }

    pub(crate) fn get(&self, path: &str, token: &str) -> Reply {
        self.request_with("GET", path, token, "", "")
    }

    /// Asks the server to end.
    #[cfg(unix)]
    pub(crate) fn ask_to_end(&self) {
        let id = self.child.id().to_string();
        let status = std::process::Command::new("kill").args(["-TERM", &id]).status();
        assert!(status.unwrap().success());
    }

    /// Waits until it has ended by itself.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < ANSWER_WAIT, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn read_all(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 64 * 1024];
    // A server that refuses closes the connection, which may reset it.
    while let Ok(length @ 1..) = stream.read(&mut piece) {
        bytes.extend_from_slice(&piece[..length]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or_else(|| panic!("no answer: {text:?}")),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.body))
    }

    /// Fails unless it was answered.
    #[track_caller]
    pub(crate) fn succeeds(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.json()
    }

    /// Fails unless it was refused with this status and code, in the one form of errors.
    #[track_caller]
    pub(crate) fn fails(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        let value = self.json();
        assert_eq!(value["error"]["code"], code, "{}", self.body);
        assert!(!value["error"]["message"].as_str().unwrap().is_empty());
        let keys = |value: &Value| value.as_object().unwrap().len();
        assert_eq!((keys(&value), keys(&value["error"])), (1, 2), "{}", self.body);
        assert!(self.header("x-request-id").is_some());
        value
    }
}

/// Makes a token with these grants.
pub(crate) fn token(machine: &Machine, name: &str, grants: &[&str]) -> String {
    let call = machine.because(["--json", "token", "create", "--name", name]);
    let grants = grants.iter().flat_map(|grant| ["--grant", grant]);
    let made = call.arguments(grants).run().succeeds().json();
    made["token"].as_str().unwrap().to_owned()
}

/// A machine with a space, a server and a token that may do everything there.
pub(crate) fn served() -> (Machine, Server, String) {
    let machine = Machine::with_space();
    let token = token(&machine, "laptop", &[".:read,append,derive,correct,private"]);
    let server = Server::start(&machine);
    (machine, server, token)
}

/// Writes something down. Its id.
pub(crate) fn remember(server: &Server, token: &str, text: &str) -> String {
    let answer = server.post("/api/v1/remember", token, &json!({ "text": text })).succeeds();
    answer["id"].as_str().unwrap().to_owned()
}
