//! Recording styles: how much people record, how punctually and how well spelt.

use super::random::Random;

/// The mix of recording styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mix {
    /// Some people record much, some little; some carefully, some not.
    Ordinary,
    /// Fewer of the occurrences, fewer habits, shorter histories.
    Sparse,
    /// More accidental events, later starts, more errors.
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

/// A person's recording style.
pub(super) struct RecordingStyle {
    /// Share of a habit's occurrences that take place and are recorded.
    pub(super) kept: f64,
    /// Minutes by which single events start early or late.
    pub(super) jitter_minutes: f64,
    /// Share of titles with a wrong letter.
    pub(super) typos: f64,
    /// Share of habits that are a series in the calendar.
    pub(super) series: f64,
    /// Share of events with a location, and of locations with a position.
    pub(super) located: f64,
    pub(super) positioned: f64,
    /// Share of visits with a photo.
    pub(super) photographed: f64,
    /// Accidental events per year.
    pub(super) accidents: f64,
}

impl RecordingStyle {
    pub(super) fn draw(random: &mut Random, mix: Mix) -> Self {
        let careful = random.share();
        let mut style = Self {
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
                style.kept = random.real(0.35, 0.75);
                style.accidents *= 0.6;
                style.photographed *= 0.6;
            }
            Mix::Noisy => {
                style.jitter_minutes *= 1.5;
                style.typos = 0.05;
                style.accidents *= 2.2;
            }
        }
        style
    }
}
