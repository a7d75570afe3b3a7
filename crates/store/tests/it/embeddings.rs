//! Scores by the vectors of other models equal those of a reference that computes every record
//! anew.

use kernel::evidence::{Evidence, EvidenceKind};
use models::Model;
use proptest::collection::vec;
use proptest::prelude::*;
use retrieval::rank::Weights;
use retrieval::rank::meaning::{Direction, Scale, compress, widen};
use serde_json::json;
use store::Position;
use store::sqlite::{Embedding, Filter, Found, ModelNumber, QuestionVector, SqliteSpace};

use crate::book::{Book, append_right, key, note};

const DIMENSIONS: usize = 12;
/// The genesis operation comes first.
const BEFORE_FIRST: u64 = 1;

fn model() -> Model {
    Model { provider: "test".to_owned(), name: "numbers".to_owned(), dimensions: DIMENSIONS }
}

fn record(number: usize, session: Option<u8>) -> Evidence {
    let mut evidence = note(&number.to_string(), &format!("word{number} of the day"));
    evidence.kind = EvidenceKind::TURN.into();
    evidence.payload.session = session.map(|session| format!("s{session}"));
    evidence
}

/// Writes a model's vectors of the first records, in batches.
fn write(space: &mut SqliteSpace, vectors: &[Option<Vec<f32>>], batch: usize) -> ModelNumber {
    let mut known = space.choose_embedding_model(&model(), "test:numbers").unwrap();
    loop {
        let next = space.embedding_batch(&known, batch).unwrap();
        if next.end == known.reached {
            return known.number;
        }
        let of = |position: &Position| vectors[(position.0 - BEFORE_FIRST - 1) as usize].clone();
        let made = |(position, _): &(Position, String)| {
            (
                *position,
                of(position).map_or_else(|| Embedding::Failed("odd".to_owned()), Embedding::Vector),
            )
        };
        let made: Vec<_> = next.texts.iter().map(made).collect();
        assert!(space.write_embeddings(&known, &made, next.end).unwrap());
        known = space.embedding_models().unwrap().remove(0);
    }
}

fn find(space: &mut SqliteSpace, vector: &QuestionVector, weights: &Weights) -> (Vec<Found>, bool) {
    let found = space.search_with(Some(vector), |search, analyzer| {
        let question = search.question("what was it like", analyzer, None)?;
        let found =
            search.finder(&question, analyzer, &Filter::default(), None, weights)?.find(1_000)?;
        Ok((found, search.has_model()))
    });
    found.unwrap()
}

/// A stored vector, of length 1.
fn kept(vector: &[f32]) -> Vec<f32> {
    let mut steps = vec![0; vector.len()];
    let inverse_length = compress(vector, &mut steps);
    steps.iter().map(|step| f32::from(*step) * inverse_length).collect()
}

fn cosine(question: &[f32], vector: &[f32]) -> f32 {
    let mut steps = vec![0; vector.len()];
    let inverse_length = compress(vector, &mut steps);
    Direction::of(question).unwrap().cosine(&steps, inverse_length)
}

fn part(found: &Found, name: &str) -> f64 {
    found.score.parts.iter().find(|part| part.name == name).unwrap().value
}

fn numbers() -> impl Strategy<Value = Vec<f32>> {
    vec(-1.0..1.0_f32, DIMENSIONS)
        .prop_filter("zero", |numbers| numbers.iter().any(|number| number.abs() > 0.01))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn windows_and_own_directions_score_as_the_reference(
        records in vec((prop::option::of(0..3_u8), prop::option::weighted(0.85, numbers())), 1..40),
        asked in numbers(),
        first_part in 0..40_usize,
        batch in 1..9_usize,
    ) {
        let mut book = Book::in_file();
        let first_part = first_part.min(records.len());
        let vectors: Vec<Option<Vec<f32>>> = records.iter().map(|(_, vector)| vector.clone()).collect();
        let mut number = None;
        for (place, (session, _)) in records.iter().enumerate() {
            book.evidence(&record(place, *session), &[]);
            if place + 1 == first_part {
                // A query in between loads the vectors so far; later reads add to them.
                book.advance();
                let vector = QuestionVector { model: write(&mut book.ledger, &vectors, batch), numbers: asked.clone() };
                find(&mut book.ledger, &vector, &Weights::WITH_MODEL);
            }
        }
        book.advance();
        number = Some(write(&mut book.ledger, &vectors, batch)).or(number);
        let vector = QuestionVector { model: number.unwrap(), numbers: asked.clone() };
        let (found, has_model) = find(&mut book.ledger, &vector, &Weights::WITH_MODEL);
        prop_assert_eq!(has_model, vectors.iter().any(Option::is_some));
        if !has_model {
            return Ok(());
        }
        let nothing = vec![0.0; DIMENSIONS];
        let before = |place: usize| {
            records[place].0?;
            (0..place).rev().find(|before| records[*before].0 == records[place].0)
        };
        let after = |place: usize| (place + 1..records.len()).find(|next| before(*next) == Some(place));
        let own = |place: Option<usize>| place.and_then(|place| vectors[place].as_deref()).map(kept);
        let windows: Vec<Option<f32>> = (0..records.len())
            .map(|place| {
                let mut window = own(Some(place))?;
                let (previous, next) = (before(place), after(place));
                let or_nothing = |vector: Option<Vec<f32>>| vector.unwrap_or_else(|| nothing.clone());
                widen(&mut window, &or_nothing(own(previous)), &or_nothing(own(previous.and_then(before))));
                widen(&mut window, &or_nothing(own(next)), &or_nothing(own(next.and_then(after))));
                Some(cosine(&asked, &window))
            })
            .collect();
        let scale = Scale::of(windows.iter().flatten().copied());
        let placed = |cosine: Option<f32>| cosine.map_or(0.0, |cosine| scale.normalise(cosine));
        let own_cosine = |place: usize| placed(vectors[place].as_deref().map(|vector| cosine(&asked, vector)));
        // A record without any positive part is not found.
        for (place, window) in windows.iter().enumerate() {
            let is_found = found.iter().any(|found| found.document as usize == place);
            prop_assert!(is_found || placed(*window) <= 0.0, "{place} with {window:?}");
        }
        for found in &found {
            let place = found.document as usize;
            for (name, wanted) in [
                ("window_meaning", placed(windows[place])),
                ("own_meaning", own_cosine(place)),
                ("next_meaning", after(place).map_or(0.0, own_cosine)),
            ] {
                let value = part(found, name);
                prop_assert!((value - wanted).abs() < 1e-5, "{name} of {place}: {value}, {wanted}");
            }
        }
        prop_assert!(found.is_sorted_by(|left, right| left.score.total >= right.score.total));
        // Another process that reads everything at once gets the same scores.
        let again = find(&mut book.again().ledger, &vector, &Weights::WITH_MODEL).0;
        let scores = |found: &[Found]| found.iter().map(|found| (found.document, found.score.total)).collect::<Vec<_>>();
        prop_assert_eq!(scores(&found), scores(&again));
    }
}

