//! Redacted sharing: what a recipient gets, what it can do with it, and what the whole makes of it.

use std::collections::BTreeSet;

use engine::Space;
use engine::belief::user::Replacement;
use engine::derive::Extent;
use engine::verify::beliefs::BeliefCheck;
use engine::verify::bodies::MissingBodies;
use engine::write::import::Intent;
use engine::write::share::{ExportSelection, Exported, Selector};
use kernel::evidence::{Evidence, Visibility};
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::missing_body::Leave;
use kernel::operation::Operation;

use crate::bodies::{believed, empty_copy, strip, take_in};
use crate::support::{Home, at, exported, id_of, key, note};
use crate::toys::{HABIT, Habits, TASTE, Tastes, derive, gym};

const RECIPIENT: u8 = 9;

fn shared(space: &Space, selection: &ExportSelection) -> (Vec<u8>, Exported) {
    let mut lines = Vec::new();
    let shared = space.share(selection, &mut lines, |_| {}).unwrap();
    (lines, shared)
}

fn claims_only() -> ExportSelection {
    ExportSelection { claims_only: true, ..ExportSelection::default() }
}

fn without(selectors: &[&str]) -> ExportSelection {
    let without = selectors.iter().map(|selector| selector.parse().unwrap()).collect();
    ExportSelection { without, ..ExportSelection::default() }
}

fn for_recipient() -> ExportSelection {
    ExportSelection { recipient: Some(key(RECIPIENT).author()), ..ExportSelection::default() }
}

/// A copy for a recipient that may do everything but administer, of the lines it gets.
fn copy(home: &Home, name: &str, lines: &[u8]) -> Space {
    let mut copy = empty_copy(&home.path(name), lines, key(RECIPIENT));
    copy.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    let intake = take_in(&mut copy, lines);
    assert_eq!(intake.refused, 0, "{:?}", intake.refusals);
    copy
}

/// The gym, a private note that is liked, and what the owner said about each.
fn home() -> Home {
    let mut home = gym();
    let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
    home.space.change_access(key(RECIPIENT).author(), "friend", rights, true, at(3)).unwrap();
    for number in 0..3 {
        let uid = format!("doctor-{number}");
        let private = Evidence { visibility: Visibility::Private, ..note(&uid, "doctor visit") };
        home.space.remember(private, at(3)).unwrap();
    }
    let other = Evidence { source: "diary".to_owned(), ..note("d", "diary of a secret") };
    home.space.remember(other, at(3)).unwrap();
    derive(&mut home.space);
    for (name, set) in [
        (HABIT, "{\"name\":\"pool\"}"),
        ("org.example.habit.weekly|doctor", "{\"name\":\"dentist\"}"),
    ] {
        let by = Replacement { set: vec![set.to_owned()], ..Replacement::default() };
        let drafts = home.space.to_correct(name, &by).unwrap();
        home.space.act(drafts, Intent::Write, at(5)).unwrap();
    }
    derive(&mut home.space);
    home
}

fn keys(space: &Space) -> BTreeSet<String> {
    believed(space).into_keys().collect()
}

fn text(lines: &[u8]) -> String {
    String::from_utf8(lines.to_vec()).unwrap()
}

fn whole_operations(lines: &[u8]) -> BTreeSet<OpId> {
    let lines = lines.split(|byte| *byte == b'\n');
    let operations = lines.filter_map(|line| Operation::from_line(line).ok());
    operations.filter(|operation| operation.body().is_some()).map(|one| one.id()).collect()
}

