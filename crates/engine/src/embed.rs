//! The queue of records, facts and thoughts that an embedding model, other than the built-in table,
//! has yet to embed. Records come first, then claims, corrections and nodes that count, then
//! thoughts.
//!
//! Texts go to the model in batches, outside of any transaction. The vectors are written together
//! with the position up to which the model has read, so nothing is lost or embedded twice when a
//! process is killed. A model that does not answer is called again after a wait that doubles each
//! time; meanwhile recall uses the vectors that exist. When a model refuses a batch, it is called
//! with a harmless text. If it refuses that too, the API key or the model's name is wrong and the
//! queue stops. Otherwise one of the texts is the cause: it is found by halving the batch, noted
//! and skipped.

use importers::secrets::without_secrets;
use jiff::Timestamp;
use models::{EmbedError, Embedder, Model, Purpose};
use retrieval::question::ends::both_ends;
use retrieval::text::cut;
use store::sqlite::{
    BatchSize, Embedding, EmbeddingBatch, EmbeddingModel, FactBatch, ModelNumber, SqliteSpace,
    ThoughtBatch, UnopenedModel,
};
use store::{Position, StoreError};

use crate::{EngineError, Reader, Writer, now_us};

/// First wait after a model did not answer, seconds; each further one is twice as long.
const WAIT_S_MIN: u64 = 1;
/// Longest wait, seconds, unless the model asks for a longer one.
const WAIT_S_MAX: u64 = 600;
/// Longest wait that a model may ask for, seconds.
const WAIT_REQUESTED_S_MAX: u64 = 24 * 3600;
/// Most texts of one call, whatever the model allows.
const BATCH_MAX: usize = 1_024;
/// Most texts of one call while a caller waits: a call that has begun is always finished.
const BATCH_WAITED_FOR_MAX: usize = 32;
/// Bytes of texts of one call, so that memory is bounded and a kill loses little.
const BATCH_BYTES_MAX: usize = 1 << 20;
/// Longest part of a question that a model reads, bytes.
const QUESTION_BYTES_MAX: usize = 8_000;
/// A text that no model has a reason to refuse.
const HARMLESS: &str = "memory";

/// How far a model has read.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Embedded {
    /// Texts that were embedded now.
    pub embedded: u64,
    /// Texts that were refused now.
    pub failed: u64,
    /// Records, facts and thoughts that are still to be read.
    pub pending: u64,
    /// When the model may be asked again, if it did not answer.
    #[serde(serialize_with = "as_text")]
    pub waiting_until: Option<Timestamp>,
    /// Why it stopped before the end.
    pub error: Option<String>,
    /// The error's stable code.
    pub code: Option<&'static str>,
}

/// How much a model reads at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// Most texts.
    pub texts_max: u64,
    /// When nothing more is begun, where somebody waits.
    pub until: Option<Timestamp>,
}

impl Portion {
    /// All that there is.
    pub const ALL: Self = Self { texts_max: u64::MAX, until: None };
}

/// A model as `because status` shows it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct EmbeddingStatus {
    /// Its number in the file.
    pub number: ModelNumber,
    /// Who runs it.
    pub provider: String,
    /// Its name there.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// What the user calls it.
    pub choice: String,
    /// Records, facts and thoughts that have a vector.
    pub embedded: u64,
    /// Records, facts and thoughts that it has still to read.
    pub pending: u64,
    /// Texts that it refused.
    pub failed: u64,
    /// How often in a row it did not answer.
    pub attempts: u32,
    /// Why it did not answer the last time.
    pub last_error: Option<String>,
    /// When it may be asked again.
    #[serde(serialize_with = "as_text")]
    pub next_try: Option<Timestamp>,
    /// Whether it has read enough to answer.
    pub is_ready: bool,
}

/// A model that could not be opened, as `because status` shows it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Unopened {
    /// The error's stable code.
    pub code: String,
    /// Why it could not be opened the last time.
    pub message: String,
    /// How often in a row it could not be opened.
    pub attempts: u32,
    /// When to try again; at the next occasion without it.
    #[serde(serialize_with = "as_text")]
    pub next_try: Option<Timestamp>,
}

/// A model that has read enough to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Its number in the file.
    pub number: ModelNumber,
    /// What the question's vector must be of.
    pub model: Model,
    /// What the user calls it, to open it.
    pub choice: String,
}

/// What came of one batch.
enum Read {
    /// Something of each text.
    All(Vec<(Position, Embedding)>),
    /// The model is to be asked again, or not at all.
    Stopped(EmbedError),
}

