//! The passive stream: ready for the next turn, and no turn waits.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use engine::private::Viewpoint;
use engine::recall::context::gather::Wanted;
use engine::recall::context::unasked::COUNT;
use engine::recall::context::{Request, Tier, Turn};
use engine::recall::stream::Stream;
use engine::write::record::Prepared;

use crate::support::{Home, at, note};

/// Records beside which the latency is measured.
const RECORDS: usize = 10_000;
/// Turns of which the latency is measured.
const TURNS: usize = 300;
/// Longer than a search takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

fn turn(text: &str) -> Turn {
    Turn { speaker: "Mara".to_owned(), text: text.to_owned() }
}

#[test]
fn results_for_two_turns_are_ready_for_the_next() {
    let mut home = Home::new();
    home.remember("a", "Idris recommends tenmoku glaze for the tall bowls");
    home.remember("b", "The electrician comes on Tuesday evening");
    let stream = Stream::start(home.again(1)).unwrap();
    assert!(stream.prepared().is_none());
    let turns =
        [turn("Which glaze for the tall bowls?"), turn("And when does the electrician come?")];
    stream.follow(&turns[..1], at(1), None);
    stream.follow(&turns, at(2), None);
    let prepared = stream.settled().unwrap();
    assert_eq!(prepared.after_turns, 2);
    let request = Request {
        turns: vec![turn("Thank you")],
        prepared: Some(prepared.gathered),
        ..Request::new("claude", at(3))
    };
    let context = home.space.context(&request).unwrap();
    let episodes = context.items.iter().filter(|item| item.tier == Tier::Episodes).count();
    assert_eq!(episodes, 2, "{}", context.text);
    assert_eq!(stream.failure(), None);
}

#[test]
fn conversations_that_take_turns_are_each_searched_with_their_own_last_turns() {
    let mut home = Home::new();
    home.remember("a", "Idris recommends tenmoku glaze for the tall bowls");
    let head = home.space.reader().unwrap().head().unwrap();
    let stream = Stream::start(home.again(1)).unwrap();
    let pots = [turn("Hello"), turn("Which glaze?"), turn("For the tall bowls")];
    stream.follow(&pots, at(1), None);
    let prepared = stream.settled_within(LONG).unwrap();
    assert_eq!(prepared.gathered.query, "Which glaze?\nFor the tall bowls");
    assert_eq!((prepared.after_turns, prepared.head), (1, head));
    stream.follow(&[turn("Another thing")], at(2), None);
    assert_eq!(stream.settled_within(LONG).unwrap().gathered.query, "Another thing");
    stream.follow(&[turn("Another thing"), turn("indeed")], at(2), None);
    assert_eq!(stream.settled_within(LONG).unwrap().gathered.query, "Another thing\nindeed");
    // What arrives later is not in what was prepared.
    home.remember("b", "The kiln stands behind the studio");
    let begun = Instant::now();
    let prepared = stream.settled_within(LONG).unwrap();
    assert!(prepared.head < home.space.reader().unwrap().head().unwrap());
    assert!(begun.elapsed() < LONG, "nothing is being searched");
    assert!(stream.is_running());
}

#[test]
fn what_surfaces_unasked_shares_a_rare_word_and_says_more_or_is_an_instruction_that_applies() {
    let mut home = Home::new();
    for (id, text) in [
        ("a", "Hey, how are you?"),
        ("b", "Idris recommends tenmoku glaze for the tall bowls"),
        ("c", "The tall bowls"),
        ("d", "Please always answer questions about glazes with a temperature in Celsius"),
        ("e", "The electrician comes on Tuesday evening"),
    ] {
        home.remember(id, text);
    }
    for number in 0..20 {
        home.remember(&format!("f{number}"), &format!("Ana bakes bread at {number}"));
    }
    let surfaced = |said: &str| -> Vec<String> {
        let text = Wanted::last_turns(&[turn(said)]);
        let wanted = Wanted {
            text,
            by_model: BTreeMap::new(),
            now: at(1),
            today: None,
            viewpoint: Viewpoint::default(),
        };
        let gathered = home.space.gather(&wanted).unwrap().unasked();
        gathered.episodes.into_iter().map(|episode| episode.text).collect()
    };
    let bowls = surfaced("I would like to glaze the tall bowls");
    assert!(bowls.iter().any(|text| text.starts_with("Idris")), "{bowls:?}");
    assert!(
        !bowls.iter().any(|text| text == "The tall bowls" || text.contains("bread")),
        "{bowls:?}"
    );
    assert_eq!(surfaced("Hey, how are you?"), Vec::<String>::new());
    // Everybody knows that she bakes, and no record is about it more than another.
    assert_eq!(surfaced("Did Ana bake any bread?"), Vec::<String>::new());
    assert_eq!(surfaced("When does the electrician come?").len(), 1);
    assert!(surfaced("glaze ".repeat(40).as_str()).len() <= COUNT.most);
}

#[test]
fn turns_that_come_faster_than_they_are_searched_for_do_not_pile_up() {
    let mut home = Home::new();
    home.remember("a", "number 9999 was the last one");
    let stream = Stream::start(home.again(1)).unwrap();
    let turns: Vec<Turn> = (0..10_000).map(|number| turn(&format!("number {number}"))).collect();
    for so_far in 1..=turns.len() {
        stream.follow(&turns[..so_far], at(1), None);
    }
    let prepared = stream.settled().unwrap();
    assert_eq!(prepared.after_turns, 10_000);
    assert_eq!(prepared.gathered.query, "number 9998\nnumber 9999");
}

#[test]
fn a_turn_waits_less_than_five_milliseconds_for_the_stream_of_ten_thousand_records() {
    let mut home = Home::new();
    let words = [
        "kiln", "glaze", "bowl", "clay", "studio", "class", "boat", "garden", "tomato", "harbour",
        "cat",
    ];
    for batch in 0..RECORDS / 1_000 {
        let prepared = (0..1_000).map(|place| {
            let number = batch * 1_000 + place;
            let word = |step: usize| words[(number / step) % words.len()];
            let text = format!(
                "The {} and the {} of the {} number {number}",
                word(1),
                word(11),
                word(121)
            );
            Prepared::new(note(&number.to_string(), &text).into()).unwrap()
        });
        home.space.record(prepared.collect(), at(1)).unwrap();
    }
    home.space.advance(|_| {}).unwrap();
    let stream = Stream::start(home.again(1)).unwrap();
    let (mut turns, mut waited) = (Vec::new(), Vec::new());
    for number in 0..TURNS {
        turns.push(turn(&format!(
            "What of the {} in the {}?",
            words[number % 11],
            words[number % 7]
        )));
        let begun = Instant::now();
        stream.follow(&turns, at(2), None);
        let prepared = stream.prepared();
        waited.push(begun.elapsed());
        assert!(prepared.is_none_or(|prepared| prepared.after_turns <= number as u64 + 1));
        if number % 10 == 0 {
            stream.settled();
        }
    }
    assert!(!stream.settled().unwrap().gathered.episodes.is_empty());
    waited.sort();
    let p99 = waited[TURNS * 99 / 100];
    println!("a turn waited {:?} at the median, {p99:?} at the 99th percentile", waited[TURNS / 2]);
    assert!(p99 < Duration::from_millis(5), "{p99:?}");
}
