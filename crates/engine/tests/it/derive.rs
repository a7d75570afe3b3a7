//! Derivation in a real space: incremental against from scratch, the user's word, and derivers that
//! misbehave.

use std::collections::{BTreeMap, BTreeSet};

use derivers::{Candidate, ClaimType, Deriver, Input, Record};
use engine::Space;
use engine::derive::{Derived, Extent};
use engine::inspect::LogFilter;
use engine::write::commit::Changes;
use engine::write::import::Intent;
use engine::write::record::{Outcome, Prepared};
use kernel::body::{Body, Correction, Reason, Refutation, Withdrawal};
use kernel::confidence::{Basis, saturating};
use kernel::evidence::{Evidence, Payload, Visibility};
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::operation::{Ref, Role};
use kernel::seal::{Draft, Signer};
use serde_json::{Value, json};

/// Claims how often each word begins a text: `org.example.count|word`.
pub(crate) struct Counting;

impl Deriver for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }
    fn version(&self) -> &'static str {
        "1.0.0"
    }
    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.count", prior: 0.3 }]
    }
    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let text =
            record.evidence().map(|evidence| evidence.payload.text.as_str()).unwrap_or_default();
        text.split_whitespace().next().map(str::to_owned).into_iter().collect()
    }
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        if records.len() < 2 {
            return Vec::new();
        }
        vec![candidate(
            "org.example.count",
            group,
            json!({ "parity": records.len() % 2 }),
            records,
            0.4,
        )]
    }
}

/// Claims of all counts together: `org.example.layer|all`, and on that `org.example.layer|top`.
pub(crate) struct Layering;

impl Deriver for Layering {
    fn name(&self) -> &'static str {
        "layering"
    }
    fn version(&self) -> &'static str {
        "1.0.0"
    }
    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.layer", prior: 0.3 }]
    }
    fn groups(&self, record: &Record) -> BTreeSet<String> {
        let key = record.belief().map(|belief| belief.identity_key.as_str()).unwrap_or_default();
        let group = if key.starts_with("org.example.count|") {
            "all"
        } else if key == "org.example.layer|all" {
            "top"
        } else {
            return BTreeSet::new();
        };
        BTreeSet::from([group.to_owned()])
    }
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        if records.is_empty() {
            return Vec::new();
        }
        let actions: BTreeMap<&str, &Value> = records
            .iter()
            .filter_map(Record::belief)
            .map(|belief| (belief.identity_key.as_str(), &belief.payload))
            .collect();
        vec![candidate("org.example.layer", group, json!({ "said": actions }), records, 0.2)]
    }
}

pub(crate) fn candidate(
    claim_type: &str,
    name: &str,
    payload: Value,
    records: &[Record],
    rate: f64,
) -> Candidate {
    let count = records.len() as f64;
    Candidate {
        claim_type: claim_type.to_owned(),
        identity_key: format!("{claim_type}|{name}"),
        text: format!("{name}: {payload}"),
        payload,
        inputs: records.iter().map(|record| Input { id: record.id, role: "counted" }).collect(),
        basis: Basis::new(0.3).with("count", count, saturating(3.0, rate, count)),
        rationale: format!("{count} records"),
        valid_from: None,
        valid_to: None,
        last_seen: None,
        tags: Vec::new(),
    }
}

pub(crate) fn note(uid: &str, text: &str) -> Evidence {
    Evidence {
        source: "remember".into(),
        source_uid: uid.into(),
        kind: "note".into(),
        actor: None,
        at: None,
        summary: text.into(),
        visibility: Visibility::Project,
        payload: Payload { text: text.into(), ..Payload::default() },
    }
}

pub(crate) fn at(second: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_second(1_760_000_000 + second).unwrap()
}

pub(crate) struct Home {
    pub(crate) space: Space,
    pub(crate) clock: i64,
}

impl Home {
    pub(crate) fn new(derivers: Vec<Box<dyn Deriver>>) -> Self {
        let mut space = Space::create_in_memory(Signer::from_seed([7; 32]), "test", at(0)).unwrap();
        space.set_derivers(derivers);
        Self { space, clock: 0 }
    }

    pub(crate) fn now(&mut self) -> jiff::Timestamp {
        self.clock += 1;
        at(self.clock)
    }

