//! Which routines follow from which events.

use derivers::Candidate;
use derivers::routines::Routines;
use kernel::evidence::Evidence;
use serde_json::json;

use crate::records::{derive, event, every, evidence, in_series, keys, records, records_at};
use crate::support::presumed_until;

/// Events of one title at these times.
fn events(title: &str, times: impl IntoIterator<Item = String>) -> Vec<Evidence> {
    times.into_iter().map(|at| event(title, &at)).collect()
}

fn routines(evidence: impl IntoIterator<Item = Evidence>) -> Vec<Candidate> {
    derive(&Routines::default(), &records(evidence))
}

/// The only routine.
fn routine(evidence: impl IntoIterator<Item = Evidence>) -> Candidate {
    let mut routines = routines(evidence);
    assert_eq!(routines.len(), 1, "{:?}", keys(&routines));
    routines.remove(0)
}

fn tuesdays_and_thursdays(count: i64) -> Vec<Evidence> {
    let tuesdays =
        events("Gym", every(7, "2025-05-06", "T07:00:00+02:00[Europe/Berlin]", (count + 1) / 2));
    let thursdays =
        events("Gym", every(7, "2025-05-08", "T07:00:00+02:00[Europe/Berlin]", count / 2));
    tuesdays.into_iter().chain(thursdays).collect()
}

#[track_caller]
fn check(evidence: Vec<Evidence>, expect: &[&str]) {
    assert_eq!(keys(&routines(evidence)), expect);
}

#[test]
fn a_weekly_habit_yields_a_claim_with_its_days_time_and_rationale() {
    let mut evidence = tuesdays_and_thursdays(9);
    for event in &mut evidence {
        let end = event.at.as_ref().unwrap().as_str().replace("T07", "T08");
        event.payload.end = Some(kernel::when::When::parse(&end).unwrap());
    }
    let gym = routine(evidence);
    assert_eq!(gym.identity_key, "routine.weekly|gym|tue,thu|morning");
    assert_eq!(gym.claim_type, "routine.weekly");
    assert_eq!(gym.text, "Gym on Tuesdays and Thursdays in the morning, about 07:00");
    let payload = json!({
        "title": "Gym", "days": ["tue", "thu"], "daypart": "morning", "start": "07:00", "duration_minutes": 60,
        "interval_weeks": 1,
    });
    assert_eq!(gym.payload, payload);
    let why = "9 matching calendar events over 5 weeks; inter-event spacing CV 0.00; most recent occurrence 2025-06-03";
    assert_eq!(gym.rationale, why);
    assert_eq!(gym.valid_from.as_ref().unwrap().as_str(), "2025-05-06");
    assert_eq!(presumed_until(&gym), "2025-06-25");
    assert_eq!(gym.inputs.len(), 9);
    assert!(gym.inputs.iter().all(|input| input.role == "supporting_event"));
    let factors: Vec<&str> = gym.basis.factors.iter().map(|factor| factor.name.as_str()).collect();
    assert_eq!(factors, ["occurrence_count", "weeks", "regularity", "coincidence"]);
    assert_eq!(gym.basis.factors[0].value, 9.0);
    assert_eq!(gym.basis.factors[2].value, 0.818182);
}

#[test]
fn retracting_three_of_nine_leaves_what_six_give() {
    let nine = tuesdays_and_thursdays(9);
    let six = routine(nine[..3].iter().chain(&nine[5..8]).cloned());
    let again = routine(
        nine.iter()
            .enumerate()
            .filter(|(number, _)| ![3, 4, 8].contains(number))
            .map(|(_, event)| event.clone()),
    );
    assert_eq!(six.basis, again.basis);
    assert_eq!((&six.payload, &six.rationale), (&again.payload, &again.rationale));
    assert!(six.basis.confidence() < routine(nine).basis.confidence());
}

#[test]
fn one_title_can_have_several_habits() {
    let mut evidence = tuesdays_and_thursdays(16);
    evidence.extend(events("Gym", every(7, "2025-05-10", "T15:00:00", 8)));
    check(evidence, &["routine.weekly|gym|sat|afternoon", "routine.weekly|gym|tue,thu|morning"]);
}

