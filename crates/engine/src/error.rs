//! The errors of the engine.

use kernel::id::OpId;
use kernel::kind::Kind;
use kernel::operation::MalformedError;
use store::{RecordError, StoreError};

use crate::belief;
use crate::write::claim_form::ClaimFormError;
use crate::write::graph::RefusedChange;

/// Why an operation of the engine failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An operation breaks a rule.
    #[error(transparent)]
    Record(RecordError),
    /// The content does not fit the format.
    #[error("this cannot be written: {0}")]
    Malformed(#[from] MalformedError),
    /// A claim lacks something that every claim needs.
    #[error(transparent)]
    ClaimForm(#[from] ClaimFormError),
    /// A source could not be read.
    #[error(transparent)]
    Import(#[from] importers::ImportError),
    /// No operation has an id with this prefix.
    #[error("no record or belief has {}", id_in_words(prefix))]
    UnknownId {
        /// The prefix.
        prefix: String,
    },
    /// The operation, or the first of the belief, was recorded after the time as of which is asked.
    #[error("{name} was not known then: it was recorded at {at}")]
    NotRecordedThen {
        /// The id, or the key.
        name: String,
        /// When it was recorded.
        at: String,
    },
    /// Several operations have ids with this prefix.
    #[error("{prefix} fits several records: {}", candidates.iter().map(|id| id.to_string()[..15].to_owned()).collect::<Vec<_>>().join(", "))]
    AmbiguousId {
        /// The prefix.
        prefix: String,
        /// The operations that match it.
        candidates: Vec<OpId>,
    },
    /// No receipt has an id with this prefix.
    #[error("no receipt has an id that begins with {prefix}")]
    UnknownReceipt {
        /// The prefix.
        prefix: String,
    },
    /// Several receipts have ids with this prefix.
    #[error("{prefix} fits several receipts; give more of the id")]
    AmbiguousReceipt {
        /// The prefix.
        prefix: String,
    },
    /// No belief has this name.
    #[error("no belief is called {name}{}", or_is_one_of(near))]
    UnknownBelief {
        /// The name.
        name: String,
        /// Some beliefs whose keys contain it.
        near: Vec<String>,
    },
    /// The file no longer holds the operation as it was signed.
    #[error("{id} was altered in the file since it was signed")]
    Altered {
        /// The operation.
        id: OpId,
    },
    /// The operation does not state a belief.
    #[error("{id} is not a belief: its kind is {kind}")]
    NotABelief {
        /// The operation.
        id: OpId,
        /// Its kind.
        kind: Kind,
    },
    /// The operation is not an import.
    #[error("{id} is not an import: its kind is {kind}")]
    NotAnImport {
        /// The operation.
        id: OpId,
        /// Its kind.
        kind: Kind,
    },
    /// More records are selected than one action may concern.
    #[error("this selects more than {records_max} records; select fewer at a time")]
    SelectionTooLarge {
        /// The limit.
        records_max: usize,
    },
    /// The correction, refutation, withdrawal or retraction is not possible.
    #[error(transparent)]
    User(#[from] belief::user::UserError),
    /// Changes of the graph were refused, so none was made.
    #[error("{}", all_of(.0))]
    Graph(Vec<RefusedChange>),
    /// A patch was refused, so nothing of it was applied.
    #[error("the patch was not applied: {}", all_of(.0))]
    PatchRefused(Vec<RefusedChange>),
    /// The body of this operation cannot be forgotten by itself.
    #[error("{id} cannot be forgotten: {}", why_kept(kind))]
    CannotForget {
        /// The operation.
        id: OpId,
        /// Its kind.
        kind: Kind,
    },
    /// What would be erased is in no archive that was verified.
    #[error(
        "{count} operations that would be erased are in no verified archive ({first} is one); nothing was erased"
    )]
    NotArchived {
        /// How many.
        count: u64,
        /// The first of them.
        first: OpId,
    },
    /// An interchange file cannot be imported.
    #[error("line {line}: {reason}")]
    Exchange {
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// The space cannot be shared that way.
    #[error(transparent)]
    Share(#[from] crate::write::share::ShareError),
    /// Reading or writing outside the store failed.
    #[error("cannot read or write: {0}")]
    Io(#[from] std::io::Error),
}

impl From<RecordError> for EngineError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Store(error) => Self::Store(error),
            refused => Self::Record(refused),
        }
    }
}

impl EngineError {
    /// The code, for programs. It is stable, as the text is not; `docs/cli.md` lists all.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::Record(RecordError::Refused { violation, .. }) => violation.code(),
            Self::Record(RecordError::Store(error)) => error.code(),
            Self::Malformed(_) => "malformed",
            Self::ClaimForm(error) => error.code(),
            Self::Import(importers::ImportError::Io { .. }) => "source_unreadable",
            Self::Import(importers::ImportError::Format { .. }) => "source_format",
            Self::Import(importers::ImportError::TooLarge { .. }) => "source_too_large",
            Self::UnknownId { .. } => "unknown_id",
            Self::NotRecordedThen { .. } => "not_recorded_then",
            Self::AmbiguousId { .. } => "ambiguous_id",
            Self::UnknownReceipt { .. } => "unknown_receipt",
            Self::AmbiguousReceipt { .. } => "ambiguous_receipt",
            Self::UnknownBelief { .. } => "unknown_belief",
            Self::Altered { .. } => "altered",
            Self::NotABelief { .. } => "not_a_belief",
            Self::NotAnImport { .. } => "not_an_import",
            Self::SelectionTooLarge { .. } => "selection_too_large",
            Self::User(error) => error.code(),
            Self::CannotForget { .. } => "cannot_forget",
            Self::NotArchived { .. } => "not_archived",
            Self::Exchange { .. } => "exchange",
            Self::Share(error) => error.code(),
            Self::Graph(refused) => match refused.as_slice() {
                [refused] => refused.refusal.code(),
                _ => "patch_refused",
            },
            Self::PatchRefused(_) => "patch_refused",
            Self::Io(_) => "io",
        }
    }
}

/// Every refusal; of a single change, without its place.
fn all_of(refused: &[RefusedChange]) -> String {
    match refused {
        [only] if only.place == 0 && only.name.is_none() => only.refusal.to_string(),
        _ => refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

fn why_kept(kind: &Kind) -> &'static str {
    match kind {
        Kind::Claim => "it was derived, and would be derived again from the records it stands on",
        _ => "it says who may do what in the space",
    }
}

fn or_is_one_of(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}", near.join(" or ")) }
}

/// An id, or the beginning of one, that nothing has.
fn id_in_words(prefix: &str) -> String {
    /// Digits of an id, and fewest of its beginning.
    const DIGITS: (usize, usize) = (64, 4);
    let digits = prefix.strip_prefix("b3:").unwrap_or(prefix).len();
    if digits >= DIGITS.0 {
        return format!("the id {prefix}");
    }
    let hint = if digits < DIGITS.1 { " (give at least 4 digits)" } else { "" };
    format!("an id that begins with {prefix}{hint}")
}
