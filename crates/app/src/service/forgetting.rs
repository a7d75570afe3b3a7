//! Forgetting records: what would go, in data and in words, and doing it.
//!
//! Every surface asks [`plan`] first and shows it. [`forget`] does what the plan says, and nothing
//! else, even if more was recorded in between.

use std::collections::BTreeMap;

use engine::belief::Belief;
use engine::selection::{RecordState, Selection};
use engine::write::forget::{ForgetPlan, Forgotten, ForgottenRecord, RecordedAgain, UserStatement};
use engine::{EngineError, Space};
use jiff::Timestamp;
use kernel::id::OpId;
use kernel::seal::Draft;
use schemars::JsonSchema;
use serde::Serialize;

use super::change_wording::altered_line;
use super::changes::{Action, Subject, Verb, withhold_private_changes};
use super::likeness::no_such_records;
use super::wording::shortened;
use crate::failure::{Failure, RequestError};
use crate::text::{count, printable};

/// Records and beliefs of each sort put in words; the report has more.
const SHOWN_MAX: usize = 10;

/// What would be forgotten.
pub(crate) struct Plan {
    /// Which records were selected, in words.
    which: String,
    plan: ForgetPlan,
}

/// What is forgotten, or would be, as data.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ForgetReport {
    /// True if nothing was written.
    dry_run: bool,
    /// Which records were selected.
    which: String,
    /// How many were selected.
    selected: u64,
    /// The first of them.
    records: Vec<RecordLine>,
    /// Other versions of these records, which go too.
    versions: u64,
    /// Records that repeat them, which go too.
    echoes: u64,
    /// Operations whose content goes, by kind.
    erased: BTreeMap<String, u64>,
    /// How many nodes and thoughts go because they were made from these records.
    made_from_it: u64,
    /// The first of them.
    made: Vec<RecordLine>,
    /// Beliefs that stand on nothing else.
    falls: Vec<BeliefLine>,
    /// Beliefs that are derived again from other records.
    derived_anew: Vec<DerivedAnew>,
    /// Beliefs that follow from the other records alone.
    arises: Vec<BeliefLine>,
    /// Corrections and refutations that go: those that were selected, and those whose beliefs
    /// have nothing else left.
    words_forgotten: Vec<StatementLine>,
    /// Corrections and refutations that stay, because their beliefs do.
    words_kept: Vec<StatementLine>,
    /// Corrections and refutations among those that go whose effect stays: they are recorded again.
    /// Selected refutations lose their notes.
    words_again: Vec<StatementLine>,
    /// Operations on which the changed beliefs depend, and that were altered in the file since they
    /// were signed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    altered: Vec<String>,
    /// The operations that were written.
    recorded: Vec<String>,
    /// Whether free pages and the write-ahead log are clean too; null in a dry run.
    is_erased: Option<bool>,
}

/// A record.
#[derive(Serialize, JsonSchema)]
struct RecordLine {
    id: String,
    summary: String,
}

/// A belief.
#[derive(Serialize, JsonSchema)]
struct BeliefLine {
    key: String,
    text: String,
    confidence: f64,
}

/// A belief that is derived again.
#[derive(Serialize, JsonSchema)]
struct DerivedAnew {
    key: String,
    before: BeliefLine,
    after: BeliefLine,
}

/// A correction or refutation.
#[derive(Serialize, JsonSchema)]
struct StatementLine {
    id: String,
    key: String,
    summary: String,
}

/// What forgetting a selection would erase and change. Nothing is written. `what-if --forget` shows
/// the same plan, and the changes in full.
pub(crate) fn plan(
    space: &mut Space,
    now: Timestamp,
    selection: &Selection,
) -> Result<Plan, Failure> {
    if selection.is_empty() {
        return Err(RequestError::NothingSelected.into());
    }
    let ids = space.select(selection, RecordState::Any)?;
    let plan = space.plan_to_forget(&ids, now)?;
    let which = selection.in_words();
    if plan.is_empty() {
        let is_forgotten = !ids.is_empty();
        let which =
            if is_forgotten { format!("{which} that was not forgotten already") } else { which };
        return Err(no_such_records(space, selection, which)?.into());
    }
    Ok(Plan { which, plan })
}

/// Forgets what a plan says.
pub(crate) fn forget(
    space: &mut Space,
    now: Timestamp,
    plan: &Plan,
    reason: &str,
) -> Result<Forgotten, Failure> {
    Ok(space.forget(&plan.plan, reason, now)?)
}

