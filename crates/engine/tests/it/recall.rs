//! Recall while others write and when something does not read.

use std::time::{Duration, Instant};

use engine::recall::episodes::Query;
use kernel::evidence::EvidenceKind;
use kernel::kind::Capability;
use retrieval::rank::relevance::RELEVANCE_MIN;
use store::Ledger;
use store::sqlite::SqliteSpace;

use crate::support::{Home, at, key, note, query};

#[test]
fn a_recall_does_not_wait_for_another_writer_and_says_how_far_it_is_behind() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    home.remember_unfolded("b", "lentil soup");
    let mut other = SqliteSpace::open(home.space.path()).unwrap();
    let writing = other.begin().unwrap();
    let begun = Instant::now();
    let recall = home.space.recall(&query("soup")).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!((recall.results.len(), recall.behind), (1, 1));
    drop(writing);
    let recall = home.space.recall(&query("soup")).unwrap();
    assert_eq!((recall.results.len(), recall.behind), (2, 0));
}

#[test]
fn a_record_is_found_while_another_process_writes() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    let mut other = SqliteSpace::open(home.space.path()).unwrap();
    let writing = other.begin().unwrap();
    for space in [&home.space, &home.again(1)] {
        let recall = space.recall(&query("soup")).unwrap();
        assert_eq!((recall.results.len(), recall.behind), (1, 0));
    }
    drop(writing);
}

#[test]
fn an_unreadable_operation_does_not_prevent_recall_of_the_others() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    home.remember_unfolded("b", "lentil soup");
    home.tamper("UPDATE op SET refs = x'01' WHERE pos = 3");
    let recall = home.again(1).recall(&query("soup")).unwrap();
    assert_eq!((recall.results.len(), recall.behind), (1, 1));
    home.remember("c", "onion soup");
    assert_eq!(home.space.recall(&query("soup")).unwrap().behind, 2);
}

#[test]
fn an_altered_record_is_left_out_and_named() {
    let mut home = Home::new();
    home.remember("a", "tomato soup");
    home.remember("b", "lentil soup");
    let altered = home.space.recall(&query("lentil")).unwrap().results[0].id;
    home.tamper(
        "UPDATE op SET body = CAST(replace(CAST(body AS TEXT), 'lentil', 'poison') AS BLOB)",
    );
    let recall = home.again(1).recall(&Query { neighbours: 1, ..query("soup") }).unwrap();
    assert_eq!((recall.results.len(), recall.altered), (1, vec![altered]));
    assert!(recall.results[0].neighbours.is_empty());
    // A changed time is noticed too: it is part of what the id is made from.
    home.tamper("UPDATE op SET ts = ts + 1 WHERE kind = 'evidence'");
    let recall = home.again(1).recall(&query("soup")).unwrap();
    assert_eq!((recall.results.len(), recall.altered.len()), (0, 2));
}

#[test]
fn a_prefix_names_one_operation_or_the_error_lists_the_candidates() {
    let mut home = Home::new();
    home.record_many(40);
    let id = home.space.log_tail(1, &Default::default()).unwrap()[0].operation.id();
    assert_eq!(home.space.resolve(&id.to_string()).unwrap(), id);
    for unknown in ["", "b3:", "nothing", "ffffffffffffffffffffffffffffffff", "ẞß"] {
        assert_eq!(home.space.resolve(unknown).unwrap_err().code(), "unknown_id", "{unknown}");
    }
    assert_eq!(home.space.author(), key(1).author());
}

