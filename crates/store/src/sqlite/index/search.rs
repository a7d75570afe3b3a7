//! Search: every record that shares a word, a session or a date with the question is scored, block
//! by block.
//!
//! This module reads everything that a question needs, once: the rows of its terms, the scores of
//! sessions, the people that it names. Scoring is in [`super::pass`].

use std::collections::HashSet;

use calendar::series::Occurrence;
use jiff::civil::Date;
use kernel::evidence::{EvidenceKind, Visibility};
use retrieval::question::Question;
use retrieval::question::names::NameId;
use retrieval::rank::lexical::{self, TermCounts};
use retrieval::rank::{Score, Weights};
use retrieval::text::{Analyzer, QueryTerm, Term};
use rusqlite::{Connection, OptionalExtension};

use super::super::access::AccessCache;
use super::attributes::{self, Attribute, Attributes, NONE};
use super::conversations::Conversations;
use super::fold::days_since_epoch;
use super::languages::marked_languages;
use super::lengths::Lengths;
use super::lists::Classes;
use super::meaning::Windows;
use super::names::SqliteNames;
use super::pass::{Meaning, NamedPeople, Pass};
use super::postings::{self, BLOCK, SESSION_BLOCK};
use super::series::SeriesTimes;
use super::tables::{IndexTables, Unit};
use super::ties::Orders;
use super::times::Times;
use super::variants::Rows;
use super::vectors::QueryScores;
use crate::{Position, StoreError};

/// Least number that is scored exactly: a part of the meaning, and of how much a note's own words
/// count, is computed only then.
const CANDIDATES_MIN: usize = 128;
/// How many more than requested are scored exactly, because deduplication removes some.
const SPARE: usize = 40;

/// Which records may be found. The filter is applied during the search, not after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Kinds of evidence; all if empty.
    pub kinds: Vec<String>,
    /// Start of the time range, inclusive, microseconds since the Unix epoch. A record without a
    /// time is left out.
    pub since_us: Option<i64>,
    /// End of the time range, exclusive, microseconds since the Unix epoch. A record without a time
    /// is left out.
    pub until_us: Option<i64>,
    /// The visibilities that may be found; all if empty.
    pub visibilities: Vec<Visibility>,
    /// Only commits that changed one of these files, or something below one of these folders; all
    /// if empty.
    pub paths: Vec<String>,
    /// Only records that were recorded until then (inclusive) and neither retracted nor replaced by
    /// then, microseconds since the Unix epoch. If none, the records that count now.
    pub as_of_us: Option<u64>,
}

/// The contribution of one word of the question to a record's `lex`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TermShare {
    /// The indexed form of the word.
    pub term: Term,
    /// The word of the question, if this one stands in for it.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<StandsFor>,
    /// Its weight by rarity.
    pub idf: f64,
    /// How often it occurs in the record and the two before it.
    pub own: u32,
    /// In the record before.
    pub previous: u32,
    /// In the one before that.
    pub before_previous: u32,
}

/// The word of a question for which another stands in: a part of a compound, or a longer word that
/// contains it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct StandsFor {
    /// The word of the question.
    pub word: Term,
    /// Whether it says what the word says: not so a part of a compound of which the memory does not
    /// know the rest.
    #[serde(skip)]
    pub is_whole: bool,
    /// Whether it is a longer word. Only the best of them counts for a record, and only if the
    /// record does not have the word itself.
    #[serde(skip)]
    pub is_longer: bool,
    /// How much of its weight counts.
    #[serde(skip)]
    pub share: f64,
}

impl TermShare {
    /// Whether the record or one of those before it has the word.
    pub fn is_here(&self) -> bool {
        self.own + self.previous + self.before_previous > 0
    }

    /// The word of the question.
    pub fn word(&self) -> &Term {
        self.stands_for.as_ref().map_or(&self.term, |other| &other.word)
    }

    /// Whether it says what the word of the question says.
    pub fn is_whole(&self) -> bool {
        self.stands_for.as_ref().is_none_or(|other| other.is_whole)
    }

    /// How much of the weight of the word counts: all, unless another stands in.
    pub fn share(&self) -> f64 {
        self.stands_for.as_ref().map_or(1.0, |other| other.share)
    }

    /// One share for each word of the question: itself, or what stands for all of it and counts
    /// more.
    pub fn by_word(shares: &[Self]) -> Vec<&Self> {
        let mut by_word: Vec<&Self> = Vec::new();
        for share in shares.iter().filter(|share| share.is_whole()) {
            match by_word.iter_mut().find(|known| known.word() == share.word()) {
                None => by_word.push(share),
                Some(known)
                    if known.stands_for.is_some() && share.strength() > known.strength() =>
                {
                    *known = share
                }
                Some(_) => {}
            }
        }
        by_word
    }

