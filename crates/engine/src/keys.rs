//! The keys that a space knows, by the names that people gave them.
//!
//! A grant names the key that it concerns. That name, and not what a program says of itself, tells
//! whose record it is: an agent may write down what the user said, and the key that signed the
//! record shows that the agent quotes the user.

use std::collections::BTreeMap;

use kernel::access::{Access, Place};
use kernel::body::Body;
use kernel::evidence::Evidence;
use kernel::id::Author;
use kernel::kind::{Capability, Kind};
use kernel::ledger_index::LedgerIndex;
use kernel::operation::{Operation, Unverified};

use crate::belief::body_of;
use crate::{EngineError, Reader};

/// Characters of a key that stand for it where it has no name.
const KEY_CHARS: usize = 16;
/// The role of what the user says in a chat with an agent.
const USER: &str = "user";

/// The names and capabilities of a space's keys.
pub struct KeyRing {
    access: Access,
    /// By key; empty for a key that was granted something without a name.
    names: BTreeMap<Author, String>,
}

impl KeyRing {
    /// The owner's key.
    pub fn owner(&self) -> Option<Author> {
        self.access.owner()
    }

    /// Whether a grant or revocation concerned this key.
    pub fn has_decided_on(&self, key: &Author) -> bool {
        self.names.contains_key(key)
    }

    /// The key's name, or the beginning of the key.
    pub fn name(&self, key: &Author) -> String {
        match self.names.get(key).filter(|name| !name.is_empty()) {
            Some(name) => name.clone(),
            None => key.to_string().chars().take(KEY_CHARS).collect(),
        }
    }

    /// The name that people gave to a key, if any.
    pub fn given_name(&self, key: &Author) -> Option<&str> {
        self.names.get(key).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Whether a key holds any capability now.
    pub fn holds_any(&self, key: &Author) -> bool {
        Capability::ALL.iter().any(|capability| self.access.holds(key, *capability, Place::END))
    }

    /// The names of the keys that hold a capability now.
    pub fn names_of_holders(&self, capability: Capability) -> impl Iterator<Item = &str> {
        let names = self.names.iter().filter(|(_, name)| !name.is_empty());
        names
            .filter(move |(key, _)| self.access.holds(key, capability, Place::END))
            .map(|(_, name)| name.as_str())
    }

    /// Whether an operation's author spoke for the user when it was made.
    pub fn speaks_for_user(&self, author: &Author, at: Place) -> bool {
        self.access.holds(author, Capability::Correct, at)
    }

    /// Who quotes the user in this operation: the name of the key that signed it, if the record
    /// gives the user's words and the key does not speak for the user.
    pub fn quoted_by(&self, operation: &Operation<Unverified>) -> Option<String> {
        let header = operation.header();
        let Ok(Body::Evidence(evidence)) = Body::parse(&header.kind, operation.body()?) else {
            return None;
        };
        let at = Place { order: (header.ts, operation.id()), seq: header.seq };
        self.quotes(&evidence, &header.author, at)
    }

    /// The same for evidence whose author and place are known.
    pub fn quotes(&self, evidence: &Evidence, author: &Author, at: Place) -> Option<String> {
        let is_quote = evidence.payload.role.as_deref() == Some(USER);
        (is_quote && !self.speaks_for_user(author, at)).then(|| self.name(author))
    }
}

impl Reader<'_> {
    /// The names and capabilities of the keys.
    pub fn key_ring(&self) -> Result<KeyRing, EngineError> {
        Ok(self.store.on_snapshot(|index| {
            let mut names: BTreeMap<Author, String> = BTreeMap::new();
            for id in index.access_changes()? {
                let Some(entry) = index.entry(&id)? else { continue };
                let body = match entry.kind {
                    Kind::Grant | Kind::Revoke => body_of(index, &id, &entry.kind)?,
                    _ => None,
                };
                let Some(Body::Grant(grant) | Body::Revoke(grant)) = body else { continue };
                if !index.access()?.holds(&entry.author, Capability::Admin, entry.place()) {
                    continue;
                }
                let name = names.entry(grant.key).or_default();
                if !grant.name.is_empty() {
                    *name = grant.name;
                }
            }
            Ok::<_, store::StoreError>(KeyRing { access: index.access()?.clone(), names })
        })?)
    }
}
