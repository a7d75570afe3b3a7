//! Preferences of the owner of a memory.

use derivers::preferences::Preferences;
use kernel::evidence::Evidence;
use serde_json::{Value, json};

use crate::support::{
    Chance, derive_all, evidence, lines, note, records_of, routine, to_agent, turn,
};

#[track_caller]
fn check_statement(text: &str, expect: &[&str]) {
    assert_eq!(
        lines(&Preferences::default(), &records_of([note("2025-03-01", text)])),
        expect,
        "{text:?}"
    );
    assert_eq!(
        lines(&Preferences::default(), &records_of([to_agent("2025-03-01T10:00:00Z", text)])),
        expect,
        "{text:?}"
    );
}

#[test]
fn stated_preferences_yield_claims() {
    check_statement("I prefer tea to coffee.", &["preference.drink|tea: You prefer tea to coffee"]);
    check_statement(
        "I prefer tea over coffee in general",
        &["preference.drink|tea: You prefer tea to coffee"],
    );
    check_statement(
        "I prefer tea over coffee",
        &["preference.drink|tea: You prefer tea to coffee"],
    );
    check_statement(
        "I like cats more than dogs",
        &["preference.animals|cats: You prefer cats to dogs"],
    );
    check_statement("I love hiking!", &["preference.activity|hiking: You like hiking"]);
    check_statement(
        "I really enjoy Italian food",
        &["preference.food|italian-food: You like Italian food"],
    );
    check_statement(
        "I can't stand cilantro.",
        &["preference.food|cilantro: You do not like cilantro"],
    );
    check_statement(
        "I can’t stand cilantro.",
        &["preference.food|cilantro: You do not like cilantro"],
    );
    check_statement(
        "I don't like mushrooms",
        &["preference.food|mushrooms: You do not like mushrooms"],
    );
    check_statement(
        "I do not like mushrooms",
        &["preference.food|mushrooms: You do not like mushrooms"],
    );
    check_statement(
        "Honestly, I hate flying",
        &["preference.travel|flying: You do not like flying"],
    );
    check_statement("My favourite drink is oolong", &["preference.drink|oolong: You like oolong"]);
    check_statement(
        "my favorite band is Radiohead",
        &["preference.music|radiohead: You like Radiohead"],
    );
    check_statement(
        "Tenmoku is my favourite glaze.",
        &["preference.general|tenmoku: You like Tenmoku"],
    );
    check_statement(
        "My least favourite food is liver",
        &["preference.food|liver: You do not like liver"],
    );
    check_statement(
        "I'd rather take the train than fly",
        &["preference.travel|train: You prefer the train to fly"],
    );
    check_statement(
        "I prefer working in the morning",
        &["preference.daypart|morning: You prefer mornings"],
    );
    check_statement(
        "I prefer mornings to evenings",
        &["preference.daypart|morning: You prefer mornings to evenings"],
    );
    check_statement("I'm a night owl", &["preference.daypart|night: You prefer nights"]);
    check_statement(
        "I'm not a morning person.",
        &["preference.daypart|morning: You do not like mornings"],
    );
    check_statement("I'm a big fan of jazz", &["preference.music|jazz: You like jazz"]);
    check_statement(
        "Remember that I prefer dark mode",
        &["preference.tools|dark-mode: You like dark mode"],
    );
    check_statement(
        "Please remember that I like dark mode",
        &["preference.tools|dark-mode: You like dark mode"],
    );
    check_statement(
        "I love tea and coffee",
        &["preference.drink|coffee: You like coffee", "preference.drink|tea: You like tea"],
    );
    check_statement(
        "I love mac and cheese",
        &["preference.food|mac-and-cheese: You like mac and cheese"],
    );
    check_statement(
        "I don't like tea or coffee",
        &[
            "preference.drink|coffee: You do not like coffee",
            "preference.drink|tea: You do not like tea",
        ],
    );
    check_statement(
        "I work late, and I love jazz a lot",
        &["preference.music|jazz: You like jazz"],
    );
    check_statement("I no longer like pizza", &["preference.food|pizza: You do not like pizza"]);
    check_statement(
        "I love hiking, where should I go this weekend?",
        &["preference.activity|hiking: You like hiking"],
    );
    check_statement(
        "I love pizza and hate fish",
        &["preference.food|fish: You do not like fish", "preference.food|pizza: You like pizza"],
    );
    check_statement(
        "I love science fiction",
        &["preference.reading|science-fiction: You like science fiction"],
    );
    check_statement("I like green tea", &["preference.drink|green-tea: You like green tea"]);
    check_statement(
        "I prefer to work alone",
        &["preference.general|to-work-alone: You like to work alone"],
    );
    check_statement(
        "I prefer aisle seats, can you book one?",
        &["preference.travel|aisle-seats: You like aisle seats"],
    );
    check_statement(
        "I dislike small talk",
        &["preference.general|small-talk: You do not like small talk"],
    );
    check_statement(
        "I prefer short answers",
        &["preference.general|short-answers: You like short answers"],
    );
    check_statement("Honestly, I prefer tea any day.", &["preference.drink|tea: You like tea"]);
    check_statement("I enjoy jazz more and more", &["preference.music|jazz: You like jazz"]);
    check_statement("I like sushi best of all", &["preference.food|sushi: You like sushi"]);
    check_statement("I love a good book", &["preference.reading|good-book: You like a good book"]);
    check_statement(
        "I prefer a window seat",
        &["preference.travel|window-seat: You like a window seat"],
    );
    check_statement("I love some good wine", &["preference.drink|good-wine: You like good wine"]);
    check_statement(
        "I prefer working from home",
        &["preference.general|working-from-home: You like working from home"],
    );
    check_statement(
        "I love running in the forest",
        &["preference.activity|running-in-the-forest: You like running in the forest"],
    );
    check_statement("- I love the sea", &["preference.travel|sea: You like the sea"]);
}

