//! Mail: mailboxes in the mbox format, single messages (`.eml`) and Maildir folders.
//!
//! A Maildir is a folder with `cur` and `new`, which hold a message a file, and with folders of the
//! same form whose names begin with a dot. What lies in `tmp` was not delivered.
//!
//! An mbox is a sequence of messages, each after a line `From sender date`. Of its dialects, mboxo
//! and mboxrd escape such lines inside messages with `>`, which is undone; mboxcl2 gives a length
//! instead, which is ignored, because it is often wrong. A separator has an address and a date.
//! Where the date is missing or no empty line precedes, a line of a header must follow.
//!
//! | module | answers |
//! |---|---|
//! | `date` | when was it, where the date breaks the rules? |
//! | `message` | what do we keep of a message? |
//! | `quotes` | what of its text did its author write? |

mod date;
mod message;
mod quotes;

use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::Path;

use crate::bounded_lines::BoundedLines;
use crate::{Context, ImportError, Importer, Match, Probe, Problem, Sink, files};

/// Largest message that is read; of a larger one, the beginning, which holds the text.
const MESSAGE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Longest line of a message that is kept whole, in bytes.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most parts of a message; the rest of one with more is left out. Messages within messages are
/// such parts, and the parser goes as deep as they do.
const PARTS_MAX: usize = 500;

const FORMAT: &str = "a mailbox or mail message";

/// Headers that identify a message.
const KNOWN_HEADERS: [&str; 11] = [
    "from",
    "to",
    "subject",
    "date",
    "message-id",
    "received",
    "return-path",
    "mime-version",
    "delivered-to",
    "content-type",
    "reply-to",
];

/// Reads `.mbox` and `.eml` files.
pub(crate) struct Mbox;

impl Importer for Mbox {
    fn name(&self) -> &'static str {
        "mbox"
    }

    fn describe(&self) -> &'static str {
        "mail: mailboxes (.mbox), single messages (.eml), Maildir folders"
    }

    fn is_between_people(&self) -> bool {
        true
    }

    fn detect(&self, probe: &Probe<'_>) -> Match {
        if probe.is_dir {
            return if self.claims_folder(probe.path) { Match::Certain } else { Match::No };
        }
        let extension =
            probe.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let named = ["mbox", "eml", "mbx"].iter().any(|name| extension.eq_ignore_ascii_case(name));
        let body = match probe.head.starts_with(b"From ") {
            true => probe.head.split_inclusive(|&byte| byte == b'\n').next().map_or(0, <[u8]>::len),
            false => 0,
        };
        let headers = known_headers(probe.head.get(body..).unwrap_or_default());
        match (body > 0, headers, named) {
            (true, 2.., _) | (false, 2.., true) | (false, 4.., _) => Match::Certain,
            (_, _, true) => Match::Likely,
            _ => Match::No,
        }
    }

    fn claims_folder(&self, folder: &Path) -> bool {
        ["cur", "new"].iter().all(|name| folder.join(name).is_dir())
    }

    fn import(&self, path: &Path, _: &Context, sink: &mut dyn Sink) -> Result<(), ImportError> {
        match self.claims_folder(path) {
            true => import_maildir(path, sink),
            false => import_file(path, sink).map(|_| ()),
        }
    }
}

/// Most folders of one Maildir.
const FOLDERS_MAX: usize = 10_000;

