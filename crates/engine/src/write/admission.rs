//! What an exchange takes besides operations that keep the rules of place: bodies, and whose
//! operations.
//!
//! - A body that arrives for an operation that lacks it, or has another than was signed, is filled
//!   in, unless it was forgotten.
//! - A grant, a revocation or a person's word without its body is refused, unless somebody who may
//!   withhold it declared so ([`kernel::missing_body`]), or what the word is about has no body
//!   either, as where both were forgotten. Kept without it, something else would be
//!   believed here. Its author's later operations are refused with it, so that the gap is reported
//!   and the whole form closes it: whoever passes on an export can cut it short anyway. A redaction
//!   of the word comes later in the file, in the chain that the gap breaks. So what is refused for
//!   the gap waits for the end of the file, and is taken if a redaction in it names the word.
//! - An operation of a key that is not a member ([`kernel::membership`]) is refused.

use std::collections::{BTreeMap, BTreeSet};

use kernel::declaration::Declaration;
use kernel::id::{Author, OpId};
use kernel::kind::Kind;
use kernel::kind_spec::BodyNeed;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::membership::Members;
use kernel::missing_body::{leave, may_declare};
use kernel::operation::{Operation, Role, Verified};
use kernel::redaction::{can_be_redacted, concerned, quoted, redaction_behind};
use kernel::rules::is_permitted;
use store::sqlite::{SqliteLedgerIndex, SqliteSpace, SqliteWriting};
use store::{Ledger, StoreError, Writing};

/// Bytes of bodies that wait to be filled in together. Each time costs a fold of the whole ledger.
const WAITING_BYTES_MAX: usize = 64 << 20;
/// The bytes of an operation besides its body, estimated.
const HEADER_BYTES: usize = 512;
/// Bytes of operations that wait for the end of the file.
const DEFERRED_BYTES_MAX: usize = 64 << 20;

/// Why an operation is refused that keeps the rules of place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// Its body was taken out.
    #[error(
        "a {kind} counts only with its body, which was taken out of this file: import a whole export, from a device that has the body"
    )]
    BodyMissing { kind: Kind },
    /// Its author is not a member.
    #[error(
        "{author} was never granted a capability in this space, so nothing that it signed is kept; once a grant is here, import the file again"
    )]
    NotAMember { author: Author },
}

impl Refused {
    /// The stable code.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::BodyMissing { .. } => "body_missing",
            Self::NotAMember { .. } => "not_a_member",
        }
    }
}

/// What an import knows and still has to write.
#[derive(Default)]
pub(super) struct Admission {
    members: Members,
    /// Operations with bodies that are missing or altered here.
    waiting: Vec<Operation<Verified>>,
    waiting_bytes: usize,
    /// Who declared something, and the first line on which.
    declared: BTreeMap<Author, u64>,
    /// What waits for the end of the file.
    deferred: Vec<Deferred>,
    deferred_bytes: usize,
    /// Targets of the redactions among it; none before the end of the file.
    announced: Option<BTreeSet<OpId>>,
}

/// An operation that was refused because a word without its body was, or that word.
pub(super) struct Deferred {
    pub(super) line: u64,
    pub(super) operation: Operation<Verified>,
}

impl Admission {
    /// Prepares for a batch. `declarations` came with it, by line.
    pub(super) fn begin(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        declarations: Vec<(u64, Declaration)>,
    ) -> Result<(), StoreError> {
        self.members = Members::of(writing.access()?);
        let space = writing.space()?;
        for (line, declaration) in declarations {
            let statement = declaration.statement();
            if Some(statement.space) == space {
                self.declared.entry(statement.author).or_insert(line);
                writing.declare(&declaration)?;
            }
        }
        Ok(())
    }

    /// Why an operation is not taken, if it is not.
    pub(super) fn refusal(
        &self,
        writing: &SqliteWriting<'_>,
        operation: &Operation<Verified>,
    ) -> Result<Option<Refused>, StoreError> {
        let (id, header) = (operation.id(), operation.header());
        if header.kind == Kind::Space || writing.entry(&id)?.is_some() {
            return Ok(None);
        }
        if !self.members.contains(&header.author) {
            return Ok(Some(Refused::NotAMember { author: header.author }));
        }
        let needs_body = header.kind.spec().body != BodyNeed::Removable;
        if operation.body().is_some() || !needs_body {
            return Ok(None);
        }
        let entry = Entry::of(operation, None);
        let declared_by = writing.withheld_by(&id)?;
        let lacks = |target: &OpId| writing.lacks_body(target);
        // The redaction that forgot both comes later in the space's order. If none comes, the
        // verification names both.
        if header.kind.spec().body == BodyNeed::WithItsTarget
            && let Some(target) = operation.sole_ref(Role::TARGET)
            && lacks(&target)?
        {
            return Ok(None);
        }
        if self.announced.as_ref().is_some_and(|announced| announced.contains(&id)) {
            return Ok(None);
        }
        let left = leave(writing, &entry, &declared_by, lacks)?;
        Ok(left.is_none().then(|| Refused::BodyMissing { kind: header.kind.clone() }))
    }

