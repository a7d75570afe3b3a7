//! The environment of one user: a home, a working folder, and the program.
//!
//! [`Call::run`] is strict so that each test need not be: a run that ends by a signal, panics,
//! takes too long or exits with an undocumented code fails any test.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than any run should take on a busy machine.
const RUN_SECONDS_MAX: u64 = 60;
/// The highest documented exit code.
const CODE_MAX: i32 = 4;

/// The program.
pub(crate) const BECAUSE: &str = env!("CARGO_BIN_EXE_because");

/// A home and a working folder, removed when dropped.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// An empty environment.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    /// An environment with a space in its working folder.
    pub(crate) fn with_space() -> Self {
        let machine = Self::new();
        machine.because(["init", "--name", "pottery"]).run().succeeds();
        machine
    }

    /// An environment with the chat of [`crate::samples`] in its space, and no beliefs derived from
    /// it.
    pub(crate) fn with_chat() -> Self {
        let machine = Self::with_space();
        machine.write("chat.jsonl", crate::samples::CHAT);
        machine.because(["import", "--no-derive", "chat.jsonl"]).run().succeeds();
        machine
    }

    /// The value of `BECAUSE_HOME`.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The working folder.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The project's space in the working folder.
    pub(crate) fn space(&self) -> PathBuf {
        self.work().join(".because/space.db")
    }

    /// Writes a file in the working folder.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A call of the program.
    pub(crate) fn because<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> Call {
        self.call(BECAUSE, arguments)
    }

    /// A call of a shell, in which `$BECAUSE` is the program.
    pub(crate) fn shell(&self, script: &str) -> Call {
        self.call("sh", ["-c", script]).variable("BECAUSE", BECAUSE)
    }

    /// A call of any program.
    pub(crate) fn call<I: IntoIterator<Item: AsRef<OsStr>>>(
        &self,
        program: &str,
        arguments: I,
    ) -> Call {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.work()).env("BECAUSE_HOME", self.home());
        command.env_remove("BECAUSE_SPACE").env_remove("CLICOLOR_FORCE").env("TZ", "UTC");
        for variable in [
            "BECAUSE_EMBEDDER",
            "BECAUSE_LANGUAGE_MODEL",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "ANTHROPIC_API_KEY",
            "OPENROUTER_API_KEY",
            "HF_ENDPOINT",
            "HF_TOKEN",
            "SSL_CERT_FILE",
        ] {
            command.env_remove(variable);
        }
        Call { command, input: Vec::new() }
    }

    /// The space's records as (source, identity in the source, body hash), by which two imports are
    /// compared.
    pub(crate) fn records(&self) -> std::collections::BTreeSet<(String, String, String)> {
        let log = self.because(["log", "-n", "0", "--kind", "evidence", "--json"]).run().succeeds();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let records = log.json_lines().into_iter();
        records
            .map(|line| {
                (
                    text(&line["body"]["source"]),
                    text(&line["body"]["source_uid"]),
                    text(&line["header"]["body"]),
                )
            })
            .collect()
    }

    /// Fails unless `because verify` finds no problem.
    pub(crate) fn is_sound(&self) {
        let verified = self.because(["verify", "--json"]).run().succeeds().json();
        assert_eq!(verified["sound"], true, "{verified}");
    }
}

/// A prepared run.
pub(crate) struct Call {
    command: Command,
    input: Vec<u8>,
}

impl Call {
    /// With another home, like another device.
    pub(crate) fn at_home(mut self, home: &Path) -> Self {
        self.command.env("BECAUSE_HOME", home);
        self
    }

    /// With more arguments.
    pub(crate) fn arguments<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, arguments: I) -> Self {
        self.command.args(arguments);
        self
    }

    /// In another folder.
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// With a variable of the environment.
    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// With this on the standard input.
    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// Starts it and leaves it running, with pipes for a conversation.
    pub(crate) fn talk(mut self) -> Child {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts it and leaves it running.
    pub(crate) fn start(mut self) -> Child {
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Runs it to its end, which must not be a signal.
    pub(crate) fn run(mut self) -> Ran {
        let shown = format!("{:?}", self.command.get_args().collect::<Vec<_>>());
        let shown = shown.chars().take(300).collect::<String>();
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = std::mem::take(&mut self.input);
        // A child may close its input without reading it.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let out = collect(child.stdout.take().unwrap());
        let err = collect(child.stderr.take().unwrap());
        let status = wait(&mut child, &shown);
        writer.join().unwrap();
        let ran = Ran { status, out: out.join().unwrap(), err: err.join().unwrap(), shown };
        let code = ran.status.code();
        assert!(code.is_some_and(|code| (0..=CODE_MAX).contains(&code)), "{ran}");
        assert!(!ran.err().contains("panicked"), "{ran}");
        assert!(!ran.err().contains("internal error"), "{ran}");
        ran
    }
}

fn collect(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

fn wait(child: &mut Child, shown: &str) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > Duration::from_secs(RUN_SECONDS_MAX) {
            child.kill().unwrap();
            panic!("{shown} took longer than {RUN_SECONDS_MAX} s");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The result of a run.
pub(crate) struct Ran {
    status: ExitStatus,
    pub(crate) out: Vec<u8>,
    err: Vec<u8>,
    shown: String,
}

impl std::fmt::Display for Ran {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(4_000).collect::<String>();
        write!(
            formatter,
            "{} {}\n--- out\n{}\n--- err\n{}",
            self.shown,
            self.status,
            short(&self.out),
            short(&self.err)
        )
    }
}

impl Ran {
    /// Fails unless the run succeeded.
    pub(crate) fn succeeds(self) -> Self {
        self.ends(0)
    }

    /// Fails unless it ended with this code; an error must print a message.
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{self}");
        assert!(!matches!(code, 1 | 2) || !self.err.is_empty(), "an error without a word: {self}");
        self
    }

    /// Fails unless the error output contains this.
    pub(crate) fn says(self, what: &str) -> Self {
        assert!(self.err().contains(what), "does not say {what:?}: {self}");
        self
    }

    /// Fails unless the output contains this.
    pub(crate) fn prints(self, what: &str) -> Self {
        assert!(self.out().contains(what), "does not print {what:?}: {self}");
        self
    }

    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap()
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8(self.out.clone()).unwrap()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }

    /// The one JSON value that was printed.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// The JSON values that were printed, one a line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.out()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
            .collect()
    }

    /// The code of the error that was reported as JSON.
    pub(crate) fn error_code(&self) -> String {
        let line = self.err();
        let line = line.lines().last().unwrap_or_default();
        let value: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {self}"));
        assert!(
            value["error"]["message"].as_str().is_some_and(|message| message.len() > 10),
            "{self}"
        );
        value["error"]["code"].as_str().unwrap().to_owned()
    }
}