fn import_maildir(path: &Path, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let io = |source| ImportError::Io { path: path.to_owned(), source };
    let mut folders = vec![path.to_owned()];
    for entry in path.read_dir().map_err(io)?.flatten().take(FOLDERS_MAX) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name().as_encoded_bytes().starts_with(b".") {
            folders.push(entry.path());
        }
    }
    folders.sort();
    for folder in folders.iter().flat_map(|folder| [folder.join("cur"), folder.join("new")]) {
        if !folder.is_dir() {
            continue;
        }
        let found = files::walk(&folder, |_| true)?;
        for trouble in found.problems {
            if sink.problem(trouble).is_break() {
                return Ok(());
            }
        }
        for file in found.files {
            let flow = match import_file(&file, sink) {
                Ok(flow) => flow,
                Err(error) => sink.problem(files::problem(&file, error.to_string())),
            };
            if flow.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn import_file(path: &Path, sink: &mut dyn Sink) -> Result<ControlFlow<()>, ImportError> {
    let io = |source| ImportError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(io)?;
    let mut lines = BoundedLines::new(BufReader::with_capacity(64 * 1024, file), LINE_BYTES_MAX);
    let mut mailbox = Mailbox { path, sink, raw: Raw::default(), given: 0 };
    let mut line = Vec::new();
    let mut after_empty_line = true;
    // A line that separates if one of a header follows it.
    let mut held: Option<(Vec<u8>, u64)> = None;
    while let Some(read) = lines.read(&mut line).map_err(io)? {
        mailbox.sink.progress(read.stream_bytes);
        if let Some((held, number)) = held.take() {
            if !is_header(&line) {
                mailbox.raw.push(&held, number);
            } else if mailbox.separate(number).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            after_empty_line = false;
        }
        let found = match read.number {
            1 if line.starts_with(b"From ") => Separator::Sure,
            _ => match separator(&line, after_empty_line) {
                // A message that is a file of its own need not escape such lines.
                Separator::Sure if !mailbox.raw.in_mailbox => {
                    Separator::BeforeHeader { in_mailbox: true }
                }
                found => found,
            },
        };
        after_empty_line = line.is_empty();
        match found {
            Separator::Sure => {
                if mailbox.separate(read.number).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Separator::BeforeHeader { in_mailbox } if mailbox.raw.in_mailbox || !in_mailbox => {
                held = Some((std::mem::take(&mut line), read.number));
            }
            _ => {
                mailbox.raw.line = if read.number == 1 { 1 } else { mailbox.raw.line };
                mailbox.raw.push(&line, read.number);
            }
        }
    }
    if let Some((held, number)) = held {
        mailbox.raw.push(&held, number);
    }
    let flow = mailbox.give();
    if flow.is_continue() && mailbox.given == 0 {
        let reason =
            "it holds no message: neither a line `From …` nor the headers of a message were found"
                .to_owned();
        return Err(ImportError::Format { path: path.to_owned(), format: FORMAT, reason });
    }
    Ok(flow)
}

/// One message before it is parsed.
#[derive(Default)]
struct Raw {
    bytes: Vec<u8>,
    /// Where it begins.
    line: u64,
    /// True after a separator, false for a message that is a file of its own.
    in_mailbox: bool,
    parts: usize,
    /// Where and why the rest was left out.
    cut: Option<(u64, String)>,
}

impl Raw {
    fn push(&mut self, line: &[u8], number: u64) {
        if self.cut.is_some() {
            return;
        }
        let begins_part =
            line.get(..12).is_some_and(|name| name.eq_ignore_ascii_case(b"content-type"));
        self.parts += usize::from(begins_part);
        if self.parts > PARTS_MAX {
            self.cut = Some((
                number,
                format!("more than {PARTS_MAX} parts; the rest of the message was left out"),
            ));
            return;
        }
        if self.bytes.len() + line.len() >= MESSAGE_BYTES_MAX {
            let message = format!(
                "a message of more than {MESSAGE_BYTES_MAX} bytes; the rest of it was left out"
            );
            self.cut = Some((number, message));
            return;
        }
        let quotes = line.iter().take_while(|&&byte| byte == b'>').count();
        let escaped = quotes > 0
            && self.in_mailbox
            && line.get(quotes..).is_some_and(|rest| rest.starts_with(b"From "));
        self.bytes.extend(line.iter().skip(usize::from(escaped)));
        self.bytes.push(b'\n');
    }
}

struct Mailbox<'a> {
    path: &'a Path,
    sink: &'a mut dyn Sink,
    raw: Raw,
    given: u64,
}

impl Mailbox<'_> {
    /// Gives the message that was read, and begins the one after the separator of that number.
    fn separate(&mut self, number: u64) -> ControlFlow<()> {
        self.give()?;
        self.raw = Raw { line: number + 1, in_mailbox: true, ..Raw::default() };
        ControlFlow::Continue(())
    }

    /// Gives the message that was read.
    fn give(&mut self) -> ControlFlow<()> {
        let raw = std::mem::take(&mut self.raw);
        if raw.bytes.iter().all(u8::is_ascii_whitespace) {
            return ControlFlow::Continue(());
        }
        if known_headers(&raw.bytes) == 0 {
            if raw.in_mailbox {
                self.given += 1;
                self.problem(
                    raw.line,
                    "this message has none of the headers of a mail; it was left out".to_owned(),
                )?;
            }
            return ControlFlow::Continue(());
        }
        self.given += 1;
        if let Some((line, message)) = raw.cut {
            self.problem(line, message)?;
        }
        match message::evidence(&raw.bytes) {
            Some(message::Read { evidence, dated }) => {
                if !dated {
                    let message =
                        "the message has no date that can be read; it was taken without one"
                            .to_owned();
                    self.problem(raw.line, message)?;
                }
                self.sink.evidence(evidence)
            }
            None => self.problem(
                raw.line,
                "the headers of this message cannot be read; it was left out".to_owned(),
            ),
        }
    }

    fn problem(&mut self, line: u64, message: String) -> ControlFlow<()> {
        self.sink.problem(Problem { file: self.path.to_owned(), line: Some(line), message })
    }
}

/// Whether a line separates messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Sure,
    /// If a line of a header follows; some only within a mailbox.
    BeforeHeader {
        in_mailbox: bool,
    },
    None,
}

