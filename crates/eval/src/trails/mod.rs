//! Whether the use of thoughts should rank them: a simulation of many agents over a collection.
//!
//! The records of a collection become thoughts of several agents. Agents ask questions in several
//! rounds, and what they are shown leaves the trail that a server would keep: every thought shown
//! is accessed, an agent that found an answer goes on to contribute, which speaks for what it was
//! shown, and now and then it says that a thought was useful or wrong. Then questions are judged.
//!
//! Two cases are judged apart. In [`Case::Others`] half of the questions lay the trail and the
//! others are judged: use helps only if what answered some questions answers different ones. In
//! [`Case::Repeated`] the judged questions are those that laid the trail, as where many agents work
//! on one problem.
//!
//! Each [`Ranking`] lays its own trail in a space of its own, because what is ranked higher is
//! shown more often. The simulation is deterministic.

use engine::EngineError;

use super::{Collection, EvalError};
use measures::Outcome;

pub mod measures;
pub mod report;
mod simulation;

/// How often each question that lays a trail is asked.
pub const ROUNDS: usize = 4;
/// Agents that contribute and ask.
pub const AGENTS: usize = 8;
/// What use adds to a score at most, of the rankings in which it does more than break ties.
pub const FACTORS: [f64; 4] = [0.02, 0.05, 0.1, 0.2];

/// What of the use of thoughts ranks them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ranking {
    /// Nothing.
    WithoutUse,
    /// The order of equal scores, as the engine ranks.
    TieBreak,
    /// The logarithm of the weight times this is added to the score: the greatest weight adds all
    /// of it, the weight of a new thought nothing.
    Factor(f64),
}

impl Ranking {
    /// All that are measured, the one that the others are compared with first.
    pub fn all() -> Vec<Self> {
        let factors = FACTORS.map(Self::Factor);
        [Self::WithoutUse, Self::TieBreak].into_iter().chain(factors).collect()
    }

    /// Its name in tables.
    pub fn name(self) -> String {
        match self {
            Self::WithoutUse => "without use".to_owned(),
            Self::TieBreak => "use breaks ties".to_owned(),
            Self::Factor(factor) => format!("use adds up to {factor}"),
        }
    }
}

/// Which questions are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Other questions than those that laid the trail.
    Others,
    /// The questions that laid the trail.
    Repeated,
}

impl Case {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Others, Self::Repeated];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Others => "other questions",
            Self::Repeated => "repeated questions",
        }
    }
}

/// What was measured of a collection.
pub struct Trails {
    /// The collection.
    pub name: String,
    /// How many thoughts.
    pub thoughts: usize,
    /// For each case and ranking, what became of each judged question.
    pub runs: Vec<TrailsRun>,
}

/// The judged questions of one case and ranking.
pub struct TrailsRun {
    pub case: Case,
    pub ranking: Ranking,
    /// In the order of the collection's questions.
    pub outcomes: Vec<Outcome>,
}

/// How often [`measure`] calls `step` for a collection.
pub fn steps() -> u64 {
    (Case::ALL.len() * Ranking::all().len()) as u64
}

/// Simulates agents over a collection, with each ranking. It calls `step` after each.
///
/// # Errors
/// If a source cannot be read, or the engine fails.
pub fn measure(collection: &Collection, step: &mut dyn FnMut()) -> Result<Trails, EvalError> {
    let thoughts = simulation::Thoughts::of(collection)?;
    let mut runs = Vec::new();
    for case in Case::ALL {
        for ranking in Ranking::all() {
            let outcomes = simulation::run(&thoughts, &collection.questions, case, ranking)?;
            runs.push(TrailsRun { case, ranking, outcomes });
            step();
        }
    }
    Ok(Trails { name: collection.name.clone(), thoughts: thoughts.len(), runs })
}

impl From<store::StoreError> for EvalError {
    fn from(error: store::StoreError) -> Self {
        Self::Engine(EngineError::from(error))
    }
}
