//! The retract stage: a claim that no group concludes any more is retracted.
//!
//! A key may retract its own claims, and those of others only if it may correct. What it may not
//! retract stays believed and stays marked, so that a key that may, in this file or on another
//! device, retracts it when it derives.

use kernel::access::Place;
use kernel::body::{Body, Reason};
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{Ref, Role};
use kernel::redaction::forgotten_behind;
use kernel::rules::RuleViolation;
use kernel::seal::{Draft, next_timestamp};
use kernel::validity::State;
use store::Writing;
use store::sqlite::SqliteWriting;

use super::Derivation;
use crate::EngineError;
use crate::belief::belief;
use crate::write::submission::{Refusal, append};

/// Identities looked at in one query.
const UNSUPPORTED_KEYS_MAX: usize = 2_000;

/// What is to become of an identity that is marked as unsupported.
enum Fate {
    /// A group concludes it, nothing is believed of it, or its deriver cannot be asked.
    Kept,
    /// This key retracts the claim.
    Retracted(OpId),
    /// This key may not.
    LeftToOthers,
    /// Nobody can tell here whether it still follows: see [`Derivation::lacks_ground`].
    NotJudged,
}

impl Derivation<'_> {
    /// Whether a body that a claim was built from is withheld or missing here, or was altered in
    /// the file. A deriver that cannot read it has no ground to judge the claim, neither to retract
    /// it nor to replace it. What was forgotten is gone everywhere, and counts as though it had
    /// never been there.
    pub(super) fn lacks_ground(
        &self,
        writing: &SqliteWriting<'_>,
        claim: &OpId,
    ) -> Result<bool, EngineError> {
        let may_be_altered = !self.altered.is_empty();
        if !may_be_altered && !writing.lacks_any_body()? {
            return Ok(false);
        }
        let Some(entry) = writing.entry(claim)? else { return Ok(false) };
        for input in kernel::validity::inputs(&entry) {
            if writing.lacks_body(&input)?
                && let Some(cited) = writing.entry(&input)?
                && forgotten_behind(writing, &cited.id)?.is_none()
            {
                return Ok(true);
            }
            if may_be_altered && writing.line(&input)?.is_some_and(|row| row.is_altered()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Retracts what no group concludes any more. True if something was retracted.
    pub(super) fn retract_unsupported(
        &mut self,
        writing: &mut SqliteWriting<'_>,
    ) -> Result<bool, EngineError> {
        let mut has_retracted = false;
        // The stage may run again: the last count is the right one.
        self.report.left_to_others = 0;
        let mut after = None;
        while let keys = writing.unsupported(after.as_deref(), UNSUPPORTED_KEYS_MAX)?
            && !keys.is_empty()
        {
            for key in &keys {
                match self.fate(writing, key)? {
                    Fate::Kept => writing.unmark_unsupported(key)?,
                    Fate::NotJudged => {
                        self.report.not_judged += 1;
                        writing.unmark_unsupported(key)?;
                    }
                    Fate::Retracted(claim) => {
                        if self.retract(writing, claim)? {
                            has_retracted = true;
                            writing.unmark_unsupported(key)?;
                        } else {
                            self.report.left_to_others += 1;
                        }
                    }
                    Fate::LeftToOthers => self.report.left_to_others += 1,
                }
            }
            after = keys.into_iter().next_back();
        }
        if has_retracted {
            self.record_consequences(writing)?;
        }
        Ok(has_retracted)
    }

    /// Whether something is marked that this key would retract.
    pub(super) fn may_retract_any(&self, writing: &SqliteWriting<'_>) -> Result<bool, EngineError> {
        let mut after = None;
        while let keys = writing.unsupported(after.as_deref(), UNSUPPORTED_KEYS_MAX)?
            && !keys.is_empty()
        {
            for key in &keys {
                if matches!(self.fate(writing, key)?, Fate::Retracted(_)) {
                    return Ok(true);
                }
            }
            after = keys.into_iter().next_back();
        }
        Ok(false)
    }

    fn fate(&self, writing: &SqliteWriting<'_>, key: &str) -> Result<Fate, EngineError> {
        let believed = belief(writing as &dyn Writing, key)?;
        let can_be_asked = believed.deriver.as_ref().is_some_and(|deriver| {
            self.deriver(&deriver.name).is_some() && !self.failed.contains(&deriver.name)
        });
        let Some(claim) = believed.served.filter(|_| believed.state == State::Active) else {
            return Ok(Fate::Kept);
        };
        if !can_be_asked || !writing.makers(key)?.is_empty() {
            return Ok(Fate::Kept);
        }
        if self.lacks_ground(writing, &claim)? {
            return Ok(Fate::NotJudged);
        }
        let author = self.sealer.author();
        let is_own = writing.entry(&claim)?.is_some_and(|entry| entry.author == author);
        let at = Place::next(next_timestamp(self.now_us, writing.latest()?));
        if is_own || writing.access()?.holds(&author, Capability::Correct, at) {
            Ok(Fate::Retracted(claim))
        } else {
            Ok(Fate::LeftToOthers)
        }
    }

    /// Retracts a claim; false where this key may not.
    fn retract(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        claim: OpId,
    ) -> Result<bool, EngineError> {
        let reason = Reason { reason: "the records no longer support this claim".to_owned() };
        let refs = vec![Ref { id: claim, role: Role::parse(Role::TARGET)? }];
        let draft = Draft { body: Body::Retraction(reason), refs };
        match append(self.sealer, writing as &mut dyn Writing, draft, self.now_us)? {
            Ok(_) => {
                self.report.retracted += 1;
                Ok(true)
            }
            Err(Refusal::Rule(RuleViolation::NotPermitted { .. })) => Ok(false),
            Err(refusal) => Err(refusal_as_error(claim, refusal)),
        }
    }
}

/// A retraction that is refused for another reason than permission is a fault of this program.
fn refusal_as_error(id: OpId, refusal: Refusal) -> EngineError {
    match refusal {
        Refusal::Rule(violation) => {
            EngineError::Record(store::RecordError::Refused { id, violation })
        }
        Refusal::Form(error) => EngineError::ClaimForm(error),
        Refusal::Malformed(error) => EngineError::Malformed(error),
    }
}
