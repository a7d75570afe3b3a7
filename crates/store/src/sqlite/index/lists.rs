//! Questions for a list: the members of the classes that they name.
//!
//! A class is a few dozen words, which are looked up like words of the question, for such questions
//! only. It is weighed like one word: by how rare its members are together. Open tasks are a class
//! of their own, for questions that ask for them.

use std::collections::BTreeMap;

use retrieval::question::Question;
use retrieval::rank::{Weights, lexical};
use retrieval::text::QueryTerm;

use super::postings::{self, BLOCK};
use super::search::Search;
use crate::StoreError;

/// The documents that have a member of a class.
struct ClassDocuments {
    /// The class's part of the weight of all classes of the question.
    share: f64,
    /// Ascending.
    documents: Vec<u32>,
}

/// The classes that a question for a list names.
#[derive(Default)]
pub(super) struct Classes(Vec<ClassDocuments>);

impl Classes {
    /// Reads what the index knows about the classes of a question, if they count.
    pub(super) fn of(
        search: &Search<'_>,
        question: &Question,
        weights: &Weights,
    ) -> Result<Self, StoreError> {
        if weights.classes == 0.0 {
            return Ok(Self::default());
        }
        let all = u64::from(search.attributes.len());
        let mut classes = Vec::new();
        if question.asks_for_tasks {
            let documents = search.attributes.open_tasks();
            let share = if documents.is_empty() { 0.0 } else { 1.0 };
            return Ok(Self(vec![ClassDocuments { share, documents }]));
        }
        for members in &question.classes {
            let documents = search.documents_with_any(members)?;
            if !documents.is_empty() {
                let idf = lexical::idf(all, documents.len() as u64);
                classes.push(ClassDocuments { share: idf, documents });
            }
        }
        let sum: f64 = classes.iter().map(|class| class.share).sum();
        classes.iter_mut().for_each(|class| class.share /= sum);
        Ok(Self(classes))
    }

    /// Adds the weighted signal of each document of a block to its sum.
    pub(super) fn add_to_block(&self, weights: &Weights, block: u32, sums: &mut [f32]) {
        let (first, end) =
            (block.saturating_mul(BLOCK), block.saturating_add(1).saturating_mul(BLOCK));
        for class in &self.0 {
            let weight = (weights.classes * class.share) as f32;
            let start = class.documents.partition_point(|document| *document < first);
            let after = class.documents.get(start..).unwrap_or_default();
            for document in after.iter().take_while(|document| **document < end) {
                if let Some(sum) = sums.get_mut((document % BLOCK) as usize) {
                    *sum += weight;
                }
            }
        }
    }

    /// The signal of a document, 0 … 1.
    pub(super) fn share(&self, document: u32) -> f64 {
        let holding = |class: &&ClassDocuments| class.documents.binary_search(&document).is_ok();
        self.0.iter().filter(holding).map(|class| class.share).sum()
    }
}

impl Search<'_> {
    /// The documents that contain one of the words themselves, ascending.
    fn documents_with_any(&self, words: &[QueryTerm]) -> Result<Vec<u32>, StoreError> {
        let mut blocks: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
        for term in words.iter().flat_map(QueryTerm::all) {
            let Some(number) = self.term_number(term)? else { continue };
            for (block, row) in self.postings_of(number)? {
                let holding = blocks.entry(block).or_insert_with(|| vec![false; BLOCK as usize]);
                for (place, counts) in postings::decode(&row) {
                    if let Some(holds) = holding.get_mut(place as usize) {
                        *holds |= postings::own_of(counts) > 0;
                    }
                }
            }
        }
        let documents = blocks.into_iter().flat_map(|(block, holding)| {
            let first = block.saturating_mul(BLOCK);
            let places = (0..BLOCK).zip(holding).filter(|(_, holds)| *holds);
            places.map(move |(place, _)| first.saturating_add(place))
        });
        Ok(documents.collect())
    }
}
