//! What `because` does, synchronously and without a clock of its own: record and import, derive and
//! mine, recall, explain, correct and forget; the graph, patches of it and thoughts; show and
//! verify.
//!
//! A [`Space`] is a handle on a ledger. It makes a [`Reader`], which answers from one snapshot, and
//! a [`Writer`], which appends with a key. Everything that needs to know the time takes it as an
//! argument; everything that reads the outside world (paths, environment, terminal) is above, in
//! the app.
//!
//! Times whose names end in `_us` are microseconds since the Unix epoch. Limits that are asked for
//! are cut to a named maximum, such as [`RESULTS_MAX`](recall::episodes::RESULTS_MAX) for
//! [`Query::limit`](recall::episodes::Query::limit). The text of an [`EngineError`] may change; its
//! [`code`](EngineError::code) is stable.
//!
//! # Errors
//! Whatever reads or writes a space fails with [`EngineError::Store`] if its file cannot be read or
//! written, is damaged, or another process writes for longer than
//! [`BUSY_WAIT_MS`](store::sqlite::BUSY_WAIT_MS). Whatever appends fails with [`EngineError::Record`]
//! if a rule refuses it, such as that the key lacks a capability. The sections on errors say what
//! else a function fails for.

use std::path::Path;

pub mod belief;
pub mod conformance;
pub mod derive;
pub mod embed;
mod error;
pub mod graph;
pub mod inspect;
pub mod keys;
pub mod maintain;
pub mod mine;
pub mod outcome;
pub mod owner;
pub mod private;
mod reader;
pub mod recall;
mod seal;
pub mod selection;
mod source_id;
mod space;
pub mod staging;
pub mod thought;
pub mod time_text;
pub mod tokens;
pub mod verify;
pub mod why;
pub mod write;
mod writer;

pub use error::EngineError;
pub use reader::Reader;
pub use seal::Sealer;
pub use space::Space;
pub use writer::Writer;

/// Paths go into reports as text; what is not Unicode in them is replaced, since no report may fail
/// for it.
pub(crate) fn path_as_text<S: serde::Serializer>(
    path: &Path,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// Microseconds since the Unix epoch, never negative.
pub fn now_us(now: jiff::Timestamp) -> u64 {
    now.as_microsecond().max(0).unsigned_abs()
}
