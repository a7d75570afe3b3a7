//! The cheapest set that hits each of some sets.
//!
//! Branch and bound: the unhit set with the fewest elements left is hit by each of them in turn,
//! and elements that were tried before are excluded. The lower bound is a packing of disjoint
//! unhit sets, each of which costs at least its cheapest element.

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BitSet(Vec<u64>);

impl BitSet {
    /// The empty set of numbers below `size`.
    pub(super) fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] & (1 << (number % 64)) != 0
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }

    pub(super) fn extend(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(one, other)| *one |= other);
    }

    /// The numbers in it, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<'_> {
        self.0.iter().enumerate().flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    place * 64 + bit
                })
            })
        })
    }

    fn len_without(&self, excluded: &Self) -> u32 {
        self.0.iter().zip(&excluded.0).map(|(word, not)| (word & !not).count_ones()).sum()
    }

    fn words(&self) -> u64 {
        self.0.len() as u64
    }
}

/// A set with its cost. Of two of the same cost, the one with the smaller numbers is better.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Priced {
    pub(super) cost: u128,
    /// Ascending.
    pub(super) members: Vec<usize>,
}

impl Priced {
    pub(super) fn of(mut members: Vec<usize>, costs: &[u128]) -> Self {
        members.sort_unstable();
        Self { cost: members.iter().map(|member| costs[*member]).sum(), members }
    }
}

/// What a search found, and whether it ended before its limit of work.
pub(super) struct Searched {
    pub(super) best: Option<Priced>,
    pub(super) is_proven: bool,
}

/// What the search looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ties {
    /// Any of the cheapest sets.
    Any,
    /// The best of the cheapest.
    Best,
}

/// The best set below `bound` (any, without one) that hits all of `sets`, by the costs of its
/// elements. `work` is used up.
pub(super) fn cheapest(
    sets: &[BitSet],
    costs: &[u128],
    bound: Option<Priced>,
    ties: Ties,
    work: &mut u64,
) -> Searched {
    let mut search = Search { sets, costs, ties, work, best: bound, is_proven: true };
    let (chosen, excluded) = (BitSet::new(costs.len()), BitSet::new(costs.len()));
    search.branch(&mut Branch { chosen, members: Vec::new(), cost: 0 }, excluded);
    Searched { best: search.best, is_proven: search.is_proven }
}

/// A set that hits each of `sets`, taking at each step the element that hits most for its cost.
pub(super) fn greedy(sets: &[BitSet], costs: &[u128], work: &mut u64) -> Vec<usize> {
    let mut unhit: Vec<&BitSet> = sets.iter().collect();
    let mut members = Vec::new();
    while !unhit.is_empty() {
        let mut hits = vec![0_u32; costs.len()];
        for set in &unhit {
            set.iter().for_each(|element| hits[element] += 1);
            *work = work.saturating_sub(set.words());
        }
        // More hits for the cost: compared crosswise, so that nothing is divided.
        let best = (0..costs.len()).filter(|element| hits[*element] > 0).reduce(|best, element| {
            let gain = u128::from(hits[element]).saturating_mul(costs[best]);
            if gain > u128::from(hits[best]).saturating_mul(costs[element]) {
                element
            } else {
                best
            }
        });
        let Some(best) = best else { break };
        members.push(best);
        unhit.retain(|set| !set.contains(best));
    }
    members
}

struct Search<'s> {
    sets: &'s [BitSet],
    costs: &'s [u128],
    ties: Ties,
    work: &'s mut u64,
    best: Option<Priced>,
    is_proven: bool,
}

/// What is chosen on the way to a set.
struct Branch {
    chosen: BitSet,
    members: Vec<usize>,
    cost: u128,
}

impl Search<'_> {
    /// Each level chooses one more element, so the recursion is as deep as the largest set that
    /// may be found; the caller bounds the number of elements.
    fn branch(&mut self, branch: &mut Branch, mut excluded: BitSet) {
        let steps = 2 * self.sets.len() as u64 * branch.chosen.words() + 1;
        if *self.work < steps {
            self.is_proven = false;
            return;
        }
        *self.work -= steps;
        let mut unhit: Vec<(u32, &BitSet)> = self
            .sets
            .iter()
            .filter(|set| !set.meets(&branch.chosen))
            .map(|set| (set.len_without(&excluded), set))
            .collect();
        if unhit.is_empty() {
            let found = Priced::of(branch.members.clone(), self.costs);
            if self.best.as_ref().is_none_or(|best| found < *best) {
                self.best = Some(found);
            }
            return;
        }
        unhit.sort_by_key(|(left, _)| *left);
        let least = branch.cost + self.packing(&unhit, &excluded);
        if unhit[0].0 == 0 || !self.may_improve(least) {
            return;
        }
        let mut elements: Vec<usize> =
            unhit[0].1.iter().filter(|element| !excluded.contains(*element)).collect();
        elements.sort_by_key(|element| (self.costs[*element], *element));
        for element in elements {
            branch.chosen.insert(element);
            branch.members.push(element);
            branch.cost += self.costs[element];
            if self.may_improve(branch.cost) {
                self.branch(branch, excluded.clone());
            }
            branch.cost -= self.costs[element];
            branch.members.pop();
            branch.chosen.remove(element);
            excluded.insert(element);
            if !self.is_proven {
                return;
            }
        }
    }

    fn may_improve(&self, least: u128) -> bool {
        match (&self.best, self.ties) {
            (None, _) => true,
            (Some(best), Ties::Any) => least < best.cost,
            (Some(best), Ties::Best) => least <= best.cost,
        }
    }

    /// What disjoint unhit sets cost at least, the smallest sets first.
    fn packing(&mut self, unhit: &[(u32, &BitSet)], excluded: &BitSet) -> u128 {
        let mut used = excluded.clone();
        let mut least = 0;
        for (left, set) in unhit {
            *self.work = self.work.saturating_sub(excluded.words());
            if set.len_without(&used) < *left {
                continue;
            }
            let cheapest = set.iter().filter(|element| !excluded.contains(*element));
            least += cheapest.map(|element| self.costs[element]).min().unwrap_or_default();
            used.extend(set);
        }
        least
    }
}
