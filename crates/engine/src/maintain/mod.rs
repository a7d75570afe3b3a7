//! Maintenance: what is marked for removal, moved to archives, and erased from the space.
//!
//! [`marks`] marks records and lists what is marked. [`removal`] says what goes into an archive with
//! them, and erases what archives have. [`archive`] is what the ledger knows of archives,
//! [`restore`] brings records back from one. [`aged`] finds records by a rule about their age,
//! [`health`] what is wrong without being damage.

pub mod aged;
pub mod archive;
pub mod health;
pub mod marks;
pub mod removal;
pub mod restore;
