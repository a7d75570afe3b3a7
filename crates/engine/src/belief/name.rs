//! Names of beliefs: an identity key, or the id of an operation on that identity.

use kernel::id::{IdPrefix, OpId};
use kernel::kind::Kind;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::Role;
use kernel::validity::Validity;
use store::StoreError;
use store::sqlite::SqliteLedgerIndex;

use crate::belief::belief;
use crate::private::{Disclosure, Privacy};
use crate::{EngineError, Reader};

/// Most keys that are suggested for an unknown name.
const NEAR_MAX: usize = 5;

/// Characters of an unknown name that an error repeats.
const NAME_CHARS_MAX: usize = 80;

/// The object of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// An identity, by its key.
    Belief {
        /// The identity.
        key: String,
    },
    /// An operation on an identity: a claim, correction or refutation.
    Version {
        /// The identity.
        key: String,
        /// The operation.
        id: OpId,
        /// Its kind.
        kind: Kind,
    },
    /// Any other operation.
    Operation {
        /// The operation.
        id: OpId,
        /// Its kind.
        kind: Kind,
    },
}

impl Named {
    /// The name in full: a key, or an id.
    pub fn text(&self) -> String {
        match self {
            Self::Belief { key } => key.clone(),
            Self::Version { id, .. } | Self::Operation { id, .. } => id.to_string(),
        }
    }
}

impl Reader<'_> {
    /// Resolves `text`: an identity key, or an id or the beginning of one. An id takes precedence,
    /// since derivers choose their keys and no key may hide a record.
    ///
    /// # Errors
    /// If nothing has this name, or several operations have ids that begin with it.
    /// [`EngineError::UnknownBelief`] has keys that are like it.
    pub fn name_of(&self, text: &str) -> Result<Named, EngineError> {
        self.name_disclosed(text, Disclosure::Full)
    }

    /// The same for a reader to whom not everything is disclosed. What is withheld from them is not
    /// there: where a name would be one of it, the answer is that of a name that nothing has.
    pub fn name_disclosed(&self, text: &str, disclosure: Disclosure) -> Result<Named, EngineError> {
        let unfound = match self.resolve_disclosed(text, disclosure) {
            Ok(id) => {
                let entry = self.store.on_snapshot(|index| index.entry(&id))?;
                let entry =
                    entry.ok_or_else(|| EngineError::UnknownId { prefix: id.to_string() })?;
                return Ok(match entry.identity {
                    Some(key) => Named::Version { key, id, kind: entry.kind },
                    None => Named::Operation { id, kind: entry.kind },
                });
            }
            Err(error @ (EngineError::UnknownId { .. } | EngineError::AmbiguousId { .. })) => error,
            Err(error) => return Err(error),
        };
        for key in [text, text.trim()] {
            if !key.is_empty() && self.has_key(key, disclosure)? {
                return Ok(Named::Belief { key: key.to_owned() });
            }
        }
        match unfound {
            EngineError::UnknownId { .. } => match unknown_name(text) {
                EngineError::UnknownBelief { name, .. } => {
                    let near = self.keys_like(text.trim(), disclosure)?;
                    Err(EngineError::UnknownBelief { name, near })
                }
                // The digits may be a part of a key all the same.
                EngineError::UnknownId { prefix } if !text.contains(ID_BEGINS) => {
                    match self.keys_like(text.trim(), disclosure)? {
                        near if near.is_empty() => Err(EngineError::UnknownId { prefix }),
                        near => Err(EngineError::UnknownBelief { name: prefix, near }),
                    }
                }
                unknown => Err(unknown),
            },
            ambiguous => Err(ambiguous),
        }
    }

    /// The name in full, by which whoever sees everything finds the same. A key that is also the
    /// beginning of an id stands back behind it, so the belief is named by its version.
    pub fn full_name(&self, named: &Named) -> Result<String, EngineError> {
        if let Named::Belief { key } = named
            && !matches!(self.name_of(key), Ok(Named::Belief { .. }))
        {
            let belief = self.store.on_snapshot(|index| belief(index, key))?;
            if let Some(version) = belief.served.or(belief.current) {
                return Ok(version.to_string());
            }
        }
        Ok(named.text())
    }

    /// The identity that `text` names.
    ///
    /// # Errors
    /// Those of [`Self::name_of`]; if it names an operation that states no belief.
    pub fn belief_named(&self, text: &str) -> Result<String, EngineError> {
        match self.name_of(text)? {
            Named::Belief { key } | Named::Version { key, .. } => Ok(key),
            Named::Operation { id, kind } => Err(EngineError::NotABelief { id, kind }),
        }
    }

    fn has_key(&self, key: &str, disclosure: Disclosure) -> Result<bool, EngineError> {
        Ok(self.store.on_snapshot(|index| {
            Ok::<_, StoreError>(
                !index.identity(key)?.is_empty()
                    && !is_key_withheld(index, &mut Privacy::of(index), key, disclosure)?,
            )
        })?)
    }

    /// Some keys that have `part` in them, in any case, and are not withheld.
    fn keys_like(&self, part: &str, disclosure: Disclosure) -> Result<Vec<String>, EngineError> {
        let part = part.to_lowercase();
        if part.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.store.on_snapshot(|index| {
            let mut privacy = Privacy::of(index);
            let mut near = Vec::new();
            let mut failed = None;
            index.identity_keys(|key| {
                if key.to_lowercase().contains(&part) {
                    match is_key_withheld(index, &mut privacy, &key, disclosure) {
                        Ok(false) => near.push(key),
                        Ok(true) => {}
                        Err(error) => failed = Some(error),
                    }
                }
                near.len() < NEAR_MAX && failed.is_none()
            })?;
            failed.map_or(Ok(near), Err)
        })?)
    }
}

