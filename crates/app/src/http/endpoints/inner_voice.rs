//! `POST /api/v1/inner-voice`

use engine::recall::receipts::Recipient;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::{NOT_BLANK, TIME};
use super::super::work::{Call, Need};
use crate::service::inner_voice::{
    AskRequest, SaveBy, SourceKind, SpaceInView, StagingOptions, ask_spaces, to_json,
};
use crate::service::model_request::Answerer;
use crate::service::tokens::Right;

/// A question that is answered in sentences, each with its sources.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The question.
    #[schemars(regex(pattern = NOT_BLANK))]
    content: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// How many sources at most, clamped to 1 to 50 [default: 5].
    top_k: Option<i64>,
    /// Least chance, 0 to 1, that a source answers [default: 0.5].
    #[schemars(range(min = 0.0, max = 1.0))]
    sim_thresh: Option<f64>,
    /// What is searched [default: everything].
    #[serde(default)]
    sources: Vec<SourceKind>,
    /// Also take answers that were kept before, summaries of checkpoints and traces of why as
    /// sources.
    #[serde(default)]
    include_summaries: bool,
    /// Keep the answer as a summary that cites its sources [default: true, where the token may
    /// append].
    save: Option<bool>,
    /// Stage entities and relations that the sources name, for the person's review; needs `derive`.
    #[serde(default)]
    stage_kg: bool,
    /// Least confidence of what is staged [default: 0.6].
    #[schemars(range(min = 0.0, max = 1.0))]
    confidence_min: Option<f64>,
    /// Most entities that are staged, clamped to 0 to 500 [default: 30].
    max_nodes: Option<i64>,
    /// Most relations that are staged, clamped to 0 to 500 [default: 60].
    max_edges: Option<i64>,
    /// Mark the sources for removal if something was staged from them.
    auto_mark_removal: Option<bool>,
    /// As of this time of recording; the answer is not kept.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Only facts that are true at this time; the answer is not kept.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
    /// The conversation, for the receipt.
    session_id: Option<String>,
}

needs!(
    Request,
    |request| match request.save {
        _ if request.stage_kg => Need::Write(Right::Derive),
        Some(true) => Need::Write(Right::Append),
        Some(false) => Need::Read,
        None => Need::WriteIfPermitted,
    },
    |request, session| {
        AskRequest::new(&request.content, request.top_k, request.sim_thresh)?;
        request.options().request(SaveBy::Handle)?;
        session.times().recorded_us(request.as_of.as_deref())?;
        session.times().start_if_given_us(request.valid_at.as_deref())?;
        Ok(())
    }
);

impl Request {
    fn options(&self) -> StagingOptions {
        StagingOptions {
            confidence_min: self.confidence_min,
            max_nodes: self.max_nodes,
            max_edges: self.max_edges,
            auto_mark_removal: self.auto_mark_removal,
        }
    }
}

pub(super) fn run(call: &mut Call<'_>, asked: Request) -> Result<Value, ApiError> {
    let times = call.session.times();
    let agent = call.token.name.clone();
    let staging = match asked.stage_kg {
        true => Some(asked.options().request(SaveBy::Handle)?),
        false => None,
    };
    let request = AskRequest {
        staging,
        kinds: asked.sources,
        include_summaries: asked.include_summaries,
        as_of_us: times.recorded_us(asked.as_of.as_deref())?,
        valid_at_us: times.start_if_given_us(asked.valid_at.as_deref())?,
        reader: Some(Recipient { agent: &agent, session: asked.session_id.as_deref() }),
        ..AskRequest::new(&asked.content, asked.top_k, asked.sim_thresh)?
    };
    let save = asked.save.unwrap_or(true).then(|| match call.grant.has(Right::Append) {
        true => SaveBy::Handle,
        false => SaveBy::NoKey,
    });
    let disclosure = call.disclosure();
    let answer = call.with_embedders(|session, opened, pool| {
        let scope = session.scope_of(opened);
        let mut spaces = [SpaceInView { opened, scope, disclosure }];
        ask_spaces(session, pool, &mut spaces, &request, Answerer::Rules, save)
    })?;
    let mut value = to_json(&answer);
    value["receipts"] = serde_json::json!(answer.receipts);
    Ok(value)
}
