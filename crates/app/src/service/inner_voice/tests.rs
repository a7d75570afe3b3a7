//! The inner voice through its service: the cases of its specification, and bad input.

use engine::private::Disclosure;
use kernel::evidence::Visibility;
use serde_json::json;
use testkit::scripted_model::{SCRIPTED, ScriptedModel};

use super::*;
use crate::service::effective::ReadScope;
use crate::service::model_request::ModelAccess;
use crate::service::notes::Note;
use crate::service::recall::{RecallRequest, SearchScope, recall};
use crate::service::test_home::TestHome;
use crate::service::thoughts::request::MemoryRequest;
use crate::service::thoughts::{Caller, CallerSpace, Rights, memory};
use kernel::id::OpId;

const GLAZES: [&str; 5] = [
    "Idris recommended the ash glaze for the tall bowls.",
    "The ash glaze on the tall bowls crawled because the clay was dusty.",
    "Wipe the tall bowls before the ash glaze goes on.",
    "The tall bowls need two coats of the ash glaze.",
    "Ash glaze for tall bowls is sold by the bucket.",
];
const QUESTION: &str = "Which glaze did Idris recommend for the tall bowls?";

/// A project, its home, and questions to it.
struct Voice {
    here: TestHome,
    space: OpenedSpace,
}

impl Voice {
    fn new() -> Self {
        let here = TestHome::new();
        let space = here.project();
        Self { here, space }
    }

    fn with_notes(texts: &[&str]) -> Self {
        let mut voice = Self::new();
        for text in texts {
            voice.note(text);
        }
        voice
    }

    fn note(&mut self, text: &str) -> OpId {
        let note = Note {
            text: text.to_owned(),
            actor: None,
            role: None,
            agent: None,
            at: None,
            tags: Vec::new(),
        };
        let checked = note.check(&self.here.session).unwrap();
        let now = self.here.session.now;
        checked.record(self.space.writer(), now).unwrap().id
    }

    fn thought(&mut self, text: &str) -> OpId {
        let body = json!({ "content": text, "agent_id": "keeper", "agent_name": "Keeper" });
        let request = MemoryRequest::parse_ingest(body).unwrap();
        let space = CallerSpace {
            name: "project".to_owned(),
            space: &mut self.space.space,
            disclosure: Disclosure::Full,
            rights: Rights { may_append: true, may_correct: true },
            takes_short_ids: true,
            sealer: None,
        };
        let mut caller = Caller { spaces: vec![space], now: self.here.session.now };
        memory::ingest(&mut caller, &request).unwrap();
        drop(caller);
        let newest =
            engine::inspect::LogFilter { kinds: vec!["thought".to_owned()], ..Default::default() };
        self.space.log_tail(1, &newest).unwrap()[0].operation.id()
    }

    fn asked<'a>(&self, question: &'a str) -> AskRequest<'a> {
        AskRequest::new(question, None, None).unwrap()
    }

    fn ask_and(
        &mut self,
        request: &AskRequest<'_>,
        answerer: Answerer<'_>,
        save: Option<SaveBy<'_>>,
    ) -> Answer {
        let session = &self.here.session;
        let mut spaces = [SpaceInView {
            opened: &mut self.space,
            scope: Scope::Project,
            disclosure: Disclosure::Full,
        }];
        let mut pool = EmbedderPool::default();
        ask_spaces(session, &mut pool, &mut spaces, request, answerer, save).unwrap()
    }

    fn ask_by(&mut self, request: &AskRequest<'_>, answerer: Answerer<'_>) -> Answer {
        self.ask_and(request, answerer, Some(SaveBy::Handle))
    }

    fn ask(&mut self, request: &AskRequest<'_>) -> Answer {
        self.ask_by(request, Answerer::Rules)
    }

    /// Asks without keeping the answer.
    fn look(&mut self, request: &AskRequest<'_>) -> Answer {
        self.ask_and(request, Answerer::Rules, None)
    }

    fn head(&self) -> u64 {
        self.space.head().unwrap().0
    }

    fn saved(&self, answer: &Answer) -> OpId {
        match answer.saving {
            Saving::Saved { id, .. } => id,
            Saving::NotSaved(reason) => panic!("{reason:?}"),
        }
    }
}

