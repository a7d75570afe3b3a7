//! A prompt: retrieve, contribute if due, note the use, answer.
//!
//! Retrieval comes before the contribution, so a thought never finds or reinforces itself. What is
//! shown is reinforced after it, so that a refinement inherits the weight that its source had. If
//! the journal cannot be written, the answer is the same without a trace.

use engine::private::Disclosure;
use engine::thought::contribute::{Contribution, Grounds};
use engine::thought::contribution;
use engine::thought::lineage::{ThoughtLineage, WHOLE};
use engine::thought::pheromone;
use engine::thought::retrieve::{ThoughtHit, ThoughtQuery};
use engine::thought::usage::{Dated, Highway, ThoughtAccess};
use engine::thought::uuid::ThoughtUuid;
use engine::thought::view::{ThoughtView, preview};
use engine::{EngineError, Reader};
use kernel::body::Thought;
use kernel::id::OpId;
use retrieval::text::visible::on_one_line;
use store::sqlite::ThoughtAsker;

use super::answer::{
    Disambiguation, IngestAnswer, LineageSummary, MemoryAnswer, MemoryOperation, MemoryResult,
    MemoryTrace, ThoughtSource, rounded,
};
use super::manage::unknown;
use super::request::{MemoryRequest, NamedGrounds, TAGS_MAX};
use super::{
    Caller, CallerSpace, JOURNAL_WAIT, ThoughtError, ThoughtRefusal, guidance, new_session,
};
use crate::service::wording::private_by_grounds;

/// Most thoughts that count as retrieved.
const RETRIEVED_MAX: usize = 10;
/// Most thoughts that are shown.
const SHOWN_MAX: usize = 5;
/// Most highways that are named.
const HIGHWAYS_MAX: usize = 5;
/// Decimals of a weight.
pub(super) const WEIGHT_DECIMALS: i32 = 6;
/// How thoughts are found.
const METHOD: &str = "words_and_meaning";

/// When a prompt is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    /// If it is a contribution by the rules.
    IfDue,
    /// Never: it is a query.
    Never,
}

/// Answers `POST /api/v1/memory`.
pub(crate) fn memory(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
) -> Result<MemoryAnswer, ThoughtError> {
    answer(caller, request, Keep::IfDue)
}

/// The first half of [`memory`], which writes nothing.
pub(crate) fn retrieve_for_prompt(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
) -> Result<Prompted, ThoughtError> {
    prompted(caller, request, Keep::IfDue)
}

/// Answers `POST /api/v1/query`: the same, and nothing is kept.
pub(crate) fn query(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
) -> Result<MemoryAnswer, ThoughtError> {
    answer(caller, request, Keep::Never)
}

/// Answers `POST /api/v1/ingest`: keeps the content, whatever it is. It is not a query: neither the
/// agent nor the session is known by it.
pub(crate) fn ingest(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
) -> Result<IngestAnswer, ThoughtError> {
    let (now, now_us) = (caller.now, caller.now_us());
    let space = caller.space(request.space.as_deref())?;
    demand_append(space)?;
    let (grounds, tags, weight) = {
        let reader = space.space.reader_up_to_date()?;
        let grounds = resolve(&reader, &request.grounds, space)?;
        let weight = inherited(&reader, &grounds, now_us)?;
        (grounds, tags_of(&reader, request, space.disclosure)?, weight)
    };
    let id = contribute(space, request, grounds, tags, now)?;
    space.writer().finish()?;
    let reader = space.space.reader()?;
    let guidance = private_by_grounds(reader.private_by_grounds(&[id])?.len());
    // Use is not truth: a thought that is kept begins with the first weight if this fails.
    let _ = reader.note_thought_begin(id, weight, now_us, JOURNAL_WAIT);
    let pheromone_weight = rounded(weight, WEIGHT_DECIMALS);
    Ok(IngestAnswer { thought_id: ThoughtUuid::of(&id), pheromone_weight, guidance })
}

