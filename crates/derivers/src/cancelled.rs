//! Events that do not take place, or not for the owner.
//!
//! Exchange writes "Canceled:" before the title; people write it in their own words, anywhere in
//! it, and leave the series as it is.

use kernel::evidence::{Evidence, EvidenceKind};
use serde_json::Value;

use crate::owner::Owner;

/// The field of an event with those who declined it, by name or address.
const DECLINED: &str = "declined";
/// Words that say so by themselves, in lower case.
const WORDS: [&str; 14] = [
    "canceled",
    "cancelled",
    "abgesagt",
    "entfällt",
    "annulé",
    "annulée",
    "annullato",
    "annullata",
    "cancelado",
    "cancelada",
    "geannuleerd",
    "inställt",
    "aflyst",
    "avlyst",
];
/// Words that say so together.
const PHRASES: [&[&str]; 3] =
    [&["fällt", "aus"], &["does", "not", "take", "place"], &["gaat", "niet", "door"]];

/// Whether a title says that what it names was cancelled.
pub(crate) fn is_cancelled(title: &str) -> bool {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().any(|word| WORDS.contains(word))
        || PHRASES.iter().any(|phrase| words.windows(phrase.len()).any(|part| part == *phrase))
}

/// Whether the owner declined an event.
pub(crate) fn is_declined(evidence: &Evidence, owner: &Owner) -> bool {
    let declined = evidence.payload.more.get(DECLINED).and_then(Value::as_array);
    evidence.kind.0 == EvidenceKind::EVENT
        && declined.is_some_and(|people| {
            people.iter().filter_map(Value::as_str).any(|person| owner.is(person))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_what_does_not_take_place_are_recognised() {
        for title in [
            "Canceled: Gym",
            "CANCELLED: Gym",
            "Gym (cancelled)",
            "#TEC - Fällt aus bis September",
            "Chorprobe entfällt",
            "Yoga abgesagt!",
            "Choir does not take place",
        ] {
            assert!(is_cancelled(title), "{title}");
        }
        for title in [
            "Cancel the gym contract",
            "早上跑步早上跑步早上跑步",
            "Noise-cancelling demo",
            "Aus der Reihe: Lesung",
            "What Ada does not say",
            "",
        ] {
            assert!(!is_cancelled(title), "{title}");
        }
    }
}
