//! What may surface although nobody asked for it.
//!
//! A search answers with what is nearest, and for "Hey, how are you?" there is always something
//! near. What surfaces unasked costs attention, so it needs more than an answer does: episodes are
//! served only where recall would not abstain, and only those that share a rare word with the turns
//! and say more than that, or are a standing instruction that applies; one for every answer applies
//! to each. Of facts, [`super::gather`]
//! finds only those of the passive mode.

use std::collections::BTreeSet;

use kernel::id::OpId;
use retrieval::rank::Score;
use retrieval::rank::lexical::idf;
use retrieval::rank::relevance::RELEVANCE_MIN;
use retrieval::text::{Analyzer, Term};

use super::{Candidate, Count, Gathered};
use crate::recall::episodes::Recollection;

/// A word is rare if it is in so many records at most, or in as many as the root of their number.
const RARE_RECORDS: u64 = 2;
/// A longer text, in bytes, says more in any case.
const SHORT_BYTES_MAX: usize = 200;
/// The part of the score of a standing instruction that applies.
const STANDING: &str = "standing";
/// The least sum of the other parts of such a score: an instruction is not about every greeting.
const OTHER_PARTS_MIN: f64 = 0.8;

/// Facts, and as many episodes. Source: the specification of facts, "Streamed: 3–5 facts and 3–5
/// episodes"; here only those that are nearly as relevant as the best.
pub const COUNT: Count = Count { least: 0, most: 5 };

/// Whether a result has a rare word of the question and says more than the question, or is a
/// standing instruction that applies to it. `records` is the number of records.
pub(super) fn is_specific(found: &Recollection, records: u64, analyzer: &mut Analyzer) -> bool {
    let rare = idf(records, records.isqrt().max(RARE_RECORDS));
    let stands = |score: &Score| {
        let standing = score.parts.iter().find(|part| part.name == STANDING);
        let contribution = standing.map_or(0.0, |part| part.contribution);
        contribution > 0.0 && score.total - contribution >= OTHER_PARTS_MIN
    };
    let mut own = found.terms.iter().filter(|share| share.own > 0);
    stands(&found.score)
        || (own.any(|share| share.idf / share.share() >= rare) && says_more(found, analyzer))
}

/// Whether a result has a word that the question does not have, stop words aside.
fn says_more(found: &Recollection, analyzer: &mut Analyzer) -> bool {
    let text = found.text();
    if text.len() > SHORT_BYTES_MAX {
        return true;
    }
    let asked = found.terms.iter().filter(|share| share.stands_for.is_none());
    let asked: BTreeSet<&Term> = asked.map(|share| &share.term).collect();
    analyzer.terms(&text).iter().any(|term| !asked.contains(term))
}

impl Gathered {
    /// The same without what may not surface unasked. At most [`COUNT`] of each tier are left, even
    /// if the reader was shown some of them: what comes after them is not relevant enough to take
    /// their place.
    pub fn unasked(&self) -> Self {
        let answers = self.relevance >= RELEVANCE_MIN;
        let mut ids: BTreeSet<OpId> = BTreeSet::new();
        // What replaces something specific surfaces with it, however it is worded.
        loop {
            let before = ids.len();
            for episode in &self.episodes {
                if episode.is_specific || episode.replaces.iter().any(|older| ids.contains(older)) {
                    ids.insert(episode.id);
                }
            }
            if ids.len() == before {
                break;
            }
        }
        let is_shown =
            |episode: &&Candidate| episode.holds_for_all || answers && ids.contains(&episode.id);
        let specific = self.episodes.iter().filter(is_shown);
        Self {
            facts: self.facts.iter().take(COUNT.most).cloned().collect(),
            episodes: specific.take(COUNT.most).cloned().collect(),
            ..self.clone()
        }
    }
}
