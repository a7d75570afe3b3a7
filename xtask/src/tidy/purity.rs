//! Checks that the deterministic crates are pure.
//!
//! `kernel` and `derivers` are functions of their arguments: no clock, no randomness, no
//! environment, no waiting; outside their tests no files and no network either. Waiting (`async`)
//! belongs to `app` alone. `clippy.toml` could ban most of the calls, but only for the whole
//! workspace.

use super::Finding;
use super::rust_source::has_word;
use super::tree::Tree;

/// Crates that are pure.
const PURE_CRATES: [&str; 4] =
    ["crates/calendar/src/", "crates/derivers/src/", "crates/kernel/src/", "crates/retrieval/src/"];
/// The crates that may wait.
const ASYNC_CRATES: [&str; 1] = ["crates/app/"];
/// Sources of other inputs than the arguments.
const IMPURE: [&str; 8] = [
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "std::env",
    "env::var",
    "rand",
    "getrandom",
];
/// Allowed in tests only, to read their vectors.
const INPUT_AND_OUTPUT: [&str; 3] = ["std::fs", "std::net", "std::process"];

/// Finds impure code.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files() {
        let is_pure = PURE_CRATES.iter().any(|folder| file.path.starts_with(folder));
        let may_wait = ASYNC_CRATES.iter().any(|folder| file.path.starts_with(folder));
        for (number, line) in (1..).zip(file.rust_lines()) {
            let mut report = |what: &str, advice: &str| {
                if has_word(&line.code, what) {
                    findings.push(Finding::new(&file.path, number, format!("`{what}`: {advice}")));
                }
            };
            if !may_wait {
                report("async", "only `app` waits; make it synchronous, or move it there");
            }
            if is_pure {
                IMPURE.iter().for_each(|what| {
                    report(what, "this crate is pure; take the value as an argument")
                });
            }
            if is_pure && !line.in_tests && !file.is_test() {
                INPUT_AND_OUTPUT
                    .iter()
                    .for_each(|what| report(what, "this crate is pure; take the bytes"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(path: &str, text: &str, expect: &[&str]) {
        let findings: Vec<String> =
            check(&Tree::from([(path, text)])).iter().map(ToString::to_string).collect();
        assert_eq!(findings, expect);
    }

    #[test]
    fn a_pure_crate_reads_no_clock() {
        let text = "// Timestamp::now is not read.\nlet now = jiff::Timestamp::now();\n";
        let expect = "crates/kernel/src/a.rs:2: `Timestamp::now`: this crate is pure; take the value as an argument";
        check_one("crates/kernel/src/a.rs", text, &[expect]);
        check_one("crates/app/src/a.rs", text, &[]);
    }

    #[test]
    fn a_pure_crate_reads_files_in_tests_only() {
        let text = "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        check_one("crates/derivers/src/a.rs", text, &[]);
        let expect = "crates/derivers/src/a.rs:1: `std::fs`: this crate is pure; take the bytes";
        check_one("crates/derivers/src/a.rs", "use std::fs;\n", &[expect]);
    }

    #[test]
    fn only_the_app_may_be_async() {
        let text = "async fn a() {}\n";
        let expect = "crates/store/src/a.rs:1: `async`: only `app` waits; make it synchronous, or move it there";
        check_one("crates/store/src/a.rs", text, &[expect]);
        check_one("crates/app/src/a.rs", text, &[]);
    }
}
