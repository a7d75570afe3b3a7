//! The context for the next turn, in a project with the home space under it.

use engine::recall::context::{Tier, Turn};
use engine::write::graph::{GraphChange, Reference, Statement};
use engine::write::import::Intent;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use store::sqlite::ReceiptFilter;

use super::*;
use crate::service::agreed_settings::{SettingKey, set};
use crate::service::effective::{EffectiveView, ReadScope};
use crate::service::opening::OpenedSpace;
use crate::service::test_home::{TestHome, claim, when};

const QUESTION: &str = "Which glaze do the tall bowls get?";

fn everywhere(statement: Statement) -> Statement {
    Statement { visibility: Visibility::Global, ..statement }
}

impl TestHome {
    fn turn(&self) -> Request {
        let turns = vec![Turn { speaker: "Mara".to_owned(), text: QUESTION.to_owned() }];
        Request { turns, ..Request::new("claude", self.session.now) }
    }

    fn next(&self, own: OpenedSpace, request: Request) -> AssembledContext {
        let EffectiveView { mut own, mut home, .. } =
            EffectiveView::of(&self.session, own, ReadScope::Effective).unwrap();
        let spaces = (&mut own.space, home.as_mut().map(|home| &mut home.space));
        assemble_over(&self.session, &mut EmbedderPool::default(), spaces, request).unwrap()
    }
}

fn facts(assembled: &AssembledContext) -> Vec<OpId> {
    let of_memory = assembled.context.items.iter().filter(|item| item.tier == Tier::Facts);
    of_memory.filter_map(|item| item.id).collect()
}

