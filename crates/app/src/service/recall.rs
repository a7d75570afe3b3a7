//! Answering a question from one space or several, with facts and records.
//!
//! Each space is searched by itself. The answers are then merged by score, which has the same scale
//! in all spaces, and a result found in several copies of a space is shown once. The receipt of a
//! result is written in the space that the result is from.

use std::collections::{BTreeMap, BTreeSet};

use engine::Space;
use engine::belief::claims::current_at_us;
use engine::graph::{RecordKey, Subgraph, SubgraphLimits};
use engine::private::{Disclosure, Viewpoint};
use engine::recall::answering::judge;
use engine::recall::episodes::{Query, Recall, Recollection};
use engine::recall::facts::{FACTS_MAX, Fact, FactQuery, Facts};
use engine::recall::nodes::{FoundNode, FoundNodes};
use engine::recall::past::Over;
use engine::recall::receipts::{Recalled, Recipient};
use engine::recall::replaced::in_order_of_change;
use engine::thought::recall::FoundThought;
use kernel::evidence::Visibility;
use kernel::id::{OpId, ReceiptId};
use kernel::kind::Kind;
use retrieval::question::Question;
use retrieval::rank::answering::AnswerModels;
use store::sqlite::Filter;

use super::Session;
use super::disclosure;
use super::effective::{drop_hidden, is_replaced_setting, kinds_of_home};
use super::query_embedding::{EmbedderPool, QueryEmbedding};
use crate::failure::{Failure, RequestError};

/// What to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchScope {
    /// Beliefs.
    Facts,
    /// Records: turns, notes, events.
    Episodes,
    /// Both.
    Both,
    /// Decisions, actions, summaries, entities.
    Nodes,
}

/// When receipts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReceiptPolicy {
    /// In every space that was searched, even if nothing was found.
    Always,
    /// In the spaces with results.
    WhereShown,
}

/// A question and the options of its answer.
pub(crate) struct RecallRequest<'a> {
    /// The question; [`Self::new`] refuses an empty one.
    pub(crate) question: String,
    /// What to search.
    pub(crate) scope: SearchScope,
    /// Most results of each kind.
    pub(crate) limit: usize,
    /// Most facts where records are searched too.
    pub(crate) facts_beside_max: usize,
    /// The filter of records, which applies to facts as far as it can.
    pub(crate) filter: Filter,
    /// Only facts that are true at this time.
    pub(crate) valid_at_us: Option<i64>,
    /// Records to show before and after each.
    pub(crate) neighbours: u32,
    /// What becomes of facts whose time is over, and of statements of another time.
    pub(crate) over: Over,
    /// Whether what is around facts and nodes is found, too.
    pub(crate) with_graph: bool,
    /// Whether the chance that each record answers is estimated, too.
    pub(crate) with_chances: bool,
    /// The agent for whom receipts are written.
    pub(crate) reader: Option<(Recipient<'a>, ReceiptPolicy)>,
}

/// The answer.
pub(crate) struct RecallAnswer {
    /// The sources that were searched.
    pub(crate) scope: SearchScope,
    /// How the question was understood; none if no space was searched.
    pub(crate) question: Option<Question>,
    /// Facts, the most relevant first.
    pub(crate) facts: Vec<Found<Fact>>,
    /// Nodes, the nearest first.
    pub(crate) nodes: Vec<Found<FoundNode>>,
    /// Thoughts, the nearest first.
    pub(crate) thoughts: Vec<Found<FoundThought>>,
    /// What is around facts, nodes and thoughts, for each space in which any were found.
    pub(crate) graphs: Vec<Found<Subgraph>>,
    /// Records, the best first.
    pub(crate) episodes: Vec<Found<Recollection>>,
    /// The chance that each record answers, if it was asked for.
    pub(crate) chances: BTreeMap<OpId, f64>,
    /// The estimated probability that a record answers, 0 to 1: the highest of all spaces.
    pub(crate) relevance: f64,
    /// Operations that are not indexed yet.
    pub(crate) behind: u64,
    /// The model that embedded the question; of several spaces, that of one in which the chosen
    /// model failed. None if no space was searched.
    pub(crate) embedding: Option<QueryEmbedding>,
    /// Operations that were found and left out, because the file no longer holds them as they were
    /// signed.
    pub(crate) altered: Vec<OpId>,
    /// Requested kinds that no record has, if nothing was found.
    pub(crate) unknown_kinds: Vec<String>,
    /// The kinds of the records in the spaces where nothing was found.
    pub(crate) known_kinds: BTreeSet<String>,
    /// The receipts of the results.
    pub(crate) receipts: Vec<ReceiptId>,
    /// The number of receipts that could not be written.
    pub(crate) receipts_missing: usize,
}

