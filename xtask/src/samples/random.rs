//! Deterministic pseudo-random numbers: the same seed gives the same life on every machine.
//!
//! xorshift64* (Vigna 2016, "An experimental exploration of Marsaglia's xorshift generators"): a
//! few lines, and good enough to generate people. The streams of a crate may change with its
//! version.

use jiff::ToSpan;
use jiff::civil::Date;

pub(crate) struct Random(u64);

impl Random {
    /// The stream of one person: adjacent seeds and numbers give independent streams.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        // SplitMix64's finalizer, which spreads few set bits.
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ number.wrapping_add(1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((state ^ (state >> 31)).max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// 0 … 1, exclusive.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with probability `share`.
    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// `low` to `high`, inclusive.
    pub(crate) fn whole(&mut self, low: i64, high: i64) -> i64 {
        low + (self.share() * (high - low + 1) as f64) as i64
    }

    /// `low` to `high`.
    pub(super) fn real(&mut self, low: f64, high: f64) -> f64 {
        low + self.share() * (high - low)
    }

    /// Approximately normal with mean 0 and deviation 1: the sum of twelve shares.
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }

    /// One of several; there is at least one.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.whole(0, from.len() as i64 - 1) as usize]
    }

    /// Removes one element; `None` if there are none.
    pub(super) fn take<T>(&mut self, from: &mut Vec<T>) -> Option<T> {
        let place = self.whole(0, from.len() as i64 - 1);
        (!from.is_empty()).then(|| from.swap_remove(place as usize))
    }

    /// Shuffles uniformly.
    #[cfg(feature = "table")]
    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for end in (1..all.len()).rev() {
            let place = self.whole(0, end as i64) as usize;
            all.swap(end, place);
        }
    }

    /// The index of a weight, drawn in proportion to the weights.
    pub(super) fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.share() * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return place;
            }
        }
        weights.len() - 1
    }

    /// A day from `first` to before `end`.
    pub(super) fn day(&mut self, first: Date, end: Date) -> Date {
        plus(first, self.whole(0, (days_between(first, end) - 1).max(0)))
    }
}

/// The date some days later. Lives are far from the limits of the calendar.
pub(super) fn plus(date: Date, days: i64) -> Date {
    date.checked_add(days.days()).expect("a date of this century")
}

/// The number of days between two dates.
pub(super) fn days_between(first: Date, last: Date) -> i64 {
    i64::from(first.until(last).map_or(0, |span| span.get_days()))
}
