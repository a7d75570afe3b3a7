//! Prose: which parts of a record's text its author wrote as sentences of their own.
//!
//! Code, quotations ([`quoted`](crate::quoted)), tables and headings hold words in the first person
//! that state nothing about whoever keeps them. Neither do whole documents that others wrote: what
//! comes with a program, and the minutes of a meeting. A sentence that was wrapped at a margin goes
//! on in the next line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kernel::evidence::{Evidence, EvidenceKind, Payload};

use crate::owner::Owner;
use crate::quoted::quoted_lines;
use crate::statements::{speaker_of, without_marker};
use crate::titles::{is_file_of_others, is_over_words_of_others};

/// A line of at least so many characters may have been wrapped, if the next begins in lower case.
pub(crate) const WRAPPED_CHARS_MIN: usize = 40;
/// The same whatever the next line begins with: people do not wrap shorter.
const FULL_CHARS_MIN: usize = 60;
/// White space before a line of code.
const CODE_INDENT: [&str; 2] = ["    ", "\t"];
/// Times that two speakers of a conversation have to speak.
const SPEAKS_MIN: usize = 2;
/// Longest initials of a speaker.
const INITIALS_CHARS_MAX: usize = 3;

/// Files that come with a program, by their names without extensions.
#[rustfmt::skip]
const OF_PROGRAMS: [&str; 26] = [
    "README", "CHANGELOG", "CHANGES", "NEWS", "HISTORY", "CONTRIBUTING", "CODE_OF_CONDUCT", "LICENSE", "LICENCE",
    "COPYING", "COPYRIGHT", "AUTHORS", "CREDITS", "THANKS", "INSTALL", "INSTALLATION", "FAQ", "SECURITY", "MAINTAINERS",
    "RELEASES", "RELEASE_NOTES", "UPGRADING", "MIGRATION", "HACKING", "BUGS", "NOTICE",
];
/// Folders of programs that others wrote.
const FOLDERS_OF_PROGRAMS: [&str; 6] =
    ["node_modules", "site-packages", "dist-packages", "vendor", "third_party", "third-party"];
/// Words of titles over what several people said.
const OF_MEETINGS: [&str; 5] = ["minutes", "transcript", "transcripts", "attendees", "proceedings"];

/// Whether a note is the text of others: of a program's authors, or of a meeting.
pub(crate) fn is_of_others(evidence: &Evidence) -> bool {
    let payload = &evidence.payload;
    let is_written_for_itself = evidence.kind.0 == EvidenceKind::NOTE && payload.role.is_none();
    if !is_written_for_itself || evidence.source == REMEMBER {
        return false;
    }
    let path = payload.session.as_deref().unwrap_or_default();
    is_of_program(path)
        || is_file_of_others(path)
        || [path, payload.session_title.as_deref().unwrap_or_default(), title(payload)]
            .iter()
            .any(|title| is_of_meeting(title))
        || [file_stem(path), payload.session_title.as_deref().unwrap_or_default(), title(payload)]
            .iter()
            .any(|title| is_over_words_of_others(title))
        || is_conversation(&payload.text)
}

/// The source of notes that were written down one by one.
pub const REMEMBER: &str = "remember";

fn file_stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    file.split('.').next().unwrap_or_default()
}

fn title(payload: &Payload) -> &str {
    payload.title.as_deref().unwrap_or_default()
}

fn is_of_program(path: &str) -> bool {
    let mut parts = path.split(['/', '\\']);
    let file = parts.next_back().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let is_usual = |name: &&str| {
        stem == *name || stem.eq_ignore_ascii_case(name) && matches!(*name, "README" | "CHANGELOG")
    };
    OF_PROGRAMS.iter().any(is_usual) || parts.any(|folder| FOLDERS_OF_PROGRAMS.contains(&folder))
}

