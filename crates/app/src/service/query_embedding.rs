//! Which model embeds a question.
//!
//! The space names the models whose vectors it has, but not what is opened: a space can come from a
//! stranger, and whoever it names would hear what is asked. So beside the model that the user chose
//! only such are opened as the user would be asked for anyway: of the same service, fetched by the
//! user, or allowed by `embedder.spaces_may_choose`. Whatever fails here, recall goes on with the
//! built-in table.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use engine::Space;
use engine::embed::{Portion, Ready};
use engine::recall::context::Request;
use engine::recall::episodes::ByModel;
use models::choice::{BUILT_IN, Selection};
use models::{EmbedError, Embedder, Purpose};
use store::sqlite::ModelNumber;

use super::Session;
use super::record_embedding::{Wait, choice_to_open, open_chosen};
use crate::failure::Failure;
use crate::settings::Settings;

/// Longest wait for a question's vector: somebody is waiting for the answer.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a process that goes on does not ask a model again that did not answer, so that not
/// every question waits for it.
const RETRY_AFTER: Duration = Duration::from_secs(30);
/// Texts that are embedded between two calls of an agent, of which the next should not have to
/// wait.
const TEXTS_BETWEEN_CALLS: u64 = 32;

/// The vectors of the texts that are searched by.
pub(crate) struct QueryEmbedding {
    /// One for each text, where another model than the built-in table embeds them.
    vectors: Vec<ByModel>,
    /// The model that embeds them.
    pub(crate) model: String,
    /// Why it is not the chosen model.
    pub(crate) error: Option<EmbedError>,
}

impl QueryEmbedding {
    fn built_in(error: Option<EmbedError>) -> Self {
        Self { vectors: Vec::new(), model: BUILT_IN.to_owned(), error }
    }

    /// The first of them, where another model than the built-in table embeds it.
    pub(crate) fn vector(&self) -> Option<ByModel> {
        self.vectors.first().cloned()
    }

    /// Notes which model served: another process may drop a model's vectors before the search.
    pub(crate) fn served_by(&mut self, model: Option<ModelNumber>) {
        if model.is_none() {
            self.model = BUILT_IN.to_owned();
        }
    }
}

/// Models that are open for questions, by what the user calls them. How a model is reached counts
/// as it was when it was opened.
#[derive(Default)]
pub(crate) struct EmbedderPool {
    open: HashMap<String, Opened>,
}

/// A model, or why it is not asked before a certain time.
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
    /// Embeds a question by the model that serves in a space.
    pub(crate) fn embed(
        &mut self,
        session: &Session,
        space: &mut Space,
        text: &str,
    ) -> Result<QueryEmbedding, Failure> {
        self.embed_all(session, space, &[text.to_owned()])
    }

    /// Embeds what a context is searched by, and puts the vectors into its request.
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

    /// Embeds some of what was recorded by the chosen model, with the one that is open for
    /// questions if there is one.
    pub(crate) fn embed_new_records(
        &mut self,
        session: &Session,
        space: &mut Space,
    ) -> Result<(), Failure> {
        let settings = session.settings(Some(space.path()))?;
        if settings.chosen().selection == Selection::BuiltIn {
            return Ok(());
        }
        let name = settings.chosen().selection.to_string();
        if space.waiting_embeddings(&name, session.now)?.is_some() || self.backs_off(&name) {
            return Ok(());
        }
        let embedder = match self.open.remove(&name) {
            Some(Opened::Ready(embedder)) => Ok(Some(embedder)),
            _ => open_chosen(&settings, space, Some(Wait::each(QUESTION_TIMEOUT)))?,
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
        let settings = session.settings(Some(space.path()))?;
        let mut failed = None;
        let ready = if texts.is_empty() { Vec::new() } else { serving(&settings, space)? };
        let chosen = &settings.chosen().selection;
        if ready.is_empty() && !texts.is_empty() && *chosen != Selection::BuiltIn {
            let detail =
                "it has not read enough of this memory yet; `because embed` has it read".to_owned();
            failed = Some(EmbedError::Unusable { place: chosen.to_string(), detail });
        }
        for ready in ready {
            let questions =
                texts.iter().map(|text| space.question_to_embed(text, Some(session.today())));
            let questions: Vec<String> = questions.collect::<Result<_, _>>()?;
            match self.vectors(&settings, &ready, &questions) {
                Ok(numbers) => {
                    let vectors = numbers
                        .into_iter()
                        .map(|numbers| ByModel::new(ready.number, numbers))
                        .collect();
                    return Ok(QueryEmbedding {
                        vectors,
                        model: ready.model.to_string(),
                        error: None,
                    });
                }
                // The first is the one that should have answered. A service that does not answer is
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

    /// Embeds texts by a model, unless it backs off.
    fn vectors(
        &mut self,
        settings: &Settings,
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
            _ => open_for_questions(settings, ready),
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
pub(crate) fn serving(settings: &Settings, space: &mut Space) -> Result<Vec<Ready>, Failure> {
    let chosen = &settings.chosen().selection;
    if *chosen == Selection::BuiltIn {
        return Ok(Vec::new());
    }
    let mut ready = space.ready_embeddings(&chosen.to_string())?;
    ready.retain(|ready| ready.choice.parse().is_ok_and(|selection| settings.may_open(&selection)));
    Ok(ready)
}

fn open_for_questions(settings: &Settings, ready: &Ready) -> Result<Box<dyn Embedder>, EmbedError> {
    let unusable = |detail: String| EmbedError::Unusable { place: ready.choice.clone(), detail };
    let selection = ready.choice.parse().map_err(|_| unusable("this names no model".to_owned()))?;
    let mut choice = choice_to_open(settings, &selection)?;
    choice.service_config.timeout = Some(
        choice.service_config.timeout.map_or(QUESTION_TIMEOUT, |set| set.min(QUESTION_TIMEOUT)),
    );
    choice.service_config.dimensions_known = Some(ready.model.dimensions);
    models::choice::open(&choice)?
        .ok_or_else(|| unusable("this needs no vectors of its own".to_owned()))
}

fn embed(
    embedder: &mut dyn Embedder,
    ready: &Ready,
    texts: &[String],
) -> Result<Vec<Vec<f32>>, EmbedError> {
    if *embedder.model() != ready.model {
        let detail = format!(
            "it is {} now, and the space was read by {}; `because embed` reads it anew",
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
                detail: "a vector with a number that is not finite".to_owned(),
            });
        }
    }
    Ok(vectors)
}
