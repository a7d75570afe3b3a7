//! Candidates from the sources of an answer: the cases of the specification.

use engine::belief::review::Status;
use engine::maintain::marks::MarkFilter;
use engine::private::Disclosure;
use engine::staging::{CandidateKind, StagedCandidate, StagingLimits};
use engine::write::import::Intent;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use serde_json::json;
use testkit::scripted_model::{SCRIPTED, ScriptedModel};

use super::*;
use crate::service::changes::Outcome;
use crate::service::corrections::{Decision, ReviewDecision, decide_review};
use crate::service::model_request::{ModelAccess, name_of};
use crate::service::notes::Note;
use crate::service::test_home::TestHome;

const KILN: [&str; 3] = [
    "KilnTimer depends on SQLite, says the kiln manual.",
    "The kiln manual says that Petra Novak fixed KilnTimer.",
    "We trust the decision of the kiln manual.",
];
const QUESTION: &str = "What does the kiln manual say about KilnTimer?";

/// A project with notes, and questions that stage candidates.
struct Voice {
    here: TestHome,
    space: OpenedSpace,
    notes: Vec<OpId>,
}

impl Voice {
    fn with_notes(texts: &[&str]) -> Self {
        let here = TestHome::new();
        let mut space = here.project();
        let mut notes = Vec::new();
        for text in texts {
            let note = Note {
                text: (*text).to_owned(),
                actor: None,
                role: None,
                agent: None,
                at: None,
                tags: Vec::new(),
            };
            let checked = note.check(&here.session).unwrap();
            notes.push(checked.record(space.writer(), here.session.now).unwrap().id);
        }
        Self { here, space, notes }
    }

    fn ask_by(&mut self, options: StagingOptions, answerer: Answerer<'_>) -> Answer {
        let request = AskRequest {
            kinds: vec![SourceKind::Records],
            staging: Some(options.request(SaveBy::Handle).unwrap()),
            ..AskRequest::new(QUESTION, None, Some(0.0)).unwrap()
        };
        self.asked(&request, answerer)
    }

    fn asked(&mut self, request: &AskRequest, answerer: Answerer<'_>) -> Answer {
        let mut spaces = [SpaceInView {
            opened: &mut self.space,
            scope: Scope::Project,
            disclosure: Disclosure::Full,
        }];
        let mut pool = EmbedderPool::default();
        let session = &self.here.session;
        ask_spaces(session, &mut pool, &mut spaces, request, answerer, None).unwrap()
    }

    fn decide(
        &mut self,
        candidate: &StagedCandidate,
        decision: Decision,
        note: &str,
    ) -> Result<Outcome, Failure> {
        let id = candidate.id.to_string();
        let asked = ReviewDecision { decision, note, intent: Intent::Write };
        decide_review(&self.here.session, &mut self.space, &id, asked)
    }

    fn stage(&mut self, options: StagingOptions) -> Answer {
        self.ask_by(options, Answerer::Rules)
    }

    fn listed(&self) -> Vec<StagedCandidate> {
        self.space.candidates(None).unwrap()
    }

    fn marked(&self) -> usize {
        let filter = MarkFilter { until_us: None, limit: 10 };
        self.space.marked(&filter).unwrap().marked.len()
    }
}

fn staged(answer: &Answer) -> (usize, usize) {
    let count = |kind| answer.staged.staging.count(kind);
    (count(CandidateKind::Entity), count(CandidateKind::Relation))
}

