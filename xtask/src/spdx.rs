//! SPDX licence expressions, as far as crates use them.
//!
//! The grammar is that of the SPDX specification, annex D: names joined by `AND` and `OR`, where
//! `AND` binds more tightly, `WITH` and an exception after a name, and parentheses. The old
//! `MIT/Apache-2.0` counts as `OR`. A name is allowed if the list has it exactly as written:
//! `Apache-2.0 WITH LLVM-exception` needs its own entry, as in cargo-deny.

use std::collections::BTreeSet;
use std::iter::Peekable;

/// Deepest nesting of parentheses.
const DEPTH_MAX: usize = 32;

/// True if `expression` can be satisfied with licences in `allowed` alone; the error says why it
/// cannot be parsed.
pub(crate) fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut parser = Parser { words: spaced.split_whitespace().peekable(), allowed, depth: 0 };
    let verdict = parser.any()?;
    match parser.words.next() {
        None => Ok(verdict),
        Some(word) => Err(format!("`{word}` is unexpected")),
    }
}

struct Parser<'a, Words: Iterator<Item = &'a str>> {
    words: Peekable<Words>,
    allowed: &'a BTreeSet<String>,
    depth: usize,
}

impl<'a, Words: Iterator<Item = &'a str>> Parser<'a, Words> {
    fn any(&mut self) -> Result<bool, String> {
        let mut verdict = self.all()?;
        while self.words.next_if_eq(&"OR").is_some() {
            verdict |= self.all()?;
        }
        Ok(verdict)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut verdict = self.one()?;
        while self.words.next_if_eq(&"AND").is_some() {
            verdict &= self.one()?;
        }
        Ok(verdict)
    }

    fn one(&mut self) -> Result<bool, String> {
        match self.words.next() {
            None => Err("it ends too early".to_owned()),
            Some("(") if self.depth == DEPTH_MAX => {
                Err(format!("more than {DEPTH_MAX} parentheses are open"))
            }
            Some("(") => {
                self.depth += 1;
                let verdict = self.any()?;
                self.depth -= 1;
                self.words
                    .next_if_eq(&")")
                    .map(|_| verdict)
                    .ok_or_else(|| "a `)` is missing".to_owned())
            }
            Some(word @ (")" | "AND" | "OR" | "WITH")) => {
                Err(format!("`{word}` stands where a licence should"))
            }
            Some(name) => match self.words.next_if_eq(&"WITH") {
                None => Ok(self.allowed.contains(name)),
                Some(_) => {
                    let exception =
                        self.words.next().ok_or("an exception is missing after `WITH`")?;
                    Ok(self.allowed.contains(&format!("{name} WITH {exception}")))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expect: Result<bool, &str>) {
        let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]
            .map(str::to_owned)
            .into();
        assert_eq!(is_allowed(expression, &allowed), expect.map_err(str::to_owned), "{expression}");
    }

    #[test]
    fn one_allowed_alternative_is_enough() {
        check("MIT", Ok(true));
        check("GPL-3.0", Ok(false));
        check("GPL-3.0 OR MIT", Ok(true));
        check("GPL-3.0/MIT", Ok(true));
        check("(GPL-3.0 OR MIT) AND Unicode-3.0", Ok(true));
    }

    #[test]
    fn all_licences_joined_by_and_must_be_allowed() {
        check("MIT AND GPL-3.0", Ok(false));
        check("MIT AND GPL-3.0 OR Apache-2.0", Ok(true));
        check("MIT AND (GPL-3.0 OR LGPL-3.0)", Ok(false));
    }

    #[test]
    fn an_exception_is_part_of_the_licence() {
        check("Apache-2.0 WITH LLVM-exception", Ok(true));
        check("MIT WITH LLVM-exception", Ok(false));
    }

    #[test]
    fn invalid_expressions_are_refused() {
        check("", Err("it ends too early"));
        check("MIT OR", Err("it ends too early"));
        check("MIT Apache-2.0", Err("`Apache-2.0` is unexpected"));
        check("(MIT", Err("a `)` is missing"));
        check("AND", Err("`AND` stands where a licence should"));
        check(&"(".repeat(40), Err("more than 32 parentheses are open"));
    }
}
