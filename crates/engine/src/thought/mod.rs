//! The thought space: what many agents think, in one space.
//!
//! A contribution is a signed `thought` in the ledger. Retrieval finds thoughts by words and
//! meaning in an index of their own ([`retrieve`]), weighs them by their lineage ([`factors`]), and
//! leaves a trace of use in the journal ([`usage`]), which decays when it is read ([`pheromone`])
//! and may break ties. Nothing of use touches what is believed.
//! `docs/design/0043-thought-space.md`.

pub mod contribute;
pub mod contribution;
pub mod factors;
pub mod lineage;
pub mod pheromone;
pub mod recall;
pub mod retrieve;
pub mod share;
pub mod usage;
pub mod uuid;
pub mod view;

/// The role in which a thought cites the one that it says is wrong.
pub const CORRECTS: &str = "corrects";
