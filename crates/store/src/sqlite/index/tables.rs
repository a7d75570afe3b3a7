//! The tables of the two indexes: of evidence, and of claims.
//!
//! Both indexes have the same tables, and the same code folds and searches them; only the names of
//! the tables and the meaning of a session differ. Each has statistics of its own, so that the many
//! versions of a claim do not make a word of the evidence common. All statements are built here at
//! compile time, because a fold runs them for every word and record.

use super::super::registry::{TableSpec, Weight};

/// The version of the file's tables that first has vectors of documents.
const MEANING_SINCE: i64 = 3;
/// The version of the file's tables that first has threads.
const THREADS_SINCE: i64 = 6;
/// The version of the file's tables that first has the index of thoughts.
pub(in super::super) const THOUGHTS_SINCE: i64 = 8;

/// The later of two versions.
const fn later(one: i64, other: i64) -> i64 {
    if one > other { one } else { other }
}

/// One index: its tables, and the statements over them.
pub(in super::super) struct IndexTables {
    /// Whether frequencies count documents, or the identities of which documents are versions.
    pub(in super::super) unit: Unit,
    /// Version of the tables and their contents; with another version they are folded again.
    pub(super) version: i64,
    /// The rows of the `view` table for the numbers of a reach; the first is the view's name.
    pub(super) reach_rows: [&'static str; 4],
    /// The tables, in the order in which they are digested.
    pub(super) specs: &'static [TableSpec],
    pub(super) term_number: &'static str,
    pub(super) add_term: &'static str,
    pub(super) marked_terms: &'static str,
    pub(super) terms_between: &'static str,
    pub(super) shortest_words: &'static str,
    pub(super) term_count: &'static str,
    pub(super) posting: &'static str,
    pub(super) put_posting: &'static str,
    pub(super) session_posting: &'static str,
    pub(super) put_session_posting: &'static str,
    pub(super) session_named: &'static str,
    pub(super) session_name: &'static str,
    pub(super) add_session: &'static str,
    pub(super) thread_end: &'static str,
    pub(super) put_thread_end: &'static str,
    pub(super) session_count: &'static str,
    pub(super) length: &'static str,
    pub(super) put_length: &'static str,
    pub(super) lengths_since: &'static str,
    pub(super) attribute: &'static str,
    pub(super) put_attribute: &'static str,
    pub(super) attributes_since: &'static str,
    pub(super) last_attribute: &'static str,
    pub(super) kind_number: &'static str,
    pub(super) add_kind: &'static str,
    pub(super) kinds: &'static str,
    pub(super) person_number: &'static str,
    pub(super) add_person: &'static str,
    pub(super) add_person_word: &'static str,
    pub(super) people_with_word: &'static str,
    pub(super) add_participant: &'static str,
    pub(super) participations: &'static str,
    pub(super) vector: &'static str,
    pub(super) put_vector: &'static str,
    pub(super) vectors_from: &'static str,
    pub(super) tokens: &'static str,
    pub(super) put_tokens: &'static str,
}

/// What the frequency of a word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Unit {
    /// Every document.
    Document,
    /// Every session, because its documents are versions of one identity. A belief that was derived
    /// a hundred times does not make its words common.
    Session,
}

