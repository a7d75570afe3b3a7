//! Calendars: what becomes of each kind of event, and of broken ones.

use std::time::{Duration, Instant};

use calendar::series::Series;
use importers::ImportError;

use crate::collect::{Collected, import_bytes, occurrences};

fn calendar(body: &str) -> Collected {
    let text = format!("BEGIN:VCALENDAR\nVERSION:2.0\n{}\nEND:VCALENDAR\n", body.trim());
    import_bytes("ical", text.as_bytes()).unwrap()
}

/// One event with UID `e`, DTEND an hour after `start` left to the body.
fn event(body: &str) -> Collected {
    calendar(&format!("BEGIN:VEVENT\nUID:e\n{}\nEND:VEVENT", body.trim()))
}

#[track_caller]
fn check(collected: &Collected, times: &str) {
    assert_eq!(collected.complaints(), "");
    assert_eq!(collected.times().trim(), times);
}

#[test]
fn a_single_event_says_what_when_where_and_who() {
    let collected = event(
        "SUMMARY:Gym\nDTSTART;TZID=Europe/Berlin:20250527T070000\nDTEND;TZID=Europe/Berlin:20250527T080000\n\
         LOCATION:Fitness First\\, Mitte\nGEO:52.52;13.405\nDESCRIPTION:Legs day\\nBring a towel\n\
         ORGANIZER;CN=Ana Ruiz:mailto:ana@example.org\nATTENDEE;CN=\"Ana Ruiz\":mailto:ana@example.org\n\
         ATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@example.org\nATTENDEE;CUTYPE=ROOM;CN=Room 1:mailto:r@example.org\n\
         ATTENDEE;PARTSTAT=DECLINED;CN=Cy:mailto:cy@example.org\nCATEGORIES:Health,#Sport\nSEQUENCE:3\n\
         STATUS:CONFIRMED\nURL:https://example.org/gym\nCLASS:PRIVATE\nTRANSP:TRANSPARENT\n\
         BEGIN:VALARM\nTRIGGER:-PT5M\nDESCRIPTION:beep\nEND:VALARM",
    );
    check(&collected, "e 2025-05-27T07:00:00+02:00[Europe/Berlin]");
    let json = serde_json::to_string_pretty(&collected.evidence[0]).unwrap();
    let expected = r#"{
  "source": "ical",
  "source_uid": "unnamed/e",
  "kind": "event",
  "actor": "Ana Ruiz",
  "at": "2025-05-27T07:00:00+02:00[Europe/Berlin]",
  "summary": "Gym, Tue 2025-05-27 07:00–08:00, Fitness First, Mitte",
  "visibility": "private",
  "payload": {
    "text": "Gym\nLegs day\nBring a towel\nFitness First, Mitte",
    "title": "Gym",
    "session": "e",
    "session_title": "Gym",
    "participants": [
      "Ana Ruiz",
      "bo@example.org"
    ],
    "tags": [
      "Health",
      "Sport"
    ],
    "links": [
      "https://example.org/gym"
    ],
    "end": "2025-05-27T08:00:00+02:00[Europe/Berlin]",
    "location": {
      "label": "Fitness First, Mitte",
      "lat": 52.52,
      "lon": 13.405
    },
    "declined": [
      "Cy"
    ],
    "sequence": 3,
    "status": "confirmed",
    "transparent": true
  }
}"#;
    assert_eq!(json, expected);
}

#[test]
fn a_weekly_event_keeps_its_local_time_over_the_change_of_the_clocks() {
    let collected = event(
        "DTSTART;TZID=Europe/Berlin:20250323T070000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2",
    );
    check(
        &collected,
        "e/20250323T060000Z 2025-03-23T07:00:00+01:00[Europe/Berlin]\n\
         e/20250330T050000Z 2025-03-30T07:00:00+02:00[Europe/Berlin]",
    );
    let [series] = &collected.evidence[..] else { panic!("{collected:?}") };
    let expected = serde_json::json!({
        "dtstart": "20250323T070000", "tzid": "Europe/Berlin", "duration": "PT1H",
        "rrule": [{ "rule": "FREQ=WEEKLY;COUNT=2", "last": "20250330T070000" }]
    });
    assert_eq!(series.payload.more["series"], expected);
    assert_eq!(
        series.payload.text,
        "Every Sunday, 07:00–08:00, since 2025-03-23, until 2025-03-30."
    );
}

