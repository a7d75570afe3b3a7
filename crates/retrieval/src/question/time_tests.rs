//! Times in questions that consist of several words, and what must not be read as one.

use super::names::Names;
use super::tests::show;
use super::*;
use jiff::civil::date;

/// A Saturday.
const TODAY: Date = date(2026, 11, 28);

fn parsed(language: Language, text: &str) -> Question {
    let mut analyzer = Analyzer::new(language);
    let held = Languages::of(language);
    Question::parse(text, &mut analyzer, &Names::default(), held, Some(TODAY))
}

fn check(language: Language, cases: &[(&str, &str)]) {
    let read = |text: &str| {
        let dates: Vec<String> = parsed(language, text).dates.iter().map(show).collect();
        dates.join(", ")
    };
    let wrong = cases.iter().map(|(text, expected)| (*text, read(text), *expected));
    let wrong: Vec<_> = wrong.filter(|(_, found, expected)| found != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_time_in_a_longer_one_is_one_time() {
    let august = "2025-08-01..2025-08-31 month";
    check(
        Language::English,
        &[
            ("What did we paint last year in August?", august),
            ("What did we paint in August last year?", august),
            ("What did we paint in August of last year?", august),
            ("What did we paint in May this year?", "2026-05-01..2026-05-31 month"),
            ("What did we paint in May the year before last?", "2024-05-01..2024-05-31 month"),
            ("the summer of last year", "2025-06-01..2025-08-31 season"),
            ("in winter last year", "2025-12-01..2026-02-28 season"),
            ("on 5 May last year", "2025-05-05 day"),
            ("in early May last year", "2025-05-01..2025-05-10 week"),
            ("Who came Tuesday evening last week?", "2026-11-17 day"),
            ("Who came last week on Tuesday?", "2026-11-17 day"),
            ("Who came on Friday this week?", "2026-11-27 day"),
            ("on the 3rd of last month", "2026-10-03 day"),
            ("a year ago today", "2025-11-28 day"),
            ("today a year ago", "2025-11-28 day"),
            ("two weeks ago on Friday", "2026-11-13 day"),
            ("this time last year", "2025-11-25..2025-12-01 week"),
            // Two times, or one beside a word that looks like one.
            ("in August and last year", "--08-01..--08-31 month, 2025-01-01..2025-12-31 year"),
            ("Did I fall last year?", "2025-01-01..2025-12-31 year"),
            ("I came last year. May was there", "2025-01-01..2025-12-31 year"),
            ("What did he do last year, may I ask?", "2025-01-01..2025-12-31 year"),
            ("last year's summer house", "2025-01-01..2025-12-31 year"),
            ("3 of last month", "2026-10-01..2026-10-31 month"),
            ("last Monday", "2026-11-23 day"),
        ],
    );
}

#[test]
fn ranges_from_an_exact_day_are_ranges_that_the_day_fits_best() {
    let open = "9999-12-31 year";
    check(
        Language::English,
        &[
            ("What happened since Monday?", "2026-11-23..2026-11-28 week"),
            ("What happened since yesterday?", "2026-11-27..2026-11-28 week"),
            ("What broke since last week?", "2026-11-16..2026-11-28 week"),
            ("since 3 May 2026", &format!("2026-05-03 day, 2026-05-03..{open}")),
            ("after 3 May 2026", &format!("2026-05-03 day, 2026-05-04..{open}")),
            ("What broke after 3 May?", &format!("--05-03 day, 2026-05-04..{open}")),
            ("before 3 May 2026", "2026-05-03 day, -009999-01-01..2026-05-02 year"),
            ("until yesterday", "2026-11-27 day, -009999-01-01..2026-11-27 year"),
            ("since the weekend", "2026-11-21..2026-11-28 week"),
            ("since last summer", &format!("2026-06-01..{open}")),
            ("before last year", "-009999-01-01..2024-12-31 year"),
            // The time is that of something else.
            ("before the 3 May 2026 release", "2026-05-03 day"),
            ("after yesterday's call", "2026-11-27 day"),
            ("by 3 May 2026", "2026-05-03 day"),
            ("What do I do before Monday?", ""),
            ("the week before last week", "2026-11-16..2026-11-22 week"),
            ("the day before yesterday", "2026-11-26 day"),
            ("since when", ""),
        ],
    );
    let question = parsed(Language::English, "What broke after 3 May 2026?");
    let fits = [3, 4, 5, 30].map(|day| date_fit(&question.dates, date(2026, 5, day)));
    assert_eq!(fits, [1.5, 1.4, 1.0, 1.0]);
    assert_eq!(date_fit(&question.dates, date(2026, 9, 1)), 1.0);
    assert_eq!(date_fit(&question.dates, date(2026, 4, 1)), 0.0);
    assert!(parsed(Language::English, "What happened since Monday?").asks_for_days);
    assert!(!parsed(Language::English, "What happened after 3 May 2026?").asks_for_days);
}

#[test]
fn ranges_of_days_are_read_whole() {
    check(
        Language::English,
        &[
            ("from the 3rd to the 10th of June", "--06-03..--06-10 week"),
            ("from June 3 to 10", "--06-03..--06-10 week"),
            ("on June 3-10, 2026", "--06-03..--06-10 week"),
            ("from June 3 to June 10", "--06-03..--06-10 day"),
            ("between 3 and 10 June 2026", "2026-06-03..2026-06-10 week"),
            ("on 3 or 4 November", "--11-03 day, --11-04 day"),
            ("on 3 and 4 November 2025", "2025-11-03 day, 2025-11-04 day"),
            ("What did we do between Monday and Wednesday?", "2026-11-23..2026-11-25 week"),
            ("What did we do from Friday to Sunday?", "2026-11-20..2026-11-22 week"),
            ("between last Monday and yesterday", "2026-11-23..2026-11-27 day"),
            ("Who works from Monday to Friday?", ""),
            ("3 or 4 apples", ""),
            ("from 3 to 7 apples", ""),
            ("between 3 and 40 June", "--06-01..--06-31 month"),
            ("10 to 3 May", "--05-03 day"),
        ],
    );
}

#[test]
fn parts_of_years_and_months_are_read() {
    check(
        Language::English,
        &[
            ("in the first quarter of 2026", "2026-01-01..2026-03-31 season"),
            ("What did we paint in Q2 2026?", "2026-04-01..2026-06-30 season"),
            ("Q2 of last year", "2025-04-01..2025-06-30 season"),
            ("What did we paint in Q3?", "--07-01..--09-31 season"),
            ("the second half of 2025", "2025-07-01..2025-12-31 season"),
            ("the last quarter of last year", "2025-10-01..2025-12-31 season"),
            ("at the end of last year", "2025-11-01..2025-12-31 season"),
            ("in early 2026", "2026-01-01..2026-03-31 season"),
            ("mid 2025", "2025-05-01..2025-08-31 season"),
            ("late 2025", "2025-10-01..2025-12-31 season"),
            ("at the start of the year", "2026-01-01..2026-02-28 season"),
            ("What did we do at the end of the year?", "2026-11-01..2026-12-31 season"),
            ("at the beginning of this month", "2026-11-01..2026-11-10 week"),
            ("in 2025-11", "2025-11-01..2025-11-30 month"),
            ("in 11/2025", "2025-11-01..2025-11-30 month"),
            ("in 11.2025", "2025-11-01..2025-11-30 month"),
            ("When did I start in May?", "--05-01..--05-31 month"),
            ("the first quarter of the game", ""),
            ("at the end of the week", ""),
            ("the end", ""),
            ("half of the cake", ""),
            ("an early start", ""),
            ("ticket 2025-113", ""),
            ("release 2025-11-3-7", "2025-11-03 day"),
            ("13/2025", ""),
            ("version 11.20.25", ""),
        ],
    );
}

#[test]
fn days_are_read_by_their_number_or_name() {
    check(
        Language::English,
        &[
            ("What did I do on the 3rd?", "2026-11-03 day"),
            ("What did I do on the 30th with Ada?", "2026-10-30 day"),
            ("What will I do on the 3rd?", "2026-12-03 day"),
            ("on 5/1/2026", "2026-05-01 day, 2026-01-05 day"),
            ("on 5/5/2026", "2026-05-05 day"),
            ("on the first of May", "--05-01 day"),
            ("on Friday the 13th", "2026-11-13 day"),
            ("Wednesday the 11th", "2026-11-11 day"),
            ("on Friday, 13 November 2026", "2026-11-13 day"),
            ("at Christmas", "--12-24..--12-26 day"),
            ("last Christmas", "2025-12-24..2025-12-26 day"),
            ("Christmas 2024", "2024-12-24..2024-12-26 day"),
            ("at Easter 2026", "2026-04-03..2026-04-06 day"),
            ("What did we do at Easter?", "2026-04-03..2026-04-06 day"),
            ("on New Year's Eve", "--12-31 day"),
            ("two Fridays ago", "2026-11-20 day"),
            ("the weekend before last", "2026-11-14..2026-11-15 week"),
            ("the week before last", "2026-11-09..2026-11-15 week"),
            ("the year before last", "2024-01-01..2024-12-31 year"),
            ("What have I read recently?", "2026-10-31..2026-11-28 month"),
            ("in recent weeks", "2026-10-31..2026-11-28 month"),
            ("on the 3rd floor", ""),
            ("on the 3rd day", ""),
            ("on the first try", ""),
            ("the first of all", ""),
            ("Where is the Christmas tree?", ""),
            ("What did we eat at Christmas dinner?", ""),
            ("Easter eggs", ""),
            ("a new year", ""),
            ("Who was on the 40th?", ""),
            ("the Friday before last Christmas", "2025-12-24..2025-12-26 day"),
            ("the day before last", ""),
            ("a recent week", ""),
        ],
    );
    assert!(!parsed(Language::English, "What did I do recently?").asks_for_days);
    assert!(parsed(Language::English, "What did I do on the 3rd?").asks_for_days);
}
