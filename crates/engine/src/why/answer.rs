//! The answer to "why", and what of it is stored.
//!
//! The minimal support set is one choice among the candidates, made without a model. A model makes
//! another: [`Why::choose`] takes it, and drops what is not among the candidates. Either choice is
//! stored by the same changes ([`Why::trace`]).

use std::collections::BTreeSet;

use kernel::body::{EdgeType, NodeType};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::{MalformedError, Role};
use kernel::records::RecordStatus;
use kernel::when::When;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::walk::{Cut, Excluded, Ground, Link};
use crate::graph::RecordView;
use crate::write::graph::{GraphChange, NamedChange, RecordType, Reference, Statement};

/// The method of an answer without a model.
pub const METHOD: &str = "minimal_support";

/// Its version: another one may choose other claims from the same graph.
pub const VERSION: u64 = 1;

/// Least confidence of an answer of which edges are written.
pub const CONFIDENCE_TO_LINK_MIN: f64 = 0.7;

/// What is left of a claim's confidence outside its window of validity.
pub const OUTSIDE_WINDOW_FACTOR: f64 = 0.5;

/// The role in which a trace cites the claims that it names.
pub const SUPPORT_ROLE: &str = "support";

/// The role in which it cites its target.
pub const SUBJECT_ROLE: &str = "subject";

/// What a question "why" is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhyTarget {
    /// The operation; of an alias, the canonical one if that is shown.
    pub id: OpId,
    /// The operation that was named, if it is another.
    pub named: Option<OpId>,
    /// The kind of the operation.
    pub kind: String,
    /// Its type, of a claim, a node or an edge; the kind of a record, of evidence.
    #[serde(rename = "type")]
    pub record_type: String,
    /// It in words.
    pub text: String,
    /// Its status; none where it has no effect.
    pub status: Option<&'static str>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whether something may be built on it.
    #[serde(skip)]
    pub is_valid_input: bool,
    /// All that it says.
    #[serde(skip)]
    pub content: String,
}

impl WhyTarget {
    /// Whether it stands, so that something may be built on it.
    pub fn is_active(&self) -> bool {
        self.status == Some(RecordStatus::Active.as_str())
    }
}

/// How a candidate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// The walk came to it.
    Walk,
    /// A search for the target's text found it.
    Search,
}

/// A record that may account for the target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The operation.
    pub id: OpId,
    /// `claim` or `node`.
    pub kind: String,
    /// Its type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// It in words.
    pub text: String,
    /// Probability that it is true; none of a node.
    pub confidence: Option<f64>,
    /// How it was found.
    pub found: FoundBy,
    /// By which relation the walk first came to it; `search` where it did not.
    pub via: &'static str,
    /// How many steps away it is; none where the walk did not come to it.
    pub depth: Option<usize>,
    /// Whether it is true in the world at the time of the question.
    pub in_window: bool,
    /// From when it is true.
    pub valid_from: Option<When>,
    /// Until when (exclusive) it is true.
    pub valid_to: Option<When>,
    /// Whether the support set has it.
    pub chosen: bool,
    /// Who may see it.
    pub visibility: Visibility,
    /// As what a record cites it: the correction, of a claim that the user corrected.
    #[serde(skip)]
    pub cited_as: OpId,
}

/// Claims that account for the target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SupportSet {
    /// The claims, the nearest first.
    pub claims: Vec<OpId>,
    /// Whether it is proven that no fewer hold up the target, in a graph of which nothing was cut.
    pub is_minimal: bool,
    /// The least confidence among the claims, where that of a claim outside its window counts half.
    /// The claims of one set rest on each other, so a product would count the same doubt twice.
    pub confidence: f64,
    /// Who chose: [`METHOD`], or the name of a model.
    pub method: String,
    /// Why, in words.
    pub explanation: String,
    /// What else a stored answer says of how it was found.
    #[serde(skip)]
    pub details: Map<String, Value>,
    /// Whether it repeats what is private.
    #[serde(skip)]
    pub is_private: bool,
}

/// What the question came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyStatus {
    /// Claims hold up the target.
    Supported,
    /// The target rests on evidence alone.
    EvidenceAlone,
    /// A budget cut the walk before it came to a claim.
    Cut,
    /// What the target needs is dead, and the candidates do not hold it up.
    NotHeld,
    /// No candidate was found, or whoever chose took none.
    Insufficient,
}

impl WhyStatus {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::EvidenceAlone => "evidence_alone",
            Self::Cut => "cut",
            Self::NotHeld => "not_held",
            Self::Insufficient => "insufficient",
        }
    }
}

