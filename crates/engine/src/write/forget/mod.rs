//! Forgetting: the plan that is shown first, and its execution.
//!
//! A plan names *targets*; each gets a `redaction`. What quotes a target is redacted with it by the
//! kernel's rule ([`kernel::redaction`]), on every device, without a redaction of its own. The
//! targets are
//!
//! - what was asked for, with every version of the same item at its source ([`copies`]);
//! - what language models were asked and answered about it ([`transcripts`]);
//! - the patches and proposals that it came from ([`proposals`]);
//! - the record of an import of which nothing else is left, whose path may say the same;
//! - records that are marked as echoes of what is forgotten: they say the same;
//! - corrections and refutations of identities of which nothing is left: no claim, and no group of
//!   records that concludes it. A person's word about an identity that other records support
//!   stays, and the plan lists it. It can be forgotten by name, with the claim that it is about,
//!   which is recorded again ([`words`]).
//!
//! A dry run of the redactions (`ForgetPlan::hypothesis`), as for `because what-if`, finds what
//! falls, what is derived anew and which identities have nothing left. It erases nothing:
//! operations that are recorded again stay as they are, and words that go are withdrawn.
//!
//! [`Writer::forget`] appends the redactions and erases in one transaction; a process that is
//! killed has forgotten everything or nothing. Beliefs are derived anew after that, as after any
//! import, and free pages and the write-ahead log are cleaned last ([`Writer::finish_erasure`]).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use derivers::Deriver;
use kernel::body::{Body, Redaction, Withdrawal};
use kernel::evidence::Visibility;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::kind_spec::BodyNeed;
use kernel::ledger_index::{Entry, LedgerIndex};
use kernel::operation::{HlcTimestamp, Ref, Role};
use kernel::redaction::{
    forgotten_behind, is_retraction, quoting_beside, redaction_behind, redaction_of,
};
use kernel::seal::{Draft, next_timestamp};
use kernel::validity::inputs;
use store::sqlite::{DeviceHashes, Outline, SqliteLedgerIndex, SqliteSpace, SqliteWriting};
use store::{StoreError, Writing};

use crate::belief::review::acting_on;
use crate::belief::{Belief, Bodies, body_of};
use crate::derive::{Derivation, Derived, Extent};
use crate::inspect::{ALTERED, summary_of};
use crate::outcome::{Change, Changes, Intent};
use crate::private::Privacy;
use crate::seal::{Sealable, Sealer};
use crate::write::record::without_mark;
use crate::write::submission::record_consequences;
use crate::{EngineError, Reader, Writer, now_us};

pub(crate) mod copies;
mod proposals;
mod statements;
mod transcripts;
mod words;

pub use words::RecordedAgain;

/// How long the end of an erasure waits for another process.
pub(crate) const ERASURE_WAIT: Duration = Duration::from_secs(5);
/// The summary of a record that was archived before it is forgotten.
const ARCHIVED: &str = "(archived: only the archive has what it says)";
/// Selected records that a plan has in words; more are only counted.
const RECORDS_KEPT_MAX: usize = 1_000;
/// Most rounds in which words of the user are found to stand on nothing. Each round may free those
/// of the next layer of derivation.
const ROUNDS_MAX: usize = 16;

/// What is to be forgotten, and what follows.
#[derive(Debug, Default)]
pub struct ForgetPlan {
    /// What gets a redaction.
    pub targets: BTreeSet<OpId>,
    /// Operations whose bodies go, by kind.
    pub erased: BTreeMap<String, BTreeSet<OpId>>,
    /// Earlier and later versions of the selected records, among the targets.
    pub versions: BTreeSet<OpId>,
    /// Records that repeat what is forgotten, among the targets.
    pub echoes: BTreeSet<OpId>,
    /// How many records were selected that are not forgotten yet.
    pub selected: u64,
    /// The first of them, in one line each.
    pub records: Vec<ForgottenRecord>,
    /// Nodes and thoughts that go because they were made from what is forgotten.
    pub made_from_it: BTreeSet<OpId>,
    /// The first of them, in one line each.
    pub made: Vec<ForgottenRecord>,
    /// The beliefs that change.
    pub changes: Changes,
    /// Corrections and refutations that go, because nothing else is known of their identities.
    pub words_forgotten: Vec<UserStatement>,
    /// Corrections and refutations that stay, because other records support their identities.
    pub words_kept: Vec<UserStatement>,
    /// What goes only because a word that was selected is about it, and is recorded again; and
    /// refutations that were selected, which are recorded again without their notes.
    pub again: Vec<RecordedAgain>,
    /// The targets, and what quotes them, as far as [`ForgetPlan::follow`] has come.
    gone: BTreeSet<OpId>,
    /// Whether this is an archival, by which what was said or seen goes alone.
    is_archival: bool,
}