#[test]
fn sentences_that_only_look_like_preferences_yield_nothing() {
    for text in [
        "I don't think I like tea",
        "I think I like tea",
        "I guess I like tea",
        "I might like tea",
        "I would like tea",
        "I'd like a tea",
        "I'd love some tea",
        "I'd prefer tea",
        "Do I like tea?",
        "I like tea?",
        "Would I prefer tea to coffee?",
        "If it rains, I prefer tea",
        "I like tea if it is hot",
        "When it rains I like tea",
        "I used to like tea",
        "I liked tea",
        "I loved hiking",
        "I preferred tea",
        "Ana says I love tea",
        "Ana says, I love tea",
        "Ana said: I love tea",
        "Ana: I love tea",
        "She told me I like tea",
        "Ana thinks I hate tea",
        "\"I love tea\"",
        "She wrote \"I love tea\" on the wall",
        "> I love tea",
        "```\nI love tea\n```",
        "Ana loves tea",
        "We love tea",
        "You like tea",
        "They prefer tea",
        "I love it",
        "I like that",
        "I like this approach",
        "I like your idea",
        "I like the second option",
        "I like the blue one",
        "I love you",
        "I love my wife",
        "I love Ana",
        "I like Tom",
        "I like how it works",
        "I like what you did",
        "I like to think so",
        "I hate to say it",
        "I'd rather not",
        "I'd rather go tomorrow",
        "I'd rather you stayed",
        "I prefer not to say",
        "I prefer the latter",
        "I prefer option two",
        "I prefer Tuesday",
        "I prefer 3 pm",
        "I prefer it without sugar",
        "I just love waiting in line",
        "Oh, I love traffic jams",
        "I love being ignored",
        "Yeah right, I love tea, not",
        "I love everything",
        "I hate people",
        "I like both",
        "I can't stand up",
        "I can't bear to look",
        "I can stand tea",
        "I don't mind tea",
        "I don't hate tea",
        "I don't prefer tea",
        "I look like a cat",
        "I feel like pizza",
        "It looks like I prefer rain",
        "Tea is like coffee",
        "I wish I loved tea",
        "Imagine I love tea",
        "Pretend I love tea",
        "Write a poem in which I love tea",
        "Translate: I love tea",
        "My favourite part is the end",
        "My favourite one is this",
        "My favourite drink was tea",
        "Ana's favourite drink is tea",
        "Her favourite drink is tea",
        "is tea my favourite drink?",
        "I love",
        "I prefer",
        "I prefer to",
        "I",
        "my favourite",
        "I like 🦄",
        "I like tea lol",
        "I love tea 🙄",
        "I prefer Tom to lead the meeting",
        "I prefer to walk rather than to drive",
        "Ana is my favourite sister",
        "My favourite sister is Ana",
        "I love the colour and texture",
        "I love the colour",
        "I love action and horror films",
        "I like tea better",
        "Does Ana know, I love tea, or what?",
        "I never said I like tea",
        "Maybe I like tea",
        "I love kicking off a meeting",
        "I love running away from problems",
        "I hate running out of milk",
        "I love running late and flying off the handle",
        "I enjoy driving people crazy",
        "I am fond of Ana",
        "I'm a person",
        "AI prefer tea",
        "I'm not sure I like tea",
    ] {
        let found = lines(
            &Preferences::default(),
            &records_of([note("2025-03-01", text), to_agent("2025-03-02T10:00:00Z", text)]),
        );
        assert!(found.is_empty(), "{text:?} gave {found:?}");
    }
}

