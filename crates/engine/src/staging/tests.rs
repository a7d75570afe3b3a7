use jiff::Timestamp;
use kernel::evidence::{Evidence, Payload, Visibility};
use kernel::proposal::Decision;
use kernel::seal::Signer;

use super::*;
use crate::Space;
use crate::belief::review::{Status, acting_on};
use crate::private::Disclosure;
use crate::write::import::Intent;
use crate::write::record::Outcome;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_760_000_000 + second).unwrap()
}

/// A space with two notes, and candidates that were found in them.
struct Staged {
    space: Space,
    first: OpId,
    second: OpId,
    second_of_day: i64,
}

impl Staged {
    fn new() -> Self {
        Self::with_visibilities([Visibility::Project; 2])
    }

    fn with_visibilities([one, other]: [Visibility; 2]) -> Self {
        let signer = Signer::from_seed([1; 32]);
        let mut space = Space::create_in_memory(signer, "studio", at(0)).unwrap();
        let mut remember = |text: &str, visibility| match space
            .remember(Evidence { visibility, ..note(text) }, at(1))
            .unwrap()
        {
            Outcome::Added(id) => id,
            outcome => panic!("{outcome:?}"),
        };
        let first = remember("KilnTimer depends on SQLite.", one);
        let second = remember("SQLite keeps the firings.", other);
        Self { space, first, second, second_of_day: 10 }
    }

    fn stage(&mut self, candidates: Vec<GraphCandidate>) -> Staging {
        self.stage_within(candidates, &StagingLimits::default())
    }

    fn stage_within(&mut self, candidates: Vec<GraphCandidate>, limits: &StagingLimits) -> Staging {
        self.second_of_day += 1;
        self.space.stage(candidates, limits, at(self.second_of_day)).unwrap()
    }

    fn decide(&mut self, id: &OpId, verdict: &str) {
        let staged = self.space.candidate_to_decide(&id.to_string()).unwrap().unwrap();
        let draft = staged.decision(verdict, "", Map::new()).unwrap();
        self.second_of_day += 1;
        self.space.act(vec![draft], Intent::Write, at(self.second_of_day)).unwrap();
    }
}

fn note(text: &str) -> Evidence {
    Evidence {
        source: "test".into(),
        source_uid: text.into(),
        kind: "note".into(),
        actor: None,
        at: None,
        summary: text.into(),
        visibility: Visibility::Project,
        payload: Payload { text: text.into(), ..Payload::default() },
    }
}

fn entity(name: &str, sources: &[OpId]) -> GraphCandidate {
    GraphCandidate {
        content: CandidateContent::entity(name, "technology"),
        data: Map::from_iter([("sentence".to_owned(), json!("SQLite keeps the firings."))]),
        confidence: 0.8,
        origin: "heuristic@1".to_owned(),
        details: Map::new(),
        sources: sources.to_vec(),
    }
}

fn relation(sources: &[OpId]) -> GraphCandidate {
    let content = CandidateContent::Relation {
        source_name: "KilnTimer".to_owned(),
        target_name: "SQLite".to_owned(),
        rel_type: "depends_on".to_owned(),
    };
    GraphCandidate { content, ..entity("", sources) }
}

fn reasons(staging: &Staging) -> Vec<WhyNotStaged> {
    staging.left_out.iter().map(|left_out| left_out.reason).collect()
}

// Case 7 of the inner voice: each candidate is pending with exactly its own sources.
#[test]
fn a_candidate_is_a_pending_proposal_that_cites_exactly_its_sources() {
    let mut staged = Staged::new();
    let (first, second) = (staged.first, staged.second);
    let staging = staged.stage(vec![entity("SQLite", &[first, second]), relation(&[first])]);
    assert_eq!(staging.count(CandidateKind::Entity), 1);
    assert_eq!(staging.count(CandidateKind::Relation), 1);
    let listed = staged.space.candidates(None).unwrap();
    assert!(listed.iter().all(|candidate| candidate.status == Status::Pending));
    let found: Vec<&GraphCandidate> = listed.iter().map(|listed| &listed.candidate).collect();
    let mut expected = [entity("SQLite", &[first, second]), relation(&[first])];
    assert_eq!(found, expected.iter().collect::<Vec<_>>());
    assert_eq!(expected[1].content.in_words(), "KilnTimer depends on SQLite");
    // It is not any other kind of proposal.
    assert!(staged.space.reviews(None).unwrap().is_empty());
    assert!(staged.space.patches(None).unwrap().is_empty());
    assert!(staged.space.proposed_changes(None).unwrap().is_empty());
    // What was read back can be staged, and is the same.
    expected[0].origin = "somebody else".to_owned();
    assert_eq!(reasons(&staged.stage(expected.to_vec())), [WhyNotStaged::Pending; 2]);
}

// Case 8 of the inner voice: no duplicate pending candidates.
#[test]
fn the_same_candidate_is_staged_once_whatever_its_case_and_spacing() {
    let mut staged = Staged::new();
    let (first, second) = (staged.first, staged.second);
    let both = vec![entity("SQLite", &[first]), entity(" sqlite ", &[second])];
    let staging = staged.stage(both);
    assert_eq!(staging.staged.len(), 1);
    assert_eq!(staging.staged[0].1.sources, [first, second]);
    let head = staged.space.head().unwrap();
    assert_eq!(reasons(&staged.stage(vec![entity("SQLITE", &[second])])), [WhyNotStaged::Pending]);
    assert_eq!(staged.space.head().unwrap(), head);
    // Another type, and another kind, is another candidate.
    let mut file = entity("SQLite", &[first]);
    file.content = CandidateContent::entity("SQLite", "file");
    assert_eq!(staged.stage(vec![file, relation(&[first])]).staged.len(), 2);
}

