//! Operations put before the rules: nothing panics, what is refused leaves no trace, and a second
//! time changes nothing.
//!
//! The bytes are read as a script of four bytes a step: who signs, which kind, what it cites in
//! which role, and a choice of body. Every operation is really signed, so that the rules behind the
//! signature are reached.

#![no_main]

use kernel::body::Body;
use kernel::canonical;
use kernel::kind::Kind;
use kernel::operation::{Operation, Ref, Role, HlcTimestamp};
use kernel::rules::Verdict;
use kernel::seal::{ChainPosition, Signer};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use store::memory::MemoryLedger;
use store::{Ledger, Writing};

/// Longest script, steps.
const STEPS_MAX: usize = 64;
const ROLES: [&str; 6] = ["target", "supersedes", "cause", "input", "refines", "consolidates"];

fuzz_target!(|bytes: &[u8]| {
    let signers = [Signer::from_seed([1; 32]), Signer::from_seed([2; 32])];
    let mut ledger = MemoryLedger::default();
    let mut known: Vec<Operation> = Vec::new();
    for (step, script) in bytes.chunks_exact(4).take(STEPS_MAX).enumerate() {
        let [who, kind, cited, choice] = [script[0], script[1], script[2], script[3]];
        let kind = if step == 0 { &Kind::Space } else { &Kind::KNOWN[usize::from(kind) % Kind::KNOWN.len()] };
        let signer = &signers[if step == 0 { 0 } else { usize::from(who % 2) }];
        let body = body(kind, choice, signer, &signers[1]);
        let refs: Vec<Ref> = (0..cited % 3)
            .filter_map(|number| {
                let target = known.get(usize::from(cited / 3 + number * 7) % known.len().max(1))?;
                let role = Role::parse(ROLES[usize::from(choice.wrapping_add(number)) % ROLES.len()]).ok()?;
                Some(Ref { id: target.id(), role })
            })
            .collect();
        let mut writing = ledger.begin().expect("memory does not fail");
        let place = ChainPosition {
            space: if *kind == Kind::Space { None } else { writing.space().expect("memory does not fail") },
            head: if *kind == Kind::Space { None } else { writing.head(&signer.author()).expect("memory does not fail") },
            ts: HlcTimestamp(1 + step as u64 * 2 + u64::from(choice % 3)),
        };
        let bytes = canonical::to_bytes(&body).expect("bodies of the script are canonical");
        let Ok(operation) = signer.seal_canonical(kind.clone(), bytes.clone(), refs, place) else { continue };
        let parsed = Body::parse(kind, &bytes).ok();
        let taken = put(&mut *writing, &operation, parsed.as_ref(), choice);
        if taken {
            writing.commit().expect("memory does not fail");
            let mut again = ledger.begin().expect("memory does not fail");
            assert!(matches!(again.admit(&operation, parsed.as_ref()), Ok(Verdict::Present)));
            drop(again);
            known.push(operation);
        } else {
            let before = known.len() as u64;
            drop(writing);
            assert_eq!(ledger.head().expect("memory does not fail").0, before);
        }
    }
});

fn put(writing: &mut dyn Writing, operation: &Operation, body: Option<&Body>, choice: u8) -> bool {
    let verdict = if choice & 0x80 == 0 { writing.record(operation, body) } else { writing.admit(operation, body) };
    matches!(verdict, Ok(Verdict::Append))
}

fn body(kind: &Kind, choice: u8, signer: &Signer, other: &Signer) -> serde_json::Value {
    let key = format!("k{}", choice % 3);
    match kind {
        Kind::Space => json!({ "name": "fuzz", "owner": signer.author(), "created": "2026-01-01T00:00:00Z" }),
        Kind::Grant | Kind::Revoke => json!({ "key": other.author(), "capabilities": ["append", "derive"] }),
        Kind::Evidence => json!({
            "source": "fuzz", "source_uid": key, "kind": "note", "actor": null, "at": null, "summary": "",
            "visibility": "project", "payload": {}
        }),
        Kind::Claim => json!({ "claim_type": "fact", "identity_key": key, "payload": choice % 2 }),
        Kind::ClaimCorrection => json!({ "identity_key": key, "corrected_payload": choice % 2 }),
        Kind::ClaimRefutation => json!({ "identity_key": key }),
        _ => json!({}),
    }
}
