//! What the rules mine from texts, for a person to judge: one sentence a line, with what it is
//! taken for.
//!
//! ```text
//! cargo run -p because-derivers --example mined_sentences < records.jsonl
//! ```
//!
//! Each line of the input is a record as JSON: `text`, and optionally `kind` (`note`, `turn`,
//! `commit`), `actor` and `role`. A record without an actor is the owner's.

use std::io::{BufRead, Write};

use derivers::mining::mine;
use derivers::{Record, RecordBody, SignedBy};
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::HlcTimestamp;
use serde_json::Value;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(value) = serde_json::from_str::<Value>(&line?) else { continue };
        let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(text) = field("text") else { continue };
        let evidence = Evidence {
            source: "trial".to_owned(),
            source_uid: field("id").unwrap_or_default(),
            kind: EvidenceKind(field("kind").unwrap_or_else(|| "note".to_owned())),
            actor: field("actor"),
            at: None,
            summary: String::new(),
            visibility: Visibility::default(),
            payload: Payload { text, role: field("role"), ..Payload::default() },
        };
        let record = Record {
            id: OpId([0; 32]),
            recorded_at: HlcTimestamp(0),
            signed_by: SignedBy::Owner,
            body: RecordBody::Evidence(Box::new(evidence)),
        };
        for statement in mine(&record) {
            writeln!(out, "{:<11} {}", statement.kind.as_str(), statement.text)?;
        }
    }
    Ok(())
}
