//! Placeholders in chat exports, which nobody wrote.
//!
//! A picture that was not exported, a message that was deleted, the notice that the chat is
//! encrypted: nobody searches for them, and as records they would separate a question from its
//! answer. Only whole messages are dropped, by WhatsApp's wording in a few languages; other
//! messages stay.

/// Whole messages that only stand for something missing.
const PLACEHOLDERS: [&str; 24] = [
    "<media omitted>",
    "<media weggelassen>",
    "<medien ausgeschlossen>",
    "<médias omis>",
    "<multimedia omitido>",
    "<mídia oculta>",
    "<media omessi>",
    "<media weggelaten>",
    "image omitted",
    "video omitted",
    "audio omitted",
    "sticker omitted",
    "gif omitted",
    "document omitted",
    "contact card omitted",
    "video note omitted",
    "bild weggelassen",
    "video weggelassen",
    "audio weggelassen",
    "this message was deleted",
    "you deleted this message",
    "diese nachricht wurde gelöscht",
    "du hast diese nachricht gelöscht",
    "null",
];

/// Beginnings of the notice that every exported chat begins with.
const ENCRYPTED: [&str; 3] = [
    "messages and calls are end-to-end encrypted",
    "messages to this chat and calls are now secured with end-to-end encryption",
    "nachrichten und anrufe sind ende-zu-ende-verschlüsselt",
];

/// Calls, which the chat lists among its messages: `Missed voice call`, `Video call, 4 min`.
const CALLS: [&str; 8] = [
    "voice call",
    "video call",
    "group voice call",
    "group video call",
    "sprachanruf",
    "videoanruf",
    "gruppen-sprachanruf",
    "gruppen-videoanruf",
];
/// What precedes a call that nobody took, or that was another's.
const MISSED: [&str; 5] = ["missed ", "silenced ", "verpasster ", "declined ", "unanswered "];
/// What follows a call, after a comma or a mark: how long it was, or why it was none.
const ENDINGS: [&str; 8] = [
    "no answer",
    "tap to call back",
    "click to call back",
    "keine antwort",
    "tippe, um zurückzurufen",
    "answered on other device",
    "declined",
    "cancelled",
];
/// Units of how long a call was.
const UNITS: [&str; 13] = [
    "h", "hr", "hrs", "hour", "hours", "min", "mins", "minute", "minutes", "s", "sec", "secs",
    "seconds",
];

/// The mark of a message that was changed after it was sent.
const EDITED: [&str; 2] = ["<This message was edited>", "<Diese Nachricht wurde bearbeitet.>"];

/// The text without what WhatsApp marks its own words by: a character without width.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{200e}')
}

/// Whether it is the notice that every exported chat begins with.
pub(super) fn is_first_notice(text: &str) -> bool {
    let lower = bare(text).to_lowercase();
    ENCRYPTED.iter().any(|notice| lower.starts_with(notice))
}

/// Whether the whole text, in lower case, is a call of the list.
fn is_call(lower: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() || "\u{200e},.·•".contains(c);
    let taken = MISSED.iter().find_map(|missed| lower.strip_prefix(missed)).unwrap_or(lower);
    CALLS.iter().any(|call| {
        let Some(rest) = taken.strip_prefix(call) else { return false };
        let is_apart = rest.starts_with(is_mark);
        let rest = rest.trim_matches(is_mark);
        let is_apart = is_apart && (ENDINGS.contains(&rest) || is_duration(rest));
        rest.is_empty() || is_apart
    })
}

/// `4 min`, `1 hr 2 min`, `12 sec`.
fn is_duration(text: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = text.split_whitespace();
    let mut pairs = 0;
    while let Some(number) = words.next() {
        let is_unit = words.next().is_some_and(|unit| UNITS.contains(&unit));
        if !is_number(number) || !is_unit {
            return false;
        }
        pairs += 1;
    }
    pairs > 0
}

/// The text without placeholders: empty if it was one.
pub(super) fn without(text: &str) -> String {
    let bare = bare(text);
    let lower = bare.trim_end_matches('.').to_lowercase();
    if PLACEHOLDERS.contains(&lower.as_str()) || is_call(&lower) || is_first_notice(text) {
        return String::new();
    }
    match EDITED.iter().find_map(|mark| bare.strip_suffix(mark)) {
        Some(said) => {
            said.trim_end_matches(|c: char| c.is_whitespace() || c == '\u{200e}').to_owned()
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_placeholders_and_words_about_them_are_not() {
        for text in [
            "Missed voice call",
            "Missed group voice call",
            "Missed video call.",
            "Voice call, 4 min",
            "Video call, \u{200e}1 hr 2 min",
            "Voice call. \u{200e}No answer",
            "Missed voice call, \u{200e}Tap to call back",
            "Verpasster Sprachanruf",
        ] {
            assert_eq!(without(text), "", "{text}");
        }
        for text in [
            "Missed voice calls all day",
            "Voice call, shall we?",
            "Voice call, 4 people",
            "Missed the video call",
            "Voice call at 18:05",
        ] {
            assert_eq!(without(text), text);
        }
    }

    #[test]
    fn only_whole_messages_are_placeholders() {
        for text in [
            "<Media omitted>",
            "\u{200e}image omitted",
            "This message was deleted.",
            "<Medien ausgeschlossen>",
        ] {
            assert_eq!(without(text), "", "{text}");
        }
        assert_eq!(without("Messages and calls are end-to-end encrypted. Learn more."), "");
        assert_eq!(without("Seven \u{200e}<This message was edited>"), "Seven");
        for text in ["They wrote image omitted again", "  two\nlines ", "deleted"] {
            assert_eq!(without(text), text);
        }
    }
}
