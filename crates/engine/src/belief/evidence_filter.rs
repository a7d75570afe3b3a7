//! Retracts many records at once: all records of a source, of an actor, or of a month.
//!
//! A dry run of [`crate::Writer::act`] shows which beliefs they support.

use kernel::body::{Body, Reason};
use kernel::evidence::Evidence;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::seal::Draft;
use kernel::validity::Validity;
use store::{Ledger, Position};

use crate::belief::review::acting_on;
use crate::{EngineError, Reader};

/// Most records retracted at once.
pub const RECORDS_MAX: usize = 100_000;
/// Operations read at a time.
const READ_OPERATIONS: usize = 512;

/// A filter for records. Each part that is given must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvidenceFilter {
    /// Of this source: the name of a format, as `ical`.
    pub source: Option<String>,
    /// By this actor, in any letter case.
    pub actor: Option<String>,
    /// Of this month in local time: `2025-03`.
    pub month: Option<String>,
}

impl EvidenceFilter {
    fn fits(&self, evidence: &Evidence) -> bool {
        let same = |wanted: &Option<String>, found: Option<String>| match wanted {
            Some(wanted) => {
                found.is_some_and(|found| found.to_lowercase() == wanted.to_lowercase())
            }
            None => true,
        };
        let month = evidence.at.as_ref().map(|at| {
            let date = at.date();
            format!("{:04}-{:02}", date.year(), date.month())
        });
        same(&self.source, Some(evidence.source.clone()))
            && same(&self.actor, evidence.actor.clone())
            && same(&self.month, month)
    }
}

impl Reader<'_> {
    /// Drafts that retract every valid record that matches, in order of arrival; at most
    /// [`RECORDS_MAX`].
    pub fn drafts_to_retract(&self, without: &EvidenceFilter) -> Result<Vec<Draft>, EngineError> {
        let mut drafts = Vec::new();
        let mut position = Position(0);
        loop {
            let recorded = self.store.read(position, READ_OPERATIONS)?;
            let Some(last) = recorded.last() else { return Ok(drafts) };
            position = last.position;
            let fitting: Vec<OpId> = recorded
                .iter()
                .filter(|recorded| recorded.operation.header().kind == Kind::Evidence)
                .filter(|recorded| {
                    let body = recorded.operation.body();
                    let evidence =
                        body.and_then(|body| serde_json::from_slice::<Evidence>(body).ok());
                    evidence.is_some_and(|evidence| without.fits(&evidence))
                })
                .map(|recorded| recorded.operation.id())
                .collect();
            let valid = self.store.on_snapshot(|index| {
                let mut validity = Validity::new(index);
                let mut valid = Vec::new();
                for id in fitting {
                    if index.entry(&id)?.is_some() && validity.is_valid_input(&id)? {
                        valid.push(id);
                    }
                }
                Ok::<_, EngineError>(valid)
            })?;
            for id in valid {
                if drafts.len() == RECORDS_MAX {
                    return Ok(drafts);
                }
                drafts.push(acting_on(
                    id,
                    Body::EvidenceRetraction(Reason { reason: String::new() }),
                )?);
            }
        }
    }
}
