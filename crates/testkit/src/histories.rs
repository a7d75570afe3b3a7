//! Random histories of several devices, told to the real machinery and to [`NaiveBeliefs`] at once.
//!
//! A [`Device`] says what chance has it say, from what is believed at that moment, and takes in
//! what another said. After every operation that its [`Keeper`] takes, what the keeper stores of
//! each claim and what it answers is compared with the naive model; after every step, what it says
//! that follows. The devices' clocks know nothing of each other, so that times are often the same.
//! A history is made from a small number, its seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use kernel::body::{Body, payload_digest};
use kernel::canonical;
use kernel::cascade::Consequences;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Operation, Ref, Role};
use kernel::rules::RuleViolation;
use kernel::seal::{ChainPosition, Draft, Signer};
use kernel::snapshot::Snapshot;
use kernel::soundness::ClaimStatus;
use kernel::validity::{State, Validity};
use serde_json::{Value, json};

use crate::naive_beliefs::{NaiveBeliefs, Told};

/// Identities that histories speak of.
const KEYS: usize = 7;

/// Numbers that look random and are the same every time (xorshift64*).
pub struct Dice(u64);

impl Dice {
    /// Dice of a seed.
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

/// Whether the rules for one's own operations apply, or those for what arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Said here.
    Own,
    /// Said elsewhere.
    Elsewhere,
}

/// The machinery that is compared: it keeps a ledger, and says what follows.
pub trait Keeper {
    /// Why a look-up failed.
    type Error: Debug;
    /// Asks it something.
    fn ask(&self, question: &mut dyn FnMut(&dyn LedgerIndex<Error = Self::Error>));
    /// Takes an operation that breaks no rule; one that is there already changes nothing.
    fn take(
        &mut self,
        operation: &Operation,
        body: &Body,
        origin: Origin,
    ) -> Result<(), RuleViolation>;
    /// What follows from all that was taken since this was last asked.
    fn follow(&mut self) -> Consequences;
}

/// A body by kind.
///
/// # Panics
/// If it is none of that kind.
pub fn draft(kind: &str, body: &Value, refs: &[(&str, OpId)]) -> Draft {
    let kind = Kind::parse(kind).expect("a kind");
    let body = Body::parse(&kind, &canonical::to_bytes(body).expect("canonical")).expect("a body");
    let refs = refs
        .iter()
        .map(|(role, id)| Ref { id: *id, role: Role::parse(role).expect("a role") })
        .collect();
    Draft { body, refs }
}

