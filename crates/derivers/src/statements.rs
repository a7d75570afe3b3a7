//! Statements: the owner's own words, cut into sentences of words.
//!
//! A statement counts only when the owner of the memory made it in the first person. Owners write notes, speak as `user` to
//! agents, and call themselves "Me" or "You" in exports; every other speaker's "I" is somebody else. What the owner only passes
//! on is left out: quotations, code, tables, and texts that an agent is asked to work on. Grammar is not parsed:
//! the derivers look for few plain patterns, and a sentence that does not fit one says nothing.

use kernel::evidence::{Evidence, EvidenceKind};

use crate::names;

/// How much of a record is read for statements, bytes: what people say of themselves stands at the beginning.
pub const STATEMENT_BYTES_MAX: usize = 16 * 1024;
/// Longest sentence that is read, words; a longer one is no plain statement.
pub const SENTENCE_WORDS_MAX: usize = 48;
/// How far into a request the words are looked for that make the rest somebody else's text, bytes.
const REQUEST_BYTES_MAX: usize = 160;

/// What is asked of an agent when the text that follows is not about the owner.
const REQUESTS: [&str; 27] = [
    "translate",
    "rewrite",
    "rephrase",
    "paraphrase",
    "proofread",
    "summarize",
    "summarise",
    "write a",
    "write an",
    "write me",
    "write the",
    "write some",
    "draft",
    "pretend",
    "imagine",
    "role-play",
    "roleplay",
    "role play",
    "act as",
    "correct this",
    "correct the following",
    "fix this",
    "improve this",
    "edit this",
    "fiction",
    "lyrics",
    "following text",
];

/// What stands between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Space only.
    None,
    /// A comma.
    Comma,
    /// A colon.
    Colon,
    /// A dash, slash or ellipsis.
    Dash,
    /// An opening parenthesis.
    Open,
    /// A closing parenthesis.
    Close,
    /// Words in quotation marks, which are left out.
    Quote,
    /// The sentence's end.
    End,
}

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// As written.
    pub text: &'t str,
    /// In lower case, with plain apostrophes.
    pub lower: String,
    /// What stands before it.
    pub before: Break,
}

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// Its words.
    pub words: Vec<Word<'t>>,
    /// Whether it is a question.
    pub is_question: bool,
    /// What stands after the last word.
    pub last: Break,
}

impl Sentence<'_> {
    /// What stands after the word at `index`.
    pub fn after(&self, index: usize) -> Break {
        match index.checked_add(1).and_then(|next| self.words.get(next)) {
            Some(next) => next.before,
            None if self.last == Break::None => Break::End,
            None => self.last,
        }
    }

    /// The word at `index` in lower case; empty beyond the end.
    pub fn lower(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| word.lower.as_str())
    }

    /// Whether one of `words` occurs.
    pub fn has_any(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.lower.as_str()))
    }
}

/// What of a record the owner said or wrote; none if it is not theirs.
pub fn own_words(evidence: &Evidence) -> Option<&str> {
    let payload = &evidence.payload;
    let kind = evidence.kind.0.as_str();
    let is_own = match (payload.role.as_deref(), evidence.actor.as_deref()) {
        (Some(role), _) => role == "user",
        (None, None) => kind == EvidenceKind::NOTE || evidence.source == "remember",
        (None, Some(actor)) => matches!(kind, EvidenceKind::NOTE | EvidenceKind::TURN) && names::is_self(actor),
    };
    let text = payload.text.get(..payload.text.floor_char_boundary(STATEMENT_BYTES_MAX))?;
    (is_own && !text.is_empty()).then_some(text)
}

/// Whether `text` asks an agent to work on a text, which then is not the owner speaking.
pub fn is_request(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(REQUEST_BYTES_MAX)).unwrap_or_default().to_ascii_lowercase();
    REQUESTS.iter().any(|request| head.contains(request))
}

/// Whether `needle` (lower-case ASCII) occurs in `text` in any case. The quick look before anything is parsed.
pub fn contains_folded(text: &str, needle: &str) -> bool {
    let needle = needle.as_bytes();
    let Some((&first, rest)) = needle.split_first() else { return true };
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(found) =
        bytes.get(from..).and_then(|bytes| bytes.iter().position(|byte| byte.to_ascii_lowercase() == first))
    {
        from += found + 1;
        if bytes.get(from..from + rest.len()).is_some_and(|next| next.eq_ignore_ascii_case(rest)) {
            return true;
        }
    }
    false
}

/// The sentences of `text` for which `looks_relevant` holds, in order. Quoted lines, tables and code are left out.
pub fn sentences<'t>(text: &'t str, looks_relevant: impl Fn(&str) -> bool) -> Vec<Sentence<'t>> {
    let mut sentences = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code || line.starts_with(['>', '|']) || !looks_relevant(line) {
            continue;
        }
        let line = without_marker(line);
        if has_speaker(line) {
            continue;
        }
        for part in split(line) {
            if looks_relevant(part) {
                sentences.extend(sentence(part));
            }
        }
    }
    sentences
}

/// Without the mark of a list's item, a task or a heading.
fn without_marker(line: &str) -> &str {
    let line = line.trim_start_matches(['#', '-', '*', '+', '•', ' ']);
    for task in ["[ ]", "[x]", "[X]"] {
        if let Some(rest) = line.strip_prefix(task) {
            return rest.trim_start();
        }
    }
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match number.strip_prefix(['.', ')']) {
        Some(rest) if number.len() < line.len() => rest.trim_start(),
        _ => line,
    }
}