fn ids(answer: &Answer) -> Vec<OpId> {
    answer.sources.iter().map(|source| source.id).collect()
}

#[test]
fn case_01_five_thoughts_give_an_answer_and_three_ordered_sources() {
    let mut voice = Voice::new();
    let thoughts: Vec<OpId> = GLAZES.iter().map(|text| voice.thought(text)).collect();
    let answer = voice.ask(&AskRequest { top_k: 3, ..voice.asked(QUESTION) });
    assert_eq!(answer.sources.len(), 3, "{:?}", answer.sources);
    assert!(answer.sources.windows(2).all(|pair| pair[0].chance >= pair[1].chance));
    assert!(ids(&answer).iter().all(|id| thoughts.contains(id)));
    assert_eq!(answer.sources[0].id, thoughts[0]);
    assert!(answer.text().starts_with("Keeper: Idris recommended the ash glaze"));
    assert!(answer.text().chars().count() <= ANSWER_CHARS_MAX);
}

#[test]
fn case_02_the_number_of_sources_is_clamped() {
    let top_k = |asked| AskRequest::new("kiln", asked, None).unwrap().top_k;
    assert_eq!([Some(0), Some(-7), None, Some(51), Some(i64::MAX)].map(top_k), [1, 1, 5, 50, 50]);
}

#[test]
fn case_03_without_a_likely_source_it_says_so_and_keeps_nothing() {
    let mut voice = Voice::with_notes(&GLAZES);
    let head = voice.head();
    let answer = voice.ask(&voice.asked("Who won the chess tournament in Reykjavik?"));
    assert!(answer.abstains() && answer.sentences.is_empty());
    assert_eq!(answer.text(), NO_MATCH);
    assert_eq!(answer.saving, Saving::NotSaved(NotSaved::NoSource));
    let strict = AskRequest { sim_thresh: 1.0, ..voice.asked(QUESTION) };
    assert!(voice.ask(&strict).abstains());
    assert_eq!(voice.head(), head);
    // An empty space has no answer either.
    let mut empty = Voice::new();
    assert!(empty.ask(&empty.asked(QUESTION)).abstains());
}

#[test]
fn case_04_an_answer_that_is_not_to_be_kept_writes_nothing() {
    let mut voice = Voice::with_notes(&GLAZES);
    voice.thought("The ash glaze is nearly used up.");
    let head = voice.head();
    let answer = voice.look(&voice.asked(QUESTION));
    assert!(!answer.abstains());
    assert_eq!(answer.saving, Saving::NotSaved(NotSaved::NotWanted));
    assert_eq!(voice.head(), head);
}

#[test]
fn case_05_a_kept_summary_names_its_sources_and_is_found_by_its_own_text() {
    let mut voice = Voice::with_notes(&GLAZES);
    let answer = voice.ask(&voice.asked(QUESTION));
    let id = voice.saved(&answer);
    let node = voice.space.record_view(&id, None).unwrap().unwrap();
    assert_eq!(node.record_type, "summary");
    assert_eq!(node.payload["summary_of"], json!(ids(&answer)));
    assert_eq!(
        (&node.payload["is_summary"], &node.payload["pipeline"]),
        (&json!(true), &json!("inner_voice"))
    );
    let mut inputs: Vec<OpId> = node.inputs.iter().map(|input| input.id).collect();
    let mut sources = ids(&answer);
    inputs.sort_unstable();
    sources.sort_unstable();
    assert_eq!(inputs, sources);
    // The index of nodes has its text, and so its vector.
    let request =
        RecallRequest { scope: SearchScope::Nodes, ..RecallRequest::new(&node.text, 5).unwrap() };
    let mut spaces = [SearchedSpace::new(&mut voice.space.space, Disclosure::Full)];
    let mut pool = EmbedderPool::default();
    let found = recall(&voice.here.session, &mut pool, &mut spaces, &request).unwrap();
    assert_eq!(found.nodes[0].item.record.id, id);
    assert!(found.nodes[0].item.similarity > 0.9);
    // The same answer is kept once.
    let head = voice.head();
    let again = voice.ask(&voice.asked(QUESTION));
    assert_eq!(again.saving, Saving::Saved { id, new: false });
    assert_eq!(voice.head(), head);
}

