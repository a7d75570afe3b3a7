//! The queue of a model that answers, fails, lies and is replaced.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use engine::Space;
use engine::embed::{Embedded, Portion};
use engine::recall::episodes::ByModel;
use jiff::Timestamp;
use models::{EmbedError, Embedder, Model, Purpose};

use crate::support::{Home, at, id_of, key, query};

/// What a scripted call does instead of answering.
type Mishap = Box<dyn FnMut(&[&str]) -> Option<Result<Vec<Vec<f32>>, EmbedError>> + Send>;

/// A model that knows a few words.
pub(crate) struct Fake {
    pub(crate) model: Model,
    pub(crate) batch_max: usize,
    pub(crate) calls: Vec<Vec<String>>,
    mishap: Mishap,
}

/// What means the same has the same number.
const WORDS: &[(&str, usize)] = &[
    ("dog", 0),
    ("hound", 0),
    ("boat", 1),
    ("vessel", 1),
    ("soup", 2),
    ("broth", 2),
    ("kiln", 3),
    ("oven", 3),
    // Words that no table knows.
    ("zorbelin", 4),
    ("quanthar", 4),
    ("mivrette", 5),
    ("plodosk", 5),
];

impl Fake {
    pub(crate) fn new(name: &str, dimensions: usize) -> Self {
        let model = Model { provider: "fake".to_owned(), name: name.to_owned(), dimensions };
        Self { model, batch_max: 4, calls: Vec::new(), mishap: Box::new(|_| None) }
    }

    fn failing(
        mut self,
        mishap: impl FnMut(&[&str]) -> Option<Result<Vec<Vec<f32>>, EmbedError>> + Send + 'static,
    ) -> Self {
        self.mishap = Box::new(mishap);
        self
    }

    /// These errors first, then answers.
    pub(crate) fn after(self, errors: impl IntoIterator<Item = EmbedError>) -> Self {
        let mut errors: VecDeque<EmbedError> = errors.into_iter().collect();
        self.failing(move |_| errors.pop_front().map(Err))
    }

    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.model.dimensions];
        vector[self.model.dimensions - 1] = 0.2;
        for (word, number) in WORDS {
            vector[*number] += text.to_lowercase().matches(word).count() as f32;
        }
        vector
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.calls.iter().flatten().map(String::as_str).collect()
    }
}

impl Embedder for Fake {
    fn model(&self) -> &Model {
        &self.model
    }

    fn batch_max(&self) -> usize {
        self.batch_max
    }

    fn embed(&mut self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.calls.push(texts.iter().map(|text| (*text).to_owned()).collect());
        match (self.mishap)(texts) {
            Some(mishap) => mishap,
            None => Ok(texts.iter().map(|text| self.vector(text)).collect()),
        }
    }
}

fn refused() -> EmbedError {
    EmbedError::Refused { provider: "fake".to_owned(), detail: "no".to_owned() }
}

pub(crate) fn unreachable() -> EmbedError {
    EmbedError::Unreachable { provider: "fake".to_owned(), detail: "nobody".to_owned() }
}

pub(crate) fn at_most(texts_max: u64) -> Portion {
    Portion { texts_max, until: None }
}

pub(crate) fn embed_at(space: &mut Space, fake: &mut Fake, seconds: i64) -> Embedded {
    let choice = format!("fake:{}", fake.model.name);
    space.embed(fake, &choice, Portion::ALL, &|| at(seconds), &mut |_| {}).unwrap()
}

pub(crate) fn embed(space: &mut Space, fake: &mut Fake) -> Embedded {
    embed_at(space, fake, 1_000)
}

/// The texts that a question recalls by the model that serves, and whether one does.
fn recalled_by(space: &mut Space, fake: &Fake, question: &str) -> (Vec<String>, bool) {
    let embedded = space.question_to_embed(question, None).unwrap();
    let ready =
        space.ready_embeddings("").unwrap().into_iter().find(|ready| ready.model == fake.model);
    let mut query = query(question);
    query.vector = ready.map(|ready| ByModel::new(ready.number, fake.vector(&embedded)));
    let recall = space.recall(&query).unwrap();
    let texts = recall.results.into_iter().map(|result| result.evidence.payload.text).collect();
    (texts, recall.model.is_some())
}

