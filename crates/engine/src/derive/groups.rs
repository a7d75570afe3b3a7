//! The read stage: new evidence joins the groups of its derivers, and evidence that was retracted
//! or superseded leaves them. Evidence that was restored joins them again.
//!
//! Whether evidence counts, and whose word it is, depends on what its author may do at that point
//! of the space's order. A grant or revocation can arrive after operations that it concerns. Those
//! that were read by then were read under other capabilities, so the groups are emptied and filled
//! again from the first operation.

use derivers::{Deriver, GROUPS_MAX, KEY_BYTES_MAX, Record};
use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{Ref, Role};
use kernel::validity::Validity;
use store::sqlite::{GroupNumber, OperationRow, SqliteWriting};
use store::{Position, Writing};

use super::report::DeriverProblem;
use super::{Derivation, contained, parallel, records};
use crate::EngineError;

/// Operations read in one step.
pub(super) const READ_OPERATIONS_MAX: usize = 2_000;

/// A group that a record is to belong to.
pub(super) struct Wanted {
    deriver: &'static str,
    group: String,
}

impl Derivation<'_> {
    /// Reads what arrived. True if there may be more.
    pub(super) fn read(&mut self, writing: &mut SqliteWriting<'_>) -> Result<bool, EngineError> {
        let (position, registered) = writing.derived()?;
        if position == Position(0) {
            // All is read under the capabilities that follow from the whole ledger.
            self.access_known = writing.position();
        }
        let rows = writing.lines(position, READ_OPERATIONS_MAX)?;
        let Some(last) = rows.last() else { return Ok(false) };
        if self.changes_access_late(writing, &rows, position)? {
            writing.forget_derivation(&registered)?;
            return Ok(true);
        }
        self.report.read += rows.len() as u64;
        let derivers = self.derivers;
        let access = writing.access()?;
        let wanted = parallel::each(rows.iter().collect(), |row| {
            let by = records::signed_by(access, &row.author, row.place());
            if row.is_altered() {
                return Err(row.id);
            }
            let record = records::parse_evidence(row, by).filter(|_| row.kind == Kind::Evidence);
            Ok(record.map(|record| (records::at_us(&record), wanted_groups(derivers, &record))))
        });
        for (row, wanted) in rows.iter().zip(wanted) {
            let wanted = wanted.unwrap_or_else(|altered| {
                self.note_altered([altered]);
                None
            });
            if row.kind == Kind::RetractionWithdrawal {
                self.rejoin_groups(writing, row)?;
                continue;
            }
            let (acts_on, needed) = match row.kind {
                Kind::Evidence => (Role::SUPERSEDES, Capability::Append),
                Kind::EvidenceRetraction => (Role::TARGET, Capability::Append),
                // Here only in a dry run: once it is erased, derivation begins anew.
                Kind::Redaction => (Role::TARGET, Capability::Correct),
                _ => continue,
            };
            if !writing.access()?.holds(&row.author, needed, row.place()) {
                continue;
            }
            for cited in row.refs.iter().filter(|cited| cited.role.as_str() == acts_on) {
                self.leave_groups(writing, &cited.id)?;
            }
            if let Some((at_us, wanted)) = wanted {
                for group in self.numbers(writing, &row.id, wanted)? {
                    writing.join(group, at_us, row.ts, row.position)?;
                }
            }
        }
        writing.set_derived(last.position)?;
        Ok(true)
    }

    /// Whether one of `rows` is a grant or revocation that concerns operations up to `read`, which
    /// were read without it.
    fn changes_access_late(
        &self,
        writing: &SqliteWriting<'_>,
        rows: &[OperationRow],
        read: Position,
    ) -> Result<bool, EngineError> {
        for row in rows.iter().filter(|row| row.position > self.access_known) {
            if !matches!(row.kind, Kind::Grant | Kind::Revoke) {
                continue;
            }
            let Some(body) = writing.body(&row.id)? else { continue };
            let Ok(Body::Grant(grant) | Body::Revoke(grant)) = Body::parse(&row.kind, &body) else {
                continue;
            };
            // Who may administer decides about every other key, too.
            let concerns_all = grant.capabilities.contains(&Capability::Admin);
            let author = if concerns_all { None } else { Some(&grant.key) };
            let is_beyond = match grant.last_seq.filter(|_| row.kind == Kind::Revoke) {
                Some(last_seq) => writing.has_beyond(&grant.key, last_seq, read)?,
                None => false,
            };
            if is_beyond || writing.has_later(author, row.ts, read)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes evidence out of its groups.
    fn leave_groups(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        id: &OpId,
    ) -> Result<(), EngineError> {
        let Some(row) = writing.line(id)?.filter(|row| row.kind == Kind::Evidence) else {
            return Ok(());
        };
        let by = records::signed_by(writing.access()?, &row.author, row.place());
        if let Some(record) = records::of_evidence(&row, by) {
            for group in self.groups(writing, &record)? {
                writing.leave(group, records::at_us(&record), row.position)?;
            }
        }
        Ok(())
    }

    /// Puts evidence back into its groups, if it counts again because a retraction was withdrawn.
    fn rejoin_groups(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        withdrawal: &OperationRow,
    ) -> Result<(), EngineError> {
        let targets = |refs: &[Ref]| -> Vec<OpId> {
            let cited = refs.iter().filter(|cited| cited.role.as_str() == Role::TARGET);
            cited.map(|cited| cited.id).collect()
        };
        for retraction in targets(&withdrawal.refs) {
            let Some(retraction) = writing.entry(&retraction)? else { continue };
            for target in targets(&retraction.refs) {
                let row = writing.line(&target)?.filter(|row| row.kind == Kind::Evidence);
                let Some(row) = row else { continue };
                if !Validity::new(&*writing).is_valid_input(&target)? {
                    continue;
                }
                let by = records::signed_by(writing.access()?, &row.author, row.place());
                if let Some(record) = records::of_evidence(&row, by) {
                    for group in self.groups(writing, &record)? {
                        writing.join(group, records::at_us(&record), row.ts, row.position)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The groups of a record, of all derivers.
    pub(super) fn groups(
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
                    self.report.note_problem(DeriverProblem { message, ..problem });
                }
            }
        }
        Ok(groups)
    }

    /// Marks the groups of everything that a claim was built from.
    pub(super) fn mark_groups_of_inputs(
        &mut self,
        writing: &mut SqliteWriting<'_>,
        claim: &OpId,
    ) -> Result<(), EngineError> {
        let Some(entry) = writing.entry(claim)? else { return Ok(()) };
        for input in kernel::validity::inputs(&entry) {
            let Some(row) = writing.line(&input)? else { continue };
            let record = match row.kind {
                Kind::Evidence => {
                    let by = records::signed_by(writing.access()?, &row.author, row.place());
                    records::of_evidence(&row, by)
                }
                _ => {
                    records::served_by(&row, "").map(|believed| records::of_belief(&row, &believed))
                }
            };
            if let Some(record) = record {
                for group in self.groups(writing, &record)? {
                    writing.mark(group)?;
                }
            }
        }
        Ok(())
    }
}

/// The groups of a record, of all derivers. A deriver that panics contributes none and is named.
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