/// What a model reads next.
enum Batch {
    Records(EmbeddingBatch),
    Facts(FactBatch),
    Thoughts(ThoughtBatch),
}

impl Batch {
    /// The next batch of at most `texts_max` texts; none if nothing is left.
    fn next(
        store: &SqliteSpace,
        model: &EmbeddingModel,
        texts_max: usize,
    ) -> Result<Option<Self>, StoreError> {
        let records = store.embedding_batch(model, texts_max)?;
        if records.end != model.reached {
            return Ok(Some(Self::Records(bounded(records))));
        }
        let size = BatchSize { texts_max, bytes_max: BATCH_BYTES_MAX };
        let facts = store.fact_batch(model, size)?;
        if !facts.is_end() {
            return Ok(Some(Self::Facts(facts)));
        }
        let thoughts = store.thought_batch(model, size)?;
        Ok((!thoughts.is_end()).then_some(Self::Thoughts(thoughts)))
    }

    fn texts(&self) -> &[(Position, String)] {
        match self {
            Self::Records(EmbeddingBatch { texts, .. })
            | Self::Facts(FactBatch { texts, .. })
            | Self::Thoughts(ThoughtBatch { texts, .. }) => texts,
        }
    }

    fn write(
        &self,
        store: &mut SqliteSpace,
        model: &EmbeddingModel,
        made: &[(Position, Embedding)],
    ) -> Result<bool, StoreError> {
        match self {
            Self::Records(batch) => store.write_embeddings(model, made, batch.end),
            Self::Facts(batch) => store.write_fact_embeddings(model, made, batch),
            Self::Thoughts(batch) => store.write_thought_embeddings(model, made, batch),
        }
    }
}

impl Writer<'_> {
    /// Has `embedder`, which the user calls `choice`, read a portion of the records, facts and
    /// thoughts that it has not read, the oldest of each first. Stops where it does not answer; the
    /// result says why. Nothing is asked before the time at which the model wanted to be asked
    /// again.
    pub fn embed(
        &mut self,
        embedder: &mut dyn Embedder,
        choice: &str,
        portion: Portion,
        now: &dyn Fn() -> Timestamp,
        progress: &mut dyn FnMut(&Embedded),
    ) -> Result<Embedded, EngineError> {
        self.store.advance(|_| {})?;
        let mut model = self.store.choose_embedding_model(embedder.model(), choice)?;
        let mut done = Embedded::default();
        let mut embedded = 0;
        let is_late = || portion.until.is_some_and(|until| now() >= until);
        let batch_max = if portion.until.is_some() { BATCH_WAITED_FOR_MAX } else { BATCH_MAX };
        let mut facts_pending = self.store.pending_facts(Some(&model))?;
        loop {
            done.pending = self.store.pending_embeddings(model.reached)?
                + facts_pending
                + self.store.pending_thoughts(Some(&model))?;
            progress(&done);
            if let Some(next) = model.next_try_us.filter(|next| *next > now_us(now())) {
                done.waiting_until = Some(timestamp(next));
                done.error = model.last_error;
                return Ok(done);
            }
            let left =
                usize::try_from(portion.texts_max.saturating_sub(embedded)).unwrap_or(usize::MAX);
            if left == 0 || is_late() {
                return Ok(done);
            }
            let texts_max = embedder.batch_max().clamp(1, batch_max).min(left);
            let Some(batch) = Batch::next(self.store, &model, texts_max)? else {
                done.pending = self.store.pending_embeddings(model.reached)?
                    + self.store.pending_thoughts(Some(&model))?;
                return Ok(done);
            };
            embedded += batch.texts().len() as u64;
            match read(embedder, batch.texts()) {
                Read::All(made) => {
                    if !batch.write(self.store, &model, &made)? {
                        // Somebody dropped the model meanwhile, who does not want it to come back.
                        return Ok(done);
                    }
                    let failed = made
                        .iter()
                        .filter(|(_, made)| matches!(made, Embedding::Failed(_)))
                        .count() as u64;
                    done.failed += failed;
                    done.embedded += made.len() as u64 - failed;
                }
                // Who answered before and was cut short at the end is slow; it has not failed.
                Read::Stopped(EmbedError::TimedOut { .. }) if is_late() && done.embedded > 0 => {
                    return Ok(done);
                }
                Read::Stopped(error) => {
                    let next = error.is_transient().then(|| later(now(), &error, model.attempts));
                    self.store.delay_embeddings(&model, next, &error.to_string())?;
                    done.waiting_until = next.map(timestamp);
                    done.code = Some(error.code());
                    done.error = Some(error.to_string());
                    return Ok(done);
                }
            }
            let known = self
                .store
                .embedding_models()?
                .into_iter()
                .find(|known| known.number == model.number);
            model = match (&batch, known) {
                (Batch::Facts(facts), Some(known)) => {
                    facts_pending = facts_pending.saturating_sub(facts.texts.len() as u64);
                    known
                }
                (Batch::Thoughts(_), Some(known)) => known,
                // Who does not get on would not end.
                (Batch::Records(_), Some(known)) if known.reached != model.reached => known,
                _ => return Ok(done),
            };
        }
    }

    /// Notes that the model which the user calls `choice` could not be opened, so that it is not
    /// tried again and again where somebody waits, and [`Reader::unopened_embedder`] knows of it.
    /// What it leaves.
    pub fn note_unopened(
        &mut self,
        choice: &str,
        error: &EmbedError,
        now: Timestamp,
    ) -> Result<Embedded, EngineError> {
        self.store.advance(|_| {})?;
        let attempts = self.store.unopened_model(choice)?.map_or(0, |unopened| unopened.attempts);
        let next_try_us = error.is_transient().then(|| later(now, error, attempts));
        let (code, message) = (error.code(), error.to_string());
        self.store.note_unopened(&UnopenedModel {
            choice: choice.to_owned(),
            attempts: attempts.saturating_add(1),
            next_try_us,
            code: code.to_owned(),
            error: message.clone(),
        })?;
        Ok(Embedded {
            pending: pending_of(self.store, choice)?,
            waiting_until: next_try_us.map(timestamp),
            error: Some(message),
            code: Some(code),
            ..Embedded::default()
        })
    }

    /// Has what is damaged of a model's vectors made again by the next [`Self::embed`]. How many
    /// there were.
    pub fn mend_embeddings(&mut self, model: &Model) -> Result<u64, EngineError> {
        let known = self.store.embedding_models()?.into_iter().find(|known| known.model == *model);
        Ok(known.map(|known| self.store.mend_embeddings(&known)).transpose()?.unwrap_or(0))
    }

    /// Drops a model with its vectors.
    pub fn forget_embeddings(&mut self, number: ModelNumber) -> Result<(), EngineError> {
        Ok(self.store.forget_embeddings(number)?)
    }
}

