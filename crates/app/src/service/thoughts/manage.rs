//! Requests about one thought, and lists of them.

use engine::private::Disclosure;
use engine::thought::contribute::Contribution;
use engine::thought::lineage::ThoughtLineage;
use engine::thought::retrieve::ThoughtQuery;
use engine::thought::share::{copy_of, is_copy, shared_to};
use engine::thought::usage::{Dated, Highway, Signal};
use engine::thought::uuid::ThoughtUuid;
use engine::thought::view::{DOMAIN_SUMMARY, ThoughtFilter, ThoughtView, preview};
use jiff::Timestamp;
use kernel::body::Annotation;
use kernel::id::OpId;

use super::answer::{
    Domain, DomainsAnswer, FeedbackAnswer, HighwayAnswer, LineageAnswer, Partner, ShareAnswer,
    ThoughtAnswer, rounded,
};
use super::memory::WEIGHT_DECIMALS;
use super::request::{FeedbackRequest, LabelRequest};
use super::{Caller, CallerSpace, JOURNAL_WAIT, ThoughtError, ThoughtRefusal};

/// Most domains that are listed.
const DOMAINS_MAX: usize = 1_000;

/// Where a thought is: the place of its space among the caller's, and its id.
struct Place {
    space: usize,
    id: OpId,
}

impl<'a> Caller<'a> {
    /// Finds a thought in the spaces that the caller may read.
    fn find(&self, name: &str) -> Result<Place, ThoughtError> {
        for (space, held) in self.spaces.iter().enumerate() {
            let reader = held.space.reader_up_to_date()?;
            if let Some(id) = held.thought_named(&reader, name)? {
                return Ok(Place { space, id });
            }
        }
        Err(unknown(name).into())
    }

    fn at(&mut self, place: &Place) -> Result<&mut CallerSpace<'a>, ThoughtError> {
        let space = self.spaces.get_mut(place.space);
        space.ok_or_else(|| unknown(&place.id.to_string()).into())
    }
}

/// The refusal of a thought that is not there, or not shown.
pub(crate) fn unknown(name: &str) -> ThoughtRefusal {
    /// Characters of a name that are repeated.
    const NAME_CHARS: usize = 100;
    ThoughtRefusal::NotFound { id: name.chars().take(NAME_CHARS).collect() }
}

/// A thought as it is now.
fn view_of(space: &CallerSpace<'_>, id: &OpId) -> Result<ThoughtView, ThoughtError> {
    let reader = space.space.reader()?;
    let view = reader.thoughts(&[*id])?.pop();
    view.ok_or_else(|| unknown(&id.to_string()).into())
}

/// Answers `GET /api/v1/thoughts/{id}`. It does not count as access.
pub(crate) fn show(caller: &mut Caller<'_>, name: &str) -> Result<ThoughtAnswer, ThoughtError> {
    let now_us = caller.now_us();
    let place = caller.find(name)?;
    let space = caller.at(&place)?;
    let view = view_of(space, &place.id)?;
    let reader = space.space.reader()?;
    let dated = Dated::from(&view);
    let mut answer = ThoughtAnswer::of(view);
    let (refined_by, corrected_by) = reader.replaced_by(&place.id, space.disclosure)?;
    answer.refined_by = refined_by.as_ref().map(ThoughtUuid::of);
    answer.superseded = refined_by.is_some();
    answer.corrected_by = corrected_by.as_ref().map(ThoughtUuid::of);
    let weight = reader.thought_weights(&[dated], now_us)?.pop().unwrap_or_default();
    answer.pheromone_weight = rounded(weight, WEIGHT_DECIMALS);
    if let Some(used) = reader.thought_use(&[place.id])?.remove(&place.id) {
        answer.access_count = used.accesses;
        answer.accessed_by = used.agents.len();
        for (partner, count) in reader.partners_of(&used)? {
            // What the caller may not see is not named.
            if reader.thought_named(&partner.to_string(), space.disclosure)?.is_some() {
                answer.co_retrieved.push(Partner { thought_id: ThoughtUuid::of(&partner), count });
            }
        }
    }
    Ok(answer)
}

/// Answers `GET /api/v1/thoughts/{id}/lineage`.
pub(crate) fn lineage(
    caller: &mut Caller<'_>,
    name: &str,
    depth_max: u32,
    as_of_us: Option<u64>,
) -> Result<LineageAnswer, ThoughtError> {
    let place = caller.find(name)?;
    let space = caller.at(&place)?;
    let reader = space.space.reader()?;
    let lineage: Option<ThoughtLineage> =
        reader.thought_lineage(&place.id, depth_max, space.disclosure, as_of_us)?;
    lineage.as_ref().map(LineageAnswer::from).ok_or_else(|| unknown(name).into())
}

/// Answers `PATCH /api/v1/thoughts/{id}`: labels that take the place of those that it has.
pub(crate) fn label(
    caller: &mut Caller<'_>,
    name: &str,
    labels: LabelRequest,
) -> Result<ThoughtAnswer, ThoughtError> {
    let labels = labels.judged()?;
    let now = caller.now;
    let place = caller.find(name)?;
    let space = caller.at(&place)?;
    let view = view_of(space, &place.id)?;
    let is_own = view.author == space.author() && space.rights.may_append;
    if !is_own && !space.rights.may_correct {
        return Err(ThoughtRefusal::Forbidden { what: "label that thought".to_owned() }.into());
    }
    let labels = Annotation {
        category: labels.category,
        topic: labels.topic,
        tags: labels.tags,
        // A mark that is there already keeps its time.
        mark: labels.mark.filter(|mark| *mark != view.mark),
        ..Annotation::default()
    };
    if labels != Annotation::default() {
        let mut writer = space.writer();
        writer.label_thought(place.id, labels, now)?;
        writer.finish()?;
    }
    show(caller, name)
}

