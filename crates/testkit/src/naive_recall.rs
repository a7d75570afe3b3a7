//! A naive model of recall without an index: every document is scored for every question.
//!
//! The real index must give the same scores in the same order. Nothing here is fast or incremental:
//! frequencies are counted from the documents for each question, and no candidate is skipped.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use models::near::NearWords;
use models::table::{DIMENSIONS, Sum, Table};
use retrieval::question::names::{NameId, Names};
use retrieval::question::{Question, RecordTime};
use retrieval::rank::lexical::{
    OWN_WITHOUT_CONTEXT, PIECE_LENGTH_MAX, TermCounts, idf, lex, own, own_strength, session,
    session_strength,
};
use retrieval::rank::meaning::{Direction, compress, widen};
use retrieval::rank::{Score, Signals, Weights, fuse};
use retrieval::text::compounds::Related;
use retrieval::text::{Analysis, Analyzer, Language, Languages, QueryTerm, Term};

use crate::naive_related::{StandIn, counted, rarity_of_unknown, stand_ins};

/// Sum of the idf of the question's terms that occur in the index, by which [`lex`] and [`session`]
/// are normalised.
fn known_idf_sum(all: u64, with_term: impl IntoIterator<Item = u64>) -> f64 {
    with_term.into_iter().filter(|count| *count > 0).map(|count| idf(all, count)).sum()
}

/// A record, short enough to be one passage. Documents of one session are each
/// other's context, in the order of their addition.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its conversation, thread or file.
    pub session: String,
    /// Its author.
    pub author: Option<String>,
    /// The people it involves, for documents without an author.
    pub participants: Vec<String>,
    /// The civil date of its session.
    pub date: Option<Date>,
    /// True for an event.
    pub is_event: bool,
    /// Its own text.
    pub text: String,
    /// Additional searchable text: captions, title.
    pub more: Vec<String>,
    /// It is not a turn: nothing in its session is its context, and asking is not its purpose.
    pub is_note: bool,
    /// It is a piece of a text, to which the piece before it adds words.
    pub continues_text: bool,
}

impl Document {
    /// Everything that is searched of it.
    fn searched(&self) -> String {
        let parts: Vec<&str> =
            std::iter::once(&self.text).chain(&self.more).map(String::as_str).collect();
        parts.join("\n")
    }
}

/// All documents with their analysis.
pub struct NaiveRecall {
    analyzer: Analyzer,
    names: Names,
    name_ids: BTreeMap<String, NameId>,
    documents: Vec<Document>,
    analyses: Vec<Analysis>,
    /// The languages of the documents.
    languages: Languages,
    /// The tokens of each document.
    tokens: Vec<Vec<u16>>,
    /// Position of the document before each in its session.
    previous: Vec<Option<usize>>,
    /// Position of the document after each in its session.
    next: Vec<Option<usize>>,
    /// Terms and length of each session.
    sessions: BTreeMap<String, SessionWords>,
}

#[derive(Default)]
struct SessionWords {
    last: Option<usize>,
    counts: BTreeMap<String, u32>,
    length: u64,
}

impl SessionWords {
    fn count(&self, word: &QueryTerm) -> u32 {
        word.all().filter_map(|term| self.counts.get(term.as_str())).sum()
    }
}

/// A document and its score.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Position of the document, in the order in which they were added.
    pub document: usize,
    /// Its score with all parts.
    pub score: Score,
    /// The signals of the score.
    pub signals: Signals,
}

impl NaiveRecall {
    /// A model without documents.
    pub fn new(language: Language) -> Self {
        Self {
            analyzer: Analyzer::new(language),
            names: Names::default(),
            name_ids: BTreeMap::new(),
            documents: Vec::new(),
            analyses: Vec::new(),
            languages: Languages::NONE,
            tokens: Vec::new(),
            previous: Vec::new(),
            next: Vec::new(),
            sessions: BTreeMap::new(),
        }
    }

