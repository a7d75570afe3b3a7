//! Beliefs on the command line: listing, explaining, correcting, refuting, withdrawing,
//! hypothetical changes.

use engine::Space;
use kernel::body::{Body, Claim};
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::{Draft, Signer};
use serde_json::{Value, json};

use crate::machine::Machine;

pub(crate) const HABIT: &str = "org.example.habit.weekly|gym|tue,thu";
const TASTE: &str = "org.example.taste.sport|gym";

/// An environment with three notes, and two claims of a deriver that is not built in.
pub(crate) struct Believing {
    pub(crate) machine: Machine,
    pub(crate) notes: Vec<String>,
    habit: String,
}

pub(crate) fn believing() -> Believing {
    let machine = Machine::with_space();
    let note = |number: u32| {
        let text = format!("gym number {number}");
        let told = machine.because(["remember", &text, "--json"]).run().succeeds().json();
        told["id"].as_str().unwrap().to_owned()
    };
    let notes: Vec<String> = (0..3).map(note).collect();
    let inputs: Vec<OpId> = notes.iter().map(|id| id.parse().unwrap()).collect();
    let habit = claim(
        HABIT,
        "Goes to the gym on Tuesday and Thursday",
        json!({ "name": "gym", "times": 3 }),
        0.87,
    );
    let habit = append(&machine, Draft { body: Body::Claim(habit), refs: cite(&inputs) });
    let taste = claim(TASTE, "Likes the gym", json!({ "likes": "gym" }), 0.55);
    append(&machine, Draft { body: Body::Claim(taste), refs: cite(&[habit]) });
    Believing { machine, notes, habit: habit.to_string() }
}

fn claim(key: &str, text: &str, payload: Value, confidence: f64) -> Claim {
    let claim_type = key.split_once('|').map_or("org.example.other", |(claim_type, _)| claim_type);
    serde_json::from_value(json!({
        "claim_type": claim_type, "identity_key": key, "text": text, "payload": payload,
        "confidence": confidence, "rationale": "three notes \u{1b}[31mof it",
        "deriver": { "name": "com.example.habits", "version": "1.0.0" },
        "confidence_basis": { "prior": 0.3, "factors": [{ "name": "count", "value": 3.0, "log_odds": 1.4 }] },
        "valid_from": "2025-03-01", "valid_to": "2025-06-30",
    }))
    .unwrap()
}

fn cite(inputs: &[OpId]) -> Vec<Ref> {
    let role = Role::parse("supporting_event").unwrap();
    inputs.iter().map(|id| Ref { id: *id, role: role.clone() }).collect()
}

fn append(machine: &Machine, draft: Draft) -> OpId {
    let key = std::fs::read_to_string(machine.home().join("key")).unwrap();
    let mut space = Space::open(&machine.space(), Signer::from_hex(&key).unwrap()).unwrap();
    space.append(draft, jiff::Timestamp::now()).unwrap()
}

impl Believing {
    pub(crate) fn run(&self, arguments: &[&str]) -> crate::machine::Ran {
        self.machine.because(arguments).run()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.machine.because(arguments).arguments(["--json"]).run().succeeds().json()
    }

    pub(crate) fn refuses(&self, arguments: &[&str], code: &str) {
        let before = self.json(&["status"])["ledger_position"].clone();
        let ran = self.machine.because(arguments).arguments(["--json"]).run();
        assert!([1, 2].contains(&ran.code()), "{ran}");
        assert_eq!(ran.error_code(), code, "{ran}");
        assert_eq!(self.json(&["status"])["ledger_position"], before, "something was written");
    }

    fn states(&self) -> Vec<(String, String)> {
        let claims = self
            .machine
            .because(["claims", "--state", "any", "--json"])
            .run()
            .succeeds()
            .json_lines();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        claims.iter().map(|claim| (text(&claim["key"]), text(&claim["state"]))).collect()
    }
}

