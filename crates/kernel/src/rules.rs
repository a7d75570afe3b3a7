//! Append-time rules: what may be recorded, and the typed refusal of everything else.
//!
//! The numbers are those of the ledger specification. [`judge`] decides about an operation from a
//! [`LedgerIndex`] as it is when the operation is to be appended. The store appends only what was
//! judged, in the same transaction. The hashes and the signature of rule 1 are checked by the type
//! [`Operation<Verified>`](crate::operation::Operation).

use std::collections::BTreeSet;

use crate::access::Access;
use crate::body::{Body, EdgeType};
use crate::id::{Author, OpId};
use crate::invalidation::is_recorded;
use crate::kind::{Capability, Kind};
use crate::kind_spec::{InputValidity, Rule, Target};
use crate::ledger_index::{Entry, LedgerIndex};
use crate::operation::{HlcTimestamp, Operation, Role, Verified};
use crate::records::Records;
use crate::validity::{Validity, inputs};

pub use crate::rule_violation::RuleViolation;

/// How far ahead of now an operation from elsewhere may be, microseconds (24 hours).
pub const FUTURE_US_MAX: u64 = 24 * 60 * 60 * 1_000_000;

/// What to do with an operation that breaks no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Record it.
    Append,
    /// It is recorded already; nothing to do.
    Present,
}

/// Why an operation cannot be appended.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError<E> {
    /// It breaks a rule.
    #[error(transparent)]
    RuleViolation(#[from] RuleViolation),
    /// A look-up failed.
    #[error("the ledger could not be read")]
    LedgerIndex(E),
}

/// Judges an operation by rules 2 to 9 and 11 against the index as it is now. `body` is its body,
/// none if removed: then it names no identity, and rules 6 and 8 do not apply. A genesis operation
/// without its body begins nothing.
///
/// An operation that was not verified cannot be judged:
///
/// ```compile_fail
/// use kernel::operation::{Operation, Unverified};
///
/// fn judge_what_arrived(operation: &Operation<Unverified>, index: &kernel::ledger_index::Graph) {
///     let _ = kernel::rules::judge(operation, None, index);
/// }
/// ```
pub fn judge<W: LedgerIndex>(
    operation: &Operation<Verified>,
    body: Option<&Body>,
    index: &W,
) -> Result<Verdict, JudgeError<W::Error>> {
    if let Some(verdict) = judge_place(operation, body, index)? {
        // A space begins with a body that fits, which no other rule judges.
        if let (Verdict::Append, Some(field)) = (verdict, body.and_then(Body::unfit_field)) {
            let kind = operation.header().kind.clone();
            return Err(RuleViolation::UnfitField { kind, field }.into());
        }
        return Ok(verdict);
    }
    let entry = Entry::of(operation, body);
    judge_content(&entry, body, index)?;
    Ok(Verdict::Append)
}

/// Rules 2 and 3. Answers a verdict where no other rule has to be judged.
pub fn judge_place<W: LedgerIndex>(
    operation: &Operation<Verified>,
    body: Option<&Body>,
    index: &W,
) -> Result<Option<Verdict>, JudgeError<W::Error>> {
    let header = operation.header();
    match index.space().map_err(JudgeError::LedgerIndex)? {
        None => {
            let owner = match body {
                Some(Body::Space(space)) => Some(space.owner),
                _ => None,
            };
            return if header.kind == Kind::Space && owner == Some(header.author) {
                Ok(Some(Verdict::Append))
            } else {
                Err(RuleViolation::Genesis.into())
            };
        }
        Some(space) if operation.space() != space => {
            return Err(
                RuleViolation::WrongSpace { expected: space, found: operation.space() }.into()
            );
        }
        Some(space) if header.kind == Kind::Space => {
            return if operation.id() == space.0 {
                Ok(Some(Verdict::Present))
            } else {
                Err(RuleViolation::Genesis.into())
            };
        }
        Some(_) => {}
    }
    let head = index.head(&header.author).map_err(JudgeError::LedgerIndex)?;
    let expected = head.map_or(1, |head| head.seq.saturating_add(1));
    if header.seq != expected || header.prev != head.map(|head| head.id) {
        return match index.at_seq(&header.author, header.seq).map_err(JudgeError::LedgerIndex)? {
            Some(other) if other == operation.id() => Ok(Some(Verdict::Present)),
            Some(other) => Err(RuleViolation::Fork { other }.into()),
            None => Err(RuleViolation::ChainBroken { expected, found: header.seq }.into()),
        };
    }
    if let Some(prev) = head
        && prev.ts >= header.ts
    {
        return Err(RuleViolation::NotAfterRefs { cited: prev.id }.into());
    }
    for reference in &header.refs {
        match index.time_and_kind(&reference.id).map_err(JudgeError::LedgerIndex)? {
            None => return Err(RuleViolation::UnknownRef { missing: reference.id }.into()),
            Some((cited, _)) if cited >= header.ts => {
                return Err(RuleViolation::NotAfterRefs { cited: reference.id }.into());
            }
            Some(_) => {}
        }
    }
    Ok(None)
}

