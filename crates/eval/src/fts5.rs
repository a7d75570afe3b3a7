//! SQLite's own full-text search: a table of lines with its default tokenizer, words joined by OR,
//! ranked by `bm25()`.

use rusqlite::Connection;

use super::EvalError;
use super::controls::Search;
use super::records::distinct_words;

/// A temporary database.
pub struct Fts5 {
    connection: Connection,
    /// How many lines it has.
    lines: i64,
}

impl Fts5 {
    /// Makes the database.
    pub fn new() -> Result<Self, EvalError> {
        // SQLite's name for a database in a file that is deleted on closing.
        let connection = Connection::open("")?;
        connection.execute_batch("CREATE VIRTUAL TABLE line USING fts5(text)")?;
        Ok(Self { connection, lines: 0 })
    }
}

impl Search for Fts5 {
    fn add(&mut self, lines: Vec<String>) -> Result<(), EvalError> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert =
                transaction.prepare("INSERT INTO line (rowid, text) VALUES (?1, ?2)")?;
            for line in lines {
                insert.execute((self.lines, line))?;
                self.lines += 1;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    fn rank(&mut self, question: &str, limit: usize) -> Result<Vec<usize>, EvalError> {
        let quoted: Vec<String> =
            distinct_words(question).iter().map(|word| format!("\"{word}\"")).collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid FROM line WHERE line MATCH ?1 ORDER BY bm25(line), rowid LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found =
            statement.query_map((quoted.join(" OR "), limit), |row| row.get::<_, u32>(0))?;
        found.map(|position| Ok(position? as usize)).collect()
    }
}
