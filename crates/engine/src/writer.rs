//! Writing to a space with a key.

use derivers::Deriver;
use kernel::body::{self, Body};
use kernel::id::{Author, OpId, SpaceId};
use kernel::kind::Capability;
use kernel::ledger_index::LedgerIndex;
use kernel::seal::{Draft, next_timestamp};
use store::sqlite::{Mode, SqliteSpace, SqliteWriting};
use store::{StoreError, Writing};

use crate::reader::{id_of, may};
use crate::recall::echo::PendingKeys;
use crate::seal::{Sealable, Sealer};
use crate::write::claim_form;
use crate::write::forget::hashes_of;
use crate::write::record::ForgottenPolicy;
use crate::{EngineError, now_us};

/// Appends to a space with a key.
///
/// What a call has appended is durable when it returns. [`Writer::finish`] then folds it into the
/// views, so that every reader that begins afterwards finds it. If a writer is dropped without
/// finishing, the next writer or reader folds. Between calls no lock is held.
///
/// The calls are in [`crate::write`] and [`crate::derive`]; [`crate::embed`] writes vectors of
/// other models and [`crate::recall::receipts`] writes receipts.
#[must_use = "readers find what was appended only after `finish`"]
pub struct Writer<'a> {
    pub(crate) store: &'a mut SqliteSpace,
    pub(crate) sealer: &'a Sealer,
    pub(crate) derivers: &'a [Box<dyn Deriver>],
    /// Keys of texts that a bulk import has not written yet.
    pub(crate) echoes: &'a mut PendingKeys,
    /// What becomes of a forgotten record that comes again.
    pub(crate) policy: ForgottenPolicy,
}

impl Writer<'_> {
    /// Whose key writes.
    pub fn author(&self) -> Author {
        self.sealer.author()
    }

    /// The same writer with another policy for forgotten records.
    pub fn with_policy(self, policy: ForgottenPolicy) -> Self {
        Self { policy, ..self }
    }

    pub(crate) fn space(&self) -> Result<SpaceId, EngineError> {
        id_of(self.store)
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.store.mode() == Mode::ReadOnly
    }

    /// Whether the key may derive.
    pub(crate) fn may_derive(&self, now: jiff::Timestamp) -> Result<bool, EngineError> {
        Ok(may(self.store, &self.author(), Capability::Derive, now)?)
    }

    /// Appends one operation, with its secrets masked.
    ///
    /// # Errors
    /// If a claim lacks something that every claim needs, the operation is larger than one may be,
    /// or a rule refuses it, such as that the key may not append it.
    pub fn append(&mut self, draft: Draft, now: jiff::Timestamp) -> Result<OpId, EngineError> {
        claim_form::check(&draft)?;
        let mut writing = self.store.write()?;
        writing.recognize_forgotten(hashes_of(self.sealer));
        let id = seal_into(&mut writing, self.sealer, draft, now)?;
        Box::new(writing).commit()?;
        Ok(id)
    }

    /// Appends several in one transaction: all or none.
    pub(crate) fn append_all(
        &mut self,
        drafts: Vec<Draft>,
        now: jiff::Timestamp,
    ) -> Result<Vec<OpId>, EngineError> {
        drafts.iter().try_for_each(claim_form::check)?;
        let mut writing = self.store.write()?;
        writing.recognize_forgotten(hashes_of(self.sealer));
        let mut appended = Vec::with_capacity(drafts.len());
        for draft in drafts {
            appended.push(seal_into(&mut writing, self.sealer, draft, now)?);
        }
        Box::new(writing).commit()?;
        Ok(appended)
    }

    /// Grants capabilities to a key, or revokes them. A revocation names the last operation that
    /// this copy has of the key: what turns up beyond it has no effect, however it is dated.
    ///
    /// # Errors
    /// If the writer's key does not hold `admin`.
    pub fn change_access(
        &mut self,
        key: Author,
        name: &str,
        capabilities: Vec<Capability>,
        gives: bool,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        let mut grant = body::Grant { key, name: name.to_owned(), capabilities, last_seq: None };
        if gives {
            return self.append(Draft::new(Body::Grant(grant)), now);
        }
        let head = self.store.ledger_index()?.head(&key)?;
        grant.last_seq = Some(head.map_or(0, |head| head.seq));
        self.append(Draft::new(Body::Revoke(grant)), now)
    }

    /// Revokes capabilities of a key that is still trusted, from now on: what it signed earlier and
    /// this copy has not seen keeps its effect.
    ///
    /// # Errors
    /// If the writer's key does not hold `admin`.
    pub fn revoke_from_now_on(
        &mut self,
        key: Author,
        name: &str,
        capabilities: Vec<Capability>,
        now: jiff::Timestamp,
    ) -> Result<OpId, EngineError> {
        let grant = body::Grant { key, name: name.to_owned(), capabilities, last_seq: None };
        self.append(Draft::new(Body::Revoke(grant)), now)
    }

    /// Folds what is recorded into the views. `progress` receives each position reached.
    pub fn advance(&mut self, mut progress: impl FnMut(u64)) -> Result<(), EngineError> {
        self.store.advance(|position| progress(position.0))?;
        Ok(())
    }

    /// Deletes every view and folds it again.
    pub fn rebuild(&mut self, mut progress: impl FnMut(u64)) -> Result<(), EngineError> {
        Ok(self.store.rebuild(|position| progress(position.0))?)
    }

    /// Folds what was appended into the views. Waits for other writers as an append does.
    ///
    /// What was appended is durable even if it cannot be folded now, because others write for too
    /// long, the disk is full or an operation does not read. Then this succeeds all the same, and
    /// answers say how far the view is behind.
    pub fn finish(self) -> Result<(), EngineError> {
        match self.store.advance(|_| {}) {
            Err(error) if !can_serve_stale(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// Masks, seals and records one operation.
pub(crate) fn seal_into(
    writing: &mut SqliteWriting<'_>,
    sealer: &Sealer,
    draft: Draft,
    now: jiff::Timestamp,
) -> Result<OpId, EngineError> {
    let ts = next_timestamp(now_us(now), writing.latest()?);
    let sealable = Sealable::masked(draft, &*writing)?;
    let (operation, body) = sealer.seal_next(sealable, &*writing, ts)?;
    writing.record(&operation, Some(&body))?;
    Ok(operation.id())
}

/// Whether a view that could not be folded for this reason is still served as it is.
pub(crate) fn can_serve_stale(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Busy { .. }
            | StoreError::DiskFull
            | StoreError::WriteFailed
            | StoreError::ReadOnly
            | StoreError::Damaged { .. }
    )
}