fn animals(home: &mut Home) {
    for (uid, text) in [
        ("1", "The dog sleeps"),
        ("2", "The boat leaves"),
        ("3", "Some soup is left"),
        ("4", "The kiln is hot"),
    ] {
        home.remember(uid, text);
    }
}

#[test]
fn records_without_a_common_word_are_found_by_the_vectors_of_the_model() {
    let mut home = Home::new();
    animals(&mut home);
    let mut fake = Fake::new("one", 8);
    let done = embed(&mut home.space, &mut fake);
    assert_eq!((done.embedded, done.failed, done.pending, done.error), (4, 0, 0, None));
    for (question, answer) in
        [("hound", "The dog sleeps"), ("vessel", "The boat leaves"), ("oven", "The kiln is hot")]
    {
        let (texts, by_model) = recalled_by(&mut home.space, &fake, question);
        assert!(by_model);
        assert_eq!(texts[0], answer, "{texts:?}");
    }
    // Nothing is read twice, and what comes later is read and found later.
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 0);
    home.remember("5", "A hound and a hound");
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 1);
    assert_eq!(recalled_by(&mut home.space, &fake, "dog dog").0[0], "The dog sleeps");
    assert!(
        recalled_by(&mut home.space, &fake, "hound").0[..2]
            .contains(&"A hound and a hound".to_owned())
    );
}

#[test]
fn retracted_and_empty_records_are_not_embedded() {
    let mut home = Home::new();
    let gone = id_of(home.remember("1", "The dog sleeps"));
    let drafts = home.space.to_retract(&gone.to_string(), "").unwrap();
    for draft in drafts {
        home.space.append(draft, at(2)).unwrap();
    }
    home.remember("2", "  ");
    home.remember("3", "The boat leaves");
    let mut fake = Fake::new("one", 8);
    assert_eq!(embed(&mut home.space, &mut fake).pending, 0);
    assert_eq!(fake.texts(), ["The boat leaves"]);
}

#[test]
fn a_queue_that_is_dropped_between_batches_resumes_at_its_position() {
    let mut home = Home::new();
    home.record_many(23);
    let mut fake = Fake::new("one", 8);
    for batch in 1..=5_u64 {
        let mut space = home.again(1);
        let done = space.embed(&mut fake, "fake:one", at_most(4), &|| at(1), &mut |_| {}).unwrap();
        assert_eq!((done.embedded, done.pending), (4, 23 - 4 * batch));
    }
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 3);
    let mut texts = fake.texts();
    assert_eq!(texts.len(), 23);
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 23, "nothing twice");
}

#[test]
fn two_processes_that_read_at_once_end_with_one_vector_each() {
    let mut home = Home::new();
    home.record_many(40);
    let path = home.space.path().to_owned();
    let workers: Vec<_> = (0..2)
        .map(|number| {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut space = Space::open(&path, key(1)).unwrap();
                let mut fake = Fake::new("one", 8);
                fake.batch_max = 3 + number;
                embed(&mut space, &mut fake)
            })
        })
        .collect();
    for worker in workers {
        let done = worker.join().unwrap();
        assert_eq!((done.pending, done.error), (0, None));
    }
    let status = home.space.embedding_status().unwrap();
    assert_eq!((status.len(), status[0].embedded, status[0].pending), (1, 40, 0));
}

