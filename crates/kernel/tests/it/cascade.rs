//! The cascade against brute force, on random histories of two devices.
//!
//! The reference asks about every claim before and after each step by the recursion alone, and finds out whether a fall is recorded by
//! replaying the whole history in the space's order. After every operation that is taken in, what is stored of every claim is
//! compared with it. The histories are made from small numbers, which are the seeds.

use std::collections::{BTreeMap, BTreeSet};

use kernel::body::Body;
use kernel::canonical;
use kernel::cascade::{Consequences, Journal, consequences};
use kernel::falls::replayed;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::moment::Moment;
use kernel::operation::{Operation, Ref, Role, Stamp};
use kernel::rules::{Breach, JudgeError, judge, judge_place};
use kernel::seal::{Draft, Place, Signer};
use kernel::settle::{Settled, settle_all};
use kernel::validity::{State, Validity, inputs};
use kernel::world::{Entry, Graph, World};
use serde_json::{Value, json};

use crate::rules::{Book, evidence};

/// Histories that are tried.
const SEEDS: u64 = 8;
/// Steps of each.
const STEPS: usize = 120;
const KEYS: usize = 7;

/// Numbers that look random and are the same every time (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// What is stored of every claim, as the recursion and a replay have it.
fn stored_by_reference(graph: &Graph, log: &[(Operation, Body)]) -> BTreeMap<OpId, Settled> {
    let plain = Moment::without(graph, BTreeSet::new());
    let mut validity = Validity::new(&plain);
    let mut stored = BTreeMap::new();
    for (operation, body) in log.iter().filter(|(operation, _)| operation.header().kind == Kind::Claim) {
        let entry = Entry::of(operation, Some(body));
        let key = entry.identity.clone().unwrap();
        let sound = validity.is_sound(&entry).unwrap();
        let recorded = !sound && replayed(graph, &entry).unwrap();
        let is_current = validity.current(&key).unwrap().is_some_and(|current| current.id == entry.id);
        let due = !recorded && is_current && validity.state(&key).unwrap() == State::Invalidated;
        stored.insert(entry.id, Settled { sound, recorded, due });
    }
    stored
}

fn compare(graph: &Graph, log: &[(Operation, Body)]) {
    for (id, expected) in stored_by_reference(graph, log) {
        assert_eq!(graph.settled(&id).unwrap(), Some(expected), "{id}");
    }
}

/// What is believed, by the recursion alone.
struct Beliefs {
    valid: BTreeSet<OpId>,
    /// By identity: its state and what speaks for it.
    served: BTreeMap<String, (State, Option<OpId>)>,
}

struct Device {
    signer: Signer,
    graph: Graph,
    journal: Journal,
    log: Vec<(Operation, Body)>,
    /// How much of the log the other device has.
    sent: usize,
}

impl Device {
    fn new(number: u8) -> Self {
        let signer = Signer::from_seed([number; 32]);
        Self { signer, graph: Graph::default(), journal: Journal::default(), log: Vec::new(), sent: 0 }
    }

