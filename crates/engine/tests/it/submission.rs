//! The policy for one claim, asked by a producer that is not a deriver: a toy miner that reads
//! notes with a model.

use engine::Sealer;
use engine::write::submission::{
    ClaimDraft, Consequences, Producer, Refusal, Submitted, UserWord, record_consequences, submit,
};
use kernel::body::{Body, Claim};
use kernel::canonical;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::rules::RuleViolation;
use kernel::seal::{ChainPosition, Draft, Signer, next_timestamp};
use kernel::validity::{State, Validity};
use serde_json::{Value, json};
use store::Ledger;
use store::memory::MemoryLedger;

use crate::support::key;

const KEY: &str = "org.example.city|self";

/// A ledger of key 1, in which key 2 may append and derive.
struct Memory {
    ledger: MemoryLedger,
}

fn parsed(kind: &str, body: &Value) -> Body {
    Body::parse(&Kind::parse(kind).unwrap(), &canonical::to_bytes(body).unwrap()).unwrap()
}

fn reference(role: &str, id: OpId) -> Ref {
    Ref { id, role: Role::parse(role).unwrap() }
}

impl Memory {
    fn new() -> Self {
        let owner = key(1);
        let body = json!({"name": "t", "owner": owner.author(), "created": "2026-01-01T00:00:00Z"});
        let body = parsed("space", &body);
        let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
        let genesis = owner.seal(Draft::new(body.clone()), place).unwrap();
        let mut ledger = MemoryLedger::default();
        let mut writing = ledger.begin().unwrap();
        writing.record(&genesis, Some(&body)).unwrap();
        writing.commit().unwrap();
        let mut memory = Self { ledger };
        let grant = json!({"key": key(2).author(), "capabilities": ["append", "derive"]});
        memory.say("grant", &grant, &[]);
        memory
    }

    /// Appends an operation of the owner, without what follows from it.
    fn say(&mut self, kind: &str, body: &Value, refs: &[(&str, OpId)]) -> OpId {
        let owner = key(1);
        let mut writing = self.ledger.begin().unwrap();
        let refs = refs.iter().map(|(role, id)| reference(role, *id)).collect();
        let place = ChainPosition {
            space: writing.space().unwrap(),
            head: writing.head(&owner.author()).unwrap(),
            ts: next_timestamp(0, writing.latest().unwrap()),
        };
        let body = parsed(kind, body);
        let operation = owner.seal(Draft { body: body.clone(), refs }, place).unwrap();
        writing.record(&operation, Some(&body)).unwrap();
        writing.commit().unwrap();
        operation.id()
    }

    fn note(&mut self, text: &str) -> OpId {
        let body = json!({
            "source": "t", "source_uid": text, "kind": "note", "summary": text, "visibility": "project",
            "payload": {"text": text},
        });
        self.say("evidence", &body, &[])
    }

    fn submit_as(&mut self, signer: Signer, draft: ClaimDraft) -> Submitted {
        let mut writing = self.ledger.begin().unwrap();
        let submitted = submit(&Sealer::new(signer), &mut *writing, draft, 0).unwrap();
        writing.commit().unwrap();
        submitted
    }

    fn submit(&mut self, draft: ClaimDraft) -> Submitted {
        self.submit_as(key(2), draft)
    }

    fn added(&mut self, draft: ClaimDraft) -> OpId {
        match self.submit(draft) {
            Submitted::Added(id) => id,
            other => panic!("{other:?}"),
        }
    }

    fn state(&mut self, key: &str) -> State {
        let writing = self.ledger.begin().unwrap();
        Validity::new(&*writing).state(key).unwrap()
    }

    fn claim(&mut self, id: &OpId) -> Claim {
        let recorded = self.ledger.get(id).unwrap().unwrap();
        match Body::parse(&Kind::Claim, recorded.operation.body().unwrap()).unwrap() {
            Body::Claim(claim) => claim,
            other => panic!("{other:?}"),
        }
    }

    fn refs(&mut self, id: &OpId) -> Vec<Ref> {
        self.ledger.get(id).unwrap().unwrap().operation.header().refs.clone()
    }
}