#[test]
fn one_occurrence_on_another_day_neither_makes_nor_changes_a_habit() {
    let mut evidence = tuesdays_and_thursdays(9);
    evidence.push(event("Gym", "2025-05-16T07:00:00"));
    evidence.push(event("Gym", "2025-05-17T18:00:00"));
    let gym = routine(evidence);
    assert_eq!(gym.identity_key, "routine.weekly|gym|tue,thu|morning");
    assert_eq!(gym.inputs.len(), 9);
    assert!(gym.rationale.contains("2 occurrences at other times"), "{}", gym.rationale);
    assert!(gym.basis.confidence() < routine(tuesdays_and_thursdays(9)).basis.confidence());
}

#[test]
fn a_habit_on_every_day_is_daily_and_one_on_weekdays_is_weekly() {
    let all = "mon,tue,wed,thu,fri,sat,sun";
    check(
        events("Run", every(1, "2025-03-01", "T06:30:00", 30)),
        &[&format!("routine.daily|run|{all}|morning")],
    );
    check(
        events("Run", every(1, "2025-03-01", "T06:30:00", 9)),
        &[&format!("routine.daily|run|{all}|morning")],
    );
    let weekdays = (0..5).flat_map(|day| {
        let first = format!("2025-03-{:02}", 3 + day);
        events("Standup", every(7, &first, "T09:15:00", 4))
    });
    let standup = routine(weekdays);
    assert_eq!(standup.identity_key, "routine.weekly|standup|mon,tue,wed,thu,fri|morning");
    assert_eq!(standup.text, "Standup on weekdays in the morning, about 09:15");
    let daily = routine(events("Run", every(1, "2025-03-01", "T06:30:00", 30)));
    assert_eq!(daily.text, "Run every day in the morning, about 06:30");
    assert_eq!(presumed_until(&daily), "2025-04-09");
}

#[test]
fn a_habit_that_moved_to_another_day_is_two_claims_one_after_the_other() {
    let mut evidence = events("Choir", every(7, "2025-01-07", "T19:00:00", 8));
    evidence.extend(events("Choir", every(7, "2025-03-05", "T19:00:00", 8)));
    let routines = routines(evidence);
    assert_eq!(
        keys(&routines),
        ["routine.weekly|choir|tue|evening", "routine.weekly|choir|wed|evening"]
    );
    assert_eq!(routines[0].valid_to.as_ref().unwrap().as_str(), "2025-03-05");
    assert_eq!(routines[1].valid_from.as_ref().unwrap().as_str(), "2025-03-05");
}

#[test]
fn a_habit_with_two_seasons_is_one_claim_valid_since_the_later_one() {
    let mut evidence = events("Skating", every(7, "2023-11-04", "T10:00:00", 15));
    evidence.extend(events("Skating", every(7, "2024-11-02", "T10:00:00", 5)));
    let skating = routine(evidence.clone());
    assert_eq!(skating.identity_key, "routine.weekly|skating|sat|morning");
    assert_eq!(skating.valid_from.as_ref().unwrap().as_str(), "2024-11-02");
    assert!(
        skating
            .rationale
            .starts_with("20 matching calendar events in 2 seasons, the latest over 5 weeks"),
        "{}",
        skating.rationale
    );
    let later = evidence.split_off(15);
    assert!(skating.basis.confidence() > routine(later).basis.confidence());
    // One more a year later does not make a season.
    evidence.push(event("Skating", "2024-11-02T10:00:00"));
    assert_eq!(routine(evidence).valid_from.unwrap().as_str(), "2023-11-04");
}

#[test]
fn every_second_week_is_recognised() {
    let cleaning = routine(events("Cleaning", every(14, "2025-01-06", "T13:00:00", 10)));
    assert_eq!(cleaning.identity_key, "routine.weekly|cleaning|mon|afternoon");
    assert_eq!(cleaning.payload["interval_weeks"], json!(2));
    assert_eq!(cleaning.text, "Cleaning every second Monday in the afternoon, about 13:00");
    assert!(cleaning.basis.confidence() > 0.7);
    let last_and_six_weeks = "2025-06-24";
    assert_eq!(presumed_until(&cleaning), last_and_six_weeks);
}

#[test]
fn records_that_did_not_happen_or_have_no_time_of_day_yield_nothing() {
    let times = || every(7, "2025-05-06", "T07:00:00", 9);
    let dates = || every(7, "2025-05-06", "", 9);
    check(times().iter().map(|at| evidence("cancellation", "Gym", at)).collect(), &[]);
    check(times().iter().map(|at| evidence("task", "Gym", at)).collect(), &[]);
    check(times().iter().map(|at| evidence("turn", "Gym", at)).collect(), &[]);
    check(events("Canceled: Gym", times()), &[]);
    check(events("Bin day", dates()), &[]);
    check(events("", times()), &[]);
    check(events("…", times()), &[]);
    check(dates().iter().map(|at| evidence("note", "Gym", at)).collect(), &[]);
    check(times().iter().map(|at| evidence("note", "2025-05-06", at)).collect(), &[]);
    check(events("Ana's birthday", every(364, "2018-05-06", "T18:00:00", 9)), &[]);
}

