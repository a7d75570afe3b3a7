//! What the relevance of a recall is judged by: features of the ranking for the question, or for
//! each of its sentences that may ask.

use retrieval::question::Question;
use retrieval::question::ends::both_ends;
use retrieval::question::sentences::{asks, last_sentences};
use retrieval::rank::lexical::TermCounts;
use retrieval::rank::relevance::{Candidate, JUDGED, RankingFeatures, SENTENCES_MAX, relevance};
use retrieval::text::Analyzer;
use store::StoreError;
use store::sqlite::{Found, Search, TermShare};

use super::episodes::Query;

/// How many of the best records are looked through for known words: as many as are always found, if
/// there are so many.
const SCANNED: usize = 128;
/// A sentence of fewer words neither asks nor says anything by itself.
const TERMS_MIN: usize = 2;
/// A question of fewer words ("Do you remember?") needs the sentences before it.
const QUESTION_TERMS_MIN: usize = 3;

/// The features of a question for the records that were found. Of a text with several sentences,
/// those of the last questions in it; of one without a question of which memory knows a word, those
/// of the whole text and its last sentences.
pub(super) fn of(
    search: &Search<'_>,
    analyzer: &mut Analyzer,
    question: &Question,
    query: &Query,
    found: &[Found],
) -> Result<Vec<RankingFeatures>, StoreError> {
    let records = search.document_count();
    let is_found = found_terms(found);
    let judge = |question: &Question| {
        let best = found.iter().take(JUDGED).map(|found| candidate(found, &is_found));
        RankingFeatures::of(question, records, best)
    };
    let (mut asking, mut others) = (Vec::new(), Vec::new());
    for sentence in last_sentences(&both_ends(&query.text)) {
        let parsed = search.question(sentence, analyzer, query.today)?;
        let terms = parsed.terms.len();
        if asks(sentence) && terms >= QUESTION_TERMS_MIN {
            asking.extend(judge(&parsed).filter(|features| relevance(Some(features)) > 0.0));
        } else if terms >= TERMS_MIN {
            others.extend(judge(&parsed));
        }
    }
    let is_asking = !asking.is_empty();
    let mut judged = if is_asking { asking } else { others };
    judged.drain(..judged.len().saturating_sub(SENTENCES_MAX));
    let whole = judge(question).filter(|_| !is_asking);
    Ok(whole.into_iter().chain(judged).collect())
}

/// Which of the question's known terms a record has that was found. Words of records that may not
/// be found, such as private ones, do not count as known.
fn found_terms(found: &[Found]) -> Vec<bool> {
    let mut is_found = Vec::new();
    for record in found.iter().take(SCANNED) {
        is_found.resize(record.terms.len().max(is_found.len()), false);
        for (is_found, share) in is_found.iter_mut().zip(&record.terms) {
            *is_found |= share.own + share.previous + share.before_previous > 0;
        }
    }
    is_found
}

fn candidate<'a>(found: &'a Found, is_found: &[bool]) -> Candidate<'a> {
    let counts = |share: &TermShare| TermCounts {
        own: share.own,
        previous: share.previous,
        before_previous: share.before_previous,
    };
    let known = found.terms.iter().zip(is_found).filter(|(_, is_found)| **is_found);
    let terms = known.map(|(share, _)| (&share.term, share.idf, counts(share)));
    Candidate { score: &found.score, terms: terms.collect() }
}
