//! What tokens cost, in whole numbers, so that sums have no rounding that grows.
//!
//! The currency is that of the provider's price list; nothing here knows it.

use super::Usage;

/// Digits of a price after the point.
const PRICE_DIGITS: u32 = 6;
/// The highest price of a million tokens.
const PRICE_UNITS_MAX: u64 = 1_000_000;
/// Millionths of a unit.
const MICROS: u64 = 10_u64.pow(PRICE_DIGITS);
/// Billionths of a unit.
const NANOS: u64 = 1_000_000_000;

/// The price of a million tokens, in millionths of the currency's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    micros: u64,
}

/// The text is not a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a price is a number from 0 to 1000000 with at most 6 digits after the point, such as 0.15"
)]
pub struct PriceError;

impl std::str::FromStr for Price {
    type Err = PriceError;

    /// ```
    /// use models::language::Price;
    /// assert_eq!("2.50".parse::<Price>().unwrap().to_string(), "2.5");
    /// assert!("-1".parse::<Price>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, PriceError> {
        let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) {
            return Err(PriceError);
        }
        let part = part.trim_end_matches('0');
        let missing = (PRICE_DIGITS as usize).checked_sub(part.len()).ok_or(PriceError)?;
        let whole: u64 = whole.parse().map_err(|_| PriceError)?;
        let part: u64 =
            format!("0{part}{}", "0".repeat(missing)).parse().map_err(|_| PriceError)?;
        if whole > PRICE_UNITS_MAX || (whole == PRICE_UNITS_MAX && part > 0) {
            return Err(PriceError);
        }
        Ok(Self { micros: whole * MICROS + part })
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        decimal(formatter, self.micros, MICROS, PRICE_DIGITS as usize)
    }
}

/// The prices of a model, of a million tokens each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// Of prompts.
    pub input: Price,
    /// Of answers.
    pub output: Price,
}

impl Prices {
    /// What tokens cost at these prices.
    ///
    /// ```
    /// use models::language::{Prices, Usage};
    /// let prices = Prices { input: "0.15".parse().unwrap(), output: "0.6".parse().unwrap() };
    /// let usage = Usage { requests: 1, input_tokens: 1000, output_tokens: 100, ..Usage::default() };
    /// assert_eq!(prices.cost(&usage).to_string(), "0.00021");
    /// ```
    pub fn cost(&self, usage: &Usage) -> Cost {
        let picos = |tokens: u64, price: Price| u128::from(tokens) * u128::from(price.micros);
        let picos = picos(usage.input_tokens, self.input) + picos(usage.output_tokens, self.output);
        Cost { nanos: u64::try_from(picos.div_ceil(1000)).unwrap_or(u64::MAX) }
    }
}

/// A sum of money, in billionths of the currency's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Billionths.
    pub nanos: u64,
}

impl Cost {
    /// The sum as a number of units, for programs; rounded where it has more digits than a float.
    pub fn units(self) -> f64 {
        self.nanos as f64 / NANOS as f64
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        decimal(formatter, self.nanos, NANOS, 9)
    }
}

/// Prints a number of parts of a unit as a decimal number, without zeros at its end.
fn decimal(
    formatter: &mut std::fmt::Formatter<'_>,
    number: u64,
    unit: u64,
    digits: usize,
) -> std::fmt::Result {
    let (whole, part) = (number / unit, number % unit);
    let part = format!("{part:0digits$}");
    match part.trim_end_matches('0') {
        "" => write!(formatter, "{whole}"),
        part => write!(formatter, "{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_a_decimal_number_within_its_limits() {
        for (text, shown) in [
            ("0", "0"),
            ("15", "15"),
            ("0.15", "0.15"),
            (" 1.250000 ", "1.25"),
            ("0.000001", "0.000001"),
            ("1000000", "1000000"),
        ] {
            assert_eq!(text.parse::<Price>().unwrap().to_string(), shown);
        }
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "1,5",
            "1e3",
            "-1",
            "+1",
            "0.0000001",
            "1000000.1",
            "99999999999999999999",
            "NaN",
        ] {
            assert!(text.parse::<Price>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_smallest_cost_is_not_lost_and_the_largest_does_not_overflow() {
        let prices =
            Prices { input: "0.000001".parse().unwrap(), output: "1000000".parse().unwrap() };
        let cost = |input_tokens, output_tokens| {
            prices.cost(&Usage { requests: 1, unreported: 0, input_tokens, output_tokens })
        };
        assert_eq!(cost(1, 0).to_string(), "0.000000001");
        assert_eq!(cost(0, 1).to_string(), "1");
        assert_eq!(cost(0, 0).to_string(), "0");
        assert_eq!(cost(u64::MAX, u64::MAX), Cost { nanos: u64::MAX });
    }
}
