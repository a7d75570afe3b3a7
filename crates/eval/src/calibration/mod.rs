//! Calibration of confidence: of the claims made with 0.8, are eight in ten true?
//!
//! Each person of `cargo xtask samples` is a folder with exports and a file of labels. The exports
//! go through the ordinary importers and derivers, which never see the labels; then every claim is
//! [judged](labels), and the [figures] measure the calibration of the confidences and the share of
//! truths that were found. The criteria of truth (which days exactly, since when) are defined in
//! [`labels`], because they affect the numbers.

use std::path::Path;

use kernel::body::LastSeen;
use kernel::when::When;
use serde_json::Value;

use super::EvalError;
use labels::{Family, Judgement, Labels, Truth};

mod derive;
pub mod diagram;
pub mod figures;
mod labels;
pub mod report;

/// The file with a person's labels.
const LABELS: &str = "labels.json";
/// Most people in one folder.
const PEOPLE_MAX: usize = 10_000;

/// A claim about a person.
pub struct Claim {
    claim_type: String,
    identity_key: String,
    payload: Value,
    confidence: f64,
    /// The basis of its confidence, as sealed.
    basis: Value,
    valid_from: Option<When>,
    valid_to: Option<When>,
    last_seen: Option<LastSeen>,
}

/// A claim and its judgement.
pub struct JudgedClaim {
    family: Family,
    claim: Claim,
    judgement: Judgement,
}

impl JudgedClaim {
    fn is_true(&self) -> bool {
        matches!(self.judgement, Judgement::True(_))
    }

    fn is_asserted(&self) -> bool {
        self.claim.confidence >= figures::ASSERTED_MIN
    }
}

/// One person: the truths about them, and the claims.
pub struct Person {
    name: String,
    truths: Vec<Truth>,
    judged: Vec<JudgedClaim>,
}

/// The folders of the people in a folder, in order of name.
///
/// # Errors
/// If the folder cannot be read, or holds no person or more than 10 000.
pub fn people_in(folder: &Path) -> Result<Vec<std::path::PathBuf>, EvalError> {
    let io = |source| EvalError::File { path: folder.to_owned(), source };
    let mut people = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.join(LABELS).is_file() {
            people.push(path);
        }
    }
    people.sort();
    if people.is_empty() || people.len() > PEOPLE_MAX {
        let reason = format!(
            "it holds {} folders with a {LABELS}; `cargo xtask samples` makes them",
            people.len()
        );
        return Err(EvalError::form(folder, reason));
    }
    Ok(people)
}

/// Imports one person's folder, derives claims, and judges them.
///
/// # Errors
/// If the labels cannot be read, or the engine cannot import the sources and derive from them.
pub fn measure(folder: &Path) -> Result<Person, EvalError> {
    let labels = Labels::read(&folder.join(LABELS))?;
    let claims = derive::claims(folder, labels.today.date())?;
    let judge = |claim: Claim| {
        let (family, judgement) = labels.judge(&claim)?;
        Some(JudgedClaim { family, claim, judgement })
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Person {
        name,
        truths: labels.truths(),
        judged: claims.into_iter().filter_map(judge).collect(),
    })
}

#[cfg(test)]
mod testing {
    use super::*;

    pub(super) fn claim(identity_key: &str, confidence: f64) -> Claim {
        Claim {
            claim_type: identity_key.split('|').next().unwrap().to_owned(),
            identity_key: identity_key.to_owned(),
            payload: Value::Null,
            confidence,
            basis: Value::Null,
            valid_from: None,
            valid_to: None,
            last_seen: None,
        }
    }

    pub(super) fn judged(confidence: f64, holds: bool) -> JudgedClaim {
        let judgement = if holds { Judgement::True(0) } else { Judgement::False("no habit") };
        JudgedClaim {
            family: Family::Routine,
            claim: claim("routine.weekly|gym|tue|morning", confidence),
            judgement,
        }
    }
}
