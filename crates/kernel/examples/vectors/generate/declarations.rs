//! Declarations of withheld bodies: accepted lines with the bytes that are hashed, and refused
//! ones.

use kernel::declaration::Statement;
use kernel::id::{Author, OpId, SpaceId};
use kernel::seal::Signer;
use serde_json::{Value, json};

use super::script::signer;

fn line(signer: &Signer, recipient: Option<Author>, withheld: &[u8]) -> String {
    let withheld = withheld.iter().map(|byte| OpId([*byte; 32])).collect();
    let space = SpaceId(OpId([0xa1; 32]));
    let statement = Statement::new(space, signer.author(), recipient, withheld);
    signer.declare(statement).expect("a statement within the limits").to_line()
}

/// Every vector: the `line`, and the canonical `statement` or the `code` of the refusal.
pub(super) fn vectors() -> Vec<Value> {
    let (owner, agent) = (signer(1), signer(2));
    let (owners, agents) = (owner.author().to_string(), agent.author().to_string());
    let (one, two) = (OpId([1; 32]).to_string(), OpId([2; 32]).to_string());
    let space = OpId([0xa1; 32]).to_string();
    let accepted = |name: &str, line: String, statement: String| json!({"name": name, "line": line, "statement": statement});
    let refused =
        |name: &str, line: String, code: &str| json!({"name": name, "line": line, "code": code});
    let plain = line(&owner, None, &[1, 2]);
    vec![
        accepted(
            "two bodies",
            plain.clone(),
            format!(
                r#"{{"author":"{owners}","recipient":null,"space":"{space}","v":1,"withheld":["{one}","{two}"]}}"#
            ),
        ),
        accepted(
            "for one key",
            line(&owner, Some(agent.author()), &[2]),
            format!(
                r#"{{"author":"{owners}","recipient":"{agents}","space":"{space}","v":1,"withheld":["{two}"]}}"#
            ),
        ),
        accepted(
            "nothing",
            line(&agent, None, &[]),
            format!(
                r#"{{"author":"{agents}","recipient":null,"space":"{space}","v":1,"withheld":[]}}"#
            ),
        ),
        refused("another operation", plain.replace(&two, &one), "signature_invalid"),
        refused("another author", plain.replace(&owners, &agents), "signature_invalid"),
        refused("another version", plain.replace("\"v\":1", "\"v\":2"), "malformed"),
        refused("a field too many", plain.replace("\"v\":1", "\"u\":1,\"v\":1"), "malformed"),
        refused("no recipient", plain.replace("\"recipient\":null,", ""), "malformed"),
        refused("no operation's id", plain.replace(&two, "b3:2"), "malformed"),
        refused(
            "a signature that is too long",
            plain.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1),
            "malformed",
        ),
    ]
}
