//! API keys that are never printed.

/// Shown in place of a key.
const HIDDEN: &str = "[key]";
/// Most characters of a key.
const CHARS_MAX: usize = 4096;
/// A partly masked key is recognised by this many characters at its start.
const TELLING_CHARS: usize = 4;

/// The key of a service. It is sent in one request header and occurs nowhere else: not in logs,
/// errors or files.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Parses the content of a variable or a file, ignoring surrounding white space; `None` if it
    /// is empty or not valid in a header.
    ///
    /// ```
    /// use models::secret::Secret;
    /// assert_eq!(format!("{:?}", Secret::parse(" sk-123\n")), "Some([key])");
    /// assert!(Secret::parse("two\nlines").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty()
            && text.len() <= CHARS_MAX
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The key itself, for the header.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether it cannot be a word that a text holds by chance, as the `ollama` and `none` are that
    /// people set where a service wants none.
    pub(crate) fn is_long(&self) -> bool {
        const LONG: usize = 16;
        self.0.len() >= LONG
    }

    /// The text with the key masked. Services repeat a rejected key, some with asterisks in its
    /// middle.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        let text = text.replace(&self.0, HIDDEN);
        let Some(beginning) = self.0.get(..TELLING_CHARS) else { return text };
        let is_masked = |word: &str| word.contains(beginning) && word.contains("**");
        text.split(' ')
            .map(|word| if is_masked(word) { HIDDEN } else { word })
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_masked_everywhere_even_if_partly_masked_already() {
        let key = Secret::parse("sk-abcdef123").unwrap();
        assert_eq!(key.hide_in("Incorrect key: sk-abcdef123."), "Incorrect key: [key].");
        assert_eq!(key.hide_in("Incorrect key: sk-a*****123. Look"), "Incorrect key: [key] Look");
        assert_eq!(key.hide_in("no key at all"), "no key at all");
        assert_eq!(Secret::parse("ab").unwrap().hide_in("ab c"), "[key] c");
    }

    #[test]
    fn text_that_is_invalid_in_a_header_is_not_a_key() {
        for text in ["", "  ", "a b", "schlüssel", "a\nb", &"k".repeat(CHARS_MAX + 1)] {
            assert!(Secret::parse(text).is_none(), "{text:?}");
        }
    }
}
