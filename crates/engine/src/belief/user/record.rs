//! The correction of a record, and taking that back: a new version of it, of the same name at its
//! source.
//!
//! The new version says what the person says, and keeps everything else that its source said. It
//! is marked, so that importing the source again does not undo it (see [`crate::write::record`]).

use kernel::body::Body;
use kernel::evidence::{Evidence, summarize};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use kernel::validity::Validity;

use super::{Replacement, UserError, check_not_retracted};
use crate::EngineError;
use crate::belief::{Bodies, body_of};

/// The draft of a new version of a record that counts. A record has no fields to set.
pub(super) fn corrected<B: Bodies>(
    index: &B,
    id: OpId,
    by: &Replacement,
) -> Result<Draft, EngineError> {
    let Some(text) = by.text.as_ref().filter(|text| !text.trim().is_empty() && by.set.is_empty())
    else {
        return Err(EngineError::NotABelief { id, kind: Kind::Evidence });
    };
    check_not_retracted(index, id)?;
    if let Some(by) = newer(index, &id)? {
        return Err(UserError::Superseded { id, by }.into());
    }
    let Some(Body::Evidence(evidence)) = body_of(index, &id, &Kind::Evidence)? else {
        return Err(EngineError::UnknownId { prefix: id.to_string() });
    };
    let refs = vec![Ref { id, role: Role::parse(Role::SUPERSEDES)? }];
    Ok(Draft { body: Body::Evidence(new_version(evidence, text, by)), refs })
}

fn new_version(mut evidence: Evidence, text: &str, by: &Replacement) -> Evidence {
    evidence.unmark_echo();
    evidence.unmark_withdrawal();
    evidence.summary = summarize(text);
    evidence.payload.text = text.to_owned();
    // What the images showed was part of what was wrong, or is in the text now.
    evidence.payload.captions.clear();
    if by.at.is_some() {
        evidence.at.clone_from(&by.at);
    }
    evidence.mark_correction(by.note.clone());
    evidence
}

/// The draft of a new version of a record that says again what it said before the person corrected
/// it, with the reason in `note` as its mark. `id` is any version. What the source says later
/// counts again.
pub(super) fn uncorrected<B: Bodies>(
    index: &B,
    id: OpId,
    note: &str,
) -> Result<Draft, EngineError> {
    let nothing = || UserError::NothingToWithdraw { name: id.to_string() };
    let mut latest = id;
    // Versions are appended one after the other, so this ends.
    while let Some(newer) = newer(index, &latest)? {
        latest = newer;
    }
    check_not_retracted(index, latest)?;
    let mut before = latest;
    loop {
        let Some(Body::Evidence(mut evidence)) = body_of(index, &before, &Kind::Evidence)? else {
            return Err(nothing().into());
        };
        if evidence.correction().is_none() && before != latest {
            evidence.unmark_withdrawal();
            if !note.trim().is_empty() {
                evidence.mark_withdrawal(note.to_owned());
            }
            let refs = vec![Ref { id: latest, role: Role::parse(Role::SUPERSEDES)? }];
            return Ok(Draft { body: Body::Evidence(evidence), refs });
        }
        let entry = index.entry(&before)?.filter(|_| evidence.correction().is_some());
        before =
            entry.and_then(|entry| entry.cited(Role::SUPERSEDES).next()).ok_or_else(nothing)?;
    }
}

/// The version that replaces a record.
pub(super) fn newer<B: Bodies + ?Sized>(index: &B, id: &OpId) -> Result<Option<OpId>, EngineError> {
    let validity = Validity::new(index);
    for newer in index.acting(id, &Kind::Evidence, Role::SUPERSEDES)? {
        if let Some(entry) = index.entry(&newer)?
            && validity.has_effect(&entry)?
        {
            return Ok(Some(newer));
        }
    }
    Ok(None)
}
