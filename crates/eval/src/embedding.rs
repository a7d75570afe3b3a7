//! Controls with an embedding model: the model alone, and its usual hybrid with BM25.
//!
//! Each record is embedded as a whole; a model cuts what is longer than its limit. The cosine ranks
//! all records. The hybrid is reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of that
//! ranking and the one of stemmed BM25.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use models::choice::{self, Choice};
use models::{EmbedError, Embedder, Purpose};

use super::EvalError;
use super::bm25::Bm25;
use super::controls::{Search, best};

/// Most texts in one call of the model.
const BATCH_MAX: usize = 64;
/// The k of reciprocal rank fusion.
const FUSION_K: f64 = 60.0;
/// Depth of the rankings that are fused.
const FUSION_DEPTH: usize = 1_000;

/// A model, and the vectors that it made. Its clones share both, so two controls embed a record
/// once. Questions are embedded each time, so that latency includes it.
#[derive(Clone)]
pub struct SharedModel {
    choice: Choice,
    vectors: Rc<RefCell<Vectors>>,
}

struct Vectors {
    embedder: Box<dyn Embedder>,
    /// The vectors of records, of unit length, by text.
    of_records: HashMap<String, Rc<[f32]>>,
}

impl SharedModel {
    /// Opens the chosen model; none for the built-in table, which only the engine uses.
    ///
    /// # Errors
    /// If the model cannot be opened.
    pub fn open(choice: &Choice) -> Result<Option<Self>, EvalError> {
        let opened = choice::open(choice)?;
        Ok(opened.map(|embedder| Self {
            choice: choice.clone(),
            vectors: Rc::new(RefCell::new(Vectors::new(embedder))),
        }))
    }

    /// The choice, for systems that open the model themselves.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }
}

impl Vectors {
    fn new(embedder: Box<dyn Embedder>) -> Self {
        Self { embedder, of_records: HashMap::new() }
    }

    fn record(&mut self, text: &str) -> Result<Rc<[f32]>, EvalError> {
        match self.of_records.get(text) {
            Some(known) => Ok(Rc::clone(known)),
            None => Err(missing(&*self.embedder)),
        }
    }

    /// Embeds the texts that have no vector.
    fn complete(&mut self, texts: &[String]) -> Result<(), EvalError> {
        let lacking = |text: &&str| !self.of_records.contains_key(*text);
        let lacking: BTreeSet<&str> = texts.iter().map(String::as_str).filter(lacking).collect();
        let lacking: Vec<&str> = lacking.into_iter().collect();
        for batch in lacking.chunks(self.embedder.batch_max().clamp(1, BATCH_MAX)) {
            let vectors = self.embedder.embed(batch, Purpose::Memory)?;
            let pairs = batch.iter().zip(vectors);
            self.of_records.extend(
                pairs.map(|(text, vector)| ((*text).to_owned(), normalised(vector).into())),
            );
        }
        Ok(())
    }

    fn question(&mut self, text: &str) -> Result<Vec<f32>, EvalError> {
        let made = self.embedder.embed(&[text], Purpose::Question)?.pop();
        made.map(normalised).ok_or_else(|| missing(&*self.embedder))
    }
}

fn missing(embedder: &dyn Embedder) -> EvalError {
    let provider = embedder.model().provider.clone();
    EmbedError::Unreadable { provider, detail: "too few vectors".to_owned() }.into()
}

fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

/// Ranks records by the cosine of their vector and the question's.
pub struct Embedding {
    model: Rc<RefCell<Vectors>>,
    vectors: Vec<Rc<[f32]>>,
}

impl Embedding {
    /// Without records.
    pub fn new(model: &SharedModel) -> Self {
        Self::of(&model.vectors)
    }

    fn of(model: &Rc<RefCell<Vectors>>) -> Self {
        Self { model: Rc::clone(model), vectors: Vec::new() }
    }
}

impl Search for Embedding {
    fn add(&mut self, lines: Vec<String>) -> Result<(), EvalError> {
        let mut model = self.model.borrow_mut();
        model.complete(&lines)?;
        for line in &lines {
            self.vectors.push(model.record(line)?);
        }
        Ok(())
    }

