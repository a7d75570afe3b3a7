//! BM25 (Robertson and Zaragoza 2009) over whole records, without context. The idf is the form that
//! is never negative.
//!
//! The plain one (k1 1.2, b 0.75) counts words in lower case. The stemmed one (k1 0.9, b 0.4, the
//! defaults of Anserini) has the text analysis of the engine and nothing else of it: the stemmer of
//! each record's language, no stop words, pairs of characters in scripts without spaces. A record
//! whose language is not recognised has that of most records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use retrieval::text::{Analyzer, Language, Languages, QueryLanguages};

use super::EvalError;
use super::controls::{Search, best_positive};
use super::records::{distinct_words, words};

/// An in-memory search.
pub struct Bm25 {
    terms: Terms,
    index: Index,
}

/// How texts become terms.
enum Terms {
    Words,
    Stems(Box<Stems>),
}

impl Bm25 {
    /// Over words in lower case.
    pub fn plain() -> Self {
        Self { terms: Terms::Words, index: Index::new(1.2, 0.75) }
    }

    /// Over stems, without stop words.
    pub fn stemmed() -> Self {
        let stems = Stems {
            lines: Vec::new(),
            analyzer: Analyzer::new(Language::Other),
            held: Languages::NONE,
        };
        Self { terms: Terms::Stems(Box::new(stems)), index: Index::new(0.9, 0.4) }
    }
}

impl Search for Bm25 {
    fn add(&mut self, lines: Vec<String>) -> Result<(), EvalError> {
        match &mut self.terms {
            Terms::Words => lines.iter().for_each(|line| self.index.add(&counts(words(line)))),
            Terms::Stems(stems) => stems.add(lines, &mut self.index),
        }
        Ok(())
    }

    fn rank(&mut self, question: &str, limit: usize) -> Result<Vec<usize>, EvalError> {
        let terms = match &mut self.terms {
            Terms::Words => distinct_words(question),
            Terms::Stems(stems) => stems.of_question(question),
        };
        Ok(best_positive(self.index.scores(&terms), limit))
    }
}

/// The stems of lines and questions.
struct Stems {
    lines: Vec<String>,
    /// Its usual language is that of most lines.
    analyzer: Analyzer,
    /// The languages of the lines.
    held: Languages,
}

impl Stems {
    /// Indexes all lines again, because the language of most of them may have changed.
    fn add(&mut self, lines: Vec<String>, index: &mut Index) {
        self.lines.extend(lines);
        self.analyzer = Analyzer::new(usual_language(&self.lines));
        index.clear();
        for line in &self.lines {
            let analysis = self.analyzer.analyze(line, &[]);
            self.held = self.held.with(Languages::of(analysis.language));
            let terms = analysis.terms.into_iter();
            index.add(&terms.map(|(term, count)| (term.to_string(), count)).collect());
        }
    }

    /// The stems of a question's words in its language, and in the others of the lines.
    fn of_question(&mut self, question: &str) -> BTreeSet<String> {
        let own = self.analyzer.analyze(question, &[]).language;
        let languages = QueryLanguages { own, others: self.held.without(own) };
        let terms = self.analyzer.query_terms(question, languages);
        terms.iter().flat_map(|term| term.all()).map(ToString::to_string).collect()
    }
}

/// The language of most lines whose language is recognised.
fn usual_language(lines: &[String]) -> Language {
    let mut analyzer = Analyzer::new(Language::Other);
    let mut lines_by_language: BTreeMap<Language, u64> = BTreeMap::new();
    for line in lines {
        *lines_by_language.entry(analyzer.analyze(line, &[]).language).or_default() += 1;
    }
    lines_by_language.remove(&Language::Other);
    let most = lines_by_language.into_iter().max_by_key(|(_, lines)| *lines);
    most.map_or(Language::English, |(language, _)| language)
}

