//! Sharing a space without all of its bodies.
//!
//! A redacted export has every operation, so chains, signatures and provenance can be verified, and
//! leaves out bodies: those of [`ExportSelection`]. It says which, in [declarations](Declaration)
//! signed by the key that exports; whoever takes it in knows that these were withheld and not taken
//! out on the way.
//!
//! What is withheld takes more with it, so that nothing tells it after all and nothing else is
//! believed in its place:
//!
//! - all versions of a belief are withheld if one is, and so are beliefs that were built on it.
//!   Records are different: a belief can be shared without its records;
//! - what a person said about something withheld is withheld, by a key that may correct alone;
//! - so is whatever else is about it or was built on it: annotations, edges, nodes, proposals.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;

use kernel::access::Place;
use kernel::body::Body;
use kernel::declaration::{Declaration, Statement, WITHHELD_MAX};
use kernel::evidence::{Evidence, Visibility};
use kernel::id::{Author, OpId};
use kernel::kind::{Capability, Kind};
use kernel::kind_spec::BodyNeed;
use kernel::ledger_index::LedgerIndex;
use kernel::missing_body::may_declare;
use kernel::operation::{Operation, Role, Unverified, VerifyError};
use store::sqlite::SqliteSpace;
use store::{Ledger, Position, StoreError};

use crate::inspect::LogFilter;
use crate::private::visibility_of;
use crate::seal::Sealer;
use crate::{EngineError, Reader};

/// Operations written after one declaration, at most.
const CHUNK: usize = 1_000;
/// Readings of the ledger to find what goes with what is withheld. Beliefs that were built on each
/// other more deeply than that are all withheld.
const ROUNDS_MAX: usize = 32;
/// Longest value of a selector, bytes.
const SELECTOR_BYTES_MAX: usize = 1_024;

const _: () = assert!(CHUNK <= WITHHELD_MAX);

/// Which bodies an export leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportSelection {
    /// For whom the export is made. What is private is left out then.
    pub recipient: Option<Author>,
    /// Leave out everything but beliefs and what people said about them.
    pub claims_only: bool,
    /// Leave these out.
    pub without: Vec<Selector>,
}

/// Bodies that are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Records of this source.
    Source(String),
    /// Records of this kind, or operations of this kind.
    Kind(String),
    /// Beliefs of this type or of a type below it.
    Type(String),
}

impl Selector {
    fn selects_record(&self, evidence: &Evidence) -> bool {
        match self {
            Self::Source(source) => *source == evidence.source,
            Self::Kind(kind) => *kind == evidence.kind.0,
            Self::Type(_) => false,
        }
    }

    fn selects_type(&self, claim_type: &str) -> bool {
        match self {
            Self::Type(family) => claim_type
                .strip_prefix(family.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            Self::Source(_) | Self::Kind(_) => false,
        }
    }

    fn selects(&self, kind: &str, body: Option<&Body>) -> bool {
        matches!(self, Self::Kind(named) if named == kind)
            || match body {
                Some(Body::Evidence(evidence)) => self.selects_record(evidence),
                Some(Body::Claim(claim)) => self.selects_type(&claim.claim_type),
                _ => false,
            }
    }
}

impl std::fmt::Display for Selector {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, value) = match self {
            Self::Source(source) => ("source", source),
            Self::Kind(kind) => ("kind", kind),
            Self::Type(family) => ("type", family),
        };
        write!(formatter, "{name}={value}")
    }
}

/// Why a text is not a selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} selects nothing: write source=NAME, kind=KIND or type=TYPE")]
pub struct SelectorError {
    text: String,
}

impl std::str::FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let error = || SelectorError { text: text.chars().take(80).collect() };
        let (name, value) = text.split_once('=').ok_or_else(error)?;
        if value.is_empty() || value.len() > SELECTOR_BYTES_MAX {
            return Err(error());
        }
        let value = value.to_owned();
        match name {
            "source" => Ok(Self::Source(value)),
            "kind" => Ok(Self::Kind(value)),
            "type" => Ok(Self::Type(value)),
            _ => Err(error()),
        }
    }
}

/// Why a space cannot be shared that way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// Nobody would accept the declaration.
    #[error(
        "{author} holds no capability in this space, so nobody would accept what it says about withheld bodies; export everything, or with a key that holds one"
    )]
    MayNotDeclare {
        /// The key.
        author: Author,
    },
    /// A person's word would have to be withheld.
    #[error(
        "{count} of the user's corrections, refutations and retractions are about what is withheld, and only a key that may correct can withhold them; leave out less, or export with such a key"
    )]
    MayNotWithholdWords {
        /// How many.
        count: u64,
    },
    /// The kind always has its body.
    #[error("operations of kind {kind} always keep their bodies; remove the selector kind={kind}")]
    AlwaysWhole {
        /// The kind.
        kind: String,
    },
}