#[test]
fn a_model_that_does_not_answer_is_asked_again_after_longer_and_longer_waits() {
    let mut home = Home::new();
    animals(&mut home);
    let mut fake = Fake::new("one", 8).failing(|_| Some(Err(unreachable())));
    let mut now = 1_000;
    let mut waits = Vec::new();
    for _ in 0..12 {
        let done = embed_at(&mut home.space, &mut fake, now);
        assert_eq!((done.embedded, done.pending, done.code), (0, 4, Some("embedder_unreachable")));
        let until = done.waiting_until.unwrap();
        waits.push(until.as_second() - at(now).as_second());
        // Who comes too early does not ask.
        let calls = fake.calls.len();
        assert_eq!(embed_at(&mut home.space, &mut fake, now).waiting_until, Some(until));
        assert_eq!(fake.calls.len(), calls);
        now += waits[waits.len() - 1];
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    let status = &home.space.embedding_status().unwrap()[0];
    assert_eq!((status.attempts, status.pending, status.is_ready), (12, 4, false));
    assert_eq!(status.last_error.as_deref(), Some("fake does not answer: nobody"));
    // Recall goes on by the built-in table.
    let (texts, by_model) = recalled_by(&mut home.space, &fake, "dog");
    assert_eq!((texts[0].as_str(), by_model), ("The dog sleeps", false));
}

#[test]
fn a_model_that_cannot_be_opened_is_noted_with_what_it_leaves_until_it_can() {
    let mut home = Home::new();
    animals(&mut home);
    let mut waits = Vec::new();
    for now in [1_000, 2_000, 3_000] {
        assert_eq!(home.space.waiting_embeddings("fake:one", at(now)).unwrap(), None);
        let left = home.space.note_unopened("fake:one", &unreachable(), at(now)).unwrap();
        assert_eq!((left.pending, left.code), (4, Some("embedder_unreachable")));
        waits.push(left.waiting_until.unwrap().as_second() - at(now).as_second());
    }
    assert_eq!(waits, [1, 2, 4]);
    let mut space = home.again(1);
    assert_eq!(space.waiting_embeddings("fake:one", at(3_003)).unwrap().unwrap().pending, 4);
    let unopened = space.unopened_embedder("fake:one").unwrap().unwrap();
    assert_eq!((unopened.attempts, unopened.next_try), (3, Some(at(3_004))));
    assert_eq!(unopened.message, "fake does not answer: nobody");
    assert_eq!(space.unopened_embedder("fake:two").unwrap(), None);
    // What somebody must mend may be tried at the next occasion.
    assert_eq!(space.note_unopened("fake:one", &refused(), at(3_004)).unwrap().waiting_until, None);
    assert_eq!(space.waiting_embeddings("fake:one", at(3_004)).unwrap(), None);
    drop(space);
    home.tamper("UPDATE embedding_unopened SET attempts = -7, next_try_us = -1");
    assert_eq!(home.again(1).unopened_embedder("fake:one").unwrap().unwrap().attempts, 0);
    home.tamper("UPDATE embedding_unopened SET error = CAST(x'ff' AS TEXT)");
    assert_eq!(home.again(1).unopened_embedder("fake:one").unwrap(), None);
    home.tamper("DROP TABLE embedding_unopened");
    assert_eq!(home.again(1).unopened_embedder("fake:one").unwrap(), None);
    let mut space = home.again(1);
    space.note_unopened("fake:one", &refused(), at(3_005)).unwrap();
    assert!(embed_at(&mut space, &mut Fake::new("one", 8), 4_000).is_done());
    assert_eq!(space.unopened_embedder("fake:one").unwrap(), None);
}

#[test]
fn a_waiting_caller_is_answered_by_the_deadline_and_a_slow_model_has_not_failed() {
    let mut home = Home::new();
    home.record_many(23);
    let clock = Arc::new(AtomicI64::new(1_000));
    let ticking = Arc::clone(&clock);
    // Each call takes two seconds, and what is cut short does not answer.
    let mut fake = Fake::new("one", 8).failing(move |_| {
        let late =
            EmbedError::TimedOut { provider: "fake".to_owned(), waited: Duration::from_secs(5) };
        (ticking.fetch_add(2, Ordering::SeqCst) >= 1_004).then_some(Err(late))
    });
    let portion = Portion { texts_max: u64::MAX, until: Some(at(1_005)) };
    let now = || at(clock.load(Ordering::SeqCst));
    let done = home.space.embed(&mut fake, "fake:one", portion, &now, &mut |_| {}).unwrap();
    assert_eq!((done.embedded, done.pending, done.error, done.waiting_until), (8, 15, None, None));
    assert_eq!(fake.calls.len(), 3);
    // When the time is up already, nothing is begun.
    let done = home.space.embed(&mut fake, "fake:one", portion, &now, &mut |_| {}).unwrap();
    assert_eq!((done.embedded, done.pending, fake.calls.len()), (0, 15, 3));
    assert_eq!(home.space.embedding_status().unwrap()[0].attempts, 0);
}

#[test]
fn a_rate_limit_is_kept_and_then_forgotten() {
    let mut home = Home::new();
    animals(&mut home);
    let limited = EmbedError::RateLimited {
        provider: "fake".to_owned(),
        after: Some(Duration::from_secs(90)),
    };
    let mut fake = Fake::new("one", 8).after([limited]);
    let done = embed_at(&mut home.space, &mut fake, 1_000);
    assert_eq!(done.waiting_until, Some(at(1_090)));
    assert_eq!(embed_at(&mut home.space, &mut fake, 1_089).embedded, 0);
    let done = embed_at(&mut home.space, &mut fake, 1_090);
    assert_eq!((done.embedded, done.error), (4, None));
    let status = &home.space.embedding_status().unwrap()[0];
    assert_eq!((status.attempts, status.next_try, status.last_error.as_deref()), (0, None, None));
}

#[test]
fn a_failure_that_names_its_end_is_waited_for_and_no_longer_than_a_day() {
    for (after, waited) in [(90, 90), (0, 1), (1_000_000, 24 * 3600)] {
        let mut home = Home::new();
        animals(&mut home);
        let after = Some(Duration::from_secs(after));
        let failed = EmbedError::Failed {
            provider: "fake".to_owned(),
            detail: "HTTP 503".to_owned(),
            after,
        };
        let done =
            embed_at(&mut home.space, &mut Fake::new("one", 8).after([failed.clone()]), 1_000);
        assert_eq!(done.waiting_until, Some(at(1_000 + waited)));
        let left = home.space.note_unopened("fake:two", &failed, at(1_000)).unwrap();
        assert_eq!(left.waiting_until, Some(at(1_000 + waited)));
    }
}

#[test]
fn one_text_that_is_refused_is_found_noted_and_passed_over() {
    let mut home = Home::new();
    animals(&mut home);
    home.remember("5", "A second boat");
    let refuses =
        |texts: &[&str]| texts.iter().any(|text| text.contains("soup")).then(|| Err(refused()));
    let mut fake = Fake::new("one", 8).failing(refuses);
    let done = embed(&mut home.space, &mut fake);
    assert_eq!((done.embedded, done.failed, done.pending, done.error), (4, 1, 0, None));
    let status = &home.space.embedding_status().unwrap()[0];
    assert_eq!((status.embedded, status.failed, status.is_ready), (4, 1, true));
    let calls = fake.calls.len();
    assert_eq!(embed(&mut home.space, &mut fake), Embedded::default());
    assert_eq!(fake.calls.len(), calls, "it is not asked again");
    // Words still find it.
    assert!(
        recalled_by(&mut home.space, &fake, "soup").0.contains(&"Some soup is left".to_owned())
    );
}

#[test]
fn a_wrong_key_stops_the_queue_and_no_text_is_blamed() {
    let mut home = Home::new();
    animals(&mut home);
    let mut fake = Fake::new("one", 8).failing(|_| Some(Err(refused())));
    let done = embed(&mut home.space, &mut fake);
    assert_eq!(
        (done.failed, done.pending, done.waiting_until, done.code),
        (0, 4, None, Some("embedder_refused"))
    );
    assert_eq!(fake.calls.len(), 2, "the batch and something harmless");
    // With the right key it goes on at once.
    fake.mishap = Box::new(|_| None);
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 4);
}

