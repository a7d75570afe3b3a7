//! Whether a word is code, a flag, a file or a technology.

use super::EntityType;
use super::lexicon::{
    CODE_LITERALS, CODE_NOUNS, CODE_SORTS, DOMAINS, FILE_EXTENSIONS, FILE_NAMES, METHODS,
    NAME_PREFIXES, NOT_CAMEL, PACKAGE_WORDS, PLAIN_BEFORE_PACKAGE, TECHNOLOGIES,
    TECHNOLOGY_WORDS_MAX,
};
use super::tokens::{Gap, Tokens};

/// Longest name, bytes.
const NAME_BYTES_MAX: usize = 120;
/// Confidence of an ordinary word between back quotes: below what is staged by default.
pub(super) const PLAIN_QUOTED: f64 = 0.55;
/// What names of hidden files end with.
const DOT_FILE_ENDINGS: [&str; 6] = ["ignore", "rc", "config", "attributes", "profile", "env"];
/// Most parts of a path.
const PARTS_MAX: usize = 16;

/// What some words are called, and what they are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recognized {
    pub(super) name: String,
    pub(super) entity_type: EntityType,
    pub(super) confidence: f64,
    /// How many words it takes.
    pub(super) words: usize,
}

impl Recognized {
    fn one(name: &str, entity_type: EntityType, confidence: f64) -> Option<Self> {
        Some(Self { name: name.to_owned(), entity_type, confidence, words: 1 })
    }
}

/// The code, file or technology whose words begin at a place.
pub(super) fn recognize(sentence: &Tokens<'_>, place: usize) -> Option<Recognized> {
    technology(sentence, place).or_else(|| code(sentence, place))
}

/// A known technology. Its name as a whole word, or words; where it is an ordinary word too, in its
/// own spelling and not at the beginning of a sentence.
fn technology(sentence: &Tokens<'_>, place: usize) -> Option<Recognized> {
    for words in (1..=TECHNOLOGY_WORDS_MAX).rev() {
        let Some(tokens) = sentence.all.get(place..place + words) else { continue };
        let is_plain =
            tokens.iter().skip(1).all(|token| token.before == Gap::Space && !token.is_quoted_code);
        let is_whole = tokens.iter().rev().skip(1).all(|token| !token.is_possessive);
        if !is_plain || !is_whole {
            continue;
        }
        let lower: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
        let lower = lower.join(" ");
        let Some((_, name, is_ordinary)) = technology_named(&lower) else { continue };
        let written: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        let is_as_spelled = written.join(" ") == *name;
        let is_first = tokens.first().is_some_and(|token| token.before >= Gap::Break);
        if *is_ordinary && (!is_as_spelled || is_first) {
            continue;
        }
        return Some(Recognized {
            name: (*name).to_owned(),
            entity_type: EntityType::Technology,
            confidence: if *is_ordinary { 0.75 } else { 0.9 },
            words,
        });
    }
    None
}

/// The technology with this name in lower case.
fn technology_named(lower: &str) -> Option<&'static (&'static str, &'static str, bool)> {
    let found = TECHNOLOGIES.binary_search_by(|(known, ..)| (*known).cmp(lower));
    found.ok().and_then(|place| TECHNOLOGIES.get(place))
}

