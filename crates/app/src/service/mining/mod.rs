//! Mining on demand: what a part of the ledger states becomes claims, nodes and edges.
//!
//! A language model reads the records if one is chosen, otherwise rules do.
//! [`engine::mine::filter`] decides what is kept, and everything that is not is reported. What the
//! person refuted or took back stays so. If programs may not learn here, preferences wait in the
//! review queue. A failure of the model leaves the space as it was (`docs/design/0039-mining.md`).

use std::collections::BTreeMap;

use engine::EngineError;
use engine::belief::claims::ClaimFilter;
use engine::belief::learned::Bounds;
use engine::graph::NodeFilter;
use engine::mine::changes::Miner;
use engine::mine::evidence::{MinableRecord, RECORDS_MAX};
use engine::mine::filter::{Filtered, KeptRecord, reason};
use engine::mine::owned::refuse_owned;
use engine::mine::rules::mined_by_rules;
use engine::mine::segment::segments;
use engine::mine::{Allowed, Mined, MiningLimits, MiningSource, Refused, Scope, changes_of};
use engine::selection::{RecordState, Selection};
use engine::write::graph::{NamedChange, RecordType, RefusedChange};
use engine::write::import::Intent;
use kernel::body::{NodeType, TextClaimType};
use kernel::evidence::Visibility;
use kernel::id::OpId;

use super::Session;
use super::agreed_settings::{may_learn, mining_limits};
use super::learning::{Learned, LearnedFrom, learn};
use super::model_request::{ModelAccess, ModelAnswer};
use super::opening::OpenedSpace;
use crate::failure::Failure;
use engine::belief::review::Status;

pub(crate) mod checkpoint;
mod checkpoint_changes;
mod prompt;
mod report;
#[cfg(test)]
mod tests;

use prompt::{Shown, TASK};
pub(crate) use report::{MinedView, MiningReport};
use report::{ProposedView, describe};

/// Records from the end of the ledger among which the newest segment is found.
const NEWEST_RECORDS: usize = 400;
/// Claims that a model is shown as known, and decisions.
const KNOWN_CLAIMS: usize = 40;
const KNOWN_DECISIONS: usize = 10;
/// How often an append is tried again without what was refused.
const TRIES_MAX: usize = 8;

/// Which records are mined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MiningSelection {
    /// Those of the newest segment.
    NewestSegment,
    /// These, or those of a session.
    Selected(Selection),
    /// Those of what happened from this time on, microseconds.
    Since(i64),
}

/// A record that a model is shown as known.
pub(crate) struct Known {
    id: OpId,
    record_type: String,
    scope: Scope,
    text: String,
}

/// Candidates of which is known what is kept.
pub(crate) struct Found {
    pub(crate) filtered: Filtered,
    pub(crate) miner: Miner,
    pub(crate) report: MiningReport,
}

/// Mines records with a language model, or by rules without one.
pub(crate) fn mine(
    session: &Session,
    space: &mut OpenedSpace,
    selection: &MiningSelection,
    model: Option<&mut ModelAccess<'_>>,
    intent: Intent,
) -> Result<MiningReport, Failure> {
    let mut records = records_of(space, selection)?;
    let too_many = records.len().saturating_sub(RECORDS_MAX);
    records.drain(..too_many);
    let limits = mining_limits(session, space)?;
    let records: Vec<&MinableRecord> = records.iter().collect();
    let mut found = find(session, space, &records, model, &limits)?;
    found.report.left_out += too_many;
    let waiting = preferences_to_propose(session, space, &mut found.filtered, intent)?;
    write(session, space, &mut found, intent)?;
    propose(session, space, &mut found, waiting, intent)?;
    Ok(found.report)
}

/// The records that are mined, in order of arrival.
fn records_of(
    space: &OpenedSpace,
    selection: &MiningSelection,
) -> Result<Vec<MinableRecord>, Failure> {
    match selection {
        MiningSelection::Selected(selection) => {
            let ids = space.select(selection, RecordState::Valid)?;
            Ok(space.reader()?.minable(ids)?)
        }
        MiningSelection::Since(since_us) => {
            Ok(space.reader()?.newest_minable(RECORDS_MAX + 1, Some(*since_us))?)
        }
        MiningSelection::NewestSegment => {
            let newest = space.reader()?.newest_minable(NEWEST_RECORDS, None)?;
            let Some(last) = newest.last().map(MinableRecord::id) else { return Ok(Vec::new()) };
            let mut segments = segments(newest).into_iter();
            let has_last =
                segments.find(|segment| segment.records.iter().any(|it| it.id() == last));
            Ok(has_last.map(|segment| segment.records).unwrap_or_default())
        }
    }
}

