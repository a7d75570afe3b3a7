//! The kinds of operations: one table entry each, with everything that rules and states depend on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::kind_spec::{
    BodyNeed, DerivationInput, Effect, GraphRole, InputValidity, Inputs, KindSpec, Quotes, Rule,
    Target,
};
use crate::operation::{Malformation, MalformedError, Role, is_identifier};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal $spec:tt)+) => {
        /// An operation's kind. A kind that this version does not know is kept, and shown as
        /// opaque.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name,)+
            /// A kind from a later version or another implementation.
            Other(OtherKind),
        }

        impl Kind {
            /// Every kind this version knows.
            pub const KNOWN: &[Self] = &[$(Self::$name),+];

            /// The kind of that name; an unknown one is kept.
            pub fn parse(word: &str) -> Result<Self, MalformedError> {
                match word {
                    $($word => Ok(Self::$name),)+
                    other if is_identifier(other) => Ok(Self::Other(OtherKind(other.to_owned()))),
                    _ => Err(MalformedError::new("kind", Malformation::Word)),
                }
            }

            /// The name.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$name => $word,)+
                    Self::Other(other) => &other.0,
                }
            }

            /// What the rules and the state functions must know of it.
            pub fn spec(&self) -> &'static KindSpec {
                match self {
                    $(Self::$name => {
                        static SPEC: KindSpec = spec!($spec);
                        &SPEC
                    })+
                    Self::Other(_) => {
                        static SPEC: KindSpec = KindSpec::PLAIN;
                        &SPEC
                    }
                }
            }
        }
    };
}

/// An entry of the table: what differs from [`KindSpec::PLAIN`].
macro_rules! spec {
    ({ $($field:ident: $value:expr),* $(,)? }) => {
        KindSpec { $($field: $value,)* ..KindSpec::PLAIN }
    };
}

