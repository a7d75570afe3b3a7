//! Tests of the public interface: both ledgers by one suite, the views of a file against a fresh
//! fold and a reference.

#![allow(clippy::unwrap_used, reason = "the lint knows test functions only, not their helpers")]

mod access;
mod beliefs;
mod book;
mod completion;
mod conformance;
mod damage;
mod embeddings;
mod erasure;
mod erasure_histories;
mod histories;
mod journal;
mod languages;
mod older_files;
mod processes;
mod recall;
mod sharing;
mod tags;
mod vectors;
mod views;
mod without_trace;