#[test]
fn preferences_of_others_are_not_the_owners() {
    let mut answer = evidence("turn", "chatgpt", Some("assistant"), "2025-01-01", "I love tea");
    answer.payload.role = Some("assistant".to_owned());
    let others = [
        answer,
        turn("2025-01-01", "Caroline", &["Caroline", "Melanie"], "I love tea"),
        evidence("note", "markdown", Some("John Grant"), "2025-01-01", "I love tea"),
        evidence("note", "remember", Some("Idris"), "2025-01-01", "I love tea"),
        evidence("mail", "mbox", Some("Fiona"), "2025-01-01", "I love tea"),
        evidence("event", "ical", None, "2025-01-01", "I love tea"),
    ];
    assert_eq!(lines(&Preferences::default(), &records_of(others)), [""; 0]);
    let own = [
        evidence("note", "remember", None, "2025-01-01", "I love tea"),
        turn("2025-01-01", "Me", &[], "I love jazz"),
    ];
    assert_eq!(lines(&Preferences::default(), &records_of(own)).len(), 2);
}

#[test]
fn the_latest_statement_decides_and_earlier_contradictions_lower_confidence() {
    let like = note("2025-01-01", "I love tea");
    let dislike = note("2025-02-01", "I don't like tea");
    let key = "preference.drink|tea";
    let found = derive_all(&Preferences::default(), &records_of([dislike.clone(), like.clone()]));
    assert_eq!(found[key].payload, json!({"object": "tea", "polarity": "dislike"}));
    assert_eq!(found[key].inputs.len(), 1);
    let alone = derive_all(&Preferences::default(), &records_of([dislike]));
    assert!(found[key].basis.confidence() < alone[key].basis.confidence());
    assert_eq!(
        found[key].rationale,
        "Said by the owner in 1 record; the opposite was said 1 time."
    );
}

