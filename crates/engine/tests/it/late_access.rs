//! Grants and revocations that arrive after operations that they concern, on several devices.

use std::collections::BTreeSet;

use engine::EngineError;
use engine::derive::Extent;
use engine::write::import::Intent;
use kernel::body::{Body, Correction, Reason, Refutation};
use kernel::id::Author;
use kernel::kind::Capability;
use kernel::seal::Signer;
use serde_json::json;

use crate::derive::{Dice, Home, copy_of, note, send, toys};

const ALL: [Capability; 3] = [Capability::Append, Capability::Derive, Capability::Correct];

fn signer(number: u8) -> Signer {
    Signer::from_seed([number; 32])
}

fn change_access(owner: &mut Home, key: Author, rights: &[Capability], gives: bool) {
    let now = owner.now();
    owner.space.change_access(key, "device", rights.to_vec(), gives, now).unwrap();
}

fn count(home: &Home) -> u64 {
    home.space.export(&mut Vec::new(), |_| {}).unwrap().operations
}

/// An owner and a laptop that may do everything but administer.
fn owner_and_laptop(folder: &tempfile::TempDir) -> (Home, Home) {
    let mut owner = Home::new(toys());
    change_access(&mut owner, signer(8).author(), &ALL, true);
    let mut laptop = copy_of(&owner, &folder.path().join("laptop.db"), signer(8));
    laptop.space.set_derivers(toys());
    (owner, laptop)
}

#[test]
fn a_late_grant_to_another_key_adds_nothing_but_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (mut owner, mut laptop) = owner_and_laptop(&folder);
    change_access(&mut owner, signer(9).author(), &[Capability::Append], true);
    laptop.clock += 10;
    for (uid, text) in [("1", "tea today"), ("2", "tea again")] {
        laptop.remember(uid, text);
    }
    laptop.derive(Extent::Changed, Intent::Write);
    let (believed, before) = (laptop.believed(), count(&laptop));
    assert_eq!(believed.len(), 3);
    send(&owner, &mut laptop);
    let derived = laptop.derive(Extent::Changed, Intent::Write);
    assert!(derived.changed_nothing(), "{derived:?}");
    assert_eq!((laptop.believed(), count(&laptop)), (believed.clone(), before + 1));
    send(&laptop, &mut owner);
    owner.clock = laptop.clock;
    assert!(owner.derive(Extent::Changed, Intent::Write).changed_nothing());
    assert_eq!((owner.believed(), count(&owner)), (believed, before + 1));
}

#[test]
fn a_late_grant_that_confirms_what_a_key_holds_adds_nothing_but_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (mut owner, mut laptop) = owner_and_laptop(&folder);
    change_access(&mut owner, signer(8).author(), &ALL, true);
    laptop.clock += 10;
    for (uid, text) in [("1", "tea today"), ("2", "tea again")] {
        laptop.remember(uid, text);
    }
    laptop.derive(Extent::Changed, Intent::Write);
    let (believed, before) = (laptop.believed(), count(&laptop));
    send(&owner, &mut laptop);
    let derived = laptop.derive(Extent::Changed, Intent::Write);
    assert!(derived.changed_nothing(), "{derived:?}");
    assert!(derived.read >= before, "the laptop's records are read again: {derived:?}");
    assert_eq!((laptop.believed(), count(&laptop)), (believed, before + 1));
}

#[test]
fn claims_voided_by_a_late_revocation_are_not_believed_until_a_late_grant_restores_them() {
    let folder = tempfile::tempdir().unwrap();
    let (mut owner, mut laptop) = owner_and_laptop(&folder);
    change_access(&mut owner, signer(9).author(), &ALL, true);
    owner.remember("1", "rain today");
    owner.remember("2", "rain again");
    let mut third = copy_of(&owner, &folder.path().join("third.db"), signer(9));
    third.space.set_derivers(toys());
    change_access(&mut owner, signer(8).author(), &ALL, false);
    laptop.clock += 10;
    laptop.remember("3", "tea today");
    laptop.remember("4", "tea again");
    laptop.derive(Extent::Changed, Intent::Write);
    send(&laptop, &mut third);
    third.clock = laptop.clock;
    third.derive(Extent::Changed, Intent::Write);
    let keys = |home: &mut Home| home.believed().into_keys().collect::<Vec<_>>();
    let all = [
        "org.example.count|rain",
        "org.example.count|tea",
        "org.example.layer|all",
        "org.example.layer|top",
    ];
    assert_eq!(keys(&mut third), all);
    // The revocation is dated before the laptop's notes, and so is the grant after it.
    for (gives, believed) in [(false, &[all[0], all[2], all[3]][..]), (true, &all[..])] {
        if gives {
            change_access(&mut owner, signer(8).author(), &ALL, true);
        }
        send(&owner, &mut third);
        third.derive(Extent::Changed, Intent::Write);
        assert_eq!(keys(&mut third), believed);
        let scratch = third.derive_from_scratch();
        assert!(scratch.changed_nothing(), "{scratch:?}");
    }
}

