//! JSON larger than memory: a top-level array, read element by element.
//!
//! [`for_each_element`] cuts a top-level array at its commas by counting brackets outside strings,
//! and parses one element at a time. Cutting before parsing, instead of one parser over the whole
//! stream, means that an element that is broken, too long or not UTF-8 is left out alone: the cut
//! after it is still found, and the rest is read. A truncated file gives all its complete elements
//! and one problem. A single object at the top counts as an array of one.

use std::io;
use std::ops::ControlFlow;

use serde::de::DeserializeOwned;

use crate::input::{Input, for_each_line};
use crate::turn::excerpt;
use crate::{ImportError, Problem, Sink};

/// Longest element of a top-level array, in bytes. Whole conversations are single elements.
pub(crate) const ELEMENT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Most objects within one element or line. Each takes almost a kilobyte of memory, even one as
/// short as `{"":0}`, which takes a hundred times its length.
pub(crate) const OBJECTS_MAX: usize = 500_000;

/// Longest explanation of what is wrong with a text, in bytes.
const EXPLANATION_BYTES_MAX: usize = 300;

/// Where an element begins, for reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    /// Line, counted from 1.
    pub(crate) line: u64,
    /// Byte, counted from 1.
    pub(crate) byte: u64,
    /// Number of the element, counted from 1.
    pub(crate) element: u64,
}

/// Parses every element of a top-level array (or the one object at the top) and hands it to `each`.
/// Stops when `each` or the sink breaks.
pub(crate) fn for_each_element<T: DeserializeOwned>(
    mut input: Input<'_>,
    format: &'static str,
    sink: &mut dyn Sink,
    mut each: impl FnMut(T, Position, &mut dyn Sink) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ImportError> {
    let mut cutter = Cutter::new(ELEMENT_BYTES_MAX);
    loop {
        let cut = match cutter.next(&mut input) {
            Ok(cut) => cut,
            Err(error) => return input.read_failed(error, cutter.line, format, sink),
        };
        input.report_progress(sink);
        let start = cutter.start;
        let flow = match cut {
            Cut::End => return Ok(ControlFlow::Continue(())),
            Cut::Element => match std::str::from_utf8(&cutter.element) {
                Ok(text) => match parse::<T>(text) {
                    Ok((value, Repair::None)) => each(value, start, sink),
                    Ok((value, Repair::Surrogates)) => {
                        let flow =
                            sink.problem(input.problem(Some(start.line), SURROGATES_REPLACED));
                        if flow.is_break() { flow } else { each(value, start, sink) }
                    }
                    Err(error) => {
                        report(&input, sink, start, &format!("cannot be read: {}", explain(&error)))
                    }
                },
                Err(_) => report(&input, sink, start, "is not UTF-8"),
            },
            Cut::TooLong => report(
                &input,
                sink,
                start,
                &format!("is longer than {ELEMENT_BYTES_MAX} bytes and was left out"),
            ),
            Cut::Truncated => {
                let Position { line, byte, element } = start;
                let whole = element.saturating_sub(1);
                let message = format!(
                    "the JSON ends early, within element {element} that begins at byte {byte}; the {whole} whole \
                     before it were read; copy or download the file again"
                );
                return Ok(sink.problem(input.problem(Some(line), message)));
            }
            Cut::Trailing => {
                let message = format!(
                    "more text follows the end of the JSON at byte {}; it was left out",
                    start.byte
                );
                return Ok(sink.problem(input.problem(Some(start.line), message)));
            }
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
}

fn report(input: &Input<'_>, sink: &mut dyn Sink, at: Position, what: &str) -> ControlFlow<()> {
    let message = format!("element {} at byte {} {what}", at.element, at.byte);
    sink.problem(input.problem(Some(at.line), message))
}

/// Passes the JSON value of every line that is not blank to `each`, with the line's number from 1.
/// Lines that cannot be read are reported and left out.
pub(crate) fn for_each_json_line<T: DeserializeOwned>(
    input: Input<'_>,
    format: &'static str,
    sink: &mut dyn Sink,
    mut each: impl FnMut(T, u64, &mut dyn Sink) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ImportError> {
    let file = input.file().to_owned();
    for_each_line(input, format, sink, |line, number, sink| {
        let problem = |message: String| Problem { file: file.clone(), line: Some(number), message };
        match parse(line) {
            Ok((value, Repair::None)) => each(value, number, sink),
            Ok((value, Repair::Surrogates)) => {
                sink.problem(problem(SURROGATES_REPLACED.to_owned()))?;
                each(value, number, sink)
            }
            Err(error) if error.is_eof() => {
                let message = "the line ends within a JSON value, as a write that was interrupted leaves it; it was left out";
                sink.problem(problem(message.to_owned()))
            }
            Err(error) => sink.problem(problem(format!("not JSON: {}", explain(&error)))),
        }
    })
}

/// How [`parse`] repaired the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Nothing.
    None,
    /// Halves of surrogate pairs were replaced by U+FFFD.
    Surrogates,
}

/// The message for a text that was read only after [`Repair::Surrogates`].
pub(crate) const SURROGATES_REPLACED: &str =
    "half a surrogate pair (a cut emoji) was replaced by U+FFFD";

/// Parses JSON. Programs that cut a text between the two halves of an emoji write JSON that no
/// strict parser takes; such a half is replaced rather than a whole conversation lost to it.
/// Refuses more than [`OBJECTS_MAX`] objects.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<(T, Repair), serde_json::Error> {
    if has_too_many_objects(text.as_bytes()) {
        return Err(serde::de::Error::custom(format!("it holds more than {OBJECTS_MAX} objects")));
    }
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, Repair::None)),
        Err(error) => match replace_lone_surrogates(text) {
            Some(repaired) => {
                serde_json::from_str(&repaired).map(|value| (value, Repair::Surrogates))
            }
            None => Err(error),
        },
    }
}