/// `From ana@example.org Mon Jun  2 08:00:00 2025`.
fn separator(line: &[u8], after_empty_line: bool) -> Separator {
    const SEPARATOR_BYTES_MAX: usize = 1000;
    let Some(rest) = line.strip_prefix(b"From ") else { return Separator::None };
    if rest.len() >= SEPARATOR_BYTES_MAX {
        return Separator::None;
    }
    match (after_empty_line, has_address_and_date(rest)) {
        (true, true) => Separator::Sure,
        (false, true) => Separator::BeforeHeader { in_mailbox: true },
        (true, false) if rest.split(|&byte| byte == b' ').any(is_time) => {
            Separator::BeforeHeader { in_mailbox: false }
        }
        (_, false) => Separator::None,
    }
}

fn is_time(word: &[u8]) -> bool {
    match word {
        [a, b, b':', c, d, ..] => [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()),
        [a, b':', c, d, ..] => [a, c, d].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Archives of lists write addresses as `ana at example.org`.
fn has_address_and_date(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let words: Vec<&str> = text.split_whitespace().collect();
    let date = match words.as_slice() {
        [_, "at", _, date @ ..] => date,
        [_, date @ ..] => date,
        [] => return false,
    };
    date::asctime(&date.join(" ")).is_some()
}

/// `Subject: tea`.
fn is_header(line: &[u8]) -> bool {
    let name =
        line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let after = line.get(name..).unwrap_or_default();
    name > 0 && matches!(after, [b':'] | [b':', b' ' | b'\t', ..])
}

/// How many different headers of a mail the text begins with.
fn known_headers(text: &[u8]) -> usize {
    const LINES_MAX: usize = 2000;
    let mut seen = [false; KNOWN_HEADERS.len()];
    for line in text.split(|&byte| byte == b'\n').take(LINES_MAX) {
        if line.iter().all(u8::is_ascii_whitespace) {
            break;
        }
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let name = line.get(..colon).unwrap_or_default().trim_ascii_end();
        for (known, seen) in KNOWN_HEADERS.iter().zip(&mut seen) {
            *seen |= name.eq_ignore_ascii_case(known.as_bytes());
        }
    }
    seen.into_iter().filter(|&seen| seen).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(path: &str, head: &str) -> Match {
        Mbox.detect(&Probe { path: Path::new(path), is_dir: false, head: head.as_bytes() })
    }

    #[test]
    fn a_mailbox_and_a_message_are_recognised_by_their_headers() {
        assert_eq!(
            detected("inbox", "From a@b Mon Jun  2 08:00:00 2025\nFrom: a@b\nDate: x\n\nhi"),
            Match::Certain
        );
        assert_eq!(detected("x.eml", "From: a@b\nSubject: x\n\nhi"), Match::Certain);
        assert_eq!(detected("x.mbox", ""), Match::Likely);
        assert_eq!(detected("letter.txt", "From here on\nSubject: all is well\n"), Match::No);
        assert_eq!(detected("notes.txt", "Subject: x\nDate: today\n\ntext"), Match::No);
    }

    #[test]
    fn prose_is_not_a_separator() {
        let check = |line: &str, sure: Separator, without_empty_line: Separator| {
            assert_eq!(separator(line.as_bytes(), true), sure, "{line}");
            assert_eq!(separator(line.as_bytes(), false), without_empty_line, "{line}");
        };
        let in_mailbox = Separator::BeforeHeader { in_mailbox: true };
        for line in [
            "From - Mon Jun  2 08:00:00 2025",
            "From ana@example.org Mon Jun  2 8:00:00 2025 +0200",
            "From 18@xxx Mon Jun 02 08:00:00 +0000 2025",
            "From ana at example.org  Mon Jun  2 08:00:00 2025",
        ] {
            check(line, Separator::Sure, in_mailbox);
        }
        let anywhere = Separator::BeforeHeader { in_mailbox: false };
        check("From ana@example.org 2025-06-02 08:00:00", anywhere, Separator::None);
        check("From 10:30 on it is all uphill.", anywhere, Separator::None);
        check("From here on it is all uphill.", Separator::None, Separator::None);
        check(">From ana@example.org Mon Jun  2 08:00:00 2025", Separator::None, Separator::None);
    }
}
