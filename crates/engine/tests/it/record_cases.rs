//! What becomes of claims and nodes that are replaced, redirected, taken back, merged and written
//! at once, case by case.

use std::thread;

use engine::Space;
use engine::graph::{EdgeFilter, NodeFilter, RecordView};
use engine::recall::facts::FactQuery;
use engine::write::exchange::read_genesis;
use engine::write::import::Intent;
use kernel::body::EdgeType;
use kernel::id::OpId;
use kernel::kind::Capability;

use crate::graph_changes::{claim, connect, connection, node, retract, state, supersede};
use crate::support::{Home, at, exported, id_of, key};

fn with_evidence() -> (Home, OpId) {
    let mut home = Home::new();
    let evidence = id_of(home.remember("e", "What was said"));
    (home, evidence)
}

fn view(space: &Space, id: OpId) -> RecordView {
    space.record_view(&id, None).unwrap().unwrap()
}

fn status(space: &Space, id: OpId) -> Option<&'static str> {
    view(space, id).status
}

fn active_nodes(space: &Space) -> Vec<String> {
    let nodes = space.nodes(&NodeFilter::default(), 100).unwrap();
    nodes.items.into_iter().map(|node| node.text).collect()
}

fn facts(space: &Space, question: &str) -> Vec<String> {
    let query = FactQuery { limit: 100, ..FactQuery::new(question, at(100)) };
    let found = space.recall_facts(&query).unwrap();
    found.facts.into_iter().map(|fact| fact.belief.text).collect()
}

#[test]
fn case_12_given_a_replacement_then_the_old_text_is_superseded_and_still_readable() {
    let (mut home, evidence) = with_evidence();
    for statement in [claim("The glaze is tenmoku"), node("Use the tenmoku glaze")] {
        let old = state(&mut home.space, evidence, statement.clone());
        let new = supersede(&mut home.space, evidence, old, "The glaze is celadon");
        assert_eq!(status(&home.space, old), Some("superseded"));
        assert_eq!(status(&home.space, new), Some("active"));
        assert_eq!(view(&home.space, old).text, statement.text);
    }
    assert_eq!(facts(&home.space, "which glaze"), ["The glaze is celadon"]);
    assert_eq!(active_nodes(&home.space), ["The glaze is celadon"]);
}

#[test]
fn case_13_given_retraction_and_supersession_then_the_status_is_retracted() {
    let (mut home, evidence) = with_evidence();
    for statement in [claim("The glaze is tenmoku"), node("Use the tenmoku glaze")] {
        let old = state(&mut home.space, evidence, statement);
        supersede(&mut home.space, evidence, old, "The glaze is celadon");
        retract(&mut home.space, old);
        assert_eq!(status(&home.space, old), Some("retracted"));
    }
}

#[test]
fn case_14_given_a_duplicate_then_it_resolves_to_the_canonical_and_leaves_default_lists() {
    let (mut home, evidence) = with_evidence();
    let statements = [
        (claim("Tests run before commits"), claim("Run the tests before each commit")),
        (node("Ship the tests"), node("Ship all tests")),
    ];
    for (duplicate, canonical) in statements {
        let duplicate = state(&mut home.space, evidence, duplicate);
        let canonical = state(&mut home.space, evidence, canonical);
        connect(&mut home.space, evidence, EdgeType::SameAs, duplicate, canonical);
        let shown = view(&home.space, duplicate);
        assert_eq!((shown.status, shown.canonical), (Some("alias"), Some(canonical)));
        assert_eq!(status(&home.space, canonical), Some("active"));
    }
    assert_eq!(facts(&home.space, "tests commit"), ["Run the tests before each commit"]);
    assert_eq!(active_nodes(&home.space), ["Ship all tests"]);
}

/// All that is said of some records and of all edges.
fn described(space: &Space, ids: &[OpId]) -> (Vec<RecordView>, Vec<String>) {
    let edges = space.edges(&EdgeFilter { all: true, ..EdgeFilter::default() }, 100).unwrap();
    let triple = |edge: engine::graph::EdgeView| {
        format!("{} {} {} {} {:?}", edge.id, edge.edge_type, edge.from, edge.to, edge.status)
    };
    let edges = edges.items.into_iter().map(triple).collect();
    (ids.iter().map(|id| view(space, *id)).collect(), edges)
}

#[test]
fn case_33_given_a_rebuild_or_a_copy_then_ids_statuses_redirects_and_triples_are_unchanged() {
    let (mut home, evidence) = with_evidence();
    let space = &mut home.space;
    let old = state(space, evidence, claim("The glaze is tenmoku"));
    let new = supersede(space, evidence, old, "The glaze is celadon");
    let alias = state(space, evidence, claim("A celadon glaze"));
    connect(space, evidence, EdgeType::SameAs, alias, new);
    let decision = state(space, evidence, node("Use celadon"));
    let edge = connect(space, evidence, EdgeType::DependsOn, decision, new);
    let gone = state(space, evidence, node("Use tenmoku"));
    retract(space, gone);
    retract(space, edge);
    let ids = [old, new, alias, decision, gone];
    let before = described(space, &ids);
    assert_eq!((before.0[2].canonical, before.1.len()), (Some(new), 3));
    space.rebuild(|_| {}).unwrap();
    assert_eq!(described(&home.space, &ids), before);
    // The ledger written out and read into an empty file holds nothing but operations.
    let lines = exported(&home.space);
    let (genesis, body) = read_genesis(&mut &lines[..]).unwrap();
    let mut copy = Space::copy_of(&home.path("copy.space"), &genesis, &body, key(1)).unwrap();
    copy.take_in(&mut &lines[..], at(20), |_| {}).unwrap();
    assert_eq!(described(&copy, &ids), before);
}

