//! Which evidence is mined.
//!
//! Conversations, notes, mail, commits and what loops of agents record are mined: records that were
//! neither retracted nor replaced, that read as they were signed, and that repeat nothing. Events,
//! photographs and the person's own statements are not: derivers read the former, and the latter
//! are claims already.
//!
//! What arrived since the last checkpoint follows from the ledger. A checkpoint ends with a summary
//! of the project, which cites the last record that it has seen. So the newest record that a
//! summary by this key cites in that role says how far this copy of the ledger was read. That holds
//! even if the words of the summary were forgotten.

use derivers::{Record, RecordBody};
use kernel::access::Place;
use kernel::body::Body;
use kernel::evidence::{Evidence, EvidenceKind, Visibility};
use kernel::id::{Author, OpId};
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use store::{Ledger, Position, Recorded};

use crate::derive::records::signed_by;
use crate::graph::RecordView;
use crate::selection::RecordState;
use crate::{EngineError, Reader};

/// Most records that are mined together by their ids, a session or a time.
pub const RECORDS_MAX: usize = 2_000;
/// Most operations that are looked at from the end of the ledger for the newest segment.
const LOOKED_BACK_MAX: u64 = 100_000;
/// Operations read at a time.
const READ_OPERATIONS: usize = 512;

/// The role in which a project's summary cites the last record that its checkpoint has seen.
pub const UNTIL_ROLE: &str = "until";
/// The tag of a project's summary.
pub const PROJECT: &str = "mi:checkpoint:project";

/// Kinds of records that loops of agents make.
#[rustfmt::skip]
pub const LOOP_KINDS: [&str; 14] = [
    "snapshot", "decide_next", "decision", "action", "actions", "hands_action", "hands_input", "hands_output", "tool_call",
    "evidence", "check_plan", "auto_answer", "user_input", "thought_action",
];

/// Where the last checkpoint ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastCheckpoint {
    /// The position up to which this copy of the ledger was read.
    pub reached: Position,
    /// The summary of the project, without what is private.
    pub summary: Option<RecordView>,
}

/// A record that may be mined.
#[derive(Clone, Debug, PartialEq)]
pub struct MinableRecord {
    /// It as derivers see it.
    pub record: Record,
    /// Its number in order of arrival.
    pub position: Position,
}

impl MinableRecord {
    /// Its operation.
    pub fn id(&self) -> OpId {
        self.record.id
    }

    /// Its content.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.record.evidence()
    }

    /// Who may see it.
    pub fn visibility(&self) -> Visibility {
        self.evidence().map_or(Visibility::Private, |evidence| evidence.visibility)
    }

    /// When it happened, or when it was recorded.
    pub fn at_us(&self) -> i64 {
        let recorded_us = || i64::try_from(self.record.recorded_at.0).unwrap_or(i64::MAX);
        let at = self.evidence().and_then(|evidence| evidence.at.as_ref());
        at.map_or_else(recorded_us, kernel::when::When::instant_us)
    }
}

/// Whether records of a kind are mined.
pub fn is_minable(kind: &EvidenceKind) -> bool {
    let kind = kind.0.as_str();
    matches!(
        kind,
        EvidenceKind::TURN | EvidenceKind::NOTE | EvidenceKind::MAIL | EvidenceKind::COMMIT
    ) || LOOP_KINDS.contains(&kind)
}

