//! `POST /api/v1/why`

use engine::why::{CANDIDATES, CANDIDATES_MAX, DEPTH, NODES, NODES_MAX, WhyLimits};
use engine::write::import::Intent;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::TIME;
use super::super::work::{Call, Need};
use crate::failure::within;
use crate::service::Session;
use crate::service::tokens::Right;
use crate::service::why::{self as service, LAST, Storing};

/// Most steps from the target.
const DEPTH_MAX: u32 = 1_000;

/// What to account for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// `last` for the newest decision or action, an id or the beginning of one, or the key of a
    /// belief.
    name: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// As of this time of recording; nothing is stored.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Judge what is true in the world at this time; nothing is stored.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
    /// Only records from this time of recording on.
    #[schemars(regex(pattern = TIME))]
    since: Option<String>,
    /// How many candidates.
    #[schemars(range(min = 1, max = CANDIDATES_MAX))]
    top_k: Option<u32>,
    /// How many steps from the target.
    #[schemars(range(min = 1, max = DEPTH_MAX))]
    depth: Option<u32>,
    /// How many records are walked.
    #[schemars(range(min = 1, max = NODES_MAX))]
    max_nodes: Option<u32>,
    /// Store the answer in the space, which needs the right to append.
    #[serde(default)]
    store: bool,
}

const NEED: fn(&Request) -> Need = |request| match request.store {
    true => Need::Write(Right::Append),
    false => Need::Read,
};

needs!(Request, NEED, |request, session| request.limits(session).map(drop));

impl Request {
    fn limits(&self, session: &Session) -> Result<WhyLimits, ApiError> {
        let number = |name, given: Option<u32>, default: usize, max: usize| {
            let max = u32::try_from(max).unwrap_or(u32::MAX);
            within(name, given.unwrap_or(u32::try_from(default).unwrap_or(max)), 1, max)
                .map(|number| number as usize)
        };
        let times = session.times();
        Ok(WhyLimits {
            top_k: number("top_k", self.top_k, CANDIDATES, CANDIDATES_MAX)?,
            depth: number("depth", self.depth, DEPTH, DEPTH_MAX as usize)?,
            nodes: number("max_nodes", self.max_nodes, NODES, NODES_MAX)?,
            since_us: times.recorded_us(self.since.as_deref())?,
            as_of_us: service::past(session, times.recorded_us(self.as_of.as_deref())?),
            valid_at_us: times.start_if_given_us(self.valid_at.as_deref())?,
            ..WhyLimits::new(session.now)
        })
    }
}

pub(super) fn run(call: &mut Call<'_>, asked: Request) -> Result<Value, ApiError> {
    let limits = WhyLimits { disclosure: call.disclosure(), ..asked.limits(&call.session)? };
    let name = match asked.name.as_str() {
        LAST => LAST.to_owned(),
        name => call.belief(name)?,
    };
    let Some(target) = service::target(call.opened, &name, &limits)? else {
        return Err(ApiError::new(
            axum::http::StatusCode::NOT_FOUND,
            "UNKNOWN_ID",
            "no decision or action is recorded",
        ));
    };
    let why = call.opened.why(&target, &limits)?;
    let mut answer = serde_json::to_value(&why)?;
    let intent = if asked.store { Intent::Write } else { Intent::DryRun };
    match service::store(call.opened, &call.session, &why, &limits, intent)? {
        Storing::Stored(stored) => answer["stored"] = json!(stored),
        Storing::NotStored(reason) => answer["not_stored"] = json!(reason),
    }
    Ok(answer)
}