#[test]
fn notes_with_a_time_of_day_count_like_events() {
    let keyed = ["routine.weekly|gym|tue|morning"];
    check(
        every(7, "2025-05-06", "T07:00:00", 4)
            .iter()
            .map(|at| evidence("note", "Gym", at))
            .collect(),
        &keyed,
    );
    let dated = |title: &str, text: &str| -> Vec<Evidence> {
        let mut notes: Vec<Evidence> =
            every(7, "2025-05-06", "", 4).iter().map(|at| evidence("note", title, at)).collect();
        notes.iter_mut().for_each(|note| note.payload.text = format!("Diary › {title}\n\n{text}"));
        notes
    };
    check(dated("Gym", "In the morning, with Ana."), &keyed);
    check(dated("Gym 07:00", "Bench."), &keyed);
    check(dated("2025-05-06 Gym", "7:30am"), &keyed);
    let mut untitled = dated("", "");
    untitled.iter_mut().for_each(|note| {
        note.payload.title = None;
        note.payload.text = "Gym: 7am, bench and rows".to_owned();
    });
    let gym = routine(untitled);
    assert_eq!(gym.identity_key, keyed[0]);
    assert!(gym.inputs.iter().all(|input| input.role == "supporting_note"));
    assert!(gym.rationale.starts_with("4 matching notes over 4 weeks"), "{}", gym.rationale);
}

#[test]
fn a_second_source_corroborates_and_a_second_calendar_does_not() {
    let alone = tuesdays_and_thursdays(6);
    let mut noted = alone.clone();
    noted.extend(
        alone
            .iter()
            .map(|event| evidence("note", "Gym", &event.at.as_ref().unwrap().date().to_string())),
    );
    let noted = routine(noted);
    assert_eq!(noted.inputs.len(), 12);
    assert!(noted.basis.confidence() > routine(alone.clone()).basis.confidence());
    let mut twice = alone.clone();
    twice.extend(alone.iter().cloned().map(|mut event| {
        event.source_uid.push_str("@work");
        event.payload.more.insert("calendar".to_owned(), "Work".into());
        event
    }));
    let twice = routine(twice);
    assert_eq!(twice.inputs.len(), 12);
    assert_eq!(twice.basis, routine(alone).basis);
}

#[test]
fn a_series_is_one_statement_and_its_occurrences_weigh_less() {
    let times = || every(7, "2025-05-06", "T07:00:00", 9);
    let entered = routine(events("Gym", times()));
    let series = routine(times().iter().map(|at| in_series("Gym", at)));
    assert_eq!(entered.basis.factors[0].value, 9.0);
    assert_eq!(series.basis.factors[0].value, 5.4);
    assert!(
        series
            .basis
            .factors
            .iter()
            .any(|factor| factor.name == "recurring_series" && factor.value == 9.0)
    );
    check(
        times().iter().take(2).map(|at| in_series("Gym", at)).collect(),
        &["routine.weekly|gym|tue|morning"],
    );
    check(events("Gym", times().into_iter().take(2)), &[]);
}

#[test]
fn a_future_event_is_a_plan_until_a_later_record_arrives() {
    let times = every(7, "2025-05-06", "T07:00:00", 9);
    let recorded_on = |recorded: &str| {
        derive(&Routines::default(), &records_at(recorded, events("Gym", times.clone()))).remove(0)
    };
    let planned = recorded_on("2025-05-01T00:00:00Z");
    let half = recorded_on("2025-05-28T12:00:00Z");
    let past = recorded_on("2025-07-01T00:00:00Z");
    assert!(planned.basis.confidence() < half.basis.confidence());
    assert!(half.basis.confidence() < past.basis.confidence());
    assert!(planned.rationale.starts_with("only plans, over 9 weeks"), "{}", planned.rationale);
    assert!(
        half.rationale
            .starts_with("4 matching calendar events over 9 weeks; 5 more occurrences planned"),
        "{}",
        half.rationale
    );
    assert_eq!(planned.identity_key, past.identity_key);
    assert_eq!(planned.last_seen, past.last_seen);
}

