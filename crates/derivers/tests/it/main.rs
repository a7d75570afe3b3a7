//! What the built-in derivers conclude from records.

#![allow(clippy::unwrap_used, reason = "this crate is tests, its helpers too")]

mod owner;
mod places;
mod preference_lists;
mod preferences;
mod records;
mod relationships;
mod routines;
mod routines_properties;
mod support;
