//! Patches that a language model proposes.
//!
//! The model is shown what is around the records that a question finds: claims, nodes, the edges
//! among them, and in one line each what they were made from. It answers with a patch as people
//! write them, which may cite only what it was shown, and which is checked as theirs are. If it is
//! refused, the model gets every reason and one further attempt. What passes is a proposal in the
//! queue of reviews; nothing changes before a person applies it.

use std::collections::BTreeMap;

use engine::Space;
use engine::belief::claims::current_at_us;
use engine::graph::{RecordView, Subgraph, SubgraphLimits};
use engine::private::Viewpoint;
use engine::recall::facts::{Fact, FactQuery};
use engine::recall::nodes::FoundNodes;
use engine::recall::past::Over;
use engine::write::graph::{GraphChange, NamedChange};
use engine::write::import::Intent;
use engine::write::patch::StatusChange;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Session;
use super::model_request::{
    ModelAccess, ModelAnswer, ModelOrigin, ModelTask, Prompt, PromptCut, QuotedRecord, name_of,
};
use super::opening::OpenedSpace;
use super::patch::{Citable, PatchFile, ReadPatch, Reason, read_file};
use super::query_embedding::{EmbedderPool, QueryEmbedding};
use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// The version of the prompt, which every proposal names.
pub(crate) const PROMPT_VERSION: &str = "patch-1";
/// Most operations of a model's patch.
pub(crate) const OPERATIONS_MAX: usize = 200;
/// Longest prompt, bytes.
const PROMPT_BYTES_MAX: usize = 256 << 10;
/// Longest text of what a patch is for, bytes.
const TEXT_BYTES_MAX: usize = 4_000;
/// How often the model is asked: once more after a refusal.
const ATTEMPTS_MAX: usize = 2;
/// Most reasons that the model gets back.
const REASONS_SENT_MAX: usize = 50;

/// What the model has to do.
const TASK: ModelTask =
    ModelTask { name: "patch", version: PROMPT_VERSION, instructions: INSTRUCTIONS, schema };

const INSTRUCTIONS: &str = "You tidy a graph of claims and nodes about the subject in `query`: \
    merge records that say the same (same_as from the duplicate to the canonical one), replace \
    what newer records contradict (supersede), retract what is plainly wrong, join a decision to \
    the claims that it depends on (create_edge), and sum up what belongs together \
    (create_summary). Change only what the records warrant; an empty list is a good answer. Every \
    operation cites in `sources` the `id`s of the records that warrant it, and names records by \
    the `id`s of `records`, `edges` and `evidence` alone, or by the `local` names of earlier \
    operations of the patch. Evidence is cited and never changed. State nothing that the sources \
    do not say. Edges form no cycles. At most 200 operations. `text` says in one sentence what \
    the patch is for.";

/// How much a patch starts from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContextLimits {
    /// Claims, and nodes, to begin from.
    pub(crate) hits: usize,
    /// Edges away from them.
    pub(crate) depth: usize,
    /// Records in all.
    pub(crate) nodes: usize,
}

/// What became of asking for a patch.
#[derive(Debug)]
pub(crate) enum Proposing {
    /// Nothing is known about the subject, so the model was not asked.
    NothingKnown,
    /// The model sees nothing to change.
    NothingToChange(ModelOrigin),
    /// The patch waits for a decision.
    Proposed(Box<ProposedPatch>),
    /// It was refused, and refused again.
    Refused(ModelOrigin, Vec<Reason>),
}

/// A model's patch that waits for a decision.
#[derive(Debug, Serialize)]
pub(crate) struct ProposedPatch {
    /// The proposal; none in a dry run.
    pub(crate) id: Option<OpId>,
    /// The model and the prompt.
    #[serde(flatten)]
    pub(crate) origin: ModelOrigin,
    /// What it is for, in words.
    pub(crate) text: String,
    /// How many changes it has.
    pub(crate) changes: usize,
    /// They.
    #[serde(skip)]
    pub(crate) listed: Vec<NamedChange>,
    /// The records whose status would change.
    pub(crate) statuses: Vec<StatusChange>,
    /// How often the model was asked.
    pub(crate) attempts: usize,
    /// What it was not shown.
    pub(crate) cut: PromptCut,
}