    fn seal(&self, clock: &mut u64, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> (Operation, Body) {
        *clock += 1;
        let kind = Kind::parse(kind).unwrap();
        let body = Body::parse(&kind, &canonical::to_bytes(body).unwrap()).unwrap();
        let refs = refs.iter().map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() }).collect();
        let (Ok(space), Ok(head)) = (self.graph.space(), self.graph.head(&self.signer.author()));
        let place = Place { space, head, ts: Stamp(*clock) };
        (self.signer.seal(Draft { body: body.clone(), refs }, place).unwrap(), body)
    }

    fn insert(&mut self, said: (Operation, Body)) {
        self.journal.note(self.graph.insert(&said.0, Some(&said.1)));
        self.log.push(said);
        compare(&self.graph, &self.log);
    }

    fn append(&mut self, clock: &mut u64, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> Option<OpId> {
        let said = self.seal(clock, kind, body, refs);
        match judge(&said.0, Some(&said.1), &self.graph) {
            Ok(_) => {}
            Err(JudgeError::Breach(Breach::StaleInput { .. } | Breach::IdentityRefuted { .. }))
            | Err(JudgeError::Breach(Breach::IdentityCorrected { .. } | Breach::CorrectsRefuted { .. })) => {
                return None;
            }
            // Kept without effect, as though it came from elsewhere.
            Err(JudgeError::Breach(Breach::NotPermitted { .. })) => {}
            Err(error) => panic!("{error}"),
        }
        let id = said.0.id();
        self.insert(said);
        Some(id)
    }

    fn ids(&self, kind: &Kind) -> Vec<OpId> {
        let of_kind = self.log.iter().filter(|(operation, _)| operation.header().kind == *kind);
        of_kind.map(|(operation, _)| operation.id()).collect()
    }

    fn beliefs(&self) -> Beliefs {
        let plain = Moment::without(&self.graph, BTreeSet::new());
        let mut validity = Validity::new(&plain);
        let ids = self.log.iter().map(|(operation, _)| operation.id());
        let valid = ids.filter(|id| validity.is_valid_input(id).unwrap()).collect();
        let mut served = BTreeMap::new();
        for number in 0..KEYS {
            let key = format!("k{number}");
            let (state, standing) = (validity.state(&key).unwrap(), validity.standing(&key).unwrap());
            let speaks = match state {
                State::Corrected => standing.correction,
                _ => standing.current,
            };
            served.insert(key, (state, speaks.map(|entry| entry.id)));
        }
        Beliefs { valid, served }
    }

    fn states(&self) -> BTreeMap<String, State> {
        let mut validity = Validity::new(&self.graph);
        (0..KEYS).map(|number| format!("k{number}")).map(|key| (key.clone(), validity.state(&key).unwrap())).collect()
    }

    fn entry(&self, id: &OpId) -> Entry {
        let Ok(entry) = self.graph.entry(id);
        entry.unwrap()
    }

    /// Whether the whole history, told in order, has a record of the fall after which the version never stood.
    fn is_recorded_by_replay(&self, version: &Entry) -> bool {
        let mut history: Vec<&(Operation, Body)> = self.log.iter().collect();
        history.sort_by_key(|(operation, _)| operation.order());
        let mut graph = Graph::default();
        let mut recorded = false;
        for (operation, body) in history {
            let plain = Moment::without(&graph, BTreeSet::new());
            if recorded && Validity::new(&plain).is_sound(version).unwrap() {
                recorded = false;
            }
            graph.insert(operation, Some(body));
            let entry = Entry::of(operation, Some(body));
            recorded |= entry.kind == Kind::ClaimInvalidation && entry.sole_ref(Role::TARGET) == Some(version.id);
        }
        recorded
    }

    /// Compares what the cascade says with brute force and records it, as the engine does.
    fn follow(&mut self, clock: &mut u64, before: &Beliefs) -> usize {
        let journal = std::mem::take(&mut self.journal);
        let Consequences { invalidated, reviews, changed, .. } =
            consequences(&self.graph, &journal, self.graph.due()).unwrap();
        let walked: Vec<OpId> = invalidated.iter().map(|fallen| fallen.target).collect();
        let mut sorted = walked.clone();
        sorted.sort_by_key(|id| self.entry(id).order());
        assert_eq!(walked, sorted, "in the order of the targets");
        let now = self.beliefs();
        let mut due = BTreeSet::new();
        for (state, current) in now.served.values() {
            let Some(entry) = current.filter(|_| *state == State::Invalidated).map(|id| self.entry(&id)) else {
                continue;
            };
            let recorded = self.is_recorded_by_replay(&entry);
            assert_eq!(replayed(&self.graph, &entry).unwrap(), recorded, "{}", entry.id);
            if !recorded {
                due.insert(entry.id);
            }
        }
        assert_eq!(walked.iter().copied().collect::<BTreeSet<_>>(), due, "complete and minimal");
        assert_eq!(walked.len(), due.len(), "each once");
        for (key, served) in &now.served {
            assert!(before.served[key] == *served || changed.contains(key), "{key} changed");
            let shaken = *served == before.served[key] && !self.lost(key, before, &now).is_empty();
            assert!(served.0 != State::Corrected || !shaken || reviews.iter().any(|review| review.key == *key));
        }
        for review in &reviews {
            assert_eq!(now.served[&review.key].0, State::Corrected);
            assert!(!self.lost(&review.key, before, &now).is_empty());
        }
        for fallen in &invalidated {
            let refs = [("target", fallen.target), ("cause", fallen.cause)];
            assert!(self.append(clock, "claim_invalidation", &json!({}), &refs).is_some());
        }
        for (operation, body) in &self.log {
            self.journal.note(self.graph.insert(operation, Some(body)));
        }
        let again = consequences(&self.graph, &std::mem::take(&mut self.journal), self.graph.due()).unwrap();
        assert_eq!(again, Consequences::default(), "taking the same in again changes nothing");
        invalidated.len()
    }

    /// The inputs of an identity's current version that were valid and are not now.
    fn lost(&self, key: &str, before: &Beliefs, now: &Beliefs) -> Vec<OpId> {
        let current = Validity::new(&self.graph).current(key).unwrap();
        let inputs: Vec<OpId> = current.iter().flat_map(inputs).collect();
        inputs.into_iter().filter(|id| before.valid.contains(id) && !now.valid.contains(id)).collect()
    }

    fn step(&mut self, clock: &mut u64, dice: &mut Dice) -> usize {
        let before = self.beliefs();
        let trigger = self.act(clock, dice);
        trigger.map_or(0, |_| self.follow(clock, &before))
    }

    fn act(&mut self, clock: &mut u64, dice: &mut Dice) -> Option<OpId> {
        let pick = |dice: &mut Dice, ids: &[OpId]| (!ids.is_empty()).then(|| ids[dice.below(ids.len())]);
        let evidences = self.ids(&Kind::Evidence);
        let claims = self.ids(&Kind::Claim);
        let corrections = self.ids(&Kind::ClaimCorrection);
        let key_of = |id: &OpId| self.entry(id).identity.unwrap_or_default();
        match dice.below(24) {
            0..=2 => self.append(clock, "evidence", &evidence(&clock.to_string()), &[]),
            3 => {
                let old = pick(dice, &evidences)?;
                self.append(clock, "evidence", &evidence(&clock.to_string()), &[("supersedes", old)])
            }
            4 => self.append(clock, "evidence_retraction", &json!({}), &[("target", pick(dice, &evidences)?)]),
            5..=15 => {
                let ground: Vec<OpId> = evidences.iter().chain(&claims).chain(&corrections).copied().collect();
                let mut validity = Validity::new(&self.graph);
                let valid: Vec<OpId> =
                    ground.iter().filter(|id| validity.is_valid_input(id).unwrap()).copied().collect();
                let inputs: BTreeSet<OpId> = (0..1 + dice.below(3)).filter_map(|_| pick(dice, &valid)).collect();
                let refs: Vec<(&str, OpId)> = inputs.into_iter().map(|input| ("input", input)).collect();
                let key = format!("k{}", dice.below(KEYS));
                let mut body = json!({"claim_type": "t", "identity_key": key, "payload": dice.below(2)});
                if dice.below(4) > 0 {
                    body["deriver"] = json!({"name": "d", "version": "1.0.0"});
                }
                if refs.is_empty() { None } else { self.append(clock, "claim", &body, &refs) }
            }
            16 | 17 => {
                let target = pick(dice, &claims)?;
                let body = json!({"identity_key": key_of(&target), "corrected_payload": dice.below(3)});
                self.append(clock, "claim_correction", &body, &[("target", target)])
            }
            18 => {
                let target = pick(dice, &claims)?;
                let body = json!({"identity_key": key_of(&target)});
                self.append(clock, "claim_refutation", &body, &[("target", target)])
            }
            19 | 20 => {
                self.append(clock, "correction_withdrawal", &json!({}), &[("target", pick(dice, &corrections)?)])
            }
            21 | 22 => {
                let refutations = self.ids(&Kind::ClaimRefutation);
                self.append(clock, "refutation_withdrawal", &json!({}), &[("target", pick(dice, &refutations)?)])
            }
            _ => self.append(clock, "retraction", &json!({}), &[("target", pick(dice, &claims)?)]),
        }
    }

    /// Takes in what the other device did.
    fn take(&mut self, clock: &mut u64, arrived: Vec<(Operation, Body)>) -> usize {
        let before = self.beliefs();
        for said in arrived {
            assert_eq!(judge_place(&said.0, Some(&said.1), &self.graph).unwrap(), None);
            self.insert(said);
        }
        self.follow(clock, &before)
    }
}

