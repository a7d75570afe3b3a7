//! What the ledger knows of archives.
//!
//! An archive is recorded as an annotation of the genesis operation, in its field `archive`: the
//! genesis is never forgotten, and every copy of the space has it. Only a key that may correct can
//! annotate it. What an archive file holds counts only while its digest is one that is recorded.

use kernel::body::{Annotation, Body};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::HlcTimestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Ledger;

use super::removal::ToArchive;
use crate::belief::body_of;
use crate::belief::explain::time;
use crate::belief::name::acting;
use crate::belief::review::acting_on;
use crate::inspect::content_of;
use crate::{EngineError, Reader, Writer};

/// The field of an annotation that describes an archive.
const ARCHIVE: &str = "archive";

/// An archive, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveNote {
    /// BLAKE3 of the file: `b3:` and hexadecimal.
    pub digest: String,
    /// The name of the file, without its folder.
    pub file: String,
    /// Its format.
    pub format: String,
    /// Records in it that were marked for removal.
    pub records: u64,
    /// All operations in it.
    pub operations: u64,
}

/// An archive with the operation that records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedArchive {
    /// The annotation.
    pub id: OpId,
    /// When it was recorded.
    pub at: HlcTimestamp,
    /// The archive.
    pub note: ArchiveNote,
}

/// An operation as an archive has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveRow {
    /// Its id.
    pub id: OpId,
    /// Its kind.
    pub kind: String,
    /// The key that signed it.
    pub author: String,
    /// Its time, microseconds since the Unix epoch.
    pub time_us: i64,
    /// The same in RFC 3339.
    pub time: String,
    /// What it says, for people.
    pub text: String,
    /// Whether it was marked itself, or goes with what was.
    pub is_marked: bool,
    /// The operation in whole form, a line of the interchange form.
    pub line: String,
}

impl Writer<'_> {
    /// Records an archive.
    pub fn record_archive(
        &mut self,
        note: &ArchiveNote,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        let mut label = Annotation::default();
        label.others.insert(ARCHIVE.to_owned(), json!(note));
        let genesis = self.space()?.0;
        self.append(acting_on(genesis, Body::Annotation(label))?, now)
    }
}

impl Reader<'_> {
    /// The rows of an archive, in the space's order.
    ///
    /// # Errors
    /// If an operation is not here as it was signed: an archive must prove what it has.
    pub fn archive_rows(
        &self,
        wanted: &ToArchive,
        mut take: impl FnMut(ArchiveRow) -> std::io::Result<()>,
    ) -> Result<(), EngineError> {
        for id in &wanted.operations {
            let found = self.store.get(id)?.map(|recorded| recorded.operation);
            let Some(operation) = found.filter(|operation| operation.check_hashes().is_ok()) else {
                return Err(EngineError::Altered { id: *id });
            };
            let header = operation.header();
            let body = operation.body().map(|bytes| Body::parse(&header.kind, bytes));
            let text = body.and_then(Result::ok).map(|body| content_of(&body));
            take(ArchiveRow {
                id: *id,
                kind: header.kind.as_str().to_owned(),
                author: header.author.to_string(),
                time_us: header.ts.0.cast_signed(),
                time: time(header.ts),
                text: text.unwrap_or_default(),
                is_marked: wanted.records.contains(id),
                line: operation.to_line(),
            })?;
        }
        Ok(())
    }

    /// Every archive that is recorded, the newest first.
    pub fn archives(&self) -> Result<Vec<RecordedArchive>, EngineError> {
        let genesis = self.id()?.0;
        self.store.on_snapshot(|index| {
            let mut archives = Vec::new();
            for entry in acting(index, &genesis, &Kind::Annotation)? {
                let Some(Body::Annotation(label)) = body_of(index, &entry.id, &entry.kind)? else {
                    continue;
                };
                let Some(field) = label.others.get(ARCHIVE) else { continue };
                if let Ok(note) = ArchiveNote::deserialize(field) {
                    archives.push(RecordedArchive { id: entry.id, at: entry.ts, note });
                }
            }
            archives.reverse();
            Ok(archives)
        })
    }
}
