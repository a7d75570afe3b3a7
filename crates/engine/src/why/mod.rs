//! Why: what best accounts for a decision, a claim or anything else that has an id.
//!
//! `explain` ([`crate::belief::explain`]) is the exact record of what something was made from. Why
//! looks at what holds it up now:
//!
//! 1. `walk.rs` goes backwards over inputs and edges in force, within budgets. A search for the
//!    target's text adds claims until there are enough candidates.
//!    What an agent noted to have used for a decision (`hints.rs`) is found, too.
//! 2. `minimal.rs` finds the fewest active claims that still hold up the target in the graph that
//!    was walked. It needs no model and says whether it proved that fewer would not do.
//! 3. `answer.rs` is the result: a model may choose otherwise among the candidates, and either
//!    choice is stored by the same changes.
//!
//! Nothing here writes, and the answer is computed from one snapshot of the ledger.

use std::collections::{BTreeMap, BTreeSet};

use kernel::body::NodeType;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::records::{RecordStatus, Records};
use serde_json::Map;
use store::sqlite::ModelNumber;
use store::{Ledger, Position, StoreError};

use crate::belief::Bodies;
use crate::graph::{NodeFilter, RecordView, Subject, VALUES_RAW, record_view, repeats_others};
use crate::private::{Disclosure, Privacy, Viewpoint};
use crate::recall::facts::FactQuery;
use crate::recall::past::Over;
use crate::{EngineError, Reader};

mod answer;
mod closure;
mod components;
mod hints;
mod hitting_set;
mod minimal;
#[cfg(test)]
mod minimal_tests;
mod walk;

pub use answer::{
    CONFIDENCE_TO_LINK_MIN, Candidate, Choice, FoundBy, METHOD, OUTSIDE_WINDOW_FACTOR,
    SUBJECT_ROLE, SUPPORT_ROLE, SupportSet, VERSION, Why, WhyStatus, WhyTarget,
};
pub use walk::{Cut, Excluded, Ground, Link, PREMISES_MAX, Relation};

use answer::confidence_of;
use closure::{ClaimCost, Premises, SupportGraph};
use minimal::{WORK_MAX, minimal_set};
use walk::{Reached, Walk, Walked};

/// Candidates, unless another number is asked for.
pub const CANDIDATES: usize = 12;
/// Most candidates that may be asked for.
pub const CANDIDATES_MAX: usize = 40;
/// Steps from the target, unless another number is asked for.
pub const DEPTH: usize = 8;
/// Records that are walked, unless another number is asked for.
pub const NODES: usize = 200;
/// Most records that may be asked for.
pub const NODES_MAX: usize = 100_000;

/// Operations that are read from the end of the ledger for its newest claim.
const NEWEST_CLAIM_OPERATIONS_MAX: usize = 100_000;

/// How far to look.
#[derive(Clone, Debug)]
pub struct WhyLimits {
    /// How many candidates, 1 to [`CANDIDATES_MAX`].
    pub top_k: usize,
    /// Steps from the target.
    pub depth: usize,
    /// Records that are walked, at most [`NODES_MAX`].
    pub nodes: usize,
    /// Only records from this time of recording on, microseconds since the Unix epoch.
    pub since_us: Option<u64>,
    /// As of this time of recording (inclusive), microseconds since the Unix epoch. Windows of
    /// validity are judged at this time, too.
    pub as_of_us: Option<u64>,
    /// Judge windows of validity at this time in the world, microseconds since the Unix epoch,
    /// instead.
    pub valid_at_us: Option<i64>,
    /// The time of the question.
    pub now: jiff::Timestamp,
    /// Who asks.
    pub disclosure: Disclosure,
    /// Records that a project hides, by their ids: they hold nothing up.
    pub hidden: BTreeSet<OpId>,
    /// The model whose vector of the target finds claims similar to it, if it has one; otherwise
    /// the built-in table does.
    pub similar_by: Option<ModelNumber>,
}

impl WhyLimits {
    /// The usual limits, for somebody who asks at `now` and sees everything.
    pub fn new(now: jiff::Timestamp) -> Self {
        Self {
            top_k: CANDIDATES,
            depth: DEPTH,
            nodes: NODES,
            since_us: None,
            as_of_us: None,
            valid_at_us: None,
            now,
            disclosure: Disclosure::Full,
            hidden: BTreeSet::new(),
            similar_by: None,
        }
    }