/// A space, and what is shown of it.
pub(crate) struct SearchedSpace<'a> {
    pub(crate) space: &'a mut Space,
    pub(crate) disclosure: Disclosure,
    /// What is taken of it if it is the home space under the first one: kinds of records, `claim`
    /// and `node`.
    pub(crate) under_first: Option<Vec<String>>,
}

impl<'a> SearchedSpace<'a> {
    /// A space that is searched for itself.
    pub(crate) fn new(space: &'a mut Space, disclosure: Disclosure) -> Self {
        Self { space, disclosure, under_first: None }
    }

    /// The home space under the first one.
    pub(crate) fn under_first(session: &Session, space: &'a mut Space) -> Result<Self, Failure> {
        let kinds = kinds_of_home(session, space)?;
        Ok(Self { space, disclosure: Disclosure::GlobalOnly, under_first: Some(kinds) })
    }

    fn gives(&self, kind: &Kind) -> bool {
        self.under_first.as_ref().is_none_or(|kinds| kinds.iter().any(|of| of == kind.as_str()))
    }

    /// The kinds of records that are taken of it, all if empty; none if nothing is.
    fn kinds(&self, asked: &[String]) -> Option<Vec<String>> {
        let Some(given) = &self.under_first else { return Some(asked.to_vec()) };
        let given = given
            .iter()
            .filter(|kind| ![Kind::Claim, Kind::Node].iter().any(|of| of.as_str() == *kind));
        let kinds: Vec<String> =
            given.filter(|kind| asked.is_empty() || asked.contains(kind)).cloned().collect();
        (!kinds.is_empty()).then_some(kinds)
    }
}

/// A result and the index of its space.
pub(crate) struct Found<T> {
    pub(crate) space: usize,
    pub(crate) item: T,
}

impl RecallRequest<'_> {
    /// A question searched for in facts and records; an empty one is refused.
    pub(crate) fn new(question: &str, limit: usize) -> Result<Self, RequestError> {
        if question.trim().is_empty() {
            return Err(RequestError::EmptyQuestion);
        }
        Ok(Self {
            question: question.to_owned(),
            scope: SearchScope::Both,
            limit,
            facts_beside_max: limit,
            filter: Filter::default(),
            valid_at_us: None,
            neighbours: 0,
            over: Over::IncludeDerived,
            with_graph: false,
            with_chances: false,
            reader: None,
        })
    }

    /// When what is found must be true; none if what is over is found too.
    fn current_at_us(&self, session: &Session) -> Option<i64> {
        (self.over != Over::Include)
            .then(|| current_at_us(session.now.as_microsecond(), self.filter.as_of_us))
    }

    fn fact_query(&self, session: &Session, visibilities: &[Visibility]) -> FactQuery {
        FactQuery {
            limit: self.limit,
            today: Some(session.today()),
            as_of_us: self.filter.as_of_us,
            valid_at_us: self.valid_at_us,
            visibilities: visibilities.to_vec(),
            over: self.over,
            ..FactQuery::new(self.question.clone(), session.now)
        }
    }

    fn query(&self, session: &Session, kinds: Vec<String>, visibilities: &[Visibility]) -> Query {
        let visibilities = visibilities.to_vec();
        Query {
            filter: Filter { kinds, visibilities, ..self.filter.clone() },
            valid_at_us: self.valid_at_us,
            current_at_us: self.current_at_us(session),
            neighbours: self.neighbours,
            today: Some(session.today()),
            ..Query::new(self.question.clone(), self.limit)
        }
    }
}

impl SearchScope {
    /// The default of what to search: a request that filters by kind or time looks for records.
    pub(crate) fn implied_by(filter: &Filter) -> Self {
        let picks_records = !filter.kinds.is_empty()
            || !filter.paths.is_empty()
            || filter.since_us.is_some()
            || filter.until_us.is_some();
        if picks_records { Self::Episodes } else { Self::Both }
    }

    /// Whether beliefs are searched.
    pub(crate) fn has_facts(self) -> bool {
        matches!(self, Self::Facts | Self::Both)
    }

    /// Whether records are searched.
    pub(crate) fn has_records(self) -> bool {
        matches!(self, Self::Episodes | Self::Both)
    }
}