/// Both take in what the other did. What is recorded thereby goes over the next time.
fn exchange(clock: &mut u64, one: &mut Device, other: &mut Device) -> usize {
    let (from_one, from_other) = (one.log[one.sent..].to_vec(), other.log[other.sent..].to_vec());
    let (one_has, other_has) = (one.log.len() + from_other.len(), other.log.len() + from_one.len());
    let recorded = one.take(clock, from_other) + other.take(clock, from_one);
    (one.sent, other.sent) = (one_has, other_has);
    assert_eq!(one.states(), other.states());
    recorded
}

#[test]
fn a_cascade_is_what_brute_force_finds_on_any_history_of_two_devices() {
    let mut recorded = 0;
    for seed in 1..=SEEDS {
        println!("seed {seed}");
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (mut clock, mut one, mut other) = (0, Device::new(1), Device::new(2));
        let genesis = json!({"name": "t", "owner": one.signer.author(), "created": "2026-01-01T00:00:00Z"});
        one.append(&mut clock, "space", &genesis, &[]).unwrap();
        let grant = json!({"key": other.signer.author(), "capabilities": ["append", "derive", "correct"]});
        one.append(&mut clock, "grant", &grant, &[]).unwrap();
        // Half of the history is on one device, so that equality is tried, too.
        for _ in 0..STEPS / 2 {
            recorded += one.step(&mut clock, &mut dice);
        }
        for said in one.log.clone() {
            other.insert(said);
        }
        other.journal = Journal::default();
        (one.sent, other.sent) = (one.log.len(), other.log.len());
        for _ in STEPS / 2..STEPS {
            let device = if dice.below(2) == 0 { &mut one } else { &mut other };
            recorded += device.step(&mut clock, &mut dice);
            if dice.below(12) == 0 {
                recorded += exchange(&mut clock, &mut one, &mut other);
            }
        }
        recorded += exchange(&mut clock, &mut one, &mut other);
        exchange(&mut clock, &mut one, &mut other);
    }
    assert!(recorded > 10 * SEEDS as usize, "the histories do not try much: {recorded}");
}

