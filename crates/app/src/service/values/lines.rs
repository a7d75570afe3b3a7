//! Reading values without a language model: which lines state a preference or a goal.
//!
//! People write values as lists, under headings or without. An item of a list is a preference
//! unless it, or the heading above it, speaks of goals. Any other line counts only if its words
//! state a preference or a goal.

use std::collections::BTreeSet;

use kernel::body::TextClaimType;
use kernel::identity::text_key;
use retrieval::text::standing::{InstructionKind, standing};

/// Most lines that are taken.
pub(super) const LINES_MAX: usize = 80;
/// Longest line that is taken, bytes.
const LINE_BYTES_MAX: usize = 1_000;

/// How a line that states a goal begins.
const GOALS: [&str; 22] = [
    "my goal",
    "our goal",
    "the goal",
    "goal:",
    "my aim",
    "i aim",
    "i want to ",
    "we want to ",
    "i'd like to ",
    "i would like to ",
    "i plan to ",
    "i intend to ",
    "i hope to ",
    "i'm working towards",
    "i am working towards",
    "mein ziel",
    "ich will ",
    "ich möchte ",
    "mon objectif",
    "je veux ",
    "mi objetivo",
    "quiero ",
];

/// How a line that states a preference begins.
const PREFERENCES: [&str; 24] = [
    "always ",
    "never ",
    "prefer ",
    "avoid ",
    "do not ",
    "don't ",
    "i always ",
    "i never ",
    "i want ",
    "we want ",
    "i don't want ",
    "i do not want ",
    "i like ",
    "i love ",
    "i dislike ",
    "i don't like ",
    "i hate ",
    "i value ",
    "i care about ",
    "we prefer ",
    "we always ",
    "we never ",
    "immer ",
    "niemals ",
];

/// Words of a heading above goals.
const GOAL_HEADINGS: [&str; 6] = ["goal", "objective", "aim", "ziel", "objectif", "objetivo"];

/// A line that states something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatedLine {
    pub(super) claim_type: TextClaimType,
    pub(super) text: String,
}

/// The lines of a text that state a preference or a goal, each once; and how many more there are.
pub(super) fn stated_lines(text: &str) -> (Vec<StatedLine>, usize) {
    let (mut lines, mut keys, mut left_out) = (Vec::new(), BTreeSet::new(), 0);
    let mut is_below_goals = false;
    for line in text.lines().map(str::trim) {
        if let Some(heading) = heading(line) {
            let heading = heading.to_lowercase();
            is_below_goals = GOAL_HEADINGS.iter().any(|word| heading.contains(word));
            continue;
        }
        let item = item(line);
        let text = item.unwrap_or(line);
        let Some(claim_type) = type_of(text, item.is_some(), is_below_goals) else { continue };
        if !keys.insert(text_key(claim_type.as_str(), text)) {
            continue;
        }
        if text.len() > LINE_BYTES_MAX || lines.len() >= LINES_MAX {
            left_out += 1;
            continue;
        }
        lines.push(StatedLine { claim_type, text: text.to_owned() });
    }
    (lines, left_out)
}

/// The words of a heading: of Markdown, or a line that ends with a colon.
fn heading(line: &str) -> Option<&str> {
    line.strip_prefix('#')
        .map(|rest| rest.trim_start_matches('#'))
        .or_else(|| line.strip_suffix(':').filter(|_| item(line).is_none()))
}

/// The words of an item of a list.
fn item(line: &str) -> Option<&str> {
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = rest.len() < line.len();
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| is_number)
    };
    let bullets = ["- ", "* ", "+ ", "• ", "– "];
    let words = bullets.iter().find_map(|bullet| line.strip_prefix(bullet)).or_else(numbered)?;
    let boxes = ["[ ] ", "[x] ", "[X] "];
    let words = words.trim_start();
    Some(boxes.iter().find_map(|mark| words.strip_prefix(mark)).unwrap_or(words).trim())
}

fn type_of(text: &str, is_item: bool, is_below_goals: bool) -> Option<TextClaimType> {
    let lower = text.to_lowercase().replace('’', "'");
    let begins = |openings: &[&str]| openings.iter().any(|opening| lower.starts_with(opening));
    if text.ends_with('?') || !text.chars().any(char::is_alphabetic) {
        None
    } else if begins(&GOALS) || (is_item && is_below_goals) {
        Some(TextClaimType::Goal)
    } else if is_item || begins(&PREFERENCES) || standing(text) != InstructionKind::None {
        Some(TextClaimType::Preference)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let (lines, _) = stated_lines(text);
        lines.into_iter().map(|line| (line.claim_type.as_str().to_owned(), line.text)).collect()
    }

    fn line(claim_type: &str, text: &str) -> (String, String) {
        (claim_type.to_owned(), text.to_owned())
    }

    #[test]
    fn items_and_sentences_that_state_a_preference_or_a_goal_are_taken() {
        let text = "# What matters\n\nI run a small studio.\n- Honesty before speed\n* [x] tests first\n\
            1. small commits\nI prefer short answers.\nNever push on Fridays.\nMy goal is to ship 1.0.\n\
            Goals:\n- sell forty bowls\nWhy is that?\n- ?\nhonesty BEFORE  speed\n- honesty BEFORE  speed";
        assert_eq!(
            read(text),
            [
                line("preference", "Honesty before speed"),
                line("preference", "tests first"),
                line("preference", "small commits"),
                line("preference", "I prefer short answers."),
                line("preference", "Never push on Fridays."),
                line("goal", "My goal is to ship 1.0."),
                line("goal", "sell forty bowls"),
                line("goal", "honesty BEFORE  speed"),
            ]
        );
    }

    #[test]
    fn lines_beyond_the_limits_are_counted() {
        let many: String = (0..LINES_MAX + 5).map(|number| format!("- value {number}\n")).collect();
        let (lines, left_out) = stated_lines(&format!("- {}\n{many}", "x".repeat(2_000)));
        assert_eq!((lines.len(), left_out), (LINES_MAX, 6));
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "\n\n", "#", "- ", "1.", "：", "é:", "\u{0}", "- [ ] "] {
            assert_eq!(read(text), []);
        }
    }
}
