//! Plain BM25 (Robertson and Zaragoza 2009, k1 1.2, b 0.75) over words in lower case: no stemming,
//! no stop words, no context. The idf is the form that is never negative.

use std::collections::{BTreeMap, HashMap};

use super::controls::best;
use super::records::{distinct_words, key, line, visit, words};
use super::{EvalError, EvalQuestion, RecordKey, Source, System};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// An in-memory index.
#[derive(Default)]
pub struct Bm25 {
    keys: Vec<RecordKey>,
    /// Words of each record.
    lengths: Vec<u32>,
    total_length: u64,
    /// Postings by word: (record, count).
    postings: HashMap<String, Vec<(usize, u32)>>,
}

impl System for Bm25 {
    fn import(&mut self, source: &Source) -> Result<u64, EvalError> {
        let before = self.keys.len();
        visit(source, &mut |evidence| self.add(key(evidence), &line(evidence)))?;
        Ok((self.keys.len() - before) as u64)
    }

    fn answer(
        &mut self,
        question: &EvalQuestion,
        limit: usize,
    ) -> Result<Vec<RecordKey>, EvalError> {
        let mut scores = vec![0.0; self.keys.len()];
        let average = self.total_length as f64 / self.keys.len().max(1) as f64;
        for word in distinct_words(&question.text) {
            let Some(postings) = self.postings.get(&word) else { continue };
            let idf = retrieval::rank::lexical::idf(self.keys.len() as u64, postings.len() as u64);
            for (record, count) in postings {
                let (Some(score), Some(length)) =
                    (scores.get_mut(*record), self.lengths.get(*record))
                else {
                    continue;
                };
                let count = f64::from(*count);
                let relative = f64::from(*length) / average;
                *score += idf * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * relative));
            }
        }
        Ok(best(scores, limit).into_iter().filter_map(|at| self.keys.get(at).cloned()).collect())
    }
}

impl Bm25 {
    fn add(&mut self, key: RecordKey, line: &str) {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut length = 0;
        for word in words(line) {
            *counts.entry(word).or_default() += 1;
            length += 1;
        }
        for (word, count) in counts {
            self.postings.entry(word).or_default().push((self.keys.len(), count));
        }
        self.keys.push(key);
        self.lengths.push(length);
        self.total_length += u64::from(length);
    }
}
