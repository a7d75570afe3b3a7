//! How people keep their records: how much they write down, how punctually and how well spelt.

use super::random::Random;

/// How much of their lives people write down, and how well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mix {
    /// Some write much, some little; some carefully, some not.
    Ordinary,
    /// Fewer of the occurrences, fewer habits, shorter histories.
    Sparse,
    /// More that comes up by accident, later starts, more errors.
    Noisy,
}

impl Mix {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "ordinary" => Some(Self::Ordinary),
            "sparse" => Some(Self::Sparse),
            "noisy" => Some(Self::Noisy),
            _ => None,
        }
    }
}

/// How a person keeps their records.
pub(super) struct Manner {
    /// Share of the occurrences of a habit that take place and are written down.
    pub(super) kept: f64,
    /// By how many minutes single events begin early or late.
    pub(super) jitter_minutes: f64,
    /// Share of titles with a letter wrong.
    pub(super) typos: f64,
    /// Share of habits that stand in the calendar as a series.
    pub(super) series: f64,
    /// Share of events with a location, and of locations with a position.
    pub(super) located: f64,
    pub(super) positioned: f64,
    /// Share of the visits to a place at which a photo is taken.
    pub(super) photographed: f64,
    /// How many accidents a year.
    pub(super) accidents: f64,
}

impl Manner {
    pub(super) fn draw(random: &mut Random, mix: Mix) -> Self {
        let careful = random.share();
        let mut manner = Self {
            kept: random.real(0.55, 1.0),
            jitter_minutes: random.real(0.0, 30.0),
            typos: 0.04 * (1.0 - careful),
            series: random.real(0.0, 1.0),
            located: random.real(0.3, 1.0),
            positioned: random.real(0.0, 0.6),
            photographed: random.real(0.02, 0.25),
            accidents: random.real(15.0, 60.0),
        };
        match mix {
            Mix::Ordinary => {}
            Mix::Sparse => {
                manner.kept = random.real(0.35, 0.75);
                manner.accidents *= 0.6;
                manner.photographed *= 0.6;
            }
            Mix::Noisy => {
                manner.jitter_minutes *= 1.5;
                manner.typos = 0.05;
                manner.accidents *= 2.2;
            }
        }
        manner
    }
}