impl ShareError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MayNotDeclare { .. } | Self::MayNotWithholdWords { .. } => "not_permitted",
            Self::AlwaysWhole { .. } => "always_whole",
        }
    }
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Exported {
    /// Operations written.
    pub operations: u64,
    /// Of these, the ones whose bodies were withheld, by kind.
    pub withheld: BTreeMap<String, u64>,
    /// Of these, the ones whose bodies are missing here too.
    pub missing: u64,
    /// Operations that the file no longer holds as they were signed. They were written without
    /// their bodies, or left out if more than the body was altered.
    pub altered: Vec<OpId>,
}

impl Exported {
    /// What may be written of an operation: all of it if it is as it was signed, else all but the
    /// body, and nothing if its header was altered too.
    pub(super) fn as_signed(
        &mut self,
        operation: Operation<Unverified>,
    ) -> Option<Operation<Unverified>> {
        let Err(error) = operation.check_hashes() else { return Some(operation) };
        self.altered.push(operation.id());
        let bare = operation.without_body();
        matches!(error, VerifyError::Body { .. }).then_some(bare)
    }
}

impl ExportSelection {
    /// Whether everything is exported.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The selectors that select nothing in a space, which may be misspelt.
    pub fn idle(&self, space: &crate::Space) -> Result<Vec<&Selector>, EngineError> {
        let mut idle: Vec<&Selector> = self.without.iter().collect();
        if idle.is_empty() {
            return Ok(idle);
        }
        space.log(Position(0), &LogFilter::default(), |recorded| {
            let kind = recorded.operation.header().kind.as_str().to_owned();
            let body = parsed(&recorded.operation);
            idle.retain(|selector| !selector.selects(&kind, body.as_ref()));
            !idle.is_empty()
        })?;
        Ok(idle)
    }

    fn check(&self) -> Result<(), ShareError> {
        for selector in &self.without {
            if let Selector::Kind(kind) = selector
                && let Ok(known) = Kind::parse(kind)
                && known.spec().body != BodyNeed::Removable
            {
                return Err(ShareError::AlwaysWhole { kind: kind.clone() });
            }
        }
        Ok(())
    }

    /// Whether somebody's visibility keeps it from the recipient.
    fn hides(&self, visibility: Option<Visibility>) -> bool {
        self.recipient.is_some() && visibility == Some(Visibility::Private)
    }

    fn names_kind(&self, kind: &str) -> bool {
        self.without.iter().any(|one| matches!(one, Selector::Kind(named) if named == kind))
    }

    fn withholds_record(&self, evidence: &Evidence) -> bool {
        let is_named = self.without.iter().any(|selector| selector.selects_record(evidence));
        self.claims_only || is_named || self.hides(Some(evidence.visibility))
    }

    fn withholds_type(&self, claim_type: &str) -> bool {
        self.without.iter().any(|selector| selector.selects_type(claim_type))
    }
}

/// What follows from a selection in one ledger.
#[derive(Default)]
struct Plan {
    /// Beliefs, all versions of which are withheld.
    identities: BTreeSet<String>,
    /// Operations that go with later ones: private by an annotation, or targets of words.
    named_later: BTreeSet<OpId>,
    /// Withheld operations other than evidence.
    operations: HashSet<OpId>,
    /// Records that are private for the recipient, on which no claim that is exported may stand.
    private_records: HashSet<OpId>,
    /// How many of these are a person's words.
    words: u64,
    /// All beliefs are withheld.
    all_beliefs: bool,
}

/// Decides which bodies an export withholds, going through the operations in the space's order.
struct ExportPlanner<'a> {
    selection: &'a ExportSelection,
    store: &'a SqliteSpace,
    plan: Plan,
}

impl<'a> ExportPlanner<'a> {
    /// Reads the ledger until nothing more has to be withheld.
    fn planned(selection: &'a ExportSelection, store: &'a SqliteSpace) -> Result<Self, StoreError> {
        let mut planner = Self { selection, store, plan: Plan::default() };
        for round in 1.. {
            planner.plan.operations.clear();
            planner.plan.words = 0;
            planner.plan.all_beliefs = round >= ROUNDS_MAX;
            let known = (planner.plan.identities.len(), planner.plan.named_later.len());
            store.in_order(|recorded| planner.note(&recorded.operation))?;
            let found = (planner.plan.identities.len(), planner.plan.named_later.len());
            if found == known || planner.plan.all_beliefs {
                break;
            }
        }
        Ok(planner)
    }

