//! SQLite's own full-text search: a table of lines with its default tokenizer, words joined by OR,
//! ranked by `bm25()`.

use rusqlite::Connection;

use super::records::{distinct_words, key, line, visit};
use super::{EvalError, EvalQuestion, RecordKey, Source, System};

/// A temporary database.
pub struct Fts5 {
    connection: Connection,
    keys: Vec<RecordKey>,
}

impl Fts5 {
    /// Makes the database.
    pub fn new() -> Result<Self, EvalError> {
        // SQLite's name for a database in a file that is deleted on closing.
        let connection = Connection::open("")?;
        connection.execute_batch("CREATE VIRTUAL TABLE line USING fts5(text)")?;
        Ok(Self { connection, keys: Vec::new() })
    }
}

impl System for Fts5 {
    fn import(&mut self, source: &Source) -> Result<u64, EvalError> {
        let before = self.keys.len();
        let transaction = self.connection.transaction()?;
        let mut failure = None;
        {
            let mut insert =
                transaction.prepare("INSERT INTO line (rowid, text) VALUES (?1, ?2)")?;
            visit(source, &mut |evidence| match insert
                .execute((self.keys.len() as i64, line(evidence)))
            {
                Ok(_) => self.keys.push(key(evidence)),
                Err(error) => drop(failure.get_or_insert(error)),
            })?;
        }
        if let Some(error) = failure {
            return Err(error.into());
        }
        transaction.commit()?;
        Ok((self.keys.len() - before) as u64)
    }

    fn answer(
        &mut self,
        question: &EvalQuestion,
        limit: usize,
    ) -> Result<Vec<RecordKey>, EvalError> {
        let quoted: Vec<String> =
            distinct_words(&question.text).iter().map(|word| format!("\"{word}\"")).collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT rowid FROM line WHERE line MATCH ?1 ORDER BY bm25(line), rowid LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found =
            statement.query_map((quoted.join(" OR "), limit), |row| row.get::<_, u32>(0))?;
        let found: Vec<u32> = found.collect::<Result<_, _>>()?;
        Ok(found.into_iter().filter_map(|at| self.keys.get(at as usize).cloned()).collect())
    }
}