#[test]
fn what_the_owner_does_no_more_ends_what_they_liked() {
    let key = "preference.drink|coffee";
    let held = |notes: &[(&str, &str)]| {
        let notes = notes.iter().map(|(day, text)| note(day, text));
        let found = derive_all(&Preferences::default(), &records_of(notes));
        let days = |claim: &derivers::Candidate| {
            [&claim.valid_from, &claim.valid_to]
                .map(|at| at.as_ref().map(|at| at.as_str().to_owned()).unwrap_or_default())
        };
        found.get(key).map(days).map(|[from, to]| format!("{from}/{to}"))
    };
    let liked = ("2025-01-01", "I love coffee");
    for over in [
        "I no longer drink coffee",
        "I don't drink coffee any more",
        "I stopped drinking coffee.",
        "I've given up coffee",
        "I quit coffee",
    ] {
        let ended = held(&[liked, ("2025-02-01", over)]);
        assert_eq!(ended.as_deref(), Some("2025-01-01/2025-02-01"), "{over}");
        assert_eq!(held(&[("2025-02-01", over)]), None, "{over}");
        let again = held(&[liked, ("2025-02-01", over), ("2025-03-01", "I enjoy coffee")]);
        assert_eq!(again.as_deref(), Some("2025-03-01/"), "{over}");
    }
    for other in ["I stopped drinking tea", "I don't drink coffee", "I stopped at the coffee bar"] {
        assert_eq!(
            held(&[liked, ("2025-02-01", other)]).as_deref(),
            Some("2025-01-01/"),
            "{other}"
        );
    }
    let disliked =
        held(&[("2025-01-01", "I hate coffee"), ("2025-02-01", "I stopped drinking coffee")]);
    assert_eq!(disliked.as_deref(), Some("2025-01-01/"));
}

#[test]
fn an_object_is_worded_with_the_article_with_which_it_was_always_said() {
    let texts = |texts: &[&str]| {
        let notes = texts.iter().map(|text| note("2025-01-01", text));
        lines(&Preferences::default(), &records_of(notes))
    };
    let key = "preference.reading|good-book";
    assert_eq!(
        texts(&["I love a good book", "I enjoy a good book"]),
        [format!("{key}: You like a good book")]
    );
    let plain = [format!("{key}: You like good book")];
    assert_eq!(texts(&["I love a good book", "I love good book"]), plain);
    let books = "preference.reading|good-books: You like good books";
    assert_eq!(texts(&["I love good books"]), [books]);
}

#[test]
fn a_reversed_comparison_cancels_the_earlier_one() {
    let first = note("2025-01-01", "I prefer tea to coffee");
    let second = note("2025-02-01", "I prefer coffee to tea");
    let found = derive_all(&Preferences::default(), &records_of([first.clone(), second.clone()]));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["preference.drink|coffee"]);
    assert_eq!(
        found["preference.drink|coffee"].payload,
        json!({"object": "coffee", "polarity": "like", "over": "tea"})
    );
    let found = derive_all(
        &Preferences::default(),
        &records_of([first, second, note("2024-01-01", "I love tea")]),
    );
    assert_eq!(found["preference.drink|tea"].text, "You like tea");
}

fn morning(records: &[derivers::Record]) -> f64 {
    derive_all(&Preferences::default(), records)
        .get("preference.daypart|morning")
        .map_or(0.0, |morning| morning.basis.confidence())
}

