//! Finding: every record that shares a word, a session or a date with the question is scored, block by block.
//!
//! Rows of all the question's terms are read once. A block's documents share one small array of sums, so
//! the whole pass stays in the processor's cache; a document is looked at more closely only if its sum and the most that the
//! other parts could add exceed the worst of the best so far. The best are scored again exactly, by the
//! kernel's own arithmetic, and what that adds up is the explanation.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};

use jiff::civil::Date;
use kernel::question::Question;
use kernel::question::dates::date_fit;
use kernel::question::names::NameId;
use kernel::rank::lexical::{self, TermCounts};
use kernel::rank::{Score, Signals, Weights, fuse};
use kernel::text::{Analyzer, Term};
use rusqlite::{Connection, OptionalExtension};

use super::attributes::{self, Attribute, Attributes, NO_DAY, NO_TIME, NONE};
use super::lengths::Lengths;
use super::names::SqliteNames;
use super::postings::{self, BLOCK, SESSION_BLOCK};
use crate::{Position, StoreError};

/// How many more than asked for are scored exactly, for those that fall to deduplication.
const SPARE: usize = 40;
/// Days around 1970 for which the fit of a date is remembered in a table, about 120 years either way.
const DAYS_REMEMBERED: i32 = 45_000;

/// What may be found. Held inside the search, not after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Kinds of evidence; all if empty.
    pub kinds: Vec<String>,
    /// Not before, microseconds since the Unix epoch. A record without a time is left out.
    pub since_us: Option<i64>,
    /// Before, microseconds since the Unix epoch. A record without a time is left out.
    pub until_us: Option<i64>,
}

/// What one word of the question contributed to a record's `lex`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TermShare {
    /// The word as it is indexed.
    pub term: Term,
    /// How rare it is: its weight.
    pub idf: f64,
    /// How often it is in the record and the two before it.
    pub own: u32,
    /// In the record before.
    pub previous: u32,
    /// In the one before that.
    pub before_previous: u32,
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Where its operation is.
    pub position: Position,
    /// Its number in the index.
    pub document: u32,
    /// Its session's number.
    pub session: u32,
    /// The sum of its parts.
    pub score: Score,
    /// What its `lex` consists of.
    pub terms: Vec<TermShare>,
}

/// The index, seen at one moment.
pub struct Search<'a> {
    pub(in super::super) connection: &'a Connection,
    pub(in super::super) attributes: &'a Attributes,
    pub(in super::super) lengths: &'a Lengths,
}

/// A term of the question and its rows.
struct TermRows {
    term: Term,
    idf: f64,
    session_idf: f64,
    rows: Vec<(u32, Vec<u8>)>,
    /// Sessions that hold it, and how often.
    sessions: Vec<(u32, u32)>,
}

impl TermRows {
    fn row(&self, block: u32) -> &[u8] {
        self.rows.binary_search_by_key(&block, |(number, _)| *number).map_or(&[], |index| &self.rows[index].1)
    }
}

