//! Checks that the names in ARCHITECTURE.md exist, and that it stays short enough to be read.
//!
//! It checks words in backticks outside of fenced blocks; two forms are recognised, all others are
//! prose:
//! - a path: it contains `/` or `.` and either begins with a folder at the root, or ends in `/` or
//!   in a known extension. It must be a tracked file or folder. `/api/…`, `*` and `…` make it an
//!   illustration.
//! - a name in code: `CamelCase` with a small letter, or `a::b`, or `call()`. A single name must be
//!   declared (`struct`, `enum`, `trait`, `type`, `fn`, `mod`, `const`, `static`, `macro_rules!`);
//!   of a path with `::`, the last name must occur as a word in the code of a file that also has
//!   the one before it, as a word or in its own path. Names that start with `std`, `core`, `alloc`
//!   or a dependency's name are foreign and pass.

use super::Finding;
use super::manifest::{self, Origin};
use super::rust_source::{has_word, is_word};
use super::tree::Tree;

const MAP: &str = "ARCHITECTURE.md";
/// Its most bytes.
const MAP_BYTES_MAX: usize = 20_000;
const EXTENSIONS: [&str; 9] =
    [".rs", ".md", ".toml", ".json", ".jsonl", ".ics", ".sql", ".sh", ".html"];
const DECLARATIONS: [&str; 9] =
    ["struct", "enum", "trait", "type", "fn", "mod", "const", "static", "macro_rules!"];

/// Finds names that do not exist.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(map) = tree.file(MAP) else { return Vec::new() };
    let mut foreign = vec!["std".to_owned(), "core".to_owned(), "alloc".to_owned()];
    for dependency in
        manifest::read_all(tree).iter().flatten().flat_map(|manifest| &manifest.dependencies)
    {
        if dependency.origin == Origin::Registry {
            foreign.push(dependency.name.replace('-', "_"));
        }
    }
    let mut findings = Vec::new();
    if map.text.len() > MAP_BYTES_MAX {
        let advice = format!(
            "it has {} bytes, and at most {MAP_BYTES_MAX} may stand here; shorten it",
            map.text.len()
        );
        findings.push(Finding::new(MAP, 1, advice));
    }
    let mut in_fence = false;
    for (number, line) in (1..).zip(map.text.lines()) {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            for span in line.split('`').skip(1).step_by(2) {
                if let Some(advice) = complaint(tree, &foreign, span) {
                    findings.push(Finding::new(MAP, number, advice));
                }
            }
        }
    }
    findings
}

fn complaint(tree: &Tree, foreign: &[String], span: &str) -> Option<String> {
    if is_path(tree, span) {
        let exists = tree.exists(span) || !span.contains('/') && has_base_name(tree, span);
        return (!exists)
            .then(|| format!("`{span}` is not a tracked file or folder; fix the map or add it"));
    }
    let name = span.strip_suffix("()").unwrap_or(span);
    let parts: Vec<&str> = name.split("::").collect();
    let is_name =
        |part: &&str| part.starts_with(|char: char| is_word(char)) && part.chars().all(is_word);
    let is_camel =
        |part: &str| part.starts_with(char::is_uppercase) && part.contains(char::is_lowercase);
    if !parts.iter().all(is_name) || !(span.ends_with("()") || parts.len() > 1 || is_camel(name)) {
        return None;
    }
    let exists = match parts.as_slice() {
        [first, _, ..] if foreign.iter().any(|name| name == first) => true,
        [.., owner, member] => has_member(tree, owner, member),
        [name] => is_declared(tree, name),
        [] => true,
    };
    (!exists).then(|| format!("`{span}` is nowhere in the code; mend the map or the name"))
}

fn is_path(tree: &Tree, span: &str) -> bool {
    let is_plain = span.chars().all(|char| is_word(char) || "/.-".contains(char));
    if !is_plain || span.starts_with('/') || !span.contains(['/', '.']) {
        return false;
    }
    let begins_in_root = span.split_once('/').is_some_and(|(first, _)| tree.exists(first));
    begins_in_root
        || span.ends_with('/')
        || EXTENSIONS.iter().any(|extension| span.ends_with(extension))
}

fn has_base_name(tree: &Tree, name: &str) -> bool {
    tree.files().iter().any(|file| file.path.rsplit('/').next() == Some(name))
}

fn is_declared(tree: &Tree, name: &str) -> bool {
    tree.files().iter().flat_map(|file| file.rust_lines()).any(|line| {
        has_word(&line.code, name)
            && DECLARATIONS
                .iter()
                .any(|declaration| has_word(&line.code, &format!("{declaration} {name}")))
    })
}

fn has_member(tree: &Tree, owner: &str, member: &str) -> bool {
    let folder = format!("/{owner}/");
    let module = format!("/{owner}.rs");
    tree.files().iter().filter(|file| file.is_rust()).any(|file| {
        let has = |word: &str| file.rust_lines().iter().any(|line| has_word(&line.code, word));
        (file.path.contains(&folder) || file.path.ends_with(&module) || has(owner)) && has(member)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_map(map: &str, expect: &[&str]) {
        let tree = Tree::from([
            (MAP, map),
            ("Cargo.toml", "[dependencies]\nserde-json = \"1\"\n"),
            ("crates/kernel/src/lib.rs", "pub mod when;\n"),
            (
                "crates/kernel/src/when.rs",
                "pub struct When;\nimpl When { fn parse() {} }\n// struct Ghost;\n",
            ),
        ]);
        let findings: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(findings, expect);
    }

    #[test]
    fn existing_names_pass() {
        check_map(
            "`crates/kernel/src/when.rs` `crates/kernel/` `when.rs` `When` `kernel::when` `When::parse` `parse()`",
            &[],
        );
    }

    #[test]
    fn missing_names_fail() {
        check_map(
            "\n`crates/kernel/src/gone.rs`",
            &[
                "ARCHITECTURE.md:2: `crates/kernel/src/gone.rs` is not a tracked file or folder; fix the map or add it",
            ],
        );
        check_map(
            "`gone.md`",
            &[
                "ARCHITECTURE.md:1: `gone.md` is not a tracked file or folder; fix the map or add it",
            ],
        );
        check_map(
            "`Ghost`",
            &["ARCHITECTURE.md:1: `Ghost` is nowhere in the code; mend the map or the name"],
        );
        check_map(
            "`When::gone`",
            &["ARCHITECTURE.md:1: `When::gone` is nowhere in the code; mend the map or the name"],
        );
        check_map(
            "`gone()`",
            &["ARCHITECTURE.md:1: `gone()` is nowhere in the code; mend the map or the name"],
        );
    }

    #[test]
    fn a_long_map_fails() {
        check_map(&"a\n".repeat(MAP_BYTES_MAX / 2), &[]);
        check_map(
            &"a\n".repeat(MAP_BYTES_MAX / 2 + 1),
            &[
                "ARCHITECTURE.md:1: it has 20002 bytes, and at most 20000 may stand here; shorten it",
            ],
        );
    }

    #[test]
    fn prose_illustrations_and_foreign_code_pass() {
        check_map(
            "`/api/v1/memory` `text/plain` `crates/*/src` `as-of` `MCP` `std::fs::File` `serde_json::Value`",
            &[],
        );
        check_map("```\n`gone.md`\n```\n", &[]);
    }
}
