//! Maintenance: marks for removal, archives, and what is erased once it is archived.
//!
//! Command line, tools and HTTP call the functions here, and print their reports.

mod archive;
pub(crate) mod dedupe;
pub(crate) mod defaults;
pub(crate) mod health;
pub(crate) mod marks;
pub(crate) mod reembed;
pub(crate) mod removal;
pub(crate) mod request;
pub(crate) mod retention;
