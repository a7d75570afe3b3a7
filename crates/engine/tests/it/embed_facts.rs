//! Claims and nodes in the queue of a model, and in searches by its vectors.

use engine::Space;
use engine::belief::user::Replacement;
use engine::recall::episodes::{ByModel, Query};
use engine::recall::facts::FactQuery;
use engine::why::WhyLimits;
use engine::write::graph::Statement;
use engine::write::import::Intent;
use kernel::body::EdgeType;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use store::sqlite::{ModelNumber, QuestionVector, VALUES_RAW};

use crate::embed::{Fake, at_most, embed};
use crate::graph_changes::{self, claim, node};
use crate::support::{Home, at, id_of, query};

/// A space with one record, which the model has read.
struct Graph {
    home: Home,
    evidence: OpId,
    fake: Fake,
}

impl Graph {
    fn new() -> Self {
        let mut home = Home::new();
        let evidence = id_of(home.remember("e", "What was said"));
        let mut fake = Fake::new("one", 8);
        embed(&mut home.space, &mut fake);
        fake.calls.clear();
        Self { home, evidence, fake }
    }

    fn state(&mut self, statement: Statement) -> OpId {
        graph_changes::state(&mut self.home.space, self.evidence, statement)
    }

    fn claim(&mut self, text: &str) -> OpId {
        self.state(claim(text))
    }

    fn node(&mut self, text: &str) -> OpId {
        self.state(node(text))
    }

    fn supersede(&mut self, target: OpId, text: &str) -> OpId {
        graph_changes::supersede(&mut self.home.space, self.evidence, target, text)
    }

    fn connect(&mut self, edge_type: EdgeType, from: OpId, to: OpId) -> OpId {
        graph_changes::connect(&mut self.home.space, self.evidence, edge_type, from, to)
    }

    fn retract(&mut self, id: OpId) {
        graph_changes::retract(&mut self.home.space, id);
    }

    /// Has the model read all that it has not; what that was.
    fn read(&mut self) -> Vec<String> {
        self.fake.calls.clear();
        let expected = self.pending();
        let done = embed(&mut self.home.space, &mut self.fake);
        assert_eq!((done.pending, done.failed, done.error), (0, 0, None));
        let texts: Vec<String> = self.fake.texts().into_iter().map(str::to_owned).collect();
        assert_eq!((done.embedded, expected), (texts.len() as u64, texts.len() as u64));
        assert_eq!(self.pending(), 0);
        texts
    }

    fn pending(&self) -> u64 {
        self.home.space.embedding_status().unwrap()[0].pending
    }

    fn embedded(&self) -> u64 {
        self.home.space.embedding_status().unwrap()[0].embedded
    }

    fn facts(&self, question: &str) -> Vec<String> {
        facts(&self.home.space, &self.fake, question).0
    }

    fn nodes(&self, question: &str) -> Vec<String> {
        let found = self.home.space.search_nodes(&by_model(&self.home.space, &self.fake, question));
        let found = found.unwrap();
        assert!(found.model.is_some());
        found.nodes.into_iter().map(|node| node.record.text).collect()
    }
}

fn number(space: &Space, fake: &Fake) -> ModelNumber {
    let known = space.embedding_status().unwrap();
    known.into_iter().find(|known| known.name == fake.model.name).unwrap().number
}

fn by_model(space: &Space, fake: &Fake, question: &str) -> FactQuery {
    let vector = QuestionVector { model: number(space, fake), numbers: fake.vector(question) };
    FactQuery { vector: Some(vector), limit: 50, ..FactQuery::new(question, at(100)) }
}

/// The facts that a question finds by the model, and whether its vectors served.
fn facts(space: &Space, fake: &Fake, question: &str) -> (Vec<String>, bool) {
    let found = space.recall_facts(&by_model(space, fake, question)).unwrap();
    (found.facts.into_iter().map(|fact| fact.belief.text).collect(), found.model.is_some())
}

