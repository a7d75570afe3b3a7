//! Derivation: what the derivers conclude from what is valid, until nothing changes any more.
//!
//! Source: the derivation model §7.2 and the specification, "Derivers". Four stages follow one
//! another, each in bounded steps, so that a long derivation can commit between any two of them and
//! go on after a crash:
//!
//! 1. *read*: new evidence joins its groups, what was withdrawn or replaced leaves them, and each
//!    such group is marked;
//! 2. *look*: of each identity that changed, what is served now joins the groups in place of what
//!    was served before;
//! 3. *run*: each marked group is shown to its deriver, and the candidates become claims
//!    ([`submit`]);
//! 4. *doubt*: a claim that no group concludes any more is taken back.
//!
//! Stages 2 and 3 alternate: a pass of runs sees the claims of the passes before it. What a deriver
//! concludes from is counted in layers, at most [`MAX_DERIVATION_DEPTH`]; a deriver that feeds on
//! itself ends there. Cost follows the groups that a change touched.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use derivers::{Deriver, GROUPS_MAX, KEY_BYTES_MAX, Record};
use kernel::body::{Body, Reason};
use kernel::cascade::Journal;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{Ref, Role};
use kernel::rules::RuleViolation;
use kernel::seal::Draft;
use kernel::validity::State;
use store::sqlite::{GroupNumber, Marked, Served, SqliteWriting};
use store::{Position, RecordError, Writing};

use crate::belief::{Belief, belief};
use crate::outcome::{Change, Changes, Intent};
use crate::seal::Sealer;
use crate::{EngineError, Writer, now_us};

mod parallel;
pub(crate) mod records;
mod reviews;
mod submit;

use records::Shown;

/// How many derivations may lie between a claim and what was told.
pub const MAX_DERIVATION_DEPTH: u32 = 8;
/// Operations read in one step.
const READ_OPERATIONS_MAX: usize = 2_000;
/// Identities looked at in one step.
const LOOK_KEYS_MAX: usize = 2_000;
/// Groups run in one step.
const RUN_GROUPS_MAX: usize = 100;
/// Work (operations read, and twenty for each group run) after which a long derivation commits.
const COMMIT_WORK: u64 = 20_000;
/// Problems kept in full; more are only counted.
const PROBLEMS_KEPT_MAX: usize = 100;
/// Changed beliefs kept in full; more are only counted.
const CHANGES_KEPT_MAX: usize = 10_000;

/// What a derivation did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Derived {
    /// Operations read.
    pub read: u64,
    /// Groups that were shown to a deriver, each time counted.
    pub groups: u64,
    /// Claims of identities that were not believed before.
    pub added: u64,
    /// Claims that replace one that was believed.
    pub updated: u64,
    /// Candidates that said what is believed already.
    pub unchanged: u64,
    /// Claims taken back, since no group concludes them any more.
    pub retracted: u64,
    /// Claims that fell and were recorded as fallen.
    #[serde(rename = "invalidated")]
    pub fallen: u64,
    /// Candidates left out because the user said otherwise.
    pub withheld: u64,
    /// Candidates that say what the user corrected to.
    pub agreed: u64,
    /// New items for review.
    pub reviews: u64,
    /// What a deriver did wrong.
    pub problem_count: u64,
    /// The first of these.
    pub problems: Vec<DeriverProblem>,
}

impl Derived {
    /// Whether anything was written, or would be.
    pub fn is_nothing(&self) -> bool {
        self.added + self.updated + self.retracted + self.fallen + self.reviews == 0
    }
}

/// One thing that a deriver did wrong; the rest of its work goes on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct DeriverProblem {
    /// Which deriver.
    pub deriver: String,
    /// In which group.
    pub group: String,
    /// What it did.
    pub message: String,
}

/// How much of the ledger is derived from again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What changed since the last time.
    Changed,
    /// Everything.
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Read,
    Look,
    Run,
    Doubt,
    Done,
}

