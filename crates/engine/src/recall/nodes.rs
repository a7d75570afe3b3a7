//! Nodes that answer a question: decisions, actions, summaries and entities, found in the index of
//! facts by words and meaning.
//!
//! A node is found while it is active, now or as of a time, and true, if it says when that is.

use std::collections::BTreeMap;

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::records::{RecordStatus, Records};
use kernel::snapshot::Snapshot;
use retrieval::question::ends::both_ends;
use retrieval::rank::Score;
use store::StoreError;
use store::sqlite::{ModelNumber, first_after, node_key};

use crate::belief::Bodies;
use crate::graph::{RecordView, VALUES_RAW, record_view};
use crate::private::{Disclosure, Privacy};
use crate::recall::facts::{FACTS_MAX, FactQuery, SIMILARITY_TO_SHOW_MIN, similarity};
use crate::{EngineError, Reader};

/// A node that answers a question.
#[derive(Clone, Debug)]
pub struct FoundNode {
    /// The node.
    pub record: RecordView,
    /// How near to the question, 0 … 1.
    pub similarity: f64,
    /// What that was made from.
    pub score: Score,
}

/// The nodes that answer a question.
#[derive(Clone, Debug, Default)]
pub struct FoundNodes {
    /// The nearest first.
    pub nodes: Vec<FoundNode>,
    /// The model whose vectors served; none if it was the built-in table's.
    pub model: Option<ModelNumber>,
}

impl FoundNode {
    /// Whether it says something to the question, rather than sharing a word with it.
    pub fn speaks_to_question(&self) -> bool {
        self.similarity >= SIMILARITY_TO_SHOW_MIN
    }
}

impl Reader<'_> {
    /// The active nodes that answer a question, the nearest first. Of the query, the filters by
    /// type of claim and by confidence do not apply: nodes have none of these.
    pub fn recall_nodes(&self, query: &FactQuery) -> Result<Vec<FoundNode>, EngineError> {
        Ok(self.search_nodes(query)?.nodes)
    }

    /// The same, and by which model.
    pub fn search_nodes(&self, query: &FactQuery) -> Result<FoundNodes, EngineError> {
        let text = &*both_ends(&query.text);
        let limit = query.limit.min(FACTS_MAX);
        if limit == 0 {
            return Ok(FoundNodes::default());
        }
        let disclosure = Disclosure::of(&query.visibilities);
        let vector = query.vector.as_ref();
        let found = self.store.search_facts_with(vector, |search, analyzer| {
            let question = search.question(text, analyzer, query.today)?;
            let index = search.ledger_index()?;
            let then = query.as_of_us.map(|until| Snapshot::before(&index, first_after(until)));
            let seen: &dyn Bodies = match &then {
                Some(then) => then,
                None => &index,
            };
            let times = query.stated_times(&question);
            let mut views: BTreeMap<OpId, RecordView> = BTreeMap::new();
            let mut records = Records::new(seen);
            let mut privacy = Privacy::of(seen);
            let served = search.find_served(
                &question,
                analyzer,
                query.today,
                (&[Kind::Node], limit),
                |name| {
                    let Some(key) = node_key(name) else { return Ok(None) };
                    let Some(node) = records.latest_version(&Kind::Node, key)? else {
                        return Ok(None);
                    };
                    if records.status_of(&node)? != Some(RecordStatus::Active)
                        || privacy.is_withheld(&node.id, disclosure)?
                    {
                        return Ok(None);
                    }
                    let Some(view) = record_view(&mut records, seen, &node)? else {
                        return Ok(None);
                    };
                    if times.as_ref().is_some_and(|times| !times.admit_record(&view)) {
                        return Ok(None);
                    }
                    views.insert(node.id, view);
                    Ok(Some(node.id))
                },
            )?;
            let mut nodes = Vec::with_capacity(served.len());
            for (id, found) in served {
                let Some(mut record) = views.remove(&id) else { continue };
                let similarity = similarity(&found.score, &question);
                if similarity > 0.0 && !record.tags.iter().any(|tag| tag == VALUES_RAW) {
                    privacy.mark(&id, &mut record.visibility, &mut record.stated_visibility)?;
                    nodes.push(FoundNode { record, similarity, score: found.score });
                }
            }
            Ok::<_, StoreError>((nodes, search.has_model()))
        })?;
        let (mut nodes, has_model) = found.unwrap_or_default();
        self.take_altered(&mut nodes, |node| Some(node.record.id))?;
        let model = vector.filter(|_| has_model).map(|vector| vector.model);
        Ok(FoundNodes { nodes, model })
    }
}
