//! Facts: the beliefs that answer a question, the most relevant first.
//!
//! A fact is an identity with a served claim or correction. The index finds claims and corrections
//! by their words. A version counts only if its identity serves it at the time of the question, so
//! a refuted, replaced or invalidated version is never found until it is served again. The rank is
//! a sum of similarity, confidence and recency, and each part is reported. The weights, the
//! thresholds and the rate of recency come from the design of facts ("Recall, two modes, one
//! machinery").

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use kernel::body::end_us;
use kernel::confidence::Band;
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::snapshot::Snapshot;
use kernel::validity::{State, inputs};
use retrieval::question::Question;
use retrieval::question::ends::both_ends;
use retrieval::rank::lexical::{self, TermCounts};
use retrieval::rank::{Part, Score, Weights};
use retrieval::text::Analyzer;
use retrieval::text::negation::is_decisive;
use serde::Serialize;
use serde_json::{Value, json};
use store::sqlite::{
    FOUND_CONFIDENCE_MIN, ModelNumber, QuestionVector, Search, TermShare, first_after, node_key,
};
use store::{Ledger, Position, StoreError};

use crate::belief::claims;
use crate::belief::{Belief, Beliefs, Bodies};
use crate::graph::VALUES_RAW;
use crate::private::{Disclosure, Privacy};
use crate::recall::past::{Over, StatedTimes, asks_of_past, in_time, is_today};
use crate::{EngineError, Reader};

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
pub const ACTIVE_CONFIDENCE_MIN: f64 = FOUND_CONFIDENCE_MIN;
/// Facts that an agent is shown without a question have a higher confidence than this.
pub const PASSIVE_CONFIDENCE: f64 = 0.5;
/// Least similarity of a fact that is shown where nobody asked for facts alone: more than half of
/// the question, by the weight of its words. One word of two is shared by whatever else is believed
/// of a person.
pub const SIMILARITY_TO_SHOW_MIN: f64 = 0.6;

/// The parts of a score that are meaning.
const MEANING: [&str; 3] = ["window_meaning", "own_meaning", "word_meaning"];

/// How a similarity in meaning becomes a share.
struct MeaningRange {
    /// The value for unrelated texts.
    unrelated: f64,
    /// The value for paraphrases.
    paraphrase: f64,
    /// The least share of the way between both by which a fact without any of the question's words
    /// is found.
    to_find_min: f64,
}

/// Of the mean of `window_meaning` and `word_meaning` by the built-in table, which finds some
/// similarity in any two texts.
const BY_TABLE: MeaningRange = MeaningRange { unrelated: 0.31, paraphrase: 0.81, to_find_min: 0.6 };
/// Of the cosine by another model, on the scale on which unrelated texts have the mean 0.08 and the
/// deviation 0.12 ([`of_unrelated`](retrieval::rank::meaning::Scale::of_unrelated)): two deviations
/// above the mean, and seven and a half. A fact is found from nearly four deviations on, which one
/// unrelated text of twenty thousand reaches.
const BY_MODEL: MeaningRange =
    MeaningRange { unrelated: 0.32, paraphrase: 0.98, to_find_min: 0.35 };

/// How many times the limit are ranked, for those that are more relevant than similar and
/// those that repeat others.
const CANDIDATES_FACTOR: usize = 2;
/// How many are ranked at least.
const CANDIDATES_MIN: usize = 20;
/// Texts that share this part of their words count as duplicates.
const OVERLAP_SAME_MIN: f64 = 0.8;

/// What states a belief.
const SERVED: [Kind; 2] = [Kind::Claim, Kind::ClaimCorrection];

/// Whether an agent searches for facts, or memory adds them to a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A search: all facts that are not deprecated.
    #[default]
    Active,
    /// An addition by memory: facts that are probable, similar to the turns, and not private.
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
    /// What becomes of beliefs whose time is over, and of statements of another time. A filter by
    /// `valid_at_us` decides in its place.
    pub over: Over,
    /// The question as another model than the built-in table understands it, where there is one.
    pub vector: Option<QuestionVector>,
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
            over: Over::default(),
            vector: None,
        }
    }

    /// The time for which it is judged whether a belief is over: `valid_at_us`, `as_of_us`, or now.
    fn over_at_us(&self) -> i64 {
        let current = claims::current_at_us(self.now.as_microsecond(), self.as_of_us);
        self.valid_at_us.unwrap_or(current)
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
    /// The model whose vectors served; none if it was the built-in table's.
    pub model: Option<ModelNumber>,
    /// Claims and corrections that were found and left out, because the file no longer holds them
    /// as they were signed.
    pub altered: Vec<OpId>,
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
    /// Whether its time is over.
    pub is_over: bool,
    /// When that was judged, microseconds since the Unix epoch.
    pub judged_at_us: i64,
    /// How it ranks.
    pub relevance: Relevance,
    /// What its similarity was made from.
    pub score: Score,
    /// What the words part of that consists of.
    pub terms: Vec<TermShare>,
    /// Operations that it was directly built from, each once.
    pub sources: usize,
    /// How late the latest evidence is that it takes into account, microseconds since the Unix
    /// epoch.
    pub evidence_us: i64,
}

