//! Folding thoughts into their index.
//!
//! Every thought is a document and remains one. Whether it counts (its author was permitted, it is
//! not retracted, not private) is looked up when it is found. Two things change a document later:
//! an annotation gives it other tags, and a thought that refines or corrects it marks it, so that a
//! search looks up the lineage of marked documents alone.

use std::collections::BTreeSet;

use kernel::body::Body;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::validity::Validity;
use retrieval::rank::lexical::TermCounts;
use rusqlite::Connection;

use super::super::super::graph::{SqliteLedgerIndex, cited, kind_at, refs_at, sql, stamp_at};
use super::super::super::ledger;
use super::super::attributes::{self, Attribute, NO_DAY, NONE, StoredAttribute};
use super::super::batch::Batch;
use super::super::meaning::DocumentVector;
use super::super::tables::THOUGHTS;
use super::Folder;
use super::block::Stretch;
use crate::{Position, StoreError};

/// The role in which a thought cites the one that it says is wrong.
const CORRECTS: &str = "corrects";

/// Another thought refines or consolidates it.
pub(in super::super) const REFINED: u8 = 64;
/// Another thought corrects it.
pub(in super::super) const CORRECTED: u8 = 128;

/// It may sum up a domain: its text or an annotation says so.
pub(in super::super) const DOMAIN: u8 = 32;
/// The category of such thoughts.
const DOMAIN_SUMMARY: &str = "domain_summary";

/// Between the tags in the name of a set of them.
const SEPARATOR: char = '\u{1f}';

/// The next operations to fold: thoughts, and what may change what is found of them.
const NEXT: &str = "SELECT pos, kind, ts, refs, body FROM op WHERE kind IN \
     ('thought', 'annotation', 'retraction', 'retraction_withdrawal', 'grant', 'revoke', 'redaction') \
     AND pos > ?1 AND pos <= ?2 ORDER BY pos LIMIT ?3";

/// The folder of thoughts, with what it caches for the next fold.
pub(in super::super) struct ThoughtFolder(Folder);

/// The name of a set of tags.
fn name_of(tags: &[String]) -> String {
    let tags: BTreeSet<String> = tags.iter().map(|tag| tag.replace(SEPARATOR, " ")).collect();
    tags.into_iter().collect::<Vec<_>>().join(&SEPARATOR.to_string())
}

/// The reverse of [`name_of`].
pub(in super::super) fn tags_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(SEPARATOR).filter(|tag| !tag.is_empty())
}

impl ThoughtFolder {
    /// A folder with an empty cache.
    pub(in super::super) fn new(connection: &Connection) -> Result<Self, StoreError> {
        Ok(Self(Folder::of(connection, &THOUGHTS)?))
    }

    /// Reads at most a block of operations, none after `until`, in the transaction that is open on
    /// `connection`. Returns the new position.
    pub(in super::super) fn fold_until(
        &mut self,
        connection: &Connection,
        until: Position,
    ) -> Result<Position, StoreError> {
        self.0.fold_block(connection, until, |folder, batch, stretch| {
            folder.read_thoughts(connection, batch, stretch)
        })
    }
}

impl Folder {
    fn read_thoughts(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        stretch: &mut Stretch,
    ) -> Result<(), StoreError> {
        let mut statement = connection.prepare_cached(NEXT)?;
        let mut rows = statement.query(stretch.parameters())?;
        while let Some(row) = rows.next()? {
            stretch.take(row)?;
            let last = stretch.last;
            let (kind, ts, refs) = (kind_at(row, 1)?, stamp_at(row, 2)?, refs_at(row, 3)?);
            let bytes = row.get_ref(4)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
            let body = bytes.and_then(|bytes| Body::parse(&kind, bytes).ok());
            if kind == Kind::Thought {
                self.add_thought(connection, batch, last, (ts, &refs), body.as_ref())?;
                continue;
            }
            if !concerns_only_what_follows(connection, last, ts, body.as_ref())? {
                // Whether earlier thoughts count may be another answer now.
                stretch.reach.latest_us = last.0;
            }
            if kind == Kind::Annotation {
                self.tag_again(connection, batch, last, &refs)?;
            }
        }
        Ok(())
    }

