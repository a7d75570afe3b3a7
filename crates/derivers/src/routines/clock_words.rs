//! The time of day that a note names in words or numbers, and titles without the dates in them.
//!
//! A diary is dated by the day; that the gym was in the morning stands in its text, if anywhere:
//! `## Gym 07:00`, `Gym, 7am`, `Gym in the morning`. Only the title and the first lines are looked
//! at: further down a time may be anything's.

use kernel::evidence::Evidence;

use crate::local_time::{Daypart, HOUR_MINUTES};

/// How many characters of a note's text are looked at for a time.
const LOOKED_AT_CHARS: usize = 160;

/// The time of day of an occurrence, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hour {
    /// The minute of the day.
    pub(super) minute: Option<i64>,
    /// The part of the day in which it is counted.
    pub(super) daypart: Option<Daypart>,
}

impl Hour {
    /// At a minute of the day.
    pub(super) fn at(minute: i64) -> Self {
        Self { minute: Some(minute), daypart: Some(Daypart::of(minute)) }
    }

    fn during(daypart: Daypart) -> Self {
        Self { minute: None, daypart: Some(daypart) }
    }
}

/// The first time of day that a note names.
pub(super) fn hour_in(evidence: &Evidence) -> Hour {
    let title = evidence.payload.title.as_deref().unwrap_or_default();
    // The text begins with the path of headings above it.
    let text = evidence
        .payload
        .text
        .split_once("\n\n")
        .map_or(evidence.payload.text.as_str(), |(_, body)| body);
    let text: String = text.chars().take(LOOKED_AT_CHARS).collect();
    words(title).chain(words(&text)).find_map(hour).unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || ",;()[]–—-/".contains(letter))
        .filter(|word| !word.is_empty())
}

fn hour(word: &str) -> Option<Hour> {
    let word = word.trim_end_matches(['.', ':', '!', '?']).to_lowercase();
    match word.as_str() {
        "morning" | "mornings" => return Some(Hour::during(Daypart::Morning)),
        "noon" => return Some(Hour::at(12 * HOUR_MINUTES)),
        "afternoon" | "afternoons" => return Some(Hour::during(Daypart::Afternoon)),
        "evening" | "evenings" => return Some(Hour::during(Daypart::Evening)),
        "night" | "nights" => return Some(Hour::during(Daypart::Night)),
        _ => {}
    }
    let (digits, half) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(digits), _) => (digits, Some(0)),
        (_, Some(digits)) => (digits, Some(12)),
        _ => (word.as_str(), None),
    };
    let number = |text: &str, most: i64| {
        let plain = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i64>().ok().filter(|number| plain && *number <= most)
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (number(hours, 23)?, number(minutes, 59)?),
        None if half.is_some() => (number(digits, 12)?, 0),
        _ => return None,
    };
    let hours = match half {
        Some(half) if (1..=12).contains(&hours) => hours % 12 + half,
        Some(_) => return None,
        None => hours,
    };
    Some(Hour::at(hours * HOUR_MINUTES + minutes))
}

/// A title without the dates and times in it: a dated heading is how a note says when, not what.
pub(super) fn without_dates(title: &str) -> String {
    let kept: Vec<&str> =
        title.split_whitespace().filter(|word| !is_date(word) && !is_clock(word)).collect();
    let title = kept.join(" ");
    title
        .trim_matches(|letter: char| letter.is_whitespace() || "–—-:,|·".contains(letter))
        .to_owned()
}

/// `2025-06-02`, `2.6.2025`, `06/02/25`, with or without punctuation around it.
fn is_date(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| ",:;()[]".contains(letter));
    ['-', '.', '/'].into_iter().any(|separator| {
        let parts: Vec<&str> = word.splitn(4, separator).collect();
        let is_number = |part: &&str| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        parts.len() == 3 && parts.iter().all(is_number)
    })
}

fn is_clock(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| ",;()[]".contains(letter));
    word.bytes().any(|byte| byte.is_ascii_digit()) && hour(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (word, expect) in [
            ("07:00", Some(420)),
            ("7:05.", Some(425)),
            ("7am", Some(420)),
            ("12am", Some(0)),
            ("12:30pm", Some(750)),
            ("25:00", None),
            ("7:5", None),
            ("0pm", None),
            ("13pm", None),
            ("7", None),
            ("1:2:3", None),
            ("am", None),
        ] {
            assert_eq!(hour(word).and_then(|hour| hour.minute), expect, "{word}");
        }
        assert_eq!(hour("Morning,".trim_end_matches(',')), Some(Hour::during(Daypart::Morning)));
    }

    #[test]
    fn a_title_is_what_remains_without_dates() {
        for (title, expect) in [
            ("2025-06-02 Gym", "Gym"),
            ("Gym – 2.6.2025", "Gym"),
            ("Gym 07:00", "Gym"),
            ("2025-06-02", ""),
            ("Route 66", "Route 66"),
            ("Version 1.2.3.4", "Version 1.2.3.4"),
        ] {
            assert_eq!(without_dates(title), expect, "{title}");
        }
    }
}
