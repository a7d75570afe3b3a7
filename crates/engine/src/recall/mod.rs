//! Finding, and putting together what an agent reads.
//!
//! [`episodes`] finds records, [`facts`] finds beliefs; [`answering`] judges which records answer,
//! and [`discounts`] takes from what is about somebody or something else.
//! [`context`] chooses what a model reads for its next turn, ahead of time by [`stream`];
//! [`replaced`] puts a newer statement before the one that it replaces; [`overruled`] says what the
//! user refuted or corrected of what a record says; [`receipts`] keeps what was shown, and [`echo`]
//! recognises it when it comes back. [`integrity`] makes sure that what is shown is what was
//! signed.

pub mod answering;
pub mod context;
pub mod discounts;
pub(crate) mod echo;
pub mod episodes;
mod expected;
pub mod facts;
mod features;
mod identifiers;
mod integrity;
mod lists;
pub mod nodes;
pub mod overruled;
mod packed_receipt;
pub mod past;
pub mod receipts;
pub mod replaced;
pub mod series;
mod signers;
mod statements;
pub mod stream;
mod thinking;
