//! Choosing among the candidates with a language model.
//!
//! The model sees what the target says and the candidates, and nothing else. It chooses those that
//! best account for the target, says why and how sure it is; what is not among the candidates is
//! dropped. If it cannot be asked or fails, the answer by rules stands, with a note.

use std::collections::BTreeSet;

use engine::EngineError;
use engine::why::{Candidate, Choice, Why};
use engine::write::import::Intent;
use kernel::id::OpId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::service::Session;
use crate::service::model_request::{
    Answerer, ModelAccess, ModelAnswer, ModelOrigin, ModelTask, Prompt, PromptCut, QuotedRecord,
};
use crate::service::opening::OpenedSpace;

/// The version of the prompt, which every stored answer names.
pub(crate) const PROMPT_VERSION: &str = "why-1";
/// Longest prompt, bytes: more than the most candidates with long texts.
const PROMPT_BYTES_MAX: usize = 256 << 10;
/// Longest explanation that is taken, bytes.
const EXPLANATION_BYTES_MAX: usize = 4_000;
/// Most names that an answer may have.
const CHOSEN_MAX: usize = 100;
/// The field of a stored answer that names what the model was shown.
const SHOWN: &str = engine::write::transcript::SHOWN_ROLE;

/// What the model has to do.
const TASK: ModelTask =
    ModelTask { name: "why", version: PROMPT_VERSION, instructions: INSTRUCTIONS, schema };

const INSTRUCTIONS: &str = "You find out why something was decided, done or stated. `target` says \
    what it is. `candidates` are the only records that may account for it: `via` says how each is \
    joined to the target, `in_window` whether it is true at the time. Choose the fewest candidates \
    that together account for the target; do not choose one because it is merely about the same \
    subject. `chosen` holds their `id`s and no others. `explanation` says in one to three \
    sentences, in the language of the target, how they account for it, and states nothing that is \
    not in the records. `confidence` from 0 to 1 is how sure you are that they do. If the \
    candidates do not account for the target, `status` is insufficient and `chosen` is empty.";

/// What the model chose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ModelChoice {
    /// The model and the prompt.
    #[serde(flatten)]
    pub(crate) origin: ModelOrigin,
    /// Why, in words.
    pub(crate) explanation: String,
    /// How sure it is.
    pub(crate) confidence: f64,
    /// What it named that is not a candidate, and was dropped.
    pub(crate) dropped: Vec<String>,
    /// What it was not shown.
    pub(crate) cut: PromptCut,
}

/// What became of asking the model.
pub(crate) enum Choosing {
    /// None was to be asked.
    Rules,
    /// It was not asked.
    NotAsked(NotAsked),
    /// It chose.
    Chosen(ModelChoice),
    /// It failed; the answer by rules stands.
    Failed(Failure),
}

/// Why the model was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NotAsked {
    /// It is a dry run, which sends nothing and costs nothing.
    DryRun,
    /// There is nothing to choose from.
    NoCandidates,
    /// The target is private.
    TargetIsPrivate,
    /// All candidates are private.
    CandidatesArePrivate,
}

impl NotAsked {
    /// It in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::DryRun => "the language model was not asked: this is a dry run",
            Self::NoCandidates => "the language model was not asked: there are no candidates",
            Self::TargetIsPrivate => {
                "the language model was not asked: this is private (mind.allow_private allows it)"
            }
            Self::CandidatesArePrivate => {
                "the language model was not asked: all candidates are private \
                 (mind.allow_private allows it)"
            }
        }
    }
}

#[derive(Debug, Deserialize)]
struct WhyAnswer {
    status: String,
    chosen: Vec<String>,
    explanation: String,
    confidence: f64,
}

