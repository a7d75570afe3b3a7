//! The engine itself, through the same calls as `because import` and `because recall`.

use std::collections::BTreeMap;

use engine::Space;
use engine::embed::Portion;
use engine::recall::episodes::{ByModel, Query, Recall};
use engine::write::import::Intent;
use kernel::seal::{SEED_BYTES, Signer};
use models::choice::Choice;
use models::{Embedder, Purpose};
use retrieval::rank::Weights;

use super::{Asked, Collection, EvalError, RecordKey, Source, System, records};

/// What the measured model is called in the space.
const MEASURED: &str = "measured";

/// A fresh space that vanishes when it is dropped.
pub struct Because {
    space: Space,
    /// A model other than the built-in table.
    embedder: Option<Box<dyn Embedder>>,
    /// What it made of questions: a study asks the same ones over and over.
    vectors: BTreeMap<String, Vec<f32>>,
    // Dropped after the space has closed its file.
    _folder: tempfile::TempDir,
}

impl Because {
    /// Makes the space. With a model, it answers by the vectors of that.
    pub fn new(choice: Option<&Choice>) -> Result<Self, EvalError> {
        let embedder = choice.map(models::choice::open).transpose()?.flatten();
        let folder = tempfile::tempdir().map_err(engine::EngineError::from)?;
        let signer = Signer::from_seed([0; SEED_BYTES]);
        let space = Space::create(
            &folder.path().join("space.db"),
            signer,
            "evaluation",
            records::context().now,
        )?;
        Ok(Self { space, embedder, vectors: BTreeMap::new(), _folder: folder })
    }
}

impl Because {
    /// Has the other model, if there is one, read what was taken in.
    fn read(&mut self) -> Result<(), EvalError> {
        let Some(embedder) = &mut self.embedder else { return Ok(()) };
        let now = || records::context().now;
        let done =
            self.space.embed(embedder.as_mut(), MEASURED, Portion::ALL, &now, &mut |_| {})?;
        done.error.map_or(Ok(()), |error| Err(EvalError::Embedding(error)))
    }

    /// A question by the other model.
    fn vector(&mut self, asked: &Asked, weights: Weights) -> Result<Option<ByModel>, EvalError> {
        let Some(embedder) = &mut self.embedder else { return Ok(None) };
        let text = self.space.question_to_embed(&asked.text, asked.today)?;
        let numbers = match self.vectors.get(&text) {
            Some(known) => known.clone(),
            None => {
                let made = embedder.embed(&[&text], Purpose::Question)?.pop().unwrap_or_default();
                self.vectors.insert(text, made.clone());
                made
            }
        };
        let ready = self.space.ready_embeddings(MEASURED)?.into_iter().next();
        Ok(ready.map(|ready| ByModel { weights, ..ByModel::new(ready.number, numbers) }))
    }

    /// The weights that recall has here when nobody chooses others.
    pub fn weights(&self) -> Weights {
        if self.embedder.is_some() { Weights::WITH_MODEL } else { Weights::default() }
    }

    /// A space that has taken in all sources of a collection.
    pub fn holding(collection: &Collection, choice: Option<&Choice>) -> Result<Self, EvalError> {
        let mut because = Self::new(choice)?;
        for source in &collection.sources {
            because.take_in(source)?;
        }
        Ok(because)
    }

    /// Asks with weights of one's own; the whole answer.
    pub fn recall(
        &mut self,
        asked: &Asked,
        limit: usize,
        weights: Weights,
    ) -> Result<Recall, EvalError> {
        let vector = self.vector(asked, weights)?;
        let query =
            Query { today: asked.today, weights, vector, ..Query::new(asked.text.clone(), limit) };
        Ok(self.space.recall(&query)?)
    }
}

/// Whose records came back, the best first.
pub fn ranking(recall: &Recall) -> Vec<RecordKey> {
    recall.results.iter().map(|result| records::key(&result.evidence)).collect()
}

impl System for Because {
    fn take_in(&mut self, source: &Source) -> Result<u64, EvalError> {
        let report = self.space.import(
            source.importer,
            &source.path,
            &records::context(),
            Intent::Write,
            |_| {},
        )?;
        self.read()?;
        Ok(report.tally.total())
    }

    fn ask(&mut self, asked: &Asked, limit: usize) -> Result<Vec<RecordKey>, EvalError> {
        Ok(ranking(&self.recall(asked, limit, self.weights())?))
    }
}
