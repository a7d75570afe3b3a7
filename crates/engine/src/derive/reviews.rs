//! What derivation asks the user, since it touches the user's own word: see [`crate::review`].

use kernel::body::Claim;
use kernel::cascade::Review;
use kernel::kind::Kind;
use kernel::operation::{Ref, Role};
use kernel::world::{Entry, World};
use store::Writing;
use store::sqlite::SqliteWriting;

use super::Derivation;
use crate::EngineError;
use crate::belief::body_of;
use crate::review::{Disagreement, propose_disagreement, propose_ground_changed};

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

    /// A deriver says something else than the user. What the user saw when correcting it is no news.
    pub(super) fn review_disagreement(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        correction: &Entry,
        claim: &Claim,
        refs: &[Ref],
    ) -> Result<(), EngineError> {
        if let Some(target) = correction.sole_ref(Role::TARGET)
            && let Some(entry) = writing.entry(&target)?
            && entry.kind == Kind::Claim
            && let Some(kernel::body::Body::Claim(seen)) = body_of(writing as &dyn Writing, &target, &Kind::Claim)?
            && seen.payload == claim.payload
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