/// Finds candidates, with a language model or by rules without one, and decides about them. Nothing
/// is written.
pub(crate) fn find(
    session: &Session,
    space: &mut OpenedSpace,
    records: &[&MinableRecord],
    model: Option<&mut ModelAccess<'_>>,
    limits: &MiningLimits,
) -> Result<Found, Failure> {
    let only_scope = session.is_home(space).then_some(Scope::Global);
    let mut report = MiningReport { read: records.len(), ..MiningReport::default() };
    let (mined, allowed, miner) = match model {
        None => {
            report.read_by = "rules";
            let (mined, allowed) = by_rules(records, only_scope);
            (mined, allowed, Miner::rules())
        }
        Some(access) => {
            report.read_by = "model";
            let ids: Vec<OpId> = records.iter().map(|record| record.id()).collect();
            let private = space.private_among(&ids)?;
            let is_open = |record: &&MinableRecord| !private.contains(&record.id());
            let shown: Vec<&MinableRecord> = records.iter().copied().filter(is_open).collect();
            report.private = records.len() - shown.len();
            let shown = Shown::new(&shown, &known(session, space)?, only_scope);
            (report.left_out, report.cut) = (shown.left_out, shown.cut);
            report.read -= report.private + shown.left_out;
            if report.read == 0 {
                (Mined::default(), shown.allowed, Miner::rules())
            } else {
                let prompt = shown.prompt(access, space);
                let ModelAnswer { value, origin, .. } =
                    access.ask(&TASK, &prompt, space, session)?;
                let miner = Miner::model(origin.fields());
                report.model = Some(origin.model);
                (value, shown.allowed, miner)
            }
        }
    };
    let mut filtered = space.reader()?.filter_mined(mined, &allowed, limits, &miner)?;
    if report.model.is_some() {
        refuse_owned(&mut filtered, records);
    }
    for record in &mut filtered.records {
        for at in [&mut record.valid_from, &mut record.valid_to] {
            *at = at.take().map(|at| session.times().with_offset(at));
        }
    }
    space.reader()?.refuse_taken_back(&mut filtered, &miner)?;
    report.refused = std::mem::take(&mut filtered.refused);
    Ok(Found { filtered, miner, report })
}

fn by_rules(records: &[&MinableRecord], only_scope: Option<Scope>) -> (Mined, Allowed) {
    let names: Vec<String> = (1..=records.len()).map(|number| format!("e{number}")).collect();
    let source =
        |record: &MinableRecord| MiningSource { id: record.id(), visibility: record.visibility() };
    let sources = names.iter().cloned().zip(records.iter().map(|record| source(record)));
    let allowed = Allowed { sources: sources.collect(), only_scope, ..Allowed::default() };
    let named = names.iter().map(String::as_str).zip(records.iter().copied());
    (mined_by_rules(named), allowed)
}

/// What a model is shown as known: claims in words and decisions that are not private.
fn known(session: &Session, space: &OpenedSpace) -> Result<Vec<Known>, Failure> {
    let is_home = session.is_home(space);
    let scope = |visibility: Visibility| match visibility {
        Visibility::Global => Scope::Global,
        _ if is_home => Scope::Global,
        _ => Scope::Project,
    };
    let mut known = Vec::new();
    for claim_type in [TextClaimType::Preference, TextClaimType::Goal, TextClaimType::Fact] {
        let filter = ClaimFilter {
            claim_type: Some(claim_type.as_str().to_owned()),
            valid_at_us: Some(session.now.as_microsecond()),
            ..ClaimFilter::default()
        };
        for belief in space.claims(&filter, KNOWN_CLAIMS)?.beliefs {
            if known.len() < KNOWN_CLAIMS
                && let Some(id) = belief.served
            {
                let (scope, text) = (scope(belief.visibility), belief.text);
                known.push(Known { id, record_type: belief.claim_type, scope, text });
            }
        }
    }
    let decisions = NodeFilter { types: vec![NodeType::Decision], ..NodeFilter::default() };
    for node in space.nodes(&decisions, KNOWN_DECISIONS)?.items {
        let (scope, text) = (scope(node.visibility), node.text);
        known.push(Known { id: node.id, record_type: node.record_type, scope, text });
    }
    let ids: Vec<OpId> = known.iter().map(|record| record.id).collect();
    let private = space.private_among(&ids)?;
    known.retain(|record| !private.contains(&record.id));
    Ok(known)
}