#[test]
fn a_series_says_its_rule_and_what_is_different_on_single_days() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nSUMMARY:Repair café\nDTSTART;TZID=Europe/Berlin:20190202T140000\nDURATION:PT3H\n\
         RRULE:FREQ=MONTHLY;BYDAY=1SA\nEXDATE;TZID=Europe/Berlin:20190504T140000\nDESCRIPTION:Bring a toaster\n\
         LOCATION:Town hall\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:e\nSUMMARY:Repair café\nRECURRENCE-ID;TZID=Europe/Berlin:20190302T140000\n\
         DTSTART;TZID=Europe/Berlin:20190303T150000\nDURATION:PT3H\nDESCRIPTION:Bring a toaster\nLOCATION:Town hall\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:e\nSUMMARY:Repair café\nRECURRENCE-ID;TZID=Europe/Berlin:20190406T140000\n\
         DTSTART;TZID=Europe/Berlin:20190406T140000\nSTATUS:CANCELLED\nDESCRIPTION:Bring a toaster\nLOCATION:Town hall\nEND:VEVENT",
    );
    let [series] = &collected.evidence[..] else { panic!("{}", collected.times()) };
    assert_eq!(
        series.payload.text,
        "Repair café\nEvery month on the first Saturday, 14:00–17:00, since 2019-02-02; \
         cancelled on 2019-04-06; not on 2019-05-04; instead: 2019-03-02 moved to 2019-03-03.\n\
         Bring a toaster\nTown hall"
    );
    assert_eq!(
        series.summary,
        "Repair café, every month on the first Saturday, 14:00–17:00, since 2019-02-02, Town hall"
    );
    let series = Series::of(series).unwrap();
    let first: Vec<String> =
        occurrences(&series).iter().take(3).map(|one| one.at.to_string()).collect();
    assert_eq!(
        first,
        [
            "2019-02-02T14:00:00+01:00[Europe/Berlin]",
            "2019-03-03T15:00:00+01:00[Europe/Berlin]",
            "2019-06-01T14:00:00+02:00[Europe/Berlin]"
        ]
    );
}

#[test]
fn days_of_a_series_that_exchange_names_by_their_midnight_are_moved_and_not_doubled() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nSUMMARY:Bins\nDTSTART;VALUE=DATE:20200402\nDTEND;VALUE=DATE:20200403\n\
         RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=TH\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:e\nSUMMARY:Bins\nRECURRENCE-ID;TZID=GMT Standard Time:20200416T000000\n\
         DTSTART;VALUE=DATE:20200417\nDTEND;VALUE=DATE:20200418\nEND:VEVENT",
    );
    check(&collected, "e/20200402 2020-04-02\ne/20200416 2020-04-17\ne/20200430 2020-04-30");
}

#[test]
fn one_uid_in_two_calendars_is_two_events() {
    let of = |name: &str| {
        let text = format!(
            "BEGIN:VCALENDAR\nX-WR-CALNAME:{name}\nBEGIN:VEVENT\nUID:1\nDTSTART:20250101\nEND:VEVENT\nEND:VCALENDAR"
        );
        import_bytes("ical", text.as_bytes()).unwrap().evidence.remove(0).source_uid
    };
    assert_eq!(of("Holidays: Spain"), "Holidays: Spain/1");
    assert_ne!(of("Holidays: Spain"), of("Holidays: Italy"));
    // A message between calendars comes in another file each time.
    let message = calendar("METHOD:REQUEST\nBEGIN:VEVENT\nUID:1\nDTSTART:20250101\nEND:VEVENT");
    assert_eq!(message.evidence[0].source_uid, "1");
}

#[test]
fn local_times_that_do_not_exist_or_exist_twice_follow_the_rfc() {
    let collected = event("DTSTART;TZID=Europe/Berlin:20250329T023000\nRRULE:FREQ=DAILY;COUNT=2");
    assert!(
        collected
            .times()
            .ends_with("e/20250330T013000Z 2025-03-30T03:30:00+02:00[Europe/Berlin]\n")
    );
    let collected = event("DTSTART;TZID=Europe/Berlin:20251026T023000");
    check(&collected, "e 2025-10-26T02:30:00+02:00[Europe/Berlin]");
}

#[test]
fn floating_and_utc_times_stay_what_they_are() {
    check(&event("DTSTART:20250527T070000"), "e 2025-05-27T07:00:00");
    check(&event("DTSTART:20250527T070000Z"), "e 2025-05-27T07:00:00Z");
}

