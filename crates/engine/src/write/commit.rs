//! Appends operations together with all of their consequences, in one transaction.
//!
//! Corrections, refutations, withdrawals and retractions go through [`Writer::act`]. It records the
//! operations, the invalidations that they cause, and the new results of the derivers, and returns
//! the beliefs that changed. A dry run does the same and rolls back, so its result is exactly what
//! a write would do.

use importers::secrets::SecretKind;
use kernel::body::Body;
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::{Draft, next_timestamp};
use store::Writing;
use store::sqlite::SqliteWriting;

use crate::belief::Belief;
use crate::belief::user::check_possible;
use crate::derive::{Derivation, Extent};
use crate::outcome::Intent;
use crate::seal::{Sealable, Sealer};
use crate::write::altered::take_altered;
use crate::write::claim_form;
use crate::write::forget::{hashes_of, mark_private};
use crate::write::graph::COMPARED_MAX;
use crate::write::patch::{StatusChange, compare};
use crate::{EngineError, Writer, now_us};

pub use crate::outcome::{Change, Changes};

/// What was appended before its consequences.
#[derive(Default)]
pub(crate) struct Appended {
    /// The operations that the caller asked for, in their order.
    pub(crate) recorded: Vec<OpId>,
    /// The kinds of the secrets that were masked in them.
    pub(crate) masked: Vec<SecretKind>,
}

