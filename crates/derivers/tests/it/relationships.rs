//! Relationships of the owner of a memory.

use derivers::relationships::Relationships;
use derivers::{Candidate, Record, RecordBody};
use kernel::evidence::Evidence;
use serde_json::json;

use crate::support::{
    Chance, derive_all, event, evidence, lines, note, presumed_until, record, records_of, to_agent,
    turn,
};

fn check(records: Vec<Evidence>, expect: &[&str]) {
    let texts: Vec<String> = records.iter().map(|record| record.payload.text.clone()).collect();
    assert_eq!(lines(&Relationships::default(), &records_of(records)), expect, "{texts:?}");
}

#[track_caller]
fn check_statement(text: &str, expect: &[&str]) {
    check(vec![note("2025-03-01", text)], expect);
    check(vec![to_agent("2025-03-01T10:00:00Z", text)], expect);
}

#[test]
fn stated_relationships_yield_claims() {
    check_statement(
        "My sister Ana lives in Porto.",
        &["relationship.sister|ana: Ana is your sister"],
    );
    check_statement(
        "I'll see my little sister Ana Lima tomorrow",
        &["relationship.sister|ana-lima: Ana Lima is your sister"],
    );
    check_statement("My wife is called Maria.", &["relationship.wife|maria: Maria is your wife"]);
    check_statement("my mom's name is Carol", &["relationship.mother|carol: Carol is your mother"]);
    check_statement("Lunch with my boss Tom at noon", &["relationship.boss|tom: Tom is your boss"]);
    check_statement(
        "My dentist Dr. Weber moved.",
        &["relationship.dentist|weber: Weber is your dentist"],
    );
    check_statement("Ana is my sister.", &["relationship.sister|ana: Ana is your sister"]);
    check_statement(
        "Ana, my sister, is a nurse.",
        &["relationship.sister|ana: Ana is your sister"],
    );
    check_statement(
        "Dinner with Ana (my sister) on Friday",
        &["relationship.sister|ana: Ana is your sister"],
    );
    check_statement("my sister, Ana, called", &["relationship.sister|ana: Ana is your sister"]);
    check_statement(
        "I met my colleague (Jo Park) there",
        &["relationship.colleague|jo-park: Jo Park is your colleague"],
    );
    check_statement("Tom's my best friend", &["relationship.friend|tom: Tom is your friend"]);
    check_statement(
        "Hiking with my friends Tom, Bea and Jo!",
        &[
            "relationship.friend|bea: Bea is your friend",
            "relationship.friend|jo: Jo is your friend",
            "relationship.friend|tom: Tom is your friend",
        ],
    );
    check_statement(
        "What should I give my neighbour Ines?",
        &["relationship.neighbour|ines: Ines is your neighbour"],
    );
    check_statement(
        "my boss Tom van der Berg",
        &["relationship.boss|tom-van-der-berg: Tom van der Berg is your boss"],
    );
    check_statement(
        "My lawyer Dr. Anna Maria von Stein called",
        &["relationship.lawyer|anna-maria-von-stein: Anna Maria von Stein is your lawyer"],
    );
    check_statement("Dr. Weber is my doctor", &["relationship.doctor|weber: Weber is your doctor"]);
    check_statement(
        "I borrowed my brother Leo's car",
        &["relationship.brother|leo: Leo is your brother"],
    );
    check_statement("my fiancée Zoë", &["relationship.fiance|zoë: Zoë is your fiancé(e)"]);
    check_statement("I called my aunt 李娜 today", &["relationship.aunt|李娜: 李娜 is your aunt"]);
}

