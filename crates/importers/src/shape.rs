//! The shape of a JSON text's beginning: which keys occur, whether or not the text is cut there.
//!
//! Importers of JSON recognise their format by it. A parser would refuse the first 64 KiB of a
//! longer text; this reader goes as far as the text does, keeps key paths but no values, and never
//! fails.

use std::collections::BTreeSet;

/// The key paths at the beginning of a JSON text, which may be cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    paths: BTreeSet<String>,
    array: bool,
    object: bool,
}

/// Deepest key path that a [`Shape`] keeps.
const SHAPE_KEYS_DEEP_MAX: usize = 3;
/// Most key paths that a [`Shape`] keeps.
const SHAPE_PATHS_MAX: usize = 512;
/// Deepest nesting that a [`Shape`] follows.
const SHAPE_DEPTH_MAX: usize = 64;

struct Frame {
    object: bool,
    key_next: bool,
    key: Option<String>,
}

impl Shape {
    /// Reads the first JSON value in `head`. Arrays add nothing to a path: the keys of an array's
    /// objects count as the array's.
    pub(crate) fn of(head: &[u8]) -> Self {
        let mut shape = Self::default();
        let mut frames: Vec<Frame> = Vec::new();
        let mut bytes = head.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                b'{' | b'[' if frames.len() >= SHAPE_DEPTH_MAX => break,
                b'{' | b'[' => {
                    let object = byte == b'{';
                    if frames.is_empty() {
                        (shape.object, shape.array) = (object, !object);
                    }
                    frames.push(Frame { object, key_next: object, key: None });
                }
                b'}' | b']' => {
                    frames.pop();
                    if frames.is_empty() {
                        break;
                    }
                }
                b'"' => {
                    let text = string_rest(&mut bytes);
                    if let (Some(frame), Some(text)) = (frames.last_mut(), text)
                        && frame.key_next
                    {
                        frame.key_next = false;
                        frame.key = Some(text);
                        shape.keep(&frames);
                    }
                }
                b',' => {
                    if let Some(frame) = frames.last_mut() {
                        frame.key_next = frame.object;
                        frame.key = None;
                    }
                }
                _ if frames.is_empty() && !byte.is_ascii_whitespace() => break,
                _ => {}
            }
        }
        shape
    }

    fn keep(&mut self, frames: &[Frame]) {
        let keys: Vec<&str> = frames.iter().filter_map(|frame| frame.key.as_deref()).collect();
        if keys.len() <= SHAPE_KEYS_DEEP_MAX && self.paths.len() < SHAPE_PATHS_MAX {
            self.paths.insert(keys.join("."));
        }
    }

    /// True if the path occurs, e.g. `conversation.speaker_a`.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// True if any of the paths occurs.
    pub(crate) fn has_any(&self, paths: &[&str]) -> bool {
        paths.iter().any(|path| self.has(path))
    }

    /// True if no key was seen.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// True if the text begins with an array.
    pub(crate) fn is_array(&self) -> bool {
        self.array
    }

    /// True if the text begins with an object.
    pub(crate) fn is_object(&self) -> bool {
        self.object
    }

    /// True for an array without any object so far, which does not show the format.
    pub(crate) fn is_bare_array(&self) -> bool {
        self.array && self.paths.is_empty()
    }
}

/// The rest of a string after its opening quote; `None` if it is cut or not UTF-8. Escapes are kept
/// as written, since the keys that identify formats have none.
fn string_rest(bytes: &mut impl Iterator<Item = u8>) -> Option<String> {
    let mut text = Vec::new();
    let mut escaped = false;
    for byte in bytes {
        match byte {
            b'"' if !escaped => return String::from_utf8(text).ok(),
            _ => escaped = byte == b'\\' && !escaped,
        }
        text.push(byte);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_a_cut_text_has_the_keys_seen_so_far() {
        let shape = Shape::of(br#"[{"a":{"b":[{"c":1}]},"d":"e"},{"f":"#);
        assert!(shape.has("a.b.c") && shape.has("d") && shape.has("f") && !shape.has("e"));
        assert!(shape.is_array());
        assert!(!Shape::of(b"plain text {").is_object());
    }
}
