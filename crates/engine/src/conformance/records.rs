//! What scenarios do with the graph, and what they expect of its records.

use std::collections::BTreeMap;

use kernel::body::{Body, EdgeType, NodeType, TextClaimType};
use kernel::id::OpId;
use kernel::identity::text_key;
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{HlcTimestamp, Role};
use kernel::records::{RecordStatus, Records, is_record};
use kernel::when::When;
use serde_json::{Value, json};
use store::StoreError;

use super::device::Device;
use super::scenario::{Expect, Input, ScenarioAction};
use super::{Run, STEP_US};
use crate::EngineError;
use crate::write::graph::{
    GraphChange, INPUT_ROLE, RecordType, Reference, ReplacementFields, Statement,
};

/// Seconds from the epoch to the last time that a year of four digits has.
const SECONDS_MAX: u64 = 253_402_300_799;

/// A change with the name of its step.
pub(super) type Named<'w> = (Option<&'w str>, GraphChange);

impl Run<'_> {
    /// The changes of a step with their names, none if it changes no graph; or why the step cannot
    /// be read.
    pub(super) fn changes<'w>(
        &self,
        what: &'w ScenarioAction,
    ) -> Option<Result<Vec<Named<'w>>, String>> {
        match what {
            ScenarioAction::Patch { operations, .. } => Some(
                operations.iter().map(|what| Ok((what.name(), self.operation(what)?))).collect(),
            ),
            ScenarioAction::Retract { .. } => None,
            what => match self.operation(what) {
                Err(reason) if reason.is_empty() => None,
                change => Some(change.map(|change| vec![(what.name(), change)])),
            },
        }
    }

    /// A change of the graph; an error without a reason if a step is none.
    fn operation(&self, what: &ScenarioAction) -> Result<GraphChange, String> {
        Ok(match what {
            ScenarioAction::State { claim_type, text, inputs, valid_from, valid_to, .. } => {
                let claim_type: TextClaimType = claim_type.parse().map_err(text_of)?;
                let record_type = RecordType::Claim(claim_type.as_str().to_owned());
                GraphChange::State(Box::new(Statement {
                    inputs: self.inputs(inputs)?,
                    valid_from: valid_from.map(when).transpose()?,
                    valid_to: valid_to.map(when).transpose()?,
                    ..Statement::new(record_type, text)
                }))
            }
            ScenarioAction::Node { node_type, text, inputs, .. } => {
                let node_type: NodeType = node_type.parse().map_err(text_of)?;
                GraphChange::State(Box::new(Statement {
                    inputs: self.inputs(inputs)?,
                    ..Statement::new(RecordType::Node(node_type), text)
                }))
            }
            ScenarioAction::Edge { edge_type, from, to, inputs, .. } => GraphChange::Connect {
                edge_type: edge_type.parse::<EdgeType>().map_err(text_of)?,
                from: self.reference(from),
                to: self.reference(to),
                inputs: self.inputs(inputs)?,
                notes: String::new(),
            },
            ScenarioAction::Supersede { target, text, inputs, .. } => GraphChange::Supersede {
                target: self.reference(target),
                text: text.clone(),
                inputs: self.inputs(inputs)?,
                otherwise: ReplacementFields::default(),
            },
            ScenarioAction::Retract { target, .. } => {
                let target = self.reference(target);
                GraphChange::Retract { target, reason: String::new(), sources: Vec::new() }
            }
            _ => return Err(String::new()),
        })
    }

    /// An earlier step, or an operation of the same patch.
    fn reference(&self, name: &str) -> Reference {
        match self.names.get(name) {
            Some(id) => Reference::Id(*id),
            None => Reference::Local(name.to_owned()),
        }
    }

    fn inputs(&self, inputs: &[Input]) -> Result<Vec<(Reference, Role)>, String> {
        let role = |role: &str| Role::parse(role).map_err(text_of);
        inputs
            .iter()
            .map(|input| match input {
                Input::Name(name) => Ok((self.reference(name), role(INPUT_ROLE)?)),
                Input::Role { name, role: word } => Ok((self.reference(name), role(word)?)),
            })
            .collect()
    }

    /// Compares statuses, canonical records and lists of active ones.
    pub(super) fn compare_records(
        &mut self,
        device: &mut Device,
        step: &str,
        expect: &Expect,
        clock: u64,
    ) -> Result<(), EngineError> {
        if expect.status.is_empty() && expect.canonical.is_empty() && expect.active.is_none() {
            return Ok(());
        }
        let before =
            expect.as_of.map(|t| HlcTimestamp(t.saturating_add(2).saturating_mul(STEP_US)));
        let ids: Vec<OpId> =
            expect.status.keys().chain(expect.canonical.keys()).map(|name| self.id(name)).collect();
        let valid_at_us = i64::try_from(expect.valid_at.unwrap_or(clock).saturating_mul(STEP_US))
            .unwrap_or(i64::MAX);
        let listed = expect.active.as_ref().map(|_| listed(device, valid_at_us));
        let (found, active) = device.records(before, |index| {
            let mut records = Records::new(index);
            let mut found = BTreeMap::new();
            for id in ids {
                let known = index.entry(&id)?.is_some();
                let status = records.status(&id)?;
                found.insert(id, (status, known.then(|| records.canonical(&id)).transpose()?));
            }
            let mut active = Vec::new();
            for id in listed.unwrap_or_default() {
                if records.status(&id)? == Some(RecordStatus::Active) {
                    active.push(id);
                }
            }
            Ok(((found), active))
        })?;
        for (name, expected) in &expect.status {
            let (status, _) = found.get(&self.id(name)).copied().unwrap_or_default();
            let got = json!(status.map(RecordStatus::as_str));
            self.differ(step, &format!("status.{name}"), expected.clone(), got);
        }
        for (name, expected) in &expect.canonical {
            let (_, canonical) = found.get(&self.id(name)).copied().unwrap_or_default();
            // Two names may stand for one record.
            if canonical != Some(self.id(expected)) {
                let got = json!(canonical.map(|id| self.title(&id)));
                self.differ(step, &format!("canonical.{name}"), json!(expected), got);
            }
        }
        if let Some(expected) = &expect.active {
            let ids: Vec<OpId> = expected.iter().map(|name| self.id(name)).collect();
            if ids != active {
                let got: Vec<String> = active.iter().map(|id| self.title(id)).collect();
                self.differ(step, "active", json!(expected), json!(got));
            }
        }
        Ok(())
    }
}

