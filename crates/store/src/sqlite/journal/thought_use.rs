//! How thoughts were used: weights, accesses, who was shown them together with what, and the
//! sessions of those who asked.
//!
//! Use is not truth. It is written unsigned beside the space, is exchanged with nobody, and costs
//! nothing but itself if it is lost. Each table is bounded: the rows that were used longest ago are
//! deleted. What an access changes is decided above; `gathered_use` holds what is not written yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use kernel::id::OpId;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use crate::StoreError;
use crate::sqlite::SqliteSpace;
use crate::sqlite::graph::id_at;
use crate::sqlite::journal::shared::Open;

pub use super::gathered_use::UseChange;

/// Most thoughts whose use is kept.
const THOUGHTS_MAX: i64 = 1 << 17;
/// Most sessions, and most agents, that are kept.
const NAMES_MAX: i64 = 1 << 16;
/// Once in so many new rows, a table is looked at, and cut if it is too long.
const COUNT_EVERY: i64 = 512;
/// One in so many rows is deleted beyond those that are too many, so that it is seldom done.
const CUT_SHARE: i64 = 16;
/// Most agents of a thought that are told apart.
pub const AGENTS_MAX: usize = 256;
/// Most thoughts that are kept as shown together with one.
pub const PARTNERS_MAX: usize = 50;
/// How long the list of the busiest waits for others that write.
const BUSIEST_WAIT: Duration = Duration::from_millis(200);

/// Rows have the number of their thought or name ([`number_of_thought`]), so that each is in one
/// place of one tree: a retrieval changes a dozen of them, and each place is a page to write. The
/// numbers of a thought's use are apart from its agents and partners, because a retrieval reads the
/// numbers of dozens of thoughts.
const SCHEMA: &str = "
CREATE TABLE thought_traffic (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL, weight REAL NOT NULL, last INTEGER NOT NULL,
    accesses INTEGER NOT NULL, agent_count INTEGER NOT NULL
) STRICT;
CREATE TABLE thought_company (
    number INTEGER PRIMARY KEY, agents BLOB NOT NULL, partners BLOB NOT NULL
) STRICT;
CREATE TABLE asking_session (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, last INTEGER NOT NULL, shown BLOB NOT NULL,
    offered TEXT NOT NULL
) STRICT;
CREATE TABLE asking_agent (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, last INTEGER NOT NULL
) STRICT;
CREATE TABLE thought_use_rows (
    of_table TEXT PRIMARY KEY, count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// An agent, as a number that tells nearly all apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgentHash(pub u64);

impl AgentHash {
    /// Of an agent's id.
    pub fn of(agent: &str) -> Self {
        Self(hash_of(agent))
    }
}

fn hash_of(name: &str) -> u64 {
    let hash = blake3::hash(name.as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The beginning of a thought's id, which tells nearly all apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThoughtPrefix(pub u64);

impl ThoughtUse {
    /// Its numbers.
    pub fn traffic(&self) -> ThoughtTraffic {
        ThoughtTraffic {
            weight: self.weight,
            last_us: self.last_us,
            accesses: self.accesses,
            agents: self.agents.len().min(AGENTS_MAX),
        }
    }
}

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

/// The use of one thought as of its last change.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtUse {
    /// Its weight at `last_us`.
    pub weight: f64,
    /// The last access, or a whole number of hours after it, microseconds since the Unix epoch.
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
    /// Its weight at `last_us`.
    pub weight: f64,
    /// The last access, or a whole number of hours after it, microseconds since the Unix epoch.
    pub last_us: i64,
    /// How often it was shown.
    pub accesses: u64,
    /// To how many agents.
    pub agents: usize,
}

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

/// The number of a thought's rows. Of two with one number, which nobody meets by chance, the one
/// that was used last is kept.
fn number_of_thought(id: &OpId) -> i64 {
    ThoughtPrefix::of(id).0.cast_signed()
}

/// The number of a row with a name; the same holds.
fn number_of_name(name: &str) -> i64 {
    hash_of(name).cast_signed()
}

pub(super) fn read_traffic(
    connection: &Connection,
    id: &OpId,
) -> Result<Option<ThoughtTraffic>, StoreError> {
    static QUERY: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {TRAFFIC} FROM thought_traffic WHERE number = ?1 AND id = ?2")
    });
    let mut statement = connection.prepare_cached(&QUERY)?;
    Ok(statement.query_row(params![number_of_thought(id), id.0], traffic_at).optional()?)
}

