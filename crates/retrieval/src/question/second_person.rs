//! Whether a question asks what the program said to which it is put: "What did you recommend?".
//! English only.

use crate::text::words::cut_at_apostrophe;

/// Verbs of saying and making: as they follow "did you", and in the past.
#[rustfmt::skip]
static SAID: &[(&str, &str)] = &[
    ("advise", "advised"), ("answer", "answered"), ("compute", "computed"), ("describe", "described"),
    ("draft", "drafted"), ("explain", "explained"), ("generate", "generated"), ("give", "gave"), ("list", "listed"),
    ("mention", "mentioned"), ("name", "named"), ("outline", "outlined"), ("propose", "proposed"),
    ("provide", "provided"), ("recommend", "recommended"), ("reply", "replied"), ("say", "said"), ("show", "showed"),
    ("suggest", "suggested"), ("tell", "told"), ("write", "wrote"),
];

/// Words between "you" and the verb.
const BETWEEN: [&str; 7] = ["also", "already", "just", "had", "have", "previously", "once"];

/// `words` are the question's, in lower case.
pub(super) fn asks_of_program(words: &[String]) -> bool {
    let word = |position: usize| words.get(position).map_or("", String::as_str);
    (0..words.len()).filter(|position| cut_at_apostrophe(word(*position)) == "you").any(|you| {
        let before = you.checked_sub(1).map_or("", word);
        let verb = word(you + 1 + usize::from(BETWEEN.contains(&word(you + 1))));
        SAID.iter().any(|(base, past)| verb == *past || before == "did" && verb == *base)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_said_is_told_from_what_it_is_to_say() {
        let asks = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_lowercase).collect();
            asks_of_program(&words)
        };
        for text in [
            "What did you recommend for the kiln",
            "Which of the films you suggested are long",
            "the steps you previously outlined",
            "What you've told me about glazes",
            "How did you also describe it",
        ] {
            assert!(asks(text), "{text}");
        }
        for text in [
            "What do you recommend",
            "Can you tell me what I said",
            "Would you suggest a film",
            "Did you know that she recommended it",
            "you",
            "",
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
