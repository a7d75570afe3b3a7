//! Everything that appends to the ledger: records, imports, exchanges with other copies, and what
//! the user says.
//!
//! [`record`] seals records, [`import`] reads sources, [`mirror`] finds what they no longer have,
//! [`sources`] keeps imports as records, [`exchange`] takes in other copies, [`commit`] appends
//! drafts with all that follows from them, which [`follow`] works out. [`submission`] decides about
//! the claims that machines propose. [`forget`] erases.

pub mod commit;
pub mod exchange;
pub(crate) mod follow;
pub mod forget;
pub mod import;
pub mod mirror;
pub mod record;
pub mod sources;
pub mod submission;
