//! Whether a value looks like a secret rather than like a word, an identifier, a reference, a
//! number or a placeholder.

use super::SecretKind;
use super::letters;
use super::prose;
use super::words::{FUNCTION_WORDS, MESSAGE_WORDS, PLACEHOLDER_MARKS, PLACEHOLDER_WORDS};

/// Longest value.
pub(super) const VALUE_BYTES_MAX: usize = 512;
/// Longest word of an identifier.
const WORD_BYTES_MAX: usize = 64;
/// Shortest password that is masked.
pub(super) const PASSWORD_CHARS_MIN: usize = 6;
/// Shortest other secret that is masked.
const SECRET_CHARS_MIN: usize = 8;
/// Least entropy per character of a password, in bits.
const PASSWORD_ENTROPY_BITS_MIN: f64 = 2.2;
/// Least entropy per character of another secret, in bits.
const SECRET_ENTROPY_BITS_MIN: f64 = 2.8;
/// From this length on, letters alone may be a secret if their entropy is high.
const LETTERS_CHARS_MIN: usize = 20;
/// Least entropy per character of letters alone, in bits; English words stay below.
const LETTERS_ENTROPY_BITS_MIN: f64 = 3.7;
/// Shortest value that is masked after a name without an operator.
const BARE_CHARS_MIN: usize = 20;
/// Least entropy per character of such a value.
const BARE_ENTROPY_BITS_MIN: f64 = 4.0;
/// Most digits of a name that repeats its keyword.
const REPEATED_NAME_DIGITS_MAX: usize = 6;
/// Words of a passphrase.
const PASSPHRASE_WORDS: std::ops::RangeInclusive<usize> = 2..=8;
/// Fewest words of a passphrase of letters alone.
const LETTER_WORDS_MIN: usize = 4;
/// Words of a passphrase that has none of the words of messages.
const FEW_WORDS: usize = 3;
/// Signs that passwords have and names have not.
const SIGNS: &[u8] = b"!@#$%^&*+=?~";

/// True if a value under a name of this kind looks like a secret.
pub(super) fn looks_secret(value: &str, kind: SecretKind, quoted: bool, keyword: &str) -> bool {
    let bytes = value.as_bytes();
    let password = kind == SecretKind::Password;
    let (chars_min, entropy_min) = if password {
        (PASSWORD_CHARS_MIN, PASSWORD_ENTROPY_BITS_MIN)
    } else {
        (SECRET_CHARS_MIN, SECRET_ENTROPY_BITS_MIN)
    };
    if bytes.len() < chars_min
        || bytes.len() > VALUE_BYTES_MAX
        || is_placeholder(value)
        || is_reference(value)
        || !quoted && is_cut_call(value)
    {
        return false;
    }
    if bytes.iter().any(u8::is_ascii_whitespace) {
        return password
            && quoted
            && (is_passphrase(value, keyword) || is_short_passphrase(value, keyword));
    }
    if keyword.eq_ignore_ascii_case("token") && is_uuid(bytes)
        || !password && repeats_name(value, keyword)
    {
        return false;
    }
    let upper = value.chars().any(char::is_uppercase);
    let lower = value.chars().any(char::is_lowercase);
    let digits = bytes.iter().any(u8::is_ascii_digit);
    let signs = bytes.iter().any(|byte| SIGNS.contains(byte));
    // Programs that ask for a password often demand signs, capitals and digits.
    let demanded = password && upper && lower && digits && signs;
    if is_identifier(value) && !demanded {
        let repeats = value.to_ascii_lowercase().contains(&keyword.to_ascii_lowercase());
        if !password && !repeats && letters::are_random(value) {
            return true;
        }
        let one_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric()) && digits;
        return password && one_word && !repeats && entropy_bits(bytes) >= entropy_min;
    }
    let letters = upper || lower;
    let brackets = bytes.iter().any(|byte| b"()".contains(byte));
    if letters && digits || password && quoted && letters && (signs || brackets) {
        return entropy_bits(bytes) >= entropy_min;
    }
    letters::are_random(value)
        || upper
            && lower
            && bytes.len() >= LETTERS_CHARS_MIN
            && entropy_bits(bytes) >= LETTERS_ENTROPY_BITS_MIN
}

/// True for a run so random that the name before it needs no operator: `aws_secret_access_key
/// wJal…`.
pub(super) fn looks_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    (BARE_CHARS_MIN..=VALUE_BYTES_MAX).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=".contains(byte))
        && is_scattered(bytes)
        && entropy_bits(bytes) >= BARE_ENTROPY_BITS_MIN
        && !is_reference(value)
        && !is_placeholder(value)
}

