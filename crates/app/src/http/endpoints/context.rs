//! `POST /api/v1/context`

use engine::private::Viewpoint;
use engine::recall::context::{
    Budget, Count, Receipts, Request as ContextRequest, ToolResult, Turn,
};
use engine::recall::receipts::Recipient;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::{NOT_BLANK, TIME, given};
use super::super::work::{Call, Need};
use crate::failure::{RequestError, within};
use crate::service::context::{AssembledContext, assemble_over};
use crate::service::task_context::{TaskRequest, assemble};

/// Largest budget, tokens.
const BUDGET_MAX: u32 = 1_000_000;
/// Most facts and episodes that memory adds.
const ITEMS_MAX: u32 = 1_000;

/// What the context is for. Nothing private is in it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    given("turns", &json!({ "type": "array", "minItems": 1 })),
    given("question", &json!({ "type": "string", "pattern": NOT_BLANK })),
    given("task", &json!({ "type": "string", "pattern": NOT_BLANK })),
]))]
pub(super) struct Request {
    /// The turns so far, the newest last.
    #[serde(default)]
    turns: Vec<TurnGiven>,
    /// The space; the token's own by default.
    space: Option<String>,
    /// What to look for instead of the last two turns.
    question: Option<String>,
    /// A task, for what to know before deciding about it. Beside it `budget`, the times,
    /// `session_id`, `turn` and `no_receipt` count; turns, question and the rest do not.
    #[schemars(regex(pattern = NOT_BLANK))]
    task: Option<String>,
    /// Results of the agent's own searches.
    #[serde(default)]
    tool_results: Vec<ToolResultGiven>,
    /// The agent's instructions, which fill the budget that is left.
    instructions: Option<String>,
    /// Tokens in all [default: 1500].
    #[schemars(range(max = BUDGET_MAX))]
    budget: Option<u32>,
    /// Most facts that memory adds.
    #[schemars(range(max = ITEMS_MAX))]
    facts: Option<u32>,
    /// Most episodes that memory adds.
    #[schemars(range(max = ITEMS_MAX))]
    episodes: Option<u32>,
    /// Memory as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only facts that are true at this time.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
    /// The agent's conversation.
    session_id: Option<String>,
    /// The number of the turn that the context is for.
    turn: Option<u64>,
    /// Write no receipt.
    #[serde(default)]
    no_receipt: bool,
}

/// A turn.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TurnGiven {
    /// Who said it.
    #[serde(default)]
    speaker: String,
    /// The text.
    text: String,
}

/// The result of a tool.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolResultGiven {
    /// The text.
    text: String,
    /// Its score.
    score: Option<f64>,
}

needs!(Request, |_| Need::Read, |request, session| {
    let asks = request.question.as_ref().is_some_and(|question| !question.trim().is_empty());
    match &request.task {
        Some(task) => drop(TaskRequest::new(task)?),
        None if request.turns.is_empty() && !asks => return Err(RequestError::EmptyTurns.into()),
        None => {}
    }
    request.sizes()?;
    session.times().viewpoint(request.as_of.as_deref(), request.valid_at.as_deref())?;
    Ok(())
});

/// How much a context takes.
struct Sizes {
    tokens: usize,
    facts: usize,
    episodes: usize,
}

impl Request {
    fn sizes(&self) -> Result<Sizes, RequestError> {
        let number = |name, given: Option<u32>, default: usize, max: u32| {
            let given = given.unwrap_or(u32::try_from(default).unwrap_or(max));
            within(name, given, 0, max).map(|number| number as usize)
        };
        Ok(Sizes {
            tokens: number("budget", self.budget, Budget::default().total, BUDGET_MAX)?,
            facts: number("facts", self.facts, Count::FACTS.most, ITEMS_MAX)?,
            episodes: number("episodes", self.episodes, Count::EPISODES.most, ITEMS_MAX)?,
        })
    }
}

pub(super) fn run(call: &mut Call<'_>, asked: Request) -> Result<Value, ApiError> {
    let sizes = asked.sizes()?;
    let times = call.session.times();
    let viewpoint = times.viewpoint(asked.as_of.as_deref(), asked.valid_at.as_deref())?;
    let viewpoint = Viewpoint { disclosure: call.disclosure(), ..viewpoint };
    if let Some(task) = &asked.task {
        return for_task(call, &asked, task, &viewpoint);
    }
    let budget = if asked.budget.is_some() { Budget::of(sizes.tokens) } else { Budget::default() };
    let question = asked.question.filter(|question| !question.trim().is_empty());
    let turns = asked.turns.into_iter().map(|TurnGiven { speaker, text }| Turn { speaker, text });
    let tool_results = asked
        .tool_results
        .into_iter()
        .map(|ToolResultGiven { text, score }| ToolResult { text, score });
    let request = ContextRequest {
        session: asked.session_id,
        turn: asked.turn,
        turns: turns.collect(),
        tool_results: tool_results.collect(),
        question,
        instructions: asked.instructions,
        budget,
        facts: Count::FACTS.up_to(sizes.facts),
        episodes: Count::EPISODES.up_to(sizes.episodes),
        receipt: if asked.no_receipt { Receipts::Omit } else { Receipts::Write },
        viewpoint,
        today: Some(call.session.today()),
        zone: call.session.zone.clone(),
        ..ContextRequest::new(&call.token.name, call.session.now)
    };
    let AssembledContext { context, embedding, .. } =
        call.with_embedders(|session, opened, pool| {
            assemble_over(session, pool, (&mut opened.space, None), request)
        })?;
    let mut answer = serde_json::to_value(&context)?;
    answer["embedder"] = json!({ "model": embedding.model });
    Ok(answer)
}

/// What to know before a decision about a task.
fn for_task(
    call: &mut Call<'_>,
    asked: &Request,
    task: &str,
    viewpoint: &Viewpoint,
) -> Result<Value, ApiError> {
    let agent = call.token.name.clone();
    let reader = Recipient { agent: &agent, session: asked.session_id.as_deref() };
    let request = TaskRequest {
        tokens_max: asked.budget.map(|tokens| tokens as usize),
        as_of_us: viewpoint.as_of_us,
        valid_at_us: viewpoint.valid_at_us,
        reader: (!asked.no_receipt).then_some(reader),
        turn: asked.turn,
        is_alone: true,
        ..TaskRequest::new(task)?
    };
    let context =
        call.with_embedders(|session, opened, pool| assemble(session, pool, opened, &request))?;
    Ok(json!(context))
}
