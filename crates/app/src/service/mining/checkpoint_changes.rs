//! The changes that a checkpoint makes: nodes of segments, what was mined, and the summary of the
//! project.

use std::collections::BTreeSet;

use engine::EngineError;
use engine::graph::RecordView;
use engine::mine::evidence::{PROJECT, UNTIL_ROLE};
use engine::mine::filter::reason;
use engine::mine::nodes::PlannedNode;
use engine::mine::{CHECKPOINT, changes_of};
use engine::write::graph::{
    GraphChange, INPUT_ROLE, NamedChange, RecordType, Reference, RefusedChange, Statement,
    cite_as_inputs,
};
use kernel::body::{EdgeType, NodeType};
use kernel::evidence::{Visibility, summarize};
use kernel::id::OpId;
use kernel::identity::normalized_text;
use kernel::operation::Role;
use kernel::records::RecordStatus;
use serde_json::json;

use super::checkpoint::Planned;

/// Segments that the summary of a project names: the newest ones.
const LATEST_SEGMENTS: usize = 5;
/// The version of what makes nodes.
const VERSION: &str = "1.0.0";

/// What a change of a round stands for.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// A node of a segment.
    Node(usize, PlannedNode),
    /// A mined record of a segment, by its place there.
    Mined(usize, usize),
    /// A mined edge of a segment, likewise.
    MinedEdge(usize, usize),
    /// The summary of the project.
    Project(String),
    /// An edge of a node.
    Edge,
}

/// A list of changes, each with what it stands for.
pub(super) type Changes = Vec<(NamedChange, Slot)>;

/// A node as it is stated.
pub(super) fn statement(node: &PlannedNode, tags: Vec<String>) -> Result<Statement, EngineError> {
    Ok(Statement {
        inputs: cite_as_inputs(&node.sources)?,
        tags,
        visibility: node.visibility,
        payload: json!({ "source": CHECKPOINT, "version": VERSION }),
        ..Statement::new(RecordType::Node(node.node_type), node.text.as_str())
    })
}

/// The nodes of segments with their edges to evidence, and what was mined.
pub(super) fn changes_of_segments(planned: &[Planned]) -> Result<Changes, EngineError> {
    let mut changes = Changes::new();
    for (place, planned) in planned.iter().enumerate() {
        for (number, node) in planned.nodes.iter().enumerate() {
            let name = name_of_node(place, number);
            let statement = statement(node, vec![CHECKPOINT.to_owned()])?;
            let change = GraphChange::State(Box::new(statement));
            let slot = Slot::Node(place, node.clone());
            changes.push((NamedChange { name: Some(name.clone()), change }, slot));
            for source in &node.sources {
                let from = Reference::Local(name.clone());
                changes.push((derived_from(from, Reference::Id(*source), *source)?, Slot::Edge));
            }
        }
        let Some(found) = &planned.found else { continue };
        let mined = changes_of(&found.filtered, &found.miner, &format!("s{place}."))?;
        let records = found.filtered.records.len();
        for (number, change) in mined.into_iter().enumerate() {
            let slot = match number.checked_sub(records) {
                None => Slot::Mined(place, number),
                Some(edge) => Slot::MinedEdge(place, edge),
            };
            changes.push((change, slot));
        }
    }
    Ok(changes)
}

fn name_of_node(segment: usize, number: usize) -> String {
    format!("n{segment}.{number}")
}

fn derived_from(from: Reference, to: Reference, source: OpId) -> Result<NamedChange, EngineError> {
    Ok(NamedChange::from(GraphChange::Connect {
        edge_type: EdgeType::DerivedFrom,
        from,
        to,
        inputs: cite_as_inputs(&[source])?,
        notes: String::new(),
    }))
}

