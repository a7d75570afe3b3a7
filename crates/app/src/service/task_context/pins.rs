//! The pins: what holds whatever the task is.
//!
//! Values and their summary are the person's own and come from the home space, whatever space the
//! request names. So do the settings, but the project's come before them. Preferences come from the
//! spaces that are read; those of somebody else's space are that person's and pin nothing. Where
//! there are more than the budget allows, those near the task come first, then the newest.

use std::collections::BTreeSet;

use engine::EngineError;
use engine::belief::Belief;
use engine::belief::claims::ClaimFilter;
use engine::graph::{NodeFilter, RecordKey, VALUES_RAW};
use engine::recall::facts::PASSIVE_CONFIDENCE;
use kernel::body::{NodeType, TextClaimType};
use kernel::id::OpId;
use kernel::kind::Kind;

use super::near::Near;
use super::{Layer, Reading, Selection, TaskBudget, TaskContext, TaskRecord};
use crate::failure::Failure;
use crate::service::agreed_settings::{Setting, SettingTimes, TAG, settings_at};
use crate::service::effective::Scope;
use crate::service::time::instant;
use crate::service::values::{BASE, SUMMARY};

/// Most claims of one kind of pins that are read from one space.
const READ_MAX: usize = 64;

/// The pins, without the rest of the context.
pub(super) fn pins(
    reading: &Reading<'_>,
    near: &Near,
    budget: &TaskBudget,
) -> Result<TaskContext, Failure> {
    let mut context = TaskContext { budget: *budget, ..TaskContext::default() };
    context.settings = settings(reading)?;
    if budget.values > 0 {
        context.summary = summary(reading)?;
        let values = values(reading)?;
        (context.values, context.left_out.values) = best(reading, near, values, budget.values)?;
    }
    if budget.preferences > 0 {
        let preferences = preferences(reading, &context.values)?;
        let (kept, left_out) = best(reading, near, preferences, budget.preferences)?;
        (context.preferences, context.left_out.preferences) = (kept, left_out);
    }
    Ok(context)
}

/// The settings without those that are private.
fn settings(reading: &Reading<'_>) -> Result<Vec<Setting>, Failure> {
    let times = SettingTimes { as_of_us: reading.as_of_us, valid_at_us: reading.at_us };
    let project = Some(reading.own)
        .filter(|own| own.scope == Scope::Project && !reading.is_of_other)
        .map(|own| own.space);
    let home = reading.personal().map(|layer| layer.space);
    let mut settings = settings_at(home, project, times)?;
    for layer in reading.layers() {
        let ids: Vec<OpId> = settings.iter().filter_map(|setting| setting.id).collect();
        let withheld = layer.space.withheld_among(&ids, layer.disclosure)?;
        settings.retain(|setting| setting.id.is_none_or(|id| !withheld.contains(&id)));
    }
    Ok(settings)
}

fn summary(reading: &Reading<'_>) -> Result<Option<TaskRecord>, EngineError> {
    let Some(layer) = reading.personal() else { return Ok(None) };
    let filter = NodeFilter {
        types: vec![NodeType::Summary],
        tags: vec![SUMMARY.to_owned()],
        as_of_us: reading.as_of_us,
        disclosure: layer.disclosure,
        ..NodeFilter::default()
    };
    let mut found = Vec::new();
    for node in &layer.space.nodes(&filter, 1)?.items {
        found.extend(TaskRecord::of_node(node, layer.scope, Selection::Summary));
    }
    reading.drop_withheld(&mut found)?;
    Ok(found.pop())
}

/// What is believed of one type in a space, at the times of the request.
fn listed(
    reading: &Reading<'_>,
    layer: Layer<'_>,
    claim_type: TextClaimType,
    tags: Vec<String>,
) -> Result<Vec<Belief>, EngineError> {
    let filter = ClaimFilter {
        tags,
        claim_type: Some(claim_type.as_str().to_owned()),
        as_of_us: reading.as_of_us,
        valid_at_us: Some(reading.at_us),
        confidence_min: Some(PASSIVE_CONFIDENCE),
        disclosure: layer.disclosure,
        ..ClaimFilter::default()
    };
    Ok(layer.space.claims(&filter, READ_MAX)?.beliefs)
}