/// A selected record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgottenRecord {
    /// The operation.
    pub id: OpId,
    /// What it says, in one line.
    pub summary: String,
}

/// A correction or refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserStatement {
    /// The operation.
    pub id: OpId,
    /// The identity.
    pub key: String,
    /// What it says, in one line.
    pub summary: String,
}

/// The result of forgetting.
#[derive(Debug)]
pub struct Forgotten {
    /// The redactions.
    pub redactions: Vec<OpId>,
    /// The report of the derivation that followed.
    pub derived: Derived,
    /// Whether free pages and the write-ahead log are clean, too. If not, another process still
    /// reads an older state; the next writer cleans them.
    pub is_erased: bool,
}

/// The hashes by which `sealer`'s device recognises a record that it imports again: as it would
/// record it, with or without the mark of an echo.
pub(crate) fn hashes_of(sealer: &Sealer) -> DeviceHashes<'_> {
    Box::new(|kind, body| {
        if *kind != Kind::Evidence {
            return Vec::new();
        }
        let unmarked = without_mark(body);
        let forms = [Some(body), unmarked.as_deref()];
        forms.into_iter().flatten().map(|body| sealer.keyed_hash(body)).collect()
    })
}

/// Says in a redaction if its target is private: nothing else does once the bodies are gone.
pub(crate) fn mark_private<B: Bodies + ?Sized>(
    index: &B,
    redaction: &mut Redaction,
    target: &OpId,
) -> Result<(), StoreError> {
    let is_private = Privacy::of(index).is_private(target)?;
    redaction.visibility = is_private.then_some(Visibility::Private);
    Ok(())
}

/// Carries out redactions, with all that follows but the derivation.
pub(crate) struct Redacting<'a> {
    pub(crate) sealer: &'a Sealer,
    pub(crate) derivers: &'a [Box<dyn Deriver>],
    pub(crate) reason: &'a str,
    pub(crate) now: jiff::Timestamp,
}

impl<'a> Redacting<'a> {
    fn redact(&self, store: &mut SqliteSpace, plan: &ForgetPlan) -> Result<Vec<OpId>, EngineError> {
        self.redact_checked(store, plan, |_| Ok(()), |_| None)
    }

