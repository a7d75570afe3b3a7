//! What the relevance of a recall is judged by: features of the ranking for the question, or for
//! each of its sentences that may ask.
//!
//! The last sentence decides. If it asks, whatever was said before may have nothing to do with it,
//! so the questions are judged. If it asks in few words ("Do you remember?"), or in words of which
//! memory knows none ("So which ones should we get?"), it may ask about what was said before, so
//! the whole text is judged too. If it does not ask, the whole text and its last sentences are.

use std::collections::BTreeMap;

use retrieval::question::Question;
use retrieval::question::ends::both_ends;
use retrieval::question::sentences::{asks, last_sentences};
use retrieval::rank::lexical::TermCounts;
use retrieval::rank::relevance::{
    Candidate, JUDGED, KnownWord, QuestionForm, RankingFeatures, SENTENCES_MAX, relevance,
};
use retrieval::text::{Analyzer, Term};
use store::StoreError;
use store::sqlite::{Found, Search, TermShare};

use super::episodes::Query;

/// How many of the best records are looked through for known words: as many as are always found, if
/// there are so many.
const SCANNED: usize = 128;
/// A sentence of fewer words neither asks nor says anything by itself.
const TERMS_MIN: usize = 2;
/// A question of fewer words may need the sentences before it.
const QUESTION_TERMS_MIN: usize = 3;

/// The features of a question for the records that were found, or of its sentences; the best count.
pub(super) fn of(
    search: &Search<'_>,
    analyzer: &mut Analyzer,
    question: &Question,
    query: &Query,
    found: &[&Found],
) -> Result<Vec<RankingFeatures>, StoreError> {
    let records = search.document_count();
    let words = found_words(found);
    let text = &*both_ends(&query.text);
    let tells = question.first_person;
    let judge = |question: &Question, form: QuestionForm| {
        let best = found.iter().take(JUDGED).map(|found| candidate(found, &words));
        RankingFeatures::of(question, form, records, best)
    };
    let whole = judge(question, QuestionForm { tells, is_part: false });
    let mut sentences: Vec<Sentence> = Vec::new();
    for sentence in last_sentences(text) {
        let parsed = search.question(sentence, analyzer, query.today)?;
        let (terms, asks) = (parsed.terms.len(), asks(sentence));
        if terms < TERMS_MIN {
            continue;
        }
        let tells = if asks { parsed.first_person } else { tells };
        let features = judge(&parsed, QuestionForm { tells, is_part: true });
        let is_known = features.is_some_and(|features| relevance(Some(&features)) > 0.0);
        let is_question = asks && terms >= QUESTION_TERMS_MIN && is_known;
        sentences.push(Sentence { asks, is_question, features });
    }
    let mut judged: Vec<RankingFeatures> = match sentences.last() {
        Some(last) if last.is_question => {
            let questions = sentences.iter().filter(|one| one.is_question);
            return Ok(last_of(questions.filter_map(|one| one.features).collect()));
        }
        Some(last) if last.asks => last.features.into_iter().collect(),
        _ => last_of(sentences.iter().filter_map(|one| one.features).collect()),
    };
    judged.extend(whole);
    Ok(judged)
}

fn last_of(mut judged: Vec<RankingFeatures>) -> Vec<RankingFeatures> {
    judged.drain(..judged.len().saturating_sub(SENTENCES_MAX));
    judged
}

/// A sentence of a question.
struct Sentence {
    /// It ends with a question mark.
    asks: bool,
    /// It asks, in words that memory knows.
    is_question: bool,
    features: Option<RankingFeatures>,
}

/// The words of the question that a record has that was found, and what the memory knows best of
/// each: the word itself, or what stands in for all of it. Words of records that may not be found,
/// such as private ones, do not count as known.
fn found_words<'a>(found: &[&'a Found]) -> BTreeMap<&'a Term, Known> {
    let mut words: BTreeMap<&'a Term, Known> = BTreeMap::new();
    let shares = found.iter().take(SCANNED).flat_map(|found| &found.terms);
    for share in shares.filter(|share| share.is_here() && share.is_whole()) {
        let known = Known { idf: share.idf / share.share(), share: share.share() };
        let best = words.entry(share.word()).or_insert(known);
        if known.idf * known.share > best.idf * best.share {
            *best = known;
        }
    }
    words
}

/// What the memory knows of a word.
#[derive(Clone, Copy)]
struct Known {
    /// Its weight by rarity.
    idf: f64,
    /// How much of that counts.
    share: f64,
}

fn candidate<'a>(found: &'a Found, words: &BTreeMap<&'a Term, Known>) -> Candidate<'a> {
    let shares = TermShare::by_word(&found.terms);
    let words = words.iter().map(|(term, known)| {
        let share = shares.iter().find(|share| share.word() == *term);
        let counts = share.map_or(TermCounts::default(), |share| share.counts());
        KnownWord { term, idf: known.idf, share: known.share, counts }
    });
    Candidate { score: &found.score, words: words.collect() }
}
