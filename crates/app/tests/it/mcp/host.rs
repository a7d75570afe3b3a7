//! A host for tests: it starts a server, speaks to it line by line, and never waits without a
//! timeout.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::machine::{Call, Machine};

/// Longer than any answer should take on a busy machine.
const ANSWER: Duration = Duration::from_secs(60);
/// How long to listen for a message that must not come.
pub(crate) const SILENCE: Duration = Duration::from_millis(300);

/// A server and the host that started it.
pub(crate) struct Host {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) lines: Receiver<Value>,
    errors: std::thread::JoinHandle<String>,
    last_id: u64,
}

impl Host {
    /// Starts a server in the machine's working folder and greets it.
    pub(crate) fn of(machine: &Machine) -> Self {
        let mut host = Self::starts(machine, &[]);
        let greeting = host.greet();
        assert_eq!(greeting["serverInfo"]["name"], "because", "{greeting}");
        host
    }

    pub(crate) fn starts(machine: &Machine, arguments: &[&str]) -> Self {
        Self::calling(machine.because(["mcp"]).arguments(arguments))
    }

    /// Starts a server by this call.
    pub(crate) fn calling(call: Call) -> Self {
        let mut child = call.talk();
        let (sender, lines) = std::sync::mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                // Fails if standard output carries anything but the protocol.
                let message: Value =
                    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        let input = child.stdin.take();
        Self { child, input, lines, errors, last_id: 0 }
    }

    pub(crate) fn greet(&mut self) -> Value {
        self.greet_as("a test", &json!({}))
    }

    /// Starts a server for a host with a name, and with `elicitation` if it can ask the user.
    pub(crate) fn named(machine: &Machine, name: &str, capabilities: &Value) -> Self {
        let mut host = Self::starts(machine, &[]);
        host.greet_as(name, capabilities);
        host
    }

    pub(crate) fn greet_as(&mut self, name: &str, capabilities: &Value) -> Value {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": { "name": name, "version": "1" } });
        let greeting = self.asks("initialize", &params);
        self.says(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        greeting["result"].clone()
    }

    pub(crate) fn says(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    pub(crate) fn hears(&self) -> Value {
        self.lines.recv_timeout(ANSWER).expect("the server does not answer")
    }

    /// Sends a request and returns its id.
    pub(crate) fn begins(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.says(&request.to_string());
        self.last_id
    }

    /// A request and its answer.
    pub(crate) fn asks(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begins(method, params);
        let answer = self.hears();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// A tool call and its result, success or a tool's error.
    pub(crate) fn calls(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.asks("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(answer["result"].is_object(), "{answer}");
        assert!(
            answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.len() > 10),
            "{answer}"
        );
        answer["result"].clone()
    }

    /// A tool call during which the user is asked and answers so. The question, and the call's
    /// structured result.
    pub(crate) fn asks_user(
        &mut self,
        action: &str,
        tool: &str,
        arguments: &Value,
    ) -> (String, Value) {
        let call = json!({ "name": tool, "arguments": arguments });
        let id = self.begins("tools/call", &call);
        let question = self.hears();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert_eq!(question["params"]["requestedSchema"]["type"], "object", "{question}");
        // Others are answered while the user thinks.
        assert!(self.asks("ping", &json!({}))["result"].is_object());
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"],
            "result": { "action": action, "content": {} } });
        self.says(&answer.to_string());
        let answer = self.hears();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let message = question["params"]["message"].as_str().unwrap().to_owned();
        (message, answer["result"]["structuredContent"].clone())
    }

    /// The result of a successful tool call.
    #[track_caller]
    pub(crate) fn gets(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.calls(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// The text of a tool's error, which begins with this code and ends with advice.
    #[track_caller]
    pub(crate) fn fails(&mut self, code: &str, tool: &str, arguments: Value) -> String {
        let result = self.calls(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(
            result.get("structuredContent").is_none(),
            "an error has another shape than its tool's answers: {result}"
        );
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with(&format!("Error {code}: ")) && text.contains("What to do: "),
            "{text}"
        );
        text.to_owned()
    }

    pub(crate) fn texts(&mut self, question: &str) -> Vec<String> {
        let recalled = self.gets("recall", json!({ "query": question, "search_type": "episodes" }));
        let episodes = recalled["episodes"].as_array().unwrap();
        episodes.iter().map(|episode| episode["text"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes the input, after which the server must exit successfully.
    pub(crate) fn leaves(mut self) {
        drop(self.input.take());
        let status = self.ends();
        assert!(status.success(), "{status}: {}", self.errors.join().unwrap());
    }

    pub(crate) fn ends(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            if begun.elapsed() > ANSWER {
                self.child.kill().unwrap();
                panic!("the server does not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
