//! A local server with scripted valid and invalid replies.
//!
//! It serves one request per connection. Its thread stops with the test: it checks at least every
//! few milliseconds whether the test is over.

#![allow(dead_code, reason = "several test crates include this server, and not all use every part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a silent or endless reply checks whether the test is over.
const PAUSE: Duration = Duration::from_millis(5);

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// A header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A reply.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A status, headers and a body of the announced length.
    Whole(u16, Vec<(String, String)>, Vec<u8>),
    /// The same, but the connection closes after this many bytes of the body.
    Cut(u16, Vec<(String, String)>, Vec<u8>, usize),
    /// No reply until the test ends.
    Silence,
    /// Bytes that are not HTTP.
    Garbage(Vec<u8>),
    /// An endless body.
    Endless,
    /// A reply that arrives slowly, byte by byte.
    Drip,
}

impl Reply {
    /// JSON.
    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::Whole(status, Vec::new(), value.to_string().into_bytes())
    }

    /// With an additional header.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        let header = (name.to_owned(), value.to_owned());
        match self {
            Self::Whole(status, mut headers, body) => {
                headers.push(header);
                Self::Whole(status, headers, body)
            }
            Self::Cut(status, mut headers, body, bytes) => {
                headers.push(header);
                Self::Cut(status, headers, body, bytes)
            }
            other => other,
        }
    }
}

/// A running server.
pub(crate) struct Server {
    base: String,
    requests: Arc<Mutex<Vec<Request>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers every request by `answer`.
    pub(crate) fn start(mut answer: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (seen, over) = (Arc::clone(&requests), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                let stream = stream.unwrap();
                // Some tests disconnect the client.
                if let Some(request) = read(&stream) {
                    seen.lock().unwrap().push(request.clone());
                    let _ = write(stream, answer(&request), &over);
                }
            }
        });
        Self { base, requests, is_over, thread: Some(thread) }
    }

    /// Answers the requests with these replies in order; the last one is repeated.
    pub(crate) fn script(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: Vec<Reply> = replies.into_iter().collect();
        replies.reverse();
        Self::start(
            move |_| if replies.len() > 1 { replies.pop().unwrap() } else { replies[0].clone() },
        )
    }

    /// Its address.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.base.trim_start_matches("http://"));
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            assert!(!matches!(ended, Some(Err(_))), "the server panicked");
        }
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        // A client that was killed may have sent a part of its request.
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut request = Request { method, path, headers, body: Vec::new() };
    let length: u64 = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).ok()?;
    let is_whole = body.len() as u64 == length;
    request.body = body;
    is_whole.then_some(request)
}

fn write(mut stream: TcpStream, reply: Reply, over: &AtomicBool) -> std::io::Result<()> {
    match reply {
        Reply::Whole(status, headers, body) => {
            let length = body.len();
            write_part(&mut stream, status, &headers, &body, length)
        }
        Reply::Cut(status, headers, body, bytes) => {
            write_part(&mut stream, status, &headers, &body, bytes)
        }
        Reply::Garbage(bytes) => stream.write_all(&bytes),
        Reply::Silence => {
            while !over.load(Ordering::SeqCst) {
                std::thread::sleep(PAUSE);
            }
            Ok(())
        }
        Reply::Drip => {
            stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\nconnection: close\r\n\r\n",
            )?;
            while !over.load(Ordering::SeqCst) {
                stream.write_all(b" ")?;
                std::thread::sleep(PAUSE);
            }
            Ok(())
        }
        Reply::Endless => {
            stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n[",
            )?;
            let numbers = "0,".repeat(1 << 15);
            while !over.load(Ordering::SeqCst) {
                stream.write_all(numbers.as_bytes())?;
            }
            Ok(())
        }
    }
}

fn write_part(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    bytes: usize,
) -> std::io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} Of its own\r\ncontent-length: {}\r\nconnection: close\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(&body[..bytes])?;
    stream.flush()
}