impl Search<'_> {
    /// Understands a question by the people that the space knows. `today` is what "last week" counts from.
    pub fn question(&self, text: &str, analyzer: &mut Analyzer, today: Option<Date>) -> Result<Question, StoreError> {
        let names = SqliteNames::new(self.connection);
        let question = Question::parse(text, analyzer, &names, today);
        names.finish()?;
        Ok(question)
    }

    /// The best `limit` records and some to spare, best first; of equals the one told last.
    pub fn find(
        &self,
        question: &Question,
        analyzer: &mut Analyzer,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Found>, StoreError> {
        let documents = u64::from(self.attributes.len());
        let sessions = self.lengths.of.len() as u64;
        let mut terms = Vec::new();
        for term in &question.terms {
            terms.extend(self.term_rows(term, documents, sessions)?);
        }
        let idf_sum: f64 = terms.iter().map(|term| term.idf).sum();
        let session_idf_sum: f64 = terms.iter().map(|term| term.session_idf).sum();
        let weights = Weights::LEXICAL;
        let pass = Pass {
            search: self,
            weights: &weights,
            session_scores: self.session_scores(&terms, session_idf_sum),
            terms,
            idf_sum,
            speaker: self.who(question.person(), question, analyzer)?,
            subject: self.who(question.subject(), question, analyzer)?,
            question,
            admitted: self.admitted(filter)?,
            filter,
        };
        let best = pass.preselect(limit.saturating_add(SPARE).min(self.attributes.rest.len()));
        Ok(pass.score_exactly(best))
    }

    /// None if the index does not know the term.
    fn term_rows(&self, term: &Term, documents: u64, sessions: u64) -> Result<Option<TermRows>, StoreError> {
        let known = self
            .connection
            .prepare_cached("SELECT number FROM text_term WHERE word = ?1")?
            .query_row([term.as_str()], |row| row.get::<_, u32>(0))
            .optional()?;
        let Some(number) = known else { return Ok(None) };
        let mut statement = self.connection.prepare_cached("SELECT data FROM text_posting WHERE key = ?1")?;
        let mut rows: Vec<(u32, Vec<u8>)> = Vec::new();
        for block in 0..self.attributes.len().div_ceil(BLOCK) {
            let row = statement.query_row([postings::key(block, number)], |row| row.get(0)).optional()?;
            rows.extend(row.map(|row| (block, row)));
        }
        let records = rows.iter().map(|(_, row)| u64::from(postings::own_count(row))).sum();
        let session_rows = self.session_rows(number)?;
        let in_sessions = session_rows.len() as u64;
        Ok(Some(TermRows {
            term: term.clone(),
            idf: lexical::idf(documents, records),
            session_idf: lexical::idf(sessions, in_sessions),
            rows,
            sessions: session_rows,
        }))
    }

    /// Sessions that hold a term, and how often.
    fn session_rows(&self, term: u32) -> Result<Vec<(u32, u32)>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT data FROM text_session_posting WHERE key = ?1")?;
        let mut sessions = Vec::new();
        for block in 0..(self.lengths.of.len() as u32).div_ceil(SESSION_BLOCK) {
            let mut rows = statement.query([postings::key(block, term)])?;
            if let Some(row) = rows.next()? {
                let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
                let found = postings::decode_sessions(data);
                sessions.extend(
                    found.map(|(place, count)| (block.saturating_mul(SESSION_BLOCK).saturating_add(place), count)),
                );
            }
        }
        Ok(sessions)
    }

    /// Every session's `sess`.
    fn session_scores(&self, terms: &[TermRows], idf_sum: f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.lengths.of.len()];
        let average = self.lengths.average();
        for term in terms {
            for (session, count) in &term.sessions {
                let session = *session as usize;
                if let (Some(sum), Some(length)) = (sums.get_mut(session), self.lengths.of.get(session)) {
                    *sum += term.session_idf * lexical::session_strength(*count, u64::from(*length), average);
                }
            }
        }
        // The sum over the terms is made already; what is left of the kernel's formula is the share.
        sums.into_iter().map(|sum| lexical::session([(sum, 1.0)], idf_sum)).collect()
    }

    /// Some of the people that the question mentions, as the index knows them.
    fn who(
        &self,
        people: Option<&[NameId]>,
        question: &Question,
        analyzer: &mut Analyzer,
    ) -> Result<Option<Who>, StoreError> {
        let Some(named) = people else { return Ok(None) };
        let people: Vec<u32> = named.iter().filter_map(|id| u32::try_from(id.0).ok()).collect();
        let mut involved = HashSet::new();
        let mut statement =
            self.connection.prepare_cached("SELECT document FROM text_participant WHERE person = ?1")?;
        for person in &people {
            for document in statement.query_map([person], |row| row.get::<_, u32>(0))? {
                involved.insert(document?);
            }
        }
        let mention = question.mentions.iter().find(|mention| mention.people == named);
        let mut words = Some(Vec::new());
        for term in analyzer.terms(mention.map_or("", |mention| mention.text.as_str())) {
            // No record holds a word that the index does not know.
            words = words.zip(self.term_rows(&term, 0, 0)?).map(|(mut words, rows)| {
                words.push(rows);
                words
            });
        }
        Ok(Some(Who { people, involved, words: words.unwrap_or_default() }))
    }

    /// Numbers of the kinds that the filter admits; none for all.
    fn admitted(&self, filter: &Filter) -> Result<Option<HashSet<u8>>, StoreError> {
        if filter.kinds.is_empty() {
            return Ok(None);
        }
        let mut statement = self.connection.prepare_cached("SELECT number FROM text_kind WHERE word = ?1")?;
        let mut admitted = HashSet::new();
        for kind in &filter.kinds {
            if let Some(number) = statement.query_row([kind], |row| row.get::<_, i64>(0)).optional()? {
                admitted.insert(attributes::kind_byte(number));
            }
        }
        Ok(Some(admitted))
    }

    /// Records that count, by kind of evidence.
    pub fn count_by_kind(&self) -> Result<std::collections::BTreeMap<String, u64>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT number, word FROM text_kind ORDER BY number DESC")?;
        let words =
            statement.query_map([], |row| Ok((attributes::kind_byte(row.get(0)?), row.get::<_, String>(1)?)))?;
        // Of the kinds that share the last number, the first gives its name to all.
        let words: std::collections::HashMap<u8, String> = words.collect::<Result<_, _>>()?;
        let mut counts = std::collections::BTreeMap::new();
        for attribute in self.attributes.rest.iter().filter(|attribute| attribute.flags & attributes::DEAD == 0) {
            if let Some(word) = words.get(&attribute.kind) {
                *counts.entry(word.clone()).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// The records before and after one in its session, at most `reach` each way, as (distance, position).
    pub fn neighbours(&self, document: u32, reach: u32) -> Vec<(i32, Position)> {
        /// How far ahead the next record of a session is looked for.
        const AHEAD_MAX: u32 = 256;
        let mut found = Vec::new();
        let mut current = document;
        for distance in 1..=reach {
            let Some(attribute) = self.attributes.get(current) else { break };
            if attribute.previous == NONE {
                break;
            }
            current = attribute.previous;
            found.push((-(distance as i32), current));
        }
        current = document;
        for distance in 1..=reach {
            let follows = |next: &u32| self.attributes.get(*next).is_some_and(|next| next.previous == current);
            let Some(next) = (current.saturating_add(1)..current.saturating_add(AHEAD_MAX)).find(follows) else {
                break;
            };
            current = next;
            found.push((distance as i32, current));
        }
        found.sort_unstable();
        let mut neighbours = Vec::new();
        for (distance, document) in found {
            if let Some(attribute) = self.attributes.get(document).filter(|found| found.flags & attributes::DEAD == 0) {
                neighbours.push((distance, attribute.position));
            }
        }
        neighbours
    }
}

/// People that the question names, as the index knows them.
struct Who {
    people: Vec<u32>,
    /// Records without an author in which they take part.
    involved: HashSet<u32>,
    /// The words of the name: a record without an author that holds them all mentions the person.
    words: Vec<TermRows>,
}

impl Who {
    /// Which documents of a block hold every word of the name themselves; none if that is nothing to go by.
    fn named_in(&self, block: u32) -> Option<Vec<bool>> {
        if self.words.is_empty() {
            return None;
        }
        let mut held = vec![0usize; BLOCK as usize];
        for word in &self.words {
            for (place, counts) in postings::decode(word.row(block)) {
                held[place as usize] += usize::from(postings::unpack(counts).own > 0);
            }
        }
        Some(held.into_iter().map(|held| held == self.words.len()).collect())
    }

    /// Whether a record is theirs; one without author, whether it involves or mentions them.
    fn holds(&self, attribute: &Attribute, document: u32, named: &Option<Vec<bool>>) -> bool {
        if attribute.author != NONE {
            return self.people.contains(&attribute.author);
        }
        let mentioned = named.as_ref().and_then(|named| named.get((document % BLOCK) as usize)).copied();
        mentioned.unwrap_or(false)
            || attribute.flags & attributes::HAS_PARTICIPANTS != 0 && self.involved.contains(&document)
    }
}

/// Which documents of a block mention whom.
struct Named {
    speaker: Option<Vec<bool>>,
    subject: Option<Vec<bool>>,
}

/// One search over all blocks.
struct Pass<'a> {
    search: &'a Search<'a>,
    weights: &'a Weights,
    terms: Vec<TermRows>,
    idf_sum: f64,
    session_scores: Vec<f64>,
    /// The one person that the question is about.
    speaker: Option<Who>,
    /// Who acts, of several that it names.
    subject: Option<Who>,
    question: &'a Question,
    admitted: Option<HashSet<u8>>,
    filter: &'a Filter,
}