/// Takes out the preferences that have to wait for the person, because programs may not learn here.
pub(crate) fn preferences_to_propose(
    session: &Session,
    space: &mut OpenedSpace,
    filtered: &mut Filtered,
    intent: Intent,
) -> Result<Vec<KeptRecord>, Failure> {
    let preference = RecordType::Claim(TextClaimType::Preference.as_str().to_owned());
    if !filtered.records.iter().any(|record| record.record_type == preference)
        || may_learn(session, space, intent)?
    {
        return Ok(Vec::new());
    }
    let (waiting, kept) = std::mem::take(&mut filtered.records)
        .into_iter()
        .partition(|record: &KeptRecord| record.record_type == preference);
    filtered.records = kept;
    filtered.refuse_lost_edges(reason::PENDING);
    Ok(waiting)
}

/// Writes what is kept in one append, without what the ledger refuses.
fn write(
    session: &Session,
    space: &mut OpenedSpace,
    found: &mut Found,
    intent: Intent,
) -> Result<(), Failure> {
    let Found { filtered, miner, report } = found;
    report.refused.append(&mut filtered.refused);
    if filtered.records.is_empty() && filtered.edges.is_empty() {
        return Ok(());
    }
    let append = |space: &mut OpenedSpace, changes: &[NamedChange]| {
        space.change_graph(changes, None, intent, session.now)
    };
    let mut tries = 0;
    let changed = loop {
        let changes = changes_of(filtered, miner, "")?;
        match append(space, &changes) {
            Err(EngineError::Graph(refused)) if tries < TRIES_MAX => {
                tries += 1;
                drop_refused(filtered, &refused, report);
                if filtered.records.is_empty() && filtered.edges.is_empty() {
                    return Ok(());
                }
            }
            changed => break changed?,
        }
    };
    let is_dry = intent == Intent::DryRun;
    describe(filtered, &changed, is_dry, report);
    Ok(())
}

/// Takes out what the ledger refuses, with the edges that lose an end.
fn drop_refused(filtered: &mut Filtered, refused: &[RefusedChange], report: &mut MiningReport) {
    let codes: BTreeMap<usize, &'static str> =
        refused.iter().map(|refused| (refused.place, refused.refusal.code())).collect();
    let number = filtered.records.len();
    let records = std::mem::take(&mut filtered.records);
    for (place, record) in records.into_iter().enumerate() {
        match codes.get(&place) {
            None => filtered.records.push(record),
            Some(reason) => report.refused.push(record.refused(reason)),
        }
    }
    let edges = std::mem::take(&mut filtered.edges);
    for (place, edge) in edges.into_iter().enumerate() {
        let is_lost = !filtered.has_ends_of(&edge);
        let reason = codes.get(&(number + place)).copied();
        match reason.or(is_lost.then_some(reason::UNKNOWN_END)) {
            None => filtered.edges.push(edge),
            Some(reason) => report.refused.push(edge.refused(reason)),
        }
    }
}

/// Proposes preferences to the person.
pub(crate) fn propose(
    session: &Session,
    space: &mut OpenedSpace,
    found: &mut Found,
    waiting: Vec<KeptRecord>,
    intent: Intent,
) -> Result<(), Failure> {
    for record in waiting {
        let mut sources = record.sources;
        sources.truncate(engine::belief::learned::SOURCES_MAX);
        let (local_id, text) = (record.local_id, record.text);
        let bounds = Bounds {
            visibility: record.visibility,
            valid_from: record.valid_from,
            valid_to: record.valid_to,
        };
        let model = found.report.model.clone().map(|model| (model, found.miner.details()));
        let from = LearnedFrom { bounds: Some(bounds), model };
        match learn(session, space, &text, &sources, &from, intent)? {
            Learned::Proposed(id) => found.report.proposed.push(ProposedView { id, text }),
            Learned::Known(id) | Learned::Stated(Some(id)) => {
                found.report.records.push(MinedView {
                    id: Some(id),
                    record_type: TextClaimType::Preference.as_str().to_owned(),
                    text,
                    confidence: record.confidence,
                    sources,
                    new: false,
                });
            }
            Learned::Stated(None) => {}
            Learned::ProposedBefore(_, status) => {
                let reason = match status {
                    Status::Dismissed => reason::DISMISSED,
                    _ => reason::PENDING,
                };
                found.report.refused.push(Refused { local_id, text, reason });
            }
        }
    }
    Ok(())
}
