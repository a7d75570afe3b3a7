//! What survives an exchange with bodies missing: refused where something else would be believed,
//! reported where it is kept, and completed by the whole form.

use std::collections::BTreeMap;

use engine::derive::Extent;
use engine::verify::bodies::MissingBodies;
use engine::write::exchange::{Intake, read_genesis};
use engine::write::import::Intent;
use engine::write::share::ExportSelection;
use engine::{EngineError, Space};
use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::kind_spec::BodyNeed;
use kernel::operation::{Operation, Ref, Role, Unverified};
use kernel::seal::{ChainPosition, Draft, Signer};
use serde_json::json;

use crate::derive::{Dice, Home as Life, step, toys};
use crate::support::{Home, at, exported, id_of, key, note, query, recalled, tamper};
use crate::toys::{HABIT, derive, gym};

fn operations(lines: &[u8]) -> Vec<Operation<Unverified>> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| Operation::from_line(line).unwrap()).collect()
}

/// The same lines, of which some have lost their bodies.
pub(crate) fn strip(
    lines: &[u8],
    mut is_stripped: impl FnMut(&Operation<Unverified>) -> bool,
) -> Vec<u8> {
    let mut stripped = Vec::new();
    for operation in operations(lines) {
        let operation = if is_stripped(&operation) { operation.without_body() } else { operation };
        stripped.extend_from_slice(operation.to_line().as_bytes());
        stripped.push(b'\n');
    }
    stripped
}

fn strip_kind(lines: &[u8], kind: &Kind) -> Vec<u8> {
    strip(lines, |operation| operation.header().kind == *kind)
}

pub(crate) fn empty_copy(path: &std::path::Path, lines: &[u8], signer: Signer) -> Space {
    let (genesis, body) = read_genesis(&mut &lines[..]).unwrap();
    Space::copy_of(path, &genesis, &body, signer).unwrap()
}

pub(crate) fn take_in(space: &mut Space, lines: &[u8]) -> Intake {
    space.take_in(&mut &lines[..], at(1_000_000), |_| {}).unwrap()
}

fn codes(intake: &Intake) -> Vec<&str> {
    intake.refusals.iter().map(|refusal| refusal.code.as_str()).collect()
}

/// What is believed, with everything that a reader sees.
pub(crate) fn believed(space: &Space) -> BTreeMap<String, String> {
    let beliefs = space.beliefs().unwrap().into_iter();
    beliefs.map(|belief| (belief.key.clone(), format!("{belief:?}"))).collect()
}

fn digests(space: &Space) -> Vec<(&'static str, String)> {
    space.digests().unwrap().into_iter().map(|view| (view.name, view.digest)).collect()
}

fn findings(space: &Space) -> Vec<(Option<OpId>, String)> {
    let found = space.verify(|_| {}).unwrap().findings.into_iter();
    found.map(|finding| (finding.id, finding.code)).collect()
}

fn bodies(space: &Space) -> MissingBodies {
    let counted = space.status().unwrap().bodies;
    assert_eq!(space.verify(|_| {}).unwrap().bodies, counted);
    counted
}

fn acts(space: &mut Space, body: Body, target: OpId) -> OpId {
    let refs = vec![Ref { id: target, role: Role::parse(Role::TARGET).unwrap() }];
    space.append(Draft { body, refs }, at(5)).unwrap()
}

fn body(kind: &Kind, value: &serde_json::Value) -> Body {
    Body::parse(kind, &kernel::canonical::to_bytes(value).unwrap()).unwrap()
}

/// A space of the gym in which the owner corrected the habit, and then wrote something.
fn corrected() -> Home {
    let mut home = gym();
    let drafts = home
        .space
        .to_correct(
            HABIT,
            &engine::belief::user::Replacement {
                set: vec![json!({ "name": "pool" }).to_string()],
                ..Default::default()
            },
        )
        .unwrap();
    home.space.act(drafts, Intent::Write, at(5)).unwrap();
    home.remember("after", "the pool is warm");
    home
}

