//! Thoughts as recall finds them, beside nodes.

use kernel::evidence::Visibility;
use retrieval::rank::nearness::Nearness;

use super::retrieve::ThoughtQuery;
use super::view::ThoughtView;
use crate::private::Disclosure;
use crate::recall::facts::FactQuery;
use crate::{EngineError, Reader};

/// A thought that answers a question.
#[derive(Clone, Debug)]
pub struct FoundThought {
    /// The thought.
    pub thought: ThoughtView,
    /// How near it is to the question, weighed by its lineage, 0 … 1.
    pub score: f64,
    /// How near it is.
    pub nearness: Nearness,
    /// Whether another thought refines or consolidates it.
    pub is_superseded: bool,
    /// Whether another thought corrects it.
    pub is_corrected: bool,
}

impl Reader<'_> {
    /// The thoughts that answer a question, the best first. A thought is for its own space: where
    /// only other visibilities are asked for, there is none. No trace of use is left.
    pub fn recall_thoughts(&self, query: &FactQuery) -> Result<Vec<FoundThought>, EngineError> {
        if !query.visibilities.is_empty() && !query.visibilities.contains(&Visibility::Project) {
            return Ok(Vec::new());
        }
        let sought = ThoughtQuery {
            text: &query.text,
            vector: query.vector.as_ref(),
            tags: &[],
            disclosure: Disclosure::of(&query.visibilities),
            now_us: query.now.as_microsecond(),
            as_of_us: query.as_of_us,
        };
        let hits = self.retrieve_thoughts(&sought)?.hits;
        let mut found = Vec::with_capacity(query.limit.min(hits.len()));
        for hit in hits.into_iter().take(query.limit) {
            for thought in self.thoughts(&[hit.id])? {
                found.push(FoundThought {
                    thought,
                    score: hit.score,
                    nearness: hit.nearness,
                    is_superseded: hit.refined_by.is_some(),
                    is_corrected: hit.corrected_by.is_some(),
                });
            }
        }
        Ok(found)
    }
}