    fn note(&mut self, operation: &Operation<Unverified>) -> Result<(), StoreError> {
        let kind = &operation.header().kind;
        let body = parsed(operation);
        if *kind == Kind::Evidence {
            if self.selection.hides(body.as_ref().and_then(visibility_of)) {
                self.plan.private_records.insert(operation.id());
            }
            return Ok(());
        }
        if let Some(Body::Annotation(annotation)) = &body
            && self.selection.hides(annotation.visibility)
        {
            let target = operation.sole_ref(Role::TARGET);
            self.plan.named_later.extend(target);
            self.plan.private_records.extend(target);
        }
        if self.withholds(operation, body.as_ref())? {
            self.plan.operations.insert(operation.id());
            if kind.spec().body == BodyNeed::WithItsTarget {
                self.plan.words += 1;
                // Without its target, which it may be about under another name, it would be
                // refused.
                self.plan.named_later.extend(operation.sole_ref(Role::TARGET));
            }
            let identity = body.as_ref().and_then(Body::identity);
            self.plan.identities.extend(identity.map(|(key, _)| key.to_owned()));
        }
        Ok(())
    }

    /// Whether an operation's body is withheld, as far as is known of those before it.
    fn withholds(
        &self,
        operation: &Operation<Unverified>,
        body: Option<&Body>,
    ) -> Result<bool, StoreError> {
        let (selection, kind) = (self.selection, &operation.header().kind);
        if operation.body().is_none() || kind.spec().body == BodyNeed::Always {
            return Ok(false);
        }
        if kind.spec().body == BodyNeed::WithItsTarget {
            let of_identity = body.and_then(Body::identity);
            if of_identity.is_some_and(|(key, _)| self.withholds_identity(key)) {
                return Ok(true);
            }
            let target = operation.sole_ref(Role::TARGET);
            return target.map_or(Ok(false), |target| self.withholds_cited(&target));
        }
        if selection.names_kind(kind.as_str()) || self.plan.named_later.contains(&operation.id()) {
            return Ok(true);
        }
        match body {
            Some(Body::Evidence(evidence)) => Ok(selection.withholds_record(evidence)),
            Some(Body::Claim(claim)) => Ok(selection.hides(Some(claim.visibility))
                || selection.withholds_type(&claim.claim_type)
                || self.withholds_identity(&claim.identity_key)
                || self.stands_on_private(operation)
                || self.builds_on_withheld(operation)),
            // It says nothing in its body.
            Some(Body::ClaimInvalidation(_)) => Ok(false),
            Some(Body::Redaction(redaction)) => {
                Ok(selection.hides(redaction.visibility) || self.is_about_withheld(operation)?)
            }
            // Without what replaces a claim, the copy would believe it again.
            Some(body @ Body::Edge(_)) if selection.claims_only => {
                Ok(selection.hides(visibility_of(body)) || self.builds_on_withheld(operation))
            }
            _ if selection.claims_only => Ok(true),
            // Nothing is known of what it says.
            None => Ok(true),
            Some(body) => Ok(selection.hides(visibility_of(body))
                || proposes_about(body, |key| self.withholds_identity(key))
                || self.builds_on_withheld(operation)
                || self.is_about_withheld(operation)?),
        }
    }

    fn withholds_identity(&self, key: &str) -> bool {
        self.plan.all_beliefs || self.plan.identities.contains(key)
    }

    /// Whether it cites a record that is private, other than one that it replaces.
    fn stands_on_private(&self, operation: &Operation<Unverified>) -> bool {
        let refs = operation.header().refs.iter();
        refs.filter(|cited| cited.role.as_str() != Role::SUPERSEDES)
            .any(|cited| self.plan.private_records.contains(&cited.id))
    }

    /// Whether it cites something withheld that is not a record.
    fn builds_on_withheld(&self, operation: &Operation<Unverified>) -> bool {
        let mut refs = operation.header().refs.iter();
        refs.any(|cited| self.plan.operations.contains(&cited.id))
    }

    fn is_about_withheld(&self, operation: &Operation<Unverified>) -> Result<bool, StoreError> {
        operation.sole_ref(Role::TARGET).map_or(Ok(false), |target| self.withholds_cited(&target))
    }

    /// Whether the body of an earlier operation is withheld or missing.
    fn withholds_cited(&self, id: &OpId) -> Result<bool, StoreError> {
        if self.plan.operations.contains(id) {
            return Ok(true);
        }
        let Some(cited) = self.store.get(id)? else { return Ok(false) };
        if cited.operation.header().kind != Kind::Evidence {
            return Ok(false);
        }
        self.withholds(&cited.operation, parsed(&cited.operation).as_ref())
    }
}

