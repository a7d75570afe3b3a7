//! Proving the space: [`ledger`] checks every operation and folds the views again, [`beliefs`]
//! derives everything again.

pub mod beliefs;
pub mod bodies;
mod effect;
mod index;
pub mod ledger;
#[cfg(test)]
mod tests;