impl Fact {
    /// The claim that edges lead to: what is served may be a correction of it.
    pub fn record(&self) -> OpId {
        self.belief.current.unwrap_or(self.id)
    }
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
        let total = SIMILARITY_WEIGHT * similarity
            + CONFIDENCE_WEIGHT * confidence
            + RECENCY_WEIGHT * recency;
        Self { total, similarity, confidence, recency }
    }
}

/// The same in one number for what was said and not concluded, 0 … 1: it has no confidence, and the
/// other two weights fill its place.
pub(crate) fn relevance_of_episode(similarity: f64, recency: f64) -> f64 {
    (SIMILARITY_WEIGHT * similarity + RECENCY_WEIGHT * recency)
        / (SIMILARITY_WEIGHT + RECENCY_WEIGHT)
}

impl Fact {
    /// Whether it says something to the question, rather than sharing a word with it.
    pub fn speaks_to_question(&self) -> bool {
        self.relevance.similarity >= SIMILARITY_TO_SHOW_MIN
    }

    /// A text of it in words that say so if its time is over or yet to begin.
    pub fn in_time(&self, text: &str) -> String {
        in_time(&self.belief, text, self.judged_at_us)
    }
}

/// A fact as the commands print it in JSON: the belief's fields, and how it was found.
pub fn to_json(fact: &Fact) -> Value {
    let mut value = claims::to_json(&fact.belief);
    value["relevance"] = json!(fact.relevance);
    value["score"] = json!(fact.score);
    value["terms"] = json!(fact.terms);
    value["sources"] = json!(fact.sources);
    value["over"] = json!(fact.is_over);
    value["evidence_at"] = Timestamp::from_microsecond(fact.evidence_us)
        .map_or(Value::Null, |at| json!(at.to_string()));
    value
}

impl FactQuery {
    /// When what somebody stated must be true to be found; none if at any time.
    pub(super) fn stated_times(&self, question: &Question) -> Option<StatedTimes> {
        match (self.valid_at_us, self.over) {
            (Some(at_us), _) => Some(StatedTimes::at(at_us)),
            (None, Over::Include) => None,
            (None, Over::IncludeDerived | Over::OnlyIfPast) => {
                let at_us = self.over_at_us();
                Some(StatedTimes::asked(question, &self.text, self.today, at_us))
            }
        }
    }

    /// Whether a belief may be found; `with_over` if also one whose time is over, and was derived.
    fn admits(&self, belief: &Belief, times: Option<&StatedTimes>, with_over: bool) -> bool {
        let is_timely = match claims::is_in_words(belief) {
            true => times.is_none_or(|times| {
                let ends_us = end_us(belief.valid_to.as_ref(), belief.last_seen.as_ref());
                times.admit(claims::begins_us(belief), ends_us)
            }),
            false => with_over || !claims::is_over(belief, self.over_at_us()),
        };
        let is_sure = match self.mode {
            Mode::Active => belief.confidence >= ACTIVE_CONFIDENCE_MIN,
            Mode::Passive => {
                belief.confidence > PASSIVE_CONFIDENCE && belief.visibility != Visibility::Private
            }
        };
        is_sure
            && belief.displaced.is_none()
            && !belief.tags.iter().any(|tag| tag == VALUES_RAW)
            && is_timely
            && self
                .claim_type
                .as_deref()
                .is_none_or(|family| claims::is_of_family(&belief.claim_type, family))
            && self.valid_at_us.is_none_or(|at| claims::is_true_at(belief, at))
            && (self.visibilities.is_empty() || self.visibilities.contains(&belief.visibility))
    }
}

