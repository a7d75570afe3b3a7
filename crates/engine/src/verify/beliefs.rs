//! Verifying beliefs: everything is derived again from the records, in a private copy of the space,
//! and compared with what is believed. Others can write to the space meanwhile.
//!
//! The comparison proves something only where derivation has caught up: a record counts as soon as
//! it is derived from, and until then its absence from the beliefs is not a fault. So the check
//! first counts the records that derivation has not read: evidence, the user's words, changes of
//! access, and what other derivers or people claimed. Claims in the name of one of our derivers do
//! not count, nor do invalidations and retractions: a derivation appends these itself after it has
//! read. Whoever appends one that does not follow has forged it.

use std::collections::BTreeMap;

use derivers::Deriver;
use kernel::body::{Body, LastSeen};
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
use crate::{EngineError, Writer};

/// Operations read in one query, to count those that derivation has not read.
const UNREAD_OPERATIONS_MAX: usize = 2_000;
/// Longest text or payload of a belief in a finding, characters.
const TEXT_CHARS_MAX: usize = 120;

/// The outcome of the comparison of beliefs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum BeliefCheck {
    /// Everything was derived again and compared.
    Compared {
        /// Beliefs before.
        beliefs: u64,
        /// Beliefs that differ: those that would be believed otherwise or not at all, and those
        /// that are missing.
        differing: u64,
    },
    /// Derivation has not caught up, so there is nothing to compare with.
    NotDerived {
        /// Records that derivation has not read; 0 where it was interrupted, was made by other
        /// derivers, or left something that this key may retract.
        records: u64,
    },
    /// Nothing was compared.
    Skipped {
        /// Why, in words.
        reason: String,
    },
}

/// The served belief of an identity, as far as derivation determines it.
struct ServedBelief {
    by: OpId,
    text: String,
    payload: Value,
    confidence: f64,
    valid_from: Option<When>,
    valid_to: Option<When>,
    last_seen: Option<LastSeen>,
}

impl ServedBelief {
    /// The parts that are compared: the text may change its wording, and the operation may differ.
    fn content(&self) -> (&Value, f64, [&Option<When>; 2], &Option<LastSeen>) {
        let times = [&self.valid_from, &self.valid_to];
        (&self.payload, self.confidence, times, &self.last_seen)
    }

    fn in_words(&self) -> String {
        let text: String = self.text.chars().take(TEXT_CHARS_MAX).collect();
        let payload: String = self.payload.to_string().chars().take(TEXT_CHARS_MAX).collect();
        let time = |word: &str, when: &Option<When>| {
            when.as_ref().map(|when| format!(", {word} {}", when.date())).unwrap_or_default()
        };
        format!(
            "{text:?} {payload} ({}{}{}{})",
            self.confidence,
            time("since", &self.valid_from),
            time("until", &self.valid_to),
            time("last seen", &self.last_seen.as_ref().map(|last| last.at.clone()))
        )
    }
}

impl Writer<'_> {
    /// Derives everything again and adds a finding to `verification` for each belief that does not
    /// follow from the records, and for each that follows and is missing. Nothing is written.
    /// `progress` gets the derivation's report so far after each step.
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
                // A busy space or a full disk says nothing about what is believed.
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
        progress: impl FnMut(&Derived),
    ) -> Result<BeliefCheck, EngineError> {
        let mut derivation = Derivation::new(self.derivers, self.sealer, now);
        // A copy costs more the larger the ledger is, so it is made only if it will be compared.
        let inspection = self.store.inspect()?;
        if let Some(behind) = behind(self.derivers, &derivation, &inspection)? {
            return Ok(behind);
        }
        drop(inspection);
        let mut copy = self.store.private_copy()?;
        let before = {
            let writing = copy.write()?;
            // Somebody may have written in between.
            if let Some(behind) = behind(self.derivers, &derivation, &writing)? {
                return Ok(behind);
            }
            all_served(&writing)?
        };
        derivation.run_to_end(&mut copy, Extent::Full, progress)?;
        let beliefs = before.len() as u64;
        let differing = find_differences(verification, before, &copy.write()?)?;
        for problem in &derivation.report.problems {
            let message = format!(
                "deriver {}, group {:?}: {}",
                problem.deriver, problem.group, problem.message
            );
            verification.find(None, "deriver_problem", message, false);
        }
        Ok(BeliefCheck::Compared { beliefs, differing })
    }
}

