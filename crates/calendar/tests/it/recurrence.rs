//! Rules by example, on random input against a second implementation, and on hostile input against
//! the clock.

use std::time::{Duration, Instant};

use calendar::recurrence::{Bounds, Expansion};
use calendar::rule::Rule;
use jiff::civil::{DateTime, Time};

fn at(text: &str) -> DateTime {
    text.parse().unwrap()
}

fn expand(rule: &str, start: &str, last: &str) -> Expansion {
    let rule = Rule::parse(rule).unwrap();
    rule.expand(at(start), None, Bounds::until(at(last), 1000))
}

/// Dates (with times where they differ from 09:00) of the first occurrences, as one line.
#[track_caller]
fn check(rule: &str, start: &str, expected: &str) {
    let starts = expand(rule, start, "2030-01-01T00:00").starts;
    let shown: Vec<String> = starts
        .iter()
        .take(expected.split_whitespace().count())
        .map(|start| match start.time() == Time::constant(9, 0, 0, 0) {
            true => start.date().to_string(),
            false => start.strftime("%Y-%m-%dT%H:%M").to_string(),
        })
        .collect();
    assert_eq!(shown.join(" "), expected, "{rule}");
}

#[test]
fn the_examples_of_the_rfc_hold() {
    check("FREQ=DAILY;COUNT=3", "1997-09-02T09:00", "1997-09-02 1997-09-03 1997-09-04");
    check(
        "FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=4;BYDAY=TU,TH",
        "1997-09-02T09:00",
        "1997-09-02 1997-09-04 1997-09-16 1997-09-18",
    );
    check(
        "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
        "1997-08-05T09:00",
        "1997-08-05 1997-08-10 1997-08-19 1997-08-24",
    );
    check(
        "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
        "1997-08-05T09:00",
        "1997-08-05 1997-08-17 1997-08-19 1997-08-31",
    );
    check("FREQ=MONTHLY;COUNT=3;BYDAY=1FR", "1997-09-05T09:00", "1997-09-05 1997-10-03 1997-11-07");
    check(
        "FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU",
        "1997-09-07T09:00",
        "1997-09-07 1997-09-28 1997-11-02 1997-11-30",
    );
    check("FREQ=MONTHLY;BYMONTHDAY=-3", "1997-09-28T09:00", "1997-09-28 1997-10-29 1997-11-28");
    check(
        "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
        "1998-02-13T09:00",
        "1998-02-13 1998-03-13 1998-11-13 1999-08-13",
    );
    check(
        "FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200",
        "1997-01-01T09:00",
        "1997-01-01 1997-04-10 1997-07-19 2000-01-01",
    );
    check("FREQ=YEARLY;BYDAY=20MO", "1997-05-19T09:00", "1997-05-19 1998-05-18 1999-05-17");
    check(
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
        "1997-05-12T09:00",
        "1997-05-12 1998-05-11 1999-05-17",
    );
    check(
        "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
        "1997-03-13T09:00",
        "1997-03-13 1997-03-20 1997-03-27 1998-03-05",
    );
    check(
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
        "1996-11-05T09:00",
        "1996-11-05 2000-11-07 2004-11-02",
    );
    check(
        "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
        "1997-09-04T09:00",
        "1997-09-04 1997-10-07 1997-11-06",
    );
    check(
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
        "1997-09-29T09:00",
        "1997-09-29 1997-10-30 1997-11-27",
    );
    check(
        "FREQ=HOURLY;INTERVAL=3;COUNT=3",
        "1997-09-02T09:00",
        "1997-09-02 1997-09-02T12:00 1997-09-02T15:00",
    );
    check(
        "FREQ=MINUTELY;INTERVAL=90;COUNT=3",
        "1997-09-02T09:00",
        "1997-09-02 1997-09-02T10:30 1997-09-02T12:00",
    );
    check(
        "FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,20",
        "1997-09-02T09:00",
        "1997-09-02 1997-09-02T09:20 1997-09-02T10:00",
    );
    check(
        "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
        "2007-01-15T09:00",
        "2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30",
    );
    check("FREQ=YEARLY", "2024-02-29T09:00", "2024-02-29 2028-02-29");
}

#[test]
fn the_first_start_counts_also_where_the_rule_does_not_name_it() {
    check("FREQ=WEEKLY;BYDAY=TU;COUNT=3", "2025-06-02T09:00", "2025-06-02 2025-06-03 2025-06-10");
    assert_eq!(
        expand("FREQ=WEEKLY;BYDAY=TU;COUNT=3", "2025-06-02T09:00", "2030-01-01T00:00").starts.len(),
        3
    );
}

#[test]
fn a_limit_is_told_apart_from_an_end() {
    assert!(!expand("FREQ=HOURLY", "2025-01-01T00:00", "2030-01-01T00:00").complete);
    assert!(expand("FREQ=HOURLY;COUNT=1000", "2025-01-01T00:00", "2030-01-01T00:00").complete);
    assert!(expand("FREQ=DAILY", "2025-01-01T00:00", "2025-12-01T00:00").complete);
}

