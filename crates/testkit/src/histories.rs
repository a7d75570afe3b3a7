//! Random histories of several devices, applied to the real implementation and to [`NaiveBeliefs`]
//! in parallel.
//!
//! A [`Device`] makes random operations, based on the current beliefs, and accepts those of other
//! devices. After every operation that its [`Keeper`] accepts, the keeper's stored state of each
//! claim and its query results are compared with the naive model; after every step, the
//! consequences that it reports are compared too. The devices' clocks are independent, so equal
//! times are common. A history is generated from a seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use kernel::body::{Body, payload_digest};
use kernel::canonical;
use kernel::cascade::Consequences;
use kernel::id::OpId;
use kernel::identity::text_key;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Operation, Ref, Role};
use kernel::records::Records;
use kernel::rules::RuleViolation;
use kernel::seal::{ChainPosition, Draft, Signer};
use kernel::snapshot::Snapshot;
use kernel::soundness::ClaimStatus;
use kernel::validity::{State, Validity};
use serde_json::{Value, json};

use crate::naive_beliefs::{NaiveBeliefs, Replay};
use crate::naive_records::NaiveRecords;

/// The identities that occur in histories.
const KEYS: usize = 7;

/// The texts that claims and nodes state in words.
const TEXTS: usize = 4;

/// A deterministic pseudo-random number generator (xorshift64*).
pub struct Dice(u64);

impl Dice {
    /// A generator with a seed.
    pub fn of(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.number() as usize % limit
    }

    /// One of several, if there is one.
    pub fn pick<T: Copy>(&mut self, several: &[T]) -> Option<T> {
        if several.is_empty() { None } else { several.get(self.below(several.len())).copied() }
    }
}

/// Whether an operation is made locally or received, which determines the rules that apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Made locally.
    Own,
    /// Received from another device.
    Elsewhere,
}

/// The implementation under test: it keeps a ledger and reports the consequences of operations.
pub trait Keeper {
    /// Why a look-up failed.
    type Error: Debug;
    /// Queries its ledger index.
    fn ask(&self, question: &mut dyn FnMut(&dyn LedgerIndex<Error = Self::Error>));
    /// Accepts an operation that violates no rule; a duplicate changes nothing.
    fn take(
        &mut self,
        operation: &Operation,
        body: &Body,
        origin: Origin,
    ) -> Result<(), RuleViolation>;
    /// The consequences of all operations since the last call.
    fn follow(&mut self) -> Consequences;
}

/// A body by kind.
///
/// # Panics
/// If it is not a valid body of that kind.
pub fn draft(kind: &str, body: &Value, refs: &[(&str, OpId)]) -> Draft {
    let kind = Kind::parse(kind).expect("a kind");
    let body = Body::parse(&kind, &canonical::to_bytes(body).expect("canonical")).expect("a body");
    let refs = refs
        .iter()
        .map(|(role, id)| Ref { id: *id, role: Role::parse(role).expect("a role") })
        .collect();
    Draft { body, refs }
}

