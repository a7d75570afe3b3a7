//! What an answer has to have: an amount, a colour, a time of day, a number.
//!
//! "The tortoise is called Blitz" shares its noun with "How old is the tortoise?" and has no
//! number. English only; a question that may be answered in other ways expects nothing.

use retrieval::text::is_english_number;

use super::discounts::words_of;

/// What an answer has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// A number, in figures or words, or a word for none.
    Amount,
    /// The same, or when somebody was born or something began.
    Age,
    /// A colour.
    Colour,
    /// A time of day.
    Clock,
    /// Figures or an address.
    Identifier,
}

/// Words that ask for money, after "how much".
#[rustfmt::skip]
const MONEY: [&str; 17] = [
    "charge", "charged", "charges", "cost", "costs", "earn", "earned", "earns", "money", "owe", "owed", "owes", "paid", "pay",
    "pays", "spend", "spent",
];
/// Verbs that ask for money, after "what": "What do I pay Kim?"
const MONEY_VERBS: [&str; 5] = ["charge", "cost", "earn", "owe", "pay"];
/// Nouns for an amount: "What is the price of …?"
#[rustfmt::skip]
const AMOUNTS: [&str; 11] =
    ["budget", "cost", "deposit", "discount", "fare", "fee", "fine", "mortgage", "price", "rent", "salary"];
/// Nouns for what is written in figures or with signs.
#[rustfmt::skip]
const IDENTIFIERS: [&str; 10] = [
    "code", "e-mail", "email", "extension", "iban", "ip", "number", "pin", "postcode", "zip",
];
#[rustfmt::skip]
const COLOURS: [&str; 42] = [
    "amber", "beige", "black", "blonde", "blue", "bronze", "brown", "burgundy", "cream", "crimson", "cyan", "gold", "golden",
    "colour", "color", "dark", "gray", "green", "grey", "indigo", "ivory", "khaki", "lilac", "magenta", "maroon", "mauve", "mint", "navy", "olive",
    "orange", "pink", "purple", "red", "shade", "silver", "tan", "umber", "ochre", "teal", "turquoise", "violet", "white",
];
/// Words for an amount beside numbers.
#[rustfmt::skip]
const ROUGHLY: [&str; 22] = [
    "thousand", "million", "half", "double", "twice", "dozen", "couple", "free", "nothing", "grand", "none", "no", "cheap",
    "expensive", "pricey", "several", "gratis", "house", "treat", "invited", "gift", "present",
];
#[rustfmt::skip]
const CLOCKS: [&str; 12] = [
    "afternoon", "dawn", "dusk", "evening", "lunch", "midday", "midnight", "morning", "night", "noon", "sunrise", "sunset",
];
#[rustfmt::skip]
const AGES: [&str; 19] = [
    "adult", "anniversary", "baby", "birth", "birthday", "born", "built", "child", "founded", "kitten", "newborn", "puppy",
    "hatched", "since", "started", "teenager", "turned", "turning", "young",
];

impl Expected {
    /// What answers to a question have to have, if it is plain.
    pub(super) fn of(question: &str) -> Option<Self> {
        let words = words_of(question);
        let at = |place: usize| words.get(place).map_or("", String::as_str);
        let start =
            words.iter().position(|word| matches!(word.as_str(), "how" | "what" | "which"))?;
        let rest = words.get(start + 1..).unwrap_or_default();
        let has = |known: &[&str]| rest.iter().any(|word| known.contains(&word.as_str()));
        // "What is the price", "what was our budget".
        let is_linked = matches!(at(start + 1), "is" | "was" | "are" | "were" | "'s");
        let noun = if is_linked {
            let skipped = |word: &&String| {
                matches!(word.as_str(), "the" | "my" | "our" | "his" | "her" | "their")
            };
            rest.iter().skip(1).find(|word| !skipped(word)).map_or("", String::as_str)
        } else {
            at(start + 1)
        };
        match (at(start), at(start + 1)) {
            ("how", "much") if has(&MONEY) => Some(Self::Amount),
            ("how", "old") => Some(Self::Age),
            ("how", "tall" | "heavy") => Some(Self::Amount),
            ("what" | "which", "colour" | "color") => Some(Self::Colour),
            ("what", "time") => Some(Self::Clock),
            ("what", _) if matches!(noun, "colour" | "color") => Some(Self::Colour),
            ("what" | "which", _) if IDENTIFIERS.contains(&noun) => Some(Self::Identifier),
            ("what", _) if is_linked && AMOUNTS.contains(&noun) => Some(Self::Amount),
            ("what", "does" | "did" | "do") if has(&MONEY_VERBS) => Some(Self::Amount),
            _ => None,
        }
    }