fn code(sentence: &Tokens<'_>, place: usize) -> Option<Recognized> {
    let token = sentence.all.get(place)?;
    let text = token.text;
    if text.len() > NAME_BYTES_MAX
        || text.chars().any(char::is_whitespace)
        || !text.chars().any(char::is_alphabetic)
        || CODE_LITERALS.contains(&token.lower.as_str())
    {
        return None;
    }
    if text.starts_with('-') {
        return flag(text, token.is_quoted_code);
    }
    if text.contains(['@', '#']) {
        return None;
    }
    if let Some(found) = file(text, token.is_quoted_code).filter(|_| !token.is_call) {
        return Some(found);
    }
    if text.contains("::") {
        let is_path = text.split("::").all(|part| part.is_empty() || is_identifier(part));
        let name = text.trim_matches(':');
        return if is_path { Recognized::one(name, EntityType::Code, 0.9) } else { None };
    }
    if text.contains('.') {
        return dotted(text, token.is_call || token.is_quoted_code);
    }
    if token.is_call && is_identifier(text) && text.len() > 1 {
        return Recognized::one(text, EntityType::Code, 0.85);
    }
    // "T_V" is how acronyms are spoken.
    if text.contains('_') && is_identifier(text) && text.split('_').any(|part| part.len() > 1) {
        return Recognized::one(text, EntityType::Code, 0.85);
    }
    if is_camel(text) {
        // Companies and conferences are spelled like types.
        let is_code = token.is_quoted_code
            || text.starts_with(char::is_lowercase) && !text.ends_with("JS")
            || CODE_NOUNS.binary_search(&last_part(text)).is_ok();
        return match is_code {
            true => Recognized::one(text, EntityType::Code, 0.8),
            false => Recognized::one(text, EntityType::Other, 0.65),
        };
    }
    if token.is_quoted_code {
        let is_name = text.len() > 1
            && text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '$')
            && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'));
        // `all` and `foofoo` stand between back quotes, too.
        let beside = |place: Option<usize>| {
            place.is_some_and(|place| CODE_SORTS.contains(&sentence.lower(place)))
        };
        let is_plain = text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
        let is_named = beside(Some(place + 1)) || beside(place.checked_sub(1));
        let confidence = if is_plain && !is_named { PLAIN_QUOTED } else { 0.75 };
        return if is_name { Recognized::one(text, EntityType::Code, confidence) } else { None };
    }
    package(sentence, place)
}

/// The last part of a name that is several words.
fn last_part(text: &str) -> &str {
    let start = text.char_indices().rev().find(|(_, letter)| letter.is_uppercase());
    start.and_then(|(start, _)| text.get(start..)).unwrap_or(text)
}