/// What was retrieved before anything was written.
struct Retrieved {
    asker: ThoughtAsker,
    hits: Vec<ThoughtHit>,
    /// How many of them count as retrieved.
    retrieved: usize,
    shown: Vec<(ThoughtHit, ThoughtView)>,
    disambiguation: Option<Disambiguation>,
    /// The tags that the session's next prompt may choose from.
    offered: Vec<String>,
    highways: Vec<String>,
    /// What the session's earlier query showed.
    earlier: Vec<Dated>,
    lineage: Option<ThoughtLineage>,
    grounds: Grounds,
    tags: Vec<String>,
    /// The weight with which a contribution begins.
    weight: f64,
}

/// A prompt for which was retrieved.
pub(crate) struct Prompted {
    found: Retrieved,
    /// Whether it is a contribution by the rules.
    is_due: bool,
    /// Whether a thought is made of it.
    pub(crate) is_kept: bool,
    /// That thought, once it is kept.
    kept: Option<OpId>,
}

fn answer(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
    keep: Keep,
) -> Result<MemoryAnswer, ThoughtError> {
    let mut prompted = prompted(caller, request, keep)?;
    if prompted.is_kept {
        self::keep(caller, request, &mut prompted)?;
        make_found(caller, request)?;
    }
    note_and_answer(caller, request, prompted)
}

fn prompted(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
    keep: Keep,
) -> Result<Prompted, ThoughtError> {
    let now_us = caller.now_us();
    let space = caller.space(request.space.as_deref())?;
    let is_explicit = request.grounds != NamedGrounds::None;
    if is_explicit {
        demand_append(space)?;
    }
    let is_due = keep == Keep::IfDue && (is_explicit || contribution::is_due(&request.prompt));
    let is_kept = is_due && !request.read_only && space.rights.may_append;
    let reader = space.space.reader_up_to_date()?;
    let tags = match keep {
        Keep::Never => request.tags.clone().unwrap_or_default(),
        Keep::IfDue => Vec::new(),
    };
    let found = retrieve(&reader, request, space, (tags, is_kept), now_us)?;
    Ok(Prompted { found, is_due, is_kept, kept: None })
}

/// Makes the thought that a prompt is, if it is to be kept. It is durable when this returns, and
/// found after [`make_found`].
pub(crate) fn keep(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
    prompted: &mut Prompted,
) -> Result<(), ThoughtError> {
    let now = caller.now;
    let space = caller.space(request.space.as_deref())?;
    let Retrieved { grounds, tags, .. } = &mut prompted.found;
    let (grounds, tags) = (grounds.clone(), std::mem::take(tags));
    prompted.kept = Some(contribute(space, request, grounds, tags, now)?);
    Ok(())
}

/// Has every thought found that was kept so far, by whomever.
pub(crate) fn make_found(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
) -> Result<(), ThoughtError> {
    Ok(caller.space(request.space.as_deref())?.writer().finish()?)
}