    /// Adds a document and returns its position.
    pub fn add(&mut self, document: Document) -> usize {
        let more: Vec<&str> = document.more.iter().map(String::as_str).collect();
        let analysis = self.analyzer.analyze(&document.text, &more);
        for name in document.author.iter().chain(&document.participants) {
            let next = NameId(self.name_ids.len() as i64);
            let id = *self.name_ids.entry(name.clone()).or_insert(next);
            self.names.insert(id, name);
        }
        let mut tokens = Vec::new();
        if analysis.language == Language::English {
            for part in std::iter::once(&document.text).chain(&document.more) {
                Table::built_in().tokens(part, &mut tokens);
            }
        }
        self.languages = self.languages.with(Languages::of(analysis.language));
        self.tokens.push(tokens);
        let position = self.documents.len();
        let words = self.sessions.entry(document.session.clone()).or_default();
        let previous = words.last.replace(position);
        if let Some(next) = previous.and_then(|previous| self.next.get_mut(previous)) {
            *next = Some(position);
        }
        self.previous.push(previous);
        self.next.push(None);
        words.length += u64::from(analysis.length);
        for (term, count) in &analysis.terms {
            *words.counts.entry(term.to_string()).or_default() += count;
        }
        self.documents.push(document);
        self.analyses.push(analysis);
        position
    }

    /// Parses a question like [`Self::recall`].
    pub fn question(&mut self, question: &str, today: Option<Date>) -> Question {
        Question::parse(question, &mut self.analyzer, &self.names, self.languages, today)
    }

