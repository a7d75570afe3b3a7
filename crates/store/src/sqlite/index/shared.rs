//! What several readers of one file share: columns that only ever move on, in versions.
//!
//! A version is what a column holds at one position of its view. The newest is kept for whoever
//! asks next, and moves on in place as long as nobody holds it. A reader holds the version of its
//! own moment as long as it reads, so nothing changes under it; then the next version shares all
//! blocks with it but those that changed ([`super::column`]). The lock is held while a version is
//! made, so each is read once, and never while somebody searches.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::attributes::Attributes;
use super::lengths::Lengths;
use super::meaning::Windows;
use super::tables::IndexTables;
use super::vectors::Vectors;
use super::{Reach, reach};
use crate::StoreError;

/// Something that is read up to a point, and can be read on from there.
pub(in super::super) trait Version: Clone + Default {
    /// A point up to which it can be read.
    type At;

    /// Whether reading on gives what is there at `at`.
    fn leads_to(&self, at: &Self::At) -> bool;
    /// Whether it is what is there at `at`, and nothing is left to be read.
    fn is_at(&self, at: &Self::At) -> bool;
    /// Whether it holds what came after `at`.
    fn is_after(&self, at: &Self::At) -> bool;
}

/// The newest version, for everybody.
#[derive(Debug, Default)]
pub(in super::super) struct Latest<T>(Mutex<Arc<T>>);

impl<T: Version> Latest<T> {
    /// The newest version, for a reader whose moment is yet to begin: it leads there.
    fn pin(&self) -> Arc<T> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The version at a reader's moment, which its `pin` holds from then on. `read_on` reads what
    /// is missing as the reader sees the file.
    pub(in super::super) fn at(
        &self,
        pin: &mut Option<Arc<T>>,
        at: &T::At,
        read_on: impl FnOnce(&mut T) -> Result<(), StoreError>,
    ) -> Result<Arc<T>, StoreError> {
        if let Some(held) = pin.as_ref().filter(|held| held.is_at(at)) {
            return Ok(Arc::clone(held));
        }
        // Whoever panicked while reading on left an empty version.
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !latest.is_at(at) {
            if !latest.leads_to(at) && latest.is_after(at) {
                drop(latest);
                // Others are ahead of this reader: it reads on from what it holds, for itself.
                let held = pin.take().filter(|held| held.leads_to(at));
                let mut own = held.map_or_else(T::default, Arc::unwrap_or_clone);
                read_on(&mut own)?;
                return Ok(Arc::clone(pin.insert(Arc::new(own))));
            }
            // Held by nobody, it is not copied. If reading fails, the next reader begins anew.
            *pin = None;
            let mut next = Arc::unwrap_or_clone(std::mem::take(&mut *latest));
            read_on(&mut next)?;
            *latest = Arc::new(next);
        }
        Ok(Arc::clone(pin.insert(Arc::clone(&latest))))
    }

    fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }
}

/// The newest columns of an index.
#[derive(Debug, Default)]
pub(in super::super) struct Columns {
    attributes: Latest<Attributes>,
    lengths: Latest<Lengths>,
    windows: Latest<Windows>,
}

/// The columns of an index at a reader's moment, as far as it asked for them.
#[derive(Debug, Default)]
pub(in super::super) struct PinnedColumns {
    attributes: Option<Arc<Attributes>>,
    lengths: Option<Arc<Lengths>>,
    windows: Option<Arc<Windows>>,
}

/// The columns that a search needs.
pub(in super::super) struct SearchColumns {
    pub(in super::super) reach: Reach,
    pub(in super::super) attributes: Arc<Attributes>,
    pub(in super::super) lengths: Arc<Lengths>,
    pub(in super::super) windows: Arc<Windows>,
}

impl Columns {
    fn pin(&self) -> PinnedColumns {
        PinnedColumns {
            attributes: Some(self.attributes.pin()),
            lengths: Some(self.lengths.pin()),
            windows: Some(self.windows.pin()),
        }
    }

    /// What is kept of each document, in the transaction that is open on `connection`.
    pub(in super::super) fn attributes(
        &self,
        pinned: &mut PinnedColumns,
        connection: &Connection,
        tables: &IndexTables,
        reach: Reach,
    ) -> Result<Arc<Attributes>, StoreError> {
        self.attributes.at(&mut pinned.attributes, &reach, |attributes| {
            attributes.refresh(connection, tables, reach)
        })
    }