pub(super) fn read(connection: &Connection, id: &OpId) -> Result<Option<ThoughtUse>, StoreError> {
    let Some(traffic) = read_traffic(connection, id)? else { return Ok(None) };
    let company = connection
        .prepare_cached("SELECT agents, partners FROM thought_company WHERE number = ?1")?
        .query_row([number_of_thought(id)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (agents, partners): (Vec<u8>, Vec<u8>) = company.unwrap_or_default();
    Ok(Some(unpacked(traffic, &agents, &partners)))
}

fn unpacked(traffic: ThoughtTraffic, agents: &[u8], partners: &[u8]) -> ThoughtUse {
    let (agents, _) = agents.as_chunks::<8>();
    let (partners, _) = partners.as_chunks::<12>();
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |it| u64::from_be_bytes(*it));
    let count = |bytes: &[u8]| bytes.last_chunk().map_or(0, |it| u32::from_be_bytes(*it));
    ThoughtUse {
        weight: traffic.weight,
        last_us: traffic.last_us,
        accesses: traffic.accesses,
        agents: agents.iter().map(|agent| AgentHash(number(agent))).collect(),
        partners: partners.iter().map(|it| (ThoughtPrefix(number(it)), count(it))).collect(),
    }
}

/// Stores the use of a thought. Returns whether the table was too long, and lost rows.
pub(super) fn write(
    connection: &Connection,
    id: &OpId,
    used: &ThoughtUse,
) -> Result<bool, StoreError> {
    let ThoughtUse { weight, last_us, accesses, agents, partners } = used;
    let agents: Vec<u8> =
        agents.iter().take(AGENTS_MAX).flat_map(|agent| agent.0.to_be_bytes()).collect();
    let count = (agents.len() / 8) as i64;
    let mut packed = Vec::with_capacity(12 * partners.len().min(PARTNERS_MAX));
    for (partner, count) in partners.iter().take(PARTNERS_MAX) {
        packed.extend(partner.0.to_be_bytes());
        packed.extend(count.to_be_bytes());
    }
    let number = number_of_thought(id);
    let accesses = i64::try_from(*accesses).unwrap_or(i64::MAX);
    let is_new = put(
        connection,
        "UPDATE thought_traffic SET id = ?2, weight = ?3, last = ?4, accesses = ?5, agent_count = ?6
         WHERE number = ?1",
        "INSERT INTO thought_traffic (number, id, weight, last, accesses, agent_count)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![number, id.0, weight, last_us, accesses, count],
    )?;
    put(
        connection,
        "UPDATE thought_company SET agents = ?2, partners = ?3 WHERE number = ?1",
        "INSERT INTO thought_company (number, agents, partners) VALUES (?1, ?2, ?3)",
        params![number, agents, packed],
    )?;
    if is_new && is_counted(number) && cut(connection, "thought_traffic", THOUGHTS_MAX)? {
        connection.execute_batch(
            "DELETE FROM thought_company WHERE number NOT IN (SELECT number FROM thought_traffic)",
        )?;
        return Ok(true);
    }
    Ok(false)
}

/// Changes a row, or adds it. Returns whether it is new.
fn put(
    connection: &Connection,
    update: &str,
    insert: &str,
    values: &[&dyn ToSql],
) -> Result<bool, StoreError> {
    if connection.prepare_cached(update)?.execute(values)? > 0 {
        return Ok(false);
    }
    connection.prepare_cached(insert)?.execute(values)?;
    Ok(true)
}

/// Whether its table is counted when a row with this number is added: once in [`COUNT_EVERY`],
/// because the numbers are as good as random.
fn is_counted(number: i64) -> bool {
    number % COUNT_EVERY == 0
}

/// Deletes the rows of a table that were used longest ago if it is too long. Returns whether it
/// was. Its rows are counted at first and when they may be too many; in between, each call stands
/// for [`COUNT_EVERY`] new ones.
fn cut(connection: &Connection, table: &str, rows_max: i64) -> Result<bool, StoreError> {
    let counted: Option<i64> = connection
        .prepare_cached("SELECT count FROM thought_use_rows WHERE of_table = ?1")?
        .query_row([table], |row| row.get(0))
        .optional()?;
    let about = counted.map(|rows| rows.saturating_add(COUNT_EVERY));
    let mut rows: i64 = match about.filter(|rows| *rows <= rows_max) {
        Some(rows) => rows,
        None => {
            connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?
        }
    };
    let is_too_long = rows > rows_max;
    if is_too_long {
        let deleted = connection.execute(
            &format!(
                "DELETE FROM {table} WHERE number IN (SELECT number FROM {table} ORDER BY last LIMIT ?1)"
            ),
            [rows - rows_max + rows_max / CUT_SHARE],
        )?;
        rows -= deleted as i64;
    }
    connection.execute(
        "INSERT OR REPLACE INTO thought_use_rows (of_table, count) VALUES (?1, ?2)",
        params![table, rows],
    )?;
    Ok(is_too_long)
}

pub(super) fn has_tables(connection: &Connection) -> Result<bool, StoreError> {
    // They are made together.
    super::has(connection, "table", "asking_agent")
}

/// Makes the tables, with what those of an earlier version hold.
pub(super) fn make_tables(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(SCHEMA)?;
    if !super::has(connection, "table", "thought_agent")? {
        return Ok(());
    }
    let mut earlier =
        connection.prepare(&format!("SELECT {TRAFFIC}, id, agents, partners FROM thought_use"))?;
    let mut rows = earlier.query([])?;
    while let Some(row) = rows.next()? {
        let (agents, partners): (Vec<u8>, Vec<u8>) = (row.get(5)?, row.get(6)?);
        write(connection, &id_at(row, 4)?, &unpacked(traffic_at(row)?, &agents, &partners))?;
    }
    let mut earlier =
        connection.prepare("SELECT name, last, shown, offered FROM thought_session")?;
    let mut rows = earlier.query([])?;
    while let Some(row) = rows.next()? {
        let (name, shown, offered): (String, _, _) = (row.get(0)?, row.get(2)?, row.get(3)?);
        write_session(connection, &name, row.get(1)?, Some(&session_of(shown, offered)))?;
    }
    let mut earlier = connection.prepare("SELECT name, last FROM thought_agent")?;
    let mut rows = earlier.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        write_agent(connection, &name, row.get(1)?)?;
    }
    Ok(())
}