    pub(crate) fn remember(&mut self, uid: &str, text: &str) -> OpId {
        let now = self.now();
        match self.space.remember(note(uid, text), now).unwrap() {
            Outcome::Added(id)
            | Outcome::Present(id)
            | Outcome::Forgotten(id)
            | Outcome::Replaced { new: id, .. } => id,
        }
    }

    pub(crate) fn derive(&mut self, extent: Extent, intent: Intent) -> Derived {
        let now = self.now();
        self.space.derive(extent, intent, now, |_| {}).unwrap().0
    }

    pub(crate) fn act(&mut self, body: Body, target: OpId) -> Result<Changes, engine::EngineError> {
        let now = self.now();
        let refs = vec![Ref { id: target, role: Role::parse("target").unwrap() }];
        self.space.act(vec![Draft { body, refs }], Intent::Write, now)
    }

    pub(crate) fn believed(&mut self) -> BTreeMap<String, (String, Value, f64)> {
        let beliefs = self.space.beliefs().unwrap();
        let served = beliefs.into_iter().filter(|belief| belief.served.is_some());
        served
            .map(|belief| {
                (belief.key, (belief.state.as_str().to_owned(), belief.payload, belief.confidence))
            })
            .collect()
    }

    /// What a derivation from scratch would change.
    pub(crate) fn derive_from_scratch(&mut self) -> Derived {
        self.derive(Extent::Full, Intent::DryRun)
    }
}

pub(crate) fn toys() -> Vec<Box<dyn Deriver>> {
    vec![Box::new(Counting), Box::new(Layering)]
}

#[test]
fn a_new_record_changes_dependent_claims_through_all_layers() {
    let mut home = Home::new(toys());
    for (uid, text) in [("1", "tea today"), ("2", "tea again"), ("3", "rain")] {
        home.remember(uid, text);
    }
    let derived = home.derive(Extent::Changed, Intent::Write);
    assert_eq!((derived.added, derived.updated, derived.problem_count), (3, 0, 0), "{derived:?}");
    let keys: Vec<String> = home.believed().into_keys().collect();
    assert_eq!(keys, ["org.example.count|tea", "org.example.layer|all", "org.example.layer|top"]);
    assert!(home.derive(Extent::Changed, Intent::Write).changed_nothing());
    assert!(home.derive_from_scratch().changed_nothing());
    home.remember("4", "tea with milk");
    let derived = home.derive(Extent::Changed, Intent::Write);
    assert_eq!(
        derived.invalidated, 2,
        "what stood on the old count was invalidated before it was concluded again: {derived:?}"
    );
    assert_eq!(home.believed()["org.example.count|tea"].1, json!({ "parity": 1 }));
    assert!(home.derive_from_scratch().changed_nothing());
}

#[test]
fn a_correction_is_what_the_next_layer_cites_and_a_refuted_identity_never_comes_back() {
    let mut home = Home::new(toys());
    home.remember("1", "tea today");
    home.remember("2", "tea again");
    home.derive(Extent::Changed, Intent::Write);
    let count = home
        .space
        .beliefs()
        .unwrap()
        .into_iter()
        .find(|belief| belief.key == "org.example.count|tea")
        .unwrap();
    let correction = Body::ClaimCorrection(Correction {
        identity_key: "org.example.count|tea".into(),
        corrected_payload: json!({ "parity": "odd" }),
        text: None,
        note: String::new(),
    });
    let changes = home.act(correction, count.served.unwrap()).unwrap();
    let changed: Vec<&str> = changes.beliefs.keys().map(String::as_str).collect();
    assert_eq!(
        changed,
        ["org.example.count|tea", "org.example.layer|all", "org.example.layer|top"]
    );
    assert_eq!(
        home.believed()["org.example.layer|all"].1,
        json!({ "said": { "org.example.count|tea": { "parity": "odd" } } })
    );
    assert!(home.derive_from_scratch().changed_nothing());
    let pinned = changes.recorded[0];
    home.act(Body::CorrectionWithdrawal(Withdrawal { note: String::new() }), pinned).unwrap();
    assert_eq!(
        home.believed()["org.example.layer|all"].1,
        json!({ "said": { "org.example.count|tea": { "parity": 0 } } })
    );
    let refutation = Body::ClaimRefutation(Refutation {
        identity_key: "org.example.count|tea".into(),
        note: String::new(),
    });
    home.act(refutation, count.served.unwrap()).unwrap();
    assert!(home.believed().is_empty());
    home.remember("5", "tea for ever");
    let derived = home.derive(Extent::Changed, Intent::Write);
    assert_eq!(derived.withheld, 1);
    assert!(home.believed().is_empty());
    assert!(home.derive_from_scratch().changed_nothing());
}

