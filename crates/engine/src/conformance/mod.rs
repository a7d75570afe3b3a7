//! Portable scenarios: small histories with what is to be believed after each step.
//!
//! Source: the derivation specification, "Portable scenarios". [`read`] takes a file apart, [`run`]
//! does what a scenario says on a fresh ledger in memory with fixed keys, and answers every
//! [`Difference`]. No deriver runs: claims are as the scenario states them. Time is virtual. A step
//! takes the next whole number after the last that its device knows and that no other step has
//! taken, or the number it names; what the engine records follows within that number. After a merge
//! the second device takes in the first one's log, too, and both must believe the same.
//!
//! Decided here, where the specification is silent: `retract` of a claim that no user stated is
//! `not_permitted`; a walk of `provenance` begins with the inputs at depth 1, whose role is `input`
//! unless an input is written as `{"name":…,"role":…}`; the confidence of an identity that was
//! never stated is null.

mod device;
mod records;
mod scenario;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kernel::body::{Body, Claim, Correction, Deriver, Reason, Refutation, Withdrawal};
use kernel::canonical;
use kernel::evidence::{Evidence, EvidenceKind, Payload, Visibility};
use kernel::id::OpId;
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::seal::Draft;
use kernel::validity::State;
use serde_json::{Value, json};

use crate::EngineError;
use crate::write::graph::{GraphChange, INPUT_ROLE};
use device::Device;
use scenario::{Act, Expect, Input, ScenarioAction, Step};
pub use scenario::{Scenario, read};

/// Microseconds of a step; what the engine records for it takes the following ones.
const STEP_US: u64 = 1_000_000;
/// Merges of one scenario, each with a device of its own.
const MERGES_MAX: u16 = 100;
/// The code of a patch that is refused, whatever its operations break.
const PATCH_REFUSED: &str = "patch_refused";
/// The code of a step that acts on what no earlier step made.
const UNKNOWN_REF: &str = "unknown_ref";

/// Something is not as a scenario says.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Difference {
    /// The number of the step, `5`, or `5.2` within a merge.
    pub step: String,
    /// What was compared, e.g. `states.k1`.
    pub what: String,
    /// What the scenario says.
    pub expected: Value,
    /// The actual value.
    pub got: Value,
}

/// Why a scenario could not be read or run.
#[derive(Debug, thiserror::Error)]
pub enum ConformanceError {
    /// The text is not JSON.
    #[error("this is not JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// The files have nothing to run.
    #[error("it has no scenarios: name a file that has some, or a folder of such *.json files")]
    Empty,
    /// The value is not a scenario.
    #[error("scenario {number} is not an object with a `name` and `steps`")]
    Scenario {
        /// Which of the file, from 1.
        number: usize,
    },
    /// A step cannot be parsed, or is invalid at its place.
    #[error("scenario {scenario:?}, step {step}: {reason}")]
    Step {
        /// The scenario.
        scenario: String,
        /// The step.
        step: String,
        /// What is wrong with the step.
        reason: String,
    },
    /// The engine failed.
    #[error("scenario {scenario:?}, step {step}: {source}")]
    Engine {
        /// The scenario.
        scenario: String,
        /// The step.
        step: String,
        /// Why the engine failed.
        #[source]
        source: Box<EngineError>,
    },
}

/// Runs a scenario on a fresh ledger. Empty if all is as it says.
///
/// # Errors
/// If a step cannot be done, or there are more than 100 merges.
pub fn run(scenario: &Scenario) -> Result<Vec<Difference>, ConformanceError> {
    let mut run = Run { scenario: &scenario.name, ..Run::default() };
    let merges = count_merges(&scenario.steps);
    let others = u16::try_from(merges).ok().filter(|merges| *merges <= MERGES_MAX);
    let Some(others) = others else {
        return Err(run.refuse("1", format!("there are more than {MERGES_MAX} merges")));
    };
    let mut device = Device::owner(others).map_err(|source| run.failed("1", source))?;
    let mut clock = 0;
    run.steps(&mut device, &mut clock, &scenario.steps)?;
    Ok(run.differences)
}

fn count_merges(steps: &[Step]) -> usize {
    let acts = steps.iter().filter_map(|step| step.act.as_ref());
    acts.map(|act| {
        usize::from(matches!(act.what, ScenarioAction::Merge { .. })) + count_merges(&act.merged)
    })
    .sum()
}