#[test]
fn claims_are_listed_by_confidence_and_filtered() {
    let here = believing();
    let listed = here.run(&["claims", "--all"]).succeeds().out();
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines[0].starts_with(
            "likely 0.87      Goes to the gym on Tuesday and Thursday, since 2025-03-01, ended 2025-06-30"
        ),
        "{listed}"
    );
    assert!(lines[1].contains(HABIT) && lines[2].starts_with("probable 0.55"), "{listed}");
    let current = here.run(&["claims"]).succeeds().out();
    assert_eq!(current, "2 beliefs are over or yet to begin; --all lists them\n");
    let note = here.run(&["claims", "--json"]).succeeds().err();
    assert!(note.contains("{\"not_listed\":{\"below_minimum\":0,\"over\":2}}"), "{note}");
    let count = |arguments: &[&str]| {
        let listed = here
            .machine
            .because(["claims", "--all", "--json"])
            .arguments(arguments)
            .run()
            .succeeds();
        listed.json_lines().len()
    };
    assert_eq!(count(&["--type", "org.example.habit"]), 1);
    assert_eq!(count(&["--band", "likely"]), 1);
    assert_eq!(count(&["--band", "strong"]), 0);
    assert_eq!(count(&["--state", "refuted"]), 0);
    assert_eq!(count(&["--valid-at", "2025-06-29"]), 2);
    assert_eq!(count(&["--valid-at", "2025-06-30"]), 0);
    assert_eq!(count(&["--as-of", "2020-01-01"]), 0);
    assert_eq!(count(&["--as-of", "1900-01-01"]), 0);
    assert_eq!(
        count(&["--as-of", "9999-12-31T23:59:59Z"]),
        count(&[]),
        "later than any time that can be recorded"
    );
    assert_eq!(count(&["--contains", "LIKES"]), 1);
    assert_eq!(count(&["-n", "1"]), 1);
    here.run(&["claims", "--all", "-n", "1"]).succeeds().prints("… and 1 more");
    here.run(&["claims", "--band", "strong"]).succeeds().prints("No belief matches");
    here.run(&["claims", "--band", "sure"]).ends(2);
    Machine::with_space().because(["claims"]).run().succeeds().prints("No beliefs yet");
    here.run(&["claims", "--as-of", "someday"]).ends(2);
}

#[test]
fn a_correction_reports_its_consequences_and_can_be_withdrawn() {
    let here = believing();
    let would = here.json(&["what-if", "--correct", &format!("{HABIT}=name=pool")]);
    let corrected = here
        .run(&[
            "correct",
            HABIT,
            "--set",
            "name=pool",
            "--text",
            "Goes to the pool",
            "--note",
            "it closed",
        ])
        .succeeds();
    let text = corrected.out();
    assert!(text.starts_with(&format!("You corrected {HABIT}  b3:")), "{text}");
    assert!(
        text.contains(
            "  was Goes to the gym on Tuesday and Thursday (likely 0.87)\n  now Goes to the pool (your word)\n"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "Therefore 1 belief changed:\n  no longer believed org.example.taste.sport|gym"
        ),
        "{text}"
    );
    assert_eq!(would["dry_run"], true);
    assert_eq!(would["changes"][1]["change"], "no_longer_believed");
    assert_eq!(
        here.states(),
        [(HABIT.to_owned(), "corrected".to_owned()), (TASTE.to_owned(), "invalidated".to_owned())]
    );
    here.run(&["claims"]).succeeds().prints("your word        Goes to the pool");
    let withdrawn = here.json(&["withdraw", HABIT]);
    assert_eq!(withdrawn["changes"][1]["change"], "now_believed");
    assert_eq!(withdrawn["changes"][1]["key"], TASTE);
    assert!(here.states().iter().all(|(_, state)| state == "active"));
    here.refuses(&["withdraw", HABIT], "nothing_to_withdraw");
    here.machine.is_sound();
}

