//! A project's space and the home space under it, read together.

use engine::belief::claims::States;
use engine::recall::facts::ACTIVE_CONFIDENCE_MIN;
use engine::write::graph::{GraphChange, RecordType, Reference, Statement};
use engine::write::import::Intent;
use jiff::{Timestamp, ToSpan};
use kernel::body::EdgeType;
use kernel::evidence::Visibility;
use kernel::records::RecordStatus;
use kernel::validity::State;

use super::*;
use crate::service::test_home::TestHome;

/// Where something is stated.
#[derive(Clone, Copy)]
enum At {
    Home,
    Project,
}

/// A home space and a project, and the time, which goes on with each change.
struct Layered(TestHome);

impl Layered {
    fn new() -> Self {
        let here = TestHome::new();
        drop((here.home(), here.project()));
        Self(here)
    }

    fn session(&self) -> &Session {
        &self.0.session
    }

    fn space(&self, at: At) -> OpenedSpace {
        match at {
            At::Home => self.0.home(),
            At::Project => self.0.project(),
        }
    }

    fn view(&self) -> EffectiveView {
        EffectiveView::of(self.session(), self.space(At::Project), ReadScope::Effective).unwrap()
    }

    fn advance(&mut self) {
        self.0.session.now = self.session().now.checked_add(1.minute()).unwrap();
    }

    fn change(&mut self, at: At, change: GraphChange) -> OpId {
        self.advance();
        self.0.change(&mut self.space(at), change, "They said so.")
    }

    fn add(&mut self, at: At, statement: Statement) -> OpId {
        self.change(at, GraphChange::State(Box::new(statement)))
    }

    fn state(&mut self, at: At, text: &str) -> OpId {
        self.add(at, stated(at, claim(), text))
    }

    fn node(&mut self, at: At, text: &str) -> OpId {
        self.add(at, stated(at, node(), text))
    }

    fn connect(&mut self, at: At, from: OpId, to: OpId) -> OpId {
        self.advance();
        self.0.edge(&mut self.space(at), EdgeType::DependsOn, from, to)
    }

    fn retract(&mut self, at: At, id: OpId) {
        self.advance();
        self.0.retract(&mut self.space(at), id);
    }

    fn claims(&self, filter: &ClaimFilter, limit: usize) -> (Vec<(Scope, String)>, Claims) {
        let ScopedClaims { beliefs, counts } =
            self.view().claims(self.session(), filter, limit).unwrap();
        let listed = beliefs.into_iter().map(|Scoped { scope, item }| (scope, item.text)).collect();
        (listed, counts)
    }

    fn listed(&self) -> Vec<(Scope, String)> {
        self.claims(&ClaimFilter::default(), 100).0
    }
}

/// A statement as it is made there by default.
fn stated(at: At, record: RecordType, text: &str) -> Statement {
    let visibility = match at {
        At::Home => Visibility::Global,
        At::Project => Visibility::Project,
    };
    Statement { visibility, ..Statement::new(record, text) }
}

fn claim() -> RecordType {
    RecordType::Claim("fact".to_owned())
}

fn node() -> RecordType {
    RecordType::Node(kernel::body::NodeType::Decision)
}

fn found(scope: Scope, text: &str) -> (Scope, String) {
    (scope, text.to_owned())
}

#[test]
fn case_18_given_identical_project_and_global_claims_then_effective_shows_the_project_one() {
    let mut here = Layered::new();
    let global = here.state(At::Home, "The glaze is tenmoku.");
    assert_eq!(here.listed(), [found(Scope::Global, "The glaze is tenmoku.")]);
    let before = engine::now_us(here.session().now) + 1_000_000;
    let own = here.state(At::Project, "the  glaze is TENMOKU.");
    assert_eq!(here.listed(), [found(Scope::Project, "the  glaze is TENMOKU.")]);
    let past = ClaimFilter { as_of_us: Some(before), ..ClaimFilter::default() };
    assert_eq!(here.claims(&past, 100).0, [found(Scope::Global, "The glaze is tenmoku.")]);
    // Both are read by their own ids.
    let spaces = here.view();
    assert_eq!(spaces.resolve(&own.to_string()).unwrap().1.scope, Scope::Project);
    assert_eq!(spaces.resolve(&global.to_string()).unwrap().1.scope, Scope::Global);
    here.retract(At::Project, own);
    assert_eq!(here.listed(), [found(Scope::Global, "The glaze is tenmoku.")]);
    let then = ClaimFilter {
        as_of_us: Some(engine::now_us(here.session().now) - 1_000_000),
        ..ClaimFilter::default()
    };
    assert_eq!(here.claims(&then, 100).0, [found(Scope::Project, "the  glaze is TENMOKU.")]);
}

#[test]
fn what_the_project_refuted_or_replaced_does_not_come_back_from_the_home_space() {
    let mut here = Layered::new();
    for text in ["The kiln is old.", "The clay is red."] {
        here.state(At::Home, text);
    }
    let own = here.state(At::Project, "The kiln is old.");
    let drafts = here.space(At::Project).to_refute(&own.to_string(), "it is new").unwrap();
    here.space(At::Project).act(drafts, Intent::Write, here.session().now).unwrap();
    assert_eq!(here.listed(), [found(Scope::Global, "The clay is red.")]);
    let target = Reference::Id(here.state(At::Project, "The clay is red."));
    let text = "The clay is white.".to_owned();
    let (inputs, otherwise) = Default::default();
    let made = GraphChange::Supersede { target, text, inputs, otherwise };
    here.change(At::Project, made);
    assert_eq!(here.listed(), [found(Scope::Project, "The clay is white.")]);
    let any = ClaimFilter {
        states: States::These(vec![State::Refuted]),
        displaced: vec![RecordStatus::Superseded],
        ..ClaimFilter::default()
    };
    let listed: Vec<Scope> = here.claims(&any, 9).0.iter().map(|(scope, _)| *scope).collect();
    assert_eq!(listed, [Scope::Project, Scope::Project], "the project's own copies are listed");
}

