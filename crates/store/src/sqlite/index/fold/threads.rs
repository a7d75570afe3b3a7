//! Sessions and threads: which records are neighbours.
//!
//! A thread is what one key recorded in one session. The neighbours of a record are in its thread,
//! so they are the same on every device: the operations of one key arrive everywhere in the same
//! order, those of several do not.

use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::Author;
use kernel::kind::Kind;
use rusqlite::{Connection, OptionalExtension, params};

use super::super::attributes::NONE;
use super::super::batch::{Batch, Thread};
use super::super::meaning::DocumentVector;
use super::passage::Passages;
use super::{Counts, Folder};
use crate::{Position, StoreError};

/// Sessions whose numbers are cached, and threads whose last records are.
const SESSIONS_REMEMBERED_MAX: usize = 4_096;
/// The last two records of a thread.
#[derive(Clone)]
pub(super) struct ThreadEnd {
    pub(super) last: u32,
    pub(super) previous: Counts,
    pub(super) before_previous: Counts,
    pub(super) previous_meant: DocumentVector,
    pub(super) before_previous_meant: DocumentVector,
}

impl Default for ThreadEnd {
    fn default() -> Self {
        Self {
            last: NONE,
            previous: Counts::new(),
            before_previous: Counts::new(),
            previous_meant: DocumentVector::default(),
            before_previous_meant: DocumentVector::default(),
        }
    }
}

impl Folder {
    /// The number of a session, which is created if it is new or has no name.
    pub(super) fn session(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        name: Option<&str>,
    ) -> Result<u32, StoreError> {
        if let Some(name) = name {
            if let Some(number) = self.sessions.get(name) {
                return Ok(*number);
            }
            let stored = connection
                .prepare_cached(self.tables.session_named)?
                .query_row([name], |row| row.get(0))
                .optional()?;
            if let Some(number) = stored {
                self.sessions.insert(name.to_owned(), number);
                return Ok(number);
            }
        }
        let number = batch.session_count;
        connection.prepare_cached(self.tables.add_session)?.execute(params![number, name])?;
        batch.session_count += 1;
        if let Some(name) = name {
            self.sessions.insert(name.to_owned(), number);
        }
        Ok(number)
    }

    /// The number of a key that has recorded something.
    pub(super) fn author_number(
        &mut self,
        connection: &Connection,
        key: &Author,
    ) -> Result<u32, StoreError> {
        if let Some((_, number)) = self.author.filter(|(known, _)| known == key) {
            return Ok(number);
        }
        let number = connection
            .prepare_cached("SELECT number FROM author WHERE key = ?1")?
            .query_row([key.0], |row| row.get(0))?;
        self.author = Some((*key, number));
        Ok(number)
    }

    /// The last two records of a thread.
    pub(super) fn thread_end(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        thread: Thread,
    ) -> Result<ThreadEnd, StoreError> {
        if let Some(end) = self.threads.remove(&thread) {
            return Ok(end);
        }
        let last = match batch.thread_ends.get(&thread) {
            Some(last) => *last,
            None => connection
                .prepare_cached(self.tables.thread_end)?
                .query_row([thread.session, thread.author], |row| row.get(0))
                .optional()?
                .unwrap_or(NONE),
        };
        let Some(ending) = batch.attribute(connection, last)? else {
            return Ok(ThreadEnd::default());
        };
        let before = batch.attribute(connection, ending.previous)?;
        let is_of_same = before.is_some_and(|before| before.position == ending.position);
        let (previous, previous_meant) =
            self.read_again(connection, batch, Some(ending.position), 0)?;
        let (before_previous, before_previous_meant) = self.read_again(
            connection,
            batch,
            before.map(|before| before.position),
            usize::from(is_of_same),
        )?;
        Ok(ThreadEnd { last, previous, before_previous, previous_meant, before_previous_meant })
    }

    /// Empties the cache of sessions and that of threads where they have grown too large.
    pub(super) fn bound_cached_sessions(&mut self) {
        if self.sessions.len() > SESSIONS_REMEMBERED_MAX {
            self.sessions.clear();
        }
        if self.threads.len() > SESSIONS_REMEMBERED_MAX {
            self.threads.clear();
        }
    }

    /// The cached data of a passage, from its record: of the last one, or as many before it as
    /// `from_last`.
    fn read_again(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        position: Option<Position>,
        from_last: usize,
    ) -> Result<(Counts, DocumentVector), StoreError> {
        let Some(position) = position else { return Ok(Default::default()) };
        let body: Option<Vec<u8>> = connection
            .prepare_cached("SELECT body FROM op WHERE pos = ?1")?
            .query_row([super::super::sql(position)], |row| row.get(0))
            .optional()?
            .flatten();
        let Some(Ok(Body::Evidence(evidence))) =
            body.map(|bytes| Body::parse(&Kind::Evidence, &bytes))
        else {
            return Ok(Default::default());
        };
        let Some(passage) = Passages::of(&evidence).iter().rev().nth(from_last) else {
            return Ok(Default::default());
        };
        let analysis = passage.analyze(&mut self.analyzer);
        let vector = passage.vector(analysis.language);
        Ok((self.number_terms(connection, batch, &analysis)?, vector))
    }
}

/// Keeps sessions of different sources apart.
pub(super) fn session_name(evidence: &Evidence, name: &str) -> String {
    format!("{}\u{0}{name}", evidence.source)
}
