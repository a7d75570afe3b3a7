//! Thoughts in the queue of a model, in searches by its vectors, and among candidates.

use engine::Space;
use engine::embed::Portion;
use engine::private::Disclosure;
use engine::thought::contribute::{Contribution, Grounds};
use engine::thought::retrieve::ThoughtQuery;
use kernel::body::{Body, Thought};
use kernel::id::OpId;
use kernel::operation::{Ref, Role};
use kernel::seal::Draft;
use store::sqlite::QuestionVector;

use crate::embed::{Fake, embed, embed_at, unreachable};
use crate::support::{Home, at};

fn keep(space: &mut Space, content: &str) -> OpId {
    let thought = Thought {
        content: Some(content.to_owned()),
        context: Some("looking for a boat".to_owned()),
        ..Thought::default()
    };
    let mut writer = space.writer();
    let id = writer.contribute(Contribution { thought, grounds: Grounds::None }, at(20)).unwrap();
    writer.finish().unwrap();
    id
}

fn act(space: &mut Space, body: Body, on: OpId) -> OpId {
    let refs = vec![Ref { id: on, role: Role::parse(Role::TARGET).unwrap() }];
    let mut writer = space.writer();
    let id = writer.append(Draft { body, refs }, at(30)).unwrap();
    writer.finish().unwrap();
    id
}

fn sought<'a>(text: &'a str, vector: Option<&'a QuestionVector>) -> ThoughtQuery<'a> {
    let disclosure = Disclosure::Full;
    ThoughtQuery { text, vector, tags: &[], disclosure, now_us: 0, as_of_us: None }
}

/// What a prompt finds by the words and the built-in table.
fn found(space: &Space, prompt: &str) -> Vec<OpId> {
    let found = space.reader().unwrap().retrieve_thoughts(&sought(prompt, None)).unwrap();
    found.hits.iter().map(|hit| hit.id).collect()
}

/// The same with the model's vectors.
fn found_by(space: &Space, fake: &Fake, prompt: &str) -> Vec<OpId> {
    let known = space.embedding_status().unwrap();
    let model = known.iter().find(|known| known.name == fake.model.name).unwrap().number;
    let vector = QuestionVector { model, numbers: fake.vector(prompt) };
    let found = space.reader().unwrap().retrieve_thoughts(&sought(prompt, Some(&vector))).unwrap();
    found.hits.iter().map(|hit| hit.id).collect()
}

#[test]
fn case_23_given_the_embedder_is_down_then_a_thought_is_stored_and_found_by_text_and_recovers() {
    let mut home = Home::new();
    let space = &mut home.space;
    keep(space, "The harbour opens at nine, and closes when it is dark.");
    let mut fake = Fake::new("one", 8).after([unreachable()]);
    let id = keep(space, "Our zorbelin stays outside whenever it does not rain.");
    let failed = embed_at(space, &mut fake, 1_000);
    assert_eq!((failed.embedded, failed.pending), (0, 2));
    assert!(failed.error.is_some() && failed.waiting_until.is_some());
    assert_eq!(found(space, "zorbelin outside"), [id], "found by text");
    assert_eq!(found_by(space, &fake, "zorbelin outside"), [id], "the table stands in");
    assert!(found_by(space, &fake, "quanthar").is_empty());
    let recovered = embed_at(space, &mut fake, 2_000);
    assert_eq!((recovered.embedded, recovered.pending, recovered.error), (2, 0, None));
    assert_eq!(found_by(space, &fake, "quanthar"), [id], "found by meaning");
    let status = &space.embedding_status().unwrap()[0];
    assert_eq!((status.embedded, status.pending), (2, 0));
}

#[test]
fn context_is_not_embedded_and_nothing_is_read_twice() {
    let mut home = Home::new();
    let mut fake = Fake::new("one", 8);
    let first = keep(&mut home.space, "The kiln reaches cone six in nine hours.");
    embed(&mut home.space, &mut fake);
    assert_eq!(fake.texts(), ["The kiln reaches cone six in nine hours."]);
    let second = keep(&mut home.space, "Some soup is left in the kitchen.");
    // The one that the model has not read yet is compared by the table.
    assert_eq!(found_by(&home.space, &fake, "oven"), [first]);
    assert!(found_by(&home.space, &fake, "soup").contains(&second));
    fake.calls.clear();
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 1);
    assert_eq!(fake.texts(), ["Some soup is left in the kitchen."]);
    assert_eq!(found_by(&home.space, &fake, "broth"), [second]);
    assert!(found_by(&home.space, &fake, "vessel").is_empty(), "what the context is about");
}

