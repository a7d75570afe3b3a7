//! The inner voice: a question to memory, answered in sentences that each name their source.
//!
//! Recall finds records, facts, nodes and thoughts over the effective view. Each gets the chance
//! that it answers, and the best become sources. Without a language model the answer is the best
//! sentence of each source, as it was written; a model may word it, and its sentences that cite no
//! source are dropped. Where no source is likely enough to answer, the answer says so. It can be
//! kept as a summary that cites its sources (`docs/design/0047-the-inner-voice.md`), and what the
//! sources name can be staged for the graph.

use engine::recall::receipts::{Recipient, ShownRecord, ShownRecords};
use engine::tokens::{O200k, Tokens};
use kernel::id::ReceiptId;
use serde::Serialize;

use super::Session;
use super::effective::{EffectiveView, Scope};
use super::model_request::{Answerer, ModelOrigin};
use super::opening::OpenedSpace;
use super::query_embedding::{EmbedderPool, QueryEmbedding};
use super::recall::{SearchedSpace, limit_journal};
use crate::failure::{Failure, RequestError};

mod defaults;
mod json;
mod saving;
mod sources;
mod staging;
#[cfg(test)]
mod staging_tests;
#[cfg(test)]
mod tests;
mod wording;

use defaults::Defaults;
pub(crate) use json::to_json;
pub(crate) use saving::{NotSaved, SaveBy, Saving};
pub(crate) use sources::{AnswerSource, SourceKind};
pub(crate) use staging::{AnswerStaging, FoundBy, StagingOptions, StagingRequest};
pub(crate) use wording::Sentence;

/// Most sources that can be asked for.
pub(crate) const TOP_K_MAX: usize = 50;
/// Longest answer, characters.
pub(crate) const ANSWER_CHARS_MAX: usize = 600;
/// What an answer says that has no source.
pub(crate) const NO_MATCH: &str = "Nothing in memory seems to answer this.";

/// A question to the inner voice.
pub(crate) struct AskRequest<'a> {
    /// The question in words.
    pub(crate) question: &'a str,
    /// How many sources at most, 1 to [`TOP_K_MAX`].
    pub(crate) top_k: usize,
    /// Least chance that a source answers.
    pub(crate) sim_thresh: f64,
    /// What is searched; everything if empty.
    pub(crate) kinds: Vec<SourceKind>,
    /// Whether kept answers are sources.
    pub(crate) include_summaries: bool,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch.
    pub(crate) as_of_us: Option<u64>,
    /// True in the world at this time, microseconds since the Unix epoch.
    pub(crate) valid_at_us: Option<i64>,
    /// Most sources that are considered.
    pub(crate) considered_max: usize,
    /// What is staged from the sources; nothing if none.
    pub(crate) staging: Option<StagingRequest<'a>>,
    /// The agent that reads the answer, for receipts.
    pub(crate) reader: Option<Recipient<'a>>,
}

impl<'a> AskRequest<'a> {
    /// A question with the usual options. `top_k` is clamped; a threshold that is not a probability
    /// is refused.
    pub(crate) fn new(
        question: &'a str,
        top_k: Option<i64>,
        sim_thresh: Option<f64>,
    ) -> Result<Self, RequestError> {
        if question.trim().is_empty() {
            return Err(RequestError::EmptyQuestion);
        }
        let defaults = Defaults::read()?;
        let sim_thresh = sim_thresh.unwrap_or(defaults.sim_thresh);
        if !(0.0..=1.0).contains(&sim_thresh) {
            return Err(RequestError::NotAProbability { given: sim_thresh });
        }
        let top_k = top_k.unwrap_or(defaults.top_k).clamp(1, TOP_K_MAX as i64);
        Ok(Self {
            question,
            top_k: usize::try_from(top_k).unwrap_or(1),
            sim_thresh,
            kinds: Vec::new(),
            include_summaries: false,
            as_of_us: None,
            valid_at_us: None,
            considered_max: defaults.considered_max,
            staging: None,
            reader: None,
        })
    }
}

/// An answer.
pub(crate) struct Answer {
    /// It in sentences, each with its sources; empty if there are none.
    pub(crate) sentences: Vec<Sentence>,
    /// What it is from, the likeliest to answer first.
    pub(crate) sources: Vec<AnswerSource>,
    /// The chance that the first source answers, or that the best one would have.
    pub(crate) relevance: f64,
    /// Who worded it.
    pub(crate) wording: Wording,
    /// Whether it was kept.
    pub(crate) saving: Saving,
    /// What was staged from the sources.
    pub(crate) staged: AnswerStaging,
    /// Operations that are not indexed yet.
    pub(crate) behind: u64,
    /// The model that embedded the question.
    pub(crate) embedding: Option<QueryEmbedding>,
    /// The receipts of what was shown.
    pub(crate) receipts: Vec<ReceiptId>,
    /// The number of receipts that could not be written.
    pub(crate) receipts_missing: usize,
}

/// Who worded an answer.
pub(crate) enum Wording {
    /// The sources themselves.
    Extractive,
    /// A language model. So many sentences of its were dropped, because they cite no source.
    Model { origin: ModelOrigin, dropped: usize },
    /// The sources themselves, because a language model was not asked.
    NotAsked(NotWorded),
    /// The sources themselves, because a language model failed.
    Failed(Failure),
}

/// Why a model's words are not the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NotWorded {
    /// All sources are private.
    SourcesArePrivate,
    /// None of its sentences cites a source.
    NothingCited,
}

