//! Everything that appends to the ledger: records, imports, exchanges with other copies, and what
//! the user says.
//!
//! [`record`] seals records, [`import`] reads sources, [`import_graph`] makes the claims, nodes and
//! edges that some hold, [`mirror`] finds what they no longer have,
//! `set_aside` says which of several versions in one source counts,
//! [`sources`] keeps imports as records, [`exchange`] takes in other copies, [`commit`] appends
//! drafts with all that follows from them, which [`follow`] works out. [`submission`] decides about
//! the claims that machines propose, [`claim_form`] says what a claim needs. [`record_again`] says
//! again what a copy cannot accept of this device. [`transcript`] keeps what language models were
//! asked. [`forget`] erases.

mod admission;
pub(crate) mod altered;
pub mod claim_form;
pub mod commit;
pub mod exchange;
pub(crate) mod follow;
pub mod forget;
pub mod fork;
mod former_names;
pub mod graph;
mod graph_refusal;
pub mod import;
pub mod import_graph;
pub mod mirror;
pub mod patch;
mod patch_model;
pub mod record;
pub mod record_again;
mod set_aside;
pub mod share;
pub mod sources;
pub mod submission;
pub mod transcript;
