//! Calibration of confidence: bins, bands, expected calibration error; and precision and recall of
//! claims.
//!
//! Expected calibration error as Naeini, Cooper and Hauskrecht define it ("Obtaining well
//! calibrated probabilities using Bayesian binning", AAAI 2015): ten bins of equal width, and the
//! distance between mean confidence and share of true claims in each, weighted by its number of
//! claims.

use std::collections::BTreeMap;

use kernel::confidence::Band;

use super::labels::{Family, Judgement};
use super::{JudgedClaim, Person};

/// Bins of equal width.
pub const BINS: usize = 10;
/// A claim counts as asserted from this confidence on: it is more likely true than not, which is
/// how readers use a belief.
pub const ASSERTED_MIN: f64 = 0.5;

/// A group of claims.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClaimGroup {
    pub claims: usize,
    pub holds: usize,
    confidence_sum: f64,
}

impl ClaimGroup {
    fn of<'a>(judged: impl Iterator<Item = &'a JudgedClaim>) -> Self {
        judged.fold(Self::default(), |group, one| Self {
            claims: group.claims + 1,
            holds: group.holds + usize::from(one.is_true()),
            confidence_sum: group.confidence_sum + one.claim.confidence,
        })
    }

    /// The mean confidence.
    pub fn mean_confidence(&self) -> f64 {
        ratio(self.confidence_sum, self.claims)
    }

    /// The share of true claims.
    pub fn share_true(&self) -> f64 {
        ratio(self.holds as f64, self.claims)
    }

    /// The difference between the two; positive for overconfidence.
    pub fn excess(&self) -> f64 {
        self.mean_confidence() - self.share_true()
    }
}

/// Calibration figures of some claims.
pub struct Calibration {
    pub all: ClaimGroup,
    pub bins: [ClaimGroup; BINS],
    pub bands: Vec<(Band, ClaimGroup)>,
}

impl Calibration {
    pub fn of<'a>(judged: impl Iterator<Item = &'a JudgedClaim> + Clone) -> Self {
        let in_bin = |bin: usize| {
            ClaimGroup::of(judged.clone().filter(|one| bin_of(one.claim.confidence) == bin))
        };
        let in_band = |band: Band| {
            ClaimGroup::of(judged.clone().filter(|one| Band::of(one.claim.confidence) == band))
        };
        Self {
            all: ClaimGroup::of(judged.clone()),
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

/// Precision and recall in one family.
#[derive(Default)]
pub struct Detection {
    /// Asserted claims, and how many of them are true.
    pub asserted: usize,
    pub asserted_true: usize,
    /// Detectable truths, and how many of them are asserted.
    pub truths: usize,
    pub found: usize,
    /// Truths with too little evidence, and how many of them are asserted anyway.
    pub faint: usize,
    pub faint_found: usize,
    /// Causes of the false asserted claims.
    pub false_causes: BTreeMap<&'static str, usize>,
    /// Missed truths by kind and cause, such as a claim with too low a confidence.
    pub missed: BTreeMap<(String, &'static str), usize>,
}

impl Detection {
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
                let says_it = |one: &&JudgedClaim| one.judgement == Judgement::True(number);
                let asserted = person.judged.iter().filter(says_it).any(JudgedClaim::is_asserted);
                if !truth.is_detectable() {
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

    /// Share of asserted claims that are true.
    pub fn precision(&self) -> f64 {
        ratio(self.asserted_true as f64, self.asserted)
    }

    /// Share of detectable truths that are asserted.
    pub fn recall(&self) -> f64 {
        ratio(self.found as f64, self.truths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::testing::judged;

    #[test]
    fn calibrated_claims_have_no_error_and_overconfident_ones_do() {
        let honest: Vec<JudgedClaim> = (0..10).map(|number| judged(0.8, number < 8)).collect();
        let calibration = Calibration::of(honest.iter());
        assert!(calibration.error() < 1e-9);
        assert_eq!((calibration.bins[8].claims, calibration.bands[2].1.holds), (10, 8));
        let boastful: Vec<JudgedClaim> =
            (0..10).map(|number| judged(0.95, number < 5)).chain([judged(0.05, false)]).collect();
        let error = Calibration::of(boastful.iter()).error();
        assert!((error - (0.45 * 10.0 + 0.05) / 11.0).abs() < 1e-9, "{error}");
    }

    #[test]
    fn no_claims_have_no_error() {
        assert_eq!(Calibration::of([].iter()).error(), 0.0);
        assert_eq!(Detection::default().precision(), 0.0);
    }
}
