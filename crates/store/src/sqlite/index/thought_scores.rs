//! Scoring thoughts: an estimate for all of them, block by block, and exact scores of the best.
//!
//! The share of the prompt's words is exact for every thought. The cosine is estimated from a
//! sketch of 16 bytes ([`retrieval::rank::sketch`]). Both give an estimate of the similarity, and
//! the thoughts with the best estimates are candidates, whose cosines are then computed. The first
//! search of a process has no sketches in memory and computes all cosines.

use std::collections::BTreeSet;
use std::sync::Arc;

use models::table::{DIMENSIONS, Table};
use retrieval::question::Question;
use retrieval::rank::lexical;
use retrieval::rank::meaning::{Direction, compress};
use retrieval::rank::nearness::{
    self, Nearness, SIMILARITY_TO_FIND_MIN, weight_of_unknown, word_weight,
};
use retrieval::rank::sketch::QuestionSketch;

use super::Reach;
use super::postings::BLOCK;
use super::search::Search;
use super::thought_places::{Places, PlacesCache};
use crate::StoreError;

/// Most words of a prompt that are searched.
const TERMS_MAX: usize = 64;
/// Documents of which one comparison says whether any may be a candidate.
const STRIDE: usize = 32;

/// A word of the prompt.
struct WordShare {
    /// Its share of the prompt's words, by weight.
    share: f32,
    /// The documents that contain it, by block.
    blocks: Vec<Option<Arc<Places>>>,
}

/// What is known of the meaning of all documents.
enum Meaning {
    /// The prompt has no direction.
    None,
    /// Estimates from sketches.
    Sketched { direction: Direction, sketch: QuestionSketch },
    /// Cosines.
    Exact(Vec<f32>),
    /// What another model says of the documents that it has read, and cosines of the others.
    ByModel { others: Vec<f32> },
}

/// What a prompt says of every document.
pub(super) struct Scores<'a> {
    search: &'a Search<'a>,
    words: Vec<WordShare>,
    meaning: Meaning,
    admitted: Option<&'a BTreeSet<u32>>,
}

/// The best documents for a prompt.
pub(super) struct Candidates {
    /// With their nearness, the nearest first; of equally near ones the latest first.
    pub(super) scored: Vec<(u32, Nearness)>,
    /// Whether these are all that are near enough to be found.
    pub(super) are_all: bool,
}

/// A document that may be among the best.
#[derive(Clone, Copy)]
struct Candidate {
    document: u32,
    /// The share of the prompt's words that it contains.
    words: f32,
    estimate: f32,
}

impl<'a> Scores<'a> {
    pub(super) fn of(
        search: &'a Search<'a>,
        places: &PlacesCache,
        reach: &Reach,
        question: &Question,
        admitted: Option<&'a BTreeSet<u32>>,
    ) -> Result<Self, StoreError> {
        let mut found = Vec::new();
        let mut unknown = 0u32;
        for word in question.terms.iter().take(TERMS_MAX) {
            match places.of(search, reach, word)? {
                Some(known) => found.push(known),
                None => unknown += 1,
            }
        }
        let documents = u64::from(search.attributes.len());
        let weights: Vec<f64> =
            found.iter().map(|(_, count)| word_weight(lexical::idf(documents, *count))).collect();
        let whole = weights.iter().sum::<f64>() + f64::from(unknown) * weight_of_unknown(&weights);
        let words = found.into_iter().zip(weights);
        let words =
            words.map(|((blocks, _), weight)| WordShare { share: (weight / whole) as f32, blocks });
        let meaning = Meaning::of(search, Table::built_in().known_part(question))?;
        Ok(Self { search, words: words.collect(), meaning, admitted })
    }

    /// The best of about `wanted` candidates, scored exactly.
    pub(super) fn best(&self, wanted: usize) -> Candidates {
        let mut best = Best::new(wanted.max(1));
        let documents = self.search.attributes.len();
        let mut words = vec![0.0; BLOCK as usize];
        let mut estimates = vec![0.0; BLOCK as usize];
        // From the last document down: of equal estimates, the latest are kept.
        for block in (0..documents.div_ceil(BLOCK)).rev() {
            let first = block.saturating_mul(BLOCK);
            let count = documents.saturating_sub(first).min(BLOCK) as usize;
            words.fill(0.0);
            for word in &self.words {
                if let Some(Some(places)) = word.blocks.get(block as usize) {
                    places.add(word.share, &mut words);
                }
            }
            let (words, estimates) = (&words[..count], &mut estimates[..count]);
            self.estimate(block, words, estimates);
            self.leave_out(block, estimates);
            best.take(first, words, estimates);
        }
        let are_all = !best.is_cut;
        let mut scored = self.score(&best.kept());
        scored.retain(|(_, nearness)| nearness.similarity >= SIMILARITY_TO_FIND_MIN);
        scored.sort_unstable_by(|(one, nearer), (other, further)| {
            further.order.total_cmp(&nearer.order).then(other.cmp(one))
        });
        Candidates { scored, are_all }
    }