/// The last part of [`memory`]: notes the use and answers.
pub(crate) fn note_and_answer(
    caller: &mut Caller<'_>,
    request: &MemoryRequest,
    prompted: Prompted,
) -> Result<MemoryAnswer, ThoughtError> {
    let now_us = caller.now_us();
    let space = caller.space(request.space.as_deref())?;
    let Prompted { mut found, is_due, is_kept, kept: contributed } = prompted;
    let is_explicit = request.grounds != NamedGrounds::None;
    let session = request.session_id.clone().filter(|session| !session.is_empty());
    let mut operations = vec![MemoryOperation::Retrieve];
    if contributed.is_some() {
        operations.push(MemoryOperation::Contribute);
    }
    let helped: &[Dated] = if is_kept { &found.earlier } else { &[] };
    let session = session.unwrap_or_else(new_session);
    let shown: Vec<Dated> = found.shown.iter().map(|(_, view)| Dated::from(view)).collect();
    let reader = space.space.reader()?;
    let noted = reader.note_thought_access(
        &ThoughtAccess {
            agent: &request.agent_id,
            session: &session,
            at_us: now_us,
            shown: &shown,
            helped,
            contributed: contributed.map(|id| (id, found.weight)),
            offered: &found.offered,
            is_read_only: request.read_only,
        },
        JOURNAL_WAIT,
    );
    // Use is not truth: an answer is not lost because its trace cannot be kept.
    if noted.is_ok() && !request.read_only && !shown.is_empty() {
        operations.push(MemoryOperation::Reinforce);
    }
    if noted.is_ok() && !helped.is_empty() {
        operations.push(MemoryOperation::FeedbackImplicit);
    }
    let of_contribution = match contributed.filter(|_| !found.grounds.sources().is_empty()) {
        Some(id) => reader.thought_lineage(&id, WHOLE, space.disclosure, None)?,
        None => None,
    };
    let lineage = of_contribution.or(found.lineage.take());
    let (guidance, said) = guide(request, &found, is_due, is_explicit);
    let private = reader.private_by_grounds(contributed.as_slice())?;
    let parts: Vec<String> =
        private_by_grounds(private.len()).into_iter().chain(guidance).collect();
    let guidance = (!parts.is_empty()).then(|| parts.join("\n"));
    operations.extend(said);
    let sources: Vec<ThoughtSource> = found
        .shown
        .iter()
        .map(|(hit, view)| ThoughtSource::of(hit, view, request.full_content))
        .collect();
    let response = guidance::in_words(guidance.as_deref(), found.disambiguation.as_ref(), &sources);
    Ok(MemoryAnswer {
        result: MemoryResult {
            response,
            sources,
            highways_nearby: found.highways,
            disambiguation: found.disambiguation,
            guidance,
        },
        trace: MemoryTrace {
            session_id: session,
            operations,
            thoughts_retrieved: found.retrieved,
            thoughts_contributed: usize::from(contributed.is_some()),
            contributed_thought_id: contributed.as_ref().map(ThoughtUuid::of),
            contribution_threshold_met: is_due,
            context_used: request.context.as_deref().is_some_and(|it| !it.trim().is_empty()),
            retrieval_method: METHOD,
            lineage_summary: lineage.as_ref().and_then(LineageSummary::of),
        },
    })
}

/// What the agent should know, and the operations that this was.
fn guide(
    request: &MemoryRequest,
    found: &Retrieved,
    is_due: bool,
    is_explicit: bool,
) -> (Option<String>, Vec<MemoryOperation>) {
    let mut parts: Vec<String> = Vec::new();
    let mut operations = Vec::new();
    if found.disambiguation.is_some() {
        operations.push(MemoryOperation::Disambiguate);
    }
    if !found.asker.is_known {
        operations.push(MemoryOperation::Onboard);
        parts.push(guidance::welcome(&request.agent_name));
    }
    if is_due && !is_explicit {
        parts.extend(guidance::offer_to_refine(&found.hits));
    }
    parts.extend(guidance::warning(&found.hits, &found.shown));
    ((!parts.is_empty()).then(|| parts.join("\n")), operations)
}