#[test]
fn sentences_that_do_not_state_a_relationship_yield_nothing() {
    for text in [
        "My sister is German.",
        "My sister lives in Porto.",
        "my sister and Ana went out",
        "Ana, my sister is ill",
        "I met Tom, my sister, and Ana",
        "I met my sister, Tom, and Ana",
        "my sister, Ana and Tom",
        "My Sister Came Home",
        "MY SISTER ANA",
        "His sister Ana called.",
        "Her boss Tom is nice.",
        "the sister Ana",
        "My sister's friend likes tea",
        "Ana's sister Bea",
        "Is Ana my sister?",
        "Ana is not my sister.",
        "Ana isn't my sister",
        "Tom is no longer my boss",
        "Tom was my boss",
        "Tom used to be my boss",
        "Tom will be my boss",
        "Tom is like my brother",
        "She is my sister",
        "This is my friend",
        "Coffee is my friend",
        "Excel is my friend",
        "Pain is my best teacher",
        "my former boss Tom",
        "my ex-wife Maria",
        "my late father Karl",
        "my sister in Berlin",
        "I call my sister Mondays",
        "my friend I told you about",
        "my doctor March 3",
        "my friend Claude",
        "Imagine my sister Ana was here",
        "Suppose my boss Tom quits",
        "Write a story about my sister Ana",
        "Translate: my sister Ana is ill",
        "Ana said \"my sister Bea is ill\"",
        "Tom: my sister Bea is ill",
        "> my sister Bea",
        "```\nmy sister Bea\n```",
        "my dog Rex",
        "my car Volvo",
        "my favourite singer Adele",
        "my name is Mara",
        "my friend Room 4",
        "my sister 🦄",
        "my ",
        "my sister",
        "my sister ,",
        "my friends",
        "my",
        "enemy sister Ana",
    ] {
        let found: Vec<String> =
            lines(&Relationships::default(), &records_of([note("2025-03-01", text)]));
        assert!(found.is_empty(), "{text:?} gave {found:?}");
    }
}

#[test]
fn whoever_is_new_is_introduced_by_name() {
    let boss = ["relationship.boss|farid: Farid is your boss"];
    for text in [
        "My new boss is Farid.",
        "My new boss is Farid, and I like the office.",
        "Remember, my new boss is Farid from Hamburg",
        "I moved, and my new boss is Farid!",
        "My lovely new manager is Farid (two floors up).",
    ] {
        check_statement(text, &boss);
    }
    check_statement(
        "My new neighbour is Ines Roth",
        &["relationship.neighbour|ines-roth: Ines Roth is your neighbour"],
    );
    check_statement(
        "My new dentist is Dr. Weber.",
        &["relationship.dentist|weber: Weber is your dentist"],
    );
    check_statement(
        "My new landlord is Anna Berg.",
        &["relationship.landlord|anna-berg: Anna Berg is your landlord"],
    );
    for text in [
        "My new boss is German.",
        "My new boss is Norwegian",
        "My new neighbour is South African.",
        "My new neighbour is Chinese and very kind.",
        "My new colleague is Catholic.",
        "My new boss is Vice President.",
        "My new boss is Director of Sales.",
        "My new boss is Farid's brother.",
        "My new boss is Farid?",
        "Is my new boss Farid?",
        "I hope my new boss is Farid.",
        "If all goes well, my new boss is Farid.",
        "Clara says, my new boss is Farid.",
        "Maybe my new boss is Farid.",
        "My new boss is not Farid.",
        "My new boss was Farid.",
        "My new landlord is Vonovia.",
        "My new partner is Siemens.",
        "My new teacher is Pain.",
        "My new friend is Coffee.",
        "My new boss is a Farid fan.",
        "My new car is Farid.",
        "My new bosses is Farid.",
        "Her new boss is Farid.",
        "My old boss was Farid.",
        "My old boss is Farid.",
        "My former boss was Farid.",
        "My sister is Ana.",
    ] {
        check_statement(text, &[]);
    }
}