    /// The similarity of a block's documents, or nearly that.
    fn estimate(&self, block: u32, words: &[f32], estimates: &mut [f32]) {
        match &self.meaning {
            Meaning::None => estimates.copy_from_slice(words),
            Meaning::Sketched { sketch, .. } => {
                self.search.windows.estimates(sketch, block, estimates);
                nearness::estimate_all(words, estimates);
            }
            Meaning::Exact(_) | Meaning::ByModel { .. } => {
                let documents = block.saturating_mul(BLOCK)..;
                for ((estimate, words), document) in estimates.iter_mut().zip(words).zip(documents)
                {
                    *estimate = self.known_nearness(document, *words).order as f32;
                }
            }
        }
    }

    /// Documents that the filter leaves out are not near.
    fn leave_out(&self, block: u32, estimates: &mut [f32]) {
        let Some(admitted) = self.admitted else { return };
        let sessions = self.search.attributes.session.block(block);
        for (estimate, session) in estimates.iter_mut().zip(sessions) {
            if !admitted.contains(session) {
                *estimate = 0.0;
            }
        }
    }

    /// The exact nearness of candidates.
    fn score(&self, candidates: &[Candidate]) -> Vec<(u32, Nearness)> {
        let Meaning::Sketched { direction, .. } = &self.meaning else {
            let known = |it: &Candidate| (it.document, self.known_nearness(it.document, it.words));
            return candidates.iter().map(known).collect();
        };
        let documents = candidates.iter().map(|candidate| candidate.document);
        let cosines = self.search.windows.cosines_of(direction, documents);
        let scored = candidates.iter().zip(cosines);
        scored
            .map(|(it, cosine)| (it.document, Nearness::of(f64::from(it.words), f64::from(cosine))))
            .collect()
    }

    /// The nearness of a document by what is in memory.
    fn known_nearness(&self, document: u32, words: f32) -> Nearness {
        let words = f64::from(words);
        let cosine = |of: &[f32]| f64::from(of.get(document as usize).copied().unwrap_or(0.0));
        match (&self.meaning, &self.search.scores) {
            (Meaning::ByModel { .. }, Some(scores)) if scores.knows(document) => {
                Nearness::by_model(words, scores.window(document))
            }
            (Meaning::Exact(of) | Meaning::ByModel { others: of }, _) => {
                Nearness::of(words, cosine(of))
            }
            (Meaning::None | Meaning::Sketched { .. }, _) => Nearness::of(words, 0.0),
        }
    }
}

impl Meaning {
    fn of(search: &Search<'_>, text: &str) -> Result<Self, StoreError> {
        let Search { connection, tables, windows, attributes, scores, .. } = search;
        let documents = attributes.len() as usize;
        if scores.as_ref().is_some_and(|scores| scores.knows_all(0, documents)) {
            return Ok(Self::ByModel { others: Vec::new() });
        }
        let sum = Table::built_in().embed(text);
        let Some(direction) = Direction::of(&sum) else {
            let without = |_| Self::ByModel { others: Vec::new() };
            return Ok(scores.as_ref().map_or(Self::None, without));
        };
        if scores.is_none() && windows.have_sketches() {
            let mut steps = [0; DIMENSIONS];
            compress(&sum, &mut steps);
            return Ok(Self::Sketched { direction, sketch: QuestionSketch::of(&steps) });
        }
        let mut cosines = vec![0.0; documents];
        for (block, cosines) in (0..).zip(cosines.chunks_mut(BLOCK as usize)) {
            windows.cosines(connection, tables, &direction, block, cosines)?;
        }
        Ok(match scores {
            Some(_) => Self::ByModel { others: cosines },
            None => Self::Exact(cosines),
        })
    }
}

/// The documents with the best estimates so far.
struct Best {
    wanted: usize,
    /// No document with at most this estimate is kept.
    least: f32,
    found: Vec<Candidate>,
    is_cut: bool,
}

impl Best {
    fn new(wanted: usize) -> Self {
        // A little less, for rounding.
        let least = SIMILARITY_TO_FIND_MIN as f32 - 1e-4;
        Self { wanted, least, found: Vec::new(), is_cut: false }
    }

    /// Adds documents of a block, the last first.
    fn take(&mut self, first: u32, words: &[f32], estimates: &[f32]) {
        for stride in (0..estimates.len().div_ceil(STRIDE)).rev() {
            let begin = stride * STRIDE;
            let end = estimates.len().min(begin + STRIDE);
            let mut has_any = false;
            for estimate in &estimates[begin..end] {
                has_any |= *estimate > self.least;
            }
            if !has_any {
                continue;
            }
            for place in (begin..end).rev() {
                let (words, estimate) = (words[place], estimates[place]);
                if estimate > self.least {
                    self.found.push(Candidate { document: first + place as u32, words, estimate });
                }
            }
            if self.found.len() >= self.wanted.saturating_mul(2) {
                self.cut();
            }
        }
    }

    /// Keeps the best.
    fn cut(&mut self) {
        if self.found.len() <= self.wanted {
            return;
        }
        self.is_cut = true;
        self.found.select_nth_unstable_by(self.wanted - 1, |one, other| {
            other.estimate.total_cmp(&one.estimate).then(other.document.cmp(&one.document))
        });
        self.found.truncate(self.wanted);
        self.least = self.found.last().map_or(self.least, |last| last.estimate);
    }

    fn kept(mut self) -> Vec<Candidate> {
        self.cut();
        // In the order in which directions are in memory.
        self.found.sort_unstable_by_key(|candidate| candidate.document);
        self.found
    }
}
