//! Why: what is walked, what holds up a target, and what is stored of the answer.

use std::time::Instant;

use engine::private::Disclosure;
use engine::why::{
    Choice, FoundBy, METHOD, OUTSIDE_WINDOW_FACTOR, Relation, Why, WhyLimits, WhyStatus,
};
use engine::write::graph::{
    GraphChange, GraphChanged, INPUT_ROLE, NamedChange, RecordType, Reference, Statement,
};
use engine::write::import::Intent;
use kernel::body::{Body, EdgeType, NodeType};
use kernel::evidence::{Evidence, Visibility};
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use kernel::when::When;
use serde_json::json;

use crate::support::{Home, at, id_of, note};

/// A space with one record that everything cites.
struct Graph {
    home: Home,
    evidence: OpId,
}

impl Graph {
    fn new() -> Self {
        let mut home = Home::new();
        let evidence = id_of(home.remember("e", "ledger of the kiln"));
        Self { home, evidence }
    }

    fn change(&mut self, changes: &[NamedChange]) -> GraphChanged {
        self.home.space.change_graph(changes, None, Intent::Write, at(10)).unwrap()
    }

    fn one(&mut self, change: GraphChange) -> OpId {
        self.change(&[change.into()]).stand_for[0]
    }

    fn inputs(&self, inputs: &[OpId]) -> Vec<(Reference, Role)> {
        let inputs = if inputs.is_empty() { &[self.evidence] } else { inputs };
        let role = Role::parse(INPUT_ROLE).unwrap();
        inputs.iter().map(|id| (Reference::Id(*id), role.clone())).collect()
    }

    fn claim(&mut self, text: &str) -> OpId {
        self.claim_from(text, 1.0, &[])
    }

    fn claim_from(&mut self, text: &str, confidence: f64, inputs: &[OpId]) -> OpId {
        let inputs = self.inputs(inputs);
        let of = RecordType::Claim("fact".to_owned());
        self.state(Statement { confidence, inputs, ..Statement::new(of, text) })
    }

    fn decision(&mut self, text: &str) -> OpId {
        let inputs = self.inputs(&[]);
        let of = RecordType::Node(NodeType::Decision);
        self.state(Statement { inputs, ..Statement::new(of, text) })
    }

    fn state(&mut self, statement: Statement) -> OpId {
        self.one(GraphChange::State(Box::new(statement)))
    }

    fn edge(&mut self, edge_type: EdgeType, from: OpId, to: OpId) -> OpId {
        let inputs = self.inputs(&[]);
        let (from, to) = (Reference::Id(from), Reference::Id(to));
        self.one(GraphChange::Connect { edge_type, from, to, inputs, notes: String::new() })
    }

    fn retract(&mut self, id: OpId) {
        let target = Reference::Id(id);
        self.one(GraphChange::Retract { target, reason: String::new(), sources: Vec::new() });
    }

    fn why(&self, id: OpId) -> Why {
        self.why_within(id, &limits())
    }

    fn why_within(&self, id: OpId, limits: &WhyLimits) -> Why {
        self.home.space.why(&id, limits).unwrap()
    }

    /// Stores an answer; the number of operations that were appended.
    fn store(&mut self, why: &Why) -> usize {
        self.change(&why.trace().unwrap()).appended.len()
    }
}

fn limits() -> WhyLimits {
    WhyLimits::new(at(100))
}

fn chosen(why: &Why) -> Vec<OpId> {
    why.support.as_ref().map(|support| support.claims.clone()).unwrap_or_default()
}

fn is_minimal(why: &Why) -> bool {
    why.support.as_ref().unwrap().is_minimal
}

#[test]
fn case_28_what_is_linked_is_found_though_it_shares_no_word() {
    let mut graph = Graph::new();
    let (dry, glaze) = (graph.claim("Clay shrinks while drying"), graph.claim("Cobalt turns blue"));
    let decision = graph.decision("We open on Friday");
    graph.edge(EdgeType::DependsOn, decision, dry);
    graph.edge(EdgeType::DerivedFrom, decision, glaze);
    let why = graph.why(decision);
    assert_eq!((why.status, chosen(&why)), (WhyStatus::Supported, vec![dry]));
    assert!(is_minimal(&why));
    let found: Vec<_> = why.candidates.iter().map(|found| (found.id, found.via)).collect();
    assert_eq!(found, [(dry, "depends_on"), (glaze, "derived_from")]);
    assert_eq!(graph.home.space.newest_to_explain(&limits()).unwrap(), Some(decision));
}