/// A history of two keys, of which one is given its rights and loses them again.
fn with_changing_access(dice: &mut Dice) -> Device {
    let (mut clock, mut device, agent) = (0, Device::new(1), Signer::from_seed([2; 32]));
    let owner = device.signer.author();
    let genesis = json!({"name": "t", "owner": owner, "created": "2026-01-01T00:00:00Z"});
    let genesis = device.append(&mut clock, "space", &genesis, &[]).unwrap();
    let mut other = agent;
    for step in 0..STEPS / 2 {
        if dice.below(2) == 0 {
            std::mem::swap(&mut device.signer, &mut other);
        }
        if step % 8 == 0 {
            let change = ["grant", "revoke"][step / 8 % 2];
            let key = Signer::from_seed([2; 32]).author();
            let body = json!({"key": key, "capabilities": ["append", "derive", "correct"]});
            device.append(&mut clock, change, &body, &[]);
        }
        device.act(&mut clock, dice);
        let due = device.graph.due();
        if !due.is_empty() && dice.below(2) == 0 {
            let refs = [("target", due[dice.below(due.len())]), ("cause", genesis)];
            device.append(&mut clock, "claim_invalidation", &json!({}), &refs);
        }
    }
    device
}

#[test]
fn what_is_stored_does_not_depend_on_the_order_of_arrival() {
    let (mut recorded, mut unsound) = (0, 0);
    for seed in 1..=SEEDS {
        println!("seed {seed}");
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let device = with_changing_access(&mut dice);
        let mut left: Vec<&(Operation, Body)> = device.log.iter().collect();
        let mut graph = Graph::default();
        let mut claims = BTreeSet::new();
        while !left.is_empty() {
            let header = |place: usize| left[place].0.header();
            let here = |id: &OpId| graph.entry(id).unwrap().is_some();
            let ready = |place: &usize| {
                header(*place).refs.iter().all(|cited| here(&cited.id)) && header(*place).prev.iter().all(here)
            };
            let ready: Vec<usize> = (0..left.len()).filter(|place| ready(place)).collect();
            let (operation, body) = left.remove(ready[dice.below(ready.len())]);
            graph.insert(operation, Some(body));
            if operation.header().kind == Kind::Claim {
                claims.insert(operation.order());
            }
            let anew = settle_all(&graph, claims.iter().map(|(_, id)| *id)).unwrap();
            assert_eq!(anew.changes, []);
        }
        for (_, id) in claims {
            let settled = device.graph.settled(&id).unwrap().unwrap();
            assert_eq!(graph.settled(&id).unwrap(), Some(settled));
            recorded += usize::from(settled.recorded);
            unsound += usize::from(!settled.sound);
        }
        assert_eq!(graph.due(), device.graph.due());
    }
    assert!(recorded > SEEDS as usize && unsound > recorded, "the histories do not try much: {recorded}, {unsound}");
}

