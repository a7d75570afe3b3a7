//! Statements: the owner's own words, split into sentences and words.
//!
//! A statement counts only when the owner of the memory made it in the first person. Owners write
//! notes, speak as `user` to agents, and appear as "Me" or "You" in exports; every other speaker's
//! "I" is somebody else. Text that the owner merely passes on is left out: quotations, code,
//! tables, and text that an agent should work on ([`pasted`](crate::pasted)). Grammar is not
//! parsed: the derivers look for a few plain patterns, and a sentence that matches none is ignored.

use std::borrow::Cow;

use jiff::civil::Date;
use kernel::evidence::EvidenceKind;
use kernel::id::OpId;

use crate::introductions::{before_words_of_others, is_owners, is_put_by_another};
use crate::owner::Owner;
use crate::pasted::{before_pasted, is_request_for_work, words_of};
use crate::prose::{REMEMBER, is_of_others, paragraphs, without_title};
use crate::{Record, SignedBy, account, names};

/// How much of a record is read for statements, bytes: people talk about themselves near the
/// beginning.
pub const STATEMENT_BYTES_MAX: usize = 16 * 1024;
/// Longest sentence that is read, words; a longer one is not a plain statement.
pub const SENTENCE_WORDS_MAX: usize = 48;
/// How many bytes at the beginning and the end of a message are searched for requests.
const REQUEST_BYTES_MAX: usize = 160;

/// Requests to an agent after which the text is not about the owner.
#[rustfmt::skip]
const REQUESTS: [&str; 25] = [
    "translate", "rewrite", "rephrase", "paraphrase", "proofread", "summarize", "summarise", "write a", "write an",
    "write me", "write the", "write some", "draft", "pretend", "imagine", "role-play", "roleplay", "role play",
    "act as", "correct this", "correct the following", "fix this", "improve this", "edit this",
    "following text",
];

/// The separator between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Only space.
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
    /// Words in quotation marks, which are skipped.
    Quote,
    /// The end of the sentence.
    End,
}

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// As written.
    pub text: &'t str,
    /// In lower case, with plain apostrophes.
    pub lower: Cow<'t, str>,
    /// The separator before it.
    pub before: Break,
}

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// Its words.
    pub words: Vec<Word<'t>>,
    /// Whether it is a question.
    pub is_question: bool,
    /// The separator after the last word.
    pub last: Break,
}

impl Sentence<'_> {
    /// The separator after the word at `index`.
    pub fn after(&self, index: usize) -> Break {
        match index.checked_add(1).and_then(|next| self.words.get(next)) {
            Some(next) => next.before,
            None if self.last == Break::None => Break::End,
            None => self.last,
        }
    }

    /// The word at `index` in lower case; empty beyond the end.
    pub fn lower(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| word.lower.as_ref())
    }

    /// Whether one of `words` occurs.
    pub fn has_any(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.lower.as_ref()))
    }
}

/// A statement that a deriver recognised, and its origin.
pub(crate) struct Mention<S> {
    pub(crate) id: OpId,
    pub(crate) day: Option<Date>,
    pub(crate) source: String,
    pub(crate) statement: S,
}

/// Text that the owner said or wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnWords<'t> {
    /// The beginning, at most [`STATEMENT_BYTES_MAX`].
    pub text: &'t str,
    /// Whether it was addressed to an agent, in which case it may ask the agent to work on text
    /// that is not about the owner.
    pub is_to_agent: bool,
    /// Who the owner is: a note that they sign is theirs.
    pub owner: &'t Owner,
}

impl OwnWords<'_> {
    /// Whether it is a request such as "translate: …", after which the text is somebody else's.
    pub fn is_request(&self) -> bool {
        if !self.is_to_agent {
            return false;
        }
        let text = self.text;
        let head = text.get(..text.floor_char_boundary(REQUEST_BYTES_MAX)).unwrap_or_default();
        let tail = text.len().saturating_sub(REQUEST_BYTES_MAX);
        let tail = text.get(text.ceil_char_boundary(tail)..).unwrap_or_default();
        any_word_starts_with(head, &REQUESTS)
            || is_request_for_work(head)
            || is_request_for_work(tail)
    }
}

