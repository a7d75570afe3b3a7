//! Values: what a person wants of everything that works for them, in their own words.
//!
//! Values live in the home space. Setting them records the text as evidence of the kind
//! `values_set` and as a claim of the type `values.raw` with the tag `values:raw`, which is kept
//! for audits and never served. From the text follow the claims that are served, with the tag
//! `values:base`: a language model makes them ([`compile`]), or each line that states a preference
//! or a goal becomes one ([`lines`]). New values replace those before them. If the model fails, the
//! text is recorded all the same, and setting it again tries again
//! (`docs/design/0038-values-and-settings.md`).

use std::collections::BTreeSet;

use engine::belief::Belief;
use engine::belief::claims::{ClaimFilter, States};
use engine::graph::{NodeFilter, RecordView, VALUES_RAW};
use engine::private::Viewpoint;
use engine::write::graph::{
    GraphChange, GraphRefusal, NamedChange, RecordType, Reference, Statement,
};
use engine::write::import::Intent;
use engine::{EngineError, Space};
use importers::secrets::mask_string;
use kernel::body::EdgeType;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::identity::{normalized_text, text_key};
use kernel::records::RecordStatus;
use kernel::rules::RuleViolation;
use kernel::when::When;
use serde::Serialize;
use serde_json::json;

use super::Session;
use super::model_request::Answerer;
use super::opening::OpenedSpace;
use crate::failure::{Failure, RequestError};
use crate::service::time::instant;

mod compile;
mod lines;
mod patch;
#[cfg(test)]
mod tests;

use compile::{Dropped, RETRACTIONS_MAX, compile};
use lines::{StatedLine, stated_lines};
use patch::{Patch, changes_of_patch};

/// Longest values, mebibytes.
pub(crate) const VALUES_MIB_MAX: u64 = 1;
/// The kind of the evidence, and its source.
const VALUES_SET: &str = "values_set";
/// The type of the claim with the whole text, so that it is never the same as one that is served.
const RAW_TYPE: &str = "values.raw";
/// The tag of claims that are served.
pub(crate) const BASE: &str = "values:base";
/// The tag of the summary.
pub(crate) const SUMMARY: &str = "values:summary";
/// What the tag begins with that names the evidence.
const OF_SET: &str = "values_set:";
/// The field of a basis of confidence that names the version stated apart from the values.
const OWN: &str = "own";

/// A claim of the values that is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BaseClaim {
    /// The claim.
    pub(crate) id: OpId,
    /// `preference` or `goal`.
    #[serde(rename = "type")]
    pub(crate) claim_type: String,
    /// It in words.
    pub(crate) text: String,
    /// The version of it that was stated apart from the values, which holds again without them.
    #[serde(skip)]
    own: Option<OpId>,
}

impl BaseClaim {
    fn key(&self) -> String {
        text_key(&self.claim_type, &self.text)
    }
}

/// The values as they are now.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Values {
    /// The text as it was given.
    pub(crate) raw: Option<RecordView>,
    /// The summary by a language model.
    pub(crate) summary: Option<RecordView>,
    /// The claims that are served.
    pub(crate) claims: Vec<BaseClaim>,
}

/// What became of setting values.
#[derive(Default)]
pub(crate) struct ValuesChange {
    /// The evidence; none in a dry run.
    pub(crate) event: Option<OpId>,
    /// The claim with the whole text; none in a dry run.
    pub(crate) raw: Option<OpId>,
    /// Whether anything was written, or would be.
    pub(crate) is_new: bool,
    /// `rules` or `model`; none if nothing was read.
    pub(crate) read_by: Option<&'static str>,
    /// The claims and goals that the text states.
    pub(crate) claims: Vec<(String, String)>,
    /// Claims of the values before that were retracted, or would be.
    pub(crate) retracted: Vec<OpId>,
    /// What was not taken, with the reason.
    pub(crate) dropped: Vec<Dropped>,
    /// Lines beyond the limits.
    pub(crate) left_out: usize,
    /// Why the language model made nothing of the text.
    pub(crate) failure: Option<Failure>,
}

/// The claims and the text of the values that hold in a home space.
pub(crate) fn values(space: &Space) -> Result<Values, EngineError> {
    values_from(space, &Viewpoint::default())
}

