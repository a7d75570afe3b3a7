//! Series of calendars as one record each: what recall shows of them, what is derived from them,
//! and what becomes of the occurrences that earlier versions of the program recorded.

use engine::derive::Extent;
use engine::recall::episodes::{Query, Recollection};
use engine::write::import::{Intent, Report};
use engine::write::record::Prepared;
use importers::Context;
use jiff::Timestamp;
use jiff::civil::Date;
use kernel::evidence::Evidence;

use crate::support::Home;

/// 23 November 2026, a Monday.
const NOW: Timestamp = Timestamp::constant(1_795_392_000, 0);
const TODAY: Date = Date::constant(2026, 11, 23);

const LAB: &str = "BEGIN:VEVENT\nUID:lab\nSUMMARY:OpenLab\nDTSTART;TZID=Europe/Berlin:20170824T160000\n\
    DURATION:PT4H\nRRULE:FREQ=WEEKLY\nEXDATE;TZID=Europe/Berlin:20261224T160000\nEND:VEVENT\n";
const CAFE: &str = "BEGIN:VEVENT\nUID:cafe\nSUMMARY:Repair café\nDTSTART;TZID=Europe/Berlin:20190202T140000\n\
    DURATION:PT3H\nRRULE:FREQ=MONTHLY;BYDAY=1SA\nEND:VEVENT\n";
const COURSE: &str = "BEGIN:VEVENT\nUID:course\nSUMMARY:Pottery course\nDTSTART;TZID=Europe/Berlin:20250114T180000\n\
    DURATION:PT2H\nRRULE:FREQ=WEEKLY;COUNT=10\nEND:VEVENT\n";
const TALK: &str =
    "BEGIN:VEVENT\nUID:talk\nSUMMARY:Talk on glazes\nDTSTART:20261127T180000Z\nEND:VEVENT\n";

impl Home {
    fn import_calendar(&mut self, name: &str, events: &str) -> Report {
        let path = self.path(name);
        std::fs::write(&path, format!("BEGIN:VCALENDAR\n{events}END:VCALENDAR\n")).unwrap();
        let importer = importers::by_name("ical").unwrap();
        let context = Context::new(NOW, jiff::tz::TimeZone::UTC);
        self.space.import(importer, &path, &context, Intent::Write, |_| {}).unwrap()
    }

    fn recall(&self, question: &str) -> Vec<Recollection> {
        let query = Query { today: Some(TODAY), ..Query::new(question, 5) };
        self.space.recall(&query).unwrap().results
    }

    /// Title and day of each result.
    fn days(&self, question: &str) -> Vec<String> {
        let found = self.recall(question);
        let line = |hit: &Recollection| {
            let title = hit.evidence.payload.title.clone().unwrap_or_default();
            format!("{title} {}", hit.evidence.at.as_ref().unwrap().date())
        };
        found.iter().map(line).collect()
    }

    /// What is believed, a line each: text, since, until, last seen.
    fn beliefs(&mut self) -> Vec<String> {
        self.beliefs_of("routine.")
    }

    fn beliefs_of(&mut self, claim_type: &str) -> Vec<String> {
        self.space.derive(Extent::Changed, Intent::Write, NOW, |_| {}).unwrap();
        let day = |when: Option<&kernel::when::When>| {
            when.map_or("–".to_owned(), |when| when.date().to_string())
        };
        let beliefs = self.space.beliefs().unwrap();
        let routines = beliefs.iter().filter(|belief| belief.claim_type.starts_with(claim_type));
        let mut lines: Vec<String> = routines
            .map(|belief| {
                let last = belief.last_seen.as_ref().map(|last| &last.at);
                let (from, to) = (belief.valid_from.as_ref(), belief.valid_to.as_ref());
                format!("{}; {}, {}, {}", belief.text, day(from), day(to), day(last))
            })
            .collect();
        lines.sort();
        lines
    }
}

