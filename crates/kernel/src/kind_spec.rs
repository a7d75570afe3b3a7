//! What the rules and the state functions must know of a kind of operation.
//!
//! The table itself is in [`kind`](crate::kind): one entry for each kind. Code that depends on a
//! kind asks [`Kind::spec`] and matches on the small enums here without a wildcard, so that a new
//! case does not compile until every place has decided about it.

use std::fmt;

use crate::kind::{Capability, Kind};
use crate::operation::Role;

/// The table's entry for one kind.
#[derive(Debug)]
pub struct KindSpec {
    /// What an author needs. For a claim by a person see [`Rule::Claim`].
    pub capability: Capability,
    /// Whether `append` is enough where the target was written by the same author.
    pub own_target_needs_append: bool,
    /// What it acts on.
    pub target: Target,
    /// Which of its citations are inputs: what it was built from.
    pub inputs: Inputs,
    /// Which of its citations its body may repeat, so that it is forgotten with them
    /// ([`crate::redaction`]).
    pub quotes: Quotes,
    /// When it may be built upon.
    pub validity: InputValidity,
    /// The kind of operation that takes it back.
    pub retracted_by: &'static Kind,
    /// Whether it loses its ground with its inputs. If so its status is stored
    /// (`docs/design/0022-soundness-beyond-claims.md`).
    pub has_soundness: bool,
    /// What it changes of other operations.
    pub effect: Effect,
    /// The rule of its own, beside those that hold for every kind.
    pub rule: Rule,
    /// Whether derivation has to look at it.
    pub derivation: DerivationInput,
    /// When it may go without its body.
    pub body: BodyNeed,
    /// What it is in the graph.
    pub graph: GraphRole,
    /// Whether it is a version of what its type and text or its ends name; see
    /// [`Entry::record_key`](crate::ledger_index::Entry::record_key).
    pub has_record_key: bool,
    /// Whether an annotation may mark it for removal.
    pub may_be_marked: bool,
}

impl KindSpec {
    /// A kind that stands by itself: its author needs `append`, and it acts on nothing. This is
    /// also what is assumed of a kind that this version does not know.
    pub const PLAIN: Self = Self {
        capability: Capability::Append,
        own_target_needs_append: false,
        target: Target::None,
        inputs: Inputs::None,
        quotes: Quotes::None,
        validity: InputValidity::UnlessRetracted,
        retracted_by: &Kind::Retraction,
        has_soundness: false,
        effect: Effect::None,
        rule: Rule::None,
        derivation: DerivationInput::Never,
        body: BodyNeed::Removable,
        graph: GraphRole::None,
        has_record_key: false,
        may_be_marked: false,
    };

    /// Whether a citation in `role` is an input.
    pub fn is_input(&self, role: &str) -> bool {
        match self.inputs {
            Inputs::None => false,
            Inputs::AllBut(roles) => !roles.contains(&role),
        }
    }

    /// Whether the body may repeat what is cited in `role`.
    pub fn is_quote(&self, role: &str) -> bool {
        match self.quotes {
            Quotes::None => false,
            Quotes::Target => role == Role::TARGET,
            Quotes::AllButSuperseded => role != Role::SUPERSEDES,
        }
    }
}

/// What an operation acts on: the one that it cites as `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// It has no target.
    None,
    /// Exactly one operation of one of these kinds.
    OneOf(&'static [Kind]),
    /// Exactly one operation of any kind.
    Any,
    /// Exactly one operation of any kind, in its own role if it was archived.
    AnyOrArchived,
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("none"),
            Self::Any | Self::AnyOrArchived => formatter.write_str("any operation"),
            Self::OneOf(kinds) => {
                for (place, kind) in kinds.iter().enumerate() {
                    let separator = if place > 0 { " or " } else { "" };
                    write!(formatter, "{separator}{kind}")?;
                }
                Ok(())
            }
        }
    }
}

