//! Verification: recomputes everything that can be recomputed, and compares.
//!
//! Two things run at once. One reads the ledger in the space's order, checks hashes and signatures
//! in batches, judges every operation by the rules as of its place in the order, and names each
//! that fails. The other folds the views again, into a temporary file, and compares their digests.
//! Neither keeps the records in memory. Nothing is written to the space. Whether the beliefs
//! follow from the records is checked separately ([`crate::Writer::verify_beliefs`]), since that
//! takes as long as deriving everything.

use kernel::body::Body;
use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::ledger_index::LedgerIndex;
use kernel::membership::Members;
use kernel::operation::{MalformedError, Operation, Unverified, VerifyError, verify_batch};
use kernel::rules::{self, JudgeError, RuleViolation, Verdict};
use store::sqlite::{SqliteLedgerIndex, SqliteSpace, ViewDigest};
use store::{Ledger, Recorded, StoreError};

use super::effect;
use super::index::{CheckedLedger, GraphPlace, ROWS_IN_MEMORY_MAX};
use crate::verify::beliefs::BeliefCheck;
use crate::verify::bodies::{MissingBodies, leave_of};
use crate::{EngineError, Reader};

/// Operations whose signatures are checked together.
const BATCH: usize = 512;
/// Findings kept in full.
const FINDINGS_KEPT_MAX: usize = 1_000;

/// The result of verification.
#[derive(Debug, Default, serde::Serialize)]
pub struct Verification {
    /// Operations checked.
    pub operations: u64,
    /// What is wrong, by operation where one can be named.
    pub findings: Vec<Finding>,
    /// How many findings there are; more than are kept if there are very many.
    pub finding_count: u64,
    /// How many of them are more than operations that break a rule and are kept.
    pub damage_count: u64,
    /// Bodies that are missing. Those that are missing without leave are damage.
    pub bodies: MissingBodies,
    /// Operations of keys that were never granted a capability: kept by an earlier version of this
    /// program, without effect. An exchange takes no more of them.
    pub not_members: u64,
    /// The views as they are stored and as they come out when folded again.
    pub views: Vec<ViewComparison>,
    /// Whether the beliefs follow from the records; `None` if that was not requested.
    pub beliefs: Option<BeliefCheck>,
}

/// A fault in the ledger or a view.
#[derive(Debug, serde::Serialize)]
pub struct Finding {
    /// The operation, where one can be named.
    pub id: Option<OpId>,
    /// The stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// True for operations that an exchange keeps although they break a rule.
    pub kept: bool,
    /// True for those of them that change nothing of what is believed now.
    pub without_effect: bool,
}

/// A view, stored and folded again.
#[derive(Debug, serde::Serialize)]
pub struct ViewComparison {
    /// The view.
    pub name: &'static str,
    /// Digest of what is stored.
    pub stored: String,
    /// Digest of what comes out when folded again up to the same position.
    pub folded: String,
}

impl Verification {
    /// True if nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.damage_count == 0 && self.views.iter().all(|view| view.stored == view.folded)
    }

    pub(crate) fn find(&mut self, id: Option<OpId>, code: &str, message: String, kept: bool) {
        self.finding_count += 1;
        self.damage_count += u64::from(!kept);
        if self.findings.len() < FINDINGS_KEPT_MAX {
            let (code, without_effect) = (code.to_owned(), kept);
            self.findings.push(Finding { id, code, message, kept, without_effect });
        }
    }
}