#[test]
fn a_question_for_a_day_finds_what_is_on_that_day_before_the_days_beside_it() {
    let mut home = Home::made_at(NOW);
    home.import_calendar("c.ics", &[LAB, CAFE, COURSE, TALK].concat());
    for question in ["events on 2026-11-26", "What is on 26 November 2026?"] {
        assert_eq!(home.days(question)[..2], ["OpenLab 2026-11-26", "Talk on glazes 2026-11-27"]);
    }
    assert_eq!(home.days("events on 2026-12-05")[0], "Repair café 2026-12-05");
    // Far from what was ever expanded.
    assert_eq!(home.days("events on 2031-01-02")[0], "OpenLab 2031-01-02");
    let left_out = home.days("events on 2026-12-24");
    assert!(!left_out.contains(&"OpenLab 2026-12-24".to_owned()), "{left_out:?}");
}

#[test]
fn the_next_and_the_last_occurrence_are_found_without_a_date() {
    let mut home = Home::made_at(NOW);
    home.import_calendar("c.ics", &[LAB, CAFE, COURSE, TALK].concat());
    assert_eq!(home.days("next OpenLab")[0], "OpenLab 2026-11-26");
    assert_eq!(home.days("the last OpenLab")[0], "OpenLab 2026-11-19");
    assert_eq!(home.days("the last pottery course")[0], "Pottery course 2025-03-18");
}

#[test]
fn a_question_without_a_time_shows_the_rule_and_the_next_occurrence() {
    let mut home = Home::made_at(NOW);
    home.import_calendar("c.ics", &[LAB, CAFE].concat());
    let hit = home.recall("Where is the repair café?").remove(0);
    let series = hit.series.unwrap();
    assert_eq!(series.rule, "every month on the first Saturday, 14:00–17:00, since 2019-02-02");
    assert_eq!(series.last.unwrap().at.date(), Date::constant(2026, 11, 7));
    assert_eq!(series.next.unwrap().at.date(), Date::constant(2026, 12, 5));
    assert_eq!(hit.evidence.at.unwrap().date(), Date::constant(2019, 2, 2));
}

#[test]
fn all_days_of_a_week_are_named_and_a_limit_is_kept() {
    let mut home = Home::made_at(NOW);
    let daily = LAB.replace("WEEKLY", "DAILY");
    home.import_calendar("c.ics", &daily);
    let hit = home.recall("events from 2026-11-23 to 2026-11-29").remove(0);
    assert_eq!(hit.series.unwrap().also.len(), 6);
    let mut query = Query { today: Some(TODAY), ..Query::new("OpenLab", 5) };
    let us = |text: &str| Some(text.parse::<Timestamp>().unwrap().as_microsecond());
    query.filter.since_us = us("2020-03-01T00:00:00Z");
    query.filter.until_us = us("2020-03-02T00:00:00Z");
    let found = home.space.recall(&query).unwrap().results;
    assert_eq!(found[0].evidence.at.as_ref().unwrap().date(), Date::constant(2020, 3, 1));
    query.filter.since_us = us("2010-03-01T00:00:00Z");
    query.filter.until_us = us("2010-03-02T00:00:00Z");
    assert!(home.space.recall(&query).unwrap().results.is_empty());
}

