//! The history of a git repository, read with the installed `git`.
//!
//! Commits come oldest first, all in one session, named by the hash of the first commit, since each
//! commit is the context of the next. Only commits that HEAD reaches are read, so abandoned
//! branches and stashes are left out.
//!
//! A repository may be hostile, and its configuration can name programs to run. The only command
//! that is run (`git log`) takes no argument from file content, and every setting is switched off
//! that could make it run a program, fetch an object or wait for input.

use std::ffi::OsStr;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::when::When;
use serde_json::Value;

use crate::bounded_lines::BoundedLines;
use crate::charset;
use crate::secrets::{cut, summarize};
use crate::turn::LINK_BYTES_MAX;
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink};

/// Most changed paths of one commit that are kept.
pub(crate) const PATHS_MAX: usize = 100;
/// Longest message or path that is kept whole, in bytes.
const FIELD_BYTES_MAX: usize = 256 * 1024;
/// How long git may print nothing. It walks the whole history before it prints the first commit;
/// for histories of millions that takes half a minute.
const SILENCE_MAX: Duration = Duration::from_secs(180);
/// Entries of a repository's folder that are looked at.
const LOOKED_AT_MAX: usize = 20_000;
/// Bytes that are read from git at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// How many times as many may wait to be read.
const CHUNKS_AHEAD_MAX: usize = 4;
/// Longest part of git's error output that a problem repeats, in bytes.
const COMPLAINT_BYTES_MAX: u64 = 2048;

const FORMAT: &str = "a git repository";

/// The fields of a commit. Each commit begins with an empty field, which cannot be a path; then
/// come these fields, and then its paths.
const FIELDS: [&str; 6] = ["%H", "%an", "%aI", "%cn", "%P", "%B"];

/// Environment variables that would point git to another repository or make it run a program.
const VARIABLES_REMOVED: [&str; 11] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_TRACE",
    "GIT_CEILING_DIRECTORIES",
];

/// Reads the commits of a repository.
pub(crate) struct Git;

impl Importer for Git {
    fn name(&self) -> &'static str {
        "git"
    }

    fn describe(&self) -> &'static str {
        "commits of a git repository (needs the git program)"
    }

    /// A work tree is only a likely match: notes are often kept in one.
    fn detect(&self, probe: &Probe<'_>) -> Match {
        if !probe.is_dir {
            Match::No
        } else if probe.path.join(".git").exists() {
            Match::Likely
        } else if ["HEAD", "objects", "refs"].iter().all(|name| probe.path.join(name).exists()) {
            Match::Certain
        } else {
            Match::No
        }
    }

    fn claims_folder(&self, folder: &Path) -> bool {
        self.detect(&Probe { path: folder, is_dir: true, head: &[] }) != Match::No
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        import_with(OsStr::new("git"), path, sink, SILENCE_MAX)
    }
}

/// A child process that is killed when its reader is dropped.
pub(crate) struct Reaped(pub(crate) Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        // Both fail only for a child that has ended and been waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn import_with(
    program: &OsStr,
    path: &Path,
    sink: &mut dyn Sink,
    silence_max: Duration,
) -> Result<(), ImportError> {
    let refused =
        |reason: String| ImportError::Format { path: path.to_owned(), format: FORMAT, reason };
    let io = |source: io::Error| match source.kind() {
        io::ErrorKind::TimedOut => refused(format!(
            "git has been silent for {} s, as it is when the repository holds a named pipe",
            silence_max.as_secs()
        )),
        _ => ImportError::Io { path: path.to_owned(), source },
    };
    if !path.is_dir() {
        return Err(refused("it is not a directory".to_owned()));
    }
    if let Some(special) = special_file(path) {
        let reason = format!("{} is a named pipe or a device, not a file", special.display());
        return Err(refused(reason));
    }
    let child = log_command(program, path).spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            refused("the program `git` was not found; install it to import histories".to_owned())
        }
        _ => io(error),
    })?;
    let mut child = Reaped(child);
    let (Some(stdout), Some(stderr)) = (child.0.stdout.take(), child.0.stderr.take()) else {
        return Err(refused("git could not be read from".to_owned()));
    };
    // If nobody read this pipe, git would block once it is full.
    let complaint = thread::spawn(move || first_bytes(stderr));
    let mut log = Log::new(path, Chunks::of(stdout, silence_max));
    if log.read(sink).map_err(io)?.is_break() {
        return Ok(());
    }
    let status = child.0.wait().map_err(io)?;
    let complaint = complaint.join().unwrap_or_default();
    let complaint = complaint.trim().trim_start_matches("fatal: ");
    if status.success() || complaint.contains("does not have any commits yet") {
        return Ok(());
    }
    if log.commits == 0 {
        return Err(refused(format!("git says: {complaint}")));
    }
    let message = format!("git stopped before the end of the history: {complaint}");
    let _ = sink.problem(Problem { file: path.to_owned(), line: None, message });
    Ok(())
}

