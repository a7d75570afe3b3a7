//! Reading scenario files: JSON objects, arrays of them, or JSON lines, mixed as one likes.
//!
//! What is not understood is refused by name: a step that were skipped would make a scenario say
//! something else.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::ConformanceError;

/// The latest time of a step.
const T_MAX: u64 = 1_000_000_000;
/// What a step may hold for people only.
const REMARKS: [&str; 3] = ["about", "note", "comment"];

/// A history, and what is to be believed on the way.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called.
    pub name: String,
    pub(super) steps: Vec<Step>,
}

/// Something is done, or something is expected, or both in this order.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The number of the step, `5`, or `5.2` within a merge.
    pub(super) label: String,
    pub(super) act: Option<Act>,
    pub(super) expect: Option<Expect>,
}

#[derive(Clone, Debug)]
pub(super) struct Act {
    pub(super) what: ScenarioAction,
    pub(super) t: Option<u64>,
    /// The code that the append must give.
    pub(super) error: Option<String>,
    /// What the second device did, of a merge.
    pub(super) merged: Vec<Step>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ScenarioAction {
    Evidence {
        #[serde(rename = "as")]
        name: Option<String>,
        supersedes: Option<String>,
    },
    RetractEvidence {
        #[serde(rename = "as")]
        name: Option<String>,
        target: String,
    },
    Claim {
        #[serde(rename = "as")]
        name: Option<String>,
        key: String,
        #[serde(default)]
        payload: Value,
        #[serde(default)]
        inputs: Vec<Input>,
        #[serde(default = "even_odds")]
        confidence: f64,
        by: Option<ScenarioActor>,
    },
    Correct {
        #[serde(rename = "as")]
        name: Option<String>,
        target: String,
        #[serde(default)]
        payload: Value,
    },
    Refute {
        #[serde(rename = "as")]
        name: Option<String>,
        target: String,
    },
    Withdraw {
        #[serde(rename = "as")]
        name: Option<String>,
        target: String,
    },
    Retract {
        #[serde(rename = "as")]
        name: Option<String>,
        target: String,
    },
    State {
        #[serde(rename = "as")]
        name: Option<String>,
        #[serde(rename = "type")]
        claim_type: String,
        text: String,
        #[serde(default)]
        inputs: Vec<Input>,
        valid_from: Option<u64>,
        valid_to: Option<u64>,
    },
    Node {
        #[serde(rename = "as")]
        name: Option<String>,
        #[serde(rename = "type")]
        node_type: String,
        text: String,
        #[serde(default)]
        inputs: Vec<Input>,
    },
    Edge {
        #[serde(rename = "as")]
        name: Option<String>,
        #[serde(rename = "type")]
        edge_type: String,
        from: String,
        to: String,
        #[serde(default)]
        inputs: Vec<Input>,
    },
    Supersede {
        #[serde(rename = "as")]
        name: Option<String>,
        target: String,
        text: String,
        #[serde(default)]
        inputs: Vec<Input>,
    },
    Patch {
        #[serde(rename = "as")]
        name: Option<String>,
        operations: Vec<ScenarioAction>,
    },
    Revert {
        #[serde(rename = "as")]
        name: Option<String>,
        target: String,
    },
    Mark {
        #[serde(rename = "as")]
        name: String,
    },
    Merge {
        #[serde(rename = "as")]
        name: Option<String>,
        from: String,
        steps: Vec<Value>,
    },
}

impl ScenarioAction {
    /// Whether a patch may hold it.
    pub(super) fn changes_graph(&self) -> bool {
        matches!(
            self,
            Self::State { .. }
                | Self::Node { .. }
                | Self::Edge { .. }
                | Self::Supersede { .. }
                | Self::Retract { .. }
        )
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Mark { name } => Some(name),
            Self::Evidence { name, .. }
            | Self::RetractEvidence { name, .. }
            | Self::Claim { name, .. }
            | Self::Correct { name, .. }
            | Self::Refute { name, .. }
            | Self::Withdraw { name, .. }
            | Self::Retract { name, .. }
            | Self::State { name, .. }
            | Self::Node { name, .. }
            | Self::Edge { name, .. }
            | Self::Supersede { name, .. }
            | Self::Patch { name, .. }
            | Self::Revert { name, .. }
            | Self::Merge { name, .. } => name.as_deref(),
        }
    }
}

