//! The reference of the command line, `docs/cli.md`, and the program agree.
//!
//! Below the heading of each command stands a block between two marks: how it is called, and its
//! arguments and options. The block is made from the program's own `-h`, so it cannot drift:
//! `cargo xtask cli-docs` writes it, by way of [`WRITE`], and this test compares. Everything else
//! on the page is written by people; its transcripts and tables of keys are run by
//! [`crate::transcripts`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::machine::Machine;

/// Set by `cargo xtask cli-docs`: blocks that differ are written instead of reported.
const WRITE: &str = "BECAUSE_WRITE_CLI_DOCS";
const BEGIN: &str = "<!-- from the program: ";
const END: &str = "<!-- end -->";
/// Options of every command; they stand in the program's own block alone.
const GLOBAL: [&str; 6] =
    ["--json", "--space", "--embedder", "--language-model", "--help", "--version"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/cli.md")).unwrap()
}

/// The output of `-h` for a command, parsed.
struct Help {
    about: String,
    usage: String,
    /// Arguments and options, each with its words.
    rows: Vec<(String, String)>,
    /// Subcommands, each with its words.
    commands: Vec<(String, String)>,
}

fn help(machine: &Machine, command: &str) -> Help {
    let words = command.split(' ').skip(1).chain(["-h"]);
    let printed = machine.because(words).run().succeeds().out();
    let (about, rest) = printed.split_once("\n\nUsage: ").unwrap();
    let mut lines = rest.lines();
    let usage = lines.next().unwrap().to_owned();
    let (mut rows, mut commands) = (Vec::new(), Vec::new());
    let mut section = "";
    for line in lines {
        if matches!(line, "Commands:" | "Arguments:" | "Options:" | "Global options:") {
            section = line;
        } else if line.is_empty() {
            section = "";
        } else if !section.is_empty() {
            let list = if section == "Commands:" { &mut commands } else { &mut rows };
            let item = line.trim_start();
            if line.len() - item.len() <= 6 {
                let (name, words) = item.split_once("  ").unwrap_or((item, ""));
                list.push((name.to_owned(), words.trim().to_owned()));
            } else if let Some((_, words)) = list.last_mut() {
                let space = if words.is_empty() { "" } else { " " };
                *words += &format!("{space}{item}");
            }
        }
    }
    Help { about: about.replace('\n', " "), usage, rows, commands }
}

/// Every command of the program, itself included, with its help.
fn tree(machine: &Machine) -> BTreeMap<String, Help> {
    let mut tree = BTreeMap::new();
    let mut open = vec!["because".to_owned()];
    while let Some(command) = open.pop() {
        let help = help(machine, &command);
        open.extend(help.commands.iter().map(|(name, _)| format!("{command} {name}")));
        tree.insert(command, help);
    }
    tree
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

/// The block of a command, without its marks.
fn block(command: &str, help: &Help) -> String {
    let mut block = String::new();
    let about = help.about.trim_end_matches('.');
    writeln!(block, "\n{about}.\n\n```text\n{}\n```\n", help.usage).unwrap();
    if command == "because" {
        // The names of commands lead to their headings.
        writeln!(block, "| command | what it does |\n|---|---|").unwrap();
        for (name, words) in &help.commands {
            writeln!(block, "| [`{name}`](#because-{name}) | {} |", cell(words)).unwrap();
        }
        block.push('\n');
    }
    let is_own = |(name, _): &&(String, String)| {
        command == "because" || !GLOBAL.iter().any(|global| name.contains(global))
    };
    let rows: Vec<_> = help.rows.iter().filter(is_own).collect();
    if !rows.is_empty() {
        writeln!(block, "| argument or option | what it does |\n|---|---|").unwrap();
        for (name, words) in rows {
            writeln!(block, "| `{}` | {} |", name.replace('|', "\\|"), cell(words)).unwrap();
        }
        block.push('\n');
    }
    block
}

/// The page with every block as the program has it now; what is wrong with its marks.
fn with_blocks(page: &str, tree: &BTreeMap<String, Help>) -> (String, Vec<String>) {
    let (mut made, mut problems, mut seen) = (String::new(), Vec::new(), BTreeSet::new());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (command, old) = after.split_once(" -->\n").unwrap();
        let (_, after) = old.split_once(END).unwrap_or_else(|| panic!("no end of {command}"));
        let heading = before.trim_end().rsplit('\n').next().unwrap_or_default();
        if command != "because" && heading.trim_start_matches('#') != format!(" {command}") {
            problems.push(format!("the block of `{command}` stands below {heading:?}"));
        }
        writeln!(made, "{before}{BEGIN}{command} -->").unwrap();
        match tree.get(command) {
            Some(help) => made += &block(command, help),
            None => problems.push(format!("the program has no command `{command}`")),
        }
        made += END;
        if !seen.insert(command.to_owned()) {
            problems.push(format!("`{command}` has two blocks"));
        }
        rest = after;
    }
    let absent = tree.keys().filter(|command| !seen.contains(*command));
    problems.extend(absent.map(|command| format!("`{command}` has no block")));
    (made + rest, problems)
}

#[test]
fn the_reference_lists_exactly_the_commands_and_options() {
    let page = page();
    let (made, problems) = with_blocks(&page, &tree(&Machine::new()));
    assert!(problems.is_empty(), "docs/cli.md: {}", problems.join("; "));
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(root().join("docs/cli.md"), &made).unwrap();
        return;
    }
    let differing: Vec<String> = made
        .lines()
        .zip(page.lines())
        .filter(|(made, page)| made != page)
        .map(|(made, page)| format!("the program: {made}\nthe page:    {page}"))
        .take(3)
        .collect();
    assert!(
        made == page,
        "docs/cli.md differs; `cargo xtask cli-docs` writes it anew\n{}",
        differing.join("\n")
    );
}

/// The string literals of every `fn code(&self) -> &'static str` below a folder.
fn codes(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            codes(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            for body in source.split("fn code(&self) -> &'static str {").skip(1) {
                let body = body.split("\n    }").next().unwrap();
                found.extend(body.split('"').skip(1).step_by(2).map(str::to_owned));
            }
        }
    }
}

#[test]
fn the_reference_lists_exactly_the_error_codes() {
    let mut coded = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            codes(&source, &mut coded);
        }
    }
    assert!(coded.len() > 50, "the codes were not found in the sources: {coded:?}");
    let page = page();
    let listed: BTreeSet<String> = page
        .lines()
        .skip_while(|line| *line != "| code | what happened |")
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| line.split('`').nth(1))
        .map(str::to_owned)
        .collect();
    let absent: Vec<_> = coded.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&coded).collect();
    assert!(absent.is_empty() && stale.is_empty(), "not listed: {absent:?}; stale: {stale:?}");
}
