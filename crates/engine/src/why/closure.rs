//! What holds, given some claims.
//!
//! A *record* holds if it was taken (only claims need to be) and is held up: by all that it needs
//! together, or by one supporter. Formally it is a least fixed point over supporters and a greatest
//! one over needs: records that need each other in a cycle hold up each other, so a cycle of needs
//! stands or falls as one, but a record does not support itself, however long the way around.
//!
//! [`Closure`] is incremental: taking a claim costs what newly holds because of it, and can be
//! undone at the same cost.

use super::components::cycles;

/// What a claim costs a support set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClaimCost {
    /// Whether it is not true in the world at the time of the question.
    pub(crate) is_outside: bool,
    /// The probability that it is false, in millionths.
    pub(crate) doubt_ppm: u32,
}

/// A record with what may hold it up. Others are named by their places in the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Premises {
    /// What it costs, if it is a claim.
    pub(crate) claim: Option<ClaimCost>,
    /// What it needs, all together; none if something that it needs is dead. What needs nothing
    /// holds by itself.
    pub(crate) needs: Option<Vec<usize>>,
    /// Those of which any one holds it up.
    pub(crate) supporters: Vec<usize>,
}

/// Records that hold up each other. Ties between sets are broken by the places in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SupportGraph {
    records: Vec<Premises>,
    /// By record: those that need it.
    needed_by: Vec<Vec<usize>>,
    /// By record: those that it supports.
    supports: Vec<Vec<usize>>,
    /// Records that need each other.
    cycles: Vec<Vec<usize>>,
}

impl SupportGraph {
    /// The graph of these records. Places outside it are left out.
    pub(crate) fn new(mut records: Vec<Premises>) -> Self {
        let count = records.len();
        let mut needed_by = vec![Vec::new(); count];
        let mut supports = vec![Vec::new(); count];
        for (place, record) in records.iter_mut().enumerate() {
            for list in record.needs.iter_mut().chain([&mut record.supporters]) {
                list.retain(|other| *other < count);
                list.sort_unstable();
                list.dedup();
            }
            for needed in record.needs.iter().flatten() {
                needed_by[*needed].push(place);
            }
            for supporter in &record.supporters {
                supports[*supporter].push(place);
            }
        }
        let needs: Vec<Vec<usize>> =
            records.iter().map(|record| record.needs.clone().unwrap_or_default()).collect();
        Self { cycles: cycles(&needs), records, needed_by, supports }
    }

    /// How many records it has.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// A record with what may hold it up.
    pub(crate) fn premises(&self, place: usize) -> &Premises {
        &self.records[place]
    }

    /// The cycles of records over needs and supporters: each is one cluster.
    pub(crate) fn clusters(&self) -> Vec<Vec<usize>> {
        let premises: Vec<Vec<usize>> = self
            .records
            .iter()
            .map(|record| {
                let needs = record.needs.iter().flatten();
                needs.chain(&record.supporters).copied().collect()
            })
            .collect();
        let mut clusters = cycles(&premises);
        clusters.sort_unstable();
        clusters
    }
}

/// What holds given the claims that were taken.
pub(crate) struct Closure<'g> {
    graph: &'g SupportGraph,
    is_taken: Vec<bool>,
    is_held: Vec<bool>,
    /// By record: how many of its needs do not hold.
    missing: Vec<u32>,
    /// By record: how many of its supporters hold.
    supporting: Vec<u32>,
    /// What holds, in the order in which it came to hold.
    held: Vec<usize>,
    /// Of a cycle that is looked at: those that may hold together. False otherwise.
    is_together: Vec<bool>,
    /// Steps that were taken, for limits of work.
    pub(crate) work: u64,
}

