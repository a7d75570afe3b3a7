//! The engine from outside: recording, importing, exchanging and verifying over real files.

#![allow(clippy::unwrap_used, reason = "the lint knows test functions only, not their helpers")]

mod altered;
mod bad_input;
mod bodies;
mod conformance;
mod context;
mod convergence;
mod corrections;
mod derive;
mod echo;
mod embed;
mod exchange;
mod facts;
mod facts_of_histories;
mod forget;
mod forget_words;
mod graph_sizes;
mod import;
mod import_mi;
mod journal;
mod late_access;
mod mirror;
mod private;
mod proposed;
mod readers;
mod recall;
mod record;
mod record_again;
mod record_corrections;
mod rederivation;
mod replaced;
mod restoring;
mod secrets;
mod selection;
mod sharing;
mod stream;
mod submission;
mod support;
mod thoughts;
mod toys;
mod verify;
mod verify_beliefs;
mod why;
