//! Checks of text style: length, white space, machine-specific paths, unfinished work.
//!
//! Data (`fixtures/` and snapshots) is exempt from the checks of white space and words, because its
//! bytes matter; but it must not contain machine-specific paths either.

use super::Finding;
use super::rust_source::{has_word, is_word};
use super::tree::{File, Tree};

/// A module longer than this fails.
const MODULE_LINES_MAX: usize = 800;
/// A module longer than this gets a note.
const MODULE_LINES_GOOD: usize = 400;
/// Macros and attributes that mark unfinished work.
const UNFINISHED_CODE: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// Words that mark unfinished work; in pieces, so that they do not find themselves.
const UNFINISHED_WORDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Finds violations.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files() {
        length(file, MODULE_LINES_MAX, &mut findings);
        machine_paths(file, &mut findings);
        if !file.is_data() {
            white_space(file, &mut findings);
            unfinished_words(file, &mut findings);
        }
        unfinished_code(file, &mut findings);
    }
    findings
}

/// Finds notes that do not fail the build.
pub(crate) fn notes(tree: &Tree) -> Vec<Finding> {
    let mut notes = Vec::new();
    tree.files().iter().for_each(|file| length(file, MODULE_LINES_GOOD, &mut notes));
    notes
}

fn length(file: &File, lines_max: usize, findings: &mut Vec<Finding>) {
    let lines = file.text.lines().count();
    if file.is_rust() && lines > lines_max {
        let advice = format!("{lines} lines are more than {lines_max}; split the module by idea");
        findings.push(Finding::new(&file.path, lines_max + 1, advice));
    }
}

fn white_space(file: &File, findings: &mut Vec<Finding>) {
    for (number, line) in (1..).zip(file.text.split('\n')) {
        if line.ends_with('\r') {
            findings.push(Finding::new(
                &file.path,
                number,
                "the line ends in CR LF; end lines in LF alone",
            ));
            continue;
        }
        if line.ends_with([' ', '\t']) {
            findings.push(Finding::new(
                &file.path,
                number,
                "remove the white space at the line's end",
            ));
        }
        if file.is_rust() && line.contains('\t') {
            findings.push(Finding::new(
                &file.path,
                number,
                "write spaces in place of the tab, `\\t` in a literal",
            ));
        }
    }
}

fn unfinished_words(file: &File, findings: &mut Vec<Finding>) {
    let mut look = |number: usize, text: &str| {
        for word in UNFINISHED_WORDS.iter().filter(|word| has_word(text, word)) {
            let advice = format!("{word}: do it now, or leave it out and open an issue");
            findings.push(Finding::new(&file.path, number, advice));
        }
    };
    if file.is_rust() {
        // Task lists are an input format, so these words may be data in the code.
        (1..).zip(file.rust_lines()).for_each(|(number, line)| look(number, &line.comment));
    } else {
        (1..).zip(file.text.lines()).for_each(|(number, line)| look(number, line));
    }
}

fn unfinished_code(file: &File, findings: &mut Vec<Finding>) {
    for (number, line) in (1..).zip(file.rust_lines()) {
        for code in UNFINISHED_CODE.iter().filter(|code| has_word(&line.code, code)) {
            let advice = format!("`{code}` marks unfinished work: finish it or take it out");
            findings.push(Finding::new(&file.path, number, advice));
        }
    }
}

/// Machine-specific folders. Tests and data may invent people and scratch files, so they may use
/// the last two.
fn machine_paths(file: &File, findings: &mut Vec<Finding>) {
    let always_test = file.is_test() || file.path.starts_with("fixtures/");
    let rust_lines = file.rust_lines();
    for (index, line) in file.text.lines().enumerate() {
        let in_tests = always_test || rust_lines.get(index).is_some_and(|line| line.in_tests);
        let is_named = |folder: &str| names_folder(line, folder, |rest| rest.starts_with('/'));
        let names_home = || {
            names_folder(line, "/home/", |rest| {
                rest.find(|char| !is_word(char) && char != '-')
                    .is_some_and(|end| end > 0 && rest[end..].starts_with('/'))
            })
        };
        if is_named("/root") || !in_tests && (is_named("/tmp") || names_home()) {
            let advice =
                "names a folder of one machine; write a relative path, `~`, or ask the caller";
            findings.push(Finding::new(&file.path, index + 1, advice));
        }
    }
}

/// True if an absolute path starts with `folder`, followed by text that `accepts` allows.
fn names_folder(line: &str, folder: &str, accepts: impl Fn(&str) -> bool) -> bool {
    line.match_indices(folder).any(|(start, _)| {
        let before = line.get(..start).and_then(|head| head.chars().next_back());
        let is_absolute = !before.is_some_and(|char| is_word(char) || "./~-}>)*".contains(char));
        is_absolute && line.get(start + folder.len()..).is_some_and(&accepts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(path: &str, text: &str, expect: &[(usize, &str)]) {
        let findings = check(&Tree::from([(path, text)]));
        assert_eq!(findings.len(), expect.len(), "{findings:?}");
        for (finding, (line, part)) in findings.iter().zip(expect) {
            assert_eq!(finding.line, *line, "{finding}");
            assert!(finding.advice.contains(part), "{finding}");
        }
    }

    #[test]
    fn a_module_has_a_length_limit() {
        check_one("a.rs", &"\n".repeat(800), &[]);
        check_one("a.rs", &"\n".repeat(801), &[(801, "801 lines")]);
        check_one("a.md", &"\n".repeat(801), &[]);
        assert_eq!(notes(&Tree::from([("a.rs", "\n".repeat(401).as_str())])).len(), 1);
    }

    #[test]
    fn white_space_is_checked_except_in_data() {
        check_one("a.md", "a \nb\r\n\tc\n", &[(1, "line's end"), (2, "CR LF")]);
        check_one("a.rs", "a\n\tb\n", &[(2, "tab")]);
        check_one("fixtures/a.ics", "a \r\n", &[]);
    }

    #[test]
    fn unfinished_work_is_found() {
        let word = UNFINISHED_WORDS[0];
        check_one("a.rs", &format!("a(); // {word}: b\n"), &[(1, "do it now")]);
        check_one("a.rs", &format!("let keyword = \"{word}\";\n"), &[]);
        check_one("a.md", &format!("V{word} and a {word}\n"), &[(1, "do it now")]);
        check_one("a.rs", "x();\ntodo!();\n", &[(2, "todo!")]);
        check_one("a.rs", "// dbg!\n\"dbg!\"\n", &[]);
        check_one("a.rs", "#[ignore = \"slow\"]\n", &[(1, "#[ignore")]);
    }

    #[test]
    fn machine_specific_folders_are_found() {
        check_one("a.md", &["see ", "/root", "/a"].concat(), &[(1, "one machine")]);
        check_one("fixtures/a.json", &["\"", "/root", "/a\""].concat(), &[(1, "one machine")]);
        check_one("a.sh", "cd /tmp/a; cd /home/ana/b\n", &[(1, "one machine")]);
        check_one("a/tests/b.rs", "open(\"/home/ana/b\")\n", &[]);
        check_one("a/src/b/tests.rs", "open(\"/tmp/b\")\n", &[]);
        check_one("a.md", "~/notes/a, https://example.org/root/a, /home/<name>/\n", &[]);
    }
}