    fn add_thought(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        position: Position,
        (ts, refs): (HlcTimestamp, &[Ref]),
        body: Option<&Body>,
    ) -> Result<(), StoreError> {
        for (role, flag) in
            [(Role::REFINES, REFINED), (Role::CONSOLIDATES, REFINED), (CORRECTS, CORRECTED)]
        {
            for earlier in cited(refs, role) {
                let Some(target) = position_of(connection, &earlier)? else { continue };
                batch.each_at(connection, position, target, |chunk, document| {
                    attributes::set_flags(chunk, document, flag);
                })?;
            }
        }
        let Some(Body::Thought(thought)) = body else { return Ok(()) };
        let text = thought.content.as_deref().unwrap_or_default();
        let document = batch.documents;
        let analysis = self.analyzer.analyze_slots(text, &[]);
        for (term, own) in self.number_terms(connection, batch, &analysis)? {
            batch.push_posting(term, document, TermCounts { own, ..TermCounts::default() });
        }
        let meant = DocumentVector::of(analysis.language, std::iter::once(text));
        let nothing = DocumentVector::default();
        let (tables, vector) = (self.tables, &nothing.vector);
        batch.meanings.push(connection, tables, document, &meant, vector, vector)?;
        let tags = name_of(thought.tags.as_deref().unwrap_or_default());
        let thought_type = thought.thought_type.map_or("original", |kind| kind.as_str());
        let attribute = Attribute {
            position,
            previous: NONE,
            author: NONE,
            day: NO_DAY,
            at_us: i64::try_from(ts.0).unwrap_or(i64::MAX),
            kind: self.kind(connection, thought_type)?,
            marks: 0,
            flags: match thought.category.as_deref() {
                Some(DOMAIN_SUMMARY) => DOMAIN,
                _ => 0,
            },
        };
        let stored = StoredAttribute {
            attribute,
            session: self.session(connection, batch, Some(&tags))?,
            length: u8::try_from(analysis.length).unwrap_or(u8::MAX),
        };
        batch.push_attribute(connection, position, document, &stored)?;
        batch.documents += 1;
        batch.reached = position;
        Ok(())
    }

    /// Gives a thought the tags that its annotations say, by the last of them that has effect.
    fn tag_again(
        &mut self,
        connection: &Connection,
        batch: &mut Batch,
        position: Position,
        refs: &[Ref],
    ) -> Result<(), StoreError> {
        let index = SqliteLedgerIndex::with_access_until(connection, &self.access, position)?;
        for target in cited(refs, Role::TARGET) {
            let Some(place) = position_of(connection, &target)? else { continue };
            let Some(entry) = index.entry(&target)?.filter(|entry| entry.kind == Kind::Thought)
            else {
                continue;
            };
            let mut latest = None;
            for id in index.acting(&entry.id, &Kind::Annotation, Role::TARGET)? {
                let Some(annotation) = index.entry(&id)? else { continue };
                let is_known = position_of(connection, &id)?.is_some_and(|at| at <= position);
                if !is_known || !Validity::new(&index).has_effect(&annotation)? {
                    continue;
                }
                let body = index.body(&id)?;
                let body = body.and_then(|body| Body::parse(&Kind::Annotation, &body).ok());
                let Some(Body::Annotation(labels)) = body else { continue };
                if labels.category.as_deref() == Some(DOMAIN_SUMMARY) {
                    batch.each_at(connection, position, place, |chunk, document| {
                        attributes::set_flags(chunk, document, DOMAIN);
                    })?;
                }
                if let Some(tags) = labels.tags {
                    latest = latest.max(Some((annotation.order(), tags)));
                }
            }
            let Some((_, tags)) = latest else { continue };
            let session = self.session(connection, batch, Some(&name_of(&tags)))?;
            batch.each_at(connection, position, place, |chunk, document| {
                attributes::set_session(chunk, document, session);
            })?;
        }
        Ok(())
    }
}

/// How far from the end of the ledger it is worth asking what a grant concerns.
const NEWEST: u64 = 256;