/// A random draft after the given history; `None` if the random choice refers to something that
/// does not exist.
pub fn next_draft(dice: &mut Dice, history: &NaiveBeliefs) -> Option<Draft> {
    let ids = |kind: &Kind| -> Vec<OpId> {
        let of_kind =
            history.operations().iter().filter(|entry| entry.operation.header().kind == *kind);
        of_kind.map(|entry| entry.operation.id()).collect()
    };
    let evidence = |dice: &mut Dice| {
        let uid = dice.number().to_string();
        json!({"source": "t", "source_uid": uid, "kind": "note", "summary": "", "visibility": "project", "payload": {}})
    };
    let (evidences, claims, corrections) =
        (ids(&Kind::Evidence), ids(&Kind::Claim), ids(&Kind::ClaimCorrection));
    let key_of = |id: &OpId| {
        let entry = history.operations().iter().find(|entry| entry.operation.id() == *id)?;
        entry.body.as_ref()?.identity().map(|(key, _)| key.to_owned())
    };
    let records: Vec<OpId> = [Kind::Claim, Kind::Node, Kind::Edge].iter().flat_map(ids).collect();
    Some(match dice.below(46) {
        0..=2 => draft("evidence", &evidence(dice), &[]),
        3 => draft("evidence", &evidence(dice), &[("supersedes", dice.pick(&evidences)?)]),
        4 => draft("evidence_retraction", &json!({}), &[("target", dice.pick(&evidences)?)]),
        5..=15 => {
            let replay = history.replay();
            let nodes = ids(&Kind::Node);
            let ground = evidences.iter().chain(&claims).chain(&corrections).chain(&nodes).copied();
            let valid: Vec<OpId> = ground.filter(|id| replay.is_valid_input(id)).collect();
            let inputs: BTreeSet<OpId> =
                (0..1 + dice.below(3)).filter_map(|_| dice.pick(&valid)).collect();
            if inputs.is_empty() {
                return None;
            }
            let refs: Vec<(&str, OpId)> =
                inputs.into_iter().map(|input| ("input", input)).collect();
            let key = format!("k{}", dice.below(KEYS));
            let mut body = json!({"claim_type": "t", "identity_key": key, "payload": dice.below(2), "confidence": 0.9});
            if dice.below(4) > 0 {
                body["deriver"] = json!({"name": "d", "version": "1.0.0"});
            }
            draft("claim", &body, &refs)
        }
        16 | 17 => {
            let target = dice.pick(&claims)?;
            let body =
                json!({"identity_key": key_of(&target)?, "corrected_payload": dice.below(3)});
            draft("claim_correction", &body, &[("target", target)])
        }
        18 => {
            let target = dice.pick(&claims)?;
            draft(
                "claim_refutation",
                &json!({"identity_key": key_of(&target)?}),
                &[("target", target)],
            )
        }
        19 | 20 => {
            draft("correction_withdrawal", &json!({}), &[("target", dice.pick(&corrections)?)])
        }
        21 | 22 => {
            let refutations = ids(&Kind::ClaimRefutation);
            draft("refutation_withdrawal", &json!({}), &[("target", dice.pick(&refutations)?)])
        }
        23..=26 => {
            // A node on anything, valid or not: no rule asks, and soundness must say.
            let ground: Vec<OpId> =
                evidences.iter().chain(&records).chain(&corrections).copied().collect();
            let refs: Vec<(&str, OpId)> =
                (0..dice.below(3)).filter_map(|_| Some(("input", dice.pick(&ground)?))).collect();
            draft("node", &json!({"node_type": "decision"}), &refs)
        }
        27 => {
            let ends = [("from", dice.pick(&records)?), ("to", dice.pick(&records)?)];
            let input = ("input", dice.pick(&evidences)?);
            draft("edge", &json!({"edge_type": "supports"}), &[ends[0], ends[1], input])
        }
        28 | 29 | 45 => draft("retraction", &json!({}), &[("target", dice.pick(&records)?)]),
        30..=32 => {
            let retractions: Vec<OpId> =
                [Kind::EvidenceRetraction, Kind::Retraction].iter().flat_map(ids).collect();
            draft("retraction_withdrawal", &json!({}), &[("target", dice.pick(&retractions)?)])
        }
        33..=36 => {
            let said = format!("it is {}", dice.below(TEXTS));
            let body = json!({"claim_type": "fact", "identity_key": text_key("fact", &said), "text": said, "confidence": 1});
            draft("claim", &body, &[("input", dice.pick(&evidences)?)])
        }
        37 | 38 => {
            let body =
                json!({"node_type": "decision", "text": format!("Do {}", dice.below(TEXTS))});
            draft("node", &body, &[("input", dice.pick(&evidences)?)])
        }
        _ => {
            // Replacements and redirects between any records: the rules refuse some, and a merge
            // brings what they do not know.
            let edge_type = ["same_as", "supersedes"][dice.below(2)];
            let of = if dice.below(3) == 0 { &ids(&Kind::Node) } else { &claims };
            let ends = [("from", dice.pick(of)?), ("to", dice.pick(of)?)];
            let input = ("input", dice.pick(&evidences)?);
            draft("edge", &json!({ "edge_type": edge_type }), &[ends[0], ends[1], input])
        }
    })
}

/// Whether a node or an edge breaks a rule that another program may not have.
fn is_graph_rule(violation: &RuleViolation, body: &Body) -> bool {
    matches!(body, Body::Node(_) | Body::Edge(_))
        && matches!(
            violation,
            RuleViolation::EmptyInputs
                | RuleViolation::InputKind { .. }
                | RuleViolation::StaleInput { .. }
                | RuleViolation::SelfEdge { .. }
                | RuleViolation::DifferentKinds { .. }
                | RuleViolation::StaleEnd { .. }
                | RuleViolation::Cycle { .. }
        )
}

