//! Records and questions of unusual sizes: each is answered, and none costs more than in proportion
//! to its length.

use std::time::{Duration, Instant};

use engine::recall::context::{Request, Turn};
use engine::recall::episodes::Query;
use kernel::operation::BODY_BYTES_MAX;

use crate::support::{Home, at, note, recalled};

/// The length of a long record. Its body may be twice as long, since line ends are escaped.
const LONG: usize = BODY_BYTES_MAX / 2 - 4 * 1024;
/// Longest passage that is served: words without end are cut.
const SERVED_BYTES_MAX: usize = 160_000;
/// How much longer than in proportion to its length a text may take.
const SLOWER: u32 = 20;
/// Less is not measured.
const MEASURED_MIN: Duration = Duration::from_millis(5);

fn elapsed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed().max(MEASURED_MIN)
}

#[test]
fn long_records_of_any_form_are_found_and_cost_in_proportion() {
    for (name, unit) in [
        ("word", "q"),
        ("line", "a_b-c/"),
        ("unspaced", "猫の手"),
        ("words", "word "),
        ("sentences", "It rained. "),
        ("lines", "x\n"),
        ("marks", "?!"),
        ("combining", "e\u{301}"),
    ] {
        let mut home = Home::new();
        home.remember("small", "Petra is allergic to walnuts");
        let text = |bytes: usize| format!("The harbour. {}", unit.repeat(bytes / unit.len()));
        let short = elapsed(|| _ = home.remember("short", &text(LONG / 16)));
        let long = elapsed(|| _ = home.remember("long", &text(LONG)));
        assert!(long < 16 * SLOWER * short, "{name}: {long:?}, a sixteenth of it {short:?}");
        assert_eq!(recalled(&home.space, "walnuts")[0], "Petra is allergic to walnuts", "{name}");
        let found = home.space.recall(&Query::new("the harbour", 3)).unwrap();
        let beginning: String = found.results[0].text().chars().take(40).collect();
        assert!(beginning.starts_with("The harbour."), "{name}: {beginning}");
        let longest = found.results.iter().map(|result| result.text().len()).max().unwrap();
        assert!(longest < SERVED_BYTES_MAX, "{name}: {longest}");
        let turns = vec![Turn { speaker: "Mara".to_owned(), text: "the harbour".to_owned() }];
        let context = home.space.context(&Request { turns, ..Request::new("test", at(2)) });
        assert!(context.unwrap().tokens.total <= 1_500, "{name}");
    }
}

#[test]
fn a_record_that_is_too_long_is_refused_and_the_space_goes_on() {
    let mut home = Home::new();
    let too_long = home.space.remember(note("a", &"q".repeat(10_000_000)), at(1));
    assert!(too_long.is_err());
    home.remember("b", "Petra is allergic to walnuts");
    assert_eq!(recalled(&home.space, "walnuts"), ["Petra is allergic to walnuts"]);
}

#[test]
fn a_question_of_ten_thousand_words_is_answered_and_costs_in_proportion() {
    let mut home = Home::new();
    home.record_many(1_000);
    home.remember("a", "Petra is allergic to walnuts");
    let question = |words: usize| {
        let known = (0..words - 3).map(|number| format!("number{number} "));
        format!("Petra allergic walnuts {}", known.collect::<String>())
    };
    let ask = |words: usize| {
        let query = Query::new(question(words), 5);
        elapsed(|| _ = home.space.recall(&query).unwrap())
    };
    ask(100);
    let (short, long) = (ask(100), ask(10_000));
    assert!(long < 100 * SLOWER * short, "{long:?}, a hundredth of it {short:?}");
    let unknown = format!("{} who is allergic to walnuts?", "zxqv flumph ".repeat(5_000));
    assert_eq!(recalled(&home.space, &unknown)[0], "Petra is allergic to walnuts");
    let before = format!("Who is allergic to walnuts? {}", "zxqv flumph ".repeat(5_000));
    assert_eq!(recalled(&home.space, &before)[0], "Petra is allergic to walnuts");
}
