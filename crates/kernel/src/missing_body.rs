//! When the body of an operation may be missing.
//!
//! Ids, signatures and chains do not need bodies, so whoever passes a ledger on can take bodies
//! out, and everything still verifies. What is believed then changes without a sign of it. So a
//! body may be missing only by leave of somebody who may give it, and [`leave`] is the only place
//! that decides about that, for exchanges and for verification:
//!
//! - a `redaction` that has effect ([`redaction`](crate::redaction)): the body was forgotten,
//!   everywhere and for good;
//! - a [`Declaration`](crate::declaration::Declaration) by a key that holds a capability now: the
//!   body was withheld from this copy, and the whole form completes it.
//!
//! [`BodyNeed`] says which kinds never go without, and what a person's word needs besides.

use crate::access::{Access, Place};
use crate::id::{Author, OpId};
use crate::kind::Capability;
use crate::kind_spec::BodyNeed;
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::Role;
use crate::redaction::redaction_behind_entry;

/// By whose leave a body is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// It was forgotten, by this redaction.
    Forgotten(OpId),
    /// This key withholds it from this copy.
    Withheld(Author),
}

/// By whose leave the body of an operation is missing; none if it should be there. `declared_by`
/// are the authors of declarations that name it. `is_missing` answers whether the body of another
/// operation is missing.
pub fn leave<W: LedgerIndex + ?Sized>(
    index: &W,
    entry: &Entry,
    declared_by: &[Author],
    is_missing: impl FnOnce(&OpId) -> Result<bool, W::Error>,
) -> Result<Option<Leave>, W::Error> {
    if let Some(redaction) = redaction_behind_entry(index, entry.clone())? {
        return Ok(Some(Leave::Forgotten(redaction.id)));
    }
    let needed: &[Capability] = match entry.kind.spec().body {
        BodyNeed::Always => return Ok(None),
        BodyNeed::WithItsTarget => &[Capability::Correct],
        BodyNeed::Removable => &Capability::ALL,
    };
    let access = index.access()?;
    let Some(author) = declared_by.iter().find(|author| holds_one(access, author, needed)) else {
        return Ok(None);
    };
    if entry.kind.spec().body == BodyNeed::WithItsTarget {
        let Some(target) = entry.sole_ref(Role::TARGET) else { return Ok(None) };
        if !is_missing(&target)? {
            return Ok(None);
        }
    }
    Ok(Some(Leave::Withheld(*author)))
}

/// Whether a key's declarations count: it holds a capability now.
pub fn may_declare(access: &Access, author: &Author) -> bool {
    holds_one(access, author, &Capability::ALL)
}

fn holds_one(access: &Access, author: &Author, capabilities: &[Capability]) -> bool {
    capabilities.iter().any(|capability| access.holds(author, *capability, Place::END))
}
