//! JSON larger than memory whose messages lie deep within it, read value by value.
//!
//! [`walk`] asks of every object and array whether to enter it, and hands out whatever is not
//! entered as one parsed value, together with its [`Place`]. A value that is broken, too long or
//! not UTF-8 is reported and left out alone, because its end is found by counting brackets outside
//! strings. A truncated file gives all whole values and one problem.

use std::io;
use std::ops::ControlFlow;

use serde_json::Value;

use crate::input::Input;
use crate::json_stream::{ELEMENT_BYTES_MAX, Repair, SURROGATES_REPLACED, explain, parse};
use crate::{ImportError, Sink};

/// Deepest place that is entered.
const DEPTH_MAX: usize = 16;
/// Longest name of a member that is kept, in bytes. No known name is longer.
const KEY_BYTES_MAX: usize = 256;

/// What to do with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Visit the members of the object or array one by one. Any other value is taken.
    Enter,
    /// Hand it out whole.
    Take,
    /// Read past it.
    Skip,
}

/// What is handed out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Visited {
    /// A whole value.
    Value(Value),
    /// An object or array that was entered ends here.
    End,
}

/// Where a value is: the names of the members that lead to it, with `[]` for an element of an
/// array.
#[derive(Debug, Default)]
pub(crate) struct Place {
    names: Vec<String>,
    /// The line on which the value begins, counted from 1.
    pub(crate) line: u64,
}

impl Place {
    /// The names that lead to the value.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }
}

/// Visits every value as `visit` says, and hands it to `each`. Stops when `each` or the sink
/// breaks.
pub(crate) fn walk(
    mut input: Input<'_>,
    format: &'static str,
    sink: &mut dyn Sink,
    visit: impl Fn(&[&str]) -> Visit,
    mut each: impl FnMut(&Place, Visited, &mut dyn Sink) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ImportError> {
    let mut walker =
        Walker { place: Place { names: Vec::new(), line: 1 }, open: Vec::new(), value: Vec::new() };
    let mut next = Next::Value;
    loop {
        let step = walker.step(next, &mut input, &visit);
        input.report_progress(sink);
        let flow = match step {
            Err(error) => return input.read_failed(error, walker.place.line, format, sink),
            Ok(Step::Go(to)) => {
                next = to;
                continue;
            }
            Ok(Step::Finished) => return Ok(ControlFlow::Continue(())),
            Ok(Step::Broken(what)) => {
                let message = format!("the JSON {what}; what came before was read");
                return Ok(sink.problem(input.problem(Some(walker.place.line), message)));
            }
            Ok(Step::Ended) => each(&walker.place, Visited::End, sink),
            Ok(Step::TooLong) => {
                let message =
                    format!("a value is longer than {ELEMENT_BYTES_MAX} bytes and was left out");
                sink.problem(input.problem(Some(walker.place.line), message))
            }
            Ok(Step::Taken) => {
                let parsed = std::str::from_utf8(&walker.value).map(parse::<Value>);
                let problem = |what: String| input.problem(Some(walker.place.line), what);
                match parsed {
                    Ok(Ok((value, Repair::None))) => {
                        each(&walker.place, Visited::Value(value), sink)
                    }
                    Ok(Ok((value, Repair::Surrogates))) => {
                        match sink.problem(problem(SURROGATES_REPLACED.to_owned())) {
                            ControlFlow::Continue(()) => {
                                each(&walker.place, Visited::Value(value), sink)
                            }
                            ControlFlow::Break(()) => ControlFlow::Break(()),
                        }
                    }
                    Ok(Err(error)) => sink
                        .problem(problem(format!("a value cannot be read: {}", explain(&error)))),
                    Err(_) => {
                        sink.problem(problem("a value is not UTF-8 and was left out".to_owned()))
                    }
                }
            }
        };
        if flow.is_break() {
            return Ok(flow);
        }
        next = Next::After;
    }
}

/// What is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Value,
    Member,
    After,
}

enum Step {
    Go(Next),
    Taken,
    TooLong,
    Ended,
    Finished,
    Broken(&'static str),
}

struct Walker {
    place: Place,
    /// Of every value that was entered, whether it is an object.
    open: Vec<bool>,
    /// The value that was taken.
    value: Vec<u8>,
}

impl Walker {
    fn step(
        &mut self,
        next: Next,
        input: &mut Input<'_>,
        visit: &impl Fn(&[&str]) -> Visit,
    ) -> io::Result<Step> {
        if next == Next::After {
            self.place.names.pop();
            return Ok(if self.open.is_empty() { Step::Finished } else { Step::Go(Next::Member) });
        }
        let Some(byte) = self.solid(input)? else { return Ok(Step::Broken("ends early")) };
        let is_object = self.open.last().copied();
        match next {
            Next::Value => {
                let visit = visit(&self.place.names());
                if matches!(byte, b'{' | b'[')
                    && visit == Visit::Enter
                    && self.open.len() < DEPTH_MAX
                {
                    input.consume(1);
                    self.open.push(byte == b'{');
                    return Ok(Step::Go(Next::Member));
                }
                self.take(input, visit != Visit::Skip)
            }
            _ => match (byte, is_object) {
                (b'}' | b']', _) => {
                    input.consume(1);
                    self.open.pop();
                    Ok(Step::Ended)
                }
                (b',', _) => {
                    input.consume(1);
                    Ok(Step::Go(Next::Member))
                }
                (b'"', Some(true)) => self.key(input),
                (_, Some(true)) => Ok(Step::Broken("has something else where a name belongs")),
                _ => {
                    self.place.names.push("[]".to_owned());
                    Ok(Step::Go(Next::Value))
                }
            },
        }
    }

