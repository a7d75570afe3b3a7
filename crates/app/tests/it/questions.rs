//! Questions in other words than the facts were told with (`fixtures/questions`): that most are
//! still answered, and that what memory lacks mostly is not. The floors lie a little below what was
//! measured (`docs/benchmarks.md`).

use std::path::Path;

use serde_json::Value;

use crate::machine::Machine;

/// What `ask` cites and refuses of the questions of some files: the shares of questions with gold
/// that it answers with gold, and of those that nothing answers for which it cites nothing.
fn measured(files: &[&str]) -> (f64, f64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/questions");
    let files: Vec<_> = files.iter().map(|file| folder.join(file)).collect();
    let arguments = ["--json", "eval", "retrieval", "--ask"];
    let json = Machine::new().because(arguments).arguments(&files).run().succeeds().json();
    let rows = json["ask"]["in_use"].as_array().unwrap();
    let share = |kind: &str, name: &str| {
        let is_whole = |row: &&Value| row["kind"] == kind && row["category"].is_null();
        rows.iter().find(is_whole).unwrap()[name].as_f64().unwrap()
    };
    (share("answerable", "cites_gold"), share("unanswerable", "abstains"))
}

#[test]
fn questions_about_people_are_answered_in_other_words_or_refused() {
    let files = ["paraphrased-a/01.jsonl", "paraphrased-a/04.jsonl", "paraphrased-a/09.jsonl"];
    let (cites, abstains) = measured(&files);
    assert!(cites > 0.80 && abstains > 0.85, "{cites} {abstains}");
    let (cites, abstains) = measured(&["paraphrased-b/05.jsonl", "paraphrased-b/08.jsonl"]);
    assert!(cites > 0.75 && abstains > 0.50, "{cites} {abstains}");
}
