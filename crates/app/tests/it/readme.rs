//! What the README shows is what the program does.
//!
//! The README's blocks of `console` are one session on one machine, in a copy of the sample: a line
//! `$ command` is run by a shell, and the lines below it are what it prints, on both outputs
//! together. `…` stands for anything within a line; a line of `…` alone stands for any lines.

use std::path::Path;

use crate::machine::{BECAUSE, Machine};

const README: &str = include_str!("../../../../README.md");
/// Stands for what is left out.
const ELLIPSIS: &str = "…";

/// A command and what it is said to print.
struct Step {
    command: String,
    expected: Vec<&'static str>,
}

fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut in_block = false;
    for line in README.lines() {
        if line.starts_with("```") {
            in_block = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            steps.push(Step { command: command.to_owned(), expected: Vec::new() });
        } else if in_block {
            steps.last_mut().unwrap().expected.push(line);
        }
    }
    steps
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

#[test]
fn what_the_readme_shows_is_what_the_program_prints() {
    let machine = Machine::new();
    copy_folder(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/samples"),
        &machine.work(),
    );
    let programs = machine.home().with_file_name("programs");
    std::fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(BECAUSE, programs.join("because")).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let paths = std::iter::once(programs).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).unwrap();
    let steps = steps();
    assert!(steps.len() > 15, "the README has lost its transcripts");
    for Step { command, expected } in steps {
        let ran = machine
            .call("sh", ["-c", &format!("exec 2>&1\n{command}")])
            .variable("PATH", &path)
            .run()
            .succeeds();
        let printed = ran.out();
        let lines: Vec<&str> = printed.lines().collect();
        assert!(
            lines_fit(&expected, &lines),
            "$ {command}\n--- the README says\n{}\n--- the program says\n{printed}",
            expected.join("\n")
        );
    }
}

#[test]
fn the_readme_names_every_command_and_every_format() {
    let machine = Machine::new();
    let help = machine.because(["--help"]).run().succeeds().out();
    let below = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let commands: Vec<&str> = below.filter_map(|line| line.split_whitespace().next()).collect();
    let refused = machine.because(["import", "--format", "none of them", "."]).run().ends(2).err();
    let formats: Vec<&str> = refused.trim().rsplit(": ").next().unwrap().split(", ").collect();
    assert!(commands.len() > 10 && formats.len() > 10, "{commands:?} {formats:?}");
    // Lines are wrapped between any two words.
    let readme = README.split_whitespace().collect::<Vec<_>>().join(" ");
    for command in commands {
        assert!(
            readme.contains(&format!("because {command}")),
            "the README does not name `because {command}`"
        );
    }
    for format in formats {
        assert!(
            README.contains(&format!("`{format}`")),
            "the README does not name the format `{format}`"
        );
    }
}

#[test]
fn the_readme_says_what_every_part_of_a_score_is() {
    use retrieval::rank::{Signals, Weights, fuse};
    let table: Vec<&str> =
        README.lines().skip_while(|line| *line != "| part | what it says |").collect();
    for part in fuse(&Weights::default(), &Signals::default()).parts {
        let mut rows = table.iter().take_while(|line| line.starts_with('|'));
        let first =
            |row: &&&str| row.split('|').nth(1).unwrap().contains(&format!("`{}`", part.name));
        assert!(rows.find(first).is_some(), "the README does not say what `{}` is", part.name);
    }
}

#[test]
fn an_ellipsis_stands_for_anything_and_nothing_else_does() {
    assert!(lines_fit(&["a … c", ELLIPSIS, "d"], &["a b c", "x", "y", "d"]));
    assert!(lines_fit(&["a…", ELLIPSIS], &["a"]));
    assert!(!lines_fit(&["a … c"], &["a b d"]));
    assert!(!lines_fit(&["a"], &["a", "b"]));
    assert!(!lines_fit(&["a", "b"], &["a"]));
}