    /// Appends a redaction of each target that has none yet, erases, and records again what goes
    /// only because of the rules, in one transaction. `check` sees the state that is redacted, and
    /// `archive_of` names the archive that a target is in.
    pub(crate) fn redact_checked(
        &self,
        store: &mut SqliteSpace,
        plan: &ForgetPlan,
        check: impl FnOnce(&SqliteWriting<'_>) -> Result<(), EngineError>,
        archive_of: impl Fn(&OpId) -> Option<String>,
    ) -> Result<Vec<OpId>, EngineError> {
        let mut writing = store.write()?;
        check(&writing)?;
        writing.recognize_forgotten(hashes_of(self.sealer));
        let again = words::Bodies::read(&writing, &plan.again)?;
        let mut redactions = Vec::with_capacity(plan.targets.len());
        for target in &plan.targets {
            let Some(entry) = writing.entry(target)? else { continue };
            let before = match plan.is_archival {
                true => redaction_behind(&writing, target)?,
                false => redaction_of(&writing, &entry)?,
            };
            if before.is_some() {
                continue;
            }
            let is_alone = plan.is_archival && is_source(&entry.kind);
            let role = if is_alone { Role::ARCHIVED } else { Role::TARGET };
            redactions.push(self.append(&mut writing, (*target, role), archive_of(target))?);
        }
        // What goes with them and is private by itself needs a redaction that says so.
        for id in plan.gone.difference(&plan.targets) {
            let is_marked = Privacy::of(&writing as &dyn Writing).is_marked(id)?;
            if is_marked && !plan.is_archival && is_removable(&writing, id)? {
                redactions.push(self.append(&mut writing, (*id, Role::TARGET), None)?);
            }
        }
        writing.erase_redacted()?;
        again.record(self.sealer, &mut writing, now_us(self.now))?;
        record_consequences(self.sealer, &mut writing, now_us(self.now))?;
        Box::new(writing).commit()?;
        Ok(redactions)
    }

    fn append(
        &self,
        writing: &mut SqliteWriting<'_>,
        (target, role): (OpId, &str),
        archive: Option<String>,
    ) -> Result<OpId, EngineError> {
        let reason = Some(self.reason.to_owned()).filter(|reason| !reason.is_empty());
        let mut redaction = Redaction { reason, archive, ..Redaction::default() };
        mark_private(&*writing as &dyn Writing, &mut redaction, &target)?;
        let body = Body::Redaction(redaction);
        let refs = vec![Ref { id: target, role: Role::parse(role)? }];
        let sealable = Sealable::masked(Draft { body, refs }, writing)?;
        let ts = next_timestamp(now_us(self.now), writing.latest()?);
        let (operation, body) = self.sealer.seal_next(sealable, writing, ts)?;
        writing.record(&operation, Some(&body))?;
        Ok(operation.id())
    }

    /// Derives from what is left, if the key may.
    pub(crate) fn derive(
        &self,
        store: &mut SqliteSpace,
        may_derive: bool,
    ) -> Result<Derived, EngineError> {
        let mut derivation = Derivation::new(self.derivers, self.sealer, self.now);
        if may_derive {
            derivation.run_to_end(store, Extent::Changed, |_| {})?;
        }
        Ok(derivation.report)
    }
}

/// Why the body of an operation was forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyForgotten {
    /// The redaction, which may be of something that the operation quotes.
    pub redaction: OpId,
    /// When it was recorded.
    pub at: HlcTimestamp,
    /// Its reason; empty if none was given.
    pub reason: String,
}

impl Reader<'_> {
    /// Drafts with the same effect on beliefs as a plan. They are for a dry run.
    pub fn to_forget(&self, plan: &ForgetPlan) -> Result<Vec<Draft>, EngineError> {
        self.store.on_snapshot(|index| plan.hypothesis(index))
    }

    /// Why an operation was forgotten; none if it was not.
    pub(crate) fn why_forgotten(&self, id: &OpId) -> Result<Option<WhyForgotten>, EngineError> {
        self.store.on_snapshot(|index| {
            let Some(redaction) = redaction_behind(index, id)? else { return Ok(None) };
            let reason = match body_of(index, &redaction.id, &Kind::Redaction)? {
                Some(Body::Redaction(body)) => body.reason.unwrap_or_default(),
                _ => String::new(),
            };
            Ok(Some(WhyForgotten { redaction: redaction.id, at: redaction.ts, reason }))
        })
    }
}

