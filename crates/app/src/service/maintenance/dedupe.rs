//! Finding nodes that say the same in nearly the same words, and proposing to join them.
//!
//! The plan becomes proposals in the one queue of reviews, one for each node that others repeat.
//! Accepting one makes the others aliases of it by edges `same_as`; nothing is deleted. A pair that
//! was proposed before is not proposed again, whatever became of it.

use std::collections::{BTreeMap, BTreeSet};

use engine::Space;
use engine::graph::{NodeFilter, RecordView};
use engine::private::Disclosure;
use engine::write::graph::{GraphChange, NamedChange, Reference, cite_as_inputs};
use engine::write::patch::NewPatch;
use jiff::Timestamp;
use kernel::body::EdgeType;
use kernel::id::OpId;
use retrieval::shingles::{Shingles, words};
use retrieval::text::negation::is_decisive;
use schemars::JsonSchema;
use serde::Serialize;

use super::defaults::Defaults;
use crate::failure::Failure;

/// Who proposes.
const ORIGIN: &str = "dedupe@1";
/// Least likeness of two texts that say the same: the share of words that both have.
const LIKENESS_MIN: f64 = 0.8;
/// Least share of each text's runs of five words in the other, if both have some.
const RUNS_MIN: f64 = 0.5;
/// Nodes of one type that are compared with each other.
const COMPARED_MAX: usize = 2_000;

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DedupeReport {
    /// True if nothing was written.
    pub(crate) dry_run: bool,
    /// Active nodes that were compared.
    pub(crate) considered: u64,
    /// Nodes that repeat another.
    pub(crate) pairs: Vec<PairLine>,
    /// The proposals; empty if nothing was written.
    pub(crate) proposals: Vec<String>,
    /// Whether there are more nodes than the limit let in.
    pub(crate) has_more: bool,
}

/// A node that repeats another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PairLine {
    /// The later one.
    pub(crate) duplicate: String,
    /// The earlier one.
    pub(crate) canonical: String,
    /// How like they are, 0 to 1.
    pub(crate) likeness: f64,
    /// What the later one says.
    pub(crate) text: String,
    /// What the earlier one says.
    pub(crate) canonical_text: String,
}

struct Text<'a> {
    node: &'a RecordView,
    words: BTreeSet<String>,
    shingles: Shingles,
}

impl<'a> Text<'a> {
    fn of(node: &'a RecordView) -> Self {
        let words = words(&node.text).into_iter().collect();
        Self { node, words, shingles: Shingles::of(&node.text) }
    }

    /// How like two texts are; none if they need not say the same.
    fn likeness(&self, other: &Self) -> Option<f64> {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        let likeness = if all == 0 { 0.0 } else { shared as f64 / all as f64 };
        let runs = [(self, other), (other, self)]
            .iter()
            .filter(|(one, _)| !one.shingles.hashes().is_empty())
            .map(|(one, two)| one.shingles.share_in(two.shingles.hashes()))
            .fold(1.0, f64::min);
        // Other numbers or a negation say something else in nearly the same words.
        let differ = self.words.symmetric_difference(&other.words);
        let is_other = differ.into_iter().any(|word| is_decisive(word));
        (likeness >= LIKENESS_MIN && runs >= RUNS_MIN && !is_other).then_some(likeness)
    }
}

