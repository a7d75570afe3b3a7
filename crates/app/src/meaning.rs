//! Which model answers a question, and having it read what was recorded.
//!
//! The space names the models whose vectors it has, but not what is opened: a space can come from a
//! stranger, and whoever it names would hear what is asked. So beside the model that the user chose
//! only such are opened as the user would be asked for anyway: of the same service, fetched by the
//! user, or allowed by `embedder.spaces_may_choose`. Whatever fails here, recall goes on with the
//! built-in table.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use engine::Space;
use engine::embed::{Embedded, Portion, Ready, Unopened, may_wait};
use engine::recall::context::Request;
use engine::recall::episodes::ByModel;
use models::choice::{BUILT_IN, Choice, Selection};
use models::{EmbedError, Embedder, Purpose};
use serde_json::json;
use store::sqlite::ModelNumber;

use crate::cli::Session;
use crate::cli::doctor::advice;
use crate::failure::Failure;
use crate::output::{self, DIM, Form, count, printable};
use crate::settings::{Settings, SettingsError};

/// Longest wait for a question's vector: somebody is waiting for the answer.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a model that did not answer is left in peace by a process that goes on, so that not
/// every question waits for it.
const REST: Duration = Duration::from_secs(30);
/// What reading after something was written down may take in all, however often the model is asked
/// for it.
const READING_AFTER_REMEMBERING: Duration = Duration::from_secs(3);
/// Texts that are embedded then, at most: the rest is left to `because embed`.
const TEXTS_AFTER_REMEMBERING: u64 = 512;
/// The same between two calls of an agent, of which the next should not have to wait.
const TEXTS_BETWEEN_CALLS: u64 = 32;

/// What became of the vectors of what was asked.
pub(crate) struct QueryEmbedding {
    /// One for each text that was asked, where another model than the built-in table answers.
    vectors: Vec<ByModel>,
    /// Who answers.
    pub(crate) model: String,
    /// Why it is not the model that has read the space.
    pub(crate) error: Option<EmbedError>,
}

impl QueryEmbedding {
    fn built_in(error: Option<EmbedError>) -> Self {
        Self { vectors: Vec::new(), model: BUILT_IN.to_owned(), error }
    }

    /// The question, where another model than the built-in table answers.
    pub(crate) fn vector(&self) -> Option<ByModel> {
        self.vectors.first().cloned()
    }

    /// Somebody may drop a model's vectors before they are asked.
    pub(crate) fn served_by(&mut self, model: Option<ModelNumber>) {
        if model.is_none() {
            self.model = BUILT_IN.to_owned();
        }
    }

    /// For `--json`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let error = self
            .error
            .as_ref()
            .map(|error| json!({ "code": error.code(), "message": error.to_string() }));
        json!({ "model": self.model, "error": error })
    }

    /// Tells people that the built-in table answered where another model should have.
    pub(crate) fn tell(&self, form: Form) {
        if let (Form::Text, Some(error)) = (form, &self.error) {
            let error = printable(&error.to_string());
            output::note(format_args!("{DIM}{error}; the built-in model answered instead{DIM:#}"));
        }
    }
}

/// Models that are open for questions, by what the user calls them. How a model is reached counts
/// as it was when it was opened.
#[derive(Default)]
pub(crate) struct EmbedderPool {
    open: HashMap<String, Opened>,
}

/// A model, or why it is not asked just now.
enum Opened {
    Ready(Box<dyn Embedder>),
    Resting { error: EmbedError, until: Instant },
}

impl Opened {
    fn resting(error: EmbedError) -> Self {
        Self::Resting { error, until: Instant::now() + REST }
    }
}

impl EmbedderPool {
    /// The vector of a question by the model that serves in a space.
    pub(crate) fn ask(
        &mut self,
        session: &Session,
        space: &mut Space,
        text: &str,
    ) -> Result<QueryEmbedding, Failure> {
        self.ask_all(session, space, &[text.to_owned()])
    }

    /// The vectors of what a context is looked for by, put into its request.
    pub(crate) fn ask_for_context(
        &mut self,
        session: &Session,
        space: &mut Space,
        request: &mut Request,
    ) -> Result<QueryEmbedding, Failure> {
        let questions = request.questions();
        let meant = self.ask_all(session, space, &questions)?;
        request.by_model = questions.into_iter().zip(meant.vectors.iter().cloned()).collect();
        Ok(meant)
    }

