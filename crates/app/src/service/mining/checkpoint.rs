//! Checkpoints: what arrived since the last one becomes segments, and each segment becomes nodes
//! and mined claims.
//!
//! Records are taken in order of arrival, in rounds of at most [`ROUND_RECORDS`], each of which is
//! one append. So whatever happens, a prefix of the ledger is done, and the summary of the project,
//! which ends the round, says which. A round that would write nothing new is not written. The cost
//! follows what is new.

use std::collections::BTreeSet;

use engine::EngineError;
use engine::graph::RecordView;
use engine::mine::CHECKPOINT;
use engine::mine::evidence::{LastCheckpoint, MinableRecord};
use engine::mine::filter::KeptRecord;
use engine::mine::nodes::{PlannedNode, nodes_of};
use engine::mine::segment::{Segment, segments};
use engine::write::graph::{GraphChanged, NamedChange};
use engine::write::import::Intent;
use kernel::body::NodeType;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use serde::Serialize;

use super::checkpoint_changes::{
    Changes, Slot, changes_of_project, changes_of_segments, drop_refused, statement,
};
use super::report::{MiningReport, ModelFailure, view_of_edge, view_of_record};
use super::{Found, TRIES_MAX, find, preferences_to_propose, propose};
use crate::failure::Failure;
use crate::service::Session;
use crate::service::agreed_settings::mining_limits;
use crate::service::model_request::ModelAccess;
use crate::service::opening::OpenedSpace;

/// Most records of a round.
const ROUND_RECORDS: usize = 2_000;
/// Most segments for which a language model is asked: the newest ones. Rules read the others.
pub(crate) const MODEL_SEGMENTS_MAX: usize = 20;

/// A node that a checkpoint made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct NodeView {
    /// Its operation; none in a dry run.
    pub(crate) id: Option<OpId>,
    /// Its type.
    #[serde(rename = "type")]
    pub(crate) node_type: &'static str,
    /// It in words.
    pub(crate) text: String,
    /// Whether it was not there before.
    pub(crate) new: bool,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SegmentView {
    /// When its first record happened.
    pub(crate) from: String,
    /// When its last one did.
    pub(crate) to: String,
    /// The session that it is of.
    pub(crate) session: Option<String>,
    /// How many records it has.
    pub(crate) records: usize,
    /// Its decisions, actions and summary.
    pub(crate) nodes: Vec<NodeView>,
    /// What was mined from it; none if a dry run leaves that to the model.
    pub(crate) mined: Option<MiningReport>,
}

/// What came of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct CheckpointReport {
    /// Whether anything was written, or would be.
    pub(crate) new: bool,
    /// How many records arrived since the last one.
    pub(crate) records: usize,
    /// The segments.
    pub(crate) segments: Vec<SegmentView>,
    /// The summaries of the project.
    pub(crate) summaries: Vec<NodeView>,
}

/// A segment with what was found in it.
pub(super) struct Planned {
    pub(super) segment: Segment,
    pub(super) nodes: Vec<PlannedNode>,
    pub(super) found: Option<Found>,
    waiting: Vec<KeptRecord>,
}

/// Makes a checkpoint of everything that arrived since the last one. A dry run asks no model.
pub(crate) fn checkpoint(
    session: &Session,
    space: &mut OpenedSpace,
    mut model: Option<&mut ModelAccess<'_>>,
    intent: Intent,
) -> Result<CheckpointReport, Failure> {
    let author = space.author();
    let LastCheckpoint { reached: mut from, summary: mut before } =
        space.reader()?.last_checkpoint(&author)?;
    let mut report = CheckpointReport::default();
    loop {
        let (records, reached) = space.reader()?.minable_after(from, ROUND_RECORDS)?;
        if records.is_empty() {
            return Ok(report);
        }
        let is_last = records.len() < ROUND_RECORDS;
        // A backlog is left to the rules: it could cost more than anybody expects.
        let asked = if is_last { model.take() } else { None };
        let untils = [false, true].map(|is_private| last_of(&records, is_private));
        report.records += records.len();
        let planned = plan(session, space, segments(records), asked, intent)?;
        write(session, space, planned, (untils, &mut before), intent, &mut report)?;
        if is_last {
            return Ok(report);
        }
        from = reached;
    }
}

