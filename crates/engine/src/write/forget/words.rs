//! A person's words, forgotten by name while their belief stays.
//!
//! A redaction of a correction or refutation counts only together with what it is about
//! ([`kernel::redaction`]): an exchange refuses a word that was stripped from a whole belief. So
//! the claim below goes with the word. That loses nothing but an id: in the transaction that
//! erases, the claim is recorded again with the same content, and so are the person's other words
//! about the identity, and the nodes, edges and claims that somebody made from the claim. A
//! refutation in force is recorded again without its note, so nothing refuted is believed at any
//! moment.

use std::collections::{BTreeMap, BTreeSet};

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::kind_spec::BodyNeed;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{Ref, Role};
use kernel::seal::{Draft, next_timestamp};
use kernel::validity::Validity;
use store::sqlite::SqliteLedgerIndex;
use store::{RecordError, StoreError, Writing};

use super::ForgetPlan;
use crate::EngineError;
use crate::belief::proposed::PROPOSAL_ROLE;
use crate::belief::{Bodies as _, body_of};
use crate::inspect::summary_of;
use crate::seal::{Sealable, Sealer};

/// Whether operations of a kind are a person's words that can be forgotten by name.
pub(super) fn is_users_word(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::ClaimCorrection
            | Kind::ClaimRefutation
            | Kind::CorrectionWithdrawal
            | Kind::RefutationWithdrawal
            | Kind::Decision
    )
}

/// An operation that is recorded again, because the rules let it go only together with a word that
/// is forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAgain {
    /// What goes.
    pub id: OpId,
    /// Its identity.
    pub key: String,
    /// What it says, in one line; nothing for a refutation that loses its note.
    pub summary: String,
    kind: Kind,
}

impl RecordedAgain {
    /// Whether it is a person's word, and not a claim or what was made from it.
    pub fn is_users_word(&self) -> bool {
        is_users_word(&self.kind)
    }
}

/// Adds what has to go with `words`, and notes what is to be recorded again.
pub(super) fn add(
    index: &SqliteLedgerIndex<'_>,
    plan: &mut ForgetPlan,
    words: &BTreeSet<OpId>,
) -> Result<(), EngineError> {
    let mut going: BTreeMap<OpId, Entry> = BTreeMap::new();
    let mut again = Vec::new();
    let mut built = Vec::new();
    let mut stack: Vec<OpId> = words.iter().copied().collect();
    while let Some(id) = stack.pop() {
        let Some(entry) = index.entry(&id)?.filter(|_| !going.contains_key(&id)) else { continue };
        if words.contains(&id) {
            // An agent proposed it, in the same words.
            stack.extend(entry.cited(PROPOSAL_ROLE));
        }
        if entry.kind.spec().body == BodyNeed::WithItsTarget {
            stack.extend(entry.sole_ref(Role::TARGET));
        }
        if let Some(key) = &entry.identity {
            if entry.kind != Kind::Claim {
                if is_in_force(index, &entry)?
                    && (!words.contains(&id) || entry.kind == Kind::ClaimRefutation)
                {
                    again.push(entry.clone());
                }
            } else if is_current(index, &entry, key)? {
                again.push(entry.clone());
                stack.extend(in_force(index, key)?);
                built.push(id);
            }
        }
        going.insert(id, entry);
    }
    again.extend(built_on(index, built, &going)?);
    for id in going.into_keys() {
        if index.canonical_body(&id)?.is_some() {
            plan.targets.insert(id);
        }
    }
    again.sort_unstable_by_key(Entry::order);
    for entry in again {
        let Some(body) = body_of(index, &entry.id, &entry.kind)? else { continue };
        let key = entry.identity.unwrap_or_default();
        let summary = if words.contains(&entry.id) { String::new() } else { summary_of(&body) };
        plan.again.push(RecordedAgain { id: entry.id, key, summary, kind: entry.kind });
    }
    Ok(())
}