#[test]
fn a_correction_without_its_body_is_refused_with_what_follows_it_and_the_whole_form_heals() {
    let home = corrected();
    let lines = exported(&home.space);
    let mut copy = empty_copy(&home.path("copy.space"), &lines, key(3));
    let intake = take_in(&mut copy, &strip_kind(&lines, &Kind::ClaimCorrection));
    assert_eq!(codes(&intake)[0], "body_missing", "{intake:?}");
    assert!(intake.refusals[0].message.contains("whole export"), "{intake:?}");
    assert!(codes(&intake)[1..].iter().all(|code| *code == "chain_broken"), "{intake:?}");
    assert!(copy.verify(|_| {}).unwrap().is_sound());
    let later = "the pool is warm".to_owned();
    assert!(
        !recalled(&copy, "warm").contains(&later) && recalled(&home.space, "warm").contains(&later)
    );
    let whole = take_in(&mut copy, &lines);
    assert_eq!((whole.refused, whole.completed), (0, 0));
    assert_eq!(exported(&copy), lines);
    assert_eq!(believed(&copy), believed(&home.space));
    assert_eq!(bodies(&copy), MissingBodies::default());
}

#[test]
fn a_revocation_without_its_body_is_refused_and_the_whole_form_heals() {
    let mut home = Home::new();
    let rights = vec![Capability::Append];
    home.space.change_access(key(2).author(), "phone", rights.clone(), true, at(1)).unwrap();
    home.space.change_access(key(2).author(), "phone", rights, false, at(3)).unwrap();
    home.remember("1", "soup");
    let lines = exported(&home.space);
    for kind in [Kind::Grant, Kind::Revoke] {
        let mut copy = empty_copy(&home.path(kind.as_str()), &lines, key(3));
        let intake = take_in(&mut copy, &strip_kind(&lines, &kind));
        assert_eq!(codes(&intake)[0], "body_missing", "{intake:?}");
        assert_eq!(take_in(&mut copy, &lines).refused, 0);
        copy.advance(|_| {}).unwrap();
        assert_eq!(exported(&copy), lines);
        assert_eq!(digests(&copy), digests(&home.space));
        assert!(copy.verify(|_| {}).unwrap().is_sound());
    }
}

#[test]
fn every_persons_word_without_its_body_is_refused() {
    let mut home = gym();
    let space = &mut home.space;
    let claim = space.believed(HABIT).unwrap().served.unwrap();
    let none = json!({});
    let refutation = body(&Kind::ClaimRefutation, &json!({ "identity_key": HABIT }));
    let refutation = acts(space, refutation, claim);
    acts(space, body(&Kind::RefutationWithdrawal, &none), refutation);
    let correction = json!({ "identity_key": HABIT, "corrected_payload": 1 });
    let correction = acts(space, body(&Kind::ClaimCorrection, &correction), claim);
    acts(space, body(&Kind::CorrectionWithdrawal, &none), correction);
    let record = id_of(space.remember(note("1", "soup"), at(6)).unwrap());
    acts(space, body(&Kind::EvidenceRetraction, &none), record);
    acts(space, body(&Kind::Retraction, &none), claim);
    let proposal = json!({ "origin": "model", "confidence": 1, "operations": [] });
    let proposal = Draft::new(body(&Kind::Proposal, &proposal));
    let proposal = space.append(proposal, at(7)).unwrap();
    acts(space, body(&Kind::Decision, &json!({ "verdict": "reject" })), proposal);
    let lines = exported(space);
    let words = [
        Kind::ClaimRefutation,
        Kind::RefutationWithdrawal,
        Kind::ClaimCorrection,
        Kind::CorrectionWithdrawal,
        Kind::EvidenceRetraction,
        Kind::Retraction,
        Kind::Decision,
    ];
    for kind in words {
        let mut copy = empty_copy(&home.path(kind.as_str()), &lines, key(3));
        let intake = take_in(&mut copy, &strip_kind(&lines, &kind));
        assert_eq!(codes(&intake)[0], "body_missing", "{kind}: {intake:?}");
        assert_eq!(take_in(&mut copy, &lines).refused, 0);
        assert_eq!(exported(&copy), lines, "{kind}");
    }
}

