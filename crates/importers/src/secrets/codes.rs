//! PINs and door codes, and the word lists that recover a wallet: "my PIN is …", "gate code: …",
//! "seed phrase: …".
//!
//! Digits are secret only by their name. A few words name a code by themselves (PIN, CVV, CVC,
//! Geheimzahl, 暗証番号); "code" does so beside a word such as "door". A phrase is at least twelve
//! words in small letters, each as short as those of the usual lists, after a name such as "seed
//! phrase".

use std::ops::Range;

use super::SecretKind;
use super::alone::EAST_ASIAN_ENDS;
use super::find::{Span, run};
use super::layout;
use super::names::begins_name;
use super::phrases::phrase;
use super::prose::{self, ends_clause};
use super::words::{PREPOSITIONS, VERBS as PROSE_VERBS};

/// What a name names.
#[derive(Clone, Copy)]
pub(super) enum CodeName {
    /// Digits, so many.
    Digits(usize, usize),
    /// Digits, if one of these words is before it, or begins one behind it.
    DigitsBeside(&'static [&'static str]),
    /// Words, if one of these words is before it, or always if there are none.
    Words(&'static [&'static str]),
    /// Words, by a name that is an ordinary word too.
    FewWords(&'static [&'static str]),
}

const PLACES: &[&str] = &[
    "access",
    "alarm",
    "bike",
    "building",
    "cellar",
    "door",
    "entry",
    "garage",
    "gate",
    "key",
    "lock",
    "lockbox",
    "locker",
    "padlock",
    "safe",
    "security",
    "unlock",
    "voicemail",
    "tor",
    "tür",
    "haustür",
    "eingang",
    "keller",
    "tresor",
    "puerta",
    "porte",
    "portail",
    "porta",
    "cancello",
    "deur",
    "poort",
    "домофон",
    "двер",
    "подъезд",
    "ворот",
    "сейф",
    "замк",
];
const PHRASES: &[&str] = &["backup", "mnemonic", "recovery", "secret", "seed", "wallet"];
const WALLETS: &[&str] = &["wallet", "12", "24", "twelve"];

/// Every name. Upper and lower case are the same in ASCII only.
pub(super) const CODE_NAMES: [(&str, CodeName); 36] = [
    ("pin", CodeName::Digits(4, 8)),
    ("geheimzahl", CodeName::Digits(4, 8)),
    ("пин", CodeName::Digits(4, 8)),
    ("Пин", CodeName::Digits(4, 8)),
    ("ПИН", CodeName::Digits(4, 8)),
    ("пін", CodeName::Digits(4, 8)),
    ("Пін", CodeName::Digits(4, 8)),
    ("暗証番号", CodeName::Digits(4, 8)),
    ("핀번호", CodeName::Digits(4, 8)),
    ("puk", CodeName::Digits(8, 8)),
    ("cvv", CodeName::Digits(3, 4)),
    ("cvc", CodeName::Digits(3, 4)),
    ("code", CodeName::DigitsBeside(PLACES)),
    ("код", CodeName::DigitsBeside(PLACES)),
    ("Код", CodeName::DigitsBeside(PLACES)),
    ("phrase", CodeName::Words(PHRASES)),
    ("words", CodeName::Words(PHRASES)),
    ("words", CodeName::FewWords(WALLETS)),
    ("backup", CodeName::FewWords(WALLETS)),
    ("bip39", CodeName::Words(&[])),
    ("bip-39", CodeName::Words(&[])),
    ("mnemonic", CodeName::Words(&[])),
    ("wiederherstellungsphrase", CodeName::Words(&[])),
    ("frase semilla", CodeName::Words(&[])),
    ("frase de recuperación", CodeName::Words(&[])),
    ("phrase de récupération", CodeName::Words(&[])),
    ("сид-фраза", CodeName::Words(&[])),
    ("Сид-фраза", CodeName::Words(&[])),
    ("сид фраза", CodeName::Words(&[])),
    ("мнемоник", CodeName::Words(&[])),
    ("助记词", CodeName::Words(&[])),
    ("助記詞", CodeName::Words(&[])),
    ("ニーモニック", CodeName::Words(&[])),
    ("リカバリーフレーズ", CodeName::Words(&[])),
    ("니모닉", CodeName::Words(&[])),
    ("시드 구문", CodeName::Words(&[])),
];