#[test]
fn case_06_a_kept_summary_is_not_a_source_unless_it_is_asked_for() {
    let mut voice = Voice::with_notes(&GLAZES);
    let first = voice.ask(&voice.asked(QUESTION));
    let id = voice.saved(&first);
    assert_eq!(ids(&voice.look(&voice.asked(QUESTION))), ids(&first));
    let with = AskRequest { include_summaries: true, ..voice.asked(QUESTION) };
    assert!(ids(&voice.look(&with)).contains(&id));
    let alone = AskRequest { kinds: vec![SourceKind::Nodes], ..voice.asked(QUESTION) };
    assert!(voice.look(&alone).abstains());
}

#[test]
fn a_kept_summary_loses_its_ground_with_its_sources() {
    let mut voice = Voice::new();
    let node = crate::service::test_home::node(kernel::body::NodeType::Decision, GLAZES[0]);
    let source = voice.here.state(&mut voice.space, node);
    let request = AskRequest { kinds: vec![SourceKind::Nodes], ..voice.asked(QUESTION) };
    let answer = voice.ask(&request);
    assert_eq!(ids(&answer), [source]);
    let id = voice.saved(&answer);
    voice.here.retract(&mut voice.space, source);
    let kept = voice.space.record_view(&id, None).unwrap().unwrap();
    assert_eq!(kept.status, Some("invalidated"));
    assert!(voice.look(&AskRequest { include_summaries: true, ..request }).abstains());
}

#[test]
fn every_kind_of_source_can_be_asked_for_alone() {
    let mut voice = Voice::with_notes(&GLAZES[..1]);
    let thought = voice.thought(GLAZES[1]);
    let claim = crate::service::test_home::claim("fact", GLAZES[2]);
    voice.here.state(&mut voice.space, claim);
    let node = crate::service::test_home::node(kernel::body::NodeType::Decision, GLAZES[3]);
    let node = voice.here.state(&mut voice.space, node);
    let of = |voice: &mut Voice, kind| {
        let request = AskRequest { kinds: vec![kind], sim_thresh: 0.1, ..voice.asked(QUESTION) };
        let answer = voice.look(&request);
        assert!(answer.sources.iter().all(|source| source.kind == kind));
        ids(&answer)
    };
    assert_eq!(of(&mut voice, SourceKind::Thoughts), [thought]);
    assert_eq!(of(&mut voice, SourceKind::Nodes), [node]);
    assert_eq!(of(&mut voice, SourceKind::Facts).len(), 1);
    assert!(!of(&mut voice, SourceKind::Records).is_empty());
}

#[test]
fn the_answer_has_the_best_sentences_and_at_most_600_characters() {
    let long = format!("It rained all day. {} Nobody came.", GLAZES[0]);
    let endless = format!("Tall bowls and the glaze that Idris likes: {}", "glaze ".repeat(20_000));
    let mut voice = Voice::with_notes(&[&long, &endless, GLAZES[1], GLAZES[2]]);
    let answer = voice.look(&AskRequest { sim_thresh: 0.0, top_k: 50, ..voice.asked(QUESTION) });
    assert!(answer.text().chars().count() <= ANSWER_CHARS_MAX, "{}", answer.text());
    assert!(answer.sources.iter().any(|source| source.excerpt == GLAZES[0]));
    assert!(!answer.text().contains("rained"));
    for sentence in &answer.sentences {
        assert!(!sentence.sources.is_empty());
        assert!(sentence.sources.iter().all(|place| *place < answer.sources.len()));
    }
}