/// Who is or was the boss or the dentist, with the days from which and until which.
fn held(notes: &[(&str, &str)]) -> Vec<String> {
    let records = records_of(notes.iter().map(|(day, text)| note(day, text)));
    let day = |when: &Option<kernel::when::When>| {
        when.as_ref().map(|when| when.date().to_string()).unwrap_or_default()
    };
    derive_all(&Relationships::default(), &records)
        .values()
        .map(|claim| format!("{} {}…{}", claim.text, day(&claim.valid_from), day(&claim.valid_to)))
        .collect()
}

#[test]
fn a_new_one_ends_the_one_before() {
    let anna = ("2025-01-01", "My boss Anna Vale asked me to lead the audit.");
    assert_eq!(
        held(&[anna, ("2025-07-01", "My new boss is Farid Khan.")]),
        ["Anna Vale is your boss 2025-01-01…2025-07-01", "Farid Khan is your boss 2025-07-01…"]
    );
    assert_eq!(
        held(&[anna, ("2025-07-01", "Lunch with my new manager Farid Khan")])[0],
        "Anna Vale is your boss 2025-01-01…2025-07-01"
    );
    for text in ["Farid Khan is my boss now.", "Farid Khan is now my boss."] {
        assert_eq!(
            held(&[anna, ("2025-07-01", text)]),
            ["Anna Vale is your boss 2025-01-01…2025-07-01", "Farid Khan is your boss 2025-07-01…"],
            "{text}"
        );
    }
    let weber = ("2025-01-01", "My dentist is called Weber.");
    for text in [
        "We changed dentists.",
        "We have just changed dentists, the old one retired.",
        "It rained, and I've switched dentists because of the move.",
    ] {
        assert_eq!(
            held(&[weber, ("2025-07-01", text)]),
            ["Weber is your dentist 2025-01-01…2025-07-01"],
            "{text}"
        );
    }
}

#[test]
fn what_is_over_ends_on_the_day_on_which_it_was_said() {
    for (said, over) in [
        ("My boss is called Henrik.", "Henrik isn't my boss any more."),
        ("My boss is called Henrik.", "Henrik is no longer my boss"),
        ("My boss is called Henrik.", "Henrik was my boss until today."),
        ("My boss is called Henrik.", "I had lunch with my former boss Henrik."),
        ("My husband Henrik is a baker.", "I got divorced from Henrik."),
        ("My husband Henrik is a baker.", "Henrik is now my ex-husband."),
        ("My wife Henrik is a baker.", "Henrik and I got divorced."),
        ("My wife Henrik is a baker.", "We got divorced."),
        ("I live with my boyfriend Henrik.", "Henrik and I broke up. I moved."),
        ("I live with my girlfriend Henrik.", "I broke up with Henrik yesterday."),
        ("I live with my partner Henrik.", "My partner Henrik and I split up."),
        ("I live with my boyfriend Henrik.", "We broke up."),
        ("My dentist Henrik is slow.", "My dentist Henrik retired, so I go to Dr. Patel now."),
        ("My lawyer Henrik is slow.", "I fired my lawyer Henrik."),
        ("My boss Henrik is slow.", "My boss Henrik has left the company, I report to Hans."),
        ("My boss Henrik is slow.", "My boss Henrik left."),
        ("My roommate Henrik is slow.", "My roommate Henrik moved out last week."),
        ("My colleague Henrik is slow.", "My colleague Henrik quit."),
        ("My therapist Henrik is slow.", "My therapist Henrik moved to another city."),
        ("My coach Henrik is slow.", "I am no longer working with my coach Henrik."),
        ("My therapist Henrik is slow.", "I stopped seeing my therapist Henrik."),
        ("My landlord Henrik is slow.", "My landlord Henrik sold the house."),
        ("My wife Henrik is slow.", "My wife Henrik left me in May."),
    ] {
        let held = held(&[("2025-01-01", said), ("2025-07-01", over)]);
        let [only] = held.as_slice() else { panic!("{over}: {held:?}") };
        assert!(only.ends_with("2025-01-01…2025-07-01"), "{over}: {held:?}");
    }
    for (said, not_over) in [
        ("My boss is called Henrik.", "Was Henrik my boss?"),
        ("My boss is called Henrik.", "Tom isn't my boss any more."),
        ("My husband Henrik is a baker.", "Lena and Jonas separated."),
        ("My husband Henrik is a baker.", "Jonas and I broke up."),
        ("My husband Henrik is a baker.", "If we got divorced, I would move."),
        ("My husband Henrik is a baker.", "We separated the waste."),
        ("My sister Henrik sings.", "Henrik was my sister"),
        ("My husband Henrik is a baker.", "My parents got divorced and we moved."),
        ("My sister Henrik sings.", "My sister Henrik retired."),
        ("My sister Henrik sings.", "My sister Henrik resigned the post."),
        ("My boss Henrik is slow.", "My boss Henrik left a message."),
        ("My boss Henrik is slow.", "My boss Henrik quit smoking."),
        ("My boss Henrik is slow.", "If my boss Henrik retired, I would too."),
        ("My lawyer Henrik is slow.", "I never fired my lawyer Henrik."),
        ("My lawyer Henrik is slow.", "I didn't replace my lawyer Henrik."),
        ("My friend Henrik sings.", "My friend Henrik moved to another city."),
        ("My roommate Henrik is slow.", "My roommate Henrik moved the sofa."),
        ("My coach Henrik is slow.", "I am working with my coach Henrik."),
    ] {
        let held = held(&[("2025-01-01", said), ("2025-07-01", not_over)]);
        let goes_on = held.iter().any(|of| of.starts_with("Henrik") && of.ends_with("2025-01-01…"));
        assert!(goes_on, "{not_over}: {held:?}");
    }
    let elsewhere = "My new boss at the library is called Ingrid Vos.";
    assert_eq!(
        held(&[("2025-01-01", "My boss is called Henrik."), ("2025-07-01", elsewhere)]),
        ["Henrik is your boss 2025-01-01…2025-07-01", "Ingrid Vos is your boss 2025-07-01…"]
    );
}

