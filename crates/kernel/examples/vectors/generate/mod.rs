//! The test vectors, from fixed seeds and fixed times.
//!
//! What is expected is written down here by hand, never taken from the kernel: the kernel only
//! makes the bytes.

mod canonical;
mod declarations;
mod identities;
mod invalid;
mod ledgers;
mod operations;
mod raw;
mod script;

use serde_json::Value;

/// A file of vectors.
pub(crate) struct File {
    /// Below `fixtures/vectors`.
    pub(crate) path: String,
    /// Its whole text.
    pub(crate) text: String,
}

/// Every file of vectors.
pub(crate) fn files() -> Vec<File> {
    let mut files = vec![
        File { path: "canonical.json".into(), text: list(&canonical::vectors()) },
        File { path: "operations.json".into(), text: list(&operations::vectors()) },
        File { path: "identities.json".into(), text: list(&identities::vectors()) },
        File { path: "invalid.json".into(), text: list(&invalid::vectors()) },
        File { path: "declarations.json".into(), text: list(&declarations::vectors()) },
    ];
    for script in ledgers::scripts() {
        let text = format!(
            "{{\n \"name\": {},\n \"about\": {},\n \"steps\": {}}}\n",
            Value::from(script.name),
            Value::from(script.about),
            list(&script.steps)
        );
        files.push(File { path: format!("ledgers/{}.json", script.name), text });
    }
    files
}

/// One vector a line, so that a change shows as the vector that changed.
fn list(vectors: &[Value]) -> String {
    let lines: Vec<String> = vectors.iter().map(Value::to_string).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}
