//! What an operation can do, and what its author must be allowed for it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::operation::{MalformedError, is_word};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal),+ $(,)?) => {
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
                    other if is_word(other) => Ok(Self::Other(OtherKind(other.to_owned()))),
                    _ => Err(MalformedError::new("kind", "is no lower-case word of at most 64 characters")),
                }
            }

            /// The name.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$name => $word,)+
                    Self::Other(other) => &other.0,
                }
            }
        }
    };
}

kinds! {
    /// Begins a space.
    Space = "space",
    /// Gives a key capabilities.
    Grant = "grant",
    /// Takes capabilities from a key.
    Revoke = "revoke",
    /// An imported or stated record.
    Evidence = "evidence",
    /// Withdraws evidence.
    EvidenceRetraction = "evidence_retraction",
    /// A believed statement.
    Claim = "claim",
    /// The user's replacement of a claim.
    ClaimCorrection = "claim_correction",
    /// The user's word that a claim is false.
    ClaimRefutation = "claim_refutation",
    /// Takes back a correction.
    CorrectionWithdrawal = "correction_withdrawal",
    /// Takes back a refutation.
    RefutationWithdrawal = "refutation_withdrawal",
    /// Records that a claim fell, and why.
    ClaimInvalidation = "claim_invalidation",
    /// An agent's contribution.
    Thought = "thought",
    /// A decision, action, summary, why-trace or entity.
    Node = "node",
    /// A link between two operations.
    Edge = "edge",
    /// Withdraws a node, edge, thought or the user's own claim.
    Retraction = "retraction",
    /// Operations that await a decision.
    Proposal = "proposal",
    /// The answer to a proposal.
    Decision = "decision",
    /// Labels on an operation.
    Annotation = "annotation",
    /// Records that a body was forgotten.
    Redaction = "redaction",
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
    /// Speak for the user: correct, refute, decide, redact.
    Correct,
    /// Give and take capabilities.
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
            format!("{word:?} is no capability; they are append, derive, correct, admin")
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