#[test]
fn a_fall_is_recorded_again_only_after_it_rose_whatever_the_cause() {
    let mut book = Book::new();
    let (left, right) = (book.evidence(), book.evidence());
    let base = book.claim("base", 1, &[left]).unwrap();
    let top = book.claim("top", 1, &[base, right]).unwrap();
    let refute = |book: &mut Book| {
        book.by_owner("claim_refutation", json!({"identity_key": "base"}), &[("target", base)]).unwrap()
    };
    let record = |book: &mut Book, cause| {
        book.by_agent("claim_invalidation", json!({}), &[("target", top), ("cause", cause)]).map(|_| ())
    };
    let first = refute(&mut book);
    assert_eq!(record(&mut book, first), Ok(()));
    let gone = book.by_agent("evidence_retraction", json!({}), &[("target", left)]).unwrap();
    assert_eq!(record(&mut book, gone), Err(Breach::DuplicateInvalidation { target: top }));
    let mut book = Book::new();
    let seen = book.evidence();
    let base = book.claim("base", 1, &[seen]).unwrap();
    let top = book.claim("top", 1, &[base]).unwrap();
    for _ in 0..2 {
        let refuted = book.by_owner("claim_refutation", json!({"identity_key": "base"}), &[("target", base)]).unwrap();
        for expected in [Ok(()), Err(Breach::DuplicateInvalidation { target: top })] {
            let refs = [("target", top), ("cause", refuted)];
            assert_eq!(book.by_agent("claim_invalidation", json!({}), &refs).map(|_| ()), expected);
        }
        book.by_owner("refutation_withdrawal", json!({}), &[("target", refuted)]).unwrap();
    }
}
