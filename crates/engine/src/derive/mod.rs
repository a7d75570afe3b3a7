//! Derivation: runs the derivers on all valid inputs until nothing changes any more.
//!
//! Source: the derivation model §7.2 and the specification, "Derivers". Four stages follow one
//! another, each in bounded steps, so that a long derivation can commit between any two of them and
//! resume after a crash:
//!
//! 1. *read* ([`groups`]): new evidence joins its groups, evidence that was retracted or superseded
//!    leaves them, and each such group is marked;
//! 2. *propagate* ([`mod@propagate`]): for each identity that changed, the belief served now
//!    replaces the one served before in its groups;
//! 3. *run* ([`mod@run`]): each marked group is shown to its deriver, [`mod@examine`] checks the
//!    candidates, and [`crate::write::submission`] decides which become claims;
//! 4. *retract* ([`unsupported`]): a claim that no group concludes any more is retracted.
//!
//! Stages 2 and 3 alternate: a pass of runs sees the claims of the passes before it. Each claim is
//! one layer above its inputs, and there are at most [`MAX_DERIVATION_DEPTH`] layers, so a deriver
//! that reads its own claims terminates. The cost depends on the groups that a change touches.
//!
//! Evidence and claims whose bodies were altered in the file since they were signed are not read.
//! What was concluded from them before stays, as where a body is missing: whoever wrote into the
//! file can neither found a belief nor take one back.
//!
//! The queues and the members of groups are stored in the file ([`store::sqlite`]). A derivation
//! keeps in memory only state with named limits, and the numbers of the groups of the next pass.

use std::collections::{BTreeSet, HashMap};

use derivers::{Candidate, Deriver, Record};
use kernel::body::payload_digest;
use kernel::cascade::{Journal, Review};
use kernel::id::OpId;
use kernel::kind::Capability;
use kernel::rules::RuleViolation;
use serde_json::Value;
use store::sqlite::{GroupNumber, Marked, SqliteSpace, SqliteWriting};
use store::{Position, RecordError, Writing};

use crate::outcome::{Changes, Intent};
use crate::seal::Sealer;
use crate::write::altered::take_altered;
use crate::write::forget::hashes_of;
use crate::write::submission::{propose_reviews, record_consequences};
use crate::{EngineError, Writer, now_us};

mod agreement;
mod examine;
mod groups;
mod occurrences;
mod parallel;
mod propagate;
pub(crate) mod records;
mod report;
mod run;
mod unsupported;

pub use agreement::Agreement;
pub(crate) use agreement::agreements;
pub(crate) use report::BeliefChanges;
pub use report::{Derived, DeriverProblem};

/// How many derivations may lie between a claim and evidence.
pub const MAX_DERIVATION_DEPTH: u32 = 8;
/// Work (operations read, and [`WORK_OF_A_GROUP`] for each group run) after which a long derivation
/// commits.
const COMMIT_WORK: u64 = 20_000;
/// Altered operations that are named.
const ALTERED_MAX: usize = 1_000;
/// The work of running a group, in operations read.
const WORK_OF_A_GROUP: u64 = 20;

/// Which part of the ledger is derived from again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Operations since the last derivation.
    Changed,
    /// Everything.
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Read,
    Propagate,
    Run,
    Retract,
    Done,
}

/// A derivation under way.
pub(crate) struct Derivation<'d> {
    derivers: &'d [Box<dyn Deriver>],
    sealer: &'d Sealer,
    now_us: u64,
    stage: Stage,
    passes: u32,
    /// The last operation whose capabilities were known when reading began at the first.
    access_known: Position,
    /// Layers of claims that this derivation appended.
    layers: HashMap<OpId, u32>,
    /// Where the inputs of the appended claims are.
    positions: HashMap<OpId, Position>,
    /// Groups that the next pass runs.
    next_pass: BTreeSet<GroupNumber>,
    /// Derivers that panicked. What they concluded before stays until they can be asked again.
    failed: BTreeSet<String>,
    /// Operations that were not read because they were altered in the file; at most
    /// [`ALTERED_MAX`].
    pub(crate) altered: BTreeSet<OpId>,
    /// The beliefs that changed.
    pub(crate) changes: BeliefChanges,
    pub(crate) report: Derived,
}

impl<'d> Derivation<'d> {
    /// A derivation by these derivers, whose claims `sealer` signs.
    pub(crate) fn new(
        derivers: &'d [Box<dyn Deriver>],
        sealer: &'d Sealer,
        now: jiff::Timestamp,
    ) -> Self {
        Self {
            derivers,
            sealer,
            now_us: now_us(now),
            stage: Stage::Read,
            passes: 0,
            access_known: Position(0),
            layers: HashMap::new(),
            positions: HashMap::new(),
            next_pass: BTreeSet::new(),
            failed: BTreeSet::new(),
            altered: BTreeSet::new(),
            changes: BeliefChanges::default(),
            report: Derived::default(),
        }
    }

