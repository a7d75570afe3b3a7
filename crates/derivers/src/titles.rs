//! Titles over words that their author does not state of themselves: fiction, lyrics, messages of
//! others, examples. English only.

/// Words that say so wherever they stand in a title.
#[rustfmt::skip]
const ANYWHERE: [&str; 16] = [
    "answers", "excerpt", "excerpts", "faq", "fiction", "lyrics", "monologue", "persona", "personas", "poem", "poems",
    "questionnaire", "quotations", "quotes", "says", "screenplay",
];
/// Words that say so at its end: "The drowned bell, a story".
#[rustfmt::skip]
const LAST: [&str; 13] = [
    "dream", "dreams", "example", "examples", "interview", "novel", "scene", "song", "songs", "story", "stories",
    "survey", "template",
];
/// Words that say so at its beginning: "Chapter one".
const FIRST: [&str; 6] = ["chapter", "example", "examples", "scene", "song", "songs"];
/// What somebody sends: "Letter from Clara".
const SENT: [&str; 7] = ["email", "fax", "letter", "letters", "mail", "message", "postcard"];

/// Whether the words below a title are not its author's own.
pub(crate) fn is_over_words_of_others(title: &str) -> bool {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let is_sent = |at: usize| {
        SENT.contains(&word(at)) && word(at + 1) == "from" && !matches!(word(at + 2), "" | "me")
    };
    let is_interview = word(0) == "interview" && matches!(word(1), "of" | "with");
    let last = words.len().saturating_sub(1);
    words.iter().any(|word| ANYWHERE.contains(word))
        || LAST.contains(&word(last)) && !words.contains(&"my")
        || FIRST.contains(&word(0))
        || is_interview
        || (0..words.len()).any(is_sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_fiction_and_messages_are_told_from_those_of_notes() {
        for title in [
            "Letter from Clara",
            "## E-mail from Peter",
            "Chapter one",
            "Songs for the choir",
            "Office survey, possible answers",
            "Things Mia says",
            "The drowned bell: a short story",
            "Interview with a keeper",
            "FAQ",
        ] {
            assert!(is_over_words_of_others(title), "{title}");
        }
        for title in [
            "",
            "2026-11-17",
            "My story",
            "Letters",
            "Letter from me",
            "Interview at the museum",
            "Story points",
            "Dream job",
            "Notes from the garden",
            "Survey of suppliers",
        ] {
            assert!(!is_over_words_of_others(title), "{title}");
        }
    }
}
