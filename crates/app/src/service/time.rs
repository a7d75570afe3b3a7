//! Points in time that a user names.

use jiff::tz::TimeZone;
use kernel::when::When;

use crate::failure::RequestError;

/// A date (midnight in `zone`), a time with an offset, or a civil time in `zone`; microseconds.
pub(crate) fn parse_time_us(zone: &TimeZone, text: &str) -> Result<i64, RequestError> {
    let when = When::parse(text).map_err(RequestError::Time)?;
    if text.contains('+')
        || text.ends_with('Z')
        || text.contains('[')
        || text.matches('-').count() > 2
    {
        return Ok(when.instant_us());
    }
    let too_far = |_| RequestError::TimeTooFar { text: text.to_owned() };
    let zoned = when.civil().to_zoned(zone.clone()).map_err(too_far)?;
    Ok(zoned.timestamp().as_microsecond())
}

/// The same for an optional time.
pub(crate) fn parse_time_if_given_us(
    zone: &TimeZone,
    text: Option<&str>,
) -> Result<Option<i64>, RequestError> {
    text.map(|text| parse_time_us(zone, text)).transpose()
}

/// The window in which something happened; an empty window is refused.
pub(crate) fn parse_window_us(
    zone: &TimeZone,
    since: Option<&str>,
    until: Option<&str>,
) -> Result<(Option<i64>, Option<i64>), RequestError> {
    let window = (parse_time_if_given_us(zone, since)?, parse_time_if_given_us(zone, until)?);
    if let ((Some(since_us), Some(until_us)), Some(since), Some(until)) = (window, since, until)
        && since_us >= until_us
    {
        return Err(RequestError::EmptyWindow { since: since.to_owned(), until: until.to_owned() });
    }
    Ok(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone() -> TimeZone {
        TimeZone::get("Europe/Stockholm").unwrap()
    }

    #[test]
    fn a_time_without_an_offset_is_one_of_the_users_zone() {
        let check = |text: &str, instant: &str| {
            let instant: jiff::Timestamp = instant.parse().unwrap();
            assert_eq!(parse_time_us(&zone(), text).unwrap(), instant.as_microsecond(), "{text}");
        };
        check("2025-02-01", "2025-01-31T23:00:00Z");
        check("2025-02-01T09:30", "2025-02-01T08:30:00Z");
        check("2025-02-01T09:30:00Z", "2025-02-01T09:30:00Z");
        check("2025-02-01T09:30:00-07:00", "2025-02-01T16:30:00Z");
    }

    #[test]
    fn what_names_no_time_is_refused_by_its_reason() {
        let code = |text: &str| parse_time_us(&zone(), text).unwrap_err().code();
        assert_eq!(code("someday"), "time_malformed");
        assert_eq!(code("9999-12-31"), "time_too_far");
        let window = |since, until| parse_window_us(&zone(), Some(since), Some(until));
        assert_eq!(window("2025-02-01", "2025-02-01").unwrap_err().code(), "empty_window");
        assert!(window("2025-02-01", "2025-02-02").is_ok());
    }
}