#[test]
fn other_bodies_that_are_missing_without_leave_are_listed_until_the_whole_form_completes_them() {
    let home = gym();
    let lines = exported(&home.space);
    for kind in [Kind::Evidence, Kind::Claim] {
        let mut copy = empty_copy(&home.path(kind.as_str()), &lines, key(3));
        let stripped = strip_kind(&lines, &kind);
        let count = operations(&stripped).iter().filter(|one| one.body().is_none()).count() as u64;
        let intake = take_in(&mut copy, &stripped);
        assert_eq!((intake.refused, intake.without_body), (0, count));
        assert_eq!(bodies(&copy), MissingBodies { missing: count, ..MissingBodies::default() });
        let found = findings(&copy).into_iter().filter(|(_, code)| code == "body_missing");
        let stripped_ids = operations(&stripped).into_iter().filter(|one| one.body().is_none());
        let mut found: Vec<OpId> = found.filter_map(|(id, _)| id).collect();
        found.sort_unstable();
        let mut expected: Vec<OpId> = stripped_ids.map(|one| one.id()).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(exported(&copy), stripped);
        let again = take_in(&mut copy, &stripped);
        assert_eq!((again.added, again.completed), (0, 0));
        let whole = take_in(&mut copy, &lines);
        assert_eq!((whole.added, whole.completed, whole.refused), (0, count, 0));
        assert_eq!(exported(&copy), lines);
        assert_eq!(digests(&copy), digests(&home.space));
        assert_eq!(believed(&copy), believed(&home.space));
        assert_eq!((bodies(&copy), findings(&copy)), (MissingBodies::default(), vec![]));
    }
}

#[test]
fn a_space_that_kept_words_and_changes_of_access_without_bodies_is_healed_by_the_whole_form() {
    let mut home = corrected();
    let rights = vec![Capability::Append];
    home.space.change_access(key(2).author(), "phone", rights.clone(), true, at(6)).unwrap();
    home.space.change_access(key(2).author(), "phone", rights, false, at(7)).unwrap();
    home.space.advance(|_| {}).unwrap();
    let (lines, digest, before) =
        (exported(&home.space), digests(&home.space), believed(&home.space));
    let path = home.space.path().to_owned();
    // What earlier versions of this program took in.
    tamper(
        &path,
        "UPDATE op SET body = NULL, salt = NULL WHERE kind IN ('grant', 'revoke', 'claim_correction')",
    );
    let mut space = Space::open_unshared(&path, key(1)).unwrap();
    space.rebuild(|_| {}).unwrap();
    let verification = space.verify(|_| {}).unwrap();
    assert!(!verification.is_sound());
    let damage = verification.findings.iter().filter(|found| !found.kept);
    assert!({ damage }.all(|found| found.code == "body_missing"), "{verification:?}");
    assert_eq!(bodies(&space).missing, 3);
    let intake = take_in(&mut space, &lines);
    assert_eq!((intake.added, intake.completed, intake.restores), (0, 3, false));
    assert_eq!((exported(&space), digests(&space)), (lines, digest));
    assert_eq!(believed(&space), before);
    assert!(space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn a_body_that_was_forgotten_is_not_missing_and_does_not_come_back() {
    let mut home = Home::new();
    let record = id_of(home.remember("1", "soup"));
    let before = exported(&home.space);
    acts(&mut home.space, body(&Kind::Redaction, &json!({})), record);
    let lines = exported(&home.space);
    let mut copy = empty_copy(&home.path("copy.space"), &lines, key(3));
    let intake = take_in(&mut copy, &strip_kind(&lines, &Kind::Evidence));
    assert_eq!((intake.refused, intake.without_body), (0, 1));
    assert_eq!(bodies(&copy), MissingBodies { forgotten: 1, ..MissingBodies::default() });
    assert!(copy.verify(|_| {}).unwrap().is_sound());
    for whole in [&lines, &before] {
        assert_eq!(take_in(&mut copy, whole).completed, 0);
    }
    assert_eq!(bodies(&copy).forgotten, 1);
}

#[test]
fn a_redaction_by_a_key_that_may_not_correct_excuses_nothing() {
    let mut home = Home::new();
    let rights = vec![Capability::Append];
    home.space.change_access(key(2).author(), "phone", rights, true, at(0)).unwrap();
    let record = id_of(home.remember("1", "soup"));
    let space = home.space.id().unwrap();
    let refs = vec![Ref { id: record, role: Role::parse(Role::TARGET).unwrap() }];
    let place = ChainPosition {
        space: Some(space),
        head: None,
        ts: kernel::operation::HlcTimestamp(engine::now_us(at(9))),
    };
    let draft = Draft { body: body(&Kind::Redaction, &json!({})), refs };
    let redaction = key(2).seal(draft, place).unwrap();
    let mut lines = strip_kind(&exported(&home.space), &Kind::Evidence);
    lines.extend_from_slice(redaction.to_line().as_bytes());
    let mut copy = empty_copy(&home.path("copy.space"), &lines, key(3));
    assert_eq!(take_in(&mut copy, &lines).refused, 0);
    assert_eq!(bodies(&copy).missing, 1);
}

/// A random life with two devices' keys; the last operations are changes of access.
fn life(seed: u64) -> Life {
    let mut life = Life::new(toys());
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut records, mut actions) = (Vec::new(), Vec::new());
    for number in 0..25 {
        if number % 8 == 4 {
            let rights = vec![[Capability::Append, Capability::Derive][dice.below(2)]];
            let (to, gives) = (key(20 + dice.below(3) as u8).author(), dice.below(2) == 0);
            let now = life.now();
            life.space.change_access(to, "device", rights, gives, now).unwrap();
        }
        step(&mut life, &mut dice, &mut records, &mut actions);
        if dice.below(3) == 0 {
            life.derive(Extent::Changed, Intent::Write);
        }
    }
    life
}

#[test]
fn a_copy_that_lacked_random_bodies_and_saw_the_whole_equals_one_that_saw_only_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 1..=30_u64 {
        let lines = exported(&life(seed).space);
        let make = |name: &str| {
            let path = folder.path().join(format!("{name}-{seed}"));
            let mut copy = empty_copy(&path, &lines, key(3));
            copy.set_derivers(toys());
            copy
        };
        let mut always = make("always");
        assert_eq!(take_in(&mut always, &lines).refused, 0);
        for (name, only_removable) in [("some", true), ("any", false)] {
            let mut dice = Dice(seed << 8 | 1);
            let mut copy = make(name);
            let stripped = strip(&lines, |operation| {
                let may = operation.header().kind.spec().body == BodyNeed::Removable;
                dice.below(2) == 0 && operation.header().seq > 1 && (may || !only_removable)
            });
            take_in(&mut copy, &stripped);
            if dice.below(2) == 0 {
                copy.advance(|_| {}).unwrap();
            }
            let intake = take_in(&mut copy, &lines);
            assert_eq!(intake.refused, 0, "seed {seed}: {:?}", intake.refusals);
            assert_eq!(exported(&copy), lines, "seed {seed}, {name}");
            assert_eq!(believed(&copy), believed(&always), "seed {seed}, {name}");
            if only_removable {
                assert_eq!(digests(&copy), digests(&always), "seed {seed}");
            }
            let verification = copy.verify(|_| {}).unwrap();
            assert!(verification.is_sound(), "seed {seed}, {name}: {:?}", verification.findings);
        }
    }
}

