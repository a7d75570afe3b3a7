//! The rules that an operation can break, with stable codes.
//!
//! Each violation says which operation or identity is concerned. The numbers of the rules are those
//! of the ledger specification; the codes are listed in `docs/format.md`.

use crate::id::{Author, OpId, SpaceId};
use crate::kind::{Capability, Kind};
use crate::kind_spec::Target;
use crate::malformed::MalformedError;
use crate::operation::VerifyError;

/// Which rule an operation breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleViolation {
    /// Rule 1: the bytes are not an operation.
    #[error(transparent)]
    Malformed(#[from] MalformedError),
    /// Rule 1: a hash or the signature is wrong.
    #[error(transparent)]
    Unverified(#[from] VerifyError),
    /// The operation belongs to another space.
    #[error("it belongs to space {found}, this is {expected}")]
    WrongSpace {
        /// This space.
        expected: SpaceId,
        /// The operation's.
        found: SpaceId,
    },
    /// The first operation of a ledger is its genesis, and there is one.
    #[error("a ledger begins with exactly one operation of kind `space`")]
    Genesis,
    /// Rule 2: it does not follow the author's last operation.
    #[error(
        "it does not follow its author's last operation: it is number {found}, number {expected} would follow"
    )]
    ChainBroken {
        /// The `seq` that would follow.
        expected: u64,
        /// The operation's.
        found: u64,
    },
    /// Rule 2: the author signed another operation with the same `seq`.
    #[error(
        "its author signed another operation, {other}, with the same number; the key was used on two machines at once"
    )]
    Fork {
        /// The operation that is recorded.
        other: OpId,
    },
    /// Rule 3: it cites an operation that the space does not have.
    #[error("it cites {missing}, which is not in the space")]
    UnknownRef {
        /// The citation.
        missing: OpId,
    },
    /// Rule 3: it is not later than what it cites.
    #[error("its time is not after that of {cited}, which it cites")]
    NotAfterRefs {
        /// The citation.
        cited: OpId,
    },
    /// Its time is more than a day ahead of the clock.
    #[error(
        "its time is {ahead_s} seconds ahead of this machine's clock; more than a day is refused"
    )]
    FromFuture {
        /// How far ahead, seconds.
        ahead_s: u64,
    },
    /// Rule 4: its author is not permitted to append it.
    #[error("{author} lacks the capability `{}` in this space", capability.as_str())]
    NotPermitted {
        /// The author.
        author: Author,
        /// What is missing.
        capability: Capability,
    },
    /// Rule 5: a claim, a node or an edge needs an input.
    #[error("a claim, a node or an edge cites at least one input")]
    EmptyInputs,
    /// Rule 5: edges and proposals cannot be inputs.
    #[error("{input} is of kind {kind}, which cannot be an input")]
    InputKind {
        /// The input.
        input: OpId,
        /// Its kind.
        kind: Kind,
    },
    /// Rule 5: an input is not valid.
    #[error("its input {input} is no longer valid")]
    StaleInput {
        /// The input.
        input: OpId,
    },
    /// Rule 6: the user refuted the identity.
    #[error("the identity {key:?} is refuted")]
    IdentityRefuted {
        /// The identity.
        key: String,
    },
    /// Rule 6: the user corrected the identity.
    #[error("the identity {key:?} is pinned by a correction")]
    IdentityCorrected {
        /// The identity.
        key: String,
    },
    /// Rule 7: the invalidation is recorded.
    #[error("the invalidation of {target} is recorded already, and it was not restored since")]
    DuplicateInvalidation {
        /// The claim.
        target: OpId,
    },
    /// Rule 7: it is sound, or it is not the current version of an identity that machines may
    /// change.
    #[error(
        "{target} is sound, or it is not the current version of its identity: there is nothing to invalidate"
    )]
    NothingToInvalidate {
        /// The claim.
        target: OpId,
    },
    /// Rule 8: withdraw first.
    #[error("the identity {key:?} is refuted; withdraw the refutation first")]
    CorrectsRefuted {
        /// The identity.
        key: String,
    },
    /// The table of kinds names a field of the body and its type, and the value does not fit it.
    #[error("the field `{field}` of its body has a value that a {kind} may not have there")]
    UnfitField {
        /// The operation's kind.
        kind: Kind,
        /// The field.
        field: &'static str,
    },
    /// Rule 9: a thought refines one or consolidates several.
    #[error("a thought refines exactly one or consolidates two or more, never both")]
    ThoughtLineage,
    /// Rule 11: an edge has two ends.
    #[error("an edge cites exactly one `from` and one `to`")]
    EdgeEnds,
    /// Rule 11: the ends of an edge differ.
    #[error("both ends of the edge are {end}")]
    SelfEdge {
        /// The end.
        end: OpId,
    },
    /// Rule 11: the ends of a replacement or a redirect are both claims or both nodes.
    #[error("{from} and {to} are not of one kind: one cannot stand for the other")]
    DifferentKinds {
        /// Where it begins.
        from: OpId,
        /// Where it ends.
        to: OpId,
    },
    /// Rule 11: an end of a replacement or a redirect is retracted, refuted, replaced or has lost
    /// its inputs.
    #[error("{end} is retracted, refuted, not sound or not the latest version of its text")]
    StaleEnd {
        /// The end.
        end: OpId,
    },
    /// Rule 11: replacements form no ring, and redirects form none.
    #[error("edges of this type lead from {to} to {from} already: this one would close a cycle")]
    Cycle {
        /// Where it begins.
        from: OpId,
        /// Where it ends.
        to: OpId,
    },
    /// The kind acts on one operation of certain kinds, and this one does not.
    #[error("an operation of kind {kind} has exactly one `target`, of kind {expected}")]
    Target {
        /// The operation's kind.
        kind: Kind,
        /// What the target should be.
        expected: Target,
    },
    /// Rule 7: an invalidation has exactly one cause.
    #[error("an operation of kind {kind} cites exactly one `cause`")]
    Cause {
        /// The operation's kind.
        kind: Kind,
    },
}