/// One copy of a space, with the key that writes to it.
pub struct Device<K> {
    /// The key of the device.
    pub signer: Signer,
    /// The implementation under test.
    pub keeper: K,
    /// The reference model.
    pub model: NaiveBeliefs,
    /// All operations in the order of their arrival.
    pub log: Vec<(Operation, Body)>,
    sent: usize,
}

/// The beliefs before a step.
struct Before {
    known: BTreeSet<OpId>,
    valid: BTreeSet<OpId>,
    current_versions: BTreeMap<String, (State, Option<OpId>)>,
}

impl Before {
    fn of(replay: &Replay<'_>) -> Self {
        let current_versions = replay
            .keys()
            .into_iter()
            .map(|key| (key.to_owned(), current_versions(replay, key)))
            .collect();
        Self { known: replay.ids(), valid: replay.valid_inputs(), current_versions }
    }
}

/// The state of an identity, and its current correction or claim, served or not.
fn current_versions(replay: &Replay<'_>, key: &str) -> (State, Option<OpId>) {
    let speaks = replay.served(key).or_else(|| replay.current(key));
    (replay.state(key), speaks.map(|entry| entry.operation.id()))
}

impl<K: Keeper> Device<K> {
    /// A device with an empty keeper.
    pub fn new(signer: Signer, keeper: K) -> Self {
        Self { signer, keeper, model: NaiveBeliefs::default(), log: Vec::new(), sent: 0 }
    }

    /// Makes an operation, unless a rule forbids it. An operation that this key may not make is
    /// kept without effect, as if it had been received.
    ///
    /// # Panics
    /// If the keeper and the model differ.
    pub fn make(&mut self, dice: &mut Dice, draft: Draft) -> Option<OpId> {
        let latest =
            self.model.operations().last().map_or(0, |entry| entry.operation.header().ts.0);
        let mut place = ChainPosition {
            space: None,
            head: None,
            ts: HlcTimestamp(latest + 1 + dice.below(2) as u64),
        };
        let author = self.signer.author();
        self.keeper.ask(&mut |world| {
            place.space = world.space().expect("the space");
            place.head = world.head(&author).expect("the head");
        });
        let body = draft.body.clone();
        let operation = self.signer.seal(draft, place).expect("a draft can be sealed");
        match self.keeper.take(&operation, &body, Origin::Own) {
            Ok(()) => {}
            Err(RuleViolation::NotPermitted { .. }) => {
                self.keeper.take(&operation, &body, Origin::Elsewhere).expect("it is in its place");
            }
            // A program with other rules may have appended it.
            Err(violation) if is_graph_rule(&violation, &body) => {
                if dice.below(2) == 0 {
                    return None;
                }
                self.keeper.take(&operation, &body, Origin::Elsewhere).expect("it is in its place");
            }
            Err(
                RuleViolation::StaleInput { .. }
                | RuleViolation::IdentityRefuted { .. }
                | RuleViolation::IdentityCorrected { .. }
                | RuleViolation::CorrectsRefuted { .. },
            ) => return None,
            Err(violation) => panic!("{violation}"),
        }
        let id = operation.id();
        self.note(operation, body);
        Some(id)
    }

    /// Receives an operation of another device.
    ///
    /// # Panics
    /// If the keeper and the model differ.
    pub fn receive(&mut self, operation: Operation, body: Body) {
        self.keeper.take(&operation, &body, Origin::Elsewhere).expect("it is in its place");
        self.note(operation, body);
    }

    fn note(&mut self, operation: Operation, body: Body) {
        self.model.insert(operation.clone(), Some(body.clone()));
        self.log.push((operation, body));
        self.compare();
    }

    /// Compares stored state and query results with the model.
    fn compare(&self) {
        let (replay, recorded) = (self.model.replay(), self.model.recorded());
        let due = self.model.due_except(&recorded);
        self.keeper.ask(&mut |world| {
            for entry in self.model.operations().iter().filter(|entry| {
                matches!(entry.operation.header().kind, Kind::Claim | Kind::Node | Kind::Edge)
            }) {
                let id = entry.operation.id();
                let expected = ClaimStatus {
                    sound: replay.is_sound(&id),
                    recorded: recorded.contains(&id),
                    due: due.contains(&id),
                };
                assert_eq!(world.status(&id).expect("settled"), Some(expected), "{id}");
            }
            let mut stored = Validity::new(world);
            for key in (0..KEYS).map(|number| format!("k{number}")) {
                assert_eq!(stored.state(&key).expect("state"), replay.state(&key), "{key}");
                let standing = stored.standing(&key).expect("standing");
                let served = match replay.state(&key) {
                    State::Corrected => standing.correction,
                    State::Active => standing.current,
                    _ => None,
                };
                let payload = served.as_ref().and_then(|served| served.payload);
                assert_eq!(payload, replay.payload(&key).map(payload_digest), "{key}");
                assert_eq!(
                    served.map(|served| served.id),
                    replay.served(&key).map(|entry| entry.operation.id()),
                    "{key}"
                );
            }
        });
    }