#[test]
fn vectors_of_another_length_and_too_few_of_them_stop_the_queue() {
    let mut home = Home::new();
    animals(&mut home);
    let mut fake = Fake::new("one", 8).failing(|texts| Some(Ok(vec![vec![1.0; 7]; texts.len()])));
    assert_eq!(embed(&mut home.space, &mut fake).code, Some("embedder_wrong_dimensions"));
    let mut fake = Fake::new("one", 8).failing(|_| Some(Ok(Vec::new())));
    assert_eq!(embed(&mut home.space, &mut fake).code, Some("embedder_unreadable"));
    let status = &home.space.embedding_status().unwrap()[0];
    assert_eq!((status.embedded, status.failed, status.pending), (0, 0, 4));
}

#[test]
fn a_model_that_gives_nothing_but_zeros_stops_the_queue_and_no_text_is_blamed() {
    let mut home = Home::new();
    animals(&mut home);
    let mut fake = Fake::new("one", 8).failing(|texts| Some(Ok(vec![vec![0.0; 8]; texts.len()])));
    let done = embed(&mut home.space, &mut fake);
    assert_eq!(
        (done.embedded, done.failed, done.pending, done.code),
        (0, 0, 4, Some("embedder_unreadable"))
    );
    // Mended, it goes on.
    fake.mishap = Box::new(|_| None);
    assert_eq!(embed_at(&mut home.space, &mut fake, 100_000).embedded, 4);
}

