//! Times as chats write them.
//!
//! Text in RFC 3339 or ISO 8601 (also with a space between date and time), and numbers since the
//! Unix epoch, as numbers or as text, in seconds, milli-, micro- or nanoseconds. The unit follows
//! from the size: seconds reach 10¹¹ in the year 5138, so a larger number is read in the next
//! smaller unit.

use jiff::Timestamp;
use jiff::civil::DateTime;
use kernel::when::When;
use serde_json::Value;

/// Beyond this many seconds a number is read as milliseconds, and so on by thousands.
const SECONDS_MAX: f64 = 1e11;

/// Reads a time; `None` if the value is not one.
pub(crate) fn from_value(value: &Value) -> Option<When> {
    match value {
        Value::String(text) => from_text(text),
        Value::Number(number) => from_epoch(number.as_f64()?),
        _ => None,
    }
}

/// Reads a time from text; `None` if the text is not one.
pub(crate) fn from_text(text: &str) -> Option<When> {
    let text = text.trim();
    if text.len() > 64 {
        return None;
    }
    let numeric = |byte: u8| byte.is_ascii_digit() || byte == b'.' || byte == b'-';
    // Ten digits and more: shorter ones are years and dates.
    if text.len() >= 10
        && text.bytes().all(numeric)
        && !text.get(1..).is_some_and(|rest| rest.contains('-'))
    {
        return from_epoch(text.parse().ok()?);
    }
    if text.contains(' ') {
        return When::parse_given(&text.replacen(' ', "T", 1).replace(' ', "")).ok();
    }
    When::parse_given(text).ok()
}

/// Reads a count since the epoch; its unit follows from its size.
pub(crate) fn from_epoch(count: f64) -> Option<When> {
    let mut seconds = count;
    for _ in 0..3 {
        if seconds.abs() < SECONDS_MAX {
            break;
        }
        seconds /= 1000.0;
    }
    if !seconds.is_finite() || seconds.abs() >= SECONDS_MAX {
        return None;
    }
    // Microseconds are what a double can hold of today's times.
    let microseconds = (seconds * 1e6).round();
    Timestamp::from_microsecond(microseconds as i64).ok().map(When::from_timestamp)
}

/// Reads LoCoMo's session times, `1:56 pm on 8 May, 2023`.
pub(crate) fn from_spoken(text: &str) -> Option<When> {
    let text = text.trim();
    if text.len() > 64 {
        return None;
    }
    DateTime::strptime("%I:%M %p on %d %B, %Y", text)
        .ok()
        .map(When::from_civil)
        .or_else(|| from_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: Value) -> Option<String> {
        from_value(&value).map(|when| when.to_string())
    }

    #[test]
    fn times_are_read_in_every_supported_form() {
        for (value, expected) in [
            (Value::from("2024-03-01T10:00:00Z"), Some("2024-03-01T10:00:00Z")),
            (Value::from("2024-03-01 10:00:00"), Some("2024-03-01T10:00:00")),
            (Value::from("2024-03-01 10:00:00 +01:00"), Some("2024-03-01T10:00:00+01:00")),
            (Value::from("2024-03-01"), Some("2024-03-01")),
            (Value::from(1_709_287_200), Some("2024-03-01T10:00:00Z")),
            (Value::from(1_709_287_200_000_i64), Some("2024-03-01T10:00:00Z")),
            (Value::from(1_709_287_200_000_000_i64), Some("2024-03-01T10:00:00Z")),
            (Value::from(1_709_287_200.25), Some("2024-03-01T10:00:00.25Z")),
            (Value::from("1709287200.250000"), Some("2024-03-01T10:00:00.25Z")),
            (Value::from(1e300), None),
            (Value::from("soon"), None),
            (Value::from("99999999999999999999999999"), None),
            (Value::Null, None),
        ] {
            assert_eq!(text(value.clone()).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn spoken_times_are_civil() {
        assert_eq!(from_spoken("1:56 pm on 8 May, 2023").unwrap().as_str(), "2023-05-08T13:56:00");
        assert_eq!(
            from_spoken("12:05 AM on 31 December, 2023").unwrap().as_str(),
            "2023-12-31T00:05:00"
        );
        assert!(from_spoken("noon on a Tuesday").is_none());
    }
}