/// What the miner concludes from a note.
fn mined(note: OpId, city: &str) -> ClaimDraft {
    ClaimDraft {
        producer: Producer::Model {
            name: "miner".to_owned(),
            version: "1.0.0".to_owned(),
            model: "toy-7b".to_owned(),
            prompt_version: "3".to_owned(),
        },
        inputs: vec![reference("supporting_note", note)],
        claim_type: "org.example.city".to_owned(),
        identity_key: KEY.to_owned(),
        subject: "self".to_owned(),
        text: format!("Lives in {city}"),
        payload: json!({ "city": city }),
        confidence: 0.6,
        confidence_basis: json!({ "prior": 0.6 }),
        rationale: "said so".to_owned(),
        valid_at: None,
        valid_from: None,
        valid_to: None,
        last_seen: None,
        visibility: Visibility::Project,
        tags: Vec::new(),
    }
}

fn correction(city: &str) -> Value {
    json!({ "identity_key": KEY, "corrected_payload": { "city": city } })
}

#[test]
fn a_models_claim_is_recorded_as_not_deterministic_with_model_and_prompt() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let id = memory.added(mined(note, "Graz"));
    let claim = memory.claim(&id);
    let deriver = claim.deriver.unwrap();
    assert_eq!((deriver.name.as_str(), deriver.deterministic), ("miner", false));
    assert_eq!(
        claim.confidence_basis,
        json!({ "prior": 0.6, "source": "model", "model": "toy-7b", "prompt_version": "3" })
    );
    assert_eq!(memory.state(KEY), State::Active);
}

#[test]
fn a_derivers_claim_is_recorded_as_deterministic_with_its_basis_as_it_is() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let producer = Producer::Deriver { name: "cities".to_owned(), version: "1.0.0".to_owned() };
    let id = memory.added(ClaimDraft { producer, ..mined(note, "Graz") });
    let claim = memory.claim(&id);
    assert!(claim.deriver.unwrap().deterministic);
    assert_eq!(claim.confidence_basis, json!({ "prior": 0.6 }));
}

#[test]
fn a_claim_that_differs_replaces_the_earlier_one() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let first = memory.added(mined(note, "Graz"));
    let moved = memory.note("I moved to Linz");
    let Submitted::Updated(second) = memory.submit(mined(moved, "Linz")) else {
        panic!("not updated")
    };
    assert!(memory.refs(&second).contains(&reference(Role::SUPERSEDES, first)));
}

#[test]
fn a_claim_that_is_believed_already_is_dropped() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let first = memory.added(mined(note, "Graz"));
    let again = memory.note("Graz is where I live");
    assert_eq!(memory.submit(mined(again, "Graz")), Submitted::Unchanged(first));
}

#[test]
fn a_refuted_identity_is_never_claimed_again() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let first = memory.added(mined(note, "Graz"));
    memory.say("claim_refutation", &json!({ "identity_key": KEY }), &[("target", first)]);
    for city in ["Graz", "Linz"] {
        let submitted = memory.submit(mined(note, city));
        assert_eq!(submitted, Submitted::Withheld(UserWord::Refuted));
    }
}

#[test]
fn a_claim_that_agrees_with_a_correction_is_withheld() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let first = memory.added(mined(note, "Graz"));
    memory.say("claim_correction", &correction("Linz"), &[("target", first)]);
    let submitted = memory.submit(mined(note, "Linz"));
    assert_eq!(submitted, Submitted::Withheld(UserWord::CorrectedAlike));
}

#[test]
fn a_claim_that_disagrees_with_a_correction_becomes_one_proposal_for_each_payload() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let first = memory.added(mined(note, "Graz"));
    memory.say("claim_correction", &correction("Linz"), &[("target", first)]);
    let withheld = |submitted| match submitted {
        Submitted::Withheld(UserWord::CorrectedOtherwise { proposal }) => proposal,
        other => panic!("{other:?}"),
    };
    assert_eq!(withheld(memory.submit(mined(note, "Graz"))), None, "the user saw this payload");
    let moved = memory.note("I moved to Wels");
    let proposal = withheld(memory.submit(mined(moved, "Wels"))).unwrap();
    let recorded = memory.ledger.get(&proposal).unwrap().unwrap();
    assert_eq!(recorded.operation.header().kind, Kind::Proposal);
    assert_eq!(withheld(memory.submit(mined(moved, "Wels"))), None, "it is proposed already");
    assert!(withheld(memory.submit(mined(moved, "Enns"))).is_some());
    assert_eq!(memory.state(KEY), State::Corrected);
}