/// Lets the model choose, if one is to be asked, and puts its choice into the answer.
pub(crate) fn choose(
    why: &mut Why,
    answerer: Answerer<'_>,
    space: &mut OpenedSpace,
    session: &Session,
    intent: Intent,
) -> Result<Choosing, EngineError> {
    let mut access = match answerer {
        Answerer::Rules => return Ok(Choosing::Rules),
        _ if intent == Intent::DryRun => return Ok(Choosing::NotAsked(NotAsked::DryRun)),
        _ if why.candidates.is_empty() => return Ok(Choosing::NotAsked(NotAsked::NoCandidates)),
        Answerer::Unopened(failure) => return Ok(Choosing::Failed(failure)),
        Answerer::Model(access) => access,
    };
    let prompt = match prompt(why, &access, space)? {
        Ok(prompt) => prompt,
        Err(reason) => return Ok(Choosing::NotAsked(reason)),
    };
    Ok(match access.ask::<WhyAnswer>(&TASK, &prompt, space, session) {
        Ok(answer) => Choosing::Chosen(take(why, answer, &prompt)),
        Err(failure) => Choosing::Failed(failure),
    })
}

/// The target and the candidates, or why the model cannot be asked about them.
fn prompt(
    why: &Why,
    access: &ModelAccess<'_>,
    space: &OpenedSpace,
) -> Result<Result<Prompt, NotAsked>, EngineError> {
    let target = &why.target;
    let mut prompt = access.prompt(space, PROMPT_BYTES_MAX);
    let quoted = QuotedRecord::new(target.id, &target.kind, target.content.as_str());
    prompt.add_records(space, "target", vec![quoted.with("type", &target.record_type)])?;
    if prompt.shown().next().is_none() {
        return Ok(Err(NotAsked::TargetIsPrivate));
    }
    let candidate = |found: &Candidate| {
        QuotedRecord::new(found.id, &found.kind, found.text.as_str())
            .with("type", &found.record_type)
            .with("confidence", found.confidence)
            .with("via", found.via)
            .with("in_window", found.in_window)
            .with("valid_from", &found.valid_from)
            .with("valid_to", &found.valid_to)
    };
    prompt.add_records(space, "candidates", why.candidates.iter().map(candidate).collect())?;
    if prompt.shown().all(|id| id == target.id) {
        return Ok(Err(NotAsked::CandidatesArePrivate));
    }
    Ok(Ok(prompt))
}

/// Takes from an answer what names candidates that the prompt showed.
fn take(why: &mut Why, answer: ModelAnswer<WhyAnswer>, prompt: &Prompt) -> ModelChoice {
    let ModelAnswer {
        value: WhyAnswer { status, chosen, explanation, confidence }, origin, ..
    } = answer;
    let end = explanation.floor_char_boundary(EXPLANATION_BYTES_MAX);
    let explanation = explanation.get(..end).unwrap_or_default().trim().to_owned();
    let mut details = origin.fields();
    let shown: Vec<OpId> = prompt.shown().collect();
    details.insert(SHOWN.to_owned(), json!(shown));
    let candidates: BTreeSet<OpId> = why.candidates.iter().map(|found| found.id).collect();
    let (mut ids, mut dropped) = (Vec::new(), Vec::new());
    for name in chosen {
        match prompt.id_of(&name).filter(|id| candidates.contains(id)) {
            Some(id) => ids.push(id),
            None => dropped.push(name),
        }
    }
    if status != "supported" {
        ids.clear();
    }
    why.choose(Choice {
        chosen: ids,
        explanation: explanation.clone(),
        confidence,
        method: origin.model.clone(),
        details,
        is_private: prompt.has_private(),
    });
    ModelChoice { origin, explanation, confidence, dropped, cut: prompt.cut() }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": { "type": "string", "enum": ["supported", "insufficient"] },
            "chosen": { "type": "array", "items": { "type": "string" }, "maxItems": CHOSEN_MAX },
            "explanation": { "type": "string" },
            "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
        },
        "required": ["status", "chosen", "explanation", "confidence"],
        "additionalProperties": false,
    })
}