/// The text claims and nodes of a device that are valid at a time, in the space's order.
fn listed(device: &Device, valid_at_us: i64) -> Vec<OpId> {
    let mut listed = Vec::new();
    for (operation, body) in device.log() {
        let is_valid = match body {
            Body::Claim(claim) => {
                let instant = |when: &Option<When>| when.as_ref().map(When::instant_us);
                claim.identity_key == text_key(&claim.claim_type, &claim.text)
                    && instant(&claim.valid_from).is_none_or(|from| from <= valid_at_us)
                    && instant(&claim.valid_to).is_none_or(|to| valid_at_us < to)
            }
            Body::Node(_) => true,
            _ => false,
        };
        if is_valid {
            listed.push(operation.order());
        }
    }
    listed.sort_unstable();
    listed.into_iter().map(|(_, id)| id).collect()
}

/// The status and the canonical record of every record, for comparing two devices.
pub(super) fn statuses(device: &mut Device) -> Result<BTreeMap<String, Value>, EngineError> {
    let ids: Vec<OpId> = device.log().iter().map(|(operation, _)| operation.id()).collect();
    device.records(None, |index| statuses_of(index, &ids))
}

fn statuses_of(
    index: &dyn LedgerIndex<Error = StoreError>,
    ids: &[OpId],
) -> Result<BTreeMap<String, Value>, StoreError> {
    let mut records = Records::new(index);
    let mut statuses = BTreeMap::new();
    for id in ids {
        let Some(entry) = index.entry(id)?.filter(is_record) else { continue };
        let status = records.status_of(&entry)?.map(RecordStatus::as_str);
        let canonical = records.canonical(id)?;
        statuses.insert(id.to_string(), json!([status, canonical]));
    }
    Ok(statuses)
}

/// A time of the scenario: so many seconds after the epoch.
fn when(t: u64) -> Result<When, String> {
    let seconds = i64::try_from(t.min(SECONDS_MAX)).map_err(text_of)?;
    let instant = jiff::Timestamp::from_second(seconds).map_err(text_of)?;
    When::parse(&instant.to_string()).map_err(text_of)
}

fn text_of(error: impl std::fmt::Display) -> String {
    error.to_string()
}
