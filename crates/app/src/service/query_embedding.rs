//! Choosing and calling the model that embeds a question.
//!
//! The space names the models whose vectors it has, but it does not decide which of them are
//! opened: a space can come from an untrusted source, and the model it names would receive the
//! user's questions. So besides the user's chosen model, only these are opened: models of the same
//! service, models that the user fetched, and models that `embedder.spaces_may_choose` allows.
//! Whatever fails here, recall continues with the built-in model.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use engine::Space;
use engine::embed::{Portion, Ready, fact_question_to_embed};
use engine::recall::context::Request;
use engine::recall::episodes::ByModel;
use models::choice::{BUILT_IN, Selection};
use models::{EmbedError, Embedder, Purpose};
use store::sqlite::{ModelNumber, QuestionVector};

use super::Session;
use super::record_embedding::{Wait, choice_to_open, open_chosen};
use crate::configuration::Configuration;
use crate::failure::Failure;

/// Longest wait for a question's vector: a caller is waiting for the answer.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a long-running process does not call a model that failed, so that later questions do
/// not each wait for it.
const RETRY_AFTER: Duration = Duration::from_secs(30);
/// Texts embedded between two calls of an agent. The limit keeps the next call from waiting long.
const TEXTS_BETWEEN_CALLS: u64 = 32;

/// The vectors of the search texts.
#[derive(Debug)]
pub(crate) struct QueryEmbedding {
    /// One for each text, if a model other than the built-in one embeds them.
    vectors: Vec<ByModel>,
    /// The model that embeds them.
    pub(crate) model: String,
    /// Why the chosen model was not used.
    pub(crate) error: Option<EmbedError>,
}

impl QueryEmbedding {
    fn built_in(error: Option<EmbedError>) -> Self {
        Self { vectors: Vec::new(), model: BUILT_IN.to_owned(), error }
    }

    /// The first vector, if a model other than the built-in one made it.
    pub(crate) fn vector(&self) -> Option<ByModel> {
        self.vectors.first().cloned()
    }

    /// The same of the first text as a question about facts.
    pub(crate) fn fact_vector(&self) -> Option<QuestionVector> {
        self.vector().map(ByModel::into_fact_vector)
    }

    /// Records which model was used: another process may drop a model's vectors before the search.
    pub(crate) fn served_by(&mut self, model: Option<ModelNumber>) {
        if model.is_none() {
            self.model = BUILT_IN.to_owned();
        }
    }
}

/// The models open for questions, by the names that the user gives them. A model keeps the options
/// that it was opened with.
#[derive(Default)]
pub(crate) struct EmbedderPool {
    open: HashMap<String, Opened>,
}

/// An open model, or why it is not called before a certain time.
enum Opened {
    Ready(Box<dyn Embedder>),
    BackingOff { error: EmbedError, until: Instant },
}

impl Opened {
    fn backing_off(error: EmbedError) -> Self {
        Self::BackingOff { error, until: Instant::now() + RETRY_AFTER }
    }
}

impl EmbedderPool {
    /// Embeds a question with the model used in a space.
    pub(crate) fn embed(
        &mut self,
        session: &Session,
        space: &mut Space,
        text: &str,
    ) -> Result<QueryEmbedding, Failure> {
        self.embed_all(session, space, &[text.to_owned()])
    }

    /// Embeds the search texts of a context, and puts the vectors into its request.
    pub(crate) fn embed_for_context(
        &mut self,
        session: &Session,
        space: &mut Space,
        request: &mut Request,
    ) -> Result<QueryEmbedding, Failure> {
        let questions = request.questions();
        let embedding = self.embed_all(session, space, &questions)?;
        request.by_model = questions.into_iter().zip(embedding.vectors.iter().cloned()).collect();
        Ok(embedding)
    }

    /// Embeds some of the new records and facts with the chosen model, reusing it if it is open for
    /// questions.
    pub(crate) fn embed_new_records(
        &mut self,
        session: &Session,
        space: &mut Space,
    ) -> Result<(), Failure> {
        let configuration = session.configuration(Some(space.path()))?;
        if configuration.chosen().selection == Selection::BuiltIn {
            return Ok(());
        }
        let name = configuration.chosen().selection.to_string();
        if space.waiting_embeddings(&name, session.now)?.is_some() || self.backs_off(&name) {
            return Ok(());
        }
        let embedder = match self.open.remove(&name) {
            Some(Opened::Ready(embedder)) => Ok(Some(embedder)),
            _ => open_chosen(&configuration, space, Some(Wait::each(QUESTION_TIMEOUT)))?,
        };
        match embedder {
            Ok(Some(mut embedder)) => {
                let now = &jiff::Timestamp::now;
                let until = Some(jiff::Timestamp::now() + QUESTION_TIMEOUT);
                let portion = Portion { texts_max: TEXTS_BETWEEN_CALLS, until };
                let read = space.embed(embedder.as_mut(), &name, portion, now, &mut |_| {})?;
                if read.error.is_none() {
                    self.open.insert(name, Opened::Ready(embedder));
                }
            }
            Ok(None) => {}
            Err(error) => {
                space.note_unopened(&name, &error, jiff::Timestamp::now())?;
                self.open.insert(name, Opened::backing_off(error));
            }
        }
        Ok(())
    }

    fn backs_off(&self, name: &str) -> bool {
        matches!(self.open.get(name), Some(Opened::BackingOff { until, .. }) if Instant::now() < *until)
    }

