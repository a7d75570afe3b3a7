//! The candidates of several searches, merged.

use std::collections::BTreeMap;

use kernel::id::OpId;

use super::gather::CANDIDATES_MAX;
use super::{Candidate, LeftOut, Omission, Tier};
use crate::recall::replaced::newer_first;

/// Candidates of several questions, each as the question says that suits it best, with its best
/// place in their results.
#[derive(Default)]
pub(super) struct Best(BTreeMap<OpId, (usize, Candidate)>);

impl Best {
    pub(super) fn add(&mut self, place: usize, candidate: Candidate) {
        match self.0.get_mut(&candidate.id) {
            Some((best, known)) => {
                *best = place.min(*best);
                let is_specific = known.is_specific || candidate.is_specific;
                let is_answer = known.is_answer || candidate.is_answer;
                let holds_for_all = known.holds_for_all || candidate.holds_for_all;
                let mut replaces = known.replaces.clone();
                replaces
                    .extend(candidate.replaces.iter().filter(|id| !known.replaces.contains(id)));
                if known.relevance < candidate.relevance {
                    *known = candidate;
                }
                known.is_specific = is_specific;
                known.holds_for_all = holds_for_all;
                known.is_answer = is_answer;
                known.replaces = replaces;
            }
            None => {
                self.0.insert(candidate.id, (place, candidate));
            }
        }
    }

    /// By place, then by relevance, then by id; what is not similar enough is left out.
    pub(super) fn ranked(
        self,
        tier: Tier,
        similarity_min: f64,
        left_out: &mut Vec<LeftOut>,
    ) -> Vec<Candidate> {
        let mut ranked: Vec<(usize, Candidate)> = self.0.into_values().collect();
        ranked.sort_by(|(left_place, left), (right_place, right)| {
            let by_relevance = right.relevance.total_cmp(&left.relevance);
            left_place.cmp(right_place).then(by_relevance)
        });
        let ranked = ranked.into_iter().map(|(_, candidate)| candidate);
        let (similar, others): (Vec<_>, Vec<_>) = ranked.partition(|candidate| {
            candidate.holds_for_all || candidate.is_answer || candidate.similarity >= similarity_min
        });
        left_out.extend(others.into_iter().map(|candidate| LeftOut {
            tier,
            id: Some(candidate.id),
            summary: kernel::evidence::summarize(&candidate.text),
            tokens: None,
            score: Some(candidate.relevance),
            reason: Omission::BelowThreshold,
        }));
        let mut similar: Vec<Candidate> = similar.into_iter().take(CANDIDATES_MAX).collect();
        newer_first(&mut similar, |candidate| (candidate.id, &candidate.replaces));
        similar
    }
}
