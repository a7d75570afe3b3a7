//! How thoughts were used: weights, accesses, who was shown them together with what, and the
//! sessions of those who asked.
//!
//! Use is not truth. It is written unsigned beside the space, is exchanged with nobody, and costs
//! nothing but itself if it is lost. Each table is bounded: the rows that were used longest ago are
//! deleted. What an access changes is decided above; a change reads the rows, passes them on, and
//! writes what comes back in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kernel::id::OpId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::StoreError;
use crate::sqlite::SqliteSpace;
use crate::sqlite::graph::id_at;

/// Most thoughts whose use is kept.
const THOUGHTS_MAX: i64 = 1 << 17;
/// Most sessions, and most agents, that are kept.
const NAMES_MAX: i64 = 1 << 16;
/// Once in so many new rows, a table that is too long is cut.
const CUT_EVERY: i64 = 512;
/// Most agents of a thought that are told apart.
pub const AGENTS_MAX: usize = 64;
/// Most thoughts that are kept as shown together with one.
pub const PARTNERS_MAX: usize = 50;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS thought_use (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, weight REAL NOT NULL, last INTEGER NOT NULL,
    accesses INTEGER NOT NULL, agent_count INTEGER NOT NULL, agents BLOB NOT NULL, partners BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS thought_use_last ON thought_use (last);
CREATE INDEX IF NOT EXISTS thought_use_numbers ON thought_use (id, weight, last, accesses, agent_count);
CREATE INDEX IF NOT EXISTS thought_use_traffic ON thought_use (accesses * agent_count)
    WHERE accesses >= 3 AND agent_count >= 2;
CREATE TABLE IF NOT EXISTS thought_session (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL, shown BLOB NOT NULL, offered TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS thought_session_last ON thought_session (last);
CREATE TABLE IF NOT EXISTS thought_agent (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS thought_agent_last ON thought_agent (last);
";

/// An agent, as a number that tells nearly all apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgentHash(pub u64);

impl AgentHash {
    /// Of an agent's id.
    pub fn of(agent: &str) -> Self {
        let hash = blake3::hash(agent.as_bytes());
        Self(hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }
}

/// The beginning of a thought's id, which tells nearly all apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThoughtPrefix(pub u64);

impl ThoughtPrefix {
    /// Of an id.
    pub fn of(id: &OpId) -> Self {
        Self(id.0.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes)))
    }

    /// The hexadecimal digits, as an id begins with them.
    pub fn digits(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The use of one thought as of its last access.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtUse {
    /// Its weight then.
    pub weight: f64,
    /// When, microseconds since the Unix epoch.
    pub last_us: i64,
    /// How often it was shown.
    pub accesses: u64,
    /// To whom, at most [`AGENTS_MAX`] told apart.
    pub agents: Vec<AgentHash>,
    /// With what, and how often, at most [`PARTNERS_MAX`].
    pub partners: Vec<(ThoughtPrefix, u32)>,
}

/// The numbers of a thought's use, without whom and what they count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThoughtTraffic {
    /// Its weight at the last access.
    pub weight: f64,
    /// When that was, microseconds since the Unix epoch.
    pub last_us: i64,
    /// How often it was shown.
    pub accesses: u64,
    /// To how many agents.
    pub agents: usize,
}

/// The columns of the index `thought_use_numbers`: a retrieval reads them of dozens of thoughts,
/// and the rows, with their agents and partners, fill a page of the file each.
const TRAFFIC: &str = "weight, last, accesses, agent_count";

fn traffic_at(row: &Row<'_>) -> rusqlite::Result<ThoughtTraffic> {
    Ok(ThoughtTraffic {
        weight: row.get(0)?,
        last_us: row.get(1)?,
        accesses: row.get::<_, i64>(2)?.unsigned_abs(),
        agents: usize::try_from(row.get::<_, i64>(3)?).unwrap_or(0).min(AGENTS_MAX),
    })
}

/// An earlier query of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThoughtSession {
    /// What was shown.
    pub shown: Vec<OpId>,
    /// The tags that were offered to choose from.
    pub offered: Vec<String>,
}

/// A query, for the log.
#[derive(Clone, Debug)]
pub struct ThoughtQueryLog<'a> {
    /// Who asked.
    pub agent: &'a str,
    /// In which session.
    pub session: &'a str,
    /// When, microseconds since the Unix epoch.
    pub at_us: i64,
    /// What to keep of it for the next query of the session; none keeps what is there.
    pub keep: Option<&'a ThoughtSession>,
}

fn use_at(row: &Row<'_>) -> rusqlite::Result<ThoughtUse> {
    let agents: Vec<u8> = row.get(3)?;
    let partners: Vec<u8> = row.get(4)?;
    let (agents, _) = agents.as_chunks::<8>();
    let (partners, _) = partners.as_chunks::<12>();
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |it| u64::from_be_bytes(*it));
    let count = |bytes: &[u8]| bytes.last_chunk().map_or(0, |it| u32::from_be_bytes(*it));
    Ok(ThoughtUse {
        weight: row.get(0)?,
        last_us: row.get(1)?,
        accesses: row.get::<_, i64>(2)?.unsigned_abs(),
        agents: agents.iter().map(|agent| AgentHash(number(agent))).collect(),
        partners: partners.iter().map(|it| (ThoughtPrefix(number(it)), count(it))).collect(),
    })
}

