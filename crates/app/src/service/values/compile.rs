//! Reading values with a language model: a summary, and a patch of preferences and goals.
//!
//! The model is shown the text and the claims of the values before it, by number. Of its answer
//! only what fits is taken: preferences and goals, at most [`CLAIMS_MAX`], and retractions of
//! claims that it was shown, at most [`RETRACTIONS_MAX`]. The rest is reported, each with a reason.

use std::collections::BTreeSet;

use kernel::body::TextClaimType;
use kernel::id::OpId;
use kernel::identity::text_key;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::BaseClaim;
use super::lines::StatedLine;
use crate::failure::Failure;
use crate::service::Session;
use crate::service::model_request::{ModelAccess, ModelAnswer, ModelOrigin, ModelTask};
use crate::service::opening::OpenedSpace;

/// Most claims of one patch.
pub(super) const CLAIMS_MAX: usize = 12;
/// Most retractions of one patch.
pub(super) const RETRACTIONS_MAX: usize = 80;
/// Longest claim or summary that is taken, bytes.
const TEXT_BYTES_MAX: usize = 4_000;
/// Longest prompt, bytes: more than the longest values with the claims before them.
const PROMPT_BYTES_MAX: usize = 3 << 20;
/// The version of the prompt, which every claim names.
pub(super) const PROMPT_VERSION: &str = "values-2";

/// What the model has to do.
const TASK: ModelTask =
    ModelTask { name: "values", version: PROMPT_VERSION, instructions: INSTRUCTIONS, schema };

const INSTRUCTIONS: &str = "You turn what a person says about their values into a short summary \
    and a list of preferences and goals for agents that work for them. `claims` holds at most 12 claims, each of the type preference or goal, in \
    one sentence in the person's language, true to their words, and without anything that they did \
    not say. `retract` holds the numbers of earlier claims that no longer hold; an earlier claim \
    that still holds is neither repeated nor retracted. `summary` is two or three sentences.";

/// What the model made of the values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Compiled {
    pub(super) summary: String,
    pub(super) claims: Vec<StatedLine>,
    pub(super) retract: Vec<OpId>,
    pub(super) dropped: Vec<Dropped>,
}

/// A part of the answer that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Dropped {
    /// What the model answered in this place.
    pub(crate) text: String,
    /// Why: `not_a_preference_or_goal`, `too_many`, `too_long`, `empty`, `duplicate`,
    /// `not_an_earlier_claim`, `identity_refuted`.
    pub(crate) reason: &'static str,
}

#[derive(Deserialize)]
struct AnsweredValues {
    summary: String,
    claims: Vec<AnsweredClaim>,
    retract: Vec<i64>,
}

#[derive(Deserialize)]
struct AnsweredClaim {
    #[serde(rename = "type")]
    claim_type: String,
    text: String,
}

/// Asks the model.
pub(super) fn compile(
    access: &mut ModelAccess<'_>,
    text: &str,
    (event, earlier): (OpId, &[BaseClaim]),
    home: &mut OpenedSpace,
    session: &Session,
) -> Result<(Compiled, ModelOrigin), Failure> {
    let numbered = earlier.iter().zip(1_u64..).map(
        |(claim, number)| json!({ "number": number, "type": claim.claim_type, "text": claim.text }),
    );
    let mut prompt = access.prompt(home, PROMPT_BYTES_MAX);
    prompt.add_value("earlier_claims", numbered.collect());
    prompt.add_text("values", text);
    prompt.add_shown(earlier.iter().map(|claim| claim.id).chain([event]));
    let ModelAnswer { value, origin, .. } = access.ask(&TASK, &prompt, home, session)?;
    Ok((take(value, earlier), origin))
}

/// What fits of an answer.
fn take(answered: AnsweredValues, earlier: &[BaseClaim]) -> Compiled {
    let mut compiled =
        Compiled { summary: answered.summary.trim().to_owned(), ..Compiled::default() };
    let mut dropped = Vec::new();
    let mut keys = BTreeSet::new();
    for AnsweredClaim { claim_type, text } in answered.claims {
        let text = text.trim().to_owned();
        let parsed = claim_type.parse::<TextClaimType>().ok();
        let parsed =
            parsed.filter(|known| matches!(known, TextClaimType::Preference | TextClaimType::Goal));
        let reason = match parsed {
            None => Some("not_a_preference_or_goal"),
            Some(_) if text.is_empty() => Some("empty"),
            Some(_) if text.len() > TEXT_BYTES_MAX => Some("too_long"),
            Some(known) if !keys.insert(text_key(known.as_str(), &text)) => Some("duplicate"),
            Some(_) if compiled.claims.len() >= CLAIMS_MAX => Some("too_many"),
            Some(_) => None,
        };
        match (parsed, reason) {
            (Some(claim_type), None) => compiled.claims.push(StatedLine { claim_type, text }),
            (_, reason) => dropped.push(Dropped { text, reason: reason.unwrap_or("empty") }),
        }
    }
    let mut retracted = BTreeSet::new();
    for number in answered.retract {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let reason = match place.and_then(|place| earlier.get(place)) {
            None => "not_an_earlier_claim",
            // What the new values say again stays.
            Some(claim) if keys.contains(&claim.key()) || retracted.contains(&claim.id) => {
                "duplicate"
            }
            Some(_) if compiled.retract.len() >= RETRACTIONS_MAX => "too_many",
            Some(claim) => {
                retracted.insert(claim.id);
                compiled.retract.push(claim.id);
                continue;
            }
        };
        dropped.push(Dropped { text: number.to_string(), reason });
    }
    if compiled.summary.len() > TEXT_BYTES_MAX {
        let text = std::mem::take(&mut compiled.summary);
        dropped.push(Dropped { text, reason: "too_long" });
    }
    compiled.dropped = dropped;
    compiled
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "summary": { "type": "string" },
            "claims": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "type": { "type": "string", "description": "preference or goal" },
                        "text": { "type": "string" },
                    },
                    "required": ["type", "text"],
                    "additionalProperties": false,
                },
            },
            "retract": { "type": "array", "items": { "type": "integer" } },
        },
        "required": ["summary", "claims", "retract"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use models::language::AnswerSchema;

    use super::*;

    #[test]
    fn the_schema_is_valid() {
        AnswerSchema::new("values", schema()).unwrap();
    }
}
