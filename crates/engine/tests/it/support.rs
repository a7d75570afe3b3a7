//! Spaces in temporary folders, and short records.

use std::path::{Path, PathBuf};

use engine::Space;
use engine::recall::episodes::Query;
use engine::write::record::{Outcome, Prepared};
use jiff::Timestamp;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility, summarize};
use kernel::id::OpId;
use kernel::seal::Signer;

/// Any time of day; every test names its own.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_760_000_000 + second).unwrap()
}

pub(crate) fn key(number: u8) -> Signer {
    Signer::from_seed([number; 32])
}

pub(crate) fn note(uid: &str, text: &str) -> Evidence {
    Evidence {
        source: "test".to_owned(),
        source_uid: uid.to_owned(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: summarize(text),
        visibility: Visibility::Project,
        payload: Payload { text: text.to_owned(), ..Payload::default() },
    }
}

/// A folder with a space of key 1.
pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) space: Space,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self::made_at(at(0))
    }

    pub(crate) fn made_at(now: Timestamp) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let space = Space::create(&folder.path().join("test.space"), key(1), "test", now).unwrap();
        Self { folder, space }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same file opened again, by the holder of a key.
    pub(crate) fn again(&self, number: u8) -> Space {
        Space::open(self.space.path(), key(number)).unwrap()
    }

    /// Changes the file behind the engine's back.
    pub(crate) fn tamper(&self, statements: &str) {
        tamper(self.space.path(), statements);
    }

    pub(crate) fn remember(&mut self, uid: &str, text: &str) -> Outcome {
        self.space.remember(note(uid, text), at(1)).unwrap()
    }

    /// The same by a writer that is stopped before it has folded what it appended.
    pub(crate) fn remember_unfolded(&mut self, uid: &str, text: &str) -> Outcome {
        self.space.writer().remember(note(uid, text), at(1)).unwrap()
    }

    pub(crate) fn record_many(&mut self, count: usize) {
        let batch =
            (0..count).map(|number| note(&number.to_string(), &format!("soup number{number}")));
        let batch: Vec<Prepared> = batch.map(|note| Prepared::new(note.into()).unwrap()).collect();
        self.space.record(batch, at(1)).unwrap();
    }
}

pub(crate) fn tamper(path: &Path, statements: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(statements).unwrap();
}

pub(crate) fn query(text: &str) -> Query {
    Query::new(text, 50)
}

/// The texts that a question recalls, best first.
pub(crate) fn recalled(space: &Space, question: &str) -> Vec<String> {
    let recall = space.recall(&query(question)).unwrap();
    recall.results.into_iter().map(|result| result.evidence.payload.text).collect()
}

pub(crate) fn exported(space: &Space) -> Vec<u8> {
    let mut lines = Vec::new();
    space.export(&mut lines, |_| {}).unwrap();
    lines
}

pub(crate) fn id_of(outcome: Outcome) -> OpId {
    match outcome {
        Outcome::Added(id)
        | Outcome::Present(id)
        | Outcome::Forgotten(id)
        | Outcome::Replaced { new: id, .. } => id,
    }
}