#[test]
fn day_and_daypart_follow_local_time() {
    let mut evidence = events("Run", every(7, "2025-05-06", "T06:30:00+02:00[Europe/Berlin]", 4));
    evidence
        .extend(events("Run", every(7, "2025-06-03", "T06:30:00-07:00[America/Los_Angeles]", 4)));
    evidence.extend(events("Run", every(7, "2025-07-01", "T06:30:00+09:00", 4)));
    let run = routine(evidence);
    assert_eq!(run.identity_key, "routine.weekly|run|tue|morning");
    assert_eq!(run.inputs.len(), 12);
}

#[test]
fn events_across_midnight_belong_to_the_day_of_their_start() {
    let mut evidence = events("Night shift", every(7, "2025-05-09", "T23:30:00", 6));
    for event in &mut evidence {
        let next = event.at.as_ref().unwrap().date().tomorrow().unwrap();
        event.payload.end = Some(kernel::when::When::parse(&format!("{next}T05:30:00")).unwrap());
    }
    let shift = routine(evidence);
    assert_eq!(shift.identity_key, "routine.weekly|night-shift|fri|night");
    assert_eq!(shift.payload["duration_minutes"], json!(360));
    check(
        events("Radio", every(7, "2025-05-10", "T01:00:00", 6)),
        &["routine.weekly|radio|sat|night"],
    );
}

#[test]
fn starts_around_the_border_of_two_parts_of_the_day_are_one_habit() {
    let minutes = ["16:55", "17:05", "17:00", "16:50", "17:10", "17:02"];
    let days = every(7, "2025-05-06", "", 6);
    let times = days.iter().zip(minutes).map(|(day, minute)| format!("{day}T{minute}:00"));
    let walk = routine(events("Walk", times));
    assert_eq!(walk.identity_key, "routine.weekly|walk|tue|evening");
    assert_eq!(walk.payload["start"], json!("17:00"));
    assert_eq!(walk.inputs.len(), 6);
}

#[test]
fn a_different_hour_in_the_same_morning_is_a_different_habit() {
    let mut evidence = events("Call", every(7, "2025-05-06", "T08:00:00", 8));
    evidence.push(event("Call", "2025-07-01T11:30:00"));
    let call = routine(evidence);
    assert_eq!(call.inputs.len(), 8);
    assert_eq!(call.payload["start"], json!("08:00"));
}

#[test]
fn occurrences_spread_over_the_week_by_chance_are_speculative_at_most() {
    let times = [
        "2025-01-08T18:00:00",
        "2025-01-31T12:30:00",
        "2025-02-11T19:00:00",
        "2025-03-01T13:00:00",
        "2025-03-19T20:00:00",
        "2025-03-24T18:30:00",
        "2025-04-23T18:00:00",
        "2025-05-06T12:00:00",
        "2025-05-17T19:30:00",
        "2025-06-11T18:00:00",
    ];
    for routine in routines(events("Dinner with Ana", times.map(str::to_owned))) {
        assert!(
            routine.basis.confidence() < 0.4,
            "{} {}",
            routine.identity_key,
            routine.basis.confidence()
        );
    }
}

#[test]
fn three_occurrences_give_low_confidence_and_twenty_give_high() {
    let confidence = |count: i64| {
        routine(events("Gym", every(7, "2025-01-07", "T07:00:00", count))).basis.confidence()
    };
    assert!((0.4..0.9).contains(&confidence(3)), "{}", confidence(3));
    assert!(confidence(20) >= 0.9, "{}", confidence(20));
    let confidences: Vec<f64> = (3..60).map(confidence).collect();
    assert!(confidences.is_sorted(), "{confidences:?}");
}

#[test]
fn a_claim_with_too_many_records_cites_the_latest_and_the_first() {
    let evidence = events("Gym", every(7, "2000-01-04", "T07:00:00", 900));
    let first = records(evidence.clone())[0].id;
    let gym = routine(evidence);
    assert_eq!(gym.inputs.len(), 128);
    assert!(gym.inputs.iter().any(|input| input.id == first));
    assert_eq!(gym.valid_from.as_ref().unwrap().as_str(), "2000-01-04");
    assert!(presumed_until(&gym).as_str() > "2017-04-01");
    assert!(
        gym.rationale.starts_with("the latest 128 matching calendar events over 128 weeks; "),
        "{}",
        gym.rationale
    );
}