#[test]
fn a_question_about_a_person_is_answered_by_what_tells_it_in_other_words() {
    let mut voice = Voice::with_notes(&[
        "We moved to the flat in May. I am a midwife. The clinic is near.",
        "Turned 37 in November, with cake at the lake",
        "My brother Andri sells insurance in Basel",
        "Married Jonas in a tiny chapel",
        "Jonas, a carpenter from Aarau, is building us a bed",
        "The invoice of the plumber is paid",
        "The old tractor finally died",
        "Sabine was promoted in spring",
        "My sister Irma is 44 and lives in Bern",
        "Should we move the Heron demo? Waiting for Annika.",
        "The demo of Heron was moved to 19 March",
        "The caravan cost us a lot of nerves",
        "Paid 4200 for the caravan",
    ]);
    let mut first = |question: &str| {
        let answer = voice.look(&voice.asked(question));
        let first = answer.sources.first().map(|source| source.excerpt.clone());
        (first.unwrap_or_default(), answer.text())
    };
    for (question, expected) in [
        ("What is my job?", "midwife"),
        ("What do I do for a living?", "midwife"),
        ("How old am I?", "37"),
        ("What does my brother do?", "insurance"),
        ("Am I married?", "Jonas"),
        ("What is my husband's profession?", "carpenter"),
        ("How old is Irma?", "44"),
    ] {
        let (first, text) = first(question);
        assert!(first.contains(expected), "{question}: {first}");
        assert!(text.contains(expected) && !text.contains("plumber"), "{question}: {text}");
    }
    // A question in a note is behind what tells, and an amount has a number.
    for (question, expected) in
        [("When is the Heron demo?", "19 March"), ("How much did the caravan cost?", "4200")]
    {
        assert!(first(question).0.contains(expected), "{question}: {}", first(question).0);
    }
    // What is near says nothing of it.
    for question in ["How old is Sabine?", "What is my salary?", "Do I have a dog?"] {
        assert_eq!(first(question).0, "", "{question}");
    }
}

#[test]
fn questions_of_any_size_and_script_are_answered_or_refused() {
    let mut voice = Voice::with_notes(&["Идрис советовал зольную глазурь.", "釉薬は灰です。"]);
    assert!(matches!(AskRequest::new(" \n", None, None), Err(RequestError::EmptyQuestion)));
    for given in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let refused = AskRequest::new("kiln", None, Some(given));
        assert!(matches!(refused, Err(RequestError::NotAProbability { .. })), "{given}");
    }
    let megabyte = "glaze ".repeat(180_000);
    for question in ["?", "я", "釉", "\u{0}", "🎉", &megabyte] {
        let answer = voice.ask(&AskRequest { sim_thresh: 0.0, ..voice.asked(question) });
        assert!(answer.text().chars().count() <= ANSWER_CHARS_MAX);
    }
    let answer = voice.look(&voice.asked("Какую глазурь советовал Идрис?"));
    assert!(answer.text().contains("зольную"), "{}", answer.text());
}

#[test]
fn an_answer_about_the_past_reads_what_was_known_then_and_is_not_kept() {
    let mut voice = Voice::with_notes(&GLAZES[..1]);
    // The space was made at the same time, so its records have the next moments.
    let then = engine::now_us(voice.here.session.now) + 1_000;
    voice.here.at("2026-04-01T12:00:00Z");
    voice.note(GLAZES[3]);
    let request = AskRequest { as_of_us: Some(then), sim_thresh: 0.0, ..voice.asked(QUESTION) };
    let answer = voice.ask(&request);
    assert_eq!(answer.sources.len(), 1);
    assert_eq!(answer.saving, Saving::NotSaved(NotSaved::AsOf));
    let at = AskRequest { valid_at_us: Some(0), ..voice.asked(QUESTION) };
    assert_eq!(voice.ask(&at).saving, Saving::NotSaved(NotSaved::ValidAt));
}

#[test]
fn what_the_home_space_has_for_every_project_is_a_source_and_is_not_copied() {
    let voice = Voice::new();
    let mut home = voice.here.home();
    let mut stated = crate::service::test_home::claim("fact", GLAZES[0]);
    stated.visibility = Visibility::Global;
    voice.here.state(&mut home, stated);
    drop(home);
    let session = &voice.here.session;
    let own = voice.here.project();
    let mut view = EffectiveView::of(session, own, ReadScope::Effective).unwrap();
    let (mut pool, save) = (EmbedderPool::default(), Some(SaveBy::Handle));
    let request = voice.asked(QUESTION);
    let answer = ask(session, &mut pool, &mut view, &request, Answerer::Rules, save).unwrap();
    assert_eq!(answer.sources.len(), 1);
    assert_eq!(
        (answer.sources[0].scope, answer.sources[0].kind),
        (Scope::Global, SourceKind::Facts)
    );
    assert_eq!(answer.saving, Saving::NotSaved(NotSaved::HomeSpace));
}