const COLUMNS: &str = "weight, last, accesses, agents, partners";

fn read(connection: &Connection, id: &OpId) -> Result<Option<ThoughtUse>, StoreError> {
    static QUERY: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| format!("SELECT {COLUMNS} FROM thought_use WHERE id = ?1"));
    Ok(connection.prepare_cached(&QUERY)?.query_row([id.0], use_at).optional()?)
}

fn write(connection: &Connection, id: &OpId, used: &ThoughtUse) -> Result<(), StoreError> {
    let ThoughtUse { weight, last_us, accesses, agents, partners } = used;
    let agents: Vec<u8> =
        agents.iter().take(AGENTS_MAX).flat_map(|agent| agent.0.to_be_bytes()).collect();
    let count = agents.len() / 8;
    let mut packed = Vec::with_capacity(12 * partners.len());
    for (partner, count) in partners.iter().take(PARTNERS_MAX) {
        packed.extend(partner.0.to_be_bytes());
        packed.extend(count.to_be_bytes());
    }
    let number: i64 = connection
        .prepare_cached(
            "INSERT INTO thought_use (id, weight, last, accesses, agent_count, agents, partners)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET weight = excluded.weight, last = excluded.last,
                 accesses = excluded.accesses, agent_count = excluded.agent_count,
                 agents = excluded.agents, partners = excluded.partners
             RETURNING number",
        )?
        .query_row(
            params![
                id.0,
                weight,
                last_us,
                i64::try_from(*accesses).unwrap_or(i64::MAX),
                count as i64,
                agents,
                packed
            ],
            |row| row.get(0),
        )?;
    cut(connection, "thought_use", number, THOUGHTS_MAX)
}

/// Deletes the rows that were used longest ago if a table is too long. `number` is that of the row
/// that was written, so the table is looked at once in many new rows.
fn cut(connection: &Connection, table: &str, number: i64, rows_max: i64) -> Result<(), StoreError> {
    if number % CUT_EVERY != 0 {
        return Ok(());
    }
    connection.prepare_cached(&format!(
        "DELETE FROM {table} WHERE number IN (SELECT number FROM {table} ORDER BY last DESC LIMIT -1 OFFSET ?1)"
    ))?
    .execute([rows_max])?;
    Ok(())
}

fn has_tables(connection: &Connection) -> Result<bool, StoreError> {
    // They are made together.
    super::has(connection, "table", "thought_agent")
}

/// Whether the journal has the index on the numbers. One of an earlier version gets it when use is
/// noted.
fn has_numbers(connection: &Connection) -> Result<bool, StoreError> {
    super::has(connection, "index", "thought_use_numbers")
}

/// What is read of the journal for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThoughtAsker {
    /// Whether the agent has asked before.
    pub is_known: bool,
    /// The session's last query, if the session is known.
    pub session: Option<ThoughtSession>,
}

/// Changes of use, in a transaction.
pub struct ThoughtUseWriting<'a>(&'a Connection);

impl ThoughtUseWriting<'_> {
    /// The use of a thought as of its last access.
    pub fn get(&self, id: &OpId) -> Result<Option<ThoughtUse>, StoreError> {
        read(self.0, id)
    }

    /// Stores the use of a thought.
    pub fn put(&self, id: &OpId, used: &ThoughtUse) -> Result<(), StoreError> {
        write(self.0, id, used)
    }

    /// Logs a query: its agent and its session are known from now on.
    pub fn log(&self, query: &ThoughtQueryLog<'_>) -> Result<(), StoreError> {
        let number: i64 = self
            .0
            .prepare_cached(
                "INSERT INTO thought_agent (name, last) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET last = excluded.last RETURNING number",
            )?
            .query_row(params![query.agent, query.at_us], |row| row.get(0))?;
        cut(self.0, "thought_agent", number, NAMES_MAX)?;
        let shown =
            query.keep.map(|session| session.shown.iter().flat_map(|id| id.0).collect::<Vec<u8>>());
        let offered =
            query.keep.map(|session| serde_json::to_string(&session.offered).unwrap_or_default());
        let number: i64 = self
            .0
            .prepare_cached(
                "INSERT INTO thought_session (name, last, shown, offered)
                 VALUES (?1, ?2, coalesce(?3, x''), coalesce(?4, '[]'))
                 ON CONFLICT (name) DO UPDATE SET last = excluded.last,
                     shown = coalesce(?3, shown), offered = coalesce(?4, offered) RETURNING number",
            )?
            .query_row(params![query.session, query.at_us, shown, offered], |row| row.get(0))?;
        cut(self.0, "thought_session", number, NAMES_MAX)
    }
}

