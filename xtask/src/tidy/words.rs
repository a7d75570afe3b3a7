//! Checks the wording: prose has at most 100 columns and contains no retired phrases.
//!
//! The lists are here: phrases that read as a translation, and type names that are verbs.
//! `docs/glossary.md` has the word that we use for each idea. Comments, strings, names and
//! documents are checked alike; data is exempt.

use super::Finding;
use super::tree::{File, Tree};

/// Longest line of prose, in characters.
const COLUMNS_MAX: usize = 100;

/// Retired phrases, their words joined by `+` so that this list does not find itself.
const PHRASES: [(&str, &str); 11] = [
    ("belongs+into", "belongs in"),
    ("belong+into", "belong in"),
    ("begins+so", "begins with …"),
    ("begin+so", "begin with …"),
    ("is+called+so", "has that name"),
    ("are+called+so", "have that name"),
    ("goes+on+where", "resumes where"),
    ("what+is+told", "the record, or the input"),
    ("what+is+asked", "the question"),
    ("what+is+meant", "the meaning, or the belief"),
    ("what+is+said", "the statement"),
];
/// Words that may follow "is" and "no" in plain English.
const AFTER_NO: [&str; 8] = ["longer", "more", "less", "fewer", "sooner", "later", "better", "one"];
/// Type names that are verbs or pictures.
const TYPE_NAMES: [&str; 15] = [
    "Said",
    "Told",
    "Asked",
    "Meant",
    "Teller",
    "Shelf",
    "Shelves",
    "Trouble",
    "Garbled",
    "Manner",
    "Answering",
    "Fallen",
    "Telling",
    "Shelved",
    "Wish",
];

/// Finds long lines of prose and retired words.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| !file.is_data()) {
        if file.is_rust() || file.path.ends_with(".md") {
            columns(file, &mut findings);
            phrases(file, &mut findings);
        }
        type_names(file, &mut findings);
    }
    findings
}

fn columns(file: &File, findings: &mut Vec<Finding>) {
    let mut fenced = false;
    for (number, line) in (1..).zip(file.text.lines()) {
        let trimmed = line.trim_start();
        let prose = if file.is_rust() {
            trimmed.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim_start())
        } else {
            Some(trimmed)
        };
        let Some(prose) = prose else { continue };
        if prose.starts_with("```") {
            fenced = !fenced;
        }
        let is_free = fenced || prose.starts_with(['|', '#', '[']) || !prose.contains(' ');
        if line.chars().count() > COLUMNS_MAX && !is_free {
            let advice = format!("wrap the text at {COLUMNS_MAX} columns");
            findings.push(Finding::new(&file.path, number, advice));
        }
    }
}

fn phrases(file: &File, findings: &mut Vec<Finding>) {
    // A phrase may span two lines, so the last words of the line before are included.
    let mut before: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        let own = words(line);
        let mut both = before.clone();
        both.extend(own.iter().cloned());
        for (phrase, instead) in PHRASES {
            let sought: Vec<&str> = phrase.split('+').collect();
            if ends_in(&both, before.len(), sought.len(), |at| at == sought) {
                let advice = format!("\"{}\": write \"{instead}\"", phrase.replace('+', " "));
                findings.push(Finding::new(&file.path, number, advice));
            }
        }
        if ends_in(&both, before.len(), 4, denies) {
            let advice = "\"no\" after \"is\": write \"is not a …\" or \"must be …\"";
            findings.push(Finding::new(&file.path, number, advice));
        }
        before = own.into_iter().rev().take(3).rev().collect();
    }
}

/// True where a run of `length` words ends after the first `known` words, which belong to the line
/// before, and is what `is_sought`.
fn ends_in(
    words: &[String],
    known: usize,
    length: usize,
    is_sought: impl Fn(&[&str]) -> bool,
) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let padded: Vec<&str> = std::iter::repeat_n("", length).chain(words).collect();
    let runs = padded.windows(length).enumerate();
    runs.skip(known + 1).any(|(_, run)| is_sought(run))
}

/// True for a denial with "no" in place of "not a", but not for "there is no Y" or "is no longer".
fn denies(run: &[&str]) -> bool {
    let [before, verb, no, after] = run else { return false };
    let is_plain = matches!(*before, "there" | "") || AFTER_NO.contains(after);
    let is_denial = *no == "no" && matches!(*verb, "is" | "are");
    is_denial && !after.is_empty() && !is_plain
}

fn words(line: &str) -> Vec<String> {
    line.split(|char: char| char.is_whitespace() || char == '_')
        .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

fn type_names(file: &File, findings: &mut Vec<Finding>) {
    for (number, line) in (1..).zip(file.rust_lines()) {
        let mut words = line.code.split(|char: char| !char.is_alphanumeric() && char != '_');
        while let Some(word) = words.next() {
            let defines = matches!(word, "struct" | "enum" | "trait" | "type");
            if defines && words.next().is_some_and(|name| TYPE_NAMES.contains(&name)) {
                let advice = "name the type for the thing that it is: see docs/glossary.md";
                findings.push(Finding::new(&file.path, number, advice));
            }
        }
    }
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
    fn prose_is_wrapped_and_tables_links_and_transcripts_are_free() {
        let long = "word ".repeat(21);
        check_one("a.md", &format!("{long}\n"), &[(1, "100 columns")]);
        check_one("a.rs", &format!("/// {long}\nlet a = \"{long}\";\n"), &[(1, "100 columns")]);
        check_one("a.md", &format!("| {long}|\n```\n{long}\n```\n"), &[]);
        check_one("a.md", &format!("<https://example.org/{}>\n", "a".repeat(100)), &[]);
        check_one("fixtures/a.txt", &format!("{long}\n"), &[]);
    }

    #[test]
    fn retired_phrases_are_found_in_text_strings_and_names() {
        let (one, two) = ("belongs", ["in", "to"].concat());
        check_one("a.md", &format!("This {one} {two} the engine.\n"), &[(1, "belongs in")]);
        check_one("a.md", &format!("This {one}\n{two} the engine.\n"), &[(2, "belongs in")]);
        check_one("a.rs", &format!("fn it_{one}_{two}_b() {{}}\n"), &[(1, "belongs in")]);
        let denial = ["is", "no"].join(" ");
        check_one("a.rs", &format!("bad(\"`refs` {denial}"), &[]);
        check_one("a.rs", "bad(\"`refs` is", &[]);
        check_one("a.rs", &format!("bad(\"`refs` {denial} array\")\n"), &[(1, "is not a")]);
        check_one("a.md", "There is no clock. It is no longer read.\n", &[]);
    }

    #[test]
    fn types_are_nouns() {
        check_one("a.rs", "pub(crate) struct Fallen;\nstruct FallenTree;\n", &[(1, "glossary")]);
    }
}
