//! The search over parts of a claim's inputs.

use std::collections::BTreeSet;

use kernel::confidence::Band;
use kernel::id::OpId;

use super::{Question, WORK_RECORDS_MAX, ids};
use crate::derive::{contained, shown_to};

/// Inputs that are left out in one run, when stretches of time are tried, as a part of the stretch.
const STRIDE_PARTS: usize = 4;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The inputs that still yield the claim in its band, in the space's order.
    pub inputs: Vec<OpId>,
    /// Of how many.
    pub of: usize,
    /// How sure the claim is from these alone.
    pub confidence: f64,
    /// Whether no smaller part yields it.
    pub is_smallest: bool,
    /// No part smaller than this yields it.
    pub at_least: usize,
    /// The inputs without any one of which it would not be in its band; none if that was too much
    /// to ask.
    pub necessary: Option<Vec<OpId>>,
    /// The fewest inputs that would have to go.
    pub fewest: Option<FewestToRemove>,
    /// Runs of the deriver.
    pub runs: u64,
}

/// Inputs whose going would bring a claim below its band.
#[derive(Clone, Debug, PartialEq)]
pub struct FewestToRemove {
    /// These, for example.
    pub inputs: Vec<OpId>,
    /// The band without them; none if it would not be said at all.
    pub band: Option<Band>,
    /// Whether no fewer would do.
    pub is_fewest: bool,
}

/// Asks a deriver. None if it does not say the claim in its band from all inputs.
pub fn examine(question: &Question<'_>) -> Option<Search> {
    examine_within(question, WORK_RECORDS_MAX)
}

pub(super) fn examine_within(question: &Question<'_>, work_records: u64) -> Option<Search> {
    let count = question.inputs.len();
    let all: Vec<usize> = (0..count).collect();
    // A third each: for the smallest part, for what is necessary, for what would have to go.
    let mut asking = Asking {
        question,
        group: String::new(),
        members: Vec::new(),
        work_left: work_records,
        runs: 0,
    };
    let whole = asking.find_group(&all)?;
    let share = asking.work_left / 3;

    let mut rest = asking.work_left.saturating_sub(share);
    asking.work_left = share;
    let (inputs, confidence, at_least, is_smallest) = asking.smallest(&all, whole);
    let mut leftover = asking.work_left;

    asking.work_left = rest / 2 + leftover;
    rest -= rest / 2;
    let necessary = asking.necessary(&all);
    leftover = asking.work_left;

    asking.work_left = rest + leftover;
    let fewest = asking.fewest(&all);
    Some(Search {
        inputs: ids(question.inputs, &inputs),
        of: count,
        confidence,
        is_smallest,
        at_least,
        necessary: necessary.map(|places| ids(question.inputs, &places)),
        fewest,
        runs: asking.runs,
    })
}

/// What the deriver says of a part: how sure it is of the claim, if it says it at all.
type Answer = Option<f64>;

/// The questions of one search cost too much.
struct Exhausted;

struct Asking<'q> {
    question: &'q Question<'q>,
    /// The group in which the claim is made.
    group: String,
    /// Of each input, whether it belongs to that group.
    members: Vec<bool>,
    work_left: u64,
    runs: u64,
}

