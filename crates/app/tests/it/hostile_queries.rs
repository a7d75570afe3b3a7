//! Unusual and hostile questions.

use engine::Space;
use engine::recall::episodes::Query;
use kernel::seal::Signer;

use crate::machine::Machine;

/// The longest single argument that Linux passes on is 128 KiB.
const ARGUMENT_BYTES: usize = 100_000;

#[test]
fn any_question_gets_an_answer_or_a_refusal() {
    let machine = Machine::with_chat();
    machine.because(["remember", "שלום, מרה שורפת את הקערות ביום חמישי"]).run().succeeds();
    let long = "glaze ".repeat(ARGUMENT_BYTES / 6);
    let one_word = "g".repeat(ARGUMENT_BYTES);
    let questions = [
        "?!…",
        "🏺🔥",
        "👩‍👩‍👧‍👦",
        "מתי מרה שורפת?",
        "\u{202e}ezalg",
        "e\u{301}\u{301}\u{301}\u{301}",
        "' OR 1=1; DROP TABLE op; --",
        "NEAR(\"a\" b) AND NOT *",
        "%s%n%x",
        "--help",
        &long,
        &one_word,
    ];
    for question in questions {
        let answer = machine.because(["recall", "--json", "--", question]).run().succeeds().json();
        assert!(answer["results"].is_array());
        machine.because(["recall", "--explain", "--", question]).run().succeeds();
    }
    for nothing in ["", "   "] {
        machine.because(["recall", "--", nothing]).run().ends(2).says("empty");
    }
    machine.because(["recall", "מתי מרה שורפת?"]).run().succeeds().prints("חמישי");
    machine.because(["recall", "--", "🏺🔥"]).run().succeeds().prints("Nothing in memory");
    machine.is_sound();
}

#[test]
fn questions_too_long_for_one_argument_are_answered() {
    let machine = Machine::with_chat();
    let space = Space::open(&machine.space(), Signer::from_seed([1; 32])).unwrap();
    let begun = std::time::Instant::now();
    let words: String = (0..1_500_000).map(|number| format!("w{number} ")).collect();
    assert!(words.len() > 10_000_000);
    let dates = "2025-01-08 next Tuesday two weeks ago ".repeat(300_000);
    for text in [
        "\0glaze\0",
        &words,
        &dates,
        &"é".repeat(5_000_001),
        &"\0".repeat(10_000_000),
        &"🏺".repeat(2_500_000),
    ] {
        let query = Query {
            neighbours: 2,
            today: Some(jiff::civil::date(2025, 3, 1)),
            ..Query::new(text, 10)
        };
        space.recall(&query).unwrap();
    }
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
