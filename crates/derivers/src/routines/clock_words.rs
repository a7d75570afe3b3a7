//! The time of day that a note names in words or numbers, and titles without the dates in them.
//!
//! A diary is dated by the day; only its text may say that the gym was in the morning: `## Gym
//! 07:00`, `Gym, 7am`, `Gym in the morning`. Only the title and the first lines are searched: a
//! time further down may refer to anything.

use kernel::evidence::Evidence;

use crate::local_time::{Daypart, HOUR_MINUTES};

/// How many characters of a note's text are searched for a time.
const SEARCHED_CHARS_MAX: usize = 160;

/// The time of day of an occurrence, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TimeOfDay {
    /// The minute of the day.
    pub(super) minute: Option<i64>,
    /// The part of the day to which it is assigned.
    pub(super) daypart: Option<Daypart>,
}

impl TimeOfDay {
    /// At a minute of the day.
    pub(super) fn at(minute: i64) -> Self {
        Self { minute: Some(minute), daypart: Some(Daypart::of(minute)) }
    }

    fn during(daypart: Daypart) -> Self {
        Self { minute: None, daypart: Some(daypart) }
    }
}

/// The first time of day that a note names.
pub(super) fn time_of_day_in(evidence: &Evidence) -> TimeOfDay {
    let title = evidence.payload.title.as_deref().unwrap_or_default();
    // The text starts with the path of headings above it.
    let text = evidence
        .payload
        .text
        .split_once("\n\n")
        .map_or(evidence.payload.text.as_str(), |(_, body)| body);
    let text: String = text.chars().take(SEARCHED_CHARS_MAX).collect();
    words(title).chain(words(&text)).find_map(hour).unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || ",;()[]–—-/".contains(letter))
        .filter(|word| !word.is_empty())
}

fn hour(word: &str) -> Option<TimeOfDay> {
    let word = word.trim_end_matches(['.', ':', '!', '?']).to_lowercase();
    match word.as_str() {
        "morning" | "mornings" => return Some(TimeOfDay::during(Daypart::Morning)),
        "noon" => return Some(TimeOfDay::at(12 * HOUR_MINUTES)),
        "afternoon" | "afternoons" => return Some(TimeOfDay::during(Daypart::Afternoon)),
        "evening" | "evenings" => return Some(TimeOfDay::during(Daypart::Evening)),
        "night" | "nights" => return Some(TimeOfDay::during(Daypart::Night)),
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
    Some(TimeOfDay::at(hours * HOUR_MINUTES + minutes))
}

/// A title without its dates and times: they say when, not what.
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
    fn times_are_read_in_common_notations() {
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
        assert_eq!(
            hour("Morning,".trim_end_matches(',')),
            Some(TimeOfDay::during(Daypart::Morning))
        );
    }

    #[test]
    fn titles_lose_their_dates_and_times() {
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