impl Reader<'_> {
    /// The facts that answer a question, as they are believed now or were believed then.
    pub fn recall_facts(&self, query: &FactQuery) -> Result<Facts, EngineError> {
        let text = &*both_ends(&query.text);
        let vector = query.vector.as_ref();
        let found = self.store.search_facts_with(vector, |search, analyzer| {
            let mut question = search.question(text, analyzer, query.today)?;
            // "Today" asks what holds now, and not what was recorded today.
            question.dates.retain(|mention| !is_today(mention, query.today));
            let index = search.ledger_index()?;
            let with_over = query.over != Over::OnlyIfPast
                || query.valid_at_us.is_some()
                || asks_of_past(&question, text, query.today);
            let times = query.stated_times(&question);
            let then = query.as_of_us.map(|until| Snapshot::before(&index, first_after(until)));
            let mut gather = |sought: &Sought<'_>| match &then {
                None => gather(search, analyzer, &index, &index, sought),
                Some(then) => gather(search, analyzer, &index, then, sought),
            };
            let times = times.as_ref();
            let sought = Sought { question: &question, query, times, with_over, in_time: false };
            let mut facts = gather(&sought)?;
            // What holds in a time that the question names need not say so in words.
            if let Some(untimed) = question.without_times().filter(|_| times.is_some()) {
                let sought = Sought { question: &untimed, in_time: true, ..sought };
                facts.extend(gather(&sought)?);
                facts = ranked(facts, query.limit);
            }
            Ok((question, facts, search.has_model()))
        })?;
        let (question, mut facts, has_model) = match found {
            Some(found) => found,
            None => (
                self.store
                    .search(|search, analyzer| search.question(text, analyzer, query.today))?,
                Vec::new(),
                false,
            ),
        };
        let model = vector.filter(|_| has_model).map(|vector| vector.model);
        let altered = self.take_altered(&mut facts, |fact| Some(fact.id))?;
        let position = self.store.fact_position()?;
        let behind = self.store.head()?.0.saturating_sub(position.0);
        Ok(Facts { question, facts, position, behind, model, altered })
    }
}

/// A question and what may answer it.
struct Sought<'a> {
    question: &'a Question,
    query: &'a FactQuery,
    times: Option<&'a StatedTimes>,
    with_over: bool,
    /// Only facts that begin or end, and hold in a time that the question names.
    in_time: bool,
}

/// The facts that a search finds and the query admits, the most relevant first, each said once, as
/// `index` has them. Privacy is judged as of `now`.
fn gather<N: Bodies, B: Bodies>(
    search: &Search<'_>,
    analyzer: &mut Analyzer,
    now: &N,
    index: &B,
    sought: &Sought<'_>,
) -> Result<Vec<Fact>, StoreError> {
    let Sought { question, query, times, with_over, in_time } = *sought;
    let mut privacy = Privacy::of(now);
    let disclosure = match (query.mode, Disclosure::of(&query.visibilities)) {
        (Mode::Active, disclosure) => disclosure,
        (_, Disclosure::Full) => Disclosure::WithoutPrivate,
        (_, disclosure) => disclosure,
    };
    let limit = query.limit.min(FACTS_MAX);
    if limit == 0 {
        return Ok(Vec::new());
    }
    let candidates = limit.saturating_mul(CANDIDATES_FACTOR).max(CANDIDATES_MIN);
    let mut believed: BTreeMap<OpId, Belief> = BTreeMap::new();
    let mut beliefs = Beliefs::of(index);
    let found =
        search.find_served(question, analyzer, query.today, (&SERVED, candidates), |key| {
            // Most of what is found of a long history is served no more.
            if node_key(key).is_some() || !index.may_be_served(key)? {
                return Ok(None);
            }
            let belief = beliefs.get(key)?;
            let is_in_time = !in_time
                || times.is_some_and(|times| {
                    let ends_us = end_us(belief.valid_to.as_ref(), belief.last_seen.as_ref());
                    times.is_bounded_in_named(claims::begins_us(&belief), ends_us)
                });
            let served =
                belief.served.filter(|_| is_in_time && query.admits(&belief, times, with_over));
            if served.is_some() && privacy.is_belief_withheld(&belief, disclosure)? {
                return Ok(None);
            }
            believed.extend(served.map(|id| (id, belief)));
            Ok(served)
        })?;
    let mut facts = Vec::with_capacity(found.len());
    for (id, found) in found {
        let (Some(belief), Some(entry)) = (believed.remove(&id), index.entry(&id)?) else {
            continue;
        };
        let evidence_us = match &belief.valid_at {
            Some(at) if belief.state != State::Corrected => at.instant_us(),
            _ => i64::try_from(entry.ts.0).unwrap_or(i64::MAX),
        };
        let similarity = similarity(&found.score, question);
        if similarity == 0.0 {
            continue;
        }
        let recency = if is_users_word(&belief) { 1.0 } else { recency(evidence_us, query.now) };
        facts.push(Fact {
            id,
            band: Band::of(belief.confidence),
            is_over: claims::is_over(&belief, query.over_at_us()),
            judged_at_us: query.over_at_us(),
            relevance: Relevance::of(similarity, belief.confidence, recency),
            score: found.score,
            terms: found.terms,
            sources: inputs(&entry).collect::<BTreeSet<_>>().len(),
            evidence_us,
            belief,
        });
    }
    let mut facts = ranked(facts, limit);
    for Fact { id, belief, .. } in &mut facts {
        privacy.mark(id, &mut belief.visibility, &mut belief.stated_visibility)?;
    }
    Ok(facts)
}