#[test]
fn beliefs_without_records_are_recalled_explained_verified_and_derived_from() {
    let home = home();
    let whole = exported(&home.space);
    let (lines, report) = shared(&home.space, &claims_only());
    assert_eq!(report.withheld.into_iter().collect::<Vec<_>>(), [("evidence".to_owned(), 10)]);
    assert!(!text(&lines).contains("gym number") && text(&lines).contains("\"declaration\":"));
    let mut copy = copy(&home, "copy.space", &lines);
    assert_eq!(believed(&copy), believed(&home.space));
    let facts = copy.recall_facts(&engine::recall::facts::FactQuery::new("pool", at(20))).unwrap();
    assert!(!facts.facts.is_empty());
    let explained = copy.explain(TASTE).unwrap().explanation;
    let owner = key(1).author();
    let records: Vec<_> =
        explained.built_from.iter().filter(|source| source.kind == "evidence").collect();
    assert!(records.iter().all(|source| source.redacted && source.summary.is_none()));
    assert!(records.iter().all(|source| source.leave == Some(Leave::Withheld(owner))));
    let mut verification = copy.verify(|_| {}).unwrap();
    assert!(verification.is_sound() && verification.findings.is_empty(), "{verification:?}");
    let withheld = MissingBodies { withheld: 10, ..MissingBodies::default() };
    assert_eq!((verification.bodies, copy.status().unwrap().bodies), (withheld, withheld));
    for extent in [Extent::Changed, Extent::Full] {
        let (derived, _) = copy.derive(extent, Intent::Write, at(20), |_| {}).unwrap();
        assert!(derived.changed_nothing(), "{derived:?}");
    }
    assert_eq!(believed(&copy), believed(&home.space));
    copy.verify_beliefs(&mut verification, at(21), |_| {}).unwrap();
    let compared = matches!(verification.beliefs, Some(BeliefCheck::Compared { differing: 0, .. }));
    assert!(compared, "{:?}", verification.beliefs);
    // The whole form completes it, and the redacted one changes nothing of the whole.
    let mut home = home;
    let before = crate::support::exported(&home.space);
    let back = take_in(&mut home.space, &exported(&copy));
    assert_eq!((back.added, back.completed, back.refused), (0, 0, 0));
    assert_eq!(exported(&home.space), before);
    let intake = take_in(&mut copy, &whole);
    assert_eq!((intake.added, intake.completed, intake.refused), (0, 10, 0));
    assert_eq!(exported(&copy), whole, "no declaration is left");
    assert_eq!(copy.status().unwrap().bodies, MissingBodies::default());
    let (derived, _) = copy.derive(Extent::Full, Intent::DryRun, at(22), |_| {}).unwrap();
    assert!(derived.changed_nothing(), "{derived:?}");
}

#[test]
fn what_is_private_never_leaves_in_an_export_for_somebody_else() {
    let home = home();
    let (lines, report) = shared(&home.space, &for_recipient());
    for secret in ["doctor", "dentist"] {
        assert!(text(&exported(&home.space)).contains(secret) && !text(&lines).contains(secret));
    }
    assert_eq!(report.withheld.get("evidence"), Some(&3));
    assert_eq!(report.withheld.get("claim_correction"), Some(&1), "{report:?}");
    let copy = copy(&home, "copy.space", &lines);
    let mut expected = keys(&home.space);
    expected.retain(|key| !key.contains("doctor"));
    assert_eq!(keys(&copy), expected);
    assert!(copy.verify(|_| {}).unwrap().findings.is_empty());
    assert_eq!(copy.status().unwrap().bodies.missing, 0);
}

#[test]
fn selectors_withhold_sources_kinds_and_types_of_beliefs_with_what_was_built_on_them() {
    let home = home();
    let all = whole_operations(&exported(&home.space));
    let withheld = |selectors: &[&str]| {
        let (lines, report) = shared(&home.space, &without(selectors));
        let left = whole_operations(&lines);
        assert!(left.is_subset(&all));
        let sum: u64 = report.withheld.values().sum();
        assert_eq!(sum as usize, all.len() - left.len());
        let copy = copy(&home, &selectors.concat().replace('=', "-"), &lines);
        assert!(copy.verify(|_| {}).unwrap().is_sound());
        (text(&lines), report.withheld, keys(&copy))
    };
    let (lines, report, believed) = withheld(&["source=diary"]);
    assert!(!lines.contains("diary of a secret") && lines.contains("gym number"));
    assert_eq!((report.len(), report["evidence"]), (1, 1));
    assert_eq!(believed, keys(&home.space));
    let (_, report, believed) = withheld(&["kind=note"]);
    assert_eq!((report["evidence"], believed), (10, keys(&home.space)));
    // A taste was built on a habit; nothing is left of either.
    let (lines, report, believed) = withheld(&["type=org.example.habit"]);
    assert!(believed.is_empty() && report.contains_key("claim_correction"), "{believed:?}");
    assert!(!lines.contains("taste.sport") && lines.contains("gym number"));
    let (lines, _, believed) = withheld(&["type=org.example.taste.sport"]);
    assert!(
        believed.contains(HABIT) && !believed.contains(TASTE) && !lines.contains("taste.sport")
    );
    let (_, report, _) = withheld(&["type=org.example.hab", "source=nowhere"]);
    assert!(report.is_empty(), "a type is not a prefix: {report:?}");
}

