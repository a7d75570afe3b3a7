//! Detection of time expressions: *yesterday*, *last week*, *two days ago*, *on Friday*, *in May*,
//! *2023*, *at 7:30*.
//!
//! A turn with a time expression is more likely to answer a question "when …?". Each word has a
//! role, which is cached with the word's stem; a scan then checks pairs of adjacent roles. "May",
//! "March" and the short months count only next to words that identify them as months. The words
//! are English; those of [`super::time_words`] are looked up once the language of a text is known.
//! Digits and 年月日 count in every language.

/// The role of a word in a time expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeRole {
    None,
    /// A time expression by itself.
    Whole,
    /// A month only next to a number or after a word that introduces a time: may, march, Jan, Sept.
    MaybeMonth,
    /// A number below 1000, in digits or words, also "few" and "a".
    Number,
    /// A year, 1900 … 2099.
    Year,
    /// Words that introduce a time: in, on, of, by, since …
    Leading,
    /// Words that select a unit: last, this, next …
    Picking,
    /// "other", as in "the other day".
    Other,
    /// day, week, month …
    Unit,
    /// am, pm, o'clock after a number.
    ClockSuffix,
}

/// The month that `word` (lower case) names in full or in short, 1 … 12.
pub(crate) fn month_number(word: &str) -> Option<i8> {
    Some(match word {
        "january" | "jan" => 1,
        "february" | "feb" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sept" | "sep" => 9,
        "october" | "oct" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    })
}

/// The number that `word` (lower case) names, up to twelve; a couple is two and a few is three.
pub(crate) fn small_number(word: &str) -> Option<i32> {
    Some(match word {
        "a" | "an" | "one" => 1,
        "two" | "couple" => 2,
        "three" | "few" | "several" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        _ => return None,
    })
}

/// The number at the start of `word`, optionally with an ordinal suffix: 7, 7th, 21st.
pub(crate) fn cardinal_or_ordinal(word: &str) -> Option<u32> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, ending) = word.split_at_checked(digits)?;
    if number.is_empty() || number.len() > 4 || !matches!(ending, "" | "st" | "nd" | "rd" | "th") {
        return None;
    }
    number.parse().ok()
}

/// The role of `word` (lower case).
pub(crate) fn time_role(word: &str) -> TimeRole {
    if word.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return number_role(word);
    }
    match word {
        "yesterday" | "today" | "tonight" | "tomorrow" | "ago" | "midnight" | "monday"
        | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | "mondays"
        | "tuesdays" | "wednesdays" | "thursdays" | "fridays" | "saturdays" | "sundays"
        | "january" | "february" | "april" | "june" | "july" | "august" | "september"
        | "october" | "november" | "december" | "christmas" | "easter" | "halloween"
        | "thanksgiving" => TimeRole::Whole,
        "may" | "march" | "jan" | "feb" | "mar" | "apr" | "jun" | "jul" | "aug" | "sept"
        | "sep" | "oct" | "nov" | "dec" => TimeRole::MaybeMonth,
        "in" | "on" | "of" | "by" | "since" | "until" | "till" | "during" | "early" | "late"
        | "mid" => TimeRole::Leading,
        "last" | "next" | "this" | "past" | "previous" | "coming" | "upcoming" | "following" => {
            TimeRole::Picking
        }
        "other" => TimeRole::Other,
        "day" | "days" | "week" | "weeks" | "weekend" | "weekends" | "month" | "months"
        | "year" | "years" | "night" | "nights" | "morning" | "afternoon" | "evening"
        | "summer" | "winter" | "spring" | "fall" | "autumn" | "decade" | "decades" | "century"
        | "semester" | "season" | "quarter" | "hour" | "hours" | "minute" | "minutes" => {
            TimeRole::Unit
        }
        "am" | "pm" | "o'clock" | "o’clock" => TimeRole::ClockSuffix,
        _ if small_number(word).is_some() => TimeRole::Number,
        _ => TimeRole::None,
    }
}

fn number_role(word: &str) -> TimeRole {
    match cardinal_or_ordinal(word) {
        Some(1900..=2099) if word.len() == 4 => return TimeRole::Year,
        Some(0..=999) => return TimeRole::Number,
        _ => {}
    }
    let clock = word.strip_suffix("am").or_else(|| word.strip_suffix("pm"));
    let is_clock = clock
        .is_some_and(|hours| hours.len() <= 2 && hours.bytes().all(|byte| byte.is_ascii_digit()));
    if is_clock { TimeRole::Whole } else { TimeRole::None }
}

/// Scans the words of a text in order; [`TimeScan::found`] once a time expression is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeScan {
    previous: TimeRole,
    found: bool,
    /// A word that selects a unit may follow it: "semaine dernière".
    selects_after: bool,
}

impl TimeScan {
    pub(crate) fn new() -> Self {
        Self { previous: TimeRole::None, found: false, selects_after: false }
    }

    /// Goes on in the words of another language than English.
    pub(crate) fn change_language(&mut self) {
        self.previous = TimeRole::None;
        self.selects_after = true;
    }

    pub(crate) fn found(&self) -> bool {
        self.found
    }

    /// Adds the next word: its role, and the bytes of the text right after it.
    pub(crate) fn take(&mut self, role: TimeRole, after: &[u8]) {
        use TimeRole::{
            ClockSuffix, Leading, MaybeMonth, None, Number, Other, Picking, Unit, Whole, Year,
        };
        let completes = match (self.previous, role) {
            (_, Whole | Year) => true,
            (Leading | Picking | Number, MaybeMonth) | (MaybeMonth, Number) => true,
            (Picking | Other | Number, Unit) | (Number, ClockSuffix) => true,
            (Unit, Picking) => self.selects_after,
            (_, Number) => is_minutes(after) || is_east_asian_date_unit(after),
            (_, None | Leading | Picking | Other | Unit | MaybeMonth | ClockSuffix) => false,
        };
        self.found |= completes;
        self.previous = role;
    }

    /// Clears the previous word, at the end of a part of the text.
    pub(crate) fn separate(&mut self) {
        self.previous = TimeRole::None;
    }
}

/// `:30` after an hour.
fn is_minutes(after: &[u8]) -> bool {
    matches!(after, [b':', b'0'..=b'5', b'0'..=b'9', rest @ ..] if !rest.first().is_some_and(u8::is_ascii_digit))
}

fn is_east_asian_date_unit(after: &[u8]) -> bool {
    ["年", "月", "日", "년", "월", "일"].iter().any(|unit| after.starts_with(unit.as_bytes()))
}
