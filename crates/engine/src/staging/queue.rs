//! The candidates of a space, and what was decided about them.

use kernel::body::Body;
use kernel::id::{Author, OpId};
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::HlcTimestamp;
use kernel::proposal::{Decision, Proposal};
use kernel::seal::Draft;
use kernel::validity::Validity;
use serde_json::{Map, Value};
use store::StoreError;

use super::GraphCandidate;
use crate::belief::review::{Status, acting_on, decided};
use crate::belief::user::UserError;
use crate::belief::{Bodies, body_of};
use crate::{EngineError, Reader};

/// A candidate that was staged.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedCandidate {
    /// The proposal.
    pub id: OpId,
    /// When it was staged.
    pub at: HlcTimestamp,
    /// The key that signed it.
    pub by: Author,
    /// What would be added.
    pub candidate: GraphCandidate,
    /// Whether it was decided. It is moot if all of its sources were taken back.
    pub status: Status,
}

impl StagedCandidate {
    /// Reads a proposal as a candidate. `None` if it is something else, or its author may not
    /// propose.
    pub(super) fn read<B: Bodies + ?Sized>(
        index: &B,
        entry: &Entry,
    ) -> Result<Option<Self>, StoreError> {
        let Some(Body::Proposal(proposal)) = body_of(index, &entry.id, &Kind::Proposal)? else {
            return Ok(None);
        };
        let sources = entry.cited(Proposal::SOURCE).collect();
        let Some(candidate) = GraphCandidate::read(proposal, sources) else { return Ok(None) };
        if !index.access()?.holds(&entry.author, Capability::Derive, entry.place()) {
            return Ok(None);
        }
        let status = match decided(index, &entry.id)? {
            Some(status) => status,
            None if has_source(index, &candidate.sources)? => Status::Pending,
            None => Status::Moot,
        };
        Ok(Some(Self { id: entry.id, at: entry.ts, by: entry.author, candidate, status }))
    }

    /// A decision about it, with what else is to be said of the decision, such as what was
    /// appended.
    pub fn decision(
        &self,
        verdict: &str,
        feedback: &str,
        others: Map<String, Value>,
    ) -> Result<Draft, EngineError> {
        let decision =
            Decision { verdict: verdict.to_owned(), feedback: feedback.to_owned(), others };
        acting_on(self.id, Body::Decision(decision))
    }
}

/// Whether one of the sources was not taken back.
fn has_source<B: Bodies + ?Sized>(index: &B, sources: &[OpId]) -> Result<bool, StoreError> {
    for id in sources {
        if let Some(entry) = index.entry(id)?
            && !Validity::new(index).is_retracted(&entry)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Reader<'_> {
    /// Every candidate, in the order in which they were staged, now or as of a time of recording
    /// (microseconds since the Unix epoch).
    pub fn candidates(&self, as_of_us: Option<u64>) -> Result<Vec<StagedCandidate>, EngineError> {
        let read = |index: &dyn Bodies, entry: &Entry| StagedCandidate::read(index, entry);
        let mut candidates = self.proposals_at(as_of_us, read)?;
        self.take_altered(&mut candidates, |candidate| Some(candidate.id))?;
        Ok(candidates)
    }

    /// The candidate that `name` (an id or the beginning of one) names, whatever its status; none
    /// if it names something else.
    pub fn candidate(&self, name: &str) -> Result<Option<StagedCandidate>, EngineError> {
        let id = self.resolve(name)?;
        let candidate = self.store.on_snapshot(|index| match index.entry(&id)? {
            Some(entry) if entry.kind == Kind::Proposal => StagedCandidate::read(index, &entry),
            _ => Ok::<_, StoreError>(None),
        })?;
        self.check_as_signed(candidate.iter().map(|candidate| candidate.id))?;
        Ok(candidate)
    }

    /// The candidate that `name` names, to be decided; none if it names something else.
    pub fn candidate_to_decide(&self, name: &str) -> Result<Option<StagedCandidate>, EngineError> {
        match self.candidate(name)? {
            Some(StagedCandidate { id, status, .. }) if status != Status::Pending => {
                Err(UserError::ReviewSettled { id, status }.into())
            }
            found => Ok(found),
        }
    }
}
