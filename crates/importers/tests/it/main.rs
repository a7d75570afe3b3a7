//! The importers on files and folders, through the registry and the port, as the engine drives
//! them.

#![allow(clippy::unwrap_used, reason = "this crate is tests, its helpers too")]

mod calendar;
mod chats;
mod collect;
mod exports;
mod folders;
mod git;
mod irc;
mod mail;
mod mutation;
mod notes;
mod photos;
mod secrets;
mod support;