    /// Every document with its score, best first; ties go to the one nearest to `today`, then to
    /// the one added last, or first if the question asks for days.
    pub fn recall(&mut self, question: &str, today: Option<Date>, weights: &Weights) -> Vec<Hit> {
        let question = self.question(question, today);
        let speaker = named(&mut self.analyzer, &question, question.person());
        let subject = named(&mut self.analyzer, &question, question.subject());
        let all = self.documents.len() as u64;
        let terms = &question.terms;
        let holding: Vec<u64> = terms
            .iter()
            .map(|term| {
                self.analyses.iter().filter(|analysis| count(analysis, term) > 0).count() as u64
            })
            .collect();
        let stand_ins = stand_ins(terms, &self.analyses);
        let holding_term = |term: &Term| {
            self.analyses.iter().filter(|analysis| count_of(analysis, term) > 0).count() as u64
        };
        let rarity = |one: &StandIn| one.rarity(all, holding_term);
        let sum = known_idf_sum(all, holding.iter().copied())
            + rarity_of_unknown(&stand_ins, &held(terms, &holding), rarity);
        let total: u64 = self.analyses.iter().map(length).sum();
        let average = total as f64 / all.max(1) as f64;
        let sessions = self.session_scores(terms, &stand_ins);
        let person = speaker.as_ref().or(subject.as_ref());
        let theirs = person.map(|person| self.conversations_of(person)).unwrap_or_default();
        let classes = self.classes(&question, weights);
        let judges_text = !question.asks_for_days;
        let nameless = if judges_text { Table::built_in().known_part(&question) } else { "" };
        let query = Direction::of(&Table::built_in().embed(nameless));
        let weights = match query {
            None if judges_text => &weights.without_meaning(),
            _ => weights,
        };
        let mut near = NearWords::new(Table::built_in(), nameless);
        let best: Vec<Vec<f32>> =
            self.tokens.iter().map(|tokens| near.best(tokens.iter().copied())).collect();
        let mut hits: Vec<Hit> = (0..self.documents.len())
            .map(|position| {
                let counts = terms.iter().zip(&holding).filter(|(_, holding)| **holding > 0);
                let exact = counts.map(|(term, holding)| {
                    (idf(all, *holding), self.counts(position, term), Some(&term.term))
                });
                let others = stand_ins.iter().map(|one| {
                    let counts = self.counts(position, &word_of(&one.term));
                    let longer = Some(&one.word).filter(|_| one.is_longer);
                    (rarity(one) * one.share, counts, longer)
                });
                let words: Vec<_> = exact.chain(others).collect();
                let counts: Vec<(f64, TermCounts)> = counted(&words).collect();
                let document = &self.documents[position];
                let analysis = &self.analyses[position];
                let own_words = own(
                    counts.iter().map(|(idf, counts)| {
                        (*idf, own_strength(counts.own, length(analysis), average))
                    }),
                    sum,
                )
                .min(1.0);
                let without_context = if document.is_note { OWN_WITHOUT_CONTEXT } else { 1.0 };
                let signals = Signals {
                    words: lex(counts.iter().copied(), sum).min(1.0),
                    own_words: own_words * without_context,
                    session: sessions.get(document.session.as_str()).copied().unwrap_or(0.0),
                    window_meaning: query
                        .as_ref()
                        .map_or(0.0, |query| cosine(query, &self.window(position))),
                    own_meaning: 0.0,
                    word_meaning: {
                        let of = |position: Option<usize>| {
                            position.map_or(&[][..], |position| &best[position])
                        };
                        let (previous, before) = self.context(position);
                        near.near(&best[position], of(previous), of(before))
                    },
                    next_meaning: match (&query, self.next[position].filter(|_| !document.is_note))
                    {
                        (Some(query), Some(next)) => cosine(query, &self.vector(next)),
                        _ => 0.0,
                    },
                    speaker: speaker.as_ref().is_some_and(|named| self.involves(position, named)),
                    subject: subject.as_ref().is_some_and(|named| self.involves(position, named)),
                    elsewhere: person.is_some_and(|person| {
                        !theirs.is_empty()
                            && !document.is_note
                            && !theirs.contains(document.session.as_str())
                            && !self.names(position, person)
                    }),
                    asker_words: 0.0,
                    profile: 0.0,
                    asker: false,
                    standing: 0.0,
                    date: question.time_fit(RecordTime {
                        date: document.date,
                        is_event: document.is_event,
                        is_quoted: !(document.is_event && question.asks_for_days)
                            && question.quotes.iter().any(|quote| {
                                quote.terms.iter().all(|term| count(analysis, term) > 0)
                                    && quote.is_of(document.date)
                                    && quote.is_in(&document.searched())
                            }),
                    }),
                    is_question: judges_text && analysis.is_question && !document.is_note,
                    is_output: false,
                    time_expression: judges_text && analysis.timex && !document.is_note,
                    asks_when: question.asks_when,
                    classes: classes
                        .iter()
                        .filter(|(_, holding)| holding.contains(&position))
                        .map(|(share, _)| share)
                        .sum(),
                };
                Hit { document: position, score: fuse(weights, &signals), signals }
            })
            .collect();
        let tie = |hit: &Hit| {
            let days = |date: Date| {
                today.and_then(|today| today.until(date).ok()).map(|span| -span.get_days().abs())
            };
            let order = hit.document as i64;
            let order = if question.asks_for_days { -order } else { order };
            (today.map(|_| self.documents[hit.document].date.and_then(days)), order)
        };
        hits.sort_by(|left, right| {
            right.score.total.total_cmp(&left.score.total).then_with(|| tie(right).cmp(&tie(left)))
        });
        hits
    }

    /// The weight of each class that a question names, and the documents with a member of it.
    fn classes(&self, question: &Question, weights: &Weights) -> Vec<(f64, BTreeSet<usize>)> {
        let all = self.documents.len();
        let holding = |members: &Vec<QueryTerm>| {
            let holds = |position: &usize| {
                members.iter().any(|member| count(&self.analyses[*position], member) > 0)
            };
            (0..all).filter(holds).collect::<BTreeSet<usize>>()
        };
        let classes = question.classes.iter().filter(|_| weights.classes != 0.0).map(holding);
        let classes: Vec<BTreeSet<usize>> = classes.filter(|holding| !holding.is_empty()).collect();
        let weigh = |holding: &BTreeSet<usize>| idf(all as u64, holding.len() as u64);
        let sum: f64 = classes.iter().map(weigh).sum();
        classes.into_iter().map(|holding| (weigh(&holding) / sum, holding)).collect()
    }

