//! Importers as their callers see them: files in, records and problems out.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod chats;
mod support;
