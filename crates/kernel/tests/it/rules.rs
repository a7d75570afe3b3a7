//! The append-time rules, each with its typed refusal, judged with an in-memory index.

use std::cell::RefCell;
use std::convert::Infallible;

use kernel::access::Access;
use kernel::body::{Body, Node};
use kernel::canonical;
use kernel::id::{Author, BodyHash, OpId, SpaceId};
use kernel::kind::{Capability, Kind};
use kernel::kind_spec::Target;
use kernel::ledger_index::{Citing, Entry, Graph, Head, LedgerIndex};
use kernel::operation::{BODY_BYTES_MAX, HlcTimestamp, Operation, REFS_MAX, Ref, Role};
use kernel::rules::{FUTURE_US_MAX, JudgeError, RuleViolation, Verdict, judge, judge_time};
use kernel::seal::{ChainPosition, Draft, Signer, next_timestamp};
use kernel::soundness::ClaimStatus;
use serde_json::{Value, json};

/// A space in memory with an owner and an agent, whose clock ticks once an operation.
pub(crate) struct Book {
    pub(crate) graph: Graph,
    pub(crate) owner: Signer,
    pub(crate) agent: Signer,
    clock: u64,
}

impl Book {
    /// A space whose agent may append and derive.
    pub(crate) fn new() -> Self {
        let (owner, agent) = (Signer::from_seed([1; 32]), Signer::from_seed([2; 32]));
        let mut book = Self { graph: Graph::default(), owner, agent, clock: 0 };
        let genesis = json!({"name": "test", "owner": book.owner.author(), "created": "2026-01-01T00:00:00Z"});
        book.by_owner("space", genesis, &[]).unwrap();
        let grant = json!({"key": book.agent.author(), "capabilities": ["append", "derive"]});
        book.by_owner("grant", grant, &[]).unwrap();
        book
    }