impl Writer<'_> {
    /// What forgetting `selected` would erase and change. Nothing is written.
    ///
    /// # Errors
    /// If one of them cannot be forgotten, the key may not correct, or the store fails.
    pub fn plan_to_forget(
        &mut self,
        selected: &[OpId],
        now: jiff::Timestamp,
    ) -> Result<ForgetPlan, EngineError> {
        let mut plan = named(self.store, selected)?;
        let reader = Reader::new(self.store, self.derivers)?;
        // What is recorded again is what was signed.
        reader.check_as_signed(plan.again.iter().map(|again| again.id))?;
        copies::add_imports(&reader, &mut plan.targets)?;
        drop(reader);
        let mut affected = BTreeSet::new();
        for _ in 0..ROUNDS_MAX {
            let drafts = self.store.on_snapshot(|index| {
                for id in plan.follow(index)? {
                    affected.extend(index.entry(id)?.and_then(|entry| entry.identity));
                }
                plan.hypothesis(index)
            })?;
            let (changes, standalone) = self.act_and(drafts, Intent::DryRun, now, |writing| {
                let again = plan.again.iter().map(|again| again.id).collect();
                standing_on_nothing(writing, &affected, (&plan.gone, &again))
            })?;
            plan.changes = changes;
            let mut is_complete = true;
            for (key, id) in standalone {
                plan.again.retain(|again| again.key != key);
                is_complete &= !plan.targets.insert(id);
            }
            if is_complete {
                break;
            }
        }
        self.fill(&mut plan, &affected)?;
        Ok(plan)
    }

    /// Forgets what a plan says: appends the redactions and erases, derives anew, and cleans the
    /// file.
    ///
    /// # Errors
    /// If the key may not correct, or the store fails.
    pub fn forget(
        &mut self,
        plan: &ForgetPlan,
        reason: &str,
        now: jiff::Timestamp,
    ) -> Result<Forgotten, EngineError> {
        let may_derive = self.may_derive(now)?;
        let redacting = Redacting { sealer: self.sealer, derivers: self.derivers, reason, now };
        let redactions = redacting.redact(self.store, plan)?;
        // Keys of forgotten texts may wait in it.
        *self.echoes = Default::default();
        let derived = redacting.derive(self.store, may_derive)?;
        self.advance(|_| {})?;
        let is_erased = self.store.finish_erasure(ERASURE_WAIT)?;
        Ok(Forgotten { redactions, derived, is_erased })
    }

    /// Cleans free pages and the write-ahead log, if an erasure has left that to do. Returns
    /// whether they are clean. They are not while another process reads an older state.
    pub fn finish_erasure(&mut self) -> Result<bool, EngineError> {
        self.erase_redacted()?;
        Ok(self.store.finish_erasure(ERASURE_WAIT)?)
    }

    /// Erases what redactions concern that an exchange has taken and not come to, if any.
    pub(crate) fn erase_redacted(&mut self) -> Result<(), EngineError> {
        if self.is_read_only() || !self.store.is_erasure_due()? {
            return Ok(());
        }
        let mut writing = self.store.write()?;
        writing.recognize_forgotten(hashes_of(self.sealer));
        Box::new(writing).commit()?;
        self.advance(|_| {})
    }

    /// Adds the words about the identities that are affected, and counts what goes.
    fn fill(&self, plan: &mut ForgetPlan, affected: &BTreeSet<String>) -> Result<(), EngineError> {
        self.store.on_snapshot(|index| {
            for key in affected {
                plan.note_statements(index, key)?;
            }
            let mut erased: BTreeMap<String, BTreeSet<OpId>> = BTreeMap::new();
            let (mut made, mut made_from_it) = (Vec::new(), BTreeSet::new());
            plan.follow(index)?;
            let again: BTreeSet<OpId> = plan.again.iter().map(|again| again.id).collect();
            for id in &plan.gone {
                let Some(entry) = index.entry(id)? else { continue };
                if index.canonical_body(id)?.is_none() {
                    continue;
                }
                erased.entry(entry.kind.as_str().to_owned()).or_default().insert(*id);
                let is_made = matches!(entry.kind, Kind::Node | Kind::Thought);
                if !is_made || plan.targets.contains(id) || again.contains(id) {
                    continue;
                }
                made_from_it.insert(*id);
                if made.len() < RECORDS_KEPT_MAX {
                    let body = body_of(index, id, &entry.kind)?;
                    let summary = match self.store.is_as_signed(id)? {
                        true => body.as_ref().map(summary_of).unwrap_or_default(),
                        false => ALTERED.to_owned(),
                    };
                    made.push(ForgottenRecord { id: *id, summary });
                }
            }
            (plan.erased, plan.made, plan.made_from_it) = (erased, made, made_from_it);
            Ok(())
        })
    }
}

impl ForgetPlan {
    /// Everything that goes with the targets. What was found before is not looked up again.
    pub(crate) fn follow<B: Bodies + ?Sized>(
        &mut self,
        index: &B,
    ) -> Result<&BTreeSet<OpId>, StoreError> {
        let mut new: Vec<OpId> = self.targets.difference(&self.gone).copied().collect();
        if self.is_archival {
            self.gone.extend(take_sources(index, &mut new)?);
        }
        self.gone = quoting_beside(index, new, std::mem::take(&mut self.gone))?;
        Ok(&self.gone)
    }

    /// The operations that it names or counts.
    pub fn operations(&self) -> impl Iterator<Item = OpId> {
        let erased = self.erased.values().flatten().chain(&self.versions).chain(&self.echoes);
        let records = self.records.iter().chain(&self.made).map(|record| record.id);
        let words = self.words_forgotten.iter().chain(&self.words_kept).map(|word| word.id);
        let again = self.again.iter().map(|again| again.id);
        erased.copied().chain(records).chain(words).chain(again)
    }

