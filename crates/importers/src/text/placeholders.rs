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

/// The text without placeholders: empty if it was one.
pub(super) fn without(text: &str) -> String {
    let bare = bare(text);
    let lower = bare.trim_end_matches('.').to_lowercase();
    if PLACEHOLDERS.contains(&lower.as_str()) || is_first_notice(text) {
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
