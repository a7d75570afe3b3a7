//! The words of a sentence, with code kept whole.
//!
//! Other than [`crate::statements`], this keeps what stands between back quotes, paths, `::` and
//! flags. Scripts that write no spaces end a word, so that `修复了RegexSet` holds `RegexSet`.

use std::ops::Range;

use super::code::has_file_ending;

/// Most words of one sentence that are read.
const TOKENS_MAX: usize = 400;

/// What stands between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Only space.
    Space,
    /// A slash, which joins.
    Joint,
    /// A comma.
    Comma,
    /// An opening parenthesis or bracket.
    Open,
    /// A closing one.
    Close,
    /// Anything else: a colon, a dash, a quotation mark, words of a script without spaces.
    Break,
    /// The sentence begins.
    Start,
}

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// As written, without a possessive ending and without the parentheses of a call.
    pub(super) text: &'t str,
    /// In lower case.
    pub(super) lower: String,
    /// Where it is in the sentence.
    pub(super) at: Range<usize>,
    /// What stands before it.
    pub(super) before: Gap,
    /// Whether it stands between back quotes.
    pub(super) is_quoted_code: bool,
    /// Whether it ends in `()`.
    pub(super) is_call: bool,
    /// Whether it had a possessive ending.
    pub(super) is_possessive: bool,
}

/// A sentence with its words.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'t> {
    /// As written.
    pub(super) text: &'t str,
    /// Its words.
    pub(super) all: Vec<Token<'t>>,
    /// Whether it asks.
    pub(super) is_question: bool,
}

/// Whether a letter belongs to a script that writes no spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() && !is_unspaced(letter)
}

/// Whether a letter may stand inside a word.
fn is_inner(letter: char) -> bool {
    is_word(letter)
        || matches!(letter, '_' | '-' | '.' | ':' | '/' | '\'' | '’' | '+' | '#' | '@' | '~')
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut all: Vec<Token<'t>> = Vec::new();
        let mut before = Gap::Start;
        let mut at = 0;
        while let Some(rest) = text.get(at..)
            && let Some(letter) = rest.chars().next()
            && all.len() < TOKENS_MAX
        {
            if let Some((end, token)) = quoted_code(text, at, before) {
                all.extend(token);
                (at, before) = (end, Gap::Space);
                continue;
            }
            if let Some(length) = address(rest) {
                (at, before) = (at + length, Gap::Break);
                continue;
            }
            if let Some((end, token)) = word(text, at, before) {
                all.extend(token);
                (at, before) = (end, Gap::Space);
                continue;
            }
            if before != Gap::Start {
                before = before.max(gap_of(letter));
            }
            at += letter.len_utf8();
        }
        let is_question = text.contains(['?', '？', '؟']);
        Self { text, all, is_question }
    }

    /// The word at a place in lower case; empty beyond the end.
    pub(super) fn lower(&self, place: usize) -> &str {
        self.all.get(place).map_or("", |token| token.lower.as_str())
    }

    /// What stands before the word at a place; beyond the end, what the sentence ends with.
    pub(super) fn before(&self, place: usize) -> Gap {
        self.all.get(place).map_or(Gap::Start, |token| token.before)
    }

    /// Where some words are in the sentence.
    pub(super) fn range(&self, words: Range<usize>) -> Range<usize> {
        let start = self.all.get(words.start).map_or(0, |token| token.at.start);
        let end = words.end.checked_sub(1).and_then(|last| self.all.get(last));
        start..end.map_or(start, |token| token.at.end)
    }
}

fn gap_of(letter: char) -> Gap {
    match letter {
        ',' | '，' | '、' => Gap::Comma,
        '(' | '[' | '（' => Gap::Open,
        ')' | ']' | '）' => Gap::Close,
        '*' | '_' => Gap::Space,
        '/' | '|' | '+' | '&' => Gap::Joint,
        _ if letter.is_whitespace() => Gap::Space,
        _ => Gap::Break,
    }
}

/// What stands between back quotes: where it ends, and the word, if it is one.
fn quoted_code(text: &str, at: usize, before: Gap) -> Option<(usize, Option<Token<'_>>)> {
    let rest = text.get(at..)?;
    let marks = rest.len() - rest.trim_start_matches('`').len();
    if marks == 0 {
        return None;
    }
    let fence = rest.get(..marks)?;
    let inner_at = at + marks;
    let inner = text.get(inner_at..)?;
    let Some((inner, _)) = inner.split_once(fence) else { return Some((inner_at, None)) };
    let end = inner_at + inner.len() + marks;
    let trimmed = inner.trim();
    let start = inner_at + (inner.len() - inner.trim_start().len());
    let call = trimmed.strip_suffix("()");
    let word = call.unwrap_or(trimmed);
    let token = (!word.is_empty()).then(|| Token {
        text: word,
        lower: word.to_lowercase(),
        at: start..start + word.len(),
        before,
        is_quoted_code: true,
        is_call: call.is_some(),
        is_possessive: false,
    });
    Some((end, token))
}

