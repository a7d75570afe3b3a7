//! Verification names each kind of damage, and nothing else.

use engine::verify::ledger::Verification;
use kernel::kind::Capability;

use crate::support::{Home, at, id_of, key, note};

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
