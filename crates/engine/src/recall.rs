//! Recall: a question in, records with reasons out.
//!
//! One pipeline: bring the index up to date, understand the question, find, drop near-duplicates, add
//! neighbours. Every part of a score stays with the record as the explanation of the score.

use std::collections::HashSet;
use std::time::Duration;

use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::question::Question;
use kernel::rank::Score;
use store::sqlite::{Filter, TermShare};
use store::{Ledger, Position, StoreError};

use crate::{EngineError, Space};

/// Most results that can be asked for.
pub const RESULTS_MAX: usize = 1_000;
/// Longest question that is read, bytes; the rest is cut off.
pub const QUESTION_BYTES_MAX: usize = 64 * 1024;

/// How long a recall waits for another process that is writing, before it answers from the index as it is.
const FOLD_WAIT: Duration = Duration::from_millis(1_500);

/// What to recall.
#[derive(Clone, Debug)]
pub struct Query {
    /// The question, in words.
    pub text: String,
    /// How many records, at most [`RESULTS_MAX`].
    pub limit: usize,
    /// Which records.
    pub filter: Filter,
    /// Records to show before and after each.
    pub neighbours: u32,
    /// The asker's date: what "last week" counts from.
    pub today: Option<jiff::civil::Date>,
}

/// What was recalled.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Recall {
    /// How the question was understood.
    pub question: Question,
    /// The records, best first.
    pub results: Vec<Recollection>,
    /// How far the index had read.
    pub position: Position,
    /// Operations that the index has not read yet: 0 unless the file cannot be written, is damaged, or is being
    /// written by another process.
    pub behind: u64,
}

/// A recalled record.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Recollection {
    /// Its operation.
    pub id: OpId,
    /// What it says.
    pub evidence: Evidence,
    /// Why it is here: a sum of parts.
    pub score: Score,
    /// What its words part consists of.
    pub terms: Vec<TermShare>,
    /// What was said just before and after.
    pub neighbours: Vec<Neighbour>,
}

/// A record beside a recalled one.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Neighbour {
    /// Negative before, positive after.
    pub distance: i32,
    /// Its operation.
    pub id: OpId,
    /// What it says.
    pub evidence: Evidence,
}

impl Space {
    /// Answers a question from the ledger as it is now.
    pub fn recall(&mut self, query: &Query) -> Result<Recall, EngineError> {
        if !self.is_read_only() {
            // Another process may hold the write lock for a while, or an operation may not read any more; then the
            // index serves what it has, and `behind` says so.
            match self.store.advance_within(FOLD_WAIT, |_| {}) {
                Ok(_) => {}
                Err(
                    StoreError::Busy { .. } | StoreError::DiskFull | StoreError::ReadOnly | StoreError::Damaged { .. },
                ) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let limit = query.limit.min(RESULTS_MAX);
        let text = cut(&query.text, QUESTION_BYTES_MAX);
        let (question, found) = self.store.search(|search, analyzer| {
            let question = search.question(text, analyzer, query.today)?;
            let found = search.find(&question, analyzer, &query.filter, limit)?;
            Ok((question, found))
        })?;
        let mut results = Vec::new();
        let mut kept = Vec::new();
        let mut said = HashSet::new();
        for found in found {
            if results.len() == limit {
                break;
            }
            let Some((id, evidence)) = self.evidence_at(found.position)? else { continue };
            if said.insert(fingerprint(&evidence)) {
                kept.push(found.document);
                let (score, terms) = (found.score, found.terms);
                results.push(Recollection { id, evidence, score, terms, neighbours: Vec::new() });
            }
        }
        if query.neighbours > 0 {
            for (result, document) in results.iter_mut().zip(kept) {
                let around = self.store.search(|search, _| search.neighbours(document, query.neighbours))?;
                for (distance, position) in around {
                    if let Some((id, evidence)) = self.evidence_at(position)? {
                        result.neighbours.push(Neighbour { distance, id, evidence });
                    }
                }
            }
        }
        let position = self.store.text_position()?;
        let behind = self.store.head()?.0.saturating_sub(position.0);
        Ok(Recall { question, results, position, behind })
    }

    fn evidence_at(&self, position: Position) -> Result<Option<(OpId, Evidence)>, EngineError> {
        let before = Position(position.0.saturating_sub(1));
        let recorded = self.store.read(before, 1)?.pop().filter(|recorded| recorded.position == position);
        Ok(recorded.and_then(|recorded| {
            let operation = recorded.operation;
            match Body::parse(&operation.header().kind, operation.body()?) {
                Ok(Body::Evidence(evidence)) => Some((operation.id(), evidence)),
                _ => None,
            }
        }))
    }
}

/// Records that say the same by the same person, apart from case and white space, are shown once.
fn fingerprint(evidence: &Evidence) -> (Option<String>, String) {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let payload = &evidence.payload;
    let mut said = folded(&payload.text);
    for caption in &payload.captions {
        said.push('\n');
        said.push_str(&folded(caption));
    }
    if said.trim().is_empty() {
        said = evidence.source_uid.clone();
    }
    if evidence.kind.0 == kernel::evidence::EvidenceKind::EVENT {
        // Two occurrences of one event are two things that happen.
        said.push_str(evidence.at.as_ref().map_or("", |at| at.as_str()));
    }
    (evidence.actor.clone(), said)
}

/// The beginning of `text`, at most `bytes_max` long, cut between characters.
fn cut(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