// Case 16 of the inner voice: a rejected candidate is not staged again.
#[test]
fn what_was_decided_is_not_staged_again() {
    let mut staged = Staged::new();
    let (first, second) = (staged.first, staged.second);
    let staging = staged.stage(vec![entity("SQLite", &[first]), relation(&[first])]);
    staged.decide(&staging.staged[0].0, Decision::REJECT);
    staged.decide(&staging.staged[1].0, Decision::ACCEPT);
    let again = staged.stage(vec![entity("SQLite", &[second]), relation(&[second])]);
    assert_eq!(reasons(&again), [WhyNotStaged::Dismissed, WhyNotStaged::Accepted]);
    let settled = staged.space.candidate_to_decide(&staging.staged[0].0.to_string());
    assert_eq!(settled.unwrap_err().code(), "review_settled");
}

// Case 9 of the inner voice: lower confidences are absent and the caps hold.
#[test]
fn the_surest_are_staged_as_many_as_the_limits_allow() {
    let mut staged = Staged::new();
    let source = staged.first;
    let sure = |name: &str, confidence| GraphCandidate { confidence, ..entity(name, &[source]) };
    let candidates = vec![sure("a", 0.61), sure("b", 0.59), sure("c", 0.9), sure("d", 0.61)];
    let limits = StagingLimits { nodes_max: 2, ..StagingLimits::default() };
    let staging = staged.stage_within(candidates, &limits);
    let names: Vec<String> =
        staging.staged.iter().map(|(_, staged)| staged.content.in_words()).collect();
    assert_eq!(names, ["c (technology)", "a (technology)"]);
    assert_eq!(reasons(&staging), [WhyNotStaged::Limit, WhyNotStaged::Unsure]);
    let many = (0..70).flat_map(|number| {
        let mut edge = relation(&[source]);
        edge.content = CandidateContent::Relation {
            source_name: format!("n{number}"),
            target_name: "SQLite".to_owned(),
            rel_type: "uses".to_owned(),
        };
        [sure(&format!("n{number}"), 0.7), edge]
    });
    let staging = staged.stage(many.collect());
    assert_eq!(staging.count(CandidateKind::Entity), 30);
    assert_eq!(staging.count(CandidateKind::Relation), 60);
}

#[test]
fn what_says_nothing_or_cites_nothing_is_left_out() {
    let mut staged = Staged::new();
    let source = staged.first;
    let long = "x".repeat(NAME_CHARS_MAX + 1);
    let unsure = GraphCandidate { confidence: f64::NAN, ..entity("b", &[source]) };
    let candidates =
        vec![entity(" ", &[source]), entity(&long, &[source]), unsure, entity("a", &[])];
    let staging = staged.stage(candidates);
    let malformed = WhyNotStaged::Malformed;
    assert_eq!(reasons(&staging), [malformed, malformed, malformed, WhyNotStaged::Sources]);
    assert!(staged.space.candidates(None).unwrap().is_empty());
}

#[test]
fn a_candidate_is_private_with_its_sources_and_hides_none_that_is_not() {
    let mut staged = Staged::with_visibilities([Visibility::Private, Visibility::Project]);
    let (private, open) = (staged.first, staged.second);
    let staging = staged.stage(vec![entity("SQLite", &[private])]);
    assert!(staged.space.is_private(&staging.staged[0].0).unwrap());
    // What another source says that is not private waits, too, and cites that source alone.
    let staging = staged.stage(vec![entity("SQLite", &[private]), entity("SQLite", &[open])]);
    assert_eq!(staging.staged[0].1.sources, [open]);
    let withheld = staged.space.is_withheld(&staging.staged[0].0, Disclosure::WithoutPrivate);
    assert!(!withheld.unwrap());
    // And then nothing is staged twice.
    let again = staged.stage(vec![entity("SQLite", &[private]), entity("SQLite", &[open])]);
    assert_eq!(reasons(&again), [WhyNotStaged::Pending]);
}

#[test]
fn a_candidate_whose_sources_are_taken_back_waits_no_more() {
    let mut staged = Staged::new();
    let (first, second) = (staged.first, staged.second);
    staged.stage(vec![entity("SQLite", &[first])]);
    let drafts = staged.space.to_retract(&first.to_string(), "").unwrap();
    staged.space.act(drafts, Intent::Write, at(20)).unwrap();
    assert_eq!(staged.space.candidates(None).unwrap()[0].status, Status::Moot);
    assert_eq!(staged.stage(vec![entity("SQLite", &[second])]).staged.len(), 1);
}

#[test]
fn a_candidate_is_forgotten_with_its_source() {
    let mut staged = Staged::new();
    let first = staged.first;
    let id = staged.stage(vec![entity("SQLite", &[first])]).staged[0].0;
    let redaction = acting_on(first, Body::Redaction(kernel::body::Redaction::default())).unwrap();
    staged.space.act(vec![redaction], Intent::Write, at(20)).unwrap();
    assert!(staged.space.candidates(None).unwrap().is_empty());
    let shown = staged.space.show(&id).unwrap().operation;
    assert!(shown.body().is_none());
}

#[test]
fn a_secret_in_a_name_is_masked_and_found_again() {
    let mut staged = Staged::new();
    let source = staged.first;
    let key = "ghp_1234567890abcdefghijklmnopqrstuvwxyz12";
    let id = staged.stage(vec![entity(key, &[source])]).staged[0].0;
    let shown = staged.space.candidate(&id.to_string()).unwrap().unwrap();
    assert!(!shown.candidate.content.in_words().contains("1234567890"));
    assert_eq!(reasons(&staged.stage(vec![entity(key, &[source])])), [WhyNotStaged::Pending]);
}
