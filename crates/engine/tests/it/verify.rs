//! Verification names each kind of damage, and nothing else.

use engine::Space;
use engine::verify::ledger::Verification;
use engine::write::exchange::read_genesis;
use engine::write::graph::{GraphChange, INPUT_ROLE, Reference, Statement};
use engine::write::import::Intent;
use kernel::body::EdgeType;
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::operation::Role;

use crate::graph_changes::{claim, connection, state};
use crate::support::{Home, at, exported, id_of, key, note};

/// Damages a sound space and verifies it.
fn verify_after(statements: &str) -> Verification {
    let mut home = Home::new();
    for number in 0..6 {
        let outcome = home
            .space
            .remember(note(&number.to_string(), &format!("soup {number}")), at(1))
            .unwrap();
        assert_eq!(id_of(outcome).to_string().len(), 67);
    }
    home.space.advance(|_| {}).unwrap();
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
    home.tamper(statements);
    home.again(1).verify(|_| {}).unwrap()
}

#[test]
fn a_sound_space_has_no_findings() {
    let verification = verify_after("SELECT 1");
    assert!(verification.is_sound() && verification.findings.is_empty(), "{verification:?}");
    assert_eq!(
        (verification.operations, verification.finding_count, verification.views.len()),
        (7, 0, 6)
    );
}

#[test]
fn every_kind_of_damage_is_reported_once() {
    for (statements, code) in [
        (
            "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'soup', 'sour') AS BLOB) WHERE pos = 3",
            "body_mismatch",
        ),
        ("UPDATE op SET sig = zeroblob(64) WHERE pos = 3", "signature_invalid"),
        ("UPDATE op SET body_hash = zeroblob(32) WHERE pos = 3", "id_mismatch"),
        ("UPDATE op SET id = zeroblob(32) WHERE pos = 7", "id_mismatch"),
        ("UPDATE op SET kind = 'weather' WHERE pos = 3", "id_mismatch"),
        ("UPDATE op SET ts = ts + 1 WHERE pos = 7", "id_mismatch"),
        ("UPDATE op SET refs = x'01' WHERE pos = 7", "damaged"),
        ("UPDATE op SET author = 99 WHERE pos = 7", "damaged"),
        ("DELETE FROM op WHERE pos = 4", "chain_broken"),
        ("UPDATE text_posting SET data = x'0010'", "view_differs"),
        ("DELETE FROM cite; DELETE FROM evidence WHERE pos = 3", "view_differs"),
        ("UPDATE text_attribute SET data = zeroblob(length(data))", "view_differs"),
    ] {
        let verification = verify_after(statements);
        assert!(!verification.is_sound(), "{statements}");
        let codes: Vec<&str> =
            verification.findings.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!(
            codes.iter().filter(|found| **found == code).count(),
            1,
            "{statements}: {codes:?}"
        );
        let others =
            ["chain_broken", "unknown_ref", "id_mismatch", "body_mismatch", "signature_invalid"];
        let unexpected = codes.iter().find(|found| others.contains(found) && **found != code);
        assert_eq!(unexpected, None, "{statements}: {codes:?}");
    }
}

#[test]
fn operations_without_effect_are_listed_and_do_not_count_as_damage() {
    let mut home = Home::new();
    let other_home = Home::new();
    let mut device = other_home.again(9);
    // A copy in which the device may append, whose genesis is the same.
    let mut open = other_home;
    assert_eq!(crate::support::exported(&open.space), crate::support::exported(&home.space));
    home.space.change_access(key(9).author(), "x", vec![Capability::Derive], true, at(1)).unwrap();
    let mut lines = crate::support::exported(&home.space);
    open.space.change_access(key(9).author(), "x", vec![Capability::Append], true, at(1)).unwrap();
    device.remember(note("x", "soup"), at(2)).unwrap();
    let all = String::from_utf8(crate::support::exported(&open.space)).unwrap();
    lines.extend_from_slice(all.lines().last().unwrap().as_bytes());
    let mut space = home.again(1);
    let intake = space.take_in(&mut &lines[..], at(10), |_| {}).unwrap();
    assert_eq!((intake.added, intake.refused), (1, 0));
    let verification = space.verify(|_| {}).unwrap();
    assert!(verification.is_sound());
    assert_eq!((verification.finding_count, verification.damage_count), (1, 0));
    let finding = &verification.findings[0];
    assert!(finding.without_effect && finding.code == "not_permitted", "{finding:?}");
    assert!(crate::support::recalled(&space, "soup").is_empty());
}

