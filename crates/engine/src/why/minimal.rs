//! The minimal support set: the fewest claims that still hold up a record.
//!
//! A set of claims *suffices* if the target still holds when all other claims are taken away
//! ([`Closure`]). The best such set has the fewest claims that are not true at the time of the
//! question, of these the fewest claims, of these the least doubt, of these the smallest ids.
//!
//! 1. *What is forced.* A record with one way to hold needs that way. What is forced from the
//!    target on is in every set; where nothing else is needed, that is the answer, found in linear
//!    time.
//! 2. *Exactly.* A maximal set that does not suffice leaves a *cut*: any set that suffices has one
//!    of its claims. The cheapest set that hits all known cuts is a lower bound; if it suffices, it
//!    is minimal, and if not, it gives another cut. (Implicit hitting sets; for this problem, that
//!    of delete-free planning, see Bonet and Helmert, "Strengthening landmark heuristics via
//!    hitting sets", ECAI 2010.)
//! 3. *Within a limit.* Sets that suffice are found on the way and thinned. When the work is used
//!    up the best of them is the answer, and it says that it may not be minimal.
//!
//! Work is counted in steps, not in time, so the answer is the same on every machine.

use super::closure::{Closure, SupportGraph};
use super::hitting_set::{BitSet, Priced, Searched, Ties, cheapest, greedy};

/// Steps of one search: at most about 40 ms on one core of 2020.
pub(crate) const WORK_MAX: u64 = 5_000_000;

/// Most claims among which the search for a minimal set is exact.
const CLAIMS_EXACT_MAX: usize = 1_024;

/// Most cuts that one set that does not suffice gives at once.
const CUTS_AT_ONCE_MAX: usize = 8;

/// A set of claims that suffices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MinimalSet {
    /// Their places in the graph, ascending.
    pub(crate) claims: Vec<usize>,
    /// Whether no smaller set suffices, which was proven.
    pub(crate) is_minimal: bool,
}

/// The fewest claims that hold up `target`, which itself is not counted. None if nothing does.
pub(crate) fn minimal_set(
    graph: &SupportGraph,
    target: usize,
    work_max: u64,
) -> Option<MinimalSet> {
    let all = Closure::of_all(graph);
    if target >= graph.len() || !all.holds(target) {
        return None;
    }
    let forced = forced(graph, target, &all);
    let counted = |claims: Vec<usize>, is_minimal| {
        let mut claims: Vec<usize> = claims
            .into_iter()
            .filter(|place| *place != target && graph.premises(*place).claim.is_some())
            .collect();
        claims.sort_unstable();
        Some(MinimalSet { claims, is_minimal })
    };
    if Closure::of(graph, forced.iter().copied()).holds(target) {
        return counted(forced, true);
    }
    let optional = optional(graph, target, &all, &forced);
    let mut search = Search::new(graph, target, forced, optional, work_max);
    let (members, is_minimal) = search.run();
    counted(search.with_forced(&members), is_minimal)
}

/// The target and what is needed whichever way it is held up, as far as one looks from the target
/// along records with one way to hold.
fn forced(graph: &SupportGraph, target: usize, all: &Closure<'_>) -> Vec<usize> {
    let mut seen = vec![false; graph.len()];
    let (mut found, mut stack) = (Vec::new(), vec![target]);
    while let Some(place) = stack.pop() {
        if std::mem::replace(&mut seen[place], true) {
            continue;
        }
        found.push(place);
        let premises = graph.premises(place);
        let mut supporters =
            premises.supporters.iter().filter(|other| **other != place && all.holds(**other));
        match (all.has_its_needs(place), supporters.next(), supporters.next()) {
            (true, None, _) => stack.extend(premises.needs.iter().flatten()),
            (false, Some(only), None) => stack.push(*only),
            _ => {}
        }
    }
    found
}

/// Claims that hold and are on some way to the target, without those that are forced; ascending.
fn optional(
    graph: &SupportGraph,
    target: usize,
    all: &Closure<'_>,
    forced: &[usize],
) -> Vec<usize> {
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![target];
    while let Some(place) = stack.pop() {
        if !all.holds(place) || std::mem::replace(&mut seen[place], true) {
            continue;
        }
        let premises = graph.premises(place);
        stack.extend(&premises.supporters);
        if all.has_its_needs(place) {
            stack.extend(premises.needs.iter().flatten());
        }
    }
    for place in forced {
        seen[*place] = false;
    }
    (0..graph.len())
        .filter(|place| seen[*place] && graph.premises(*place).claim.is_some())
        .collect()
}

/// A search among optional claims, which it knows by their places in `optional`.
struct Search<'g> {
    graph: &'g SupportGraph,
    target: usize,
    forced: Vec<usize>,
    optional: Vec<usize>,
    /// By what counts first: claims outside their window, then claims.
    counts: Vec<u128>,
    /// The same, then doubt.
    costs: Vec<u128>,
    /// Any set that suffices has one of each.
    cuts: Vec<BitSet>,
    /// The best set so far that suffices.
    best: Priced,
    work: u64,
}

