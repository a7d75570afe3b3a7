//! Secrets in sentences: "my password is …", "the password for the router was …", "das Passwort
//! lautet …".
//!
//! A value with digits is judged like an assigned one. A single word of letters is masked only
//! where the sentence names whose or what password it is, ends with the word, and the word is not
//! one that people say of passwords ("expired", "required").

use super::SecretKind;
use super::alone::{ends_number, is_east_asian, is_foreign, is_number_alone};
use super::assignment::{spaces, value};
use super::east_asian;
use super::find::Span;
use super::names::Keyword;
use super::value::{PASSWORD_CHARS_MIN, is_placeholder, is_word, looks_random, looks_secret};
use super::words::{
    ADJECTIVE_ENDS, ARTICLES, CHANGED, FILLERS, IS_ALSO_A_WORD, ORDINARY, OWNERS, PREPOSITIONS,
    VERBS,
};

/// How far before the name the words are read that say whose it is.
const BEFORE_BYTES: usize = 64;
/// Most words before the name that are read.
const WORDS_BEFORE_MAX: usize = 4;
/// How far after the name the verb is looked for.
const AFTER_BYTES: usize = 96;
/// Most words between the name and the verb: "for the guest network".
const WORDS_BETWEEN_MAX: usize = 8;
/// Fewest hyphens in a password of words.
const HYPHENS_MIN: usize = 3;

/// The value that a sentence gives to the name at `start..end`.
pub(super) fn find(text: &str, start: usize, end: usize, keyword: &Keyword) -> Option<Span> {
    let owner = owner(text, start);
    let (value_at, verb) = verb(text, end, start)?;
    let bytes = text.as_bytes();
    let value_at = value_at + spaces(bytes, value_at);
    let (from, to, quoted) = value(bytes, value_at)?;
    let to = if quoted { to } else { without_ending(text, from, to, keyword) };
    let spoken = text.get(from..to)?;
    if is_ordinary(spoken) {
        return None;
    }
    let is_strong = owner == Owner::Named
        || verb.is_qualified && owner != Owner::None
        || verb.is_qualified && verb.is_plain;
    let is_number = is_number_alone(spoken, keyword)
        && (owner == Owner::Named || is_foreign(keyword))
        && ends_number(text.get(to..)?, keyword);
    let found = looks_secret(spoken, keyword.kind, quoted, keyword.name)
        || is_number
        || keyword.kind == SecretKind::Password
            && (is_strong || owner == Owner::Article)
            && verb.is_plain
            && !IS_ALSO_A_WORD.contains(&keyword.name)
            && looks_spoken(spoken, quoted, bytes.get(to..)?)
        || keyword.kind == SecretKind::Password && quoted && east_asian::is_password(spoken);
    found.then_some(Span { start: from, end: to, kind: keyword.kind })
}

/// The value directly after a name without operator or verb, if it is as random as only keys are.
pub(super) fn bare(text: &str, at: usize, keyword: &Keyword) -> Option<Span> {
    let (from, to, quoted) = value(text.as_bytes(), at)?;
    let to = if quoted { to } else { without_ending(text, from, to, keyword) };
    let spoken = text.get(from..to)?;
    if is_foreign(keyword)
        && (is_number_alone(spoken, keyword)
            || looks_secret(spoken, keyword.kind, quoted, keyword.name))
        && ends_number(text.get(to + usize::from(quoted)..)?, keyword)
    {
        return Some(Span { start: from, end: to, kind: keyword.kind });
    }
    looks_random(text.get(from..to)?).then_some(Span { start: from, end: to, kind: keyword.kind })
}

/// Where a value behind a Chinese, Japanese or Korean name ends: it is of ASCII, and what follows
/// without a space belongs to the sentence.
pub(super) fn without_ending(text: &str, from: usize, to: usize, keyword: &Keyword) -> usize {
    let value = text.get(from..to).unwrap_or_default();
    let ascii = value.bytes().take_while(u8::is_ascii).count();
    if is_east_asian(keyword) && ascii > 0 { from + ascii } else { to }
}

/// True if a word after "my password:" is one that only a password can be.
pub(super) fn is_owned_word(
    text: &str,
    start: usize,
    from: usize,
    to: usize,
    quoted: bool,
) -> bool {
    owner(text, start) == Owner::Named
        && text.get(from..to).is_some_and(|spoken| {
            !is_ordinary(spoken)
                && looks_spoken(spoken, quoted, text.as_bytes().get(to..).unwrap_or_default())
        })
}

/// Whether a sentence says whose password it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    None,
    Article,
    Named,
}

fn owner(text: &str, start: usize) -> Owner {
    let from = text.ceil_char_boundary(start.saturating_sub(BEFORE_BYTES));
    let before = text.get(from..start).unwrap_or_default();
    let before = before.rsplit(['\n', '.', ';', '?', '!']).next().unwrap_or_default();
    let mut owner = Owner::None;
    for word in before.split_whitespace().rev().take(WORDS_BEFORE_MAX) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if OWNERS.contains(&word.as_str()) || word.ends_with("'s") || word.ends_with("’s") {
            return Owner::Named;
        }
        if matches!(word.as_str(), "if" | "when" | "whether" | "your" | "user" | "users" | "user's")
        {
            return Owner::None;
        }
        if ARTICLES.contains(&word.as_str()) {
            owner = Owner::Article;
        }
    }
    // Chinese and Japanese do not write spaces.
    if ["我的", "私の", "我们的"].iter().any(|word| before.ends_with(word)) {
        Owner::Named
    } else {
        owner
    }
}

/// How the sentence says what the value is.
struct Verb {
    /// It says what the password is for.
    is_qualified: bool,
    /// "is", not "changed to".
    is_plain: bool,
}

