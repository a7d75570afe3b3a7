//! `POST /api/v1/explain` and `GET /api/v1/claims`

use engine::EngineError;
use engine::belief::claims::{ClaimFilter, States, is_true_at, to_json};
use engine::belief::lineage::Lineage;
use engine::private::Viewpoint;
use kernel::confidence::Band;
use kernel::id::OpId;
use kernel::records::RecordStatus;
use kernel::validity::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::endpoint::needs;
use super::super::error::ApiError;
use super::super::schema::{TIME, pattern_of};
use super::super::work::{Call, Need};
use crate::failure::{RequestError, within};
use crate::service::Session;
use crate::service::types;

/// Beliefs by default, and at most.
const LIMIT: u32 = 100;
const LIMIT_MAX: u32 = 10_000;

/// What to explain.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Explain {
    /// The key of a belief, or an id or the beginning of one.
    name: String,
    /// The space; the token's own by default.
    space: Option<String>,
    /// As of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Say whether it is true in the world at this time.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
}

needs!(Explain, |_| Need::Read, |request, session| {
    request.viewpoint(session)?;
    Ok(())
});

impl Explain {
    fn viewpoint(&self, session: &Session) -> Result<Viewpoint, RequestError> {
        session.times().viewpoint(self.as_of.as_deref(), self.valid_at.as_deref())
    }
}

pub(super) fn explain(call: &mut Call<'_>, request: Explain) -> Result<Value, ApiError> {
    let viewpoint =
        Viewpoint { disclosure: call.disclosure(), ..request.viewpoint(&call.session)? };
    match call.opened.explain_from(&request.name, &viewpoint) {
        Ok(explaining) => {
            let mut answer = serde_json::to_value(&explaining.explanation)?;
            if let Some(at) = viewpoint.valid_at_us {
                answer["in_window"] = json!(is_true_at(&explaining.belief, at));
            }
            answer["found"] = json!("belief");
            answer["text"] = json!(explaining.text);
            answer["withheld"] = json!(explaining.withheld);
            Ok(answer)
        }
        Err(EngineError::NotABelief { .. }) => {
            let id = call.record(&request.name)?;
            let lineage = shown(call, call.opened.lineage_from(&id, &viewpoint)?)?;
            let mut answer = serde_json::to_value(&lineage)?;
            answer["found"] = json!("record");
            Ok(answer)
        }
        Err(error) => Err(error.into()),
    }
}

/// A lineage without what the token is not shown.
fn shown(call: &Call<'_>, mut lineage: Lineage) -> Result<Lineage, ApiError> {
    let sources = lineage.built_from.iter().map(|source| source.op_id);
    let edges = lineage.edges.iter().flat_map(|edge| [edge.id, edge.from, edge.to]);
    let citing = lineage.cited_by.iter().map(|citing| citing.op_id);
    let ids: Vec<OpId> = sources.chain(edges).chain(citing).collect();
    let withheld = call.opened.withheld_among(&ids, call.disclosure())?;
    let is_shown = |id: &OpId| !withheld.contains(id);
    lineage.built_from.retain(|source| is_shown(&source.op_id));
    lineage.edges.retain(|edge| [edge.id, edge.from, edge.to].iter().all(is_shown));
    lineage.cited_by.retain(|citing| is_shown(&citing.op_id));
    Ok(lineage)
}

/// The states by which beliefs are listed, and the confidence bands.
const STATES: &str = "^(active|corrected|refuted|retracted|invalidated|superseded|alias|any)$";
const BANDS: &str = "^(speculative|probable|likely|strong)$";

/// Which beliefs to list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The space; the token's own by default.
    space: Option<String>,
    /// Only in one of these states [default: active and corrected].
    #[serde(default)]
    #[schemars(inner(regex(pattern = STATES)))]
    state: Vec<String>,
    /// Only with all of these tags.
    #[serde(default)]
    tag: Vec<String>,
    /// Only of this type or family.
    #[serde(rename = "type")]
    #[schemars(regex(pattern = pattern_of(&types::claim_types())))]
    claim_type: Option<String>,
    /// Only in this confidence band: speculative, probable, likely, strong.
    #[schemars(regex(pattern = BANDS))]
    band: Option<String>,
    /// Only with this text in their words, key or data.
    contains: Option<String>,
    /// Only beliefs that are true at this time.
    #[schemars(regex(pattern = TIME))]
    valid_at: Option<String>,
    /// Beliefs as of this time of recording.
    #[schemars(regex(pattern = TIME))]
    as_of: Option<String>,
    /// Include beliefs that are over, and those below 0.30.
    #[serde(default)]
    all: bool,
    /// How many, 1 to 10000 [default: 100].
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: Option<u32>,
}

needs!(List, |_| Need::Read, |request, session| {
    within("limit", request.limit.unwrap_or(LIMIT), 1, LIMIT_MAX)?;
    states(&request.state)?;
    request.claim_type.as_deref().map(types::claim_type).transpose()?;
    request.band.as_deref().map(band).transpose()?;
    session.times().start_if_given_us(request.valid_at.as_deref())?;
    session.times().recorded_us(request.as_of.as_deref())?;
    Ok(())
});

pub(super) fn list(call: &mut Call<'_>, asked: List) -> Result<Value, ApiError> {
    let limit = asked.limit.unwrap_or(LIMIT) as usize;
    let (states, displaced) = states(&asked.state)?;
    let times = call.session.times();
    let filter = ClaimFilter {
        states,
        displaced,
        tags: asked.tag,
        claim_type: asked.claim_type,
        band: asked.band.as_deref().map(band).transpose()?,
        valid_at_us: times.start_if_given_us(asked.valid_at.as_deref())?,
        as_of_us: times.recorded_us(asked.as_of.as_deref())?,
        contains: asked.contains,
        disclosure: call.disclosure(),
        ..ClaimFilter::default()
    };
    let filter = match asked.all {
        true => filter,
        false => filter.in_force(call.session.now.as_microsecond()),
    };
    let claims = call.opened.claims(&filter, limit)?;
    Ok(json!({
        "claims": claims.beliefs.iter().map(to_json).collect::<Vec<_>>(),
        "total": claims.total,
        "not_listed": { "over": claims.over, "below_minimum": claims.below_minimum },
        "altered": claims.altered,
    }))
}

fn states(names: &[String]) -> Result<(States, Vec<RecordStatus>), ApiError> {
    if names.is_empty() {
        return Ok((States::Believed, Vec::new()));
    }
    let (mut states, mut displaced) = (Vec::new(), Vec::new());
    for name in names {
        match name.as_str() {
            "any" => return Ok((States::Any, Vec::new())),
            "active" => states.push(State::Active),
            "corrected" => states.push(State::Corrected),
            "refuted" => states.push(State::Refuted),
            "retracted" => states.push(State::Retracted),
            "invalidated" => states.push(State::Invalidated),
            "superseded" => displaced.push(RecordStatus::Superseded),
            "alias" => displaced.push(RecordStatus::Alias),
            _ => {
                let known =
                    "active, corrected, refuted, retracted, invalidated, superseded, alias, any";
                return Err(ApiError::validation(format!("state: {name:?} is not one of {known}")));
            }
        }
    }
    Ok((States::These(states), displaced))
}

fn band(name: &str) -> Result<Band, ApiError> {
    let all = [Band::Speculative, Band::Probable, Band::Likely, Band::Strong];
    all.into_iter().find(|band| band.as_str() == name).ok_or_else(|| {
        ApiError::validation(format!(
            "band: {name:?} is not one of speculative, probable, likely, strong"
        ))
    })
}
