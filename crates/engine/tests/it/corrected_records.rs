//! Claims in words that the user corrected: what was retracted, replaced or redirected is not
//! listed, recalled or explained as believed because of it.

use engine::Space;
use engine::belief::claims::{ClaimFilter, States, state_of};
use engine::belief::user::Replacement;
use engine::private::Viewpoint;
use engine::recall::facts::FactQuery;
use engine::write::exchange::read_genesis;
use engine::write::import::Intent;
use kernel::body::EdgeType;
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::validity::State;

use crate::graph_changes::{claim, connect, retract, state, supersede};
use crate::support::{Home, at, exported, id_of, key, query};

fn correct(space: &mut Space, id: OpId, text: &str) {
    let by = Replacement { text: Some(text.to_owned()), ..Replacement::default() };
    let drafts = space.to_correct(&id.to_string(), &by).unwrap();
    space.act(drafts, Intent::Write, at(20)).unwrap();
}

fn refute(space: &mut Space, id: OpId) {
    let drafts = space.to_refute(&id.to_string(), "").unwrap();
    space.act(drafts, Intent::Write, at(20)).unwrap();
}

fn listed(space: &Space, states: States) -> Vec<String> {
    let filter = ClaimFilter { states, ..ClaimFilter::default() };
    let mut texts: Vec<String> =
        space.claims(&filter, 100).unwrap().beliefs.into_iter().map(|found| found.text).collect();
    texts.sort();
    texts
}

fn believed(space: &Space) -> Vec<String> {
    let mut found: Vec<String> = space
        .recall_facts(&FactQuery { limit: 100, ..FactQuery::new("stock roof pump", at(100)) })
        .unwrap()
        .facts
        .into_iter()
        .map(|fact| fact.belief.text)
        .collect();
    found.sort();
    let listed = listed(space, States::Believed);
    assert_eq!(found, listed, "what is recalled is what is listed");
    let then = ClaimFilter { as_of_us: Some(u64::MAX / 4), ..ClaimFilter::default() };
    assert_eq!(space.claims(&then, 100).unwrap().beliefs.len(), listed.len());
    listed
}

/// What the user said that is true instead of what a note says.
fn overruled(space: &Space) -> Vec<String> {
    let mut found = space.recall(&query("notes of the shop")).unwrap().results;
    space.mark_overruled(&mut found, Viewpoint::default()).unwrap();
    let mut texts: Vec<String> =
        found.into_iter().flat_map(|found| found.overruled).map(|it| it.text).collect();
    texts.sort();
    texts
}

/// The state of a claim in a list, where what is shown of the claim agrees.
fn state_in_list(space: &Space, id: OpId) -> &'static str {
    let filter = ClaimFilter { states: States::Any, ..ClaimFilter::default() };
    let beliefs = space.claims(&filter, 100).unwrap().beliefs;
    let belief = beliefs.iter().find(|belief| belief.current == Some(id)).unwrap();
    let shown = space.record_view(&id, None).unwrap().unwrap();
    let listed = state_of(belief);
    assert_eq!(shown.status, Some(listed), "{}", belief.text);
    assert_eq!(shown.text, belief.text);
    let explained = space.explain(&id.to_string()).unwrap().explanation.claim.state;
    assert_eq!(explained, listed);
    listed
}

fn check_views(home: &Home) {
    home.again(1).advance(|_| {}).unwrap();
    let verification = home.again(1).verify(|_| {}).unwrap();
    assert!(verification.is_sound() && verification.findings.is_empty(), "{verification:?}");
}

#[test]
fn a_correction_brings_back_nothing_that_was_replaced_retracted_or_redirected() {
    for corrected_first in [false, true] {
        let mut home = Home::new();
        let note = id_of(home.remember("note", "Notes of the shop"));
        let space = &mut home.space;
        let texts = ["Stock is one.", "Roof leaks.", "Pump runs.", "The pump is running."];
        let [stock, roof, pump, running] = texts.map(|text| state(space, note, claim(text)));
        let correct_all = |space: &mut Space| {
            for (id, text) in
                [(stock, "Stock is three."), (roof, "Roof is dry."), (pump, "Pump idles.")]
            {
                correct(space, id, text);
            }
        };
        if corrected_first {
            correct_all(space);
        }
        let two = state(space, note, claim("Stock is two."));
        let replaces = connect(space, note, EdgeType::Supersedes, two, stock);
        retract(space, roof);
        let redirects = connect(space, note, EdgeType::SameAs, pump, running);
        if !corrected_first {
            correct_all(space);
        }
        assert_eq!(believed(space), ["Stock is two.", "The pump is running."]);
        let states = [stock, roof, pump].map(|id| state_in_list(space, id));
        assert_eq!(states, ["superseded", "retracted", "alias"]);
        assert!(overruled(space).is_empty());
        let refuted_or_corrected = States::These(vec![State::Refuted, State::Corrected]);
        assert!(listed(space, refuted_or_corrected).is_empty());
        check_views(&home);

        // Its sources are gone as well, and it is replaced all the same.
        let space = &mut home.space;
        let drafts = space.to_retract(&note.to_string(), "").unwrap();
        space.act(drafts, Intent::Write, at(21)).unwrap();
        assert_eq!(state_in_list(space, roof), "retracted");
        check_views(&home);
        let space = &mut home.space;
        let drafts = space.to_restore(&note.to_string(), "").unwrap();
        space.act(drafts, Intent::Write, at(22)).unwrap();

        retract(space, replaces);
        retract(space, redirects);
        assert_eq!(overruled(space), ["Pump idles.", "Stock is three."]);
        assert_eq!(
            believed(space),
            ["Pump idles.", "Stock is three.", "Stock is two.", "The pump is running."]
        );
        check_views(&home);
    }
}

