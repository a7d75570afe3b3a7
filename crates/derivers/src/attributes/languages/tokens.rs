//! Tokens of a sentence in any of the languages that are read.
//!
//! Chinese and Japanese have no spaces, so each of their letters is a token. An apostrophe ends a
//! token, because it parts a word from its article ("l'affitto") or its ending ("İzmir'de").

use std::borrow::Cow;

/// Most tokens of a sentence that is read.
const TOKENS_MAX: usize = 64;

/// How a number begins that is kept from being read: "[masked:pin]".
const MASKED: &str = "[masked:";

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word, or the sign of a currency or of a share.
    Word,
    /// Digits, with what parts them: "1.450", "18:30", "8万5千".
    Number,
    /// A letter of a language without spaces.
    Letter,
    /// Punctuation within a sentence.
    Break,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    /// In lower case, with plain apostrophes and one kind of each punctuation mark.
    pub(super) lower: Cow<'t, str>,
    pub(super) kind: TokenKind,
    /// A hash of `lower`, so that most words of a list need not be compared.
    pub(super) hash: u8,
}

/// A hash of a word in lower case.
pub(super) fn hash(word: &str) -> u8 {
    word.bytes().fold(0_u8, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte))
}

impl Token<'_> {
    /// Whether it may be part of a name: it is not written in lower case.
    pub(super) fn is_proper(&self) -> bool {
        let first = self.text.chars().next();
        self.kind == TokenKind::Word
            && first.is_some_and(|first| first.is_alphabetic() && !first.is_lowercase())
    }
}

/// The tokens of a sentence; `None` if there are too many, or words of somebody else among them.
pub(super) fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::with_capacity(16);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if is_quote(letter) {
            return None;
        }
        let found = kind_of(letter, rest);
        let (kind, length) = found.unwrap_or((TokenKind::Break, letter.len_utf8()));
        let (token, after) = rest.split_at_checked(length)?;
        rest = after;
        if found.is_none() {
            continue;
        }
        if tokens.len() == TOKENS_MAX {
            return None;
        }
        let lower = lower(token, kind);
        let hash = hash(&lower);
        tokens.push(Token { text: token, lower, kind, hash });
    }
    Some(tokens)
}

/// What begins a text, and how long it is.
fn kind_of(letter: char, rest: &str) -> Option<(TokenKind, usize)> {
    let one = letter.len_utf8();
    if let Some((masked, _)) = rest.strip_prefix(MASKED).and_then(|rest| rest.split_once(']')) {
        return Some((TokenKind::Number, MASKED.len() + masked.len() + 1));
    }
    if letter.is_ascii_digit() {
        Some((TokenKind::Number, number_length(rest)))
    } else if is_unspaced(letter) {
        Some((TokenKind::Letter, one))
    } else if letter.is_alphabetic() {
        Some((TokenKind::Word, word_length(rest)))
    } else {
        match letter {
            '€' | '$' | '£' | '¥' | '₽' | '₺' | '％' | '%' => Some((TokenKind::Word, one)),
            ',' | '，' | '、' | ':' | '：' | '–' | '—' | '(' | ')' | '（' | '）' | '[' | ']'
            | '/' | '…' => Some((TokenKind::Break, one)),
            '-' if rest[one..].starts_with(' ') => Some((TokenKind::Break, one)),
            _ => None,
        }
    }
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '`' | '~')
}

/// A letter of Chinese or Japanese.
pub(super) fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '々')
}

/// Whether a token is a letter that only Japanese has.
pub(super) fn is_kana(token: &str) -> bool {
    token.starts_with(|letter| matches!(letter, '\u{3040}'..='\u{30ff}'))
}

/// The length of a word, with the apostrophe after which another begins.
fn word_length(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let goes_on = next.is_some_and(|next| next.is_alphanumeric() && !is_unspaced(next));
        match letter {
            '\'' | '’' => return if goes_on { at + letter.len_utf8() } else { at },
            '-' if goes_on => {}
            _ if letter.is_alphanumeric() && !is_unspaced(letter) => {}
            _ => return at,
        }
    }
    text.len()
}

/// The length of a number: digits, what parts them, and the words for thousands of Chinese and
/// Japanese.
fn number_length(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_digit_next = letters.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        match letter {
            '.' | ',' | ':' | '\'' | '’' if is_digit_next => {}
            '万' | '千' | '百' | '億' | '亿' => {}
            _ if letter.is_ascii_digit() => {}
            _ => return at,
        }
    }
    text.len()
}

fn lower(token: &str, kind: TokenKind) -> Cow<'_, str> {
    match kind {
        TokenKind::Break => Cow::Borrowed(match token {
            "，" | "、" | "," => ",",
            "：" | ":" => ":",
            "–" | "—" | "-" => "—",
            _ => "(",
        }),
        TokenKind::Number | TokenKind::Letter => Cow::Borrowed(token),
        TokenKind::Word if !token.chars().any(|letter| letter.is_uppercase() || letter == '’') => {
            Cow::Borrowed(token)
        }
        TokenKind::Word => Cow::Owned(in_lower_case(token)),
    }
}

/// A name or word in lower case. The capital "İ" of Turkish is "i" with a dot of its own.
pub(super) fn in_lower_case(text: &str) -> String {
    text.to_lowercase().replace('’', "'").replace("i\u{307}", "i")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let tokens = tokens(text).unwrap_or_default();
        tokens.iter().map(|token| token.lower.as_ref()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn each_language_has_its_tokens() {
        for (text, expected) in [
            ("Die Miete ist 1.450,50 €.", "die|miete|ist|1.450,50|€"),
            ("L’affitto è salito", "l'|affitto|è|salito"),
            ("Ayşe İzmir'de yaşıyor", "ayşe|izmir'|de|yaşıyor"),
            ("小红住在Berlin", "小|红|住|在|berlin"),
            ("8万5千円です", "8万5千|円|で|す"),
            ("Мой начальник - Игорь", "мой|начальник|—|игорь"),
            ("Saint-Denis, um 18:30 Uhr", "saint-denis|,|um|18:30|uhr"),
        ] {
            assert_eq!(read(text), expected);
        }
        assert_eq!(tokens("Er sagt: „Ich wohne in Ulm“"), None);
        assert_eq!(tokens(&"ja ".repeat(100)), None);
    }

    #[test]
    fn any_text_is_read() {
        for text in ["'", "’’", "1.", "1,,", "-", "--", "a-", "a'", "万", "\u{307}", "İ'", "5’"]
        {
            let _ = tokens(text);
        }
    }
}