/// How many records, facts and thoughts the model which the user calls `choice` has still to read.
fn pending_of(store: &SqliteSpace, choice: &str) -> Result<u64, EngineError> {
    let known = store.embedding_models()?.into_iter().find(|known| known.choice == choice);
    let reached = known.as_ref().map_or(Position(0), |known| known.reached);
    Ok(store.pending_embeddings(reached)?
        + store.pending_facts(known.as_ref())?
        + store.pending_thoughts(known.as_ref())?)
}

impl Reader<'_> {
    /// Why the model which the user calls `choice` could not be opened the last time.
    pub fn unopened_embedder(&self, choice: &str) -> Result<Option<Unopened>, EngineError> {
        let unopened = self.store.unopened_model(choice)?;
        Ok(unopened.map(|UnopenedModel { attempts, next_try_us, code, error, .. }| Unopened {
            code,
            message: error,
            attempts,
            next_try: next_try_us.map(timestamp),
        }))
    }

    /// How much the model which the user calls `choice` leaves while it is not to be asked yet.
    pub fn waiting_embeddings(
        &self,
        choice: &str,
        now: Timestamp,
    ) -> Result<Option<Embedded>, EngineError> {
        let known = self.store.embedding_models()?.into_iter().find(|known| known.choice == choice);
        let unopened = self.store.unopened_model(choice)?;
        let tries = [
            known.and_then(|known| known.next_try_us),
            unopened.and_then(|unopened| unopened.next_try_us),
        ];
        let Some(next) = tries.into_iter().flatten().max().filter(|next| *next > now_us(now))
        else {
            return Ok(None);
        };
        let pending = pending_of(self.store, choice)?;
        Ok(Some(Embedded { pending, waiting_until: Some(timestamp(next)), ..Embedded::default() }))
    }

    /// Every model whose vectors there are, the one that was chosen last first.
    pub fn embedding_status(&self) -> Result<Vec<EmbeddingStatus>, EngineError> {
        let mut shown = Vec::new();
        for known in self.store.embedding_models()? {
            let count = self.store.count_embeddings(&known)?;
            let is_ready = self.store.embeddings_serve(&known)?;
            let EmbeddingModel { number, model, choice, attempts, next_try_us, last_error, .. } =
                known;
            shown.push(EmbeddingStatus {
                number,
                provider: model.provider,
                name: model.name,
                dimensions: model.dimensions,
                choice,
                embedded: count.embedded,
                pending: count.pending,
                failed: count.failed,
                attempts,
                last_error,
                next_try: next_try_us.map(timestamp),
                is_ready,
            });
        }
        Ok(shown)
    }

    /// The models that have read enough to answer, in the order in which they should: those that
    /// the user calls `choice`, then the one that was chosen last. While a new model reads, the one
    /// before it answers.
    pub fn ready_embeddings(&self, choice: &str) -> Result<Vec<Ready>, EngineError> {
        let mut ready = Vec::new();
        for known in self.store.embedding_models()? {
            if self.store.embeddings_serve(&known)? {
                ready.push(Ready {
                    number: known.number,
                    model: known.model,
                    choice: known.choice,
                });
            }
        }
        ready.sort_by_key(|ready| ready.choice != choice);
        Ok(ready)
    }

    /// The text that a model embeds for a question: rewritten in the first person of the person
    /// that it names, since that person speaks in the records. A name identifies the speaker, not
    /// the topic. Secrets are masked first, as they are in the records, because no rule recognises
    /// what was cut or rewritten.
    pub fn question_to_embed(
        &self,
        text: &str,
        today: Option<jiff::civil::Date>,
    ) -> Result<String, EngineError> {
        let masked = without_secrets(text);
        let text = &*both_ends(&masked);
        let question =
            self.store.search(|search, analyzer| search.question(text, analyzer, today))?;
        let names = question.mentions.iter().map(|mention| mention.text.as_str());
        // A name that is not certain stays among the words.
        let names: Vec<&str> = names.filter(|name| !question.nameless.contains(name)).collect();
        Ok(cut(&in_first_person(text, &names), QUESTION_BYTES_MAX).to_owned())
    }
}