#[test]
fn a_device_whose_clock_is_behind_may_derive_from_the_grant_until_the_revocation() {
    let folder = tempfile::tempdir().unwrap();
    let mut owner = Home::new(toys());
    let mut laptop = copy_of(&owner, &folder.path().join("laptop.db"), signer(8));
    laptop.space.set_derivers(toys());
    owner.clock += 1_000;
    owner.remember("1", "tea today");
    owner.remember("2", "tea again");
    change_access(&mut owner, signer(8).author(), &ALL, true);
    send(&owner, &mut laptop);
    assert!(laptop.clock < owner.clock);
    assert_eq!(laptop.derive(Extent::Changed, Intent::Write).added, 3);
    change_access(&mut owner, signer(8).author(), &ALL, false);
    send(&owner, &mut laptop);
    let now = laptop.now();
    let refused = laptop.space.derive(Extent::Changed, Intent::Write, now, |_| {}).unwrap_err();
    assert_eq!(refused.code(), "not_permitted");
}

#[test]
fn what_a_revoked_key_backdates_has_no_effect_and_what_was_seen_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut owner, mut laptop) = owner_and_laptop(&folder);
    laptop.remember("1", "tea today");
    laptop.remember("2", "tea again");
    send(&laptop, &mut owner);
    let mut third = copy_of(&owner, &folder.path().join("third.db"), signer(9));
    owner.clock = 1_000;
    change_access(&mut owner, signer(8).author(), &ALL, false);
    // The laptop has not heard of it, or pretends so: it dates a note before the revocation.
    laptop.remember("3", "tea with poison");
    let texts = |home: &Home| {
        let query = engine::recall::episodes::Query::new("tea", 9);
        let results = home.space.recall(&query).unwrap().results.into_iter();
        results.map(|result| result.evidence.payload.text).collect::<BTreeSet<_>>()
    };
    let seen = BTreeSet::from(["tea today".to_owned(), "tea again".to_owned()]);
    send(&laptop, &mut owner);
    assert_eq!(texts(&owner), seen);
    // On a third copy the note arrives before the revocation, and is recalled until that arrives.
    send(&laptop, &mut third);
    assert_eq!(texts(&third).len(), 3);
    send(&owner, &mut third);
    assert_eq!(texts(&third), seen);
    owner.derive(Extent::Changed, Intent::Write);
    assert_eq!(owner.believed()["org.example.count|tea"].1, json!({ "parity": 0 }));
    send(&owner, &mut third);
    assert_eq!(third.believed(), owner.believed());
    assert!(third.space.verify(|_| {}).unwrap().is_sound());
    assert!(owner.derive_from_scratch().changed_nothing());
}

#[test]
fn a_revocation_from_now_on_keeps_what_was_dated_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut owner, mut laptop) = owner_and_laptop(&folder);
    owner.clock = 1_000;
    let now = owner.now();
    owner.space.revoke_from_now_on(signer(8).author(), "", ALL.into(), now).unwrap();
    laptop.remember("1", "tea today");
    laptop.clock = 2_000;
    laptop.remember("2", "tea again");
    send(&laptop, &mut owner);
    let query = engine::recall::episodes::Query::new("tea", 9);
    let results = owner.space.recall(&query).unwrap().results;
    let texts: Vec<&str> =
        results.iter().map(|result| result.evidence.payload.text.as_str()).collect();
    assert_eq!(texts, ["tea today"]);
}

/// What a device does of its own accord, if it may.
fn step(home: &mut Home, dice: &mut Dice) {
    let words = ["tea", "rain", "gym"];
    let now = home.now();
    match dice.below(8) {
        0..=3 => {
            let text = format!("{} {}", words[dice.below(words.len())], dice.below(3));
            permitted(home.space.remember(note(&dice.below(12).to_string(), &text), now));
        }
        4 => {
            let beliefs = home.space.beliefs().unwrap();
            if beliefs.is_empty() {
                return;
            }
            let belief = &beliefs[dice.below(beliefs.len())];
            let Some(target) = belief.served.or(belief.current) else { return };
            let (identity_key, note) = (belief.key.clone(), String::new());
            let body = match dice.below(3) {
                0 => Body::ClaimRefutation(Refutation { identity_key, note }),
                1 => Body::Retraction(Reason { reason: note }),
                _ => Body::ClaimCorrection(Correction {
                    identity_key,
                    corrected_payload: json!({ "parity": dice.below(3) }),
                    text: None,
                    note,
                }),
            };
            let _ = home.act(body, target);
        }
        _ => {
            permitted(home.space.derive(Extent::Changed, Intent::Write, now, |_| {}));
        }
    }
}