/// The most relevant first, each fact once as it is the most relevant, and each said once.
fn ranked(mut facts: Vec<Fact>, limit: usize) -> Vec<Fact> {
    facts.sort_by(by_relevance);
    let mut seen = BTreeSet::new();
    facts.retain(|fact| seen.insert(fact.id));
    different(facts, limit)
}

fn by_relevance(one: &Fact, other: &Fact) -> Ordering {
    let by_relevance = other.relevance.total.total_cmp(&one.relevance.total);
    by_relevance.then_with(|| one.belief.key.cmp(&other.belief.key))
}

/// How near a fact is to a question, 0 … 1, by words or by meaning, whichever finds it nearer.
pub(super) fn similarity(score: &Score, question: &Question) -> f64 {
    by_words(score, question).max(by_meaning(score))
}

/// The parts other than meaning, as a share of the most that the question's words, people and times
/// could give.
fn by_words(score: &Score, question: &Question) -> f64 {
    let weights = Weights::FACTS;
    let once = TermCounts { own: 1, ..TermCounts::default() };
    let words = weights.words * lexical::term_strength(once) + weights.own_words;
    let who = match (question.person(), question.subject()) {
        (Some(_), _) => weights.speaker,
        (None, Some(_)) => weights.subject,
        (None, None) => 0.0,
    };
    let date = if question.dates.is_empty() { 0.0 } else { weights.date };
    let when = if question.asks_when { weights.when + weights.time_expression } else { 0.0 };
    // Whom it is about and what kind it is of speaks for nothing that neither a word nor a date
    // speaks for.
    let speaks = |part: &Part| matches!(part.name, "words" | "date") && part.value > 0.0;
    if !score.parts.iter().any(speaks) {
        return 0.0;
    }
    let parts = score.parts.iter().filter(|part| !MEANING.contains(&part.name));
    let sum: f64 = parts.map(|part| part.contribution).sum();
    (sum / (words + who + date + when)).clamp(0.0, 1.0)
}

/// The parts that are meaning, above their value for unrelated texts.
fn by_meaning(score: &Score) -> f64 {
    let value = |name: &str| {
        score.parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.value)
    };
    // By the table, the fact as a whole has no weight beside its window.
    let is_by_model =
        score.parts.iter().any(|part| part.name == "own_meaning" && part.weight > 0.0);
    let (value, range) = match is_by_model {
        true => (value("window_meaning"), BY_MODEL),
        false => ((value("window_meaning") + value("word_meaning")) / 2.0, BY_TABLE),
    };
    let share = (value - range.unrelated) / (range.paraphrase - range.unrelated);
    // Without a word in common, a low one does not count.
    if share < range.to_find_min { 0.0 } else { share.min(1.0) }
}

/// What the user says holds until the user says otherwise, however long ago.
fn is_users_word(belief: &Belief) -> bool {
    belief.state == State::Corrected || belief.deriver.is_none()
}

/// e^(−0.01 · days since the evidence), 0 … 1: 1 for now and the future.
pub(crate) fn recency(evidence_us: i64, now: Timestamp) -> f64 {
    /// Microseconds of a day.
    const DAY_US: f64 = 86_400e6;
    let days = now.as_microsecond().saturating_sub(evidence_us).max(0) as f64 / DAY_US;
    (-RECENCY_RATE * days).exp()
}

/// The best of those that say the same, at most `limit` of them.
fn different(facts: Vec<Fact>, limit: usize) -> Vec<Fact> {
    let mut kept: Vec<(Fact, BTreeSet<String>)> = Vec::new();
    for fact in facts {
        let words = words(&fact.belief.text);
        if !kept.iter().any(|(_, better)| say_the_same(better, &words)) {
            kept.push((fact, words));
        }
        if kept.len() == limit {
            break;
        }
    }
    kept.into_iter().map(|(fact, _)| fact).collect()
}

/// Whether two texts share nearly all their words, and differ neither in a number nor in a denial.
fn say_the_same(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    all > 0
        && shared as f64 >= OVERLAP_SAME_MIN * all as f64
        && !one.symmetric_difference(other).any(|word| is_decisive(word))
}

fn words(text: &str) -> BTreeSet<String> {
    retrieval::shingles::words(text).into_iter().collect()
}