/// Rules 4 to 9 and 11.
pub fn judge_content<W: LedgerIndex>(
    entry: &Entry,
    body: Option<&Body>,
    index: &W,
) -> Result<(), JudgeError<W::Error>> {
    if let Some(field) = body.and_then(Body::unfit_field) {
        return Err(RuleViolation::UnfitField { kind: entry.kind.clone(), field }.into());
    }
    judge_target(entry, index)?;
    judge_permission(entry, body, index)?;
    match entry.kind.spec().rule {
        Rule::None => Ok(()),
        Rule::Claim => judge_claim(entry, body, index),
        Rule::Invalidation => judge_invalidation(entry, index),
        Rule::Correction => judge_correction(entry, index),
        Rule::ThoughtLineage => judge_lineage(entry),
        Rule::Node => judge_inputs(entry, &mut Validity::new(index), index),
        Rule::Edge => judge_edge(entry, index),
    }
}

/// Rule 8.
fn judge_correction<W: LedgerIndex>(entry: &Entry, index: &W) -> Result<(), JudgeError<W::Error>> {
    let key = entry.identity.clone().unwrap_or_default();
    if Validity::new(index).is_refuted(&key).map_err(JudgeError::LedgerIndex)? {
        return Err(RuleViolation::CorrectsRefuted { key }.into());
    }
    Ok(())
}

/// Rule 9.
fn judge_lineage<E>(entry: &Entry) -> Result<(), JudgeError<E>> {
    let count = |role| entry.cited(role).collect::<BTreeSet<_>>().len();
    match (count(Role::REFINES), count(Role::CONSOLIDATES)) {
        (0, 0 | 2..) | (1, 0) => Ok(()),
        _ => Err(RuleViolation::ThoughtLineage.into()),
    }
}

/// An operation that acts on another acts on exactly one, of a kind that its own kind allows.
fn judge_target<W: LedgerIndex>(entry: &Entry, index: &W) -> Result<(), JudgeError<W::Error>> {
    let expected = entry.kind.spec().target;
    let violation =
        || JudgeError::RuleViolation(RuleViolation::Target { kind: entry.kind.clone(), expected });
    let in_role = |role: &str| {
        let target = entry.sole_ref(role).ok_or_else(violation)?;
        index.entry(&target).map_err(JudgeError::LedgerIndex)?.ok_or_else(violation)
    };
    let target = || in_role(Role::TARGET);
    let is_allowed = match expected {
        Target::None => true,
        Target::Any => target().map(|_| true)?,
        Target::AnyOrArchived => match entry.cited(Role::ARCHIVED).next() {
            Some(_) => {
                in_role(Role::ARCHIVED).is_ok() && entry.cited(Role::TARGET).next().is_none()
            }
            None => target().map(|_| true)?,
        },
        Target::OneOf(kinds) => kinds.contains(&target()?.kind),
    };
    if is_allowed { Ok(()) } else { Err(violation()) }
}

/// Rule 4.
fn judge_permission<W: LedgerIndex>(
    entry: &Entry,
    body: Option<&Body>,
    index: &W,
) -> Result<(), JudgeError<W::Error>> {
    let access = index.access().map_err(JudgeError::LedgerIndex)?;
    let capability = match body {
        Some(Body::Claim(claim)) if claim.deriver.is_none() => Capability::Append,
        _ => entry.kind.spec().capability,
    };
    let target_author =
        || match entry.refs.iter().find(|reference| reference.role.as_str() == Role::TARGET) {
            Some(target) => Ok(index.entry(&target.id)?.map(|target| target.author)),
            None => Ok(None),
        };
    let permitted = if capability == entry.kind.spec().capability {
        is_permitted(access, entry, target_author).map_err(JudgeError::LedgerIndex)?
    } else {
        access.holds(&entry.author, capability, entry.place())
    };
    if permitted {
        Ok(())
    } else {
        Err(RuleViolation::NotPermitted { author: entry.author, capability }.into())
    }
}

/// Whether an operation's author is permitted: by capability, or because the author wrote the
/// target.
pub fn is_permitted<E>(
    access: &Access,
    entry: &Entry,
    target_author: impl FnOnce() -> Result<Option<Author>, E>,
) -> Result<bool, E> {
    let at = entry.place();
    let spec = entry.kind.spec();
    if access.holds(&entry.author, spec.capability, at) {
        return Ok(true);
    }
    Ok(spec.own_target_needs_append
        && access.holds(&entry.author, Capability::Append, at)
        && target_author()? == Some(entry.author))
}

/// Rules 5 and 6. A claim by a key without `correct` is a machine's claim, whatever its body says
/// of a deriver.
fn judge_claim<W: LedgerIndex>(
    entry: &Entry,
    body: Option<&Body>,
    index: &W,
) -> Result<(), JudgeError<W::Error>> {
    if inputs(entry).next().is_none() {
        return Err(RuleViolation::EmptyInputs.into());
    }
    let mut validity = Validity::new(index);
    let by_machine = match body {
        Some(Body::Claim(claim)) if claim.deriver.is_none() => {
            let access = index.access().map_err(JudgeError::LedgerIndex)?;
            !access.holds(&entry.author, Capability::Correct, entry.place())
        }
        _ => true,
    };
    if by_machine && let Some(key) = &entry.identity {
        if validity.is_refuted(key).map_err(JudgeError::LedgerIndex)? {
            return Err(RuleViolation::IdentityRefuted { key: key.clone() }.into());
        }
        if validity.pinned(key).map_err(JudgeError::LedgerIndex)?.is_some() {
            return Err(RuleViolation::IdentityCorrected { key: key.clone() }.into());
        }
    }
    judge_inputs(entry, &mut validity, index)
}