#[test]
fn what_was_said_again_or_is_of_several_goes_on() {
    let anna = ("2025-01-01", "My boss Anna Vale asked me to lead the audit.");
    let farid = ("2025-07-01", "My new boss is Farid Khan.");
    let again = ("2025-08-01", "My boss Anna Vale is back.");
    assert_eq!(held(&[anna, farid, again])[0], "Anna Vale is your boss 2025-01-01…");
    let other = ("2025-07-01", "My boss Farid Khan likes tea.");
    assert_eq!(held(&[anna, other])[0], "Anna Vale is your boss 2025-01-01…");
    let friends = [("2025-01-01", "my friend Tom"), ("2025-07-01", "Lunch with my new friend Jo")];
    assert_eq!(held(&friends), ["Jo is your friend 2025-07-01…", "Tom is your friend 2025-01-01…"]);
    // Of one day, nobody can tell how long it was so.
    assert_eq!(held(&[anna, ("2025-01-01", farid.1)]), ["Farid Khan is your boss 2025-01-01…"]);
    for text in [
        "Have we changed dentists?",
        "They changed dentists.",
        "We changed trains.",
        "If we changed dentists, we would save money.",
        "We never changed dentists.",
        "We changed dentists' minds.",
    ] {
        let weber = ("2025-01-01", "My dentist is called Weber.");
        let found = held(&[weber, ("2025-07-01", text)]);
        assert_eq!(found, ["Weber is your dentist 2025-01-01…"], "{text}");
    }
}

