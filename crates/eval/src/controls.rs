//! Baselines for recall: searches that need no memory engine.
//!
//! They get the same input as the engine: the records of the same importers, as lines that start
//! with the speaker's name. A [`Search`] ranks the lines for a question, and a [`Control`] makes a
//! [`System`] of it. Equal scores keep the order of the records. This module has the simplest one,
//! a search by shared words; the others are [`super::fts5`], [`super::bm25`] and
//! [`super::embedding`].

use std::collections::BTreeSet;

use super::records::{distinct_words, key, line, visit, words};
use super::{EvalError, EvalQuestion, RecordKey, Source, System};

/// A search over lines of text. A line has a position: the number of lines added before it.
pub trait Search {
    /// Adds lines, in order.
    fn add(&mut self, lines: Vec<String>) -> Result<(), EvalError>;
    /// The positions of at most `limit` lines, best first.
    fn rank(&mut self, question: &str, limit: usize) -> Result<Vec<usize>, EvalError>;
}

/// A search over the records of sources, one line each.
pub struct Control<S> {
    search: S,
    /// The record of each line.
    keys: Vec<RecordKey>,
}

impl<S: Search> Control<S> {
    /// Without records.
    pub fn new(search: S) -> Self {
        Self { search, keys: Vec::new() }
    }
}

impl<S: Search> System for Control<S> {
    fn import(&mut self, source: &Source) -> Result<u64, EvalError> {
        let before = self.keys.len();
        let mut lines = Vec::new();
        visit(source, &mut |evidence| {
            self.keys.push(key(evidence));
            lines.push(line(evidence));
        })?;
        self.search.add(lines)?;
        Ok((self.keys.len() - before) as u64)
    }

    fn answer(
        &mut self,
        question: &EvalQuestion,
        limit: usize,
    ) -> Result<Vec<RecordKey>, EvalError> {
        let ranking = self.search.rank(&question.text, limit)?;
        Ok(ranking.into_iter().filter_map(|at| self.keys.get(at).cloned()).collect())
    }
}

/// Ranks lines by the number of the question's words in them, like counting `grep -i -w` per word.
/// It reads all lines for each question.
#[derive(Default)]
pub struct Grep {
    lines: Vec<String>,
}

impl Search for Grep {
    fn add(&mut self, lines: Vec<String>) -> Result<(), EvalError> {
        self.lines.extend(lines);
        Ok(())
    }

    fn rank(&mut self, question: &str, limit: usize) -> Result<Vec<usize>, EvalError> {
        let wanted = distinct_words(question);
        let shared = |line: &String| {
            let shared: BTreeSet<String> =
                words(line).filter(|word| wanted.contains(word)).collect();
            shared.len() as f64
        };
        Ok(best_positive(self.lines.iter().map(shared), limit))
    }
}

/// Positions of the best scores above 0, best first, ties in order.
pub fn best_positive(scores: impl IntoIterator<Item = f64>, limit: usize) -> Vec<usize> {
    best(scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0), limit)
}

/// The positions with the best scores, best first, ties in order.
pub fn best(scores: impl IntoIterator<Item = (usize, f64)>, limit: usize) -> Vec<usize> {
    let mut positions: Vec<(usize, f64)> = scores.into_iter().collect();
    positions.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    positions.into_iter().take(limit).map(|(position, _)| position).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::bm25::Bm25;
    use crate::fts5::Fts5;

    /// The lines that a system returns for a question about a chat with these lines.
    fn ask(system: &mut dyn System, texts: &[&str], question: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chat.jsonl");
        let turns = texts.iter().enumerate().map(|(minute, text)| {
            let time = format!("2024-05-01T10:{minute:02}:00Z");
            serde_json::json!({ "session": "s", "speaker": "Ana", "time": time, "text": text })
                .to_string()
        });
        std::fs::write(&path, turns.collect::<Vec<_>>().join("\n")).unwrap();
        let source = Source { importer: importers::by_name("chat-jsonl").unwrap(), path };
        assert_eq!(system.import(&source).unwrap(), texts.len() as u64);
        let mut keys = Vec::new();
        visit(&source, &mut |evidence| keys.push((key(evidence), evidence.payload.text.clone())))
            .unwrap();
        let found =
            system.answer(&EvalQuestion { text: question.to_owned(), today: None }, 10).unwrap();
        let text = |found: &RecordKey| keys.iter().find(|(key, _)| key == found).unwrap().1.clone();
        found.iter().map(text).collect()
    }

    const TEXTS: [&str; 4] = ["boat boat boat", "a red boat", "red paint", "nothing"];

    #[test]
    fn grep_counts_distinct_words_and_keeps_the_order_of_ties() {
        let found = ask(&mut Control::new(Grep::default()), &TEXTS, "The RED boat?");
        assert_eq!(found, ["a red boat", "boat boat boat", "red paint"]);
    }

    #[test]
    fn plain_bm25_weighs_by_frequency_and_length() {
        let found = ask(&mut Control::new(Bm25::plain()), &TEXTS, "boat");
        assert_eq!(found, ["boat boat boat", "a red boat"]);
    }

    #[test]
    fn fts5_treats_any_question_as_words_and_never_as_syntax() {
        let mut system = Control::new(Fts5::new().unwrap());
        let found = ask(&mut system, &TEXTS, "paint AND \"boat* NOT red) -");
        assert_eq!(
            found,
            ["red paint", "a red boat", "boat boat boat"],
            "`paint` is rarer than `boat`"
        );
        assert!(
            system
                .answer(&EvalQuestion { text: "?!".to_owned(), today: None }, 10)
                .unwrap()
                .is_empty()
        );
        let long: String = (0..20_000).map(|number| format!("word{number} ")).collect();
        assert!(system.answer(&EvalQuestion { text: long, today: None }, 10).unwrap().is_empty());
    }

    #[test]
    fn the_engine_answers_through_the_same_trait() {
        let mut system = crate::because::Because::new(None).unwrap();
        assert_eq!(ask(&mut system, &TEXTS, "What is painted red?")[0], "red paint");
    }
}