#[test]
fn a_record_of_a_key_that_does_not_speak_for_the_owner_is_recalled_with_the_name_of_the_key() {
    let mut home = Home::new();
    home.remember("1", "Soup with leek.");
    for (number, name, rights) in [
        (2, "Ben", vec![Capability::Append]),
        (3, "phone", vec![Capability::Append, Capability::Correct]),
        (4, "", vec![Capability::Append]),
    ] {
        let key = key(number).author();
        home.space.change_access(key, name, rights, true, at(2)).unwrap();
        let mut other = home.again(number);
        other.remember(note(name, &format!("Soup of key {number}.")), at(3)).unwrap();
    }
    let recall = home.space.recall(&query("soup")).unwrap();
    let mut signers: Vec<_> = recall
        .results
        .into_iter()
        .map(|result| (result.evidence.payload.text, result.recorded_by))
        .collect();
    signers.sort();
    let unnamed: String = key(4).author().to_string().chars().take(16).collect();
    assert_eq!(
        signers,
        [
            ("Soup of key 2.".to_owned(), Some("Ben".to_owned())),
            ("Soup of key 3.".to_owned(), None),
            ("Soup of key 4.".to_owned(), Some(unnamed)),
            ("Soup with leek.".to_owned(), None),
        ]
    );
}

#[test]
fn compounds_are_found_by_their_parts_and_words_in_compounds() {
    let mut home = Home::new();
    home.remember("a", "Der Kellerschlüssel hängt neben der Küchentür.");
    home.remember(
        "b",
        "Zur Feier von Omas Geburtstag kommen viele Gäste, und das Essen ist bestellt.",
    );
    home.remember("c", "Das Auto steht in der Garage, und die Reifen sind neu.");
    home.remember(
        "d",
        "Nicht vergessen: die Blumen bei den Nachbarn gießen, wenn sie verreist sind.",
    );
    let first = |question: &str| {
        let recall = home.space.recall(&query(question)).unwrap();
        let first = recall.results.first();
        let text = first.map_or(String::new(), |first| first.evidence.payload.text.clone());
        (text.chars().take(12).collect::<String>(), recall.relevance >= RELEVANCE_MIN)
    };
    for (question, expected) in [
        // A word in a compound, at its end and its beginning.
        ("Wo ist der Schlüssel?", "Der Kellersc"),
        ("Wo ist die Tür zur Küche?", "Der Kellersc"),
        // A compound by its parts, also with letters between them.
        ("Wann ist die Geburtstagsfeier?", "Zur Feier vo"),
        ("Wer bringt das Geburtstagsessen?", "Zur Feier vo"),
    ] {
        assert_eq!(first(question), (expected.to_owned(), true), "{question}");
    }
    // The car is not its key.
    assert!(!first("Wo ist der Autoschlüssel?").1);
    // What is found by another word says so.
    let recall = home.space.recall(&query("Wann ist die Geburtstagsfeier?")).unwrap();
    let terms = serde_json::to_value(&recall.results[0].terms).unwrap();
    assert_eq!(
        (&terms[0]["term"], &terms[0]["for"]),
        (&"geburtstag".into(), &"geburtstagsfei".into())
    );
}

#[test]
fn codes_and_numbers_are_found_however_their_parts_are_written() {
    let mut home = Home::new();
    home.remember("a", "Our flight to Oslo is LH 1834, seat 14C.");
    home.remember("b", "Flight BA771 to Lisbon leaves at noon.");
    home.remember("c", "Call the plumber at 070-123 45 67.");
    home.remember("d", "The parcel has the number RR 123 456 785 SE.");
    home.remember("e", "The invoice for the roof came to 32,000 euros.");
    home.remember("f", "We paid 1.250,50 EUR for the sofa.");
    for (question, expected) in [
        ("Where does LH1834 go?", "Our flight"),
        ("Where does BA 771 go?", "Flight BA771"),
        ("where does ba 771 go", "Flight BA771"),
        ("Who is at 0701234567?", "Call the"),
        ("What is RR123456785SE?", "The parcel"),
        ("What was 32 000 euros?", "The invoice"),
        ("What was 32.000 euros?", "The invoice"),
        ("What was 1,250.50?", "We paid"),
    ] {
        let recall = home.space.recall(&query(question)).unwrap();
        let first = &recall.results[0].evidence.payload.text;
        assert!(first.starts_with(expected), "{question}: {first}");
        assert!(recall.relevance >= RELEVANCE_MIN, "{question}");
    }
    for question in ["Where does LH1835 go?", "Who is at 0701234568?"] {
        assert!(home.space.recall(&query(question)).unwrap().relevance < RELEVANCE_MIN);
    }
}