#[test]
fn a_habit_of_many_years_is_since_the_end_of_its_last_long_pause() {
    let mut evidence = events("Gym", every(7, "2015-01-06", "T07:00:00", 40));
    evidence.extend(events("Gym", every(7, "2017-01-03", "T07:00:00", 300)));
    // Two in the pause: another time of day, and another day of the week.
    evidence
        .extend(events("Gym", ["2016-11-01T20:00:00", "2016-12-01T07:00:00"].map(str::to_owned)));
    assert_eq!(routine(evidence).valid_from.unwrap().as_str(), "2017-01-03");
}

#[test]
fn a_year_of_plans_does_not_move_the_start_into_the_future() {
    let held = |first: &str, count| {
        every(7, first, "T07:00:00", count).into_iter().map(|at| in_series("Gym", &at))
    };
    // Recorded on 2025-06-15; a pause of seven weeks, and then plans.
    let paused = held("2025-01-07", 16).chain(held("2025-06-17", 60));
    // More plans and more past than are cited.
    let long = held("2022-01-04", 240);
    for (evidence, begins) in
        [(paused.collect::<Vec<_>>(), "2025-01-07"), (long.collect(), "2022-01-04")]
    {
        let gym =
            derive(&Routines::default(), &records_at("2025-06-15T00:00:00Z", evidence)).remove(0);
        assert!(
            gym.valid_from.as_ref().unwrap().as_str().starts_with(begins),
            "{:?}",
            gym.valid_from
        );
        assert!(presumed_until(&gym).as_str() > "2025-06-15");
        assert!(gym.inputs.len() <= 128);
    }
}

#[test]
fn an_appointment_that_was_entered_a_thousand_times_happened_once() {
    let mut evidence = events("Gym", every(7, "2025-05-06", "T07:00:00", 5));
    let last = evidence.last().unwrap().clone();
    evidence.extend(std::iter::repeat_n(last, 900));
    let gym = routine(evidence);
    assert_eq!(gym.basis.factors[0].value, 5.0);
    assert!(gym.inputs.len() <= 32);
}

#[test]
fn a_single_busy_week_is_not_a_weekly_routine() {
    let week = |first: &str| events("Workshop", every(1, first, "T09:00:00", 5));
    assert!(routines(week("2025-03-03")).is_empty());
    for routine in routines(week("2025-03-03").into_iter().chain(week("2025-09-01"))) {
        assert!(
            routine.basis.confidence() < 0.4,
            "{} {}",
            routine.identity_key,
            routine.basis.confidence()
        );
    }
}

#[test]
fn the_second_tuesday_of_each_month_is_not_a_weekly_routine() {
    let days = [
        "01-14", "02-11", "03-11", "04-08", "05-13", "06-10", "07-08", "08-12", "09-09", "10-14",
        "11-11", "12-09",
    ];
    for routine in routines(events("Board meeting", days.map(|day| format!("2025-{day}T19:00:00"))))
    {
        assert!(
            routine.basis.confidence() < 0.5,
            "{} {}",
            routine.identity_key,
            routine.basis.confidence()
        );
    }
}

#[test]
fn weekdays_kept_half_of_the_time_still_form_one_habit() {
    let mondays = [0, 2, 3, 7, 8, 11, 12, 15, 19];
    let wednesdays = [1, 2, 4, 5, 9, 10, 13, 18];
    let fridays = [0, 3, 4, 6, 11, 14, 16, 17, 19];
    let all =
        [("2025-01-06", mondays.as_slice()), ("2025-01-08", &wednesdays), ("2025-01-10", &fridays)];
    let times = all.into_iter().flat_map(|(first, weeks)| {
        let all = every(7, first, "T18:00:00", 20);
        weeks.iter().map(move |&week: &usize| all[week].clone()).collect::<Vec<_>>()
    });
    check(events("Yoga", times), &["routine.weekly|yoga|mon,wed,fri|evening"]);
}

#[test]
fn the_title_is_the_most_frequent_spelling_on_one_line() {
    let times = every(7, "2025-05-06", "T07:00:00", 5);
    let titles =
        ["Gym  with\nAna", "gym with ana!", "Gym  with\nAna", "GYM WITH ANA", "Gym  with\nAna"];
    let gym = routine(times.iter().zip(titles).map(|(at, title)| event(title, at)));
    assert_eq!(gym.identity_key, "routine.weekly|gym-with-ana|tue|morning");
    assert_eq!(gym.text, "Gym with Ana on Tuesdays in the morning, about 07:00");
}