#[test]
fn case_28_given_decide_next_hints_then_why_finds_them_with_an_empty_query() {
    let mut graph = Graph::new();
    let (dry, glaze) = (graph.claim("Clay shrinks while drying"), graph.claim("Cobalt turns blue"));
    let seen = id_of(graph.home.remember("seen", "Rain since Monday"));
    let wet = graph.claim_from("The kiln is wet", 1.0, &[seen]);
    let (dead, plan) = (graph.claim("We fire today"), graph.decision("We fire on Friday"));
    graph.retract(dead);
    let decided = |uid: &str, kind: &str, hints: serde_json::Value| Evidence {
        kind: kind.into(),
        payload: kernel::evidence::Payload {
            more: serde_json::Map::from_iter([("hints".to_owned(), hints)]),
            ..Default::default()
        },
        ..note(uid, "")
    };
    let ghost = OpId([7; 32]);
    let hints =
        json!({ "claims": [dry, dead, ghost, "no id"], "nodes": [plan], "evidence": ["seen"] });
    let next =
        graph.home.space.remember(decided("d1", "decide_next", hints.clone()), at(5)).unwrap();
    let why = graph.why(id_of(next));
    assert_eq!((why.target.text.as_str(), why.status), ("", WhyStatus::EvidenceAlone));
    let found: Vec<_> = why.candidates.iter().map(|found| (found.id, found.via)).collect();
    let mut expected: Vec<_> = [dry, plan, wet].iter().map(|id| (*id, "hint")).collect();
    expected.sort();
    assert_eq!(
        found.iter().copied().collect::<std::collections::BTreeSet<_>>(),
        expected.into_iter().collect()
    );
    assert!(!found.contains(&(glaze, "hint")));
    assert_eq!(why.excluded[0].id, dead);
    assert!(why.evidence.iter().any(|ground| ground.id == seen));
    // Other records have no hints, whatever they hold.
    let other = graph.home.space.remember(decided("d2", "note", hints), at(5)).unwrap();
    assert_eq!(graph.why(id_of(other)).status, WhyStatus::Insufficient);
}

#[test]
fn case_29_a_chosen_id_outside_the_candidates_is_dropped() {
    let mut graph = Graph::new();
    let (dry, other) = (graph.claim("The kiln is dry"), graph.claim("Cobalt turns blue"));
    let decision = graph.decision("We open on Friday");
    graph.edge(EdgeType::DependsOn, decision, dry);
    let mut why = graph.why(decision);
    let ghost = OpId([7; 32]);
    let choice = |chosen: &[OpId]| Choice {
        chosen: chosen.to_vec(),
        explanation: "Wet clay bursts.".to_owned(),
        confidence: 0.9,
        method: "a model".to_owned(),
        details: serde_json::Map::from_iter([("prompt_version".to_owned(), json!("why-3"))]),
        is_private: false,
    };
    assert_eq!(why.choose(choice(&[other, dry, ghost, dry, decision])), [other, ghost, decision]);
    let support = why.support.clone().unwrap();
    assert_eq!((support.claims, support.method.as_str()), (vec![dry], "a model"));
    assert_eq!(graph.store(&why), 1, "the edge from the decision to the claim was there");
    assert_eq!(why.choose(choice(&[ghost])), [ghost]);
    assert_eq!((why.status, &why.support), (WhyStatus::Insufficient, &None));
    assert!(why.trace().unwrap().is_empty());
}

#[test]
fn case_30_edges_are_written_from_a_confidence_of_seven_tenths_on_and_never_twice() {
    for (confidence, edges) in [(0.9, 1), (0.7, 1), (0.69, 0)] {
        let mut graph = Graph::new();
        let root = graph.claim_from("Wet clay bursts", confidence, &[]);
        let below = graph.claim_from("The kiln must be dry", confidence, &[root]);
        let decision = graph.decision("We fire on Friday");
        graph.edge(EdgeType::DependsOn, decision, below);
        let why = graph.why(decision);
        assert_eq!(chosen(&why), [below, root]);
        let support = why.support.clone().unwrap();
        assert_eq!((support.confidence, support.method.as_str()), (confidence, METHOD));
        // The decision depends on one of the two already.
        assert_eq!(graph.store(&why), 1 + edges, "{confidence}");
        let again = graph.why(decision);
        assert_eq!(chosen(&again), [below, root]);
        assert_eq!(graph.store(&again), 0, "{confidence}");
    }
    let mut graph = Graph::new();
    let decision = graph.decision("We fire on Friday");
    let why = graph.why(decision);
    assert_eq!((why.status, why.candidates.len()), (WhyStatus::Insufficient, 0));
    assert!(why.trace().unwrap().is_empty());
}

