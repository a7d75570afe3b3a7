//! What a claim needs before this device signs it.
//!
//! These are not rules of the ledger: claims that were recorded before, or that another program
//! recorded, stay what they are. They hold for what is appended here, so that every new claim says
//! how its confidence was computed, and no third party's type can be mistaken for a built-in one.

use derivers::{ClaimType, Deriver};
use kernel::body::{Body, Claim, TextClaimType};
use kernel::seal::Draft;
use serde_json::Value;

/// Fewest labels of a type with a reverse-DNS prefix: `org.example.streak`.
const LABELS_MIN: usize = 3;

/// Why this device does not sign a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimFormError {
    /// The claim does not say what its confidence was computed from.
    #[error(
        "the claim {key:?} has no confidence_basis: it must say how its confidence was computed"
    )]
    NoBasis {
        /// Its identity.
        key: String,
    },
    /// The type of a third party has no reverse-DNS prefix.
    #[error(
        "{deriver} is not a built-in deriver, so its claim type {claim_type:?} needs a reverse-DNS prefix, as in org.example.streak"
    )]
    NoPrefix {
        /// The type.
        claim_type: String,
        /// The deriver.
        deriver: String,
    },
}

impl ClaimFormError {
    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoBasis { .. } => "confidence_basis_missing",
            Self::NoPrefix { .. } => "claim_type_prefix",
        }
    }
}

/// Checks a draft if it is a claim.
pub(crate) fn check(draft: &Draft) -> Result<(), ClaimFormError> {
    match &draft.body {
        Body::Claim(claim) => check_claim(claim),
        _ => Ok(()),
    }
}

/// Checks a claim.
pub(crate) fn check_claim(claim: &Claim) -> Result<(), ClaimFormError> {
    let has_basis = match &claim.confidence_basis {
        Value::Null => false,
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    if !has_basis {
        return Err(ClaimFormError::NoBasis { key: claim.identity_key.clone() });
    }
    let Some(deriver) = &claim.deriver else { return Ok(()) };
    let builtin = derivers::builtin();
    let is_builtin = builtin.iter().any(|known| known.name() == deriver.name)
        || builtin.iter().any(|known| admits(&**known, &claim.claim_type));
    // Whoever mines states facts, preferences, assumptions and goals, as a person does.
    let is_in_words = claim.claim_type.parse::<TextClaimType>().is_ok();
    if is_builtin || is_in_words || has_prefix(&claim.claim_type) {
        return Ok(());
    }
    let (claim_type, deriver) = (claim.claim_type.clone(), deriver.name.clone());
    Err(ClaimFormError::NoPrefix { claim_type, deriver })
}

fn admits(deriver: &dyn Deriver, claim_type: &str) -> bool {
    deriver.claim_types().iter().any(|declared: &ClaimType| declared.admits(claim_type))
}

/// Whether a type begins with a domain name, the top level first.
fn has_prefix(claim_type: &str) -> bool {
    let is_label = |label: &str| {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        !label.is_empty() && label.bytes().all(|byte| is_letter(byte) || b"-_".contains(&byte))
    };
    let mut labels = claim_type.split('.');
    let top_level = labels.next().unwrap_or_default();
    top_level.len() > 1
        && top_level.bytes().all(|byte| byte.is_ascii_lowercase())
        && labels.clone().count() + 1 >= LABELS_MIN
        && labels.all(is_label)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claim(claim_type: &str, deriver: Option<&str>, basis: Value) -> Claim {
        let deriver = deriver.map(|name| json!({ "name": name, "version": "1.0.0" }));
        serde_json::from_value(json!({ "claim_type": claim_type, "identity_key": "k",
            "deriver": deriver, "confidence_basis": basis }))
        .unwrap()
    }

    #[test]
    fn a_claim_says_how_its_confidence_was_computed() {
        for basis in [json!(null), json!({})] {
            let error = check_claim(&claim("routine.weekly", None, basis)).unwrap_err();
            assert_eq!(error.code(), "confidence_basis_missing");
        }
        check_claim(&claim("routine.weekly", None, json!({ "source": "user" }))).unwrap();
    }

    #[test]
    fn a_third_partys_type_has_a_reverse_dns_prefix() {
        let basis = || json!({ "prior": 0.5 });
        for fits in ["org.example.streak", "com.example.fitness.streak", "routine.weekly"] {
            check_claim(&claim(fits, Some("other"), basis())).unwrap();
        }
        for unfit in ["streak", "streak.daily", "a.b.c", "org..streak", "Org.example.streak", ""] {
            let error = check_claim(&claim(unfit, Some("other"), basis())).unwrap_err();
            assert_eq!(error.code(), "claim_type_prefix", "{unfit}");
        }
        check_claim(&claim("routine.yearly", Some("routines"), basis())).unwrap();
        check_claim(&claim("anything", None, basis())).unwrap();
    }
}
