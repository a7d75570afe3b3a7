//! Records that a selection may contain, found by the columns and names of the text index.
//!
//! The answer is a superset: whoever asks compares the records themselves. It covers what the index
//! has read; later operations are read one by one.

use std::collections::HashSet;

use jiff::civil::Date;
use kernel::id::{Author, OpId};
use kernel::kind::Kind;
use retrieval::question::names::name_words;
use rusqlite::{OptionalExtension, params};

use super::super::SqliteSpace;
use super::super::graph::{id_at, kind_at, sql};
use super::attributes::{Attribute, NO_DAY};
use super::fold::days_since_epoch;
use crate::{Position, StoreError};

/// Between the source and the name of a session in the table of sessions.
const SEPARATOR: char = '\u{0}';

/// What is known of the records that are looked for. Each part that is given must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidateFilter {
    /// Of this source, in any letter case.
    pub source: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// By this actor, in any letter case.
    pub actor: Option<String>,
    /// From the first of these days up to the last.
    pub days: Option<(Date, Date)>,
}

/// An operation of an author's chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// Its number in order of arrival.
    pub position: Position,
    /// Its id.
    pub id: OpId,
    /// Its kind.
    pub kind: Kind,
    /// Its number in the chain.
    pub seq: u64,
}

/// Evidence as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvidence {
    /// Its id.
    pub id: OpId,
    /// Its canonical body, unless removed.
    pub body: Option<Vec<u8>>,
}

impl SqliteSpace {
    /// Records that may match, in order of arrival, and how far the index has read.
    pub fn candidates(
        &self,
        filter: &CandidateFilter,
    ) -> Result<(Vec<Position>, Position), StoreError> {
        let transaction = self.read_transaction()?;
        let reached = self.text_position()?;
        let attributes = transaction.attributes()?;
        let sessions = self.sessions_of(filter)?;
        let people = match &filter.actor {
            Some(actor) => self.people_called(actor)?,
            None => None,
        };
        let days =
            filter.days.map(|(first, last)| days_since_epoch(first)..=days_since_epoch(last));
        let fits = |(attribute, session): &(&Attribute, &u32)| {
            sessions.as_ref().is_none_or(|sessions| sessions.contains(session))
                && people.as_ref().is_none_or(|people| people.contains(&attribute.author))
                && days
                    .as_ref()
                    .is_none_or(|days| attribute.day != NO_DAY && days.contains(&attribute.day))
        };
        let all = attributes.rest.iter().zip(attributes.session.iter());
        let found = all.filter(fits).map(|(attribute, _)| attribute.position);
        let mut found: Vec<Position> = found.collect();
        // A record may have several passages.
        found.dedup();
        Ok((found, reached))
    }

    /// Numbers of the sessions that the filter accepts; none means all. A record whose source names
    /// no session has a session without a name, which may belong to any source.
    fn sessions_of(&self, filter: &CandidateFilter) -> Result<Option<HashSet<u32>>, StoreError> {
        if filter.source.is_none() && filter.session.is_none() {
            return Ok(None);
        }
        let source = filter.source.as_ref().map(|source| source.to_lowercase());
        let mut accepted = HashSet::new();
        let mut statement =
            self.connection.prepare_cached("SELECT number, name FROM text_session")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name = row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)?;
            let fits = match name.and_then(|name| name.split_once(SEPARATOR)) {
                Some((of, session)) => {
                    source.as_ref().is_none_or(|source| of.to_lowercase() == *source)
                        && filter.session.as_ref().is_none_or(|wanted| wanted == session)
                }
                None => filter.session.is_none(),
            };
            if fits {
                accepted.insert(row.get(0)?);
            }
        }
        Ok(Some(accepted))
    }

    /// Numbers of the people of a name in any letter case; none means all, because a name without
    /// words has no number.
    fn people_called(&self, name: &str) -> Result<Option<HashSet<u32>>, StoreError> {
        let words = name_words(name);
        let Some(word) = words.first() else { return Ok(None) };
        let lower = name.to_lowercase();
        let mut statement = self.connection.prepare_cached(
            "SELECT person.number, person.name FROM text_person_word AS word
             JOIN text_person AS person ON person.number = word.person WHERE word.word = ?1",
        )?;
        let mut rows = statement.query([word])?;
        let mut people = HashSet::new();
        while let Some(row) = rows.next()? {
            if row.get::<_, String>(1)?.to_lowercase() == lower {
                people.insert(row.get(0)?);
            }
        }
        Ok(Some(people))
    }

    /// The names of everybody who said or wrote a record that the index has read, in their order.
    pub fn authors(&self) -> Result<Vec<String>, StoreError> {
        let transaction = self.read_transaction()?;
        let attributes = transaction.attributes()?;
        let numbers: HashSet<u32> =
            attributes.rest.iter().map(|attribute| attribute.author).collect();
        let mut statement =
            self.connection.prepare_cached("SELECT number, name FROM text_person ORDER BY name")?;
        let mut rows = statement.query([])?;
        let mut authors = Vec::new();
        while let Some(row) = rows.next()? {
            if numbers.contains(&row.get(0)?) {
                authors.push(row.get(1)?);
            }
        }
        Ok(authors)
    }

    /// The evidence at a position; none if another kind of operation is there.
    pub fn evidence_at(&self, position: Position) -> Result<Option<StoredEvidence>, StoreError> {
        Ok(self
            .connection
            .prepare_cached("SELECT id, body FROM op WHERE pos = ?1 AND kind = 'evidence'")?
            .query_row([sql(position)], |row| {
                Ok(StoredEvidence { id: id_at(row, 0)?, body: row.get(1)? })
            })
            .optional()?)
    }

    /// The operations of an author with these numbers, in the order of the chain.
    pub fn chain(
        &self,
        author: &Author,
        seqs: std::ops::RangeInclusive<u64>,
    ) -> Result<Vec<ChainLink>, StoreError> {
        let number = |seq: u64| i64::try_from(seq).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(
            "SELECT op.pos, op.id, op.kind, op.seq FROM op JOIN author ON author.number = op.author
             WHERE author.key = ?1 AND op.seq BETWEEN ?2 AND ?3 ORDER BY op.seq",
        )?;
        let found = statement
            .query_and_then(params![author.0, number(*seqs.start()), number(*seqs.end())], |row| {
                Ok(ChainLink {
                    position: Position(row.get::<_, i64>(0)?.unsigned_abs()),
                    id: id_at(row, 1)?,
                    kind: kind_at(row, 2)?,
                    seq: row.get::<_, i64>(3)?.unsigned_abs(),
                })
            })?
            .collect::<Result<_, rusqlite::Error>>()?;
        Ok(found)
    }
}
