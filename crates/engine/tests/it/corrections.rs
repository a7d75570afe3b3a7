//! Listing, correcting, refuting, retracting and explaining beliefs.

use engine::belief::claims::{ClaimFilter, States};
use engine::belief::review::Status;
use engine::belief::support::{NoSmallerSupport, Support};
use engine::belief::user::Replacement;
use engine::recall::facts::FactQuery;
use engine::write::import::Intent;
use engine::{EngineError, Space};
use kernel::body::{Body, Claim};
use kernel::confidence::Band;
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use kernel::validity::State;
use serde_json::{Value, json};

use crate::support::{Home, at, id_of};
use crate::toys::{HABIT, TASTE, derive, gym};

fn act(
    space: &mut Space,
    drafts: Result<Vec<Draft>, EngineError>,
) -> engine::write::commit::Changes {
    space.act(drafts.unwrap(), Intent::Write, at(10)).unwrap()
}

fn set(json: &str) -> Replacement {
    Replacement { set: vec![json.to_owned()], ..Replacement::default() }
}

fn code<T>(result: Result<T, EngineError>) -> &'static str {
    result.err().map_or("no error", |error| error.code())
}

fn believed(space: &Space) -> Vec<(String, State, String)> {
    let claims =
        space.claims(&ClaimFilter { states: States::Any, ..ClaimFilter::default() }, 100).unwrap();
    claims.beliefs.into_iter().map(|belief| (belief.key, belief.state, belief.text)).collect()
}

/// A claim that a person states.
fn stated(key: &str, payload: Value, inputs: &[OpId]) -> Draft {
    let claim: Claim = serde_json::from_value(json!({
        "claim_type": key.split('|').next().unwrap(), "identity_key": key, "text": format!("so it is: {key}"), "payload": payload,
        "confidence": 0.75, "confidence_basis": { "source": "person" },
    }))
    .unwrap();
    let role = Role::parse("supporting").unwrap();
    Draft {
        body: Body::Claim(claim),
        refs: inputs.iter().map(|id| Ref { id: *id, role: role.clone() }).collect(),
    }
}

#[test]
fn beliefs_are_listed_with_the_surest_first() {
    let home = gym();
    let keys = |filter: ClaimFilter| {
        let claims = home.space.claims(&filter, 100).unwrap();
        claims.beliefs.into_iter().map(|belief| belief.key).collect::<Vec<_>>()
    };
    assert_eq!(keys(ClaimFilter::default()), [HABIT, TASTE]);
    let family = |name: &str| {
        keys(ClaimFilter { claim_type: Some(name.to_owned()), ..ClaimFilter::default() })
    };
    assert_eq!(family("org.example.habit"), [HABIT]);
    assert_eq!(family("org.example.habit.weekly"), [HABIT]);
    assert!(family("hab").is_empty() && family("org.example.habit.week").is_empty());
    assert_eq!(keys(ClaimFilter { band: Some(Band::Strong), ..ClaimFilter::default() }), [HABIT]);
    assert_eq!(
        keys(ClaimFilter { contains: Some("LIKES".to_owned()), ..ClaimFilter::default() }),
        [TASTE]
    );
    let refuted = States::These(vec![State::Refuted]);
    assert!(keys(ClaimFilter { states: refuted, ..ClaimFilter::default() }).is_empty());
    let limited = home.space.claims(&ClaimFilter::default(), 1).unwrap();
    assert_eq!((limited.beliefs.len(), limited.total), (1, 2));
    assert_eq!(home.space.claims(&ClaimFilter::default(), 0).unwrap().total, 2);
}

#[test]
fn a_listing_as_of_a_time_shows_the_beliefs_of_that_time() {
    let mut home = gym();
    let drafts = home.space.to_refute(HABIT, "never");
    act(&mut home.space, drafts);
    let as_of = |second| ClaimFilter {
        as_of_us: Some(at(second).as_microsecond() as u64),
        ..ClaimFilter::default()
    };
    assert_eq!(home.space.claims(&as_of(0), 9).unwrap().total, 0, "nothing was derived yet");
    assert_eq!(home.space.claims(&as_of(9), 9).unwrap().total, 2);
    assert_eq!(home.space.claims(&as_of(60), 9).unwrap().total, 0);
    assert_eq!(home.space.claims(&ClaimFilter::default(), 9).unwrap().total, 0);
    assert_eq!(
        home.space
            .claims(&ClaimFilter { as_of_us: Some(u64::MAX), ..ClaimFilter::default() }, 9)
            .unwrap()
            .total,
        0
    );
}