    fn session_scores(&self, terms: &[QueryTerm], stand_ins: &[StandIn]) -> BTreeMap<&str, f64> {
        let all = self.sessions.len() as u64;
        let total: u64 = self.sessions.values().map(|words| words.length).sum();
        let average = total as f64 / (all.max(1)) as f64;
        let holding: Vec<u64> = terms
            .iter()
            .map(|term| self.sessions.values().filter(|words| words.count(term) > 0).count() as u64)
            .collect();
        let holding_term = |term: &Term| {
            self.sessions.values().filter(|words| words.counts.contains_key(term.as_str())).count()
                as u64
        };
        let rarity = |one: &StandIn| one.rarity(all, holding_term);
        let sum = known_idf_sum(all, holding.iter().copied())
            + rarity_of_unknown(stand_ins, &held(terms, &holding), rarity);
        self.sessions
            .iter()
            .map(|(name, words)| {
                let strengths = terms.iter().zip(&holding).map(|(term, holding)| {
                    let strength = session_strength(words.count(term), words.length, average);
                    (idf(all, *holding), strength)
                });
                let others = stand_ins.iter().map(|one| {
                    let count = words.count(&word_of(&one.term));
                    let strength = session_strength(count, words.length, average);
                    (rarity(one) * one.share, strength)
                });
                (name.as_str(), session(strengths.chain(others), sum).min(1.0))
            })
            .collect()
    }

    fn counts(&self, position: usize, term: &QueryTerm) -> TermCounts {
        let is_short = self.analyses[position].length <= PIECE_LENGTH_MAX;
        let (previous, before) = match self.documents[position].continues_text && is_short {
            true => (None, self.previous[position]),
            false => self.context(position),
        };
        let at = |position: Option<usize>| {
            position.map_or(0, |position| count(&self.analyses[position], term))
        };
        // The index counts no further: see the format of its postings. A word of a question may be
        // several terms, so that their sum reaches what no term does.
        TermCounts {
            own: at(Some(position)).min(15),
            previous: at(previous).min(3),
            before_previous: at(before).min(3),
        }
    }

    /// The two documents before one in its session.
    fn context(&self, position: usize) -> (Option<usize>, Option<usize>) {
        let previous = self.previous[position].filter(|_| !self.documents[position].is_note);
        (previous, previous.and_then(|previous| self.previous[previous]))
    }

    fn vector(&self, position: usize) -> Sum {
        let mut sum = [0.0; DIMENSIONS];
        Table::built_in().add(self.tokens[position].iter().copied(), &mut sum);
        sum
    }

    fn window(&self, position: usize) -> Sum {
        let mut window = self.vector(position);
        let of = |position: Option<usize>| {
            position.map_or([0.0; DIMENSIONS], |position| self.vector(position))
        };
        let (previous, before) = self.context(position);
        widen(&mut window, &of(previous), &of(before));
        window
    }

    /// The sessions in which one of the named people speaks.
    fn conversations_of(&self, named: &NamedPeople) -> BTreeSet<&str> {
        let is_theirs = |document: &&Document| {
            let id = document.author.as_ref().and_then(|author| self.name_ids.get(author));
            !document.is_note && id.is_some_and(|id| named.people.contains(id))
        };
        self.documents.iter().filter(is_theirs).map(|document| document.session.as_str()).collect()
    }

    /// Whether a document itself contains every word of the name.
    fn names(&self, position: usize, named: &NamedPeople) -> bool {
        let holds = |word: &QueryTerm| count(&self.analyses[position], word) > 0;
        !named.words.is_empty() && named.words.iter().all(holds)
    }

    /// Whether a document is by one of the named people, or, without an author, involves them or
    /// contains every word of the name.
    fn involves(&self, position: usize, named: &NamedPeople) -> bool {
        let document = &self.documents[position];
        let is_one =
            |name: &String| self.name_ids.get(name).is_some_and(|id| named.people.contains(id));
        match &document.author {
            Some(author) => is_one(author),
            None => document.participants.iter().any(is_one) || self.names(position, named),
        }
    }
}

fn cosine(query: &Direction, vector: &Sum) -> f64 {
    let mut steps = [0; DIMENSIONS];
    let inverse_length = compress(vector, &mut steps);
    f64::from(query.cosine(&steps, inverse_length))
}

/// The people that a question names, and the words of their name.
struct NamedPeople {
    people: Vec<NameId>,
    words: Vec<QueryTerm>,
}