#[test]
fn a_trace_names_what_it_is_about_and_falls_with_it() {
    let mut graph = Graph::new();
    let dry = graph.claim("The kiln is dry");
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, dry);
    let why = graph.why(decision);
    let trace = graph.change(&why.trace().unwrap()).stand_for[0];
    let view = graph.home.space.record_view(&trace, None).unwrap().unwrap();
    assert_eq!(view.record_type, "why_trace");
    let roles: Vec<_> = view.inputs.iter().map(|input| (input.id, input.role.as_str())).collect();
    assert_eq!(roles, [(dry, "support"), (decision, "subject")]);
    assert_eq!(
        (&view.payload["target"], &view.payload["chosen"], &view.payload["minimal"]),
        (&json!(decision), &json!([dry]), &json!(true))
    );
    assert_eq!(
        (&view.payload["method"], &view.payload["version"], &view.payload["confidence"]),
        (&json!(METHOD), &json!(1), &json!(1))
    );
    graph.retract(dry);
    let view = graph.home.space.record_view(&trace, None).unwrap().unwrap();
    assert_eq!(view.status, Some("invalidated"));
    let why = graph.why(decision);
    assert_eq!((why.status, why.excluded[0].id), (WhyStatus::Insufficient, dry));
    assert_eq!(why.excluded[0].status, "retracted");
}

#[test]
fn of_a_dead_target_nothing_is_quoted_and_no_edge_is_written() {
    let mut graph = Graph::new();
    let dry = graph.claim("The kiln is dry");
    let above = graph.claim_from("We may fire", 1.0, &[dry]);
    graph.retract(above);
    let why = graph.why(above);
    assert_eq!((why.target.status, chosen(&why)), (Some("retracted"), vec![dry]));
    let changed = graph.change(&why.trace().unwrap());
    assert_eq!(changed.appended.len(), 1);
    let view = graph.home.space.record_view(&changed.stand_for[0], None).unwrap().unwrap();
    assert!(!view.text.contains("We may fire"), "{}", view.text);
    assert_eq!(view.inputs.len(), 1);
}

#[test]
fn dead_claims_hold_up_nothing_and_a_supporter_takes_their_place() {
    let mut graph = Graph::new();
    let (old, other) = (graph.claim("The glaze is tenmoku"), graph.claim("Kilns are hot"));
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, old);
    let target = Reference::Id(old);
    let inputs = graph.inputs(&[]);
    let new = graph.one(GraphChange::Supersede {
        target,
        text: "The glaze is celadon".to_owned(),
        inputs,
        otherwise: Default::default(),
    });
    let why = graph.why(decision);
    assert_eq!((why.excluded[0].id, why.excluded[0].status), (old, "superseded"));
    assert_eq!((chosen(&why), why.support.is_none()), (vec![], true));
    graph.edge(EdgeType::Supports, other, decision);
    let why = graph.why(decision);
    assert_eq!((why.status, chosen(&why)), (WhyStatus::Supported, vec![other]));
    graph.retract(new);
    assert_eq!(chosen(&graph.why(decision)).len(), 1, "it holds by either again");
}

#[test]
fn aliases_stand_for_their_canonical_record_and_versions_for_the_latest() {
    let mut graph = Graph::new();
    let (copy, claim) = (graph.claim("The kiln is  dry now"), graph.claim("The kiln is dry"));
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, copy);
    graph.edge(EdgeType::SameAs, copy, claim);
    let why = graph.why(decision);
    assert_eq!(chosen(&why), [claim]);
    assert!(why.candidates.iter().all(|found| found.id != copy));
    let why = graph.why(copy);
    assert_eq!((why.target.id, why.target.named), (claim, Some(copy)));
}

