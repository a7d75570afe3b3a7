//! The languages of the records in an index.
//!
//! A question looks up its words as each language of the space has them, so it must know which
//! these are. The table of terms says so: it has a mark for each language in which a record was
//! analysed, other than the usual one of the space. No word is equal to a mark, and no record is
//! listed under it.

use retrieval::text::{Language, Languages};
use rusqlite::Connection;

use super::tables::IndexTables;
use crate::StoreError;

/// The first character of a mark, which no word contains.
const MARK: char = '\u{1}';

/// The mark of a language.
pub(super) fn language_mark(language: Language) -> String {
    format!("{MARK}{}", language.name())
}

/// The languages that are marked in an index.
pub(super) fn marked_languages(
    connection: &Connection,
    tables: &IndexTables,
) -> Result<Languages, StoreError> {
    let mut statement = connection.prepare_cached(tables.marked_terms)?;
    let mut rows = statement.query([])?;
    let mut languages = Languages::NONE;
    while let Some(row) = rows.next()? {
        let mark = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let language = mark.strip_prefix(MARK).and_then(Language::named);
        languages = languages.with(language.map_or(Languages::NONE, Languages::of));
    }
    Ok(languages)
}