#[test]
fn a_selector_says_what_it_selects() {
    assert_eq!("source=a=b".parse(), Ok(Selector::Source("a=b".to_owned())));
    for text in ["", "source", "source=", "secret=1", "=x"] {
        assert!(text.parse::<Selector>().is_err(), "{text}");
    }
    let home = Home::new();
    for kind in ["grant", "claim_correction"] {
        let selection = without(&[&format!("kind={kind}")]);
        let refused = home.space.share(&selection, &mut Vec::new(), |_| {}).unwrap_err();
        assert_eq!(refused.code(), "always_whole");
    }
}

#[test]
fn only_a_key_that_may_correct_withholds_what_the_user_said() {
    let mut home = home();
    let rights = |rights: &[Capability]| rights.to_vec();
    let mut refusals = Vec::new();
    for number in [20, 21] {
        if number == 20 {
            let append = rights(&[Capability::Append]);
            home.space.change_access(key(20).author(), "phone", append, true, at(6)).unwrap();
        }
        let other = home.again(number);
        refusals
            .push(other.share(&for_recipient(), &mut Vec::new(), |_| {}).unwrap_err().to_string());
        let only = other.share(&claims_only(), &mut Vec::new(), |_| {});
        assert_eq!(only.is_ok(), number == 20);
    }
    assert!(refusals[0].contains("only a key that may correct"), "{refusals:?}");
    assert!(refusals[1].contains("holds no capability"), "{refusals:?}");
}

#[test]
fn the_declaration_of_a_relay_excuses_nothing() {
    let home = home();
    let (lines, _) = shared(&home.space, &claims_only());
    let operations = |line: &&[u8]| !line.starts_with(b"{\"declaration\"");
    // The relay takes the owner's declarations out, and puts its own in.
    let bare: Vec<&[u8]> =
        lines.split_inclusive(|byte| *byte == b'\n').filter(operations).collect();
    let relay = key(66);
    let ids: Vec<OpId> = {
        let all = bare.iter().filter_map(|line| Operation::from_line(line.trim_ascii_end()).ok());
        all.map(|operation| operation.id()).collect()
    };
    let space = home.space.id().unwrap();
    let statement = kernel::declaration::Statement::new(space, relay.author(), None, ids);
    let declaration = relay.declare(statement).unwrap().to_line();
    let mut forged = bare[0].to_vec();
    forged.extend_from_slice(declaration.as_bytes());
    forged.push(b'\n');
    forged.extend_from_slice(&bare[1..].concat());
    let mut copy = empty_copy(&home.path("copy.space"), &forged, key(RECIPIENT));
    let intake = take_in(&mut copy, &forged);
    assert_eq!((intake.refused, intake.refusals[0].line), (1, 2), "{intake:?}");
    assert_eq!(intake.refusals[0].code, "not_permitted");
    assert_eq!(copy.status().unwrap().bodies.missing, 10);
    assert!(!text(&exported(&copy)).contains("\"declaration\":"), "it is not passed on");
    // Whatever it declares, a person's word is not withheld by it, nor a change of access by
    // anybody.
    let stripped = strip(forged_operations(&forged).as_slice(), |operation| {
        ["claim_correction", "grant"].contains(&operation.header().kind.as_str())
    });
    let mut again = stripped.splitn(2, |byte| *byte == b'\n');
    let (first, rest) = (again.next().unwrap(), again.next().unwrap());
    let forged = [first, b"\n", declaration.as_bytes(), b"\n", rest].concat();
    let mut copy = empty_copy(&home.path("other.space"), &forged, key(RECIPIENT));
    let intake = take_in(&mut copy, &forged);
    assert_eq!(intake.refusals[0].code, "body_missing", "{intake:?}");
    // With the owner's own declarations nothing is missing.
    take_in(&mut copy, &lines);
    assert_eq!(copy.status().unwrap().bodies.missing, 0);
    assert_eq!(exported(&copy), exported(&self::copy(&home, "third.space", &lines)));
}