/// `--flag`, and `-f` between back quotes.
fn flag(text: &str, is_quoted: bool) -> Option<Recognized> {
    let name = text.trim_start_matches('-');
    let is_long = text.starts_with("--")
        && name.len() + 2 == text.len()
        && name.len() > 1
        && !name.ends_with('-');
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    match is_name && (is_long || is_quoted) {
        true => Recognized::one(text, EntityType::Code, 0.85),
        false => None,
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// `fs.readFile()`, `process.nextTick`: identifiers with a point between them, if something else
/// shows that they are code.
fn dotted(text: &str, is_code: bool) -> Option<Recognized> {
    let parts: Vec<&str> = text.split('.').collect();
    let is_domain = parts.last().is_some_and(|last| DOMAINS.contains(last));
    let is_code = is_code || parts.iter().any(|part| is_camel(part) || part.contains('_'));
    let are_names = parts.iter().all(|part| part.len() > 1 && is_identifier(part));
    match are_names && is_code && !is_domain && parts.len() <= PARTS_MAX {
        true => Recognized::one(text, EntityType::Code, 0.8),
        false => None,
    }
}

/// A name of several words written as one: `RegexSet`, `readFile`.
fn is_camel(text: &str) -> bool {
    if !text.chars().all(|letter| letter.is_ascii_alphanumeric()) || NOT_CAMEL.contains(&text) {
        return false;
    }
    let letters: Vec<char> = text.chars().collect();
    let humps = letters
        .windows(2)
        .filter(|pair| matches!(pair, [one, next] if one.is_lowercase() && next.is_uppercase()))
        .count();
    let small = letters.iter().take_while(|letter| letter.is_lowercase()).count();
    // "PRs" and "iPad" are not code, nor are "McKay" and "DeVito".
    let is_name = humps == 1
        && NAME_PREFIXES.iter().any(|prefix| text.starts_with(prefix) && text.len() > prefix.len());
    let last_is_plural = letters.len() > 1
        && letters.last() == Some(&'s')
        && letters.iter().rev().skip(1).all(|letter| letter.is_uppercase());
    // One upper-case letter at the end is a slip or an acronym such as "PhD".
    let ends_in_hump = letters.last().is_some_and(|letter| letter.is_uppercase());
    humps > 0
        && small != 1
        && text.len() > 3
        && !is_name
        && !last_is_plural
        && !(ends_in_hump && text.len() < 6)
}

/// A file or a folder: a known ending, a known name, or a path that can be nothing else.
fn file(text: &str, is_quoted: bool) -> Option<Recognized> {
    let is_part = |part: &str| {
        part.chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+' | '~'))
    };
    let trimmed = text.trim_end_matches('/');
    let parts: Vec<&str> = trimmed.split('/').collect();
    let last = *parts.last()?;
    let has_ending = has_file_ending(last) && !is_method(text) && is_part(last);
    let inner_parts = parts.iter().enumerate();
    let are_parts =
        inner_parts.clone().all(|(place, part)| is_part(part) && (!part.is_empty() || place == 0));
    if !are_parts || parts.len() > PARTS_MAX || text.starts_with("//") {
        return None;
    }
    let is_address = parts.len() > 1
        && parts
            .first()
            .and_then(|first| first.rsplit_once('.'))
            .is_some_and(|(name, domain)| !name.is_empty() && DOMAINS.contains(&domain));
    let is_product = parts.len() > 1 && technology_named(&last.to_lowercase()).is_some();
    let (_, folders) = parts.split_last()?;
    let is_list = has_ending && folders.iter().any(|folder| has_file_ending(folder));
    if is_address || is_product || is_list {
        return None;
    }
    if has_ending {
        return Recognized::one(trimmed, EntityType::File, 0.85);
    }
    if parts.len() == 1 && !text.ends_with('/') {
        return match FILE_NAMES.contains(&last) || is_quoted && is_dot_file(last) {
            true => Recognized::one(last, EntityType::File, 0.75),
            false => None,
        };
    }
    let begins = ["./", "../", "~/", "/"].iter().any(|begin| text.starts_with(begin));
    let are_words =
        inner_parts.clone().filter(|(place, _)| *place > 0 || !begins).all(|(_, part)| {
            part.chars().filter(|letter| letter.is_alphabetic()).count() > 1
                && !part.starts_with(|letter: char| letter.is_uppercase())
        });
    let is_path = are_words
        && match begins {
            true => parts.len() > 2 || (parts.len() == 2 && !text.starts_with('/')),
            false => parts.len() > 2 && is_quoted || text.ends_with('/'),
        };
    if is_path { Recognized::one(text, EntityType::File, 0.7) } else { None }
}

/// Whether a name ends as those of files do.
pub(super) fn has_file_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        FILE_EXTENSIONS.contains(&ending.to_ascii_lowercase().as_str())
            && stem.chars().any(char::is_alphanumeric)
    })
}

/// `Blob.patch`, but not `Gemfile.lock`.
fn is_method(text: &str) -> bool {
    text.split_once('.').is_some_and(|(class, method)| {
        METHODS.contains(&method)
            && is_identifier(class)
            && class.starts_with(char::is_uppercase)
            && class.contains(char::is_lowercase)
            && !class.ends_with("file")
            && !FILE_NAMES.contains(&text)
    })
}

/// `.gitignore`
fn is_dot_file(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|name| {
        DOT_FILE_ENDINGS.iter().any(|ending| name.ends_with(ending))
            && name.chars().all(|letter| letter.is_ascii_lowercase())
    })
}

/// "the globset crate"
fn package(sentence: &Tokens<'_>, place: usize) -> Option<Recognized> {
    let token = sentence.all.get(place)?;
    let is_named = PACKAGE_WORDS.contains(&sentence.lower(place + 1))
        && sentence.before(place + 1) == Gap::Space
        && place.checked_sub(1).is_some_and(|last| sentence.lower(last) == "the");
    let is_name = token.text.len() > 2
        && token.text.starts_with(|letter: char| letter.is_ascii_lowercase())
        && token.text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        && !PLAIN_BEFORE_PACKAGE.contains(&token.text)
        && !["ed", "al", "ous", "ing", "ble", "ive"].iter().any(|end| token.text.ends_with(end));
    match is_named && is_name && !token.is_possessive {
        true => Recognized::one(token.text, EntityType::Code, 0.75),
        false => None,
    }
}