/// The outcome if derivation has not caught up, so that there is nothing to compare with.
fn behind(
    derivers: &[Box<dyn Deriver>],
    derivation: &Derivation<'_>,
    writing: &SqliteWriting<'_>,
) -> Result<Option<BeliefCheck>, EngineError> {
    let names: Vec<&str> = derivers.iter().map(|deriver| deriver.name()).collect();
    let records = count_unread(writing, &names)?;
    // Where there is nothing to derive from, nobody has to have derived.
    let has_begun = writing.derived()?.0 > Position(0);
    let is_behind = records > 0 || has_begun && !derivation.has_caught_up(writing)?;
    Ok(is_behind.then_some(BeliefCheck::NotDerived { records }))
}

/// The served belief of every identity.
fn all_served(writing: &SqliteWriting<'_>) -> Result<BTreeMap<String, ServedBelief>, EngineError> {
    let mut all = BTreeMap::new();
    for key in writing.identity_keys()? {
        if let Some(served) = served(writing, &key)? {
            all.insert(key, served);
        }
    }
    Ok(all)
}

fn served(writing: &SqliteWriting<'_>, key: &str) -> Result<Option<ServedBelief>, EngineError> {
    let belief = belief(writing as &dyn Writing, key)?;
    let Some(by) = belief.served else { return Ok(None) };
    let (text, payload, confidence) = (belief.text, belief.payload, belief.confidence);
    let (valid_from, valid_to, last_seen) = (belief.valid_from, belief.valid_to, belief.last_seen);
    Ok(Some(ServedBelief { by, text, payload, confidence, valid_from, valid_to, last_seen }))
}

/// Adds a finding for each identity of which something else was served before than is now; answers
/// how many there are.
fn find_differences(
    verification: &mut Verification,
    mut before: BTreeMap<String, ServedBelief>,
    derived: &SqliteWriting<'_>,
) -> Result<u64, EngineError> {
    let mut differing = 0;
    for key in derived.identity_keys()? {
        let follows = served(derived, &key)?;
        match (before.remove(&key), follows) {
            (None, None) => continue,
            (Some(believed), Some(follows)) if believed.content() == follows.content() => continue,
            (Some(believed), follows) => {
                let instead =
                    follows.map_or("nothing of it".to_owned(), |follows| follows.in_words());
                let message = format!(
                    "{key} is believed to be {}, but from the records follows {instead}",
                    believed.in_words()
                );
                verification.find(Some(believed.by), "belief_differs", message, false);
            }
            (None, Some(follows)) => {
                let follows = follows.in_words();
                let message =
                    format!("{key} is not believed, but from the records follows {follows}");
                verification.find(None, "belief_missing", message, false);
            }
        }
        differing += 1;
    }
    Ok(differing)
}

/// Counts the records that arrived since derivation last read, apart from what a derivation by
/// these derivers appends itself.
fn count_unread(writing: &SqliteWriting<'_>, derivers: &[&str]) -> Result<u64, EngineError> {
    let (mut read, _) = writing.derived()?;
    let mut records = 0;
    while let rows = writing.kinds(read, UNREAD_OPERATIONS_MAX)?
        && let Some((last, _, _)) = rows.last()
    {
        for (_, id, kind) in &rows {
            records += u64::from(match kind.spec().derivation {
                DerivationInput::Never => false,
                DerivationInput::Always => true,
                DerivationInput::UnlessTheirOwn => !is_in_the_name_of(writing, id, derivers)?,
            });
        }
        read = *last;
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
