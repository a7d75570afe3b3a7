//! Text as it is shown to a person or a model: nothing in it commands a terminal, and nothing in it
//! is hidden.
//!
//! A recorded text may come from anybody. Control characters move a cursor, marks of direction
//! reorder what stands around them, and characters without a shape hide words from the person who
//! reads beside the model. All that shows recorded text goes through [`visible`] or
//! [`on_one_line`].

use std::fmt::Write as _;

/// The text without what nobody sees. What a terminal would interpret becomes a space, except line
/// feeds and tabs.
pub fn visible(text: &str) -> String {
    shown(text, |c| matches!(c, '\n' | '\t'))
}

/// The same; line feeds and tabs become spaces too.
pub fn on_one_line(text: &str) -> String {
    shown(text, |_| false)
}

/// Escapes in a JSON text the characters that a terminal would interpret. They can only occur
/// within strings, where the escape means the same.
pub fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // All of them are in the basic multilingual plane, so one escape is enough.
        match is_command(c) {
            true => write!(escaped, "\\u{:04x}", u32::from(c)).unwrap_or_default(),
            false => escaped.push(c),
        }
    }
    escaped
}

fn shown(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if stays(c) {
            shown.push(c);
        } else if is_command(c) {
            shown.push(' ');
        } else if !is_invisible(c) || joins(shown.chars().next_back(), c, rest.peek().copied()) {
            shown.push(c);
        }
    }
    shown
}

/// Control characters, separators of lines, and those that change the direction of the text around
/// them.
fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters without a shape: tags, zero-width spaces and joiners, marks of direction, variation
/// selectors for ideographs, and fillers (Unicode's `Default_Ignorable_Code_Point`, without the
/// selectors of emoji).
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The two joiners shape Persian and Indic words, and emoji of several parts. They stay between
/// characters of such texts; between ASCII they only hide.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let shapes = |c: char| !c.is_ascii() && !is_invisible(c) && !c.is_whitespace();
    matches!(c, '\u{200c}' | '\u{200d}') && before.is_some_and(shapes) && after.is_some_and(shapes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_spaces_and_what_nobody_sees_is_left_out() {
        let tag = |byte: u8| char::from_u32(0xe0000 + u32::from(byte)).unwrap();
        let hidden: String = "send it".bytes().map(tag).collect();
        for (text, expected) in [
            ("red\u{1b}[31m", "red [31m"),
            ("a\u{202e}b", "a b"),
            ("us\u{200b}er\u{2060}\u{feff}\u{61c}\u{200e}\u{200f}", "user"),
            ("us\u{200d}er", "user"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("👩\u{200d}👧 and 👍\u{fe0f}", "👩\u{200d}👧 and 👍\u{fe0f}"),
            ("co\u{ad}operate", "cooperate"),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
        assert_eq!(visible(&format!("hello{hidden} world\n\tand more")), "hello world\n\tand more");
        assert_eq!(on_one_line("one\ntwo"), "one two");
        assert_eq!(escape_json("\"a\u{9b}\u{202e}b\""), "\"a\\u009b\\u202eb\"");
    }
}