/// The same as of a time, or of those that are true at one.
fn values_from(space: &Space, viewpoint: &Viewpoint) -> Result<Values, EngineError> {
    let Viewpoint { as_of_us, valid_at_us, .. } = *viewpoint;
    let tagged = |tag: &str| {
        let tags = vec![tag.to_owned()];
        let filter = ClaimFilter { tags, as_of_us, valid_at_us, ..ClaimFilter::default() };
        Ok::<_, EngineError>(space.claims(&filter, usize::MAX)?.beliefs)
    };
    let mut claims = Vec::new();
    for belief in tagged(BASE)? {
        let own = own_of(space, &belief)?;
        let (claim_type, text) = (belief.claim_type, belief.text);
        claims.extend(belief.served.map(|id| BaseClaim { id, claim_type, text, own }));
    }
    let mut raw: Option<RecordView> = None;
    for belief in tagged(VALUES_RAW)? {
        let Some(id) = belief.served else { continue };
        let view = space.record_view(&id, as_of_us)?;
        // Where a merge left several, the newest holds.
        raw = [raw, view].into_iter().flatten().max_by_key(|view| instant(&view.recorded_at));
    }
    let tags = vec![SUMMARY.to_owned()];
    let of_summary = NodeFilter { tags, as_of_us, valid_at_us, ..NodeFilter::default() };
    let summary = space.nodes(&of_summary, 1)?.items.pop();
    Ok(Values { raw, summary, claims })
}

/// The version of a claim that was stated apart from the values, unless it was taken back.
fn own_of(space: &Space, belief: &Belief) -> Result<Option<OpId>, EngineError> {
    let Some(own) = belief.basis.get(OWN).and_then(|own| own.as_str()?.parse().ok()) else {
        return Ok(None);
    };
    let view = space.record_view(&own, None)?;
    let is_replaced = |view: &RecordView| view.status == Some(RecordStatus::Superseded.as_str());
    Ok(view.filter(is_replaced).map(|view| view.id))
}

/// The values that hold; none without a home space.
fn show(session: &Session) -> Result<Values, Failure> {
    show_from(session, &Viewpoint::default())
}

/// The same as of a time, or of those that are true at one.
pub(crate) fn show_from(session: &Session, viewpoint: &Viewpoint) -> Result<Values, Failure> {
    match session.home_space()? {
        Some(space) => Ok(values_from(&space, viewpoint)?),
        None => Ok(Values::default()),
    }
}

fn tagged(space: &Space, tag: &str, states: States) -> Result<Vec<Belief>, EngineError> {
    let filter = ClaimFilter { tags: vec![tag.to_owned()], states, ..ClaimFilter::default() };
    Ok(space.claims(&filter, usize::MAX)?.beliefs)
}

/// Checks the length of values before anything is made for them.
pub(crate) fn check(text: &str) -> Result<(), RequestError> {
    if text.trim().is_empty() {
        return Err(RequestError::EmptyText);
    }
    if text.len() as u64 > VALUES_MIB_MAX << 20 {
        return Err(RequestError::TextTooLarge { mib: VALUES_MIB_MAX });
    }
    Ok(())
}

/// Sets the values in the home space, which is made if it is not there. A dry run asks no model and
/// writes nothing.
pub(crate) fn set(
    session: &Session,
    text: &str,
    reader: Answerer<'_>,
    intent: Intent,
) -> Result<ValuesChange, Failure> {
    check(text)?;
    let text = mask_string(text.trim()).into_inner();
    if intent == Intent::DryRun {
        return preview(session, &text, &reader);
    }
    let mut home = session.home_to_write()?;
    let before = values(&home)?;
    let (event, raw, is_new) = match &before.raw {
        Some(raw) if raw.text == text && is_settled(&home, raw)? => (event_of(raw), raw.id, false),
        _ => {
            let changes = changes_of_text(&text, before.raw.as_ref());
            let event = event(session, &text);
            let changed = home.change_graph(&changes, Some(&event), intent, session.now)?;
            let place = changes.iter().position(|change| change.name.is_some());
            let raw = place.and_then(|place| changed.stand_for.get(place).copied());
            let view = raw.map(|raw| home.record_view(&raw, None)).transpose()?.flatten();
            let event = view.as_ref().and_then(event_of);
            (event, raw.unwrap_or(OpId([0; 32])), true)
        }
    };
    let mut change = ValuesChange { event, raw: Some(raw), is_new, ..ValuesChange::default() };
    let Some(event) = event else { return Ok(change) };
    if !is_new && is_read(&home, &event)? {
        return Ok(change);
    }
    let of = Reading { session, home: &mut home, event, earlier: &before.claims };
    let patch = match read(&text, reader, of, &mut change) {
        Ok(patch) => patch,
        Err(failure) => {
            change.failure = Some(failure);
            return Ok(change);
        }
    };
    change.is_new |= apply(session, &mut home, &event, patch, &before, &mut change)?;
    Ok(change)
}