impl<'g> Closure<'g> {
    /// What holds if these claims are taken, and all other records.
    pub(crate) fn of(graph: &'g SupportGraph, claims: impl IntoIterator<Item = usize>) -> Self {
        let missing = graph.records.iter().map(|record| match &record.needs {
            Some(needs) => u32::try_from(needs.len()).unwrap_or(u32::MAX),
            None => u32::MAX,
        });
        let mut closure = Self {
            graph,
            is_taken: graph.records.iter().map(|record| record.claim.is_none()).collect(),
            is_held: vec![false; graph.len()],
            missing: missing.collect(),
            supporting: vec![0; graph.len()],
            held: Vec::new(),
            is_together: vec![false; graph.len()],
            work: graph.len() as u64,
        };
        for claim in claims {
            closure.is_taken[claim] = true;
        }
        for place in 0..graph.len() {
            closure.hold_if_held_up(place);
        }
        closure.follow(0);
        closure
    }

    /// What holds if every claim is taken.
    pub(crate) fn of_all(graph: &'g SupportGraph) -> Self {
        Self::of(graph, 0..graph.len())
    }

    /// Whether a record holds.
    pub(crate) fn holds(&self, place: usize) -> bool {
        self.is_held[place]
    }

    /// Whether all that a record needs holds.
    pub(crate) fn has_its_needs(&self, place: usize) -> bool {
        self.missing[place] == 0
    }

    /// Takes a claim unless `target` would hold with it. Whether it was taken.
    pub(crate) fn take_unless_held(&mut self, claim: usize, target: usize) -> bool {
        let before = self.held.len();
        self.is_taken[claim] = true;
        self.hold_if_held_up(claim);
        self.follow(before);
        if !self.is_held[target] {
            return true;
        }
        self.is_taken[claim] = false;
        while self.held.len() > before {
            let Some(place) = self.held.pop() else { break };
            self.is_held[place] = false;
            self.work += 1;
            self.graph.needed_by[place].iter().for_each(|other| self.missing[*other] += 1);
            self.graph.supports[place].iter().for_each(|other| self.supporting[*other] -= 1);
        }
        false
    }

    fn hold_if_held_up(&mut self, place: usize) {
        self.work += 1;
        let is_held_up = self.missing[place] == 0 || self.supporting[place] > 0;
        if is_held_up && self.is_taken[place] && !self.is_held[place] {
            self.hold(place);
        }
    }

    fn hold(&mut self, place: usize) {
        self.is_held[place] = true;
        self.held.push(place);
    }

    /// Draws the consequences of what came to hold from the place `next` on.
    fn follow(&mut self, mut next: usize) {
        let graph = self.graph;
        loop {
            while let Some(place) = self.held.get(next).copied() {
                next += 1;
                for dependent in &graph.needed_by[place] {
                    self.missing[*dependent] -= 1;
                    self.hold_if_held_up(*dependent);
                }
                for supported in &graph.supports[place] {
                    self.supporting[*supported] += 1;
                    self.hold_if_held_up(*supported);
                }
            }
            let before = self.held.len();
            graph.cycles.iter().for_each(|cycle| self.hold_together(cycle));
            if self.held.len() == before {
                return;
            }
        }
    }

    /// Holds those of a cycle that need nothing but what holds and each other.
    fn hold_together(&mut self, cycle: &[usize]) {
        let graph = self.graph;
        let needs = |place: usize| graph.records[place].needs.iter().flatten().copied();
        for place in cycle {
            self.is_together[*place] = self.is_taken[*place]
                && !self.is_held[*place]
                && graph.records[*place].needs.is_some();
        }
        let stands = |closure: &Self, place: usize| {
            needs(place).all(|need| closure.is_held[need] || closure.is_together[need])
        };
        let mut left = cycle.to_vec();
        while let Some(place) = left.pop() {
            self.work += 1;
            if self.is_together[place] && !stands(self, place) {
                self.is_together[place] = false;
                let needing = graph.needed_by[place].iter();
                left.extend(needing.filter(|other| self.is_together[**other]));
            }
        }
        for place in cycle {
            if std::mem::take(&mut self.is_together[*place]) {
                self.hold(*place);
            }
        }
    }
}
