//! Runs one system on all collections: its results and timings.

use std::time::Instant;

use super::measures::{NDCG_CUTOFF, Ranks, percentile};
use super::{
    Collection, EvalError, System,
    because::Because,
    bm25::Bm25,
    controls::{Control, Grep},
    embedding::{Embedding, Hybrid, SharedModel},
    fts5::Fts5,
};

/// The systems, in display order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Because,
    Bm25,
    StemmedBm25,
    Fts5,
    Grep,
    Embedding,
    Hybrid,
}

impl Kind {
    /// Those that need no model.
    pub const WITHOUT_MODEL: [Self; 5] =
        [Self::Because, Self::Bm25, Self::StemmedBm25, Self::Fts5, Self::Grep];
    /// The controls that need a model.
    pub const WITH_MODEL: [Self; 2] = [Self::Embedding, Self::Hybrid];

    /// All that can be measured, with a model or without.
    pub fn all(model: Option<&SharedModel>) -> Vec<Self> {
        let with_model: &[Self] = if model.is_some() { &Self::WITH_MODEL } else { &[] };
        Self::WITHOUT_MODEL.iter().chain(with_model).copied().collect()
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Because => "because",
            Self::Bm25 => "plain BM25",
            Self::StemmedBm25 => "bm25-stemmed",
            Self::Fts5 => "SQLite FTS5",
            Self::Grep => "grep",
            Self::Embedding => "embedding",
            Self::Hybrid => "hybrid-rrf",
        }
    }

    fn make(self, model: Option<&SharedModel>) -> Result<Box<dyn System>, EvalError> {
        let required =
            || model.ok_or_else(|| EvalError::Embedding("no model is chosen".to_owned()));
        Ok(match self {
            Self::Because => Box::new(Because::new(model.map(SharedModel::choice))?),
            Self::Bm25 => Box::new(Control::new(Bm25::plain())),
            Self::StemmedBm25 => Box::new(Control::new(Bm25::stemmed())),
            Self::Fts5 => Box::new(Control::new(Fts5::new()?)),
            Self::Grep => Box::new(Control::new(Grep::default())),
            Self::Embedding => Box::new(Control::new(Embedding::new(required()?))),
            Self::Hybrid => Box::new(Control::new(Hybrid::new(required()?))),
        })
    }
}

/// The results of a system.
pub struct Run {
    pub kind: Kind,
    /// Records imported, over all collections.
    pub records: u64,
    /// Wall time of the import, including reading files and building the index.
    pub ingest_seconds: f64,
    /// Wall time of each question.
    pub latencies_ms: Vec<f64>,
    /// The ranks of the gold, for each collection and question.
    pub ranks: Vec<Vec<Ranks>>,
}

impl Run {
    /// The ranks of the questions in one category, or of all questions.
    pub fn ranks_of<'a>(
        &'a self,
        collections: &'a [Collection],
        category: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Ranks> {
        let pairs = collections
            .iter()
            .zip(&self.ranks)
            .flat_map(|(all, ranks)| all.questions.iter().zip(ranks));
        pairs
            .filter(move |(question, _)| category.is_none_or(|wanted| question.category == wanted))
            .map(|pair| pair.1)
    }

    /// Records per second.
    pub fn ingest_rate(&self) -> f64 {
        if self.ingest_seconds > 0.0 { self.records as f64 / self.ingest_seconds } else { 0.0 }
    }

    /// A percentile of the latency, in milliseconds.
    pub fn latency_ms(&self, percent: usize) -> f64 {
        percentile(&self.latencies_ms, percent).unwrap_or(0.0)
    }
}

/// The number of records to request: the largest cut-off, and enough for nDCG.
pub fn limit(cutoffs: &[usize]) -> usize {
    cutoffs.iter().copied().max().unwrap_or(0).max(NDCG_CUTOFF)
}

/// Imports every collection into a new system of this kind and asks its questions. It calls `step`
/// after each source and each question. `model` is what the engine uses instead of the built-in
/// table.
///
/// # Errors
/// If a source cannot be read, or a system fails to import or to answer.
pub fn run(
    kind: Kind,
    collections: &[Collection],
    limit: usize,
    model: Option<&SharedModel>,
    step: &mut dyn FnMut(),
) -> Result<Run, EvalError> {
    let mut run =
        Run { kind, records: 0, ingest_seconds: 0.0, latencies_ms: Vec::new(), ranks: Vec::new() };
    for collection in collections {
        let mut system = kind.make(model)?;
        for source in &collection.sources {
            let started = Instant::now();
            run.records += system.import(source)?;
            run.ingest_seconds += started.elapsed().as_secs_f64();
            step();
        }
        let mut ranks = Vec::with_capacity(collection.questions.len());
        for question in &collection.questions {
            let started = Instant::now();
            let ranking = system.answer(&question.question, limit)?;
            run.latencies_ms.push(started.elapsed().as_secs_f64() * 1e3);
            ranks.push(Ranks::find(&ranking, &question.gold));
            step();
        }
        run.ranks.push(ranks);
    }
    Ok(run)
}

/// How often [`run`] calls `step`.
pub fn steps(collections: &[Collection]) -> u64 {
    collections
        .iter()
        .map(|collection| (collection.sources.len() + collection.questions.len()) as u64)
        .sum()
}