    /// Neither names nor counts these any more, so that the rest can be shown.
    pub fn leave_out(&mut self, withheld: &BTreeSet<OpId>) {
        self.erased.values_mut().for_each(|ids| ids.retain(|id| !withheld.contains(id)));
        self.erased.retain(|_, ids| !ids.is_empty());
        for ids in [&mut self.versions, &mut self.echoes, &mut self.made_from_it] {
            ids.retain(|id| !withheld.contains(id));
        }
        self.made.retain(|record| !withheld.contains(&record.id));
        self.records.retain(|record| !withheld.contains(&record.id));
        self.again.retain(|again| !withheld.contains(&again.id));
        self.words_forgotten.retain(|word| !withheld.contains(&word.id));
        self.words_kept.retain(|word| !withheld.contains(&word.id));
    }

    /// Whether nothing would be erased.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Beliefs that stand on nothing else, as they are now.
    pub fn invalidated(&self) -> impl Iterator<Item = &Belief> {
        let changes = self.changes.beliefs.values();
        changes.filter(|change| change.after.served.is_none()).filter_map(Change::served_before)
    }

    /// Beliefs that also stand on other records: now, and derived without what is forgotten.
    pub fn derived_anew(&self) -> impl Iterator<Item = (&Belief, &Belief)> {
        let changes = self.changes.beliefs.values();
        let served = changes.filter(|change| change.after.served.is_some());
        served.filter_map(|change| Some((change.served_before()?, &change.after)))
    }

    /// Beliefs that what is forgotten stands against.
    pub fn newly_believed(&self) -> impl Iterator<Item = &Belief> {
        let changes = self.changes.beliefs.values();
        let new = changes.filter(|change| change.served_before().is_none());
        new.map(|change| &change.after).filter(|after| after.served.is_some())
    }

    /// Drafts with the same effect on beliefs as the plan: a redaction of each target, but the
    /// withdrawal of each word, which a redaction takes back only once it is erased.
    fn hypothesis(&self, index: &SqliteLedgerIndex<'_>) -> Result<Vec<Draft>, EngineError> {
        let again: BTreeSet<OpId> = self.again.iter().map(|again| again.id).collect();
        let mut drafts = Vec::with_capacity(self.targets.len());
        for id in self.targets.difference(&again) {
            let Some(entry) = index.entry(id)? else { continue };
            let withdrawal = || Withdrawal { note: String::new() };
            let body = match &entry.kind {
                Kind::ClaimCorrection | Kind::ClaimRefutation
                    if !words::is_in_force(index, &entry)? =>
                {
                    continue;
                }
                Kind::ClaimCorrection => Body::CorrectionWithdrawal(withdrawal()),
                Kind::ClaimRefutation => Body::RefutationWithdrawal(withdrawal()),
                _ => Body::Redaction(Redaction::default()),
            };
            drafts.push(acting_on(*id, body)?);
        }
        Ok(drafts)
    }

    /// Sorts the user's statements about an identity into those that go and those that stay.
    fn note_statements(
        &mut self,
        index: &(impl Bodies + ?Sized),
        key: &str,
    ) -> Result<(), EngineError> {
        for entry in index.identity(key)? {
            if entry.kind == Kind::Claim {
                continue;
            }
            let Some(body) = body_of(index, &entry.id, &entry.kind)? else { continue };
            let statement =
                UserStatement { id: entry.id, key: key.to_owned(), summary: summary_of(&body) };
            if self.targets.contains(&entry.id) {
                self.words_forgotten.push(statement);
            } else {
                self.words_kept.push(statement);
            }
        }
        Ok(())
    }
}

/// Takes out of `ids` what an archival erases alone: what was said or seen, and thoughts. What
/// stands on it is somebody's conclusion or word, which nobody moved. A belief does not go alone:
/// what is built on it falls with it.
pub(crate) fn take_sources<B: Bodies + ?Sized>(
    index: &B,
    ids: &mut Vec<OpId>,
) -> Result<Vec<OpId>, StoreError> {
    let (mut sources, mut others) = (Vec::new(), Vec::new());
    for id in std::mem::take(ids) {
        let is_source = index.outline_of(&id)?.is_some_and(|found| is_source(&found.kind));
        if is_source { sources.push(id) } else { others.push(id) }
    }
    *ids = others;
    Ok(sources)
}