    /// Compares the valid inputs with the model, both from stored state and by recursion over all
    /// inputs.
    fn compare_inputs(&self, valid: &BTreeSet<OpId>) {
        self.keeper.ask(&mut |world| {
            let unstored = Snapshot::without(world, BTreeSet::new());
            let (mut stored, mut recursion) = (Validity::new(world), Validity::new(&unstored));
            for (operation, _) in &self.log {
                // The specification does not define whether other operations are valid inputs.
                if !matches!(
                    operation.header().kind,
                    Kind::Evidence | Kind::Claim | Kind::ClaimCorrection | Kind::Node
                ) {
                    continue;
                }
                let id = operation.id();
                assert_eq!(stored.is_valid_input(&id).expect("valid"), valid.contains(&id), "{id}");
                assert_eq!(
                    recursion.is_valid_input(&id).expect("valid"),
                    valid.contains(&id),
                    "{id}"
                );
            }
        });
    }

    /// Compares the status of every record, where redirects lead, and what gives way to what, with
    /// the model: as of now, and as of a time before.
    fn compare_records(&self, dice: &mut Dice) {
        let operations = self.model.operations();
        let cut = dice.below(operations.len() + 1);
        let mut earlier = Replay::default();
        operations.iter().take(cut).for_each(|entry| earlier.apply(entry));
        let now = self.model.replay();
        self.keeper.ask(&mut |world| {
            let expected = NaiveRecords::of(&now);
            compare_statuses(&mut Records::new(world), &expected, &now);
            if let Some(next) = operations.get(cut) {
                let past = Snapshot::before(world, next.operation.order());
                let expected = NaiveRecords::of(&earlier);
                compare_statuses(&mut Records::new(&past), &expected, &earlier);
            }
        });
    }

    /// One step of a history; returns the number of recorded invalidations.
    ///
    /// # Panics
    /// If the keeper and the model differ.
    pub fn step(&mut self, dice: &mut Dice) -> usize {
        let before = Before::of(&self.model.replay());
        let Some(draft) = next_draft(dice, &self.model) else { return 0 };
        if self.make(dice, draft).is_none() {
            return 0;
        }
        self.follow(dice, &before)
    }

    /// Receives all of `arrived` in one step; returns the number of recorded invalidations.
    ///
    /// # Panics
    /// If the keeper and the model differ.
    pub fn merge(&mut self, dice: &mut Dice, arrived: &[(Operation, Body)]) -> usize {
        let before = Before::of(&self.model.replay());
        for (operation, body) in arrived {
            self.receive(operation.clone(), body.clone());
        }
        let recorded = self.follow(dice, &before);
        for (operation, body) in arrived {
            self.keeper.take(operation, body, Origin::Elsewhere).expect("it is there already");
        }
        assert_eq!(self.keeper.follow(), Consequences::default(), "a duplicate changes nothing");
        recorded
    }

