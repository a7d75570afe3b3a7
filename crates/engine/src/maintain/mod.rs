//! Maintenance: what is marked for removal, moved to archives, and erased from the space.
//!
//! [`marks`] marks records and lists what is marked.

pub mod marks;