/// A point in a device's log.
struct Mark {
    length: usize,
    clock: u64,
}

#[derive(Default)]
struct Run<'a> {
    scenario: &'a str,
    names: HashMap<String, OpId>,
    titles: HashMap<OpId, String>,
    marks: HashMap<String, Mark>,
    /// What each patch appended.
    patches: HashMap<String, Vec<OpId>>,
    /// No two steps share a time.
    times: BTreeSet<u64>,
    merges: u16,
    differences: Vec<Difference>,
}

impl Run<'_> {
    fn refuse(&self, step: &str, reason: impl Into<String>) -> ConformanceError {
        ConformanceError::Step {
            scenario: self.scenario.to_owned(),
            step: step.to_owned(),
            reason: reason.into(),
        }
    }

    fn failed(&self, step: &str, source: EngineError) -> ConformanceError {
        ConformanceError::Engine {
            scenario: self.scenario.to_owned(),
            step: step.to_owned(),
            source: Box::new(source),
        }
    }

    fn steps(
        &mut self,
        device: &mut Device,
        clock: &mut u64,
        steps: &[Step],
    ) -> Result<(), ConformanceError> {
        for step in steps {
            if let Some(act) = &step.act {
                self.act(device, clock, &step.label, act)?;
            }
            if let Some(expect) = &step.expect {
                let compared = self.compare(device, &step.label, expect, *clock);
                compared.map_err(|source| self.failed(&step.label, source))?;
            }
        }
        Ok(())
    }

    fn act(
        &mut self,
        device: &mut Device,
        clock: &mut u64,
        step: &str,
        act: &Act,
    ) -> Result<(), ConformanceError> {
        let name = act.what.name();
        if let Some(name) = name.filter(|name| {
            self.names.contains_key(*name)
                || self.marks.contains_key(*name)
                || self.patches.contains_key(*name)
        }) {
            return Err(self.refuse(step, format!("{name:?} is the name of an earlier step")));
        }
        match &act.what {
            ScenarioAction::Mark { name } => {
                device.last = device::Last::default();
                self.marks.insert(name.clone(), Mark { length: device.log().len(), clock: *clock });
                return Ok(());
            }
            ScenarioAction::Merge { from, .. } => {
                return self.merge(device, clock, step, from, &act.merged);
            }
            _ => {}
        }
        if is_foreign_patch(&act.what) {
            device.last = device::Last::default();
            self.differ(step, "error", json!(act.error), json!(PATCH_REFUSED));
            return Ok(());
        }
        let changes = match self.changes(&act.what) {
            Some(Err(reason)) => return Err(self.refuse(step, reason)),
            Some(Ok(changes)) => Some(changes),
            None => None,
        };
        let t = match act.t {
            Some(t) if self.times.contains(&t) => {
                return Err(self.refuse(step, format!("an earlier step has the time {t}")));
            }
            Some(t) => t,
            None => self.next_time(*clock),
        };
        let ts = HlcTimestamp(t.saturating_add(1).saturating_mul(STEP_US));
        if let ScenarioAction::Revert { target, .. } = &act.what {
            return self.revert(device, clock, step, act, (t, ts), target);
        }
        if let Some(changes) = changes {
            return self.change(device, clock, step, act, (t, ts), &changes);
        }
        let draft = self.draft(device, &act.what, t).map_err(|source| self.failed(step, source))?;
        let appended = match not_permitted(device, &draft, &act.what) {
            Some(code) => {
                device.last = device::Last::default();
                Err(code)
            }
            None => device.append(draft, ts).map_err(|source| self.failed(step, source))?,
        };
        let got = appended.err();
        self.differ(step, "error", json!(act.error), json!(got));
        if let Ok(id) = appended {
            self.note_time(t, clock);
            if let Some(name) = name {
                self.define(name, id);
            }
        }
        Ok(())
    }

    /// Changes of the graph in one append.
    fn change(
        &mut self,
        device: &mut Device,
        clock: &mut u64,
        step: &str,
        act: &Act,
        (t, ts): (u64, HlcTimestamp),
        changes: &[(Option<&str>, GraphChange)],
    ) -> Result<(), ConformanceError> {
        let mut named = BTreeSet::new();
        for name in changes.iter().filter_map(|(name, _)| *name) {
            let is_patch = matches!(act.what, ScenarioAction::Patch { .. });
            if !named.insert(name) || is_patch && self.names.contains_key(name) {
                return Err(self.refuse(step, format!("{name:?} is the name of an earlier step")));
            }
        }
        let changed = device.change(ts, |graph| {
            changes.iter().map(|(name, change)| graph.apply(*name, change)).collect()
        });
        let changed = changed.map_err(|source| self.failed(step, source))?;
        let is_patch = matches!(act.what, ScenarioAction::Patch { .. });
        let got = changed.as_ref().err().map(|code| if is_patch { PATCH_REFUSED } else { code });
        self.differ(step, "error", json!(act.error), json!(got));
        let Ok((stand_for, appended)) = changed else { return Ok(()) };
        self.note_time(t, clock);
        for ((name, _), id) in changes.iter().zip(stand_for) {
            if let Some(name) = name {
                self.define(name, id);
            }
        }
        if let ScenarioAction::Patch { name: Some(name), .. } = &act.what {
            self.patches.insert(name.clone(), appended);
        }
        Ok(())
    }

    /// Takes a patch back. One that was refused, or never was, is as unknown as any other name.
    fn revert(
        &mut self,
        device: &mut Device,
        clock: &mut u64,
        step: &str,
        act: &Act,
        (t, ts): (u64, HlcTimestamp),
        target: &str,
    ) -> Result<(), ConformanceError> {
        let Some(made) = self.patches.get(target) else {
            device.last = device::Last::default();
            self.differ(step, "error", json!(act.error), json!(UNKNOWN_REF));
            return Ok(());
        };
        let reverted = device.change(ts, |graph| graph.revert(made).map(|()| Vec::new()));
        let got = reverted.map_err(|source| self.failed(step, source))?.err();
        self.differ(step, "error", json!(act.error), json!(got));
        if got.is_none() {
            self.note_time(t, clock);
        }
        Ok(())
    }

    fn note_time(&mut self, t: u64, clock: &mut u64) {
        self.times.insert(t);
        *clock = t.max(*clock);
    }

    /// Gives an operation a name; it is shown by the first one that it got.
    fn define(&mut self, name: &str, id: OpId) {
        self.names.insert(name.to_owned(), id);
        self.titles.entry(id).or_insert_with(|| name.to_owned());
    }

    fn next_time(&self, clock: u64) -> u64 {
        (clock.saturating_add(1)..).find(|t| !self.times.contains(t)).unwrap_or(u64::MAX)
    }

    /// What a second device did, then the exchange of both logs.
    fn merge(
        &mut self,
        device: &mut Device,
        clock: &mut u64,
        step: &str,
        from: &str,
        steps: &[Step],
    ) -> Result<(), ConformanceError> {
        let mark =
            self.marks.get(from).and_then(|mark| Some((device.log().get(..mark.length)?, mark)));
        let Some((log, mark)) = mark else {
            return Err(self.refuse(step, format!("{from:?} is not an earlier mark")));
        };
        let (length, mut its_clock) = (mark.length, mark.clock);
        self.merges += 1;
        let second = Device::another(self.merges, log);
        let mut second = second.map_err(|source| self.failed(step, source))?;
        self.steps(&mut second, &mut its_clock, steps)?;
        let exchanged = exchange(device, &mut second, length);
        let (here, there) = exchanged.map_err(|source| self.failed(step, source))?;
        self.differ(step, "states on the second device", json!(here), json!(there));
        let statuses = |device: &mut Device| records::statuses(device);
        let here = statuses(device).map_err(|source| self.failed(step, source))?;
        let there = statuses(&mut second).map_err(|source| self.failed(step, source))?;
        self.differ(step, "statuses on the second device", json!(here), json!(there));
        *clock = its_clock.max(*clock);
        Ok(())
    }

    fn id(&self, name: &str) -> OpId {
        // What has no name yet, or was refused, is an operation that no ledger holds.
        self.names
            .get(name)
            .copied()
            .unwrap_or_else(|| OpId(*blake3::hash(name.as_bytes()).as_bytes()))
    }

    fn draft(&self, device: &Device, what: &ScenarioAction, t: u64) -> Result<Draft, EngineError> {
        let cite = |name: &str, role: &str| {
            Ok::<_, EngineError>(Ref { id: self.id(name), role: Role::parse(role)? })
        };
        let target = |name: &str| Ok::<_, EngineError>(vec![cite(name, Role::TARGET)?]);
        let key_of = |name: &str| {
            let identity = device.body(&self.id(name)).and_then(|body| body.identity());
            identity.map(|(key, _)| key.to_owned()).unwrap_or_default()
        };
        let (body, refs) = match what {
            ScenarioAction::Evidence { supersedes, .. } => {
                let supersedes = supersedes.iter().map(|name| cite(name, Role::SUPERSEDES));
                (Body::Evidence(evidence(t)), supersedes.collect::<Result<_, _>>()?)
            }
            ScenarioAction::RetractEvidence { target: name, .. } => {
                (Body::EvidenceRetraction(no_reason()), target(name)?)
            }
            ScenarioAction::Claim { key, payload, inputs, confidence, by, .. } => {
                let deriver = Deriver {
                    name: "scenario".to_owned(),
                    version: "1.0.0".to_owned(),
                    deterministic: true,
                };
                let claim = claim(key, payload, *confidence, by.is_none().then_some(deriver));
                let refs = inputs.iter().map(|input| match input {
                    Input::Name(name) => cite(name, INPUT_ROLE),
                    Input::Role { name, role } => cite(name, role),
                });
                (Body::Claim(claim), refs.collect::<Result<_, _>>()?)
            }
            ScenarioAction::Correct { target: name, payload, .. } => {
                let (identity_key, corrected_payload) = (key_of(name), payload.clone());
                let correction =
                    Correction { identity_key, corrected_payload, text: None, note: String::new() };
                (Body::ClaimCorrection(correction), target(name)?)
            }
            ScenarioAction::Refute { target: name, .. } => {
                let refutation = Refutation { identity_key: key_of(name), note: String::new() };
                (Body::ClaimRefutation(refutation), target(name)?)
            }
            ScenarioAction::Withdraw { target: name, .. } => {
                let withdrawal = Withdrawal { note: String::new() };
                let body = match device.body(&self.id(name)) {
                    Some(Body::ClaimRefutation(_)) => Body::RefutationWithdrawal(withdrawal),
                    Some(Body::EvidenceRetraction(_) | Body::Retraction(_)) => {
                        Body::RetractionWithdrawal(withdrawal)
                    }
                    _ => Body::CorrectionWithdrawal(withdrawal),
                };
                (body, target(name)?)
            }
            ScenarioAction::Retract { target: name, .. } => {
                (Body::Retraction(no_reason()), target(name)?)
            }
            // These append nothing of their own, or by a way of their own.
            ScenarioAction::Mark { .. }
            | ScenarioAction::Merge { .. }
            | ScenarioAction::State { .. }
            | ScenarioAction::Node { .. }
            | ScenarioAction::Edge { .. }
            | ScenarioAction::Supersede { .. }
            | ScenarioAction::Patch { .. }
            | ScenarioAction::Revert { .. } => (Body::Retraction(no_reason()), Vec::new()),
        };
        Ok(Draft { body, refs })
    }

    fn compare(
        &mut self,
        device: &mut Device,
        step: &str,
        expect: &Expect,
        clock: u64,
    ) -> Result<(), EngineError> {
        self.compare_records(device, step, expect, clock)?;
        for (key, expected) in &expect.states {
            let (state, _) = device.standing(key)?;
            self.differ(step, &format!("states.{key}"), expected.clone(), json!(state.as_str()));
        }
        for (key, expected) in &expect.served {
            let got = served(device, key)?;
            self.differ(step, &format!("served.{key}"), expected.clone(), got);
        }
        for (key, expected) in &expect.confidence {
            let got = confidence(device, key)?;
            self.differ(step, &format!("confidence.{key}"), expected.clone(), got);
        }
        let named = |ids: &[OpId]| json!(ids.iter().map(|id| self.title(id)).collect::<Vec<_>>());
        let lists = [
            ("invalidated", &expect.invalidated, named(&device.invalidated())),
            ("invalidated_by_last", &expect.invalidated_by_last, named(&device.last.invalidated)),
            (
                "reviews",
                &expect.reviews,
                device.reviews.iter().map(|review| json!(review.key)).collect(),
            ),
            ("refresh", &expect.refresh, json!(device.last.refresh)),
        ];
        for (what, expected, got) in lists {
            if let Some(expected) = expected {
                self.differ(step, what, json!(expected), got);
            }
        }
        if let Some(expected) = &expect.provenance {
            let hops = device.provenance(&self.id(&expected.of))?;
            let walk =
                hops.iter().map(|hop| json!([hop.depth, self.title(&hop.id), hop.role])).collect();
            self.differ(step, &format!("provenance.{}", expected.of), expected.walk.clone(), walk);
        }
        Ok(())
    }

    fn title(&self, id: &OpId) -> String {
        self.titles.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// Equal is what has the same canonical bytes: `1` and `1.0` are one number.
    fn differ(&mut self, step: &str, what: &str, expected: Value, got: Value) {
        let bytes = |value: &Value| canonical::to_bytes(value).ok();
        if bytes(&expected) != bytes(&got) {
            self.differences.push(Difference {
                step: step.to_owned(),
                what: what.to_owned(),
                expected,
                got,
            });
        }
    }
}