#[test]
fn a_vector_without_direction_is_a_text_that_failed() {
    let mut home = Home::new();
    animals(&mut home);
    let odd = |texts: &[&str]| {
        let vector = |text: &&str| match *text {
            "The dog sleeps" => vec![f32::NAN; 8],
            "The boat leaves" => vec![0.0; 8],
            "The kiln is hot" => vec![f32::INFINITY; 8],
            _ => vec![1.0; 8],
        };
        Some(Ok(texts.iter().map(vector).collect()))
    };
    let mut fake = Fake::new("one", 8).failing(odd);
    let done = embed(&mut home.space, &mut fake);
    assert_eq!((done.embedded, done.failed, done.pending), (1, 3, 0));
    assert_eq!(recalled_by(&mut home.space, &fake, "kiln").0[0], "The kiln is hot");
}

#[test]
fn while_a_new_model_reads_the_old_one_answers() {
    let mut home = Home::new();
    home.record_many(30);
    animals(&mut home);
    let (mut old, mut new) = (Fake::new("old", 8), Fake::new("new", 16));
    assert!(embed(&mut home.space, &mut old).is_done());
    let done = home.space.embed(&mut new, "fake:new", at_most(4), &|| at(1), &mut |_| {}).unwrap();
    // Four of the thirty are superseded by the others.
    assert_eq!(done.pending, 26);
    let ready = home.space.ready_embeddings("fake:new").unwrap();
    assert_eq!(ready.iter().map(|ready| ready.model.name.as_str()).collect::<Vec<_>>(), ["old"]);
    assert_eq!(recalled_by(&mut home.space, &old, "hound").0[0], "The dog sleeps");
    assert!(embed(&mut home.space, &mut new).is_done());
    let ready = home.space.ready_embeddings("fake:new").unwrap();
    assert_eq!(
        ready.iter().map(|ready| ready.model.name.as_str()).collect::<Vec<_>>(),
        ["new", "old"]
    );
    // Who goes back to the old one is answered by it at once.
    assert_eq!(home.space.ready_embeddings("fake:old").unwrap()[0].model.name, "old");
    assert_eq!(recalled_by(&mut home.space, &new, "hound").0[0], "The dog sleeps");
    home.space.forget_embeddings(ready[1].number).unwrap();
    assert_eq!(home.space.embedding_status().unwrap().len(), 1);
    assert!(!recalled_by(&mut home.space, &old, "hound").1);
}

#[test]
fn vectors_outlive_a_rebuild_and_are_in_no_digest() {
    let mut home = Home::new();
    animals(&mut home);
    home.space.advance(|_| {}).unwrap();
    let before = home.space.digests().unwrap();
    let mut fake = Fake::new("one", 8);
    embed(&mut home.space, &mut fake);
    assert_eq!(home.space.digests().unwrap(), before);
    home.space.rebuild(|_| {}).unwrap();
    assert_eq!(embed(&mut home.space, &mut fake).embedded, 0);
    assert_eq!(recalled_by(&mut home.space, &fake, "hound").0[0], "The dog sleeps");
    assert!(home.space.verify(|_| {}).unwrap().is_sound());
}

