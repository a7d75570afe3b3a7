//! When something happened, as exactly as its source knew it.
//!
//! Four forms, all text, all ISO 8601 / RFC 3339 / RFC 9557: a date (`2025-06-02`, an all-day
//! event), a civil time without a zone (`2025-06-02T08:00:00`, "floating" in iCalendar), an instant
//! with an offset (`2025-06-02T08:00:00+02:00`), and the same with its zone's name
//! (`…+02:00[Europe/Berlin]`). The offset is always written when the zone is known, so reading one
//! back needs no zone database: a record means the same on every machine, also after a country
//! changes its rules.

use std::fmt;

use jiff::civil::{Date, DateTime};
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

/// Hours between UTC and any place, more than which are a mistake. No zone has more than 14 now, or
/// had more than 16 before there were zones; 18 is the limit of `java.time`, too.
pub const OFFSET_HOURS_MAX: u32 = 18;

/// A point in time as its source knew it. It has no order of its own; callers may order by
/// [`When::instant_us`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct When {
    text: String,
    civil: DateTime,
    offset: Option<Offset>,
    date_only: bool,
}

/// Why a text is not a [`When`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a date or a time: write 2025-06-02, 2025-06-02T08:00:00 or 2025-06-02T08:00:00+02:00"
)]
pub struct WhenError {
    /// The text, cut to 64 characters.
    pub text: String,
}

impl When {
    /// Reads one of the four forms; `Z` counts as the offset +00:00.
    ///
    /// ```
    /// let when = kernel::when::When::parse("2025-06-02T08:00:00+02:00[Europe/Berlin]").unwrap();
    /// assert_eq!(when.civil().hour(), 8);
    /// assert_eq!(when.zone(), Some("Europe/Berlin"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, WhenError> {
        let error = || WhenError { text: text.chars().take(64).collect() };
        if text.len() > 128 {
            return Err(error());
        }
        let pieces = Pieces::parse(text).map_err(|_| error())?;
        let date_only = pieces.time().is_none();
        let offset = pieces.to_numeric_offset();
        if date_only && offset.is_some() || offset.is_none() && text.contains('[') {
            return Err(error());
        }
        let civil = pieces.date().to_datetime(pieces.time().unwrap_or_default());
        Ok(Self { text: text.to_owned(), civil, offset, date_only })
    }

    /// The same of a time that a person or a source writes: its offset is at most
    /// [`OFFSET_HOURS_MAX`]. What a ledger holds is not judged again.
    pub fn parse_given(text: &str) -> Result<Self, WhenError> {
        let when = Self::parse(text)?;
        let seconds = when.offset.map_or(0, Offset::seconds).unsigned_abs();
        match seconds > OFFSET_HOURS_MAX * 3_600 {
            true => Err(WhenError { text: text.chars().take(64).collect() }),
            false => Ok(when),
        }
    }

    /// An all-day date.
    pub fn from_date(date: Date) -> Self {
        Self {
            text: date.to_string(),
            civil: date.to_datetime(Default::default()),
            offset: None,
            date_only: true,
        }
    }

    /// A civil time whose zone is not known.
    pub fn from_civil(civil: DateTime) -> Self {
        Self { text: civil.to_string(), civil, offset: None, date_only: false }
    }

    /// A time in a zone; written with its offset, and with the zone's name where it has one.
    pub fn from_zoned(zoned: &jiff::Zoned) -> Self {
        let text = match zoned.time_zone().iana_name() {
            Some("UTC") => zoned.timestamp().to_string(),
            Some(_) => zoned.to_string(),
            None => zoned.timestamp().display_with_offset(zoned.offset()).to_string(),
        };
        Self { text, civil: zoned.datetime(), offset: Some(zoned.offset()), date_only: false }
    }

    /// An instant, written in UTC.
    pub fn from_timestamp(timestamp: jiff::Timestamp) -> Self {
        Self {
            text: timestamp.to_string(),
            civil: Offset::UTC.to_datetime(timestamp),
            offset: Some(Offset::UTC),
            date_only: false,
        }
    }

    /// The text form that is stored.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The local date and time where it happened (midnight for a date).
    pub fn civil(&self) -> DateTime {
        self.civil
    }

    /// The local date where it happened.
    pub fn date(&self) -> Date {
        self.civil.date()
    }

    /// The offset from UTC there, if the source knew it.
    pub fn offset(&self) -> Option<Offset> {
        self.offset
    }

    /// True for a date without a time of day.
    pub fn is_date_only(&self) -> bool {
        self.date_only
    }

    /// The zone's name, if the source knew one.
    pub fn zone(&self) -> Option<&str> {
        let open = self.text.find('[')?;
        self.text[open + 1..].split([']', '[']).next()
    }

    /// Microseconds since the Unix epoch; dates and civil times count as UTC. For ordering and
    /// filters.
    pub fn instant_us(&self) -> i64 {
        let offset = self.offset.unwrap_or(Offset::UTC);
        match offset.to_timestamp(self.civil) {
            Ok(timestamp) => timestamp.as_microsecond(),
            Err(_) if self.civil.year() > 0 => i64::MAX,
            Err(_) => i64::MIN,
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Serialize for When {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms_round_trip() {
        for text in [
            "2025-06-02",
            "2025-06-02T08:00:00",
            "2025-06-02T08:00:00+02:00",
            "2025-06-02T08:00:00+02:00[Europe/Berlin]",
        ] {
            assert_eq!(When::parse(text).unwrap().as_str(), text);
        }
        assert_eq!(
            When::parse("2025-06-02T08:00:00Z").unwrap().instant_us(),
            1_748_851_200_000_000
        );
        assert_eq!(
            When::parse("2025-06-02T08:00:00+02:00").unwrap().instant_us(),
            1_748_844_000_000_000
        );
    }

    #[test]
    fn an_offset_that_no_place_has_is_read_and_not_written_anew() {
        for (text, is_given) in [
            ("2025-06-02T08:00:00+18:00", true),
            ("2025-06-02T08:00:00-18:00", true),
            ("2025-06-02T08:00:00+18:01", false),
            ("2025-06-02T08:00:00-25:00", false),
        ] {
            assert!(When::parse(text).is_ok(), "{text}");
            assert_eq!(When::parse_given(text).is_ok(), is_given, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_time_is_refused() {
        for text in ["", "yesterday", "2025-13-01", "2025-06-02T08:00:00[Europe/Berlin]", "08:00"] {
            assert!(When::parse(text).is_err(), "{text}");
        }
    }
}
