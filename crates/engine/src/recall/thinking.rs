//! Recall of what agents thought, for whoever asks for its kind.
//!
//! Thinking is in no index, so it changes no answer about anything else. It is searched in a
//! temporary copy that holds thinking alone ([`store::sqlite::SqliteSpace::thinking`]).

use kernel::evidence::EvidenceKind;

use super::episodes::{Query, Recall};
use crate::{EngineError, Reader};

impl Reader<'_> {
    /// Answers a question with records. Thinking is among them only if the filter names its kind.
    pub fn recall(&self, query: &Query) -> Result<Recall, EngineError> {
        let (of_thinking, others): (Vec<String>, Vec<String>) =
            query.filter.kinds.iter().cloned().partition(|kind| is_thinking(kind));
        if of_thinking.is_empty() {
            return self.recall_records(query);
        }
        let thinking = self.recall_thinking(query, of_thinking)?;
        if others.is_empty() {
            return Ok(thinking);
        }
        let mut among_others = query.clone();
        among_others.filter.kinds = others;
        let mut recall = self.recall_records(&among_others)?;
        recall.results.extend(thinking.results);
        recall.results.sort_by(|one, other| {
            other.score.total.total_cmp(&one.score.total).then(one.id.cmp(&other.id))
        });
        recall.results.truncate(query.limit);
        recall.relevance = recall.relevance.max(thinking.relevance);
        recall.abstains &= thinking.abstains;
        recall.features.extend(thinking.features);
        recall.altered.extend(thinking.altered);
        Ok(recall)
    }

    /// Thinking alone. Only the built-in table has read it.
    fn recall_thinking(&self, query: &Query, kinds: Vec<String>) -> Result<Recall, EngineError> {
        let store = self.store.thinking()?;
        let mut query = Query { vector: None, ..query.clone() };
        query.filter.kinds = kinds;
        let recall = Reader::new(&store, self.derivers)?.recall_records(&query)?;
        Ok(Recall { position: self.store.text_position()?, behind: 0, ..recall })
    }
}

fn is_thinking(kind: &str) -> bool {
    kind == EvidenceKind::THOUGHT_ACTION
}
