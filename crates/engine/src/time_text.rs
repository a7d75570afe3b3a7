//! Times as people read them.

use jiff::tz::TimeZone;
use kernel::when::When;

const FORM: &str = "%Y-%m-%d %H:%M";

/// A time in words for a reader in `zone`: a date, or a date with the time of day.
///
/// Times in UTC come from programs and do not show where the event was, so they are converted. Any
/// other time is the one there, with its offset if clocks in `zone` showed another time then.
pub fn time_text(at: &When, zone: &TimeZone) -> String {
    if at.is_date_only() {
        return at.date().to_string();
    }
    let there = || at.civil().strftime(FORM).to_string();
    let Some(offset) = at.offset() else { return there() };
    let Ok(instant) = offset.to_timestamp(at.civil()) else { return there() };
    let here = instant.to_zoned(zone.clone());
    if at.as_str().ends_with('Z') || here.offset() == offset {
        return here.strftime(FORM).to_string();
    }
    instant.to_zoned(TimeZone::fixed(offset)).strftime("%Y-%m-%d %H:%M %:z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utc_is_shown_as_the_time_here_and_other_times_as_they_were_there() {
        let zone = TimeZone::get("Europe/Stockholm").unwrap();
        let check = |at: &str, shown: &str| {
            assert_eq!(time_text(&When::parse(at).unwrap(), &zone), shown, "{at}");
        };
        check("2025-06-15T22:11:12.5Z", "2025-06-16 00:11");
        check("2025-06-15T22:11:12-07:00", "2025-06-15 22:11 -07:00");
        check("2025-01-15T22:11:12+02:00[Europe/Berlin]", "2025-01-15 22:11 +02:00");
        check("2025-06-15T22:11:12+02:00[Europe/Berlin]", "2025-06-15 22:11");
        check("2025-06-15T22:11:12", "2025-06-15 22:11");
        check("2025-06-15", "2025-06-15");
        check("9999-12-31T23:59:59-12:00", "9999-12-31 23:59");
    }
}