#[test]
fn a_corrected_claim_whose_sources_are_gone_is_believed() {
    let mut home = Home::new();
    let note = id_of(home.remember("note", "Notes of the shop"));
    let stock = state(&mut home.space, note, claim("Stock is one."));
    correct(&mut home.space, stock, "Stock is three.");
    let drafts = home.space.to_retract(&note.to_string(), "").unwrap();
    home.space.act(drafts, Intent::Write, at(21)).unwrap();
    assert_eq!(believed(&home.space), ["Stock is three."]);
    check_views(&home);
}

#[test]
fn what_one_device_corrected_and_another_replaced_is_replaced_on_both() {
    let mut home = Home::new();
    let note = id_of(home.remember("note", "Notes of the shop"));
    let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
    home.space.change_access(key(3).author(), "phone", rights, true, at(2)).unwrap();
    let stock = state(&mut home.space, note, claim("Stock is one."));
    let lines = exported(&home.space);
    let (genesis, body) = read_genesis(&mut &lines[..]).unwrap();
    let mut phone = Space::copy_of(&home.path("copy"), &genesis, &body, key(3)).unwrap();
    phone.take_in(&mut &lines[..], at(30), |_| {}).unwrap();
    supersede(&mut home.space, note, stock, "Stock is two.");
    correct(&mut phone, stock, "Stock is three.");
    let lines = exported(&home.space);
    phone.take_in(&mut &lines[..], at(30), |_| {}).unwrap();
    let lines = exported(&phone);
    home.space.take_in(&mut &lines[..], at(30), |_| {}).unwrap();
    for space in [&home.space, &phone] {
        assert_eq!(believed(space), ["Stock is two."]);
        assert_eq!(state_in_list(space, stock), "superseded");
        assert!(space.verify(|_| {}).unwrap().is_sound());
    }
}

#[test]
fn what_is_refuted_and_retracted_is_listed_and_explained_as_retracted() {
    let mut home = Home::new();
    let note = id_of(home.remember("note", "Notes of the shop"));
    let roof = state(&mut home.space, note, claim("Roof leaks."));
    refute(&mut home.space, roof);
    assert_eq!(state_in_list(&home.space, roof), "refuted");
    retract(&mut home.space, roof);
    assert_eq!(state_in_list(&home.space, roof), "retracted");
    let in_state = |state| listed(&home.space, States::These(vec![state]));
    assert_eq!(in_state(State::Retracted), ["Roof leaks."]);
    assert!(in_state(State::Refuted).is_empty());
    check_views(&home);
}

#[test]
fn an_earlier_version_is_explained_by_its_own_status() {
    let mut home = Home::new();
    let note = id_of(home.remember("note", "Notes of the shop"));
    let first = state(&mut home.space, note, claim("Roof leaks."));
    retract(&mut home.space, first);
    let second = state(&mut home.space, note, claim("Roof leaks."));
    assert_ne!(first, second);
    let space = &mut home.space;
    let explained = |space: &Space, id: OpId| {
        let shown = space.record_view(&id, None).unwrap().unwrap().status;
        let explained = space.explain(&id.to_string()).unwrap().explanation.claim.state;
        assert_eq!(shown, Some(explained.as_str()));
        explained
    };
    assert_eq!([first, second].map(|id| explained(space, id)), ["retracted", "active"]);
    let restored = space.to_restore(&first.to_string(), "").unwrap();
    space.act(restored, Intent::Write, at(22)).unwrap();
    assert_eq!([first, second].map(|id| explained(space, id)), ["superseded", "active"]);
}