/// A space, and a copy of it whose key may do as much.
fn two_devices(home: &mut Home) -> Space {
    let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
    home.space.change_access(key(3).author(), "phone", rights, true, at(2)).unwrap();
    let lines = exported(&home.space);
    let (genesis, body) = read_genesis(&mut &lines[..]).unwrap();
    let mut phone = Space::copy_of(&home.path("copy"), &genesis, &body, key(3)).unwrap();
    phone.take_in(&mut &lines[..], at(30), |_| {}).unwrap();
    phone
}

fn take_from(space: &mut Space, other: &Space) {
    let lines = exported(other);
    assert_eq!(space.take_in(&mut &lines[..], at(90), |_| {}).unwrap().refused, 0);
}

/// The code of the only finding, of what, and whether that is without effect.
fn only_finding(space: &Space) -> (String, OpId, bool) {
    let verification = space.verify(|_| {}).unwrap();
    assert!(verification.is_sound(), "{verification:?}");
    let [finding] = &verification.findings[..] else { panic!("{verification:?}") };
    assert!(finding.kept && finding.message.contains("as of when it was recorded"), "{finding:?}");
    (finding.code.clone(), finding.id.unwrap(), finding.without_effect)
}

#[test]
fn the_edge_that_decides_a_ring_is_not_said_to_be_without_effect() {
    for newer_comes_last in [true, false] {
        let mut home = Home::new();
        let source = id_of(home.remember("note", "Notes of the shop"));
        let [older, newer] = ["Stock is one.", "Stock is two."]
            .map(|text| state(&mut home.space, source, claim(text)));
        let mut phone = two_devices(&mut home);
        let join = |space: &mut Space, from, to, second| {
            let edge = connection(source, EdgeType::Supersedes, from, to);
            space.change_graph(&[edge.into()], None, Intent::Write, at(second)).unwrap().stand_for
                [0]
        };
        let (first, last) = match newer_comes_last {
            true => ((older, newer), (newer, older)),
            false => ((newer, older), (older, newer)),
        };
        join(&mut home.space, first.0, first.1, 40);
        let edge = join(&mut phone, last.0, last.1, 50);
        take_from(&mut home.space, &phone);
        take_from(&mut phone, &home.space);
        for space in [&home.space, &phone] {
            // The record that is newer stays, so its edge decides.
            let status = |id| space.record_view(&id, None).unwrap().unwrap().status;
            assert_eq!([older, newer].map(status), [Some("superseded"), Some("active")]);
            assert_eq!(only_finding(space), ("cycle".to_owned(), edge, !newer_comes_last));
        }
    }
}

#[test]
fn what_was_stated_on_a_source_that_was_gone_has_effect_once_the_source_is_back() {
    let mut home = Home::new();
    let source = id_of(home.remember("note", "Notes of the shop"));
    let mut phone = two_devices(&mut home);
    let drafts = home.space.to_retract(&source.to_string(), "").unwrap();
    home.space.act(drafts, Intent::Write, at(40)).unwrap();
    let inputs = vec![(Reference::Id(source), Role::parse(INPUT_ROLE).unwrap())];
    let stated = Statement { inputs, ..claim("Stock is one.") };
    let change = GraphChange::State(Box::new(stated));
    let stated =
        phone.change_graph(&[change.into()], None, Intent::Write, at(50)).unwrap().stand_for[0];
    take_from(&mut home.space, &phone);
    let code = "stale_input".to_owned();
    assert_eq!(only_finding(&home.space), (code.clone(), stated, true));
    let drafts = home.space.to_restore(&source.to_string(), "").unwrap();
    home.space.act(drafts, Intent::Write, at(60)).unwrap();
    assert_eq!(home.space.record_view(&stated, None).unwrap().unwrap().status, Some("active"));
    assert_eq!(only_finding(&home.space), (code, stated, false));
}
