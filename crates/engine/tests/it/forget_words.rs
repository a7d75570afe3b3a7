//! Forgetting what a person typed about a belief that other records support.

use engine::Space;
use engine::belief::user::Replacement;
use engine::write::exchange::read_genesis;
use engine::write::import::Intent;
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::validity::State;

use crate::forget::{forget, gym_notes, is_sound, traces};
use crate::support::{at, exported, key};
use crate::toys::{HABIT, Habits, TASTE, Tastes, derive, gym};

const SECRET: &str = "Zephyrine Quokkasson paddling";

fn corrected(space: &mut Space, name: &str, note: &str, second: i64) -> OpId {
    let by = Replacement {
        set: vec![format!("name={name}")],
        note: note.to_owned(),
        ..Replacement::default()
    };
    let drafts = space.to_correct(HABIT, &by).unwrap();
    let done = space.act(drafts, Intent::Write, at(second)).unwrap();
    derive(space);
    done.recorded[0]
}

fn refuted(space: &mut Space, belief: &str, note: &str, second: i64) -> OpId {
    let drafts = space.to_refute(belief, note).unwrap();
    let done = space.act(drafts, Intent::Write, at(second)).unwrap();
    derive(space);
    done.recorded[0]
}

fn text(space: &Space, belief: &str) -> String {
    space.believed(belief).unwrap().text
}

fn changes_nothing(space: &mut Space) -> bool {
    let full = engine::derive::Extent::Full;
    space.derive(full, Intent::DryRun, at(60), |_| {}).unwrap().0.changed_nothing()
}

#[test]
fn a_forgotten_correction_leaves_what_is_derived_and_no_run_of_its_words() {
    let mut home = gym();
    let space = &mut home.space;
    let (before, liked) = (space.believed(HABIT).unwrap(), space.believed(TASTE).unwrap());
    let word = corrected(space, SECRET, "as she told me at the lighthouse", 4);
    assert_eq!(text(space, TASTE), format!("Likes the {SECRET}"));
    let words = [SECRET, "as she told me at the lighthouse"];
    assert!(!traces(space.path(), &words, &[]).is_empty());

    let (plan, forgotten) = forget(space, &[word]);
    assert!(forgotten.is_erased);
    // The index of records holds nothing of it, and is not folded again.
    let connection = rusqlite::Connection::open(space.path()).unwrap();
    let of_text = "SELECT group_concat(name || ' ' || pos) FROM (SELECT * FROM view WHERE name LIKE '%.erased' ORDER BY name)";
    let folded: String = connection.query_row(of_text, [], |row| row.get(0)).unwrap();
    assert_eq!(folded, "facts.erased 1,text.erased 0,thoughts.erased 0");
    drop(connection);
    let anew: Vec<_> = plan.derived_anew().map(|(_, after)| after.text.clone()).collect();
    assert_eq!(anew, [before.text.clone(), liked.text.clone()]);
    assert_eq!(plan.words_forgotten.len(), 1);
    assert!(plan.words_kept.is_empty() && plan.invalidated().next().is_none());
    let after = space.believed(HABIT).unwrap();
    assert_eq!(after.says(), before.says());
    assert_eq!(space.believed(TASTE).unwrap().says(), liked.says());
    assert_eq!(traces(space.path(), &words, &[]), Vec::<String>::new());
    assert!(is_sound(space) && changes_nothing(space));
}

#[test]
fn other_words_about_the_belief_keep_their_effect() {
    let mut home = gym();
    let space = &mut home.space;
    corrected(space, "pool", "swimming", 4);
    let word = corrected(space, SECRET, "", 5);
    corrected(space, "sauna", "not at all", 6);
    let (plan, _) = forget(space, &[word]);
    assert_eq!(
        plan.again.iter().map(|again| !again.is_users_word()).collect::<Vec<_>>(),
        [true, false, false]
    );
    let belief = space.believed(HABIT).unwrap();
    assert_eq!(
        (belief.state, belief.text.as_str()),
        (State::Corrected, "Goes to the sauna every week")
    );
    assert_eq!(belief.claim_type, "org.example.habit.weekly");
    assert_eq!(traces(space.path(), &[SECRET], &[]), Vec::<String>::new());
    assert!(is_sound(space) && changes_nothing(space));
    // The latest goes, and the one before counts.
    let latest = space.believed(HABIT).unwrap().served.unwrap();
    forget(space, &[latest]);
    assert_eq!(text(space, HABIT), "Goes to the pool every week");
    assert!(is_sound(space) && changes_nothing(space));
}