/// Deletes the tables of an earlier version, and an index that would change with every access.
pub(super) fn drop_earlier(connection: &Connection) -> Result<(), StoreError> {
    Ok(connection.execute_batch(
        "DROP TABLE IF EXISTS thought_use; DROP TABLE IF EXISTS thought_session;
         DROP TABLE IF EXISTS thought_agent; DROP INDEX IF EXISTS thought_traffic_busiest;",
    )?)
}

pub(super) fn write_agent(
    connection: &Connection,
    name: &str,
    at_us: i64,
) -> Result<(), StoreError> {
    let number = number_of_name(name);
    let is_new = put(
        connection,
        "UPDATE asking_agent SET name = ?2, last = ?3 WHERE number = ?1",
        "INSERT INTO asking_agent (number, name, last) VALUES (?1, ?2, ?3)",
        params![number, name, at_us],
    )?;
    if is_new && is_counted(number) {
        cut(connection, "asking_agent", NAMES_MAX)?;
    }
    Ok(())
}

/// What is not given stays as it is.
pub(super) fn write_session(
    connection: &Connection,
    name: &str,
    at_us: i64,
    keep: Option<&ThoughtSession>,
) -> Result<(), StoreError> {
    let number = number_of_name(name);
    let shown = keep.map(|session| session.shown.iter().flat_map(|id| id.0).collect::<Vec<u8>>());
    let offered = keep.map(|session| serde_json::to_string(&session.offered).unwrap_or_default());
    let is_new = put(
        connection,
        "UPDATE asking_session SET last = ?3, shown = coalesce(?4, shown),
             offered = coalesce(?5, offered)
         WHERE number = ?1 AND name = ?2",
        "INSERT OR REPLACE INTO asking_session (number, name, last, shown, offered)
         VALUES (?1, ?2, ?3, coalesce(?4, x''), coalesce(?5, '[]'))",
        params![number, name, at_us, shown, offered],
    )?;
    if is_new && is_counted(number) {
        cut(connection, "asking_session", NAMES_MAX)?;
    }
    Ok(())
}

/// What is read of the journal for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThoughtAsker {
    /// Whether the agent has asked before.
    pub is_known: bool,
    /// The session's last query, if the session is known.
    pub session: Option<ThoughtSession>,
}

/// When an agent was noted last; none if it never asked.
pub(super) fn read_agent(connection: &Connection, name: &str) -> Result<Option<i64>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT last FROM asking_agent WHERE number = ?1 AND name = ?2")?
        .query_row(params![number_of_name(name), name], |row| row.get(0))
        .optional()?)
}

