//! A naive model of the words that stand in for those of a question: parts of compounds, and longer
//! words. It looks through all words of all documents.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use retrieval::rank::lexical::{TermCounts, idf, term_strength};
use retrieval::text::compounds::SHARE_OF_LONGER;
use retrieval::text::{Analysis, QueryTerm, Term};

/// Longer words of one word, at each of its sides.
const LONGER_MAX: usize = 16;
/// Least letters of a word that is found by its end.
const LISTED_CHARS_MIN: usize = 7;

/// A word that stands in for one of a question.
pub(crate) struct StandIn {
    pub(crate) term: Term,
    /// The word of the question.
    pub(crate) word: Term,
    pub(crate) is_longer: bool,
    pub(crate) share: f64,
    /// The terms that are one word for its rarity.
    rare_as: Vec<Term>,
}

impl StandIn {
    /// Its rarity among `all` documents or sessions, of which each of some terms is in so many.
    pub(crate) fn rarity(&self, all: u64, holding: impl Fn(&Term) -> u64) -> f64 {
        idf(all, self.rare_as.iter().map(holding).sum::<u64>().min(all))
    }
}

/// What stands in for the words of a question.
pub(crate) fn stand_ins(terms: &[QueryTerm], analyses: &[Analysis]) -> Vec<StandIn> {
    let every = |analysis: &Analysis| {
        analysis.terms.iter().map(|(term, _)| term.to_string()).collect::<Vec<_>>()
    };
    let known: BTreeSet<String> = analyses.iter().flat_map(every).collect();
    let joined = analyses.iter().filter(|analysis| analysis.language.joins_words());
    let listed: BTreeSet<String> = joined
        .flat_map(every)
        .filter(|term| term.chars().all(char::is_alphabetic))
        .filter(|term| term.chars().count() >= LISTED_CHARS_MIN)
        .map(|term| term.chars().rev().collect())
        .collect();
    let mut taken: BTreeSet<Term> = terms.iter().flat_map(QueryTerm::all).cloned().collect();
    let mut found = Vec::new();
    for word in terms {
        let is_known = |part: &Term| Ok::<_, Infallible>(known.contains(part.as_str()));
        let Ok(parts) = word.related.parts(is_known);
        for part in parts {
            if taken.insert(part.term.clone()) {
                let (term, rare_as) = (part.term.clone(), vec![part.term]);
                let (word, share) = (word.term.clone(), part.share);
                found.push(StandIn { term, word, is_longer: false, share, rare_as });
            }
        }
        let Some(longer_by) = word.related.longer_by else { continue };
        let text = word.term.as_str();
        let letters = text.chars().count().saturating_add(longer_by);
        let beginning = shortest(&known, text);
        let mut longer: Vec<String> =
            beginning.into_iter().filter(|longer| longer.chars().count() <= letters).collect();
        if word.related.ends_words {
            let backwards: String = text.chars().rev().collect();
            let ending = shortest(&listed, &backwards);
            longer.extend(ending.iter().map(|longer| longer.chars().rev().collect::<String>()));
        }
        let longer: Vec<Term> = longer
            .iter()
            .map(|longer| Term::from(longer.as_str()))
            .filter(|term| taken.insert(term.clone()))
            .collect();
        let rare_as: Vec<Term> = longer.iter().chain(word.all()).cloned().collect();
        found.extend(longer.into_iter().map(|term| StandIn {
            term,
            word: word.term.clone(),
            is_longer: true,
            share: SHARE_OF_LONGER,
            rare_as: rare_as.clone(),
        }));
    }
    found
}

/// Those of `words` that begin with a text and are longer, the shortest first.
fn shortest(words: &BTreeSet<String>, text: &str) -> Vec<String> {
    let is_longer = |word: &&String| word.starts_with(text) && word.len() > text.len();
    let mut longer: Vec<String> = words.iter().filter(is_longer).cloned().collect();
    longer.sort_by_key(|word| (word.chars().count(), word.clone()));
    longer.truncate(LONGER_MAX);
    longer
}

/// The greatest rarity of what stands in for each word that is not among `known`, in sum.
pub(crate) fn rarity_of_unknown(
    stand_ins: &[StandIn],
    known: &BTreeSet<&Term>,
    rarity: impl Fn(&StandIn) -> f64,
) -> f64 {
    let mut best: BTreeMap<&Term, f64> = BTreeMap::new();
    for one in stand_ins.iter().filter(|one| !known.contains(&one.word)) {
        let best = best.entry(&one.word).or_default();
        *best = best.max(rarity(one));
    }
    best.values().sum()
}

/// Of a word and the longer ones that stand in for it, the best for a document.
pub(crate) fn counted(
    words: &[(f64, TermCounts, Option<&Term>)],
) -> impl Iterator<Item = (f64, TermCounts)> {
    let strength =
        |(idf, counts, _): &(f64, TermCounts, Option<&Term>)| idf * term_strength(*counts);
    let is_best = move |place: usize| {
        let Some(of) = words[place].2 else { return true };
        let same = (0..words.len()).filter(|other| words[*other].2 == Some(of));
        let best = same.reduce(|best, other| {
            if strength(&words[other]) > strength(&words[best]) { other } else { best }
        });
        best == Some(place)
    };
    (0..words.len())
        .filter(move |place| is_best(*place))
        .map(|place| (words[place].0, words[place].1))
}
