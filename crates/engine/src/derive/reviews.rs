//! What derivation asks the user, since it touches the user's own word: see
//! [`crate::belief::review`].

use kernel::body::{Body, Claim, payload_digest};
use kernel::cascade::Review;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{Ref, Role};
use store::Writing;
use store::sqlite::SqliteWriting;

use super::Derivation;
use crate::EngineError;
use crate::belief::body_of;
use crate::belief::review::{Disagreement, propose_disagreement, propose_ground_changed};

/// Corrections of corrections that are followed down to what was first corrected.
const CORRECTIONS_FOLLOWED_MAX: usize = 100;

impl Derivation<'_> {
    /// What a correction was made of has changed.
    pub(super) fn review_ground(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        review: &Review,
    ) -> Result<(), EngineError> {
        let draft = propose_ground_changed(writing, review)?;
        if let Some(draft) = draft
            && self.append(writing, draft)?.is_some()
        {
            self.derived.reviews += 1;
        }
        Ok(())
    }

    /// A deriver says something else than the user. What the user saw when correcting it is no
    /// news.
    pub(super) fn review_disagreement(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        correction: &Entry,
        claim: &Claim,
        refs: &[Ref],
    ) -> Result<(), EngineError> {
        if let Some(claimed) = first_corrected(writing, correction)?
            && let Some(Body::Claim(seen)) =
                body_of(writing as &dyn Writing, &claimed, &Kind::Claim)?
            && payload_digest(&seen.payload) == payload_digest(&claim.payload)
        {
            return Ok(());
        }
        let inputs: Vec<_> = refs.iter().map(|cited| cited.id).collect();
        let said = Disagreement {
            key: &claim.identity_key,
            text: &claim.text,
            payload: &claim.payload,
            confidence: claim.confidence,
            inputs: &inputs,
        };
        let draft = propose_disagreement(writing, &said)?;
        if let Some(draft) = draft
            && self.append(writing, draft)?.is_some()
        {
            self.derived.reviews += 1;
        }
        Ok(())
    }
}

/// The claim that the user saw, where a correction was corrected again and again.
fn first_corrected(
    writing: &SqliteWriting<'_>,
    correction: &Entry,
) -> Result<Option<OpId>, EngineError> {
    let mut target = correction.sole_ref(Role::TARGET);
    for _ in 0..CORRECTIONS_FOLLOWED_MAX {
        let Some(id) = target else { return Ok(None) };
        let Some(entry) = writing.entry(&id)? else { return Ok(None) };
        match entry.kind {
            Kind::Claim => return Ok(Some(id)),
            Kind::ClaimCorrection => target = entry.sole_ref(Role::TARGET),
            _ => return Ok(None),
        }
    }
    Ok(None)
}