    /// The time at which windows of validity are judged, microseconds since the Unix epoch.
    fn at_us(&self) -> i64 {
        let as_of_us = self.as_of_us.and_then(|at| i64::try_from(at).ok());
        self.valid_at_us.or(as_of_us).unwrap_or(self.now.as_microsecond())
    }
}

impl Reader<'_> {
    /// What accounts for an operation.
    ///
    /// # Errors
    /// If no operation has this id, it was recorded after the time as of which is asked, or
    /// something on the way to its grounds was altered in the file.
    pub fn why(&self, id: &OpId, limits: &WhyLimits) -> Result<Why, EngineError> {
        let limits = WhyLimits {
            top_k: limits.top_k.clamp(1, CANDIDATES_MAX),
            nodes: limits.nodes.min(NODES_MAX),
            ..limits.clone()
        };
        self.check_as_signed([*id])?;
        let found = self.at(limits.as_of_us, |index| answer_from(index, id, &limits))?;
        let Some(mut why) = found else {
            let viewpoint = Viewpoint {
                as_of_us: limits.as_of_us,
                disclosure: limits.disclosure,
                ..Viewpoint::default()
            };
            return Err(self.unknown_then(id, &viewpoint)?);
        };
        self.check_as_signed(why.walked.iter().map(|walked| walked.id))?;
        self.search_candidates(&mut why, &limits)?;
        rank(&mut why, limits.top_k);
        if limits.disclosure == Disclosure::GlobalOnly {
            // Another space is not even counted.
            why.cut.withheld = 0;
        }
        if why.candidates.is_empty() {
            why.status = WhyStatus::Insufficient;
        }
        Ok(why)
    }

    /// What `last` stands for: the newest decision or action that is active, else the newest active
    /// claim; none if there is neither.
    pub fn newest_to_explain(&self, limits: &WhyLimits) -> Result<Option<OpId>, EngineError> {
        /// Nodes that are looked at for one that may be shown.
        const NODES_LOOKED_AT: usize = 64;
        let filter = NodeFilter {
            types: vec![NodeType::Decision, NodeType::Action],
            as_of_us: limits.as_of_us,
            ..NodeFilter::default()
        };
        let many = limits.disclosure != Disclosure::Full;
        let nodes = self.nodes(&filter, if many { NODES_LOOKED_AT } else { 1 })?;
        for node in nodes.items {
            if !self.is_withheld(&node.id, limits.disclosure)? {
                return Ok(Some(node.id));
            }
        }
        self.newest_claim(limits)
    }

    fn newest_claim(&self, limits: &WhyLimits) -> Result<Option<OpId>, EngineError> {
        /// Operations read at a time, from the end backwards.
        const READ_OPERATIONS: u64 = 256;
        let mut end = self.store.head()?.0;
        let mut looked_at = 0;
        while end > 0 && looked_at < NEWEST_CLAIM_OPERATIONS_MAX {
            let start = end.saturating_sub(READ_OPERATIONS);
            let recorded = self.store.read(Position(start), (end - start) as usize)?;
            looked_at += recorded.len();
            let claims = recorded.iter().rev().map(|recorded| &recorded.operation);
            for claim in claims.filter(|operation| operation.header().kind == Kind::Claim) {
                let id = claim.id();
                let view = self.record_view(&id, limits.as_of_us)?;
                if view.is_some_and(|view| view.status == Some(RecordStatus::Active.as_str()))
                    && !self.is_withheld(&id, limits.disclosure)?
                {
                    return Ok(Some(id));
                }
            }
            end = start;
        }
        Ok(None)
    }

    /// Adds claims that a search for the target's text finds, up to the number of candidates.
    fn search_candidates(&self, why: &mut Why, limits: &WhyLimits) -> Result<(), EngineError> {
        let missing = limits.top_k.saturating_sub(why.candidates.len());
        if missing == 0 || why.target.text.is_empty() {
            return Ok(());
        }
        let mut known: BTreeSet<OpId> = why.candidates.iter().map(|found| found.id).collect();
        known.extend(why.excluded.iter().map(|excluded| excluded.id));
        known.extend(&limits.hidden);
        known.insert(why.target.id);
        let query = FactQuery {
            limit: limits.top_k.saturating_add(1),
            as_of_us: limits.as_of_us,
            visibilities: limits.disclosure.visibilities(),
            over: Over::Include,
            vector: limits
                .similar_by
                .map(|model| self.store.similar_to(model, &why.target.id))
                .transpose()?
                .flatten(),
            ..FactQuery::new(why.target.text.clone(), limits.now)
        };
        let facts = self.recall_facts(&query)?.facts;
        let since_us = limits.since_us.unwrap_or(0);
        let found = self.at(limits.as_of_us, |index| {
            let mut records = Records::new(index);
            let mut found = Vec::new();
            for fact in facts.iter().filter(|fact| !known.contains(&fact.id)) {
                let Some(entry) = index.entry(&fact.id)? else { continue };
                let Some(view) = record_view(&mut records, index, &entry)? else { continue };
                let is_active = view.status == Some(RecordStatus::Active.as_str());
                if is_active && entry.ts.0 >= since_us {
                    let in_window = answer::is_in_window(&view, limits.at_us());
                    let cited_as = walk::cited_as(&mut records, &entry)?;
                    found.push(candidate((view, cited_as), None, in_window));
                }
            }
            Ok(found)
        })?;
        why.candidates.extend(found.into_iter().take(missing));
        Ok(())
    }
}

