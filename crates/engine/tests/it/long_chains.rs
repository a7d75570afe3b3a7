//! Long chains of replacements and redirects: what a read costs grows with the chain, not with its
//! square.

use std::time::{Duration, Instant};

use engine::Space;
use engine::belief::claims::{ClaimFilter, States};
use engine::recall::facts::FactQuery;
use engine::write::graph::{GraphChange, NamedChange, Reference, Statement};
use engine::write::import::Intent;
use kernel::body::EdgeType;

use crate::graph_changes::{claim, connection};
use crate::support::{Home, at, id_of};

const SHORT: usize = 500;
/// A chain that is so many times longer.
const LONGER: usize = 4;
/// How much longer a read of it may take. Of a square it is 16 times.
const RATIO_MAX: f64 = 8.0;
/// Below this, other things count more. Of a square it is seconds.
const TOO_SHORT_TO_COMPARE: Duration = Duration::from_millis(100);

/// A space in which each claim is joined with the next.
fn chain(edge_type: EdgeType, length: usize) -> Home {
    let mut home = Home::new();
    let note = id_of(home.remember("note", "Notes of the series"));
    let name = |n: usize| format!("c{n}");
    let local = |n: usize| Reference::Local(name(n));
    let mut changes: Vec<NamedChange> = Vec::new();
    for n in 0..length {
        let connect = connection(note, edge_type, note, note);
        let GraphChange::Connect { inputs, notes, .. } = connect else { unreachable!() };
        let stated = Statement { inputs: inputs.clone(), ..claim(&format!("Series {n}")) };
        let change = GraphChange::State(Box::new(stated));
        changes.push(NamedChange { name: Some(name(n)), change });
        if n > 0 {
            // The newest record is the one that stays.
            let (from, to) = match edge_type {
                EdgeType::Supersedes => (local(n), local(n - 1)),
                _ => (local(n - 1), local(n)),
            };
            changes.push(GraphChange::Connect { edge_type, from, to, inputs, notes }.into());
        }
    }
    home.space.change_graph(&changes, None, Intent::Write, at(10)).unwrap();
    home
}

fn check(edge_type: EdgeType, read: impl Fn(&mut Space, usize)) {
    let lengths = [SHORT, LONGER * SHORT];
    let mut homes = lengths.map(|length| chain(edge_type, length));
    let mut shortest = [Duration::MAX; 2];
    // In turns, because other programs run meanwhile.
    for _ in 0..5 {
        for ((home, length), shortest) in homes.iter_mut().zip(lengths).zip(&mut shortest) {
            let begun = Instant::now();
            read(&mut home.space, length);
            *shortest = begun.elapsed().min(*shortest);
        }
    }
    let [short, long] = shortest;
    let ratio = long.as_secs_f64() / short.as_secs_f64();
    let is_in_proportion = long < TOO_SHORT_TO_COMPARE || ratio <= RATIO_MAX;
    assert!(is_in_proportion, "{edge_type:?}: {short:?}, then {long:?}");
}

fn list_all(space: &mut Space, length: usize) {
    let filter = ClaimFilter { states: States::Any, ..ClaimFilter::default() };
    assert_eq!(space.claims(&filter, 10 * length).unwrap().beliefs.len(), length);
}

fn recall_something_else(space: &mut Space, _: usize) {
    let query = FactQuery { limit: 20, ..FactQuery::new("zebra series", at(100)) };
    assert_eq!(space.recall_facts(&query).unwrap().facts.len(), 1);
}

#[test]
fn a_list_of_a_chain_of_replacements_costs_in_proportion() {
    check(EdgeType::Supersedes, list_all);
}

#[test]
fn a_list_of_a_chain_of_redirects_costs_in_proportion() {
    check(EdgeType::SameAs, list_all);
}

#[test]
fn facts_are_recalled_from_a_chain_of_replacements_in_proportion() {
    check(EdgeType::Supersedes, recall_something_else);
}

#[test]
fn facts_are_recalled_from_a_chain_of_redirects_in_proportion() {
    check(EdgeType::SameAs, recall_something_else);
}
