//! What a source says twice under one id, with different contents.
//!
//! The last one counts. Once both are recorded, reading the source again meets the first one, which
//! differs from what is there, and would record it again, and then the last one, at every import.
//! So a record that says what an earlier version of it said is set aside: if the source says what
//! is there further down, nothing is recorded, and if it does not, it went back to the earlier
//! version, which is recorded at the end.

use std::collections::BTreeMap;

use kernel::id::OpId;
use kernel::operation::Role;

use super::mirror::{Name, name_of};
use super::record::Prepared;
use crate::EngineError;
use crate::belief::Bodies;

/// Most records that are set aside; others are recorded as they come.
const SET_ASIDE_MAX: usize = 10_000;
/// Earlier versions with which a record is compared.
const VERSIONS_MAX: usize = 16;

/// The records of an import that are set aside, by name.
#[derive(Default)]
pub(crate) struct SetAside(BTreeMap<Name, Prepared>);

impl SetAside {
    /// Forgets what was set aside under the name of a record, because the source says something
    /// later.
    pub(super) fn meet(&mut self, prepared: &Prepared) {
        if !self.0.is_empty()
            && let Some((source, uid)) = prepared.source()
        {
            self.0.remove(&name_of(source, uid));
        }
    }

    /// Sets a record aside if it says what an earlier version of `current` said. Gives it back
    /// otherwise.
    pub(super) fn take<B: Bodies + ?Sized>(
        &mut self,
        index: &B,
        current: OpId,
        prepared: Prepared,
    ) -> Result<Option<Prepared>, EngineError> {
        let name = prepared.source().map(|(source, uid)| name_of(source, uid));
        match name {
            Some(name)
                if self.0.len() < SET_ASIDE_MAX && was_said_before(index, current, &prepared)? =>
            {
                self.0.insert(name, prepared);
                Ok(None)
            }
            _ => Ok(Some(prepared)),
        }
    }

    /// What is still set aside at the end of a source.
    pub(super) fn into_records(self) -> Vec<Prepared> {
        self.0.into_values().collect()
    }
}

/// Whether an earlier version of `current` said the same.
pub(super) fn was_said_before<B: Bodies + ?Sized>(
    index: &B,
    current: OpId,
    prepared: &Prepared,
) -> Result<bool, EngineError> {
    let mut version = current;
    for _ in 0..VERSIONS_MAX {
        let Some(entry) = index.entry(&version)? else { return Ok(false) };
        let Some(before) = entry.sole_ref(Role::SUPERSEDES) else { return Ok(false) };
        if index.canonical_body(&before)?.is_some_and(|bytes| prepared.is_said_by(&bytes)) {
            return Ok(true);
        }
        version = before;
    }
    Ok(false)
}