fn even_odds() -> f64 {
    0.5
}

/// Who states a claim, if not a deriver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ScenarioActor {
    User,
}

/// An earlier step, and as what it is cited.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Input {
    Name(String),
    Role { name: String, role: String },
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    #[serde(default)]
    pub(super) states: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) served: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) confidence: BTreeMap<String, Value>,
    pub(super) invalidated: Option<Vec<String>>,
    pub(super) invalidated_by_last: Option<Vec<String>>,
    pub(super) reviews: Option<Vec<String>>,
    pub(super) refresh: Option<Vec<String>>,
    pub(super) provenance: Option<Provenance>,
    #[serde(default)]
    pub(super) status: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) canonical: BTreeMap<String, String>,
    pub(super) active: Option<Vec<String>>,
    pub(super) valid_at: Option<u64>,
    pub(super) as_of: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provenance {
    pub(super) of: String,
    pub(super) walk: Value,
}

/// Every scenario of a file's text.
///
/// # Errors
/// If the text is not JSON, or a value is not a scenario.
pub fn read(text: &str) -> Result<Vec<Scenario>, ConformanceError> {
    let mut scenarios = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match value.map_err(ConformanceError::Json)? {
            Value::Array(values) => {
                for value in values {
                    scenarios.push(scenario(value, scenarios.len() + 1)?);
                }
            }
            value => scenarios.push(scenario(value, scenarios.len() + 1)?),
        }
    }
    Ok(scenarios)
}

fn scenario(value: Value, number: usize) -> Result<Scenario, ConformanceError> {
    let unnamed = || ConformanceError::Scenario { number };
    let Value::Object(mut fields) = value else { return Err(unnamed()) };
    let (Some(Value::String(name)), Some(Value::Array(steps))) =
        (fields.remove("name"), fields.remove("steps"))
    else {
        return Err(unnamed());
    };
    let steps = parse_steps(&name, "", steps)?;
    Ok(Scenario { name, steps })
}

fn parse_steps(
    scenario: &str,
    within: &str,
    steps: Vec<Value>,
) -> Result<Vec<Step>, ConformanceError> {
    let numbered = steps.into_iter().enumerate();
    numbered
        .map(|(index, value)| {
            let label = format!("{within}{}", index + 1);
            let refuse = |reason: String| ConformanceError::Step {
                scenario: scenario.to_owned(),
                step: label.clone(),
                reason,
            };
            let Value::Object(fields) = value else {
                return Err(refuse("a step is an object".to_owned()));
            };
            step(scenario, &label, fields, refuse)
        })
        .collect()
}

fn step(
    scenario: &str,
    label: &str,
    mut fields: Map<String, Value>,
    refuse: impl Fn(String) -> ConformanceError,
) -> Result<Step, ConformanceError> {
    for remark in REMARKS {
        fields.remove(remark);
    }
    let expect = fields.remove("expect").map(serde_json::from_value::<Expect>).transpose();
    let expect = expect.map_err(|error| refuse(error.to_string()))?;
    if fields.is_empty() && expect.is_some() {
        return Ok(Step { label: label.to_owned(), act: None, expect });
    }
    let t = fields.remove("t").map(|t| t.as_u64().filter(|t| *t <= T_MAX).ok_or(t)).transpose();
    let t = t.map_err(|t| refuse(format!("`t` is a whole number up to {T_MAX}, not {t}")))?;
    let error = fields.remove("error").map(serde_json::from_value::<String>).transpose();
    let error = error.map_err(|error| refuse(format!("`error`: {error}")))?;
    let mut what: ScenarioAction =
        serde_json::from_value(Value::Object(fields)).map_err(|error| refuse(error.to_string()))?;
    let merged = match &mut what {
        ScenarioAction::Merge { steps, .. } => {
            parse_steps(scenario, &format!("{label}."), std::mem::take(steps))?
        }
        _ => Vec::new(),
    };
    if matches!(what, ScenarioAction::Mark { .. } | ScenarioAction::Merge { .. })
        && (t.is_some() || error.is_some())
    {
        return Err(refuse(
            "a mark or a merge appends nothing, so it has no `t` and no `error`".to_owned(),
        ));
    }
    Ok(Step { label: label.to_owned(), act: Some(Act { what, t, error, merged }), expect })
}
