//! Forgetting: what goes, what stays, and that nothing of it is left in any file.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use engine::Space;
use engine::belief::Belief;
use engine::belief::user::Replacement;
use engine::recall::facts::FactQuery;
use engine::recall::receipts::{Recalled, Recipient};
use engine::write::exchange::read_genesis;
use engine::write::forget::{ForgetPlan, Forgotten};
use engine::write::import::Intent;
use engine::write::record::{ForgottenPolicy, Outcome, Prepared};
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::validity::State;

use crate::support::{Home, at, exported, id_of, key, note, query, recalled};
use crate::toys::{HABIT, Habits, TASTE, Tastes, derive, gym};

/// The shortest run of bytes that nobody writes by chance.
const RUN_BYTES: usize = 8;
const REASON: &str = "it was private";

/// Runs of `words`, as written and in lower case, that are in any file of a space, except those
/// that also occur in `kept`.
pub(crate) fn traces(path: &Path, words: &[&str], kept: &[&str]) -> Vec<String> {
    let forms = |text: &str| [text.to_owned(), text.to_lowercase()];
    let runs_of = |texts: &[&str]| -> HashSet<Vec<u8>> {
        let forms = texts.iter().flat_map(|text| forms(text));
        forms
            .flat_map(|text| {
                text.as_bytes().windows(RUN_BYTES).map(<[u8]>::to_vec).collect::<Vec<_>>()
            })
            .collect()
    };
    let kept = runs_of(kept);
    let wanted: HashSet<Vec<u8>> =
        runs_of(words).into_iter().filter(|run| !kept.contains(run)).collect();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut found = Vec::new();
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap().path();
        if !file.file_name().unwrap().to_string_lossy().starts_with(&name) {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        for run in bytes.windows(RUN_BYTES).filter(|run| wanted.contains(*run)) {
            found.push(format!("{}: {}", file.display(), String::from_utf8_lossy(run)));
        }
    }
    found
}

fn statement(belief: &Belief) -> String {
    format!("{:?}", belief.says())
}

/// What is believed, by key.
fn served(space: &Space) -> BTreeMap<String, String> {
    let served = space.beliefs().unwrap().into_iter().filter(|belief| belief.served.is_some());
    served.map(|belief| (belief.key.clone(), statement(&belief))).collect()
}

pub(crate) fn forget(space: &mut Space, ids: &[OpId]) -> (ForgetPlan, Forgotten) {
    let mut expected = served(space);
    let plan = space.plan_to_forget(ids, at(20)).unwrap();
    let forgotten = space.forget(&plan, REASON, at(20)).unwrap();
    for (key, change) in &plan.changes.beliefs {
        expected.remove(key);
        if change.after.served.is_some() {
            expected.insert(key.clone(), statement(&change.after));
        }
    }
    assert_eq!(served(space), expected, "the plan is what happens");
    (plan, forgotten)
}

pub(crate) fn is_sound(space: &Space) -> bool {
    let verification = space.verify(|_| {}).unwrap();
    assert!(verification.findings.is_empty(), "{:?}", verification.findings);
    verification.is_sound()
}

fn falls(plan: &ForgetPlan) -> Vec<&str> {
    plan.invalidated().map(|belief| belief.key.as_str()).collect()
}

fn anew(plan: &ForgetPlan) -> Vec<&str> {
    plan.derived_anew().map(|(belief, _)| belief.key.as_str()).collect()
}

pub(crate) fn gym_notes(home: &mut Home) -> Vec<OpId> {
    (0..6)
        .map(|number| {
            id_of(home.remember(&format!("gym-{number}"), &format!("gym number {number}")))
        })
        .collect()
}