fn parsed(operation: &Operation<Unverified>) -> Option<Body> {
    operation.body().and_then(|bytes| Body::parse(&operation.header().kind, bytes).ok())
}

/// Whether a proposal is about an identity.
fn proposes_about(body: &Body, is_withheld: impl Fn(&str) -> bool) -> bool {
    let Body::Proposal(proposal) = body else { return false };
    let reviewed = proposal.review.iter().map(|review| review.identity_key.as_str());
    let proposed = proposal.operations.iter().filter_map(|proposed| {
        proposed.body.get("identity_key").and_then(serde_json::Value::as_str)
    });
    reviewed.chain(proposed).any(is_withheld)
}

/// An export being written.
struct Writing<'a> {
    output: &'a mut dyn Write,
    lines: Vec<String>,
    withheld: Vec<OpId>,
    shared: Exported,
}

impl Writing<'_> {
    /// Writes the operations that wait, after a declaration of those that are withheld.
    fn flush(
        &mut self,
        declare: impl FnOnce(Vec<OpId>) -> Result<Declaration, EngineError>,
    ) -> Result<(), EngineError> {
        if !self.withheld.is_empty() {
            let declaration = declare(std::mem::take(&mut self.withheld))?;
            writeln!(self.output, "{}", declaration.to_line())?;
        }
        for line in self.lines.drain(..) {
            writeln!(self.output, "{line}")?;
            self.shared.operations += 1;
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Writes every operation, in the space's order, without the bodies that `selection` withholds
    /// in the name of `sealer`'s key.
    ///
    /// # Errors
    /// If the key holds no capability, or may not withhold what is left out; if a kind is left out
    /// that always has its body; if `output` cannot be written.
    pub fn share(
        &self,
        sealer: &Sealer,
        selection: &ExportSelection,
        output: &mut dyn Write,
        mut progress: impl FnMut(u64),
    ) -> Result<Exported, EngineError> {
        selection.check()?;
        let author = sealer.author();
        let access = self.store.ledger_index()?.access()?.clone();
        if !may_declare(&access, &author) {
            return Err(ShareError::MayNotDeclare { author }.into());
        }
        let planner = ExportPlanner::planned(selection, self.store)?;
        if planner.plan.words > 0 && !access.holds(&author, Capability::Correct, Place::END) {
            return Err(ShareError::MayNotWithholdWords { count: planner.plan.words }.into());
        }
        let space = self.id()?;
        let declare = |withheld| {
            let statement = Statement::new(space, author, selection.recipient, withheld);
            Ok(sealer.declare(statement)?)
        };
        let mut writing = Writing {
            output,
            lines: Vec::new(),
            withheld: Vec::new(),
            shared: Exported::default(),
        };
        let mut is_first = true;
        self.store.in_order(|recorded| {
            self.share_one(&planner, recorded.operation, &mut writing)?;
            if std::mem::take(&mut is_first) {
                writing.flush(declare)?;
                self.write_declarations(writing.output)?;
            } else if writing.lines.len() >= CHUNK {
                writing.flush(declare)?;
            }
            progress(writing.shared.operations);
            Ok::<_, EngineError>(())
        })?;
        writing.flush(declare)?;
        writing.output.flush()?;
        Ok(writing.shared)
    }

    fn share_one(
        &self,
        planner: &ExportPlanner<'_>,
        operation: Operation<Unverified>,
        writing: &mut Writing<'_>,
    ) -> Result<(), EngineError> {
        writing.shared.missing += u64::from(operation.body().is_none());
        let Some(operation) = writing.shared.as_signed(operation) else { return Ok(()) };
        let (id, kind) = (operation.id(), operation.header().kind.clone());
        let is_withheld = if kind == Kind::Evidence {
            planner.withholds(&operation, parsed(&operation).as_ref())?
        } else {
            planner.plan.operations.contains(&id)
        };
        if is_withheld {
            *writing.shared.withheld.entry(kind.as_str().to_owned()).or_default() += 1;
            writing.withheld.push(id);
            writing.lines.push(operation.without_body().to_line());
        } else {
            writing.lines.push(operation.to_line());
        }
        Ok(())
    }

    /// Writes the declarations that came with what is missing here.
    pub(super) fn write_declarations(&self, output: &mut dyn Write) -> Result<(), EngineError> {
        let mut failure = None;
        self.store.declarations(|line| {
            writeln!(output, "{line}").map_err(|error| failure = Some(error)).is_ok()
        })?;
        failure.map_or(Ok(()), |error| Err(error.into()))
    }
}
