//! Dates that mail has though RFC 5322 does not allow them.
//!
//! The lines between the messages of a mailbox have the form of `asctime`, which some programs and
//! archives of lists write into the header as well. Others leave out the zone. Such a date is a
//! civil time.

use jiff::civil::Time;
use kernel::when::When;

use crate::dates::{date_at_start, leading_number};

/// Most words of a date.
const WORDS_MAX: usize = 8;

/// `Wed Feb  1 19:06:04 2006`, also with a zone before the year or after it.
pub(super) fn asctime(text: &str) -> Option<When> {
    let words = words(text)?;
    let (before, time, after) = around_time(&words)?;
    let year = after.iter().find(|word| word.len() == 4 && leading_number(word, 4).is_some())?;
    let zone = after.iter().find(|word| *word != year);
    let at = civil(&format!("{} {year}", before.join(" ")), time)?;
    match zone.and_then(|zone| offset(zone)) {
        Some(offset) if after.len() == 2 => When::parse_given(&format!("{at}{offset}")).ok(),
        _ if after.len() <= 2 => When::parse_given(&at).ok(),
        _ => None,
    }
}

/// `Wed, 1 Feb 2006 19:06:04`: nothing says of which zone.
pub(super) fn without_zone(text: &str) -> Option<When> {
    let words = words(text)?;
    let (before, time, after) = around_time(&words)?;
    let at = civil(&before.join(" "), time).filter(|_| after.is_empty())?;
    When::parse_given(&at).ok()
}

fn words(text: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().take(WORDS_MAX + 1).collect();
    (words.len() <= WORDS_MAX).then_some(words)
}

fn around_time<'a, 'b>(words: &'a [&'b str]) -> Option<(&'a [&'b str], Time, &'a [&'b str])> {
    let at = words.iter().position(|word| word.contains(':'))?;
    let (hour, rest) = leading_number(words.get(at)?, 2)?;
    let (minute, rest) = leading_number(rest.strip_prefix(':')?, 2)?;
    let second = match rest.strip_prefix(':') {
        Some(rest) => leading_number(rest, 2).filter(|(_, rest)| rest.is_empty())?.0,
        None => rest.is_empty().then_some(0)?,
    };
    let part = |number: u32| i8::try_from(number).ok();
    // A leap second has no other name in civil time.
    let time = Time::new(part(hour)?, part(minute)?, part(second.min(59))?, 0).ok()?;
    Some((words.get(..at)?, time, words.get(at + 1..)?))
}

fn civil(date: &str, time: Time) -> Option<String> {
    let (date, _) = date_at_start(date).filter(|(_, rest)| rest.is_empty())?;
    Some(format!("{date}T{time}"))
}

/// `+0200` as `+02:00`; zones by name are not known.
fn offset(zone: &str) -> Option<String> {
    if ["Z", "UT", "UTC", "GMT", "+0000", "-0000"].contains(&zone) {
        return Some("Z".to_owned());
    }
    let digits = zone.strip_prefix(['+', '-'])?;
    let is_offset = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (hours, minutes) = zone.split_at_checked(3).filter(|_| is_offset)?;
    Some(format!("{hours}:{minutes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_without_a_zone_are_civil_times() {
        for (text, expect) in [
            ("Wed Feb  1 19:06:04 2006", "2006-02-01T19:06:04"),
            ("Tue Oct  7 10:00 2025", "2025-10-07T10:00:00"),
            ("Tue Oct  7 10:00:00 CEST 2025", "2025-10-07T10:00:00"),
            ("Tue Oct  7 10:00:00 2025 +0200", "2025-10-07T10:00:00+02:00"),
            ("Tue Oct 07 10:00:00 +0000 2025", "2025-10-07T10:00:00Z"),
            ("Tue Oct  7 10:00:00 GMT 2025", "2025-10-07T10:00:00Z"),
        ] {
            assert_eq!(asctime(text).as_ref().map(When::as_str), Some(expect), "{text}");
        }
        for text in ["Wed, 1 Feb 2006 19:06:04", "1 Feb 2006 19:06:04"] {
            let expect = Some("2006-02-01T19:06:04");
            assert_eq!(without_zone(text).as_ref().map(When::as_str), expect, "{text}");
            assert_eq!(asctime(text), None);
        }
    }

    #[test]
    fn other_words_are_not_dates() {
        for text in [
            "",
            "Wed Feb 30 19:06:04 2006",
            "Wed Feb 1 25:06:04 2006",
            "Wed Feb 1 19:06:04:05 2006",
            "here on it is 10:30 in 2006",
            "Mon, 2 Jun 2025 08:00:00 +0200",
            "Mon, 2 Jun 2025 08:00:00 PST",
            "a b c d e f g h i 10:00 2006",
        ] {
            assert_eq!((asctime(text), without_zone(text)), (None, None), "{text}");
        }
    }
}
