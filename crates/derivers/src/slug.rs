//! Slugs: the form of a title, label or name in an identity key.
//!
//! Source: the derivation specification, "Built-in derivers and their identity keys". Two
//! implementations must agree byte for byte, or a claim that a user refuted on one returns on the
//! other.

use unicode_normalization::UnicodeNormalization;

/// Longest slug, bytes: longer ones are truncated at a character boundary, so that keys stay within
/// their limit.
pub const SLUG_BYTES_MAX: usize = 200;

/// Unicode NFKC, lower case, each run of characters that are not letters or digits becomes one `-`,
/// trimmed.
///
/// ```
/// assert_eq!(derivers::slug::slug("  Café №5 / Gym! "), "café-no5-gym");
/// ```
pub fn slug(text: &str) -> String {
    // Most names are ASCII, which NFKC leaves as it is.
    match text.is_ascii() {
        true => joined(text.chars().map(|letter| letter.to_ascii_lowercase())),
        false => joined(text.nfkc().flat_map(char::to_lowercase)),
    }
}

fn joined(characters: impl Iterator<Item = char>) -> String {
    let mut slug = String::new();
    let mut gap = false;
    for character in characters {
        if !character.is_alphanumeric() {
            gap = true;
            continue;
        }
        let gap_bytes = usize::from(gap && !slug.is_empty());
        if slug.len() + gap_bytes + character.len_utf8() > SLUG_BYTES_MAX {
            break;
        }
        if gap_bytes == 1 {
            slug.push('-');
        }
        gap = false;
        slug.push(character);
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slugs_contain_only_letters_digits_and_hyphens() {
        for (text, expect) in [
            ("Gym", "gym"),
            ("Yoga -- with Ana", "yoga-with-ana"),
            ("…", ""),
            ("ﬁsh & ＡＢＣ", "fish-abc"),
            ("Straße 3", "straße-3"),
            ("早上 跑步", "早上-跑步"),
        ] {
            assert_eq!(slug(text), expect);
        }
    }
}
