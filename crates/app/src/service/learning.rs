//! Learned changes: a preference that a program draws from records becomes a claim where the
//! setting `auto_learn` is on, and a proposal in the review queue where it is off.

use engine::belief::learned::{Bounds, SOURCES_MAX, draft, statement};
use engine::belief::proposed::propose;
use engine::belief::review::Status;
use engine::write::graph::{GraphChange, NamedChange, stricter};
use engine::write::import::Intent;
use importers::secrets::mask_string;
use kernel::body::Body;
use kernel::id::OpId;
use serde_json::{Map, Value};

use super::Session;
use super::agreed_settings::may_learn;
use super::opening::OpenedSpace;
use crate::failure::{Failure, RequestError};

/// The program that proposes, as a review names it.
const ORIGIN: &str = "learning";
/// Longest preference, mebibytes.
const TEXT_MIB_MAX: u64 = 1;

/// What became of a learned preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Learned {
    /// It is believed already.
    Known(OpId),
    /// It is a claim now; none in a dry run.
    Stated(Option<OpId>),
    /// It awaits a decision; none in a dry run.
    Proposed(Option<OpId>),
    /// It was proposed before, with this result.
    ProposedBefore(OpId, Status),
}

/// What is known of a preference that was mined.
#[derive(Default)]
pub(crate) struct LearnedFrom {
    /// Who may see it, and when it holds; none if nobody said.
    pub(crate) bounds: Option<Bounds>,
    /// The model that said it, and what names the model, its prompt and its transcripts.
    pub(crate) model: Option<(String, Map<String, Value>)>,
}

/// Learns a preference from records. The same is learned once, and proposed once unless it was
/// accepted and then taken back.
pub(crate) fn learn(
    session: &Session,
    space: &mut OpenedSpace,
    text: &str,
    sources: &[OpId],
    from: &LearnedFrom,
    intent: Intent,
) -> Result<Learned, Failure> {
    let text = mask_string(text.trim()).into_inner();
    if text.is_empty() {
        return Err(RequestError::EmptyText.into());
    }
    if text.len() as u64 > TEXT_MIB_MAX << 20 {
        return Err(RequestError::TextTooLarge { mib: TEXT_MIB_MAX }.into());
    }
    if sources.is_empty() || sources.len() > SOURCES_MAX {
        let (number, max) = (sources.len() as u32, SOURCES_MAX as u32);
        return Err(RequestError::OutOfRange { name: "sources", number, min: 1, max }.into());
    }
    let usual = session.scope_of(space).visibility();
    let bounds = Bounds {
        visibility: from.bounds.as_ref().map_or(usual, |of| stricter(of.visibility, usual)),
        ..from.bounds.clone().unwrap_or_default()
    };
    let state = GraphChange::State(Box::new(statement(&text, sources, bounds.clone())?));
    let changes = [NamedChange::from(state)];
    // Tried before anything is written: a proposal that cannot be accepted is refused as well.
    let tried = space.change_graph(&changes, None, Intent::DryRun, session.now)?;
    if tried.appended.is_empty()
        && let Some(id) = tried.stand_for.first()
    {
        return Ok(Learned::Known(*id));
    }
    let claim = draft(&text, sources, bounds)?;
    let before = proposed(space, &claim.body)?;
    // What the user dismissed stays so, whatever the setting is by now.
    if let Some((id, status @ Status::Dismissed)) = before {
        return Ok(Learned::ProposedBefore(id, status));
    }
    if may_learn(session, space, intent)? {
        if intent == Intent::DryRun {
            return Ok(Learned::Stated(None));
        }
        let changed = space.change_graph(&changes, None, intent, session.now)?;
        return Ok(Learned::Stated(changed.stand_for.first().copied()));
    }
    if let Some((id, status)) = before {
        return Ok(Learned::ProposedBefore(id, status));
    }
    if intent == Intent::DryRun {
        return Ok(Learned::Proposed(None));
    }
    let origin = from.model.as_ref().map_or(ORIGIN, |(model, _)| model);
    let mut proposal = propose(&[claim], origin, &format!("Learned: {text}"))?;
    if let (Body::Proposal(proposal), Some((_, details))) = (&mut proposal.body, &from.model) {
        proposal.others.extend(details.clone());
    }
    let mut writer = space.writer();
    let id = writer.append(proposal, session.now)?;
    writer.finish()?;
    Ok(Learned::Proposed(Some(id)))
}

/// The proposal of the same claim that awaits a decision or was dismissed.
fn proposed(space: &OpenedSpace, claim: &Body) -> Result<Option<(OpId, Status)>, Failure> {
    let key = |body: &Body| body.identity().map(|(key, _)| key.to_owned());
    let same = space.proposed_changes(None)?.into_iter().rfind(|change| {
        matches!(change.status, Status::Pending | Status::Dismissed)
            && change
                .operations
                .iter()
                .any(|draft| matches!(draft.body, Body::Claim(_)) && key(&draft.body) == key(claim))
    });
    Ok(same.map(|change| (change.id, change.status)))
}