/// Walks and finds the support set; none if the operation is not there or not shown.
fn answer_from(
    index: &dyn Bodies,
    named: &OpId,
    limits: &WhyLimits,
) -> Result<Option<Why>, StoreError> {
    let is_hidden = |id: &OpId| Privacy::of(index).is_withheld(id, limits.disclosure);
    let Some(entry) = index.entry(named)? else { return Ok(None) };
    let mut records = Records::new(index);
    if is_hidden(named)? {
        return Ok(None);
    }
    // An alias of what is not shown is shown as the record that it is.
    let canonical = records.canonical(&entry.id)?;
    let entry = match is_hidden(&canonical)? {
        true => entry,
        false => index.entry(&canonical)?.unwrap_or(entry),
    };
    let target = target_of(index, &mut records, &entry, named)?;
    let reached = Walk::new(index, &mut records, limits, entry.id).run()?;
    Ok(Some(answer_of(target, reached)))
}

fn target_of(
    index: &dyn Bodies,
    records: &mut Records<'_, dyn Bodies + '_>,
    entry: &Entry,
    named: &OpId,
) -> Result<WhyTarget, StoreError> {
    let Subject { kind, record_type, text, content, status, visibility, .. } =
        Subject::of(index, records, entry)?;
    Ok(WhyTarget {
        id: entry.id,
        named: Some(*named).filter(|named| *named != entry.id),
        kind,
        record_type,
        text,
        status,
        visibility,
        is_valid_input: records.validity().is_valid_input(&entry.id)?,
        content,
    })
}

/// The answer from what was reached.
fn answer_of(target: WhyTarget, reached: Reached) -> Why {
    // By id, so that places break ties as ids do.
    let ids: Vec<OpId> = reached
        .records
        .keys()
        .copied()
        .chain([target.id])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let places: BTreeMap<OpId, usize> =
        ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    let graph = SupportGraph::new(ids.iter().map(|id| premises(&reached, &places, id)).collect());
    let at = places.get(&target.id).copied().unwrap_or_default();
    let found = minimal_set(&graph, at, WORK_MAX);
    let chosen: BTreeSet<OpId> = found
        .iter()
        .flat_map(|found| &found.claims)
        .filter_map(|place| ids.get(*place))
        .copied()
        .collect();
    let named = |places: Vec<usize>| places.iter().filter_map(|at| ids.get(*at)).copied().collect();
    let clusters = graph.clusters().into_iter().map(named).collect();
    let Reached { records, links, evidence, excluded, cut, .. } = reached;
    // Stored answers and values as they were given account for nothing.
    let is_none = |view: &RecordView| {
        repeats_others(&view.record_type, &view.tags)
            || view.tags.iter().any(|tag| tag == VALUES_RAW)
    };
    let no_candidates: BTreeSet<OpId> = records
        .values()
        .map(|walked| &walked.view)
        .filter(|view| is_none(view))
        .map(|view| view.id)
        .collect();
    let mut walked: Vec<Candidate> = records
        .into_values()
        .map(|walked| {
            let Walked { view, depth, via, is_in_window, cited_as } = walked;
            candidate((view, cited_as), Some((depth, via)), is_in_window)
        })
        .collect();
    for candidate in &mut walked {
        candidate.chosen = chosen.contains(&candidate.id);
    }
    walked.sort_by(order);
    let is_minimal = found.as_ref().is_some_and(|found| found.is_minimal) && !cut.is_walk_cut();
    let support = (!chosen.is_empty()).then(|| {
        let claims = || walked.iter().filter(|found| found.chosen);
        SupportSet {
            claims: claims().map(|claim| claim.id).collect(),
            is_minimal,
            confidence: confidence_of(claims()),
            method: METHOD.to_owned(),
            explanation: explanation(chosen.len(), is_minimal),
            details: Map::new(),
            is_private: false,
        }
    });
    Why {
        status: match (&support, found.is_some()) {
            (Some(_), _) => WhyStatus::Supported,
            (None, true) if cut.is_by_budget() => WhyStatus::Cut,
            (None, true) => WhyStatus::EvidenceAlone,
            (None, false) => WhyStatus::NotHeld,
        },
        target,
        support,
        candidates: walked
            .iter()
            .filter(|found| !no_candidates.contains(&found.id))
            .cloned()
            .collect(),
        clusters,
        links: links.into_iter().collect(),
        evidence: evidence.into_values().collect(),
        excluded: excluded.into_values().collect(),
        cut,
        walked,
    }
}

