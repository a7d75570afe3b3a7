//! What the program does for whoever asks: one function a request, with typed arguments and a typed
//! answer.
//!
//! The command line and the tools for agents read arguments in their own way, call the same
//! function here, and print or convert what it returns. So a decision that concerns both (which
//! spaces are searched, what an empty question is, which model embeds it, what a correction
//! changed) is made once. Nothing in here knows of clap, JSON-RPC, a terminal or an exit code;
//! `cargo xtask tidy` refuses such imports.
//!
//! | module | what it does |
//! |---|---|
//! | [`session`], [`locator`] | who asks, when and where; which space that is |
//! | [`time`] | points in time and windows that a user names |
//! | [`notes`] | writing one thing down |
//! | [`recall`] | answering a question from one or several spaces |
//! | [`context`] | assembling what a model reads |
//! | [`corrections`], [`changes`] | recording the user's word, and what changed because of it |
//! | [`derivation`] | deriving what is new |
//! | [`query_embedding`] | which model embeds a question |
//! | [`record_embedding`] | having the chosen model embed what was recorded |
//! | [`wording`], [`change_wording`] | how beliefs, records and changes are worded |

pub(crate) mod change_wording;
pub(crate) mod changes;
pub(crate) mod context;
pub(crate) mod corrections;
pub(crate) mod derivation;
pub(crate) mod locator;
pub(crate) mod notes;
pub(crate) mod query_embedding;
pub(crate) mod recall;
pub(crate) mod record_embedding;
pub(crate) mod session;
pub(crate) mod time;
pub(crate) mod wording;

pub(crate) use session::Session;