/// How often each term occurs.
fn counts(terms: impl IntoIterator<Item = String>) -> BTreeMap<String, u32> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    terms.into_iter().for_each(|term| *counts.entry(term).or_default() += 1);
    counts
}

/// An inverted index, and BM25's parameters.
struct Index {
    k1: f64,
    b: f64,
    /// Terms of each record.
    lengths: Vec<u64>,
    /// Postings by term: (record, count).
    postings: HashMap<String, Vec<(usize, u32)>>,
}

impl Index {
    fn new(k1: f64, b: f64) -> Self {
        Self { k1, b, lengths: Vec::new(), postings: HashMap::new() }
    }

    fn clear(&mut self) {
        self.lengths.clear();
        self.postings.clear();
    }

    fn add(&mut self, counts: &BTreeMap<String, u32>) {
        for (term, count) in counts {
            self.postings.entry(term.clone()).or_default().push((self.lengths.len(), *count));
        }
        self.lengths.push(counts.values().map(|count| u64::from(*count)).sum());
    }

    /// The score of each record.
    fn scores(&self, terms: &BTreeSet<String>) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        let average = self.lengths.iter().sum::<u64>() as f64 / self.lengths.len().max(1) as f64;
        for term in terms {
            let Some(postings) = self.postings.get(term) else { continue };
            let idf =
                retrieval::rank::lexical::idf(self.lengths.len() as u64, postings.len() as u64);
            for (record, count) in postings {
                let (Some(score), Some(length)) =
                    (scores.get_mut(*record), self.lengths.get(*record))
                else {
                    continue;
                };
                let count = f64::from(*count);
                let norm = 1.0 - self.b + self.b * *length as f64 / average;
                *score += idf * count * (self.k1 + 1.0) / (count + self.k1 * norm);
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(search: &mut Bm25, lines: &[&str], question: &str) -> Vec<f64> {
        search.add(lines.iter().map(|line| (*line).to_owned()).collect()).unwrap();
        let Terms::Stems(stems) = &mut search.terms else { panic!("stems") };
        let terms = stems.of_question(question);
        search.index.scores(&terms)
    }

    #[test]
    fn stemmed_bm25_equals_that_computed_by_hand() {
        // Terms: paint (2), boat; paint; sail. The average length is 5/3.
        let lines = ["They painted the painting of a boat", "She paints", "We are sailing"];
        let found = scores(&mut Bm25::stemmed(), &lines, "Who has been painting?");
        // N = 3, n = 2: idf = ln(1 + 1.5 / 2.5) = ln 1.6. The first: count 2, length 3, so the norm
        // is 0.6 + 0.4 · 9/5 = 1.32; the second: count 1, length 1, 0.6 + 0.4 · 3/5 = 0.84.
        let idf = 1.6_f64.ln();
        let by_hand =
            [idf * 2.0 * 1.9 / (2.0 + 0.9 * 1.32), idf * 1.0 * 1.9 / (1.0 + 0.9 * 0.84), 0.0];
        for (found, by_hand) in found.iter().zip(by_hand) {
            assert!((found - by_hand).abs() < 1e-12, "{found} {by_hand}");
        }
    }

    #[test]
    fn records_are_stemmed_in_their_language_and_questions_in_all() {
        let german = [
            "Das Haus mit den Gärten ist nicht von uns",
            "Der Hund und die Katze sind in dem Garten",
            "Gartenzaun",
            "我们去公园",
        ];
        let mut search = Bm25::stemmed();
        search.add(german.map(str::to_owned).to_vec()).unwrap();
        assert_eq!(search.rank("Die Gärten?", 10).unwrap(), [0, 1], "no stop word matches");
        assert_eq!(search.rank("公园", 10).unwrap(), [3]);
        search.add(vec!["She was walking to the houses of the other people".to_owned()]).unwrap();
        assert_eq!(search.rank("Who was walking?", 10).unwrap(), [4]);
    }
}
