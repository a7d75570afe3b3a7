//! What the built-in derivers conclude from records.

mod lives;
mod places;
mod routines;
mod routines_properties;