    /// The next byte that is not white space, which is not taken.
    fn solid(&mut self, input: &mut Input<'_>) -> io::Result<Option<u8>> {
        loop {
            let bytes = input.fill()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let lines = bytes.iter().take(blank).filter(|&&byte| byte == b'\n').count();
            let found = bytes.get(blank).copied();
            self.place.line = self.place.line.saturating_add(lines as u64);
            input.consume(blank);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// The name of a member and its colon.
    fn key(&mut self, input: &mut Input<'_>) -> io::Result<Step> {
        match self.take(input, true)? {
            Step::Taken | Step::TooLong => {}
            broken => return Ok(broken),
        }
        let text = std::str::from_utf8(&self.value).ok().filter(|text| text.len() <= KEY_BYTES_MAX);
        let name = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        if self.solid(input)? != Some(b':') {
            return Ok(Step::Broken("has a name without a value"));
        }
        input.consume(1);
        self.place.names.push(name);
        Ok(Step::Go(Next::Value))
    }

    /// Reads one value to its end, and keeps its bytes if `keep`.
    fn take(&mut self, input: &mut Input<'_>, keep: bool) -> io::Result<Step> {
        self.value.clear();
        let (mut depth, mut in_string, mut escaped, mut too_long) = (0_u64, false, false, false);
        let mut begun = false;
        let mut lines = 0_u64;
        loop {
            let bytes = input.fill()?;
            if bytes.is_empty() {
                return Ok(Step::Broken("ends early"));
            }
            let mut taken = 0;
            let mut is_end = false;
            for &byte in bytes {
                if in_string {
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => {
                            in_string = false;
                            is_end = depth == 0;
                        }
                        _ => {}
                    }
                } else {
                    match byte {
                        b'"' => in_string = true,
                        b'{' | b'[' => depth = depth.saturating_add(1),
                        b'}' | b']' if depth > 0 => {
                            depth -= 1;
                            is_end = depth == 0;
                        }
                        // A number or a word ends before these.
                        _ if depth == 0
                            && begun
                            && (byte.is_ascii_whitespace() || b",]}:\"".contains(&byte)) =>
                        {
                            is_end = true;
                            break;
                        }
                        _ => {}
                    }
                }
                begun = true;
                lines += u64::from(byte == b'\n');
                taken += 1;
                if is_end {
                    break;
                }
            }
            if keep && !too_long {
                too_long = self.value.len() + taken > ELEMENT_BYTES_MAX;
                self.value.extend_from_slice(bytes.get(..taken).unwrap_or_default());
            }
            if too_long {
                self.value = Vec::new();
            }
            input.consume(taken);
            if is_end {
                self.place.line = self.place.line.saturating_add(lines);
                return Ok(match (keep, too_long) {
                    (false, _) => Step::Go(Next::After),
                    (true, true) => Step::TooLong,
                    (true, false) => Step::Taken,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;

    #[derive(Default)]
    struct Problems(Vec<String>);

    impl Sink for Problems {
        fn evidence(&mut self, _: kernel::evidence::Evidence) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
            self.0.push(problem.message);
            ControlFlow::Continue(())
        }
        fn progress(&mut self, _: u64) {}
    }

    fn visited(text: &str) -> (String, Vec<String>) {
        let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        let input = Input::from_reader(reader, "x.json".into(), Default::default(), "x").unwrap();
        let mut problems = Problems::default();
        let mut seen = String::new();
        let visit = |place: &[&str]| match place {
            [] | ["list"] | ["list", "[]"] => Visit::Enter,
            ["skipped"] => Visit::Skip,
            _ => Visit::Take,
        };
        let flow = walk(input, "x", &mut problems, visit, |place, visited, _| {
            let what = match visited {
                Visited::Value(value) => value.to_string(),
                Visited::End => "end".to_owned(),
            };
            seen.push_str(&format!("{} {what}\n", place.names.join(".")));
            ControlFlow::Continue(())
        });
        assert!(flow.unwrap().is_continue());
        (seen, problems.0)
    }

    #[test]
    fn values_come_with_their_place_and_entered_ones_end() {
        let (seen, problems) = visited(
            r#" {"a": {"b": [1, "}"]}, "skipped": [{"x": 2}], "n" : -1.5, "list": [ {"id": 1}, {}, 7 ], "z": null} "#,
        );
        assert_eq!(
            seen,
            "a {\"b\":[1,\"}\"]}\nn -1.5\nlist.[].id 1\nlist.[] end\nlist.[] end\nlist.[] 7\nlist end\nz null\n end\n"
        );
        assert!(problems.is_empty());
    }

    #[test]
    fn a_broken_value_is_left_out_alone_and_a_cut_file_gives_what_came_before() {
        let (seen, problems) = visited(r#"{"a": {"b": nope}, "n": 1}"#);
        assert_eq!(seen, "n 1\n end\n");
        assert_eq!(problems.len(), 1);
        for cut in [
            r#"{"n": 1, "list": [{"id": 4"#,
            r#"{"n": 1, "list"#,
            r#"{"n": 1, 5}"#,
            r#"{"n": 1, "k" 5}"#,
        ] {
            let (seen, problems) = visited(cut);
            assert!(seen.starts_with("n 1\n"), "{cut}: {seen}");
            assert_eq!(problems.len(), 1, "{cut}");
        }
    }

    #[test]
    fn nesting_and_length_are_bounded() {
        let (_, problems) =
            visited(&format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000)));
        assert_eq!(problems.len(), 1);
        let long = format!("{{\"a\": \"{}\", \"n\": 1}}", "x".repeat(ELEMENT_BYTES_MAX));
        let (seen, problems) = visited(&long);
        assert_eq!(seen, "n 1\n end\n");
        assert_eq!(problems.len(), 1);
    }
}