#[test]
fn the_number_of_a_forgotten_model_is_not_reused() {
    let mut book = Book::in_file();
    book.note("1", "soup");
    book.advance();
    let first = write(&mut book.ledger, &[Some(vec![1.0; DIMENSIONS])], 1);
    book.ledger.forget_embeddings(first).unwrap();
    let second = write(&mut book.ledger, &[Some(vec![1.0; DIMENSIONS])], 1);
    assert!(first < second);
    let asked = QuestionVector { model: first, numbers: vec![1.0; DIMENSIONS] };
    assert!(!find(&mut book.ledger, &asked, &Weights::WITH_MODEL).1);
}

#[test]
fn records_that_gain_effect_later_are_embedded_then() {
    let mut book = Book::in_file();
    book.admit(&key(2), "evidence", &json!(note("a", "agent's soup")), &[], 50);
    book.clock = 3;
    book.note("b", "tomato soup");
    book.advance();
    let read = |book: &mut Book<SqliteSpace>| {
        let known = book.ledger.choose_embedding_model(&model(), "test:numbers").unwrap();
        let batch = book.ledger.embedding_batch(&known, 10).unwrap();
        let made: Vec<_> = batch
            .texts
            .iter()
            .map(|(at, _)| (*at, Embedding::Vector(vec![1.0; DIMENSIONS])))
            .collect();
        assert!(book.ledger.write_embeddings(&known, &made, batch.end).unwrap());
        batch.texts.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    };
    assert_eq!(read(&mut book), ["tomato soup"]);
    // From another device, whose clock said 40.
    book.admit(&key(1), "grant", &append_right(2), &[], 40);
    book.advance();
    assert_eq!(read(&mut book), ["agent's soup"]);
    assert!(read(&mut book).is_empty());
}

#[test]
fn vectors_too_long_to_keep_are_refused() {
    let mut book = Book::in_file();
    for dimensions in [0, store::sqlite::DIMENSIONS_MAX + 1] {
        let refused = book
            .ledger
            .choose_embedding_model(&Model { dimensions, ..model() }, "test:numbers")
            .unwrap_err();
        assert_eq!(refused.code(), "vector_dimensions");
    }
}

#[test]
fn a_window_includes_the_next_record_of_its_session_across_many_others() {
    const BETWEEN: usize = 100;
    let along = |place: usize| {
        Some((0..DIMENSIONS).map(|at| f32::from(u8::from(at == place))).collect::<Vec<_>>())
    };
    let mut book = Book::in_file();
    // Two conversations begin alike; only one of them reaches the query's topic, later.
    let sessions =
        [Some(0), Some(1)].into_iter().chain([Some(2); BETWEEN]).chain([Some(0), Some(1)]);
    let vectors: Vec<_> = [0, 0].into_iter().chain([1; BETWEEN]).chain([2, 1]).map(along).collect();
    for (place, session) in sessions.enumerate() {
        book.evidence(&record(place, session), &[]);
    }
    book.advance();
    let asked =
        QuestionVector { model: write(&mut book.ledger, &vectors, 16), numbers: along(2).unwrap() };
    let found = find(&mut book.ledger, &asked, &Weights::WITH_MODEL).0;
    let window = |document: u32| {
        part(found.iter().find(|found| found.document == document).unwrap(), "window_meaning")
    };
    assert!(window(0) > window(1) + 0.1, "{} {}", window(0), window(1));
}