fn forged_operations(lines: &[u8]) -> Vec<u8> {
    let lines = lines.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(b"{\"declaration\"")).collect::<Vec<_>>().concat()
}

#[test]
fn the_owners_declaration_excuses_no_change_of_access_and_no_word_about_something_present() {
    let home = home();
    let whole = exported(&home.space);
    let owner = key(1);
    let all = whole.split(|byte| *byte == b'\n').filter_map(|line| Operation::from_line(line).ok());
    let ids: Vec<OpId> = all.map(|operation| operation.id()).collect();
    let statement =
        kernel::declaration::Statement::new(home.space.id().unwrap(), owner.author(), None, ids);
    let declaration = owner.declare(statement).unwrap().to_line();
    for kind in ["grant", "claim_correction"] {
        let stripped = strip(&whole, |operation| operation.header().kind.as_str() == kind);
        let mut parts = stripped.splitn(2, |byte| *byte == b'\n');
        let (first, rest) = (parts.next().unwrap(), parts.next().unwrap());
        let lines = [first, b"\n", declaration.as_bytes(), b"\n", rest].concat();
        let mut copy = empty_copy(&home.path(kind), &lines, key(RECIPIENT));
        let intake = take_in(&mut copy, &lines);
        assert_eq!(intake.refusals[0].code, "body_missing", "{kind}");
    }
}

#[test]
fn a_recipient_passes_the_declarations_on_and_adds_its_own() {
    let home = home();
    let (lines, _) = shared(&home.space, &for_recipient());
    let second = copy(&home, "second.space", &lines);
    let (again, report) = shared(&second, &claims_only());
    assert!(report.missing > 0 && report.withheld["evidence"] == 7, "{report:?}");
    let third = copy(&home, "third.space", &again);
    let bodies = third.status().unwrap().bodies;
    assert_eq!((bodies.missing, bodies.forgotten), (0, 0), "{bodies:?}");
    assert!(third.verify(|_| {}).unwrap().findings.is_empty());
}

#[test]
fn a_revoked_keys_declarations_no_longer_count() {
    let mut home = home();
    let lines = {
        let friend = home.again(RECIPIENT);
        shared(&friend, &claims_only()).0
    };
    let mut other = copy(&home, "copy.space", &lines);
    assert_eq!(other.status().unwrap().bodies.missing, 0);
    let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
    home.space.change_access(key(RECIPIENT).author(), "friend", rights, false, at(30)).unwrap();
    let (lines, _) = shared(&home.space, &claims_only());
    take_in(&mut other, &lines);
    assert_eq!(other.status().unwrap().bodies.missing, 0, "the owner declares the same");
    let whole = exported(&home.space);
    take_in(&mut other, &whole);
    assert_eq!(other.status().unwrap().bodies, MissingBodies::default());
}

#[test]
fn a_partial_copy_neither_retracts_nor_replaces_what_it_cannot_judge() {
    let home = home();
    // Three of the six notes are withheld: from the others alone the habit would be less sure.
    let whole = exported(&home.space);
    let mut seen = 0;
    let partial = strip(&whole, |operation| {
        let is_gym = operation.body().is_some_and(|body| {
            String::from_utf8_lossy(body).contains("gym number")
                && operation.header().kind.as_str() == "evidence"
        });
        seen += u64::from(is_gym);
        is_gym && seen % 2 == 0
    });
    let mut copy = copy(&home, "copy.space", &partial);
    let before = believed(&copy);
    for extent in [Extent::Changed, Extent::Full] {
        let (derived, _) = copy.derive(extent, Intent::Write, at(20), |_| {}).unwrap();
        assert!(derived.changed_nothing(), "{derived:?}");
    }
    assert_eq!(believed(&copy), before);
    let record = id_of(copy.remember(note("new", "gym number 9"), at(30)).unwrap());
    let (derived, _) = copy.derive(Extent::Changed, Intent::Write, at(31), |_| {}).unwrap();
    assert_eq!((derived.updated, derived.retracted), (0, 0), "{record} {derived:?}");
}
