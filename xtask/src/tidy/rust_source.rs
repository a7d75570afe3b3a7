//! Splits Rust source into lines with code, comments and literals separated.
//!
//! Checks that search for a word must ignore prose: "no `async` here" in a comment is not an
//! `async`, nor is one in an error message. This parses just enough of the language to find
//! comments and literals (raw strings, nested comments, lifetimes and character literals), and
//! drops the content of literals.

/// One line of a Rust file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RustLine {
    /// The code, with empty literals: `print("x") // y` gives `print("") `.
    pub(crate) code: String,
    /// What literals hold, one after the other, as it is written.
    pub(crate) literals: String,
    /// The comment, without its leading slashes.
    pub(crate) comment: String,
    /// True within the `mod tests { … }` at the end of a file.
    pub(crate) in_tests: bool,
}

#[derive(Clone, Copy)]
enum State {
    Code,
    LineComment,
    BlockComment { depth: usize },
    Text,
    RawText { hashes: usize },
}

/// Splits a file into its lines.
pub(crate) fn split(text: &str) -> Vec<RustLine> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader { chars: &chars, line: RustLine::default(), state: State::Code };
    let mut lines = Vec::new();
    let mut index = 0;
    while index < chars.len() {
        if reader.at(index) == '\n' {
            lines.push(std::mem::take(&mut reader.line));
            if matches!(reader.state, State::LineComment) {
                reader.state = State::Code;
            }
            index += 1;
        } else {
            index += reader.read(index);
        }
    }
    if reader.line != RustLine::default() {
        lines.push(reader.line);
    }
    mark_tests(&mut lines);
    lines
}

/// What is read within a line.
struct Reader<'a> {
    chars: &'a [char],
    line: RustLine,
    state: State,
}

impl Reader<'_> {
    fn at(&self, index: usize) -> char {
        self.chars.get(index).copied().unwrap_or('\n')
    }

    /// Reads what begins at `index`; answers how many characters that took.
    fn read(&mut self, index: usize) -> usize {
        match self.state {
            State::Code => return self.read_code(index),
            State::LineComment => self.line.comment.push(self.at(index)),
            State::BlockComment { depth } => return self.read_comment(index, depth),
            State::Text => return self.read_text(index),
            State::RawText { hashes } => {
                if self.at(index) == '"' && (1..=hashes).all(|step| self.at(index + step) == '#') {
                    self.end_text();
                    return 1 + hashes;
                }
                self.line.literals.push(self.at(index));
            }
        }
        1
    }

    fn read_code(&mut self, index: usize) -> usize {
        match self.at(index) {
            '/' if self.at(index + 1) == '/' => {
                self.state = State::LineComment;
                return (0..).take_while(|step| matches!(self.at(index + step), '/' | '!')).count();
            }
            '/' if self.at(index + 1) == '*' => {
                self.state = State::BlockComment { depth: 1 };
                return 2;
            }
            '"' => {
                self.line.code.push('"');
                self.state = State::Text;
            }
            '\'' => {
                let width = char_literal_width(self.chars, index);
                self.line.code.push_str(if width == 1 { "'" } else { "''" });
                return width;
            }
            'r' if !self.line.code.ends_with(|before: char| is_word(before) && before != 'b') => {
                let hashes = (1..).take_while(|step| self.at(index + step) == '#').count();
                if self.at(index + 1 + hashes) == '"' {
                    self.line.code.push_str("r\"");
                    self.state = State::RawText { hashes };
                    return hashes + 2;
                }
                self.line.code.push('r');
            }
            other => self.line.code.push(other),
        }
        1
    }

    fn read_comment(&mut self, index: usize, depth: usize) -> usize {
        match (self.at(index), self.at(index + 1)) {
            ('/', '*') => self.state = State::BlockComment { depth: depth + 1 },
            ('*', '/') if depth == 1 => self.state = State::Code,
            ('*', '/') => self.state = State::BlockComment { depth: depth - 1 },
            (other, _) => {
                self.line.comment.push(other);
                return 1;
            }
        }
        2
    }

    fn read_text(&mut self, index: usize) -> usize {
        match self.at(index) {
            // The character after a backslash at the end of a line is the line's end, which counts.
            '\\' if self.at(index + 1) != '\n' => {
                self.line.literals.extend([self.at(index), self.at(index + 1)]);
                return 2;
            }
            '"' => self.end_text(),
            other => self.line.literals.push(other),
        }
        1
    }

    fn end_text(&mut self) {
        self.line.code.push('"');
        self.line.literals.push(' ');
        self.state = State::Code;
    }
}

