//! Checks that every fixture is used.
//!
//! A file under `fixtures/` counts as used if a tracked text outside of the data names it, or a
//! folder that it lies in below its group: `fixtures/GROUP/FOLDER/…/FILE`. The group's name alone
//! is too common to count. Read-me files, which describe the others, need no user, and the files
//! that they name count as used.

use std::collections::BTreeMap;

use super::Finding;
use super::rust_source::is_word;
use super::tree::Tree;

/// Finds data without a user.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut seen: BTreeMap<&str, bool> = BTreeMap::new();
    let mut is_named = |name| *seen.entry(name).or_insert_with(|| names(tree, name));
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| file.is_data()) {
        let Some(path) = file.path.strip_prefix("fixtures/") else { continue };
        // A file outside of the groups must be named itself.
        let below_group = path.split_once('/').map_or(path, |(_, rest)| rest);
        if !below_group.split('/').any(&mut is_named) {
            findings.push(Finding::new(
                &file.path,
                1,
                "no test or document names it; use it or remove it",
            ));
        }
    }
    findings
}

/// True where a text has `name` as a part of a path: between quotes, slashes, white space and the
/// like.
fn names(tree: &Tree, name: &str) -> bool {
    let is_part = |char: char| is_word(char) || matches!(char, '-' | '.');
    tree.files().iter().filter(|file| !file.is_data()).any(|file| {
        file.text.match_indices(name).any(|(start, _)| {
            let before = file.text.get(..start).and_then(|head| head.chars().next_back());
            let after = file.text.get(start + name.len()..).and_then(|tail| tail.chars().next());
            let is_in_path = name.contains('.')
                || before == Some('/')
                || after == Some('/')
                || before == Some('"');
            is_in_path
                && !before.is_some_and(is_part)
                && !after.is_some_and(|char| is_part(char) && char != '.')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_text(text: &str, expect: &[&str]) {
        let tree = Tree::from([
            ("crates/a/tests/b.rs", text),
            ("fixtures/README.md", ""),
            ("fixtures/mail/simple.eml", "simple.eml"),
            ("fixtures/mail/vault/a.md", ""),
            ("fixtures/mail/vault/b.txt", ""),
        ]);
        let findings: Vec<String> = check(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(findings, expect);
    }

    #[test]
    fn a_fixture_is_used_by_its_name_or_its_folder() {
        check_text("open(\"mail/simple.eml\"); open(\"vault\")", &[]);
        check_text("open(\"mail/vault/b.txt\"), see simple.eml.", &[]);
    }

    #[test]
    fn a_fixture_without_a_user_fails() {
        check_text(
            "a vault of mail/",
            &["fixtures/mail/simple.eml", "fixtures/mail/vault/a.md", "fixtures/mail/vault/b.txt"],
        );
    }
}
