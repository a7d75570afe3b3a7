//! Operations made by hand, beside the kernel's own sealing: so that a line can be wrong in exactly
//! one place.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use serde_json::{Value, json};

/// A body's salt where no signer gives one.
pub(super) const SALT: [u8; 16] = [0x5a; 16];

/// Microseconds at the beginning of 2026: when every vector's time begins.
pub(super) const EPOCH_US: u64 = 1_767_225_600_000_000;

/// The public key of a seed, as text.
pub(super) fn author(seed: [u8; 32]) -> String {
    let key: [u8; 32] = ed25519_zebra::SigningKey::from_bytes(&seed).verification_key().into();
    format!("ed25519:{}", BASE64URL_NOPAD.encode(&key))
}

fn b3(bytes: &[u8]) -> String {
    format!("b3:{}", HEXLOWER.encode(blake3::hash(bytes).as_bytes()))
}

fn canonical(value: &Value) -> Vec<u8> {
    kernel::canonical::to_bytes(value).expect("the vectors hold no number without canonical form")
}

/// Hashes, signs and puts together. Fields of `header` that are given are kept, wrong or not.
pub(super) fn line(seed: [u8; 32], header: Value, salt: &[u8], body: Value) -> Value {
    let mut salted = salt.to_vec();
    salted.extend(canonical(&body));
    let mut whole = json!({
        "author": author(seed), "body": b3(&salted), "kind": "evidence_retraction", "prev": format!("b3:{}", "11".repeat(32)),
        "refs": [], "seq": 2, "space": format!("b3:{}", "22".repeat(32)), "ts": EPOCH_US, "v": 1,
    });
    if let (Some(whole), Value::Object(header)) = (whole.as_object_mut(), header) {
        whole.extend(header);
    }
    signed(seed, whole, Value::from(BASE64URL_NOPAD.encode(salt)), body)
}

/// Signs a header as it stands.
pub(super) fn signed(seed: [u8; 32], header: Value, salt: Value, body: Value) -> Value {
    let id = blake3::hash(&canonical(&header));
    let sig = ed25519_zebra::SigningKey::from_bytes(&seed).sign(id.as_bytes()).to_bytes();
    json!({
        "id": b3(&canonical(&header)), "header": header, "salt": salt, "body": body, "sig": BASE64URL_NOPAD.encode(&sig),
    })
}