/// Which citations are inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// None: it is not built from what it cites.
    None,
    /// All, in any role but these.
    AllBut(&'static [&'static str]),
}

/// Which citations a body may repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// None: it is its author's own word, or says nothing.
    None,
    /// What it acts on.
    Target,
    /// Everything that it cites, but what it supersedes.
    AllButSuperseded,
}

/// When an operation is a valid input of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputValidity {
    /// Until it is retracted, or other evidence supersedes it.
    Evidence,
    /// While it is sound and says what is believed of its identity, or a correction says the same.
    Claim,
    /// While it is what its identity is corrected to.
    Correction,
    /// While it is sound.
    WhileSound,
    /// Until it is retracted.
    UnlessRetracted,
    /// Never.
    Never,
}

/// What an operation changes of the status of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Who may do what.
    Access,
    /// Takes its targets back.
    Retract,
    /// Takes back that its targets, which are retractions, took their targets back.
    Restore,
    /// Replaces what it cites as `supersedes`.
    Supersede,
    /// What is believed of an identity.
    State,
    /// Takes back what its target says of an identity.
    Withdraw,
    /// Puts on record that its target lost its ground.
    RecordInvalidation,
}

/// A rule for appending that only some kinds have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// None.
    None,
    /// Rules 5 and 6. A claim without a deriver needs `append` instead of the kind's capability.
    Claim,
    /// Rule 7.
    Invalidation,
    /// Rule 8.
    Correction,
    /// Rule 9.
    ThoughtLineage,
    /// Rule 5.
    Node,
    /// Rules 11 and 5.
    Edge,
}

/// Whether derivation has to look at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivationInput {
    /// It changes nothing of what derivers read.
    Never,
    /// It may change what they conclude.
    Always,
    /// It may, unless one of the derivers that are asked wrote it.
    UnlessTheirOwn,
}

/// When an operation may go without its body; see [`missing_body`](crate::missing_body).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyNeed {
    /// Never: who may do what follows from it.
    Always,
    /// It is a person's word. It can be withheld or forgotten only together with what it is about:
    /// without it something else would be believed.
    WithItsTarget,
    /// It can be withheld or forgotten.
    Removable,
}

/// What an operation is in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphRole {
    /// It is not in the graph.
    None,
    /// A record, which edges join.
    Record,
    /// An edge.
    Edge,
}

impl GraphRole {
    /// Whether it is in the graph, as a record or an edge.
    pub fn is_in_graph(self) -> bool {
        match self {
            Self::None => false,
            Self::Record | Self::Edge => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_graph_has_inputs_and_a_version_and_can_be_taken_back() {
        for kind in Kind::KNOWN {
            let spec = kind.spec();
            let is_in_graph = spec.graph.is_in_graph();
            assert_eq!(is_in_graph, spec.inputs != Inputs::None, "{kind}");
            assert_eq!(is_in_graph, spec.has_record_key || *kind == Kind::Claim, "{kind}");
            assert!(!is_in_graph || *spec.retracted_by == Kind::Retraction, "{kind}");
            assert!(!is_in_graph || spec.may_be_marked, "{kind}");
        }
    }

    #[test]
    fn what_has_soundness_has_inputs_and_can_be_retracted() {
        for kind in Kind::KNOWN {
            let spec = kind.spec();
            assert_eq!(spec.has_soundness, spec.inputs != Inputs::None, "{kind}");
            let Target::OneOf(retractable) = spec.retracted_by.spec().target else {
                panic!("{kind}")
            };
            assert!(!spec.has_soundness || retractable.contains(kind), "{kind}");
        }
    }

    #[test]
    fn a_target_is_described_by_the_kinds_it_may_have() {
        assert_eq!(Kind::ClaimRefutation.spec().target.to_string(), "claim or claim_correction");
        assert_eq!(Kind::Redaction.spec().target.to_string(), "any operation");
    }
}