/// Digits of a code after "code".
const CODE_DIGITS: (usize, usize) = (4, 10);
/// Digits of an Indian postal code, which is called a PIN code.
pub(super) const POSTAL_DIGITS: usize = 6;
/// Verbs between a name and its value, longer ones first.
#[rustfmt::skip]
const VERBS: [&str; 21] = [
    "has been changed to", "has been changed from", "has changed to", "has changed from", "was changed to",
    "was changed from", "changed to", "changed from", "is still", "is not", "is now", "will be",
    "ist jetzt", "ist nicht", "is", "was", "ist", "lautet jetzt", "lautet", "est", "es",
];
/// What stands between a value and another one of the same name.
#[rustfmt::skip]
const JOINTS: [&str; 14] = [
    " to ", ", it is ", ", it's ", ", but ", " but ", ", not ", " not ", " instead of ", " (not ", " (was ", " (formerly ",
    " (before ", ", sondern ", ", nicht ",
];
/// Words after the verb: "is now 2222".
const AFTER_VERB: [&str; 5] = ["now", "still", "not", "jetzt", "nicht"];
/// How far before a name a word is read that says whose or what code it is.
const BEFORE_BYTES: usize = 24;
/// Words behind PIN that belong to the name.
const NOUNS: [&str; 11] =
    ["code", "number", "nummer", "кода", "код", "コード", "番号", "码", "碼", "번호", "코드"];
/// Signs behind a name, of structured text and of emphasis.
const MARKS: [char; 6] = ['"', '\'', '`', '*', '\\', ']'];
/// How far after a name a verb or a number is looked for.
const AFTER_BYTES: usize = 96;
/// Most marks before a value or after a name.
const MARKS_MAX: usize = 3;
/// Longest key of structured data.
const LABEL_BYTES_MAX: usize = 48;
/// Most words between a name and its verb: "of my card".
const WORDS_BETWEEN_MAX: usize = 8;
/// First letter of the scripts that are written without spaces.
const FIRST_EAST_ASIAN: char = '\u{2e80}';

/// The code or phrase that the name at `start..end` names.
pub(super) fn find(text: &str, start: usize, end: usize, name: CodeName) -> Option<Span> {
    if !begins(text, start) || !ends(text, end) {
        return None;
    }
    let is_after = |words: &[&str]| words.contains(&word_before(text, start).as_str());
    match name {
        CodeName::Digits(least, most) => digits(text, start, end, (least, most), true),
        CodeName::DigitsBeside(words) => digits(text, start, end, CODE_DIGITS, is_after(words)),
        CodeName::Words(words) => {
            (words.is_empty() || is_after(words)).then(|| phrase(text, end, true))?
        }
        CodeName::FewWords(words) => {
            (words.is_empty() || is_after(words)).then(|| phrase(text, end, false))?
        }
    }
}

/// True if a name begins at `start`: at the beginning of a word, or behind an East Asian letter.
fn begins(text: &str, start: usize) -> bool {
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    begins_name(text.as_bytes(), start)
        || before.is_none_or(|before| before >= FIRST_EAST_ASIAN || !before.is_alphanumeric())
}

/// True if a name ends at `end`, or one of the [`NOUNS`] belongs to it.
fn ends(text: &str, end: usize) -> bool {
    let after = text.get(end..).unwrap_or_default();
    after.chars().next().is_none_or(|next| !next.is_alphanumeric() || next >= FIRST_EAST_ASIAN)
        || after.starts_with("код")
        || without_prefix(after, "code").is_some()
}