impl RecallAnswer {
    /// An empty answer.
    pub(crate) fn empty(scope: SearchScope) -> Self {
        Self {
            scope,
            question: None,
            facts: Vec::new(),
            nodes: Vec::new(),
            thoughts: Vec::new(),
            graphs: Vec::new(),
            episodes: Vec::new(),
            chances: BTreeMap::new(),
            relevance: 0.0,
            behind: 0,
            embedding: None,
            altered: Vec::new(),
            unknown_kinds: Vec::new(),
            known_kinds: BTreeSet::new(),
            receipts: Vec::new(),
            receipts_missing: 0,
        }
    }

    /// Adds the facts of one space.
    fn add_facts(&mut self, space: usize, found: Facts) {
        self.altered.extend(found.altered);
        self.facts.extend(found.facts.into_iter().map(|item| Found { space, item }));
        // Where records are searched too, their search comes last and supplies these for both.
        if self.scope == SearchScope::Facts {
            self.question.get_or_insert(found.question);
            self.behind += found.behind;
        }
    }

    /// Adds the records of one space.
    fn add_episodes(&mut self, space: usize, found: Recall) {
        self.altered.extend(found.altered);
        self.episodes.extend(found.results.into_iter().map(|item| Found { space, item }));
        self.relevance = self.relevance.max(found.relevance);
        self.behind += found.behind;
        self.question.get_or_insert(found.question);
    }

    /// Notes which model embedded the question for one space.
    fn add_embedding(&mut self, embedding: QueryEmbedding) {
        if self.embedding.as_ref().is_none_or(|before| before.error.is_none()) {
            self.embedding = Some(embedding);
        }
    }

    /// True if the records are only the nearest: none is likely to be an answer.
    pub(crate) fn abstains(&self, relevance_min: f64) -> bool {
        self.scope.has_records() && self.relevance < relevance_min
    }
}

