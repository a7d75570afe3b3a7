//! Checks that every dependency has a documented reason.
//!
//! `docs/dependencies.md` holds tables `| crate | used in | why |`, with the crate's name in
//! backticks. Each crate in a manifest needs one row, each row needs a crate that is used, and the
//! middle column must list its users correctly.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::manifest::{self, Origin};
use super::tree::Tree;

/// The file with the reasons.
const REASONS: &str = "docs/dependencies.md";

/// Compares the reasons with the manifests.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = match manifest::read_all(tree) {
        Ok(manifests) => manifests,
        Err(finding) => return vec![finding],
    };
    let mut findings = Vec::new();
    let mut rows = rows(tree);
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for manifest in &manifests {
        for dependency in
            manifest.dependencies.iter().filter(|dependency| dependency.origin == Origin::Registry)
        {
            users.entry(&dependency.name).or_default().insert(&manifest.name);
            if !rows.contains_key(dependency.name.as_str()) {
                let advice = format!(
                    "`{}` has no row in {REASONS}; write there why we need it",
                    dependency.name
                );
                findings.push(Finding::new(&manifest.path, dependency.line, advice));
            }
        }
    }
    for (name, used_in) in users {
        let used_in = used_in.into_iter().collect::<Vec<_>>().join(", ");
        if let Some(row) = rows.remove(name) {
            if row.used_in != used_in {
                let advice =
                    format!("`{name}` is used in: {used_in}; write so in the second column");
                findings.push(Finding::new(REASONS, row.line, advice));
            }
            if row.why.is_empty() {
                findings.push(Finding::new(REASONS, row.line, format!("say why we need `{name}`")));
            }
        }
    }
    for (name, row) in rows {
        findings.push(Finding::new(
            REASONS,
            row.line,
            format!("`{name}` is not used; remove the row"),
        ));
    }
    findings
}

struct Row<'a> {
    line: usize,
    used_in: &'a str,
    why: &'a str,
}

/// The rows of all tables, by crate.
fn rows(tree: &Tree) -> BTreeMap<&str, Row<'_>> {
    let text = tree.file(REASONS).map_or("", |file| &file.text);
    (1..).zip(text.lines()).filter_map(|(line, text)| row(line, text)).collect()
}

fn row(line: usize, text: &str) -> Option<(&str, Row<'_>)> {
    let mut cells = text.strip_prefix('|')?.split('|').map(str::trim);
    let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
    Some((name, Row { line, used_in: cells.next()?, why: cells.next()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_reasons(reasons: &str, expect: &[&str]) {
        let tree = Tree::from([
            ("crates/store/Cargo.toml", "[dependencies]\nserde = \"1\"\n"),
            ("crates/kernel/Cargo.toml", "[dependencies]\nserde = \"1\"\n"),
            (REASONS, reasons),
        ]);
        let findings: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(findings, expect);
    }

    #[test]
    fn a_reason_that_is_true_passes() {
        check_reasons(
            "| crate | used in | why |\n|---|---|---|\n| `serde` | kernel, store | JSON |\n",
            &[],
        );
    }

    #[test]
    fn a_dependency_without_a_reason_fails() {
        check_reasons(
            "",
            &[
                "crates/store/Cargo.toml:2: `serde` has no row in docs/dependencies.md; write there why we need it",
                "crates/kernel/Cargo.toml:2: `serde` has no row in docs/dependencies.md; write there why we need it",
            ],
        );
    }

    #[test]
    fn a_reason_that_is_not_true_fails() {
        check_reasons(
            "| `serde` | kernel |  |\n| `rand` | kernel | luck |\n",
            &[
                "docs/dependencies.md:1: `serde` is used in: kernel, store; write so in the second column",
                "docs/dependencies.md:1: say why we need `serde`",
                "docs/dependencies.md:2: `rand` is not used; remove the row",
            ],
        );
    }
}
