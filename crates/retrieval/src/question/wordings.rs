//! How records write the days and months that a question names: "2026-05-01", "1.5.2026",
//! "1/5/2026", "May 1st, 2026", "1 de mayo de 2026", "5月1日".
//!
//! A question for a time finds the records of that time by their own dates, and those that name it
//! in words by these wordings.

use jiff::ToSpan;
use jiff::civil::Date;

use super::date_parser::TimeExpression;
use super::dates::{DateMention, MonthDay, Precision};
use crate::text::time_words;
use crate::text::words::{Word, is_han, is_unspaced, visit_words};

/// Days and months of a question whose wordings are looked up.
const TIMES_MAX: usize = 4;
/// Years before and after the asker's in which a day without a year is looked up in numbers.
const YEARS_NEAR: i16 = 1;

/// A day in numbers that are one word.
const DAY_FORMATS: [&str; 3] = ["%d.%m.%Y", "%-d.%-m.%Y", "%Y%m%d"];
/// The same with two digits of the year, which may be a version.
const SHORT_FORMATS: [&str; 2] = ["%d.%m.%y", "%-d.%-m.%y"];
/// The years that two digits stand for.
const SHORT_YEARS: std::ops::RangeInclusive<i16> = 1969..=2068;
/// The same in the wordings of a month.
const DAYS_OF_MONTH_FORMATS: [&str; 2] = ["%d.%m.%Y", "%-d.%-m.%Y"];

/// A wording: the words in each place, in lower case, of which a record has one.
pub(super) type Wording = Vec<Vec<String>>;