/// A document and its approximate score; ordered by score, the earlier of equals first.
#[derive(Clone, Copy, PartialEq)]
struct Candidate {
    score: f32,
    document: u32,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.document.cmp(&other.document))
    }
}

impl Pass<'_> {
    /// The best documents by single-precision scores, in order of document.
    fn preselect(&self, limit: usize) -> Vec<u32> {
        let lex_weights: Vec<[f32; 256]> = self.terms.iter().map(|term| self.lex_by_counts(term.idf)).collect();
        let mut cursors = vec![0; self.terms.len()];
        let mut heap: BinaryHeap<Reverse<Candidate>> = BinaryHeap::with_capacity(limit + 1);
        let mut sums = vec![0.0f32; BLOCK as usize];
        let mut dates = DateFits::new(self.question);
        let most_else = self.most_else();
        let documents = self.search.attributes.len();
        for block in 0..documents.div_ceil(BLOCK) {
            sums.fill(0.0);
            for ((term, weights), cursor) in self.terms.iter().zip(&lex_weights).zip(&mut cursors) {
                if let Some((number, row)) = term.rows.get(*cursor)
                    && *number == block
                {
                    *cursor += 1;
                    for (place, counts) in postings::decode(row) {
                        sums[place as usize] += weights[usize::from(counts)];
                    }
                }
            }
            let named = self.named_in(block);
            let first = block * BLOCK;
            let count = (documents - first).min(BLOCK) as usize;
            let sessions = &self.search.attributes.session[first as usize..first as usize + count];
            let mut threshold = heap.peek().filter(|_| heap.len() >= limit).map_or(0.0, |Reverse(worst)| worst.score);
            for (place, (sum, session)) in sums.iter().zip(sessions).enumerate() {
                let session = self.session_scores.get(*session as usize).copied().unwrap_or(0.0);
                let known = sum + (self.weights.sess * session) as f32;
                if known + most_else <= threshold || (known == 0.0 && dates.is_empty()) {
                    continue;
                }
                let document = first + place as u32;
                let Some(attribute) = self.search.attributes.get(document) else { continue };
                if !self.admits(attribute) {
                    continue;
                }
                let date = dates.fit(attribute.day);
                if known == 0.0 && date == 0.0 {
                    continue;
                }
                let signals = self.signals(attribute, document, &named, date);
                let score = known + fuse(self.weights, &signals).total as f32;
                let candidate = Candidate { score, document };
                if heap.len() < limit {
                    heap.push(Reverse(candidate));
                } else if heap.peek().is_some_and(|Reverse(worst)| candidate > *worst) {
                    heap.pop();
                    heap.push(Reverse(candidate));
                }
                if heap.len() >= limit {
                    threshold = heap.peek().map_or(0.0, |Reverse(worst)| worst.score);
                }
            }
        }
        let mut best: Vec<u32> = heap.into_iter().map(|Reverse(candidate)| candidate.document).collect();
        best.sort_unstable();
        best
    }

    /// What a posting adds to the weighted `lex` and `own`, by its packed counts.
    fn lex_by_counts(&self, idf: f64) -> [f32; 256] {
        let mut weights = [0.0; 256];
        for (byte, weight) in (0..=u8::MAX).zip(&mut weights) {
            let counts = [(idf, postings::unpack(byte))];
            let lex = self.weights.lex * lexical::lex(counts, self.idf_sum);
            *weight = (lex + self.weights.own * lexical::own(counts, self.idf_sum)) as f32;
        }
        weights
    }

    /// The most that anything but words and session can add.
    fn most_else(&self) -> f32 {
        let weights = self.weights;
        let date = if self.question.dates.is_empty() { 0.0 } else { 1.5 * weights.date };
        let when = if self.question.asks_when { weights.when } else { 0.0 };
        let speaker = if self.speaker.is_some() { weights.speaker } else { 0.0 };
        let subject = if self.subject.is_some() { weights.subject } else { 0.0 };
        let who = speaker.max(0.0) + subject.max(0.0);
        (date.max(0.0) + when.max(0.0) + who + weights.timex.max(0.0) + weights.is_question.max(0.0)) as f32
    }

    /// Which documents of a block hold every word of a name themselves.
    fn named_in(&self, block: u32) -> Named {
        let names = |who: &Option<Who>| who.as_ref().and_then(|who| who.named_in(block));
        Named { speaker: names(&self.speaker), subject: names(&self.subject) }
    }

    fn admits(&self, attribute: &Attribute) -> bool {
        if attribute.flags & attributes::DEAD != 0 {
            return false;
        }
        if self.admitted.as_ref().is_some_and(|kinds| !kinds.contains(&attribute.kind)) {
            return false;
        }
        let Filter { since_us, until_us, .. } = self.filter;
        if (since_us.is_some() || until_us.is_some()) && attribute.at_us == NO_TIME {
            return false;
        }
        since_us.is_none_or(|since| attribute.at_us >= since) && until_us.is_none_or(|until| attribute.at_us < until)
    }

    /// Every signal but those of words.
    fn signals(&self, attribute: &Attribute, document: u32, named: &Named, date: f64) -> Signals {
        let is_of = |who: &Option<Who>, named| who.as_ref().is_some_and(|who| who.holds(attribute, document, named));
        Signals {
            speaker: is_of(&self.speaker, &named.speaker),
            subject: is_of(&self.subject, &named.subject),
            date,
            is_question: attribute.flags & attributes::IS_QUESTION != 0,
            timex: attribute.flags & attributes::TIMEX != 0,
            asks_when: self.question.asks_when,
            ..Signals::default()
        }
    }

    /// Scores documents (in rising order) by the kernel's arithmetic. Best first.
    fn score_exactly(&self, documents: Vec<u32>) -> Vec<Found> {
        let mut counts = vec![vec![TermCounts::default(); self.terms.len()]; documents.len()];
        for (number, term) in self.terms.iter().enumerate() {
            let mut rest = documents.iter().zip(&mut counts).peekable();
            while let Some((document, _)) = rest.peek() {
                let block = *document / BLOCK;
                let mut postings = postings::decode(term.row(block)).peekable();
                while let Some((document, counts)) = rest.next_if(|(document, _)| *document / BLOCK == block) {
                    let place = document % BLOCK;
                    while postings.next_if(|(at, _)| *at < place).is_some() {}
                    if let Some((_, packed)) = postings.next_if(|(at, _)| *at == place) {
                        counts[number] = postings::unpack(packed);
                    }
                }
            }
        }
        let mut dates = DateFits::new(self.question);
        let mut named_in: Option<(u32, Named)> = None;
        let mut found = Vec::with_capacity(documents.len());
        for (document, counts) in documents.into_iter().zip(counts) {
            let Some(attribute) = self.search.attributes.get(document) else { continue };
            let block = document / BLOCK;
            let named = match named_in.take().filter(|(known, _)| *known == block) {
                Some((_, named)) => named,
                None => self.named_in(block),
            };
            let weighted = || self.terms.iter().map(|term| term.idf).zip(counts.iter().copied());
            let signals = Signals {
                lex: lexical::lex(weighted(), self.idf_sum),
                own: lexical::own(weighted(), self.idf_sum),
                sess: self.session_scores.get(attribute.session as usize).copied().unwrap_or(0.0),
                ..self.signals(attribute, document, &named, dates.fit(attribute.day))
            };
            named_in = Some((block, named));
            let shares = self.terms.iter().zip(counts).map(|(term, counts)| TermShare {
                term: term.term.clone(),
                idf: term.idf,
                own: counts.own,
                previous: counts.previous,
                before_previous: counts.before_previous,
            });
            found.push(Found {
                position: attribute.position,
                document,
                session: attribute.session,
                score: fuse(self.weights, &signals),
                terms: shares.collect(),
            });
        }
        found.sort_by(|left, right| {
            right.score.total.total_cmp(&left.score.total).then(right.position.cmp(&left.position))
        });
        found
    }
}