#[test]
fn a_refutation_invalidates_dependents_and_is_idempotent() {
    let here = believing();
    let id = here.habit.clone();
    let refuted =
        here.run(&["refute", &id[..12], "--note", "my brother's calendar"]).succeeds().out();
    assert!(
        refuted.contains(&format!("You refuted {HABIT}")) && refuted.contains("you refuted it"),
        "{refuted}"
    );
    assert!(refuted.contains("what it was built from no longer holds"), "{refuted}");
    here.refuses(&["refute", HABIT], "already_refuted");
    here.refuses(&["correct", HABIT, "--set", "name=pool"], "corrects_refuted");
    here.run(&["correct", HABIT, "--set", "name=pool"]).ends(1).says("because withdraw");
    here.run(&["explain", HABIT])
        .succeeds()
        .prints("you refuted it")
        .prints("my brother's calendar");
    here.run(&["withdraw", HABIT]).succeeds().prints("now believed");
    here.machine.is_sound();
}

#[test]
fn a_dry_run_of_your_word_shows_its_consequences_and_writes_nothing() {
    let here = believing();
    let dry = |arguments: &[&str]| {
        let before = here.json(&["status"])["ledger_position"].clone();
        let would = here.json(&[arguments, &["--dry-run"]].concat());
        assert_eq!((&would["dry_run"], &would["recorded"]), (&true.into(), &json!([])), "{would}");
        here.run(&[arguments, &["--dry-run"]].concat()).succeeds().prints("Nothing was written.");
        assert_eq!(here.json(&["status"])["ledger_position"], before, "{arguments:?}");
        let changed = would["changes"].as_array().unwrap().iter();
        changed.map(|change| change["change"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let fall = ["no_longer_believed", "no_longer_believed"];
    assert_eq!(dry(&["refute", HABIT]), fall);
    let correct = ["correct", HABIT, "--set", "name=pool"];
    assert_eq!(dry(&correct), ["changed", "no_longer_believed"]);
    dry(&["correct", &here.notes[0], "--text", "Something else"]);
    here.run(&correct).succeeds();
    assert_eq!(dry(&["withdraw", HABIT]), ["changed", "now_believed"]);
    here.run(&["retract", &here.notes[1]]).succeeds();
    let id = here.json(&["review", "list"])["id"].as_str().unwrap().to_owned();
    assert_eq!(dry(&["review", "accept", &id]), dry(&["withdraw", HABIT]));
    assert_eq!(dry(&["review", "dismiss", &id]), Vec::<String>::new());
    assert_eq!(here.json(&["review", "list"])["status"], "pending");
    here.machine.is_sound();
}

#[test]
fn what_if_shows_beliefs_without_a_source_a_month_or_an_author() {
    let here = believing();
    let would = here.json(&["what-if", "--without-source", "REMEMBER"]);
    assert_eq!(
        (&would["actions"][0]["records"], would["changes"].as_array().unwrap().len()),
        (&3.into(), 2),
        "{would}"
    );
    let today = jiff::Zoned::now().date();
    let month = format!("{:04}-{:02}", today.year(), today.month());
    here.run(&["what-if", "--without-month", &month]).succeeds().prints("Nothing was written");
    here.refuses(&["what-if", "--without-month", "1999-01"], "no_such_records");
    here.refuses(
        &["what-if", "--without-author", "nobody", "--without-source", "remember"],
        "no_such_records",
    );
    assert!(here.states().iter().all(|(_, state)| state == "active"));
}

#[test]
fn retracting_a_record_invalidates_beliefs_built_from_it() {
    let here = believing();
    let note = here.notes[0].clone();
    here.run(&["what-if", "--retract", &note, "--refute", TASTE])
        .succeeds()
        .prints("Nothing was written")
        .prints("Then 1 belief");
    assert!(here.states().iter().all(|(_, state)| state == "active"));
    let retracted = here.json(&["retract", &note, "--note", "it was not me"]);
    assert_eq!(
        (&retracted["target"], retracted["changes"].as_array().unwrap().len()),
        (&note.as_str().into(), 2)
    );
    assert_eq!(retracted["changes"][0]["cause"], retracted["id"]);
    here.refuses(&["retract", &note], "already_retracted");
    here.refuses(&["retract", HABIT], "derived");
    let explained = here.run(&["explain", HABIT]).succeeds().out();
    assert!(explained.contains("invalidated, because of evidence_retraction b3:"), "{explained}");
    assert!(!explained.contains('\u{1b}'), "{explained}");
}

#[test]
fn explain_prints_a_tree_for_people_and_a_record_for_programs() {
    let here = believing();
    let text = here.run(&["explain", TASTE]).succeeds().out();
    for part in [
        "Likes the gym, since 2025-03-01",
        "  probable (0.55)",
        "com.example.habits 1.0.0: three notes",
        "+1.40  count 3",
        "    Goes to the gym on Tuesday and Thursday  claim",
        "      gym number 0  evidence · remember · supporting_event",
        "smallest support",
        "does not have the deriver that made it",
        "because refute 'org.example.taste.sport|gym'",
        "derived 0.55",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let record = here.json(&["explain", TASTE]);
    let keys: Vec<&String> = record.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["because", "built_from", "claim", "history", "owner", "scope", "user_actions"]
    );
    assert_eq!(record["built_from"].as_array().unwrap().len(), 4);
    let more = here.json(&["explain", TASTE, "--support"]);
    assert_eq!(
        (&more["support"]["found"], &more["support"]["why"]),
        (&"all".into(), &"other_deriver".into())
    );
    assert_eq!(more["would_change"]["necessary"], json!([here.habit]));
    // What is not a belief is explained by its lineage.
    let note = here.json(&["explain", &here.notes[0]]);
    let keys: Vec<&String> = note.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["built_from", "cited_by", "cut", "edges", "owner", "record", "scope", "transcripts"]
    );
    assert_eq!(
        (&note["record"]["kind"], &note["record"]["status"]),
        (&"evidence".into(), &"active".into())
    );
    assert!(note["cited_by"].as_array().unwrap().iter().any(|by| by["op_id"] == here.habit));
    here.run(&["explain", &here.notes[0]]).succeeds().prints("cited by");
    here.refuses(&["explain", "org.example.habit.weekly"], "unknown_belief");
    here.run(&["explain", "org.example.habit.weekly"]).ends(1).says(HABIT);
}

#[test]
fn an_invalid_correction_says_how_to_fix_it_and_writes_nothing() {
    let here = believing();
    for (arguments, code) in [
        (vec!["correct", HABIT, "--set", "{name: pool}"], "payload_malformed"),
        (vec!["correct", HABIT, "--set", "'"], "payload_malformed"),
        (vec!["correct", HABIT, "--set", "[1]"], "payload_shape"),
        (vec!["correct", HABIT, "--set", "times=many"], "payload_shape"),
        (vec!["correct", HABIT, "--set", "place=x"], "payload_shape"),
        (vec!["correct", "gone|for|good", "--set", "{}"], "unknown_belief"),
        (vec!["correct", "ffffffff", "--set", "{}"], "unknown_id"),
        (vec!["correct", "b3:ffffffff", "--set", "{}"], "unknown_id"),
        (vec!["explain", &"f".repeat(64)], "unknown_id"),
        (vec!["refute", ""], "unknown_belief"),
        (vec!["withdraw", &here.notes[0]], "nothing_to_withdraw"),
        (vec!["withdraw", &here.habit], "nothing_to_withdraw"),
        (vec!["what-if", "--correct", "no equals sign"], "assignment_malformed"),
        (vec!["what-if", "--correct", "gone|for|good={}"], "unknown_belief"),
        (
            vec!["what-if", "--refute", HABIT, "--correct", "org.example.taste.sport|gym={"],
            "payload_malformed",
        ),
        (vec!["review", "accept", &here.notes[0]], "no_review"),
        (vec!["review", "dismiss", "ffffffff"], "unknown_id"),
    ] {
        here.refuses(&arguments, code);
    }
    here.run(&["correct", HABIT]).ends(2);
    here.run(&["what-if"]).ends(2);
    for list in [&["review"][..], &["review", "list"]] {
        here.run(list).succeeds().prints("No reviews are waiting");
    }
    let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
    let json = format!("{{\"name\":\"a\",\"more\":{deep}}}");
    here.refuses(&["correct", HABIT, "--set", &json], "payload_malformed");
    let control = here.run(&["refute", "\u{1b}[31mx"]).ends(1);
    assert!(!control.err().contains('\u{1b}'), "{control}");
}

#[test]
fn a_contradicted_correction_opens_a_review_that_is_decided_once() {
    let here = believing();
    here.run(&["correct", HABIT, "--set", "name=pool"]).succeeds();
    here.run(&["retract", &here.notes[1], "--note", "not me"])
        .succeeds()
        .prints("1 review for you to decide");
    let listed = here
        .run(&["review", "list"])
        .succeeds()
        .prints(HABIT)
        .prints("you said")
        .prints("not me")
        .out();
    assert!(listed.contains("takes your correction back"), "{listed}");
    let asked = here.json(&["review", "list"]);
    let id = asked["id"].as_str().unwrap();
    assert_eq!((&asked["reason"], &asked["status"]), (&"ground_changed".into(), &"pending".into()));
    here.run(&["review", "dismiss", id, "--note", "it is still so"])
        .succeeds()
        .prints("stays as it was");
    here.refuses(&["review", "accept", id], "review_settled");
    here.run(&["review", "list"]).succeeds().prints("No reviews are waiting");
    assert_eq!(here.json(&["review", "list", "--all"])["status"], "dismissed");
    here.machine.is_sound();
}

#[test]
fn correcting_without_the_capability_names_who_can_grant_it() {
    let here = believing();
    let laptop = here.machine.home().with_file_name("laptop");
    let laptop = |arguments: &[&str]| here.machine.because(arguments).at_home(&laptop).run();
    laptop(&["trust"]).succeeds();
    let key = laptop(&["key"]).succeeds().out().trim().to_owned();
    // First the space is somebody else's; then the key may append, and no more.
    for code in ["not_your_space", "not_permitted"] {
        let refused = laptop(&["refute", HABIT, "--json"]).ends(1);
        assert_eq!(refused.error_code(), code);
        assert!(refused.err().contains("--can correct"), "{refused}");
        here.machine.because(["grant", &key, "--can", "append"]).run().succeeds();
    }
    assert!(here.states().iter().all(|(_, state)| state == "active"));
}

#[test]
fn belief_keys_are_not_taken_for_records_and_are_quoted_in_commands() {
    let here = believing();
    let ground: OpId = here.notes[0].parse().unwrap();
    let short: String = here.notes[1].chars().take(15).collect();
    let evil = "x'; touch owned; '\u{1b}[31m\u{202e}";
    for key in [here.notes[1].as_str(), &short, evil, " spaced "] {
        let said = claim(key, "harmless", json!({}), 0.9);
        append(&here.machine, Draft { body: Body::Claim(said), refs: cite(&[ground]) });
    }
    for name in [here.notes[1].as_str(), &short] {
        here.refuses(&["refute", name], "not_a_belief");
    }
    let would = here.json(&["what-if", "--retract", &short]);
    assert_eq!(would["actions"][0]["target"], here.notes[1].as_str());
    here.run(&["explain", " spaced "]).succeeds();
    let explained = here.run(&["explain", evil]).succeeds().out();
    assert!(explained.contains(r"because refute 'x'\''; touch owned; '\'' [31m '"), "{explained}");
    let listed = here.run(&["claims"]).succeeds().out();
    assert!(!listed.contains('\u{1b}') && !listed.contains('\u{202e}'), "{listed}");
    here.run(&["refute", evil]).succeeds();
    here.machine.is_sound();
}

#[test]
fn a_correction_is_not_retracted_but_withdrawn() {
    let here = believing();
    let corrected = here.json(&["correct", HABIT, "--set", "name=pool"]);
    let id = corrected["recorded"][0].as_str().unwrap();
    here.refuses(&["retract", id], "users_word");
    here.run(&["withdraw", &id[..15]]).succeeds().prints("likely 0.87");
    here.refuses(&["withdraw", id], "already_withdrawn");
}

#[test]
fn a_correction_without_the_derive_capability_still_invalidates_dependents() {
    let here = believing();
    let laptop = here.machine.home().with_file_name("laptop");
    let key = here.machine.because(["key"]).at_home(&laptop).run().succeeds().out();
    here.run(&["grant", key.trim(), "--can", "correct", "--can", "append"]).succeeds();
    here.machine.because(["trust"]).at_home(&laptop).run().succeeds();
    let refuted =
        here.machine.because(["refute", HABIT, "--json"]).at_home(&laptop).run().succeeds().json();
    assert_eq!(refuted["changes"].as_array().unwrap().len(), 2, "{refuted}");
    assert_eq!(here.states()[1].1, "invalidated");
    // The owner's device records the invalidation at its next derivation.
    here.run(&["remember", "something else"]).succeeds();
    let history = here.json(&["explain", TASTE])["history"].clone();
    assert!(
        history.as_array().unwrap().iter().any(|event| event["event"] == "invalidated"),
        "{history}"
    );
    here.machine.is_sound();
}

#[test]
fn two_devices_with_conflicting_corrections_converge_after_an_exchange() {
    let here = believing();
    let laptop = here.machine.home().with_file_name("laptop");
    let key = here.machine.because(["key"]).at_home(&laptop).run().succeeds().out();
    here.run(&["grant", key.trim(), "--can", "correct", "--can", "append", "--can", "derive"])
        .succeeds();
    here.run(&["export", "--out", "one.jsonl"]).succeeds();
    let there = |arguments: &[&str]| {
        here.machine
            .because(["--space", "there.db"])
            .arguments(arguments)
            .at_home(&laptop)
            .run()
            .succeeds()
    };
    there(&["import", "one.jsonl"]);
    there(&["correct", HABIT, "--set", "name=pool"]);
    here.run(&["refute", HABIT]).succeeds();
    there(&["export", "--out", "two.jsonl"]);
    here.run(&["import", "two.jsonl"]).succeeds();
    here.run(&["export", "--out", "three.jsonl"]).succeeds();
    there(&["import", "three.jsonl"]);
    let claims = ["claims", "--state", "any", "--json"];
    assert_eq!(here.run(&claims).succeeds().out(), there(&claims).out());
    assert_eq!(here.states()[0].1, "refuted");
    // After the withdrawal, the other device's correction applies.
    here.run(&["withdraw", HABIT]).succeeds().prints("your word");
    here.machine.is_sound();
}

#[test]
fn concurrent_user_actions_of_several_processes_are_all_kept() {
    let here = believing();
    let calls: Vec<_> = (0..6)
        .map(|number| {
            let set = format!("name=pool{number}");
            here.machine.because(["correct", HABIT, "--set", &set]).start()
        })
        .collect();
    for mut call in calls {
        assert!(call.wait().unwrap().success());
    }
    let actions = here.json(&["explain", HABIT])["user_actions"].clone();
    assert_eq!(actions.as_array().unwrap().len(), 6);
    here.run(&["withdraw", HABIT]).succeeds().prints("likely 0.87");
    here.machine.is_sound();
}

#[test]
fn help_for_belief_commands_wraps_only_at_the_terminal_width() {
    let machine = Machine::new();
    for command in [
        "derive", "claims", "explain", "correct", "refute", "withdraw", "retract", "what-if",
        "review",
    ] {
        let help = machine.because([command, "--help"]).run().succeeds().out();
        let lines: Vec<&str> = help.lines().collect();
        for pair in lines.windows(2) {
            let [line, next] = pair else { unreachable!() };
            let is_prose =
                |line: &str| line.contains(' ') && !line.starts_with(' ') && !line.ends_with(':');
            let word = next.split(' ').next().unwrap_or_default();
            let would_fit = line.chars().count() + 1 + word.chars().count() <= 90;
            assert!(
                !(is_prose(line) && is_prose(next) && would_fit),
                "{command}: {line:?}, then {next:?}"
            );
        }
    }
}
