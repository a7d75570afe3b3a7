//! Graphs of unusual sizes and forms: chains of ten thousand edges, rings of every type, ends that
//! nobody knows. Costs are counted in look-ups, so that they do not depend on the machine.

use kernel::body::EdgeType;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::records::{RecordStatus, Records};
use kernel::rules::{JudgeError, RuleViolation, judge};
use kernel::seal::Signer;
use serde_json::{Value, json};

use crate::rules::{Book, LoggingIndex, claim};

const CHAIN: usize = 10_000;
/// Look-ups of an index for one record of a chain, whatever the length of the chain.
const LOOK_UPS_MAX: usize = 200;

/// Records, each joined to the next by an edge of a type, those of the newest records first.
struct Chain {
    book: Book,
    seen: OpId,
    edge_type: EdgeType,
    records: Vec<OpId>,
}

impl Chain {
    fn new(edge_type: EdgeType) -> Self {
        let mut book = Book::new();
        let (seen, agent) = (book.evidence(), Signer::from_seed([2; 32]));
        let records: Vec<OpId> = (0..CHAIN)
            .map(|n| book.keep(&agent, "claim", claim(&format!("k{n}"), 1), &[("input", seen)]))
            .collect();
        let mut chain = Self { book, seen, edge_type, records };
        for at in (1..CHAIN).rev() {
            let (from, to) = chain.ends(chain.records[at - 1], chain.records[at]);
            chain.join(from, to).unwrap();
        }
        chain
    }

    /// A newer record replaces an older one; an older one redirects to a newer one.
    fn ends(&self, older: OpId, newer: OpId) -> (OpId, OpId) {
        match self.edge_type {
            EdgeType::Supersedes => (newer, older),
            _ => (older, newer),
        }
    }

    fn body(&self) -> Value {
        json!({"edge_type": self.edge_type.as_str()})
    }