/// Answers a question from `spaces`, each as far as it is disclosed.
pub(crate) fn recall(
    session: &Session,
    pool: &mut EmbedderPool,
    spaces: &mut [SearchedSpace<'_>],
    request: &RecallRequest<'_>,
) -> Result<RecallAnswer, Failure> {
    let mut answer = RecallAnswer::empty(request.scope);
    for place in 0..spaces.len() {
        let (before, from) = spaces.split_at_mut(place);
        let Some(searched) = from.first_mut() else { continue };
        let asked = &request.filter.visibilities;
        let Some(visibilities) = disclosure::visibilities(asked, searched.disclosure) else {
            continue;
        };
        let kinds = searched.kinds(&request.filter.kinds);
        let (gives_claims, gives_nodes) =
            (searched.gives(&Kind::Claim), searched.gives(&Kind::Node));
        let is_under = searched.under_first.is_some();
        let over = before.first().filter(|_| is_under).map(|first| &*first.space);
        let space = &mut *searched.space;
        let mut embedding = pool.embed(session, space, &request.question)?;
        let facts = FactQuery {
            vector: embedding.fact_vector(),
            ..request.fact_query(session, &visibilities)
        };
        let mut model = None;
        if request.scope == SearchScope::Nodes && gives_nodes {
            let found = nodes_under(over, space, facts.clone())?;
            model = model.or(found.model);
            let nodes = found.nodes.into_iter();
            answer.nodes.extend(nodes.map(|item| Found { space: place, item }));
        }
        if request.scope == SearchScope::Nodes {
            let found =
                space.reader()?.recall_thoughts(&request.fact_query(session, &visibilities))?;
            answer.thoughts.extend(found.into_iter().map(|item| Found { space: place, item }));
        }
        if request.scope.has_facts() && gives_claims {
            let found = facts_under(session, over, space, facts)?;
            model = model.or(found.model);
            answer.add_facts(place, found);
        }
        if let Some(kinds) = kinds.filter(|_| request.scope.has_records()) {
            let vector = embedding.vector();
            let query = Query { vector, ..request.query(session, kinds, &visibilities) };
            let mut found = space.recall_with_newer(&query)?;
            let (disclosure, as_of_us) = (searched.disclosure, request.filter.as_of_us);
            let viewpoint = Viewpoint { disclosure, as_of_us, ..Viewpoint::default() };
            space.mark_overruled(&mut found.results, viewpoint)?;
            if request.with_chances {
                in_order_of_change(&mut found.results, &request.question, |result| {
                    (result.id, &result.replaces)
                });
                let ids: Vec<OpId> = found.results.iter().map(|result| result.id).collect();
                let judged = judge(&found);
                answer.chances.extend(ids.into_iter().zip(judged.chances(&AnswerModels::BUILT_IN)));
            }
            model = model.or(found.model);
            if found.results.is_empty() && !request.filter.kinds.is_empty() && !is_under {
                answer.known_kinds.extend(space.evidence_by_kind()?.into_keys());
            }
            answer.add_episodes(place, found);
        }
        embedding.served_by(model);
        answer.add_embedding(embedding);
    }
    rank(&mut answer, request);
    if request.with_graph {
        for (place, SearchedSpace { space, disclosure, .. }) in spaces.iter().enumerate() {
            answer.graphs.extend(graph_around(
                space,
                place,
                *disclosure,
                request,
                session,
                &answer,
            )?);
        }
    }
    if let Some((reader, policy)) = &request.reader {
        write_receipts(session, spaces, request, reader, *policy, &mut answer)?;
    }
    Ok(answer)
}

/// What is around the facts and nodes that were found in a space; none if none were.
fn graph_around(
    space: &Space,
    place: usize,
    disclosure: Disclosure,
    request: &RecallRequest<'_>,
    session: &Session,
    answer: &RecallAnswer,
) -> Result<Option<Found<Subgraph>>, Failure> {
    let facts = answer.facts.iter().filter(|found| found.space == place);
    let nodes = answer.nodes.iter().filter(|found| found.space == place);
    let thoughts = answer.thoughts.iter().filter(|found| found.space == place);
    let roots: Vec<OpId> = facts
        .map(|found| found.item.record())
        .chain(nodes.map(|found| found.item.record.id))
        .chain(thoughts.map(|found| found.item.thought.id))
        .collect();
    if roots.is_empty() {
        return Ok(None);
    }
    let limits = SubgraphLimits {
        as_of_us: request.filter.as_of_us,
        valid_at_us: request.valid_at_us.or(request.current_at_us(session)),
        disclosure,
        ..SubgraphLimits::default()
    };
    Ok(Some(Found { space: place, item: space.subgraph(&roots, &limits)? }))
}

/// The facts of a space, without those that the space over it has in its own words.
fn facts_under(
    session: &Session,
    over: Option<&Space>,
    space: &Space,
    query: FactQuery,
) -> Result<Facts, Failure> {
    let as_of_us = query.as_of_us;
    let key = |fact: &Fact| RecordKey::of_belief(&fact.belief);
    let (facts, found) = unhidden(over, query, key, |query| {
        let mut found = space.recall_facts(query)?;
        Ok((std::mem::take(&mut found.facts), found))
    })?;
    let mut shown = Vec::with_capacity(facts.len());
    for fact in facts {
        let is_replaced = match over {
            Some(over) => is_replaced_setting(session, over, &fact.belief.tags, as_of_us)?,
            None => false,
        };
        if !is_replaced {
            shown.push(fact);
        }
    }
    Ok(Facts { facts: shown, ..found })
}

/// The nodes of a space, likewise.
fn nodes_under(
    over: Option<&Space>,
    space: &Space,
    query: FactQuery,
) -> Result<FoundNodes, Failure> {
    let key = |node: &FoundNode| RecordKey::of_record(&node.record);
    let (nodes, found) = unhidden(over, query, key, |query| {
        let mut found = space.search_nodes(query)?;
        Ok((std::mem::take(&mut found.nodes), found))
    })?;
    Ok(FoundNodes { nodes, ..found })
}

/// What a search finds and the space over the searched one does not hide, as much as was asked for;
/// and what else the search says.
fn unhidden<T, R>(
    over: Option<&Space>,
    mut query: FactQuery,
    key: impl Fn(&T) -> RecordKey,
    search: impl Fn(&FactQuery) -> Result<(Vec<T>, R), Failure>,
) -> Result<(Vec<T>, R), Failure> {
    let limit = query.limit;
    loop {
        let (mut found, rest) = search(&query)?;
        let Some(over) = over else { return Ok((found, rest)) };
        let is_all = found.len() < query.limit || query.limit >= FACTS_MAX;
        drop_hidden(over, &mut found, &key, query.as_of_us)?;
        if is_all || found.len() >= limit {
            found.truncate(limit);
            return Ok((found, rest));
        }
        query.limit = query.limit.saturating_mul(2).min(FACTS_MAX);
    }
}

/// Sorts the results of all spaces and keeps the best.
fn rank(answer: &mut RecallAnswer, request: &RecallRequest<'_>) {
    let mut facts_max = request.limit;
    if request.scope == SearchScope::Both {
        // Beside records, a fact that shares only a word with the question distracts.
        answer.facts.retain(|found| found.item.speaks_to_question());
        facts_max = request.facts_beside_max;
    }
    keep_best(&mut answer.facts, facts_max, |fact| (fact.id, fact.relevance.total));
    keep_best(&mut answer.nodes, request.limit, |node| (node.record.id, node.similarity));
    keep_best(&mut answer.thoughts, request.limit, |found| (found.thought.id, found.score));
    keep_best(&mut answer.episodes, usize::MAX, |episode| (episode.id, episode.score.total));
    answer.episodes.sort_by_key(|found| !found.item.named);
    in_order_of_change(&mut answer.episodes, &request.question, |found| {
        (found.item.id, &found.item.replaces)
    });
    answer.episodes.truncate(request.limit);
    if answer.episodes.is_empty() {
        let kinds = request.filter.kinds.iter();
        answer.unknown_kinds =
            kinds.filter(|kind| !answer.known_kinds.contains(*kind)).cloned().collect();
    }
}

/// Sorts by score, the best first; within a space the engine's order is kept. A result in several
/// copies of one space is kept once.
fn keep_best<T>(
    results: &mut Vec<Found<T>>,
    limit: usize,
    id_and_score: impl Fn(&T) -> (OpId, f64),
) {
    results
        .sort_by(|left, right| id_and_score(&right.item).1.total_cmp(&id_and_score(&left.item).1));
    let mut seen = BTreeSet::new();
    results.retain(|found| seen.insert(id_and_score(&found.item).0));
    results.truncate(limit);
}

fn write_receipts(
    session: &Session,
    spaces: &mut [SearchedSpace<'_>],
    request: &RecallRequest<'_>,
    reader: &Recipient<'_>,
    policy: ReceiptPolicy,
    answer: &mut RecallAnswer,
) -> Result<(), Failure> {
    for (place, searched) in spaces.iter_mut().enumerate() {
        let SearchedSpace { space, under_first, .. } = searched;
        let facts: Vec<Fact> = from(place, &answer.facts);
        let records: Vec<Recollection> = from(place, &answer.episodes);
        let only_shown = policy == ReceiptPolicy::WhereShown || under_first.is_some();
        if only_shown && facts.is_empty() && records.is_empty() {
            continue;
        }
        let shown = Recalled { query: &request.question, facts: &facts, records: &records };
        match space.receipt_of_recall(reader, &shown, session.now)? {
            Some(receipt) => answer.receipts.push(receipt),
            None => answer.receipts_missing += 1,
        }
    }
    Ok(())
}

/// Gives the journal of a space the limits of the configuration. One that cannot be read is
/// reported by whatever needs it to answer; the journal then has the defaults.
pub(crate) fn limit_journal(session: &Session, space: &Space) {
    if let Ok(configuration) = session.configuration(Some(space.path())) {
        space.set_journal_limits(configuration.journal_limits());
    }
}

/// The results of one space.
fn from<T: Clone>(place: usize, results: &[Found<T>]) -> Vec<T> {
    let results = results.iter().filter(|found| found.space == place);
    results.map(|found| found.item.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(space: usize, id: u8, score: f64) -> Found<(OpId, f64)> {
        Found { space, item: (OpId([id; 32]), score) }
    }

    #[test]
    fn results_of_several_spaces_are_merged_by_score_and_copies_are_kept_once() {
        let mut results =
            vec![found(0, 1, 0.9), found(0, 2, 0.4), found(1, 1, 0.9), found(1, 3, 0.7)];
        keep_best(&mut results, 3, |item| *item);
        let kept: Vec<(usize, u8)> =
            results.iter().map(|found| (found.space, found.item.0.0[0])).collect();
        assert_eq!(kept, [(0, 1), (1, 3), (0, 2)]);
        keep_best(&mut results, 1, |item| *item);
        assert_eq!(results.len(), 1);
    }

    #[test]
    fn whoever_picks_records_searches_records_alone() {
        let check = |filter: Filter, scope| assert_eq!(SearchScope::implied_by(&filter), scope);
        check(Filter::default(), SearchScope::Both);
        check(Filter { since_us: Some(0), ..Filter::default() }, SearchScope::Episodes);
        check(
            Filter { kinds: vec!["turn".to_owned()], ..Filter::default() },
            SearchScope::Episodes,
        );
        check(Filter { as_of_us: Some(0), ..Filter::default() }, SearchScope::Both);
    }
}