#[test]
fn a_name_before_its_noun_names_nobody() {
    for text in [
        "My son Goku figurine broke.",
        "I lost my son Goku figurine",
        "My son Goku figurines broke.",
        "my father Christmas costume is red",
        "She wore my daughter Elsa dress at the party",
        "My friends Monica and Rachel poster fell down.",
        "my brother Mario kart is fast",
    ] {
        check_statement(text, &[]);
    }
    let ana = ["relationship.sister|ana: Ana is your sister"];
    for text in [
        "My sister Ana broke the figurine.",
        "My sister Ana likes figurines.",
        "My sister Ana never calls.",
        "My sister Ana finally arrived.",
        "My sister Ana and I paint figurines.",
        "Did my sister Ana call?",
        "Is my sister Ana there?",
        "Let my sister Ana know.",
        "I saw my sister Ana dance.",
        "I met my sister Ana yesterday.",
        "I met my sister Ana last night.",
        "My sister Ana wasn't there.",
        "My sister Ana's figurine broke.",
        "My sister Ana, figurine in hand, came in.",
    ] {
        check_statement(text, &ana);
    }
}

#[test]
fn relationships_of_others_are_not_the_owners() {
    check(vec![evidence("turn", "locomo", Some("assistant"), "2025-01-01", "my sister Ana")], &[]);
    check(
        vec![evidence("note", "markdown", Some("John Grant"), "2025-01-01", "my sister Ana")],
        &[],
    );
    check(
        vec![evidence("note", "remember", None, "2025-01-01", "my sister Ana")],
        &["relationship.sister|ana: Ana is your sister"],
    );
    check(
        vec![turn("2025-01-01T10:00:00Z", "Tom", &[], "my sister Ana")],
        &["relationship.contact|tom: You have been in contact with Tom"],
    );
    check(
        vec![turn("2025-01-01T10:00:00Z", "You", &["You", "Tom"], "my sister Ana")],
        &[
            "relationship.contact|tom: You have been in contact with Tom",
            "relationship.sister|ana: Ana is your sister",
        ],
    );
}

#[test]
fn the_latest_statement_decides_and_an_earlier_denial_lowers_confidence() {
    let first = note("2025-01-01", "Tom is my boss.");
    let denied = note("2025-02-01", "Tom is not my boss");
    let again = note("2025-03-01", "Tom is my boss.");
    check(vec![denied.clone(), first.clone()], &[]);
    let plain = derive_all(&Relationships::default(), &records_of([first.clone(), again.clone()]));
    let doubted = derive_all(&Relationships::default(), &records_of([again, denied, first]));
    let key = "relationship.boss|tom";
    assert!(doubted[key].basis.confidence() < plain[key].basis.confidence());
    assert_eq!(doubted[key].inputs, {
        let mut inputs = doubted[key].inputs.clone();
        inputs.retain(|input| input.role == "statement");
        inputs
    });
    assert_eq!(doubted[key].inputs.len(), 2);
}

fn contact(records: &[Record], slug: &str) -> Option<Candidate> {
    derive_all(&Relationships::default(), records).remove(&format!("relationship.contact|{slug}"))
}

#[test]
fn a_contact_has_a_rhythm_a_last_day_and_a_horizon() {
    let days = ["2025-01-03", "2025-01-17", "2025-01-30", "2025-02-14"];
    let records = records_of(days.map(|day| event(day, None, &["Tom Reed"])));
    let candidate = contact(&records, "tom-reed").unwrap();
    assert_eq!(candidate.text, "You keep in contact with Tom Reed, about every 2 weeks");
    assert_eq!(
        candidate.payload,
        json!({"name": "Tom Reed", "kind": "contact", "last_contact": "2025-02-14", "cadence_days": 14, "channels": ["calendar"]})
    );
    assert_eq!(candidate.valid_from.as_ref().unwrap().as_str(), "2025-01-03");
    assert_eq!(presumed_until(&candidate), "2025-05-16");
    assert_eq!(candidate.rationale, "4 records: 4 in the calendar; from 2025-01-03 to 2025-02-14.");
    assert!(candidate.inputs.iter().all(|input| input.role == "meeting"));
}

