//! For tests only: naive models to compare with the real implementations.

pub mod histories;
#[cfg(feature = "sqlite")]
pub mod in_sqlite;
pub mod naive_beliefs;
pub mod naive_recall;
pub mod naive_records;
mod naive_related;
pub mod scripted_model;