#[test]
fn cycles_are_one_cluster_and_need_all_their_claims() {
    let mut graph = Graph::new();
    let claims: Vec<OpId> = ["one", "two", "three"].iter().map(|text| graph.claim(text)).collect();
    for (place, from) in claims.iter().enumerate() {
        graph.edge(EdgeType::DependsOn, *from, claims[(place + 1) % claims.len()]);
    }
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, claims[0]);
    let why = graph.why(decision);
    let mut sorted = claims.clone();
    sorted.sort_unstable();
    assert_eq!(why.clusters, [sorted]);
    assert_eq!((chosen(&why).len(), is_minimal(&why)), (3, true));
    // Of a claim in the cycle, the others.
    assert_eq!(chosen(&graph.why(claims[1])).len(), 2);
    graph.store(&graph.why(claims[1]));
    assert_eq!(graph.store(&graph.why(claims[1])), 0);
}

#[test]
fn a_long_chain_is_walked_within_its_budget() {
    let length = 1_000;
    let mut graph = Graph::new();
    let role = Role::parse(INPUT_ROLE).unwrap();
    let mut changes = Vec::new();
    for number in 0..length {
        let input = match number {
            0 => Reference::Id(graph.evidence),
            _ => Reference::Local((number - 1).to_string()),
        };
        let of = RecordType::Claim("fact".to_owned());
        let statement = Statement {
            inputs: vec![(input, role.clone())],
            ..Statement::new(of, format!("claim number{number}"))
        };
        let change = GraphChange::State(Box::new(statement));
        changes.push(NamedChange { name: Some(number.to_string()), change });
    }
    let target = *graph.change(&changes).stand_for.last().unwrap();
    let begun = Instant::now();
    let why = graph.why(target);
    assert!(begun.elapsed().as_secs() < 10, "the cost follows the budget: {:?}", begun.elapsed());
    assert_eq!((chosen(&why).len(), is_minimal(&why)), (8, false));
    assert_eq!((why.cut.depth, why.candidates.len()), (1, 8 + 4));
    graph.store(&why);
    let again = graph.why(target);
    assert_eq!(
        (chosen(&again), again.cut),
        (chosen(&why), why.cut),
        "its own edges bring nothing nearer"
    );
    assert_eq!(graph.store(&again), 0);
    let whole = WhyLimits { depth: length, nodes: length, ..limits() };
    let why = graph.why_within(target, &whole);
    assert_eq!((chosen(&why).len(), is_minimal(&why)), (length - 1, true));
}

#[test]
fn budgets_bound_the_walk_and_are_named() {
    let mut graph = Graph::new();
    let claims: Vec<OpId> = (0..30).map(|number| graph.claim(&format!("c{number}"))).collect();
    let decision = graph.decision("We fire on Friday");
    for claim in &claims {
        graph.edge(EdgeType::DependsOn, decision, *claim);
    }
    let why = graph.why(decision);
    assert_eq!((why.candidates.len(), why.cut.candidates), (12, 18));
    assert_eq!((chosen(&why).len(), is_minimal(&why)), (30, true), "k bounds the list alone");
    let why = graph.why_within(decision, &WhyLimits { top_k: 1_000, ..limits() });
    assert_eq!(why.candidates.len(), 30);
    let why = graph.why_within(decision, &WhyLimits { nodes: 10, ..limits() });
    assert_eq!((why.cut.nodes, chosen(&why).len(), is_minimal(&why)), (20, 10, false));
    let why = graph.why_within(decision, &WhyLimits { depth: 0, ..limits() });
    assert_eq!((why.cut.depth, chosen(&why).len()), (30, 0));
    let since_us = Some(at(11).as_microsecond().unsigned_abs());
    let why = graph.why_within(decision, &WhyLimits { since_us, ..limits() });
    assert_eq!((why.cut.since, why.candidates.len()), (30, 0));
    assert!(why.links.iter().all(|link| link.relation == Relation::Input));
}

