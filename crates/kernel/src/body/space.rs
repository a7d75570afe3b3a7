//! Spaces and the capabilities of their keys.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::Author;
use crate::kind::Capability;

/// Body of a genesis operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// The space's name, for people.
    pub name: String,
    /// The key that owns it; the author of the operation.
    pub owner: Author,
    /// When it was made, RFC 3339.
    pub created: String,
    /// Settings that follow the space, e.g. `language`.
    #[serde(default)]
    pub settings: Map<String, Value>,
}

impl Space {
    /// The time is text, because earlier versions did not check it.
    pub(super) fn unfit_field(&self) -> Option<&'static str> {
        self.created.parse::<jiff::Timestamp>().is_err().then_some("created")
    }
}

/// Body of a `grant` or `revoke`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    /// The key concerned.
    pub key: Author,
    /// Its name, for people.
    #[serde(default)]
    pub name: String,
    /// What it gains or loses.
    pub capabilities: Vec<Capability>,
    /// In a revocation, the last number of the key's chain that is accepted: what the key signed
    /// beyond it has no effect, however it is dated. If absent, only the time decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
}