    /// Names and versions of the derivers, with what they were told beside the records.
    fn registered(&self) -> Vec<(String, String)> {
        let named = self.derivers.iter().map(|deriver| {
            let version = match deriver.parameters() {
                told if told.is_empty() => deriver.version().to_owned(),
                told => format!("{} {}", deriver.version(), payload_digest(&Value::from(told))),
            };
            (deriver.name().to_owned(), version)
        });
        let mut registered: Vec<(String, String)> = named.collect();
        registered.sort();
        registered
    }

    /// Whether the last derivation was made by these derivers, came to its end, and left nothing
    /// that this key may do.
    pub(crate) fn has_caught_up(&self, writing: &SqliteWriting<'_>) -> Result<bool, EngineError> {
        let (read, filled_by) = writing.derived()?;
        // What changed since it ended was brought about by something that it has not read.
        let is_interrupted = writing.is_changed()? && writing.lines(read, 1)?.is_empty();
        Ok(filled_by == self.registered()
            && writing.count_marked()? == 0
            && !is_interrupted
            && !self.may_retract_any(writing)?)
    }

    fn work(&self) -> u64 {
        self.report.read + self.report.groups * WORK_OF_A_GROUP
    }

    /// Begins where the last derivation ended, or with the first operation where that was made by
    /// other derivers.
    pub(crate) fn begin(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        extent: Extent,
    ) -> Result<(), EngineError> {
        let registered = self.registered();
        let (_, filled_by) = writing.derived()?;
        if extent == Extent::Full || filled_by != registered {
            writing.forget_derivation(&registered)?;
        }
        // What was invalidated before and not recorded, for instance by a device that may not.
        self.record_consequences(writing)
    }

    /// Whether a derivation of what changed would take more than a moment: more operations or
    /// groups than one step takes.
    pub(crate) fn is_long(&self, store: &mut SqliteSpace) -> Result<bool, EngineError> {
        let writing = store.write()?;
        let (read, filled_by) = writing.derived()?;
        let read = if filled_by == self.registered() { read.0 } else { 0 };
        Ok(writing.position().0.saturating_sub(read) > groups::READ_OPERATIONS_MAX as u64
            || writing.count_marked()? > run::RUN_GROUPS_MAX as u64)
    }

    /// Derives to the end, and commits between steps: the work of a step is durable then, and other
    /// writers come in between. `progress` gets the report so far after each step.
    pub(crate) fn run_to_end(
        &mut self,
        store: &mut SqliteSpace,
        extent: Extent,
        mut progress: impl FnMut(&Derived),
    ) -> Result<(), EngineError> {
        let mut writing = store.write()?;
        self.begin(&mut writing, extent)?;
        let mut committed = 0;
        while self.step(&mut writing)? {
            progress(&self.report);
            if self.work() >= committed + COMMIT_WORK {
                committed = self.work();
                Box::new(writing).commit()?;
                writing = store.write()?;
            }
        }
        Box::new(writing).commit()?;
        progress(&self.report);
        Ok(())
    }

    /// All steps in one writing.
    pub(crate) fn finish(&mut self, writing: &mut SqliteWriting<'_>) -> Result<(), EngineError> {
        while self.step(writing)? {}
        Ok(())
    }

    /// One bounded step; false when there is nothing left to do.
    pub(crate) fn step(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let stage = self.stage;
        self.stage = match stage {
            Stage::Read if self.read(writing)? => Stage::Read,
            Stage::Read => Stage::Propagate,
            Stage::Propagate if self.propagate(writing)? => Stage::Propagate,
            Stage::Propagate if writing.count_marked()? == 0 => Stage::Retract,
            Stage::Propagate => self.begin_pass(writing)?,
            Stage::Run if self.run(writing)? => Stage::Run,
            Stage::Run => Stage::Read,
            Stage::Retract if self.retract_unsupported(writing)? => Stage::Propagate,
            Stage::Retract | Stage::Done => Stage::Done,
        };
        Ok(self.stage != Stage::Done)
    }

    /// Counts a pass. Groups that are still marked after so many are left as they are: a deriver
    /// keeps changing its mind.
    fn begin_pass(&mut self, writing: &mut SqliteWriting<'_>) -> Result<Stage, EngineError> {
        self.passes += 1;
        if self.passes <= 2 * MAX_DERIVATION_DEPTH {
            return Ok(Stage::Run);
        }
        while let groups = writing.take_marked(run::RUN_GROUPS_MAX)?
            && !groups.is_empty()
        {
            for group in groups {
                let message = format!("did not come to rest in {} passes", self.passes - 1);
                self.problem(&group, message);
            }
        }
        Ok(Stage::Retract)
    }

