//! The texts of a request, which leave this machine: without secrets.

use std::borrow::Cow;

/// Replaces the secrets in a text. The crate that recognises secrets is not below this one, so
/// callers pass it.
pub type Mask = fn(&str) -> Cow<'_, str>;

/// A text as a service gets it. It can only be made by masking, and nothing else is put into a
/// request.
///
/// ```
/// use models::OutgoingText;
/// let mask = |text: &str| text.replace("tulip77bridge", "[masked]").into();
/// let text = OutgoingText::new(mask, "query: ", "the code is tulip77bridge", 100);
/// assert_eq!(text.as_str(), "query: the code is [masked]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct OutgoingText(String);

impl OutgoingText {
    /// Masks a text, puts `prefix` before it and truncates both to `bytes_max`. Truncating comes
    /// last, because of half a secret no rule knows that it is one.
    pub fn new(mask: Mask, prefix: &str, text: &str, bytes_max: usize) -> Self {
        let masked = mask(text);
        let room = bytes_max.saturating_sub(prefix.len());
        let end = masked.floor_char_boundary(room);
        Self([prefix, masked.get(..end).unwrap_or_default()].concat())
    }

    /// Its length, in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(text: &str) -> Cow<'_, str> {
        text.replace("tulip77bridge", "[masked]").into()
    }

    #[test]
    fn a_text_is_masked_before_it_is_truncated() {
        let made = |bytes_max| OutgoingText::new(mask, "query: ", "a tulip77bridge é", bytes_max).0;
        assert_eq!(made(100), "query: a [masked] é");
        assert_eq!(made(12), "query: a [ma");
        assert_eq!(made(19), "query: a [masked] ", "between two characters");
        assert_eq!(made(3), "query: ");
    }
}