    fn embed_all(
        &mut self,
        session: &Session,
        space: &mut Space,
        texts: &[String],
    ) -> Result<QueryEmbedding, Failure> {
        let configuration = session.configuration(Some(space.path()))?;
        let mut failed = None;
        let ready = if texts.is_empty() { Vec::new() } else { serving(&configuration, space)? };
        let chosen = &configuration.chosen().selection;
        if ready.is_empty() && !texts.is_empty() && *chosen != Selection::BuiltIn {
            let detail = "it has not embedded enough of this memory yet; `because embed` continues"
                .to_owned();
            failed = Some(EmbedError::Unusable { place: chosen.to_string(), detail });
        }
        for ready in ready {
            let questions =
                texts.iter().map(|text| space.question_to_embed(text, Some(session.today())));
            let mut questions: Vec<String> = questions.collect::<Result<_, _>>()?;
            // Where a question names a person, it is another one about facts.
            let of_facts = texts.iter().map(|text| fact_question_to_embed(text)).enumerate();
            let of_facts: Vec<(usize, String)> =
                of_facts.filter(|(at, text)| questions.get(*at) != Some(text)).collect();
            questions.extend(of_facts.iter().map(|(_, text)| text.clone()));
            match self.vectors(&configuration, &ready, &questions) {
                Ok(mut numbers) => {
                    let numbers_of_facts = numbers.split_off(texts.len().min(numbers.len()));
                    let mut vectors: Vec<ByModel> = numbers
                        .into_iter()
                        .map(|numbers| ByModel::new(ready.number, numbers))
                        .collect();
                    for ((at, _), numbers) in of_facts.into_iter().zip(numbers_of_facts) {
                        if let Some(vector) = vectors.get_mut(at) {
                            vector.of_facts = Some(QuestionVector { model: ready.number, numbers });
                        }
                    }
                    return Ok(QueryEmbedding {
                        vectors,
                        model: ready.model.to_string(),
                        error: None,
                    });
                }
                // The first error is that of the preferred model. A service that does not answer is
                // not waited for twice.
                Err(error) => {
                    let waited = error.is_transient();
                    failed.get_or_insert(error);
                    if waited {
                        break;
                    }
                }
            }
        }
        Ok(QueryEmbedding::built_in(failed))
    }

    /// Embeds texts with a model, unless it is backing off.
    fn vectors(
        &mut self,
        configuration: &Configuration,
        ready: &Ready,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embedder = match self.open.remove(&ready.choice) {
            Some(Opened::Ready(embedder)) => Ok(embedder),
            Some(Opened::BackingOff { error, until }) if Instant::now() < until => {
                self.open.insert(
                    ready.choice.clone(),
                    Opened::BackingOff { error: error.clone(), until },
                );
                return Err(error);
            }
            _ => open_for_questions(configuration, ready),
        };
        let answered = embedder
            .and_then(|mut embedder| Ok((embed(embedder.as_mut(), ready, texts)?, embedder)));
        let (opened, answered) = match answered {
            Ok((vectors, embedder)) => (Opened::Ready(embedder), Ok(vectors)),
            Err(error) => (Opened::backing_off(error.clone()), Err(error)),
        };
        self.open.insert(ready.choice.clone(), opened);
        answered
    }
}

/// The models whose vectors may be searched in a space, best first.
pub(crate) fn serving(
    configuration: &Configuration,
    space: &mut Space,
) -> Result<Vec<Ready>, Failure> {
    let chosen = &configuration.chosen().selection;
    if *chosen == Selection::BuiltIn {
        return Ok(Vec::new());
    }
    let mut ready = space.ready_embeddings(&chosen.to_string())?;
    ready.retain(|ready| {
        ready.choice.parse().is_ok_and(|selection| configuration.may_open(&selection))
    });
    Ok(ready)
}

fn open_for_questions(
    configuration: &Configuration,
    ready: &Ready,
) -> Result<Box<dyn Embedder>, EmbedError> {
    let unusable = |detail: String| EmbedError::Unusable { place: ready.choice.clone(), detail };
    let selection =
        ready.choice.parse().map_err(|_| unusable("this does not name a model".to_owned()))?;
    let mut choice = choice_to_open(configuration, &selection)?;
    choice.service_config.timeout = Some(
        choice.service_config.timeout.map_or(QUESTION_TIMEOUT, |set| set.min(QUESTION_TIMEOUT)),
    );
    choice.service_config.dimensions_known = Some(ready.model.dimensions);
    models::choice::open(&choice)?
        .ok_or_else(|| unusable("this model stores no vectors".to_owned()))
}

fn embed(
    embedder: &mut dyn Embedder,
    ready: &Ready,
    texts: &[String],
) -> Result<Vec<Vec<f32>>, EmbedError> {
    if *embedder.model() != ready.model {
        let detail = format!(
            "it is {} now, and the space was embedded by {}; `because embed` embeds it again",
            embedder.model(),
            ready.model
        );
        return Err(EmbedError::Unusable { place: ready.choice.clone(), detail });
    }
    let provider = ready.model.provider.clone();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Purpose::Question)?;
    if vectors.len() != texts.len() {
        let detail = format!("{} vectors of {} texts", vectors.len(), texts.len());
        return Err(EmbedError::Unreadable { provider, detail });
    }
    for vector in &vectors {
        if vector.len() != ready.model.dimensions {
            let (expected, found) = (ready.model.dimensions, vector.len());
            return Err(EmbedError::WrongDimensions { provider, expected, found });
        }
        if !vector.iter().all(|number| number.is_finite()) {
            return Err(EmbedError::Unreadable {
                provider,
                detail: "a vector with a component that is not finite".to_owned(),
            });
        }
    }
    Ok(vectors)
}