    fn refs(&self, from: OpId, to: OpId) -> [(&'static str, OpId); 3] {
        [("from", from), ("to", to), ("input", self.seen)]
    }

    fn join(&mut self, from: OpId, to: OpId) -> Result<OpId, RuleViolation> {
        let (body, refs) = (self.body(), self.refs(from, to));
        self.book.by_agent("edge", body, &refs)
    }

    /// The look-ups for judging an edge, which is not recorded.
    fn look_ups_of_joining(&mut self, from: OpId, to: OpId) -> usize {
        let (body, refs) = (self.body(), self.refs(from, to));
        let (edge, body) = self.book.seal(&Signer::from_seed([2; 32]), "edge", body, &refs);
        let index = LoggingIndex::over(std::mem::take(&mut self.book.graph));
        assert!(judge(&edge, Some(&body), &index).is_ok());
        self.book.graph = index.graph;
        index.look_ups.into_inner().len()
    }

    /// The statuses and canonical records, in the order of `asked`.
    fn statuses(&mut self, asked: &[OpId]) -> Vec<(Option<RecordStatus>, OpId)> {
        let index = LoggingIndex::over(std::mem::take(&mut self.book.graph));
        let mut records = Records::new(&index);
        let answers = asked
            .iter()
            .map(|id| {
                let status = records.status(id).unwrap();
                (status, records.canonical(id).unwrap())
            })
            .collect();
        self.book.graph = index.graph;
        let look_ups = index.look_ups.into_inner().len();
        assert!(look_ups < CHAIN * LOOK_UPS_MAX, "{:?}: {look_ups}", self.edge_type);
        answers
    }
}

/// Its records are asked about and joined at a cost that does not depend on its length. An edge
/// that would close it is refused. Closed by a merge it has one active record.
fn a_chain_costs_in_proportion(edge_type: EdgeType, below: RecordStatus) {
    let mut chain = Chain::new(edge_type);
    let (first, last) = (chain.records[0], chain.records[CHAIN - 1]);
    let mut asked = chain.records.clone();
    for _ in 0..2 {
        for (id, (status, canonical)) in asked.iter().zip(chain.statuses(&asked)) {
            let expected = if *id == last { RecordStatus::Active } else { below };
            assert_eq!(status, Some(expected));
            assert_eq!(canonical, if below == RecordStatus::Alias { last } else { *id });
        }
        asked.reverse();
    }
    let other = chain.book.claim("other", 1, &[chain.seen]).unwrap();
    for (from, to) in [(other, first), (first, other), (other, last), (last, other)] {
        let look_ups = chain.look_ups_of_joining(from, to);
        assert!(look_ups < LOOK_UPS_MAX, "{edge_type:?}: {look_ups}");
    }
    let (from, to) = chain.ends(last, first);
    assert_eq!(chain.join(from, to), Err(RuleViolation::Cycle { from, to }));

    let (body, refs) = (chain.body(), chain.refs(from, to));
    chain.book.keep(&Signer::from_seed([2; 32]), "edge", body, &refs);
    // The oldest redirect of a ring is canonical; the newest replacement stays.
    let stays = if below == RecordStatus::Alias { first } else { last };
    for (id, (status, _)) in asked.iter().zip(chain.statuses(&asked)) {
        assert_eq!(status, Some(if *id == stays { RecordStatus::Active } else { below }));
    }
}

#[test]
fn a_chain_of_ten_thousand_redirects_costs_in_proportion() {
    a_chain_costs_in_proportion(EdgeType::SameAs, RecordStatus::Alias);
}

#[test]
fn a_chain_of_ten_thousand_replacements_costs_in_proportion() {
    a_chain_costs_in_proportion(EdgeType::Supersedes, RecordStatus::Superseded);
}

#[test]
fn rings_and_loops_of_every_type_end() {
    for edge_type in EdgeType::ALL.iter().copied() {
        let mut book = Book::new();
        let seen = book.evidence();
        let chain: Vec<OpId> =
            (0..4).map(|n| book.claim(&format!("k{n}"), 1, &[seen]).unwrap()).collect();
        let agent = Signer::from_seed([2; 32]);
        let body = json!({"edge_type": edge_type.as_str()});
        for from in &chain {
            for to in &chain {
                let refs = [("from", *from), ("to", *to), ("input", seen)];
                if from == to {
                    let looped = book.by_agent("edge", body.clone(), &refs);
                    assert_eq!(looped, Err(RuleViolation::SelfEdge { end: *from }));
                }
                // As a merge brings it, or an older version kept it.
                book.keep(&agent, "edge", body.clone(), &refs);
            }
        }
        let mut records = Records::new(&book.graph);
        let (oldest, newest) = (chain[0], chain[3]);
        for id in &chain {
            let is_active = match edge_type {
                EdgeType::SameAs => *id == records.canonical(id).unwrap(),
                EdgeType::Supersedes => *id == newest,
                _ => true,
            };
            let status = records.status(id).unwrap();
            assert_eq!(status == Some(RecordStatus::Active), is_active, "{edge_type:?}");
        }
        // The newest redirect of each record leads to the last record, and that one's to the one
        // before it: a ring of two with two tails.
        let canonical = if edge_type == EdgeType::SameAs { chain[2] } else { oldest };
        assert_eq!(records.canonical(&oldest), Ok(canonical), "{edge_type:?}");
        for (from, to) in [(oldest, newest), (newest, oldest)] {
            assert_eq!(records.leads(edge_type, &from, &to), Ok(true), "{edge_type:?}");
        }
    }
}

#[test]
fn ends_that_nobody_knows_are_refused_and_have_no_status() {
    let ghost = OpId([7; 32]);
    for edge_type in EdgeType::ALL.iter().copied() {
        let mut book = Book::new();
        let seen = book.evidence();
        let record = book.claim("k", 1, &[seen]).unwrap();
        for (from, to) in [(record, ghost), (ghost, record), (ghost, ghost)] {
            let refs = [("from", from), ("to", to), ("input", seen)];
            let agent = Signer::from_seed([2; 32]);
            let body = json!({"edge_type": edge_type.as_str()});
            let (edge, body) = book.seal(&agent, "edge", body, &refs);
            let refusal = judge(&edge, Some(&body), &book.graph);
            assert!(
                matches!(&refusal, Err(JudgeError::RuleViolation(RuleViolation::UnknownRef { missing })) if *missing == ghost),
                "{edge_type:?}: {refusal:?}"
            );
            // A graph that holds it all the same is read without it.
            book.graph.insert(&edge, Some(&body));
        }
        let mut records = Records::new(&book.graph);
        assert_eq!(records.status(&ghost), Ok(None));
        assert_eq!(records.status(&record), Ok(Some(RecordStatus::Active)), "{edge_type:?}");
        assert_eq!(records.canonical(&record), Ok(record));
        assert_eq!(book.graph.acting(&ghost, &Kind::Edge, "to").map(|edges| edges.len()), Ok(2));
    }
}
