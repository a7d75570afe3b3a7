//! Derivers that now conclude what the user's correction says.
//!
//! A correction is not derived, and nothing is appended for a deriver that agrees with it. Whether
//! one agrees is computed when somebody asks: the groups that conclude the corrected identity are
//! shown to their derivers again, as they are.

use derivers::{Deriver, GROUP_PAST_MAX, GROUP_PLANS_MAX};
use kernel::body::{self, payload_digest};
use kernel::evidence::Visibility;
use serde::Serialize;
use serde_json::Value;
use store::sqlite::SqliteLedgerIndex;

use super::examine::examine;
use super::records::{CommonEvidence, GroupRecords, of_rows};
use super::shown_to;
use crate::EngineError;

/// Most groups that are asked about one identity.
const GROUPS_ASKED_MAX: usize = 16;

/// A deriver that concludes what the user's correction says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The deriver.
    pub deriver: body::Deriver,
    /// Its conclusion in words.
    pub text: String,
    /// How sure it is.
    pub confidence: f64,
    /// The number of records and beliefs that it concludes it from.
    pub inputs: usize,
    /// Who may see the conclusion: as strict as its strictest input.
    #[serde(skip)]
    pub visibility: Visibility,
}

/// The derivers that now conclude this payload of an identity.
pub(crate) fn agreements(
    index: &SqliteLedgerIndex<'_>,
    derivers: &[Box<dyn Deriver>],
    key: &str,
    payload: &Value,
) -> Result<Vec<Agreement>, EngineError> {
    let corrected = payload_digest(payload);
    let mut agreements: Vec<Agreement> = Vec::new();
    for group in index.makers(key)?.into_iter().take(GROUPS_ASKED_MAX) {
        let Some(deriver) = derivers.iter().find(|deriver| deriver.name() == group.deriver) else {
            continue;
        };
        let rows = index.members(group.number, GROUP_PAST_MAX, GROUP_PLANS_MAX)?;
        let shown = GroupRecords::of(of_rows(index, rows)?, &CommonEvidence::default());
        // A deriver that panics agrees with nothing; derivation reports it.
        let candidates = shown_to(&**deriver, &group.name, &shown.records);
        let (accepted, _) = examine(&**deriver, &group, &shown, candidates.unwrap_or_default());
        let same = accepted
            .into_iter()
            .map(|accepted| accepted.draft)
            .find(|draft| draft.identity_key == key && payload_digest(&draft.payload) == corrected);
        if let Some(draft) = same {
            agreements.push(Agreement {
                deriver: body::Deriver {
                    name: deriver.name().to_owned(),
                    version: deriver.version().to_owned(),
                    deterministic: true,
                },
                text: draft.text,
                confidence: draft.confidence,
                inputs: draft.inputs.len(),
                visibility: draft.visibility,
            });
        }
    }
    Ok(agreements)
}
