//! Models: embedding models, by which text becomes vectors, so that recall finds text with a
//! similar meaning but no shared words; and language models ([`language`]), which answer by a
//! schema.
//!
//! [`table`] is built in: a text's vector is the sum of its token vectors. It needs no network, no
//! download and no configuration, and every record gets its vector when it is indexed. Other models
//! are [`Embedder`]s, which cost more and find more. Their vectors are a cache: while an embedder
//! is unavailable, recall works without it.
//!
//! The feature `network` adds the network clients, [`remote`] and [`hub`], and the selection of a
//! model, [`choice`].

pub mod bert;
#[cfg(feature = "network")]
pub mod choice;
pub mod embedder;
mod han;
#[cfg(feature = "network")]
mod http;
#[cfg(feature = "network")]
pub mod hub;
pub mod language;
pub mod near;
mod outgoing;
#[cfg(feature = "network")]
mod refusal;
#[cfg(feature = "network")]
pub mod remote;
#[cfg(feature = "network")]
pub mod roots;
#[cfg(feature = "network")]
pub mod secret;
pub mod table;
pub mod word_piece;

pub use embedder::{EmbedError, Embedder, Model, Purpose};
pub use outgoing::{Mask, OutgoingText};