/// The last record in order of arrival that is private, or that is not.
fn last_of(records: &[MinableRecord], is_private: bool) -> Option<OpId> {
    let of_class =
        |record: &&MinableRecord| (record.visibility() == Visibility::Private) == is_private;
    records.iter().filter(of_class).max_by_key(|record| record.position).map(MinableRecord::id)
}

/// Finds what each segment says.
fn plan(
    session: &Session,
    space: &mut OpenedSpace,
    segments: Vec<Segment>,
    mut model: Option<&mut ModelAccess<'_>>,
    intent: Intent,
) -> Result<Vec<Planned>, Failure> {
    let limits = mining_limits(session, space)?;
    let by_rules = segments.len().saturating_sub(MODEL_SEGMENTS_MAX);
    let mut planned = Vec::with_capacity(segments.len());
    for (place, segment) in segments.into_iter().enumerate() {
        let records: Vec<&MinableRecord> = segment.records.iter().collect();
        let model = model.as_deref_mut().filter(|_| place >= by_rules);
        let mut found = match model {
            Some(_) if intent == Intent::DryRun => None,
            Some(model) => Some(match find(session, space, &records, Some(model), &limits) {
                Err(Failure::LanguageModel(error)) if error.is_of_request() => {
                    let mut found = find(session, space, &records, None, &limits)?;
                    let (code, message) = (error.code(), error.to_string());
                    found.report.failure = Some(ModelFailure { code, message });
                    found
                }
                found => found?,
            }),
            None => Some(find(session, space, &records, None, &limits)?),
        };
        let waiting = match &mut found {
            Some(found) => preferences_to_propose(session, space, &mut found.filtered, intent)?,
            None => Vec::new(),
        };
        let mut nodes = Vec::new();
        for node in nodes_of(&segment) {
            let statement = statement(&node, vec![CHECKPOINT.to_owned()])?;
            if space.reader()?.taken_back(&statement, &node.sources)?.is_none() {
                nodes.push(node);
            }
        }
        planned.push(Planned { segment, nodes, found, waiting });
    }
    Ok(planned)
}

/// Writes a round, unless all of it is there already.
fn write(
    session: &Session,
    space: &mut OpenedSpace,
    planned: Vec<Planned>,
    (untils, before): ([Option<OpId>; 2], &mut Option<RecordView>),
    intent: Intent,
    report: &mut CheckpointReport,
) -> Result<(), Failure> {
    let mut planned = planned;
    let mut changes = changes_of_segments(&planned)?;
    let tried = append(session, space, &mut changes, &mut planned, Intent::DryRun)?;
    let is_new = !tried.appended.is_empty();
    let first = report.segments.len();
    report.segments.extend(planned.iter().map(|planned| view_of(session, planned)));
    let (changed, is_dry) = if is_new {
        for (is_private, until) in [false, true].into_iter().zip(untils) {
            let Some(until) = until else { continue };
            // What is private has a summary of its own at each checkpoint, which replaces none.
            let before = before.as_ref().filter(|_| !is_private);
            changes.extend(changes_of_project(&planned, is_private, before, until)?);
        }
        let changed = append(session, space, &mut changes, &mut planned, intent)?;
        (changed, intent == Intent::DryRun)
    } else {
        (tried, true)
    };
    report.new |= is_new;
    describe(&planned, &changes, &changed, is_dry, first, report);
    let written = changes.iter().zip(&changed.stand_for).filter(|_| !is_dry);
    for ((_, slot), id) in written {
        if matches!(slot, Slot::Project(_))
            && let Some(view) = space.record_view(id, None)?
            && view.visibility != Visibility::Private
        {
            *before = Some(view);
        }
    }
    for (place, planned) in planned.into_iter().enumerate() {
        let Planned { found: Some(mut found), waiting, .. } = planned else { continue };
        propose(session, space, &mut found, waiting, intent)?;
        let view = report.segments.get_mut(first + place);
        if let Some(SegmentView { mined: Some(mined), .. }) = view {
            report.new |= !found.report.proposed.is_empty();
            mined.proposed = found.report.proposed;
            mined.refused = found.report.refused;
        }
    }
    Ok(())
}