#[test]
fn claims_and_nodes_are_embedded_and_found_by_meaning_where_the_built_in_table_fails() {
    let mut graph = Graph::new();
    graph.claim("Our zorbelin stays outside");
    graph.claim("The harbour opens at nine");
    graph.node("We sold every mivrette");
    graph.node("We bought a ladder");
    let by_table = |question: &str| FactQuery::new(question, at(100));
    for question in ["quanthar", "plodosk"] {
        let space = &graph.home.space;
        assert!(space.recall_facts(&by_table(question)).unwrap().facts.is_empty());
        assert!(space.recall_nodes(&by_table(question)).unwrap().is_empty());
    }
    // Until they are embedded, the built-in table answers.
    let (texts, is_by_model) = facts(&graph.home.space, &graph.fake, "harbour");
    assert_eq!(
        (texts.as_slice(), is_by_model),
        (["The harbour opens at nine".to_owned()].as_slice(), false)
    );
    assert_eq!(graph.read().len(), 4);
    assert_eq!(graph.embedded(), 5);
    assert_eq!(graph.facts("quanthar"), ["Our zorbelin stays outside"]);
    assert_eq!(graph.nodes("plodosk"), ["We sold every mivrette"]);
    assert!(graph.facts("plodosk").is_empty() && graph.nodes("quanthar").is_empty());
    // Words count beside vectors.
    assert_eq!(graph.facts("When does the harbour open?"), ["The harbour opens at nine"]);
    assert!(graph.read().is_empty(), "nothing is read twice");
}

#[test]
fn what_does_not_count_is_not_embedded_and_what_counts_again_is() {
    let mut graph = Graph::new();
    let old = graph.claim("The zorbelin is red");
    let new = graph.supersede(old, "The zorbelin is blue");
    let alias = graph.claim("A zorbelin that is blue");
    let same = graph.connect(EdgeType::SameAs, alias, new);
    let old_node = graph.node("Buy the red mivrette");
    let new_node = graph.supersede(old_node, "Buy the blue mivrette");
    let gone = graph.claim("The zorbelin is gone");
    graph.retract(gone);
    assert_eq!(graph.read(), ["The zorbelin is blue", "Buy the blue mivrette"]);
    assert_eq!(graph.facts("quanthar"), ["The zorbelin is blue"]);
    assert_eq!(graph.nodes("plodosk"), ["Buy the blue mivrette"]);
    graph.retract(same);
    assert_eq!(graph.read(), ["A zorbelin that is blue"]);
    // An open reader finds what was read out of order.
    graph.retract(new);
    graph.retract(new_node);
    assert_eq!(graph.read(), ["The zorbelin is red", "Buy the red mivrette"]);
    assert_eq!(graph.facts("quanthar").len(), 2);
    assert_eq!(graph.nodes("plodosk"), ["Buy the red mivrette"]);
    // What was embedded and does not count any more is not found, and read no second time.
    let key = graph.home.space.recall_facts(&FactQuery::new("red", at(100))).unwrap();
    let drafts = graph.home.space.to_refute(&key.facts[0].belief.key, "no").unwrap();
    graph.home.space.act(drafts, Intent::Write, at(20)).unwrap();
    assert_eq!(graph.facts("quanthar"), ["A zorbelin that is blue"]);
    assert!(graph.read().is_empty());
}

#[test]
fn a_correction_is_embedded_in_place_of_the_claim() {
    let mut graph = Graph::new();
    graph.claim("The harbour opens at nine");
    graph.read();
    let found = graph.home.space.recall_facts(&FactQuery::new("harbour", at(100))).unwrap();
    let by = Replacement { text: Some("The zorbelin opens".to_owned()), ..Replacement::default() };
    let drafts = graph.home.space.to_correct(&found.facts[0].belief.key, &by).unwrap();
    graph.home.space.act(drafts, Intent::Write, at(20)).unwrap();
    assert_eq!(graph.read(), ["The zorbelin opens"]);
    assert_eq!(graph.facts("quanthar"), ["The zorbelin opens"]);
}