/// True for a single word of letters that can be a password where a line cannot be code or prose:
/// `DB_PASSWORD=letmeinplease`.
pub(super) fn is_word(value: &str, chars_min: usize) -> bool {
    value.len() >= chars_min
        && value.chars().all(char::is_alphabetic)
        && value.chars().any(char::is_lowercase)
        && !is_placeholder(value)
        && !is_made_of_words(&value.to_ascii_lowercase())
}

/// True for capitals, small letters and digits as no name has them.
pub(super) fn is_scattered(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_lowercase)
        && bytes.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2
        && std::str::from_utf8(bytes).is_ok_and(|text| !is_identifier(text))
}

/// True for words that a person strings together, and that make no sentence or label.
pub(super) fn is_passphrase(value: &str, keyword: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_function = |word: &&str| FUNCTION_WORDS.contains(&word.to_lowercase().as_str());
    if !PASSPHRASE_WORDS.contains(&words.len())
        || value.ends_with([':', '?', '.', '…'])
        || value.to_lowercase().contains(&keyword.to_lowercase())
        || words.iter().any(is_function)
    {
        return false;
    }
    let is_reference = |word: &str| is_reference(word) || is_cut_call(word);
    let is_mixed = |word: &&str| {
        let bytes = word.as_bytes();
        let letters = bytes.iter().any(u8::is_ascii_alphabetic);
        let within = bytes.get(..bytes.len().saturating_sub(1)).unwrap_or_default();
        letters && bytes.iter().any(u8::is_ascii_digit) && !is_reference(word)
            || letters && within.iter().any(|byte| b"!@#$%^&*+=~".contains(byte))
    };
    let is_letters =
        |word: &&str| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let has_number =
        words.iter().any(|word| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit()));
    words.iter().any(is_mixed)
        || words.len() >= LETTER_WORDS_MIN && words.iter().all(is_letters)
        || has_number && words.len() >= 3 && words.iter().any(is_letters)
}

/// True for three words in small letters, none of which forms and messages say of passwords.
fn is_short_passphrase(value: &str, keyword: &str) -> bool {
    let is_letters = |word: &str| word.chars().count() >= 3 && word.chars().all(char::is_lowercase);
    let is_of_message = |word: &str| {
        MESSAGE_WORDS.contains(&word)
            || FUNCTION_WORDS.contains(&word)
            || is_made_of_words(word)
            || prose::is_ordinary(word)
    };
    value.split_whitespace().count() == FEW_WORDS
        && !value.contains(&keyword.to_lowercase())
        && value.split_whitespace().all(|word| is_letters(word) && !is_of_message(word))
}

/// True for a value that stands for another: `<your-password>`, `********`, `$DB_PASSWORD`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["redacted", "masked:", "xxxx", "****", "...", "…"].iter().any(|mark| lower.contains(mark))
        || value.ends_with("EXAMPLEKEY")
        || value.starts_with(['{', '<', '['])
        || value.contains("${")
        || value.contains("{{")
        || is_variable(value)
        || PLACEHOLDER_MARKS.iter().any(|mark| lower.contains(mark))
            && is_made_of_words(&lower.replace(|c: char| c.is_ascii_digit(), ""))
}

/// True for `$NAME`, `$(command)`, `%NAME%`, `%s`, `@name`, `&name`, `(none)`.
fn is_variable(value: &str) -> bool {
    let rest = value.get(1..).unwrap_or_default();
    match value.as_bytes().first() {
        Some(b'$') => {
            rest.starts_with(['(', '$'])
                || is_identifier(rest.trim_end_matches('$')) && !is_numbered_word(rest)
        }
        Some(b'%') => rest.len() <= 2 || rest.starts_with('(') || rest.ends_with('%'),
        Some(b'@' | b'*') => is_identifier(rest),
        Some(b'&') => {
            rest.starts_with('(')
                || rest.bytes().all(|byte| is_word_byte(byte) || b".[]()".contains(&byte))
        }
        Some(b'(') => rest.ends_with(')') || !rest.contains(')') || rest.contains("*)"),
        _ => false,
    }
}

/// True for a word with a number behind it that names nothing: `ecret99`, unlike `password2`.
fn is_numbered_word(text: &str) -> bool {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    text.len() >= word.len() + 2
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !is_made_of_words(word)
}