/// The wordings of the days and months among the times, beside the question's own. Those of a day
/// are also without the year, as a text says it that was written close to the day, and with the
/// year that they are of. Names of months are those of every language, because that of a short
/// record is often unknown.
pub(super) fn of(
    times: &[TimeExpression],
    words: &[Word<'_>],
    today: Option<Date>,
) -> Vec<(Wording, Option<i16>)> {
    let mut wordings = Vec::new();
    for time in times.iter().take(TIMES_MAX) {
        // An open range has the day itself first.
        let mentions = match &*time.mentions {
            [day, _] if time.is_open => std::slice::from_ref(day),
            all => all,
        };
        match *mentions {
            [DateMention::Window { first, last, precision: Precision::Day }] if first == last => {
                if !time.is_relative {
                    let said = words.get(time.words.clone()).unwrap_or_default();
                    wordings
                        .extend(without_year(said).map(|wording| (wording, Some(first.year()))));
                }
                let [joined, mut in_one_word] = day_in_numbers(first);
                if SHORT_YEARS.contains(&first.year()) {
                    let short = one_of(&[first], &SHORT_FORMATS);
                    in_one_word.iter_mut().zip(short).for_each(|(words, more)| words.extend(more));
                }
                wordings.extend([joined, in_one_word].map(|wording| (wording, None)));
                let in_words = day_in_words(first);
                wordings.extend(in_words.map(|wording| (wording, Some(first.year()))));
            }
            [DateMention::Window { first, last, precision: Precision::Month }]
                if first.first_of_month() == last.first_of_month() =>
            {
                wordings.extend(of_month(first).map(|wording| (wording, None)));
            }
            [DateMention::EveryYear { first, last, precision }]
                if (first == last || precision == Precision::Month)
                    && first.month == last.month =>
            {
                let of_years = of_every_year(first, precision, today);
                wordings.extend(of_years.into_iter().map(|wording| (wording, None)));
            }
            _ => {}
        }
    }
    wordings
}

/// In numbers joined by hyphens or slashes, and in those that are one word.
fn day_in_numbers(day: Date) -> [Wording; 2] {
    [split(&day.strftime("%Y-%m-%d").to_string()), one_of(&[day], &DAY_FORMATS)]
}

/// By the name of the month, without the year.
fn day_in_words(day: Date) -> [Wording; 3] {
    let (month, number) = (day.month(), day.day());
    [
        vec![vec![number.to_string()], month_names(day)],
        split(&format!("{month}月{number}日")),
        split(&format!("{month}월 {number}일")),
    ]
}

fn of_month(first: Date) -> [Wording; 5] {
    let (year, month) = (first.year(), first.month());
    let days = first.series(1.day()).take_while(|day| day.month() == month);
    let mut in_one_word = one_of(&days.collect::<Vec<_>>(), &DAYS_OF_MONTH_FORMATS);
    in_one_word.iter_mut().for_each(|words| words.push(first.strftime("%m.%Y").to_string()));
    [
        split(&first.strftime("%Y-%m").to_string()),
        in_one_word,
        vec![month_names(first), vec![year.to_string()]],
        split(&format!("{year}年{month}月")),
        split(&format!("{year}년 {month}월")),
    ]
}

/// A day or month without a year is that of the asker's year in numbers, or of one beside it.
fn of_every_year(
    MonthDay { month, day }: MonthDay,
    precision: Precision,
    today: Option<Date>,
) -> Vec<Wording> {
    let is_month = precision == Precision::Month;
    // A leap year has every possible day.
    let named = Date::new(2024, month, day).ok().filter(|_| !is_month);
    let mut wordings: Vec<Wording> = named.into_iter().flat_map(day_in_words).collect();
    let Some(today) = today else { return wordings };
    let years = (-YEARS_NEAR..=YEARS_NEAR).filter_map(|years| today.year().checked_add(years));
    for day in years.filter_map(|year| Date::new(year, month, day).ok()) {
        match is_month {
            // Its days in numbers are too many for a month of several years.
            true => wordings.extend(of_month(day).into_iter().filter(|words| words.len() > 1)),
            false => wordings.extend(day_in_numbers(day)),
        }
    }
    wordings
}

/// The days in formats that are one word each.
fn one_of(days: &[Date], formats: &[&str]) -> Wording {
    let words = days.iter().flat_map(|day| formats.iter().map(|one| day.strftime(one).to_string()));
    vec![words.collect()]
}

/// The names of a day's month: the English ones, whole and short, and those of other languages.
fn month_names(day: Date) -> Vec<String> {
    let english = day.strftime("%B").to_string().to_lowercase();
    let mut names = vec![day.strftime("%b").to_string().to_lowercase()];
    names.extend(time_words::all().flat_map(|words| words.meaning(&english)).map(str::to_owned));
    names.push(english);
    names.sort_unstable();
    names.dedup();
    names
}

/// The words of a day without its year, if it names the month.
fn without_year(said: &[Word<'_>]) -> Option<Wording> {
    let words = said.iter().map(|word| word.text).filter(|word| !is_year(word));
    let words: Vec<String> = words.map(plain).filter(|word| !is_between(word)).collect();
    let names_month = words.len() > 1 && !words.iter().all(|word| is_number(word));
    names_month.then(|| words.into_iter().map(|word| vec![word]).collect())
}

/// Words, each in its place.
pub(super) fn plainly(words: &[Word<'_>]) -> Wording {
    words.iter().map(|word| vec![plain(word.text)]).collect()
}

fn split(text: &str) -> Wording {
    let mut words = Vec::new();
    visit_words(text, |word| {
        words.push(vec![plain(word.text)]);
        true
    });
    words
}

/// A word in lower case; a number without zeros before it and without the ending of an ordinal:
/// 05, 1st, 1er.
pub(super) fn plain(word: &str) -> String {
    let lower = word.to_lowercase();
    let digits = lower.bytes().take_while(u8::is_ascii_digit).count();
    let Some((number, ending)) = lower.split_at_checked(digits) else { return lower };
    let is_ordinal = matches!(ending, "" | "st" | "nd" | "rd" | "th" | "er" | "o" | "a");
    match number.trim_start_matches('0') {
        short if is_ordinal && !short.is_empty() => short.to_owned(),
        _ => lower,
    }
}

/// Whether `word` (lower case) may stand between the words of a day: "1st of May", "1 de mayo".
pub(super) fn is_between(word: &str) -> bool {
    matches!(word, "the" | "of" | "de" | "del" | "di" | "do")
}

/// Whether a wording is written without spaces between its words.
pub(super) fn is_unspaced_wording(wording: &[Vec<String>]) -> bool {
    wording.iter().flatten().any(|word| word.ends_with(is_unspaced))
}

pub(super) fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && is_number(word)
}

/// The places of a wording that a record has as terms. The last one in Hangul is part of a longer
/// word, because a particle follows it.
pub(super) fn looked_up(wording: &[Vec<String>]) -> &[Vec<String>] {
    let is_part = |word: &String| word.ends_with(is_unspaced) && !word.ends_with(is_han);
    match wording.split_last() {
        Some((last, rest)) if last.iter().any(is_part) => rest,
        _ => wording,
    }
}