/// Something in a repository's own folder that git would open as a file and wait for. Objects are
/// not looked at, nor anything after [`LOOKED_AT_MAX`] entries: then git's silence ends the import.
pub(crate) fn special_file(path: &Path) -> Option<PathBuf> {
    let inner = path.join(".git");
    let is_bare = || path.join("HEAD").exists() && path.join("objects").is_dir();
    let mut pending = match inner.is_dir() {
        true => vec![inner],
        false if is_bare() => vec![path.to_owned()],
        false => return None,
    };
    let mut looked_at = 0;
    while let Some(folder) = pending.pop() {
        let is_of_objects = folder.file_name() == Some(OsStr::new("objects"));
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > LOOKED_AT_MAX {
                return None;
            }
            // Links are followed, as git follows them.
            let Ok(metadata) = std::fs::metadata(entry.path()) else { continue };
            if metadata.is_dir() {
                let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                if !is_link && (!is_of_objects || entry.file_name() == "info") {
                    pending.push(entry.path());
                }
            } else if !metadata.is_file() {
                return Some(entry.path());
            }
        }
    }
    None
}

/// A command of git in a repository that may be anybody's: it runs no other program, fetches
/// nothing and asks nothing.
pub(crate) fn command(program: &OsStr, path: &Path) -> Command {
    let mut command = Command::new(program);
    for setting in ["core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false"] {
        command.args(["-c", setting]);
    }
    command.arg("-C").arg(path).args(["--no-pager", "--no-replace-objects"]);
    for variable in VARIABLES_REMOVED {
        command.env_remove(variable);
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none");
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn log_command(program: &OsStr, path: &Path) -> Command {
    let format = FIELDS
        .iter()
        .fold(String::from("--format=tformat:"), |format, field| format + "%x00" + field);
    let mut command = command(program, path);
    command.args(["log", "-z", "--no-color", "--reverse"]);
    command.args([
        "--topo-order",
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-notes",
    ]);
    command.args([
        "--no-show-signature",
        "--no-mailmap",
        "--no-decorate",
        "--encoding=UTF-8",
        "--ignore-submodules=all",
    ]);
    command.arg(format).arg("--");
    command
}

/// The beginning of a stream, which is read to its end.
fn first_bytes(mut stream: impl Read) -> String {
    let mut first = Vec::new();
    let kept = stream.by_ref().take(COMPLAINT_BYTES_MAX).read_to_end(&mut first);
    if kept.is_ok() {
        let _ = io::copy(&mut stream, &mut io::sink());
    }
    String::from_utf8_lossy(&first).into_owned()
}

/// What a program prints, read by a thread of its own, so that waiting for more can end.
pub(crate) struct Chunks {
    chunks: Receiver<io::Result<Vec<u8>>>,
    current: io::Cursor<Vec<u8>>,
    silence_max: Duration,
}

impl Chunks {
    pub(crate) fn of(mut stream: ChildStdout, silence_max: Duration) -> Self {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS_AHEAD_MAX);
        // It ends with the stream, which ends with the program, or when nobody reads any more.
        thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = stream.read(&mut chunk).map(|length| {
                    chunk.truncate(length);
                    chunk
                });
                let is_last = !matches!(&read, Ok(chunk) if !chunk.is_empty());
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        Self { chunks, current: io::Cursor::default(), silence_max }
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.position() >= self.current.get_ref().len() as u64 {
            self.current = match self.chunks.recv_timeout(self.silence_max) {
                Ok(chunk) => io::Cursor::new(chunk?),
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            };
        }
        self.current.read(buffer)
    }
}

/// The log as it comes through the pipe.
struct Log<'a> {
    path: &'a Path,
    fields: BoundedLines<BufReader<Chunks>>,
    first_hash: Option<String>,
    commits: u64,
}

/// One commit of git's output.
#[derive(Default)]
struct Commit {
    fields: Vec<String>,
    paths: Vec<String>,
    paths_left_out: u64,
    /// Whether its message was cut.
    is_cut: bool,
}

impl<'a> Log<'a> {
    fn new(path: &'a Path, stdout: Chunks) -> Self {
        let fields = BoundedLines::separated_by(0, BufReader::new(stdout), FIELD_BYTES_MAX);
        Self { path, fields, first_hash: None, commits: 0 }
    }

    fn read(&mut self, sink: &mut dyn Sink) -> io::Result<ControlFlow<()>> {
        let mut field = Vec::new();
        let mut commit = Commit::default();
        while let Some(read) = self.fields.read(&mut field)? {
            sink.progress(read.stream_bytes);
            let complete = commit.fields.len() == FIELDS.len();
            if field.is_empty() && (complete || commit.fields.is_empty()) {
                if complete && self.give(std::mem::take(&mut commit), sink).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            } else if !complete {
                commit.fields.push(charset::decode(&field).text.into_owned());
                commit.is_cut |= read.cut;
            } else if commit.paths.len() < PATHS_MAX {
                let text = String::from_utf8_lossy(&field);
                // Git separates the list of paths from the message by a line feed.
                let text = if commit.paths.is_empty() {
                    text.strip_prefix('\n').unwrap_or(&text)
                } else {
                    &text
                };
                commit.paths.push(cut(text, LINK_BYTES_MAX).to_owned());
            } else {
                commit.paths_left_out += 1;
            }
        }
        let complete = commit.fields.len() == FIELDS.len();
        Ok(if complete { self.give(commit, sink) } else { ControlFlow::Continue(()) })
    }