// Case 7 of the inner voice: each candidate is pending with exactly its own sources.
#[test]
fn case_07_each_candidate_is_pending_with_exactly_its_own_sources() {
    let mut voice = Voice::with_notes(&KILN);
    let answer = voice.stage(StagingOptions::default());
    assert_eq!(staged(&answer), (3, 2));
    let listed = voice.listed();
    let mut found: Vec<(String, Vec<OpId>)> = listed
        .iter()
        .map(|listed| (listed.candidate.content.in_words(), listed.candidate.sources.clone()))
        .collect();
    found.iter_mut().for_each(|(_, sources)| sources.sort());
    found.sort();
    let (first, second) = (voice.notes[0], voice.notes[1]);
    let mut both = vec![first, second];
    both.sort();
    assert_eq!(
        found,
        [
            ("KilnTimer (code)".to_owned(), both),
            ("KilnTimer depends on SQLite".to_owned(), vec![first]),
            ("Petra Novak (person)".to_owned(), vec![second]),
            ("Petra Novak fixed KilnTimer".to_owned(), vec![second]),
            ("SQLite (technology)".to_owned(), vec![first]),
        ]
    );
    for StagedCandidate { status, candidate, .. } in &listed {
        assert_eq!((*status, candidate.origin.as_str()), (Status::Pending, "heuristic@1"));
        assert!(KILN.contains(&candidate.data["sentence"].as_str().unwrap()));
    }
    let json = to_json(&answer);
    assert_eq!(json["staged"]["pending_entities"], 3);
    assert_eq!(json["staged"]["pending_relationships"], 2);
    assert_eq!(json["marked_for_removal"], 0);
}

// Case 8 of the inner voice: the same call twice stages nothing twice.
#[test]
fn case_08_the_same_call_twice_stages_once() {
    let mut voice = Voice::with_notes(&KILN);
    voice.stage(StagingOptions::default());
    let head = voice.space.head().unwrap();
    let again = voice.stage(StagingOptions::default());
    assert_eq!(staged(&again), (0, 0));
    assert_eq!(again.staged.left_out()["pending"], 5);
    assert_eq!(voice.space.head().unwrap(), head);
}

// Case 9 of the inner voice: the limits of staging.
#[test]
fn case_09_the_least_confidence_and_the_caps_hold() {
    let usual = StagingOptions::default().request(SaveBy::Handle).unwrap();
    assert_eq!(usual.limits, StagingLimits::default());
    assert_eq!((usual.limits.nodes_max, usual.limits.edges_max), (30, 60));
    let clamped = StagingOptions {
        max_nodes: Some(-1),
        max_edges: Some(i64::MAX),
        ..StagingOptions::default()
    };
    let limits = clamped.request(SaveBy::Handle).unwrap().limits;
    assert_eq!((limits.nodes_max, limits.edges_max), (0, 500));
    for wrong in [1.5, -0.1, f64::NAN] {
        let options = StagingOptions { confidence_min: Some(wrong), ..StagingOptions::default() };
        assert!(matches!(
            options.request(SaveBy::Handle),
            Err(RequestError::NotAProbability { .. })
        ));
    }
    let mut voice = Voice::with_notes(&KILN);
    let sure = StagingOptions { confidence_min: Some(0.89), ..StagingOptions::default() };
    let answer = voice.stage(sure);
    assert_eq!(staged(&answer), (1, 0), "{:?}", answer.staged.staging);
    let few =
        StagingOptions { max_nodes: Some(1), max_edges: Some(1), ..StagingOptions::default() };
    assert_eq!(staged(&voice.stage(few)), (1, 1));
}

// Case 12 of the inner voice: nothing is marked if nothing was staged.
#[test]
fn case_12_nothing_is_marked_if_nothing_was_staged() {
    let marking = StagingOptions { auto_mark_removal: Some(true), ..StagingOptions::default() };
    let mut voice = Voice::with_notes(&[KILN[2]]);
    let answer = voice.stage(marking);
    assert_eq!((staged(&answer), answer.staged.marked, voice.marked()), ((0, 0), 0, 0));
    assert!(!answer.abstains());
    let mut voice = Voice::with_notes(&KILN);
    let answer = voice.stage(marking);
    assert_eq!((answer.staged.marked, voice.marked()), (answer.sources.len(), 3));
    // What waits already is not staged, so nothing is marked either.
    assert_eq!(voice.stage(marking).staged.marked, 0);
}