impl Writer<'_> {
    /// Records `drafts` with their consequences or, in a dry run, returns the consequences alone.
    /// The backlog is derived first, so that the changes are those of the drafts alone. A long
    /// backlog is derived in separate steps, which are kept even if the drafts fail, so that the
    /// write lock is held only for the drafts and their consequences. A dry run over a long backlog
    /// works on a private copy.
    ///
    /// ```
    /// use engine::Space;
    /// use engine::outcome::Intent;
    /// use engine::recall::episodes::Query;
    /// use engine::write::record::Outcome;
    /// # use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
    /// # let note = |text: &str| Evidence {
    /// #     source: "example".to_owned(),
    /// #     source_uid: "1".to_owned(),
    /// #     kind: EvidenceKind("note".to_owned()),
    /// #     actor: None,
    /// #     at: None,
    /// #     summary: text.to_owned(),
    /// #     visibility: Visibility::Project,
    /// #     payload: Payload { text: text.to_owned(), ..Payload::default() },
    /// # };
    ///
    /// let now = jiff::Timestamp::UNIX_EPOCH;
    /// let signer = kernel::seal::Signer::from_seed([1; 32]);
    /// let mut space = Space::create_in_memory(signer, "example", now)?;
    /// let Outcome::Added(id) = space.remember(note("The kiln is cold."), now)? else { panic!() };
    ///
    /// let drafts = space.to_retract(&id.to_string(), "I looked at the wrong kiln")?;
    /// let changes = space.act(drafts, Intent::Write, now)?;
    /// assert_eq!(changes.recorded.len(), 1);
    /// assert!(space.recall(&Query::new("Is the kiln cold?", 5))?.results.is_empty());
    /// # Ok::<(), engine::EngineError>(())
    /// ```
    ///
    /// # Errors
    /// If a rule refuses a draft, such as that the key may not append it, or what it acts on is not
    /// so any more. Nothing of the drafts is recorded then.
    pub fn act(
        &mut self,
        drafts: Vec<Draft>,
        intent: Intent,
        now: jiff::Timestamp,
    ) -> Result<Changes, EngineError> {
        let (changes, ()) = self.act_and(drafts, intent, now, |_| Ok(()))?;
        Ok(changes)
    }

    /// The same. `examine` looks at the result before it is committed or rolled back.
    pub(crate) fn act_and<T>(
        &mut self,
        drafts: Vec<Draft>,
        intent: Intent,
        now: jiff::Timestamp,
        examine: impl FnOnce(&SqliteWriting<'_>) -> Result<T, EngineError>,
    ) -> Result<(Changes, T), EngineError> {
        let append = |sealer: &Sealer, writing: &mut SqliteWriting<'_>| {
            let mut appended = Appended::default();
            for mut draft in drafts {
                claim_form::check(&draft)?;
                if let Body::Redaction(redaction) = &mut draft.body {
                    for Ref { id, .. } in &draft.refs {
                        mark_private(writing as &dyn Writing, redaction, id)?;
                    }
                }
                check_possible(writing as &dyn Writing, &draft, &appended.recorded)?;
                let ts = next_timestamp(now_us(now), writing.latest()?);
                let sealable = Sealable::masked(draft, &*writing)?;
                appended.masked.extend(sealable.secrets().iter().map(|secret| secret.kind));
                let (operation, body) = sealer.seal_next(sealable, &*writing, ts)?;
                writing.record(&operation, Some(&body))?;
                appended.recorded.push(operation.id());
            }
            Ok(appended)
        };
        let examine = |writing: &SqliteWriting<'_>, recorded: &[OpId]| {
            let mut displaced = match recorded.len() {
                1..=COMPARED_MAX => compare(writing, recorded)?,
                _ => Vec::new(),
            };
            displaced.retain(StatusChange::is_beside_beliefs);
            Ok((displaced, examine(writing)?))
        };
        let (changes, (displaced, examined)) = self.act_by(append, intent, now, examine)?;
        Ok((Changes { displaced, ..changes }, examined))
    }

    /// Appends by `append`, with all that follows, in one transaction. `examine` looks at the
    /// result, and at what was appended, before it is committed or rolled back.
    pub(crate) fn act_by<T>(
        &mut self,
        append: impl FnOnce(&Sealer, &mut SqliteWriting<'_>) -> Result<Appended, EngineError>,
        intent: Intent,
        now: jiff::Timestamp,
        examine: impl FnOnce(&SqliteWriting<'_>, &[OpId]) -> Result<T, EngineError>,
    ) -> Result<(Changes, T), EngineError> {
        let may_derive = self.may_derive(now)?;
        let (sealer, derivers) = (self.sealer, self.derivers);
        let store = &mut *self.store;
        let mut backlog = Derivation::new(derivers, sealer, now);
        let mut copy;
        let store = if !may_derive || !backlog.is_long(store)? {
            store
        } else if intent == Intent::Write {
            backlog.run_to_end(store, Extent::Changed, |_| {})?;
            store
        } else {
            copy = store.private_copy()?;
            backlog.run_to_end(&mut copy, Extent::Changed, |_| {})?;
            &mut copy
        };
        let mut writing = store.write()?;
        writing.recognize_forgotten(hashes_of(sealer));
        if intent == Intent::DryRun {
            // Erasing takes long. Records that are redacted count no more at once; a person's words
            // do until they are erased, so whoever plans to forget some withdraws them instead.
            writing.defer_erasure();
        }
        let mut before = Derivation::new(derivers, sealer, now);
        if may_derive {
            before.begin(&mut writing, Extent::Changed)?;
            before.finish(&mut writing)?;
        } else {
            before.propagate_only(&mut writing)?;
        }
        let Appended { recorded, masked } = append(sealer, &mut writing)?;
        let mut after = Derivation::new(derivers, sealer, now);
        if may_derive {
            after.begin(&mut writing, Extent::Changed)?;
            after.finish(&mut writing)?;
        } else {
            after.record_consequences(&mut writing)?;
            after.propagate_only(&mut writing)?;
        }
        let Derivation { report: derived, changes, altered, .. } = after;
        let mut beliefs = changes.differing();
        for change in beliefs.values_mut() {
            change.cause = cause_of(&writing, &change.after)?;
        }
        let altered = altered.into_iter().collect();
        let mut changes =
            Changes { recorded, masked, beliefs, derived, altered, ..Changes::default() };
        take_altered(&writing, |id| writing.signed_state(id), &mut changes)?;
        let examined = examine(&writing, &changes.recorded)?;
        if intent == Intent::Write {
            Box::new(writing).commit()?;
        }
        Ok((changes, examined))
    }
}

/// The cause of the latest invalidation.
fn cause_of(writing: &dyn Writing, believed: &Belief) -> Result<Option<OpId>, EngineError> {
    let (None, Some(current)) = (believed.served, believed.current) else { return Ok(None) };
    let mut latest = None;
    for id in writing.acting(&current, &kernel::kind::Kind::ClaimInvalidation, Role::TARGET)? {
        latest = latest
            .max(writing.entry(&id)?.map(|entry| (entry.order(), entry.sole_ref(Role::CAUSE))));
    }
    Ok(latest.and_then(|(_, cause)| cause))
}