/// Rule 5: there are inputs, and all of them are valid.
fn judge_inputs<W: LedgerIndex>(
    entry: &Entry,
    validity: &mut Validity<'_, W>,
    index: &W,
) -> Result<(), JudgeError<W::Error>> {
    if inputs(entry).next().is_none() {
        return Err(RuleViolation::EmptyInputs.into());
    }
    for input in inputs(entry) {
        if let Some((_, kind)) = index.time_and_kind(&input).map_err(JudgeError::LedgerIndex)?
            && kind.spec().validity == InputValidity::Never
        {
            return Err(RuleViolation::InputKind { input, kind }.into());
        }
        if !validity.is_valid_input(&input).map_err(JudgeError::LedgerIndex)? {
            return Err(RuleViolation::StaleInput { input }.into());
        }
    }
    Ok(())
}

/// Rule 11, then the inputs by rule 5. What a replacement or a redirect joins are two records of
/// one kind that stand, and it closes no ring.
fn judge_edge<W: LedgerIndex>(entry: &Entry, index: &W) -> Result<(), JudgeError<W::Error>> {
    let (Some(from), Some(to)) = (entry.sole_ref(Role::FROM), entry.sole_ref(Role::TO)) else {
        return Err(RuleViolation::EdgeEnds.into());
    };
    let unfit = || RuleViolation::UnfitField { kind: Kind::Edge, field: "edge_type" };
    let edge_type = entry.edge_type().ok_or_else(unfit)?;
    judge_ends(edge_type, &from, &to, index)?;
    judge_inputs(entry, &mut Validity::new(index), index)
}

/// Rule 11 for an edge that may not exist yet.
pub fn judge_ends<W: LedgerIndex + ?Sized>(
    edge_type: EdgeType,
    from: &OpId,
    to: &OpId,
    index: &W,
) -> Result<(), JudgeError<W::Error>> {
    let end = |id: &OpId| {
        let end = index.time_and_kind(id).map_err(JudgeError::LedgerIndex)?;
        end.ok_or_else(|| JudgeError::from(RuleViolation::UnknownRef { missing: *id }))
    };
    let ends = [end(from)?, end(to)?];
    if from == to {
        return Err(RuleViolation::SelfEdge { end: *from }.into());
    }
    if !matches!(edge_type, EdgeType::SameAs | EdgeType::Supersedes) {
        return Ok(());
    }
    let [from_kind, to_kind] = ends.map(|(_, kind)| kind);
    if from_kind != to_kind {
        let (from, to) = (*from, *to);
        return Err(RuleViolation::DifferentKinds { from, to }.into());
    }
    let mut records = Records::new(index);
    for end in [from, to] {
        if !records.is_standing(end).map_err(JudgeError::LedgerIndex)? {
            return Err(RuleViolation::StaleEnd { end: *end }.into());
        }
    }
    if records.leads(edge_type, to, from).map_err(JudgeError::LedgerIndex)? {
        return Err(RuleViolation::Cycle { from: *from, to: *to }.into());
    }
    Ok(())
}

/// Rule 7. A machine never invalidates a refuted or corrected identity. An invalidation is recorded
/// again only after the claim was restored.
fn judge_invalidation<W: LedgerIndex>(
    entry: &Entry,
    index: &W,
) -> Result<(), JudgeError<W::Error>> {
    let (Some(target), Some(_)) = (entry.sole_ref(Role::TARGET), entry.sole_ref(Role::CAUSE))
    else {
        return Err(RuleViolation::Cause { kind: entry.kind.clone() }.into());
    };
    let mut validity = Validity::new(index);
    if let Some(claim) = index.entry(&target).map_err(JudgeError::LedgerIndex)?
        && validity.is_exposed(&claim).map_err(JudgeError::LedgerIndex)?
        && !validity.is_sound(&claim).map_err(JudgeError::LedgerIndex)?
    {
        if is_recorded(index, &claim).map_err(JudgeError::LedgerIndex)? {
            return Err(RuleViolation::DuplicateInvalidation { target }.into());
        }
        return Ok(());
    }
    Err(RuleViolation::NothingToInvalidate { target }.into())
}

/// Refuses a time more than a day ahead of `now_us`.
pub fn judge_time(ts: HlcTimestamp, now_us: u64) -> Result<(), RuleViolation> {
    let ahead_us = ts.0.saturating_sub(now_us);
    if ahead_us > FUTURE_US_MAX {
        Err(RuleViolation::FromFuture { ahead_s: ahead_us / 1_000_000 })
    } else {
        Ok(())
    }
}
