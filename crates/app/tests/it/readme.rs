//! The transcripts in the README and the reference match the program.

use crate::machine::Machine;
use crate::transcripts;

/// A document of the repository, as it is now.
fn document(name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).unwrap()
}

#[test]
fn readme_transcripts_match_the_program() {
    assert!(
        transcripts::run("README.md", &document("README.md")) > 7,
        "the README has lost its transcripts"
    );
}

#[test]
fn reference_transcripts_match_the_program() {
    assert!(
        transcripts::run("docs/cli.md", &document("docs/cli.md")) > 40,
        "docs/cli.md has lost its transcripts"
    );
}

#[test]
fn the_reference_names_every_format() {
    let machine = Machine::new();
    let refused = machine.because(["import", "--format", "none of them", "."]).run().ends(2).err();
    let formats: Vec<&str> = refused.trim().rsplit(": ").next().unwrap().split(", ").collect();
    assert!(formats.len() > 10, "{formats:?}");
    let page = document("docs/cli.md");
    for format in formats {
        assert!(
            page.contains(&format!("`{format}`")),
            "docs/cli.md does not name the format `{format}`"
        );
    }
}

#[test]
fn the_reference_explains_every_part_of_a_score() {
    use retrieval::rank::{Signals, Weights, fuse};
    let page = document("docs/cli.md");
    let table: Vec<&str> =
        page.lines().skip_while(|line| *line != "| part | what it measures |").collect();
    for part in fuse(&Weights::default(), &Signals::default()).parts {
        let mut rows = table.iter().take_while(|line| line.starts_with('|'));
        let first =
            |row: &&&str| row.split('|').nth(1).unwrap().contains(&format!("`{}`", part.name));
        assert!(rows.find(first).is_some(), "docs/cli.md does not say what `{}` is", part.name);
    }
}