#[test]
fn case_36_given_a_cycle_then_it_is_refused_or_one_representative_stays_on_every_device() {
    for edge_type in [EdgeType::SameAs, EdgeType::Supersedes] {
        let (mut home, evidence) = with_evidence();
        let capabilities = vec![Capability::Append, Capability::Derive, Capability::Correct];
        let phone = key(2).author();
        home.space.change_access(phone, "phone", capabilities, true, at(2)).unwrap();
        let one = state(&mut home.space, evidence, claim("The glaze is celadon"));
        let other = state(&mut home.space, evidence, claim("A celadon glaze"));
        let lines = exported(&home.space);
        let (genesis, body) = read_genesis(&mut &lines[..]).unwrap();
        let mut phone = Space::copy_of(&home.path("phone.space"), &genesis, &body, key(2)).unwrap();
        phone.take_in(&mut &lines[..], at(3), |_| {}).unwrap();
        // Each device closes one half of the ring.
        connect(&mut home.space, evidence, edge_type, one, other);
        let second_half = connection(evidence, edge_type, other, one);
        let refused = home.space.change_graph(&[second_half.into()], None, Intent::Write, at(10));
        assert_eq!(refused.unwrap_err().code(), "cycle");
        connect(&mut phone, evidence, edge_type, other, one);
        let (from_home, from_phone) = (exported(&home.space), exported(&phone));
        home.space.take_in(&mut &from_phone[..], at(20), |_| {}).unwrap();
        phone.take_in(&mut &from_home[..], at(20), |_| {}).unwrap();
        let statuses = |space: &Space| [one, other].map(|id| status(space, id));
        assert_eq!(statuses(&home.space), statuses(&phone), "{edge_type:?}");
        let active = statuses(&phone).into_iter().filter(|status| *status == Some("active"));
        assert_eq!(active.count(), 1, "{edge_type:?}");
        assert_eq!(facts(&home.space, "celadon"), facts(&phone, "celadon"));
        assert_eq!(facts(&phone, "celadon").len(), 1, "{edge_type:?}");
    }
}

#[test]
fn case_37_given_two_concurrent_writers_then_every_reader_sees_both_records() {
    /// Claims of each writer.
    const CLAIMS: usize = 12;
    let (home, evidence) = with_evidence();
    let writers = ["kiln", "harbour"].map(|name| {
        let mut space = home.again(1);
        thread::spawn(move || {
            let claims =
                (0..CLAIMS).map(|number| claim(&format!("The {name} has number {number}")));
            claims.map(|claim| state(&mut space, evidence, claim)).collect::<Vec<OpId>>()
        })
    });
    let written = writers.map(|writer| writer.join().unwrap());
    for reader in [&home.space, &home.again(1)] {
        for id in written.iter().flatten() {
            assert_eq!(status(reader, *id), Some("active"));
        }
        assert_eq!(facts(reader, "kiln").len(), CLAIMS);
        assert_eq!(facts(reader, "harbour").len(), CLAIMS);
    }
    assert_eq!(home.space.verify(|_| {}).unwrap().findings.len(), 0);
}

#[test]
fn a_record_that_was_taken_back_is_not_in_the_way_of_a_replacement() {
    for is_replaced in [false, true] {
        let (mut home, evidence) = with_evidence();
        let canonical = state(&mut home.space, evidence, claim("The glaze is celadon"));
        let stays = state(&mut home.space, evidence, claim("We glaze with tenmoku"));
        let between = supersede(&mut home.space, evidence, stays, "We use celadon");
        if is_replaced {
            let newest = supersede(&mut home.space, evidence, between, "Celadon it is");
            connect(&mut home.space, evidence, EdgeType::SameAs, newest, canonical);
        } else {
            connect(&mut home.space, evidence, EdgeType::SameAs, between, canonical);
        }
        let replacement = connection(evidence, EdgeType::Supersedes, stays, canonical);
        let replace = |space: &mut Space| {
            space.change_graph(&[replacement.clone().into()], None, Intent::Write, at(10))
        };
        assert_eq!(replace(&mut home.space).unwrap_err().code(), "cycle");
        retract(&mut home.space, between);
        if is_replaced {
            // What replaced the one between replaces the first as well, and is the canonical one.
            assert_eq!(status(&home.space, stays), Some("superseded"));
            assert_eq!(replace(&mut home.space).unwrap_err().code(), "cycle");
        } else {
            assert_eq!(status(&home.space, stays), Some("active"));
            replace(&mut home.space).unwrap();
            assert_eq!(status(&home.space, stays), Some("active"));
            assert_eq!(status(&home.space, canonical), Some("superseded"));
        }
        assert_eq!(home.space.verify(|_| {}).unwrap().findings.len(), 0);
    }
}