#[test]
fn contacts_come_from_every_channel_and_more_channels_raise_confidence() {
    let mail = |at: &str, from: &str, to: &str| {
        let mut mail = evidence("mail", "mbox", Some(from), at, "Hello");
        mail.payload.participants = vec![from.to_owned(), to.to_owned()];
        mail
    };
    let photo = |at: &str| {
        let mut photo = evidence("photo", "photo", None, at, "Photo");
        photo.payload.participants = vec!["Samir".to_owned()];
        photo
    };
    let mut page = note("2025-03-01", "Recipe after Samir");
    page.payload.links = vec!["Samir".to_owned(), "Glazes/Tenmoku".to_owned()];
    let mut records = vec![
        mail("2025-01-01T10:00:00Z", "Samir", "Mara"),
        mail("2025-01-01T11:00:00Z", "Mara", "Samir"),
    ];
    let mut previous = 0.0;
    for more in [photo("2025-01-01T12:00:00Z"), event("2025-01-01", None, &["Samir"]), page] {
        let sure = contact(&records_of(records.clone()), "samir").unwrap().basis.confidence();
        assert!(sure > previous);
        previous = sure;
        records.push(more);
    }
    let last = contact(&records_of(records), "samir").unwrap();
    assert!(last.basis.confidence() > previous);
    assert_eq!(last.payload["channels"], json!(["calendar", "mail", "photo"]));
    assert!(last.rationale.contains("1 mention in notes"), "{}", last.rationale);
}

#[test]
fn the_owner_is_not_a_contact_if_the_records_identify_them() {
    let mut lunch = event("2025-01-03", Some("Mara Lindqvist"), &["Mara Lindqvist", "Tom"]);
    lunch.payload.more.insert("calendar".to_owned(), json!("Mara"));
    check(
        vec![lunch.clone(), turn("2025-01-04T10:00:00Z", "Mara", &[], "Hello")],
        &["relationship.contact|tom: You have been in contact with Tom"],
    );
    let mut to_owners_agent = to_agent("2025-01-04T10:00:00Z", "Hello");
    to_owners_agent.actor = Some("Mara".to_owned());
    check(vec![to_owners_agent, turn("2025-01-04T10:00:00Z", "Mara", &[], "Hello")], &[]);
    // The organiser of an event that nobody else attends.
    check(vec![event("2025-01-03", Some("Mara"), &["Mara"])], &[]);
    // The person who meets everybody while nobody is with them most of the time.
    let meetings =
        ["Tom", "Bea", "Jo", "Ines"].map(|other| event("2025-01-03", None, &["Mara", other]));
    let mut dated: Vec<Evidence> = Vec::new();
    for (day, mut meeting) in (1..).zip(meetings) {
        meeting.at = kernel::when::When::parse(&format!("2025-01-0{day}")).ok();
        dated.push(meeting);
    }
    let found = lines(&Relationships::default(), &records_of(dated));
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|line| !line.contains("Mara")), "{found:?}");
}

#[test]
fn a_person_only_in_conversations_may_be_the_owner_so_confidence_is_lower() {
    let days = (1..=9).map(|day| {
        turn(&format!("2025-01-0{day}T10:00:00Z"), "Idris", &["Mara", "Idris"], "Hello")
    });
    let candidate = contact(&records_of(days), "idris").unwrap();
    let confidence = candidate.basis.confidence();
    assert!((0.40..0.75).contains(&confidence), "{confidence}");
    assert!(candidate.rationale.contains("nothing tells this person from the owner"));
}

