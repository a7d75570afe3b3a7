//! How honest confidence is: bins, bands, expected calibration error; and how much is found.
//!
//! Expected calibration error as Naeini, Cooper and Hauskrecht define it ("Obtaining well
//! calibrated probabilities using Bayesian binning", AAAI 2015): ten bins of equal width, the
//! distance between mean confidence and share true in each, weighted by how many claims are in it.

use std::collections::BTreeMap;

use kernel::confidence::Band;

use super::labels::{Family, Judgement};
use super::{Judged, Person};

/// Bins of equal width.
pub const BINS: usize = 10;
/// A claim counts as asserted from here on: it is held to be rather true than not, which is what
/// whoever reads one belief among others goes by.
pub const ASSERTED_MIN: f64 = 0.5;

/// Some claims that belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heap {
    pub claims: usize,
    pub holds: usize,
    confidence_sum: f64,
}

impl Heap {
    fn of<'a>(judged: impl Iterator<Item = &'a Judged>) -> Self {
        judged.fold(Self::default(), |heap, one| Self {
            claims: heap.claims + 1,
            holds: heap.holds + usize::from(one.is_true()),
            confidence_sum: heap.confidence_sum + one.claim.confidence,
        })
    }

    /// What was said, on average.
    pub fn mean_confidence(&self) -> f64 {
        ratio(self.confidence_sum, self.claims)
    }

    /// What was so.
    pub fn share_true(&self) -> f64 {
        ratio(self.holds as f64, self.claims)
    }

    /// How far apart the two are; positive where too much was said.
    pub fn excess(&self) -> f64 {
        self.mean_confidence() - self.share_true()
    }
}

/// The figures over some claims.
pub struct Calibration {
    pub all: Heap,
    pub bins: [Heap; BINS],
    pub bands: Vec<(Band, Heap)>,
}

impl Calibration {
    pub fn of<'a>(judged: impl Iterator<Item = &'a Judged> + Clone) -> Self {
        let in_bin =
            |bin: usize| Heap::of(judged.clone().filter(|one| bin_of(one.claim.confidence) == bin));
        let in_band = |band: Band| {
            Heap::of(judged.clone().filter(|one| Band::of(one.claim.confidence) == band))
        };
        Self {
            all: Heap::of(judged.clone()),
            bins: std::array::from_fn(in_bin),
            bands: Band::ALL.into_iter().map(|band| (band, in_band(band))).collect(),
        }
    }

    /// Expected calibration error.
    pub fn error(&self) -> f64 {
        let weighted: f64 =
            self.bins.iter().map(|bin| bin.excess().abs() * bin.claims as f64).sum();
        ratio(weighted, self.all.claims)
    }
}

fn bin_of(confidence: f64) -> usize {
    ((confidence * BINS as f64) as usize).min(BINS - 1)
}

fn ratio(over: f64, under: usize) -> f64 {
    if under == 0 { 0.0 } else { over / under as f64 }
}

/// How much is found in one family.
#[derive(Default)]
pub struct Found {
    /// Claims held to be true, and how many of them are.
    pub asserted: usize,
    pub asserted_true: usize,
    /// Truths with traces enough, and how many of them are asserted.
    pub truths: usize,
    pub found: usize,
    /// Truths of fewer traces, and how many of them are asserted all the same.
    pub faint: usize,
    pub faint_found: usize,
    /// In what way the false ones among the asserted are false.
    pub false_causes: BTreeMap<&'static str, usize>,
    /// Truths that are missed: their sort, and whether there is a claim that was not sure enough.
    pub missed: BTreeMap<(String, &'static str), usize>,
}

impl Found {
    pub fn in_family(people: &[Person], family: Family) -> Self {
        let mut found = Self::default();
        for person in people {
            for judged in
                person.judged.iter().filter(|one| one.family == family && one.is_asserted())
            {
                found.asserted += 1;
                match judged.judgement {
                    Judgement::True(_) => found.asserted_true += 1,
                    Judgement::False(cause) => *found.false_causes.entry(cause).or_default() += 1,
                }
            }
            for (number, truth) in
                person.truths.iter().enumerate().filter(|(_, truth)| truth.family == family)
            {
                let says_it = |one: &&Judged| one.judgement == Judgement::True(number);
                let asserted = person.judged.iter().filter(says_it).any(Judged::is_asserted);
                if !truth.can_be_told() {
                    found.faint += 1;
                    found.faint_found += usize::from(asserted);
                    continue;
                }
                found.truths += 1;
                found.found += usize::from(asserted);
                if !asserted {
                    let cause = if person.judged.iter().any(|one| says_it(&one)) {
                        "not sure enough"
                    } else {
                        "no claim"
                    };
                    *found.missed.entry((truth.sort.clone(), cause)).or_default() += 1;
                }
            }
        }
        found
    }

    /// Share of what is asserted that is true.
    pub fn precision(&self) -> f64 {
        ratio(self.asserted_true as f64, self.asserted)
    }

    /// Share of what is true, and left traces, that is asserted.
    pub fn recall(&self) -> f64 {
        ratio(self.found as f64, self.truths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::testing::judged;

    #[test]
    fn claims_as_true_as_they_say_have_no_error_and_others_have_theirs() {
        let honest: Vec<Judged> = (0..10).map(|number| judged(0.8, number < 8)).collect();
        let calibration = Calibration::of(honest.iter());
        assert!(calibration.error() < 1e-9);
        assert_eq!((calibration.bins[8].claims, calibration.bands[2].1.holds), (10, 8));
        let boastful: Vec<Judged> =
            (0..10).map(|number| judged(0.95, number < 5)).chain([judged(0.05, false)]).collect();
        let error = Calibration::of(boastful.iter()).error();
        assert!((error - (0.45 * 10.0 + 0.05) / 11.0).abs() < 1e-9, "{error}");
    }

    #[test]
    fn nothing_at_all_is_no_error() {
        assert_eq!(Calibration::of([].iter()).error(), 0.0);
        assert_eq!(Found::default().precision(), 0.0);
    }
}
