//! Folding the ledger into the index.
//!
//! A [`Folder`] reads operations after the view's position, collects postings in memory, and writes
//! them with the new position in one transaction. Its cache (term numbers, the last records of
//! recent threads) stays valid between folds, because the tables are a function of the position
//! alone.

use std::collections::HashMap;
use std::ops::ControlFlow;

use kernel::access::Access;
use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::{Author, SpaceId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Role};
use retrieval::question::names::name_words;
use retrieval::rank::lexical::{PIECE_LENGTH_MAX, TermCounts};
use retrieval::text::{Analyzer, Language, Languages, Slot, SlotAnalysis, Term};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::access::AccessCache;
use super::super::derive::has_beyond;
use super::super::graph::{SqliteLedgerIndex, cited};
use super::super::ledger;
use super::Reach;
use super::attributes::{self, Attribute, NO_DAY, NO_TIME, NONE, StoredAttribute};
use super::batch::{Batch, Thread, clear};
use super::identifiers::identifiers_of;
use super::languages::language_mark;
use super::meaning::DocumentVector;
use super::postings::{self, BLOCK};
use super::related::backwards;
use super::tables::{EPISODES, IndexTables};
use crate::{Position, Recorded, StoreError};

mod ahead;
mod block;
mod facts;
mod passage;
mod restored;
mod thoughts;
mod threads;

use ahead::{AHEAD_BYTES, AHEAD_MAX, Ahead, Prepared, meanwhile};
pub use passage::searched_parts;
use passage::{Passage, Passages, marks};
use threads::{ThreadEnd, session_name};

pub(super) use facts::FactFolder;
pub use facts::VALUES_RAW;
pub(in super::super) use facts::stated_at;
pub(super) use thoughts::{CORRECTED, DOMAIN, REFINED, ThoughtFolder, tags_of};

/// Names whose numbers are cached.
const PEOPLE_REMEMBERED_MAX: usize = 1 << 16;

/// The terms of a record by number, with their counts.
type Counts = Vec<(u32, u32)>;

/// A folder with what it caches for the next fold.
pub(in super::super) struct Folder {
    tables: &'static IndexTables,
    /// Whether it reads what agents thought, and nothing else.
    of_thinking: bool,
    /// How many more of the texts that were added lately are in English than not.
    english_lead: i64,
    analyzer: Analyzer,
    /// Numbers of the analyser's terms by slot (`NONE` if not yet known), and the analyser's
    /// generation.
    terms: Vec<u32>,
    /// Whether a slot's term stands in the table backwards, too, if it has to.
    reversed: Vec<bool>,
    generation: u64,
    /// The languages whose marks are in the table of terms; and the usual one, which needs none.
    languages: Languages,
    people: HashMap<String, Option<u32>>,
    kinds: HashMap<String, u8>,
    /// The numbers of sessions by name.
    sessions: HashMap<String, u32>,
    threads: HashMap<Thread, ThreadEnd>,
    /// The key that was looked up last, and its number.
    author: Option<(Author, u32)>,
    /// Where the last fold ended, for which the cache is valid.
    reached: Reach,
    /// The highest time in the graph, if the graph is folded here too.
    graph_reaches: Option<HlcTimestamp>,
    access: AccessCache,
    /// The capabilities as of the change of access that is being read.
    change_access: AccessCache,
    /// The capabilities for the graph that is folded here, as known when operations arrived.
    graph_access: AccessCache,
}

/// Who folds the graph, in which the index looks up capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Graph {
    /// The graph is up to date, because appends fold it.
    Present,
    /// The graph is empty, and is folded in the same pass.
    FoldedHere,
}

/// What came of a fold.
enum Folded {
    /// It read up to here.
    To(Position),
    /// The position of a change of access that concerns operations before it.
    AccessChangedAt(Position),
}

impl Reach {
    /// Notes the time of `recorded`. Returns true if it may change who was allowed to append
    /// operations that were read before: a grant or revocation that none of the tables was made
    /// under.
    fn note(&mut self, recorded: &Recorded) -> bool {
        let header = recorded.operation.header();
        match header.kind {
            Kind::Evidence | Kind::EvidenceRetraction | Kind::RetractionWithdrawal => {
                self.latest_us = self.latest_us.max(header.ts.0);
                false
            }
            Kind::Grant | Kind::Revoke => recorded.position > self.access,
            _ => false,
        }
    }
}