/// Appends changes, without those that the ledger refuses.
fn append(
    session: &Session,
    space: &mut OpenedSpace,
    changes: &mut Changes,
    planned: &mut [Planned],
    intent: Intent,
) -> Result<GraphChanged, Failure> {
    let mut tries = 0;
    loop {
        if changes.is_empty() {
            return Ok(GraphChanged::default());
        }
        let list: Vec<NamedChange> = changes.iter().map(|(change, _)| change.clone()).collect();
        match space.change_graph(&list, None, intent, session.now) {
            Err(EngineError::Graph(refused)) if tries < TRIES_MAX => {
                tries += 1;
                drop_refused(changes, planned, &refused);
            }
            changed => return Ok(changed?),
        }
    }
}

/// A segment before anything of it is written.
fn view_of(session: &Session, planned: &Planned) -> SegmentView {
    let time = |record: Option<&MinableRecord>| {
        let evidence = record.and_then(MinableRecord::evidence);
        match evidence.and_then(|evidence| evidence.at.as_ref()) {
            Some(at) => at.to_string(),
            None => record.map(|it| session.time(it.record.recorded_at)).unwrap_or_default(),
        }
    };
    let records = &planned.segment.records;
    let first = records.first().and_then(MinableRecord::evidence);
    SegmentView {
        from: time(records.first()),
        to: time(records.last()),
        session: first.and_then(|evidence| evidence.payload.session.clone()),
        records: records.len(),
        nodes: Vec::new(),
        mined: planned.found.as_ref().map(|found| found.report.clone()),
    }
}

/// Fills in what was written.
fn describe(
    planned: &[Planned],
    changes: &Changes,
    changed: &GraphChanged,
    is_dry: bool,
    first: usize,
    report: &mut CheckpointReport,
) {
    let appended: BTreeSet<OpId> = changed.appended.iter().copied().collect();
    for ((_, slot), id) in changes.iter().zip(&changed.stand_for) {
        let new = appended.contains(id);
        let id = Some(*id).filter(|_| !is_dry || !new);
        let node = |node_type: NodeType, text: &str| NodeView {
            id,
            node_type: node_type.as_str(),
            text: text.to_owned(),
            new,
        };
        match slot {
            Slot::Project(text) => report.summaries.push(node(NodeType::Summary, text)),
            Slot::Node(place, planned) => {
                if let Some(view) = report.segments.get_mut(first + place) {
                    view.nodes.push(node(planned.node_type, &planned.text));
                }
            }
            Slot::Mined(place, number) => {
                let found = planned.get(*place).and_then(|it| it.found.as_ref());
                let record = found.and_then(|found| found.filtered.records.get(*number));
                let mined = report.segments.get_mut(first + place);
                if let (Some(record), Some(mined)) =
                    (record, mined.and_then(|it| it.mined.as_mut()))
                {
                    mined.records.push(view_of_record(record, id, new));
                }
            }
            Slot::MinedEdge(place, number) => {
                let found = planned.get(*place).and_then(|it| it.found.as_ref());
                let edge = found.and_then(|found| found.filtered.edges.get(*number));
                let mined = report.segments.get_mut(first + place);
                if let (Some(edge), Some(mined)) = (edge, mined.and_then(|it| it.mined.as_mut())) {
                    mined.edges.push(view_of_edge(edge, id, new));
                }
            }
            Slot::Edge => {}
        }
    }
}