#[test]
fn a_reader_who_may_not_see_private_records_gets_no_answer_from_them() {
    let mut voice = Voice::new();
    let mut stated = crate::service::test_home::claim("fact", GLAZES[0]);
    stated.visibility = Visibility::Private;
    voice.here.state(&mut voice.space, stated);
    let request = voice.asked(QUESTION);
    let facts = AskRequest { kinds: vec![SourceKind::Facts], ..request };
    assert!(!voice.look(&facts).abstains());
    let mut spaces = [SpaceInView {
        opened: &mut voice.space,
        scope: Scope::Project,
        disclosure: Disclosure::WithoutPrivate,
    }];
    let mut pool = EmbedderPool::default();
    let session = &voice.here.session;
    let answer =
        ask_spaces(session, &mut pool, &mut spaces, &facts, Answerer::Rules, None).unwrap();
    assert!(answer.abstains());
}

/// The name of a source in a prompt.
fn name(id: &OpId) -> String {
    crate::service::model_request::name_of(id)
}

#[test]
fn a_model_words_the_answer_and_sentences_without_a_source_are_dropped() {
    let mut voice = Voice::with_notes(&GLAZES);
    let sources = ids(&voice.look(&voice.asked(QUESTION)));
    let mut model = ScriptedModel::with_values([json!({ "sentences": [
        { "text": "Idris recommended the ash glaze.", "sources": [name(&sources[0])] },
        { "text": "He is seldom wrong.", "sources": [] },
        { "text": "The moon is made of it.", "sources": ["ffffffffffffffff"] },
    ] })]);
    let seen = model.clone();
    let request = voice.asked(QUESTION);
    let answer = voice.ask_by(&request, Answerer::Model(ModelAccess::new(&mut model)));
    assert_eq!(answer.text(), "Idris recommended the ash glaze. [1]");
    assert!(
        matches!(&answer.wording, Wording::Model { origin, dropped: 2 } if origin.model.starts_with(SCRIPTED))
    );
    assert_eq!(seen.requests().len(), 1);
    let node = voice.space.record_view(&voice.saved(&answer), None).unwrap().unwrap();
    assert_eq!(node.text, "Idris recommended the ash glaze.");
    assert_eq!(node.payload["prompt_version"], wording::PROMPT_VERSION);
    assert_eq!(node.payload["summary_of"], json!(ids(&answer)));
}

#[test]
fn a_model_that_cites_nothing_or_fails_leaves_the_extractive_answer() {
    let mut voice = Voice::with_notes(&GLAZES);
    let request = voice.asked(QUESTION);
    let extractive = voice.look(&request).text();
    let uncited = json!({ "sentences": [{ "text": "Ash.", "sources": ["nothing"] }] });
    let mut model = ScriptedModel::with_values([uncited]);
    let answer = voice.ask_by(&request, Answerer::Model(ModelAccess::new(&mut model)));
    assert_eq!(answer.text(), extractive);
    assert!(matches!(answer.wording, Wording::NotAsked(NotWorded::NothingCited)));
    let mut silent = ScriptedModel::with_texts(Vec::<String>::new());
    let answer = voice.ask_by(&request, Answerer::Model(ModelAccess::new(&mut silent)));
    assert_eq!(answer.text(), extractive);
    assert!(matches!(answer.wording, Wording::Failed(_)));
    // Without a source, no model is asked.
    let mut unasked = ScriptedModel::with_texts(Vec::<String>::new());
    let nothing = voice.asked("Who won the chess tournament in Reykjavik?");
    let answer = voice.ask_by(&nothing, Answerer::Model(ModelAccess::new(&mut unasked)));
    assert!(answer.abstains() && unasked.requests().is_empty());
}

#[test]
fn a_model_sees_no_private_source() {
    let mut voice = Voice::new();
    let mut stated = crate::service::test_home::claim("fact", GLAZES[0]);
    stated.visibility = Visibility::Private;
    voice.here.state(&mut voice.space, stated);
    let mut model = ScriptedModel::with_texts(Vec::<String>::new());
    let request = AskRequest { kinds: vec![SourceKind::Facts], ..voice.asked(QUESTION) };
    let answer = voice.ask_by(&request, Answerer::Model(ModelAccess::new(&mut model)));
    assert!(matches!(answer.wording, Wording::NotAsked(NotWorded::SourcesArePrivate)));
    assert!(model.requests().is_empty());
}