fn note(text: &str) -> Evidence {
    Evidence {
        source: "note".to_owned(),
        source_uid: text.to_owned(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: text.to_owned(),
        visibility: Visibility::Project,
        payload: Payload { text: text.to_owned(), ..Payload::default() },
    }
}

#[test]
fn facts_of_the_home_space_are_in_a_projects_context_unless_the_project_has_them_itself() {
    let here = TestHome::new();
    let (space, home) = (&mut here.project(), &mut here.home());
    let glaze = "The tall bowls get a celadon glaze.";
    let global = here.state(home, everywhere(claim("fact", glaze)));
    here.state(home, claim("fact", "The tall bowls get a secret glaze at home."));
    here.state(space, claim("fact", "The tall bowls dry for a week before any glaze."));
    let assembled = here.next(here.project(), here.turn());
    assert_eq!(facts(&assembled).len(), 2);
    assert_eq!(assembled.elsewhere, BTreeSet::from([global]));
    assert!(assembled.context.text.contains(glaze), "{}", assembled.context.text);
    assert!(!assembled.context.text.contains("secret"), "{}", assembled.context.text);
    // Receipts stay in the space that a thing is from.
    let shown = |space: &Space| -> Vec<OpId> {
        let [receipt] = space.receipts(&ReceiptFilter::default(), 9).unwrap().try_into().unwrap();
        receipt.items.iter().filter_map(|item| item.id).collect()
    };
    assert!(assembled.home_receipt.is_some() && assembled.context.receipt.is_some());
    assert_eq!(shown(home), [global]);
    assert!(!shown(space).contains(&global) && shown(space).len() == 1);
    // The project's own words hide those of the home space, also once they are refuted.
    let own = here.state(space, claim("fact", glaze));
    let assembled = here.next(here.project(), here.turn());
    assert!(facts(&assembled).contains(&own) && !facts(&assembled).contains(&global));
    let refuted = space.to_refute(&own.to_string(), "no").unwrap();
    space.act(refuted, Intent::Write, here.session.now).unwrap();
    let without = facts(&here.next(here.project(), here.turn()));
    assert!(!without.contains(&own) && !without.contains(&global));
}

#[test]
fn a_space_that_is_named_and_the_home_space_are_read_alone() {
    let mut here = TestHome::new();
    let home = &mut here.home();
    let global = here.state(home, everywhere(claim("fact", "Tall bowls get a celadon glaze.")));
    let at_home = here.next(here.home(), here.turn());
    assert_eq!((facts(&at_home), at_home.home_receipt), (vec![global], None));
    assert!(at_home.elsewhere.is_empty());
    here.session.spaces = vec!["project.db".to_owned()];
    assert!(facts(&here.next(here.project(), here.turn())).is_empty());
}

#[test]
fn case_21_given_a_raw_values_claim_then_it_is_not_in_the_context_of_a_project() {
    let here = TestHome::new();
    here.values("The tall bowls get a glaze that I love.\n- Glaze the tall bowls thin");
    let assembled = here.next(here.project(), here.turn());
    let text = &assembled.context.text;
    assert!(text.contains("Glaze the tall bowls thin") && !text.contains("I love"), "{text}");
}

#[test]
fn a_context_as_of_a_time_uses_only_operations_up_to_then() {
    let mut here = TestHome::new();
    let (space, home) = (&mut here.project(), &mut here.home());
    let old = here.state(space, claim("fact", "The tall bowls get a celadon glaze."));
    let then_us = here.session.now.as_microsecond().unsigned_abs() + 60_000_000;
    here.state(home, everywhere(claim("fact", "Tall bowls need a thin glaze.")));
    let remember = |space: &mut OpenedSpace, text: &str, session: &Session| {
        space.remember(importers::secrets::mask(note(text)), session.now).unwrap();
    };
    remember(space, "The tall bowls cracked under the glaze.", &here.session);
    here.at("2026-03-05T12:00:00Z");
    remember(space, "The glaze of the tall bowls ran again.", &here.session);
    let new = here.state(space, claim("fact", "The tall bowls get a tenmoku glaze."));
    here.edge(space, kernel::body::EdgeType::Supersedes, new, old);
    here.state(home, everywhere(claim("fact", "Tall bowls need a thick glaze.")));
    let text = |request: Request| here.next(here.project(), request).context.text;
    let check = |text: &str, there: &[&str], absent: &[&str]| {
        there.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
        absent.iter().for_each(|part| assert!(!text.contains(part), "{part}: {text}"));
    };
    check(&text(here.turn()), &["tenmoku", "thick", "thin", "ran again", "cracked"], &[]);
    assert!(!facts(&here.next(here.project(), here.turn())).contains(&old));
    let as_of = |as_of_us| Request {
        viewpoint: Viewpoint { as_of_us: Some(as_of_us), ..Viewpoint::default() },
        ..here.turn()
    };
    check(
        &text(as_of(then_us)),
        &["celadon", "thin", "cracked"],
        &["tenmoku", "thick", "ran again"],
    );
    check(&text(as_of(1)), &[QUESTION], &["celadon", "thin", "cracked"]);
}

#[test]
fn a_context_for_a_time_in_the_world_has_the_facts_that_are_true_then() {
    let here = TestHome::new();
    let space = &mut here.project();
    let summer = Statement {
        valid_from: when("2026-06-01T00:00:00Z"),
        valid_to: when("2026-09-01T00:00:00Z"),
        ..claim("fact", "The tall bowls get a summer glaze.")
    };
    here.state(space, summer);
    let at = |time: &str| {
        let valid_at_us = Some(time.parse::<jiff::Timestamp>().unwrap().as_microsecond());
        let viewpoint = Viewpoint { valid_at_us, ..Viewpoint::default() };
        let request = Request { viewpoint, ..here.turn() };
        !facts(&here.next(here.project(), request)).is_empty()
    };
    let asked = ["2026-05-31T23:59:59Z", "2026-06-01T00:00:00Z", "2026-09-01T00:00:00Z"];
    assert_eq!(asked.map(at), [false, true, false]);
}

#[test]
fn a_setting_that_the_project_replaced_is_not_in_a_context_as_of_then_after_home_retracted_it() {
    let mut here = TestHome::new();
    let (space, home) = (&mut here.project(), &mut here.home());
    let key = SettingKey::parse("glaze").unwrap();
    let everywhere = set(&here.session, Some(home), &key, "tall bowls get it thin", Intent::Write);
    set(&here.session, Some(space), &key, "tall bowls get it thick", Intent::Write).unwrap();
    let then_us = here.session.now.as_microsecond().unsigned_abs() + 60_000_000;
    here.at("2026-03-05T12:00:00Z");
    let id = everywhere.unwrap().id.unwrap();
    let made = GraphChange::Retract {
        target: Reference::Id(id),
        reason: String::new(),
        sources: Vec::new(),
    };
    home.change_graph(&[made.into()], None, Intent::Write, here.session.now).unwrap();
    let viewpoint = Viewpoint { as_of_us: Some(then_us), ..Viewpoint::default() };
    let assembled = here.next(here.project(), Request { viewpoint, ..here.turn() });
    let text = &assembled.context.text;
    assert!(text.contains("thick") && !text.contains("thin"), "{text}");
}