/// Retrieves. `wanted` are the tags that a query asks for; another prompt may choose one of those
/// that its session was offered.
fn retrieve(
    reader: &Reader<'_>,
    request: &MemoryRequest,
    space: &CallerSpace<'_>,
    (wanted, is_kept): (Vec<String>, bool),
    now_us: i64,
) -> Result<Retrieved, ThoughtError> {
    let disclosure = space.disclosure;
    let grounds = resolve(reader, &request.grounds, space)?;
    let asker = reader.thought_asker(&request.agent_id, request.session_id.as_deref())?;
    let chosen = match wanted.is_empty() {
        true => chosen_tag(reader, &request.prompt, &asker, disclosure)?,
        false => Vec::new(),
    };
    let is_choice = !chosen.is_empty();
    let filter = if is_choice { chosen } else { wanted };
    let text = request.text_to_retrieve();
    let query = ThoughtQuery {
        text: &text,
        vector: request.vector.as_ref(),
        tags: &filter,
        disclosure,
        now_us,
        as_of_us: None,
    };
    let mut found = reader.retrieve_thoughts(&query)?;
    if is_choice && found.hits.is_empty() {
        // A prompt that only names the tag asks what the query before it asked.
        let nearest = asker.session.as_ref().and_then(|session| session.shown.first());
        let nearest = nearest.map(|id| reader.thought_named(&id.to_string(), disclosure));
        if let Some(nearest) = nearest.transpose()?.flatten() {
            let before = reader.thoughts(&[nearest])?;
            if let Some(ThoughtView { content, .. }) = before.first() {
                let query = ThoughtQuery { text: content, vector: None, ..query };
                found = reader.retrieve_thoughts(&query)?;
            }
        }
    }
    let highways = reader.highways_among(&found, HIGHWAYS_MAX)?;
    let hits = found.hits;
    let disambiguation = if filter.is_empty() { guidance::disambiguation(&hits) } else { None };
    let offered = match (&disambiguation, &asker.session) {
        (Some(offered), _) => offered.clusters.iter().map(|cluster| cluster.tag.clone()).collect(),
        // Another of the tags may be chosen next.
        (None, Some(session)) if is_choice => session.offered.clone(),
        (None, _) => Vec::new(),
    };
    let largest = disambiguation.as_ref().and_then(|offered| offered.clusters.first());
    let shown: Vec<ThoughtHit> = match largest {
        Some(largest) => {
            let of_cluster = hits.iter().filter(|hit| hit.tags.contains(&largest.tag));
            of_cluster.take(SHOWN_MAX).cloned().collect()
        }
        None => hits.iter().take(SHOWN_MAX).cloned().collect(),
    };
    let shown = with_views(reader, shown, &highways)?;
    let mut lineage = None;
    for (hit, view) in &shown {
        if lineage.is_none() && (hit.refined_by.is_some() || !view.sources.is_empty()) {
            lineage = reader.thought_lineage(&hit.id, WHOLE, disclosure, None)?;
        }
    }
    let highways = highways.iter().map(|highway| {
        let text = on_one_line(&preview(&highway.thought.content));
        format!("{text} ({} accesses, {} agents)", highway.accesses, highway.agents)
    });
    let mut earlier = Vec::new();
    if let Some(session) = asker.session.as_ref().filter(|_| is_kept) {
        earlier = reader.thoughts(&session.shown)?.iter().map(Dated::from).collect();
    }
    let tags = if is_kept { tags_of(reader, request, disclosure)? } else { Vec::new() };
    Ok(Retrieved {
        retrieved: hits.len().min(RETRIEVED_MAX),
        highways: highways.collect(),
        weight: inherited(reader, &grounds, now_us)?,
        asker,
        hits,
        shown,
        disambiguation,
        offered,
        earlier,
        lineage,
        grounds,
        tags,
    })
}

/// What is shown, without what is altered in the file. Highways among it are read already.
fn with_views(
    reader: &Reader<'_>,
    hits: Vec<ThoughtHit>,
    highways: &[Highway],
) -> Result<Vec<(ThoughtHit, ThoughtView)>, EngineError> {
    let known = |id: &OpId| {
        let mut thoughts = highways.iter().map(|highway| &highway.thought);
        thoughts.find(|thought| thought.id == *id)
    };
    let unread: Vec<OpId> =
        hits.iter().map(|hit| hit.id).filter(|id| known(id).is_none()).collect();
    let mut read = reader.thoughts(&unread)?;
    let mut shown = Vec::with_capacity(hits.len());
    for hit in hits {
        let place = read.iter().position(|view| view.id == hit.id);
        let view = place.map(|place| read.swap_remove(place)).or_else(|| known(&hit.id).cloned());
        shown.extend(view.map(|view| (hit, view)));
    }
    Ok(shown)
}