#[test]
fn a_stated_claim_is_not_replaced_by_a_derived_one() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let stated = json!({
        "claim_type": "org.example.city", "identity_key": KEY, "payload": { "city": "Graz" }, "confidence": 1.0,
    });
    memory.say("claim", &stated, &[("input", note)]);
    let submitted = memory.submit(mined(note, "Linz"));
    assert_eq!(submitted, Submitted::Withheld(UserWord::Stated));
}

#[test]
fn a_claim_that_breaks_a_rule_is_refused_by_name() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let gone = memory.note("I live in Rome");
    memory.say("evidence_retraction", &json!({}), &[("target", gone)]);
    let stale = memory.submit(mined(gone, "Rome"));
    let expected = RuleViolation::StaleInput { input: gone };
    assert_eq!(stale, Submitted::Refused(Refusal::Rule(expected)));
    let ungranted = memory.submit_as(key(3), mined(note, "Graz"));
    assert!(
        matches!(ungranted, Submitted::Refused(Refusal::Rule(RuleViolation::NotPermitted { .. }))),
        "{ungranted:?}"
    );
    let deriver = Producer::Deriver { name: "own".to_owned(), version: "1.0.0".to_owned() };
    let own = || ClaimDraft { producer: deriver.clone(), ..mined(note, "Graz") };
    for (unfit, code) in [
        (ClaimDraft { confidence_basis: Value::Null, ..own() }, "confidence_basis_missing"),
        (ClaimDraft { claim_type: "city".to_owned(), ..own() }, "claim_type_prefix"),
    ] {
        match memory.submit(unfit) {
            Submitted::Refused(Refusal::Form(error)) => assert_eq!(error.code(), code),
            other => panic!("{other:?}"),
        }
    }
    let inputs = vec![reference(Role::SUPERSEDES, note)];
    let superseding = memory.submit(ClaimDraft { inputs, ..mined(note, "Graz") });
    assert!(matches!(superseding, Submitted::Refused(Refusal::Malformed(_))), "{superseding:?}");
    let huge = memory.submit(ClaimDraft { text: "x".repeat(2_000_000), ..mined(note, "Graz") });
    assert!(matches!(huge, Submitted::Refused(Refusal::Malformed(_))), "{huge:?}");
    assert_eq!(memory.state(KEY), State::None, "nothing was recorded");
}

#[test]
fn the_consequences_of_a_batch_are_recorded_once_after_it() {
    let mut memory = Memory::new();
    let note = memory.note("I live in Graz");
    let city = memory.added(mined(note, "Graz"));
    let near = ClaimDraft {
        identity_key: "fact.near|self".to_owned(),
        inputs: vec![reference("city", city)],
        ..mined(note, "near the Mur")
    };
    memory.added(near);
    let moved = memory.note("I moved to Linz, and then to Wels");
    let drafts = vec![mined(moved, "Linz"), mined(moved, "Wels")];
    let mut writing = memory.ledger.begin().unwrap();
    let sealer = Sealer::new(key(2));
    let mut submit = |draft| submit(&sealer, &mut *writing, draft, 0).unwrap();
    let submitted: Vec<Submitted> = drafts.into_iter().map(&mut submit).collect();
    let consequences = record_consequences(&sealer, &mut *writing, 0).unwrap();
    writing.commit().unwrap();
    assert!(matches!(submitted[..], [Submitted::Updated(_), Submitted::Updated(_)]));
    assert_eq!(consequences, Consequences { invalidated: 1, reviews: 0 });
    assert_eq!(memory.state("fact.near|self"), State::Invalidated);
}