/// The length of an address on a network, or of the target of a Markdown link, if one begins here.
fn address(rest: &str) -> Option<usize> {
    if rest.starts_with("](") {
        return rest.find(')').map(|end| end + 1);
    }
    let scheme = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let has_scheme = scheme > 1 && rest.get(scheme..).is_some_and(|rest| rest.starts_with("://"));
    let begins = ["www.", "mailto:"];
    (has_scheme || begins.iter().any(|begin| rest.starts_with(begin))).then(|| {
        rest.find(|letter: char| letter.is_whitespace() || matches!(letter, ')' | '>' | ']' | '|'))
            .unwrap_or(rest.len())
    })
}

/// Where the first of several files ends that slashes join: `make_all.py/make-base.py`.
fn first_of_files(word: &str) -> Option<usize> {
    let first = word.find('/').filter(|first| *first > 0)?;
    word.trim_end_matches('.').split('/').all(has_file_ending).then_some(first)
}

/// The word that begins at a place: where it ends, and it, unless it is a piece of a pattern.
fn word(text: &str, at: usize, before: Gap) -> Option<(usize, Option<Token<'_>>)> {
    let rest = text.get(at..)?;
    let mut letters = rest.chars();
    let first = letters.next()?;
    let second = letters.next();
    let begins = is_word(first)
        || matches!(first, '-' | '.' | '_' | '/' | '~' | '@')
            && second
                .is_some_and(|second| is_word(second) || matches!(second, '-' | '/' | '.' | '_'));
    // A dash inside a line is one, unless a flag follows a space.
    let is_apart = at == 0
        || text.get(..at)?.chars().next_back().is_some_and(|last| {
            last.is_whitespace() || matches!(last, '(' | '[' | '"' | '\'' | '“' | '/' | '*')
        });
    if !begins || (!is_word(first) && !is_apart) {
        return None;
    }
    let is_flag = first == '-';
    let ends = |letter: char| !is_inner(letter) || (is_flag && matches!(letter, '/' | ':'));
    let length = rest.find(ends).unwrap_or(rest.len());
    let whole = rest.get(..length)?;
    // A single colon ends a word, two are part of a path of code.
    let mut end = length;
    for (place, _) in whole.match_indices(':') {
        let bytes = whole.as_bytes();
        let is_double = bytes.get(place + 1) == Some(&b':')
            || place.checked_sub(1).and_then(|last| bytes.get(last)) == Some(&b':');
        if !is_double {
            end = place;
            break;
        }
    }
    end = first_of_files(rest.get(..end)?).unwrap_or(end);
    let whole = rest.get(..end)?;
    // `PX_*_KEY` names nothing, and neither do `PX_` and `_KEY`.
    let last = text.get(..at)?.chars().next_back();
    let next = rest.get(end..)?.chars().next();
    let is_piece = whole.starts_with('_') && last.is_some_and(|last| "*]>}".contains(last))
        || whole.ends_with('_') && next.is_some_and(|next| "*[<{".contains(next));
    if is_piece && !(whole.starts_with('_') && whole.ends_with('_')) {
        return Some((at + whole.len(), None));
    }
    let mut kept = whole.trim_end_matches(['-', '.', '\'', '’', ':', '/', '@', '~', '_']);
    if whole.ends_with('/') && kept.contains('/') {
        kept = whole.get(..=kept.len()).unwrap_or(kept);
    }
    // `--no-*` is many flags.
    if is_flag && whole.ends_with('-') {
        kept = whole;
    }
    if kept.is_empty() {
        return None;
    }
    // Emphasis: `_so_`.
    let emphasized = kept.len() < whole.len() && whole.ends_with('_') && kept.starts_with('_');
    let (start, kept) = match kept.strip_prefix('_').filter(|_| emphasized) {
        Some(inner) if !whole.starts_with("__") => (at + 1, inner),
        _ if whole.starts_with("__") => (at, whole),
        _ => (at, kept),
    };
    if !kept.chars().any(is_word) {
        return None;
    }
    let possessive = ["'s", "’s"].iter().find_map(|ending| kept.strip_suffix(ending));
    let is_call = rest.get(end..).is_some_and(|after| after.starts_with("()"));
    let text = possessive.unwrap_or(kept);
    let length = text.len();
    let token = Token {
        text,
        lower: text.to_lowercase(),
        at: start..start + length,
        before,
        is_quoted_code: false,
        is_call,
        is_possessive: possessive.is_some(),
    };
    let call = if is_call { 2 } else { 0 };
    Some((at + whole.len().max(1) + call, Some(token)))
}
