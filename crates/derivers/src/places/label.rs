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
const NOT_PLACES_PREFIXES: [&str; 12] = [
    "bbb",
    "bigbluebutton",
    "discord",
    "gotomeeting",
    "jitsi",
    "mumble",
    "online",
    "skype",
    "teamspeak",
    "tel",
    "webex",
    "zoom",
];

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
        || lower.split_whitespace().any(is_address)
        || lower.starts_with("microsoft teams")
        || lower.starts_with("google meet")
        || is_telephone(&lower)
}

/// Whether a word is an address in a network: `mumble.example.org`, `meet.example.org/room`,
/// `host:64738`, `ana@example.org`.
fn is_address(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| ",;()<>\"'".contains(letter));
    let host = word.rsplit_once('@').map_or(word, |(_, host)| host);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let is_port = |port: &str| port.len() >= 2 && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let labels: Vec<&str> = host.split('.').collect();
    let is_domain = match labels.as_slice() {
        [.., before, top] => {
            (2..=24).contains(&top.len())
                && top.bytes().all(|byte| byte.is_ascii_lowercase())
                && before.bytes().any(|byte| byte.is_ascii_alphabetic())
                && labels.iter().all(|label| is_label(label))
                // An abbreviation with a full stop ("st.gallen") has no third part, path or port.
                && (labels.len() > 2 || word.contains(['/', '@']) || port.is_some_and(is_port))
        }
        _ => false,
    };
    // A time of day has a port's form and no letter before it.
    let is_host = is_label(host) && host.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_domain || is_host && port.is_some_and(|port| port.len() >= 4 && is_port(port))
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
            "mumble.openspeak.cc port: 64747",
            "meet.example.org/room",
            "voice:64738",
            "Jitsi Meet",
            "BBB-Raum 3",
            "ana@example.org",
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
            ("St.Gallen", "st-gallen"),
            ("Bldg. 3, 18:00", "bldg-3-18-00"),
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
