//! The engine itself, through the same calls as `because import` and `because recall`.

use engine::Space;
use engine::import::Intent;
use engine::recall::{Query, Recall};
use kernel::rank::Weights;
use kernel::seal::{SEED_BYTES, Signer};
use store::sqlite::Filter;

use super::{Asked, Collection, EvalError, RecordKey, Source, System, records};

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

    /// A space that has taken in all sources of a collection.
    pub(crate) fn holding(collection: &Collection) -> Result<Self, EvalError> {
        let mut because = Self::new()?;
        for source in &collection.sources {
            because.take_in(source)?;
        }
        Ok(because)
    }

    /// Asks with weights of one's own; the whole answer.
    pub(crate) fn recall(&mut self, asked: &Asked, limit: usize, weights: Weights) -> Result<Recall, EvalError> {
        let query = Query {
            text: asked.text.clone(),
            limit,
            filter: Filter::default(),
            neighbours: 0,
            today: asked.today,
            weights,
        };
        Ok(self.space.recall(&query)?)
    }
}

/// The weights that recall has when nobody chooses others.
pub(crate) fn default_weights() -> Weights {
    Weights::default()
}

/// Whose records came back, the best first.
pub(crate) fn ranking(recall: &Recall) -> Vec<RecordKey> {
    recall.results.iter().map(|result| records::key(&result.evidence)).collect()
}

impl System for Because {
    fn take_in(&mut self, source: &Source) -> Result<u64, EvalError> {
        let report = self.space.import(source.importer, &source.path, &records::context(), Intent::Write, |_| {})?;
        Ok(report.tally.total())
    }

    fn ask(&mut self, asked: &Asked, limit: usize) -> Result<Vec<RecordKey>, EvalError> {
        Ok(ranking(&self.recall(asked, limit, default_weights())?))
    }
}