fn session_of(shown: Vec<u8>, offered: String) -> ThoughtSession {
    ThoughtSession {
        shown: shown.as_chunks::<32>().0.iter().map(|id| OpId(*id)).collect(),
        offered: serde_json::from_str(&offered).unwrap_or_default(),
    }
}

/// The last query of a session; none if it is not known.
pub(super) fn read_session(
    connection: &Connection,
    name: &str,
) -> Result<Option<ThoughtSession>, StoreError> {
    let row = |row: &Row<'_>| Ok(session_of(row.get(0)?, row.get(1)?));
    Ok(connection
        .prepare_cached(
            "SELECT shown, offered FROM asking_session WHERE number = ?1 AND name = ?2",
        )?
        .query_row(params![number_of_name(name), name], row)
        .optional()?)
}

impl SqliteSpace {
    /// The use of some thoughts as of their last access, of those that were used.
    pub fn thought_use(&self, ids: &[OpId]) -> Result<BTreeMap<OpId, ThoughtUse>, StoreError> {
        let found = self.journal.with_open(|open| open.thoughts.used(&open.connection, ids))?;
        Ok(found.unwrap_or_default())
    }

    /// The numbers of the use of some thoughts, of those that were used.
    pub fn thought_traffic(
        &self,
        ids: &[OpId],
    ) -> Result<BTreeMap<OpId, ThoughtTraffic>, StoreError> {
        let found = self.journal.with_open(|open| open.thoughts.traffic(&open.connection, ids))?;
        Ok(found.unwrap_or_default())
    }

    /// The thoughts with the most traffic (accesses × agents) among those that were shown at least
    /// three times to at least two agents, the most first.
    pub fn busiest_thoughts(
        &self,
        limit: usize,
    ) -> Result<Vec<(OpId, ThoughtTraffic)>, StoreError> {
        // What another process keeps from being written is counted the next time.
        let _ = self.journal.write_thought_use(BUSIEST_WAIT);
        let found = self.journal.read(|connection| {
            if !has_tables(connection)? {
                return Ok(Vec::new());
            }
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {TRAFFIC}, id FROM thought_traffic WHERE accesses >= 3 AND agent_count >= 2
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
        let ask = |open: &mut Open| open.thoughts.asker(&open.connection, agent, session);
        Ok(self.journal.with_open(ask)?.unwrap_or_default())
    }

    /// Notes a query, and changes the use of thoughts, in this order. Returns the numbers after the
    /// last change. Waits at most `wait` for others that write to the journal. A handle that
    /// gathers ([`JournalWriting::Gathered`](super::JournalWriting::Gathered)) does not wait for
    /// the file.
    pub fn change_thought_use(
        &self,
        wait: Duration,
        query: Option<&ThoughtQueryLog<'_>>,
        changes: Vec<(OpId, UseChange)>,
    ) -> Result<Option<ThoughtTraffic>, StoreError> {
        self.journal.take_thought_use(wait, query, changes)
    }
}

/// Deletes what is kept of some thoughts, because they were forgotten, and all sessions: these were
/// offered tags, which may be those of the thoughts.
pub(super) fn erase(connection: &Connection, thoughts: &BTreeSet<OpId>) -> Result<(), StoreError> {
    if super::has(connection, "table", "thought_use")? {
        for id in thoughts {
            connection.execute("DELETE FROM thought_use WHERE id = ?1", [id.0])?;
        }
    }
    if !has_tables(connection)? {
        return Ok(());
    }
    for number in thoughts.iter().map(number_of_thought) {
        for table in ["thought_traffic", "thought_company"] {
            let delete = format!("DELETE FROM {table} WHERE number = ?1");
            connection.prepare_cached(&delete)?.execute([number])?;
        }
    }
    if !thoughts.is_empty() {
        connection.execute("DELETE FROM asking_session", [])?;
    }
    Ok(())
}

/// Bytes that the tables are taken to have, which do not count towards the limit of receipts.
pub(super) fn bytes(connection: &Connection) -> Result<u64, StoreError> {
    /// Bytes of a thought, or of a session with its agent, on average.
    const ROW_BYTES: i64 = 512;
    if !has_tables(connection)? {
        return Ok(0);
    }
    let rows: i64 = connection
        .prepare_cached("SELECT coalesce(sum(count), 0) FROM thought_use_rows")?
        .query_row([], |row| row.get(0))?;
    Ok(rows.saturating_mul(ROW_BYTES).unsigned_abs())
}
