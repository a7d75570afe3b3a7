//! Messages of the crates below the program name no command of it.
//!
//! An error of the store or the engine reaches people at a command line, agents and programs. What
//! is to be typed concerns only the first: `crates/app/src/failure/hint.rs` says it.

use super::Finding;
use super::rust_source::has_word;
use super::tree::Tree;

/// Where the commands are.
const COMMANDS: &str = "crates/app/src/cli/mod.rs";
/// The program may name them.
const PROGRAM: &str = "crates/app/";

/// Finds texts that name a command.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let names = command_names(tree);
    let mut findings = Vec::new();
    for file in tree.files() {
        let is_below = file.path.starts_with("crates/") && file.path.contains("/src/");
        if !is_below || file.path.starts_with(PROGRAM) || file.is_test() {
            continue;
        }
        for (number, line) in (1..).zip(file.rust_lines()).filter(|(_, line)| !line.in_tests) {
            let named = names.iter().find(|name| has_word(&line.literals, name));
            if let Some(name) = named {
                let advice = format!(
                    "`{name}` is a command, which only `app` knows; say what is wrong, and what to type in crates/app/src/failure/hint.rs"
                );
                findings.push(Finding::new(&file.path, number, advice));
            }
        }
    }
    findings
}

/// `because recall` and the like, from the variants of `Command`.
fn command_names(tree: &Tree) -> Vec<String> {
    let Some(file) = tree.file(COMMANDS) else { return Vec::new() };
    let lines = file.rust_lines().iter().map(|line| line.code.trim());
    let variants = lines.skip_while(|line| *line != "enum Command {").skip(1);
    let variants = variants.take_while(|line| *line != "}").filter_map(|line| line.split_once('('));
    variants.map(|(variant, _)| format!("because {}", kebab_case(variant))).collect()
}

/// `WhatIf` as `what-if`.
fn kebab_case(variant: &str) -> String {
    let mut name = String::new();
    for char in variant.chars() {
        if char.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(char.to_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLI: &str =
        "enum Command {\n    /// Ask\n    Recall(recall::Args),\n    WhatIf(a::Args),\n}\n";

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let findings = check(&Tree::from([(COMMANDS, CLI), (path, text)]));
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_message_below_the_program_names_no_command() {
        let text =
            "// because recall\n\"no; `because recall` finds it\";\n\"try because what-if\";\n";
        assert_eq!(lines("crates/store/src/lib.rs", text), [2, 3]);
        assert_eq!(lines("crates/engine/src/a.rs", "r#\"`because recall`\"#;\n"), [1]);
    }

    #[test]
    fn the_commands_are_those_of_the_program() {
        let source = include_str!("../../../crates/app/src/cli/mod.rs");
        let names = command_names(&Tree::from([(COMMANDS, source)]));
        for name in ["because recall", "because what-if", "because completions"] {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
    }

    #[test]
    fn prose_tests_and_the_program_itself_are_left_alone() {
        let fine = "\"refused because recalling failed, and because of that\";\n";
        assert_eq!(lines("crates/store/src/lib.rs", fine), [0; 0]);
        let text = "\"because recall\";\n";
        assert_eq!(lines("crates/app/src/failure/hint.rs", text), [0; 0]);
        assert_eq!(lines("crates/engine/tests/it/a.rs", text), [0; 0]);
        let tests = format!("#[cfg(test)]\nmod tests {{\n    {text}}}\n");
        assert_eq!(lines("crates/engine/src/a.rs", &tests), [0; 0]);
    }
}