/// Answers `POST /api/v1/memory/feedback`.
pub(crate) fn feedback(
    caller: &mut Caller<'_>,
    request: &FeedbackRequest,
) -> Result<FeedbackAnswer, ThoughtError> {
    let now_us = caller.now_us();
    let place = caller.find(&request.thought_id)?;
    let space = caller.at(&place)?;
    let view = view_of(space, &place.id)?;
    let signal = if request.is_useful { Signal::Useful } else { Signal::Wrong };
    let reader = space.space.reader()?;
    let weight = reader.note_thought_feedback(Dated::from(&view), signal, now_us, JOURNAL_WAIT)?;
    let pheromone_weight = rounded(weight, WEIGHT_DECIMALS);
    Ok(FeedbackAnswer { thought_id: view.uuid(), pheromone_weight })
}

/// Answers `POST /api/v1/thoughts/{id}/share`: copies a thought into another space, once.
pub(crate) fn share(
    caller: &mut Caller<'_>,
    name: &str,
    to: &str,
) -> Result<ShareAnswer, ThoughtError> {
    let now = caller.now;
    let forbidden = |what: &str| ThoughtRefusal::Forbidden { what: what.to_owned() };
    let target = caller.spaces.iter().position(|space| space.name == to);
    let target = target.ok_or_else(|| forbidden("contribute to that space"))?;
    if !caller.spaces.get(target).is_some_and(|space| space.rights.may_append) {
        return Err(forbidden("contribute to that space").into());
    }
    let place = caller.find(name)?;
    let space = caller.at(&place)?;
    let view = view_of(space, &place.id)?;
    if view.author != space.author() {
        return Err(forbidden("share a thought of another key").into());
    }
    let from = space.space.id()?;
    let copy_to = Place { space: target, id: place.id };
    let into = caller.at(&copy_to)?.space.id()?;
    if into == from {
        return Err(ThoughtRefusal::field("the thought is in that space already").into());
    }
    if view.shared_to.contains(&into.to_string()) {
        return Err(ThoughtRefusal::AlreadyShared.into());
    }
    let target = caller.at(&copy_to)?;
    let draft = copy_of(&view, from);
    let copy = match copied_before(target, &draft, now)? {
        Some(copy) => copy,
        None => {
            let mut writer = target.writer();
            let copy = writer.contribute(draft, now)?;
            writer.finish()?;
            copy
        }
    };
    let mut writer = caller.at(&place)?.writer();
    writer.label_thought(place.id, shared_to(into, copy), now)?;
    writer.finish()?;
    Ok(ShareAnswer { thought_id: ThoughtUuid::of(&copy) })
}

/// The copy that an earlier request made before it was interrupted: the original has no label.
fn copied_before(
    target: &CallerSpace<'_>,
    draft: &Contribution,
    now: Timestamp,
) -> Result<Option<OpId>, ThoughtError> {
    let reader = target.space.reader_up_to_date()?;
    let text = draft.thought.content.as_deref().unwrap_or_default();
    let (disclosure, now_us) = (Disclosure::Full, now.as_microsecond());
    let query = ThoughtQuery { text, vector: None, tags: &[], disclosure, now_us, as_of_us: None };
    let ids: Vec<OpId> = reader.retrieve_thoughts(&query)?.hits.iter().map(|hit| hit.id).collect();
    let author = target.author();
    let views = reader.thoughts(&ids)?.into_iter();
    let mut copies = views.filter(|view| view.author == author && is_copy(view, draft));
    Ok(copies.next().map(|view| view.id))
}

/// Answers `GET /api/v1/domains`: the topics that thoughts sum up, each by the newest.
pub(crate) fn domains(
    caller: &mut Caller<'_>,
    space: Option<&str>,
) -> Result<DomainsAnswer, ThoughtError> {
    let filter = ThoughtFilter {
        category: Some(DOMAIN_SUMMARY.to_owned()),
        limit: DOMAINS_MAX,
        ..ThoughtFilter::default()
    };
    let mut domains: Vec<Domain> = Vec::new();
    for view in list(caller, space, &filter)? {
        let Some(topic) = view.topic.clone() else { continue };
        if !domains.iter().any(|known| known.topic == topic) {
            domains.push(Domain {
                topic,
                thought_id: view.uuid(),
                content_preview: preview(&view.content),
            });
        }
    }
    domains.sort_by(|one, other| one.topic.cmp(&other.topic));
    Ok(DomainsAnswer { domains })
}

/// The latest thoughts of a space, the newest first.
pub(crate) fn list(
    caller: &mut Caller<'_>,
    space: Option<&str>,
    filter: &ThoughtFilter,
) -> Result<Vec<ThoughtView>, ThoughtError> {
    let space = caller.space(space)?;
    let reader = space.space.reader_up_to_date()?;
    Ok(reader.latest_thoughts(filter, space.disclosure)?)
}

/// The busiest thoughts of a space.
pub(crate) fn highways(
    caller: &mut Caller<'_>,
    space: Option<&str>,
    limit: usize,
) -> Result<Vec<HighwayAnswer>, ThoughtError> {
    let space = caller.space(space)?;
    let reader = space.space.reader_up_to_date()?;
    let highways: Vec<Highway> = reader.highways(space.disclosure, limit)?;
    Ok(highways.iter().map(HighwayAnswer::from).collect())
}