/// Both devices take in what the other one did since the mark; the states of every identity on
/// each.
type States = BTreeMap<String, &'static str>;

fn exchange(
    first: &mut Device,
    second: &mut Device,
    mark: usize,
) -> Result<(States, States), EngineError> {
    let theirs = second.log().get(mark..).unwrap_or_default().to_vec();
    let ours = first.log().get(mark..).unwrap_or_default().to_vec();
    first.merge(&theirs)?;
    second.merge(&ours)?;
    let keys: BTreeSet<String> = first
        .log()
        .iter()
        .filter_map(|(_, body)| body.identity())
        .map(|(key, _)| key.to_owned())
        .collect();
    let states = |device: &mut Device| -> Result<States, EngineError> {
        keys.iter().map(|key| Ok((key.clone(), device.standing(key)?.0.as_str()))).collect()
    };
    Ok((states(first)?, states(second)?))
}

/// Whether a patch holds an operation that changes no graph, as a retraction of evidence.
fn is_foreign_patch(what: &ScenarioAction) -> bool {
    let ScenarioAction::Patch { operations, .. } = what else { return false };
    !operations.iter().all(ScenarioAction::changes_graph)
}

/// Only a claim that the user stated is the user's to take back.
fn not_permitted(device: &Device, draft: &Draft, what: &ScenarioAction) -> Option<&'static str> {
    let target = draft.refs.first().and_then(|target| device.body(&target.id));
    let by_machine = matches!(target, Some(Body::Claim(claim)) if claim.deriver.is_some());
    (matches!(what, ScenarioAction::Retract { .. }) && by_machine).then_some("not_permitted")
}