/// True if `value` is as many digits as a label in small letters names: "PIN" of a card, "door
/// code". Six digits under "PIN code" are a postal code.
pub(super) fn is_code_of(label: &str, value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit())
        && names_code(label, |least, most, noun| {
            let is_postal = noun == "code" && least == 4 && value.len() == POSTAL_DIGITS;
            (least..=most).contains(&value.len()) && !is_postal
        })
}

/// True if a label in small letters names a code.
pub(super) fn is_label(label: &str) -> bool {
    names_code(label, |_, _, _| true)
}

fn names_code(label: &str, fits: impl Fn(usize, usize, &str) -> bool) -> bool {
    CODE_NAMES.iter().any(|(name, code)| {
        let Some(start) = label.find(name) else { return false };
        let rest = label.get(start + name.len()..).unwrap_or_default();
        let noun = rest.trim_start_matches([' ', '-', '_']);
        let is_whole = begins(label, start) && (noun.is_empty() || NOUNS.contains(&noun));
        match *code {
            CodeName::Digits(least, most) => is_whole && fits(least, most, noun),
            CodeName::DigitsBeside(words) => {
                let (least, most) = CODE_DIGITS;
                let is_named = words.contains(&word_before(label, start).as_str());
                is_whole && is_named && fits(least, most, "")
            }
            CodeName::Words(_) | CodeName::FewWords(_) => false,
        }
    })
}

/// True for a value under a key of structured data that names a code.
pub(super) fn is_code_under_key(key: &str, value: &str) -> bool {
    is_code_of(&humps_apart(key), value)
}

/// A key in small letters with spaces between its words: `cardPin`, `card_pin`.
fn humps_apart(key: &str) -> String {
    let key = key.get(..key.floor_char_boundary(LABEL_BYTES_MAX)).unwrap_or_default();
    let mut words = String::with_capacity(key.len() + 4);
    let mut is_small = false;
    for letter in key.chars() {
        if is_small && letter.is_uppercase() {
            words.push(' ');
        }
        is_small = letter.is_lowercase();
        words.push(if letter == '_' { ' ' } else { letter });
    }
    words.to_lowercase()
}

/// The word before `start`, in small letters.
fn word_before(text: &str, start: usize) -> String {
    let from = text.ceil_char_boundary(start.saturating_sub(BEFORE_BYTES));
    let before = text.get(from..start).unwrap_or_default();
    let before = before.trim_end_matches([' ', '-', '_']);
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric()).next();
    word.unwrap_or_default().to_lowercase()
}

/// The digits that are the value of the name at `start..end`. If the name is that of a code only
/// beside certain words, and none is before it (`is_named`), one must be behind it.
fn digits(
    text: &str,
    start: usize,
    end: usize,
    (least, most): (usize, usize),
    is_named: bool,
) -> Option<Span> {
    let rest = text.get(end..)?;
    let (after_name, noun) = noun(rest);
    let name_end = text.len() - after_name.len();
    let operator = after_operator(after_name, text, start, !noun.is_empty());
    let mut found = None;
    if is_named {
        // "The pin is 4821 mm long" is about another pin.
        let is_certain = !is_pin(text, start)
            || is_capital(text, start)
            || !noun.is_empty()
            || !has_verb(after_name);
        found = operator
            .and_then(|value| number(text, text.len() - value.len(), (least, most), is_certain))
            .or_else(|| {
                let value = elsewhere(text, start, name_end)?;
                number(text, value.start, (least, most), true)
            });
    }
    let found = found.or_else(|| {
        let behind = qualified(text, name_end, is_named && !is_small_pin(text, start, noun))?;
        (is_named || behind.names_place).then(|| number(text, behind.at, (least, most), false))?
    })?;
    let is_postal = noun == "code" && found.end - found.start == POSTAL_DIGITS && least == 4;
    let is_owned = || matches!(word_before(text, start).as_str(), "my" | "our" | "her" | "his");
    (!is_postal || is_owned()).then(|| with_others(text, found, (least, most)))
}