    /// How often the record and those before it have it.
    pub fn counts(&self) -> TermCounts {
        let Self { own, previous, before_previous, .. } = *self;
        TermCounts { own, previous, before_previous }
    }

    /// How much it counts for the record.
    fn strength(&self) -> f64 {
        self.idf * lexical::term_strength(self.counts())
    }
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Where its operation is.
    pub position: Position,
    /// Orders equal scores; the greater comes first.
    pub(super) tie: i64,
    /// Its number in the index.
    pub document: u32,
    /// Its session's number.
    pub session: u32,
    /// The sum of its parts.
    pub score: Score,
    /// The contributions to `lex`: of each word of the question, and of those that stand in for
    /// them and are in the record itself. Others may be known from records that the reader may not
    /// see.
    pub terms: Vec<TermShare>,
    /// The occurrence that stands for it, of a series, where a time is asked for.
    pub occurrence: Option<Occurrence>,
}

/// A snapshot of the index.
pub struct Search<'a> {
    pub(in super::super) connection: &'a Connection,
    pub(in super::super) access: &'a AccessCache,
    pub(in super::super) tables: &'static IndexTables,
    pub(in super::super) attributes: &'a Attributes,
    pub(in super::super) lengths: &'a Lengths,
    pub(in super::super) windows: &'a Windows,
    /// The scores of the question by another model's vectors.
    pub(in super::super) scores: Option<QueryScores<'a>>,
    /// What orders equal scores.
    pub(in super::super) orders: Orders,
}

/// A term of the question and its rows.
pub(super) struct TermRows {
    pub(super) term: Term,
    /// The word of the question for which it stands.
    pub(super) stands_for: Option<StandsFor>,
    pub(super) idf: f64,
    pub(super) session_idf: f64,
    pub(super) rows: Vec<(u32, Vec<u8>)>,
    /// Sessions that contain it, and how often.
    pub(super) sessions: Vec<(u32, u32)>,
}

impl TermRows {
    pub(super) fn row(&self, block: u32) -> &[u8] {
        self.rows
            .binary_search_by_key(&block, |(number, _)| *number)
            .map_or(&[], |index| &self.rows[index].1)
    }
}

/// Finds the records for one question, for which it has read everything that scoring needs. Who
/// needs more of them asks it again.
pub struct Finder<'a>(Pass<'a>);

impl Finder<'_> {
    /// The best `limit` records and a few more, best first. Of equal scores, the record nearest to
    /// the query's day comes first, then the latest recorded; for a question for days, the earliest
    /// of a day.
    pub fn find(&self, limit: usize) -> Result<Vec<Found>, StoreError> {
        let Self(pass) = self;
        let wanted = limit.saturating_add(SPARE).max(CANDIDATES_MIN);
        let wanted = wanted.min(pass.search.attributes.len() as usize);
        let best = match pass.filter.as_of_us {
            None => pass.preselect(wanted)?,
            Some(until_us) => {
                let mut stood = pass.search.standing_at(until_us)?;
                pass.best_of_those(wanted, |_, attribute| stood(attribute))?
            }
        };
        pass.score_exactly(best)
    }
}

/// Which documents of a block contain every term themselves.
pub(super) fn holding_all(terms: &[TermRows], block: u32) -> Vec<bool> {
    let mut held = vec![0usize; BLOCK as usize];
    for term in terms {
        for (place, counts) in postings::decode(term.row(block)) {
            held[place as usize] += usize::from(postings::unpack(counts).own > 0);
        }
    }
    held.into_iter().map(|held| held == terms.len()).collect()
}

