//! Development only: the naive models that the real parts are compared with.

pub mod histories;
#[cfg(feature = "sqlite")]
pub mod in_sqlite;
pub mod naive_beliefs;
pub mod naive_recall;
