//! The text index: which records contain which words, folded from the ledger into tables of the
//! same file.
//!
//! A passage of a record is a *document* with a dense number, in order of arrival; most records are
//! one passage. Postings are in rows of one term and [`postings::BLOCK`] documents, so the row that
//! an append changes is known without a look-up, and the tables are the same byte for byte however
//! folds were batched. A posting counts its term in the document and, in a conversation, in the two
//! before it, so context needs no second look-up and an append never changes old rows. Sessions are
//! also documents, with postings of their own. The attributes that filters and scores need
//! ([`attributes`]) take 36 bytes per document. A process that searches more than once keeps them
//! in memory, and the directions too ([`meaning`]).
//!
//! Absent: positions in the text (no phrase search), and removal. A record that no longer counts
//! stays in the postings and is skipped because of its flags. When a record is forgotten, the index
//! is emptied and folded again.

use retrieval::text::Language;
use rusqlite::{Connection, OptionalExtension, params};

use super::graph::sql;
use super::registry::{Fold, FoldTask, MakeFolder, ViewFolder, ViewSpec};
use crate::{Position, StoreError};

pub(super) mod attributes;
mod batch;
mod candidates;
pub(super) mod column;
mod conversations;
mod evidence;
mod fold;
mod identifiers;
mod languages;
pub(super) mod lengths;
mod lists;
pub(super) mod meaning;
mod names;
mod others;
mod pass;
mod postings;
mod related;
mod search;
mod series;
mod served;
pub(super) mod shared;
mod tables;
mod thought_places;
mod thought_scores;
pub(super) mod thoughts;
mod ties;
mod times;
mod variants;
pub(super) mod vectors;

pub use candidates::{CandidateFilter, ChainLink, StoredEvidence};
pub(super) use evidence::said_at;
pub(super) use fold::Graph;
pub(super) use fold::stated_at;
use fold::{FactFolder, Folder, ThoughtFolder};
pub use fold::{VALUES_RAW, searched_parts};
pub use identifiers::NamedRecords;
pub use search::{Filter, Finder, Found, Search, StandsFor, TermShare};
pub use served::{first_after, node_key};
pub(super) use tables::{EPISODES, FACTS, IndexTables, THOUGHTS, THOUGHTS_SINCE};

/// The text index of evidence.
pub(super) static TEXT_VIEW: ViewSpec =
    evidence_view(|connection| Ok(Box::new(Folder::new(connection)?)));

/// The same tables, filled with the thinking of agents alone.
pub(super) static THINKING_VIEW: ViewSpec =
    evidence_view(|connection| Ok(Box::new(Folder::of_thinking(connection)?)));

const fn evidence_view(folder: MakeFolder) -> ViewSpec {
    ViewSpec {
        name: "text",
        tables: EPISODES.specs,
        fold: Fold::Lagging {
            version: EPISODES.version,
            folds_graph: true,
            reads_bodies_of: |kind| *kind == kernel::kind::Kind::Evidence,
            folder,
        },
    }
}

/// The same index of claims and corrections.
pub(super) static FACT_VIEW: ViewSpec = ViewSpec {
    name: "facts",
    tables: FACTS.specs,
    fold: Fold::Lagging {
        version: FACTS.version,
        folds_graph: false,
        reads_bodies_of: |_| true,
        folder: |connection| Ok(Box::new(FactFolder::new(connection)?)),
    },
};

/// The same index of thoughts.
pub(super) static THOUGHT_VIEW: ViewSpec = ViewSpec {
    name: "thoughts",
    tables: THOUGHTS.specs,
    fold: Fold::Lagging {
        version: THOUGHTS.version,
        folds_graph: false,
        reads_bodies_of: |kind| {
            matches!(kind, kernel::kind::Kind::Thought | kernel::kind::Kind::Annotation)
        },
        folder: |connection| Ok(Box::new(ThoughtFolder::new(connection)?)),
    },
};

impl ViewFolder for Folder {
    fn fold(&mut self, task: &FoldTask<'_>) -> Result<Position, StoreError> {
        self.fold_until(task.connection, task.space, task.until, task.graph)
    }

    fn begin_like(&self, connection: &Connection, schema: &str) -> Result<(), StoreError> {
        begin_under(connection, reach_in(connection, &EPISODES, schema)?.access)
    }
}

impl ViewFolder for FactFolder {
    fn fold(&mut self, task: &FoldTask<'_>) -> Result<Position, StoreError> {
        self.fold_until(task.connection, task.until)
    }
}