#[test]
fn a_portion_is_continued_and_a_forgotten_model_reads_all_again() {
    let mut home = Home::new();
    for number in 0..10 {
        keep(&mut home.space, &format!("Dog number {number} sleeps in the workshop."));
    }
    let mut fake = Fake::new("one", 8);
    let portion = Portion { texts_max: 6, until: None };
    let now = &|| at(1_000);
    let done = home.space.embed(&mut fake, "fake:one", portion, now, &mut |_| {}).unwrap();
    assert_eq!((done.embedded, done.pending), (6, 4));
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 4);
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 0);
    let number = home.space.embedding_status().unwrap()[0].number;
    home.space.writer().forget_embeddings(number).unwrap();
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 10);
}

#[test]
fn a_retracted_thought_is_not_embedded_and_one_that_counts_again_is() {
    let mut home = Home::new();
    let mut fake = Fake::new("one", 8);
    let kept = keep(&mut home.space, "The boat leaves in the morning.");
    let taken_back = keep(&mut home.space, "The zorbelin is red.");
    let retraction = Body::Retraction(kernel::body::Reason { reason: String::new() });
    let retraction = act(&mut home.space, retraction, taken_back);
    embed(&mut home.space, &mut fake);
    assert_eq!(fake.texts(), ["The boat leaves in the morning."]);
    assert_eq!(found_by(&home.space, &fake, "vessel"), [kept]);
    let withdrawal = Body::RetractionWithdrawal(kernel::body::Withdrawal { note: String::new() });
    act(&mut home.space, withdrawal, retraction);
    fake.calls.clear();
    embed(&mut home.space, &mut fake);
    assert_eq!(fake.texts(), ["The zorbelin is red."]);
    assert_eq!(found_by(&home.space, &fake, "quanthar"), [taken_back]);
}

#[test]
fn candidates_hold_what_a_full_scan_finds() {
    /// Words that the table knows, so that meaning counts.
    const PLAIN: [&str; 16] = [
        "kiln", "glaze", "harbour", "boat", "bridge", "window", "garden", "letter", "engine",
        "river", "market", "doctor", "music", "winter", "bread", "school",
    ];
    let mut seed = 7u64;
    let mut below = move |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit
    };
    let mut text = |words: usize| -> String {
        let mut word = || match below(3) {
            0 => format!("word{}", below(300)),
            _ => PLAIN[below(PLAIN.len())].to_owned(),
        };
        (0..words).map(|_| word()).collect::<Vec<_>>().join(" ")
    };
    let mut home = Home::new();
    let contributions = (0..6_000).map(|_| Contribution {
        thought: Thought { content: Some(text(12)), ..Thought::default() },
        grounds: Grounds::None,
    });
    let mut writer = home.space.writer();
    writer.contribute_all(contributions.collect(), at(20)).unwrap();
    writer.finish().unwrap();
    let prompts: Vec<String> = (0..20).map(|number| text(3 + number % 5)).collect();
    let scored = |prompt: &str| {
        let hits = home.space.reader().unwrap().retrieve_thoughts(&sought(prompt, None)).unwrap();
        hits.hits.iter().map(|hit| hit.score).collect::<Vec<f64>>()
    };
    let signer = || crate::support::key(1);
    let (mut held, mut wanted) = (0, 0);
    for _ in 0..2 {
        // From then on, directions are in memory.
        scored("kiln");
    }
    for prompt in &prompts {
        // The first search of a process compares everything.
        let alone = Space::open_unshared(home.space.path(), signer()).unwrap();
        let all = alone.reader().unwrap().retrieve_thoughts(&sought(prompt, None)).unwrap().hits;
        let Some(tenth) = all.get(9) else { continue };
        wanted += 10;
        let found = scored(prompt);
        held += found.iter().take(10).filter(|score| **score >= tenth.score - 1e-9).count();
    }
    assert!(wanted >= 100, "{wanted}");
    assert!(100 * held >= 97 * wanted, "{held} of {wanted}");
}