/// The owner's own words in a record; `None` if they are not the owner's. A key that may only
/// append could record anything as the owner's words, so they count only if one of the owner's keys
/// signed the record, or if a key that may derive quotes the owner in a note.
pub fn own_words<'r>(record: &'r Record, owner: &'r Owner) -> Option<OwnWords<'r>> {
    let evidence = record.evidence()?;
    let payload = &evidence.payload;
    let kind = evidence.kind.0.as_str();
    let may_speak = match record.signed_by {
        SignedBy::Owner => true,
        SignedBy::Agent => payload.role.as_deref() == Some("user") && evidence.source == REMEMBER,
        SignedBy::Other => false,
    };
    if !may_speak {
        return None;
    }
    let is_own = match (payload.role.as_deref(), evidence.actor.as_deref()) {
        (Some(role), _) => role == "user",
        (None, None) => kind == EvidenceKind::NOTE || evidence.source == REMEMBER,
        (None, Some(actor)) => {
            matches!(kind, EvidenceKind::NOTE | EvidenceKind::TURN)
                && (names::is_self(actor)
                    || owner.is(actor)
                    || account(evidence).is_some_and(|account| account == actor))
        }
    };
    let is_passed_on = payload.more.contains_key("forwarded_from");
    if !is_own || is_passed_on || is_of_others(evidence) {
        return None;
    }
    let text = without_title(payload);
    let text = text.get(..text.floor_char_boundary(STATEMENT_BYTES_MAX))?;
    let is_to_agent = payload.role.is_some();
    let text = if is_to_agent { before_pasted(text) } else { text };
    (!text.is_empty()).then_some(OwnWords { text, is_to_agent, owner })
}

/// Whether a word in `text` starts with one of `beginnings` (lower-case ASCII), ignoring case. A
/// fast filter before parsing: it reads each byte once and allocates nothing.
pub fn any_word_starts_with(text: &str, beginnings: &[&str]) -> bool {
    let letter = |byte: u8| 1_u64 << (byte.to_ascii_lowercase() & 63);
    let first = |beginning: &&str| beginning.as_bytes().first().map_or(0, |first| letter(*first));
    // A bit per first letter: few words start with any of them.
    let firsts = beginnings.iter().fold(0, |firsts, beginning| firsts | first(beginning));
    let bytes = text.as_bytes();
    let mut is_start = true;
    for (at, byte) in bytes.iter().enumerate() {
        if is_start && firsts & letter(*byte) != 0 {
            let rest = bytes.get(at..).unwrap_or_default();
            let matches = |beginning: &&str| {
                rest.get(..beginning.len())
                    .is_some_and(|word| word.eq_ignore_ascii_case(beginning.as_bytes()))
            };
            if beginnings.iter().any(matches) {
                return true;
            }
        }
        is_start = !byte.is_ascii_alphanumeric();
    }
    false
}

/// Beginnings of words, in ASCII and lower case, by their first letters: for lists that are long.
pub(crate) struct Beginnings([Vec<&'static str>; LETTERS]);

/// Letters from a to z.
const LETTERS: usize = 26;

impl Beginnings {
    pub(crate) fn new(beginnings: &[&'static str]) -> Self {
        let mut by_letter: [Vec<&str>; LETTERS] = Default::default();
        for beginning in beginnings {
            if let Some(place) = beginning.bytes().next().and_then(Self::place) {
                by_letter[place].push(beginning);
            }
        }
        Self(by_letter)
    }

    fn place(letter: u8) -> Option<usize> {
        letter.to_ascii_lowercase().checked_sub(b'a').map(usize::from).filter(|at| *at < LETTERS)
    }

    /// Whether any word of a text starts with one of them.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut is_start = true;
        for (at, byte) in bytes.iter().enumerate() {
            let place = if is_start { Self::place(*byte) } else { None };
            let rest = bytes.get(at..).unwrap_or_default();
            let matches = |beginning: &&str| {
                let word = rest.get(..beginning.len());
                word.is_some_and(|word| word.eq_ignore_ascii_case(beginning.as_bytes()))
            };
            if place.is_some_and(|place| self.0[place].iter().any(matches)) {
                return true;
            }
            is_start = !byte.is_ascii_alphanumeric();
        }
        false
    }
}

/// The sentences of `words` for which `looks_relevant` holds, in order. Headings, quotations,
/// tables and code are left out.
pub fn sentences<'t>(
    words: OwnWords<'t>,
    looks_relevant: impl Fn(&str) -> bool,
) -> Vec<Sentence<'t>> {
    let mut sentences: Vec<Sentence<'t>> = Vec::new();
    // How many sentences the last part gave, which the next may take back.
    let mut latest = 0;
    for paragraph in paragraphs(words.text, words.owner) {
        let parts = without_marker(paragraph);
        let takes_back = is_retraction(parts);
        if !takes_back && !looks_relevant(paragraph) {
            latest = 0;
            continue;
        }
        if has_speaker(parts) {
            latest = 0;
            continue;
        }
        for part in split(before_words_of_others(parts)) {
            if is_retraction(part) {
                sentences.truncate(sentences.len().saturating_sub(latest));
                latest = 0;
                continue;
            }
            let known = sentences.len();
            let part = after_correction(part);
            if !is_put_by_another(part) && looks_relevant(part) {
                sentences.extend(sentence(part));
            }
            latest = sentences.len() - known;
        }
    }
    sentences
}