#[test]
fn a_queue_that_is_dropped_between_batches_resumes_and_reads_each_fact_once() {
    const FACTS: usize = 9;
    let mut graph = Graph::new();
    for number in 0..FACTS {
        graph.claim(&format!("Zorbelin number {number}"));
        graph.node(&format!("Mivrette number {number}"));
    }
    graph.fake.calls.clear();
    let mut left = 2 * FACTS as u64;
    while left > 0 {
        // Each round is another process.
        let mut space = graph.home.again(1);
        let mut pending = Vec::new();
        let done = space
            .embed(&mut graph.fake, "fake:one", at_most(5), &|| at(100), &mut |done| {
                pending.push(done.pending);
            })
            .unwrap();
        assert!(pending.is_sorted_by(|before, after| before >= after), "{pending:?}");
        assert_eq!(done.embedded, left.min(5));
        left -= done.embedded;
        assert_eq!(space.embedding_status().unwrap()[0].pending, left);
    }
    let mut texts = graph.fake.texts();
    assert_eq!(texts.len(), 2 * FACTS);
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 2 * FACTS);
    assert_eq!(graph.facts("quanthar").len(), FACTS);
}

#[test]
fn the_built_in_table_stands_in_for_a_vector_that_is_missing() {
    let mut graph = Graph::new();
    graph.claim("Our zorbelin stays outside");
    graph.read();
    graph.claim("The captain repaired the sailing boat");
    assert_eq!(graph.facts("quanthar"), ["Our zorbelin stays outside"]);
    let found = graph.home.space.recall_facts(&by_model(
        &graph.home.space,
        &graph.fake,
        "a sailor fixed the sailboat",
    ));
    let found = found.unwrap();
    assert!(found.model.is_some());
    assert_eq!(found.facts[0].belief.text, "The captain repaired the sailing boat");
    let alone = FactQuery::new("a sailor fixed the sailboat", at(100));
    let alone = graph.home.space.recall_facts(&alone).unwrap();
    assert_eq!(found.facts[0].relevance, alone.facts[0].relevance);
    assert_eq!(found.facts[0].score, alone.facts[0].score);
}

#[test]
fn a_record_among_many_facts_is_found_by_its_vector() {
    let mut graph = Graph::new();
    for number in 0..30 {
        graph.claim(&format!("The harbour has number {number}"));
    }
    graph.home.remember("z", "A zorbelin came by");
    assert_eq!(graph.read().len(), 31);
    let vector =
        ByModel::new(number(&graph.home.space, &graph.fake), graph.fake.vector("quanthar"));
    for space in [&graph.home.space, &graph.home.again(1)] {
        let found = space.recall(&Query { vector: Some(vector.clone()), ..query("quanthar") });
        let first = found.unwrap().results.remove(0);
        assert_eq!(first.evidence.payload.text, "A zorbelin came by");
        let own = first.score.parts.iter().find(|part| part.name == "own_meaning").unwrap();
        assert!(own.value > 0.5, "{own:?}");
    }
}

#[test]
fn why_finds_what_is_similar_by_the_vector_of_its_target() {
    let mut graph = Graph::new();
    let claim = graph.claim("Our zorbelin stays outside");
    graph.claim("The harbour opens at nine");
    let target = graph.node("We sell every quanthar");
    graph.read();
    let asked = graph.fake.calls.len();
    let candidates = |similar_by| {
        let limits = WhyLimits { similar_by, ..WhyLimits::new(at(100)) };
        let why = graph.home.space.why(&target, &limits).unwrap();
        why.candidates.into_iter().map(|found| found.id).collect::<Vec<OpId>>()
    };
    assert_eq!(candidates(None), []);
    assert_eq!(candidates(Some(number(&graph.home.space, &graph.fake))), [claim]);
    assert_eq!(graph.fake.calls.len(), asked, "no model is called");
}