#[test]
fn a_refutation_without_its_words_still_refutes() {
    let mut home = gym();
    let space = &mut home.space;
    let word = refuted(space, HABIT, SECRET, 4);
    let (plan, _) = forget(space, &[word]);
    assert!(plan.again.iter().any(|again| again.is_users_word() && again.summary.is_empty()));
    assert!(plan.derived_anew().next().is_none());
    let belief = space.believed(HABIT).unwrap();
    assert_eq!((belief.state, belief.served), (State::Refuted, None));
    assert_eq!(belief.text, "Goes to the gym every week");
    assert_eq!(traces(space.path(), &[SECRET], &[]), Vec::<String>::new());
    assert!(is_sound(space) && changes_nothing(space));
    // To believe it again is another wish.
    let drafts = space.to_withdraw(HABIT, "").unwrap();
    space.act(drafts, Intent::Write, at(40)).unwrap();
    derive(space);
    assert_eq!(space.believed(HABIT).unwrap().state, State::Active);
}

#[test]
fn words_that_were_withdrawn_go_with_the_note_of_the_withdrawal() {
    let mut home = gym();
    let space = &mut home.space;
    corrected(space, SECRET, "", 4);
    let drafts = space.to_withdraw(HABIT, "Jabberwock lighthouse").unwrap();
    let withdrawal = space.act(drafts, Intent::Write, at(5)).unwrap().recorded[0];
    derive(space);
    let before = space.believed(HABIT).unwrap();
    let (plan, _) = forget(space, &[withdrawal]);
    assert!(plan.invalidated().next().is_none());
    assert_eq!(space.believed(HABIT).unwrap().says(), before.says());
    assert_eq!(traces(space.path(), &[SECRET, "Jabberwock lighthouse"], &[]), Vec::<String>::new());
    assert!(is_sound(space) && changes_nothing(space));
}

#[test]
fn what_supports_nothing_else_takes_the_refutation_along() {
    let mut home = gym();
    let mut ids = gym_notes(&mut home);
    let space = &mut home.space;
    let word = refuted(space, HABIT, SECRET, 4);
    ids.push(word);
    let (plan, _) = forget(space, &ids);
    assert!(plan.again.is_empty());
    assert!(space.believed(HABIT).is_err());
    assert!(is_sound(space));
}

#[test]
fn other_devices_forget_the_words_too_in_any_order() {
    let mut home = gym();
    let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
    home.space.change_access(key(2).author(), "phone", rights, true, at(3)).unwrap();
    let word = corrected(&mut home.space, SECRET, "", 4);
    let open = |home: &crate::support::Home, name: &str, bytes: &[u8]| {
        let (genesis, body) = read_genesis(&mut &bytes[..]).unwrap();
        let mut copy = Space::copy_of(&home.path(name), &genesis, &body, key(2)).unwrap();
        copy.set_derivers(vec![Box::new(Habits), Box::new(Tastes)]);
        let taken = copy.take_in(&mut &bytes[..], at(30), |_| {}).unwrap();
        (copy, taken)
    };
    let before = exported(&home.space);
    let (mut phone, _) = open(&home, "phone", &before);
    forget(&mut home.space, &[word]);
    phone.take_in(&mut &exported(&home.space)[..], at(31), |_| {}).unwrap();
    // A copy that never saw the words takes everything, too.
    let (fresh, _) = open(&home, "fresh", &exported(&home.space));
    for copy in [&phone, &fresh] {
        assert_eq!(traces(copy.path(), &[SECRET], &[]), Vec::<String>::new());
        assert_eq!(
            copy.believed(HABIT).unwrap().says(),
            home.space.believed(HABIT).unwrap().says()
        );
        assert_eq!(copy.status().unwrap().operations, home.space.status().unwrap().operations);
        assert!(is_sound(copy));
    }
    home.space.take_in(&mut &before[..], at(33), |_| {}).unwrap();
    assert_eq!(traces(home.space.path(), &[SECRET], &[]), Vec::<String>::new());
}