    /// What a search needs, in the transaction that is open on `connection`.
    pub(in super::super) fn for_search(
        &self,
        pinned: &mut PinnedColumns,
        connection: &Connection,
        tables: &IndexTables,
    ) -> Result<SearchColumns, StoreError> {
        let reach = reach(connection, tables)?;
        let attributes = self.attributes(pinned, connection, tables, reach)?;
        let lengths = self.lengths.at(&mut pinned.lengths, &reach, |lengths| {
            lengths.refresh(connection, tables, reach)
        })?;
        let documents = attributes.len();
        let windows = self.windows.at(&mut pinned.windows, &(reach, documents), |windows| {
            windows.refresh(connection, tables, reach, documents)
        })?;
        Ok(SearchColumns { reach, attributes, lengths, windows })
    }

    fn clear(&self) {
        self.attributes.clear();
        self.lengths.clear();
        self.windows.clear();
    }
}

/// The newest of all that searches need in memory.
#[derive(Debug, Default)]
pub(in super::super) struct AllColumns {
    pub(in super::super) episodes: Columns,
    pub(in super::super) facts: Columns,
    pub(in super::super) vectors: Latest<Vectors>,
}

/// The same at a reader's moment.
#[derive(Debug, Default)]
pub(in super::super) struct Pinned {
    pub(in super::super) episodes: PinnedColumns,
    pub(in super::super) facts: PinnedColumns,
    pub(in super::super) vectors: Option<Arc<Vectors>>,
}

impl AllColumns {
    /// What a reader begins with. To be called before its moment begins, so that it leads there.
    pub(in super::super) fn pin(&self) -> Pinned {
        Pinned {
            episodes: self.episodes.pin(),
            facts: self.facts.pin(),
            vectors: Some(self.vectors.pin()),
        }
    }

    /// Gives up everything, since the views are made anew.
    pub(in super::super) fn clear(&self) {
        self.episodes.clear();
        self.facts.clear();
        self.vectors.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers up to a point, and how often reading began at the start.
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Numbers(Vec<u32>, u32);

    impl Version for Numbers {
        type At = u32;

        fn leads_to(&self, at: &u32) -> bool {
            self.0.len() <= *at as usize
        }

        fn is_at(&self, at: &u32) -> bool {
            self.0.len() == *at as usize
        }

        fn is_after(&self, at: &u32) -> bool {
            self.0.len() > *at as usize
        }
    }

    fn read_on(to: u32) -> impl FnOnce(&mut Numbers) -> Result<(), StoreError> {
        move |numbers| {
            numbers.1 += u32::from(numbers.0.is_empty());
            numbers.0.extend(numbers.0.len() as u32..to);
            Ok(())
        }
    }

    fn at(latest: &Latest<Numbers>, pin: &mut Option<Arc<Numbers>>, to: u32) -> Arc<Numbers> {
        let found = latest.at(pin, &to, read_on(to)).unwrap();
        assert_eq!(found.0, (0..to).collect::<Vec<_>>());
        found
    }

    #[test]
    fn each_version_is_read_once_and_is_the_same_for_all() {
        let latest = Latest::<Numbers>::default();
        let (mut one, mut other) = (Some(latest.pin()), Some(latest.pin()));
        assert!(Arc::ptr_eq(&at(&latest, &mut one, 5), &at(&latest, &mut other, 5)));
        assert_eq!(at(&latest, &mut None, 8).1, 1, "it was read on from 5");
    }

    #[test]
    fn a_reader_keeps_its_moment_while_others_go_on() {
        let latest = Latest::<Numbers>::default();
        at(&latest, &mut None, 3);
        let mut slow = Some(latest.pin());
        at(&latest, &mut None, 9);
        assert_eq!(at(&latest, &mut slow, 5).1, 1, "it reads on from what it began with");
        assert_eq!(at(&latest, &mut slow, 5).0.len(), 5);
        // Who began before anything was read has to read it alone, and leaves the others theirs.
        assert_eq!(at(&latest, &mut None, 5).0.len(), 5);
        assert_eq!(latest.pin().0.len(), 9);
    }

    #[test]
    fn what_fails_to_be_read_is_read_again_from_the_start() {
        let latest = Latest::<Numbers>::default();
        at(&latest, &mut None, 3);
        let failure = StoreError::Damaged { detail: "test".to_owned() };
        assert!(latest.at(&mut None, &4, |_| Err(failure)).is_err());
        assert_eq!(at(&latest, &mut None, 4).1, 1);
    }
}