    /// Compares the consequences with the model, and records them like the engine.
    fn follow(&mut self, dice: &mut Dice, before: &Before) -> usize {
        let Consequences { invalidated, reviews, changed, .. } = self.keeper.follow();
        let targets: Vec<OpId> =
            invalidated.iter().map(|invalidation| invalidation.target).collect();
        assert_eq!(
            targets,
            self.model.due(),
            "complete, minimal, without duplicates, and in the order of the targets"
        );
        let replay = self.model.replay();
        let after = Before::of(&replay);
        self.compare_inputs(&after.valid);
        self.compare_records(dice);
        for (key, speaks) in &after.current_versions {
            assert!(
                before.current_versions.get(key) == Some(speaks) || changed.contains(key),
                "{key} changed"
            );
        }
        let weakened = replay.weakened(&before.valid);
        let reviewed: BTreeSet<&str> = reviews.iter().map(|review| review.key.as_str()).collect();
        assert!(
            weakened.is_subset(&reviewed),
            "corrected identities of which an input became invalid: {weakened:?}"
        );
        // Received operations had no previous state here, so the specification does not define
        // whether they lost an input.
        let arrived = |id: &OpId| !before.known.contains(id);
        let ground: BTreeSet<OpId> =
            replay.ids().into_iter().filter(arrived).chain(before.valid.clone()).collect();
        assert!(reviewed.is_subset(&replay.weakened(&ground)), "no other: {reviewed:?}");
        for invalidation in &invalidated {
            let refs = [("target", invalidation.target), ("cause", invalidation.cause)];
            assert!(self.make(dice, draft("claim_invalidation", &json!({}), &refs)).is_some());
        }
        assert_eq!(self.model.due(), []);
        assert_eq!(self.keeper.follow().invalidated, [], "recorded invalidations are not due");
        invalidated.len()
    }
}

fn compare_statuses<W: LedgerIndex<Error: Debug> + ?Sized>(
    records: &mut Records<'_, W>,
    expected: &NaiveRecords<'_, '_>,
    replay: &Replay<'_>,
) {
    for id in replay.ids() {
        assert_eq!(records.status(&id).expect("a status"), expected.status(&id), "{id}");
        if expected.status(&id).is_some() {
            assert_eq!(records.canonical(&id).expect("a record"), expected.canonical(&id), "{id}");
        }
    }
    let joined = expected.joined();
    for id in &joined {
        let expected = expected.gives_way_to(id);
        for other in &joined {
            let gives_way = records.gives_way(id, other).expect("records");
            assert_eq!(gives_way, expected.contains(other), "{id} {other}");
        }
    }
}

/// Both devices receive the other's operations. Invalidations recorded in this step are exchanged
/// in the next.
fn exchange<K: Keeper>(dice: &mut Dice, one: &mut Device<K>, other: &mut Device<K>) -> usize {
    let (from_one, from_other) = (one.log[one.sent..].to_vec(), other.log[other.sent..].to_vec());
    let (one_has, other_has) = (one.log.len() + from_other.len(), other.log.len() + from_one.len());
    let recorded = one.merge(dice, &from_other) + other.merge(dice, &from_one);
    (one.sent, other.sent) = (one_has, other_has);
    let states = |device: &Device<K>| {
        let replay = device.model.replay();
        replay
            .keys()
            .into_iter()
            .map(|key| (key.to_owned(), replay.state(key)))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(states(one), states(other));
    recorded
}

/// A history of two devices with a number of steps, the first half on one device; returns the
/// number of recorded invalidations.
///
/// # Panics
/// If a keeper and the model differ.
pub fn two_devices<K: Keeper>(
    seed: u64,
    steps: usize,
    begin: impl Fn(&Operation, &Body) -> K,
) -> usize {
    let mut dice = Dice::of(seed);
    let (first, second) = (Signer::from_seed([1; 32]), Signer::from_seed([2; 32]));
    let (grantee, owner) = (second.author(), first.author());
    let body = json!({"name": "t", "owner": owner, "created": "2026-01-01T00:00:00Z"});
    let Draft { body, refs } = draft("space", &body, &[]);
    let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
    let genesis = first.seal(Draft { body: body.clone(), refs }, place).expect("a genesis");
    let mut one = Device::new(first, begin(&genesis, &body));
    let mut other = Device::new(second, begin(&genesis, &body));
    for device in [&mut one, &mut other] {
        device.note(genesis.clone(), body.clone());
        device.sent = 1;
    }
    let grant = json!({"key": grantee, "capabilities": ["append", "derive", "correct"]});
    one.make(&mut dice, draft("grant", &grant, &[])).expect("the owner may");
    let mut recorded = 0;
    for _ in 0..steps / 2 {
        recorded += one.step(&mut dice);
    }
    recorded += exchange(&mut dice, &mut one, &mut other);
    for _ in steps / 2..steps {
        let device = if dice.below(2) == 0 { &mut one } else { &mut other };
        recorded += device.step(&mut dice);
        if dice.below(12) == 0 {
            recorded += exchange(&mut dice, &mut one, &mut other);
        }
    }
    recorded += exchange(&mut dice, &mut one, &mut other);
    exchange(&mut dice, &mut one, &mut other);
    recorded
}
