//! One space in one SQLite file.
//!
//! Write-ahead logging lets any number of processes read while one writes; writers queue for at
//! most [`BUSY_WAIT_MS`]. The ledger's tables are written with `synchronous=FULL`: everything that
//! [`Writing::commit`](crate::Writing::commit) confirmed is on the disk. Lagging views are written
//! with `synchronous=NORMAL`: after a power cut their positions may be a few operations behind,
//! which are folded again.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::StoreError;
use registry::Registry;
use stale_logs::refuse_stale_logs;

mod access;
mod arrivals;
mod belief_list;
mod beliefs;
mod complete;
mod declarations;
mod derive;
mod echo;
mod embedding;
mod embedding_facts;
mod embedding_thoughts;
mod erasure;
mod evidence_slots;
mod graph;
mod index;
mod journal;
mod ledger;
mod listings;
mod operation_memory;
mod page_cache;
mod private_copy;
mod read_transaction;
mod receipts;
mod records;
mod refs;
mod registry;
mod remembered;
mod restored;
mod scratch;
mod shared;
mod signatures;
mod stale_logs;
mod tags;
mod thinking;
mod views;
mod without_trace;

pub use belief_list::{BeliefFilter, BeliefPage, BeliefRow};
pub use declarations::{Outline, WithoutBody};
pub use derive::{EvidenceBody, GroupNumber, Marked, OperationRow, Served};
pub use echo::Injected;
pub use embedding::{
    DIMENSIONS_MAX, Embedding, EmbeddingBatch, EmbeddingCount, EmbeddingModel, ModelNumber,
    QuestionVector, UnopenedModel,
};
pub use embedding_facts::{BatchSize, FOUND_CONFIDENCE_MIN, FactBatch};
pub use embedding_thoughts::ThoughtBatch;
pub use erasure::DeviceHashes;
pub use graph::SqliteLedgerIndex;
pub use index::thoughts::{ThoughtFound, ThoughtReader, ThoughtSearch, ThoughtsSought};
pub use index::{
    CandidateFilter, ChainLink, Filter, Finder, Found, NamedRecords, Search, StandsFor,
    StoredEvidence, TermShare, VALUES_RAW, first_after, node_key, searched_parts,
};
pub use journal::{
    AGENTS_MAX, AgentHash, JournalLimits, JournalWriting, ModelUse, PARTNERS_MAX, PrivateUse,
    ThoughtAsker, ThoughtPrefix, ThoughtQueryLog, ThoughtSession, ThoughtTraffic, ThoughtUse,
    UseChange,
};
pub use ledger::{Inspection, SqliteSpace, SqliteWriting};
pub use listings::{Content, SignedState};
pub use read_transaction::ReadTransaction;
pub use receipts::{KeptReceipt, NewReceipt, ReceiptFilter, ReceiptItem, ShownRecord};
pub use scratch::{ScratchGraph, ScratchIndex};
pub use shared::WillFold;
pub use signatures::Signatures;
pub use tags::TagRange;
pub use views::{Size, ViewDigest};
pub use without_trace::{FileStamp, Reopening};

/// How long a writer waits for another, milliseconds.
pub const BUSY_WAIT_MS: u64 = 60_000;
/// `because` in the file's header (`PRAGMA application_id`): "becs".
const APPLICATION_ID: i64 = 0x6265_6373;
/// Pages in the write-ahead log before it is copied into the file.
const CHECKPOINT_PAGES: i64 = 8_000;
/// Statements that a connection keeps prepared: more than a fold, a derivation and a search use by
/// turns.
const STATEMENTS_KEPT: usize = 128;

/// How a file was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To read and write.
    ReadWrite,
    /// To read, because writing is not permitted.
    ReadOnly,
}

