//! Importers over whole sources, as the application calls them.

#![allow(clippy::unwrap_used)]

mod calendar;
mod collect;
mod git;
mod mail;
mod mutation;
