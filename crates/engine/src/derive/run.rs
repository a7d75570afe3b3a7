//! The run stage: each marked group is shown to its deriver, and its candidates are submitted.

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::rules::RuleViolation;
use store::Writing;
use store::sqlite::{Marked, SqliteWriting};

use super::examine::{Accepted, examine};
use super::records::{CommonEvidence, GroupRecords};
use super::{Derivation, parallel, records, shown_to};
use crate::EngineError;
use crate::write::submission::{Refusal, Submitted, record_consequences, submit};

/// Groups run in one step.
pub(super) const RUN_GROUPS_MAX: usize = 100;
/// Claims appended by a derivation whose layers are kept in memory. Beyond that they are computed
/// again from their inputs, which costs another run of their groups.
const LAYERS_KEPT_MAX: usize = 100_000;
/// Inputs of claims whose positions are kept in memory. Others are looked up by id.
const POSITIONS_KEPT_MAX: usize = 100_000;

impl Derivation<'_> {
    /// Shows marked groups to their derivers. True if there may be more.
    pub(super) fn run(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let groups = writing.take_marked(RUN_GROUPS_MAX)?;
        let mut questions = Vec::with_capacity(groups.len());
        for group in &groups {
            if let Some(deriver) = self.deriver(&group.deriver) {
                questions.push((group, deriver, records::of_group(writing, group.number)?));
            }
        }
        self.report.groups += questions.len() as u64;
        let common = CommonEvidence::of(questions.iter().map(|(.., members)| members));
        let answers = parallel::each(questions, |(group, deriver, members)| {
            let group_records = GroupRecords::of(members, &common);
            let candidates = shown_to(deriver, &group.name, &group_records.records);
            let answer =
                candidates.map(|candidates| examine(deriver, group, &group_records, candidates));
            (group, answer, group_records.altered)
        });
        let mut accepted = Vec::new();
        for (group, answer, altered) in answers {
            self.note_altered(altered);
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
        self.record_consequences(writing)?;
        if groups.is_empty() {
            for group in std::mem::take(&mut self.next_pass) {
                writing.mark(group)?;
            }
        }
        Ok(!groups.is_empty())
    }

    /// Notes what a group concludes now. Of several groups that conclude the same identity, the
    /// first is authoritative.
    fn note_made(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        group: &Marked,
        kept: Vec<Accepted>,
        accepted: &mut Vec<Accepted>,
    ) -> Result<(), EngineError> {
        let made = writing.made(group.number)?;
        for key in made.iter().filter(|key| !kept.iter().any(|kept| kept.key() == key.as_str())) {
            writing.remove_made(group.number, key)?;
            match writing.makers(key)?.first() {
                Some(next) => {
                    self.next_pass.insert(next.number);
                }
                None => writing.mark_unsupported(key)?,
            }
        }
        for candidate in kept {
            writing.add_made(group.number, candidate.key())?;
            let is_authoritative = writing
                .makers(candidate.key())?
                .first()
                .is_none_or(|first| first.number == group.number);
            if is_authoritative {
                accepted.push(candidate);
            }
        }
        Ok(())
    }

    fn submit(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        accepted: Accepted,
    ) -> Result<(), EngineError> {
        let Accepted { group, layer, draft } = accepted;
        let key = draft.identity_key.clone();
        let current = writing.latest_of(&key, &Kind::Claim, None)?;
        if let Some(current) = current
            && self.lacks_ground(writing, &current.id)?
        {
            self.report.not_judged += 1;
            return Ok(());
        }
        let inputs: Vec<OpId> = draft.inputs.iter().map(|input| input.id).collect();
        let submitted = submit(self.sealer, writing as &mut dyn Writing, draft, self.now_us)?;
        self.report.count(&submitted);
        match submitted {
            Submitted::Added(id) | Submitted::Updated(id) => {
                self.note_positions(writing, &inputs)?;
                if self.layers.len() >= LAYERS_KEPT_MAX {
                    self.layers.clear();
                }
                self.layers.insert(id, layer);
            }
            // An input was replaced in this very pass; the next one shows the new version.
            Submitted::Refused(Refusal::Rule(RuleViolation::StaleInput { .. })) => {
                self.next_pass.insert(group.number);
            }
            Submitted::Refused(refusal) => {
                self.problem(&group, format!("the claim {key:?} {refusal}"));
            }
            Submitted::Unchanged(_) | Submitted::Withheld(_) => {}
        }
        Ok(())
    }

    /// Notes where the inputs of a claim are: they were just read, and are hashed in the end.
    fn note_positions(
        &mut self,
        writing: &SqliteWriting<'_>,
        inputs: &[OpId],
    ) -> Result<(), EngineError> {
        for input in inputs {
            if self.positions.len() >= POSITIONS_KEPT_MAX {
                break;
            }
            if let Some(position) = writing.position_of(input)? {
                self.positions.insert(*input, position);
            }
        }
        Ok(())
    }

    /// Records the consequences of the appended operations.
    pub(crate) fn record_consequences(
        &mut self,
        writing: &mut SqliteWriting<'_>,
    ) -> Result<(), EngineError> {
        let consequences = record_consequences(self.sealer, writing, self.now_us)?;
        self.report.count_consequences(consequences);
        Ok(())
    }
}
