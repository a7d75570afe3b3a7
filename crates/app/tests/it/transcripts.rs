//! Documents that run: what a page shows is what the program does.
//!
//! The blocks of `console` on a page are one session on one machine, in a copy of the sample: a
//! line `$ command` is run by a shell, and the lines below it are what it prints, on both outputs
//! together. `…` stands for anything within a line; a line of `…` alone stands for any lines.
//!
//! A line ``JSON of `command`…:`` stands above a table whose first column names the keys of every
//! JSON object that the command prints; it is run in the same session. A line ``Keys of `a.b`…:``
//! does the same for objects within what was printed last, through any arrays. A key with a `?`
//! behind it may be absent.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::machine::{BECAUSE, Machine};

/// Where the people of the sample live.
const ZONE: &str = "Europe/Stockholm";
/// Stands for what is left out.
const ELLIPSIS: &str = "…";
const JSON_OF: &str = "JSON of `";
const KEYS_OF: &str = "Keys of `";

/// What a page claims, in its order.
enum Claim<'a> {
    /// A command and what it prints.
    Prints { command: &'a str, lines: Vec<&'a str> },
    /// A command and the keys of the objects that it prints.
    HasKeys { command: &'a str, rows: Vec<&'a str> },
    /// Keys of objects within what was printed last.
    HasKeysWithin { path: &'a str, rows: Vec<&'a str> },
}

fn claims(page: &str) -> Vec<Claim<'_>> {
    let mut claims = Vec::new();
    let mut in_block = false;
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let command = |head: &str| {
            let rest = line.strip_prefix(head).filter(|_| line.ends_with(':'))?;
            rest.split_once('`').map(|(command, _)| command)
        };
        if line.starts_with("```") {
            in_block = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            claims.push(Claim::Prints { command, lines: Vec::new() });
        } else if in_block {
            let Some(Claim::Prints { lines, .. }) = claims.last_mut() else {
                panic!("a transcript begins with a command: {line}");
            };
            lines.push(line);
        } else if line.starts_with(JSON_OF) || line.starts_with(KEYS_OF) {
            let head = if line.starts_with(JSON_OF) { JSON_OF } else { KEYS_OF };
            let Some(named) = command(head) else { panic!("the line is not whole: {line}") };
            let rows: Vec<&str> = std::iter::from_fn(|| {
                lines.next_if(|line| line.is_empty() || line.starts_with('|'))
            })
            .filter(|line| line.starts_with("| `"))
            .collect();
            assert!(!rows.is_empty(), "no table of keys below: {line}");
            claims.push(match head {
                JSON_OF => Claim::HasKeys { command: named, rows },
                _ => Claim::HasKeysWithin { path: named, rows },
            });
        }
    }
    claims
}

/// The keys that rows name: those that must be there, and those that may.
fn keys<'a>(rows: &[&'a str]) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
    let (mut required, mut allowed) = (BTreeSet::new(), BTreeSet::new());
    for row in rows {
        let cell = row.split('|').nth(1).unwrap();
        let mut pieces = cell.split('`').skip(1);
        while let (Some(key), after) = (pieces.next(), pieces.next()) {
            allowed.insert(key);
            if !after.is_some_and(|after| after.starts_with('?')) {
                required.insert(key);
            }
        }
    }
    (required, allowed)
}

fn assert_keys(what: &str, value: &Value, rows: &[&str]) {
    let (required, allowed) = keys(rows);
    let object = value.as_object().unwrap_or_else(|| panic!("{what}: not an object: {value}"));
    let printed: BTreeSet<&str> = object.keys().map(String::as_str).collect();
    let missing: Vec<_> = required.difference(&printed).collect();
    let undocumented: Vec<_> = printed.difference(&allowed).collect();
    assert!(
        missing.is_empty() && undocumented.is_empty(),
        "{what}: documented but not printed: {missing:?}; printed but not documented: \
         {undocumented:?}"
    );
}

/// The values at a path of names; arrays on the way are gone through.
fn within<'a>(value: &'a Value, path: &[&str]) -> Vec<&'a Value> {
    match (value, path) {
        (Value::Array(items), _) => items.iter().flat_map(|item| within(item, path)).collect(),
        (_, []) => vec![value],
        (_, [name, rest @ ..]) => {
            value.get(*name).map(|inner| within(inner, rest)).unwrap_or_default()
        }
    }
}