#[test]
fn a_forgotten_claim_leaves_no_vector() {
    let mut graph = Graph::new();
    let secret = graph.claim("Our zorbelin stays outside");
    graph.node("We sold every mivrette");
    graph.read();
    assert_eq!(graph.embedded(), 3);
    let plan = graph.home.space.plan_to_forget(&[secret], at(20)).unwrap();
    graph.home.space.forget(&plan, "", at(20)).unwrap();
    assert_eq!((graph.embedded(), graph.pending()), (2, 0));
    assert!(graph.facts("quanthar").is_empty());
    assert_eq!(graph.nodes("plodosk"), ["We sold every mivrette"]);
    assert!(graph.read().is_empty());
}

#[test]
fn private_claims_are_embedded_and_values_as_they_were_given_are_not() {
    let mut graph = Graph::new();
    graph.state(Statement {
        visibility: Visibility::Private,
        ..claim("Our zorbelin stays outside")
    });
    graph.state(Statement { tags: vec![VALUES_RAW.to_owned()], ..claim("All that I value") });
    embed(&mut graph.home.space, &mut graph.fake);
    assert_eq!(graph.fake.texts(), ["Our zorbelin stays outside"]);
    assert_eq!((graph.pending(), graph.embedded()), (0, 2));
    let open = FactQuery {
        visibilities: vec![Visibility::Project],
        ..by_model(&graph.home.space, &graph.fake, "quanthar")
    };
    assert!(graph.home.space.recall_facts(&open).unwrap().facts.is_empty());
    assert_eq!(graph.facts("quanthar"), ["Our zorbelin stays outside"]);
}

#[test]
fn damaged_and_deleted_vectors_of_facts_are_made_again_and_a_rebuild_keeps_them() {
    let mut graph = Graph::new();
    graph.claim("Our zorbelin stays outside");
    graph.claim("The harbour opens at nine");
    graph.node("We sold every mivrette");
    graph.read();
    graph.home.space.rebuild(|_| {}).unwrap();
    assert!(graph.read().is_empty());
    assert_eq!(graph.facts("quanthar"), ["Our zorbelin stays outside"]);
    graph.home.tamper("UPDATE embedding SET data = x'00'");
    let mut space = graph.home.again(1);
    let (texts, _) = facts(&space, &graph.fake, "harbour");
    assert_eq!(texts, ["The harbour opens at nine"], "the built-in table answers");
    space.mend_embeddings(&graph.fake.model).unwrap();
    drop(space);
    assert_eq!(graph.read().len(), 4);
    graph.home.tamper("DELETE FROM embedding; DROP TABLE embedding_facts");
    assert_eq!(graph.pending(), 3);
    graph.home.space.mend_embeddings(&graph.fake.model).unwrap();
    assert_eq!(graph.read().len(), 4);
    assert_eq!(graph.home.again(1).verify(|_| {}).unwrap().findings.len(), 0);
}

#[test]
fn a_model_that_was_chosen_later_reads_all_facts_and_another_is_dropped_with_its_progress() {
    let mut graph = Graph::new();
    graph.claim("Our zorbelin stays outside");
    graph.read();
    let mut other = Fake::new("two", 9);
    let done = embed(&mut graph.home.space, &mut other);
    assert_eq!((done.embedded, done.pending), (2, 0));
    assert_eq!(facts(&graph.home.space, &other, "quanthar").0, ["Our zorbelin stays outside"]);
    let before = number(&graph.home.space, &graph.fake);
    let question = by_model(&graph.home.space, &graph.fake, "quanthar");
    graph.home.space.forget_embeddings(before).unwrap();
    let found = graph.home.space.recall_facts(&question).unwrap();
    assert!(found.facts.is_empty() && found.model.is_none());
}
