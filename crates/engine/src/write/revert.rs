//! Taking back what a list of changes of the graph did.

use kernel::body::{Body, Reason, Withdrawal};
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::Entry;
use kernel::operation::Role;
use kernel::records::{RecordStatus, Records};
use kernel::snapshot::Snapshot;
use kernel::validity::Validity;

use super::graph::GraphWriter;
use super::graph_refusal::GraphError;
use crate::belief::body_of;

impl GraphWriter<'_> {
    /// Takes back what an earlier list of changes appended and what is still in force, the latest
    /// first.
    pub(crate) fn revert(&mut self, appended: &[OpId]) -> Result<(), GraphError> {
        for id in appended.iter().rev() {
            let Some(entry) = self.index().entry(id)? else { continue };
            let is_retracted = Validity::new(self.index()).is_retracted(&entry)?;
            match entry.kind {
                Kind::Claim | Kind::Node | Kind::Edge if !is_retracted => {
                    let body = Body::Retraction(Reason { reason: String::new() });
                    self.act_on(*id, body)?;
                }
                Kind::Retraction => {
                    let withdrawn =
                        self.index().acting(id, &Kind::RetractionWithdrawal, Role::TARGET)?;
                    if withdrawn.is_empty() {
                        let body = Body::RetractionWithdrawal(Withdrawal { note: String::new() });
                        self.act_on(*id, body)?;
                    }
                }
                _ => {}
            }
        }
        self.say_again(appended)
    }

    /// Says again what stood before these operations and what they stated anew, with other times
    /// say: the earlier version does not stand by itself when the later one is taken back. What may
    /// not be said any more stays as it is.
    fn say_again(&mut self, appended: &[OpId]) -> Result<(), GraphError> {
        let mut entries = Vec::with_capacity(appended.len());
        for id in appended {
            entries.extend(self.index().entry(id)?);
        }
        let Some(first) = entries.iter().map(Entry::order).min() else { return Ok(()) };
        for Entry { kind, identity, record_key, .. } in entries {
            let key = match kind {
                Kind::Claim => identity,
                Kind::Node => record_key,
                _ => None,
            };
            let Some(key) = key else { continue };
            if Records::new(self.index()).stated(&kind, &key)?.is_some() {
                continue;
            }
            let Some(before) = self.index().latest_of(&key, &kind, Some(first))? else { continue };
            let then = Snapshot::before(self.index(), first);
            if Records::new(&then).status_of(&before)? != Some(RecordStatus::Active) {
                continue;
            }
            let Some(body) = body_of(self.index(), &before.id, &kind)? else { continue };
            match self.append(body, before.refs) {
                Ok(_) | Err(GraphError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