/// A value with those beside it: "4471, it is 4417", "1234 to 5531".
fn with_others(text: &str, mut found: Span, (least, most): (usize, usize)) -> Span {
    while let Some(rest) = text.get(found.end..)
        && let Some(after) = JOINTS.iter().find_map(|joint| rest.strip_prefix(joint))
    {
        let at = text.len() - after.len();
        let length = run(text.as_bytes(), at, most + 1, |byte| byte.is_ascii_digit());
        let ends = text.get(at + length..).is_some_and(ends_number);
        if !(least..=most).contains(&length) || !ends {
            break;
        }
        found.end = at + length;
    }
    found
}

/// What is behind a name and the word that belongs to it, if there is one: "PIN code".
fn noun(rest: &str) -> (&str, &'static str) {
    let spaced = rest.trim_start_matches([' ', '-', '_']);
    let is_east_asian = |noun: &str| noun.starts_with(|first| first >= FIRST_EAST_ASIAN);
    NOUNS
        .iter()
        .find_map(|noun| match is_east_asian(noun) {
            true => Some((spaced.strip_prefix(noun)?, *noun)),
            false => Some((without_prefix(spaced, noun)?, *noun)),
        })
        .unwrap_or((rest, ""))
}

/// The number at `at`, behind marks.
fn number(text: &str, at: usize, (least, most): (usize, usize), is_certain: bool) -> Option<Span> {
    let value = text.get(at..)?;
    let quoted = value.trim_start_matches(['"', '\'', '`', '*', '#', '“', '\\', ' ']);
    if value.len() - quoted.len() > MARKS_MAX {
        return None;
    }
    let from = text.len() - quoted.len();
    let length = run(text.as_bytes(), from, most + 1, |byte| byte.is_ascii_digit());
    let after = text.get(from + length..)?;
    let ends = match is_certain {
        true => ends_number(after),
        false => ends_clause(after.as_bytes(), false) || ends_east_asian(after),
    };
    ((least..=most).contains(&length) && ends).then_some(Span {
        start: from,
        end: from + length,
        kind: SecretKind::Pin,
    })
}

/// The line or the cell that holds nothing but a value.
fn elsewhere(text: &str, start: usize, name_end: usize) -> Option<Range<usize>> {
    let found = layout::line_below(text, start, name_end)
        .or_else(|| layout::next_cell(text, start, name_end))?;
    let value = text.get(found.clone())?.trim_end_matches('#');
    value.bytes().all(|byte| byte.is_ascii_digit()).then_some(found)
}

/// Where a sentence gives the value of a name with more words behind it.
struct Behind {
    at: usize,
    /// One of the words is the place of a code.
    names_place: bool,
}

/// The value after "of my card is", "für das Tor:", "от карты". A number alone follows such words
/// only where the name is that of a code by itself.
fn qualified(text: &str, end: usize, may_follow: bool) -> Option<Behind> {
    let window = text.get(end..text.floor_char_boundary(end + AFTER_BYTES))?;
    let mut names_place = false;
    for (index, (at, word)) in
        prose::words(window.split('\n').next()?).take(WORDS_BETWEEN_MAX).enumerate()
    {
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches([':', '：', ',']);
        let is_first = index == 0;
        if PROSE_VERBS.contains(&bare) {
            let may_be_first = matches!(bare, "—" | "–");
            let at = at + word.len();
            let next = window.get(at..).unwrap_or_default().trim_start_matches(' ');
            let word = AFTER_VERB.iter().find(|word| without_prefix(next, word).is_some());
            let skipped = word.map_or(0, |word| window.len() - at - next.len() + word.len());
            return (!is_first || may_be_first)
                .then_some(Behind { at: end + at + skipped, names_place });
        }
        let is_cyrillic = lower.starts_with(|first: char| ('а'..='я').contains(&first));
        if is_first && !PREPOSITIONS.contains(&bare) && !is_cyrillic {
            return None;
        }
        if may_follow && !is_first && word.starts_with(|digit: char| digit.is_ascii_digit()) {
            return Some(Behind { at: end + at, names_place });
        }
        names_place |= PLACES.iter().any(|place| match place.is_ascii() {
            true => *place == bare,
            false => bare.starts_with(place),
        });
        if word.ends_with([':', '：']) {
            return Some(Behind { at: end + at + word.len(), names_place });
        }
        if word.ends_with(['.', ';', '?', '!', ',']) {
            return None;
        }
    }
    None
}

fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    let is_whole = !rest.starts_with(|next: char| next.is_alphanumeric());
    (head.eq_ignore_ascii_case(prefix) && is_whole).then_some(rest)
}

/// What is after the sign or verb that gives a value. "PIN 4821" needs none; a pin in small letters
/// does, because boards and clothes have pins.
fn after_operator<'a>(rest: &'a str, text: &str, start: usize, has_noun: bool) -> Option<&'a str> {
    let closed = rest.trim_start_matches(MARKS);
    let closed = if rest.len() - closed.len() > MARKS_MAX { rest } else { closed };
    let spaced = closed.trim_start_matches([' ', '\t', '*']);
    if let Some(value) = spaced.strip_prefix([':', '=', '：', '>']) {
        return Some(value.trim_start_matches([' ', '\t', '*']));
    }
    if let Some(value) = ["是", "は", "는", "은"].iter().find_map(|verb| spaced.strip_prefix(verb))
    {
        return Some(value.trim_start_matches(['：', ':', ' ']));
    }
    let spaced = rest.trim_start_matches([' ', '\t', '*']);
    if let Some(value) = VERBS.iter().find_map(|verb| without_prefix(spaced, verb)) {
        return Some(value.trim_start_matches([':', ' ', '*']));
    }
    let is_enough = !is_small_pin(text, start, if has_noun { "code" } else { "" });
    (spaced.len() < rest.len() && is_enough).then_some(spaced)
}

fn has_verb(rest: &str) -> bool {
    let spaced = rest.trim_start_matches([' ', '\t', '*']);
    VERBS.iter().any(|verb| without_prefix(spaced, verb).is_some())
}

fn is_capital(text: &str, start: usize) -> bool {
    text.get(start..).is_some_and(|name| name.starts_with("PIN"))
}

fn is_pin(text: &str, start: usize) -> bool {
    text.get(start..start + 3).is_some_and(|name| name.eq_ignore_ascii_case("pin"))
}

/// True for what may be another word than the name of a code: "pin", "cvv", "code".
fn is_small_pin(text: &str, start: usize, noun: &str) -> bool {
    let is_ascii = text.as_bytes().get(start).is_some_and(u8::is_ascii);
    is_ascii && !is_capital(text, start) && noun.is_empty()
}

/// True if a number ends before `after`, and is not part of a range, a date or a measure.
fn ends_number(after: &str) -> bool {
    let mut following = after.trim_start_matches(['"', '\'', '`', '*', '#', '”', '\\']).chars();
    match following.next() {
        None => true,
        Some('.' | ',' | ';' | ')' | '!' | '?') => {
            following.next().is_none_or(|next| !next.is_alphanumeric())
        }
        Some('}' | ']' | '<' | '|') => true,
        Some(next) => next.is_whitespace() || ends_east_asian(after),
    }
}

/// True if a Chinese, Japanese or Korean sentence goes on after a number that is a value.
fn ends_east_asian(after: &str) -> bool {
    EAST_ASIAN_ENDS.iter().any(|end| after.starts_with(end))
}