/// A derivation under way.
pub(crate) struct Derivation<'d> {
    derivers: &'d [Box<dyn Deriver>],
    sealer: &'d Sealer,
    now_us: u64,
    may_derive: bool,
    stage: Stage,
    passes: u32,
    /// What was served is not remembered, and nothing was derived yet: what is looked at is no
    /// change.
    anew: bool,
    /// Claims appended by this derivation, with their layers.
    ours: HashMap<OpId, u32>,
    /// Groups that are to be run again in the next pass.
    again: Vec<GroupNumber>,
    /// Derivers that panicked. What they concluded before stays until they can be asked again.
    failed: BTreeSet<String>,
    /// What is believed otherwise than before.
    pub(crate) changes: BTreeMap<String, Change>,
    pub(crate) derived: Derived,
}

impl<'d> Derivation<'d> {
    /// For a key that may derive, or one that may only say what fell.
    pub(crate) fn new(
        derivers: &'d [Box<dyn Deriver>],
        sealer: &'d Sealer,
        now: jiff::Timestamp,
        may_derive: bool,
    ) -> Self {
        let now_us = now_us(now);
        Self {
            derivers,
            sealer,
            now_us,
            may_derive,
            stage: Stage::Read,
            passes: 0,
            anew: false,
            ours: HashMap::new(),
            again: Vec::new(),
            failed: BTreeSet::new(),
            changes: BTreeMap::new(),
            derived: Derived::default(),
        }
    }

    /// Names and versions of the derivers.
    fn registered(&self) -> Vec<(String, String)> {
        let named = self
            .derivers
            .iter()
            .map(|deriver| (deriver.name().to_owned(), deriver.version().to_owned()));
        let mut registered: Vec<(String, String)> = named.collect();
        registered.sort();
        registered
    }

    /// Whether the last derivation was made by these derivers and came to its end.
    pub(crate) fn has_caught_up(&self, writing: &SqliteWriting<'_>) -> Result<bool, EngineError> {
        let (read, filled_by) = writing.derived()?;
        // What changed since it ended was brought about by something that it has not read.
        let is_interrupted = writing.is_changed()? && writing.lines(read, 1)?.is_empty();
        Ok(filled_by == self.registered() && writing.count_marked()? == 0 && !is_interrupted)
    }

    fn worked(&self) -> u64 {
        self.derived.read + self.derived.groups * 20
    }

    /// Begins with what was remembered, or with nothing where other derivers filled it.
    pub(crate) fn begin(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        extent: Extent,
    ) -> Result<(), EngineError> {
        let registered = self.registered();
        let (_, filled_by) = writing.derived()?;
        if extent == Extent::Full || filled_by != registered {
            writing.forget_derivation(&registered)?;
            self.anew = extent == Extent::Full;
        }
        Ok(())
    }

    /// All steps in one writing.
    pub(crate) fn finish(&mut self, writing: &mut SqliteWriting<'_>) -> Result<(), EngineError> {
        while self.step(writing)? {}
        Ok(())
    }

    /// Only finds out what is served otherwise, for whoever may not derive. Nothing is taken off
    /// the queue for the next one who may.
    pub(crate) fn look_only(&mut self, writing: &mut SqliteWriting<'_>) -> Result<(), EngineError> {
        while let keys = writing.take_changed(LOOK_KEYS_MAX)?
            && !keys.is_empty()
        {
            for key in keys {
                self.look_at(writing, &key)?;
            }
        }
        Ok(())
    }

    /// One bounded step; false when there is nothing left to do.
    pub(crate) fn step(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let stage = self.stage;
        self.stage = match stage {
            Stage::Read if self.read(writing)? => Stage::Read,
            Stage::Read => Stage::Look,
            Stage::Look if self.look(writing)? => Stage::Look,
            Stage::Look if std::mem::take(&mut self.anew) => Stage::Look,
            Stage::Look if writing.count_marked()? == 0 => Stage::Doubt,
            Stage::Look => self.next_pass(writing)?,
            Stage::Run if self.run(writing)? => Stage::Run,
            Stage::Run => Stage::Read,
            Stage::Doubt if self.doubt(writing)? => Stage::Look,
            Stage::Doubt | Stage::Done => Stage::Done,
        };
        Ok(self.stage != Stage::Done)
    }