    /// Has the chosen model read some of what was recorded; if it is open for questions, as it is.
    pub(crate) fn read_what_is_new(
        &mut self,
        session: &Session,
        space: &mut Space,
    ) -> Result<(), Failure> {
        let settings = session.settings(Some(space.path()))?;
        if settings.chosen().selection == Selection::BuiltIn {
            return Ok(());
        }
        let name = settings.chosen().selection.to_string();
        if space.waiting_embeddings(&name, session.now)?.is_some() || self.rests(&name) {
            return Ok(());
        }
        let embedder = match self.open.remove(&name) {
            Some(Opened::Ready(embedder)) => Ok(Some(embedder)),
            _ => open_to_read(&settings, space, Some(Wait::each(QUESTION_TIMEOUT)))?,
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
                self.open.insert(name, Opened::resting(error));
            }
        }
        Ok(())
    }

    fn rests(&self, name: &str) -> bool {
        matches!(self.open.get(name), Some(Opened::Resting { until, .. }) if Instant::now() < *until)
    }

    fn ask_all(
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
            let asked =
                texts.iter().map(|text| space.question_to_embed(text, Some(session.today())));
            let asked: Vec<String> = asked.collect::<Result<_, _>>()?;
            match self.vectors(&settings, &ready, &asked) {
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

    /// Asks a model, unless it rests.
    fn vectors(
        &mut self,
        settings: &Settings,
        ready: &Ready,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embedder = match self.open.remove(&ready.choice) {
            Some(Opened::Ready(embedder)) => Ok(embedder),
            Some(Opened::Resting { error, until }) if Instant::now() < until => {
                self.open
                    .insert(ready.choice.clone(), Opened::Resting { error: error.clone(), until });
                return Err(error);
            }
            _ => open_to_ask(settings, ready),
        };
        let answered =
            embedder.and_then(|mut embedder| Ok((ask(embedder.as_mut(), ready, texts)?, embedder)));
        let (opened, answered) = match answered {
            Ok((vectors, embedder)) => (Opened::Ready(embedder), Ok(vectors)),
            Err(error) => (Opened::resting(error.clone()), Err(error)),
        };
        self.open.insert(ready.choice.clone(), opened);
        answered
    }
}

/// The models that may answer in a space, best first.
pub(crate) fn serving(settings: &Settings, space: &mut Space) -> Result<Vec<Ready>, Failure> {
    let chosen = &settings.chosen().selection;
    if *chosen == Selection::BuiltIn {
        return Ok(Vec::new());
    }
    let mut ready = space.ready_embeddings(&chosen.to_string())?;
    ready.retain(|ready| ready.choice.parse().is_ok_and(|selection| settings.may_open(&selection)));
    Ok(ready)
}

fn open_to_ask(settings: &Settings, ready: &Ready) -> Result<Box<dyn Embedder>, EmbedError> {
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

fn ask(
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
                detail: "a vector that is no direction".to_owned(),
            });
        }
    }
    Ok(vectors)
}

/// How long somebody waits for a model.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    /// For each answer, at most.
    each: Duration,
    /// For the last of them.
    until: Option<Instant>,
}

impl Wait {
    fn each(each: Duration) -> Self {
        Self { each, until: None }
    }

    fn in_all(all: Duration) -> Self {
        Self { each: all, until: Some(Instant::now() + all) }
    }
}

/// A key that is not where the settings say keeps a model from being opened, and nothing else from
/// being done.
fn choice_to_open(settings: &Settings, selection: &Selection) -> Result<Choice, EmbedError> {
    let unusable = |error: SettingsError| EmbedError::Unusable {
        place: selection.to_string(),
        detail: error.to_string(),
    };
    settings.choice_of(selection).map_err(unusable)
}

/// The model that the settings choose for a space, opened; none if it is the built-in one.
pub(crate) fn open_to_read(
    settings: &Settings,
    space: &mut Space,
    wait: Option<Wait>,
) -> Result<Result<Option<Box<dyn Embedder>>, EmbedError>, Failure> {
    let selection = &settings.chosen().selection;
    if *selection == Selection::BuiltIn {
        return Ok(Ok(None));
    }
    let mut choice = match choice_to_open(settings, selection) {
        Ok(choice) => choice,
        Err(error) => return Ok(Err(error)),
    };
    let name = selection.to_string();
    if let Some(wait) = wait {
        choice.service_config.timeout =
            Some(choice.service_config.timeout.map_or(wait.each, |set| set.min(wait.each)));
        choice.service_config.deadline = wait.until;
    }
    // A model that has read before need not be asked how long its vectors are.
    let known = space.embedding_status()?.into_iter().find(|known| known.choice == name);
    choice.service_config.dimensions_known = known.map(|known| known.dimensions);
    Ok(models::choice::open(&choice))
}

/// What there was to read after something was recorded, and whether it was all read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// One record: nobody waits long for it.
    Remembering,
    /// A source.
    Importing,
}

