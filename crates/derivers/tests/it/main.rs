//! What the built-in derivers conclude from records.

mod lives;
mod places;
mod preferences;
mod relationships;
mod routines;
mod routines_properties;
mod support;
