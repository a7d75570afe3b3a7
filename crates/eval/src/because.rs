//! The engine, called in the same way as by `because import` and `because recall`.

use std::collections::BTreeMap;

use engine::Space;
use engine::embed::Portion;
use engine::recall::context::{Budget, Context, Receipts, Request, Turn};
use engine::recall::episodes::{ByModel, Query, Recall};
use engine::recall::replaced::newer_first;
use engine::write::import::Intent;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kernel::seal::{SEED_BYTES, Signer};
use models::choice::Choice;
use models::{Embedder, Purpose};
use retrieval::rank::Weights;

use super::{Collection, EvalError, EvalQuestion, RecordKey, Source, System, records};

/// The name of the evaluated model in the space.
const MEASURED: &str = "measured";

/// A temporary space.
pub struct Because {
    space: Space,
    /// The model, if it is not the built-in table.
    embedder: Option<Box<dyn Embedder>>,
    /// A cache of its question vectors: studies repeat the same questions.
    vectors: BTreeMap<String, Vec<f32>>,
    // Must be dropped after the space has closed its file.
    _folder: tempfile::TempDir,
}

impl Because {
    /// Creates the space. With a model, it uses that model's vectors.
    ///
    /// # Errors
    /// If the space cannot be created in a temporary folder, or the model cannot be opened.
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
    /// Embeds the imported records, if there is another model.
    fn read(&mut self) -> Result<(), EvalError> {
        let Some(embedder) = &mut self.embedder else { return Ok(()) };
        let now = || records::context().now;
        let done =
            self.space.embed(embedder.as_mut(), MEASURED, Portion::ALL, &now, &mut |_| {})?;
        done.error.map_or(Ok(()), |error| Err(EvalError::Embedding(error)))
    }

    /// The question's vector by the other model.
    fn vector(
        &mut self,
        question: &EvalQuestion,
        weights: Weights,
    ) -> Result<Option<ByModel>, EvalError> {
        let Some(embedder) = &mut self.embedder else { return Ok(None) };
        let text = self.space.question_to_embed(&question.text, question.today)?;
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

    /// The default weights of recall in this space.
    pub fn weights(&self) -> Weights {
        if self.embedder.is_some() { Weights::WITH_MODEL } else { Weights::default() }
    }

    /// A space with all sources of a collection.
    ///
    /// # Errors
    /// Those of [`Self::new`]; if a source cannot be read or embedded.
    pub fn holding(collection: &Collection, choice: Option<&Choice>) -> Result<Self, EvalError> {
        let mut because = Self::new(choice)?;
        for source in &collection.sources {
            because.import(source)?;
        }
        Ok(because)
    }

    /// Asks a question with custom weights and returns the whole result.
    pub fn recall(
        &mut self,
        question: &EvalQuestion,
        limit: usize,
        weights: Weights,
    ) -> Result<Recall, EvalError> {
        let vector = self.vector(question, weights)?;
        let query = Query {
            today: question.today,
            weights,
            vector,
            ..Query::new(question.text.clone(), limit)
        };
        Ok(self.space.recall(&query)?)
    }

    /// The records that an answer is chosen from, newer statements before older ones.
    pub fn recall_to_answer(
        &mut self,
        question: &EvalQuestion,
        limit: usize,
    ) -> Result<Recall, EvalError> {
        let vector = self.vector(question, self.weights())?;
        let query =
            Query { today: question.today, vector, ..Query::new(question.text.clone(), limit) };
        let mut recall = self.space.recall_with_newer(&query)?;
        newer_first(&mut recall.results, |result| (result.id, &result.replaces));
        Ok(recall)
    }

    /// The context for a turn with the question. A question without a date is asked at `latest`.
    pub fn context(
        &mut self,
        question: &EvalQuestion,
        budget: Budget,
        latest: Timestamp,
    ) -> Result<Context, EvalError> {
        let asked = question.today.and_then(|today| today.to_zoned(TimeZone::UTC).ok());
        let mut request = Request {
            turns: vec![Turn { speaker: "user".to_owned(), text: question.text.clone() }],
            budget,
            today: question.today,
            receipt: Receipts::Omit,
            ..Request::new("evaluation", asked.map_or(latest, |asked| asked.timestamp()))
        };
        for text in request.questions() {
            let part = EvalQuestion { text, today: question.today };
            if let Some(vector) = self.vector(&part, self.weights())? {
                request.by_model.insert(part.text, vector);
            }
        }
        Ok(self.space.context(&request)?)
    }
}

/// The keys of the results, best first.
pub fn ranking(recall: &Recall) -> Vec<RecordKey> {
    recall.results.iter().map(|result| records::key(&result.evidence)).collect()
}

impl System for Because {
    fn import(&mut self, source: &Source) -> Result<u64, EvalError> {
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

    fn answer(
        &mut self,
        question: &EvalQuestion,
        limit: usize,
    ) -> Result<Vec<RecordKey>, EvalError> {
        Ok(ranking(&self.recall(question, limit, self.weights())?))
    }
}