fn has_too_many_objects(text: &[u8]) -> bool {
    // Braces within strings count only if there are so many that it matters.
    if memchr::memchr_iter(b'{', text).nth(OBJECTS_MAX).is_none() {
        return false;
    }
    let (mut objects, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'{' if !in_string => objects += 1,
            _ => {}
        }
    }
    objects > OBJECTS_MAX
}

/// A parser's error, cut short, since it may quote the whole text.
pub(crate) fn explain(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "it is not complete, as while it is still being written".to_owned();
    }
    // Lines and columns within an item, and names of this program's types, say nothing to a reader.
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let text = match text.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected an object"),
        None => text.to_owned(),
    };
    excerpt(&text, EXPLANATION_BYTES_MAX)
}

fn replace_lone_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len());
    let mut changed = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        repaired.push_str(before);
        let taken = match (hex_escape(escape), escape.get(6..).and_then(hex_escape)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                repaired.push_str("\\ufffd");
                changed = true;
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
            // A backslash and the one character it escapes, which may be of several bytes in broken
            // JSON.
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, after) = escape.split_at_checked(taken)?;
        repaired.push_str(kept);
        rest = after;
    }
    repaired.push_str(rest);
    changed.then_some(repaired)
}

fn hex_escape(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Element,
    TooLong,
    Truncated,
    Trailing,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Unseen,
    Array,
    Object,
    Closed,
}

/// Cuts a stream into the elements of its top-level array.
struct Cutter {
    element: Vec<u8>,
    element_bytes_max: usize,
    root: Root,
    line: u64,
    byte: u64,
    elements: u64,
    start: Position,
}

/// How far into one element the cutter is.
#[derive(Default)]
struct Inside {
    depth: u64,
    string: bool,
    escaped: bool,
    begun: bool,
    too_long: bool,
}

impl Cutter {
    fn new(element_bytes_max: usize) -> Self {
        let start = Position { line: 1, byte: 1, element: 1 };
        Self {
            element: Vec::new(),
            element_bytes_max,
            root: Root::Unseen,
            line: 1,
            byte: 0,
            elements: 0,
            start,
        }
    }

    fn next(&mut self, input: &mut Input<'_>) -> io::Result<Cut> {
        self.element.clear();
        let mut inside = Inside::default();
        loop {
            let bytes = input.fill()?;
            if bytes.is_empty() {
                return Ok(self.at_end(&inside));
            }
            let mut taken = 0;
            let mut cut = None;
            // Where the part of `bytes` that belongs to the element begins.
            let mut from = None;
            for &byte in bytes {
                taken += 1;
                self.byte = self.byte.saturating_add(1);
                let belongs = self.step(byte, &mut inside, &mut cut);
                if byte == b'\n' {
                    self.line = self.line.saturating_add(1);
                }
                if belongs && from.is_none() {
                    from = Some(taken - 1);
                }
                if cut.is_some() {
                    // A comma or closing bracket of the array is not part of the element, a closing
                    // brace is.
                    let end = if belongs { taken } else { taken - 1 };
                    keep(
                        &mut self.element,
                        &mut inside,
                        self.element_bytes_max,
                        bytes.get(from.unwrap_or(end)..end),
                    );
                    from = None;
                    break;
                }
            }
            if let Some(from) = from {
                keep(
                    &mut self.element,
                    &mut inside,
                    self.element_bytes_max,
                    bytes.get(from..taken),
                );
            }
            input.consume(taken);
            match cut {
                Some(Cut::Element) if inside.too_long => return Ok(Cut::TooLong),
                Some(cut) => return Ok(cut),
                None => {}
            }
        }
    }