#[derive(Clone, Debug, Deserialize)]
struct PatchAnswer {
    text: String,
    operations: Vec<Value>,
}

/// What a patch about a subject may start from.
pub(crate) fn context(
    space: &mut Space,
    session: &Session,
    pool: &mut EmbedderPool,
    query: &str,
    limits: ContextLimits,
    viewpoint: &Viewpoint,
) -> Result<(Subgraph, QueryEmbedding), Failure> {
    let Viewpoint { disclosure, as_of_us, valid_at_us } = *viewpoint;
    let mut embedding = pool.embed(session, space, query)?;
    let query = FactQuery {
        limit: limits.hits,
        as_of_us,
        valid_at_us,
        visibilities: disclosure.visibilities(),
        vector: embedding.fact_vector(),
        over: Over::OnlyIfPast,
        ..FactQuery::new(query, session.now)
    };
    let facts = space.recall_facts(&query)?;
    let FoundNodes { nodes, model } = space.search_nodes(&query)?;
    embedding.served_by(facts.model.or(model));
    let nodes = nodes.iter().map(|node| node.record.id);
    let roots: Vec<OpId> = facts.facts.iter().map(Fact::record).chain(nodes).collect();
    let limits = SubgraphLimits {
        depth: limits.depth,
        nodes: limits.nodes,
        edges: limits.nodes.saturating_mul(2),
        as_of_us,
        valid_at_us: valid_at_us
            .or_else(|| Some(current_at_us(session.now.as_microsecond(), as_of_us))),
        disclosure,
        ..SubgraphLimits::default()
    };
    Ok((space.subgraph(&roots, &limits)?, embedding))
}

/// Asks the model for a patch about a subject, and keeps it as a proposal. A dry run keeps nothing.
pub(crate) fn propose(
    space: &mut OpenedSpace,
    session: &Session,
    access: &mut ModelAccess<'_>,
    query: &str,
    limits: ContextLimits,
    intent: Intent,
) -> Result<Proposing, Failure> {
    let prompt = prompt(space, session, access, query, limits)?;
    if prompt.shown().next().is_none() {
        return Ok(Proposing::NothingKnown);
    }
    let mut answer: ModelAnswer<PatchAnswer> = access.ask(&TASK, &prompt, space, session)?;
    let mut attempts = 1;
    loop {
        if answer.value.operations.is_empty() {
            return Ok(Proposing::NothingToChange(answer.origin));
        }
        let reasons = match read(session, space, &answer, &prompt)? {
            Err(reasons) => reasons,
            Ok(read) => match read.check(space, session.now)? {
                Err(reasons) => reasons,
                Ok(patched) => {
                    let id = match intent {
                        Intent::Write => Some(space.propose_patch(&read.patch, session.now)?),
                        Intent::DryRun => None,
                    };
                    return Ok(Proposing::Proposed(Box::new(ProposedPatch {
                        id,
                        text: read.patch.text,
                        changes: read.patch.changes.len(),
                        listed: read.patch.changes,
                        statuses: patched.statuses,
                        origin: answer.origin,
                        attempts,
                        cut: prompt.cut(),
                    })));
                }
            },
        };
        if attempts >= ATTEMPTS_MAX {
            return Ok(Proposing::Refused(answer.origin, reasons));
        }
        attempts += 1;
        let sent = json!(reasons.iter().take(REASONS_SENT_MAX).collect::<Vec<_>>());
        answer = access.ask_again(&TASK, &prompt, (answer, &sent), space, session)?;
    }
}

