//! A project's space and the home space under it, read together.

use engine::belief::claims::States;
use engine::recall::facts::ACTIVE_CONFIDENCE_MIN;
use engine::write::graph::{GraphChange, RecordType, Reference, Statement};
use engine::write::import::Intent;
use jiff::{Timestamp, ToSpan};
use kernel::body::EdgeType;
use kernel::evidence::Visibility;
use kernel::kind::Capability;
use kernel::records::RecordStatus;
use kernel::validity::State;

use super::*;
use crate::service::changes::Verb;
use crate::service::graph::change;
use crate::service::opening::SpaceUse;

/// A home, a project, and the time, which goes on with each change.
struct Desk {
    _folder: tempfile::TempDir,
    session: Session,
    project: std::path::PathBuf,
}

/// Where something is stated.
#[derive(Clone, Copy)]
enum At {
    Home,
    Project,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::in_folder(folder.path());
        let purpose = SpaceUse::Write(Capability::Append);
        session.locator_of_home().open_or_make(purpose, session.now).unwrap();
        let project = folder.path().join("space.db");
        Space::create(&project, session.home.signer().unwrap(), "kiln", session.now).unwrap();
        Self { _folder: folder, session, project }
    }

    fn space(&self, at: At) -> OpenedSpace {
        match at {
            At::Home => self.session.locator_of_home().open(SpaceUse::Read).unwrap(),
            At::Project => {
                let signer = self.session.home.signer().unwrap();
                OpenedSpace::own(Space::open(&self.project, signer).unwrap())
            }
        }
    }

    fn view(&self) -> EffectiveView {
        EffectiveView::of(&self.session, self.space(At::Project), ReadScope::Effective).unwrap()
    }

    fn change(&mut self, at: At, verb: Verb, made: GraphChange, visibility: Visibility) -> OpId {
        self.session.now = self.session.now.checked_add(1.minute()).unwrap();
        let words = ("They said so.", visibility);
        let space = &mut self.space(at);
        change(space, &self.session, verb, made, words, Intent::Write).unwrap().id.unwrap()
    }

    fn add(&mut self, at: At, statement: Statement) -> OpId {
        let visibility = statement.visibility;
        self.change(at, Verb::Stated, GraphChange::State(Box::new(statement)), visibility)
    }

    fn state(&mut self, at: At, text: &str) -> OpId {
        self.add(at, stated(at, claim(), text))
    }

    fn node(&mut self, at: At, text: &str) -> OpId {
        self.add(at, stated(at, node(), text))
    }

    fn connect(&mut self, at: At, from: OpId, to: OpId) -> OpId {
        let made = GraphChange::Connect {
            edge_type: EdgeType::DependsOn,
            from: Reference::Id(from),
            to: Reference::Id(to),
            inputs: Vec::new(),
            notes: String::new(),
        };
        self.change(at, Verb::Connected, made, Visibility::Global)
    }

    fn retract(&mut self, at: At, id: OpId) {
        let target = Reference::Id(id);
        let made = GraphChange::Retract { target, reason: String::new(), sources: Vec::new() };
        self.change(at, Verb::Retracted, made, Visibility::Project);
    }

    fn claims(&self, filter: &ClaimFilter, limit: usize) -> (Vec<(Scope, String)>, Claims) {
        let ScopedClaims { beliefs, counts } =
            self.view().claims(&self.session, filter, limit).unwrap();
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
    let mut desk = Desk::new();
    let global = desk.state(At::Home, "The glaze is tenmoku.");
    assert_eq!(desk.listed(), [found(Scope::Global, "The glaze is tenmoku.")]);
    let before = engine::now_us(desk.session.now) + 1_000_000;
    let own = desk.state(At::Project, "the  glaze is TENMOKU.");
    assert_eq!(desk.listed(), [found(Scope::Project, "the  glaze is TENMOKU.")]);
    let past = ClaimFilter { as_of_us: Some(before), ..ClaimFilter::default() };
    assert_eq!(desk.claims(&past, 100).0, [found(Scope::Global, "The glaze is tenmoku.")]);
    // Both are read by their own ids.
    let spaces = desk.view();
    assert_eq!(spaces.resolve(&own.to_string()).unwrap().1.scope, Scope::Project);
    assert_eq!(spaces.resolve(&global.to_string()).unwrap().1.scope, Scope::Global);
    desk.retract(At::Project, own);
    assert_eq!(desk.listed(), [found(Scope::Global, "The glaze is tenmoku.")]);
    let then = ClaimFilter {
        as_of_us: Some(engine::now_us(desk.session.now) - 1_000_000),
        ..ClaimFilter::default()
    };
    assert_eq!(desk.claims(&then, 100).0, [found(Scope::Project, "the  glaze is TENMOKU.")]);
}

#[test]
fn what_the_project_refuted_or_replaced_does_not_come_back_from_the_home_space() {
    let mut desk = Desk::new();
    for text in ["The kiln is old.", "The clay is red."] {
        desk.state(At::Home, text);
    }
    let own = desk.state(At::Project, "The kiln is old.");
    let drafts = desk.space(At::Project).to_refute(&own.to_string(), "it is new").unwrap();
    desk.space(At::Project).act(drafts, Intent::Write, desk.session.now).unwrap();
    assert_eq!(desk.listed(), [found(Scope::Global, "The clay is red.")]);
    let target = Reference::Id(desk.state(At::Project, "The clay is red."));
    let text = "The clay is white.".to_owned();
    let (inputs, otherwise) = Default::default();
    let made = GraphChange::Supersede { target, text, inputs, otherwise };
    desk.change(At::Project, Verb::Stated, made, Visibility::Project);
    assert_eq!(desk.listed(), [found(Scope::Project, "The clay is white.")]);
    let any = ClaimFilter {
        states: States::These(vec![State::Refuted]),
        displaced: vec![RecordStatus::Superseded],
        ..ClaimFilter::default()
    };
    let listed: Vec<Scope> = desk.claims(&any, 9).0.iter().map(|(scope, _)| *scope).collect();
    assert_eq!(listed, [Scope::Project, Scope::Project], "the project's own copies are listed");
}