#[test]
fn a_device_that_may_derive_concludes_the_same_once_the_bodies_are_there() {
    let mut home = gym();
    let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
    home.space.change_access(key(3).author(), "laptop", rights, true, at(1)).unwrap();
    home.remember("7", "pool one");
    home.remember("8", "pool two");
    let lines = exported(&home.space);
    let mut copy = empty_copy(&home.path("copy.space"), &lines, key(3));
    copy.set_derivers(vec![Box::new(crate::toys::Habits), Box::new(crate::toys::Tastes)]);
    take_in(&mut copy, &strip_kind(&lines, &Kind::Evidence));
    derive(&mut copy);
    take_in(&mut copy, &lines);
    derive(&mut copy);
    derive(&mut home.space);
    let keys = |space: &Space| believed(space).into_keys().collect::<Vec<_>>();
    assert_eq!(keys(&copy), keys(&home.space));
    let (scratch, _) = copy.derive(Extent::Full, Intent::DryRun, at(20), |_| {}).unwrap();
    assert!(scratch.changed_nothing(), "{scratch:?}");
}

/// Lines that a key signed, which nobody granted anything, for this space.
fn foreign_lines(space: &Space, count: u64, ts: jiff::Timestamp) -> Vec<u8> {
    let signer = key(66);
    let (mut lines, mut head) = (Vec::new(), None);
    for number in 0..count {
        let ts = kernel::operation::HlcTimestamp(engine::now_us(ts) + number);
        let place = ChainPosition { space: Some(space.id().unwrap()), head, ts };
        let draft = Draft::new(Body::Evidence(note(&number.to_string(), "buy pills")));
        let operation = signer.seal(draft, place).unwrap();
        head = Some(kernel::ledger_index::Head { seq: number + 1, id: operation.id(), ts });
        lines.extend_from_slice(operation.to_line().as_bytes());
        lines.push(b'\n');
    }
    lines
}