#[test]
fn utc_times_are_seen_from_the_zone_of_the_calendar_where_it_says_one() {
    let collected = calendar(
        "X-WR-CALNAME:Ana\nX-WR-TIMEZONE:America/New_York\n\
         BEGIN:VEVENT\nUID:e\nDTSTART:20250527T110000Z\nDTEND:20250527T120000Z\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:f\nDTSTART:20250527T070000\nEND:VEVENT",
    );
    check(
        &collected,
        "Ana/e 2025-05-27T07:00:00-04:00[America/New_York]\nAna/f 2025-05-27T07:00:00",
    );
    assert!(collected.evidence[0].summary.ends_with("07:00–08:00"));
    assert_eq!(collected.evidence[0].payload.more["calendar"], "Ana");
}

#[test]
fn an_all_day_event_is_dates_and_its_end_is_its_last_day() {
    let collected = event("SUMMARY:Lisbon\nDTSTART;VALUE=DATE:20250602\nDTEND;VALUE=DATE:20250605");
    check(&collected, "e 2025-06-02");
    let record = &collected.evidence[0];
    assert_eq!(record.payload.end.as_ref().unwrap().as_str(), "2025-06-04");
    assert_eq!(record.payload.more["all_day"], true);
    assert_eq!(record.summary, "Lisbon, Mon 2025-06-02 – Wed 2025-06-04");
    let one_day = event("SUMMARY:Holiday\nDTSTART;VALUE=DATE:20250602\nDTEND;VALUE=DATE:20250603");
    assert_eq!(one_day.evidence[0].payload.end, None);
    assert_eq!(one_day.evidence[0].summary, "Holiday, Mon 2025-06-02");
}

#[test]
fn exceptions_and_additions_are_honoured_however_they_are_written() {
    let collected = event(
        "DTSTART;TZID=Europe/Berlin:20250602T070000\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=20250606T050000Z\n\
         EXDATE;TZID=Europe/Berlin:20250603T070000\nEXDATE:20250604T050000Z\nEXDATE;VALUE=DATE:20250605\n\
         RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20250610T090000/PT30M",
    );
    check(
        &collected,
        "e/20250602T050000Z 2025-06-02T07:00:00+02:00[Europe/Berlin]\n\
         e/20250606T050000Z 2025-06-06T07:00:00+02:00[Europe/Berlin]\n\
         e/20250610T070000Z 2025-06-10T09:00:00+02:00[Europe/Berlin]",
    );
    let series = Series::of(&collected.evidence[0]).unwrap();
    let added = occurrences(&series).pop().unwrap();
    assert_eq!(added.end.unwrap().to_string(), "2025-06-10T09:30:00+02:00[Europe/Berlin]");
}

#[test]
fn a_moved_occurrence_keeps_the_name_of_its_original_start() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nRECURRENCE-ID:20250603T050000Z\nSUMMARY:Late gym\nDTSTART:20250603T160000Z\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:e\nSUMMARY:Gym\nDTSTART;TZID=Europe/Berlin:20250602T070000\nRRULE:FREQ=DAILY;COUNT=3\nEND:VEVENT",
    );
    check(
        &collected,
        "e/20250603T050000Z 2025-06-03T16:00:00Z\n\
         e/20250602T050000Z 2025-06-02T07:00:00+02:00[Europe/Berlin]\n\
         e/20250604T050000Z 2025-06-04T07:00:00+02:00[Europe/Berlin]",
    );
}

#[test]
fn a_change_to_this_and_future_occurrences_moves_them_all() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nSUMMARY:Gym\nDTSTART:20250602T070000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:e\nRECURRENCE-ID;RANGE=THISANDFUTURE:20250604T070000\nSUMMARY:Swim\n\
         DTSTART:20250604T083000\nDURATION:PT2H\nEND:VEVENT",
    );
    let summaries: Vec<_> =
        collected.evidence.iter().map(|record| record.summary.as_str()).collect();
    assert_eq!(
        summaries,
        [
            "Gym, every day, 07:00–08:00, since 2025-06-02, until 2025-06-03",
            "Swim, every day, 08:30–10:30, since 2025-06-04, until 2025-06-05"
        ]
    );
    assert_eq!(collected.names(), ["e", "e/20250604T070000"]);
}