/// Whether `line` is as `pattern` says.
fn line_fits(pattern: &str, line: &str) -> bool {
    let Some((head, rest)) = pattern.split_once(ELLIPSIS) else { return pattern == line };
    let Some(after) = line.strip_prefix(head) else { return false };
    let ends = after.char_indices().map(|(at, _)| at).chain([after.len()]);
    ends.into_iter().any(|at| line_fits(rest, &after[at..]))
}

/// Whether `lines` are as `patterns` say.
fn lines_fit(patterns: &[&str], lines: &[&str]) -> bool {
    match (patterns, lines) {
        ([ELLIPSIS, rest @ ..], _) => (0..=lines.len()).any(|at| lines_fit(rest, &lines[at..])),
        ([pattern, patterns @ ..], [line, lines @ ..]) => {
            line_fits(pattern, line) && lines_fit(patterns, lines)
        }
        ([], lines) => lines.is_empty(),
        (_, []) => false,
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A machine with the sample in its working folder and the program on its path.
struct Session {
    machine: Machine,
    path: std::ffi::OsString,
}

impl Session {
    fn new() -> Self {
        let machine = Machine::new();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        copy_folder(&fixtures.join("samples"), &machine.work());
        let programs = machine.home().with_file_name("programs");
        std::fs::create_dir(&programs).unwrap();
        std::os::unix::fs::symlink(BECAUSE, programs.join("because")).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        let paths = std::iter::once(programs).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(paths).unwrap();
        Self { machine, path }
    }

    /// What a shell prints that runs the command.
    fn run(&self, command: &str) -> String {
        let call = self
            .machine
            .call("sh", ["-c", command])
            .variable("PATH", &self.path)
            .variable("TZ", ZONE);
        call.run().succeeds().out()
    }
}

/// Runs everything that a page shows; how many commands that were.
pub(crate) fn run(name: &str, page: &str) -> usize {
    let session = Session::new();
    let mut printed: Vec<Value> = Vec::new();
    let mut ran = 0;
    for claim in claims(page) {
        match claim {
            Claim::Prints { command, lines: expected } => {
                ran += 1;
                let out = session.run(&format!("exec 2>&1\n{command}"));
                let lines: Vec<&str> = out.lines().collect();
                assert!(
                    lines_fit(&expected, &lines),
                    "$ {command}\n--- {name} says\n{}\n--- the program says\n{out}",
                    expected.join("\n")
                );
            }
            Claim::HasKeys { command, rows } => {
                ran += 1;
                let out = session.run(command);
                printed = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                assert!(!printed.is_empty(), "{name}: nothing is printed by {command}");
                printed.iter().for_each(|value| assert_keys(command, value, &rows));
            }
            Claim::HasKeysWithin { path, rows } => {
                let names: Vec<&str> = path.split('.').collect();
                let found: Vec<&Value> =
                    printed.iter().flat_map(|value| within(value, &names)).collect();
                assert!(!found.is_empty(), "{name}: nothing was printed at {path}");
                found.iter().for_each(|value| assert_keys(path, value, &rows));
            }
        }
    }
    ran
}

#[test]
fn only_an_ellipsis_is_a_wildcard() {
    assert!(lines_fit(&["a … c", ELLIPSIS, "d"], &["a b c", "x", "y", "d"]));
    assert!(lines_fit(&["a…", ELLIPSIS], &["a"]));
    assert!(!lines_fit(&["a … c"], &["a b d"]));
    assert!(!lines_fit(&["a"], &["a", "b"]));
    assert!(!lines_fit(&["a", "b"], &["a"]));
}

#[test]
fn only_keys_with_a_question_mark_are_optional() {
    let rows = ["| `a` | x |", "| `b`?, `c` | y |"];
    let fits = |value: Value| std::panic::catch_unwind(|| assert_keys("", &value, &rows)).is_ok();
    assert!(fits(serde_json::json!({"a": 1, "c": 1})));
    assert!(fits(serde_json::json!({"a": 1, "b": 1, "c": 1})));
    assert!(!fits(serde_json::json!({"a": 1, "b": 1})));
    assert!(!fits(serde_json::json!({"a": 1, "c": 1, "d": 1})));
}