/// Something that may be said after what was said so far; none where chance chose to speak of what
/// is not there.
pub fn next_draft(dice: &mut Dice, so_far: &NaiveBeliefs) -> Option<Draft> {
    let ids = |kind: &Kind| -> Vec<OpId> {
        let of_kind = so_far.said().iter().filter(|said| said.operation.header().kind == *kind);
        of_kind.map(|said| said.operation.id()).collect()
    };
    let evidence = |dice: &mut Dice| {
        let uid = dice.number().to_string();
        json!({"source": "t", "source_uid": uid, "kind": "note", "summary": "", "visibility": "project", "payload": {}})
    };
    let (evidences, claims, corrections) =
        (ids(&Kind::Evidence), ids(&Kind::Claim), ids(&Kind::ClaimCorrection));
    let key_of = |id: &OpId| {
        let said = so_far.said().iter().find(|said| said.operation.id() == *id)?;
        said.body.as_ref()?.identity().map(|(key, _)| key.to_owned())
    };
    let records: Vec<OpId> = [Kind::Claim, Kind::Node, Kind::Edge].iter().flat_map(ids).collect();
    Some(match dice.below(30) {
        0..=2 => draft("evidence", &evidence(dice), &[]),
        3 => draft("evidence", &evidence(dice), &[("supersedes", dice.pick(&evidences)?)]),
        4 => draft("evidence_retraction", &json!({}), &[("target", dice.pick(&evidences)?)]),
        5..=15 => {
            let told = so_far.told();
            let nodes = ids(&Kind::Node);
            let ground = evidences.iter().chain(&claims).chain(&corrections).chain(&nodes).copied();
            let valid: Vec<OpId> = ground.filter(|id| told.is_valid_input(id)).collect();
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
        _ => draft("retraction", &json!({}), &[("target", dice.pick(&records)?)]),
    })
}

/// One copy of a space, with the key that writes to it.
pub struct Device<K> {
    /// Who writes.
    pub signer: Signer,
    /// What is compared.
    pub keeper: K,
    /// What it is compared with.
    pub model: NaiveBeliefs,
    /// All that was said, in the order in which it arrived.
    pub log: Vec<(Operation, Body)>,
    sent: usize,
}

/// What was believed before a step.
struct Before {
    known: BTreeSet<OpId>,
    valid: BTreeSet<OpId>,
    speaking: BTreeMap<String, (State, Option<OpId>)>,
}

impl Before {
    fn of(told: &Told<'_>) -> Self {
        let speaking =
            told.keys().into_iter().map(|key| (key.to_owned(), speaking(told, key))).collect();
        Self { known: told.ids(), valid: told.valid_inputs(), speaking }
    }
}

/// The state of an identity, and the correction or claim that speaks for it, served or not.
fn speaking(told: &Told<'_>, key: &str) -> (State, Option<OpId>) {
    let speaks = told.served(key).or_else(|| told.current(key));
    (told.state(key), speaks.map(|said| said.operation.id()))
}

impl<K: Keeper> Device<K> {
    /// A device whose keeper holds nothing yet.
    pub fn new(signer: Signer, keeper: K) -> Self {
        Self { signer, keeper, model: NaiveBeliefs::default(), log: Vec::new(), sent: 0 }
    }

    /// Says something, unless a rule forbids it. What this key may not say is kept without effect,
    /// as though it came from elsewhere.
    ///
    /// # Panics
    /// Wherever the keeper and the model differ.
    pub fn say(&mut self, dice: &mut Dice, draft: Draft) -> Option<OpId> {
        let latest = self.model.said().last().map_or(0, |said| said.operation.header().ts.0);
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
        let operation = self.signer.seal(draft, place).expect("what is drafted can be sealed");
        match self.keeper.take(&operation, &body, Origin::Own) {
            Ok(()) => {}
            Err(RuleViolation::NotPermitted { .. }) => {
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

    /// Takes in what was said elsewhere.
    ///
    /// # Panics
    /// Wherever the keeper and the model differ.
    pub fn hear(&mut self, operation: Operation, body: Body) {
        self.keeper.take(&operation, &body, Origin::Elsewhere).expect("it is in its place");
        self.note(operation, body);
    }

    fn note(&mut self, operation: Operation, body: Body) {
        self.model.insert(operation.clone(), Some(body.clone()));
        self.log.push((operation, body));
        self.compare();
    }

    /// Compares what is stored and what is answered with the model.
    fn compare(&self) {
        let (told, recorded) = (self.model.told(), self.model.recorded());
        let due = self.model.due_but(&recorded);
        self.keeper.ask(&mut |world| {
            for said in self.model.said().iter().filter(|said| {
                matches!(said.operation.header().kind, Kind::Claim | Kind::Node | Kind::Edge)
            }) {
                let id = said.operation.id();
                let expected = ClaimStatus {
                    sound: told.is_sound(&id),
                    recorded: recorded.contains(&id),
                    due: due.contains(&id),
                };
                assert_eq!(world.status(&id).expect("settled"), Some(expected), "{id}");
            }
            let mut stored = Validity::new(world);
            for key in (0..KEYS).map(|number| format!("k{number}")) {
                assert_eq!(stored.state(&key).expect("state"), told.state(&key), "{key}");
                let standing = stored.standing(&key).expect("standing");
                let served = match told.state(&key) {
                    State::Corrected => standing.correction,
                    State::Active => standing.current,
                    _ => None,
                };
                let payload = served.as_ref().and_then(|served| served.payload);
                assert_eq!(payload, told.payload(&key).map(payload_digest), "{key}");
                assert_eq!(
                    served.map(|served| served.id),
                    told.served(&key).map(|said| said.operation.id()),
                    "{key}"
                );
            }
        });
    }

    /// Compares with the model what may be built upon, from what is stored and by the recursion
    /// over all that lies below.
    fn compare_inputs(&self, valid: &BTreeSet<OpId>) {
        self.keeper.ask(&mut |world| {
            let unstored = Snapshot::without(world, BTreeSet::new());
            let (mut stored, mut recursion) = (Validity::new(world), Validity::new(&unstored));
            for (operation, _) in &self.log {
                // Of the rest the specification does not say whether it may be built upon.
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

    /// One step of a history; answers how many falls were recorded.
    ///
    /// # Panics
    /// Wherever the keeper and the model differ.
    pub fn step(&mut self, dice: &mut Dice) -> usize {
        let before = Before::of(&self.model.told());
        let Some(draft) = next_draft(dice, &self.model) else { return 0 };
        if self.say(dice, draft).is_none() {
            return 0;
        }
        self.follow(dice, &before)
    }

    /// Takes in all of `arrived` as one; answers how many falls were recorded.
    ///
    /// # Panics
    /// Wherever the keeper and the model differ.
    pub fn merge(&mut self, dice: &mut Dice, arrived: &[(Operation, Body)]) -> usize {
        let before = Before::of(&self.model.told());
        for (operation, body) in arrived {
            self.hear(operation.clone(), body.clone());
        }
        let recorded = self.follow(dice, &before);
        for (operation, body) in arrived {
            self.keeper.take(operation, body, Origin::Elsewhere).expect("it is there already");
        }
        assert_eq!(
            self.keeper.follow(),
            Consequences::default(),
            "taking the same in again changes nothing"
        );
        recorded
    }

    /// Compares what follows with the model, and records it as the engine does.
    fn follow(&mut self, dice: &mut Dice, before: &Before) -> usize {
        let Consequences { invalidated, reviews, changed, .. } = self.keeper.follow();
        let fallen: Vec<OpId> = invalidated.iter().map(|fallen| fallen.target).collect();
        assert_eq!(
            fallen,
            self.model.due(),
            "complete, minimal, each once and in the order of the targets"
        );
        let told = self.model.told();
        let after = Before::of(&told);
        self.compare_inputs(&after.valid);
        for (key, speaks) in &after.speaking {
            assert!(
                before.speaking.get(key) == Some(speaks) || changed.contains(key),
                "{key} changed"
            );
        }
        let shaken = told.shaken(&before.valid);
        let reviewed: BTreeSet<&str> = reviews.iter().map(|review| review.key.as_str()).collect();
        assert!(
            shaken.is_subset(&reviewed),
            "corrected identities of which an input became invalid: {shaken:?}"
        );
        // What arrived was never held here, so the specification does not say whether its ground
        // was lost on the way.
        let arrived = |id: &OpId| !before.known.contains(id);
        let ground: BTreeSet<OpId> =
            told.ids().into_iter().filter(arrived).chain(before.valid.clone()).collect();
        assert!(reviewed.is_subset(&told.shaken(&ground)), "no other: {reviewed:?}");
        for fallen in &invalidated {
            let refs = [("target", fallen.target), ("cause", fallen.cause)];
            assert!(self.say(dice, draft("claim_invalidation", &json!({}), &refs)).is_some());
        }
        assert_eq!(self.model.due(), []);
        assert_eq!(self.keeper.follow().invalidated, [], "what is recorded is not due");
        invalidated.len()
    }
}

/// Both take in what the other did. What is recorded thereby goes over the next time.
fn exchange<K: Keeper>(dice: &mut Dice, one: &mut Device<K>, other: &mut Device<K>) -> usize {
    let (from_one, from_other) = (one.log[one.sent..].to_vec(), other.log[other.sent..].to_vec());
    let (one_has, other_has) = (one.log.len() + from_other.len(), other.log.len() + from_one.len());
    let recorded = one.merge(dice, &from_other) + other.merge(dice, &from_one);
    (one.sent, other.sent) = (one_has, other_has);
    let states = |device: &Device<K>| {
        let told = device.model.told();
        told.keys()
            .into_iter()
            .map(|key| (key.to_owned(), told.state(key)))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(states(one), states(other));
    recorded
}

/// A history of two devices of so many steps, of which the first half is on one device; answers how
/// many falls were recorded.
///
/// # Panics
/// Wherever a keeper and the model differ.
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
    one.say(&mut dice, draft("grant", &grant, &[])).expect("the owner may");
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
