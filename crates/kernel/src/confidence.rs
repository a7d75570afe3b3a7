//! Confidence: a prior and independent factors, added up in log-odds.
//!
//! Source: the derivation model, §5 (naive Bayes in log-odds, saturating factor curves, clamped). A
//! [`Basis`] is complete: every machine computes the same number from it, bit for bit. So its
//! values are rounded when they are added, the logarithms are `libm`'s, and the sum follows the
//! order of the factors.

use serde::{Deserialize, Serialize};

/// The lowest confidence that a machine states.
pub const CONFIDENCE_MIN: f64 = 0.02;
/// The highest: only a user is certain.
pub const CONFIDENCE_MAX: f64 = 0.98;

/// A confidence in percent, rounded down: 0.899 must not show as 90 %, which is in another band.
pub fn percent(confidence: f64) -> f64 {
    // Confidences are whole millionths. Half a millionth is added because 0.29 × 100 is a little
    // below 29 in floating point, so 0.29 would show as 28 %.
    const HALF_A_MILLIONTH: f64 = 0.000_000_5;
    ((confidence + HALF_A_MILLIONTH) * 100.0).floor()
}

/// One observation and what it adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// What was observed, e.g. `occurrence_count`.
    pub name: String,
    /// The observed quantity, in its own unit; six decimals.
    pub value: f64,
    /// What it adds to the log-odds; six decimals.
    pub log_odds: f64,
}

/// Everything that a confidence follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Basis {
    /// The base rate of such a claim, 0 … 1 exclusive.
    pub prior: f64,
    /// In the order in which they are added.
    pub factors: Vec<Factor>,
}

impl Basis {
    /// A prior alone.
    pub fn new(prior: f64) -> Self {
        Self { prior: round6(prior), factors: Vec::new() }
    }

    /// The same with one more factor. A value that is not a number adds nothing.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64, log_odds: f64) -> Self {
        self.factors.push(Factor {
            name: name.to_owned(),
            value: round6(value),
            log_odds: round6(log_odds),
        });
        self
    }

    /// The probability: σ(logit(prior) + Σ log-odds), within [`CONFIDENCE_MIN`] and
    /// [`CONFIDENCE_MAX`], six decimals.
    ///
    /// ```
    /// use kernel::confidence::Basis;
    ///
    /// let basis = Basis::new(0.30).with("occurrence_count", 9.0, 1.40).with("regularity", 0.93, 1.10);
    /// assert_eq!(basis.confidence(), 0.839256);
    /// ```
    pub fn confidence(&self) -> f64 {
        let prior = self.prior.clamp(CONFIDENCE_MIN, CONFIDENCE_MAX);
        let log_odds = self.factors.iter().fold(logit(prior), |sum, factor| sum + factor.log_odds);
        let probability = 1.0 / (1.0 + libm::exp(-log_odds));
        round6(probability).clamp(CONFIDENCE_MIN, CONFIDENCE_MAX)
    }
}

/// How sure, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// Below 0.40.
    Speculative,
    /// 0.40 to below 0.70.
    Probable,
    /// 0.70 to below 0.90.
    Likely,
    /// 0.90 and above.
    Strong,
}

impl Band {
    /// All of them, from the least sure.
    pub const ALL: [Self; 4] = [Self::Speculative, Self::Probable, Self::Likely, Self::Strong];

    /// The band of a confidence.
    pub fn of(confidence: f64) -> Self {
        match confidence {
            confidence if confidence >= 0.90 => Self::Strong,
            confidence if confidence >= 0.70 => Self::Likely,
            confidence if confidence >= 0.40 => Self::Probable,
            _ => Self::Speculative,
        }
    }

    /// The lowest confidence in it.
    pub fn floor(self) -> f64 {
        match self {
            Self::Speculative => 0.0,
            Self::Probable => 0.40,
            Self::Likely => 0.70,
            Self::Strong => 0.90,
        }
    }

    /// Its name in JSON and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Speculative => "speculative",
            Self::Probable => "probable",
            Self::Likely => "likely",
            Self::Strong => "strong",
        }
    }
}

/// A curve that rises from 0 towards `most`, so that the tenth observation adds less than the
/// second: `most · (1 − e^(−rate·x))`.
pub fn saturating(most: f64, rate: f64, x: f64) -> f64 {
    most * (1.0 - libm::exp(-rate * x))
}

/// The log-odds of a probability.
pub fn logit(probability: f64) -> f64 {
    libm::log(probability / (1.0 - probability))
}

/// Rounds to six decimals, the resolution of everything that is sealed; 0 for infinities and NaN.
pub fn round6(value: f64) -> f64 {
    if value.is_finite() { libm::round(value * 1e6) / 1e6 + 0.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_can_be_computed_again_from_what_is_stored() {
        let basis = Basis::new(0.3).with("a", 1.0 / 3.0, 0.123_456_789).with("b", 2.0, -0.7);
        let read: Basis = serde_json::from_str(&serde_json::to_string(&basis).unwrap()).unwrap();
        assert_eq!(read.confidence(), basis.confidence());
    }

    #[test]
    fn no_sum_of_factors_is_certain_or_not_a_number() {
        assert_eq!(Basis::new(0.5).with("much", 1.0, 1e300).confidence(), CONFIDENCE_MAX);
        assert_eq!(Basis::new(0.5).with("little", 1.0, -1e300).confidence(), CONFIDENCE_MIN);
        assert_eq!(Basis::new(0.5).with("nothing", f64::NAN, f64::NAN).confidence(), 0.5);
        assert_eq!(Basis::new(f64::NAN).confidence(), CONFIDENCE_MIN);
    }

    #[test]
    fn bands_begin_where_the_model_says() {
        let bands = [0.0, 0.399_999, 0.4, 0.7, 0.899_999, 0.9, 1.0]
            .map(|confidence| Band::of(confidence).as_str());
        assert_eq!(
            bands,
            ["speculative", "speculative", "probable", "likely", "likely", "strong", "strong"]
        );
    }
}