    fn give(&mut self, commit: Commit, sink: &mut dyn Sink) -> ControlFlow<()> {
        let Ok::<[String; 6], _>([hash, author, date, committer, parents, message]) =
            commit.fields.try_into()
        else {
            return ControlFlow::Continue(());
        };
        self.commits += 1;
        let session = self.first_hash.get_or_insert_with(|| hash.clone()).clone();
        let at = When::parse_given(&date).ok();
        if at.is_none() {
            let message = format!(
                "the date {date:?} of commit {hash} cannot be read; the commit was taken without one"
            );
            sink.problem(Problem { file: self.path.to_owned(), line: None, message })?;
        }
        let message = message.trim();
        let subject = message.lines().next().unwrap_or_default().trim();
        let mut payload = Payload {
            text: message.to_owned(),
            title: (!subject.is_empty()).then(|| subject.to_owned()),
            session: Some(session),
            participants: people(&author, &committer, message),
            links: commit.paths,
            ..Payload::default()
        };
        if commit.paths_left_out > 0 {
            payload.more.insert("links_left_out".to_owned(), Value::from(commit.paths_left_out));
        }
        if commit.is_cut {
            payload.more.insert("text_cut".to_owned(), Value::Bool(true));
        }
        if parents.split_whitespace().count() > 1 {
            payload.more.insert("merge".to_owned(), Value::Bool(true));
        }
        let shown = if subject.is_empty() { "commit without a message" } else { subject };
        sink.evidence(Evidence {
            source: "git".to_owned(),
            source_uid: hash,
            kind: EvidenceKind::COMMIT.into(),
            actor: (!author.trim().is_empty()).then(|| author.trim().to_owned()),
            at,
            summary: summarize(&format!("{author}: {shown}")),
            visibility: Visibility::default(),
            payload,
        })
    }
}

/// Author, committer, and whom the message names as co-authors.
fn people(author: &str, committer: &str, message: &str) -> Vec<String> {
    const PEOPLE_MAX: usize = 50;
    let co_authors = message.lines().filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        let name = value.split('<').next()?;
        key.trim().eq_ignore_ascii_case("co-authored-by").then(|| name.trim())
    });
    let mut people: Vec<String> = Vec::new();
    for name in [author.trim(), committer.trim()].into_iter().chain(co_authors).take(PEOPLE_MAX) {
        // Merges made on its site bear this name.
        let is_machine = name == "GitHub";
        if !name.is_empty() && !is_machine && !people.iter().any(|known| known == name) {
            people.push(name.to_owned());
        }
    }
    people
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Discard;

    #[test]
    fn without_the_program_the_error_says_what_to_do() {
        let directory = tempfile::tempdir().unwrap();
        let error = import_with(
            OsStr::new("no-such-program-as-git"),
            directory.path(),
            &mut Discard,
            SILENCE_MAX,
        )
        .unwrap_err();
        assert!(error.to_string().contains("install it"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_in_a_repository_ends_the_import_and_not_the_program() {
        let directory = tempfile::tempdir().unwrap();
        let run = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            assert!(
                command.args(arguments).current_dir(directory.path()).status().unwrap().success()
            );
        };
        run("git", &["init", "--quiet"]);
        let import = |silence| {
            import_with(OsStr::new("git"), directory.path(), &mut Discard, silence).unwrap_err()
        };
        let git = directory.path().join(".git");
        for name in [
            "HEAD",
            "config",
            "packed-refs",
            "shallow",
            "info/grafts",
            "refs/heads/x",
            "objects/info/alternates",
            "commondir",
        ] {
            let _ = std::fs::rename(git.join(name), directory.path().join("kept"));
            run("mkfifo", &[&format!(".git/{name}")]);
            let error = import(Duration::from_secs(600));
            assert!(error.to_string().contains("named pipe"), "{name}: {error}");
            std::fs::remove_file(git.join(name)).unwrap();
            let _ = std::fs::rename(directory.path().join("kept"), git.join(name));
        }
        // What is named elsewhere is found by git's silence.
        std::fs::write(directory.path().join("slow"), "#!/bin/sh\nexec sleep 60\n").unwrap();
        run("chmod", &["+x", "slow"]);
        let slow = directory.path().join("slow");
        let silence = Duration::from_millis(300);
        let error =
            import_with(slow.as_os_str(), directory.path(), &mut Discard, silence).unwrap_err();
        assert!(error.to_string().contains("silent"), "{error}");
    }
}