/// True for words of placeholders, one after the other, perhaps with hyphens, dots or underscores
/// between them: `user`, `test_password`.
pub(super) fn is_made_of_words(lower: &str) -> bool {
    if !lower.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_. '".contains(&byte)) {
        return false;
    }
    let letters: Vec<u8> = lower.bytes().filter(u8::is_ascii_lowercase).collect();
    if letters.len() > WORD_BYTES_MAX {
        return false;
    }
    let mut reached = vec![false; letters.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for at in 0..letters.len() {
        if reached.get(at) != Some(&true) {
            continue;
        }
        for word in PLACEHOLDER_WORDS {
            if letters.get(at..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
                && let Some(end) = reached.get_mut(at + word.len())
            {
                *end = true;
            }
        }
    }
    reached.last() == Some(&true)
}

/// True for a reference to something else: a call, a path, a URL, a content address, a date.
fn is_reference(value: &str) -> bool {
    let path = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start))
        && !value.contains(['+', '='])
        || value.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/");
    // An AWS secret key has forty characters and may begin with a slash.
    path && value.len() != 40
        || value.contains('\\')
        || is_call(value)
        || is_constant(value)
        || value.contains("://")
        || value.contains("::")
        || value.contains("->")
        || value.starts_with("b3:")
        || value.starts_with("data:")
        || value.starts_with("sha256:")
        || is_number(value)
        || crate::dates::date_at_start(value).is_some()
}

/// True for `name(…)` and for `name![…`.
fn is_call(value: &str) -> bool {
    let is_macro = value
        .split_once('!')
        .is_some_and(|(name, rest)| is_identifier(name) && rest.starts_with(['[', '(', '{']));
    let Some((name, arguments)) = value.split_once('(') else { return is_macro };
    is_macro
        || is_name_of_call(name)
            && (arguments.ends_with(')') || arguments.contains(").") || arguments.contains(")["))
}

/// True for a call whose end was cut off, as code without quotes has it: `name(first`.
fn is_cut_call(value: &str) -> bool {
    value.split_once('(').is_some_and(|(name, arguments)| {
        is_name_of_call(name)
            && (is_identifier(name) || name.contains(['_', '.', ':']))
            && !arguments.contains(')')
    })
}

fn is_name_of_call(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| is_word_byte(byte) || b".:".contains(&byte))
}

/// True for a constant as code writes it: `D3D12_RENDER_PASS_FLAGS`.
fn is_constant(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.contains('_')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && digits * 2 < value.len()
}

/// True for a name that repeats the keyword: `x25519_generate_private_key`, `test-m2m-secret`.
fn repeats_name(value: &str, keyword: &str) -> bool {
    value.to_ascii_lowercase().contains(&keyword.to_ascii_lowercase())
        && value.bytes().all(|byte| is_word_byte(byte) || b"-.".contains(&byte))
        && value.bytes().filter(u8::is_ascii_digit).count() <= REPEATED_NAME_DIGITS_MAX
        && !is_scattered(value.as_bytes())
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True for words joined as code and file names join them: `get_password_v2`, `process.env.TOKEN`,
/// `X509Options`.
pub(super) fn is_identifier(value: &str) -> bool {
    value.split(['_', '.', '-', ':', '[', ']', '/', '!']).all(|word| {
        let bytes = word.as_bytes();
        let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
        let only_these = letters + digits == bytes.len() && bytes.len() <= WORD_BYTES_MAX;
        let leading = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name: String = word.chars().filter(char::is_ascii_alphabetic).collect();
        // Digits within a word are rare in names (`X509Options`) and scattered in keys.
        let inside = leading < letters;
        let numbered = !inside
            || bytes.iter().any(u8::is_ascii_uppercase) && letters >= 8 * digits.div_ceil(3);
        only_these && digits <= 3 && numbered && has_word_shape(&name)
    })
}

/// True for numbers as code writes them: `131072u32`, `-2147217308`, `0xC0210024_u32`, `3600s`.
fn is_number(value: &str) -> bool {
    let value = value.trim_start_matches(['-', '+']);
    let suffixes = [
        "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "f32", "f64", "ms", "s",
        "m", "h", "d", "px", "kb", "mb",
    ];
    let bare = suffixes.iter().find_map(|suffix| value.strip_suffix(suffix)).unwrap_or(value);
    match bare.strip_prefix("0x") {
        Some(hex) => {
            hex.len() <= 17 && hex.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
        }
        None => bare.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.')),
    }
}

/// True if capitals come as in `camelCase`, `Word` or `WORD`, not scattered.
fn has_word_shape(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.iter().all(u8::is_ascii_uppercase) {
        return true;
    }
    let single = bytes
        .windows(2)
        .filter(|pair| matches!(pair, [first, second] if first.is_ascii_uppercase() && second.is_ascii_uppercase()))
        .count();
    let humps = bytes.iter().skip(1).filter(|byte| byte.is_ascii_uppercase()).count();
    single <= 2 && humps * 3 <= bytes.len()
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Shannon entropy of the bytes' distribution, in bits a byte.
pub(super) fn entropy_bits(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = bytes.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|&count| f64::from(count) / total)
        .map(|share| -share * share.log2())
        .sum()
}