/// The text that a model embeds for a question about facts or thoughts. They name whom they are
/// about, so names stay.
pub fn fact_question_to_embed(text: &str) -> String {
    let masked = without_secrets(text);
    cut(&both_ends(&masked), QUESTION_BYTES_MAX).to_owned()
}

/// "When does Ana paint Ben's kiln?" becomes "When does I paint my kiln?": models do not mind.
fn in_first_person(text: &str, names: &[&str]) -> String {
    let mut rewritten = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_between_words = true;
    while let Some(first) = rest.chars().next() {
        let behind = |name: &&&str| {
            rest.strip_prefix(**name).filter(|behind| !behind.starts_with(char::is_alphanumeric))
        };
        let named = names.iter().filter(|name| is_between_words && !name.is_empty());
        match named.filter_map(|name| behind(&name)).min_by_key(|behind| behind.len()) {
            Some(behind) => {
                let possessed = ["'s", "’s"].iter().find_map(|mark| behind.strip_prefix(mark));
                rewritten.push_str(if possessed.is_some() { "my" } else { "I" });
                rest = possessed.unwrap_or(behind);
                is_between_words = false;
            }
            None => {
                rewritten.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
                is_between_words = !first.is_alphanumeric();
            }
        }
    }
    rewritten
}

/// As much of a batch as goes into one call.
fn bounded(mut batch: EmbeddingBatch) -> EmbeddingBatch {
    let mut bytes = 0;
    let fitting = batch.texts.iter().take_while(|(_, text)| {
        bytes += text.len();
        bytes <= BATCH_BYTES_MAX
    });
    let fitting = fitting.count().max(1);
    if fitting < batch.texts.len() {
        batch.texts.truncate(fitting);
        batch.end = batch.texts.last().map_or(batch.end, |(position, _)| *position);
    }
    batch
}

/// When the model may be called again, microseconds since the Unix epoch.
fn later(now: Timestamp, error: &EmbedError, attempts: u32) -> u64 {
    let wait_s = match error {
        EmbedError::RateLimited { after: Some(after), .. }
        | EmbedError::Failed { after: Some(after), .. } => {
            Some(after.as_secs().clamp(1, WAIT_REQUESTED_S_MAX))
        }
        _ => None,
    };
    let own = WAIT_S_MIN.checked_shl(attempts.min(32)).unwrap_or(WAIT_S_MAX).min(WAIT_S_MAX);
    now_us(now).saturating_add(wait_s.unwrap_or(own) * 1_000_000)
}

fn as_text<S: serde::Serializer>(
    time: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.collect_str(time),
        None => serializer.serialize_none(),
    }
}