/// The answer to "why".
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// What was asked about.
    pub target: WhyTarget,
    /// What it came to.
    pub status: WhyStatus,
    /// The claims that account for it; none unless it is supported.
    pub support: Option<SupportSet>,
    /// What may account for it: those of the support set, then the nearest, and last those outside
    /// their window.
    pub candidates: Vec<Candidate>,
    /// Records that hold up each other in a cycle.
    pub clusters: Vec<Vec<OpId>>,
    /// The steps of the walk.
    pub links: Vec<Link>,
    /// The operations other than records on which these rest.
    pub evidence: Vec<Ground>,
    /// What the walk came to that is dead.
    pub excluded: Vec<Excluded>,
    /// What budgets left out.
    pub cut: Cut,
    /// Of the claims of the support set and the records on the way to them, what [`candidates`]
    /// says of candidates.
    ///
    /// [`candidates`]: Self::candidates
    #[serde(skip)]
    pub walked: Vec<Candidate>,
}

/// What somebody chose among the candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The ids, as they were given.
    pub chosen: Vec<OpId>,
    /// Why, in words.
    pub explanation: String,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Who chose: the name of a model.
    pub method: String,
    /// What else is stored of how it was chosen: the version of the prompt, what the model was
    /// shown.
    pub details: Map<String, Value>,
    /// Whether it may repeat something private beside the target and the candidates that it names.
    pub is_private: bool,
}

impl Why {
    /// Replaces the support set by a choice among the candidates. Ids that are not among them are
    /// dropped and returned. Where none is left, the answer is insufficient.
    pub fn choose(&mut self, choice: Choice) -> Vec<OpId> {
        let known: BTreeSet<OpId> = self.candidates.iter().map(|found| found.id).collect();
        let mut seen = BTreeSet::new();
        let (mut claims, mut dropped) = (Vec::new(), Vec::new());
        for id in choice.chosen {
            if !known.contains(&id) {
                dropped.push(id);
            } else if seen.insert(id) {
                claims.push(id);
            }
        }
        for candidate in self.candidates.iter_mut().chain(&mut self.walked) {
            candidate.chosen = seen.contains(&candidate.id);
        }
        self.status =
            if claims.is_empty() { WhyStatus::Insufficient } else { WhyStatus::Supported };
        let confidence = if choice.confidence.is_finite() { choice.confidence } else { 0.0 };
        self.support = (!claims.is_empty()).then(|| SupportSet {
            claims,
            is_minimal: false,
            confidence: confidence.clamp(0.0, 1.0),
            method: choice.method,
            explanation: choice.explanation,
            details: choice.details,
            is_private: choice.is_private,
        });
        dropped
    }

    /// The changes that store the answer: a `why_trace` node that cites the support set and the
    /// target, and, if it is sure enough, edges that say what the target depends on. Empty where no
    /// claim accounts for it. The same answer makes the same changes, which then write nothing.
    pub fn trace(&self) -> Result<Vec<NamedChange>, MalformedError> {
        /// The name by which the edges cite the trace.
        const TRACE: &str = "trace";
        let Some(support) = &self.support else { return Ok(Vec::new()) };
        let role = Role::parse(SUPPORT_ROLE)?;
        let mut inputs: Vec<(Reference, Role)> =
            support.claims.iter().map(|id| (self.cited_as(id), role.clone())).collect();
        if self.target.is_valid_input {
            inputs.push((Reference::Id(self.target.id), Role::parse(SUBJECT_ROLE)?));
        }
        let mut payload = support.details.clone();
        let fields = [
            ("target", json!(self.target.id)),
            ("chosen", json!(support.claims)),
            ("minimal", json!(support.is_minimal)),
            ("confidence", json!(support.confidence)),
            ("method", json!(support.method)),
            ("version", json!(VERSION)),
            ("explanation", json!(support.explanation)),
        ];
        payload.extend(fields.map(|(name, value)| (name.to_owned(), value)));
        let statement = Statement {
            inputs,
            visibility: if support.is_private { Visibility::Private } else { self.strictest() },
            payload: payload.into(),
            ..Statement::new(RecordType::Node(NodeType::WhyTrace), self.trace_text(support))
        };
        let mut changes = vec![NamedChange {
            name: Some(TRACE.to_owned()),
            change: GraphChange::State(Box::new(statement)),
        }];
        let kinds = [Kind::Claim, Kind::Node, Kind::Thought, Kind::Evidence];
        let is_linkable = kinds.iter().any(|kind| kind.as_str() == self.target.kind);
        let is_sure = support.confidence >= CONFIDENCE_TO_LINK_MIN;
        if is_sure && is_linkable && self.target.is_valid_input {
            let is_claim = |id: &&OpId| **id != self.target.id && self.is_claim(id);
            for claim in support.claims.iter().filter(is_claim) {
                changes.push(NamedChange::from(GraphChange::Connect {
                    edge_type: EdgeType::DependsOn,
                    from: Reference::Id(self.target.id),
                    to: Reference::Id(*claim),
                    inputs: vec![(Reference::Local(TRACE.to_owned()), role.clone())],
                    notes: String::new(),
                }));
            }
        }
        Ok(changes)
    }

