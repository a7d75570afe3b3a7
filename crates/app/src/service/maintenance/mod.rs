//! Maintenance: marks for removal, archives, and what is erased once it is archived.
//!
//! Command line, tools and HTTP call the functions here, and print their reports.

pub(crate) mod defaults;
pub(crate) mod marks;
