//! Runs one system on all collections: its results and timings.

use std::time::Instant;

use models::choice::Choice;

use super::measures::{NDCG_CUTOFF, Ranks, percentile};
use super::{
    Collection, EvalError, System, because::Because, bm25::Bm25, controls::Grep, fts5::Fts5,
};

/// The systems, in display order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Because,
    Bm25,
    Fts5,
    Grep,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Because, Self::Bm25, Self::Fts5, Self::Grep];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Because => "because",
            Self::Bm25 => "plain BM25",
            Self::Fts5 => "SQLite FTS5",
            Self::Grep => "grep",
        }
    }

    fn make(self, choice: Option<&Choice>) -> Result<Box<dyn System>, EvalError> {
        Ok(match self {
            Self::Because => Box::new(Because::new(choice)?),
            Self::Bm25 => Box::new(Bm25::default()),
            Self::Fts5 => Box::new(Fts5::new()?),
            Self::Grep => Box::new(Grep::default()),
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
/// after each source and each question. `choice` is the model that the engine uses instead of the
/// built-in table.
pub fn run(
    kind: Kind,
    collections: &[Collection],
    limit: usize,
    choice: Option<&Choice>,
    step: &mut dyn FnMut(),
) -> Result<Run, EvalError> {
    let mut run =
        Run { kind, records: 0, ingest_seconds: 0.0, latencies_ms: Vec::new(), ranks: Vec::new() };
    for collection in collections {
        let mut system = kind.make(choice)?;
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
