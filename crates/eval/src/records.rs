//! The records of a source, for the controls and the labels.

use std::ops::ControlFlow;

use importers::{Context, Problem, Sink};
use kernel::evidence::Evidence;
use store::sqlite::searched_parts;

use super::{EvalError, RecordKey, Source};

/// The context of every import in an evaluation. It is fixed, so that the same file gives the same
/// numbers everywhere.
pub fn context() -> Context {
    Context::new(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC)
}

/// Passes every record of a source to `take`, in the source's order.
///
/// # Errors
/// If the source cannot be read at all.
pub fn visit(source: &Source, take: &mut dyn FnMut(&Evidence)) -> Result<(), EvalError> {
    let read = source.importer.import(&source.path, &context(), &mut Visit { take });
    read.map_err(|error| EvalError::Engine(error.into()))
}

struct Visit<'a> {
    take: &'a mut dyn FnMut(&Evidence),
}

impl Sink for Visit<'_> {
    fn evidence(&mut self, evidence: Evidence) -> ControlFlow<()> {
        // No system is asked for what agents thought.
        if !evidence.kind.is_thinking() {
            (self.take)(&evidence);
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: u64) {}
}

/// The record's identity.
pub fn key(evidence: &Evidence) -> RecordKey {
    RecordKey::new(&evidence.source, &evidence.source_uid)
}

/// The record as one line: the author's name, because systems without metadata can find the name
/// only there, and the text that the engine searches.
pub fn line(evidence: &Evidence) -> String {
    let mut line = evidence.actor.as_deref().map(|actor| format!("{actor}: ")).unwrap_or_default();
    line.push_str(&searched_parts(evidence).collect::<Vec<_>>().join(" "));
    line.replace(['\r', '\n'], " ")
}

/// The words of a plain search: runs of letters, digits and `_` in lower case, delimited as in
/// `grep -w`.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let words: Vec<String> = lower
        .split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// The distinct words of a question.
pub fn distinct_words(text: &str) -> std::collections::BTreeSet<String> {
    words(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_delimited_as_in_grep() {
        assert_eq!(
            words("Ana's snake_case, 7.30 – ÉTÉ!").collect::<Vec<_>>(),
            ["ana", "s", "snake_case", "7", "30", "été"]
        );
    }

    #[test]
    fn a_line_has_the_author_and_all_searchable_text() {
        let evidence: Evidence = serde_json::from_value(serde_json::json!({
            "source": "chat", "source_uid": "1", "kind": "turn", "actor": "Ana", "at": null, "summary": "",
            "visibility": "project",
            "payload": { "text": "Look\nat this", "captions": ["a boat"], "title": "Trip", "tags": ["sea"] }
        }))
        .unwrap();
        assert_eq!(line(&evidence), "Ana: Look at this a boat sea Trip");
    }
}