/// Fails for any error but that the key may not.
fn permitted<T>(result: Result<T, EngineError>) {
    if let Err(error) = result {
        assert_eq!(error.code(), "not_permitted", "{error}");
    }
}

/// Exchanges between all devices until none adds anything; answers in how many rounds.
fn come_to_rest(homes: &mut [Home], seed: u64) -> usize {
    /// More rounds than devices and layers need.
    const ROUNDS_MAX: usize = 10;
    for round in 1..=ROUNDS_MAX {
        let before: Vec<u64> = homes.iter().map(count).collect();
        for from in 0..homes.len() {
            for to in (0..homes.len()).filter(|to| *to != from) {
                exchange(homes, from, to);
            }
        }
        if before == homes.iter().map(count).collect::<Vec<_>>() {
            return round;
        }
    }
    panic!("seed {seed}: no rest after {ROUNDS_MAX} rounds");
}

/// One device takes in all that another has, and derives if it may.
fn exchange(homes: &mut [Home], from: usize, to: usize) {
    let mut lines = Vec::new();
    homes[from].space.export(&mut lines, |_| {}).unwrap();
    let home = &mut homes[to];
    let now = home.now();
    let intake = home.space.take_in(&mut lines.as_slice(), now, |_| {}).unwrap();
    assert_eq!(intake.refused, 0, "{:?}", intake.refusals);
    permitted(home.space.derive(Extent::Changed, Intent::Write, now, |_| {}));
}

fn live(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let folder = tempfile::tempdir().unwrap();
    let (owner, laptop) = owner_and_laptop(&folder);
    let mut third = copy_of(&owner, &folder.path().join("third.db"), signer(9));
    third.space.set_derivers(toys());
    let mut homes = vec![owner, laptop, third];
    for _ in 0..40 {
        let device = dice.below(homes.len());
        homes[device].clock += dice.below(4) as i64;
        match dice.below(10) {
            0 | 1 => {
                let key = signer(8 + dice.below(2) as u8).author();
                let rights: Vec<Capability> =
                    ALL.into_iter().filter(|_| dice.below(2) == 0).collect();
                let gives = dice.below(3) > 0;
                if !rights.is_empty() {
                    change_access(&mut homes[0], key, &rights, gives);
                }
            }
            2 | 3 => {
                let to = (device + 1 + dice.below(2)) % homes.len();
                exchange(&mut homes, device, to);
            }
            _ => step(&mut homes[device], &mut dice),
        }
    }
    let clock = homes.iter().map(|home| home.clock).max().unwrap();
    for home in &mut homes {
        home.clock = clock;
    }
    come_to_rest(&mut homes, seed);
    agree(&mut homes, seed);
    // A grant to a key that has said nothing, which the laptop hears of late.
    change_access(&mut homes[0], signer(10).author(), &ALL, true);
    let now = homes[1].now();
    permitted(homes[1].space.remember(note("last", "tea 1"), now));
    permitted(homes[1].space.derive(Extent::Changed, Intent::Write, now, |_| {}));
    let before = count(&homes[1]);
    exchange(&mut homes, 0, 1);
    assert_eq!(count(&homes[1]), before + 1, "seed {seed}: nothing but the grant is added");
    come_to_rest(&mut homes, seed);
    agree(&mut homes, seed);
}

/// All copies hold and believe the same, and from scratch nothing else.
fn agree(homes: &mut [Home], seed: u64) {
    let exported = |home: &Home| {
        let mut lines = Vec::new();
        home.space.export(&mut lines, |_| {}).unwrap();
        lines
    };
    let ledgers: BTreeSet<Vec<u8>> = homes.iter().map(exported).collect();
    assert_eq!(ledgers.len(), 1, "seed {seed}");
    let believed = homes[0].believed();
    for (number, home) in homes.iter_mut().enumerate() {
        assert_eq!(home.believed(), believed, "seed {seed}, device {number}");
        let now = home.now();
        if home.space.may_derive(now).unwrap() {
            let scratch = home.derive_from_scratch();
            assert!(scratch.changed_nothing(), "seed {seed}, device {number}: {scratch:?}");
        }
    }
}

#[test]
fn three_devices_come_to_rest_whatever_the_order_of_grants_and_revocations_1() {
    (1..=15).for_each(live);
}

#[test]
fn three_devices_come_to_rest_whatever_the_order_of_grants_and_revocations_2() {
    (16..=30).for_each(live);
}