/// The width in characters of the literal at `start`; 1 for the quote of a lifetime.
fn char_literal_width(chars: &[char], start: usize) -> usize {
    const WIDTH_MAX: usize = 14; // '\u{10_ff_ff}' and the like
    let is_escape = chars.get(start + 1) == Some(&'\\');
    let first_close = if is_escape { start + 3 } else { start + 2 };
    let last_close = if is_escape { start + WIDTH_MAX } else { start + 2 };
    let close = (first_close..=last_close).find(|close| chars.get(*close) == Some(&'\''));
    close.map_or(1, |close| close - start + 1)
}

/// Marks the module of tests, which extends to the end of the file.
fn mark_tests(lines: &mut [RustLine]) {
    let start = lines.windows(2).position(|pair| match pair {
        [first, second] => {
            first.code.trim() == "#[cfg(test)]"
                && second.code.trim_start().starts_with("mod tests {")
        }
        _ => false,
    });
    if let Some(start) = start {
        lines.iter_mut().skip(start).for_each(|line| line.in_tests = true);
    }
}

/// True where `word` occurs in `text` and is not part of a longer word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).and_then(|head| head.chars().next_back());
        let after = text.get(start + word.len()..).and_then(|tail| tail.chars().next());
        let starts_free = !word.starts_with(is_word) || !before.is_some_and(is_word);
        let ends_free = !word.ends_with(is_word) || !after.is_some_and(is_word);
        starts_free && ends_free
    })
}

/// True for characters of identifiers.
pub(crate) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, code: &[&str], comments: &[&str]) {
        let lines = split(source);
        assert_eq!(lines.iter().map(|line| line.code.trim()).collect::<Vec<_>>(), code);
        assert_eq!(lines.iter().map(|line| line.comment.trim()).collect::<Vec<_>>(), comments);
    }

    #[test]
    fn comments_are_separated_from_code() {
        check(
            "a(); // b\n//! c\n/* d /* e */\nf */ g",
            &["a();", "", "", "g"],
            &["b", "c", "d  e", "f"],
        );
    }

    #[test]
    fn literals_are_emptied() {
        check(
            r##"a("// b", r#"c " d"#, br"e", 'f', '\'', "\" g") // h"##,
            &[r#"a("", r"", br"", '', '', "")"#],
            &["h"],
        );
    }

    #[test]
    fn what_literals_hold_is_kept_apart() {
        let lines = split("a(\"b \\\"c\", r#\"d\"#); // \"e\"");
        assert_eq!(lines[0].literals, "b \\\"c d ");
    }

    #[test]
    fn a_text_may_span_lines() {
        check("a(\"b\n// c\\\n\") d", &["a(\"", "", "\") d"], &["", "", ""]);
    }

    #[test]
    fn a_lifetime_is_not_a_literal() {
        check("fn a<'b>(c: &'b str) {} // d", &["fn a<'b>(c: &'b str) {}"], &["d"]);
    }

    #[test]
    fn the_closing_module_of_tests_is_marked() {
        let lines = split("fn a() {}\n#[cfg(test)]\nmod tests {\n}\n");
        assert_eq!(
            lines.iter().map(|line| line.in_tests).collect::<Vec<_>>(),
            [false, true, true, true]
        );
    }

    #[test]
    fn only_whole_words_match() {
        assert!(has_word("use rand::Rng", "rand"));
        assert!(!has_word("operand, random, rand_like", "rand"));
        assert!(has_word("x::todo!()", "todo!"));
    }
}
