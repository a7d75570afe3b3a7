//! Identity keys: what makes two records versions of the same thing.
//!
//! A deriver builds the keys of its own claims. What people and models state in words is identified
//! by its text, and an edge by its type and its ends. Both forms are fixed by `docs/format.md`, so
//! that every program finds the same record again; vectors are in `identities.json`.

use unicode_normalization::UnicodeNormalization;

use crate::body::EdgeType;
use crate::id::OpId;

/// How much of the hash of a text is in its key, hexadecimal digits.
const TEXT_DIGITS: usize = 16;

/// The form in which texts are compared: NFKC, without white space at the ends, other white space
/// as one space, lower case. Punctuation counts.
///
/// ```
/// assert_eq!(kernel::identity::normalized_text("  The glaze\tis TENMOKU. "), "the glaze is tenmoku.");
/// ```
pub fn normalized_text(text: &str) -> String {
    let text: String = text.nfkc().collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The identity of a claim or node that is stated in words: `text|<type>|<16 digits>`.
pub fn text_key(record_type: &str, text: &str) -> String {
    let hash = blake3::hash(normalized_text(text).as_bytes()).to_hex();
    let digits: String = hash.chars().take(TEXT_DIGITS).collect();
    format!("{}{digits}", text_key_prefix(record_type))
}

/// What the identities of all texts begin with.
pub const TEXT_KEY: &str = "text|";

/// What the identities of all texts of a type begin with.
pub fn text_key_prefix(record_type: &str) -> String {
    format!("{TEXT_KEY}{record_type}|")
}

/// The identity of an edge: `edge|<type>|<from>|<to>`.
pub fn edge_key(edge_type: EdgeType, from: &OpId, to: &OpId) -> String {
    format!("edge|{}|{from}|{to}", edge_type.as_str())
}

/// The type of the edges with this key.
pub(crate) fn edge_type_of(key: &str) -> Option<EdgeType> {
    key.strip_prefix("edge|")?.split('|').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_again_whatever_its_case_and_spacing_but_not_with_another_full_stop() {
        let key = text_key("fact", "The glaze is tenmoku.");
        for same in
            ["the  glaze is TENMOKU.", "\tThe glaze\u{a0}is tenmoku.\n", "Ｔhe glaze is tenmoku."]
        {
            assert_eq!(text_key("fact", same), key, "{same:?}");
        }
        for other in ["The glaze is tenmoku", "The glaze is celadon.", "Theglaze is tenmoku."] {
            assert_ne!(text_key("fact", other), key, "{other:?}");
        }
        assert_ne!(text_key("goal", "The glaze is tenmoku."), key);
        assert!(key.starts_with("text|fact|") && key.len() == "text|fact|".len() + TEXT_DIGITS);
    }

    #[test]
    fn an_edge_is_its_type_and_its_ends_in_their_order() {
        let (one, other) = (OpId([1; 32]), OpId([2; 32]));
        let key = edge_key(EdgeType::SameAs, &one, &other);
        assert_eq!(key, format!("edge|same_as|{one}|{other}"));
        assert_ne!(edge_key(EdgeType::SameAs, &other, &one), key);
        assert_ne!(edge_key(EdgeType::Supersedes, &one, &other), key);
    }
}