/// What follows the words by which a speaker corrects what they just said: "my sister Ana, sorry, I
/// mean my cousin Ana".
pub(crate) fn after_correction(part: &str) -> &str {
    #[rustfmt::skip]
    const CORRECTING: [&str; 12] = [
        "sorry, i mean ", "sorry i mean ", "sorry, i meant ", "sorry i meant ", "no, i mean ", "no, i meant ", "no wait",
        "no, wait", "wait, no", "wait no", "scratch that", "or rather ",
    ];
    // Each of them begins with one of these words.
    const FIRST: [&str; 6] = ["no ", "no,", "or rather", "scratch", "sorry", "wait"];
    if !any_word_starts_with(part, &FIRST) {
        return part;
    }
    let lower = part.to_ascii_lowercase();
    let end_of = |words: &&str| {
        let (at, _) = lower.rmatch_indices(*words).next()?;
        let before = lower.get(..at)?.trim_end();
        let is_set_off = before.ends_with([',', ';', '-', '–', '—', '.', '…', '(']);
        is_set_off.then(|| at + words.len())
    };
    let Some(end) = CORRECTING.iter().filter_map(end_of).max() else { return part };
    part.get(end..).unwrap_or_default().trim_start_matches([' ', ',', ':', ';', '-', '–', '—', '.'])
}

/// How a sentence begins that takes back the one before it.
#[rustfmt::skip]
const RETRACTIONS: [&str; 26] = [
    "just kidding", "only kidding", "kidding", "just joking", "only joking", "i'm joking", "i'm kidding", "i am kidding",
    "i was joking", "i was kidding", "jk", "no wait", "wait no", "scratch that", "strike that", "not really", "april fools",
    "i take that back", "i take it back", "forget that", "that's a lie", "that was a lie", "that's not true", "not true",
    "no that's wrong", "just a joke",
];
/// Most bytes of the beginning of a sentence that may take back another.
const RETRACTION_BYTES_MAX: usize = 48;

/// Whether a sentence takes back the one before it: "Just kidding."
pub(crate) fn is_retraction(text: &str) -> bool {
    let text = text.get(..text.floor_char_boundary(RETRACTION_BYTES_MAX)).unwrap_or_default();
    let words = words_of(text);
    RETRACTIONS.iter().any(|retraction| {
        let count = retraction.split(' ').count();
        words.get(..count).is_some_and(|beginning| beginning.join(" ") == *retraction)
    })
}

