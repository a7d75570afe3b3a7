//! The engine itself, through the same calls as `because import` and `because recall`.

use engine::Space;
use engine::import::Intent;
use engine::recall::Query;
use kernel::seal::{SEED_BYTES, Signer};
use store::sqlite::Filter;

use super::{Asked, EvalError, RecordKey, Source, System, records};

/// A fresh space that vanishes when it is dropped.
pub(crate) struct Because {
    space: Space,
    // Dropped after the space has closed its file.
    _folder: tempfile::TempDir,
}

impl Because {
    /// Makes the space.
    pub(crate) fn new() -> Result<Self, EvalError> {
        let folder = tempfile::tempdir().map_err(engine::EngineError::from)?;
        let signer = Signer::from_seed([0; SEED_BYTES]);
        let space = Space::create(&folder.path().join("space.db"), signer, "evaluation", records::context().now)?;
        Ok(Self { space, _folder: folder })
    }
}

impl System for Because {
    fn take_in(&mut self, source: &Source) -> Result<u64, EvalError> {
        let report = self.space.import(source.importer, &source.path, &records::context(), Intent::Write, |_| {})?;
        Ok(report.tally.total())
    }

    fn ask(&mut self, asked: &Asked, limit: usize) -> Result<Vec<RecordKey>, EvalError> {
        let query = Query {
            text: asked.text.clone(),
            limit,
            filter: Filter::default(),
            neighbours: 0,
            today: asked.today,
            weights: kernel::rank::Weights::default(),
            vector: None,
        };
        let recall = self.space.recall(&query)?;
        Ok(recall.results.iter().map(|result| records::key(&result.evidence)).collect())
    }
}
