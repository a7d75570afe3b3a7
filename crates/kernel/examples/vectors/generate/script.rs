//! A ledger as it grows: each step a line and what a reader must say of it.

use std::collections::BTreeMap;

use kernel::canonical;
use kernel::id::{Author, OpId, SpaceId};
use kernel::kind::Kind;
use kernel::ledger_index::Head;
use kernel::operation::{HlcTimestamp, Operation, Ref, Role};
use kernel::seal::{ChainPosition, Signer};
use serde_json::{Value, json};

use super::raw::EPOCH_US;

/// Time between two steps, microseconds.
const STEP_US: u64 = 1_000_000;

/// A sequence of operations with what is expected of each.
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) steps: Vec<Value>,
    heads: BTreeMap<Author, Head>,
    space: Option<SpaceId>,
    clock: u64,
}

impl Script {
    pub(super) fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            steps: Vec::new(),
            heads: BTreeMap::new(),
            space: None,
            clock: EPOCH_US,
        }
    }

    /// A script that begins with the genesis operation of `owner`.
    pub(super) fn begun(name: &'static str, about: &'static str, owner: &Signer) -> Self {
        let mut script = Self::new(name, about);
        script.append(owner, "space", space_body(owner, name), &[]);
        script
    }

    pub(super) fn space(&self) -> Option<SpaceId> {
        self.space
    }

    /// Where the author's next operation stands, a moment later than all before.
    pub(super) fn place(&mut self, who: &Signer) -> ChainPosition {
        self.clock += STEP_US;
        ChainPosition {
            space: self.space,
            head: self.heads.get(&who.author()).copied(),
            ts: HlcTimestamp(self.clock),
        }
    }

    /// Signs what would come next, without expecting anything of it.
    pub(super) fn seal(
        &mut self,
        who: &Signer,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> Operation {
        let place = self.place(who);
        seal_at(who, kind, body, refs, place)
    }

    /// A step that is recorded.
    pub(super) fn append(
        &mut self,
        who: &Signer,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> OpId {
        let operation = self.seal(who, kind, body, refs);
        self.record(&operation);
        operation.id()
    }

    /// A step that is recorded, of an operation made before.
    pub(super) fn record(&mut self, operation: &Operation) {
        let header = operation.header();
        self.space = self.space.or(Some(operation.space()));
        self.heads
            .insert(header.author, Head { seq: header.seq, id: operation.id(), ts: header.ts });
        self.expect("append", operation.to_line());
    }

    /// A step that is refused with this code.
    pub(super) fn refuse(
        &mut self,
        code: &str,
        who: &Signer,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> OpId {
        let operation = self.seal(who, kind, body, refs);
        self.expect(code, operation.to_line());
        operation.id()
    }

    /// A step by its line.
    pub(super) fn expect(&mut self, verdict: &str, line: String) {
        self.steps.push(json!({"line": line, "expect": verdict}));
    }

    /// Adds a field to the last step.
    pub(super) fn with(&mut self, field: &str, value: Value) {
        if let Some(step) = self.steps.last_mut().and_then(Value::as_object_mut) {
            step.insert(field.to_owned(), value);
        }
    }

    /// What is believed after the last step.
    pub(super) fn states(&mut self, states: &[(&str, &str)]) {
        let states =
            states.iter().map(|(key, state)| ((*key).to_owned(), Value::from(*state))).collect();
        self.with("states", Value::Object(states));
    }
}

/// Signs at a given place.
pub(super) fn seal_at(
    who: &Signer,
    kind: &str,
    body: Value,
    refs: &[(&str, OpId)],
    place: ChainPosition,
) -> Operation {
    let kind = Kind::parse(kind).expect("the vectors name kinds that are words");
    let role = |role: &str| Role::parse(role).expect("the vectors name roles that are words");
    let refs = refs.iter().map(|(word, id)| Ref { id: *id, role: role(word) }).collect();
    let body = canonical::to_bytes(&body).expect("the vectors' bodies have a canonical form");
    who.seal_canonical(kind, body, refs, place).expect("the vectors' operations keep their limits")
}

/// The key of device number `number`: its seed is that byte 32 times.
pub(super) fn signer(number: u8) -> Signer {
    Signer::from_seed([number; 32])
}

pub(super) fn space_body(owner: &Signer, name: &str) -> Value {
    json!({"name": name, "owner": owner.author(), "created": "2026-01-01T00:00:00Z", "settings": {}})
}

pub(super) fn grant(key: &Signer, capabilities: &[&str]) -> Value {
    json!({"key": key.author(), "name": "agent", "capabilities": capabilities})
}

pub(super) fn evidence(uid: &str, text: &str) -> Value {
    json!({
        "source": "vectors", "source_uid": uid, "kind": "note", "actor": null, "at": "2026-01-02T08:00:00+01:00[Europe/Madrid]",
        "summary": text, "visibility": "project", "payload": {"text": text},
    })
}

/// A claim by a deriver.
pub(super) fn claim(key: &str, payload: Value) -> Value {
    json!({
        "claim_type": "routine.weekly", "identity_key": key, "payload": payload, "confidence": 0.7, "confidence_basis": {},
        "deriver": {"name": "vectors", "version": "1.0.0", "deterministic": true},
    })
}

/// A claim that a person states.
pub(super) fn said(key: &str, payload: Value) -> Value {
    json!({"claim_type": "routine.weekly", "identity_key": key, "payload": payload, "confidence": 1})
}

pub(super) fn correction(key: &str, payload: Value) -> Value {
    json!({"identity_key": key, "corrected_payload": payload, "note": ""})
}

pub(super) fn refutation(key: &str) -> Value {
    json!({"identity_key": key, "note": ""})
}

pub(super) fn note() -> Value {
    json!({"note": ""})
}

pub(super) fn reason() -> Value {
    json!({"reason": "vectors"})
}
