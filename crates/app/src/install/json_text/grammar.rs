//! The JSON of settings files: standard JSON plus comments and trailing commas.

use std::ops::Range;

use jsonc_parser::tokens::Token;
use jsonc_parser::{ParseOptions, Scanner, ScannerOptions};

/// Deepest nesting of objects and lists. The parser recurses once or twice a level.
const DEPTH_MAX: usize = 128;

pub(super) const GRAMMAR: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A comma or a comment between members.
pub(super) struct Separator {
    pub(super) kind: SeparatorKind,
    pub(super) range: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SeparatorKind {
    Comma,
    LineComment,
    BlockComment,
}

/// The commas and comments in the text between two members.
pub(super) fn separators(text: &str, part: Range<usize>) -> Vec<Separator> {
    let mut scanner = Scanner::new(text.get(part.clone()).unwrap_or_default(), &scanner_options());
    let mut separators = Vec::new();
    while let Ok(Some(token)) = scanner.scan() {
        let kind = match token {
            Token::Comma => SeparatorKind::Comma,
            Token::CommentLine(_) => SeparatorKind::LineComment,
            Token::CommentBlock(_) => SeparatorKind::BlockComment,
            _ => break,
        };
        let range = part.start + scanner.token_start()..part.start + scanner.token_end();
        separators.push(Separator { kind, range });
    }
    separators
}

/// Refuses what the parser accepts although it is not JSON: other white space, and control
/// characters within strings, such as a line break where a quote is missing. Refuses deep nesting
/// before the parser recurses into it.
pub(super) fn check_tokens(text: &str) -> Result<(), String> {
    let mut scanner = Scanner::new(text, &scanner_options());
    let (mut depth, mut end) = (0_usize, 0);
    while let Some(token) = scanner.scan().map_err(|error| error.to_string())? {
        let is_string = matches!(token, Token::String(_));
        match token {
            Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseBrace | Token::CloseBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(format!("objects and lists are nested more than {DEPTH_MAX} deep"));
        }
        let (space, written) = (
            text.get(end..scanner.token_start()),
            text.get(scanner.token_start()..scanner.token_end()),
        );
        check_space(text, space.unwrap_or_default(), end)?;
        if is_string && written.is_some_and(|written| written.bytes().any(|byte| byte < b' ')) {
            return Err(format!(
                "a string on line {} contains a control character",
                line_of(text, scanner.token_start())
            ));
        }
        end = scanner.token_end();
    }
    check_space(text, text.get(end..).unwrap_or_default(), end)
}

fn check_space(text: &str, space: &str, at: usize) -> Result<(), String> {
    if space.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        return Ok(());
    }
    Err(format!(
        "on or after line {} it has white space that JSON does not allow",
        line_of(text, at)
    ))
}

/// The line of a byte, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn scanner_options() -> ScannerOptions {
    ScannerOptions {
        allow_single_quoted_strings: GRAMMAR.allow_single_quoted_strings,
        allow_hexadecimal_numbers: GRAMMAR.allow_hexadecimal_numbers,
        allow_unary_plus_numbers: GRAMMAR.allow_unary_plus_numbers,
        allow_bare_decimal_point_numbers: GRAMMAR.allow_bare_decimal_point_numbers,
        allow_non_finite_numbers: GRAMMAR.allow_non_finite_numbers,
        allow_extended_string_escapes: GRAMMAR.allow_extended_string_escapes,
    }
}
