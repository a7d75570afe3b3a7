//! Titles over words that their author does not state of themselves: fiction, lyrics, messages of
//! others, examples. English only.

/// Words that say so wherever they stand in a title.
#[rustfmt::skip]
const ANYWHERE: [&str; 21] = [
    "answers", "excerpt", "excerpts", "faq", "fiction", "flashcards", "lyrics", "monologue", "persona", "personas", "poem",
    "poems", "questionnaire", "quotations", "quotes", "says", "screenplay", "templates", "testimonial", "testimonials",
    "vocabulary",
];
/// Words that say so at its end: "The drowned bell, a story".
#[rustfmt::skip]
const LAST: [&str; 14] = [
    "dream", "dreams", "example", "examples", "interview", "novel", "reviews", "scene", "song", "songs", "story", "stories",
    "survey", "template",
];
/// Words that say so at its beginning: "Chapter one".
const FIRST: [&str; 7] =
    ["chapter", "example", "examples", "participant", "scene", "song", "songs"];
/// Beginnings of titles of what books say, and of what was so once.
const BEGINNINGS: [[&str; 2]; 2] = [["book", "notes"], ["letter", "to"]];
/// Folders of such texts.
#[rustfmt::skip]
const FOLDERS: [&str; 13] = [
    "fiction", "interviews", "lyrics", "novel", "novels", "poems", "prompts", "reviews", "screenplay", "short-stories",
    "stories", "templates", "testimonials",
];
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
    let is_number = word(1).chars().any(|letter| letter.is_ascii_digit()) && word(2).is_empty();
    let is_interview = word(0) == "interview" && (matches!(word(1), "of" | "with") || is_number);
    let last = words.len().saturating_sub(1);
    words.iter().any(|word| ANYWHERE.contains(word))
        || LAST.contains(&word(last)) && !words.contains(&"my")
        || FIRST.contains(&word(0))
        || is_interview
        || BEGINNINGS.contains(&[word(0), word(1)])
        || (0..words.len()).any(is_sent)
}

/// Whether a file lies in a folder of words that are not its author's own: `stories/ch1.md`.
pub(crate) fn is_file_of_others(path: &str) -> bool {
    let folders = path.rsplit_once(['/', '\\']).map_or("", |(folders, _)| folders);
    folders.split(['/', '\\']).any(|folder| FOLDERS.contains(&folder.to_lowercase().as_str()))
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
            "Product reviews",
            "Testimonials",
            "Interview P7",
            "Participant 7",
            "Email templates",
            "Book notes: The Gift",
            "Letter to myself at 20",
            "Spanish vocabulary",
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
            "Weekly review",
            "My reviews",
            "Interview tomorrow",
        ] {
            assert!(!is_over_words_of_others(title), "{title}");
        }
        assert!(is_file_of_others("notes/Stories/ch1.md"));
        assert!(!is_file_of_others("stories.md") && !is_file_of_others("notes/my stories/x.md"));
    }
}