/// The line without its list, task or heading marker.
pub(crate) fn without_marker(line: &str) -> &str {
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

/// Whether the line quotes a speaker: in `Tom: I love tea` the words are Tom's.
pub(crate) fn has_speaker(line: &str) -> bool {
    let Some((label, rest)) = line.split_once(':') else { return false };
    let label = label.trim_matches(['*', '_', ' ', '[', ']']);
    let is_name =
        label.chars().next().is_some_and(|letter| letter.is_uppercase() || !letter.is_ascii())
            && label.split_whitespace().count() <= 3;
    is_name && rest.starts_with(char::is_whitespace) && !is_owners(&words_of(label))
}

/// Words whose full stop does not end a sentence.
#[rustfmt::skip]
const ABBREVIATIONS: [&str; 11] = [
    "dr", "mr", "mrs", "ms", "prof", "st", "e.g", "i.e", "vs", "etc", "approx",
];

/// The label before the colon in a line that quotes a speaker.
pub(crate) fn speaker_of(line: &str) -> Option<&str> {
    let (label, _) = line.split_once(':').filter(|_| has_speaker(line))?;
    Some(label.trim_matches(['*', '_', ' ', '[', ']']))
}

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

/// Longest passage in plain single quotes, bytes.
const SINGLE_QUOTES_BYTES_MAX: usize = 1024;

/// Where a passage of several words in plain single quotes ends that begins at `at`, if one does.
/// An apostrophe within or after a word begins none, and one within a word ends none.
fn end_of_single_quotes(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?.chars().next_back();
    let rest = text.get(at..)?.strip_prefix('\'')?;
    let begins = before.is_none_or(|letter| letter.is_whitespace() || matches!(letter, '(' | '['))
        && rest.starts_with(char::is_alphabetic);
    if !begins {
        return None;
    }
    let near = rest.get(..rest.floor_char_boundary(SINGLE_QUOTES_BYTES_MAX))?;
    let (end, _) = near.match_indices('\'').find(|(end, _)| {
        let last = rest.get(..*end).and_then(|inner| inner.chars().next_back());
        let next = rest.get(end + 1..).and_then(|after| after.chars().next());
        last.is_some_and(|letter| !letter.is_whitespace())
            && next.is_none_or(|letter| !letter.is_alphanumeric())
    })?;
    let has_words = rest.get(..end)?.contains(' ');
    has_words.then_some(at + 1 + end + 1)
}

/// Splits a line after `.`, `!`, `?` and `;`, but not within quotation marks.
pub(crate) fn split(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quote: Option<char> = None;
    let mut quoted_until = 0;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if at < quoted_until {
            continue;
        }
        if letter == '\''
            && quote.is_none()
            && let Some(end) = end_of_single_quotes(line, at)
        {
            quoted_until = end;
            continue;
        }
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
                let word = line
                    .get(start..at)
                    .unwrap_or_default()
                    .rsplit(char::is_whitespace)
                    .next()
                    .unwrap_or_default();
                let word = word.trim_start_matches(['(', '[']).to_ascii_lowercase();
                let ends_word =
                    letters.peek().is_none_or(|(_, next)| next.is_whitespace() || *next == ')');
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

/// The word in lower case; borrowed if it already is, as most words are.
fn lower(word: &str) -> Cow<'_, str> {
    match word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => Cow::Borrowed(word),
        false if word.is_ascii() => Cow::Owned(word.to_ascii_lowercase()),
        false => Cow::Owned(word.to_lowercase().replace('’', "'")),
    }
}

/// Whether code is the name of one thing, as a word of the sentence around it: `pytest`.
fn is_plain_name(code: &str) -> bool {
    code.starts_with(char::is_alphabetic)
        && code.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
}