#[test]
fn beliefs_that_also_stand_on_other_records_are_derived_anew_without_what_is_forgotten() {
    let mut home = gym();
    let notes = gym_notes(&mut home);
    let before = home.space.believed(HABIT).unwrap();
    let (plan, forgotten) = forget(&mut home.space, &notes[..2]);
    assert!(forgotten.is_erased);
    assert_eq!((plan.targets.len(), forgotten.redactions.len()), (2, 2));
    assert_eq!((falls(&plan), anew(&plan)), (vec![], vec![HABIT, TASTE]));
    let after = home.space.believed(HABIT).unwrap();
    assert_eq!(after.state, State::Active);
    assert!(after.confidence < before.confidence);
    assert_eq!(plan.derived_anew().next().unwrap().1.says(), after.says());
    let shown = home.space.show(&before.served.unwrap()).unwrap();
    assert_eq!(shown.operation.body(), None);
    let why = shown.forgotten.unwrap();
    assert_eq!(why.reason, REASON);
    assert!(forgotten.redactions.contains(&why.redaction));
    assert_eq!(shown.fault, None);
    assert!(is_sound(&home.space));
    // Deriving everything again changes nothing.
    let full = engine::derive::Extent::Full;
    let (derived, _) = home.space.derive(full, Intent::DryRun, at(21), |_| {}).unwrap();
    assert!(derived.changed_nothing(), "{derived:?}");
}