/// Opens an existing file, read-only if writing is not permitted.
fn open(path: &Path, registry: &Registry) -> Result<(Connection, Mode), StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing { path: path.to_owned() });
    }
    stale_logs::refuse_foreign_log(path)?;
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    if let Ok(connection) =
        Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)
    {
        match prepare(&connection, path, registry) {
            Ok(()) if !connection.is_readonly(rusqlite::MAIN_DB)? => {
                return Ok((connection, Mode::ReadWrite));
            }
            Ok(()) => return Ok((connection, Mode::ReadOnly)),
            Err(StoreError::ReadOnly | StoreError::Sqlite(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let read_only = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    match prepare(&read_only, path, registry) {
        Ok(()) => return Ok((read_only, Mode::ReadOnly)),
        Err(StoreError::ReadOnly | StoreError::Sqlite(_)) => {}
        Err(error) => return Err(error),
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
        return Err(StoreError::LogUnreadable { log: log.into() });
    }
    // Neither the log nor its index can be created here. So nobody writes, and the file can be read
    // as it is.
    let connection = open_as_it_is(path)?;
    prepare(&connection, path, registry)?;
    Ok((connection, Mode::ReadOnly))
}

/// The URI parameter for a file that nobody changes, so that SQLite does not look for its log.
const IMMUTABLE: &str = "immutable=1";

/// Opens a file to read it as it is, without its log. Nothing is written beside it.
fn open_as_it_is(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_READ_ONLY;
    Connection::open_with_flags(format!("file:{}?{IMMUTABLE}", uri_path(path)), flags)
}

/// Lets only its owner read and write a file. SQLite gives its logs the same permissions.
fn only_for_owner(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
    #[cfg(not(unix))]
    {
        let mut permissions = std::fs::metadata(path)?.permissions();
        permissions.set_readonly(false);
        std::fs::set_permissions(path, permissions)
    }
}

/// The bytes that a URI would read otherwise are escaped, as those that are not ASCII (RFC 3986).
fn uri_path(path: &Path) -> String {
    let absolute: PathBuf = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut escaped = String::new();
    for byte in absolute.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/\\:-._~".contains(byte) {
            escaped.push(char::from(*byte));
        } else {
            escaped.push_str(&format!("%{byte:02x}"));
        }
    }
    escaped
}

/// Checks that it is a space of ours and sets the connection up.
fn prepare(connection: &Connection, path: &Path, registry: &Registry) -> Result<(), StoreError> {
    let not_a_space = || StoreError::NotASpace { path: path.to_owned() };
    let application: i64 = match connection.query_row("PRAGMA application_id", [], |row| row.get(0))
    {
        Ok(id) => id,
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            return Err(not_a_space());
        }
        Err(error) => return Err(error.into()),
    };
    if application != APPLICATION_ID {
        return Err(not_a_space());
    }
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let known = registry.version();
    if found > known {
        return Err(StoreError::TooNew { path: path.to_owned(), found, known });
    }
    configure(connection)?;
    defend(connection)?;
    connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
        .optional()?;
    Ok(())
}

/// What every connection needs.
fn configure(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(std::time::Duration::from_millis(BUSY_WAIT_MS))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // A plan does not depend on bound values, so a statement is prepared once, not again for each
    // value.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(
        "PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;
         PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;",
    )?;
    page_cache::set_usual(connection)
}

/// A space's file may come from anybody. We make no triggers and no views, so those that are there
/// do nothing (`verify` names them), and SQL cannot change the schema by way of its own tables.
fn defend(connection: &Connection) -> Result<(), StoreError> {
    use rusqlite::config::DbConfig;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(())
}

/// Makes a new file with all tables. The file appears only with its genesis operation: see
/// [`SqliteSpace::create`].
fn create(path: &Path, registry: &Registry) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_millis(BUSY_WAIT_MS))?;
    connection.query_row("PRAGMA journal_mode=WAL", [], |_| Ok(()))?;
    configure(&connection)?;
    defend(&connection)?;
    make_tables(&connection, registry)?;
    Ok(connection)
}