/// Whether a title names what was said in a meeting; `20 minutes` does not.
fn is_of_meeting(title: &str) -> bool {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied();
        let is_duration = before.is_some_and(|before| {
            matches!(before, "in" | "few" | "some" | "several" | "minus")
                || before.ends_with(|letter: char| letter.is_ascii_digit())
        });
        OF_MEETINGS.contains(word) && (*word != "minutes" || !is_duration && words.len() < 12)
    })
}

/// Whether two speakers or more take turns: `Tom: …`, `WH: …`.
fn is_conversation(text: &str) -> bool {
    let mut speakers: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        if let Some(speaker) = speaker_of(without_marker(line.trim())) {
            *speakers.entry(speaker).or_default() += 1;
        }
    }
    let is_initials = |name: &&str| {
        name.chars().count() <= INITIALS_CHARS_MAX && name.chars().all(char::is_uppercase)
    };
    speakers.values().filter(|times| **times >= SPEAKS_MIN).count() >= 2
        || speakers.keys().filter(|name| is_initials(name)).count() >= 2
}

/// The text without the headings above it, which a section of a note begins with.
pub(crate) fn without_title(payload: &Payload) -> &str {
    let text = payload.text.as_str();
    let (Some(title), Some((first, rest))) = (payload.title.as_deref(), text.split_once('\n'))
    else {
        return text;
    };
    match first.ends_with(title) && rest.starts_with('\n') {
        true => rest.trim_start_matches('\n'),
        false => text,
    }
}

/// The paragraphs, list items and single lines of `text` that are sentences of its author.
pub(crate) fn paragraphs<'t>(text: &'t str, owner: &Owner) -> Vec<&'t str> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let fences = lines.iter().filter(|line| is_fence(line)).count();
    // A passage that was cut within code: where it begins is unknown.
    if fences % 2 == 1 {
        return Vec::new();
    }
    let quoted = quoted_lines(&lines, owner);
    lines.push("");
    let mut found = Vec::new();
    let mut open: Option<Paragraph> = None;
    let (mut at, mut is_code) = (0, false);
    for (pair, is_quoted) in lines.windows(2).zip(quoted) {
        let [line, next] = pair else { continue };
        let start = at;
        at += line.len();
        let words = line.trim();
        let is_mark = is_fence(line);
        is_code ^= is_mark;
        if is_mark
            || is_code
            || is_quoted
            || words.is_empty()
            || is_set_off(line)
            || is_underline(words)
            || is_underline(next.trim())
        {
            found.extend(open.take().map(Paragraph::range));
            continue;
        }
        let chars = words.chars().count();
        open = match open.take() {
            Some(before) if before.goes_on_in(words) => {
                Some(Paragraph { end: at, chars, ..before })
            }
            before => {
                found.extend(before.map(Paragraph::range));
                Some(Paragraph { start, end: at, chars, is_ended: false })
            }
        };
        if let Some(open) = &mut open {
            open.is_ended = words.ends_with(['.', '!', '?', ':', ';', '|']);
        }
    }
    found.extend(open.map(Paragraph::range));
    found.into_iter().filter_map(|range| text.get(range)).map(str::trim).collect()
}

/// The text with a space in place of each line end at which a sentence goes on; of the same length.
pub fn unwrapped(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut open: Option<Paragraph> = None;
    let (mut at, mut is_code) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let words = line.trim();
        let is_mark = is_fence(line);
        is_code ^= is_mark;
        let is_prose = !is_mark
            && !is_code
            && !words.is_empty()
            && !is_set_off(line)
            && !is_underline(words)
            && speaker_of(words).is_none();
        if is_prose && open.take().is_some_and(|before| before.goes_on_in(words)) {
            let kept = joined.trim_end_matches(['\n', '\r']).len();
            let ends = joined.len() - kept;
            joined.truncate(kept);
            joined.extend(std::iter::repeat_n(' ', ends));
        }
        joined.push_str(line);
        let is_ended = words.ends_with(['.', '!', '?', ':', ';', '|']);
        let chars = words.chars().count();
        open = is_prose.then_some(Paragraph { start, end: at, chars, is_ended });
    }
    Cow::Owned(joined)
}

