//! Calendars: moments, recurrence rules (RFC 5545) and the series that they make.
//!
//! Pure, as the kernel is: it has neither clock nor files, and the zone database is the program's.
//! The importer reads series from calendars; recall and derivation see their occurrences around the
//! times that matter (`docs/design/0052-series-are-records.md`).
//!
//! | module | answers |
//! |---|---|
//! | `moment` | when is that, and are these two the same? |
//! | `zone` | which instant is a local time? |
//! | `rule`, `recurrence` | when does a rule happen? |
//! | `series` | when does a record that stands for a series happen? |
//! | `words` | how does one say that? |

pub mod moment;
pub mod recurrence;
pub mod rule;
pub mod series;
mod series_json;
mod windows_zones;
pub mod words;
pub mod zone;