/// Labels before a colon that leave what follows the owner's.
const LABELS: [&str; 14] = [
    "note",
    "notes",
    "fyi",
    "remember",
    "reminder",
    "ps",
    "p.s",
    "about me",
    "me",
    "also",
    "update",
    "preferences",
    "preference",
    "context",
];

/// `Tom: I love tea` is what Tom said.
fn has_speaker(line: &str) -> bool {
    let Some((label, rest)) = line.split_once(':') else { return false };
    let label = label.trim_matches(['*', '_', ' ', '[', ']']);
    let is_name = label.chars().next().is_some_and(|letter| letter.is_uppercase() || !letter.is_ascii())
        && label.split_whitespace().count() <= 3;
    is_name && rest.starts_with(char::is_whitespace) && !LABELS.contains(&label.to_lowercase().as_str())
}

/// Words whose dot ends no sentence.
const ABBREVIATIONS: [&str; 11] = ["dr", "mr", "mrs", "ms", "prof", "st", "e.g", "i.e", "vs", "etc", "approx"];

fn closing_quote(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '“' => Some('”'),
        '„' => Some('“'),
        '«' => Some('»'),
        '‘' => Some('’'),
        '`' => Some('`'),
        _ => None,
    }
}

/// Cuts a line after `.`, `!`, `?` and `;`, but not within quotation marks.
fn split(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quote: Option<char> = None;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if let Some(close) = quote {
            if letter == close {
                quote = None;
            }
            continue;
        }
        quote = closing_quote(letter);
        let is_end = match letter {
            '!' | '?' | ';' => letters.peek().is_none_or(|(_, next)| !matches!(next, '!' | '?')),
            '.' => {
                let word =
                    line.get(start..at).unwrap_or_default().rsplit(char::is_whitespace).next().unwrap_or_default();
                let word = word.trim_start_matches(['(', '[']).to_ascii_lowercase();
                let ends_word = letters.peek().is_none_or(|(_, next)| next.is_whitespace() || *next == ')');
                ends_word && !ABBREVIATIONS.contains(&word.as_str()) && word.chars().count() != 1
            }
            _ => false,
        };
        if is_end {
            let end = at + letter.len_utf8();
            parts.extend(line.get(start..end));
            start = end;
        }
    }
    parts.extend(line.get(start..).filter(|rest| !rest.trim().is_empty()));
    parts
}

fn sentence(text: &str) -> Option<Sentence<'_>> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-' | '.' | '_');
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut before = Break::None;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if letter.is_alphanumeric() {
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            let (word, after) = rest.split_at_checked(end)?;
            if words.len() >= SENTENCE_WORDS_MAX {
                return None;
            }
            let word = word.trim_end_matches(['-', '\'', '’', '.']);
            let lower = word.to_lowercase().replace('’', "'");
            words.push(Word { text: word, lower, before });
            before = Break::None;
            rest = after;
            continue;
        }
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = after;
        if let Some(close) = closing_quote(letter) {
            before = Break::Quote;
            rest = after.split_once(close).map_or("", |(_, rest)| rest);
            continue;
        }
        let found = match letter {
            ',' => Break::Comma,
            ':' => Break::Colon,
            '(' | '[' => Break::Open,
            ')' | ']' => Break::Close,
            '-' | '–' | '—' | '/' | '…' | '\\' => Break::Dash,
            _ => Break::None,
        };
        if found != Break::None && before != Break::Quote {
            before = found;
        }
    }
    let trimmed =
        text.trim_end_matches(|letter: char| letter.is_whitespace() || matches!(letter, ')' | '"' | '”' | '*'));
    (!words.is_empty()).then_some(Sentence {
        words,
        is_question: trimmed.ends_with('?') || text.contains('?'),
        last: before,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let line = |sentence: Sentence<'_>| {
            let words: Vec<&str> = sentence.words.iter().map(|word| word.text).collect();
            format!("{}{}", words.join(" "), if sentence.is_question { "?" } else { "" })
        };
        sentences(text, |_| true).into_iter().map(line).collect()
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        assert_eq!(read("I saw Dr. Weber. Did you?! No; never"), ["I saw Dr Weber", "Did you?", "No", "never"]);
        assert_eq!(read("- [ ] call Ana\n2. second\n# Head"), ["call Ana", "second", "Head"]);
    }

    #[test]
    fn what_is_quoted_said_by_others_or_code_is_left_out() {
        assert_eq!(read("> I love tea\n```\nI love tea\n```\n| I love tea |\nTom: I love tea"), [""; 0]);
        assert_eq!(read("He wrote \"I love tea. Truly\" twice"), ["He wrote twice"]);
        assert_eq!(read("He wrote “I love tea"), ["He wrote"]);
    }

    #[test]
    fn a_hostile_text_is_read_within_bounds() {
        assert!(read(&"word ".repeat(1_000)).is_empty());
        for text in ["'''''", "----", "(((((", "....", "\u{202e}'’", "\"\"\"\"", "?", "«", "a.b.c.d"] {
            let _ = read(text);
        }
    }

    #[test]
    fn the_quick_look_ignores_case() {
        assert!(contains_folded("This is MY sister", "my s"));
        assert!(!contains_folded("m", "my"));
        assert!(contains_folded("", ""));
    }
}