#[test]
fn hidden_claims_take_no_place_in_a_list_and_are_not_counted() {
    let mut desk = Desk::new();
    for number in 0..30 {
        desk.state(At::Home, &format!("Shared {number}"));
        desk.state(At::Project, &format!("shared {number}"));
    }
    for number in 0..4 {
        desk.state(At::Home, &format!("Only at home {number}"));
    }
    let over = "2025-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
    let when = kernel::when::When::from_timestamp(over);
    for at in [At::Home, At::Project] {
        let valid_to = Some(when.clone());
        desk.add(at, Statement { valid_to, ..stated(at, claim(), "It is over") });
        desk.add(at, Statement { confidence: 0.1, ..stated(at, claim(), "It may be") });
    }
    let filter = ClaimFilter {
        current_at_us: Some(desk.session.now.as_microsecond()),
        confidence_min: Some(ACTIVE_CONFIDENCE_MIN),
        ..ClaimFilter::default()
    };
    for limit in [1, 5, 33, 100] {
        let (listed, counts) = desk.claims(&filter, limit);
        assert_eq!((listed.len(), counts.total), (limit.min(34), 34), "{limit}");
        assert_eq!((counts.over, counts.below_minimum), (1, 1), "{limit}");
    }
    let home_alone = desk.claims(&filter, 100).0;
    let home_alone = home_alone.iter().filter(|(scope, _)| *scope == Scope::Global);
    assert_eq!(home_alone.count(), 4);
    let named = ClaimFilter { contains: Some("at home".to_owned()), ..filter };
    let (listed, counts) = desk.claims(&named, 3);
    assert_eq!((listed.len(), counts.total), (3, 4));
}

#[test]
fn nodes_of_the_home_space_are_listed_under_those_of_the_project() {
    let mut desk = Desk::new();
    for number in 0..40 {
        desk.node(At::Home, &format!("Decision {number}"));
    }
    let mut own = Vec::new();
    for number in 5..40 {
        own.push(desk.node(At::Project, &format!("decision {number}")));
    }
    let nodes = |desk: &Desk, limit| {
        let listed = desk.view().nodes(&NodeFilter::default(), limit).unwrap();
        let global = listed.items.iter().filter(|node| node.scope == Scope::Global).count();
        (listed.items.len(), global, listed.more)
    };
    assert_eq!(nodes(&desk, usize::MAX), (40, 5, false));
    assert_eq!(nodes(&desk, 38), (38, 3, true));
    assert_eq!(nodes(&desk, 40), (40, 5, false));
    desk.retract(At::Project, own[0]);
    assert_eq!(nodes(&desk, usize::MAX), (40, 6, false));
}

#[test]
fn case_19_given_the_same_edge_triple_in_both_scopes_then_the_effective_list_shows_projects() {
    let mut desk = Desk::new();
    let mut edges = Vec::new();
    for at in [At::Home, At::Project] {
        let decision = desk.node(at, "We fire on Fridays");
        let claim = desk.state(at, "Fridays are quiet");
        edges.push(desk.connect(at, decision, claim));
    }
    let listed = |desk: &Desk| {
        let filter =
            |_: &Space, disclosure| Ok(Some(EdgeFilter { disclosure, ..EdgeFilter::default() }));
        let listed = desk.view().edges(filter, 9).unwrap().items;
        listed.into_iter().map(|edge| (edge.scope, edge.item.id)).collect::<Vec<_>>()
    };
    assert_eq!(listed(&desk), [(Scope::Project, edges[1])]);
    desk.retract(At::Project, edges[1]);
    assert_eq!(listed(&desk), [(Scope::Global, edges[0])]);
}

#[test]
fn a_filter_by_validity_asks_both_ends_of_an_edge() {
    let mut desk = Desk::new();
    let over = "2025-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
    let valid_to = Some(kernel::when::When::from_timestamp(over));
    let studio = stated(At::Project, claim(), "The studio is in Majorna");
    let before = desk.add(At::Project, Statement { valid_to, ..studio });
    let decision = desk.node(At::Project, "We rent the studio");
    desk.connect(At::Project, decision, before);
    let edges = |at: &str| {
        let at: Timestamp = at.parse().unwrap();
        let valid_at_us = Some(at.as_microsecond());
        let filter = |_: &Space, disclosure| {
            Ok(Some(EdgeFilter { disclosure, valid_at_us, ..EdgeFilter::default() }))
        };
        desk.view().edges(filter, 9).unwrap().items.len()
    };
    assert_eq!((edges("2024-12-31T00:00:00Z"), edges("2025-01-01T00:00:00Z")), (1, 0));
}

#[test]
fn a_home_space_that_is_read_from_itself_shows_everything() {
    let mut desk = Desk::new();
    let visibility = Visibility::Private;
    desk.add(At::Home, Statement { visibility, ..stated(At::Home, claim(), "A private thing") });
    let home = desk.space(At::Home);
    let alone = EffectiveView::of(&desk.session, home, ReadScope::Effective).unwrap();
    assert_eq!(alone.claims(&desk.session, &ClaimFilter::default(), 9).unwrap().beliefs.len(), 1);
    assert_eq!(desk.listed(), []);
    desk.session.spaces = vec![desk.project.to_str().unwrap().to_owned()];
    desk.state(At::Home, "For every project");
    assert_eq!(desk.listed(), [], "a space that is named is read alone");
}
