//! Verification proves what is believed, by deriving it again.

use std::collections::BTreeSet;

use derivers::{Candidate, ClaimType, Deriver, Record};
use engine::belief::user::Replacement;
use engine::derive::Extent;
use engine::verify::beliefs::BeliefCheck;
use engine::verify::ledger::Verification;
use engine::write::import::Intent;
use engine::write::record::Prepared;
use engine::{EngineError, Space};
use kernel::body::{Body, Claim};
use kernel::kind::Capability;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use serde_json::json;

use crate::support::{Home, at, exported, key, note};
use crate::toys::{HABIT, Habits, Tastes, derive, gym};

fn verify(space: &mut Space) -> Result<Verification, EngineError> {
    let before = exported(space);
    let mut verification = space.verify(|_| {})?;
    space.verify_beliefs(&mut verification, at(9), |_| {})?;
    assert_eq!(exported(space), before, "verifying writes nothing");
    Ok(verification)
}

fn codes(verification: &Verification) -> Vec<&str> {
    verification.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// What is believed of the gym, said again with another confidence and payload in its deriver's
/// name.
fn forged(space: &Space) -> Draft {
    let belief = space.believed(HABIT).unwrap();
    let claim: Claim = serde_json::from_value(json!({
        "claim_type": belief.claim_type, "identity_key": HABIT, "text": "Lives in the gym", "payload": { "name": "home" },
        "deriver": { "name": "habits", "version": "1.0.0" }, "confidence": 0.97, "confidence_basis": { "prior": 0.97 },
    }))
    .unwrap();
    let derived = belief.current.unwrap();
    let mut refs = space.show(&derived).unwrap().operation.header().refs.clone();
    refs.push(Ref { id: derived, role: Role::parse(Role::SUPERSEDES).unwrap() });
    Draft { body: Body::Claim(claim), refs }
}

#[test]
fn derived_beliefs_follow_from_the_records() {
    let mut home = gym();
    let verification = verify(&mut home.space).unwrap();
    assert!(verification.is_sound() && verification.findings.is_empty(), "{verification:?}");
    assert_eq!(verification.beliefs, Some(BeliefCheck::Compared { beliefs: 2, differing: 0 }));
}

#[test]
fn a_space_without_records_has_nothing_to_derive() {
    let verification = verify(&mut Home::new().space).unwrap();
    assert_eq!(verification.beliefs, Some(BeliefCheck::Compared { beliefs: 0, differing: 0 }));
}

#[test]
fn a_forged_claim_is_reported_with_the_belief_that_follows_instead() {
    let mut home = gym();
    let forged = home.space.append(forged(&home.space), at(3)).unwrap();
    let verification = verify(&mut home.space).unwrap();
    assert!(!verification.is_sound());
    let findings: Vec<_> =
        verification.findings.iter().map(|finding| (finding.code.as_str(), finding.id)).collect();
    assert_eq!(
        findings,
        [("belief_differs", Some(forged)), ("belief_missing", None)],
        "{verification:?}"
    );
    let message = &verification.findings[0].message;
    for part in [HABIT, "Lives in the gym", "0.97", "Goes to the gym every week"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert_eq!(verification.beliefs, Some(BeliefCheck::Compared { beliefs: 1, differing: 2 }));
    derive(&mut home.space);
    assert!(verify(&mut home.space).unwrap().is_sound(), "derivation has put it right");
}

#[test]
fn a_claim_that_no_group_concludes_is_reported() {
    let mut home = gym();
    let mut draft = forged(&home.space);
    draft.refs.retain(|cited| cited.role.as_str() != Role::SUPERSEDES);
    if let Body::Claim(claim) = &mut draft.body {
        claim.identity_key = "org.example.habit.weekly|pool".to_owned();
    }
    let forged = home.space.append(draft, at(3)).unwrap();
    let verification = verify(&mut home.space).unwrap();
    assert_eq!(codes(&verification), ["belief_differs"], "{verification:?}");
    assert_eq!(verification.findings[0].id, Some(forged));
    assert!(verification.findings[0].message.contains("follows nothing of it"));
}

#[test]
fn records_that_are_not_derived_yet_are_not_a_finding() {
    let mut home = gym();
    home.remember("pool-1", "pool number 1");
    home.remember("pool-2", "pool number 2");
    home.space.append(forged(&home.space), at(3)).unwrap();
    let verification = verify(&mut home.space).unwrap();
    assert!(verification.is_sound() && verification.findings.is_empty(), "{verification:?}");
    assert_eq!(verification.beliefs, Some(BeliefCheck::NotDerived { records: 2 }));
    let mut home = Home::new();
    home.space.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    home.remember("gym-1", "gym number 1");
    let verification = verify(&mut home.space).unwrap();
    assert_eq!(verification.beliefs, Some(BeliefCheck::NotDerived { records: 1 }), "never derived");
}

#[test]
fn claims_of_other_derivers_are_not_compared() {
    let mut home = gym();
    home.space.set_derivers(vec![Box::new(Habits)]);
    let verification = verify(&mut home.space).unwrap();
    assert_eq!(verification.beliefs, Some(BeliefCheck::NotDerived { records: 0 }));
}

/// Has the same groups as [`Habits`], and cannot say what follows from them.
struct Broken;

impl Deriver for Broken {
    fn name(&self) -> &'static str {
        Habits.name()
    }

    fn version(&self) -> &'static str {
        Habits.version()
    }

    fn claim_types(&self) -> &[ClaimType] {
        Habits.claim_types()
    }

    fn groups(&self, record: &Record) -> BTreeSet<String> {
        Habits.groups(record)
    }

    fn derive(&self, _: &str, _: &[Record]) -> Vec<Candidate> {
        panic!("broken")
    }
}