/// What a text is read with.
struct Reading<'a> {
    session: &'a Session,
    home: &'a mut OpenedSpace,
    /// The record of the text.
    event: OpId,
    /// The claims of the values before it.
    earlier: &'a [BaseClaim],
}

/// Reads the text.
fn read(
    text: &str,
    reader: Answerer<'_>,
    of: Reading<'_>,
    change: &mut ValuesChange,
) -> Result<Patch, Failure> {
    let Reading { session, home, event, earlier } = of;
    match reader {
        Answerer::Unopened(failure) => Err(failure),
        Answerer::Rules => {
            change.read_by = Some("rules");
            Ok(by_rules(text, earlier, change))
        }
        Answerer::Model(mut access) => {
            let (compiled, origin) = compile(&mut access, text, (event, earlier), home, session)?;
            change.read_by = Some("model");
            change.dropped = compiled.dropped;
            let gone = earlier.iter().filter(|claim| compiled.retract.contains(&claim.id));
            let (retract, restore) = retracted_or_restored(gone);
            let (lines, summary) = (compiled.claims, compiled.summary);
            Ok(Patch { lines, retract, restore, summary, model: Some(origin) })
        }
    }
}

/// Without a model, the lines are the values: what they no longer have is retracted.
fn by_rules(text: &str, earlier: &[BaseClaim], change: &mut ValuesChange) -> Patch {
    let (lines, left_out) = stated_lines(text);
    change.left_out = left_out;
    let key = |line: &StatedLine| text_key(line.claim_type.as_str(), &line.text);
    let keys: BTreeSet<String> = lines.iter().map(key).collect();
    let gone = earlier.iter().filter(|claim| !keys.contains(&claim.key()));
    let (retract, restore) = retracted_or_restored(gone.take(RETRACTIONS_MAX));
    Patch { lines, retract, restore, summary: String::new(), model: None }
}

/// Claims that the values no longer have: those to retract, and the versions to restore of those
/// that were stated apart from the values, too.
fn retracted_or_restored<'c>(gone: impl Iterator<Item = &'c BaseClaim>) -> (Vec<OpId>, Vec<OpId>) {
    let (mut retract, mut restore) = (Vec::new(), Vec::new());
    for claim in gone {
        match claim.own {
            Some(own) => restore.push(own),
            None => retract.push(claim.id),
        }
    }
    (retract, restore)
}

/// Whether a claim with the whole text can stay. Earlier versions made it a preference, which a
/// claim that follows from it may be as well: then nothing could be read from it.
fn is_settled(space: &Space, raw: &RecordView) -> Result<bool, EngineError> {
    match event_of(raw) {
        Some(event) if raw.record_type != RAW_TYPE => is_read(space, &event),
        _ => Ok(true),
    }
}

