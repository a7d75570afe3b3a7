//! iCalendar.
mod recurrence;
