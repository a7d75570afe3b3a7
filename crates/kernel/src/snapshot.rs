//! A ledger as it was: the same look-ups, without some operations.
//!
//! A cascade compares what is believed now with what was believed before its triggers, and an
//! invalidation is recorded again only if the claim was restored in between. Both ask the present
//! index and leave out what they should not see. Nothing is copied: a look-up costs what it costs
//! in the present, and hidden operations are read and dropped. The capabilities of keys are those
//! of the present, because they depend on an operation's place in the order and not on when they
//! are asked for.

use std::collections::BTreeSet;

use crate::access::Access;
use crate::id::{Author, BodyHash, OpId, SpaceId};
use crate::kind::Kind;
use crate::ledger_index::{Citing, Entry, Head, LedgerIndex};
use crate::operation::HlcTimestamp;
use crate::soundness::ClaimStatus;

/// What is left out.
#[derive(Clone, Debug)]
enum Hidden {
    These(BTreeSet<OpId>),
    /// Everything from this place in the order on.
    From((HlcTimestamp, OpId)),
}

/// Part of an index.
#[derive(Debug)]
pub struct Snapshot<'w, W: LedgerIndex + ?Sized> {
    index: &'w W,
    hidden: Hidden,
}

impl<'w, W: LedgerIndex + ?Sized> Snapshot<'w, W> {
    /// As if `ids` had not been recorded. What cites one of them cites something unknown. With no
    /// ids it is the present, except that no status is stored: everything is computed.
    pub fn without(index: &'w W, ids: BTreeSet<OpId>) -> Self {
        Self { index, hidden: Hidden::These(ids) }
    }

    /// The operations before `at` in the space's order.
    pub fn before(index: &'w W, at: (HlcTimestamp, OpId)) -> Self {
        Self { index, hidden: Hidden::From(at) }
    }

    /// The index that it is part of.
    pub fn present(&self) -> &'w W {
        self.index
    }

    fn shows_entry(&self, entry: &Entry) -> bool {
        match &self.hidden {
            Hidden::These(ids) => !ids.contains(&entry.id),
            Hidden::From(at) => entry.order() < *at,
        }
    }

    fn shows(&self, id: &OpId) -> Result<bool, W::Error> {
        match &self.hidden {
            Hidden::These(ids) => Ok(!ids.contains(id)),
            Hidden::From(_) => {
                Ok(self.index.entry(id)?.is_some_and(|entry| self.shows_entry(&entry)))
            }
        }
    }
}

impl<W: LedgerIndex + ?Sized> LedgerIndex for Snapshot<'_, W> {
    type Error = W::Error;

    fn space(&self) -> Result<Option<SpaceId>, W::Error> {
        self.index.space()
    }

    fn entry(&self, id: &OpId) -> Result<Option<Entry>, W::Error> {
        Ok(self.index.entry(id)?.filter(|entry| self.shows_entry(entry)))
    }

    fn citing(&self, id: &OpId) -> Result<Vec<Citing>, W::Error> {
        let mut shown = Vec::new();
        for citing in self.index.citing(id)? {
            if self.shows(&citing.id)? {
                shown.push(citing);
            }
        }
        Ok(shown)
    }

    fn acting(&self, id: &OpId, kind: &Kind, role: &str) -> Result<Vec<OpId>, W::Error> {
        let mut shown = Vec::new();
        for acting in self.index.acting(id, kind, role)? {
            if self.shows(&acting)? {
                shown.push(acting);
            }
        }
        Ok(shown)
    }

    fn identity(&self, key: &str) -> Result<Vec<Entry>, W::Error> {
        let mut entries = self.index.identity(key)?;
        entries.retain(|entry| self.shows_entry(entry));
        Ok(entries)
    }

    fn latest_of(
        &self,
        key: &str,
        kind: &Kind,
        mut before: Option<(HlcTimestamp, OpId)>,
    ) -> Result<Option<Entry>, W::Error> {
        if let Hidden::From(at) = &self.hidden {
            before = Some(before.map_or(*at, |before| before.min(*at)));
        }
        while let Some(entry) = self.index.latest_of(key, kind, before)? {
            if self.shows_entry(&entry) {
                return Ok(Some(entry));
            }
            before = Some(entry.order());
        }
        Ok(None)
    }

    /// The last operation of the author's chain that is not hidden.
    fn head(&self, author: &Author) -> Result<Option<Head>, W::Error> {
        let mut head = self.index.head(author)?;
        while let Some(last) = head
            && !self.shows(&last.id)?
        {
            let seq = last.seq.saturating_sub(1);
            head = match self.index.at_seq(author, seq)? {
                Some(id) => self.index.entry(&id)?.map(|entry| Head { seq, id, ts: entry.ts }),
                None => None,
            };
        }
        Ok(head)
    }

    fn at_seq(&self, author: &Author, seq: u64) -> Result<Option<OpId>, W::Error> {
        match self.index.at_seq(author, seq)? {
            Some(id) if self.shows(&id)? => Ok(Some(id)),
            _ => Ok(None),
        }
    }

    /// Always none: statuses are stored for the present.
    fn status(&self, _id: &OpId) -> Result<Option<ClaimStatus>, W::Error> {
        Ok(None)
    }

    fn access(&self) -> Result<&Access, W::Error> {
        self.index.access()
    }

    /// None where the latest is hidden, because an index of the latest does not know the one before
    /// it. [`Validity`](crate::validity::Validity) does not ask for this.
    fn evidence(
        &self,
        source: &str,
        source_uid: &str,
    ) -> Result<Option<(OpId, BodyHash)>, W::Error> {
        match self.index.evidence(source, source_uid)? {
            Some((id, body)) if self.shows(&id)? => Ok(Some((id, body))),
            _ => Ok(None),
        }
    }
}