impl Reader<'_> {
    /// Those of some operations that may be mined, in order of arrival.
    pub fn minable(&self, ids: Vec<OpId>) -> Result<Vec<MinableRecord>, EngineError> {
        let mut records = Vec::new();
        for id in self.in_state(ids, RecordState::Valid)? {
            if let Some(recorded) = self.store.get(&id)? {
                records.extend(self.read_minable(recorded)?);
            }
        }
        records.sort_by_key(|record| record.position);
        Ok(records)
    }

    /// The newest evidence that may be mined, of what happened at a time or later, at most `limit`
    /// records, in order of arrival.
    pub fn newest_minable(
        &self,
        limit: usize,
        since_us: Option<i64>,
    ) -> Result<Vec<MinableRecord>, EngineError> {
        let mut end = self.store.head()?.0;
        let until = end.saturating_sub(LOOKED_BACK_MAX);
        let mut newest = Vec::new();
        while end > until && newest.len() < limit {
            let start = end.saturating_sub(READ_OPERATIONS as u64).max(until);
            let block = self.store.read(Position(start), (end - start) as usize)?;
            for recorded in block.into_iter().rev() {
                if newest.len() < limit {
                    let record = self.valid_minable(recorded)?;
                    let is_since = |record: &MinableRecord| {
                        since_us.is_none_or(|since| record.at_us() >= since)
                    };
                    newest.extend(record.filter(is_since));
                }
            }
            end = start;
        }
        newest.reverse();
        Ok(newest)
    }

    /// Evidence that arrived after a position, in order of arrival, at most `limit` records, and
    /// the position up to which that is all of it.
    pub fn minable_after(
        &self,
        after: Position,
        limit: usize,
    ) -> Result<(Vec<MinableRecord>, Position), EngineError> {
        let (mut records, mut reached) = (Vec::new(), after);
        loop {
            let block = self.store.read(reached, READ_OPERATIONS)?;
            if block.is_empty() {
                return Ok((records, reached));
            }
            for recorded in block {
                let position = recorded.position;
                records.extend(self.valid_minable(recorded)?);
                reached = position;
                if records.len() >= limit {
                    return Ok((records, reached));
                }
            }
        }
    }

    /// The last checkpoint by a key. The cost follows what arrived since then.
    pub fn last_checkpoint(&self, author: &Author) -> Result<LastCheckpoint, EngineError> {
        let mut last = LastCheckpoint::default();
        let mut end = self.store.head()?.0;
        let until = end.saturating_sub(LOOKED_BACK_MAX);
        while end > 0 && (end > until || last.reached == Position(0)) {
            let start = end.saturating_sub(READ_OPERATIONS as u64);
            let block = self.store.read(Position(start), (end - start) as usize)?;
            for recorded in block.iter().rev() {
                if recorded.operation.header().kind != Kind::Evidence {
                    continue;
                }
                for summary in self.summaries_until(&recorded.operation.id(), author)? {
                    last.reached = last.reached.max(recorded.position);
                    if summary.visibility != Visibility::Private
                        && summary.tags.iter().any(|tag| tag == PROJECT)
                    {
                        last.summary = Some(summary);
                        return Ok(last);
                    }
                }
            }
            end = start;
        }
        Ok(last)
    }

    /// The summaries of the project by a key that end with a record.
    fn summaries_until(
        &self,
        record: &OpId,
        author: &Author,
    ) -> Result<Vec<RecordView>, EngineError> {
        let citing = self.store.ledger_index()?.acting(record, &Kind::Node, UNTIL_ROLE)?;
        let mut summaries = Vec::new();
        for id in citing {
            let view = self.record_view(&id, None)?;
            summaries.extend(view.filter(|view| view.author == *author));
        }
        Ok(summaries)
    }

    fn valid_minable(&self, recorded: Recorded) -> Result<Option<MinableRecord>, EngineError> {
        if recorded.operation.header().kind != Kind::Evidence {
            return Ok(None);
        }
        let Some(record) = self.read_minable(recorded)? else { return Ok(None) };
        let is_valid = !self.in_state(vec![record.id()], RecordState::Valid)?.is_empty();
        Ok(Some(record).filter(|_| is_valid))
    }

    /// Evidence as a record; none if it may not be mined.
    fn read_minable(&self, recorded: Recorded) -> Result<Option<MinableRecord>, EngineError> {
        let Recorded { position, operation } = recorded;
        let header = operation.header();
        if header.kind != Kind::Evidence || operation.check_hashes().is_err() {
            return Ok(None);
        }
        let body = operation.body().and_then(|body| Body::parse(&Kind::Evidence, body).ok());
        let Some(Body::Evidence(evidence)) = body else { return Ok(None) };
        if !is_minable(&evidence.kind) || evidence.echo().is_some() {
            return Ok(None);
        }
        let id = operation.id();
        let place = Place { order: (header.ts, id), seq: header.seq };
        let index = self.store.ledger_index()?;
        let signed_by = signed_by(index.access()?, &header.author, place);
        let record = Record {
            id,
            recorded_at: header.ts,
            signed_by,
            body: RecordBody::Evidence(Box::new(evidence)),
        };
        Ok(Some(MinableRecord { record, position }))
    }
}