fn served(device: &mut Device, key: &str) -> Result<Value, EngineError> {
    let (state, standing) = device.standing(key)?;
    let by = match state {
        State::Corrected => standing.correction,
        State::Active => standing.current,
        _ => None,
    };
    Ok(match by.and_then(|entry| device.body(&entry.id)) {
        Some(Body::ClaimCorrection(correction)) => correction.corrected_payload.clone(),
        Some(Body::Claim(claim)) => claim.payload.clone(),
        _ => Value::Null,
    })
}

fn confidence(device: &mut Device, key: &str) -> Result<Value, EngineError> {
    let (state, standing) = device.standing(key)?;
    if state == State::Corrected {
        return Ok(json!(1.0));
    }
    Ok(match standing.current.and_then(|entry| device.body(&entry.id)) {
        Some(Body::Claim(claim)) => json!(claim.confidence),
        _ => Value::Null,
    })
}

fn evidence(t: u64) -> Evidence {
    let text = format!("evidence {t}");
    Evidence {
        source: "scenario".to_owned(),
        source_uid: t.to_string(),
        kind: EvidenceKind::from(EvidenceKind::NOTE),
        actor: None,
        at: None,
        summary: text.clone(),
        visibility: Visibility::Project,
        payload: Payload { text, ..Payload::default() },
    }
}

fn claim(key: &str, payload: &Value, confidence: f64, deriver: Option<Deriver>) -> Claim {
    Claim {
        claim_type: "scenario".to_owned(),
        identity_key: key.to_owned(),
        subject: "self".to_owned(),
        text: String::new(),
        payload: payload.clone(),
        deriver,
        confidence,
        confidence_basis: Value::Null,
        rationale: String::new(),
        valid_at: None,
        valid_from: None,
        valid_to: None,
        last_seen: None,
        visibility: Visibility::Project,
        tags: Vec::new(),
    }
}

fn no_reason() -> Reason {
    Reason { reason: String::new() }
}