#[test]
fn series_that_happen_several_times_a_day_are_found_within_limits() {
    let mut home = Home::made_at(NOW);
    let event = |uid: &str, start: &str, rule: &str| {
        format!(
            "BEGIN:VEVENT\nUID:{uid}\nSUMMARY:Check {uid}\nDTSTART:{start}\nRRULE:{rule}\nEND:VEVENT\n"
        )
    };
    let events = [
        event("the oven", "20250602T031500Z", "FREQ=HOURLY;INTERVAL=6"),
        event("the pump", "20260601T060000Z", "FREQ=HOURLY;INTERVAL=12"),
        event("the tide", "20260601T060000Z", "FREQ=DAILY;BYHOUR=6,7,8,9,10,11;BYMINUTE=0,20,40"),
        event("the bees", "20260601T060000Z", "FREQ=MINUTELY"),
    ];
    home.import_calendar("guard.ics", &events.concat());
    let day_us = |day: &str| kernel::when::When::parse(day).unwrap().instant_us();
    let found = |question: &str, since: Option<&str>, until: Option<&str>| {
        let mut query = Query { today: Some(TODAY), ..Query::new(question, 1) };
        query.filter.since_us = since.map(day_us);
        query.filter.until_us = until.map(day_us);
        let results = home.space.recall(&query).unwrap().results;
        results.first().map(|hit| hit.evidence.at.as_ref().unwrap().as_str().to_owned())
    };
    let is_at = |found: Option<String>, at: &str| assert_eq!(found.as_deref(), Some(at));
    is_at(found("oven", Some("2025-06-20"), Some("2025-06-22")), "2025-06-21T21:15:00Z");
    is_at(found("pump", None, Some("2026-06-11")), "2026-06-10T18:00:00Z");
    is_at(found("tide", Some("2026-06-12"), Some("2026-06-13")), "2026-06-12T11:40:00Z");
    is_at(found("bees", Some("2026-06-12"), Some("2026-06-13")), "2026-06-12T23:59:00Z");
    is_at(found("bees", Some("2026-12-12"), None), "2026-12-12T00:00:00Z");
    assert_eq!(found("pump", None, Some("2025-06-02")), None);
}

#[test]
fn routines_say_the_rhythm_the_start_and_the_end_of_their_rule() {
    let mut home = Home::made_at(NOW);
    let third = LAB.replace("OpenLab", "Watering").replace("UID:lab", "UID:w");
    let third = third.replace("RRULE:FREQ=WEEKLY", "RRULE:FREQ=DAILY;INTERVAL=3");
    let off = LAB.replace("OpenLab", "#TEC - Fällt aus bis September").replace("UID:lab", "UID:t");
    home.import_calendar("c.ics", &[LAB, CAFE, COURSE, &third, &off].concat());
    assert_eq!(
        home.beliefs(),
        [
            "OpenLab on Thursdays in the afternoon, about 16:00; 2017-08-24, –, 2026-11-19",
            "Pottery course on Tuesdays in the evening, about 18:00; 2025-01-14, 2025-03-18, –",
            "Repair café every month on the first Saturday in the afternoon, about 14:00; 2019-02-02, –, 2026-11-07",
            "Watering every third day in the afternoon, about 16:00; 2017-08-24, –, 2026-11-20",
        ]
    );
}

#[test]
fn a_place_is_since_its_series_began_however_many_there_are() {
    let mut home = Home::made_at(NOW);
    let class = |uid: &str, start: &str| {
        format!(
            "BEGIN:VEVENT\nUID:{uid}\nSUMMARY:Class {uid}\nDTSTART;TZID=Europe/Berlin:{start}\n\
            DURATION:PT2H\nRRULE:FREQ=WEEKLY\nLOCATION:Room 12\\, Old Mill\nEND:VEVENT\n"
        )
    };
    home.import_calendar("a.ics", &class("a", "20100907T190000"));
    let often = "Often at Room 12, Old Mill, usually 19:00–21:00";
    assert_eq!(home.beliefs_of("place."), [format!("{often}; 2010-09-07, –, 2026-11-17")]);
    home.import_calendar("b.ics", &class("b", "20130910T190000"));
    assert_eq!(home.beliefs_of("place."), [format!("{often}; 2010-09-07, –, 2026-11-17")]);
}

#[test]
fn what_was_added_before_a_rule_began_is_not_the_beginning_of_the_routine() {
    let mut home = Home::made_at(NOW);
    home.import_calendar(
        "c.ics",
        "BEGIN:VEVENT\nUID:c\nSUMMARY:Choir\nDTSTART:20260105T190000Z\nDURATION:PT2H\n\
        RRULE:FREQ=WEEKLY;COUNT=10\nRDATE:20250901T190000Z\nEND:VEVENT\n",
    );
    assert_eq!(
        home.beliefs(),
        ["Choir on Mondays in the evening, about 19:00; 2026-01-05, 2026-03-09, –"]
    );
}