impl Asking<'_> {
    /// Finds the group that yields the claim from all inputs, and how sure it is then.
    fn find_group(&mut self, all: &[usize]) -> Option<f64> {
        let deriver = self.question.deriver;
        let groups_of = |record| contained(|| deriver.groups(record)).unwrap_or_default();
        let groups: Vec<BTreeSet<String>> = self.question.inputs.iter().map(groups_of).collect();
        for group in groups.iter().flatten().collect::<BTreeSet<_>>() {
            self.members = groups.iter().map(|of| of.contains(group)).collect();
            self.group.clone_from(group);
            let answer = self.ask(all).ok()?;
            if let Some(confidence) = answer
                && self.is_enough(answer)
            {
                return Some(confidence);
            }
        }
        None
    }

    /// Runs the deriver on a part of the inputs, in their order.
    fn ask(&mut self, part: &[usize]) -> Result<Answer, Exhausted> {
        let cost = part.len() as u64 + 1;
        self.work_left = self.work_left.checked_sub(cost).ok_or(Exhausted)?;
        self.runs += 1;
        let Question { deriver, key, inputs, .. } = *self.question;
        let records: Vec<_> = part
            .iter()
            .filter(|place| self.members.get(**place) == Some(&true))
            .filter_map(|place| inputs.get(*place).cloned())
            .collect();
        let candidates = shown_to(deriver, &self.group, &records).unwrap_or_default();
        let found = candidates.into_iter().find(|candidate| candidate.identity_key == key);
        Ok(found.map(|candidate| candidate.basis.confidence()))
    }

    fn is_enough(&self, answer: Answer) -> bool {
        answer.is_some_and(|confidence| Band::of(confidence) >= self.question.band)
    }

    /// The smallest part that is enough, how sure it is, what is known to be too few, and whether
    /// it is provably the smallest.
    fn smallest(&mut self, all: &[usize], whole: f64) -> (Vec<usize>, f64, usize, bool) {
        // Half of the work may go into what ends in no proof.
        let reserved = self.work_left / 2;
        let mut size = 1;
        while size < all.len()
            && cost_of_all(all.len(), size, size) <= self.work_left.saturating_sub(reserved)
        {
            match self.first_of_size(all.len(), size, |asking, answer| asking.is_enough(answer)) {
                Ok(Some((part, confidence))) => {
                    return (part, confidence.unwrap_or_default(), size, true);
                }
                Ok(None) => size += 1,
                Err(Exhausted) => break,
            }
        }
        if size >= all.len() {
            return (all.to_vec(), whole, all.len(), true);
        }
        let mut best = (all.to_vec(), whole);
        let _ = self.shortest_stretch(size, &mut best);
        let _ = self.thin_out(&mut best);
        best.0.sort_unstable();
        let is_smallest = best.0.len() == size;
        (best.0, best.1, size, is_smallest)
    }

    /// The first part of `size` inputs, in lexicographic order, of which `fits` is true.
    fn first_of_size(
        &mut self,
        count: usize,
        size: usize,
        fits: impl Fn(&Self, Answer) -> bool,
    ) -> Result<Option<(Vec<usize>, Answer)>, Exhausted> {
        let mut part: Vec<usize> = (0..size).collect();
        loop {
            let answer = self.ask(&part)?;
            if fits(self, answer) {
                return Ok(Some((part, answer)));
            }
            if !advance(&mut part, count) {
                return Ok(None);
            }
        }
    }

    /// Inputs by their own time: what happened together often says together what is to be said.
    fn in_time(&self, places: &[usize]) -> Vec<usize> {
        let mut places = places.to_vec();
        places.sort_by_key(|place| {
            let record = self.question.inputs.get(*place);
            let when =
                record.and_then(|record| record.evidence()?.at.as_ref().map(|at| at.instant_us()));
            (when, *place)
        });
        places
    }

    /// Looks for a short stretch of time that is enough, by halving between what is too short and
    /// what is enough.
    fn shortest_stretch(
        &mut self,
        too_few: usize,
        best: &mut (Vec<usize>, f64),
    ) -> Result<(), Exhausted> {
        let ordered = self.in_time(&best.0);
        let (mut low, mut high) = (too_few, ordered.len());
        while low < high {
            let length = low + (high - low) / 2;
            let stride = (length / STRIDE_PARTS).max(1);
            let mut found = false;
            let last = ordered.len().saturating_sub(length);
            for start in (0..=last).step_by(stride) {
                let Some(stretch) = ordered.get(start..start + length) else { break };
                let mut part = stretch.to_vec();
                part.sort_unstable();
                let answer = self.ask(&part)?;
                if self.is_enough(answer) {
                    *best = (part, answer.unwrap_or_default());
                    found = true;
                    break;
                }
            }
            if found {
                high = length;
            } else {
                low = length + 1;
            }
        }
        Ok(())
    }

    /// Leaves out ever smaller pieces, down to single inputs, as long as the rest is enough (delta
    /// debugging, Zeller and Hildebrandt 2002).
    fn thin_out(&mut self, best: &mut (Vec<usize>, f64)) -> Result<(), Exhausted> {
        let mut piece = best.0.len() / 2;
        while piece > 0 {
            let mut start = 0;
            let mut went = false;
            while start < best.0.len() && best.0.len() > 1 {
                let end = start.saturating_add(piece).min(best.0.len());
                let rest: Vec<usize> =
                    best.0.iter().take(start).chain(best.0.iter().skip(end)).copied().collect();
                let answer = self.ask(&rest)?;
                if self.is_enough(answer) {
                    *best = (rest, answer.unwrap_or_default());
                    went = true;
                } else {
                    start = end;
                }
            }
            if piece > 1 {
                piece /= 2;
            } else if !went {
                break;
            }
        }
        Ok(())
    }

    /// The inputs without any one of which it is not enough.
    fn necessary(&mut self, all: &[usize]) -> Option<Vec<usize>> {
        if cost_of_all(all.len(), 1, all.len().saturating_sub(1)) > self.work_left {
            return None;
        }
        let mut necessary = Vec::new();
        for place in all {
            let rest: Vec<usize> = all.iter().copied().filter(|other| other != place).collect();
            let answer = self.ask(&rest).ok()?;
            if !self.is_enough(answer) {
                necessary.push(*place);
            }
        }
        Some(necessary)
    }

    /// The fewest inputs whose going is too much: all ways of leaving out one, two …, and where
    /// these are too many, the latest or the earliest.
    fn fewest(&mut self, all: &[usize]) -> Option<FewestToRemove> {
        let reserved = self.work_left / 2;
        let mut size = 1;
        while size <= all.len()
            && cost_of_all(all.len(), size, all.len() - size)
                <= self.work_left.saturating_sub(reserved)
        {
            match self.leaving_out(all, size) {
                Ok(Some((gone, answer))) => return Some(self.to_fewest(&gone, answer, true)),
                Ok(None) => size += 1,
                Err(Exhausted) => break,
            }
        }
        let latest_first: Vec<usize> = self.in_time(all).into_iter().rev().collect();
        let earliest_first: Vec<usize> = self.in_time(all);
        let latest = self.shortest_beginning(&latest_first, all, size);
        let earliest = self.shortest_beginning(&earliest_first, all, size);
        let (gone, answer) =
            [latest, earliest].into_iter().flatten().min_by_key(|(gone, _)| gone.len())?;
        let is_fewest = gone.len() == size;
        Some(self.to_fewest(&gone, answer, is_fewest))
    }

    fn to_fewest(&self, gone: &[usize], answer: Answer, is_fewest: bool) -> FewestToRemove {
        let mut gone = gone.to_vec();
        gone.sort_unstable();
        FewestToRemove {
            inputs: ids(self.question.inputs, &gone),
            band: answer.map(Band::of),
            is_fewest,
        }
    }

    fn leaving_out(
        &mut self,
        all: &[usize],
        size: usize,
    ) -> Result<Option<(Vec<usize>, Answer)>, Exhausted> {
        let mut gone: Vec<usize> = (0..size).collect();
        loop {
            let rest: Vec<usize> =
                all.iter().copied().filter(|place| gone.binary_search(place).is_err()).collect();
            let answer = self.ask(&rest)?;
            if !self.is_enough(answer) {
                return Ok(Some((gone, answer)));
            }
            if !advance(&mut gone, all.len()) {
                return Ok(None);
            }
        }
    }

    /// How much of the beginning of `order` has to go, by halving.
    fn shortest_beginning(
        &mut self,
        order: &[usize],
        all: &[usize],
        at_least: usize,
    ) -> Option<(Vec<usize>, Answer)> {
        let (mut low, mut high) = (at_least, order.len());
        let mut found = None;
        while low <= high {
            let length = low + (high - low) / 2;
            let mut gone: Vec<usize> = order.iter().copied().take(length).collect();
            gone.sort_unstable();
            let rest: Vec<usize> =
                all.iter().copied().filter(|place| gone.binary_search(place).is_err()).collect();
            let Ok(answer) = self.ask(&rest) else { break };
            if self.is_enough(answer) {
                low = length + 1;
            } else {
                found = Some((gone, answer));
                high = length.checked_sub(1)?;
            }
        }
        found
    }
}

/// The next part of the same size in lexicographic order; false after the last.
fn advance(part: &mut [usize], count: usize) -> bool {
    let size = part.len();
    for at in (0..size).rev() {
        let highest = count - (size - at);
        if let Some(place) = part.get(at).copied().filter(|place| *place < highest) {
            part.iter_mut().skip(at).zip(place + 1..).for_each(|(slot, next)| *slot = next);
            return true;
        }
    }
    false
}

/// What it costs to ask about all ways of choosing `size` of `count`, showing `shown` records each.
fn cost_of_all(count: usize, size: usize, shown: usize) -> u64 {
    let mut ways: u64 = 1;
    for taken in 0..size.min(count - size.min(count)) {
        let more = ways.checked_mul((count - taken) as u64);
        let Some(more) = more else { return u64::MAX };
        ways = more / (taken as u64 + 1);
    }
    ways.saturating_mul(shown as u64 + 1)
}