impl Reader<'_> {
    /// Verifies the whole ledger and its views. `progress` receives the number of operations that
    /// have been checked.
    pub fn verify(&self, mut progress: impl FnMut(u64)) -> Result<Verification, EngineError> {
        let store = self.store;
        let again = store.reopening();
        std::thread::scope(|scope| {
            let views = scope.spawn(move || again.open()?.refold());
            let checked = check_operations(store, ROWS_IN_MEMORY_MAX, &mut progress);
            let mut verification = match checked {
                // Only a temporary file is written, so the failure is its own.
                Err(EngineError::Store(StoreError::DiskFull | StoreError::WriteFailed)) => {
                    check_operations(store, u64::MAX, &mut progress)?
                }
                checked => checked?,
            };
            if let Err(error) = check_bodies_and_authors(&mut verification, store) {
                verification.find(None, error.code(), error.to_string(), false);
            }
            if let Err(error) = effect::mark(&mut verification, store) {
                verification.find(None, error.code(), error.to_string(), false);
            }
            let damages = store.check_file().unwrap_or_else(|error| vec![error.to_string()]);
            match views.join() {
                Ok(Ok(views)) => compare(&mut verification, views),
                Ok(Err(error)) => {
                    let message =
                        format!("the views cannot be folded again to be compared: {error}");
                    verification.find(None, "view_not_folded", message, false);
                }
                Err(_) => verification.find(
                    None,
                    "internal",
                    "folding the views again stopped".to_owned(),
                    false,
                ),
            }
            if !damages.is_empty() {
                name_damaged(&mut verification, store);
            }
            for damage in damages {
                verification.find(None, "damaged", damage, false);
            }
            for object in store.foreign_schema()? {
                let message = format!("the file contains the {object}, which because did not make");
                verification.find(None, "foreign_schema", message, false);
            }
            Ok(verification)
        })
    }
}

fn compare(verification: &mut Verification, views: Vec<(ViewDigest, ViewDigest)>) {
    for (stored, folded) in views {
        if stored != folded {
            let message = format!("the view {:?} is not what the ledger gives", stored.name);
            verification.find(None, "view_differs", message, false);
        }
        verification.views.push(ViewComparison {
            name: stored.name,
            stored: stored.digest,
            folded: folded.digest,
        });
    }
}

pub(super) fn check_operations(
    store: &SqliteSpace,
    rows_in_memory_max: u64,
    mut progress: impl FnMut(u64),
) -> Result<Verification, EngineError> {
    let mut verification = Verification::default();
    let place = GraphPlace::of(store, rows_in_memory_max);
    let mut graph = CheckedLedger::new(store, &place)?;
    // Only what is wrong with the graph itself ends the reading: nothing after it can be judged.
    let mut failure = None;
    let mut batch: Vec<Operation<Unverified>> = Vec::with_capacity(BATCH);
    let read = store.in_order_lenient(|read| {
        match read {
            Ok(Recorded { operation, .. }) => batch.push(operation),
            Err((id, error)) => verification.find(id, error.code(), error.to_string(), false),
        }
        if batch.len() == BATCH {
            let full = std::mem::take(&mut batch);
            failure = check_batch(&mut verification, store, &mut graph, full).err();
            progress(verification.operations);
        }
        failure.is_none()
    });
    match failure {
        None => check_batch(&mut verification, store, &mut graph, batch)?,
        Some(error) => return Err(error.into()),
    }
    progress(verification.operations);
    if let Err(error) = read {
        verification.find(None, error.code(), error.to_string(), false);
    }
    match store.unerased() {
        Ok(ids) => {
            for id in ids {
                let message = format!("operation {id} is forgotten and still has its body");
                verification.find(Some(id), "not_erased", message, false);
            }
        }
        Err(error) => verification.find(None, error.code(), error.to_string(), false),
    }
    Ok(verification)
}

/// Names each operation that lacks its body without leave, and counts the others, and the
/// operations of keys that are not members.
fn check_bodies_and_authors(
    verification: &mut Verification,
    store: &SqliteSpace,
) -> Result<(), StoreError> {
    let index: SqliteLedgerIndex<'_> = store.ledger_index()?;
    index.without_bodies(|row| {
        let leave = leave_of(&index, &row.id)?;
        verification.bodies.count(leave);
        if leave.is_none() {
            let message = format!(
                "operation {}: the body of this {} is missing, and nobody who may says that it was withheld or forgotten",
                row.id, row.kind
            );
            verification.find(Some(row.id), "body_missing", message, false);
        }
        Ok(())
    })?;
    let members = Members::of(index.access()?);
    for (author, count) in index.count_by_author()? {
        if !members.contains(&author) {
            verification.not_members += count;
        }
    }
    Ok(())
}

