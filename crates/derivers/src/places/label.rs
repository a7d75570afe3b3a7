//! What the location field of a calendar names: a place, a position, or neither.
//!
//! Meeting services write their links there, and people write `phone` or `tbd`. None of these is a
//! place, however often it occurs.

use super::cell::Position;
use crate::slug::slug;

/// Longest label, characters.
const LABEL_CHARS_MAX: usize = 300;
/// Fewest digits of a telephone number.
const TELEPHONE_DIGITS_MIN: usize = 6;
/// Labels, as slugs, that do not name a place.
const NOT_PLACES: [&str; 40] = [
    "anywhere",
    "call",
    "chat",
    "conference-call",
    "dial-in",
    "facetime",
    "google-hangouts",
    "google-meet",
    "hangout",
    "hangouts",
    "meet",
    "microsoft-teams",
    "microsoft-teams-meeting",
    "ms-teams",
    "ms-teams-meeting",
    "n-a",
    "na",
    "none",
    "online",
    "online-meeting",
    "phone",
    "phone-call",
    "remote",
    "remotely",
    "slack",
    "slack-huddle",
    "tba",
    "tbc",
    "tbd",
    "teams",
    "teams-call",
    "teams-meeting",
    "telephone",
    "to-be-announced",
    "to-be-confirmed",
    "unknown",
    "video-call",
    "virtual",
    "web",
    "whatsapp",
];
/// First words of labels that do not name a place: `Zoom (link in mail)`.
const NOT_PLACES_PREFIXES: [&str; 8] =
    ["discord", "gotomeeting", "jitsi", "skype", "webex", "zoom", "online", "tel"];

/// What a label names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LabelTarget {
    /// A place, by its slug.
    Place(String),
    /// A position.
    Position(Position),
    /// Neither.
    Neither,
}

/// What a label names. If it lists several rooms, separated by `;`, and one of them is a place, the
/// whole label is a place.
pub(super) fn target(label: &str) -> LabelTarget {
    if label.chars().count() > LABEL_CHARS_MAX {
        return LabelTarget::Neither;
    }
    if let Some(position) = position(label) {
        return LabelTarget::Position(position);
    }
    let slug = slug(label);
    let is_not_a_place = match label.contains(';') {
        true => label.split(';').all(|part| is_not_a_place(part, &self::slug(part))),
        false => is_not_a_place(label, &slug),
    };
    if is_not_a_place { LabelTarget::Neither } else { LabelTarget::Place(slug) }
}

fn is_not_a_place(part: &str, slug: &str) -> bool {
    let first = slug.split('-').next().unwrap_or_default();
    let lower = part.trim().to_lowercase();
    slug.is_empty()
        || NOT_PLACES.contains(&slug)
        || NOT_PLACES_PREFIXES.contains(&first)
        || lower.contains("://")
        || lower.starts_with("www.")
        || lower.starts_with("microsoft teams")
        || lower.starts_with("google meet")
        || is_telephone(&lower)
}

fn is_telephone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits >= TELEPHONE_DIGITS_MIN
        && text.chars().all(|letter| letter.is_ascii_digit() || " +-()/.#,".contains(letter))
}

/// Parses `57.7175, 11.9631`.
pub(super) fn position(label: &str) -> Option<Position> {
    let (lat, lon) = label.split_once(',')?;
    let degrees = |text: &str| text.trim().parse::<f64>().ok().filter(|_| text.contains('.'));
    Position::new(degrees(lat)?, degrees(lon)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_links_and_placeholders_are_not_places() {
        for label in [
            "Zoom",
            "https://zoom.us/j/123",
            "Join: https://meet.example/x",
            "www.example.org",
            "Microsoft Teams Meeting",
            "Microsoft Teams-Besprechung",
            "phone",
            "TBD",
            "Online",
            "online (link follows)",
            "+46 31 123 45 67",
            "Zoom; Teams",
            "…",
            "",
            ";",
        ] {
            assert_eq!(target(label), LabelTarget::Neither, "{label}");
        }
        for (label, slug) in [
            (
                "Studio Majorna, Karl Johansgatan 41, Gothenburg",
                "studio-majorna-karl-johansgatan-41-gothenburg",
            ),
            ("Room 4; Zoom", "room-4-zoom"),
            ("Telegraph Hill", "telegraph-hill"),
            ("Home", "home"),
            ("10", "10"),
        ] {
            assert_eq!(target(label), LabelTarget::Place(slug.to_owned()));
        }
        assert_eq!(
            target("57.7175, 11.9631"),
            LabelTarget::Position(Position { lat: 57.7175, lon: 11.9631 })
        );
    }
}
