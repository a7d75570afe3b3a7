//! When a prompt is kept as a thought.
//!
//! A prompt is a contribution if it states something: it is longer than a remark, is not a lone
//! question, and does not talk about the conversation. What names the thoughts that it builds on is
//! always kept.

/// A contribution has more characters than this.
pub const REMARK_CHARS: usize = 50;

/// How prompts begin that are about the conversation itself.
const ABOUT_THE_CONVERSATION: [&str; 5] =
    ["based on", "you said", "you told me", "regarding your", "about your response"];

/// Whether a prompt is due to be kept though it builds on no named thought.
///
/// ```
/// use engine::thought::contribution::is_due;
///
/// assert!(is_due("The kiln reaches cone six in nine hours if the lid is closed."));
/// assert!(!is_due("Why does Node.js keep the event loop alive after the last timer?"));
/// ```
pub fn is_due(prompt: &str) -> bool {
    let prompt = prompt.trim_end();
    prompt.chars().nth(REMARK_CHARS).is_some()
        && !is_lone_question(prompt)
        && !is_about_the_conversation(prompt)
}

/// Whether a prompt is one question and nothing else. "?!" ends a question, too. A point inside a
/// token, as in `Node.js`, ends no sentence.
fn is_lone_question(prompt: &str) -> bool {
    let body = prompt.trim_end_matches(is_sentence_end);
    let end = &prompt[body.len()..];
    if !end.contains(['?', '？']) {
        return false;
    }
    let mut characters = body.trim_start().chars().peekable();
    while let Some(character) = characters.next() {
        let ends = match character {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                characters.peek().is_none_or(|next| next.is_whitespace() || is_quote(*next))
            }
            _ => false,
        };
        if ends {
            return false;
        }
    }
    true
}

fn is_sentence_end(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '。' | '！' | '？' | '…') || is_quote(character)
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\'' | ')' | ']' | '”' | '’' | '»')
}

fn is_about_the_conversation(prompt: &str) -> bool {
    let start: String = prompt.trim_start().chars().take(32).collect::<String>().to_lowercase();
    ABOUT_THE_CONVERSATION.iter().any(|beginning| start.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_kept_from_the_fifty_first_character_on() {
        assert!(!is_due(&"a".repeat(50)));
        assert!(is_due(&"a".repeat(51)));
        assert!(!is_due(&format!("{}   \n", "a".repeat(50))), "trailing blanks do not count");
        assert!(is_due(&"é".repeat(51)) && !is_due(&"é".repeat(50)), "characters, not bytes");
    }

    #[test]
    fn a_lone_question_is_not_kept_and_a_question_after_a_statement_is() {
        for lone in [
            "Why does Node.js keep the event loop alive after the very last timer?",
            "Is it true that version 1.2 of the compiler is slower than version 1.1?!",
            "Wie lange dauert der Brand im Ofen, wenn der Deckel offen bleibt und es regnet？",
            "Did she really say \"we ship on every single Friday from now on\"?",
        ] {
            assert!(!is_due(lone), "{lone}");
        }
        for kept in [
            "The build takes an hour. Should we split the workspace into two?",
            "Why is the build so slow? Is it the linker or is it the proc macros?",
            "Builds are slow! Why does the linker take so much of the whole time?",
        ] {
            assert!(is_due(kept), "{kept}");
        }
    }

    #[test]
    fn what_is_about_the_conversation_is_not_kept() {
        for start in
            ["Based on", "YOU SAID", "you told me", "Regarding your", "About your response"]
        {
            let prompt =
                format!("{start} something that is long enough to be a contribution of its own.");
            assert!(!is_due(&prompt), "{prompt}");
        }
        assert!(is_due("A decision based on measurements is better than one based on opinions."));
    }
}