#[test]
fn a_cancelled_event_is_not_recorded_as_an_event() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nSUMMARY:Gym\nDTSTART:20250602T070000\nRRULE:FREQ=DAILY;COUNT=2\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:e\nSUMMARY:Gym\nRECURRENCE-ID:20250603T070000\nDTSTART:20250603T070000\nSTATUS:CANCELLED\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:f\nSUMMARY:Trip\nDTSTART:20250604T070000\nSTATUS:cancelled\nEND:VEVENT",
    );
    let kinds: Vec<_> = collected.evidence.iter().map(|record| record.kind.0.as_str()).collect();
    assert_eq!(kinds, ["event", "cancellation"]);
    assert_eq!(
        collected.evidence[0].payload.text,
        "Gym\nEvery day, 07:00, since 2025-06-02, until 2025-06-02; cancelled on 2025-06-03."
    );
    assert_eq!(collected.evidence[1].summary, "Cancelled: Trip, Wed 2025-06-04 07:00");
}

#[test]
fn a_cancelled_occurrence_with_words_of_its_own_is_a_record() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nSUMMARY:Gym\nDTSTART:20250602T070000\nRRULE:FREQ=DAILY;COUNT=2\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:e\nSUMMARY:Gym\nDESCRIPTION:Burst pipe\nRECURRENCE-ID:20250603T070000\n\
         DTSTART:20250603T070000\nSTATUS:CANCELLED\nEND:VEVENT",
    );
    check(
        &collected,
        "e/20250602T070000 2025-06-02T07:00:00\ne/20250603T070000 2025-06-03T07:00:00",
    );
    assert_eq!(collected.evidence[1].kind.0, "cancellation");
}

#[test]
fn a_calendar_that_is_a_cancellation_cancels_its_events() {
    let collected =
        calendar("METHOD:CANCEL\nBEGIN:VEVENT\nUID:e\nDTSTART:20250602T070000\nEND:VEVENT");
    assert_eq!(collected.evidence[0].kind.0, "cancellation");
}

#[test]
fn several_calendars_in_one_file_are_all_read() {
    let one = |uid: &str| {
        format!(
            "BEGIN:VCALENDAR\r\nX-WR-CALNAME:{uid}\r\nBEGIN:VEVENT\r\nUID:{uid}\r\n\
         DTSTART:20250602\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        )
    };
    let collected = import_bytes("ical", (one("a") + &one("b")).as_bytes()).unwrap();
    check(&collected, "a/a 2025-06-02\nb/b 2025-06-02");
    assert_eq!(collected.evidence[1].payload.more["calendar"], "b");
}

#[test]
fn an_endless_series_has_no_end() {
    let collected = event("DTSTART:20250101T090000Z\nRRULE:FREQ=MONTHLY");
    assert_eq!(collected.evidence.len(), 1);
    assert!(collected.times().ends_with("2026-06-01T09:00:00Z\n"));
    let series = Series::of(&collected.evidence[0]).unwrap();
    assert_eq!(series.last(), None);
    let later = series.next_from(jiff::civil::date(2999, 12, 2)).unwrap();
    assert_eq!(later.at.to_string(), "3000-01-01T09:00:00Z");
}

#[test]
fn a_series_that_happens_too_often_is_one_record_and_costs_nothing() {
    let begun = Instant::now();
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nDTSTART:20250101T000000Z\nRRULE:FREQ=SECONDLY\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:f\nDTSTART:20250101T000000Z\nRRULE:FREQ=SECONDLY;COUNT=1000000\nEND:VEVENT",
    );
    assert_eq!(collected.evidence.len(), 2);
    assert_eq!(
        collected.complaints(),
        "11: the series is too long; only its first 10000 occurrences were taken\n"
    );
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn an_unknown_zone_is_reported_once_and_its_times_are_local() {
    let collected =
        event("DTSTART;TZID=Nowhere:20250527T070000\nDTEND;TZID=Nowhere:20250527T080000");
    assert_eq!(collected.times(), "e 2025-05-27T07:00:00\n");
    assert_eq!(
        collected.complaints(),
        "5: the time zone \"Nowhere\" is unknown; its times were read as local times\n"
    );
}

#[test]
fn a_zone_defined_after_its_use_counts() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:e\nDTSTART;TZID=Ship:20250527T070000\nEND:VEVENT\n\
         BEGIN:VTIMEZONE\nTZID:Ship\nBEGIN:STANDARD\nDTSTART:20000101T000000\nTZOFFSETFROM:+0130\nTZOFFSETTO:+0130\n\
         END:STANDARD\nEND:VTIMEZONE",
    );
    check(&collected, "e 2025-05-27T07:00:00+01:30");
    assert_eq!(collected.evidence[0].payload.more["tzid"], "Ship");
}