/// The subject and what is around it.
fn prompt(
    space: &mut OpenedSpace,
    session: &Session,
    access: &ModelAccess<'_>,
    query: &str,
    limits: ContextLimits,
) -> Result<Prompt, Failure> {
    let mut prompt = access.prompt(space, PROMPT_BYTES_MAX);
    let (found, _) = context(
        space,
        session,
        &mut EmbedderPool::default(),
        query,
        limits,
        &prompt.disclosure().into(),
    )?;
    prompt.add_text("query", query);
    let record = |view: &RecordView| {
        let sources = view.inputs.iter().map(|input| name_of(&input.id));
        QuotedRecord::of_record(view).with("sources", sources.collect::<Vec<_>>())
    };
    prompt.add_records(space, "records", found.records.iter().map(record).collect())?;
    prompt.add_records(space, "edges", found.edges.iter().map(QuotedRecord::of_edge).collect())?;
    let mut evidence: BTreeMap<OpId, QuotedRecord> = BTreeMap::new();
    let records = found.records.iter().filter(|record| prompt.shows(&record.id));
    for input in records.flat_map(|record| &record.inputs) {
        if prompt.shows(&input.id) || evidence.contains_key(&input.id) {
            continue;
        }
        let shown = space.show(&input.id)?.operation;
        let (kind, text) = (shown.header().kind.as_str(), engine::inspect::summary(&shown));
        evidence.insert(input.id, QuotedRecord::new(input.id, kind, text));
    }
    prompt.add_records(space, "evidence", evidence.into_values().collect())?;
    Ok(prompt)
}

/// Reads an answer as a patch, or says why it is not even read.
fn read(
    session: &Session,
    space: &Space,
    answer: &ModelAnswer<PatchAnswer>,
    prompt: &Prompt,
) -> Result<Result<ReadPatch, Vec<Reason>>, Failure> {
    let ModelAnswer { value: PatchAnswer { text, operations }, origin, .. } = answer;
    if operations.len() > OPERATIONS_MAX {
        return Ok(Err(vec![Reason {
            operation: OPERATIONS_MAX + 1,
            local: None,
            code: "too_many_operations",
            message: format!(
                "the patch has {} operations; a model may propose {OPERATIONS_MAX}",
                operations.len()
            ),
        }]));
    }
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    let text = text.get(..end).unwrap_or_default().trim().to_owned();
    let file = PatchFile { text, operations: operations.clone() };
    let mut read = read_file(session, space, file, &origin.model, Citable::Shown(prompt))?;
    read.patch.details = origin.fields();
    read.patch.shown = prompt.shown().collect();
    if prompt.has_private() {
        read.patch.changes.iter_mut().for_each(|named| make_private(&mut named.change));
    }
    Ok(Ok(read))
}

/// What a model makes of what is private may repeat it.
fn make_private(change: &mut GraphChange) {
    match change {
        GraphChange::State(statement) => statement.visibility = Visibility::Private,
        GraphChange::Supersede { otherwise, .. } => {
            otherwise.visibility = Some(Visibility::Private);
        }
        GraphChange::Connect { notes: words, .. } | GraphChange::Retract { reason: words, .. } => {
            words.clear();
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "operations": { "type": "array", "items": { "anyOf": operations() } },
        },
        "required": ["text", "operations"],
        "additionalProperties": false,
    })
}

/// The operations, each with the fields that [`super::patch`] reads.
fn operations() -> Vec<Value> {
    let string = || json!({ "type": "string" });
    let strings = || json!({ "type": "array", "items": string() });
    let or_null = |name: &str| json!({ "type": [name, "null"] });
    let one_of = |names: &[&str]| json!({ "type": "string", "enum": names });
    let operation = |op: &str, fields: &[(&str, Value)]| {
        let mut properties = json!({
            "op": { "type": "string", "const": op },
            "local": or_null("string"),
            "sources": strings(),
        });
        for (name, schema) in fields {
            properties[*name] = schema.clone();
        }
        let required: Vec<String> =
            properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    let claims = ["fact", "preference", "assumption", "goal"];
    let edges = [
        "depends_on",
        "supports",
        "contradicts",
        "derived_from",
        "mentions",
        "supersedes",
        "same_as",
    ];
    vec![
        operation(
            "create_claim",
            &[
                ("type", one_of(&claims)),
                ("text", string()),
                ("valid_from", or_null("string")),
                ("valid_to", or_null("string")),
                ("confidence", or_null("number")),
            ],
        ),
        operation(
            "create_node",
            &[("type", one_of(&["decision", "action", "entity"])), ("text", string())],
        ),
        operation("create_summary", &[("text", string()), ("of", strings())]),
        operation(
            "create_edge",
            &[("type", one_of(&edges)), ("from", string()), ("to", string()), ("notes", string())],
        ),
        operation("supersede", &[("target", string()), ("text", string())]),
        operation("same_as", &[("duplicate", string()), ("canonical", string())]),
        operation("retract", &[("target", string()), ("reason", string())]),
    ]
}