/// Makes all tables.
fn make_tables(connection: &Connection, registry: &Registry) -> Result<(), StoreError> {
    connection
        .execute_batch(&format!("BEGIN IMMEDIATE; PRAGMA application_id={APPLICATION_ID};"))?;
    registry.create(connection)?;
    Ok(connection.execute_batch("COMMIT")?)
}

/// Which version of the tables a file has.
fn schema_version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use kernel::body::Body;
    use kernel::canonical;
    use kernel::id::OpId;
    use kernel::kind::Kind;
    use kernel::operation::{HlcTimestamp, Ref, Role};
    use kernel::seal::{ChainPosition, Draft, Signer};
    use kernel::validity::Validity;
    use serde_json::{Value, json};

    use super::registry::REGISTRY;
    use super::*;
    use crate::Ledger;

    /// What the tables of version 2 were, made out of this version's.
    fn back_to_version_2(space: &SqliteSpace) {
        for table in index::FACT_VIEW.tables.iter().chain(beliefs::VIEW.tables) {
            space.connection.execute_batch(&format!("DROP TABLE {}", table.name)).unwrap();
        }
        space.connection.execute_batch("DROP TABLE text_vector; DROP TABLE text_token").unwrap();
        space
            .connection
            .execute_batch(
                "DROP TABLE echo_key; DROP TABLE echo_read;
                 DROP TABLE embedding; DROP TABLE embedding_failed; DROP TABLE embedding_model;
                 DROP TABLE embedding_unopened",
            )
            .unwrap();
        space
            .connection
            .execute_batch(
                "DELETE FROM view WHERE name GLOB 'facts*'; UPDATE view SET version = 1; PRAGMA user_version=2",
            )
            .unwrap();
    }

    /// What the tables of version 1 were.
    fn back_to_version_1(space: &SqliteSpace) {
        back_to_version_2(space);
        space.connection.execute_batch(BACK_TO_VERSION_1).unwrap();
    }

    const BACK_TO_VERSION_1: &str = "
        DROP TABLE claim; DROP INDEX identity_key; ALTER TABLE identity RENAME TO later;
        CREATE TABLE identity (pos INTEGER PRIMARY KEY, key TEXT NOT NULL, payload BLOB) STRICT;
        CREATE INDEX identity_key ON identity (key);
        INSERT INTO identity SELECT pos, key, payload FROM later; DROP TABLE later; PRAGMA user_version=1;";

    fn body_of(kind: &str, body: &Value) -> Body {
        Body::parse(&Kind::parse(kind).unwrap(), &canonical::to_bytes(body).unwrap()).unwrap()
    }

    fn append(space: &mut SqliteSpace, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> OpId {
        let signer = Signer::from_seed([1; 32]);
        let mut writing = space.begin().unwrap();
        let ts = HlcTimestamp(writing.latest().unwrap().unwrap().0 + 1);
        let place = ChainPosition {
            space: writing.space().unwrap(),
            head: writing.head(&signer.author()).unwrap(),
            ts,
        };
        let refs = refs
            .iter()
            .map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() })
            .collect();
        let body = body_of(kind, body);
        let operation = signer.seal(Draft { body: body.clone(), refs }, place).unwrap();
        writing.record(&operation, Some(&body)).unwrap();
        writing.commit().unwrap();
        operation.id()
    }

    /// A claim on a claim on evidence that is retracted; one invalidation is recorded.
    fn history(space: &mut SqliteSpace) -> OpId {
        let note = json!({"source": "t", "source_uid": "1", "kind": "note", "summary": "", "visibility": "project", "payload": {}});
        let claim = |key: &str| json!({"claim_type": "t", "identity_key": key, "payload": 1});
        let seen = append(space, "evidence", &note, &[]);
        let base = append(space, "claim", &claim("base"), &[("input", seen)]);
        append(space, "claim", &claim("top"), &[("input", base)]);
        let gone = append(space, "evidence_retraction", &json!({}), &[("target", seen)]);
        append(space, "claim_invalidation", &json!({}), &[("target", base), ("cause", gone)]);
        seen
    }

    fn genesis() -> (kernel::operation::Operation, Body) {
        let signer = Signer::from_seed([1; 32]);
        let body =
            json!({"name": "t", "owner": signer.author(), "created": "2026-01-01T00:00:00Z"});
        let body = body_of("space", &body);
        (
            signer
                .seal(
                    Draft::new(body.clone()),
                    ChainPosition { space: None, head: None, ts: HlcTimestamp(1) },
                )
                .unwrap(),
            body,
        )
    }

    #[test]
    fn opening_a_version_1_file_migrates_it_and_keeps_its_digests() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        let (genesis, body) = genesis();
        let mut space = SqliteSpace::create(&path, &genesis, &body).unwrap();
        history(&mut space);
        let before = space.digests().unwrap();
        back_to_version_1(&space);
        drop(space);
        let space = SqliteSpace::open(&path).unwrap();
        assert_eq!(schema_version(&space.connection).unwrap(), REGISTRY.version());
        assert_eq!(space.digests().unwrap(), before);
        assert!(space.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
        assert_eq!(space.ledger_index().unwrap().due().unwrap().len(), 1);
    }

    #[test]
    fn beliefs_in_a_version_2_file_are_indexed_at_the_next_fold() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        let (genesis, body) = genesis();
        let mut space = SqliteSpace::create(&path, &genesis, &body).unwrap();
        history(&mut space);
        space.advance(|_| {}).unwrap();
        let before = space.digests().unwrap();
        let counts = space.search_facts_with(None, |search, _| search.count_by_kind()).unwrap();
        assert_eq!(counts, Some([("claim".to_owned(), 2)].into()));
        back_to_version_2(&space);
        drop(space);
        let mut space = SqliteSpace::open(&path).unwrap();
        assert_eq!(space.fact_position().unwrap(), crate::Position(0));
        // Evidence is indexed again too, because it had no vectors.
        assert_eq!(space.text_position().unwrap(), crate::Position(0));
        space.advance(|_| {}).unwrap();
        assert_eq!(space.digests().unwrap(), before);
        assert!(space.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
    }

    #[test]
    fn the_next_append_migrates_a_file_that_could_not_be_migrated_when_opened() {
        let (genesis, body) = genesis();
        let mut space = SqliteSpace::create_in_memory(&genesis, &body).unwrap();
        let seen = history(&mut space);
        back_to_version_1(&space);
        append(&mut space, "thought", &json!({}), &[("about", seen)]);
        assert_eq!(schema_version(&space.connection).unwrap(), REGISTRY.version());
        assert_eq!(space.ledger_index().unwrap().due().unwrap().len(), 1);
    }

    #[test]
    fn a_read_only_version_1_file_answers_queries_and_can_be_verified() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space.db");
        let (genesis, body) = genesis();
        let mut space = SqliteSpace::create(&path, &genesis, &body).unwrap();
        history(&mut space);
        back_to_version_1(&space);
        space.connection.close().unwrap();
        let connection =
            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        prepare(&connection, &path, &REGISTRY).unwrap();
        let mut space = SqliteSpace::over(connection, Mode::ReadOnly, &path, &REGISTRY).unwrap();
        assert_eq!(schema_version(&space.connection).unwrap(), 1);
        let index = space.ledger_index().unwrap();
        let states =
            ["base", "top", "other"].map(|key| Validity::new(&index).state(key).unwrap().as_str());
        assert_eq!(states, ["invalidated", "invalidated", "none"]);
        assert!(space.refold().unwrap().iter().all(|(stored, folded)| stored == folded));
        space.digests().unwrap();
        space.size().unwrap();
        assert!(
            space.search_facts_with(None, |_, _| Ok(())).unwrap().is_none(),
            "there is no index of what is believed yet"
        );
        assert!(matches!(space.begin().map(|_| ()), Err(StoreError::ReadOnly)));
    }
}
