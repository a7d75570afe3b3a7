//! What the location field of a calendar names: a place, a position, or nothing that one can go to.
//!
//! Meeting services write their links there, and people write `phone` or `tbd`. None of these is a
//! place, however often somebody "was there".

use super::cell::Position;
use crate::slug::slug;

/// Longest label, characters.
const LABEL_CHARS_MAX: usize = 300;
/// Fewest digits of a telephone number.
const TELEPHONE_DIGITS_MIN: usize = 6;
/// Labels, as slugs, that name no place.
const NO_PLACES: [&str; 40] = [
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
/// First words of labels that name no place: `Zoom (link in mail)`.
const NO_PLACES_BEGIN: [&str; 8] =
    ["discord", "gotomeeting", "jitsi", "skype", "webex", "zoom", "online", "tel"];

/// What a label names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Named {
    /// A place, by its slug.
    Place(String),
    /// A position.
    Position(Position),
    /// Nothing that one can go to.
    Nothing,
}

/// What a label names. Of several rooms, separated by `;`, one that is a place makes the whole
/// label a place.
pub(super) fn named(label: &str) -> Named {
    if label.chars().count() > LABEL_CHARS_MAX {
        return Named::Nothing;
    }
    if let Some(position) = position(label) {
        return Named::Position(position);
    }
    let slug = slug(label);
    let is_no_place = match label.contains(';') {
        true => label.split(';').all(|part| is_no_place(part, &self::slug(part))),
        false => is_no_place(label, &slug),
    };
    if is_no_place { Named::Nothing } else { Named::Place(slug) }
}

fn is_no_place(part: &str, slug: &str) -> bool {
    let first = slug.split('-').next().unwrap_or_default();
    let lower = part.trim().to_lowercase();
    slug.is_empty()
        || NO_PLACES.contains(&slug)
        || NO_PLACES_BEGIN.contains(&first)
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

/// `57.7175, 11.9631`
pub(super) fn position(label: &str) -> Option<Position> {
    let (lat, lon) = label.split_once(',')?;
    let degrees = |text: &str| text.trim().parse::<f64>().ok().filter(|_| text.contains('.'));
    Position::new(degrees(lat)?, degrees(lon)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_cannot_go_to_is_no_place() {
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
            assert_eq!(named(label), Named::Nothing, "{label}");
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
            assert_eq!(named(label), Named::Place(slug.to_owned()));
        }
        assert_eq!(
            named("57.7175, 11.9631"),
            Named::Position(Position { lat: 57.7175, lon: 11.9631 })
        );
    }
}