#[test]
fn routines_in_the_morning_yield_a_preference_for_mornings() {
    let gym = routine(
        1,
        "routine.weekly|gym|tue,thu|morning",
        json!({"daypart": "morning", "days": ["tue", "thu"]}),
        0.84,
    );
    let found = derive_all(&Preferences::default(), std::slice::from_ref(&gym));
    let candidate = &found["preference.daypart|morning"];
    assert_eq!(candidate.text, "You prefer mornings");
    assert_eq!(candidate.payload, json!({"object": "morning", "polarity": "like"}));
    assert_eq!((candidate.inputs[0].id, candidate.inputs[0].role), (gym.id, "routine"));
    assert_eq!(candidate.rationale, "1 routine in the morning, 100 % of all: A routine.");
    let swim = routine(2, "routine.daily|swim|morning", Value::Null, 0.6);
    assert!(morning(&[gym.clone(), swim.clone()]) > morning(std::slice::from_ref(&gym)));
    // The preference follows the routine's confidence, up to certainty.
    let mut surer = gym.clone();
    let derivers::RecordBody::Belief(belief) = &mut surer.body else { unreachable!() };
    belief.confidence = 1.0;
    assert!(morning(&[surer]) > morning(std::slice::from_ref(&gym)));
    // A class on one evening leaves mornings in the majority; a daily one does not.
    let class = routine(3, "routine.weekly|class|mon|evening", Value::Null, 0.9);
    let daily = routine(4, "routine.daily|walk|evening", Value::Null, 0.9);
    assert!(morning(&[gym.clone(), class.clone()]) > 0.0);
    assert!(morning(&[gym.clone(), class]) < morning(std::slice::from_ref(&gym)));
    assert_eq!(morning(&[gym, daily]), 0.0);
}

#[test]
fn a_corrected_routine_counts_with_its_corrected_payload_even_if_malformed() {
    let key = "routine.weekly|gym|tue,thu|morning";
    let moved = routine(1, key, json!({"daypart": "evening"}), 1.0);
    assert_eq!(
        derive_all(&Preferences::default(), &[moved]).keys().collect::<Vec<_>>(),
        ["preference.daypart|evening"]
    );
    for payload in [json!({"daypart": 7}), json!({"daypart": "brunch"}), json!({"daypart": null})] {
        assert!(derive_all(&Preferences::default(), &[routine(1, key, payload, 1.0)]).is_empty());
    }
    for payload in
        [json!("x"), json!([]), json!({"days": {}}), json!({"days": []}), json!(null), json!(1e300)]
    {
        assert!(
            derive_all(&Preferences::default(), &[routine(1, key, payload, f64::INFINITY)])
                .is_empty()
        );
        assert_eq!(
            derive_all(
                &Preferences::default(),
                &[routine(1, key, json!({"days": ["tue", "tue"]}), 1.0)]
            )
            .len(),
            1
        );
    }
}

#[test]
fn statements_and_routines_support_one_belief() {
    let gym = routine(9, "routine.weekly|gym|tue,thu|morning", Value::Null, 0.84);
    let mut stated = records_of([note("2025-01-01", "I'm a morning person")]);
    let alone = morning(&stated);
    stated.push(gym.clone());
    assert!(morning(&stated) > alone);
    let mut denied = records_of([note("2025-01-01", "I'm not a morning person")]);
    denied.push(gym);
    let found = derive_all(&Preferences::default(), &denied);
    assert_eq!(found["preference.daypart|morning"].text, "You do not like mornings");
    assert_eq!(found["preference.daypart|morning"].inputs.len(), 1);
}

#[test]
fn preferences_do_not_derive_from_preferences() {
    let own = routine(1, "preference.daypart|morning", json!({"daypart": "morning"}), 1.0);
    assert!(derive_all(&Preferences::default(), &[own]).is_empty());
}

#[test]
fn one_more_statement_never_lowers_confidence() {
    let texts = [
        "I love tea",
        "I like tea",
        "I prefer tea to coffee",
        "my favourite drink is tea",
        "I'm a fan of tea",
    ];
    for seed in 1..=40_u64 {
        let mut chance = Chance(seed * 104_729);
        let mut records: Vec<Evidence> = Vec::new();
        let mut previous = 0.0;
        for _ in 0..10 {
            let day = format!("2025-0{}-{:02}", chance.below(9) + 1, chance.below(28) + 1);
            let text = chance.pick(&texts);
            records.push(if chance.below(2) == 0 {
                note(&day, text)
            } else {
                to_agent(&day, text)
            });
            let found = derive_all(&Preferences::default(), &records_of(records.clone()));
            let sure = found["preference.drink|tea"].basis.confidence();
            assert!(sure >= previous, "seed {seed}");
            previous = sure;
        }
    }
}