/// How well days fit the times that a question names, each computed once.
struct DateFits<'a> {
    question: &'a Question,
    remembered: Vec<f64>,
}

impl<'a> DateFits<'a> {
    fn new(question: &'a Question) -> Self {
        Self { question, remembered: Vec::new() }
    }

    /// True if the question names no time.
    fn is_empty(&self) -> bool {
        self.question.dates.is_empty()
    }

    fn fit(&mut self, day: i32) -> f64 {
        if self.is_empty() || day == NO_DAY {
            return 0.0;
        }
        let Some(place) = day.checked_add(DAYS_REMEMBERED).and_then(|place| usize::try_from(place).ok()) else {
            return self.compute(day);
        };
        if place >= 2 * DAYS_REMEMBERED as usize {
            return self.compute(day);
        }
        if self.remembered.is_empty() {
            self.remembered = vec![f64::NAN; 2 * DAYS_REMEMBERED as usize];
        }
        if self.remembered[place].is_nan() {
            self.remembered[place] = self.compute(day);
        }
        self.remembered[place]
    }

    fn compute(&self, day: i32) -> f64 {
        let span = jiff::Span::new().try_days(day);
        let date = span.and_then(|span| jiff::civil::date(1970, 1, 1).checked_add(span));
        date.map_or(0.0, |date| date_fit(&self.question.dates, date))
    }
}
