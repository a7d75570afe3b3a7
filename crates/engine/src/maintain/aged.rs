//! Records that are old enough to be marked by a rule.

use kernel::body::{Body, Mark};
use kernel::id::OpId;
use kernel::when::When;
use store::{Position, Recorded, StoreError};

use super::marks::{mark_of, markable};
use crate::inspect::LogFilter;
use crate::{EngineError, Reader};

/// A rule by which records are marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgeFilter {
    /// Of one of these kinds: `thought`, `node`, or kinds of evidence as `turn`. Of any if empty.
    pub kinds: Vec<String>,
    /// Of this source, in any letter case.
    pub source: Option<String>,
    /// From this time at the latest, microseconds since the Unix epoch: the record's own time, or
    /// that of its recording if it has none.
    pub until_us: u64,
}

impl AgeFilter {
    fn fits(&self, recorded: &Recorded) -> bool {
        let header = recorded.operation.header();
        let body = recorded.operation.body().and_then(|body| Body::parse(&header.kind, body).ok());
        let (at_us, source) = match &body {
            Some(Body::Evidence(evidence)) => {
                (evidence.at.as_ref().map(When::instant_us), Some(evidence.source.as_str()))
            }
            _ => (None, None),
        };
        let at_us = at_us.unwrap_or_else(|| header.ts.0.cast_signed());
        let is_of_source = self.source.as_ref().is_none_or(|wanted| {
            source.is_some_and(|source| source.to_lowercase() == wanted.to_lowercase())
        });
        is_of_source && i64::try_from(self.until_us).is_ok_and(|until_us| at_us <= until_us)
    }
}

impl Reader<'_> {
    /// Records that a rule concerns and that are not marked, in order of arrival, at most `limit`;
    /// and whether there are more. It reads the ledger.
    pub fn aged(&self, filter: &AgeFilter, limit: usize) -> Result<(Vec<OpId>, bool), EngineError> {
        let index = self.store.ledger_index()?;
        let (mut found, mut has_more) = (Vec::new(), false);
        let mut failure: Option<StoreError> = None;
        let is_open = |recorded: &Recorded| {
            let id = recorded.operation.id();
            Ok::<_, StoreError>(
                recorded.operation.header().kind.spec().may_be_marked
                    && filter.fits(recorded)
                    && markable(&index, &id)?.is_ok()
                    && !matches!(mark_of(&index, &id)?, Some((Mark::Removal, _))),
            )
        };
        let log = LogFilter { kinds: filter.kinds.clone(), ..LogFilter::default() };
        self.log(Position(0), &log, |recorded| match is_open(&recorded) {
            Ok(false) => true,
            Ok(true) if found.len() == limit => {
                has_more = true;
                false
            }
            Ok(true) => {
                found.push(recorded.operation.id());
                true
            }
            Err(error) => {
                failure = Some(error);
                false
            }
        })?;
        match failure {
            Some(error) => Err(error.into()),
            None => Ok((found, has_more)),
        }
    }
}