// Case 16 of the inner voice: what was rejected is not staged again.
#[test]
fn case_16_what_was_dismissed_is_not_staged_again() {
    let mut voice = Voice::with_notes(&KILN);
    voice.stage(StagingOptions::default());
    for candidate in voice.listed() {
        let accepted = voice.decide(&candidate, Decision::Accept, "");
        assert!(accepted.is_ok() || accepted.is_err_and(|it| it.code() == "candidate_unresolved"));
    }
    for candidate in voice.listed() {
        if candidate.status == Status::Pending {
            voice.decide(&candidate, Decision::Dismiss, "no").unwrap();
        }
    }
    let again = voice.stage(StagingOptions::default());
    assert_eq!(staged(&again), (0, 0));
    let left_out = again.staged.left_out();
    assert_eq!(left_out.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), 5);
    assert!(!left_out.contains_key("pending"), "{left_out:?}");
}

#[test]
fn what_a_private_source_names_is_private() {
    let mut voice = Voice::with_notes(&KILN[2..]);
    let mut stated = crate::service::test_home::claim("fact", KILN[0]);
    stated.visibility = Visibility::Private;
    voice.here.state(&mut voice.space, stated);
    let request = AskRequest {
        kinds: vec![SourceKind::Facts],
        staging: Some(StagingOptions::default().request(SaveBy::Handle).unwrap()),
        ..AskRequest::new(QUESTION, None, Some(0.0)).unwrap()
    };
    let answer = voice.asked(&request, Answerer::Rules);
    assert_eq!(staged(&answer), (2, 1));
    for candidate in voice.listed() {
        assert!(voice.space.is_private(&candidate.id).unwrap());
    }
}

#[test]
fn a_model_finds_candidates_and_those_without_a_shown_source_are_dropped() {
    let mut voice = Voice::with_notes(&KILN);
    let first = name_of(&voice.notes[0]);
    let worded = json!({ "sentences": [{ "text": "It needs SQLite.", "sources": [first] }] });
    let found = json!({
        "entities": [
            { "name": "SQLite", "entity_type": "technology", "confidence": 0.9, "sources": [first] },
            { "name": "Moon", "entity_type": "other", "confidence": 0.9, "sources": [] },
            { "name": "Mars", "entity_type": "other", "confidence": 0.9, "sources": ["ffffffffffffffff"] },
        ],
        "relations": [{
            "source_name": "KilnTimer", "target_name": "SQLite", "rel_type": "depends_on",
            "confidence": 0.9, "sources": [first],
        }],
    });
    let mut model = ScriptedModel::with_values([worded, found]);
    let answerer = Answerer::Model(ModelAccess::new(&mut model));
    let answer = voice.ask_by(StagingOptions::default(), answerer);
    assert_eq!(staged(&answer), (1, 1));
    assert!(matches!(&answer.staged.found_by, FoundBy::Model { dropped: 2, .. }));
    for StagedCandidate { candidate, .. } in voice.listed() {
        assert!(candidate.origin.starts_with(SCRIPTED));
        assert_eq!(candidate.details["prompt_version"], staging::PROMPT_VERSION);
        assert_eq!(candidate.sources, [voice.notes[0]]);
    }
}

#[test]
fn a_model_that_fails_leaves_the_rules() {
    let mut voice = Voice::with_notes(&KILN);
    let mut model = ScriptedModel::with_texts(Vec::<String>::new());
    let answerer = Answerer::Model(ModelAccess::new(&mut model));
    let answer = voice.ask_by(StagingOptions::default(), answerer);
    assert!(matches!(answer.staged.found_by, FoundBy::RulesAfter(_)));
    assert_eq!(staged(&answer), (3, 2));
}

#[test]
fn nothing_is_staged_from_an_answer_about_the_past() {
    let mut voice = Voice::with_notes(&KILN);
    let request = AskRequest {
        as_of_us: Some(u64::MAX / 2),
        staging: Some(StagingOptions::default().request(SaveBy::Handle).unwrap()),
        ..AskRequest::new(QUESTION, None, Some(0.0)).unwrap()
    };
    let answer = voice.asked(&request, Answerer::Rules);
    assert_eq!(answer.staged.reason_not_to, Some(NotSaved::AsOf));
    assert!(voice.listed().is_empty());
}