#[test]
fn a_record_about_another_code_does_not_answer() {
    let mut home = Home::new();
    home.remember("a", "Error E1207 means the license server is unreachable.");
    home.remember("b", "My laptop is a MacBook with an M2 chip.");
    home.remember("c", "I owe Ben 40 euros for the tickets.");
    home.remember("d", "The printer on floor 3 jams when the paper is damp.");
    home.remember("e", "My apartment is 512 square feet.");
    let answers = |home: &Home, question: &str| {
        home.space.recall(&query(question)).unwrap().relevance >= RELEVANCE_MIN
    };
    for question in [
        "What does E1207 mean?",
        "Is my laptop an M1?",
        "Do I owe Ben 50 euros?",
        "I moved to floor 4. Why does the printer jam?",
    ] {
        assert!(answers(&home, question), "{question}");
    }
    for question in ["What does E1208 mean?", "Who reviewed PR 512?"] {
        assert!(!answers(&home, question), "{question}");
    }
    for number in 100..150 {
        home.remember(&number.to_string(), &format!("Error E-{number} means something else."));
    }
    assert!(!answers(&home, "What does E-500 mean?"));
    assert!(answers(&home, "What does E-120 mean?"));
    let many = format!("What does {} mean?", "E-120 ".repeat(20_000));
    let begun = Instant::now();
    answers(&home, &many);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn words_of_other_records_are_not_named_and_do_not_outweigh_the_word_itself() {
    let mut home = Home::new();
    home.remember("a", "Der Schlüssel liegt heute auf dem Küchentisch neben der Post.");
    home.remember(
        "b",
        "Es gibt den Autoschlüssel, den Kellerschlüssel, den Hausschlüssel, den Fahrradschlüssel \
         und den Garagenschlüssel, und den Schlüsselbund.",
    );
    for (number, place) in ["Berlin", "Hamburg", "Kassel", "Mainz", "Worms"].iter().enumerate() {
        home.remember(
            &number.to_string(),
            &format!("Wir waren im Sommer in {place} und das war schön."),
        );
    }
    let recall = home.space.recall(&query("Wo liegt der Schlüssel?")).unwrap();
    assert!(recall.results[0].evidence.payload.text.starts_with("Der Schlüssel"));
    for result in &recall.results {
        // A reader of one record learns no word of another.
        for share in result.terms.iter().filter(|share| share.stands_for.is_some()) {
            assert!(share.own > 0, "{share:?}");
        }
        let words = result.score.parts.iter().find(|part| part.name == "words").unwrap();
        assert!(words.value <= 1.0, "{words:?}");
    }
}

#[test]
fn a_program_by_its_name_is_asked_as_you_and_a_friend_of_that_name_is_not() {
    let mut home = Home::new();
    let said = |uid: &str, role: &str, text: &str| {
        let mut turn = note(uid, text);
        turn.kind = EvidenceKind::from(EvidenceKind::TURN);
        turn.payload.role = Some(role.to_owned());
        turn
    };
    let knee = "My knee hurts on the stairs. Can you help?";
    home.space.remember(said("a", "user", knee), at(1)).unwrap();
    let reply = "Do clamshells every other day for the knee.";
    home.space.remember(said("b", "assistant", reply), at(2)).unwrap();
    let first = |home: &Home, question: &str| {
        let recall = home.space.recall(&query(question)).unwrap();
        assert!(!recall.abstains, "{question}: {}", recall.relevance);
        recall.results[0].evidence.payload.text.clone()
    };
    for question in [
        "What did you suggest for my knee?",
        "What did ChatGPT suggest for my knee?",
        "What did the assistant suggest for my knee?",
        "What was your advice for my knee?",
    ] {
        assert_eq!(first(&home, question), reply, "{question}");
    }
    home.remember("c", "Claude said the boiler of the cabin needs a new pump");
    home.remember("d", "Ben said the boiler of the cabin needs new paint");
    assert!(first(&home, "What did Claude say about the boiler?").starts_with("Claude"));
}