#[test]
fn the_reason_of_a_retraction_goes_alone_and_what_it_retracted_stays_retracted() {
    let mut home = gym();
    let notes = gym_notes(&mut home);
    derive(&mut home.space);
    let drafts = home.space.to_retract(&notes[0].to_string(), SECRET).unwrap();
    let done = home.space.act(drafts, Intent::Write, at(4)).unwrap();
    let retraction = done.recorded[0];
    derive(&mut home.space);
    let whole = exported(&home.space);
    let (genesis, body) = read_genesis(&mut &whole[..]).unwrap();
    let believed = home.space.believed(HABIT).unwrap();
    assert!(!traces(home.space.path(), &[SECRET], &[]).is_empty());

    let (plan, forgotten) = forget(&mut home.space, &[retraction]);
    assert!(forgotten.is_erased && plan.again.is_empty() && plan.changes.beliefs.is_empty());
    assert_eq!((plan.targets, forgotten.redactions.len()), ([retraction].into(), 1));
    assert_eq!(traces(home.space.path(), &[SECRET], &[]), Vec::<String>::new());
    assert_eq!(home.space.believed(HABIT).unwrap().says(), believed.says());
    assert!(is_sound(&home.space) && changes_nothing(&mut home.space));

    // A copy that had the reason forgets it, and one that never had it takes the rest.
    let forgetful = exported(&home.space);
    for (name, exports) in [
        ("phone", vec![&whole, &forgetful]),
        ("fresh", vec![&forgetful]),
        ("late", vec![&forgetful, &whole]),
    ] {
        let mut copy = Space::copy_of(&home.path(name), &genesis, &body, key(2)).unwrap();
        for lines in exports {
            let intake = copy.take_in(&mut &lines[..], at(31), |_| {}).unwrap();
            assert_eq!(intake.refused, 0, "{name}: {intake:?}");
        }
        copy.finish_erasure().unwrap();
        assert_eq!(traces(copy.path(), &[SECRET], &[]), Vec::<String>::new(), "{name}");
        assert_eq!(exported(&copy), forgetful, "{name}");
        assert!(is_sound(&copy), "{name}");
    }

    // Without the redaction, a reason that was taken out is refused.
    let stripped: Vec<String> = String::from_utf8(whole)
        .unwrap()
        .lines()
        .map(|line| {
            let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
            if value["header"]["kind"] == "evidence_retraction" {
                value["body"] = serde_json::Value::Null;
                value["salt"] = serde_json::Value::Null;
            }
            value.to_string() + "\n"
        })
        .collect();
    let mut copy = Space::copy_of(&home.path("stripped"), &genesis, &body, key(2)).unwrap();
    let intake = copy.take_in(&mut stripped.concat().as_bytes(), at(31), |_| {}).unwrap();
    assert!(intake.refused > 0, "{intake:?}");
}

#[test]
fn a_corrected_belief_keeps_what_is_built_on_it_when_one_of_its_records_is_forgotten() {
    let mut home = gym();
    let notes = gym_notes(&mut home);
    let space = &mut home.space;
    corrected(space, "pool", "", 4);
    let before = space.believed(HABIT).unwrap();
    forget(space, &[notes[0]]);
    let after = space.believed(HABIT).unwrap();
    assert_eq!((after.state, after.text), (State::Corrected, before.text));
    assert_eq!(after.claim_type, before.claim_type);
    assert_eq!(text(space, TASTE), "Likes the pool");
    assert!(is_sound(space) && changes_nothing(space));
}