    /// Keeps an operation that is refused for the end of the file. Returns it if it is refused for
    /// good: nothing is missing before it, the file has ended, or too much waits already.
    pub(super) fn defer(
        &mut self,
        line: u64,
        operation: Operation<Verified>,
    ) -> Option<Operation<Verified>> {
        let body = operation.header().kind.spec().body;
        let begins = body == BodyNeed::WithItsTarget && operation.body().is_none();
        let bytes = HEADER_BYTES + operation.body().map_or(0, <[u8]>::len);
        if self.announced.is_some()
            || self.deferred.is_empty() && !begins
            || self.deferred_bytes + bytes > DEFERRED_BYTES_MAX
        {
            return Some(operation);
        }
        self.deferred_bytes += bytes;
        self.deferred.push(Deferred { line, operation });
        None
    }

    /// What waited for the end of the file, which is reached.
    pub(super) fn end(
        &mut self,
        index: &SqliteLedgerIndex<'_>,
    ) -> Result<Vec<Deferred>, StoreError> {
        let deferred = std::mem::take(&mut self.deferred);
        let authors: BTreeMap<OpId, Author> = deferred
            .iter()
            .map(|Deferred { operation, .. }| (operation.id(), operation.header().author))
            .collect();
        let access = index.access()?;
        let mut announced = BTreeSet::new();
        for Deferred { operation, .. } in &deferred {
            if operation.header().kind != Kind::Redaction {
                continue;
            }
            let Some(target) = concerned(&operation.header().refs).next() else { continue };
            let author_of_target = || match authors.get(&target) {
                Some(author) => Ok::<_, StoreError>(Some(*author)),
                None => Ok(index.entry(&target)?.map(|entry| entry.author)),
            };
            if is_permitted(access, &Entry::of(operation, None), author_of_target)? {
                announced.insert(target);
            }
        }
        // What quotes something that is redacted is redacted with it.
        for Deferred { operation, .. } in &deferred {
            let header = operation.header();
            if can_be_redacted(&header.kind)
                && quoted(&header.kind, &header.refs).any(|id| announced.contains(&id))
            {
                announced.insert(operation.id());
            }
        }
        self.announced = Some(announced);
        Ok(deferred)
    }

    /// Notes an operation that was appended.
    pub(super) fn note_added(
        &mut self,
        writing: &SqliteWriting<'_>,
        operation: &Operation<Verified>,
    ) -> Result<(), StoreError> {
        if operation.header().kind == Kind::Grant {
            self.members = Members::of(writing.access()?);
        }
        Ok(())
    }

    /// Notes an operation that is there already, whose body may be missing or altered there.
    pub(super) fn note_present(
        &mut self,
        writing: &SqliteWriting<'_>,
        operation: Operation<Verified>,
    ) -> Result<(), StoreError> {
        let Some(body) = operation.body() else { return Ok(()) };
        if !writing.has_content(&operation)?
            && redaction_behind(writing, &operation.id())?.is_none()
        {
            self.waiting_bytes += body.len() + HEADER_BYTES;
            self.waiting.push(operation);
        }
        Ok(())
    }

    /// Whether the waiting bodies should be filled in before more is read.
    pub(super) fn is_full(&self) -> bool {
        self.waiting_bytes >= WAITING_BYTES_MAX
    }

    /// Fills in the waiting bodies; returns how many. What was forgotten meanwhile stays so.
    pub(super) fn complete(&mut self, store: &mut SqliteSpace) -> Result<u64, StoreError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        if waiting.is_empty() {
            return Ok(0);
        }
        let index = store.ledger_index()?;
        let mut failure = None;
        waiting.retain(|operation| {
            let redaction = redaction_behind(&index, &operation.id());
            redaction.map_err(|error| failure = Some(error)).is_ok_and(|found| found.is_none())
        });
        drop(index);
        failure.map_or_else(|| store.complete(&waiting), Err)
    }

    /// Drops declarations that excuse nothing. Returns the lines of this import's declarations that
    /// do not count, with their authors.
    pub(super) fn finish(
        self,
        store: &mut SqliteSpace,
        completed: u64,
    ) -> Result<Vec<(u64, Author)>, StoreError> {
        if self.declared.is_empty() && completed == 0 {
            return Ok(Vec::new());
        }
        let access = store.ledger_index()?.access()?.clone();
        let mut writing = store.write()?;
        let refused = writing.prune_declarations(|author| may_declare(&access, author))?;
        Box::new(writing).commit()?;
        let lines = refused.into_iter();
        Ok(lines.filter_map(|author| Some((*self.declared.get(&author)?, author))).collect())
    }
}
