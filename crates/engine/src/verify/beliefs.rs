//! Verifying beliefs: everything is derived again from the records, in a writing that is dropped,
//! and compared with what is believed.
//!
//! The comparison proves something only where derivation has caught up: what was recorded since is
//! believed as soon as it is derived from, and its absence is no fault. So it is asked first what
//! derivation still owes. Records count: evidence, the user's words, changes of access, what other
//! derivers or people claimed. Claims in the name of a deriver of ours do not, nor falls and
//! retractions: a derivation leaves these behind itself, and who appends one that does not follow
//! has forged it.

use std::collections::BTreeMap;

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::kind_spec::DerivationInput;
use kernel::when::When;
use serde_json::Value;
use store::sqlite::SqliteWriting;
use store::{Position, StoreError, Writing};

use crate::belief::{belief, body_of};
use crate::derive::{Derivation, Derived, Extent};
use crate::verify::ledger::Verification;
use crate::{EngineError, Space};

/// Operations looked at in one step, to tell what was derived from.
const OWED_OPERATIONS_MAX: usize = 2_000;
/// Longest words of a belief in a finding, characters.
const TEXT_CHARS_MAX: usize = 120;

/// What became of the comparison of beliefs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum BeliefCheck {
    /// All was derived again.
    Compared {
        /// What is believed.
        beliefs: u64,
        /// How many of these would be believed otherwise or not at all, and how many are missing.
        differing: u64,
    },
    /// Derivation has not caught up, so there is nothing to compare with.
    NotDerived {
        /// Records that are not derived from yet; 0 where only a derivation that was stopped is to
        /// go on, or was made by other derivers.
        records: u64,
    },
    /// It could not be done.
    Skipped {
        /// Why not, in words.
        reason: String,
    },
}

/// What is served of an identity, as far as derivation decides about it.
#[derive(PartialEq)]
struct Held {
    by: OpId,
    text: String,
    payload: Value,
    confidence: f64,
    valid_from: Option<When>,
    valid_to: Option<When>,
}

impl Held {
    fn says(&self) -> (&Value, f64, &Option<When>, &Option<When>) {
        (&self.payload, self.confidence, &self.valid_from, &self.valid_to)
    }

    fn in_words(&self) -> String {
        let text: String = self.text.chars().take(TEXT_CHARS_MAX).collect();
        let payload: String = self.payload.to_string().chars().take(TEXT_CHARS_MAX).collect();
        let time = |word: &str, when: &Option<When>| {
            when.as_ref().map(|when| format!(", {word} {}", when.date())).unwrap_or_default()
        };
        format!(
            "{text:?} {payload} ({}{}{})",
            self.confidence,
            time("since", &self.valid_from),
            time("until", &self.valid_to)
        )
    }
}

impl Space {
    /// Derives everything again and adds to `verification` what is believed and does not follow,
    /// and what follows and is not believed. Nothing is written. `progress` is told what the
    /// derivation did so far.
    pub fn verify_beliefs(
        &mut self,
        verification: &mut Verification,
        now: jiff::Timestamp,
        progress: impl FnMut(&Derived),
    ) -> Result<(), EngineError> {
        let check = if !verification.is_sound() {
            let reason =
                "the ledger or its views are not sound, so nothing can be derived from them";
            BeliefCheck::Skipped { reason: reason.to_owned() }
        } else if self.is_read_only() {
            BeliefCheck::Skipped { reason: "the space is read-only".to_owned() }
        } else if !self.may_derive(now)? {
            BeliefCheck::Skipped { reason: "this key may not derive".to_owned() }
        } else {
            match self.compare_beliefs(verification, now, progress) {
                // Whoever writes at the moment, or has filled the disk, says nothing about what is
                // believed.
                Err(EngineError::Store(
                    error @ (StoreError::Busy { .. }
                    | StoreError::ReadOnly
                    | StoreError::DiskFull
                    | StoreError::WriteFailed),
                )) => BeliefCheck::Skipped { reason: error.to_string() },
                compared => compared?,
            }
        };
        verification.beliefs = Some(check);
        Ok(())
    }