/// Where the value begins after the name and its verb.
fn verb(text: &str, end: usize, start: usize) -> Option<(usize, Verb)> {
    let window = text.get(end..text.floor_char_boundary(end + AFTER_BYTES))?;
    let window = window.split('\n').next()?;
    if let Some(verb) =
        ["是：", "是", "は", "为", "는", "은"].iter().find(|verb| window.starts_with(**verb))
    {
        return Some((end + verb.len(), Verb { is_qualified: false, is_plain: true }));
    }
    let mut words = words(window).peekable();
    let (at_of_first, first) = *words.peek()?;
    let is_qualified = PREPOSITIONS.contains(&first.to_lowercase().as_str());
    let between = if is_qualified { WORDS_BETWEEN_MAX } else { 0 };
    let is_changed = || {
        let from = text.ceil_char_boundary(start.saturating_sub(BEFORE_BYTES));
        let before = text.get(from..start).unwrap_or_default().to_lowercase();
        ["chang", "reset", " set ", "updat", "switch", "änder", "cambi"]
            .iter()
            .any(|stem| before.contains(stem))
    };
    // A dash may begin a remark.
    let is_dash = |word: &str| matches!(word, "—" | "–");
    if is_dash(first) {
        return Some((end + at_of_first + first.len(), Verb { is_qualified, is_plain: false }));
    }
    if first == "to" && is_changed() {
        return Some((end + 3, Verb { is_qualified: false, is_plain: false }));
    }
    for _ in 0..=between {
        let (at, word) = words.next()?;
        let after = end + at + word.len();
        let lower = word.to_lowercase();
        if word.ends_with(':') && is_qualified {
            return Some((after, Verb { is_qualified, is_plain: true }));
        }
        if is_dash(word) {
            return Some((after, Verb { is_qualified, is_plain: false }));
        }
        let bare = lower.strip_suffix(':').filter(|bare| !bare.is_empty()).unwrap_or(&lower);
        if bare == "has" || bare == "have" || VERBS.contains(&bare) {
            return after_fillers(&mut words, end, after, is_qualified, bare);
        }
        if word.ends_with(['.', ';', '?', '!']) {
            return None;
        }
    }
    None
}

fn after_fillers<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = (usize, &'a str)>>,
    end: usize,
    mut after: usize,
    is_qualified: bool,
    verb: &str,
) -> Option<(usize, Verb)> {
    let mut is_changed = false;
    while let Some(&(at, word)) = words.peek() {
        let lower = word.trim_end_matches(':').to_lowercase();
        if CHANGED.contains(&lower.as_str()) {
            is_changed = true;
        } else if is_changed && matches!(lower.as_str(), "to" | "zu" | "auf") {
            return Some((end + at + word.len(), Verb { is_qualified, is_plain: true }));
        } else if is_changed || !FILLERS.contains(&lower.as_str()) {
            break;
        }
        after = end + at + word.len();
        words.next();
    }
    let is_plain = !is_changed && verb != "has" && verb != "have";
    is_plain.then_some((after, Verb { is_qualified, is_plain }))
}

/// The words of a line with their places.
pub(super) fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let trimmed = rest.trim_start_matches([' ', '\t', '*']);
        let length = trimmed.find([' ', '\t']).unwrap_or(trimmed.len());
        let (word, after) = trimmed.split_at_checked(length)?;
        let at = line.len() - trimmed.len();
        rest = after;
        (!word.is_empty()).then_some((at, word))
    })
}

pub(super) fn is_ordinary(spoken: &str) -> bool {
    let lower = spoken.to_lowercase();
    ORDINARY.contains(&lower.as_str()) || ADJECTIVE_ENDS.iter().any(|end| lower.ends_with(end))
}

/// True for a value without digits that a sentence ends with.
fn looks_spoken(spoken: &str, quoted: bool, after: &[u8]) -> bool {
    if is_placeholder(spoken)
        || spoken.chars().count() < PASSWORD_CHARS_MIN
        || !ends_clause(after, quoted)
    {
        return false;
    }
    let parts: Vec<&str> = spoken.split('-').collect();
    let is_phrase = parts.len() > HYPHENS_MIN
        && parts.iter().all(|part| is_word(part, 3) && !matches!(*part, "the" | "and" | "for"));
    let is_email = spoken.split_once('@').is_some_and(|(_, host)| host.contains('.'));
    let inner = spoken.get(..spoken.floor_char_boundary(spoken.len() - 1)).unwrap_or_default();
    let has_sign = inner.contains(['@', '#', '$', '%', '^', '&', '+', '=', '~', '!'])
        && spoken.contains(char::is_alphabetic)
        && !spoken.contains(['/', '(', '\\', '<', '>'])
        && !is_email;
    is_word(spoken, PASSWORD_CHARS_MIN) || is_phrase || has_sign
}

/// True if a clause ends before `after`.
pub(super) fn ends_clause(after: &[u8], quoted: bool) -> bool {
    let after = if quoted { after.get(1..).unwrap_or_default() } else { after };
    let word =
        |word: &[u8]| after.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    match after {
        [] | [b'\n' | b'\r', ..] => true,
        [b'.' | b',' | b';' | b'!' | b')', rest @ ..] => {
            rest.first().is_none_or(|next| next.is_ascii_whitespace() || b".!)".contains(next))
        }
        _ => [
            b" and ".as_slice(),
            b" but ",
            b" (",
            b" - ",
            " – ".as_bytes(),
            " — ".as_bytes(),
            b" und ",
            "。".as_bytes(),
            "，".as_bytes(),
        ]
        .iter()
        .any(|start| word(start)),
    }
}
