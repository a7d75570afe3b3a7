//! A key that is shown to nobody.

/// Shown in place of a key.
const HIDDEN: &str = "[key]";
/// Most characters of a key.
const CHARS_MAX: usize = 4096;
/// So many characters at its beginning betray a key that somebody else has masked only in part.
const TELLING_CHARS: usize = 4;

/// The key of a service. It goes into one header of a request and nowhere else: not into logs,
/// errors or files.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A key as it stands in a variable or a file, with or without white space around it; none if
    /// there is nothing, or something that no header can carry.
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

    /// The text without the key. Services repeat a refused key, some with stars in its middle.
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
    fn a_key_is_hidden_wherever_it_stands_and_also_when_half_masked() {
        let key = Secret::parse("sk-abcdef123").unwrap();
        assert_eq!(key.hide_in("Incorrect key: sk-abcdef123."), "Incorrect key: [key].");
        assert_eq!(key.hide_in("Incorrect key: sk-a*****123. Look"), "Incorrect key: [key] Look");
        assert_eq!(key.hide_in("no key at all"), "no key at all");
        assert_eq!(Secret::parse("ab").unwrap().hide_in("ab c"), "[key] c");
    }

    #[test]
    fn what_no_header_can_carry_is_no_key() {
        for text in ["", "  ", "a b", "schlüssel", "a\nb", &"k".repeat(CHARS_MAX + 1)] {
            assert!(Secret::parse(text).is_none(), "{text:?}");
        }
    }
}
