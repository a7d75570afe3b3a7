//! Claims and nodes by their tags.
//!
//! A list by a tag that few records have reads those records alone. Tags also hold the ids that
//! other programs gave to claims and nodes.
//!
//! The table holds the tags of every operation that states a claim or a node, in force or not: what
//! is in force is computed for the few that are found.

use kernel::body::Body;
use kernel::id::OpId;
use rusqlite::{Connection, params};

use super::graph::{SqliteLedgerIndex, id_at, sql};
use super::ledger::SqliteWriting;
use super::registry::{TableSpec, Weight};
use crate::{Position, StoreError};

/// The version of the tables that first has these.
pub(super) const SINCE: i64 = 10;

/// The table.
pub(super) const TABLE: TableSpec = TableSpec::new(
    "record_tag",
    SINCE,
    "CREATE TABLE record_tag (tag TEXT NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY (tag, pos)) STRICT, WITHOUT ROWID;",
)
.ordered_by("tag, pos")
.weighing(Weight::Row(48));

/// Most records that are found by a tag. A list by a commoner one reads its rows in their order and
/// looks at the tags of each.
const TAGGED_MAX: i64 = 4_096;

/// The tags from one, to another that is not among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRange {
    pub(super) from: String,
    pub(super) below: String,
}

impl TagRange {
    /// One tag.
    pub fn one(tag: &str) -> Self {
        // Nothing is between a text and the same with the least character after it.
        Self { from: tag.to_owned(), below: format!("{tag}\0") }
    }

    /// All that begin with a text; none if it is empty.
    pub fn beginning_with(prefix: &str) -> Option<Self> {
        let mut below: Vec<char> = prefix.chars().collect();
        while let Some(last) = below.pop() {
            // The step passes over what is not a character.
            if let Some(next) = (last..=char::MAX).nth(1) {
                below.push(next);
                let below = below.into_iter().collect();
                return Some(Self { from: prefix.to_owned(), below });
            }
        }
        None
    }

    /// What a canonical body contains that has such a tag, unless it contains it elsewhere.
    fn in_body(&self) -> String {
        let mut json = serde_json::Value::String(self.from.clone()).to_string();
        json.pop();
        json
    }
}

/// Whether the ledger of a file may hold a record with a tag.
pub(super) fn are_in_ledger(connection: &Connection) -> Result<bool, StoreError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM op
         WHERE kind IN ('claim', 'node') AND instr(body, CAST('\"tags\":[\"' AS BLOB)) > 0)";
    Ok(connection.query_row(exists, [], |row| row.get(0))?)
}

/// Stores the tags of what an operation states.
pub(super) fn store(
    connection: &Connection,
    position: Position,
    body: Option<&Body>,
) -> Result<(), StoreError> {
    let tags: &[String] = match body {
        Some(Body::Claim(claim)) => &claim.tags,
        Some(Body::Node(node)) => node.tags.as_deref().unwrap_or_default(),
        _ => &[],
    };
    for tag in tags {
        connection
            .prepare_cached("INSERT OR IGNORE INTO record_tag (tag, pos) VALUES (?1, ?2)")?
            .execute(params![tag, sql(position)])?;
    }
    Ok(())
}

impl SqliteLedgerIndex<'_> {
    /// The rarest of some tags, or of those that begin with a prefix; none if many records have
    /// each, or the file is of a version without these and cannot be written.
    pub fn selective_tag(
        &self,
        tags: &[String],
        prefix: Option<&str>,
    ) -> Result<Option<TagRange>, StoreError> {
        if !self.tags_are_stored {
            return Ok(None);
        }
        let mut rarest: Option<(i64, TagRange)> = None;
        let ranges = tags.iter().map(|tag| TagRange::one(tag));
        for range in ranges.chain(prefix.and_then(TagRange::beginning_with)) {
            let number: i64 = self
                .connection
                .prepare_cached(
                    "SELECT count(*) FROM (SELECT 1 FROM record_tag WHERE tag >= ?1 AND tag < ?2 LIMIT ?3)",
                )?
                .query_row(params![range.from, range.below, TAGGED_MAX + 1], |row| row.get(0))?;
            if number <= rarest.as_ref().map_or(TAGGED_MAX, |(least, _)| *least) {
                rarest = Some((number, range));
            }
        }
        Ok(rarest.map(|(_, range)| range))
    }

    /// The claims and nodes with a tag in a range, in order of arrival; over a file of an earlier
    /// version that cannot be written, perhaps others too.
    pub fn tagged(&self, range: &TagRange) -> Result<Vec<OpId>, StoreError> {
        if !self.tags_are_stored {
            let mut statement = self.connection.prepare_cached(
                "SELECT id FROM op WHERE kind IN ('claim', 'node') AND instr(body, ?1) > 0 ORDER BY pos",
            )?;
            let ids = statement.query_map([range.in_body().as_bytes()], |row| id_at(row, 0))?;
            return Ok(ids.collect::<Result<_, _>>()?);
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM op WHERE pos IN (SELECT pos FROM record_tag WHERE tag >= ?1 AND tag < ?2) ORDER BY pos",
        )?;
        let ids = statement.query_map([&range.from, &range.below], |row| id_at(row, 0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }
}

impl SqliteWriting<'_> {
    /// The same among what is being written, too.
    pub fn tagged(&self, range: &TagRange) -> Result<Vec<OpId>, StoreError> {
        self.index.tagged(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(tag: &str, range: &TagRange) -> bool {
        (range.from.as_str()..range.below.as_str()).contains(&tag)
    }

    #[test]
    fn a_range_has_the_tags_that_it_names() {
        let one = TagRange::one("kiln");
        assert!(is_in("kiln", &one));
        assert!(["kil", "kiln ", "kilns", "kiln\u{1}", "Kiln"].iter().all(|tag| !is_in(tag, &one)));
        for prefix in ["mi:", "a", "ä", "\u{d7ff}", "a\u{10ffff}"] {
            let range = TagRange::beginning_with(prefix).unwrap();
            for rest in ["", "\0", "x", "\u{10ffff}", "\u{10ffff}x"] {
                assert!(is_in(&format!("{prefix}{rest}"), &range), "{prefix:?} {rest:?}");
            }
            assert!(["", "mi", "b", "mj", "\u{10ffff}"].iter().all(|tag| !is_in(tag, &range)));
        }
        assert_eq!(TagRange::beginning_with(""), None);
        assert_eq!(TagRange::beginning_with("\u{10ffff}\u{10ffff}"), None);
    }
}