/// Whether the text of an event was read: claims or a summary name it.
fn is_read(space: &Space, event: &OpId) -> Result<bool, EngineError> {
    // Earlier versions shortened the id.
    for tag in [tag_of(event), format!("{OF_SET}{}", event.short())] {
        let of_event = NodeFilter { tags: vec![tag.clone()], all: true, ..NodeFilter::default() };
        if !tagged(space, &tag, States::Any)?.is_empty()
            || !space.nodes(&of_event, 1)?.items.is_empty()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn tag_of(event: &OpId) -> String {
    format!("{OF_SET}{event}")
}

/// The evidence that a claim cites.
fn event_of(raw: &RecordView) -> Option<OpId> {
    raw.inputs.first().map(|input| input.id)
}

/// The text as a claim, in place of the text before it.
fn changes_of_text(text: &str, before: Option<&RecordView>) -> Vec<NamedChange> {
    const RAW: &str = "raw";
    let stated = NamedChange {
        name: Some(RAW.to_owned()),
        change: GraphChange::State(Box::new(Statement {
            tags: vec![VALUES_RAW.to_owned()],
            visibility: Visibility::Global,
            ..Statement::new(RecordType::Claim(RAW_TYPE.to_owned()), text)
        })),
    };
    let Some(before) = before else { return vec![stated] };
    let is_alike =
        before.record_type == RAW_TYPE && normalized_text(&before.text) == normalized_text(text);
    if is_alike {
        // Only case and white space differ, which the same identity cannot tell apart.
        let reason = "stated again with other spacing".to_owned();
        let target = Reference::Id(before.id);
        let retracted = GraphChange::Retract { target, reason, sources: Vec::new() };
        return vec![retracted.into(), stated];
    }
    let replaced = GraphChange::Connect {
        edge_type: EdgeType::Supersedes,
        from: Reference::Local(RAW.to_owned()),
        to: Reference::Id(before.id),
        inputs: Vec::new(),
        notes: String::new(),
    };
    vec![stated, replaced.into()]
}

/// The text as evidence. It is not in the searched part, so that no recall finds it.
fn event(session: &Session, text: &str) -> Evidence {
    let at = When::from_zoned(&session.now.to_zoned(session.zone.clone()));
    let digest = kernel::body::payload_digest(&json!(text));
    Evidence {
        source: VALUES_SET.to_owned(),
        source_uid: format!("{at}/{digest}"),
        kind: EvidenceKind::from(VALUES_SET),
        actor: None,
        at: Some(at),
        summary: "Values were set".to_owned(),
        visibility: Visibility::Global,
        payload: Payload {
            more: serde_json::Map::from_iter([("values".to_owned(), json!(text))]),
            ..Payload::default()
        },
    }
}

/// Appends a patch, all of it but what the person has refuted. Answers whether anything was new.
fn apply(
    session: &Session,
    home: &mut OpenedSpace,
    event: &OpId,
    patch: Patch,
    before: &Values,
    change: &mut ValuesChange,
) -> Result<bool, Failure> {
    let mut patch = patch;
    loop {
        let changes = changes_of_patch(home, &patch, event, before)?;
        match home.change_graph(&changes, None, Intent::Write, session.now) {
            Ok(changed) => {
                let lines = patch.lines.into_iter();
                change.claims =
                    lines.map(|line| (line.claim_type.as_str().to_owned(), line.text)).collect();
                change.retracted = patch.retract;
                return Ok(!changed.appended.is_empty());
            }
            Err(EngineError::Graph(refused)) => {
                let is_refuted = |place: usize| {
                    refused.iter().any(|refused| {
                        refused.place == place
                            && matches!(
                                refused.refusal,
                                GraphRefusal::Rule(RuleViolation::IdentityRefuted { .. })
                            )
                    })
                };
                // The claims come first in the list of changes.
                let (gone, kept): (Vec<_>, Vec<_>) =
                    patch.lines.into_iter().enumerate().partition(|(place, _)| is_refuted(*place));
                if gone.is_empty() {
                    return Err(EngineError::Graph(refused).into());
                }
                patch.lines = kept.into_iter().map(|(_, line)| line).collect();
                change.dropped.extend(
                    gone.into_iter()
                        .map(|(_, line)| Dropped { text: line.text, reason: "identity_refuted" }),
                );
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// What setting the values would do, as far as rules can tell.
fn preview(session: &Session, text: &str, reader: &Answerer<'_>) -> Result<ValuesChange, Failure> {
    let before = show(session)?;
    let is_new = before.raw.as_ref().is_none_or(|raw| raw.text != text);
    let mut change = ValuesChange { is_new, ..ValuesChange::default() };
    if is_new && matches!(reader, Answerer::Rules) {
        let patch = by_rules(text, &before.claims, &mut change);
        let lines = patch.lines.into_iter();
        change.read_by = Some("rules");
        change.claims =
            lines.map(|line| (line.claim_type.as_str().to_owned(), line.text)).collect();
        change.retracted = patch.retract;
    }
    Ok(change)
}