    fn rank(&mut self, question: &str, limit: usize) -> Result<Vec<usize>, EvalError> {
        let question = self.model.borrow_mut().question(question)?;
        let cosine = |record: &Rc<[f32]>| {
            let product: f32 = record.iter().zip(&question).map(|(x, y)| x * y).sum();
            f64::from(product)
        };
        Ok(best(self.vectors.iter().map(cosine).enumerate(), limit))
    }
}

/// Stemmed BM25 and a model.
pub struct Hybrid {
    words: Bm25,
    embedding: Embedding,
}

impl Hybrid {
    /// Without records.
    pub fn new(model: &SharedModel) -> Self {
        Self::of(&model.vectors)
    }

    fn of(model: &Rc<RefCell<Vectors>>) -> Self {
        Self { words: Bm25::stemmed(), embedding: Embedding::of(model) }
    }
}

impl Search for Hybrid {
    fn add(&mut self, lines: Vec<String>) -> Result<(), EvalError> {
        self.words.add(lines.clone())?;
        self.embedding.add(lines)
    }

    fn rank(&mut self, question: &str, limit: usize) -> Result<Vec<usize>, EvalError> {
        let rankings = [
            self.words.rank(question, FUSION_DEPTH)?,
            self.embedding.rank(question, FUSION_DEPTH)?,
        ];
        Ok(best(fused(&rankings), limit))
    }
}

/// The score of each record: the sum of 1 / (k + rank) over the rankings that have it.
fn fused(rankings: &[Vec<usize>]) -> BTreeMap<usize, f64> {
    let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
    for ranking in rankings {
        for (place, record) in ranking.iter().enumerate() {
            *scores.entry(*record).or_default() += 1.0 / (FUSION_K + (place + 1) as f64);
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use models::Model;

    use super::*;

    /// A model of two dimensions: boats, fish. It counts the texts that it embedded.
    struct TwoWords {
        model: Model,
        embedded: Arc<AtomicUsize>,
    }

    impl Embedder for TwoWords {
        fn model(&self) -> &Model {
            &self.model
        }

        fn batch_max(&self) -> usize {
            2
        }

        fn embed(&mut self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
            let boats = |text: &str| text.matches("boat").count() + text.matches("ship").count();
            let vector =
                |text: &&str| vec![boats(text) as f32, text.matches("fish").count() as f32];
            Ok(texts.iter().map(vector).collect())
        }
    }

    fn model() -> (Rc<RefCell<Vectors>>, Arc<AtomicUsize>) {
        let embedded = Arc::new(AtomicUsize::new(0));
        let model = Model { provider: "test".to_owned(), name: "two".to_owned(), dimensions: 2 };
        let embedder = Box::new(TwoWords { model, embedded: Arc::clone(&embedded) });
        (Rc::new(RefCell::new(Vectors::new(embedder))), embedded)
    }

    const LINES: [&str; 4] = ["fish fish boat", "boat fish", "ship", "paper"];

    #[test]
    fn records_are_ranked_by_cosine() {
        let (model, embedded) = model();
        let mut search = Embedding::of(&model);
        search.add(LINES.map(str::to_owned).to_vec()).unwrap();
        // Cosines with (1, 0): 1/√5, 1/√2, 1, 0.
        assert_eq!(search.rank("a boat", 10).unwrap(), [2, 1, 0, 3]);
        assert_eq!(search.rank("a boat", 2).unwrap(), [2, 1]);
        let mut other = Embedding::of(&model);
        other.add(LINES.map(str::to_owned).to_vec()).unwrap();
        assert_eq!(embedded.load(Ordering::Relaxed), 4 + 2, "each record once");
    }

    #[test]
    fn the_hybrid_sums_reciprocal_ranks() {
        // By words: 1, 0. By the model: 2, 1, 0, 3.
        let scores = fused(&[vec![1, 0], vec![2, 1, 0, 3]]);
        let by_hand = [1.0 / 62.0 + 1.0 / 63.0, 1.0 / 61.0 + 1.0 / 62.0, 1.0 / 61.0, 1.0 / 64.0];
        assert_eq!(scores.into_values().collect::<Vec<f64>>(), by_hand);
        let mut search = Hybrid::of(&model().0);
        search.add(LINES.map(str::to_owned).to_vec()).unwrap();
        assert_eq!(search.rank("boats", 10).unwrap(), [1, 0, 2, 3]);
    }
}
