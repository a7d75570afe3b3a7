//! The derivers through their trait.

mod preferences;
mod relationships;
mod support;