#[test]
fn the_same_uid_in_two_calendars_is_two_events_and_neither_supersedes_the_other() {
    let mut home = Home::made_at(NOW);
    let of = |name: &str| format!("X-WR-CALNAME:{name}\n{TALK}");
    for _ in 0..3 {
        home.import_calendar("a.ics", &of("A"));
        home.import_calendar("b.ics", &of("B"));
    }
    let mut names: Vec<String> =
        home.recall("glazes").into_iter().map(|hit| hit.evidence.source_uid).collect();
    names.sort();
    assert_eq!(names, ["A/talk", "B/talk"]);
    // Another file of the same calendar is the same calendar.
    let again = home.import_calendar("renamed.ics", &of("A"));
    assert_eq!((again.tally.added, again.tally.present), (0, 1));
}

/// An occurrence as earlier versions recorded it.
fn former(name: &str, at: &str, calendar: Option<&str>) -> Evidence {
    let mut json = serde_json::json!({
        "source": "ical", "source_uid": name, "kind": "event", "actor": null, "at": at,
        "summary": "OpenLab", "visibility": "project",
        "payload": {
            "text": "OpenLab", "title": "OpenLab", "session": "lab", "session_title": "OpenLab",
            "rrule": "FREQ=WEEKLY"
        }
    });
    if let Some((_, id)) = name.split_once('/') {
        json["payload"]["recurrence_id"] = id.into();
    }
    if let Some(calendar) = calendar {
        json["payload"]["calendar"] = calendar.into();
    }
    serde_json::from_value(json).unwrap()
}

#[test]
fn occurrences_of_earlier_versions_are_found_until_their_series_supersedes_them() {
    let mut home = Home::made_at(NOW);
    let old = [
        former("lab/20261119T150000Z", "2026-11-19T16:00:00+01:00[Europe/Berlin]", None),
        former("lab/20261126T150000Z", "2026-11-26T16:00:00+01:00[Europe/Berlin]", None),
        former("lab/20261203T150000Z", "2026-12-03T16:00:00+01:00[Europe/Berlin]", Some("Other")),
    ];
    let old = old.into_iter().map(|one| Prepared::new(one.into()).unwrap()).collect();
    home.space.record(old, NOW).unwrap();
    assert_eq!(home.days("events on 2026-11-26")[0], "OpenLab 2026-11-26");
    let report = home.import_calendar("c.ics", LAB);
    assert_eq!((report.tally.added, report.tally.replaced), (0, 1));
    let found = home.recall("OpenLab");
    let names: Vec<&str> = found.iter().map(|hit| hit.evidence.source_uid.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.contains(&"c/lab") && names.contains(&"lab/20261203T150000Z"), "{names:?}");
    assert_eq!(home.days("events on 2026-11-19")[0], "OpenLab 2026-11-19");
    let again = home.import_calendar("c.ics", LAB);
    assert_eq!((again.tally.added, again.tally.replaced, again.tally.present), (0, 0, 1));
}

#[test]
fn a_single_event_of_an_earlier_version_is_the_same_record() {
    let mut home = Home::made_at(NOW);
    let mut old = {
        let mut other = Home::made_at(NOW);
        other.import_calendar("c.ics", TALK);
        other.recall("glazes").remove(0).evidence
    };
    old.source_uid = "talk".to_owned();
    home.space.record(vec![Prepared::new(old.into()).unwrap()], NOW).unwrap();
    let report = home.import_calendar("c.ics", TALK);
    assert_eq!((report.tally.added, report.tally.present), (0, 1));
    let report = home.import_calendar("c.ics", &TALK.replace("glazes", "kilns"));
    assert_eq!((report.tally.added, report.tally.replaced), (0, 1));
    assert_eq!(home.days("talk"), ["Talk on kilns 2026-11-27"]);
}