macro_rules! tables {
    ($prefix:literal, $unit:expr, $since:literal, $version:literal, $view:literal) => {
        IndexTables {
            unit: $unit,
            version: $version,
            reach_rows: [
                $view,
                concat!($view, ".access"),
                concat!($view, ".latest"),
                concat!($view, ".erased"),
            ],
            specs: &[
                TableSpec::new(
                    concat!($prefix, "_attribute"),
                    $since,
                    concat!(
                        "CREATE TABLE ", $prefix, "_attribute (chunk INTEGER PRIMARY KEY, pos INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
                         CREATE INDEX ", $prefix, "_attribute_pos ON ", $prefix, "_attribute (pos);"
                    ),
                )
                // The column `pos` only tells readers what to read again.
                .digesting("chunk, data")
                .weighing(Weight::Data),
                TableSpec::new(
                    concat!($prefix, "_kind"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_kind (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT;"),
                ),
                TableSpec::new(
                    concat!($prefix, "_length"),
                    $since,
                    concat!(
                        "CREATE TABLE ", $prefix, "_length (chunk INTEGER PRIMARY KEY, pos INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
                         CREATE INDEX ", $prefix, "_length_pos ON ", $prefix, "_length (pos);"
                    ),
                )
                .digesting("chunk, data")
                .weighing(Weight::Data),
                TableSpec::new(
                    concat!($prefix, "_participant"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_participant (person INTEGER NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (person, document)) STRICT, WITHOUT ROWID;"),
                )
                .ordered_by("person, document"),
                TableSpec::new(
                    concat!($prefix, "_person"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_person (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"),
                ),
                TableSpec::new(
                    concat!($prefix, "_person_word"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_person_word (word TEXT NOT NULL, person INTEGER NOT NULL, PRIMARY KEY (word, person)) STRICT, WITHOUT ROWID;"),
                )
                .ordered_by("word, person"),
                TableSpec::new(
                    concat!($prefix, "_posting"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_posting (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;"),
                )
                .weighing(Weight::Data),
                TableSpec::new(
                    concat!($prefix, "_session"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_session (number INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT;"),
                )
                .altered(later($since, THREADS_SINCE), "*")
                .weighing(Weight::Row(24)),
                TableSpec::new(
                    concat!($prefix, "_session_posting"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_session_posting (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;"),
                )
                .weighing(Weight::Data),
                TableSpec::new(
                    concat!($prefix, "_term"),
                    $since,
                    concat!("CREATE TABLE ", $prefix, "_term (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT;"),
                )
                .weighing(Weight::Row(24)),
                TableSpec::new(
                    concat!($prefix, "_thread"),
                    later($since, THREADS_SINCE),
                    concat!("CREATE TABLE ", $prefix, "_thread (session INTEGER NOT NULL, author INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (session, author)) STRICT, WITHOUT ROWID;"),
                )
                .ordered_by("session, author"),
                TableSpec::new(
                    concat!($prefix, "_token"),
                    later($since, MEANING_SINCE),
                    concat!("CREATE TABLE ", $prefix, "_token (chunk INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;"),
                )
                .weighing(Weight::Data),
                TableSpec::new(
                    concat!($prefix, "_vector"),
                    later($since, MEANING_SINCE),
                    concat!("CREATE TABLE ", $prefix, "_vector (chunk INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;"),
                )
                .weighing(Weight::Data),
            ],
            term_number: concat!("SELECT number FROM ", $prefix, "_term WHERE word = ?1"),
            add_term: concat!("INSERT INTO ", $prefix, "_term (number, word) VALUES (?1, ?2)"),
            // The marks of languages: see `languages`.
            marked_terms: concat!("SELECT word FROM ", $prefix, "_term WHERE word >= char(1) AND word < char(2)"),
            // Identifiers: see `identifiers`.
            terms_between: concat!("SELECT number FROM ", $prefix, "_term WHERE word >= ?1 AND word < ?2"),
            // The shortest of the first in order, so that one common beginning is not all read: see
            // `related`.
            shortest_words: concat!(
                "SELECT word FROM (SELECT word FROM ", $prefix, "_term WHERE word > ?1 AND word < ?2 ORDER BY word LIMIT 4096)
                 ORDER BY length(word), word LIMIT ?3"
            ),
            term_count: concat!("SELECT max(number) FROM ", $prefix, "_term"),
            posting: concat!("SELECT data FROM ", $prefix, "_posting WHERE key = ?1"),
            put_posting: concat!("INSERT OR REPLACE INTO ", $prefix, "_posting (key, data) VALUES (?1, ?2)"),
            session_posting: concat!("SELECT data FROM ", $prefix, "_session_posting WHERE key = ?1"),
            put_session_posting: concat!(
                "INSERT OR REPLACE INTO ", $prefix, "_session_posting (key, data) VALUES (?1, ?2)"
            ),
            session_named: concat!("SELECT number FROM ", $prefix, "_session WHERE name = ?1"),
            session_name: concat!("SELECT name FROM ", $prefix, "_session WHERE number = ?1"),
            add_session: concat!("INSERT INTO ", $prefix, "_session (number, name) VALUES (?1, ?2)"),
            thread_end: concat!("SELECT last FROM ", $prefix, "_thread WHERE session = ?1 AND author = ?2"),
            put_thread_end: concat!(
                "INSERT INTO ", $prefix, "_thread (session, author, last) VALUES (?1, ?2, ?3)
                 ON CONFLICT (session, author) DO UPDATE SET last = excluded.last"
            ),
            session_count: concat!("SELECT max(number) FROM ", $prefix, "_session"),
            length: concat!("SELECT data FROM ", $prefix, "_length WHERE chunk = ?1"),
            put_length: concat!("INSERT OR REPLACE INTO ", $prefix, "_length (chunk, pos, data) VALUES (?1, ?2, ?3)"),
            lengths_since: concat!("SELECT chunk, data FROM ", $prefix, "_length WHERE pos > ?1 ORDER BY chunk"),
            attribute: concat!("SELECT data FROM ", $prefix, "_attribute WHERE chunk = ?1"),
            put_attribute: concat!(
                "INSERT INTO ", $prefix, "_attribute (chunk, pos, data) VALUES (?1, ?2, ?3)
                 ON CONFLICT (chunk) DO UPDATE SET pos = excluded.pos, data = excluded.data"
            ),
            attributes_since: concat!("SELECT chunk, data FROM ", $prefix, "_attribute WHERE pos > ?1 ORDER BY chunk"),
            last_attribute: concat!("SELECT chunk, data FROM ", $prefix, "_attribute ORDER BY chunk DESC LIMIT 1"),
            kind_number: concat!("SELECT number FROM ", $prefix, "_kind WHERE word = ?1"),
            add_kind: concat!("INSERT OR IGNORE INTO ", $prefix, "_kind (word) VALUES (?1)"),
            kinds: concat!("SELECT number, word FROM ", $prefix, "_kind ORDER BY number DESC"),
            person_number: concat!("SELECT number FROM ", $prefix, "_person WHERE name = ?1"),
            add_person: concat!("INSERT INTO ", $prefix, "_person (name) VALUES (?1)"),
            add_person_word: concat!("INSERT OR IGNORE INTO ", $prefix, "_person_word (word, person) VALUES (?1, ?2)"),
            people_with_word: concat!(
                "SELECT person.number, person.name FROM ", $prefix, "_person_word AS word
                 JOIN ", $prefix, "_person AS person ON person.number = word.person WHERE word.word = ?1
                 ORDER BY person.number LIMIT ?2"
            ),
            add_participant: concat!(
                "INSERT OR IGNORE INTO ", $prefix, "_participant (person, document) VALUES (?1, ?2)"
            ),
            participations: concat!("SELECT document FROM ", $prefix, "_participant WHERE person = ?1"),
            vector: concat!("SELECT data FROM ", $prefix, "_vector WHERE chunk = ?1"),
            put_vector: concat!("INSERT OR REPLACE INTO ", $prefix, "_vector (chunk, data) VALUES (?1, ?2)"),
            vectors_from: concat!("SELECT chunk, data FROM ", $prefix, "_vector WHERE chunk >= ?1 ORDER BY chunk"),
            tokens: concat!("SELECT data FROM ", $prefix, "_token WHERE chunk = ?1"),
            put_tokens: concat!("INSERT OR REPLACE INTO ", $prefix, "_token (chunk, data) VALUES (?1, ?2)"),
        }
    };
}

/// Evidence.
pub(in super::super) static EPISODES: IndexTables = tables!("text", Unit::Document, 1, 23, "text");
/// Claims, corrections and nodes. A session is an identity or the text of a node, and its name is
/// the key of that. Versions of one do not serve as context for each other, so the tables of
/// session words and lengths stay empty.
pub(in super::super) static FACTS: IndexTables = tables!("fact", Unit::Session, 3, 15, "facts");
/// Thoughts. A session is a set of tags, and its name is the list of them. The tables of people,
/// session words and lengths stay empty.
pub(in super::super) static THOUGHTS: IndexTables =
    tables!("thought", Unit::Document, 8, 12, "thoughts");
