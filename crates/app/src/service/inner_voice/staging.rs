//! Candidates for the graph from the sources of an answer.
//!
//! Rules find them or, at the command line, a configured language model. Each waits for the person
//! as a proposal that cites exactly the sources that it was found in, so only sources of the space
//! that is asked count: nothing is copied from the home space. Once something was staged, the
//! sources can be marked for removal (`docs/design/0048-staging.md`).

use engine::EngineError;
use engine::staging::{
    CandidateContent, GraphCandidate, SENTENCE, Staging, StagingLimits, WhyNotStaged,
};
use engine::write::import::Intent;
use kernel::id::OpId;
use kernel::kind::Capability;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::saving::{NotSaved, reason_not_to_write};
use super::sources::AnswerSource;
use super::wording::cut;
use super::{Answer, AskRequest, SaveBy, SpaceInView};
use crate::failure::{Failure, RequestError};
use crate::service::model_request::{
    Answerer, ModelAccess, ModelAnswer, ModelOrigin, ModelTask, QuotedRecord,
};
use crate::service::{Session, handles};

/// The version of the prompt, which every candidate of a model names.
pub(crate) const PROMPT_VERSION: &str = "staging-1";
/// Most entities, and most relations, that one call may stage.
pub(crate) const STAGED_MAX: i64 = 500;
/// Longest prompt, bytes.
const PROMPT_BYTES_MAX: usize = 128 << 10;
/// Longest sentence that a candidate keeps, characters.
const SENTENCE_CHARS_MAX: usize = 300;
/// Most entities, and most relations, that are taken from a model.
const TAKEN_MAX: usize = 500;

/// What the model has to do.
const TASK: ModelTask =
    ModelTask { name: "staging", version: PROMPT_VERSION, instructions: INSTRUCTIONS, schema };

const INSTRUCTIONS: &str = "You find entities and relations in records of a person's memory. \
    `sources` are the only records. `entities` are people, organizations, technologies, pieces of \
    code, files and other things that the records name: `name` as the records spell it, \
    `entity_type` as one of person, organization, technology, code, file, other. `relations` are \
    what the records state outright of two of these entities, and not what they deny, ask, \
    suppose or plan: `source_name` and `target_name` in the order of the text, `rel_type` as a \
    verb in lower case with underscores, such as depends_on, fixed, caused, uses. Each names in \
    `sources` the `id`s of exactly the records that say so, at least one, and has a `confidence` \
    from 0 to 1. Leave out what is doubtful.";

/// What is to be staged from the sources of an answer.
pub(crate) struct StagingRequest<'a> {
    /// How much.
    pub(crate) limits: StagingLimits,
    /// Whether the sources are marked for removal afterwards.
    pub(crate) marks_sources: bool,
    /// With which key.
    pub(crate) by: SaveBy<'a>,
}

/// How much of it, as it was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StagingOptions {
    /// The least confidence.
    pub(crate) confidence_min: Option<f64>,
    /// Most entities.
    pub(crate) max_nodes: Option<i64>,
    /// Most relations.
    pub(crate) max_edges: Option<i64>,
    /// Whether the sources are marked for removal afterwards.
    pub(crate) auto_mark_removal: Option<bool>,
}

/// What became of staging.
pub(crate) struct AnswerStaging {
    /// What was staged, and what was not.
    pub(crate) staging: Staging,
    /// Who found it.
    pub(crate) found_by: FoundBy,
    /// How many sources were marked for removal.
    pub(crate) marked: usize,
    /// Why nothing was staged, if it was not tried.
    pub(crate) reason_not_to: Option<NotSaved>,
}

/// Who found candidates.
pub(crate) enum FoundBy {
    /// Rules.
    Rules,
    /// A language model. So many candidates of its were dropped, because they cite no source.
    Model { origin: ModelOrigin, dropped: usize },
    /// Rules, because a language model failed.
    RulesAfter(Failure),
}

impl StagingOptions {
    /// What is to be staged by a key. The numbers are clamped; a confidence that is not a
    /// probability is refused.
    pub(crate) fn request(self, by: SaveBy<'_>) -> Result<StagingRequest<'_>, RequestError> {
        let usual = StagingLimits::default();
        let confidence_min = self.confidence_min.unwrap_or(usual.confidence_min);
        if !(0.0..=1.0).contains(&confidence_min) {
            return Err(RequestError::NotAProbability { given: confidence_min });
        }
        let most = |asked: Option<i64>, usual: usize| {
            asked.map_or(usual, |most| usize::try_from(most.clamp(0, STAGED_MAX)).unwrap_or(usual))
        };
        let limits = StagingLimits {
            confidence_min,
            nodes_max: most(self.max_nodes, usual.nodes_max),
            edges_max: most(self.max_edges, usual.edges_max),
        };
        let marks_sources = match self.auto_mark_removal {
            Some(marks) => marks,
            None => super::Defaults::read()?.marks_sources,
        };
        Ok(StagingRequest { limits, marks_sources, by })
    }
}

impl AnswerStaging {
    /// One without anything staged.
    pub(crate) fn none(reason_not_to: Option<NotSaved>) -> Self {
        Self { staging: Staging::default(), found_by: FoundBy::Rules, marked: 0, reason_not_to }
    }

