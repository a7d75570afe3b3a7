//! Words of a question or a text, made alike for the comparison with patterns.

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// In lower case; "am", "is" and "are" are `be`, "was" and "were" `was`, "has" `have`, "does"
    /// and "did" `do`, and "'s" a word of its own.
    pub(super) text: String,
    /// Whether it was written with a capital letter.
    pub(super) is_capital: bool,
    /// Whether a comma, a bracket or the like stands before it.
    pub(super) is_after_break: bool,
    /// Whether that is a colon, or a dash between spaces: "Age: 51".
    pub(super) is_after_colon: bool,
    /// Whether "am", "do" or "have" stands before it, which may be left out.
    pub(super) is_after_auxiliary: bool,
    /// Whether "the" or "a" stands before it, which are left out.
    pub(super) is_after_article: bool,
}

/// What stands between two words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Break,
    Colon,
}

/// Words that say nothing of what somebody is or has.
#[rustfmt::skip]
const LIGHT: [&str; 33] = [
    "a", "about", "actually", "almost", "already", "also", "always", "an", "approximately", "around", "basically", "both",
    "current", "currently", "exactly", "happily", "just", "mostly", "nearly", "new", "now", "officially", "originally",
    "proud", "really", "recently", "roughly", "still", "the", "today", "usually", "very", "been",
];

/// Words without their apostrophes, as people type them.
#[rustfmt::skip]
const TYPED: [(&str, [&str; 2]); 12] = [
    ("im", ["i", "be"]), ("ive", ["i", "have"]), ("dont", ["do", "not"]), ("doesnt", ["do", "not"]), ("cant", ["can", "not"]),
    ("cannot", ["can", "not"]), ("whats", ["what", "be"]), ("whos", ["who", "be"]), ("wheres", ["where", "be"]),
    ("hows", ["how", "be"]), ("won't", ["will", "not"]), ("can't", ["can", "not"]),
];

/// The words of a sentence without those that say nothing.
pub(super) fn tokens(sentence: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut is_after_article = false;
    let mut add = |text: &str, is_capital: bool, gap: &mut Gap| {
        let text = normal(text);
        let is_got = text == "got" && found.last().is_some_and(|last| last.text == "have");
        if text.is_empty() || is_got || LIGHT.contains(&text) {
            is_after_article |= matches!(text, "a" | "an" | "the");
            return;
        }
        let is_after_auxiliary =
            found.last().is_some_and(|last| matches!(&*last.text, "be" | "do" | "have" | "was"));
        found.push(Token {
            text: text.to_owned(),
            is_capital,
            is_after_break: *gap != Gap::None,
            is_after_colon: *gap == Gap::Colon,
            is_after_auxiliary,
            is_after_article,
        });
        (*gap, is_after_article) = (Gap::None, false);
    };
    let (mut rest, mut gap) = (sentence, Gap::None);
    while let Some(first) = rest.chars().next() {
        if !first.is_alphanumeric() {
            let is_between_spaces =
                rest.chars().nth(1).is_none_or(char::is_whitespace) && !rest.starts_with(' ');
            match first {
                '\'' | '’' | '"' => {}
                ':' => gap = Gap::Colon,
                '-' | '–' | '—' if is_between_spaces => gap = Gap::Colon,
                '-' => {}
                _ if first.is_whitespace() => {}
                _ => gap = gap.max(Gap::Break),
            }
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let word = word_at(rest);
        rest = rest.get(word.len()..).unwrap_or_default();
        let lower = word.to_lowercase().replace('’', "'");
        let is_capital = first.is_uppercase();
        if let Some((_, parts)) = TYPED.iter().find(|(typed, _)| *typed == lower) {
            parts.iter().for_each(|part| add(part, false, &mut gap));
            continue;
        }
        let (stem, ending) = lower.split_once('\'').unwrap_or((&lower, ""));
        match (stem.strip_suffix('n'), ending) {
            (Some(stem), "t") => {
                add(stem, is_capital, &mut gap);
                add("not", false, &mut gap);
            }
            (_, ending) => {
                add(stem, is_capital, &mut gap);
                add(contracted(ending), false, &mut gap);
            }
        }
    }
    found
}

/// The word at the beginning of a text: letters, digits, an apostrophe between letters, and what
/// separates the digits of a number.
fn word_at(text: &str) -> &str {
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, letter)) = letters.next() {
        let after = letters.peek().map_or(' ', |(_, after)| *after);
        let joins = match letter {
            '\'' | '’' => after.is_alphabetic() || before == 's',
            '.' | ',' => before.is_ascii_digit() && after.is_ascii_digit(),
            _ => letter.is_alphanumeric(),
        };
        if !joins {
            break;
        }
        end = at + letter.len_utf8();
        before = letter;
    }
    text.get(..end).unwrap_or_default()
}

/// What stands after an apostrophe.
fn contracted(ending: &str) -> &str {
    match ending {
        "s" => "'s",
        "m" | "re" => "be",
        "ve" => "have",
        "ll" => "will",
        "d" => "would",
        _ => ending,
    }
}

fn normal(word: &str) -> &str {
    match word {
        "am" | "is" | "are" | "being" => "be",
        "was" | "were" => "was",
        "has" | "have" | "having" => "have",
        "does" | "did" | "do" | "doing" => "do",
        "whom" => "who",
        "mum" | "mom" | "mommy" | "mummy" => "mother",
        "dad" | "daddy" => "father",
        "favourite" => "favorite",
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        tokens(text).into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_made_alike() {
        for (text, expected) in [
            ("What's my job?", "what 's my job"),
            ("I'm a nurse, and I've got two kids.", "i be nurse and i have two kids"),
            ("I don't eat meat; can't either", "i do not eat meat can not either"),
            ("Ana’s 43-year-old brother", "ana 's 43 year old brother"),
            ("im 1,80 m tall", "i be 1,80 m tall"),
            ("James' car", "james car"),
            ("", ""),
            ("'’-", ""),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert!(tokens("Tom, 34")[1].is_after_break);
        assert!(tokens("is ben old")[1].is_after_auxiliary);
    }
}