pub(crate) fn sentence(text: &str) -> Option<Sentence<'_>> {
    let is_word =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-' | '.' | '_');
    let mut words: Vec<Word<'_>> = Vec::with_capacity(16);
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
            words.push(Word { text: word, lower: lower(word), before });
            before = Break::None;
            rest = after;
            continue;
        }
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        // Not that of "C++ is".
        let before_it = text.get(..text.len() - rest.len()).unwrap_or_default();
        let is_alone = !words.is_empty() && before_it.ends_with(' ') && after.starts_with(' ');
        if matches!(letter, '&' | '+') && is_alone && words.len() < SENTENCE_WORDS_MAX {
            let text = rest.get(..letter.len_utf8()).unwrap_or_default();
            words.push(Word { text, lower: Cow::Borrowed("and"), before });
            before = Break::None;
            rest = after;
            continue;
        }
        rest = after;
        if letter == '`'
            && let Some((name, after)) = after.split_once('`')
            && is_plain_name(name)
            && words.len() < SENTENCE_WORDS_MAX
        {
            words.push(Word { text: name, lower: lower(name), before });
            before = Break::None;
            rest = after;
            continue;
        }
        // Struck out, and so no longer said.
        if let Some(struck) = (letter == '~').then(|| after.strip_prefix('~')).flatten() {
            before = Break::Quote;
            rest = struck.split_once("~~").map_or("", |(_, rest)| rest);
            continue;
        }
        if letter == '\''
            && let Some(end) = end_of_single_quotes(text, text.len() - after.len() - 1)
        {
            before = Break::Quote;
            rest = text.get(end..).unwrap_or_default();
            continue;
        }
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
    let trimmed = text.trim_end_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, ')' | '"' | '”' | '*')
    });
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
        let words = OwnWords { text, is_to_agent: false, owner: &Owner::default() };
        sentences(words, |_| true).into_iter().map(line).collect()
    }

    #[test]
    fn sentences_end_at_punctuation_but_not_at_abbreviations() {
        assert_eq!(
            read("I saw Dr. Weber. Did you?! No; never"),
            ["I saw Dr Weber", "Did you?", "No", "never"]
        );
        assert_eq!(read("- [ ] call Ana\n2. second\n# Head"), ["call Ana", "second"]);
    }

    #[test]
    fn quotations_other_speakers_and_code_are_left_out() {
        assert_eq!(
            read("> I love tea\n```\nI love tea\n```\n| I love tea |\nTom: I love tea"),
            [""; 0]
        );
        assert_eq!(read("He wrote \"I love tea. Truly\" twice"), ["He wrote twice"]);
        assert_eq!(read("He wrote “I love tea"), ["He wrote"]);
        assert_eq!(read("Tom & Jo like C++ a lot"), ["Tom & Jo like C a lot"]);
        assert_eq!(read("We meet ~~on Monday~~ on Friday"), ["We meet on Friday"]);
        assert_eq!(
            read("The label 'I love it. Truly' and 'no, don't' stay"),
            ["The label and stay"]
        );
        assert_eq!(read("My parents' car isn't 'new'"), ["My parents car isn't new"]);
        assert_eq!(
            read("I don't like the '90s, friends' talk"),
            ["I don't like the 90s friends talk"]
        );
    }

    #[test]
    fn what_the_next_sentence_takes_back_is_left_out() {
        assert_eq!(read("I see. I hate rain. Only joking! I love it."), ["I see", "I love it"]);
        assert_eq!(read("I hate rain.\nNo, wait, I mean snow."), [""; 0]);
        assert_eq!(read("I hate rain. Kids love it."), ["I hate rain", "Kids love it"]);
        assert_eq!(read("Scratch that."), [""; 0]);
    }

    #[test]
    fn what_a_sentence_corrects_is_left_out() {
        for (text, expected) in [
            ("This is my sister Ana, sorry, I mean my cousin Ana.", "my cousin Ana"),
            ("My favourite colour is red - no wait, blue", "blue"),
            ("I love tea, I mean it", "I love tea I mean it"),
            ("There is no waiting list", "There is no waiting list"),
            ("A, no wait, B, no wait, C", "C"),
        ] {
            assert_eq!(read(text), [expected], "{text}");
        }
        assert_eq!(read("I hate rain, scratch that"), [""; 0]);
    }

    #[test]
    fn hostile_text_is_read_within_limits() {
        assert!(read(&"word ".repeat(1_000)).is_empty());
        for text in
            ["'''''", "----", "(((((", "....", "\u{202e}'’", "\"\"\"\"", "?", "«", "a.b.c.d"]
        {
            let _ = read(text);
        }
    }

    #[test]
    fn the_prefix_filter_ignores_case_and_matches_only_at_the_start_of_words() {
        assert!(any_word_starts_with("This is MY sister", &["x", "my s"]));
        assert!(!any_word_starts_with("enemy sister", &["my "]));
        assert!(!any_word_starts_with("m", &["my"]));
        assert!(!any_word_starts_with("", &[""]));
    }
}