#[test]
fn a_claim_that_no_group_concludes_any_more_is_retracted() {
    let mut home = Home::new(toys());
    let ids: Vec<OpId> = ["1", "2"].iter().map(|uid| home.remember(uid, "tea today")).collect();
    home.derive(Extent::Changed, Intent::Write);
    home.act(Body::EvidenceRetraction(Reason { reason: String::new() }), ids[0]).unwrap();
    assert!(home.believed().is_empty());
    assert!(home.derive_from_scratch().changed_nothing());
}

/// Random lives, each of [`STEPS`] steps.
const HISTORIES: u64 = 1_000;
const STEPS: usize = 16;

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// A step of a random life: something told, taken back, replaced, corrected, refuted, withdrawn.
pub(crate) fn step(
    home: &mut Home,
    dice: &mut Dice,
    records: &mut Vec<OpId>,
    actions: &mut Vec<(OpId, bool)>,
) {
    let words = ["tea", "rain", "gym", "ana"];
    match dice.below(10) {
        0..=4 => {
            let uid = dice.below(12).to_string();
            let text = format!("{} {}", words[dice.below(words.len())], dice.below(3));
            records.push(home.remember(&uid, &text));
        }
        5 if !records.is_empty() => {
            let target = records[dice.below(records.len())];
            let _ = home.act(Body::EvidenceRetraction(Reason { reason: String::new() }), target);
        }
        6..=7 => {
            let beliefs = home.space.beliefs().unwrap();
            if beliefs.is_empty() {
                return;
            }
            let belief = &beliefs[dice.below(beliefs.len())];
            let Some(target) = belief.served.or(belief.current) else { return };
            let key = belief.key.clone();
            let corrects = dice.below(2) == 0;
            let body = if corrects {
                let corrected_payload = json!({ "parity": dice.below(3) });
                Body::ClaimCorrection(Correction {
                    identity_key: key,
                    corrected_payload,
                    text: None,
                    note: String::new(),
                })
            } else {
                Body::ClaimRefutation(Refutation { identity_key: key, note: String::new() })
            };
            if let Ok(changes) = home.act(body, target) {
                actions.push((changes.recorded[0], corrects));
            }
        }
        8 if !actions.is_empty() => {
            let (target, corrects) = actions.swap_remove(dice.below(actions.len()));
            let note = Withdrawal { note: String::new() };
            let body = if corrects {
                Body::CorrectionWithdrawal(note)
            } else {
                Body::RefutationWithdrawal(note)
            };
            home.act(body, target).unwrap();
        }
        _ => {
            home.derive(Extent::Changed, Intent::Write);
        }
    }
}

/// Lives `first` and every fourth after it, so that several cores can share them.
fn live(first: u64) {
    for seed in (first..=HISTORIES).step_by(4) {
        let mut home = Home::new(toys());
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (mut records, mut actions) = (Vec::new(), Vec::new());
        for step_number in 1..=STEPS {
            step(&mut home, &mut dice, &mut records, &mut actions);
            if step_number % 8 == 0 {
                let derived = home.derive(Extent::Changed, Intent::Write);
                assert_eq!(derived.problem_count, 0, "seed {seed}: {derived:?}");
                let now = home.now();
                let (scratch, changes) =
                    home.space.derive(Extent::Full, Intent::DryRun, now, |_| {}).unwrap();
                let keys: Vec<&String> = changes.beliefs.keys().collect();
                assert!(
                    scratch.changed_nothing(),
                    "seed {seed}, step {step_number}: {scratch:?} {keys:?}"
                );
            }
        }
    }
}

#[test]
fn incremental_equals_from_scratch_on_random_histories_1() {
    live(1);
}

