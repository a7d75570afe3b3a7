//! Words that forms, tables and headings say in the place of a password, beside those that
//! sentences, settings and schemas say ([`super::words`]): "Password: Reset", "Passwort:
//! Pflichtfeld".
//!
//! One of them is kept though it stands alone where a password would. So none is among the words
//! that people commonly choose as passwords ("master", "sunshine", "freedom"), and there is no rule
//! for their endings, which such words have too ("revolution", "trinity").

/// In small letters.
#[rustfmt::skip]
pub(super) const FORM_WORDS: [&str; 129] = [
    // States of a password, and what a field demands.
    "adequate", "alphanumeric", "average", "characters", "confirmation", "defaults", "digits", "duplicate",
    "failure", "forbidden", "inactive", "initial", "insufficient", "letters", "mismatch",
    "moderate", "nowhere", "numeric", "obligatory", "partial", "permanent", "symbols",
    "temporarily", "varies", "various", "whitespace",
    // What a form does with it, and what is beside it.
    "cancel", "continue", "create", "delete", "details", "dialog", "dropdown", "example", "examples",
    "fields", "inputs", "invite", "labels", "logins", "logout", "modify", "overview", "placeholder",
    "questions", "reenter", "regenerate", "register", "registration",
    "remove", "repeat", "replace", "request", "requests", "restore", "retrieve", "retype", "reveal",
    "revoke", "rotate", "select", "signin", "signup", "specify", "submit", "summary", "toggle", "tooltip",
    "validate", "validation", "verification", "website",
    // What is written about passwords.
    "attacks", "authenticator", "basics", "breach", "breaches", "changes", "checker", "complexity",
    "compromise", "cracker", "encryption", "expiration", "expiry", "generator", "guideline", "guidelines",
    "hygiene", "leakage", "lifecycle", "lifetime", "lockout", "management", "managers", "policies", "practices",
    "protection", "recovery", "requirement", "requirements", "rotation", "standards", "storage",
    "synchronization", "vaults",
    // German.
    "ablauf", "ändern", "änderung", "anmeldung", "anzeigen", "bestätigen", "bestätigung", "eingabe", "eingeben",
    "hinweis", "pflichtfeld", "regeln", "richtlinie", "richtlinien", "schwach", "sicherheit", "stärke",
    "unverändert", "verwaltung", "wiederherstellen", "wiederholen", "wiederholung", "zurücksetzen",
];