#[test]
fn operations_of_a_key_that_holds_nothing_are_not_kept_and_do_not_move_the_clock()
-> Result<(), EngineError> {
    let mut home = Home::new();
    home.remember("1", "soup");
    let whole = exported(&home.space);
    let mut tampered = whole.clone();
    tampered.extend_from_slice(&foreign_lines(&home.space, 3, at(80_000)));
    let mut copy = empty_copy(&home.path("copy.space"), &whole, key(1));
    let intake = copy.take_in(&mut tampered.as_slice(), at(10), |_| {})?;
    assert_eq!((intake.added, intake.refused), (1, 3));
    assert_eq!(codes(&intake), ["not_a_member"; 3]);
    assert_eq!(exported(&copy), whole);
    let next = id_of(copy.remember(note("2", "bread"), at(11))?);
    let ts = copy.show(&next)?.operation.header().ts;
    assert_eq!(ts.0, engine::now_us(at(11)), "the clock is not moved");
    assert_eq!(copy.verify(|_| {})?.not_members, 0);
    // Once it is granted something, what it wrote is taken, and what preceded the grant is without
    // effect.
    copy.change_access(key(66).author(), "late", vec![Capability::Append], true, at(12))?;
    assert_eq!(take_in(&mut copy, &tampered).added, 3);
    Ok(())
}

#[test]
fn what_an_earlier_version_kept_of_keys_that_hold_nothing_is_counted() {
    let mut home = Home::new();
    home.remember("1", "soup");
    let rights = vec![Capability::Append];
    home.space.change_access(key(66).author(), "phone", rights, true, at(2)).unwrap();
    let lines = foreign_lines(&home.space, 2, at(3));
    take_in(&mut home.space, &lines);
    assert_eq!(home.space.verify(|_| {}).unwrap().not_members, 0);
    // The grant is taken out of the file: only as an example of a file without it.
    tamper(home.space.path(), "UPDATE op SET body = NULL, salt = NULL WHERE kind = 'grant'");
    let mut space = Space::open_unshared(home.space.path(), key(1)).unwrap();
    space.rebuild(|_| {}).unwrap();
    assert_eq!(space.verify(|_| {}).unwrap().not_members, 2);
}

#[test]
fn an_export_passes_on_no_altered_text_and_the_whole_form_heals_it() {
    let home = corrected();
    let lines = exported(&home.space);
    let is_pool = |operation: &Operation<Unverified>| {
        operation.body().is_some_and(|body| String::from_utf8_lossy(body).contains("pool is warm"))
    };
    let pool = operations(&lines).into_iter().find(is_pool).unwrap().id();
    let hex: String = pool.0.iter().map(|byte| format!("{byte:02x}")).collect();
    for (alteration, is_written) in [
        ("body = CAST(replace(CAST(body AS TEXT), 'warm', 'cold') AS BLOB)", true),
        ("ts = ts + 1", false),
    ] {
        let path = home.path(&format!("altered-{is_written}.space"));
        let mut copy = empty_copy(&path, &lines, key(1));
        take_in(&mut copy, &lines);
        tamper(&path, &format!("UPDATE op SET {alteration} WHERE id = x'{hex}'"));
        let (mut whole, mut claims) = (Vec::new(), Vec::new());
        let exported_whole = copy.export(&mut whole, |_| {}).unwrap();
        let only = ExportSelection { claims_only: true, ..ExportSelection::default() };
        let exported_claims = copy.share(&only, &mut claims, |_| {}).unwrap();
        for (export, written) in [(exported_whole, &whole), (exported_claims, &claims)] {
            assert_eq!(export.altered, [pool], "{alteration}");
            let text = String::from_utf8_lossy(written);
            assert!(!text.contains("pool is"), "{text}");
            assert_eq!(text.contains(&format!("\"id\":\"{pool}\"")), is_written, "{text}");
        }
        // Whoever imports it knows that a body is missing, and another copy completes it.
        let mut third =
            empty_copy(&home.path(&format!("third-{is_written}.space")), &lines, key(4));
        let intake = take_in(&mut third, &whole);
        assert_eq!((intake.refused, bodies(&third).missing), (0, u64::from(is_written)));
        let healed = take_in(&mut third, &lines);
        assert_eq!((healed.refused, healed.completed), (0, u64::from(is_written)));
        assert_eq!(exported(&third), lines);
        // So does the copy that was altered, unless more than the body was.
        let healed = take_in(&mut copy, &lines);
        assert_eq!((healed.refused, healed.completed), (0, u64::from(is_written)));
        if is_written {
            assert_eq!(exported(&copy), lines);
            let verification = copy.verify(|_| {}).unwrap();
            assert!(verification.is_sound(), "{:?}", verification.findings);
            assert_eq!(copy.recall(&query("warm pool")).unwrap().altered, []);
        }
    }
}