/// The nodes, edges and stated claims that were made from claims, at any depth, with the words in
/// force about the claims among them. What was derived is derived again.
fn built_on(
    index: &SqliteLedgerIndex<'_>,
    mut claims: Vec<OpId>,
    going: &BTreeMap<OpId, Entry>,
) -> Result<Vec<Entry>, StoreError> {
    let mut found: BTreeMap<OpId, Entry> = BTreeMap::new();
    while let Some(id) = claims.pop() {
        for citing in index.citing(&id)? {
            let is_known = going.contains_key(&citing.id) || found.contains_key(&citing.id);
            let is_made = citing.kind.spec().graph.is_in_graph();
            if is_known || !is_made || citing.role.as_str() == Role::SUPERSEDES {
                continue;
            }
            let Some(entry) = index.entry(&citing.id)? else { continue };
            let is_derived = match body_of(index, &entry.id, &entry.kind)? {
                Some(Body::Claim(claim)) => claim.deriver.is_some(),
                body => body.is_none(),
            };
            if is_derived || !Validity::new(index).is_active(&entry.id)? {
                continue;
            }
            if let Some(key) = entry.identity.as_ref().filter(|_| entry.kind == Kind::Claim) {
                if !is_current(index, &entry, key)? {
                    continue;
                }
                for word in in_force(index, key)? {
                    found.extend(index.entry(&word)?.map(|word| (word.id, word)));
                }
            }
            claims.push(entry.id);
            found.insert(entry.id, entry);
        }
    }
    Ok(found.into_values().collect())
}

fn is_current(index: &SqliteLedgerIndex<'_>, claim: &Entry, key: &str) -> Result<bool, StoreError> {
    Ok(Validity::new(index).current(key)?.is_some_and(|current| current.id == claim.id))
}

pub(super) fn is_in_force(index: &SqliteLedgerIndex<'_>, word: &Entry) -> Result<bool, StoreError> {
    let validity = Validity::new(index);
    Ok(validity.has_effect(word)? && validity.is_active(&word.id)?)
}

/// The corrections and refutations of an identity that have effect and are not withdrawn.
fn in_force(index: &SqliteLedgerIndex<'_>, key: &str) -> Result<Vec<OpId>, StoreError> {
    let mut found = Vec::new();
    for entry in index.identity(key)? {
        if entry.kind != Kind::Claim && is_in_force(index, &entry)? {
            found.push(entry.id);
        }
    }
    Ok(found)
}

/// What is recorded again, with the bodies that are about to be erased.
pub(super) struct Bodies(Vec<(Entry, Body)>);

impl Bodies {
    /// Reads them, before they are erased. None is left of what was erased already.
    pub(super) fn read(
        writing: &dyn Writing,
        again: &[RecordedAgain],
    ) -> Result<Self, EngineError> {
        let mut read = Vec::with_capacity(again.len());
        for RecordedAgain { id, summary, .. } in again {
            let Some(entry) = writing.entry(id)? else { continue };
            let Some(mut body) = body_of(writing, id, &entry.kind)? else { continue };
            if let Body::ClaimRefutation(refutation) = &mut body
                && summary.is_empty()
            {
                refutation.note.clear();
            }
            read.push((entry, body));
        }
        Ok(Self(read))
    }

    /// Records them, once they are erased. A claim that the rules refuse is left to derivation: one
    /// of its records counts no more, or this key may not derive. So is what was made from it.
    pub(super) fn record(
        self,
        sealer: &Sealer,
        writing: &mut dyn Writing,
        now_us: u64,
    ) -> Result<(), EngineError> {
        let mut renamed = BTreeMap::new();
        // A refuted identity takes no correction, so what refutes comes last.
        let (refutations, others): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|(entry, _)| entry.kind == Kind::ClaimRefutation);
        for (entry, body) in others.into_iter().chain(refutations) {
            let cited = entry.refs.iter().filter(|cited| cited.role.as_str() != Role::SUPERSEDES);
            let refs = cited
                .map(|cited| Ref {
                    id: renamed.get(&cited.id).copied().unwrap_or(cited.id),
                    role: cited.role.clone(),
                })
                .collect();
            let ts = next_timestamp(now_us, writing.latest()?);
            let sealable = Sealable::concluded(Draft { body, refs });
            let (operation, body) = sealer.seal_next(sealable, &*writing, ts)?;
            match writing.record(&operation, Some(&body)) {
                Ok(_) => {
                    renamed.insert(entry.id, operation.id());
                }
                Err(RecordError::Refused { .. }) if !is_users_word(&entry.kind) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