    /// Whether nothing but what is listed here answers.
    pub(super) fn is_certain(self) -> bool {
        matches!(self, Self::Amount | Self::Age | Self::Colour)
    }

    /// Whether a text has it.
    pub(super) fn is_in(self, text: &str) -> bool {
        let words = words_of(text);
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        let has_digit = || text.contains(|letter: char| letter.is_numeric());
        let has_number =
            || has_digit() || has(&ROUGHLY) || words.iter().any(|word| is_english_number(word));
        match self {
            Self::Amount => has_number(),
            Self::Age => has_number() || has(&AGES),
            Self::Colour => has(&COLOURS) || words.iter().any(|word| is_shade(word)),
            Self::Clock => has_number() || has(&CLOCKS),
            Self::Identifier => has_number() || text.contains(['@', '/']),
        }
    }
}

/// "Reddish", "greenish".
fn is_shade(word: &str) -> bool {
    word.strip_suffix("ish").is_some_and(|stem| {
        COLOURS.iter().any(|colour| stem.starts_with(colour) && stem.len() <= colour.len() + 1)
    })
}

/// Whether a question may ask for a number, so that a sentence with one is preferred: "How old is
/// Lena?", "What is the code?" More do than those whose answers have to have one.
pub(super) fn asks_how_many(question: &str) -> bool {
    const OF: [&str; 9] = ["old", "many", "much", "tall", "far", "big", "heavy", "high", "often"];
    const NUMBERS: [&str; 8] = ["age", "code", "cost", "number", "phone", "pin", "price", "size"];
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_how = words.windows(2).any(|it| it[0] == "how" && OF.contains(&it[1]));
    is_how || words.first() == Some(&"what") && words.iter().any(|word| NUMBERS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_questions_expect_what_answers_them() {
        for (question, expected) in [
            ("How much did the caravan cost?", Some(Expected::Amount)),
            ("What does the ticket cost?", Some(Expected::Amount)),
            ("What do I pay Lorenz?", Some(Expected::Amount)),
            ("What is the price of the boat?", Some(Expected::Amount)),
            ("How old is the tortoise?", Some(Expected::Age)),
            ("What colour is the door?", Some(Expected::Colour)),
            ("What is her favourite food?", None),
            ("What number do I call?", Some(Expected::Identifier)),
            ("Which port do we sail to?", None),
            ("What's the door code?", None),
            ("What time is the lesson?", Some(Expected::Clock)),
            ("How much do I like it?", None),
            ("When is it?", None),
            ("", None),
        ] {
            assert_eq!(Expected::of(question), expected, "{question}");
        }
    }

    #[test]
    fn a_text_has_what_is_expected_in_any_of_its_forms() {
        for (expected, text) in [
            (Expected::Amount, "It was free"),
            (Expected::Amount, "I paid a hundred"),
            (Expected::Age, "Born in spring"),
            (Expected::Colour, "The door is reddish"),
            (Expected::Clock, "It starts at noon"),
            (Expected::Identifier, "Listens on 8443"),
        ] {
            assert!(expected.is_in(text), "{text}");
        }
        for (expected, text) in [
            (Expected::Amount, "We bought the caravan from Jo"),
            (Expected::Age, "The tortoise is called Blitz"),
            (Expected::Colour, "The door was painted"),
            (Expected::Clock, "The lesson is with Kim"),
            (Expected::Identifier, "The API listens"),
        ] {
            assert!(!expected.is_in(text), "{text}");
        }
    }
}