/// Finds nodes that repeat others and, unless it is a dry run, proposes to join them.
pub(crate) fn dedupe(
    space: &mut Space,
    now: Timestamp,
    defaults: &Defaults,
    limit: Option<usize>,
    dry_run: bool,
    disclosure: Disclosure,
) -> Result<DedupeReport, Failure> {
    let filter = NodeFilter { disclosure, ..NodeFilter::default() };
    let listed = space.nodes(&filter, limit.unwrap_or(defaults.limit))?;
    let before = proposed_before(space)?;
    let mut by_type: BTreeMap<&str, Vec<Text<'_>>> = BTreeMap::new();
    // The earliest first, which the others repeat.
    for node in listed.items.iter().rev() {
        by_type.entry(&node.record_type).or_default().push(Text::of(node));
    }
    let mut found: BTreeMap<OpId, Vec<(OpId, f64)>> = BTreeMap::new();
    let mut pairs = Vec::new();
    for texts in by_type.values() {
        let mut heads: Vec<&Text<'_>> = Vec::new();
        for text in texts.iter().take(COMPARED_MAX) {
            let head = heads.iter().find_map(|head| Some((*head, text.likeness(head)?)));
            let Some((head, likeness)) = head else {
                heads.push(text);
                continue;
            };
            if before.contains(&(text.node.id, head.node.id)) {
                continue;
            }
            found.entry(head.node.id).or_default().push((text.node.id, likeness));
            pairs.push(PairLine {
                duplicate: text.node.id.to_string(),
                canonical: head.node.id.to_string(),
                likeness,
                text: text.node.text.clone(),
                canonical_text: head.node.text.clone(),
            });
        }
    }
    let mut proposals = Vec::new();
    if !dry_run {
        for (canonical, duplicates) in &found {
            proposals.push(propose(space, now, *canonical, duplicates)?.to_string());
        }
    }
    let considered = listed.items.len() as u64;
    Ok(DedupeReport { dry_run, considered, pairs, proposals, has_more: listed.more })
}

fn propose(
    space: &mut Space,
    now: Timestamp,
    canonical: OpId,
    duplicates: &[(OpId, f64)],
) -> Result<OpId, Failure> {
    let mut changes = Vec::new();
    for (duplicate, likeness) in duplicates {
        changes.push(NamedChange::from(GraphChange::Connect {
            edge_type: EdgeType::SameAs,
            from: Reference::Id(*duplicate),
            to: Reference::Id(canonical),
            inputs: cite_as_inputs(&[*duplicate, canonical])?,
            notes: format!("nearly the same words ({likeness:.2})"),
        }));
    }
    let least = duplicates.iter().map(|(_, likeness)| *likeness).fold(1.0, f64::min);
    let patch = NewPatch {
        origin: ORIGIN.to_owned(),
        text: "Join nodes that say the same".to_owned(),
        changes,
        confidence: Some(least),
        ..NewPatch::default()
    };
    Ok(space.propose_patch(&patch, now)?)
}

/// The pairs that were proposed before.
fn proposed_before(space: &Space) -> Result<BTreeSet<(OpId, OpId)>, Failure> {
    let mut pairs = BTreeSet::new();
    for patch in space.patches(None)?.into_iter().filter(|patch| patch.origin == ORIGIN) {
        for change in patch.changes {
            if let GraphChange::Connect {
                from: Reference::Id(from), to: Reference::Id(to), ..
            } = change.change
            {
                pairs.insert((from, to));
            }
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use kernel::id::Author;

    use super::*;

    fn likeness(one: &str, two: &str) -> Option<f64> {
        let node = |text: &str| RecordView {
            id: OpId([0; 32]),
            kind: "node".to_owned(),
            record_type: "decision".to_owned(),
            text: text.to_owned(),
            status: None,
            corrected_by: None,
            canonical: None,
            key: None,
            tags: Vec::new(),
            visibility: Default::default(),
            stated_visibility: None,
            valid_from: None,
            valid_to: None,
            confidence: None,
            deriver: None,
            payload: serde_json::Value::Null,
            recorded_at: String::new(),
            author: Author([0; 32]),
            inputs: Vec::new(),
        };
        let (one, two) = (node(one), node(two));
        Text::of(&one).likeness(&Text::of(&two))
    }

    #[test]
    fn nearly_the_same_words_say_the_same_unless_a_number_or_a_negation_differs() {
        let text = "The kiln is fired every Wednesday in the big studio";
        assert_eq!(
            likeness(text, "the kiln is fired, every wednesday, in the big studio!"),
            Some(1.0)
        );
        assert!(
            likeness(text, "The kiln is fired every Wednesday in the old big studio").is_some()
        );
        for other in [
            "The kiln is not fired every Wednesday in the big studio",
            "The kiln is fired every Wednesday at 9 in the big studio",
            "Ana takes the van on Friday",
        ] {
            assert_eq!(likeness(text, other), None, "{other}");
        }
        assert_eq!(likeness("", ""), None);
    }
}