kinds! {
    /// Begins a space.
    Space = "space" {
        capability: Capability::Admin,
        effect: Effect::Access,
        body: BodyNeed::Always,
    }
    /// Gives a key capabilities.
    Grant = "grant" {
        capability: Capability::Admin,
        effect: Effect::Access,
        derivation: DerivationInput::Always,
        body: BodyNeed::Always,
    }
    /// Takes capabilities from a key.
    Revoke = "revoke" {
        capability: Capability::Admin,
        effect: Effect::Access,
        derivation: DerivationInput::Always,
        body: BodyNeed::Always,
    }
    /// An imported or stated record.
    Evidence = "evidence" {
        validity: InputValidity::Evidence,
        retracted_by: &Kind::EvidenceRetraction,
        effect: Effect::Supersede,
        derivation: DerivationInput::Always,
        may_be_marked: true,
    }
    /// Withdraws evidence.
    EvidenceRetraction = "evidence_retraction" {
        target: Target::OneOf(&[Kind::Evidence]),
        quotes: Quotes::Target,
        effect: Effect::Retract,
        derivation: DerivationInput::Always,
        body: BodyNeed::WithItsTarget,
    }
    /// A believed statement.
    Claim = "claim" {
        capability: Capability::Derive,
        inputs: Inputs::AllBut(&[Role::SUPERSEDES]),
        quotes: Quotes::AllButSuperseded,
        validity: InputValidity::Claim,
        has_soundness: true,
        effect: Effect::State,
        rule: Rule::Claim,
        derivation: DerivationInput::UnlessTheirOwn,
        graph: GraphRole::Record,
        may_be_marked: true,
    }
    /// The user's replacement of a claim.
    ClaimCorrection = "claim_correction" {
        capability: Capability::Correct,
        target: Target::OneOf(&[Kind::Claim, Kind::ClaimCorrection]),
        validity: InputValidity::Correction,
        effect: Effect::State,
        rule: Rule::Correction,
        derivation: DerivationInput::Always,
        body: BodyNeed::WithItsTarget,
    }
    /// The user's statement that a claim is false.
    ClaimRefutation = "claim_refutation" {
        capability: Capability::Correct,
        target: Target::OneOf(&[Kind::Claim, Kind::ClaimCorrection]),
        effect: Effect::State,
        derivation: DerivationInput::Always,
        body: BodyNeed::WithItsTarget,
    }
    /// Takes back a correction.
    CorrectionWithdrawal = "correction_withdrawal" {
        capability: Capability::Correct,
        target: Target::OneOf(&[Kind::ClaimCorrection]),
        quotes: Quotes::Target,
        effect: Effect::Withdraw,
        derivation: DerivationInput::Always,
        body: BodyNeed::WithItsTarget,
    }
    /// Takes back a refutation.
    RefutationWithdrawal = "refutation_withdrawal" {
        capability: Capability::Correct,
        target: Target::OneOf(&[Kind::ClaimRefutation]),
        quotes: Quotes::Target,
        effect: Effect::Withdraw,
        derivation: DerivationInput::Always,
        body: BodyNeed::WithItsTarget,
    }
    /// Records that a claim lost its ground, and why.
    ClaimInvalidation = "claim_invalidation" {
        capability: Capability::Derive,
        target: Target::OneOf(&[Kind::Claim]),
        effect: Effect::RecordInvalidation,
        rule: Rule::Invalidation,
    }
    /// An agent's contribution.
    Thought = "thought" {
        quotes: Quotes::AllButSuperseded,
        rule: Rule::ThoughtLineage,
        may_be_marked: true,
    }
    /// A decision, action, summary, why-trace or entity.
    Node = "node" {
        inputs: Inputs::AllBut(&[Role::SUPERSEDES]),
        quotes: Quotes::AllButSuperseded,
        validity: InputValidity::WhileSound,
        has_soundness: true,
        rule: Rule::Node,
        graph: GraphRole::Record,
        has_record_key: true,
        may_be_marked: true,
    }
    /// A link between two operations.
    Edge = "edge" {
        inputs: Inputs::AllBut(&[Role::FROM, Role::TO, Role::SUPERSEDES]),
        quotes: Quotes::AllButSuperseded,
        validity: InputValidity::Never,
        has_soundness: true,
        rule: Rule::Edge,
        graph: GraphRole::Edge,
        has_record_key: true,
        may_be_marked: true,
    }
    /// Withdraws a node, edge, thought or claim.
    Retraction = "retraction" {
        capability: Capability::Correct,
        own_target_needs_append: true,
        target: Target::OneOf(&[Kind::Node, Kind::Edge, Kind::Thought, Kind::Claim]),
        quotes: Quotes::Target,
        effect: Effect::Retract,
        body: BodyNeed::WithItsTarget,
    }
    /// Takes back a retraction.
    RetractionWithdrawal = "retraction_withdrawal" {
        capability: Capability::Correct,
        own_target_needs_append: true,
        target: Target::OneOf(&[Kind::EvidenceRetraction, Kind::Retraction]),
        quotes: Quotes::Target,
        effect: Effect::Restore,
        derivation: DerivationInput::Always,
        body: BodyNeed::WithItsTarget,
    }
    /// Records that a source was read, and what was appended then.
    Import = "import" { validity: InputValidity::Never }
    /// Operations that await a decision.
    Proposal = "proposal" {
        capability: Capability::Derive,
        quotes: Quotes::AllButSuperseded,
        validity: InputValidity::Never,
    }
    /// The answer to a proposal.
    Decision = "decision" {
        capability: Capability::Correct,
        target: Target::OneOf(&[Kind::Proposal]),
        quotes: Quotes::Target,
        body: BodyNeed::WithItsTarget,
    }
    /// Labels on an operation.
    Annotation = "annotation" {
        capability: Capability::Correct,
        own_target_needs_append: true,
        target: Target::Any,
        quotes: Quotes::Target,
    }
    /// Forgets its target: the body is erased, and nothing stands on it any more. What it cites as
    /// archived loses its body alone.
    Redaction = "redaction" {
        capability: Capability::Correct,
        target: Target::AnyOrArchived,
        effect: Effect::Retract,
        derivation: DerivationInput::Always,
    }
}

/// The name of a kind that this version does not know. Only [`Kind::parse`] makes one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OtherKind(String);

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What a key may do in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// Add evidence, thoughts, nodes, edges.
    Append,
    /// Add derived claims, invalidations and proposals.
    Derive,
    /// Act for the user: correct, refute, decide, redact.
    Correct,
    /// Grant and revoke capabilities.
    Admin,
}

impl Capability {
    /// All of them: what a space's owner holds.
    pub const ALL: [Self; 4] = [Self::Append, Self::Derive, Self::Correct, Self::Admin];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Derive => "derive",
            Self::Correct => "correct",
            Self::Admin => "admin",
        }
    }
}

impl std::str::FromStr for Capability {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|capability| capability.as_str() == word).ok_or_else(|| {
            format!("{word:?} is not a capability: write append, derive, correct or admin")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_kind_reads_back_and_others_survive() {
        for kind in Kind::KNOWN {
            assert_eq!(&Kind::parse(kind.as_str()).unwrap(), kind);
        }
        assert_eq!(Kind::parse("com.example.streak").unwrap().as_str(), "com.example.streak");
        for word in ["", "Claim", "a b", "9x", "\"", &"x".repeat(65)] {
            assert!(Kind::parse(word).is_err(), "{word}");
        }
    }
}