#[test]
fn contradictory_rules_are_reported_and_end_at_once() {
    let begun = Instant::now();
    for (rule, times, complaint) in [
        (
            "FREQ=DAILY;UNTIL=20240101",
            0,
            "the rule ends (UNTIL) before the event starts; it never happens",
        ),
        (
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31",
            1,
            "the recurrence rule never happens: no month it names has such a day; the event was taken as happening once",
        ),
        (
            "FREQ=DAILY;INTERVAL=0",
            1,
            "INTERVAL=0 in the recurrence rule is not valid; the event was taken as happening once",
        ),
        (
            "FREQ=DAILY;COUNT=3;UNTIL=20250603",
            2,
            "the rule has both COUNT and UNTIL; it ends with the earlier of them",
        ),
        (
            "FREQ=WEEKLY;UNTIL=soon",
            1,
            "UNTIL in the recurrence rule is not a date or time; the event was taken as happening once",
        ),
    ] {
        let collected = event(&format!("DTSTART:20250602T070000Z\nRRULE:{rule}"));
        assert_eq!(collected.times().lines().count(), times, "{rule}");
        assert_eq!(collected.complaints(), format!("6: {complaint}\n"));
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn broken_events_are_reported_with_their_line_and_the_others_go_in() {
    let collected = calendar(
        "BEGIN:VEVENT\nUID:a\nSUMMARY:no start\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:b\nDTSTART:tomorrow\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:c\nDTSTART:99991231T235959Z\nDURATION:P9D\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:d\nDTSTART:00010101\nRRULE:FREQ=YEARLY;INTERVAL=50\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:g\nDTSTART:20250602T080000\nDTEND:20250602T070000\nEND:VEVENT\n\
         BEGIN:VEVENT\nUID:h\nthis line is prose\nDTSTART:20250602T080000\nEND:VEVENT",
    );
    let expected = "3: an event without DTSTART; it was left out\n\
                    9: DTSTART was left out: \"tomorrow\" is not a date or time of iCalendar\n\
                    13: a time at the very end of the calendar; the occurrence was left out\n\
                    24: the event ends before it starts; the two were exchanged\n\
                    28: this line is not of the form NAME:value; it was left out\n";
    assert_eq!(collected.complaints(), expected);
    assert_eq!(collected.names(), ["d", "g", "h"]);
    assert!(collected.times().starts_with("d/00010101 0001-01-01\nd/00510101 0051-01-01\n"));
}

#[test]
fn tasks_and_journal_entries_have_their_own_kinds() {
    let collected = calendar(
        "BEGIN:VTODO\nUID:t\nSUMMARY:File taxes\nDUE;VALUE=DATE:20250731\nSTATUS:COMPLETED\nCOMPLETED:20250701T100000Z\n\
         CREATED:20250601T080000Z\nEND:VTODO\n\
         BEGIN:VJOURNAL\nUID:j\nSUMMARY:A good day\nDESCRIPTION:Swam in the lake.\nDTSTART;VALUE=DATE:20250601\nEND:VJOURNAL",
    );
    check(&collected, "t 2025-06-01T08:00:00Z\nj 2025-06-01");
    let [task, note] = &collected.evidence[..] else { panic!() };
    assert_eq!((task.kind.0.as_str(), note.kind.0.as_str()), ("task", "note"));
    assert_eq!(task.summary, "Task: File taxes, due Thu 2025-07-31 (completed)");
    assert_eq!(task.payload.more["due"], "2025-07-31");
    assert_eq!(note.payload.text, "A good day\nSwam in the lake.");
}

#[test]
fn an_event_without_uid_has_the_same_name_at_every_import() {
    let import =
        || calendar("BEGIN:VEVENT\nSUMMARY:x\nDTSTART:20250602T070000\nEND:VEVENT").times();
    assert_eq!(import(), import());
    assert!(import().starts_with("without-uid-"));
}

#[test]
fn a_description_in_html_is_read_as_text() {
    let collected = event(
        "DTSTART:20250602T070000\nSUMMARY:x\nDESCRIPTION:<p>Bring <b>cake</b></p><br>and tea",
    );
    let text = &collected.evidence[0].payload.text;
    assert!(
        text.contains("Bring cake") && text.contains("and tea") && !text.contains('<'),
        "{text}"
    );
}

#[test]
fn bytes_that_are_not_a_calendar_give_an_error_and_never_a_panic() {
    for bytes in
        [&b""[..], b"hello", b"From me@example.org\n\nhi", &[0xff; 100_000], &[b'\n'; 10_000]]
    {
        assert!(matches!(import_bytes("ical", bytes), Err(ImportError::Format { .. })));
    }
}

#[test]
fn binary_bytes_and_endless_lines_do_no_harm() {
    let mut bytes =
        b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e\nDTSTART:20250602\nSUMMARY:caf\xe9\nDESCRIPTION:"
            .to_vec();
    bytes.extend(std::iter::repeat_n(b'x', 5_000_000));
    bytes.extend(b"\nEND:VEVENT\nEND:VCALENDAR");
    let collected = import_bytes("ical", &bytes).unwrap();
    assert_eq!(collected.evidence[0].payload.title.as_deref(), Some("caf\u{e9}"));
    assert!(collected.evidence[0].payload.text.len() < 2_000_000);
    assert_eq!(collected.problems[0].line, Some(6));
    assert_eq!(collected.bytes, bytes.len() as u64);
}

#[test]
fn every_beginning_of_a_file_is_read_without_a_panic() {
    let whole = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e\nDTSTART;TZID=\"Europe/Berlin\":20250602T070000\nDURATION:P1DT2H\n\
                 RRULE:FREQ=MONTHLY;BYDAY=-1MO;COUNT=3\nEXDATE:20250630T050000Z,\nATTENDEE;CN=^'Ä^n^^:mailto:x@example.org\n\
                 END:VEVENT\nEND:VCALENDAR\n";
    for end in 0..=whole.len() {
        let _ = import_bytes("ical", &whole.as_bytes()[..end]);
    }
}

#[test]
fn ten_thousand_events_at_one_time_all_go_in_and_a_sink_may_stop_them() {
    let body: String = (0..10_000)
        .map(|n| {
            format!("BEGIN:VEVENT\nUID:{n}\nDTSTART:20250602T070000\nDURATION:P30D\nSUMMARY:Event {n}\nEND:VEVENT\n")
        })
        .collect();
    assert_eq!(calendar(&body).evidence.len(), 10_000);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("BEGIN:VCALENDAR\n{body}END:VCALENDAR\n")).unwrap();
    let mut few = Collected { stop_after: Some(3), ..Collected::default() };
    crate::collect::import("ical", file.path(), &mut few).unwrap();
    assert_eq!(few.evidence.len(), 3);
}

#[test]
fn properties_meant_for_programs_do_not_become_text() {
    let rule = format!("-::{}::-", "~:".repeat(20));
    let description =
        format!("Bring <b>tiles</b><br>{rule}\\nJoin: https://meet.test/abc\\nPIN: 1\\n{rule}");
    let collected =
        event(&format!("SUMMARY:Kiln\nDTSTART:20250505T090000\nDESCRIPTION:{description}"));
    check(&collected, "e 2025-05-05T09:00:00");
    assert_eq!(collected.evidence[0].payload.text, "Kiln\nBring tiles");
    assert_eq!(collected.evidence[0].payload.links, ["https://meet.test/abc"]);
}

#[test]
fn a_day_of_outlook_is_a_day_and_its_cancellation_says_so_once() {
    let day = "SUMMARY:Canceled: Day off\nSTATUS:CANCELLED\nDTSTART:20250509T000000\nDTEND:20250510T000000\n\
               X-MICROSOFT-CDO-ALLDAYEVENT:TRUE";
    let collected = event(day);
    check(&collected, "e 2025-05-09");
    assert_eq!(collected.evidence[0].summary, "Canceled: Day off, Fri 2025-05-09");
    assert_eq!(collected.evidence[0].payload.text, "Canceled: Day off");
}

#[test]
fn the_text_of_a_task_says_when_it_is_due() {
    let collected =
        calendar("BEGIN:VTODO\nUID:t\nSUMMARY:Order wax\nDUE;VALUE=DATE:20260301\nEND:VTODO");
    assert_eq!(collected.evidence[0].payload.text, "Order wax\nDue Sun 2026-03-01");
}

#[test]
fn a_long_description_is_not_multiplied_by_every_occurrence_of_a_long_series() {
    let event = format!(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20250101T000000Z\nRRULE:FREQ=HOURLY\nDESCRIPTION:{}\nEND:VEVENT\n\
         END:VCALENDAR\n",
        "abcdefg ".repeat(16_000)
    );
    let collected = import_bytes("ical", event.as_bytes()).unwrap();
    let bytes: usize = collected.evidence.iter().map(|record| record.payload.text.len()).sum();
    assert!(bytes < 2 * event.len(), "{bytes}");
    assert_eq!(collected.complaints(), "");
}
