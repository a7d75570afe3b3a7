//! `POST /api/v1/recall`

use engine::recall::past::Over;
use engine::recall::receipts::Recipient;
use retrieval::rank::relevance::RELEVANCE_MIN;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::sqlite::Filter;

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::{NOT_BLANK, TIME};
use super::super::work::{Call, Need};
use crate::failure::{RequestError, within};
use crate::service::Session;
use crate::service::query_embedding::QueryEmbedding;
use crate::service::recall::{
    RecallAnswer, RecallRequest, ReceiptPolicy, SearchScope, SearchedSpace, recall,
};
use crate::service::thoughts::answer::found_to_json;

/// Results by default, and at most.
const LIMIT: u32 = 10;
const LIMIT_MAX: u32 = 100;
/// Most records shown beside a record.
const AROUND_MAX: u32 = 10;

/// A question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The question, or words to look for.
    #[schemars(regex(pattern = NOT_BLANK))]
    question: String,
    /// The space; the token's own by default.
    pub(super) space: Option<String>,
    /// Most results of each kind, 1 to 100 [default: 10].
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: Option<u32>,
    /// What to search [default: both; records only with `kinds`, `paths`, `since` or `until`].
    search: Option<Search>,
    /// Only records of these kinds.
    #[serde(default)]
    kinds: Vec<String>,
    /// Only commits that changed one of these files or folders.
    #[serde(default)]
    paths: Vec<String>,
    /// Only what happened at this time or later.
    #[schemars(regex(pattern = TIME))]
    since: Option<String>,
    /// Only what happened before this time.
    #[schemars(regex(pattern = TIME))]
    until: Option<String>,
    /// Memory as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only facts that are true at this time.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
    /// Records to show before and after each, 0 to 10.
    #[schemars(range(max = AROUND_MAX))]
    around: Option<u32>,
    /// Also what is around the facts and nodes found.
    #[serde(default)]
    graph: bool,
    /// The conversation, for the receipt.
    session_id: Option<String>,
}

/// What is searched.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Search {
    Facts,
    Episodes,
    Both,
    Nodes,
}

impl From<Search> for SearchScope {
    fn from(search: Search) -> Self {
        match search {
            Search::Facts => Self::Facts,
            Search::Episodes => Self::Episodes,
            Search::Both => Self::Both,
            Search::Nodes => Self::Nodes,
        }
    }
}

needs!(Request, |_| Need::Read, |request, session| {
    if request.question.trim().is_empty() {
        return Err(RequestError::EmptyQuestion.into());
    }
    within("limit", request.limit.unwrap_or(LIMIT), 1, LIMIT_MAX)?;
    request.filter(session)?;
    session.times().start_if_given_us(request.valid_at.as_deref())?;
    within("around", request.around.unwrap_or_default(), 0, AROUND_MAX)?;
    Ok(())
});

impl Request {
    fn filter(&self, session: &Session) -> Result<Filter, RequestError> {
        let times = session.times();
        let (since_us, until_us) = times.window_us(self.since.as_deref(), self.until.as_deref())?;
        Ok(Filter {
            kinds: self.kinds.clone(),
            paths: self.paths.clone(),
            since_us,
            until_us,
            as_of_us: times.recorded_us(self.as_of.as_deref())?,
            visibilities: Vec::new(),
        })
    }
}

pub(super) fn run(call: &mut Call<'_>, asked: Request) -> Result<Value, ApiError> {
    let limit = asked.limit.unwrap_or(LIMIT) as usize;
    let neighbours = asked.around.unwrap_or_default();
    let times = call.session.times();
    let filter = asked.filter(&call.session)?;
    let is_past = filter.until_us.is_some_and(|until| until <= call.session.now.as_microsecond());
    let session_id = asked.session_id;
    let reader = Recipient { agent: &call.token.name, session: session_id.as_deref() };
    let request = RecallRequest {
        scope: asked.search.map_or_else(|| SearchScope::implied_by(&filter), SearchScope::from),
        valid_at_us: times.start_if_given_us(asked.valid_at.as_deref())?,
        filter,
        neighbours,
        over: if is_past { Over::Include } else { Over::OnlyIfPast },
        with_graph: asked.graph,
        reader: Some((reader, ReceiptPolicy::WhereShown)),
        ..RecallRequest::new(&asked.question, limit)?
    };
    let disclosure = call.disclosure();
    let answer = call.with_embedders(|session, opened, pool| {
        let searched = SearchedSpace::new(&mut opened.space, disclosure);
        recall(session, pool, &mut [searched], &request)
    })?;
    Ok(to_json(&answer))
}

/// The model that embedded a question. What its error says concerns the server alone.
pub(super) fn embedder_json(embedding: &QueryEmbedding) -> Value {
    let error = embedding.error.as_ref();
    let error = error.map(|error| json!({ "code": error.code() }));
    json!({ "model": embedding.model, "error": error })
}

fn to_json(answer: &RecallAnswer) -> Value {
    let facts = answer.facts.iter().map(|found| engine::recall::facts::to_json(&found.item));
    let nodes = answer.nodes.iter().map(|found| {
        let mut value = json!(found.item.record);
        value["similarity"] = json!(found.item.similarity);
        value["score"] = json!(found.item.score);
        value
    });
    let embedder = answer.embedding.as_ref().map(embedder_json);
    let thoughts = answer.thoughts.iter().map(|found| found_to_json(&found.item));
    json!({
        "question": answer.question,
        "facts": facts.collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
        "thoughts": thoughts.collect::<Vec<_>>(),
        "graphs": answer.graphs.iter().map(|found| &found.item).collect::<Vec<_>>(),
        "results": answer.episodes.iter().map(|found| &found.item).collect::<Vec<_>>(),
        "relevance": answer.relevance,
        "abstains": answer.abstains(RELEVANCE_MIN),
        "behind": answer.behind,
        "altered": answer.altered,
        "embedder": embedder,
        "receipts": answer.receipts,
    })
}
