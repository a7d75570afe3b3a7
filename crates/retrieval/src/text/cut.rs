//! The beginning of a text that is too long.

/// The beginning of a text, at most `bytes_max` long, cut between characters.
///
/// ```
/// use retrieval::text::cut;
///
/// assert_eq!(cut("añb", 2), "a");
/// assert_eq!(cut("añb", 4), "añb");
/// ```
pub fn cut(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or_default()
}

/// A text that is marked with `…` where it is cut, after `chars_max` characters.
///
/// ```
/// use retrieval::text::shorten;
///
/// assert_eq!(shorten("añb", 2), "añ…");
/// assert_eq!(shorten("añb", 3), "añb");
/// ```
pub fn shorten(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", cut(text, end)),
        None => text.to_owned(),
    }
}