    pub(crate) fn by_owner(
        &mut self,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> Result<OpId, RuleViolation> {
        let owner = Signer::from_seed([1; 32]);
        self.by(&owner, kind, body, refs)
    }

    pub(crate) fn by_agent(
        &mut self,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> Result<OpId, RuleViolation> {
        let agent = Signer::from_seed([2; 32]);
        self.by(&agent, kind, body, refs)
    }

    fn by(
        &mut self,
        who: &Signer,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> Result<OpId, RuleViolation> {
        let (operation, body) = self.seal(who, kind, body, refs);
        match judge(&operation, Some(&body), &self.graph) {
            Ok(_) => {
                self.graph.insert(&operation, Some(&body));
            }
            Err(JudgeError::RuleViolation(violation)) => {
                assert!(RuleViolation::CODES.contains(&violation.code()), "{violation}");
                return Err(violation);
            }
        }
        Ok(operation.id())
    }

    /// What would come next, recorded nowhere.
    pub(crate) fn seal(
        &mut self,
        who: &Signer,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> (Operation, Body) {
        self.clock += 1;
        let kind = Kind::parse(kind).unwrap();
        let body = Body::parse(&kind, &canonical::to_bytes(&body).unwrap()).unwrap();
        let Ok(head) = self.graph.head(&who.author());
        let Ok(space) = self.graph.space();
        let refs = refs
            .iter()
            .map(|(role, id)| Ref { id: *id, role: Role::parse(role).unwrap() })
            .collect();
        let place = ChainPosition { space, head, ts: HlcTimestamp(self.clock) };
        (who.seal(Draft { body: body.clone(), refs }, place).unwrap(), body)
    }

    /// Puts into the graph what the rules would refuse, as sync does with what it keeps without
    /// effect.
    pub(crate) fn keep(
        &mut self,
        who: &Signer,
        kind: &str,
        body: Value,
        refs: &[(&str, OpId)],
    ) -> OpId {
        let (operation, body) = self.seal(who, kind, body, refs);
        self.graph.insert(&operation, Some(&body));
        operation.id()
    }

    pub(crate) fn evidence(&mut self) -> OpId {
        let body = evidence(&format!("n{}", self.clock));
        self.by_agent("evidence", body, &[]).unwrap()
    }

    pub(crate) fn claim(
        &mut self,
        key: &str,
        payload: u32,
        inputs: &[OpId],
    ) -> Result<OpId, RuleViolation> {
        let refs: Vec<_> = inputs.iter().map(|input| ("input", *input)).collect();
        self.by_agent("claim", claim(key, payload), &refs)
    }

    pub(crate) fn node(&mut self, text: &str, inputs: &[OpId]) -> Result<OpId, RuleViolation> {
        let refs: Vec<_> = inputs.iter().map(|input| ("input", *input)).collect();
        self.by_agent("node", json!({"node_type": "decision", "text": text}), &refs)
    }

    /// An edge on new evidence.
    pub(crate) fn edge(
        &mut self,
        edge_type: &str,
        from: OpId,
        to: OpId,
    ) -> Result<OpId, RuleViolation> {
        let refs = [("from", from), ("to", to), ("input", self.evidence())];
        self.by_agent("edge", json!({"edge_type": edge_type}), &refs)
    }
}

pub(crate) fn evidence(uid: &str) -> Value {
    json!({"source": "test", "source_uid": uid, "kind": "note", "summary": uid, "visibility": "project", "payload": {}})
}

pub(crate) fn claim(key: &str, payload: u32) -> Value {
    json!({"claim_type": "t", "identity_key": key, "payload": payload, "deriver": {"name": "d", "version": "1.0.0"}})
}

/// An author whom nobody granted anything.
fn stranger() -> Signer {
    Signer::from_seed([3; 32])
}

#[test]
fn rule_2_an_author_continues_one_chain() {
    let mut book = Book::new();
    let agent = Signer::from_seed([2; 32]);
    let (one, body) = book.seal(&agent, "evidence", evidence("one"), &[]);
    let (twin, twin_body) = book.seal(&agent, "evidence", evidence("twin"), &[]);
    book.graph.insert(&one, Some(&body));
    let code = |operation: &Operation, body: &Body, graph: &Graph| match judge(
        operation,
        Some(body),
        graph,
    ) {
        Err(JudgeError::RuleViolation(violation)) => Err(violation),
        Ok(verdict) => Ok(verdict),
    };
    assert_eq!(code(&one, &body, &book.graph), Ok(Verdict::Present));
    assert_eq!(code(&twin, &twin_body, &book.graph), Err(RuleViolation::Fork { other: one.id() }));
    let Ok(space) = book.graph.space();
    for (head, expected) in [
        (
            Head { seq: 7, id: one.id(), ts: HlcTimestamp(9) },
            RuleViolation::ChainBroken { expected: 2, found: 8 },
        ),
        (
            Head { seq: 1, id: twin.id(), ts: HlcTimestamp(9) },
            RuleViolation::ChainBroken { expected: 2, found: 2 },
        ),
    ] {
        let place = ChainPosition { space, head: Some(head), ts: HlcTimestamp(20) };
        let next = agent.seal(Draft::new(body.clone()), place).unwrap();
        assert_eq!(code(&next, &body, &book.graph), Err(expected));
    }
}

#[test]
fn rule_3_citations_exist_and_are_earlier() {
    let mut book = Book::new();
    let missing = OpId([9; 32]);
    let node = json!({"node_type": "entity"});
    assert_eq!(
        book.by_agent("node", node.clone(), &[("input", missing)]),
        Err(RuleViolation::UnknownRef { missing })
    );
    let cited = book.evidence();
    book.clock -= 1;
    assert_eq!(
        book.by_owner("node", node, &[("input", cited)]),
        Err(RuleViolation::NotAfterRefs { cited })
    );
}

#[test]
fn rule_4_every_kind_needs_its_capability() {
    let mut book = Book::new();
    let seen = book.evidence();
    let belief = book.claim("k", 1, &[seen]).unwrap();
    let targets = [("target", belief)];
    let expected = [
        (
            "grant",
            json!({"key": stranger().author(), "capabilities": []}),
            [].as_slice(),
            Capability::Admin,
        ),
        ("revoke", json!({"key": stranger().author(), "capabilities": []}), &[], Capability::Admin),
        ("evidence", evidence("x"), &[], Capability::Append),
        ("evidence_retraction", json!({}), &[("target", seen)], Capability::Append),
        ("claim", claim("l", 1), &[("input", seen)], Capability::Derive),
        (
            "claim",
            json!({"claim_type": "t", "identity_key": "l"}),
            &[("input", seen)],
            Capability::Append,
        ),
        (
            "claim_correction",
            json!({"identity_key": "k", "corrected_payload": 2}),
            &targets,
            Capability::Correct,
        ),
        ("claim_refutation", json!({"identity_key": "k"}), &targets, Capability::Correct),
        ("claim_invalidation", json!({}), &targets, Capability::Derive),
        ("thought", json!({}), &[], Capability::Append),
        ("node", json!({}), &[], Capability::Append),
        ("edge", json!({}), &[], Capability::Append),
        ("retraction", json!({}), &targets, Capability::Correct),
        ("proposal", json!({}), &[], Capability::Derive),
        ("annotation", json!({}), &targets, Capability::Correct),
        ("redaction", json!({}), &targets, Capability::Correct),
        ("com.example.other", json!({}), &[], Capability::Append),
    ];
    let stranger = stranger();
    for (kind, body, refs, capability) in expected {
        let refused = book.by(&stranger, kind, body, refs);
        assert_eq!(
            refused,
            Err(RuleViolation::NotPermitted { author: stranger.author(), capability }),
            "{kind}"
        );
    }
}

#[test]
fn rule_4_an_author_may_retract_and_annotate_its_own_operations() {
    let mut book = Book::new();
    let mine = book.by_agent("thought", json!({}), &[]).unwrap();
    let others = book.by_owner("thought", json!({}), &[]).unwrap();
    for kind in ["annotation", "retraction"] {
        assert!(book.by_agent(kind, json!({}), &[("target", mine)]).is_ok(), "{kind}");
        let refused = book.by_agent(kind, json!({}), &[("target", others)]).unwrap_err();
        assert_eq!(refused.code(), "not_permitted", "{kind}");
    }
    let agent = book.agent.author();
    let revoke = json!({"key": agent, "capabilities": ["append"]});
    book.by_owner("revoke", revoke, &[]).unwrap();
    let refused = book.by_agent("annotation", json!({}), &[("target", mine)]).unwrap_err();
    assert_eq!(refused.code(), "not_permitted", "who may not write may not label its own either");
}

#[test]
fn rule_5_a_claim_needs_valid_inputs() {
    let mut book = Book::new();
    let seen = book.evidence();
    assert_eq!(book.claim("k", 1, &[]), Err(RuleViolation::EmptyInputs));
    let belief = book.claim("k", 1, &[seen]).unwrap();
    let only_replaces = book.by_agent("claim", claim("k", 2), &[("supersedes", belief)]);
    assert_eq!(
        only_replaces,
        Err(RuleViolation::EmptyInputs),
        "the version that it replaces is not an input"
    );
    let edge = book.edge("supports", seen, belief).unwrap();
    let proposal = book.by_agent("proposal", json!({}), &[]).unwrap();
    for (input, kind) in [(edge, Kind::Edge), (proposal, Kind::Proposal)] {
        let refused = || Err(RuleViolation::InputKind { input, kind: kind.clone() });
        assert_eq!(book.claim("l", 1, &[input]), refused());
        assert_eq!(book.node("Do it.", &[input]), refused());
    }
    book.by_agent("evidence_retraction", json!({}), &[("target", seen)]).unwrap();
    assert_eq!(book.claim("l", 1, &[seen]), Err(RuleViolation::StaleInput { input: seen }));
    assert_eq!(book.claim("l", 1, &[belief]), Err(RuleViolation::StaleInput { input: belief }));
}

#[test]
fn rule_5_a_node_and_an_edge_need_valid_inputs() {
    let mut book = Book::new();
    let (seen, other) = (book.evidence(), book.evidence());
    assert_eq!(book.node("Do it.", &[]), Err(RuleViolation::EmptyInputs));
    let ends = [("from", seen), ("to", other)];
    let edge = json!({"edge_type": "supports"});
    assert_eq!(book.by_agent("edge", edge, &ends), Err(RuleViolation::EmptyInputs));
    book.node("Do it.", &[seen]).unwrap();
    book.by_agent("evidence_retraction", json!({}), &[("target", seen)]).unwrap();
    let stale = || Err(RuleViolation::StaleInput { input: seen });
    assert_eq!(book.node("Do that.", &[other, seen]), stale());
    let refs = [("from", seen), ("to", other), ("input", seen)];
    assert_eq!(book.by_agent("edge", json!({"edge_type": "supports"}), &refs), stale());
    let refs = [("from", seen), ("to", other), ("input", other)];
    book.by_agent("edge", json!({"edge_type": "supports"}), &refs).expect("an end may be stale");
}

#[test]
fn rule_11_an_edge_has_a_type_and_two_different_ends() {
    let mut book = Book::new();
    let (seen, other) = (book.evidence(), book.evidence());
    let ends = RuleViolation::EdgeEnds;
    let all = [("from", seen), ("to", other), ("input", seen), ("to", seen)];
    for refs in [&all[..1], &all[1..3], &all[..]] {
        let edge = json!({"edge_type": "supports"});
        assert_eq!(book.by_agent("edge", edge, refs), Err(ends.clone()), "{refs:?}");
    }
    let untyped = book.by_agent("edge", json!({}), &all[..3]);
    assert_eq!(untyped, Err(RuleViolation::UnfitField { kind: Kind::Edge, field: "edge_type" }));
    assert_eq!(book.edge("supports", seen, seen), Err(RuleViolation::SelfEdge { end: seen }));
}

#[test]
fn rule_11_what_is_replaced_or_redirected_stands_and_is_of_one_kind_and_forms_no_ring() {
    for edge_type in ["supersedes", "same_as"] {
        let mut book = Book::new();
        let seen = book.evidence();
        let [a, b, c] = ["a", "b", "c"].map(|key| book.claim(key, 1, &[seen]).unwrap());
        let node = book.node("Do it.", &[seen]).unwrap();
        assert_eq!(
            book.edge(edge_type, a, node),
            Err(RuleViolation::DifferentKinds { from: a, to: node })
        );
        let other = book.evidence();
        assert_eq!(book.edge(edge_type, seen, other), Err(RuleViolation::StaleEnd { end: seen }));
        book.edge(edge_type, a, b).unwrap();
        book.edge(edge_type, b, c).unwrap();
        assert_eq!(book.edge(edge_type, c, a), Err(RuleViolation::Cycle { from: c, to: a }));
        let other_type = if edge_type == "same_as" { "supersedes" } else { "same_as" };
        book.edge(other_type, c, a).unwrap();
        let gone = book.claim("gone", 1, &[seen]).unwrap();
        book.by_owner("retraction", json!({}), &[("target", gone)]).unwrap();
        assert_eq!(book.edge(edge_type, gone, a), Err(RuleViolation::StaleEnd { end: gone }));
        assert_eq!(book.edge(edge_type, a, gone), Err(RuleViolation::StaleEnd { end: gone }));
    }
}

#[test]
fn rule_6_a_machine_may_not_state_a_refuted_or_corrected_identity() {
    let mut book = Book::new();
    let seen = book.evidence();
    let belief = book.claim("k", 1, &[seen]).unwrap();
    let corrected = json!({"identity_key": "k", "corrected_payload": 2});
    let pinned = book.by_owner("claim_correction", corrected, &[("target", belief)]).unwrap();
    let key = || "k".to_owned();
    assert_eq!(book.claim("k", 2, &[seen]), Err(RuleViolation::IdentityCorrected { key: key() }));
    book.by_owner("claim_refutation", json!({"identity_key": "k"}), &[("target", belief)]).unwrap();
    assert_eq!(book.claim("k", 2, &[seen]), Err(RuleViolation::IdentityRefuted { key: key() }));
    let said = json!({"claim_type": "t", "identity_key": "k"});
    let refused = book.by_agent("claim", said.clone(), &[("input", seen)]);
    assert_eq!(
        refused,
        Err(RuleViolation::IdentityRefuted { key: key() }),
        "an agent does not speak for the user"
    );
    assert!(book.by_owner("claim", said, &[("input", seen)]).is_ok(), "the user may");
    assert_eq!(
        book.claim("k", 2, &[pinned]),
        Err(RuleViolation::IdentityRefuted { key: key() }),
        "the identity is judged before the inputs"
    );
}

#[test]
fn rule_7_an_invalidation_is_recorded_once_and_only_of_unsound_claims() {
    let mut book = Book::new();
    let seen = book.evidence();
    let belief = book.claim("k", 1, &[seen]).unwrap();
    let not_fallen = Err(RuleViolation::NothingToInvalidate { target: belief });
    let cite = |cause| [("target", belief), ("cause", cause)];
    assert_eq!(book.by_agent("claim_invalidation", json!({}), &cite(seen)), not_fallen);
    let gone = book.by_agent("evidence_retraction", json!({}), &[("target", seen)]).unwrap();
    book.by_agent("claim_invalidation", json!({}), &cite(gone)).unwrap();
    let again = book.by_agent("claim_invalidation", json!({}), &cite(gone));
    assert_eq!(again, Err(RuleViolation::DuplicateInvalidation { target: belief }));
    let two_causes = [("target", belief), ("cause", gone), ("cause", seen)];
    for refs in [&two_causes[..1], &two_causes] {
        assert_eq!(
            book.by_agent("claim_invalidation", json!({}), refs).unwrap_err().code(),
            "target"
        );
    }
    let refuted = book
        .by_owner("claim_refutation", json!({"identity_key": "k"}), &[("target", belief)])
        .unwrap();
    assert_eq!(
        book.by_agent("claim_invalidation", json!({}), &cite(refuted)),
        not_fallen,
        "it is refuted, not fallen"
    );
}

#[test]
fn rule_8_a_refuted_identity_cannot_be_corrected() {
    let mut book = Book::new();
    let seen = book.evidence();
    let belief = book.claim("k", 1, &[seen]).unwrap();
    let refuted = book
        .by_owner("claim_refutation", json!({"identity_key": "k"}), &[("target", belief)])
        .unwrap();
    let correction = json!({"identity_key": "k", "corrected_payload": 2});
    let early = book.by_owner("claim_correction", correction.clone(), &[("target", belief)]);
    assert_eq!(early, Err(RuleViolation::CorrectsRefuted { key: "k".into() }));
    book.by_owner("refutation_withdrawal", json!({}), &[("target", refuted)]).unwrap();
    assert!(book.by_owner("claim_correction", correction, &[("target", belief)]).is_ok());
}

#[test]
fn rule_9_a_thought_refines_one_or_consolidates_several() {
    let mut book = Book::new();
    let a = book.by_agent("thought", json!({}), &[]).unwrap();
    let b = book.by_agent("thought", json!({}), &[]).unwrap();
    let table: [(&[(&str, OpId)], bool); 8] = [
        (&[], true),
        (&[("refines", a)], true),
        (&[("consolidates", a), ("consolidates", b)], true),
        (&[("summary_of", a)], true),
        (&[("refines", a), ("refines", b)], false),
        (&[("consolidates", a)], false),
        (&[("consolidates", a), ("consolidates", a)], false),
        (&[("refines", a), ("consolidates", a), ("consolidates", b)], false),
    ];
    for (refs, passes) in table {
        let expected = if passes { None } else { Some(RuleViolation::ThoughtLineage) };
        assert_eq!(book.by_agent("thought", json!({}), refs).err(), expected, "{refs:?}");
    }
}

#[test]
fn only_the_first_three_rules_and_the_clock_refuse_an_operation_from_elsewhere() {
    let id = OpId([0; 32]);
    let kept = [
        RuleViolation::NotPermitted { author: Author([0; 32]), capability: Capability::Append },
        RuleViolation::EmptyInputs,
        RuleViolation::InputKind { input: id, kind: Kind::Edge },
        RuleViolation::StaleInput { input: id },
        RuleViolation::IdentityRefuted { key: String::new() },
        RuleViolation::IdentityCorrected { key: String::new() },
        RuleViolation::DuplicateInvalidation { target: id },
        RuleViolation::NothingToInvalidate { target: id },
        RuleViolation::CorrectsRefuted { key: String::new() },
        RuleViolation::ThoughtLineage,
        RuleViolation::EdgeEnds,
        RuleViolation::SelfEdge { end: id },
        RuleViolation::DifferentKinds { from: id, to: id },
        RuleViolation::StaleEnd { end: id },
        RuleViolation::Cycle { from: id, to: id },
        RuleViolation::Target { kind: Kind::Decision, expected: Target::OneOf(&[Kind::Proposal]) },
        RuleViolation::UnfitField { kind: Kind::Node, field: "node_type" },
    ];
    let refused = [
        RuleViolation::WrongSpace { expected: SpaceId(id), found: SpaceId(id) },
        RuleViolation::Genesis,
        RuleViolation::ChainBroken { expected: 1, found: 2 },
        RuleViolation::Fork { other: id },
        RuleViolation::UnknownRef { missing: id },
        RuleViolation::NotAfterRefs { cited: id },
        RuleViolation::FromFuture { ahead_s: 1 },
    ];
    assert!(kept.iter().all(|violation| !violation.prevents_admission()));
    assert!(!RuleViolation::Cause { kind: Kind::ClaimInvalidation }.prevents_admission());
    assert!(refused.iter().all(RuleViolation::prevents_admission));
    let codes = kept.iter().chain(&refused).map(RuleViolation::code);
    assert!(
        codes.eq(RuleViolation::CODES[11..].iter().chain(&RuleViolation::CODES[4..11]).copied()),
        "CODES lists them rule by rule"
    );
}

#[test]
fn a_timestamp_is_at_most_a_day_ahead_and_never_decreases() {
    assert!(judge_time(HlcTimestamp(5 + FUTURE_US_MAX), 5).is_ok());
    let refused = judge_time(HlcTimestamp(6_000_005 + FUTURE_US_MAX), 5).unwrap_err();
    assert_eq!(refused, RuleViolation::FromFuture { ahead_s: 24 * 3_600 + 6 });
    assert!(judge_time(HlcTimestamp(1), u64::MAX).is_ok());
    assert_eq!(next_timestamp(7, None), HlcTimestamp(7));
    assert_eq!(next_timestamp(7, Some(HlcTimestamp(7))), HlcTimestamp(8));
    assert_eq!(next_timestamp(9, Some(HlcTimestamp(7))), HlcTimestamp(9));
    assert_eq!(next_timestamp(9, Some(HlcTimestamp(u64::MAX))), HlcTimestamp(u64::MAX));
}

#[test]
fn a_number_beyond_the_limits_of_the_format_is_not_sealed() {
    let signer = Signer::from_seed([1; 32]);
    let body =
        || Draft::new(Body::EvidenceRetraction(kernel::body::Reason { reason: String::new() }));
    let head = Head { seq: u64::MAX, id: OpId([0; 32]), ts: HlcTimestamp(0) };
    let space = Some(SpaceId(OpId([0; 32])));
    assert!(
        signer
            .seal(body(), ChainPosition { space, head: Some(head), ts: HlcTimestamp(1) })
            .is_err()
    );
    assert!(
        signer
            .seal(body(), ChainPosition { space, head: None, ts: HlcTimestamp(u64::MAX) })
            .is_err()
    );
    for payload in [json!(1e17), json!(u64::MAX), (0..70).fold(json!(1), |inner, _| json!([inner]))]
    {
        let body = Body::Node(Node { payload: Some(payload), ..Node::default() });
        assert!(
            signer
                .seal(Draft::new(body), ChainPosition { space, head: None, ts: HlcTimestamp(1) })
                .is_err()
        );
    }
}

#[test]
fn an_operation_at_a_limit_is_sealed_and_one_beyond_it_is_refused() {
    let signer = Signer::from_seed([1; 32]);
    let place =
        ChainPosition { space: Some(SpaceId(OpId([0; 32]))), head: None, ts: HlcTimestamp(1) };
    let text = |bytes: usize| {
        // `{"text":""}` is 11 bytes.
        let text = "x".repeat(bytes - 11);
        Body::Node(Node { text: Some(text), ..Node::default() })
    };
    let cite = |count: usize| Draft {
        body: text(11),
        refs: vec![Ref { id: OpId([7; 32]), role: Role::parse(&"r".repeat(64)).unwrap() }; count],
    };
    for full in [Draft::new(text(BODY_BYTES_MAX)), cite(REFS_MAX)] {
        let operation = signer.seal(full, place).unwrap();
        let read = Operation::from_line(operation.to_line().as_bytes()).unwrap().verify().unwrap();
        assert_eq!(read, operation);
    }
    for over in [Draft::new(text(BODY_BYTES_MAX + 1)), cite(REFS_MAX + 1)] {
        assert!(signer.seal(over, place).is_err());
    }
}

#[test]
fn inserting_an_operation_twice_leaves_the_chain_unchanged() {
    let mut book = Book::new();
    let agent = Signer::from_seed([2; 32]);
    let (operation, body) = book.seal(&agent, "evidence", evidence("one"), &[]);
    book.graph.insert(&operation, Some(&body));
    book.graph.insert(&operation, Some(&body));
    let Ok(head) = book.graph.head(&agent.author());
    assert_eq!(head.map(|head| head.seq), Some(1));
}

/// A [`LedgerIndex`] that logs its look-ups.
pub(crate) struct LoggingIndex {
    pub(crate) graph: Graph,
    pub(crate) look_ups: RefCell<Vec<&'static str>>,
}

impl LoggingIndex {
    pub(crate) fn over(graph: Graph) -> Self {
        Self { graph, look_ups: RefCell::default() }
    }

    fn note(&self, question: &'static str) -> &Graph {
        self.look_ups.borrow_mut().push(question);
        &self.graph
    }
}

impl LedgerIndex for LoggingIndex {
    type Error = Infallible;

    fn space(&self) -> Result<Option<SpaceId>, Infallible> {
        self.note("space").space()
    }
    fn entry(&self, id: &OpId) -> Result<Option<Entry>, Infallible> {
        self.note("entry").entry(id)
    }
    fn citing(&self, id: &OpId) -> Result<Vec<Citing>, Infallible> {
        self.note("citing").citing(id)
    }
    fn status(&self, id: &OpId) -> Result<Option<ClaimStatus>, Infallible> {
        self.note("status").status(id)
    }
    fn identity(&self, key: &str) -> Result<Vec<Entry>, Infallible> {
        self.note("identity").identity(key)
    }
    fn latest_of(
        &self,
        key: &str,
        kind: &Kind,
        before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, Infallible> {
        self.note("latest_of").latest_of(key, kind, before)
    }
    fn head(&self, author: &Author) -> Result<Option<Head>, Infallible> {
        self.note("head").head(author)
    }
    fn at_seq(&self, author: &Author, seq: u64) -> Result<Option<OpId>, Infallible> {
        self.note("at_seq").at_seq(author, seq)
    }
    fn access(&self) -> Result<&Access, Infallible> {
        self.note("access").access()
    }
    fn evidence(
        &self,
        source: &str,
        source_uid: &str,
    ) -> Result<Option<(OpId, BodyHash)>, Infallible> {
        self.note("evidence").evidence(source, source_uid)
    }
}

#[test]
fn plain_evidence_is_judged_with_three_look_ups() {
    let mut book = Book::new();
    book.evidence();
    let agent = Signer::from_seed([2; 32]);
    let (next, body) = book.seal(&agent, "evidence", evidence("next"), &[]);
    let index = LoggingIndex::over(book.graph);
    assert!(matches!(judge(&next, Some(&body), &index), Ok(Verdict::Append)));
    assert_eq!(index.look_ups.into_inner(), ["space", "head", "access"]);
}

#[test]
fn the_index_of_acting_operations_agrees_with_all_citations() {
    let mut book = Book::new();
    let seen = book.evidence();
    let belief = book.claim("k", 1, &[seen]).unwrap();
    book.by_agent("claim", claim("k", 2), &[("input", seen), ("supersedes", belief)]).unwrap();
    book.by_agent("evidence", evidence("mended"), &[("supersedes", seen)]).unwrap();
    book.by_agent("evidence_retraction", json!({}), &[("target", seen)]).unwrap();
    book.by_owner("annotation", json!({}), &[("target", seen)]).unwrap();
    book.by_owner("annotation", json!({}), &[("target", seen)]).unwrap();
    let index = LoggingIndex::over(book.graph);
    for id in [seen, belief] {
        for kind in Kind::KNOWN {
            for role in ["target", "supersedes", "input"] {
                assert_eq!(
                    index.graph.acting(&id, kind, role),
                    index.acting(&id, kind, role),
                    "{kind} {role}"
                );
            }
        }
    }
    assert_eq!(
        index.graph.acting(&seen, &Kind::Annotation, Role::TARGET).map(|found| found.len()),
        Ok(2)
    );
}

#[test]
fn a_space_begins_with_a_time_and_older_ones_without_are_still_admitted() {
    let owner = Signer::from_seed([1; 32]);
    for (created, expected) in [
        ("2026-01-01T00:00:00Z", Ok(Verdict::Append)),
        ("2026-01-01T00:00:00+02:00", Ok(Verdict::Append)),
        ("yesterday", Err("created")),
        ("2026-01-01", Err("created")),
        ("", Err("created")),
    ] {
        let body = json!({"name": "test", "owner": owner.author(), "created": created});
        let body = Body::parse(&Kind::Space, &canonical::to_bytes(&body).unwrap()).unwrap();
        let place = ChainPosition { space: None, head: None, ts: HlcTimestamp(1) };
        let operation = owner.seal(Draft::new(body.clone()), place).unwrap();
        let judged = judge(&operation, Some(&body), &Graph::default());
        let judged = judged.map_err(|JudgeError::RuleViolation(violation)| match violation {
            RuleViolation::UnfitField { kind: Kind::Space, field } => field,
            other => panic!("{other}"),
        });
        assert_eq!(judged, expected, "{created:?}");
        let place = kernel::rules::judge_place(&operation, Some(&body), &Graph::default());
        assert!(matches!(place, Ok(Some(Verdict::Append))), "{created:?}");
    }
}

#[test]
fn a_key_for_which_everybody_can_sign_is_not_granted_anything() {
    let mut book = Book::new();
    let weak = Author([0; 32]);
    let change = json!({"key": weak, "capabilities": ["append"]});
    let refused = book.by_owner("grant", change.clone(), &[]).unwrap_err();
    assert_eq!(refused, RuleViolation::UnfitField { kind: Kind::Grant, field: "key" });
    // One that was granted before can be revoked.
    book.by_owner("revoke", change, &[]).unwrap();
}
