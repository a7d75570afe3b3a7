//! One system over all collections: what it took in, what it found, how long that took.

use std::time::Instant;

use models::choice::Choice;

use super::measures::{NDCG_CUTOFF, Ranks, percentile};
use super::{
    Collection, EvalError, System, because::Because, bm25::Bm25, controls::Grep, fts5::Fts5,
};

/// The systems, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Because,
    Bm25,
    Fts5,
    Grep,
}

impl Kind {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Because, Self::Bm25, Self::Fts5, Self::Grep];

    /// What it is called.
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

/// What a system did.
pub struct Run {
    pub kind: Kind,
    /// Records taken in, over all collections.
    pub records: u64,
    /// Wall time of taking them in, files read and, where there is one, the index made.
    pub ingest_seconds: f64,
    /// Wall time of each question.
    pub latencies_ms: Vec<f64>,
    /// For each collection, for each question: where its gold is.
    pub ranks: Vec<Vec<Ranks>>,
}

impl Run {
    /// The ranks of one category's questions; of all if none is given.
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

    /// Records a second.
    pub fn ingest_rate(&self) -> f64 {
        if self.ingest_seconds > 0.0 { self.records as f64 / self.ingest_seconds } else { 0.0 }
    }

    /// A percentile of the latency, in milliseconds.
    pub fn latency_ms(&self, percent: usize) -> f64 {
        percentile(&self.latencies_ms, percent).unwrap_or(0.0)
    }
}

/// How many records are asked for: the deepest of the cut-offs, and enough for nDCG.
pub fn limit(cutoffs: &[usize]) -> usize {
    cutoffs.iter().copied().max().unwrap_or(0).max(NDCG_CUTOFF)
}

/// Takes every collection into a fresh system of that kind and asks its questions. `step` is called
/// after each source and each question. `choice` is the model that the engine answers with instead
/// of the built-in table.
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
            let begun = Instant::now();
            run.records += system.take_in(source)?;
            run.ingest_seconds += begun.elapsed().as_secs_f64();
            step();
        }
        let mut ranks = Vec::with_capacity(collection.questions.len());
        for question in &collection.questions {
            let begun = Instant::now();
            let ranking = system.ask(&question.asked, limit)?;
            run.latencies_ms.push(begun.elapsed().as_secs_f64() * 1e3);
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