/// The summary of the project, in place of the one before it. What is private has one of its own.
pub(super) fn changes_of_project(
    planned: &[Planned],
    is_private: bool,
    before: Option<&RecordView>,
    until: OpId,
) -> Result<Changes, EngineError> {
    const NAME: [&str; 2] = ["project", "project.private"];
    let name = NAME[usize::from(is_private)].to_owned();
    let of_class: Vec<(usize, &Planned)> = planned
        .iter()
        .enumerate()
        .filter(|(_, it)| (it.segment.visibility() == Visibility::Private) == is_private)
        .collect();
    let counted = |field: &str| {
        let payload = before.map(|before| &before.payload);
        payload.and_then(|payload| payload.get(field)?.as_u64()).unwrap_or_default()
    };
    let records = of_class.iter().map(|(_, it)| it.segment.records.len() as u64).sum::<u64>();
    let segments = counted("segments").saturating_add(of_class.len() as u64);
    let records = counted("records").saturating_add(records);
    let summaries: Vec<(String, &PlannedNode)> = of_class
        .iter()
        .rev()
        .flat_map(|(place, planned)| {
            let nodes = planned.nodes.iter().enumerate();
            let summary = nodes.filter(|(_, node)| node.node_type == NodeType::Summary);
            summary.map(|(number, node)| (name_of_node(*place, number), node))
        })
        .take(LATEST_SEGMENTS)
        .collect();
    let segments_in_words = crate::text::count(segments, "segment");
    let records_in_words = crate::text::count(records, "record");
    let counts = format!("{segments_in_words} with {records_in_words}");
    let mut text = match is_private {
        true => format!("Private, up to {}: {counts}.", until.short()),
        false => format!("{counts} so far."),
    };
    if !summaries.is_empty() {
        let lines: Vec<String> = summaries.iter().map(|(_, node)| summarize(&node.text)).collect();
        text.push_str(&format!(" Latest: {}", lines.join(" | ")));
    }
    if before.is_some_and(|it| normalized_text(&it.text) == normalized_text(&text)) {
        return Ok(Changes::new());
    }
    let role = Role::parse(INPUT_ROLE)?;
    let mut cited = vec![(Reference::Id(until), Role::parse(UNTIL_ROLE)?)];
    cited.extend(summaries.iter().map(|(name, _)| (Reference::Local(name.clone()), role.clone())));
    let strictest = of_class.iter().map(|(_, it)| it.segment.visibility());
    let statement = Statement {
        inputs: cited,
        tags: vec![CHECKPOINT.to_owned(), PROJECT.to_owned()],
        visibility: strictest.min().unwrap_or_default(),
        payload: json!({
            "source": CHECKPOINT, "version": VERSION, "segments": segments, "records": records,
        }),
        ..Statement::new(RecordType::Node(NodeType::Summary), text.as_str())
    };
    let change = GraphChange::State(Box::new(statement));
    let mut changes = vec![(NamedChange { name: Some(name.clone()), change }, Slot::Project(text))];
    for (summary, _) in &summaries {
        let to = Reference::Local(summary.clone());
        changes.push((derived_from(Reference::Local(name.clone()), to, until)?, Slot::Edge));
    }
    if let Some(before) = before.filter(|it| it.status == Some(RecordStatus::Active.as_str())) {
        let supersedes = GraphChange::Connect {
            edge_type: EdgeType::Supersedes,
            from: Reference::Local(name),
            to: Reference::Id(before.id),
            inputs: cite_as_inputs(&[until])?,
            notes: String::new(),
        };
        changes.push((supersedes.into(), Slot::Edge));
    }
    Ok(changes)
}

/// Takes out what the ledger refuses, and what cites it.
pub(super) fn drop_refused(
    changes: &mut Changes,
    planned: &mut [Planned],
    refused: &[RefusedChange],
) {
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let mut kept = Changes::new();
    for (place, (change, slot)) in std::mem::take(changes).into_iter().enumerate() {
        let reason = refused.iter().find(|refused| refused.place == place);
        let is_lost = cited_names(&change.change).any(|name| gone.contains(name));
        if reason.is_none() && !is_lost {
            kept.push((change, slot));
            continue;
        }
        gone.extend(change.name);
        let code = reason.map_or(reason::UNKNOWN_END, |reason| reason.refusal.code());
        if let Slot::Mined(segment, number) = slot
            && let Some(Planned { found: Some(found), .. }) = planned.get_mut(segment)
            && let Some(record) = found.filtered.records.get(number)
        {
            found.report.refused.push(record.clone().refused(code));
        }
    }
    *changes = kept;
}

/// The earlier changes that a change cites.
fn cited_names(change: &GraphChange) -> impl Iterator<Item = &str> {
    let (ends, inputs): ([Option<&Reference>; 2], &[(Reference, Role)]) = match change {
        GraphChange::State(statement) => ([None, None], &statement.inputs),
        GraphChange::Connect { from, to, inputs, .. } => ([Some(from), Some(to)], inputs),
        GraphChange::Supersede { target, inputs, .. } => ([Some(target), None], inputs),
        GraphChange::Retract { target, .. } => ([Some(target), None], &[]),
    };
    let cited = ends.into_iter().flatten().chain(inputs.iter().map(|(input, _)| input));
    cited.filter_map(|reference| match reference {
        Reference::Local(name) => Some(name.as_str()),
        Reference::Id(_) => None,
    })
}
