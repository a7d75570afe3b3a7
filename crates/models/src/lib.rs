//! What turns text into vectors, so that what means alike is found though it shares no word.
//!
//! [`table`] is built in: a vector for each token, summed. It needs no network, no download and no
//! choice, and everything that is recorded gets its vector when it is indexed. Other models are
//! [`Embedder`]s, which cost more and find more; what they make is a cache, and while they are away
//! recall goes on without them.
//!
//! The feature `network` brings what asks others, [`remote`] and [`hub`], and what chooses among
//! all, [`choice`].

pub mod bert;
#[cfg(feature = "network")]
pub mod choice;
pub mod embedder;
#[cfg(feature = "network")]
mod http;
#[cfg(feature = "network")]
pub mod hub;
pub mod near;
#[cfg(feature = "network")]
pub mod remote;
#[cfg(feature = "network")]
pub mod roots;
#[cfg(feature = "network")]
pub mod secret;
pub mod table;
pub mod word_piece;

pub use embedder::{EmbedError, Embedder, Model, Purpose};