/// The tag that a prompt chooses of those that the session's last query offered: the longest. Who
/// names the session of another chooses only what they are shown.
fn chosen_tag(
    reader: &Reader<'_>,
    prompt: &str,
    asker: &ThoughtAsker,
    disclosure: Disclosure,
) -> Result<Vec<String>, EngineError> {
    let offered = asker.session.iter().flat_map(|session| &session.offered);
    let named: Vec<&String> = offered.filter(|tag| guidance::names_tag(prompt, tag)).collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let shown = reader.thought_tags(disclosure, |tag| named.iter().any(|named| *named == tag))?;
    Ok(shown.into_iter().max_by_key(|tag| tag.chars().count()).into_iter().collect())
}

/// The labels of a contribution: those that are given, else the space's that the prompt names.
/// Those of thoughts that the caller is not shown are not named.
fn tags_of(
    reader: &Reader<'_>,
    request: &MemoryRequest,
    disclosure: Disclosure,
) -> Result<Vec<String>, EngineError> {
    if let Some(tags) = request.tags.clone().filter(|tags| !tags.is_empty()) {
        return Ok(tags);
    }
    let named = |tag: &str| guidance::names_tag(&request.prompt, tag);
    Ok(reader.thought_tags(disclosure, named)?.into_iter().take(TAGS_MAX).collect())
}

fn inherited(reader: &Reader<'_>, grounds: &Grounds, now_us: i64) -> Result<f64, EngineError> {
    if grounds.sources().is_empty() {
        return Ok(pheromone::FIRST);
    }
    let mut sources = Vec::new();
    for id in grounds.sources() {
        sources.extend(reader.thought(id)?.as_ref().map(Dated::from));
    }
    Ok(pheromone::inherited(&reader.thought_weights(&sources, now_us)?))
}

fn demand_append(space: &CallerSpace<'_>) -> Result<(), ThoughtRefusal> {
    if space.rights.may_append {
        return Ok(());
    }
    Err(ThoughtRefusal::Forbidden { what: "contribute to that space".to_owned() })
}

/// The thoughts that a request names, in its space.
fn resolve(
    reader: &Reader<'_>,
    named: &NamedGrounds,
    space: &CallerSpace<'_>,
) -> Result<Grounds, ThoughtError> {
    let find = |name: &String| -> Result<OpId, ThoughtError> {
        let found = space.thought_named(reader, name)?;
        found.ok_or_else(|| unknown(name).into())
    };
    Ok(match named {
        NamedGrounds::None => Grounds::None,
        NamedGrounds::Refines(name) => Grounds::Refines(find(name)?),
        NamedGrounds::Corrects(name) => Grounds::Corrects(find(name)?),
        NamedGrounds::Consolidates(names) => {
            let mut ids: Vec<OpId> = Vec::new();
            for name in names {
                let id = find(name)?;
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            if ids.len() < 2 {
                return Err(ThoughtRefusal::MinConsolidation.into());
            }
            Grounds::Consolidates(ids)
        }
    })
}

/// Appends the thought. It is durable when this returns.
fn contribute(
    space: &mut CallerSpace<'_>,
    request: &MemoryRequest,
    grounds: Grounds,
    tags: Vec<String>,
    now: jiff::Timestamp,
) -> Result<OpId, ThoughtError> {
    let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let thought = Thought {
        content: Some(request.prompt.trim_end().to_owned()),
        contributor_id: Some(request.agent_id.clone()),
        contributor_name: Some(request.agent_name.clone()),
        context: text(&request.context),
        tags: Some(tags).filter(|tags| !tags.is_empty()),
        category: text(&request.category),
        topic: text(&request.topic),
        ..Thought::default()
    };
    Ok(space.writer().contribute(Contribution { thought, grounds }, now)?)
}