    /// Counts a pass. Groups that are still marked after so many are left as they are: a deriver
    /// keeps changing its mind.
    fn next_pass(&mut self, writing: &mut SqliteWriting<'_>) -> Result<Stage, EngineError> {
        self.passes += 1;
        if self.passes <= 2 * MAX_DERIVATION_DEPTH {
            return Ok(Stage::Run);
        }
        while let groups = writing.take_marked(RUN_GROUPS_MAX)?
            && !groups.is_empty()
        {
            for group in groups {
                let message = format!("did not come to rest in {} passes", self.passes - 1);
                self.problem(&group, message);
            }
        }
        Ok(Stage::Doubt)
    }

    fn problem(&mut self, group: &Marked, message: String) {
        self.note_problem(DeriverProblem {
            deriver: group.deriver.clone(),
            group: group.name.clone(),
            message,
        });
    }

    fn note_problem(&mut self, problem: DeriverProblem) {
        self.derived.problem_count += 1;
        if self.derived.problems.len() < PROBLEMS_KEPT_MAX {
            self.derived.problems.push(problem);
        }
    }

    fn deriver(&self, name: &str) -> Option<&'d dyn Deriver> {
        self.derivers.iter().find(|deriver| deriver.name() == name).map(|deriver| &**deriver)
    }

    /// Reads what arrived. True if there may be more.
    fn read(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let (position, _) = writing.derived()?;
        let lines = writing.lines(position, READ_OPERATIONS_MAX)?;
        let Some(last) = lines.last() else { return Ok(false) };
        let reached = last.position;
        self.derived.read += lines.len() as u64;
        let derivers = self.derivers;
        let access = writing.access()?;
        let wanted = parallel::each(lines.iter().collect(), |line| {
            let by = records::teller(access, &line.author, (line.ts, line.id));
            let record = records::of_evidence(line, by).filter(|_| line.kind == Kind::Evidence)?;
            Some((records::at_us(&record), wanted_groups(derivers, &record)))
        });
        for (line, wanted) in lines.iter().zip(wanted) {
            let has_effect = || {
                Ok::<_, EngineError>(writing.access()?.holds(
                    &line.author,
                    Capability::Append,
                    (line.ts, line.id),
                ))
            };
            match line.kind {
                Kind::Evidence if has_effect()? => {
                    for replaced in
                        line.refs.iter().filter(|cited| cited.role.as_str() == Role::SUPERSEDES)
                    {
                        self.dismiss(writing, &replaced.id)?;
                    }
                    if let Some((at_us, wanted)) = wanted {
                        for group in self.numbers(writing, &line.id, wanted)? {
                            writing.join(group, at_us, line.ts, line.position)?;
                        }
                    }
                }
                Kind::EvidenceRetraction if has_effect()? => {
                    for target in
                        line.refs.iter().filter(|cited| cited.role.as_str() == Role::TARGET)
                    {
                        self.dismiss(writing, &target.id)?;
                    }
                }
                Kind::Grant | Kind::Revoke if line.position.0 > 1 => {
                    self.note_access(writing, line.ts)?
                }
                _ => {}
            }
        }
        writing.set_derived(reached)?;
        Ok(true)
    }

    /// A change of access that arrives after later operations may take effect from them, or give
    /// it: all is read again.
    fn note_access(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        ts: kernel::operation::HlcTimestamp,
    ) -> Result<(), EngineError> {
        let (read, derivers) = writing.derived()?;
        let is_late = match writing.line_at(read)? {
            Some(last) => last.ts > ts,
            None => false,
        };
        if is_late {
            writing.forget_derivation(&derivers)?;
        }
        Ok(())
    }

    /// Takes evidence out of its groups.
    fn dismiss(&mut self, writing: &mut SqliteWriting<'_>, id: &OpId) -> Result<(), EngineError> {
        if let Some(line) = writing.line(id)?
            && line.kind == Kind::Evidence
            && let Some(record) = records::of_evidence(
                &line,
                records::teller(writing.access()?, &line.author, (line.ts, line.id)),
            )
        {
            for group in self.groups(writing, &record)? {
                writing.leave(group, records::at_us(&record), line.position)?;
            }
        }
        Ok(())
    }

    /// The groups of a record, of all derivers.
    fn groups(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        record: &Record,
    ) -> Result<Vec<GroupNumber>, EngineError> {
        let wanted = wanted_groups(self.derivers, record);
        self.numbers(writing, &record.id, wanted)
    }

    fn numbers(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        record: &OpId,
        wanted: Vec<Result<Wanted, DeriverProblem>>,
    ) -> Result<Vec<GroupNumber>, EngineError> {
        let mut groups = Vec::new();
        for wanted in wanted {
            match wanted {
                Ok(Wanted { deriver, group }) => groups.push(writing.group(deriver, &group)?),
                Err(problem) => {
                    let message =
                        format!("{} when it was asked for the groups of {record}", problem.message);
                    self.note_problem(DeriverProblem { message, ..problem });
                }
            }
        }
        Ok(groups)
    }

    /// Looks at what is served of changed identities. True if there may be more.
    fn look(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let keys = writing.take_changed(LOOK_KEYS_MAX)?;
        for key in &keys {
            self.look_at(writing, key)?;
        }
        Ok(!keys.is_empty())
    }

    fn look_at(&mut self, writing: &mut SqliteWriting<'_>, key: &str) -> Result<(), EngineError> {
        let believed = belief(writing as &dyn Writing, key)?;
        let seen = writing.served(key)?;
        let by_us = believed.current.and_then(|current| self.ours.get(&current).copied());
        let serving = match believed.served {
            Some(id) => writing.line(&id)?,
            None => None,
        };
        let position = serving.as_ref().map(|line| line.position);
        if seen.map(|seen| seen.position) != position {
            let before = match seen {
                Some(seen) => self.believed_at(writing, &believed, seen.position)?,
                None => None,
            };
            let (groups, at_us) = match &serving {
                Some(line) => {
                    let record = records::of_belief(line, &believed);
                    (self.groups(writing, &record)?, records::at_us(&record))
                }
                None => (Vec::new(), 0),
            };
            let layer = match by_us {
                Some(layer) => layer,
                None => layer_of_inputs(writing, believed.current)?,
            };
            let served = position.map(|position| Served { position, layer });
            writing.place_belief(key, &groups, at_us, served)?;
            writing.set_served(key, served)?;
            if !self.anew {
                self.note_change(before, &believed);
            }
        }
        if by_us.is_some() && believed.state == State::Active {
            return Ok(());
        }
        let makers = writing.makers(key)?;
        for maker in &makers {
            writing.mark(maker.number)?;
        }
        // Another device concluded it, or this one before it forgot: its own groups decide whether
        // it still follows.
        if let (State::Active, true, Some(current)) =
            (believed.state, makers.is_empty(), believed.current)
            && believed
                .deriver
                .as_ref()
                .is_some_and(|deriver| self.deriver(&deriver.name).is_some())
        {
            writing.suspect(key)?;
            self.mark_groups_of_inputs(writing, &current)?;
        }
        Ok(())
    }

    fn note_change(&mut self, before: Option<Belief>, after: &Belief) {
        if let Some(change) = self.changes.get_mut(&after.key) {
            change.after = after.clone();
        } else if self.changes.len() < CHANGES_KEPT_MAX {
            self.changes
                .insert(after.key.clone(), Change { before, after: after.clone(), cause: None });
        }
    }

    /// What was served of an identity, by the operation that said so. A correction says nothing of
    /// times: those are the claim's.
    fn believed_at(
        &self,
        writing: &SqliteWriting<'_>,
        now: &Belief,
        position: Position,
    ) -> Result<Option<Belief>, EngineError> {
        let Some(line) = writing.line_at(position)? else { return Ok(None) };
        let mut before = records::served_by(&line, &now.key);
        if let Some(before) = before.as_mut().filter(|before| before.state == State::Corrected) {
            before.valid_from.clone_from(&now.valid_from);
            before.valid_to.clone_from(&now.valid_to);
        }
        Ok(before)
    }

    fn mark_groups_of_inputs(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        claim: &OpId,
    ) -> Result<(), EngineError> {
        let Some(entry) = writing.entry(claim)? else { return Ok(()) };
        for input in kernel::validity::inputs(&entry) {
            let Some(line) = writing.line(&input)? else { continue };
            let record = match line.kind {
                Kind::Evidence => records::of_evidence(
                    &line,
                    records::teller(writing.access()?, &line.author, (line.ts, line.id)),
                ),
                _ => records::served_by(&line, "")
                    .map(|believed| records::of_belief(&line, &believed)),
            };
            if let Some(record) = record {
                for group in self.groups(writing, &record)? {
                    writing.mark(group)?;
                }
            }
        }
        Ok(())
    }

    /// Shows marked groups to their derivers. True if there may be more.
    fn run(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let groups = writing.take_marked(RUN_GROUPS_MAX)?;
        let mut asked = Vec::with_capacity(groups.len());
        for group in &groups {
            if let Some(deriver) = self.deriver(&group.deriver) {
                asked.push((group, deriver, records::of_group(writing, group.number)?));
            }
        }
        self.derived.groups += asked.len() as u64;
        let answers = parallel::each(asked, |(group, deriver, members)| {
            let shown = Shown::of(members);
            let candidates = contained(|| deriver.derive(&group.name, &shown.records));
            (
                group,
                candidates.map(|candidates| submit::examine(deriver, group, &shown, candidates)),
            )
        });
        let mut accepted = Vec::new();
        for (group, answer) in answers {
            match answer {
                Ok((kept, problems)) => {
                    for problem in problems {
                        self.problem(group, problem);
                    }
                    self.note_made(writing, group, kept, &mut accepted)?;
                }
                Err(message) => {
                    self.failed.insert(group.deriver.clone());
                    self.problem(group, message);
                }
            }
        }
        accepted.sort_by(|a, b| a.place().cmp(&b.place()));
        for candidate in accepted {
            self.submit(writing, candidate)?;
        }
        self.follow(writing)?;
        if groups.is_empty() {
            for group in self.again.drain(..) {
                writing.mark(group)?;
            }
        }
        Ok(!groups.is_empty())
    }

    /// Notes what a group concludes now. Of several groups that conclude the same, the first has
    /// the say.
    fn note_made(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        group: &Marked,
        kept: Vec<submit::Accepted>,
        accepted: &mut Vec<submit::Accepted>,
    ) -> Result<(), EngineError> {
        let made = writing.made(group.number)?;
        for key in made.iter().filter(|key| !kept.iter().any(|kept| kept.key() == key.as_str())) {
            writing.remove_made(group.number, key)?;
            match writing.makers(key)?.first() {
                Some(next) => self.again.push(next.number),
                None => writing.suspect(key)?,
            }
        }
        for candidate in kept {
            writing.add_made(group.number, candidate.key())?;
            let has_the_say = writing
                .makers(candidate.key())?
                .first()
                .is_none_or(|first| first.number == group.number);
            if has_the_say {
                accepted.push(candidate);
            }
        }
        Ok(())
    }

    /// Records the falls that follow from what was appended.
    pub(crate) fn follow(&mut self, writing: &mut SqliteWriting<'_>) -> Result<(), EngineError> {
        let (follows, records) =
            crate::write::follow::record_what_follows(self.sealer, writing, self.now_us)?;
        self.derived.fallen += records.len() as u64;
        if self.may_derive {
            for review in &follows.reviews {
                self.review_ground(writing, review)?;
            }
        }
        Ok(())
    }

    /// Takes back what nothing concludes any more. True if something was.
    fn doubt(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let mut retracted = false;
        while let keys = writing.take_suspects(LOOK_KEYS_MAX)?
            && !keys.is_empty()
        {
            for key in keys {
                let believed = belief(writing as &dyn Writing, &key)?;
                let known = believed.deriver.as_ref().is_some_and(|deriver| {
                    self.deriver(&deriver.name).is_some() && !self.failed.contains(&deriver.name)
                });
                if believed.state != State::Active || !known || !writing.makers(&key)?.is_empty() {
                    continue;
                }
                let Some(target) = believed.served else { continue };
                let reason = Reason { reason: "what is known does not say so any more".to_owned() };
                let refs = vec![Ref { id: target, role: Role::parse(Role::TARGET)? }];
                if self.append(writing, Draft { body: Body::Retraction(reason), refs })?.is_some() {
                    self.derived.retracted += 1;
                    retracted = true;
                }
            }
        }
        if retracted {
            self.follow(writing)?;
        }
        Ok(retracted)
    }
}

