//! The languages that are read: their words, and the forms of their sentences.
//!
//! To add a form, write the sentence with the names of its parts ([`super::forms`]); to add a
//! language, a table. The forms of one topic go from the plain to the rare. A word belongs in
//! `vetoes` if it limits a statement or leaves it open; if in doubt, it does.

mod asian;
mod germanic;
mod romance;
mod slavic;

use super::language::Table;

pub(super) const ALL: [&Table; 10] = [
    &germanic::GERMAN,
    &germanic::DUTCH,
    &romance::FRENCH,
    &romance::SPANISH,
    &romance::ITALIAN,
    &slavic::RUSSIAN,
    &slavic::POLISH,
    &asian::TURKISH,
    &asian::CHINESE,
    &asian::JAPANESE,
];
