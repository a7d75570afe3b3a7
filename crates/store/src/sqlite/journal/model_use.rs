//! What language models used: requests, tokens and cost, added up for each model.
//!
//! The table is made when the first use is added, so a journal of an earlier version gets it then,
//! and an earlier version of the program ignores it. It has one row for each model and does not
//! count towards the limits of the journal.

use std::time::Duration;

use models::language::{Cost, Usage};
use retrieval::text::cut;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::StoreError;
use crate::sqlite::SqliteSpace;

/// Most models that are counted; beyond them, the one that was used longest ago is forgotten.
const MODELS_MAX: usize = 256;
/// Longest name of a model, in bytes.
const NAME_BYTES_MAX: usize = 512;
/// The table.
const TABLE: &str = "model_use";
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS model_use (
    model TEXT PRIMARY KEY, requests INTEGER NOT NULL, unreported INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
    priced INTEGER NOT NULL, cost_nanos INTEGER NOT NULL,
    first_ts INTEGER NOT NULL, last_ts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What a language model used, in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUse {
    /// The model, with its provider.
    pub model: String,
    /// Requests and tokens.
    pub usage: Usage,
    /// How many of the requests have a known price.
    pub priced: u64,
    /// What those cost.
    pub cost: Cost,
    /// The first use, microseconds since the Unix epoch.
    pub first_us: i64,
    /// The last use.
    pub last_us: i64,
}

impl ModelUse {
    /// One use, at one time. `cost` is `None` if the price is not known.
    pub fn new(model: &str, usage: Usage, cost: Option<Cost>, at_us: i64) -> Self {
        let name = cut(model, NAME_BYTES_MAX);
        Self {
            model: name.to_owned(),
            usage,
            priced: if cost.is_some() { usage.requests } else { 0 },
            cost: cost.unwrap_or_default(),
            first_us: at_us,
            last_us: at_us,
        }
    }

    fn add(&mut self, other: &Self) {
        self.usage.add(other.usage);
        self.priced = self.priced.saturating_add(other.priced);
        self.cost.nanos = self.cost.nanos.saturating_add(other.cost.nanos);
        self.first_us = self.first_us.min(other.first_us);
        self.last_us = self.last_us.max(other.last_us);
    }
}

/// A number as it is stored. SQLite has no larger integers.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

const COLUMNS: &str = "model, requests, unreported, input_tokens, output_tokens, priced, \
                       cost_nanos, first_ts, last_ts";

fn model_use_at(row: &Row<'_>) -> rusqlite::Result<ModelUse> {
    let number = |column: usize| row.get::<_, i64>(column).map(|number| number.max(0) as u64);
    Ok(ModelUse {
        model: row.get(0)?,
        usage: Usage {
            requests: number(1)?,
            unreported: number(2)?,
            input_tokens: number(3)?,
            output_tokens: number(4)?,
        },
        priced: number(5)?,
        cost: Cost { nanos: number(6)? },
        first_us: row.get(7)?,
        last_us: row.get(8)?,
    })
}

fn add(connection: &Connection, used: &ModelUse) -> Result<(), StoreError> {
    connection.execute_batch(SCHEMA)?;
    let known = connection
        .query_row(
            &format!("SELECT {COLUMNS} FROM model_use WHERE model = ?1"),
            [&used.model],
            model_use_at,
        )
        .optional()?;
    let total = known.map_or_else(
        || used.clone(),
        |mut known| {
            known.add(used);
            known
        },
    );
    let Usage { requests, unreported, input_tokens, output_tokens } = total.usage;
    connection.execute(
        &format!("INSERT OR REPLACE INTO model_use ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
        params![
            total.model,
            stored(requests),
            stored(unreported),
            stored(input_tokens),
            stored(output_tokens),
            stored(total.priced),
            stored(total.cost.nanos),
            total.first_us,
            total.last_us
        ],
    )?;
    connection.execute(
        "DELETE FROM model_use WHERE model <> ?1 AND model IN (
             SELECT model FROM model_use ORDER BY last_ts DESC, model LIMIT -1 OFFSET ?2)",
        params![used.model, MODELS_MAX as i64],
    )?;
    Ok(())
}

impl SqliteSpace {
    /// Adds what a language model used to the journal's totals. Waits at most `wait` for others
    /// that write to the journal.
    pub fn add_model_use(&self, used: &ModelUse, wait: Duration) -> Result<(), StoreError> {
        self.journal.change(wait, |connection| add(connection, used))
    }

    /// What each language model used, by name.
    pub fn model_use(&self) -> Result<Vec<ModelUse>, StoreError> {
        let read = self.journal.read(|connection| {
            if !super::has_rows(connection, TABLE)? {
                return Ok(Vec::new());
            }
            let mut statement =
                connection.prepare(&format!("SELECT {COLUMNS} FROM model_use ORDER BY model"))?;
            let rows = statement.query_map([], model_use_at)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        Ok(read.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const SPACE: &[u8] = include_bytes!("../../../tests/fixtures/version-4-receipts.space");

    fn space() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        std::fs::write(&path, SPACE).unwrap();
        (folder, path)
    }

    fn usage(tokens: u64) -> Usage {
        Usage { requests: 1, unreported: 0, input_tokens: tokens, output_tokens: tokens / 2 }
    }

    #[test]
    fn use_is_added_up_for_each_model_across_handles() {
        let (_folder, path) = space();
        let space = SqliteSpace::open(&path).unwrap();
        assert_eq!(space.model_use().unwrap(), [], "a journal that has no table yet");
        let add = |space: &SqliteSpace, model: &str, cost, at_us| {
            let used = ModelUse::new(model, usage(100), cost, at_us);
            space.add_model_use(&used, Duration::ZERO).unwrap();
        };
        add(&space, "openai:b", Some(Cost { nanos: 7 }), 20);
        add(&space, "openai:a", None, 10);
        drop(space);
        let space = SqliteSpace::open(&path).unwrap();
        add(&space, "openai:b", Some(Cost { nanos: 5 }), 15);
        add(&space, "openai:b", None, 30);
        let [a, b] = space.model_use().unwrap().try_into().unwrap();
        assert_eq!((a.model.as_str(), a.usage, a.priced), ("openai:a", usage(100), 0));
        let total = Usage { requests: 3, unreported: 0, input_tokens: 300, output_tokens: 150 };
        assert_eq!((b.usage, b.priced, b.cost), (total, 2, Cost { nanos: 12 }));
        assert_eq!((b.first_us, b.last_us), (15, 30));
        assert_eq!(space.count_receipts().unwrap(), 3, "the receipts are untouched");
    }

    #[test]
    fn sums_saturate_and_models_are_bounded() {
        let (_folder, path) = space();
        let space = SqliteSpace::open(&path).unwrap();
        for _ in 0..2 {
            let cost = Some(Cost { nanos: u64::MAX });
            let used = ModelUse::new(&"é".repeat(1000), usage(u64::MAX), cost, i64::MIN);
            space.add_model_use(&used, Duration::ZERO).unwrap();
        }
        let [used] = space.model_use().unwrap().try_into().unwrap();
        assert_eq!((used.usage.input_tokens, used.cost.nanos), (i64::MAX as u64, i64::MAX as u64));
        assert_eq!(used.model.len(), NAME_BYTES_MAX);
        for number in 0..MODELS_MAX + 3 {
            let used = ModelUse::new(&format!("m{number}"), usage(1), None, number as i64);
            space.add_model_use(&used, Duration::ZERO).unwrap();
        }
        let kept: Vec<String> =
            space.model_use().unwrap().into_iter().map(|used| used.model).collect();
        assert_eq!(kept.len(), MODELS_MAX);
        assert!(!kept.contains(&"m2".to_owned()) && kept.contains(&"m3".to_owned()), "{kept:?}");
    }
}
