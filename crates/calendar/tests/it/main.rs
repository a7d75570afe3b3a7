//! Recurrence rules from outside.

#![allow(clippy::unwrap_used, reason = "this crate is tests, its helpers too")]

mod recurrence;