impl Plan {
    /// What gets a redaction.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &OpId> {
        self.plan.targets.iter()
    }

    /// Removes what is private from the plan, which then serves only to be shown.
    pub(crate) fn withhold_private(&mut self, space: &Space) -> Result<(), EngineError> {
        withhold_private_changes(space, &mut self.plan.changes)?;
        let private = space.private_among(&self.plan.operations().collect::<Vec<_>>())?;
        self.plan.leave_out(&private);
        Ok(())
    }

    /// Whether something that goes keeps its effect, and is recorded again.
    pub(crate) fn records_again(&self) -> bool {
        !self.plan.again.is_empty()
    }

    /// Drafts with the same effect on beliefs.
    pub(crate) fn drafts(&self, space: &Space) -> Result<Vec<Draft>, Failure> {
        Ok(space.to_forget(&self.plan)?)
    }

    /// The action, for `what-if`.
    pub(crate) fn action(&self) -> Action {
        let subject = match self.plan.records.as_slice() {
            [record] => Subject::Record { id: record.id, summary: record.summary.clone() },
            _ => Subject::Records {
                count: usize::try_from(self.plan.selected).unwrap_or(usize::MAX),
                which: self.which.clone(),
            },
        };
        Action { verb: Verb::Forgot, subject }
    }

    /// How many records were selected.
    pub(crate) fn selected(&self) -> u64 {
        self.plan.selected
    }

    /// The plan as data, with the result if it was carried out.
    pub(crate) fn report(&self, forgotten: Option<&Forgotten>) -> ForgetReport {
        let plan = &self.plan;
        let line = |record: &ForgottenRecord| RecordLine {
            id: record.id.to_string(),
            summary: record.summary.clone(),
        };
        let anew = plan.derived_anew().map(|(before, after)| DerivedAnew {
            key: before.key.clone(),
            before: BeliefLine::of(before),
            after: BeliefLine::of(after),
        });
        let erased = plan.erased.iter().map(|(kind, ids)| (kind.clone(), ids.len() as u64));
        let redactions = forgotten.map(|forgotten| forgotten.redactions.as_slice());
        ForgetReport {
            dry_run: forgotten.is_none(),
            which: self.which.clone(),
            selected: plan.selected,
            records: plan.records.iter().map(line).collect(),
            versions: plan.versions.len() as u64,
            echoes: plan.echoes.len() as u64,
            erased: erased.collect(),
            made_from_it: plan.made_from_it.len() as u64,
            made: plan.made.iter().map(line).collect(),
            falls: plan.invalidated().map(BeliefLine::of).collect(),
            derived_anew: anew.collect(),
            arises: plan.newly_believed().map(BeliefLine::of).collect(),
            words_forgotten: plan.words_forgotten.iter().map(StatementLine::of).collect(),
            words_kept: plan.words_kept.iter().map(StatementLine::of).collect(),
            words_again: words_again(plan).map(StatementLine::again).collect(),
            altered: plan.changes.altered.iter().map(ToString::to_string).collect(),
            recorded: redactions.unwrap_or_default().iter().map(ToString::to_string).collect(),
            is_erased: forgotten.map(|forgotten| forgotten.is_erased),
        }
    }

    /// The plan in words, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let plan = &self.plan;
        let records = plan.records.iter().map(|record| shortened(&record.summary));
        let mut lines = section(
            &format!("{} {} would go:", count(plan.selected, "record"), printable(&self.which)),
            plan.selected,
            records,
        );
        let more = [
            (plan.versions.len() as u64, "other version", "of these"),
            (plan.echoes.len() as u64, "record", "that repeat them"),
        ];
        for (number, what, of_what) in more {
            if number > 0 {
                lines.push(format!("with {} {of_what}", count(number, what)));
            }
        }
        lines.extend(section(
            "Nodes and thoughts that were made from them would go:",
            plan.made_from_it.len() as u64,
            plan.made.iter().map(|record| shortened(&record.summary)),
        ));
        let said = |belief: &Belief| shortened(&belief.text);
        lines.extend(section(
            "Beliefs that stand on nothing else would fall:",
            plan.invalidated().count() as u64,
            plan.invalidated().map(said),
        ));
        lines.extend(section(
            "Beliefs that would be derived again from other records:",
            plan.derived_anew().count() as u64,
            plan.derived_anew().map(|(before, after)| match said(before) == said(after) {
                true => format!(
                    "{} ({} instead of {})",
                    said(after),
                    after.confidence,
                    before.confidence
                ),
                false => format!("{} instead of {}", said(after), said(before)),
            }),
        ));
        lines.extend(section(
            "Beliefs that would follow from the other records alone:",
            plan.newly_believed().count() as u64,
            plan.newly_believed().map(said),
        ));
        lines.extend(self.words_in_lines());
        lines.extend(altered_line(&plan.changes));
        lines
    }

    /// What would happen to the user's own words, a line each.
    pub(crate) fn words_in_lines(&self) -> Vec<String> {
        let plan = &self.plan;
        let mut lines = Vec::new();
        let word = |statement: &UserStatement| shortened(&statement.summary);
        lines.extend(section(
            "Your own words that would go:",
            plan.words_forgotten.len() as u64,
            plan.words_forgotten.iter().map(word),
        ));
        lines.extend(section(
            "Your own words about beliefs that stay would stay:",
            plan.words_kept.len() as u64,
            plan.words_kept
                .iter()
                .map(|statement| format!("{} {}", statement.id.short(), word(statement))),
        ));
        lines.extend(section(
            "Of these, some keep their effect and are recorded again:",
            words_again(plan).count() as u64,
            words_again(plan).map(|again| match again.summary.as_str() {
                "" => format!("{} stays refuted, without your note", again.key),
                summary => shortened(summary),
            }),
        ));
        lines
    }
}

/// The person's words among the operations that are recorded again.
fn words_again(plan: &ForgetPlan) -> impl Iterator<Item = &RecordedAgain> {
    plan.again.iter().filter(|again| again.is_users_word())
}

/// A headline and the first of some lines; nothing if there are none.
fn section(headline: &str, number: u64, lines: impl Iterator<Item = String>) -> Vec<String> {
    if number == 0 {
        return Vec::new();
    }
    let mut section = vec![headline.to_owned()];
    section.extend(lines.take(SHOWN_MAX).map(|line| format!("  {line}")));
    let more = number.saturating_sub(SHOWN_MAX as u64);
    section.extend((more > 0).then(|| format!("  … and {more} more")));
    section
}

impl BeliefLine {
    fn of(belief: &Belief) -> Self {
        Self { key: belief.key.clone(), text: belief.text.clone(), confidence: belief.confidence }
    }
}

impl StatementLine {
    fn again(again: &RecordedAgain) -> Self {
        Self { id: again.id.to_string(), key: again.key.clone(), summary: again.summary.clone() }
    }

    fn of(statement: &UserStatement) -> Self {
        Self {
            id: statement.id.to_string(),
            key: statement.key.clone(),
            summary: statement.summary.clone(),
        }
    }
}