#[test]
fn incremental_equals_from_scratch_on_random_histories_2() {
    live(2);
}

#[test]
fn incremental_equals_from_scratch_on_random_histories_3() {
    live(3);
}

#[test]
fn incremental_equals_from_scratch_on_random_histories_4() {
    live(4);
}

/// Does whatever its group is named after.
struct Hostile;

impl Deriver for Hostile {
    fn name(&self) -> &'static str {
        "com.example.hostile"
    }
    fn version(&self) -> &'static str {
        "6.6.6"
    }
    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "com.example.hostile", prior: 0.5 }]
    }
    fn groups(&self, record: &Record) -> BTreeSet<String> {
        match &record.body {
            derivers::RecordBody::Evidence(evidence) => match evidence.payload.text.as_str() {
                "panic early" => panic!("no groups today"),
                "everywhere" => (0..100_000).map(|number| number.to_string()).collect(),
                text => BTreeSet::from([text.to_owned()]),
            },
            derivers::RecordBody::Belief(belief) => {
                BTreeSet::from([format!("feed {}", belief.identity_key.len() % 3)])
            }
        }
    }
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let kind = "com.example.hostile";
        let mut one = candidate(kind, group, json!(1), records, 0.5);
        match group {
            "panic" => panic!("as announced"),
            "foreign" => one.inputs.push(Input { id: OpId([9; 32]), role: "counted" }),
            "nothing" => one.inputs.clear(),
            "undeclared" => one.claim_type = "routine.weekly".into(),
            "misnamed" => one.identity_key = "place.frequent|home".into(),
            "role" => one.inputs[0].role = "supersedes",
            "huge" => one.payload = json!("x".repeat(2_000_000)),
            "many" => {
                return (0..1_000)
                    .map(|number| candidate(kind, &number.to_string(), json!(1), records, 0.5))
                    .collect();
            }
            "twice" => return vec![one.clone(), one],
            "certain" => one.basis = Basis::new(0.5).with("sure", f64::INFINITY, f64::NAN),
            feed if feed.starts_with("feed") => {
                let name = format!(
                    "{}+",
                    records
                        .last()
                        .map(|record| record.belief().unwrap().identity_key.clone())
                        .unwrap()
                );
                return vec![candidate(kind, &name, json!(records.len()), records, 0.5)];
            }
            _ => {}
        }
        vec![one]
    }
}

#[test]
fn an_error_of_a_deriver_is_reported_and_the_others_continue() {
    let wrongs = [
        "panic early",
        "everywhere",
        "panic",
        "foreign",
        "nothing",
        "undeclared",
        "misnamed",
        "role",
        "huge",
        "many",
        "twice",
    ];
    for wrong in wrongs {
        let mut derivers = toys();
        derivers.push(Box::new(Hostile));
        let mut home = Home::new(derivers);
        home.remember("1", wrong);
        home.remember("2", "tea today");
        home.remember("3", "tea again");
        let derived = home.derive(Extent::Changed, Intent::Write);
        assert!(derived.problem_count > 0, "{wrong}: {derived:?}");
        assert!(
            derived.problems.iter().all(|problem| problem.deriver == "com.example.hostile"),
            "{wrong}: {derived:?}"
        );
        assert!(home.believed().contains_key("org.example.layer|top"), "{wrong}");
    }
}

/// Counts, until it is told of rain.
struct Weatherly;

impl Deriver for Weatherly {
    fn name(&self) -> &'static str {
        "counting"
    }
    fn version(&self) -> &'static str {
        "2.0.0"
    }
    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.count", prior: 0.3 }]
    }
    fn groups(&self, record: &Record) -> BTreeSet<String> {
        Counting.groups(record)
    }
    fn derive(&self, _: &str, _: &[Record]) -> Vec<Candidate> {
        panic!("it rains");
    }
}

#[test]
fn claims_stay_when_their_deriver_panics_later() {
    let mut home = Home::new(toys());
    home.remember("1", "tea today");
    home.remember("2", "tea again");
    home.derive(Extent::Changed, Intent::Write);
    let before = home.believed();
    home.space.set_derivers(vec![Box::new(Weatherly), Box::new(Layering)]);
    let derived = home.derive(Extent::Full, Intent::Write);
    assert!(derived.problem_count > 0 && derived.retracted == 0, "{derived:?}");
    assert_eq!(home.believed(), before);
}