#[test]
fn damaged_vectors_count_as_none_and_are_made_again() {
    let damages = [
        "UPDATE embedding SET data = x'' WHERE key % 2 = 0",
        "UPDATE embedding SET data = CAST(substr(data, 1, 8) || x'0000c07f' AS BLOB)",
        "UPDATE embedding SET data = CAST(substr(data, 1, 8) || x'0000807f' AS BLOB)",
        "UPDATE embedding SET data = zeroblob(100000)",
        "UPDATE embedding_model SET dimensions = 9",
        "UPDATE embedding_model SET reached = 9223372036854775807",
        "UPDATE embedding_model SET reached = -5, access = -1",
        "DELETE FROM embedding WHERE key % 2 = 1",
        "DROP TABLE embedding",
        "DROP TABLE embedding_model",
    ];
    for damage in damages {
        let mut home = Home::new();
        animals(&mut home);
        let mut fake = Fake::new("one", 8);
        embed(&mut home.space, &mut fake);
        let number = home.space.ready_embeddings("").unwrap()[0].number;
        home.tamper(damage);
        let mut query = query("dog");
        query.vector = Some(ByModel::new(number, fake.vector("dog")));
        let recall = home.again(1).recall(&query).unwrap();
        assert_eq!(recall.results[0].evidence.payload.text, "The dog sleeps", "{damage}");
        if damage.starts_with("UPDATE embedding SET") {
            let mut space = home.again(1);
            let mended = space.mend_embeddings(&fake.model).unwrap();
            assert_eq!(mended, if damage.contains("% 2") { 2 } else { 4 }, "{damage}");
            assert_eq!(embed(&mut space, &mut fake).embedded, mended, "{damage}");
        }
        let mut space = home.again(1);
        space.status().unwrap();
        assert!(space.verify(|_| {}).unwrap().is_sound(), "{damage}");
        let _ = embed(&mut space, &mut fake);
        space.mend_embeddings(&fake.model).unwrap();
        assert!(embed(&mut space, &mut fake).is_done(), "{damage}");
        let status = space.embedding_status().unwrap();
        assert!(
            status.iter().any(|known| known.dimensions == 8 && known.embedded == 4),
            "{damage}: {status:?}"
        );
    }
}

#[test]
fn a_question_that_is_not_of_the_models_dimensions_is_answered_by_the_built_in_table() {
    let mut home = Home::new();
    animals(&mut home);
    let mut fake = Fake::new("one", 8);
    embed(&mut home.space, &mut fake);
    let number = home.space.ready_embeddings("").unwrap()[0].number;
    for numbers in [vec![], vec![1.0; 7], vec![f32::NAN; 8], vec![0.0; 8]] {
        let mut query = query("dog");
        query.vector = Some(ByModel::new(number, numbers));
        let recall = home.space.recall(&query).unwrap();
        assert_eq!(
            (recall.model, recall.results[0].evidence.payload.text.as_str()),
            (None, "The dog sleeps")
        );
    }
}

#[test]
fn progress_rises_to_the_end() {
    let mut home = Home::new();
    home.record_many(10);
    let (seen, last) = (Cell::new(0), Cell::new(u64::MAX));
    let mut fake = Fake::new("one", 8);
    let mut progress = |done: &Embedded| {
        assert!(done.pending <= last.get() && done.embedded >= seen.get());
        seen.set(done.embedded);
        last.set(done.pending);
    };
    home.space
        .embed(&mut fake, "fake:one", Portion::ALL, &|| Timestamp::UNIX_EPOCH, &mut progress)
        .unwrap();
    assert_eq!((seen.get(), last.get()), (10, 0));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_asked_by_the_vectors_that_it_has() {
    let mut home = Home::new();
    animals(&mut home);
    let mut fake = Fake::new("one", 8);
    embed(&mut home.space, &mut fake);
    let path = home.space.path().to_owned();
    drop(home.space);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let mut space = Space::open(&path, key(1)).unwrap();
    if !space.is_read_only() {
        // The one user whom no permission keeps from writing.
        return;
    }
    assert_eq!(recalled_by(&mut space, &fake, "hound").0[0], "The dog sleeps");
    let refused =
        space.embed(&mut fake, "fake:one", at_most(1), &|| at(1), &mut |_| {}).unwrap_err();
    assert_eq!(refused.code(), "read_only");
    assert_eq!(space.embedding_status().unwrap()[0].embedded, 4);
}