/// A group that a record is to belong to.
struct Wanted {
    deriver: &'static str,
    group: String,
}

/// The groups of a record, of all derivers. One that panics has none, and is named.
fn wanted_groups(
    derivers: &[Box<dyn Deriver>],
    record: &Record,
) -> Vec<Result<Wanted, DeriverProblem>> {
    let mut wanted = Vec::new();
    for deriver in derivers {
        match contained(|| deriver.groups(record)) {
            Ok(names) => {
                let named =
                    names.into_iter().filter(|name| name.len() <= KEY_BYTES_MAX).take(GROUPS_MAX);
                wanted.extend(named.map(|group| Ok(Wanted { deriver: deriver.name(), group })));
            }
            Err(message) => {
                let deriver = deriver.name().to_owned();
                wanted.push(Err(DeriverProblem { deriver, group: String::new(), message }));
            }
        }
    }
    wanted
}

/// One more than the highest layer among what a claim was built from.
fn layer_of_inputs(writing: &SqliteWriting<'_>, claim: Option<OpId>) -> Result<u32, EngineError> {
    let Some(entry) = claim.map(|claim| writing.entry(&claim)).transpose()?.flatten() else {
        return Ok(0);
    };
    let mut layer = 0;
    for input in kernel::validity::inputs(&entry) {
        let Some(cited) = writing.entry(&input)? else { continue };
        if let Some(key) = &cited.identity
            && let Some(served) = writing.served(key)?
        {
            layer = layer.max(served.layer);
        }
    }
    Ok(layer.saturating_add(1))
}