#[test]
fn claims_outside_their_window_are_kept_marked_and_ranked_last() {
    let mut graph = Graph::new();
    let when = |second| Some(When::from_zoned(&at(second).to_zoned(jiff::tz::TimeZone::UTC)));
    let inputs = graph.inputs(&[]);
    let of = || RecordType::Claim("fact".to_owned());
    let over = graph.state(Statement {
        inputs: inputs.clone(),
        valid_from: when(20),
        valid_to: when(50),
        ..Statement::new(of(), "The kiln is dry in spring")
    });
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, over);
    let at_second = |graph: &Graph, second| {
        graph.why_within(decision, &WhyLimits { now: at(second), ..limits() })
    };
    // Half open: true at its first instant, not at its end.
    for (second, in_window) in [(19, false), (20, true), (49, true), (50, false)] {
        let why = at_second(&graph, second);
        assert_eq!(why.candidates[0].in_window, in_window, "{second}");
        let confidence = if in_window { 1.0 } else { OUTSIDE_WINDOW_FACTOR };
        assert_eq!(why.support.unwrap().confidence, confidence, "{second}");
    }
    let (one, two) = (graph.claim("Wet clay bursts"), graph.claim("The shed is warm"));
    let both = graph.claim_from("Warm clay dries", 0.5, &[one, two]);
    graph.edge(EdgeType::Supports, both, decision);
    let why = at_second(&graph, 60);
    assert_eq!(chosen(&why).len(), 3, "more claims, but all of them true");
    assert_eq!(why.candidates.last().unwrap().id, over);
    assert_eq!(chosen(&at_second(&graph, 30)), [over]);
}

#[test]
fn private_records_are_for_their_owner_alone() {
    let mut graph = Graph::new();
    let private = Evidence { visibility: Visibility::Private, ..note("s", "It is a surprise") };
    let private = id_of(graph.home.space.remember(private, at(1)).unwrap());
    let secret = graph.claim_from("It is a surprise party", 1.0, &[private]);
    let open = graph.claim("The kiln is dry");
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, secret);
    graph.edge(EdgeType::DependsOn, decision, open);
    let why = graph.why(decision);
    assert_eq!(chosen(&why).len(), 2);
    let trace = graph.change(&why.trace().unwrap()).stand_for[0];
    assert!(graph.home.space.is_private(&trace).unwrap(), "it quotes what is private");
    let withheld = WhyLimits { disclosure: Disclosure::WithoutPrivate, ..limits() };
    let why = graph.why_within(decision, &withheld);
    assert_eq!((chosen(&why), is_minimal(&why)), (vec![open], false));
    assert!(why.cut.withheld > 0 && !format!("{why:?}").contains("surprise"));
    assert!(graph.home.space.why(&secret, &withheld).is_err());
}

#[test]
fn an_alias_of_a_private_claim_is_answered_for_itself_and_leads_nobody_to_the_claim() {
    let mut graph = Graph::new();
    let private = Evidence { visibility: Visibility::Private, ..note("s", "It is a surprise") };
    let private = id_of(graph.home.space.remember(private, at(1)).unwrap());
    let secret = graph.claim_from("It is a surprise party", 1.0, &[private]);
    let open = graph.claim("There is a party");
    graph.edge(EdgeType::SameAs, open, secret);
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, open);
    assert_eq!((graph.why(open).target.id, chosen(&graph.why(decision))), (secret, vec![secret]));
    let withheld = WhyLimits { disclosure: Disclosure::WithoutPrivate, ..limits() };
    let why = graph.why_within(open, &withheld);
    assert_eq!((why.target.id, why.target.status), (open, Some("alias")));
    let leaks = |why: &Why| {
        let said = format!("{why:?}");
        said.contains("surprise") || said.contains(&secret.to_string())
    };
    assert!(!leaks(&why), "{why:?}");
    let why = graph.why_within(decision, &withheld);
    assert!(!leaks(&why), "{why:?}");
    assert_eq!((chosen(&why), why.cut.withheld), (vec![], 1));
    assert!(graph.home.space.why(&secret, &withheld).is_err());
}

#[test]
fn a_search_for_the_targets_text_fills_up_the_candidates() {
    let mut graph = Graph::new();
    let said = graph.claim("The kiln is fired on Friday");
    let decision = graph.decision("We fire the kiln on Friday");
    let why = graph.why(decision);
    assert_eq!((why.status, chosen(&why)), (WhyStatus::EvidenceAlone, vec![]));
    let found: Vec<_> = why.candidates.iter().map(|found| (found.id, found.found)).collect();
    assert_eq!(found, [(said, FoundBy::Search)]);
    // What a budget kept the walk from may hold it up.
    let dry = graph.claim("Clay is dry");
    graph.edge(EdgeType::DependsOn, decision, dry);
    for within in [WhyLimits { depth: 0, ..limits() }, WhyLimits { nodes: 0, ..limits() }] {
        let why = graph.why_within(decision, &within);
        assert_eq!((why.status, chosen(&why)), (WhyStatus::Cut, vec![]));
    }
    graph.retract(dry);
    graph.retract(said);
    assert!(graph.why(decision).candidates.is_empty());
}