#[test]
fn a_deriver_that_feeds_on_itself_ends() {
    let mut home = Home::new(vec![Box::new(Hostile)]);
    home.remember("1", "certain");
    let derived = home.derive(Extent::Changed, Intent::Write);
    assert!(derived.problem_count > 0, "{derived:?}");
    assert!(home.space.beliefs().unwrap().len() < 100);
    let confidences = home.believed();
    assert_eq!(confidences["com.example.hostile|certain"].2, 0.5);
    assert!(home.derive(Extent::Changed, Intent::Write).changed_nothing());
}

/// Gives `to` all that `from` has.
pub(crate) fn send(from: &Home, to: &mut Home) {
    let mut lines = Vec::new();
    from.space.export(&mut lines, |_| {}).unwrap();
    let now = to.now();
    let intake = to.space.take_in(&mut lines.as_slice(), now, |_| {}).unwrap();
    assert_eq!(intake.refused, 0, "{:?}", intake.refusals);
}

/// What is believed, without how sure: two devices that derived apart may each keep their own
/// version until one derives again.
#[test]
fn two_devices_that_derive_apart_believe_the_same_after_a_merge() {
    for seed in 1..=60_u64 {
        let mut one = Home::new(toys());
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let signer = Signer::from_seed([8; 32]);
        let rights = vec![Capability::Append, Capability::Derive, Capability::Correct];
        let now = one.now();
        one.space.change_access(signer.author(), "two", rights, true, now).unwrap();
        let mut lines = Vec::new();
        one.space.export(&mut lines, |_| {}).unwrap();
        let (genesis, body) = engine::write::exchange::read_genesis(&mut lines.as_slice()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut space =
            Space::copy_of(&folder.path().join("two.db"), &genesis, &body, signer).unwrap();
        space.set_derivers(toys());
        let mut two = Home { space, clock: 0 };
        send(&one, &mut two);
        let mut lives = [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())];
        for _ in 0..3 {
            for (home, (records, actions)) in [&mut one, &mut two].into_iter().zip(&mut lives) {
                for _ in 0..6 {
                    step(home, &mut dice, records, actions);
                }
            }
            // Withdrawals of what the other device said come later, in the next round.
            send(&one, &mut two);
            two.derive(Extent::Changed, Intent::Write);
            let scratch = two.derive_from_scratch();
            assert!(scratch.changed_nothing(), "seed {seed}: {scratch:?}");
            send(&two, &mut one);
            one.derive(Extent::Changed, Intent::Write);
            let scratch = one.derive_from_scratch();
            assert!(scratch.changed_nothing(), "seed {seed}: {scratch:?}");
            let clock = one.clock.max(two.clock);
            (one.clock, two.clock) = (clock, clock);
            assert_eq!(one.believed(), two.believed(), "seed {seed}");
        }
    }
}

/// A space with so many records that deriving them takes more than one step; their ids.
fn backlog() -> (Home, Vec<OpId>) {
    let mut home = Home::new(toys());
    let mut ids = Vec::new();
    for batch in 0..3 {
        let notes = (0..700).map(|number| {
            let uid = (batch * 700 + number).to_string();
            Prepared::new(note(&uid, &format!("word{} today", number % 20)).into()).unwrap()
        });
        let now = home.now();
        for outcome in home.space.record(notes.collect(), now).unwrap() {
            if let Outcome::Added(id) = outcome {
                ids.push(id);
            }
        }
    }
    (home, ids)
}

#[test]
fn a_long_backlog_stays_derived_even_if_the_drafts_fail() {
    let (mut home, ids) = backlog();
    let refutes_a_note =
        Body::ClaimRefutation(Refutation { identity_key: "k".into(), note: String::new() });
    assert!(home.act(refutes_a_note, ids[0]).is_err());
    assert_eq!(home.believed().len(), 22);
    assert!(home.derive(Extent::Changed, Intent::Write).changed_nothing());
}