/// Whether a change of access concerns operations that were read before it: it is dated before the
/// latest of them; it is a revocation whose key has more operations than it accepts; or it is about
/// who may administer, and so may give effect to such a revocation. `access` is what follows from
/// the operations up to the change, so that the answer does not depend on how folds were batched.
fn changes_the_past(
    connection: &Connection,
    recorded: &Recorded,
    body: Option<&Body>,
    latest_us: u64,
    access: &Access,
) -> Result<bool, StoreError> {
    let operation = &recorded.operation;
    let header = operation.header();
    if !access.holds(&header.author, Capability::Admin, operation.place()) {
        return Ok(false);
    }
    if header.ts.0 <= latest_us {
        return Ok(true);
    }
    let Some(Body::Grant(change) | Body::Revoke(change)) = body else { return Ok(false) };
    if access.may_limit() && change.capabilities.contains(&Capability::Admin) {
        return Ok(true);
    }
    match change.last_seq.filter(|_| recorded.operation.header().kind == Kind::Revoke) {
        Some(last_seq) => has_beyond(connection, &change.key, last_seq, recorded.position),
        None => Ok(false),
    }
}

impl Folder {
    /// A folder of evidence with an empty cache.
    pub(in super::super) fn new(connection: &Connection) -> Result<Self, StoreError> {
        Self::of(connection, &EPISODES)
    }

    /// A folder of what agents thought.
    pub(in super::super) fn of_thinking(connection: &Connection) -> Result<Self, StoreError> {
        Ok(Self { of_thinking: true, ..Self::of(connection, &EPISODES)? })
    }

    /// A folder of an index with an empty cache.
    fn of(connection: &Connection, tables: &'static IndexTables) -> Result<Self, StoreError> {
        let analyzer = Analyzer::new(super::language(connection)?);
        Ok(Self {
            tables,
            of_thinking: false,
            english_lead: 0,
            languages: Languages::of(analyzer.usual_language()),
            analyzer,
            terms: Vec::new(),
            reversed: Vec::new(),
            generation: 0,
            people: HashMap::new(),
            kinds: HashMap::new(),
            sessions: HashMap::new(),
            threads: HashMap::new(),
            author: None,
            reached: Reach::default(),
            graph_reaches: None,
            access: AccessCache::default(),
            change_access: AccessCache::default(),
            graph_access: AccessCache::default(),
        })
    }

    /// Reads at most [`BLOCK`] operations, none after `until`, in the transaction that is open on
    /// `connection`. The limit bounds memory and the time that the write lock is held. Returns the
    /// new position, which is before the old one if everything is folded again.
    pub(super) fn fold_until(
        &mut self,
        connection: &Connection,
        space: SpaceId,
        until: Position,
        graph: Graph,
    ) -> Result<Position, StoreError> {
        let until = until.min(ledger::head(connection)?);
        loop {
            match self.fold_open(connection, space, until, graph) {
                Ok(Folded::To(position)) => return Ok(position),
                Ok(Folded::AccessChangedAt(_)) if graph == Graph::FoldedHere => {
                    // A new fold uses all changes of access so far; only a damaged row has fewer.
                    return Err(StoreError::Damaged {
                        detail: "the text index was made under other capabilities".to_owned(),
                    });
                }
                // Each round has a later change of access, and there are finitely many.
                Ok(Folded::AccessChangedAt(access)) => super::begin_under(connection, access)?,
                Err(error) => {
                    // The cache may contain rows that will not be written.
                    self.forget();
                    return Err(error);
                }
            }
        }
    }