#[test]
fn random_records_never_panic_and_yield_well_formed_claims() {
    let words = [
        "I",
        "prefer",
        "love",
        "like",
        "hate",
        "tea",
        "coffee",
        "to",
        "than",
        "more",
        "my",
        "favourite",
        "drink",
        "is",
        "don't",
        "can't",
        "stand",
        "a",
        "morning",
        "person",
        "I'm",
        ",",
        ".",
        "?",
        "\"",
        "🦄",
        "\u{202e}",
        "and",
        "the",
        "rather",
        "I'd",
        "\n",
        ":",
        "'",
        "in",
        "not",
        "fan",
        "of",
        "İ",
    ];
    for seed in 1..=400_u64 {
        let mut chance = Chance(seed * 7_919);
        let records = (0..12).map(|_| {
            let text: Vec<&str> = (0..chance.below(24)).map(|_| chance.pick(&words)).collect();
            let text = text.join(if chance.below(5) == 0 { "" } else { " " });
            let day =
                chance.pick(&["2025-01-01", "", "2025-03-01T10:00:00+02:00", "-009999-01-01"]);
            if chance.below(2) == 0 { note(day, &text) } else { to_agent(day, &text) }
        });
        let mut records = records_of(records.collect::<Vec<_>>());
        records.push(routine(
            99,
            "routine.weekly|x|mon|morning",
            json!({"days": [1, 2, 3, 4, 5, 6, 7, 8, 9]}),
            f64::NAN,
        ));
        let result = std::panic::catch_unwind(|| derive_all(&Preferences::default(), &records));
        assert!(result.is_ok(), "seed {seed}");
    }
    derive_all(
        &Preferences::default(),
        &records_of([
            note("2025-01-01", &"I love tea. ".repeat(90_000)),
            to_agent("", &"I love ".repeat(200_000)),
        ]),
    );
}

#[test]
fn what_a_record_takes_back_or_contradicts_states_nothing() {
    check_statement("I hate swimming. Just kidding.", &[]);
    check_statement("I hate the tram.\nScratch that.", &[]);
    check_statement("I like cheese. I do not like cheese. I cannot decide.", &[]);
    check_statement("I prefer tea to coffee. I prefer coffee to tea.", &[]);
    check_statement(
        "I hate running. No wait, that was yesterday. I love jazz.",
        &["preference.music|jazz: You like jazz"],
    );
}

#[test]
fn words_of_time_and_asides_around_a_statement_are_left_out() {
    for (text, expect) in [
        ("I prefer coffee to tea now.", "preference.drink|coffee: You prefer coffee to tea"),
        (
            "I've changed my mind, I prefer coffee to tea now.",
            "preference.drink|coffee: You prefer coffee to tea",
        ),
        ("These days I prefer trains.", "preference.travel|trains: You like trains"),
        ("Nowadays, I prefer trains.", "preference.travel|trains: You like trains"),
        ("At the moment I prefer trains", "preference.travel|trains: You like trains"),
        ("I prefer trains from now on", "preference.travel|trains: You like trains"),
        (
            "From now on I prefer ruff to flake8",
            "preference.general|ruff: You prefer ruff to flake8",
        ),
        (
            "I love swimming, who would have thought.",
            "preference.activity|swimming: You like swimming",
        ),
        (
            "My favourite tea is actually lapsang souchong.",
            "preference.drink|lapsang-souchong: You like lapsang souchong",
        ),
    ] {
        check_statement(text, &[expect]);
    }
    check_statement("I prefer ruff to option2", &[]);
    check_statement("I prefer swimming, who would I ask", &[]);
    let changed = ["I prefer tea to coffee.", "I prefer coffee to tea now."];
    let records = records_of(changed.map(|text| note("2025-03-01", text)));
    assert_eq!(
        lines(&Preferences::default(), &records),
        ["preference.drink|coffee: You prefer coffee to tea"]
    );
}