#[test]
fn agents_rooms_machines_crowds_and_single_senders_are_not_contacts() {
    let names: Vec<String> =
        (0..10_000).map(|number| format!("Person {}", "x".repeat(number % 40 + 2))).collect();
    let crowd: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut agent = evidence("turn", "chatgpt", Some("assistant"), "2025-01-01", "Hello");
    agent.payload.role = Some("assistant".to_owned());
    check(
        vec![
            event("2025-01-01", None, &crowd),
            event("2025-01-01", None, &["Room 4", "noreply@example.org", "Projector"]),
            agent,
            evidence("mail", "mbox", Some("Eva Sender"), "2025-01-01", "Buy"),
            evidence("commit", "git", Some("Eva Coder"), "2025-01-01", "Fix"),
            evidence("cancellation", "ical", Some("Eva"), "2025-01-01", "Cancelled"),
        ],
        &[],
    );
}

#[test]
fn one_more_meeting_never_lowers_confidence() {
    let mut chance = Chance(0x5eed);
    for round in 0..40 {
        let mut records = Vec::new();
        let mut previous = 0.0;
        for _ in 0..12 {
            let day = format!("2025-0{}-{:02}", chance.below(9) + 1, chance.below(28) + 1);
            records.push(match chance.below(3) {
                0 => event(&day, None, &["Ana"]),
                1 => turn(&format!("{day}T10:00:00Z"), "Ana", &["Ana", "Mara"], "Hello"),
                _ => note(&day, "my sister Ana came"),
            });
            let sure = contact(&records_of(records.clone()), "ana")
                .map_or(0.0, |ana| ana.basis.confidence());
            assert!(sure >= previous, "round {round}");
            previous = sure;
        }
    }
}

#[test]
fn random_records_never_panic_and_yield_well_formed_claims() {
    let words = [
        "my",
        "sister",
        "Ana",
        "friends",
        "and",
        ",",
        "(",
        ")",
        "is",
        "Tom",
        "\"",
        "’s",
        "🦄",
        "\u{202e}",
        "not",
        ".",
        "?",
        "李娜",
        "Dr.",
        ":",
        "-",
        "\n",
        "named",
        "Ａｎａ",
        "'",
        "My",
        "boss",
    ];
    for seed in 1..=300_u64 {
        let mut chance = Chance(seed * 7_919);
        let records = (0..12).map(|_| {
            let text: Vec<&str> = (0..chance.below(30)).map(|_| chance.pick(&words)).collect();
            let text = text.join(if chance.below(4) == 0 { "" } else { " " });
            let day = chance.pick(&[
                "2025-01-01",
                "",
                "2025-03-01T10:00:00+02:00",
                "-009999-01-01",
                "9999-12-30",
            ]);
            match chance.below(4) {
                0 => note(day, &text),
                1 => to_agent(day, &text),
                2 => turn(day, &text, &[&text, "Ana"], &text),
                _ => event(day, Some(&text), &[&text, chance.pick(&words), "Tom"]),
            }
        });
        let records = records_of(records.collect::<Vec<_>>());
        let result = std::panic::catch_unwind(|| derive_all(&Relationships::default(), &records));
        assert!(result.is_ok(), "seed {seed}");
    }
    let long = "my sister Ana ".repeat(80_000);
    derive_all(
        &Relationships::default(),
        &records_of([note("2025-01-01", &long), to_agent("2025-01-01", &"my ".repeat(300_000))]),
    );
    let belief =
        crate::support::routine(9, "routine.weekly|gym|tue|morning", json!([1, {}]), f64::NAN);
    assert!(derive_all(&Relationships::default(), &[belief]).is_empty());
    assert!(
        derive_all(
            &Relationships::default(),
            &[record(1, RecordBody::Evidence(Box::new(note("", ""))))]
        )
        .is_empty()
    );
}

#[test]
fn who_has_died_is_not_stated() {
    for text in ["My father John died in 2019.", "My aunt Rosa sadly passed away."] {
        let records = records_of([note("2025-01-01", text)]);
        assert_eq!(lines(&Relationships::default(), &records), [""; 0], "{text}");
    }
    let records = records_of([note("2025-01-01", "My aunt Rosa passed her exam.")]);
    assert_eq!(lines(&Relationships::default(), &records).len(), 1);
}