#[test]
fn the_past_is_answered_from_what_was_recorded_until_then() {
    let mut graph = Graph::new();
    let dry = graph.claim("The kiln is dry");
    let decision = graph.decision("We fire on Friday");
    graph.edge(EdgeType::DependsOn, decision, dry);
    let then = Some(at(11).as_microsecond().unsigned_abs());
    let target = Reference::Id(dry);
    let retraction = GraphChange::Retract { target, reason: String::new(), sources: Vec::new() };
    graph.home.space.change_graph(&[retraction.into()], None, Intent::Write, at(20)).unwrap();
    assert_eq!(graph.why(decision).status, WhyStatus::Insufficient);
    let why = graph.why_within(decision, &WhyLimits { as_of_us: then, ..limits() });
    assert_eq!(chosen(&why), [dry]);
    let before = Some(at(2).as_microsecond().unsigned_abs());
    let unknown = graph.home.space.why(&decision, &WhyLimits { as_of_us: before, ..limits() });
    assert!(unknown.is_err());
}

#[test]
fn every_kind_of_operation_has_an_answer_and_a_lineage() {
    let mut graph = Graph::new();
    let dry = graph.claim("The kiln is dry");
    let decision = graph.decision("We fire on Friday");
    let edge = graph.edge(EdgeType::DependsOn, decision, dry);
    for id in [graph.evidence, dry, decision, edge] {
        let why = graph.why(id);
        assert_eq!(why.target.id, id);
    }
    assert_eq!(graph.why(graph.evidence).target.kind, "evidence");
    let lineage = graph.home.space.lineage(&decision).unwrap();
    assert_eq!((lineage.record.kind.as_str(), lineage.record.status), ("node", Some("active")));
    assert_eq!(lineage.built_from[0].op_id, graph.evidence);
    assert_eq!(lineage.edges[0].id, edge);
    let lineage = graph.home.space.lineage(&edge).unwrap();
    assert_eq!(lineage.record.record_type, "depends_on");
    let lineage = graph.home.space.lineage(&graph.evidence).unwrap();
    let citing: Vec<OpId> = lineage.cited_by.iter().map(|citing| citing.op_id).collect();
    assert_eq!((lineage.record.status, citing), (Some("active"), vec![dry, decision, edge]));
    graph.retract(edge);
    assert!(graph.home.space.lineage(&decision).unwrap().edges.is_empty());
    assert_eq!(graph.home.space.lineage(&edge).unwrap().record.status, Some("retracted"));
}

#[test]
fn explanations_and_answers_follow_thoughts_and_what_takes_back_by_the_same_steps() {
    let mut graph = Graph::new();
    let claim = graph.claim("The kiln is dry");
    let thought = |graph: &mut Graph, content: &str, cited: &[(OpId, &str)]| {
        let refs = cited.iter().map(|(id, role)| Ref { id: *id, role: Role::parse(role).unwrap() });
        let fields =
            kernel::body::Thought { content: Some(content.to_owned()), ..Default::default() };
        let draft = Draft { body: Body::Thought(fields), refs: refs.collect() };
        graph.home.space.append(draft, at(20)).unwrap()
    };
    let first = thought(&mut graph, "Is it dry?", &[(claim, "about")]);
    let second = thought(&mut graph, "It is", &[(first, "refines")]);
    let made_from = |graph: &Graph, id: &OpId| {
        let lineage = graph.home.space.lineage(id).unwrap();
        lineage.built_from.iter().map(|it| (it.op_id, it.depth)).collect::<Vec<_>>()
    };
    let below = [(first, 1), (claim, 2), (graph.evidence, 3)];
    assert_eq!(made_from(&graph, &second), below);
    let steps = |graph: &Graph, id: OpId| {
        let links = graph.why(id).links;
        links.iter().map(|link| (link.from, link.to)).collect::<Vec<_>>()
    };
    assert!(steps(&graph, second).contains(&(second, first)));
    assert!(steps(&graph, first).contains(&(first, claim)));
    graph.retract(claim);
    let retracted = graph.home.space.log_tail(1, &Default::default()).unwrap();
    let retraction = retracted[0].operation.id();
    assert_eq!(made_from(&graph, &retraction), [(claim, 1), (graph.evidence, 2)]);
    assert_eq!(graph.why(retraction).excluded[0].id, claim);
    // A claim is made from its inputs alone, whatever they cite.
    assert_eq!(made_from(&graph, &claim), [(graph.evidence, 1)]);
}
