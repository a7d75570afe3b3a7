//! What the built-in derivers conclude from records.

#![allow(clippy::unwrap_used, reason = "this crate is tests, its helpers too")]

mod lives;
mod places;
mod routines;
mod routines_properties;