#[test]
fn a_correction_changes_dependent_beliefs_and_its_withdrawal_restores_them() {
    let mut home = gym();
    let first = believed(&home.space);
    let drafts = home.space.to_correct(HABIT, &set(r#"{"name":"pool"}"#));
    let changes = act(&mut home.space, drafts);
    assert_eq!(changes.recorded.len(), 1);
    assert_eq!(changes.beliefs.keys().collect::<Vec<_>>(), [HABIT, TASTE]);
    assert_eq!(changes.beliefs[TASTE].after.text, "Likes the pool");
    assert_eq!(changes.beliefs[HABIT].after.confidence, 1.0);
    // Again with a single field, and the same once more, which confirms it.
    for _ in 0..2 {
        let drafts = home.space.to_correct(HABIT, &set("name=sauna"));
        act(&mut home.space, drafts);
    }
    assert_eq!(home.space.believed(TASTE).unwrap().text, "Likes the sauna");
    let drafts = home.space.to_withdraw(HABIT, "").unwrap();
    assert_eq!(drafts.len(), 3, "every correction goes");
    act(&mut home.space, Ok(drafts));
    assert_eq!(believed(&home.space), first);
    assert_eq!(code(home.space.to_withdraw(HABIT, "")), "nothing_to_withdraw");
}

#[test]
fn one_correction_is_withdrawn_by_its_id_and_the_one_before_it_counts_again() {
    let mut home = gym();
    let drafts = home.space.to_correct(HABIT, &set("name=pool"));
    act(&mut home.space, drafts);
    let drafts = home.space.to_correct(HABIT, &set("name=sauna"));
    let second = act(&mut home.space, drafts).recorded[0].to_string();
    let drafts = home.space.to_withdraw(&second, "");
    act(&mut home.space, drafts);
    assert_eq!(home.space.believed(HABIT).unwrap().payload, json!({ "name": "pool" }));
    assert_eq!(code(home.space.to_withdraw(&second, "")), "already_withdrawn");
}

#[test]
fn a_refutation_lasts_until_it_is_withdrawn() {
    let mut home = gym();
    let drafts = home.space.to_correct(HABIT, &set("name=pool"));
    act(&mut home.space, drafts);
    let drafts = home.space.to_refute(HABIT, "I never go");
    let changes = act(&mut home.space, drafts);
    assert!(changes.beliefs.values().all(|change| change.after.served.is_none()));
    assert_eq!(code(home.space.to_refute(HABIT, "")), "already_refuted");
    assert_eq!(code(home.space.to_correct(HABIT, &set("name=sauna"))), "corrects_refuted");
    home.remember("gym-9", "gym number 9");
    derive(&mut home.space);
    assert_eq!(home.space.believed(HABIT).unwrap().state, State::Refuted);
    let drafts = home.space.to_withdraw(HABIT, "").unwrap();
    assert_eq!(drafts.len(), 1, "the refutation alone");
    act(&mut home.space, Ok(drafts));
    assert_eq!(home.space.believed(HABIT).unwrap().state, State::Corrected);
}

#[test]
fn what_two_writers_decided_at_once_is_recorded_once() {
    let mut home = gym();
    let note = id_of(home.remember("gym-0", "gym number 0")).to_string();
    let space = &mut home.space;
    let twice = |space: &mut Space, drafts: Vec<Draft>, expected: &str| {
        space.act(drafts.clone(), Intent::Write, at(10)).unwrap();
        let head = space.head().unwrap();
        for intent in [Intent::DryRun, Intent::Write] {
            assert_eq!(code(space.act(drafts.clone(), intent, at(10))), expected);
        }
        assert_eq!(space.head().unwrap(), head);
    };
    let drafts = space.to_retract(&note, "").unwrap();
    twice(space, drafts, "already_retracted");
    let drafts = space.to_restore(&note, "").unwrap();
    twice(space, drafts, "already_withdrawn");
    let drafts = space.to_refute(HABIT, "").unwrap();
    twice(space, drafts, "already_refuted");
    let drafts = space.to_withdraw(HABIT, "").unwrap();
    twice(space, drafts, "already_withdrawn");
    let words = Replacement { text: Some("gym number 7".to_owned()), ..Replacement::default() };
    let drafts = space.to_correct(&note, &words).unwrap();
    twice(space, drafts, "superseded");
    let drafts = space.to_correct(HABIT, &set("name=pool"));
    act(space, drafts);
    let drafts = space.to_withdraw(HABIT, "").unwrap();
    twice(space, drafts, "already_withdrawn");
}

#[test]
fn a_dry_run_returns_the_consequences_and_writes_nothing() {
    let mut home = gym();
    let before = (believed(&home.space), home.space.head().unwrap());
    let drafts = home.space.to_refute(HABIT, "").unwrap();
    let would = home.space.act(drafts.clone(), Intent::DryRun, at(10)).unwrap();
    assert_eq!((believed(&home.space), home.space.head().unwrap()), before);
    let did = home.space.act(drafts, Intent::Write, at(10)).unwrap();
    assert_eq!(would.beliefs.keys().collect::<Vec<_>>(), did.beliefs.keys().collect::<Vec<_>>());
    assert_eq!(would.recorded, did.recorded);
}

#[test]
fn an_invalid_payload_or_target_is_refused_and_nothing_is_written() {
    let mut home = gym();
    let head = home.space.head().unwrap();
    let try_set = |space: &Space, sets: &[&str]| {
        let by = Replacement {
            set: sets.iter().map(|set| (*set).to_owned()).collect(),
            ..Replacement::default()
        };
        code(space.to_correct(HABIT, &by))
    };
    let huge = format!("\"{}\"", "x".repeat(2 << 20));
    for (sets, expected) in [
        (&["{"][..], "payload_malformed"),
        (&["pool"], "payload_malformed"),
        (&[""], "payload_malformed"),
        (&[r#"{"name":"a","name":"b"}"#], "payload_malformed"),
        (&["1e400"], "payload_malformed"),
        (&[&huge], "payload_malformed"),
        (&["name=a", "{}"], "payload_malformed"),
        (&["\"pool\""], "payload_shape"),
        (&["null"], "payload_shape"),
        (&["[]"], "payload_shape"),
        (&[r#"{"name":7}"#], "payload_shape"),
        (&["title=pool"], "payload_shape"),
        (&[r#"{"name":"pool","lanes":8}"#], "no error"),
        (&["name=7"], "no error"),
        (&["name=\"7\""], "no error"),
        (&["name="], "payload_shape"),
        (&["name=\" \""], "payload_shape"),
        (&["{}"], "payload_shape"),
        (&[r#"{"pool":"name"}"#], "payload_shape"),
        (&["null"], "payload_shape"),
        (&[r#"{"name":null}"#], "no error"),
    ] {
        assert_eq!(try_set(&home.space, sets), expected, "{sets:?}");
    }
    assert_eq!(
        code(home.space.to_correct("org.example.habit.weekly|pool", &set("{}"))),
        "unknown_belief"
    );
    assert_eq!(code(home.space.to_correct("deadbeef", &set("{}"))), "unknown_id");
    assert_eq!(code(home.space.to_correct("dead", &set("{}"))), "unknown_id");
    assert_eq!(code(home.space.to_correct("dea", &set("{}"))), "unknown_belief");
    assert_eq!(code(home.space.to_correct("", &set("{}"))), "unknown_belief");
    let error = home.space.to_refute("GYM", "").unwrap_err().to_string();
    assert!(error.contains(HABIT) && error.contains(TASTE), "{error}");
    let note = id_of(home.remember("gym-0", "gym number 0")).to_string();
    assert_eq!(code(home.space.to_correct(&note, &set("{}"))), "not_a_belief");
    assert_eq!(code(home.space.to_refute(&note, "")), "not_a_belief");
    assert_eq!(code(home.space.to_withdraw(&note, "")), "nothing_to_withdraw");
    assert_eq!(code(home.space.to_retract(HABIT, "")), "derived");
    assert_eq!(code(home.space.review_named(&note)), "no_review");
    assert_eq!(home.space.head().unwrap(), head);
}

#[test]
fn a_record_and_a_stated_belief_are_retracted_once() {
    let mut home = gym();
    let notes: Vec<String> = (0..6)
        .map(|number| {
            id_of(home.remember(&format!("gym-{number}"), &format!("gym number {number}")))
                .to_string()
        })
        .collect();
    let drafts = home.space.to_retract(&notes[0], "");
    let changes = act(&mut home.space, drafts);
    let habit = &changes.beliefs[HABIT];
    let before = habit.before.as_ref().unwrap();
    assert!(before.confidence > habit.after.confidence && habit.after.served.is_some());
    assert_eq!(code(home.space.to_retract(&notes[0], "")), "already_retracted");
    let ground: OpId = notes[1].parse().unwrap();
    home.space.append(stated("fact.any|cat", json!({ "cat": true }), &[ground]), at(20)).unwrap();
    let drafts = home.space.to_retract("fact.any|cat", "it left");
    act(&mut home.space, drafts);
    assert_eq!(home.space.believed("fact.any|cat").unwrap().state, State::Retracted);
    assert_eq!(code(home.space.to_retract("fact.any|cat", "")), "already_retracted");
    // A retracted belief can still be corrected.
    let drafts = home.space.to_correct("fact.any|cat", &set("cat=false"));
    act(&mut home.space, drafts);
    assert_eq!(home.space.believed("fact.any|cat").unwrap().state, State::Corrected);
}

#[test]
fn an_explanation_has_the_keys_of_the_model_and_the_whole_chain() {
    let home = gym();
    let explaining = home.space.explain(TASTE).unwrap();
    let record = serde_json::to_value(&explaining.explanation).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&record), ["because", "built_from", "claim", "history", "user_actions"]);
    assert_eq!(
        keys(&record["claim"]),
        ["band", "claim_type", "confidence", "op_id", "payload", "state"]
    );
    assert_eq!(keys(&record["because"][0]), ["confidence_basis", "deriver", "rationale"]);
    assert_eq!(
        keys(&record["built_from"][0]),
        ["kind", "op_id", "redacted", "role", "source", "summary"]
    );
    assert_eq!(record["claim"]["state"], "active");
    assert_eq!(record["because"][0]["deriver"]["name"], "tastes");
    assert_eq!(record["because"][1]["deriver"]["name"], "habits");
    let sources = record["built_from"].as_array().unwrap();
    assert_eq!(sources.len(), 7, "the habit and six notes");
    assert_eq!(
        (&sources[0]["kind"], &sources[0]["summary"]),
        (&"claim".into(), &"Goes to the gym every week".into())
    );
    assert_eq!((&sources[1]["kind"], &sources[1]["source"]), (&"evidence".into(), &"test".into()));
    assert_eq!(record["history"][0]["event"], "derived");
    assert_eq!(record["user_actions"], json!([]));
}

#[test]
fn a_history_lists_events_with_their_causes() {
    let mut home = gym();
    let note = id_of(home.remember("gym-0", "gym number 0"));
    let drafts = home.space.to_retract(&note.to_string(), "");
    act(&mut home.space, drafts);
    let drafts = home.space.to_correct(HABIT, &set("name=pool"));
    let correction = act(&mut home.space, drafts).recorded[0];
    let drafts = home.space.to_withdraw(HABIT, "no, the gym");
    act(&mut home.space, drafts);
    let drafts = home.space.to_refute(HABIT, "never");
    act(&mut home.space, drafts);
    let explanation = home.space.explain(HABIT).unwrap().explanation;
    let events: Vec<&str> = explanation.history.iter().map(|event| event.event).collect();
    assert_eq!(
        events,
        ["derived", "invalidated", "re-derived", "corrected", "withdrawn", "refuted"]
    );
    assert_eq!(explanation.history[1].cause.as_ref().unwrap().kind, "evidence_retraction");
    let actions: Vec<(&str, bool)> = explanation
        .user_actions
        .iter()
        .map(|action| (action.kind.as_str(), action.active))
        .collect();
    assert_eq!(
        actions,
        [("claim_correction", false), ("correction_withdrawal", true), ("claim_refutation", true)]
    );
    assert_eq!(explanation.claim.state, "refuted");
    // The first version and the withdrawn correction are explained by themselves.
    let first = explanation.history[0].op_id.to_string();
    assert_eq!(home.space.explain(&first).unwrap().explanation.claim.state, "superseded");
    let corrected = home.space.explain(&correction.to_string()).unwrap().explanation;
    assert_eq!((corrected.claim.state.as_str(), corrected.claim.confidence), ("superseded", 1.0));
    assert_eq!(code(home.space.explain(&note.to_string())), "not_a_belief");
    assert_eq!(code(home.space.explain("nothing|at|all")), "unknown_belief");
}

#[test]
fn a_correction_is_explained_together_with_the_claim_it_replaced() {
    let mut home = gym();
    let by = Replacement { note: "it closed".to_owned(), ..set("name=pool") };
    let drafts = home.space.to_correct(HABIT, &by);
    act(&mut home.space, drafts);
    let explaining = home.space.explain(HABIT).unwrap();
    let because = &explaining.explanation.because;
    assert_eq!((because[0].deriver.is_none(), because[0].rationale.as_str()), (true, "it closed"));
    assert_eq!(because[0].confidence_basis, json!({ "source": "user_correction" }));
    assert_eq!(because[1].rationale, "6 notes");
    assert_eq!(explaining.explanation.built_from[0].role, "target");
    assert_eq!(explaining.explanation.built_from.len(), 7);
    assert_eq!(home.space.support(&explaining).unwrap(), Support::UserWord);
    // What stands on the user's word cites it.
    let taste = home.space.explain(TASTE).unwrap().explanation;
    assert_eq!(
        (taste.built_from.len(), taste.built_from[0].kind.as_str()),
        (1, "claim_correction")
    );
    assert_eq!(taste.built_from[0].source.as_deref(), Some("user"));
}

#[test]
fn a_forgotten_body_leaves_its_place_empty() {
    let home = gym();
    let note = home.space.explain(HABIT).unwrap().explanation.built_from[2].op_id;
    let hex: String = note.to_string().trim_start_matches("b3:").to_owned();
    home.tamper(&format!("UPDATE op SET body = NULL, salt = NULL WHERE id = x'{hex}'"));
    let explaining = home.space.explain(HABIT).unwrap();
    let source = &explaining.explanation.built_from[2];
    assert_eq!((source.redacted, &source.summary, &source.source), (true, &None, &None));
    assert_eq!(home.space.support(&explaining).unwrap(), Support::All(NoSmallerSupport::Redacted));
}

#[test]
fn an_altered_belief_is_not_listed_found_or_explained() {
    let home = gym();
    let listed = |home: &Home| home.space.claims(&ClaimFilter::default(), 9).unwrap();
    let served = home.space.explain(HABIT).unwrap().explanation.claim.op_id;
    let count = listed(&home).beliefs.len();
    home.tamper(
        "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'every week', 'every year') AS BLOB)",
    );
    let claims = listed(&home);
    assert_eq!((claims.beliefs.len(), claims.altered), (count - 1, vec![served]));
    let asked = FactQuery::new("Who goes to the gym?", at(9));
    let facts = home.space.recall_facts(&asked).unwrap();
    assert!(facts.altered.contains(&served) && facts.facts.iter().all(|fact| fact.id != served));
    assert_eq!(home.space.explain(HABIT).unwrap_err().code(), "altered");
    home.tamper(
        "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'every year', 'every week') AS BLOB)",
    );
    assert_eq!(listed(&home).altered, []);
}

#[test]
fn the_support_of_a_derived_claim_is_searched_and_that_of_a_stated_claim_is_all_of_its_inputs() {
    let mut home = gym();
    let explaining = home.space.explain(HABIT).unwrap();
    let Support::Examined(search) = home.space.support(&explaining).unwrap() else {
        panic!("examined")
    };
    assert_eq!((search.of, search.inputs.len(), search.is_smallest), (6, 6, true));
    assert_eq!(search.necessary.unwrap().len(), 6);
    let explaining = home.space.explain(TASTE).unwrap();
    let Support::Examined(search) = home.space.support(&explaining).unwrap() else {
        panic!("examined")
    };
    assert_eq!((search.of, search.fewest.unwrap().band), (1, None));
    let ground = explaining.explanation.built_from[1].op_id;
    home.space.append(stated("fact.any|cat", json!(1), &[ground]), at(20)).unwrap();
    let explaining = home.space.explain("fact.any|cat").unwrap();
    assert_eq!(home.space.support(&explaining).unwrap(), Support::All(NoSmallerSupport::Person));
    home.space.set_derivers(Vec::new());
    let explaining = home.space.explain(HABIT).unwrap();
    assert_eq!(
        home.space.support(&explaining).unwrap(),
        Support::All(NoSmallerSupport::OtherDeriver)
    );
    let drafts = home.space.to_refute(HABIT, "");
    act(&mut home.space, drafts);
    let explaining = home.space.explain(HABIT).unwrap();
    assert_eq!(home.space.support(&explaining).unwrap(), Support::Nothing);
}

#[test]
fn a_review_is_decided_once() {
    let mut home = gym();
    let drafts = home.space.to_correct(HABIT, &set("name=pool"));
    act(&mut home.space, drafts);
    let note = id_of(home.remember("gym-0", "gym number 0")).to_string();
    let drafts = home.space.to_retract(&note, "");
    let changes = act(&mut home.space, drafts);
    assert_eq!(changes.derived.reviews, 1);
    let reviews = home.space.reviews(None).unwrap();
    assert_eq!((reviews.len(), reviews[0].status), (1, Status::Pending));
    let id = reviews[0].id.to_string();
    let drafts = home.space.review_named(&id).unwrap().accept("it reopened");
    let changes = act(&mut home.space, drafts);
    assert_eq!(changes.beliefs[HABIT].after.payload, json!({ "name": "gym" }));
    assert_eq!(changes.beliefs[TASTE].after.text, "Likes the gym");
    assert_eq!(code(home.space.review_named(&id)), "review_settled");
    assert_eq!(home.space.reviews(None).unwrap()[0].status, Status::Accepted);
}

#[test]
fn a_key_that_may_not_correct_changes_nothing() {
    let home = gym();
    let mut agent = home.again(2);
    let drafts = agent.to_refute(HABIT, "").unwrap();
    assert_eq!(code(agent.act(drafts, Intent::Write, at(10))), "not_permitted");
    assert_eq!(home.space.believed(HABIT).unwrap().state, State::Active);
    let _: &Home = &home;
}

#[test]
fn a_copy_that_lacks_operations_of_its_own_key_signs_nothing_automatically() {
    let mut home = gym();
    let note = id_of(home.remember("gym-0", "gym number 0")).to_string();
    let drafts = home.space.to_retract(&note, "");
    act(&mut home.space, drafts);
    let whole = crate::support::exported(&home.space);
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    // The file was truncated after the retraction, before the invalidations that it causes.
    let cut = lines
        .iter()
        .position(|line| String::from_utf8_lossy(line).contains("\"evidence_retraction\""))
        .unwrap();
    let part = lines[..=cut].concat();
    let (genesis, body) = engine::write::exchange::read_genesis(&mut part.as_slice()).unwrap();
    let mut copy =
        Space::copy_of(&home.path("copy"), &genesis, &body, crate::support::key(1)).unwrap();
    copy.take_in(&mut part.as_slice(), at(30), |_| {}).unwrap();
    let intake = copy.take_in(&mut whole.as_slice(), at(31), |_| {}).unwrap();
    assert_eq!((intake.refused, crate::support::exported(&copy)), (0, whole));
}
