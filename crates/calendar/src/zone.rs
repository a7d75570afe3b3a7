//! From a civil time to an instant: by the zone database, or by the rules of a calendar's own
//! definition.
//!
//! The database is the one in the program, not the machine's, so that the same records mean the
//! same on every machine.

use std::sync::{Arc, LazyLock};

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};

use serde::{Deserialize, Serialize};

use crate::moment::parse_civil;
use crate::recurrence::Bounds;
use crate::rule::Rule;
use crate::windows_zones;

/// Most observances of one definition.
const OBSERVANCES_MAX: usize = 64;
/// Most clock changes of one observance.
const ONSETS_MAX: usize = 1000;
/// Rules of a definition are expanded until the end of this year.
const LAST_YEAR: i16 = 2200;

/// The zones that come with the program.
static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// How a civil time becomes an instant.
#[derive(Clone, Debug)]
pub enum Clock {
    /// It does not: a local time without a zone.
    Floating,
    /// By the zone database.
    Zone(TimeZone),
    /// By the rules of the calendar's own definition.
    Defined(Arc<Definition>),
}

/// The changes of the clock of a VTIMEZONE, in order.
#[derive(Debug)]
pub struct Definition {
    observances: Vec<Observance>,
    onsets: Vec<Onset>,
}

/// One STANDARD or DAYLIGHT part of a VTIMEZONE, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observance {
    /// DTSTART.
    pub start: String,
    /// TZOFFSETFROM.
    pub from: String,
    /// TZOFFSETTO.
    pub to: String,
    /// RRULE.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rrule: Vec<String>,
    /// RDATE.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rdate: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Onset {
    /// The civil time of the change, by the clock before it.
    at: DateTime,
    before: Offset,
    after: Offset,
}

impl Clock {
    /// The instant of a civil time. As RFC 5545 has it, a time that exists twice is the first of
    /// the two, and one that does not exist is read with the offset before the gap.
    pub fn instant(&self, civil: DateTime) -> Option<Zoned> {
        match self {
            Self::Floating => None,
            Self::Zone(zone) => civil.to_zoned(zone.clone()).ok(),
            Self::Defined(definition) => definition.instant(civil),
        }
    }
}

impl Definition {
    /// The changes that these observances name; none if they name none.
    pub fn of(mut observances: Vec<Observance>) -> Option<Self> {
        observances.truncate(OBSERVANCES_MAX);
        let mut onsets: Vec<Onset> = observances.iter().filter_map(onsets_of).flatten().collect();
        onsets.sort_unstable();
        (!onsets.is_empty()).then_some(Self { observances, onsets })
    }

    /// The parts that it was made of.
    pub fn observances(&self) -> &[Observance] {
        &self.observances
    }

    fn instant(&self, civil: DateTime) -> Option<Zoned> {
        let begun = self.onsets.partition_point(|onset| onset.at <= civil);
        let (read_with, shown_with) =
            match begun.checked_sub(1).and_then(|index| self.onsets.get(index)) {
                Some(onset) => {
                    let gap = i64::from(onset.after.seconds()) - i64::from(onset.before.seconds());
                    let into = civil.duration_since(onset.at).as_secs();
                    (if into < gap { onset.before } else { onset.after }, onset.after)
                }
                None => self.onsets.first().map(|onset| (onset.before, onset.before))?,
            };
        Some(read_with.to_timestamp(civil).ok()?.to_zoned(TimeZone::fixed(shown_with)))
    }
}

fn onsets_of(part: &Observance) -> Option<Vec<Onset>> {
    let before = parse_offset(&part.from)?;
    let after = parse_offset(&part.to)?;
    let start = parse_civil(part.start.trim())?.civil;
    let bounds = Bounds::until(jiff::civil::date(LAST_YEAR, 12, 31).at(0, 0, 0, 0), ONSETS_MAX);
    let mut starts = vec![start];
    for text in &part.rrule {
        let rule = Rule::parse(text).ok()?;
        let until = match &rule.until {
            Some(until) => {
                let until = parse_civil(until)?;
                let instant =
                    until.utc.then(|| Offset::UTC.to_timestamp(until.civil).ok()).flatten();
                Some(instant.map_or(until.civil, |instant: Timestamp| before.to_datetime(instant)))
            }
            None => None,
        };
        starts.extend(rule.expand(start, until, bounds).starts);
    }
    for date in part.rdate.iter().flat_map(|dates| dates.split(',')).take(ONSETS_MAX) {
        starts.extend(parse_civil(date.trim()).map(|date| date.civil));
    }
    starts.sort_unstable();
    starts.dedup();
    Some(starts.into_iter().map(|at| Onset { at, before, after }).collect())
}

/// `+0200`, `-033000`.
fn parse_offset(text: &str) -> Option<Offset> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let two =
        |from: usize| digits.get(from..from + 2).map_or(Some(0), |two| two.parse::<i32>().ok());
    Offset::from_seconds(sign * (two(0)? * 3600 + two(2)? * 60 + two(4)?)).ok()
}

/// A zone of the database by its name, by the end of a path like `/vendor/2005/Europe/Berlin`, or
/// by the name that Windows gives it.
pub fn named(name: &str) -> Option<TimeZone> {
    const NAME_BYTES_MAX: usize = 128;
    let name = name.trim().trim_matches('/');
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        return None;
    }
    if name.eq_ignore_ascii_case("UTC")
        || name.eq_ignore_ascii_case("Z")
        || name.eq_ignore_ascii_case("GMT")
    {
        return Some(TimeZone::UTC);
    }
    let segments: Vec<&str> = name.split('/').collect();
    let plain = |name: &str| !name.contains("..") && name.chars().all(|c| c.is_ascii_graphic());
    let from_database = (0..segments.len())
        .filter_map(|skipped| segments.get(skipped..))
        .filter(|rest| rest.len() > 1 || segments.len() == 1)
        .map(|rest| rest.join("/"))
        .filter(|name| plain(name))
        .find_map(|name| DATABASE.get(&name).ok().filter(|zone| zone.iana_name().is_some()));
    from_database.or_else(|| DATABASE.get(windows_zones::iana_name(name)?).ok())
}