    fn problem(&mut self, group: &Marked, message: String) {
        self.report.note_problem(DeriverProblem {
            deriver: group.deriver.clone(),
            group: group.name.clone(),
            message,
        });
    }

    fn note_altered(&mut self, altered: impl IntoIterator<Item = OpId>) {
        for id in altered {
            if self.altered.len() < ALTERED_MAX {
                self.altered.insert(id);
            }
        }
    }

    fn deriver(&self, name: &str) -> Option<&'d dyn Deriver> {
        self.derivers.iter().find(|deriver| deriver.name() == name).map(|deriver| &**deriver)
    }
}

impl Derivation<'_> {
    /// The report, and the beliefs that changed.
    fn outcome(self) -> (Derived, Changes) {
        let Derivation { report, changes, altered, .. } = self;
        // A copy that derives for the first time sees every belief for the first time, also those
        // that came with it.
        let beliefs =
            if report.changed_nothing() { Default::default() } else { changes.differing() };
        let altered = altered.into_iter().collect();
        (report, Changes { beliefs, altered, ..Changes::default() })
    }

    /// The same, with what was altered in the file.
    fn outcome_in(mut self, store: &SqliteSpace) -> Result<(Derived, Changes), EngineError> {
        let positions = std::mem::take(&mut self.positions);
        let (report, mut changes) = self.outcome();
        let signed_state = |id: &OpId| match positions.get(id) {
            Some(position) => store.signed_state_at(id, *position),
            None => store.signed_state(id),
        };
        store.on_snapshot(|index| take_altered(index, signed_state, &mut changes))?;
        Ok((report, changes))
    }
}

/// Runs a deriver's code and catches panics.
pub(crate) fn contained<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        format!("panicked: {}", text.chars().take(200).collect::<String>())
    })
}

/// Shows a group's records to a deriver, the occurrences of series in place of these.
pub(crate) fn shown_to(
    deriver: &dyn Deriver,
    group: &str,
    records: &[Record],
) -> Result<Vec<Candidate>, String> {
    contained(|| deriver.derive(group, &occurrences::with_occurrences(records)))
}

impl Writer<'_> {
    /// Derives from all recorded operations. `progress` gets the report so far after each
    /// step; the work of each step is durable then, and a derivation that was stopped resumes where
    /// it stopped. A dry run writes nothing; a long one is made in a private copy, so that it does
    /// not hold up writers.
    ///
    /// # Errors
    /// If the key may not derive. The report has what a deriver does wrong.
    pub fn derive(
        &mut self,
        extent: Extent,
        intent: Intent,
        now: jiff::Timestamp,
        progress: impl FnMut(&Derived),
    ) -> Result<(Derived, Changes), EngineError> {
        let (sealer, derivers) = (self.sealer, self.derivers);
        if !self.may_derive(now)? {
            let (author, capability) = (sealer.author(), Capability::Derive);
            let violation = RuleViolation::NotPermitted { author, capability };
            let id = self.space()?.0;
            return Err(EngineError::Record(RecordError::Refused { id, violation }));
        }
        let store = &mut *self.store;
        let mut derivation = Derivation::new(derivers, sealer, now);
        if intent == Intent::Write {
            derivation.run_to_end(store, extent, progress)?;
            derivation.outcome_in(store)
        } else if extent == Extent::Full || derivation.is_long(store)? {
            let mut copy = store.private_copy()?;
            derivation.run_to_end(&mut copy, extent, progress)?;
            derivation.outcome_in(&copy)
        } else {
            let mut writing = store.write()?;
            derivation.begin(&mut writing, extent)?;
            derivation.finish(&mut writing)?;
            let (report, mut changes) = derivation.outcome();
            take_altered(&writing, |id| writing.signed_state(id), &mut changes)?;
            Ok((report, changes))
        }
    }

    /// Records the consequences of imported operations: those in the journal, and the `reviews`
    /// found before.
    pub(crate) fn follow(
        &mut self,
        journal: Journal,
        reviews: &[Review],
        now: jiff::Timestamp,
    ) -> Result<(), EngineError> {
        let mut writing = self.store.write()?;
        writing.recognize_forgotten(hashes_of(self.sealer));
        writing.resume(journal);
        record_consequences(self.sealer, &mut writing, now_us(now))?;
        propose_reviews(self.sealer, &mut writing, reviews, now_us(now))?;
        Box::new(writing).commit()?;
        Ok(())
    }
}