    fn fold_open(
        &mut self,
        connection: &Connection,
        space: SpaceId,
        until: Position,
        graph: Graph,
    ) -> Result<Folded, StoreError> {
        let mut reach = self.begin(connection)?;
        let start = reach.position;
        let mut batch = Batch::begin(connection, self.tables)?;
        // A fold ends with a block where it can, so that a row is written once.
        let block_end = (batch.documents / BLOCK + 1) * BLOCK;
        let room = u64::from(block_end - batch.documents);
        let end = until.min(Position(start.0.saturating_add(room)));
        let index =
            SqliteLedgerIndex::with_access_until(connection, &self.access, end.max(reach.access))?;
        // The graph is folded with the capabilities known when each operation arrived.
        let mut graph_index = match graph {
            Graph::Present => None,
            Graph::FoldedHere => {
                let latest = self.graph_reaches.filter(|_| start.0 > 0);
                let index =
                    SqliteLedgerIndex::with_access_until(connection, &self.graph_access, start)?;
                Some(index.reaching(latest))
            }
        };
        let read_after = |position: Position| match end.0.saturating_sub(position.0) {
            0 => Ok(Vec::new()),
            left => {
                let most = (left.min(AHEAD_MAX as u64) as usize, AHEAD_BYTES);
                ledger::read(connection, space, position, most)
            }
        };
        let mut ahead = Ahead {
            all_bodies: graph == Graph::FoldedHere,
            // No other thread is there for the first of them.
            expects_english: false,
            of_thinking: self.of_thinking,
        };
        let mut operations = ahead.prepare(read_after(reach.position)?);
        while reach.position < end {
            let Some(last) = operations.last().map(|last| last.recorded.position.min(end)) else {
                // Only a damaged file has a gap here, and nothing will fill it.
                reach.position = end;
                break;
            };
            // What cannot be read stops the fold after those before it.
            let next = read_after(last);
            let (next, failed) = match next {
                Ok(next) => (next, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            ahead.expects_english = std::mem::take(&mut self.english_lead) > 0;
            let add_all = || {
                for prepared in operations {
                    let (recorded, body) = (&prepared.recorded, prepared.body.as_ref());
                    let position = recorded.position;
                    if position > end {
                        break;
                    }
                    if reach.note(recorded) {
                        let then = self.change_access.until(connection, position)?;
                        let latest_us = reach.latest_us;
                        if changes_the_past(connection, recorded, body, latest_us, &then.access)? {
                            return Ok(ControlFlow::Break(Folded::AccessChangedAt(position)));
                        }
                    }
                    if let Some(graph_index) = &mut graph_index {
                        graph_index.fold(position, &recorded.operation, body)?;
                    }
                    self.take(connection, &index, &mut batch, prepared)?;
                    if batch.documents >= block_end {
                        // Long records have filled the block early.
                        return Ok(ControlFlow::Break(Folded::To(position)));
                    }
                }
                Ok::<_, StoreError>(ControlFlow::Continue(()))
            };
            let (added, next) = meanwhile(next, |next| ahead.prepare(next), add_all);
            reach.position = match added? {
                ControlFlow::Continue(()) => last,
                ControlFlow::Break(Folded::To(position)) => {
                    reach.position = position;
                    break;
                }
                ControlFlow::Break(changed @ Folded::AccessChangedAt(_)) => return Ok(changed),
            };
            if let Some(error) = failed {
                return Err(error);
            }
            operations = next;
        }
        if reach.position > start {
            batch.write(connection)?;
            super::set_reach(connection, self.tables, &reach)?;
        }
        if let Some(index) = &mut graph_index {
            index.write_beliefs()?;
        }
        self.graph_reaches = graph_index.and_then(|index| index.latest());
        self.reached = reach;
        self.bound_cached_sessions();
        if self.people.len() > PEOPLE_REMEMBERED_MAX {
            self.forget();
        }
        Ok(Folded::To(reach.position))
    }

    /// How far the index reaches, with the cache emptied where it does not lead there.
    fn begin(&mut self, connection: &Connection) -> Result<Reach, StoreError> {
        let mut reach = super::reach(connection, self.tables)?;
        if reach.position > ledger::head(connection)? {
            // The row is damaged: it is beyond the end of the ledger.
            reach = Reach { erased: reach.erased, ..Reach::default() };
        }
        if !self.reached.leads_to(&reach) {
            // The tables were emptied since, or the last fold's transaction failed.
            self.forget();
        } else if reach.position != self.reached.position {
            // Another process has folded in the meantime and added to the threads.
            self.threads.clear();
        }
        if reach.position.0 == 0 {
            clear(connection, self.tables)?;
            self.forget();
        }
        Ok(reach)
    }

    /// Empties the cache.
    fn forget(&mut self) {
        self.terms.clear();
        self.reversed.clear();
        self.languages = Languages::of(self.analyzer.usual_language());
        self.people.clear();
        self.kinds.clear();
        self.sessions.clear();
        self.threads.clear();
        self.author = None;
        self.reached = Reach::default();
        self.access = AccessCache::default();
        self.change_access = AccessCache::default();
        self.graph_access = AccessCache::default();
    }

    fn take(
        &mut self,
        connection: &Connection,
        index: &SqliteLedgerIndex<'_>,
        batch: &mut Batch,
        prepared: Prepared,
    ) -> Result<(), StoreError> {
        let Prepared { recorded, body, meant_in_english } = prepared;
        let operation = &recorded.operation;
        let header = operation.header();
        if header.kind == Kind::RetractionWithdrawal {
            for target in restored::restored_by(connection, index.access()?, recorded.position)? {
                batch.revive(connection, recorded.position, target)?;
            }
            return Ok(());
        }
        if !matches!(header.kind, Kind::Evidence | Kind::EvidenceRetraction)
            || !index.access()?.holds(&header.author, Capability::Append, operation.place())
        {
            return Ok(());
        }
        let role = if header.kind == Kind::Evidence { Role::SUPERSEDES } else { Role::TARGET };
        for replaced in cited(&header.refs, role) {
            if let Some(target) = index.position_of(&replaced)? {
                batch.bury(connection, recorded.position, target)?;
            }
        }
        if let Some(Body::Evidence(evidence)) = &body
            && evidence.kind.is_thinking() == self.of_thinking
        {
            let (position, key) = (recorded.position, &header.author);
            self.add(connection, batch, position, key, evidence, meant_in_english)?;
        }
        Ok(())
    }

    /// Adds a record: a document for each of its passages.
    fn add(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        position: Position,
        key: &Author,
        evidence: &Evidence,
        meant_in_english: Vec<DocumentVector>,
    ) -> Result<(), StoreError> {
        let name = evidence.payload.session.as_deref().map(|name| session_name(evidence, name));
        let session = self.session(connection, batch, name.as_deref())?;
        // Without a name it is a session of its own, to which nothing is ever added.
        let thread = match name {
            Some(_) => Some(Thread { session, author: self.author_number(connection, key)? }),
            None => None,
        };
        let mut end = match thread {
            Some(thread) => self.thread_end(connection, batch, thread)?,
            None => ThreadEnd::default(),
        };
        let speaker = self.speaker(connection, evidence)?;
        let attribute = Attribute {
            position,
            previous: NONE,
            author: speaker.unwrap_or(NONE),
            day: evidence.at.as_ref().map_or(NO_DAY, |at| days_since_epoch(at.date())),
            at_us: evidence.at.as_ref().map_or(NO_TIME, kernel::when::When::instant_us),
            kind: self.kind(connection, &evidence.kind.0)?,
            marks: marks(evidence),
            flags: attributes::visibility_flags(evidence.visibility),
        };
        let stored = StoredAttribute { attribute, session, length: 0 };
        let first = batch.documents;
        let mut meant_in_english = meant_in_english.into_iter();
        for passage in Passages::of(evidence).iter() {
            let meant = meant_in_english.next();
            self.add_passage(connection, batch, evidence, (&passage, meant), stored, &mut end)?;
        }
        for identifier in identifiers_of(evidence) {
            let term = batch.term_number(connection, &identifier)?;
            batch.push_posting(term, first, TermCounts { own: 1, ..TermCounts::default() });
        }
        if let Some(thread) = thread {
            batch.thread_ends.insert(thread, end.last);
            self.threads.insert(thread, end);
        }
        batch.reached = position;
        Ok(())
    }

    fn add_passage(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        evidence: &Evidence,
        (passage, meant_in_english): (&Passage<'_>, Option<DocumentVector>),
        stored: StoredAttribute,
        end: &mut ThreadEnd,
    ) -> Result<(), StoreError> {
        let StoredAttribute { attribute, session, .. } = stored;
        let document = batch.documents;
        let analysis = passage.analyze(&mut self.analyzer);
        let counts = self.number_terms(connection, batch, &analysis)?;
        // A turn of a conversation depends on those before it, a short piece of a text a little on
        // the piece before it.
        let is_turn = attribute.marks & attributes::TURN != 0;
        let nothing = ThreadEnd::default();
        let context = if is_turn { &*end } else { &nothing };
        let before_previous =
            match passage.continues_text && !is_turn && analysis.length <= PIECE_LENGTH_MAX {
                true => &end.previous,
                false => &context.before_previous,
            };

        let mut merged: Vec<(u32, TermCounts)> = Vec::with_capacity(counts.len() * 3);
        merged.extend(
            counts
                .iter()
                .map(|(term, own)| (*term, TermCounts { own: *own, ..Default::default() })),
        );
        let before = |term: &(u32, u32), previous: bool| {
            let (previous, before_previous) = if previous { (term.1, 0) } else { (0, term.1) };
            (term.0, TermCounts { own: 0, previous, before_previous })
        };
        merged.extend(context.previous.iter().map(|term| before(term, true)));
        merged.extend(before_previous.iter().map(|term| before(term, false)));
        merged.sort_unstable_by_key(|(term, _)| *term);
        merged.dedup_by(|(later, more), (earlier, kept)| {
            let same = later == earlier;
            if same {
                kept.own += more.own;
                kept.previous += more.previous;
                kept.before_previous += more.before_previous;
            }
            same
        });
        for (term, counts) in merged {
            batch.push_posting(term, document, counts);
        }
        for (term, own) in &counts {
            batch.session_postings.push((postings::session_posting(*term, session), *own));
        }

        let is_english = analysis.language == Language::English;
        self.english_lead += if is_english { 1 } else { -1 };
        let meant = match meant_in_english.filter(|_| is_english) {
            Some(meant) => meant,
            None => passage.vector(analysis.language),
        };
        let (previous, before_previous) = (&context.previous_meant, &context.before_previous_meant);
        batch.meanings.push(
            connection,
            self.tables,
            document,
            &meant,
            &previous.vector,
            &before_previous.vector,
        )?;

        let mut participates = false;
        for name in evidence.payload.participants.iter().filter(|_| attribute.author == NONE) {
            if let Some(number) = self.person(connection, name)? {
                participates = true;
                connection
                    .prepare_cached(self.tables.add_participant)?
                    .execute([number, document])?;
            }
        }
        let mut flags = attribute.flags;
        for (applies, flag) in [
            (analysis.timex, attributes::TIMEX),
            (analysis.is_question, attributes::IS_QUESTION),
            (participates, attributes::HAS_PARTICIPANTS),
        ] {
            flags |= if applies { flag } else { 0 };
        }
        let length = u8::try_from(analysis.length).unwrap_or(u8::MAX);
        let marks = passage.marks(attribute.marks, evidence);
        let attribute = Attribute { previous: end.last, marks, flags, ..attribute };
        let stored = StoredAttribute { attribute, session, length };
        batch.push_attribute(connection, attribute.position, document, &stored)?;

        let length = batch.session_lengths.entry(session).or_default();
        *length = length.saturating_add(analysis.length);
        end.last = document;
        end.before_previous = std::mem::replace(&mut end.previous, counts);
        end.before_previous_meant = std::mem::replace(&mut end.previous_meant, meant);
        batch.documents += 1;
        Ok(())
    }

    /// The number of the record's author. Everybody who takes part gets one too, so that a question
    /// can name them.
    fn speaker(
        &mut self,
        connection: &Connection,
        evidence: &Evidence,
    ) -> Result<Option<u32>, StoreError> {
        let author = evidence.actor.as_deref().map(|name| self.person(connection, name));
        let author = author.transpose()?.flatten();
        for name in &evidence.payload.participants {
            self.person(connection, name)?;
        }
        Ok(author)
    }

    fn person(&mut self, connection: &Connection, name: &str) -> Result<Option<u32>, StoreError> {
        if let Some(number) = self.people.get(name) {
            return Ok(*number);
        }
        let number = person_number(connection, self.tables, name)?;
        self.people.insert(name.to_owned(), number);
        Ok(number)
    }

    fn kind(&mut self, connection: &Connection, kind: &str) -> Result<u8, StoreError> {
        if let Some(number) = self.kinds.get(kind) {
            return Ok(*number);
        }
        let number = kind_number(connection, self.tables, kind)?;
        self.kinds.insert(kind.to_owned(), number);
        Ok(number)
    }

    /// Terms by number. New ones are numbered in the order of the words, so the tables do not
    /// depend on what was cached.
    fn number_terms(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        analysis: &SlotAnalysis,
    ) -> Result<Counts, StoreError> {
        if self.generation != self.analyzer.generation() {
            self.generation = self.analyzer.generation();
            self.terms.clear();
            self.reversed.clear();
        }
        let number_of = |terms: &[u32], slot: Slot| {
            terms.get(slot.0 as usize).copied().filter(|number| *number != NONE)
        };
        let is_unknown = |(slot, _): &&(Slot, u32)| number_of(&self.terms, *slot).is_none();
        let language = Languages::of(analysis.language);
        if self.languages.with(language) != self.languages {
            batch.term_number(connection, &language_mark(analysis.language))?;
            self.languages = self.languages.with(language);
        }
        let mut unknown: Vec<(Term, Slot)> = Vec::new();
        for (slot, _) in analysis.slots.iter().filter(is_unknown) {
            unknown.extend(self.analyzer.term_at(*slot).map(|term| (term.clone(), *slot)));
        }
        unknown.sort_unstable();
        for (term, slot) in unknown {
            let place = slot.0 as usize;
            if self.terms.len() <= place {
                self.terms.resize(place + 1, NONE);
            }
            self.terms[place] = batch.term_number(connection, term.as_str())?;
        }
        if analysis.language.joins_words() {
            self.reverse_terms(connection, batch, analysis)?;
        }
        let counts = analysis.slots.iter();
        Ok(counts
            .filter_map(|(slot, count)| Some((number_of(&self.terms, *slot)?, *count)))
            .collect())
    }

    /// Lists the long terms of a text backwards, so that words are found by how they end.
    fn reverse_terms(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        analysis: &SlotAnalysis,
    ) -> Result<(), StoreError> {
        let mut missing: Vec<String> = Vec::new();
        for (slot, _) in &analysis.slots {
            let place = slot.0 as usize;
            if self.reversed.len() <= place {
                self.reversed.resize(place + 1, false);
            }
            if !std::mem::replace(&mut self.reversed[place], true) {
                missing.extend(self.analyzer.term_at(*slot).and_then(backwards));
            }
        }
        missing.sort_unstable();
        for term in missing {
            batch.term_number(connection, &term)?;
        }
        Ok(())
    }
}

/// The number of a person, who is created if new; none if the name has no words.
fn person_number(
    connection: &Connection,
    tables: &IndexTables,
    name: &str,
) -> Result<Option<u32>, StoreError> {
    let known = connection
        .prepare_cached(tables.person_number)?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if known.is_some() {
        return Ok(known);
    }
    let words = name_words(name);
    if words.is_empty() {
        return Ok(None);
    }
    connection.prepare_cached(tables.add_person)?.execute([name])?;
    let number = connection.last_insert_rowid() as u32;
    for word in words {
        connection.prepare_cached(tables.add_person_word)?.execute(params![word, number])?;
    }
    Ok(Some(number))
}

/// The number of a kind, which is created if new.
fn kind_number(
    connection: &Connection,
    tables: &IndexTables,
    kind: &str,
) -> Result<u8, StoreError> {
    connection.prepare_cached(tables.add_kind)?.execute([kind])?;
    let number: i64 =
        connection.prepare_cached(tables.kind_number)?.query_row([kind], |row| row.get(0))?;
    Ok(attributes::kind_byte(number))
}

/// Days from 1970-01-01.
pub(super) fn days_since_epoch(date: jiff::civil::Date) -> i32 {
    let epoch = jiff::civil::date(1970, 1, 1);
    epoch.until(date).map_or(NO_DAY, |span| span.get_days())
}
