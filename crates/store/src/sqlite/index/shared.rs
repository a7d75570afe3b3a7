//! Columns that all handles of a process share, in versions.
//!
//! A version is what a column holds at one position of its view. The latest version is kept for the
//! next reader and is brought forward in place while nobody holds it. A reader pins the version of
//! its snapshot, so nothing changes under it; the next version then shares all blocks with it
//! except the changed ones ([`super::column`]). The lock is held while a version is loaded, so each
//! is loaded once, and never during a search.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::attributes::Attributes;
use super::lengths::Lengths;
use super::meaning::Windows;
use super::tables::IndexTables;
use super::vectors::Vectors;
use super::{Reach, reach};
use crate::StoreError;

/// Data that is loaded up to a point and can be brought forward from there.
pub(in super::super) trait Version: Clone + Default {
    /// A point up to which it can be loaded.
    type At;

    /// Whether it can be brought forward to `at`.
    fn leads_to(&self, at: &Self::At) -> bool;
    /// Whether it is completely loaded, and exactly up to `at`.
    fn is_at(&self, at: &Self::At) -> bool;
    /// Whether it contains anything that came after `at`.
    fn is_after(&self, at: &Self::At) -> bool;
}

/// The latest version, shared by all readers.
#[derive(Debug, Default)]
pub(in super::super) struct Latest<T>(Mutex<Arc<T>>);

impl<T: Version> Latest<T> {
    /// The latest version, for a reader that takes its snapshot afterwards.
    fn pin(&self) -> Arc<T> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The version of a reader's snapshot, which `pin` holds from then on. `load` loads what is
    /// missing, from the reader's snapshot.
    pub(in super::super) fn at(
        &self,
        pin: &mut Option<Arc<T>>,
        at: &T::At,
        load: impl FnOnce(&mut T) -> Result<(), StoreError>,
    ) -> Result<Arc<T>, StoreError> {
        if let Some(held) = pin.as_ref().filter(|held| held.is_at(at)) {
            return Ok(Arc::clone(held));
        }
        // A panic during loading leaves an empty version, which is valid.
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !latest.is_at(at) {
            if !latest.leads_to(at) && latest.is_after(at) {
                drop(latest);
                // The latest version is too new for this snapshot: the reader makes its own, from
                // the one that it pinned.
                let held = pin.take().filter(|held| held.leads_to(at));
                let mut own = held.map_or_else(T::default, Arc::unwrap_or_clone);
                load(&mut own)?;
                return Ok(Arc::clone(pin.insert(Arc::new(own))));
            }
            // Unpinned, it is not copied. If loading fails, the next reader starts over.
            *pin = None;
            let mut next = Arc::unwrap_or_clone(std::mem::take(&mut *latest));
            load(&mut next)?;
            *latest = Arc::new(next);
        }
        Ok(Arc::clone(pin.insert(Arc::clone(&latest))))
    }

    fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }
}

/// The latest columns of an index.
#[derive(Debug, Default)]
pub(in super::super) struct Columns {
    attributes: Latest<Attributes>,
    lengths: Latest<Lengths>,
    windows: Latest<Windows>,
}

/// The columns of an index that a reader has pinned.
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

    /// The attributes in the snapshot that is open on `connection`.
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

    /// What a search needs, in the snapshot that is open on `connection`.
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

/// The latest versions of everything that searches need in memory.
#[derive(Debug, Default)]
pub(in super::super) struct AllColumns {
    pub(in super::super) episodes: Columns,
    pub(in super::super) facts: Columns,
    pub(in super::super) thoughts: Columns,
    pub(in super::super) vectors: Latest<Vectors>,
    pub(in super::super) fact_vectors: Latest<Vectors>,
    pub(in super::super) thought_vectors: Latest<Vectors>,
}

/// The versions that a reader has pinned.
#[derive(Debug, Default)]
pub(in super::super) struct Pinned {
    pub(in super::super) episodes: PinnedColumns,
    pub(in super::super) facts: PinnedColumns,
    pub(in super::super) thoughts: PinnedColumns,
    pub(in super::super) vectors: Option<Arc<Vectors>>,
    pub(in super::super) fact_vectors: Option<Arc<Vectors>>,
    pub(in super::super) thought_vectors: Option<Arc<Vectors>>,
}

impl AllColumns {
    /// Pins the latest versions, for a reader that takes its snapshot afterwards.
    pub(in super::super) fn pin(&self) -> Pinned {
        Pinned {
            episodes: self.episodes.pin(),
            facts: self.facts.pin(),
            thoughts: self.thoughts.pin(),
            vectors: Some(self.vectors.pin()),
            fact_vectors: Some(self.fact_vectors.pin()),
            thought_vectors: Some(self.thought_vectors.pin()),
        }
    }

    /// Drops everything, because the views are rebuilt.
    pub(in super::super) fn clear(&self) {
        self.episodes.clear();
        self.facts.clear();
        self.thoughts.clear();
        self.vectors.clear();
        self.fact_vectors.clear();
        self.thought_vectors.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers up to a point, and how often they were loaded from the start.
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

    fn load(to: u32) -> impl FnOnce(&mut Numbers) -> Result<(), StoreError> {
        move |numbers| {
            numbers.1 += u32::from(numbers.0.is_empty());
            numbers.0.extend(numbers.0.len() as u32..to);
            Ok(())
        }
    }

    fn at(latest: &Latest<Numbers>, pin: &mut Option<Arc<Numbers>>, to: u32) -> Arc<Numbers> {
        let found = latest.at(pin, &to, load(to)).unwrap();
        assert_eq!(found.0, (0..to).collect::<Vec<_>>());
        found
    }

    #[test]
    fn each_version_is_loaded_once_and_shared() {
        let latest = Latest::<Numbers>::default();
        let (mut one, mut other) = (Some(latest.pin()), Some(latest.pin()));
        assert!(Arc::ptr_eq(&at(&latest, &mut one, 5), &at(&latest, &mut other, 5)));
        assert_eq!(at(&latest, &mut None, 8).1, 1, "it was brought forward from 5");
    }

    #[test]
    fn a_reader_keeps_its_snapshot_while_others_load_newer_versions() {
        let latest = Latest::<Numbers>::default();
        at(&latest, &mut None, 3);
        let mut slow = Some(latest.pin());
        at(&latest, &mut None, 9);
        assert_eq!(at(&latest, &mut slow, 5).1, 1, "it starts from the version that it pinned");
        assert_eq!(at(&latest, &mut slow, 5).0.len(), 5);
        // A reader without a pinned version loads its own and leaves the latest alone.
        assert_eq!(at(&latest, &mut None, 5).0.len(), 5);
        assert_eq!(latest.pin().0.len(), 9);
    }

    #[test]
    fn a_version_that_fails_to_load_is_loaded_again_from_the_start() {
        let latest = Latest::<Numbers>::default();
        at(&latest, &mut None, 3);
        let failure = StoreError::Damaged { detail: "test".to_owned() };
        assert!(latest.at(&mut None, &4, |_| Err(failure)).is_err());
        assert_eq!(at(&latest, &mut None, 4).1, 1);
    }
}