#[test]
fn a_dry_run_over_a_long_backlog_writes_nothing_and_returns_the_changes() {
    let (mut home, ids) = backlog();
    let count = |home: &Home| home.space.export(&mut Vec::new(), |_| {}).unwrap().operations;
    let before = count(&home);
    let mut retract = |intent| {
        let refs = vec![Ref { id: ids[0], role: Role::parse("target").unwrap() }];
        let body = Body::EvidenceRetraction(Reason { reason: String::new() });
        let now = home.now();
        let changes = home.space.act(vec![Draft { body, refs }], intent, now).unwrap();
        (changes.beliefs.into_keys().collect::<Vec<_>>(), count(&home))
    };
    let (would_change, after) = retract(Intent::DryRun);
    assert_eq!(after, before);
    assert_eq!(
        would_change,
        ["org.example.count|word0", "org.example.layer|all", "org.example.layer|top"]
    );
    let (changed, after) = retract(Intent::Write);
    assert_eq!(changed, would_change);
    assert!(after > before);
}

/// Another copy of a space, written by `signer`, with all that there is.
pub(crate) fn copy_of(home: &Home, path: &std::path::Path, signer: Signer) -> Home {
    let mut lines = Vec::new();
    home.space.export(&mut lines, |_| {}).unwrap();
    let (genesis, body) = engine::write::exchange::read_genesis(&mut lines.as_slice()).unwrap();
    let space = Space::copy_of(path, &genesis, &body, signer).unwrap();
    let mut copy = Home { space, clock: home.clock };
    send(home, &mut copy);
    copy
}

/// Claims which second words follow a first one, all in one identity:
/// `org.example.list|gym:thu,tue`.
pub(crate) struct Listing;

impl Deriver for Listing {
    fn name(&self) -> &'static str {
        "listing"
    }
    fn version(&self) -> &'static str {
        "1.0.0"
    }
    fn claim_types(&self) -> &[ClaimType] {
        &[ClaimType { name: "org.example.list", prior: 0.3 }]
    }
    fn groups(&self, record: &Record) -> BTreeSet<String> {
        Counting.groups(record)
    }
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        let seconds: BTreeSet<&str> = records
            .iter()
            .filter_map(|record| record.evidence()?.payload.text.split(' ').nth(1))
            .collect();
        let seconds: Vec<&str> = seconds.into_iter().collect();
        let name = format!("{group}:{}", seconds.join(","));
        if records.is_empty() {
            return Vec::new();
        }
        vec![candidate("org.example.list", &name, json!(seconds), records, 0.4)]
    }
}

#[test]
fn an_unsupported_claim_of_another_key_is_left_to_a_key_that_may_retract_it() {
    let listing = || -> Vec<Box<dyn Deriver>> { vec![Box::new(Listing)] };
    let mut owner = Home::new(listing());
    let agent = Signer::from_seed([8; 32]);
    let rights = vec![Capability::Append, Capability::Derive];
    let now = owner.now();
    owner.space.change_access(agent.author(), "agent", rights, true, now).unwrap();
    owner.remember("1", "gym tue");
    owner.derive(Extent::Changed, Intent::Write);
    let folder = tempfile::tempdir().unwrap();
    let mut agent = copy_of(&owner, &folder.path().join("agent.db"), agent);
    agent.space.set_derivers(listing());
    agent.remember("2", "gym thu");
    for added in [1, 0] {
        let derived = agent.derive(Extent::Changed, Intent::Write);
        let counts = (derived.added, derived.retracted, derived.left_to_others);
        assert_eq!(counts, (added, 0, 1), "{derived:?}");
    }
    let both: Vec<String> = agent.believed().into_keys().collect();
    assert_eq!(both, ["org.example.list|gym:thu,tue", "org.example.list|gym:tue"]);
    assert_eq!(agent.derive_from_scratch().left_to_others, 1);
    send(&agent, &mut owner);
    let derived = owner.derive(Extent::Changed, Intent::Write);
    assert_eq!((derived.retracted, derived.left_to_others), (1, 0), "{derived:?}");
    send(&owner, &mut agent);
    let derived = agent.derive(Extent::Changed, Intent::Write);
    assert_eq!(derived.left_to_others, 0, "{derived:?}");
    assert!(derived.changed_nothing(), "{derived:?}");
    assert_eq!(agent.believed(), owner.believed());
    assert_eq!(owner.believed().into_keys().collect::<Vec<_>>(), ["org.example.list|gym:thu,tue"]);
}

