//! Facts: what is believed that answers a question, the most relevant first.
//!
//! A fact is an identity of which something is served. The index finds claims and corrections by their words, and a version counts only
//! if it is what its identity serves at the moment that is asked about: so what was refuted, replaced or has fallen is never found, and
//! is found again when it is believed again. How it ranks is a sum that explains itself: how near to the question, how sure, how fresh.
//! Weights, thresholds and the rate of recency: the design of facts ("Recall, two modes, one machinery").

use jiff::Timestamp;
use jiff::civil::Date;
use kernel::confidence::Band;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::question::Question;
use kernel::question::names::Names;
use kernel::rank::{Score, Signals, Weights, fuse};
use kernel::text::{Analyzer, Language};
use serde::Serialize;
use serde_json::{Value, json};
use store::sqlite::TermShare;
use store::{Ledger, Position};

use crate::belief::Belief;
use crate::claims::{self, ClaimFilter};
use crate::{EngineError, Space};

/// Most facts that can be asked for.
pub const FACTS_MAX: usize = 1_000;

/// What similarity weighs in relevance.
pub const SIMILARITY_WEIGHT: f64 = 0.6;
/// What confidence weighs in relevance.
pub const CONFIDENCE_WEIGHT: f64 = 0.3;
/// What recency weighs in relevance.
pub const RECENCY_WEIGHT: f64 = 0.1;
/// How fast recency falls, a day.
pub const RECENCY_RATE: f64 = 0.01;
/// Least confidence of what a search finds.
pub const ACTIVE_CONFIDENCE_MIN: f64 = 0.3;
/// What is put before an agent unasked is surer than this.
pub const PASSIVE_CONFIDENCE: f64 = 0.5;
/// Least similarity of a fact that is shown where nobody asked for facts alone: about a third of the question's weight in words.
pub const SIMILARITY_TO_SHOW_MIN: f64 = 0.35;

/// Whether somebody looks for facts, or they are put before an agent unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Somebody asked: whatever is not deprecated.
    #[default]
    Active,
    /// Nobody asked: what is surer than not, is near to the question, and is not private.
    Passive,
}

/// Which facts to recall.
#[derive(Clone, Debug)]
pub struct FactQuery {
    /// The question, in words.
    pub text: String,
    /// How many, at most [`FACTS_MAX`].
    pub limit: usize,
    /// Who asks.
    pub mode: Mode,
    /// What recency counts from.
    pub now: Timestamp,
    /// The asker's date: what "last week" counts from.
    pub today: Option<Date>,
    /// Believed by what was recorded until then (inclusive), microseconds since the Unix epoch.
    pub as_of_us: Option<u64>,
    /// True in the world at this time, microseconds since the Unix epoch.
    pub valid_at_us: Option<i64>,
    /// By type: `routine.weekly`, or a family, `routine`.
    pub claim_type: Option<String>,
    /// By who may see them; all if empty.
    pub visibilities: Vec<Visibility>,
}

impl FactQuery {
    /// The best five for somebody who asks at `now`.
    pub fn new(text: impl Into<String>, now: Timestamp) -> Self {
        Self {
            text: text.into(),
            limit: 5,
            mode: Mode::Active,
            now,
            today: None,
            as_of_us: None,
            valid_at_us: None,
            claim_type: None,
            visibilities: Vec::new(),
        }
    }
}

/// Facts that were recalled.
#[derive(Clone, Debug)]
pub struct Facts {
    /// How the question was understood.
    pub question: Question,
    /// The most relevant first.
    pub facts: Vec<Fact>,
    /// How far the index had read.
    pub position: Position,
    /// Operations that the index has not read yet.
    pub behind: u64,
}

/// Something believed that answers a question.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The claim or correction that is served.
    pub id: OpId,
    /// What is believed.
    pub belief: Belief,
    /// How sure, in words.
    pub band: Band,
    /// How it ranks.
    pub relevance: Relevance,
    /// What its similarity was made from.
    pub score: Score,
    /// What the words part of that consists of.
    pub terms: Vec<TermShare>,
    /// Operations that it was directly built from, each once.
    pub sources: usize,
    /// How late the latest evidence is that it takes into account, microseconds since the Unix epoch.
    pub evidence_us: i64,
}

/// What a fact's rank is the sum of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Relevance {
    /// 0.6 · similarity + 0.3 · confidence + 0.1 · recency.
    pub total: f64,
    /// How near to the question, 0 … 1.
    pub similarity: f64,
    /// How sure, 0 … 1.
    pub confidence: f64,
    /// How fresh, 0 … 1; what the user said does not grow old.
    pub recency: f64,
}

impl Relevance {
    /// The sum of its parts.
    pub fn of(similarity: f64, confidence: f64, recency: f64) -> Self {
        let total = SIMILARITY_WEIGHT * similarity + CONFIDENCE_WEIGHT * confidence + RECENCY_WEIGHT * recency;
        Self { total, similarity, confidence, recency }
    }
}

impl Fact {
    /// Whether it says something to the question, rather than sharing a word with it.
    pub fn speaks_to_question(&self) -> bool {
        self.relevance.similarity >= SIMILARITY_TO_SHOW_MIN
    }
}

/// A fact as the commands print it in JSON: the belief's fields, and how it was found.
pub fn to_json(fact: &Fact) -> Value {
    let mut value = claims::to_json(&fact.belief);
    value["relevance"] = json!(fact.relevance);
    value["score"] = json!(fact.score);
    value["terms"] = json!(fact.terms);
    value["sources"] = json!(fact.sources);
    value["evidence_at"] =
        Timestamp::from_microsecond(fact.evidence_us).map_or(Value::Null, |at| json!(at.to_string()));
    value
}

impl Space {
    /// The facts that answer a question, as they are believed now or were believed then.
    pub fn recall_facts(&mut self, query: &FactQuery) -> Result<Facts, EngineError> {
        let position = self.store.text_position()?;
        let mut analyzer = Analyzer::new(Language::default());
        let question = Question::parse(&query.text, &mut analyzer, &Names::default(), query.today);
        let filter = ClaimFilter {
            claim_type: query.claim_type.clone(),
            valid_at_us: query.valid_at_us,
            as_of_us: query.as_of_us,
            ..ClaimFilter::default()
        };
        let mut facts = Vec::new();
        for belief in self.claims(&filter, usize::MAX / 4)?.beliefs {
            let Some(id) = belief.served else { continue };
            let terms = analyzer.terms(&belief.text);
            let shared = question.terms.iter().filter(|term| terms.contains(term)).count();
            let share = shared as f64 / question.terms.len().max(1) as f64;
            let is_sure = match query.mode {
                Mode::Active => belief.confidence >= ACTIVE_CONFIDENCE_MIN,
                Mode::Passive => belief.confidence > PASSIVE_CONFIDENCE && belief.visibility != Visibility::Private,
            };
            if shared == 0 || !is_sure {
                continue;
            }
            let score = fuse(&Weights::LEXICAL, &Signals { lex: share, ..Signals::default() });
            let relevance = Relevance::of(share, belief.confidence, 1.0);
            let band = Band::of(belief.confidence);
            let evidence_us = query.now.as_microsecond();
            facts.push(Fact { id, belief, band, relevance, score, terms: Vec::new(), sources: 1, evidence_us });
        }
        facts.sort_by(|one, other| other.relevance.total.total_cmp(&one.relevance.total));
        facts.truncate(query.limit.min(FACTS_MAX));
        let behind = self.store.head()?.0.saturating_sub(position.0);
        Ok(Facts { question, facts, position, behind })
    }
}