/// Has the chosen model read what was recorded, without waiting for it where it does not answer.
/// None if the built-in model is enough.
pub(crate) fn after_a_write(session: &Session, after: After) -> Result<Option<Embedded>, Failure> {
    let finder = session.finder()?;
    let settings = session.settings(Some(&finder.path()?))?;
    if settings.chosen().selection == Selection::BuiltIn {
        return Ok(None);
    }
    let mut space = finder.open()?;
    if space.is_read_only() {
        return Ok(None);
    }
    let name = settings.chosen().selection.to_string();
    let (wait, portion) = match after {
        After::Remembering => {
            let until = Some(jiff::Timestamp::now() + READING_AFTER_REMEMBERING);
            let portion = Portion { texts_max: TEXTS_AFTER_REMEMBERING, until };
            (Some(Wait::in_all(READING_AFTER_REMEMBERING)), portion)
        }
        After::Importing => (None, Portion::ALL),
    };
    if let Some(embedded) = space.waiting_embeddings(&name, session.now)? {
        tell_of_the_rest(session, &embedded);
        return Ok(Some(embedded));
    }
    let embedded = match open_to_read(&settings, &mut space, wait)? {
        Ok(None) => return Ok(None),
        Err(error) => space.note_unopened(&name, &error, jiff::Timestamp::now()),
        Ok(Some(mut embedder)) => {
            let bar = output::progress(None, "{spinner} embedding {msg}");
            let mut progress = |done: &Embedded| bar.set_message(count(done.embedded, "record"));
            let embedded = space.embed(
                embedder.as_mut(),
                &name,
                portion,
                &jiff::Timestamp::now,
                &mut progress,
            );
            bar.finish_and_clear();
            embedded
        }
    };
    let embedded = match embedded {
        Err(error) if may_wait(&error) => {
            Embedded { error: Some(error.to_string()), ..Embedded::default() }
        }
        other => other?,
    };
    tell_of_the_rest(session, &embedded);
    Ok(Some(embedded))
}

/// Tells people what was left, and why.
fn tell_of_the_rest(session: &Session, embedded: &Embedded) {
    if session.form != Form::Text || embedded.is_done() {
        return;
    }
    let why =
        embedded.error.as_ref().map(|error| format!("{}; ", printable(error))).unwrap_or_default();
    let left = match embedded.pending {
        0 => String::new(),
        pending => format!("{} left to read: ", count(pending, "record")),
    };
    output::note(format_args!(
        "{DIM}{why}{left}what was recorded is found by its words and the built-in model, and `because embed` goes on later{DIM:#}"
    ));
}

/// Why the chosen model could not be opened the last time, as `because status` shows it.
pub(crate) fn unopened(
    settings: &Settings,
    space: &mut Space,
) -> Result<Option<Unopened>, Failure> {
    Ok(space.unopened_embedder(&settings.chosen().selection.to_string())?)
}

/// The models of a space as `because status` shows them.
pub(crate) fn status(
    settings: &Settings,
    space: &mut Space,
) -> Result<Vec<serde_json::Value>, Failure> {
    let serves = serving(settings, space)?.into_iter().next().map(|ready| ready.number);
    let mut shown = Vec::new();
    for model in space.embedding_status()? {
        let mut value = serde_json::to_value(&model).map_err(std::io::Error::from)?;
        value["serves"] = (serves == Some(model.number)).into();
        shown.push(value);
    }
    Ok(shown)
}

/// Both for people.
pub(crate) fn print_status(
    session: &Session,
    settings: &Settings,
    space: &mut Space,
) -> Result<(), Failure> {
    let serves = serving(settings, space)?.into_iter().next().map(|ready| ready.number);
    let again = |next: Option<jiff::Timestamp>| {
        next.map(|next| format!("; again at {}", session.clock(next)))
    };
    if let Some(Unopened { code, message, next_try, .. }) = unopened(settings, space)? {
        let again = again(next_try).unwrap_or_default();
        output::line(format_args!(
            "              could not be opened the last time: {}{again}",
            printable(&message)
        ))?;
        output::line(format_args!("              {}", advice(&code)))?;
    }
    for (number, model) in space.embedding_status()?.into_iter().enumerate() {
        let head = if number == 0 { "vectors" } else { "" };
        let role = if serves == Some(model.number) { "; asked for questions" } else { "" };
        let refused =
            if model.failed > 0 { format!(", {} refused", model.failed) } else { String::new() };
        output::line(format_args!(
            "  {head:<10}  {}: {} embedded, {} to go{refused}{role}",
            printable(&model.choice),
            model.embedded,
            model.pending
        ))?;
        if let Some(error) = &model.last_error {
            let again = again(model.next_try).unwrap_or_default();
            output::line(format_args!("              {}{again}", printable(error)))?;
        }
    }
    Ok(())
}