/// What holds up one record of the walk.
fn premises(reached: &Reached, places: &BTreeMap<OpId, usize>, id: &OpId) -> Premises {
    /// Millionths.
    const PPM: f64 = 1e6;
    let place = |ids: &Vec<OpId>| ids.iter().filter_map(|id| places.get(id)).copied().collect();
    let claim = reached.records.get(id).and_then(|walked| {
        walked.view.confidence.map(|confidence| ClaimCost {
            is_outside: !walked.is_in_window,
            doubt_ppm: ((1.0 - confidence.clamp(0.0, 1.0)) * PPM).round() as u32,
        })
    });
    match reached.held_up.get(id) {
        Some(held_up) => Premises {
            claim,
            needs: held_up.needs.as_ref().map(place),
            supporters: place(&held_up.supporters),
        },
        None => Premises { claim, needs: Some(Vec::new()), supporters: Vec::new() },
    }
}

fn explanation(claims: usize, is_minimal: bool) -> String {
    let plural = if claims == 1 { "" } else { "s" };
    match is_minimal {
        true => format!("It rests on {claims} claim{plural}, and no fewer would do."),
        false => format!("It rests on {claims} claim{plural}; fewer may do."),
    }
}

fn candidate(
    (view, cited_as): (RecordView, OpId),
    reached: Option<(usize, Relation)>,
    in_window: bool,
) -> Candidate {
    Candidate {
        cited_as,
        id: view.id,
        kind: view.kind,
        record_type: view.record_type,
        text: view.text,
        confidence: view.confidence,
        found: if reached.is_some() { FoundBy::Walk } else { FoundBy::Search },
        via: reached.map_or("search", |(_, via)| via.as_str()),
        depth: reached.map(|(depth, _)| depth),
        in_window,
        valid_from: view.valid_from,
        valid_to: view.valid_to,
        chosen: false,
        visibility: view.visibility,
    }
}

/// Those that are true at the time first, then those of the support set, then the nearest, then the
/// surest, then by id.
fn order(one: &Candidate, other: &Candidate) -> std::cmp::Ordering {
    let rank =
        |found: &Candidate| (!found.in_window, !found.chosen, found.depth.is_none(), found.depth);
    let confidence = |found: &Candidate| found.confidence.unwrap_or(1.0);
    rank(one)
        .cmp(&rank(other))
        .then_with(|| confidence(other).total_cmp(&confidence(one)))
        .then_with(|| one.id.cmp(&other.id))
}

/// Orders the candidates and keeps the first.
fn rank(why: &mut Why, top_k: usize) {
    // A search lists the most relevant first, which is kept among those that it found.
    why.candidates.sort_by(|one, other| match (one.depth, other.depth) {
        (None, None) => one.in_window.cmp(&other.in_window).reverse(),
        _ => order(one, other),
    });
    why.cut.candidates = why.candidates.len().saturating_sub(top_k);
    why.candidates.truncate(top_k);
}