fn named(
    analyzer: &mut Analyzer,
    question: &Question,
    people: Option<&[NameId]>,
) -> Option<NamedPeople> {
    let people = people?.to_vec();
    let mention = question.mentions.iter().find(|mention| mention.people == people)?;
    Some(NamedPeople { words: analyzer.query_terms(&mention.text, question.languages), people })
}

/// Its length in terms, as far as the index counts it.
fn length(analysis: &Analysis) -> u64 {
    u64::from(analysis.length.min(u32::from(u8::MAX)))
}

fn count(analysis: &Analysis, word: &QueryTerm) -> u32 {
    word.all().map(|term| count_of(analysis, term)).sum()
}

fn count_of(analysis: &Analysis, term: &Term) -> u32 {
    let found = analysis.terms.binary_search_by(|(candidate, _)| candidate.cmp(term));
    found.map_or(0, |index| analysis.terms[index].1)
}

/// The words that something holds.
fn held<'q>(terms: &'q [QueryTerm], holding: &[u64]) -> BTreeSet<&'q Term> {
    let held = terms.iter().zip(holding).filter(|(_, holding)| **holding > 0);
    held.map(|(word, _)| &word.term).collect()
}

/// A term as a word of a question, for which nothing stands in.
fn word_of(term: &Term) -> QueryTerm {
    QueryTerm { term: term.clone(), variants: Vec::new(), related: Related::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn turn(author: &str, text: &str) -> Document {
        Document {
            session: "first".to_owned(),
            author: Some(author.to_owned()),
            date: Some(date(2024, 2, 29)),
            text: text.to_owned(),
            ..Document::default()
        }
    }

    #[test]
    fn an_answer_is_found_by_the_question_before_it() {
        let mut memory = NaiveRecall::new(Language::English);
        memory.add(turn("Ada", "Lovely weather."));
        memory.add(turn("Ada", "Did you ever visit Lisbon?"));
        memory.add(turn("Ben", "Yes, last June!"));
        memory.add(turn("Ada", "Soup for me."));
        let hits = memory.recall("When did Ben visit Lisbon?", None, &Weights::LEXICAL);
        assert_eq!(hits[0].document, 2);
        let parts = hits[0].score.parts;
        assert!(
            (hits[0].score.total - parts.iter().map(|part| part.contribution).sum::<f64>()).abs()
                < 1e-12
        );
        assert!((hits[0].signals.words - 0.8 / 0.9).abs() < 1e-9);
        assert!(
            hits[0].signals.speaker && hits[0].signals.time_expression && hits[0].signals.asks_when
        );
    }

    #[test]
    fn a_note_without_an_author_counts_for_the_people_it_involves() {
        let mut memory = NaiveRecall::new(Language::English);
        let note = |text: &str, participants: Vec<String>| Document {
            session: "notes".to_owned(),
            participants,
            text: text.to_owned(),
            ..Document::default()
        };
        memory.add(note("dinner", vec![]));
        memory.add(note("dinner", vec!["Ada".to_owned()]));
        let hits = memory.recall("dinner with Ada", None, &Weights::LEXICAL);
        assert_eq!(hits[0].document, 1);
    }

    #[test]
    fn the_date_in_the_question_breaks_ties() {
        let mut memory = NaiveRecall::new(Language::English);
        let mut early = turn("Ada", "We had soup.");
        early.session = "early".to_owned();
        early.date = Some(date(2023, 5, 7));
        memory.add(turn("Ada", "We had soup."));
        memory.add(early);
        let hits = memory.recall("What did Ada have on 7 May 2023?", None, &Weights::LEXICAL);
        assert_eq!(hits[0].document, 1);
        assert_eq!(hits[0].signals.date, 1.5);
    }

    #[test]
    fn questions_without_matches_score_zero() {
        let mut memory = NaiveRecall::new(Language::English);
        assert!(memory.recall("anything", None, &Weights::LEXICAL).is_empty());
        memory.add(Document { text: "soup".to_owned(), ..Document::default() });
        for question in ["", "the", "zebra"] {
            assert_eq!(memory.recall(question, None, &Weights::LEXICAL)[0].score.total, 0.0);
        }
    }
}