impl Search<'_> {
    /// The number of documents in the index.
    pub fn document_count(&self) -> u64 {
        u64::from(self.attributes.len())
    }

    /// Whether another model than the built-in table is used.
    pub fn has_model(&self) -> bool {
        self.scores.is_some()
    }

    /// Analyses a question with the people that the space knows. `today` anchors phrases such as
    /// "last week".
    pub fn question(
        &self,
        text: &str,
        analyzer: &mut Analyzer,
        today: Option<Date>,
    ) -> Result<Question, StoreError> {
        let names = SqliteNames::new(self.connection, self.tables);
        let held = marked_languages(self.connection, self.tables)?;
        let question = Question::parse(text, analyzer, &names, held, today);
        names.finish()?;
        let question = match &question.program {
            Some(program) if self.rows(&program.term)?.is_none() => question.without_program(),
            _ => question,
        };
        let is_for_tasks = question.may_ask_for_tasks() && !self.attributes.open_tasks().is_empty();
        Ok(if is_for_tasks { question.for_tasks() } else { question })
    }

    /// What finds the records for a question.
    pub fn finder<'a>(
        &'a self,
        question: &'a Question,
        analyzer: &mut Analyzer,
        filter: &'a Filter,
        today: Option<Date>,
        weights: &'a Weights,
    ) -> Result<Finder<'a>, StoreError> {
        Ok(Finder(self.pass(question, analyzer, filter, today, weights)?))
    }

    /// Reads everything that scoring a question needs.
    pub(super) fn pass<'a>(
        &'a self,
        question: &'a Question,
        analyzer: &mut Analyzer,
        filter: &'a Filter,
        today: Option<Date>,
        weights: &'a Weights,
    ) -> Result<Pass<'a>, StoreError> {
        let documents = match self.tables.unit {
            Unit::Document => u64::from(self.attributes.len()),
            Unit::Session => self.attributes.session_count(),
        };
        let sessions = u64::from(self.lengths.of.len());
        let mut terms = Vec::new();
        let mut unknown = 0u32;
        for term in &question.terms {
            match self.term_rows(term, documents, sessions)? {
                Some(rows) => terms.push(rows),
                None => unknown += 1,
            }
        }
        let mut idf_sum: f64 = terms.iter().map(|term| term.idf).sum();
        let mut session_idf_sum: f64 = terms.iter().map(|term| term.session_idf).sum();
        let related = self.related(question, documents, sessions)?;
        idf_sum += related.idf_of_unknown;
        session_idf_sum += related.session_idf_of_unknown;
        terms.extend(related.rows);
        if self.tables.unit == Unit::Session {
            // There are few beliefs, and most words occur in none of them. So a word that no belief
            // contains counts against all of them as much as a word of a single belief counts for
            // it.
            let unknown = unknown.saturating_sub(related.unknown);
            idf_sum += f64::from(unknown) * lexical::idf(documents, 1);
        }
        let speaker = self.named_people(question.person(), question, analyzer)?;
        let subject = self.named_people(question.subject(), question, analyzer)?;
        let conversations = match speaker.as_ref().or(subject.as_ref()) {
            Some(who) if weights.elsewhere != 0.0 => {
                Conversations::of(self.attributes, &who.people)
            }
            _ => None,
        };
        let meant = Meaning::of(question, weights, self.tables.unit, self.scores.as_ref());
        let is_by_words = meant.is_none() && question.judges_text();
        let weights = match self.tables.unit {
            Unit::Document if is_by_words => weights.without_meaning(),
            _ => *weights,
        };
        Ok(Pass {
            search: self,
            weights,
            session_scores: self.session_scores(&terms, session_idf_sum),
            terms,
            idf_sum,
            speaker,
            subject,
            conversations,
            question,
            times: self.times(question)?,
            series: SeriesTimes::of(self, question, filter, today)?,
            classes: Classes::of(self, question, &weights)?,
            admitted: self.admitted(filter)?,
            at_paths: self.at_paths(&filter.paths)?,
            meant,
            filter,
            today: today.map(days_since_epoch),
        })
    }

    /// What the index knows about the times of a question.
    fn times(&self, question: &Question) -> Result<Times, StoreError> {
        let mut quotes = Vec::new();
        for quote in &question.quotes {
            let mut rows = Vec::new();
            for term in &quote.terms {
                // No record contains a word that the index does not know.
                let Some(row) = self.term_rows(term, 0, 0)? else { break };
                rows.push(row);
            }
            if rows.len() == quote.terms.len() {
                quotes.push((quote.clone(), rows));
            }
        }
        let (event_kind, cancellation_kind) = match question.asks_of_a_time() {
            true => (
                self.kind_number(EvidenceKind::EVENT)?,
                self.kind_number(EvidenceKind::CANCELLATION)?,
            ),
            false => (None, None),
        };
        Ok(Times { quotes, event_kind, cancellation_kind })
    }

    /// None if the index does not know the word in any language.
    pub(super) fn term_rows(
        &self,
        word: &QueryTerm,
        documents: u64,
        sessions: u64,
    ) -> Result<Option<TermRows>, StoreError> {
        let mut found: Option<Rows> = None;
        for term in word.all() {
            if let Some(rows) = self.rows(term)? {
                found = Some(match found {
                    Some(found) => found.merged(rows),
                    None => rows,
                });
            }
        }
        let Some(Rows { postings: rows, sessions: in_sessions }) = found else { return Ok(None) };
        let records = self.frequency(&rows);
        Ok(Some(TermRows {
            term: word.term.clone(),
            stands_for: None,
            idf: lexical::idf(documents, records),
            session_idf: lexical::idf(sessions, in_sessions.len() as u64),
            rows,
            sessions: in_sessions,
        }))
    }

    /// What the frequency of a word counts, for the rows of a term.
    pub(super) fn frequency(&self, rows: &[(u32, Vec<u8>)]) -> u64 {
        match self.tables.unit {
            Unit::Document => rows.iter().map(|(_, row)| u64::from(postings::own_count(row))).sum(),
            Unit::Session => self.sessions_in(rows),
        }
    }

    /// None if the index does not know the term.
    pub(super) fn rows(&self, term: &Term) -> Result<Option<Rows>, StoreError> {
        let Some(number) = self.term_number(term)? else { return Ok(None) };
        Ok(Some(Rows { postings: self.postings_of(number)?, sessions: self.session_rows(number)? }))
    }

    /// The number of a term; none if the index does not know it.
    pub(super) fn term_number(&self, term: &Term) -> Result<Option<u32>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.term_number)?;
        Ok(statement.query_row([term.as_str()], |row| row.get(0)).optional()?)
    }

    /// The postings of a term, by block.
    pub(super) fn postings_of(&self, term: u32) -> Result<Vec<(u32, Vec<u8>)>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.posting)?;
        let mut rows = Vec::new();
        for block in 0..self.attributes.len().div_ceil(BLOCK) {
            let row =
                statement.query_row([postings::key(block, term)], |row| row.get(0)).optional()?;
            rows.extend(row.map(|row| (block, row)));
        }
        Ok(rows)
    }

    /// The number of sessions that the documents in a term's rows belong to.
    fn sessions_in(&self, rows: &[(u32, Vec<u8>)]) -> u64 {
        let mut seen = vec![false; usize::try_from(self.attributes.session_count()).unwrap_or(0)];
        let mut count = 0;
        for (block, row) in rows {
            for (place, _) in postings::decode(row) {
                let document = block.saturating_mul(BLOCK).saturating_add(place);
                let session = self
                    .attributes
                    .session
                    .get(document)
                    .and_then(|session| seen.get_mut(*session as usize));
                if let Some(seen) = session {
                    count += u64::from(!std::mem::replace(seen, true));
                }
            }
        }
        count
    }

    /// Sessions that contain a term, and how often.
    fn session_rows(&self, term: u32) -> Result<Vec<(u32, u32)>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.session_posting)?;
        let mut sessions = Vec::new();
        for block in 0..self.lengths.of.len().div_ceil(SESSION_BLOCK) {
            let mut rows = statement.query([postings::key(block, term)])?;
            if let Some(row) = rows.next()? {
                let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
                let found = postings::decode_sessions(data);
                sessions.extend(found.map(|(place, count)| {
                    (block.saturating_mul(SESSION_BLOCK).saturating_add(place), count)
                }));
            }
        }
        Ok(sessions)
    }

    /// Every session's `sess`.
    fn session_scores(&self, terms: &[TermRows], idf_sum: f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.lengths.of.len() as usize];
        let average = self.lengths.average();
        for term in terms {
            for (session, count) in &term.sessions {
                if let (Some(sum), Some(length)) =
                    (sums.get_mut(*session as usize), self.lengths.of.get(*session))
                {
                    *sum += term.session_idf
                        * lexical::session_strength(*count, u64::from(*length), average);
                }
            }
        }
        // The sum over the terms is computed already; the share is what remains of the formula.
        sums.into_iter().map(|sum| lexical::session([(sum, 1.0)], idf_sum).min(1.0)).collect()
    }

    /// Some of the people that the question mentions, as the index knows them.
    fn named_people(
        &self,
        people: Option<&[NameId]>,
        question: &Question,
        analyzer: &mut Analyzer,
    ) -> Result<Option<NamedPeople>, StoreError> {
        let Some(named) = people else { return Ok(None) };
        let people: Vec<u32> = named.iter().filter_map(|id| u32::try_from(id.0).ok()).collect();
        let mut involved = HashSet::new();
        let mut statement = self.connection.prepare_cached(self.tables.participations)?;
        for person in &people {
            for document in statement.query_map([person], |row| row.get::<_, u32>(0))? {
                involved.insert(document?);
            }
        }
        let mention = question.mentions.iter().find(|mention| mention.people == named);
        let mut words = Some(Vec::new());
        let name = mention.map_or("", |mention| mention.text.as_str());
        for term in analyzer.query_terms(name, question.languages) {
            // No record contains a word that the index does not know.
            words = words.zip(self.term_rows(&term, 0, 0)?).map(|(mut words, rows)| {
                words.push(rows);
                words
            });
        }
        Ok(Some(NamedPeople { people, involved, words: words.unwrap_or_default() }))
    }

    /// Numbers of the kinds that the filter accepts; none means all.
    fn admitted(&self, filter: &Filter) -> Result<Option<HashSet<u8>>, StoreError> {
        if filter.kinds.is_empty() {
            return Ok(None);
        }
        let mut admitted = HashSet::new();
        for kind in &filter.kinds {
            admitted.extend(self.kind_number(kind)?);
        }
        Ok(Some(admitted))
    }

    /// The newest passages in which the person tells how to answer, at most `limit`, as documents
    /// with the positions of their records. What was taken back or is private is left out.
    pub fn instructions(&self, limit: usize) -> Vec<(u32, Position)> {
        let is_told = |attribute: &Attribute| {
            attribute.marks & attributes::INSTRUCTION != 0
                && attribute.flags & (attributes::DEAD | attributes::PRIVATE) == 0
        };
        let documents = (0..self.attributes.len()).rev();
        let told = documents.filter_map(|document| {
            let attribute = self.attributes.get(document).filter(|it| is_told(it))?;
            Some((document, attribute.position))
        });
        told.take(limit).collect()
    }

    /// Which passage of its record a document is, from 0.
    pub fn passage_number(&self, document: u32) -> usize {
        let position = |document: u32| self.attributes.get(document).map(|found| found.position);
        let here = position(document);
        let earlier = (0..document).rev().take_while(|before| position(*before) == here);
        earlier.count()
    }

    pub(super) fn kind_number(&self, kind: &str) -> Result<Option<u8>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.kind_number)?;
        let number = statement.query_row([kind], |row| row.get::<_, i64>(0)).optional()?;
        Ok(number.map(attributes::kind_byte))
    }

    /// The number of records that count, by kind of evidence.
    pub fn count_by_kind(&self) -> Result<std::collections::BTreeMap<String, u64>, StoreError> {
        let mut statement = self.connection.prepare_cached(self.tables.kinds)?;
        let words = statement.query_map([], |row| {
            Ok((attributes::kind_byte(row.get(0)?), row.get::<_, String>(1)?))
        })?;
        // Kinds beyond the last number share it; the first of them gives it its name.
        let words: std::collections::HashMap<u8, String> = words.collect::<Result<_, _>>()?;
        let mut counts = std::collections::BTreeMap::new();
        let mut last = None;
        for attribute in
            self.attributes.rest.iter().filter(|attribute| attribute.flags & attributes::DEAD == 0)
        {
            if last.replace(attribute.position) == Some(attribute.position) {
                continue;
            }
            if let Some(word) = words.get(&attribute.kind) {
                *counts.entry(word.clone()).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// The records before and after one in its session, at most `reach` each way, as (distance,
    /// position).
    pub fn neighbours(&self, document: u32, reach: u32) -> Vec<(i32, Position)> {
        let mut found = Vec::new();
        let position = |document| self.attributes.get(document).map(|found| found.position);
        let mut current = document;
        for distance in 1..=reach {
            let here = position(current);
            // The passages of a record follow each other.
            while let Some(before) = self.attributes.get(current).map(|found| found.previous) {
                current = before;
                if position(current) != here {
                    break;
                }
            }
            if current == NONE {
                break;
            }
            found.push((-(distance as i32), current));
        }
        current = document;
        for distance in 1..=reach {
            let here = position(current);
            let next = std::iter::successors(self.attributes.next(current), |next| {
                self.attributes.next(*next)
            })
            .find(|next| position(*next) != here);
            let Some(next) = next else { break };
            current = next;
            found.push((distance as i32, current));
        }
        found.sort_unstable();
        let mut neighbours = Vec::new();
        for (distance, document) in found {
            if let Some(attribute) =
                self.attributes.get(document).filter(|found| found.flags & attributes::DEAD == 0)
            {
                neighbours.push((distance, attribute.position));
            }
        }
        neighbours
    }
}