    /// Takes one byte; true if it belongs to the element.
    fn step(&mut self, byte: u8, inside: &mut Inside, cut: &mut Option<Cut>) -> bool {
        if inside.string {
            match byte {
                _ if inside.escaped => inside.escaped = false,
                b'\\' => inside.escaped = true,
                b'"' => inside.string = false,
                _ => {}
            }
            return true;
        }
        if !inside.begun {
            if byte.is_ascii_whitespace() {
                return false;
            }
            match (self.root, byte) {
                (Root::Unseen, b'[') => {
                    self.root = Root::Array;
                    return false;
                }
                (Root::Unseen, _) => self.root = Root::Object,
                (Root::Array, b',') => return false,
                (Root::Array, b']') => {
                    self.root = Root::Closed;
                    return false;
                }
                (Root::Closed, _) => {
                    self.start =
                        Position { line: self.line, byte: self.byte, element: self.elements };
                    *cut = Some(Cut::Trailing);
                    return false;
                }
                _ => {}
            }
            inside.begun = true;
            self.elements = self.elements.saturating_add(1);
            self.start = Position { line: self.line, byte: self.byte, element: self.elements };
        }
        match byte {
            b'"' => inside.string = true,
            b'{' | b'[' => inside.depth = inside.depth.saturating_add(1),
            b',' if inside.depth == 0 => {
                *cut = Some(Cut::Element);
                return false;
            }
            b']' | b'}' if inside.depth == 0 => {
                self.root = Root::Closed;
                *cut = Some(Cut::Element);
                return false;
            }
            b']' | b'}' => {
                inside.depth -= 1;
                if inside.depth == 0 && self.root == Root::Object {
                    self.root = Root::Closed;
                    *cut = Some(Cut::Element);
                }
            }
            _ => {}
        }
        true
    }

    fn at_end(&mut self, inside: &Inside) -> Cut {
        match self.root {
            Root::Closed => Cut::End,
            _ if inside.begun => Cut::Truncated,
            _ => {
                self.start = Position {
                    line: self.line,
                    byte: self.byte,
                    element: self.elements.saturating_add(1),
                };
                Cut::Truncated
            }
        }
    }
}

fn keep(element: &mut Vec<u8>, inside: &mut Inside, element_bytes_max: usize, part: Option<&[u8]>) {
    let part = part.unwrap_or_default();
    inside.too_long |= element.len() + part.len() > element_bytes_max;
    if inside.too_long {
        element.clear();
    } else {
        element.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, element_bytes_max: usize) -> Vec<(Cut, String)> {
        let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        let mut input =
            Input::from_reader(reader, "x.json".into(), Default::default(), "x").unwrap();
        let mut cutter = Cutter::new(element_bytes_max);
        let mut cuts = Vec::new();
        loop {
            let cut = cutter.next(&mut input).unwrap();
            cuts.push((cut, String::from_utf8(cutter.element.clone()).unwrap()));
            if matches!(cut, Cut::End | Cut::Truncated | Cut::Trailing) {
                return cuts;
            }
        }
    }

    fn whole(text: &str) -> Vec<String> {
        cut(text, 1000)
            .into_iter()
            .filter(|(cut, _)| *cut == Cut::Element)
            .map(|(_, text)| text.trim().into())
            .collect()
    }

    #[test]
    fn an_array_is_cut_at_its_own_commas_only() {
        assert_eq!(
            whole(r#" [ {"a":[1,2]} , "x,]\"" ,3,[] ] "#),
            [r#"{"a":[1,2]}"#, r#""x,]\"""#, "3", "[]"]
        );
        assert_eq!(whole("[]"), [""; 0]);
        assert_eq!(whole(r#"{"a":{"b":"}"}}"#), [r#"{"a":{"b":"}"}}"#]);
    }

    #[test]
    fn a_truncated_array_is_distinguished_from_text_after_its_end() {
        let last = |text| cut(text, 1000).pop().unwrap().0;
        assert_eq!(last("[1,2]"), Cut::End);
        assert_eq!(last("[1,2"), Cut::Truncated);
        assert_eq!(last("[1,"), Cut::Truncated);
        assert_eq!(last(r#"[{"a":"#), Cut::Truncated);
        assert_eq!(last(r#"{"a":""#), Cut::Truncated);
        assert_eq!(last("[1] x"), Cut::Trailing);
        assert_eq!(last("{}{}"), Cut::Trailing);
    }

    #[test]
    fn an_element_beyond_the_limit_is_left_out_alone() {
        let cuts = cut(r#"["aaaaaaaaaaaaaaaa",1]"#, 8);
        assert_eq!(
            cuts.iter().map(|(cut, _)| *cut).collect::<Vec<_>>(),
            [Cut::TooLong, Cut::Element, Cut::End]
        );
    }

    #[test]
    fn too_many_objects_are_refused_but_braces_in_strings_do_not_count() {
        let objects = |count: usize| format!("[{}0]", "{},".repeat(count));
        assert!(parse::<serde::de::IgnoredAny>(&objects(OBJECTS_MAX)).is_ok());
        let error = parse::<serde::de::IgnoredAny>(&objects(OBJECTS_MAX + 1)).unwrap_err();
        assert_eq!(error.to_string(), "it holds more than 500000 objects");
        let code = format!(r#""\\\"{}""#, "{".repeat(OBJECTS_MAX + 1));
        assert!(parse::<String>(&code).is_ok());
    }

    #[test]
    fn half_an_emoji_is_replaced_and_whole_ones_kept() {
        let (text, repair) = parse::<String>(r#""\ud83d\ude00 \ud83d \\ud83d""#).unwrap();
        assert_eq!((text.as_str(), repair), ("\u{1f600} \u{fffd} \\ud83d", Repair::Surrogates));
        assert!(parse::<String>(r#""\q\ud83d"#).is_err());
    }
}