    fn compare_beliefs(
        &mut self,
        verification: &mut Verification,
        now: jiff::Timestamp,
        mut progress: impl FnMut(&Derived),
    ) -> Result<BeliefCheck, EngineError> {
        let Self { store, signer, derivers, .. } = self;
        let mut writing = store.write()?;
        let mut derivation = Derivation::new(derivers, signer, now, true);
        let names: Vec<&str> = derivers.iter().map(|deriver| deriver.name()).collect();
        let records = underived(&writing, &names)?;
        // Where there is nothing to derive from, nobody has to have derived.
        let has_begun = writing.derived()?.0 > Position(0);
        if records > 0 || has_begun && !derivation.has_caught_up(&writing)? {
            return Ok(BeliefCheck::NotDerived { records });
        }
        let before = held(&writing)?;
        derivation.begin(&mut writing, Extent::Full)?;
        derivation.follow(&mut writing)?;
        while derivation.step(&mut writing)? {
            progress(&derivation.derived);
        }
        let mut after = held(&writing)?;
        let mut differing = 0;
        let beliefs = before.len() as u64;
        for (key, held) in before {
            let follows = after.remove(&key);
            if follows.as_ref().map(Held::says) == Some(held.says()) {
                continue;
            }
            differing += 1;
            let instead = follows.map_or("nothing of it".to_owned(), |follows| follows.in_words());
            let message = format!(
                "{key} is believed to be {}, but from the records follows {instead}; `because derive --full` believes that",
                held.in_words()
            );
            verification.find(Some(held.by), "belief_differs", message, false);
        }
        for (key, follows) in after {
            differing += 1;
            let follows = follows.in_words();
            let message = format!(
                "{key} is not believed, but from the records follows {follows}; `because derive --full` believes that"
            );
            verification.find(None, "belief_missing", message, false);
        }
        for problem in &derivation.derived.problems {
            let message = format!(
                "deriver {}, group {:?}: {}",
                problem.deriver, problem.group, problem.message
            );
            verification.find(None, "deriver_problem", message, false);
        }
        Ok(BeliefCheck::Compared { beliefs, differing })
    }
}

/// Everything that is served.
fn held(writing: &SqliteWriting<'_>) -> Result<BTreeMap<String, Held>, EngineError> {
    let mut held = BTreeMap::new();
    for key in writing.identity_keys()? {
        let belief = belief(writing as &dyn Writing, &key)?;
        if let Some(by) = belief.served {
            let (text, payload, confidence) = (belief.text, belief.payload, belief.confidence);
            let (valid_from, valid_to) = (belief.valid_from, belief.valid_to);
            held.insert(key, Held { by, text, payload, confidence, valid_from, valid_to });
        }
    }
    Ok(held)
}

/// How many records arrived since derivation last read, apart from what a derivation by these
/// derivers leaves behind itself.
fn underived(writing: &SqliteWriting<'_>, derivers: &[&str]) -> Result<u64, EngineError> {
    let (mut read, _) = writing.derived()?;
    let mut records = 0;
    while let lines = writing.lines(read, OWED_OPERATIONS_MAX)?
        && let Some(last) = lines.last()
    {
        for line in &lines {
            records += u64::from(match line.kind.spec().derivation {
                DerivationInput::Never => false,
                DerivationInput::Always => true,
                DerivationInput::UnlessTheirOwn => !is_in_the_name_of(writing, &line.id, derivers)?,
            });
        }
        read = last.position;
    }
    Ok(records)
}

fn is_in_the_name_of(
    writing: &SqliteWriting<'_>,
    claim: &OpId,
    derivers: &[&str],
) -> Result<bool, EngineError> {
    Ok(match body_of(writing as &dyn Writing, claim, &Kind::Claim)? {
        Some(Body::Claim(claim)) => {
            claim.deriver.is_some_and(|deriver| derivers.contains(&deriver.name.as_str()))
        }
        _ => false,
    })
}