/// Whether an operation leaves it as it is which thoughts before it count: a grant for what follows
/// it, as a new access token comes with. It is later in the space's order than everything that was
/// there, and it is not about who may administer, which can give effect to a revocation that limits
/// a chain.
fn concerns_only_what_follows(
    connection: &Connection,
    position: Position,
    ts: HlcTimestamp,
    body: Option<&Body>,
) -> Result<bool, StoreError> {
    let Some(Body::Grant(grant)) = body else { return Ok(false) };
    if grant.capabilities.contains(&Capability::Admin) {
        return Ok(false);
    }
    // Where everything is folded again, most of the ledger is later, and would be looked through.
    if ledger::head(connection)?.0 > position.0.saturating_add(NEWEST) {
        return Ok(false);
    }
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM op WHERE ts >= ?1 AND pos < ?2 LIMIT 1")?;
    Ok(!statement.exists(rusqlite::params![ts.0.cast_signed(), sql(position)])?)
}

/// Where an operation is.
fn position_of(
    connection: &Connection,
    id: &kernel::id::OpId,
) -> Result<Option<Position>, StoreError> {
    use rusqlite::OptionalExtension;
    let mut statement = connection.prepare_cached("SELECT pos FROM op WHERE id = ?1")?;
    let row: Option<i64> = statement.query_row([id.0], |row| row.get(0)).optional()?;
    Ok(row.map(|row| Position(row.unsigned_abs())))
}

#[cfg(test)]
mod tests {
    use kernel::body::{Grant, Space, Thought};
    use kernel::ledger_index::LedgerIndex;
    use kernel::operation::{Operation, Verified};
    use kernel::seal::{ChainPosition, Draft, Signer};

    use super::*;
    use crate::Writing;
    use crate::sqlite::SqliteSpace;
    use crate::sqlite::index::last_change_of_thoughts;

    /// Appends what `signer` says at a time, and folds it.
    fn say(space: &mut SqliteSpace, signer: &Signer, ts: u64, body: Body) {
        let mut writing = space.write().unwrap();
        let place = ChainPosition {
            space: writing.space().unwrap(),
            head: writing.head(&signer.author()).unwrap(),
            ts: HlcTimestamp(ts),
        };
        let said: Operation<Verified> = signer.seal(Draft::new(body.clone()), place).unwrap();
        writing.admit(&said, Some(&body)).unwrap();
        Box::new(writing).commit().unwrap();
        space.advance(|_| {}).unwrap();
    }

    #[test]
    fn only_what_may_concern_earlier_thoughts_makes_searches_look_again_which_of_them_count() {
        let [owner, agent, another] = [1, 2, 3].map(|seed| Signer::from_seed([seed; 32]));
        let body = Body::Space(Space {
            name: "test".to_owned(),
            owner: owner.author(),
            created: "2026-01-01T00:00:00Z".to_owned(),
            settings: Default::default(),
        });
        let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
        let genesis = owner.seal(Draft::new(body.clone()), place).unwrap();
        let mut space = SqliteSpace::create_in_memory(&genesis, &body).unwrap();
        let grant = |capabilities: &[Capability]| Grant {
            key: agent.author(),
            name: "agent".to_owned(),
            capabilities: capabilities.to_vec(),
            last_seq: None,
        };
        let thought =
            || Body::Thought(Thought { content: Some("tea".to_owned()), ..Thought::default() });
        let append = || Body::Grant(grant(&[Capability::Append]));
        say(&mut space, &owner, 2, thought());
        let mut said = |signer: &Signer, ts: u64, body: Body| {
            let before = last_change_of_thoughts(&space.connection).unwrap();
            say(&mut space, signer, ts, body);
            last_change_of_thoughts(&space.connection).unwrap() > before
        };
        assert!(!said(&owner, 3, append()), "it is for what follows");
        assert!(!said(&agent, 4, thought()));
        assert!(said(&owner, 5, Body::Grant(grant(&[Capability::Admin]))));
        assert!(said(&owner, 6, Body::Revoke(grant(&[Capability::Append]))));
        assert!(said(&another, 4, append()), "it is as old as a thought");
    }
}