#[test]
fn a_claim_left_by_one_key_is_retracted_when_another_key_derives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let owner = Space::create(&path, Signer::from_seed([7; 32]), "test", at(0)).unwrap();
    let mut owner = Home { space: owner, clock: 0 };
    owner.space.set_derivers(vec![Box::new(Listing)]);
    let agent = Signer::from_seed([9; 32]);
    let rights = vec![Capability::Append, Capability::Derive];
    let now = owner.now();
    owner.space.change_access(agent.author(), "agent", rights, true, now).unwrap();
    owner.remember("1", "gym tue");
    owner.derive(Extent::Changed, Intent::Write);
    let mut agent = Home { space: Space::open(&path, agent).unwrap(), clock: 9 };
    agent.space.set_derivers(vec![Box::new(Listing)]);
    agent.remember("2", "gym thu");
    assert_eq!(agent.derive(Extent::Changed, Intent::Write).left_to_others, 1);
    owner.clock = 20;
    let derived = owner.derive(Extent::Changed, Intent::Write);
    assert_eq!((derived.read, derived.retracted), (0, 1), "there is nothing to read");
    assert!(owner.derive_from_scratch().changed_nothing());
}

#[test]
fn a_key_that_may_only_append_does_not_count_as_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.db");
    let owner = Space::create(&path, Signer::from_seed([7; 32]), "test", at(0)).unwrap();
    let mut owner = Home { space: owner, clock: 0 };
    let agent = Signer::from_seed([9; 32]);
    let now = owner.now();
    owner
        .space
        .change_access(agent.author(), "agent", vec![Capability::Append], true, now)
        .unwrap();
    let mut agent = Home { space: Space::open(&path, agent).unwrap(), clock: 1 };
    agent.remember("1", "Mallory is my wife. I hate tea.");
    owner.clock = 10;
    owner.derive(Extent::Changed, Intent::Write);
    assert!(owner.believed().is_empty(), "{:?}", owner.believed());
    owner.remember("2", "Ana is my wife. I love tea.");
    owner.derive(Extent::Changed, Intent::Write);
    let keys: Vec<String> = owner.believed().into_keys().collect();
    assert_eq!(keys, ["preference.drink|tea", "relationship.wife|ana"]);
    assert!(owner.derive_from_scratch().changed_nothing());
}

/// [`Counting`] under another name, with a type of its own.
struct Named(&'static str, [ClaimType; 1]);

impl Deriver for Named {
    fn name(&self) -> &'static str {
        self.0
    }
    fn version(&self) -> &'static str {
        "1.0.0"
    }
    fn claim_types(&self) -> &[ClaimType] {
        &self.1
    }
    fn groups(&self, record: &Record) -> BTreeSet<String> {
        Counting.groups(record)
    }
    fn derive(&self, group: &str, records: &[Record]) -> Vec<Candidate> {
        vec![candidate(self.1[0].name, group, json!(1), records, 0.4)]
    }
}

/// More groups than one step of a pass runs.
#[test]
fn the_claims_of_a_pass_are_appended_in_the_order_of_their_derivers() {
    let named = |name, claim_type| -> Box<dyn Deriver> {
        Box::new(Named(name, [ClaimType { name: claim_type, prior: 0.3 }]))
    };
    let mut home =
        Home::new(vec![named("second", "org.example.second"), named("first", "org.example.first")]);
    for number in 0..150 {
        home.remember(&number.to_string(), &format!("word{number}"));
    }
    assert_eq!(home.derive(Extent::Changed, Intent::Write).added, 300);
    let filter = LogFilter { kinds: vec!["claim".to_owned()], ..LogFilter::default() };
    let claims = home.space.log_tail(300, &filter).unwrap();
    let made_by: Vec<bool> = claims
        .iter()
        .map(|claim| claim.operation.body_value().unwrap()["deriver"]["name"] == "first")
        .collect();
    assert!(made_by[..150].iter().all(|first| *first), "{made_by:?}");
    assert!(made_by[150..].iter().all(|first| !*first), "{made_by:?}");
}