#[test]
fn impossible_and_endless_rules_end_quickly() {
    let begun = Instant::now();
    for rule in [
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30,31,29;BYHOUR=3;BYMINUTE=0;BYSECOND=0;BYSETPOS=2",
        "FREQ=SECONDLY;INTERVAL=86400;BYHOUR=5",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=5",
        "FREQ=MINUTELY;BYDAY=MO;BYYEARDAY=1;BYMONTH=2",
        "FREQ=YEARLY;BYYEARDAY=1;BYMONTH=12;COUNT=50",
        "FREQ=YEARLY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366,-366",
        "FREQ=DAILY;INTERVAL=4294967295",
        "FREQ=YEARLY;INTERVAL=4294967295",
        "FREQ=SECONDLY;INTERVAL=4294967295;COUNT=18446744073709551615",
    ] {
        for start in
            ["0001-01-01T00:00", "2025-01-01T04:00", "9999-12-31T23:59:59", "-009999-01-01T00:00"]
        {
            expand(rule, start, "9999-12-31T23:59:59");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// A small generator, so that a failing rule can be had again from its seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn list(&mut self, low: i64, high: i64) -> String {
        let values = (0..=self.below(3)).map(|_| low + self.below((high - low + 1) as u64) as i64);
        values
            .filter(|&value| value != 0 || low == 0)
            .map(|value| value.to_string())
            .collect::<Vec<_>>()
            .join(",")
    }
}

fn random_rule(draw: &mut Draw) -> String {
    let frequency = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"][draw.below(5) as usize];
    let mut rule = format!("FREQ={frequency};INTERVAL={}", 1 + draw.below(4));
    let mut part = |draw: &mut Draw, one_in: u64, name: &str, low: i64, high: i64| {
        if draw.below(one_in) == 0 {
            let list = draw.list(low, high);
            if !list.is_empty() {
                rule.push_str(&format!(";{name}={list}"));
            }
        }
    };
    part(draw, 3, "BYMONTH", 1, 12);
    if frequency != "WEEKLY" {
        part(draw, 3, "BYMONTHDAY", -31, 31);
    }
    if matches!(frequency, "YEARLY" | "HOURLY") {
        part(draw, 6, "BYYEARDAY", -366, 366);
    }
    part(draw, 5, "BYHOUR", 0, 23);
    part(draw, 5, "BYMINUTE", 0, 59);
    if draw.below(2) == 0 {
        let ordinal =
            ["", "1", "-1", "2"][if frequency == "MONTHLY" { draw.below(4) as usize } else { 0 }];
        let days = ["MO", "TU", "FR", "SU"].map(|day| format!("{ordinal}{day}"));
        rule.push_str(&format!(";BYDAY={}", days[..1 + draw.below(4) as usize].join(",")));
        if frequency == "YEARLY" && draw.below(3) == 0 {
            rule.push_str(&format!(";BYWEEKNO={}", [1, 2, 20, 52, 53, -1][draw.below(6) as usize]));
        }
        if frequency != "WEEKLY" && draw.below(3) == 0 {
            rule.push_str(&format!(
                ";BYSETPOS={}",
                ["1", "-1", "2", "1,-1"][draw.below(4) as usize]
            ));
        }
    }
    rule + [";WKST=MO", ";WKST=SU", ""][draw.below(3) as usize]
}

/// The other implementation leaves out a DTSTART that the rule does not name; ours then comes
/// without its first.
#[test]
fn random_rules_give_what_another_implementation_gives() {
    use chrono::TimeZone;
    let start = rrule::Tz::UTC.with_ymd_and_hms(2024, 1, 31, 9, 30, 0).unwrap();
    let last = rrule::Tz::UTC.with_ymd_and_hms(2029, 12, 31, 0, 0, 0).unwrap();
    let mut compared = 0;
    for seed in 0..400 {
        let text = random_rule(&mut Draw(seed));
        let Ok(rule) = Rule::parse(&text) else { continue };
        let bounds = Bounds::until(at("2029-12-31T00:00:00"), 101);
        let ours = rule.expand(at("2024-01-31T09:30:00"), None, bounds).starts;
        // Unoptimised, the other implementation takes long over rules that hardly ever happen.
        if ours.len() < 60 {
            continue;
        }
        let theirs =
            text.parse::<rrule::RRule<rrule::Unvalidated>>().unwrap().until(last).build(start);
        let Ok(theirs) = theirs else { continue };
        let theirs = theirs.into_iter().take(50);
        let theirs: Vec<String> =
            theirs.map(|start| start.format("%Y-%m-%dT%H:%M:%S").to_string()).collect();
        let mut ours: Vec<String> = ours.iter().map(ToString::to_string).collect();
        if theirs.first() != ours.first() {
            ours.remove(0);
        }
        ours.truncate(50);
        assert_eq!(ours, theirs, "seed {seed}: {text}");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_window_holds_what_the_whole_rule_has_in_it_and_costs_what_it_touches() {
    let start = at("2019-01-31T09:30:00");
    for seed in 0..400 {
        let mut draw = Draw(seed);
        let text = random_rule(&mut draw);
        let Ok(rule) = Rule::parse(&text) else { continue };
        let whole = rule.expand(start, None, Bounds::until(at("2021-12-31T00:00:00"), 20_000));
        if !whole.complete {
            continue;
        }
        let first = start.checked_add(jiff::Span::new().days(draw.below(900) as i64)).unwrap();
        let last = first.checked_add(jiff::Span::new().days(draw.below(90) as i64)).unwrap();
        let bounds = Bounds { first, ..Bounds::until(last, 20_000) };
        let expected: Vec<DateTime> =
            whole.starts.into_iter().filter(|start| (first..=last).contains(start)).collect();
        assert_eq!(rule.expand(start, None, bounds).starts, expected, "seed {seed}: {text}");
    }
    let begun = Instant::now();
    let secondly = Rule::parse("FREQ=SECONDLY").unwrap();
    for _ in 0..1000 {
        let bounds = Bounds { first: at("2900-01-01T00:00"), ..Bounds::until(DateTime::MAX, 1) };
        assert_eq!(secondly.expand(start, None, bounds).starts, [at("2900-01-01T00:00")]);
    }
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}