fn timestamp(us: u64) -> Timestamp {
    i64::try_from(us)
        .ok()
        .and_then(|us| Timestamp::from_microsecond(us).ok())
        .unwrap_or(Timestamp::MAX)
}

/// Why a vector of zeros, or one with numbers that are not finite, is refused.
const NO_DIRECTION: &str = "the vector has no direction";

/// Has the model read texts; what it refuses alone is noted.
fn read(embedder: &mut dyn Embedder, texts: &[(Position, String)]) -> Read {
    let mut made = Vec::with_capacity(texts.len());
    let mut is_model_to_blame = None;
    // Halves that are still to be read, the first on top: at most one more than halving goes deep.
    let mut left = vec![texts];
    while let Some(part) = left.pop() {
        if part.is_empty() {
            continue;
        }
        let positions = part.iter().map(|(position, _)| *position);
        let (answer, error) = match vectors(embedder, part) {
            Ok(vectors) => {
                let answer: Vec<Embedding> = vectors.into_iter().map(checked).collect();
                if answer.iter().all(|made| matches!(made, Embedding::Vector(_))) {
                    made.extend(positions.zip(answer));
                    continue;
                }
                let provider = embedder.model().provider.clone();
                (Some(answer), EmbedError::Unreadable { provider, detail: NO_DIRECTION.to_owned() })
            }
            Err(error) => (None, error),
        };
        let may_be_the_text =
            matches!(error, EmbedError::Refused { .. } | EmbedError::Unreadable { .. });
        if !may_be_the_text {
            return Read::Stopped(error);
        }
        if is_model_to_blame.is_none() {
            match vectors(embedder, &[(Position(0), HARMLESS.to_owned())]) {
                Err(other) if other.is_transient() => return Read::Stopped(other),
                Err(_) => is_model_to_blame = Some(true),
                Ok(harmless) => {
                    let is_failure = |made| matches!(made, Embedding::Failed(_));
                    is_model_to_blame = Some(harmless.into_iter().map(checked).any(is_failure));
                }
            }
        }
        if is_model_to_blame == Some(true) {
            return Read::Stopped(error);
        }
        match (answer, part) {
            (Some(answer), _) => made.extend(positions.zip(answer)),
            (None, [(position, _)]) => made.push((*position, Embedding::Failed(error.to_string()))),
            (None, _) => {
                let (first, second) = part.split_at(part.len() / 2);
                left.extend([second, first]);
            }
        }
    }
    Read::All(made)
}

/// One call. A model that answers with another number of vectors or other lengths than it says is
/// not believed at all.
fn vectors(
    embedder: &mut dyn Embedder,
    texts: &[(Position, String)],
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts_only: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = embedder.embed(&texts_only, Purpose::Memory)?;
    let Model { provider, dimensions, .. } = embedder.model().clone();
    if let Some(wrong) = vectors.iter().find(|vector| vector.len() != dimensions) {
        return Err(EmbedError::WrongDimensions {
            provider,
            expected: dimensions,
            found: wrong.len(),
        });
    }
    if vectors.len() != texts.len() {
        let detail = format!("{} vectors for {} texts", vectors.len(), texts.len());
        return Err(EmbedError::Unreadable { provider, detail });
    }
    Ok(vectors)
}

fn checked(vector: Vec<f32>) -> Embedding {
    let is_finite = vector.iter().all(|number| number.is_finite());
    if is_finite && vector.iter().any(|number| number.abs() >= f32::MIN_POSITIVE) {
        Embedding::Vector(vector)
    } else {
        Embedding::Failed(NO_DIRECTION.to_owned())
    }
}

impl Embedded {
    /// Whether nothing is left to read.
    pub fn is_done(&self) -> bool {
        self.pending == 0 && self.error.is_none()
    }
}

/// Whether a command that did its work may ignore this failure of the store: vectors can be made
/// later.
pub fn may_wait(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Store(
            StoreError::Busy { .. }
                | StoreError::ReadOnly
                | StoreError::DiskFull
                | StoreError::WriteFailed
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_rewritten_in_the_first_person_of_those_it_names() {
        let check = |text: &str, expected: &str| {
            assert_eq!(in_first_person(text, &["Ana", "Ana Ruiz", "Ben", ""]), expected)
        };
        check("When does Ana paint Ben's kiln?", "When does I paint my kiln?");
        check("Ana Ruiz’s boat, Anabel and Ben", "my boat, Anabel and I");
        check("Banana", "Banana");
        check("", "");
        check("Ben", "I");
    }
}
