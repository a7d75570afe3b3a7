//! Failures, for people and for programs.
//!
//! [`Failure`] is the one error of the program's front ends. Each failure has a stable code, a
//! message, and a [`Fault`] that says who can fix it. The message says what is wrong. [`hint`]
//! names the command that fixes it, since an agent or a browser has other means.

use engine::EngineError;
use engine::belief::user::UserError;
use engine::write::share::ShareError;
use importers::ImportError;
use kernel::id::Author;
use kernel::kind::Capability;
use kernel::rules::RuleViolation;
use models::EmbedError;
use models::hub::HubError;
use models::language::LanguageError;
use serde::Serialize;
use store::{RecordError, StoreError};

use crate::place::PlaceError;

mod agent;
mod archive;
pub(crate) mod hint;
mod request;
#[cfg(test)]
mod tests;
mod thoughts;

pub(crate) use agent::AgentError;
pub(crate) use archive::ArchiveError;
pub(crate) use request::{IN_GRAPH, OtherRecord, RequestError, within};
pub(crate) use thoughts::ThoughtRefusal;

/// Exit codes; `because --help` and `docs/cli.md` list them.
pub(crate) mod exit {
    /// Something failed: what is named is not there or in the way, a file or the standard input is
    /// malformed, or the machine is at fault.
    pub(crate) const FAILED: u8 = 1;
    /// The arguments or the configuration are wrong (clap's code).
    pub(crate) const USAGE: u8 = 2;
    /// `verify`, `show`, `doctor`, `maintain health`, `conformance` or `model test` found something
    /// wrong, or a patch was refused.
    pub(crate) const UNSOUND: u8 = 3;
    /// Done, but some items could not be read and were left out.
    pub(crate) const INCOMPLETE: u8 = 4;
    /// Ended by Ctrl-C (as shells say it of a signal).
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// Who can fix a failure, for programs that do not handle each code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    /// The request is wrong: change it.
    Caller,
    /// Something that the request names does not exist.
    NotFound,
    /// The key lacks the capability; the owner of the space can grant it.
    Forbidden,
    /// The request conflicts with what is already recorded.
    Conflict,
    /// Something is in use or does not answer; retry later.
    Busy,
    /// The installation, a file or the program is at fault; changing the request does not help.
    Internal,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The engine's reason.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The request is invalid.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A request about thoughts is refused.
    #[error(transparent)]
    Thought(#[from] ThoughtRefusal),
    /// An agent's key may not write.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// An archive cannot be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// No space was found.
    #[error("no space was found here")]
    NoSpace,
    /// No space exists at the named place.
    #[error("no space was found at {}", path.display())]
    NoSpaceThere {
        /// Where it was looked for.
        path: std::path::PathBuf,
        /// What was named, if a space can be made there.
        named: Option<String>,
    },
    /// The space was made by somebody else, who has let nobody here write to it.
    #[error("the space {} is somebody else's: {owner} owns it, and no key of yours may write to it", path.display())]
    NotYourSpace {
        /// The space.
        path: std::path::PathBuf,
        /// Its owner.
        owner: String,
        /// This device's key.
        key: Author,
        /// What the request needs.
        capability: Capability,
    },
    /// One of the program's files or folders cannot be used.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    OutputFile {
        /// The file.
        path: std::path::PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// the configuration cannot be used.
    #[error("the configuration cannot be used: {0}")]
    Configuration(#[from] crate::configuration::ConfigurationError),
    /// A model could not be fetched, or is not there.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// A measurement could not be made.
    #[error(transparent)]
    Evaluation(#[from] eval::EvalError),
    /// A scenario does not read or could not be run.
    #[error("{}: {source}", path.display())]
    Scenario {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        #[source]
        source: engine::conformance::ConformanceError,
    },
    /// The other side of a conversation broke its protocol, or the conversation could not be held.
    #[error("the conversation ended: {0}")]
    Protocol(String),
    /// The settings of another program cannot be changed safely.
    #[error("{} was not touched: {reason}", path.display())]
    HostSettings {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
    /// The user pressed Ctrl-C.
    #[error("interrupted while {work}")]
    Interrupted {
        /// What the command did, and how far it came.
        work: String,
    },
    /// A model does not make vectors.
    #[error("{message}")]
    Embedding {
        /// Why it does not.
        message: String,
        /// The stable code.
        code: &'static str,
        /// The model.
        model: models::choice::Selection,
    },
    /// A language model gives no valid answer.
    #[error(transparent)]
    LanguageModel(#[from] LanguageError),
    /// The format of a source was not recognised.
    #[error("the format of {} was not recognised; the formats are: {}", path.display(), formats.join(", "))]
    UnknownFormat {
        /// The source.
        path: std::path::PathBuf,
        /// The known formats.
        formats: Vec<&'static str>,
    },
}

impl Failure {
    /// A model does not answer.
    pub(crate) fn embedding(error: &EmbedError, model: &models::choice::Selection) -> Self {
        Self::Embedding { message: error.to_string(), code: error.code(), model: model.clone() }
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Engine(error) => error.code(),
            Self::Request(error) => error.code(),
            Self::Thought(refusal) => refusal.code(),
            Self::Agent(error) => error.code(),
            Self::Archive(error) => error.code(),
            Self::NoSpace => "no_space",
            Self::NoSpaceThere { .. } => "space_missing",
            Self::NotYourSpace { .. } => "not_your_space",
            Self::Place(error) => error.code(),
            Self::File { .. } | Self::OutputFile { .. } => "file",
            Self::Configuration(_) => "settings",
            Self::Hub(error) => error.code(),
            Self::Evaluation(error) => error.code(),
            Self::Scenario { .. } => "scenario",
            Self::Protocol(_) => "protocol",
            Self::HostSettings { .. } => "host_settings",
            Self::Output(_) => "output",
            Self::Interrupted { .. } => "interrupted",
            Self::Embedding { code, .. } => code,
            Self::LanguageModel(error) => error.code(),
            Self::UnknownFormat { .. } => "unknown_format",
        }
    }

    /// Who can fix it.
    pub(crate) fn fault(&self) -> Fault {
        match self {
            Self::Engine(error) => fault_of_engine(error),
            Self::Request(error) => error.fault(),
            Self::Thought(refusal) => refusal.fault(),
            Self::Archive(error) => error.fault(),
            Self::Agent(_) | Self::NotYourSpace { .. } => Fault::Forbidden,
            Self::NoSpace | Self::NoSpaceThere { .. } => Fault::NotFound,
            Self::UnknownFormat { .. } | Self::Scenario { .. } => Fault::Caller,
            Self::Hub(error) => match error {
                HubError::Name { .. } | HubError::TooLarge { .. } | HubError::NoEncoder { .. } => {
                    Fault::Caller
                }
                HubError::NotHere { .. } | HubError::Refused { .. } => Fault::NotFound,
                HubError::Busy { .. } | HubError::Failed { .. } | HubError::Unreachable { .. } => {
                    Fault::Busy
                }
                _ => Fault::Internal,
            },
            Self::Evaluation(error) => match error {
                eval::EvalError::Engine(error) => fault_of_engine(error),
                eval::EvalError::Form { .. } | eval::EvalError::Line { .. } => Fault::Caller,
                _ => Fault::Internal,
            },
            Self::HostSettings { .. } => Fault::Conflict,
            Self::Interrupted { .. } => Fault::Busy,
            Self::Embedding { code, .. } => match *code {
                "embedder_unreachable"
                | "embedder_timed_out"
                | "embedder_rate_limited"
                | "embedder_failed" => Fault::Busy,
                _ => Fault::Internal,
            },
            Self::LanguageModel(error) if error.is_transient() => Fault::Busy,
            Self::LanguageModel(LanguageError::RequestTooLarge { .. }) => Fault::Caller,
            Self::File { source, .. } => fault_of_file(source),
            Self::LanguageModel(_)
            | Self::Place(_)
            | Self::OutputFile { .. }
            | Self::Configuration(_)
            | Self::Protocol(_)
            | Self::Output(_) => Fault::Internal,
        }
    }

    /// What to type to fix it, unless the message says so already.
    pub(crate) fn hint(&self) -> Option<String> {
        hint::of(self)
    }

    /// Wrong arguments are what the caller can change, by [`Failure::fault`]. What is not there is
    /// not one, since it may be there tomorrow, nor is what a file turns out to hold.
    pub(crate) fn exit_code(&self) -> u8 {
        let is_of_configuration = matches!(
            self,
            Self::Configuration(_)
                | Self::Place(PlaceError::NoHome { .. })
                | Self::Hub(HubError::Endpoint { .. })
        );
        match self {
            Self::Interrupted { .. } => exit::INTERRUPTED,
            _ if is_of_configuration => exit::USAGE,
            _ if self.fault() == Fault::Caller && !self.is_of_content() => exit::USAGE,
            _ => exit::FAILED,
        }
    }

    /// Whether it is about what a file, the standard input or a model that is offered turns out
    /// to hold.
    fn is_of_content(&self) -> bool {
        let is_of_input = match self {
            Self::Request(error) => error.is_of_content(),
            _ => false,
        };
        is_of_input
            || matches!(
                self,
                Self::UnknownFormat { .. }
                    | Self::Scenario { .. }
                    | Self::Evaluation(_)
                    | Self::Engine(EngineError::Import(_) | EngineError::Exchange { .. })
                    | Self::Hub(HubError::TooLarge { .. } | HubError::NoEncoder { .. })
            )
    }

    /// True if the reader closed the output, which is not a failure of this program.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let broken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
        match self {
            Self::Output(error) | Self::Engine(EngineError::Io(error)) => broken(error),
            _ => false,
        }
    }
}

fn fault_of_engine(error: &EngineError) -> Fault {
    match error {
        EngineError::Store(error) => fault_of_store(error),
        EngineError::Record(RecordError::Store(error)) => fault_of_store(error),
        EngineError::Record(RecordError::Refused { violation, .. }) => match violation {
            RuleViolation::NotPermitted { .. } => Fault::Forbidden,
            RuleViolation::Malformed(_) | RuleViolation::UnknownRef { .. } => Fault::Caller,
            _ => Fault::Conflict,
        },
        EngineError::Graph(_) | EngineError::PatchRefused(_) | EngineError::NotArchived { .. } => {
            Fault::Conflict
        }
        EngineError::Malformed(_)
        | EngineError::ClaimForm(_)
        | EngineError::NotABelief { .. }
        | EngineError::NotAnImport { .. }
        | EngineError::CannotForget { .. }
        | EngineError::SelectionTooLarge { .. }
        | EngineError::AmbiguousId { .. }
        | EngineError::AmbiguousReceipt { .. }
        | EngineError::Exchange { .. } => Fault::Caller,
        EngineError::Share(ShareError::AlwaysWhole { .. }) => Fault::Caller,
        EngineError::Share(_) => Fault::Forbidden,
        EngineError::Import(ImportError::Io { source, .. }) => fault_of_file(source),
        EngineError::Io(_) | EngineError::Altered { .. } => Fault::Internal,
        EngineError::Import(_) => Fault::Caller,
        EngineError::UnknownId { .. }
        | EngineError::NotRecordedThen { .. }
        | EngineError::UnknownReceipt { .. }
        | EngineError::UnknownBelief { .. } => Fault::NotFound,
        EngineError::User(error) => match error {
            UserError::PayloadMalformed { .. }
            | UserError::PayloadShape { .. }
            | UserError::StatedInWords { .. } => Fault::Caller,
            UserError::NoReview { .. } => Fault::NotFound,
            _ => Fault::Conflict,
        },
    }
}

/// Who can fix that a file which was named cannot be read.
fn fault_of_file(error: &std::io::Error) -> Fault {
    match error.kind() {
        std::io::ErrorKind::NotFound => Fault::NotFound,
        _ => Fault::Internal,
    }
}

fn fault_of_store(error: &StoreError) -> Fault {
    match error {
        StoreError::Missing { .. } => Fault::NotFound,
        StoreError::Exists { .. } => Fault::Conflict,
        StoreError::Busy { .. } => Fault::Busy,
        _ => Fault::Internal,
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}
