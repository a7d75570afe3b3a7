//! Standing instructions and preferences: sentences that say how to answer later questions,
//! whatever words these use ("Always answer in metric units", "I prefer short examples").
//!
//! English, and the most common openings in German, French and Spanish.

use unicode_segmentation::UnicodeSegmentation;

/// Whether a text says how later questions are to be answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It does not.
    #[default]
    None,
    /// It states a preference.
    Preference,
    /// It gives an instruction.
    Instruction,
}

/// Most sentences of a text that are read.
const SENTENCES_MAX: usize = 64;
/// Longest sentence that is read to its end, bytes.
const SENTENCE_BYTES_MAX: usize = 1_024;

/// Words before an instruction that change nothing.
const FILLERS: [&str; 16] = [
    "and",
    "also",
    "but",
    "hey",
    "hi",
    "ok",
    "okay",
    "oh",
    "please",
    "so",
    "then",
    "well",
    "bitte",
    "por favor",
    "s'il te plaît",
    "s'il vous plaît",
];

/// How a sentence that is an instruction begins.
const OPENINGS: [&str; 34] = [
    "always ",
    "never ",
    "from now on",
    "from here on",
    "from this point on",
    "going forward",
    "in future",
    "in the future, ",
    "whenever i ",
    "every time i ",
    "each time i ",
    "any time i ask",
    "anytime i ask",
    "when i ask ",
    "if i ask ",
    "make sure to always ",
    "make sure you always ",
    "be sure to always ",
    "remember to always ",
    "you should always ",
    "you must always ",
    "you should never ",
    "don't ever ",
    "do not ever ",
    "i want you to always ",
    "i want you to never ",
    "i'd like you to always ",
    "i need you to always ",
    "ab jetzt ",
    "in zukunft ",
    "à partir de maintenant",
    "désormais",
    "a partir de ahora",
    "de ahora en adelante",
];

/// What makes a sentence an instruction wherever it stands.
const ANYWHERE: [&str; 12] = [
    " from now on",
    " when i ask ",
    " whenever i ask ",
    " every time i ask ",
    " if i ask ",
    " in all your answers",
    " in all your responses",
    " in every answer",
    " in every response",
    " in your answers",
    " in your responses",
    " unless i say otherwise",
];

/// What states a preference.
const PREFERENCES: [&str; 12] = [
    "i prefer ",
    "i'd prefer ",
    "i would prefer ",
    "i always prefer ",
    "i strongly prefer ",
    "i generally prefer ",
    "i usually prefer ",
    "i'd rather ",
    "i would rather ",
    "my preference ",
    "ich bevorzuge ",
    "je préfère ",
];

/// Words of instructions that are about answers.
const ANSWERING: [&str; 24] = [
    "address me",
    "answer",
    "call me ",
    "emoji",
    "reply",
    "respond",
    "response",
    "speak to me",
    "talk to me",
    "write to me",
    "write me",
    "your english",
    "your german",
    "antworte",
    "auf deutsch",
    "auf englisch",
    "schreib mir",
    "duze mich",
    "réponds",
    "répondez",
    "tutoie",
    "responde",
    "contesta",
    "respóndeme",
];

/// Words by which an instruction is for some questions only.
const CONDITIONS: [&str; 15] = [
    " about ",
    " any time ",
    " anytime ",
    " each time ",
    " every time ",
    " for ",
    " if ",
    " on ",
    " regarding ",
    " when ",
    " whenever ",
    " wenn ",
    " falls ",
    " quand ",
    " cuando ",
];

/// What a text says about later answers.
///
/// ```
/// use retrieval::text::standing::{Standing, standing};
///
/// assert_eq!(standing("Thanks! From now on, answer in French."), Standing::Instruction);
/// assert_eq!(standing("Can you help? I prefer short examples."), Standing::Preference);
/// assert_eq!(standing("He always answers in French."), Standing::None);
/// ```
pub fn standing(text: &str) -> Standing {
    let lines = text.lines().flat_map(UnicodeSegmentation::unicode_sentences);
    lines.take(SENTENCES_MAX).map(of_sentence).max().unwrap_or_default()
}

/// Whether a text gives an instruction for every answer, whatever it is about.
///
/// ```
/// use retrieval::text::standing::is_general;
///
/// assert!(is_general("Please always answer me in short bullet points."));
/// assert!(!is_general("Always answer in metric units when I ask about cooking."));
/// assert!(!is_general("Always lock the door."));
/// ```
pub fn is_general(text: &str) -> bool {
    let mut sentences =
        text.lines().flat_map(UnicodeSegmentation::unicode_sentences).take(SENTENCES_MAX);
    sentences.any(|sentence| {
        let lower = sentence.to_lowercase().replace('’', "'");
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        of_sentence(sentence) == Standing::Instruction && has(&ANSWERING) && !has(&CONDITIONS)
    })
}

fn of_sentence(sentence: &str) -> Standing {
    let end = sentence.floor_char_boundary(SENTENCE_BYTES_MAX);
    let lower = sentence.get(..end).unwrap_or_default().to_lowercase().replace('’', "'");
    let mut opening = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    while let Some(rest) = FILLERS.iter().find_map(|filler| {
        let rest = opening.strip_prefix(filler)?;
        rest.starts_with([' ', ',', '!']).then(|| rest.trim_start_matches([' ', ',', '!']))
    }) {
        opening = rest;
    }
    // A question asks for something once.
    let is_question = lower.trim_end().ends_with('?');
    let is_instruction = OPENINGS.iter().any(|known| opening.starts_with(known))
        || ANYWHERE.iter().any(|known| lower.contains(known));
    if is_instruction && !is_question {
        return Standing::Instruction;
    }
    match PREFERENCES.iter().any(|known| lower.contains(known)) {
        true => Standing::Preference,
        false => Standing::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_and_preferences_are_told_from_statements_and_requests() {
        for (text, expected) in [
            ("Always include version numbers when I ask about libraries.", Standing::Instruction),
            ("ok, please never use tables", Standing::Instruction),
            ("From now on call me Ada.", Standing::Instruction),
            ("Use British spelling in your answers.", Standing::Instruction),
            ("Thanks!\n\nWhenever I paste a log, summarise it first.", Standing::Instruction),
            ("Ab jetzt bitte auf Deutsch.", Standing::Instruction),
            ("I’d rather walk than drive", Standing::Preference),
            ("I'm new here and I prefer simple tools, can you help?", Standing::Preference),
            ("I never eat meat", Standing::None),
            ("Never mind?", Standing::None),
            ("She always sings", Standing::None),
            ("What should I do from now on?", Standing::None),
            ("", Standing::None),
        ] {
            assert_eq!(standing(text), expected, "{text}");
        }
    }
}