/// Finds which operations a damaged file concerns: an operation can be whole as the indexes give it
/// and not in the table.
fn name_damaged(verification: &mut Verification, store: &SqliteSpace) {
    let named: std::collections::HashSet<OpId> =
        verification.findings.iter().filter_map(|finding| finding.id).collect();
    let read = store.each_row(|id, row| {
        let fault = match row {
            Err(error) => Some((error.code(), error.to_string())),
            Ok(None) => Some(("damaged", format!("operation {id} is not in its place"))),
            Ok(Some(recorded)) if recorded.operation.id() != id => Some((
                "damaged",
                format!("in the place of operation {id} is {}", recorded.operation.id()),
            )),
            Ok(Some(recorded)) => {
                recorded.operation.verify().err().map(|error| (error.code(), error.to_string()))
            }
        };
        if let Some((code, message)) = fault.filter(|_| !named.contains(&id)) {
            verification.find(Some(id), code, message, false);
        }
    });
    if let Err(error) = read {
        verification.find(None, error.code(), error.to_string(), false);
    }
}

fn check_batch(
    verification: &mut Verification,
    store: &SqliteSpace,
    graph: &mut CheckedLedger<'_>,
    batch: Vec<Operation<Unverified>>,
) -> Result<(), StoreError> {
    verification.operations += batch.len() as u64;
    for verified in verify_batch(batch) {
        let operation = match verified {
            Ok(operation) => operation,
            Err(error) => {
                let code = VerifyError::code(&error);
                verification.find(Some(error.id()), code, error.to_string(), false);
                // Named once: what follows it and cites it is judged as though it were sound.
                if let Ok(Some(Recorded { operation, .. })) = store.get(&error.id()) {
                    graph.insert(&operation, parsed(&operation).and_then(Result::ok).as_ref())?;
                }
                continue;
            }
        };
        let id = operation.id();
        let body = match parsed(&operation) {
            None => None,
            Some(Ok(body)) => Some(body),
            Some(Err(error)) => {
                verification.find(Some(id), "malformed", format!("operation {id}: {error}"), false);
                None
            }
        };
        graph.prepare(&operation)?;
        match rules::judge(&operation, body.as_ref(), graph) {
            Ok(Verdict::Append) => graph.insert(&operation, body.as_ref())?,
            Ok(Verdict::Present) => {
                verification.find(
                    Some(id),
                    "repeated",
                    format!("operation {id} is there twice"),
                    false,
                );
            }
            Err(JudgeError::RuleViolation(violation)) => {
                if violation.prevents_admission() || can_be_judged(store, &operation, &violation) {
                    let kept = !violation.prevents_admission();
                    let message = match kept {
                        true => format!("operation {id}, as of when it was recorded: {violation}"),
                        false => format!("operation {id}: {violation}"),
                    };
                    verification.find(Some(id), violation.code(), message, kept);
                }
                graph.insert(&operation, body.as_ref())?;
            }
            Err(JudgeError::LedgerIndex(error)) => {
                verification.find(Some(id), error.code(), error.to_string(), false);
                graph.insert(&operation, body.as_ref())?;
            }
        }
    }
    Ok(())
}

/// Whether a rule about content can be judged: not where the operation itself or what it cites
/// lacks its body, so that one cannot tell what the author saw. Who may do what follows from
/// operations that never lack theirs; only of a claim the body says which capability it needs.
fn can_be_judged(store: &SqliteSpace, operation: &Operation, violation: &RuleViolation) -> bool {
    let header = operation.header();
    if matches!(violation, RuleViolation::NotPermitted { .. }) {
        return operation.body().is_some() || header.kind != Kind::Claim;
    }
    let lacks = |id: &OpId| {
        store.get(id).is_ok_and(|found| found.is_some_and(|cited| cited.operation.body().is_none()))
    };
    operation.body().is_some() && !header.refs.iter().any(|cited| lacks(&cited.id))
}

fn parsed<State>(operation: &Operation<State>) -> Option<Result<Body, MalformedError>> {
    operation.body().map(|bytes| Body::parse(&operation.header().kind, bytes))
}