/// Runs a deriver's code; a panic of it is an answer too.
pub(crate) fn contained<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        format!("panicked: {}", said.chars().take(200).collect::<String>())
    })
}

impl Writer<'_> {
    /// Derives what follows from all that is recorded. `progress` is told after each step what was
    /// done so far; the work of each step is durable then, and a derivation that was stopped goes
    /// on where it was. A dry run writes nothing.
    pub fn derive(
        &mut self,
        extent: Extent,
        intent: Intent,
        now: jiff::Timestamp,
        mut progress: impl FnMut(&Derived),
    ) -> Result<(Derived, Changes), EngineError> {
        let may_derive = self.may_derive(now)?;
        let (sealer, derivers) = (self.sealer, self.derivers);
        if !may_derive {
            let (author, capability) = (sealer.author(), Capability::Derive);
            let violation = RuleViolation::NotPermitted { author, capability };
            return Err(EngineError::Record(RecordError::Refused {
                id: self.space()?.0,
                violation,
            }));
        }
        let mut derivation = Derivation::new(derivers, sealer, now, may_derive);
        let mut writing = self.store.write()?;
        derivation.begin(&mut writing, extent)?;
        // What fell before and was not recorded, for instance since another device may not derive.
        derivation.follow(&mut writing)?;
        let mut more = true;
        let mut committed = 0;
        while more {
            more = derivation.step(&mut writing)?;
            progress(&derivation.derived);
            if intent == Intent::Write && derivation.worked() >= committed + COMMIT_WORK {
                committed = derivation.worked();
                Box::new(writing).commit()?;
                writing = self.store.write()?;
            }
        }
        if intent == Intent::Write {
            Box::new(writing).commit()?;
        }
        let Derivation { derived, changes, .. } = derivation;
        // From scratch all is seen for the first time, also what is as it was.
        let beliefs = if derived.is_nothing() { BTreeMap::new() } else { differing(changes) };
        Ok((derived, Changes { beliefs, ..Changes::default() }))
    }

    /// Records what follows from what was taken in from elsewhere.
    pub(crate) fn follow(
        &mut self,
        journal: Journal,
        now: jiff::Timestamp,
    ) -> Result<(), EngineError> {
        let may_derive = self.may_derive(now)?;
        let (sealer, derivers) = (self.sealer, self.derivers);
        let mut writing = self.store.write()?;
        writing.resume(journal);
        Derivation::new(derivers, sealer, now, may_derive).follow(&mut writing)?;
        Box::new(writing).commit()?;
        Ok(())
    }
}

/// Without what is believed in the end as it was before.
pub(crate) fn differing(changes: BTreeMap<String, Change>) -> BTreeMap<String, Change> {
    let differs = |change: &Change| match &change.before {
        None => change.after.served.is_some(),
        Some(before) => {
            change.after.served.is_none()
                || before.payload != change.after.payload
                || before.confidence != change.after.confidence
                || before.valid_to != change.after.valid_to
        }
    };
    changes.into_iter().filter(|(_, change)| differs(change)).collect()
}
