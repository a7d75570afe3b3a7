//! Which documents count at the time of a query, as the ledger says during the search.
//!
//! The index contains everything that was ever recorded or believed. Whether a document counts
//! follows from the ledger. A search asks that only of the documents that it is about to return,
//! once for each identity.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::civil::Date;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::HlcTimestamp;
use kernel::snapshot::Snapshot;
use kernel::validity::Validity;
use retrieval::question::Question;
use retrieval::rank::Weights;
use retrieval::text::Analyzer;
use rusqlite::OptionalExtension;

use super::super::graph::{SqliteLedgerIndex, id_at, sql};
use super::attributes::Attribute;
use super::search::{Filter, Found, Search};
use crate::{Position, StoreError};

impl<'a> Search<'a> {
    /// The ledger's index in the snapshot of the search.
    pub fn ledger_index(&self) -> Result<SqliteLedgerIndex<'a>, StoreError> {
        SqliteLedgerIndex::new(self.connection, self.access)
    }

    /// The best `limit` served claims, corrections and nodes of these kinds, best first. `serves`
    /// returns the operation that is served for an identity or for a node ([`node_key`]), and is
    /// called at most once for each.
    pub fn find_served(
        &self,
        question: &Question,
        analyzer: &mut Analyzer,
        today: Option<Date>,
        (kinds, limit): (&[Kind], usize),
        mut serves: impl FnMut(&str) -> Result<Option<OpId>, StoreError>,
    ) -> Result<Vec<(OpId, Found)>, StoreError> {
        let kinds = kinds.iter().map(Kind::to_string).collect();
        let filter = Filter { kinds, ..Filter::default() };
        let weights = if self.has_model() { Weights::FACTS_WITH_MODEL } else { Weights::FACTS };
        // A belief is neither an occurrence nor somebody's wording of a time.
        let mut question = question.clone();
        (question.nearest, question.quotes) = (None, Vec::new());
        let pass = self.pass(&question, analyzer, &filter, today, &weights)?;
        let mut name = self.connection.prepare_cached(self.tables.session_name)?;
        let mut place = self.connection.prepare_cached("SELECT pos FROM op WHERE id = ?1")?;
        let mut served: HashMap<u32, Option<Position>> = HashMap::new();
        let mut ids: HashMap<Position, OpId> = HashMap::new();
        let best = pass.best_of_those(limit, |document, attribute| {
            let session = self.attributes.session_of(document);
            let position = match served.entry(session) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(unknown) => {
                    let key: Option<String> =
                        name.query_row([session], |row| row.get(0)).optional()?.flatten();
                    let id = key.map(|key| serves(&key)).transpose()?.flatten();
                    let row: Option<i64> = id
                        .map(|id| place.query_row([id.0], |row| row.get(0)).optional())
                        .transpose()?
                        .flatten();
                    let position = row.map(|row| Position(row.unsigned_abs()));
                    ids.extend(position.zip(id));
                    *unknown.insert(position)
                }
            };
            Ok(position == Some(attribute.position))
        })?;
        let found = pass.score_exactly(best)?.into_iter();
        Ok(found.filter_map(|found| Some((*ids.get(&found.position)?, found))).collect())
    }

    /// Whether a record counted in the ledger as of `until_us`.
    pub(super) fn standing_at(
        &self,
        until_us: u64,
    ) -> Result<impl FnMut(&Attribute) -> Result<bool, StoreError>, StoreError> {
        let index = self.ledger_index()?;
        let mut identify = self.connection.prepare_cached("SELECT id FROM op WHERE pos = ?1")?;
        Ok(move |attribute: &Attribute| {
            let id =
                identify.query_row([sql(attribute.position)], |row| id_at(row, 0)).optional()?;
            let Some(id) = id else { return Ok(false) };
            let then = Snapshot::before(&index, first_after(until_us));
            Validity::new(&then).is_valid_input(&id)
        })
    }
}

/// What comes before the key of a node in the index of facts; no identity begins with it.
const NODE: &str = "\u{1}node|";

/// The name under which the versions of a node's text are in the index of facts.
pub(super) fn node_session(record_key: &str) -> String {
    format!("{NODE}{record_key}")
}

/// What a node is a version of, from the name that [`Search::find_served`] passes; none for the key
/// of an identity.
pub fn node_key(name: &str) -> Option<&str> {
    name.strip_prefix(NODE)
}

/// The first place in the order after everything recorded until a time.
pub fn first_after(until_us: u64) -> (HlcTimestamp, OpId) {
    // Stored times are at most i64::MAX, so no operation is later.
    (HlcTimestamp(until_us.saturating_add(1).min(i64::MAX.unsigned_abs())), OpId([0; 32]))
}
