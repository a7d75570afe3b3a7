//! Sentences that belong to a deriver.
//!
//! What a deriver concludes from a sentence is a belief already. Rules do not mine such a sentence;
//! what a model makes of it is refused here.

use std::collections::{BTreeSet, HashMap};

use derivers::mining::owned_sentences;
use kernel::id::OpId;
use retrieval::text::{Analyzer, Language, Term};

use super::evidence::MinableRecord;
use super::filter::{Filtered, KeptRecord, reason};
use crate::write::graph::RecordType;

/// The share of a claim's terms that are in a sentence, from which on it says what that says. A
/// model adds who speaks ("The user prefers …").
const SHARE_MIN: f64 = 0.7;

/// Moves the claims that say only what a deriver concludes to what is refused, with the edges that
/// lose an end. A claim that cites a record without such a sentence is kept.
pub fn refuse_owned(filtered: &mut Filtered, records: &[&MinableRecord]) {
    let mut analyzer = Analyzer::new(Language::English);
    let mut owned: HashMap<OpId, Vec<BTreeSet<Term>>> = HashMap::new();
    for record in records {
        let sentences = owned_sentences(&record.record);
        if !sentences.is_empty() {
            let terms = sentences.iter().map(|it| analyzer.terms(it).into_iter().collect());
            owned.insert(record.id(), terms.collect());
        }
    }
    if owned.is_empty() {
        return;
    }
    let mut says_the_same = |record: &KeptRecord| {
        let terms: BTreeSet<Term> = analyzer.terms(&record.text).into_iter().collect();
        let is_in = |sentence: &BTreeSet<Term>| {
            let shared = terms.intersection(sentence).count();
            shared > 0 && shared as f64 >= SHARE_MIN * terms.len() as f64
        };
        matches!(record.record_type, RecordType::Claim(_))
            && record
                .sources
                .iter()
                .all(|id| owned.get(id).is_some_and(|of_record| of_record.iter().any(is_in)))
    };
    let (gone, kept) = std::mem::take(&mut filtered.records)
        .into_iter()
        .partition::<Vec<_>, _>(|record| says_the_same(record));
    filtered.records = kept;
    filtered.refused.extend(gone.into_iter().map(|record| record.refused(reason::DERIVED)));
    filtered.refuse_lost_edges(reason::UNKNOWN_END);
}
