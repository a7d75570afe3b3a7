//! Values that stand alone: in the rest of a line behind a label, in the line below it, in a cell
//! of a table.
//!
//! What stands alone under the name of a password is seldom prose or code, so a word or a number
//! is enough there. It must still not be one that forms, schemas and messages have in that place:
//! "required", "String", "неверный".

use super::SecretKind;
use super::east_asian;
use super::form_words::FORM_WORDS;
use super::names::{KEYWORDS, Keyword};
use super::prose;
use super::value::{is_passphrase, is_word, looks_secret};
use super::words::{IS_ALSO_A_WORD, RUSSIAN_ENDS, RUSSIAN_ORDINARY, SETTINGS, TYPES};

/// Shortest password of small letters alone.
const SMALL_WORD_CHARS_MIN: usize = 8;
/// Shortest password of letters alone that begins with a capital, or that has a label in another
/// script.
const WORD_CHARS_MIN: usize = 6;
/// Shortest key or token in a table of anything.
const AMONG_CHARS_MIN: usize = 16;
/// Shortest password of digits alone.
const DIGITS_MIN: usize = 6;
/// Shortest password of digits alone behind a label in Russian, Chinese, Japanese or Korean, where
/// the word for a password names the code of a card and a door as well.
const FOREIGN_DIGITS_MIN: usize = 4;
/// Longest password of digits alone.
const DIGITS_MAX: usize = 16;
/// First letter of the scripts that are written without spaces, or nearly so.
const FIRST_EAST_ASIAN: char = '\u{2e80}';
/// What follows a number that is a whole value in Chinese, Japanese and Korean.
pub(super) const EAST_ASIAN_ENDS: [&str; 14] = [
    "です",
    "だ",
    "で",
    "입니다",
    "이야",
    "이에요",
    "예요",
    "이고",
    "，",
    "。",
    "、",
    "！",
    "」",
    "）",
];

/// What is known of the place of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Among other values, as in a table of anything.
    Among,
    /// Alone behind its label.
    Alone,
}

/// True if `value`, which stands alone, can only be what `keyword` names.
pub(super) fn is_value(value: &str, keyword: &Keyword, place: Place) -> bool {
    let is_password = keyword.kind == SecretKind::Password;
    // "Pass" heads a column of results as well.
    if IS_ALSO_A_WORD.contains(&keyword.name) {
        return false;
    }
    if value.contains(char::is_whitespace) {
        return is_password
            && place == Place::Alone
            && is_known(keyword)
            && is_passphrase(value, keyword.name);
    }
    let is_long = is_password || place == Place::Alone || value.len() >= AMONG_CHARS_MIN;
    is_long && looks_secret(value, keyword.kind, false, keyword.name)
        || is_password
            && place == Place::Alone
            && (is_word_alone(value, keyword) || is_number_alone(value, keyword))
}

/// True for a name in a language of which the rules know what people say of passwords.
pub(super) fn is_known(keyword: &Keyword) -> bool {
    ["password", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort"]
        .contains(&keyword.name)
        || is_foreign(keyword)
}

/// True for a name in Cyrillic or in an East Asian script.
pub(super) fn is_foreign(keyword: &Keyword) -> bool {
    is_cyrillic(keyword.name) || is_east_asian(keyword)
}

pub(super) fn is_east_asian(keyword: &Keyword) -> bool {
    keyword.name.starts_with(|first| first >= FIRST_EAST_ASIAN)
}

fn is_cyrillic(text: &str) -> bool {
    text.starts_with(|first| ('\u{400}'..='\u{4ff}').contains(&first))
}

/// True for one word that can hardly be a label, a type or a setting.
pub(super) fn is_word_alone(value: &str, keyword: &Keyword) -> bool {
    if east_asian::is_text(value) {
        return is_known(keyword) && east_asian::is_password(value);
    }
    let mut letters = value.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    let is_simple = letters.all(char::is_lowercase);
    let lower = value.to_lowercase();
    if !is_known(keyword) || !is_simple || is_of_words_for_values(&lower) {
        return false;
    }
    if is_cyrillic(value) {
        let ordinary = RUSSIAN_ORDINARY.contains(&lower.as_str())
            || RUSSIAN_ENDS.iter().any(|end| lower.ends_with(end));
        return is_cyrillic(keyword.name) && !ordinary && value.chars().count() >= WORD_CHARS_MIN;
    }
    let chars_min =
        if is_capital || is_foreign(keyword) { WORD_CHARS_MIN } else { SMALL_WORD_CHARS_MIN };
    let is_script = value.is_ascii() || is_capital && !is_foreign(keyword);
    is_script && is_word(value, chars_min)
}

/// True for what settings, types and messages say in the place of a password.
fn is_of_words_for_values(lower: &str) -> bool {
    SETTINGS.contains(&lower)
        || TYPES.contains(&lower)
        || FORM_WORDS.contains(&lower)
        || prose::is_ordinary(lower)
        || KEYWORDS.iter().any(|keyword| lower.contains(keyword.name))
}

/// True for a number that is long enough for a password.
pub(super) fn is_number_alone(value: &str, keyword: &Keyword) -> bool {
    let digits_min = if is_foreign(keyword) { FOREIGN_DIGITS_MIN } else { DIGITS_MIN };
    is_known(keyword)
        && (digits_min..=DIGITS_MAX).contains(&value.trim_end_matches('#').len())
        && value.trim_end_matches('#').bytes().all(|byte| byte.is_ascii_digit())
}

/// True if a number that is a value of a sentence ends before `after`.
pub(super) fn ends_number(after: &str, keyword: &Keyword) -> bool {
    prose::ends_clause(after.as_bytes(), false)
        || after.starts_with('#')
        || is_east_asian(keyword) && EAST_ASIAN_ENDS.iter().any(|end| after.starts_with(end))
}