#[test]
fn an_error_of_a_deriver_is_reported() {
    let mut home = gym();
    home.space.set_derivers(vec![Box::new(Broken), Box::new(Tastes)]);
    let verification = verify(&mut home.space).unwrap();
    assert!(!verification.is_sound());
    let problem =
        verification.findings.iter().find(|finding| finding.code == "deriver_problem").unwrap();
    assert!(
        problem.message.contains("habits") && problem.message.contains("broken"),
        "{}",
        problem.message
    );
}

#[test]
fn for_a_key_that_may_not_derive_the_comparison_is_skipped() {
    let mut home = gym();
    home.space
        .change_access(key(2).author(), "agent", vec![Capability::Append], true, at(3))
        .unwrap();
    let verification = verify(&mut home.again(2)).unwrap();
    assert!(verification.is_sound());
    let Some(BeliefCheck::Skipped { reason }) = &verification.beliefs else {
        panic!("{verification:?}")
    };
    assert!(reason.contains("may not derive"), "{reason}");
}

#[test]
fn other_processes_can_write_while_beliefs_are_verified() {
    const NOTES: usize = 3_000;
    let mut home = Home::new();
    home.space.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    for batch in 0..3 {
        let notes = (0..NOTES / 3).map(|number| {
            let (number, place) = (batch * NOTES / 3 + number, number % 250);
            Prepared::new(note(&number.to_string(), &format!("place{place} again")).into()).unwrap()
        });
        home.space.record(notes.collect(), at(1)).unwrap();
    }
    derive(&mut home.space);
    let mut verification = home.space.verify(|_| {}).unwrap();
    let mut other = home.again(1);
    let mut appended = 0;
    home.space
        .verify_beliefs(&mut verification, at(9), |_| {
            if appended < 5 {
                appended += 1;
                // Where the write lock is held, this waits for a minute and fails.
                other.remember(note(&format!("other-{appended}"), "pool"), at(10)).unwrap();
            }
        })
        .unwrap();
    assert_eq!(appended, 5);
    let compared = BeliefCheck::Compared { beliefs: 500, differing: 0 };
    assert_eq!(verification.beliefs, Some(compared), "{:?}", verification.findings);
    let latest = home.space.verify(|_| {}).unwrap();
    assert!(latest.is_sound(), "{latest:?}");
}

#[test]
fn claims_that_this_key_has_yet_to_retract_are_not_compared() {
    let mut home = gym();
    let rights = vec![Capability::Append, Capability::Derive];
    home.space.change_access(key(2).author(), "agent", rights, true, at(3)).unwrap();
    derive(&mut home.space);
    let mut unsupported = forged(&home.space);
    unsupported.refs.retain(|cited| cited.role.as_str() != Role::SUPERSEDES);
    if let Body::Claim(claim) = &mut unsupported.body {
        claim.identity_key = "org.example.habit.weekly|pool".to_owned();
    }
    home.space.append(unsupported, at(4)).unwrap();
    let mut agent = home.again(2);
    agent.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    let (derived, _) = agent.derive(Extent::Changed, Intent::Write, at(5), |_| {}).unwrap();
    assert_eq!((derived.left_to_others, derived.retracted), (1, 0), "{derived:?}");
    let check = verify(&mut home.space).unwrap().beliefs;
    assert_eq!(check, Some(BeliefCheck::NotDerived { records: 0 }));
    derive(&mut home.space);
    assert!(home.space.believed("org.example.habit.weekly|pool").unwrap().served.is_none());
    let check = verify(&mut home.space).unwrap().beliefs;
    assert_eq!(check, Some(BeliefCheck::Compared { beliefs: 2, differing: 0 }));
}

#[test]
fn corrections_and_refutations_are_compatible_with_derived_beliefs() {
    let mut home = gym();
    let refuted = home.space.to_refute(HABIT, "").unwrap();
    home.space.act(refuted, Intent::Write, at(3)).unwrap();
    assert_eq!(
        verify(&mut home.space).unwrap().beliefs,
        Some(BeliefCheck::Compared { beliefs: 0, differing: 0 })
    );
    let withdrawn = home.space.to_withdraw(HABIT, "").unwrap();
    home.space.act(withdrawn, Intent::Write, at(4)).unwrap();
    let set = Replacement { set: vec!["name=pool".to_owned()], ..Replacement::default() };
    let corrected = home.space.to_correct(HABIT, &set).unwrap();
    home.space.act(corrected, Intent::Write, at(5)).unwrap();
    assert_eq!(
        verify(&mut home.space).unwrap().beliefs,
        Some(BeliefCheck::Compared { beliefs: 2, differing: 0 })
    );
}