impl<'g> Search<'g> {
    fn new(
        graph: &'g SupportGraph,
        target: usize,
        forced: Vec<usize>,
        optional: Vec<usize>,
        work: u64,
    ) -> Self {
        /// One claim is worse than any doubt, and one outside its window worse than any number.
        const CLAIM: u128 = 1 << 48;
        const OUTSIDE: u128 = 1 << 80;
        let claims = || optional.iter().filter_map(|place| graph.premises(*place).claim);
        let count = |is_outside| CLAIM + if is_outside { OUTSIDE } else { 0 };
        let counts: Vec<u128> = claims().map(|claim| count(claim.is_outside)).collect();
        let costs: Vec<u128> =
            claims().map(|claim| count(claim.is_outside) + u128::from(claim.doubt_ppm)).collect();
        let best = Priced::of((0..optional.len()).collect(), &costs);
        Self { graph, target, forced, optional, counts, costs, cuts: Vec::new(), best, work }
    }

    /// The best set, and whether it is proven that none is smaller.
    fn run(&mut self) -> (Vec<usize>, bool) {
        let everything = self.best.members.clone();
        self.thin(everything);
        if self.optional.len() > CLAIMS_EXACT_MAX {
            return (self.best.members.clone(), false);
        }
        let is_minimal = self.prove(Ties::Any);
        if is_minimal {
            // Among the smallest sets, the best one: as far as the work lasts.
            self.prove(Ties::Best);
        }
        (self.best.members.clone(), is_minimal)
    }

    /// Looks for the cheapest set by counts alone, or the best one by everything. Whether it was
    /// found before the work was used up.
    fn prove(&mut self, ties: Ties) -> bool {
        let costs = if ties == Ties::Any { self.counts.clone() } else { self.costs.clone() };
        while self.work > 0 {
            let quick = greedy(&self.cuts, &costs, &mut self.work);
            if self.suffices_or_cuts(&quick) {
                self.thin(quick);
                let bound = Priced::of(self.best.members.clone(), &costs);
                let (cuts, work) = (&self.cuts, &mut self.work);
                let Searched { best, is_proven } =
                    cheapest(cuts, &costs, Some(bound.clone()), ties, work);
                let Some(best) = best.filter(|_| is_proven) else { return false };
                if best == bound {
                    return true;
                }
                if self.suffices_or_cuts(&best.members) {
                    self.thin(best.members);
                    return true;
                }
            }
        }
        false
    }

    fn with_forced(&self, members: &[usize]) -> Vec<usize> {
        let members = members.iter().map(|member| self.optional[*member]);
        self.forced.iter().copied().chain(members).collect()
    }

    /// Whether a set suffices. If not, cuts are added that it does not hit, disjoint where
    /// possible.
    fn suffices_or_cuts(&mut self, members: &[usize]) -> bool {
        let mut members = members.to_vec();
        for found in 0..CUTS_AT_ONCE_MAX {
            let mut closure = Closure::of(self.graph, self.with_forced(&members));
            if closure.holds(self.target) {
                self.work = self.work.saturating_sub(closure.work);
                return found == 0;
            }
            let cut = self.cut(&mut closure, &members);
            self.work = self.work.saturating_sub(closure.work);
            members.extend(cut.iter());
            self.cuts.push(cut);
            if self.work == 0 {
                return false;
            }
        }
        false
    }

    /// A smallest set of claims without all of which the target does not hold, given that it does
    /// not hold with `members`. Claims that are in few other cuts stay in this one.
    fn cut(&self, closure: &mut Closure<'_>, members: &[usize]) -> BitSet {
        let size = self.optional.len();
        let mut is_member = BitSet::new(size);
        members.iter().for_each(|member| is_member.insert(*member));
        let mut cuts_with = vec![0_u32; size];
        self.cuts.iter().flat_map(BitSet::iter).for_each(|element| cuts_with[element] += 1);
        let mut others: Vec<usize> =
            (0..size).filter(|element| !is_member.contains(*element)).collect();
        others.sort_by_key(|element| {
            (std::cmp::Reverse(cuts_with[*element]), self.costs[*element], *element)
        });
        let mut cut = BitSet::new(size);
        for element in others {
            if !closure.take_unless_held(self.optional[element], self.target) {
                cut.insert(element);
            }
        }
        cut
    }

    /// Takes claims out of a set that suffices for as long as it does, the worst first, in pieces
    /// that get smaller; keeps the result if it is better than the best so far.
    fn thin(&mut self, mut members: Vec<usize>) {
        members.sort_by_key(|member| std::cmp::Reverse((self.costs[*member], *member)));
        let mut piece = members.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < members.len() && self.work > 0 {
                let end = members.len().min(at + piece);
                let fewer = [&members[..at], &members[end..]].concat();
                let closure = Closure::of(self.graph, self.with_forced(&fewer));
                self.work = self.work.saturating_sub(closure.work);
                if closure.holds(self.target) {
                    members = fewer;
                } else {
                    at = end;
                }
            }
            if piece == 1 || self.work == 0 {
                break;
            }
            piece = piece.div_ceil(2);
        }
        let found = Priced::of(members, &self.costs);
        if found < self.best {
            self.best = found;
        }
    }
}
