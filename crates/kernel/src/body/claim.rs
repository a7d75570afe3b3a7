//! Claims: versions of beliefs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evidence::Visibility;
use crate::when::When;

/// Which logic made a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Deriver {
    /// The deriver's or model's name.
    pub name: String,
    /// Its semantic version.
    pub version: String,
    /// False for a model, whose answer cannot be computed again.
    #[serde(default = "yes")]
    pub deterministic: bool,
}

fn yes() -> bool {
    true
}

/// Body of a `claim`: one version of a belief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Dotted type, e.g. `routine.weekly`; reverse-DNS for third parties.
    pub claim_type: String,
    /// What it is a version of.
    pub identity_key: String,
    /// Whom it is about.
    #[serde(default = "self_subject")]
    pub subject: String,
    /// The belief in words.
    #[serde(default)]
    pub text: String,
    /// The belief as data.
    #[serde(default)]
    pub payload: Value,
    /// Which logic made it; none when a person stated it.
    #[serde(default)]
    pub deriver: Option<Deriver>,
    /// Probability that it is true, 0 … 1.
    #[serde(default)]
    pub confidence: f64,
    /// Everything needed to compute the confidence again.
    #[serde(default)]
    pub confidence_basis: Value,
    /// Why, in words.
    #[serde(default)]
    pub rationale: String,
    /// The latest time that the deriver had seen.
    #[serde(default)]
    pub valid_at: Option<When>,
    /// From when it is true in the index.
    #[serde(default)]
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true in the index.
    #[serde(default)]
    pub valid_to: Option<When>,
    /// Who may see it.
    #[serde(default)]
    pub visibility: Visibility,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
}

fn self_subject() -> String {
    "self".to_owned()
}