impl NotWorded {
    /// It in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::SourcesArePrivate => {
                "the language model was not asked: all sources are private \
                 (mind.allow_private allows it)"
            }
            Self::NothingCited => {
                "the language model's answer was dropped: no sentence of it cites a source"
            }
        }
    }
}

impl Answer {
    /// One without sources.
    pub(crate) fn none() -> Self {
        Self {
            sentences: Vec::new(),
            sources: Vec::new(),
            relevance: 0.0,
            wording: Wording::Extractive,
            saving: Saving::NotSaved(NotSaved::NoSource),
            staged: AnswerStaging::none(None),
            behind: 0,
            embedding: None,
            receipts: Vec::new(),
            receipts_missing: 0,
        }
    }

    /// Whether no source is likely enough to answer.
    pub(crate) fn abstains(&self) -> bool {
        self.sources.is_empty()
    }

    /// It in one text, with the number of the source after each sentence.
    pub(crate) fn text(&self) -> String {
        if self.sentences.is_empty() {
            return NO_MATCH.to_owned();
        }
        let sentences: Vec<String> = self.sentences.iter().map(Sentence::marked).collect();
        sentences.join(" ")
    }
}

/// Answers a question from a view. What is written is the kept answer, candidates for the graph if
/// they are asked for, and receipts.
pub(crate) fn ask(
    session: &Session,
    pool: &mut EmbedderPool,
    view: &mut EffectiveView,
    request: &AskRequest<'_>,
    answerer: Answerer<'_>,
    save: Option<SaveBy<'_>>,
) -> Result<Answer, Failure> {
    let (shown, own_scope) = (view.shown, view.scope);
    let EffectiveView { own, home, .. } = view;
    let mut spaces = vec![SpaceInView { opened: own, scope: own_scope, disclosure: shown }];
    spaces.extend(home.as_mut().map(|home| SpaceInView {
        opened: home,
        scope: Scope::Global,
        disclosure: engine::private::Disclosure::GlobalOnly,
    }));
    ask_spaces(session, pool, &mut spaces, request, answerer, save)
}

/// A space that is asked; after the first, the home space under it.
pub(crate) struct SpaceInView<'a> {
    pub(crate) opened: &'a mut OpenedSpace,
    pub(crate) scope: Scope,
    pub(crate) disclosure: engine::private::Disclosure,
}

/// The same for spaces that are open.
pub(crate) fn ask_spaces(
    session: &Session,
    pool: &mut EmbedderPool,
    spaces: &mut [SpaceInView<'_>],
    request: &AskRequest<'_>,
    mut answerer: Answerer<'_>,
    save: Option<SaveBy<'_>>,
) -> Result<Answer, Failure> {
    let found = {
        let mut searched = Vec::with_capacity(spaces.len());
        for (place, asked) in spaces.iter_mut().enumerate() {
            searched.push(match place {
                0 => SearchedSpace::new(&mut asked.opened.space, asked.disclosure),
                _ => SearchedSpace::under_first(session, &mut asked.opened.space)?,
            });
        }
        sources::find(session, pool, &mut searched, request)?
    };
    let mut answer = Answer {
        sources: found.sources,
        relevance: found.relevance,
        saving: Saving::NotSaved(NotSaved::NotWanted),
        behind: found.behind,
        embedding: found.embedding,
        ..Answer::none()
    };
    for source in &mut answer.sources {
        if let Some(asked) = spaces.get(source.space) {
            source.describe(asked.scope, asked.opened.owner.as_ref());
        }
    }
    if !answer.abstains() {
        wording::excerpt(spaces, &found.weights, &mut answer.sources)?;
        answer.sentences = wording::extract(request.question, &answer.sources);
        if let Some(asked) = spaces.first_mut() {
            wording::word(session, &mut answerer, asked.opened, request.question, &mut answer)?;
        }
    }
    if let (Some(by), Some(asked)) = (save, spaces.first_mut()) {
        answer.saving = saving::save(session, asked, request, &answer, by)?;
    }
    if let (Some(staging), Some(asked)) = (&request.staging, spaces.first_mut()) {
        answer.staged = staging::stage(session, answerer, asked, request, staging, &answer)?;
    }
    if let Some(reader) = &request.reader {
        write_receipts(session, spaces, reader, request, &mut answer)?;
    }
    Ok(answer)
}

/// Writes the receipt of what is shown from each space.
fn write_receipts(
    session: &Session,
    spaces: &mut [SpaceInView<'_>],
    reader: &Recipient<'_>,
    request: &AskRequest<'_>,
    answer: &mut Answer,
) -> Result<(), Failure> {
    let count = |text: &str| O200k.count(text) as u64;
    let text = answer.text();
    for (place, asked) in spaces.iter_mut().enumerate() {
        let shown = answer.sources.iter().filter(|source| source.space == place);
        let records: Vec<ShownRecord<'_>> = shown
            .map(|source| ShownRecord {
                id: source.id,
                text: &source.excerpt,
                tokens: count(&source.excerpt),
                score: Some(source.chance),
            })
            .collect();
        if records.is_empty() {
            continue;
        }
        let shown = ShownRecords {
            query: request.question,
            turn: None,
            text: (&text, count(&text)),
            records: &records,
        };
        limit_journal(session, &asked.opened.space);
        match asked.opened.space.receipt_of_records(reader, &shown, session.now)? {
            Some(receipt) => answer.receipts.push(receipt),
            None => answer.receipts_missing += 1,
        }
    }
    Ok(())
}