#[test]
fn hidden_claims_take_no_place_in_a_list_and_are_not_counted() {
    let mut here = Layered::new();
    for number in 0..30 {
        here.state(At::Home, &format!("Shared {number}"));
        here.state(At::Project, &format!("shared {number}"));
    }
    for number in 0..4 {
        here.state(At::Home, &format!("Only at home {number}"));
    }
    let over = "2025-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
    let when = kernel::when::When::from_timestamp(over);
    for at in [At::Home, At::Project] {
        let valid_to = Some(when.clone());
        here.add(at, Statement { valid_to, ..stated(at, claim(), "It is over") });
        here.add(at, Statement { confidence: 0.1, ..stated(at, claim(), "It may be") });
    }
    let filter = ClaimFilter {
        current_at_us: Some(here.session().now.as_microsecond()),
        confidence_min: Some(ACTIVE_CONFIDENCE_MIN),
        ..ClaimFilter::default()
    };
    for limit in [1, 5, 33, 100] {
        let (listed, counts) = here.claims(&filter, limit);
        assert_eq!((listed.len(), counts.total), (limit.min(34), 34), "{limit}");
        assert_eq!((counts.over, counts.below_minimum), (1, 1), "{limit}");
    }
    let home_alone = here.claims(&filter, 100).0;
    let home_alone = home_alone.iter().filter(|(scope, _)| *scope == Scope::Global);
    assert_eq!(home_alone.count(), 4);
    let named = ClaimFilter { contains: Some("at home".to_owned()), ..filter };
    let (listed, counts) = here.claims(&named, 3);
    assert_eq!((listed.len(), counts.total), (3, 4));
}

#[test]
fn nodes_of_the_home_space_are_listed_under_those_of_the_project() {
    let mut here = Layered::new();
    for number in 0..40 {
        here.node(At::Home, &format!("Decision {number}"));
    }
    let mut own = Vec::new();
    for number in 5..40 {
        own.push(here.node(At::Project, &format!("decision {number}")));
    }
    let nodes = |here: &Layered, limit| {
        let listed = here.view().nodes(&NodeFilter::default(), limit).unwrap();
        let global = listed.items.iter().filter(|node| node.scope == Scope::Global).count();
        (listed.items.len(), global, listed.more)
    };
    assert_eq!(nodes(&here, usize::MAX), (40, 5, false));
    assert_eq!(nodes(&here, 38), (38, 3, true));
    assert_eq!(nodes(&here, 40), (40, 5, false));
    here.retract(At::Project, own[0]);
    assert_eq!(nodes(&here, usize::MAX), (40, 6, false));
}

#[test]
fn case_19_given_the_same_edge_triple_in_both_scopes_then_the_effective_list_shows_projects() {
    let mut here = Layered::new();
    let mut edges = Vec::new();
    for at in [At::Home, At::Project] {
        let decision = here.node(at, "We fire on Fridays");
        let claim = here.state(at, "Fridays are quiet");
        edges.push(here.connect(at, decision, claim));
    }
    let listed = |here: &Layered| {
        let filter =
            |_: &Space, disclosure| Ok(Some(EdgeFilter { disclosure, ..EdgeFilter::default() }));
        let listed = here.view().edges(filter, 9).unwrap().items;
        listed.into_iter().map(|edge| (edge.scope, edge.item.id)).collect::<Vec<_>>()
    };
    assert_eq!(listed(&here), [(Scope::Project, edges[1])]);
    here.retract(At::Project, edges[1]);
    assert_eq!(listed(&here), [(Scope::Global, edges[0])]);
}

#[test]
fn a_filter_by_validity_asks_both_ends_of_an_edge() {
    let mut here = Layered::new();
    let over = "2025-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
    let valid_to = Some(kernel::when::When::from_timestamp(over));
    let studio = stated(At::Project, claim(), "The studio is in Majorna");
    let before = here.add(At::Project, Statement { valid_to, ..studio });
    let decision = here.node(At::Project, "We rent the studio");
    here.connect(At::Project, decision, before);
    let edges = |at: &str| {
        let at: Timestamp = at.parse().unwrap();
        let valid_at_us = Some(at.as_microsecond());
        let filter = |_: &Space, disclosure| {
            Ok(Some(EdgeFilter { disclosure, valid_at_us, ..EdgeFilter::default() }))
        };
        here.view().edges(filter, 9).unwrap().items.len()
    };
    assert_eq!((edges("2024-12-31T00:00:00Z"), edges("2025-01-01T00:00:00Z")), (1, 0));
}

#[test]
fn a_home_space_that_is_read_from_itself_shows_everything() {
    let mut here = Layered::new();
    let visibility = Visibility::Private;
    here.add(At::Home, Statement { visibility, ..stated(At::Home, claim(), "A private thing") });
    let home = here.space(At::Home);
    let alone = EffectiveView::of(here.session(), home, ReadScope::Effective).unwrap();
    assert_eq!(alone.claims(here.session(), &ClaimFilter::default(), 9).unwrap().beliefs.len(), 1);
    assert_eq!(here.listed(), []);
    let project = here.space(At::Project).path().to_str().unwrap().to_owned();
    here.0.session.spaces = vec![project];
    here.state(At::Home, "For every project");
    assert_eq!(here.listed(), [], "a space that is named is read alone");
}