impl SqliteSpace {
    /// The use of some thoughts as of their last access, of those that were used.
    pub fn thought_use(&self, ids: &[OpId]) -> Result<BTreeMap<OpId, ThoughtUse>, StoreError> {
        let found = self.journal.read(|connection| {
            let mut found = BTreeMap::new();
            if has_tables(connection)? {
                for id in ids {
                    if let Some(used) = read(connection, id)? {
                        found.insert(*id, used);
                    }
                }
            }
            Ok(found)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The numbers of the use of some thoughts, of those that were used.
    pub fn thought_traffic(
        &self,
        ids: &[OpId],
    ) -> Result<BTreeMap<OpId, ThoughtTraffic>, StoreError> {
        let found = self.journal.read(|connection| {
            let mut found = BTreeMap::new();
            // One transaction: each would take and release the locks of the file otherwise.
            let reading = connection.unchecked_transaction()?;
            if has_tables(&reading)? {
                // SQLite would take the unique index, and then each row.
                let by = if has_numbers(&reading)? { "INDEXED BY thought_use_numbers" } else { "" };
                let query = format!("SELECT {TRAFFIC} FROM thought_use {by} WHERE id = ?1");
                let mut statement = reading.prepare_cached(&query)?;
                for id in ids {
                    let used = statement.query_row([id.0], traffic_at).optional()?;
                    found.extend(used.map(|used| (*id, used)));
                }
            }
            Ok(found)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The thoughts with the most traffic (accesses × agents) among those that were shown at least
    /// three times to at least two agents, the most first.
    pub fn busiest_thoughts(
        &self,
        limit: usize,
    ) -> Result<Vec<(OpId, ThoughtTraffic)>, StoreError> {
        let found = self.journal.read(|connection| {
            if !has_tables(connection)? {
                return Ok(Vec::new());
            }
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {TRAFFIC}, id FROM thought_use WHERE accesses >= 3 AND agent_count >= 2
                 ORDER BY accesses * agent_count DESC, id LIMIT ?1"
            ))?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows =
                statement.query_map([limit], |row| Ok((id_at(row, 4)?, traffic_at(row)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Whether an agent has asked before, and the last query of a session.
    pub fn thought_asker(
        &self,
        agent: &str,
        session: Option<&str>,
    ) -> Result<ThoughtAsker, StoreError> {
        let found = self.journal.read(|connection| {
            if !has_tables(connection)? {
                return Ok(ThoughtAsker::default());
            }
            let is_known = connection
                .prepare_cached("SELECT 1 FROM thought_agent WHERE name = ?1")?
                .exists([agent])?;
            let mut statement = connection
                .prepare_cached("SELECT shown, offered FROM thought_session WHERE name = ?1")?;
            let row = |row: &Row<'_>| {
                let shown: Vec<u8> = row.get(0)?;
                let offered: String = row.get(1)?;
                Ok(ThoughtSession {
                    shown: shown.as_chunks::<32>().0.iter().map(|id| OpId(*id)).collect(),
                    offered: serde_json::from_str(&offered).unwrap_or_default(),
                })
            };
            let session = match session {
                Some(session) => statement.query_row([session], row).optional()?,
                None => None,
            };
            Ok(ThoughtAsker { is_known, session })
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Changes the use of thoughts in one transaction. Waits at most `wait` for others that write
    /// to the journal.
    pub fn change_thought_use<T>(
        &self,
        wait: Duration,
        work: impl FnOnce(&ThoughtUseWriting<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.journal.change(wait, |connection| {
            if !has_numbers(connection)? {
                connection.execute_batch(SCHEMA)?;
            }
            work(&ThoughtUseWriting(connection))
        })
    }
}

/// Deletes what is kept of some thoughts, because they were forgotten.
pub(super) fn erase(connection: &Connection, thoughts: &BTreeSet<OpId>) -> Result<(), StoreError> {
    if !has_tables(connection)? {
        return Ok(());
    }
    for id in thoughts {
        connection.prepare_cached("DELETE FROM thought_use WHERE id = ?1")?.execute([id.0])?;
    }
    Ok(())
}

/// Bytes that the tables are taken to have, which do not count towards the limit of receipts.
pub(super) fn bytes(connection: &Connection) -> Result<u64, StoreError> {
    /// Bytes of a row with its indexes, on average.
    const ROW_BYTES: i64 = 512;
    if !has_tables(connection)? {
        return Ok(0);
    }
    let mut rows = 0i64;
    for table in ["thought_use", "thought_session", "thought_agent"] {
        let last: Option<i64> = connection
            .prepare_cached(&format!("SELECT max(number) FROM {table}"))?
            .query_row([], |row| row.get(0))?;
        rows = rows.saturating_add(last.unwrap_or(0).min(THOUGHTS_MAX));
    }
    Ok(rows.saturating_mul(ROW_BYTES).unsigned_abs())
}
