//! What users say of beliefs, and how anything is taken back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Body of a `claim_correction`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// The identity that is pinned.
    pub identity_key: String,
    /// What is true instead.
    pub corrected_payload: Value,
    /// The same in words.
    #[serde(default)]
    pub text: Option<String>,
    /// Why it is corrected; empty if that was not said.
    #[serde(default)]
    pub note: String,
}

/// Body of a `claim_refutation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refutation {
    /// The identity that is false.
    pub identity_key: String,
    /// Why it is refuted; empty if that was not said.
    #[serde(default)]
    pub note: String,
}

/// Body of a withdrawal of a correction or refutation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Withdrawal {
    /// Why the word is taken back; empty if that was not said.
    #[serde(default)]
    pub note: String,
}

/// Body of an `evidence_retraction` or `retraction`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Why, in the author's words.
    #[serde(default)]
    pub reason: String,
}
