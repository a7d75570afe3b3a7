//! Recall of what agents thought, for whoever asks for its kind.
//!
//! Thinking is in no index, so it changes no answer about anything else. It is searched in a
//! temporary copy that holds thinking alone ([`store::sqlite::SqliteSpace::thoughts`]).

use kernel::evidence::EvidenceKind;

use super::episodes::{Query, Recall};
use crate::{EngineError, Reader};

impl Reader<'_> {
    /// Answers a question with records. Thinking is among them only if the filter names its kind.
    pub fn recall(&self, query: &Query) -> Result<Recall, EngineError> {
        let (of_thoughts, others): (Vec<String>, Vec<String>) =
            query.filter.kinds.iter().cloned().partition(|kind| is_thought(kind));
        if of_thoughts.is_empty() {
            return self.recall_records(query);
        }
        let thoughts = self.recall_thoughts(query, of_thoughts)?;
        if others.is_empty() {
            return Ok(thoughts);
        }
        let mut among_others = query.clone();
        among_others.filter.kinds = others;
        let mut recall = self.recall_records(&among_others)?;
        recall.results.extend(thoughts.results);
        recall.results.sort_by(|one, other| {
            other.score.total.total_cmp(&one.score.total).then(one.id.cmp(&other.id))
        });
        recall.results.truncate(query.limit);
        recall.relevance = recall.relevance.max(thoughts.relevance);
        recall.abstains &= thoughts.abstains;
        recall.features.extend(thoughts.features);
        recall.altered.extend(thoughts.altered);
        Ok(recall)
    }

    /// Thinking alone. Only the built-in table has read it.
    fn recall_thoughts(&self, query: &Query, kinds: Vec<String>) -> Result<Recall, EngineError> {
        let store = self.store.thoughts()?;
        let mut query = Query { vector: None, ..query.clone() };
        query.filter.kinds = kinds;
        let recall = Reader::new(&store, self.derivers)?.recall_records(&query)?;
        Ok(Recall { position: self.store.text_position()?, behind: 0, ..recall })
    }
}

fn is_thought(kind: &str) -> bool {
    kind == EvidenceKind::THOUGHT_ACTION
}