/// The claims of the values. Where the project has one in its own words, that is taken.
fn values(reading: &Reading<'_>) -> Result<Vec<TaskRecord>, EngineError> {
    let Some(layer) = reading.personal() else { return Ok(Vec::new()) };
    let mut values = Vec::new();
    for claim_type in [TextClaimType::Preference, TextClaimType::Goal] {
        let tags = vec![BASE.to_owned()];
        for (belief, is_hidden) in shown(reading, layer, listed(reading, layer, claim_type, tags)?)?
        {
            let found = match is_hidden {
                false => Some((belief, layer.scope)),
                true => {
                    let own = reading.belief(reading.own, &belief.key)?;
                    own.map(|belief| (belief, reading.own.scope))
                }
            };
            values.extend(found.and_then(|(belief, scope)| {
                TaskRecord::of_belief(&belief, scope, Selection::Value)
            }));
        }
    }
    reading.drop_withheld(&mut values)?;
    Ok(values)
}

/// The preferences that are neither settings nor values.
fn preferences(
    reading: &Reading<'_>,
    values: &[TaskRecord],
) -> Result<Vec<TaskRecord>, EngineError> {
    let is_value = |record: &TaskRecord| {
        values.iter().any(|value| (value.scope, value.id) == (record.scope, record.id))
    };
    let mut preferences = Vec::new();
    for layer in reading.layers() {
        let is_read = match layer.scope == reading.own.scope {
            true => !reading.is_of_other,
            false => reading.home_gives(&Kind::Claim),
        };
        if !is_read {
            continue;
        }
        let listed = listed(reading, layer, TextClaimType::Preference, Vec::new())?;
        for (belief, is_hidden) in shown(reading, layer, listed)? {
            let is_pinned = belief
                .tags
                .iter()
                .any(|tag| tag == BASE || tag == VALUES_RAW || tag.starts_with(TAG));
            let record = TaskRecord::of_belief(&belief, layer.scope, Selection::Preference);
            let kept = !is_hidden && !is_pinned;
            preferences.extend(record.filter(|record| kept && !is_value(record)));
        }
    }
    reading.drop_withheld(&mut preferences)?;
    Ok(preferences)
}

/// Beliefs of a space, and whether the project has each in its own words.
fn shown(
    reading: &Reading<'_>,
    layer: Layer<'_>,
    beliefs: Vec<Belief>,
) -> Result<Vec<(Belief, bool)>, EngineError> {
    let keys: Vec<RecordKey> = beliefs.iter().map(RecordKey::of_belief).collect();
    let hidden = reading.hides(layer, &keys)?;
    Ok(beliefs.into_iter().zip(hidden).collect())
}

/// The best of some pins, and how many others there are: those near the task first, then the
/// newest. They are then in the order in which they were stated.
fn best(
    reading: &Reading<'_>,
    near: &Near,
    pins: Vec<TaskRecord>,
    number: usize,
) -> Result<(Vec<TaskRecord>, usize), EngineError> {
    let left_out = pins.len().saturating_sub(number);
    let mut seen: BTreeSet<(Scope, OpId)> = BTreeSet::new();
    let mut placed = Vec::with_capacity(pins.len());
    for pin in pins {
        let view = reading.layer(pin.scope).space.record_view(&pin.record, reading.as_of_us)?;
        let recorded_at = view.map(|view| instant(&view.recorded_at)).unwrap_or_default();
        if seen.insert((pin.scope, pin.id)) {
            placed.push((near.place(&pin), recorded_at, pin));
        }
    }
    placed.sort_by(|(place, at, pin), (other_place, other_at, other)| {
        let by_place = place.unwrap_or(usize::MAX).cmp(&other_place.unwrap_or(usize::MAX));
        by_place.then_with(|| other_at.cmp(at)).then_with(|| pin.id.cmp(&other.id))
    });
    placed.truncate(number);
    placed.sort_by(|(_, at, pin), (_, other_at, other)| {
        at.cmp(other_at).then_with(|| pin.id.cmp(&other.id))
    });
    Ok((placed.into_iter().map(|(_, _, pin)| pin).collect(), left_out))
}