/// Lines that are read as one.
struct Paragraph {
    start: usize,
    end: usize,
    /// Characters of its last line.
    chars: usize,
    /// Whether its last line ends a sentence.
    is_ended: bool,
}

impl Paragraph {
    fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// Whether its last sentence goes on in this line.
    fn goes_on_in(&self, line: &str) -> bool {
        let is_lower = line.starts_with(char::is_lowercase);
        let is_wrapped =
            self.chars >= FULL_CHARS_MIN || self.chars >= WRAPPED_CHARS_MIN && is_lower;
        !self.is_ended && is_wrapped && without_marker(line).len() == line.len()
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// Quoted lines, rows of tables, headings, and lines that are indented like code.
fn is_set_off(line: &str) -> bool {
    let words = line.trim();
    let is_indented = CODE_INDENT.iter().any(|indent| line.starts_with(indent));
    let is_heading = words.trim_start_matches('#').starts_with(' ') && words.starts_with('#');
    words.starts_with(['>', '|'])
        || words.contains(" | ")
        || is_heading
        || is_indented && without_marker(words).len() == words.len()
}

/// The line below a heading: `=====`.
fn is_underline(line: &str) -> bool {
    line.len() >= 3
        && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(paragraphs(text, &Owner::default()), expect, "{text:?}");
    }

    #[test]
    fn headings_code_tables_and_quotations_are_left_out() {
        check("# I love tea\nbody\nI love tea\n==========\nmore", &["body", "more"]);
        check(
            "```\nlet a;\n```\nafter\n    indented\n- item\n    - below",
            &["after", "- item", "- below"],
        );
        check("> said\n| a | b |\na | b\nso", &["so"]);
        check("within code\n```\nafter", &[]);
    }

    #[test]
    fn wrapped_sentences_are_one() {
        let first = "This sentence was written by somebody who likes to keep within";
        check(
            &format!("{first}\nI love margins\nand so on"),
            &[&format!("{first}\nI love margins"), "and so on"],
        );
        check("Short line\nI prefer tea", &["Short line", "I prefer tea"]);
        check(&format!("{first}\n- item"), &[first, "- item"]);
        check(&format!("{first}.\nI love tea"), &[&format!("{first}."), "I love tea"]);
    }

    #[test]
    fn a_line_end_within_a_sentence_becomes_a_space() {
        let first = "The deploy password for the staging cluster is kept in the vault, never in";
        let check = |text: &str, expect: &str| {
            assert_eq!(unwrapped(text), expect);
            assert_eq!(expect.len(), text.len());
        };
        check(&format!("{first}\nthe repository. You"), &format!("{first} the repository. You"));
        check(&format!("{first}\r\nThe Hague."), &format!("{first}  The Hague."));
        for kept in [
            "",
            "one line",
            "Short line\nI prefer tea",
            &format!("{first}:\n- item"),
            &format!("{first}\n- item\n\n{first}\n"),
            &format!("```\n{first}\n{first}\n```"),
            &format!("{first} | b\nc | d"),
            &format!("Ana: {first}\nBen: The film starts at nine"),
            &format!("{first}\n====="),
        ] {
            check(kept, kept);
        }
    }

    #[test]
    fn documents_of_others_are_recognised_by_name_and_by_speakers() {
        for path in ["README.md", "pkg/readme", "a/node_modules/b/x.md", "docs/CHANGELOG.txt"] {
            assert!(is_of_program(path), "{path}");
        }
        for path in ["News.md", "journal/2025.md", "History of tea.md", ""] {
            assert!(!is_of_program(path), "{path}");
        }
        assert!(is_of_meeting("minutes/2025-01-01.md") && is_of_meeting("Attendees"));
        assert!(!is_of_meeting("20 minutes of yoga") && !is_of_meeting("Pasta in minutes"));
        assert!(is_conversation("WH: I love it\nand\nMM: no"));
        assert!(is_conversation("Tom: a\nAna: b\nTom: c\nAna: d"));
        assert!(!is_conversation("Mood: good\nWeather: rain\nFood: soup"));
    }
}