    /// How many candidates were left out for a reason.
    pub(crate) fn left_out(&self) -> Map<String, Value> {
        let mut counts: std::collections::BTreeMap<WhyNotStaged, usize> = Default::default();
        for left_out in &self.staging.left_out {
            *counts.entry(left_out.reason).or_default() += 1;
        }
        counts
            .into_iter()
            .map(|(reason, count)| (reason.as_str().to_owned(), json!(count)))
            .collect()
    }
}

/// Stages what the sources of an answer name and state, unless there is a reason not to.
pub(super) fn stage(
    session: &Session,
    answerer: Answerer<'_>,
    asked: &mut SpaceInView<'_>,
    request: &AskRequest<'_>,
    staging: &StagingRequest<'_>,
    answer: &Answer,
) -> Result<AnswerStaging, Failure> {
    let reason = reason_not_to_write(session, asked, request, answer, &staging.by)?;
    if reason.is_some() {
        return Ok(AnswerStaging::none(reason));
    }
    let own: Vec<&AnswerSource> =
        answer.sources.iter().filter(|source| source.space == 0).collect();
    if own.is_empty() {
        return Ok(AnswerStaging::none(Some(NotSaved::HomeSpace)));
    }
    let (candidates, found_by) = find(session, answerer, asked, &own)?;
    let space = &mut asked.opened.space;
    handles::set_owner_names(&session.home, space)?;
    let now = session.now;
    let may_derive = |space: &engine::Space, key| space.reader()?.may(key, Capability::Derive, now);
    let own: Vec<OpId> = own.iter().map(|source| source.id).collect();
    let not_permitted = || AnswerStaging::none(Some(NotSaved::NotPermitted));
    let (staging, marked) = match staging.by {
        SaveBy::NoKey => return Ok(not_permitted()),
        SaveBy::Handle => {
            if !may_derive(space, &space.author())? {
                return Ok(not_permitted());
            }
            let staged = space.stage(candidates, &staging.limits, now)?;
            let marked = match staging.marks_sources && !staged.staged.is_empty() {
                true => {
                    let key = space.author();
                    let ids = markable(space, &key, own, now)?;
                    space.mark_for_removal(&ids, Intent::Write, now)?.changed.len()
                }
                false => 0,
            };
            (staged, marked)
        }
        SaveBy::Agent(agent) => {
            match agent.let_in(space, now) {
                Err(Failure::Agent(_)) => return Ok(not_permitted()),
                let_in => let_in?,
            }
            let key = agent.sealer.author();
            if !may_derive(space, &key)? {
                return Ok(not_permitted());
            }
            let ids = match staging.marks_sources {
                true => markable(space, &key, own, now)?,
                false => Vec::new(),
            };
            let mut writer = space.writer_with(&agent.sealer);
            let staged = writer.stage(candidates, &staging.limits, now)?;
            let marked = match staged.staged.is_empty() {
                true => 0,
                false => writer.mark_for_removal(&ids, Intent::Write, now)?.changed.len(),
            };
            writer.finish()?;
            (staged, marked)
        }
    };
    Ok(AnswerStaging { staging, found_by, marked, reason_not_to: None })
}

/// Those of some sources that a key may mark: all, or those that it signed.
fn markable(
    space: &engine::Space,
    key: &kernel::id::Author,
    ids: Vec<OpId>,
    now: jiff::Timestamp,
) -> Result<Vec<OpId>, EngineError> {
    if space.reader()?.may(key, Capability::Correct, now)? {
        return Ok(ids);
    }
    let mut own = Vec::new();
    for id in ids {
        if space.show(&id)?.operation.header().author == *key {
            own.push(id);
        }
    }
    Ok(own)
}

/// The candidates of some sources, and who found them.
fn find(
    session: &Session,
    answerer: Answerer<'_>,
    asked: &mut SpaceInView<'_>,
    sources: &[&AnswerSource],
) -> Result<(Vec<GraphCandidate>, FoundBy), Failure> {
    match answerer {
        Answerer::Model(access) => match by_model(session, access, asked, sources)? {
            Ok(found) => Ok(found),
            Err(failure) => Ok((by_rules(sources), FoundBy::RulesAfter(failure))),
        },
        Answerer::Rules | Answerer::Unopened(_) => Ok((by_rules(sources), FoundBy::Rules)),
    }
}

/// What rules find in each source.
fn by_rules(sources: &[&AnswerSource]) -> Vec<GraphCandidate> {
    let mut candidates = Vec::new();
    for source in sources {
        let found = derivers::entities::extract(&source.text);
        let candidate = |content, confidence, sentence: &str| GraphCandidate {
            content,
            data: Map::from_iter([(SENTENCE.to_owned(), json!(cut(sentence, SENTENCE_CHARS_MAX)))]),
            confidence,
            origin: derivers::entities::PROGRAM.to_owned(),
            details: Map::new(),
            sources: vec![source.id],
        };
        candidates.extend(found.entities.iter().map(|entity| {
            let content = CandidateContent::entity(&entity.name, entity.entity_type.as_str());
            candidate(content, entity.confidence, &entity.sentence)
        }));
        candidates.extend(found.relations.iter().map(|relation| {
            let content = CandidateContent::Relation {
                source_name: relation.source.clone(),
                target_name: relation.target.clone(),
                rel_type: relation.rel_type.to_owned(),
            };
            candidate(content, relation.confidence, &relation.sentence)
        }));
    }
    candidates
}

#[derive(Debug, Deserialize)]
struct FoundByModel {
    entities: Vec<ModelEntity>,
    relations: Vec<ModelRelation>,
}

#[derive(Debug, Deserialize)]
struct ModelEntity {
    name: String,
    entity_type: String,
    confidence: f64,
    sources: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct ModelRelation {
    source_name: String,
    target_name: String,
    rel_type: String,
    confidence: f64,
    sources: Vec<String>,
}

/// What a language model finds in the sources that it may see; or why it found nothing.
fn by_model(
    session: &Session,
    mut access: ModelAccess<'_>,
    asked: &mut SpaceInView<'_>,
    sources: &[&AnswerSource],
) -> Result<Result<(Vec<GraphCandidate>, FoundBy), Failure>, EngineError> {
    let space = &mut *asked.opened;
    let mut prompt = access.prompt(space, PROMPT_BYTES_MAX);
    let quoted = sources.iter().map(|source| {
        QuotedRecord::new(source.id, source.kind.as_str(), source.text.as_str())
            .with("actor", &source.actor)
    });
    prompt.add_records(space, "sources", quoted.collect())?;
    if prompt.shown().next().is_none() {
        return Ok(Ok((by_rules(sources), FoundBy::Rules)));
    }
    let ModelAnswer { value, origin, .. } =
        match access.ask::<FoundByModel>(&TASK, &prompt, space, session) {
            Ok(answer) => answer,
            Err(failure) => return Ok(Err(failure)),
        };
    let mut dropped = 0;
    let mut candidates = Vec::new();
    let mut add = |content, confidence, names: &[String]| {
        let mut cited: Vec<OpId> = Vec::new();
        for id in names.iter().filter_map(|name| prompt.id_of(name)) {
            if !cited.contains(&id) {
                cited.push(id);
            }
        }
        if cited.is_empty() {
            dropped += 1;
            return;
        }
        candidates.push(GraphCandidate {
            content,
            data: Map::new(),
            confidence,
            origin: origin.model.clone(),
            details: origin.fields(),
            sources: cited,
        });
    };
    for found in value.entities.into_iter().take(TAKEN_MAX) {
        let content = CandidateContent::entity(found.name, found.entity_type);
        add(content, found.confidence, &found.sources);
    }
    for found in value.relations.into_iter().take(TAKEN_MAX) {
        let ModelRelation { source_name, target_name, rel_type, confidence, sources } = found;
        let content = CandidateContent::Relation { source_name, target_name, rel_type };
        add(content, confidence, &sources);
    }
    Ok(Ok((candidates, FoundBy::Model { origin, dropped })))
}

fn schema() -> Value {
    let string = || json!({ "type": "string" });
    let list = |properties: Value| {
        let required: Vec<String> =
            properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
        })
    };
    let sources = || json!({ "type": "array", "items": string() });
    json!({
        "type": "object",
        "properties": {
            "entities": list(json!({
                "name": string(), "entity_type": string(), "confidence": { "type": "number" },
                "sources": sources(),
            })),
            "relations": list(json!({
                "source_name": string(), "target_name": string(), "rel_type": string(),
                "confidence": { "type": "number" }, "sources": sources(),
            })),
        },
        "required": ["entities", "relations"],
        "additionalProperties": false,
    })
}