impl ViewFolder for ThoughtFolder {
    fn fold(&mut self, task: &FoldTask<'_>) -> Result<Position, StoreError> {
        self.fold_until(task.connection, task.until)
    }
}

/// Limit of operations in one fold.
pub(super) const FOLD_OPERATIONS_MAX: u64 = postings::BLOCK as u64;

/// How far the index has read, and with which changes of access.
///
/// The right to append is judged in the space's order, and a grant or revocation from another
/// device may be ordered before records that are indexed already. Then the index is folded again
/// from the start. It is a function of the operations up to `position`, judged by the changes of
/// access up to `position` or `access`, whichever is later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// How far it has read.
    pub(super) position: Position,
    /// The last change of access that arrived after operations that it concerns.
    pub(super) access: Position,
    /// The highest time of a record or retraction up to `position`, microseconds.
    latest_us: u64,
    /// How often operations that it had read were erased or completed, after which it was folded
    /// from the start.
    erased: u64,
}

impl Reach {
    /// Whether data cached at `self` can be brought forward to `later`.
    pub(super) fn leads_to(&self, later: &Self) -> bool {
        self.access == later.access
            && self.erased == later.erased
            && self.position <= later.position
    }
}

/// How far the index has read; zero if another version of the program folded it.
pub(super) fn reach(connection: &Connection, tables: &IndexTables) -> Result<Reach, StoreError> {
    reach_in(connection, tables, "main")
}

/// The same of the file attached as `schema`.
fn reach_in(
    connection: &Connection,
    tables: &IndexTables,
    schema: &str,
) -> Result<Reach, StoreError> {
    let query = format!("SELECT pos FROM {schema}.view WHERE name = ?1 AND version = ?2");
    let mut statement = connection.prepare_cached(&query)?;
    let mut number = |name: &str| -> Result<u64, StoreError> {
        let found: Option<i64> =
            statement.query_row(params![name, tables.version], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or(0).unsigned_abs())
    };
    let [position, access, latest, erased] = tables.reach_rows;
    Ok(Reach {
        position: Position(number(position)?),
        access: Position(number(access)?),
        latest_us: number(latest)?,
        erased: number(erased)?,
    })
}

/// The last operation that may change which thoughts count.
pub(super) fn last_change_of_thoughts(connection: &Connection) -> Result<u64, StoreError> {
    Ok(reach(connection, &THOUGHTS)?.latest_us)
}

fn set_reach(
    connection: &Connection,
    tables: &IndexTables,
    reach: &Reach,
) -> Result<(), StoreError> {
    let numbers = [reach.position, reach.access, Position(reach.latest_us), Position(reach.erased)];
    for (name, number) in tables.reach_rows.iter().zip(numbers) {
        connection
            .prepare_cached(
                "INSERT INTO view (name, version, pos) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name) DO UPDATE SET version = excluded.version, pos = excluded.pos",
            )?
            .execute(params![name, tables.version, sql(number)])?;
    }
    Ok(())
}

/// Empties the index of evidence, to be folded with the changes of access up to `access`.
fn begin_under(connection: &Connection, access: Position) -> Result<(), StoreError> {
    let erased = reach(connection, &EPISODES)?.erased;
    set_reach(connection, &EPISODES, &Reach { access, erased, ..Reach::default() })
}

/// Notes that all indexes, which are empty, are to be folded with the changes of access up to
/// `head`. What other processes keep of them in memory is older and does not lead there.
pub(super) fn begin_again(connection: &Connection, head: Position) -> Result<(), StoreError> {
    for tables in [&EPISODES, &FACTS, &THOUGHTS] {
        let erased = reach(connection, tables)?.erased.saturating_add(1);
        set_reach(connection, tables, &Reach { access: head, erased, ..Reach::default() })?;
    }
    Ok(())
}

/// The language in a space's settings; English if none or an unknown one is set.
pub(super) fn language(connection: &Connection) -> Result<Language, StoreError> {
    let body: Option<Vec<u8>> = connection
        .query_row("SELECT body FROM op WHERE pos = 1", [], |row| row.get(0))
        .optional()?
        .flatten();
    let settings: Option<serde_json::Value> =
        body.and_then(|body| serde_json::from_slice(&body).ok());
    let language = settings.and_then(|space| {
        serde_json::from_value(space.pointer("/settings/language")?.clone()).ok()
    });
    Ok(language.unwrap_or_default())
}