    fn found(&self, id: &OpId) -> Option<&Candidate> {
        self.walked.iter().chain(&self.candidates).find(|found| found.id == *id)
    }

    fn cited_as(&self, id: &OpId) -> Reference {
        Reference::Id(self.found(id).map_or(*id, |found| found.cited_as))
    }

    fn is_claim(&self, id: &OpId) -> bool {
        self.found(id).is_some_and(|found| found.kind == Kind::Claim.as_str())
    }

    /// The text of a trace. It names all that it is about, so the same answer has the same text and
    /// another answer another one.
    fn trace_text(&self, support: &SupportSet) -> String {
        /// Claims whose texts are repeated.
        const QUOTED_MAX: usize = 12;
        let text =
            |id: &OpId| kernel::evidence::summarize(self.found(id).map_or("", |found| &found.text));
        // By id, because new edges change how far away a claim is.
        let claims: BTreeSet<OpId> = support.claims.iter().copied().collect();
        let ids: Vec<String> = claims.iter().map(|id| id.to_string()[..16].to_owned()).collect();
        let quoted: Vec<String> = claims.iter().take(QUOTED_MAX).map(text).collect();
        // What is quoted is cited, so that it is forgotten with its source.
        let target = match self.target.is_valid_input {
            true => kernel::evidence::summarize(&self.target.text),
            false => String::new(),
        };
        format!(
            "Why {} {}: {target} Because: {} [{}: {}]",
            self.target.kind,
            &self.target.id.to_string()[..16],
            quoted.join(" / "),
            support.method,
            ids.join(" ")
        )
    }

    /// The visibility of what quotes the target and the support set.
    fn strictest(&self) -> Visibility {
        let chosen = self.walked.iter().chain(&self.candidates).filter(|found| found.chosen);
        chosen.fold(self.target.visibility, |strictest, found| {
            crate::write::graph::stricter(strictest, found.visibility)
        })
    }
}

/// The confidence of a set of claims; see [`SupportSet::confidence`].
pub(super) fn confidence_of<'c>(claims: impl Iterator<Item = &'c Candidate>) -> f64 {
    claims.fold(1.0_f64, |least, claim| {
        let factor = if claim.in_window { 1.0 } else { OUTSIDE_WINDOW_FACTOR };
        least.min(claim.confidence.unwrap_or(1.0) * factor)
    })
}

/// Whether a record is true in the world at a time.
pub(super) fn is_in_window(view: &RecordView, at_us: i64) -> bool {
    crate::graph::is_valid(view, Some(at_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_claims_does_not_change_the_text_of_a_trace() {
        let candidate = |number: u8| Candidate {
            id: OpId([number; 32]),
            cited_as: OpId([number; 32]),
            kind: "claim".to_owned(),
            record_type: "fact".to_owned(),
            text: format!("claim {number}"),
            confidence: Some(1.0),
            found: FoundBy::Walk,
            via: "depends_on",
            depth: Some(1),
            in_window: true,
            valid_from: None,
            valid_to: None,
            chosen: true,
            visibility: Visibility::Project,
        };
        let mut why = Why {
            target: WhyTarget {
                id: OpId([9; 32]),
                named: None,
                kind: "node".to_owned(),
                record_type: "decision".to_owned(),
                text: "We open".to_owned(),
                status: Some("active"),
                visibility: Visibility::Project,
                is_valid_input: true,
                content: "We open".to_owned(),
            },
            status: WhyStatus::Supported,
            support: None,
            candidates: vec![candidate(1), candidate(2)],
            clusters: Vec::new(),
            links: Vec::new(),
            evidence: Vec::new(),
            excluded: Vec::new(),
            cut: Cut::default(),
            walked: Vec::new(),
        };
        let mut text = |chosen: &[u8]| {
            let chosen = chosen.iter().map(|number| OpId([*number; 32])).collect();
            why.choose(Choice {
                chosen,
                explanation: String::new(),
                confidence: 1.0,
                method: METHOD.to_owned(),
                details: Map::new(),
                is_private: false,
            });
            why.trace_text(why.support.as_ref().unwrap())
        };
        assert_eq!(text(&[1, 2]), text(&[2, 1]));
        assert_ne!(text(&[1, 2]), text(&[1]));
    }
}