/// Whether the belief of a key is withheld from a reader.
fn is_key_withheld(
    index: &SqliteLedgerIndex<'_>,
    privacy: &mut Privacy<'_, SqliteLedgerIndex<'_>>,
    key: &str,
    disclosure: Disclosure,
) -> Result<bool, StoreError> {
    Ok(disclosure != Disclosure::Full
        && privacy.is_belief_withheld(&belief(index, key)?, disclosure)?)
}

/// How a whole id begins.
const ID_BEGINS: &str = "b3:";

/// The error of a name that nothing has: of an id, if it can be the beginning of one, else of a
/// key.
fn unknown_name(text: &str) -> EngineError {
    let name: String = text.chars().take(NAME_CHARS_MAX).collect();
    if text.trim().parse::<IdPrefix>().is_ok() {
        return EngineError::UnknownId { prefix: name };
    }
    EngineError::UnknownBelief { name, near: Vec::new() }
}

/// Whether an operation has effect. An exchange may keep an operation whose author was not
/// permitted; it has no effect.
pub(crate) fn has_effect<W: LedgerIndex<Error = StoreError> + ?Sized>(
    index: &W,
    entry: &Entry,
) -> Result<bool, StoreError> {
    Validity::new(index).has_effect(entry)
}

/// The operations of `kind` that act on one and have effect, in the space's order.
pub(crate) fn acting<W: LedgerIndex<Error = StoreError> + ?Sized>(
    index: &W,
    id: &OpId,
    kind: &Kind,
) -> Result<Vec<Entry>, StoreError> {
    let validity = Validity::new(index);
    let mut found = Vec::new();
    for acting in index.acting(id, kind, Role::TARGET)? {
        if let Some(entry) = index.entry(&acting)?
            && validity.has_effect(&entry)?
        {
            found.push(entry);
        }
    }
    found.sort_unstable_by_key(Entry::order);
    Ok(found)
}

/// The kind of operation that takes back a correction or a refutation.
pub(crate) fn withdrawal_of(kind: &Kind) -> Option<Kind> {
    match kind {
        Kind::ClaimCorrection => Some(Kind::CorrectionWithdrawal),
        Kind::ClaimRefutation => Some(Kind::RefutationWithdrawal),
        _ => None,
    }
}
