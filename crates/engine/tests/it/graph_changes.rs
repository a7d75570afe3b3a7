//! Changes of the graph, each built on one record.

use engine::Space;
use engine::write::graph::{GraphChange, INPUT_ROLE, RecordType, Reference, Statement};
use engine::write::import::Intent;
use kernel::body::{EdgeType, NodeType};
use kernel::id::OpId;
use kernel::operation::Role;

use crate::support::at;

pub(crate) fn claim(text: &str) -> Statement {
    Statement::new(RecordType::Claim("fact".to_owned()), text)
}

pub(crate) fn node(text: &str) -> Statement {
    Statement::new(RecordType::Node(NodeType::Decision), text)
}

fn inputs(evidence: OpId) -> Vec<(Reference, Role)> {
    vec![(Reference::Id(evidence), Role::parse(INPUT_ROLE).unwrap())]
}

/// What stands for a change.
pub(crate) fn change(space: &mut Space, change: GraphChange) -> OpId {
    space.change_graph(&[change.into()], None, Intent::Write, at(10)).unwrap().stand_for[0]
}

pub(crate) fn state(space: &mut Space, evidence: OpId, statement: Statement) -> OpId {
    let inputs = inputs(evidence);
    change(space, GraphChange::State(Box::new(Statement { inputs, ..statement })))
}

pub(crate) fn supersede(space: &mut Space, evidence: OpId, target: OpId, text: &str) -> OpId {
    let supersede = GraphChange::Supersede {
        target: Reference::Id(target),
        text: text.to_owned(),
        inputs: inputs(evidence),
        otherwise: Default::default(),
    };
    change(space, supersede)
}

pub(crate) fn connection(evidence: OpId, edge_type: EdgeType, from: OpId, to: OpId) -> GraphChange {
    let (from, to) = (Reference::Id(from), Reference::Id(to));
    GraphChange::Connect { edge_type, from, to, inputs: inputs(evidence), notes: String::new() }
}

pub(crate) fn connect(
    space: &mut Space,
    evidence: OpId,
    edge_type: EdgeType,
    from: OpId,
    to: OpId,
) -> OpId {
    change(space, connection(evidence, edge_type, from, to))
}

pub(crate) fn retract(space: &mut Space, id: OpId) {
    let target = Reference::Id(id);
    change(space, GraphChange::Retract { target, reason: String::new(), sources: Vec::new() });
}

#[test]
fn inputs_that_nothing_has_are_refused_where_nothing_would_be_written() {
    use kernel::rules::RuleViolation;

    let mut home = crate::support::Home::new();
    let note = crate::support::id_of(home.remember("note", "Notes of the shop"));
    let [one, two] =
        ["Stock is one.", "Stock is two."].map(|text| state(&mut home.space, note, claim(text)));
    let edge = connect(&mut home.space, note, EdgeType::Supports, one, two);
    let ghost = OpId([7; 32]);
    let again = |inputs_of| {
        [
            GraphChange::State(Box::new(Statement {
                inputs: inputs(inputs_of),
                ..claim("stock  is ONE.")
            })),
            connection(inputs_of, EdgeType::Supports, one, two),
        ]
    };
    for (change, stands_for) in again(note).into_iter().zip([one, edge]) {
        let changed = home.space.change_graph(&[change.into()], None, Intent::Write, at(10));
        assert_eq!(changed.unwrap().stand_for, [stands_for]);
    }
    for change in again(ghost) {
        let refused = home.space.change_graph(&[change.into()], None, Intent::Write, at(10));
        let Err(engine::EngineError::Graph(refused)) = refused else { panic!("{refused:?}") };
        assert_eq!(refused[0].refusal.code(), RuleViolation::UnknownRef { missing: ghost }.code());
    }
}
