//! Text analysis, questions and ranking: the parts of retrieval that need neither a ledger nor a
//! store.
//!
//! [`text`] turns text into terms, [`question`] turns a question into terms, people and dates,
//! [`rank`] scores a record against a question and explains the score, and [`shingles`] compares
//! two texts. All of it is a function of its arguments: no clock, no randomness, no I/O.

pub mod profile;
pub mod question;
pub mod rank;
pub mod shingles;
pub mod text;