#[test]
fn beliefs_that_stood_on_it_alone_fall_with_what_the_user_said_of_them() {
    let mut home = gym();
    let notes = gym_notes(&mut home);
    let space = &mut home.space;
    let by = Replacement { set: vec!["name=Swimming pool".to_owned()], ..Replacement::default() };
    let drafts = space.to_correct(HABIT, &by).unwrap();
    space.act(drafts, Intent::Write, at(10)).unwrap();
    let drafts = space.to_refute(TASTE, "certainly not").unwrap();
    space.act(drafts, Intent::Write, at(11)).unwrap();
    // While other records support it, the user's word stays.
    let plan = space.plan_to_forget(&notes[..2], at(12)).unwrap();
    let words = |statements: &[engine::write::forget::UserStatement]| {
        statements.iter().map(|word| word.key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(words(&plan.words_kept), [HABIT, TASTE]);
    assert_eq!(words(&plan.words_forgotten), [""; 0]);
    let (plan, _) = forget(space, &notes);
    assert_eq!(words(&plan.words_kept), [""; 0]);
    assert_eq!(words(&plan.words_forgotten), [HABIT, TASTE]);
    assert_eq!(falls(&plan), [HABIT]);
    assert!(space.believed(HABIT).is_err());
    let path = space.path().to_owned();
    assert_eq!(traces(&path, &["Swimming pool", "certainly not"], &[]), Vec::<String>::new());
    assert!(is_sound(space));
}

#[test]
fn a_plan_writes_nothing_and_is_what_happens() {
    let mut home = gym();
    let notes = gym_notes(&mut home);
    let before = exported(&home.space);
    let plan = home.space.plan_to_forget(&notes, at(12)).unwrap();
    assert_eq!(exported(&home.space), before);
    assert_eq!(falls(&plan), [HABIT, TASTE]);
    let claims = home.space.status().unwrap().operations["claim"];
    let erased = |kind: &str| plan.erased[kind].len() as u64;
    assert_eq!((erased("claim"), erased("evidence"), plan.erased.len()), (claims, 6, 2));
    home.space.forget(&plan, "", at(13)).unwrap();
    assert!(home.space.beliefs().unwrap().is_empty());
}

#[test]
fn every_version_of_a_record_goes() {
    let mut home = Home::new();
    let first = id_of(home.remember("a", "first draft of soup"));
    let second = id_of(home.remember("a", "second draft of soup"));
    home.remember("b", "stew");
    let (plan, _) = forget(&mut home.space, &[first]);
    assert_eq!((plan.targets, plan.versions.len()), ([first, second].into(), 1));
    assert_eq!(recalled(&home.space, "soup"), ["stew"]);
    assert_eq!(traces(home.space.path(), &["first draft of soup"], &[]), Vec::<String>::new());
}

#[test]
fn what_is_imported_again_stays_forgotten_unless_asked() {
    let mut home = Home::new();
    let secret = id_of(home.remember("a", "secret soup"));
    forget(&mut home.space, &[secret]);
    assert_eq!(home.remember("a", "secret soup"), Outcome::Forgotten(secret));
    let again = Prepared::new(note("a", "secret soup").into()).unwrap();
    let mut writer = home.space.writer().with_policy(ForgottenPolicy::RecordAgain);
    let outcomes = writer.record(vec![again], at(30)).unwrap();
    writer.finish().unwrap();
    assert!(matches!(outcomes[..], [Outcome::Added(_)]));
    assert_eq!(recalled(&home.space, "soup"), ["secret soup"]);
    assert!(matches!(home.remember("a", "secret soup"), Outcome::Present(_)));
    assert!(is_sound(&home.space));
}

#[test]
fn only_who_may_correct_can_make_memory_forget_and_not_who_may_do_what() {
    let mut home = gym();
    let notes = gym_notes(&mut home);
    let rights = vec![Capability::Append, Capability::Derive];
    home.space.change_access(key(2).author(), "agent", rights, true, at(3)).unwrap();
    let code = |result: Result<ForgetPlan, engine::EngineError>| result.unwrap_err().code();
    assert_eq!(code(home.again(2).plan_to_forget(&notes, at(4))), "not_permitted");
    let genesis = home.space.id().unwrap().0;
    assert_eq!(code(home.space.plan_to_forget(&[genesis], at(4))), "cannot_forget");
    let claim = home.space.believed(HABIT).unwrap().served.unwrap();
    assert_eq!(code(home.space.plan_to_forget(&[claim], at(4))), "cannot_forget");
}

/// Distinctive words, and what is not forgotten.
const SECRETS: [&str; 3] = [
    "kayaking Zephyrine Quokkasson paddles beneath Xylophone Boulevard every moonlit Thursday of winter",
    "kayaking Zephyrine Quokkasson capsized beside the Jabberwock lighthouse and swam home laughing loudly",
    "kayaking Zephyrine Quokkasson bought a vermilion helmet from Obadiah Wintergreen for ninety crowns",
];
/// What else a record consists of.
const PARTS: [&str; 6] = [
    "Xylophone Boulevard",
    "Jabberwock lighthouse",
    "Persimmon regalia",
    "Tamarind ledger page",
    "Cloudberry chronicle of vermilion winters",
    "Bergamot observatory terrace",
];
const KEPT: [&str; 2] = ["gym number one with dumbbells", "gym number two with rowing"];

/// A record with the words in every field that is text.
fn secret(number: usize, text: &str) -> Evidence {
    let mut secret = note(&format!("{}/{number}", PARTS[3]), text);
    secret.actor = Some("Zephyrine Quokkasson".to_owned());
    secret.summary = PARTS[4].to_owned();
    secret.payload.session = Some(PARTS[0].to_owned());
    secret.payload.title = Some(PARTS[1].to_owned());
    secret.payload.tags = vec![PARTS[2].to_owned()];
    secret.payload.captions = vec![PARTS[5].to_owned()];
    secret
}

/// Uses everything that stores text. Returns the records to forget.
fn used_everywhere(home: &mut Home) -> Vec<OpId> {
    home.space.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    for (number, text) in KEPT.iter().enumerate() {
        home.remember(&format!("kept-{number}"), text);
    }
    let mut ids = Vec::new();
    for (number, text) in SECRETS.iter().enumerate() {
        ids.push(id_of(home.space.remember(secret(number, text), at(1)).unwrap()));
    }
    let space = &mut home.space;
    derive(space);
    let by =
        Replacement { set: vec!["name=Quokkasson regatta".to_owned()], ..Replacement::default() };
    let drafts = space.to_correct("org.example.habit.weekly|kayaking", &by).unwrap();
    space.act(drafts, Intent::Write, at(4)).unwrap();
    derive(space);
    let question = "Which Persimmon regalia on Xylophone Boulevard did Zephyrine Quokkasson wear?";
    let recall = space.recall(&query(question)).unwrap();
    let facts = space.recall_facts(&FactQuery::new("Quokkasson regatta", at(5))).unwrap();
    assert!(!recall.results.is_empty() && !facts.facts.is_empty());
    let recipient = Recipient { agent: "agent", session: Some("s") };
    let recalled = Recalled { query: question, facts: &facts.facts, records: &recall.results };
    space.receipt_of_recall(&recipient, &recalled, at(5)).unwrap().unwrap();
    let mut echo = note("echo", SECRETS[0]);
    echo.payload.role = Some("assistant".to_owned());
    let echo = id_of(space.remember(echo, at(6)).unwrap());
    let body = space.show(&echo).unwrap().operation.body_value().unwrap();
    assert!(body["payload"]["echo"].is_object(), "{body}");
    ids
}

#[test]
fn no_run_of_eight_bytes_of_what_is_forgotten_is_left_in_any_file_of_any_device() {
    let mut home = Home::new();
    let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
    home.space.change_access(key(2).author(), "phone", rights, true, at(0)).unwrap();
    let ids = used_everywhere(&mut home);
    let (genesis, body) = read_genesis(&mut &exported(&home.space)[..]).unwrap();
    let path = home.path("phone-copy");
    let mut phone = Space::copy_of(&path, &genesis, &body, key(2)).unwrap();
    phone.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
    phone.take_in(&mut &exported(&home.space)[..], at(7), |_| {}).unwrap();
    // The other device concludes something of its own from them.
    let mut more = note("more", "kayaking alone in the rain");
    more.payload.tags = vec!["rain".to_owned()];
    phone.remember(more, at(8)).unwrap();
    derive(&mut phone);
    let parts = PARTS.iter().copied().chain(["Quokkasson regatta"]);
    let words: Vec<&str> = SECRETS.iter().copied().chain(parts).collect();
    let kept: Vec<&str> = KEPT.iter().copied().chain(["kayaking alone in the rain"]).collect();
    for space in [&home.space, &phone] {
        assert!(!traces(space.path(), &words, &kept).is_empty());
    }

    let (plan, forgotten) = forget(&mut home.space, &ids);
    assert!(forgotten.is_erased);
    assert_eq!((plan.records.len(), plan.echoes.len()), (3, 1));
    assert_eq!(traces(home.space.path(), &words, &kept), Vec::<String>::new());
    assert!(is_sound(&home.space));
    home.space.rebuild(|_| {}).unwrap();
    assert_eq!(traces(home.space.path(), &words, &kept), Vec::<String>::new());
    assert_eq!(recalled(&home.space, "gym").len(), 2);

    // What the other device has, or sends back, is erased, too.
    let from_phone = exported(&phone);
    phone.take_in(&mut &exported(&home.space)[..], at(30), |_| {}).unwrap();
    derive(&mut phone);
    assert_eq!(traces(phone.path(), &words, &kept), Vec::<String>::new());
    assert!(is_sound(&phone));
    home.space.take_in(&mut &from_phone[..], at(31), |_| {}).unwrap();
    derive(&mut home.space);
    assert_eq!(traces(home.space.path(), &words, &kept), Vec::<String>::new());
    assert!(is_sound(&home.space));
    phone.take_in(&mut &exported(&home.space)[..], at(32), |_| {}).unwrap();
    derive(&mut phone);
    assert_eq!(phone.digests().unwrap()[0].position, home.space.digests().unwrap()[0].position);
    // The other device recognises what it never wrote itself.
    let again = secret(0, SECRETS[0]);
    assert!(matches!(phone.remember(again, at(33)).unwrap(), Outcome::Forgotten(_)));
    assert!(recalled(&phone, "Quokkasson").iter().all(|text| kept.contains(&text.as_str())));
}