impl RuleViolation {
    /// Every stable code, rule by rule.
    pub const CODES: &[&str] = &[
        "malformed",
        "id_mismatch",
        "body_mismatch",
        "signature_invalid",
        "wrong_space",
        "genesis",
        "chain_broken",
        "fork",
        "unknown_ref",
        "not_after_refs",
        "from_future",
        "not_permitted",
        "empty_inputs",
        "input_kind",
        "stale_input",
        "identity_refuted",
        "identity_corrected",
        "duplicate_invalidation",
        "not_fallen",
        "corrects_refuted",
        "thought_lineage",
        "edge_ends",
        "self_edge",
        "different_kinds",
        "stale_end",
        "cycle",
        "target",
        "unfit_field",
    ];

    /// The stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed",
            Self::Unverified(error) => error.code(),
            Self::WrongSpace { .. } => "wrong_space",
            Self::Genesis => "genesis",
            Self::ChainBroken { .. } => "chain_broken",
            Self::Fork { .. } => "fork",
            Self::UnknownRef { .. } => "unknown_ref",
            Self::NotAfterRefs { .. } => "not_after_refs",
            Self::FromFuture { .. } => "from_future",
            Self::NotPermitted { .. } => "not_permitted",
            Self::EmptyInputs => "empty_inputs",
            Self::InputKind { .. } => "input_kind",
            Self::StaleInput { .. } => "stale_input",
            Self::IdentityRefuted { .. } => "identity_refuted",
            Self::IdentityCorrected { .. } => "identity_corrected",
            Self::DuplicateInvalidation { .. } => "duplicate_invalidation",
            Self::NothingToInvalidate { .. } => "not_fallen",
            Self::CorrectsRefuted { .. } => "corrects_refuted",
            Self::ThoughtLineage => "thought_lineage",
            Self::EdgeEnds => "edge_ends",
            Self::SelfEdge { .. } => "self_edge",
            Self::DifferentKinds { .. } => "different_kinds",
            Self::StaleEnd { .. } => "stale_end",
            Self::Cycle { .. } => "cycle",
            Self::Target { .. } | Self::Cause { .. } => "target",
            Self::UnfitField { .. } => "unfit_field",
        }
    }

    /// True for rules 1 to 3 and the clock, by which an operation from elsewhere is refused too.
    /// One that breaks a later rule is kept (`docs/design/0009-what-arrives-is-judged-twice.md`).
    pub fn prevents_admission(&self) -> bool {
        match self {
            Self::Malformed(_)
            | Self::Unverified(_)
            | Self::WrongSpace { .. }
            | Self::Genesis
            | Self::ChainBroken { .. }
            | Self::Fork { .. }
            | Self::UnknownRef { .. }
            | Self::NotAfterRefs { .. }
            | Self::FromFuture { .. } => true,
            Self::NotPermitted { .. }
            | Self::EmptyInputs
            | Self::InputKind { .. }
            | Self::StaleInput { .. }
            | Self::IdentityRefuted { .. }
            | Self::IdentityCorrected { .. }
            | Self::DuplicateInvalidation { .. }
            | Self::NothingToInvalidate { .. }
            | Self::CorrectsRefuted { .. }
            | Self::ThoughtLineage
            | Self::EdgeEnds
            | Self::SelfEdge { .. }
            | Self::DifferentKinds { .. }
            | Self::StaleEnd { .. }
            | Self::Cycle { .. }
            | Self::Target { .. }
            | Self::Cause { .. }
            | Self::UnfitField { .. } => false,
        }
    }
}