/// Whether an operation lacks its body because it was archived, and nobody forgot it. What stands
/// on it is still there.
pub(crate) fn is_only_archived<B: Bodies + ?Sized>(
    index: &B,
    id: &OpId,
) -> Result<bool, StoreError> {
    Ok(forgotten_behind(index, id)?.is_none() && redaction_behind(index, id)?.is_some())
}

fn is_removable(index: &SqliteWriting<'_>, id: &OpId) -> Result<bool, StoreError> {
    let entry = index.entry(id)?;
    Ok(entry.is_some_and(|entry| entry.kind.spec().body == BodyNeed::Removable))
}

fn is_source(kind: &Kind) -> bool {
    matches!(kind, Kind::Evidence | Kind::Thought)
}

/// A plan to forget, with the targets that follow from the selection alone.
pub(crate) fn named(store: &SqliteSpace, selected: &[OpId]) -> Result<ForgetPlan, EngineError> {
    planned(store, selected, ForgetPlan::default())
}

/// The same for records that an archive has.
pub(crate) fn archival(store: &SqliteSpace, selected: &[OpId]) -> Result<ForgetPlan, EngineError> {
    planned(store, selected, ForgetPlan { is_archival: true, ..ForgetPlan::default() })
}

fn planned(
    store: &SqliteSpace,
    selected: &[OpId],
    mut plan: ForgetPlan,
) -> Result<ForgetPlan, EngineError> {
    store.on_snapshot(|index| {
        let mut words = BTreeSet::new();
        for id in selected {
            let Outline { kind, has_body, .. } = index
                .outline(id)?
                .ok_or_else(|| EngineError::UnknownId { prefix: id.to_string() })?;
            let is_shown = plan.records.len() < RECORDS_KEPT_MAX;
            let body = match is_shown || kind == Kind::Claim {
                true => body_of(index, id, &kind)?,
                false => None,
            };
            let is_derived = matches!(&body, Some(Body::Claim(claim)) if claim.deriver.is_some());
            let is_users_word = words::is_users_word(&kind);
            let may_go =
                is_users_word || is_retraction(&kind) || kind.spec().body == BodyNeed::Removable;
            if is_derived || !may_go {
                return Err(EngineError::CannotForget { id: *id, kind });
            }
            let is_archived = !has_body && !plan.is_archival && is_only_archived(index, id)?;
            if has_body || is_archived {
                words.extend(is_users_word.then_some(*id));
                plan.targets.insert(*id);
                plan.selected += 1;
            }
            if let Some(body) = body.filter(|_| is_shown) {
                let summary = match store.is_as_signed(id)? {
                    true => summary_of(&body),
                    false => ALTERED.to_owned(),
                };
                plan.records.push(ForgottenRecord { id: *id, summary });
            } else if is_shown && is_archived {
                plan.records.push(ForgottenRecord { id: *id, summary: ARCHIVED.to_owned() });
            }
        }
        words::add(index, &mut plan, &words)?;
        statements::add(index, &mut plan)?;
        copies::add(index, store, &mut plan)?;
        if !plan.is_archival {
            proposals::add(index, store, &mut plan)?;
        }
        transcripts::add(index, store, &mut plan)?;
        Ok(plan)
    })
}

/// Corrections and refutations of those identities of which nothing is left beside what is `gone`:
/// no claim, none that is recorded `again`, and no group that concludes it.
fn standing_on_nothing(
    writing: &SqliteWriting<'_>,
    keys: &BTreeSet<String>,
    (gone, again): (&BTreeSet<OpId>, &BTreeSet<OpId>),
) -> Result<Vec<(String, OpId)>, EngineError> {
    let mut found = Vec::new();
    let stays = |id: &OpId| !gone.contains(id) || again.contains(id);
    let is_left = |claim: &Entry| stays(&claim.id) && inputs(claim).all(|input| stays(&input));
    for key in keys {
        let (claims, words): (Vec<_>, Vec<_>) =
            writing.identity(key)?.into_iter().partition(|entry| entry.kind == Kind::Claim);
        let is_said = claims.iter().any(|claim| !gone.contains(&claim.id) || is_left(claim));
        if !is_said && writing.makers(key)?.is_empty() {
            found.extend(words.into_iter().map(|word| (key.clone(), word.id)));
        }
    }
    Ok(found)
}
